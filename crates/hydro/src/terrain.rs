//! What the shape of the ground says of water: slope, aspect, wetness, power.
//!
//! The gradient at a cell is that of the plane through its centre that fits its eight neighbours best: least
//! sum of w (gx x + gy y - dz)^2 with weight w = 2 at sides and 1 at diagonals, x metres to the east and y to the
//! north, dz the rise. On equal cells that is the third-order finite difference of Horn (1981),
//! gx = ((z_NE + 2 z_E + z_SE) - (z_NW + 2 z_W + z_SW)) / 8 dx; with rows of unequal lengths, on a globe and at
//! borders it is the same with what there is. Neighbours without data are left out. Linear, in parallel.
//!
//! Indices combine slopes tan b (steepness) with the specific catchment area a, drainage area per length of contour
//! in metres. All are `f32`; where an input is not a number, neither is the index.

use crate::flow::NONE;
use crate::spread::around::Lengths;
use crate::stencil::{Stencil, assert_shape};
use grid::math::{atan2, log, pow};
use grid::{Cell, Direction, Field, Grid, Vec3};
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Rise of the ground per metre to the east and to the north, of the plane that fits best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gradient {
    /// To the east.
    pub east: f64,
    /// To the north.
    pub north: f64,
}

impl Gradient {
    /// Steepness: the tangent of the slope's angle.
    pub fn slope(self) -> f64 {
        (self.east * self.east + self.north * self.north).sqrt()
    }

    /// The way down in radians, clockwise from north, from 0 up to but not 2 pi; not a number on level ground.
    pub fn aspect_rad(self) -> f64 {
        if self.east == 0.0 && self.north == 0.0 {
            return f64::NAN;
        }
        let angle = atan2(-self.east, -self.north);
        if angle < 0.0 { angle + TAU } else { angle }
    }
}

/// Tangent of the slope (Horn 1981), in metres per metre. Not a number where the cell or all of its neighbours have no
/// data.
pub fn slope(grid: &impl Grid, elevation: &Field<f32>) -> Field<f32> {
    of_gradient(grid, elevation, |gradient| gradient.slope() as f32)
}

/// The way down the slope in radians, clockwise from north, from 0 to 2 pi; not a number on level ground or where there
/// is no slope. On a globe north is the pole's, not that of a face.
pub fn aspect_rad(grid: &impl Grid, elevation: &Field<f32>) -> Field<f32> {
    of_gradient(grid, elevation, |gradient| gradient.aspect_rad() as f32)
}

fn of_gradient(
    grid: &impl Grid,
    elevation: &Field<f32>,
    value: impl Fn(Gradient) -> f32 + Sync,
) -> Field<f32> {
    assert_shape(grid, elevation, "the elevation");
    let fitter = Fitter { grid, elevation, stencil: Stencil::new(grid.shape()) };
    let cols = grid.shape().cols as usize;
    let mut answer = Field::filled(grid.shape(), f32::NAN);
    answer.as_mut_slice().par_chunks_mut(cols).enumerate().for_each(|(row, answer)| {
        let fixed = fitter.places_of_row(row).map(|places| (Fit::of(&places), places));
        for (col, answer) in answer.iter_mut().enumerate() {
            let cell = Cell::from_index(row * cols + col);
            if !elevation[cell].is_nan() {
                *answer = fitter.gradient(cell, fixed.as_ref()).map_or(f32::NAN, &value);
            }
        }
    });
    answer
}

/// Where the neighbours of a cell lie: metres to the east and north, by direction.
type Places = [(f64, f64); 8];

/// Finds planes.
struct Fitter<'a, G> {
    grid: &'a G,
    elevation: &'a Field<f32>,
    stencil: Stencil,
}

