//! Recipes: each built-in one makes the world that its name promises, and any recipe within the ranges makes a world.

use crate::support::*;
use grid::table::ColumnValues;
use grid::{Cell, Draw, Grid, Topology, Values, Vec3};
use rayon::prelude::*;
use region::Sampled;
use std::collections::BTreeSet;
use std::sync::OnceLock;
use world::climate::KOPPEN;
use world::recipe::{PRESETS, Place};
use world::{Recipe, World};

/// Cells along a side of a face, of the planets here: 208 km.
const CELLS: u32 = 48;

/// A built-in recipe with fewer cells, of these seeds: what a name promises holds whatever the seed.
fn reduced(name: &str, seed: Option<u64>) -> Recipe {
    let mut recipe = Recipe::preset(name).expect("built in");
    recipe.grid.cells = CELLS;
    recipe.seed = seed.unwrap_or(recipe.seed);
    recipe
}

/// The worlds of a recipe: with its own seed and with three others.
fn worlds(name: &str) -> &'static [World] {
    static WORLDS: OnceLock<Vec<(&'static str, Vec<World>)>> = OnceLock::new();
    let of = |name: &str| {
        let seeds = [None, Some(101), Some(102), Some(103)];
        seeds.into_par_iter().map(|seed| made(&reduced(name, seed))).collect()
    };
    let all = WORLDS.get_or_init(|| PRESETS.par_iter().map(|(name, _)| (*name, of(name))).collect());
    &all.iter().find(|w| w.0 == name).unwrap_or_else(|| panic!("{name} is not built in")).1
}

/// Share of the cells' area for which this holds, out of those for which that does.
fn share(world: &World, holds: impl Fn(Cell) -> bool, of: impl Fn(Cell) -> bool) -> f64 {
    let area = |c: Cell| world.grid.area_m2(c);
    let all: f64 = world.grid.cells().filter(|&c| of(c)).map(area).sum();
    world.grid.cells().filter(|&c| of(c) && holds(c)).map(area).sum::<f64>() / all
}

fn land_share(world: &World) -> f64 {
    share(world, |c| is_land(world, c), |_| true)
}

/// Share of the land in Koeppen classes whose names begin so.
fn koppen_share(world: &World, first: &str) -> f64 {
    let class = |c: Cell| KOPPEN[usize::from(world.koppen[c])];
    share(world, |c| class(c).starts_with(first), |c| is_land(world, c))
}

/// Share of a year's sea that is under ice.
fn sea_ice(world: &World) -> f64 {
    let sea = |c: Cell| !is_land(world, c);
    (1..=12).map(|months| share(world, |c| world.ice_months[c] >= months, sea)).sum::<f64>() / 12.0
}

fn ice_on_land(world: &World) -> f64 {
    share(world, |c| world.ice_months[c] > 0, |c| is_land(world, c))
}

fn mean_c(world: &World) -> f64 {
    let area = |c: Cell| world.grid.area_m2(c);
    let sum: f64 = world.grid.cells().map(|c| f64::from(world.temperature_c[c]) * area(c)).sum();
    sum / world.grid.cells().map(area).sum::<f64>()
}

/// Shares of the land that each landmass holds, the greatest first.
fn landmasses(world: &World) -> Vec<f64> {
    let area = |c: Cell| world.grid.area_m2(c);
    let (mut seen, mut masses) = (BTreeSet::new(), Vec::new());
    for start in world.grid.cells().filter(|&c| is_land(world, c)) {
        if !seen.insert(start) {
            continue;
        }
        let (mut edge, mut mass) = (vec![start], 0.0);
        while let Some(cell) = edge.pop() {
            mass += area(cell);
            let next = world.grid.neighbors(cell).map(|(_, n)| n).filter(|&n| is_land(world, n));
            edge.extend(next.filter(|&n| seen.insert(n)));
        }
        masses.push(mass);
    }
    let all: f64 = masses.iter().sum();
    masses.sort_by(|a, b| b.total_cmp(a));
    masses.into_iter().map(|m| m / all).collect()
}

