//! A sample put together: the land as rivers have carved it, the sea, lakes.
//!
//! One rule makes coasts: with the distance s from the line of the [`super::coast`] (positive on land), the ground is
//!
//! ```text
//! z = min(carved - drowned(s), shore(s))        sea where z < 0
//! ```
//!
//! `shore` is 0 on the line; on land it rises as a beach or a cliff until it is higher than anything, at sea it is the
//! floor. `drowned` lowers the valleys near the coast, as the sea has risen in them: rias in hills, fjords where ice has
//! deepened valleys. A river runs on, level with the sea, as long as hardly more water than its own stands over it; it comes
//! down to the arms of its delta, and ends there.

use super::at_most;
use super::ceiling::Ceiling;
use super::cells::Means;
use super::coast::{PARTED, Shore, broad};
use super::country::Here;
use super::delta::{Arm, Beside, Plain};
use super::estuary;
use super::floor::Bottom;
use super::lakes::{LAKE_ENDS, LakeNear};
use super::near::Near;
use super::noise::At;
use crate::moisture;
use crate::sample::{Air, Sample};
use grid::{Vec3, math};
use world::channel_depth_m;

/// What rivers have made of a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carved {
    /// Ground or bed, in metres; infinite where no river is near.
    pub elevation_m: f64,
    /// Height of the channel that its hillslope climbs from, in metres; minus infinity where none is known.
    pub foot_m: f64,
    /// The river whose channel covers the place.
    pub river: Option<Channel>,
}

impl Carved {
    /// Land of such a height without a river, of which nobody knows where it drains to.
    pub fn land(elevation_m: f64) -> Self {
        Self { elevation_m, foot_m: f64::NEG_INFINITY, river: None }
    }
}

/// A river's channel.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Channel {
    pub bed_m: f64,
    pub surface_m: f64,
    pub discharge_m3_s: f64,
    pub order: u8,
}

