//! A picture to draw on: antialiased lines and areas, other pictures.

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8, Stroke,
    Transform,
};

use super::colour::{Rgb, Rgba};
use crate::clip::{self, Bounds};

/// Why a picture cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// A side of no pixels, or too many.
    #[error("a picture of {width} x {height} pixels: each side must be 1 to {MAX_SIDE}")]
    Size {
        /// Pixels from left to right.
        width: usize,
        /// Pixels from top to bottom.
        height: usize,
    },
    /// A layer of another length than the picture.
    #[error("{layer} has {found} values for a picture of {expected} pixels")]
    Length {
        /// What was given.
        layer: &'static str,
        /// Values in it.
        found: usize,
        /// Width times height.
        expected: usize,
    },
}

/// Pixels along a side, at most: 32768 square is 4 GB, about where picture programs give up.
pub const MAX_SIDE: usize = 32_768;

/// Pixels of a line's width, at most: more would be no line, and the rasteriser's numbers are finite.
pub const WIDEST_LINE: f32 = 1024.0;

/// A picture of `width` x `height` pixels; (0, 0) is the outer corner of the upper left one, y runs down.
#[derive(Clone)]
pub struct Canvas {
    pixels: Pixmap,
}

/// A place on a canvas in pixels.
pub type Point = (f32, f32);

impl Canvas {
    /// An even picture.
    ///
    /// # Errors
    /// [`DrawError::Size`].
    pub fn new(width: usize, height: usize, background: Rgba) -> Result<Self, DrawError> {
        let wrong = DrawError::Size { width, height };
        if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) {
            return Err(wrong);
        }
        let mut pixels = Pixmap::new(width as u32, height as u32).ok_or(wrong)?;
        pixels.fill(colour(background));
        Ok(Self { pixels })
    }

    /// An opaque picture of these pixels, row by row from the top.
    ///
    /// # Errors
    /// [`DrawError`] for a wrong size or number of pixels.
    pub fn from_rgb(width: usize, height: usize, rgb: &[Rgb]) -> Result<Self, DrawError> {
        let mut canvas = Self::new(width, height, [0, 0, 0, 255])?;
        if rgb.len() != width * height {
            return Err(DrawError::Length { layer: "colours", found: rgb.len(), expected: width * height });
        }
        canvas.set_rows(0, rgb);
        Ok(canvas)
    }

    /// Pixels from left to right.
    pub fn width(&self) -> usize {
        self.pixels.width() as usize
    }

    /// Pixels from top to bottom.
    pub fn height(&self) -> usize {
        self.pixels.height() as usize
    }

    /// Width and height.
    pub fn size(&self) -> Point {
        (self.width() as f32, self.height() as f32)
    }

    /// The colour of a pixel; `None` outside.
    pub fn pixel(&self, x: usize, y: usize) -> Option<Rgba> {
        let inside = x < self.width() && y < self.height();
        inside.then(|| straight(&self.pixels.pixels()[y * self.width() + x]))
    }

    /// The pixels as bytes: red, green, blue, opacity; row by row from the top.
    pub fn to_rgba(&self) -> Vec<u8> {
        self.pixels.pixels().iter().flat_map(straight).collect()
    }

    /// Sets the pixels of some whole rows from `top` on to opaque colours; what does not fit is left out.
    pub fn set_rows(&mut self, top: usize, rgb: &[Rgb]) {
        let start = top.saturating_mul(self.width()).min(self.pixels.pixels().len());
        for (pixel, &[r, g, b]) in self.pixels.pixels_mut()[start..].iter_mut().zip(rgb) {
            *pixel =
                PremultipliedColorU8::from_rgba(r, g, b, 255).expect("an opaque colour is premultiplied");
        }
    }

    /// Writes a row's red, green and blue into bytes, three a pixel; opacity is left out.
    pub fn copy_row_rgb(&self, row: usize, bytes: &mut [u8]) {
        let pixels = self.pixels.pixels().chunks_exact(self.width()).nth(row).unwrap_or_default();
        for (pixel, out) in pixels.iter().zip(bytes.chunks_exact_mut(3)) {
            out.copy_from_slice(&straight(pixel)[..3]);
        }
    }

    /// Draws a line through points, round at ends and bends.
    ///
    /// Points may lie anywhere; what is off the canvas costs next to nothing. A line thinner than a pixel is
    /// drawn fainter; none is wider than [`WIDEST_LINE`]. One of fewer than two points, or with a point that is not finite, is not drawn.
    pub fn line(&mut self, points: &[Point], width_px: f32, rgba: Rgba) {
        if !(width_px.is_finite() && width_px > 0.0) {
            return;
        }
        let width_px = width_px.min(WIDEST_LINE);
        let Some(path) = clipped_path(points, &self.bounds(width_px / 2.0 + 2.0)) else { return };
        self.stroke(&path, width_px, rgba);
    }

    /// Fills the area within a closed ring of points (non-zero winding).
    ///
    /// A ring of fewer than three points, or with a point that is not finite, is not drawn.
    pub fn polygon(&mut self, ring: &[Point], rgba: Rgba) {
        if ring.iter().any(|p| !(p.0.is_finite() && p.1.is_finite())) {
            return;
        }
        let ring = clip::ring(&exact(ring), &self.bounds(2.0));
        let [first, rest @ ..] = &ring[..] else { return };
        if rest.len() < 2 {
            return;
        }
        let mut path = PathBuilder::new();
        path.move_to(first[0] as f32, first[1] as f32);
        for p in rest {
            path.line_to(p[0] as f32, p[1] as f32);
        }
        path.close();
        if let Some(path) = path.finish() {
            self.fill(&path, rgba);
        }
    }

    /// Fills a rectangle given by its upper left corner and its size.
    pub fn rect(&mut self, (x, y): Point, (width, height): Point, rgba: Rgba) {
        self.polygon(&[(x, y), (x + width, y), (x + width, y + height), (x, y + height)], rgba);
    }

    /// Draws a rectangle's outline, `width_px` wide, centred on its border.
    pub fn outline(&mut self, (x, y): Point, (width, height): Point, width_px: f32, rgba: Rgba) {
        let corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)];
        self.line(&corners, width_px, rgba);
    }

    /// Lays another picture over this one, its upper left corner at (`x`, `y`), which may be off the canvas.
    pub fn blit(&mut self, other: &Self, x: i32, y: i32) {
        let (width, x, y) = (self.width(), i64::from(x), i64::from(y));
        let columns = overlap(x, other.width(), width);
        for row in overlap(y, other.height(), self.height()) {
            let from = &other.pixels.pixels()[row * other.width()..][columns.clone()];
            // Both starts are on this canvas, as `overlap` made sure.
            let start = (row as i64 + y) as usize * width + (columns.start as i64 + x) as usize;
            let onto = &mut self.pixels.pixels_mut()[start..start + from.len()];
            onto.iter_mut().zip(from).for_each(|(under, over)| *under = laid_over(*over, *under));
        }
    }

    pub(super) fn fill(&mut self, path: &Path, rgba: Rgba) {
        self.pixels.fill_path(path, &paint(rgba), FillRule::Winding, Transform::identity(), None);
    }

    pub(super) fn stroke(&mut self, path: &Path, width_px: f32, rgba: Rgba) {
        let stroke = Stroke {
            width: width_px,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        self.pixels.stroke_path(path, &paint(rgba), &stroke, Transform::identity(), None);
    }

    /// A box that holds all that can be seen.
    fn bounds(&self, margin: f32) -> Bounds {
        let margin = f64::from(margin);
        Bounds { low: [-margin; 2], high: [self.width(), self.height()].map(|side| side as f64 + margin) }
    }

    /// Whether a square around a point touches the canvas.
    pub(super) fn is_near(&self, (x, y): Point, reach_px: f32) -> bool {
        let near = |v: f32, size: usize| v >= -reach_px && v <= size as f32 + reach_px;
        near(x, self.width()) && near(y, self.height())
    }
}