/// The median over the worlds of a recipe.
fn median(name: &str, figure: impl Fn(&World) -> f64) -> f64 {
    let mut figures: Vec<f64> = worlds(name).iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    let half = figures.len() / 2;
    0.5 * (figures[half - 1] + figures[half])
}

#[test]
fn every_recipe_makes_a_sound_world() {
    for (name, _) in PRESETS {
        for world in worlds(name) {
            assert_sound(world);
            let (land, asked) = (land_share(world), &world.recipe.continents);
            if asked.cut_level == 0.0 {
                // waters that are cut off, and islands, add to what was asked for
                let off = land - asked.land_fraction;
                assert!((-0.005..0.02).contains(&off), "{name}: {land} of the planet is land");
            }
        }
    }
}

#[test]
fn a_supercontinent_holds_most_of_the_land() {
    let largest = |world: &World| landmasses(world)[0];
    assert!(largest(&worlds("supercontinent")[0]) > 0.7);
    let [super_, earth] = ["supercontinent", "earthlike"].map(|name| median(name, largest));
    assert!(super_ > 0.6 && super_ > earth + 0.1, "{super_} beside {earth}");
}

#[test]
fn an_archipelago_has_many_small_lands() {
    for world in worlds("archipelago") {
        let masses = landmasses(world);
        assert!(masses.len() > 35 && masses[0] < 0.25, "{masses:?}");
        assert!(masses.iter().filter(|m| **m > 0.01).count() > 10, "{masses:?}");
    }
}

#[test]
fn an_ocean_planet_has_next_to_no_land() {
    for world in worlds("ocean") {
        let (land, masses) = (land_share(world), landmasses(world));
        assert!((0.01..0.1).contains(&land) && masses.len() > 35, "{land} in {} pieces", masses.len());
    }
}

#[test]
fn a_dry_planet_is_of_deserts_and_steppes() {
    for (dry, earth) in worlds("dry").iter().zip(worlds("earthlike")) {
        let [arid, usual] = [dry, earth].map(|world| koppen_share(world, "B"));
        assert!(arid > 0.65 && arid > 1.5 * usual, "{arid} beside {usual}");
        assert!(land_share(dry) > 0.5);
    }
}

/// Seed by seed, in a glacial time, today, and without ice.
#[test]
fn ice_ages_are_icy_and_hot_houses_are_not() {
    let all = worlds("ice-age").iter().zip(worlds("earthlike")).zip(worlds("hot-house"));
    for ((cold, today), hot) in all {
        let seed = today.recipe.seed;
        assert_eq!((cold.recipe.seed, hot.recipe.seed), (seed, seed));
        let [a, b, c] = [cold, today, hot].map(mean_c);
        assert!(a < b - 4.0 && b < c - 4.0, "seed {seed}: {a}, {b}, {c} deg C");
        let [a, b, c] = [cold, today, hot].map(sea_ice);
        assert!(a > 1.5 * b && b > 0.04 && c < 0.002, "seed {seed}: {a}, {b}, {c} of the sea");
        let [a, b, c] = [cold, today, hot].map(ice_on_land);
        assert!(a > 2.0 * b && b > 0.005 && c < b, "seed {seed}: {a}, {b}, {c} of the land");
        let [a, b, c] = [cold, today, hot].map(land_share);
        assert!(a > b && b > c, "seed {seed}: {a}, {b}, {c} are land");
    }
}

#[test]
fn flat_maps_have_sea_at_all_borders() {
    for (name, least) in [("island", 0.6), ("continent", 0.6)] {
        for world in worlds(name) {
            let seed = world.recipe.seed;
            let wet = |c: Cell| !is_land(world, c) && world.surface_m(c) < 0.0;
            let border: Vec<Cell> = world.grid.cells().filter(|&c| world.grid.at_border(c)).collect();
            assert!(
                border.len() > 100 && border.into_iter().all(wet),
                "{name}, seed {seed}: land at the border"
            );
            let (land, masses) = (land_share(world), landmasses(world));
            assert!((0.08..0.5).contains(&land), "{name}, seed {seed}: {land} is land");
            assert!(masses[0] > least, "{name}, seed {seed}: {masses:?}");
        }
    }
}

