//! What is done in a tile at each stage, from the tile and what it is told.

use super::message::{Kind, Reader, Writer};
use super::{Error, Message, Raster, spills, sums};
use crate::cut::areas::MOST_QUANTA;
use crate::cut::catchments::{UNSET, spread_labels};
use crate::cut::codes::{FLAT, NO_DATA, handed_out, is_flat, plain};
use crate::cut::flats::{Distances, FAR, Flat};
use crate::cut::gather::Inside;
use crate::cut::joints::{Load, tell};
use crate::cut::spill::{self, RAISED, Spilled};
use crate::cut::ways::ways_down;
use crate::cut::{Tile, without_ring};
use crate::flow::NONE;
use std::num::Wrapping;

/// A basin: all cells whose water ends at one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Basin {
    /// Its number, from 1 by the cells where basins end, row by row.
    pub number: u64,
    /// Row of the cell where its water ends.
    pub row: u32,
    /// Column of that cell.
    pub col: u32,
    /// Number of its cells.
    pub cells: u64,
    /// Its area in square metres.
    pub area_m2: f64,
}

/// Of a tile: what passes each cell, the number of its basin, and the basins that end in the tile.
pub type Summed = (Vec<u64>, Vec<u64>, Vec<Basin>);

impl Raster {
    /// Fills a tile on its own. `elevation` in metres has one more row and column on each side, those of the tiles
    /// beside it; what is not a number has no data. What lies beyond the border of the raster is not looked at.
    ///
    /// # Errors
    /// A number that no tile has, and an array of another size.
    pub fn spill(&self, tile: usize, elevation: Vec<f32>) -> Result<Message, Error> {
        let tile = self.tile(tile)?;
        check(tile, elevation.len(), tile.padded_len())?;
        let mut z = elevation;
        for at in tile.ring() {
            z[at] = if tile.goes_on(at) { z[at] } else { f32::NAN };
        }
        Ok(spills::told(tile, &spill::spill(tile, z)))
    }

    /// Fills a tile for good: its surface in metres, and what it tells of its flats. `elevation` of the tile alone.
    ///
    /// # Errors
    /// An array of another size, and a message of another tile, stage or elevation.
    pub fn descend(
        &self,
        tile: usize,
        elevation: &[f32],
        told: &Message,
    ) -> Result<(Vec<f32>, Message), Error> {
        let tile = self.tile(tile)?;
        check(tile, elevation.len(), tile.rows * tile.cols)?;
        let mut reader = Reader::new(told, Kind::Level, tile.index)?;
        let ring = ring_of(tile, &mut reader)?;
        // What spills where is found again: that costs less than to keep it.
        let spilled = spill::spill(tile, padded(tile, elevation, &ring, f32::NAN));
        let levels = reader.floats_of(spilled.anchors as usize - 1)?;
        let filled = raised(spilled, &levels);
        let surface = padded(tile, &filled, &ring, f32::NAN);
        let codes = ways_down(tile, &surface, |row| self.ground.spacing_m(row));
        let own = |at: usize| (at / tile.stride() - 1) * tile.cols + at % tile.stride() - 1;
        let message = Writer::new(Kind::Descended, tile.index)
            .list([u32::from(codes.iter().any(|&code| is_flat(code)))])
            .list(tile.border().map(|at| u32::from(is_flat(codes[own(at)]))))
            .finish();
        Ok((filled, message))
    }

    /// Measures the flats that are due in a tile, given its filled surface.
    ///
    /// # Errors
    /// An array of another size, and a message of another tile or stage.
    pub fn visit(&self, tile: usize, filled: &[f32], told: &Message) -> Result<Message, Error> {
        let (tile, beside) = (self.tile(tile)?, self.beside_of(tile, told)?);
        check(tile, filled.len(), tile.rows * tile.cols)?;
        let z = padded(tile, filled, &beside.ring, f32::NAN);
        let mut flat = self.flat(tile, &z, &beside);
        let cells = match beside.due.split_first() {
            Some((0, places)) => flat.list_beside(places),
            _ => flat.list_all(),
        };
        flat.measure(&cells);
        let (border, changed) = flat.border(&beside.own);
        Ok(Writer::new(Kind::Visited, tile.index)
            .list(border.toward)
            .list(border.away)
            .list(changed.into_iter().flat_map(|(k, beyond)| [k, u32::from(beyond)]))
            .finish())
    }

