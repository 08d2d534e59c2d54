//! Mountains that are given: their heights, or the lines that their crests follow.
//!
//! Heights are taken as they are, cut off at the coast. The ground under them swells by the recipe's share of their mean
//! around.
//!
//! Along crest lines that come without heights, ranges are raised, each cell of a line a peak with a flank. At the
//! distance d from it, with the half width w,
//!
//! ```text
//! H = h (1 - d/w)^1.4 (1 + 0.5 n min(1, 2 d/w))        h = height m(s) (0.85 + 0.6 n')
//! ```
//!
//! and the highest counts. h is that of the recipe's ranges, less for short lines; m(s) lets both ends run out; the noise n
//! roughens the flanks and leaves the crest where it was drawn. Heights fade at the coast as those of made ranges do.

use super::nearest::nearest;
use super::places::means;
use super::raster::Raster;
use crate::fields::{position_m, quantise};
use crate::mountains::{COAST_FADE, Mountains};
use crate::recipe::Recipe;
use crate::smooth;
use grid::noise::Fractal;
use grid::{Cell, Field, Grid, Purpose, Seed, Topology, Vec3, math};

const ALONG: Purpose = Purpose::new("world/given/crest/along");
const FLANK: Purpose = Purpose::new("world/given/crest/flank");

/// Heights are multiples of this, in metres.
const STEP_M: f64 = 0.125;
/// Half width of a range along a line, relative to the recipe's young ranges.
const WIDTH_SHARE: f64 = 0.55;
/// How steeply flanks rise towards the crest.
const PROFILE: f64 = 1.4;
/// Flanks are rougher than the crest by this at the most.
const ROUGH: f64 = 0.5;
/// Wavelength along a crest of its summits and passes, relative to the distance between crests.
const SUMMITS: f64 = 2.5;
/// The ends of a line have this share of the height.
const END_SHARE: f64 = 0.15;
/// The ground is raised by this, relative to the recipe's swell.
const SWELL: f64 = 1.2;

/// Mountains of given heights (a raster in metres). `land`: the continental field. Cost: 25 places a cell.
pub(crate) fn take_heights(grid: &Topology, recipe: &Recipe, land: &Field<f32>, given: &Raster) -> Mountains {
    let mean_m = means(grid, given);
    let height_m = Field::from_fn(grid.shape(), |cell| {
        if land[cell] > 0.0 { quantise(f64::from(mean_m[cell].max(0.0)), STEP_M) } else { 0.0 }
    });
    let around_m = mean_around(grid, &height_m, recipe.mountains.ridge_spacing_km * 1000.0);
    let swell_m = Field::from_fn(grid.shape(), |cell| {
        if land[cell] > 0.0 { around_m[cell] * recipe.base.swell as f32 } else { 0.0 }
    });
    Mountains { height_m, swell_m }
}

/// The mean of a field over squares of so many metres, at few places and interpolated.
fn mean_around(grid: &Topology, field: &Field<f32>, side_m: f64) -> Field<f32> {
    const PROBES: i32 = 5;
    let step = smooth::step_for(grid, 3.0 * side_m);
    let spacing_m = side_m / f64::from(PROBES);
    let at = |p: Vec3| {
        let cell = grid.locate(grid.nearest_inside(p / grid.metres_per_unit()));
        cell.map_or(0.0, |c| f64::from(field[c]))
    };
    let mean_around = |p: Vec3| {
        let (u, v) = grid.tangents(p);
        let offset = |k: i32| f64::from(k - PROBES / 2) * spacing_m;
        let probes = (0..PROBES * PROBES).map(|k| p + u * offset(k % PROBES) + v * offset(k / PROBES));
        [probes.map(at).sum::<f64>() / f64::from(PROBES * PROBES)]
    };
    let means = smooth::interpolate(grid, step, smooth::each_place(mean_around));
    means.map(|m| m[0].max(0.0))
}

/// What stands on a cell of a crest line.
#[derive(Clone, Copy, Default)]
struct Peak {
    height_m: f64,
    width_m: f64,
}

/// Raises mountains along crest lines, cells from one end to the other. `land`: the continental field. Cost: a queue over
/// the cells in reach.
pub(crate) fn raise_along(
    grid: &Topology,
    recipe: &Recipe,
    land: &Field<f32>,
    lines: &[Vec<Cell>],
    seed: Seed,
) -> Mountains {
    let peaks = peaks(grid, recipe, land, lines, seed);
    let crests: Vec<Cell> = grid.cells().filter(|&c| peaks[c].height_m > 0.0).collect();
    let top_m = crests.iter().map(|&c| peaks[c].height_m).fold(0.0, f64::max);
    let flank = |peak: Peak, d: f64| peak.height_m * math::pow((1.0 - d / peak.width_m).max(0.0), PROFILE);
    let near =
        nearest(grid, &crests, &|c, d| (d < peaks[c].width_m).then(|| (top_m - flank(peaks[c], d)).max(0.0)));
    let rough = Fractal::new(seed.key(FLANK), 4, 0.55);
    let spacing_m = (recipe.mountains.ridge_spacing_km * 1000.0).max(3.0 * grid.cell_m());
    let both = Field::from_fn(grid.shape(), |cell| {
        let Some(crest) = near.of[cell].filter(|_| land[cell] > 0.0) else { return (0.0, 0.0) };
        let (peak, d) = (peaks[crest], near.way_m[cell]);
        let x = d / peak.width_m;
        let noise = 1.0 + ROUGH * 2.0 * rough.fbm(position_m(grid, cell) / spacing_m) * (2.0 * x).min(1.0);
        let fade = math::smoothstep(0.0, COAST_FADE, f64::from(land[cell]));
        let swell = peak.height_m * math::smoothstep(1.0, 0.0, x) * SWELL;
        (flank(peak, d) * noise.clamp(0.3, 1.5) * fade, swell * fade)
    });
    Mountains {
        height_m: both.map(|b| quantise(b.0, STEP_M)),
        swell_m: both.map(|b| (b.1 * recipe.base.swell) as f32),
    }
}

