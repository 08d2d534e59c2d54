//! The sea floor: shelves, slopes, plains, mid-ocean ridges, trenches, island arcs and hot-spot islands.
//!
//! Away from land the floor sinks as it cools on its way from the ridge where its plate grows (Stein & Stein 1992,
//! model GDH1), `t` being its age in million years:
//!
//! ```text
//! depth = 2600 m + 365 m sqrt(t)            t < 20         t = T (1 - exp(-d / (v T)))
//! depth = 5651 m - 2473 m exp(-0.0278 t)    t >= 20
//! ```
//!
//! with the distance d to the plate's own ridges, the mean half rate v of those, and T = 75 million
//! years: ridges jump and plates change their course, so that floors far from a ridge are younger than today's rate
//! would have them.
//!
//! Near land it is dealt out by rank: shelf and slope have Earth's shares of the sea whatever the shape of the
//! continents, the nearest to land (by the continental field, less where a trench is near) being the shallowest.
//! Trenches lie on convergent faults, the rises of island arcs behind them, volcanoes where they stand; what comes out
//! of the water is an island. Neglects: sediment, fracture zones, the plate's bulge before a trench.

use crate::crust::continents::LEAST_FIELD;
use crate::crust::faults::{Fault, FaultKind, beside_m};
use crate::crust::plates::Plates;
use crate::crust::polyline::{NearIndex, Pieces, Polyline, Search};
use crate::fields::{Ranking, curve, position_m, quantise, size_scale};
use crate::mountains::volcanoes::{ARC_OFFSET_M, Volcano, VolcanoKind, has_island_arc};
use crate::recipe::BaseParams;
use crate::smooth::{self, as_vector};
use grid::noise::Fractal;
use grid::{Cell, Field, Grid, Purpose, Seed, Shape, Topology, Vec3, math};
use rayon::prelude::*;

const SWELLS: Purpose = Purpose::new("world/sea floor/swells");
const ARCS: Purpose = Purpose::new("world/sea floor/arcs");
const BEND: Purpose = Purpose::new("world/sea floor/bend");

/// Elevation of shelf and slope (m) by the share of the sea that is farther from land.
const MARGIN_CURVE: &[(f64, f64)] = &[
    (0.75, -3700.0),
    (0.80, -2900.0),
    (0.85, -1800.0),
    (0.89, -800.0),
    (0.914, -200.0),
    (0.97, -90.0),
    (1.0, -4.0),
];
/// Where the margin begins to take over from the plain, and where it has.
const MARGIN: (f64, f64) = (0.72, 0.84);

/// The age T that floors far from any ridge of their plate come to, in million years.
const OLD_MYR: f64 = 75.0;
/// How strongly noise varies ages.
const AGE_NOISE: f64 = 0.9;
/// Ridges part at least at this rate on each side, in mm/yr.
const LEAST_HALF_RATE: f64 = 8.0;
/// Broad swells of the plains: up to about this, in metres.
const SWELL_M: f64 = 1800.0;

const TRENCH_DEPTH_M: f64 = 3300.0;
const TRENCH_WIDTH_M: f64 = 45_000.0;
/// Trenches and arcs run out over this length at both ends.
const TAPER_M: f64 = 260_000.0;
/// Plates that close faster than this (mm/yr) make a trench of full depth.
const TRENCH_RATE_MM_YR: f64 = 60.0;
/// How much nearer to the deep sea a trench makes what lies beside it, in the unit of the continental field.
const NARROW_SHELF: f64 = 0.3;

/// Half width of an arc's rise, and the elevation that its crest comes to on the average, and how far it varies.
const ARC_WIDTH_M: f64 = 120_000.0;
const ARC_CREST_M: f64 = -1300.0;
const ARC_RELIEF_M: f64 = 6000.0;
/// Wavelength of the rises and saddles along an arc.
const ARC_WAVE_M: f64 = 420_000.0;
/// A hot spot raises the floor around its volcanoes by this, as far as four times their radius.
const PLUME_M: f64 = 650.0;

/// How far the lines of trenches and arcs are bent by noise.
const BEND_M: f64 = 55_000.0;
/// Nothing here reaches farther from its line; a trench's narrowing of the shelf ends here.
const REACH_M: f64 = 460_000.0;

