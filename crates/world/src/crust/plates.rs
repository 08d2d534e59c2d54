//! Plates: the pieces of the crust and how they move.
//!
//! A weighted Voronoi diagram: a cell belongs to the plate whose site is nearest after the site's weight is
//! taken off the distance, with space bent by noise first so that boundaries are not arcs:
//!
//! ```text
//! reach = |p - site| (1 + k m) - weight        m: share of land around p if the site lies at sea, of sea otherwise
//! ```
//!
//! The factor `k` (`keep_to_coasts`) makes it dear for a continent's plate to reach over the sea and for an
//! ocean's plate to reach over land, so that many boundaries run along coasts, as on Earth, where cordilleras and
//! trenches follow them. On a globe each plate turns about an Euler pole; on a flat map it moves evenly. Neglects:
//! how plates got there, and their change in time.

use crate::recipe::PlateParams;
use crate::smooth::{self, as_vector};
use grid::noise::Fractal;
use grid::{Cell, Draw, Field, Grid, Nth, Purpose, Seed, Topology, Vec3, math};

const SITE: Purpose = Purpose::new("world/plates/site");
const WARP: Purpose = Purpose::new("world/plates/warp");

/// How many places are tried for each site; the one farthest from the others is taken.
const CANDIDATES: usize = 3;

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

/// Share of land around each place, 0 to 1: what a plate boundary can tell of a coast without following every bay.
///
/// `crust` is positive on land. Cost: little; it is asked at few places and interpolated.
pub fn land_share(grid: &Topology, crust: &Field<f32>) -> Field<f32> {
    const PROBES: i32 = 5;
    let step = (grid.shape().rows.min(grid.shape().cols) / 64).max(1);
    let spacing_m = f64::from(step) * grid.cell_m() / 2.0;
    let is_land = |p: Vec3| {
        let cell = grid.locate(grid.nearest_inside(p / grid.metres_per_unit()));
        f64::from(u8::from(cell.is_some_and(|c| crust[c] > 0.0)))
    };
    let share_around = |p: Vec3| {
        let (u, v) = grid.tangents(p);
        let offset = |k: i32| f64::from(k - PROBES / 2) * spacing_m;
        let probes = (0..PROBES * PROBES).map(|k| p + u * offset(k % PROBES) + v * offset(k / PROBES));
        [probes.map(is_land).sum::<f64>() / f64::from(PROBES * PROBES)]
    };
    let share = smooth::interpolate(grid, step, smooth::each_place(share_around));
    share.map(|s| s[0].clamp(0.0, 1.0))
}

/// Divides the surface among plates. `land_share` as [`land_share`] gives it. Cost: cells x plates.
pub fn divide_into_plates(
    grid: &Topology,
    params: &PlateParams,
    land_share: &Field<f32>,
    seed: Seed,
) -> Plates {
    let mut plates: Vec<Plate> = Vec::new();
    for _ in 0..params.count {
        plates.push(draw_plate(grid, params, seed, &plates));
    }
    let share_at =
        |p: Vec3| grid.locate(p / grid.metres_per_unit()).map_or(0.0, |c| f64::from(land_share[c]));
    let continental: Vec<bool> = plates.iter().map(|plate| share_at(plate.site_m) > 0.5).collect();
    let (scale_m, warp_m) = match grid {
        Topology::Globe(globe) => (globe.radius_m() / 2.5, params.warp_km * 1000.0),
        Topology::Flat(flat) => (flat.extent_m().0 / 3.0, flat.extent_m().0 / 12.0),
    };
    let bend = smooth::vectors(grid, &Fractal::new(seed.key(WARP), 4, 0.5), scale_m);
    let sites = Sites::of(&plates, &continental);
    let unit_m = grid.metres_per_unit();
    let id = Field::from_rows(grid.shape(), |first, row| {
        let centers = grid.row_of_centers(first, row.len());
        let mut reaches = vec![0.0; plates.len()];
        for (k, id) in row.iter_mut().enumerate() {
            let cell = Cell(first.0 + k as u32);
            let bent = centers[k] * unit_m + as_vector(bend[cell]) * (3.0 * warp_m);
            let share = f64::from(land_share[cell]);
            let factors = [1.0 + params.keep_to_coasts * share, 1.0 + params.keep_to_coasts * (1.0 - share)];
            reaches_from(&sites, bent, factors, &mut reaches);
            *id = first_least(&reaches) as u16;
        }
    });
    Plates { plates, id, turning: matches!(grid, Topology::Globe(_)) }
}

/// What says how far plates reach, laid out so that many are asked side by side.
struct Sites {
    place_m: [Vec<f64>; 3],
    weight_m: Vec<f64>,
    continental: Vec<bool>,
}

impl Sites {
    fn of(plates: &[Plate], continental: &[bool]) -> Self {
        let part = |of: fn(&Plate) -> f64| plates.iter().map(of).collect::<Vec<f64>>();
        Self {
            place_m: [part(|p| p.site_m.x), part(|p| p.site_m.y), part(|p| p.site_m.z)],
            weight_m: part(|p| p.weight_m),
            continental: continental.to_vec(),
        }
    }
}

