//! Rivers with their names, shores of lakes and coasts.

use super::ground::Ground;
use super::isolines::Raster;
use super::lines::{Stem, distance, length, lighter, needed};
use super::space::{Space, Spot, spots};
use super::{Point, letters};
use crate::along::{self, Letters};
use formats::sheet::{Face, Ink, Mark, Path, Pen, Shape, Step, Text, advance};
use grid::math;

/// Colours of rivers, of shores and of names.
pub(super) const RIVER: Ink = [62, 110, 158, 255];
const COAST: Ink = [52, 78, 104, 255];
const NAME: Ink = [34, 78, 128, 255];
const HALO: Ink = [252, 251, 246, 165];

/// What suits a map of a scale; of a valley, and of a whole world.
#[derive(Clone, Copy, Debug)]
struct Manner {
    /// Points of paper for each point of river: more would be a web of lines.
    area_of_river: f64,
    /// The finest and the widest line of a river.
    finest: f64,
    widest: f64,
    /// Size of the least and of the greatest names.
    names: [f64; 2],
    /// How much of their width lines of shores and coasts have.
    shore: f64,
    /// Shorter shores, in points, are specks.
    least_shore: f64,
}

const NEAR: Manner = Manner {
    area_of_river: 20.0,
    finest: 0.3,
    widest: 2.1,
    names: [6.8, 10.4],
    shore: 1.0,
    least_shore: 1.5,
};
const FAR: Manner = Manner {
    area_of_river: 40.0,
    finest: 0.16,
    widest: 1.15,
    names: [5.0, 7.4],
    shore: 0.6,
    least_shore: 4.0,
};

impl Manner {
    fn of(metres_per_pt: f64) -> Self {
        let far = math::smoothstep(3.3, 4.4, math::log10(metres_per_pt.max(1.0)));
        let mix = |a: f64, b: f64| a + (b - a) * far;
        Self {
            area_of_river: mix(NEAR.area_of_river, FAR.area_of_river),
            finest: mix(NEAR.finest, FAR.finest),
            widest: mix(NEAR.widest, FAR.widest),
            names: [mix(NEAR.names[0], FAR.names[0]), mix(NEAR.names[1], FAR.names[1])],
            shore: mix(NEAR.shore, FAR.shore),
            least_shore: mix(NEAR.least_shore, FAR.least_shore),
        }
    }
}

/// A channel so wide, in points, is an area with banks, not a line.
pub(super) const AREA: f64 = 1.6;

/// How wide rivers are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Widths {
    /// Least discharge that is drawn, in m3/s.
    pub least_m3_s: f64,
    /// The greatest discharge on the map.
    pub greatest_m3_s: f64,
    /// The discharge that has the widest line.
    pub most_m3_s: f64,
    metres_per_pt: f64,
    scale: f64,
    manner: Manner,
}

impl Widths {
    /// Widths that suit a map's rivers: as many are drawn as there is room for.
    pub fn of(stems: &[Stem], ground: &Ground, scale: f64) -> Self {
        let metres_per_pt = ground.metres_per_pt();
        let manner = Manner::of(metres_per_pt);
        let room = ground.size[0] * ground.size[1] / (manner.area_of_river * scale);
        let mut pieces: Vec<(f64, f64)> = Vec::new();
        for stem in stems {
            for (n, pair) in stem.points.windows(2).enumerate() {
                if ground.holds(pair[0], 0.0) {
                    pieces.push((stem.discharge_m3_s[n + 1], distance(pair[0], pair[1])));
                }
            }
        }
        pieces.sort_by(|a, b| b.0.total_cmp(&a.0));
        let most = pieces.first().map_or(1.0, |p| p.0);
        let mut left = room;
        let within = pieces.iter().take_while(|(_, length)| {
            left -= length;
            left > 0.0
        });
        let least = within.last().map_or(most, |p| p.0).max(most * 1e-5).max(1e-6);
        Self {
            least_m3_s: least,
            greatest_m3_s: most,
            most_m3_s: most.max(least * 60.0),
            metres_per_pt,
            scale,
            manner,
        }
    }

