//! Lakes: each cell of a lake has a node and arms, whose widths and bends are drawn, and links to those beside it. A lake is
//! what lies within their widths.
//!
//! Arms lead up the valleys of the rivers that come in, the farther the more gently these rise, and a little way towards the
//! outlet; others lead aside. So lakes lie along their rivers, with a bay where each comes in. Nodes among many of the same
//! lake are so wide that nothing is left between them; at its rim gaps between links may be islands.

use super::country::{Kinds, hills_m};
use super::pieces::{Piece, Pieces};
use crate::patch::Patch;
use grid::{Cell, Draw, Grid, Nth, Purpose, Seed, Vec3, math};
use std::sync::Arc;
use world::CellState;

const NODE: Purpose = Purpose::new("region/lake/node");
const LINK: Purpose = Purpose::new("region/lake/link");
const ARMS: Purpose = Purpose::new("region/lake/arms");

/// The lake that is nearest to a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct LakeNear {
    pub number: u32,
    pub level_m: f64,
    /// Mean floor of its cells nearby, in metres.
    pub floor_m: f64,
    /// About the distance to its shore in cells; negative in the lake.
    pub shore: f64,
    /// The same before noise.
    pub even: f64,
    /// Half the width of the lake nearby, before noise, in cells.
    pub half: f64,
    /// By how much the next other lake is farther, before noise.
    pub lead: f64,
}

impl LakeNear {
    /// The same with its shore drawn back where the land stands so many metres over its level: there rivers of cells beside run high above
    /// the lake. Narrow lakes keep theirs, or nothing were left of them.
    pub fn drawn_back(self, rise_m: f64) -> Self {
        let high = math::smoothstep(HIGH_M.0, HIGH_M.1, rise_m);
        let broad = math::smoothstep(BROAD.0, BROAD.1, self.half);
        Self { even: self.even + DRAWN_BACK * high * broad, ..self }
    }

    /// At the share `t` of the way to another place beside the same lake.
    pub fn lerp(&self, other: &Self, t: f64) -> Self {
        let mix = |of: fn(&Self) -> f64| math::mix(of(self), of(other), t);
        Self {
            floor_m: mix(|l| l.floor_m),
            shore: mix(|l| l.shore),
            even: mix(|l| l.even),
            half: mix(|l| l.half),
            lead: mix(|l| l.lead),
            ..*self
        }
    }
}

/// Shores draw back by so many cells at most where land is so much higher than a lake, in metres, none and most; from half widths on,
/// in cells, none and all of that.
const DRAWN_BACK: f64 = 0.2;
const HIGH_M: (f64, f64) = (15.0, 90.0);
const BROAD: (f64, f64) = (0.3, 0.55);
/// A lake matters no farther from its shore than this, before noise, in cells.
pub(super) const LAKE_ENDS: f64 = 0.58;
/// Distances from a shore are known up to this, in cells.
const FAR: f64 = 0.8;
/// A cell's part of a lake ends so far from its centre, in cells.
const OWN_CELLS: f64 = 1.45;
/// Nothing is known of a lake farther than this from the centres of its cells.
pub(super) const REACH_CELLS: f64 = OWN_CELLS + FAR;
/// Widths count together where shores are equally near but for this, in cells.
const ALIKE: f64 = 0.08;

/// A cell's part of a lake.
#[derive(Clone, Debug)]
pub(super) struct LakeCell {
    number: u32,
    level_m: f64,
    floor_m: f64,
    center_m: Vec3,
    pieces: Pieces,
}

impl LakeCell {
    /// The part of a lake that is a cell's, if one covers it; its surroundings of two rings are in the patch.
    pub fn of((patch, kinds): (&Patch, &Kinds), seed: Seed, cell: Cell) -> Option<Self> {
        let state = patch.get(cell)?;
        let maker = Maker { patch, kinds, seed, cell_m: patch.grid.cell_m() };
        let node = maker.node(cell)?;
        let mut pieces = Vec::new();
        maker.links(cell, &node, &mut pieces);
        maker.arms(cell, &node, &mut pieces);
        if pieces.is_empty() {
            pieces.push(Piece { ends: (node.at, node.at), half_m: (node.half_m, node.half_m) });
        }
        Some(Self {
            number: state.lake?,
            level_m: state.water_level_m,
            floor_m: state.base_elevation_m,
            center_m: patch.center_m(cell),
            pieces: Pieces::new(&pieces),
        })
    }

