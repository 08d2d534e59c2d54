//! `map.png`: relief tinted by height, streams, filled depressions and divides, with a legend beside.

use super::thumbnail::Thumbnail;
use anyhow::Result;
use serve::draw::furniture::{ScaleBar, number, round_ticks};
use serve::draw::palette::{self, Ramp};
use serve::draw::text::size_of;
use serve::draw::{Canvas, Corner, Legend, Look, ReliefInput, Rgb, Rgba, Spacing, TextStyle, relief};

/// A stream as it is drawn.
pub struct Line {
    /// Columns and rows of the raster, cells' middles at halves.
    pub points: Vec<(f32, f32)>,
    /// Strahler's order.
    pub order: u8,
}

/// What is said beside the map.
pub struct Words {
    /// The file.
    pub title: String,
    /// Sizes, coordinate system, threshold: a line each.
    pub notes: Vec<String>,
}

/// Pixels along the longer side that small rasters are drawn up to.
const LEAST_PX: usize = 1000;
/// Most pixels for a block, along a side.
const MOST_ZOOM: f64 = 8.0;
/// Pixels along the longer side at most.
const MOST_PX: usize = 1600;
/// Share of the map's pixels that streams may cover before the lowest orders are left out.
const MOST_INK: f32 = 0.08;
/// Depth of filling, in metres, from which a place is drawn as water.
const WET_M: f32 = 0.01;
/// Share of the map from which a basin's divide is drawn.
const GREAT_BASIN: f64 = 0.002;

const WATER: Rgb = [96, 148, 186];
const STREAM: Rgba = [28, 86, 150, 255];
const DIVIDE: Rgba = [90, 40, 30, 150];
/// Where the sea is, or nothing is known.
const SEA: Rgb = [198, 219, 232];
const PAPER: Rgba = [250, 248, 242, 255];

/// How far apart the middles of a thumbnail's blocks lie, row by row, in metres.
pub struct BlockSpacing {
    /// To the eastern neighbour.
    pub x_m: Vec<f64>,
    /// To the southern neighbour.
    pub y_m: Vec<f64>,
    /// Whether it is the same in all rows.
    pub is_even: bool,
}

/// A thumbnail on pixels that are square on the ground, in the middle row at least.
struct Sheet<'a> {
    thumbnail: &'a Thumbnail,
    /// Pixels of a block from west to east, and from north to south.
    zoom: (f64, f64),
    width: usize,
    height: usize,
    metres_per_px: f64,
}

/// Draws the map.
pub fn draw(thumbnail: &Thumbnail, lines: &[Line], spacing: &BlockSpacing, words: &Words) -> Result<Canvas> {
    let sheet = Sheet::of(thumbnail, spacing);
    let (ground, filled) = (sheet.enlarged(&thumbnail.ground()), sheet.enlarged(&thumbnail.filled()));
    let ramp = ramp(&ground)?;
    let tints: Vec<Rgb> =
        ground.iter().zip(&filled).map(|(&z, &w)| if w - z > WET_M { WATER } else { ramp.at(z) }).collect();
    let of_pixels = sheet.spacing(spacing);
    let input = ReliefInput {
        tints: Some(&tints),
        sea: Some(&vec![false; tints.len()]),
        exaggeration: Some(exaggeration(&ground, sheet.width, &of_pixels)),
        background: SEA,
        ..ReliefInput::new(sheet.width, sheet.height, &filled, of_pixels)
    };
    let mut map = relief::terrain(&input)?;
    sheet.divides(&mut map);
    let parts: Vec<(u8, Vec<(f32, f32)>)> = lines.iter().flat_map(|line| sheet.parts(line)).collect();
    let least = least_order(&parts, sheet.width * sheet.height);
    for (order, points) in parts.iter().filter(|part| part.0 >= least) {
        map.line(points, width_px(*order, least), STREAM);
    }
    let most = parts.iter().map(|part| part.0).max().unwrap_or(0);
    let look = Look::for_width(sheet.width.max(LEAST_PX));
    let note = if spacing.is_even { "" } else { "in the middle" };
    let bar = ScaleBar { metres_per_px: sheet.metres_per_px, note };
    let size = bar.size(&look);
    if (size.0 * 2.0) < sheet.width as f32 && (size.1 * 4.0) < sheet.height as f32 {
        bar.draw(&mut map, Corner::BottomLeft, &look);
    }
    beside(map, &legend(&ramp, (least, most), &ground, parts.is_empty()), words)
}

