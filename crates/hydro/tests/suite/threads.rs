//! The same bits with any number of threads, on a globe with land and sea.

use crate::common::fractal_globe;
use grid::{Field, Grid};
use hydro::{Flood, Flow, Lake, Links, Reach};

type Everything = (Links, Flood, Flow, Field<f64>, Field<u8>, Field<u32>, Vec<Reach>, Vec<Lake>);

fn everything() -> Everything {
    let (globe, elevation) = fractal_globe(64, 5);
    let links = Links::planar(&globe, &elevation);
    let flood = hydro::flood(&globe, &links, &elevation, |c| elevation[c] < 0.0);
    let flow = hydro::route(&globe, &links, &flood);
    let sum = hydro::accumulate(&globe, &flow, &Field::from_fn(globe.shape(), |c| globe.area_m2(c)));
    let is_stream = sum.map(|&m2| m2 > 1e12);
    let order = hydro::strahler(&globe, &flow, &is_stream);
    let reaches = hydro::reaches(&globe, &flow, &is_stream, &order);
    let lakes = hydro::lakes(&globe, &elevation, &flood, &flow, 1.0, 2);
    let basins = hydro::basins(&globe, &flow);
    (links, flood, flow, sum, order, basins, reaches, lakes)
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
        pool.install(everything)
    };
    let one = with(1);
    assert!(!one.6.is_empty() && !one.7.is_empty(), "there are rivers and lakes");
    for threads in [2, 8] {
        assert!(with(threads) == one, "{threads} threads");
    }
}
