//! The coarse grid on which air moves: a grid of the same kind with at most some hundred cells a side.
//!
//! Lengths are those of Earth: the atmosphere of a globe of any radius has Earth's belts, so its lengths are
//! shares of the radius; a flat map is a piece of a planet of Earth's size.

use grid::math::{self, Vec3};
use grid::{Cell, Direction, Field, Flat, Globe, Grid, Topology};
use rayon::prelude::*;

/// Most cells along a side: about 100 km on Earth, a third of the width of a range.
const MOST_CELLS: u32 = 96;
/// Air does not follow valleys narrower than this, in metres: rain drifts as far with the wind while it forms and falls
/// (Smith & Barstad, "A linear theory of orographic precipitation", Journal of the Atmospheric Sciences 61, 2004).
const AIR_M: f64 = 10_000.0;
/// The longer side of a flat map has at least so many cells if it has as many fine ones.
const LEAST_CELLS: u32 = 16;
/// Radius of Earth in metres.
pub(crate) const EARTH_M: f64 = 6.371e6;
/// Metres in a degree of latitude.
const DEGREE_M: f64 = EARTH_M * std::f64::consts::PI / 180.0;
/// No cell behind a side.
pub(crate) const NOBODY: u32 = u32::MAX;

/// What a cell shares with the neighbour on one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    /// The neighbour, or [`NOBODY`].
    pub to: u32,
    /// Points out through the side; as long as the side, in m.
    pub out_m: Vec3,
    /// Length of the side over the distance between the centres.
    pub closeness: f64,
}

/// The coarse grid with what the fine one says of it.
#[derive(Clone, Debug)]
pub(crate) struct Coarse {
    pub grid: Topology,
    /// Fine cells along the side of a coarse one.
    pub fineness: f64,
    /// Latitude in radians.
    pub latitude: Vec<f64>,
    pub east: Vec<Vec3>,
    pub north: Vec<Vec3>,
    pub area_m2: Vec<f64>,
    /// North, east, south, west.
    pub sides: Vec<[Side; 4]>,
    /// The neighbours of the sides alone, for sweeps over all cells.
    pub to: Vec<[u32; 4]>,
    /// Share of land.
    pub land: Vec<f64>,
    /// Mean height above the sea in m; 0 at sea.
    pub height_m: Vec<f64>,
    /// Weights of the differences (east - west) and (north - south), as vectors, that give a gradient per m.
    duals: Vec<[Vec3; 2]>,
}

impl Coarse {
    /// Averages land and height over coarse cells. `latitude_deg`: of the middle of a flat map.
    pub fn new(fine: &Topology, latitude_deg: f64, land: &Field<f32>, surface_m: &Field<f32>) -> Self {
        let (grid, fineness) = coarser(fine);
        let unit_m = if matches!(grid, Topology::Globe(_)) { EARTH_M } else { 1.0 };
        let cells: Vec<Cell> = grid.cells().collect();
        let frames: Vec<(Vec3, Vec3)> = cells.par_iter().map(|&c| frame(&grid, c)).collect();
        let sides: Vec<[Side; 4]> = cells.par_iter().map(|&c| sides_of(&grid, c, unit_m)).collect();
        let area = unit_m * unit_m / (grid.metres_per_unit() * grid.metres_per_unit());
        let (land, height_m) = averages(fine, &grid, fineness, land, surface_m);
        let middle = fine.shape().rows as f64 / fineness / 2.0;
        let latitude = |&c: &Cell| match &grid {
            Topology::Globe(_) => math::asin(grid.center(c).z.clamp(-1.0, 1.0)),
            Topology::Flat(flat) => {
                let north_m = (middle - f64::from(grid.shape().split(c).1) - 0.5) * flat.cell_m();
                (latitude_deg + north_m / DEGREE_M).clamp(-90.0, 90.0).to_radians()
            }
        };
        Self {
            fineness,
            latitude: cells.iter().map(latitude).collect(),
            duals: cells.par_iter().map(|&c| duals_of(&grid, c, frames[c.index()], unit_m)).collect(),
            area_m2: cells.iter().map(|&c| grid.area_m2(c) * area).collect(),
            east: frames.iter().map(|f| f.0).collect(),
            north: frames.iter().map(|f| f.1).collect(),
            to: sides.iter().map(|four| four.map(|side| side.to)).collect(),
            sides,
            land,
            height_m,
            grid,
        }
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.latitude.len()
    }

