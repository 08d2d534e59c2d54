//! Smooth functions of place, asked at few places and interpolated to every cell.
//!
//! What varies over hundreds of kilometres need not be computed for every cell. A function is asked at the nodes of
//! a lattice `step` cells wide on each face (and one ring beyond it, so that faces agree along their edges), and
//! read at the cells' centres by cubic convolution (Keys 1981), whose error falls with the cube of the step: for a
//! wave of 6 steps it is a few parts in a hundred of its height.

use crate::fields::each;
use grid::noise::Fractal;
use grid::{Cell, Field, Grid, Topology, Vec3};
use rayon::prelude::*;

/// A wave must be this many steps long to be interpolated.
const STEPS_PER_WAVE: f64 = 6.0;

/// The widest lattice, in cells, that still holds waves of `wave_m` metres: a power of two, 1 if every cell counts.
pub(crate) fn step_for(grid: &Topology, wave_m: f64) -> u32 {
    let shape = grid.shape();
    let most = (shape.rows.min(shape.cols) / 4).max(1);
    let mut step = 1;
    while f64::from(2 * step) * grid.cell_m() * STEPS_PER_WAVE <= wave_m && 2 * step <= most {
        step *= 2;
    }
    step
}

/// The values of `function` at all cells' centres, interpolated between nodes `step` cells apart.
///
/// `function` takes positions in metres, many at once. Cost: one value for each `step` x `step` cells, and a few products
/// a cell.
pub(crate) fn interpolate<const N: usize>(
    grid: &Topology,
    step: u32,
    function: impl Fn(&[Vec3], &mut [[f64; N]]) + Sync,
) -> Field<[f32; N]> {
    let shape = grid.shape();
    let faces: Vec<Nodes<N>> = match step {
        0 | 1 => Vec::new(),
        _ => (0..shape.faces).map(|face| Nodes::ask(grid, face, step, &function)).collect(),
    };
    let mut values = vec![[0.0f32; N]; shape.len()];
    let cols = shape.cols as usize;
    values.par_chunks_mut(cols).enumerate().for_each(|(row, out)| {
        let first = Cell::from_index(row * cols);
        let (face, row, _) = shape.split(first);
        match faces.get(face as usize) {
            Some(nodes) => nodes.read_row(row as usize, step, out),
            None => ask_row(&scaled_row(grid, first, cols, grid.metres_per_unit()), out, &function),
        }
    });
    Field::from_vec(shape, values).expect("one value for each cell")
}

/// Centres of cells that follow one another in a row, in a unit of which `scale` make one of the grid's.
fn scaled_row(grid: &Topology, first: Cell, count: usize, scale: f64) -> Vec<Vec3> {
    let mut at = grid.row_of_centers(first, count);
    at.iter_mut().for_each(|p| *p = *p * scale);
    at
}

/// A function of one place as one of many.
pub(crate) fn each_place<const N: usize>(
    function: impl Fn(Vec3) -> [f64; N] + Sync,
) -> impl Fn(&[Vec3], &mut [[f64; N]]) + Sync {
    move |at, out| out.iter_mut().zip(at).for_each(|(out, p)| *out = function(*p))
}

fn ask_row<const N: usize>(at: &[Vec3], out: &mut [[f32; N]], function: &impl Fn(&[Vec3], &mut [[f64; N]])) {
    let mut found = vec![[0.0; N]; at.len()];
    function(at, &mut found);
    out.iter_mut().zip(found).for_each(|(out, found)| *out = to_f32(found));
}

/// The octaves of a fractal whose waves are interpolated, and the step for them: the others are asked cell by cell.
///
/// `scale_m` is the wavelength of the first octave.
pub(crate) fn broad_octaves(grid: &Topology, noise: &Fractal, scale_m: f64) -> (usize, u32) {
    let wave_m = |octaves: usize| scale_m / f64::from(1u32 << octaves.saturating_sub(1).min(31));
    let broad = (1..=noise.octaves()).take_while(|&k| step_for(grid, wave_m(k)) > 1).count();
    (broad, if broad == 0 { 1 } else { step_for(grid, wave_m(broad)) })
}

