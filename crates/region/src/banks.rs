//! Banks of rivers much wider than samples lie apart, and islands in them.
//!
//! A canal is as wide here as there; a river is not. One that is wide for its level has more *room* than its water takes: half of its mean
//! width times 1 + u to either side. Where in its room the water ends is a matter of noise at the place, not along the river, so
//! that one bank does not repeat the other:
//!
//! ```text
//! edge = c u (1 - n)           metres from the edge of its room to its bank, c half of the mean width, n from -1 to 1
//! island where  i - I > L x2   i the noise of islands, x from -1 to 1 over a strip between a bank and the middle
//! ```
//!
//! n is a sum of octaves from three widths on downwards, whose wavelengths are powers of two in metres, so that it does not drift where the width
//! changes. Where islands lie the water takes all its room, as two arms need more than one. The line of a river lies in
//! no strip and stays under water.

use grid::noise::Noise;
use grid::{Nth, Purpose, Seed, Vec3, math};

const BANKS: Purpose = Purpose::new("region/banks");

/// By what share of the mean width banks move to either side.
pub(crate) const UNEVEN: f64 = 0.3;
/// Water is shallow so far from its bank, in halves of the mean width: lines of rivers lie farther from islands.
const SHALLOW: f64 = 0.15;
/// Octaves from a metre on: rivers of up to 5 km have all of theirs.
const OCTAVES: u32 = 15;
/// The longest wavelength, in widths; what each octave has of the one before; what makes about 1 of the sum's greatest.
const LONGEST: f64 = 3.2;
const GAIN: f64 = 0.55;
const LOUD: f64 = 1.7;
/// Octaves shorter than so many samples are not drawn.
const SHORTEST: f64 = 2.5;
/// From which value of their noise on there are islands, and by how much more they fill their strip; the water is wider from so much before.
const ISLAND: f64 = 0.32;
const LENS: f64 = 0.25;
const OPENS: f64 = 0.2;
/// Samples that a river is wide up to which there are none, and from which on there are all.
const WIDE: (f64, f64) = (5.0, 14.0);
/// Where the middle of a strip of islands lies, from the edge of the room to the line, and half of its width.
const STRIP: (f64, f64) = (0.48, 0.23);
/// How far to a side it lies there where the noise is 1, and at most.
const ASIDE: f64 = 0.4;
const MOST_ASIDE: f64 = 0.12;

/// What draws the banks of a level.
#[derive(Clone, Debug)]
pub(crate) struct Banks {
    /// By the logarithms of their wavelengths in metres.
    octaves: Vec<Noise>,
    spacing_m: f64,
}

/// A river's room at a place in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Room {
    /// Half of its width, in metres.
    pub half_m: f64,
    /// By what share of the mean width banks move to either side.
    pub uneven: f64,
    /// How far the place lies from its edge.
    pub within_m: f64,
}

impl Room {
    /// Of two rooms that in which a place lies farther from the edge: of all that overlap one, whatever their order.
    pub fn deeper(self, other: Self) -> Self {
        let by = |room: &Self| (room.within_m, room.half_m, room.uneven);
        if by(&other) > by(&self) { other } else { self }
    }

    /// How deep the water is so far from land, as a share of what is shallow: 1 and more where the bed has all its depth.
    pub fn deep(&self, off_land_m: f64) -> f64 {
        off_land_m / (SHALLOW * self.own_m())
    }

    /// Half of the mean width of the water.
    pub fn own_m(&self) -> f64 {
        self.half_m / (1.0 + self.uneven)
    }
}

/// How far a place in a river's room lies from land, in metres: negative on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Off {
    /// From its bank.
    pub bank_m: f64,
    /// From an island.
    pub island_m: f64,
}

impl Off {
    /// From the nearest land.
    pub fn land_m(&self) -> f64 {
        self.bank_m.min(self.island_m)
    }
}

impl Banks {
    pub fn new(seed: Seed, spacing_m: f64) -> Self {
        let octave = |k| Noise::new(seed.key(BANKS).within(Nth(k)));
        Self { octaves: (0..OCTAVES).map(octave).collect(), spacing_m }
    }

    /// How far from the bank of its river, and from the shore of an island, a place is, in metres: negative on land.
    pub fn off_m(&self, p: Vec3, room: Room) -> Off {
        if room.uneven <= 0.0 {
            return Off { bank_m: room.within_m, island_m: f64::INFINITY };
        }
        let own_m = room.own_m();
        let [bank, island, aside] = self.noise(p, 2.0 * own_m);
        let shown = math::smoothstep(WIDE.0, WIDE.1, 2.0 * own_m / self.spacing_m);
        let island = island * shown;
        let open = math::smoothstep(ISLAND - OPENS, ISLAND, island);
        let bank = math::mix((bank * LOUD).clamp(-1.0, 1.0), 1.0, open);
        let bank_m = room.within_m - own_m * room.uneven * (1.0 - bank);
        let (middle, half) = STRIP;
        let aside = (ASIDE * aside).clamp(-MOST_ASIDE, MOST_ASIDE);
        let x = (room.within_m / room.half_m - (middle + aside)) / half;
        let filled = (island - ISLAND) / LENS;
        let wide = filled.abs().sqrt().min(1.0);
        let island_m = half * room.half_m * if filled > 0.0 { x.abs() - wide } else { x.abs() + wide };
        Off { bank_m, island_m }
    }

