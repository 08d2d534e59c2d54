//! Pictures: canvas, palettes, relief, shades.

mod canvas;
mod http;
mod palette;
mod relief;
mod shade;
