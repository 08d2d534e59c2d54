//! Outlets: where rivers end, what they carry there, and whether they build deltas or open into estuaries.
//!
//! Sediment of a river (kg/s), by BQART (Syvitski & Milliman 2007) with the factors of ice, rock and people at 1:
//!
//! ```text
//! Qs = 0.02 (1 - E) Q^0.31 A^0.5 R max(T, 2)      T: a basin colder than 2 deg C counts as 2
//!      Q discharge in km3/yr, A basin in km2, R relief in km, T mean temperature in deg C,
//!      E share that lakes keep: each keeps 0.8 of what comes from above it
//! ```
//!
//! Range of the tide at the mouth (m): a pattern of some thousand kilometres, as amphidromes leave it, amplified over
//! the shelf (a quarter of the tide's wave stands on 350 km of it; Clarke & Battisti 1981) and in funnels (share of
//! land f within 150 km):
//!
//! ```text
//! range = 1.2 * 2^(1.5 n) * 1 / max(0.35, cos(pi/2 W / 350 km)) * (1 + 2.5 smoothstep(0.6, 0.9, f)) <= 15
//! ```
//!
//! Sediment that tide and waves can move away (kg/s), after the ratios of Nienhuis et al. 2020:
//!
//! ```text
//! Qt = 0.35 kg/m3 * pi / period * range / 2 * w * L      w width, D depth, L = min(D / slope, 200 km)
//! Qw = 150 kg/s * 2 (1 - f)                          on sheltered coasts less
//! delta: Qs >= Qt + Qw       estuary: Qt > Qs and Qt > Qw       else a plain mouth
//! ```
//!
//! Neglects: height of waves, ice, sea level of the past, what the shelf is made of.

use super::{Ground, Network, channel_depth_m, channel_width_m};
use crate::names::Names;
use crate::state::NO_LAKE;
use grid::noise::Fractal;
use grid::{Cell, Field, Grid, Purpose, Seed, Topology, math};

const TIDE: Purpose = Purpose::new("world/rivers/tide");

/// What a river ends in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutletKind {
    /// It builds land into the sea.
    Delta,
    /// The tide keeps a funnel open.
    Estuary,
    /// Neither; also where a river leaves a flat map.
    Mouth,
    /// It ends in a lake without outflow.
    Lake,
    /// It dries up on land.
    Dry,
}

impl OutletKind {
    const ALL: [Self; 5] = [Self::Delta, Self::Estuary, Self::Mouth, Self::Lake, Self::Dry];

    /// The word for it in files: `delta`, `estuary`, `mouth`, `lake`, `dry`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Delta => "delta",
            Self::Estuary => "estuary",
            Self::Mouth => "mouth",
            Self::Lake => "lake",
            Self::Dry => "dry",
        }
    }

    /// The kind of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The end of a river.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlet {
    /// The river's last cell.
    pub cell: Cell,
    /// Basin in km2.
    pub drainage_km2: f64,
    /// Discharge in m3/s.
    pub discharge_m3_s: f64,
    /// Length of the main stem in metres.
    pub length_m: f64,
    /// Name of the river; empty for small ones.
    pub name: String,
    /// What it ends in.
    pub kind: OutletKind,
    /// Sediment it brings, in kg/s.
    pub sediment_kg_s: f64,
    /// Range of the tide, in m; 0 away from the sea.
    pub tide_m: f64,
    /// Whether it is a great river: at least 5000 m3/s.
    pub is_great: bool,
}

/// Least discharge of a great river, in m3/s: the Earth has about forty.
const GREAT_M3_S: f64 = 5_000.0;
/// Least basin of a river that has a name, in km2.
const NAMED_KM2: f64 = 10_000.0;
/// Share of the sediment that a lake keeps.
const TRAPPED: f64 = 0.8;
/// Depth of the sea at the edge of the shelf, in metres.
const SHELF_M: f32 = -200.0;
/// Width of the shelf on which a quarter of the tide's wave stands, in metres.
const QUARTER_WAVE_M: f64 = 350_000.0;
/// Half the period of the tide, in seconds.
const HALF_TIDE_S: f64 = 22_357.0;

