//! The faces that sheets are set in: subsets of Alegreya and Alegreya Sans, licence in `data/fonts`.

use super::{Path, Point, Step};
use ab_glyph::{Font, FontRef, GlyphId, OutlineCurve};
use std::sync::LazyLock;

/// A face of letters: Latin with the accents of Europe and Vietnam, digits, and the signs that maps need. A letter that a
/// face lacks is a box in a PDF, and of another face in an SVG.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Face {
    /// Without serifs: heights, degrees, legends.
    Sans,
    /// Slanted, with serifs: waters.
    Italic,
    /// Upright, with serifs, a little bold: titles.
    Serif,
}

static FONTS: LazyLock<[FontRef<'static>; 3]> = LazyLock::new(|| {
    [Face::Sans, Face::Italic, Face::Serif].map(|face| {
        FontRef::try_from_slice(face.bytes()).expect("the embedded fonts were checked when they were made")
    })
});

impl Face {
    /// The font file, TrueType.
    pub(super) fn bytes(self) -> &'static [u8] {
        match self {
            Self::Sans => include_bytes!("../../../../data/fonts/AlegreyaSans-Regular-subset.ttf"),
            Self::Italic => include_bytes!("../../../../data/fonts/Alegreya-Italic-subset.ttf"),
            Self::Serif => include_bytes!("../../../../data/fonts/Alegreya-Medium-subset.ttf"),
        }
    }

    /// Its name in files.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sans => "AlegreyaSans-Regular",
            Self::Italic => "Alegreya-Italic",
            Self::Serif => "Alegreya-Medium",
        }
    }

    pub(super) fn font(self) -> &'static FontRef<'static> {
        &FONTS[self as usize]
    }

    /// The number of a letter's glyph.
    pub(super) fn glyph(self, letter: char) -> GlyphId {
        self.font().glyph_id(letter)
    }

    /// Parts of the em that the font counts in.
    pub(super) fn units(self) -> f64 {
        f64::from(self.font().units_per_em().unwrap_or(1000.0))
    }
}

/// Width of a line of text in points, at a size in points.
pub fn advance(face: Face, text: &str, size: f64) -> f64 {
    let of = |c: char| f64::from(face.font().h_advance_unscaled(face.glyph(c)));
    text.chars().map(of).sum::<f64>() / face.units() * size
}

/// The outline of a letter whose left end on the baseline is `at`, written in a direction (a unit vector).
pub fn outline(face: Face, letter: char, size: f64, (at, along): (Point, Point)) -> Path {
    let Some(shape) = face.font().outline(face.glyph(letter)) else { return Path::default() };
    let factor = size / face.units();
    let place = |p: ab_glyph::Point| {
        let (x, y) = (f64::from(p.x) * factor, f64::from(p.y) * factor);
        [at[0] + x * along[0] + y * along[1], at[1] + x * along[1] - y * along[0]]
    };
    let mut path = Path::default();
    let mut pen: Option<Point> = None;
    for curve in &shape.curves {
        let (start, end) = match *curve {
            OutlineCurve::Line(a, b) | OutlineCurve::Quad(a, _, b) | OutlineCurve::Cubic(a, _, _, b) => {
                (place(a), place(b))
            }
        };
        if pen != Some(start) {
            if pen.is_some() {
                path.0.push(Step::Close);
            }
            path.0.push(Step::Move(start));
        }
        path.0.push(match *curve {
            OutlineCurve::Line(..) => Step::Line(end),
            OutlineCurve::Quad(_, c, _) => {
                let c = place(c);
                let third = |p: Point| [(p[0] + 2.0 * c[0]) / 3.0, (p[1] + 2.0 * c[1]) / 3.0];
                Step::Curve(third(start), third(end), end)
            }
            OutlineCurve::Cubic(_, c, d, _) => Step::Curve(place(c), place(d), end),
        });
        pen = Some(end);
    }
    if pen.is_some() {
        path.0.push(Step::Close);
    }
    path
}
