//! Cells as terrain sees them, and their means at a place: the kernel of [`crate::ground`], with the sides of coasts and
//! lakes as signed distances instead of yes and no.

use super::Terrain;
use super::country::Kinds;
use super::lakes::{LakeCell, LakeNear, nearest_lake};
use crate::features::prominence_m;
use crate::patch::Patch;
use crate::sample::Air;
use grid::{Cell, Grid, Vec3, math};
use std::sync::Arc;
use world::CellState;

/// Radius of the kernel, in cells.
pub(super) const RADIUS_CELLS: f64 = 1.7;

/// What a cell adds to the means around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub center_m: Vec3,
    /// Radius of a ball around the cell.
    pub radius_m: f64,
    /// Side of the coast: about the distance to it in cells, -1 to 1, and more where its neighbours would hide it.
    coast: f64,
    is_land: bool,
    /// What is summed.
    values: [f64; SUMMED],
}

/// A cell, or a part of one, lies within a ball through its corners that is so much wider.
pub(super) const BULGE: f64 = 1.02;

/// Radius of a ball around a cell, in metres.
pub(super) fn radius_m(patch: &Patch, cell: Cell) -> f64 {
    let corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)];
    let corner = |(x, y)| patch.grid.within(cell, x, y) * patch.grid.metres_per_unit();
    let far = corners.map(|c| corner(c).distance(patch.center_m(cell)));
    far.into_iter().fold(0.0, f64::max) * BULGE
}

/// Radius of the kernel of coasts, in cells: wider, so that a coast does not turn at every cell.
pub(super) const COAST_RADIUS_CELLS: f64 = 2.3;
/// A cell counts as at least this far from the coast, in cells.
const LEAST_COAST: f64 = 0.3;
/// The least mean of the coast, at a cell's own centre and on its own side.
const OWN_SIDE: f64 = 0.3;
/// Weight of the kernel of coasts at the centres of neighbours over a side and over a corner, where cells are square;
/// the few beyond are neglected.
const BESIDE: f64 = 0.533;
const ACROSS: f64 = 0.241;

impl Known {
    /// A cell whose surroundings of two rings are in the patch, from the distances ([`distance`]) of those.
    pub fn of(patch: &Patch, place: usize, kinds: &Kinds, distance: impl Fn(usize) -> f64) -> Self {
        let (cell, state) = (patch.cells()[place], patch.at(place));
        let center_m = patch.center_m(cell);
        Self {
            center_m,
            radius_m: radius_m(patch, cell),
            coast: own_side(patch, place, distance),
            is_land: state.is_land(),
            values: values(state, kinds.at(center_m), patch.grid.cell_m()),
        }
    }
}

/// What of a cell is summed by its weight.
fn values(state: &CellState, kind: f64, cell_m: f64) -> [f64; SUMMED] {
    let mut values = [0.0; SUMMED];
    values[ALL] = 1.0;
    values[KIND] = kind;
    values[MOUNTAIN] = state.mountain_height_m;
    values[MASSIF] = state.mountain_height_m - prominence_m(state.mountain_height_m, cell_m);
    values[TEMPERATURE] = state.temperature_c;
    values[RAIN] = state.rain_mm;
    if !state.is_land() {
        (values[SEA], values[SEA_M]) = (1.0, state.base_elevation_m);
        return values;
    }
    (values[LAND], values[LAND_M]) = (1.0, state.water_level_m);
    if state.lake.is_none() {
        // fourth root, in m3/s
        (values[DRY], values[RUNOFF_ROOT]) = (1.0, state.runoff_m3_s.max(0.0).sqrt().sqrt());
    }
    values
}

/// The continental field in units of its own change from cell to cell.
pub(super) fn distance(patch: &Patch, place: usize) -> f64 {
    let own = patch.at(place).continentality;
    let around = patch.beside(patch.cells()[place]).map(|(_, n)| patch.at(n));
    let (sum, count) = around.fold((0.0, 0.0), |(s, n), c| (s + (c.continentality - own).abs(), n + 1.0));
    let scale = 1.2 * sum / f64::max(count, 1.0) + 1e-4;
    let cells = own / (scale + 0.5 * own.abs());
    if own > 0.0 { cells.clamp(LEAST_COAST, 1.0) } else { cells.clamp(-1.0, -LEAST_COAST) }
}

