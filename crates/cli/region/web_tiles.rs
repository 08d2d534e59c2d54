//! Pyramids of web map tiles with heights, as one PMTiles file.
//!
//! Each zoom is refined at its own resolution, as the viewer does, in squares of 4 x 4 tiles; those that are made are kept
//! beside the output as those of other long exports are ([`super::long`]), for the file needs its tiles in an order of its own.

use super::long;
use super::outputs::{Outputs, Product};
use super::web_box::WebBox;
use super::{notes, refined_by};
use crate::args::{self, HeightEncoding};
use crate::output::{Session, advance, misuse};
use anyhow::{Context, Result};
use archive::{ENGINE, WorldView};
use formats::part::PartFile;
use formats::pmtiles::{self, Pyramid, TileId};
use formats::terrain_rgb::{Encoding, tile};
use grid::Topology;
use rayon::prelude::*;
use region::{Cache, Lattice, Request, Sampled, Window, refine};
use std::f64::consts::{PI, TAU};
use std::ops::RangeInclusive;
use std::path::Path;
use world::CellSource;

/// Samples along a side of a tile.
const PIXELS: usize = 256;
/// Tiles along a side of the squares that are refined at once.
const TOGETHER: u32 = 4;
/// Most tiles of a file: a list of more takes more than 150 MB of memory.
const MOST_TILES: u64 = 1 << 22;
/// Drainage that squares share, in bytes.
const DRAINAGE: u64 = 64 << 20;

/// Whether the outputs are such a file; if they are, nothing else can be asked for with it.
pub fn is_wanted(args: &args::Region, outputs: &Outputs) -> Result<bool> {
    let pyramids = outputs.rasters.iter().filter(|(_, product, _)| *product == Product::WebTiles).count();
    let alone = outputs.rasters.len() == 1 && outputs.vectors.is_empty();
    if pyramids > 0 && !alone {
        return Err(misuse("a .pmtiles file lies on a map of its own: ask for it by itself"));
    }
    if pyramids == 0 && (args.min_zoom.is_some() || args.max_zoom.is_some() || args.encoding.is_some()) {
        return Err(misuse("--min-zoom, --max-zoom and --encoding are for .pmtiles files"));
    }
    Ok(pyramids > 0)
}

/// Makes the file.
pub fn export(args: &args::Region, outputs: &Outputs, view: &WorldView, session: Session) -> Result<()> {
    let (path, _, layers) = &outputs.rasters[0];
    let export = Export::new(args, layers, view)?;
    let squares = export.squares();
    let mut making = export.making();
    making.push(("box".into(), export.area.to_string()));
    let mut part = long::open(path, args, (&making, squares.len()))?;
    session.say(&format!(
        "{}: {} tiles of zooms {} to {}; --resume goes on after an interruption",
        path.display(),
        export.count(),
        export.zooms.start(),
        export.zooms.end()
    ));
    let bar = session.bar("refining");
    for (number, square) in squares.iter().enumerate() {
        if !part.has(number as u64) {
            part.append(number as u64, &export.make(square)?)?;
        }
        advance(&bar, (number + 1) as f64 / squares.len() as f64);
    }
    bar.finish_and_clear();
    export.write(path, &squares, &part)?;
    session.say(&format!("{}: {} tiles", path.display(), export.count()));
    Ok(part.remove()?)
}

/// Tiles of a zoom that lie together.
#[derive(Clone, Debug)]
struct Square {
    zoom: u8,
    columns: RangeInclusive<u32>,
    rows: RangeInclusive<u32>,
}

impl Square {
    fn tiles(&self) -> Vec<(u32, u32)> {
        self.rows.clone().flat_map(|y| self.columns.clone().map(move |x| (x, y))).collect()
    }
}

/// What is asked for.
struct Export<'a> {
    view: &'a WorldView,
    args: &'a args::Region,
    radius_m: f64,
    area: WebBox,
    zooms: RangeInclusive<u8>,
    layer: Sampled,
    encoding: Encoding,
    cache: Cache,
}