/// Elevation of the sea floor in metres; above 0 where an island stands. 0 on the land of `crust`.
///
/// Cost: a few distances a sea cell.
pub fn lay_sea_floor(
    grid: &Topology,
    params: &BaseParams,
    crust: &Field<f32>,
    tectonics: &Tectonics,
    seed: Seed,
) -> Field<f32> {
    let ages = Ages::of(grid, tectonics);
    let lines = Lines::of(grid, tectonics);
    let scale = size_scale(grid);
    let waves = Fractal::new(seed.key(SWELLS), 6, 0.6);
    let swells = smooth::fbm_where(grid, &waves, 1.8e6 * scale, |c| crust[c] <= 0.0);
    let islets = Fractal::new(seed.key(ARCS), 4, 0.55);
    let islets_at = |p: Vec3| islets.fbm(p / (ARC_WAVE_M * scale));
    let bend = smooth::vectors(grid, &Fractal::new(seed.key(BEND), 2, 0.5), 600_000.0 * scale);

    let beside = lines.beside_cells(grid, crust, &bend);
    let score = Field::from_fn(grid.shape(), |cell| {
        crust[cell] + 0.08 * swells[cell] - (NARROW_SHELF * f64::from(beside[cell].narrowing)) as f32
    });
    let ranking = Ranking::of(grid, &score, |c| crust[c] <= 0.0);
    let height_m = |cell: Cell, p: Vec3, age_myr: f64| {
        let varied = 1.0 + AGE_NOISE * f64::from(swells[cell]);
        let plain = -cooled_m(age_myr * varied) + SWELL_M * f64::from(swells[cell]);
        let rank = ranking.share_below(score[cell]);
        let margin = math::smoothstep(MARGIN.0, MARGIN.1, rank);
        let even = (math::mix(plain, curve(MARGIN_CURVE, rank), margin) * params.ocean_scale).min(-1.0);
        let islets = if beside[cell].arc > 0.0 { islets_at(p) } else { 0.0 };
        let shaped = beside[cell].shape(even, islets, margin).min(MOST_M);
        quantise(if tectonics.islands { shaped } else { drowned_m(shaped).max(even.min(shaped)) }, 0.125)
    };
    Field::from_rows(grid.shape(), |first, row| {
        let mut squares = Vec::new();
        for (height, (cell, p)) in row.iter_mut().zip(places_m(grid, first)) {
            if crust[cell] <= 0.0 {
                *height = height_m(cell, p, ages.at(grid, tectonics, (cell, p), &mut squares));
            }
        }
    })
}

/// The cells of a row from the first on, with their places in metres.
fn places_m(grid: &Topology, first: Cell) -> impl Iterator<Item = (Cell, Vec3)> {
    let centers = grid.row_of_centers(first, grid.shape().cols as usize);
    let unit_m = grid.metres_per_unit();
    (first.0..).map(Cell).zip(centers).map(move |(cell, center)| (cell, center * unit_m))
}

/// What stands higher than this (m) is planed off by waves where no island may be, to less than the least depth.
const PLANED_M: f64 = -60.0;
const LEAST_DEPTH_M: f64 = 6.0;

/// A bank under water instead of an island.
fn drowned_m(shaped_m: f64) -> f64 {
    if shaped_m <= PLANED_M {
        return shaped_m;
    }
    let rise_m = -LEAST_DEPTH_M - PLANED_M;
    PLANED_M + rise_m * (1.0 - math::exp(-(shaped_m - PLANED_M) / rise_m))
}

/// Islands stand at most this high.
const MOST_M: f64 = 6000.0;

/// Depth of a sea floor of an age, in metres.
fn cooled_m(age_myr: f64) -> f64 {
    if age_myr < 20.0 {
        2600.0 + 365.0 * age_myr.max(0.0).sqrt()
    } else {
        5651.0 - 2473.0 * math::exp(-0.0278 * age_myr)
    }
}

/// What shapes the sea floor: plates, the faults between them, volcanoes.
pub struct Tectonics<'a> {
    /// The plates.
    pub plates: &'a Plates,
    /// The faults between them.
    pub faults: &'a [Fault],
    /// All volcanoes.
    pub volcanoes: &'a [Volcano],
    /// Whether volcanoes and arcs may stand out of the water; where land is given, all others are banks.
    pub islands: bool,
}

/// What lines and volcanoes do to the floor at a place.
#[derive(Clone, Copy, Debug, Default)]
struct Beside {
    /// 1 at a trench, falling with the distance.
    narrowing: f32,
    trench_m: f32,
    /// 1 on the crest of an arc's rise, 0 beyond it.
    arc: f32,
    cone_m: f32,
    plume_m: f32,
}

