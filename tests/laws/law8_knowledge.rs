//! Law 8: knowledge points down. The manifests have no arrow that the design lacks, and the simulation does no
//! input or output, reads no clock, prints nothing and holds no global state.

use crate::support::sources::{SIMULATION, code_lines, files, root, without_comment};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toml::{Table, Value};

/// Who may know whom. The root package is the program and knows everything.
const ARROWS: &[(&str, &[&str])] = &[
    ("grid", &[]),
    ("hydro", &["grid"]),
    ("world", &["hydro", "grid"]),
    ("region", &["world", "hydro", "grid"]),
    ("store", &["grid"]),
    ("archive", &["store", "world", "grid"]),
    ("formats", &["grid"]),
    ("export", &["archive", "region", "formats", "world", "grid"]),
    ("serve", &["region", "formats", "grid"]),
    ("python", &["grid", "hydro", "world", "region", "store", "archive", "formats", "export", "serve"]),
];

fn manifest(folder: &Path) -> Table {
    let path = folder.join("Cargo.toml");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.parse().unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn tables<'a>(table: &'a Table, name: &str) -> impl Iterator<Item = &'a Table> {
    table.get(name).and_then(Value::as_table).into_iter()
}

/// What a package needs to be built, by name and by what stands there: for all targets and for single ones, by
/// its build script too; what only its tests need is left out.
fn dependencies(manifest: &Table) -> Vec<(String, Value)> {
    let targets = tables(manifest, "target").flat_map(|t| t.values()).filter_map(Value::as_table);
    let places = std::iter::once(manifest).chain(targets);
    let needed = places.flat_map(|p| ["dependencies", "build-dependencies"].map(|name| tables(p, name)));
    needed.flatten().flat_map(|t| t.iter().map(|(k, v)| (k.clone(), v.clone()))).collect()
}

/// Our crate that a dependency means, whatever it is called: by its package or by its path.
fn ours(name: &str, value: &Value, workspace: &Table) -> Option<String> {
    let inherited = value.get("workspace").and_then(Value::as_bool) == Some(true);
    let value = if inherited { workspace.get(name).unwrap_or(value) } else { value };
    let text = |key| value.get(key).and_then(Value::as_str);
    let package = text("package").unwrap_or(name);
    let by_package = package.strip_prefix("terrane-").map(str::to_string);
    let by_path = text("path").map(|p| p.rsplit('/').next().unwrap_or(p).to_string());
    by_package.or(by_path)
}

fn workspace() -> Table {
    let root = manifest(root());
    let workspace = tables(&root, "workspace").next().expect("the root is a workspace").clone();
    tables(&workspace, "dependencies").next().expect("versions stand in the workspace").clone()
}

/// Each crate with those of ours that it needs.
fn arrows() -> BTreeMap<String, BTreeSet<String>> {
    let workspace = workspace();
    let mut found = BTreeMap::new();
    for path in files(&root().join("crates"), "toml") {
        let folder = path.parent().expect("a file is in a folder");
        if !path.ends_with("Cargo.toml") || folder.parent() != Some(&root().join("crates")) {
            continue;
        }
        let name = folder.file_name().expect("a crate has a name").to_string_lossy().to_string();
        let needs = dependencies(&manifest(folder)).into_iter().filter_map(|(n, v)| ours(&n, &v, &workspace));
        found.insert(name, needs.collect());
    }
    found
}

#[test]
fn no_arrow_points_up() {
    let allowed: BTreeMap<&str, BTreeSet<&str>> =
        ARROWS.iter().map(|(name, to)| (*name, to.iter().copied().collect())).collect();
    let found = arrows();
    for (name, needs) in &found {
        let may = allowed.get(name.as_str()).unwrap_or_else(|| panic!("the design has no crate {name}"));
        for other in needs {
            assert!(may.contains(other.as_str()), "{name} must not know {other}");
        }
    }
    // the search does see arrows
    assert!(found.len() >= 7, "only {} crates were found", found.len());
    assert!(found["region"].contains("world") && found["region"].contains("grid"));
    assert!(found["hydro"].contains("grid") && found["grid"].is_empty());
}

/// Everything a crate's manifest says is also what its sources may name.
#[test]
fn sources_name_only_what_manifests_allow() {
    for (name, needs) in arrows() {
        for line in code_lines(&[name.as_str()]) {
            for (other, _) in ARROWS.iter().filter(|(other, _)| *other != name && !needs.contains(*other)) {
                let known = [format!("use {other}::"), format!("extern crate {other}")];
                assert!(known.iter().all(|k| !line.code.contains(k)), "{line}: {name} does not know {other}");
            }
        }
    }
}

