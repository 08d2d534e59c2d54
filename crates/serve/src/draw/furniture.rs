//! What stands on a map beside the map: title, legend, scale bar, graticule.

use super::canvas::{Canvas, Point};
use super::colour::{Rgb, Rgba};
use super::palette::Ramp;
use super::text::{Anchor, TextStyle, size_of};

/// Sizes and colours common to everything on one map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Size of ordinary text in pixels; all else is measured by it.
    pub text_px: f32,
    /// Letters and fine lines.
    pub ink: Rgba,
    /// The ground of boxes.
    pub paper: Rgba,
}

impl Look {
    /// What can be read on a picture of this width seen whole: text is a 120th of it, 10 to 40 pixels.
    pub fn for_width(width_px: usize) -> Self {
        Self {
            text_px: (width_px as f32 / 120.0).clamp(10.0, 40.0),
            ink: [44, 48, 54, 255],
            paper: [250, 248, 242, 232],
        }
    }

    fn style(&self) -> TextStyle {
        TextStyle::new(self.text_px).colour(self.ink)
    }

    fn hairline(&self) -> f32 {
        (self.text_px / 14.0).max(1.0)
    }
}

/// Where on a canvas a box stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corner {
    /// Upper left.
    TopLeft,
    /// Upper right.
    TopRight,
    /// Lower left.
    BottomLeft,
    /// Lower right.
    BottomRight,
}

/// A line of a legend.
#[derive(Clone, Debug, PartialEq)]
enum Entry {
    Ramp { label: String, ramp: Ramp, ticks: Vec<(f32, String)> },
    Swatch { label: String, colour: Rgb },
    Line { label: String, width_px: f32, colour: Rgba },
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
        let at = corner_of(canvas, corner, size, look.text_px);
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
            Self::Swatch { label, .. } | Self::Line { label, .. } => size_of(label, em).0 + 3.2 * em,
        }
    }

    fn height(&self, em: f32) -> f32 {
        match self {
            Self::Ramp { .. } => 4.2 * em,
            Self::Swatch { .. } => 1.6 * em,
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
                let (corner, size) = ((x, middle - 0.5 * em), (2.2 * em, em));
                canvas.rect(corner, size, [*r, *g, *b, 255]);
                canvas.outline(corner, size, look.hairline() * 0.6, faded(look.ink, 110));
                canvas.text((x + 3.0 * em, middle), label, &beside);
            }
            Self::Line { label, width_px, colour } => {
                canvas.line(&[(x + width_px / 2.0, middle), (x + 2.2 * em, middle)], *width_px, *colour);
                canvas.text((x + 3.0 * em, middle), label, &beside);
            }
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
    for (value, text) in ticks {
        let t = ((value - low) / (high - low)).clamp(0.0, 1.0);
        let at = x + t * width;
        canvas.line(&[(at, y), (at, y + 0.3 * em)], look.hairline(), look.ink);
        // Numbers at the ends stay within the ramp's width.
        let half = size_of(text, 0.85 * em).0 / 2.0;
        let centre = at.clamp(x + half, (x + width - half).max(x + half));
        let style = TextStyle::new(0.85 * em).colour(look.ink).anchor(Anchor::Top);
        canvas.text((centre, y + 0.35 * em), text, &style);
    }
}

/// Writes a map's title, and a smaller line under it, in the upper left corner.
pub fn title(canvas: &mut Canvas, title: &str, subtitle: &str, look: &Look) {
    let em = look.text_px;
    let (first, second) = (size_of(title, 1.7 * em), size_of(subtitle, em));
    let below = if subtitle.is_empty() { 0.0 } else { second.1 };
    let size = (first.0.max(second.0) + 2.0 * em, first.1 + below + em);
    let (x, y) = corner_of(canvas, Corner::TopLeft, size, em);
    panel(canvas, (x, y), size, look);
    canvas.text((x + em, y + 0.5 * em), title, &TextStyle::new(1.7 * em).colour(look.ink));
    canvas.text((x + em, y + 0.5 * em + first.1), subtitle, &look.style().colour(faded(look.ink, 190)));
}