#[test]
fn the_small_planet_is_the_earthlike_one_in_few_cells() {
    let [small, earth] = ["small", "earthlike"].map(|name| Recipe::preset(name).expect("built in"));
    assert!(small.grid.cells <= 64);
    let with = |recipe: &Recipe| {
        let mut recipe = Recipe { name: String::new(), ..recipe.clone() };
        recipe.grid.cells = CELLS;
        recipe
    };
    assert_eq!(with(&small), with(&earth));
}

/// Places of volcanoes with what feeds them.
fn volcanoes(world: &World) -> Vec<(Cell, String)> {
    let table = world.tables.iter().find(|t| t.name == "volcanoes").expect("worlds have volcanoes");
    let column = |name| table.f64s(name).expect("a column of volcanoes");
    let (x, y, z) = (column("x"), column("y"), column("z"));
    let kinds = table.texts("kind").expect("a column of volcanoes");
    let place = |k: usize| Vec3::new(x[k], y[k], z[k]) / world.grid.metres_per_unit();
    let at = |k: usize| world.grid.locate(place(k)).expect("volcanoes stand on the planet");
    kinds.iter().enumerate().map(|(k, kind)| (at(k), kind.clone())).collect()
}

/// Where the sea is, but for volcanoes, the greater ones stand out of it: as land, above its level, on maps too.
#[test]
fn volcanoes_make_islands() {
    let recipe = coarse_recipe(42, 96);
    let mut without = recipe.clone();
    without.volcanoes.hot_spots = 0;
    without.volcanoes.arc_height_m = 0.0;
    let (world, without) = (made(&recipe), made(&without));
    for kind in ["arc", "hot spot"] {
        let own: Vec<Cell> = volcanoes(&world).into_iter().filter(|v| v.1 == kind).map(|v| v.0).collect();
        let at_sea: Vec<Cell> = own.into_iter().filter(|&c| !is_land(&without, c)).collect();
        let islands: BTreeSet<Cell> = at_sea.iter().copied().filter(|&c| is_land(&world, c)).collect();
        assert!(islands.len() > 15, "{kind}: {} of {} are islands", islands.len(), at_sea.len());
        let mounts = at_sea.iter().filter(|&&c| !is_land(&world, c)).count();
        assert!(mounts > 15, "{kind}: some end below the sea, here {mounts}");
        for cell in islands {
            assert!(world.surface_m(cell) > 0.0 && world.koppen[cell] > 0, "{kind} at {cell:?}");
        }
    }
    let alone = |c: &Cell| is_land(&world, *c) && all_around(&world, *c, |n| n == *c || !is_land(&world, n));
    let lonely = world.grid.cells().filter(alone).count();
    assert!(lonely > 10, "{lonely} islands of one cell");
}

/// Puts a value into its place that its range allows: often what stands there, often an end of the range.
fn draw_value(path: &str, place: Place, draw: &mut Draw) {
    let kind = draw.below(6); // 0, 1: the default; 2, 3: the ends; 4, 5: anything
    match place {
        Place::Real(value, low, high) => {
            // time grows with the number of volcanoes
            let low = if path == "volcanoes.spacing_km" { 60.0 } else { low };
            match kind {
                0 | 1 => {}
                2 => *value = low,
                3 => *value = high,
                _ => *value = draw.range(low, high),
            }
        }
        Place::Count(value, low, high) => {
            // time grows with counts
            let high = if path == "grid.cells" { 24 } else { high.min(30) };
            *value = match kind {
                0 | 1 if path != "grid.cells" => *value,
                2 => low,
                3 => high,
                _ => low + draw.below(high - low + 1),
            };
        }
        Place::Word(value, words) => *value = words[draw.below(words.len() as u32) as usize].into(),
        Place::Text(_) => unreachable!("recipes of made land have no texts"),
    }
}