/// How far each plate's site is from a place, in metres: plates at sea times the first factor, continents times the second,
/// less their weight. As wide as the processor's vectors are; no operation is left out, fused or put in another order.
///
/// The attribute writes the one unsafe call there is: of the copy for AVX2, and only where the processor was asked and has
/// it; the copy itself is safe code.
#[multiversion::multiversion(targets("x86_64+avx2"))]
#[allow(unsafe_code)]
fn reaches_from(sites: &Sites, p: Vec3, factors: [f64; 2], out: &mut [f64]) {
    let count = out.len();
    let [sx, sy, sz] = sites.place_m.each_ref().map(|of| &of[..count]);
    let (weight_m, continental) = (&sites.weight_m[..count], &sites.continental[..count]);
    for k in 0..count {
        let (x, y, z) = (sx[k] - p.x, sy[k] - p.y, sz[k] - p.z);
        let factor = if continental[k] { factors[1] } else { factors[0] };
        out[k] = (x * x + y * y + z * z).sqrt() * factor - weight_m[k];
    }
}

/// The number of the least value, of equal ones the first.
fn first_least(values: &[f64]) -> usize {
    let (mut best, mut least) = (0, values[0]);
    for (k, &value) in values.iter().enumerate().skip(1) {
        (best, least) = if value < least { (k, value) } else { (best, least) };
    }
    best
}

fn draw_plate(grid: &Topology, params: &PlateParams, seed: Seed, others: &[Plate]) -> Plate {
    let mut draw = seed.key(SITE).at(Nth(others.len() as u32));
    let spacing_m = (grid.len() as f64 / f64::from(params.count)).sqrt() * grid.cell_m();
    let weight_m = params.size_spread * spacing_m * draw.range(-1.0, 1.0);
    let motion = match grid {
        // speed is greatest 90 degrees from the pole; poles are drawn anywhere
        Topology::Globe(globe) => draw.direction() * (speed(params, &mut draw) / globe.radius_m()),
        Topology::Flat(_) => {
            let heading = draw.range(0.0, std::f64::consts::TAU);
            Vec3::new(math::cos(heading), math::sin(heading), 0.0) * speed(params, &mut draw)
        }
    };
    let candidates: Vec<Vec3> = (0..CANDIDATES).map(|_| anywhere_m(grid, &mut draw)).collect();
    let loneliness = |p: &Vec3| others.iter().map(|o| o.site_m.distance(*p)).fold(f64::INFINITY, f64::min);
    let lonelier = |a: Vec3, b: Vec3| if loneliness(&b) > loneliness(&a) { b } else { a };
    let site_m = candidates.into_iter().reduce(lonelier).expect("there are candidates");
    Plate { site_m, weight_m, motion }
}

/// A position in metres, all places equally likely.
pub(crate) fn anywhere_m(grid: &Topology, draw: &mut Draw) -> Vec3 {
    match grid {
        Topology::Globe(globe) => draw.direction() * globe.radius_m(),
        Topology::Flat(flat) => {
            let (width, height) = flat.extent_m();
            Vec3::new(draw.range(0.0, width), draw.range(0.0, height), 0.0)
        }
    }
}

fn speed(params: &PlateParams, draw: &mut Draw) -> f64 {
    params.speed_mm_yr * draw.range(0.4, 1.6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Direction, Globe};

    /// Share of the plate boundaries that lie within two cells of a coast.
    fn boundaries_at_coasts(keep_to_coasts: f64) -> f64 {
        let grid = Topology::Globe(Globe::new(48, 6.371e6).expect("a small globe"));
        let crust = crate::crust::continents::raise_continents(&grid, &Default::default(), Seed(3));
        let share = land_share(&grid, &crust);
        let params = PlateParams { keep_to_coasts, ..Default::default() };
        let plates = divide_into_plates(&grid, &params, &share, Seed(3));
        let at_boundary = |c: Cell| {
            Direction::SIDES
                .iter()
                .any(|&d| grid.neighbor(c, d).is_some_and(|n| plates.id[n] != plates.id[c]))
        };
        let near_coast = |c: Cell| {
            let halo = grid.halo(c, 2);
            halo.iter().any(|&n| crust[n] > 0.0) && halo.iter().any(|&n| crust[n] <= 0.0)
        };
        let boundary: Vec<Cell> = grid.cells().filter(|&c| at_boundary(c)).collect();
        boundary.iter().filter(|&&c| near_coast(c)).count() as f64 / boundary.len() as f64
    }

    #[test]
    fn boundaries_keep_to_coasts_if_asked() {
        let (free, kept) = (boundaries_at_coasts(0.0), boundaries_at_coasts(1.0));
        assert!(kept > 1.15 * free, "{free} {kept}");
    }
}
