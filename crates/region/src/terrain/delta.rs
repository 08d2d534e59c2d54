//! Deltas: land that rivers have built into the sea, and the arms that cross it.
//!
//! A delta begins at its *apex*, on the border that the river's last cell shares with the sea's: there the drainage leads
//! the river, and there it divides. In the plane that touches the globe at the apex, with r the distance and phi the angle
//! from the way out to sea, land reaches as far as
//!
//! ```text
//! rho = R (0.3 + 0.48 smoothstep(-0.6, 0.6, cos (phi - fan)) + 0.22 max over arms of h_k (1 - ((phi - phi_k) / w_k)^2)^2)
//! ```
//!
//! less bays cut into its rim by noise. So it stands out to sea farthest where arms end: a delta is the shape of what its arms bring against what waves take
//! (Galloway 1975). Arms end where the world has sea, and divide into halves of what they lead to, so that none crosses
//! another. The plain between them is pressed down nearly to the sea; where it meets higher land its rim rises.
//!
//! All of the river's discharge goes through arms, in shares of their number of ends: the river that the drainage leads on
//! through the sea's cell has what is left there, unless samples are too far apart for arms. Neglects: levees, lakes between
//! arms, lobes that the river has left.

mod arms;

use super::country::{Kinds, hills_m};
use crate::banks::{Banks, Room};
use crate::curve::nearest;
use crate::drainage::Apex;
use crate::drainage::channels::CONNECTED;
use crate::drainage::coarse::leaves_at_m;
use crate::patch::Patch;
use crate::primitives::Ball;
use arms::{ENDS, End, Fan};
use grid::noise::Fractal;
use grid::{Cell, Draw, Grid, Purpose, Seed, Vec3, math};
use std::cell::OnceCell;
use std::f64::consts::PI;
use world::Mouth;

pub(super) use arms::{Piece, ends};

const APEX: Purpose = Purpose::new("region/delta/apex");
const RIM: Purpose = Purpose::new("region/delta/rim");
const ARMS: Purpose = Purpose::new("region/delta/arms");

/// Where along a side the apex lies.
const ON_SIDE: (f64, f64) = (0.3, 0.7);
/// Radius in cells: of a river of 100 m3/s, what ten times as much adds, and of the greatest.
const RADIUS_CELLS: (f64, f64) = (0.5, 0.3);
pub(super) const MOST_CELLS: f64 = 1.0;
/// Smaller rivers build deltas of this one, in m3/s.
const LEAST_M3_S: f64 = 30.0;
/// Arms that reach the sea: of a river of 100 m3/s, and what ten times as much adds.
const ARMS_AT: (f64, f64) = (3.0, 1.7);
/// The outermost arms end this far to each side of the way out to sea, in radians.
const FAN: f64 = 1.25;
/// No fan is narrower, in radians; how exactly its sides are looked for, and how far out, in radii.
const LEAST_FAN: f64 = 0.7;
const FAN_STEP: f64 = 0.05;
const FAN_AT: f64 = 0.8;
/// Ends of arms are looked for in such steps from the land that the delta has built on, in radii, and so often: up to 0.2 beyond where
/// they should be. Where there is no sea there are none.
const STEP_OUT: f64 = 0.025;
const STEPS_OUT: u8 = 15;
/// In hilly country ends need sea from this share of the radius on; ways to ends are looked at in so many places.
const HILLY_WAY: f64 = 0.3;
const WAY_STEPS: u8 = 8;
/// Cosines are trusted up to this.
const HAIR: f64 = 1e-9;
/// Shares of the radius: land behind the apex, what is added in front of it, and where the greatest of arms end.
const BEHIND: f64 = 0.3;
const BEFORE: f64 = 0.48;
const LOBES: f64 = 0.22;
/// Cosine of the angle from the middle of the fan at which the front has begun, and turned round at which the back has.
const TURN: f64 = 0.6;
/// The plain stands over the sea by this where its farthest arms end, in metres, and rises by so much inland.
const RIM_M: f64 = 0.8;
const RISES: f64 = 2e-4;
/// Inland of this share of the radius it rises by so much more: brooks that are led through it to the river still fall.
const STEEPER: f64 = 1.2e-3;
const STEEPER_FROM: f64 = 0.3;
/// The plain is level from this share of the radius within its rim on; up to there its rim rises to higher land by about so
/// much.
const LEVEL: f64 = 0.3;
const SIDE: f64 = 0.015;
/// How far its rim winds in and out with the hills, over that width.
const WINDS: f64 = 0.3;
/// Beyond its rim the plain goes on so far where the rim is frayed, in cells; not over land that is there anyway.
const FRAYED: f64 = 0.3;
/// Land so far behind the coast without deltas is higher land, in cells.
const INLAND: f64 = 0.25;
/// Country of more relief than this is hilly, in metres.
const HILLY_M: f64 = 90.0;
/// Land behind the coast without deltas may rise so steeply beside: there, and elsewhere.
const HILLY_FOOT: f64 = 0.3;
const FOOT: f64 = 0.006;
/// What is told of deltas ends so far beyond them, in cells: there their land counts as so many times farther off.
const BEYOND: f64 = 0.7;
const FARTHER: f64 = 3.0;
/// Their rivers fill valleys as far up as so many times the way to the middle of their last cell, so far to both sides, in cells: in full,
/// and at all; and within the share of what is told of a delta.
const FILLED_WAY: f64 = 2.0;
const FILLED_CELLS: (f64, f64) = (0.2, 0.5);
const FILLED_ENDS: f64 = 0.75;
/// Water of arms stands over the sea by the least from a share of the radius on, in metres; no steeper than this it rises from
/// there to the apex, and that of the river so many times as steeply beyond that.
const ARM_ENDS_M: f64 = 0.05;
const ARM_LEVEL: f64 = 1.0;
const ARM_FALLS: f64 = 2e-4;
const UP: f64 = -2.0;
/// At the apex it stands no higher than this share of how high the river comes there.
const OF_RIVER: f64 = 0.9;
/// Between the two it is level: cosine of the angle from the way out at which either begins.
const BESIDE: f64 = 0.3;
/// Rivers of more than this share of the delta's own discharge run on over arms.
const OVER_ARMS: f64 = 0.3;
/// What comes to an apex is the river itself if it has the discharge there but for this share.
const OWN_RIVER: f64 = 0.01;
/// Where arms are narrower than this share of the spacing of samples there are none, and the river runs on.
const LEAST_WIDTH: f64 = 0.25;

