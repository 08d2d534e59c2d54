//! The frame of a map: meridians and parallels, a band that counts them, and their degrees; kilometres on a flat map.

use super::ground::Ground;
use super::space::Spot;
use super::{Point, group, plain};
use crate::Eastings;
use crate::draw::furniture::{Degree, Side, number, of_globe};
use formats::sheet::{Face, Group, Ink, Mark, PT_PER_MM, Path, Pen, Run, Shape, Text};
use grid::Projection;
use region::Lattice;

/// Colours of the frame, of lines on the map, and of numbers.
const INK: Ink = [44, 46, 50, 255];
const GRID: Ink = [40, 50, 62, 62];
const NUMBER: Ink = [62, 66, 72, 255];
const HALO: Ink = [255, 255, 255, 205];

/// Width of the band around the map.
const BAND: f64 = 1.15 * PT_PER_MM;
/// Size of numbers.
const SIZE: f64 = 6.4;

/// Distances between lines: degrees, from a minute up, and kilometres.
const STEPS_DEG: [f64; 15] = [
    1.0 / 60.0,
    2.0 / 60.0,
    5.0 / 60.0,
    10.0 / 60.0,
    15.0 / 60.0,
    0.5,
    1.0,
    2.0,
    3.0,
    5.0,
    10.0,
    15.0,
    20.0,
    30.0,
    45.0,
];

/// What counts a map's meridians and parallels.
pub struct Framed {
    /// These lines themselves.
    pub grid: Mark,
    /// What stands around the map, and their numbers.
    pub frame: Mark,
    /// The room on the map that numbers take.
    pub numbered: Vec<Spot>,
}

/// The grid on the map, and what stands around it.
pub fn frame(ground: &Ground, eastings: Eastings, scale: f64) -> Framed {
    if ground.is_projected() {
        return globe(ground, scale);
    }
    let sides = Sides::of(ground, eastings);
    let steps = sides.steps(ground);
    let mut around = band(ground, &sides, steps, scale);
    around.extend(numbers(ground, &sides, steps, scale));
    let grid = lines_on_map(ground, grid(ground, &sides, steps, scale));
    Framed { grid, frame: group("frame", around), numbered: Vec::new() }
}

fn lines_on_map(ground: &Ground, marks: Vec<Mark>) -> Mark {
    Mark::Group(Group { name: "grid".into(), clip: Some([ground.at, ground.size]), marks })
}

/// What the coordinates are along the four sides: longitudes or eastings above and below, latitudes or northings left and
/// right; each as the share of the way along the side and the value there.
struct Sides {
    /// Latitude of the pole that the map shows, if it shows one: meridians then run out over all four sides, which have longitudes.
    pole: Option<f64>,
    top: Vec<(f64, f64)>,
    bottom: Vec<(f64, f64)>,
    left: Vec<(f64, f64)>,
    right: Vec<(f64, f64)>,
    /// What coordinates are called on a flat map.
    eastings: Eastings,
}

impl Sides {
    fn of(ground: &Ground, eastings: Eastings) -> Self {
        const PARTS: usize = 240;
        let ([x, y], [width, height]) = (ground.at, ground.size);
        let side = |from: Point, way: Point, axis: usize| {
            let mut values: Vec<(f64, f64)> = Vec::new();
            for n in 0..=PARTS {
                let share = n as f64 / PARTS as f64;
                let at = [from[0] + share * way[0], from[1] + share * way[1]];
                // the border of a whole world may lie half a sample beyond the pole
                let place = ground.place(at).or_else(|| {
                    let step = ground.step();
                    let inwards = |k: usize| (ground.at[k] + 0.5 * ground.size[k] - at[k]).signum() * step[k];
                    ground.place([at[0] + inwards(0), at[1] + inwards(1)])
                });
                let Some(mut value) = place.map(|p| eastings.of(p)[axis]) else { continue };
                if let (0, Some((_, last)), true) = (axis, values.last(), ground.is_globe()) {
                    value -= 360.0 * ((value - last) / 360.0).round();
                }
                values.push((share, value));
            }
            values
        };
        let pole = pole_on(ground);
        let upright = if pole.is_some() { 0 } else { 1 };
        Self {
            pole,
            top: side([x, y], [width, 0.0], 0),
            bottom: side([x, y + height], [width, 0.0], 0),
            left: side([x, y], [0.0, height], upright),
            right: side([x + width, y], [0.0, height], upright),
            eastings,
        }
    }

