//! Meanders: rivers that swing from side to side over low country, and all that lies beside them with them.
//!
//! A river swings over about eleven of its widths (Leopold & Wolman 1960), some two of them to either side. No tree of sites can show
//! that: a river leaves its parents by children that lie beside one another, and its sites lie in their parts. So the whole plane is moved
//! instead. At the level whose sites lie about a third of a wave apart every link of the river pulls what lies around it to the left or to the
//! right; what is drawn at that level and all deeper ones lies where the pulls have moved it. The pull changes along the river, fades across it within
//! [`REACH`] spacings, and is never as strong as to turn the plane over: so no two links that did not cross before cross then, and
//! brooks, plains and banks go with their river.
//!
//! Pulls along a river are white noise, a number for each site, of which what swings about as often as the river should is let through: three sites upstream
//! and three downstream have a say. So bends are of about one length, and no two are alike. Sines as wide as that would turn too sharply at their tops: a
//! second pull along the river, of half the wave, makes tops rounder and flanks steeper, as those of a river are whose direction is a sine of its
//! way (Langbein & Leopold 1966). Where sites lie, and who drains to whom, knows nothing of it.

use super::block::{Block, Rect, SQUARE};
use super::levels::{Coarse, Drainage, Guides};
use super::mesh::{self, Mesh, NONE};
use super::plan::{NOWHERE, Planner, Spot};
use crate::curve::nearest;
use grid::{Grid, Level, Part, Topology, Vec3, math};
use std::cell::OnceCell;
use std::f64::consts::TAU;

/// Wavelength in widths.
const WAVELENGTH: f64 = 11.0;
/// Spacings of sites, in widths, from which on and below which links pull.
const PULLING: (f64, f64) = (2.6, 5.2);
/// How far to either side a river swings at most, in widths, and in spacings of the sites that pull: the pull of a link fades
/// within [`REACH`] spacings, by less than that over any way.
const SWING: f64 = 2.2;
const MOST: f64 = 0.75;
const REACH: f64 = 1.4;
/// How far what lies between the tops of bends is moved up and down the river, in swings to the side: a sine of eleven widths that swings by two
/// turns within 1.4 widths at its tops, and with that within 2.6.
const ROUND: f64 = 0.16;
/// Near a river its own links say nearly all: by how much others do, squared, in reaches.
const OTHERS: f64 = 0.03;
/// Rivers swing in full where hillslopes are no steeper than the first, and not at all from the second on; and where tops stand no higher over them
/// than the first of these, in metres, and not at all from the second on.
const GENTLE: f64 = 0.15;
const STEEP: f64 = 0.3;
const HILLS_M: (f64, f64) = (80.0, 240.0);
/// Levels above that which is drawn from which on pulls move whole squares of it; rivers of other pulls are no wider than so many spacings of
/// its sites.
const OF_SQUARES: u8 = 3;
pub(crate) const LESSER: f64 = (1 << (OF_SQUARES - 1)) as f64 / PULLING.0;
/// Rings of parts around a link in which all lie that have a say.
const CHAIN: u32 = SAY as u32 + 1;
/// Rings of parts within which links begin that are near enough.
pub(crate) const RINGS: u32 = 2;
/// Sites upstream and downstream that have a say in a pull.
const SAY: usize = 3;
/// Waves of this height, where one is the mean, are seven tenths of a full swing: few bends are faint.
const SHARP: f64 = 0.4;
/// Pulls of a link are known at so many equal shares of its way.
const SHARES: usize = 8;

/// How the rivers around some sites have moved the plane.
pub(crate) struct Meanders {
    /// Of each level that pulls at anything, from the coarsest.
    levels: Vec<Pulls>,
}

/// The pulls of one level: of the link that leaves each site, if it pulls.
struct Pulls {
    mesh: Mesh,
    links: Vec<Option<Link>>,
    reach_m: f64,
    is_flat: bool,
}

/// A link that pulls.
struct Link {
    ends: [Vec3; 2],
    /// Unit vectors to the left of the river at both.
    left: [Vec3; 2],
    /// By how much it pulls to the left and downstream, in metres, at shares of its way from one before the first end to one behind the last.
    pulls_m: [[f64; 2]; SHARES + 3],
}

impl Link {
    /// How it pulls at the share `t` of its way, where `up` is away from the ground.
    fn at(&self, t: f64, up: Vec3) -> Vec3 {
        let k = ((t * SHARES as f64) as usize).min(SHARES - 1);
        let t_k = t * SHARES as f64 - k as f64;
        // Catmull & Rom (1974)
        let between = |of: usize| {
            let [a, b, c, d] = std::array::from_fn(|i| self.pulls_m[k + i][of]);
            let (first, second, third) = (c - a, 2.0 * a - 5.0 * b + 4.0 * c - d, 3.0 * (b - c) + d - a);
            b + 0.5 * t_k * (first + t_k * (second + t_k * third))
        };
        let left = self.left[0].lerp(self.left[1], t);
        left * between(0) + left.cross(up) * between(1)
    }
}

