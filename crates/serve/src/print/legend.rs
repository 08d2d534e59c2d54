//! What stands under the map: scale, colours, signs, and whence it comes.

use super::frame::outline;
use super::heights::in_words;
use super::key::Key;
use super::overlay::{self, SIGN_WIDTH, Sample, Sign};
use super::paper::Layout;
use super::water::{RIVER, Widths};
use super::{Point, group, pale, plain};
use crate::draw::Rgb;
use crate::draw::furniture::{number, round_down, round_ticks};
use crate::draw::palette::Ramp;
use formats::sheet::{Face, Ink, Mark, Path, Pen, Run, Text, advance};
use grid::math;

const INK: Ink = [44, 46, 50, 255];
const SOFT: Ink = [92, 96, 102, 255];

/// What a legend tells.
pub(super) struct Legend<'a> {
    pub layout: &'a Layout,
    pub key: &'a Key,
    /// What signs of this map mean, after those that all maps have.
    pub signs: &'a [Sign],
    pub paleness: f32,
    pub widths: Option<Widths>,
    /// Metres between contours, and between those with numbers, if there are any.
    pub interval_m: Option<(f64, Option<f64>)>,
    pub has_peaks: bool,
    pub metres_per_pt: f64,
    /// Where the scale holds; empty if everywhere.
    pub scale_note: &'a str,
    pub colophon: &'a str,
}

/// Size of words on A4.
const SIZE: f64 = 6.8;

fn words(text: impl Into<String>, at: Point, (size, anchor): (f64, f64), ink: Ink) -> Mark {
    let run = Run::Level { at, anchor };
    Mark::Text(Text { text: text.into(), face: Face::Sans, size, ink, halo: None, run })
}

