//! Noise whose roughness may vary from place to place.

use grid::noise::Noise;
use grid::{Nth, Purpose, Seed, Vec3, math};
use std::cell::RefCell;

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
        1.0 / self.scale(k)
    }

    /// The sum of the octaves, each weaker by `gain` than the one before.
    pub fn sum(&self, q: Vec3, gain: f64) -> f64 {
        self.weighted(gain, |k| self.octaves[k].at(q * self.scale(k)))
    }

    fn scale(&self, k: usize) -> f64 {
        self.scale * (1u64 << k) as f64
    }

    /// The strength of an octave: the last is used by its fraction.
    fn share(&self, k: usize) -> f64 {
        (self.count - k as f64).min(1.0)
    }

    fn weighted(&self, gain: f64, octave: impl Fn(usize) -> f64) -> f64 {
        let (mut sum, mut amplitude) = (0.0, 1.0);
        for k in 0..self.octaves.len() {
            sum += amplitude * (self.share(k) * octave(k));
            amplitude *= gain;
        }
        sum
    }
}

/// A place in bent space, in metres.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub q: Vec3,
    /// Its number in the row of places that was begun, if it is one of them.
    pub column: Option<usize>,
}

impl From<Vec3> for At {
    fn from(q: Vec3) -> Self {
        Self { q, column: None }
    }
}

/// Octaves at single places, and along rows of them: there broad ones are found for the whole row at once.
pub(super) struct Rows {
    octaves: Octaves,
    /// How many octaves are broad.
    broad: usize,
    row: RefCell<Row>,
}

/// Places that follow one another, and octaves there as far as they were asked for.
#[derive(Default)]
struct Row {
    places: Vec<Vec3>,
    octaves: Vec<Vec<f64>>,
}

/// Octaves at least so many times as long as what shows them are broad: where one place of a row needs them most do, and many
/// places share a cell of their lattice.
const BROAD: f64 = 4.0;

impl Rows {
    /// See [`Octaves::new`].
    pub fn new(key: (Seed, Purpose), wavelength_m: f64, least_m: f64, size_m: f64) -> Self {
        let octaves = Octaves::new(key, wavelength_m, least_m, size_m);
        let broad = (0..octaves.len()).take_while(|&k| octaves.wavelength_m(k) >= BROAD * size_m).count();
        Self { octaves, broad, row: RefCell::default() }
    }

    /// How many octaves there are.
    pub fn len(&self) -> usize {
        self.octaves.len()
    }

    /// Wavelength of an octave in metres.
    pub fn wavelength_m(&self, k: usize) -> f64 {
        self.octaves.wavelength_m(k)
    }

    /// Begins a row of places in bent space; those asked for by their column are meant to be of it.
    pub fn begin(&self, places: &[Vec3]) {
        let mut row = self.row.borrow_mut();
        row.places.clear();
        row.places.extend_from_slice(places);
        row.octaves.resize(self.broad, Vec::new());
        row.octaves.iter_mut().for_each(Vec::clear);
    }

    /// One octave at full strength (deviation 0.27); the last by its fraction.
    pub fn octave(&self, k: usize, at: At) -> f64 {
        self.octaves.share(k) * self.whole(k, at)
    }

    /// The sum of the octaves, each weaker by `gain` than the one before.
    pub fn sum(&self, at: At, gain: f64) -> f64 {
        self.octaves.weighted(gain, |k| self.whole(k, at))
    }

    fn whole(&self, k: usize, At { q, column }: At) -> f64 {
        let (noise, scale) = (&self.octaves.octaves[k], self.octaves.scale(k));
        match column {
            Some(column) if k < self.broad => self.row.borrow_mut().octave((k, noise), scale)[column],
            _ => noise.at(q * scale),
        }
    }
}

impl Row {
    fn octave(&mut self, (k, noise): (usize, &Noise), scale: f64) -> &[f64] {
        let values = &mut self.octaves[k];
        if values.is_empty() {
            values.resize(self.places.len(), 0.0);
            noise.row(&self.places, scale, values);
        }
        values
    }
}
