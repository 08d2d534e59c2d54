//! Owners: of every site the world's cell whose water it adds to.
//!
//! A site's water reaches a trunk of its level, that of one parent: the parent owns the site. So from level to level, up
//! to a cell. Water that runs into the sea by itself, at any level, has no owner. The owner is often not the cell that
//! the site lies in: basins of the children interlock along the cells' borders.
//!
//! Cost: a few steps at each level.

use super::levels::{Coarse, Drainage, Guides};
use super::plan::Spot;
use grid::{Cell, Level, Part, Topology};

/// Follows sites up through the levels.
pub(crate) struct Owners<'a, F> {
    grid: &'a Topology,
    /// Of every level what is known of its sites.
    spots: Vec<F>,
}

/// The owners of the sites of a drainage.
pub(crate) fn owners<'a, C: Coarse, G: Guides>(
    grid: &'a Topology,
    drainage: &'a Drainage<C, G>,
    level: Level,
) -> Owners<'a, impl Fn(Part) -> Spot> {
    Owners { grid, spots: (0..=level.0).map(|l| drainage.spots(Level(l))).collect() }
}

impl<F: Fn(Part) -> Spot> Owners<'_, F> {
    /// The cell that owns a site.
    pub fn of(&self, site: Part) -> Option<Cell> {
        let mut part = site;
        for level in (1..=site.level.0).rev() {
            let spot = self.spots[usize::from(level)](part);
            if spot.creek {
                return None;
            }
            part = spot.outlet;
        }
        Some(self.grid.cell_of(part))
    }
}
