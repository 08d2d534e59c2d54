//! A printed sheet: pictures, lines, areas and real letters on paper, written as SVG ([`svg`]) or as PDF ([`pdf`]).
//!
//! Lengths are points (1/72 inch); x runs right and y down from the upper left corner of the paper. Letters are set in
//! three faces that the program has with it ([`Face`]); both kinds of file carry those that they use, so that a sheet
//! looks the same everywhere and its words can be searched and copied.

mod base64;
mod font;
mod path;
pub mod pdf;
pub mod svg;

pub use font::{Face, advance, outline};
pub use path::{Path, Step};

use crate::{Cause, Error};
use std::path::Path as FilePath;

/// A place on a sheet: points from the left and from the top.
pub type Point = [f64; 2];

/// A colour: red, green, blue as sRGB, and opacity from 0 (clear) to 255.
pub type Ink = [u8; 4];

/// Points of a millimetre.
pub const PT_PER_MM: f64 = 72.0 / 25.4;

/// A sheet of paper with what stands on it, from the ground up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// Width and height in points.
    pub size: Point,
    /// Its name, for readers and catalogues.
    pub title: String,
    /// What it shows, in a sentence.
    pub about: String,
    /// The program that made it.
    pub software: String,
    /// What stands on it; later marks cover earlier ones.
    pub marks: Vec<Mark>,
}

/// Something on a sheet.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// Marks that belong together; a drawing program shows them as a layer.
    Group(Group),
    /// A picture of pixels.
    Picture(Picture),
    /// A line or an area.
    Shape(Shape),
    /// Letters.
    Text(Text),
}

/// Marks that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// Its name, such as `rivers`.
    pub name: String,
    /// The rectangle beyond which nothing of it shows: its corner, and its width and height.
    pub clip: Option<[Point; 2]>,
    /// What is in it.
    pub marks: Vec<Mark>,
}

/// A picture of pixels, stretched over a rectangle.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Its upper left corner.
    pub at: Point,
    /// Width and height in points.
    pub size: Point,
    /// Pixels from left to right.
    pub width: usize,
    /// Pixels from top to bottom.
    pub height: usize,
    /// Three bytes a pixel, row by row from the top.
    pub rgb: Vec<u8>,
}

/// A line, an area, or an area with its outline.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Where it runs.
    pub path: Path,
    /// Colour of the area (even-odd), if it is one.
    pub fill: Option<Ink>,
    /// How its outline is drawn, if it is.
    pub pen: Option<Pen>,
}

/// How a line is drawn: round at its ends and bends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pen {
    /// Its colour.
    pub ink: Ink,
    /// Its width in points.
    pub width: f64,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// What it says.
    pub text: String,
    /// Its letters.
    pub face: Face,
    /// Size of the em in points.
    pub size: f64,
    /// Colour of the letters.
    pub ink: Ink,
    /// Colour of a border around the letters and how far it reaches in points, so that they can be read on any ground.
    pub halo: Option<(Ink, f64)>,
    /// Where its letters stand.
    pub run: Run,
}

/// Where letters stand.
#[derive(Clone, Debug, PartialEq)]
pub enum Run {
    /// On a level baseline.
    Level {
        /// A place of the baseline.
        at: Point,
        /// The share of the text's width that lies left of that place.
        anchor: f64,
    },
    /// Each letter at a place of its own, with the direction that it is written in (a unit vector).
    Along(Vec<(Point, Point)>),
}

impl Text {
    /// The place of each letter's left end on the baseline, and the direction it is written in.
    pub fn places(&self) -> Vec<(Point, Point)> {
        match &self.run {
            Run::Along(places) => places.clone(),
            Run::Level { at, anchor } => {
                let mut x = at[0] - anchor * advance(self.face, &self.text, self.size);
                let step = |c: char| {
                    let place = ([x, at[1]], [1.0, 0.0]);
                    x += advance(self.face, c.encode_utf8(&mut [0; 4]), self.size);
                    place
                };
                self.text.chars().map(step).collect()
            }
        }
    }
}

impl Sheet {
    /// All marks that are no groups, in their order.
    pub(crate) fn each(&self, visit: &mut impl FnMut(&Mark)) {
        fn walk(marks: &[Mark], visit: &mut impl FnMut(&Mark)) {
            for mark in marks {
                match mark {
                    Mark::Group(group) => walk(&group.marks, visit),
                    _ => visit(mark),
                }
            }
        }
        walk(&self.marks, visit);
    }

    /// The faces that its letters need, each once.
    pub(crate) fn faces(&self) -> Vec<Face> {
        let mut faces = Vec::new();
        self.each(&mut |mark| {
            if let Mark::Text(text) = mark {
                faces.push(text.face);
            }
        });
        faces.sort_unstable();
        faces.dedup();
        faces
    }
}

/// Writes a sheet as what the name says: `.svg` or `.pdf`.
///
/// # Errors
/// [`Error::Write`]: another ending, a sheet without a size, a picture of a wrong length, a full disk.
pub fn write(path: &FilePath, sheet: &Sheet) -> Result<(), Error> {
    let bytes = bytes(path, sheet).map_err(|cause| Error::Write { path: path.into(), cause })?;
    crate::atomic(path, |out| Ok(std::io::Write::write_all(out, &bytes)?))
}

fn bytes(path: &FilePath, sheet: &Sheet) -> Result<Vec<u8>, Cause> {
    match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("svg") => svg::bytes(sheet),
        Some("pdf") => pdf::bytes(sheet),
        _ => Err("the name must end in .svg or .pdf".into()),
    }
}

/// Makes sure that a sheet can be written.
fn check(sheet: &Sheet) -> Result<(), Cause> {
    /// Longest side that the format of PDF has, in points: 200 inches.
    const LONGEST: f64 = 14_400.0;
    if sheet.size.iter().any(|side| !(*side > 0.0 && *side <= LONGEST)) {
        let [width, height] = sheet.size;
        return Err(format!(
            "a sheet of {width} x {height} points: each side must be above 0, at most {LONGEST}"
        )
        .into());
    }
    let mut wrong = None;
    sheet.each(&mut |mark| {
        if let Mark::Picture(picture) = mark {
            let expected = picture.width.saturating_mul(picture.height).saturating_mul(3);
            if picture.rgb.len() != expected || expected == 0 {
                let found = picture.rgb.len();
                wrong = Some(format!("a picture has {found} bytes where {expected} are expected"));
            }
        }
    });
    wrong.map_or(Ok(()), |why| Err(why.into()))
}

#[cfg(test)]
mod tests;
