//! Noise whose roughness may vary from place to place.

use grid::noise::Noise;
use grid::{Nth, Purpose, Seed, Vec3, math};

/// Octaves of lattice noise, each half as long as the one before, of which only what some size can show is used.
pub(super) struct Octaves {
    octaves: Vec<Noise>,
    scale: f64,
    /// How many are used; the last one by its fraction.
    count: f64,
}

/// Octaves from a few cells down to metres.
const MOST: f64 = 16.0;

impl Octaves {
    /// Noise of a broadest wavelength for things of `size_m`: nothing shorter than two of them, nor than `least_m`.
    pub fn new((seed, purpose): (Seed, Purpose), wavelength_m: f64, least_m: f64, size_m: f64) -> Self {
        let shortest_m = (2.0 * size_m).max(least_m);
        let count = (math::log2(wavelength_m / shortest_m) + 1.0).clamp(0.0, MOST);
        let key = seed.key(purpose);
        let octaves = (0..count.ceil() as u32).map(|k| Noise::new(key.within(Nth(k)))).collect();
        Self { octaves, scale: 1.0 / wavelength_m, count }
    }

    /// How many octaves there are.
    pub fn len(&self) -> usize {
        self.octaves.len()
    }

    /// Wavelength of an octave in metres.
    pub fn wavelength_m(&self, k: usize) -> f64 {
        1.0 / (self.scale * (1u64 << k) as f64)
    }

    /// One octave at full strength (deviation 0.27); the last by its fraction.
    pub fn octave(&self, k: usize, q: Vec3) -> f64 {
        let share = (self.count - k as f64).min(1.0);
        share * self.octaves[k].at(q * (self.scale * (1u64 << k) as f64))
    }

    /// The sum of the octaves, each weaker by `gain` than the one before.
    pub fn sum(&self, q: Vec3, gain: f64) -> f64 {
        let (mut sum, mut amplitude) = (0.0, 1.0);
        for k in 0..self.octaves.len() {
            sum += amplitude * self.octave(k, q);
            amplitude *= gain;
        }
        sum
    }
}
