//! Windows of worlds for statistics: where they lie, that they stay there, and what they are held against.

use grid::{Cell, Grid, Topology, math};
use region::survey::{
    Country, Heights, Place, RiverMatch, Routing, Survey, Surveyed, WINDOW_SIDE_M, Water, beside_earth,
    median, places, refined,
};
use region::{Lattice, Method};
use std::sync::OnceLock;
use world::score::{Reading, earth};
use world::{NO_LAKE, Recipe, World, simulate};

fn made(preset: &str, cells: u32) -> World {
    let mut recipe = Recipe::preset(preset).expect("built in");
    recipe.grid.cells = cells;
    simulate(&recipe, &|_, _| {}).expect("the recipe is sound")
}

/// Cells of 36 km: a window touches more than its own.
fn globe() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| made("earthlike", 256))
}

fn isle() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| made("island", 96))
}

/// The samples of a window, some of them, as cells.
fn cells_under(world: &World, place: &Place) -> Vec<Cell> {
    let step = place.window.width / 16;
    let at = |i: usize| (i * step).min(place.window.width - 1);
    let sample =
        |(c, r)| place.lattice.position_in(&place.window, at(c), at(r)).expect("a window lies in the world");
    let samples = (0..=16).flat_map(|r| (0..=16).map(move |c| (c, r)));
    samples.map(|s| world.grid.locate(sample(s)).expect("a window lies in the world")).collect()
}

#[test]
fn windows_lie_wholly_in_their_country() {
    for world in [globe(), isle()] {
        let all = places(world, 4, 90.0);
        for place in &all {
            assert_eq!((place.window.width, place.window.height), (512, 512));
            for cell in cells_under(world, place) {
                let mountains_m = world.mountain_height_m[cell];
                let fits = match place.country {
                    Country::Range => mountains_m >= 700.0,
                    Country::Hills => (100.0..=500.0).contains(&mountains_m),
                    Country::Plain => mountains_m <= 10.0,
                };
                assert!(fits && world.continentality[cell] > 0.0 && world.lake[cell] == NO_LAKE, "{place:?}");
            }
        }
    }
}

#[test]
fn there_are_enough_and_they_are_far_apart() {
    let all = places(globe(), 4, 90.0);
    for country in Country::ALL {
        let of: Vec<&Place> = all.iter().filter(|p| p.country == country).collect();
        assert_eq!(of.len(), 4, "{country:?}");
        for (i, a) in of.iter().enumerate() {
            for b in &of[..i] {
                let apart_m = globe().grid.cell_distance_m(a.cell, b.cell);
                assert!(apart_m > 600_000.0, "{country:?}: {apart_m}");
            }
        }
    }
    // neither the resolution nor how many there are moves the first ones
    let fewer = places(globe(), 2, 180.0);
    let cells = |places: &[Place], country| -> Vec<Cell> {
        places.iter().filter(|p| p.country == country).map(|p| p.cell).collect()
    };
    for country in Country::ALL {
        assert_eq!(cells(&fewer, country), cells(&all, country)[..2]);
    }
    assert_eq!(fewer[0].window.width, 256);
}

#[test]
fn the_middle_of_a_window_is_its_cell() {
    for place in places(globe(), 4, 90.0) {
        let window = place.window;
        let p =
            place.lattice.position_in(&window, window.width / 2, window.height / 2).expect("on the globe");
        let grid = &globe().grid;
        assert!(grid.distance_m(p, grid.center(place.cell)) < 130.0, "{place:?}");
        assert!(math::angle(p, math::from_lon_lat(place.middle.0, place.middle.1)) < 1e-4);
    }
}

/// Directions count from the row of cells under the window, seen on the window's own plane.
#[test]
fn the_axis_is_that_of_the_cells() {
    for place in places(globe(), 4, 90.0) {
        let Topology::Globe(grid) = &globe().grid else { unreachable!("a globe") };
        let on_plane = |cell| {
            let (lon, lat) = math::to_lon_lat(grid.center(cell));
            place.lattice.project(lon, lat)
        };
        let east = grid.neighbor(place.cell, grid::Direction::E).expect("a globe has no border");
        let (a, b) = (on_plane(place.cell), on_plane(east));
        let expected = region::survey::Axis::along(b.0 - a.0, b.1 - a.1);
        let both = region::survey::of_lines([&[(0.0, 0.0), (b.0 - a.0, b.1 - a.1)][..]], place.axis);
        let near = region::survey::of_lines([&[(0.0, 0.0), (b.0 - a.0, b.1 - a.1)][..]], expected);
        assert_eq!(both.sectors, near.sectors, "{place:?}");
    }
    for place in places(isle(), 4, 90.0) {
        assert_eq!(place.axis, region::survey::Axis::EAST);
        assert!(matches!(place.lattice, Lattice::Plane { .. }));
    }
}