    /// From where to where coordinates reach on a map, along and up: not only at its sides, for lines may be curved.
    fn extent(ground: &Ground) -> [(f64, f64); 2] {
        const PARTS: usize = 48;
        let share = |n: usize, k: usize| ground.at[k] + ground.size[k] * n as f64 / PARTS as f64;
        let middle = ground.place([share(PARTS / 2, 0), share(PARTS / 2, 1)]).unwrap_or_default();
        let mut all = [(f64::MAX, f64::MIN); 2];
        for at in (0..=PARTS).flat_map(|row| (0..=PARTS).map(move |column| (column, row))) {
            let Some(mut place) = ground.place([share(at.0, 0), share(at.1, 1)]) else { continue };
            if ground.is_globe() {
                place[0] -= 360.0 * ((place[0] - middle[0]) / 360.0).round();
            }
            for (range, value) in all.iter_mut().zip(place) {
                *range = (range.0.min(value), range.1.max(value));
            }
        }
        all
    }

    /// Distances between numbered lines: about one in 70 points.
    fn steps(&self, ground: &Ground) -> [f64; 2] {
        let step = |side: &[(f64, f64)], length_pt: f64| {
            let (low, high) = range([side, &[]]);
            let span = (high - low).max(0.0);
            let wanted = 0.85 * span / (length_pt / 72.0).clamp(2.0, 12.0);
            if ground.is_globe() {
                return STEPS_DEG.into_iter().find(|s| *s >= wanted).unwrap_or(90.0);
            }
            let decades = (0..7).flat_map(|ten| [1.0, 2.0, 5.0].map(|k| k * f64::from(10_u32.pow(ten))));
            decades.into_iter().find(|s| *s >= wanted).unwrap_or(1e7)
        };
        let longer = |a: f64, b: f64| a.max(b);
        if let Some(pole) = self.pole {
            let [_, (south, north)] = Sides::extent(ground);
            let half = [(0.0, 0.0), (1.0, (pole - south).max(north - pole))];
            let along = step(&self.bottom, ground.size[0]).clamp(15.0, MOST_STEP_DEG);
            return [along, step(&half, 0.5 * ground.size[1]).min(MOST_STEP_DEG)];
        }
        let (along, up) = (step(&self.bottom, ground.size[0]), step(&self.left, ground.size[1]));
        // one step for both, unless the map is far from square
        if longer(along, up) <= 2.5 * along.min(up) { [longer(along, up); 2] } else { [along, up] }
    }
}

/// Meridians and parallels around a pole are no farther apart.
const MOST_STEP_DEG: f64 = 30.0;

/// The latitude of a pole that a map of a globe shows, the northern one if it shows both.
fn pole_on(ground: &Ground) -> Option<f64> {
    let is_on = |lat: f64| ground.point([0.0, lat]).is_some_and(|point| ground.holds(point, 0.0));
    let turns = matches!(ground.lattice, Lattice::TransverseMercator { .. });
    [90.0, -90.0].into_iter().find(|&lat| turns && is_on(lat))
}

/// The least and the greatest value of two sides.
fn range(sides: [&[(f64, f64)]; 2]) -> (f64, f64) {
    let values = || sides.into_iter().flatten().map(|v| v.1);
    (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max))
}

