//! Noise whose roughness may vary from place to place.

use grid::noise::Noise;
use grid::{Key, Nth, Purpose, Seed, Vec3, math};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::OnceLock;

/// Octaves of lattice noise, each half as long as the one before, of which only what some size can show is used.
pub(super) struct Octaves {
    /// Each is made when it is first asked for: far from coasts those of coasts are not.
    octaves: Vec<OnceLock<Noise>>,
    key: Key,
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
        let octaves = vec![OnceLock::new(); count.ceil() as usize];
        Self { octaves, key: seed.key(purpose), scale: 1.0 / wavelength_m, count }
    }

    fn noise(&self, k: usize) -> &Noise {
        self.octaves[k].get_or_init(|| Noise::new(self.key.within(Nth(k as u32))))
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
        let (mut sum, mut amplitude) = (0.0, 1.0);
        for k in 0..self.octaves.len() {
            sum += amplitude * (self.share(k) * self.at(k, q));
            amplitude *= gain;
        }
        sum
    }

    /// One octave at full strength.
    fn at(&self, k: usize, q: Vec3) -> f64 {
        self.noise(k).at(q * self.scale(k))
    }

    fn scale(&self, k: usize) -> f64 {
        self.scale * (1u64 << k) as f64
    }

    /// The strength of an octave: the last is used by its fraction.
    fn share(&self, k: usize) -> f64 {
        (self.count - k as f64).min(1.0)
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
    places: Option<Rc<[Vec3]>>,
    /// Octave by octave, each at all places.
    values: Vec<f64>,
    /// Those that are known, by their bits.
    known: u32,
    /// The sum of the broad octaves at all places, and the gain that it was asked for with.
    sums: Vec<f64>,
    gain: Option<f64>,
    /// The strength of the next octave.
    after: f64,
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
    pub fn begin(&self, places: &Rc<[Vec3]>) {
        let mut row = self.row.borrow_mut();
        (row.places, row.known, row.gain) = (Some(places.clone()), 0, None);
    }

    /// One octave at full strength (deviation 0.27); the last by its fraction.
    pub fn octave(&self, k: usize, at: At) -> f64 {
        let whole = match at.column {
            Some(column) if k < self.broad => self.row.borrow_mut().at(k, column, &self.octaves),
            _ => self.octaves.at(k, at.q),
        };
        self.octaves.share(k) * whole
    }

    /// The sum of the octaves, each weaker by `gain` than the one before.
    pub fn sum(&self, at: At, gain: f64) -> f64 {
        let Some(column) = at.column else { return self.octaves.sum(at.q, gain) };
        let row = &mut *self.row.borrow_mut();
        if row.gain != Some(gain) {
            row.add_up(&self.octaves, self.broad, gain);
        }
        let narrow = |(sum, amplitude): (f64, f64), k: usize| {
            (sum + amplitude * (self.octaves.share(k) * self.octaves.at(k, at.q)), amplitude * gain)
        };
        (self.broad..self.octaves.len()).fold((row.sums[column], row.after), narrow).0
    }
}

impl Row {
    /// Number of places.
    fn len(&self) -> usize {
        self.places.as_ref().map_or(0, |places| places.len())
    }

    /// A broad octave at full strength, at one of the places.
    #[inline]
    fn at(&mut self, k: usize, column: usize, octaves: &Octaves) -> f64 {
        if self.known >> k & 1 == 0 {
            self.octave(k, octaves);
        }
        self.values[k * self.len() + column]
    }

    /// A broad octave at full strength, at all places.
    fn octave(&mut self, k: usize, octaves: &Octaves) -> &[f64] {
        const { assert!(MOST <= u32::BITS as f64, "a bit for each octave") }
        let places = self.places.as_deref().unwrap_or_default();
        let (own, bit) = (k * places.len()..(k + 1) * places.len(), 1 << k);
        if self.known & bit == 0 {
            self.known |= bit;
            let room = self.values.len().max(own.end);
            // at once for all octaves
            self.values.reserve_exact((octaves.len() * places.len()).saturating_sub(self.values.len()));
            self.values.resize(room, 0.0);
            octaves.noise(k).row(places, octaves.scale(k), &mut self.values[own.clone()]);
        }
        &self.values[own]
    }

    /// Sums the first octaves, so many of them, in the order in which they are summed at a single place.
    fn add_up(&mut self, octaves: &Octaves, broad: usize, gain: f64) {
        let mut sums = std::mem::take(&mut self.sums);
        sums.clear();
        sums.resize(self.len(), 0.0);
        let mut amplitude = 1.0;
        for k in 0..broad {
            let share = octaves.share(k);
            sums.iter_mut()
                .zip(self.octave(k, octaves))
                .for_each(|(sum, value)| *sum += amplitude * (share * value));
            amplitude *= gain;
        }
        (self.sums, self.gain, self.after) = (sums, Some(gain), amplitude);
    }
}