    /// Width of the line of a discharge in points.
    pub fn line(&self, discharge_m3_s: f64) -> f64 {
        let share = math::log10((discharge_m3_s / self.least_m3_s).max(1.0))
            / math::log10(self.most_m3_s / self.least_m3_s);
        let share = share.clamp(0.0, 1.0);
        let Manner { finest, widest, .. } = self.manner;
        self.scale * (finest + (widest - finest) * share * share.sqrt())
    }

    /// Width of a channel's line: its own, where that is wider.
    fn of_channel(&self, discharge_m3_s: f64, width_m: f64) -> f64 {
        self.line(discharge_m3_s).max(width_m / self.metres_per_pt)
    }

    /// The least width of channels that are areas, not lines, in metres.
    fn least_area_m(&self) -> f64 {
        AREA * self.metres_per_pt
    }
}

/// Rivers as smooth lines that grow downstream, small ones first. What lies in water that is an area on the map, where `is_wet`
/// holds, is not drawn: they end at its shore, and go on where they leave it.
pub fn rivers(stems: &[Stem], widths: &Widths, is_wet: &dyn Fn(Point) -> bool) -> Vec<Mark> {
    let mut marks = Vec::new();
    for stem in stems.iter().rev() {
        let Some(first) = stem.discharge_m3_s.iter().position(|q| *q >= widths.least_m3_s) else { continue };
        let wide = stem.width_m.iter().position(|w| *w >= widths.least_area_m());
        // up to the place where it begins to be an area
        let seen = first.saturating_sub(1)..wide.map_or(stem.points.len(), |n| n + 1);
        for part in stem.where_dry(seen, is_wet) {
            let keep = needed(&part.points, 0.1);
            let light: Vec<Point> = keep.iter().map(|&n| part.points[n]).collect();
            let width = |&n: &usize| {
                widths.of_channel(part.discharge_m3_s[n].max(widths.least_m3_s), part.width_m[n])
            };
            let wide: Vec<f64> = keep.iter().map(width).collect();
            let mut smooth = Path::default();
            smooth.add_smooth(&light);
            marks.extend(tapered(&light, &smooth, &wide));
        }
    }
    marks
}

/// A smooth line in pieces of equal width, each a little wider than the one before.
fn tapered(points: &[Point], smooth: &Path, wide: &[f64]) -> Vec<Mark> {
    const STEP: f64 = 0.08;
    let mut marks = Vec::new();
    let mut from = 0;
    for to in 1..points.len() {
        let is_last = to + 1 == points.len();
        if !is_last && (wide[to + 1] - wide[from]).abs() < STEP {
            continue;
        }
        let mut path = Path(vec![Step::Move(points[from])]);
        path.0.extend(smooth.0.iter().skip(from + 1).take(to - from).copied().filter(|s| *s != Step::Close));
        let width = 0.5 * (wide[from] + wide[to]);
        marks.push(Mark::Shape(Shape { path, fill: None, pen: Some(Pen { ink: RIVER, width }) }));
        from = to;
    }
    marks
}

/// The coast: where the raster, which is below 0 in the sea and above on land, is 0.
pub fn coast(land: &Raster, ground: &Ground, scale: f64) -> Vec<Mark> {
    shore(land, ground, (0.0, 0.09), Pen { ink: COAST, width: 0.5 * scale })
}

/// Shores of lakes: where the raster, 1 in their water and 0 beside it, is a half.
pub fn lakes(water: &Raster, ground: &Ground, scale: f64) -> Vec<Mark> {
    shore(&water.softer(), ground, (0.5, 0.09), Pen { ink: RIVER, width: 0.38 * scale })
}

