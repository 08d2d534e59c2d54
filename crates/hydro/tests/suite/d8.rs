//! The steepest descent against its definition, on every kind of grid and with heights that single precision
//! cannot tell apart.

use crate::common::any_grid;
use crate::raster::Raster;
use grid::{Cell, Draw, Field, Flat, Grid, Nth, Purpose, Seed};
use hydro::{Links, NONE};

fn definition(grid: &impl Grid, links: &Links, z: &Field<f32>, cell: Cell) -> u8 {
    let (_, row, _) = grid.shape().split(cell);
    let straight = |n| f64::from((grid.center(cell) - grid.center(n)).length_squared().sqrt() as f32);
    let (mut best, mut steepest) = (NONE, 0.0);
    for (d, n) in links.neighbors(grid, cell).filter(|(_, n)| z[*n] < z[cell]) {
        let distance = grid.row_spacing_m(row).map_or_else(|| straight(n), |spacing| spacing[d.index()]);
        let slope = (f64::from(z[cell]) - f64::from(z[n])) / distance;
        if slope > steepest {
            (best, steepest) = (d as u8, slope);
        }
    }
    best
}

/// Heights of few values, or of such as are hard to tell apart.
fn any_surface(grid: &impl Grid, draw: &mut Draw) -> Field<f32> {
    const ODD: [f32; 14] = [
        0.0,
        -0.0,
        1e-45,
        -1e-45,
        1e-38,
        -3e-39,
        1e-20,
        500.0,
        3e38,
        -3e38,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MIN_POSITIVE,
    ];
    let (kind, few) = (draw.below(6), 1 + draw.below(6));
    let middle = draw.range(-100.0, 100.0) as f32;
    let step = draw.range(1e-3, 1.0) as f32;
    let near = |z: f32, draw: &mut Draw| f32::from_bits(z.to_bits() + draw.below(5));
    let mut height = |_| match kind {
        0 => draw.below(few) as f32,
        1 => draw.range(-100.0, 100.0) as f32,
        2 => ODD[draw.below(14) as usize],
        // Neighbouring floats: differences of a few last bits.
        3 => near(middle, draw),
        // About as steep to a side as to a corner.
        4 => {
            -near(if draw.below(2) == 0 { step } else { step * std::f32::consts::SQRT_2 }, draw)
                * (draw.below(3) as f32)
        }
        _ => ODD[draw.below(14) as usize] + near(middle, draw),
    };
    Field::from_vec(grid.shape(), grid.cells().map(&mut height).collect()).expect("one for each cell")
}

fn check(grid: &impl Grid, draw: &mut Draw, what: &str) {
    let z = any_surface(grid, draw);
    let links = if draw.below(3) > 0 { Links::all(grid) } else { Links::planar(grid, &z) };
    let ours = hydro::d8(grid, &links, &z);
    for cell in grid.cells() {
        assert_eq!(ours[cell], definition(grid, &links, &z, cell), "{what}, {cell:?} of {:?}", grid.shape());
    }
}

const D8: Purpose = Purpose::new("hydro/tests/d8");

#[test]
fn it_is_the_definition_on_small_grids() {
    for number in 0..6000 {
        let mut draw = Seed(11).key(D8).at(Nth(number));
        check(&any_grid(&mut draw), &mut draw, &format!("case {number}"));
    }
}

#[test]
fn it_is_the_definition_on_wide_rows() {
    for number in 0..1500 {
        let mut draw = Seed(12).key(D8).at(Nth(number));
        let (cols, rows) = (1 + draw.below(600), 3 + draw.below(2));
        let what = format!("case {number}");
        if number % 2 == 0 {
            check(&Flat::new(cols, rows, draw.range(0.1, 50.0)).expect("in range"), &mut draw, &what);
        } else {
            check(&Raster::any(cols, rows, &mut draw), &mut draw, &what);
        }
    }
}

#[test]
fn it_is_the_definition_where_rows_have_spacings_of_their_own() {
    for number in 0..4000 {
        let mut draw = Seed(13).key(D8).at(Nth(number));
        let (cols, rows) = (1 + draw.below(9), 1 + draw.below(9));
        check(&Raster::any(cols, rows, &mut draw), &mut draw, &format!("case {number}"));
    }
}

/// Two neighbours about as steep, to the last bits of single precision, all others higher.
fn check_rivals(grid: &impl Grid, draw: &mut Draw) -> u8 {
    let middle = Cell(4);
    let around: Vec<_> = grid.neighbors(middle).collect();
    let (one, other) = (around[draw.below(8) as usize], around[draw.below(8) as usize]);
    let spacing_m = grid.row_spacing_m(1).expect("rows have spacings");
    let drop = draw.range(1.0, 4.0);
    let z = (drop * draw.range(0.0, 2.0)) as f32;
    let low = (f64::from(z) - drop) as f32;
    let ratio = spacing_m[other.0.index()] / spacing_m[one.0.index()];
    let rival = (f64::from(z) - (f64::from(z) - f64::from(low)) * ratio) as f32;
    let mut heights = Field::filled(grid.shape(), 1e30);
    (heights[middle], heights[one.1]) = (z, low);
    heights[other.1] = f32::from_bits(rival.to_bits() + draw.below(3));
    let links = Links::all(grid);
    let expected = definition(grid, &links, &heights, middle);
    assert_eq!(hydro::d8(grid, &links, &heights)[middle], expected, "{heights:?}");
    if expected == one.0 as u8 { 0 } else { 1 }
}

#[test]
fn double_precision_decides_what_single_precision_cannot() {
    let mut seen = [0, 0];
    for number in 0..20_000 {
        let mut draw = Seed(14).key(D8).at(Nth(number));
        let which = if number % 2 == 0 {
            check_rivals(&Flat::new(3, 3, draw.range(0.1, 50.0)).expect("in range"), &mut draw)
        } else {
            // A border on all sides: a ring of three columns has its neighbours twice.
            check_rivals(&Raster::open(3, 3, &mut draw), &mut draw)
        };
        seen[usize::from(which)] += 1;
    }
    assert!(seen.iter().all(|&n| n > 3000), "{seen:?}");
}
