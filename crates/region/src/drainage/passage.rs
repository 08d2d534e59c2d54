//! How rivers pass through a parent: the curve that they keep to.
//!
//! A river passes from a parent to the next at its gate: half way between the parents and a little aside, or as near to that as the sites of
//! the link that carries it may lie. It does so in the direction half way between those in which it runs through both, and from gate to gate it
//! takes an arc. The direction in a cell of the world is that from the cell above to the cell below: where a river goes through cells to the
//! east and to the north in turn, its curve is a straight line to the north-east.

use super::great::leeway_m;
use super::plan::Spot;
use arrayvec::ArrayVec;
use grid::{Vec3, math};

/// How far aside they aim, in parts, at most: else rivers would be as smooth as their curves.
const WANDER: f64 = 0.35;
/// A river is the same above and below a gate where it is wider above than the second share of its width below; another where it
/// is narrower than the first.
const SAME: (f64, f64) = (0.5, 0.9);
/// Cosine of the greatest angle between the way from parent to parent and that of the river.
const STRAIGHTEST: f64 = 0.4;
/// Shares of the way at which it is looked how near a curve comes to children.
const LOOKED_AT: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];

/// Where a river enters a parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The child by which it enters, and the parent that it comes from.
    pub child: u32,
    pub from: usize,
    /// Where it does.
    pub gate: Gate,
}

/// One at most from each parent around.
pub(super) type Entries = ArrayVec<Entry, 8>;

/// Where a river passes from a parent to the next, and in which direction, a unit vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gate {
    pub at: Vec3,
    pub ahead: Vec3,
}

/// How a river passes through one parent.
pub(super) struct Passage<'a> {
    /// The parents, and which is this.
    pub parents: &'a [Spot],
    pub parent: usize,
    /// Where rivers enter.
    pub entries: Entries,
    /// The child in which the river begins if none enters.
    pub head: u32,
    /// The child by which its water leaves, and where, if it does.
    pub exit: u32,
    pub gate: Option<Gate>,
    /// The spacing of sites.
    pub size_m: f64,
}

impl Passage<'_> {
    /// How much farther each child's middle lies from the curve than a site may move, in parts.
    pub fn off(&self, middle: impl Fn(usize) -> Vec3) -> [f64; 4] {
        let Some(curve) = self.curve(self.main().as_ref()) else { return [0.0; 4] };
        let places = LOOKED_AT.map(|t| bezier(curve, t));
        let most_m = leeway_m(self.parents[self.parent].width_m, self.size_m);
        std::array::from_fn(|k| {
            let middle = middle(k);
            let off_m = places.map(|p| p.distance(middle)).into_iter().fold(f64::INFINITY, f64::min);
            (off_m - most_m).max(0.0) / self.size_m
        })
    }

    /// The entry of the main river: the widest, of equal ones that whose valley is the lowest, or the first.
    pub fn main(&self) -> Option<Entry> {
        let of = |entry: &Entry| &self.parents[entry.from];
        let is_less =
            |a: &Spot, b: &Spot| a.width_m < b.width_m || a.width_m == b.width_m && a.valley_m > b.valley_m;
        self.entries.iter().copied().reduce(|a, b| if is_less(of(&a), of(&b)) { b } else { a })
    }

    /// The curve from where the river enters the parent, or from its place if it begins there, to where it leaves: a cubic by its four
    /// points, an arc of a circle where both ends lie as on one. None where the river neither enters nor leaves.
    pub fn curve(&self, main: Option<&Entry>) -> Option<[Vec3; 4]> {
        let own = self.parents[self.parent].at;
        let across = |gate: Gate| Gate { at: own * 2.0 - gate.at, ..gate };
        let (from, to) = match (main.map(|entry| entry.gate), self.gate) {
            (Some(above), Some(below)) => (above, below),
            (Some(above), None) => (above, across(above)),
            (None, Some(below)) => (Gate { at: own, ahead: (below.at - own).normalized() }, below),
            (None, None) => return None,
        };
        Some(arc(from, to))
    }
}

/// A cubic from gate to gate by its four points: as far as it can, an arc of a circle.
fn arc(from: Gate, to: Gate) -> [Vec3; 4] {
    let half = (0.5 * (1.0 + from.ahead.dot(to.ahead))).max(0.0).sqrt();
    let handle_m = from.at.distance(to.at) * 2.0 / (3.0 * (1.0 + half));
    [from.at, from.at + from.ahead * handle_m, to.at - to.ahead * handle_m, to.at]
}

/// The place at the share `t` of a cubic.
pub(super) fn bezier([a, b, c, d]: [Vec3; 4], t: f64) -> Vec3 {
    let u = 1.0 - t;
    a * (u * u * u) + b * (3.0 * u * u * t) + c * (3.0 * u * t * t) + d * (t * t * t)
}

/// The direction of a cubic at the share `t` of it, a unit vector.
pub(super) fn along([a, b, c, d]: [Vec3; 4], t: f64) -> Vec3 {
    let u = 1.0 - t;
    let there = (b - a) * (u * u) + (c - b) * (2.0 * u * t) + (d - c) * (t * t);
    if there.length_squared() > 0.0 { there.normalized() } else { there }
}

/// The direction in which a river passes from a parent to the next, a unit vector: half way between those in which it runs through both,
/// as far as they are known and it is the same river; else that from one to the other.
pub(super) fn ahead(own: &Spot, below: &Spot) -> Vec3 {
    let straight = (below.at - own.at).normalized();
    let same = math::smoothstep(SAME.0, SAME.1, f64::from(own.width_m) / f64::from(below.width_m).max(1e-9));
    let on = |spot: &Spot, share: f64| straight.lerp(spot.ahead, share * spot.ahead.length());
    let ahead = on(own, 1.0) + on(below, same);
    if ahead.dot(straight) > STRAIGHTEST * ahead.length() { ahead.normalized() } else { straight }
}

/// How far to the left a river aims at a gate, by a number of the gate's own, 0 to 1.
pub(super) fn wander_m(number: f64, size_m: f64) -> f64 {
    WANDER * size_m * (2.0 * number - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Level, Part};

    fn spot(at: Vec3, width_m: f32, ahead: Vec3) -> Spot {
        let part = Part { level: Level(0), face: 0, row: 0, col: 0 };
        Spot { width_m, ahead, ..Spot::nowhere(part, at) }
    }

    /// Between two parents side by side a river passes in its own direction, as far as both are of the same river.
    #[test]
    fn rivers_pass_gates_in_their_own_direction() {
        let (east, here) = (Vec3::new(1.0, 0.0, 0.0), Vec3::default());
        let diagonal = Vec3::new(1.0, 1.0, 0.0).normalized();
        let of = |own: (f32, Vec3), below: (f32, Vec3)| {
            ahead(&spot(here, own.0, own.1), &spot(east, below.0, below.1))
        };
        let near = |a: Vec3, b: Vec3| assert!(a.distance(b) < 1e-12, "{a:?} {b:?}");
        near(of((9.0, diagonal), (9.0, diagonal)), diagonal);
        // what keeps to no curve, and what would turn round
        near(of((9.0, here), (9.0, here)), east);
        near(of((9.0, east * -1.0), (9.0, east * -1.0)), east);
        // a brook that joins a river comes in as it runs
        near(of((1.0, diagonal), (9.0, Vec3::new(0.0, 1.0, 0.0))), (diagonal + east).normalized());
    }
}