fn shore(raster: &Raster, ground: &Ground, (level, tolerance): (f32, f64), pen: Pen) -> Vec<Mark> {
    let on_paper = |line: Vec<Point>| line.into_iter().map(|p| ground.of_sample(p)).collect::<Vec<_>>();
    let manner = Manner::of(ground.metres_per_pt());
    let pen = Pen { width: pen.width * manner.shore, ..pen };
    let lines = raster.isolines(level).into_iter().map(on_paper);
    // what is smaller than a dot is no island, and from far no lake
    let seen = |line: &Vec<Point>| length(line) > manner.least_shore;
    let lines: Vec<Vec<Point>> = lines.filter(seen).map(|l| lighter(&l, tolerance)).collect();
    let drawn = |some: &[Vec<Point>]| {
        let mut path = Path::default();
        some.iter().for_each(|line| path.add_smooth(line));
        Mark::Shape(Shape { path, fill: None, pen: Some(pen) })
    };
    lines.chunks(64).map(drawn).collect()
}

/// Where rivers are drawn: names keep off their lines.
pub fn courses(stems: &[Stem], widths: &Widths, map: &Space) -> Space {
    let mut taken = map.empty();
    for stem in stems {
        for (n, pair) in stem.points.windows(2).enumerate() {
            let discharge = stem.discharge_m3_s[n + 1];
            if discharge < widths.least_m3_s {
                continue;
            }
            let half = 0.5 * widths.of_channel(discharge, stem.width_m[n + 1]);
            let parts = (distance(pair[0], pair[1]).ceil() as usize).clamp(1, 4000);
            for part in 0..parts {
                let t = part as f64 / parts as f64;
                let at = [0, 1].map(|k| pair[0][k] + t * (pair[1][k] - pair[0][k]));
                taken.take(&[(at, [half; 2])]);
            }
        }
    }
    taken
}

/// Names of the greatest rivers along their lines; `name` knows a basin's.
pub fn names(
    stems: &[Stem],
    widths: &Widths,
    name: &dyn Fn(u32) -> Option<String>,
    (space, courses, scale): (&mut Space, &Space, f64),
) -> Vec<Mark> {
    const MOST: usize = 28;
    let mut done: Vec<u32> = Vec::new();
    let mut marks = Vec::new();
    for stem in stems {
        let Some(basin) = stem.basin.filter(|basin| !done.contains(basin)) else { continue };
        done.push(basin);
        let discharge = stem.discharge_m3_s.last().copied().unwrap_or(0.0);
        if marks.len() >= MOST || discharge < widths.least_m3_s {
            continue;
        }
        let Some(words) = name(basin).filter(|words| !words.is_empty()) else { continue };
        let great = widths.line(discharge) / (widths.manner.widest * scale);
        let [small, large] = widths.manner.names;
        let size = (small + (large - small) * great) * scale;
        if let Some(text) = named_along(&words, stem, widths, (size, space, courses)) {
            space.take(&spots(&text));
            marks.push(Mark::Text(text));
        }
    }
    marks
}

/// A name along the calmest part of a river where there is room, a little above the line.
fn named_along(
    words: &str,
    stem: &Stem,
    widths: &Widths,
    (size, space, courses): (f64, &Space, &Space),
) -> Option<Text> {
    const STEP: f64 = 3.0;
    let calm = along::calm(&stem.points, STEP, size);
    let wide = advance(Face::Italic, words, size) + TRACKING * size * words.chars().count() as f64;
    let count = (wide / STEP).ceil() as usize;
    let mut best: Option<(f64, Text)> = None;
    for from in (0..calm.len().saturating_sub(count)).step_by(2) {
        let part = &calm[from..=from + count];
        let turning = along::bend(part);
        // names stand rather near the mouth, and not where the line bends or climbs
        let upstream = 1.0 - (from + count) as f64 / calm.len() as f64;
        let (first, last) = (part[0], part[count]);
        let steep = ((last[1] - first[1]) / distance(first, last).max(1e-9)).abs();
        let cost = turning + 0.5 * upstream + 0.8 * steep;
        if turning > 1.3 || best.as_ref().is_some_and(|(known, _)| *known <= cost) {
            continue;
        }
        let discharge = stem.discharge_m3_s.last().copied().unwrap_or(0.0);
        let own = stem.width_m.last().copied().unwrap_or(0.0);
        let above = 0.5 * widths.of_channel(discharge, own) + 0.24 * size;
        for text in [set(words, part, (size, above)), set(words, part, (size, -above - 0.52 * size))]
            .into_iter()
            .flatten()
        {
            // a line under a letter is worse than a bend
            let spots = spots(&text);
            let cost = cost + 2.5 * courses.share_taken(&strokes(&spots));
            if best.as_ref().is_none_or(|(known, _)| *known > cost) && space.is_free(&spots) {
                best = Some((cost, text));
            }
        }
    }
    best.map(|(_, text)| text)
}

