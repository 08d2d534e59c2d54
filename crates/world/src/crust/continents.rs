//! Continents: where land is.
//!
//! Models the shapes of coasts, not their history. Each continent is made in a square patch of side 2 with
//! coordinates x, y from -1 to 1. Lines of random segments grow in from the patch's sides and a few lie inside;
//! `d(x, y)` is the distance to the nearest segment divided by the greatest such distance in the patch, `n` is
//! fractal noise from 0 to 1, and `f` fades from 1 to 0 in the patch's margin. The field is
//!
//! ```text
//! F = d * mix(1, n, roughness) * f
//! ```
//!
//! and land is where F exceeds a threshold, here the one that gives the land the share the recipe asks for.
//! Lines become gulfs and straits. On a globe a patch is an equal-area (Lambert azimuthal) disc around the
//! continent's centre, turned at random; space is bent by noise first, the margin is round, and the greatest
//! of all patches' fields counts. On a flat map the map is the patch and the margin follows its sides.
//!
//! Source: "Continent Masks" (DungeonLeague, 2014). Neglects: plates (they move what is there), shelves.

use crate::fields::{Ranking, spread_over};
use crate::recipe::ContinentParams;
use crate::smooth::{self, as_vector};
use grid::noise::Fractal;
use grid::{Cell, Direction, Draw, Field, Grid, Nth, Purpose, Seed, Topology, Vec3, math};
use rayon::prelude::*;
use std::collections::BTreeSet;

const CENTER: Purpose = Purpose::new("world/continents/site");
const LINES: Purpose = Purpose::new("world/continents/lines");
const TEXTURE: Purpose = Purpose::new("world/continents/texture");
const WARP: Purpose = Purpose::new("world/continents/warp");

/// How many places are tried for each continent; the one farthest from the others is taken.
const CANDIDATES: u32 = 5;
/// Steps along a side of a patch in the table of its distances to a line: half a degree on the largest.
const STEPS: usize = 160;
/// Number from which on patches are those of small lands.
const FIRST_SMALL: u32 = 1000;

/// Noise of this size keeps places of equal field apart, so that any share of land can be cut off.
const TIE_BREAK: f64 = 1e-5;

type Point = (f64, f64);
type Segment = (Point, Point);

/// A square in which one continent is made.
struct Patch {
    center: Vec3,
    east: Vec3,
    north: Vec3,
    /// Half the side in units of position; x and y differ on a flat map.
    half: Point,
    /// Distance to the nearest line, from 0 to 1 for the greatest, at the nodes of a lattice over the patch.
    distances: Vec<f32>,
    round: bool,
}

/// The continental field: positive on land, up to 1; 0 on the coast; negative at sea, -1 where the patches end and
/// less beyond them.
///
/// Waters smaller than the recipe's least sea are land, barely.
pub fn raise_continents(grid: &Topology, params: &ContinentParams, seed: Seed) -> Field<f32> {
    let patches = lay_patches(grid, params, seed);
    let score = score(grid, params, &patches, seed);
    let coast = match params.cut_level {
        0.0 => Ranking::of(grid, &score, |_| true).score_at(1.0 - params.land_fraction),
        level => level as f32,
    };
    let greatest = score.as_slice().iter().copied().fold(coast, f32::max);
    let lowest = score.as_slice().iter().copied().fold(coast, f32::min);
    let mut field = score.map(|&s| {
        let below = if coast > 0.0 { coast } else { coast - lowest };
        let scale = if s > coast { greatest - coast } else { below };
        let signed = ((s - coast) / scale.max(1e-6)).min(1.0);
        if s > coast { signed.max(LEAST_FIELD) } else { signed.min(-LEAST_FIELD) }
    });
    fill_small_seas(grid, &mut field, params.min_sea_km2 * 1e6);
    field
}

/// No cell lies exactly on the coast.
pub(crate) const LEAST_FIELD: f32 = 1.0 / 1024.0;