impl<'a> Sheet<'a> {
    fn of(thumbnail: &'a Thumbnail, spacing: &BlockSpacing) -> Self {
        let middle = thumbnail.height / 2;
        let (x_m, y_m) = (spacing.x_m[middle], spacing.y_m[middle]);
        let across_m = (thumbnail.width as f64 * x_m).max(thumbnail.height as f64 * y_m);
        let finest_m = x_m.min(y_m);
        let longest_px = (across_m / finest_m).clamp(LEAST_PX as f64, MOST_PX as f64);
        let metres_per_px = (across_m / longest_px).max(finest_m / MOST_ZOOM);
        let zoom = (x_m / metres_per_px, y_m / metres_per_px);
        let pixels = |blocks: usize, zoom: f64| ((blocks as f64 * zoom).round() as usize).max(1);
        Self {
            thumbnail,
            zoom,
            width: pixels(thumbnail.width, zoom.0),
            height: pixels(thumbnail.height, zoom.1),
            metres_per_px,
        }
    }

    /// The spacing of pixels.
    fn spacing(&self, blocks: &BlockSpacing) -> Spacing {
        let rows = |of: &[f64], zoom: f64| -> Vec<f64> {
            let block = |y: usize| ((y as f64 / self.zoom.1) as usize).min(of.len() - 1);
            (0..self.height).map(|y| of[block(y)] / zoom).collect()
        };
        Spacing::Rows { x_m: rows(&blocks.x_m, self.zoom.0), y_m: rows(&blocks.y_m, self.zoom.1) }
    }

    /// Values of blocks as pixels, bilinear between their middles.
    fn enlarged(&self, values: &[f32]) -> Vec<f32> {
        let (width, height) = (self.thumbnail.width, self.thumbnail.height);
        let place = |pixel: usize, zoom: f64, count: usize| {
            let at = ((pixel as f64 + 0.5) / zoom - 0.5).clamp(0.0, (count - 1) as f64);
            let low = (at as usize).min(count.saturating_sub(2));
            (low, (low + 1).min(count - 1), (at - low as f64) as f32)
        };
        let pixel = |i: usize| {
            let (x0, x1, u) = place(i % self.width, self.zoom.0, width);
            let (y0, y1, v) = place(i / self.width, self.zoom.1, height);
            let [a, b, c, d] = [(x0, y0), (x1, y0), (x0, y1), (x1, y1)].map(|(x, y)| values[y * width + x]);
            let nearest = [a, b, c, d][usize::from(u > 0.5) + 2 * usize::from(v > 0.5)];
            let mixed = (a * (1.0 - u) + b * u) * (1.0 - v) + (c * (1.0 - u) + d * u) * v;
            if mixed.is_nan() { nearest } else { mixed }
        };
        (0..self.width * self.height).map(pixel).collect()
    }

    /// A stream in pixels, cut where it goes on at the other side of a raster that goes around the globe.
    fn parts(&self, line: &Line) -> Vec<(u8, Vec<(f32, f32)>)> {
        let scale = [self.zoom.0, self.zoom.1].map(|zoom| (zoom / self.thumbnail.block as f64) as f32);
        let across = (self.thumbnail.width * self.thumbnail.block) as f32 / 2.0;
        let pieces = line.points.chunk_by(|a, b| (a.0 - b.0).abs() < across || across < 2.0);
        let drawn = |piece: &[(f32, f32)]| piece.iter().map(|p| (p.0 * scale[0], p.1 * scale[1])).collect();
        pieces.map(|piece| (line.order, drawn(piece))).collect()
    }

    /// Lines between great basins.
    fn divides(&self, map: &mut Canvas) {
        let (width, height, basin) = (self.thumbnail.width, self.thumbnail.height, &self.thumbnail.basin);
        let mut sizes = std::collections::BTreeMap::new();
        for &basin in basin.iter().filter(|&&b| b > 0) {
            *sizes.entry(basin).or_insert(0usize) += 1;
        }
        let least = (GREAT_BASIN * (width * height) as f64) as usize;
        let great = |b: u32| b > 0 && sizes.get(&b).is_some_and(|&n| n > least);
        let corner =
            |col: usize, row: usize| ((col as f64 * self.zoom.0) as f32, (row as f64 * self.zoom.1) as f32);
        let width_px = if self.zoom.0 > 1.0 { 1.5 } else { 1.0 };
        for i in 0..width * height {
            let (col, row) = (i % width, i / width);
            let differs = |other: u32| basin[i] != other && (great(basin[i]) || great(other));
            let far = corner(col + 1, row + 1);
            if col + 1 < width && differs(basin[i + 1]) {
                map.line(&[corner(col + 1, row), far], width_px, DIVIDE);
            }
            if row + 1 < height && differs(basin[i + width]) {
                map.line(&[corner(col, row + 1), far], width_px, DIVIDE);
            }
        }
    }
}

