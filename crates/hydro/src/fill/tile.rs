//! The basins of one tile, and their levels as far as the tile tells.
//!
//! A tile fits into a core's own cache, and its labels into 16 bits.

use super::Ground;
use super::graph::{OUTSIDE, Pass, contract};
use super::ring::{ALL_CROSS, Choice, NO, choices, crossings, pieces};
use crate::outlets::any_nan;
use grid::Direction;

/// Most rows of a tile.
pub(super) const ROWS: usize = 128;
/// Most columns of a tile; labels lie in rows of as many.
pub(super) const COLS: usize = 128;
const CELLS: usize = ROWS * COLS;

/// In the code of a saddle: it is an outlet.
const OUTLET: u16 = 1 << 12;

/// Where a tile lies.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Index of its first cell.
    pub first: usize,
    pub rows: usize,
    pub cols: usize,
}

/// What is known of a tile by itself.
pub(super) struct Tile {
    /// A label for each cell, in rows of [`COLS`]. 0 where the water runs to an outlet, and without data.
    pub labels: Vec<u16>,
    /// For each label, which of the tile's parts it belongs to. 0 is [`OUTSIDE`].
    pub part: Vec<u16>,
    /// For each label, the highest pass on the way to the root of its part.
    pub rise: Vec<f32>,
    /// Number of parts whose lowest pass may lie at the border of the tile; [`OUTSIDE`] included.
    pub parts: u32,
    /// The passes between parts within the tile.
    pub passes: Vec<Pass>,
}

/// Memory that serves for one tile after the other.
pub(super) struct Worker {
    choices: [Choice; 256],
    lower: [u8; COLS],
    /// For each label, the cell whose label it leads to: the cell itself if that is a pit.
    leads: Vec<u16>,
    /// Cells at which basins may touch, with their code for [`pieces`].
    saddles: Vec<(u16, u16)>,
}

impl Worker {
    pub(super) fn new() -> Self {
        Self {
            choices: choices(COLS as i16),
            lower: [0; COLS],
            leads: vec![0; CELLS + 1],
            saddles: vec![(0, 0); CELLS + 1],
        }
    }

    /// Labels the cells of a tile, and finds the levels of its basins as far as they do not depend on others.
    pub(super) fn tile(&mut self, ground: &Ground, place: Place) -> Tile {
        let mut labels = vec![0u16; CELLS];
        let (labels_used, saddles_used) = self.label(ground, place, &mut labels);
        let (basin, basins) = self.basins(&labels, labels_used);
        let mut passes = Vec::new();
        for &(cell, code) in &self.saddles[..saddles_used] {
            let at = usize::from(cell);
            let level = ground.z[place.first + at / COLS * ground.cols + at % COLS] + 0.0;
            touch(&labels, &basin, (at, code), level, &mut passes);
        }
        let caps = caps(ground, place, &labels, &basin, basins);
        let contracted = contract(&mut passes, caps);
        let mut tile = number_parts(&contracted.root, passes);
        tile.rise = basin.iter().map(|&b| contracted.rise[usize::from(b)]).collect();
        let part_of_root = std::mem::take(&mut tile.part);
        tile.part = basin.iter().map(|&b| part_of_root[contracted.root[usize::from(b)] as usize]).collect();
        tile.labels = labels;
        tile
    }

    /// Gives each cell the label of a lower neighbour before it, or a new one. Returns how many labels there are with
    /// 0, and how many saddles.
    fn label(&mut self, ground: &Ground, place: Place, labels: &mut [u16]) -> (usize, usize) {
        let (mut next, mut saddles) = (1, 0);
        for row in 0..place.rows {
            let start = place.first + row * ground.cols;
            let range = start..start + place.cols;
            let z = &ground.z[range.clone()];
            let up =
                if row > 0 { &ground.z[start - ground.cols..][..place.cols] } else { &NO_ROW[..place.cols] };
            let down = if row + 1 < place.rows {
                &ground.z[start + ground.cols..][..place.cols]
            } else {
                &NO_ROW[..place.cols]
            };
            lower_neighbors(up, z, down, &mut self.lower[..place.cols]);
            let is_plain = ground.links.is_none() && !any(&ground.outlets[range.clone()]) && !any_nan(z);
            if is_plain {
                (next, saddles) = self.label_plain_row(row * COLS, place.cols, labels, (next, saddles));
            } else {
                (next, saddles) =
                    self.label_row(ground, start, (row * COLS, place.cols), labels, (next, saddles));
            }
        }
        (next, saddles)
    }

