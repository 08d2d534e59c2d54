//! Features: what a region is drawn from. They live in world coordinates, never in pixels.
//!
//! Each function here is cellwise: it sees one cell, its neighbours, and the keys of its edges, and nothing
//! else. What two neighbours must agree on (where a ridge or a river crosses their border, at what height, in
//! which direction) is drawn from the edge and from both cells alike.
//!
//! Positions are metres in bent space (see `docs/models/region.md`); [`features_of`] gives them unbent.

mod buttresses;
mod crests;
mod crossing;
mod heights;
mod hills;
mod peaks;
mod plan;
mod ridges;
mod rivers;

pub(crate) use buttresses::{Sprout, Surface, Tree, generations};
pub use crests::{CrestSegment, crest_lines_near};

use crate::bend::Bend;
use crate::patch::Patch;
use grid::{Cell, Grid, Key, Nth, Seed, Topology, Vec3, math};
use heights::Heights;
use world::{CellSource, CellState, GatherError};

/// How many rings of cells around a cell its features depend on.
pub(crate) const RINGS: usize = 2;

/// A line of high ground: a ridge, a hill, or a buttress that leaves one.
#[derive(Clone, Debug, PartialEq)]
pub struct Crest {
    /// Points in metres.
    pub points_m: Vec<Vec3>,
    /// Height at each point above the massif, in metres.
    pub heights_m: Vec<f64>,
    /// Fall to both sides, in metres per metre.
    pub slope: f64,
    /// 0 for a ridge, 1 for a buttress, 2 for a buttress of a buttress, and so on.
    pub generation: u8,
    /// How its sides fall.
    pub profile: Profile,
    /// What grows on it is drawn from this.
    key: Key,
}

/// How the sides of a crest of height h fall with the distance d from it, at the slope s; with x = d s / h.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Profile {
    /// Evenly: h (1 - x).
    Linear,
    /// Steeply at the crest, level at the foot: h (1 - x)^2.
    Concave,
    /// Ever steeper, and not at all beyond a reach r: h - s d / (1 - (d / r)^2).
    Spur {
        /// Reach in metres.
        reach_m: f64,
    },
}

impl Profile {
    /// Even fall of concave sides, as a share of the fall of even ones: they are steeper above and reach farther.
    const CONCAVE_SLOPE: f64 = 0.62;
    /// Lines as high as this, in widths of a cell, may begin to be concave; higher ones than the second all are.
    const CONCAVE: (f64, f64) = (0.04, 0.16);

    /// The profile of a ridge or hill: the higher, the more of them are concave.
    fn drawn(height_m: f64, cell_m: f64, key: Key) -> Self {
        const PROFILE: Nth = Nth(1 << 16);
        let chance = math::smoothstep(Self::CONCAVE.0, Self::CONCAVE.1, height_m / cell_m);
        if key.at(PROFILE).unit() < chance { Self::Concave } else { Self::Linear }
    }

    /// Height beside a crest; what lies below 0 may be any number below 0. It is never above the even side, rises with
    /// the crest and falls with the distance.
    pub(crate) fn side_m(self, crest_m: f64, slope: f64, distance_m: f64) -> f64 {
        let even_m = crest_m - slope * distance_m;
        match self {
            Self::Linear => even_m,
            Self::Concave if even_m > 0.0 => even_m * (even_m / crest_m),
            Self::Concave => even_m,
            Self::Spur { reach_m } if distance_m < reach_m => {
                let x = distance_m / reach_m;
                crest_m - slope * distance_m / (1.0 - x * x)
            }
            Self::Spur { .. } => f64::NEG_INFINITY,
        }
    }

    /// Fall at the crest where the even fall would be `slope`.
    fn steepness(self, slope: f64) -> f64 {
        if self == Self::Concave { 2.0 * slope } else { slope }
    }
}

/// A peak template that is pasted at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Peak {
    /// Its middle in metres.
    pub center_m: Vec3,
    /// Height above the massif in metres.
    pub height_m: f64,
    /// Half its side in metres.
    pub radius_m: f64,
    /// Number of the template.
    pub template: u8,
    /// The template's axes as unit vectors along the surface: turned, and mirrored for half of all peaks.
    pub axes: [Vec3; 2],
}

