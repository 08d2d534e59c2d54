//! A layer as a FlatGeobuf file (version 3): a header with the fields, a packed Hilbert R-tree, the features.
//!
//! Features come back in the order of the tree's Hilbert curve, not in that of the layer. While it is written the
//! encoder keeps features in the system's temporary folder.

use std::io::Write;
use std::path::Path;

use ::flatgeobuf::{ColumnType, FgbCrs, FgbWriter, FgbWriterOptions, GeometryType};
use geozero::{ColumnValue, GeomProcessor, GeozeroGeometry, PropertyProcessor};

use crate::features::{Feature, FieldKind, Geometry, GeometryKind, Layer, Position, Value};
use crate::reference::Reference;
use crate::{Cause, Error, atomic};

/// Writes a layer to a file.
///
/// # Errors
/// [`Error::Write`].
pub fn write(path: &Path, layer: &Layer) -> Result<(), Error> {
    atomic(path, |out| write_to(out, layer))
}

/// The same to any writer.
///
/// # Errors
/// What the writer says; a layer that contradicts itself ([`Layer::check`]).
pub fn write_to<W: Write>(out: &mut W, layer: &Layer) -> Result<(), Cause> {
    layer.check()?;
    let mut file = begin(layer)?;
    for field in &layer.fields {
        file.add_column(&field.name, column_type(field.kind), |_, _| {});
    }
    for feature in &layer.features {
        add(&mut file, layer, feature)?;
    }
    Ok(file.write(out)?)
}

fn begin(layer: &Layer) -> Result<FgbWriter<'static>, Cause> {
    let kind = match layer.kind {
        GeometryKind::Points => GeometryType::Point,
        GeometryKind::Lines => GeometryType::MultiLineString,
        GeometryKind::Polygons => GeometryType::MultiPolygon,
    };
    let reference = Reference::of(&layer.crs);
    let crs = FgbCrs {
        org: reference.epsg.map(|_| "EPSG"),
        code: reference.epsg.unwrap_or(0),
        name: Some(&reference.name),
        wkt: reference.wkt.as_deref(),
        ..FgbCrs::default()
    };
    // no features, no tree: readers take the file to be a stream otherwise
    let options =
        FgbWriterOptions { write_index: !layer.features.is_empty(), crs, ..FgbWriterOptions::default() };
    Ok(FgbWriter::create_with_options(&layer.name, kind, options)?)
}

fn column_type(kind: FieldKind) -> ColumnType {
    match kind {
        FieldKind::Int => ColumnType::Long,
        FieldKind::Real => ColumnType::Double,
        FieldKind::Text => ColumnType::String,
        FieldKind::Bool => ColumnType::Bool,
    }
}

fn add(file: &mut FgbWriter, layer: &Layer, feature: &Feature) -> Result<(), Cause> {
    let mut outcome = Ok(());
    let geometry = feature.geometry.placed(&layer.crs);
    file.add_feature_geom(Shape(&geometry), |writer| {
        for (i, (field, value)) in feature.written(&layer.fields).enumerate() {
            let Some(value) = value.map(column_value) else { continue };
            if let Err(error) = writer.property(i, &field.name, &value) {
                outcome = Err(error);
            }
        }
    })?;
    Ok(outcome?)
}

fn column_value(value: &Value) -> ColumnValue<'_> {
    match value {
        Value::Int(v) => ColumnValue::Long(*v),
        Value::Real(v) => ColumnValue::Double(*v),
        Value::Text(v) => ColumnValue::String(v),
        Value::Bool(v) => ColumnValue::Bool(*v),
    }
}

/// A geometry told place by place, as the encoder listens; always as one of several parts.
struct Shape<'a>(&'a Geometry);

impl GeozeroGeometry for Shape<'_> {
    fn process_geom<P: GeomProcessor>(&self, out: &mut P) -> geozero::error::Result<()> {
        match self.0 {
            Geometry::Point([x, y]) => {
                out.point_begin(0)?;
                out.xy(*x, *y, 0)?;
                out.point_end(0)
            }
            Geometry::Lines(lines) => {
                out.multilinestring_begin(lines.len(), 0)?;
                lines.iter().enumerate().try_for_each(|(i, line)| tell_line(out, line, i))?;
                out.multilinestring_end(0)
            }
            Geometry::Polygons(areas) => {
                out.multipolygon_begin(areas.len(), 0)?;
                for (i, area) in areas.iter().enumerate() {
                    out.polygon_begin(false, 1 + area.holes.len(), i)?;
                    area.rings().enumerate().try_for_each(|(k, ring)| tell_line(out, ring, k))?;
                    out.polygon_end(false, i)?;
                }
                out.multipolygon_end(0)
            }
        }
    }
}

fn tell_line<P: GeomProcessor>(out: &mut P, line: &[Position], index: usize) -> geozero::error::Result<()> {
    out.linestring_begin(false, line.len(), index)?;
    line.iter().enumerate().try_for_each(|(k, [x, y])| out.xy(*x, *y, k))?;
    out.linestring_end(false, index)
}