/// The outlets of a network, the greatest discharge first. Cost: two passes over the land, one over the shelf.
pub(super) fn find_outlets(grid: &Topology, ground: &Ground, network: &Network, seed: Seed) -> Vec<Outlet> {
    let basins = Basins::gather(grid, ground);
    let coast = Coast::new(grid, ground, seed);
    let mut names = Names::new(seed);
    let outlet = |river: super::River| {
        let sediment_kg_s = basins.sediment_kg_s(ground, river.mouth);
        let (kind, tide_m) = coast.judge(river.mouth, sediment_kg_s);
        let named = river.drainage_km2 >= NAMED_KM2;
        Outlet {
            cell: river.mouth,
            drainage_km2: river.drainage_km2,
            discharge_m3_s: river.discharge_m3_s,
            length_m: river.length_m,
            name: if named { names.give(river.mouth, ground.plate[river.mouth]) } else { String::new() },
            kind,
            sediment_kg_s,
            tide_m,
            is_great: river.discharge_m3_s >= GREAT_M3_S,
        }
    };
    network.rivers().into_iter().map(outlet).collect()
}

/// What has come together above each cell.
struct Basins {
    /// Highest surface, in metres.
    top_m: Field<f32>,
    /// Area times temperature, in km2 deg C.
    warmth: Field<f64>,
    /// Area whose sediment no lake has kept, in km2.
    untrapped_km2: Field<f64>,
}

impl Basins {
    fn gather(grid: &Topology, ground: &Ground) -> Self {
        let own_km2 =
            Field::from_fn(grid.shape(), |c| if ground.land[c] > 0.0 { grid.area_m2(c) / 1e6 } else { 0.0 });
        let mut basins = Self {
            top_m: ground.surface_m.clone(),
            warmth: Field::from_fn(grid.shape(), |c| own_km2[c] * f64::from(ground.temperature_c[c])),
            untrapped_km2: own_km2,
        };
        for &cell in ground.flow.order().iter().rev().filter(|&&c| ground.land[c] > 0.0) {
            let Some(below) = ground.flow.receiver_of(grid, cell) else { continue };
            let leaves_lake = ground.lake[cell] != NO_LAKE && ground.lake[below] != ground.lake[cell];
            let passes = if leaves_lake { 1.0 - TRAPPED } else { 1.0 };
            basins.untrapped_km2[below] += passes * basins.untrapped_km2[cell];
            basins.warmth[below] += basins.warmth[cell];
            basins.top_m[below] = basins.top_m[below].max(basins.top_m[cell]);
        }
        basins
    }

    /// Sediment that a river brings to its last cell.
    fn sediment_kg_s(&self, ground: &Ground, mouth: Cell) -> f64 {
        const KM3_PER_YEAR: f64 = 31_557_600.0 / 1e9;
        let km2 = ground.drainage_km2[mouth];
        let relief_km = f64::from(self.top_m[mouth] - ground.level_m[mouth]).max(0.0) / 1000.0;
        let basin = Basin {
            discharge_km3_yr: ground.discharge_m3_s[mouth] * KM3_PER_YEAR,
            area_km2: km2,
            relief_km,
            temperature_c: self.warmth[mouth] / km2.max(1e-9),
            passed: (self.untrapped_km2[mouth] / km2.max(1e-9)).min(1.0),
        };
        basin.sediment_kg_s()
    }
}

/// What BQART asks of a basin.
struct Basin {
    discharge_km3_yr: f64,
    area_km2: f64,
    relief_km: f64,
    temperature_c: f64,
    /// Share of the sediment that lakes let pass.
    passed: f64,
}

impl Basin {
    fn sediment_kg_s(&self) -> f64 {
        let water = math::pow(self.discharge_km3_yr.max(0.0), 0.31);
        0.02 * self.passed
            * water
            * self.area_km2.max(0.0).sqrt()
            * self.relief_km
            * self.temperature_c.max(2.0)
    }
}

