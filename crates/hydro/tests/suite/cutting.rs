//! Ground for rasters cut into bands and tiles, and the results of the whole, each by its definition.

use grid::{Cell, Direction, Draw, Field, Flat, Grid, Key, Shape, Step, Vec3, Vertex};
use hydro::NONE;

/// A flat map whose cells grow from row to row, as those of a longitude/latitude raster do.
#[derive(Clone)]
pub struct Widening {
    pub flat: Flat,
    pub wraps: bool,
}

impl Widening {
    fn width_m(&self, row: u32) -> f64 {
        // Areas are whole numbers and halves, so that sums of them are exact in any order.
        1.0 + f64::from(row % 7) * 0.5
    }
}

impl Grid for Widening {
    fn shape(&self) -> Shape {
        self.flat.shape()
    }
    fn step(&self, cell: Cell, direction: Direction) -> Option<Step> {
        let shape = self.shape();
        let (_, row, col) = shape.split(cell);
        if self.wraps && direction == Direction::W && col == 0 {
            return Some(Step { cell: shape.join(0, row, shape.cols - 1), back: Direction::E });
        }
        self.flat.step(cell, direction)
    }
    fn vertex(&self, cell: Cell, corner: Direction) -> Option<Vertex> {
        self.flat.vertex(cell, corner)
    }
    fn vertex_position(&self, vertex: Vertex) -> Vec3 {
        self.flat.vertex_position(vertex)
    }
    fn center(&self, cell: Cell) -> Vec3 {
        self.flat.center(cell)
    }
    fn locate(&self, position: Vec3) -> Option<Cell> {
        self.flat.locate(position)
    }
    fn within(&self, cell: Cell, along: f64, down: f64) -> Vec3 {
        self.flat.within(cell, along, down)
    }
    fn area_m2(&self, cell: Cell) -> f64 {
        let (_, row, _) = self.shape().split(cell);
        2.0 * self.width_m(row)
    }
    fn distance_m(&self, a: Vec3, b: Vec3) -> f64 {
        self.flat.distance_m(a, b)
    }
    fn metres_per_unit(&self) -> f64 {
        1.0
    }
    fn cell_m(&self) -> f64 {
        2.0
    }
    fn row_spacing_m(&self, row: u32) -> Option<[f64; 8]> {
        let diagonal = |other: u32| {
            let width_m = (self.width_m(row) + self.width_m(other)) / 2.0;
            (4.0 + width_m * width_m).sqrt()
        };
        let (up, down, side) = (diagonal(row.wrapping_sub(1)), diagonal(row + 1), self.width_m(row));
        Some([2.0, up, side, down, 2.0, down, side, up])
    }
}

/// The results of the whole raster, each by its definition.
pub struct Obvious {
    pub outlet: Vec<bool>,
    pub filled: Vec<f32>,
    pub flat: Vec<bool>,
    pub receiver: Vec<u8>,
}

pub fn around<G: Grid>(grid: &G, cell: usize) -> Vec<(u8, usize)> {
    grid.neighbors(Cell(cell as u32)).map(|(d, n)| (d as u8, n.index())).collect()
}

impl Obvious {
    pub fn of<G: Grid>(grid: &G, z: &[f32]) -> Self {
        let cells = 0..z.len();
        let near: Vec<Vec<(u8, usize)>> = cells.clone().map(|c| around(grid, c)).collect();
        let outlet: Vec<bool> = cells
            .clone()
            .map(|c| !z[c].is_nan() && (near[c].len() < 8 || near[c].iter().any(|&(_, n)| z[n].is_nan())))
            .collect();
        let filled = fill(z, &near, &outlet);
        let spacing = |c: usize| grid.row_spacing_m(c as u32 / grid.shape().cols).expect("it has");
        let d8: Vec<u8> = cells.clone().map(|c| steepest(&filled, &near[c], c, spacing(c))).collect();
        let flat: Vec<bool> = cells.map(|c| !z[c].is_nan() && !outlet[c] && d8[c] == NONE).collect();
        let receiver = cross(&filled, &near, &flat, &d8);
        Self { outlet, filled, flat, receiver }
    }
}

fn fill(z: &[f32], near: &[Vec<(u8, usize)>], outlet: &[bool]) -> Vec<f32> {
    let start = |c: usize| if z[c].is_nan() || outlet[c] { z[c] } else { f32::INFINITY };
    let mut filled: Vec<f32> = (0..z.len()).map(start).collect();
    let mut changes = true;
    while changes {
        changes = false;
        for c in (0..z.len()).filter(|&c| !z[c].is_nan() && !outlet[c]) {
            let least = near[c].iter().map(|&(_, n)| filled[n]).fold(f32::INFINITY, f32::min);
            let level = if least > z[c] { least } else { z[c] };
            if level != filled[c] {
                filled[c] = level;
                changes = true;
            }
        }
    }
    filled
}

