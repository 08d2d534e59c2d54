//! Lines that are given, as cells and ridge bytes.

use grid::{Cell, Direction, Field, Grid, RidgeDirections, Topology, Vec3};

/// A line is asked for its cell this many times in the width of one.
const PER_CELL: f64 = 8.0;

/// The cells that each line runs through, in order.
pub(crate) fn courses(grid: &Topology, lines: &[Vec<Vec3>]) -> Vec<Vec<Cell>> {
    lines.iter().map(|line| course(grid, line)).collect()
}

fn course(grid: &Topology, line: &[Vec3]) -> Vec<Cell> {
    let step = grid.cell_m() / grid.metres_per_unit() / PER_CELL;
    let mut cells: Vec<Cell> = Vec::new();
    for pair in line.windows(2) {
        let steps = (pair[0].distance(pair[1]) / step).ceil().max(1.0) as usize;
        for k in 0..=steps {
            let p = pair[0].lerp(pair[1], k as f64 / steps as f64);
            let cell = grid.locate(p).filter(|c| cells.last() != Some(c));
            cells.extend(cell);
        }
    }
    cells
}

/// The bytes of ridge lines: a bit towards each next cell, and one back. Where two lines would cross over a corner, the
/// later one goes around it over a side. At sea there are none: `land` is the continental field.
pub(crate) fn ridges(grid: &Topology, land: &Field<f32>, courses: &[Vec<Cell>]) -> Field<u8> {
    let mut bits = Field::filled(grid.shape(), 0u8);
    for course in courses {
        for pair in course.windows(2).filter(|pair| pair.iter().all(|&c| land[c] > 0.0)) {
            link(grid, &mut bits, pair[0], pair[1]);
        }
    }
    bits
}

fn link(grid: &Topology, bits: &mut Field<u8>, from: Cell, to: Cell) {
    let Some((direction, _)) = grid.neighbors(from).find(|&(_, n)| n == to) else { return };
    let beside = [7, 1].map(|turn| grid.neighbor(from, direction.turned(turn)));
    if let (false, [Some(a), Some(b)]) = (direction.is_side(), beside)
        && grid.neighbors(a).any(|(d, n)| n == b && RidgeDirections::from_bits_retain(bits[a]).has(d))
    {
        set(grid, bits, from, direction.turned(7));
        if let Some((onward, _)) = grid.neighbors(a).find(|&(_, n)| n == to) {
            set(grid, bits, a, onward);
        }
        return;
    }
    set(grid, bits, from, direction);
}

fn set(grid: &Topology, bits: &mut Field<u8>, cell: Cell, direction: Direction) {
    if let Some(step) = grid.step(cell, direction) {
        bits[cell] |= RidgeDirections::from(direction).bits();
        bits[step.cell] |= RidgeDirections::from(step.back).bits();
    }
}
