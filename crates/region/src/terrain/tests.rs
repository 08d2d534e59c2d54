//! Terrain is a function of place without steps, and does what the world says.

mod delta;
mod lakes;

use super::*;
use crate::primitives::Ball;
use grid::{Direction, Draw, Nth, Purpose, Vec3};
use std::sync::OnceLock;
use world::{Recipe, World, simulate};

/// A small planet with cells of Earth's size.
fn planet() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let mut recipe = Recipe::preset("earthlike").expect("built in");
        recipe.grid.cells = 72;
        recipe.grid.radius_km = 900.0;
        simulate(&recipe, &|_, _| {}).expect("sound")
    })
}

fn island() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let mut recipe = Recipe::preset("island").expect("built in");
        recipe.grid.cells = 64;
        simulate(&recipe, &|_, _| {}).expect("sound")
    })
}

fn ringed(grid: &Topology, cell: Cell, rings: usize) -> Vec<Cell> {
    grid.halo(cell, rings)
}

/// The terrain of a cell and its rings.
fn with_terrain<T>(world: &World, (cell, rings): (Cell, usize), work: impl FnOnce(&Terrain) -> T) -> T {
    let patch =
        Patch::fetch(world, ringed(&world.grid, cell, rings + PATCH_RINGS - RINGS)).expect("in memory");
    let waters = world::CellSource::waters(world).expect("in memory");
    work(&Terrain::new(&patch, Seed(world.recipe.seed), 2).with_waters(&waters))
}

fn ball(center: Vec3, radius_m: f64) -> Ball {
    Ball { center, radius_m }
}

fn draws(n: u32) -> Draw {
    Seed(77).key(Purpose::new("test/terrain")).at(Nth(n))
}

/// A place of a cell in metres.
fn somewhere(world: &World, cell: Cell, draw: &mut Draw) -> Vec3 {
    world.grid.within(cell, draw.unit(), draw.unit()) * world.grid.metres_per_unit()
}

/// Cells at random, and all at the corners of the cube with those beside some edges.
fn cells(world: &World, n: usize) -> Vec<Cell> {
    let grid = &world.grid;
    let mut draw = draws(1);
    let corner = |c: &Cell| grid.neighbors(*c).count() < 8;
    let face = |c: Cell| c.0 / (grid.shape().rows * grid.shape().cols);
    let edge = |c: &Cell| grid.neighbors(*c).any(|(_, n)| face(n) != face(*c)) && c.0.is_multiple_of(7);
    let special = grid.cells().filter(|c| corner(c) || edge(c));
    special.chain((0..n).map(|_| Cell(draw.below(grid.len() as u32)))).collect()
}

/// Cells beside a coast or a lake.
fn shores(world: &World) -> Vec<Cell> {
    let kind = |c: Cell| (world.continentality[c] > 0.0, world.lake[c]);
    world.grid.cells().filter(|&c| world.grid.neighbors(c).any(|(_, n)| kind(n) != kind(c))).collect()
}

fn bits(site: &Site, sample: &crate::sample::Sample) -> Vec<u64> {
    let lake = site.lake.map_or((0, 0.0), |l| (l.0 + 1, l.1));
    let numbers = [site.top_m, site.rise, site.shore, lake.1, site.ice];
    let sampled = [sample.elevation_m, sample.base_m, sample.mountains_m, sample.water_surface_m];
    numbers.iter().chain(&sampled).map(|v| v.to_bits()).chain([u64::from(lake.0)]).collect()
}

#[test]
fn a_place_is_the_same_whatever_is_near() {
    for world in [planet(), island()] {
        let mut draw = draws(2);
        let chosen: Vec<Cell> =
            cells(world, 60).into_iter().chain(shores(world).into_iter().step_by(37)).collect();
        for cell in chosen {
            let p = somewhere(world, cell, &mut draw);
            let carved = Carved::land(draw.range(-20.0, 400.0));
            // of a size that is no level's, so that all is found anew, and of a level's, so that it is kept with the cells
            let at = |terrain: &Terrain, ball: Ball| {
                let sizes = [100.0, grid::Level(2).size(terrain.cell_m), grid::Level(5).size(terrain.cell_m)];
                sizes.map(|size_m| {
                    let near = terrain.within(ball, size_m);
                    let mut anew = terrain.within(ball, size_m);
                    anew.level = None;
                    let found = bits(&near.site(p), &near.compose(p, &carved));
                    assert_eq!(bits(&anew.site(p), &anew.compose(p, &carved)), found, "{cell:?} {size_m}");
                    found
                })
            };
            let other = world.grid.neighbor(cell, Direction::S).unwrap_or(cell);
            let alone = with_terrain(world, (cell, RINGS), |t| at(t, ball(p, 1.0)));
            let wide = with_terrain(world, (other, RINGS + 3), |t| {
                let cell_m = world.grid.cell_m();
                let (u, v) = world.grid.tangents(p);
                let beside = world.grid.on_surface_m(p + (u * 0.3 - v * 0.2) * cell_m);
                [at(t, ball(beside, 0.4 * cell_m)), at(t, ball(beside, 1.2 * cell_m))]
            });
            assert_eq!(wide, [alone.clone(), alone], "{cell:?}");
        }
    }
}

