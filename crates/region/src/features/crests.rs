//! Crest lines for others: where ridges and hills run, in plain space, and how high.

use super::heights::Heights;
use super::{Maker, made_of};
use crate::bend::Bend;
use grid::{Cell, Vec3};
use world::{CellSource, GatherError};

/// A straight piece of a ridge or hill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrestSegment {
    /// The cell it belongs to.
    pub cell: Cell,
    /// Its ends in metres, not bent.
    pub ends_m: [Vec3; 2],
    /// Height of the ends above the massif, in metres.
    pub heights_m: [f64; 2],
    /// Height of the ends above the mountain-free land, in metres.
    pub tops_m: [f64; 2],
    /// Whether it belongs to a ridge of the world, and not to a hill.
    pub ridge: bool,
}

/// The crest lines of some cells, cell by cell in the order asked. Positions are those of plain space.
///
/// # Errors
/// Whatever keeps the source from giving the states of the cells and those around them.
pub fn crest_lines_near(source: &impl CellSource, cells: &[Cell]) -> Result<Vec<CrestSegment>, GatherError> {
    let lines = made_of(source, cells, 1, |maker, bend, cell| maker.crest_lines(bend, cell))?;
    Ok(lines.into_iter().flatten().collect())
}

impl Maker<'_> {
    /// The crest lines of a cell, unbent.
    pub(crate) fn crest_lines(&self, bend: &Bend, cell: Cell) -> Vec<CrestSegment> {
        let Some(state) = self.patch.get(cell) else { return Vec::new() };
        let rivers = self.rivers(cell, state);
        let heights = Heights::of(self, cell, state);
        let ridges = self.ridges(cell, state, &heights, &rivers);
        let ridge = !ridges.is_empty();
        let crests = if ridge { ridges } else { self.hills(cell, &heights, &rivers) };
        let mut segments = Vec::new();
        for crest in &crests {
            let (points, above) = (&crest.points_m, &crest.heights_m);
            let tops: Vec<f64> = points.iter().zip(above).map(|(&p, &m)| heights.top_m(p, m)).collect();
            let plain: Vec<Vec3> = points.iter().map(|&p| bend.unbend(p)).collect();
            segments.extend((1..points.len()).map(|k| CrestSegment {
                cell,
                ends_m: [plain[k - 1], plain[k]],
                heights_m: [above[k - 1], above[k]],
                tops_m: [tops[k - 1], tops[k]],
                ridge,
            }));
        }
        segments
    }
}
