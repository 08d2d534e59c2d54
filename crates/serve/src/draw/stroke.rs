//! Drawings as lists of strokes: what draws a sign says where its lines and areas lie; a picture ([`Canvas::strokes`]) and
//! a sheet to print (`print::Overlay`) lay them down, each in its own way.

use super::canvas::{Canvas, Point};
use super::colour::Rgba;

/// A line or an area of a drawing. Places and widths are in one unit: pixels of a picture, or samples of a printed map.
#[derive(Clone, Debug, PartialEq)]
pub enum Stroke {
    /// A line through places, round at its ends and bends.
    Line {
        /// Where it runs.
        points: Vec<Point>,
        /// How wide it is.
        width: f32,
        /// Its colour.
        ink: Rgba,
    },
    /// The area within a closed ring.
    Area {
        /// Its border.
        ring: Vec<Point>,
        /// Its colour.
        ink: Rgba,
    },
}

impl Stroke {
    /// A line.
    pub fn line(points: &[Point], width: f32, ink: Rgba) -> Self {
        Self::Line { points: points.to_vec(), width, ink }
    }

    /// An area.
    pub fn area(ring: &[Point], ink: Rgba) -> Self {
        Self::Area { ring: ring.to_vec(), ink }
    }

    /// The same drawing elsewhere.
    pub fn moved(self, (x, y): Point) -> Self {
        let all = |points: Vec<Point>| points.into_iter().map(|p| (p.0 + x, p.1 + y)).collect();
        match self {
            Self::Line { points, width, ink } => Self::Line { points: all(points), width, ink },
            Self::Area { ring, ink } => Self::Area { ring: all(ring), ink },
        }
    }

    /// The same drawing, so many times as large.
    pub fn scaled(self, by: f32) -> Self {
        let all = |points: Vec<Point>| points.into_iter().map(|(x, y)| (x * by, y * by)).collect();
        match self {
            Self::Line { points, width, ink } => Self::Line { points: all(points), width: width * by, ink },
            Self::Area { ring, ink } => Self::Area { ring: all(ring), ink },
        }
    }
}

impl Canvas {
    /// Draws strokes one over the other.
    pub fn strokes<'a>(&mut self, strokes: impl IntoIterator<Item = &'a Stroke>) {
        for stroke in strokes {
            match stroke {
                Stroke::Line { points, width, ink } => self.line(points, *width, *ink),
                Stroke::Area { ring, ink } => self.polygon(ring, *ink),
            }
        }
    }
}