/// Draws a scale bar of a round length in a corner. A bar says the truth only where a pixel is `metres_per_px`.
///
/// Nothing is drawn if `metres_per_px` is not a positive number.
pub fn scale_bar(canvas: &mut Canvas, metres_per_px: f64, corner: Corner, look: &Look) {
    if !(metres_per_px.is_finite() && metres_per_px > 0.0) {
        return;
    }
    let em = look.text_px;
    let length_m = round_down(metres_per_px * f64::from(em) * 14.0);
    let width = (length_m / metres_per_px) as f32;
    let label = distance(length_m);
    let size = (width + 2.0 * em + size_of(&label, em).0 / 2.0, 3.0 * em);
    let at = corner_of(canvas, corner, size, em);
    panel(canvas, at, size, look);
    let (x, y) = (at.0 + em, at.1 + 2.0 * em);
    let part = width / 4.0;
    for i in 0..4 {
        let shade = if i % 2 == 0 { look.ink } else { [255, 255, 255, 255] };
        canvas.rect((x + part * i as f32, y), (part, 0.4 * em), shade);
    }
    canvas.outline((x, y), (width, 0.4 * em), look.hairline() * 0.7, look.ink);
    canvas.text((x, y - 0.2 * em), "0", &look.style().anchor(Anchor::BottomLeft));
    canvas.text((x + width, y - 0.2 * em), &label, &look.style().anchor(Anchor::Bottom));
}

/// The part of the world that a lon/lat picture shows, border to border, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Longitude of the left border.
    pub west: f64,
    /// Longitude of the right border, greater than `west` (beyond 180 where the map crosses the antimeridian).
    pub east: f64,
    /// Latitude of the lower border.
    pub south: f64,
    /// Latitude of the upper border.
    pub north: f64,
}

impl Frame {
    /// The whole world.
    pub const WORLD: Self = Self { west: -180.0, east: 180.0, south: -90.0, north: 90.0 };

    fn x(&self, lon: f64, canvas: &Canvas) -> f32 {
        ((lon - self.west) / (self.east - self.west) * canvas.width() as f64) as f32
    }

    fn y(&self, lat: f64, canvas: &Canvas) -> f32 {
        ((self.north - lat) / (self.north - self.south) * canvas.height() as f64) as f32
    }

    fn is_sound(&self) -> bool {
        let spans = [self.east - self.west, self.north - self.south];
        spans.iter().all(|s| s.is_finite() && *s > 0.0)
    }
}

/// Lines of equal longitude and latitude on an equirectangular map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Graticule {
    /// Degrees between lines.
    pub step_deg: f64,
    /// Colour of the lines; faint is best.
    pub colour: Rgba,
    /// Whether lines are numbered along the left and the lower border.
    pub labels: bool,
}

impl Graticule {
    /// Faint white lines at a step that gives about a dozen over the frame's width, numbered.
    pub fn for_frame(frame: &Frame) -> Self {
        const STEPS: [f64; 12] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 45.0, 90.0];
        let wanted = (frame.east - frame.west) / 12.0;
        let step_deg = STEPS.into_iter().find(|s| *s >= wanted * 0.99).unwrap_or(90.0);
        Self { step_deg, colour: [255, 255, 255, 60], labels: true }
    }

    /// Draws the lines over the whole canvas.
    ///
    /// Nothing is drawn if the frame or the step is not positive, or for more than 1000 lines.
    pub fn draw(&self, canvas: &mut Canvas, frame: &Frame, look: &Look) {
        let span = (frame.east - frame.west).max(frame.north - frame.south);
        let step_ok = self.step_deg.is_finite() && self.step_deg > 0.0;
        if !(step_ok && frame.is_sound() && span / self.step_deg <= 1000.0) {
            return;
        }
        for lon in multiples(self.step_deg, frame.west, frame.east) {
            self.meridian(canvas, frame, lon, look);
        }
        for lat in multiples(self.step_deg, frame.south, frame.north) {
            self.parallel(canvas, frame, lat, look);
        }
    }

    fn meridian(&self, canvas: &mut Canvas, frame: &Frame, lon: f64, look: &Look) {
        let (x, bottom) = (frame.x(lon, canvas), canvas.height() as f32);
        canvas.line(&[(x, 0.0), (x, bottom)], look.hairline(), self.colour);
        if self.labels {
            let lon = (lon + 180.0).rem_euclid(360.0) - 180.0;
            let text = degrees(lon, ["W", "E"]);
            canvas.text((x, bottom - 0.3 * look.text_px), &text, &label(look, Anchor::Bottom));
        }
    }

    fn parallel(&self, canvas: &mut Canvas, frame: &Frame, lat: f64, look: &Look) {
        let (y, right) = (frame.y(lat, canvas), canvas.width() as f32);
        canvas.line(&[(0.0, y), (right, y)], look.hairline(), self.colour);
        if self.labels {
            canvas.text((0.4 * look.text_px, y), &degrees(lat, ["S", "N"]), &label(look, Anchor::Left));
        }
    }
}

