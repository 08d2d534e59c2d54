//! Basins, lengths, heights, slopes, snapping and tracing, each by walking.

use super::{River, drawn, river};
use grid::{Cell, Direction, Field, Flat, Globe, Grid, Topology};
use hydro::network::{
    NOWHERE, Profile, Stems, Undrained, downstream, downstream_m, first_stream, height_above_m, longest_path,
    longest_path_m, rank_basins, reach_basins, reach_length_m, reach_slope, slope, snap_to_greatest,
    snap_to_stream, upstream, watersheds, way_to_m,
};
use hydro::{reaches, strahler};

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

/// Length of a way in metres, by the grid.
fn way_m(river: &River, cells: &[Cell]) -> f64 {
    cells.windows(2).map(|w| river.step_m(w[0], w[1])).sum()
}

#[test]
fn a_cell_belongs_to_the_nearest_outlet_downstream() {
    for number in 0..2000 {
        let mut river = river(number);
        let some = river.draw.below(6);
        let last = river.grid.len() as u32;
        let outlets: Vec<Cell> = (0..some).map(|_| Cell(river.draw.below(last))).collect();
        let basin = watersheds(&river.grid, &river.flow, &outlets);
        for c in river.grid.cells() {
            let first = river.down(c).into_iter().find_map(|d| outlets.iter().position(|&o| o == d));
            assert_eq!(basin[c], first.map_or(NOWHERE, |i| i as u32), "river {number}, {c:?}");
        }
    }
}

#[test]
fn a_cell_belongs_to_the_reach_its_water_meets_first() {
    for number in 0..1500 {
        let river = river(number);
        let order = strahler(&river.grid, &river.flow, &river.is_stream);
        let reaches = reaches(&river.grid, &river.flow, &river.is_stream, &order);
        let basin = reach_basins(&river.grid, &river.flow, &reaches);
        for c in river.grid.cells() {
            let stream = river.down(c).into_iter().find(|&d| river.is_stream[d]);
            let reach =
                stream.map(|s| reaches.iter().position(|r| r.cells.contains(&s)).expect("in a reach"));
            assert_eq!(basin[c], reach.map_or(NOWHERE, |i| i as u32), "river {number}, {c:?}");
        }
    }
}

#[test]
fn basins_are_numbered_by_area() {
    let mut ties = 0;
    for number in 0..1500 {
        let mut river = river(number);
        // some of the cells are sea
        let sea = river.draw.range(0.0, 0.5);
        for c in river.grid.cells() {
            if river.draw.unit() < sea {
                river.area[c] = 0.0;
            }
        }
        let (numbers, ends) = rank_basins(&river.grid, &river.flow, &river.area);
        let on_land = |c: &Cell| river.area[*c] > 0.0;
        let end_of = |c: Cell| {
            let way = river.down(c);
            let whole = way.iter().take_while(|c| on_land(c)).count();
            way[whole - 1]
        };
        let mut expected: Vec<Cell> = river.grid.cells().filter(on_land).map(end_of).collect();
        expected.sort();
        expected.dedup();
        // a stable sort keeps equal ones by address
        expected.sort_by(|a, b| river.area[*b].partial_cmp(&river.area[*a]).expect("numbers"));
        assert_eq!(ends, expected, "river {number}");
        ties += ends.windows(2).filter(|w| river.area[w[0]] == river.area[w[1]]).count();
        for c in river.grid.cells() {
            let own = on_land(&c).then(|| expected.iter().position(|&e| e == end_of(c)).expect("an end") + 1);
            assert_eq!(numbers[c] as usize, own.unwrap_or(0), "river {number}, {c:?}");
        }
    }
    assert!(ties > 1000, "only {ties} ties");
}

#[test]
fn lengths_are_those_of_the_ways() {
    for number in 0..1500 {
        let river = river(number);
        let (grid, flow) = (&river.grid, &river.flow);
        let (down_m, path_m) = (downstream_m(grid, flow), longest_path_m(grid, flow, &river.area));
        for c in grid.cells() {
            assert!(near(down_m[c], way_m(&river, &river.down(c))), "river {number}, {c:?}");
            let traced = downstream(grid, flow, c);
            assert!(traced.iter().map(|p| p.0).eq(river.down(c)), "river {number}, {c:?}");
            let (end, length_m) = traced[traced.len() - 1];
            assert!(near(length_m, down_m[c]) && flow.receiver_of(grid, end).is_none());
            // the farthest of all cells with area that drain here
            let drains = |a: &Cell| river.area[*a] > 0.0 && river.down(*a).contains(&c);
            let way_here = |a: Cell| {
                let way = river.down(a);
                let steps = way.iter().position(|&p| p == c).expect("it drains here");
                way_m(&river, &way[..=steps])
            };
            let farthest = grid.cells().filter(drains).map(way_here).fold(0.0, f64::max);
            assert!(near(path_m[c], farthest), "river {number}, {c:?}");
            let path = longest_path(grid, flow, &path_m, c);
            assert!(path[path.len() - 1] == c && near(way_m(&river, &path), farthest));
            assert!(path.windows(2).all(|w| flow.receiver_of(grid, w[0]) == Some(w[1])));
        }
    }
}

