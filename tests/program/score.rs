//! The built program: worlds beside Earth, as a table and for machines.

use crate::cli_support::Desk;
use serde_json::Value;

fn scored(desk: &Desk, line: &str) -> Value {
    serde_json::from_str(&desk.does(line)).unwrap()
}

fn figures(value: &Value) -> &Vec<Value> {
    value["figures"].as_array().unwrap()
}

fn figure<'a>(value: &'a Value, name: &str) -> &'a Value {
    figures(value).iter().find(|f| f["name"] == name).unwrap_or_else(|| panic!("{name} in {value}"))
}

#[test]
fn every_figure_of_earth_is_there_with_its_verdict() {
    let desk = Desk::with_globe();
    let score = scored(&desk, "score globe.terrane --json");
    assert_eq!((score["seed"].as_u64(), score["cells"].as_u64()), (Some(42), Some(32)));
    assert_eq!((score["topology"].as_str(), score["world"].as_str()), (Some("globe"), Some("globe.terrane")));
    let (mut passed, mut counted) = (0, 0);
    for f in figures(&score) {
        let (value, pass) = (f["value"].as_f64(), f["pass"].as_bool());
        let band = [f["band"][0].as_f64().unwrap(), f["band"][1].as_f64().unwrap()];
        let earth = f["earth"].as_f64().unwrap();
        assert!(band[0] <= earth && earth <= band[1], "{f}");
        assert!(
            !f["source"].as_str().unwrap().is_empty() && !f["section"].as_str().unwrap().is_empty(),
            "{f}"
        );
        match value {
            Some(v) => assert_eq!(pass, Some(v >= band[0] && v <= band[1]), "{f}"),
            None => assert!(pass != Some(true) && f["note"].is_string(), "{f}"),
        }
        passed += u64::from(pass == Some(true));
        counted += u64::from(pass.is_some());
    }
    assert_eq!((score["passed"].as_u64(), score["counted"].as_u64()), (Some(passed), Some(counted)));
    assert!(figures(&score).len() >= 33 && passed > 8, "{passed} of {counted}");
    // 32 cells along a side have less than two cells to a wave of degree 100
    assert!(figure(&score, "spectrum_l10_100")["pass"].is_null());
    assert!(figure(&score, "drainage_density_km_per_km2")["pass"].is_null());
}

/// The recipe's share of land is exact, and the greatest river is that of `rivers`.
#[test]
fn figures_agree_with_what_else_is_known() {
    let desk = Desk::with_globe();
    let score = scored(&desk, "score globe.terrane --json");
    let recipe: toml::Table = desk.does("recipe earthlike").parse().unwrap();
    let land = recipe["continents"]["land_fraction"].as_float().unwrap();
    assert!((figure(&score, "land_fraction")["value"].as_f64().unwrap() - land).abs() < 0.01);
    let rivers: Value = serde_json::from_str(&desk.does("rivers globe.terrane --top 1 --json")).unwrap();
    let most = rivers[0]["discharge_m3_s"].as_f64().unwrap();
    assert_eq!(figure(&score, "largest_discharge_m3_s")["value"].as_f64(), Some(most));
    let longest = figure(&score, "longest_km")["value"].as_f64().unwrap();
    assert!(longest >= rivers[0]["length_km"].as_f64().unwrap());
}

#[test]
fn the_table_says_the_same() {
    let desk = Desk::with_globe();
    let score = scored(&desk, "score globe.terrane --json");
    let text = desk.does("score globe.terrane");
    for f in figures(&score) {
        let name = f["name"].as_str().unwrap();
        let row = text.lines().find(|l| l.split_whitespace().next() == Some(name)).unwrap();
        let verdict = match f["pass"].as_bool() {
            Some(true) => "pass",
            Some(false) => "FAIL",
            None => "not measured",
        };
        assert!(row.contains(verdict), "{row}: {verdict}");
    }
    let sum = format!("{} of {} figures within Earth's band", score["passed"], score["counted"]);
    assert!(text.contains(&sum), "{sum} in\n{text}");
    let ridges = format!("ridge lines: {}, ", score["ridges"]["lines"]);
    assert!(text.contains(&ridges) && text.contains("junctions: "), "{ridges} in\n{text}");
}