    /// A row without outlets and gaps, where all neighbours are linked. No branches: none could be foretold.
    fn label_plain_row(
        &mut self,
        start: usize,
        cols: usize,
        labels: &mut [u16],
        (mut next, mut saddles): (usize, usize),
    ) -> (usize, usize) {
        for (at, &lower) in (start..).zip(&self.lower[..cols]) {
            let choice = self.choices[usize::from(lower)];
            let inherited = labels[at.wrapping_add_signed(isize::from(choice.before))];
            labels[at] = if choice.is_new == 1 { next as u16 } else { inherited };
            self.leads[next] = at.wrapping_add_signed(isize::from(choice.after)) as u16;
            next += usize::from(choice.is_new);
            self.saddles[saddles] = (at as u16, ALL_CROSS << 8 | u16::from(lower));
            saddles += usize::from(choice.is_saddle);
        }
        (next, saddles)
    }

    /// Any row.
    fn label_row(
        &mut self,
        ground: &Ground,
        first: usize,
        (start, cols): (usize, usize),
        labels: &mut [u16],
        (mut next, mut saddles): (usize, usize),
    ) -> (usize, usize) {
        for i in 0..cols {
            let (cell, at) = (first + i, start + i);
            let links = ground.links.map(|links| links[cell]);
            let lower = self.lower[i] & links.unwrap_or(u8::MAX);
            let code = links.map_or(ALL_CROSS, crossings) << 8 | u16::from(lower);
            if ground.outlets[cell] || ground.z[cell].is_nan() {
                self.saddles[saddles] = (at as u16, code | OUTLET);
                saddles += usize::from(lower != 0);
                continue;
            }
            let choice = self.choices[usize::from(lower)];
            labels[at] = labels[at.wrapping_add_signed(isize::from(choice.before))];
            if choice.is_new == 1 {
                labels[at] = next as u16;
                self.leads[next] = at.wrapping_add_signed(isize::from(choice.after)) as u16;
                next += 1;
            }
            self.saddles[saddles] = (at as u16, code);
            saddles += usize::from(pieces(code)[1] != NO);
        }
        (next, saddles)
    }

    /// The basin of each label: 0, then one for each pit by address. Returns their number too.
    fn basins(&self, labels: &[u16], count: usize) -> (Vec<u16>, usize) {
        let mut to: Vec<u16> = self.leads[..count].iter().map(|&cell| labels[usize::from(cell)]).collect();
        to[0] = 0;
        let mut basin = vec![0; count];
        let mut basins = 1;
        for (label, &to) in to.iter().enumerate().skip(1) {
            if usize::from(to) == label {
                basin[label] = basins;
                basins += 1;
            }
        }
        for label in 1..count {
            let mut at = label;
            while usize::from(to[at]) != at {
                to[at] = to[usize::from(to[at])];
                at = usize::from(to[at]);
            }
            basin[label] = basin[at];
        }
        (basin, usize::from(basins))
    }
}

const NO_ROW: [f32; COLS] = [f32::NAN; COLS];

fn any(flags: &[bool]) -> bool {
    flags.iter().fold(false, |any, &flag| any | flag)
}

