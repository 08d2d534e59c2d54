//! Contour lines with their heights, and the tops of mountains.

use super::ground::Ground;
use super::isolines::Raster;
use super::lines::{distance, length, lighter};
use super::space::{Space, spots};
use super::{Point, group, letters};
use crate::draw::furniture::number;
use formats::sheet::{Face, Ink, Mark, Path, Pen, Run, Shape, Text};
use region::summits::{Top, Wanted};

use rayon::prelude::*;

/// Colours of contour lines and of their numbers.
const CONTOUR: Ink = [122, 88, 52, 130];
const CONTOUR_INDEX: Ink = [112, 78, 44, 175];
const CONTOUR_NUMBER: Ink = [104, 70, 38, 255];
/// What is around letters on land.
pub(super) const LAND_HALO: Ink = [253, 251, 245, 165];

/// Points between the samples that contour lines are drawn through: finer, they would follow every stone.
const SAMPLE_PT: f64 = 0.8;
/// Least distance of contour lines on steep ground.
const CLOSEST_PT: f64 = 1.75;
/// Every so manieth line is heavier and may have a number: the first of these that leaves more than one height to them.
const INDEX: [i64; 3] = [5, 2, 1];
/// Shorter rings, in points, are dots and loops that say nothing.
const LEAST_RING: f64 = 14.0;
const LEAST_LINE: f64 = 7.0;

/// The contour lines of a map.
pub struct Contours {
    /// Metres between lines.
    pub interval_m: f64,
    /// Every so manieth is heavier.
    every: i64,
    /// Fine lines, heavier lines.
    lines: [Vec<Vec<Point>>; 2],
    /// The heavier ones with their heights, longest first.
    index: Vec<(f64, Vec<Point>)>,
}

/// Heights of dry land on a lattice of about [`SAMPLE_PT`], and how many samples lie between two of it.
fn calm(heights: &Raster, ground: &Ground) -> (Raster, usize) {
    let step = ground.step();
    let side = (SAMPLE_PT / step[0].max(step[1])).round().max(1.0) as usize;
    (heights.coarser(side).softer().softer(), side)
}

/// The interval that keeps lines apart on steep ground and gives a map enough of them, from round ones; none if the map is
/// of so small a scale that contours mean nothing.
fn interval(land: &Raster, step_pt: f64, metres_per_pt: f64) -> Option<f64> {
    const ROUND_M: [f64; 10] = [2.0, 5.0, 10.0, 20.0, 25.0, 50.0, 100.0, 200.0, 250.0, 500.0];
    let mut slopes: Vec<f32> = Vec::new();
    let (mut low, mut high) = (f32::MAX, f32::MIN);
    for pair in land.values.chunks(land.width.max(1)).flat_map(|row| row.windows(2)).step_by(3) {
        if pair.iter().all(|v| v.is_finite()) {
            slopes.push((pair[1] - pair[0]).abs());
            (low, high) = (low.min(pair[0]), high.max(pair[0]));
        }
    }
    if slopes.len() < 50 {
        return None;
    }
    let nth = slopes.len() * 88 / 100;
    let (_, steep, _) = slopes.select_nth_unstable_by(nth, f32::total_cmp);
    let m_per_pt = f64::from(*steep) / step_pt * std::f64::consts::SQRT_2;
    let least = (m_per_pt * CLOSEST_PT).max(f64::from(high - low) / 60.0);
    // on plains too, a map of a small scale has no room for small things
    let least = least.max(0.02 * metres_per_pt);
    ROUND_M.into_iter().find(|&round| round >= least)
}

