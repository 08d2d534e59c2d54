//! Shores: on which side of a coast or of a lake's shore a place lies.
//!
//! The coast is where a sum changes its sign: the smooth mean of the cells' own distances, in cells, and noise. The noise's
//! gain, how fast its octaves fade, follows climate and relief: worn low coasts are smooth, rocky and icy ones ragged
//! (gain g makes a line of dimension 2 + log2 g, 1.1 to 1.4). An octave counts in full only near the line that the longer
//! ones have drawn, so that shores break up and plains and seas far from them cost nothing.
//!
//! On low warm coasts the sea builds bars: strips of land along the line of the longest octaves, some way out, with lagoons
//! behind. Their width and their distance vary along the coast; towards their ends they come up to it as spits; inlets break
//! them, with round ends that are broader and bend landward; they are flat but for ridges of dunes.

use super::cells::Means;
use super::country::Here;
use super::lakes::{LAKE_ENDS, LakeNear};
use super::noise::{At, Rows};
use grid::{Purpose, Seed, Vec3, math};
use std::rc::Rc;

const COAST: Purpose = Purpose::new("region/coast");
const BARS: Purpose = Purpose::new("region/coast/bars");
const BAR_SHAPE: Purpose = Purpose::new("region/coast/bars/shape");
const SHORE: Purpose = Purpose::new("region/lake shore");

/// A place among shores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shore {
    /// The lesser of both below, in cells: positive on land.
    pub shore: f64,
    /// About the distance to the sea.
    pub coast: f64,
    /// The same to the line of the longer octaves where that is farther, but no more than [`CLIFFS`] times the other: the shores of
    /// small bays are cliffs.
    pub broad: f64,
    /// That to the line of the longer octaves, or the other where that is farther.
    pub smooth: f64,
    /// [`Self::broad`] without deltas.
    pub free: f64,
    /// How much the place is land that the sea has built, 0 to 1: a bar.
    pub bar: f64,
    /// The lake near, with its shore as it is here.
    pub near: Option<LakeNear>,
    /// The same where it covers the place.
    pub lake: Option<LakeNear>,
    /// Whether the lake near has no outflow.
    pub is_salt: bool,
}

/// A coast: about the distance to the sea, that to the line of the longer octaves, and how much there is a bar.
struct Line {
    coast: f64,
    smooth: f64,
    bar: f64,
}

/// The noises of coasts and shores.
pub(super) struct Coasts {
    coast: Rows,
    bars: Rows,
    /// Inlets, widths and dunes of bars, by octaves.
    bar_shape: Rows,
    shore: Rows,
    /// How much of bars is shown: nothing where they would be narrower than what they are shown with.
    bar: f64,
}

/// Broadest wavelengths in cells.
const COAST_CELLS: f64 = 3.2;
const BARS_CELLS: f64 = 3.0;
const BAR_SHAPE_CELLS: f64 = 0.55;
const SHORE_CELLS: f64 = 1.2;
/// Strength of the noise, in cells.
const COAST_NOISE: f64 = 1.8;
/// Strength of the noise of lakes' shores, as the logarithm of a width, how fast it fades, and that of hills.
const SHORE_NOISE: f64 = 1.7;
const SHORE_GAIN: f64 = 0.64;
const LAKE_HILLS: f64 = 0.9;
/// Noise moves the shore of a lake outwards by less than this over the height of the land beyond, in cells and metres: water does not climb. In
/// ranges valleys stand over the plain by this share of the mountains.
const LAKE_OUT_M: f64 = 40.0;
const VALLEYS: f64 = 0.5;
/// There it moves shores inwards instead, the more the higher the land is, in metres: lakes of ranges are narrower, and as ragged.
const LAKE_INWARDS: f64 = 0.9;
const WALLED_M: (f64, f64) = (100.0, 800.0);
/// Gain of the noise on worn coasts, and what rocks and ice add.
const WORN_GAIN: f64 = 0.58;
const ROCKY_GAIN: f64 = 0.08;
const ICY_GAIN: f64 = 0.06;
/// Shores of two lakes keep this apart, and lakes and the sea, in cells.
pub(super) const PARTED: f64 = 0.12;
/// Octaves that the land behind small bays keeps to.
const SMOOTH_OCTAVES: usize = 3;
/// Strength of the noise at the rim of deltas, how far from it that fades, in cells, and its first octave.
const DELTA_NOISE: f64 = 0.15;
const DELTA_RIM: f64 = 0.3;
const DELTA_FROM: usize = 2;
/// No octave of noise is farther from 0: see [`grid::noise::Noise`].
const NOISE_MOST: f64 = 1.23;
/// Corners between deltas and other land are filled within this, in cells.
const DELTA_CORNER: f64 = 0.2;
/// How much faster than beside other shores land may rise beside a small bay.
const CLIFFS: f64 = 3.0;
/// Octaves that bars follow: smooth, but not beyond the bays beside them.
const BAR_OCTAVES: usize = 4;
/// Bars lie so far out where they begin and at most, in cells.
const BAR_OUT: (f64, f64) = (0.02, 0.17);
/// Half width of bars, least, on the mean and at most, in cells.
const BAR_WIDTH: (f64, f64, f64) = (0.006, 0.017, 0.045);
/// How steep the sides of bars are beside the coast's own, and how far from the coast their tops seem to be, in cells: low.
const BAR_SIDE: f64 = 3.0;
const BAR_TOP: f64 = 0.016;
/// Sand from which on there are bars, the noise where they begin and are at their farthest, and how low they are before that, in
/// cells.
const BAR_SAND: (f64, f64) = (0.3, 0.6);
const BAR_NOISE: (f64, f64) = (0.10, 0.40);
const BAR_ENDS: f64 = 0.6;
/// Inlets are where the first octave of a bar's shape is nearer to 0 than this; up to so many times that, ends are broader, and
/// bent landward by this share of how far out they lie.
const INLET: f64 = 0.035;
const INLET_ENDS: f64 = 6.0;
/// Half an inlet is about so wide, in cells: by that ends of bars are round.
const INLET_CELLS: f64 = 0.008;
const INLET_BROADER: f64 = 0.5;
const INLET_BENT: f64 = 0.25;
/// Land is all of a bar's own where it would lie so far out at sea without, in cells.
const BAR_ROOT: f64 = 0.01;
/// Ridges of dunes: how much of a bar's height they take and give.
const DUNES: f64 = 0.6;