/// Colours of heights, stretched over those that are there.
fn ramp(ground: &[f32]) -> Result<Ramp> {
    let seen = ground.iter().filter(|z| !z.is_nan());
    let (low, high) = seen.fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), &z| (l.min(z), h.max(z)));
    let (low, high) = if low < high { (low, high) } else { (0.0, 1.0) };
    Ok(palette::hypsometric().stretched(low, high)?)
}

/// So much that the typical slope of whatever raster shows: relief of a plain is drawn higher than that of a range.
fn exaggeration(ground: &[f32], width: usize, spacing: &Spacing) -> f64 {
    let step_m = spacing.at(ground.len() / width.max(1) / 2).0;
    let rises = ground.windows(2).map(|w| f64::from((w[1] - w[0]).abs())).filter(|r| r.is_finite());
    let (sum, count) = rises.fold((0.0, 0usize), |(s, n), r| (s + r, n + 1));
    let slope = sum / count.max(1) as f64 / step_m;
    const SHOWN_SLOPE: f64 = 0.35;
    if slope > 0.0 { (SHOWN_SLOPE / slope).clamp(0.05, 1e6) } else { 1.0 }
}

/// The lowest order for which streams do not cover too much of the map.
fn least_order(parts: &[(u8, Vec<(f32, f32)>)], pixels: usize) -> u8 {
    let mut ink = [0.0f32; 256];
    let step = |w: &[(f32, f32)]| {
        let (x, y) = (w[1].0 - w[0].0, w[1].1 - w[0].1);
        (x * x + y * y).sqrt()
    };
    for (order, points) in parts {
        ink[usize::from(*order)] += points.windows(2).map(step).sum::<f32>();
    }
    let mut covered = 0.0;
    for order in (1..=255u8).rev() {
        covered += ink[usize::from(order)];
        if covered > MOST_INK * pixels as f32 {
            return order.saturating_add(1).min(parts.iter().map(|part| part.0).max().unwrap_or(1));
        }
    }
    1
}

fn width_px(order: u8, least: u8) -> f32 {
    0.8 + 0.7 * f32::from(order - least)
}

fn legend(ramp: &Ramp, (least, most): (u8, u8), ground: &[f32], is_dry: bool) -> Legend {
    let (low, high) = ramp.range();
    let mut legend = Legend::new("Water").ramp("Height (m)", ramp, &round_ticks((low, high), 4));
    if !is_dry {
        for order in (least..=most).rev().take(8) {
            legend = legend.line(format!("Stream of order {order}"), width_px(order, least), STREAM);
        }
    }
    legend = legend.line("Divide of a large basin", 1.5, DIVIDE).swatch("Filled or flooded", WATER);
    if ground.iter().any(|z| z.is_nan()) { legend.swatch("Sea, or no data", SEA) } else { legend }
}

/// The map with its legend and words in a column to the right.
fn beside(map: Canvas, legend: &Legend, words: &Words) -> Result<Canvas> {
    let look = Look {
        text_px: (map.width().max(map.height()) as f32 / 75.0).clamp(13.0, 22.0),
        ..Look::for_width(map.width())
    };
    let em = look.text_px;
    let (legend_width, legend_height) = legend.size(&look);
    let text_width = words.notes.iter().chain([&words.title]).map(|t| size_of(t, em).0).fold(0.0, f32::max);
    let panel = legend_width.max(text_width * 1.15) + 2.0 * em;
    let words_height = (words.notes.len() as f32 * 1.5 + 4.0) * em;
    let height = map.height().max((words_height + legend_height + 2.0 * em) as usize);
    let mut canvas = Canvas::new(map.width() + panel as usize, height, PAPER)?;
    canvas.blit(&map, 0, 0);
    let left = map.width() as f32 + em;
    canvas.text((left, 2.0 * em), &words.title, &TextStyle::new(em * 1.15).colour(look.ink));
    for (line, y) in words.notes.iter().zip(1..) {
        canvas.text((left, (2.2 + 1.5 * y as f32) * em), line, &TextStyle::new(em).colour(look.ink));
    }
    legend.draw_at(&mut canvas, (left, words_height), &look);
    Ok(canvas)
}

/// A count for people: 1 234 567.
pub fn count(n: u64) -> String {
    number(n as f64)
}
