//! The heights that climbs look at, each found once.

use super::SummitError;
use crate::cache::Cache;
use crate::lattice::{Lattice, Window};
use crate::refine::refine;
use crate::request::{Method, Request, Sampled};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use world::CellSource;

/// Samples along a side of a block.
const SIDE: i64 = 32;
/// So many blocks are kept from one look to the next, at most: 16 MB.
const MOST_BLOCKS: usize = 4096;

/// A block of a lattice of metres: origin and distance between samples in bits, column and row.
type Key = ([u64; 3], i64, i64);
/// Heights of blocks, row by row from the north.
type Blocks = BTreeMap<Key, Vec<f32>>;

/// The ground of a world as windows of metres show it. Windows in which one goes up overlap, and so do ways to one summit: what
/// several ask for is found once.
pub struct Ground<'a, S> {
    pub source: &'a S,
    cache: &'a Cache,
    known: Blocks,
}

impl<'a, S: CellSource> Ground<'a, S> {
    pub fn new(source: &'a S, cache: &'a Cache) -> Self {
        Self { source, cache, known: Blocks::new() }
    }

    /// Finds what is not known yet of some windows, several windows at a time.
    ///
    /// # Errors
    /// A world that cannot be read; a window out of range.
    pub fn find(&mut self, windows: &[(Lattice, Window)]) -> Result<(), SummitError> {
        if self.known.len() > MOST_BLOCKS {
            self.known.clear();
        }
        let mut claimed: BTreeSet<Key> = BTreeSet::new();
        let mut pieces = Vec::with_capacity(windows.len());
        for (lattice, window) in windows {
            // what is out of range is refused as it is
            request(lattice, *window)?;
            let new =
                keys(lattice, window).filter(|key| !self.known.contains_key(key) && claimed.insert(*key));
            pieces.extend(Extent::around(new).map(|extent| (lattice, extent)));
        }
        let made: Result<Vec<Blocks>, SummitError> =
            pieces.par_iter().map(|(lattice, extent)| self.made(lattice, extent)).collect();
        made?.into_iter().for_each(|blocks| self.known.extend(blocks));
        Ok(())
    }

    /// The heights of a window that was found, row by row from the north; not a number off the world.
    pub fn heights(&self, lattice: &Lattice, window: &Window) -> Vec<f32> {
        let origin = origin(lattice);
        let mut heights = Vec::with_capacity(window.width * window.height);
        for y in (0..window.height as i64).map(|row| window.north - row) {
            let row = (SIDE - 1 - y.rem_euclid(SIDE)) * SIDE;
            for x in (0..window.width as i64).map(|column| window.west + column) {
                let block = self.known.get(&(origin, x.div_euclid(SIDE), y.div_euclid(SIDE)));
                heights.push(block.map_or(f32::NAN, |block| block[(row + x.rem_euclid(SIDE)) as usize]));
            }
        }
        heights
    }

    /// All blocks of an extent.
    fn made(&self, lattice: &Lattice, extent: &Extent) -> Result<Blocks, SummitError> {
        let &Extent { west, east, south, north } = extent;
        let (width, height) = ((east - west + 1) * SIDE, (north - south + 1) * SIDE);
        let window = Window {
            west: west * SIDE,
            north: (north + 1) * SIDE - 1,
            width: width as usize,
            height: height as usize,
        };
        let region = refine(self.source, &request(lattice, window)?.with_cache(self.cache), &|_| {})?;
        let heights = region.layer(Sampled::Elevation).unwrap_or_default();
        let block = |x: i64, y: i64| {
            let rows = (0..SIDE).map(|row| (((north - y) * SIDE + row) * width + (x - west) * SIDE) as usize);
            rows.flat_map(|from| heights[from..from + SIDE as usize].iter().copied()).collect()
        };
        let all = (south..=north).flat_map(|y| (west..=east).map(move |x| (x, y)));
        Ok(all.map(|(x, y)| ((origin(lattice), x, y), block(x, y))).collect())
    }
}

fn request(lattice: &Lattice, window: Window) -> Result<Request, SummitError> {
    Ok(Request::new(lattice.clone(), window, vec![Sampled::Elevation], Method::Drainage)?)
}

/// Some columns and rows of blocks, the last ones too.
struct Extent {
    west: i64,
    east: i64,
    south: i64,
    north: i64,
}

impl Extent {
    /// The least one that holds some blocks.
    fn around(blocks: impl Iterator<Item = Key>) -> Option<Self> {
        blocks.fold(None, |extent, (_, x, y)| {
            let Self { west, east, south, north } =
                extent.unwrap_or(Self { west: x, east: x, south: y, north: y });
            Some(Self { west: west.min(x), east: east.max(x), south: south.min(y), north: north.max(y) })
        })
    }
}

/// All blocks that a window touches.
fn keys(lattice: &Lattice, window: &Window) -> impl Iterator<Item = Key> {
    let origin = origin(lattice);
    let span =
        |first: i64, count: usize| first.div_euclid(SIDE)..=(first + count as i64 - 1).div_euclid(SIDE);
    let columns = span(window.west, window.width);
    let rows = span(window.north - (window.height as i64 - 1), window.height);
    rows.flat_map(move |y| columns.clone().map(move |x| (origin, x, y)))
}

/// What tells lattices of metres of one world apart.
fn origin(lattice: &Lattice) -> [u64; 3] {
    let place = match *lattice {
        Lattice::TransverseMercator { lon0_deg, lat0_deg, .. } => [lon0_deg, lat0_deg],
        _ => [0.0; 2],
    };
    [place[0].to_bits(), place[1].to_bits(), lattice.step().to_bits()]
}

#[cfg(test)]
mod tests {
    use super::super::tests::world;
    use super::*;
    use grid::Grid;

    /// Windows that overlap, over the border between lattices' blocks, show what they show alone.
    #[test]
    fn heights_are_those_of_the_window_alone() {
        let (cache, grid) = (Cache::new(16 << 20), &world().grid);
        let mut ground = Ground::new(world(), &cache);
        let inland = grid.cells().find(|&c| world().mountain_height_m[c] > 1500.0).expect("there are ranges");
        let place = grid::math::to_lon_lat(grid.center(inland));
        for (spacing_m, shift, side) in
            [(900.0, 0, 49), (900.0, 20, 49), (300.0, 0, 25), (900.0, -31, 33), (300.0, 5, 70)]
        {
            let lattice = Lattice::of_metres(grid, place, spacing_m);
            let (x, y) = lattice.project(place.0, place.1);
            let number = |v: f64| (v / spacing_m).round() as i64;
            let window =
                Window { west: number(x) + shift, north: number(y) - shift, width: side, height: side };
            let request = Request::new(lattice.clone(), window, vec![Sampled::Elevation], Method::Drainage);
            let alone = refine(world(), &request.expect("small"), &|_| {}).expect("in memory");
            ground.find(&[(lattice.clone(), window)]).expect("in memory");
            let found = ground.heights(&lattice, &window);
            assert_eq!(found, alone.layer(Sampled::Elevation).expect("asked for"), "{spacing_m} {shift}");
        }
    }
}
