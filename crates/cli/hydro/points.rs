//! Basins of points: `--outlet`.

use super::arguments::Hydro;
use super::core::Core;
use super::rasters;
use super::vectors::{self, Frame};
use crate::output::{Session, misuse, numbers};
use anyhow::Result;
use grid::{Cell, Field, Grid};
use hydro::network::{self, NOWHERE};

/// How far a point is moved to a stream at most, in cells, where nobody says.
const USUAL_SNAP_CELLS: f64 = 10.0;

/// The cells in which the points lie; refuses those that lie where there is no raster.
pub fn places(ground: &Field<f32>, frame: &Frame, args: &Hydro) -> Result<Vec<Cell>> {
    args.outlet.iter().map(|text| place(ground, frame, text)).collect()
}

/// Moves each point to the greatest stream near it, and writes the cells that drain to them.
pub fn watersheds<G: Grid>(
    grid: &G,
    (core, places): (&Core, &[Cell]),
    frame: &Frame,
    args: &Hydro,
    session: Session,
) -> Result<()> {
    if places.is_empty() {
        return Ok(());
    }
    let within_m = args.snap.unwrap_or(USUAL_SNAP_CELLS * grid.cell_m());
    let mut outlets: Vec<Cell> = Vec::new();
    for (&at, text) in places.iter().zip(&args.outlet) {
        let snapped = network::snap_to_greatest(grid, &core.area_m2, at, within_m).unwrap_or(at);
        let [x, y] = frame.middle(snapped);
        session.say(&format!("outlet {text}: moved {:.0} m to {x},{y}", grid.cell_distance_m(at, snapped)));
        outlets.push(snapped);
    }
    let labels =
        network::watersheds(grid, &core.flow, &outlets).map(|&i| if i == NOWHERE { 0 } else { i + 1 });
    rasters::write(&args.output, ("watersheds", ""), 0, labels.as_slice(), frame)?;
    vectors::write_watersheds(&labels, &outlets, core, frame, args)
}

fn place(ground: &Field<f32>, frame: &Frame, text: &str) -> Result<Cell> {
    let at = numbers::<2>("--outlet", text, "X,Y in the raster's coordinates")?;
    let cell = frame.cell_at(at).ok_or_else(|| {
        let [west, north] = frame.corner(0.0, 0.0);
        let [east, south] = frame.corner(frame.shape.cols.into(), frame.shape.rows.into());
        misuse(format!("--outlet {text}: the raster spans {west} to {east}, {south} to {north}"))
    })?;
    if ground[cell].is_nan() {
        return Err(misuse(format!("--outlet {text}: there is no data")));
    }
    Ok(cell)
}
