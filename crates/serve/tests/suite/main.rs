//! Pictures: canvas, palettes, relief, shades.

mod canvas;
mod palette;
mod relief;
mod shade;