impl<'a> Export<'a> {
    fn new(args: &'a args::Region, layers: &[Sampled], view: &'a WorldView) -> Result<Self> {
        let Topology::Globe(globe) = view.grid() else {
            return Err(misuse("a flat map has no web tiles: a .pmtiles file needs a globe"));
        };
        let text = args.bbox.as_ref().ok_or_else(|| misuse("a .pmtiles file needs --bbox W,S,E,N"))?;
        let area = WebBox::parse(text)?;
        let layer = match layers {
            [layer @ (Sampled::Elevation | Sampled::WaterSurface | Sampled::Base | Sampled::Mountains)] => {
                *layer
            }
            _ => {
                return Err(misuse(
                    "--layers: a .pmtiles file holds one layer of heights: elevation, water_surface, base or mountains",
                ));
            }
        };
        let encoding = match args.encoding.unwrap_or(HeightEncoding::Terrarium) {
            HeightEncoding::Terrarium => Encoding::Terrarium,
            HeightEncoding::Mapbox => Encoding::Mapbox,
        };
        let radius_m = globe.radius_m();
        let zooms = zooms(args, radius_m)?;
        let cache = Cache::new(DRAINAGE);
        let export = Self { view, args, radius_m, area, zooms, layer, encoding, cache };
        if export.count() > MOST_TILES {
            let count = export.count();
            return Err(misuse(format!(
                "the pyramid would have {count} tiles, at most {MOST_TILES} are made: ask for a smaller --bbox or \
                 --max-zoom"
            )));
        }
        Ok(export)
    }

    fn count(&self) -> u64 {
        self.zooms.clone().map(|zoom| self.area.count(zoom)).sum()
    }

    /// All tiles in the order of making.
    fn squares(&self) -> Vec<Square> {
        let parts = |range: &RangeInclusive<u32>| -> Vec<RangeInclusive<u32>> {
            let (start, end) = (*range.start(), *range.end());
            let first = |k: u32| (k * TOGETHER).max(start);
            (start / TOGETHER..=end / TOGETHER)
                .map(|k| first(k)..=(k * TOGETHER + TOGETHER - 1).min(end))
                .collect()
        };
        let mut squares = Vec::new();
        for zoom in self.zooms.clone() {
            let (columns, rows) = self.area.tiles(zoom);
            for rows in parts(&rows) {
                squares.extend(columns.iter().flat_map(parts).map(|columns| Square {
                    zoom,
                    columns,
                    rows: rows.clone(),
                }));
            }
        }
        squares
    }

    fn making(&self) -> Vec<(String, String)> {
        let text = |name: &str, value: String| (name.to_string(), value);
        vec![
            text("software", ENGINE.to_string()),
            text("world", self.view.file.digest().to_string()),
            text("zooms", format!("{:?}", self.zooms)),
            text("layers", self.layer.name().to_string()),
            text("encoding", self.encoding.name().to_string()),
            text("method", format!("{:?}", refined_by(self.args.method))),
            text("texture", (!self.args.no_texture).to_string()),
        ]
    }

    /// The tiles of a square: their lengths, then their bytes.
    fn make(&self, square: &Square) -> Result<Vec<u8>> {
        let lattice =
            Lattice::WebMercator { radius_m: self.radius_m, zoom: square.zoom, pixels: PIXELS as u16 };
        let half = (PIXELS as i64) << square.zoom >> 1;
        let side = |range: &RangeInclusive<u32>| (range.end() - range.start() + 1) as usize * PIXELS;
        let window = Window {
            west: i64::from(*square.columns.start()) * PIXELS as i64 - half,
            north: half - 1 - i64::from(*square.rows.start()) * PIXELS as i64,
            width: side(&square.columns),
            height: side(&square.rows),
        };
        let request = Request::new(lattice, window, vec![self.layer], refined_by(self.args.method))
            .map_err(|e| misuse(e.to_string()))?
            .with_texture(!self.args.no_texture)
            .with_cache(&self.cache);
        let region = refine(self.view, &request, &|_| {})?;
        let heights = region.layer(self.layer).context("the layer was asked for")?;
        let across = (square.columns.end() - square.columns.start() + 1) as usize;
        let packed = (0..square.tiles().len()).into_par_iter().map(|n| {
            let (top, left) = (n / across * PIXELS, n % across * PIXELS);
            let rows = (top..top + PIXELS).flat_map(|row| &heights[row * window.width + left..][..PIXELS]);
            tile(&rows.copied().collect::<Vec<f32>>(), PIXELS, self.encoding)
        });
        let tiles = packed.collect::<Result<Vec<Vec<u8>>, _>>().map_err(|e| anyhow::anyhow!(e))?;
        let mut bytes: Vec<u8> = tiles.iter().flat_map(|t| (t.len() as u32).to_le_bytes()).collect();
        tiles.iter().for_each(|t| bytes.extend_from_slice(t));
        Ok(bytes)
    }