/// The least height of dry land over the water beside it, and the least depth of water, in metres.
const DRY_M: f64 = 0.05;
/// Gradients of the land behind the shore: of beaches, and what each unit of the hillslopes' adds.
const BEACH: f64 = 0.006;
const CLIFF: f64 = 0.8;
/// The same beside lakes: waves cut no broad shores there, hillslopes come down to the water.
const LAKE_CLIFF: f64 = 2.0;
/// Within about this of the line distances are ragged, in metres.
const RAGGED_M: f64 = 800.0;
/// Land farther than this from the line is as high as it likes, in cells, and how fast it comes to that, in metres.
const LINE_CELLS: f64 = 0.5;
const LINE_FREE_M: f64 = 60.0;
/// Samples have twice as much room as sites so far behind a coast, in metres, five times as much twice as far, and the same where the
/// line of the longer octaves is farther by so much: sites, which the drainage runs between, are low there already ([`Near::top_m`]).
/// What samples alone are pressed down by is no valley's own, and leaves hollows in valleys.
const FREER_M: (f64, f64) = (350.0, 300.0);
/// Land is pressed no lower than the channel that it drains to, but for what rises from a shore more steeply than this.
const BLUFF: f64 = 1.5;
/// No hills stand higher over the mountains and the plain, in metres.
const HIGHEST_HILLS_M: f64 = 600.0;
/// Valleys are drowned up to this: for each metre of relief in hills, of mountains under ice; and at most, in metres.
const RIA: f64 = 0.22;
const FJORD: f64 = 0.07;
const MOST_DROWNED_M: f64 = 150.0;
/// Beds of rivers run on over the floor of the sea until they are lost so far off the coast, in cells.
const LOST_CELLS: f64 = 0.2;
/// Rivers run on, level with the sea, where no more than this of water stands over what was their surface, in metres, and no more than they
/// are deep: the sea begins where it covers their banks.
const TIDAL_M: f64 = 1.5;
/// Plains of deltas of this share have filled what the sea had drowned.
const BUILT: f64 = 0.5;
/// Plains of a lesser share than this count as none.
const HAIR: f64 = 1e-9;
/// Estuaries drown nothing deeper than this share of the land's own height.
const OPENED: f64 = 0.7;
/// For every metre that a river runs higher than the sea did its drowned valley has been filled by so many, where that is drowned by less
/// than the first of the others, in metres; nothing where it is drowned by the second.
const FILLED: f64 = 2.0;
const DEEP_M: (f64, f64) = (15.0, 60.0);
/// Bars are built up to this, in metres, as far as there is room; and brooks of less than this are lost in them, in m3/s.
const BAR_M: f64 = 3.0;
const LOST_IN_SAND_M3_S: f64 = 5.0;
/// How much deeper than drowned a fjord is.
const OVERDEEPENED: f64 = 4.0;
/// Drowned valleys end this far from the coast, in cells.
const DROWNED_CELLS: f64 = 0.9;
/// The ground beside a lake stands above its level for so many metres, and falls off beyond by this gradient at most, or by this share of that
/// of hillslopes.
const DAM_M: f64 = 300.0;
const DAM_FALL: f64 = 0.04;
const DAM_STEEP: f64 = 0.6;
/// Brooks of less than the first of these run over that ground, in m3/s; rivers of more than the second cut through it: among them are
/// outlets.
const OVER_DAMS_M3_S: (f64, f64) = (1.0, 5.0);
/// How fast that ends, in metres, and how near another lake must be to end it, in cells.
const BANK_FREE_M: f64 = 40.0;
const LAKES_PARTED: f64 = 0.2;
/// A river is level with a lake whose level its water is so near to, in metres: areas grow downstream in lakes too, and water
/// falls by centimetres with them.
const LEVEL_M: f64 = 0.5;
/// Nothing of a lake's banks reaches farther from its shore, in cells.
const BANK_CELLS: f64 = 0.6;
/// A lake is as deep as the world says from this far from its shore on, in cells.
const LAKE_SIDE: f64 = 0.4;
const SALT_SIDE: f64 = 0.2;
/// How rough the floor of a lake is, as a share of its depth: mud has levelled it, and hills drown in that.
const LAKE_ROUGH: f64 = 0.3;
/// Land beside a salt lake is a flat so wide, in cells.
const SALT_FLAT_CELLS: f64 = 0.12;

/// What matters of the country to a sample where neither the sea nor a lake does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inland {
    /// Mountain-free ground and summits of mountains, in metres.
    pub(super) land_m: f64,
    mountain_m: f64,
    air: Air,
}

impl Inland {
    fn of(means: &Means) -> Self {
        Self { land_m: means.land_m, mountain_m: means.mountain_m, air: means.air }
    }

    /// At the share `t` of the way to another place.
    pub fn lerp(&self, other: &Self, t: f64) -> Self {
        Self {
            land_m: math::mix(self.land_m, other.land_m, t),
            mountain_m: math::mix(self.mountain_m, other.mountain_m, t),
            air: self.air.lerp(&other.air, t),
        }
    }

    /// The sample, from the land as rivers have carved it.
    pub fn compose(&self, carved: &Carved, ceiling: &Ceiling) -> Sample {
        let carved = &ceiling.over(carved, self.land_m, self.mountain_m);
        let ground = Ground::of(carved, self);
        let dry = dry(&ground, ground.top_m, &Banks::NONE, self.land_m, carved);
        Sample { air: self.air, ..dry }
    }
}

/// What matters at a place beside the sea or a lake, or in it.
#[derive(Clone, Copy)]
pub(crate) struct Waterside {
    means: Means,
    here: Here,
}

impl Waterside {
    /// At shares of the way to the east and to the north between four places, two of them in the south; none where they
    /// have different lakes near.
    pub fn between([a, b, c, d]: [&Self; 4], (along, up): (f64, f64)) -> Option<Self> {
        let even = |a: &Self, b: &Self, t: f64| {
            Some(Self { means: a.means.lerp(&b.means, t)?, here: a.here.lerp(&b.here, t) })
        };
        even(&even(a, b, along)?, &even(c, d, along)?, up)
    }
}