/// A delta.
#[derive(Clone, Debug)]
pub(super) struct Delta {
    pub apex: Apex,
    /// Order of its river, and what drains through it, in m2.
    order: u8,
    area_m2: f64,
    /// Unit vectors out to sea and across; and along them the middle of the river's last cell, in metres from the apex.
    axes: (Vec3, Vec3),
    from: Vec3,
    /// Whether the country is hilly: then arms lead over what would be sea alone.
    hilly: bool,
    radius_m: f64,
    cell_m: f64,
    /// Ends of arms by their angles; the middle of the fan, and the way there.
    ends: Vec<End>,
    middle: f64,
    along: Vec3,
    /// Cosine of the angle from it beyond which there are neither lobes nor a front.
    back: f64,
    arms: Vec<Piece>,
    /// Where their lines run, piece by piece.
    runs: Vec<Run>,
    /// What its rim is ragged by; none of a delta that is made up.
    rim: Option<Fractal>,
}

/// Where a piece of an arm's line begins and ends: how far from the apex, in metres, and at which angles.
#[derive(Clone, Copy, Debug)]
struct Run {
    far_m: (f64, f64),
    phi: (f64, f64),
}

impl Run {
    fn of(piece: &Piece) -> Self {
        let far_m = |p: Vec3| p.length();
        let phi = |p: Vec3| math::atan2(p.y, p.x);
        // at the apex itself there is no angle
        let from = if piece.a == Vec3::default() { piece.b } else { piece.a };
        Self { far_m: (far_m(piece.a), far_m(piece.b)), phi: (phi(from), phi(piece.b)) }
    }

    /// The angle at which it passes so far from the apex.
    fn at(&self, far_m: f64) -> Option<f64> {
        let (from_m, to_m) = self.far_m;
        let passes = from_m <= far_m && far_m < to_m;
        passes.then(|| math::mix(self.phi.0, self.phi.1, (far_m - from_m) / (to_m - from_m)))
    }
}

/// The plain of a delta at a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain {
    /// How level it is, 0 to 1.
    pub share: f64,
    /// No ground is higher, in metres; see [`super::compose`].
    pub room_m: f64,
    /// No water of its river is higher, in metres: of all that have at least this discharge, in m3/s.
    pub water_m: f64,
    pub least_m3_s: f64,
}

impl Plain {
    /// Where there is none.
    const NONE: Self =
        Self { share: 0.0, room_m: f64::INFINITY, water_m: f64::INFINITY, least_m3_s: f64::INFINITY };
}

/// An arm at a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    pub depth_m: f64,
    /// Height of its water over the sea, in metres.
    pub surface_m: f64,
    pub discharge_m3_s: f64,
    pub order: u8,
}

