//! The places of the benchmark, on the planet `earthlike` of seed 42 with 512 cells along a side of a face.

/// A place.
pub struct Spot {
    /// Short name.
    pub name: &'static str,
    /// Longitude and latitude in degrees.
    pub at: (f64, f64),
}

/// All places. On a planet with other cells they are the same longitudes and latitudes, whatever lies there.
pub const PLACES: [Spot; 6] = [
    Spot { name: "range", at: (-66.36, 11.71) },
    Spot { name: "plain", at: (-16.0, 8.0) },
    Spot { name: "coast", at: (-145.85, -49.33) },
    Spot { name: "mouth", at: (-2.2, -15.55) },
    Spot { name: "ocean", at: OCEAN },
    // where three faces of the cube meet
    Spot { name: "corner", at: (-45.0, 35.26) },
];

/// On the abyss, 2200 km from anything shallower.
const OCEAN: (f64, f64) = (97.0, 15.0);
