//! `terrane serve` as it is run: it says where it is, answers, and ends when it is told to.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "a test tells how long an end took")]

use crate::browser::get;
use crate::cli_support::Desk;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that runs; it ends with this.
pub struct Serving {
    process: Child,
    /// Where it listens.
    pub port: u16,
}

impl Serving {
    /// Serves a world of a desk at any free port.
    pub fn start(desk: &Desk, world: &str) -> Self {
        let mut command = desk.command();
        command.args(["serve", world, "--port", "0", "--quiet"]).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the program starts");
        let mut line = String::new();
        let out = process.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut line).expect("it says where it listens");
        let port = line.trim().strip_prefix("http://127.0.0.1:").and_then(|l| l.strip_suffix('/'));
        let port = port.and_then(|p| p.parse().ok()).unwrap_or_else(|| panic!("{line:?}"));
        Self { process, port }
    }

    fn json(&self, path: &str) -> Value {
        let (head, body) = get(self.port, path);
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head} {body}");
        serde_json::from_str(&body).unwrap_or_else(|e| panic!("{path}: {e}: {body}"))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_world_is_told_of() {
    let desk = Desk::with_globe();
    let serving = Serving::start(&desk, "globe.terrane");
    let world = serving.json("/api/world");
    assert_eq!(world["surface"]["kind"], "globe");
    assert_eq!(world["digest"].as_str().map(str::len), Some(64), "{world}");
    let sights = serving.json("/api/sights");
    assert!(sights.as_array().is_some_and(|s| s.len() >= 4), "{sights}");
    let [lon, lat] = [0, 1].map(|k| sights[1]["place"][k].as_f64().expect("a number"));
    let place = serving.json(&format!("/api/place?lon={lon}&lat={lat}"));
    // the source of the longest river: its water runs down to where it ends
    assert_eq!(place["climate"]["rain_mm"].as_array().map(Vec::len), Some(12), "{place}");
    let profile = place["way"]["profile"].as_array().expect("it has a way");
    let levels: Vec<f64> = profile.iter().filter_map(|s| s["level_m"].as_f64()).collect();
    assert!(levels.len() > 3 && levels.windows(2).all(|w| w[0] >= w[1]), "{levels:?}");
    let rings = place["basin"]["polygons"].as_array().expect("it has a basin");
    assert!(!rings.is_empty() && place["basin"]["area_km2"].as_f64() > Some(0.0), "{place}");
    assert!(place["elevation_m"].as_f64().is_some_and(|z| z > -12_000.0 && z < 12_000.0));
}

/// A click tells of the sample that is drawn there: what is there, its heights, its climate, the river over it.
#[test]
fn a_place_is_told_of_as_it_is_drawn() {
    let desk = Desk::with_globe();
    let serving = Serving::start(&desk, "globe.terrane");
    let layers = ["elevation", "water_surface", "water_depth", "discharge", "temperature", "base"];
    let (mut kinds, mut colder) = (std::collections::BTreeSet::new(), 0);
    for k in 0..24 {
        let (lon, lat) =
            (-171.3 + 14.7 * f64::from(k), -56.2 + 5.1 * f64::from(k % 12) + 30.0 * f64::from(k / 12));
        let place = format!("--at={lon:.4},{lat:.4} --size 3 --resolution 30");
        desk.does(&format!("region globe.terrane -o s.r32 {place} --layers {}", layers.join(",")));
        let (bytes, about) = (desk.bytes("s.r32"), desk.json("s.r32.json"));
        let bands = about["bands"].as_array().expect("they are told");
        let value = |name: &str, i: usize| {
            let band = bands.iter().position(|b| b["name"] == name).expect("it was asked for");
            let at = 4 * (9 * band + i);
            f32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
        };
        let told = serving.json(&format!("/api/place?lon={lon:.4}&lat={lat:.4}"));
        let number = |of: &Value| of.as_f64().expect("a number") as f32;
        let is_it = |i: &usize| value("elevation", *i) == number(&told["elevation_m"]);
        let i = (0..9).find(is_it).unwrap_or_else(|| panic!("{lon} {lat}: no sample is so high: {told}"));
        assert_eq!(value("base", i), number(&told["base_m"]));
        assert_eq!(value("temperature", i), number(&told["climate"]["mean_c"]));
        let still = value("water_depth", i) > 0.0 && value("discharge", i) == 0.0;
        let kind = told["kind"].as_str().expect("a text").to_string();
        assert_eq!(kind != "land", still, "{told}");
        assert_eq!(told["river_here"].is_null(), value("discharge", i) == 0.0, "{told}");
        // months move with the place: their mean stays that of the year
        let months = told["climate"]["temperature_c"].as_array().expect("twelve");
        let mean = months.iter().map(number).sum::<f32>() / 12.0;
        assert!((mean - value("temperature", i)).abs() < 0.1, "{mean}: {told}");
        colder += usize::from((number(&told["cell"]["temperature_c"]) - mean).abs() > 1.0);
        kinds.insert(kind);
    }
    assert!(kinds.contains("land") && kinds.contains("sea") && colder > 0, "{kinds:?} {colder}");
}

