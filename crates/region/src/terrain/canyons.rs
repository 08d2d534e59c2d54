//! Submarine canyons: valleys in the continental slope, in three sizes.
//!
//! A canyon follows a line of sites, one in each cell. A site has a floor,
//!
//! ```text
//! t = even - depth            even: the floor without canyons
//! ```
//!
//! and leads to that neighbour to which t falls most steeply: so lines join downslope and never rise. (Two diagonals that cross
//! cannot both be the steepest from where they begin: no two lines cross.) Lines are curves from the middle between two sites to the next
//! middle, t falling along them; a sea floor is cut down to
//!
//! ```text
//! t + g (sqrt(d^2 + w^2) - w)             d: the distance from a line; its lower edge rounded
//! ```
//!
//! Smaller canyons and gullies do the same in parts of cells, on the floor that the larger have left, and end at their floors.
//!
//! Neglects: what rivers bring, meanders and levees on the rise, fans.

use super::Terrain;
use super::cells::RADIUS_CELLS;
use crate::primitives::Ball;
use grid::noise::Noise;
use grid::{Direction, Grid, Level, Nth, Part, Purpose, Seed, Topology, Vec3, math};
use std::sync::OnceLock;

const CANYON: Purpose = Purpose::new("region/sea floor/canyon");
const WINDING: Purpose = Purpose::new("region/sea floor/canyon/winding");

/// What canyons of a size are like.
struct Kind {
    /// Sites are the parts of this level.
    level: Level,
    /// Depth as a share of the fall from part to part, and at most, in metres.
    depth: f64,
    most_m: f64,
    /// Gradient of the walls.
    wall: f64,
    /// How far the edge is rounded, in metres of depth.
    edge_m: f64,
    /// Straight pieces of a line through a site.
    pieces: usize,
}

/// Canyons, their branches and gullies.
const KINDS: [Kind; MOST_KINDS] = [
    Kind { level: Level(0), depth: 0.42, most_m: 700.0, wall: 0.2, edge_m: 40.0, pieces: 9 },
    Kind { level: Level(2), depth: 0.6, most_m: 160.0, wall: 0.2, edge_m: 12.0, pieces: 5 },
    Kind { level: Level(4), depth: 0.6, most_m: 45.0, wall: 0.22, edge_m: 4.0, pieces: 3 },
];
pub(super) const MOST_KINDS: usize = 3;

/// A site lies within this of the middle of its part, as a share of its side.
const JITTER: f64 = 0.25;
/// Depth of a site for the least and the greatest draw.
const DRAWN: (f64, f64) = (0.4, 1.0);
/// Gradient of the floor from which on there are canyons, and from which on they are as deep as can be.
const STEEP: (f64, f64) = (0.008, 0.035);
/// Walls are so many times as steep as the floor where that is steep.
const STEEPER: f64 = 1.4;
/// Canyons end above and below these depths of the even floor, in metres.
const UPPER_M: (f64, f64) = (-110.0, -450.0);
const LOWER_M: (f64, f64) = (-3900.0, -2300.0);
/// Nothing of a canyon reaches farther from its line, as a share of a part's side: less than what separates a part from lines
/// through sites two parts away.
const REACH: f64 = 0.28;
/// Half width of the floor at the head and at the foot, as a share of a part's side.
const FLOOR: (f64, f64) = (0.006, 0.02);
/// Places are moved aside by noise before lines are drawn, so that these wind and their walls are rough: its octaves'
/// wavelengths, as shares of a cell, and how far each moves a place, as a share of its wavelength.
const WINDING_CELLS: [f64; 3] = [0.3, 0.08, 0.02];
const ASIDE: f64 = 0.14;
/// No place is moved farther, in cells.
const MOST_ASIDE: f64 = 0.08;
/// Octaves are shown by samples that fit into them so many times: not at all, and in full.
const WOUND: (f64, f64) = (2.0, 4.0);
/// Smaller canyons end where the line of a larger one is nearer than so many half widths of its floor, and begin to fade at
/// the second.
const CORE: (f64, f64) = (1.0, 2.5);
/// Sites within this of a cell matter to lines there, in sides of a part: those three parts away.
const SEEN: f64 = 5.0;
/// Lines are known so far beyond a cell, in cells: for places that are moved aside, and for sites of the next kind and
/// their lines.
const NET_CELLS: [f64; MOST_KINDS] = [0.45, 0.15, MOST_ASIDE];
/// Lines with less depth than this are left out, in metres.
const LEAST_M: f64 = 2.0;
/// Samples are shown canyons whose parts are so many times as long: none, and in full.
const SHOWN: (f64, f64) = (4.0, 9.0);