    /// Writes all tiles in their order.
    fn write(&self, path: &Path, squares: &[Square], part: &PartFile) -> Result<()> {
        let mut places = Vec::new();
        for (number, square) in squares.iter().enumerate() {
            let tiles = square.tiles();
            let lengths =
                part.read(number as u64, 0, 4 * tiles.len() as u64).map_err(|e| anyhow::anyhow!(e))?;
            let mut from = 4 * tiles.len() as u64;
            for ((x, y), length) in tiles.iter().zip(lengths.as_chunks::<4>().0) {
                let length = u64::from(u32::from_le_bytes(*length));
                let id = TileId::of(square.zoom, *x, *y).context("tiles of the map have numbers")?;
                places.push((id, number as u64, from, length));
                from += length;
            }
        }
        places.sort_unstable_by_key(|place| place.0);
        let mut left = places.into_iter();
        pmtiles::write(path, &self.about(), || {
            let Some((id, number, from, length)) = left.next() else { return Ok(None) };
            Ok(Some((id, part.read(number, from, length)?)))
        })?;
        Ok(())
    }

    fn about(&self) -> Pyramid {
        let place = super::place::Place {
            lattice: Lattice::WebMercator { radius_m: self.radius_m, zoom: 0, pixels: PIXELS as u16 },
            window: Window { west: 0, north: 0, width: 1, height: 1 },
            area: None,
            notes: Vec::new(),
        };
        let mut metadata: serde_json::Map<String, serde_json::Value> =
            notes(self.view, &place).into_iter().map(|(name, value)| (name, value.into())).collect();
        let name = self.view.recipe().name.clone();
        for (key, value) in [
            ("name", format!("{name}, {}", self.layer.name().replace('_', " "))),
            ("description", "Heights in metres as colours".to_string()),
            ("type", "baselayer".to_string()),
            ("encoding", self.encoding.name().to_string()),
            ("layer", self.layer.name().to_string()),
        ] {
            metadata.insert(key.to_string(), value.into());
        }
        // the header has no word for such a box; this one is what other makers of pyramids use
        if let Some([west, south, east, north]) = self.area.beyond() {
            let text = format!("{west},{south},{east},{north}");
            metadata.insert("antimeridian_adjusted_bounds".to_string(), text.into());
        }
        Pyramid {
            zooms: (*self.zooms.start(), *self.zooms.end()),
            bounds: self.area.bounds(),
            middle: self.area.middle(),
            metadata: metadata.into(),
        }
    }
}

/// Zooms from the least to the one that is asked for, or whose pixels are as fine as the resolution at the equator.
fn zooms(args: &args::Region, radius_m: f64) -> Result<RangeInclusive<u8>> {
    let most = match (args.max_zoom, args.resolution) {
        (Some(zoom), _) => zoom,
        (None, Some(metres)) if metres > 0.0 => {
            let pixel = |zoom: &u8| TAU * radius_m / PIXELS as f64 / f64::from(1u32 << zoom);
            let fine = (0..=Lattice::MAX_ZOOM).find(|zoom| pixel(zoom) <= metres * (1.0 + 1e-9));
            fine.ok_or_else(|| {
                let least = PI * radius_m / PIXELS as f64 / f64::from(1u32 << (Lattice::MAX_ZOOM - 1));
                misuse(format!("--resolution {metres}: web maps have pixels of {least:.3} m or more"))
            })?
        }
        _ => return Err(misuse("say how fine: --max-zoom ZOOM, or --resolution METRES")),
    };
    let least = args.min_zoom.unwrap_or(0);
    if least > most {
        return Err(misuse(format!("--min-zoom {least}: the greatest zoom is {most}")));
    }
    Ok(least..=most)
}
