//! Ranges: which lines mountains stand on, and how wide and high.
//!
//! | where | line | width, height |
//! |---|---|---|
//! | two continents close | the fault, a little to the upper side | widest, highest; the ground is raised to a plateau |
//! | a continent overrides an ocean | beside the trench, on the continent: a cordillera along the coast | full |
//! | plates slide past each other on land | the fault | narrow, low |
//! | inside continents | a line along an old suture, roughly along the coast | worn |
//!
//! Faster plates raise higher ranges, short ranges are lower. Where a boundary changes from one kind of closing to
//! another, both ranges run on past the change and taper there, so that the mountains do not break off.

use super::tent::{Easing, End, Tent};
use crate::crust::faults::{Fault, FaultKind, beside_m};
use crate::crust::plates::anywhere_m;
use crate::crust::polyline::Polyline;
use crate::fields::position_m;
use crate::recipe::MountainParams;
use grid::noise::Fractal;
use grid::{Cell, Draw, Field, Grid, Nth, Purpose, Seed, Topology, Vec3, math};

const RANGE: Purpose = Purpose::new("world/mountains/range");
const OLD: Purpose = Purpose::new("world/mountains/old");
const CRESTS: Purpose = Purpose::new("world/mountains/crests");

/// Plates that close faster than this (mm/yr) raise ranges of full height.
const FULL_RATE_MM_YR: f64 = 55.0;
/// How much of its height a range has at the slowest.
const SLOW_SHARE: f64 = 0.6;

/// What a range was raised by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Collision,
    Cordillera,
    Shear,
    Old,
}

/// Half width and height of a kind of range relative to the recipe's, how far its line lies from the fault in half
/// widths, and how much of its height the ground under it is raised relative to the recipe's swell.
struct Build {
    width: f64,
    height: f64,
    offset: f64,
    swell: f64,
}

impl Origin {
    fn build(self, params: &MountainParams) -> Build {
        let collision = params.collision_height;
        match self {
            Self::Collision => Build { width: 1.25 * collision, height: collision, offset: 0.3, swell: 1.9 },
            Self::Cordillera => Build { width: 0.85, height: 1.0, offset: 1.15, swell: 1.3 },
            Self::Shear => Build { width: 0.4, height: 0.3, offset: 0.0, swell: 1.0 },
            Self::Old => Build { width: 0.75, height: params.old_height, offset: 0.0, swell: 1.0 },
        }
    }

    /// What a fault raises, if anything.
    fn of(fault: &Fault) -> Option<Self> {
        match fault.kind {
            FaultKind::Convergent if fault.is_inland() => Some(Self::Collision),
            FaultKind::Convergent if fault.touches_land() => Some(Self::Cordillera),
            FaultKind::Transform if fault.is_inland() => Some(Self::Shear),
            _ => None,
        }
    }
}

/// A line with a tent over it.
pub(crate) struct Range {
    pub tent: Tent,
    /// Length of the taper at the start of the line, where `s` of the tent is negative.
    pub taper_m: f64,
    /// Noise whose crests are the range's.
    pub crests: Fractal,
    /// How much of the mask the ground is raised, relative to the recipe's swell.
    pub swell: f64,
}

/// All ranges with their lines: young ones along faults, in the order of faults, then old ones.
pub(crate) fn lay_ranges(
    grid: &Topology,
    params: &MountainParams,
    land: &Field<f32>,
    faults: &[Fault],
    seed: Seed,
) -> (Vec<Polyline>, Vec<Range>) {
    let mut laid: Vec<(Polyline, Origin, f64)> = young_lines(grid, params, faults);
    let old = (0..params.old_ranges).filter_map(|k| old_line(grid, params, land, seed, k));
    laid.extend(old.map(|line| (line, Origin::Old, 1.0)));
    let range = |(k, laid): (usize, &(Polyline, Origin, f64))| draw_range(params, laid, k, seed);
    let ranges = laid.iter().enumerate().map(range).collect();
    (laid.into_iter().map(|(line, _, _)| line).collect(), ranges)
}