/// Where a side's values are multiples of a step: the share of the way, and the number of the multiple.
fn crossings(side: &[(f64, f64)], step: f64) -> Vec<(f64, i64)> {
    let mut found = Vec::new();
    for pair in side.windows(2) {
        let ((t0, v0), (t1, v1)) = (pair[0], pair[1]);
        let (low, high) = (v0.min(v1), v0.max(v1));
        for k in (low / step).ceil() as i64..=(high / step).floor() as i64 {
            let t = if v1 == v0 { t0 } else { t0 + (t1 - t0) * (k as f64 * step - v0) / (v1 - v0) };
            if found.last().is_none_or(|&(_, last)| last != k) {
                found.push((t, k));
            }
        }
    }
    found
}

/// Meridians and parallels, or lines of a flat map's own grid.
fn grid(ground: &Ground, sides: &Sides, [along, up]: [f64; 2], scale: f64) -> Vec<Mark> {
    let called = sides.eastings;
    let [all, heights] = match ground.lattice {
        // lines run out over the border, between the places that are looked at
        Lattice::TransverseMercator { .. } => Sides::extent(ground).map(|(low, high)| {
            let beyond = 0.03 * (high - low);
            (low - beyond, high + beyond)
        }),
        _ => [range([&sides.top, &sides.bottom]), range([&sides.left, &sides.right])],
    };
    let ((west, east), (south, north)) = (if sides.pole.is_some() { (-180.0, 180.0) } else { all }, heights);
    let multiples = |low: f64, high: f64, step: f64| {
        let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
        (first..=last.min(first + 400)).map(move |k| k as f64 * step)
    };
    let limit = |lat: f64| if ground.is_globe() { lat.clamp(-90.0, 90.0) } else { lat };
    let parts = if sides.pole.is_some() { 360 } else { 120 };
    let between =
        move |a: f64, b: f64| (0..=parts).map(move |n| a + (b - a) * f64::from(n) / f64::from(parts));
    let meridian =
        |x: f64| between(limit(south), limit(north)).map(|y| called.own([x, y])).collect::<Vec<_>>();
    let parallel = |y: f64| between(west, east).map(|x| called.own([x, y])).collect::<Vec<_>>();
    let lines = multiples(west, east, along).map(meridian);
    let lines: Vec<Vec<[f64; 2]>> =
        lines.chain(multiples(limit(south), limit(north), up).map(parallel)).collect();
    drawn(ground, &lines, scale)
}

fn drawn(ground: &Ground, lines: &[Vec<[f64; 2]>], scale: f64) -> Vec<Mark> {
    let pen = Some(Pen { ink: GRID, width: 0.3 * scale });
    let parts = lines.iter().flat_map(|line| ground.lines(line));
    parts.map(|part| Mark::Shape(Shape { path: Path::line(&part), fill: None, pen })).collect()
}

/// Two lines around the map, and between them dark and light parts half as long as the steps.
fn band(ground: &Ground, sides: &Sides, [along, up]: [f64; 2], scale: f64) -> Vec<Mark> {
    let ([x, y], [width, height]) = (ground.at, ground.size);
    let up = if sides.pole.is_some() { along } else { up };
    let thick = BAND * scale;
    let mut marks = Vec::new();
    let rect =
        |at: Point, size: Point, fill| Mark::Shape(Shape { path: Path::rect(at, size), fill, pen: None });
    let white = Some([255, 255, 255, 255]);
    let outer = ([x - thick, y - thick], [width + 2.0 * thick, height + 2.0 * thick]);
    for (at, size) in [
        (outer.0, [outer.1[0], thick]),
        ([outer.0[0], y + height], [outer.1[0], thick]),
        ([outer.0[0], y], [thick, height]),
        ([x + width, y], [thick, height]),
    ] {
        marks.push(rect(at, size, white));
    }
    let inset = 0.28 * thick;
    for (side, step, at, way, depth) in [
        (&sides.top, along, [x, y - thick + inset], [width, 0.0], [0.0, thick - 2.0 * inset]),
        (&sides.bottom, along, [x, y + height + inset], [width, 0.0], [0.0, thick - 2.0 * inset]),
        (&sides.left, up, [x - thick + inset, y], [0.0, height], [thick - 2.0 * inset, 0.0]),
        (&sides.right, up, [x + width + inset, y], [0.0, height], [thick - 2.0 * inset, 0.0]),
    ] {
        for (from, to) in dark_parts(side, 0.5 * step) {
            let corner = [at[0] + from * way[0], at[1] + from * way[1]];
            let size = [(to - from) * way[0] + depth[0], (to - from) * way[1] + depth[1]];
            marks.push(rect(corner, size, Some(INK)));
        }
    }
    let line = |at: Point, size: Point, width: f64| {
        let pen = Some(Pen { ink: INK, width: width * scale });
        Mark::Shape(Shape { path: Path::rect(at, size), fill: None, pen })
    };
    marks.push(line(ground.at, ground.size, 0.4));
    marks.push(line(outer.0, outer.1, 0.8));
    marks
}