/// How much of each kind samples of a size show: 0 to 1.
pub(super) fn shown(cell_m: f64, size_m: f64) -> [f64; MOST_KINDS] {
    KINDS
        .each_ref()
        .map(|kind| math::smoothstep(SHOWN.0, SHOWN.1, kind.level.size(cell_m) / size_m.max(1e-3)))
}

/// How much canyons there are over an even floor of a depth: 0 to 1.
pub(super) fn there(even_m: f64) -> f64 {
    math::smoothstep(UPPER_M.0, UPPER_M.1, even_m) * math::smoothstep(LOWER_M.0, LOWER_M.1, even_m)
}

/// What moves places aside.
pub(super) struct Winding(Vec<(Noise, f64, f64)>);

impl Winding {
    /// As samples of a size show it.
    pub fn new(seed: Seed, (cell_m, size_m): (f64, f64)) -> Self {
        let octave = |(k, cells): (u32, f64)| {
            let wave_m = cells * cell_m;
            let aside_m = ASIDE * wave_m * math::smoothstep(WOUND.0, WOUND.1, wave_m / size_m.max(1e-3));
            (Noise::new(seed.key(WINDING).within(Nth(k))), 1.0 / wave_m, aside_m)
        };
        Self((0..).zip(WINDING_CELLS).map(octave).filter(|o| o.2 > 0.0).collect())
    }

    fn wound(&self, q: Vec3) -> Vec3 {
        self.0.iter().fold(q, |p, (noise, scale, aside_m)| {
            let [x, y, z, _] = noise.four(q * *scale);
            p + Vec3::new(x.into(), y.into(), z.into()) * *aside_m
        })
    }
}

/// What a cell keeps of canyons, kind by kind; each is made when it is first asked for.
#[derive(Default)]
pub(super) struct Kept([OfKind; MOST_KINDS]);

#[derive(Default)]
struct OfKind {
    floors: OnceLock<Vec<Site>>,
    lines: OnceLock<Vec<Piece>>,
    net: OnceLock<Net>,
}

impl Terrain<'_> {
    /// The first kinds of canyons in and around the cell at a place in the patch.
    pub(super) fn canyons(&self, place: usize, kinds: usize) -> Canyons<'_> {
        let mut nets = [None; MOST_KINDS];
        for (k, net) in nets.iter_mut().enumerate().take(kinds) {
            *net = Some(self.net(place, k));
        }
        Canyons { nets }
    }

    /// The sites of a kind in a cell, before they are deepened, in the order of parts.
    fn floors(&self, place: usize, k: usize) -> &[Site] {
        let make = || {
            let survey = Survey::new(self, place, k);
            let evens = Evens::new(self, place, survey.kind.level);
            let parts = parts_of(self, place, survey.kind.level);
            parts.filter_map(|part| survey.site(part, |at| evens.at(part, at))).collect()
        };
        self.canyons_of(place, k).floors.get_or_init(make)
    }

    /// The lines of a kind through the sites of a cell.
    fn lines(&self, place: usize, k: usize) -> &[Piece] {
        self.canyons_of(place, k).lines.get_or_init(|| Survey::new(self, place, k).lines(place))
    }

    /// The lines of a kind that reach into a cell and somewhat beyond.
    fn net(&self, place: usize, k: usize) -> &Net {
        let make = || {
            let side_m = KINDS[k].level.size(self.cell_m);
            let radius_m = self.radius_m(place) + NET_CELLS[k] * self.cell_m;
            let ball = Ball { center: self.centers_m[place], radius_m };
            let near = self.near(&ball, 0.75 + 1.1 * side_m / self.cell_m);
            let meets = |p: &&Piece| ball.meets(p.from, p.from + p.along, REACH * side_m);
            let pieces = near
                .into_iter()
                .flat_map(|place| self.lines(place, k).iter().filter(meets))
                .copied()
                .collect();
            Net::new(self.grid, &ball, pieces, side_m)
        };
        self.canyons_of(place, k).net.get_or_init(make)
    }

    fn canyons_of(&self, place: usize, k: usize) -> &OfKind {
        &self.slots[place].canyons.get_or_init(Box::default).0[k]
    }

    fn radius_m(&self, place: usize) -> f64 {
        super::cells::radius_m(self.patch, self.patch.cells()[place])
    }
}

