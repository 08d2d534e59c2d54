//! The built program: rivers of the default method as lines, held against the samples of the same call.

use crate::cli_support::{Desk, Grid};
use serde_json::Value;
use std::collections::BTreeSet;

const PLACE: &str = "--bbox=-30,-40,40,30 --resolution 20000";

fn rivers(desk: &Desk, name: &str) -> Vec<Value> {
    desk.json(name)["features"].as_array().unwrap().clone()
}

fn number(river: &Value, name: &str) -> f64 {
    river["properties"][name].as_f64().unwrap_or_else(|| panic!("{name}: {river}"))
}

fn line(river: &Value) -> Vec<[f64; 2]> {
    let places = river["geometry"]["coordinates"].as_array().unwrap();
    places.iter().map(|p| [p[0].as_f64().unwrap(), p[1].as_f64().unwrap()]).collect()
}

fn sample(grid: &Grid, [x, y]: [f64; 2]) -> Option<f32> {
    let (column, row) = ((x - grid.west) / grid.step, (grid.north - y) / grid.step);
    let inside = column >= 0.0 && row >= 0.0 && column < grid.width as f64 && row < grid.height as f64;
    inside.then(|| grid.values[row as usize * grid.width + column as usize])
}

/// One layer of [`PLACE`].
fn layer(desk: &Desk, name: &str) -> Grid {
    desk.does(&format!("region globe.terrane -o {name}.tif {PLACE} --layers {name}"));
    desk.geotiff(&format!("{name}.tif"))
}

#[test]
fn lines_carry_what_their_samples_carry() {
    let desk = Desk::with_globe();
    desk.does(&format!("region globe.terrane -o q.tif -o q.geojson {PLACE} --layers discharge,rivers"));
    let (grid, rivers) = (desk.geotiff("q.tif"), rivers(&desk, "q.geojson"));
    let sampled: BTreeSet<u32> = grid.values.iter().map(|v| v.to_bits()).collect();
    let (mut on, mut within, mut all, mut known, mut long) = (0, 0, 0, 0, 0);
    for river in &rivers {
        let (from, to) = (number(river, "discharge_from_m3_s"), number(river, "discharge_m3_s"));
        let line = line(river);
        let inner = &line[1..line.len() - 1];
        for &place in inner {
            let Some(q) = sample(&grid, place) else { continue };
            all += 1;
            on += usize::from(q > 0.0);
            within += usize::from(q >= from as f32 && q <= to as f32);
        }
        if number(river, "length_km") > 100.0 {
            long += 1;
            known += usize::from(sampled.contains(&(to as f32).to_bits()));
        }
    }
    assert!(rivers.len() > 30 && all > 100 && long > 20, "{} {all} {long}", rivers.len());
    // beside a junction a sample shows the greater river, and at a head it may lie beside the line; reaches are a few
    // samples long here, and 86 % of their points lie off junctions
    assert!(on * 100 > all * 95, "{on} of {all}");
    assert!(within * 100 > all * 80, "{within} of {all}");
    assert!(known * 100 > long * 90, "{known} of {long}: the same numbers, bit for bit");
}

