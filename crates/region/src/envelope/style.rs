//! What all tiles of a level have in common, and the noise that bends hillslopes.

use super::texture::Texture;
use crate::banks::Banks;
use grid::noise::Noise;
use grid::{Nth, Purpose, Seed, Vec3, math};

const WARP: Purpose = Purpose::new("region/envelope/warp");

const OCTAVES: u32 = 4;
/// From this octave on they move nothing by as much as a hundredth of the spacing of sites.
const FAINT: u32 = 2;
/// Longest wavelength of the warp and its strength, in spacings of sites.
const WAVELENGTH: f64 = 1.3;
const STRENGTH: f64 = 0.28;
/// Strength of an octave relative to the one before it: with a half, fine samples would show lumps, and folds with
/// pits in them.
const GAIN: f64 = 0.3;
/// The warp is at full strength from this distance from water on, in spacings of sites.
const FREE: f64 = 0.7;
/// Strength of the noise on slopes, of which the deviation is 0.27.
const UNEVEN: f64 = 0.4;
/// Steepest gradient of a hillslope of loose rock: 40 degrees.
const THRESHOLD: f64 = 0.839;
/// A channel is nobody's beyond this many spacings, less a third for the jitter of sites.
const REACH: f64 = 4.0 - 0.35;
/// Rivers narrower than this share of the spacing of samples are not drawn.
const LEAST_WIDTH: f64 = 1.0 / 40.0;

/// Lengths, noise and texture of one level of one world.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    /// Distance between samples, in metres.
    pub(super) spacing_m: f64,
    /// Distance between sites, in metres.
    pub(super) site_m: f64,
    /// Steepest gradient of a hillslope (1 is 45 degrees).
    pub(super) threshold: f64,
    pub(super) warp: Vec<(Noise, f64, f64)>,
    pub(super) texture: Option<Texture>,
    pub(super) banks: Banks,
}

/// What noise does at a place: a displacement in metres and a factor on slopes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bent {
    pub by: Vec3,
    pub slope: f64,
}

impl Style {
    /// The style of samples `spacing_m` apart over sites `site_m` apart; with fine texture or without.
    pub fn new(seed: Seed, spacing_m: f64, site_m: f64, texture: bool) -> Self {
        let longest = WAVELENGTH * site_m;
        // nothing shorter than three samples, faint octaves than six; the last one fades in
        let count = math::log2(longest / (3.0 * spacing_m)) + 1.0;
        let octave = |k: u32| {
            let scale = f64::from(1 << k);
            let faint = f64::from(u8::from(k >= FAINT));
            let share = (count - faint - f64::from(k)).clamp(0.0, 1.0);
            (
                Noise::new(seed.key(WARP).within(Nth(k))),
                scale / longest,
                share * math::pow(GAIN, f64::from(k)),
            )
        };
        let warp = (0..OCTAVES).map(octave).filter(|(_, _, share)| *share > 0.0).collect();
        let texture = texture.then(|| Texture::new(seed, spacing_m, site_m));
        let banks = Banks::new(seed, spacing_m);
        Self { spacing_m, site_m, threshold: THRESHOLD, warp, texture, banks }
    }

    /// A channel has no say beyond this distance from the edge of its valley floor, in metres.
    pub fn reach_m(&self) -> f64 {
        REACH * self.site_m
    }

    /// Channels whose floor's edge is farther than this from a sample have no say in it, wherever it is bent: noise
    /// stays within 1.23 on each axis.
    pub fn gather_m(&self) -> f64 {
        let octaves: f64 = self.warp.iter().map(|(_, _, share)| share).sum();
        self.reach_m() + STRENGTH * self.site_m * octaves * 1.23 * 3f64.sqrt()
    }

    /// Whether a channel's water is drawn: all pieces of a link agree.
    pub fn draws(&self, channel: &super::Channel) -> bool {
        channel.half_width_m.0.max(channel.half_width_m.1) >= self.least_drawn_m()
    }

    /// Rivers of a lesser half width are not drawn.
    pub(super) fn least_drawn_m(&self) -> f64 {
        0.5 * LEAST_WIDTH * self.spacing_m
    }

    /// The sums of the warp's octaves at places that follow one another.
    pub(super) fn warp(&self, at: &[Vec3], fours: &mut Vec<[f32; 4]>, sums: &mut Vec<[f64; 4]>) {
        sums.clear();
        sums.resize(at.len(), [0.0; 4]);
        fours.resize(at.len(), [0.0; 4]);
        for (noise, scale, share) in &self.warp {
            noise.row_of_fours(at, *scale, fours);
            for (sum, four) in sums.iter_mut().zip(&*fours) {
                for k in 0..4 {
                    sum[k] += f64::from(four[k]) * share;
                }
            }
        }
    }

    /// The bend at a place that lies `clear_m` from the nearest water's edge, from the warp there: none on the water and at
    /// its edge.
    pub(super) fn bend(&self, warp: [f64; 4], clear_m: f64) -> Bent {
        let free = math::smoothstep(0.0, FREE * self.site_m, clear_m);
        let strength = STRENGTH * self.site_m * free;
        let by = Vec3::new(warp[0] * strength, warp[1] * strength, warp[2] * strength);
        Bent { by, slope: 1.0 + UNEVEN * warp[3] }
    }
}
