//! Pictures of terrain: colour, light, lines, letters.
//!
//! Modules, in reading order:

pub mod colour;

pub mod palette;

pub mod shade;

pub mod canvas;

pub mod stroke;

pub mod text;

mod water_lines;

pub mod relief;

pub mod classes;

pub mod symbols;

pub mod furniture;

pub use canvas::{Canvas, DrawError};
pub use colour::{Rgb, Rgba};
pub use furniture::{Corner, Frame, Graticule, Legend, Look};
pub use palette::Ramp;
pub use relief::{ReliefInput, Style};
pub use shade::Spacing;
pub use stroke::Stroke;
pub use text::{Anchor, TextStyle};
