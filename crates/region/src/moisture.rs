//! How moist the floors of valleys look: water gathers there, and great rivers bring it into deserts.

use crate::sample::Air;
use grid::math;

/// Streams of so many parts of the level that is drawn, in doublings, begin to have a green floor, and have it in full.
const GREEN: (f64, f64) = (1.5, 6.0);
/// Ground so high over a stream looks half as moist as its floor, in spacings of samples: of one part, and what each doubling adds. What is smaller
/// is not seen, and hillslopes between channels that lie farther apart are higher.
const HIGH: f64 = 0.02;
const HIGHER: f64 = 0.5;
/// By what share of its rain a floor looks moister; and by how many mm of rain a year at the greatest of rivers, from and up to such a discharge, as
/// powers of ten of m3/s.
const MOISTER: f64 = 0.4;
const RIVER_MM: f64 = 500.0;
const RIVER: (f64, f64) = (1.0, 3.5);

/// Shares of a floodplain up to which it looks no moister, and from which on it is this much as moist as the banks of its river; ground so high over its
/// brooks looks half as moist, in metres.
const FLOODED: (f64, f64) = (0.3, 1.0);
const OF_PLAIN: f64 = 0.5;
const PLAIN_M: f64 = 12.0;
/// The same of the plain of a delta.
const OF_DELTA: f64 = 0.65;

/// The floor of a channel's valley.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Floor {
    /// How green it is, 0 to 1, and how much the river itself waters it, in mm a year.
    green: f64,
    river_mm: f64,
    /// How much floods of a great river water it, 0 to 1.
    flooded: f64,
    /// Ground so high over it looks half as moist, and ground as high as a usual divide no moister than others, in metres.
    half_m: f64,
    divide_m: f64,
}

/// How much a river of so much discharge waters the plain of its delta, in mm a year: little more than the floodplain that it comes from,
/// where the delta would stand out as a stain.
pub(crate) fn delta_mm(discharge_m3_s: f64) -> f64 {
    OF_DELTA * river_mm(discharge_m3_s)
}

/// How much a river of so much discharge waters its floor, in mm a year.
fn river_mm(discharge_m3_s: f64) -> f64 {
    RIVER_MM * math::smoothstep(RIVER.0, RIVER.1, math::log10(discharge_m3_s.max(1.0)))
}

impl Floor {
    /// That of a channel of so much discharge which drains so many parts, as samples of a spacing show it, with usual divides so
    /// high over it, in metres.
    pub fn of(discharge_m3_s: f64, parts: f64, (spacing_m, divide_m): (f64, f64)) -> Self {
        let doublings = math::log2(parts.max(1.0));
        let (river_mm, half_m) = (river_mm(discharge_m3_s), HIGH * spacing_m * (1.0 + HIGHER * doublings));
        Self {
            green: math::smoothstep(GREEN.0, GREEN.1, doublings),
            river_mm,
            flooded: 0.0,
            half_m,
            // the plain of a great river has hardly any slopes
            divide_m: divide_m.max(river_mm / RIVER_MM * half_m),
        }
    }

    /// The same where it lies on the floodplain of a river of so much discharge, by a share of 0 to 1.
    pub fn on_plain(self, share: f64, discharge_m3_s: f64) -> Self {
        let flooded = math::smoothstep(FLOODED.0, FLOODED.1, share) * river_mm(discharge_m3_s) / RIVER_MM;
        Self { flooded, ..self }
    }

    /// How much more rain ground so high over it looks as if it had, in mm a year.
    pub fn moisture_mm(&self, hand_m: f64, air: &Air) -> f64 {
        let x = hand_m / self.half_m;
        let below = (1.0 - hand_m / self.divide_m).max(0.0);
        let own_mm = below * self.green * (MOISTER * air.rain_mm + self.river_mm) / (1.0 + x * x);
        let y = hand_m / PLAIN_M;
        let flooded_mm = self.flooded * (MOISTER * air.rain_mm + RIVER_MM) / (1.0 + y * y);
        own_mm.max(OF_PLAIN * flooded_mm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_are_moist_by_the_size_of_their_streams_and_divides_are_not() {
        let air = Air { rain_mm: 600.0, ..Air::default() };
        let moisture_mm = |(parts, m3_s): (f64, f64), hand_m: f64| {
            Floor::of(m3_s, parts, (100.0, 60.0)).moisture_mm(hand_m, &air)
        };
        let (brook, river, great) = ((1.0, 0.01), (100.0, 0.5), (1e6, 8_000.0));
        assert_eq!(moisture_mm(brook, 0.0), 0.0);
        assert_eq!(moisture_mm(river, 0.0), MOISTER * 600.0);
        assert_eq!(moisture_mm(great, 0.0), MOISTER * 600.0 + RIVER_MM);
        for of in [river, great] {
            let up: Vec<f64> = (0..60).map(|m| moisture_mm(of, f64::from(m))).collect();
            assert!(up.windows(2).all(|m| m[1] < m[0]) && up[59] < 0.02 * up[0], "{up:?}");
            assert_eq!(moisture_mm(of, 60.0), 0.0);
        }
        // all of the floodplain of a great river is moist, in a desert too: more the more it is one, and no bluff
        let plain_mm = |share, m3_s, hand_m| {
            let brook = Floor::of(0.01, 1.0, (100.0, 60.0)).on_plain(share, m3_s);
            brook.moisture_mm(hand_m, &Air::default())
        };
        assert_eq!(plain_mm(1.0, 8_000.0, 0.0), OF_PLAIN * RIVER_MM);
        assert_eq!((plain_mm(0.3, 8_000.0, 0.0), plain_mm(1.0, 1.0, 0.0)), (0.0, 0.0));
        let up: Vec<f64> = (0..60).map(|m| plain_mm(0.8, 8_000.0, f64::from(m))).collect();
        assert!(up.windows(2).all(|m| m[1] < m[0]) && up[59] < 0.1 * up[0], "{up:?}");
        // its delta looks little moister than that, and less than its banks
        assert!((1.0..1.5).contains(&(delta_mm(8_000.0) / plain_mm(1.0, 8_000.0, 0.0))));
        // in a desert the river alone waters its floor
        let dry = Air::default();
        assert_eq!(Floor::of(0.5, 100.0, (100.0, 60.0)).moisture_mm(0.0, &dry), 0.0);
        assert!(Floor::of(8_000.0, 1e6, (100.0, 60.0)).moisture_mm(0.0, &dry) > 300.0);
    }
}
