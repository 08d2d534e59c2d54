//! How high the land may stand where valleys are drawn far apart.
//!
//! Between coarse valleys hillslopes climb on for kilometres, and pass the summits that finer valleys would leave of them. So the highest
//! land is pressed together where valleys are drawn far apart, and samples stay within the span of the ground that they stand for.

use super::compose::{Carved, Channel};
use crate::drainage::drawn_level;
use grid::math;

/// Where the land begins to be pressed together, as a share of the way from the plain to the summits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ceiling {
    from: f64,
}

/// That share where valleys are drawn [`COARSE_M`] apart, and how much less it is for every doubling; no less than the last.
const FROM: f64 = 0.47;
const COARSE_M: f64 = 9_000.0;
const LESS: f64 = 0.25;
const LEAST: f64 = 0.28;
/// Nothing stands higher over the beginning than this share of the way from the plain to the summits.
const ROOM: f64 = 0.6;
/// Hills stand about so high over a plain without mountains, in metres.
const HILLS_M: f64 = 400.0;

impl Ceiling {
    /// For samples so far apart, in a world of cells so wide, both in metres.
    pub fn of(spacing_m: f64, cell_m: f64) -> Self {
        let valleys_m = drawn_level(cell_m, spacing_m).map_or(cell_m, |level| level.size(cell_m));
        Self { from: (FROM - LESS * math::log2(valleys_m / COARSE_M)).max(LEAST) }
    }

    /// What rivers have made of a place, under the ceiling of a plain and mountains of such heights.
    pub fn over(&self, carved: &Carved, land_m: f64, mountain_m: f64) -> Carved {
        let room_m = mountain_m + HILLS_M;
        let from_m = land_m + self.from * room_m;
        if carved.elevation_m <= from_m {
            return *carved;
        }
        let under = |z_m: f64| {
            let above_m = (z_m - from_m).max(0.0);
            // also of land without a river near, which is infinitely high
            z_m.min(from_m) + 1.0 / (1.0 / above_m + 1.0 / (ROOM * room_m))
        };
        let river = carved.river.map(|r| {
            let bed_m = under(r.bed_m);
            Channel { bed_m, surface_m: bed_m + r.surface_m - r.bed_m, ..r }
        });
        Carved { elevation_m: under(carved.elevation_m), foot_m: under(carved.foot_m), river }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is low stays as it is, what is higher stays higher, nothing is higher than there is room for.
    #[test]
    fn land_is_pressed_together_and_keeps_its_order() {
        let ceiling = Ceiling::of(4_600.0, 19_500.0);
        let (land_m, mountain_m) = (500.0, 3_000.0);
        let under = |z: f64| ceiling.over(&Carved::land(z), land_m, mountain_m).elevation_m;
        let from_m = land_m + LEAST * (mountain_m + HILLS_M);
        let most_m = from_m + ROOM * (mountain_m + HILLS_M);
        let mut last_m = under(-1.0);
        for z_m in (0..12_000).map(f64::from) {
            let found_m = under(z_m);
            assert!(found_m > last_m && found_m < most_m && found_m <= z_m, "{z_m} m: {found_m} m");
            assert!(z_m > from_m || found_m == z_m, "{z_m} m: {found_m} m");
            last_m = found_m;
        }
        assert!((under(f64::INFINITY) - most_m).abs() < 1e-9);
        assert_eq!(ceiling.over(&Carved::land(9e3), land_m, mountain_m).foot_m, f64::NEG_INFINITY);
    }

    #[test]
    fn only_what_is_seen_from_afar_is_pressed() {
        let summit = Carved::land(4_000.0);
        let pressed =
            |spacing_m: f64| Ceiling::of(spacing_m, 19_500.0).over(&summit, 0.0, 4_000.0).elevation_m;
        assert_eq!(pressed(90.0), 4_000.0);
        assert!(pressed(5_000.0) < pressed(2_000.0) && pressed(2_000.0) < pressed(1_000.0));
    }
}
