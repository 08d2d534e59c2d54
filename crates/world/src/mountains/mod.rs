//! Mountains: ranges along faults, old ones inside continents, and volcanoes.
//!
//! A range stands on a line. At a place bent by noise to `(s, d)`, `s` metres along the line and `d` beside it,
//!
//! ```text
//! H = tent(s, d) * (floor + (1 - floor) * ridged(s / (stretch * spacing), d / spacing))
//! ```
//!
//! so that crests run along the range, bend with it, and lie `spacing` apart. The highest of all ranges counts;
//! height fades to nothing at the coast. The tent alone, without crests, gives the swell by which the ground
//! under the range is raised on the mountain-free map. Volcanoes stand on land as single cones, and islands out of the
//! sea are mountains as far as they are higher than a beach.
//!
//! Sources: S. Turner, "Here Dragons Abound", 2016 ("Time for a Stretch!", tent masks). Neglects: erosion.

pub mod tent;

pub mod volcanoes;

pub(crate) mod ranges;

use crate::crust::base::island_base_m;
use crate::crust::faults::Fault;
use crate::crust::polyline::{NearIndex, Polyline, Search};
use crate::fields::quantise;
use crate::recipe::Recipe;
use grid::noise::Fractal;
use grid::{Cell, Field, Grid, Purpose, Seed, Topology, Vec3, math};
use ranges::{Range, lay_ranges};
use volcanoes::{Volcano, on_land_m};

const BEND: Purpose = Purpose::new("world/mountains/bend");

/// Mountains keep this share of their tent between the crests.
const FLOOR: f64 = 0.25;
/// Crests lie at least this many cells apart, or the grid could not hold them.
const LEAST_SPACING_CELLS: f64 = 3.0;
/// From the coast (0) to this continental field mountains rise to their full height.
pub(crate) const COAST_FADE: f64 = 0.025;
/// Bent places lie no farther off than this many times the recipe's bend.
const MOST_BEND: f64 = 3.0;

/// What mountains do to a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Mountains {
    /// Height above the land under them in metres; 0 at sea.
    pub height_m: Field<f32>,
    /// Smooth rise of the land under them in metres, without crests.
    pub swell_m: Field<f32>,
}

impl Mountains {
    /// Raises them to at least others.
    pub(crate) fn raise_to(&mut self, others: &Self) {
        for (height, &other) in self.height_m.as_mut_slice().iter_mut().zip(others.height_m.as_slice()) {
            *height = height.max(other);
        }
    }

    /// Adds the islands that stand out of a sea floor (metres), as far as they are higher than their base.
    pub fn add_islands(&mut self, floor_m: &Field<f32>) {
        for (height, &island) in self.height_m.as_mut_slice().iter_mut().zip(floor_m.as_slice()) {
            if island > 0.0 {
                *height = island - island_base_m(island);
            }
        }
    }
}

/// Volcanoes alone, as [`raise_mountains`] raises them.
pub(crate) fn raise_volcanoes(
    grid: &Topology,
    recipe: &Recipe,
    land: &Field<f32>,
    volcanoes: &[Volcano],
    seed: Seed,
) -> Mountains {
    let mut bare = recipe.clone();
    bare.mountains.old_ranges = 0;
    raise_mountains(grid, &bare, land, &Uplift { faults: &[], volcanoes }, seed)
}

/// What lifts the land.
pub struct Uplift<'a> {
    /// All faults.
    pub faults: &'a [Fault],
    /// All volcanoes.
    pub volcanoes: &'a [Volcano],
}

/// Raises ranges over the faults, and volcanoes. Cost: cells x ranges nearby.
pub fn raise_mountains(
    grid: &Topology,
    recipe: &Recipe,
    land: &Field<f32>,
    uplift: &Uplift,
    seed: Seed,
) -> Mountains {
    let lines = Lines::of(grid, recipe, land, uplift, seed);
    let coast = |c: f32| math::smoothstep(0.0, COAST_FADE, f64::from(c));
    let both = Field::from_rows(grid.shape(), |first, row| {
        let near = |k: usize| lines.index.near(grid, Cell(first.0 + k as u32));
        let on_land = |k: &usize| land[Cell(first.0 + *k as u32)] > 0.0;
        let raised: Vec<usize> = (0..row.len()).filter(|k| on_land(k) && !near(*k).is_empty()).collect();
        let mut bent = positions_m(grid, first, &raised);
        lines.bend(&mut bent);
        let mut search = lines.index.search(&lines.lines);
        for (&k, bent) in raised.iter().zip(bent) {
            search.among(near(k));
            let (range, swell, cone) = lines.at(bent, &mut search);
            let fade = coast(land[Cell(first.0 + k as u32)]);
            row[k] = ((range * fade).max(cone), swell * fade);
        }
    });
    Mountains {
        height_m: both.map(|b| quantise(b.0, 0.125)),
        swell_m: both.map(|b| (b.1 * recipe.base.swell) as f32),
    }
}