/// The canyons around a cell, kind by kind.
pub(super) struct Canyons<'a> {
    nets: [Option<&'a Net>; MOST_KINDS],
}

impl Canyons<'_> {
    /// Depth of canyons at a place over an even floor, in metres, where so much of each kind is shown.
    pub fn cut_m(&self, q: Vec3, even_m: f64, (winding, shown): (&Winding, &[f64; MOST_KINDS])) -> f64 {
        self.cut(winding.wound(q), even_m, shown).0
    }

    /// The same where places have been moved, and how free of lines a place is, 0 to 1.
    fn cut(&self, q: Vec3, even_m: f64, shown: &[f64; MOST_KINDS]) -> (f64, f64) {
        let there = there(even_m);
        let (mut all_m, mut free) = (0.0, there);
        for ((net, kind), share) in self.nets.iter().zip(&KINDS).zip(shown) {
            let Some(net) = net else { break };
            let (least_m, near) = net.at(q);
            let over_m = (even_m - all_m - least_m).max(0.0);
            all_m += free * share * over_m * over_m / (over_m + kind.edge_m);
            free *= math::smoothstep(CORE.0, CORE.1, near);
        }
        (all_m, free)
    }
}

/// The even floor at a place, in metres, and its gradient.
#[derive(Clone, Copy)]
struct Even {
    at: Vec3,
    deep_m: f64,
    slope: Vec3,
}

impl Even {
    /// The mean of the sea cells up to so many rings around a part, as it is everywhere.
    fn new(terrain: &Terrain, (part, rings): (Part, usize), at: Vec3) -> Option<Self> {
        let inverse = 1.0 / (RADIUS_CELLS * terrain.cell_m * (RADIUS_CELLS * terrain.cell_m));
        let (mut all, mut sum) = (0.0, 0.0);
        let (mut slopes, mut sloped) = (Vec3::default(), Vec3::default());
        for k in terrain.patch.halo(terrain.grid.cell_of(part), rings) {
            let off = at - terrain.centers_m[k];
            let left = 1.0 - off.length_squared() * inverse;
            if left <= 0.0 {
                continue;
            }
            let Some(base_m) = terrain.sea_m(k) else { continue };
            let slope = off * (left * left);
            let w = left * left * left;
            all += w;
            sum += w * base_m;
            slopes += slope;
            sloped += slope * base_m;
        }
        let deep_m = (all > 0.0).then(|| sum / all)?;
        let slope = (slopes * deep_m - sloped) * (6.0 * inverse / all);
        Some(Self { at, deep_m, slope })
    }

    /// About the even floor at a place near.
    fn beside_m(&self, q: Vec3) -> f64 {
        self.deep_m + self.slope.dot(q - self.at)
    }
}

/// A place that canyons lead through.
#[derive(Clone, Copy)]
pub(super) struct Site {
    part: Part,
    even: Even,
    at: Vec3,
    /// The floor without canyons of its kind, and with them, in metres.
    even_m: f64,
    deep_m: f64,
    /// Half width of a canyon's floor, in metres.
    half_m: f64,
    /// Gradient of its walls: steeper than its own.
    wall: f64,
    /// The share of its depth that it has.
    strength: f64,
}

impl Site {
    fn depth_m(&self) -> f64 {
        self.even_m - self.deep_m
    }
}

/// A place of a line.
#[derive(Clone, Copy)]
struct Place {
    at: Vec3,
    deep_m: f64,
    half_m: f64,
    /// How deep the floor is cut, in metres.
    depth_m: f64,
    wall: f64,
}

impl From<&Site> for Place {
    fn from(site: &Site) -> Self {
        let (depth_m, wall) = (site.depth_m(), site.wall);
        Self { at: site.at, deep_m: site.deep_m, half_m: site.half_m, depth_m, wall }
    }
}

/// Rings around a cell whose floors matter to sites in it: those of the first level lie deep in their cells.
fn own_rings(part: Part) -> usize {
    if part.level == Level(0) { 1 } else { MOST_RINGS }
}
const MOST_RINGS: usize = 2;