    /// Gradient of a field per metre.
    pub fn gradient(&self, field: &[f64], cell: usize) -> Vec3 {
        let [n, e, s, w] = self.sides[cell].map(|side| field.get(side.to as usize).copied());
        let here = field[cell];
        let [along, across] = self.duals[cell];
        along * (e.unwrap_or(here) - w.unwrap_or(here)) + across * (n.unwrap_or(here) - s.unwrap_or(here))
    }

    /// A wind averaged with its neighbours', along the surface.
    pub fn smoothed(&self, wind: &[Vec3], cell: usize) -> Vec3 {
        let (mut sum, mut count) = (Vec3::default(), 0.0);
        for side in self.sides[cell].iter().filter(|s| s.to != NOBODY) {
            sum += wind[side.to as usize];
            count += 1.0;
        }
        let mean = wind[cell].lerp(sum / f64::max(count, 1.0), if count > 0.0 { 0.5 } else { 0.0 });
        self.east[cell] * mean.dot(self.east[cell]) + self.north[cell] * mean.dot(self.north[cell])
    }

    /// A value averaged with its neighbours'.
    pub fn averaged(&self, field: &[f64], cell: usize) -> f64 {
        let near = self.sides[cell].iter().filter_map(|s| field.get(s.to as usize));
        let (sum, count) = near.fold((field[cell], 1.0), |(sum, count), v| (sum + v, count + 1.0));
        sum / count
    }

    /// Outflow of a field of winds in 1/s: negative where air comes together.
    pub fn divergence(&self, wind: &[Vec3], cell: usize) -> f64 {
        let through = |side: &Side| {
            let there = wind.get(side.to as usize).copied().unwrap_or(wind[cell]);
            (wind[cell] + there).dot(side.out_m) * 0.5
        };
        self.sides[cell].iter().map(through).sum::<f64>() / self.area_m2[cell]
    }

    /// Mean over cells in bands of latitude; bands without cells take the mean of all.
    pub fn zonal_mean(&self, field: &[f64], bands: usize) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); bands];
        let mut all = (0.0, 0.0);
        for (i, &value) in field.iter().enumerate() {
            let band = (self.latitude[i] / std::f64::consts::PI + 0.5) * bands as f64;
            let sum = &mut sums[(band as usize).min(bands - 1)];
            *sum = (sum.0 + value * self.area_m2[i], sum.1 + self.area_m2[i]);
            all = (all.0 + value * self.area_m2[i], all.1 + self.area_m2[i]);
        }
        sums.into_iter().map(|s| if s.1 > 0.0 { s.0 / s.1 } else { all.0 / all.1 }).collect()
    }
}

/// A grid of the same kind with larger cells, and how many fine cells go along a side of one.
fn coarser(fine: &Topology) -> (Topology, f64) {
    const SMALLER: &str = "a coarser grid than one that exists is within its limits";
    match fine {
        Topology::Globe(globe) => {
            let side = globe.side().min(MOST_CELLS);
            let coarse = Globe::new(side, globe.radius_m()).expect(SMALLER);
            (Topology::Globe(coarse), f64::from(globe.side()) / f64::from(side))
        }
        Topology::Flat(flat) => {
            let shape = flat.shape();
            let longer = shape.rows.max(shape.cols);
            let smooth = ((AIR_M / flat.cell_m()).min(f64::from(longer)) as u32).min(longer / LEAST_CELLS);
            let times = longer.div_ceil(2 * MOST_CELLS).max(smooth);
            let (cols, rows) = (shape.cols.div_ceil(times), shape.rows.div_ceil(times));
            let coarse = Flat::new(cols, rows, flat.cell_m() * f64::from(times)).expect(SMALLER);
            (Topology::Flat(coarse), f64::from(times))
        }
    }
}

