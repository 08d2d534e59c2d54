//! Letters: a subset of DejaVu Sans inside the program, drawn as outlines with an optional halo.

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef, OutlineCurve, PxScale, ScaleFont};
use tiny_skia::{Path, PathBuilder};

use super::canvas::{Canvas, Point};
use super::colour::Rgba;

/// Latin with all European accents, arrows, superscripts and the signs that maps need; licence beside the file.
static FONT: LazyLock<FontRef<'static>> = LazyLock::new(|| {
    let bytes = include_bytes!("../../../../data/fonts/DejaVuSans-subset.ttf");
    FontRef::try_from_slice(bytes).expect("the embedded font was checked when it was made")
});

/// Which point of a text lies at the given place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anchor {
    /// Upper left corner.
    #[default]
    TopLeft,
    /// Middle of the upper border.
    Top,
    /// Upper right corner.
    TopRight,
    /// Middle of the left border.
    Left,
    /// The middle.
    Centre,
    /// Middle of the right border.
    Right,
    /// Lower left corner.
    BottomLeft,
    /// Middle of the lower border.
    Bottom,
    /// Lower right corner.
    BottomRight,
}

impl Anchor {
    /// The share of width and height that lies left of and above the place.
    fn shares(self) -> (f32, f32) {
        let x = match self {
            Self::TopLeft | Self::Left | Self::BottomLeft => 0.0,
            Self::Top | Self::Centre | Self::Bottom => 0.5,
            Self::TopRight | Self::Right | Self::BottomRight => 1.0,
        };
        let y = match self {
            Self::TopLeft | Self::Top | Self::TopRight => 0.0,
            Self::Left | Self::Centre | Self::Right => 0.5,
            Self::BottomLeft | Self::Bottom | Self::BottomRight => 1.0,
        };
        (x, y)
    }
}

/// How a text looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextStyle {
    /// Size of the font (the em) in pixels; capitals are about 0.73 of it.
    pub size_px: f32,
    /// Colour of the letters.
    pub colour: Rgba,
    /// What lies at the place.
    pub anchor: Anchor,
    /// Colour and width in pixels of a border around the letters, so that they can be read on any ground.
    pub halo: Option<(Rgba, f32)>,
}

impl TextStyle {
    /// Dark letters of this size, upper left corner at the place, no halo.
    pub fn new(size_px: f32) -> Self {
        Self { size_px, colour: [38, 42, 48, 255], anchor: Anchor::TopLeft, halo: None }
    }

    /// The same in another colour.
    pub fn colour(self, colour: Rgba) -> Self {
        Self { colour, ..self }
    }

    /// The same hung up elsewhere.
    pub fn anchor(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    /// The same with a border.
    pub fn halo(self, colour: Rgba, width_px: f32) -> Self {
        Self { halo: Some((colour, width_px)), ..self }
    }
}

/// Height of a text's box above its baseline, as a share of the size: the tops of accented capitals.
const ASCENT: f32 = 0.93;

/// Depth of the box below the baseline.
const DESCENT: f32 = 0.24;

/// Size of text in pixels, at most.
pub const LARGEST_TEXT: f32 = 1024.0;

/// Width and height in pixels of the box that one line of text takes.
pub fn size_of(text: &str, size_px: f32) -> (f32, f32) {
    (advance(text, size_px), (ASCENT + DESCENT) * size_px)
}

impl Canvas {
    /// Writes one line of text; what runs off the canvas is cut off.
    ///
    /// Nothing is drawn at a place that is not finite, or at a size that is not positive or over [`LARGEST_TEXT`].
    pub fn text(&mut self, place: Point, text: &str, style: &TextStyle) {
        if !(style.size_px > 0.0 && style.size_px <= LARGEST_TEXT) {
            return;
        }
        let (width, height) = size_of(text, style.size_px);
        let (sx, sy) = style.anchor.shares();
        let origin = (place.0 - sx * width, place.1 - sy * height + ASCENT * style.size_px);
        let seen = |p: Point| self.is_near(p, 2.0 * style.size_px);
        let Some(path) = outline(text, style.size_px, origin, seen) else { return };
        self.lay(&path, style);
    }

