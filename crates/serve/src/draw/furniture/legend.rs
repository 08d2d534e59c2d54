//! The box that says what colours and lines mean.

use super::super::canvas::{Canvas, Point};
use super::super::colour::{Rgb, Rgba};
use super::super::palette::Ramp;
use super::super::stroke::Stroke;
use super::super::text::{Anchor, TextStyle, size_of};
use super::{Corner, Look, corner_of, faded, number, panel, round_down};

/// A line of a legend.
#[derive(Clone, Debug, PartialEq)]
enum Entry {
    Ramp { label: String, ramp: Ramp, ticks: Vec<(f32, String)> },
    Swatch { label: String, colour: Rgb },
    Line { label: String, width_px: f32, colour: Rgba },
    Sign { label: String, strokes: Vec<Stroke> },
    Table { rows: Vec<Vec<(String, Rgb)>> },
}

/// A box that says what colours and lines mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    title: String,
    entries: Vec<Entry>,
}

impl Legend {
    /// An empty box of this title.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), entries: Vec::new() }
    }

    /// Adds a colour ramp. `ticks` are the values that get a number; an empty list chooses about five.
    pub fn ramp(mut self, label: impl Into<String>, ramp: &Ramp, ticks: &[f32]) -> Self {
        let chosen = if ticks.is_empty() { round_ticks(ramp.range(), 5) } else { ticks.to_vec() };
        let ticks = chosen.into_iter().map(|v| (v, number(f64::from(v)))).collect();
        self.entries.push(Entry::Ramp { label: label.into(), ramp: ramp.clone(), ticks });
        self
    }

    /// Adds a field of one colour.
    pub fn swatch(mut self, label: impl Into<String>, colour: Rgb) -> Self {
        self.entries.push(Entry::Swatch { label: label.into(), colour });
        self
    }

    /// Adds a sample of a line, such as a river of some discharge.
    pub fn line(mut self, label: impl Into<String>, width_px: f32, colour: Rgba) -> Self {
        self.entries.push(Entry::Line { label: label.into(), width_px, colour });
        self
    }

    /// Adds a sign: a drawing in pixels, [`SIGN_EM`] letters wide from x = 0 on, with y = 0 in its middle.
    pub fn sign(mut self, label: impl Into<String>, strokes: Vec<Stroke>) -> Self {
        self.entries.push(Entry::Sign { label: label.into(), strokes });
        self
    }

    /// Adds a table of short names, each on a field of its colour.
    pub fn table(mut self, rows: Vec<Vec<(String, Rgb)>>) -> Self {
        self.entries.push(Entry::Table { rows });
        self
    }

    /// Width and height of the box in pixels.
    pub fn size(&self, look: &Look) -> Point {
        let em = look.text_px;
        let title = if self.title.is_empty() { 0.0 } else { size_of(&self.title, em * 1.1).0 };
        let widest = self.entries.iter().map(|e| e.width(em)).fold(title, f32::max);
        let height: f32 = self.entries.iter().map(|e| e.height(em)).sum();
        let head = if self.title.is_empty() { 0.0 } else { 1.8 * em };
        (widest + 2.0 * em, height + head + 1.4 * em)
    }

    /// Draws the box in a corner.
    pub fn draw(&self, canvas: &mut Canvas, corner: Corner, look: &Look) {
        let size = self.size(look);
        self.draw_at(canvas, corner_of(canvas.size(), corner, size, look.text_px), look);
    }

    /// Draws the box with its upper left corner at a place.
    pub fn draw_at(&self, canvas: &mut Canvas, at: Point, look: &Look) {
        let size = self.size(look);
        panel(canvas, at, size, look);
        let em = look.text_px;
        let (x, mut y) = (at.0 + em, at.1 + 0.7 * em);
        if !self.title.is_empty() {
            canvas.text((x, y), &self.title, &TextStyle::new(em * 1.1).colour(look.ink));
            y += 1.8 * em;
        }
        for entry in &self.entries {
            entry.draw(canvas, (x, y), size.0 - 2.0 * em, look);
            y += entry.height(em);
        }
    }
}

impl Entry {
    fn width(&self, em: f32) -> f32 {
        match self {
            Self::Ramp { label, ticks, .. } => {
                let digits: f32 = ticks.iter().map(|(_, t)| size_of(t, 0.85 * em).0 + em).sum();
                size_of(label, em).0.max(digits).max(16.0 * em)
            }
            Self::Swatch { label, .. } | Self::Line { label, .. } | Self::Sign { label, .. } => {
                size_of(label, em).0 + 3.2 * em
            }
            Self::Table { rows } => {
                rows.iter().map(Vec::len).max().unwrap_or_default() as f32 * TABLE_CELL.0 * em
            }
        }
    }

    fn height(&self, em: f32) -> f32 {
        match self {
            Self::Ramp { .. } => 4.2 * em,
            Self::Swatch { .. } | Self::Sign { .. } => 1.6 * em,
            Self::Table { rows } => (rows.len() as f32 * TABLE_CELL.1 + 0.3) * em,
            Self::Line { width_px, .. } => (1.6 * em).max(width_px + 0.4 * em),
        }
    }

