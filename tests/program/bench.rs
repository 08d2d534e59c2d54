//! The built program measures itself.

use crate::cli_support::Desk;
use std::process::Stdio;
use std::time::Duration;

#[test]
#[ignore = "slow"]
fn a_quick_look_at_a_small_planet() {
    let desk = Desk::new();
    let found: serde_json::Value =
        serde_json::from_str(&desk.does("bench --quick --json --cells 32 --quiet --places Coast,range"))
            .expect("JSON");
    assert_eq!(found["passed"], true);
    assert_eq!(found["world"]["cells"], 32);
    let rows = found["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2 * 3, "two places at three levels");
    for row in rows {
        let name = format!("{} {}", row["place"], row["level"]);
        let number =
            |group: &str, of: &str| row[group][of].as_f64().unwrap_or_else(|| panic!("{name}: {group}.{of}"));
        assert_eq!(number("seam", "unequal"), 0.0, "{name}");
        assert!(number("seam", "compared") > 100_000.0, "{name}: six layers of the overlap");
        assert_eq!(number("beds", "rising"), 0.0, "{name}");
        assert!(number("across_levels", "samples") > 15_000.0, "{name}");
        assert!(number("tile", "cold_ms") > 0.0 && number("window", "warm_ns_per_sample") > 0.0, "{name}");
        assert!(row["bytes_read"].as_u64() > Some(10_000), "{name}");
        assert!(!cfg!(target_os = "linux") || row["peak_bytes"].as_u64() > Some(10 << 20), "{name}: {row}");
    }
    assert!(rows.iter().any(|row| row["beds"]["steps"].as_u64() > Some(100)), "there are rivers");
    assert!(rows.iter().any(|row| row["features"].as_u64() > Some(100)), "there are ridges");
    assert_eq!(found["thread_scaling"][0]["threads"], 1);
    assert!(desk.inventory().is_empty(), "it works elsewhere");
}

/// Who is killed leaves a folder with a world; who measures next removes it.
#[cfg(unix)]
#[test]
fn no_worlds_gather_in_the_temporary_folder() {
    let desk = Desk::new();
    assert!(desk.refused("bench --cells 15", 2).contains("from 16"));
    assert!(desk.refused("bench --levels 1", 2).contains("from 2 to 14"));
    assert!(desk.refused("bench --places sea", 2).contains("range"));
    let names = || desk.inventory().into_keys().collect::<Vec<_>>();
    let killed = || {
        let mut command = desk.command();
        command.args(["bench", "--quick", "--cells", "16", "--quiet"]).env("TMPDIR", desk.path(""));
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        // it makes its folder at once, and measures for seconds
        std::thread::sleep(Duration::from_millis(500));
        child.kill().unwrap();
        child.wait().unwrap();
    };
    killed();
    let first = names();
    assert_eq!(first.len(), 1, "{first:?}");
    killed();
    let second = names();
    assert!(second.len() == 1 && second != first, "{first:?} {second:?}");
}