impl Near<'_> {
    /// Whether neither the sea nor a lake matters anywhere in the ball.
    pub fn is_inland(&self) -> bool {
        self.whole().is_inland()
    }

    /// What matters at a place of the row that was begun, inland.
    pub fn inland(&self, column: usize) -> Inland {
        Inland::of(&self.means(self.in_row(column).q, self.whole()))
    }

    /// What matters at a place of the row that was begun, wherever it is.
    pub fn waterside(&self, column: usize) -> Waterside {
        let at = self.in_row(column);
        let means = self.means(at.q, self.around(at.q));
        Waterside { here: self.country.at(at, &means), means }
    }

    /// The sample at a place in plain space (metres), from the land as rivers have carved it.
    pub fn compose(&self, p: Vec3, carved: &Carved) -> Sample {
        self.composed(self.terrain.bend.bend(p).into(), carved)
    }

    /// The same of a place of the row that was begun.
    pub fn compose_in_row(&self, column: usize, carved: &Carved) -> Sample {
        self.composed(self.in_row(column), carved)
    }

    /// The same from what matters there.
    pub fn compose_from(&self, column: usize, waterside: &Waterside, carved: &Carved) -> Sample {
        if waterside.means.is_dry() {
            return Inland::of(&waterside.means).compose(carved, &self.ceiling);
        }
        self.wet(self.in_row(column), waterside, carved)
    }

    fn composed(&self, at: At, carved: &Carved) -> Sample {
        let means = self.means(at.q, self.around(at.q));
        if means.is_dry() {
            return Inland::of(&means).compose(carved, &self.ceiling);
        }
        self.wet(at, &Waterside { here: self.country.at(at, &means), means }, carved)
    }

    /// The shores at a place in bent space, from what matters there.
    #[cfg(test)]
    pub(super) fn shore_from(&self, q: Vec3, waterside: &Waterside) -> Shore {
        let within_cells = self.deltas.beside(q).within_cells;
        self.shore(q, &waterside.means, (&waterside.here, within_cells))
    }

    fn wet(&self, at: At, Waterside { means, here }: &Waterside, carved: &Carved) -> Sample {
        let beside = self.deltas.beside(at.q);
        let shore = self.shore(at, means, (here, beside.within_cells));
        let sample = self.surface((at, &beside), (means, here, &shore), carved);
        Sample { air: means.air, ..sample }
    }

    fn surface(
        &self,
        (at, beside): (At, &Beside),
        fields: (&Means, &Here, &Shore),
        carved: &Carved,
    ) -> Sample {
        let (means, here, shore) = fields;
        if let Some(lake) = shore.lake {
            return self.lake(at, means, &lake, shore.is_salt);
        }
        let carved = &lifted(&self.ceiling.over(carved, means.land_m, means.mountain_m), beside);
        let carved = &on_bar(&swallowed(carved, beside), shore.bar);
        if let Some(strait) = strait(carved, means, shore) {
            return strait;
        }
        let river_m3_s = carved.river.map_or(0.0, |r| r.discharge_m3_s);
        if shore.coast > 0.0
            && let Some(arm) = beside.arm(river_m3_s)
        {
            return on_arm(&arm);
        }
        let ground = Ground::of(carved, &Inland::of(means));
        let plain = beside.plain(shore.free, here.rolling);
        let drowned_m = still_drowned_m(self.drowned_m(at.q, fields, (&plain, beside)), carved);
        let over_m = ground.top_m - drowned_m;
        let tidal_m = if over_m < 0.0 { TIDAL_M.min(channel_depth_m(river_m3_s)) } else { 0.0 };
        if shore.coast <= 0.0 || over_m < -tidal_m {
            let sea = self.sea(at, fields, &ground, (over_m, tidal_m));
            // an arm comes to a floor as deep as its bed: shallower, it would dam the river up
            let floor_m = beside.arm(0.0).map_or(0.0, |arm| arm.surface_m - arm.depth_m);
            let elevation_m = sea.elevation_m.min(floor_m);
            return Sample { elevation_m, base_m: elevation_m, ..sea };
        }
        // what lies half as high again has not been drowned: valleys that lead away from a coast still fall
        let lowered_m = drowned_m.min(3.0 * drowned_m - 2.0 * ground.top_m).max(0.0);
        let most_m = if river_m3_s >= plain.least_m3_s { plain.water_m } else { f64::INFINITY };
        let bay = (shore.broad - shore.coast).max(0.0);
        let freer = (shore.coast.max(0.0) / FREER_M.0).max(bay / FREER_M.1) * self.terrain.cell_m;
        let room_m = within(self.line_m(here, shore.broad) * (1.0 + freer * freer), &plain);
        let room_m = drained(room_m, carved.foot_m - lowered_m, shore.broad * self.terrain.cell_m);
        let stands_m = under(ground.top_m - lowered_m, room_m).min(most_m);
        let sample = dry(&ground, stands_m, &self.banks(shore, here), means.land_m, carved);
        // where the sea covers a river's banks the river is no shallower than that
        let banks_m = if carved.river.is_some() && over_m < 0.0 { over_m } else { f64::INFINITY };
        let bed_m = beside.bed_of_arm_m(river_m3_s).unwrap_or(f64::INFINITY).min(banks_m);
        let moisture_mm = plain.share * moisture::delta_mm(beside.discharge_m3_s());
        Sample { elevation_m: sample.elevation_m.min(bed_m), moisture_mm, ..sample }
    }

    /// Height that divides reach where they would reach so high far from all water, in metres: behind a coast, on the plain of a delta
    /// and beside a lake there is room for so much, over what the sea drowns. Small bays do not count.
    pub(super) fn top_m(&self, top_m: f64, q: Vec3, fields: (&Means, &Here, &Shore), beside: &Beside) -> f64 {
        let (means, here, shore) = fields;
        if means.is_dry() {
            return top_m;
        }
        let plain = beside.plain(shore.free, here.rolling);
        let line_m = self.line_m(here, shore.smooth);
        let top_m = under(top_m, within(line_m, &plain) + self.drowned_m(q, fields, (&plain, beside)));
        top_m.min(self.bank_top_m(shore, here))
    }

    /// How much lower valleys lie beside the sea than rivers left them, in metres.
    fn drowned_m(
        &self,
        q: Vec3,
        (means, here, shore): (&Means, &Here, &Shore),
        (plain, beside): (&Plain, &Beside),
    ) -> f64 {
        // an estuary opens the valley alone, not the low land beside it
        let opened_m = estuary::opened_m(self.estuaries(), q);
        let opened_m = if opened_m > 0.0 {
            opened_m.min(OPENED * self.line_m(here, shore.broad).min(means.land_m))
        } else {
            0.0
        };
        // nothing of what the sea has drowned is left open within the plain
        let built = math::smoothstep(0.0, BUILT, plain.share);
        ria_m(here, means, shore).max(opened_m) * (1.0 - built.max(beside.filled).max(shore.bar))
    }

    /// Room for the land so many cells behind a coast, in metres: see [`under`]; 0 at sea.
    fn line_m(&self, here: &Here, out: f64) -> f64 {
        let x = (out / LINE_CELLS).clamp(0.0, 1.0);
        behind_m(out.max(0.0) * self.terrain.cell_m, (here, CLIFF))
            + LINE_FREE_M * x * x / (1.0 - x).max(1e-9)
    }

    fn sea(
        &self,
        at: At,
        (means, here, shore): (&Means, &Here, &Shore),
        ground: &Ground,
        over: (f64, f64),
    ) -> Sample {
        let line_m = if shore.coast <= 0.0 {
            let kinds = self.floor().canyons_shown(means.sea_m);
            let canyons = self.canyons(at.q, kinds);
            let bottom = Bottom { at, means, canyons: canyons.as_ref() };
            self.floor().at(&bottom, shore.coast, here.rocky)
        } else {
            0.0
        };
        let stands_m = ground.under_sea_m(shore.broad, over);
        let deep_m = if stands_m < 0.0 { stands_m * (1.0 + OVERDEEPENED * here.ice) } else { stands_m };
        let elevation_m = deep_m.min(line_m).min(-DRY_M);
        Sample { elevation_m, base_m: elevation_m, ..Sample::default() }
    }

    fn banks(&self, shore: &Shore, here: &Here) -> Banks {
        let Some(lake) = shore.near else { return Banks::NONE };
        let bank_m = lake.level_m + DRY_M;
        let free_m = bank_free_m(&lake);
        let fall = DAM_FALL.max(DAM_STEEP * here.rise);
        let least_m = bank_m - (lake.shore * self.terrain.cell_m - DAM_M).max(0.0) * fall - free_m;
        let room_m = self.bank_m(&lake, lake.shore, (shore.is_salt, here));
        let out_m = broad(lake.shore, lake.even) * self.terrain.cell_m;
        Banks { least_m: least_m.max(DRY_M), bank_m, room_m, out_m }
    }

    /// Tops beside a lake are no higher than this, by its shore without noise, in metres.
    fn bank_top_m(&self, shore: &Shore, here: &Here) -> f64 {
        let Some(lake) = shore.near else { return f64::INFINITY };
        let out = lake.even.max(lake.shore);
        lake.level_m + DRY_M + self.bank_m(&lake, out, (shore.is_salt, here))
    }

    /// Room for the land so many cells from the shore of a lake, in metres: see [`under`].
    fn bank_m(&self, lake: &LakeNear, out: f64, (is_salt, here): (bool, &Here)) -> f64 {
        let out_m = out * self.terrain.cell_m;
        let flat_m = if is_salt { SALT_FLAT_CELLS * self.terrain.cell_m } else { 0.0 };
        behind_m((out_m - flat_m).max(0.01 * out_m), (here, LAKE_CLIFF)) + bank_free_m(lake)
    }

    fn lake(&self, at: At, means: &Means, lake: &LakeNear, is_salt: bool) -> Sample {
        let depth_m = (lake.level_m - lake.floor_m).max(1.0);
        // salt levels the floor
        let (side, rough) = if is_salt { (SALT_SIDE, 0.0) } else { (LAKE_SIDE, LAKE_ROUGH) };
        let noise = 1.0 + rough * self.floor().noise(at);
        let x = (-lake.shore / side).min(1.0);
        under_lake(lake, means, lake.level_m - (depth_m * x * (2.0 - x) * noise).max(DRY_M))
    }
}

