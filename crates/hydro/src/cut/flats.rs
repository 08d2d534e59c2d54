//! Directions over flats (Garbrecht & Martz 1997; Barnes, Lehman & Mulla 2014), tile by tile.
//!
//! `toward(c)`: steps through its flat to the nearest drained cell of its level; `away(c)`: steps from higher ground, 0
//! where there is none; `mask = 2 toward - away`. A cell of a flat beside drained cells of its level goes to one of
//! them, any other to the neighbour in its flat of the lowest mask; of equal ones a side (N, E, S, W) before a diagonal,
//! then the first clockwise from north.
//!
//! Both distances are breadth first within a tile, begun also from the cells beside it at what is known there. A tile
//! whose neighbours' borders change in a way that matters to it is visited again. This ends and it is exact: a distance
//! is always the length of some path, so it is never too short; whole numbers only fall, so they fall finitely often;
//! and once no tile changes, each distance is one more than the least around it, which along a shortest path leaves no
//! room to be too long. In which order tiles are visited, and how many from the same knowledge, makes no difference.
//! What is kept between visits: both distances of the cells of [`Tile::border`].

use super::codes::{BESIDE, FLAT, in_flat, is_any_flat, is_flat};
use super::{Tile, without_ring};
use crate::flats::SIDES_FIRST;

/// Not reached.
pub(crate) const FAR: u32 = u32::MAX;

/// A cell on the list of those to be done.
const LISTED: u32 = FAR - 1;

/// Both distances of some cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Distances {
    pub toward: Vec<u32>,
    pub away: Vec<u32>,
}

impl Distances {
    /// Nothing known of so many cells.
    pub fn far(cells: usize) -> Self {
        Self { toward: vec![FAR; cells], away: vec![FAR; cells] }
    }
}

/// A cell of the border whose distances have changed: its number along [`Tile::border`], and a bit for each direction in
/// which its flat goes on beyond.
pub(crate) type Change = (u32, u8);

/// A tile during a visit; all arrays with their ring.
pub(crate) struct Flat<'a> {
    tile: Tile,
    z: &'a [f32],
    codes: Vec<u8>,
    known: Distances,
    offsets: [isize; 8],
}

/// Steps that a search is to begin with later: (distance, place), the nearest last.
type Later = Vec<(u32, u32)>;

impl<'a> Flat<'a> {
    /// A tile of which `known` holds what is known of the ring, and nothing else.
    pub fn new(tile: Tile, z: &'a [f32], mut codes: Vec<u8>, known: Distances) -> Self {
        for at in tile.ring() {
            codes[at] = if is_flat(codes[at]) { BESIDE } else { codes[at] };
        }
        Self { tile, z, codes, known, offsets: tile.offsets() }
    }

    fn around(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        self.offsets.into_iter().map(move |o| at.wrapping_add_signed(o))
    }

    /// Whether a neighbour belongs to the same flat, and to the tile.
    #[inline]
    fn is_same(&self, at: usize, other: usize) -> bool {
        is_flat(self.codes[other]) && self.z[other] == self.z[at]
    }

    /// The cells of all flats.
    pub fn list_all(&self) -> Vec<u32> {
        (0..self.codes.len()).filter(|&at| is_flat(self.codes[at])).map(|at| at as u32).collect()
    }

    /// The cells of the flats that touch these places of the ring.
    pub fn list_beside(&mut self, beside: &[u32]) -> Vec<u32> {
        let mut cells = Vec::new();
        for &at in beside {
            self.list_around(at as usize, &mut cells);
        }
        let mut next = 0;
        while let Some(&at) = cells.get(next) {
            self.list_around(at as usize, &mut cells);
            next += 1;
        }
        for &at in &cells {
            self.known.toward[at as usize] = FAR;
        }
        cells
    }

    fn list_around(&mut self, at: usize, cells: &mut Vec<u32>) {
        // Of a place in the ring some neighbours lie beyond the arrays, or, as rows follow each other, in the ring
        // on the other side.
        for n in self.around(at).filter(|&n| n < self.codes.len()) {
            if self.is_same(at, n) && self.known.toward[n] != LISTED {
                self.known.toward[n] = LISTED;
                cells.push(n as u32);
            }
        }
    }

    /// Both distances of the cells listed.
    pub fn measure(&mut self, cells: &[u32]) {
        let [mut toward, mut away] = [Vec::new(), Vec::new()];
        let [mut toward_later, mut away_later] = [Later::new(), Later::new()];
        for &cell in cells {
            let at = cell as usize;
            let (mut is_drained, mut is_below) = (false, false);
            let (mut from_toward, mut from_away) = (FAR, FAR);
            for n in self.around(at) {
                is_below |= self.z[n] > self.z[at];
                if self.z[n] == self.z[at] {
                    is_drained |= !is_any_flat(self.codes[n]);
                    if self.codes[n] == BESIDE {
                        from_toward = from_toward.min(self.known.toward[n]);
                        from_away = from_away.min(self.known.away[n]);
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
        let mut distance = std::mem::take(&mut self.known.toward);
        self.search(&mut distance, toward, toward_later);
        self.known.toward = distance;
        let mut distance = std::mem::take(&mut self.known.away);
        self.search(&mut distance, away, away_later);
        self.known.away = distance;
    }

    /// Breadth first from cells at distance 1, and from others at the distance that they have from beyond the tile.
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
                    if distance[n] == FAR && self.is_same(at as usize, n) {
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
    pub fn direct(&mut self, cells: &[u32]) {
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
            if !is_any_flat(self.codes[n]) {
                // Among drained ones the first; the mask of any flat cell beside is above this.
                if lowest != i64::MIN {
                    (best, lowest) = (Some(d), i64::MIN);
                }
            } else if self.known.toward[n] != FAR && self.mask(n) < lowest {
                (best, lowest) = (Some(d), self.mask(n));
            }
        }
        best
    }

    fn mask(&self, at: usize) -> i64 {
        let away = if self.known.away[at] == FAR { 0 } else { self.known.away[at] };
        2 * i64::from(self.known.toward[at]) - i64::from(away)
    }

    /// What is known of the cells of the border, `before` and now, and what of it has changed and matters beyond.
    pub fn border(&self, before: &Distances) -> (Distances, Vec<Change>) {
        let (mut now, mut changed) = (before.clone(), Vec::new());
        for (k, at) in self.tile.border().enumerate() {
            // Of flats that were not looked at nothing is known here; of others no more than before.
            let (toward, away) = (&mut now.toward[k], &mut now.away[k]);
            *toward = (*toward).min(self.known.toward[at]);
            *away = (*away).min(self.known.away[at]);
            if (*toward, *away) != (before.toward[k], before.away[k]) {
                let goes_on = |n: usize| self.codes[n] == BESIDE && self.z[n] == self.z[at];
                let beyond =
                    self.around(at).enumerate().fold(0, |mask, (d, n)| mask | u8::from(goes_on(n)) << d);
                changed.push((k as u32, beyond));
            }
        }
        changed.retain(|change| change.1 != 0);
        (now, changed)
    }

    /// The codes of the tile.
    pub fn into_codes(self) -> Vec<u8> {
        without_ring(self.tile, self.codes)
    }
}
