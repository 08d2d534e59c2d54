//! The built program: the layers that are made from other layers, held against slow and obvious ways to make them.

use crate::cli_support::Desk;

/// Layers of an `.r32` file by name, with columns and rows.
struct Layers {
    width: usize,
    height: usize,
    names: Vec<String>,
    values: Vec<f32>,
}

impl Layers {
    fn of(desk: &Desk, world: &str, place: &str, layers: &str) -> Self {
        desk.does(&format!("region {world} -o layers.r32 {place} --layers {layers}"));
        let about = desk.json("layers.r32.json");
        let side = |name: &str| about[name].as_u64().unwrap() as usize;
        let bands = about["bands"].as_array().unwrap();
        let names = bands.iter().map(|b| b["name"].as_str().unwrap().to_string()).collect();
        Self { width: side("width"), height: side("height"), names, values: desk.raw("layers.r32") }
    }

    fn get(&self, name: &str) -> &[f32] {
        let k = self.names.iter().position(|n| n == name).unwrap_or_else(|| panic!("{name}"));
        let samples = self.width * self.height;
        &self.values[k * samples..(k + 1) * samples]
    }
}

/// ESRI's code of the steepest way down, on a flat lattice of squares, over some samples.
fn steepest((z, on): (&[f32], &dyn Fn(usize) -> bool), width: usize, at: usize) -> f32 {
    let here = f64::from(z[at]);
    let mut best = (0.0, 0.0);
    for (code, dx, dy) in [
        (64.0, 0i64, -1i64),
        (128.0, 1, -1),
        (1.0, 1, 0),
        (2.0, 1, 1),
        (4.0, 0, 1),
        (8.0, -1, 1),
        (16.0, -1, 0),
        (32.0, -1, -1),
    ] {
        let other = (at as i64 + dy * width as i64 + dx) as usize;
        if !on(other) {
            continue;
        }
        let there = z[other];
        let slope = (here - f64::from(there)) / ((dx * dx + dy * dy) as f64).sqrt();
        if slope > best.0 * (1.0 + 1e-12) {
            best = (slope, code);
        }
    }
    best.1
}

#[test]
fn flow_goes_down_the_steepest_way() {
    let desk = Desk::with_isle();
    let place = "--bbox 300000,200000,700000,600000 --resolution 4000";
    let both = Layers::of(&desk, "isle.terrane", place, "water_surface,water_depth,discharge,flow_direction");
    let (z, direction) = (both.get("water_surface"), both.get("flow_direction"));
    let (depth, discharge) = (both.get("water_depth"), both.get("discharge"));
    let (mut codes, mut none) = ([0; 8], 0);
    for row in 1..both.height - 1 {
        for column in 1..both.width - 1 {
            let at = row * both.width + column;
            let over = |on: &dyn Fn(usize) -> bool| steepest((z, on), both.width, at);
            let (anywhere, in_water) = (over(&|_| true), over(&|other| depth[other] > 0.0));
            let expected = match (discharge[at] > 0.0, depth[at] > 0.0) {
                (true, _) if in_water > 0.0 => in_water, // rivers keep to water
                (false, true) => 0.0,                    // lakes and the sea stand
                _ => anywhere,
            };
            assert_eq!(direction[at], expected, "row {row}, column {column}");
            match direction[at] as u32 {
                0 => none += 1,
                code => codes[code.trailing_zeros() as usize] += 1,
            }
        }
    }
    assert!(codes.iter().all(|&n| n > 50), "{codes:?}");
    assert!(none > 10, "pits, lakes and sea have none");
}

/// A sample at the border of a window sees beyond it; the layer alone is that beside others.
#[test]
fn flow_does_not_depend_on_the_window() {
    let desk = Desk::with_globe();
    for (whole, part) in [
        ("--at 20,10 --span 2000,1500", "--at 20.1,9.9 --span 400"),
        ("--bbox 150,60,-150,90", "--bbox 175,80,-170,90"),
        ("--bbox 40,30,50,40", "--bbox 44,33,47,37"),
    ] {
        desk.does(&format!(
            "region globe.terrane -o a.tif {whole} --resolution 25000 --layers flow_direction"
        ));
        let layers = "flow_direction,land_cover,elevation";
        desk.does(&format!(
            "region globe.terrane -o b.tif {part} --resolution 25000 --layers flow_direction"
        ));
        desk.does(&format!("region globe.terrane -o c.r32 {part} --resolution 25000 --layers {layers}"));
        let (a, b, c) = (desk.geotiff("a.tif"), desk.geotiff("b.tif"), desk.raw("c.r32"));
        assert_eq!(b.assert_same_overlap(&a), b.values.len());
        let n = b.values.len();
        assert_eq!(c[n..2 * n], b.values, "{part}");
    }
}