/// The same, raised where the neighbours would carry the cell's centre over to the other side.
fn own_side(patch: &Patch, place: usize, distance: impl Fn(usize) -> f64) -> f64 {
    let own = distance(place);
    let (mut sum, mut all) = (own, 1.0);
    for (direction, neighbor) in patch.beside(patch.cells()[place]) {
        let weight = if direction.is_side() { BESIDE } else { ACROSS };
        sum += weight * distance(neighbor);
        all += weight;
    }
    let lacking = OWN_SIDE - own.signum() * sum / all;
    own + own.signum() * lacking.max(0.0) * all
}

/// Means at a place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Means {
    /// About the distance to the coast in cells; positive on land.
    pub coast: f64,
    /// How much both land and sea are near: 0 to 1.
    pub mixed: f64,
    pub land_m: f64,
    pub rough_m: f64,
    pub sea_m: f64,
    pub massif_m: f64,
    pub mountain_m: f64,
    pub air: Air,
    /// Runoff of a cell of land, in m3/s: where cells beside have less, far less than the mean.
    pub runoff_m3_s: f64,
    pub kind: f64,
    pub lake: Option<LakeNear>,
}

impl Means {
    /// Whether neither the sea nor a lake matters.
    pub fn is_dry(&self) -> bool {
        self.mixed <= 0.0 && self.coast > 0.0 && self.lake.is_none()
    }

    /// At the share `t` of the way to another place; none where that has another lake near.
    pub fn lerp(&self, other: &Self, t: f64) -> Option<Self> {
        let lake = match (&self.lake, &other.lake) {
            (None, None) => None,
            (Some(a), Some(b)) if a.number == b.number => Some(a.lerp(b, t)),
            _ => return None,
        };
        let mix = |of: fn(&Self) -> f64| math::mix(of(self), of(other), t);
        Some(Self {
            coast: mix(|m| m.coast),
            mixed: mix(|m| m.mixed),
            land_m: mix(|m| m.land_m),
            rough_m: mix(|m| m.rough_m),
            sea_m: mix(|m| m.sea_m),
            massif_m: mix(|m| m.massif_m),
            mountain_m: mix(|m| m.mountain_m),
            air: self.air.lerp(&other.air, t),
            runoff_m3_s: mix(|m| m.runoff_m3_s),
            kind: mix(|m| m.kind),
            lake,
        })
    }
}

/// Land or sea of a lesser share than this counts less.
const FEW_SHARE: f64 = 0.03;
/// The mean of sides changes at least by this from cell to cell, for distances.
const LEAST_SLOPE: f64 = 0.4;
/// Where land or sea weigh less than this share, the coast fades into the other.
const MIXED_SHARE: f64 = 0.05;

/// Which sides of coasts some cells lie on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sides {
    Land,
    Sea,
    Both,
}

impl Sides {
    pub fn of<'a>(mut cells: impl Iterator<Item = &'a Known> + Clone) -> Self {
        match (cells.clone().any(|k| k.is_land), cells.any(|k| !k.is_land)) {
            (true, true) => Self::Both,
            (true, false) => Self::Land,
            (false, _) => Self::Sea,
        }
    }
}

/// What is summed over cells by their weights: of all, of land, of land but lakes and of the sea each the weight itself too.
const ALL: usize = 0;
const KIND: usize = 1;
const MOUNTAIN: usize = 2;
const MASSIF: usize = 3;
const TEMPERATURE: usize = 4;
const RAIN: usize = 5;
const LAND: usize = 6;
const LAND_M: usize = 7;
const DRY: usize = 8;
const RUNOFF_ROOT: usize = 9;
const SEA: usize = 10;
const SEA_M: usize = 11;
const SUMMED: usize = 12;

/// Cells that are looked at side by side.
const LANES: usize = 4;

/// Cells that can weigh near some place, in the order of their addresses, kept so that their distances are found and their
/// values added up side by side.
pub(super) struct Weighed {
    fours: Vec<Four>,
    pub sides: Sides,
}