/// The coast and its tides.
struct Coast<'a> {
    grid: &'a Topology,
    ground: &'a Ground<'a>,
    /// Cells from each cell of the shelf to deep water; `FAR` where there is none.
    shelf: Field<u16>,
    tides: Fractal,
}

const FAR: u16 = u16::MAX;

impl<'a> Coast<'a> {
    fn new(grid: &'a Topology, ground: &'a Ground<'a>, seed: Seed) -> Self {
        Self { grid, ground, shelf: shelf_cells(grid, ground), tides: Fractal::new(seed.key(TIDE), 2, 0.5) }
    }

    /// What a river of some sediment ends in, and the range of the tide there.
    fn judge(&self, last: Cell, sediment_kg_s: f64) -> (OutletKind, f64) {
        let ground = self.ground;
        let Some(below) = ground.flow.receiver_of(self.grid, last) else {
            let on_border = self.grid.at_border(last);
            return (if on_border { OutletKind::Mouth } else { OutletKind::Lake }, 0.0);
        };
        if ground.land[below] > 0.0 {
            let into_lake = [below, last].iter().any(|&c| ground.lake[c] != NO_LAKE);
            return (if into_lake { OutletKind::Lake } else { OutletKind::Dry }, 0.0);
        }
        let land_share = self.land_share(last);
        let tide_m = self.tide_m(below, land_share);
        let discharge = ground.discharge_m3_s[last];
        let fall_m = f64::from(ground.level_m[last]).max(0.0);
        let slope = (fall_m / self.grid.cell_distance_m(last, below)).max(2e-5);
        let reach_m = (channel_depth_m(discharge) / slope).min(200_000.0);
        let tide_m3_s = std::f64::consts::PI / (2.0 * HALF_TIDE_S)
            * (0.5 * tide_m)
            * channel_width_m(discharge)
            * reach_m;
        let powers = Powers {
            river_kg_s: sediment_kg_s,
            tide_kg_s: 0.35 * tide_m3_s,
            waves_kg_s: 150.0 * 2.0 * (1.0 - land_share),
        };
        (powers.kind(), tide_m)
    }

    /// Range of the tide in metres off a mouth.
    fn tide_m(&self, sea: Cell, land_share: f64) -> f64 {
        const PATTERN_M: f64 = 3.0e6;
        let place = self.grid.center(sea) * (self.grid.metres_per_unit() / PATTERN_M);
        let pattern = math::pow(2.0, 1.5 * self.tides.fbm(place));
        let shelf_m = match self.shelf[sea] {
            FAR => return 0.15 * pattern, // a shallow sea that no ocean's tide reaches
            cells => f64::from(cells) * self.grid.cell_m(),
        };
        tide_range_m(pattern, shelf_m, land_share)
    }

    /// Share of land within about 150 km, at least a cell around: more than a half in bays, less on capes.
    fn land_share(&self, cell: Cell) -> f64 {
        let rings = (150_000.0 / self.grid.cell_m()).round().clamp(1.0, 40.0) as usize;
        let around = self.grid.halo(cell, rings);
        around.iter().filter(|&&c| self.ground.land[c] > 0.0).count() as f64 / around.len() as f64
    }
}

/// The tide of a pattern of mean 1 behind a shelf and in a bay.
fn tide_range_m(pattern: f64, shelf_m: f64, land_share: f64) -> f64 {
    let phase = std::f64::consts::FRAC_PI_2 * (shelf_m / QUARTER_WAVE_M).min(1.0);
    let shelf = 1.0 / math::cos(phase).max(0.35);
    let funnel = 1.0 + 2.5 * math::smoothstep(0.6, 0.9, land_share);
    (1.2 * pattern * shelf * funnel).min(15.0)
}

/// Sediment that the river brings, and that tide and waves can move away, in kg/s.
struct Powers {
    river_kg_s: f64,
    tide_kg_s: f64,
    waves_kg_s: f64,
}

