//! Other people's files: GeoTIFF, Zarr, PNG, raw heightmaps, web map tiles (PMTiles), meshes (glTF), printed sheets (SVG, PDF); GeoJSON, FlatGeobuf and
//! GeoPackage for features.
//!
//! A [`Raster`] knows where on a planet or a flat map it lies, a [`features::Layer`] what its points, lines and
//! areas mean; a writer puts them into one file that other programs open. Every file appears whole or not at all: it is written beside its final place and renamed
//! ([`atomic`]).
//!
//! ```
//! use formats::{Band, BandValues, Crs, Georeference, Raster, geotiff};
//!
//! let heights: Vec<f32> = (0..6).map(|i| i as f32 * 100.0).collect();
//! let raster = Raster {
//!     width: 3,
//!     height: 2,
//!     georeference: Georeference {
//!         crs: Crs::Geographic { radius_m: 6_371_008.8 },
//!         west: 10.0,
//!         north: 47.0,
//!         step_x: 0.25,
//!         step_y: 0.25,
//!     },
//!     bands: vec![Band::new("elevation", "m", BandValues::F32(heights))],
//! };
//! let dir = tempfile::tempdir()?;
//! geotiff::write(&dir.path().join("alps.tif"), &raster, &[("seed".into(), "42".into())])?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Modules, in reading order:

mod error;

pub mod raster;

pub mod stream;

pub mod part;

pub mod blocks;

mod beside;

mod halving;

pub mod write;

pub mod geotiff;

mod sidecar;

pub mod png;

pub mod raw;

pub mod cf;

pub mod zarr;

pub mod terrain_rgb;

pub mod pmtiles;

pub mod gltf;

pub mod sheet;

mod reference;

pub mod features;

pub mod antimeridian;

pub mod geojson;

pub mod flatgeobuf;

pub mod geopackage;

pub use beside::folder as temporary_folder;
pub use error::{Cause, Error, RasterError, ReadError};
pub use raster::{Axis, Band, BandValues, Crs, Georeference, Ground, Raster};
pub use reference::Reference;
pub use write::atomic;
