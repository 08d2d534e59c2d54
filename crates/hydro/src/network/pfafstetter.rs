//! Pfafstetter's codes: nested basins named by digits, so that the code says what lies upstream of what.
//!
//! A basin's *stem* is its main stem from the mouth up. Of the tributaries that join it the four with the greatest areas are
//! 2, 4, 6, 8 from the mouth up; the *interbasins* between them, the stem's own cells and what else drains to them, are 1, 3,
//! 5, 7, and the headwater above the last is 9 (Verdin & Verdin 1999). Each part is divided again in the same way: a
//! tributary along its own main stem, an interbasin along its piece of the stem.
//!
//! - Fewer than four tributaries: the digits go on to 2n + 1, the headwater's.
//! - A part without tributaries is not divided; its further digits are 0.
//! - A junction belongs to the part below it, as to the reach below it. Where two of the four join at one cell, the smaller
//!   gets the lower digit, and the interbasin between them is empty.
//! - Equal areas: the tributary that joins farther down is the larger; at one cell, that of the lower address.
//!
//! Scheme: for each stem that is divided, a list of its tributaries in the order in which they join. A part is a piece of
//! that list, so that dividing it costs the length of the piece; its code is written at its lowest cell only, and a last pass
//! takes it up from there. So each stem is walked once, each tributary looked at once for each digit, and no part of the map
//! is scanned again.

use super::basins::spread_up;
use super::{NOWHERE, Nodes, Stems};
use crate::Flow;
use crate::stencil::{Stencil, assert_shape};
use grid::{Cell, Field, Grid};
use std::ops::Range;

/// The most digits that a code can have.
pub const PFAFSTETTER_DIGITS: u32 = 9;

/// Tributaries that get a number of their own.
const NUMBERED: usize = 4;

/// Pfafstetter's code (Verdin & Verdin 1999) of each cell within the basin of its river's mouth, as a decimal number of so
/// many digits (1 to [`PFAFSTETTER_DIGITS`]); 0 in basins without tributaries and where the water meets no stream.
///
/// Codes are counted in each basin for itself; [`watersheds`](super::watersheds) of the mouths says which basin it is.
/// Tributaries and stems are stream cells only, with their `area_m2`; `stems` of the same streams and areas. Cost: linear, plus
/// digits times tributaries; 5 bytes a cell and 24 for each tributary of the stems in hand.
///
/// # Panics
/// If the number of digits is out of range.
pub fn pfafstetter(
    grid: &impl Grid,
    flow: &Flow,
    stems: &Stems,
    (area_m2, is_stream): (&Field<f64>, &Field<bool>),
    digits: u32,
) -> Field<u32> {
    assert!((1..=PFAFSTETTER_DIGITS).contains(&digits), "{digits} digits; 1 to {PFAFSTETTER_DIGITS} fit");
    assert_shape(grid, area_m2, "the area");
    let nodes = Nodes::of(grid, flow, is_stream);
    let mut coder = Coder {
        grid,
        flow,
        nodes: &nodes,
        stencil: Stencil::new(grid.shape()),
        stems,
        area_m2,
        is_stream,
        digits,
        tributaries: Vec::new(),
        codes: Field::filled(grid.shape(), NOWHERE),
    };
    for mouth in nodes.mouths() {
        coder.divide_basin(mouth, Code::default());
    }
    let mut codes = spread_up(flow, coder.codes);
    codes.as_mut_slice().iter_mut().filter(|c| **c == NOWHERE).for_each(|c| *c = 0);
    codes
}

/// The first digits of a code.
#[derive(Clone, Copy, Default)]
struct Code {
    value: u32,
    digits: u32,
}

impl Code {
    fn then(self, digit: u32) -> Self {
        Self { value: self.value * 10 + digit, digits: self.digits + 1 }
    }
}

#[derive(Clone, Copy)]
struct Tributary {
    /// The stem's cells below the junction: where along the stem it joins.
    place: u32,
    /// Its lowest cell.
    cell: Cell,
    /// The stem's next cell above the junction.
    stem_above: Cell,
    area_m2: f64,
}

