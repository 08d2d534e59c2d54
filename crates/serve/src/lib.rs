//! Maps: rasters and lines drawn as pictures, and worlds shown in a browser.
//!
//! ```
//! use serve::draw::{Canvas, ReliefInput, Spacing, TextStyle, relief};
//!
//! let elevation: Vec<f32> = (0..64 * 32).map(|i| (i % 64) as f32 * 100.0 - 2000.0).collect();
//! let input = ReliefInput::new(64, 32, &elevation, Spacing::Uniform { x_m: 1000.0, y_m: 1000.0 });
//! let mut map: Canvas = relief::terrain(&input)?;
//! map.line(&[(10.0, 5.0), (40.0, 20.0)], 1.5, [40, 90, 150, 255]);
//! map.text((4.0, 4.0), "A coast", &TextStyle::new(10.0));
//! assert_eq!(map.to_rgba().len(), 64 * 32 * 4);
//! # Ok::<(), serve::draw::DrawError>(())
//! ```

pub mod clip;

mod along;

mod eastings;

pub mod ground;

pub mod draw;

pub mod print;

pub mod http;

pub use eastings::Eastings;