fn random_recipe(number: u32) -> Recipe {
    let mut draw = draws(number);
    let mut recipe = Recipe { name: format!("random {number}"), seed: draw.bits() >> 1, ..Recipe::default() };
    for slot in recipe.slots() {
        draw_value(&slot.path, slot.place, &mut draw);
    }
    recipe
}

fn is_finite(values: &Values) -> bool {
    match values {
        Values::F32(field) => field.as_slice().iter().all(|v| v.is_finite()),
        Values::F64(field) => field.as_slice().iter().all(|v| v.is_finite()),
        Values::U8(_) | Values::U16(_) | Values::U32(_) => true,
    }
}

/// What every world holds to: numbers everywhere, classes that exist, water that runs down and adds up.
fn assert_sound(world: &World) {
    let name = &world.recipe.name;
    for layer in world.layers() {
        assert!(is_finite(&layer.values), "{name}: not all of {} is a number", layer.name);
    }
    for table in world.all_tables() {
        for column in table.columns() {
            if let ColumnValues::F64(values) = &column.values {
                assert!(values.iter().all(|v| v.is_finite()), "{name}: {}.{}", table.name, column.name);
            }
        }
    }
    for cell in world.grid.cells() {
        let land = is_land(world, cell);
        let class = usize::from(world.koppen[cell]);
        assert!(class < KOPPEN.len() && (class > 0) == land, "{name}: class {class} at {cell:?}");
        assert!(world.ice_months[cell] <= 12 && world.rain_mm[cell] >= 0.0, "{name}: {cell:?}");
        // what evaporates is the rain less what runs off, which is rounded: by some 0.01 mm on small cells
        let (q, e) = (world.discharge_m3_s[cell], world.evaporation_mm[cell]);
        assert!(q >= 0.0 && e > -0.1, "{name}: {q} m3/s leave {cell:?}, {e} mm evaporate");
        let Some(below) = world.receiver_of(cell) else { continue };
        assert!(world.river_level_m[below] <= world.river_level_m[cell], "{name}: {cell:?} runs up");
        let no_less = world.drainage_km2[below] > world.drainage_km2[cell] || !is_land(world, below);
        assert!(land && no_less, "{name}: {cell:?} drains to {below:?}");
    }
}

/// A look at a random place of a world, in which every sample of the ground is a number.
fn assert_shows(world: &World, draw: &mut Draw) {
    let cell = Cell(draw.below(world.grid.len() as u32));
    let place = coordinates(world, cell);
    let lattice = metric_lattice(world, place, world.grid.cell_m() / 6.0);
    let region = refined(world, &lattice, window_around(&lattice, place, 24, 18));
    let ground = layer(&region, Sampled::Elevation);
    let off_the_map = |z: &f32| z.is_nan() && matches!(world.grid, Topology::Flat(_));
    let name = &world.recipe.name;
    assert!(ground.iter().all(|z| z.is_finite() || off_the_map(z)), "{name}: {cell:?}");
    assert!(ground.iter().any(|z| z.is_finite()), "{name}: nothing is seen around {cell:?}");
}

/// Any recipe within the ranges makes a sound world, or says why it has no grid.
#[test]
#[ignore = "slow"]
fn random_recipes_make_sound_worlds() {
    const RECIPES: u32 = 60;
    let mut made = 0;
    for number in 0..RECIPES {
        let recipe = random_recipe(number);
        assert_eq!(Recipe::parse(&recipe.to_toml()).as_ref(), Ok(&recipe), "a random recipe is a recipe");
        let Ok(world) = world::simulate(&recipe, &|_, _| {}) else {
            assert!(recipe.topology().is_err(), "{}: only grids are refused", recipe.name);
            continue;
        };
        assert_sound(&world);
        assert_shows(&world, &mut draws(RECIPES + number));
        made += 1;
    }
    assert!(made > RECIPES / 2, "only {made} of {RECIPES} are worlds");
}
