//! Mountains: ranges along convergent faults, and old ones inside continents.
//!
//! A range stands on a line. At a place bent by noise to `(s, d)`, `s` metres along the line and `d` beside it,
//!
//! ```text
//! H = tent(s, d) * (floor + (1 - floor) * ridged(s / (stretch * spacing), d / spacing))
//! ```
//!
//! so that crests run along the range, bend with it, and lie `spacing` apart. The highest of all ranges counts;
//! height fades to nothing at the coast. The tent alone, without crests, gives the swell by which the ground
//! under the range is raised on the mountain-free map.
//!
//! Sources: S. Turner, "Here Dragons Abound", 2016 ("Time for a Stretch!", tent masks). Neglects: volcanoes,
//! which side of a subducting fault a range stands on, erosion.

pub mod tent;

use crate::crust::faults::{Fault, FaultKind};
use crate::crust::polyline::{NearIndex, Polyline};
use crate::fields::{position_m, quantise};
use crate::mountains::tent::{Easing, End, Tent};
use crate::recipe::{MountainParams, Recipe};
use grid::noise::Fractal;
use grid::{Cell, Draw, Field, Grid, Nth, Purpose, Seed, Topology, Vec3, math};

const RANGE: Purpose = Purpose::new("world/mountains/range");
const OLD: Purpose = Purpose::new("world/mountains/old");
const CRESTS: Purpose = Purpose::new("world/mountains/crests");
const BEND: Purpose = Purpose::new("world/mountains/bend");

/// Mountains keep this share of their tent between the crests.
const FLOOR: f64 = 0.22;
/// Crests lie at least this many cells apart, or the grid could not hold them.
const LEAST_SPACING_CELLS: f64 = 3.0;
/// From the coast (0) to this continental field mountains rise to their full height.
const COAST_FADE: f64 = 0.06;

/// A line with a tent over it.
struct Range {
    tent: Tent,
    /// Length of the taper at the start of the line, where `s` of the tent is negative.
    taper_m: f64,
    crests: Fractal,
}

/// What mountains do to a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Mountains {
    /// Height above the land under them in metres; 0 at sea.
    pub height_m: Field<f32>,
    /// Smooth rise of the land under them in metres, without crests.
    pub swell_m: Field<f32>,
}

/// Raises ranges over the faults. Cost: cells x ranges nearby.
pub fn raise_mountains(
    grid: &Topology,
    recipe: &Recipe,
    land: &Field<f32>,
    faults: &[Fault],
    seed: Seed,
) -> Mountains {
    let params = &recipe.mountains;
    let mut lines = young_lines(params, faults);
    let young = lines.len();
    lines.extend((0..params.old_ranges).filter_map(|k| old_line(grid, params, land, seed, k)));
    let ranges: Vec<Range> =
        lines.iter().enumerate().map(|(k, line)| draw_range(params, line, k, k >= young, seed)).collect();

    let widest = ranges.iter().flat_map(|r| r.tent.ends).map(|e| e.width_m).fold(0.0, f64::max);
    let index = NearIndex::new(grid, &lines, widest);
    let bend = Fractal::new(seed.key(BEND), 4, 0.5);
    let spacing_m = (params.ridge_spacing_km * 1000.0).max(LEAST_SPACING_CELLS * grid.cell_m());
    let bend_m = params.bend_km * 1000.0;
    let coast = |cell: Cell| math::smoothstep(0.0, COAST_FADE, f64::from(land[cell]));

    let both = Field::from_fn(grid.shape(), |cell| {
        if land[cell] <= 0.0 {
            return (0.0, 0.0);
        }
        let p = position_m(grid, cell);
        let bent = p + bend.vector(p / (6.0 * bend_m.max(1.0))) * (3.0 * bend_m);
        let (mut height, mut swell) = (0.0f64, 0.0f64);
        for (line, beside) in index.beside(&lines, bent) {
            let range = &ranges[line];
            let s_m = beside.s_m - range.taper_m;
            let mask = range.tent.at(s_m, beside.d_m.abs());
            if mask > 0.0 {
                let q = Vec3::new(s_m / (params.stretch * spacing_m), beside.d_m / spacing_m, 0.5);
                let crest = (range.crests.ridged(q) * 1.25).min(1.0);
                height = height.max(mask * (FLOOR + (1.0 - FLOOR) * crest));
                swell = swell.max(mask);
            }
        }
        (height * coast(cell), swell * coast(cell))
    });
    Mountains {
        height_m: both.map(|b| quantise(b.0, 0.125)),
        swell_m: both.map(|b| (b.1 * recipe.base.swell) as f32),
    }
}

/// Lines of the convergent faults that are long enough to carry a range.
fn young_lines(params: &MountainParams, faults: &[Fault]) -> Vec<Polyline> {
    faults
        .iter()
        .filter(|f| f.kind == FaultKind::Convergent)
        .map(|f| Polyline::new(f.points_m.clone()))
        .filter(|line| line.length_m() > params.width_km * 1000.0)
        .collect()
}

