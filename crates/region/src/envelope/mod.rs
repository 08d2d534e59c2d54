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

mod course;
mod crest;
mod cull;
mod frame;
mod profile;
mod real;
mod shore;
mod style;
mod texture;

#[cfg(test)]
mod tests;

pub(crate) use course::{Course, Wedge, course};
pub(crate) use frame::Frame;
pub(crate) use profile::toe_m;
pub(crate) use style::Style;

use crate::banks::Room;
use crest::Slope;
use cull::{Caution, Circle, Slopes, Waters};
use grid::Vec3;
use profile::{CUT, Scale, Segment};
use real::{least, most};
use shore::Shore;

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
    /// By what share of its mean width its banks move to either side: the half width is that of its room ([`crate::banks`]).
    pub uneven: f64,
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

impl Channel {
    /// Mean width of the water at `a`, in metres.
    pub fn width_m(&self) -> f64 {
        2.0 * self.half_width_m.0 / (1.0 + self.uneven)
    }
}

impl RiverHere {
    /// How much another channel is the same river, 0 to 1: one that joins it is not, nor one that it joins.
    fn alike(&self, other: &Self) -> f64 {
        let (a, b) = (self.discharge_m3_s, other.discharge_m3_s);
        let share = if most(a, b) > 0.0 { least(a, b) / most(a, b) } else { 1.0 };
        least(most((share - 0.5) * 2.5, 0.0), 1.0)
    }
}

/// What one sample gets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shaped {
    /// Height of the ground, under water that of the bed; infinite where no channel is in reach.
    pub elevation_m: f64,
    /// Height of the channel that the ground climbs from, in metres; minus infinity where none is in reach.
    pub foot_m: f64,
    /// The channel on whose hillslope the sample lies, by its position in the order given.
    pub nearest: Option<u32>,
    /// Of the drawn rivers whose water covers the sample the one of greatest discharge; of equals the first.
    pub river: Option<RiverHere>,
}

impl Shaped {
    /// A sample that is nowhere.
    pub const NOTHING: Self =
        Self { elevation_m: f64::INFINITY, foot_m: f64::NEG_INFINITY, nearest: None, river: None };
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
    /// Row and column of its upper left corner.
    corner: (usize, usize),
    /// Positions among the samples.
    at: [u32; LANES],
    filled: usize,
    x: [f64; LANES],
    y: [f64; LANES],
    noise: [f64; LANES],
    /// What the banks of wide rivers make of them, if there are any.
    shores: Option<Box<[Shore; LANES]>>,
    narrow: Samples,
    /// What the samples' minima do not exceed, as far as is known.
    limit: Lanes,
    /// Where those that are known are among the rough bounds.
    known: std::ops::Range<usize>,
}

/// Room for work, to be used again and again: what it holds says nothing.
#[derive(Default)]
pub(crate) struct Lists {
    blocks: Vec<Block>,
    waters: [Waters; 3],
    slopes: [Slopes; 2],
    bounds: Vec<(f32, u32)>,
    rough: Vec<Rough>,
    order: Vec<(u32, usize)>,
    /// Those over some sample of a block, among all rivers.
    rivers: Vec<usize>,
    parts: [Vec<Slope>; LANES],
    /// Of all samples; and of one octave.
    warp: Vec<[f64; 4]>,
    octave: Vec<[f32; 4]>,
}

type Lanes = [f32; LANES];

/// Lower bounds of a channel at the samples of a block.
#[derive(Clone, Copy, Debug)]
struct Rough {
    channel: u32,
    low: Lanes,
}

/// A block in `f32`.
#[derive(Clone, Debug)]
struct Samples {
    x: Lanes,
    y: Lanes,
    noise: Lanes,
}

impl Samples {
    const NONE: Self = Self { x: [0.0; LANES], y: [0.0; LANES], noise: [0.0; LANES] };
}

/// Of the samples of a block the distance from the nearest water's edge, and its channel.
struct Clear {
    clear_m: Lanes,
    channel: [u32; LANES],
}

/// [`Envelope::shape`], as wide as the processor's vectors are: a tenth less time for a region. The bits are the same, as
/// no operation is left out, fused or put in another order.
///
/// The attribute writes the one unsafe call there is: of the copies for AVX2 and AVX-512, and only where the processor was asked and has
/// it; the copy itself is safe code.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
#[allow(unsafe_code)]
fn shape(envelope: &Envelope, at: (&[Vec3], usize), lists: &mut Lists, out: &mut [Shaped]) {
    envelope.shape_here(at, lists, out);
}