/// Greatest change over a metre of the tops, and of the ground: cliffs, those of small bays the steepest (45 m measured, where
/// the land behind is 180 m high: tops do not know small bays), and the hair between water and dry land; in metres.
const STEP_M: f64 = 6.0;
const CLIFF_M: f64 = 50.0;

#[test]
#[ignore = "slow"]
fn nothing_steps_from_one_metre_to_the_next() {
    for world in [planet(), island()] {
        let grid = &world.grid;
        let mut draw = draws(3);
        let chosen: Vec<Cell> =
            cells(world, 150).into_iter().chain(shores(world).into_iter().step_by(7)).collect();
        for cell in chosen {
            with_terrain(world, (cell, RINGS), |terrain| {
                for _ in 0..6 {
                    // a line of samples a metre apart over some hundred metres, as a rule over a border of the cell
                    let from = somewhere(world, cell, &mut draw);
                    let (u, v) = grid.tangents(from);
                    let angle = draw.range(0.0, std::f64::consts::TAU);
                    let step = u * grid::math::cos(angle) + v * grid::math::sin(angle);
                    let near = terrain.within(ball(from, 200.0), 1.0);
                    let ground_m = |p: Vec3| ground_m(&near, p);
                    let elevation_m = draw.range(0.95, 1.1) * ground_m(from) + draw.range(-10.0, 60.0);
                    let mut last: Option<(Site, f64, crate::sample::Sample)> = None;
                    for k in 0..150 {
                        let p = grid.on_surface_m(from + step * f64::from(k));
                        let (site, base_m) = (near.site(p), ground_m(p));
                        // rivers leave no land higher than the tops
                        let carved = Carved::land(elevation_m.min(site.top_m));
                        let sample = near.compose(p, &carved);
                        if let Some((old, old_base_m, before)) = last {
                            // no land is seen under a lake
                            let top_m = if old.lake.is_some() && site.lake.is_some() {
                                old.top_m
                            } else {
                                site.top_m
                            };
                            let moved = [
                                (sample.elevation_m - before.elevation_m) / CLIFF_M,
                                (top_m - old.top_m) / STEP_M,
                                (base_m - old_base_m) / 1.0,
                                (site.shore - old.shore) / 0.01,
                                (site.rise - old.rise) / 0.01,
                                (site.ice - old.ice) / 0.01,
                            ];
                            assert!(
                                moved.iter().all(|m| m.abs() < 1.0),
                                "{cell:?} {p:?} {moved:?} {old:?} {site:?} {before:?} {sample:?}"
                            );
                        }
                        last = Some((site, base_m, sample));
                    }
                }
            });
        }
    }
}

/// The middle of a cell, in plain space.
fn middle(terrain: &Terrain, cell: Cell) -> Vec3 {
    terrain.bend.unbend(terrain.grid.center(cell) * terrain.grid.metres_per_unit())
}

/// Law 5. Measured at the middle of cells beside the coast: 0.92 of land and 0.84 of sea on Earth's size, and all cells
/// whose neighbours are of their kind.
#[test]
fn the_middle_of_a_cell_lies_on_its_side() {
    for (world, least) in [(planet(), (0.85, 0.75)), (island(), (0.8, 0.75))] {
        let is_land = |c: Cell| world.continentality[c] > 0.0;
        let mut beside = [[0.0f64; 2]; 2];
        let mut inner = [0.0f64; 2];
        for cell in world.grid.cells().step_by(5) {
            let alike = world.grid.halo(cell, 2).iter().all(|n| is_land(*n) == is_land(cell));
            let mixed = world.grid.neighbors(cell).any(|(_, n)| is_land(n) != is_land(cell));
            let inland = alike && cell.0.is_multiple_of(25);
            if !(mixed || inland) {
                continue;
            }
            let right = with_terrain(world, (cell, RINGS), |t| {
                let p = middle(t, cell);
                let near = t.within(ball(p, 1.0), 100.0);
                (near.shore_at(t.bend.bend(p)).coast > 0.0) == is_land(cell)
            });
            let counts = if mixed { &mut beside[usize::from(is_land(cell))] } else { &mut inner };
            counts[0] += 1.0;
            counts[1] += f64::from(u8::from(right));
        }
        assert!(inner[0] > 50.0 && inner[0] == inner[1], "{inner:?}");
        let share = |c: [f64; 2]| c[1] / c[0];
        assert!(beside[1][0] > 20.0 && share(beside[1]) > least.0, "land {beside:?}");
        assert!(beside[0][0] > 20.0 && share(beside[0]) > least.1, "sea {beside:?}");
    }
}