/// A river that is level with the lake whose islands it passes is the lake: a strait, not a river across an island.
fn strait(carved: &Carved, means: &Means, shore: &Shore) -> Option<Sample> {
    let (river, lake) = (carved.river?, shore.near?);
    let is_level = lake.even < 0.0 && (river.surface_m - lake.level_m).abs() <= LEVEL_M;
    is_level.then(|| under_lake(&lake, means, river.bed_m.min(lake.level_m - DRY_M)))
}

/// Ground of such a height under the water of a lake.
fn under_lake(lake: &LakeNear, means: &Means, elevation_m: f64) -> Sample {
    Sample { elevation_m, base_m: means.land_m, water_surface_m: lake.level_m, ..Sample::default() }
}

/// What a lake makes of the ground beside it.
struct Banks {
    /// No ground is lower, in metres.
    least_m: f64,
    /// Height of the shore, and the room for the land behind it, in metres: see [`under`].
    bank_m: f64,
    room_m: f64,
    /// Distance from it, in metres.
    out_m: f64,
}

impl Banks {
    /// Where no lake is near.
    const NONE: Self = Self { least_m: DRY_M, bank_m: 0.0, room_m: f64::INFINITY, out_m: 0.0 };

    /// Height of the ground that would stand so high without the lake, over such a foot, in metres.
    fn shaped_m(&self, stands_m: f64, foot_m: f64) -> f64 {
        let room_m = drained(self.room_m, foot_m - self.bank_m, self.out_m);
        (self.bank_m + under(stands_m - self.bank_m, room_m)).max(self.least_m)
    }
}

