//! What spills where from tile to tile: the levels of all anchors (Barnes 2016).

use super::message::{Kind, Reader, Writer};
use super::{Error, Message, Raster};
use crate::cut::Tile;
use crate::cut::passes::{FREE, Gatherer, Pass, across, levels};
use crate::cut::spill::{OUT, Spilled};

/// The anchors of all tiles and the passes between them; when solved, their levels and the surface beside joints.
pub struct Spills {
    /// Of each tile what to add to the numbers of its anchors, from 1 on, and how many there are.
    anchors: Vec<Option<(u32, u32)>>,
    count: u32,
    passes: Vec<Pass>,
    /// Of cells beside joints, by their numbers: the anchor, and the elevation, later the level.
    anchor: Vec<u32>,
    surface: Vec<f32>,
    levels: Vec<f32>,
}

pub(super) fn told(tile: Tile, spilled: &Spilled) -> Message {
    Writer::new(Kind::Spilled, tile.index)
        .list([spilled.anchors])
        .list(spilled.passes.iter().flat_map(|p| [p.rank, p.a, p.b]))
        .list(spilled.border.iter().copied())
        .floats(spilled.border_z.iter().copied())
        .finish()
}

impl Spills {
    /// Nothing told yet.
    pub fn new(raster: &Raster) -> Self {
        Self {
            anchors: vec![None; raster.tiles()],
            count: 1,
            passes: Vec::new(),
            anchor: vec![FREE; raster.numbers()],
            surface: vec![f32::NAN; raster.numbers()],
            levels: Vec::new(),
        }
    }

    /// Takes what [`Raster::spill`] has told of a tile, in any order.
    ///
    /// # Errors
    /// A message that is not of that tile and stage.
    pub fn take(&mut self, raster: &Raster, tile: usize, message: &Message) -> Result<(), Error> {
        let tile = raster.tile(tile)?;
        let mut reader = Reader::new(message, Kind::Spilled, tile.index)?;
        let anchors = reader.list_of(1)?[0];
        let passes = reader.groups::<3>()?;
        let cells = tile.border().count();
        let (border, border_z) = (reader.list_of(cells)?, reader.floats_of(cells)?);
        let is_anchor = |a: u32| a < anchors;
        let is_sound = anchors as usize <= cells + 1
            && passes.iter().all(|p| is_anchor(p[1]) && is_anchor(p[2]))
            && border.iter().all(|&a| a == FREE || is_anchor(a));
        if !is_sound || self.anchors[tile.index].is_some() {
            return Err(reader.damaged());
        }
        let offset = self.count - 1;
        let shift = |anchor: u32| if anchor == OUT || anchor == FREE { anchor } else { anchor + offset };
        self.anchors[tile.index] = Some((offset, anchors));
        self.count += anchors - 1;
        self.passes.extend(passes.iter().map(|p| Pass { rank: p[0], a: shift(p[1]), b: shift(p[2]) }));
        for ((number, &anchor), z) in raster.border(tile).zip(border).zip(border_z) {
            self.anchor[number] = shift(anchor);
            self.surface[number] = z;
        }
        Ok(())
    }

    /// Finds the level of each anchor, and with it the filled surface of all cells beside joints.
    ///
    /// # Errors
    /// When a tile has told nothing.
    pub fn solve(&mut self, raster: &Raster) -> Result<(), Error> {
        if let Some(tile) = self.anchors.iter().position(Option::is_none) {
            return Err(Error::Missing { tile });
        }
        self.join(raster);
        self.levels = levels(&mut self.passes, self.count as usize);
        self.passes = Vec::new();
        for (z, &anchor) in self.surface.iter_mut().zip(&self.anchor) {
            let level = if anchor == FREE { f32::NEG_INFINITY } else { self.levels[anchor as usize] };
            *z = if level > *z { level } else { *z };
        }
        self.anchor = Vec::new();
        Ok(())
    }

    /// The passes across joints: along sides, and over corners where four tiles meet.
    fn join(&mut self, raster: &Raster) {
        let mut found = Gatherer::new(LEAST_PASSES);
        for tile in raster.all() {
            // East, south-east, south, south-west: each joint once.
            for direction in 2..6 {
                let Some(other) = raster.beside(tile, direction) else { continue };
                let one = self.line(raster, tile, &tile.facing(direction));
                let two = self.line(raster, other, &other.facing((direction + 4) % 8));
                across((&one.0, &one.1), (&two.0, &two.1), self.count as usize, &mut found);
            }
        }
        self.passes.extend(found.finish());
    }

    /// Anchors and elevation of some cells.
    fn line(&self, raster: &Raster, tile: Tile, places: &[usize]) -> (Vec<u32>, Vec<f32>) {
        let numbering = raster.numbering();
        let of = |&at: &usize| {
            let number = numbering.of(tile, at) as usize;
            (self.anchor[number], self.surface[number])
        };
        places.iter().map(of).unzip()
    }

    /// What [`Raster::descend`] must know of the others.
    ///
    /// # Errors
    /// Before all is solved, and a number that no tile has.
    pub fn tell(&self, raster: &Raster, tile: usize) -> Result<Message, Error> {
        let tile = raster.tile(tile)?;
        let missing = Error::Missing { tile: tile.index };
        let (offset, anchors) = self.anchors[tile.index].ok_or(missing.clone())?;
        let from = offset as usize + 1;
        let levels = self.levels.get(from..from + anchors as usize - 1).ok_or(missing)?;
        Ok(Writer::new(Kind::Level, tile.index)
            .floats(raster.ring(tile, &self.surface, f32::NAN))
            .floats(levels.iter().copied())
            .finish())
    }

    /// The filled surface of cells beside joints, by their numbers.
    pub(super) fn into_surface(self) -> Vec<f32> {
        self.surface
    }
}

/// Passes across joints that are kept before those that do not matter are dropped.
const LEAST_PASSES: usize = 1 << 20;