impl Powers {
    fn kind(&self) -> OutletKind {
        if self.river_kg_s >= self.tide_kg_s + self.waves_kg_s {
            OutletKind::Delta
        } else if self.tide_kg_s > self.river_kg_s.max(self.waves_kg_s) {
            OutletKind::Estuary
        } else {
            OutletKind::Mouth
        }
    }
}

/// Cells from each sea cell that is not deep to the nearest deep one, by sides; 0 in deep water.
fn shelf_cells(grid: &Topology, ground: &Ground) -> Field<u16> {
    let is_shelf = |c: Cell| ground.land[c] <= 0.0 && ground.base_m[c] > SHELF_M;
    let mut cells = Field::from_fn(grid.shape(), |c| if is_shelf(c) { FAR } else { 0 });
    let is_deep = |c: Cell| ground.land[c] <= 0.0 && ground.base_m[c] <= SHELF_M;
    let beside_deep =
        |&c: &Cell| cells[c] == FAR && grid.neighbors(c).any(|(d, n)| d.is_side() && is_deep(n));
    let mut front: Vec<Cell> = grid.cells().filter(beside_deep).collect();
    let mut steps = 1;
    while !front.is_empty() {
        front.iter().for_each(|&c| cells[c] = steps);
        let beside =
            front.iter().flat_map(|&c| grid.neighbors(c)).filter(|(d, _)| d.is_side()).map(|(_, n)| n);
        let mut next: Vec<Cell> = beside.filter(|&n| cells[n] == FAR).collect();
        next.sort_unstable();
        next.dedup();
        front = next;
        steps = steps.saturating_add(1).min(FAR - 1);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sediment_is_that_of_rivers_on_earth() {
        // (km3/yr, km2, km, deg C, Mt/yr measured): Amazon, Mississippi, Ganges; BQART is good to a factor of about 3
        let rivers = [
            (6300.0, 6.1e6, 5.5, 24.0, 1200.0),
            (490.0, 3.3e6, 3.7, 12.0, 400.0),
            (490.0, 9.8e5, 8.0, 22.0, 520.0),
        ];
        for (discharge_km3_yr, area_km2, relief_km, temperature_c, measured) in rivers {
            let basin = Basin { discharge_km3_yr, area_km2, relief_km, temperature_c, passed: 1.0 };
            let mt_yr = basin.sediment_kg_s() * 0.0315576;
            assert!((measured / 3.0..measured * 3.0).contains(&mt_yr), "{mt_yr} for {measured}");
        }
        let cold = |temperature_c| Basin {
            discharge_km3_yr: 10.0,
            area_km2: 1e4,
            relief_km: 1.0,
            temperature_c,
            passed: 0.5,
        };
        assert_eq!(cold(-20.0).sediment_kg_s(), cold(2.0).sediment_kg_s());
        assert!(cold(10.0).sediment_kg_s() > cold(2.0).sediment_kg_s());
    }

    #[test]
    fn tides_are_a_metre_or_two_and_high_in_funnels() {
        assert!((1.0..2.0).contains(&tide_range_m(1.0, 50_000.0, 0.5)));
        assert!(tide_range_m(1.0, 300_000.0, 0.85) > 8.0);
        assert!(tide_range_m(2.8, 350_000.0, 1.0) == 15.0);
        assert!(tide_range_m(1.0, 200_000.0, 0.5) > tide_range_m(1.0, 20_000.0, 0.5));
    }

    #[test]
    fn the_strongest_shapes_the_mouth() {
        let kind = |river_kg_s, tide_kg_s, waves_kg_s| Powers { river_kg_s, tide_kg_s, waves_kg_s }.kind();
        assert_eq!(kind(100.0, 50.0, 20.0), OutletKind::Delta);
        assert_eq!(kind(60.0, 70.0, 20.0), OutletKind::Estuary);
        assert_eq!(kind(10.0, 5.0, 20.0), OutletKind::Mouth);
        assert_eq!(kind(60.0, 50.0, 20.0), OutletKind::Mouth);
        assert!(OutletKind::ALL.iter().all(|&k| OutletKind::of_name(k.name()) == Some(k)));
    }
}