impl<G: Grid> Fitter<'_, G> {
    /// Places that all cells of a row share; on a globe there are none.
    fn places_of_row(&self, row: usize) -> Option<Places> {
        let row = row as u32 % self.grid.shape().rows;
        let here = self.grid.row_spacing_m(row)?;
        let width = |row: u32| self.grid.row_spacing_m(row).map(|spacing| spacing[Direction::E.index()]);
        let last = self.grid.shape().rows - 1;
        let widths = [width(row.saturating_sub(1))?, here[2], width((row + 1).min(last))?];
        Some(Direction::ALL.map(|d| {
            let (dr, dc) = d.offset();
            (dc as f64 * widths[(dr + 1) as usize], -dr as f64 * here[0])
        }))
    }

    /// Places on the plane that touches the sphere at a cell.
    fn places_on_globe(&self, cell: Cell) -> Places {
        let here = self.grid.center(cell);
        let east = Vec3::new(-here.y, here.x, 0.0).normalized();
        // At a pole every way is south; take the meridian of longitude 0 as a column.
        let east = if east == Vec3::default() { Vec3::new(0.0, 1.0, 0.0) } else { east };
        let (north, unit_m) = (here.cross(east), self.grid.metres_per_unit());
        let mut places = [(f64::NAN, f64::NAN); 8];
        self.stencil.visit(self.grid, u8::MAX, cell, |d, _, n| {
            let way = self.grid.center(n) - here;
            places[d as usize] = (way.dot(east) * unit_m, way.dot(north) * unit_m);
        });
        places
    }

    /// The plane at a cell that has data; `None` where no neighbour has.
    fn gradient(&self, cell: Cell, fixed: Option<&(Fit, Places)>) -> Option<Gradient> {
        let level = f64::from(self.elevation[cell]);
        let mut rises = [f64::NAN; 8];
        self.stencil.visit(self.grid, u8::MAX, cell, |d, _, n| {
            rises[d as usize] = f64::from(self.elevation[n]) - level;
        });
        match fixed {
            Some((fit, _)) if !rises.iter().any(|r| r.is_nan()) => Some(fit.gradient(&rises)),
            Some((_, places)) => plane(places, &rises),
            None => plane(&self.places_on_globe(cell), &rises),
        }
    }
}

/// The gradient of a whole neighbourhood is a sum of rises, each times a factor.
struct Fit([(f64, f64); 8]);

impl Fit {
    /// East and west lie alike around a cell of a row, so the two components are found apart.
    fn of(places: &Places) -> Self {
        let sum = |part: fn((f64, f64)) -> f64| {
            (0..8).map(|d| weight(d) * part(places[d]) * part(places[d])).sum::<f64>()
        };
        let (xx, yy) = (sum(|p| p.0), sum(|p| p.1));
        Self(std::array::from_fn(|d| (weight(d) * places[d].0 / xx, weight(d) * places[d].1 / yy)))
    }

    #[inline]
    fn gradient(&self, rises: &[f64; 8]) -> Gradient {
        let (mut east, mut north) = (0.0, 0.0);
        for (factor, rise) in self.0.iter().zip(rises) {
            east += factor.0 * rise;
            north += factor.1 * rise;
        }
        Gradient { east, north }
    }
}

fn weight(direction: usize) -> f64 {
    if direction.is_multiple_of(2) { 2.0 } else { 1.0 }
}

/// The plane through the centre that fits the rises which are numbers; if they lie on a line, level across it.
fn plane(places: &Places, rises: &[f64; 8]) -> Option<Gradient> {
    let [mut xx, mut xy, mut yy, mut xz, mut yz] = [0.0; 5];
    for direction in (0..8).filter(|&d| !rises[d].is_nan()) {
        let ((x, y), rise, w) = (places[direction], rises[direction], weight(direction));
        xx += w * x * x;
        xy += w * x * y;
        yy += w * y * y;
        xz += w * x * rise;
        yz += w * y * rise;
    }
    let (determinant, trace) = (xx * yy - xy * xy, xx + yy);
    // The determinant of neighbours on a line is rounding; of two ways at a tenth of a right angle it is 1e-2.
    const ON_A_LINE: f64 = 1e-9;
    if trace == 0.0 {
        None
    } else if determinant <= ON_A_LINE * trace * trace {
        Some(Gradient { east: xz / trace, north: yz / trace })
    } else {
        Some(Gradient { east: (yy * xz - xy * yz) / determinant, north: (xx * yz - xy * xz) / determinant })
    }
}