/// A place of an arm's line, or of the river's at the apex: in plain space, with bed and water, all in metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArmPlace {
    pub at: Vec3,
    pub bed_m: f64,
    pub surface_m: f64,
}

/// A straight piece of an arm's line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArmPiece {
    /// The river's last cell and that of the sea; the arm; and the piece, all of the delta's counted.
    pub cells: (Cell, Cell),
    pub arm: u32,
    pub number: u32,
    pub ends: [ArmPlace; 2],
    pub discharge_m3_s: f64,
    /// Its share of what drains through the river, in m2.
    pub area_m2: f64,
    pub order: u8,
}

/// Where a river that ends in a delta divides, if its last cell and that of the sea are in the patch: on a side where a draw of
/// the edge says, else at the corner.
pub(super) fn apex(patch: &Patch, seed: Seed, mouth: &Mouth) -> Option<Apex> {
    let (direction, sea) = patch.receiver(mouth.cell)?;
    patch.get(sea).filter(|s| mouth.is_delta && !s.is_land())?;
    let grid = patch.grid;
    let at = if direction.is_side() {
        let edge = grid.edge(mouth.cell, direction)?;
        grid.along_edge(edge, seed.key(APEX).at(edge).range(ON_SIDE.0, ON_SIDE.1))
    } else {
        grid.vertex_position(grid.vertex(mouth.cell, direction)?)
    };
    Some(Apex {
        cells: (mouth.cell, sea),
        at: grid.on_surface_m(at * grid.metres_per_unit()),
        discharge_m3_s: mouth.discharge_m3_s,
        surface_m: leaves_at_m(patch, seed, mouth.cell)?,
        depth_m: patch.get(mouth.cell)?.channel_depth_m,
    })
}

/// How great a delta of its river is: factors of ten over 100 m3/s.
fn size(apex: &Apex) -> f64 {
    math::log10(apex.discharge_m3_s.max(LEAST_M3_S)) - 2.0
}

/// The radius of a delta, in metres.
pub(super) fn radius_m(apex: &Apex, cell_m: f64) -> f64 {
    (RADIUS_CELLS.0 + RADIUS_CELLS.1 * size(apex)).min(MOST_CELLS) * cell_m
}

/// Apexes so near to one, in cells, may have a say in where its arms lead: those of any delta that reaches a window lie in its patch.
pub(super) const RIVALS_CELLS: f64 = 2.5;

/// About the relief of the country around an apex, in metres; none where the patch does not know.
fn relief_m((patch, kinds): (&Patch, &Kinds), apex: &Apex) -> Option<f64> {
    let mut land = Vec::new();
    for cell in patch.grid.halo(apex.cells.0, 1) {
        let state = patch.get(cell)?;
        if state.is_land() {
            land.push((state.water_level_m, state.mountain_height_m));
        }
    }
    let count = land.len() as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| land.iter().map(of).sum::<f64>() / count;
    let mean_m = mean(&|l| l.0);
    let rough_m = mean(&|l| (l.0 - mean_m) * (l.0 - mean_m)).sqrt();
    Some(hills_m(kinds.at(apex.at), rough_m) + mean(&|l| l.1))
}

impl Delta {
    /// The delta that a river builds at its apex; none where no arm would reach the sea, and where the patch does not know what lies
    /// in front of it, or `is_sea` whether there would be sea without deltas.
    pub fn of(
        (patch, kinds): (&Patch, &Kinds),
        seed: Seed,
        apex: &Apex,
        is_sea: impl Fn(Vec3) -> Option<bool>,
        rivals: &[Apex],
    ) -> Option<Self> {
        let (grid, cell_m) = (patch.grid, patch.grid.cell_m());
        let seaward = patch.center_m(apex.cells.1) - patch.center_m(apex.cells.0);
        let (u, v) = grid.tangents(apex.at);
        let out = (u * seaward.dot(u) + v * seaward.dot(v)).normalized();
        let across = grid.left_of(apex.at, out);
        let (size, radius_m) = (size(apex), radius_m(apex, cell_m));
        let bare = Self::bare(*apex, (out, across), (radius_m, cell_m));
        let from = bare.on_plane(patch.center_m(apex.cells.0));
        let hilly = relief_m((patch, kinds), apex)? > HILLY_M;
        let last = patch.get(apex.cells.0)?;
        let (order, area_m2) = (last.river_order.max(1), last.drainage_km2 * 1e6);
        let rim = Some(Fractal::new(seed.key(RIM).within(apex.cells.0), RIM_OCTAVES, RIM_GAIN));
        let bare = Self { from, hilly, order, area_m2, rim, ..bare };
        let fan = bare.fan(patch)?;
        let count = (ARMS_AT.0 + ARMS_AT.1 * size) * (fan.1 - fan.0) / (2.0 * FAN);
        let mut draw = seed.key(ARMS).at(apex.cells.0);
        let all = ends(fan, count.round().max(2.0) as usize, &mut draw);
        let reaching = bare.own_ends(bare.reaching(&all, is_sea)?, rivals);
        // without arms it would only bar the river's way
        (!reaching.is_empty()).then(|| bare.with_arms(fan, reaching, &mut draw))
    }