/// The peaks on all cells of lines on land; where lines meet the highest.
fn peaks(
    grid: &Topology,
    recipe: &Recipe,
    land: &Field<f32>,
    lines: &[Vec<Cell>],
    seed: Seed,
) -> Field<Peak> {
    let params = &recipe.mountains;
    let summits_m = SUMMITS * (params.ridge_spacing_km * 1000.0).max(2.0 * grid.cell_m());
    let along = Fractal::new(seed.key(ALONG), 4, 0.55);
    let mut peaks = Field::filled(grid.shape(), Peak::default());
    for line in lines {
        let mut along_m = vec![0.0];
        along_m.extend(line.windows(2).scan(0.0, |sum, pair| {
            *sum += grid.cell_distance_m(pair[0], pair[1]);
            Some(*sum)
        }));
        let length_m = along_m.last().copied().unwrap_or(0.0);
        let size = (length_m / (6.0 * params.width_km * 1000.0)).clamp(0.4, 1.0); // short ranges are lower
        let taper_m = (params.taper_km * 1000.0).min(0.35 * length_m).max(1.0);
        let is_ring = line.first() == line.last();
        for (&cell, &s_m) in line.iter().zip(&along_m).filter(|(c, _)| land[**c] > 0.0) {
            let end = if is_ring { 1.0 } else { math::smoothstep(0.0, taper_m, s_m.min(length_m - s_m)) };
            let noise = 0.85 + 0.6 * along.fbm(position_m(grid, cell) / summits_m);
            let height_m = params.height_m * size * noise.clamp(0.5, 1.0) * math::mix(END_SHARE, 1.0, end);
            if height_m > peaks[cell].height_m {
                let width_m = params.width_km * 1000.0 * WIDTH_SHARE * (0.5 + 0.5 * size);
                peaks[cell] = Peak { height_m, width_m: width_m.max(2.0 * grid.cell_m()) };
            }
        }
    }
    peaks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::given::{Cover, Gatherer, lines};
    use grid::Flat;

    fn map() -> Topology {
        Topology::Flat(Flat::new(120, 80, 18_000.0).expect("a map"))
    }

    #[test]
    fn a_crest_is_the_highest_ground_across_its_line() {
        let grid = map();
        let line = vec![Vec3::new(400e3, 500e3, 0.0), Vec3::new(1600e3, 900e3, 0.0)];
        let course = lines::courses(&grid, &[line]);
        let land = Field::filled(grid.shape(), 1.0);
        let recipe = Recipe::preset("continent").expect("built in");
        let made = raise_along(&grid, &recipe, &land, &course, Seed(4));
        let on_line: Vec<Cell> = course[0].clone();
        for &cell in &on_line[8..on_line.len() - 8] {
            let beside = grid.halo(cell, 4);
            let off = beside.iter().filter(|c| !on_line.contains(c) && !next_to(&grid, **c, &on_line));
            let highest = off.map(|&c| made.height_m[c]).fold(0.0, f32::max);
            assert!(made.height_m[cell] > highest, "{cell:?}: {} {highest}", made.height_m[cell]);
            assert!(made.height_m[cell] > 1000.0);
        }
        let mut far = grid.cells().filter(|&c| grid.center(c).y < 200e3);
        assert!(far.all(|c| made.height_m[c] == 0.0));
        assert!(grid.cells().all(|c| made.swell_m[c] >= 0.0));
    }

    fn next_to(grid: &Topology, cell: Cell, line: &[Cell]) -> bool {
        grid.neighbors(cell).any(|(_, n)| line.contains(&n))
    }

    #[test]
    fn heights_are_those_of_the_raster_on_land_and_none_at_sea() {
        let grid = map();
        let row: Vec<f32> = (0..120).map(|c| if (30..60).contains(&c) { 1500.0 } else { -20.0 }).collect();
        let mut gatherer = Gatherer::new(&grid, Cover::Flat, (120, 80), 0.0).expect("a raster");
        (0..80).for_each(|_| gatherer.push(&row));
        let land = Field::from_fn(grid.shape(), |c| if c.0 % 120 < 50 { 0.5 } else { -0.5 });
        let recipe = Recipe::preset("continent").expect("built in");
        let taken = take_heights(&grid, &recipe, &land, &gatherer.finish());
        for cell in grid.cells() {
            match cell.0 % 120 {
                31..50 => assert_eq!(taken.height_m[cell], 1500.0),
                50.. | ..29 => assert_eq!(taken.height_m[cell], 0.0),
                _ => {}
            }
        }
        let swell = |col: u32| taken.swell_m[grid.shape().join(0, 40, col)];
        let most = 1500.0 * recipe.base.swell as f32;
        assert!((swell(40) - most).abs() < 0.05 * most && swell(20) < 0.05 * most, "{}", swell(40));
    }
}