impl<'a> Envelope<'a> {
    /// The envelope over channels, which are numbered in the order in which they come. They must include every
    /// channel whose floor is within [`Style::gather_m`] of any sample; which others come along makes no
    /// difference.
    pub fn new<'c>(style: &'a Style, frame: Frame, channels: impl Iterator<Item = &'c Channel>) -> Self {
        let (scale, caution) =
            (Scale::new(style, CUT), Caution::new(style, crest::share(style.texture.as_ref())));
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
    pub fn shape(&self, at: &[Vec3], columns: usize, lists: &mut Lists, out: &mut [Shaped]) {
        shape(self, (at, columns), lists, out);
    }

    /// What [`Envelope::shape`] does; all that it calls is a part of it, so that it is compiled for its vectors.
    #[inline(always)]
    fn shape_here(&self, (at, columns): (&[Vec3], usize), lists: &mut Lists, out: &mut [Shaped]) {
        out.fill(Shaped::NOTHING);
        let mut blocks = std::mem::take(&mut lists.blocks);
        self.blocks(at, columns, &mut blocks);
        if !blocks.is_empty() && !self.segments.is_empty() {
            self.style.warp(at, &mut lists.octave, &mut lists.warp);
            lists.waters[0].fill(&self.narrow);
            lists.slopes[0].fill(&self.narrow);
            for square in blocks.chunk_by_mut(Block::is_beside) {
                self.bend(square, at, lists, out);
                let limit = square.iter().map(Block::highest).fold(f32::NEG_INFINITY, most);
                let [all, near] = &mut lists.slopes;
                near.lowest(all, (&self.around(square), limit), &self.caution);
                for block in square {
                    self.lower(block, lists, out);
                }
            }
        }
        lists.blocks = blocks;
    }

    /// Blocks of all samples, square by square.
    #[inline(always)]
    fn blocks(&self, at: &[Vec3], columns: usize, out: &mut Vec<Block>) {
        let rows = at.len().div_ceil(columns.max(1));
        let square = |rows: std::ops::Range<usize>, columns: std::ops::Range<usize>, step: usize| {
            rows.step_by(step).flat_map(move |r| columns.clone().step_by(step).map(move |c| (r, c)))
        };
        let squares = square(0..rows, 0..columns, SQUARE);
        let corners = squares.flat_map(|(r, c)| square(r..r + SQUARE, c..c + SQUARE, SIDE));
        out.clear();
        out.extend(corners.filter_map(|corner| self.block(at, columns, corner)));
    }