    /// Those of some ends beyond which there is sea, no farther away than that goes on, and in hilly country along nearly all of
    /// the way, too; none at all where that is not known.
    fn reaching(&self, ends: &[End], is_sea: impl Fn(Vec3) -> Option<bool>) -> Option<Vec<End>> {
        let mut all = Vec::new();
        for end in ends {
            let way = Vec3::new(math::cos(end.phi), math::sin(end.phi), 0.0) * self.radius_m;
            if self.hilly && !self.leads_over_sea(end, &is_sea)? {
                continue;
            }
            // the farthest place up to the end, or behind it the first
            let mut at_sea = None;
            for step in 0..STEPS_OUT {
                let far = end.far - ENDS + STEP_OUT * f64::from(step);
                let is_sea = is_sea(self.off_plane(way * far))?;
                if is_sea {
                    at_sea = Some(far);
                }
                if at_sea.is_some() && (!is_sea || far >= end.far) {
                    break;
                }
            }
            all.extend(at_sea.map(|far| End { far, ..*end }));
        }
        Some(all)
    }

    /// How much nearer the way to an end lies to its own apex than to any other's, counted in radii; infinite where there is none. Arms of
    /// two deltas that share a plain would cross.
    fn own_way(&self, end: &End, rivals: &[Apex]) -> f64 {
        let way = Vec3::new(math::cos(end.phi), math::sin(end.phi), 0.0) * self.radius_m;
        let nearer = |step: u8| {
            let far = end.far * f64::from(step) / f64::from(WAY_STEPS);
            let q = self.off_plane(way * far);
            let off = |rival: &Apex| q.distance(rival.at) / radius_m(rival, self.cell_m) - far;
            rivals.iter().map(off).fold(f64::INFINITY, f64::min)
        };
        (1..=WAY_STEPS).map(nearer).fold(f64::INFINITY, f64::min)
    }

    /// The ends whose ways are its own, or the one whose way is most so: its river must come to the sea.
    pub(super) fn own_ends(&self, mut ends: Vec<End>, rivals: &[Apex]) -> Vec<End> {
        let way = |end: &End| self.own_way(end, rivals);
        let most = ends.iter().map(way).fold(f64::NEG_INFINITY, f64::max);
        let least = most.min(f64::MIN_POSITIVE);
        ends.retain(|end| way(end) >= least);
        ends
    }

