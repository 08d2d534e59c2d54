//! The surface between channels: the lower envelope of hillslopes.
//!
//! Every piece of channel carries a hillslope that climbs away from it on both sides; the ground at p is the lowest
//! of them:
//!
//! ```text
//! h(p)  = min over channels of  bed(t) + g e + depth(t) min(1, d2/c2) + climb      d' = max(0, d - w(t))
//! climb = [ (1 - ice) S d'2 / (d' + toe) + 0.012 f + s (ice S T(d'/s) + S0 x8) ] / (1 - x8),  x = d' / D
//! T(y)  = y2 (5 - 3 y) / 2  up to y = 1, then straight on at half the gradient    (the wall of a trough)
//! ```
//!
//! d is the distance from the channel, t the share of the way along it, w the half width of the valley floor, f how
//! far the place lies across it, g e what the bed goes on rising by beyond the upper end, c the half width of the water, S the gradient of the hillslopes with noise in it, S0
//! the same before it was raised for perched neighbours, s the spacing of sites and D the reach. The divisor makes a
//! channel's say end without a cliff. p is bent beforehand by noise, which fades to nothing towards every water's
//! edge, so a place on a channel stays on it.
//!
//! Divides are where two hillslopes meet; they need no search. Cost: one distance and one climb for each place and
//! channel that can matter there. See `docs/models/region-surface.md`.

#![allow(dead_code, reason = "the method that calls it is not there yet")]

mod course;
mod crest;
mod cull;
mod frame;
mod profile;
mod real;
mod style;
mod texture;

#[cfg(test)]
mod tests;

#[allow(unused_imports, reason = "the method that calls it is not there yet")]
pub(crate) use course::{Course, course};
pub(crate) use frame::Frame;
pub(crate) use style::Style;

use crest::Slope;
use cull::{Caution, Circle, Packs};
use grid::Vec3;
use profile::{CUT, Scale, Segment};
use real::{least, most};

/// A straight piece of channel, from a site to its receiver. Pairs are values at `a` and at `b`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Channel {
    /// Upstream end, in metres, in plain space.
    pub a: Vec3,
    /// Downstream end.
    pub b: Vec3,
    /// Height of the bed; never rises.
    pub bed_m: (f64, f64),
    /// Gradient of the hillslopes beside it, across its line.
    pub rise: (f64, f64),
    /// The same before it was raised to reach perched neighbours.
    pub base_rise: f64,
    /// Half width of the flat valley floor, from the line.
    pub floor_m: (f64, f64),
    /// 0 for a valley of rivers, 1 for a trough of ice.
    pub ice: f64,
    /// Half width of the water.
    pub half_width_m: (f64, f64),
    /// The bed is level across for at least so far from the line: samples find their way along it.
    pub level_m: f64,
    /// The water's surface above its bed.
    pub depth_m: (f64, f64),
    /// Discharge in m3/s.
    pub discharge_m3_s: f64,
    /// Strahler order.
    pub order: u8,
    /// Nothing flows in at `a`: the valley ends there.
    pub head: bool,
    /// The caller's number of the link.
    pub id: u32,
}

/// The river over a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RiverHere {
    /// Position of its channel in the order given.
    pub channel: u32,
    /// Bed at its middle.
    pub bed_m: f64,
    /// Surface of the water.
    pub surface_m: f64,
    /// Discharge in m3/s.
    pub discharge_m3_s: f64,
    /// Strahler order.
    pub order: u8,
}

impl RiverHere {
    /// How much another channel is the same river, 0 to 1: one that joins it is not.
    fn alike(&self, other: &Self) -> f64 {
        let share = if self.discharge_m3_s > 0.0 { other.discharge_m3_s / self.discharge_m3_s } else { 1.0 };
        least(most((share - 0.5) * 2.5, 0.0), 1.0)
    }
}

/// What one sample gets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shaped {
    /// Height of the ground, under water that of the bed; infinite where no channel is in reach.
    pub elevation_m: f64,
    /// The channel on whose hillslope the sample lies, by its position in the order given.
    pub nearest: Option<u32>,
    /// Of the drawn rivers whose water covers the sample the one of greatest discharge; of equals the first.
    pub river: Option<RiverHere>,
    /// Distance from the edge of the nearest drawn river's water, negative within; infinite if none is in reach.
    pub beside_m: f64,
}

impl Shaped {
    /// A sample that is nowhere.
    pub const NOTHING: Self =
        Self { elevation_m: f64::INFINITY, nearest: None, river: None, beside_m: f64::INFINITY };
}

/// The envelope over the channels around one tile.
#[derive(Debug)]
pub(crate) struct Envelope<'a> {
    style: &'a Style,
    frame: Frame,
    scale: Scale<f64>,
    caution: Caution,
    segments: Vec<Segment<f64>>,
    narrow: Vec<Segment<f32>>,
    rivers: Vec<River>,
}

