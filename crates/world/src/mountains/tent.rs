//! The tent mask: how high a range stands beside its fault.
//!
//! Along a line of length L the mask has at each place `s` a crest height `h(s)` and a half width `w(s)`; at the
//! distance `d` from the line it is
//!
//! ```text
//! m = h(s) * ease(1 - d / w(s))   for d < w(s), else 0
//! ```
//!
//! Height and width run evenly from one end of the main part to the other, and beyond it, over the length of
//! a taper, evenly down to zero, so that the range ends in a point. The mask is continuous everywhere.
//!
//! Source: "tent masks" of mountain ranges along faults (S. Turner, "Here Dragons Abound", 2016). Its taper at
//! the first end halves the height where the taper begins; here both ends run on from the height they meet.

use crate::recipe::MountainParams;

/// Half width and crest height at one end of the main part, and the length of the taper past it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End {
    /// Half width in metres.
    pub width_m: f64,
    /// Height of the crest, in the unit of the mask.
    pub height: f64,
    /// Length of the taper beyond this end in metres; 0 ends the mask there.
    pub taper_m: f64,
}

/// The profile from the edge of a tent (0) to its crest (1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Easing {
    /// Straight sides.
    Linear,
    /// Level at the foot and at the crest.
    Smooth,
    /// Steep at the foot, broad at the top.
    Convex,
}

impl Easing {
    /// The easing that a recipe names.
    pub fn of(params: &MountainParams) -> Self {
        match params.easing.as_str() {
            "linear" => Self::Linear,
            "convex" => Self::Convex,
            _ => Self::Smooth,
        }
    }

    /// The profile at `t` from 0 to 1.
    pub fn at(self, t: f64) -> f64 {
        match self {
            Self::Linear => t,
            Self::Smooth => t * t * (3.0 - 2.0 * t),
            Self::Convex => t * (2.0 - t),
        }
    }
}

/// A tent over a line of which `main_m` metres lie between the tapers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tent {
    /// Length of the main part in metres.
    pub main_m: f64,
    /// Both ends of the main part.
    pub ends: [End; 2],
    /// Profile across.
    pub easing: Easing,
}

impl Tent {
    /// Half width (m) and crest height at `s_m` metres along, counted from the first end of the main part:
    /// negative within the first taper, more than `main_m` within the second.
    pub fn profile(&self, s_m: f64) -> (f64, f64) {
        let [a, b] = self.ends;
        let t = if self.main_m > 0.0 { (s_m / self.main_m).clamp(0.0, 1.0) } else { 0.0 };
        let beyond = (-s_m).max(s_m - self.main_m).max(0.0);
        let taper = if s_m < 0.0 { a.taper_m } else { b.taper_m };
        let left = if beyond <= 0.0 {
            1.0
        } else if taper > 0.0 {
            (1.0 - beyond / taper).max(0.0)
        } else {
            0.0
        };
        ((a.width_m + (b.width_m - a.width_m) * t) * left, (a.height + (b.height - a.height) * t) * left)
    }

    /// The mask at `s_m` metres along and `distance_m` metres beside the line.
    pub fn at(&self, s_m: f64, distance_m: f64) -> f64 {
        let (width_m, height) = self.profile(s_m);
        if distance_m >= width_m { 0.0 } else { height * self.easing.at(1.0 - distance_m / width_m) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TENT: Tent = Tent {
        main_m: 100.0,
        ends: [
            End { width_m: 10.0, height: 2.0, taper_m: 40.0 },
            End { width_m: 30.0, height: 4.0, taper_m: 50.0 },
        ],
        easing: Easing::Linear,
    };

    #[test]
    fn values_by_hand() {
        assert_eq!(TENT.at(0.0, 0.0), 2.0);
        assert_eq!(TENT.at(100.0, 0.0), 4.0);
        assert_eq!(TENT.at(50.0, 0.0), 3.0);
        assert_eq!(TENT.at(50.0, 10.0), 1.5); // half way across a half width of 20
        assert_eq!(TENT.at(50.0, 20.0), 0.0);
        assert_eq!(TENT.at(-20.0, 0.0), 1.0); // half way down the first taper
        assert_eq!(TENT.at(-20.0, 2.5), 0.5); // where it is 5 wide
        assert_eq!(TENT.at(125.0, 0.0), 2.0);
        assert_eq!(TENT.at(-40.0, 0.0), 0.0);
        assert_eq!(TENT.at(150.0, 0.0), 0.0);
    }

    #[test]
    fn without_a_taper_the_mask_ends() {
        let mut tent = TENT;
        tent.ends[0].taper_m = 0.0;
        assert_eq!((tent.at(0.0, 0.0), tent.at(-1e-9, 0.0)), (2.0, 0.0));
    }

    #[test]
    fn the_mask_is_continuous_everywhere() {
        for easing in [Easing::Linear, Easing::Smooth, Easing::Convex] {
            let tent = Tent { easing, ..TENT };
            let step = 1.0 / 64.0;
            for i in -50 * 64..160 * 64 {
                for d in 0..70 {
                    let (s, d) = (f64::from(i) * step, f64::from(d) * 0.5);
                    let here = tent.at(s, d);
                    // The narrowing tips are the steepest part: at most height / half width, twice that eased.
                    let (jump_along, jump_across) =
                        ((here - tent.at(s + step, d)).abs(), (here - tent.at(s, d + step)).abs());
                    assert!(jump_along < 0.02, "{easing:?} s {s} d {d}: {jump_along}");
                    assert!(jump_across < 0.02, "{easing:?} s {s} d {d}: {jump_across}");
                }
            }
        }
    }

    #[test]
    fn easings_keep_foot_and_crest() {
        for easing in [Easing::Linear, Easing::Smooth, Easing::Convex] {
            assert_eq!((easing.at(0.0), easing.at(1.0)), (0.0, 1.0));
        }
    }
}
