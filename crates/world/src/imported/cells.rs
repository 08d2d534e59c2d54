//! A raster onto the cells of a grid.
//!
//! Each cell is asked at 5 x 5 places, spread evenly over it; a place reads the raster between its four nearest samples,
//! and is sea or land as the nearest one is. A cell is what most of its places are. Its height z is the mean of these,
//! the height of its valleys l their lowest tenth, the height of its floor f the same without the tilt of the cell as a
//! whole. With about four samples of the gathered raster along a side this is an area-weighted mean; where the raster is
//! coarser than the grid, it is a smooth surface through the samples.

use super::sea::Ground;
use super::{LEAST_M, Source, rounded_m};
use crate::given::places::{SIDE, places};
use crate::given::spread::Spread;
use grid::{Cell, Field, Grid, Topology};

/// How many places of a cell are asked.
const PLACES: usize = SIDE * SIDE;
/// Of the sorted heights of a cell, the one at this share is that of its valleys.
const VALLEY_SHARE: f64 = 0.1;
/// Height of the wide lower end of a river, in metres.
const RIVER_M: f32 = 0.125;
/// Depth of a sea of which nothing is known, in metres.
const UNKNOWN_DEPTH_M: f32 = 200.0;

/// The continental field at the coast changes by this for a cell that is all land or all sea.
const COAST_FIELD: f64 = 0.05;
/// It reaches its ends at this distance from the coast, on a planet of any size.
const INLAND_M: f64 = 1_500_000.0;

/// The cells of a raster.
pub(super) struct Cells {
    /// Share of land among the places of each cell.
    pub land_share: Field<f32>,
    /// Mean height in metres: positive on land but for basins below the sea's level, negative at sea.
    pub elevation_m: Field<f32>,
    /// Height of the valleys in metres, at most the mean; the mean at sea.
    pub valley_m: Field<f32>,
    /// The same without the tilt of the cell as a whole: on an even slope the height itself.
    pub floor_m: Field<f32>,
}

impl Cells {
    pub fn is_land(&self, cell: Cell) -> bool {
        self.land_share[cell] > 0.5
    }
}

/// Samples a source. `ground`: one for each sample of the elevation. Cost: 25 places a cell.
pub(super) fn sample(grid: &Topology, source: &Source, ground: &[Ground]) -> Cells {
    let all = Field::from_fn(grid.shape(), |cell| sample_cell(grid, source, ground, cell));
    Cells {
        land_share: all.map(|c| c.land_share),
        elevation_m: all.map(|c| rounded_m(f64::from(c.elevation_m))),
        valley_m: all.map(|c| rounded_m(f64::from(c.valley_m))),
        floor_m: all.map(|c| rounded_m(f64::from(c.floor_m))),
    }
}

/// What is found of one cell: see [`Cells`].
struct Sampled {
    land_share: f32,
    elevation_m: f32,
    valley_m: f32,
    floor_m: f32,
}

fn sample_cell(grid: &Topology, source: &Source, ground: &[Ground], cell: Cell) -> Sampled {
    let (mut dry, mut low) = (Vec::with_capacity(PLACES), Vec::with_capacity(PLACES));
    let mut floor = Vec::new();
    for p in places(grid, cell, SIDE) {
        let spot = source.elevation.spot(grid, p);
        let is_wet = match source.given.land {
            Some(mask) => is_none(mask.mean[mask.spot(grid, p).nearest]),
            None => ground[spot.nearest] == Ground::Sea,
        };
        let mean = spot.read(&source.elevation.mean);
        if is_wet {
            low.push(if mean.is_nan() { -UNKNOWN_DEPTH_M } else { mean.min(-LEAST_M) });
            continue;
        }
        if source.given.land.is_none() && ground[spot.nearest] == Ground::Estuary {
            dry.push(LEAST_M);
            floor.push(RIVER_M);
            continue;
        }
        // beside the sea's floor a coast would lie below it
        let sample = source.elevation.mean[spot.nearest];
        let least = if sample <= 0.0 { f32::NEG_INFINITY } else { LEAST_M };
        let known = |z: f32| if z.is_nan() { LEAST_M } else { z.max(least) };
        dry.push(known(mean));
        floor.push(known(spot.read(&source.elevation.floor)));
    }
    let mean = |heights: &[f32]| heights.iter().sum::<f32>() / heights.len() as f32;
    let land_share = dry.len() as f32 / PLACES as f32;
    if land_share < 0.5 {
        let z = mean(&low);
        return Sampled { land_share, elevation_m: z, valley_m: z, floor_m: z };
    }
    let z = mean(&dry);
    let level = if floor.len() == PLACES { levelled(&dry, &floor) } else { floor.clone() };
    Sampled { land_share, elevation_m: z, valley_m: lowest(floor).min(z), floor_m: lowest(level).min(z) }
}

/// The lowest tenth.
fn lowest(mut heights: Vec<f32>) -> f32 {
    heights.sort_unstable_by(f32::total_cmp);
    heights[((heights.len() - 1) as f64 * VALLEY_SHARE).round() as usize]
}

/// Floors of all places of a cell less the plane through its heights, but for the mean.
fn levelled(heights: &[f32], floors: &[f32]) -> Vec<f32> {
    let middle = (SIDE - 1) as f32 / 2.0;
    let off = |k: usize| ((k % SIDE) as f32 - middle, (k / SIDE) as f32 - middle);
    let squares: f32 = (0..PLACES).map(|k| off(k).0 * off(k).0).sum();
    let slope = |along: fn((f32, f32)) -> f32| {
        heights.iter().enumerate().map(|(k, z)| along(off(k)) * z).sum::<f32>() / squares
    };
    let (across, down) = (slope(|off| off.0), slope(|off| off.1));
    floors.iter().enumerate().map(|(k, f)| f - across * off(k).0 - down * off(k).1).collect()
}

/// Whether a mask says no.
fn is_none(mask: f32) -> bool {
    mask.is_nan() || mask <= 0.0
}

/// The continental field: by the share of land in cells at the coast, and growing with the distance from it.
pub(super) fn continentality(grid: &Topology, cells: &Cells) -> Field<f32> {
    let mut spread = Spread::new(grid);
    for cell in grid.cells() {
        let other = |&(_, n): &(_, Cell)| cells.is_land(n) != cells.is_land(cell);
        if grid.neighbors(cell).find(other).is_some() {
            spread.start(cell);
        }
    }
    while spread.next(grid, INLAND_M).is_some() {}
    Field::from_fn(grid.shape(), |cell| {
        let inland = f64::from(spread.way_m[cell]).min(INLAND_M) / INLAND_M * (1.0 - COAST_FIELD);
        let sign = if cells.is_land(cell) { 1.0 } else { -1.0 };
        let mixed = COAST_FIELD * (2.0 * f64::from(cells.land_share[cell]) - 1.0);
        (mixed + sign * inland) as f32
    })
}