/// Parts of a side, as shares of it, whose values lie between an even multiple of a step and the next.
fn dark_parts(side: &[(f64, f64)], step: f64) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (side.first(), side.last()) else { return Vec::new() };
    let mut cuts = vec![first.0];
    cuts.extend(crossings(side, step).into_iter().map(|(t, _)| t));
    cuts.push(last.0);
    let value = |t: f64| {
        let n = side.partition_point(|(at, _)| *at <= t).clamp(1, side.len() - 1);
        let ((t0, v0), (t1, v1)) = (side[n - 1], side[n]);
        v0 + (v1 - v0) * (t - t0) / (t1 - t0).max(1e-12)
    };
    let is_dark = |&(a, b): &(f64, f64)| {
        b - a > 1e-9 && ((value(0.5 * (a + b)) / step).floor() as i64).rem_euclid(2) == 0
    };
    cuts.windows(2).map(|w| (w[0], w[1])).filter(is_dark).collect()
}

/// Degrees or kilometres outside the band.
fn numbers(ground: &Ground, sides: &Sides, [along, up]: [f64; 2], scale: f64) -> Vec<Mark> {
    let ([x, y], [width, height]) = (ground.at, ground.size);
    let (size, gap) = (SIZE * scale, BAND * scale + 1.6 * scale);
    let words = |k: i64, step: f64, signs: [&str; 2]| {
        let value = k as f64 * step;
        if ground.is_globe() { angle(value, signs) } else { format!("{} km", number(value / 1000.0)) }
    };
    let (we, sn) = (["W", "E"], ["S", "N"]);
    let (up, beside) = if sides.pole.is_some() { (along, we) } else { (up, sn) };
    let mut marks = Vec::new();
    // numbers at a corner would stand in each other's way
    let inside = |t: f64, length: f64| (6.0 * scale..=length - 6.0 * scale).contains(&(t * length));
    // so would those of meridians that run together near a pole
    let apart = |side: &[(f64, f64)], length: f64, (step, signs): (f64, [&str; 2])| {
        let mut all = crossings(side, step);
        all.retain(|(t, _)| inside(*t, length));
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut free = f64::MIN;
        let mut with_room = |(t, k): (f64, i64)| {
            let words = words(k, step, signs);
            let half = 0.5 * formats::sheet::advance(Face::Sans, &words, size);
            let has_room = t * length - half >= free;
            free = if has_room { t * length + half + 0.4 * size } else { free };
            has_room.then_some((t, words))
        };
        all.into_iter().filter_map(&mut with_room).collect::<Vec<_>>()
    };
    for (side, base) in [(&sides.top, y - gap), (&sides.bottom, y + height + gap + 0.66 * size)] {
        for (t, words) in apart(side, width, (along, we)) {
            marks.push(text(words, [x + t * width, base], (size, 0.5)));
        }
    }
    for (side, at, anchor) in [(&sides.left, x - gap, 1.0), (&sides.right, x + width + gap, 0.0)] {
        for (t, words) in apart(side, height, (up, beside)) {
            let middle = [at, y + t * height];
            marks.push(upright(&words, middle, (size, anchor)));
        }
    }
    marks
}