/// Lines along the faults that are long enough to carry a range, with the share of the full height that the rate gives.
fn young_lines(grid: &Topology, params: &MountainParams, faults: &[Fault]) -> Vec<(Polyline, Origin, f64)> {
    let width_m = params.width_km * 1000.0;
    let mut lines = Vec::new();
    for (k, fault) in faults.iter().enumerate() {
        let Some(origin) = Origin::of(fault) else { continue };
        let points = with_neighbours(faults, k, params.taper_km * 1000.0);
        let build = origin.build(params);
        let offset_m = fault.upper.sign() * build.offset * build.width * width_m;
        let line = Polyline::new(beside_m(grid, &points, offset_m));
        if line.length_m() > width_m {
            let speed = SLOW_SHARE + (1.0 - SLOW_SHARE) * (fault.rate_mm_yr / FULL_RATE_MM_YR).min(1.0);
            lines.push((line, origin, speed));
        }
    }
    lines
}

/// The points of a fault, and up to `more_m` metres of the pieces before and after it on the same boundary, if those
/// raise mountains beside the same plate too.
fn with_neighbours(faults: &[Fault], k: usize, more_m: f64) -> Vec<Vec3> {
    let fault = &faults[k];
    let joins = |other: &&Fault| {
        other.plates == fault.plates
            && other.upper == fault.upper
            && other.kind == fault.kind
            && Origin::of(other).is_some()
    };
    let near = |points: &mut dyn Iterator<Item = Vec3>| {
        let (mut taken, mut length_m): (Vec<Vec3>, f64) = (Vec::new(), 0.0);
        for p in points {
            length_m += taken.last().map_or(0.0, |last| last.distance(p));
            if length_m > more_m {
                break;
            }
            taken.push(p);
        }
        taken
    };
    let mut points = Vec::new();
    let before = k.checked_sub(1).and_then(|i| faults.get(i)).filter(joins);
    if let Some(before) = before.filter(|b| b.points_m.last() == fault.points_m.first()) {
        points = near(&mut before.points_m.iter().rev().skip(1).copied());
        points.reverse();
    }
    points.extend(&fault.points_m);
    let after = faults.get(k + 1).filter(joins);
    if let Some(after) = after.filter(|a| a.points_m.first() == fault.points_m.last()) {
        points.extend(near(&mut after.points_m.iter().skip(1).copied()));
    }
    points
}

/// A wandering line inside a continent, roughly along its coast; `None` where no place for it was found.
fn old_line(
    grid: &Topology,
    params: &MountainParams,
    land: &Field<f32>,
    seed: Seed,
    k: u32,
) -> Option<Polyline> {
    const TRIES: usize = 80;
    const STEPS: usize = 24;
    /// Old ranges begin where the continental field is at least this.
    const INLAND: f32 = 0.12;
    let mut draw = seed.key(OLD).at(Nth(k));
    let unit_m = grid.metres_per_unit();
    let places = (0..TRIES).filter_map(|_| grid.locate(anywhere_m(grid, &mut draw) / unit_m));
    let start = places.into_iter().find(|&c| land[c] > INLAND)?;
    let step_m = draw.range(0.25, 0.7) * params.width_km * 1000.0;
    let mut heading = along_coast(grid, land, start, step_m) + 0.35 * draw.normal();
    let mut points = vec![position_m(grid, start)];
    for _ in 0..STEPS {
        heading += 0.16 * draw.normal();
        let last = points[points.len() - 1];
        let (u, v) = grid.tangents(points[0]);
        points.push(grid.on_surface_m(last + (u * math::cos(heading) + v * math::sin(heading)) * step_m));
    }
    Some(Polyline::new(points))
}

/// The heading, from the first tangent to the second, at right angles to the slope of the continental field.
fn along_coast(grid: &Topology, land: &Field<f32>, start: Cell, reach_m: f64) -> f64 {
    let p = position_m(grid, start);
    let (u, v) = grid.tangents(p);
    let at = |q: Vec3| {
        let place = grid.nearest_inside(q / grid.metres_per_unit());
        grid.locate(place).map_or(0.0, |c| f64::from(land[c]))
    };
    let slope = |axis: Vec3| at(p + axis * (2.0 * reach_m)) - at(p - axis * (2.0 * reach_m));
    math::atan2(slope(u), -slope(v))
}