/// Some cells; where there are fewer, the others lie beyond all places.
struct Four {
    center_m: [[f64; LANES]; 3],
    coast: [f64; LANES],
    is_land: [bool; LANES],
    /// Their places in the patch.
    places: [u32; LANES],
}

impl Four {
    const NONE: Self = Self {
        center_m: [[f64::INFINITY; LANES]; 3],
        coast: [0.0; LANES],
        is_land: [false; LANES],
        places: [0; LANES],
    };

    fn put(&mut self, lane: usize, (place, known): (usize, &Known)) {
        let Vec3 { x, y, z } = known.center_m;
        (self.center_m[0][lane], self.center_m[1][lane], self.center_m[2][lane]) = (x, y, z);
        (self.coast[lane], self.is_land[lane], self.places[lane]) =
            (known.coast, known.is_land, place as u32);
    }

    /// The ways from the cells to a place.
    #[inline(always)]
    fn off(&self, q: Vec3) -> [[f64; LANES]; 3] {
        let along = |q: f64, center: &[f64; LANES]| center.map(|c| q - c);
        [along(q.x, &self.center_m[0]), along(q.y, &self.center_m[1]), along(q.z, &self.center_m[2])]
    }
}

impl Weighed {
    /// Of cells by their places in the patch, in the order of their addresses, which lie on these sides of coasts with those around them.
    pub fn new(cells: &[(usize, &Known)], sides: Sides) -> Self {
        let mut fours: Vec<Four> = Vec::with_capacity(cells.len().div_ceil(LANES));
        for (k, &known) in cells.iter().enumerate() {
            if k % LANES == 0 {
                fours.push(Four::NONE);
            }
            fours[k / LANES].put(k % LANES, known);
        }
        Self { fours, sides }
    }

    /// The means at a place in bent space. Coasts need a look at cells only where those that can weigh lie on both sides.
    pub fn means(&self, (terrain, lakes): (&Terrain, &[Arc<LakeCell>]), q: Vec3) -> Means {
        let cell_m = terrain.cell_m;
        let (sums, coasts) = add_up(terrain, self, q);
        let mut means = sums.means();
        (means.coast, means.mixed) = match self.sides {
            Sides::Land => (1.0, 0.0),
            Sides::Sea => (-1.0, 0.0),
            Sides::Both => coasts.coast(cell_m),
        };
        means.lake = nearest_lake(lakes, q, cell_m);
        means
    }
}

/// One by the square of a kernel's radius.
fn inverse(radius_cells: f64, cell_m: f64) -> f64 {
    1.0 / (radius_cells * cell_m * (radius_cells * cell_m))
}

/// The sums over cells at a place in bent space, each in the order of the cells, so that the same bits come out however many
/// are added side by side; those for coasts where cells lie on both sides.
// the attribute declares `unsafe` functions with wider instructions and calls them where the processor has those
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
// with loops over iterators, which are not unrolled, whole windows take 2 % longer
#[allow(unsafe_code, clippy::needless_range_loop)]
fn add_up(terrain: &Terrain, cells: &Weighed, q: Vec3) -> (Sums, CoastSums) {
    let cell_m = terrain.cell_m;
    let (near, wide) = (inverse(RADIUS_CELLS, cell_m), inverse(COAST_RADIUS_CELLS, cell_m));
    let both = cells.sides == Sides::Both;
    let (mut sums, mut coasts) = (Sums::default(), CoastSums::default());
    for four in &cells.fours {
        let [x, y, z] = four.off(q);
        let far2: [f64; LANES] = std::array::from_fn(|k| x[k] * x[k] + y[k] * y[k] + z[k] * z[k]);
        let left = far2.map(|far2| 1.0 - far2 * near);
        for k in 0..LANES {
            if left[k] > 0.0 {
                let values =
                    terrain.known(four.places[k] as usize).map_or(&[0.0; SUMMED], |known| &known.values);
                sums.add(left[k] * left[k] * left[k], values);
            }
        }
        if both {
            let left = far2.map(|far2| 1.0 - far2 * wide);
            for k in 0..LANES {
                if left[k] > 0.0 {
                    coasts.add([x[k], y[k], z[k], left[k]], (four.coast[k], four.is_land[k]));
                }
            }
        }
    }
    (sums, coasts)
}