impl Beside {
    /// The floor with all this, from an even one below the sea: only arcs and volcanoes come out of it.
    fn shape(&self, even_m: f64, islets: f64, margin: f64) -> f64 {
        let deep = math::smoothstep(-200.0, -2500.0, even_m);
        let crest_m = ARC_CREST_M + ARC_RELIEF_M * islets;
        let arc = f64::from(self.arc) * (1.0 - 0.5 * margin);
        let risen = math::mix(even_m, crest_m.max(even_m), arc) + deep * f64::from(self.plume_m);
        risen - deep * f64::from(self.trench_m) + f64::from(self.cone_m)
    }
}

/// The lines of trenches and arcs, and the volcanoes, in one index.
struct Lines {
    lines: Vec<Polyline>,
    shapes: Vec<LineShape>,
    index: NearIndex,
    scale: f64,
}

enum LineShape {
    /// A trench of this share of the full depth.
    Trench(f64),
    Arc,
    Cone(Volcano),
}

impl Lines {
    fn of(grid: &Topology, tectonics: &Tectonics) -> Self {
        let scale = size_scale(grid);
        let (mut lines, mut shapes) = (Vec::new(), Vec::new());
        let swallows = |f: &&Fault| f.kind == FaultKind::Convergent && !f.is_inland();
        for fault in tectonics.faults.iter().filter(swallows) {
            lines.push(Polyline::new(fault.points_m.clone()));
            shapes.push(LineShape::Trench((fault.rate_mm_yr / TRENCH_RATE_MM_YR).min(1.0)));
            if has_island_arc(fault) {
                let offset_m = fault.upper.sign() * ARC_OFFSET_M * scale;
                lines.push(Polyline::new(beside_m(grid, &fault.points_m, offset_m)));
                shapes.push(LineShape::Arc);
            }
        }
        for volcano in tectonics.volcanoes {
            lines.push(Polyline::new(vec![volcano.place_m, volcano.place_m]));
            shapes.push(LineShape::Cone(volcano.clone()));
        }
        let index = NearIndex::new(grid, &lines, REACH_M * scale);
        Self { lines, shapes, index, scale }
    }

    /// What lies beside each cell at sea, whose place is bent as the vectors say.
    fn beside_cells(&self, grid: &Topology, crust: &Field<f32>, bend: &Field<[f32; 3]>) -> Field<Beside> {
        Field::from_rows(grid.shape(), |first, row| {
            let mut search = self.index.search(&self.lines);
            for (beside, (cell, p)) in row.iter_mut().zip(places_m(grid, first)) {
                let near = self.index.near(grid, cell);
                if crust[cell] <= 0.0 && !near.is_empty() {
                    search.among(near);
                    let bent = p + as_vector(bend[cell]) * (3.0 * BEND_M * self.scale);
                    *beside = self.beside(bent, &mut search);
                }
            }
        })
    }

    fn beside(&self, p: Vec3, search: &mut Search) -> Beside {
        let mut all = Beside::default();
        let reach_m = |line: usize| match &self.shapes[line] {
            LineShape::Trench(_) => REACH_M * self.scale,
            LineShape::Arc => ARC_WIDTH_M * self.scale,
            LineShape::Cone(volcano) => 4.0 * volcano.radius_m,
        };
        for (line, place) in search.beside(p, reach_m) {
            let d = place.d_m.abs() / self.scale;
            let from_end = self.lines[line].to_nearer_end_m(place) / self.scale;
            let taper = (from_end / TAPER_M).min(1.0);
            match &self.shapes[line] {
                LineShape::Trench(full) => {
                    let share = full * taper;
                    let x = d / TRENCH_WIDTH_M;
                    if x < 4.0 {
                        all.trench_m = all.trench_m.max((TRENCH_DEPTH_M * share * math::exp(-x * x)) as f32);
                    }
                    let left = (1.0 - d / REACH_M).max(0.0);
                    all.narrowing = all.narrowing.max((share * left * left * left) as f32);
                }
                LineShape::Arc => {
                    let rise = math::smoothstep(ARC_WIDTH_M, 0.0, d) * taper;
                    all.arc = all.arc.max(rise as f32);
                }
                LineShape::Cone(volcano) if d < 4.0 * volcano.radius_m / self.scale => {
                    all.cone_m = all.cone_m.max(volcano.at(place.d_m.abs()) as f32);
                    if volcano.kind == VolcanoKind::HotSpot {
                        let rise = math::smoothstep(4.0, 0.0, place.d_m.abs() / volcano.radius_m);
                        all.plume_m = all.plume_m.max((PLUME_M * rise) as f32);
                    }
                }
                LineShape::Cone(_) => {}
            }
        }
        all
    }
}

/// Cells along a side of a block that shares its list of ridge pieces.
const BLOCK: u32 = 8;

