//! Headerless heightmaps: little-endian numbers, row-major, north first; one band after another.
//!
//! `NAME.json` beside the file says how many there are, in which unit, and where they lie.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::sidecar::Sidecar;
use crate::{Band, BandValues, Cause, Error, Raster, RasterError, atomic};

/// Writes every band as little-endian `f32`, and notes (names and values) into the JSON file.
///
/// Ids over 2^24 lose their last bits in `f32`; GeoTIFF keeps them.
///
/// # Errors
/// [`Error::Raster`] for a raster whose parts do not fit together, [`Error::Write`] for the rest.
pub fn write_r32(path: &Path, raster: &Raster, notes: &[(String, String)]) -> Result<(), Error> {
    check(path, raster)?;
    atomic(path, |out| {
        raster.bands.iter().try_for_each(|band| match &band.values {
            BandValues::F32(v) => put(out, v.iter().copied()),
            BandValues::U8(v) => put(out, v.iter().map(|&x| f32::from(x))),
            BandValues::U16(v) => put(out, v.iter().map(|&x| f32::from(x))),
            BandValues::U32(v) => put(out, v.iter().map(|&x| x as f32)),
        })
    })?;
    Sidecar::of(raster, "float32", "little").with(notes).write_beside(path)
}

fn put(out: &mut BufWriter<File>, values: impl Iterator<Item = f32>) -> Result<(), Cause> {
    for value in values {
        out.write_all(&value.to_le_bytes())?;
    }
    Ok(())
}

/// Writes every band as little-endian `u16`, its least value as 0 and its greatest as 65535.
///
/// # Errors
/// As [`write_r32`], and [`RasterError::NotFinite`] for a value that has no place on that scale.
pub fn write_r16(path: &Path, raster: &Raster, notes: &[(String, String)]) -> Result<(), Error> {
    check(path, raster)?;
    for band in &raster.bands {
        check_finite(band).map_err(|error| Error::Raster { path: path.into(), error })?;
    }
    atomic(path, |out| {
        for band in &raster.bands {
            let scale = Scale16::of(band);
            scale.each(band, |n| out.write_all(&n.to_le_bytes()))?;
        }
        Ok(())
    })?;
    Sidecar::of(raster, "uint16", "little").with(notes).write_beside(path)
}

pub(crate) fn check(path: &Path, raster: &Raster) -> Result<(), Error> {
    raster.check().map_err(|error| Error::Raster { path: path.into(), error })
}

pub(crate) fn check_finite(band: &Band) -> Result<(), RasterError> {
    let BandValues::F32(values) = &band.values else { return Ok(()) };
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(index) => Err(RasterError::NotFinite { band: band.name.clone(), index, value: values[index] }),
    }
}

/// The straight line from a band's range to 0..65535. A band of one value is all 0.
pub(crate) struct Scale16 {
    pub min: f64,
    pub max: f64,
}

impl Scale16 {
    pub fn of(band: &Band) -> Self {
        let (min, max) = band.range().unwrap_or((0.0, 0.0));
        Self { min, max }
    }

    fn stored(&self, value: f64) -> u16 {
        let span = self.max - self.min;
        if span > 0.0 { ((value - self.min) / span * 65_535.0).round() as u16 } else { 0 }
    }

    /// Calls `put` with each stored value of a band, in order.
    pub fn each<E>(&self, band: &Band, mut put: impl FnMut(u16) -> Result<(), E>) -> Result<(), E> {
        match &band.values {
            BandValues::F32(v) => v.iter().try_for_each(|&x| put(self.stored(f64::from(x)))),
            BandValues::U8(v) => v.iter().try_for_each(|&x| put(self.stored(f64::from(x)))),
            BandValues::U16(v) => v.iter().try_for_each(|&x| put(self.stored(f64::from(x)))),
            BandValues::U32(v) => v.iter().try_for_each(|&x| put(self.stored(f64::from(x)))),
        }
    }
}
