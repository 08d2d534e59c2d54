//! Features: what a region is drawn from. They live in world coordinates, never in pixels.
//!
//! Each function here is cellwise: it sees one cell, its neighbours, and the keys of its edges, and nothing
//! else. What two neighbours must agree on (where a ridge or a river crosses their border, at what height, in
//! which direction) is drawn from the edge and from both cells alike.
//!
//! Positions are metres in bent space (see `docs/models/region.md`); [`features_of`] gives them unbent.

mod buttresses;
mod crossing;
mod peaks;
mod ridges;
mod rivers;

use crate::bend::Bend;
use crate::patch::Patch;
use grid::{Cell, Grid, Seed, Topology, Vec3, math};
use world::{CellSource, CellState, GatherError};

/// A line of high ground: a ridge, or a buttress that leaves one.
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
    /// Peaks on ridges, and single hills where there is no ridge.
    pub peaks: Vec<Peak>,
    /// Buttresses of all generations.
    pub buttresses: Vec<Crest>,
    /// Rivers that come in, and the one that leaves.
    pub rivers: Vec<River>,
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

impl Maker<'_> {
    /// All features of a cell whose neighbours are in the patch.
    pub fn features(&self, cell: Cell) -> CellFeatures {
        let Some(state) = self.patch.get(cell) else { return CellFeatures::default() };
        let ridges = self.ridges(cell, state);
        let buttresses = self.buttresses(cell, &ridges);
        CellFeatures {
            peaks: self.peaks(cell, state, &ridges),
            rivers: self.rivers(cell, state),
            ridges,
            buttresses,
        }
    }

    /// Only the rivers of a cell: what a distant view needs.
    pub fn rivers_only(&self, cell: Cell) -> CellFeatures {
        let rivers = self.patch.get(cell).map(|state| self.rivers(cell, state));
        CellFeatures { rivers: rivers.unwrap_or_default(), ..CellFeatures::default() }
    }

    fn grid(&self) -> &Topology {
        self.patch.grid
    }

    fn prominence(&self, state: &CellState) -> f64 {
        prominence_m(state.mountain_height_m, self.cell_m)
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
    use rayon::prelude::*;
    let grid = source.grid();
    let mut needed: Vec<Cell> = cells.iter().flat_map(|&c| grid.halo(c, 1)).collect();
    needed.sort_unstable();
    needed.dedup();
    let patch = Patch::fetch(source, needed)?;
    let seed = Seed(source.recipe().seed);
    let maker = Maker { patch: &patch, seed, cell_m: grid.cell_m(), generations };
    let bend = Bend::new(grid, seed, 0.0);
    let unbent = |mut features: CellFeatures| {
        let lines = features.ridges.iter_mut().chain(&mut features.buttresses).map(|c| &mut c.points_m);
        let points = lines.chain(features.rivers.iter_mut().map(|r| &mut r.points_m)).flatten();
        for p in points.chain(features.peaks.iter_mut().map(|p| &mut p.center_m)) {
            *p = bend.unbend(*p);
        }
        features
    };
    let of_cell = |&cell: &Cell| {
        let deep = if generations == 0 { maker.rivers_only(cell) } else { maker.features(cell) };
        unbent(deep)
    };
    Ok(cells.par_iter().map(of_cell).collect())
}
