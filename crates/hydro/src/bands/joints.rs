//! Flow across the joints between bands (Barnes 2017): what comes into each band from the others.
//!
//! Of a band only its first and its last row matter to the others. A cell of them is an *exit* if its water leaves the
//! band there, and an *entry* if water comes in there. From each entry the way leads to an exit of the band or ends in
//! it. So `sum(exit) = own sum of the band + sum of inflow(entry)` over the entries that lead to it, and
//! `inflow(entry) = sum of sum(exit)` over the exits of other bands that lead to it: a forest, solved from its heads.

use super::areas::Areas;
use super::codes::plain;
use super::gather::Inside;
use super::strip::{Strip, Strips};

/// No exit, no entry.
const NOWHERE: u32 = u32::MAX;

/// Numbers of the cells in the first and the last rows of all bands.
#[derive(Clone, Copy)]
pub(super) struct Numbering {
    cols: usize,
    /// 1 if a band north of another has a last row that is not its first.
    last: usize,
}

impl Numbering {
    pub fn new(strips: &Strips) -> Self {
        Self { cols: strips.cols as usize, last: usize::from(strips.get(0).rows > 1) }
    }

    /// Of a place in the first or the last row of a band, or in the rows beside it.
    pub fn of(self, strip: Strip, at: usize) -> u32 {
        let (row, col) = (at / strip.stride(), at % strip.stride() - 1);
        let (band, side) = match row {
            0 => (strip.index - 1, self.last),
            1 => (strip.index, 0),
            row if row > strip.rows => (strip.index + 1, 0),
            _ => (strip.index, 1),
        };
        ((2 * band + side) * self.cols + col) as u32
    }
}

/// What passes a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Load {
    pub cells: u32,
    /// Area in quanta; 0 where all cells have the same area.
    pub quanta: u64,
}

impl std::ops::AddAssign for Load {
    fn add_assign(&mut self, other: Self) {
        self.cells += other.cells;
        self.quanta += other.quanta;
    }
}

/// What a band tells of its first and its last row.
pub(super) struct Told {
    /// Exits: number, that of the entry beyond, and what the band itself sends.
    exits: Vec<(u32, u32, Load)>,
    /// Entries: number, that of the exit or [`NOWHERE`], and else the rank of the root among those of the band.
    entries: Vec<(u32, u32, u32)>,
    roots: u32,
}

/// Looks at a band on its own; `codes` with their ring.
pub(super) fn tell(strip: Strip, codes: Vec<u8>, areas: &Areas, numbering: Numbering) -> Told {
    let mut entries: Vec<usize> = inward(strip, &codes).map(|(_, to)| to).collect();
    entries.sort_unstable();
    entries.dedup();
    let inside = Inside::new(strip, codes);
    let roots = inside.roots();
    let mut known = vec![0; strip.padded_len()];
    let entries = entries
        .into_iter()
        .map(|entry| {
            let end = end(&inside, &mut known, entry);
            let number = numbering.of(strip, entry);
            match inside.below(end) {
                Some(_) => (number, numbering.of(strip, end), 0),
                None => (number, NOWHERE, roots.partition_point(|&root| (root as usize) < end) as u32),
            }
        })
        .collect();
    drop(known);
    let cells = inside.gather(vec![1u32; strip.padded_len()]);
    let quanta = areas.weights(strip).map(|weights| inside.gather(weights));
    let mut exits = Vec::new();
    for at in ends(strip) {
        if let Some(below) = inside.below(at).filter(|&below| !strip.holds(below)) {
            let load = Load { cells: cells[at], quanta: quanta.as_ref().map_or(0, |q| q[at]) };
            exits.push((numbering.of(strip, at), numbering.of(strip, below), load));
        }
    }
    Told { exits, entries, roots: roots.len() as u32 }
}

/// The steps of water into a band: from which place beside it, to which of its own.
pub(super) fn inward(strip: Strip, codes: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let rows = [0, strip.rows + 1].map(|row| row * strip.stride() + 1);
    let beside = rows.into_iter().flat_map(move |from| from..from + strip.cols);
    let step = move |at: usize| {
        let offset = *strip.offsets().get(usize::from(plain(codes[at])))?;
        Some((at, at.wrapping_add_signed(offset)))
    };
    beside.filter_map(step).filter(move |&(_, to)| strip.holds(to))
}

/// The places of the first and of the last row of a band, each once.
pub(super) fn ends(strip: Strip) -> impl Iterator<Item = usize> {
    let last = (strip.rows > 1).then(|| strip.row(strip.rows - 1));
    std::iter::once(strip.row(0)).chain(last).flat_map(move |from| from..from + strip.cols)
}