/// The raw field F of every cell.
fn score(grid: &Topology, params: &ContinentParams, patches: &[Patch], seed: Seed) -> Field<f32> {
    let reach_m = patches.iter().map(|p| p.half.0.min(p.half.1)).fold(0.0, f64::max) * grid.metres_per_unit();
    let texture = smooth::fbm(grid, &Fractal::new(seed.key(TEXTURE), 8, 0.62), reach_m / 2.5);
    let bend = smooth::vectors(grid, &Fractal::new(seed.key(WARP), 5, 0.55), reach_m / 1.2);
    let (discs, unit_m) = (Discs::of(patches), grid.metres_per_unit());
    Field::from_rows(grid.shape(), |first, row| {
        let centers = grid.row_of_centers(first, row.len());
        let mut squares = vec![0.0; patches.len()];
        for (k, score) in row.iter_mut().enumerate() {
            let cell = Cell(first.0 + k as u32);
            let bent_m = centers[k] * unit_m + as_vector(bend[cell]) * (3.0 * params.warp * reach_m);
            let best = match patches[0].round {
                true => discs.best(patches, bent_m.normalized(), params, &mut squares),
                false => patches[0].value(bent_m, params),
            };
            let n = (0.5 + 1.5 * f64::from(texture[cell])).clamp(0.0, 1.0);
            let shaped = if best > 0.0 { best * math::mix(1.0, n, params.roughness) } else { best };
            *score = (shaped + TIE_BREAK * n) as f32;
        }
    })
}

fn lay_patches(grid: &Topology, params: &ContinentParams, seed: Seed) -> Vec<Patch> {
    match grid {
        Topology::Flat(flat) => {
            let (width, height) = flat.extent_m();
            let center = Vec3::new(width / 2.0, height / 2.0, 0.0);
            let axes = (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0));
            vec![Patch::new(center, axes, (width / 2.0, height / 2.0), false, draw_lines(params, seed, 0))]
        }
        Topology::Globe(_) => {
            let mut centers: Vec<Vec3> = Vec::new();
            for k in 0..params.count {
                centers.push(lonely_place(&centers, &mut seed.key(CENTER).at(Nth(k))));
            }
            let small = (FIRST_SMALL..FIRST_SMALL + params.small_lands)
                .map(|k| (seed.key(CENTER).at(Nth(k)).direction(), k));
            let all = centers.into_iter().zip(0..).chain(small);
            all.map(|(center, k)| round_patch(params, center, seed, k)).collect()
        }
    }
}

/// A patch on a globe: of random size, longer than wide, turned at random.
fn round_patch(params: &ContinentParams, center: Vec3, seed: Seed, k: u32) -> Patch {
    let mut draw = seed.key(CENTER).within(Nth(k)).at(Nth(1));
    let size = if k < FIRST_SMALL { 1.0 - 0.6 * draw.unit() } else { draw.range(0.1, 0.3) };
    let half = 2.0 * math::sin(params.patch_radius_deg.to_radians() * size / 2.0);
    let turn = draw.range(0.0, std::f64::consts::TAU);
    let stretch = (1.0 + params.elongation * draw.unit()).sqrt();
    let (u, v) = math::tangent_frame(center);
    let east = u * math::cos(turn) + v * math::sin(turn);
    let axes = (east, center.cross(east));
    Patch::new(center, axes, (half * stretch, half / stretch), true, draw_lines(params, seed, k))
}

/// Of a few random places on the sphere the one farthest from those taken (Mitchell 1991).
fn lonely_place(taken: &[Vec3], draw: &mut Draw) -> Vec3 {
    let nearest = |p: Vec3| taken.iter().map(|t| p.distance(*t)).fold(f64::INFINITY, f64::min);
    let mut best = draw.direction();
    for _ in 1..CANDIDATES {
        let other = draw.direction();
        if nearest(other) > nearest(best) {
            best = other;
        }
    }
    best
}

impl Patch {
    fn new(
        center: Vec3,
        (east, north): (Vec3, Vec3),
        half: Point,
        round: bool,
        segments: Vec<Segment>,
    ) -> Self {
        let place = |k: usize| 2.0 * k as f64 / STEPS as f64 - 1.0;
        let nodes = (0..(STEPS + 1) * (STEPS + 1)).into_par_iter();
        let to_line =
            |k: usize| distance_to_lines((place(k % (STEPS + 1)), place(k / (STEPS + 1))), &segments);
        let mut distances: Vec<f32> = nodes.map(|k| to_line(k) as f32).collect();
        let greatest = distances.iter().copied().fold(1e-6, f32::max);
        distances.iter_mut().for_each(|d| *d /= greatest);
        Self { center, east, north, half, distances, round }
    }

    /// d * f at a position, on a globe a unit vector; outside the patch it falls below 0 with the distance from it.
    fn value(&self, p: Vec3, params: &ContinentParams) -> f64 {
        let (x, y) = self.project(p);
        let margin = if self.round { 1.0 - (x * x + y * y).sqrt() } else { 1.0 - x.abs().max(y.abs()) };
        if margin <= 0.0 {
            return margin;
        }
        self.distance((x, y)) * (margin / params.fade_width).min(1.0)
    }

