//! Cells as terrain sees them, and their means at a place: the kernel of [`crate::ground`], with the sides of coasts and
//! lakes as signed distances instead of yes and no.

use super::country::Kinds;
use super::lakes::{LakeCell, LakeNear, nearest_lake};
use crate::features::prominence_m;
use crate::patch::Patch;
use grid::{Cell, Grid, Topology, Vec3, math};

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
    water_m: f64,
    base_m: f64,
    massif_m: f64,
    mountain_m: f64,
    temperature_c: f64,
    rain_mm: f64,
    /// Fourth root of the runoff, in m3/s; not of lakes.
    runoff_root: Option<f64>,
    /// Noise that says what kind of country it is.
    kind: f64,
}

/// Radius of a ball around a cell, in metres.
pub(super) fn radius_m(patch: &Patch, cell: Cell) -> f64 {
    /// A cell lies within a ball through its corners that is so much wider.
    const BULGE: f64 = 1.02;
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
    pub fn of(
        patch: &Patch,
        cell: Cell,
        kinds: &Kinds,
        distance: impl Fn(Cell) -> Option<f64>,
    ) -> Option<Self> {
        let state = *patch.get(cell)?;
        let (center_m, height_m) = (patch.center_m(cell), state.mountain_height_m);
        Some(Self {
            center_m,
            radius_m: radius_m(patch, cell),
            coast: own_side(patch.grid, cell, distance)?,
            is_land: state.is_land(),
            water_m: state.water_level_m,
            base_m: state.base_elevation_m,
            massif_m: height_m - prominence_m(height_m, patch.grid.cell_m()),
            mountain_m: height_m,
            temperature_c: state.temperature_c,
            rain_mm: state.rain_mm,
            runoff_root: state.lake.is_none().then(|| state.runoff_m3_s.max(0.0).sqrt().sqrt()),
            kind: kinds.at(center_m),
        })
    }
}

/// The continental field in units of its own change from cell to cell.
pub(super) fn distance(patch: &Patch, cell: Cell) -> Option<f64> {
    let own = patch.get(cell)?.continentality;
    let around = patch.grid.neighbors(cell).filter_map(|(_, n)| patch.get(n));
    let (sum, count) = around.fold((0.0, 0.0), |(s, n), c| (s + (c.continentality - own).abs(), n + 1.0));
    let scale = 1.2 * sum / f64::max(count, 1.0) + 1e-4;
    let cells = own / (scale + 0.5 * own.abs());
    Some(if own > 0.0 { cells.clamp(LEAST_COAST, 1.0) } else { cells.clamp(-1.0, -LEAST_COAST) })
}