/// The rows or columns of a picture of `length` at `start` that lie on a canvas of `limit`.
fn overlap(start: i64, length: usize, limit: usize) -> std::ops::Range<usize> {
    let first = (-start).clamp(0, length as i64);
    let end = (limit as i64 - start).clamp(first, length as i64);
    first as usize..end as usize
}

/// One pixel over another (Porter and Duff 1984).
fn laid_over(over: PremultipliedColorU8, under: PremultipliedColorU8) -> PremultipliedColorU8 {
    let clear = 255 - u32::from(over.alpha());
    let mix = |o: u8, u: u8| (u32::from(o) + (u32::from(u) * clear + 127) / 255).min(255) as u8;
    let alpha = mix(over.alpha(), under.alpha());
    let part = |o, u| mix(o, u).min(alpha);
    let (r, g, b) =
        (part(over.red(), under.red()), part(over.green(), under.green()), part(over.blue(), under.blue()));
    PremultipliedColorU8::from_rgba(r, g, b, alpha).expect("no part is over the opacity")
}

fn straight(pixel: &PremultipliedColorU8) -> Rgba {
    let c = pixel.demultiply();
    [c.red(), c.green(), c.blue(), c.alpha()]
}

fn colour([r, g, b, a]: Rgba) -> Color {
    Color::from_rgba8(r, g, b, a)
}

fn paint(rgba: Rgba) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(colour(rgba));
    paint
}

/// The parts of a line inside the box, as one path. The rasteriser's fixed-point numbers overflow on far-off
/// points, and a river of a whole planet costs nothing where it is not seen.
fn clipped_path(points: &[Point], bounds: &Bounds) -> Option<Path> {
    if points.iter().any(|p| !(p.0.is_finite() && p.1.is_finite())) {
        return None;
    }
    let mut path = PathBuilder::new();
    for piece in clip::line(&exact(points), bounds) {
        let [first, rest @ ..] = &piece[..] else { continue };
        path.move_to(first[0] as f32, first[1] as f32);
        rest.iter().for_each(|p| path.line_to(p[0] as f32, p[1] as f32));
    }
    path.finish()
}

fn exact(points: &[Point]) -> Vec<clip::Point> {
    points.iter().map(|&(x, y)| [x.into(), y.into()]).collect()
}
