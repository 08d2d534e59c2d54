//! Streams as lines and basins as areas.

use super::arguments::{Hydro, Vectors};
use super::core::Core;
use super::found::Found;
use anyhow::Result;
use formats::Georeference;
use formats::features::{FieldKind, Geometry, GeometryKind, Layer, Polygon, Position, Value, write};
use grid::{Cell, Field, Shape};
use hydro::outline::{Outline, outlines};

/// Bytes a cell that it takes to draw the outlines of basins: labels, and what is kept of borders between them.
pub const BYTES_PER_CELL: u64 = 12;

/// Where a raster's cells lie in its own coordinates.
#[derive(Clone)]
pub struct Frame {
    /// The raster's own.
    pub georeference: Georeference,
    /// Its rows and columns.
    pub shape: Shape,
}

impl Frame {
    /// The place of a corner of cells, counted from the north-west.
    pub fn corner(&self, col: f64, row: f64) -> Position {
        let g = &self.georeference;
        [g.west + col * g.step_x, g.north - row * g.step_y]
    }

    /// The middle of a cell.
    pub fn middle(&self, cell: Cell) -> Position {
        let (_, row, col) = self.shape.split(cell);
        self.corner(f64::from(col) + 0.5, f64::from(row) + 0.5)
    }

    /// The line through the middles of cells. That of a single cell goes half a cell on, out of the map; beside a gap
    /// in the map there is none.
    fn line(&self, cells: &[Cell]) -> Option<Vec<Position>> {
        let &[cell] = cells else { return Some(cells.iter().map(|&c| self.middle(c)).collect()) };
        let (_, row, col) = self.shape.split(cell);
        let sides = [
            (row == 0, 0.0, -0.5),
            (col + 1 == self.shape.cols, 0.5, 0.0),
            (row + 1 == self.shape.rows, 0.0, 0.5),
            (col == 0, -0.5, 0.0),
        ];
        let (_, right, down) = sides.into_iter().find(|side| side.0)?;
        Some(vec![self.middle(cell), self.corner(f64::from(col) + 0.5 + right, f64::from(row) + 0.5 + down)])
    }

    /// The column and row, in cells from the north-west, of a place.
    pub fn cell_at(&self, [x, y]: Position) -> Option<Cell> {
        let g = &self.georeference;
        let (col, row) = ((x - g.west) / g.step_x, (g.north - y) / g.step_y);
        let inside = (0.0..f64::from(self.shape.cols)).contains(&col)
            && (0.0..f64::from(self.shape.rows)).contains(&row);
        inside.then(|| self.shape.join(0, row as u32, col as u32))
    }
}

/// The streams as lines with their table.
pub fn streams(found: &Found, frame: &Frame) -> Layer {
    let fields = [
        ("stream", FieldKind::Int),
        ("downstream", FieldKind::Int),
        ("order", FieldKind::Int),
        ("magnitude", FieldKind::Int),
        ("length_km", FieldKind::Real),
        ("drop_m", FieldKind::Real),
        ("slope", FieldKind::Real),
        ("cells", FieldKind::Int),
        ("area_km2", FieldKind::Real),
        ("basin", FieldKind::Int),
        ("discharge_m3_s", FieldKind::Real),
    ];
    let has_discharge = found.streams.iter().any(|s| s.discharge_m3_s.is_some());
    let used = if has_discharge { &fields[..] } else { &fields[..fields.len() - 1] };
    let mut layer = Layer::new("streams", GeometryKind::Lines, frame.georeference.crs.clone(), used);
    let lines: Vec<Option<Vec<Position>>> =
        found.streams.iter().map(|stream| frame.line(&stream.cells)).collect();
    for ((stream, line), number) in found.streams.iter().zip(&lines).zip(1u32..) {
        let Some(line) = line.clone() else { continue };
        let downstream = stream.downstream.filter(|&d| lines[d as usize].is_some());
        let slope = (stream.length_m > 0.0).then(|| stream.drop_m / stream.length_m);
        let mut values: Vec<Option<Value>> = vec![
            Some(number.into()),
            downstream.map(|d| (d + 1).into()),
            Some(stream.order.into()),
            Some(stream.magnitude.into()),
            Some((stream.length_m / 1000.0).into()),
            Some(stream.drop_m.into()),
            slope.map(Into::into),
            Some(stream.accumulation.into()),
            Some((stream.area_m2 / 1e6).into()),
            Some(stream.basin.into()),
        ];
        if has_discharge {
            values.push(stream.discharge_m3_s.map(Into::into));
        }
        layer.push(Geometry::line(line), values);
    }
    layer
}