    /// Coordinates within the patch: equal-area on a globe, plain on a flat map.
    fn project(&self, p: Vec3) -> Point {
        let (p, scale) = if self.round {
            (p, (2.0 / (1.0 + p.dot(self.center)).max(1e-9)).sqrt())
        } else {
            (p - self.center, 1.0)
        };
        (p.dot(self.east) * scale / self.half.0, p.dot(self.north) * scale / self.half.1)
    }

    /// Distance to the nearest line in shares of the greatest, read between the nodes of the table.
    fn distance(&self, (x, y): Point) -> f64 {
        let place = |t: f64| ((t + 1.0) * 0.5 * STEPS as f64).clamp(0.0, STEPS as f64 - 1e-9);
        let (x, y) = (place(x), place(y));
        let (col, row) = (x as usize, y as usize);
        let (u, v) = (x - col as f64, y - row as f64);
        let node = |r: usize, c: usize| f64::from(self.distances[r * (STEPS + 1) + c]);
        let near = math::mix(node(row, col), node(row, col + 1), u);
        math::mix(near, math::mix(node(row + 1, col), node(row + 1, col + 1), u), v)
    }
}

/// Where round patches lie, laid out so that many are asked side by side.
struct Discs {
    /// Centre, east and north.
    axes: [[Vec<f64>; 3]; 3],
    half: [Vec<f64>; 2],
}

impl Discs {
    fn of(patches: &[Patch]) -> Self {
        let part = |of: fn(&Patch) -> f64| patches.iter().map(of).collect::<Vec<f64>>();
        Self {
            axes: [
                [part(|p| p.center.x), part(|p| p.center.y), part(|p| p.center.z)],
                [part(|p| p.east.x), part(|p| p.east.y), part(|p| p.east.z)],
                [part(|p| p.north.x), part(|p| p.north.y), part(|p| p.north.z)],
            ],
            half: [part(|p| p.half.0), part(|p| p.half.1)],
        }
    }

    /// The greatest [`Patch::value`] of all patches at a unit vector. `squares` has room for a number of each.
    fn best(&self, patches: &[Patch], p: Vec3, params: &ContinentParams, squares: &mut [f64]) -> f64 {
        /// The squared distance from which a place lies outside of a patch, and more than rounding can make of it.
        const OUTSIDE: f64 = 1.0 + 1e-9;
        squares_from(self, p, squares);
        let (mut best, mut nearest) = (f64::NEG_INFINITY, f64::INFINITY);
        for (patch, &square) in patches.iter().zip(&*squares) {
            if square < OUTSIDE {
                best = best.max(patch.value(p, params));
            } else {
                nearest = nearest.min(square);
            }
        }
        best.max(1.0 - nearest.sqrt())
    }
}

/// x^2 + y^2 of [`Patch::project`] for each patch, as wide as the processor's vectors are; no operation is left out, fused or
/// put in another order.
///
/// The attribute writes the one unsafe call there is: of the copy for AVX2, and only where the processor was asked and has
/// it; the copy itself is safe code.
#[multiversion::multiversion(targets("x86_64+avx2"))]
#[allow(unsafe_code)]
fn squares_from(discs: &Discs, p: Vec3, out: &mut [f64]) {
    let count = out.len();
    let [center, east, north] = discs.axes.each_ref().map(|axis| axis.each_ref().map(|of| &of[..count]));
    let [half_x, half_y] = discs.half.each_ref().map(|of| &of[..count]);
    for k in 0..count {
        let dot = |axis: [&[f64]; 3]| p.x * axis[0][k] + p.y * axis[1][k] + p.z * axis[2][k];
        let scale = (2.0 / (1.0 + dot(center)).max(1e-9)).sqrt();
        let (x, y) = (dot(east) * scale / half_x[k], dot(north) * scale / half_y[k]);
        out[k] = x * x + y * y;
    }
}

/// Distance to the nearest of some segments, in patch halves; 1 where there is none as near.
fn distance_to_lines(p: Point, segments: &[Segment]) -> f64 {
    segments.iter().map(|s| distance_to_segment(p, *s)).fold(1.0, f64::min)
}

fn distance_to_segment((x, y): Point, ((x0, y0), (x1, y1)): Segment) -> f64 {
    let (dx, dy) = (x1 - x0, y1 - y0);
    let length2 = dx * dx + dy * dy;
    let t = if length2 > 0.0 { ((x - x0) * dx + (y - y0) * dy) / length2 } else { 0.0 };
    let t = t.clamp(0.0, 1.0);
    let (ex, ey) = (x - x0 - t * dx, y - y0 - t * dy);
    (ex * ex + ey * ey).sqrt()
}

