//! Directions over flats (Garbrecht & Martz 1997; Barnes, Lehman & Mulla 2014), band by band.
//!
//! `toward(c)`: steps through its flat to the nearest drained cell of its level; `away(c)`: steps from higher ground, 0
//! where there is none; `mask = 2 toward - away`. A cell of a flat beside drained cells of its level goes to one of
//! them, any other to the neighbour in its flat of the lowest mask; of equal ones a side (N, E, S, W) before a diagonal,
//! then the first clockwise from north.
//!
//! Both distances are breadth first within a band, begun also from the cells beside it at what is known there. A band
//! whose neighbours' rows change in a way that matters to it is visited again. This ends and it is exact: a distance
//! is always the length of some path, so it is never too short; whole numbers only fall, so they fall finitely often;
//! and once no band changes, each distance is one more than the least around it, which along a shortest path leaves no
//! room to be too long. What is kept between visits: both distances of the first and of the last row of each band.

use super::codes::{FLAT, in_flat, is_flat};
use super::strip::{Strip, without_ring};
use crate::flats::SIDES_FIRST;

/// Not reached.
const FAR: u32 = u32::MAX;

/// A cell on the list of those to be done.
const LISTED: u32 = FAR - 1;

/// Both distances of the cells of a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Distances {
    toward: Vec<u32>,
    away: Vec<u32>,
}

impl Distances {
    fn far(cols: usize) -> Self {
        Self { toward: vec![FAR; cols], away: vec![FAR; cols] }
    }
}

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
    /// Of the first and the last row of each band.
    borders: Vec<[Distances; 2]>,
    due: Vec<Due>,
    odd: bool,
}

impl Flats {
    /// Bands with a flat are due.
    pub fn new(flat_cells: &[u64], cols: usize) -> Self {
        let due = flat_cells.iter().map(|&n| if n > 0 { Due::All } else { Due::Nothing }).collect();
        let border = [Distances::far(cols), Distances::far(cols)];
        Self { borders: vec![border; flat_cells.len()], due, odd: true }
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
    pub fn visit(&self, strip: Strip, z: &[f32], codes: Vec<u8>) -> Visited {
        let stride = strip.stride();
        let mut flat = Flat {
            strip,
            z,
            codes,
            toward: vec![FAR; strip.padded_len()],
            away: vec![FAR; strip.padded_len()],
            offsets: strip.offsets(),
        };
        let beside = [
            (strip.above, strip.index.wrapping_sub(1), 1, 0),
            (strip.below, strip.index + 1, 0, (strip.rows + 1) * stride),
        ];
        for (_, band, side, row) in beside.into_iter().filter(|b| b.0) {
            let known = &self.borders[band][side];
            flat.toward[row + 1..row + 1 + strip.cols].copy_from_slice(&known.toward);
            flat.away[row + 1..row + 1 + strip.cols].copy_from_slice(&known.away);
        }
        let cells = flat.list(&self.due[strip.index]);
        flat.measure(&cells);
        flat.direct(&cells);
        let borders = [0, strip.rows - 1].map(|row| flat.border(row, &self.borders[strip.index], &cells));
        let changed = [0, 1].map(|side| flat.changes(side, &self.borders[strip.index][side], &borders[side]));
        Visited { codes: without_ring(strip, flat.codes), borders, changed }
    }

    /// Takes what a visit has found.
    pub fn take(&mut self, band: usize, borders: [Distances; 2], changed: [Vec<u32>; 2]) {
        self.borders[band] = borders;
        self.due[band] = Due::Nothing;
        let [north, south] = changed;
        if !north.is_empty() {
            self.add(band - 1, north.into_iter().map(|col| 2 * col + 1));
        }
        if !south.is_empty() {
            self.add(band + 1, south.into_iter().map(|col| 2 * col));
        }
    }

    fn add(&mut self, band: usize, beside: impl Iterator<Item = u32>) {
        match &mut self.due[band] {
            Due::All => {}
            Due::Beside(cells) => cells.extend(beside),
            due => *due = Due::Beside(beside.collect()),
        }
    }
}

/// What a visit has found.
pub(super) struct Visited {
    pub codes: Vec<u8>,
    pub borders: [Distances; 2],
    /// Columns of the first and of the last row whose change matters to the band beyond.
    pub changed: [Vec<u32>; 2],
}

/// A band during a visit; all arrays with their ring.
struct Flat<'a> {
    strip: Strip,
    z: &'a [f32],
    codes: Vec<u8>,
    toward: Vec<u32>,
    away: Vec<u32>,
    offsets: [isize; 8],
}