struct Coder<'a, G> {
    grid: &'a G,
    flow: &'a Flow,
    nodes: &'a Nodes<'a>,
    stencil: Stencil,
    stems: &'a Stems,
    area_m2: &'a Field<f64>,
    is_stream: &'a Field<bool>,
    digits: u32,
    /// Of the stems in hand, those of the innermost last; along a stem in the order in which they join from the mouth up, at
    /// one cell the larger after the smaller.
    tributaries: Vec<Tributary>,
    /// At the lowest cell of each part.
    codes: Field<u32>,
}

impl<G: Grid> Coder<'_, G> {
    /// Divides all that drains to a cell.
    fn divide_basin(&mut self, mouth: Cell, code: Code) {
        if code.digits == self.digits {
            self.codes[mouth] = code.value;
            return;
        }
        let first = self.tributaries.len();
        self.list_tributaries(mouth);
        self.divide(mouth, first..self.tributaries.len(), code);
        self.tributaries.truncate(first);
    }

    /// Divides a piece of a stem: its lowest cell, and its tributaries in the list of those in hand.
    ///
    /// Goes up the stem, so that the code of an empty interbasin is written over by the part that is there.
    fn divide(&mut self, bottom: Cell, piece: Range<usize>, code: Code) {
        if code.digits == self.digits || piece.is_empty() {
            self.codes[bottom] = code.value * 10u32.pow(self.digits - code.digits);
            return;
        }
        let (numbered, count) = self.largest(piece.clone());
        let numbered = &numbered[..count];
        self.divide(bottom, piece.start..numbered[0], code.then(1));
        let ends = numbered[1..].iter().copied().chain([piece.end]);
        for ((&index, end), digit) in numbered.iter().zip(ends).zip((2..).step_by(2)) {
            let tributary = self.tributaries[index];
            self.divide_basin(tributary.cell, code.then(digit));
            self.divide(tributary.stem_above, index + 1..end, code.then(digit + 1));
        }
    }

    /// Appends the tributaries of the main stem above a mouth.
    fn list_tributaries(&mut self, mouth: Cell) {
        let (mut cell, mut place) = (mouth, 0);
        while let Some(stem_above) = self.stems.above(cell) {
            if self.nodes.inflows(cell) > 1 {
                self.list_junction(cell, stem_above, place);
            }
            (cell, place) = (stem_above, place + 1);
        }
    }

    fn list_junction(&mut self, junction: Cell, stem_above: Cell, place: u32) {
        let first = self.tributaries.len();
        let (flow, area_m2, is_stream) = (self.flow, self.area_m2, self.is_stream);
        let list = &mut self.tributaries;
        self.stencil.visit(self.grid, u8::MAX, junction, |_, _, n| {
            if n != stem_above && is_stream[n] && flow.target(n) == Some(junction) {
                list.push(Tributary { place, cell: n, stem_above, area_m2: area_m2[n] });
            }
        });
        let smaller_first =
            |a: &Tributary, b: &Tributary| a.area_m2.total_cmp(&b.area_m2).then(b.cell.cmp(&a.cell));
        self.tributaries[first..].sort_unstable_by(smaller_first);
    }

    /// The largest tributaries of a piece, in the order of the list, and how many.
    fn largest(&self, piece: Range<usize>) -> ([usize; NUMBERED], usize) {
        let is_larger = |a: usize, b: usize| {
            let (one, other) = (&self.tributaries[a], &self.tributaries[b]);
            let areas = one.area_m2.total_cmp(&other.area_m2);
            // farther down first; at one cell the larger, of equal ones the lower address, is later in the list
            areas.then(other.place.cmp(&one.place)).then(a.cmp(&b)).is_gt()
        };
        let (mut largest, mut count) = ([0; NUMBERED], 0);
        for index in piece {
            let rank = largest[..count].partition_point(|&other| is_larger(other, index));
            if rank < NUMBERED {
                count = (count + 1).min(NUMBERED);
                largest[rank..count].rotate_right(1);
                largest[rank] = index;
            }
        }
        largest[..count].sort_unstable();
        (largest, count)
    }
}