/// The coarse row or column of a fine one.
pub(crate) fn coarse_index(fine: u32, fineness: f64, count: u32) -> u32 {
    (((f64::from(fine) + 0.5) / fineness) as u32).min(count - 1)
}

fn averages(
    fine: &Topology,
    coarse: &Topology,
    fineness: f64,
    land: &Field<f32>,
    surface_m: &Field<f32>,
) -> (Vec<f64>, Vec<f64>) {
    let (shape, to) = (fine.shape(), coarse.shape());
    let mut sums = vec![(0u32, 0u32, 0.0f64); to.len()];
    let values = land.as_slice().iter().zip(surface_m.as_slice());
    let rows = (0..shape.faces).flat_map(|f| (0..shape.rows).map(move |r| (f, r)));
    let columns: Vec<u32> = (0..shape.cols).map(|c| coarse_index(c, fineness, to.cols)).collect();
    let mut values = values;
    for (face, row) in rows {
        let start = to.join(face, coarse_index(row, fineness, to.rows), 0).index();
        for (&col, (land, height)) in columns.iter().zip(values.by_ref()) {
            let sum = &mut sums[start + col as usize];
            sum.0 += 1;
            if *land > 0.0 {
                sum.1 += 1;
                sum.2 += f64::from(height.max(0.0));
            }
        }
    }
    sums.into_iter()
        .map(|(all, land, height)| (f64::from(land) / f64::from(all), height / f64::from(all)))
        .unzip()
}

/// East and north at a cell.
fn frame(grid: &Topology, cell: Cell) -> (Vec3, Vec3) {
    if matches!(grid, Topology::Flat(_)) {
        return (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0));
    }
    let up = grid.center(cell);
    let across = Vec3::new(-up.y, up.x, 0.0);
    let east = if across.length() > 1e-9 { across.normalized() } else { Vec3::new(0.0, 1.0, 0.0) };
    (east, up.cross(east))
}

fn sides_of(grid: &Topology, cell: Cell, unit_m: f64) -> [Side; 4] {
    const MIDDLES: [(f64, f64); 4] = [(0.5, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5)];
    let here = grid.center(cell);
    let side = |k: usize| {
        let direction = Direction::SIDES[k];
        let corner = |eighths: u8| {
            let vertex = grid.vertex(cell, direction.turned(eighths));
            grid.vertex_position(vertex.expect("beside a side there are corners"))
        };
        let (left, right) = (corner(7), corner(1));
        let up = match grid {
            Topology::Globe(_) => (left + right).normalized(),
            Topology::Flat(_) => Vec3::new(0.0, 0.0, 1.0),
        };
        let (along, down) = MIDDLES[k];
        let neighbor = grid.neighbor(cell, direction);
        let apart = match neighbor {
            Some(there) => grid.center(there) - here,
            None => (grid.within(cell, along, down) - here) * 2.0,
        };
        Side {
            to: neighbor.map_or(NOBODY, |c| c.0),
            out_m: up.cross(right - left) * unit_m,
            closeness: (right - left).length() / apart.length(),
        }
    };
    std::array::from_fn(side)
}

