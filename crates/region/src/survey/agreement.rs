//! Whether regions agree: with one that overlaps them, with the level above, and along their rivers. What each measure means is
//! said in `docs/BENCHMARK.md`, so that other programs can be held to it.

use crate::lattice::{Lattice, Window};
use crate::refine::Region;
use crate::request::Sampled;
use crate::vectors::{Place, RiverLine};
use std::collections::BTreeMap;

/// Two windows of one lattice where they overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seam {
    /// Values compared: samples in both windows, times layers in both regions.
    pub compared: usize,
    /// Values that differ in any bit.
    pub unequal: usize,
    /// Greatest difference of the elevation, in metres.
    pub greatest_m: f64,
}

impl Seam {
    /// Compares all layers that both have; `None` if they lie on different lattices.
    pub fn between(one: &Region, other: &Region) -> Option<Self> {
        if one.lattice != other.lattice {
            return None;
        }
        let mut seam = Self::default();
        let common = overlap(&one.window, &other.window);
        for (layer, values) in one.layers() {
            let Some(others) = other.layer(layer) else { continue };
            for (a, b) in common.iter().map(|&(a, b)| (values[a], others[b])) {
                seam.compared += 1;
                seam.unequal += usize::from(a.to_bits() != b.to_bits());
                if layer == Sampled::Elevation {
                    seam.greatest_m = seam.greatest_m.max(f64::from(a - b).abs());
                }
            }
        }
        Some(seam)
    }
}

/// Numbers of the samples that two windows share, in the one and in the other.
fn overlap(one: &Window, other: &Window) -> Vec<(usize, usize)> {
    let (dx, dy) = (one.west - other.west, other.north - one.north);
    let mut common = Vec::new();
    for row in 0..one.height as i64 {
        for column in 0..one.width as i64 {
            let (x, y) = (column + dx, row + dy);
            if (0..other.width as i64).contains(&x) && (0..other.height as i64).contains(&y) {
                let number = |c: i64, r: i64, w: &Window| r as usize * w.width + c as usize;
                common.push((number(column, row, one), number(x, y, other)));
            }
        }
    }
    common
}

/// A window's heights less those of the level above, whose samples lie twice as far apart.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AcrossLevels {
    /// Samples of the parent compared.
    pub samples: usize,
    /// Mean difference in metres.
    pub mean_m: f64,
    /// Root of the mean square of the difference, in metres.
    pub rms_m: f64,
}

impl AcrossLevels {
    /// Compares each sample of the parent with the mean of the nine of the child around it, weighted by 1, 1/2, 1/4: the mean
    /// over the parent's square where heights run straight between samples. Samples whose nine are not all there, or are not
    /// numbers, are left out. `None` where the parent's lattice is not every second sample of the child's.
    pub fn between(child: &Region, parent: &Region) -> Option<Self> {
        if !is_every_second(&child.lattice, &parent.lattice) {
            return None;
        }
        let (fine, coarse) = (child.layer(Sampled::Elevation)?, parent.layer(Sampled::Elevation)?);
        let (mut sum, mut squares, mut samples) = (0.0, 0.0, 0);
        for (number, &height) in coarse.iter().enumerate() {
            let (column, row) = (number % parent.window.width, number / parent.window.width);
            let middle = (2 * (parent.window.west + column as i64), 2 * (parent.window.north - row as i64));
            let Some(mean) = mean_around(fine, &child.window, middle) else { continue };
            let off = mean - f64::from(height);
            if off.is_finite() {
                (sum, squares, samples) = (sum + off, squares + off * off, samples + 1);
            }
        }
        let count = f64::max(samples as f64, 1.0);
        Some(Self { samples, mean_m: sum / count, rms_m: (squares / count).sqrt() })
    }
}

/// Whether the origin is the same and the step twice as long.
fn is_every_second(child: &Lattice, parent: &Lattice) -> bool {
    let is_origin_sample = child.offset() == 0.0 && parent.offset() == 0.0;
    let same = child.between(0.0, 0.0) == parent.between(0.0, 0.0)
        && child.between(2.0, 0.0) == parent.between(1.0, 0.0)
        && child.between(0.0, 2.0) == parent.between(0.0, 1.0);
    is_origin_sample && same
}

/// The weighted mean of the nine samples around one, by its numbers on the lattice.
fn mean_around(values: &[f32], window: &Window, (column, row): (i64, i64)) -> Option<f64> {
    let (column, row) = (column - window.west, window.north - row);
    let inside =
        (1..window.width as i64 - 1).contains(&column) && (1..window.height as i64 - 1).contains(&row);
    if !inside {
        return None;
    }
    let mut sum = 0.0;
    for (dy, dx) in (-1..=1i64).flat_map(|dy| (-1..=1i64).map(move |dx| (dy, dx))) {
        let weight = f64::from(1u8 << (2 - dx.abs() - dy.abs())) / 16.0;
        sum += weight * f64::from(values[(row + dy) as usize * window.width + (column + dx) as usize]);
    }
    Some(sum)
}