/// A fractal of wavelength `scale_m` at the wanted cells: [`Fractal::fbm`], the broad octaves interpolated. Elsewhere
/// the broad octaves alone.
pub(crate) fn fbm_where(
    grid: &Topology,
    noise: &Fractal,
    scale_m: f64,
    wanted: impl Fn(Cell) -> bool + Sync,
) -> Field<f32> {
    let (broad, step) = broad_octaves(grid, noise, scale_m);
    let mut field = interpolate(grid, step, |at, out: &mut [[f64; 1]]| {
        let at: Vec<Vec3> = at.iter().map(|p| *p / scale_m).collect();
        noise.fbm_partial_row(&at, broad as f64, out.as_flattened_mut());
    });
    if broad < noise.octaves() {
        let unit = grid.metres_per_unit() / scale_m;
        change_rows(&mut field, |first, cells| {
            let chosen: Vec<usize> = (0..cells.len()).filter(|&k| wanted(Cell(first.0 + k as u32))).collect();
            let row = scaled_row(grid, first, cells.len(), unit);
            let at: Vec<Vec3> = chosen.iter().map(|&k| row[k]).collect();
            let mut fine = vec![0.0; at.len()];
            noise.fbm_rest_row(&at, broad, &mut fine);
            chosen.into_iter().zip(fine).for_each(|(k, fine)| cells[k][0] += fine as f32);
        });
    }
    let shape = field.shape();
    Field::from_vec(shape, field.into_vec().into_flattened()).expect("one value for each cell")
}

/// Changes a field row by row, in parallel: `change` is given the first cell of each and its values.
fn change_rows<T: Send>(field: &mut Field<T>, change: impl Fn(Cell, &mut [T]) + Sync) {
    let cols = field.shape().cols as usize;
    let rows = field.as_mut_slice().par_chunks_mut(cols).enumerate();
    rows.for_each(|(row, cells)| change(Cell::from_index(row * cols), cells));
}

/// The same at all cells.
pub(crate) fn fbm(grid: &Topology, noise: &Fractal, scale_m: f64) -> Field<f32> {
    fbm_where(grid, noise, scale_m, |_| true)
}

/// Three such fields as vectors, for bending space.
pub(crate) fn vectors(grid: &Topology, noise: &Fractal, scale_m: f64) -> Field<[f32; 3]> {
    let (broad, step) = broad_octaves(grid, noise, scale_m);
    let mut field = interpolate(grid, step, |at, out| {
        let at: Vec<Vec3> = at.iter().map(|p| *p / scale_m).collect();
        let mut found = vec![Vec3::default(); at.len()];
        noise.vector_partial_row(&at, broad as f64, &mut found);
        out.iter_mut().zip(found).for_each(|(out, v)| *out = components(v));
    });
    if broad < noise.octaves() {
        let unit = grid.metres_per_unit() / scale_m;
        change_rows(&mut field, |first, cells| {
            let mut fine = vec![Vec3::default(); cells.len()];
            noise.vector_rest_row(&scaled_row(grid, first, cells.len(), unit), broad, &mut fine);
            for (cell, fine) in cells.iter_mut().zip(fine) {
                let fine = to_f32(components(fine));
                *cell = each(|k| cell[k] + fine[k]);
            }
        });
    }
    field
}

/// A vector of [`vectors`] as a vector.
pub(crate) fn as_vector(v: [f32; 3]) -> Vec3 {
    Vec3::new(v[0].into(), v[1].into(), v[2].into())
}

fn components(v: Vec3) -> [f64; 3] {
    [v.x, v.y, v.z]
}

fn to_f32<const N: usize>(values: [f64; N]) -> [f32; N] {
    each(|k| values[k] as f32)
}

/// Values at the nodes of one face: node (i, j) lies `(i - 1) step` cells south and `(j - 1) step` cells east of the
/// face's north-west corner.
struct Nodes<const N: usize> {
    values: Vec<[f32; N]>,
    cols: usize,
}

impl<const N: usize> Nodes<N> {
    fn ask(
        grid: &Topology,
        face: u32,
        step: u32,
        function: &(impl Fn(&[Vec3], &mut [[f64; N]]) + Sync),
    ) -> Self {
        let shape = grid.shape();
        let count = |side: u32| side.div_ceil(step) as usize + 3;
        let at = |k: usize| (k as f64 - 1.0) * f64::from(step);
        let [rows, columns] =
            [shape.rows, shape.cols].map(|side| (0..count(side)).map(at).collect::<Vec<f64>>());
        let mut places = grid.crossings(face, &columns, &rows);
        places.iter_mut().for_each(|p| *p = *p * grid.metres_per_unit());
        let mut values = vec![[0.0f32; N]; places.len()];
        let cols = columns.len();
        let by_row = values.par_chunks_mut(cols).zip(places.par_chunks(cols));
        by_row.for_each(|(out, at)| ask_row(at, out, function));
        Self { values, cols }
    }