impl Legend<'_> {
    /// All parts from left to right, and the last line.
    pub fn marks(&self) -> Mark {
        let scale = self.layout.scale;
        let (left, right) = self.layout.column();
        let top = self.layout.legend_y() + 6.0 * scale;
        let width = right - left;
        let mut marks = self.scale_bar([left, top], 0.27 * width);
        marks.extend(self.key([left + 0.33 * width, top], 0.36 * width));
        let signs_width = 0.27 * width;
        marks.extend(self.signs([right - signs_width, top + 2.0 * scale], signs_width));
        let foot = self.layout.legend_y() + 56.0 * scale;
        let size = 5.2 * scale;
        let fits = (right - left) / advance(Face::Sans, self.colophon, size).max(1.0);
        marks.push(words(self.colophon, [left, foot], (size * fits.min(1.0), 0.0), SOFT));
        group("legend", marks)
    }

    /// A bar of a round length, and the scale as a ratio.
    fn scale_bar(&self, [x, y]: Point, width: f64) -> Vec<Mark> {
        let scale = self.layout.scale;
        let size = SIZE * scale;
        let whole_m = round_length(0.92 * width * self.metres_per_pt);
        let length = whole_m / self.metres_per_pt;
        let (thick, base) = (2.6 * scale, y + 9.0 * scale);
        let mut marks = Vec::new();
        for n in 0..4 {
            let fill = if n % 2 == 0 { INK } else { [255; 4] };
            let part = Path::rect([x + length * 0.25 * f64::from(n), base], [0.25 * length, thick]);
            marks.push(plain(part, Some(fill), None));
        }
        marks.push(outline([x, base], [length, thick], scale));
        let (unit, metres) = if whole_m >= 2000.0 { ("km", 1000.0) } else { ("m", 1.0) };
        for (share, anchor) in [(0.0, 0.0), (0.5, 0.5), (1.0, 0.5)] {
            let value = number(whole_m * share / metres);
            let text = if share == 1.0 { format!("{value} {unit}") } else { value };
            marks.push(words(text, [x + share * length, base - 2.4 * scale], (size, anchor), INK));
        }
        let ratio = self.metres_per_pt * 72.0 / 0.0254;
        let digits = math::pow(10.0, (math::log10(ratio.max(1.0)).floor() - 2.0).max(0.0));
        let ratio = format!("1 : {}", number((ratio / digits).round() * digits));
        marks.push(words(ratio, [x, base + thick + 9.2 * scale], (1.15 * size, 0.0), INK));
        if !self.scale_note.is_empty() {
            marks.push(words(self.scale_note, [x, base + thick + 17.5 * scale], (0.86 * size, 0.0), SOFT));
        }
        marks
    }

    /// What colours mean.
    fn key(&self, at: Point, width: f64) -> Vec<Mark> {
        match self.key {
            Key::Ramps(ramps) => {
                let step = 21.5 * self.layout.scale;
                let place = |n: usize| [at[0], at[1] + n as f64 * step];
                ramps
                    .iter()
                    .take(2)
                    .enumerate()
                    .flat_map(|(n, (name, ramp))| self.ramp(name, ramp, (place(n), width)))
                    .collect()
            }
            Key::Swatches(fields) => self.swatches(fields, at, width),
            Key::Words(text) => {
                let scale = self.layout.scale;
                vec![words(text.as_str(), [at[0], at[1] + 4.2 * scale], (SIZE * scale, 0.0), INK)]
            }
        }
    }

    /// Colours with names in as few rows as the width allows, smaller where there are many.
    fn swatches(&self, fields: &[(String, Rgb)], at: Point, width: f64) -> Vec<Mark> {
        const ROWS: [(usize, f64); 3] = [(4, 1.0), (5, 0.92), (6, 0.84)];
        let patch = if fields.len() > 12 { 9.0 } else { 14.0 };
        // of each column: its fields, and how wide it is
        let columns = |(rows, factor): (usize, f64)| -> Vec<(&[(String, Rgb)], f64)> {
            let unit = factor * self.layout.scale;
            let name = |field: &(String, Rgb)| advance(Face::Sans, &field.0, SIZE * unit);
            let wide = |some: &[(String, Rgb)]| some.iter().map(name).fold(0.0, f64::max);
            fields.chunks(rows).map(|some| (some, wide(some) + (patch + 12.0) * unit)).collect()
        };
        let total = |columns: &[(&[(String, Rgb)], f64)]| columns.iter().map(|c| c.1).sum::<f64>();
        let fits = ROWS.into_iter().find(|&rows| total(&columns(rows)) <= width);
        let (rows, factor) = fits.unwrap_or(ROWS[ROWS.len() - 1]);
        let unit = factor * self.layout.scale;
        let step = (44.0 * self.layout.scale / rows as f64).min(10.2 * unit);
        let (mut marks, mut x) = (Vec::new(), at[0]);
        for (some, wide) in columns((rows, factor)) {
            // what has no room is left out, the last columns first
            if x + wide > at[0] + width + 8.0 * unit {
                break;
            }
            for (row, (name, colour)) in some.iter().enumerate() {
                let [r, g, b] = pale(*colour, self.paleness);
                let corner = [x, at[1] + row as f64 * step - 1.0 * unit];
                let size = [patch * unit, 6.2 * unit];
                marks.push(plain(Path::rect(corner, size), Some([r, g, b, 255]), None));
                marks.push(outline(corner, size, 0.7 * unit));
                let label = [corner[0] + (patch + 4.0) * unit, corner[1] + 5.2 * unit];
                marks.push(words(name.as_str(), label, (SIZE * unit, 0.0), INK));
            }
            x += wide;
        }
        marks
    }

    /// A line of colours with numbers under it.
    fn ramp(&self, name: &str, ramp: &Ramp, ([x, y], width): (Point, f64)) -> Vec<Mark> {
        const PARTS: usize = 80;
        let scale = self.layout.scale;
        let label = 36.0 * scale;
        let (x0, width, thick) = (x + label, width - label, 6.0 * scale);
        let (low, high) = ramp.range();
        let mut marks = vec![words(name, [x, y + 4.8 * scale], (SIZE * scale, 0.0), INK)];
        let part = width / PARTS as f64;
        for n in 0..PARTS {
            let colour = ramp.at(low + (high - low) * (n as f32 + 0.5) / PARTS as f32);
            let [r, g, b] = pale(colour, self.paleness);
            // a hair wider than its part, so that no paper shows between
            let overlap = if n + 1 < PARTS { 1.3 } else { 1.0 };
            let path = Path::rect([x0 + n as f64 * part, y], [part * overlap, thick]);
            marks.push(plain(path, Some([r, g, b, 255]), None));
        }
        marks.push(outline([x0, y], [width, thick], 0.8 * scale));
        let size = 0.86 * SIZE * scale;
        let mut free = f64::MIN;
        for value in round_ticks((low, high), 5) {
            let at = x0 + width * f64::from((value - low) / (high - low));
            let text = number(value.into());
            let half = 0.5 * advance(Face::Sans, &text, size);
            if at - half < free {
                continue;
            }
            free = at + half + 3.0 * scale;
            let tick = Path::line(&[[at, y + thick], [at, y + thick + 1.6 * scale]]);
            marks.push(plain(tick, None, Some(Pen { ink: INK, width: 0.35 * scale })));
            marks.push(words(text, [at, y + thick + 1.6 * scale + 0.86 * size], (size, 0.5), SOFT));
        }
        marks
    }

    /// Signs, each with its meaning to the right, in as few columns as the height allows, smaller where there are many.
    fn signs(&self, at: Point, width: f64) -> Vec<Mark> {
        const ROWS: [(usize, f64); 4] = [(4, 1.0), (5, 0.92), (6, 0.84), (7, 0.74)];
        const GAP: f64 = 9.0;
        let all = self.meanings();
        let beside = f64::from(SIGN_WIDTH) + 5.0;
        let columns = |(rows, factor): (usize, f64)| -> Vec<(&[Meaning], f64)> {
            let unit = factor * self.layout.scale;
            let long = |meaning: &Meaning| advance(Face::Sans, &meaning.words, SIZE * unit);
            let wide = |some: &[Meaning]| some.iter().map(long).fold(0.0, f64::max) + (beside + GAP) * unit;
            all.chunks(rows).map(|some| (some, wide(some))).collect()
        };
        let total = |columns: &[(&[Meaning], f64)]| columns.iter().map(|c| c.1).sum::<f64>();
        let room = width + GAP * self.layout.scale;
        let fits = ROWS.into_iter().find(|&rows| total(&columns(rows)) <= room);
        let (rows, factor) = fits.unwrap_or(ROWS[ROWS.len() - 1]);
        let unit = factor * self.layout.scale;
        let step = (44.0 * self.layout.scale / rows as f64).min(10.2 * unit);
        let (mut marks, mut x) = (Vec::new(), at[0]);
        for (n, (some, wide)) in columns((rows, factor)).into_iter().enumerate() {
            // what has no room is left out, the last columns first
            if n > 0 && x + wide > at[0] + room {
                break;
            }
            for (row, meaning) in some.iter().enumerate() {
                let at = [x, at[1] + row as f64 * step];
                marks.extend(self.drawn(&meaning.look, at, unit));
                let label = [at[0] + beside * unit, at[1] + 2.2 * unit];
                marks.push(words(meaning.words.as_str(), label, (SIZE * unit, 0.0), INK));
            }
            x += wide;
        }
        marks
    }

    /// A sign whose left end has its middle at a place.
    fn drawn(&self, look: &Drawn, at: Point, unit: f64) -> Vec<Mark> {
        match look {
            Drawn::Winding(pen) => {
                let mut path = Path::default();
                let wave = |n: f64, dy: f64| [at[0] + n * 7.3 * unit, at[1] + dy * unit];
                path.add_smooth(&[wave(0.0, 0.8), wave(1.0, -0.9), wave(2.0, 0.8), wave(3.0, -0.6)]);
                vec![plain(path, None, Some(*pen))]
            }
            Drawn::Top => {
                let (x, y, r) = (at[0] + 11.0 * unit, at[1] + 0.2 * unit, 1.8 * unit);
                let ring = [[x, y - 1.15 * r], [x + r, y + 0.65 * r], [x - r, y + 0.65 * r]];
                vec![plain(Path::ring(&ring), Some(INK), None)]
            }
            Drawn::Own(Sample::Patch(colour)) => {
                let [r, g, b] = pale(*colour, self.paleness);
                let (corner, size) = ([at[0] + 4.0 * unit, at[1] - 3.1 * unit], [14.0 * unit, 6.2 * unit]);
                let patch = plain(Path::rect(corner, size), Some([r, g, b, 255]), None);
                vec![patch, outline(corner, size, 0.7 * unit)]
            }
            Drawn::Own(Sample::Drawing(strokes)) => {
                strokes.iter().filter_map(|stroke| overlay::mark(stroke, at, unit)).collect()
            }
        }
    }

    /// What signs on the map mean.
    fn meanings(&self) -> Vec<Meaning> {
        let scale = self.layout.scale;
        let mut all = Vec::new();
        if let Some(widths) = self.widths {
            let least = round_down(widths.least_m3_s);
            let most = round_down(widths.greatest_m3_s.min(widths.least_m3_s * 400.0));
            // one line, where all rivers are alike
            for discharge in if most > least { vec![least, most] } else { vec![least] } {
                let pen = Pen { ink: RIVER, width: widths.line(discharge) };
                let words = format!("River, {} m³/s", number(discharge));
                all.push(Meaning { look: Drawn::Winding(pen), words });
            }
        }
        if let Some((interval_m, numbered_m)) = self.interval_m {
            let numbered = numbered_m.map(|m| format!("; numbered {}", in_words(m))).unwrap_or_default();
            let words = format!("Contours, {}{numbered}", in_words(interval_m));
            let pen = Pen { ink: [112, 78, 44, 220], width: 0.4 * scale };
            all.push(Meaning { look: Drawn::Winding(pen), words });
        }
        let own = |sign: &Sign| Meaning { look: Drawn::Own(sign.sample.clone()), words: sign.words.clone() };
        all.extend(self.signs.iter().map(own));
        if self.has_peaks {
            all.push(Meaning { look: Drawn::Top, words: "Height in metres".into() });
        }
        all
    }
}