/// A piece of a ridge: a line and the number of the piece on it.
type Piece = (u32, u32);

/// For each block of cells and each plate in it, the pieces of the plate's ridges that can be the nearest to a cell.
struct Ages {
    lines: Vec<Polyline>,
    blocks: Vec<Vec<(u16, Pieces)>>,
    /// Mean rate at which each plate grows at its ridges.
    half_rates_mm_yr: Vec<f64>,
    scale: f64,
}

impl Ages {
    fn of(grid: &Topology, tectonics: &Tectonics) -> Self {
        let count = tectonics.plates.plates.len();
        let mut pieces: Vec<Vec<Piece>> = vec![Vec::new(); count];
        let mut rates = vec![(0.0, 0.0); count];
        let mut lines = Vec::new();
        for fault in tectonics.faults.iter().filter(|f| f.kind == FaultKind::Divergent) {
            let number = lines.len() as u32;
            for plate in [fault.plates.0, fault.plates.1].map(usize::from) {
                pieces[plate].extend((0..fault.points_m.len() as u32 - 1).map(|piece| (number, piece)));
                let length = fault.points_m.len() as f64;
                rates[plate] = (rates[plate].0 + length * fault.rate_mm_yr, rates[plate].1 + length);
            }
            lines.push(Polyline::new(fault.points_m.clone()));
        }
        let half_rate = |(sum, length): (f64, f64)| (sum / f64::max(length, 1.0) / 2.0).max(LEAST_HALF_RATE);
        let half_rates_mm_yr = rates.into_iter().map(half_rate).collect();
        let mut ages = Self { lines, blocks: Vec::new(), half_rates_mm_yr, scale: size_scale(grid) };
        let shape = grid.shape();
        let count = shape.faces * block_rows(shape) * block_cols(shape);
        let of_plates: Vec<Ridges> =
            pieces.into_iter().map(|numbers| Ridges::of(&ages.lines, numbers)).collect();
        let block = |b: u32| ages.nearest_to_block(grid, tectonics.plates, &of_plates, b);
        ages.blocks = (0..count).into_par_iter().map(block).collect();
        ages
    }

    fn nearest_to_block(
        &self,
        grid: &Topology,
        plates: &Plates,
        ridges: &[Ridges],
        block: u32,
    ) -> Vec<(u16, Pieces)> {
        let cells = cells_of_block(grid.shape(), block);
        let positions: Vec<Vec3> = cells.iter().map(|&c| position_m(grid, c)).collect();
        let middle = positions.iter().copied().fold(Vec3::default(), |a, b| a + b) / positions.len() as f64;
        let radius_m = positions.iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
        let mut present: Vec<u16> = cells.iter().map(|&c| plates.id[c]).collect();
        present.sort_unstable();
        present.dedup();
        let mut squares = Vec::new();
        let mut candidates = |plate: u16| {
            let own = &ridges[usize::from(plate)];
            own.pieces.squares(middle, &mut squares);
            let nearest_m = least(&squares).sqrt();
            // a thousandth more than what reaches the block, for rounding
            let reach_m = (nearest_m + 2.0 * radius_m) * 1.001;
            let reaching =
                squares.iter().zip(&own.numbers).filter(|(square, _)| **square <= reach_m * reach_m);
            let numbers: Vec<Piece> = reaching.map(|(_, number)| *number).collect();
            Ridges::of(&self.lines, numbers).pieces
        };
        present.into_iter().map(|plate| (plate, candidates(plate))).collect()
    }

    /// Age of the floor at a cell and its centre (metres), in million years. `squares` is room to work in.
    fn at(
        &self,
        grid: &Topology,
        tectonics: &Tectonics,
        (cell, p): (Cell, Vec3),
        squares: &mut Vec<f64>,
    ) -> f64 {
        let plate = tectonics.plates.id[cell];
        let block = &self.blocks[block_of(grid.shape(), cell) as usize];
        squares.clear();
        if let Some((_, candidates)) = block.iter().find(|(id, _)| *id == plate) {
            candidates.squares(p, squares);
        }
        // 1 mm/yr is 1 km in a million years
        let myr = least(squares).sqrt() / 1000.0 / self.half_rates_mm_yr[usize::from(plate)] / self.scale;
        OLD_MYR * (1.0 - math::exp(-myr / OLD_MYR))
    }
}

/// Pieces of ridges with their numbers.
struct Ridges {
    numbers: Vec<Piece>,
    pieces: Pieces,
}