/// Steps that a search is to begin with later: (distance, place), the nearest last.
type Later = Vec<(u32, u32)>;

impl Flat<'_> {
    fn around(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        self.offsets.into_iter().map(move |o| at.wrapping_add_signed(o))
    }

    /// Whether two neighbours belong to one flat.
    #[inline]
    fn is_same(&self, at: usize, other: usize) -> bool {
        is_flat(self.codes[other]) && self.z[other] == self.z[at]
    }

    /// The cells of the flats that are due.
    fn list(&mut self, due: &Due) -> Vec<u32> {
        match due {
            Due::Nothing => Vec::new(),
            Due::All => {
                let inside = self.strip.stride()..(self.strip.rows + 1) * self.strip.stride();
                inside.filter(|&at| is_flat(self.codes[at])).map(|at| at as u32).collect()
            }
            Due::Beside(cells) => self.flats_beside(cells),
        }
    }

    /// All cells of the band in flats that touch one of these cells beside it.
    fn flats_beside(&mut self, beside: &[u32]) -> Vec<u32> {
        let mut cells = Vec::new();
        for &code in beside {
            let row = if code & 1 == 0 { 0 } else { self.strip.rows + 1 };
            self.list_around(row * self.strip.stride() + 1 + (code >> 1) as usize, &mut cells);
        }
        let mut next = 0;
        while let Some(&at) = cells.get(next) {
            self.list_around(at as usize, &mut cells);
            next += 1;
        }
        for &at in &cells {
            self.toward[at as usize] = FAR;
        }
        cells
    }

    fn list_around(&mut self, at: usize, cells: &mut Vec<u32>) {
        let row = at / self.strip.stride();
        for (d, n) in self.around(at).enumerate() {
            // From beyond the band only into it: farther out there is nothing.
            let leads_out =
                (row == 0 && [7, 0, 1].contains(&d)) || (row > self.strip.rows && (3..6).contains(&d));
            if !leads_out && self.strip.holds(n) && self.is_same(at, n) && self.toward[n] != LISTED {
                self.toward[n] = LISTED;
                cells.push(n as u32);
            }
        }
    }

    /// Both distances of the cells listed.
    fn measure(&mut self, cells: &[u32]) {
        let [mut toward, mut away] = [Vec::new(), Vec::new()];
        let [mut toward_later, mut away_later] = [Later::new(), Later::new()];
        for &cell in cells {
            let at = cell as usize;
            let (mut is_drained, mut is_below) = (false, false);
            let (mut from_toward, mut from_away) = (FAR, FAR);
            for n in self.around(at) {
                is_below |= self.z[n] > self.z[at];
                if self.z[n] == self.z[at] {
                    is_drained |= !is_flat(self.codes[n]);
                    if !self.strip.holds(n) && is_flat(self.codes[n]) {
                        from_toward = from_toward.min(self.toward[n]);
                        from_away = from_away.min(self.away[n]);
                    }
                }
            }
            for (is_first, from, first, later) in [
                (is_drained, from_toward, &mut toward, &mut toward_later),
                (is_below, from_away, &mut away, &mut away_later),
            ] {
                if is_first {
                    first.push(cell);
                } else if from != FAR {
                    later.push((from + 1, cell));
                }
            }
        }
        let mut distance = std::mem::take(&mut self.toward);
        self.search(&mut distance, toward, toward_later);
        self.toward = distance;
        let mut distance = std::mem::take(&mut self.away);
        self.search(&mut distance, away, away_later);
        self.away = distance;
    }

    /// Breadth first from cells at distance 1, and from others at the distance that they have from beyond the band.
    fn search(&self, distance: &mut [u32], mut front: Vec<u32>, mut later: Later) {
        later.sort_unstable_by(|a, b| b.cmp(a));
        let mut next = Vec::new();
        let mut steps = 1;
        for &at in &front {
            distance[at as usize] = steps;
        }
        loop {
            if front.is_empty() {
                let Some(&(nearest, _)) = later.last() else { break };
                steps = nearest;
            }
            while let Some((_, at)) = later.pop_if(|(nearest, _)| *nearest == steps) {
                if distance[at as usize] == FAR {
                    distance[at as usize] = steps;
                    front.push(at);
                }
            }
            steps += 1;
            for &at in &front {
                for n in self.around(at as usize) {
                    if distance[n] == FAR && self.is_same(at as usize, n) && self.strip.holds(n) {
                        distance[n] = steps;
                        next.push(n as u32);
                    }
                }
            }
            front.clear();
            std::mem::swap(&mut front, &mut next);
        }
    }

    /// Writes the directions of the cells listed.
    fn direct(&mut self, cells: &[u32]) {
        for &at in cells {
            self.codes[at as usize] = self.direction(at as usize).map_or(FLAT, in_flat);
        }
    }

    /// Where a cell of a flat goes; nowhere as long as nothing is known of its way out.
    fn direction(&self, at: usize) -> Option<u8> {
        let (mut best, mut lowest) = (None, i64::MAX);
        for d in SIDES_FIRST {
            let n = at.wrapping_add_signed(self.offsets[usize::from(d)]);
            if self.z[n] != self.z[at] {
                continue;
            }
            if !is_flat(self.codes[n]) {
                // Among drained ones the first; the mask of any flat cell beside is above this.
                if lowest != i64::MIN {
                    (best, lowest) = (Some(d), i64::MIN);
                }
            } else if self.toward[n] != FAR && self.mask(n) < lowest {
                (best, lowest) = (Some(d), self.mask(n));
            }
        }
        best
    }

    fn mask(&self, at: usize) -> i64 {
        let away = if self.away[at] == FAR { 0 } else { self.away[at] };
        2 * i64::from(self.toward[at]) - i64::from(away)
    }

    /// The distances of a row: new ones of the cells listed, what was known of the others.
    fn border(&self, row: usize, known: &[Distances; 2], cells: &[u32]) -> Distances {
        let from = self.strip.row(row);
        let places = from..from + self.strip.cols;
        let mut border = known[usize::from(row > 0)].clone();
        // In a band of one row both are the same cells.
        for &cell in cells.iter().filter(|&&cell| places.contains(&(cell as usize))) {
            let at = cell as usize;
            border.toward[at - from] = self.toward[at];
            border.away[at - from] = self.away[at];
        }
        border
    }

    /// The columns of the first (0) or the last row whose distances have changed and which lie beside a cell of their
    /// flat in the band beyond.
    fn changes(&self, side: usize, old: &Distances, new: &Distances) -> Vec<u32> {
        let (row, beyond) = if side == 0 { (0, [7, 0, 1]) } else { (self.strip.rows - 1, [3, 4, 5]) };
        let from = self.strip.row(row);
        let differs = |&col: &usize| old.toward[col] != new.toward[col] || old.away[col] != new.away[col];
        let matters = |&col: &usize| {
            let at = from + col;
            beyond.iter().any(|&d| self.is_same(at, at.wrapping_add_signed(self.offsets[d])))
        };
        (0..self.strip.cols).filter(differs).filter(matters).map(|col| col as u32).collect()
    }
}