/// Positions in metres of some cells of a row, counted from its first.
fn positions_m(grid: &Topology, first: Cell, cells: &[usize]) -> Vec<Vec3> {
    let centers = grid.row_of_centers(first, grid.shape().cols as usize);
    cells.iter().map(|&k| centers[k] * grid.metres_per_unit()).collect()
}

/// All ranges and volcanoes, with the noise that bends them.
struct Lines {
    lines: Vec<Polyline>,
    ranges: Vec<Range>,
    /// Of the lines after those of the ranges.
    volcanoes: Vec<Volcano>,
    index: NearIndex,
    bend: Fractal,
    bend_m: f64,
    spacing_m: f64,
    stretch: f64,
}

impl Lines {
    fn of(grid: &Topology, recipe: &Recipe, land: &Field<f32>, uplift: &Uplift, seed: Seed) -> Self {
        let params = &recipe.mountains;
        let (mut lines, ranges) = lay_ranges(grid, params, land, uplift.faults, seed);
        lines.extend(uplift.volcanoes.iter().map(|v| Polyline::new(vec![v.place_m, v.place_m])));
        let bend_m = params.bend_km * 1000.0;
        let widest = ranges.iter().flat_map(|r| r.tent.ends).map(|e| e.width_m).fold(0.0, f64::max);
        let flanks = uplift.volcanoes.iter().map(|v| v.radius_m).fold(0.0, f64::max);
        Self {
            index: NearIndex::new(grid, &lines, widest.max(flanks) + MOST_BEND * bend_m),
            lines,
            ranges,
            volcanoes: uplift.volcanoes.to_vec(),
            bend: Fractal::new(seed.key(BEND), 3, 0.5),
            bend_m,
            spacing_m: (params.ridge_spacing_km * 1000.0).max(LEAST_SPACING_CELLS * grid.cell_m()),
            stretch: params.stretch,
        }
    }

    /// How far from its line (metres) a range or a volcano ends.
    fn reach_m(&self, line: usize) -> f64 {
        match self.ranges.get(line) {
            Some(range) => range.tent.ends.iter().map(|end| end.width_m).fold(0.0, f64::max),
            None => self.volcanoes[line - self.ranges.len()].radius_m,
        }
    }

    /// Bends places, in metres.
    fn bend(&self, places: &mut [Vec3]) {
        let wave_m = 6.0 * self.bend_m.max(1.0);
        let scaled: Vec<Vec3> = places.iter().map(|p| *p / wave_m).collect();
        let mut away = vec![Vec3::default(); places.len()];
        self.bend.vector_partial_row(&scaled, self.bend.octaves() as f64, &mut away);
        places.iter_mut().zip(away).for_each(|(p, away)| *p += away * (MOST_BEND * self.bend_m));
    }

