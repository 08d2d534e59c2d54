//! Eastings and northings: what places of a flat map are called.

/// How a flat map's own metres, which count from its south-western corner, become the coordinates that it is known by: those of the
/// raster that it was imported from. By default they are the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eastings {
    /// What its south-western corner is called, in metres.
    pub corner_m: [f64; 2],
    /// Metres there to one of its own, eastwards and northwards.
    pub stretch: [f64; 2],
}

impl Default for Eastings {
    fn default() -> Self {
        Self { corner_m: [0.0; 2], stretch: [1.0; 2] }
    }
}

impl Eastings {
    /// What a place is called.
    pub fn of(&self, own: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|k| self.corner_m[k] + own[k] * self.stretch[k])
    }

    /// The place that is called so.
    pub fn own(&self, called: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|k| (called[k] - self.corner_m[k]) / self.stretch[k])
    }
}
