//! Long exports: regions that no memory holds.
//!
//! A sample does not depend on the window that it is asked in, so a region is refined in squares of
//! [`formats::stream::BLOCK`] samples, in any order and at any time. What is made goes into a file beside the first output,
//! `OUTPUT.part`, which says by itself what is in it ([`formats::part`]); when nothing is missing, the outputs are written
//! from it, put into their places, and it is removed. Whatever ends the program before, `--resume` goes on from there.

use super::outputs::{Outputs, Product};
use super::place::Place;
use super::{notes, refined_by};
use crate::args;
use crate::memory;
use crate::output::{Session, advance, misuse};
use anyhow::{Context, Result};
use archive::{ENGINE, WorldView};
use export::frame::frame;
use formats::blocks::{self, Blocks};
use formats::part::{Begun, Making, PartError, PartFile};
use formats::stream::{BLOCK, Frame, Rect};
use region::{Cache, Request, RequestError, Sampled, Window, refine};
use std::path::{Path, PathBuf};
use world::CellSource;

/// Regions with no more samples are made at once.
const SHORT: u64 = 4_000_000;
/// More are refused: what a file says of its tiles is kept in memory, and no disk holds them.
const MOST: u64 = 1 << 38;
/// Drainage that blocks share, in bytes.
const DRAINAGE: u64 = 64 << 20;

/// Whether a region is made in blocks: it is large, or to be continued, and all outputs can be written so.
pub fn is_long(args: &args::Region, outputs: &Outputs, place: &Place) -> Result<bool> {
    if args.resume && !outputs.stream() {
        return Err(misuse(
            "--resume: only .tif, .zarr, .r32, .r16 and .pmtiles files are written piece by piece; pictures, \
             heightmaps, meshes and vector layers are made at once: ask for them by themselves",
        ));
    }
    let Window { width, height, .. } = place.window;
    let samples = (width as u64).saturating_mul(height as u64);
    // what was begun in blocks is not begun anew by another way
    let begun = || outputs.rasters.first().is_some_and(|(path, ..)| beside(path).exists());
    Ok(args.resume || (outputs.stream() && (samples > SHORT || begun())))
}

/// Makes a region block by block.
pub fn export(
    args: &args::Region,
    outputs: &Outputs,
    (view, place, range): (&WorldView, &Place, Option<(f64, f64)>),
    session: Session,
) -> Result<()> {
    let export = Export::new(args, outputs, (view, place, range))?;
    let first = &outputs.rasters[0].0;
    let blocks = export.frame.blocks();
    let mut part = open(first, args, (&export.making(args)?, blocks.len()))?;
    let there = (0..blocks.len()).filter(|&n| part.has(n as u64)).count();
    session.say(&format!(
        "{}: {} x {} samples in {} blocks{}; --resume goes on after an interruption",
        first.display(),
        export.frame.width,
        export.frame.height,
        blocks.len(),
        if there > 0 { format!(", of which {there} are there") } else { String::new() }
    ));
    export.refine(&mut part, &blocks, session)?;
    for (path, product, layers) in &outputs.rasters {
        export.write((path, *product, layers), &part, session)?;
    }
    Ok(part.remove()?)
}

/// Opens the unfinished part of an export that is made in so many pieces.
pub fn open(output: &Path, args: &args::Region, (making, pieces): (&Making, usize)) -> Result<PartFile> {
    let begun = if args.resume { Begun::Continue } else { Begun::Refuse };
    PartFile::open(&beside(output), making, pieces as u64, begun).map_err(|e| match e {
        PartError::Disk(error) => error.into(),
        refused => misuse(refused.to_string()),
    })
}

/// Where unfinished work is kept.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// A window in words.
fn columns_and_rows(Window { west, north, width, height }: &Window) -> String {
    format!("{width} columns from {west} on and {height} rows from {north} down")
}

/// What files say of some layers of a place, and where it lies.
fn of_layers((view, place): (&WorldView, &Place), layers: &[Sampled]) -> Frame {
    let frame = frame(&place.lattice, &place.window, layers);
    Frame { georeference: export::placed(view, frame.georeference), ..frame }
}

/// A region to be made in blocks.
struct Export<'a> {
    view: &'a WorldView,
    place: &'a Place,
    request: Request,
    frame: Frame,
    /// What integers are to stand for, if that is given.
    range: Option<(f64, f64)>,
}