    /// The block with this upper left corner, or none where no sample of it is anywhere.
    #[inline(always)]
    fn block(&self, at: &[Vec3], columns: usize, (row, column): (usize, usize)) -> Option<Block> {
        let zeros = [0.0; LANES];
        let mut block = Block {
            corner: (row, column),
            at: [0; LANES],
            filled: 0,
            x: zeros,
            y: zeros,
            noise: zeros,
            shores: None,
            narrow: Samples::NONE,
            limit: [f32::INFINITY; LANES],
            known: 0..0,
        };
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

    #[inline(always)]
    fn around(&self, blocks: &[Block]) -> Circle {
        Circle::around(blocks.iter().map(|b| [&b.narrow.x, &b.narrow.y, &b.narrow.noise]), self.caution.slack)
    }

    /// Puts rivers over the samples of a square and bends it; asks the channels of the nearest waters.
    #[inline(always)]
    fn bend(&self, square: &mut [Block], at: &[Vec3], lists: &mut Lists, out: &mut [Shaped]) {
        lists.rough.clear();
        let [all, around, near] = &mut lists.waters;
        around.nearest(all, &self.around(square), &self.caution);
        for block in square {
            near.nearest(around, &self.around(std::slice::from_ref(block)), &self.caution);
            let clear = self.clear(block, (at, &near.ids), &mut lists.rivers, out);
            self.level(block, &lists.rivers, out);
            for (shore, &k) in
                block.shores.iter().flat_map(|all| all.iter()).zip(&block.at).take(block.filled)
            {
                let river = &mut out[k as usize].river;
                *river = river.map(|river| shore.shallow(river));
            }
            for lane in 0..block.filled {
                let warp = lists.warp[block.at[lane] as usize];
                let bent = self.style.bend(warp, f64::from(clear.clear_m[lane]));
                let [x, y] = self.frame.along(bent.by, [block.x[lane], block.y[lane]]);
                block.x[lane] += x;
                block.y[lane] += y;
                block.noise[lane] = bent.slope;
            }
            block.settle();
            self.ask(block, &clear.channel, &mut lists.rough);
        }
    }

    /// Distance from the nearest water's edge, of all channels in the list; puts its rivers over the samples.
    #[inline(always)]
    fn clear(
        &self,
        block: &mut Block,
        (at, list): (&[Vec3], &[u32]),
        rivers: &mut Vec<usize>,
        out: &mut [Shaped],
    ) -> Clear {
        rivers.clear();
        let mut clear = Clear { clear_m: [f32::INFINITY; LANES], channel: [0; LANES] };
        for &k in list {
            let segment = &self.narrow[k as usize];
            let mut own_m = [0.0; LANES];
            let samples = &block.narrow;
            for (lane, own_m) in own_m.iter_mut().enumerate() {
                *own_m = segment.clear(samples.x[lane], samples.y[lane]).1;
                let nearer = *own_m < clear.clear_m[lane];
                clear.channel[lane] = if nearer { k } else { clear.channel[lane] };
                clear.clear_m[lane] = least(*own_m, clear.clear_m[lane]);
            }
            if own_m.into_iter().fold(f32::INFINITY, least) <= self.caution.slack
                && let Ok(river) = self.rivers.binary_search_by_key(&k, |river| river.channel)
            {
                self.cover(block, &self.rivers[river], out);
                rivers.push(river);
            }
        }
        for (shore, &k) in
            block.shores.iter_mut().flat_map(|all| all.iter_mut()).zip(&block.at).take(block.filled)
        {
            let k = k as usize;
            out[k].river = shore.settle(at[k], &self.style.banks, out[k].river);
        }
        clear
    }

    /// Puts a river over the samples of a block.
    #[inline(always)]
    fn cover(&self, block: &mut Block, river: &River, out: &mut [Shaped]) {
        let segment = &self.segments[river.channel as usize];
        for lane in 0..block.filled {
            let (t, clear) = segment.clear(block.x[lane], block.y[lane]);
            if clear >= 0.0 {
                continue;
            }
            let here = river.at(segment, t);
            if segment.uneven > 0.0 {
                let half_m = segment.half_width[0] + t * segment.half_width[1];
                let shores = block.shores.get_or_insert_with(|| Box::new([Shore::NONE; LANES]));
                shores[lane].add(Room { half_m, uneven: segment.uneven, within_m: -clear }, here);
            } else {
                put(&mut out[block.at[lane] as usize], here);
            }
        }
    }

    /// Mixes the water of all rivers over a sample that carry about as much: of links shorter than their river is wide
    /// there are many, and with one of them alone its water would stand in steps.
    #[inline(always)]
    fn level(&self, block: &Block, rivers: &[usize], out: &mut [Shaped]) {
        let mut sums = [[0.0; 3]; LANES];
        for river in rivers.iter().map(|&k| &self.rivers[k]) {
            let segment = &self.segments[river.channel as usize];
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

    /// Asks some channels for their bounds at the samples of a block.
    #[inline(always)]
    fn ask(&self, block: &mut Block, channels: &[u32; LANES], rough: &mut Vec<Rough>) {
        let from = rough.len();
        for &channel in channels {
            if rough[from..].iter().all(|known| known.channel != channel) {
                rough.push(Rough { channel, low: self.bounds(channel, &block.narrow, &mut block.limit) });
            }
        }
        block.known = from..rough.len();
    }

    /// The ground at every sample of a block.
    #[inline(always)]
    fn lower(&self, block: &mut Block, lists: &mut Lists, out: &mut [Shaped]) {
        self.rough(block, lists);
        let Lists { rough, order, parts, .. } = lists;
        parts.iter_mut().for_each(Vec::clear);
        for &(channel, k) in order.iter() {
            let segment = &self.segments[channel as usize];
            let mut counts = 0u32;
            for lane in 0..LANES {
                counts |= u32::from(rough[k].low[lane] <= block.limit[lane]) << lane;
            }
            counts &= (1 << block.filled) - 1;
            while counts > 0 {
                let lane = counts.trailing_zeros() as usize;
                counts &= counts - 1;
                let part = segment.part(block.x[lane], block.y[lane], block.noise[lane], &self.scale);
                parts[lane].push(Slope { channel, steep: segment.base, part });
            }
        }
        let by = (&self.frame, self.style.texture.as_ref());
        for (lane, parts) in parts.iter_mut().enumerate().take(block.filled) {
            let Some(ground) = crest::ground([block.x[lane], block.y[lane]], parts, by) else {
                continue;
            };
            let shaped = &mut out[block.at[lane] as usize];
            let shore = block.shores.as_ref().map_or(Shore::NONE, |shores| shores[lane]);
            shaped.river = shaped.river.map(|river| shore.cut_down(river, ground.height_m));
            shaped.elevation_m = shore.ground_m(ground.height_m, shaped.river.as_ref());
            (shaped.foot_m, shaped.nearest) = (ground.foot_m, Some(ground.channel));
        }
    }

    /// Lower bounds of what channels give at the samples, and the order of their numbers; what no minimum exceeds.
    #[inline(always)]
    fn rough(&self, block: &mut Block, lists: &mut Lists) {
        let Lists { slopes: [_, near], rough, bounds, order, .. } = lists;
        let mut highest = block.highest();
        let circle = self.around(std::slice::from_ref(block));
        near.list((&circle, highest), &self.caution, bounds);
        // the most promising first: what it leaves as a limit spares others
        if let Some(first) = (0..bounds.len()).min_by(|&a, &b| bounds[a].0.total_cmp(&bounds[b].0)) {
            bounds.swap(0, first);
        }
        order.clear();
        order.extend(block.known.clone().map(|k| (rough[k].channel, k)));
        let known = order.len();
        for &(low, channel) in bounds.iter() {
            if low > highest {
                continue;
            }
            if order[..known].iter().all(|(known, _)| *known != channel) {
                order.push((channel, rough.len()));
                rough.push(Rough { channel, low: self.bounds(channel, &block.narrow, &mut block.limit) });
                highest = block.highest();
            }
        }
        order.sort_unstable();
    }

    /// Lower bounds of what a channel gives at the samples; its upper bounds lower the limit.
    #[inline(always)]
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

/// Channels around a tile for which there is room from the start.
const USUAL: usize = 256;

/// Samples along a side of the squares in which channels are culled for blocks.
const SQUARE: usize = 4 * SIDE;

/// Puts a river over a sample, if it is greater than that which is there.
fn put(shaped: &mut Shaped, river: RiverHere) {
    if shaped.river.is_none_or(|old| river.discharge_m3_s > old.discharge_m3_s) {
        shaped.river = Some(river);
    }
}

impl River {
    fn at(&self, segment: &Segment<f64>, t: f64) -> RiverHere {
        let bed_m = segment.bed[0] + t * segment.bed[1];
        let surface_m = bed_m + (segment.depth[0] + t * segment.depth[1]);
        let Self { channel, discharge_m3_s, order } = *self;
        RiverHere { channel, bed_m, surface_m, discharge_m3_s, order }
    }
}

impl Block {
    /// What the minima of all samples do not exceed.
    #[inline(always)]
    fn highest(&self) -> f32 {
        self.limit.into_iter().fold(f32::NEG_INFINITY, most)
    }

    /// Whether two blocks lie in one square.
    fn is_beside(&self, other: &Self) -> bool {
        let square = |block: &Self| (block.corner.0 / SQUARE, block.corner.1 / SQUARE);
        square(self) == square(other)
    }

    /// With unfilled lanes like the last filled one; none where none is filled.
    #[inline(always)]
    fn pad(mut self) -> Option<Self> {
        (self.filled > 0).then(|| {
            self.settle();
            self
        })
    }

    /// Clones the last lane into unfilled ones, and narrows all.
    #[inline(always)]
    fn settle(&mut self) {
        let last = self.filled - 1;
        for lane in self.filled..LANES {
            (self.x[lane], self.y[lane]) = (self.x[last], self.y[last]);
            self.noise[lane] = self.noise[last];
        }
        let Samples { x, y, noise } = &mut self.narrow;
        for lane in 0..LANES {
            x[lane] = self.x[lane] as f32;
            y[lane] = self.y[lane] as f32;
            noise[lane] = self.noise[lane] as f32;
        }
    }
}