/// A sign and what it means.
struct Meaning {
    look: Drawn,
    words: String,
}

/// How a sign of a legend is drawn.
enum Drawn {
    /// A line that winds: a river, a contour.
    Winding(Pen),
    /// The triangle of a summit.
    Top,
    /// A sign of this map.
    Own(Sample),
}

/// A round length not over one: such that its quarters and its half are round too.
fn round_length(x: f64) -> f64 {
    let ten = math::pow(10.0, math::log10(x.max(1e-6)).floor());
    [8.0, 6.0, 4.0, 2.0, 1.0].into_iter().map(|k| k * ten).find(|&n| n <= x * (1.0 + 1e-9)).unwrap_or(ten)
}

#[cfg(test)]
mod tests {
    use super::super::key::present;
    use super::*;
    use crate::draw::classes::{BIOMES, KOPPEN};

    /// All classes of climates, and of biomes, stand in their part of the sheet, none on another.
    #[test]
    fn long_keys_keep_to_their_room() {
        let layout = Layout::of(super::super::Paper::A4, 0.7);
        for classes in [&KOPPEN[..], &BIOMES] {
            let all = present(classes, 0..classes.len());
            let (key, name) = (Key::Swatches(all), String::new());
            let legend = Legend {
                layout: &layout,
                key: &key,
                signs: &[],
                paleness: 0.0,
                widths: None,
                interval_m: None,
                has_peaks: false,
                metres_per_pt: 100.0,
                scale_note: &name,
                colophon: &name,
            };
            let (left, right) = layout.column();
            let width = 0.36 * (right - left);
            let words = words_apart(&legend.key([100.0, 50.0], width), width);
            assert_eq!(words, classes.len());
        }
    }