#[test]
fn lakes_lie_at_their_level_behind_dry_banks_and_never_touch() {
    let world = planet();
    let mut draw = draws(5);
    let (mut lakes, mut wet, mut banks) = (0, 0, 0);
    let cells: Vec<Cell> =
        world.grid.cells().filter(|&c| world.lake[c] != world::NO_LAKE).step_by(5).collect();
    for cell in cells {
        let level_m = f64::from(world.water_level_m[cell]);
        let mut found = false;
        with_terrain(world, (cell, RINGS), |terrain| {
            let near = terrain.within(ball(middle(terrain, cell), 0.9 * terrain.cell_m), 50.0);
            for _ in 0..150 {
                let p = somewhere(world, cell, &mut draw);
                let carved = Carved::land(level_m - 80.0);
                let (site, sample) = (near.site(p), near.compose(p, &carved));
                if let Some((number, level)) = site.lake {
                    assert_eq!(sample.water_surface_m, level);
                    assert!(sample.elevation_m < level);
                    found |= number == world.lake[cell] && level == level_m;
                    let (u, v) = world.grid.tangents(p);
                    for step in [u * 100.0, v * 100.0, u * -100.0] {
                        let other = near.site(world.grid.on_surface_m(p + step)).lake;
                        assert!(other.is_none_or(|o| o.0 == number), "two lakes touch");
                    }
                } else if site.shore > 0.0 && site.shore * terrain.cell_m < 250.0 {
                    let shore = near.shore_at(terrain.bend.bend(p));
                    if let Some(lake) = shore.near.filter(|l| l.shore <= shore.coast) {
                        assert!(sample.elevation_m > lake.level_m - 15.0, "{sample:?} {lake:?}");
                        banks += 1;
                    }
                }
            }
        });
        lakes += 1;
        wet += usize::from(found);
    }
    assert!(lakes > 30 && wet * 100 >= lakes * 93, "{wet} of {lakes} lake cells have water");
    assert!(banks > 30, "{banks}");
}

/// On islands of lakes, and between arms of theirs.
#[test]
fn rivers_level_with_a_lake_are_straits_of_it_and_others_rivers() {
    let world = planet();
    let mut draw = draws(6);
    let mut islands = 0;
    let cells = world.grid.cells().filter(|&c| world.lake[c] != world::NO_LAKE);
    for cell in cells.step_by(3) {
        with_terrain(world, (cell, RINGS), |terrain| {
            let near = terrain.within(ball(middle(terrain, cell), 0.9 * terrain.cell_m), 50.0);
            for _ in 0..60 {
                let p = somewhere(world, cell, &mut draw);
                let shore = near.shore_at(terrain.bend.bend(p));
                let Some(lake) = shore.near.filter(|l| l.even < 0.0 && shore.lake.is_none()) else {
                    continue;
                };
                let ran = |surface_m: f64| {
                    let bed_m = surface_m - 3.0;
                    let river = Channel { bed_m, surface_m, discharge_m3_s: 40.0, order: 2 };
                    near.compose(p, &Carved { elevation_m: bed_m, foot_m: bed_m, river: Some(river) })
                };
                let strait = ran(lake.level_m - 0.2);
                assert_eq!((strait.water_surface_m, strait.discharge_m3_s), (lake.level_m, 0.0));
                assert!(strait.elevation_m < lake.level_m);
                let apart = |off_m: f64| ran(lake.level_m + off_m).discharge_m3_s;
                assert!([-6.0, 4.0].into_iter().all(|off_m| apart(off_m) == 40.0), "{lake:?}");
                islands += 1;
            }
        });
    }
    assert!(islands > 100, "{islands}");
}

