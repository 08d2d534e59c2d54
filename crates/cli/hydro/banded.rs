//! The analysis of a raster in bands of rows, for rasters that memory does not hold.

use super::found::{Basin, Facts, Found, Stream};
use super::input::Input;
use super::rasters::{NO_DATA_DIRECTION, esri, writer};
use super::scratch::Scratch;
use super::threshold::Threshold;
use super::thumbnail::Thumbnail;
use super::vectors::Frame;
use anyhow::{Result, anyhow};
use formats::geotiff::RowWriter;
use grid::Grid;
use hydro::bands::{self, Analysis, Files, Plan, Products, Rows, Source, StoreError};
use std::ops::ControlFlow;
use std::path::Path;

/// The rasters as they come, and a small picture of them.
struct Output<'a> {
    /// Reads the ground once more beside the filled surface.
    ground: &'a mut Input,
    row: Vec<f32>,
    cols: usize,
    thumbnail: Thumbnail,
    filled: Option<RowWriter<f32>>,
    direction: Option<RowWriter<u8>>,
    accumulation: Option<RowWriter<u32>>,
    order: Option<RowWriter<u8>>,
    basins: Option<RowWriter<u32>>,
    /// Which cells of the rows that came last have no data.
    bytes: Vec<u8>,
}

impl Products for Output<'_> {
    fn write(&mut self, first_row: u32, rows: Rows<'_>) -> Result<(), StoreError> {
        match rows {
            Rows::Filled(filled) => {
                for (row, filled) in (first_row..).zip(filled.chunks(self.cols)) {
                    self.ground.read(row, &mut self.row)?;
                    self.thumbnail.add_heights(row as usize, &self.row, filled);
                }
                to(&mut self.filled, filled)
            }
            Rows::Direction(directions) => {
                self.bytes.clear();
                self.bytes.extend(directions.iter().map(|&d| esri(d)));
                Ok(())
            }
            Rows::Accumulation(cells) => {
                for (byte, _) in self.bytes.iter_mut().zip(cells).filter(|(_, n)| **n == 0) {
                    *byte = NO_DATA_DIRECTION;
                }
                to(&mut self.direction, &self.bytes)?;
                to(&mut self.accumulation, cells)
            }
            Rows::Basin(basins) => {
                for (row, basins) in (first_row as usize..).zip(basins.chunks(self.cols)) {
                    self.thumbnail.add_basins(row, basins);
                }
                to(&mut self.basins, basins)
            }
            Rows::Order(order) => to(&mut self.order, order),
        }
    }
}

fn to<T: formats::geotiff::Sample>(file: &mut Option<RowWriter<T>>, rows: &[T]) -> Result<(), StoreError> {
    file.as_mut().ok_or("rows after the last")?.write_rows(rows)?;
    Ok(())
}

/// Analyses a raster within a bound of memory and writes the rasters into a folder.
pub fn analyse<G: Grid>(
    grid: &G,
    (source, again): (&mut Input, &mut Input),
    folder: &Path,
    frame: &Frame,
    (plan, threshold): (&Plan, Threshold),
    progress: &(dyn Fn(&str, f64) + Sync),
) -> Result<(Found, Thumbnail)> {
    let cols = frame.shape.cols as usize;
    let mut output = Output {
        ground: again,
        row: vec![0.0; cols],
        cols,
        thumbnail: Thumbnail::new(cols, frame.shape.rows as usize),
        filled: Some(writer(folder, "filled", "m", f32::NAN, frame)?),
        direction: Some(writer(folder, "direction", "", NO_DATA_DIRECTION, frame)?),
        accumulation: Some(writer(folder, "accumulation", "cells", 0, frame)?),
        order: Some(writer(folder, "order", "", 0, frame)?),
        basins: Some(writer(folder, "basins", "", 0, frame)?),
        bytes: Vec::new(),
    };
    let files = Files {
        source,
        surface: &mut Scratch::beside(folder, cols)?,
        labels: &mut Scratch::beside(folder, cols)?,
        directions: &mut Scratch::beside(folder, cols)?,
        products: &mut output,
    };
    let least = match threshold {
        Threshold::Cells(cells) => bands::Threshold::Cells(cells.ceil() as u32),
        Threshold::Area { area_m2, .. } => bands::Threshold::AreaM2(area_m2),
        Threshold::DischargeM3S(_) => return Err(anyhow!("a threshold in m3/s needs the raster in memory")),
    };
    let tell = |stage: bands::Stage, share: f64| {
        progress(&stage.to_string(), share);
        ControlFlow::Continue(())
    };
    let analysis = bands::analyse(grid, files, plan, least, &tell)?;
    if analysis.summary.data_cells == 0 {
        // rasters that are not finished leave no trace
        return Ok((found(&analysis, threshold), output.thumbnail));
    }
    let Output { thumbnail, filled, direction, accumulation, order, basins, .. } = output;
    filled.map_or(Ok(()), RowWriter::finish)?;
    direction.map_or(Ok(()), RowWriter::finish)?;
    accumulation.map_or(Ok(()), RowWriter::finish)?;
    order.map_or(Ok(()), RowWriter::finish)?;
    basins.map_or(Ok(()), RowWriter::finish)?;
    Ok((found(&analysis, threshold), thumbnail))
}

fn found(analysis: &Analysis, threshold: Threshold) -> Found {
    let summary = &analysis.summary;
    let stream = |index: usize| {
        let reach = &analysis.network.reaches[index];
        Stream {
            cells: analysis.network.line(index).collect(),
            order: reach.order,
            magnitude: reach.magnitude,
            downstream: reach.downstream,
            length_m: reach.length_m,
            drop_m: reach.drop_m,
            accumulation: reach.accumulation,
            area_m2: reach.area_m2,
            discharge_m3_s: None,
            basin: reach.basin,
        }
    };
    let facts = Facts {
        data_cells: summary.data_cells,
        area_m2: summary.area_m2,
        lowest_m: summary.lowest_m,
        highest_m: summary.highest_m,
        outlets: summary.outlets,
        raised_cells: summary.filled_cells,
        raised_m3: summary.filled_volume_m3,
        cut_cells: 0,
        cut_m3: 0.0,
        greatest_accumulation: summary.greatest_accumulation,
        stream_cells: summary.stream_cells,
        threshold: threshold.describe(),
    };
    let basin = |b: &bands::Basin| Basin { outlet: b.root, cells: b.cells, area_m2: b.area_m2 };
    Found {
        streams: (0..analysis.network.reaches.len()).map(stream).collect(),
        basins: analysis.basins.iter().map(basin).collect(),
        facts,
        laws: serde_json::Map::new(),
    }
}
