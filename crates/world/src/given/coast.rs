//! A coast that is given: the continental field of a made world out of a mask of land.
//!
//! Where the mask is as fine as the grid, a cell is land if most of its places are. Where it is coarser, its samples are
//! squares on a map, which no coast is. There the coast is the line at which a smooth surface over the samples is 1/2, bent
//! by fractal noise from three samples long down to two cells:
//!
//! ```text
//! v(p) = 1/2 s(p + n(p)) + 1/2 b(p + n(p))        |n| <= a sample, 0.45 of one on the average
//! ```
//!
//! s is the spline through the samples (1 on land, 0 at sea) that keeps single ones (Catmull & Rom 1974), b their binomial
//! mean, which takes the steps out of slanting coasts. Waters that only the bending has cut off are land.
//!
//! The field grows with the distance d from the coast, measured from where it runs within a cell, to 1 at 1500 km on a
//! planet as wide as Earth; noise makes it uneven inland and out at sea:
//!
//! ```text
//! c = +- d / 1500 km (1 + 0.35 n')
//! ```

use super::GivenError;
use super::nearest::nearest;
use super::places::{SIDE, places};
use super::raster::{Lattice, Raster};
use crate::crust::continents::LEAST_FIELD;
use crate::fields::{size_scale, spread_over};
use crate::smooth::{self, as_vector};
use grid::noise::Fractal;
use grid::{Cell, Direction, Field, Grid, Purpose, Seed, Topology, Vec3, math};

const BEND: Purpose = Purpose::new("world/given/coast/bend");
const UNEVEN: Purpose = Purpose::new("world/given/coast/uneven");

/// How far a coarse coast is bent on the average, in samples of the mask, and the longest waves.
const BEND_SAMPLES: f64 = 0.45;
const WAVE_SAMPLES: f64 = 3.0;
/// Each octave has this share of the one before.
const BEND_GAIN: f64 = 0.6;
/// Places along a side of a cell where the mask is coarse, and its surface smooth.
const COARSE_SIDE: usize = 3;

/// The continental field comes to 1 at this distance from the coast, on a planet of Earth's size.
const INLAND_M: f64 = 1_500_000.0;
/// How uneven it is, from this distance on, and the waves of that.
const UNEVEN_SHARE: f64 = 0.35;
const UNEVEN_M: f64 = 250_000.0;
const UNEVEN_WAVE_M: f64 = 1_500_000.0;

/// The continental field of a mask, as [`crate::crust::continents::raise_continents`] makes one: positive on land.
///
/// # Errors
/// No land; no sea on a globe.
pub(crate) fn draw_coast(grid: &Topology, mask: &Raster, seed: Seed) -> Result<Field<f32>, GivenError> {
    let mut share = if mask.spacing_m(grid) <= grid.cell_m() {
        Field::from_fn(grid.shape(), |cell| {
            let wet = places(grid, cell, SIDE).filter(|&p| !is_land(mask, grid, p)).count();
            1.0 - wet as f32 / (SIDE * SIDE) as f32
        })
    } else {
        bent_share(grid, mask, seed)
    };
    fill_cut_off(grid, mask, &mut share);
    let any = |is_land: bool| share.as_slice().iter().any(|&s| (s > 0.5) == is_land);
    if !any(true) {
        return Err(GivenError::NoLand);
    }
    if !any(false) && matches!(grid, Topology::Globe(_)) {
        return Err(GivenError::NoSea);
    }
    Ok(field(grid, &share, seed))
}

/// Whether the mask says land at a position.
fn is_land(mask: &Raster, grid: &Topology, p: Vec3) -> bool {
    mask.mean[mask.spot(grid, p).nearest] > 0.0
}

/// The share of land in each cell under a mask that is coarser than the grid.
fn bent_share(grid: &Topology, mask: &Raster, seed: Seed) -> Field<f32> {
    let surface = Surface::of(mask);
    let (sample_m, cell_m) = (mask.spacing_m(grid), grid.cell_m());
    let wave_m = WAVE_SAMPLES * sample_m;
    let octaves = (math::log2(wave_m / (2.0 * cell_m)).floor() + 1.0).clamp(1.0, 10.0) as u32;
    let bend = smooth::vectors(grid, &Fractal::new(seed.key(BEND), octaves, BEND_GAIN), wave_m);
    // nothing where samples are cells, all where they are twice as wide
    let bend_m = 3.0 * BEND_SAMPLES * sample_m * (sample_m / cell_m - 1.0).min(1.0);
    Field::from_fn(grid.shape(), |cell| {
        let off_m = as_vector(bend[cell]) * bend_m;
        let off = off_m * ((sample_m / off_m.length().max(1.0)).min(1.0) / grid.metres_per_unit());
        let bent = |p: Vec3| match grid {
            Topology::Globe(_) => (p + off).normalized(),
            Topology::Flat(_) => grid.nearest_inside(p + off),
        };
        let dry = places(grid, cell, COARSE_SIDE).filter(|&p| surface.at(mask.place(grid, bent(p))) > 0.5);
        dry.count() as f32 / (COARSE_SIDE * COARSE_SIDE) as f32
    })
}

