//! What is answered to which request.

use super::{Served, run};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use grid::{Nth, Purpose, Seed};

#[test]
fn every_kind_of_address_is_answered() {
    let cases = [
        ("/", "text/html; charset=utf-8"),
        ("/viewer.js", "text/javascript; charset=utf-8"),
        ("/maplibre/maplibre-gl.mjs", "text/javascript; charset=utf-8"),
        ("/maplibre/LICENSE.txt", "text/plain; charset=utf-8"),
        ("/api/world", "application/json"),
        ("/api/place?lon=10&lat=20", "application/json"),
        ("/tiles/surface/2/1/1.png", "image/png"),
        ("/tiles/ground/2/1/1.png", "image/png"),
        ("/tiles/relief/2/1/1.png", "image/png"),
        ("/tiles/atlas/0/0/0.png", "image/png"),
        ("/tiles/heights/2/1/1.png", "image/png"),
        ("/tiles/mountains/2/1/1.png", "image/png"),
        ("/tiles/biomes/2/1/1.png", "image/png"),
        ("/tiles/climate/2/1/1.png", "image/png"),
        ("/tiles/temperature/2/1/1.png", "image/png"),
        ("/tiles/rain-12/2/1/1.png", "image/png"),
        ("/tiles/plates/2/1/1.png", "image/png"),
        ("/tiles/water/1/1/0.mvt", "application/vnd.mapbox-vector-tile"),
        ("/tiles/crests/1/1/0.mvt", "application/vnd.mapbox-vector-tile"),
        ("/tiles/faults/1/1/0.mvt", "application/vnd.mapbox-vector-tile"),
        ("/tiles/cells/1/1/0.mvt", "application/vnd.mapbox-vector-tile"),
        ("/polar/south/relief.png?size=96", "image/png"),
        ("/polar/north/atlas.png?size=96&degrees=60&on=water,crests,faults,cells", "image/png"),
        ("/export/elevation.tif?west=0&south=0&east=9&north=9&width=32", "image/tiff"),
        ("/export/relief.png?west=0&south=0&east=30&north=20&width=64", "image/png"),
        ("/export/print-atlas.pdf?west=0&south=0&east=0.5&north=40", "application/pdf"),
        ("/export/print-rain-07.svg?west=0&south=0&east=0.5&north=40", "image/svg+xml"),
    ];
    let served = Served::new();
    for (path, kind) in cases {
        let answered = run(served.get(path));
        assert_eq!(answered.status, StatusCode::OK, "{path}: {}", answered.text());
        assert_eq!(answered.header("content-type"), kind, "{path}");
        assert!(!answered.body.is_empty(), "{path}");
        assert!(!answered.header("etag").is_empty(), "{path}");
        assert!(answered.header("content-security-policy").contains("default-src 'self'"), "{path}");
        assert!(
            answered.header("access-control-allow-origin").is_empty(),
            "{path}: other pages may not read"
        );
        let png = b"\x89PNG\r\n\x1a\n";
        assert!(kind != "image/png" || answered.body.starts_with(png), "{path}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_in_a_line() {
    let cases = [
        ("/nothing", StatusCode::NOT_FOUND),
        ("/../Cargo.toml", StatusCode::NOT_FOUND),
        ("/%2e%2e/Cargo.toml", StatusCode::NOT_FOUND),
        ("/tiles/moon/0/0/0.png", StatusCode::NOT_FOUND),
        ("/tiles/relief/0/0/1.png", StatusCode::BAD_REQUEST),
        ("/tiles/relief/1/2/0.png", StatusCode::BAD_REQUEST),
        ("/tiles/relief/17/0/0.png", StatusCode::BAD_REQUEST),
        ("/tiles/relief/1/-1/0.png", StatusCode::BAD_REQUEST),
        ("/tiles/relief/1/0x1/0.png", StatusCode::BAD_REQUEST),
        ("/tiles/relief/1/0/0.png?x=1", StatusCode::BAD_REQUEST),
        ("/tiles/relief/1/0/%00.png", StatusCode::BAD_REQUEST),
        ("/api/place", StatusCode::BAD_REQUEST),
        ("/api/place?lon=1&lat=NaN", StatusCode::BAD_REQUEST),
        ("/api/place?lon=1&lat=91", StatusCode::BAD_REQUEST),
        ("/api/place?lon=1&lon=1&lat=1", StatusCode::BAD_REQUEST),
        ("/polar/east/relief.png", StatusCode::BAD_REQUEST),
        ("/polar/north/relief.png?size=100000", StatusCode::BAD_REQUEST),
        ("/export/relief.png?west=9&south=0&east=1&north=9", StatusCode::BAD_REQUEST),
        ("/export/relief.png?west=0&south=0&east=1&north=89", StatusCode::BAD_REQUEST),
        ("/export/relief.png?west=0&south=0&east=1&north=9&on=water,moon", StatusCode::BAD_REQUEST),
        ("/polar/north/relief.png?on=rivers", StatusCode::BAD_REQUEST),
        ("/export/elevation.tif?west=0&south=0&east=0.1&north=80&width=4096", StatusCode::BAD_REQUEST),
        ("/api/sights", StatusCode::INTERNAL_SERVER_ERROR),
    ];
    let served = Served::new();
    for (path, status) in cases {
        let answered = run(served.get(path));
        assert_eq!(answered.status, status, "{path}: {}", answered.text());
        let text = answered.text();
        assert!(text.ends_with('\n') && text.lines().count() == 1 && text.len() < 300, "{path}: {text:?}");
        assert_eq!(answered.header("cache-control"), "no-store", "{path}");
    }
}

/// The toy world has a fault over the antimeridian, from 170 E, 10 N to 170 W, 20 N.
#[test]
fn what_is_wanted_lies_over_exported_pictures() {
    let served = Served::new();
    let picture = |on: &str| {
        let path = format!("/export/heights.png?west=160&south=0&east=200&north=30&width=200&on={on}");
        let answered = run(served.get(&path));
        assert_eq!(answered.status, StatusCode::OK, "{path}: {}", answered.text());
        let mut reader =
            png::Decoder::new(std::io::Cursor::new(&answered.body)).read_info().expect("a picture");
        let mut pixels = vec![0; reader.output_buffer_size().expect("it has a size")];
        let info = reader.next_frame(&mut pixels).expect("it is whole");
        let n = info.color_type.samples();
        let rgb: Vec<[u8; 3]> = pixels.chunks_exact(n).map(|p| [p[0], p[1], p[2]]).collect();
        (info.width as usize, rgb)
    };
    let (width, plain) = picture("");
    // the columns in which something was drawn
    let drawn = |on: &str| -> Vec<usize> {
        let (_, over) = picture(on);
        (0..plain.len()).filter(|&i| plain[i] != over[i]).map(|i| i % width).collect()
    };
    let faults = drawn("faults");
    let (a, b) = (width / 4, 3 * width / 4);
    assert!((a + 2..b - 2).all(|x| faults.contains(&x)), "a line without a gap, over the antimeridian");
    assert!(faults.iter().all(|&x| x + 3 > a && x < b + 3), "and nothing beside it: {faults:?}");
    assert!(!drawn("cells").is_empty() && drawn("crests").is_empty(), "the toy's ranges are no points");
}

#[test]
fn a_tag_is_known_before_anything_is_drawn() {
    let served = Served::new();
    let path = "/tiles/relief/3/2/2.png";
    let first = run(served.get(path));
    let tag = first.header("etag").to_string();
    assert!(
        tag.contains("0123456789abcdef") && tag.contains("toy_1") && tag.contains("relief/3/2/2"),
        "{tag}"
    );

    let fresh = Served::new();
    let ask = |tag: &str| Request::get(path).header("host", "localhost").header("if-none-match", tag);
    for known in [tag.clone(), format!("\"other\", W/{tag}"), "*".into()] {
        let answered = run(fresh.ask(ask(&known)));
        assert_eq!(answered.status, StatusCode::NOT_MODIFIED, "{known}");
        assert!(answered.body.is_empty() && answered.header("etag") == tag);
    }
    assert_eq!(fresh.desk.counts().drawn, 0, "a 304 takes no drawing");
    assert_eq!(run(fresh.ask(ask("\"another\""))).status, StatusCode::OK);
    assert_eq!(fresh.desk.counts().drawn, 1);
}

#[test]
fn a_second_drawing_is_the_first_one() {
    let served = Served::new();
    let first = run(served.get("/tiles/surface/2/1/2.png"));
    assert_eq!(run(served.get("/tiles/surface/2/1/2.png")).body, first.body);
    let counts = served.desk.counts();
    assert_eq!((counts.drawn, counts.kept), (1, 1));
    // and another server's is the same, bit for bit
    assert_eq!(run(Served::new().get("/tiles/surface/2/1/2.png")).body, first.body);
}

#[test]
fn only_this_machine_by_its_own_name_is_answered() {
    let served = Served::new();
    let from = |host: &str| Request::get("/api/world").header("host", host);
    for host in ["127.0.0.1", "127.0.0.1:8080", "localhost:9", "[::1]:80"] {
        assert_eq!(run(served.ask(from(host))).status, StatusCode::OK, "{host}");
    }
    for host in ["evil.example", "127.0.0.1.evil.example:8080", "", "10.0.0.1"] {
        assert_eq!(run(served.ask(from(host))).status, StatusCode::FORBIDDEN, "{host}");
    }
    assert_eq!(run(served.ask(Request::get("/api/world"))).status, StatusCode::FORBIDDEN, "no host");
    let two = from("localhost").header("host", "evil.example");
    assert_eq!(run(served.ask(two)).status, StatusCode::FORBIDDEN, "two hosts");
    let whole = Request::get("http://evil.example/api/world").header("host", "localhost");
    assert_eq!(run(served.ask(whole)).status, StatusCode::FORBIDDEN, "another name in the address");
}

#[test]
fn methods_bodies_and_lengths_have_limits() {
    let served = Served::new();
    let own = || Request::builder().header("host", "localhost");
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS] {
        let answered = run(served.ask(own().method(&method).uri("/api/world")));
        assert_eq!(answered.status, StatusCode::METHOD_NOT_ALLOWED, "{method}");
        assert_eq!(answered.header("allow"), "GET, HEAD");
    }
    let heavy = own().uri("/").header("content-length", "5").body(Body::from("hello")).expect("sound");
    assert_eq!(run(served.send(heavy)).status, StatusCode::PAYLOAD_TOO_LARGE);
    let long = format!("/api/place?lon={}", "1".repeat(2000));
    assert_eq!(run(served.get(&long)).status, StatusCode::URI_TOO_LONG);
}

/// A path that may or may not make sense, out of parts that do and parts that do not.
fn some_path(seed: Seed, k: u32) -> String {
    const PATHS: Purpose = Purpose::new("serve/test/paths");
    let mut draw = seed.key(PATHS).at(Nth(k));
    let mut pick = |list: &[&str]| list[draw.below(list.len() as u32) as usize].to_string();
    let numbers =
        ["0", "1", "2", "3", "7", "-1", "1e9", "00", "", "NaN", "9999999999999999999999", "%00", "٣", "1.5"];
    match k % 8 {
        0..=4 => {
            let name = pick(&[
                "relief", "surface", "water", "cells", "climate", "rain-01", "rain-13", "..", "atlas",
            ]);
            let ending = pick(&["png", "mvt", "", "exe"]);
            let (z, x, y) = (pick(&numbers), pick(&numbers), pick(&numbers));
            format!("/tiles/{name}/{z}/{x}/{y}.{ending}")
        }
        5 => format!("/api/place?lon={}&lat={}", pick(&numbers), pick(&numbers)),
        6 => format!("/polar/{}/relief.png?size={}", pick(&["north", "up"]), pick(&["64", "1", "NaN"])),
        _ => format!(
            "/{}",
            pick(&["", "viewer.js", "a/b/c", "api/world", "export/x.png", "%ff%fe", "//", "api//"])
        ),
    }
}

#[test]
fn ten_thousand_random_requests_leave_it_sound() {
    let served = Served::new();
    let mut answered_well = 0;
    run(async {
        for k in 0..10_000 {
            let path = some_path(Seed(7), k);
            let Ok(request) = Request::get(&path).header("host", "localhost").body(Body::empty()) else {
                continue;
            };
            let answered = served.send(request).await;
            let expected = [200, 304, 400, 404].contains(&answered.status.as_u16());
            assert!(expected, "{path}: {} {}", answered.status, answered.text());
            answered_well += usize::from(answered.status == StatusCode::OK);
        }
    });
    assert!(answered_well > 500, "only {answered_well} made sense");
    assert_eq!(served.desk.open(), 0, "nothing is left over");
    assert!(served.desk.bytes() <= super::limits().cache_bytes, "{}", served.desk.bytes());
}
