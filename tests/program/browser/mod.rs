//! The viewer in a real browser: it draws, goes near, answers a click, and asks nobody else.

mod chromium;
mod mesh;

use crate::cli_support::Desk;
use crate::serve::Serving;
use chromium::Page;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

/// Software that draws takes its time, more so on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);
const DRAWN: &str = "Boolean(window.terrane && terrane.map.loaded() && terrane.map.areTilesLoaded())";

/// What is answered at a path of this machine: the head and the contents.
pub fn get(port: u16, path: &str) -> (String, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("somebody listens");
    let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it is sent");
    // not to the end: browsers do not hang up
    let mut reader = BufReader::new(stream);
    let (mut head, mut line) = (String::new(), String::new());
    while reader.read_line(&mut line).is_ok_and(|n| n > 2) {
        head.push_str(&std::mem::take(&mut line));
    }
    let length = head.lines().filter_map(|l| l.split_once(':'));
    let mut length = length.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = length.next().and_then(|(_, n)| n.trim().parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    (head, String::from_utf8_lossy(&body).into())
}

/// Pictures of what was seen stay in the build folder.
fn keep(name: &str, png: &[u8]) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("viewer");
    std::fs::create_dir_all(&folder).expect("the build folder can be written to");
    std::fs::write(folder.join(name), png).expect("the build folder can be written to");
}

/// Number of different colours in the middle of a picture: a blank one has few.
fn colours(png: &[u8]) -> usize {
    let decoder = png::Decoder::new(std::io::Cursor::new(png));
    let mut reader = decoder.read_info().expect("it is a picture");
    let mut pixels = vec![0; reader.output_buffer_size().expect("it is small")];
    let info = reader.next_frame(&mut pixels).expect("it is whole");
    let (width, height, n) = (info.width as usize, info.height as usize, info.color_type.samples());
    let row = |y: usize| &pixels[y * width * n..][width * n / 4..width * n * 3 / 4];
    let colour = |p: &[u8]| [p[0] / 8, p[1] / 8, p[2] / 8];
    (height / 4..height * 3 / 4).flat_map(row_colours(row, n, colour)).collect::<BTreeSet<_>>().len()
}

fn row_colours<'a>(
    row: impl Fn(usize) -> &'a [u8],
    n: usize,
    colour: impl Fn(&[u8]) -> [u8; 3],
) -> impl FnMut(usize) -> Vec<[u8; 3]> {
    move |y| row(y).chunks_exact(n).map(&colour).collect()
}

/// Fetches what three links of the page's menu lead to: status, type and bytes of each.
const EXPORTS: &str = "(async () => { const all = []; \
    for (const id of ['export-tif', 'export-png', 'export-print-svg']) { \
        const answer = await fetch(document.getElementById(id).href); \
        const bytes = (await answer.arrayBuffer()).byteLength; \
        all.push([answer.status, answer.headers.get('content-type'), bytes]); \
    } return all; })()";

/// Asks a server that is busy twice, and says to come back after a fifth of a second.
const PATIENCE: &str = "import('/world.js').then(async ({ askBytes }) => {
  const real = window.fetch;
  let asked = 0;
  const busy = () => new Response('', { status: 503, headers: { 'Retry-After': '0.2' } });
  window.fetch = async (path, about) => {
    if (path !== '/nowhere') return real(path, about);
    asked += 1;
    return asked < 3 ? busy() : new Response(new Uint8Array([7]));
  };
  const start = performance.now();
  const bytes = await askBytes('/nowhere').finally(() => { window.fetch = real; });
  return { asked, told: new Uint8Array(bytes)[0], ms: performance.now() - start };
})";

fn see(page: &mut Page, name: &str, least: usize) {
    page.wait(DRAWN, LIMIT);
    let png = page.picture();
    keep(name, &png);
    let found = colours(&png);
    assert!(found >= least, "{name} has {found} colours in its middle, which is as good as blank");
}

/// No error was heard, and nobody else was asked for anything.
fn check(page: &Page, port: u16) {
    let own = format!("http://127.0.0.1:{port}/");
    let inside = |url: &&String| {
        url.starts_with(&own) || ["data:", "blob:", "about:"].iter().any(|s| url.starts_with(s))
    };
    let strangers: Vec<&String> = page.heard.urls.iter().filter(|u| !inside(u)).collect();
    assert!(strangers.is_empty(), "{strangers:?}");
    assert!(page.heard.urls.iter().any(|u| u.contains("/tiles/")), "no tile was asked for");
    assert!(page.heard.failed.is_empty(), "{:?}", page.heard.failed);
    assert!(page.heard.errors.is_empty(), "{:?}", page.heard.errors);
}

/// Names of rivers on the page's map, and how far from the middle of the view the farthest is, in degrees.
const NAMES: &str = "(() => { const map = terrane.map; const c = map.getCenter(); const r = Math.PI / 180; \
    const far = map.queryRenderedFeatures({ layers: ['outlets'] }).map(({ properties: p }) => Math.acos( \
    Math.sin(p.lat * r) * Math.sin(c.lat * r) + Math.cos(p.lat * r) * Math.cos(c.lat * r) * Math.cos((p.lon - c.lng) * r)) / r); \
    return { all: far.length, widest: Math.max(0, ...far) }; })()";

