//! The rasters of the output folder.

use super::layers::Layer;
use super::vectors::Frame;
use formats::geotiff::{self, RowWriter, Sample};
use formats::{BandValues, Error};
use hydro::NONE;
use std::path::Path;

/// In `direction.tif`: no data.
pub const NO_DATA_DIRECTION: u8 = 255;

/// The rasters that are always written.
pub const CORE: [&str; 5] = ["filled", "direction", "accumulation", "order", "basins"];

/// ESRI's codes of the eight directions clockwise from north.
const ESRI: [u8; 8] = [64, 128, 1, 2, 4, 8, 16, 32];

/// ESRI's code of a direction's index: 0 for none.
pub fn esri(direction: u8) -> u8 {
    if direction == NONE { 0 } else { ESRI[usize::from(direction & 7)] }
}

/// A raster of one band that takes rows from the north.
pub fn writer<T: Sample>(
    folder: &Path,
    name: &str,
    unit: &str,
    nodata: T,
    frame: &Frame,
) -> Result<RowWriter<T>, Error> {
    let layer = geotiff::Layer {
        width: frame.shape.cols as usize,
        height: frame.shape.rows as usize,
        georeference: frame.georeference.clone(),
        name: name.into(),
        unit: unit.into(),
        nodata: Some(nodata),
        notes: Vec::new(),
    };
    RowWriter::create(&folder.join(format!("{name}.tif")), layer)
}

/// Writes a raster that is there already.
pub fn write<T: Sample>(
    folder: &Path,
    (name, unit): (&str, &str),
    nodata: T,
    values: &[T],
    frame: &Frame,
) -> Result<(), Error> {
    let mut file = writer(folder, name, unit, nodata, frame)?;
    file.write_rows(values)?;
    file.finish()
}

/// Writes one of the further layers.
pub fn write_layer(folder: &Path, layer: &Layer, frame: &Frame) -> Result<(), Error> {
    let about = (layer.name, layer.unit);
    match &layer.values {
        BandValues::F32(v) => write(folder, about, f32::NAN, v, frame),
        BandValues::U8(v) => write(folder, about, layer.nodata as u8, v, frame),
        BandValues::U16(v) => write(folder, about, layer.nodata as u16, v, frame),
        BandValues::U32(v) => write(folder, about, layer.nodata as u32, v, frame),
    }
}