impl Meanders {
    /// Around the sites in and so many rings around a rectangle of a level.
    pub fn around<C: Coarse, G: Guides>(
        drainage: &Drainage<C, G>,
        (level, rect): (Level, Rect),
        rings: u32,
    ) -> Self {
        Self::down_to(level, drainage, (level, rect), rings)
    }

    /// The same without the pulls of levels deeper than one.
    fn down_to<C: Coarse, G: Guides>(
        deepest: Level,
        drainage: &Drainage<C, G>,
        (level, rect): (Level, Rect),
        rings: u32,
    ) -> Self {
        let of_level = |l: u8| {
            let rings = (rings >> (level.0 - l)) + 1 + RINGS;
            Pulls::of(drainage, (Level(l), rect.over(level, Level(l))), rings)
        };
        Self { levels: (1..=deepest.0).filter_map(of_level).collect() }
    }

    /// What moves whole squares of the level that is drawn: the pulls of rivers that are wider than [`LESSER`] spacings of its sites.
    pub fn of_squares<C: Coarse, G: Guides>(drainage: &Drainage<C, G>, (level, rect): (Level, Rect)) -> Self {
        let deepest = Level(level.0.saturating_sub(OF_SQUARES));
        drainage.prepare_over(deepest, &[rect.over(level, deepest)], 1 + RINGS + 1);
        Self::down_to(deepest, drainage, (level, rect), SQUARE)
    }

    /// Whether anything is moved.
    pub fn moves(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Where a site lies that would lie at a place without meanders: moved no farther than the strongest pull moves it.
    pub fn moved(&self, grid: &Topology, part: Part, at: Vec3) -> Vec3 {
        let (mut by, mut most_m) = (Vec3::default(), 0.0f64);
        for pulls in &self.levels {
            let own = pulls.at(part, at);
            (by, most_m) = (by + own, most_m.max(own.length()));
        }
        if most_m == 0.0 {
            return at;
        }
        let far_m = by.length();
        grid.on_surface_m(at + by * if far_m > most_m { most_m / far_m } else { 1.0 })
    }
}

impl Pulls {
    /// Of the links that begin at most so many rings around a rectangle of a level; none where nothing pulls.
    fn of<C: Coarse, G: Guides>(
        drainage: &Drainage<C, G>,
        (level, rect): (Level, Rect),
        rings: u32,
    ) -> Option<Self> {
        let grid = drainage.grid();
        let mesh = Mesh::around(grid, level, rect, rings + CHAIN);
        let size_m = level.size(grid.cell_m());
        let spots = vec![const { OnceCell::new() }; mesh.parts.len()];
        let rivers = Rivers {
            planner: drainage.planner(),
            cells: drainage.spots(Level(0)),
            spot: drainage.spots(level),
            spots,
            mesh: &mesh,
            size_m,
        };
        let inner = mesh::widened(grid, level, rect, rings);
        let is_inner = |part: Part| inner.iter().any(|rect| rect.index(part).is_some());
        let link = |(i, part): (usize, &Part)| if is_inner(*part) { rivers.link(i) } else { None };
        let links: Vec<_> = mesh.parts.iter().enumerate().map(link).collect();
        let pulls = links.iter().any(Option::is_some);
        let is_flat = matches!(grid, Topology::Flat(_));
        pulls.then_some(Self { mesh, links, reach_m: REACH * size_m, is_flat })
    }

    /// By how much a place of a site of this or a deeper level is moved, in metres.
    fn at(&self, part: Part, place: Vec3) -> Vec3 {
        let over = part.over(self.mesh.level);
        let Some(i) = self.mesh.find(over) else {
            debug_assert!(false, "{part:?} lies in its surroundings");
            return Vec3::default();
        };
        let up = if self.is_flat { Vec3::new(0.0, 0.0, 1.0) } else { place.normalized() };
        let (mut sum, mut weights, mut most) = (Vec3::default(), 0.0, 0.0f64);
        let mut add = |n: usize| {
            if let Some(link) = &self.links[n] {
                let (t, distance2) = nearest(place, link.ends[0], link.ends[1]);
                let off = distance2 / (self.reach_m * self.reach_m);
                if off < 1.0 {
                    let near = (1.0 - off) * (1.0 - off);
                    let weight = near / (OTHERS + off);
                    (sum, weights, most) = (sum + link.at(t, up) * weight, weights + weight, most.max(near));
                }
            }
        };
        add(i);
        self.mesh.each_near(i, i64::from(RINGS), add);
        if weights > 0.0 { sum * (most / weights) } else { sum }
    }
}

/// The rivers of one level.
struct Rivers<'a, Cells, Sites> {
    planner: &'a Planner<'a>,
    /// What cells and sites are like; those that were asked for are known.
    cells: Cells,
    spot: Sites,
    spots: Vec<OnceCell<Spot>>,
    mesh: &'a Mesh,
    size_m: f64,
}

