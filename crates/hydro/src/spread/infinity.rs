//! One direction out of infinitely many: the steepest way down eight triangular facets (D-infinity; Tarboton 1997).
//!
//! A facet has its corners at the centre (level e0), at a neighbour across a side (e1, d1 metres away) and at the
//! diagonal neighbour beside it (e2, d2 metres from that one). Its slope towards the side is s1 = (e0 - e1) / d1, at
//! right angles to that s2 = (e1 - e2) / d2; it falls by sqrt(s1^2 + s2^2) at the angle r = atan(s2 / s1) from the
//! side. Where r is not between 0 and the facet's opening atan(d2 / d1), the steepest way within it is along its
//! sides: down to one neighbour, by drop / distance. Hence the steepest of all facets is the steepest of eight
//! neighbours and of the facets that fall inside themselves, and there both e1 and e2 are below e0. Of equal ones the
//! first clockwise from north is taken.
//!
//! Where rows have spacings of their own (maps, rasters of degrees) the corner at the side neighbour counts as square.
//! On a globe it is not, and the plane is the one through the true triangle, from its three lengths.
//!
//! The water is shared between the two neighbours by angle. The shares, not the angle, are what is kept: one number
//! from 0 to 8, the direction clockwise from north plus the share that goes to the next one.

use super::around::{Around, Lengths};
use super::{Spread, check_receivers};
use crate::Links;
use crate::flow::{FlowError, NONE};
use crate::stencil::{Stencil, assert_shape};
use grid::math::{atan, cos};
use grid::{Cell, Field, Grid};
use rayon::prelude::*;
use std::f64::consts::FRAC_PI_4;

/// Where water goes on the steepest facet of each cell.
#[derive(Clone, Debug, PartialEq)]
pub struct DInfinity {
    /// Direction in eighths of a turn, clockwise from north, from 0 up to but not 8. The whole part is a
    /// [`Direction`](grid::Direction); the fraction is the share that goes to the next one. Not a number where the
    /// water ends and where there is no data.
    pub toward: Field<f32>,
    /// Tangent of the slope of that facet; 0 where no neighbour is lower, not a number where there is no data.
    pub slope: Field<f32>,
}

/// Finds the steepest facet of each cell of a filled `surface` (metres).
///
/// Neighbours that are not linked or have no data belong to no facet. A cell without a lower neighbour gives all to
/// its receiver of `receivers` (directions, [`NONE`] where water ends, and there it does in any case). Linear, in
/// parallel; on a globe 24 bytes a cell for the centres.
///
/// # Errors
/// A receiver that is no direction or has no cell behind it.
pub fn d_infinity(
    grid: &impl Grid,
    links: &Links,
    surface: &Field<f32>,
    receivers: &Field<u8>,
) -> Result<DInfinity, FlowError> {
    assert_shape(grid, surface, "the surface");
    assert_shape(grid, links.bytes(), "the links");
    assert_shape(grid, receivers, "the receivers");
    check_receivers(grid, receivers)?;
    let finder = Finder {
        grid,
        links,
        surface,
        receivers,
        stencil: Stencil::new(grid.shape()),
        lengths: Lengths::of(grid),
    };
    let cols = grid.shape().cols as usize;
    let mut toward = Field::filled(grid.shape(), f32::NAN);
    let mut slope = Field::filled(grid.shape(), 0.0f32);
    let rows = toward.as_mut_slice().par_chunks_mut(cols).zip(slope.as_mut_slice().par_chunks_mut(cols));
    rows.enumerate().for_each(|(row, (toward, slope))| finder.row(row, toward, slope));
    Ok(DInfinity { toward, slope })
}

impl DInfinity {
    /// Length of contour that the water of each cell crosses, in metres: drainage area over it is specific area.
    ///
    /// Water that is shared between the neighbours in a column moves on by one column, so that the water of one row
    /// goes through each cell: the height of the cell as it is seen along the flow, side * cos(r). Divided by the side
    /// alone, as is usual, specific areas are too small by 10 % in the mean of all directions and by 29 % along
    /// diagonals. Not a number where there is no direction.
    pub fn contour_m(&self, grid: &impl Grid) -> Field<f32> {
        self.each(grid, |around, toward| {
            let (facet, from_side) = from_side(around, toward);
            let side = legs(facet).0;
            let across = 0.5 * (around.to[(side + 2) & 7] + around.to[(side + 6) & 7]);
            across * cos(from_side)
        })
    }