/// Beds along rivers, downstream.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Beds {
    /// Steps from a place of a line to the next, and from the end of a line to a line that begins at the same place.
    pub steps: usize,
    /// Steps on which the bed rises by more than [`Beds::ROUNDING_M`].
    pub rising: usize,
    /// Greatest rise in metres.
    pub greatest_m: f64,
}

impl Beds {
    /// A rise that is none: heights of a planet differ by this in the last bits of a number of 32 bits.
    pub const ROUNDING_M: f64 = 1e-3;

    /// Looks at all steps of some lines.
    pub fn of(lines: &[RiverLine]) -> Self {
        let mut beds = Self::default();
        let key = |place: &Place| place.map(f64::to_bits);
        let mut heads: BTreeMap<[u64; 2], f64> = BTreeMap::new();
        for line in lines {
            if let (Some(place), Some(&bed_m)) = (line.places.first(), line.bed_m.first()) {
                heads.insert(key(place), bed_m);
            }
        }
        for line in lines {
            line.bed_m.windows(2).for_each(|pair| beds.step(pair[0], pair[1]));
            let end = line.places.last().zip(line.bed_m.last());
            if let Some((bed_m, next_m)) = end.and_then(|(place, &bed)| Some((bed, *heads.get(&key(place))?)))
            {
                beds.step(bed_m, next_m);
            }
        }
        beds
    }

    fn step(&mut self, from_m: f64, to_m: f64) {
        self.steps += 1;
        let rise_m = to_m - from_m;
        // what is no number is no fall
        self.rising += usize::from(rise_m.is_nan() || rise_m > Self::ROUNDING_M);
        self.greatest_m = self.greatest_m.max(rise_m);
    }
}

/// How far a window's rivers run from those of the level above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Astray {
    /// Places of the parent's rivers that were looked for.
    pub places: usize,
    /// Places without any river of the child that carries half as much.
    pub lost: usize,
    /// Places no farther from such a river than samples of the parent lie apart.
    pub near: usize,
    /// Median of the distances of the others, in metres.
    pub median_m: Option<f64>,
    /// Their 95th centile.
    pub p95_m: Option<f64>,
}

/// Rivers of the child count for one of the parent if they carry this share of its water.
const SHARE_OF_WATER: f64 = 0.5;
/// Distance from the child's border, in samples of the parent, up to which no river of the parent is looked for.
const BORDER: f64 = 4.0;

impl Astray {
    /// Looks, from each place of the parent's `rivers` well inside the child's window, for the nearest of the child's that
    /// carries half its water. Cost: places times pieces of the child's rivers.
    pub fn between(child: (&Region, &[RiverLine]), parent: (&Region, &[RiverLine])) -> Self {
        let ((region, lines), (above, rivers)) = (child, parent);
        let on = |line: &RiverLine| -> Vec<Place> {
            line.places.iter().map(|&[x, y]| region.lattice.project(x, y).into()).collect()
        };
        let drawn: Vec<(f64, Vec<Place>)> =
            lines.iter().map(|line| (line.discharge_m3_s, on(line))).collect();
        let inside = inner(region, BORDER * above.lattice.step());
        let (mut lost, mut found) = (0, Vec::new());
        for river in rivers {
            let least = SHARE_OF_WATER * river.discharge_from_m3_s;
            for place in on(river).into_iter().filter(|&place| inside(place)) {
                let pieces = drawn.iter().filter(|(carries, _)| *carries >= least);
                let away = pieces.flat_map(|(_, line)| line.windows(2).map(|p| away(place, [p[0], p[1]])));
                match away.fold(f64::INFINITY, f64::min) {
                    d if d.is_finite() => found.push(d),
                    _ => lost += 1,
                }
            }
        }
        found.sort_unstable_by(f64::total_cmp);
        let near = found.partition_point(|&d| d <= above.lattice.step());
        let scale = region.lattice.spacing_m() / region.lattice.step();
        let quantile = |q: f64| found.get(((found.len().max(1) - 1) as f64 * q).round() as usize);
        let [median_m, p95_m] = [0.5, 0.95].map(|q| quantile(q).map(|d| d * scale));
        Self { places: found.len() + lost, lost, near, median_m, p95_m }
    }
}

/// Whether a place on the lattice's plane lies in a window, so far from its border.
fn inner(region: &Region, margin: f64) -> impl Fn(Place) -> bool + use<> {
    let (window, step) = (region.window, region.lattice.step());
    let first = region.lattice.offset();
    let x = |columns: f64| (window.west as f64 + columns + first) * step;
    let y = |rows: f64| (window.north as f64 - rows + first) * step;
    let (west, east) = (x(0.0) + margin, x(window.width as f64 - 1.0) - margin);
    let (south, north) = (y(window.height as f64 - 1.0) + margin, y(0.0) - margin);
    move |[x, y]| x >= west && x <= east && y >= south && y <= north
}