/// The letters themselves, without the air around them.
fn strokes(spots: &[Spot]) -> Vec<Spot> {
    const SHARE: f64 = 0.6;
    spots.iter().map(|(middle, reach)| (*middle, reach.map(|r| SHARE * r))).collect()
}

/// Letters along a line that is read from left to right, a distance above it; none if the line is too short.
fn set(words: &str, line: &[Point], (size, above): (f64, f64)) -> Option<Text> {
    let wide = |letter: char| advance(Face::Italic, letter.encode_utf8(&mut [0; 4]), size);
    let places =
        along::letters(words, line, &Letters { size, above, tracking: TRACKING * size, wide: &wide })?;
    let mut text =
        letters((words, Face::Italic, size), NAME, Some((HALO, 0.13 * size)), ([0.0; 2], [1.0, 0.0]));
    text.run = formats::sheet::Run::Along(places);
    Some(text)
}

/// Room between letters, as a share of their size.
const TRACKING: f64 = 0.09;

#[cfg(test)]
mod tests {
    use super::*;
    use region::{Lattice, Window};

    fn stem(points: Vec<Point>, from: f64, to: f64) -> Stem {
        let last = points.len() - 1;
        let discharge_m3_s: Vec<f64> =
            (0..=last).map(|n| from + (to - from) * n as f64 / last as f64).collect();
        Stem { width_m: vec![1.0; points.len()], points, discharge_m3_s, basin: Some(3) }
    }

    #[test]
    fn rivers_grow_downstream_without_steps() {
        let lattice = Lattice::Plane { step_m: 1000.0 };
        let window = Window { west: 0, north: 100, width: 100, height: 100 };
        let ground = Ground { lattice: &lattice, window, at: [0.0; 2], size: [400.0; 2] };
        let wavy =
            (0..100).map(|i| [f64::from(i) * 4.0, 200.0 + 20.0 * math::sin(f64::from(i) * 0.3)]).collect();
        let stems = [stem(wavy, 1.0, 900.0)];
        let widths = Widths::of(&stems, &ground, 1.0);
        let marks = rivers(&stems, &widths, &|_| false);
        let short = rivers(&stems, &widths, &|p| p[0] > 200.0);
        assert!(!short.is_empty() && short.len() < marks.len(), "it ends at the lake");
        let through = rivers(&stems, &widths, &|p| (150.0..250.0).contains(&p[0]));
        let ends = |marks: &[Mark]| -> Vec<Point> {
            let path = |m: &Mark| if let Mark::Shape(s) = m { s.path.0.clone() } else { Vec::new() };
            let end = |step: &Step| match *step {
                Step::Move(p) | Step::Line(p) | Step::Curve(_, _, p) => Some(p),
                Step::Close => None,
            };
            marks.iter().flat_map(path).filter_map(|step| end(&step)).collect()
        };
        let in_lake = |p: &Point| p[0] > 150.1 && p[0] < 249.9;
        assert!(!ends(&through).iter().any(in_lake), "nothing is drawn in the lake");
        let reaches = |x: f64| ends(&through).iter().any(|p| (p[0] - x).abs() < 0.05);
        assert!([150.0, 250.0].into_iter().all(reaches), "it ends at one shore and goes on at the other");
        let wide: Vec<f64> = marks
            .iter()
            .filter_map(|m| if let Mark::Shape(s) = m { s.pen } else { None })
            .map(|p| p.width)
            .collect();
        assert!(wide.len() > 8 && wide.is_sorted(), "{wide:?}");
        assert!(
            wide.windows(2).all(|w| w[1] - w[0] < 0.45) && wide[0] < 0.6 && wide[wide.len() - 1] > 1.8,
            "{wide:?}"
        );
    }