/// Both arms are three steps long; the western one begins at the lower address.
#[test]
fn of_equal_paths_the_first_by_address_is_taken() {
    let river = drawn(&["v.v", "v.v", ">o<"]);
    let path_m = longest_path_m(&river.grid, &river.flow, &river.area);
    assert_eq!(path_m[Cell(7)], 30.0);
    let path = longest_path(&river.grid, &river.flow, &path_m, Cell(7));
    assert_eq!(path, [Cell(0), Cell(3), Cell(6), Cell(7)]);
}

#[test]
fn heights_and_ways_are_to_the_stream_met_first() {
    for number in 0..2000 {
        let river = river(number);
        for undrained in [Undrained::End, Undrained::Nothing] {
            let drainage = first_stream(&river.grid, &river.flow, &river.is_stream, undrained);
            let height_m = height_above_m(&river.elevation, &drainage);
            let to_m = way_to_m(&river.grid, &river.flow, &drainage);
            for c in river.grid.cells() {
                let way = river.down(c);
                let met = way.iter().position(|&d| river.is_stream[d]);
                let met = met.or((undrained == Undrained::End).then_some(way.len() - 1));
                let Some(met) = met else {
                    assert!(drainage[c] == NOWHERE && height_m[c].is_nan() && to_m[c].is_nan());
                    continue;
                };
                assert_eq!(drainage[c], way[met].0, "river {number}, {c:?}");
                assert!(near(to_m[c], way_m(&river, &way[..=met])), "river {number}, {c:?}");
                let expected = river.elevation[c] - river.elevation[way[met]];
                assert!(height_m[c] == expected || (height_m[c].is_nan() && expected.is_nan()));
            }
        }
    }
}

#[test]
fn slopes_are_drops_over_lengths() {
    for number in 0..1000 {
        let river = river(number);
        let (grid, flow, z) = (&river.grid, &river.flow, &river.elevation);
        let slopes = slope(grid, flow, z);
        for c in grid.cells() {
            match flow.receiver_of(grid, c) {
                Some(t) if !z[c].is_nan() && !z[t].is_nan() => {
                    let expected = f64::from(z[c] - z[t]) / river.step_m(c, t);
                    assert!((f64::from(slopes[c]) - expected).abs() <= 1e-6 * expected.abs().max(1e-9));
                }
                _ => assert!(slopes[c].is_nan(), "river {number}, {c:?}"),
            }
        }
        let order = strahler(grid, flow, &river.is_stream);
        let reaches = reaches(grid, flow, &river.is_stream, &order);
        for (index, reach) in reaches.iter().enumerate() {
            let mut course = reach.cells.clone();
            course.extend(river.stream_below(course[course.len() - 1]));
            let length_m = way_m(&river, &course);
            assert!(near(reach_length_m(grid, flow, &reaches, index), length_m), "river {number}");
            match reach_slope(grid, flow, &reaches, index, z) {
                None => assert_eq!(course.len(), 1),
                Some(found) => {
                    let drop_m = f64::from(z[course[0]]) - f64::from(z[course[course.len() - 1]]);
                    assert!(drop_m.is_nan() && found.is_nan() || near(found, drop_m / length_m));
                }
            }
        }
    }
}

#[test]
fn points_snap_to_the_nearest_stream_and_to_the_greatest_river() {
    let mut ties = 0;
    for number in 0..2000 {
        let mut river = river(number);
        let grid = river.grid.clone();
        let from = Cell(river.draw.below(grid.len() as u32));
        let within_m = grid.cell_m() * river.draw.range(-0.1, 4.0);
        let distance = |c: Cell| grid.cell_distance_m(from, c) as f32;
        let within = |c: &Cell| f64::from(distance(*c)) <= within_m;
        let mut streams: Vec<Cell> = river.streams().into_iter().filter(within).collect();
        streams.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)));
        let found = snap_to_stream(&grid, &river.is_stream, from, within_m);
        assert_eq!(found, streams.first().copied(), "river {number}");
        ties += usize::from(streams.len() > 1 && distance(streams[0]) == distance(streams[1]));
        let mut all: Vec<Cell> = grid.cells().filter(within).collect();
        all.sort_by(|&a, &b| {
            let areas = river.area[b].partial_cmp(&river.area[a]).expect("numbers");
            areas.then(distance(a).total_cmp(&distance(b))).then(a.cmp(&b))
        });
        let found = snap_to_greatest(&grid, &river.area, from, within_m);
        assert_eq!(found, all.first().copied(), "river {number}");
        let unknown = Field::filled(grid.shape(), f64::NAN);
        assert_eq!(snap_to_greatest(&grid, &unknown, from, within_m), None);
        assert_eq!(snap_to_stream(&grid, &river.is_stream, from, f64::NAN), None);
    }
    assert!(ties > 80, "only {ties} ties");
}