/// Room for land so far from a shore that drains to a channel at such a height, all in metres: what is pressed down lower than that
/// is a hollow. Right behind a shore land leads down to the water there instead: it has a bluff, not a wall.
fn drained(room_m: f64, foot_m: f64, out_m: f64) -> f64 {
    room_m.max(foot_m.min(BLUFF * straight_m(out_m)))
}

/// Room for the land behind a coast where there may be the plain of a delta, in metres. Towards its rim the plain leaves off: what
/// lies beyond, along the river, is land as behind any other coast.
fn within(line_m: f64, plain: &Plain) -> f64 {
    line_m.min(plain.room_m / plain.share.max(HAIR))
}

/// Height of land behind a shore that would stand so high, from the room that there is for it, both in metres. What is lower
/// stays as it is; what is higher is pressed down and keeps its shape, lower: cut off at the room, all headlands would be
/// smooth domes, for the room grows with the distance to the shore alone.
fn under(stands_m: f64, room_m: f64) -> f64 {
    if stands_m <= room_m {
        return stands_m;
    }
    room_m * (1.0 + math::log(stands_m / room_m.max(1e-9)))
}

/// Carved ground, not higher than any land there, in metres: of a river its bed, and its water.
struct Ground {
    bed_m: f64,
    /// Ground, or the water of a river.
    top_m: f64,
}