/// Widths, heights and tapers of one range, varying from end to end.
fn draw_range(
    params: &MountainParams,
    (line, origin, speed): &(Polyline, Origin, f64),
    k: usize,
    seed: Seed,
) -> Range {
    let mut draw = seed.key(RANGE).within(Nth(k as u32)).at(Nth(0));
    let length_m = line.length_m();
    let build = origin.build(params);
    let size = (length_m / (6.0 * params.width_km * 1000.0)).clamp(0.4, 1.0); // short ranges are lower
    let width_m = params.width_km * 1000.0 * build.width * (0.5 + 0.5 * size);
    let height = params.height_m * build.height * size * speed;
    let base = draw.range(0.65, 1.0);
    let end = |draw: &mut Draw| End {
        width_m: width_m * draw.range(0.65, 1.4),
        height: height * (base * draw.range(0.75, 1.2)).min(1.0),
        taper_m: (params.taper_km * 1000.0 * draw.range(0.6, 1.2)).min(0.35 * length_m),
    };
    let ends = [end(&mut draw), end(&mut draw)];
    let main_m = length_m - ends[0].taper_m - ends[1].taper_m;
    Range {
        tent: Tent { main_m, ends, easing: Easing::of(params) },
        taper_m: ends[0].taper_m,
        crests: Fractal::new(seed.key(CRESTS).within(Nth(k as u32)), 3, 0.5),
        swell: build.swell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crust::faults::{Crust, Side};
    use grid::Flat;

    fn fault(points: &[(f64, f64)], crusts: (Crust, Crust)) -> Fault {
        let points_m = points.iter().map(|&(x, y)| Vec3::new(x * 1e3, y * 1e3, 0.0)).collect();
        Fault {
            kind: FaultKind::Convergent,
            rate_mm_yr: 60.0,
            plates: (0, 1),
            crusts,
            upper: Side::Left,
            points_m,
        }
    }

    #[test]
    fn cordilleras_stand_on_the_continent_and_run_on() {
        let grid = Topology::Flat(Flat::new(300, 200, 10_000.0).expect("a map"));
        let params = MountainParams::default();
        let land = Crust::Continental;
        let west: Vec<(f64, f64)> = (0..20).map(|i| (100.0 + 60.0 * f64::from(i), 500.0)).collect();
        let east: Vec<(f64, f64)> = (19..40).map(|i| (100.0 + 60.0 * f64::from(i), 500.0)).collect();
        let faults = [fault(&west, (land, Crust::Oceanic)), fault(&east, (land, land))];
        let lines = young_lines(&grid, &params, &faults);
        assert_eq!((lines[0].1, lines[1].1), (Origin::Cordillera, Origin::Collision));
        // the fault runs east, so its left is north
        let offset_m = 1.15 * 0.85 * params.width_km * 1e3;
        assert!(lines[0].0.points.iter().all(|p| (p.y - 500e3 - offset_m).abs() < 1.0));
        let ends = |line: &Polyline| (line.points[0].x, line.points[line.points.len() - 1].x);
        assert!(ends(&lines[0].0).1 > 1_700e3, "the cordillera runs on past the change");
        assert!(ends(&lines[1].0).0 < 800e3, "the collision begins before the change");
        let alone = young_lines(&grid, &params, &faults[..1]);
        assert!((ends(&alone[0].0).1 - 1_240e3).abs() < 1.0);
    }

    #[test]
    fn seas_between_oceans_raise_no_range() {
        let oceanic = fault(&[(0.0, 0.0), (900.0, 0.0)], (Crust::Oceanic, Crust::Oceanic));
        assert_eq!(Origin::of(&oceanic), None);
        let mut sliding = fault(&[(0.0, 0.0)], (Crust::Continental, Crust::Continental));
        sliding.kind = FaultKind::Transform;
        assert_eq!(Origin::of(&sliding), Some(Origin::Shear));
    }
}