    /// Finds the directions in a tile once no tile is due, given its filled surface; and what it tells of flow. A direction
    /// is 0 for north and so on clockwise, [`NONE`] where water ends and where there is no data.
    ///
    /// # Errors
    /// An array of another size, a message of another tile, stage or surface.
    pub fn settle(&self, tile: usize, filled: &[f32], told: &Message) -> Result<(Vec<u8>, Message), Error> {
        let (tile, beside) = (self.tile(tile)?, self.beside_of(tile, told)?);
        check(tile, filled.len(), tile.rows * tile.cols)?;
        let z = padded(tile, filled, &beside.ring, f32::NAN);
        let mut flat = self.flat(tile, &z, &beside);
        let cells = flat.list_all();
        flat.measure(&cells);
        flat.direct(&cells);
        let codes = flat.into_codes();
        let directions = codes.iter().map(|&code| handed_out(plain(code))).collect();
        let codes = padded(tile, &codes, &[], NO_DATA);
        // Each may be an entry; where nothing comes in, nobody asks.
        let entries: Vec<usize> = tile.border().filter(|&at| codes[at] != NO_DATA).collect();
        let told = tell(tile, entries.into_iter(), codes, &self.areas, self.numbering());
        let told = told.ok_or(Error::Circle)?;
        Ok((directions, sums::told(tile, &told)))
    }

    /// Sums up in a tile, given its directions and its filled surface: what passes each cell (0 where there is no data),
    /// the number of its basin (0 where there is no data), and the basins that end in the tile.
    ///
    /// # Errors
    /// Arrays of another size, a message of another tile or stage, and directions in a circle.
    pub fn sum(
        &self,
        tile: usize,
        directions: &[u8],
        filled: &[f32],
        told: &Message,
    ) -> Result<Summed, Error> {
        let (tile, incoming) = (self.tile(tile)?, self.incoming_of(tile, told)?);
        check(tile, directions.len(), tile.rows * tile.cols)?;
        check(tile, filled.len(), tile.rows * tile.cols)?;
        let code = |(&z, &d): (&f32, &u8)| if z.is_nan() { NO_DATA } else { handed_out(d) };
        let codes: Vec<u8> = filled.iter().zip(directions).map(code).collect();
        let inside = Inside::new(tile, padded(tile, &codes, &[], NO_DATA));
        let (mut cells, mut quanta) = (vec![1u64; tile.padded_len()], self.areas.weights(tile));
        for (k, at) in tile.border().enumerate() {
            cells[at] += incoming.cells[k];
            if let Some(quanta) = &mut quanta {
                quanta[at] += incoming.quanta[k];
            }
        }
        let cells = inside.gather(cells);
        if inside.leaving(&cells)
            != incoming.cells.iter().fold(codes.len() as u64, |sum, n| sum.wrapping_add(*n))
        {
            return Err(Error::Circle);
        }
        let quanta = quanta.map(|quanta| inside.gather(quanta.into_iter().map(Wrapping).collect()));
        let load = |at: usize| Load { cells: cells[at], quanta: quanta.as_ref().map_or(0, |q| q[at].0) };
        let basins = self.basins(tile, &inside, &incoming.first, load);
        let numbers = numbers(tile, &inside, &basins, &incoming.beyond);
        let mut accumulation = without_ring(tile, cells);
        for (sum, &code) in accumulation.iter_mut().zip(&codes) {
            *sum = if code == NO_DATA { 0 } else { *sum };
        }
        Ok((accumulation, numbers, basins))
    }

    /// The basins that end in a tile, row by row.
    fn basins(
        &self,
        tile: Tile,
        inside: &Inside,
        first: &[u64],
        load: impl Fn(usize) -> Load<u64>,
    ) -> Vec<Basin> {
        let mut next = first.to_vec();
        let basin = |at: u32| {
            let (row, col) = tile.place(at as usize);
            let next = &mut next[(row - tile.first) as usize];
            let number = *next;
            *next += 1;
            let load = load(at as usize);
            Basin { number, row, col, cells: load.cells, area_m2: self.areas.of_load_m2(load) }
        };
        inside.roots().into_iter().map(basin).collect()
    }

    fn flat<'a>(&self, tile: Tile, z: &'a [f32], beside: &Beside) -> Flat<'a> {
        let codes = ways_down(tile, z, |row| self.ground.spacing_m(row));
        let ring: Vec<u8> = beside.is_flat.iter().map(|&is| if is != 0 { FLAT } else { NONE }).collect();
        let known = Distances {
            toward: padded(tile, &[], &beside.distances.toward, FAR),
            away: padded(tile, &[], &beside.distances.away, FAR),
        };
        Flat::new(tile, z, padded(tile, &codes, &ring, NONE), known)
    }

    fn beside_of(&self, index: usize, told: &Message) -> Result<Beside, Error> {
        let tile = self.tile(index)?;
        let mut reader = Reader::new(told, Kind::Beside, index)?;
        let (ring, border) = (tile.ring().count(), tile.border().count());
        let beside = Beside {
            ring: ring_of(tile, &mut reader)?,
            is_flat: reader.list_of(ring)?.to_vec(),
            distances: distances(&mut reader, ring)?,
            own: distances(&mut reader, border)?,
            due: reader.list()?.to_vec(),
        };
        match beside.due.split_first() {
            Some((0, places)) if places.iter().all(|&at| (at as usize) < tile.padded_len()) => Ok(beside),
            Some((1, [])) => Ok(beside),
            _ => Err(reader.damaged()),
        }
    }

    fn incoming_of(&self, index: usize, told: &Message) -> Result<Incoming, Error> {
        let tile = self.tile(index)?;
        let mut reader = Reader::new(told, Kind::Incoming, index)?;
        let border = tile.border().count();
        let incoming = Incoming {
            cells: reader.wide_of(border)?,
            quanta: reader.wide_of(border)?,
            beyond: reader.wide_of(border)?,
            first: reader.wide_of(tile.rows)?,
        };
        // What does not come from here could be any number. Water may come back to a tile, so sums may be more.
        let most = u64::from(self.rows) * u64::from(self.cols);
        let is_sound = incoming.cells.iter().all(|&n| n <= most)
            && incoming.quanta.iter().all(|&n| n < MOST_QUANTA)
            && incoming.first.iter().all(|&n| n <= most + 1);
        if is_sound { Ok(incoming) } else { Err(reader.damaged()) }
    }
}

