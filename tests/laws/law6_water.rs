//! Law 6: water runs down. In the world, along receivers; in features and samples, along every river, over
//! borders and junctions too. Discharge adds up, exactly, and all water gets somewhere.

use crate::cases::cases;
use crate::support::*;
use grid::{Cell, Direction, Grid, Topology, Vec3, math};
use region::{CellFeatures, Lattice, Method, Region, River, Sampled, Window, features_of};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use world::{NO_LAKE, NO_RECEIVER, World};

fn worlds() -> [&'static World; 3] {
    [small(), rugged(), island()]
}

fn inflows(world: &World, cell: Cell) -> impl Iterator<Item = Cell> {
    world.grid.neighbors(cell).map(|(_, n)| n).filter(move |&n| world.receiver_of(n) == Some(cell))
}

fn land(world: &World) -> impl Iterator<Item = Cell> {
    world.grid.cells().filter(|&c| is_land(world, c))
}

#[test]
fn surfaces_never_rise_along_receivers() {
    for world in worlds() {
        for cell in land(world) {
            let Some(below) = world.receiver_of(cell) else { continue };
            assert!(world.river_level_m[below] <= world.river_level_m[cell], "river: {cell:?} to {below:?}");
            assert!(world.water_level_m[below] <= world.water_level_m[cell], "water: {cell:?} to {below:?}");
            let deeper = world.channel_depth_m[below] >= world.channel_depth_m[cell];
            assert!(deeper || !is_land(world, below), "depth: {cell:?} to {below:?}");
        }
        for cell in world.grid.cells() {
            let (ground, river) = (world.water_level_m[cell], world.river_level_m[cell]);
            assert!(river <= ground, "{cell:?}: the river runs above the ground");
            assert!(is_land(world, cell) || (river, ground) == (0.0, 0.0), "{cell:?} is sea");
            assert!(world.base_elevation_m[cell] <= ground.max(0.0), "{cell:?} stands above its water");
        }
    }
}

/// Sums of multiples of 1/1024 below 2^43 are exact in `f64`: the order of addition cannot matter.
#[test]
fn discharge_and_drainage_add_up_exactly() {
    for world in worlds() {
        for cell in world.grid.cells() {
            let sum = |field: &grid::Field<f64>| inflows(world, cell).map(|n| field[n]).sum::<f64>();
            let km2 = (world.grid.area_m2(cell) / 1e6 * 1024.0).round() / 1024.0;
            let (own_m3_s, own_km2) = (world.runoff_m3_s[cell], km2);
            if is_land(world, cell) {
                assert_eq!(world.discharge_m3_s[cell], own_m3_s + sum(&world.discharge_m3_s), "{cell:?}");
                assert_eq!(world.drainage_km2[cell], own_km2 + sum(&world.drainage_km2), "{cell:?}");
                assert!(world.discharge_m3_s[cell] >= 0.0, "{cell:?}: a lake gives what it has not");
                assert!(own_m3_s >= 0.0 || world.lake[cell] != NO_LAKE, "{cell:?}: dry land takes water");
            } else {
                assert_eq!((world.discharge_m3_s[cell], world.drainage_km2[cell]), (0.0, 0.0), "{cell:?}");
                assert_eq!((own_m3_s, world.receiver[cell]), (0.0, NO_RECEIVER), "{cell:?}");
            }
        }
    }
}

/// The column of the table of lakes, and which of them are closed.
fn lakes(world: &World, column: &str) -> (Vec<f64>, Vec<bool>) {
    let table = world.tables.iter().find(|t| t.name == "lakes").expect("worlds have lakes");
    let closed = table.u32s("closed").expect("lakes are closed or not");
    (table.f64s(column).expect("a column of lakes").to_vec(), closed.iter().map(|&c| c == 1).collect())
}