fn text(words: String, at: Point, (size, anchor): (f64, f64)) -> Mark {
    Mark::Text(Text {
        text: words,
        face: Face::Sans,
        size,
        ink: NUMBER,
        halo: None,
        run: Run::Level { at, anchor },
    })
}

/// A number beside the frame, turned so that it needs little room: its middle at a place, read from below on the left
/// (`anchor` 1), from above on the right.
fn upright(words: &str, middle: Point, (size, anchor): (f64, f64)) -> Mark {
    let wide = formats::sheet::advance(Face::Sans, words, size);
    let along = if anchor > 0.5 { [0.0, -1.0] } else { [0.0, 1.0] };
    let start = [middle[0], middle[1] - along[1] * 0.5 * wide];
    Mark::Text(super::letters((words, Face::Sans, size), NUMBER, None, (start, along)))
}

/// An angle in degrees and minutes with the sign of its side: `46°30′N`.
pub(super) fn angle(degrees: f64, [negative, positive]: [&str; 2]) -> String {
    let wrapped = if positive == "E" { (degrees + 180.0).rem_euclid(360.0) - 180.0 } else { degrees };
    let minutes = (wrapped.abs() * 60.0).round() as i64;
    let side = match wrapped {
        _ if minutes == 0 || minutes == 180 * 60 => "",
        w if w < 0.0 => negative,
        _ => positive,
    };
    match minutes % 60 {
        0 => format!("{}°{side}", minutes / 60),
        rest => format!("{}°{rest:02}′{side}", minutes / 60),
    }
}

/// The meridians and parallels of a globe; its border, and their degrees.
fn globe(ground: &Ground, scale: f64) -> Framed {
    let Lattice::Projected { radius_m, projection, step_m } = ground.lattice else {
        let [grid, frame] = ["grid", "frame"].map(|name| group(name, Vec::new()));
        return Framed { grid, frame, numbered: Vec::new() };
    };
    let lon0 = projection.center_deg().0;
    let meridian = |lon: i32| {
        // all but a few end short of the poles, where they would run together
        let top = if lon % 90 == 0 { 90 } else { 75 };
        (-top..=top).map(|lat| [f64::from(lon), f64::from(lat)]).collect::<Vec<_>>()
    };
    let parallel = |lat: i32| {
        (-1790..=1790)
            .step_by(10)
            .map(|lon| [lon0 + f64::from(lon) * 0.1, f64::from(lat)])
            .collect::<Vec<_>>()
    };
    let mut lines: Vec<Vec<[f64; 2]>> = (-180..180).step_by(LINES_DEG as usize).map(meridian).collect();
    lines.extend((-75..=75).step_by(LINES_DEG as usize).map(parallel));
    let grid = lines_on_map(ground, drawn(ground, &lines, scale));
    let on_paper = |(x, y): (f64, f64)| {
        let sample = |v: f64| v * radius_m / step_m;
        ground.of_sample([sample(x) - ground.window.west as f64, ground.window.north as f64 - sample(y)])
    };
    let border: Vec<Point> = projection.outline(720).into_iter().map(on_paper).collect();
    let pen = Some(Pen { ink: INK, width: 0.8 * scale });
    let mut marks = vec![Mark::Shape(Shape { path: Path::ring(&border), fill: None, pen })];
    let size = SIZE * scale;
    let number = |degree: Degree| {
        let [x, y] = on_paper(degree.at);
        let (off, anchor) = match degree.side {
            Side::Left => ([-2.5 * scale, 0.23 * size], 1.0),
            Side::Right => ([2.5 * scale, 0.23 * size], 0.0),
            Side::Above => ([0.0, -2.5 * scale], 0.5),
            Side::Below => ([0.0, 2.5 * scale + 0.66 * size], 0.5),
            Side::On => ([0.0, 0.23 * size], 0.5),
        };
        let number = text(degree.words, [x + off[0], y + off[1]], (size, anchor));
        if degree.side == Side::On { with_halo(number, 0.9 * scale) } else { number }
    };
    let degrees = degrees(projection);
    let spot = |degree: &Degree| {
        let wide = formats::sheet::advance(Face::Sans, &degree.words, size);
        (on_paper(degree.at), [0.5 * wide + scale, 0.5 * size])
    };
    let numbered = degrees.iter().filter(|degree| degree.side == Side::On).map(spot).collect();
    marks.extend(degrees.into_iter().map(number));
    Framed { grid, frame: group("frame", marks), numbered }
}

