//! The JSON file beside a picture or a raw file that says what its numbers mean.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::raw::Scale16;
use crate::stream::Frame;
use crate::{Band, Error, Georeference, Ground, Raster, atomic};

/// What `NAME.json` beside `NAME` holds.
#[derive(Serialize)]
pub(crate) struct Sidecar<'a> {
    pub width: usize,
    pub height: usize,
    /// `uint16` or `float32`.
    pub sample_type: &'static str,
    /// `big` in a PNG, `little` in a raw file.
    pub byte_order: &'static str,
    /// Of the first band, in its unit.
    pub min: f64,
    pub max: f64,
    pub unit: &'a str,
    pub georeference: &'a Georeference,
    pub bands: Vec<BandNote<'a>>,
    /// What game engines ask for, of heights in metres on square metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engines: Option<Engines>,
    /// What else there is to say of the file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<&'a str, &'a str>,
}

/// One band of a sidecar. A stored integer `n` stands for `min + n * (max - min) / 65535`.
#[derive(Serialize)]
pub(crate) struct BandNote<'a> {
    pub name: &'a str,
    pub unit: &'a str,
    pub min: f64,
    pub max: f64,
}

/// Scales of a heightmap: with them one metre in the engine is one metre of the world.
#[derive(Serialize)]
pub(crate) struct Engines {
    /// From the least height to the greatest.
    pub range_m: f64,
    pub spacing_m: [f64; 2],
    pub unreal: Unreal,
    pub unity: Unity,
    pub godot: Godot,
}

/// Of a landscape: a sample of 0 lies 256 m times the scale in percent below its location.
#[derive(Serialize)]
pub(crate) struct Unreal {
    pub scale_x: f64,
    pub scale_y: f64,
    pub scale_z: f64,
    pub location_z_cm: f64,
}

/// Of a terrain; raw files are read from the south, so tick "flip vertically".
#[derive(Serialize)]
pub(crate) struct Unity {
    pub terrain_width_m: f64,
    pub terrain_length_m: f64,
    pub terrain_height_m: f64,
    pub position_y_m: f64,
}

/// Of a plug-in for terrain: heights are a share of the range above the offset.
#[derive(Serialize)]
pub(crate) struct Godot {
    pub vertex_spacing_m: f64,
    pub height_scale_m: f64,
    pub height_offset_m: f64,
}

impl Engines {
    fn of((width, height): (usize, usize), at: &Georeference, band: Option<&BandNote>) -> Option<Self> {
        let Ground::Projected { cell_width_m: x, cell_height_m: y } = at.ground() else { return None };
        let band = band.filter(|b| b.unit == "m")?;
        let range_m = band.max - band.min;
        // Unreal counts in centimetres, and 65536 steps of 1/128 at a scale of 100 % are 512 m
        let (centimetres, span_m) = (100.0, 512.0);
        Some(Self {
            range_m,
            spacing_m: [x, y],
            unreal: Unreal {
                scale_x: x * centimetres,
                scale_y: y * centimetres,
                scale_z: range_m * centimetres / span_m,
                location_z_cm: (band.min + range_m / 2.0) * centimetres,
            },
            unity: Unity {
                terrain_width_m: (width - 1) as f64 * x,
                terrain_length_m: (height - 1) as f64 * y,
                terrain_height_m: range_m,
                position_y_m: band.min,
            },
            godot: Godot { vertex_spacing_m: x, height_scale_m: range_m, height_offset_m: band.min },
        })
    }
}

impl<'a> Sidecar<'a> {
    /// Describes a checked raster.
    pub fn of(raster: &'a Raster, sample_type: &'static str, byte_order: &'static str) -> Self {
        let range = |band: &Band| band.range().unwrap_or((0.0, 0.0));
        Self::of_bands(raster, raster.bands.iter().map(range), (sample_type, byte_order))
    }

    /// Describes one whose bands, or the first of them, are integers on these scales.
    pub fn scaled(raster: &'a Raster, scales: &[Scale16], byte_order: &'static str) -> Self {
        // a picture has the first band alone, but what else the raster has is told of
        let range = |(k, band): (usize, &Band)| match scales.get(k) {
            Some(scale) => (scale.min, scale.max),
            None => band.range().unwrap_or((0.0, 0.0)),
        };
        Self::of_bands(raster, raster.bands.iter().enumerate().map(range), ("uint16", byte_order))
    }

    fn of_bands(
        raster: &'a Raster,
        ranges: impl Iterator<Item = (f64, f64)>,
        types: (&'static str, &'static str),
    ) -> Self {
        let named = raster.bands.iter().map(|band| (&*band.name, &*band.unit));
        Self::new((raster.width, raster.height), &raster.georeference, named.zip(ranges), types)
    }

    /// Describes a raster of which the range of each band is known.
    pub fn of_frame(
        frame: &'a Frame,
        ranges: &[(f64, f64)],
        sample_type: &'static str,
        byte_order: &'static str,
    ) -> Self {
        let named = frame.bands.iter().map(|title| (&*title.name, &*title.unit));
        let ranged = named.zip(ranges.iter().copied());
        Self::new((frame.width, frame.height), &frame.georeference, ranged, (sample_type, byte_order))
    }

    /// From name, unit and range of each band.
    fn new(
        (width, height): (usize, usize),
        georeference: &'a Georeference,
        bands: impl Iterator<Item = ((&'a str, &'a str), (f64, f64))>,
        (sample_type, byte_order): (&'static str, &'static str),
    ) -> Self {
        let bands: Vec<BandNote> =
            bands.map(|((name, unit), (min, max))| BandNote { name, unit, min, max }).collect();
        let (min, max, unit) = bands.first().map_or((0.0, 0.0, ""), |b| (b.min, b.max, b.unit));
        let (notes, engines) = (BTreeMap::new(), Engines::of((width, height), georeference, bands.first()));
        Self { width, height, sample_type, byte_order, min, max, unit, georeference, bands, engines, notes }
    }

    /// Adds notes, by name.
    pub fn with(mut self, notes: &'a [(String, String)]) -> Self {
        self.notes.extend(notes.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        self
    }

    /// Writes it beside `path`.
    pub fn write_beside(&self, path: &Path) -> Result<(), Error> {
        atomic(&beside(path), |out| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            out.write_all(b"\n")?;
            Ok(())
        })
    }
}

/// The sidecar's path: the file's name with `.json` behind it, so that `a.png` and `a.r32` have one each.
pub(crate) fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".json");
    name.into()
}
