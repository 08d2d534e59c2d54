use super::space::spots;
use super::*;
use crate::draw::Stroke;

/// An island with a river and a lake, 400 x 300 samples of 100 m.
fn island() -> (Lattice, Window, [Vec<f32>; 4]) {
    let window = Window { west: 0, north: 299, width: 400, height: 300 };
    let all: Vec<[f32; 4]> = (0..window.width * window.height)
        .map(|i| {
            let (x, y) = ((i % 400) as f64 - 200.0, (i / 400) as f64 - 150.0);
            let z = 900.0 - 8.0 * (x * x + y * y * 1.6).sqrt();
            let in_lake = ((x - 60.0) * (x - 60.0)) + ((y - 10.0) * (y - 10.0)) < 100.0;
            let channel = x < 0.0 && y.abs() < 0.6;
            if z < 0.0 {
                [z as f32, 0.0, -z as f32, 0.0]
            } else if in_lake {
                [z as f32, 700.0, 40.0, 0.0]
            } else if channel {
                [z as f32, z as f32 + 1.0, 1.0, 20.0]
            } else {
                [z as f32, z as f32, 0.0, 0.0]
            }
        })
        .collect();
    let layer = |k: usize| all.iter().map(|v| v[k]).collect();
    (Lattice::Plane { step_m: 100.0 }, window, [layer(0), layer(1), layer(2), layer(3)])
}

fn river() -> River {
    River {
        places: vec![[19_000.0, 14_900.0], [9_000.0, 14_900.0]],
        discharge_m3_s: [5.0, 20.0],
        width_m: 12.0,
        basin: Some(4),
    }
}

/// A fault across the map, beyond both of its sides.
fn fault() -> Overlay {
    let line = Stroke::line(&[(-50.0, 140.0), (450.0, 160.0)], 2.0, [190, 40, 40, 255]);
    Overlay { name: "faults".into(), strokes: vec![line] }
}

fn printed(visit: impl FnOnce(&Sheet)) {
    let (lattice, window, [z, surface, depth, discharge]) = island();
    let land = Land {
        lattice: &lattice,
        window,
        elevation: &z,
        water_surface: &surface,
        water_depth: &depth,
        discharge: Some(&discharge),
    };
    let rgb = vec![[120, 140, 100]; window.width * window.height];
    let print = Print {
        paper: Paper::A4,
        eastings: Eastings::default(),
        title: "An Island".into(),
        subtitle: "of cones".into(),
        colophon: "made for a test".into(),
        scale_note: String::new(),
        software: "test".into(),
        land,
        rgb: &rgb,
        rivers: &[river()],
        overlays: &[fault()],
        signs: &[Sign { words: "A fault".into(), sample: Sample::Drawing(fault().strokes) }],
        tops: &[Top { place: [20_000.0, 14_900.0], height_m: 900.2 }],
        name: &|basin| (basin == 4).then(|| "Sona".to_string()),
        paleness: 0.2,
        key: Key::Swatches(vec![("Grass".into(), [120, 140, 100])]),
    };
    visit(&compose(&print));
}

fn texts(marks: &[Mark]) -> Vec<Text> {
    let of = |mark: &Mark| match mark {
        Mark::Group(group) => texts(&group.marks),
        Mark::Text(text) => vec![text.clone()],
        _ => Vec::new(),
    };
    marks.iter().flat_map(of).collect()
}