impl Coasts {
    pub fn new(seed: Seed, cell_m: f64, size_m: f64) -> Self {
        Self {
            coast: Rows::new((seed, COAST), COAST_CELLS * cell_m, 0.0, size_m),
            bars: Rows::new((seed, BARS), BARS_CELLS * cell_m, 0.2 * cell_m, size_m),
            shore: Rows::new((seed, SHORE), SHORE_CELLS * cell_m, 0.0, size_m),
            bar_shape: Rows::new((seed, BAR_SHAPE), BAR_SHAPE_CELLS * cell_m, 0.0, size_m),
            bar: math::smoothstep(1.0, 0.4, size_m / (BAR_WIDTH.1 * cell_m)),
        }
    }

    /// Begins a row of places in bent space, which may then be asked for by their columns.
    pub fn begin(&self, row: &Rc<[Vec3]>) {
        [&self.coast, &self.bars, &self.bar_shape, &self.shore]
            .into_iter()
            .for_each(|noise| noise.begin(row));
    }

    /// The shores at a place that lies so many cells within the land of deltas; negative beyond it.
    pub fn at(&self, at: At, means: &Means, (here, built): (&Here, f64)) -> Shore {
        let Line { coast, smooth, bar } = self.coast(at, means, here);
        let free = broad(coast, smooth);
        let coast = joined(coast, self.ragged(at, (built, coast)));
        let [broad, smooth] = [free, smooth].map(|out| out.max(built).max(coast));
        let near = means.lake.map(|lake| {
            let rise_m = (means.land_m - lake.level_m).max(0.0) + VALLEYS * means.mountain_m;
            let lake = lake.drawn_back(rise_m);
            LakeNear { shore: self.lake_shore(at, &lake, coast, (here, rise_m)), ..lake }
        });
        let lake = near.filter(|l| l.shore < 0.0 && coast > 0.0);
        let shore = near.map_or(coast, |l| coast.min(l.shore));
        Shore { shore, coast, broad, smooth, free, bar, near, lake, is_salt: false }
    }

    /// The rim of land that deltas have built, from its distance in cells; where the coast is another, something less than that
    /// by [`DELTA_CORNER`].
    fn ragged(&self, at: At, (built, coast): (f64, f64)) -> f64 {
        if built.abs() > DELTA_RIM {
            return built;
        }
        let near = 1.0 - (built / DELTA_RIM).abs();
        let (mut sum, mut strength) = (0.0, DELTA_NOISE);
        for k in DELTA_FROM..self.coast.len() {
            let most = sum + NOISE_MOST * strength / (1.0 - WORN_GAIN);
            if built + most * near + DELTA_CORNER < coast {
                break;
            }
            sum += strength * self.coast.octave(k, at);
            strength *= WORN_GAIN;
        }
        built + sum * near
    }

