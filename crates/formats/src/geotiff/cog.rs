//! Cloud-optimized GeoTIFFs: readers fetch what they show, and nothing else.
//!
//! All lists of tags come first, then the overviews from the smallest, then the raster itself. So a reader knows after one
//! short request where every tile lies. What is where is known only when all is packed: the beginning is left free, for its
//! length depends on the number of tiles alone, and written last.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use rayon::prelude::*;

use super::directory::{TagList, Values};
use super::head::{List, head};
use super::pyramid::{Level, Pyramid};
use super::tags::Tag;
use super::tiles::{Blocks, SIDE, deflated, predicted};
use super::{CLASSIC_LIMIT_BYTES, Notes, describe, describe_image, tiles_at};
use crate::stream::{Frame, Rect, Source};
use crate::write::folder_of;
use crate::{Cause, Error, atomic};

/// Tiles of overviews that are packed between two writes.
const TOGETHER: usize = 64;

/// What reading for the overviews takes of the whole time.
const READING: f64 = 0.25;

/// Writes a raster of `f32` as a cloud-optimized GeoTIFF, with notes (names and values of the file as a whole).
///
/// Tiles of 256 x 256 samples, deflated with predictor 3, bands apart; overviews down to one tile where a side has at least
/// 512 samples. `progress` is told the share that is done. The source is read twice, block by block; memory: some blocks and
/// tiles, and 12 bytes a tile. Beside the file there is an unnamed one of a third of the unpacked raster while it is made.
///
/// # Errors
/// [`Error::Raster`] for a frame that makes no sense, [`Error::Write`] for the rest.
pub fn write_cog(
    path: &Path,
    source: &dyn Source,
    meta: &[(String, String)],
    progress: &dyn Fn(f64),
) -> Result<(), Error> {
    source.frame().check().map_err(|error| Error::Raster { path: path.into(), error })?;
    atomic(path, |out| {
        let reading = |share: f64| progress(READING * share);
        let pyramid = Pyramid::build(source, &folder_of(path), &reading)?;
        let frame = source.frame();
        let mut file = Cog::begin(out, frame, pyramid, meta)?;
        file.overviews()?;
        file.raster(source, &|share| progress(READING + (1.0 - READING) * share))?;
        file.finish()
    })
}

/// A file that is being written.
struct Cog<'a, W> {
    out: W,
    at: u64,
    big: bool,
    frame: &'a Frame,
    meta: &'a [(String, String)],
    pyramid: Pyramid,
    /// Where tiles are: of the raster, then of each overview from the largest.
    tiles: Vec<Blocks>,
}

