//! Headerless heightmaps: little-endian numbers, row-major, north first; one band after another.
//!
//! `NAME.json` beside the file says how many there are, in which unit, and where they lie.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use crate::sidecar::Sidecar;
use crate::stream::Source;
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

/// Writes every band as little-endian `u16`: 0 and 65535 stand for the ends of the range, if one is given, else for the band's own least and
/// greatest value. Rasters side by side match with one range for all.
///
/// # Errors
/// As [`write_r32`], and [`RasterError::NotFinite`] or [`RasterError::OutOfRange`] for a value that has no place on that scale.
pub fn write_r16(
    path: &Path,
    raster: &Raster,
    range: Option<(f64, f64)>,
    notes: &[(String, String)],
) -> Result<(), Error> {
    check(path, raster)?;
    let scales = raster.bands.iter().map(|band| Scale16::of(band, range)).collect::<Result<Vec<_>, _>>();
    let scales = scales.map_err(|error| Error::Raster { path: path.into(), error })?;
    atomic(path, |out| {
        for (band, scale) in raster.bands.iter().zip(&scales) {
            scale.each(band, |n| out.write_all(&n.to_le_bytes()))?;
        }
        Ok(())
    })?;
    Sidecar::scaled(raster, &scales, "little").with(notes).write_beside(path)
}

/// Writes every band of a source as little-endian `f32`, as [`write_r32`] does, without the raster in memory.
///
/// `progress` is told the share that is done.
///
/// # Errors
/// As [`write_r32`].
pub fn stream_r32(
    path: &Path,
    source: &dyn Source,
    notes: &[(String, String)],
    progress: &dyn Fn(f64),
) -> Result<(), Error> {
    check_frame(path, source)?;
    let mut ranges = vec![None; source.frame().bands.len()];
    atomic(path, |out| {
        stream(out, source, 4, progress, |band, values, bytes| {
            widen(&mut ranges[band], values);
            bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
            Ok(())
        })
    })?;
    let ranges: Vec<_> = ranges.into_iter().map(Option::unwrap_or_default).collect();
    Sidecar::of_frame(source.frame(), &ranges, "float32", "little").with(notes).write_beside(path)
}

/// Writes every band of a source as little-endian `u16`, as [`write_r16`] does, without the raster in memory: the source is
/// read twice.
///
/// # Errors
/// As [`write_r16`].
pub fn stream_r16(
    path: &Path,
    source: &dyn Source,
    range: Option<(f64, f64)>,
    notes: &[(String, String)],
    progress: &dyn Fn(f64),
) -> Result<(), Error> {
    check_frame(path, source)?;
    let frame = source.frame();
    let blocks = frame.blocks();
    let mut scales = Vec::with_capacity(frame.bands.len());
    for (band, title) in frame.bands.iter().enumerate() {
        let mut found = None;
        for (done, &at) in blocks.iter().enumerate() {
            let values = source.read(band, at).map_err(|cause| Error::Write { path: path.into(), cause })?;
            if let Some(i) = values.iter().position(|v| !v.is_finite()) {
                let index = (at.row + i / at.width) * frame.width + at.column + i % at.width;
                let error = RasterError::NotFinite { band: title.name.clone(), index, value: values[i] };
                return Err(Error::Raster { path: path.into(), error });
            }
            widen(&mut found, &values);
            progress(
                0.5 * (band * blocks.len() + done + 1) as f64 / (blocks.len() * frame.bands.len()) as f64,
            );
        }
        let scale = Scale16::over(&title.name, found, range);
        scales.push(scale.map_err(|error| Error::Raster { path: path.into(), error })?);
    }
    let second = |share: f64| progress(0.5 + 0.5 * share);
    atomic(path, |out| {
        stream(out, source, 2, &second, |band, values, bytes| {
            bytes.extend(values.iter().flat_map(|&v| scales[band].stored(f64::from(v)).to_le_bytes()));
            Ok(())
        })
    })?;
    let ranges: Vec<_> = scales.iter().map(|s| (s.min, s.max)).collect();
    Sidecar::of_frame(frame, &ranges, "uint16", "little").with(notes).write_beside(path)
}

/// Writes the blocks of all bands to their places: `pack` makes bytes of the numbers of a row.
fn stream(
    out: &mut BufWriter<File>,
    source: &dyn Source,
    sample_bytes: usize,
    progress: &dyn Fn(f64),
    mut pack: impl FnMut(usize, &[f32], &mut Vec<u8>) -> Result<(), Cause>,
) -> Result<(), Cause> {
    let frame = source.frame();
    let blocks = frame.blocks();
    let all = (blocks.len() * frame.bands.len()) as f64;
    let mut bytes = Vec::new();
    for band in 0..frame.bands.len() {
        for (done, &at) in blocks.iter().enumerate() {
            let values = source.read(band, at)?;
            for (row, values) in values.chunks(at.width).enumerate() {
                bytes.clear();
                pack(band, values, &mut bytes)?;
                let sample = (band * frame.height + at.row + row) * frame.width + at.column;
                out.seek(SeekFrom::Start((sample * sample_bytes) as u64))?;
                out.write_all(&bytes)?;
            }
            progress((band * blocks.len() + done + 1) as f64 / all);
        }
    }
    Ok(())
}

/// Widens a range by the values that are numbers.
fn widen(range: &mut Option<(f64, f64)>, values: &[f32]) {
    for value in values.iter().map(|&v| f64::from(v)).filter(|v| !v.is_nan()) {
        *range = Some(range.map_or((value, value), |(low, high)| (low.min(value), high.max(value))));
    }
}

fn check_frame(path: &Path, source: &dyn Source) -> Result<(), Error> {
    source.frame().check().map_err(|error| Error::Raster { path: path.into(), error })
}

pub(crate) fn check(path: &Path, raster: &Raster) -> Result<(), Error> {
    raster.check().map_err(|error| Error::Raster { path: path.into(), error })
}

fn check_finite(band: &Band) -> Result<(), RasterError> {
    let BandValues::F32(values) = &band.values else { return Ok(()) };
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(index) => Err(RasterError::NotFinite { band: band.name.clone(), index, value: values[index] }),
    }
}

/// The straight line from a range to 0..65535. A band of one value without another range is all 0.
pub(crate) struct Scale16 {
    pub min: f64,
    pub max: f64,
}

impl Scale16 {
    /// Of a band: over the range that is given, or its own.
    pub fn of(band: &Band, given: Option<(f64, f64)>) -> Result<Self, RasterError> {
        check_finite(band)?;
        Self::over(&band.name, band.range(), given)
    }

    /// Of a band whose values span a range.
    fn over(name: &str, own: Option<(f64, f64)>, given: Option<(f64, f64)>) -> Result<Self, RasterError> {
        let (least, greatest) = own.unwrap_or_default();
        let (min, max) = given.unwrap_or((least, greatest));
        if least < min || greatest > max {
            let band = name.into();
            return Err(RasterError::OutOfRange { band, least, greatest, low: min, high: max });
        }
        Ok(Self { min, max })
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