/// What a drawn river's samples get, with the position of its channel.
#[derive(Clone, Copy, Debug)]
struct River {
    channel: u32,
    discharge_m3_s: f64,
    order: u8,
}

/// Samples worked side by side: a square, padded with its last sample.
const SIDE: usize = 4;
const LANES: usize = SIDE * SIDE;

#[derive(Clone, Debug)]
struct Block {
    /// Positions among the samples.
    at: [u32; LANES],
    filled: usize,
    x: [f64; LANES],
    y: [f64; LANES],
    noise: [f64; LANES],
}

/// Lists that are filled anew for every block.
#[derive(Default)]
struct Lists {
    near: Packs,
    rivers: Packs,
    block: Packs,
    bounds: Vec<(f32, u32)>,
    rough: Vec<(u32, Lanes)>,
    slopes: Vec<Slope>,
}

type Lanes = [f32; LANES];

/// A block in `f32`.
struct Samples {
    x: Lanes,
    y: Lanes,
    noise: Lanes,
}

impl Samples {
    fn of(block: &Block) -> Self {
        let mut all = Self { x: [0.0; LANES], y: [0.0; LANES], noise: [0.0; LANES] };
        for lane in 0..LANES {
            all.x[lane] = block.x[lane] as f32;
            all.y[lane] = block.y[lane] as f32;
            all.noise[lane] = block.noise[lane] as f32;
        }
        all
    }
}