/// What the sites of a kind in a cell are found with.
struct Survey<'a> {
    terrain: &'a Terrain<'a>,
    k: usize,
    kind: &'a Kind,
    /// Side of a part in metres.
    side_m: f64,
    coarser: Canyons<'a>,
}

impl<'a> Survey<'a> {
    fn new(terrain: &'a Terrain<'a>, place: usize, k: usize) -> Self {
        let kind = &KINDS[k];
        Self { terrain, k, kind, side_m: kind.level.size(terrain.cell_m), coarser: terrain.canyons(place, k) }
    }

    /// The site of a part before it is deepened.
    fn site(&self, part: Part, even: impl Fn(Vec3) -> Option<Even>) -> Option<Site> {
        let grid = self.terrain.grid;
        let mut draw = self.terrain.seed.key(CANYON).at(part);
        let mut place = || 0.5 + JITTER * draw.range(-1.0, 1.0);
        let at = grid.within_part(part, place(), place()) * grid.metres_per_unit();
        let even = even(at)?;
        let own_m = even.beside_m(at);
        let (cut_m, free) = self.coarser.cut(at, own_m, &[1.0; MOST_KINDS]);
        let even_m = own_m - cut_m;
        let strength = free * math::mix(DRAWN.0, DRAWN.1, draw.unit());
        let down = math::smoothstep(UPPER_M.1, LOWER_M.1, own_m);
        let half_m = math::mix(FLOOR.0, FLOOR.1, down) * self.side_m;
        Some(Site { part, even, at, even_m, deep_m: even_m, half_m, wall: self.kind.wall, strength })
    }

    /// Deepens a site where the floor falls by so many metres from part to part.
    fn deepen(&self, site: &mut Site, fall_m: f64) {
        let slope = fall_m / self.side_m;
        let most_m = self.kind.most_m.min(0.6 * REACH * self.side_m * self.kind.wall);
        let depth_m = (self.kind.depth * fall_m).min(most_m);
        site.deep_m = site.even_m - depth_m * site.strength * math::smoothstep(STEEP.0, STEEP.1, slope);
        site.wall = self.kind.wall.max(STEEPER * slope);
    }
}

/// The sites in and around a cell, and the neighbours of each by their directions.
struct Sites {
    sites: Vec<Site>,
    beside: Vec<[Option<u32>; 8]>,
}

impl Sites {
    fn new(survey: &Survey, place: usize) -> Self {
        let Survey { terrain, side_m, .. } = *survey;
        let ball =
            Ball { center: terrain.centers_m[place], radius_m: terrain.radius_m(place) + SEEN * side_m };
        let near = terrain.near(&ball, 0.8).into_iter().flat_map(|place| terrain.floors(place, survey.k));
        let first = parts_of(terrain, place, survey.kind.level).next();
        let matters = |site: &&Site| first.is_some_and(|first| is_within(site.part, first));
        let mut sites: Vec<Site> =
            near.filter(|site| ball.near(site.at, 0.0)).filter(matters).copied().collect();
        sites.sort_unstable_by_key(|site| site.part);
        let mut next = [0; 8];
        let beside =
            sites.iter().map(|site| neighbors(&sites, terrain.grid, (site.part, &mut next))).collect();
        let mut own = Self { sites, beside };
        own.deepen(survey);
        own
    }

    /// Deepens all sites by how the floor falls to their neighbours: so none is deeper than one of those.
    fn deepen(&mut self, survey: &Survey) {
        // of whole cells fewer are known
        let own_slope = |site: &Site| site.even.slope.length() * survey.side_m;
        let fall = |k: usize| match survey.kind.level {
            Level(0) => own_slope(&self.sites[k]),
            _ => self.steepest(k, |site| site.even_m).0,
        };
        let falls: Vec<f64> = (0..self.sites.len()).map(fall).collect();
        self.sites.iter_mut().zip(falls).for_each(|(site, fall_m)| survey.deepen(site, fall_m));
    }

    /// The neighbour to which something falls most steeply, and by how much from part to part.
    fn steepest(&self, k: usize, height_m: impl Fn(&Site) -> f64) -> (f64, Option<usize>) {
        let own_m = height_m(&self.sites[k]);
        let mut best = (0.0, None);
        for (direction, other) in Direction::ALL.into_iter().zip(self.beside[k]) {
            let Some(other) = other else { continue };
            let away = if direction.is_side() { 1.0 } else { std::f64::consts::SQRT_2 };
            let fall_m = (own_m - height_m(&self.sites[other as usize])) / away;
            if fall_m > best.0 {
                best = (fall_m, Some(other as usize));
            }
        }
        best
    }
}