#[test]
fn the_sea_floor_is_smooth_and_as_deep_as_the_world_says() {
    let world = planet();
    let mut draw = draws(6);
    let (mut off, mut steep) = (Vec::new(), Vec::new());
    let is_land = |c: Cell| world.continentality[c] > 0.0;
    for cell in world.grid.cells().filter(|&c| !is_land(c)).step_by(61) {
        with_terrain(world, (cell, RINGS), |terrain| {
            let p = middle(terrain, cell);
            let near = terrain.within(ball(p, 0.7 * terrain.cell_m), 100.0);
            let none = Carved::land(f64::INFINITY);
            let open = world.grid.halo(cell, 2).iter().all(|n| !is_land(*n));
            let mut sum = 0.0;
            for _ in 0..25 {
                let p = somewhere(world, cell, &mut draw);
                let (u, _) = world.grid.tangents(p);
                let (a, b) =
                    (near.compose(p, &none), near.compose(world.grid.on_surface_m(p + u * 200.0), &none));
                if open {
                    assert!(a.elevation_m < 0.0 && a.water_surface_m == 0.0);
                    steep.push((a.elevation_m - b.elevation_m).abs() / 200.0);
                }
                sum += a.elevation_m / 25.0;
            }
            if open {
                let deep = f64::from(world.base_elevation_m[cell]);
                off.push((sum - deep).abs() / (100.0 + 0.25 * deep.abs()));
            }
        });
    }
    steep.sort_by(f64::total_cmp);
    off.sort_by(f64::total_cmp);
    let at = |v: &[f64], share: f64| v[((v.len() - 1) as f64 * share) as usize];
    assert!(off.len() > 100, "{}", off.len());
    assert!(at(&steep, 0.5) < 0.04 && at(&steep, 1.0) < 0.8, "{} {}", at(&steep, 0.5), at(&steep, 1.0));
    assert!(at(&off, 0.5) < 0.5 && at(&off, 0.95) < 1.5, "{} {}", at(&off, 0.5), at(&off, 0.95));
}

/// Along hardly a piece of a canyon the floor rises by more than 5 m.
#[test]
fn canyons_fall_along_their_lines_join_and_never_cross() {
    let world = planet();
    let (mut pieces, mut rises, mut deepest_m) = (0, 0, 0.0f64);
    let (mut sites, mut joined) = (0, 0);
    let slope = |c: Cell| (-2000.0..-300.0).contains(&world.base_elevation_m[c]);
    for cell in world.grid.cells().filter(|&c| slope(c)).step_by(9) {
        with_terrain(world, (cell, RINGS), |terrain| {
            let of = |cell| terrain.canyon_lines(terrain.patch.index(cell).expect("in the patch"), 100.0);
            let near = terrain.within(ball(middle(terrain, cell), 2.0 * terrain.cell_m), 100.0);
            let none = Carved::land(f64::INFINITY);
            let floor_m = |q: Vec3| near.compose(terrain.bend.unbend(q), &none).elevation_m;
            let own = of(cell);
            for ((from, to), fall_m) in &own {
                assert!(*fall_m <= 0.0, "{cell:?}: a line rises by {fall_m} m");
                let cut_m = |q: Vec3, floor_m: f64| near.means(q, near.around(q)).sea_m - floor_m;
                let (from_m, to_m) = (floor_m(*from), floor_m(*to));
                let depth_m = cut_m(*from, from_m).min(cut_m(*to, to_m));
                // before and after it is a canyon the floor has hills
                if depth_m > 50.0 {
                    pieces += 1;
                    rises += usize::from(to_m > from_m + 5.0);
                    deepest_m = deepest_m.max(depth_m);
                }
            }
            sites += usize::from(!own.is_empty());
            joined += usize::from(own.len() > 9);
            for (_, neighbor) in world.grid.neighbors(cell) {
                let other = of(neighbor);
                let apart = own.iter().all(|(a, _)| other.iter().all(|(b, _)| !cross(terrain, *a, *b)));
                assert!(apart, "{cell:?} {neighbor:?}: lines cross");
            }
        });
    }
    println!("{pieces} pieces, {rises} rise, {joined} of {sites} join, {deepest_m} m at most");
    assert!(pieces > 500 && rises * 50 < pieces, "{rises} of {pieces}");
    assert!(joined * 10 > sites && deepest_m > 200.0, "{joined} of {sites}, {deepest_m} m");
}

