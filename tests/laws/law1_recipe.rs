//! Law 1: a world is a function of its recipe. Same recipe: the same bits, with any number of threads, in any
//! order of asking. And every field of a recipe means something.

use crate::support::source::Backwards;
use crate::support::*;
use grid::{Grid, Topology};
use region::{Lattice, Window};
use world::recipe::Place;
use world::{CellSource, Recipe, World};

fn digest(world: &World) -> String {
    store::digest(&world.layers())
}

/// Two worlds are one: layers bit by bit, tables and network value by value.
fn assert_same(a: &World, b: &World, what: &str) {
    assert_eq!(digest(a), digest(b), "{what}");
    assert!(a == b, "{what}: the layers are equal, something else is not");
    assert_eq!(a.all_tables(), b.all_tables(), "{what}");
}

#[test]
fn threads_do_not_matter_to_a_world() {
    for recipe in [small_recipe(), island_recipe()] {
        let one = with_threads(1, || made(&recipe));
        for threads in [1, 2, 8] {
            let again = with_threads(threads, || made(&recipe));
            assert_same(&one, &again, &format!("{} on {threads} threads", recipe.name));
        }
    }
}

#[test]
fn threads_and_order_of_asking_do_not_matter_to_a_region() {
    for world in [small(), island()] {
        for (name, cell) in places(world).into_iter().take(3) {
            let place = coordinates(world, cell);
            let lattice = metric_lattice(world, place, world.grid.cell_m() / 24.0);
            let window = window_around(&lattice, place, 71, 49);
            let first = with_threads(1, || refined(world, &lattice, window));
            for threads in [1, 2, 8] {
                let again = with_threads(threads, || refined(world, &lattice, window));
                assert!(same_bits(&first, &again), "{name} on {threads} threads");
            }
            assert!(same_bits(&first, &refined(&Backwards(world), &lattice, window)), "{name} backwards");
        }
    }
}

fn same_bits(a: &region::Region, b: &region::Region) -> bool {
    let of =
        |r: &region::Region| -> Vec<u32> { r.layers().flat_map(|(_, v)| v).map(|v| v.to_bits()).collect() };
    of(a) == of(b)
}

#[test]
fn cells_are_the_same_in_any_order() {
    let world = small();
    let mut draw = draws(1);
    let cells: Vec<grid::Cell> = (0..500).map(|_| grid::Cell(draw.below(world.grid.len() as u32))).collect();
    let together = world.gather(&cells).expect("in memory");
    assert_eq!(together, Backwards(world).gather(&cells).expect("in memory"));
    for (cell, state) in cells.iter().zip(&together) {
        assert_eq!(world.cell(*cell), *state);
    }
}

/// A small world of small cells, so that fields in kilometres count too.
fn toy(topology: &str) -> Recipe {
    let mut recipe =
        Recipe::preset(if topology == "globe" { "earthlike" } else { "island" }).expect("built in");
    recipe.grid.cells = 32;
    recipe.grid.radius_km = 1500.0;
    recipe.plates.warp_km = 120.0;
    recipe.continents.min_sea_km2 = 1.0;
    recipe.continents.land_fraction = 0.6; // some waters are cut off
    recipe.continents.cut_level = 0.0; // above 0 it says how much land there is
    recipe.mountains.ridge_spacing_km = 300.0;
    recipe
}

#[test]
fn seeds_differ_and_names_do_not_count() {
    let recipe = toy("globe");
    let first = made(&recipe);
    for seed in [recipe.seed + 1, recipe.seed ^ 1 << 32, recipe.seed ^ 1 << 62, 0] {
        let other = made(&Recipe { seed, ..recipe.clone() });
        assert_ne!(digest(&other), digest(&first), "seed {seed}");
        assert_ne!(other.continentality, first.continentality, "seed {seed}");
        assert_ne!(other.plate, first.plate, "seed {seed}");
    }
    let renamed = made(&Recipe { name: "another".into(), ..recipe });
    assert_eq!(digest(&renamed), digest(&first));
    assert_eq!(renamed.all_tables(), first.all_tables());
}

/// Other values that a field may have: a real some of the way to both ends of its range, a count a little and
/// much greater, another word.
fn change(place: Place, how: u32) {
    let share = [0.4, 0.02, 0.9][how as usize];
    match place {
        Place::Real(value, low, high) => {
            let end = if (how == 0) == (*value > low) { low } else { high };
            *value += share * (end - *value);
        }
        Place::Count(value, low, high) => {
            let more = *value + [1, 7, 15][how as usize];
            *value = if more <= high { more } else { low };
        }
        Place::Word(value, words) => {
            let other = words.iter().find(|w| *w != value).expect("there is a choice");
            *value = (*other).into();
        }
        Place::Text(_) => unreachable!("recipes of made land have no texts"),
    }
}

/// What has no meaning on this kind of grid.
fn is_idle(topology: &str, path: &str) -> bool {
    let of_flat = ["grid.width_km", "grid.height_km", "grid.latitude_deg"];
    let of_globe = [
        "grid.radius_km",
        "continents.count",
        "continents.small_lands",
        "continents.elongation",
        "continents.patch_radius_deg",
        "plates.warp_km",
    ];
    if topology == "globe" { of_flat.contains(&path) } else { of_globe.contains(&path) }
}

/// Every field of the recipe, one after the other: layers or tables must notice it, and must not notice one
/// that has no meaning on the grid.
#[test]
fn every_field_counts() {
    for topology in ["globe", "flat"] {
        let mut recipe = toy(topology);
        let first = made(&recipe);
        let fields = recipe.slots().len();
        assert!(fields > 50, "only {fields} fields");
        let mut wrong = Vec::new();
        for k in 0..fields {
            let path = recipe.slots()[k].path.clone();
            let counts = (0..3).any(|how| {
                let mut changed = recipe.clone();
                change(changed.slots().swap_remove(k).place, how);
                differs(&first, &changed)
            });
            if counts == is_idle(topology, &path) {
                wrong.push(format!("{path}: {}", if counts { "counts" } else { "does not count" }));
            }
        }
        assert!(wrong.is_empty(), "{topology}: {wrong:?}");
    }
}

/// Whether the world of a recipe is another one. A recipe whose grid cannot be made differs from one whose can.
fn differs(first: &World, recipe: &Recipe) -> bool {
    let Ok(other) = world::simulate(recipe, &|_, _| {}) else { return true };
    let layers = other.grid != first.grid || digest(&other) != digest(first);
    layers || other.all_tables() != first.all_tables()
}

/// The same place on two planets of one recipe: the lattice is the world's, not the program's.
#[test]
fn a_region_made_twice_is_equal_and_of_another_seed_is_not() {
    let (a, b) = (made(&coarse_recipe(5, 32)), made(&coarse_recipe(6, 32)));
    let Topology::Globe(globe) = &a.grid else { panic!("a globe") };
    let lattice = Lattice::lon_lat(globe.radius_m(), 40_000.0);
    let window = Window { west: -80, north: 60, width: 90, height: 70 };
    let first = refined(&a, &lattice, window);
    assert!(same_bits(&first, &refined(&made(&coarse_recipe(5, 32)), &lattice, window)));
    assert!(!same_bits(&first, &refined(&b, &lattice, window)));
}