impl<'a> Envelope<'a> {
    /// The envelope over channels, which are numbered in the order in which they come. They must include every
    /// channel whose floor is within [`Style::gather_m`] of any sample; which others come along makes no
    /// difference.
    pub fn new<'c>(style: &'a Style, frame: Frame, channels: impl Iterator<Item = &'c Channel>) -> Self {
        let (scale, caution) = (Scale::new(style, CUT), Caution::new(style, crest::SHARE));
        let mut segments = Vec::with_capacity(channels.size_hint().0.max(USUAL));
        let mut rivers = Vec::new();
        for (k, channel) in channels.enumerate() {
            segments.push(Segment::new(channel, &frame, style));
            if most(channel.half_width_m.0, channel.half_width_m.1) >= style.least_drawn_m() {
                let (discharge_m3_s, order) = (channel.discharge_m3_s, channel.order);
                rivers.push(River { channel: k as u32, discharge_m3_s, order });
            }
        }
        let narrow = segments.iter().map(Segment::narrow).collect();
        Self { style, frame, scale, caution, segments, narrow, rivers }
    }

    /// Shapes samples that lie in rows of `columns` on the tile: positions in metres, in plain space. One that is not
    /// finite gets [`Shaped::NOTHING`]. A sample's value does not depend on which others are asked.
    pub fn shape(&self, at: &[Vec3], columns: usize, out: &mut [Shaped]) {
        out.fill(Shaped::NOTHING);
        let mut blocks = self.blocks(at, columns);
        if blocks.is_empty() || self.segments.is_empty() {
            return;
        }
        let mut lists = Lists::default();
        let mut all = Packs::default();
        all.fill(0..self.segments.len() as u32, &self.narrow);
        self.place(&mut blocks, (&mut all, &mut lists), at, out);
        let (mut tile, mut quarter) = (Packs::default(), Packs::default());
        tile.lowest(&mut all, &self.around(&blocks), &self.caution);
        for quarters in blocks.chunks(QUARTER) {
            quarter.lowest(&mut tile, &self.around(quarters), &self.caution);
            for block in quarters {
                self.lower(block, &mut quarter, &mut lists, out);
            }
        }
    }

    /// What depends on where samples are before they are bent, and the bend.
    fn place(
        &self,
        blocks: &mut [Block],
        (all, lists): (&mut Packs, &mut Lists),
        at: &[Vec3],
        out: &mut [Shaped],
    ) {
        let circle = self.around(blocks);
        lists.near.nearest(all, &circle, &self.caution);
        let mut rivers = Packs::default();
        rivers.fill(self.rivers.iter().map(|river| river.channel), &self.narrow);
        lists.rivers.nearest(&mut rivers, &circle, &self.caution);
        for block in blocks {
            let circle = self.around(std::slice::from_ref(block));
            if !lists.rivers.ids.is_empty() {
                lists.block.nearest(&mut lists.rivers, &circle, &self.caution);
                self.flood(block, &lists.block.ids, out);
                self.level(block, &lists.block.ids, out);
            }
            lists.block.nearest(&mut lists.near, &circle, &self.caution);
            let clear = self.clear(block, &lists.block.ids);
            self.bend(block, &clear, at);
        }
    }

    /// Blocks of all samples, quarter by quarter.
    fn blocks(&self, at: &[Vec3], columns: usize) -> Vec<Block> {
        let rows = at.len().div_ceil(columns.max(1));
        let square = |rows: std::ops::Range<usize>, columns: std::ops::Range<usize>, step: usize| {
            rows.step_by(step).flat_map(move |r| columns.clone().step_by(step).map(move |c| (r, c)))
        };
        let quarters = square(0..rows, 0..columns, 2 * SIDE);
        let corners = quarters.flat_map(|(r, c)| square(r..r + 2 * SIDE, c..c + 2 * SIDE, SIDE));
        let mut blocks = Vec::with_capacity(at.len().div_ceil(LANES));
        blocks.extend(corners.filter_map(|corner| self.block(at, columns, corner)));
        blocks
    }

    /// The block with this upper left corner, or none where no sample of it is anywhere.
    fn block(&self, at: &[Vec3], columns: usize, (row, column): (usize, usize)) -> Option<Block> {
        let zeros = [0.0; LANES];
        let mut block = Block { at: [0; LANES], filled: 0, x: zeros, y: zeros, noise: zeros };
        for r in row..row + SIDE {
            for c in column..(column + SIDE).min(columns) {
                let k = r * columns + c;
                let Some(p) = at.get(k).filter(|p| p.length_squared().is_finite()) else { continue };
                let lane = block.filled;
                block.at[lane] = k as u32;
                [block.x[lane], block.y[lane]] = self.frame.project(*p);
                block.filled += 1;
            }
        }
        block.pad()
    }

    fn around(&self, blocks: &[Block]) -> Circle {
        let points = blocks
            .iter()
            .flat_map(|b| (0..LANES).map(move |k| [b.x[k] as f32, b.y[k] as f32, b.noise[k] as f32]));
        Circle::around(points, self.caution.slack)
    }

    /// Distance from the nearest water's edge, of all channels in the list.
    fn clear(&self, block: &Block, list: &[u32]) -> [f64; LANES] {
        let mut clear = [f64::INFINITY; LANES];
        for &k in list {
            let segment = &self.segments[k as usize];
            for (lane, clear) in clear.iter_mut().enumerate() {
                *clear = least(segment.clear(block.x[lane], block.y[lane]).1, *clear);
            }
        }
        clear
    }

    /// Puts rivers over the samples.
    fn flood(&self, block: &Block, list: &[u32], out: &mut [Shaped]) {
        let mut rivers = self.rivers.iter();
        for &k in list {
            let segment = &self.segments[k as usize];
            let Some(river) = rivers.find(|river| river.channel == k) else { return };
            for lane in 0..block.filled {
                let shaped = &mut out[block.at[lane] as usize];
                let (t, clear) = segment.clear(block.x[lane], block.y[lane]);
                if clear < self.style.reach_m() {
                    shaped.beside_m = least(clear, shaped.beside_m);
                }
                let greater = shaped.river.is_none_or(|old| river.discharge_m3_s > old.discharge_m3_s);
                if clear < 0.0 && greater {
                    shaped.river = Some(river.at(segment, t));
                }
            }
        }
    }

    /// Mixes the water of all channels over a sample that carry about as much: of links shorter than their river is wide
    /// there are many, and with one of them alone its water would stand in steps.
    fn level(&self, block: &Block, list: &[u32], out: &mut [Shaped]) {
        let mut sums = [[0.0; 3]; LANES];
        let mut rivers = self.rivers.iter();
        for &k in list {
            let segment = &self.segments[k as usize];
            let Some(river) = rivers.find(|river| river.channel == k) else { break };
            for (lane, sum) in sums.iter_mut().enumerate().take(block.filled) {
                let Some(own) = out[block.at[lane] as usize].river else { continue };
                let (t, clear) = segment.clear(block.x[lane], block.y[lane]);
                if clear < 0.0 {
                    let other = river.at(segment, t);
                    let weight = segment.inside(t, clear) * own.alike(&other);
                    sum[0] += weight;
                    sum[1] += weight * (other.bed_m - own.bed_m);
                    sum[2] += weight * (other.surface_m - own.surface_m);
                }
            }
        }
        for (lane, [all, bed, surface]) in sums.into_iter().enumerate().filter(|(_, sum)| sum[0] > 0.0) {
            if let Some(river) = &mut out[block.at[lane] as usize].river {
                river.bed_m += bed / all;
                river.surface_m += surface / all;
            }
        }
    }

    fn bend(&self, block: &mut Block, clear: &[f64; LANES], at: &[Vec3]) {
        for lane in 0..block.filled {
            let bent = self.style.bend(at[block.at[lane] as usize], clear[lane]);
            let [x, y] = self.frame.along(bent.by, [block.x[lane], block.y[lane]]);
            block.x[lane] += x;
            block.y[lane] += y;
            block.noise[lane] = bent.slope;
        }
        block.clone_last();
    }

    /// The ground at every sample of a block.
    fn lower(&self, block: &Block, from: &mut Packs, lists: &mut Lists, out: &mut [Shaped]) {
        from.list(&self.around(std::slice::from_ref(block)), &self.caution, &mut lists.bounds);
        let limit = self.rough(block, lists);
        for lane in 0..block.filled {
            let (x, y, noise) = (block.x[lane], block.y[lane], block.noise[lane]);
            lists.slopes.clear();
            for (channel, low) in &lists.rough {
                if low[lane] <= limit[lane] {
                    let segment = &self.segments[*channel as usize];
                    let part = segment.part(x, y, noise, &self.scale);
                    lists.slopes.push(Slope { channel: *channel, steep: segment.base, part });
                }
            }
            let shaped = &mut out[block.at[lane] as usize];
            let by = (&self.frame, self.style.texture.as_ref());
            let Some((height, nearest)) = crest::ground([x, y], &mut lists.slopes, by) else { continue };
            let surface_m = shaped.river.map_or(f64::INFINITY, |river| river.surface_m);
            (shaped.elevation_m, shaped.nearest) = (least(height, surface_m), Some(nearest));
        }
    }

    /// Lower bounds of what channels give at the samples, in the order of their numbers, and what no minimum exceeds.
    ///
    /// The most promising come first: what they leave as a limit spares most of the others.
    fn rough(&self, block: &Block, lists: &mut Lists) -> Lanes {
        let mut limit = [f32::INFINITY; LANES];
        let samples = Samples::of(block);
        lists.rough.clear();
        for _ in 0..PROMISING.min(lists.bounds.len()) {
            let first = (0..lists.bounds.len())
                .fold(0, |best, k| if lists.bounds[k].0 < lists.bounds[best].0 { k } else { best });
            let (low, channel) = std::mem::replace(&mut lists.bounds[first], (f32::INFINITY, 0));
            if low == f32::INFINITY {
                break; // none of the rest is within reach of any sample
            }
            lists.rough.push((channel, self.bounds(channel, &samples, &mut limit)));
        }
        let mut highest = limit.into_iter().fold(f32::NEG_INFINITY, most);
        for &(low, channel) in &lists.bounds {
            if low <= highest && low < f32::INFINITY {
                lists.rough.push((channel, self.bounds(channel, &samples, &mut limit)));
                highest = limit.into_iter().fold(f32::NEG_INFINITY, most);
            }
        }
        lists.rough.sort_unstable_by_key(|(channel, _)| *channel);
        limit
    }

    /// Lower bounds of what a channel gives at the samples; its upper bounds lower the limit.
    fn bounds(&self, channel: u32, at: &Samples, limit: &mut Lanes) -> Lanes {
        let segment = &self.narrow[channel as usize];
        let trusted = self.caution.trusted(segment.base);
        let mut low = [0.0; LANES];
        for lane in 0..LANES {
            let part = segment.part(at.x[lane], at.y[lane], at.noise[lane], self.caution.late());
            low[lane] = self.caution.low(part.bed, part.climb);
            let high = self.caution.high(part.bed, part.climb);
            // so high only at the end of the reach, where values in `f64` may have ended
            let high = if part.climb < trusted { high } else { f32::INFINITY };
            limit[lane] = least(high, limit[lane]);
        }
        low
    }
}

/// Channels that are asked first.
const PROMISING: usize = 4;

/// Channels around a tile for which there is room from the start.
const USUAL: usize = 256;

/// Blocks to a quarter of a tile.
const QUARTER: usize = 4;

impl River {
    fn at(&self, segment: &Segment<f64>, t: f64) -> RiverHere {
        let bed_m = segment.bed[0] + t * segment.bed[1];
        let surface_m = bed_m + (segment.depth[0] + t * segment.depth[1]);
        let Self { channel, discharge_m3_s, order } = *self;
        RiverHere { channel, bed_m, surface_m, discharge_m3_s, order }
    }
}

impl Block {
    /// With unfilled lanes like the last filled one; none where none is filled.
    fn pad(mut self) -> Option<Self> {
        (self.filled > 0).then(|| {
            self.clone_last();
            self
        })
    }

    fn clone_last(&mut self) {
        let last = self.filled - 1;
        for lane in self.filled..LANES {
            (self.x[lane], self.y[lane]) = (self.x[last], self.y[last]);
            self.noise[lane] = self.noise[last];
        }
    }
}