    /// The noise of banks, of islands, and of where these lie, in a river so wide.
    fn noise(&self, p: Vec3, width_m: f64) -> [f64; 3] {
        let longest = math::log2(LONGEST * width_m);
        let first = (longest.floor() as usize + 1).min(self.octaves.len() - 1);
        let fades_in = longest - longest.floor();
        let mut sums = [0.0; 3];
        let mut shares = [fades_in, 0.0];
        for octave in (0..=first).rev() {
            let wave_m = f64::from(1u32 << octave);
            let seen = math::smoothstep(SHORTEST, 2.0 * SHORTEST, wave_m / self.spacing_m);
            if seen <= 0.0 {
                break;
            }
            let four = self.octaves[octave].four(p * (1.0 / wave_m)).map(f64::from);
            sums[0] += four[0] * shares[0] * seen;
            sums[1] += four[1] * shares[1] * seen;
            sums[2] += four[2] * shares[1] * seen;
            // the first fades in where the second is all there; islands are an octave smaller
            let next = if octave == first { math::mix(1.0, GAIN, fades_in) } else { shares[0] * GAIN };
            shares = [next, shares[0]];
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Draw, Key};

    const PLACES: Key = Seed(3).key(Purpose::new("test/banks"));

    /// How far places across a straight river of a width are from land, from one edge of its room to the other.
    fn across(banks: &Banks, (start, along, aside): (Vec3, Vec3, Vec3), width_m: f64, km: f64) -> Vec<Off> {
        let half_m = 0.5 * width_m * (1.0 + UNEVEN);
        let places = (-50..=50).map(|k| f64::from(k) / 50.0 * half_m);
        let off = |x_m: f64| {
            let room = Room { half_m, uneven: UNEVEN, within_m: half_m - x_m.abs() };
            banks.off_m(start + along * (1000.0 * km) + aside * x_m, room)
        };
        places.map(off).collect()
    }

    fn river(draw: &mut Draw) -> (Vec3, Vec3, Vec3) {
        let up = draw.direction();
        let (east, north) = math::tangent_frame(up);
        (up * 6.371e6, east, north)
    }

    /// Rivers are about as wide as they should be, wet in the middle, with islands here and there, and one bank says next to nothing of the other.
    #[test]
    fn rivers_keep_their_width_and_no_bank_repeats_the_other() {
        let mut draw = PLACES.at(Nth(0));
        let (mut shares, mut islands, mut sums, mut count) = (Vec::new(), 0, [0.0; 5], 0.0);
        for number in 0..40 {
            let width_m = math::pow(10.0, draw.range(1.5, 3.4));
            let (banks, way) = (Banks::new(Seed(number), width_m / 20.0), river(&mut draw));
            let mut wet = 0;
            for step in 0..100 {
                let all = across(&banks, way, width_m, 0.003 * width_m * f64::from(step));
                let is_wet = |off: &&Off| off.land_m() > 0.0;
                assert!(all[44..=56].iter().all(|off| is_wet(&off)), "land in the middle of {width_m} m");
                wet += all.iter().filter(is_wet).count();
                islands += all.iter().filter(|off| off.bank_m > 0.0 && off.island_m <= 0.0).count();
                // how far the water reaches to both sides
                let reach = |mut half: Box<dyn Iterator<Item = &Off>>| {
                    half.position(|o| o.bank_m <= 0.0).unwrap_or(50)
                };
                let (a, b) = (
                    reach(Box::new(all[50..].iter())) as f64,
                    reach(Box::new(all[..=50].iter().rev())) as f64,
                );
                for (sum, value) in sums.iter_mut().zip([a, b, a * a, b * b, a * b]) {
                    *sum += value;
                }
                count += 1.0;
            }
            shares.push(wet as f64 / (100.0 * 101.0) * (1.0 + UNEVEN));
        }
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        let [a, b, aa, bb, ab] = sums.map(|sum| sum / count);
        let correlation = (ab - a * b) / ((aa - a * a) * (bb - b * b)).sqrt();
        let islands = f64::from(islands as u32) / (count * 101.0);
        println!(
            "width {mean:.3}, islands {islands:.3}, correlation {correlation:.3}, deviation {:.2}",
            (aa - a * a).sqrt()
        );
        assert!((mean - 1.0).abs() < 0.1, "{mean} of their width");
        assert!(correlation < 0.4, "banks are alike: {correlation}");
        assert!((0.01..0.08).contains(&islands), "{islands} of the water is islands");
    }

    /// Where a river grows little by little its banks do not jump: not even where another octave is its longest.
    #[test]
    fn banks_do_not_drift_with_the_width() {
        let mut draw = PLACES.at(Nth(1));
        let mut most = 0.0f64;
        for number in 0..2000 {
            let (banks, way) = (Banks::new(Seed(number % 7), 3.0), river(&mut draw));
            let width_m = match number % 2 {
                0 => math::pow(10.0, draw.range(1.5, 3.4)),
                // at the change of octaves
                _ => f64::from(1u32 << (6 + number % 5)) / LONGEST,
            };
            let both = [0.9995, 1.0005].map(|share| across(&banks, way, share * width_m, 0.0));
            for (a, b) in both[0].iter().zip(&both[1]) {
                most = most.max((a.bank_m - b.bank_m).abs() / width_m);
            }
        }
        println!("{most}");
        assert!(most < 0.01, "a thousandth of the width moves banks by {most} of it");
    }
}