#[test]
fn basins_are_those_of_the_rivers() {
    let desk = Desk::with_globe();
    let rows: serde_json::Value =
        serde_json::from_str(&desk.does("rivers globe.terrane --basins --top 100000 --json")).unwrap();
    let rows = rows.as_array().unwrap();
    let place = "--bbox=-180,-90,180,90 --resolution 60000";
    let both = Layers::of(&desk, "globe.terrane", place, "basin,elevation,water_surface,water_depth");
    let (basin, surface, depth) = (both.get("basin"), both.get("water_surface"), both.get("water_depth"));
    let step_deg = 60_000.0 / (std::f64::consts::PI * 6_371_000.0 / 180.0);
    let north = (90.0 / step_deg).floor();
    let mut areas = vec![0.0; rows.len()];
    for (i, &number) in basin.iter().enumerate() {
        assert!(number == -1.0 || (number >= 0.0 && number.fract() == 0.0), "{number}");
        if depth[i] > 0.0 && surface[i] == 0.0 {
            assert_eq!(number, -1.0, "the sea is in no basin");
        } else if number >= 0.0 {
            let lat = (north - (i / both.width) as f64) * step_deg;
            areas[number as usize] += 3600.0 * grid::math::cos(lat.to_radians());
        }
    }
    // areas on the map are those of the table: coasts wind, and divides do not follow cells, of which even the largest
    // basins here have a dozen
    let table = |name: &str| -> Vec<f64> { rows.iter().map(|r| r[name].as_f64().unwrap()).collect() };
    let (numbers, expected) = (table("basin"), table("area_km2"));
    let (mut large, mut all_found, mut all_known) = (0, 0.0, 0.0);
    for (number, area) in numbers.iter().zip(&expected).filter(|(_, area)| **area > 1e6) {
        let found = areas[*number as usize];
        assert!((found / area - 1.0).abs() < 0.35, "basin {number}: {found} km2, {area} in the table");
        (all_found, all_known) = (all_found + found, all_known + area);
        large += 1;
    }
    assert!(large >= 5, "{large}");
    assert!((all_found / all_known - 1.0).abs() < 0.1, "{all_found} km2, {all_known} in the table");
}

#[test]
fn land_cover_is_none_at_sea_and_colder_higher_up() {
    let desk = Desk::with_globe();
    let place = "--bbox=-180,-90,180,90 --resolution 60000";
    let layers = "land_cover,elevation,water_surface,water_depth,temperature";
    let all = Layers::of(&desk, "globe.terrane", place, layers);
    let (cover, surface, depth) = (all.get("land_cover"), all.get("water_surface"), all.get("water_depth"));
    let mut classes = [0; 31];
    let (mut polar_c, mut tropical_c): (Vec<f32>, Vec<f32>) = (Vec::new(), Vec::new());
    for i in 0..cover.len() {
        let sea = depth[i] > 0.0 && surface[i] == 0.0;
        assert_eq!(cover[i] == 0.0, sea, "sample {i}");
        assert!(cover[i].fract() == 0.0 && (0.0..=30.0).contains(&cover[i]));
        classes[cover[i] as usize] += 1;
        match cover[i] as u32 {
            1..=3 => tropical_c.push(all.get("temperature")[i]),
            29..=30 => polar_c.push(all.get("temperature")[i]),
            _ => {}
        }
    }
    assert!(classes.iter().filter(|&&n| n > 0).count() > 12, "{classes:?}");
    let mean = |v: &[f32]| v.iter().sum::<f32>() / v.len() as f32;
    assert!(mean(&tropical_c) > 18.0 && mean(&polar_c) < 3.0);
}

