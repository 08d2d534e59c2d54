//! `map.png`: relief tinted by height, streams, filled depressions and divides, with a legend beside.

use super::thumbnail::Thumbnail;
use anyhow::Result;
use serve::draw::furniture::{number, round_ticks};
use serve::draw::palette::{self, Ramp};
use serve::draw::text::size_of;
use serve::draw::{Canvas, Legend, Look, ReliefInput, Rgb, Rgba, Spacing, TextStyle, relief};

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
const MOST_ZOOM: usize = 8;
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

/// Draws the map. `spacing` is that of the thumbnail's blocks.
pub fn draw(thumbnail: &Thumbnail, lines: &[Line], spacing: Spacing, words: &Words) -> Result<Canvas> {
    let zoom = LEAST_PX.div_ceil(thumbnail.width.max(thumbnail.height)).clamp(1, MOST_ZOOM);
    let (ground, filled) =
        (enlarged(thumbnail, &thumbnail.ground(), zoom), enlarged(thumbnail, &thumbnail.filled(), zoom));
    let ramp = ramp(&ground)?;
    let tints: Vec<Rgb> =
        ground.iter().zip(&filled).map(|(&z, &w)| if w - z > WET_M { WATER } else { ramp.at(z) }).collect();
    let (width, height) = (thumbnail.width * zoom, thumbnail.height * zoom);
    let input = ReliefInput {
        tints: Some(&tints),
        sea: Some(&vec![false; tints.len()]),
        exaggeration: Some(exaggeration(&ground, width, &spacing_of(&spacing, zoom))),
        background: SEA,
        ..ReliefInput::new(width, height, &filled, spacing_of(&spacing, zoom))
    };
    let mut map = relief::terrain(&input)?;
    divides(thumbnail, zoom, &mut map);
    let scale = zoom as f32 / thumbnail.block as f32;
    let least = least_order(lines, scale, width * height);
    for line in lines.iter().filter(|l| l.order >= least) {
        let points: Vec<(f32, f32)> = line.points.iter().map(|p| (p.0 * scale, p.1 * scale)).collect();
        map.line(&points, width_px(line.order, least), STREAM);
    }
    let most = lines.iter().map(|l| l.order).max().unwrap_or(0);
    beside(map, &legend(&ramp, (least, most), lines.is_empty()), words)
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

fn spacing_of(spacing: &Spacing, zoom: usize) -> Spacing {
    let by = zoom as f64;
    match spacing {
        Spacing::Uniform { x_m, y_m } => Spacing::Uniform { x_m: x_m / by, y_m: y_m / by },
        &Spacing::Equirectangular { north_deg, step_deg, radius_m } => {
            Spacing::Equirectangular { north_deg, step_deg: step_deg / by, radius_m }
        }
        Spacing::Rows { x_m, y_m } => {
            let finer = |rows: &[f64]| rows.iter().flat_map(|&m| std::iter::repeat_n(m / by, zoom)).collect();
            Spacing::Rows { x_m: finer(x_m), y_m: finer(y_m) }
        }
    }
}

/// Blocks drawn larger, bilinear between their middles.
fn enlarged(thumbnail: &Thumbnail, values: &[f32], zoom: usize) -> Vec<f32> {
    if zoom == 1 {
        return values.to_vec();
    }
    let (width, height) = (thumbnail.width, thumbnail.height);
    let place = |pixel: usize, count: usize| {
        let at = ((pixel as f32 + 0.5) / zoom as f32 - 0.5).clamp(0.0, (count - 1) as f32);
        let low = (at as usize).min(count.saturating_sub(2));
        (low, (low + 1).min(count - 1), at - low as f32)
    };
    let pixel = |i: usize| {
        let (x0, x1, u) = place(i % (width * zoom), width);
        let (y0, y1, v) = place(i / (width * zoom), height);
        let [a, b, c, d] = [(x0, y0), (x1, y0), (x0, y1), (x1, y1)].map(|(x, y)| values[y * width + x]);
        let mixed = (a * (1.0 - u) + b * u) * (1.0 - v) + (c * (1.0 - u) + d * u) * v;
        let nearest = values[(i / (width * zoom) / zoom) * width + i % (width * zoom) / zoom];
        if mixed.is_nan() || nearest.is_nan() { nearest } else { mixed }
    };
    (0..width * height * zoom * zoom).map(pixel).collect()
}

/// Lines between great basins.
fn divides(thumbnail: &Thumbnail, zoom: usize, map: &mut Canvas) {
    let (width, height) = (thumbnail.width, thumbnail.height);
    let mut sizes = std::collections::BTreeMap::new();
    for &basin in thumbnail.basin.iter().filter(|&&b| b > 0) {
        *sizes.entry(basin).or_insert(0usize) += 1;
    }
    let least = (GREAT_BASIN * (width * height) as f64) as usize;
    let great = |b: u32| b > 0 && sizes.get(&b).is_some_and(|&n| n > least);
    let z = zoom as f32;
    let width_px = if zoom > 1 { 1.5 } else { 1.0 };
    for i in 0..width * height {
        let (x, y) = ((i % width) as f32 * z, (i / width) as f32 * z);
        let here = thumbnail.basin[i];
        let differs = |other: u32| here != other && (great(here) || great(other));
        if (i + 1) % width != 0 && differs(thumbnail.basin[i + 1]) {
            map.line(&[(x + z, y), (x + z, y + z)], width_px, DIVIDE);
        }
        if i + width < width * height && differs(thumbnail.basin[i + width]) {
            map.line(&[(x, y + z), (x + z, y + z)], width_px, DIVIDE);
        }
    }
}

/// The lowest order for which streams do not cover too much of the map.
fn least_order(lines: &[Line], scale: f32, pixels: usize) -> u8 {
    let mut ink = [0.0f32; 256];
    for line in lines {
        let step = |w: &[(f32, f32)]| {
            let (x, y) = (w[1].0 - w[0].0, w[1].1 - w[0].1);
            (x * x + y * y).sqrt() * scale
        };
        ink[usize::from(line.order)] += line.points.windows(2).map(step).sum::<f32>();
    }
    let mut covered = 0.0;
    for order in (1..=255u8).rev() {
        covered += ink[usize::from(order)];
        if covered > MOST_INK * pixels as f32 {
            return order.saturating_add(1).min(lines.iter().map(|l| l.order).max().unwrap_or(1));
        }
    }
    1
}

fn width_px(order: u8, least: u8) -> f32 {
    0.8 + 0.7 * f32::from(order - least)
}

fn legend(ramp: &Ramp, (least, most): (u8, u8), is_dry: bool) -> Legend {
    let (low, high) = ramp.range();
    let mut legend = Legend::new("Water").ramp("Height (m)", ramp, &round_ticks((low, high), 4));
    if !is_dry {
        for order in (least..=most).rev().take(8) {
            legend = legend.line(format!("Stream of order {order}"), width_px(order, least), STREAM);
        }
    }
    legend
        .line("Divide of a large basin", 1.5, DIVIDE)
        .swatch("Filled or flooded", WATER)
        .swatch("Sea, or no data", SEA)
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
    let words_height = (words.notes.len() as f32 * 1.5 + 3.5) * em;
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