/// The samples of a mask as a smooth surface.
struct Surface<'a> {
    mask: &'a Raster,
    /// Half of 1 on land, 0 at sea.
    land: Vec<f32>,
    /// Half of their mean around.
    blurred: Vec<f32>,
}

impl<'a> Surface<'a> {
    fn of(mask: &'a Raster) -> Self {
        let (rows, cols) = match &mask.lattice {
            Lattice::Globe(grid) => (grid.shape().rows, grid.shape().cols),
            Lattice::Flat(grid) => (grid.shape().rows, grid.shape().cols),
        };
        let land: Vec<f32> = mask.mean.iter().map(|&m| if m > 0.0 { 0.5 } else { 0.0 }).collect();
        let pass = |values: &[f32], (down, along): (f64, f64)| -> Vec<f32> {
            let weights = [(-2.0, 1.0), (-1.0, 4.0), (0.0, 6.0), (1.0, 4.0), (2.0, 1.0)];
            let at = |k: usize| {
                let (row, col) = ((k / cols as usize) as f64, (k % cols as usize) as f64);
                let near = |&(step, weight): &(f64, f32)| {
                    weight / 16.0 * values[mask.sample(row + step * down, col + step * along)]
                };
                weights.iter().map(near).sum()
            };
            (0..rows as usize * cols as usize).map(at).collect()
        };
        let blurred = pass(&pass(&land, (1.0, 0.0)), (0.0, 1.0));
        Self { mask, land, blurred }
    }

    /// The surface at a column and a row of the mask.
    fn at(&self, (x, y): (f64, f64)) -> f32 {
        let (left, top) = ((x - 0.5).floor(), (y - 0.5).floor());
        let (across, down) = (through((x - 0.5 - left) as f32), through((y - 0.5 - top) as f32));
        let (u, v) = ((x - 0.5 - left) as f32, (y - 0.5 - top) as f32);
        let (mut spline, mut mean) = (0.0, 0.0);
        for (row, &w) in (-1i32..).zip(&down) {
            for (col, &h) in (-1i32..).zip(&across) {
                let sample = self.mask.sample(top + f64::from(row), left + f64::from(col));
                spline += w * h * self.land[sample];
                let near = |at: i32, t: f32| match at {
                    0 => 1.0 - t,
                    1 => t,
                    _ => 0.0,
                };
                mean += near(row, v) * near(col, u) * self.blurred[sample];
            }
        }
        spline + mean
    }
}

/// The weights of the four samples around a place, for a curve that runs through all.
fn through(t: f32) -> [f32; 4] {
    [
        ((-0.5 * t + 1.0) * t - 0.5) * t,
        (1.5 * t - 2.5) * t * t + 1.0,
        ((-1.5 * t + 2.0) * t + 0.5) * t,
        (0.5 * t - 0.5) * t * t,
    ]
}

/// Makes land of waters in which the mask has no sea at the centre of any cell.
fn fill_cut_off(grid: &Topology, mask: &Raster, share: &mut Field<f32>) {
    let mut seen = share.map(|&s| s > 0.5);
    for start in grid.cells() {
        if seen[start] {
            continue;
        }
        let water = spread_over(grid, &mut seen, start, &Direction::SIDES);
        if water.iter().all(|&c| is_land(mask, grid, grid.center(c))) {
            water.iter().for_each(|&c| share[c] = 0.52);
        }
    }
}