/// The middle of the highest ridge, its places in degrees, and its greatest height.
fn highest_ridge(desk: &Desk) -> (Vec<[f64; 2]>, f64) {
    desk.does("region globe.terrane -o r.geojson --bbox 20,-20,40,0 --resolution 12000 --layers ridges");
    let ridges = desk.json("r.geojson")["features"].as_array().unwrap().clone();
    let height = |f: &serde_json::Value| f["properties"]["height_max_m"].as_f64().unwrap();
    let ridge = ridges.iter().max_by(|a, b| height(a).total_cmp(&height(b))).unwrap();
    let places = ridge["geometry"]["coordinates"].as_array().unwrap().iter();
    (places.map(|p| [p[0].as_f64().unwrap(), p[1].as_f64().unwrap()]).collect(), height(ridge))
}

#[test]
fn single_features_are_parts_of_mountains_and_lie_where_their_lines_do() {
    let desk = Desk::with_globe();
    let (ridge, height) = highest_ridge(&desk);
    let [lon, lat] = ridge[ridge.len() / 2];
    let sides = [lon - 1.0, lat - 1.0, lon + 1.0, lat + 1.0].map(|v| v.to_string()).join(",");
    let place = format!("--bbox={sides} --resolution 500");
    desk.does(&format!("region globe.terrane -o ridges.tif {place} --layers ridges"));
    let all = Layers::of(&desk, "globe.terrane", &place, "mountains,ridges,peaks,buttresses");
    let grid = desk.geotiff("ridges.tif");
    assert_eq!(grid.values, all.get("ridges"));
    for name in ["mountains", "ridges", "peaks", "buttresses"] {
        let values = all.get(name);
        assert!(values.iter().all(|&v| v >= 0.0), "{name}");
        assert!(values.iter().any(|&v| v > 0.2 * height as f32), "{name}");
        assert!(name == "mountains" || values.contains(&0.0), "{name} do not cover everything");
    }
    let high = |name: &str| f64::from(all.get(name).iter().copied().fold(0.0, f32::max));
    assert!(high("ridges") <= 1.001 * height && high("buttresses") < high("ridges"), "buttresses are lower");
    // along the line the layer stands as high as the ridge: the highest sample near its highest place
    let near: Vec<f32> = ridge
        .iter()
        .filter_map(|&[x, y]| {
            let (column, row) = ((x - grid.west) / grid.step, (grid.north - y) / grid.step);
            let inside =
                column >= 0.0 && row >= 0.0 && column < grid.width as f64 && row < grid.height as f64;
            inside.then(|| grid.values[row as usize * grid.width + column as usize])
        })
        .collect();
    assert!(near.len() > 3 && near.iter().all(|&h| h > 0.4 * height as f32), "{near:?} of {height}");
}

#[test]
fn texture_can_be_left_out() {
    let desk = Desk::with_globe();
    let place = "--bbox 0,-30,40,30 --resolution 20000 --method classic";
    let rough = Layers::of(&desk, "globe.terrane", place, "elevation,mountains");
    let smooth = Layers::of(&desk, "globe.terrane", &format!("{place} --no-texture"), "elevation,mountains");
    let bends = |layers: &Layers| -> f64 {
        let rows = layers.get("elevation").chunks_exact(layers.width);
        rows.flat_map(|row| row.windows(3)).map(|w| f64::from(w[0] - 2.0 * w[1] + w[2]).abs()).sum()
    };
    assert!(bends(&smooth) < 0.8 * bends(&rough), "{} {}", bends(&smooth), bends(&rough));
    let land = |layers: &Layers| layers.get("elevation").iter().map(|z| *z > 0.0).collect::<Vec<_>>();
    assert_eq!(land(&smooth), land(&rough), "coasts are shape");
}

#[test]
fn methods_are_two() {
    let desk = Desk::with_globe();
    for method in ["classic", "drainage"] {
        desk.does(&format!(
            "region globe.terrane -o {method}.tif --at 9,9 --span 90 --resolution 9000 --method {method}"
        ));
    }
    assert!(
        desk.refused("region globe.terrane -o out.tif --at 9,9 --span 9 --resolution 900 --method x", 2)
            .contains("drainage")
    );
}