#[test]
fn reaches_run_down_and_grow() {
    let desk = Desk::with_globe();
    desk.does(&format!("region globe.terrane -o r.geojson {PLACE} --layers rivers"));
    let all = rivers(&desk, "r.geojson");
    let start = |r: &Value| line(r)[0].map(f64::to_bits);
    let starts: std::collections::BTreeMap<[u64; 2], &Value> = all.iter().map(|r| (start(r), r)).collect();
    let (mut joined, mut met, mut named, mut deep) = (0, 0, 0, 0);
    for river in &all {
        for name in ["discharge_m3_s", "width_m", "depth_m", "length_km", "drainage_km2"] {
            assert!(number(river, name) > 0.0, "{name} {river}");
        }
        assert!(number(river, "surface_from_m") >= number(river, "surface_to_m"));
        assert!(number(river, "bed_from_m") >= number(river, "bed_to_m"));
        assert!((1.0..12.0).contains(&number(river, "order")));
        // a line that ends at a place of a deeper river has its own depth
        let usual_m = world::channel_depth_m(number(river, "discharge_m3_s"));
        deep += usize::from(number(river, "depth_m") > 1.5 * usual_m);
        let next = starts.get(&line(river).last().unwrap().map(f64::to_bits));
        if let Some(next) = next {
            joined += 1;
            assert!(number(next, "order") >= number(river, "order"), "{river} {next}");
            assert!(number(next, "drainage_km2") > number(river, "drainage_km2"), "{river} {next}");
            // rivers of two basins meet in cells of the sea alone, where the greater one goes on
            let basin = &next["properties"]["basin"];
            let meet = *basin != river["properties"]["basin"];
            let greater = all.iter().filter(|r| r["properties"]["basin"] == *basin);
            let greatest = greater.map(|r| number(r, "drainage_km2")).fold(0.0, f64::max);
            assert!(!meet || greatest > number(river, "drainage_km2"), "{river} {next}");
            (met, named) = (met + usize::from(meet), named + usize::from(basin.is_number()));
        }
    }
    assert!(deep * 50 < all.len(), "{deep} of {} are too deep", all.len());
    assert!(joined > 5 && named * 10 > joined * 9 && met * 3 < joined, "{joined}, {named} of a basin, {met}");
}

#[test]
fn rivers_alone_are_the_same_rivers() {
    let desk = Desk::with_globe();
    desk.does(&format!("region globe.terrane -o alone.geojson {PLACE} --layers rivers"));
    desk.does(&format!("region globe.terrane -o all.tif -o all.geojson {PLACE} --layers elevation,rivers"));
    desk.does(&format!(
        "region globe.terrane -o dir.tif -o dir.geojson {PLACE} --layers flow_direction,rivers"
    ));
    let alone = rivers(&desk, "alone.geojson");
    assert!(alone == rivers(&desk, "all.geojson") && alone == rivers(&desk, "dir.geojson"));
}

#[test]
fn water_runs_along_rivers_in_their_basins() {
    let desk = Desk::with_globe();
    let [q, depth, way, basin] =
        ["discharge", "water_depth", "flow_direction", "basin"].map(|name| layer(&desk, name));
    desk.does(&format!("region globe.terrane -o r.geojson {PLACE} --layers rivers"));
    let steps = [
        (1, (0, 1)),
        (2, (1, 1)),
        (4, (1, 0)),
        (8, (1, -1)),
        (16, (0, -1)),
        (32, (-1, -1)),
        (64, (-1, 0)),
        (128, (-1, 1)),
    ];
    let (mut runs, mut to_water, mut same) = (0, 0, 0);
    for i in 0..q.values.len() {
        if depth.values[i] > 0.0 && q.values[i] == 0.0 {
            assert_eq!(way.values[i], 0.0, "standing water goes nowhere");
        }
        let Some((_, (dr, dc))) = steps.iter().find(|s| s.0 as f32 == way.values[i]) else { continue };
        let (r, c) = ((i / q.width) as i64 + dr, (i % q.width) as i64 + dc);
        if q.values[i] > 0.0 && (0..q.height as i64).contains(&r) && (0..q.width as i64).contains(&c) {
            let there = r as usize * q.width + c as usize;
            runs += 1;
            to_water += usize::from(depth.values[there] > 0.0);
            same += usize::from(basin.values[there] == basin.values[i] || basin.values[there] < 0.0);
        }
    }
    assert!(runs > 300 && to_water * 100 > runs * 95, "{to_water} of {runs}");
    assert!(same * 100 > runs * 97, "{same} of {runs}");
    let (mut agree, mut all) = (0, 0);
    for river in rivers(&desk, "r.geojson").iter().filter(|r| r["properties"]["basin"].is_number()) {
        for place in line(river) {
            let Some(b) = sample(&basin, place).filter(|b| *b >= 0.0) else { continue };
            all += 1;
            agree += usize::from(f64::from(b) == number(river, "basin"));
        }
    }
    assert!(all > 100 && agree * 100 > all * 97, "{agree} of {all}: the river's own basin, not its cell's");
}
