use super::*;

const BLACK: Ink = [0, 0, 0, 255];

fn text(words: &str, run: Run) -> Mark {
    Mark::Text(Text {
        text: words.into(),
        face: Face::Italic,
        size: 10.0,
        ink: BLACK,
        halo: Some(([255; 4], 1.0)),
        run,
    })
}

fn sheet() -> Sheet {
    let picture =
        Picture { at: [10.0, 10.0], size: [20.0, 10.0], width: 2, height: 1, rgb: vec![1, 2, 3, 4, 5, 6] };
    let line = Shape {
        path: Path::line(&[[0.0, 0.0], [5.5, 7.25]]),
        fill: None,
        pen: Some(Pen { ink: [1, 2, 3, 128], width: 0.5 }),
    };
    let group =
        Group { name: "rivers".into(), clip: Some([[0.0; 2], [50.0; 2]]), marks: vec![Mark::Shape(line)] };
    Sheet {
        size: [100.0, 50.0],
        title: "A & B".into(),
        about: "<x>".into(),
        software: "test".into(),
        marks: vec![
            Mark::Picture(picture),
            Mark::Group(group),
            text("Loira", Run::Level { at: [50.0, 20.0], anchor: 0.5 }),
            text("ab", Run::Along(vec![([1.0, 2.0], [0.0, 1.0]), ([1.0, 8.0], [0.0, 1.0])])),
        ],
    }
}

#[test]
fn an_svg_has_layers_fonts_and_letters() {
    let svg = String::from_utf8(svg::bytes(&sheet()).expect("sound")).expect("text");
    for part in [
        "<title>A &amp; B</title>\n<desc>&lt;x&gt;</desc>",
        "width=\"100pt\" height=\"50pt\" viewBox=\"0 0 100 50\"",
        "<g id=\"rivers\"",
        "d=\"M0 0L5.5 7.25\"",
        "text-anchor=\"middle\">Loira</text>",
        "x=\"1 1\" y=\"2 8\" rotate=\"90 90\">ab</text>",
        "data:image/png;base64,iVBORw0KGgo",
    ] {
        assert!(svg.contains(part), "{part}");
    }
    assert_eq!(svg.matches("@font-face").count(), 1, "of one face");
}

#[test]
fn a_level_text_is_where_its_anchor_says() {
    let Mark::Text(words) = text("Loira", Run::Level { at: [50.0, 20.0], anchor: 1.0 }) else {
        unreachable!()
    };
    let width = advance(Face::Italic, "Loira", 10.0);
    let places = words.places();
    assert!((places[0].0[0] + width - 50.0).abs() < 1e-9 && places.len() == 5);
    assert!((15.0..30.0).contains(&width), "{width}");
}

#[test]
fn smooth_lines_pass_through_their_places_and_close() {
    let points = [[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0], [0.0, 0.0]];
    let mut path = Path::default();
    path.add_smooth(&points);
    let ends: Vec<Point> = path
        .0
        .iter()
        .filter_map(|s| match s {
            Step::Move(p) | Step::Line(p) | Step::Curve(_, _, p) => Some(*p),
            Step::Close => None,
        })
        .collect();
    assert_eq!(ends, points);
    assert_eq!(path.0.last(), Some(&Step::Close));
    // at a corner of a ring the curve leaves in the direction in which it came
    let (Step::Curve(first, ..), Step::Curve(_, last, _)) = (path.0[1], path.0[4]) else { panic!("curves") };
    assert!((first[0] + last[0]).abs() < 1e-9 && (first[1] + last[1]).abs() < 1e-9, "{first:?} {last:?}");
}

#[test]
fn what_is_no_sheet_is_refused() {
    let none = Sheet { size: [0.0, 50.0], ..sheet() };
    assert!(svg::bytes(&none).is_err() && pdf::bytes(&none).is_err());
    let mut short = sheet();
    let Mark::Picture(picture) = &mut short.marks[0] else { unreachable!() };
    picture.rgb.pop();
    let error = pdf::bytes(&short).expect_err("a picture too short").to_string();
    assert_eq!(error, "a picture has 5 bytes where 6 are expected");
    let error = write(FilePath::new("map.jpeg"), &sheet()).expect_err("another ending").to_string();
    assert!(error.contains(".svg or .pdf"), "{error}");
}

#[test]
fn lines_that_are_no_lines_are_left_out() {
    let mut broken = sheet();
    let path = Path::line(&[[f64::NAN, 0.0], [1.0, 1.0]]);
    broken.marks = vec![Mark::Shape(Shape { path, fill: Some(BLACK), pen: None })];
    let svg = String::from_utf8(svg::bytes(&broken).expect("sound")).expect("text");
    assert!(!svg.contains("<path") && !svg.contains("NaN"));
    assert!(pdf::bytes(&broken).is_ok());
}