/// What flows into a lake, less what evaporates from it, flows out of its outlet: exactly. Nothing leaves a closed lake.
#[test]
fn lakes_balance() {
    let (mut full, mut salt) = (0, 0);
    for world in worlds() {
        let (inflow, closed) = lakes(world, "inflow");
        let evaporation = lakes(world, "evaporation").0;
        let (mut entering, mut leaving) = (vec![0.0; inflow.len()], vec![0.0; inflow.len()]);
        for cell in land(world) {
            let below = world.receiver_of(cell).map_or(NO_LAKE, |r| world.lake[r]);
            let (from, q) = (world.lake[cell], world.discharge_m3_s[cell]);
            if from != below && from != NO_LAKE {
                leaving[from as usize] += q;
            }
            if from != below && below != NO_LAKE {
                entering[below as usize] += q;
            }
        }
        for k in 0..inflow.len() {
            if closed[k] {
                assert_eq!((leaving[k], inflow[k]), (0.0, evaporation[k]), "lake {k} is closed");
                assert!(entering[k] <= inflow[k], "lake {k}: the shore that it covers in part adds to it");
                salt += 1;
            } else {
                assert_eq!(entering[k], inflow[k], "lake {k}");
                assert_eq!(inflow[k] - evaporation[k], leaving[k], "lake {k}");
                full += 1;
            }
        }
    }
    assert!(full > 20 && salt > 20, "{full} overflow, {salt} are closed");
}

/// Rain onto the land is what evaporates there and what the rivers carry away, to 1e-9 of the rain.
#[test]
fn rain_evaporation_and_discharge_close() {
    for world in worlds() {
        const YEAR_S: f64 = 365.25 * 86_400.0;
        let m3_s = |cell: Cell, mm: f32| f64::from(mm) / 1000.0 * world.grid.area_m2(cell) / YEAR_S;
        let rain: f64 = land(world).map(|c| m3_s(c, world.rain_mm[c])).sum();
        let evaporation: f64 = land(world).map(|c| m3_s(c, world.evaporation_mm[c])).sum();
        let ends = |c: &Cell| world.receiver_of(*c).is_none_or(|r| !is_land(world, r));
        let away: f64 = land(world).filter(ends).map(|c| world.discharge_m3_s[c]).sum();
        let off = (rain - evaporation - away).abs() / rain;
        assert!(off < 1e-9, "{off} of the rain is lost");
    }
}

/// The months' discharges have the year's as their mean, to the nine bits that they are kept with.
#[test]
fn months_have_the_years_mean() {
    for world in worlds() {
        for cell in world.grid.cells() {
            let months: Vec<f32> = world.discharge_months_m3_s.iter().map(|m| m[cell]).collect();
            let mean = months.iter().map(|&q| f64::from(q)).sum::<f64>() / 12.0;
            let year = world.discharge_m3_s[cell];
            assert!((mean - year).abs() <= year / 512.0, "{cell:?}: {mean} in the mean of {year}");
            assert!(months.iter().all(|q| *q >= 0.0 && q.to_bits() & 0x7fff == 0), "{cell:?}: {months:?}");
        }
    }
}

#[test]
fn what_rains_leaves_at_the_mouths() {
    for world in worlds() {
        let ends = |c: &Cell| world.receiver_of(*c).is_none_or(|r| !is_land(world, r));
        let sum = |field: &grid::Field<f64>| land(world).filter(ends).map(|c| field[c]).sum::<f64>();
        let runoff: f64 = land(world).map(|c| world.runoff_m3_s[c]).sum();
        assert_eq!(sum(&world.discharge_m3_s), runoff);
        let km2 = |c| (world.grid.area_m2(c) / 1e6 * 1024.0).round() / 1024.0;
        assert_eq!(sum(&world.drainage_km2), land(world).map(km2).sum::<f64>());
        assert!(runoff > 1_000.0, "the world is dry: {runoff} m3/s");
    }
}