/// Contour lines of the land; `heights` are not finite in water.
pub fn contours(heights: &Raster, ground: &Ground) -> Option<Contours> {
    let (land, side) = calm(heights, ground);
    let step = ground.step();
    let interval_m = interval(&land, step[0].max(step[1]) * side as f64, ground.metres_per_pt())?;
    let finite = land.values.iter().copied().filter(|v| v.is_finite());
    let (low, high) = finite.fold((f32::MAX, f32::MIN), |(low, high), v| (low.min(v), high.max(v)));
    let first = (f64::from(low) / interval_m).ceil() as i64;
    let last = (f64::from(high) / interval_m).floor() as i64;
    let on_paper = |p: &Point| {
        let sample = |v: f64| (v + 0.5) * side as f64 - 0.5;
        ground.of_sample([sample(p[0]), sample(p[1])])
    };
    let of_level = |k: i64| -> (i64, Vec<Vec<Point>>) {
        let level = (k as f64 * interval_m) as f32;
        let lines =
            land.isolines(level).into_iter().map(|line| line.iter().map(on_paper).collect::<Vec<_>>());
        let least = |line: &[Point]| if line.first() == line.last() { LEAST_RING } else { LEAST_LINE };
        (k, lines.filter(|line| length(line) > least(line)).map(|line| lighter(&line, 0.12)).collect())
    };
    let levels: Vec<(i64, Vec<Vec<Point>>)> =
        (first..=last).filter(|&k| k != 0).collect::<Vec<_>>().into_par_iter().map(of_level).collect();
    let heights = |every: i64| levels.iter().filter(|(k, lines)| k % every == 0 && !lines.is_empty()).count();
    let every = INDEX.into_iter().find(|&every| heights(every) > 1).unwrap_or(1);
    let mut found = Contours { interval_m, every, lines: [Vec::new(), Vec::new()], index: Vec::new() };
    for (k, lines) in levels {
        if k % every == 0 {
            found.index.extend(lines.iter().map(|line| (k as f64 * interval_m, line.clone())));
            found.lines[1].extend(lines);
        } else {
            found.lines[0].extend(lines);
        }
    }
    found.index.sort_by(|a, b| length(&b.1).total_cmp(&length(&a.1)));
    Some(found)
}

impl Contours {
    /// Metres between lines that may have numbers.
    pub fn numbered_m(&self) -> f64 {
        self.interval_m * self.every as f64
    }

    /// The lines, fine ones first.
    pub fn marks(&self, scale: f64) -> Vec<Mark> {
        let pens =
            [Pen { ink: CONTOUR, width: 0.22 * scale }, Pen { ink: CONTOUR_INDEX, width: 0.45 * scale }];
        let drawn = |(lines, pen): (&Vec<Vec<Point>>, Pen)| {
            // many short paths are easier on a drawing program than a single endless one
            lines
                .chunks(64)
                .map(|some| {
                    let mut path = Path::default();
                    some.iter().for_each(|line| path.add_smooth(line));
                    Mark::Shape(Shape { path, fill: None, pen: Some(pen) })
                })
                .collect::<Vec<_>>()
        };
        self.lines.iter().zip(pens).flat_map(drawn).collect()
    }

    /// Heights on the heavier lines, where those run straight and there is room.
    pub fn numbers(&self, space: &mut Space, scale: f64) -> Vec<Mark> {
        const MOST: usize = 60;
        let size = 5.2 * scale;
        let mut marks = Vec::new();
        let mut set: Vec<(f64, Point)> = Vec::new();
        for (height_m, line) in &self.index {
            let words = number(*height_m);
            let wide = formats::sheet::advance(Face::Sans, &words, size);
            for (from, to) in straight_parts(line, wide + 2.0 * scale) {
                let middle = [0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1])];
                // the same height is not said twice in one place
                let near = |(h, p): &(f64, Point)| {
                    distance(*p, middle) < if h == height_m { 150.0 } else { 45.0 } * scale
                };
                if marks.len() >= MOST || set.iter().any(near) {
                    continue;
                }
                let text = along_chord(&words, (from, to), size);
                if space.try_take(&spots(&text)) {
                    set.push((*height_m, middle));
                    marks.push(Mark::Text(text));
                }
            }
        }
        marks
    }
}

