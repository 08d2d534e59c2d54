//! All stages one after another, in memory.

use super::{Basin, Error, Flats, Message, Place, Raster, Spills, Sums};
use rayon::prelude::*;

/// The results of a whole raster, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Whole {
    /// Level of the filled surface in metres; not a number where there is no data.
    pub filled: Vec<f32>,
    /// Index of the direction that water takes; [`crate::NONE`] where it ends and where there is no data.
    pub direction: Vec<u8>,
    /// Number of cells whose water passes, itself included; 0 where there is no data.
    pub accumulation: Vec<u64>,
    /// Number of the basin, from 1; 0 where there is no data.
    pub basin: Vec<u64>,
    /// The basins: number n at index n - 1.
    pub basins: Vec<Basin>,
}

/// Analyses a raster tile by tile, with the answer of the raster as a whole. Elevation in metres, row by row; what is not a
/// number has no data.
///
/// # Errors
/// An elevation of another size than the raster.
pub fn analyse(raster: &Raster, elevation: &[f32]) -> Result<Whole, Error> {
    let expected = raster.rows as usize * raster.cols as usize;
    if elevation.len() != expected {
        return Err(Error::Size { tile: 0, got: elevation.len(), expected });
    }
    let cells = raster.cols as usize;
    let (filled, flats) = filled(raster, elevation)?;
    let mut sums = Sums::new(raster);
    let mut direction = vec![0; expected];
    let settled = each(raster, |tile, place| {
        raster.settle(tile, &cut(&filled, cells, place), &flats.tell(raster, tile)?)
    })?;
    for (tile, (part, message)) in settled.into_iter().enumerate() {
        paste(&mut direction, cells, raster.place(tile)?, &part);
        sums.take(raster, tile, &message)?;
    }
    sums.solve(raster)?;
    let (mut accumulation, mut basin, mut basins) = (vec![0; expected], vec![0; expected], Vec::new());
    let summed = each(raster, |tile, place| {
        let (directions, filled) = (cut(&direction, cells, place), cut(&filled, cells, place));
        raster.sum(tile, &directions, &filled, &sums.tell(raster, tile)?)
    })?;
    for (tile, (sums, numbers, roots)) in summed.into_iter().enumerate() {
        paste(&mut accumulation, cells, raster.place(tile)?, &sums);
        paste(&mut basin, cells, raster.place(tile)?, &numbers);
        basins.extend(roots);
    }
    basins.sort_unstable_by_key(|basin| basin.number);
    Ok(Whole { filled, direction, accumulation, basin, basins })
}

/// The filled surface, and all that is known of flats.
fn filled(raster: &Raster, elevation: &[f32]) -> Result<(Vec<f32>, Flats), Error> {
    let cells = raster.cols as usize;
    let mut spills = Spills::new(raster);
    let spilled = each(raster, |tile, place| raster.spill(tile, with_ring(elevation, cells, place)))?;
    for (tile, message) in spilled.into_iter().enumerate() {
        spills.take(raster, tile, &message)?;
    }
    spills.solve(raster)?;
    let mut filled = vec![0.0; elevation.len()];
    let descended = each(raster, |tile, place| {
        raster.descend(tile, &cut(elevation, cells, place), &spills.tell(raster, tile)?)
    })?;
    let mut flats = Flats::new(raster, spills);
    for (tile, (part, message)) in descended.into_iter().enumerate() {
        paste(&mut filled, cells, raster.place(tile)?, &part);
        flats.take_descended(raster, tile, &message)?;
    }
    loop {
        let due = flats.due()?;
        if due.is_empty() {
            return Ok((filled, flats));
        }
        let told = due.into_iter().map(|tile| Ok((tile, raster.place(tile)?, flats.tell_due(raster, tile)?)));
        let told = told.collect::<Result<Vec<(usize, Place, Message)>, Error>>()?;
        let visit = |(tile, place, told): (usize, Place, Message)| {
            Ok((tile, raster.visit(tile, &cut(&filled, cells, place), &told)?))
        };
        let visited: Result<Vec<(usize, Message)>, Error> = told.into_par_iter().map(visit).collect();
        for (tile, message) in visited? {
            flats.take(raster, tile, &message)?;
        }
    }
}

/// Does the same in all tiles.
fn each<T: Send>(
    raster: &Raster,
    work: impl Fn(usize, Place) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    (0..raster.tiles()).into_par_iter().map(|tile| work(tile, raster.place(tile)?)).collect()
}

/// The part of a raster of so many columns that is a tile.
fn cut<T: Copy>(values: &[T], cols: usize, place: Place) -> Vec<T> {
    let rows = values.chunks(cols).skip(place.row as usize).take(place.rows as usize);
    rows.flat_map(|row| &row[place.col as usize..][..place.cols as usize]).copied().collect()
}

fn paste<T: Copy>(values: &mut [T], cols: usize, place: Place, part: &[T]) {
    let rows = values.chunks_mut(cols).skip(place.row as usize);
    for (row, part) in rows.zip(part.chunks(place.cols as usize)) {
        row[place.col as usize..][..part.len()].copy_from_slice(part);
    }
}

/// A tile with a ring of one cell, not a number beyond the border of the raster.
fn with_ring(values: &[f32], cols: usize, place: Place) -> Vec<f32> {
    let at = |row: u32, col: u32| {
        let (row, col) = (row.checked_sub(1)? as usize, col.checked_sub(1)? as usize);
        if col < cols { values.get(row * cols + col).copied() } else { None }
    };
    let rows = place.row..place.row + place.rows + 2;
    let cells = rows.flat_map(|row| (place.col..place.col + place.cols + 2).map(move |col| (row, col)));
    cells.map(|(row, col)| at(row, col).unwrap_or(f32::NAN)).collect()
}
