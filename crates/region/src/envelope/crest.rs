//! Where hillslopes meet: each is carved by its own rills, the lowest counts, and crests are rounded.

use super::Frame;
use super::profile::Part;
use super::real::{least, most};
use super::texture::Texture;

/// A crest is rounded where the higher hillslope is above the lower by less than this share of the lesser climb.
const ROUND: f64 = 0.06;

/// A hillslope counts only where it is above the lowest by less than this share of its own climb.
pub(super) fn share(texture: Option<&Texture>) -> f64 {
    ROUND + texture.map_or(0.0, Texture::most)
}

/// One hillslope at a place, with the number of its channel and its base gradient.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slope {
    pub channel: u32,
    pub steep: f64,
    pub part: Part<f64>,
}

impl Slope {
    pub fn height(&self) -> f64 {
        self.part.bed + self.part.climb
    }
}

/// The ground at a place where hillslopes meet.
pub(super) struct Ground {
    pub height_m: f64,
    /// The channel of the lowest hillslope, of equal ones the first.
    pub channel: u32,
    /// Height of the channels that the hillslopes climb from: of the lowest, and where others are as high of all that are.
    pub foot_m: f64,
}

/// The ground at a place (x, y) on the plane where these hillslopes may count, in the order of their channels; nothing where
/// none is finite. Slopes are put in order on the way.
///
/// With h the carved heights, every two hillslopes lower the crest between them by
///
/// ```text
/// (k / 4) (1 - (greater h - lowest h) / k)^2 (1 - cos) / 2,   k = ROUND * lesser climb
/// ```
///
/// where cos is that of the angle between the directions in which they climb: nothing at the joints of one channel,
/// where both climb one way, and what a quadratic minimum takes where two climb against each other. The greatest
/// such counts. It is the same for both of a pair, so it does not matter which is the lowest.
pub(super) fn ground(
    at: [f64; 2],
    slopes: &mut Vec<Slope>,
    (frame, texture): (&Frame, Option<&Texture>),
) -> Option<Ground> {
    let start = (0..slopes.len())
        .reduce(|old, new| if slopes[new].height() < slopes[old].height() { new } else { old })?;
    if slopes[start].part.climb == f64::INFINITY {
        return None;
    }
    // whatever the rills of the others, they do not bring the lowest above this
    let carve = |slope: &mut Slope| {
        slope.part.bed -= texture.map_or(0.0, |texture| texture.rills(at, slope, frame));
    };
    let channel = slopes[start].channel;
    carve(&mut slopes[start]);
    let limit_m = slopes[start].height();
    slopes.retain_mut(|slope| {
        if slope.channel == channel {
            return true;
        }
        let deepest_m = texture.map_or(0.0, |texture| texture.deepest_m(slope));
        let counts = slope.part.climb < f64::INFINITY
            && slope.height() - deepest_m - ROUND * slope.part.climb <= limit_m;
        if counts {
            carve(slope);
        }
        counts
    });
    let first = slopes.first()?;
    let lowest = slopes.iter().fold(first, |old, new| if new.height() < old.height() { new } else { old });
    let mut rounded = 0.0;
    for (k, a) in slopes.iter().enumerate() {
        for b in &slopes[..k] {
            rounded = most(rounding(a, b, lowest.height()), rounded);
        }
    }
    let foot_m = foot_m(slopes, lowest);
    Some(Ground { height_m: lowest.height() - rounded, channel: lowest.channel, foot_m })
}

/// The mean height of the channels of slopes, each weighted by how near it comes to the lowest, and none that is higher by
/// [`ROUND`] of its climb: no crest has a step in it.
fn foot_m(slopes: &[Slope], lowest: &Slope) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for slope in slopes {
        let above_m = slope.height() - lowest.height();
        let near = if above_m > 0.0 { most(1.0 - above_m / (ROUND * slope.part.climb), 0.0) } else { 1.0 };
        sum += near * near * slope.part.bed;
        weights += near * near;
    }
    sum / weights
}

fn rounding(a: &Slope, b: &Slope, lowest_m: f64) -> f64 {
    let k = ROUND * least(a.part.climb, b.part.climb);
    let above = most(a.height(), b.height()) - lowest_m;
    if above >= k {
        return 0.0;
    }
    let (p, q) = (a.part.off, b.part.off);
    let cos = (p[0] * q[0] + p[1] * q[1]) / (a.part.d * b.part.d);
    let near = 1.0 - above / k;
    0.125 * k * near * near * most(1.0 - cos, 0.0)
}