impl Ground {
    fn of(carved: &Carved, means: &Inland) -> Self {
        let most_m = means.land_m + 1.5 * means.mountain_m + HIGHEST_HILLS_M;
        let bed_m = carved.river.map_or(carved.elevation_m, |r| r.bed_m.min(carved.elevation_m)).min(most_m);
        // where a lower valley has cut into the bed, the water runs down into it
        let top_m = carved.river.map_or(bed_m, |r| bed_m + (r.surface_m - r.bed_m).max(0.0));
        // above the sea, and falling to it
        let top_m = top_m.max(DRY_M + 0.5 * top_m.max(0.0));
        Self { bed_m, top_m }
    }

    /// Height of what the sea drowns so many cells behind the coast, in metres: the beds of rivers run on as deep below it as they were
    /// below their water, and deeper by what the sea stands over that beyond `tidal_m`; they are lost on the open floor. `over_m` is what
    /// their water would stand over the sea.
    fn under_sea_m(&self, out: f64, (over_m, tidal_m): (f64, f64)) -> f64 {
        let lost = math::smoothstep(0.0, -LOST_CELLS, out);
        let depth_m = (self.top_m - self.bed_m).max(0.0);
        math::mix(((over_m + tidal_m).min(0.0) - depth_m).min(over_m), over_m, lost)
    }
}

/// Dry land, or a river in it.
fn dry(ground: &Ground, stands_m: f64, banks: &Banks, base_m: f64, carved: &Carved) -> Sample {
    let land_m = banks.shaped_m(stands_m, carved.foot_m);
    let (elevation_m, water_surface_m) = match carved.river {
        // a river comes down with the ground beside it, and up with that beside a lake
        Some(river) => {
            let over = math::smoothstep(OVER_DAMS_M3_S.1, OVER_DAMS_M3_S.0, river.discharge_m3_s);
            let up_m = over * (banks.least_m - ground.top_m).max(0.0) - (ground.top_m - land_m).max(0.0);
            (ground.bed_m + up_m, ground.top_m + up_m)
        }
        None => (land_m, land_m),
    };
    let base_m = base_m.min(land_m).max(0.0);
    let river = carved.river.unwrap_or_default();
    Sample {
        elevation_m,
        base_m,
        mountains_m: (land_m - base_m).max(0.0),
        water_surface_m,
        discharge_m3_s: river.discharge_m3_s,
        order: river.order,
        ..Sample::default()
    }
}