impl Ridges {
    fn of(lines: &[Polyline], numbers: Vec<Piece>) -> Self {
        let mut pieces = Pieces::default();
        pieces.gather(lines, &numbers);
        Self { numbers, pieces }
    }
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn block_rows(shape: Shape) -> u32 {
    shape.rows.div_ceil(BLOCK)
}

fn block_cols(shape: Shape) -> u32 {
    shape.cols.div_ceil(BLOCK)
}

fn block_of(shape: Shape, cell: Cell) -> u32 {
    let (face, row, col) = shape.split(cell);
    (face * block_rows(shape) + row / BLOCK) * block_cols(shape) + col / BLOCK
}

fn cells_of_block(shape: Shape, block: u32) -> Vec<Cell> {
    let (rows, cols) = (block_rows(shape), block_cols(shape));
    let (face, row, col) = (block / (rows * cols), block / cols % rows * BLOCK, block % cols * BLOCK);
    let (bottom, right) = ((row + BLOCK).min(shape.rows), (col + BLOCK).min(shape.cols));
    (row..bottom).flat_map(|r| (col..right).map(move |c| shape.join(face, r, c))).collect()
}

/// The land with the islands that stand out of the sea floor: higher ones reach farther into the field.
pub fn add_islands(crust: &Field<f32>, floor_m: &Field<f32>) -> Field<f32> {
    const FIELD_PER_M: f32 = 1.0 / 30_000.0;
    Field::from_fn(crust.shape(), |cell| {
        if floor_m[cell] > 0.0 { (floor_m[cell] * FIELD_PER_M).max(LEAST_FIELD) } else { crust[cell] }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crust::faults::trace_faults;
    use crate::crust::plates::divide_into_plates;
    use crate::recipe::PlateParams;
    use grid::Globe;

    #[test]
    fn floors_cool_as_published() {
        assert_eq!(cooled_m(0.0), 2600.0);
        assert!((cooled_m(9.0) - 3695.0).abs() < 1e-9);
        // the two branches meet, and old floors lie at 5651 m
        assert!((cooled_m(20.0) - cooled_m(20.0 - 1e-9)).abs() < 2.0);
        assert!((cooled_m(1e4) - 5651.0).abs() < 1e-9);
    }

    #[test]
    fn ages_are_those_of_a_full_search() {
        let grid = Topology::Globe(Globe::new(40, 6.371e6).expect("a small globe"));
        let sea = Field::filled(grid.shape(), 0.0);
        let plates = divide_into_plates(&grid, &PlateParams::default(), &sea, Seed(7));
        let faults = trace_faults(&grid, &plates, &sea, Seed(7));
        let tectonics = Tectonics { plates: &plates, faults: &faults, volcanoes: &[], islands: true };
        let ages = Ages::of(&grid, &tectonics);
        let mut young = 0;
        for cell in grid.cells() {
            let p = position_m(&grid, cell);
            let own = |f: &&Fault| {
                let id = plates.id[cell];
                f.kind == FaultKind::Divergent && (f.plates.0 == id || f.plates.1 == id)
            };
            let to_line = |f: &Fault| {
                let line = Polyline::new(f.points_m.clone());
                let pieces = 0..f.points_m.len() - 1;
                pieces.map(|i| line.beside(i, p, false).d_m.abs()).fold(f64::INFINITY, f64::min)
            };
            let nearest_m = faults.iter().filter(own).map(to_line).fold(f64::INFINITY, f64::min);
            let rate = ages.half_rates_mm_yr[usize::from(plates.id[cell])];
            let slow = OLD_MYR * (1.0 - math::exp(-nearest_m / 1000.0 / rate / OLD_MYR));
            assert_eq!(ages.at(&grid, &tectonics, (cell, p), &mut Vec::new()), slow, "{cell:?}");
            young += usize::from(slow < 20.0);
        }
        assert!(young > 500, "{young}");
    }

    #[test]
    fn only_volcanoes_and_arcs_come_out_of_the_sea() {
        let none = Beside::default();
        for even in [-5.0, -150.0, -2000.0, -5000.0] {
            assert!(none.shape(even, 1.0, 0.5) < 0.0);
        }
        let trench = Beside { trench_m: 3000.0, ..none };
        assert_eq!(trench.shape(-5000.0, 0.0, 0.0), -8000.0);
        let cone = Beside { cone_m: 6000.0, ..none };
        assert_eq!(cone.shape(-4500.0, 0.0, 0.0), 1500.0);
        let arc = Beside { arc: 1.0, ..none };
        assert!(arc.shape(-5000.0, 0.5, 0.0) > 0.0 && arc.shape(-5000.0, 0.0, 0.0) == ARC_CREST_M);
    }
}