impl<'a> Export<'a> {
    fn new(
        args: &args::Region,
        outputs: &Outputs,
        (view, place, range): (&'a WorldView, &'a Place, Option<(f64, f64)>),
    ) -> Result<Self> {
        let request = Request::of_any_size(
            place.lattice.clone(),
            place.window,
            outputs.layers(),
            refined_by(args.method),
        )
        .map_err(|e| misuse(e.to_string()))?
        .with_texture(!args.no_texture)
        .with_cache(&Cache::new(DRAINAGE));
        if request.samples() > MOST {
            return Err(misuse(request.too_large(MOST).to_string()));
        }
        let frame = of_layers((view, place), &request.layers);
        frame.check().map_err(|e| misuse(e.to_string()))?;
        let export = Self { view, place, request, frame, range };
        let limit = memory::limit(args.memory)?;
        let largest = Rect {
            column: 0,
            row: 0,
            width: BLOCK.min(export.frame.width),
            height: BLOCK.min(export.frame.height),
        };
        // a block is packed beside its samples
        let packing = 4 * export.request.layers.len() as u64;
        export
            .of_block(largest)
            .check_memory(view.grid(), packing, limit)
            .map_err(|e| misuse(format!("--max-memory {}: {e}", args.memory)))?;
        Ok(export)
    }

    /// What part files are known by.
    fn making(&self, args: &args::Region) -> Result<Making> {
        let layers: Vec<&str> = self.request.layers.iter().map(|l| l.name()).collect();
        let mut making = vec![
            ("software".to_string(), ENGINE.to_string()),
            ("revision".to_string(), region::REVISION.to_string()),
            ("world".to_string(), self.view.file.digest().to_string()),
            ("lattice".to_string(), self.place.lattice.to_string()),
            ("window".to_string(), columns_and_rows(&self.place.window)),
            ("layers".to_string(), layers.join(",")),
            ("method".to_string(), format!("{:?}", self.request.method)),
            ("texture".to_string(), self.request.texture.to_string()),
            ("block".to_string(), BLOCK.to_string()),
        ];
        if let Some(path) = &args.polygon {
            let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
            making.push(("polygon".to_string(), formats::part::mark(&bytes)));
        }
        Ok(making)
    }

    /// The samples of a block alone.
    fn of_block(&self, at: Rect) -> Request {
        let Window { west, north, .. } = self.place.window;
        let (west, north) = (west + at.column as i64, north - at.row as i64);
        let window = Window { west, north, width: at.width, height: at.height };
        Request { window, ..self.request.clone() }
    }

    /// Refines all blocks that are not there yet.
    fn refine(&self, part: &mut PartFile, blocks: &[Rect], session: Session) -> Result<()> {
        let bar = session.bar("refining");
        for (number, &at) in blocks.iter().enumerate() {
            let share = |of_block: f64| (number as f64 + of_block) / blocks.len() as f64;
            if !part.has(number as u64) {
                let bands = self.block(at, &|done| advance(&bar, share(done)))?;
                blocks::append(part, number, &bands)?;
            }
            advance(&bar, share(1.0));
        }
        bar.finish_and_clear();
        Ok(())
    }

    /// All layers of a block.
    fn block(&self, at: Rect, progress: &(dyn Fn(f64) + Sync)) -> Result<Vec<Vec<f32>>> {
        let mut request = self.of_block(at);
        if let Some(area) = &self.place.area {
            request = match request.within(area) {
                Ok(request) => request,
                Err(RequestError::Outside { .. }) => {
                    return Ok(vec![vec![f32::NAN; at.width * at.height]; self.frame.bands.len()]);
                }
                Err(other) => return Err(misuse(other.to_string())),
            };
        }
        let region = refine(self.view, &request, progress)?;
        Ok(region.into_layers().into_iter().map(|(_, values)| values).collect())
    }

    /// Writes an output from blocks that are all there.
    fn write(
        &self,
        (path, product, layers): (&Path, Product, &[Sampled]),
        part: &PartFile,
        session: Session,
    ) -> Result<()> {
        let kept = &self.request.layers;
        let numbers = layers.iter().map(|layer| {
            kept.iter().position(|l| l == layer).context("a block has the layers that were asked for")
        });
        let numbers = numbers.collect::<Result<Vec<usize>>>()?;
        let frame = of_layers((self.view, self.place), layers);
        let source = Blocks::new(part, frame, numbers, kept.len());
        let notes = notes(self.view, self.place);
        let bar = session.bar("writing");
        let progress = |share: f64| advance(&bar, share);
        match product {
            Product::GeoTiff => formats::geotiff::write_cog(path, &source, &notes, &progress)?,
            Product::Raw32 => formats::raw::stream_r32(path, &source, &notes, &progress)?,
            Product::Raw16 => formats::raw::stream_r16(path, &source, self.range, &notes, &progress)?,
            Product::Zarr => formats::zarr::write(path, &source, &notes, &progress)?,
            Product::Picture(_)
            | Product::Mesh(_)
            | Product::Print(_)
            | Product::Heightmap
            | Product::WebTiles => {}
        }
        bar.finish_and_clear();
        session.say(&format!("{}: {} x {} samples", path.display(), self.frame.width, self.frame.height));
        Ok(())
    }
}