/// The numbers of a globe on paper.
fn degrees(projection: &Projection) -> Vec<Degree> {
    let is_beside = |degree: &Degree| matches!(degree.side, Side::Left | Side::Right);
    let beside = of_globe(projection, LINES_DEG).into_iter().filter(is_beside);
    let others = of_globe(projection, NUMBERED_DEG).into_iter().filter(|degree| !is_beside(degree));
    beside.chain(others).collect()
}

/// Degrees from a line of a globe to the next; and to the next that is numbered, but for parallels at the sides, which all are.
const LINES_DEG: u32 = 15;
const NUMBERED_DEG: u32 = 30;

/// Letters with a light border: what they stand on does not show through.
fn with_halo(mark: Mark, width: f64) -> Mark {
    match mark {
        Mark::Text(text) => Mark::Text(Text { halo: Some((HALO, width)), ..text }),
        other => other,
    }
}

/// A box around a part of a legend.
pub(super) fn outline(at: Point, size: Point, scale: f64) -> Mark {
    plain(Path::rect(at, size), None, Some(Pen { ink: INK, width: 0.35 * scale }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use region::Window;

    #[test]
    fn angles_are_written_as_maps_do() {
        let (we, sn) = (["W", "E"], ["S", "N"]);
        let cases = [
            (46.5, sn, "46°30′N"),
            (-3.0, we, "3°W"),
            (0.0, we, "0°"),
            (190.0, we, "170°W"),
            (180.0, we, "180°"),
        ];
        for (value, signs, words) in cases {
            assert_eq!(angle(value, signs), words);
        }
        assert_eq!(angle(7.0 + 5.0 / 60.0, we), "7°05′E");
    }

    /// Around a pole all sides have longitudes, and no side more than there is room for.
    #[test]
    fn a_map_over_a_pole_has_meridians_on_all_sides() {
        let lattice = Lattice::around(6.371e6, (0.0, -90.0), 5_000.0);
        let window = Window { west: -150, north: 150, width: 300, height: 300 };
        let ground = Ground { lattice: &lattice, window, at: [20.0; 2], size: [400.0, 400.0] };
        let sides = Sides::of(&ground, Eastings::default());
        let steps = sides.steps(&ground);
        assert!(sides.pole == Some(-90.0) && steps[0] >= 15.0 && (0.5..5.0).contains(&steps[1]), "{steps:?}");
        let marks = numbers(&ground, &sides, steps, 1.0);
        let words: Vec<&str> =
            marks.iter().map(|m| if let Mark::Text(t) = m { t.text.as_str() } else { "" }).collect();
        assert!((12..=30).contains(&words.len()), "{words:?}");
        assert!(words.iter().all(|w| !w.ends_with(['S', 'N'])), "{words:?}");
        assert!(grid(&ground, &sides, steps, 1.0).len() < 60);
    }

    /// A map over most of a hemisphere has meridians and parallels as far as its border.
    #[test]
    fn a_map_of_half_the_globe_is_divided_throughout() {
        let lattice = Lattice::around(6.371e6, (0.0, 10.0), 100_000.0);
        let window = Window { west: -95, north: 95, width: 190, height: 190 };
        let ground = Ground { lattice: &lattice, window, at: [20.0; 2], size: [400.0, 400.0] };
        let sides = Sides::of(&ground, Eastings::default());
        let steps = sides.steps(&ground);
        assert!(steps.iter().all(|step| (10.0..=30.0).contains(step)), "{steps:?}");
        let [_, (south, north)] = Sides::extent(&ground);
        assert!(sides.pole == Some(90.0) && south < -70.0 && north > 85.0, "{south} {north}");
        assert!(grid(&ground, &sides, steps, 1.0).len() >= 12);
    }

    /// Both ends of a world have meridians, though its northern border lies half a sample beyond the pole.
    #[test]
    fn the_border_of_the_world_has_degrees() {
        let lattice = Lattice::LonLat { radius_m: 6.371e6, step_deg: 1.0 };
        let window = Window { west: -180, north: 90, width: 360, height: 180 };
        let ground = Ground { lattice: &lattice, window, at: [20.0; 2], size: [360.0, 180.0] };
        let sides = Sides::of(&ground, Eastings::default());
        for side in [&sides.top, &sides.bottom] {
            assert!(crossings(side, 30.0).len() > 10, "{} places", side.len());
        }
    }

    /// An imported map counts the kilometres of its raster, and has lines where these are round.
    #[test]
    fn imported_maps_have_round_numbers_of_their_raster() {
        let lattice = Lattice::Plane { step_m: 100.0 };
        let window = Window { west: 0, north: 200, width: 301, height: 201 };
        let ground = Ground { lattice: &lattice, window, at: [20.0; 2], size: [602.0, 402.0] };
        let eastings = Eastings { corner_m: [402_300.0, 5_050_700.0], stretch: [1.0, 0.999] };
        let sides = Sides::of(&ground, eastings);
        let steps = [10_000.0; 2];
        let words = |mark: &Mark| if let Mark::Text(t) = mark { Some(t.text.clone()) } else { None };
        let words: Vec<String> = numbers(&ground, &sides, steps, 1.0).iter().filter_map(words).collect();
        for expected in ["410 km", "420 km", "430 km", "5060 km", "5070 km"] {
            assert_eq!(words.iter().filter(|words| *words == expected).count(), 2, "{expected}: {words:?}");
        }
        // 410 km lies 7700 m from the corner, in the middle of column 77 of 2 points each
        let (first, _) = crossings(&sides.bottom, 10_000.0)[0];
        assert!((first * 602.0 - 77.5 * 2.0).abs() < 0.01, "{first}");
        let lines = grid(&ground, &sides, steps, 1.0);
        assert_eq!(lines.len(), 5);
        let upright = |mark: &Mark| match mark {
            Mark::Shape(shape) => format!("{:?}", shape.path).contains("175.0"),
            _ => false,
        };
        assert!(lines.iter().any(upright), "{lines:?}");
    }

    #[test]
    fn sides_are_crossed_where_they_are_multiples() {
        let side: Vec<(f64, f64)> =
            (0..=10).map(|n| (f64::from(n) / 10.0, 3.2 + 0.3 * f64::from(n))).collect();
        let found = crossings(&side, 1.0);
        assert_eq!(found.iter().map(|c| c.1).collect::<Vec<_>>(), [4, 5, 6]);
        assert!((found[0].0 - 0.8 / 3.0).abs() < 1e-9);
        let dark = dark_parts(&side, 1.0);
        assert_eq!(dark.len(), 2);
        assert!((dark[0].0 - 0.8 / 3.0).abs() < 1e-9 && (dark[0].1 - 1.8 / 3.0).abs() < 1e-9, "{dark:?}");
    }

    #[test]
    fn a_map_over_the_antimeridian_is_numbered_throughout() {
        let lattice = Lattice::LonLat { radius_m: 6.371e6, step_deg: 0.1 };
        let window = Window { west: 1700, north: 100, width: 200, height: 100 };
        let ground = Ground { lattice: &lattice, window, at: [50.0; 2], size: [400.0, 200.0] };
        let marks = numbers(&ground, &Sides::of(&ground, Eastings::default()), [5.0, 5.0], 1.0);
        let words: Vec<&str> =
            marks.iter().map(|m| if let Mark::Text(t) = m { t.text.as_str() } else { "" }).collect();
        for expected in ["175°E", "180°", "175°W", "5°N"] {
            assert_eq!(words.iter().filter(|w| **w == expected).count(), 2, "{expected}: {words:?}");
        }
    }
}
