//! Plates: the pieces of the crust and how they move.
//!
//! A weighted Voronoi diagram: a cell belongs to the plate whose site is nearest after the site's weight is
//! taken off the distance, with space bent by noise first so that boundaries are not arcs. On a globe each
//! plate turns about an Euler pole; on a flat map it moves evenly. Neglects: how plates got there, and their
//! change in time.

use crate::fields::position_m;
use crate::recipe::PlateParams;
use grid::noise::Fractal;
use grid::{Draw, Field, Grid, Nth, Purpose, Seed, Topology, Vec3};

const SITE: Purpose = Purpose::new("world/plates/site");
const WARP: Purpose = Purpose::new("world/plates/warp");

/// One plate.
#[derive(Clone, Debug, PartialEq)]
pub struct Plate {
    /// Its site in metres: on the sphere of a globe, or on the plane of a flat map.
    pub site_m: Vec3,
    /// Taken off distances to the site, in metres: large plates have much.
    pub weight_m: f64,
    /// Rotation vector in mm/yr per metre of radius (globe), or velocity in mm/yr (flat map).
    pub motion: Vec3,
}

/// The plates of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Plates {
    /// All plates, in the order of their numbers.
    pub plates: Vec<Plate>,
    /// Number of the plate of each cell.
    pub id: Field<u16>,
    turning: bool,
}

impl Plates {
    /// Velocity of a plate at a position in metres, in mm/yr.
    pub fn velocity_mm_yr(&self, plate: u16, p_m: Vec3) -> Vec3 {
        let motion = self.plates[usize::from(plate)].motion;
        if self.turning { motion.cross(p_m) } else { motion }
    }
}

/// Divides the surface among plates. Cost: cells x plates.
pub fn divide_into_plates(grid: &Topology, params: &PlateParams, seed: Seed) -> Plates {
    let plates: Vec<Plate> = (0..params.count).map(|k| draw_plate(grid, params, seed, k)).collect();
    let warp = Fractal::new(seed.key(WARP), 5, 0.5);
    let (scale_m, warp_m) = match grid {
        Topology::Globe(globe) => (globe.radius_m() / 2.5, params.warp_km * 1000.0),
        Topology::Flat(flat) => (flat.extent_m().0 / 3.0, flat.extent_m().0 / 12.0),
    };
    let id = Field::from_fn(grid.shape(), |cell| {
        let p = position_m(grid, cell);
        let bent = p + warp.vector(p / scale_m) * (3.0 * warp_m);
        let reach = |plate: &Plate| plate.site_m.distance(bent) - plate.weight_m;
        let nearest = (0u16..).zip(&plates).min_by(|a, b| reach(a.1).total_cmp(&reach(b.1)));
        nearest.expect("a recipe has at least two plates").0
    });
    Plates { plates, id, turning: matches!(grid, Topology::Globe(_)) }
}

fn draw_plate(grid: &Topology, params: &PlateParams, seed: Seed, k: u32) -> Plate {
    let mut draw = seed.key(SITE).at(Nth(k));
    let spacing_m = (grid.len() as f64 / f64::from(params.count)).sqrt() * grid.cell_m();
    let weight_m = params.size_spread * spacing_m * draw.range(-1.0, 1.0);
    let (site_m, motion) = match grid {
        Topology::Globe(globe) => {
            let site = draw.direction() * globe.radius_m();
            // speed is greatest 90 degrees from the pole; poles are drawn anywhere
            let turn = draw.direction() * (speed(params, &mut draw) / globe.radius_m());
            (site, turn)
        }
        Topology::Flat(flat) => {
            let (width, height) = flat.extent_m();
            let site = Vec3::new(draw.range(0.0, width), draw.range(0.0, height), 0.0);
            let heading = draw.range(0.0, std::f64::consts::TAU);
            let speed = speed(params, &mut draw);
            (site, Vec3::new(grid::math::cos(heading), grid::math::sin(heading), 0.0) * speed)
        }
    };
    Plate { site_m, weight_m, motion }
}

fn speed(params: &PlateParams, draw: &mut Draw) -> f64 {
    params.speed_mm_yr * draw.range(0.4, 1.6)
}