/// Weights of two differences that give the gradient in the plane of a cell.
fn duals_of(grid: &Topology, cell: Cell, (east, north): (Vec3, Vec3), unit_m: f64) -> [Vec3; 2] {
    let at = |d: Direction| grid.center(grid.neighbor(cell, d).unwrap_or(cell)) * unit_m;
    let flat = |v: Vec3| (v.dot(east), v.dot(north));
    let (ax, ay) = flat(at(Direction::E) - at(Direction::W));
    let (bx, by) = flat(at(Direction::N) - at(Direction::S));
    let determinant = ax * by - ay * bx;
    if determinant.abs() > 0.0 {
        let vector = |x: f64, y: f64| (east * x + north * y) / determinant;
        return [vector(by, -bx), vector(-ay, ax)];
    }
    let alone = |x: f64, y: f64| (east * x + north * y) / (x * x + y * y).max(1.0);
    [alone(ax, ay), alone(bx, by)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coarse(grid: &Topology) -> Coarse {
        let height = Field::from_fn(grid.shape(), |c| c.0 as f32 % 50.0 + 1.0);
        Coarse::new(grid, 45.0, &height, &height)
    }

    fn globe(side: u32) -> Topology {
        Topology::Globe(Globe::new(side, 3e6).expect("a globe"))
    }

    #[test]
    fn the_gradient_of_height_over_a_plane_is_its_slope() {
        // f = p . d over the sphere: the gradient is d without its part along the vertical, over the radius
        let coarse = coarse(&globe(64));
        let d = Vec3::new(0.3, -0.5, 0.8);
        let field: Vec<f64> = coarse.grid.cells().map(|c| coarse.grid.center(c).dot(d)).collect();
        for cell in coarse.grid.cells() {
            let up = coarse.grid.center(cell);
            let expected = (d - up * up.dot(d)) / EARTH_M;
            let found = coarse.gradient(&field, cell.index());
            assert!((found - expected).length() * EARTH_M < 0.04, "{cell:?}");
        }
    }

    #[test]
    fn what_flows_out_of_one_cell_flows_into_the_next() {
        let coarse = coarse(&globe(16));
        let wind: Vec<Vec3> = coarse.east.iter().zip(&coarse.north).map(|(e, n)| *e * 3.0 + *n).collect();
        let all: f64 = (0..coarse.len()).map(|i| coarse.divergence(&wind, i) * coarse.area_m2[i]).sum();
        let size: f64 =
            (0..coarse.len()).map(|i| (coarse.divergence(&wind, i) * coarse.area_m2[i]).abs()).sum();
        assert!(all.abs() < 1e-9 * size.max(1.0));
    }

    /// A planet that turns as a whole carries air around and gathers none, up to 2 % of what passes.
    #[test]
    fn a_rotation_gathers_no_air() {
        let coarse = coarse(&globe(32));
        let axis = Vec3::new(0.4, -0.7, 0.59);
        let wind: Vec<Vec3> = coarse.grid.cells().map(|c| axis.cross(coarse.grid.center(c)) * 10.0).collect();
        for i in 0..coarse.len() {
            let there = coarse.area_m2[i].sqrt();
            assert!(
                (coarse.divergence(&wind, i) * there).abs() < 0.2,
                "{i}: {}",
                coarse.divergence(&wind, i) * there
            );
            let north = coarse.sides[i][0].out_m;
            assert!(
                north.dot(
                    coarse.grid.center(Cell(coarse.sides[i][0].to)) - coarse.grid.center(Cell(i as u32))
                ) > 0.0
            );
        }
    }

    #[test]
    fn averages_keep_the_sum() {
        for (grid, side) in [(globe(100), 96), (globe(8), 8)] {
            let coarse = coarse(&grid);
            assert_eq!(coarse.grid.shape().rows, side);
            assert!(coarse.land.iter().all(|&l| l == 1.0));
        }
        let flat = Topology::Flat(Flat::new(384, 50, 1000.0).expect("a map"));
        let coarse = coarse(&flat);
        let north = coarse.latitude[0].to_degrees() - 45.0;
        // five rows of 10 km
        assert_eq!(coarse.fineness, 10.0);
        assert!(north > 0.17 && north < 0.19, "{north}");
        let mean = coarse.height_m.iter().sum::<f64>() / coarse.len() as f64;
        assert!((mean - 25.5).abs() < 1e-9);
    }

    /// Air follows nothing smaller than some 10 km, but has cells enough on any map.
    #[test]
    fn small_cells_are_taken_together_and_large_ones_are_not() {
        let fineness = |cells: u32, cell_m: f64| {
            coarser(&Topology::Flat(Flat::new(cells, cells, cell_m).expect("a map"))).1
        };
        assert_eq!(fineness(192, 13_000.0), 1.0);
        assert_eq!(fineness(512, 5_000.0), 3.0);
        assert_eq!(fineness(400, 500.0), 20.0);
        assert_eq!(fineness(160, 10.0), 10.0);
        assert_eq!(fineness(8, 10.0), 1.0);
    }
}