/// Distance of a place from a piece of a line.
fn away([x, y]: Place, [[x0, y0], [x1, y1]]: [Place; 2]) -> f64 {
    let (dx, dy) = (x1 - x0, y1 - y0);
    let along = ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy).max(f64::MIN_POSITIVE);
    let t = along.clamp(0.0, 1.0);
    let (ex, ey) = (x - x0 - t * dx, y - y0 - t * dy);
    (ex * ex + ey * ey).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Method, Request};

    fn region(
        (west, north): (i64, i64),
        (width, height): (usize, usize),
        step_m: f64,
        z: impl Fn(f64, f64) -> f64,
    ) -> Region {
        let (lattice, window) = (Lattice::Plane { step_m }, Window { west, north, width, height });
        let request =
            Request::new(lattice, window, vec![Sampled::Elevation], Method::Drainage).expect("small");
        let at = |k: usize| {
            ((west + (k % width) as i64) as f64 * step_m, (north - (k / width) as i64) as f64 * step_m)
        };
        let values = (0..width * height).map(|k| z(at(k).0, at(k).1) as f32).collect();
        Region::new(&request, vec![(Sampled::Elevation, values)])
    }

    fn line(places: &[Place], bed_m: &[f64], discharge_m3_s: f64) -> RiverLine {
        RiverLine {
            places: places.to_vec(),
            surface_m: bed_m.to_vec(),
            bed_m: bed_m.to_vec(),
            discharge_from_m3_s: discharge_m3_s,
            discharge_m3_s,
            drainage_km2: None,
            width_m: 1.0,
            order: 1,
            basin: None,
            downstream: None,
        }
    }

    #[test]
    fn seams_are_counted_where_windows_overlap() {
        let z = |x: f64, y: f64| x + 100.0 * y;
        let one = region((0, 9), (10, 10), 1.0, z);
        let same = Seam::between(&one, &region((4, 12), (10, 10), 1.0, z)).expect("one lattice");
        assert_eq!((same.compared, same.unequal, same.greatest_m), (6 * 7, 0, 0.0));
        let bumped = region((4, 12), (10, 10), 1.0, |x, y| z(x, y) + if x == 5.0 { 0.5 } else { 0.0 });
        let seam = Seam::between(&one, &bumped).expect("one lattice");
        assert_eq!((seam.compared, seam.unequal, seam.greatest_m), (6 * 7, 7, 0.5));
        assert_eq!(Seam::between(&one, &region((0, 9), (10, 10), 2.0, z)), None, "other samples");
    }

    #[test]
    fn levels_agree_on_planes_and_differ_by_what_was_added() {
        let plane = |x: f64, y: f64| 3.0 * x - 2.0 * y;
        let parent = region((0, 7), (8, 8), 20.0, plane);
        let child = |add: f64| region((0, 15), (16, 16), 10.0, move |x, y| plane(x, y) + add);
        let same = AcrossLevels::between(&child(0.0), &parent).expect("every second sample");
        assert_eq!(same.samples, 49, "all but those at the child's western and northern border");
        assert!(same.mean_m.abs() < 1e-9 && same.rms_m < 1e-9, "{same:?}");
        let higher = AcrossLevels::between(&child(4.0), &parent).expect("every second sample");
        assert!((higher.mean_m - 4.0).abs() < 1e-9 && (higher.rms_m - 4.0).abs() < 1e-9, "{higher:?}");
        let other = region((0, 7), (8, 8), 21.0, plane);
        assert_eq!(AcrossLevels::between(&child(0.0), &other), None);
    }

    #[test]
    fn beds_that_rise_are_found_along_lines_and_at_junctions() {
        let [a, b, c] = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]];
        let falls = [line(&[a, b], &[9.0, 5.0], 1.0), line(&[b, c], &[5.0, 5.0], 1.0)];
        assert_eq!(Beds::of(&falls), Beds { steps: 3, rising: 0, greatest_m: 0.0 });
        let rises = [line(&[a, b], &[9.0, 5.0], 1.0), line(&[b, c], &[5.5, 5.75], 1.0)];
        assert_eq!(Beds::of(&rises), Beds { steps: 3, rising: 2, greatest_m: 0.5 });
    }

    #[test]
    fn rivers_go_astray_by_their_distance() {
        let flat = |_, _| 0.0;
        let (child, parent) =
            (region((0, 199), (200, 200), 10.0, flat), region((0, 99), (100, 100), 20.0, flat));
        let along = |y: f64| -> Vec<Place> { (0..200).map(|k| [10.0 * f64::from(k), y]).collect() };
        let beds = vec![0.0; 200];
        let river = |y: f64, q: f64| line(&along(y), &beds, q);
        let between = |mine: &[RiverLine]| Astray::between((&child, mine), (&parent, &[river(1000.0, 8.0)]));
        let near = between(&[river(1030.0, 4.0), river(1000.0, 3.9)]);
        assert_eq!((near.lost, near.median_m, near.p95_m), (0, Some(30.0), Some(30.0)), "too small is none");
        assert_eq!(near.places, 184, "from 80 m to 1910 m, every 10 m");
        assert_eq!(near.near, 0, "30 m are more than a spacing of 20 m");
        assert_eq!(between(&[river(980.0, 4.0)]).near, 184);
        let none = between(&[]);
        assert_eq!((none.lost, none.places, none.median_m), (184, 184, None));
    }
}