/// Whether two straight pieces cross, other than where they end.
fn cross(terrain: &Terrain, a: (Vec3, Vec3), b: (Vec3, Vec3)) -> bool {
    let (u, v) = terrain.grid.tangents(a.0);
    let side = |(from, to): (Vec3, Vec3), p: Vec3| {
        let (d, e) = (to - from, p - from);
        (d.dot(u) * e.dot(v) - d.dot(v) * e.dot(u)) / d.length_squared()
    };
    let parted = |line, p: (Vec3, Vec3)| {
        let (s, t) = (side(line, p.0), side(line, p.1));
        s * t < 0.0 && s.abs().min(t.abs()) > 1e-3
    };
    parted(a, b) && parted(b, a)
}

/// Boxes of 1 to 32 samples that the coast runs through, over windows of 32 km at 125 m.
fn boxes(world: &World, cell: Cell) -> Option<[f64; 6]> {
    const SIDE: usize = 256;
    with_terrain(world, (cell, RINGS + 1), |terrain| {
        let center = middle(terrain, cell);
        let (u, v) = terrain.grid.tangents(center);
        let near = terrain.within(ball(center, 23_000.0), 125.0);
        let wet = |i: usize| {
            let (x, y) = ((i % SIDE) as f64 * 125.0 - 16_000.0, (i / SIDE) as f64 * 125.0 - 16_000.0);
            let q = terrain.bend.bend(terrain.grid.on_surface_m(center + u * x + v * y));
            near.shore_at(q).coast <= 0.0
        };
        let wet: Vec<bool> = (0..SIDE * SIDE).map(wet).collect();
        let mut counts = [0.0; 6];
        for (k, count) in counts.iter_mut().enumerate() {
            let side = 1 << k;
            for (row, column) in
                (0..SIDE - 32).step_by(side).flat_map(|r| (0..SIDE - 32).step_by(side).map(move |c| (r, c)))
            {
                // a box and the samples on its far sides
                let own = wet[row * SIDE + column];
                let mut inside =
                    (row..=row + side).flat_map(|r| (column..=column + side).map(move |c| r * SIDE + c));
                *count += f64::from(u8::from(inside.any(|i| wet[i] != own)));
            }
        }
        (counts[5] >= 6.0).then_some(counts)
    })
}

/// Dry samples over a window of 32 km at 125 m around a cell, and pieces of sea that they enclose; where the land is firm.
fn holes(world: &World, cell: Cell) -> Option<(usize, usize)> {
    const SIDE: usize = 256;
    with_terrain(world, (cell, RINGS + 1), |terrain| {
        let center = middle(terrain, cell);
        let (u, v) = terrain.grid.tangents(center);
        let near = terrain.within(ball(center, 23_000.0), 125.0);
        let q = |i: usize| {
            let (x, y) = ((i % SIDE) as f64 * 125.0 - 16_000.0, (i / SIDE) as f64 * 125.0 - 16_000.0);
            terrain.bend.bend(terrain.grid.on_surface_m(center + u * x + v * y))
        };
        let firm = |i: usize| near.country.at(q(i), &near.means(q(i), near.around(q(i)))).rocky;
        if (0..SIDE * SIDE).step_by(1000).any(|i| firm(i) < 0.9) {
            return None;
        }
        let mut wet: Vec<bool> = (0..SIDE * SIDE).map(|i| near.shore_at(q(i)).coast <= 0.0).collect();
        let dry = wet.iter().filter(|wet| !**wet).count();
        // the sea that reaches the border, then piece by piece what is left
        let border = (0..SIDE).flat_map(|k| [k, k + SIDE * (SIDE - 1), k * SIDE, k * SIDE + SIDE - 1]);
        border.for_each(|i| drain(&mut wet, i, SIDE));
        let mut pieces = 0;
        while let Some(i) = wet.iter().position(|wet| *wet) {
            drain(&mut wet, i, SIDE);
            pieces += 1;
        }
        Some((dry, pieces))
    })
}

/// Takes away the wet piece that a sample belongs to.
fn drain(wet: &mut [bool], from: usize, side: usize) {
    let mut open = vec![from];
    while let Some(i) = open.pop() {
        if std::mem::take(&mut wet[i]) {
            let (row, column) = (i / side, i % side);
            let rows = row.saturating_sub(1)..=(row + 1).min(side - 1);
            open.extend(rows.flat_map(|r| {
                (column.saturating_sub(1)..=(column + 1).min(side - 1)).map(move |c| r * side + c)
            }));
        }
    }
}

/// A place of a bar.
#[derive(Clone, Copy)]
struct OnBar {
    /// How wide the bar is there, in samples.
    width: usize,
    /// How high, in metres.
    height_m: f64,
    /// The same where a brook's bed would lie under the sea.
    over_brook_m: f64,
}