/// The same, raised where the neighbours would carry the cell's centre over to the other side.
fn own_side(grid: &Topology, cell: Cell, distance: impl Fn(Cell) -> Option<f64>) -> Option<f64> {
    let own = distance(cell)?;
    let (mut sum, mut all) = (own, 1.0);
    for (direction, neighbor) in grid.neighbors(cell) {
        let weight = if direction.is_side() { BESIDE } else { ACROSS };
        sum += weight * distance(neighbor).unwrap_or(own);
        all += weight;
    }
    let lacking = OWN_SIDE - own.signum() * sum / all;
    Some(own + own.signum() * lacking.max(0.0) * all)
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
    pub temperature_c: f64,
    pub rain_mm: f64,
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
            temperature_c: mix(|m| m.temperature_c),
            rain_mm: mix(|m| m.rain_mm),
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

/// The means over some cells, in the order of their addresses, at a place in bent space. Coasts need a look at cells
/// only where those that can weigh lie on both sides.
pub(super) fn means((cells, sides): (&[Known], Sides), lakes: &[LakeCell], q: Vec3, cell_m: f64) -> Means {
    let inverse = 1.0 / (RADIUS_CELLS * cell_m * (RADIUS_CELLS * cell_m));
    let far = |known: &Known| (q - known.center_m).length_squared() * inverse;
    let mut sum = Sums::default();
    for known in cells {
        let left = 1.0 - far(known);
        if left > 0.0 {
            sum.add(left * left * left, known);
        }
    }
    let mut means = sum.means();
    (means.coast, means.mixed) = match sides {
        Sides::Land => (1.0, 0.0),
        Sides::Sea => (-1.0, 0.0),
        Sides::Both => coast(cells, q, cell_m),
    };
    means.lake = nearest_lake(lakes, q, cell_m);
    means
}

/// About the distance to the coast in cells, and how much both sides are near.
fn coast(cells: &[Known], q: Vec3, cell_m: f64) -> (f64, f64) {
    let inverse = 1.0 / (COAST_RADIUS_CELLS * cell_m * (COAST_RADIUS_CELLS * cell_m));
    let (mut all, mut land, mut sum) = (0.0, 0.0, 0.0);
    // sums over the gradients of the weights, but for a factor that all have
    let (mut slopes, mut sloped) = (Vec3::default(), Vec3::default());
    for known in cells {
        let off = q - known.center_m;
        let left = 1.0 - off.length_squared() * inverse;
        if left > 0.0 {
            let slope = off * (left * left);
            slopes += slope;
            sloped += slope * known.coast;
            let w = left * left * left;
            all += w;
            sum += w * known.coast;
            land += if known.is_land { w } else { 0.0 };
        }
    }
    let (mean, share) = (sum / f64::max(all, 1e-9), land / f64::max(all, 1e-9));
    let factor = 6.0 * inverse * cell_m / f64::max(all, 1e-9);
    let slope = (sloped - slopes * mean) * factor;
    let distance = mean / (slope.length_squared() + LEAST_SLOPE * LEAST_SLOPE).sqrt();
    let mixed = math::smoothstep(0.0, MIXED_SHARE, share.min(1.0 - share));
    let own = if share > 0.5 { 1.0 } else { -1.0 };
    (math::mix(own, distance.clamp(-2.0, 2.0), mixed), mixed)
}

#[derive(Default)]
struct Sums {
    all: f64,
    kind: f64,
    mountain: f64,
    massif: f64,
    temperature: f64,
    rain: f64,
    dry: f64,
    runoff_root: f64,
    land: f64,
    land_m: f64,
    land_m2: f64,
    sea: f64,
    sea_m: f64,
}

impl Sums {
    fn add(&mut self, w: f64, known: &Known) {
        self.all += w;
        self.kind += w * known.kind;
        self.mountain += w * known.mountain_m;
        self.massif += w * known.massif_m;
        self.temperature += w * known.temperature_c;
        self.rain += w * known.rain_mm;
        if known.is_land {
            self.land += w;
            self.land_m += w * known.water_m;
            self.land_m2 += w * known.water_m * known.water_m;
            if let Some(root) = known.runoff_root {
                self.dry += w;
                self.runoff_root += w * root;
            }
        } else {
            self.sea += w;
            self.sea_m += w * known.base_m;
        }
    }

    fn means(&self) -> Means {
        let mean = |sum: f64, weight: f64| if weight > 0.0 { sum / weight } else { 0.0 };
        // where hardly any land is near it comes down to the sea, and the floor up to it
        let few = |weight: f64| math::smoothstep(0.0, FEW_SHARE, weight / self.all.max(1e-9));
        let plain_m = mean(self.land_m, self.land);
        let square = |x: f64| x * x;
        Means {
            coast: 0.0,
            mixed: 0.0,
            land_m: plain_m * few(self.land),
            rough_m: (mean(self.land_m2, self.land) - plain_m * plain_m).max(0.0).sqrt() * few(self.land),
            sea_m: mean(self.sea_m, self.sea) * few(self.sea),
            massif_m: mean(self.massif, self.all).max(0.0),
            mountain_m: mean(self.mountain, self.all).max(0.0),
            temperature_c: mean(self.temperature, self.all),
            rain_mm: mean(self.rain, self.all),
            runoff_m3_s: square(square(mean(self.runoff_root, self.dry))),
            kind: mean(self.kind, self.all),
            lake: None,
        }
    }
}