#[test]
fn several_worlds_have_medians() {
    let desk = Desk::new();
    for seed in [1, 2, 3] {
        desk.does(&format!("generate -o {seed}.terrane --seed {seed} --cells 16 --quiet"));
    }
    let all = scored(&desk, "score 1.terrane 2.terrane 3.terrane --json");
    let worlds = all["worlds"].as_array().unwrap();
    assert_eq!(worlds.iter().map(|w| w["seed"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2, 3]);
    for name in ["land_mean_m", "rain_land_mean_mm"] {
        let mut values: Vec<f64> =
            worlds.iter().map(|w| figure(w, name)["value"].as_f64().unwrap()).collect();
        values.sort_by(f64::total_cmp);
        assert_eq!(figure(&all["median"], name)["value"].as_f64(), Some(values[1]), "{name}");
    }
    let text = desk.does("score 1.terrane 2.terrane 3.terrane");
    assert!(text.contains("median of 3 worlds"), "{text}");
    assert_eq!(text.matches(" figures within Earth's band").count(), 4);
}

#[test]
fn a_flat_map_is_no_planet() {
    let desk = Desk::with_isle();
    let score = scored(&desk, "score isle.terrane --json");
    assert_eq!(score["topology"], "flat");
    for name in ["land_fraction", "ocean_mean_m", "mode_land_m", "spectrum_l10_100", "koeppen_A"] {
        let f = figure(&score, name);
        assert!(f["pass"].is_null() && f["value"].is_null() && f["note"].is_string(), "{f}");
    }
    assert!(figure(&score, "rain_land_mean_mm")["pass"].is_boolean());
}

#[test]
fn what_is_no_world_is_refused() {
    let desk = Desk::with_globe();
    desk.put("text.terrane", "not a world at all, but long enough to hold a magic number");
    for line in ["score nowhere.terrane", "score text.terrane", "score globe.terrane text.terrane"] {
        desk.refused(line, 1);
    }
    desk.refused("score", 2);
}

/// Windows of 46 km are far smaller than the cells of the small globe, so that some country always is wide enough.
#[test]
fn regions_are_windows_beside_earth() {
    let desk = Desk::with_globe();
    let score =
        scored(&desk, "score globe.terrane --regions --method classic --windows 2 --resolution 360 --json");
    assert_eq!(score["world"], "globe.terrane");
    let windows = score["windows"].as_array().unwrap();
    let of = |country: &str| windows.iter().filter(|w| w["country"] == country).collect::<Vec<_>>();
    assert_eq!([of("range").len(), of("hills").len(), of("plain").len()], [2; 3]);
    assert_eq!(figures(&score).len(), 14);
    let (mut passed, mut counted) = (0, 0);
    for f in figures(&score) {
        let name = f["name"].as_str().unwrap();
        let judged = if f["section"] == "mountains" { of("range") } else { windows.iter().collect() };
        let mut values: Vec<f64> = judged.iter().filter_map(|w| w["figures"][name].as_f64()).collect();
        values.sort_by(f64::total_cmp);
        let n = values.len();
        let median = (n > 0).then(|| 0.5 * (values[(n - 1) / 2] + values[n / 2]));
        assert!(median.is_none() == f["value"].is_null(), "{f}");
        // numbers read from text may be off by a last digit
        assert!(
            median.is_none_or(|m| (f["value"].as_f64().unwrap() - m).abs() <= 1e-14 * m),
            "{f} {median:?}"
        );
        let within =
            median.map(|v| f["band"][0].as_f64().unwrap() <= v && v <= f["band"][1].as_f64().unwrap());
        assert_eq!(f["pass"].as_bool().unwrap(), within == Some(true), "{f}");
        passed += u64::from(within == Some(true));
        counted += 1;
    }
    assert_eq!((score["passed"].as_u64(), score["counted"].as_u64()), (Some(passed), Some(counted)));
    for set in ["gradients", "valleys", "channels"] {
        for measure in ["a2", "a4", "a8"] {
            assert!((0.0..=1.0).contains(&score["grain"][set][measure].as_f64().unwrap()), "{set} {measure}");
        }
    }
    let text = desk.does("score globe.terrane --regions --method classic --windows 2 --resolution 360");
    assert!(text.contains(&format!("{passed} of {counted} figures within Earth's band")), "{text}");
    assert!(text.contains("2 range, 2 hills, 2 plain") && text.contains("valleys, all"), "{text}");
}

/// The samples of a window are those of `region`: its highest less its lowest, and its mean between them.
#[test]
fn a_window_is_a_region() {
    let desk = Desk::with_globe();
    let score =
        scored(&desk, "score globe.terrane --regions --method classic --windows 1 --resolution 360 --json");
    let window = &score["windows"][0];
    let [x, y] = [0, 1].map(|k| window["middle"][k].as_f64().unwrap());
    desk.does(&format!(
        "region globe.terrane -o r.r32 --at={x},{y} --span 47 --resolution 360 --method classic --quiet"
    ));
    let bytes = desk.bytes("r.r32");
    let all: Vec<f64> =
        bytes.chunks_exact(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap()))).collect();
    let side = (all.len() as f64).sqrt() as usize;
    assert!(side * side == all.len() && side >= 130, "{side}");
    let integral = window["figures"]["hypsometric_integral"].as_f64().unwrap();
    // the window lies somewhere in the slightly larger region
    let found = (0..=side - 128).flat_map(|r| (0..=side - 128).map(move |c| (r, c))).any(|(r, c)| {
        let rows = (r..r + 128).flat_map(|row| &all[row * side + c..][..128]);
        let (low, high, sum) =
            rows.fold((f64::MAX, f64::MIN, 0.0), |(l, h, s), &z| (l.min(z), h.max(z), s + z));
        let mean = sum / (128.0 * 128.0);
        ((mean - low) / (high - low) - integral).abs() < 1e-9
    });
    assert!(found, "{integral}");
}