/// Bars of a window of 32 km at 125 m around a cell.
fn bars(world: &World, cell: Cell) -> Vec<OnBar> {
    const SIDE: usize = 256;
    with_terrain(world, (cell, RINGS + 1), |terrain| {
        let center = middle(terrain, cell);
        let (u, v) = terrain.grid.tangents(center);
        let near = terrain.within(ball(center, 23_000.0), 60.0);
        let place = |i: usize| {
            let (x, y) = ((i % SIDE) as f64 * 125.0 - 16_000.0, (i / SIDE) as f64 * 125.0 - 16_000.0);
            terrain.grid.on_surface_m(center + u * x + v * y)
        };
        let bar: Vec<bool> = (0..SIDE * SIDE).map(|i| near.is_bar(terrain.bend.bend(place(i)))).collect();
        let run = |i: usize, step: usize| {
            let on = |k: &usize| bar.get(*k).copied().unwrap_or(false);
            let after = (1..40).map(|k| i + k * step).take_while(on).count();
            1 + after + (1..40).map(|k| i.wrapping_sub(k * step)).take_while(on).count()
        };
        let carved = |i: usize| Carved::land(near.site(place(i)).top_m.min(20.0));
        let inside = (0..SIDE * SIDE).filter(|&i| bar[i]);
        let width = |i: usize| [1, SIDE, SIDE + 1, SIDE - 1].map(|step| run(i, step)).into_iter().min();
        let place = |i: usize| OnBar {
            width: width(i).expect("four ways"),
            height_m: near.compose(place(i), &carved(i)).elevation_m,
            over_brook_m: near.compose(place(i), &Carved::land(-1.0)).elevation_m,
        };
        inside.map(place).collect()
    })
}

/// Places on bars, most narrow, some broad; all are low, and brooks leave no pools in them.
#[test]
fn bars_are_rare_low_and_of_many_widths() {
    let world = planet();
    let coasts = world.grid.cells().filter(|&c| world.grid.neighbors(c).any(|(_, n)| is_coast(world, c, n)));
    let coasts: Vec<Cell> = coasts.collect();
    let windows: Vec<_> = coasts.iter().step_by(coasts.len() / 80 + 1).map(|&c| bars(world, c)).collect();
    let with = windows.iter().filter(|places| places.len() > 50).count();
    let places: Vec<OnBar> = windows.iter().flatten().copied().collect();
    let mut widths: Vec<usize> = places.iter().map(|place| place.width).collect();
    let mut heights: Vec<f64> = places.iter().map(|place| place.height_m).collect();
    let pools = places.iter().filter(|place| place.over_brook_m < 0.0).count();
    widths.sort_unstable();
    heights.sort_by(f64::total_cmp);
    let at = |share: f64| ((places.len() - 1) as f64 * share) as usize;
    let (narrow, broad) = (widths[at(0.1)], widths[at(0.9)]);
    println!(
        "bars in {with} of {} windows, {} places; {narrow} to {broad} samples wide, {} and {} m high, {pools} pools",
        windows.len(),
        places.len(),
        heights[at(0.5)],
        heights[at(0.98)]
    );
    assert!(with >= 3 && with * 2 < windows.len(), "{with}");
    assert!(narrow <= 4 && broad >= 4 * narrow, "{narrow} {broad}");
    assert!(heights[at(0.98)] < 6.0, "{}", heights[at(0.98)]);
    assert!(pools * 1000 < places.len(), "{pools} of {}", places.len());
}

/// Measured: 25 holes in 1.33 million samples of land; 118 if octaves opened land as strongly as they build rocks at sea, 249 if
/// firm land resisted them no more than other land.
#[test]
fn firm_coasts_have_bays_not_holes() {
    let world = planet();
    let coasts = world.grid.cells().filter(|&c| world.grid.neighbors(c).any(|(_, n)| is_coast(world, c, n)));
    let coasts: Vec<Cell> = coasts.collect();
    let found: Vec<_> =
        coasts.iter().step_by(coasts.len() / 300 + 1).filter_map(|&c| holes(world, c)).collect();
    let (dry, pieces) = found.iter().fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
    println!("{} windows, {dry} samples of land, {pieces} holes", found.len());
    assert!(found.len() > 15 && pieces * 30_000 < dry, "{dry} {pieces}");
}

