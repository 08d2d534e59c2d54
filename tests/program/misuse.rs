//! The built program against arguments and recipes that cannot be meant: one clear line (for recipes, one for each
//! error), status 2, and nothing changed on disk. [`Desk::refused`] holds it to that.

use crate::cli_support::Desk;

#[test]
fn numbers_that_mean_nothing() {
    let desk = Desk::with_globe();
    for number in ["0", "-1", "nan", "inf", "-inf", "1e-9", "1e30", "1e400", "many", "1,5"] {
        for place in ["--bbox 0,0,10,10", "--at 0,0 --span 500"] {
            let line = format!("region globe.terrane -o out.tif {place} --resolution {number}");
            assert!(desk.refused(&line, 2).contains("--resolution"), "{line}");
        }
        if number != "1e-9" && number != "1,5" {
            let line = format!("region globe.terrane -o out.tif --at 0,0 --resolution 1000 --span {number}");
            assert!(desk.refused(&line, 2).contains("--span"), "{line}");
        }
    }
    for number in ["-1", "nan", "inf", "many"] {
        let said = desk.refused(&format!("rivers globe.terrane --min-discharge {number}"), 2);
        assert!(said.contains("--min-discharge"), "{said}");
    }
    for (option, low, high, command) in [
        ("--cells", 8_u64, 4096_u64, "generate -o out.terrane"),
        ("--seed", 0, 9_223_372_036_854_775_807, "generate --cells 8 -o out.terrane"),
        ("--width", 64, 16_384, "map globe.terrane -o out.png"),
        ("--month", 1, 12, "map globe.terrane -o out.png --layer rain"),
        ("--threads", 1, 1024, "info globe.terrane"),
        ("--top", 1, 4_294_967_295, "rivers globe.terrane"),
        ("--cells", 8, 4096, "demo out"),
    ] {
        let beyond = [(high + 1).to_string(), low.checked_sub(1).map_or("-1".into(), |n| n.to_string())];
        for number in
            ["-1", "1.5", "nan", "many", "99999999999999999999"].map(String::from).into_iter().chain(beyond)
        {
            let said = desk.refused(&format!("{command} {option} {number}"), 2);
            let range = format!("from {low} to {high}");
            assert!(said.contains(option) && said.contains(&range) && said.contains(&number), "{said}");
        }
    }
}

#[test]
fn more_samples_than_fit() {
    let desk = Desk::with_globe();
    for place in [
        "-o out.png --bbox=-180,-90,180,90 --resolution 500",
        "--bbox 0,0,10,10 --resolution 0.01",
        "--at 0,0 --span 20000 --resolution 0.01",
    ] {
        let said = desk.refused(&format!("region globe.terrane -o out.tif {place}"), 2);
        assert!(said.contains("samples") && said.contains("coarser"), "{said}");
    }
    let said = desk.refused("region globe.terrane -o out.tif --bbox 1.1,1.1,1.2,1.2 --resolution 50000", 2);
    assert!(said.contains("no sample"), "{said}");
}

#[test]
fn places_that_are_none() {
    let desk = Desk::with_globe();
    for (bbox, why) in [
        ("10,20,5,10", "20 is not below the north 10"),
        ("10,10,20,5", "10 is not below the north 5"),
        ("1,1,1,2", "not left of"),
        ("1,1,2,1", "not below"),
        ("-200,0,10,10", "-200 is not from -180 to 180"),
        ("0,0,181,10", "181 is not from -180 to 180"),
        ("0,-91,10,10", "-91 is not from -90 to 90"),
        ("0,0,10,91", "91 is not from -90 to 90"),
        ("1,2,3", "expected W,S,E,N"),
        ("1,2,3,4,5", "expected W,S,E,N"),
        ("a,b,c,d", "expected W,S,E,N"),
        ("nan,0,1,1", "expected W,S,E,N"),
        ("0,0,inf,1", "expected W,S,E,N"),
        ("1,,2,3", "expected W,S,E,N"),
    ] {
        for line in ["region globe.terrane -o out.tif --resolution 30000", "rivers globe.terrane"] {
            let said = desk.refused(&format!("{line} --bbox={bbox}"), 2);
            assert!(said.contains("--bbox") && said.contains(why), "{said}");
        }
    }
    for (at, why) in [
        ("200,0", "200 is not from -180 to 180"),
        ("0,-91", "-91 is not from -90 to 90"),
        ("0", "expected LON,LAT"),
        ("1,2,3", "expected LON,LAT"),
        ("nan,0", "expected LON,LAT"),
        ("here,there", "expected LON,LAT"),
    ] {
        let said = desk
            .refused(&format!("region globe.terrane -o out.tif --span 90 --resolution 9000 --at={at}"), 2);
        assert!(said.contains("--at") && said.contains(why), "{said}");
        let said = desk.refused(&format!("rivers globe.terrane --from={at}"), 2);
        assert!(said.contains("--from") && said.contains(why), "{said}");
    }
}