/// Every course comes to the sea, to a closed lake, or to the border of a flat map, within as many steps as there
/// are cells.
#[test]
fn all_land_drains() {
    for world in worlds() {
        let (_, closed) = lakes(world, "level");
        let in_closed_lake = |cell: Cell| world.lake[cell] != NO_LAKE && closed[world.lake[cell] as usize];
        let mut ends: BTreeMap<Cell, bool> = BTreeMap::new();
        for start in land(world) {
            let mut path = vec![start];
            let drains = loop {
                let cell = path[path.len() - 1];
                assert!(path.len() <= world.grid.len(), "{start:?} runs in a circle");
                if let Some(&known) = ends.get(&cell) {
                    break known;
                }
                match world.receiver_of(cell) {
                    _ if !is_land(world, cell) => break true,
                    None => break world.grid.at_border(cell) || in_closed_lake(cell),
                    Some(next) => path.push(next),
                }
            };
            assert!(drains, "the water of {start:?} ends on land, at {:?}", path.last());
            ends.extend(path.into_iter().map(|c| (c, true)));
        }
        assert!(ends.len() > 1_000);
    }
}

/// Around each vertex at most one diagonal carries water, also where faces of the cube meet.
#[test]
fn no_two_links_cross() {
    for world in worlds() {
        let (diagonals, crossings) = count_diagonals(world, |cell| world.receiver[cell]);
        assert_eq!(crossings, 0, "links cross");
        let cells = land(world).count();
        assert!(cells > 1_000 && diagonals * 8 > cells, "only {diagonals} diagonals over {cells} cells");
    }
}

/// How many vertices water runs over, and over how many of them it runs both ways across.
fn count_diagonals(world: &World, receiver: impl Fn(Cell) -> u8) -> (usize, usize) {
    let (mut over, mut crossed) = (BTreeMap::new(), BTreeSet::new());
    for cell in world.grid.cells().filter(|&c| receiver(c) != NO_RECEIVER) {
        let direction = Direction::from_index(receiver(cell));
        if let Some(vertex) = world.grid.vertex(cell, direction) {
            let there = world.grid.neighbor(cell, direction).expect("a receiver is a neighbour");
            let link = (cell.min(there), cell.max(there));
            if *over.entry(vertex).or_insert(link) != link {
                crossed.insert(vertex);
            }
        }
    }
    (over.len(), crossed.len())
}

/// The count above sees a crossing, in the middle of a face and over an edge of the cube.
#[test]
fn crossing_links_are_seen() {
    let world = small();
    let shape = world.grid.shape();
    let (row, last) = (shape.rows / 2, shape.cols - 1);
    for one in [shape.join(0, row, 5), shape.join(0, row, last), shape.join(4, row, last)] {
        // the cell to the east looks across the same vertex from the other side
        let step = world.grid.step(one, Direction::E).expect("a globe has no border");
        let other = Direction::CORNERS.into_iter().find(|&d| {
            let vertex = world.grid.vertex(step.cell, d);
            vertex == world.grid.vertex(one, Direction::SE)
        });
        let receiver = |cell| match cell {
            c if c == one => Direction::SE as u8,
            c if c == step.cell => other.expect("both cells have the vertex") as u8,
            _ => NO_RECEIVER,
        };
        assert_eq!(count_diagonals(world, receiver), (1, 1), "{one:?}");
    }
}

/// A lake is level, its number is a row of the table, and its water is no lower than its floor.
#[test]
fn lakes_are_level() {
    for world in worlds() {
        let (levels, _) = lakes(world, "level");
        let mut wet = 0;
        for cell in world.grid.cells().filter(|&c| world.lake[c] != NO_LAKE) {
            let level = levels[world.lake[cell] as usize];
            assert_eq!(f64::from(world.water_level_m[cell]), level, "{cell:?}");
            assert_eq!(f64::from(world.river_level_m[cell]), level, "{cell:?}");
            assert!(f64::from(world.base_elevation_m[cell]) < level, "{cell:?} has no depth");
            wet += 1;
        }
        assert!(wet > 50, "only {wet} cells of lakes");
    }
}