    /// Whether there is sea all the way to an end but next to the apex; none where that is not known.
    fn leads_over_sea(&self, end: &End, is_sea: impl Fn(Vec3) -> Option<bool>) -> Option<bool> {
        let way = Vec3::new(math::cos(end.phi), math::sin(end.phi), 0.0) * self.radius_m;
        for step in 0..WAY_STEPS {
            let far = math::mix(HILLY_WAY, end.far, f64::from(step) / f64::from(WAY_STEPS));
            if !is_sea(self.off_plane(way * far))? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Land around an apex, without arms.
    pub(super) fn bare(apex: Apex, axes: (Vec3, Vec3), (radius_m, cell_m): (f64, f64)) -> Self {
        Self {
            apex,
            order: 1,
            area_m2: 0.0,
            axes,
            from: Vec3::default(),
            hilly: false,
            radius_m,
            cell_m,
            ends: Vec::new(),
            middle: 0.0,
            along: Vec3::new(1.0, 0.0, 0.0),
            back: -TURN,
            arms: Vec::new(),
            runs: Vec::new(),
            rim: None,
        }
    }

    /// The angles between which the world has sea in front of the apex; none where the patch does not know.
    fn fan(&self, patch: &Patch) -> Option<(f64, f64)> {
        let is_sea = |phi: f64| {
            let (r, (out, across)) = (FAN_AT * self.radius_m, self.axes);
            let q = self.apex.at + out * (r * math::cos(phi)) + across * (r * math::sin(phi));
            // beyond the border of a flat map there is sea
            let Some(cell) = patch.grid.locate(q / patch.grid.metres_per_unit()) else { return Some(true) };
            Some(!patch.get(cell)?.is_land())
        };
        let side = |sign: f64| {
            let mut phi = 0.0;
            while phi < FAN && is_sea(sign * (phi + FAN_STEP))? {
                phi += FAN_STEP;
            }
            Some(sign * phi)
        };
        let (left, right) = (side(-1.0)?, side(1.0)?);
        let lacking = 0.5 * (LEAST_FAN - (right - left)).max(0.0);
        Some((left - lacking, right + lacking))
    }

    /// The same with arms to some ends between two angles.
    pub(super) fn with_arms(self, fan: (f64, f64), ends: Vec<End>, draw: &mut Draw) -> Self {
        let middle = 0.5 * (fan.0 + fan.1);
        let made = Fan {
            ends: &ends,
            middle,
            radius_m: self.radius_m,
            river: (self.apex.discharge_m3_s, self.apex.depth_m),
            arms: Vec::new(),
        };
        let arms = made.all(draw);
        let along = Vec3::new(math::cos(middle), math::sin(middle), 0.0);
        let widest = ends.iter().map(|end| (end.phi - middle).abs() + end.width).fold(0.0, f64::max);
        let back = math::cos(widest.min(PI)).min(-TURN);
        Self { runs: arms.iter().map(Run::of).collect(), arms, middle, along, back, ends, ..self }
    }

    /// Whether samples of a spacing show its arms.
    pub fn shows_arms(&self, spacing_m: f64) -> bool {
        let narrowest_m = self.arms.iter().map(|piece| 2.0 * piece.half_m).fold(f64::INFINITY, f64::min);
        !self.arms.is_empty() && narrowest_m >= LEAST_WIDTH * spacing_m
    }

    /// Whether it is the river itself that has so much discharge on its way to the apex, in m3/s.
    fn is_own(&self, discharge_m3_s: f64) -> bool {
        (discharge_m3_s - self.apex.discharge_m3_s).abs() <= OWN_RIVER * self.apex.discharge_m3_s
    }

    /// The pieces of the lines of its arms, if samples of a spacing show them; what is made of a place in bent space, to plain.
    pub fn lines(&self, spacing_m: f64, unbend: impl Fn(Vec3) -> Vec3) -> Vec<ArmPiece> {
        let arms: &[Piece] = if self.shows_arms(spacing_m) { &self.arms } else { &[] };
        let piece = |(number, piece): (usize, &Piece)| ArmPiece {
            cells: self.apex.cells,
            arm: piece.arm,
            number: number as u32,
            ends: [piece.a, piece.b].map(|p| self.line_place(p, piece.depth_m, &unbend)),
            discharge_m3_s: piece.discharge_m3_s,
            area_m2: self.area_m2 * piece.discharge_m3_s / self.apex.discharge_m3_s,
            order: self.order,
        };
        arms.iter().enumerate().map(piece).collect()
    }

    /// Whether a river of so much discharge on its way from a cell divides into its arms, and samples of a spacing show these.
    pub fn divides(&self, (from, discharge_m3_s): (Cell, f64), spacing_m: f64) -> bool {
        from == self.apex.cells.0 && self.is_own(discharge_m3_s) && self.shows_arms(spacing_m)
    }

    /// Where arms begin: no river that divides into them is lower.
    pub fn head(&self, unbend: impl Fn(Vec3) -> Vec3) -> ArmPlace {
        self.line_place(Vec3::default(), self.apex.depth_m, &unbend)
    }

    /// Height of its water at the apex, in metres.
    fn head_m(&self) -> f64 {
        ARM_ENDS_M + self.falls() * ARM_LEVEL * self.radius_m
    }

    fn line_place(&self, p: Vec3, depth_m: f64, unbend: &impl Fn(Vec3) -> Vec3) -> ArmPlace {
        let surface_m = self.water_m(&Spot { p, far_m: p.length(), fan_m: 0.0 });
        ArmPlace { at: unbend(self.off_plane(p)), bed_m: surface_m - depth_m, surface_m }
    }

    /// A place in bent space, in metres, from that out to sea and across.
    pub fn off_plane(&self, p: Vec3) -> Vec3 {
        self.apex.at + self.axes.0 * p.x + self.axes.1 * p.y
    }

    /// Whether anything of it can lie in a ball.
    pub fn meets(&self, ball: &Ball) -> bool {
        ball.near(self.apex.at, self.radius_m + BEYOND * self.cell_m)
    }

    /// Metres out to sea and across.
    fn on_plane(&self, q: Vec3) -> Vec3 {
        let off = q - self.apex.at;
        Vec3::new(off.dot(self.axes.0), off.dot(self.axes.1), 0.0)
    }

    /// What is known of it at a place.
    fn spot(&self, q: Vec3) -> Spot {
        let p = self.on_plane(q);
        let far_m = p.length();
        Spot { p, far_m, fan_m: self.fan_m(p, far_m) }
    }

    /// Its plain at a spot: see [`Beside::plain`]. It falls out to sea as a plane does, so water runs off.
    fn plain(&self, spot: &Spot, coast: f64, rolling: f64) -> Plain {
        let level_m = LEVEL * self.radius_m;
        let winding_m = WINDS * (rolling - 0.5) * level_m;
        let out = (1.0 - (spot.fan_m - winding_m) / level_m).clamp(0.0, 1.0);
        let higher_m = if coast > 0.0 {
            let side_m = SIDE * level_m * out * out / (1.0 - out).max(1e-9);
            let foot = if self.hilly { HILLY_FOOT } else { FOOT };
            math::smoothstep(0.0, INLAND, coast) * side_m + foot * coast * self.cell_m
        } else {
            0.0
        };
        let along_m = spot.p.x * self.along.x + spot.p.y * self.along.y;
        let plane_m = RIM_M
            + RISES * (self.radius_m - along_m).max(0.0)
            + STEEPER * (STEEPER_FROM * self.radius_m - along_m).max(0.0);
        let share = 1.0 - out * out;
        Plain {
            share,
            room_m: plane_m + higher_m,
            water_m: self.water_m(spot) / share.max(1e-9),
            least_m3_s: OVER_ARMS * self.apex.discharge_m3_s,
        }
    }

    /// How steeply the water of its arms falls: not so steeply that it would stand over the river's at the apex.
    fn falls(&self) -> f64 {
        let apex_m = OF_RIVER * self.apex.surface_m - ARM_ENDS_M;
        (apex_m / (ARM_LEVEL * self.radius_m)).clamp(0.0, ARM_FALLS)
    }

    /// Height of the water of its arms over the sea, in metres: it falls from the apex on, and rises up the river.
    fn water_m(&self, &Spot { p, far_m, .. }: &Spot) -> f64 {
        let down = math::mix(UP, 1.0, math::smoothstep(-BESIDE, BESIDE, p.x / far_m.max(1.0)));
        ARM_ENDS_M + self.falls() * (ARM_LEVEL * self.radius_m - far_m * down).max(0.0)
    }

    /// Whether a spot lies between the lines of its outermost arms, or in one of them.
    fn is_between_arms(&self, spot: &Spot) -> bool {
        let angles = self.runs.iter().filter_map(|run| run.at(spot.far_m));
        let (left, right) =
            angles.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, r), phi| (l.min(phi), r.max(phi)));
        (left..=right).contains(&math::atan2(spot.p.y, spot.p.x))
    }