#[test]
fn places_outside_a_flat_map() {
    let desk = Desk::with_isle();
    for line in [
        "region isle.terrane -o out.tif --at 5000000,0 --span 10 --resolution 1000",
        "region isle.terrane -o out.tif --at=-1,0 --span 10 --resolution 1000",
        "region isle.terrane -o out.tif --bbox 0,900001,10,900100 --resolution 1",
        "rivers isle.terrane --from 5000000,0",
        "rivers isle.terrane --bbox=-20,0,-10,100",
    ] {
        let said = desk.refused(line, 2);
        assert!(said.contains("outside the map") && said.contains("1200000"), "{said}");
    }
    for option in ["--center 10", "--projection mollweide"] {
        let said = desk.refused(&format!("map isle.terrane -o out.png {option}"), 2);
        assert!(said.contains("flat map"), "{said}");
    }
    let said = desk.refused("region isle.terrane -o out.tif --bbox 500,0,100,100 --resolution 10", 2);
    assert!(said.contains("not left of"), "a flat map has no antimeridian: {said}");
}

#[test]
fn command_lines_that_say_too_little_or_too_much() {
    let desk = Desk::with_globe();
    for (line, why) in [
        ("fly", "'fly'"),
        ("regin globe.terrane", "'region'"),
        ("--fly", "'--fly'"),
        ("info", "<WORLD>"),
        ("info globe.terrane globe.terrane", "unexpected"),
        ("info globe.terrane --jason", "'--json'"),
        ("info globe.terrane -q -v", "--verbose"),
        ("map globe.terrane", "--output"),
        ("map globe.terrane -o out.png --layer gold", "possible values: relief"),
        ("map globe.terrane -o out.png --month 7", "only the layers temperature and rain"),
        ("map globe.terrane -o out.png --layer climate --style atlas", "only the layer relief"),
        ("map globe.terrane -o out.png --center 30,20", "orthographic"),
        ("map globe.terrane -o out.png --center 200", "longitude 200"),
        ("map globe.terrane -o out.png --center here", "LON"),
        ("map globe.terrane -o out.png --projection orthographic --center 30,91", "latitude 91"),
        ("map globe.terrane -o out.png --projection square", "equirectangular"),
        ("region globe.terrane -o out.tif --resolution 100", "--bbox <W,S,E,N>"),
        ("region globe.terrane -o out.tif --at 0,0 --resolution 100", "--span"),
        ("region globe.terrane -o out.tif --span 10 --resolution 100", "--at"),
        ("region globe.terrane -o out.tif --at 0,0 --span 10", "--resolution"),
        ("region globe.terrane -o out.tif --at 0,0 --span 10 --bbox 0,0,1,1 --resolution 100", "--bbox"),
        ("rivers globe.terrane --from 1,2 --bbox 0,0,1,1", "--bbox"),
        ("rivers globe.terrane -o out.geojson --json", "--json"),
        ("rivers globe.terrane -o out.geojson --top 5", "--top"),
        ("rivers globe.terrane --from 1,2 --top 5", "--top"),
        ("rivers globe.terrane --from 1,2 -o out.geojson --json", "--json"),
        ("recipe utopia", "earthlike"),
        ("generate -o out.terrane --recipe utopia", "earthlike"),
        ("completions tcsh", "bash"),
    ] {
        let said = desk.refused(line, 2);
        assert!(said.contains(why), "{line}: {said}");
    }
}

#[test]
fn layers_that_are_not_there_or_would_be_left_out() {
    let desk = Desk::with_globe();
    let place = "--at 0,0 --span 900 --resolution 30000";
    for (args, why) in [
        ("-o out.tif --layers gold", "\"gold\""),
        ("-o out.tif --layers elevation,,base", "water_depth"),
        ("-o out.tif --layers=", "water_depth"),
        ("-o out.png --layers discharge", "a picture shows terrain"),
        ("-o out.png --style height --layers elevation,base", "one layer"),
        ("-o out.tif --style atlas", "only a .png"),
        ("-o out.r32 --style height", "only a .png"),
    ] {
        let said = desk.refused(&format!("region globe.terrane {place} {args}"), 2);
        assert!(said.contains(why), "{args}: {said}");
    }
}

#[test]
fn all_that_is_wrong_with_a_recipe() {
    let desk = Desk::new();
    desk.put(
        "many.toml",
        "seed = -1\n[grid]\ncells = 3\ntopology = \"donut\"\n[plate]\ncount = 4\n[plates]\ncuont = 4\ncount = 2.5\n",
    );
    let args = ["generate", "--recipe", "many.toml", "-o", "out.terrane"];
    let lines = desk.refuses_in_lines(&args, 2);
    assert_eq!(lines.len(), 6, "{lines:#?}");
    for (path, why) in [
        ("seed", "0 to 9223372036854775807"),
        ("grid.cells", "8 to 4096"),
        ("grid.topology", "globe, flat"),
        ("plates.count", "2.5"),
        ("plate.count", "plates.count"),
        ("plates.cuont", "plates.count"),
    ] {
        let named = format!("terrane: many.toml: {path}: ");
        assert!(lines.iter().any(|l| l.starts_with(&named) && l.contains(why)), "{path}: {lines:#?}");
    }
    let sets = ["plates.count=many", "sea.salt=3", "nothing"].map(|set| ["--set", set]).concat();
    let lines = desk.refuses_in_lines(&[&["generate", "-o", "out.terrane"], &sets[..]].concat(), 2);
    assert_eq!(lines.len(), 3, "{lines:#?}");
    assert!(lines.iter().all(|l| l.starts_with("terrane: --set: ")), "{lines:#?}");
}