/// The places of a part's neighbours among sites that are sorted by their parts: mostly those that follow the last ones.
fn neighbors(sites: &[Site], grid: &Topology, (part, next): (Part, &mut [usize; 8])) -> [Option<u32>; 8] {
    let mut found = [None; 8];
    for ((direction, next), found) in Direction::ALL.into_iter().zip(next).zip(&mut found) {
        let Some((other, _)) = grid.step_part(part, direction) else { continue };
        let follows = sites.get(*next).is_some_and(|site| site.part == other);
        let place = if follows { Ok(*next) } else { sites.binary_search_by_key(&other, |site| site.part) };
        if let Ok(place) = place {
            (*next, *found) = (place + 1, Some(place as u32));
        }
    }
    found
}

/// The even floor in the parts of a cell: of small parts at the middle of larger ones, for it is smooth.
struct Evens<'a> {
    terrain: &'a Terrain<'a>,
    shared: Vec<Option<Even>>,
}

/// Parts of deeper levels share the even floor of the part of this level that they lie in.
const SHARED: Level = Level(3);

impl<'a> Evens<'a> {
    fn new(terrain: &'a Terrain<'a>, place: usize, level: Level) -> Self {
        let middle = |part| terrain.grid.within_part(part, 0.5, 0.5) * terrain.grid.metres_per_unit();
        let even = |part| Even::new(terrain, (part, MOST_RINGS), middle(part));
        let shared = level > SHARED;
        Self {
            terrain,
            shared: if shared { parts_of(terrain, place, SHARED).map(even).collect() } else { Vec::new() },
        }
    }

    fn at(&self, part: Part, at: Vec3) -> Option<Even> {
        if self.shared.is_empty() {
            return Even::new(self.terrain, (part, own_rings(part)), at);
        }
        let (up, side) = (part.level.0 - SHARED.0, 1 << SHARED.0);
        self.shared[(((part.row >> up) % side) * side + (part.col >> up) % side) as usize]
    }
}

/// Whether a part can matter to lines in the cell with a first part: on one face those up to three rings away do.
fn is_within(part: Part, first: Part) -> bool {
    const RINGS: u32 = 3;
    let side = 1 << first.level.0;
    let near = |at: u32, first: u32| at + RINGS >= first && at < first + side + RINGS;
    part.face != first.face || near(part.row, first.row) && near(part.col, first.col)
}

/// The parts of a level that the cell at a place in the patch has.
fn parts_of(terrain: &Terrain, place: usize, level: Level) -> impl Iterator<Item = Part> {
    let (face, row, col) = terrain.grid.shape().split(terrain.patch.cells()[place]);
    let side = 1u32 << level.0;
    (0..side * side).map(move |k| {
        let (down, along) = (k / side, k % side);
        Part { level, face, row: row * side + down, col: col * side + along }
    })
}

/// A straight piece of a line.
#[derive(Clone, Copy)]
struct Piece {
    from: Vec3,
    along: Vec3,
    /// 1 over the square of its length.
    inverse: f64,
    /// Floor at its start and how it changes along it, in metres.
    deep_m: (f64, f64),
    /// Half the floor's width, in metres, and gradient of the walls.
    half_m: f64,
    wall: f64,
}

/// The lines of a kind near a ball.
struct Net {
    pieces: Vec<Piece>,
    /// Square of how far they reach, in metres.
    reach2: f64,
    squares: Squares,
}

