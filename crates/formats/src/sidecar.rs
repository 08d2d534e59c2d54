//! The JSON file beside a picture or a raw file that says what its numbers mean.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::stream::{Frame, Title};
use crate::{Error, Georeference, Raster, atomic};

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

impl<'a> Sidecar<'a> {
    /// Describes a checked raster.
    pub fn of(raster: &'a Raster, sample_type: &'static str, byte_order: &'static str) -> Self {
        let bands: Vec<BandNote> = raster
            .bands
            .iter()
            .map(|band| {
                let (min, max) = band.range().unwrap_or((0.0, 0.0));
                BandNote { name: &band.name, unit: &band.unit, min, max }
            })
            .collect();
        let (min, max, unit) = bands.first().map_or((0.0, 0.0, ""), |b| (b.min, b.max, b.unit));
        Self {
            width: raster.width,
            height: raster.height,
            sample_type,
            byte_order,
            min,
            max,
            unit,
            georeference: &raster.georeference,
            bands,
            notes: BTreeMap::new(),
        }
    }

    /// Describes a raster of which the range of each band is known.
    pub fn of_frame(
        frame: &'a Frame,
        ranges: &[(f64, f64)],
        sample_type: &'static str,
        byte_order: &'static str,
    ) -> Self {
        let note = |(title, &(min, max)): (&'a Title, &(f64, f64))| BandNote {
            name: &title.name,
            unit: &title.unit,
            min,
            max,
        };
        let bands: Vec<BandNote> = frame.bands.iter().zip(ranges).map(note).collect();
        let (min, max, unit) = bands.first().map_or((0.0, 0.0, ""), |b| (b.min, b.max, b.unit));
        let (width, height, georeference) = (frame.width, frame.height, &frame.georeference);
        let notes = BTreeMap::new();
        Self { width, height, sample_type, byte_order, min, max, unit, georeference, bands, notes }
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