    /// The coast at a place.
    fn coast(&self, at: At, means: &Means, here: &Here) -> Line {
        if means.mixed <= 0.0 {
            return Line { coast: means.coast, smooth: means.coast, bar: 0.0 };
        }
        let Sum { all, smooth, bars } = self.bare(at, means, here);
        let sandy = here.sandy * means.mixed;
        if self.bar <= 0.0 || sandy <= BAR_SAND.0 || bars.abs() > 0.5 {
            return Line { coast: all, smooth, bar: 0.0 };
        }
        let sand = self.bar * math::smoothstep(BAR_SAND.0, BAR_SAND.1, sandy);
        let built = self.bar(at, -bars, sand);
        Line { coast: all.max(built), smooth, bar: math::smoothstep(0.0, BAR_ROOT, built - all) }
    }

    /// The coast without bars.
    fn bare(&self, at: At, means: &Means, here: &Here) -> Sum {
        let gain = WORN_GAIN + ROCKY_GAIN * here.rocky + ICY_GAIN * here.ice;
        let noise =
            Near { strength: COAST_NOISE * means.mixed, gain, ends: WIDEST, full: 0.0, firm: here.rocky };
        noise.add(means.coast + means.mixed * here.headland(), &self.coast, at)
    }

    /// Whether a place is land of a bar.
    #[cfg(test)]
    pub fn is_bar(&self, at: At, means: &Means, here: &Here) -> bool {
        means.mixed > 0.0 && self.coast(at, means, here).coast > 0.0 && self.bare(at, means, here).all <= 0.0
    }

    /// About how far inside a bar a place is, so far out from the smooth line of the coast, in cells; with so much of the
    /// sand that bars need.
    fn bar(&self, at: At, out: f64, sand: f64) -> f64 {
        let free = math::smoothstep(BAR_NOISE.0, BAR_NOISE.1, self.bars.sum(at, 0.6));
        let strength = sand * math::smoothstep(0.0, 0.15, free);
        if strength <= 0.0 {
            return f64::NEG_INFINITY;
        }
        let inlet = self.bar_shape.octave(0, at).abs() / INLET;
        // 1 beside an inlet, 0 away from it
        let end = math::smoothstep(INLET_ENDS, 1.0, inlet);
        let middle = math::mix(BAR_OUT.0, BAR_OUT.1, free) * (1.0 - INLET_BENT * end * end);
        let varied = BAR_WIDTH.1 * math::exp(3.0 * self.octave(1, at)) * (1.0 + INLET_BROADER * end);
        let broadest = varied.clamp(BAR_WIDTH.0, BAR_WIDTH.2);
        let half = broadest * round((inlet - 1.0) * INLET_CELLS / broadest) * strength;
        let inside = BAR_SIDE * (half - (out - middle).abs()) - BAR_ENDS * (1.0 - strength);
        if inside <= 0.0 {
            return inside;
        }
        let dunes = 1.0 + DUNES * (self.octave(3, at) + self.octave(4, at));
        BAR_TOP * dunes * inside / (inside + BAR_TOP)
    }

    /// An octave of the shape of bars, if samples show it.
    fn octave(&self, k: usize, at: At) -> f64 {
        if k < self.bar_shape.len() { self.bar_shape.octave(k, at) } else { 0.0 }
    }

    /// The distance to the shore of a lake beside land that stands so many metres over it.
    fn lake_shore(&self, at: At, lake: &LakeNear, coast: f64, (here, rise_m): (&Here, f64)) -> f64 {
        let near = math::smoothstep(LAKE_ENDS, 0.5 * LAKE_ENDS, lake.even);
        if near <= 0.0 {
            return 1.0;
        }
        let free = self.lake_free(at, lake, (here, rise_m));
        let shore = free.max(PARTED - lake.lead).max(PARTED - coast);
        math::mix(1.0, shore, near)
    }

    /// The distance to the shore of a lake, were there no other water. Noise varies its half width by factors: it is never
    /// closed. What changes the shore by less than how far it is makes no difference.
    fn lake_free(&self, at: At, lake: &LakeNear, (here, rise_m): (&Here, f64)) -> f64 {
        let most = LAKE_OUT_M / rise_m.max(1.0);
        let wider = |noise: f64| {
            let out = lake.half * (math::exp(noise) - 1.0);
            lake.even - if out > 0.0 { out / (1.0 + out / most) } else { out }
        };
        let narrow = 1.0 - 0.5 * math::smoothstep(0.25, 0.7, lake.half);
        let mut noise = LAKE_HILLS * (0.3 + 0.7 * here.rocky) * (0.5 - here.rolling)
            - LAKE_INWARDS * narrow * math::smoothstep(WALLED_M.0, WALLED_M.1, rise_m);
        let (mut shore, mut strength) = (wider(noise), SHORE_NOISE * narrow);
        for k in 0..self.shore.len() {
            let reach = FULL * USUAL * strength * lake.half / (1.0 - SHORE_GAIN);
            let share = math::smoothstep(2.0 * reach, reach, shore.abs());
            if share <= 0.0 {
                break;
            }
            noise += share * strength * self.shore.octave(k, at);
            shore = wider(noise);
            strength *= fade(&self.shore, k, SHORE_GAIN);
        }
        shore
    }
}