impl<'a, W: Write + Seek> Cog<'a, W> {
    /// Leaves room for the lists of tags.
    fn begin(
        out: W,
        frame: &'a Frame,
        pyramid: Pyramid,
        meta: &'a [(String, String)],
    ) -> Result<Self, Cause> {
        let sizes: Vec<(usize, usize)> = std::iter::once((frame.width, frame.height))
            .chain(pyramid.levels.iter().map(|l| (l.width, l.height)))
            .collect();
        let tiles = sizes.iter().map(|&(width, height)| {
            let count = width.div_ceil(SIDE) * height.div_ceil(SIDE) * frame.bands.len();
            Blocks { offsets: vec![0; count], lengths: vec![0; count] }
        });
        // overviews are a third of the raster
        let big = frame.bytes().saturating_add(frame.bytes() / 3) >= CLASSIC_LIMIT_BYTES;
        let mut cog = Self { out, at: 0, big, frame, meta, pyramid, tiles: tiles.collect() };
        let room = vec![0; cog.head()?.len()];
        cog.append(&room)?;
        Ok(cog)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<u64, Cause> {
        let place = self.at;
        self.out.write_all(bytes)?;
        self.at += bytes.len() as u64;
        Ok(place)
    }

    /// Writes packed tiles and notes where they are.
    fn put(&mut self, picture: usize, numbers: &[usize], packed: &[Vec<u8>]) -> Result<(), Cause> {
        for (&number, bytes) in numbers.iter().zip(packed) {
            let place = self.append(bytes)?;
            let tiles = &mut self.tiles[picture];
            tiles.offsets[number] = place;
            tiles.lengths[number] = u32::try_from(bytes.len())?;
        }
        Ok(())
    }

    /// All overviews from the smallest.
    fn overviews(&mut self) -> Result<(), Cause> {
        for number in (0..self.pyramid.levels.len()).rev() {
            let level = self.pyramid.levels[number];
            let per_band = level.across() * level.down();
            let all: Vec<usize> = (0..per_band * self.frame.bands.len()).collect();
            for some in all.chunks(TOGETHER) {
                let mut read = Vec::with_capacity(some.len());
                for &tile in some {
                    let at = (tile % per_band % level.across(), tile % per_band / level.across());
                    read.push((at, self.pyramid.tile(number, tile / per_band, at)?));
                }
                let packed: Result<Vec<_>, _> =
                    read.par_iter().map(|(at, tile)| deflated(&inner(tile, &level, *at))).collect();
                self.put(number + 1, some, &packed?)?;
            }
        }
        Ok(())
    }

    /// The raster itself, block by block.
    fn raster(&mut self, source: &dyn Source, progress: &dyn Fn(f64)) -> Result<(), Cause> {
        let (across, down) = (self.frame.width.div_ceil(SIDE), self.frame.height.div_ceil(SIDE));
        let blocks = self.frame.blocks();
        let bands = self.frame.bands.len();
        for band in 0..bands {
            for (done, &at) in blocks.iter().enumerate() {
                let values = source.read(band, at)?;
                let places: Vec<(usize, usize)> = (0..at.height.div_ceil(SIDE))
                    .flat_map(|y| (0..at.width.div_ceil(SIDE)).map(move |x| (x, y)))
                    .collect();
                let packed: Result<Vec<_>, _> =
                    places.par_iter().map(|&(x, y)| deflated(&cut(&values, at, (x, y)))).collect();
                let numbers: Vec<usize> = places
                    .iter()
                    .map(|(x, y)| (band * down + at.row / SIDE + y) * across + at.column / SIDE + x)
                    .collect();
                self.put(0, &numbers, &packed?)?;
                progress((band * blocks.len() + done + 1) as f64 / (blocks.len() * bands) as f64);
            }
        }
        Ok(())
    }

    /// The lists of tags as they are known by now.
    fn head(&self) -> Result<Vec<u8>, Cause> {
        let bands: Vec<_> = self.frame.bands.iter().map(|b| (b.name.as_str(), b.unit.as_str())).collect();
        let mut about = Notes {
            width: self.frame.width,
            height: self.frame.height,
            georeference: &self.frame.georeference,
            bands: &bands,
            meta: self.meta,
            nodata: self.pyramid.has_gaps.then(|| "nan".into()),
        };
        let mut first = List::new(self.big);
        describe::<f32>(&mut first, &self.tiles[0], &about)?;
        let mut lists = vec![first];
        for (level, tiles) in self.pyramid.levels.iter().zip(&self.tiles[1..]) {
            (about.width, about.height) = (level.width, level.height);
            let mut list = List::new(self.big);
            const SMALLER: u32 = 1;
            list.tag(Tag::NewSubfileType, &Values::Longs(&[SMALLER]))?;
            describe_image::<f32>(&mut list, &about)?;
            tiles_at(&mut list, tiles)?;
            if let Some(mark) = &about.nodata {
                list.tag(Tag::GdalNodata, &Values::Text(mark))?;
            }
            lists.push(list);
        }
        Ok(head(lists, self.big)?)
    }

    fn finish(mut self) -> Result<(), Cause> {
        let head = self.head()?;
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&head)?;
        self.out.seek(SeekFrom::End(0))?;
        Ok(())
    }
}

/// A tile of a block, by its column and row in it, after the predictor.
fn cut(values: &[f32], at: Rect, (x, y): (usize, usize)) -> Vec<u8> {
    let rows = y * SIDE..at.height.min((y + 1) * SIDE);
    predicted(&values[rows.start * at.width..rows.end * at.width], at.width, x * SIDE)
}

/// A tile of an overview after the predictor: what lies beyond the border goes on as the border does.
fn inner(tile: &[f32], level: &Level, (x, y): (usize, usize)) -> Vec<u8> {
    let (width, height) = (SIDE.min(level.width - x * SIDE), SIDE.min(level.height - y * SIDE));
    let rows: Vec<f32> = tile.chunks(SIDE).take(height).flat_map(|row| &row[..width]).copied().collect();
    predicted(&rows, width, 0)
}
