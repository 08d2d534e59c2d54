//! Chi by sums along the way, and on rivers whose answer is known.

use super::{drawn, river};
use grid::{Cell, Direction, Field, Flat, Grid, math};
use hydro::network::{Chi, steepness};
use hydro::{Flow, NONE, reaches, strahler};

#[test]
fn chi_is_the_sum_of_trapezoids_up_from_the_mouth() {
    for number in 0..1500 {
        let mut river = river(number);
        let chi = Chi { reference_m2: river.draw.range(0.5, 50.0), concavity: river.draw.range(0.0, 1.0) };
        let found = chi.of(&river.grid, &river.flow, &river.area, &river.is_stream);
        let counts = |c: &Cell| river.is_stream[*c] && river.area[*c] > 0.0;
        let rate = |c: Cell| math::pow(chi.reference_m2 / river.area[c], chi.concavity);
        for c in river.grid.cells() {
            if !counts(&c) {
                assert!(found[c].is_nan(), "river {number}, {c:?}");
                continue;
            }
            let way: Vec<Cell> = river.down(c).into_iter().take_while(counts).collect();
            let sum: f64 =
                way.windows(2).map(|w| river.step_m(w[0], w[1]) * (rate(w[0]) + rate(w[1])) / 2.0).sum();
            assert!((found[c] - sum).abs() <= 1e-9 * sum.max(1.0), "river {number}, {c:?}");
        }
    }
}

/// A river of n steps of 10 m, straight to the south.
fn straight(cells: u32) -> (Flat, Flow) {
    let map = Flat::new(1, cells, 10.0).expect("in range");
    let south = |c: Cell| if map.neighbor(c, Direction::S).is_some() { Direction::S as u8 } else { NONE };
    let receiver = Field::from_fn(map.shape(), south);
    let flow = Flow::from_receivers(&map, receiver).expect("no circles");
    (map, flow)
}

/// Where all areas are A0 chi is the distance; where A = k x^h, x from the divide, it is the integral of (A0/A)^theta:
/// (A0 / k)^theta (L^q - x^q) / q with q = 1 - h theta.
#[test]
fn chi_of_hacks_river_is_its_integral() {
    let (map, flow) = straight(3000);
    let everywhere = Field::filled(map.shape(), true);
    let chi = Chi { reference_m2: 1e4, concavity: 0.45 };
    let even = chi.of(&map, &flow, &Field::filled(map.shape(), 1e4), &everywhere);
    assert_eq!((even[Cell(2999)], even[Cell(0)]), (0.0, 29_990.0));
    let (k, h): (f64, f64) = (6.0, 1.7);
    let from_divide_m = |c: Cell| f64::from(c.0 + 1) * 10.0;
    let area = Field::from_fn(map.shape(), |c| k * math::pow(from_divide_m(c), h));
    let found = chi.of(&map, &flow, &area, &everywhere);
    let q = 1.0 - h * chi.concavity;
    for c in map.cells().filter(|c| c.0 >= 20) {
        let powers = math::pow(30_000.0, q) - math::pow(from_divide_m(c), q);
        let integral = math::pow(chi.reference_m2 / k, chi.concavity) * powers / q;
        assert!((found[c] - integral).abs() <= 1e-3 * integral.max(1.0), "{c:?}: {} {integral}", found[c]);
    }
}

/// A river in balance, S = ks A^-theta, has its steepness found reach by reach, whatever the reference.
#[test]
fn the_steepness_of_a_river_in_balance_is_found() {
    let river = drawn(&[
        "v.v..v", //
        "v.v..v", "cvv..v", ".cvv<<", "..vv..", "..>v..", "...v..", "...o..",
    ]);
    let (grid, flow, is_stream) = (&river.grid, &river.flow, &river.is_stream);
    let area = river.area.map(|a| a * 1e6);
    let order = strahler(grid, flow, is_stream);
    let reaches = reaches(grid, flow, is_stream, &order);
    for (ks, theta, reference_m2) in [(80.0, 0.45, 1.0), (3.0, 0.3, 1e6), (500.0, 0.6, 2.5e7)] {
        let chi = Chi { reference_m2, concavity: theta };
        let level = Chi { reference_m2: 1.0, concavity: theta }.of(grid, flow, &area, is_stream);
        let level = level.map(|x| (ks * x) as f32);
        let found = chi.of(grid, flow, &area, is_stream);
        let mut reached = 0;
        for index in 0..reaches.len() {
            if let Some(law) = steepness(&reaches, index, &level, &found) {
                let steepness = chi.steepness_of(law.exponent);
                assert!((steepness - ks).abs() <= 1e-3 * ks, "{ks} {theta}: {steepness}");
                reached += 1;
            }
        }
        assert_eq!(reached, reaches.len());
    }
}
