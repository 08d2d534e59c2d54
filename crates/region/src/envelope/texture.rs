//! Rills below the level of channels: they run down the hillslope and grow with the height above the channel.

use super::Frame;
use super::crest::Slope;
use super::real::least;
use grid::noise::Noise;
use grid::{Nth, Purpose, Seed, math};

const RILLS: Purpose = Purpose::new("region/envelope/rills");

/// Longest distance between rills and the distance from the channel where they are that far apart, in spacings
/// of sites.
const WAVELENGTH: f64 = 0.5;
const CONTOUR: f64 = 0.4;
/// The noise of rills drifts along a fall line by this share of the way: rills are five times as long as they are
/// far apart.
const DRIFT: f64 = 0.2;
/// Rills are round at the bottom where their noise is less than this.
const ROUND: f64 = 0.045;
/// Greatest depth of rills relative to their distance, on a slope of gradient 1.
const DEPTH: f64 = 0.16;
/// Rills take no more than this share of the height above the channel, the first octave half of it and every further
/// one half as much as the one before: so no rill rises downwards, and channels keep their beds.
const MOST: f64 = 0.1;
const MOST_OCTAVES: u32 = 8;
/// What an octave takes on the mean, of its depth.
const MEAN: f64 = 0.53;

/// Rills of one level.
#[derive(Clone, Debug)]
pub(super) struct Texture {
    octaves: Vec<Octave>,
    contour_m: f64,
}

#[derive(Clone, Debug)]
struct Octave {
    /// None where samples lie too far apart to show it: then it counts by its mean.
    noise: Option<Noise>,
    scale: f64,
    depth_m: f64,
    share: f64,
}

impl Texture {
    pub fn new(seed: Seed, spacing_m: f64, site_m: f64) -> Self {
        let longest = WAVELENGTH * site_m;
        let count = math::log2(longest / (2.0 * spacing_m)) + 1.0;
        let octave = |k: u32| {
            let wavelength = longest / f64::from(1 << k);
            let share = (count - f64::from(k)).clamp(0.0, 1.0);
            let shows = k == 0 || wavelength >= 2.0 * spacing_m;
            let noise = shows.then(|| Noise::new(seed.key(RILLS).within(Nth(k))));
            let most = MOST * 0.5 / f64::from(1 << k);
            Octave { noise, scale: 1.0 / wavelength, depth_m: DEPTH * wavelength * share, share: most }
        };
        let octaves = (0..MOST_OCTAVES).map(octave).filter(|o| o.depth_m > 0.0).collect();
        Self { octaves, contour_m: CONTOUR * site_m }
    }

    /// The greatest share of the height above a channel that rills take.
    pub fn most(&self) -> f64 {
        self.octaves.iter().map(|octave| octave.share).sum()
    }

    /// The most that rills may take from a hillslope.
    pub fn deepest_m(&self, slope: &Slope) -> f64 {
        self.octaves.iter().map(|octave| octave.depth_m(slope)).sum()
    }

    /// What rills take from a hillslope at a place on the plane.
    pub fn rills(&self, at: [f64; 2], slope: &Slope, frame: &Frame) -> f64 {
        let (d, climb, off) = (slope.part.d, slope.part.climb, slope.part.off);
        if climb <= 0.0 || d <= 0.0 {
            return 0.0;
        }
        // the fall line through the place, at the contour: the same for all places on it, but for a slow drift
        let along = (self.contour_m + (d - self.contour_m) * DRIFT - d) / d;
        let anchor = frame.lift([at[0] + off[0] * along, at[1] + off[1] * along]);
        let mut sum = 0.0;
        for octave in &self.octaves {
            let cut = octave.noise.as_ref().map_or(MEAN, |noise| cut(noise.at(anchor * octave.scale)));
            sum += octave.depth_m(slope) * cut;
        }
        sum
    }
}

impl Octave {
    /// Depth of the deepest rills on a hillslope.
    fn depth_m(&self, slope: &Slope) -> f64 {
        if slope.part.climb <= 0.0 {
            return 0.0;
        }
        let full = self.depth_m * least(slope.steep, 1.0);
        let most = self.share * slope.part.climb;
        full * most / (most + full)
    }
}

/// What noise takes, of the depth.
fn cut(n: f64) -> f64 {
    let n = n.abs();
    let side = if n < ROUND { 0.5 * (n * n * (1.0 / ROUND) + ROUND) } else { n };
    1.0 - least(side * 2.2, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::Vec3;

    #[test]
    fn the_mean_is_that_of_the_noise() {
        let noise = Noise::new(Seed(5).key(RILLS));
        let n = 200_000;
        let place = |k: u32| Vec3::new(0.377, 0.59, 1.13) * f64::from(k);
        let mean = (0..n).map(|k| cut(noise.at(place(k)))).sum::<f64>() / f64::from(n);
        assert!((mean - MEAN).abs() < 0.005, "{mean}");
    }
}