impl<Cells: Fn(Part) -> Spot, Sites: Fn(Part) -> Spot> Rivers<'_, Cells, Sites> {
    fn spot(&self, i: usize) -> &Spot {
        self.spots[i].get_or_init(|| (self.spot)(self.mesh.parts[i]))
    }

    /// The link that leaves a site, if it pulls.
    fn link(&self, i: usize) -> Option<Link> {
        if !self.pulls(i) {
            return None;
        }
        let below = self.receiver(i)?;
        // a river pulls at one that it joins by no more than that does itself
        let to_m = if self.main(below) == Some(i) { self.most_m(below) } else { 0.0 };
        let from_m = self.most_m(i);
        if from_m <= 0.0 && to_m <= 0.0 {
            return None;
        }
        let chain = Chain::around(self, i, below);
        let wave_m = WAVELENGTH * f64::from(self.spot(i).width_m);
        let pull_m = |k: usize| {
            let t = (k as f64 - 1.0) / SHARES as f64;
            let most_m = math::mix(from_m, to_m, t).max(0.0);
            let (aside, quarter_on) = chain.swing(t, wave_m);
            [most_m * aside, -2.0 * ROUND * most_m * aside * quarter_on]
        };
        let ends = [self.spot(i).at, self.spot(below).at];
        Some(Link { ends, left: [self.left(i)?, self.left(below)?], pulls_m: std::array::from_fn(pull_m) })
    }

    /// Whether a site is one of a river whose links pull at this level.
    fn pulls(&self, i: usize) -> bool {
        !self.spot(i).sea && pulls(f64::from(self.spot(i).width_m), self.size_m)
    }

    /// How far to a side a river swings at most at a site, in metres.
    fn most_m(&self, i: usize) -> f64 {
        if !self.pulls(i) {
            return 0.0;
        }
        let Some((above, below)) = self.main(i).zip(self.receiver(i)) else { return 0.0 };
        let way = |from: usize, to: usize| (self.spot(to).at - self.spot(from).at).normalized();
        // what turns by itself swings less
        let straight = way(above, i).dot(way(i, below)).max(0.0);
        let most_m = (SWING * f64::from(self.spot(i).width_m)).min(MOST * self.size_m);
        most_m * straight * low(self.spot(i)) * self.free(i, below)
    }

    /// A unit vector to the left of the river at a site; nothing where there is none.
    fn left(&self, i: usize) -> Option<Vec3> {
        let (from, to) = (self.main(i).unwrap_or(i), self.receiver(i).unwrap_or(i));
        let along = self.spot(to).at - self.spot(from).at;
        (from != to).then(|| self.planner.grid.left_of(self.spot(i).at, along.normalized()))
    }

    /// How free a site is to pull, 0 to 1: rivers come to their lakes and to the apexes of their deltas where these are, and in cells of the
    /// sea there may be arms of deltas, which know of no meanders.
    fn free(&self, i: usize, below: usize) -> f64 {
        let is_bound = |n: usize| {
            self.planner.has_lake(self.mesh.parts[n]) || (self.cells)(self.mesh.parts[n].over(Level(0))).sea
        };
        if is_bound(i) || is_bound(below) {
            return 0.0;
        }
        let away_m = self.planner.to_apex_m(self.spot(i).at) / (REACH * self.size_m);
        math::smoothstep(1.0, 2.0, away_m)
    }

    fn receiver(&self, i: usize) -> Option<usize> {
        match self.spot(i).receiver {
            NOWHERE => None,
            d => Some(self.mesh.near[i][usize::from(d)]).filter(|&to| to != NONE).map(|to| to as usize),
        }
    }

    /// The inflow of the widest river; of equal ones the first by its address.
    fn main(&self, i: usize) -> Option<usize> {
        let near = self.mesh.near[i].into_iter().filter(|&n| n != NONE).map(|n| n as usize);
        let inflows = near.filter(|&n| self.spot(n).width_m > 0.0 && self.receiver(n) == Some(i));
        let is_less = |a: usize, b: usize| {
            let width = |n: usize| self.spot(n).width_m;
            width(a).total_cmp(&width(b)).then_with(|| self.mesh.parts[b].cmp(&self.mesh.parts[a])).is_lt()
        };
        inflows.reduce(|a, b| if is_less(a, b) { b } else { a })
    }
}