    /// How far its own shore is at least from a place, in cells; none where that is too far.
    fn least(&self, q: Vec3, cell_m: f64) -> Option<f64> {
        let least = q.distance(self.center_m) / cell_m - OWN_CELLS;
        (least < FAR).then_some(least)
    }

    /// The distance to its shore in cells, at most [`FAR`].
    fn shore(&self, q: Vec3, cell_m: f64) -> f64 {
        match self.least(q, cell_m).filter(|_| self.pieces.are_near(q, FAR * cell_m)) {
            Some(least) => (self.pieces.shore_m(q) / cell_m).max(least).min(FAR),
            None => FAR,
        }
    }
}

/// The lake whose shore is nearest to a place, of the cells around: of equal ones the one of the lower number.
pub(super) fn nearest_lake(cells: &[Arc<LakeCell>], q: Vec3, cell_m: f64) -> Option<LakeNear> {
    let shores: Vec<f64> = cells.iter().map(|cell| cell.shore(q, cell_m)).collect();
    let each = || cells.iter().zip(shores.iter().copied());
    let (lake, even) = each().min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.number.cmp(&b.0.number)))?;
    if even >= LAKE_ENDS {
        return None;
    }
    let others = each().filter(|(cell, _)| cell.number != lake.number);
    let lead = others.map(|(_, shore)| shore).fold(FAR, f64::min) - even;
    let own = || each().filter(|(cell, shore)| cell.number == lake.number && *shore < FAR);
    let weights = own().map(|(cell, shore)| ((FAR - shore) * (FAR - shore), cell));
    let (sum, all) = weights.fold((0.0, 0.0), |(sum, all), (w, cell)| (sum + w * cell.floor_m, all + w));
    let half =
        half(own().filter(|(_, shore)| *shore < even + ALIKE).map(|(cell, _)| &**cell), even, (q, cell_m));
    let LakeCell { number, level_m, .. } = **lake;
    Some(LakeNear { number, level_m, floor_m: sum / all, shore: even, even, half, lead })
}

/// Half the width of a lake at a place that lies so far from its shore, in cells: of the pieces that are about as near.
fn half<'a>(cells: impl Iterator<Item = &'a LakeCell>, even: f64, (q, cell_m): (Vec3, f64)) -> f64 {
    let (mut sum, mut all) = (0.0, 0.0);
    for cell in cells {
        let least = cell.least(q, cell_m).unwrap_or(FAR);
        for (shore_m, half_m) in cell.pieces.each(q) {
            let behind = (shore_m / cell_m).max(least) - even;
            if behind < ALIKE {
                let w = (1.0 - behind / ALIKE) * (1.0 - behind / ALIKE);
                sum += w * half_m;
                all += w;
            }
        }
    }
    sum / f64::max(all, 1e-9) / cell_m
}

/// Nodes lie within this of the centres of their cells, in cells.
const OFF_CENTER: f64 = 0.22;
/// Half widths of nodes in cells: narrowest and broadest of a lone cell, at the rim of broad lakes on the mean, and within.
const LONE: (f64, f64) = (0.1, 0.42);
const RIM_HALF: f64 = 0.52;
const INNER_HALF: f64 = 0.95;
/// How much of widths is chance; the rest goes by depth.
const CHANCE: f64 = 0.65;
/// How much narrower lone lakes are in hills.
const IN_HILLS: f64 = 0.35;
/// Depth of half the greatest effect on widths, in metres.
const DEEP_M: f64 = 25.0;
/// Links are at least so broad in the middle, and this share of the lesser node, in cells.
const LINK_HALF: f64 = 0.1;
const LINK_SHARE: f64 = 0.9;
/// Half width of the tips of arms at least, and of their roots at most, in cells.
const TIP: f64 = 0.04;
const BROADEST_ARM: f64 = 0.3;
/// Length of arms, in cells: up a river, as much more where its valley is level, towards the outlet, aside, and how much more
/// in hills.
const UP: f64 = 0.36;
const UP_LEVEL: f64 = 0.45;
const DOWN: f64 = 0.38;
const ASIDE: f64 = 0.28;
const ASIDE_HILLS: f64 = 0.2;
/// How fast arms shorten from the greatest river to the least.
const LESSER: f64 = 0.4;
/// At most so many arms aside, and in hills more; none nearer to another than this cosine.
const ASIDES: (f64, f64) = (2.2, 1.8);
const BESIDE: f64 = 0.6;
/// Arms are off their rivers' ways by this at most, in radians.
const TURN: f64 = 0.45;
/// How much the width of an arm varies, as a logarithm.
const VARIED: f64 = 0.5;
/// Height of a river over the lake, from cell to cell, at which an arm is shorter by half of that, in metres.
const STEEP_M: f64 = 40.0;
/// How many pieces a line has, how far its middle lies aside at most, as a share of its length, and how much less its quarters.
const BENDS: usize = 8;
const BENT: f64 = 0.22;
const BENT_GAIN: f64 = 0.8;