/// Orders and lengths of the network are those of its cells, and junctions gain what flows in.
#[test]
fn the_network_follows_receivers() {
    for world in worlds() {
        let reaches = &world.network.reaches;
        for reach in reaches {
            assert!(reach.cells.windows(2).all(|w| world.receiver_of(w[0]) == Some(w[1])));
            let last = reach.cells[reach.cells.len() - 1];
            assert_eq!(reach.discharge_m3_s, world.discharge_m3_s[last]);
            assert!(reach.cells.iter().all(|&c| world.river_order[c] == reach.order));
            if let Some(below) = reach.downstream {
                let below = &reaches[below as usize];
                assert_eq!(world.receiver_of(last), Some(below.cells[0]));
                let in_lake = below.cells.iter().any(|&c| world.lake[c] != NO_LAKE);
                assert!(below.discharge_m3_s >= reach.discharge_m3_s || in_lake, "only lakes lose water");
                assert!(below.order >= reach.order);
            }
        }
        assert!(reaches.len() > 100);
    }
}

/// Features of all cells of a world.
fn features(world: &'static World) -> &'static [CellFeatures] {
    static ALL: [OnceLock<Vec<CellFeatures>>; 3] = [const { OnceLock::new() }; 3];
    let which = worlds().iter().position(|w| std::ptr::eq(*w, world)).expect("one of the three");
    ALL[which].get_or_init(|| {
        let cells: Vec<Cell> = world.grid.cells().collect();
        features_of(world, &cells, 0).expect("in memory")
    })
}

fn falls(values: &[f64]) -> bool {
    values.windows(2).all(|w| w[1] <= w[0])
}

/// Where the junction's level is reached along two pieces, it is computed twice.
const ROUNDING_M: f64 = 1e-9;

#[test]
fn beds_and_surfaces_fall_along_every_piece_and_over_junctions() {
    for world in worlds() {
        for (cell, features) in world.grid.cells().zip(features(world)) {
            let leaving = features.rivers.iter().find(|r| r.from == cell);
            for river in &features.rivers {
                assert!(falls(&river.surface_m), "a surface rises in {cell:?}, water of {:?}", river.from);
                assert!(falls(&river.bed_m), "a bed rises in {cell:?}, water of {:?}", river.from);
                assert!(river.surface_m.iter().zip(&river.bed_m).all(|(s, b)| b <= s), "{cell:?} is dry");
                assert_eq!(river.points_m.len(), river.bed_m.len());
                let Some(leaving) = leaving.filter(|l| l.from != river.from) else { continue };
                let end = river.bed_m.len() - 1;
                assert!(
                    leaving.bed_m[0] <= river.bed_m[end] + ROUNDING_M,
                    "a bed rises at the junction of {cell:?}"
                );
                assert!(leaving.surface_m[0] <= river.surface_m[end] + ROUNDING_M, "junction of {cell:?}");
                let in_lake = world.lake[cell] != NO_LAKE;
                assert!(leaving.discharge_m3_s >= river.discharge_m3_s || in_lake, "only lakes lose water");
            }
        }
    }
}

/// The pieces of the river that rises in a cell, from there to its mouth.
fn course(world: &'static World, source: Cell) -> Vec<&'static River> {
    let all = features(world);
    let mut pieces = Vec::new();
    let mut cell = source;
    loop {
        pieces.extend(all[cell.index()].rivers.iter().find(|r| r.from == cell));
        let Some(next) = world.receiver_of(cell) else { return pieces };
        pieces.extend(all[next.index()].rivers.iter().find(|r| r.from == cell));
        if !is_land(world, next) {
            return pieces;
        }
        cell = next;
    }
}

#[test]
fn whole_rivers_fall_from_source_to_mouth() {
    for world in worlds() {
        let mut lengths = Vec::new();
        for source in land(world).filter(|&c| inflows(world, c).next().is_none()) {
            let pieces = course(world, source);
            let beds: Vec<f64> = pieces.iter().flat_map(|r| r.bed_m.iter().copied()).collect();
            let surfaces: Vec<f64> = pieces.iter().flat_map(|r| r.surface_m.iter().copied()).collect();
            for values in [&beds, &surfaces] {
                let rise = values.windows(2).map(|w| w[1] - w[0]).fold(f64::NEG_INFINITY, f64::max);
                assert!(rise <= ROUNDING_M, "the river of {source:?} rises by {rise} m");
            }
            // pieces join end to end, so nothing is left out in between
            let joined =
                pieces.windows(2).all(|w| w[0].points_m[w[0].points_m.len() - 1] == w[1].points_m[0]);
            assert!(joined, "the river of {source:?} has a gap");
            lengths.push(pieces.len());
        }
        lengths.sort_unstable();
        assert!(lengths.len() > 500 && lengths[lengths.len() - 1] > 20, "{} sources", lengths.len());
    }
}

/// What tells water from land, and where it stands.
const WATER: [Sampled; 4] =
    [Sampled::Discharge, Sampled::Elevation, Sampled::WaterDepth, Sampled::WaterSurface];

/// [`WATER`] at a point of the world, alone, with samples so close that channels have their true width.
fn at_point(world: &World, p: Vec3) -> Region {
    let step_m = world.grid.cell_m() / 2000.0;
    let (lattice, place) = match &world.grid {
        Topology::Globe(globe) => (Lattice::lon_lat(globe.radius_m(), step_m), math::to_lon_lat(p)),
        Topology::Flat(_) => (Lattice::Plane { step_m }, (p.x, p.y)),
    };
    let window = window_around(&lattice, place, 1, 1);
    let window = Window { width: 1, height: 1, ..window };
    refined_by(Method::Classic, world, &lattice, (window, &WATER))
}

/// What stands at a point of a river.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Water {
    River,
    Lake,
    Sea,
    None,
}

fn water_at(world: &World, p: Vec3) -> (Water, f32) {
    let region = at_point(world, p);
    let value = |l| layer(&region, l)[0];
    let kind = match (value(Sampled::Discharge), value(Sampled::Elevation), value(Sampled::WaterDepth)) {
        (discharge, ..) if discharge > 0.0 => Water::River,
        (_, elevation, _) if elevation < 0.0 => Water::Sea,
        (.., depth) if depth > 0.0 => Water::Lake,
        _ => Water::None,
    };
    (kind, value(Sampled::WaterSurface))
}

/// The greatest rivers as they are sampled, point by point from source to mouth: there is water everywhere, and
/// its surface does not rise.
///
/// Coasts and shores are broken up by noise that does not know of every river, so that now and then a lake's shore
/// reaches over the river below its outlet. Measured: at most one point of 1000 lies higher than one above it.
/// A river of which the bed rose by itself would do so at every second point.
#[test]
fn sampled_rivers_fall_from_source_to_mouth() {
    const RISING: f64 = 0.01;
    for world in worlds() {
        let (mut points, mut rises, mut dry) = (0, 0, 0);
        for river in world.network.rivers().into_iter().take(cases(3)) {
            let mut lowest = f32::INFINITY;
            for point in course(world, river.source).into_iter().flat_map(|r| r.points_m.iter().step_by(4)) {
                let (kind, surface_m) = water_at(world, *point);
                points += 1;
                dry += usize::from(kind == Water::None);
                rises += usize::from(surface_m > lowest + 0.01);
                lowest = lowest.min(surface_m);
            }
        }
        assert!(points > 200, "{points}");
        assert!(rises as f64 <= RISING * points as f64, "{rises} of {points} points rise");
        assert!(dry as f64 <= 0.002 * points as f64, "{dry} of {points} points are dry");
    }
}

/// Between a lake and the sea, as long as there is a channel, its surface falls without exception.
#[test]
fn sampled_channels_fall_without_exception() {
    for world in worlds() {
        let mut channels = 0;
        for river in world.network.rivers().into_iter().skip(8).take(cases(5)) {
            let mut last: Option<f32> = None;
            for point in course(world, river.source).into_iter().flat_map(|r| r.points_m.iter().step_by(5)) {
                let (kind, surface_m) = water_at(world, *point);
                if let Some(last) = last.filter(|_| kind == Water::River) {
                    assert!(surface_m <= last + 0.01, "{:?}: {last} m, then {surface_m} m", river.source);
                    channels += 1;
                }
                last = (kind == Water::River).then_some(surface_m);
            }
        }
        assert!(channels > 100, "{channels}");
    }
}