/// How much a river has room to swing in low country, 0 to 1.
fn low(spot: &Spot) -> f64 {
    let stands_m = f64::from(spot.top_m - spot.valley_m);
    math::smoothstep(STEEP, GENTLE, f64::from(spot.rise)) * math::smoothstep(HILLS_M.1, HILLS_M.0, stands_m)
}

/// The numbers of the sites of a river around one of its links.
struct Chain {
    /// By the place along the river, counted in links from the link's first end, and in metres.
    numbers: Vec<(f64, f64, f64)>,
    length_m: f64,
}

impl Chain {
    fn around<Cells: Fn(Part) -> Spot, Sites: Fn(Part) -> Spot>(
        rivers: &Rivers<Cells, Sites>,
        i: usize,
        below: usize,
    ) -> Self {
        let key = rivers.planner.meanders;
        let number = |n: usize| 2.0 * key.unit_at(rivers.mesh.parts[n]) - 1.0;
        let far_m = |a: usize, b: usize| rivers.spot(a).at.distance(rivers.spot(b).at);
        let length_m = far_m(i, below);
        let mut numbers = vec![(0.0, 0.0, number(i)), (1.0, length_m, number(below))];
        let mut add = |(mut at, mut links, mut way_m): (usize, f64, f64),
                       sign: f64,
                       next: &dyn Fn(usize) -> Option<usize>| {
            for _ in 1..SAY {
                let Some(to) = next(at) else { break };
                way_m += sign * far_m(at, to);
                links += sign;
                at = to;
                numbers.push((links, way_m, number(at)));
            }
        };
        add((i, 0.0, 0.0), -1.0, &|n| rivers.main(n));
        add((below, 1.0, length_m), 1.0, &|n| rivers.receiver(n));
        Self { numbers, length_m }
    }

    /// A wave along the river at the share `t` of the link, from -1 to 1, and the same a quarter of a wave on.
    fn swing(&self, t: f64, wave_m: f64) -> (f64, f64) {
        let (mut even, mut odd, mut squares) = (0.0, 0.0, f64::MIN_POSITIVE);
        for &(links, way_m, number) in &self.numbers {
            let off = (links - t) / SAY as f64;
            let window = (1.0 - off * off).max(0.0);
            let angle = TAU * (way_m - t * self.length_m) / wave_m;
            even += window * number * math::cos(angle);
            odd += window * number * math::sin(angle);
            squares += window * window;
        }
        // numbers from -1 to 1 have a third for the mean of their squares
        let scale = (squares / 6.0).sqrt();
        let (even, odd) = (even / scale, odd / scale);
        let height = (SHARP * SHARP + even * even + odd * odd).sqrt();
        (even / height, odd / height)
    }
}

/// Whether sites so far apart pull at a river so wide.
fn pulls(width_m: f64, size_m: f64) -> bool {
    width_m > 0.0 && (PULLING.0..PULLING.1).contains(&(size_m / width_m))
}

/// How far at most what lies in a block of the level that is drawn is moved, in metres, where no river in or beside it is wider.
pub(crate) fn most_m<'a, C: Coarse, G: Guides>(
    drainage: &'a Drainage<C, G>,
) -> impl Fn(Block, f64) -> f64 + 'a {
    let grid = drainage.grid();
    move |block, width_m| {
        let (level, rect) = block.above(grid);
        // rivers that are moved by sites farther apart than blocks may run some blocks away
        let widest = (1..=level.0).fold(width_m, |widest, l| {
            let spots = drainage.spots(Level(l));
            let around = mesh::widened(grid, Level(l), rect.over(level, Level(l)), RINGS);
            let parts = around.into_iter().flat_map(|rect| rect.parts(Level(l)));
            let size_m = Level(l).size(grid.cell_m());
            let width_m = |part| {
                let spot = spots(part);
                let swings = !spot.sea && pulls(f64::from(spot.width_m), size_m) && low(&spot) > 0.0;
                if swings { f64::from(spot.width_m) } else { 0.0 }
            };
            parts.map(width_m).fold(widest, f64::max)
        });
        most_of_m(widest)
    }
}

/// How far at most anything is moved where no river is wider, in metres.
pub(crate) fn most_of_m(width_m: f64) -> f64 {
    SWING * width_m
}