/// Parts of a line as long as a width that are nearly straight, from each step of that width at most one.
fn straight_parts(line: &[Point], wide: f64) -> Vec<(Point, Point)> {
    let mut parts = Vec::new();
    let mut from = 0;
    while from < line.len() {
        let mut to = from;
        let mut way = 0.0;
        while way < wide && to + 1 < line.len() {
            way += distance(line[to], line[to + 1]);
            to += 1;
        }
        if way < wide {
            break;
        }
        if distance(line[from], line[to]) > 0.94 * way && way < 1.6 * wide {
            parts.push((line[from], line[to]));
            from = to;
        }
        from += 1;
    }
    parts
}

/// A number in the middle of a chord, upright, its middle on the line.
fn along_chord(words: &str, (from, to): (Point, Point), size: f64) -> Text {
    let (from, to) = if from[0] <= to[0] { (from, to) } else { (to, from) };
    let whole = distance(from, to).max(1e-9);
    let along = [(to[0] - from[0]) / whole, (to[1] - from[1]) / whole];
    let wide = formats::sheet::advance(Face::Sans, words, size);
    let down = 0.22 * size;
    let start = [
        0.5 * (from[0] + to[0]) - 0.5 * wide * along[0] - down * along[1],
        0.5 * (from[1] + to[1]) - 0.5 * wide * along[1] + down * along[0],
    ];
    letters((words, Face::Sans, size), CONTOUR_NUMBER, Some((LAND_HALO, 0.16 * size)), (start, along))
}

/// Metres of a point on maps of so small a scale that only great mountains matter.
pub(super) const FAR_M: f64 = 8_000.0;

/// Ink of tops and their heights.
const TOP: Ink = [48, 40, 34, 255];

/// From each other tops are so far, on A4.
const APART_PT: f64 = 44.0;

/// The summits that a map has room for.
pub fn wanted(ground: &Ground, scale: f64) -> Wanted {
    let apart = APART_PT * scale;
    let most = (ground.size[0] * ground.size[1] / (apart * apart) * 0.35).clamp(3.0, 60.0) as usize;
    let least_share = if ground.metres_per_pt() > FAR_M { 0.35 } else { 0.0 };
    Wanted { apart_m: apart * ground.metres_per_pt(), most, relief_m: 12.0, least_share }
}

/// Summits, the highest first, as little triangles with their heights, as far as there is room.
pub fn peaks(tops: &[Top], ground: &Ground, space: &mut Space, scale: f64) -> Vec<Mark> {
    let (apart, most) = (APART_PT * scale, wanted(ground, scale).most);
    let mut marks = Vec::new();
    let mut set: Vec<Point> = Vec::new();
    for top in tops {
        let Some(at) = ground.point(top.place).filter(|at| ground.holds(*at, 6.0)) else { continue };
        let r = 1.55 * scale;
        let sign = (at, [r, r]);
        let is_close = set.iter().any(|other| distance(*other, at) < apart);
        if set.len() >= most || is_close || !space.is_free(&[sign]) {
            continue;
        }
        let size = if set.len() < 3 { 7.4 } else { 6.6 } * scale;
        let words = number(top.height_m.round());
        let Some(text) = beside(&words, at, (size, r), space) else { continue };
        set.push(at);
        space.take(&spots(&text));
        space.take(&[sign]);
        let ring = [[at[0], at[1] - 1.15 * r], [at[0] + r, at[1] + 0.65 * r], [at[0] - r, at[1] + 0.65 * r]];
        let halo = Pen { ink: LAND_HALO, width: 1.0 * scale };
        marks.push(Mark::Shape(Shape { path: Path::ring(&ring), fill: None, pen: Some(halo) }));
        marks.push(Mark::Shape(Shape { path: Path::ring(&ring), fill: Some(TOP), pen: None }));
        marks.push(Mark::Text(text));
    }
    vec![group("peaks", marks)]
}