/// Drop to the receiver over the distance to it; 0 where there is none, not a number without data.
///
/// `receivers` are directions, or [`NONE`]. Negative where the receiver is higher.
///
/// # Panics
/// If a receiver is a direction in which there is no cell.
pub fn downslope(grid: &impl Grid, surface: &Field<f32>, receivers: &Field<u8>) -> Field<f32> {
    assert_shape(grid, surface, "the surface");
    assert_shape(grid, receivers, "the receivers");
    let (stencil, lengths) = (Stencil::new(grid.shape()), Lengths::of(grid));
    Field::from_fn(grid.shape(), |cell| {
        let (level, receiver) = (f64::from(surface[cell]), receivers[cell]);
        if receiver == NONE || level.is_nan() {
            return if level.is_nan() { f32::NAN } else { 0.0 };
        }
        let below = stencil.neighbor(grid, cell, receiver).expect("receivers lead to cells");
        let distance_m = lengths.to(grid, &stencil, cell, receiver);
        ((level - f64::from(surface[below])) / distance_m) as f32
    })
}

/// Specific catchment area in metres: drainage area over the side of the cell, the root of its own area.
///
/// That is the usual length of contour. [`DInfinity::contour_m`](crate::spread::DInfinity::contour_m) is another,
/// without bias between directions.
pub fn specific_area_m(grid: &impl Grid, drainage_m2: &Field<f64>) -> Field<f64> {
    assert_shape(grid, drainage_m2, "the drainage area");
    Field::from_fn(grid.shape(), |cell| drainage_m2[cell] / grid.area_m2(cell).sqrt())
}

/// The least slope that [`wetness_index`] is usually asked with: a millimetre in a metre, about what elevations in
/// decimetres a hundred metres apart can show.
pub const LEAST_SLOPE: f64 = 1e-3;

/// Topographic wetness index ln(a / tan b) (Beven & Kirkby 1979): high where much water comes together on flat ground.
///
/// `a` in metres; slopes below `least_slope` count as that, since flats would be infinitely wet.
pub fn wetness_index(specific_area_m: &Field<f64>, slope: &Field<f32>, least_slope: f64) -> Field<f32> {
    both(specific_area_m, slope, |area, slope| log(area / at_least(slope, least_slope)))
}

/// Stream power index a tan b in metres (Moore, Grayson & Ladson 1991): high where much water goes down a steep slope.
pub fn stream_power_index_m(specific_area_m: &Field<f64>, slope: &Field<f32>) -> Field<f32> {
    both(specific_area_m, slope, |area, slope| area * slope)
}

/// Density of fresh water, kg/m3.
const WATER_KG_M3: f64 = 1000.0;
/// Standard gravity, m/s2.
const GRAVITY_M_S2: f64 = 9.806_65;

/// Stream power rho g Q S in watts per metre of channel (Bagnold 1966), from discharge in m3/s and the slope.
pub fn stream_power_w_m(discharge_m3_s: &Field<f64>, slope: &Field<f32>) -> Field<f32> {
    both(discharge_m3_s, slope, |discharge, slope| WATER_KG_M3 * GRAVITY_M_S2 * discharge * slope)
}

/// Length-slope factor (a / 22.13 m)^0.4 (sin b / 0.0896)^1.3 of Moore & Burch (1986): loss of soil beside that of the
/// plot on which the universal equation rests, 22.13 m long with a slope of 9 %.
pub fn length_slope_factor(specific_area_m: &Field<f64>, slope: &Field<f32>) -> Field<f32> {
    const PLOT_M: f64 = 22.13;
    const PLOT_SINE: f64 = 0.0896;
    both(specific_area_m, slope, |area, slope| {
        let sine = slope / (1.0 + slope * slope).sqrt();
        pow(area / PLOT_M, 0.4) * pow(sine / PLOT_SINE, 1.3)
    })
}

/// The greater of two; not a number where the slope is none.
fn at_least(slope: f64, least: f64) -> f64 {
    if slope < least { least } else { slope }
}

/// # Panics
/// If the shapes differ.
fn both(one: &Field<f64>, other: &Field<f32>, value: impl Fn(f64, f64) -> f64 + Sync) -> Field<f32> {
    assert_eq!(one.shape(), other.shape(), "an index is of two fields of one shape");
    Field::from_fn(one.shape(), |cell| value(one[cell], f64::from(other[cell])) as f32)
}