fn steepest(z: &[f32], near: &[(u8, usize)], c: usize, spacing_m: [f64; 8]) -> u8 {
    let (mut best, mut best_slope) = (NONE, 0.0);
    for &(d, n) in near {
        let slope = (f64::from(z[c]) - f64::from(z[n])) / spacing_m[usize::from(d)];
        if slope > best_slope {
            (best, best_slope) = (d, slope);
        }
    }
    best
}

/// Steps through flats of one level to cells that have 1 to begin with; 0 where there is no way.
fn steps(z: &[f32], near: &[Vec<(u8, usize)>], flat: &[bool], first: impl Fn(usize) -> bool) -> Vec<i64> {
    let mut steps: Vec<i64> = (0..z.len()).map(|c| i64::from(flat[c] && first(c))).collect();
    for distance in 2.. {
        let reached = |c: usize| near[c].iter().any(|&(_, n)| z[n] == z[c] && steps[n] == distance - 1);
        let next: Vec<usize> = (0..z.len()).filter(|&c| flat[c] && steps[c] == 0 && reached(c)).collect();
        if next.is_empty() {
            return steps;
        }
        next.into_iter().for_each(|c| steps[c] = distance);
    }
    unreachable!("the loop has no end")
}

fn cross(z: &[f32], near: &[Vec<(u8, usize)>], flat: &[bool], d8: &[u8]) -> Vec<u8> {
    let toward = steps(z, near, flat, |c| near[c].iter().any(|&(_, n)| z[n] == z[c] && !flat[n]));
    let away = steps(z, near, flat, |c| near[c].iter().any(|&(_, n)| z[n] > z[c]));
    let receiver = |c: usize| {
        if !flat[c] {
            return d8[c];
        }
        let mut level: Vec<(i64, u8, u8)> = near[c]
            .iter()
            .filter(|&&(_, n)| z[n] == z[c])
            .map(|&(d, n)| (if flat[n] { 2 * toward[n] - away[n] } else { i64::MIN }, d % 2, d))
            .collect();
        level.sort_unstable();
        level[0].2
    };
    (0..z.len()).map(receiver).collect()
}

/// Heights of one of several kinds: all different, few steps, walls with gaps, a valley winding across joints.
pub fn heights(draw: &mut Draw, cols: u32, rows: u32) -> Vec<f32> {
    let kind = draw.below(6);
    let steps = 1 + draw.below(4);
    let gaps = if draw.below(3) == 0 { draw.range(0.0, 0.3) } else { 0.0 };
    let falls = draw.below(2) == 0;
    let mut z = Vec::new();
    for row in 0..rows {
        for col in 0..cols {
            let step = draw.below(steps) as f32 - 1.0;
            let step = if step == 0.0 && draw.below(2) == 0 { -0.0 } else { step };
            let height = match kind {
                0 => draw.range(-100.0, 100.0) as f32,
                1 => step,
                // A plain in a frame, with a few lower and higher cells.
                2 => {
                    if draw.below(9) == 0 {
                        step
                    } else {
                        0.0
                    }
                }
                // Walls with gaps: water must go round.
                3 => {
                    if draw.below(3) == 0 {
                        9.0
                    } else {
                        step.abs()
                    }
                }
                4 => winding(row, col, rows, falls),
                _ => winding(col, row, cols, falls),
            };
            z.push(if draw.unit() < gaps { f32::NAN } else { height });
        }
    }
    z
}

/// The floor of a valley that goes up and down between walls, level or falling.
fn winding(along: u32, across: u32, length: u32, falls: bool) -> f32 {
    let lane = across / 2;
    let turn = if lane.is_multiple_of(2) { length.saturating_sub(2) } else { 1 };
    if across.is_multiple_of(2) && along != turn && across > 0 {
        return 50.0;
    }
    let gone = if lane.is_multiple_of(2) { along } else { length - along };
    if falls { 40.0 - lane as f32 - 0.01 * gone as f32 } else { 1.0 }
}

/// A map of 60 to 200 cells a side with fractal ground, level in parts, with a sea, gaps for it, or neither.
pub fn fractal(draw: &mut Draw, key: Key) -> (Flat, Field<f32>) {
    let (cols, rows) = (60 + draw.below(140), 60 + draw.below(140));
    let map = Flat::new(cols, rows, 30.0).expect("in range");
    let noise = grid::noise::Fractal::new(key, 7, 0.7);
    // Metres, so that a part of the ground is level before filling too; nothing below the sea, or a gap there.
    let sea = [f32::NAN, 0.0, -1e9][draw.below(3) as usize];
    let height = |c: Cell| {
        let z = ((noise.fbm(map.center(c) / 900.0) * 60.0) as f32).round() + 5.0;
        if z < 0.0 && (sea.is_nan() || z < sea) { sea } else { z }
    };
    let z = Field::from_fn(map.shape(), height);
    (map, z)
}

/// Bytes of an array of the `.npy` format after its header.
fn array(name: &str) -> Vec<u8> {
    let path = format!("{}/../../data/hydro/{name}.npy", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes[start..].to_vec()
}

pub fn floats(name: &str) -> Vec<f32> {
    array(name).as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}
