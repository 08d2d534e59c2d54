//! Distances over flats from tile to tile, in rounds until nothing changes.
//!
//! A visit starts from what is known around the tile. All tiles that are due may be visited at once: each value is the
//! length of some path, whatever a tile knew of the others, and a tile beside which something falls is due again.

use super::message::{Kind, Reader, Writer};
use super::raster::OFFSETS;
use super::{Error, Message, Raster, Spills};
use crate::cut::flats::{Distances, FAR};

/// What a tile is due for.
#[derive(Clone, Debug, Default, PartialEq)]
enum Due {
    /// Nothing.
    #[default]
    Nothing,
    /// All its flats.
    All,
    /// Those that touch these cells beside it: row and column in the raster.
    Beside(Vec<(u32, u32)>),
}

/// What is known of cells beside joints, by their numbers, and which tiles are due.
pub struct Flats {
    surface: Vec<f32>,
    is_flat: Vec<u32>,
    distances: Distances,
    due: Vec<Due>,
    has_told: Vec<bool>,
}

impl Flats {
    /// Of what was found where water spills.
    pub fn new(raster: &Raster, spills: Spills) -> Self {
        Self {
            surface: spills.into_surface(),
            is_flat: vec![0; raster.numbers()],
            distances: Distances::far(raster.numbers()),
            due: vec![Due::Nothing; raster.tiles()],
            has_told: vec![false; raster.tiles()],
        }
    }

    /// Takes what [`Raster::descend`] has told of a tile, in any order.
    ///
    /// # Errors
    /// A message that is not of that tile and stage.
    pub fn take_descended(&mut self, raster: &Raster, tile: usize, message: &Message) -> Result<(), Error> {
        let tile = raster.tile(tile)?;
        let mut reader = Reader::new(message, Kind::Descended, tile.index)?;
        let has_flats = reader.list_of(1)?[0] != 0;
        let is_flat = reader.list_of(tile.border().count())?;
        for (number, &is_flat) in raster.border(tile).zip(is_flat) {
            self.is_flat[number] = is_flat;
        }
        self.due[tile.index] = if has_flats { Due::All } else { Due::Nothing };
        self.has_told[tile.index] = true;
        Ok(())
    }

    /// The tiles that are due.
    ///
    /// # Errors
    /// When a tile has told nothing.
    pub fn due(&self) -> Result<Vec<usize>, Error> {
        if let Some(tile) = self.has_told.iter().position(|told| !told) {
            return Err(Error::Missing { tile });
        }
        Ok((0..self.due.len()).filter(|&tile| self.due[tile] != Due::Nothing).collect())
    }

    /// What [`Raster::visit`] must know; the tile is not due any more, until more is taken from others.
    ///
    /// # Errors
    /// A number that no tile has.
    pub fn tell_due(&mut self, raster: &Raster, tile: usize) -> Result<Message, Error> {
        let place = raster.tile(tile)?;
        // Of a list of cells the first word says that it is none of all.
        let due: Vec<u32> = match std::mem::take(&mut self.due[tile]) {
            Due::Nothing => vec![0],
            Due::All => vec![1],
            Due::Beside(cells) => {
                let at = |(row, col): (u32, u32)| {
                    (row + 1 - place.first) * place.stride() as u32 + (col + 1 - place.left)
                };
                std::iter::once(0).chain(cells.into_iter().map(at)).collect()
            }
        };
        self.write(raster, tile, due)
    }

    /// What [`Raster::settle`] must know.
    ///
    /// # Errors
    /// While tiles are due, and a number that no tile has.
    pub fn tell(&self, raster: &Raster, tile: usize) -> Result<Message, Error> {
        match self.due()?.first() {
            Some(&tile) => Err(Error::Missing { tile }),
            None => self.write(raster, tile, vec![1]),
        }
    }

    fn write(&self, raster: &Raster, tile: usize, due: Vec<u32>) -> Result<Message, Error> {
        let tile = raster.tile(tile)?;
        let Distances { toward, away } = &self.distances;
        Ok(Writer::new(Kind::Beside, tile.index)
            .floats(raster.ring(tile, &self.surface, f32::NAN))
            .list(raster.ring(tile, &self.is_flat, 0))
            .list(raster.ring(tile, toward, FAR))
            .list(raster.ring(tile, away, FAR))
            .list(raster.border(tile).map(|number| toward[number]))
            .list(raster.border(tile).map(|number| away[number]))
            .list(due)
            .finish())
    }

    /// Takes what [`Raster::visit`] has told of a tile.
    ///
    /// # Errors
    /// A message that is not of that tile and stage.
    pub fn take(&mut self, raster: &Raster, tile: usize, message: &Message) -> Result<(), Error> {
        let tile = raster.tile(tile)?;
        let mut reader = Reader::new(message, Kind::Visited, tile.index)?;
        let places: Vec<usize> = tile.border().collect();
        let (toward, away) = (reader.list_of(places.len())?, reader.list_of(places.len())?);
        let changed = reader.groups::<2>()?;
        if changed.iter().any(|&[k, _]| k as usize >= places.len()) {
            return Err(reader.damaged());
        }
        for (k, number) in raster.border(tile).enumerate() {
            self.distances.toward[number] = toward[k];
            self.distances.away[number] = away[k];
        }
        for &[k, beyond] in changed {
            let at = places[k as usize];
            let mut told = Vec::with_capacity(3);
            for (direction, (down, along)) in OFFSETS.into_iter().enumerate() {
                let over = beyond_of(tile, at, (down, along)).filter(|_| beyond >> direction & 1 == 1);
                let Some(other) = over.and_then(|over| raster.beside(tile, over)) else { continue };
                if !told.contains(&other.index) {
                    told.push(other.index);
                    self.add(other.index, tile.place(at));
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, tile: usize, cell: (u32, u32)) {
        match &mut self.due[tile] {
            Due::All => {}
            Due::Beside(cells) => cells.push(cell),
            due => *due = Due::Beside(vec![cell]),
        }
    }
}

/// In which direction the tile lies to which a step from a cell leads; none if it stays.
fn beyond_of(tile: crate::cut::Tile, at: usize, (down, along): (isize, isize)) -> Option<usize> {
    let (row, col) = ((at / tile.stride()) as isize + down, (at % tile.stride()) as isize + along);
    let side = |at: isize, count: usize| isize::from(at > count as isize) - isize::from(at < 1);
    let over = (side(row, tile.rows), side(col, tile.cols));
    OFFSETS.iter().position(|&offset| offset == over)
}