/// Around the middle of a map of 7 x 7 the four streams at a knight's move are equally near, at 10 m times the root of 5.
#[test]
fn equally_near_streams_are_taken_by_address() {
    for cell_m in [10.0, 0.1, 7.3, 92.7] {
        let map = Flat::new(7, 7, cell_m).expect("in range");
        let at = |row, col| map.shape().join(0, row, col);
        let streams = [at(5, 4), at(4, 1), at(1, 4), at(2, 5)];
        let is_stream = Field::from_fn(map.shape(), |c| streams.contains(&c));
        let knight_m = cell_m * 5f64.sqrt();
        assert_eq!(snap_to_stream(&map, &is_stream, at(3, 3), knight_m), Some(at(1, 4)), "{cell_m}");
        assert_eq!(snap_to_stream(&map, &is_stream, at(3, 3), knight_m * 0.999), None);
        let even = Field::from_fn(map.shape(), |c| if is_stream[c] { 9.0 } else { 1.0 });
        assert_eq!(snap_to_greatest(&map, &even, at(3, 3), knight_m), Some(at(1, 4)), "{cell_m}");
        assert_eq!(snap_to_greatest(&map, &even, at(3, 3), cell_m), Some(at(3, 3)), "{cell_m}");
    }
}

/// On a sphere the whole of it is within half a turn.
#[test]
fn snapping_reaches_around_the_sphere() {
    let globe = Topology::Globe(Globe::new(6, 1000.0).expect("in range"));
    for from in globe.cells() {
        let farthest = globe
            .cells()
            .max_by(|&a, &b| globe.cell_distance_m(from, a).total_cmp(&globe.cell_distance_m(from, b)));
        let farthest = farthest.expect("a cell");
        let alone = Field::from_fn(globe.shape(), |c| c == farthest);
        let distance_m = globe.cell_distance_m(from, farthest);
        assert_eq!(snap_to_stream(&globe, &alone, from, distance_m), Some(farthest));
        assert_eq!(snap_to_stream(&globe, &alone, from, distance_m - 1.0), None);
    }
}

#[test]
fn what_lies_upstream_drains_here() {
    for number in 0..1500 {
        let mut river = river(number);
        let from = Cell(river.draw.below(river.grid.len() as u32));
        let found = upstream(&river.grid, &river.flow, from);
        let expected: Vec<Cell> = river.grid.cells().filter(|&c| river.down(c).contains(&from)).collect();
        assert_eq!(found, expected, "river {number}");
    }
}

#[test]
fn a_profile_tells_what_is_met_on_the_way() {
    for number in 0..500 {
        let mut river = river(number);
        let (grid, flow) = (&river.grid, &river.flow);
        let everywhere = Field::filled(grid.shape(), true);
        let stems = Stems::of(grid, flow, &river.area, &everywhere);
        let mouth = Cell(river.draw.below(grid.len() as u32));
        let mut cells: Vec<Cell> = stems.up(mouth).collect();
        cells.reverse();
        let discharge = river.area.map(|a| a * 0.5);
        let profile = Profile::along(grid, flow, cells.clone(), &river.elevation, (&river.area, &discharge));
        assert_eq!(profile.cells, cells);
        for (i, &c) in cells.iter().enumerate() {
            assert!(near(profile.distance_m[i], way_m(&river, &cells[..=i])), "river {number}");
            assert_eq!(profile.elevation_m[i].to_bits(), river.elevation[c].to_bits());
            assert_eq!((profile.area_m2[i], profile.discharge_m3_s[i]), (river.area[c], river.area[c] * 0.5));
        }
    }
}

#[test]
#[should_panic(expected = "from each cell to its receiver")]
fn a_profile_does_not_jump() {
    let river = drawn(&[">>o"]);
    let cells = vec![Cell(0), Cell(2)];
    Profile::along(&river.grid, &river.flow, cells, &river.elevation, (&river.area, &river.area));
}

/// A single cell, and a row without any stream.
#[test]
fn the_smallest_maps_have_answers() {
    let river = drawn(&["o"]);
    assert_eq!(downstream_m(&river.grid, &river.flow)[Cell(0)], 0.0);
    assert_eq!(
        longest_path(&river.grid, &river.flow, &Field::filled(river.grid.shape(), 0.0), Cell(0)),
        [Cell(0)]
    );
    assert!(slope(&river.grid, &river.flow, &river.elevation)[Cell(0)].is_nan());
    assert_eq!(upstream(&river.grid, &river.flow, Cell(0)), [Cell(0)]);
    let map = Flat::new(5, 1, 1.0).expect("in range");
    assert_eq!(map.neighbor(Cell(0), Direction::E), Some(Cell(1)));
    let nothing = Field::filled(map.shape(), false);
    assert_eq!(snap_to_stream(&map, &nothing, Cell(2), 1e9), None);
}