    /// Height of ranges, of the swell under them, and of volcanoes at a bent position, all in metres.
    fn at(&self, bent: Vec3, search: &mut Search) -> (f64, f64, f64) {
        let (mut height, mut swell, mut cone) = (0.0f64, 0.0f64, 0.0f64);
        for (line, beside) in search.beside(bent, |line| self.reach_m(line)) {
            let Some(range) = self.ranges.get(line) else {
                let volcano = &self.volcanoes[line - self.ranges.len()];
                cone = cone.max(on_land_m(volcano, beside.d_m.abs()));
                continue;
            };
            let s_m = beside.s_m - range.taper_m;
            let mask = range.tent.at(s_m, beside.d_m.abs());
            if mask > 0.0 {
                let q = Vec3::new(s_m / (self.stretch * self.spacing_m), beside.d_m / self.spacing_m, 0.5);
                let crest = (range.crests.ridged(q) * 1.25).min(1.0);
                height = height.max(mask * (FLOOR + (1.0 - FLOOR) * crest));
                swell = swell.max(mask * range.swell);
            }
        }
        (height, swell, cone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crust::faults::{Crust, FaultKind, Side};
    use crate::fields::position_m;
    use grid::Flat;
    use volcanoes::VolcanoKind;

    fn straight() -> (Topology, Recipe, Field<f32>, Vec<Fault>) {
        let grid = Topology::Flat(Flat::new(80, 40, 10_000.0).expect("a small map"));
        let mut recipe = Recipe::preset("island").expect("built in");
        recipe.mountains.bend_km = 0.0;
        recipe.mountains.old_ranges = 0;
        let land = Field::filled(grid.shape(), 1.0);
        let points_m = (1..8).map(|i| Vec3::new(f64::from(i) * 100_000.0, 200_000.0, 0.0)).collect();
        let fault = Fault {
            kind: FaultKind::Transform,
            rate_mm_yr: 50.0,
            plates: (0, 1),
            crusts: (Crust::Continental, Crust::Continental),
            upper: Side::Left,
            points_m,
        };
        (grid, recipe, land, vec![fault])
    }

    #[test]
    fn a_range_on_a_straight_fault_has_the_analytic_mask() {
        let (grid, mut recipe, land, faults) = straight();
        recipe.mountains.height_m = 9000.0;
        let uplift = Uplift { faults: &faults, volcanoes: &[] };
        let mountains = raise_mountains(&grid, &recipe, &land, &uplift, Seed(3));
        let (_, ranges) = lay_ranges(&grid, &recipe.mountains, &land, &faults, Seed(3));
        assert_eq!(ranges.len(), 1);
        for cell in grid.cells() {
            let p = position_m(&grid, cell);
            let beyond = (100_000.0 - p.x).max(p.x - 700_000.0).max(0.0);
            let beside = (p.y - 200_000.0).abs();
            let s = p.x.clamp(100_000.0, 700_000.0) - 100_000.0 - ranges[0].taper_m;
            let mask = ranges[0].tent.at(s, (beyond * beyond + beside * beside).sqrt());
            let swell = f64::from(mountains.swell_m[cell]);
            assert!((swell - mask * recipe.base.swell).abs() < 1e-3, "{cell:?}: {swell} {mask}");
            let height = f64::from(mountains.height_m[cell]);
            assert!(height <= mask + 0.1 && height >= FLOOR * mask - 0.1);
        }
        assert!(mountains.height_m.as_slice().iter().any(|&h| h > 500.0));
    }

    #[test]
    fn there_are_no_mountains_at_sea() {
        let (grid, recipe, mut land, faults) = straight();
        for cell in grid.cells().filter(|c| c.0 % 80 < 40) {
            land[cell] = -0.2;
        }
        let place_m = Vec3::new(300_000.0, 100_000.0, 0.0);
        let volcano = Volcano { kind: VolcanoKind::Rift, place_m, height_m: 2000.0, radius_m: 50_000.0 };
        let uplift = Uplift { faults: &faults, volcanoes: &[volcano] };
        let mountains = raise_mountains(&grid, &recipe, &land, &uplift, Seed(3));
        assert!(grid.cells().all(|c| land[c] > 0.0 || mountains.height_m[c] == 0.0));
    }

    #[test]
    fn a_volcano_is_a_single_peak() {
        let (grid, recipe, land, _) = straight();
        let place_m = Vec3::new(305_000.0, 105_000.0, 0.0); // the middle of a cell
        let volcano = Volcano { kind: VolcanoKind::Arc, place_m, height_m: 2000.0, radius_m: 50_000.0 };
        let uplift = Uplift { faults: &[], volcanoes: &[volcano] };
        let mountains = raise_mountains(&grid, &recipe, &land, &uplift, Seed(3));
        let summit = grid.locate(place_m).expect("on the map");
        assert_eq!(mountains.height_m[summit], 2000.0);
        for cell in grid.cells() {
            let d = grid.center(cell).distance(place_m);
            assert_eq!(mountains.height_m[cell] > 0.0, d < 49_900.0, "{d}");
            assert!(mountains.swell_m[cell] == 0.0);
        }
    }
}
