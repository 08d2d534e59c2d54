//! Volcanoes: single peaks over sinking plates, over hot spots, and in rifts.
//!
//! Behind a convergent fault that swallows sea floor, volcanoes stand in a line on the overriding plate, where the
//! sinking one melts: an arc of islands, or the high peaks of a cordillera. A hot spot is fixed while the plate
//! moves over it: the youngest volcano stands on it, the older ones lie downstream of the plate's motion and have
//! sunk and worn, so that a chain of islands ends in a row of sea mounts:
//!
//! ```text
//! height = young height * (1 - age / life)^0.8        age = distance along the chain / speed of the plate
//! ```
//!
//! Each is a cone, concave like a volcano's flanks: `h(r) = height * (1 - r / radius)^1.6`. Sources: Morgan (1971),
//! hot spots; Syracuse & Abers (2006), volcanoes 100 km above the sinking plate, thus 100 to 250 km from the trench.
//! Neglects: calderas, lava plateaus, when they erupt.

use crate::crust::faults::{Crust, Fault, FaultKind, beside_m};
use crate::crust::plates::{Plates, anywhere_m};
use crate::crust::polyline::Polyline;
use crate::fields::size_scale;
use crate::recipe::VolcanoParams;
use grid::{Draw, Grid, Key, Nth, Purpose, Seed, Topology, Vec3, math};

const ARC: Purpose = Purpose::new("world/volcanoes/arc");
const RIFT: Purpose = Purpose::new("world/volcanoes/rift");
const HOT_SPOT: Purpose = Purpose::new("world/volcanoes/hot spot");

/// Distance of volcanoes from the trench, on an Earth-sized planet.
pub(crate) const ARC_OFFSET_M: f64 = 190_000.0;
/// How far volcanoes stand off their line.
const JITTER_M: f64 = 22_000.0;
/// Rift volcanoes lie so much farther apart than those of arcs.
const RIFT_SPACING: f64 = 3.0;
/// After this time (million years) a hot-spot volcano has sunk and worn away.
const LIFE_MYR: f64 = 65.0;
/// A plate that moves slower (mm/yr) leaves no chain.
const SLOW_MM_YR: f64 = 8.0;
/// A hot-spot volcano on land is so much lower than one that rises from the abyss.
const ON_LAND: f64 = 0.38;

/// What feeds a volcano.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VolcanoKind {
    /// A sinking plate.
    Arc,
    /// A plume under a moving plate.
    HotSpot,
    /// Parting plates.
    Rift,
}

impl VolcanoKind {
    /// The kind's name in files: `arc`, `hot spot` or `rift`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arc => "arc",
            Self::HotSpot => "hot spot",
            Self::Rift => "rift",
        }
    }
}

/// A volcano: a cone on whatever stands there.
#[derive(Clone, Debug, PartialEq)]
pub struct Volcano {
    /// What feeds it.
    pub kind: VolcanoKind,
    /// Its summit's place in metres.
    pub place_m: Vec3,
    /// Height above what it stands on, in metres.
    pub height_m: f64,
    /// Where its flanks end, in metres.
    pub radius_m: f64,
}

impl Volcano {
    /// Height of the cone at a distance from the summit, both in metres.
    pub fn at(&self, distance_m: f64) -> f64 {
        let left = 1.0 - distance_m / self.radius_m;
        if left <= 0.0 { 0.0 } else { self.height_m * math::pow(left, 1.6) }
    }
}