    /// How far a spot lies within the land of the delta, in metres; negative beyond it.
    fn within_m(&self, spot: &Spot) -> f64 {
        // in front of the apex it is the nearest place of the way
        if spot.p.dot(self.from) <= 0.0 {
            return spot.fan_m;
        }
        // land along the river, too: no bay parts a delta from the land
        spot.fan_m.max(BEHIND * self.radius_m - nearest(spot.p, Vec3::default(), self.from).1.sqrt())
    }

    /// How much its river has filled of the valley that it comes down, 0 to 1: what carries land out to sea leaves no estuary behind.
    fn filled(&self, spot: &Spot) -> f64 {
        let off_m = nearest(spot.p, Vec3::default(), self.from * FILLED_WAY).1.sqrt();
        let along = 1.0 - math::smoothstep(FILLED_CELLS.0, FILLED_CELLS.1, off_m / self.cell_m);
        let ends_m = self.radius_m + BEYOND * self.cell_m;
        along * (1.0 - math::smoothstep(FILLED_ENDS * ends_m, ends_m, spot.far_m))
    }

    /// How far bays reach into the land that it builds, at a place that lies so far within its rim but for them, in metres.
    fn bays_m(&self, p: Vec3, within_m: f64) -> f64 {
        let Some(rim) = &self.rim else { return 0.0 };
        let near = 1.0 - math::smoothstep(0.0, BAYS_END * self.radius_m, within_m.abs());
        if near <= 0.0 {
            return 0.0;
        }
        let noise = rim.fbm(p * (1.0 / (BAY_WAVE * self.radius_m)));
        BAYS * self.radius_m * near * (BAY_LOUD * noise).clamp(0.0, 1.0)
    }

