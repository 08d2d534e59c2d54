//! Chance at a place: a draw is a function of seed, purpose and address, and of nothing else.
//!
//! No generator is passed around or kept. Where a random number is needed, the key of the purpose is asked at
//! the address of the place, and the answer is used there:
//!
//! ```
//! use grid::{Cell, Purpose, Seed};
//! const HEIGHT: Purpose = Purpose::new("docs/height");
//! let mut draw = Seed(7).key(HEIGHT).at(Cell(12));
//! let height_m = draw.range(10.0, 20.0);
//! assert_eq!(height_m, Seed(7).key(HEIGHT).at(Cell(12)).range(10.0, 20.0));
//! ```
//!
//! The words of seed, purpose and address go one after the other through the finaliser of SplitMix64 (Steele,
//! Lea & Flood 2014), each on top of the last, so that no sum of two of them can collide with another pair.
//! Each kind of address has a mark of its own: `Cell(5)` and `Nth(5)` are different places.
//! The result seeds xoshiro256++ (Blackman & Vigna 2021). Conversions to reals and ranges are our own: those
//! of `rand` may change their values in a minor release.

use crate::{Cell, Edge, Nth, Part, Vertex};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// The one number a world grows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seed(pub u64);

/// What a draw is for: a name, hashed when the program is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Purpose(u64);

impl Purpose {
    /// The purpose of this name, such as `"region/ridge/entry"`. FNV-1a (Fowler, Noll & Vo), then mixed.
    pub const fn new(name: &str) -> Self {
        let bytes = name.as_bytes();
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut i = 0;
        while i < bytes.len() {
            hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0000_0100_0000_01b3);
            i += 1;
        }
        Self(finalise(hash))
    }
}

/// The finaliser of SplitMix64: every bit of the input changes about half of the output's.
pub(crate) const fn finalise(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Takes one more word into a hash. Depends on the order of words.
pub(crate) const fn absorb(state: u64, word: u64) -> u64 {
    finalise(state.wrapping_mul(0xd129_42f0_0e6a_4c25).wrapping_add(0x9e37_79b9_7f4a_7c15) ^ finalise(word))
}

impl Seed {
    /// The key of a purpose under this seed.
    pub const fn key(self, purpose: Purpose) -> Key {
        Key(absorb(absorb(0x7465_7272_616e_6531, self.0), purpose.0))
    }
}

/// A seed and a purpose: asked at an address, it gives a generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(pub(crate) u64);

impl Key {
    /// The generator of this place.
    pub fn at(self, address: impl Address) -> Draw {
        Draw(Xoshiro256PlusPlus::seed_from_u64(address.absorb_into(self.0)))
    }

    /// One real from 0 (included) to 1 (excluded), of 53 bits: for places that need a single number, at the cost of the
    /// hash alone. It is not the first number of [`Key::at`].
    pub fn unit_at(self, address: impl Address) -> f64 {
        (finalise(address.absorb_into(self.0)) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A key for things within a place, to be asked further: the ridges of a cell, say.
    pub fn within(self, address: impl Address) -> Self {
        Self(address.absorb_into(self.0))
    }
}

/// Something that names a place.
pub trait Address {
    /// The hash of a key with this address taken in.
    fn absorb_into(self, state: u64) -> u64;
}

/// Marks of the kinds of address, mixed into the state before the words: digits of pi.
const CELL: u64 = 0x243f_6a88_85a3_08d3;
const VERTEX: u64 = 0x1319_8a2e_0370_7344;
const EDGE: u64 = 0xa409_3822_299f_31d0;
const NTH: u64 = 0x082e_fa98_ec4e_6c89;
const PART: u64 = 0x4528_21e6_38d0_1377;

impl Address for Cell {
    fn absorb_into(self, state: u64) -> u64 {
        absorb(state ^ CELL, u64::from(self.0))
    }
}

impl Address for Vertex {
    fn absorb_into(self, state: u64) -> u64 {
        absorb(state ^ VERTEX, self.0)
    }
}

impl Address for Edge {
    fn absorb_into(self, state: u64) -> u64 {
        let (low, high) = self.ends();
        absorb(absorb(state ^ EDGE, low.0), high.0)
    }
}

impl Address for Part {
    fn absorb_into(self, state: u64) -> u64 {
        let high = u64::from(self.level.0) << 40 | u64::from(self.face) << 32;
        absorb(absorb(state ^ PART, high | u64::from(self.row)), u64::from(self.col))
    }
}

impl Address for Nth {
    fn absorb_into(self, state: u64) -> u64 {
        absorb(state ^ NTH, u64::from(self.0))
    }
}

impl<A: Address, B: Address> Address for (A, B) {
    fn absorb_into(self, state: u64) -> u64 {
        self.1.absorb_into(self.0.absorb_into(state))
    }
}

/// The random numbers of one place, in sequence.
#[derive(Clone, Debug)]
pub struct Draw(Xoshiro256PlusPlus);

impl Draw {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A real from 0 (included) to 1 (excluded), of 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A real from `low` (included) to `high`.
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A whole number from 0 to `n - 1`; 0 where `n` is 0. Bias below n / 2^64 (Lemire 2019, unrejected).
    pub fn below(&mut self, n: u32) -> u32 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u32
    }

    /// A normal deviate of mean 0 and deviation 1 (Box & Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.unit())).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }

    /// A point on the unit sphere, all equally likely (Archimedes).
    pub fn direction(&mut self) -> crate::Vec3 {
        let z = self.range(-1.0, 1.0);
        let angle = self.range(0.0, std::f64::consts::TAU);
        let r = (1.0 - z * z).sqrt();
        crate::Vec3::new(r * libm::cos(angle), r * libm::sin(angle), z)
    }
}