/// All volcanoes, in the order of faults and hot spots. Cost: little.
pub fn place_volcanoes(
    grid: &Topology,
    params: &VolcanoParams,
    plates: &Plates,
    faults: &[Fault],
    seed: Seed,
) -> Vec<Volcano> {
    let scale = size_scale(grid);
    let mut volcanoes = Vec::new();
    for (k, fault) in (0u32..).zip(faults) {
        let of_fault = |purpose| seed.key(purpose).within(Nth(k));
        if fault.kind == FaultKind::Convergent && !fault.is_inland() {
            let line = beside_m(grid, &fault.points_m, fault.upper.sign() * ARC_OFFSET_M * scale);
            let row =
                Row { spacing: 1.0, height: 1.0, kind: VolcanoKind::Arc, on_land: fault.touches_land() };
            volcanoes.extend(row.along(grid, params, &line, of_fault(ARC)));
        } else if fault.kind == FaultKind::Divergent && fault.is_inland() {
            let row = Row { spacing: RIFT_SPACING, height: 0.75, kind: VolcanoKind::Rift, on_land: true };
            volcanoes.extend(row.along(grid, params, &fault.points_m, of_fault(RIFT)));
        }
    }
    for k in 0..params.hot_spots {
        volcanoes.extend(chain(grid, params, plates, &mut seed.key(HOT_SPOT).at(Nth(k))));
    }
    volcanoes
}

/// Volcanoes along a line.
struct Row {
    /// Distance between them and their height, relative to arcs.
    spacing: f64,
    height: f64,
    kind: VolcanoKind,
    on_land: bool,
}

impl Row {
    fn along(&self, grid: &Topology, params: &VolcanoParams, points: &[Vec3], key: Key) -> Vec<Volcano> {
        let line = Polyline::new(points.to_vec());
        let scale = size_scale(grid);
        let spacing_m = params.spacing_km * 1000.0 * self.spacing * scale;
        let mut volcanoes = Vec::new();
        let (mut s_m, mut n) = (0.5 * spacing_m, 0);
        while s_m < line.length_m() {
            let mut draw = key.at(Nth(n));
            let place_m = aside(grid, line.at(s_m), JITTER_M * scale, &mut draw);
            let size = draw.range(0.55, 1.0) * self.height;
            let height_m = params.arc_height_m * size;
            let radius_m = if self.on_land { 34_000.0 } else { 48_000.0 } * scale * (0.6 + 0.4 * size);
            volcanoes.push(Volcano { kind: self.kind, place_m, height_m, radius_m });
            s_m += spacing_m * draw.range(0.6, 1.5);
            n += 1;
        }
        volcanoes
    }
}

/// A place up to `most_m` metres off.
fn aside(grid: &Topology, p_m: Vec3, most_m: f64, draw: &mut Draw) -> Vec3 {
    let (u, v) = grid.tangents(p_m);
    grid.on_surface_m(p_m + u * (most_m * draw.range(-1.0, 1.0)) + v * (most_m * draw.range(-1.0, 1.0)))
}

/// The volcanoes of one hot spot, the youngest first, as far as its plate reaches.
fn chain(grid: &Topology, params: &VolcanoParams, plates: &Plates, draw: &mut Draw) -> Vec<Volcano> {
    let scale = size_scale(grid);
    let mut place_m = anywhere_m(grid, draw);
    let strength = draw.range(0.7, 1.1);
    let plate_at = |p: Vec3| grid.locate(p / grid.metres_per_unit()).map(|cell| plates.id[cell]);
    let Some(plate) = plate_at(place_m) else { return Vec::new() };
    let (mut volcanoes, mut age_myr) = (Vec::new(), 0.0);
    while age_myr < LIFE_MYR && plate_at(place_m) == Some(plate) {
        let worn = math::pow(1.0 - age_myr / LIFE_MYR, 0.8);
        let height_m = params.hot_spot_height_m * strength * worn * draw.range(0.8, 1.05);
        let at_m = aside(grid, place_m, 1.2 * JITTER_M * scale, draw);
        let radius_m = 105_000.0 * scale * (0.6 + 0.4 * worn);
        volcanoes.push(Volcano { kind: VolcanoKind::HotSpot, place_m: at_m, height_m, radius_m });
        let velocity = plates.velocity_mm_yr(plate, place_m);
        if velocity.length() < SLOW_MM_YR {
            break;
        }
        let step_m = params.spacing_km * 1000.0 * scale * draw.range(1.0, 2.0);
        age_myr += step_m / 1000.0 / velocity.length() / scale; // 1 mm/yr is 1 km in a million years
        place_m = grid.on_surface_m(place_m + velocity.normalized() * step_m);
    }
    volcanoes
}