/// What rivers have made of a place: one that divides into arms runs nowhere lower than they begin.
fn lifted(carved: &Carved, beside: &Beside) -> Carved {
    let Some(river) = carved.river else { return *carved };
    let Some(head_m) = beside.head_m(river.discharge_m3_s) else { return *carved };
    let up_m = (head_m - river.surface_m).max(0.0);
    let (bed_m, surface_m) = (river.bed_m + up_m, river.surface_m + up_m);
    let river = Some(Channel { bed_m, surface_m, ..river });
    Carved { elevation_m: carved.elevation_m + up_m, river, ..*carved }
}

/// The same without a brook that arms of a delta have taken up: its channel is silted up to its water.
fn swallowed(carved: &Carved, beside: &Beside) -> Carved {
    match carved.river {
        Some(river) if beside.swallows(river.discharge_m3_s) => {
            Carved { elevation_m: carved.elevation_m.max(river.surface_m), river: None, ..*carved }
        }
        _ => *carved,
    }
}

/// The same on a bar: of sand, in which brooks are lost.
fn on_bar(carved: &Carved, bar: f64) -> Carved {
    if bar <= 0.0 {
        return *carved;
    }
    let river = carved.river.filter(|river| river.discharge_m3_s > LOST_IN_SAND_M3_S * bar);
    Carved { elevation_m: carved.elevation_m.max(bar * BAR_M), river, ..*carved }
}

/// How much lower a drowned valley lies than its river left it, in metres, where the land at its lower end lies so much lower: the less,
/// the higher its own river runs.
fn still_drowned_m(drowned_m: f64, carved: &Carved) -> f64 {
    let river_m = carved.river.map_or(carved.foot_m, |river| river.surface_m).max(0.0);
    let filled = FILLED * math::smoothstep(DEEP_M.1, DEEP_M.0, drowned_m);
    (drowned_m - filled * river_m).max(0.0)
}

/// Water of an arm of a delta.
fn on_arm(arm: &Arm) -> Sample {
    let elevation_m = arm.surface_m - arm.depth_m.max(DRY_M);
    let base_m = elevation_m.max(0.0);
    let Arm { surface_m: water_surface_m, discharge_m3_s, order, .. } = *arm;
    Sample { elevation_m, base_m, water_surface_m, discharge_m3_s, order, ..Sample::default() }
}

/// Room for the land so far behind a shore, in metres.
fn behind_m(out_m: f64, (here, cliff): (&Here, f64)) -> f64 {
    straight_m(out_m) * (BEACH + cliff * here.rise * here.rise)
}

/// About the true distance from a shore, in metres: along a ragged field it is much longer next to the line.
fn straight_m(out_m: f64) -> f64 {
    let out_m = out_m.max(0.0);
    out_m * out_m / (out_m + RAGGED_M)
}

/// How much more room there is beside a lake, in metres: as much as anything needs where the lake ends to matter, or another begins to.
fn bank_free_m(lake: &LakeNear) -> f64 {
    let near = 1.0 - lake.lead / LAKES_PARTED;
    let away = (lake.shore / BANK_CELLS).max(lake.shore / PARTED * near).clamp(0.0, 1.0);
    BANK_FREE_M * away / (1.0 - away).max(1e-9)
}