    /// Fills a row of cells: first the nodes are read along the column, then along the row.
    fn read_row(&self, row: usize, step: u32, out: &mut [[f32; N]]) {
        let (first, weights) = stencil(row, step);
        let across: Vec<[f32; N]> = (0..self.cols)
            .map(|col| blend([0, 1, 2, 3].map(|k| &self.values[(first + k) * self.cols + col]), &weights))
            .collect();
        let by_phase: Vec<[f32; 4]> = (0..step as usize).map(|k| stencil(k, step).1).collect();
        for (cells, nodes) in out.chunks_mut(step as usize).zip(across.windows(4)) {
            for (cell, weights) in cells.iter_mut().zip(&by_phase) {
                *cell = blend([&nodes[0], &nodes[1], &nodes[2], &nodes[3]], weights);
            }
        }
    }
}

/// The first of the four nodes around a cell's centre, and the weight of each (Keys 1981, a = -1/2).
fn stencil(index: usize, step: u32) -> (usize, [f32; 4]) {
    let x = (index as f64 + 0.5) / f64::from(step);
    let t = x - x.floor();
    let weights = [
        ((-0.5 * t + 1.0) * t - 0.5) * t,
        (1.5 * t - 2.5) * t * t + 1.0,
        ((-1.5 * t + 2.0) * t + 0.5) * t,
        (0.5 * t - 0.5) * t * t,
    ];
    (x as usize, to_f32(weights))
}

fn blend<const N: usize>(nodes: [&[f32; N]; 4], weights: &[f32; 4]) -> [f32; N] {
    each(|n| {
        nodes[0][n] * weights[0]
            + nodes[1][n] * weights[1]
            + nodes[2][n] * weights[2]
            + nodes[3][n] * weights[3]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Direction, Flat, Globe, Purpose, Seed};

    fn globe() -> Topology {
        Topology::Globe(Globe::new(64, 6.371e6).expect("a small globe"))
    }

    #[test]
    fn what_is_read_is_what_a_direct_call_gives() {
        let flat = Topology::Flat(Flat::new(70, 45, 100_000.0).expect("a map"));
        for grid in [globe(), flat] {
            let scale_m = 6.0 * 4.0 * grid.cell_m();
            let noise = Fractal::new(Seed(4).key(Purpose::new("test")), 4, 0.5);
            let fast = fbm(&grid, &noise, scale_m);
            assert_eq!(broad_octaves(&grid, &noise, scale_m), (2, 2));
            for cell in grid.cells() {
                let slow = noise.fbm(grid.center(cell) * (grid.metres_per_unit() / scale_m));
                assert!((f64::from(fast[cell]) - slow).abs() < 0.03, "{cell:?}: {} {slow}", fast[cell]);
            }
        }
    }

    #[test]
    fn cubics_in_face_coordinates_come_back_exactly() {
        let grid = Topology::Flat(Flat::new(33, 17, 1.0).expect("a map"));
        let f = |p: Vec3| 3.0 + 0.5 * p.x - 0.25 * p.y * p.y + 0.01 * p.x * p.y;
        let read = interpolate(&grid, 4, each_place(|p| [f(p)]));
        for cell in grid.cells() {
            assert!((f64::from(read[cell][0]) - f(grid.center(cell))).abs() < 1e-4);
        }
    }

    #[test]
    fn no_seam_shows_where_faces_meet() {
        let grid = globe();
        let wave = |p: Vec3| (p.x + 0.5 * p.y - 0.7 * p.z) / 6.371e6;
        let read = interpolate(&grid, 8, each_place(|p| [wave(p) * wave(p) * wave(p)]));
        for cell in grid.cells() {
            for side in Direction::SIDES {
                let other = grid.neighbor(cell, side).expect("a globe has no border");
                let exact = |c: Cell| wave(grid.center(c) * 6.371e6);
                let step = |c: Cell| exact(c) * exact(c) * exact(c);
                let jump = f64::from(read[cell][0] - read[other][0]) - (step(cell) - step(other));
                assert!(jump.abs() < 2e-3, "{cell:?} {side:?}: {jump}");
            }
        }
    }
}
