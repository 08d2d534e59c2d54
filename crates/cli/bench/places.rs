//! The places of the benchmark, on the planet `earthlike` of seed 42 with 512 cells along a side of a face.

use crate::args::BenchPlace;

/// A place.
#[derive(Clone, Copy)]
pub struct Spot {
    /// Which one.
    pub place: BenchPlace,
    /// Short name.
    pub name: &'static str,
    /// Longitude and latitude in degrees.
    pub at: (f64, f64),
}

/// All places. On a planet with other cells they are the same longitudes and latitudes, whatever lies there.
pub const PLACES: [Spot; 6] = [
    Spot { place: BenchPlace::Range, name: "range", at: (-66.36, 11.71) },
    Spot { place: BenchPlace::Plain, name: "plain", at: (-16.0, 8.0) },
    Spot { place: BenchPlace::Coast, name: "coast", at: (-145.85, -49.33) },
    Spot { place: BenchPlace::Mouth, name: "mouth", at: (-2.2, -15.55) },
    // 2200 km from anything shallower
    Spot { place: BenchPlace::Ocean, name: "ocean", at: (97.0, 15.0) },
    Spot { place: BenchPlace::Corner, name: "corner", at: (-45.0, 35.26) },
];

/// Those asked for, in the order of the benchmark; all, if none are.
pub fn chosen(asked: &[BenchPlace]) -> Vec<Spot> {
    PLACES.into_iter().filter(|spot| asked.is_empty() || asked.contains(&spot.place)).collect()
}