/// What would stand higher still does behind a coast: nothing is cut off level with the line. And what drains to a channel is not
/// pressed down under it, but for bluffs along shores.
#[test]
fn land_behind_coasts_keeps_its_shape() {
    let world = planet();
    let mut draw = draws(11);
    let (mut places, mut pressed, mut held) = (0, 0, 0);
    let coasts = world.grid.cells().filter(|&c| world.grid.neighbors(c).any(|(_, n)| is_coast(world, c, n)));
    for cell in coasts.step_by(20) {
        with_terrain(world, (cell, RINGS), |terrain| {
            let near = terrain.within(ball(middle(terrain, cell), terrain.cell_m), 100.0);
            for _ in 0..100 {
                let p = somewhere(world, cell, &mut draw);
                // higher than the drainage leaves land there, so that much of it is pressed down
                let top_m = ground_m(&near, p) + 250.0;
                let of = |elevation_m| near.compose(p, &Carved::land(elevation_m)).elevation_m;
                let (low_m, high_m) = (of(0.8 * top_m), of(top_m));
                // the least land of all is level, and so is the floor of a lake
                if low_m < 2.0 || near.site(p).lake.is_some() {
                    continue;
                }
                assert!(high_m > low_m, "{cell:?}: {low_m} m and {high_m} m of {top_m} m");
                places += 1;
                pressed += usize::from(high_m < 0.9 * top_m);
                let foot_m = 0.7 * top_m;
                let drained = Carved { foot_m, ..Carved::land(top_m) };
                let firm_m = near.compose(p, &drained).elevation_m;
                assert!(firm_m >= high_m, "{cell:?}: {firm_m} m and {high_m} m of {top_m} m");
                held += usize::from(firm_m > high_m);
                // rivers come down as far as the sea has risen
                let shore_m = near.site(p).shore * terrain.cell_m;
                assert!(
                    shore_m < 3_000.0 || firm_m > foot_m - 160.0,
                    "{cell:?}: {firm_m} m under {foot_m} m"
                );
            }
        });
    }
    println!("{places} places, {pressed} pressed, {held} less where they drain to a channel");
    assert!(places > 3_000 && pressed > 300 && held > 100, "{places} {pressed} {held}");
}

/// Coasts of Earth have dimensions of 1.0 (South Africa) to 1.5 (Norway), most 1.1 to 1.35 (Mandelbrot 1967).
#[test]
fn coasts_are_as_ragged_as_earths() {
    let world = planet();
    let coast = |c: &Cell| {
        world.continentality[*c] > 0.0
            && world.grid.neighbors(*c).any(|(_, n)| world.continentality[n] <= 0.0)
    };
    let cells: Vec<Cell> = world.grid.cells().filter(coast).collect();
    let found: Vec<[f64; 6]> =
        cells.iter().step_by(cells.len() / 60 + 1).filter_map(|&c| boxes(world, c)).collect();
    assert!(found.len() > 20, "{}", found.len());
    let dimension = |n: &[f64; 6]| grid::math::log2(n[0] / n[5]) / 5.0;
    let mut all = [0.0; 6];
    found.iter().for_each(|n| (0..6).for_each(|k| all[k] += n[k]));
    let mut each: Vec<f64> = found.iter().map(dimension).collect();
    each.sort_by(f64::total_cmp);
    let (low, high) = (each[each.len() / 10], each[each.len() * 9 / 10]);
    assert!((1.1..1.35).contains(&dimension(&all)), "{} {low} {high}", dimension(&all));
    assert!(low > 1.0 && high < 1.5, "{low} {high}");
}

#[test]
fn fields_keep_their_bounds_and_ranges_stand_as_high_as_the_world_says() {
    let world = planet();
    let mut draw = draws(8);
    let mut shares = Vec::new();
    for cell in cells(world, 400) {
        with_terrain(world, (cell, RINGS), |terrain| {
            let near = terrain.within(ball(middle(terrain, cell), 0.7 * terrain.cell_m), 100.0);
            let mut top: f64 = 0.0;
            for _ in 0..300 {
                let p = somewhere(world, cell, &mut draw);
                let (site, base_m) = (near.site(p), ground_m(&near, p));
                let inland = near.shore_at(terrain.bend.bend(p)).coast >= 1.0 && site.lake_cells >= 1.0;
                assert!(!inland || site.top_m >= base_m, "{site:?}");
                assert!(site.top_m >= 0.0 && (0.0..=0.62).contains(&site.rise), "{site:?}");
                assert!([site.ice, site.shore.abs()].iter().all(|v| (0.0..=1.0).contains(v)), "{site:?}");
                assert!(site.lake.is_none() || site.shore < 0.0);
                top = top.max(site.top_m - base_m);
            }
            let height = f64::from(world.mountain_height_m[cell]);
            if height > 800.0 && world.ridge_directions[cell] != 0 {
                shares.push(top / height);
            }
        });
    }
    shares.sort_by(f64::total_cmp);
    assert!(shares.len() > 5, "{}", shares.len());
    assert!((0.75..1.25).contains(&shares[shares.len() / 2]), "{shares:?}");
}