impl Survey<'_> {
    /// The lines through the sites of a cell.
    fn lines(&self, place: usize) -> Vec<Piece> {
        let cell = self.terrain.patch.cells()[place];
        if !self.terrain.floors(place, self.k).iter().any(|site| there(site.even.deep_m) > 0.0) {
            return Vec::new();
        }
        let sites = Sites::new(self, place);
        let leads: Vec<Option<usize>> =
            (0..sites.sites.len()).map(|k| sites.steepest(k, |site| site.deep_m).1).collect();
        let own = |k: &usize| self.terrain.grid.cell_of(sites.sites[*k].part) == cell;
        (0..sites.sites.len()).filter(own).flat_map(|k| self.lines_through(&sites, &leads, k)).collect()
    }

    /// The lines through a site: from each of those that lead to it, or from its own place if none does.
    fn lines_through(&self, sites: &Sites, leads: &[Option<usize>], k: usize) -> Vec<Piece> {
        let own = &sites.sites[k];
        let next = leads[k].map(|next| &sites.sites[next]);
        let lasts = sites.beside[k].into_iter().flatten().map(|last| last as usize);
        let lasts: Vec<&Site> =
            lasts.filter(|&last| leads[last] == Some(k)).map(|l| &sites.sites[l]).collect();
        let is_deep = |site: &&Site| site.depth_m() > LEAST_M;
        if ![own].iter().chain(&next).chain(&lasts).any(is_deep) {
            return Vec::new();
        }
        let end = next.map_or(own.into(), |next| self.between(own, next));
        if lasts.is_empty() {
            // a line begins on the floor as it is without it
            let head = Place { deep_m: own.even_m, depth_m: 0.0, ..own.into() };
            let middle = head.at.lerp(end.at, 0.5);
            return self.line(own, (head, middle, end));
        }
        lasts.iter().flat_map(|last| self.line(own, (self.between(last, own), own.at, end))).collect()
    }
}

impl Net {
    fn new(grid: &Topology, ball: &Ball, pieces: Vec<Piece>, side_m: f64) -> Self {
        let reach_m = REACH * side_m;
        let squares = Squares::new(grid, ball, &pieces, reach_m);
        Self { pieces, reach2: reach_m * reach_m, squares }
    }

    /// The lowest floor that lines allow at a place, in metres, and how far it is from them, in half widths of their floors.
    fn at(&self, q: Vec3) -> (f64, f64) {
        let (mut least_m, mut near2) = (f64::INFINITY, f64::INFINITY);
        for &k in self.squares.at(q) {
            let piece = &self.pieces[k as usize];
            let off = q - piece.from;
            let t = (off.dot(piece.along) * piece.inverse).clamp(0.0, 1.0);
            let d2 = (off - piece.along * t).length_squared();
            if d2 >= self.reach2 {
                continue;
            }
            let half2 = piece.half_m * piece.half_m;
            near2 = f64::min(near2, d2 / half2);
            let deep_m = piece.deep_m.0 + t * piece.deep_m.1;
            if deep_m < least_m {
                let far = d2 / self.reach2;
                let up_m = piece.wall * ((d2 + half2).sqrt() - piece.half_m) / (1.0 - far * far);
                least_m = f64::min(least_m, deep_m + up_m);
            }
        }
        (least_m, near2.sqrt())
    }
}

impl Survey<'_> {
    /// The floor that the larger canyons have left beside a site, in metres.
    fn left_m(&self, site: &Site, q: Vec3) -> f64 {
        // parts of cells are small
        let whole = || Even::new(self.terrain, (site.part, MOST_RINGS), q).map(|even| even.deep_m);
        let of_cell = (site.part.level == Level(0)).then(whole).flatten();
        let even_m = of_cell.unwrap_or_else(|| site.even.beside_m(q));
        even_m - self.coarser.cut(q, even_m, &[1.0; MOST_KINDS]).0
    }

    /// The middle between a site and that to which it leads.
    fn between(&self, site: &Site, next: &Site) -> Place {
        let at = self.terrain.grid.on_surface_m(site.at.lerp(next.at, 0.5));
        let depth_m = 0.5 * (site.depth_m() + next.depth_m());
        let deep_m = (self.left_m(site, at) - depth_m).min(site.deep_m).max(next.deep_m);
        let mean = |a: f64, b: f64| 0.5 * (a + b);
        Place {
            at,
            deep_m,
            depth_m,
            half_m: mean(site.half_m, next.half_m),
            wall: mean(site.wall, next.wall),
        }
    }

    /// A line through a site: a parabola between two places. It lies as deep below the floor as its ends
    /// do as far as it can without rising.
    fn line(&self, site: &Site, (start, middle, end): (Place, Vec3, Place)) -> Vec<Piece> {
        let count = self.kind.pieces;
        let mut last = start;
        let mut pieces = Vec::with_capacity(count);
        for k in 1..=count {
            let t = k as f64 / count as f64;
            let (a, b, c) = ((1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t);
            let at = self.terrain.grid.on_surface_m(start.at * a + middle * b + end.at * c);
            let mix = |of: fn(&Place) -> f64| math::mix(of(&start), of(&end), t);
            let depth_m = mix(|p| p.depth_m);
            let deep_m = if k < count {
                (self.left_m(site, at) - depth_m).min(last.deep_m).max(end.deep_m)
            } else {
                end.deep_m
            };
            let next = Place { at, deep_m, depth_m, half_m: mix(|p| p.half_m), wall: mix(|p| p.wall) };
            pieces.push(Piece::between(&last, &next));
            last = next;
        }
        pieces
    }
}

