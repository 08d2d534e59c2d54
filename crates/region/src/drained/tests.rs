//! Nothing tells where cells or the parts of coarse levels end.

use crate::bend::Bend;
use crate::{Lattice, Method, Request, Sampled, Window, refine};
use grid::{Cell, Grid, Level, Nth, Part, Purpose, Seed, Vec3, math};
use world::{NO_LAKE, Recipe, World, simulate};

const SPACING_M: f64 = 90.0;
const SIDE: usize = 512;

/// A small planet with cells of Earth's size.
fn planet() -> World {
    let mut recipe = Recipe::preset("earthlike").expect("built in");
    recipe.grid.cells = 72;
    recipe.grid.radius_km = 900.0;
    simulate(&recipe, &|_, _| {}).expect("sound")
}

/// Second differences across borders of parts, and between them: their sums and numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Bends {
    across: (f64, f64),
    inside: (f64, f64),
}

impl Bends {
    fn add(&mut self, is_across: bool, size: f64) {
        let sum = if is_across { &mut self.across } else { &mut self.inside };
        *sum = (sum.0 + size, sum.1 + 1.0);
    }

    /// How much more the ground bends across borders than between them.
    fn ratio(&self) -> f64 {
        (self.across.0 / self.across.1) / (self.inside.0 / self.inside.1)
    }
}

/// How much the ground of a window bends at borders of the parts of some levels.
fn bends(world: &World, cell: Cell, levels: [Level; 2]) -> [Bends; 2] {
    let bend = Bend::broad(&world.grid, Seed(world.recipe.seed));
    let scale = world.grid.metres_per_unit();
    let at = math::to_lon_lat(world.grid.center(cell));
    let lattice = Lattice::around(scale, at, SPACING_M);
    let (x, y) = lattice.project(at.0, at.1);
    let half = (SIDE / 2) as i64;
    let (west, north) = ((x / SPACING_M) as i64 - half, (y / SPACING_M) as i64 + half);
    let window = Window { west, north, width: SIDE, height: SIDE };
    let layers = vec![Sampled::Elevation];
    let request = Request::new(lattice.clone(), window, layers, Method::Drainage).expect("in range");
    let region = refine(world, &request, &|_| {}).expect("in memory");
    let z = region.layer(Sampled::Elevation).expect("asked for");
    let bent = |k: usize| bend.bend(lattice.position_in(&window, k % SIDE, k / SIDE).expect("there") * scale);
    let places: Vec<_> = (0..SIDE * SIDE).map(|k| world.grid.nearest_inside(bent(k) / scale)).collect();
    levels.map(|level| {
        let part = |p: &Vec3| -> Option<Part> { world.grid.locate_part(level, *p) };
        let parts: Vec<Option<Part>> = places.iter().map(part).collect();
        let mut bends = Bends::default();
        for k in SIDE..SIDE * (SIDE - 1) {
            for step in [1, SIDE].into_iter().filter(|step| *step > 1 || (1..SIDE - 1).contains(&(k % SIDE)))
            {
                let second = z[k - step] - 2.0 * z[k] + z[k + step];
                bends.add(parts[k - step] != parts[k + step], f64::from(second.abs()));
            }
        }
        bends
    })
}

/// Measured: 1.036 across borders of cells, 1.07 across those of parts of 2.4 km. Divides of coarse levels keep to such borders a
/// little.
#[test]
fn the_ground_bends_across_borders_of_cells_as_it_does_between_them() {
    let world = planet();
    let is_land = |c: Cell| world.continentality[c] > 0.0 && world.lake[c] == NO_LAKE;
    let inland = |c: &Cell| world.grid.halo(*c, 2).into_iter().all(is_land);
    let cells: Vec<Cell> = world.grid.cells().filter(inland).collect();
    let mut draw = Seed(5).key(Purpose::new("test/borders")).at(Nth(0));
    let mut ratios = [Vec::new(), Vec::new()];
    for _ in 0..12 {
        let cell = cells[draw.below(cells.len() as u32) as usize];
        for (ratios, bends) in ratios.iter_mut().zip(bends(&world, cell, [Level(0), Level(3)])) {
            ratios.push(bends.ratio());
        }
    }
    let means = ratios.map(|r| r.iter().sum::<f64>() / r.len() as f64);
    println!("bend across borders over bend between them: {means:.3?}");
    assert!(means.iter().all(|m| (m - 1.0).abs() < 0.15), "{means:?}");
}
