//! What flows from tile to tile (Barnes 2017), and the numbers of all basins.

use super::message::{Kind, Reader, Writer, join};
use super::{Error, Message, Raster};
use crate::cut::Tile;
use crate::cut::areas::MOST_QUANTA;
use crate::cut::joints::{Joints, Load, NOWHERE, Told};

/// What the tiles have told of their exits and entries; when solved, what comes into each.
pub struct Sums {
    told: Vec<Option<Settled>>,
    joints: Option<Joints<u64>>,
    /// Of each tile and each of its rows: the number of the first basin that ends there.
    first: Vec<Vec<u64>>,
    basins: u64,
    /// Area told of so far, in quanta.
    quanta: u64,
}

/// What a tile has told.
struct Settled {
    told: Told,
    /// Basins that end in each row.
    by_row: Vec<u32>,
}

pub(super) fn told(tile: Tile, told: &Told) -> Message {
    let mut by_row = vec![0; tile.rows];
    for &root in &told.roots {
        by_row[root as usize / tile.stride() - 1] += 1;
    }
    let exit = |&(at, to, load): &(u32, u32, Load)| {
        [at, to, load.cells, load.quanta as u32, (load.quanta >> 32) as u32]
    };
    Writer::new(Kind::Settled, tile.index)
        .list(told.exits.iter().flat_map(exit))
        .list(told.entries.iter().flat_map(|&(at, exit, rank)| [at, exit, rank]))
        .list(by_row)
        .finish()
}

impl Sums {
    /// Nothing told yet.
    pub fn new(raster: &Raster) -> Self {
        let told = (0..raster.tiles()).map(|_| None).collect();
        Self { told, joints: None, first: Vec::new(), basins: 0, quanta: 0 }
    }

    /// Takes what [`Raster::settle`] has told of a tile, in any order.
    ///
    /// # Errors
    /// A message that is not of that tile and stage.
    pub fn take(&mut self, raster: &Raster, tile: usize, message: &Message) -> Result<(), Error> {
        let tile = raster.tile(tile)?;
        let mut reader = Reader::new(message, Kind::Settled, tile.index)?;
        let (exits, entries) = (reader.groups::<5>()?, reader.groups::<3>()?);
        let by_row = reader.list_of(tile.rows)?.to_vec();
        let roots = by_row.iter().map(|&n| u64::from(n)).sum::<u64>();
        let per_tile = raster.numbering().per_tile();
        let is_own = |number: u32| number as usize / per_tile == tile.index;
        let is_sound = roots <= (tile.rows * tile.cols) as u64
            && exits.iter().all(|e| is_own(e[0]) && !is_own(e[1]) && (e[1] as usize) < raster.numbers())
            && entries.iter().all(|e| {
                is_own(e[0]) && if e[1] == NOWHERE { u64::from(e[2]) < roots } else { is_own(e[1]) }
            });
        // No cell is told of twice.
        let quanta = exits.iter().try_fold(self.quanta, |sum, e| sum.checked_add(join(e[3], e[4])));
        let quanta = quanta.filter(|&sum| sum < MOST_QUANTA && self.told[tile.index].is_none());
        let (true, Some(quanta)) = (is_sound, quanta) else { return Err(reader.damaged()) };
        self.quanta = quanta;
        let exit = |e: &[u32; 5]| (e[0], e[1], Load { cells: e[2], quanta: join(e[3], e[4]) });
        let told = Told {
            exits: exits.iter().map(exit).collect(),
            entries: entries.iter().map(|e| (e[0], e[1], e[2])).collect(),
            roots: Vec::new(),
        };
        self.told[tile.index] = Some(Settled { told, by_row });
        Ok(())
    }

    /// Numbers the basins, and finds what comes into each tile.
    ///
    /// # Errors
    /// When a tile has told nothing, or directions lead in a circle.
    pub fn solve(&mut self, raster: &Raster) -> Result<(), Error> {
        if let Some(tile) = self.told.iter().position(Option::is_none) {
            return Err(Error::Missing { tile });
        }
        let told: Vec<Settled> = std::mem::take(&mut self.told).into_iter().flatten().collect();
        self.number(raster, &told);
        let mut joints = Joints::new(raster.numbers(), &raster.areas);
        for (settled, first) in told.iter().zip(&self.first) {
            let mut ends = Vec::with_capacity(settled.by_row.len());
            let mut count = 0;
            for &n in &settled.by_row {
                count += n;
                ends.push(count);
            }
            joints.take(&settled.told, |rank| {
                let row = ends.partition_point(|&end| end <= rank);
                first[row] + u64::from(rank - (ends[row] - settled.by_row[row]))
            });
        }
        drop(told);
        if !joints.solve() {
            return Err(Error::Circle);
        }
        self.joints = Some(joints);
        Ok(())
    }

    /// Numbers the basins from 1 by the cells where they end, row by row over the whole raster.
    fn number(&mut self, raster: &Raster, told: &[Settled]) {
        let across = raster.across() as usize;
        let mut next = 1;
        for beside in told.chunks(across) {
            let rows = beside[0].by_row.len();
            let mut first: Vec<Vec<u64>> = beside.iter().map(|_| Vec::with_capacity(rows)).collect();
            for row in 0..rows {
                for (first, tile) in first.iter_mut().zip(beside) {
                    first.push(next);
                    next += u64::from(tile.by_row[row]);
                }
            }
            self.first.extend(first);
        }
        self.basins = next - 1;
    }

    /// Number of basins.
    pub fn basins(&self) -> u64 {
        self.basins
    }

    /// What [`Raster::sum`] must know.
    ///
    /// # Errors
    /// Before all is solved, and a number that no tile has.
    pub fn tell(&self, raster: &Raster, tile: usize) -> Result<Message, Error> {
        let tile = raster.tile(tile)?;
        let joints = self.joints.as_ref().ok_or(Error::Missing { tile: tile.index })?;
        let numbers = || raster.border(tile).map(|number| number as u32);
        Ok(Writer::new(Kind::Incoming, tile.index)
            .wide(numbers().map(|number| joints.inflow(number).cells))
            .wide(numbers().map(|number| joints.inflow(number).quanta))
            .wide(numbers().map(|number| joints.basin_beyond(number)))
            .wide(self.first[tile.index].iter().copied())
            .finish())
    }
}