/// The last cell of the band on the way from a place; `known` remembers it, plus 1, along all ways gone.
fn end(inside: &Inside, known: &mut [u32], from: usize) -> usize {
    let (mut at, mut steps) = (from, 0);
    let end = loop {
        assert!(steps < known.len(), "directions lead in no circle");
        steps += 1;
        if known[at] != 0 {
            break known[at] as usize - 1;
        }
        match inside.below(at) {
            Some(below) if inside.holds(below) => at = below,
            _ => break at,
        }
    };
    let mut at = from;
    while known[at] == 0 {
        known[at] = end as u32 + 1;
        match inside.below(at) {
            Some(below) if inside.holds(below) => at = below,
            _ => break,
        }
    }
    end
}

/// What is known of the cells of all first and last rows, by their numbers.
pub(super) struct Joints {
    /// The exit that an entry leads to.
    exit: Vec<u32>,
    /// The entry that an exit leads to.
    entry: Vec<u32>,
    /// Of exits all that leaves there.
    sums: Loads,
    /// Of entries all that comes in.
    inflows: Loads,
    /// Of entries the basin, 0 until it is known.
    basin: Vec<u32>,
    /// Number of roots in the bands before each, and of all.
    roots: Vec<u32>,
}

/// Loads, without room for what is always 0.
struct Loads {
    cells: Vec<u32>,
    quanta: Vec<u64>,
}

impl Loads {
    fn new(count: usize, areas: &Areas) -> Self {
        Self { cells: vec![0; count], quanta: vec![0; if areas.are_equal() { 0 } else { count }] }
    }

    fn get(&self, number: u32) -> Load {
        let quanta = self.quanta.get(number as usize).copied().unwrap_or(0);
        Load { cells: self.cells[number as usize], quanta }
    }

    fn add(&mut self, number: u32, load: Load) {
        self.cells[number as usize] += load.cells;
        if let Some(quanta) = self.quanta.get_mut(number as usize) {
            *quanta += load.quanta;
        }
    }
}

impl Joints {
    pub fn new(strips: &Strips, areas: &Areas) -> Self {
        let count = 2 * strips.len() * strips.cols as usize;
        Self {
            exit: vec![NOWHERE; count],
            entry: vec![NOWHERE; count],
            sums: Loads::new(count, areas),
            inflows: Loads::new(count, areas),
            basin: vec![0; count],
            roots: vec![0],
        }
    }

    /// Takes what the next band to the south has told.
    pub fn take(&mut self, told: Told) {
        let roots = self.roots.last().copied().unwrap_or(0);
        for (number, entry, load) in told.exits {
            self.entry[number as usize] = entry;
            self.sums.add(number, load);
        }
        for (number, exit, rank) in told.entries {
            self.exit[number as usize] = exit;
            if exit == NOWHERE {
                self.basin[number as usize] = roots + rank + 1;
            }
        }
        self.roots.push(roots + told.roots);
    }

    /// Finds what comes into each band, and to which basin it belongs.
    pub fn solve(&mut self) {
        self.sum_up();
        self.follow_down();
    }

    fn sum_up(&mut self) {
        let count = self.exit.len();
        // An entry waits for its exits beyond, at most three; an exit for its entries.
        let mut awaited_by_entry = vec![0u8; count];
        let mut awaited_by_exit = vec![0u32; count];
        for &entry in self.entry.iter().filter(|&&e| e != NOWHERE) {
            awaited_by_entry[entry as usize] += 1;
        }
        for &exit in self.exit.iter().filter(|&&e| e != NOWHERE) {
            awaited_by_exit[exit as usize] += 1;
        }
        const DONE: u32 = u32::MAX;
        for head in 0..count as u32 {
            let mut at = head;
            while self.entry[at as usize] != NOWHERE && awaited_by_exit[at as usize] == 0 {
                awaited_by_exit[at as usize] = DONE;
                let entry = self.entry[at as usize];
                self.inflows.add(entry, self.sums.get(at));
                awaited_by_entry[entry as usize] -= 1;
                let exit = self.exit[entry as usize];
                if awaited_by_entry[entry as usize] > 0 || exit == NOWHERE {
                    break;
                }
                self.sums.add(exit, self.inflows.get(entry));
                awaited_by_exit[exit as usize] -= 1;
                at = exit;
            }
        }
    }

    fn follow_down(&mut self) {
        let mut path = Vec::new();
        for first in (0..self.exit.len() as u32).filter(|&n| self.exit[n as usize] != NOWHERE) {
            let mut entry = first;
            while self.basin[entry as usize] == 0 {
                assert!(path.len() < self.exit.len(), "water crosses joints in no circle");
                path.push(entry);
                entry = self.entry[self.exit[entry as usize] as usize];
            }
            for passed in path.drain(..) {
                self.basin[passed as usize] = self.basin[entry as usize];
            }
        }
    }

    /// All that leaves at an exit.
    pub fn sum(&self, number: u32) -> Load {
        self.sums.get(number)
    }

    /// The basin that an entry belongs to.
    pub fn basin(&self, number: u32) -> u32 {
        self.basin[number as usize]
    }

    /// Number of roots in the bands before this one.
    pub fn roots_before(&self, band: usize) -> u32 {
        self.roots[band]
    }
}