    /// The same of what it builds around its apex, at a place so far from it.
    fn fan_m(&self, p: Vec3, far_m: f64) -> f64 {
        if far_m > self.radius_m + BEYOND * self.cell_m {
            return -far_m;
        }
        if p.dot(self.along) < (self.back - HAIR) * far_m {
            return self.radius_m * BEHIND - far_m;
        }
        let phi = math::atan2(p.y, p.x);
        let lobe = |end: &End| {
            let x = (phi - end.phi) / end.width;
            let left = (1.0 - x * x).max(0.0);
            end.height * left * left
        };
        let near = self.ends.iter().filter(|end| (phi - end.phi).abs() < end.width);
        let lobes = near.map(lobe).fold(0.0, f64::max);
        let smooth_m = self.radius_m * (outline(phi - self.middle) + LOBES * lobes) - far_m;
        smooth_m - self.bays_m(p, smooth_m)
    }
}

/// How far bays reach into its rim at most, their greatest wavelength, and how far from the rim there are none of it, in radii.
const BAYS: f64 = 0.1;
const BAY_WAVE: f64 = 0.3;
const BAYS_END: f64 = 0.3;
const RIM_OCTAVES: u32 = 4;
const RIM_GAIN: f64 = 0.6;
/// Of the noise's greatest values: what makes a bay in full.
const BAY_LOUD: f64 = 2.5;

/// How far land reaches without the lobes of arms, in radii, at an angle from the middle of the fan.
fn outline(off: f64) -> f64 {
    BEHIND + BEFORE * math::smoothstep(-TURN, TURN, math::cos(off))
}

#[cfg(test)]
impl Delta {
    /// The pieces of all arms.
    pub fn pieces(&self) -> &[Piece] {
        &self.arms
    }

    pub fn radius_m(&self) -> f64 {
        self.radius_m
    }
}

/// What is known of a delta at a place.
#[derive(Clone, Copy, Debug)]
struct Spot {
    /// Metres out to sea and across, and from the apex.
    p: Vec3,
    far_m: f64,
    /// How far it lies within what the delta builds around its apex, in metres.
    fan_m: f64,
}

/// A delta with the pieces of its arms that samples show within a ball.
struct Shown<'a> {
    delta: &'a Delta,
    has_arms: bool,
    ball: Ball,
    spacing_m: f64,
    banks: Banks,
    /// Found when a sample first asks for arms: sites never do.
    pieces: OnceCell<Vec<Piece>>,
}

impl Shown<'_> {
    fn pieces(&self) -> &[Piece] {
        self.pieces.get_or_init(|| {
            let flat = Ball { center: self.delta.on_plane(self.ball.center), ..self.ball };
            let shown = self.delta.arms.iter().filter(|_| self.has_arms);
            let wide = shown.map(|p| p.with_room(self.spacing_m).widened(CONNECTED * self.spacing_m));
            wide.filter(|p| flat.meets(p.a, p.b, p.half_m)).collect()
        })
    }

    /// The arm that covers a spot: the one in whose room it lies farthest from the edge, as deep as any that covers it, so that no bed rises where
    /// a wide arm ends in narrower ones.
    fn arm(&self, spot: &Spot) -> Option<Arm> {
        let delta = self.delta;
        let rooms = self.pieces().iter().map(|piece| (piece, piece.room(spot.p)));
        let (mut within, mut deepest_m): (Option<(&Piece, Room)>, f64) = (None, 0.0);
        for (piece, room) in rooms.filter(|(_, room)| room.within_m > 0.0) {
            deepest_m = deepest_m.max(piece.depth_at_m(room));
            within = within.filter(|(_, old)| old.within_m > room.within_m).or(Some((piece, room)));
        }
        let (piece, room) = within?;
        let off_m = self.banks.off_m(delta.off_plane(spot.p), room).land_m();
        let depth_m = deepest_m.min(piece.shallow_m(room, off_m));
        let (surface_m, discharge_m3_s) = (delta.water_m(spot), piece.discharge_m3_s);
        (off_m > 0.0).then_some(Arm { depth_m, surface_m, discharge_m3_s, order: delta.order })
    }
}

/// What of deltas can matter within a ball, as samples of a spacing show it.
pub(super) struct Deltas<'a> {
    near: Vec<Shown<'a>>,
}

impl<'a> Deltas<'a> {
    pub fn new(all: &'a [Delta], ball: &Ball, spacing_m: f64, seed: Seed) -> Self {
        let near = all.iter().filter(|delta| delta.meets(ball));
        let shown = |delta: &'a Delta| {
            let has_arms = delta.shows_arms(spacing_m);
            let banks = Banks::new(seed, spacing_m);
            Shown { delta, has_arms, ball: *ball, spacing_m, banks, pieces: OnceCell::new() }
        };
        Self { near: near.map(shown).collect() }
    }

    /// What they say of a place.
    pub fn beside(&self, q: Vec3) -> Beside<'_> {
        let mut beside =
            Beside { within_cells: f64::NEG_INFINITY, filled: 0.0, first: None, others: Vec::new() };
        for shown in &self.near {
            beside.add(shown, shown.delta.spot(q));
        }
        beside
    }
}