/// A wandering line inside a continent; `None` where no place for it was found.
fn old_line(
    grid: &Topology,
    params: &MountainParams,
    land: &Field<f32>,
    seed: Seed,
    k: u32,
) -> Option<Polyline> {
    const TRIES: usize = 60;
    const STEPS: usize = 24;
    let mut draw = seed.key(OLD).at(Nth(k));
    let places = (0..TRIES).filter_map(|_| grid.locate(anywhere(grid, &mut draw)));
    let start = places.into_iter().find(|&c| land[c] > 0.25)?;
    let step_m = draw.range(0.25, 0.7) * params.width_km * 1000.0;
    let (u, v) = match grid {
        Topology::Globe(_) => math::tangent_frame(grid.center(start)),
        Topology::Flat(_) => (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)),
    };
    let mut heading = draw.range(0.0, std::f64::consts::TAU);
    let mut points = vec![position_m(grid, start)];
    for _ in 0..STEPS {
        heading += 0.16 * draw.normal();
        let last = points[points.len() - 1];
        let next = last + (u * math::cos(heading) + v * math::sin(heading)) * step_m;
        points.push(match grid {
            Topology::Globe(globe) => next.normalized() * globe.radius_m(),
            Topology::Flat(_) => next,
        });
    }
    Some(Polyline::new(points))
}

/// A place on the surface, all equally likely.
fn anywhere(grid: &Topology, draw: &mut Draw) -> Vec3 {
    match grid {
        Topology::Globe(_) => draw.direction(),
        Topology::Flat(flat) => {
            let (width, height) = flat.extent_m();
            Vec3::new(draw.range(0.0, width), draw.range(0.0, height), 0.0)
        }
    }
}

/// Widths, heights and tapers of one range, varying from end to end.
fn draw_range(params: &MountainParams, line: &Polyline, k: usize, old: bool, seed: Seed) -> Range {
    let key = seed.key(RANGE).within(Nth(k as u32));
    let mut draw = key.at(Nth(0));
    let length_m = line.length_m();
    let full = params.height_m * if old { params.old_height } else { 1.0 };
    let size = (length_m / (7.0 * params.width_km * 1000.0)).clamp(0.4, 1.0); // short ranges are lower
    let base = draw.range(0.55, 1.0);
    let end = |draw: &mut Draw| End {
        width_m: params.width_km * 1000.0 * draw.range(0.6, 1.5) * (0.5 + 0.5 * size),
        height: full * size * (base * draw.range(0.75, 1.2)).min(1.0),
        taper_m: (params.taper_km * 1000.0 * draw.range(0.6, 1.2)).min(0.35 * length_m),
    };
    let ends = [end(&mut draw), end(&mut draw)];
    let main_m = length_m - ends[0].taper_m - ends[1].taper_m;
    let tent = Tent { main_m, ends, easing: Easing::of(params) };
    Range {
        tent,
        taper_m: ends[0].taper_m,
        crests: Fractal::new(seed.key(CRESTS).within(Nth(k as u32)), 3, 0.5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crust::faults::{Crust, Side};
    use grid::Flat;

    fn straight() -> (Topology, Recipe, Field<f32>, Vec<Fault>) {
        let grid = Topology::Flat(Flat::new(80, 40, 10_000.0).expect("a small map"));
        let mut recipe = Recipe::preset("island").expect("built in");
        recipe.mountains.bend_km = 0.0;
        recipe.mountains.old_ranges = 0;
        let land = Field::filled(grid.shape(), 1.0);
        let points_m = (1..8).map(|i| Vec3::new(f64::from(i) * 100_000.0, 200_000.0, 0.0)).collect();
        let fault = Fault {
            kind: FaultKind::Convergent,
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
        let (grid, recipe, land, faults) = straight();
        let mountains = raise_mountains(&grid, &recipe, &land, &faults, Seed(3));
        let line = young_lines(&recipe.mountains, &faults).remove(0);
        let range = draw_range(&recipe.mountains, &line, 0, false, Seed(3));
        for cell in grid.cells() {
            let p = position_m(&grid, cell);
            let beyond = (100_000.0 - p.x).max(p.x - 700_000.0).max(0.0);
            let beside = (p.y - 200_000.0).abs();
            let s = p.x.clamp(100_000.0, 700_000.0) - 100_000.0 - range.taper_m;
            let mask = range.tent.at(s, (beyond * beyond + beside * beside).sqrt());
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
        let mountains = raise_mountains(&grid, &recipe, &land, &faults, Seed(3));
        assert!(grid.cells().all(|c| land[c] > 0.0 || mountains.height_m[c] == 0.0));
    }
}
