//! Land cover: the Koeppen-Geiger class of a place at its own height.
//!
//! The world knows the temperature T and the rain P of each month m of a cell at the cell's height h. At a place, with
//! the cells near it weighted as for the ground (w, which add up to 1 over land cells, or over all where none is land),
//!
//! ```text
//! T(m) = sum w (T_cell(m) + lapse h_cell) - lapse z        P(m) = sum w P_cell(m)
//! ```
//!
//! with the lapse rate of the recipe and the height z of the place; the class of these twenty-four numbers is that of
//! Peel, Finlayson & McMahon (2007), [`world::climate::koppen_class`]. So a summit in the tropics has ice, and
//! the valley beside it has forest, in one cell.
//!
//! It neglects that rain too changes with height within a cell, that slopes face the sun or not, and cold air in valleys.

use crate::blend::Share;
use grid::Cell;
use world::climate::koppen_class;
use world::{CellClimate, CellSource, CellState, GatherError};

/// Months of a cell as at sea level.
struct Near {
    sea_level_c: [f32; 12],
    rain_mm: [f32; 12],
    is_land: bool,
}

/// The climates of some cells.
pub struct Climates {
    cells: Vec<Cell>,
    near: Vec<Near>,
    lapse_c_m: f32,
}

impl Climates {
    /// Fetches the climates of cells, which must be sorted and without repeats.
    ///
    /// # Errors
    /// Whatever keeps the source from giving them.
    pub fn fetch(source: &impl CellSource, cells: Vec<Cell>) -> Result<Self, GatherError> {
        let lapse_c_m = source.recipe().climate.lapse_c_m() as f32;
        let (states, climates) = (source.gather(&cells)?, source.climates(&cells)?);
        let near = states.iter().zip(&climates).map(|(state, climate)| reduced(state, climate, lapse_c_m));
        Ok(Self { near: near.collect(), cells, lapse_c_m })
    }

    /// The class, 1 to 30, of a place at a height with shares of these cells.
    pub fn class(&self, shares: &[Share], height_m: f32) -> u8 {
        let known = |s: &Share| Some((&self.near[self.cells.binary_search(&s.cell).ok()?], s.share));
        let on_land = shares.iter().filter_map(known).any(|(near, _)| near.is_land);
        let (mut temperature_c, mut rain_mm, mut all) = ([0.0; 12], [0.0; 12], 0.0);
        for (near, share) in shares.iter().filter_map(known).filter(|(near, _)| near.is_land || !on_land) {
            all += share;
            for m in 0..12 {
                temperature_c[m] += share * near.sea_level_c[m];
                rain_mm[m] += share * near.rain_mm[m];
            }
        }
        let cooling = self.lapse_c_m * height_m.max(0.0);
        koppen_class(&temperature_c.map(|t| t / all - cooling), &rain_mm.map(|p| p / all))
    }
}

fn reduced(state: &CellState, climate: &CellClimate, lapse_c_m: f32) -> Near {
    // the height that the world's climate took the cell for
    let surface_m = (state.base_elevation_m + state.mountain_height_m) as f32;
    let height_m = if state.is_land() { surface_m.max(0.0) } else { 0.0 };
    Near {
        sea_level_c: climate.temperature_c.map(|t| t + lapse_c_m * height_m),
        rain_mm: climate.rain_mm,
        is_land: state.is_land(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::Grid;
    use world::{Recipe, simulate};

    #[test]
    fn at_its_own_height_a_cell_has_the_class_of_the_world() {
        let mut recipe = Recipe::preset("earthlike").expect("built in");
        recipe.grid.cells = 32;
        let world = simulate(&recipe, &|_, _| {}).expect("sound");
        let land: Vec<Cell> = world.grid.cells().filter(|&c| world.cell(c).is_land()).collect();
        let climates = Climates::fetch(&world, land.clone()).expect("in memory");
        let (mut same, mut colder) = (0, 0);
        for &cell in &land {
            let share = [Share { cell, share: 1.0 }];
            let height_m = world.surface_m(cell).max(0.0);
            same += usize::from(climates.class(&share, height_m) == world.koppen[cell]);
            // 6 deg C a km: ten kilometres up there is ice whatever the place, but in a desert
            let high = climates.class(&share, height_m + 10_000.0);
            colder += usize::from(high == 30 || (4..8).contains(&high));
        }
        // rounding of months puts a few on the other side of a threshold
        assert!(same as f64 > 0.995 * land.len() as f64, "{same} of {}", land.len());
        assert_eq!(colder, land.len());
    }

    #[test]
    fn sea_cells_say_nothing_where_there_is_land() {
        let mut recipe = Recipe::preset("earthlike").expect("built in");
        recipe.grid.cells = 16;
        let world = simulate(&recipe, &|_, _| {}).expect("sound");
        let find = |land: bool| {
            world.grid.cells().find(|&c| world.cell(c).is_land() == land).expect("both there are")
        };
        let (land, sea) = (find(true), find(false));
        let mut cells = vec![land, sea];
        cells.sort_unstable();
        let climates = Climates::fetch(&world, cells).expect("in memory");
        let alone = climates.class(&[Share { cell: land, share: 1.0 }], 100.0);
        let mixed = [Share { cell: land, share: 0.25 }, Share { cell: sea, share: 0.75 }];
        assert_eq!(climates.class(&mixed, 100.0), alone);
        assert!((1..=30).contains(&climates.class(&[Share { cell: sea, share: 1.0 }], 1.0)));
    }
}