/// What deltas say of a place.
pub(super) struct Beside<'a> {
    /// How far it lies within their land, in cells; negative beyond it, and soon far beyond.
    pub within_cells: f64,
    /// How much rivers that build deltas have filled of what the sea had drowned, 0 to 1.
    pub filled: f64,
    /// Those whose plains reach it: mostly one, if any.
    first: Option<(&'a Shown<'a>, Spot)>,
    others: Vec<(&'a Shown<'a>, Spot)>,
}

impl<'a> Beside<'a> {
    fn add(&mut self, shown: &'a Shown<'a>, spot: Spot) {
        let cell_m = shown.delta.cell_m;
        let cells = shown.delta.within_m(&spot) / cell_m;
        // nothing is left where balls no longer meet it: no coast is farther away than that
        self.within_cells = self.within_cells.max(if cells < 0.0 { FARTHER * cells } else { cells });
        self.filled = self.filled.max(shown.delta.filled(&spot));
        if spot.fan_m <= -FRAYED * cell_m {
            return;
        }
        match self.first {
            None => self.first = Some((shown, spot)),
            Some(_) => self.others.push((shown, spot)),
        }
    }

    fn reaching(&self) -> impl Iterator<Item = &(&'a Shown<'a>, Spot)> {
        self.first.iter().chain(&self.others)
    }

    /// The plain where it lies so many cells from the coast that there would be without deltas, and the noise of hills, 0.5 on
    /// the mean, is `rolling`.
    pub fn plain(&self, coast: f64, rolling: f64) -> Plain {
        let plain = |(shown, spot): &(&Shown, Spot)| shown.delta.plain(spot, coast, rolling);
        let lower = |a: Plain, b: Plain| Plain {
            share: a.share.max(b.share),
            room_m: a.room_m.min(b.room_m),
            water_m: a.water_m.min(b.water_m),
            least_m3_s: a.least_m3_s.min(b.least_m3_s),
        };
        self.reaching().map(plain).fold(Plain::NONE, lower)
    }

    /// Discharge of the greatest of their rivers, in m3/s; 0 without any.
    pub fn discharge_m3_s(&self) -> f64 {
        self.reaching().map(|(shown, _)| shown.delta.apex.discharge_m3_s).fold(0.0, f64::max)
    }

    /// How high the water of a river of so much discharge stands where it divides into arms, if it is to do so, in metres.
    pub fn head_m(&self, discharge_m3_s: f64) -> Option<f64> {
        let comes = |(Shown { delta, has_arms, .. }, spot): &&(&Shown, Spot)| {
            *has_arms && spot.p.x <= 0.0 && delta.is_own(discharge_m3_s)
        };
        self.reaching().filter(comes).map(|(shown, _)| shown.delta.head_m()).reduce(f64::max)
    }

    /// Whether it lies between the arms of a delta that takes up a river of so much discharge: what would cross arm after arm.
    pub fn swallows(&self, discharge_m3_s: f64) -> bool {
        let between = |(Shown { delta, has_arms, .. }, spot): &(&Shown, Spot)| {
            let is_brook = discharge_m3_s <= OVER_ARMS * delta.apex.discharge_m3_s;
            *has_arms && is_brook && delta.is_between_arms(spot)
        };
        self.reaching().any(between)
    }

    /// The arm that covers it where a river of so much discharge does not run on over it.
    pub fn arm(&self, discharge_m3_s: f64) -> Option<Arm> {
        let least_m3_s = |shown: &Shown| OVER_ARMS * shown.delta.apex.discharge_m3_s;
        let shown = self.reaching().filter(|(shown, _)| discharge_m3_s <= least_m3_s(shown));
        let arms = shown.filter_map(|(shown, spot)| shown.arm(spot));
        arms.reduce(|a, b| if b.depth_m > a.depth_m { b } else { a })
    }

    /// The bed of the arm that begins in a river of so much discharge, in metres: where the river ends its own bed rises, and the
    /// arm's does not.
    pub fn bed_of_arm_m(&self, discharge_m3_s: f64) -> Option<f64> {
        let own = self.reaching().filter(|(shown, _)| shown.has_arms && shown.delta.is_own(discharge_m3_s));
        let beds = own.filter_map(|(shown, spot)| shown.arm(spot)).map(|arm| arm.surface_m - arm.depth_m);
        beds.reduce(f64::min)
    }
}

const _: () = assert!(FAN < 0.5 * PI, "arms lead out to sea");
const _: () = assert!(BEHIND + BEFORE + LOBES <= 1.0, "land ends within the radius");
