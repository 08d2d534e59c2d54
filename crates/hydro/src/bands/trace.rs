//! A band's part of the results, with what comes in from the others: sums, basins, and pieces of streams.
//!
//! A *piece* of a stream begins at a head or a junction, or where a stream comes into the band with no other; it ends
//! at the next junction, at the band's end or where the water ends. Its way is kept as one direction for each step.

use super::network::{NOTHING, Piece};
use super::strips::address;
use super::{Basin, Rows};
use crate::cut::areas::Areas;
use crate::cut::catchments::{UNSET, spread_labels};
use crate::cut::codes::{NO_DATA, handed_out, plain};
use crate::cut::gather::Inside;
use crate::cut::joints::{Joints, Load, Numbering};
use crate::cut::{Tile, without_ring};
use grid::Cell;

/// A band's part of the results.
pub(super) struct Traced {
    pub directions: Vec<u8>,
    pub accumulation: Vec<u32>,
    pub basins: Vec<u32>,
    pub pieces: Vec<Piece>,
    /// Directions of the steps of all pieces, one after another.
    pub steps: Vec<u8>,
    pub roots: Vec<Basin>,
    pub stream_cells: u64,
    pub greatest: u32,
}

impl Traced {
    /// What goes out at once.
    pub fn rows(&self) -> [Rows<'_>; 3] {
        [Rows::Direction(&self.directions), Rows::Accumulation(&self.accumulation), Rows::Basin(&self.basins)]
    }
}

/// The places that water comes to from beside the band, each once.
pub(super) fn entries(strip: Tile, codes: &[u8]) -> Vec<usize> {
    let mut entries: Vec<usize> = inward(strip, codes).map(|(_, to)| to).collect();
    entries.sort_unstable();
    entries.dedup();
    entries
}

/// The steps of water into a band: from which place beside it, to which of its own.
fn inward(strip: Tile, codes: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let rows = [0, strip.rows + 1].map(|row| row * strip.stride() + 1);
    let beside = rows.into_iter().flat_map(move |from| from..from + strip.cols);
    let step = move |at: usize| {
        let offset = *strip.offsets().get(usize::from(plain(codes[at])))?;
        Some((at, at.wrapping_add_signed(offset)))
    };
    beside.filter_map(step).filter(move |&(_, to)| strip.holds(to))
}

/// What all bands have in common.
pub(super) struct Tracer<'a> {
    pub joints: &'a Joints,
    /// Number of roots in the bands before each.
    pub roots: &'a [u32],
    pub areas: &'a Areas,
    pub numbering: Numbering,
    /// From how much on there is a stream.
    pub least: Load,
}

impl Tracer<'_> {
    /// Traces a band; `codes` and the filled `surface` with their ring.
    pub fn trace(&self, strip: Tile, codes: Vec<u8>, surface: &[f32]) -> Traced {
        let incoming = self.incoming(strip, &codes);
        let inside = Inside::new(strip, codes);
        let sums = self.sums(strip, &inside, &incoming);
        let roots = inside.roots();
        let basin = |(rank, &at): (usize, &u32)| {
            let cells = sums.load(at as usize);
            let root = Cell(address(strip, at as usize));
            (
                at,
                self.roots[strip.index] + rank as u32 + 1,
                Basin { root, cells: cells.cells, area_m2: self.areas.of_load_m2(cells) },
            )
        };
        let roots: Vec<(u32, u32, Basin)> = roots.iter().enumerate().map(basin).collect();
        let basins = self.basins(strip, &inside, &roots);
        let band = Band { tracer: self, strip, inside: &inside, sums: &sums, basins: &basins, surface };
        let inflows = band.stream_inflows(&incoming);
        let (pieces, steps, stream_cells) = band.pieces(&inflows);
        let greatest = roots.iter().map(|r| r.2.cells).max().unwrap_or(0);
        let mut accumulation = without_ring(strip, sums.cells);
        let mut directions = without_ring(strip, inside.directions);
        for (sum, direction) in accumulation.iter_mut().zip(&mut directions) {
            *sum = if *direction == NO_DATA { 0 } else { *sum };
            *direction = handed_out(*direction);
        }
        Traced {
            directions,
            accumulation,
            basins: without_ring(strip, basins),
            pieces,
            steps,
            roots: roots.into_iter().map(|r| r.2).collect(),
            stream_cells,
            greatest,
        }
    }

    /// The places that water comes to from beside the band, and how much by each way.
    fn incoming(&self, strip: Tile, codes: &[u8]) -> Vec<(usize, Load)> {
        inward(strip, codes).map(|(from, to)| (to, self.joints.sum(self.numbering.of(strip, from)))).collect()
    }

    fn sums(&self, strip: Tile, inside: &Inside, incoming: &[(usize, Load)]) -> Sums {
        let mut cells = vec![1; strip.padded_len()];
        incoming.iter().for_each(|&(at, load)| cells[at] += load.cells);
        let quanta = self.areas.weights(strip).map(|mut quanta| {
            incoming.iter().for_each(|&(at, load)| quanta[at] += load.quanta);
            inside.gather(quanta)
        });
        Sums { cells: inside.gather(cells), quanta }
    }

    /// The basin of each cell.
    fn basins(&self, strip: Tile, inside: &Inside, roots: &[(u32, u32, Basin)]) -> Vec<u32> {
        let label = |&direction: &u8| if direction < 8 { UNSET } else { 0 };
        let mut basins: Vec<u32> = inside.directions.iter().map(label).collect();
        roots.iter().for_each(|&(at, number, _)| basins[at as usize] = number);
        for at in strip.border() {
            if let Some(beyond) = inside.below(at).filter(|&below| !strip.holds(below)) {
                basins[beyond] = self.joints.basin(self.numbering.of(strip, beyond));
            }
        }
        spread_labels(strip, &inside.directions, &mut basins);
        basins
    }
}

