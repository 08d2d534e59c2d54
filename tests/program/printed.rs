//! Maps to print: the built program writes them on the paper that is asked for. That other programs open them, and find
//! the words and the picture in them, is in `tests/readers`.

use crate::cli_support::Desk;

fn svg(desk: &Desk, name: &str) -> String {
    String::from_utf8(desk.bytes(name)).unwrap()
}

#[test]
fn a_region_is_a_map_with_layers_and_words() {
    let desk = Desk::with_globe();
    desk.does("region globe.terrane -o a.svg -o a.pdf --at 30,20 --span 900,600 --dpi 50 --title Mornivale --style atlas");
    let map = svg(&desk, "a.svg");
    for part in [
        "width=\"841.89pt\"",
        "height=\"595.28pt\"",
        ">Mornivale</text>",
        ">20°N 30°E</text>",
        "data:image/png",
    ] {
        assert!(map.contains(part), "{part}");
    }
    for layer in
        ["relief", "contours", "lakes", "rivers", "coast", "grid", "frame", "peaks", "title", "legend"]
    {
        assert!(map.contains(&format!("inkscape:label=\"{layer}\"")), "{layer}");
    }
    let pdf = desk.bytes("a.pdf");
    assert!(pdf.starts_with(b"%PDF-1.7") && pdf.trim_ascii_end().ends_with(b"%%EOF"));
    let holds = |text: &str| pdf.windows(text.len()).any(|w| w == text.as_bytes());
    assert!(
        holds("/MediaBox [0 0 841.8898 595.27") && holds("/Alegreya-Medium") && holds("/Title (Mornivale)")
    );
    // the same again to the same bytes
    let before = (desk.bytes("a.svg"), pdf.clone());
    desk.does("region globe.terrane -o a.svg -o a.pdf --at 30,20 --span 900,600 --dpi 50 --title Mornivale --style atlas");
    assert!(before == (desk.bytes("a.svg"), desk.bytes("a.pdf")));
}

/// The words of a layer of a map.
fn words_of(map: &str, layer: &str) -> Vec<String> {
    let from = map.split(&format!("inkscape:label=\"{layer}\"")).nth(1).unwrap();
    let layer = from.split("inkscape:label=").next().unwrap();
    layer.split("</text>").filter_map(|t| t.rsplit_once('>')).map(|(_, word)| word.to_string()).collect()
}