/// Height of a volcano on land at a distance from its summit, in metres: those of hot spots have no abyss to rise from.
pub(crate) fn on_land_m(volcano: &Volcano, distance_m: f64) -> f64 {
    match volcano.kind {
        VolcanoKind::HotSpot => ON_LAND * volcano.at(distance_m * 2.0),
        VolcanoKind::Arc | VolcanoKind::Rift => volcano.at(distance_m),
    }
}

/// Whether a fault carries an arc of islands: it swallows sea floor and its upper side is sea.
pub(crate) fn has_island_arc(fault: &Fault) -> bool {
    fault.kind == FaultKind::Convergent && fault.crusts == (Crust::Oceanic, Crust::Oceanic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crust::faults::Side;
    use crate::crust::plates::divide_into_plates;
    use crate::recipe::PlateParams;
    use grid::{Field, Globe};

    fn ocean_world() -> (Topology, Plates) {
        let grid = Topology::Globe(Globe::new(32, 6.371e6).expect("a small globe"));
        let sea = Field::filled(grid.shape(), 0.0);
        let plates = divide_into_plates(&grid, &PlateParams::default(), &sea, Seed(2));
        (grid, plates)
    }

    #[test]
    fn a_cone_by_hand() {
        let volcano = Volcano {
            kind: VolcanoKind::Arc,
            place_m: Vec3::default(),
            height_m: 1000.0,
            radius_m: 40_000.0,
        };
        assert_eq!((volcano.at(0.0), volcano.at(40_000.0), volcano.at(90_000.0)), (1000.0, 0.0, 0.0));
        assert!((volcano.at(20_000.0) - 329.877).abs() < 1e-3); // 1000 * 0.5^1.6
    }

    #[test]
    fn chains_follow_their_plate_and_sink() {
        let (grid, plates) = ocean_world();
        let params = VolcanoParams { hot_spots: 40, ..Default::default() };
        let mut long = 0;
        for k in 0..params.hot_spots {
            let chain = chain(&grid, &params, &plates, &mut Seed(9).key(HOT_SPOT).at(Nth(k)));
            if chain.len() < 8 {
                continue;
            }
            long += 1;
            let (first, last) = (&chain[0], &chain[chain.len() - 1]);
            assert!(last.height_m < first.height_m);
            let plate = plates.id[grid.locate(first.place_m.normalized()).expect("on the globe")];
            let along = plates.velocity_mm_yr(plate, first.place_m);
            assert!((chain[3].place_m - first.place_m).dot(along) > 0.0, "older ones lie downstream");
        }
        assert!(long > 5, "{long}");
    }

    #[test]
    fn arcs_stand_on_the_upper_plate() {
        let (grid, plates) = ocean_world();
        let points_m =
            (0..20).map(|i| math::from_lon_lat(f64::from(i) * 0.8, 0.0) * 6.371e6).collect::<Vec<Vec3>>();
        for (upper, sign) in [(Side::Left, 1.0), (Side::Right, -1.0)] {
            let fault = Fault {
                kind: FaultKind::Convergent,
                rate_mm_yr: 60.0,
                plates: (0, 1),
                crusts: (Crust::Oceanic, Crust::Oceanic),
                upper,
                points_m: points_m.clone(),
            };
            assert!(has_island_arc(&fault));
            let params = VolcanoParams { hot_spots: 0, ..Default::default() };
            let arc = place_volcanoes(&grid, &params, &plates, &[fault], Seed(1));
            assert!(arc.len() > 8);
            for volcano in arc {
                let north_m = volcano.place_m.z * sign; // the fault runs east: left is north
                assert!((north_m - ARC_OFFSET_M).abs() < 40_000.0, "{north_m}");
            }
        }
    }
}