#[test]
fn the_viewer_works_in_a_browser() {
    let Some(browser) = chromium::installed() else {
        eprintln!("left out: no browser is installed (chromium, or the one that TERRANE_BROWSER names)");
        return;
    };
    let desk = Desk::with_globe();
    let serving = Serving::start(&desk, "globe.terrane");
    let port = serving.port;
    let url = format!("http://127.0.0.1:{port}/");

    let mut page = Page::open(&browser, (900, 600));
    page.go(&url);
    page.wait("Boolean(window.terrane)", LIMIT);
    see(&mut page, "1-globe.png", 40);
    assert_eq!(page.value("terrane.map.getProjection().type"), "globe");

    // no name of a river stands beside the disc, or lies on the far side
    page.value("void terrane.map.jumpTo({ center: [10, 15], zoom: 3 })");
    page.wait("terrane.map.loaded()", LIMIT);
    let names = page.value(NAMES);
    assert!(names["all"].as_u64() > Some(0) && names["widest"].as_f64() <= Some(60.0), "{names}");
    page.value("void terrane.map.jumpTo(terrane.map.home)");
    page.wait("terrane.map.loaded()", LIMIT);

    // a click on the globe tells of the place under it, and the address bar remembers
    page.click(450.0, 300.0);
    page.wait("!document.getElementById('panel').hidden", LIMIT);
    let told = page.value("document.getElementById('panel').innerText");
    let told = told.as_str().expect("a text").to_lowercase();
    assert!(told.contains("climate") && told.contains("°"), "{told}");
    assert!(page.value("document.querySelectorAll('#panel svg').length").as_u64() >= Some(2));
    assert!(page.value("location.hash").as_str().is_some_and(|h| h.contains("at=")), "the hash");
    see(&mut page, "2-place.png", 40);

    // a busy server is asked again, when it said
    let patience = page.value(PATIENCE);
    assert_eq!([&patience["asked"], &patience["told"]], [3, 7], "{patience}");
    assert!(patience["ms"].as_f64().is_some_and(|ms| ms >= 400.0), "{patience}");

    // near: what the highest peak looks like, and the map of another quantity
    let sights: serde_json::Value = serde_json::from_str(&get(port, "/api/sights").1).expect("it is JSON");
    let place = &sights[0]["place"];
    page.go(&format!("{url}#map=12/{}/{}&flat=1&on=water,crests,light", place[1], place[0]));
    page.wait("Boolean(window.terrane)", LIMIT);
    see(&mut page, "3-near.png", 30);
    assert_eq!(page.value("terrane.map.getZoom() === 12"), true);
    page.press("7");
    page.wait("terrane.state().picture === 'climate'", LIMIT);
    see(&mut page, "4-climate.png", 2);

    // the mountains stand up
    page.go(&format!("{url}#map=8/{}/{}/30/45&3d=1&on=water", place[1], place[0]));
    page.wait("Boolean(window.terrane)", LIMIT);
    see(&mut page, "5-relief.png", 30);

    // a pole from above
    page.press("n");
    page.wait("document.getElementById('polar-image').naturalWidth > 0", LIMIT);
    assert!(page.value("location.hash").as_str().is_some_and(|h| h.contains("pole=north/20")), "the hash");
    // nearer, and a place picked on it, whose water is followed there
    page.press("+");
    page.wait("document.getElementById('polar-image').src.includes('degrees=10')", LIMIT);
    page.wait("!document.getElementById('polar-image').classList.contains('waiting')", LIMIT);
    page.click(450.0, 250.0);
    page.wait("!document.getElementById('panel').hidden", LIMIT);
    let at = page.value("terrane.state().at");
    assert!(at[1].as_f64().is_some_and(|lat| lat > 80.0), "{at}");
    assert_eq!(page.value("document.querySelectorAll('#polar-over .mark').length"), 1);
    keep("6-pole.png", &page.picture());
    page.value("document.getElementById('polar-close').click()");

    // what is on the screen, as a file
    let saved = page.value(
        "terrane.map.picture().then(async (file) => { const { width } = await createImageBitmap(file); \
         return { width, kind: file.type, bytes: file.size }; })",
    );
    assert_eq!((&saved["width"], &saved["kind"]), (&900.into(), &"image/png".into()), "{saved}");
    assert!(saved["bytes"].as_u64() > Some(50_000), "as good as blank: {saved}");

    // what the view is taken home as: the addresses that the page writes, as a browser writes them
    page.go(&format!("{url}#map=10/{}/{}&flat=1&on=water,crests", place[1], place[0]));
    page.wait("Boolean(window.terrane)", LIMIT);
    page.press("e");
    let files = page.value(EXPORTS);
    let kinds = ["image/tiff", "image/png", "image/svg+xml"];
    for (file, kind) in files.as_array().expect("a list").iter().zip(kinds) {
        assert!(file[0] == 200 && file[1] == kind && file[2].as_u64() > Some(10_000), "{kind}: {files}");
    }
    assert_eq!(files.as_array().map(Vec::len), Some(kinds.len()), "{files}");
    check(&page, port);
    drop(page);

    let mut phone = Page::open(&browser, (390, 780));
    phone.go(&url);
    phone.wait("Boolean(window.terrane)", LIMIT);
    see(&mut phone, "7-phone.png", 40);
    assert_eq!(phone.value("document.documentElement.scrollWidth <= innerWidth"), true);
    check(&phone, port);
}