/// Lines that grow in from the four sides, and a few single segments around the middle.
fn draw_lines(params: &ContinentParams, seed: Seed, patch: u32) -> Vec<Segment> {
    let key = seed.key(LINES).within(Nth(patch));
    let mut segments = Vec::new();
    for line in 0..4 * params.lines_per_side {
        let mut draw = key.at(Nth(line));
        let along = draw.range(-1.0, 1.0);
        let start = [(along, -1.0), (1.0, along), (along, 1.0), (-1.0, along)][(line % 4) as usize];
        let steps = 1 + draw.below(params.branches);
        let mut from = start;
        for _ in 0..steps {
            let to = step_from(from, params.branch_offset, &mut draw);
            segments.push((from, to));
            from = to;
        }
    }
    let mut draw = key.at(Nth(u32::MAX));
    for _ in 0..draw.below(params.inner_lines + 1) {
        let from = (draw.range(-0.5, 0.5), draw.range(-0.5, 0.5));
        segments.push((from, step_from(from, params.branch_offset, &mut draw)));
    }
    segments
}

/// A random point near another one, kept within the patch.
fn step_from(from: Point, offset: f64, draw: &mut Draw) -> Point {
    let x = from.0 + draw.range(-offset, offset);
    let y = from.1 + draw.range(-offset, offset);
    (x.clamp(-1.0, 1.0), y.clamp(-1.0, 1.0))
}

/// The cells of the waters that islands part from the ocean, smaller than the recipe's least sea: like others of their size they are no
/// seas, and rivers that end there would end before the coast. Cost: a look around each island.
pub(crate) fn waters_behind_islands(
    grid: &Topology,
    params: &ContinentParams,
    crust: &Field<f32>,
    floor_m: &Field<f32>,
) -> Vec<Cell> {
    // never most of the sea of a small planet
    let sea_cells = crust.as_slice().iter().filter(|c| **c <= 0.0).count();
    let most_m2 = 0.25 * sea_cells as f64 * grid.cell_m() * grid.cell_m();
    let min_area_m2 = most_m2.min(params.min_sea_km2 * 1e6);
    let is_island = |cell: Cell| crust[cell] <= 0.0 && floor_m[cell] > 0.0;
    let is_sea = |cell: Cell| crust[cell] <= 0.0 && floor_m[cell] <= 0.0;
    let beside = |cell: Cell| Direction::SIDES.into_iter().filter_map(move |d| grid.neighbor(cell, d));
    // what is known to be ocean, or has been looked at
    let mut seen = Field::filled(grid.shape(), false);
    let mut found = Vec::new();
    for start in grid.cells().filter(|&c| is_island(c)).flat_map(beside).filter(|&c| is_sea(c)) {
        if seen[start] {
            continue;
        }
        let mut water = vec![start];
        let (mut area_m2, mut next, mut is_ocean) = (0.0, 0, false);
        let mut own = BTreeSet::from([start]);
        while let Some(&cell) = water.get(next) {
            next += 1;
            area_m2 += grid.area_m2(cell);
            is_ocean |= seen[cell] || grid.at_border(cell) || area_m2 >= min_area_m2;
            if is_ocean {
                break;
            }
            water.extend(beside(cell).filter(|&n| is_sea(n) && own.insert(n)));
        }
        // all that was looked at is of one water
        water.iter().for_each(|&cell| seen[cell] = true);
        if !is_ocean {
            found.extend(water);
        }
    }
    found
}

