//! Hypsometric curves by counting, and of bodies whose integral is known.

use super::river;
use grid::{Cell, Field, Flat, Grid};
use hydro::network::{NOWHERE, rank_basins};
use hydro::statistics::{Hypsometry, elevation_relief_ratios};

#[test]
fn curves_count_what_lies_higher_and_the_integral_is_the_mean() {
    let mut curves = 0;
    for number in 0..2000 {
        let mut river = river(number);
        let (grid, z) = (&river.grid, &river.elevation);
        let (numbers, ends) = rank_basins(grid, &river.flow, &river.area);
        let basin = numbers.map(|&n| n.checked_sub(1).unwrap_or(NOWHERE));
        let ratios = elevation_relief_ratios(grid, z, &basin, ends.len());
        for (index, ratio) in ratios.iter().enumerate() {
            let cells: Vec<Cell> = grid.cells().filter(|&c| basin[c] == index as u32).collect();
            let known: Vec<Cell> = cells.iter().copied().filter(|&c| !z[c].is_nan()).collect();
            let curve = Hypsometry::of(grid, z, cells.iter().rev().copied());
            let height = |c: &Cell| f64::from(z[*c]);
            let low = known.iter().map(height).fold(f64::INFINITY, f64::min);
            let high = known.iter().map(height).fold(f64::NEG_INFINITY, f64::max);
            assert_eq!(curve.is_some(), high > low, "river {number}");
            assert_eq!(ratio.is_some(), high > low, "river {number}");
            let (Some(curve), Some(ratio)) = (curve, ratio) else { continue };
            let area = |cells: &mut dyn Iterator<Item = &Cell>| cells.map(|&c| grid.area_m2(c)).sum::<f64>();
            let all_m2 = area(&mut known.iter());
            for _ in 0..4 {
                let y = river.draw.range(-0.1, 1.1);
                let level = low + y * (high - low);
                let expected = area(&mut known.iter().filter(|c| height(c) >= level)) / all_m2;
                assert!((curve.share_above(y) - expected).abs() < 1e-12, "river {number}");
            }
            let mean = known.iter().map(|c| height(c) * grid.area_m2(*c)).sum::<f64>() / all_m2;
            let expected = (mean - low) / (high - low);
            assert!((curve.integral() - expected).abs() < 1e-9, "river {number}: {}", curve.integral());
            assert!((ratio - expected).abs() < 1e-9, "river {number}: {ratio}");
            curves += 1;
        }
    }
    assert!(curves > 3000, "only {curves} curves");
}

/// A plane has 1/2, a cone over its circle 1/3, a bowl 1 - r^2 turned over 1/2.
#[test]
fn bodies_have_the_integrals_of_geometry() {
    let map = Flat::new(801, 801, 1.0).expect("in range");
    let radius = |c: Cell| {
        let (_, row, col) = map.shape().split(c);
        let (dy, dx) = (f64::from(row) - 400.0, f64::from(col) - 400.0);
        (dx * dx + dy * dy).sqrt() / 400.0
    };
    let round: Vec<Cell> = map.cells().filter(|&c| radius(c) <= 1.0).collect();
    let body = |height: &(dyn Fn(f64) -> f64 + Sync)| {
        let z = Field::from_fn(map.shape(), |c| height(radius(c)) as f32);
        Hypsometry::of(&map, &z, round.iter().copied()).expect("not flat").integral()
    };
    assert!((body(&|r| 1.0 - r) - 1.0 / 3.0).abs() < 2e-3);
    assert!((body(&|r| 1.0 - r * r) - 0.5).abs() < 2e-3);
    assert!((body(&|r| r) - 2.0 / 3.0).abs() < 2e-3);
    let slope = Field::from_fn(map.shape(), |c| map.shape().split(c).1 as f32);
    let plane = Hypsometry::of(&map, &slope, map.cells()).expect("not flat");
    assert!((plane.integral() - 0.5).abs() < 1e-12);
    assert!((plane.share_above(0.25) - 601.0 / 801.0).abs() < 1e-12);
    assert!(Hypsometry::of(&map, &Field::filled(map.shape(), 5.0), map.cells()).is_none());
}

/// Half the area at 0 and -0, half at 10: the curve has two heights, the integral is 1/2.
#[test]
fn zero_is_one_level() {
    let map = Flat::new(4, 1, 1.0).expect("in range");
    let z = Field::from_vec(map.shape(), vec![0.0, 10.0, -0.0, 10.0]).expect("four");
    let curve = Hypsometry::of(&map, &z, map.cells()).expect("two heights");
    assert_eq!(
        (curve.height_m.as_slice(), curve.area_above_m2.as_slice()),
        (&[0.0, 10.0][..], &[4.0, 2.0][..])
    );
    assert_eq!((curve.integral(), curve.share_above(0.5), curve.share_above(0.0)), (0.5, 0.5, 1.0));
}
