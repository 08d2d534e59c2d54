//! Flow across the joints between tiles (Barnes 2017): what comes into each tile from the others.
//!
//! Of a tile only the cells of [`Tile::border`] matter to the others. One of them is an *exit* if its water leaves the
//! tile there, and an *entry* if water comes in there. From each entry the way leads to an exit of the tile or ends in
//! it. So `sum(exit) = own sum of the tile + sum of inflow(entry)` over the entries that lead to it, and
//! `inflow(entry) = sum of sum(exit)` over the exits of other tiles that lead to it: a forest, solved from its heads.

use super::Tile;
use super::areas::Areas;
use super::gather::Inside;
use std::fmt::Debug;
use std::ops::AddAssign;

/// No exit, no entry.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Numbers of the cells beside joints, over all tiles: tile after tile, in each the first row, the last row, the first
/// column, the last column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbering {
    tile_rows: u32,
    tile_cols: u32,
    /// Tiles from west to east.
    across: u32,
    per_tile: u32,
}

impl Numbering {
    /// Of bands of so many rows.
    pub fn of_bands(rows: usize, cols: usize) -> Self {
        Self { tile_rows: rows as u32, tile_cols: cols as u32, across: 1, per_tile: 2 * cols as u32 }
    }

    /// Of tiles of so many rows and columns, so many of them from west to east.
    pub fn of_tiles(tile_rows: u32, tile_cols: u32, across: u32) -> Self {
        Self { tile_rows, tile_cols, across, per_tile: 2 * (tile_rows + tile_cols) }
    }

    /// Numbers of each tile.
    pub fn per_tile(self) -> usize {
        self.per_tile as usize
    }

    /// The number of a place beside a joint, in a tile or in its ring.
    pub fn of(self, tile: Tile, at: usize) -> u32 {
        let (row, col) = tile.place(at);
        let index = row / self.tile_rows * self.across + col / self.tile_cols;
        let (row, col) = (row % self.tile_rows, col % self.tile_cols);
        let side = if row == 0 {
            col
        } else if row == self.tile_rows - 1 {
            self.tile_cols + col
        } else if col == 0 {
            2 * self.tile_cols + row
        } else {
            2 * self.tile_cols + self.tile_rows + row
        };
        index * self.per_tile + side
    }
}

/// A number of cells.
pub(crate) trait Count: Copy + Default + Debug + PartialEq + From<u32> + AddAssign {
    fn to_f64(self) -> f64;
}

impl Count for u32 {
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Count for u64 {
    fn to_f64(self) -> f64 {
        self as f64
    }
}

/// What passes a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Load<C = u32> {
    pub cells: C,
    /// Area in quanta; 0 where all cells have the same area.
    pub quanta: u64,
}

impl<C: Count> AddAssign for Load<C> {
    fn add_assign(&mut self, other: Self) {
        self.cells += other.cells;
        self.quanta += other.quanta;
    }
}

/// What a tile tells of the cells of its border.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Told {
    /// Exits: number, that of the entry beyond, and what the tile itself sends.
    pub exits: Vec<(u32, u32, Load)>,
    /// Entries: number, that of the exit or [`NOWHERE`], and else the rank of the root among those of the tile.
    pub entries: Vec<(u32, u32, u32)>,
    /// Places where water ends in the tile.
    pub roots: Vec<u32>,
}

/// Looks at a tile on its own; `codes` with their ring. Of `entries`, places of its border, it says where
/// they lead. Nothing where directions lead in a circle.
pub(crate) fn tell(
    tile: Tile,
    entries: impl Iterator<Item = usize>,
    codes: Vec<u8>,
    areas: &Areas,
    numbering: Numbering,
) -> Option<Told> {
    let inside = Inside::new(tile, codes);
    let cells = inside.gather(vec![1u32; tile.padded_len()]);
    if inside.leaving(&cells) != (tile.rows * tile.cols) as u64 {
        return None;
    }
    let roots = inside.roots();
    let mut known = vec![0; tile.padded_len()];
    let entries = entries
        .map(|entry| {
            let end = end(&inside, &mut known, entry);
            let number = numbering.of(tile, entry);
            match inside.below(end) {
                Some(_) => (number, numbering.of(tile, end), 0),
                None => (number, NOWHERE, roots.partition_point(|&root| (root as usize) < end) as u32),
            }
        })
        .collect();
    drop(known);
    let quanta = areas.weights(tile).map(|weights| inside.gather(weights));
    let mut exits = Vec::new();
    for at in tile.border() {
        if let Some(below) = inside.below(at).filter(|&below| !tile.holds(below)) {
            let load = Load { cells: cells[at], quanta: quanta.as_ref().map_or(0, |q| q[at]) };
            exits.push((numbering.of(tile, at), numbering.of(tile, below), load));
        }
    }
    Some(Told { exits, entries, roots })
}