/// A polygon's paper is empty beyond it: the halves of a box share out its heights.
#[test]
fn a_polygon_has_no_heights_beyond_it() {
    let desk = Desk::with_globe();
    for (name, corners) in
        [("west", "[[16,5],[24,5],[16,14],[16,5]]"), ("east", "[[24,5],[24,14],[16,14],[24,5]]")]
    {
        let area = format!(r#"{{"type":"Polygon","coordinates":[{corners}]}}"#);
        desk.put(&format!("{name}.geojson"), area);
    }
    let heights = |place: &str| {
        desk.does(&format!("region globe.terrane {place} --resolution 6000 -o a.svg --dpi 40"));
        let words = words_of(&svg(&desk, "a.svg"), "peaks");
        words.iter().filter(|word| word.chars().any(|c| c.is_ascii_digit())).count()
    };
    let of_box = heights("--bbox 16,5,24,14");
    let [west, east] = ["west", "east"].map(|name| heights(&format!("--polygon {name}.geojson")));
    assert!(of_box > 3 && west + east <= of_box + 2, "{west} and {east} of {of_box}");
}

#[test]
#[ignore = "slow"]
fn heights_of_summits_do_not_depend_on_how_finely_a_map_is_drawn() {
    let desk = Desk::with_globe();
    for (what, least) in [("region globe.terrane --at 20,10 --span 900,600", 3), ("map globe.terrane", 1)] {
        let heights = |dpi: u32| -> Vec<i64> {
            desk.does(&format!("{what} -o a.svg --dpi {dpi}"));
            let words = words_of(&svg(&desk, "a.svg"), "peaks");
            let number = |word: &String| word.replace(|c: char| !c.is_ascii_digit(), "").parse().ok();
            words.iter().filter_map(number).collect()
        };
        let coarse = heights(40);
        assert!(coarse.len() >= least && coarse.is_sorted_by(|a, b| a >= b), "{what}: {coarse:?}");
        assert_eq!(coarse, heights(90), "{what}");
    }
}

#[test]
#[ignore = "slow"]
fn paper_is_turned_as_suits_the_map_and_samples_follow_it() {
    let desk = Desk::with_globe();
    let picture = |name: &str| {
        let map = svg(&desk, name);
        let image = map.split("<image ").nth(1).unwrap().split(" preserve").next().unwrap().to_string();
        let field = |name: &str| -> f64 {
            image.split(&format!("{name}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        (field("width"), field("height"))
    };
    desk.does("region globe.terrane -o tall.svg --bbox 10,-20,20,20 --dpi 40 --paper a3");
    assert!(svg(&desk, "tall.svg").contains("width=\"841.89pt\" height=\"1190.55pt\""));
    let (width, height) = picture("tall.svg");
    assert!(
        (height / width / 4.0 - 1.0).abs() < 0.05,
        "ten degrees by forty on the equator: {width} {height}"
    );
    desk.does("map globe.terrane -o world.svg --dpi 40 --paper letter --projection mollweide");
    let world = svg(&desk, "world.svg");
    assert!(
        world.contains("width=\"792pt\" height=\"612pt\"") && world.contains(">Earthlike</text>"),
        "{:.400}",
        world
    );
}

#[test]
fn what_cannot_be_printed_is_refused() {
    let desk = Desk::with_globe();
    for (line, why) in [
        ("region globe.terrane -o a.pdf --cell 0/1/1", "north up"),
        ("region globe.terrane -o a.tif --at 1,1 --span 90 --resolution 900 --paper a3", ".svg and .pdf"),
        ("region globe.terrane -o a.pdf --at 1,1 --span 0", "--span"),
        ("region globe.terrane -o a.pdf --bbox 5,5,5,9", "--bbox"),
        ("region globe.terrane -o a.pdf --at 1,1 --span 90 --dpi 9999", "600"),
        ("region globe.terrane -o a.pdf --at 1,1 --span 90 --memory 0.01", "--max-memory"),
        ("map globe.terrane -o a.pdf --paper a2 --dpi 600 --max-memory 1", "would fit"),
        ("map globe.terrane -o a.pdf --max-memory 0.001", "alone"),
        ("map globe.terrane -o a.pdf --max-memory nan", "--max-memory"),
        ("map globe.terrane -o a.png --dpi 100", ".svg and .pdf"),
        ("map globe.terrane -o a.pdf --width 900", "--paper and --dpi"),
        ("map globe.terrane -o a.jpeg", ".svg or .pdf"),
    ] {
        let said = desk.refused(line, 2);
        assert!(said.contains(why), "{line}: {said}");
        assert!(!desk.path("a.pdf").exists(), "{line}");
    }
}

/// What is refused for its size says what is not, and that is printed.
#[test]
fn a_world_is_printed_as_finely_as_memory_allows() {
    let desk = Desk::with_globe();
    let said = desk.refused("map globe.terrane -o a.svg --max-memory 0.1", 2);
    let dpi = said.split("--dpi ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    assert!(dpi.parse::<u32>().is_ok_and(|dpi| (36..300).contains(&dpi)), "{said}");
    desk.does(&format!("map globe.terrane -o a.svg --max-memory 0.1 --dpi {dpi}"));
    desk.refused(
        &format!("map globe.terrane -o b.svg --max-memory 0.1 --dpi {}", dpi.parse::<u32>().unwrap() + 2),
        2,
    );
}

/// Maps of classes name those that they show.
#[test]
fn classes_have_a_key_on_paper() {
    let desk = Desk::with_globe();
    for (layer, word) in [("climate", ">ET</text>"), ("biomes", ">Tundra</text>"), ("plates", "Each plate")] {
        desk.does(&format!("map globe.terrane -o {layer}.svg --dpi 36 --layer {layer}"));
        assert!(svg(&desk, &format!("{layer}.svg")).contains(word), "{layer}");
    }
}

/// How many lines and areas a layer of a map has.
fn shapes_of(map: &str, layer: &str) -> usize {
    let from = map.split(&format!("inkscape:label=\"{layer}\"")).nth(1).unwrap_or_default();
    from.split("inkscape:label=").next().unwrap_or_default().matches("<path").count()
}

/// What pictures of a world show as signs, sheets show as lines and areas, with what they mean.
#[test]
#[ignore = "slow"]
fn signs_of_pictures_are_on_paper_too() {
    let desk = Desk::with_globe();
    for (what, layers, words) in [
        (
            "--layer plates",
            &["faults", "motion", "volcanoes"][..],
            &["Convergent", "Transform", "Volcano"][..],
        ),
        ("--layer plates --projection orthographic", &["faults", "motion"], &["Motion in 10 million years"]),
        ("--style atlas --projection mollweide", &["ranges"], &["Lake"]),
        ("--layer ridges", &["ridges"], &["Ridge"]),
    ] {
        desk.does(&format!("map globe.terrane -o signs.svg --dpi 36 {what}"));
        let map = svg(&desk, "signs.svg");
        for layer in layers {
            assert!(shapes_of(&map, layer) > 10, "{what}: {layer} has {}", shapes_of(&map, layer));
        }
        let legend = words_of(&map, "legend");
        for word in words {
            assert!(legend.iter().any(|w| w == word), "{what}: {word} is not in {legend:?}");
        }
    }
    desk.does("map globe.terrane -o plates.svg --dpi 100 --layer plates");
    assert_eq!(shapes_of(&svg(&desk, "plates.svg"), "lakes"), 0, "plates are no matter of lakes");
    desk.does("map globe.terrane -o plain.svg --dpi 100");
    assert!(shapes_of(&svg(&desk, "plain.svg"), "lakes") > 0);
    assert!(!svg(&desk, "plain.svg").contains("inkscape:label=\"ranges\""), "terrain has no symbols");
}

#[test]
fn a_month_is_named_on_paper() {
    let desk = Desk::with_globe();
    for (line, title) in [
        ("--layer rain --month 7", "Rain, July"),
        ("--layer temperature --month 1", "Mean temperature, January"),
        ("--layer temperature", "Mean temperature"),
    ] {
        desk.does(&format!("map globe.terrane -o month.svg --dpi 36 {line}"));
        assert_eq!(shapes_of(&svg(&desk, "month.svg"), "peaks"), 0, "{line}: heights among colours");
        let words = words_of(&svg(&desk, "month.svg"), "title");
        assert!(words.iter().any(|w| w == title), "{line}: {words:?}");
    }
}