/// Makes land of every connected water that is smaller than `min_area_m2` and touches no border, but never of the
/// largest.
fn fill_small_seas(grid: &Topology, field: &mut Field<f32>, min_area_m2: f64) {
    let mut seen = field.map(|&c| c > 0.0);
    let mut waters: Vec<(f64, Vec<Cell>)> = Vec::new();
    for start in grid.cells() {
        if !seen[start] {
            let water = spread_over(grid, &mut seen, start, &Direction::SIDES);
            waters.push((water.iter().map(|&c| grid.area_m2(c)).sum(), water));
        }
    }
    let largest = waters.iter().map(|w| w.0).fold(0.0, f64::max);
    for (area, water) in waters {
        let inland = !water.iter().any(|&c| grid.at_border(c));
        if area < min_area_m2.min(largest) && inland {
            for cell in water {
                field[cell] = LEAST_FIELD;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Flat, Globe};

    fn globe(n: u32) -> Topology {
        Topology::Globe(Globe::new(n, 6_371_000.0).expect("a small globe"))
    }

    #[test]
    fn land_has_the_share_asked_for() {
        let grid = globe(32);
        for share in [0.1, 0.29, 0.5] {
            let params = ContinentParams { land_fraction: share, min_sea_km2: 0.0, ..Default::default() };
            let field = raise_continents(&grid, &params, Seed(5));
            let area = |c: Cell| grid.area_m2(c);
            let land: f64 = grid.cells().filter(|&c| field[c] > 0.0).map(area).sum();
            let all: f64 = grid.cells().map(area).sum();
            assert!((land / all - share).abs() < 0.002, "{share}: {}", land / all);
        }
    }

    #[test]
    fn one_small_continent_meets_its_share_in_a_deep_sea() {
        let grid = globe(24);
        let params =
            ContinentParams { count: 1, patch_radius_deg: 25.0, min_sea_km2: 0.0, ..Default::default() };
        let field = raise_continents(&grid, &params, Seed(8));
        let share = field.as_slice().iter().filter(|&&c| c > 0.0).count() as f64 / grid.len() as f64;
        assert!((share - params.land_fraction).abs() < 0.03, "{share}");
        assert!(field.as_slice().iter().any(|&c| c < -0.9), "the far side is far from land");
    }

    #[test]
    fn the_largest_water_stays_a_sea() {
        let grid = globe(16);
        let params = ContinentParams { min_sea_km2: 1e8, ..Default::default() };
        let field = raise_continents(&grid, &params, Seed(8));
        assert!(field.as_slice().iter().any(|&c| c < 0.0));
    }

    #[test]
    fn a_flat_map_fades_to_sea_at_its_border() {
        let grid = Topology::Flat(Flat::new(60, 40, 10_000.0).expect("a small map"));
        let params = ContinentParams { warp: 0.0, ..Default::default() };
        let field = raise_continents(&grid, &params, Seed(3));
        assert!(grid.cells().filter(|&c| grid.at_border(c)).all(|c| field[c] < 0.0));
        assert!(grid.cells().any(|c| field[c] > 0.5));
    }

    #[test]
    fn small_waters_become_land() {
        let grid = globe(16);
        let mut field = Field::filled(grid.shape(), 1.0f32);
        let (lake, ocean) = (Cell(700), grid.halo(Cell(40), 4));
        field[lake] = -1.0;
        for &cell in &ocean {
            field[cell] = -1.0;
        }
        fill_small_seas(&grid, &mut field, 2.0 * grid.area_m2(lake));
        assert!(field[lake] > 0.0);
        assert!(ocean.iter().all(|&c| field[c] < 0.0));
    }

    #[test]
    fn waters_behind_islands_are_told_from_the_ocean() {
        let grid = globe(24);
        let crust = Field::filled(grid.shape(), -0.5f32);
        let mut draw = Seed(11).key(Purpose::new("test/islands")).at(Nth(0));
        let mut behind = 0;
        for _ in 0..200 {
            // so many islands that some close a ring
            let mut floor_m = Field::filled(grid.shape(), -400.0f32);
            grid.cells().filter(|_| draw.unit() < 0.3).for_each(|cell| floor_m[cell] = 400.0);
            let mut field = crust.map(|&c| c);
            for cell in grid.cells().filter(|&c| floor_m[c] > 0.0) {
                field[cell] = 1.0;
            }
            let params = ContinentParams { min_sea_km2: 3e6, ..Default::default() };
            let mut found = waters_behind_islands(&grid, &params, &crust, &floor_m);
            let before = field.map(|&c| c);
            fill_small_seas(&grid, &mut field, params.min_sea_km2 * 1e6);
            let filled: Vec<Cell> = grid.cells().filter(|&c| before[c] <= 0.0 && field[c] > 0.0).collect();
            found.sort_unstable();
            assert_eq!(found, filled);
            behind += found.len();
        }
        assert!(behind > 1000, "{behind}");
    }

    #[test]
    fn distance_to_a_segment_by_hand() {
        let s = ((0.0, 0.0), (2.0, 0.0));
        assert_eq!(distance_to_segment((1.0, 3.0), s), 3.0);
        assert_eq!(distance_to_segment((5.0, 4.0), s), 5.0);
        assert_eq!(distance_to_segment((-3.0, 4.0), s), 5.0);
        assert_eq!(distance_to_segment((3.0, 4.0), ((0.0, 0.0), (0.0, 0.0))), 5.0);
    }
}