/// Lakes of a world split into stripes of two numbers and levels, side by side: dry land parts them everywhere.
#[test]
fn two_lakes_side_by_side_are_parted() {
    let mut world = planet().clone();
    let striped: Vec<Cell> =
        world.grid.cells().filter(|c| world.lake[*c] != world::NO_LAKE && c.0 / 2 % 2 == 0).collect();
    for &cell in &striped {
        world.lake[cell] += 10_000;
        world.water_level_m[cell] += 12.0;
    }
    let beside = |c: &&Cell| {
        world
            .grid
            .neighbors(**c)
            .any(|(_, n)| world.lake[n] != world::NO_LAKE && world.lake[n] != world.lake[**c])
    };
    let mut draw = draws(10);
    let chosen: Vec<Cell> = striped.iter().filter(beside).step_by(2).copied().collect();
    assert!(chosen.len() > 10, "{}", chosen.len());
    let mut wet = 0;
    for cell in chosen {
        with_terrain(&world, (cell, RINGS), |terrain| {
            let near = terrain.within(ball(middle(terrain, cell), 1.2 * terrain.cell_m), 50.0);
            for _ in 0..40 {
                let from = somewhere(&world, cell, &mut draw);
                let (u, v) = world.grid.tangents(from);
                let angle = draw.range(0.0, std::f64::consts::TAU);
                let step = (u * grid::math::cos(angle) + v * grid::math::sin(angle)) * 60.0;
                let mut last = None;
                for k in 0..150 {
                    let lake = near.site(world.grid.on_surface_m(from + step * f64::from(k))).lake;
                    let touch = matches!((last, lake), (Some((a, _)), Some((b, _))) if a != b);
                    assert!(!touch, "{cell:?}: {last:?} {lake:?}");
                    wet += usize::from(lake.is_some());
                    last = lake;
                }
            }
        });
    }
    assert!(wet > 1000, "{wet}");
}

/// Fields that are even over squares of a fortieth of a cell lie so near those of each place that shores hardly move.
#[test]
fn fields_that_are_even_over_squares_keep_shores() {
    let world = planet();
    let mut draw = draws(9);
    let (mut places, mut off) = (0, Vec::new());
    let coasts = world.grid.cells().filter(|&c| world.grid.neighbors(c).any(|(_, n)| is_coast(world, c, n)));
    for cell in coasts.step_by(40) {
        with_terrain(world, (cell, RINGS), |terrain| {
            let side_m = terrain.cell_m / 40.0;
            let near = terrain.within(ball(middle(terrain, cell), terrain.cell_m), 0.1 * side_m);
            for _ in 0..20 {
                let corner = somewhere(world, cell, &mut draw);
                let (u, v) = world.grid.tangents(corner);
                let at =
                    |x: f64, y: f64| world.grid.on_surface_m(corner + u * (x * side_m) + v * (y * side_m));
                near.begin([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)].map(|(x, y)| at(x, y)).to_vec());
                let corners = [0, 1, 2, 3].map(|corner| near.waterside(corner));
                let (x, y) = (draw.range(0.0, 1.0), draw.range(0.0, 1.0));
                let [a, b, c, d] = &corners;
                let Some(even) = Waterside::between([a, b, c, d], (x, y)) else { continue };
                let q = terrain.bend.bend(at(x, y));
                let (own, even) = (near.shore_at(q).shore, near.shore_from(q, &even).shore);
                places += 1;
                off.push((own - even).abs());
            }
        });
    }
    off.sort_by(f64::total_cmp);
    println!(
        "{places} places, off {} in the median, {} at 99 %, {} at most",
        off[places / 2],
        off[places * 99 / 100],
        off[places - 1]
    );
    assert!(places > 1000 && off[places * 99 / 100] < 0.01, "{}", off[places * 99 / 100]);
}

/// The mountain-free ground at a place in plain space, in metres.
fn ground_m(near: &Near, p: Vec3) -> f64 {
    near.begin(vec![p]);
    near.inland(0).land_m.max(0.0)
}

/// Whether a coast runs between two cells.
fn is_coast(world: &World, a: Cell, b: Cell) -> bool {
    (world.continentality[a] > 0.0) != (world.continentality[b] > 0.0)
}