fn layer<'a>(sheet: &'a Sheet, name: &str) -> &'a [Mark] {
    let found = sheet.marks.iter().find_map(|m| match m {
        Mark::Group(group) if group.name == name => Some(&group.marks[..]),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no layer {name}"))
}

#[test]
fn a_map_has_all_that_belongs_on_it() {
    printed(|sheet| {
        let words: Vec<String> = texts(&sheet.marks).into_iter().map(|t| t.text).collect();
        for expected in [
            "An Island",
            "of cones",
            "Sona",
            "900",
            "10 km",
            "Grass",
            "Height in metres",
            "A fault",
            "made for a test",
        ] {
            assert!(words.iter().any(|w| w == expected), "{expected}: {words:?}");
        }
        assert!(
            words.iter().any(|w| w.starts_with("1 : ")) && words.iter().any(|w| w.starts_with("Contours, ")),
            "{words:?}"
        );
        for name in [
            "relief",
            "contours",
            "lakes",
            "rivers",
            "coast",
            "grid",
            "frame",
            "faults",
            "river names",
            "peaks",
            "legend",
        ] {
            assert!(!layer(sheet, name).is_empty(), "{name} is empty");
        }
        assert!(sheet.size[0] > sheet.size[1], "a wide map lies across the paper");
    });
}

/// Signs lie on the ground and on its grid; the frame and all letters lie over them.
#[test]
fn signs_lie_over_the_ground_and_under_frame_and_letters() {
    printed(|sheet| {
        let place = |name: &str| {
            let is_it = |m: &Mark| matches!(m, Mark::Group(group) if group.name == name);
            sheet.marks.iter().position(is_it).unwrap_or_else(|| panic!("no layer {name}"))
        };
        for below in ["relief", "lakes", "rivers", "coast", "grid"] {
            assert!(place(below) < place("faults"), "{below}");
        }
        for above in ["frame", "contour numbers", "river names", "peaks", "title", "legend"] {
            assert!(place(above) > place("faults"), "{above}");
        }
        let Mark::Group(faults) = &sheet.marks[place("faults")] else { unreachable!() };
        let Mark::Group(grid) = &sheet.marks[place("grid")] else { unreachable!() };
        assert!(faults.clip.is_some() && faults.clip == grid.clip, "cut at the border of the map");
    });
}

#[test]
fn letters_on_the_map_do_not_touch() {
    printed(|sheet| {
        let on_map: Vec<Text> =
            ["peaks", "river names", "contour numbers"].iter().flat_map(|n| texts(layer(sheet, n))).collect();
        assert!(on_map.len() > 4);
        for (n, a) in on_map.iter().enumerate() {
            for b in &on_map[n + 1..] {
                for (p, reach) in spots(a) {
                    let near = |(q, other): ([f64; 2], [f64; 2])| {
                        (0..2).all(|k| (p[k] - q[k]).abs() < 0.7 * (reach[k] + other[k]))
                    };
                    assert!(!spots(b).into_iter().any(near), "{} and {}", a.text, b.text);
                }
            }
        }
    });
}

#[test]
fn narrow_rivers_are_lines_and_lakes_areas() {
    let (lattice, window, [z, surface, depth, discharge]) = island();
    let land = Land {
        lattice: &lattice,
        window,
        elevation: &z,
        water_surface: &surface,
        water_depth: &depth,
        discharge: Some(&discharge),
    };
    let narrow = land.standing_water(&[river()], Paper::A4);
    assert!(narrow.iter().zip(&discharge).all(|(d, q)| *q == 0.0 || *d == 0.0), "12 m are a line");
    assert!(narrow.contains(&40.0), "the lake");
    let sea = land.sea_depth();
    assert!(sea.contains(&0.0) && !sea.contains(&40.0) && sea.iter().any(|d| *d > 100.0), "no lake");
    let wide = land.standing_water(&[River { width_m: 400.0, ..river() }], Paper::A4);
    assert!(wide.iter().zip(&discharge).any(|(d, q)| *q > 0.0 && *d > 0.0), "400 m are an area");
    // where it has not gathered all of its water yet it is 360 m wide
    let upstream: Vec<f32> = discharge.iter().map(|q| 0.81 * q).collect();
    let land = Land { discharge: Some(&upstream), ..land };
    assert_eq!(land.standing_water(&[River { width_m: 400.0, ..river() }], Paper::A4), wide);
}

/// Land with the sea in its south; a river of half its width runs into it, with banks or as a line.
#[test]
fn no_coast_runs_across_the_mouth_of_a_river_with_banks() {
    let window = Window { west: 0, north: 99, width: 100, height: 100 };
    let sea: Vec<bool> = (0..10_000).map(|i| i / 100 >= 50).collect();
    let elevation: Vec<f32> = sea.iter().map(|&sea| if sea { -5.0 } else { 5.0 }).collect();
    let in_river = |i: usize| (30..70).contains(&(i % 100)) && i / 100 < 50;
    let across = |standing: Vec<f32>| {
        let surface = Surface { elevation: &elevation, sea: sea.clone(), standing };
        let lines = surface.coast(&window).isolines(0.0);
        let columns = lines.iter().flatten().map(|p| p[0]);
        (lines.len(), columns.filter(|x| (30.0..70.0).contains(x)).count())
    };
    assert_eq!(across(vec![0.0; 10_000]), (1, 40));
    assert_eq!(across((0..10_000).map(|i| f32::from(u8::from(in_river(i)))).collect()), (2, 0));
}