fn label(look: &Look, anchor: Anchor) -> TextStyle {
    let small = 0.8 * look.text_px;
    TextStyle::new(small).colour([60, 66, 74, 255]).anchor(anchor).halo([255, 255, 255, 150], small / 8.0)
}

/// The multiples of `step` strictly between two numbers.
fn multiples(step: f64, low: f64, high: f64) -> Vec<f64> {
    let (first, last) = ((low / step).floor() as i64 + 1, (high / step).ceil() as i64 - 1);
    (first..=last).map(|k| k as f64 * step).collect()
}

fn degrees(value: f64, [negative, positive]: [&str; 2]) -> String {
    let side = match value {
        v if v.abs() < 1e-9 || (v.abs() - 180.0).abs() < 1e-9 => "",
        v if v < 0.0 => negative,
        _ => positive,
    };
    // Two decimals are what the finest step has; adding zero turns -0 into 0.
    format!("{}°{side}", (value.abs() * 100.0).round() / 100.0 + 0.0)
}

fn faded([r, g, b, _]: Rgba, opacity: u8) -> Rgba {
    [r, g, b, opacity]
}

fn panel(canvas: &mut Canvas, at: Point, size: Point, look: &Look) {
    canvas.rect(at, size, look.paper);
    canvas.outline(at, size, look.hairline() * 0.7, faded(look.ink, 90));
}

fn corner_of(canvas: &Canvas, corner: Corner, size: Point, em: f32) -> Point {
    let gap = 1.6 * em;
    let (right, bottom) = (canvas.width() as f32 - size.0 - gap, canvas.height() as f32 - size.1 - gap);
    match corner {
        Corner::TopLeft => (gap, gap),
        Corner::TopRight => (right, gap),
        Corner::BottomLeft => (gap, bottom),
        Corner::BottomRight => (right, bottom),
    }
}

/// The greatest of 1, 2, 5, 10, 20 ... that is not over `value`.
fn round_down(value: f64) -> f64 {
    let mut decade = 1e-6;
    while decade * 10.0 <= value {
        decade *= 10.0;
    }
    [5.0, 2.0, 1.0].into_iter().map(|k| k * decade).find(|v| *v <= value * (1.0 + 1e-12)).unwrap_or(decade)
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

fn distance(metres: f64) -> String {
    if metres >= 1000.0 { format!("{} km", number(metres / 1000.0)) } else { format!("{} m", number(metres)) }
}

/// A number as maps print it: a true minus, thin groups of thousands from 10 000 on, no needless digits.
pub fn number(value: f64) -> String {
    let rounded = (value * 1000.0).round() / 1000.0;
    let plain = rounded.abs().to_string();
    let (whole, rest) = plain.split_once('.').map_or((&plain[..], None), |(w, r)| (w, Some(r)));
    let mut text = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if whole.len() > 4 && i > 0 && (whole.len() - i) % 3 == 0 {
            text.push('\u{a0}');
        }
        text.push(digit);
    }
    if let Some(rest) = rest {
        text = format!("{text}.{rest}");
    }
    if rounded < 0.0 { format!("\u{2212}{text}") } else { text }
}
