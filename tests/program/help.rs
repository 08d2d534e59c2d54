//! The built program explains itself, and its examples work.

use crate::cli_support::Desk;
use crate::given;

/// Commands whose examples need nothing but a world.
const COMMANDS: [&str; 9] =
    ["demo", "generate", "info", "map", "region", "rivers", "score", "recipe", "completions"];
/// The others: their examples need rasters, or do not end.
const MORE: [&str; 4] = ["bench", "hydro", "import", "serve"];

/// The command lines that a help text shows, with continued lines joined, without comments and pipes.
fn examples(help: &str) -> Vec<String> {
    let joined = help.replace("\\\n", " ");
    let lines = joined.lines().filter(|line| line.starts_with("  terrane "));
    lines.map(|line| line.split(['#', '>', '|']).next().unwrap_or_default().trim().to_string()).collect()
}

#[test]
fn every_command_has_help_with_examples() {
    let desk = Desk::new();
    let overview = desk.does("--help");
    for command in COMMANDS.into_iter().chain(MORE) {
        assert!(overview.contains(&format!("\n  {command} ")), "{command} in\n{overview}");
        let help = desk.does(&format!("{command} --help"));
        assert_eq!(help, desk.does(&format!("help {command}")));
        assert!(examples(&help).iter().any(|e| e.contains(command)), "{help}");
        let after = help.split("Example").nth(1).unwrap();
        for line in after.lines() {
            assert!(line.chars().count() <= 80, "a terminal would break: {line}");
        }
        assert!(desk.does(&format!("{command} -h")).contains("Usage: terrane"), "{command}");
    }
}

/// What the examples of `generate` are given.
fn draw(desk: &Desk) {
    use formats::{Band, BandValues, Crs, Georeference, Raster, geotiff};
    given::mask_png(desk, "continents.png", 64, &given::is_land);
    given::grey_png(desk, "isle.png", (40, 30), &|i| {
        u8::from((8..32).contains(&(i % 40)) && (6..24).contains(&(i / 40)))
    });
    given::lines(desk, "crests.geojson", &[&[[400e3, 400e3], [800e3, 500e3]]]);
    given::lines(desk, "rivers.geojson", &[&[[10.0, 45.0], [20.0, 40.0]]]);
    for (name, metres) in [("land.tif", 1.0), ("metres.tif", 900.0)] {
        let degrees = |i: usize| ((i % 36) as f64 * 10.0 - 175.0, 85.0 - (i / 36) as f64 * 10.0);
        let value = |i: usize| if given::is_land(degrees(i).0, degrees(i).1) { metres } else { 0.0 };
        let crs = Crs::Geographic { radius_m: 6_371_000.0 };
        let georeference = Georeference { crs, west: -180.0, north: 90.0, step_x: 10.0, step_y: 10.0 };
        let bands = vec![Band::new("given", "", BandValues::F32((0..36 * 18).map(value).collect()))];
        geotiff::write(&desk.path(name), &Raster { width: 36, height: 18, georeference, bands }, &[])
            .unwrap();
    }
}

#[test]
fn the_examples_work() {
    let desk = Desk::new();
    desk.does("generate --cells 32 -o world.terrane");
    desk.does("generate --recipe island --cells 96 -o isle.terrane");
    for name in ["1", "2"] {
        desk.put(&format!("{name}.terrane"), desk.bytes("world.terrane"));
    }
    let border = "[[[10,45],[14,45],[12,49],[10,45]]]";
    desk.put("border.geojson", format!("{{\"type\":\"Polygon\",\"coordinates\":{border}}}"));
    desk.put("my.toml", desk.does("recipe earthlike"));
    draw(&desk);
    let mut count = 0;
    for command in COMMANDS.into_iter().filter(|c| *c != "demo") {
        for example in examples(&desk.does(&format!("{command} --help"))) {
            // worlds and maps of full size would take minutes
            let small = match command {
                "map" if example.contains(".pdf") => example + " --dpi 36",
                "map" => example.replace(" --width 8192", "") + " --width 128",
                _ if example.contains("generate") && !example.contains("--cells") => example + " --cells 32",
                _ => example,
            };
            let line = small.strip_prefix("terrane ").unwrap();
            // what a place of the examples is, differs from world to world
            let said = desk.run(line.split_whitespace());
            let at_sea = line.contains("--from") && said.err.contains("the place lies in the sea");
            assert!(said.status == Some(0) || at_sea, "{line}: {}", said.err);
            count += 1;
        }
    }
    assert!(count > 15, "{count}");
}

#[test]
fn without_a_command_it_says_what_there_is() {
    let said = Desk::new().run::<&str>([]);
    assert_eq!((said.status, said.out.as_str()), (Some(2), ""));
    for command in COMMANDS.into_iter().chain(MORE) {
        assert!(said.err.contains(command), "{command} in\n{}", said.err);
    }
    assert!(said.err.contains("Start with:  terrane demo"), "{}", said.err);
}

#[test]
fn its_version_is_the_package_s() {
    assert_eq!(Desk::new().does("--version"), format!("terrane {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn shells_get_completions() {
    let desk = Desk::new();
    for (shell, sign) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef terrane"),
        ("fish", "complete -c terrane"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let script = desk.does(&format!("completions {shell}"));
        assert!(script.contains(sign) && script.contains("min-discharge"), "{shell}");
    }
}