/// A river's way through half a cell: from a border to the junction, or from the junction to a border.
#[derive(Clone, Debug, PartialEq)]
pub struct River {
    /// The cell whose water runs here.
    pub from: Cell,
    /// Points in metres, downstream.
    pub points_m: Vec<Vec3>,
    /// Surface of the water at each point, in metres; never rises.
    pub surface_m: Vec<f64>,
    /// Bed at each point, in metres; never rises, from one piece to the next either.
    pub bed_m: Vec<f64>,
    /// Discharge in m3/s.
    pub discharge_m3_s: f64,
    /// Whether this half of the way is through a land cell.
    pub on_land: bool,
    /// Width at the start and at the end, relative to that of the discharge: rivers widen into the sea.
    pub flare: (f64, f64),
    /// Strahler order; 0 for a brook below the world's threshold of rivers.
    pub order: u8,
    /// Rise of the valley's sides, in metres per metre.
    pub side_slope: f64,
}

/// All features of one cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellFeatures {
    /// Ridges from the borders to the cell's junction, one for each set bit.
    pub ridges: Vec<Crest>,
    /// Short ridges where mountains have none from the world.
    pub hills: Vec<Crest>,
    /// Peaks on ridges and hills.
    pub peaks: Vec<Peak>,
    /// Buttresses, generation by generation.
    pub buttresses: Vec<Crest>,
    /// Rivers that come in, and the one that leaves.
    pub rivers: Vec<River>,
    /// What grows on what.
    pub(crate) tree: Tree,
}

/// A mountain height as features use it: what is no number, or no height of a planet's mountains, counts as one that is.
fn sound_m(height_m: f64) -> f64 {
    const HIGHEST_M: f64 = 30_000.0;
    if height_m.is_nan() { 0.0 } else { height_m.clamp(0.0, HIGHEST_M) }
}

/// Height of ridges above the massif they stand on, in metres, for mountains of a height.
///
/// A range is wider than a cell in the world; what a cell's own ridges can add is bounded by how far their
/// sides can fall within it. The rest is massif, interpolated from cell to cell.
pub(crate) fn prominence_m(mountain_height_m: f64, cell_m: f64) -> f64 {
    const SHARE: f64 = 0.62;
    (SHARE * mountain_height_m).min(0.45 * RIDGE_SLOPE * cell_m)
}

/// Fall beside the ridges of high mountains, in metres per metre.
pub(crate) const RIDGE_SLOPE: f64 = 0.5;

/// What features are made from: a patch of cells, the seed, and how deep to go.
pub(crate) struct Maker<'a> {
    pub patch: &'a Patch<'a>,
    pub seed: Seed,
    pub cell_m: f64,
    /// Generations of buttresses.
    pub generations: u8,
}

impl CellFeatures {
    /// Whether nothing rises in the cell.
    pub(crate) fn is_level(&self) -> bool {
        self.ridges.is_empty() && self.hills.is_empty() && self.peaks.is_empty()
    }
}

