//! A mesh that `terrane region` writes, opened by a viewer that is not ours: three.js with its own loader of glTF, pinned
//! beside this file with its licence (MIT).

use super::chromium::{self, Page};
use super::{LIMIT, colours, keep};
use crate::cli_support::Desk;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

/// What the viewer is made of: its address, its type, its bytes.
const VIEWER: [(&str, &str, &[u8]); 5] = [
    ("/", "text/html", include_bytes!("three/index.html")),
    ("/three.module.min.js", "text/javascript", include_bytes!("three/three.module.min.js")),
    ("/three.core.min.js", "text/javascript", include_bytes!("three/three.core.min.js")),
    ("/loaders/GLTFLoader.js", "text/javascript", include_bytes!("three/loaders/GLTFLoader.js")),
    (
        "/utils/BufferGeometryUtils.js",
        "text/javascript",
        include_bytes!("three/utils/BufferGeometryUtils.js"),
    ),
];

/// Gives the viewer and a mesh to whoever asks, until the tests end. Returns the port.
fn give(mesh: Vec<u8>) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
    let port = listener.local_addr().expect("it listens").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            // a browser that hangs up hurts nobody
            let _ = answer(stream, &mesh);
        }
    });
    port
}

fn answer(mut stream: TcpStream, mesh: &[u8]) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    lines.map_while(Result::ok).find(String::is_empty);
    let path = first.split(' ').nth(1).unwrap_or_default();
    let held = VIEWER.into_iter().find(|(at, ..)| *at == path);
    let (status, kind, bytes) = match held {
        Some((_, kind, bytes)) => ("200 OK", kind, bytes),
        None if path == "/mesh.glb" => ("200 OK", "model/gltf-binary", mesh),
        None => ("404 Not Found", "text/plain", &b"there is nothing"[..]),
    };
    let length = bytes.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(bytes)
}

#[test]
fn a_mesh_opens_in_a_browser() {
    let Some(browser) = chromium::installed() else {
        eprintln!("left out: no browser is installed (chromium, or the one that TERRANE_BROWSER names)");
        return;
    };
    let desk = Desk::with_globe();
    let place = "--at -77.34,18 --span 600 --resolution 3000 --method classic";
    desk.does(&format!("region globe.terrane -o mesh.glb -o a.r32 {place} --layers water_surface"));
    let about = desk.json("a.r32.json");
    let [width, height] = ["width", "height"].map(|k| about[k].as_f64().expect("a number"));
    let heights = desk.raw("a.r32");
    let top = heights.iter().copied().fold(f32::MIN, f32::max);

    let port = give(desk.bytes("mesh.glb"));
    let mut page = Page::open(&browser, (900, 600));
    page.go(&format!("http://127.0.0.1:{port}/"));
    page.wait("Boolean(window.shown)", LIMIT);
    let shown = page.value("shown");
    let number = |name: &str| shown[name].as_f64().expect("a number");
    assert_eq!(number("triangles"), 2.0 * (width - 1.0) * (height - 1.0), "{shown}");
    assert_eq!(number("drawn"), number("triangles"), "{shown}");
    assert_eq!(shown["picture"], serde_json::json!([width as u64, height as u64]), "{shown}");
    // metres, x east, z south, y up
    let size: Vec<f64> = (0..3).map(|k| shown["size"][k].as_f64().expect("a number")).collect();
    let span = |samples: f64| (samples - 1.0) * 3000.0;
    assert!((size[0] - span(width)).abs() < 1.0 && (size[2] - span(height)).abs() < 1.0, "{shown}");
    assert!((number("top") - f64::from(top)).abs() < 0.01, "{top} {shown}");
    let png = page.picture();
    keep("8-mesh.png", &png);
    let found = colours(&png);
    assert!(found >= 40, "the mesh has {found} colours, which is as good as blank");
    assert!(page.heard.errors.is_empty() && page.heard.failed.is_empty(), "{:?}", page.heard);
    let own = format!("http://127.0.0.1:{port}/");
    let inside = |url: &&String| {
        url.starts_with(&own) || ["data:", "blob:", "about:"].iter().any(|s| url.starts_with(s))
    };
    assert!(page.heard.urls.iter().all(|url| inside(&url)), "{:?}", page.heard.urls);
}