/// What a tile is told of the cells around it when flats are measured.
struct Beside {
    ring: Vec<f32>,
    is_flat: Vec<u32>,
    distances: Distances,
    /// Of the tile's own border, as far as known before.
    own: Distances,
    /// 1 for all flats; or 0, and the places of the ring that the flats due lie beside.
    due: Vec<u32>,
}

/// What comes into a tile at the cells of its border, and where it goes on beyond.
struct Incoming {
    cells: Vec<u64>,
    quanta: Vec<u64>,
    /// The basin that what leaves at a cell comes to.
    beyond: Vec<u64>,
    /// The number of the first basin that ends in each row.
    first: Vec<u64>,
}

/// The surface around a tile; beyond the border of the raster there is no data, whatever is told.
fn ring_of(tile: Tile, reader: &mut Reader<'_>) -> Result<Vec<f32>, Error> {
    let mut ring = reader.floats_of(tile.ring().count())?;
    for (z, at) in ring.iter_mut().zip(tile.ring()) {
        *z = if tile.goes_on(at) { *z } else { f32::NAN };
    }
    Ok(ring)
}

fn distances(reader: &mut Reader<'_>, cells: usize) -> Result<Distances, Error> {
    let (toward, away) = (reader.list_of(cells)?.to_vec(), reader.list_of(cells)?.to_vec());
    // No way is longer than a raster has cells beside joints, and cells of a tile.
    let is_sound = |&steps: &u32| steps == FAR || steps <= FAR / 2;
    if toward.iter().chain(&away).all(is_sound) {
        Ok(Distances { toward, away })
    } else {
        Err(reader.damaged())
    }
}

fn check(tile: Tile, got: usize, expected: usize) -> Result<(), Error> {
    if got == expected { Ok(()) } else { Err(Error::Size { tile: tile.index, got, expected }) }
}

/// A tile with its ring; `nothing` where one of them is empty.
fn padded<T: Copy>(tile: Tile, own: &[T], ring: &[T], nothing: T) -> Vec<T> {
    let mut values = vec![nothing; tile.padded_len()];
    for (row, own) in own.chunks(tile.cols).enumerate() {
        values[tile.row(row)..][..tile.cols].copy_from_slice(own);
    }
    tile.ring().zip(ring).for_each(|(at, &value)| values[at] = value);
    values
}

/// The surface filled for good, with the level of each anchor but that of what leaves the map.
fn raised(spilled: Spilled, levels: &[f32]) -> Vec<f32> {
    let mut filled = spilled.surface;
    for (z, label) in filled.iter_mut().zip(spilled.labels) {
        if let Some(anchor) = (label & !RAISED).checked_sub(1) {
            let level = levels[anchor as usize];
            *z = if level > *z { level } else { *z };
        }
    }
    filled
}

/// The number of the basin of each cell; `beyond` of what leaves at the cells of the border.
fn numbers(tile: Tile, inside: &Inside, basins: &[Basin], beyond: &[u64]) -> Vec<u64> {
    // Labels are places in this list.
    let mut list = vec![0];
    list.extend(basins.iter().map(|basin| basin.number));
    let label = |&direction: &u8| if direction < 8 { UNSET } else { 0 };
    let mut labels: Vec<u32> = inside.directions.iter().map(label).collect();
    for (at, label) in inside.roots().into_iter().zip(1..) {
        labels[at as usize] = label;
    }
    for (k, at) in tile.border().enumerate() {
        if let Some(below) = inside.below(at).filter(|&below| !tile.holds(below)) {
            labels[below] = list.len() as u32;
            list.push(beyond[k]);
        }
    }
    spread_labels(tile, &inside.directions, &mut labels);
    without_ring(tile, labels).into_iter().map(|label| list[label as usize]).collect()
}