/// How much lower rias and fjords lie than rivers left them, in metres. Bays do not count: valleys that come near one on their way
/// would be lower there than farther down.
fn ria_m(here: &Here, means: &Means, shore: &Shore) -> f64 {
    let inland = means.coast.max(shore.broad);
    let x = math::smoothstep(DROWNED_CELLS, 0.0, inland) * math::smoothstep(-1.0, -0.5, shore.coast);
    if x <= 0.0 {
        return 0.0;
    }
    let parted = shore.near.map_or(1.0, |lake| math::smoothstep(0.3, 1.0, lake.even / LAKE_ENDS));
    let hills_m = RIA * here.rocky * here.relief_m + FJORD * here.ice * means.mountain_m;
    x * parted * here.drowned * at_most(hills_m, MOST_DROWNED_M)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ground that a lake's banks raise raises brooks in it; rivers cut through, and what they come down with is as before.
    #[test]
    fn brooks_run_over_the_banks_of_lakes() {
        let banks = Banks { least_m: 100.0, bank_m: 110.0, room_m: f64::INFINITY, out_m: 0.0 };
        let surface_m = |discharge_m3_s, bed_m: f64| {
            let river = Channel { bed_m, surface_m: bed_m + 1.0, discharge_m3_s, order: 1 };
            let carved = Carved { elevation_m: bed_m, foot_m: bed_m, river: Some(river) };
            let sample = dry(&Ground { bed_m, top_m: bed_m + 1.0 }, bed_m + 1.0, &banks, 0.0, &carved);
            assert_eq!(sample.water_surface_m - sample.elevation_m, 1.0);
            sample.water_surface_m
        };
        assert_eq!(surface_m(0.2, 20.0), 100.0);
        assert_eq!(surface_m(20.0, 20.0), 21.0);
        assert_eq!(surface_m(0.2, 104.0), 105.0);
    }

    /// A drowned valley rises inland faster than its river did; a deep one keeps what the sea has drowned.
    #[test]
    fn valleys_are_drowned_less_the_higher_their_rivers_run() {
        let land = |foot_m: f64| Carved { foot_m, ..Carved::land(20.0) };
        assert_eq!(still_drowned_m(6.0, &Carved::land(20.0)), 6.0);
        assert_eq!([0.0, 1.0, 4.0].map(|foot_m| still_drowned_m(6.0, &land(foot_m))), [6.0, 4.0, 0.0]);
        assert_eq!(still_drowned_m(80.0, &land(30.0)), 80.0);
        let river = Channel { bed_m: -2.0, surface_m: 1.0, discharge_m3_s: 5.0, order: 1 };
        assert_eq!(still_drowned_m(6.0, &Carved { river: Some(river), ..land(-2.0) }), 4.0);
    }

    /// Sand has no valleys of brooks, nor pools where their beds would lie under the sea; rivers cut through.
    #[test]
    fn brooks_are_lost_in_bars() {
        let of = |discharge_m3_s| {
            let river = Channel { bed_m: -1.0, surface_m: 0.1, discharge_m3_s, order: 1 };
            Carved { elevation_m: -1.0, foot_m: -1.0, river: Some(river) }
        };
        let (brook, river) = (on_bar(&of(0.2), 1.0), on_bar(&of(50.0), 1.0));
        assert!(brook.river.is_none() && brook.elevation_m == BAR_M, "{brook:?}");
        assert_eq!(river.river.map(|river| river.bed_m), Some(-1.0));
        let beside = on_bar(&of(0.2), 0.0);
        assert!(beside.river.is_some() && beside.elevation_m == -1.0, "{beside:?}");
    }

    /// There is no step from the bed of a river to the floor of its estuary, and no trench across the shelf.
    #[test]
    fn beds_run_on_below_the_sea() {
        let ground = Ground { bed_m: -19.0, top_m: 0.1 };
        let bed_m = |out, drowned_m| ground.under_sea_m(out, (ground.top_m - drowned_m, 1.5));
        assert!((bed_m(0.3, 1.6) + 19.1).abs() < 1e-9, "up the estuary, where the river ends");
        assert!((bed_m(0.3, 3.6) + 21.1).abs() < 1e-9, "where the sea is deeper");
        assert!((bed_m(0.0, 0.0) + 19.1).abs() < 1e-9, "at the mouth");
        assert!((bed_m(-LOST_CELLS, 0.0) - 0.1).abs() < 1e-9, "on the open shelf");
        let out: Vec<f64> = (0..=20).map(|k| bed_m(-LOST_CELLS * f64::from(k) / 20.0, 0.0)).collect();
        assert!(out.windows(2).all(|m| m[1] > m[0] && m[1] - m[0] < 2.0), "{out:?}");
        let dry = Ground { bed_m: 4.0, top_m: 4.0 };
        assert_eq!(dry.under_sea_m(0.0, (dry.top_m - 5.0, 0.0)), -1.0);
    }
}