/// The last cell of the tile on the way from a place; `known` remembers it, plus 1, along all ways gone.
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

/// What is known of the cells beside joints, by their numbers.
pub(crate) struct Joints<C = u32> {
    /// The exit that an entry leads to.
    exit: Vec<u32>,
    /// The entry that an exit leads to.
    entry: Vec<u32>,
    /// Of exits all that leaves there.
    sums: Loads<C>,
    /// Of entries all that comes in.
    inflows: Loads<C>,
    /// Of entries the basin, 0 until it is known.
    basin: Vec<C>,
}

/// Loads, without room for what is always 0.
struct Loads<C> {
    cells: Vec<C>,
    quanta: Vec<u64>,
}

impl<C: Count> Loads<C> {
    fn new(count: usize, areas: &Areas) -> Self {
        Self { cells: vec![C::default(); count], quanta: vec![0; if areas.are_equal() { 0 } else { count }] }
    }

    fn get(&self, number: u32) -> Load<C> {
        let quanta = self.quanta.get(number as usize).copied().unwrap_or(0);
        Load { cells: self.cells[number as usize], quanta }
    }

    fn add(&mut self, number: u32, load: Load<C>) {
        self.cells[number as usize] += load.cells;
        if let Some(quanta) = self.quanta.get_mut(number as usize) {
            *quanta += load.quanta;
        }
    }
}

impl<C: Count> Joints<C> {
    /// Of so many cells beside joints.
    pub fn new(count: usize, areas: &Areas) -> Self {
        Self {
            exit: vec![NOWHERE; count],
            entry: vec![NOWHERE; count],
            sums: Loads::new(count, areas),
            inflows: Loads::new(count, areas),
            basin: vec![C::default(); count],
        }
    }

    /// Takes what a tile has told; `basin` numbers its roots by their rank.
    pub fn take(&mut self, told: &Told, basin: impl Fn(u32) -> C) {
        for &(number, entry, load) in &told.exits {
            self.entry[number as usize] = entry;
            self.sums.add(number, Load { cells: C::from(load.cells), quanta: load.quanta });
        }
        for &(number, exit, rank) in &told.entries {
            self.exit[number as usize] = exit;
            if exit == NOWHERE {
                self.basin[number as usize] = basin(rank);
            }
        }
    }

    /// Finds what comes into each tile, and to which basin it belongs; `false` if water crosses joints in a circle.
    #[must_use]
    pub fn solve(&mut self) -> bool {
        self.sum_up();
        self.follow_down()
    }

    fn sum_up(&mut self) {
        let count = self.exit.len();
        // An entry waits for its exits beyond, at most five; an exit for its entries, but for those that nothing comes to.
        let mut awaited_by_entry = vec![0u8; count];
        let mut awaited_by_exit = vec![0u32; count];
        for &entry in self.entry.iter().filter(|&&e| e != NOWHERE) {
            awaited_by_entry[entry as usize] += 1;
        }
        for (&exit, &awaited) in self.exit.iter().zip(&awaited_by_entry) {
            if exit != NOWHERE && awaited > 0 {
                awaited_by_exit[exit as usize] += 1;
            }
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

    fn follow_down(&mut self) -> bool {
        let mut path = Vec::new();
        for first in (0..self.exit.len() as u32).filter(|&n| self.exit[n as usize] != NOWHERE) {
            let mut entry = first;
            while self.basin[entry as usize] == C::default() {
                let exit = self.exit[entry as usize];
                if exit == NOWHERE || path.len() >= self.exit.len() {
                    return false;
                }
                path.push(entry);
                entry = self.entry[exit as usize];
                if entry == NOWHERE {
                    return false;
                }
            }
            for passed in path.drain(..) {
                self.basin[passed as usize] = self.basin[entry as usize];
            }
        }
        true
    }

    /// All that leaves at an exit.
    pub fn sum(&self, number: u32) -> Load<C> {
        self.sums.get(number)
    }

    /// All that comes in at an entry.
    pub fn inflow(&self, number: u32) -> Load<C> {
        self.inflows.get(number)
    }

    /// The basin that an entry belongs to.
    pub fn basin(&self, number: u32) -> C {
        self.basin[number as usize]
    }

    /// The basin that what leaves at a cell comes to, 0 if nothing does.
    pub fn basin_beyond(&self, number: u32) -> C {
        let entry = self.entry[number as usize];
        if entry == NOWHERE { C::default() } else { self.basin(entry) }
    }
}
