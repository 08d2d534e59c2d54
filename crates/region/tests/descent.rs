//! Ways of the water: they fall, come without jumps from the place to an end, and stay in their basin.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod planet;

use grid::{Grid, Nth, Purpose, Seed, Vec3, math};
use planet::planet;
use region::descent::{Descent, Ending, Step};
use region::{Cache, Lattice, Method, Request, Sampled, refine};
use world::{CellSource, World};

fn at([lon, lat]: [f64; 2]) -> Vec3 {
    math::from_lon_lat(lon, lat)
}

/// The basin that the sample nearest to a place lies in.
fn basin(world: &World, place: [f64; 2], cache: &Cache) -> Option<u32> {
    let (lattice, window) = Lattice::around_place(&world.grid, place.into(), (30.0, 0));
    let request = Request::new(lattice, window, vec![Sampled::Basin], Method::Drainage).unwrap();
    let region = refine(world, &request.with_cache(cache), &|_| {}).unwrap();
    let value = region.layer(Sampled::Basin).unwrap()[0];
    (value >= 0.0).then_some(value as u32)
}

#[test]
fn ways_fall_and_stay_in_their_basins() {
    let world = planet();
    let cache = Cache::new(1 << 30);
    let mut draw = Seed(8).key(Purpose::new("test/region/descent")).at(Nth(0));
    let (mut ways, mut sea, mut ended, mut own, mut other) = (0, 0, 0, 0, 0);
    while ways < 40 {
        let cell = grid::Cell(draw.below(world.grid.len() as u32));
        if world.continentality[cell] <= 0.0 {
            continue;
        }
        let place: [f64; 2] = math::to_lon_lat(world.grid.within(cell, draw.unit(), draw.unit())).into();
        let Some(way) = Descent::from(&world, place, &cache).unwrap() else {
            sea += 1;
            continue;
        };
        ways += 1;
        let Descent { steps, basin: number, ends, goes_on } = &way;
        assert!(steps.windows(2).all(|w| w[1].bed_m <= w[0].bed_m && w[1].surface_m <= w[0].surface_m));
        let apart_m = |a: [f64; 2], b: [f64; 2]| world.grid.distance_m(at(a), at(b));
        // the farther away the coarser: no step is longer than a window's coarse samples are there, or a link through a lake
        let jumps = steps
            .windows(2)
            .filter(|w| apart_m(w[0].place, w[1].place) > 2_000.0 + 0.5 * apart_m(place, w[0].place));
        let jumps: Vec<_> = jumps
            .map(|w| (w[0], w[1], apart_m(w[0].place, w[1].place), apart_m(place, w[0].place)))
            .collect();
        assert!(jumps.is_empty(), "{place:?} {jumps:?}");
        assert!(ends.is_some() || goes_on.is_some(), "{place:?}");
        if let Some(Ending::ClosedLake(lake)) = *ends {
            assert_eq!(
                goes_on.and_then(|cell| world.gather(&[cell]).unwrap()[0].lake),
                Some(lake),
                "{place:?}"
            );
        } else if let Some(cell) = goes_on.filter(|_| number.is_some()) {
            assert_eq!(world.basins(&[cell]).unwrap()[0], *number, "{place:?}");
        }
        ended += usize::from(ends.is_some());
        let rivers = steps.iter().filter(|step| step.discharge_m3_s > 1.0 && step.surface_m > 2.0);
        for step in rivers.step_by(4).filter(|_| number.is_some()) {
            let is_own = |step: &Step| basin(&world, step.place, &cache) == *number;
            *(if is_own(step) { &mut own } else { &mut other }) += 1;
        }
    }
    println!(
        "{ended} of {ways} end in windows, {sea} places in the sea, {own} places in their basins and {other} not"
    );
    assert!(ended >= 5 && sea > 0 && own > 120 && other * 10 < own, "{ended} {sea} {own} {other}");
}