/// Names are written along main stems; a tributary does not bear the name of the river that it comes to.
#[test]
fn rivers_are_named_along_their_main_stems() {
    let desk = Desk::with_globe();
    desk.does("rivers globe.terrane -o r.geojson --quiet");
    let rivers: Value = serde_json::from_slice(&desk.bytes("r.geojson")).expect("GeoJSON");
    let rivers = rivers["features"].as_array().expect("features");
    let discharge = |f: &&Value| f["properties"]["discharge_m3_s"].as_f64().unwrap_or(0.0);
    let greatest =
        rivers.iter().max_by(|a, b| discharge(a).total_cmp(&discharge(b))).expect("there are rivers");
    let name = greatest["properties"]["river"].as_str().filter(|n| !n.is_empty()).expect("it has a name");
    let of_it = |f: &&Value| f["properties"]["river"] == name && f["properties"]["order"].as_u64() == Some(1);
    let brook = rivers.iter().find(of_it).expect("brooks run to it");
    let serving = Serving::start(&desk, "globe.terrane");
    let holds = |place: &Value, zoom: u32| {
        let [lon, lat] = [0, 1].map(|k| place[k].as_f64().expect("degrees").to_radians());
        let around = std::f64::consts::TAU;
        let share = [0.5 + lon / around, 0.5 - lat.tan().asinh() / around];
        let [x, y] = share.map(|s| (s * f64::from(1 << zoom)) as u32);
        let (head, body) = get(serving.port, &format!("/tiles/water/{zoom}/{x}/{y}.mvt"));
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        body.contains(name)
    };
    let places = |f: &Value| f["geometry"]["coordinates"].as_array().expect("a line").clone();
    assert!(places(greatest).iter().any(|place| holds(place, 7)), "{name} is not written along its course");
    assert!(!holds(&places(brook)[0], 9), "a brook is called {name}");
}

#[test]
fn a_flat_map_is_shown_too() {
    let desk = Desk::with_isle();
    let serving = Serving::start(&desk, "isle.terrane");
    assert_eq!(serving.json("/api/world")["surface"]["kind"], "flat");
    let place = serving.json("/api/place?lon=600000&lat=450000");
    assert!(place["elevation_m"].as_f64().is_some(), "{place}");
    assert!(get(serving.port, "/tiles/relief/6/32/31.png").0.starts_with("HTTP/1.1 200"));
    assert!(get(serving.port, "/polar/north/relief.png").0.starts_with("HTTP/1.1 404"));
    let (head, body) = get(serving.port, "/api/place?lon=-5000&lat=0");
    assert!(head.starts_with("HTTP/1.1 400") && body.contains("outside"), "{head} {body}");
}

#[test]
#[cfg(unix)]
fn it_ends_when_it_is_told_to() {
    let desk = Desk::with_globe();
    for signal in ["-INT", "-TERM"] {
        let mut serving = Serving::start(&desk, "globe.terrane");
        serving.json("/api/world");
        let start = Instant::now();
        let sent = Command::new("kill").args([signal, &serving.process.id().to_string()]).status();
        assert!(sent.expect("kill is there").success());
        let status = serving.process.wait().expect("it ends");
        assert!(status.success(), "{signal}: {status}");
        assert!(start.elapsed() < Duration::from_secs(10), "{signal}: {:?}", start.elapsed());
    }
}

#[test]
fn a_port_that_is_taken_is_said_to_be() {
    let desk = Desk::with_globe();
    let serving = Serving::start(&desk, "globe.terrane");
    let mut second = desk.command();
    let second = second.args(["serve", "globe.terrane", "--port", &serving.port.to_string()]).output();
    let second = second.expect("the program runs");
    let said = String::from_utf8_lossy(&second.stderr);
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(said.contains("--port 0") && said.contains(&serving.port.to_string()), "{said}");
    assert!(!said.contains("ended"), "it never began: {said}");
}
