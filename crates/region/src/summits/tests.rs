use super::*;
use grid::{Flat, Projection};
use std::sync::OnceLock;
use world::{Recipe, World, simulate};

/// A planet with cells of 144 km.
pub fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let recipe = Recipe::preset("small").expect("built in");
        simulate(&recipe, &|_, _| {}).expect("sound")
    })
}

fn radius_m() -> f64 {
    world().grid.metres_per_unit()
}

/// The rough places of the highest cells.
fn rough(count: usize) -> Vec<Top> {
    let cells: Vec<Cell> = world().grid.cells().collect();
    let tops = of_cells(world(), &cells, 0.0).expect("in memory");
    spread(&world().grid, tops, 300_000.0, count)
}

/// The highest of the samples around a place, so far apart and so many to each side: its height and its place.
fn highest_sample(at: Place, spacing_m: f64, half: i64) -> (f64, Place) {
    let lattice = Lattice::around(radius_m(), at.into(), spacing_m);
    let (x, y) = lattice.project(at[0], at[1]);
    let number = |v: f64| (v / spacing_m).round() as i64;
    let side = 2 * half as usize + 1;
    let window = Window { west: number(x) - half, north: number(y) + half, width: side, height: side };
    let request = Request::new(lattice, window, vec![Sampled::Elevation], Method::Drainage).expect("small");
    let region = refine(world(), &request, &|_| {}).expect("in memory");
    let heights = region.layer(Sampled::Elevation).expect("asked for");
    let i = (0..heights.len()).max_by(|&a, &b| heights[a].total_cmp(&heights[b])).expect("a sample");
    let position = region.lattice.position_in(&window, i % side, i / side).expect("on the globe");
    (f64::from(heights[i]), place(&world().grid, position))
}

#[test]
fn a_summit_is_the_highest_place_around() {
    let cache = Cache::new(64 << 20);
    for from in rough(4) {
        let top = climb(world(), &cache, from.place, 9_000.0).expect("in memory").expect("on land");
        // the ground of the summit itself, and that of 1.4 km around it
        assert_eq!(highest_sample(top.place, SPACING_M, 0).0, top.height_m);
        assert_eq!(highest_sample(top.place, SPACING_M, HALF as i64).0, top.height_m);
        // the highest ground that coarse samples show in 9 km is not higher when it is looked at closely
        let (_, coarse) = highest_sample(top.place, COARSER * SPACING_M, HALF as i64);
        let (close_m, _) = highest_sample(coarse, SPACING_M, 12);
        assert!(close_m <= top.height_m, "{close_m} {top:?}");
        let from_rough = position_m(&world().grid, from.place).distance(position_m(&world().grid, top.place));
        assert!(from_rough > 1_000.0, "rough places are none: {from_rough}");
        let again = climb(world(), &Cache::default(), top.place, HALF * SPACING_M).expect("in memory");
        assert_eq!(again, Some(top));
    }
}

#[test]
fn a_window_has_the_same_summits_however_finely_it_is_drawn() {
    let middle = rough(1)[0].place;
    let wanted = Wanted { apart_m: 20_000.0, most: 6, relief_m: 12.0, least_share: 0.0 };
    let found = |step_deg: f64| {
        let lattice = Lattice::LonLat { radius_m: radius_m(), step_deg };
        // borders between samples: the same extent to half a sample
        let window = lattice.window(middle[0] - 0.7, middle[1] - 0.5, middle[0] + 0.7, middle[1] + 0.5);
        within(world(), &Cache::default(), (&lattice, &window), &wanted).expect("in memory")
    };
    let coarse = found(0.01);
    assert!(coarse.len() >= 3, "{coarse:?}");
    assert!(coarse.is_sorted_by(|a, b| a.height_m >= b.height_m), "{coarse:?}");
    assert_eq!(coarse, found(0.0025));
}

#[test]
#[ignore = "slow"]
fn a_globe_has_the_same_summits_in_every_projection() {
    let wanted = Wanted { apart_m: 2e6, most: 12, relief_m: 12.0, least_share: 0.35 };
    let cache = Cache::new(64 << 20);
    let found = |projection: Projection, step_m: f64| {
        let lattice = Lattice::Projected { radius_m: radius_m(), projection, step_m };
        let (half_w, half_h) = projection.half_size();
        let half = |half: f64| (half * radius_m() / step_m) as i64 + 1;
        let (w, h) = (half(half_w), half(half_h));
        let window = Window { west: -w, north: h, width: 2 * w as usize, height: 2 * h as usize };
        within(world(), &cache, (&lattice, &window), &wanted).expect("in memory")
    };
    let first = found(Projection::Mollweide { lon0_deg: 0.0 }, 60_000.0);
    assert!(first.len() > 2, "{first:?}");
    assert_eq!(first, found(Projection::EqualEarth { lon0_deg: 50.0 }, 40_000.0));
    let highest = highest(world(), &cache).expect("in memory").expect("there is land");
    assert_eq!(first[0].height_m.max(highest.height_m), highest.height_m);
    assert!(first.iter().all(|top| top.height_m >= 0.35 * first[0].height_m), "{first:?}");
}

#[test]
fn nothing_is_climbed_off_a_map() {
    let recipe = Recipe::preset("island").expect("built in");
    let island = simulate(&recipe, &|_, _| {}).expect("sound");
    let Topology::Flat(flat) = &island.grid else { panic!("an island is flat") };
    let (width, height) = Flat::extent_m(flat);
    let cache = Cache::new(64 << 20);
    let off = climb(&island, &cache, [-50_000.0, 0.5 * height], 3_000.0).expect("in memory");
    assert_eq!(off, None);
    let top = highest(&island, &cache).expect("in memory").expect("there is land");
    assert!((0.0..=width).contains(&top.place[0]) && (0.0..=height).contains(&top.place[1]), "{top:?}");
    assert!(climb(&island, &cache, [1e300, 0.0], 3_000.0).is_err());
}
