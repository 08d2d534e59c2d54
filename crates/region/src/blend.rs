//! Blending: any value of the world's cells at the samples of a window, without terrain.
//!
//! Ground is the weighted mean of the cells near a place in bent space. The same cells and weights serve any other
//! field: a mean of numbers, or a vote among classes, whose borders then wind as the ground does and show nothing
//! of the grid. For maps of one quantity this costs a part of what terrain costs.

use crate::bend::Bend;
use crate::ground::{RADIUS_CELLS, RINGS};
use crate::lattice::{Lattice, Window};
use grid::{Cell, Grid, Seed, Topology, Vec3};
use rayon::prelude::*;

/// Samples along a side of a tile.
const TILE: usize = 16;

/// A cell near a sample, and its share in what is blended there; shares add up to one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The cell.
    pub cell: Cell,
    /// Its share, above 0.
    pub share: f32,
}

/// A value for every sample of a window, row by row from the north, made from the cells near it.
///
/// `outside` is the value beyond the poles, off the globe or beyond the border of a flat map, and of samples that lie
/// in cells without `interest`: those are passed over quickly. Each value depends on the world's seed and grid, the
/// sample's own position and the spacing, never on the window. Runs on all threads.
pub fn blend<T: Clone + Send + Sync>(
    (grid, seed): (&Topology, Seed),
    (lattice, window): (&Lattice, &Window),
    outside: T,
    interest: impl Fn(Cell) -> bool + Sync,
    value: impl Fn(&[Share]) -> T + Sync,
) -> Vec<T> {
    blend_with((grid, seed), (lattice, window), outside, interest, |_, shares| value(shares))
}

/// The same for values that also depend on what else is known of a sample: `value` is told its index.
pub(crate) fn blend_with<T: Clone + Send + Sync>(
    (grid, seed): (&Topology, Seed),
    (lattice, window): (&Lattice, &Window),
    outside: T,
    interest: impl Fn(Cell) -> bool + Sync,
    value: impl Fn(usize, &[Share]) -> T + Sync,
) -> Vec<T> {
    let bend = Bend::new(grid, seed, lattice.spacing_m());
    let Window { width, height, .. } = *window;
    let mut values = vec![outside; width * height];
    values.par_chunks_mut((TILE * width).max(1)).enumerate().for_each(|(band, rows)| {
        let mut tile = Tile { grid, around: Vec::new(), shares: Vec::new() };
        for left in (0..width).step_by(TILE) {
            tile.around.clear();
            for (row, values) in rows.chunks_mut(width).enumerate() {
                for (column, out) in values.iter_mut().enumerate().skip(left).take(TILE) {
                    let place = lattice.position_in(window, column, band * TILE + row);
                    let Some(cell) = place.and_then(|p| grid.locate(p)).filter(|&c| interest(c)) else {
                        continue;
                    };
                    let bent = place.map(|p| bend.bend(p * grid.metres_per_unit()));
                    let index = (band * TILE + row) * width + column;
                    *out = value(index, tile.shares(bent.unwrap_or_default(), cell));
                }
            }
        }
    });
    values
}

/// Cells of a tile with their surroundings, kept while the tile is made.
struct Tile<'a> {
    grid: &'a Topology,
    around: Vec<(Cell, Vec<(Cell, Vec3)>)>,
    shares: Vec<Share>,
}