/// The outlines of labels from 1 as areas, and a row of the table for each.
fn areas(
    name: &str,
    labels: &Field<u32>,
    frame: &Frame,
    fields: &[(&str, FieldKind)],
    row: impl Fn(u32) -> Vec<Option<Value>>,
) -> Layer {
    let mut layer = Layer::new(name, GeometryKind::Polygons, frame.georeference.crs.clone(), fields);
    for outline in outlines(labels, 0) {
        layer.push(shape_of(&outline, frame), row(outline.label));
    }
    layer
}

fn shape_of(outline: &Outline, frame: &Frame) -> Geometry {
    let ring =
        |corners: &Vec<[u32; 2]>| corners.iter().map(|c| frame.corner(c[0].into(), c[1].into())).collect();
    let part = |part: &hydro::outline::Part| Polygon {
        outer: ring(&part.outer),
        holes: part.holes.iter().map(ring).collect(),
    };
    Geometry::Polygons(outline.parts.iter().map(part).collect())
}

/// The basins as areas with their table.
fn basins(found: &Found, labels: &Field<u32>, frame: &Frame) -> Layer {
    let fields = [
        ("basin", FieldKind::Int),
        ("cells", FieldKind::Int),
        ("area_km2", FieldKind::Real),
        ("outlet_x", FieldKind::Real),
        ("outlet_y", FieldKind::Real),
        ("greatest_order", FieldKind::Int),
    ];
    let mut orders = vec![0u8; found.basins.len() + 1];
    for stream in &found.streams {
        let order = &mut orders[stream.basin as usize];
        *order = (*order).max(stream.order);
    }
    areas("basins", labels, frame, &fields, |label| {
        let basin = &found.basins[label as usize - 1];
        let [x, y] = frame.middle(basin.outlet);
        vec![
            Some(label.into()),
            Some(basin.cells.into()),
            Some((basin.area_m2 / 1e6).into()),
            Some(x.into()),
            Some(y.into()),
            Some(orders[label as usize].into()),
        ]
    })
}

/// The names of all vector files that may be written.
pub fn files(args: &Hydro) -> Vec<String> {
    match args.vectors {
        Vectors::Gpkg => ["hydro", "watersheds"].map(|file| format!("{file}.gpkg")).to_vec(),
        one => ["streams", "basins", "watersheds"].map(|layer| format!("{layer}.{}", ending(one))).to_vec(),
    }
}

fn ending(format: Vectors) -> &'static str {
    match format {
        Vectors::Geojson => "geojson",
        Vectors::Fgb => "fgb",
        Vectors::Gpkg => "gpkg",
    }
}

/// Writes layers in the format that was asked for.
fn write_layers(layers: &[&Layer], file: &str, args: &Hydro) -> Result<()> {
    match args.vectors {
        Vectors::Gpkg => write(&args.output.join(format!("{file}.gpkg")), layers)?,
        one => {
            for layer in layers {
                write(&args.output.join(format!("{}.{}", layer.name, ending(one))), &[layer])?;
            }
        }
    }
    Ok(())
}

/// Writes streams and, where their raster is at hand, basins.
pub fn write_all(found: &Found, labels: Option<&Field<u32>>, frame: &Frame, args: &Hydro) -> Result<()> {
    let streams = streams(found, frame);
    match labels.map(|labels| basins(found, labels, frame)) {
        Some(basins) => write_layers(&[&streams, &basins], "hydro", args),
        None => write_layers(&[&streams], "hydro", args),
    }
}

/// Writes the basins of points.
pub fn write_watersheds(
    labels: &Field<u32>,
    outlets: &[Cell],
    core: &Core,
    frame: &Frame,
    args: &Hydro,
) -> Result<()> {
    let fields = [
        ("watershed", FieldKind::Int),
        ("outlet_x", FieldKind::Real),
        ("outlet_y", FieldKind::Real),
        ("drained_km2", FieldKind::Real),
        ("discharge_m3_s", FieldKind::Real),
    ];
    let layer = areas("watersheds", labels, frame, &fields, |label| {
        let outlet = outlets[label as usize - 1];
        let [x, y] = frame.middle(outlet);
        vec![
            Some(label.into()),
            Some(x.into()),
            Some(y.into()),
            Some((core.area_m2[outlet] / 1e6).into()),
            core.discharge_m3_s.as_ref().map(|q| q[outlet].into()),
        ]
    });
    write_layers(&[&layer], "watersheds", args)
}