    /// Angle of the direction of each cell in radians, clockwise from north (towards row 0), from 0 to 2 pi; not a
    /// number where there is none.
    ///
    /// A facet begins at its side, which lies at a multiple of a quarter turn. Where the openings of neighbouring
    /// facets do not add up to a quarter turn, as away from the equator in longitude and latitude, the angle of
    /// their common diagonal is that of the facet clockwise from it.
    pub fn azimuth_rad(&self, grid: &impl Grid) -> Field<f32> {
        self.each(grid, |around, toward| {
            let (facet, from_side) = from_side(around, toward);
            if facet.is_multiple_of(2) {
                facet as f64 * FRAC_PI_4 + from_side
            } else {
                (facet + 1) as f64 * FRAC_PI_4 - from_side
            }
        })
    }

    fn each(&self, grid: &impl Grid, value: impl Fn(&Around, f32) -> f64 + Sync) -> Field<f32> {
        assert_shape(grid, &self.toward, "the directions");
        let (stencil, lengths) = (Stencil::new(grid.shape()), Lengths::of(grid));
        Field::from_fn(grid.shape(), |cell| match self.toward[cell] {
            toward if toward.is_nan() => f32::NAN,
            toward => value(&lengths.around(grid, &stencil, cell), toward) as f32,
        })
    }
}

/// The facet of a direction, and its angle from the facet's side in radians.
fn from_side(around: &Around, toward: f32) -> (usize, f64) {
    let facet = toward as usize;
    let share = f64::from(toward) - facet as f64;
    let share = if facet.is_multiple_of(2) { share } else { 1.0 - share };
    (facet, if share == 0.0 { 0.0 } else { share * Triangle::of(around, facet).opening() })
}

impl Spread for DInfinity {
    #[inline]
    fn directions(&self, cell: Cell) -> u8 {
        let toward = self.toward[cell];
        if toward.is_nan() {
            return 0;
        }
        let facet = toward as u8;
        let next = u8::from(toward > f32::from(facet)) << ((facet + 1) & 7);
        1 << facet | next
    }

    #[inline]
    fn shares(&self, cell: Cell, mut visit: impl FnMut(u8, f64)) {
        let toward = self.toward[cell];
        if toward.is_nan() {
            return;
        }
        let facet = toward as u8;
        let share = f64::from(toward) - f64::from(facet);
        visit(facet, 1.0 - share);
        if share > 0.0 {
            visit((facet + 1) & 7, share);
        }
    }
}

/// The side and the diagonal of the facet between a direction and the next.
const fn legs(facet: usize) -> (usize, usize) {
    if facet.is_multiple_of(2) { (facet, facet + 1) } else { ((facet + 1) & 7, facet) }
}

/// A facet laid out with its side along an axis: how far the diagonal neighbour lies along that and beside it.
#[derive(Clone, Copy)]
struct Triangle {
    along: f64,
    beside: f64,
}

impl Triangle {
    fn of(around: &Around, facet: usize) -> Self {
        let (side, diagonal) = legs(facet);
        let (a, b, c) = (around.to[side], around.to[diagonal], around.ring[facet]);
        if around.is_square {
            return Self { along: a, beside: c };
        }
        // A cell's corner is never so skew that a facet opens by a right angle; not a number if an end is missing.
        let along = (a * a + b * b - c * c) / (2.0 * a);
        Self { along, beside: (b * b - along * along).sqrt() }
    }

    fn opening(self) -> f64 {
        atan(self.beside / self.along)
    }
}

/// What the facets of a row have in common.
struct Facets {
    per_to: [f64; 8],
    triangles: [Triangle; 8],
    per_beside: [f64; 8],
    /// Part of the drop to the side that is to be added to the rise beside it: 0 for a square corner.
    lean: [f64; 8],
}

impl Facets {
    fn of(around: &Around) -> Self {
        let triangles: [Triangle; 8] = std::array::from_fn(|facet| Triangle::of(around, facet));
        Self {
            per_to: around.to.map(|d| 1.0 / d),
            triangles,
            per_beside: triangles.map(|t| 1.0 / t.beside),
            lean: std::array::from_fn(|facet| 1.0 - triangles[facet].along / around.to[legs(facet).0]),
        }
    }

    /// Slope towards the side of a facet and at right angles to that.
    #[inline(always)]
    fn slopes(&self, facet: usize, level: f64, around: &[f64; 8]) -> (f64, f64) {
        let (side, diagonal) = legs(facet);
        let drop = level - around[side];
        let beside = (around[side] - around[diagonal]) + drop * self.lean[facet];
        (drop * self.per_to[side], beside * self.per_beside[facet])
    }

