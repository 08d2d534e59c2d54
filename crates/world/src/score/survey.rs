//! What several measurements ask of a world, worked out once.

use crate::state::World;
use grid::{Cell, Field, Grid, Topology};
use hydro::{Flow, FlowError};

/// A world with the fields that are derived from it.
pub(super) struct Survey<'a> {
    pub(super) world: &'a World,
    /// Area of each cell.
    pub(super) area_m2: Field<f64>,
    /// The true surface: of the ground on land, of the water in lakes, of the floor at sea.
    pub(super) surface_m: Field<f32>,
    pub(super) flow: Flow,
}

impl<'a> Survey<'a> {
    /// # Errors
    /// Receivers that are not a flow: the file was not written by this program.
    pub(super) fn new(world: &'a World) -> Result<Self, FlowError> {
        let shape = world.grid.shape();
        let surface = |cell| {
            let ground = world.surface_m(cell);
            if world.continentality[cell] > 0.0 { ground.max(world.water_level_m[cell]) } else { ground }
        };
        Ok(Self {
            world,
            area_m2: Field::from_fn(shape, |cell| world.grid.area_m2(cell)),
            surface_m: Field::from_fn(shape, surface),
            flow: Flow::from_receivers(&world.grid, world.receiver.clone())?,
        })
    }

    pub(super) fn grid(&self) -> &'a Topology {
        &self.world.grid
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        self.world.grid.cells()
    }

    /// Lakes are land.
    pub(super) fn is_land(&self, cell: Cell) -> bool {
        self.world.continentality[cell] > 0.0
    }

    pub(super) fn land(&self) -> impl Iterator<Item = Cell> {
        self.cells().filter(|&c| self.is_land(c))
    }

    /// Whether the water of a land cell leaves the land there: into the sea, or over the border of a flat map.
    pub(super) fn is_mouth(&self, cell: Cell) -> bool {
        match self.flow.receiver_of(&self.world.grid, cell) {
            Some(below) => !self.is_land(below),
            None => self.world.grid.at_border(cell),
        }
    }
}