    /// Writes letters one by one: each stands with the left end of its baseline at a place and is read in a direction, a
    /// vector of length 1. Anchors have no meaning here.
    pub fn letters(&mut self, text: &str, places: &[(Point, Point)], style: &TextStyle) {
        if !(style.size_px > 0.0 && style.size_px <= LARGEST_TEXT) {
            return;
        }
        let factor = style.size_px / FONT.units_per_em().unwrap_or(2048.0);
        let mut path = PathBuilder::new();
        for (letter, &((x, y), (along, down))) in text.chars().zip(places) {
            let shape = FONT.outline(FONT.glyph_id(letter));
            let Some(shape) = shape.filter(|_| self.is_near((x, y), 2.0 * style.size_px)) else { continue };
            let place = |p: ab_glyph::Point| {
                let (right, up) = (p.x * factor, p.y * factor);
                (x + right * along + up * down, y + right * down - up * along)
            };
            trace(&mut path, &shape.curves, place);
        }
        let Some(path) = path.finish() else { return };
        self.lay(&path, style);
    }

    fn lay(&mut self, path: &Path, style: &TextStyle) {
        if let Some((colour, width_px)) = style.halo {
            self.stroke(path, (2.0 * width_px).clamp(0.0, style.size_px), colour);
        }
        self.fill(path, style.colour);
    }
}

/// The em in the library's scale, which counts from the lowest to the highest line of the font.
fn scale(size_px: f32) -> PxScale {
    let units = FONT.units_per_em().unwrap_or(2048.0);
    PxScale::from(size_px * FONT.height_unscaled() / units)
}

fn advance(text: &str, size_px: f32) -> f32 {
    let mut end = 0.0;
    each_glyph(text, size_px, |_, x, advance| end = x + advance);
    end
}

/// How wide a letter is that stands alone.
pub fn width_of(letter: char, size_px: f32) -> f32 {
    let font = FONT.as_scaled(scale(size_px));
    font.h_advance(font.glyph_id(letter))
}

/// Calls `visit` with each glyph, its left end and its advance.
fn each_glyph(text: &str, size_px: f32, mut visit: impl FnMut(ab_glyph::GlyphId, f32, f32)) {
    let font = FONT.as_scaled(scale(size_px));
    let (mut x, mut last) = (0.0, None);
    for c in text.chars().filter(|c| !c.is_control()) {
        let glyph = font.glyph_id(c);
        if let Some(last) = last {
            x += font.kern(last, glyph);
        }
        let advance = font.h_advance(glyph);
        visit(glyph, x, advance);
        x += advance;
        last = Some(glyph);
    }
}

/// The outlines of those letters whose origin is `seen`.
fn outline(text: &str, size_px: f32, origin: Point, seen: impl Fn(Point) -> bool) -> Option<Path> {
    let units = FONT.units_per_em().unwrap_or(2048.0);
    let factor = size_px / units;
    let mut path = PathBuilder::new();
    each_glyph(text, size_px, |glyph, x, _| {
        let start = (origin.0 + x, origin.1);
        if !seen(start) {
            return;
        }
        if let Some(shape) = FONT.outline(glyph) {
            let place = |p: ab_glyph::Point| (start.0 + p.x * factor, start.1 - p.y * factor);
            trace(&mut path, &shape.curves, place);
        }
    });
    path.finish()
}

fn trace(path: &mut PathBuilder, curves: &[OutlineCurve], place: impl Fn(ab_glyph::Point) -> Point) {
    let mut pen: Option<ab_glyph::Point> = None;
    for curve in curves {
        let (start, end) = match *curve {
            OutlineCurve::Line(a, b) | OutlineCurve::Quad(a, _, b) | OutlineCurve::Cubic(a, _, _, b) => {
                (a, b)
            }
        };
        if pen != Some(start) {
            if pen.is_some() {
                path.close();
            }
            let (x, y) = place(start);
            path.move_to(x, y);
        }
        let (x, y) = place(end);
        match *curve {
            OutlineCurve::Line(..) => path.line_to(x, y),
            OutlineCurve::Quad(_, c, _) => {
                let c = place(c);
                path.quad_to(c.0, c.1, x, y);
            }
            OutlineCurve::Cubic(_, c, d, _) => {
                let (c, d) = (place(c), place(d));
                path.cubic_to(c.0, c.1, d.0, d.1, x, y);
            }
        }
        pen = Some(end);
    }
    if pen.is_some() {
        path.close();
    }
}