impl Piece {
    fn between(from: &Place, to: &Place) -> Self {
        let along = to.at - from.at;
        Self {
            from: from.at,
            along,
            inverse: 1.0 / along.length_squared().max(1e-6),
            deep_m: (from.deep_m, to.deep_m - from.deep_m),
            half_m: 0.5 * (from.half_m + to.half_m),
            wall: from.wall.max(to.wall),
        }
    }
}

/// Which pieces reach into each of the squares that a ball is split into.
struct Squares {
    corner: Vec3,
    axes: (Vec3, Vec3),
    inverse: f64,
    /// Squares along a side.
    count: usize,
    /// Where the list of each square begins in all of them.
    begins: Vec<u32>,
    lists: Vec<u32>,
}

/// Side of a square, as a share of how far lines reach.
const SQUARE: f64 = 0.7;
/// Squares reach so much beyond the ball, as a share of its radius: the ground bulges between their corners.
const BEYOND: f64 = 0.02;

impl Squares {
    fn new(grid: &Topology, ball: &Ball, pieces: &[Piece], reach_m: f64) -> Self {
        let axes = grid.tangents(ball.center);
        let half_m = ball.radius_m * (1.0 + BEYOND) + 1.0;
        let count = (2.0 * half_m / (SQUARE * reach_m)).ceil() as usize;
        let side_m = 2.0 * half_m / count as f64;
        let corner = ball.center - (axes.0 + axes.1) * half_m;
        let squares = |piece: &Piece, axis: Vec3| {
            let from = (piece.from - corner).dot(axis);
            let to = from + piece.along.dot(axis);
            let square = |x: f64| ((x / side_m).max(0.0) as usize).min(count - 1);
            let reach_m = reach_m + BEYOND * half_m;
            square(from.min(to) - reach_m)..=square(from.max(to) + reach_m)
        };
        let each = |work: &mut dyn FnMut(usize, u32)| {
            for (k, piece) in (0..).zip(pieces) {
                for row in squares(piece, axes.1) {
                    squares(piece, axes.0).for_each(|column| work(row * count + column, k));
                }
            }
        };
        // how many there are in each, then where each list ends, and with all in their places where it begins
        let mut begins = vec![0u32; if pieces.is_empty() { 0 } else { count * count + 1 }];
        each(&mut |square, _| begins[square] += 1);
        let mut sum = 0;
        begins.iter_mut().for_each(|n| (sum, *n) = (sum + *n, sum + *n));
        let mut lists = vec![0u32; sum as usize];
        each(&mut |square, k| {
            begins[square] -= 1;
            lists[begins[square] as usize] = k;
        });
        Self { corner, axes, inverse: 1.0 / side_m, count, begins, lists }
    }

    /// The pieces that can reach a place of the ball.
    fn at(&self, q: Vec3) -> &[u32] {
        if self.lists.is_empty() {
            return &[];
        }
        let off = q - self.corner;
        let step = |axis: Vec3| ((off.dot(axis) * self.inverse) as usize).min(self.count - 1);
        let square = step(self.axes.1) * self.count + step(self.axes.0);
        &self.lists[self.begins[square] as usize..self.begins[square + 1] as usize]
    }
}

#[cfg(test)]
impl Terrain<'_> {
    /// The pieces of the lines of the first kind through the site of a cell, in the order of their lines: places in bent
    /// space that samples of a size show there, and how the floor changes, in metres.
    pub(super) fn canyon_lines(&self, place: usize, size_m: f64) -> Vec<((Vec3, Vec3), f64)> {
        let winding = Winding::new(self.seed, (self.cell_m, size_m));
        let place_of = |v: Vec3| (0..60).fold(v, |q, _| q + (v - winding.wound(q)) * 0.7);
        let ends = |p: &Piece| (place_of(p.from), place_of(p.from + p.along));
        self.lines(place, 0).iter().map(|p| (ends(p), p.deep_m.1)).collect()
    }
}
