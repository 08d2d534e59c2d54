//! What stands on a map beside the map: title, legend, scale bar, graticule.

mod globe;
mod graticule;
mod legend;
mod room;

pub use globe::{Degree, Side, of_globe};
pub use graticule::{Frame, Graticule, degrees};
pub use legend::{Legend, SIGN_EM, round_ticks};
pub use room::Room;

use super::canvas::{Canvas, Point};
use super::colour::Rgba;
use super::text::{Anchor, TextStyle, size_of};
use grid::math;

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
            paper: [250, 248, 242, 240],
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

/// Width and height in pixels of the box that [`title`] draws.
pub fn title_size(title: &str, subtitle: &str, look: &Look) -> Point {
    let em = look.text_px;
    let (first, second) = (size_of(title, 1.7 * em), size_of(subtitle, em));
    let below = if subtitle.is_empty() { 0.0 } else { second.1 };
    (first.0.max(second.0) + 2.0 * em, first.1 + below + em)
}

/// Writes a map's title, and a smaller line under it, in the upper left corner.
pub fn title(canvas: &mut Canvas, title: &str, subtitle: &str, look: &Look) {
    let em = look.text_px;
    let (first, size) = (size_of(title, 1.7 * em), title_size(title, subtitle, look));
    let (x, y) = corner_of(canvas.size(), Corner::TopLeft, size, em);
    panel(canvas, (x, y), size, look);
    canvas.text((x + em, y + 0.5 * em), title, &TextStyle::new(1.7 * em).colour(look.ink));
    canvas.text((x + em, y + 0.5 * em + first.1), subtitle, &look.style().colour(faded(look.ink, 190)));
}

/// A bar of a round length, and where on the map it is true.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaleBar<'a> {
    /// Metres of a pixel, above zero.
    pub metres_per_px: f64,
    /// Written under the bar: `at the equator`; empty where the bar is true everywhere.
    pub note: &'a str,
}

impl ScaleBar<'_> {
    /// Width and height of the box in pixels; on a small canvas it may be narrower.
    pub fn size(&self, look: &Look) -> Point {
        self.size_within(look, f32::INFINITY)
    }

    fn size_within(&self, look: &Look, most_px: f32) -> Point {
        let em = look.text_px;
        let (length_m, width) = self.length(look, most_px);
        let below = if self.note.is_empty() { 0.0 } else { 1.1 * em };
        let note = size_of(self.note, NOTE_EM * em).0;
        (width.max(note) + 2.0 * em + size_of(&distance(length_m), em).0 / 2.0, 3.0 * em + below)
    }

    /// Length of the bar in metres and in pixels, of which there are so many at the most.
    fn length(&self, look: &Look, most_px: f32) -> (f64, f32) {
        let length_m = round_down(self.metres_per_px * f64::from((BAR_EM * look.text_px).min(most_px)));
        (length_m, (length_m / self.metres_per_px) as f32)
    }

    /// Draws the bar in a corner, on a small canvas a shorter one; nothing if it would take most of the canvas, or if
    /// `metres_per_px` is not a positive number.
    pub fn draw(&self, canvas: &mut Canvas, corner: Corner, look: &Look) {
        if !(self.metres_per_px.is_finite() && self.metres_per_px > 0.0) {
            return;
        }
        let em = look.text_px;
        let (canvas_width, canvas_height) = canvas.size();
        let most_px = MOST_WIDTH * canvas_width;
        let (length_m, width) = self.length(look, most_px);
        let size = self.size_within(look, most_px);
        if size.0 + 2.0 * em > 0.7 * canvas_width || size.1 + 2.0 * em > 0.5 * canvas_height {
            return;
        }
        let at = corner_of(canvas.size(), corner, size, em);
        panel(canvas, at, size, look);
        let (x, y) = (at.0 + em, at.1 + 2.0 * em);
        let part = width / 4.0;
        for i in 0..4 {
            let shade = if i % 2 == 0 { look.ink } else { [255, 255, 255, 255] };
            canvas.rect((x + part * i as f32, y), (part, 0.4 * em), shade);
        }
        canvas.outline((x, y), (width, 0.4 * em), look.hairline() * 0.7, look.ink);
        let (zero, length) = ("0", distance(length_m));
        canvas.text((x + width, y - 0.2 * em), &length, &look.style().anchor(Anchor::Bottom));
        // over a short bar the length alone
        if size_of(zero, em).0 + size_of(&length, em).0 / 2.0 + 0.3 * em <= width {
            canvas.text((x, y - 0.2 * em), zero, &look.style().anchor(Anchor::BottomLeft));
        }
        let small = TextStyle::new(NOTE_EM * em).colour(faded(look.ink, 190));
        canvas.text((x, y + 0.6 * em), self.note, &small);
    }
}

/// Length of a scale bar at the most: measured by ordinary text, and as a share of the canvas.
const BAR_EM: f32 = 14.0;
const MOST_WIDTH: f32 = 0.35;
/// Size of a scale bar's note, measured by ordinary text.
const NOTE_EM: f32 = 0.8;

/// Draws a scale bar of a round length in a corner. A bar says the truth only where a pixel is `metres_per_px`.
///
/// Nothing is drawn if `metres_per_px` is not a positive number.
pub fn scale_bar(canvas: &mut Canvas, metres_per_px: f64, corner: Corner, look: &Look) {
    ScaleBar { metres_per_px, note: "" }.draw(canvas, corner, look);
}

fn faded([r, g, b, _]: Rgba, opacity: u8) -> Rgba {
    [r, g, b, opacity]
}

fn panel(canvas: &mut Canvas, at: Point, size: Point, look: &Look) {
    canvas.rect(at, size, look.paper);
    canvas.outline(at, size, look.hairline() * 0.7, faded(look.ink, 90));
}

fn corner_of((width, height): Point, corner: Corner, size: Point, em: f32) -> Point {
    // Wide enough that the graticule's numbers along the left and the lower border stay clear.
    let (left, top) = (3.0 * em, 1.8 * em);
    let (right, bottom) = (width - size.0 - left, height - size.1 - top);
    match corner {
        Corner::TopLeft => (left, top),
        Corner::TopRight => (right, top),
        Corner::BottomLeft => (left, bottom),
        Corner::BottomRight => (right, bottom),
    }
}

/// The greatest of 1, 2, 5, 10, 20 ... that is not over `value`.
pub fn round_down(value: f64) -> f64 {
    let decade = math::pow(10.0, math::log10(value.max(1e-6)).floor());
    // ten of them where a logarithm was rounded down
    let all = [10.0, 5.0, 2.0, 1.0].map(|k| k * decade);
    all.into_iter().find(|v| *v <= value * (1.0 + 1e-12)).unwrap_or(decade)
}

fn distance(metres: f64) -> String {
    if metres >= 1000.0 { format!("{} km", number(metres / 1000.0)) } else { format!("{} m", number(metres)) }
}

/// A number as maps print it: a true minus, thin groups of thousands from 10 000 on, no needless digits.
pub fn number(value: f64) -> String {
    let thousandths = (value * 1000.0).round() / 1000.0;
    // what is less than that has one digit
    let rounded =
        if thousandths == 0.0 { format!("{value:.0e}").parse().unwrap_or(0.0) } else { thousandths };
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
