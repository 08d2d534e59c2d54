//! Lakes against a search over the links, cell by cell.

use crate::common::case;
use grid::{Cell, Field, Flat, Grid};
use hydro::{Links, lakes};

#[test]
fn lakes_are_the_connected_wet_cells_with_one_outlet() {
    let mut met = 0;
    for number in 0..3000 {
        let case = case(number);
        let (grid, z) = (&case.grid, &case.elevation);
        let (flood, flow) = case.route();
        let wet = |c: Cell| flood.filled[c] > z[c];
        let mut seen = vec![false; grid.len()];
        let mut expected = Vec::new();
        for c in grid.cells().filter(|&c| wet(c)) {
            let mut cells = if seen[c.index()] { vec![] } else { vec![c] };
            seen[c.index()] = true;
            let mut next = 0;
            while next < cells.len() {
                for (_, n) in case.links.neighbors(grid, cells[next]).filter(|&(_, n)| wet(n)) {
                    if !std::mem::replace(&mut seen[n.index()], true) {
                        cells.push(n);
                    }
                }
                next += 1;
            }
            cells.sort_unstable();
            expected.extend((!cells.is_empty()).then_some(cells));
        }
        let found = lakes(grid, z, &flood, &flow, 0.0, 0);
        assert!(found.iter().map(|l| &l.cells).eq(&expected), "case {number}");
        for lake in &found {
            let depth = |c: &Cell| flood.filled[*c] - z[*c];
            let area: f64 = lake.cells.iter().map(|&c| grid.area_m2(c)).sum();
            let volume: f64 = lake.cells.iter().map(|c| f64::from(depth(c)) * grid.area_m2(*c)).sum();
            assert_eq!((lake.area_m2, lake.volume_m3), (area, volume), "case {number}");
            assert!(lake.cells.iter().all(|&c| flood.filled[c] == lake.level_m), "case {number}: one level");
            assert_eq!(lake.depth_max_m, lake.cells.iter().map(depth).fold(0.0, f32::max));
            let inside = |c: Option<Cell>| c.is_some_and(|c| lake.cells.contains(&c));
            let leaving = |c: &&Cell| !inside(flow.receiver_of(grid, **c));
            let outlets: Vec<Cell> = lake.cells.iter().filter(leaving).copied().collect();
            assert_eq!(outlets, Vec::from_iter(lake.outlet), "case {number}: one outlet");
        }
        // Whole heights make lakes that are exactly 2 m deep.
        for (depth_m, cells) in [(20.0, 3), (2.0, 1)] {
            let mut kept = found.clone();
            kept.retain(|l| l.depth_max_m >= depth_m && l.cells.len() >= cells);
            assert_eq!(lakes(grid, z, &flood, &flow, depth_m, cells), kept, "case {number}");
        }
        met += found.iter().filter(|l| l.cells.len() > 3).count();
    }
    assert!(met > 500, "only {met} lakes of some size");
}

/// A cone standing on its tip, cut off at its rim: the volume that is filled is known.
#[test]
fn a_cone_holds_a_third_of_its_cylinder() {
    let map = Flat::new(401, 401, 10.0).expect("in range");
    let middle = map.center(Cell(401 * 200 + 200));
    let radius_m = 1800.0;
    let elevation =
        Field::from_fn(map.shape(), |c| (map.center(c).distance(middle).min(radius_m) / 10.0) as f32);
    let links = Links::all(&map);
    let flood = hydro::flood(&map, &links, &elevation, hydro::border_outlets(&map));
    let flow = hydro::route(&map, &links, &flood);
    let found = lakes(&map, &elevation, &flood, &flow, 1.0, 10);
    assert_eq!(found.len(), 1);
    let expected = std::f64::consts::PI * radius_m * radius_m * 180.0 / 3.0;
    assert!((found[0].volume_m3 / expected - 1.0).abs() < 1e-3, "{} of {expected}", found[0].volume_m3);
    assert_eq!((found[0].level_m, found[0].depth_max_m), (180.0, 180.0));
}