impl Maker<'_> {
    /// All features of a cell; cells up to [`RINGS`] away must be in the patch.
    pub fn features(&self, cell: Cell) -> CellFeatures {
        let Some(state) = self.patch.get(cell) else { return CellFeatures::default() };
        let rivers = self.rivers(cell, state);
        if sound_m(state.mountain_height_m) <= 0.0 {
            return CellFeatures { rivers, ..CellFeatures::default() };
        }
        let heights = Heights::of(self, cell, state);
        let ridges = self.ridges(cell, state, &heights, &rivers);
        let hills = if ridges.is_empty() { self.hills(cell, &heights, &rivers) } else { Vec::new() };
        CellFeatures { rivers, ..self.risen(cell, &heights, (ridges, hills)) }
    }

    /// The ridges of a cell alone: what large things see.
    pub fn ridge_lines(&self, cell: Cell) -> Vec<Crest> {
        let ridged = |s: &&CellState| s.ridges.directions().next().is_some();
        let Some(state) = self.patch.get(cell).filter(ridged) else { return Vec::new() };
        self.ridges(cell, state, &Heights::of(self, cell, state), &self.rivers(cell, state))
    }

    /// All features of a cell but rivers, from its ridges.
    pub fn raised(&self, cell: Cell, ridges: &[Crest]) -> CellFeatures {
        let mountains = |s: &&CellState| sound_m(s.mountain_height_m) > 0.0;
        let Some(state) = self.patch.get(cell).filter(mountains) else { return CellFeatures::default() };
        let heights = Heights::of(self, cell, state);
        let hills = match ridges {
            [] => self.hills(cell, &heights, &self.rivers(cell, state)),
            _ => Vec::new(),
        };
        self.risen(cell, &heights, (ridges.to_vec(), hills))
    }

    /// Ridges and hills with all that stands on them.
    fn risen(
        &self,
        cell: Cell,
        heights: &Heights,
        (ridges, hills): (Vec<Crest>, Vec<Crest>),
    ) -> CellFeatures {
        let peaks = self.peaks(cell, heights, if ridges.is_empty() { &hills } else { &ridges });
        let (buttresses, tree) = self.buttresses(&[&ridges, &hills]);
        CellFeatures { ridges, hills, peaks, buttresses, rivers: Vec::new(), tree }
    }

    /// Only the rivers of a cell: what a distant view needs.
    pub fn rivers_only(&self, cell: Cell) -> CellFeatures {
        let rivers = self.patch.get(cell).map(|state| self.rivers(cell, state));
        CellFeatures { rivers: rivers.unwrap_or_default(), ..CellFeatures::default() }
    }

    fn grid(&self) -> &Topology {
        self.patch.grid
    }

    /// A point within a cell in metres: 0 to 1 eastwards and southwards.
    fn within_m(&self, cell: Cell, along: f64, down: f64) -> Vec3 {
        self.grid().within(cell, along, down) * self.grid().metres_per_unit()
    }

    /// A direction along the surface at a place.
    fn heading(&self, p: Vec3, angle: f64) -> Vec3 {
        let (u, v) = self.grid().tangents(p);
        u * math::cos(angle) + v * math::sin(angle)
    }
}

/// The features of some cells, for drawing and for files: positions in metres, not bent.
///
/// # Errors
/// Whatever keeps the source from giving the states of the cells and their neighbours.
pub fn features_of(
    source: &impl CellSource,
    cells: &[Cell],
    generations: u8,
) -> Result<Vec<CellFeatures>, GatherError> {
    made_of(source, cells, generations, |maker, bend, cell| {
        let made = if generations == 0 { maker.rivers_only(cell) } else { maker.features(cell) };
        unbent(made, bend)
    })
}

/// Makes something of each of some cells, in parallel.
fn made_of<T: Send>(
    source: &impl CellSource,
    cells: &[Cell],
    generations: u8,
    make: impl Fn(&Maker, &Bend, Cell) -> T + Sync,
) -> Result<Vec<T>, GatherError> {
    use rayon::prelude::*;
    let grid = source.grid();
    let mut needed: Vec<Cell> = cells.iter().flat_map(|&c| grid.halo(c, RINGS)).collect();
    needed.sort_unstable();
    needed.dedup();
    let patch = Patch::fetch(source, needed)?;
    let seed = Seed(source.recipe().seed);
    let maker = Maker { patch: &patch, seed, cell_m: grid.cell_m(), generations };
    let bend = Bend::new(grid, seed, 0.0);
    Ok(cells.par_iter().map(|&cell| make(&maker, &bend, cell)).collect())
}

/// Features where they are seen.
fn unbent(mut features: CellFeatures, bend: &Bend) -> CellFeatures {
    let crests = features.ridges.iter_mut().chain(&mut features.hills).chain(&mut features.buttresses);
    let lines = crests.map(|c| &mut c.points_m);
    let points = lines.chain(features.rivers.iter_mut().map(|r| &mut r.points_m)).flatten();
    for p in points.chain(features.peaks.iter_mut().map(|p| &mut p.center_m)) {
        *p = bend.unbend(*p);
    }
    features
}

#[cfg(test)]
mod tests;