/// The byte of lower neighbours of each cell of a row: of equal ones, those that come before it.
fn lower_neighbors(up: &[f32], here: &[f32], down: &[f32], lower: &mut [u8]) {
    let cols = here.len();
    let bit = |is_lower: bool, direction: Direction| u32::from(is_lower) << direction as u32;
    let at = |row: &[f32], i: Option<usize>| i.and_then(|i| row.get(i)).copied().unwrap_or(f32::NAN);
    let ends = [0, cols - 1];
    for i in ends {
        let (west, east, z) = (i.checked_sub(1), Some(i + 1), here[i]);
        let bits = bit(up[i] <= z, Direction::N)
            | bit(at(up, east) <= z, Direction::NE)
            | bit(at(here, east) < z, Direction::E)
            | bit(at(down, east) < z, Direction::SE)
            | bit(down[i] < z, Direction::S)
            | bit(at(down, west) < z, Direction::SW)
            | bit(at(here, west) <= z, Direction::W)
            | bit(at(up, west) <= z, Direction::NW);
        lower[i] = bits as u8;
    }
    if cols < 3 {
        return;
    }
    let inner = cols - 2;
    let (up, here, down, lower) = (&up[..cols], &here[..cols], &down[..cols], &mut lower[1..][..inner]);
    for i in 0..inner {
        let z = here[i + 1];
        let bits = bit(up[i + 1] <= z, Direction::N)
            | bit(up[i + 2] <= z, Direction::NE)
            | bit(here[i + 2] < z, Direction::E)
            | bit(down[i + 2] < z, Direction::SE)
            | bit(down[i + 1] < z, Direction::S)
            | bit(down[i] < z, Direction::SW)
            | bit(here[i] <= z, Direction::W)
            | bit(up[i] <= z, Direction::NW);
        lower[i] = bits as u8;
    }
}

/// The passes at a cell: between the pieces of its lower neighbours, and from an outlet to each of them.
fn touch(labels: &[u16], basin: &[u16], (at, code): (usize, u16), level: f32, passes: &mut Vec<Pass>) {
    let behind = |d: u8| {
        let (dr, dc) = Direction::from_index(d).offset();
        let cell = at.wrapping_add_signed(dr as isize * COLS as isize + dc as isize);
        u32::from(basin[usize::from(labels[cell])])
    };
    let pieces = pieces(code & (OUTLET - 1));
    let (a, others) =
        if code & OUTLET != 0 { (OUTSIDE, &pieces[..]) } else { (behind(pieces[0]), &pieces[1..]) };
    for b in others.iter().take_while(|&&d| d != NO).map(|&d| behind(d)).filter(|&b| b != a) {
        passes.push(Pass { a, b, level });
    }
}

/// For each basin, a level below which it has no pass out of the tile: that of its lowest cell at the tile's border.
fn caps(ground: &Ground, place: Place, labels: &[u16], basin: &[u16], basins: usize) -> Vec<f32> {
    let mut caps = vec![f32::INFINITY; basins];
    let mut lower = |row: usize, col: usize| {
        let cap = &mut caps[usize::from(basin[usize::from(labels[row * COLS + col])])];
        *cap = cap.min(ground.z[place.first + row * ground.cols + col]);
    };
    for col in 0..place.cols {
        lower(0, col);
        lower(place.rows - 1, col);
    }
    for row in 0..place.rows {
        lower(row, 0);
        lower(row, place.cols - 1);
    }
    caps
}

/// Numbers the roots. The parts are left by root.
fn number_parts(root: &[u32], mut passes: Vec<Pass>) -> Tile {
    let mut part = vec![0; root.len()];
    let mut parts = 1;
    for (node, &root) in root.iter().enumerate().skip(1) {
        if root as usize == node {
            part[node] = parts;
            parts += 1;
        }
    }
    for pass in &mut passes {
        pass.a = u32::from(part[pass.a as usize]);
        pass.b = u32::from(part[pass.b as usize]);
    }
    passes.shrink_to_fit();
    Tile { labels: Vec::new(), part, rise: Vec::new(), parts: u32::from(parts), passes }
}