fn surveyed() -> &'static [Surveyed] {
    static WINDOWS: OnceLock<Vec<Surveyed>> = OnceLock::new();
    WINDOWS.get_or_init(|| {
        let places = places(globe(), 2, 360.0);
        refined(globe(), &places, Method::Classic, &|share| assert!(share <= 1.0)).expect("a world in memory")
    })
}

#[test]
fn windows_are_told_in_the_order_asked() {
    let countries: Vec<Country> = surveyed().iter().map(|w| w.place.country).collect();
    let twice = |c| [c, c];
    assert_eq!(countries, Country::ALL.map(twice).concat());
    let slope = |w: &Surveyed| w.survey.slopes.mean_deg;
    assert!(slope(&surveyed()[0]) > 2.0 * slope(&surveyed()[5]), "a range is steeper than a plain");
    assert_eq!(WINDOW_SIDE_M, 128.0 * 360.0);
}

#[test]
fn mountains_are_judged_in_ranges_and_rivers_everywhere() {
    let windows = surveyed();
    let judged = beside_earth(windows);
    let find = |name: &str| judged.iter().find(|j| j.measured.figure.name == name).expect("a figure");
    let slopes: Vec<f64> = windows.iter().map(|w| w.survey.slopes.mean_deg).collect();
    let slope = find("slope_mean_deg");
    assert_eq!(slope.values, slopes.iter().map(|&s| Some(s)).collect::<Vec<_>>());
    assert_eq!(slope.measured.reading, Reading::Value(0.5 * (slopes[0] + slopes[1])));
    assert_eq!(slope.by_country[2], Some(0.5 * (slopes[4] + slopes[5])));
    let density = find("drainage_density_km_per_km2");
    let all = windows.iter().map(|w| w.survey.networks.drainage_density_km_per_km2);
    assert_eq!(density.measured.reading, median(all).map(Reading::Value).expect("six"));
    // a world without ranges has nothing to judge mountains by
    let low = beside_earth(&windows[2..]);
    assert!(
        matches!(low[0].measured.reading, Reading::NotHere(_)) && low[7].measured.reading.value().is_some()
    );
}

/// All of the section of mountains, and of the rivers what a window has.
#[test]
fn the_figures_are_those_of_the_file() {
    let judged: Vec<String> = beside_earth(&[]).into_iter().map(|j| j.measured.figure.name).collect();
    let of_worlds =
        ["largest_discharge_m3_s", "longest_km", "width_vs_discharge", "sinuosity_median"].map(String::from);
    let mut all = [judged, of_worlds.to_vec()].concat();
    let mut figures: Vec<String> = earth::regional().into_iter().map(|f| f.name).collect();
    all.sort();
    figures.sort();
    assert_eq!(all, figures);
}

/// The same windows, one after the other and with several threads, have the same statistics to the bit.
#[test]
fn threads_do_not_matter() {
    let places = places(globe(), 1, 360.0);
    let run = |threads| -> Vec<Survey> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let all = pool.install(|| refined(globe(), &places, Method::Classic, &|_| {}));
        all.expect("a world in memory").into_iter().map(|s| s.survey).collect()
    };
    assert_eq!(run(1), run(5));
}

/// One valley down the middle of a window: a river drawn two columns beside it is found, one three beside it is not.
#[test]
fn rivers_are_found_where_water_runs() {
    let side = 401usize;
    let height = |i: usize| (i % side).abs_diff(200) as f32 * 50.0 + (side - i / side) as f32;
    let heights = Heights::new((0..side * side).map(height).collect(), side, 30.0).expect("finite");
    let water = Water::of(&heights, Routing::Steepest);
    let drawn = |column: usize| (0..side * side).map(|i| f32::from(i % side == column)).collect::<Vec<_>>();
    let found = |column| RiverMatch::of(&heights, &water, &drawn(column));
    assert_eq!(found(200), RiverMatch { drawn_found: Some(1.0), channels_drawn: Some(1.0) });
    assert_eq!(found(202), RiverMatch { drawn_found: Some(1.0), channels_drawn: Some(1.0) });
    assert_eq!(found(203), RiverMatch { drawn_found: Some(0.0), channels_drawn: Some(0.0) });
    // in the border nothing is looked for
    assert_eq!(found(55), RiverMatch { drawn_found: None, channels_drawn: Some(0.0) });
}
