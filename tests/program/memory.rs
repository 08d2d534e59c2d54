//! `--max-memory`: what needs more is refused before any work, and what is said to fit does.

use crate::cli_support::Desk;

/// What follows a word of a message.
fn after<'a>(said: &'a str, word: &str) -> &'a str {
    said.split(word)
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next())
        .unwrap_or_else(|| panic!("{word} in {said}"))
}

#[test]
fn worlds_and_maps_that_would_not_fit() {
    let desk = Desk::with_globe();
    let said = desk.refused("generate -o w.terrane --cells 4096 --max-memory 4", 2);
    assert!(said.contains("--max-memory 4:") && said.contains("43.4 GB"), "{said}");
    let fits: u32 = after(&said, "--cells").parse().unwrap();
    assert!((1200..1300).contains(&fits), "{said}");
    let said = desk.refused(&format!("generate -o w.terrane --cells {} --max-memory 4", fits + 1), 2);
    assert_eq!(after(&said, "--cells"), fits.to_string(), "one more does not fit");
    desk.does("generate -o w.terrane --cells 24 --max-memory 0.06");
    let said = desk.refused("generate -o w.terrane --max-memory 0.01", 2);
    assert!(said.contains("the smallest, --cells 8, takes 0.06 GB"), "{said}");
    desk.does("generate -o w.terrane --cells 8 --max-memory 0.06");

    let said = desk.refused("map globe.terrane -o m.png --width 16384 --max-memory 0.5", 2);
    let fits = after(&said, "--width");
    assert!((5000..16384).contains(&fits.parse::<u32>().unwrap()), "{said}");
    let said = desk.refused("map globe.terrane -o m.pdf --paper a2 --max-memory 1", 2);
    assert!(said.contains("--dpi"), "{said}");
    let said = desk.refused("map globe.terrane -o m.png --width 64 --max-memory 0.1", 2);
    assert!(said.contains("no map of this world would fit"), "{said}");
    desk.does("map globe.terrane -o m.png --width 64 --max-memory 0.3");
    for line in ["generate -o w.terrane --cells 8", "map globe.terrane -o m.png"] {
        for wrong in ["0", "-1", "nan"] {
            assert!(
                desk.refused(&format!("{line} --max-memory {wrong}"), 2).contains("positive"),
                "{line} {wrong}"
            );
        }
    }
}

#[test]
fn both_names_are_one_option() {
    let desk = Desk::with_globe();
    let line = "region globe.terrane -o a.png --style height --at 0,0 --span 400 --resolution 20";
    let [old, new] =
        ["--memory 1", "--max-memory 1"].map(|limit| desk.refused(&format!("{line} {limit}"), 2));
    assert_eq!(old, new);
    desk.does("region globe.terrane -o dem.tif --at 10,-20 --span 300 --resolution 6000 --quiet");
    desk.does("hydro dem.tif -o water --max-memory 1 --quiet");
    let said = desk.refused("import dem.tif -o i.terrane --cells 4096 --max-memory 2", 2);
    assert!(said.contains("--cells"), "{said}");
}

/// GeoJSON takes many times its size while it is read.
#[test]
fn shapes_that_would_not_fit() {
    let desk = Desk::with_globe();
    let place = "[0.5,0.5],".repeat(3_000_000);
    desk.put(
        "area.geojson",
        format!(r#"{{"type":"Polygon","coordinates":[[{place}[9,0],[0,9],[0.5,0.5]]]}}"#),
    );
    desk.put("line.geojson", format!(r#"{{"type":"LineString","coordinates":[{place}[9,9]]}}"#));
    let region = "region globe.terrane -o a.tif --resolution 90000 --polygon area.geojson";
    let said = desk.refused(&format!("{region} --max-memory 0.5"), 2);
    assert!(said.contains("area.geojson takes about 0.7 GB; a file of 25.000 MB would fit"), "{said}");
    for option in ["--ridge-lines", "--rivers-to-keep"] {
        let line = format!("generate --cells 8 -o w.terrane {option} line.geojson --max-memory 0.5");
        let said = desk.refused(&line, 2);
        assert!(said.contains("takes about 0.7 GB"), "{said}");
    }
    desk.does(&format!("{region} --max-memory 1 --quiet"));
}

/// What was estimated is not less than what is taken.
#[cfg(target_os = "linux")]
#[test]
fn estimates_hold() {
    let desk = Desk::new();
    for cells in [64, 160] {
        let said = desk.refused(&format!("generate -o w.terrane --cells {cells} --max-memory 0.001"), 2);
        let estimate: f64 = after(&said, "takes about").parse().unwrap();
        let mut child = desk
            .command()
            .args(["generate", "-o", "w.terrane", "--quiet", "--cells", &cells.to_string()])
            .spawn()
            .unwrap();
        let (path, mut peak) = (format!("/proc/{}/status", child.id()), 0.0f64);
        while child.try_wait().unwrap().is_none() {
            let status = std::fs::read_to_string(&path).unwrap_or_default();
            let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
            let kib = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<f64>().ok());
            peak = peak.max(kib.unwrap_or(0.0) * 1024.0);
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        // the estimate is told rounded up to a tenth of a GB
        assert!(peak > 10e6 && peak < estimate * 1e9, "{cells} cells: {estimate} GB, took {peak}");
    }
}
