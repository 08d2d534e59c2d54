//! Lakes: what the flood filled.

use crate::stencil::assert_shape;
use crate::{Flood, Flow};
use grid::{Cell, Field, Grid};

/// Cells that hang together along links, whose common water level is above their ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Lake {
    /// By address.
    pub cells: Vec<Cell>,
    /// Water level in metres.
    pub level_m: f32,
    /// The cell inside the lake whose receiver is outside it (of several, that of the lowest address). A flow from
    /// [`route`](crate::route()) has exactly one.
    pub outlet: Option<Cell>,
    /// Water in the lake: the sum of depth times cell area.
    pub volume_m3: f64,
    /// Area of the surface.
    pub area_m2: f64,
    /// Greatest depth.
    pub depth_max_m: f32,
}

/// In a field of lakes: dry.
const NO_LAKE: u32 = u32::MAX;

/// The lakes of a flood over `elevation` (metres) that are at least `min_depth_m` deep at their deepest and have at
/// least `min_cells` cells, by the address of their first cell.
///
/// Cost: linear, apart from the areas that the grid is asked for.
pub fn lakes(
    grid: &impl Grid,
    elevation: &Field<f32>,
    flood: &Flood,
    flow: &Flow,
    min_depth_m: f32,
    min_cells: usize,
) -> Vec<Lake> {
    assert_shape(grid, elevation, "the elevation");
    assert_shape(grid, &flood.filled, "the flood");
    assert_shape(grid, &flow.receiver, "the flow");
    let (pools, number) = pools(grid, elevation, flood);
    let depth_m = |cell| flood.filled[cell] - elevation[cell];
    let mut extents = vec![(0usize, 0f32); number];
    let wet = || (0..grid.len()).map(Cell::from_index).filter(|&c| pools[c] != NO_LAKE);
    for cell in wet() {
        let (cells, depth_max_m) = &mut extents[pools[cell] as usize];
        *cells += 1;
        *depth_max_m = depth_max_m.max(depth_m(cell));
    }
    let mut place = vec![None; number];
    let mut lakes: Vec<Lake> = Vec::new();
    for cell in wet() {
        let pool = pools[cell];
        let (cells, depth_max_m) = extents[pool as usize];
        if cells < min_cells || depth_max_m < min_depth_m {
            continue;
        }
        let index = *place[pool as usize].get_or_insert_with(|| {
            lakes.push(Lake {
                cells: Vec::with_capacity(cells),
                level_m: flood.filled[cell],
                outlet: None,
                volume_m3: 0.0,
                area_m2: 0.0,
                depth_max_m,
            });
            lakes.len() - 1
        });
        let leaves = flow.target(cell).is_some_and(|target| pools[target] != pool);
        lakes[index].take_in(cell, depth_m(cell), grid.area_m2(cell), leaves);
    }
    lakes
}

impl Lake {
    fn take_in(&mut self, cell: Cell, depth_m: f32, area_m2: f64, leaves: bool) {
        self.cells.push(cell);
        self.area_m2 += area_m2;
        self.volume_m3 += f64::from(depth_m) * area_m2;
        if leaves && self.outlet.is_none() {
            self.outlet = Some(cell);
        }
    }
}

/// A number for each pool of standing water, and how many there are.
///
/// A depression is flooded from one of its cells, so a wet cell whose parent is wet is in its parent's pool, and
/// one whose parent is dry begins another.
fn pools(grid: &impl Grid, elevation: &Field<f32>, flood: &Flood) -> (Field<u32>, usize) {
    let mut pools = Field::filled(grid.shape(), NO_LAKE);
    let mut number = 0;
    for &cell in flood.order().iter().filter(|&&c| flood.filled[c] > elevation[c]) {
        let above = flood.parent_of(grid, cell).map_or(NO_LAKE, |parent| pools[parent]);
        pools[cell] = if above != NO_LAKE { above } else { number };
        number += u32::from(above == NO_LAKE);
    }
    (pools, number as usize)
}
