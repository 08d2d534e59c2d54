//! How rivers pass through a parent: the curve that great ones and middling ones keep to.
//!
//! A river passes from a parent to the next at the middle of the link that carries it there, its gate, in the direction from
//! parent to parent; a great one half way between the parents. From gate to gate it takes an arc. So where parents turn by a right
//! angle it turns over half of their spacing, and gates that lie off the straight way make bends.
//!
//! **Meanders.** Where gates lie about half of a wave apart, rivers pass them at an angle, from the left at one and from the
//! right at the next: by parity, which fails here and there, so that bends are not even.

use super::great::{greatness, leeway_m};
use super::plan::Spot;
use grid::{Vec3, math};

/// Distance of gates at which rivers pass them at an angle, in widths: half of a meander's wave of eleven widths (Leopold &
/// Wolman 1960). At half and at twice the distance there is none.
const HALF_WAVE: f64 = 5.6;
/// The greatest of these angles, in degrees, and the least share of it.
const SWING_DEG: f64 = 85.0;
const LEAST_SWING: f64 = 0.6;
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

/// Where a river passes from a parent to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gate {
    /// The middle of the link that carries it there.
    pub at: Vec3,
    /// How much of the angle it is passed at, from -1 to 1.
    swing: f64,
    /// Unit vector away from the ground.
    up: Vec3,
}

impl Gate {
    /// At a place with a number of its own, 0 to 1; passed from the left or from the right.
    pub fn new(at: Vec3, (is_left, number): (bool, f64), up: Vec3) -> Self {
        let swing = math::mix(LEAST_SWING, 1.0, number);
        Self { at, swing: if is_left { -swing } else { swing }, up }
    }
}

/// How a river passes through one parent.
pub(super) struct Passage<'a> {
    /// The parents, and which is this.
    pub parents: &'a [Spot],
    pub parent: usize,
    /// Index of the parent's receiver, or none.
    pub receiver: u32,
    /// Where rivers enter.
    pub entries: Vec<Entry>,
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

    /// The entry of the widest river; of equal ones the first.
    pub fn main(&self) -> Option<Entry> {
        let width_m = |entry: &Entry| self.parents[entry.from].width_m;
        self.entries.iter().copied().reduce(|a, b| if width_m(&b) > width_m(&a) { b } else { a })
    }

    /// Where a river passes from a parent to the next: and in which direction, a unit vector.
    pub fn passed(&self, gate: Gate, (from, to): (&Spot, &Spot)) -> (Vec3, Vec3) {
        let width_m = from.width_m.min(to.width_m);
        let at = gate.at.lerp((from.at + to.at) * 0.5, greatness(width_m, self.size_m));
        let ahead = (to.at - from.at).normalized();
        let angle = gate.swing * swing(width_m, self.size_m);
        (at, ahead * math::cos(angle) + gate.up.cross(ahead) * math::sin(angle))
    }

    /// The curve from where the river enters the parent to where it leaves: a cubic by its four points, an arc of a circle where
    /// both ends lie as on one. None where the river neither enters nor leaves.
    pub fn curve(&self, main: Option<&Entry>) -> Option<[Vec3; 4]> {
        let own = &self.parents[self.parent];
        let below = self.gate.map(|gate| (gate, &self.parents[self.receiver as usize]));
        let above = main.map(|entry| (entry.gate, &self.parents[entry.from]));
        let below = below.map(|(gate, below)| self.passed(gate, (own, below)));
        let above = above.map(|(gate, above)| self.passed(gate, (above, own)));
        let (from, to) = match (above, below) {
            (Some(above), Some(below)) => (above, below),
            (Some(above), None) => (above, (own.at * 2.0 - above.0, above.1)),
            (None, Some(below)) => ((own.at * 2.0 - below.0, below.1), below),
            (None, None) => return None,
        };
        Some(arc(from, to))
    }
}

/// A cubic from place to place with a direction at each, by its four points: as far as it can, an arc of a circle.
fn arc((from, ahead): (Vec3, Vec3), (to, beyond): (Vec3, Vec3)) -> [Vec3; 4] {
    let half = (0.5 * (1.0 + ahead.dot(beyond))).max(0.0).sqrt();
    let handle_m = from.distance(to) * 2.0 / (3.0 * (1.0 + half));
    [from, from + ahead * handle_m, to - beyond * handle_m, to]
}

/// The place at the share `t` of a cubic.
pub(super) fn bezier([a, b, c, d]: [Vec3; 4], t: f64) -> Vec3 {
    let u = 1.0 - t;
    a * (u * u * u) + b * (3.0 * u * u * t) + c * (3.0 * u * t * t) + d * (t * t * t)
}

/// The greatest angle at which gates are passed, in radians: `1 - |log2(distance / half wave)|` of [`SWING_DEG`].
fn swing(width_m: f32, size_m: f64) -> f64 {
    if width_m <= 0.0 {
        return 0.0;
    }
    let waves = 2.0 * size_m / (HALF_WAVE * f64::from(width_m));
    SWING_DEG.to_radians() * (1.0 - math::log2(waves).abs()).max(0.0)
}