/// The field by the distance from the coast.
fn field(grid: &Topology, share: &Field<f32>, seed: Seed) -> Field<f32> {
    let is_land = |c: Cell| share[c] > 0.5;
    let is_shore = |c: &Cell| grid.neighbors(*c).any(|(_, n)| is_land(n) != is_land(*c));
    let shores: Vec<Cell> = grid.cells().filter(is_shore).collect();
    let near = nearest(grid, &shores, &|_, d| Some(d));
    let scale = size_scale(grid);
    let uneven = smooth::fbm(grid, &Fractal::new(seed.key(UNEVEN), 5, 0.5), UNEVEN_WAVE_M * scale);
    Field::from_fn(grid.shape(), |cell| {
        let sign = if is_land(cell) { 1.0 } else { -1.0 };
        let Some(shore) = near.of[cell] else { return sign };
        // the coast runs through or beside the cell on the shore
        let within_m = f64::from((share[shore] - 0.5).abs()) * grid.cell_m();
        let d_m = near.way_m[cell] + within_m;
        let varied = math::smoothstep(0.0, UNEVEN_M * scale, d_m) * UNEVEN_SHARE * 2.0;
        let noise = (1.0 + varied * f64::from(uneven[cell])).clamp(0.4, 1.6);
        let c = (d_m * noise / (INLAND_M * scale)) as f32;
        if sign > 0.0 { c.clamp(LEAST_FIELD, 1.0) } else { -c.max(LEAST_FIELD) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::given::{Cover, Gatherer};
    use grid::{Flat, Globe};

    fn mask(grid: &Topology, cover: Cover, cols: usize, rows: &[Vec<f32>]) -> Raster {
        let mut gatherer = Gatherer::new(grid, cover, (cols, rows.len()), 0.0).expect("a raster");
        rows.iter().for_each(|row| gatherer.push(row));
        gatherer.finish()
    }

    /// A disc of land, 0.3 of the map wide, in a mask of so many samples a side.
    fn disc(samples: usize) -> Vec<Vec<f32>> {
        let at = |k: usize| (k as f64 + 0.5) / samples as f64 - 0.5;
        let inside = |r: usize, c: usize| at(r) * at(r) + at(c) * at(c) < 0.09;
        (0..samples).map(|r| (0..samples).map(|c| f32::from(u8::from(inside(r, c)))).collect()).collect()
    }

    #[test]
    fn a_coast_keeps_to_its_mask_however_coarse() {
        let grid = Topology::Flat(Flat::new(160, 160, 10_000.0).expect("a map"));
        for samples in [20, 40, 160, 640] {
            let mask = mask(&grid, Cover::Flat, samples, &disc(samples));
            let field = draw_coast(&grid, &mask, Seed(3)).expect("there is land and sea");
            let near_m = 1.5 * 1_600_000.0 / samples as f64 + 15_000.0;
            for cell in grid.cells() {
                let p = grid.center(cell);
                let r = p.distance(Vec3::new(800_000.0, 800_000.0, 0.0));
                let far = (r - 480_000.0).abs() > near_m;
                assert!(!far || (field[cell] > 0.0) == (r < 480_000.0), "{samples}: {p:?} {}", field[cell]);
            }
        }
    }

    #[test]
    fn a_coarse_coast_has_no_straight_sides() {
        let grid = Topology::Flat(Flat::new(240, 240, 10_000.0).expect("a map"));
        // a square of land: 120 cells along each side
        let rows: Vec<Vec<f32>> = (0..12)
            .map(|r: usize| {
                (0..12)
                    .map(|c: usize| f32::from(u8::from((3..9).contains(&r) && (3..9).contains(&c))))
                    .collect()
            })
            .collect();
        let field = draw_coast(&grid, &mask(&grid, Cover::Flat, 12, &rows), Seed(5)).expect("land");
        let mut longest = 0;
        for row in 0..240 {
            let mut run = 0;
            for col in 0..240 {
                let [here, south] =
                    [0, 1].map(|k| field[grid.shape().join(0, (row + k).min(239), col)] > 0.0);
                run = if here != south { run + 1 } else { 0 };
                longest = longest.max(run);
            }
        }
        assert!((2..25).contains(&longest), "{longest} cells of straight coast");
    }

    #[test]
    fn distances_count_from_the_coast_within_its_cell() {
        let grid = Topology::Flat(Flat::new(80, 40, 10_000.0).expect("a map"));
        // land west of 303 km: cell 30 has three tenths of it
        let row: Vec<f32> = (0..800).map(|c| f32::from(u8::from(c < 303))).collect();
        let mask = mask(&grid, Cover::Flat, 800, &vec![row; 400]);
        let field = draw_coast(&grid, &mask, Seed(1)).expect("land");
        let at = |col| field[grid.shape().join(0, 20, col)];
        assert!(at(29) > 0.0 && at(30) < 0.0);
        let scale_m = INLAND_M * size_scale(&grid);
        assert!((f64::from(at(29)) * scale_m - 5_000.0).abs() < 3_000.0, "{}", at(29));
        assert!(at(0) > at(10) && at(10) > at(25) && at(45) < at(35));
    }

    #[test]
    fn masks_of_nothing_are_refused() {
        let globe = Topology::Globe(Globe::new(16, 6.371e6).expect("a globe"));
        let of = |value: f32| {
            let mask = mask(&globe, Cover::Globe { west_deg: -180.0 }, 36, &vec![vec![value; 36]; 18]);
            draw_coast(&globe, &mask, Seed(1))
        };
        assert!(matches!(of(1.0), Err(GivenError::NoSea)));
        assert!(matches!(of(0.0), Err(GivenError::NoLand)));
        assert!(matches!(of(f32::NAN), Err(GivenError::NoLand)));
        let map = Topology::Flat(Flat::new(16, 16, 1000.0).expect("a map"));
        let all = mask(&map, Cover::Flat, 4, &vec![vec![1.0; 4]; 4]);
        let field = draw_coast(&map, &all, Seed(1)).expect("a map needs no sea");
        assert!(field.as_slice().iter().all(|&c| c > 0.0));
    }
}