/// How broad a bar with a round end is so far from the end, both as shares of half the breadth that it has farther on.
fn round(from_end: f64) -> f64 {
    let x = from_end.clamp(0.0, 1.0);
    (x * (2.0 - x)).sqrt()
}

/// The greater of two, and more where they are about as great: of land and what is built beside it.
fn joined(a: f64, b: f64) -> f64 {
    let near = (1.0 - (a - b).abs() / DELTA_CORNER).max(0.0);
    a.max(b) + 0.25 * DELTA_CORNER * near * near
}

/// The distance to a shore, small bays left out, from that to the line without short octaves: see [`Shore::broad`].
pub(super) fn broad(shore: f64, smooth: f64) -> f64 {
    smooth.min(CLIFFS * shore).max(shore)
}

/// A value with noise: with all octaves, with those that land behind small bays keeps to, and with those that bars follow.
struct Sum {
    all: f64,
    smooth: f64,
    bars: f64,
}

/// Noise that counts near a line only.
struct Near {
    strength: f64,
    gain: f64,
    /// No octave counts farther from the line, nor in full beyond the second, in cells.
    ends: f64,
    full: f64,
    /// How much the land resists, 0 to 1: see [`INTO`].
    firm: f64,
}

/// An octave counts in full within this many times what it and the shorter ones can add, and not at all beyond twice that.
const FULL: f64 = 1.6;
/// Firm land is not opened by an octave from so many times its reach inland on, where there would be holes, not bays.
const INTO: f64 = 1.0;
/// Octaves open land no faster than they would with this gain, where the longer ones have put it farther inland than this share of
/// their reach: rocks stand far out at sea, but with so much noise behind the shore there would be pits down to the sea.
const INLAND_GAIN: f64 = 0.55;
const INLAND: f64 = 0.1;
/// On coasts never beyond this, in cells, so that the middle of a cell beside the coast mostly stays on its side.
const WIDEST: f64 = 1.6;
/// Octaves shorter than this, in metres, fade at least by half, so that shores are steep but not endlessly so.
const RAGGED_M: f64 = 400.0;
/// Share of its strength that the longest octave has, so that it moves no shore far on the whole.
const FIRST: f64 = 0.5;
/// What an octave can add, as a share of its strength: nine of ten values are smaller.
const USUAL: f64 = 0.45;

/// Strength of the octave after one, as a share of its own.
fn fade(noise: &Rows, k: usize, gain: f64) -> f64 {
    if noise.wavelength_m(k) > RAGGED_M { gain } else { gain.min(0.5) }
}

impl Near {
    /// The sum of `value` and the octaves.
    fn add(&self, value: f64, noise: &Rows, at: At) -> Sum {
        let (mut sum, mut smooth, mut bars) = (value, value, value);
        let mut strength = self.strength * math::smoothstep(self.ends, self.full, value.abs());
        if strength <= 0.0 {
            return Sum { all: value, smooth, bars };
        }
        // what an octave opens inland, as a share of what it adds at sea
        let mut inland = 1.0;
        for k in 0..noise.len() {
            let reach = FULL * USUAL * strength / (1.0 - self.gain);
            let share = math::smoothstep(2.0 * reach, reach, sum.abs());
            if share <= 0.0 {
                break;
            }
            let weight = if k == 0 { FIRST } else { 1.0 };
            let octave = noise.octave(k, at);
            let opens = if octave < 0.0 { self.opens(sum, (reach, inland)) } else { 1.0 };
            sum += weight * strength * share * opens * octave;
            inland *= (INLAND_GAIN / self.gain).min(1.0);
            strength *= fade(noise, k, self.gain);
            if k < SMOOTH_OCTAVES {
                smooth = sum;
            }
            if k < BAR_OCTAVES {
                bars = sum;
            }
        }
        Sum { all: sum, smooth, bars }
    }

    /// How much an octave opens land that the longer ones have put so far inland, in cells.
    fn opens(&self, sum: f64, (reach, inland): (f64, f64)) -> f64 {
        let resists = self.firm * math::smoothstep(0.0, INTO * reach, sum);
        let worn = math::mix(1.0, inland, math::smoothstep(0.0, INLAND * reach, sum));
        (1.0 - resists) * worn
    }
}