    /// How many words a part of a legend at 100, 50 has, after making sure that they stand in its room of such a width, none on another.
    fn words_apart(marks: &[Mark], width: f64) -> usize {
        let mut texts: Vec<(Point, f64, f64)> = Vec::new();
        for mark in marks {
            let Mark::Text(Text { text, size, run: Run::Level { at, .. }, .. }) = mark else { continue };
            texts.push((*at, advance(Face::Sans, text, *size), *size));
        }
        for (n, (at, wide, size)) in texts.iter().enumerate() {
            assert!(at[0] + wide <= 100.0 + width + 1.0 && at[1] <= 50.0 + 46.0, "{at:?} {width}");
            let apart = |(b, other, _): &(Point, f64, f64)| {
                at[0] + wide < b[0] || b[0] + other < at[0] || (at[1] - b[1]).abs() > 0.9 * size
            };
            assert!(texts.iter().skip(n + 1).all(apart), "{at:?}");
        }
        texts.len()
    }

    /// As many signs as a map can have stand in their part of the narrowest sheet, each with its words, none on another.
    #[test]
    fn many_signs_keep_to_their_room() {
        let upright = Layout::of(super::super::Paper::A4, 0.7);
        let across = Layout::of(super::super::Paper::A4, 2.0);
        let names = ["Convergent", "Divergent", "Transform", "Motion in 12 million years", "Volcano", "Lake"];
        let patch = |words: &&str| Sign { words: words.to_string(), sample: Sample::Patch([120, 140, 160]) };
        let signs: Vec<Sign> = names.iter().map(patch).collect();
        let (key, none) = (Key::Words(String::new()), String::new());
        for (layout, count) in [(&upright, 2), (&upright, 6), (&across, 2), (&across, 6)] {
            let legend = Legend {
                layout,
                key: &key,
                signs: &signs[..count],
                paleness: 0.0,
                widths: None,
                interval_m: None,
                has_peaks: true,
                metres_per_pt: 100.0,
                scale_note: &none,
                colophon: &none,
            };
            let (left, right) = layout.column();
            let width = 0.27 * (right - left);
            let marks = legend.signs([100.0, 50.0], width);
            let words = words_apart(&marks, width);
            assert_eq!(words, count + 1, "with summits");
            assert_eq!(marks.len(), words + 2 * count + 1, "a patch has a border; a summit is one mark");
        }
    }

    #[test]
    fn round_numbers_are_round() {
        assert_eq!([round_down(7.3), round_down(0.24), round_down(1000.0)], [5.0, 0.2, 1000.0]);
        assert_eq!([round_length(75_000.0), round_length(199.0), round_length(4.0)], [60_000.0, 100.0, 4.0]);
    }
}