/// A text beside a sign: to the right if there is room, else left, above, below.
fn beside(words: &str, at: Point, (size, r): (f64, f64), space: &Space) -> Option<Text> {
    let middle = 0.23 * size;
    let gap = r + 0.25 * size;
    let ways = [
        ([gap, middle], 0.0),
        ([-gap, middle], 1.0),
        ([0.0, -gap], 0.5),
        ([0.0, gap + 0.62 * size], 0.5),
        ([0.8 * gap, -0.7 * gap], 0.0),
        ([-0.8 * gap, -0.7 * gap], 1.0),
    ];
    ways.into_iter().find_map(|(off, anchor)| {
        let run = Run::Level { at: [at[0] + off[0], at[1] + off[1]], anchor };
        let halo = Some((LAND_HALO, 0.13 * size));
        let text = Text { text: words.into(), face: Face::Sans, size, ink: TOP, halo, run };
        space.is_free(&spots(&text)).then_some(text)
    })
}

/// The interval of heights in words.
pub fn in_words(interval_m: f64) -> String {
    format!("{} m", number(interval_m))
}

#[cfg(test)]
mod tests {
    use super::*;
    use region::{Lattice, Window};

    /// Two cones on a plane of 1 m, 300 samples a side, 0.25 pt apart.
    fn cones() -> Raster {
        let cone = |x: f64, y: f64, h: f64| (h - 2.0 * (x * x + y * y).sqrt()).max(0.0);
        let at = |i: usize| {
            let (x, y) = ((i % 600) as f64, (i / 600) as f64);
            (1.0 + cone(x - 150.0, y - 150.0, 500.0).max(cone(x - 420.0, y - 440.0, 320.0))) as f32
        };
        Raster { width: 600, height: 600, values: (0..360_000).map(at).collect() }
    }

    fn ground(lattice: &Lattice) -> Ground<'_> {
        let window = Window { west: 0, north: 600, width: 600, height: 600 };
        Ground { lattice, window, at: [0.0; 2], size: [300.0; 2] }
    }

    #[test]
    fn contours_are_as_far_apart_as_can_be_drawn() {
        let lattice = Lattice::Plane { step_m: 10.0 };
        let contours = contours(&cones(), &ground(&lattice)).expect("there is land");
        // the slopes rise by 4 m a point: lines of 5 m would be 1.25 points apart, of 10 m 2.5
        assert_eq!(contours.interval_m, 10.0);
        let mut space = Space::new([0.0; 2], [300.0; 2]);
        let numbers = contours.numbers(&mut space, 1.0);
        let words: Vec<&str> =
            numbers.iter().map(|m| if let Mark::Text(t) = m { t.text.as_str() } else { "" }).collect();
        assert!(words.contains(&"100") && words.contains(&"200"), "{words:?}");
    }

    #[test]
    fn summits_stand_where_they_are_the_highest_first_and_apart() {
        let lattice = Lattice::Plane { step_m: 10.0 };
        let ground = ground(&lattice);
        // 0.05 points to the metre, from the north-western corner
        let top = |x, y, height_m| Top { place: [x, y], height_m };
        let tops = [
            top(1500.0, 4500.0, 501.4),
            top(1900.0, 4500.0, 400.0),
            top(4200.0, 1600.0, 321.0),
            top(9e9, 0.0, 9.0),
        ];
        let mut space = Space::new([0.0; 2], [300.0; 2]);
        let marks = peaks(&tops, &ground, &mut space, 1.0);
        let Mark::Group(group) = &marks[0] else { panic!("a group") };
        let texts: Vec<&str> = group
            .marks
            .iter()
            .filter_map(|m| if let Mark::Text(t) = m { Some(t.text.as_str()) } else { None })
            .collect();
        assert_eq!(texts, ["501", "321"]);
        let at = ground.point(tops[0].place).expect("on the map");
        assert!(!space.is_free(&[(at, [0.5; 2])]), "{at:?}");
    }

    #[test]
    fn the_sea_has_no_contours() {
        let sea = Raster { width: 600, height: 600, values: vec![f32::NAN; 360_000] };
        let lattice = Lattice::Plane { step_m: 10.0 };
        let ground = ground(&lattice);
        assert!(contours(&sea, &ground).is_none());
    }
}
