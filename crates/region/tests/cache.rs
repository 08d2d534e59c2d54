//! A cache saves time and changes no bit, whatever was asked before and however little it may keep.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod planet;

use grid::{Draw, Grid, Nth, Purpose, Seed, math};
use planet::planet;
use region::{Cache, Lattice, Method, Request, Sampled, VectorLayer, Window, refine, vectors};
use std::sync::atomic::{AtomicUsize, Ordering};
use world::World;

/// A window beside a place: requests of one place overlap, at one of three spacings, of which two show the same level.
fn request(world: &World, place: (f64, f64), draw: &mut Draw) -> Request {
    let spacing_m = [600.0, 80.0, 70.0][draw.below(3) as usize];
    let lattice = Lattice::around(world.grid.metres_per_unit(), place, spacing_m);
    let (x, y) = lattice.project(place.0, place.1);
    let mut at = |x: f64| (x / lattice.step()) as i64 + i64::from(draw.below(60));
    let (west, north) = (at(x), at(y));
    let (width, height) = (20 + draw.below(60) as usize, 20 + draw.below(60) as usize);
    let layers = vec![Sampled::Elevation, Sampled::Discharge, Sampled::Basin, Sampled::FlowDirection];
    Request::new(lattice, Window { west, north, width, height }, layers, Method::Drainage).unwrap()
}

/// All values and lines of a request, in words.
fn answer(world: &World, request: &Request) -> String {
    let region = refine(world, request, &|_| {}).unwrap();
    let bits: Vec<Vec<u32>> = region.layers().map(|(_, v)| v.iter().map(|v| v.to_bits()).collect()).collect();
    let drawn = vectors(world, (request, None), &region, &[VectorLayer::Rivers]).unwrap();
    format!("{bits:?} {:?}", drawn.rivers)
}

#[test]
fn caches_change_nothing() {
    let world = planet();
    let mut draw = Seed(3).key(Purpose::new("test/region/cache")).at(Nth(0));
    // one that keeps all, one that drops about half of it between two requests, and one that keeps nothing
    let caches = [1 << 30, 1 << 20, 0].map(Cache::new);
    let (mut rivers, mut dropped) = (0, 0);
    for number in 0..8 {
        let cell = world.grid.cells().filter(|c| world.continentality[*c] > 0.0).nth(number * 137).unwrap();
        let place = math::to_lon_lat(world.grid.center(cell));
        for _ in 0..4 {
            let request = request(&world, place, &mut draw);
            let alone = answer(&world, &request);
            for cache in &caches {
                assert!(answer(&world, &request.clone().with_cache(cache)) == alone, "{place:?}");
            }
            rivers += usize::from(alone.contains("discharge_m3_s"));
            dropped += usize::from(caches[1].bytes() * 2 < caches[0].bytes());
        }
    }
    assert!(rivers > 12 && dropped > 20, "{rivers} with rivers, {dropped} with something dropped");
}

/// What one request drops another one may be about to read.
#[test]
fn requests_at_once_change_nothing() {
    let world = planet();
    let mut draw = Seed(4).key(Purpose::new("test/region/cache")).at(Nth(1));
    let cell = world.grid.cells().filter(|c| world.continentality[*c] > 0.0).nth(411).unwrap();
    let place = math::to_lon_lat(world.grid.center(cell));
    let requests: Vec<Request> = (0..24).map(|_| request(&world, place, &mut draw)).collect();
    let alone: Vec<String> = requests.iter().map(|request| answer(&world, request)).collect();
    let cache = Cache::new(0);
    let next = AtomicUsize::new(0);
    // threads of their own: a request that waits for another's work would run it in between, not beside
    let work = || {
        while let Some(k) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|k| *k < 3 * requests.len()) {
            let k = k % requests.len();
            assert!(answer(&world, &requests[k].clone().with_cache(&cache)) == alone[k], "{k}");
        }
    };
    std::thread::scope(|scope| (0..8).for_each(|_| _ = scope.spawn(work)));
}