    #[test]
    fn a_name_is_written_from_left_to_right_along_its_river() {
        let lattice = Lattice::Plane { step_m: 1000.0 };
        let window = Window { west: 0, north: 100, width: 100, height: 100 };
        let ground = Ground { lattice: &lattice, window, at: [0.0; 2], size: [400.0; 2] };
        // it runs to the west
        let arc = (0..100)
            .map(|i| [380.0 - f64::from(i) * 3.6, 200.0 + f64::from((i - 50) * (i - 50)) * 0.02])
            .collect();
        let stems = [stem(arc, 1.0, 900.0)];
        let widths = Widths::of(&stems, &ground, 1.0);
        let mut space = Space::new([0.0; 2], [400.0; 2]);
        let courses = courses(&stems, &widths, &space);
        let found = names(&stems, &widths, &|_| Some("Mesadro".into()), (&mut space, &courses, 1.0));
        let [Mark::Text(text)] = &found[..] else { panic!("one name, not {found:?}") };
        let places = text.places();
        assert!(places.windows(2).all(|w| w[1].0[0] > w[0].0[0]), "{places:?}");
        assert_eq!(courses.share_taken(&strokes(&spots(text))), 0.0, "no letter stands on the river");
        assert!(names(&stems, &widths, &|_| None, (&mut space, &courses, 1.0)).is_empty());
    }

    #[test]
    fn letters_never_lie_upon_one_another() {
        let lattice = Lattice::Plane { step_m: 1000.0 };
        let window = Window { west: 0, north: 100, width: 100, height: 100 };
        let ground = Ground { lattice: &lattice, window, at: [0.0; 2], size: [400.0; 2] };
        let mut written = 0;
        for long in 1..60 {
            let line = (0..=long).map(|i| [100.0 + 2.0 * f64::from(i), 200.0]).collect();
            let stems = [stem(line, 900.0, 1000.0)];
            let widths = Widths::of(&stems, &ground, 1.0);
            let mut space = Space::new([0.0; 2], [400.0; 2]);
            let courses = courses(&stems, &widths, &space);
            let found = names(&stems, &widths, &|_| Some("Bi".into()), (&mut space, &courses, 1.0));
            let Some(Mark::Text(text)) = found.first() else { continue };
            written += 1;
            let apart = text.places().windows(2).map(|w| distance(w[0].0, w[1].0)).fold(f64::MAX, f64::min);
            assert!(apart > 0.1 * text.size, "a river of {} points: {apart}", 2 * long);
        }
        assert!((5..55).contains(&written), "{written}");
    }

    #[test]
    fn on_a_crowded_map_small_rivers_are_left_out() {
        let lattice = Lattice::Plane { step_m: 1000.0 };
        let window = Window { west: 0, north: 100, width: 100, height: 100 };
        let ground = Ground { lattice: &lattice, window, at: [0.0; 2], size: [400.0; 2] };
        let stems: Vec<Stem> = (1..100)
            .map(|i| stem(vec![[0.5, f64::from(i) * 4.0], [399.0, f64::from(i) * 4.0]], 1.0, f64::from(i)))
            .collect();
        let widths = Widths::of(&stems, &ground, 1.0);
        // a fifth of 400 x 400 points of paper over 20
        assert!((60.0..95.0).contains(&widths.least_m3_s), "{}", widths.least_m3_s);
    }
}