#[test]
fn windows_of_several_worlds_are_judged_together() {
    let desk = Desk::new();
    for seed in [1, 2] {
        desk.does(&format!("generate -o {seed}.terrane --seed {seed} --cells 16 --quiet"));
    }
    let all = scored(
        &desk,
        "score 1.terrane 2.terrane --regions --method classic --windows 1 --resolution 360 --json",
    );
    let mut densities: Vec<f64> = all["worlds"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|w| w["windows"].as_array().unwrap())
        .map(|w| w["figures"]["drainage_density_km_per_km2"].as_f64().unwrap())
        .collect();
    densities.sort_by(f64::total_cmp);
    let n = densities.len();
    assert!(n >= 4);
    let median = 0.5 * (densities[(n - 1) / 2] + densities[n / 2]);
    let told = figure(&all["median"], "drainage_density_km_per_km2")["value"].as_f64().unwrap();
    assert!((told - median).abs() < 1e-14, "{told} {median}");
    let text = desk.does("score 1.terrane 2.terrane --regions --method classic --windows 1 --resolution 360");
    assert!(text.contains("all windows of 2 worlds"), "{text}");
}

#[test]
fn wrong_questions_about_regions_are_refused() {
    let desk = Desk::with_globe();
    for line in ["--regions --resolution 5", "--regions --resolution nan", "--regions --windows 0"] {
        desk.refused(&format!("score globe.terrane {line}"), 2);
    }
    for line in ["--resolution 90", "--windows 2", "--method classic", "--regions --method none"] {
        desk.refused(&format!("score globe.terrane {line}"), 2);
    }
}