    fn draw(&self, canvas: &mut Canvas, (x, y): Point, width: f32, look: &Look) {
        let em = look.text_px;
        let middle = y + self.height(em) / 2.0;
        let beside = look.style().anchor(Anchor::Left);
        match self {
            Self::Ramp { label, ramp, ticks } => {
                canvas.text((x, y), label, &look.style());
                draw_ramp(canvas, ((x, y + 1.5 * em), (width, 0.9 * em)), ramp, look);
                draw_ticks(canvas, ((x, y + 2.4 * em), width), (ramp, ticks), look);
            }
            Self::Swatch { label, colour: [r, g, b] } => {
                let (corner, size) = ((x, middle - 0.5 * em), (SIGN_EM * em, em));
                canvas.rect(corner, size, [*r, *g, *b, 255]);
                canvas.outline(corner, size, look.hairline() * 0.6, faded(look.ink, 110));
                canvas.text((x + 3.0 * em, middle), label, &beside);
            }
            Self::Table { rows } => draw_table(canvas, (x, y), rows, look),
            Self::Line { label, width_px, colour } => {
                canvas.line(&[(x + width_px / 2.0, middle), (x + SIGN_EM * em, middle)], *width_px, *colour);
                canvas.text((x + 3.0 * em, middle), label, &beside);
            }
            Self::Sign { label, strokes } => {
                let here: Vec<Stroke> = strokes.iter().map(|s| s.clone().moved((x, middle))).collect();
                canvas.strokes(&here);
                canvas.text((x + 3.0 * em, middle), label, &beside);
            }
        }
    }
}

/// Width of colours, lines and signs, measured by ordinary text.
pub const SIGN_EM: f32 = 2.2;

/// Width and height of a field of a table, measured by ordinary text.
const TABLE_CELL: Point = (2.5, 1.45);

fn draw_table(canvas: &mut Canvas, (x, y): Point, rows: &[Vec<(String, Rgb)>], look: &Look) {
    let em = look.text_px;
    let size = ((TABLE_CELL.0 - 0.12) * em, (TABLE_CELL.1 - 0.12) * em);
    for (row, fields) in rows.iter().enumerate() {
        for (column, (name, colour)) in fields.iter().enumerate() {
            let at = (x + column as f32 * TABLE_CELL.0 * em, y + row as f32 * TABLE_CELL.1 * em);
            canvas.rect(at, size, [colour[0], colour[1], colour[2], 255]);
            // dark letters on bright fields, bright ones on dark fields (luma of BT.601)
            let luma =
                0.299 * f32::from(colour[0]) + 0.587 * f32::from(colour[1]) + 0.114 * f32::from(colour[2]);
            let ink = if luma > 110.0 { look.ink } else { [255, 255, 255, 255] };
            let style = TextStyle::new(0.85 * em).colour(ink).anchor(Anchor::Centre);
            canvas.text((at.0 + size.0 / 2.0, at.1 + size.1 / 2.0), name, &style);
        }
    }
}

/// A column of colour a pixel wide for every pixel of the box.
fn draw_ramp(canvas: &mut Canvas, (corner, size): (Point, Point), ramp: &Ramp, look: &Look) {
    let (low, high) = ramp.range();
    let columns = size.0.max(1.0) as usize;
    for i in 0..columns {
        let t = (i as f32 + 0.5) / columns as f32;
        let [r, g, b] = ramp.at(low + (high - low) * t);
        canvas.rect((corner.0 + i as f32, corner.1), (1.0, size.1), [r, g, b, 255]);
    }
    canvas.outline(corner, (columns as f32, size.1), look.hairline() * 0.6, faded(look.ink, 110));
}

fn draw_ticks(
    canvas: &mut Canvas,
    ((x, y), width): (Point, f32),
    (ramp, ticks): (&Ramp, &[(f32, String)]),
    look: &Look,
) {
    let em = look.text_px;
    let (low, high) = ramp.range();
    let style = TextStyle::new(0.85 * em).colour(look.ink).anchor(Anchor::Top);
    let mut free_from = f32::NEG_INFINITY;
    for (value, text) in ticks {
        let t = ((value - low) / (high - low)).clamp(0.0, 1.0);
        let at = x + t * width;
        canvas.line(&[(at, y), (at, y + 0.3 * em)], look.hairline(), look.ink);
        // Numbers at the ends stay within the ramp's width; one that would touch the last is left out.
        let half = size_of(text, style.size_px).0 / 2.0;
        let centre = at.clamp(x + half, (x + width - half).max(x + half));
        if centre - half >= free_from {
            canvas.text((centre, y + 0.35 * em), text, &style);
            free_from = centre + half + 0.4 * em;
        }
    }
}

/// Round values inside a range, about `count` of them.
pub fn round_ticks((low, high): (f32, f32), count: usize) -> Vec<f32> {
    let (low, high) = (f64::from(low), f64::from(high));
    if !(low.is_finite() && high.is_finite() && low < high) {
        return vec![low as f32];
    }
    let wanted = (high - low) / count.max(1) as f64;
    let mut step = round_down(wanted);
    while (high - low) / step > count.max(1) as f64 * 1.5 {
        step = round_down(step * 2.6);
    }
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|k| (k as f64 * step) as f32).collect()
}