/// Crates from elsewhere that open files, talk to the net, or know the time have no place in the simulation.
#[test]
fn simulation_depends_on_nothing_that_reaches_outside() {
    let known = [
        "arrayvec", // lists of bounded length, in place
        "bitflags",
        "libm",
        "multiversion", // asks what the processor can, and computes the same bits whatever that is
        "ndarray",
        "rand",
        "rand_xoshiro",
        "rayon",
        "serde",
        "thiserror",
        "toml",
        "grid",
        "hydro",
        "world",
    ];
    for name in SIMULATION {
        for (needed, _) in dependencies(&manifest(&root().join("crates").join(name))) {
            assert!(known.contains(&needed.as_str()), "{name} needs {needed}: does that reach outside?");
        }
    }
}

#[test]
fn simulation_does_no_input_or_output_and_holds_no_state() {
    let forbidden = [
        "std::fs",
        "std::net",
        "std::io",
        "std::env",
        "std::process",
        "std::time",
        "std::thread",
        "println!",
        "eprintln!",
        "print!",
        "eprint!",
        "dbg!",
        "static mut",
        "thread_local",
        "Mutex",
        "LazyLock",
        "lazy_static",
        "once_cell",
        "unsafe ",
    ];
    let mut lines = 0;
    for line in code_lines(SIMULATION) {
        for word in forbidden {
            assert!(!line.code.contains(word), "{line}: `{word}`");
        }
        assert!(!line.code.contains("RwLock") || line.path == SHELF, "{line}: `RwLock`");
        lines += 1;
    }
    assert!(lines > 1_500, "only {lines} lines were read");
}

/// The one place that fills as it is asked, from many threads: a value that requests hold, not a place that all share.
const SHELF: &str = "crates/region/src/drainage/shelf.rs";

/// The net, clocks and what changes from request to request belong to `serve::http`; pictures are functions.
#[test]
fn drawing_knows_no_net_and_no_clock() {
    let forbidden =
        ["tokio", "axum", "hyper", "moka", "std::net", "std::time", "Mutex", "RwLock", "Atomic", "http::"];
    let (mut drawing, mut serving) = (0, 0);
    for line in code_lines(&["serve"]) {
        if line.path.starts_with("crates/serve/src/http") {
            serving += 1;
            continue;
        }
        drawing += 1;
        for word in forbidden {
            assert!(!line.code.contains(word), "{line}: `{word}`");
        }
    }
    assert!(drawing > 500 && serving > 1_000, "{drawing} and {serving} lines were read");
}

/// Whether a line declares a `static`: the lifetime of that name is none.
fn declares_static(code: &str) -> bool {
    format!(" {code}").contains(" static ")
}

/// A `static` of the simulation is a table that never changes. A value may keep a `OnceLock` for what it works out
/// of itself when first asked, as a globe does with the angles of its lattice; a place that all share may not.
#[test]
fn statics_are_tables() {
    for line in code_lines(SIMULATION).filter(|line| declares_static(&line.code)) {
        for word in ["Atomic", "Cell<", "Lock", "Once"] {
            assert!(!line.code.contains(word), "{line}: state");
        }
    }
    assert!(declares_static("static A: u8 = 1;") && declares_static("    pub(super) static A: u8 = 1;"));
    assert!(!declares_static("const A: &'static str = \"\";"));
}

/// The program's sources are a folder of the root package, so that tests and benches at the top are its own.
#[test]
fn the_program_is_the_root_package() {
    let cli = root().join("crates/cli");
    let mut all = 0;
    for entry in walk(&cli) {
        assert!(entry.ends_with(".rs"), "{entry} does not belong among the program's sources");
        all += 1;
    }
    assert!(all > 0 && cli.join("main.rs").is_file());
    assert!(!root().join("src").exists(), "there is a src/ at the top");
    let bins = manifest(root());
    let bin = bins["bin"].as_array().and_then(|b| b[0].get("path")).and_then(Value::as_str);
    assert_eq!(bin, Some("crates/cli/main.rs"));
}

fn walk(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("readable").map(|e| e.expect("readable").path());
    entries.flat_map(|p| if p.is_dir() { walk(&p) } else { vec![p.display().to_string()] }).collect()
}

#[test]
fn comments_are_cut_and_texts_are_not() {
    assert_eq!(without_comment("let a = 1; // std::fs"), "let a = 1; ");
    assert_eq!(without_comment(r#"let a = "http://x"; // y"#), r#"let a = "http://x"; "#);
    assert_eq!(without_comment(r#"let a = '"'; // y"#), r#"let a = '"'; "#);
    assert_eq!(without_comment(r#"let a = "\"//"; b"#), r#"let a = "\"//"; b"#);
    assert_eq!(without_comment("/// docs"), "");
}