/// What passes each cell of a band with its ring.
struct Sums {
    cells: Vec<u32>,
    quanta: Option<Vec<u64>>,
}

impl Sums {
    fn load(&self, at: usize) -> Load {
        Load { cells: self.cells[at], quanta: self.quanta.as_ref().map_or(0, |q| q[at]) }
    }
}

/// Of a cell's number of inflows from streams: one of them comes from beside the band.
const FROM_BESIDE: u8 = 1 << 7;

/// A band while its streams are followed.
struct Band<'a> {
    tracer: &'a Tracer<'a>,
    strip: Tile,
    inside: &'a Inside,
    sums: &'a Sums,
    basins: &'a [u32],
    surface: &'a [f32],
}

impl Band<'_> {
    fn is_stream(&self, load: Load) -> bool {
        load.cells >= self.tracer.least.cells && load.quanta >= self.tracer.least.quanta
    }

    /// All stream cells of the band, by address.
    fn streams(&self) -> impl Iterator<Item = usize> {
        let strip = self.strip;
        let rows = (0..strip.rows).flat_map(move |row| strip.row(row)..strip.row(row) + strip.cols);
        rows.filter(|&at| self.is_stream(self.sums.load(at)) && self.inside.directions[at] != NO_DATA)
    }

    /// Number of streams that come into each cell, and [`FROM_BESIDE`].
    fn stream_inflows(&self, incoming: &[(usize, Load)]) -> Vec<u8> {
        let mut inflows = vec![0; self.strip.padded_len()];
        for at in self.streams() {
            if let Some(below) = self.inside.below(at) {
                inflows[below] += 1;
            }
        }
        for &(at, _) in incoming.iter().filter(|(_, load)| self.is_stream(*load)) {
            inflows[at] = (inflows[at] + 1) | FROM_BESIDE;
        }
        inflows
    }

    fn pieces(&self, inflows: &[u8]) -> (Vec<Piece>, Vec<u8>, u64) {
        let (mut pieces, mut steps, mut cells) = (Vec::new(), Vec::new(), 0);
        for at in self.streams() {
            cells += 1;
            if inflows[at] != 1 {
                pieces.push(self.piece(at, inflows, &mut steps));
            }
        }
        (pieces, steps, cells)
    }

    fn piece(&self, first: usize, inflows: &[u8], steps: &mut Vec<u8>) -> Piece {
        let steps_from = steps.len() as u64;
        let (mut last, mut to) = (first, NOTHING);
        while let Some(below) = self.inside.below(last) {
            steps.push(self.inside.directions[last]);
            if !self.strip.holds(below) || inflows[below] != 1 {
                to = address(self.strip, below);
                break;
            }
            last = below;
        }
        Piece {
            first: address(self.strip, first),
            inflows: inflows[first] & !FROM_BESIDE,
            steps_from,
            last: address(self.strip, last),
            to,
            load: self.sums.load(last),
            first_m: self.surface[first],
            last_m: self.surface[last],
            basin: self.basins[last],
        }
    }
}