    /// The steepest way down: its square, and twice the direction, plus one where it is between that and the next.
    /// 0 and any direction where there is no way down. Levels that are not numbers compare as no way.
    #[inline(always)]
    fn steepest(&self, level: f64, around: &[f64; 8]) -> (f64, u32) {
        let (mut best, mut place) = (0.0, 0);
        for direction in 0..8 {
            let slope = (level - around[direction]) * self.per_to[direction];
            let squared = if slope > 0.0 { slope * slope } else { 0.0 };
            let better = squared > best;
            best = if better { squared } else { best };
            place = if better { 2 * direction as u32 } else { place };
            let (s1, s2) = self.slopes(direction, level, around);
            let Triangle { along, beside } = self.triangles[direction];
            let lower = (s1 > 0.0) & (around[legs(direction).1] < level);
            let inside = lower & (s2 > 0.0) & (s2 * along < s1 * beside);
            let squared = s1 * s1 + s2 * s2;
            let better = inside & (squared > best);
            best = if better { squared } else { best };
            place = if better { 2 * direction as u32 + 1 } else { place };
        }
        (best, place)
    }

    /// The direction of a steepest way down, in eighths.
    #[inline(always)]
    fn toward(&self, place: u32, level: f64, around: &[f64; 8]) -> f32 {
        let direction = (place / 2) as usize;
        if place.is_multiple_of(2) {
            return direction as f32;
        }
        let (s1, s2) = self.slopes(direction, level, around);
        let from_side = atan(s2 / s1) / self.triangles[direction].opening();
        let share = if direction.is_multiple_of(2) { from_side } else { 1.0 - from_side };
        let toward = (direction as f64 + share.clamp(0.0, 1.0)) as f32;
        if toward < 8.0 { toward } else { 0.0 }
    }
}

struct Finder<'a, G> {
    grid: &'a G,
    links: &'a Links,
    surface: &'a Field<f32>,
    receivers: &'a Field<u8>,
    stencil: Stencil,
    lengths: Lengths,
}

impl<G: Grid> Finder<'_, G> {
    /// The directions and slopes of a row, counted over all faces.
    fn row(&self, row: usize, toward: &mut [f32], slope: &mut [f32]) {
        let shape = self.grid.shape();
        let (cols, row_in_face) = (shape.cols as usize, row % shape.rows as usize);
        let facets = self.lengths.of_row(row_in_face).map(Facets::of);
        let z = self.surface.as_slice();
        for col in 0..cols {
            let cell = Cell::from_index(row * cols + col);
            let receiver = self.receivers[cell];
            if z[cell.index()].is_nan() {
                slope[col] = f32::NAN;
            } else if receiver != NONE {
                let levels = self.levels(cell, row_in_face, col);
                let answer = match &facets {
                    Some(facets) => self.way(facets, cell, &levels),
                    None => {
                        let around = self.lengths.around(self.grid, &self.stencil, cell);
                        self.way(&Facets::of(&around), cell, &levels)
                    }
                };
                (toward[col], slope[col]) = answer.unwrap_or((f32::from(receiver), 0.0));
            }
        }
    }

    #[inline(always)]
    fn way(&self, facets: &Facets, cell: Cell, levels: &[f64; 8]) -> Option<(f32, f32)> {
        let level = f64::from(self.surface[cell]);
        let (squared, place) = facets.steepest(level, levels);
        (squared > 0.0).then(|| (facets.toward(place, level, levels), squared.sqrt() as f32))
    }

    /// Levels of the linked neighbours; the others are not numbers.
    #[inline(always)]
    fn levels(&self, cell: Cell, row: usize, col: usize) -> [f64; 8] {
        let shape = self.grid.shape();
        let (rows, cols) = (shape.rows as usize, shape.cols as usize);
        let byte = self.links.byte(cell);
        if byte == u8::MAX && row > 0 && row + 1 < rows && col > 0 && col + 1 < cols {
            let at = cell.index();
            let z = self.surface.as_slice();
            let (above, here, below) =
                (&z[at - cols - 1..][..3], &z[at - 1..][..3], &z[at + cols - 1..][..3]);
            return [above[1], above[2], here[2], below[2], below[1], below[0], here[0], above[0]]
                .map(f64::from);
        }
        let mut levels = [f64::NAN; 8];
        self.stencil.visit(self.grid, byte, cell, |d, _, n| levels[d as usize] = f64::from(self.surface[n]));
        levels
    }
}