/// Makes cells' parts of lakes.
struct Maker<'a> {
    patch: &'a Patch<'a>,
    kinds: &'a Kinds,
    seed: Seed,
    cell_m: f64,
}

/// The middle of a cell's part of a lake.
struct Node {
    at: Vec3,
    half_m: f64,
    /// How hilly the land is, 0 to 1.
    hilly: f64,
}

impl Maker<'_> {
    fn lake(&self, cell: Cell) -> Option<u32> {
        self.patch.get(cell)?.lake
    }

    /// Cells of the same lake beside one.
    fn alike(&self, cell: Cell) -> impl Iterator<Item = Cell> + '_ {
        let lake = self.lake(cell);
        self.patch
            .grid
            .neighbors(cell)
            .map(|(_, n)| n)
            .filter(move |&n| lake.is_some() && self.lake(n) == lake)
    }

    /// Where a node lies, or would.
    fn place(&self, cell: Cell) -> Vec3 {
        let mut draw = self.seed.key(NODE).at(cell);
        let (angle, off) = (draw.range(0.0, std::f64::consts::TAU), OFF_CENTER * draw.unit().sqrt());
        self.patch.center_m(cell) + self.aside(cell, angle) * (off * self.cell_m)
    }

    /// A unit vector along the surface, at an angle.
    fn aside(&self, cell: Cell, angle: f64) -> Vec3 {
        let (u, v) = self.patch.grid.tangents(self.patch.grid.center(cell));
        u * math::cos(angle) + v * math::sin(angle)
    }

    fn node(&self, cell: Cell) -> Option<Node> {
        let state = self.patch.get(cell)?;
        let depth_m = (state.water_level_m - state.base_elevation_m).max(0.0);
        let hilly = self.hilly(cell, state);
        // as much as the cell's depth asks for, and as chance will
        let chance = self.seed.key(NODE).unit_at((cell, Nth(1)));
        let size = CHANCE * chance + (1.0 - CHANCE) * depth_m / (depth_m + DEEP_M);
        let lone = LONE.0 * math::exp(size * math::log(LONE.1 / LONE.0)) * (1.0 - IN_HILLS * hilly);
        let alike = self.alike(cell).count() as f64;
        let rim = math::mix(lone, RIM_HALF * (0.6 + 0.8 * chance), math::smoothstep(1.0, 4.0, alike));
        let half = math::mix(rim, INNER_HALF, math::smoothstep(5.0, 8.0, alike));
        Some(Node { at: self.place(cell), half_m: half * self.cell_m, hilly })
    }

    fn hilly(&self, cell: Cell, state: &CellState) -> f64 {
        let beside = self.patch.grid.neighbors(cell).filter_map(|(_, n)| self.patch.get(n));
        let (sum, n) = beside
            .fold((0.0, 0.0), |(sum, n), s| (sum + (s.water_level_m - state.water_level_m).abs(), n + 1.0));
        let relief_m = hills_m(self.kinds.at(self.patch.center_m(cell)), 0.5 * sum / f64::max(n, 1.0));
        math::smoothstep(10.0, 100.0, relief_m + 0.1 * state.mountain_height_m)
    }

    /// Its halves of the links to cells of the same lake: over corners only where no link leads around.
    fn links(&self, cell: Cell, node: &Node, pieces: &mut Vec<Piece>) {
        let own: Vec<Cell> = self.alike(cell).collect();
        for &to in &own {
            let around = |n: &Cell| self.is_beside(cell, *n) && self.is_beside(*n, to);
            if !self.is_beside(cell, to) && own.iter().any(around) {
                continue;
            }
            let Some(other) = self.node(to) else { continue };
            let (low, high) = if cell < to { (node, &other) } else { (&other, node) };
            let middle_m = (LINK_SHARE * low.half_m.min(high.half_m)).max(LINK_HALF * self.cell_m);
            let mut draw = self.seed.key(LINK).at((cell.min(to), cell.max(to)));
            let mut line = self.bent(cell, (low.at, high.at), &mut draw);
            if cell > to {
                line.reverse();
            }
            self.taper(&line[..=line.len() / 2], (node.half_m, middle_m), None, pieces);
        }
    }

    fn is_beside(&self, a: Cell, b: Cell) -> bool {
        self.patch.grid.neighbors(a).any(|(d, n)| d.is_side() && n == b)
    }

    /// Arms up the rivers that come in, towards the outlet, and aside.
    fn arms(&self, cell: Cell, node: &Node, pieces: &mut Vec<Piece>) {
        let mut draw = self.seed.key(ARMS).at(cell);
        let mut arms = self.along_rivers(cell, node, &mut draw);
        let alike = self.alike(cell).count() as f64;
        if alike == 0.0 {
            self.ends(cell, node, (&mut arms, &mut draw));
        }
        let more = draw.unit() * (ASIDES.0 + ASIDES.1 * node.hilly) * (1.0 - alike / 8.0);
        let mut lines: Vec<Vec<Vec3>> = Vec::new();
        for arm in &arms {
            lines.push(self.arm(cell, (node.at, arm), node.half_m, (&mut draw, pieces)));
        }
        for _ in 0..more as usize {
            let way = self.aside(cell, draw.range(0.0, std::f64::consts::TAU));
            let reach = (ASIDE + ASIDE_HILLS * node.hilly) * draw.range(0.6, 1.2);
            let (root, tip) = (draw.range(0.4, 0.8), draw.range(0.1, 0.5));
            // not beside another
            if arms.iter().any(|arm| arm.way.dot(way) > BESIDE) {
                continue;
            }
            let on = draw.below(BENDS as u32 / 2) as usize;
            let from = lines.first().map_or(node.at, |line| line[on]);
            let arm = Arm { way, reach, root, tip };
            self.arm(cell, (from, &arm), node.half_m, (&mut draw, pieces));
            arms.push(arm);
        }
    }

    /// Arms up the rivers that come in, the greatest first, and towards the outlet.
    fn along_rivers(&self, cell: Cell, node: &Node, draw: &mut Draw) -> Vec<Arm> {
        let lake = self.lake(cell);
        let state = |c: Cell| self.patch.get(c).copied();
        let level_m = state(cell).map_or(0.0, |s| s.water_level_m);
        let mut inflows: Vec<(Cell, CellState)> = self
            .patch
            .inflows(cell)
            .filter_map(|(_, c)| Some((c, state(c)?)))
            .filter(|(_, s)| s.lake != lake)
            .collect();
        inflows.sort_by(|a, b| b.1.discharge_m3_s.total_cmp(&a.1.discharge_m3_s).then(a.0.cmp(&b.0)));
        let mut arms: Vec<Arm> = Vec::new();
        for (from, state) in inflows {
            let rise_m = (state.water_level_m - level_m).max(0.0);
            let level = if state.lake.is_some() { 0.0 } else { STEEP_M / (STEEP_M + rise_m) };
            let way = self.turned(cell, self.place(from) - node.at, draw.range(-TURN, TURN));
            let reach =
                (UP + UP_LEVEL * level) * draw.range(0.6, 1.1) * math::exp(-LESSER * arms.len() as f64);
            arms.push(Arm { way, reach, root: draw.range(0.5, 1.0), tip: draw.range(0.08, 0.5) });
        }
        if let Some((_, to)) = self.patch.receiver(cell).filter(|&(_, to)| self.lake(to) != lake) {
            let way = self.turned(cell, self.place(to) - node.at, draw.range(-TURN, TURN));
            let reach = DOWN * draw.range(0.6, 1.1);
            arms.push(Arm { way, reach, root: draw.range(0.6, 1.0), tip: draw.range(0.1, 0.4) });
        }
        arms
    }

    /// A lone lake has at least two ends.
    fn ends(&self, cell: Cell, node: &Node, (arms, draw): (&mut Vec<Arm>, &mut Draw)) {
        let any = self.aside(cell, draw.range(0.0, std::f64::consts::TAU));
        if arms.is_empty() {
            arms.push(Arm { way: any, reach: draw.range(0.15, 0.5), root: 1.0, tip: draw.range(0.1, 0.6) });
        }
        if let [only] = arms[..] {
            let way = self.turned(cell, only.way * -node.half_m, draw.range(-1.0, 1.0));
            arms.push(Arm { way, reach: draw.range(0.15, 0.5), root: 1.0, tip: draw.range(0.1, 0.6) });
        }
    }

    /// The unit vector of a way that is turned by an angle.
    fn turned(&self, cell: Cell, way: Vec3, angle: f64) -> Vec3 {
        let way = way.normalized();
        way * math::cos(angle) + self.across(cell, way) * math::sin(angle)
    }

    /// What is at right angles to something along the surface.
    fn across(&self, cell: Cell, along: Vec3) -> Vec3 {
        self.patch.grid.left_of(self.patch.grid.center(cell), along)
    }

    /// Lays an arm from a place of a lake so broad there, and gives its line.
    fn arm(
        &self,
        cell: Cell,
        (from, arm): (Vec3, &Arm),
        half_m: f64,
        (draw, pieces): (&mut Draw, &mut Vec<Piece>),
    ) -> Vec<Vec3> {
        // broad lakes have no shorter arms
        let length_m = arm.reach * self.cell_m + 0.5 * half_m;
        let line = self.bent(cell, (from, from + arm.way * length_m), draw);
        let root_m = (arm.root * half_m).min(BROADEST_ARM * self.cell_m);
        let tip_m = (arm.tip * root_m).max(TIP * self.cell_m);
        self.taper(&line, (root_m, tip_m), Some(draw), pieces);
        line
    }

    /// Points of a line that is bent at random: halved again and again, each new point moved aside.
    fn bent(&self, cell: Cell, (a, b): (Vec3, Vec3), draw: &mut Draw) -> Vec<Vec3> {
        let mut line = vec![a; BENDS + 1];
        line[BENDS] = b;
        let (mut step, mut bent) = (BENDS, BENT);
        while step > 1 {
            for k in (step / 2..BENDS).step_by(step) {
                let (a, b) = (line[k - step / 2], line[k + step / 2]);
                line[k] = a.lerp(b, 0.5) + self.across(cell, b - a) * draw.range(-bent, bent);
            }
            (step, bent) = (step / 2, bent * BENT_GAIN);
        }
        line
    }

    /// Adds the pieces of a line that is so broad where it begins and ends; between varied by chance, if that is given.
    fn taper(
        &self,
        line: &[Vec3],
        (from_m, to_m): (f64, f64),
        draw: Option<&mut Draw>,
        pieces: &mut Vec<Piece>,
    ) {
        let step = 1.0 / (line.len() - 1) as f64;
        let mut halves_m: Vec<f64> =
            (0..line.len()).map(|k| math::mix(from_m, to_m, k as f64 * step)).collect();
        if let Some(draw) = draw {
            let inner = line.len() - 1;
            halves_m[1..inner]
                .iter_mut()
                .for_each(|half_m| *half_m *= math::exp(draw.range(-VARIED, VARIED)));
        }
        pieces.extend(
            line.windows(2)
                .zip(halves_m.windows(2))
                .map(|(ends, half_m)| Piece { ends: (ends[0], ends[1]), half_m: (half_m[0], half_m[1]) }),
        );
    }
}

/// An arm: its direction, its length in cells, its half width at its root as a share of the node's, at its tip of the root's.
#[derive(Clone, Copy)]
struct Arm {
    way: Vec3,
    reach: f64,
    root: f64,
    tip: f64,
}