impl Tile<'_> {
    /// The shares of the cells near a place in metres of bent space.
    fn shares(&mut self, q: Vec3, unbent: Cell) -> &[Share] {
        let unit = self.grid.metres_per_unit();
        // a flat map's border bends too; beyond it the nearest place inside counts for the lookup
        let cell = self.grid.locate(self.grid.nearest_inside(q / unit)).unwrap_or(unbent);
        let radius = RADIUS_CELLS * self.grid.cell_m();
        let inverse = 1.0 / (radius * radius);
        let near = self.around(cell);
        let known = self.around[near].1.iter();
        let left = known.map(|&(cell, center)| (cell, 1.0 - (q - center).length_squared() * inverse));
        let weights = left.filter(|(_, left)| *left > 0.0).map(|(cell, left)| (cell, left * left * left));
        self.shares.clear();
        self.shares.extend(weights.map(|(cell, weight)| Share { cell, share: weight as f32 }));
        let all: f32 = self.shares.iter().map(|s| s.share).sum();
        self.shares.iter_mut().for_each(|s| s.share /= all);
        &self.shares
    }

    /// Index of a cell's surroundings.
    fn around(&mut self, cell: Cell) -> usize {
        // neighbouring samples mostly share their cell: look at the last ones first
        if let Some(i) = self.around.iter().rposition(|(c, _)| *c == cell) {
            return i;
        }
        let unit = self.grid.metres_per_unit();
        let halo = self.grid.halo(cell, RINGS).into_iter();
        self.around.push((cell, halo.map(|c| (c, self.grid.center(c) * unit)).collect()));
        self.around.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Method, Request, Sampled, refine};
    use world::{Recipe, simulate};

    fn toy() -> world::World {
        let mut recipe = Recipe::preset("earthlike").expect("built in");
        recipe.grid.cells = 16;
        simulate(&recipe, &|_, _| {}).expect("sound")
    }

    /// The mean of the cells as at sea level, cooled by the height of each sample: by both methods.
    #[test]
    fn samples_have_the_temperature_of_their_own_height() {
        let world = toy();
        let lapse_c_m = world.recipe.climate.lapse_c_m() as f32;
        let surface_m = |c: Cell| match world.cell(c).is_land() {
            true => world.water_level_m[c] + world.mountain_height_m[c],
            false => world.mountain_height_m[c],
        };
        let at_sea_level = |shares: &[Share]| -> f32 {
            shares
                .iter()
                .map(|s| s.share * (world.temperature_c[s.cell] + lapse_c_m * surface_m(s.cell)))
                .sum()
        };
        // drainage goes straight between places some samples apart
        for (method, spacing_m, most_c) in
            [(Method::Classic, 90_000.0, 2e-3), (Method::Drainage, 15_000.0, 0.02)]
        {
            let lattice = Lattice::lon_lat(6.371e6, spacing_m);
            let window = Window { west: -40, north: 60, width: 75, height: 50 };
            let at = (&world.grid, Seed(world.recipe.seed));
            let found = blend(at, (&lattice, &window), f32::NAN, |_| true, at_sea_level);
            let layers = vec![Sampled::WaterSurface, Sampled::Temperature];
            let request = Request::new(lattice, window, layers, method).expect("sound");
            let region = refine(&world, &request, &|_| {}).expect("in memory");
            let layer = |layer| region.layer(layer).expect("asked for");
            let (surface, temperature) = (layer(Sampled::WaterSurface), layer(Sampled::Temperature));
            for ((sea_level_c, surface_m), temperature_c) in found.iter().zip(surface).zip(temperature) {
                let expected_c = sea_level_c - lapse_c_m * surface_m.max(0.0);
                assert!(
                    (expected_c - temperature_c).abs() < most_c,
                    "{method:?} {expected_c} {temperature_c}"
                );
            }
        }
    }

    #[test]
    fn blending_does_not_depend_on_the_window_and_passes_over_the_rest() {
        let world = toy();
        let at = (&world.grid, Seed(7));
        let lattice = Lattice::lon_lat(6.371e6, 90_000.0);
        let whole = Window { west: 0, north: 50, width: 60, height: 40 };
        let part = Window { west: 13, north: 39, width: 30, height: 21 };
        let first = |shares: &[Share]| shares[0].cell.0 as f32 + shares[0].share;
        let a = blend(at, (&lattice, &whole), -1.0, |_| true, first);
        let b = blend(at, (&lattice, &part), -1.0, |_| true, first);
        for (i, value) in b.iter().enumerate() {
            assert_eq!(*value, a[(i / 30 + 11) * 60 + i % 30 + 13]);
        }
        assert!(blend(at, (&lattice, &part), -1.0, |_| false, first).iter().all(|v| *v == -1.0));
    }
}