/// Sums over cells for coasts: of the gradients of weights, but for a factor that all have, and last of the weights.
#[derive(Default)]
struct CoastSums {
    slopes: [f64; 4],
    /// The same times the cells' sides.
    sloped: [f64; 4],
    land: f64,
}

impl CoastSums {
    /// Adds a cell by the way from there, and what is left of the kernel.
    #[inline(always)]
    fn add(&mut self, off: [f64; 4], (coast, is_land): (f64, bool)) {
        let left2 = off[3] * off[3];
        let slope = off.map(|off| off * left2);
        self.slopes.iter_mut().zip(slope).for_each(|(sum, slope)| *sum += slope);
        self.sloped.iter_mut().zip(slope).for_each(|(sum, slope)| *sum += slope * coast);
        self.land += if is_land { slope[3] } else { 0.0 };
    }

    /// About the distance to the coast in cells, and how much both sides are near.
    fn coast(&self, cell_m: f64) -> (f64, f64) {
        let ([x, y, z, all], [sloped_x, sloped_y, sloped_z, sum]) = (self.slopes, self.sloped);
        let (slopes, sloped) = (Vec3::new(x, y, z), Vec3::new(sloped_x, sloped_y, sloped_z));
        let (mean, share) = (sum / f64::max(all, 1e-9), self.land / f64::max(all, 1e-9));
        let factor = 6.0 * inverse(COAST_RADIUS_CELLS, cell_m) * cell_m / f64::max(all, 1e-9);
        let slope = (sloped - slopes * mean) * factor;
        let distance = mean / (slope.length_squared() + LEAST_SLOPE * LEAST_SLOPE).sqrt();
        let mixed = math::smoothstep(0.0, MIXED_SHARE, share.min(1.0 - share));
        let own = if share > 0.5 { 1.0 } else { -1.0 };
        (math::mix(own, distance.clamp(-2.0, 2.0), mixed), mixed)
    }
}

/// Sums over cells by their weights.
#[derive(Default)]
struct Sums {
    values: [f64; SUMMED],
    /// Of the squares of heights of land.
    land_m2: f64,
}

impl Sums {
    /// What a cell has none of adds nothing to the sum, bit for bit.
    #[inline(always)]
    fn add(&mut self, w: f64, values: &[f64; SUMMED]) {
        for (sum, value) in self.values.iter_mut().zip(values) {
            *sum += w * value;
        }
        self.land_m2 += w * values[LAND_M] * values[LAND_M];
    }

    fn means(&self) -> Means {
        let of = &self.values;
        let mean = |sum: f64, weight: f64| if weight > 0.0 { sum / weight } else { 0.0 };
        // where hardly any land is near it comes down to the sea, and the floor up to it
        let few = |weight: f64| math::smoothstep(0.0, FEW_SHARE, weight / of[ALL].max(1e-9));
        let plain_m = mean(of[LAND_M], of[LAND]);
        let square = |x: f64| x * x;
        Means {
            coast: 0.0,
            mixed: 0.0,
            land_m: plain_m * few(of[LAND]),
            rough_m: (mean(self.land_m2, of[LAND]) - plain_m * plain_m).max(0.0).sqrt() * few(of[LAND]),
            sea_m: mean(of[SEA_M], of[SEA]) * few(of[SEA]),
            massif_m: mean(of[MASSIF], of[ALL]).max(0.0),
            mountain_m: mean(of[MOUNTAIN], of[ALL]).max(0.0),
            air: Air {
                temperature_c: mean(of[TEMPERATURE], of[ALL]),
                surface_m: mean(of[LAND_M] + of[MOUNTAIN], of[ALL]),
                rain_mm: mean(of[RAIN], of[ALL]),
            },
            runoff_m3_s: square(square(mean(of[RUNOFF_ROOT], of[DRY]))),
            kind: mean(of[KIND], of[ALL]),
            lake: None,
        }
    }
}