#[test]
fn recipes_that_are_none() {
    let desk = Desk::with_globe();
    std::fs::create_dir(desk.path("folder")).unwrap();
    desk.put("syntax.toml", "seed = 1\nname = = 2\n");
    desk.put("long.toml", "# long\n".repeat(200_000));
    for (name, why, status) in [
        ("syntax.toml", "line 2", 2),
        ("globe.terrane", "not text", 2),
        ("long.toml", "over 1048576 bytes", 2),
        ("folder", "directory", 1),
    ] {
        let said = desk.refused(&format!("generate --recipe {name} -o out.terrane"), status);
        assert!(said.contains(why) && said.contains(name), "{said}");
    }
    for (set, why) in [
        ("continents.land_fraction=1.01", "0.01 to 0.95"),
        ("climate.mean_c=nan", "-60 to 60"),
        ("plates.count=9.5", "whole number"),
        ("grid.topology=donut", "globe, flat"),
        ("name=5", "text"),
        ("grid=3", "grid"),
        ("=3", "no such field"),
    ] {
        let said = desk.refused(&format!("generate --cells 8 -o out.terrane --set {set}"), 2);
        assert!(said.contains(why), "{set}: {said}");
    }
    let thin = "generate --recipe island --cells 8 --set grid.height_km=1 -o out.terrane";
    assert!(desk.refused(thin, 2).contains("8 x 0 cells"));
}

/// Names may hold line breaks and what a terminal obeys: they are told in one line all the same.
#[cfg(unix)]
#[test]
fn names_that_are_no_lines() {
    let desk = Desk::with_globe();
    let name = "two\nlines\u{1b}[31m";
    for (arguments, status) in [
        (vec!["info", name], 1),
        (vec!["generate", "--cells", "8", "--recipe", name], 2),
        (
            vec!["region", "globe.terrane", "--at", name, "--span", "9", "--resolution", "99", "-o", "a.tif"],
            2,
        ),
    ] {
        let said = desk.refuses(&arguments, status);
        assert!(said.contains(r"two\nlines\u{1b}[31m"), "{said}");
    }
    let output = format!("{name}.geojson");
    let said = desk.run(["rivers", "globe.terrane", "-o", &output]);
    assert_eq!((said.status, said.err.lines().count()), (Some(0), 1), "{said:?}");
    assert!(said.err.starts_with(r"two\nlines\u{1b}[31m.geojson"), "{said:?}");
}

/// A name that fits, but not with the letters of the files beside it, is refused before the work.
#[cfg(unix)]
#[test]
fn names_that_are_too_long() {
    let desk = Desk::with_globe();
    let [fits, long] = [225, 250].map(|letters| "y".repeat(letters));
    for line in [
        format!("generate --cells 8 -o {long}.terrane"),
        format!("map globe.terrane --width 64 -o {long}.png"),
        format!("rivers globe.terrane -o {long}.fgb"),
        format!("region globe.terrane --at 0,0 --span 9 --resolution 3000 -o {long}.r32"),
    ] {
        let said = desk.refused(&line, 2);
        assert!(said.contains("too long") && said.contains(&long), "{said}");
    }
    desk.does(&format!("generate --cells 8 -o {fits}.terrane"));
    desk.does(&format!(
        "region globe.terrane --at 0,0 --span 9 --resolution 3000 -o {fits}.r32 -o {fits}.zarr"
    ));
}

/// What a file says is told, but not at any length.
#[test]
fn files_that_say_too_much() {
    let desk = Desk::with_globe();
    desk.put("long.geojson", format!(r#"{{"type":"{}"}}"#, "x".repeat(3_000_000)));
    let said = desk.refused("region globe.terrane -o a.tif --polygon long.geojson --resolution 9000", 2);
    assert!(said.len() < 2100 && said.contains("long.geojson") && said.contains(" … "), "{}", said.len());
    desk.put("many.toml", (0..5000).map(|k| format!("a{k} = 1\n")).collect::<String>());
    let lines = desk.refuses_in_lines(&["generate", "--recipe", "many.toml", "-o", "w.terrane"], 2);
    assert_eq!(lines.len(), 101, "{lines:#?}");
    assert!(lines[100].contains("4900 more"), "{}", lines[100]);
}
