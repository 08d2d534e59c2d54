//! Directions over flats, band by band: which bands are due, and what is known of their first and last rows.

use super::strips::Strips;
use crate::cut::Tile;
use crate::cut::flats::{Change, Distances, Flat};

/// Which flats a visit is for.
#[derive(Clone, Debug, PartialEq)]
enum Due {
    /// None.
    Nothing,
    /// All of the band.
    All,
    /// Those that touch these cells beside the band: twice the column, plus 1 in the south.
    Beside(Vec<u32>),
}

/// What is known of each band, and what is to be done.
pub(super) struct Flats {
    /// Of the cells of [`Tile::border`] of each band.
    borders: Vec<Distances>,
    due: Vec<Due>,
    odd: bool,
}

impl Flats {
    /// Bands with a flat are due.
    pub fn new(flat_cells: &[u64], strips: &Strips) -> Self {
        let due = flat_cells.iter().map(|&n| if n > 0 { Due::All } else { Due::Nothing }).collect();
        let border = |band| Distances::far(strips.get(band).border().count());
        Self { borders: (0..flat_cells.len()).map(border).collect(), due, odd: true }
    }

    /// The bands to visit next, none of which lies beside another; empty at the end.
    pub fn next(&mut self) -> Vec<usize> {
        for _ in 0..2 {
            self.odd = !self.odd;
            let first = usize::from(self.odd);
            let due: Vec<usize> =
                (first..self.due.len()).step_by(2).filter(|&b| self.due[b] != Due::Nothing).collect();
            if !due.is_empty() {
                return due;
            }
        }
        Vec::new()
    }

    /// Number of bands that are due.
    pub fn due_count(&self) -> usize {
        self.due.iter().filter(|due| **due != Due::Nothing).count()
    }

    /// Finds distances and directions in a band. `z` and `codes` with their ring.
    pub fn visit(&self, strip: Tile, z: &[f32], codes: Vec<u8>) -> Visited {
        let mut flat = Flat::new(strip, z, codes, self.beside(strip));
        let cells = match &self.due[strip.index] {
            Due::Nothing => Vec::new(),
            Due::All => flat.list_all(),
            Due::Beside(cells) => {
                let south = (strip.rows + 1) * strip.stride();
                let place = |code: &u32| (code & 1) * south as u32 + 1 + (code >> 1);
                flat.list_beside(&cells.iter().map(place).collect::<Vec<u32>>())
            }
        };
        flat.measure(&cells);
        flat.direct(&cells);
        let (border, changed) = flat.border(&self.borders[strip.index]);
        Visited { codes: flat.into_codes(), border, changed }
    }

    /// What is known of the rows beside a band, in arrays with their ring.
    fn beside(&self, strip: Tile) -> Distances {
        let mut known = Distances::far(strip.padded_len());
        let mut copy = |band: usize, is_last: bool, row: usize| {
            let border = &self.borders[band];
            let from = if is_last { border.toward.len() - strip.cols } else { 0 };
            known.toward[row + 1..][..strip.cols].copy_from_slice(&border.toward[from..][..strip.cols]);
            known.away[row + 1..][..strip.cols].copy_from_slice(&border.away[from..][..strip.cols]);
        };
        if strip.above {
            copy(strip.index - 1, true, 0);
        }
        if strip.below {
            copy(strip.index + 1, false, (strip.rows + 1) * strip.stride());
        }
        known
    }

    /// Takes what a visit has found.
    pub fn take(&mut self, strip: Tile, border: Distances, changed: &[Change]) {
        self.borders[strip.index] = border;
        self.due[strip.index] = Due::Nothing;
        let cols = strip.cols as u32;
        for (k, beyond) in changed {
            if beyond & NORTH != 0 {
                self.add(strip.index - 1, 2 * (k % cols) + 1);
            }
            if beyond & SOUTH != 0 {
                self.add(strip.index + 1, 2 * (k % cols));
            }
        }
    }

    fn add(&mut self, band: usize, beside: u32) {
        match &mut self.due[band] {
            Due::All => {}
            Due::Beside(cells) => cells.push(beside),
            due => *due = Due::Beside(vec![beside]),
        }
    }
}

/// Bits of the directions to the row north of a cell, and to that south of it.
const NORTH: u8 = 1 << 7 | 1 << 0 | 1 << 1;
const SOUTH: u8 = 1 << 3 | 1 << 4 | 1 << 5;

/// What a visit has found.
pub(super) struct Visited {
    pub codes: Vec<u8>,
    pub border: Distances,
    /// What has changed and matters to the bands beyond.
    pub changed: Vec<Change>,
}
