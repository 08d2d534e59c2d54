//! What is taken home of a view: numbers, a picture, or a map to print.

use super::address::{Export, Frame, MAX_ZOOM, Picture, Tile};
use super::colours::{self, Drawing};
use super::planet::{Failure, Surface};
use super::refusal::Refusal;
use super::scene::{Answer, Scene};
use super::sheet::PIXELS;
use super::{overlays, png, print};
use crate::draw::furniture::ScaleBar;
use crate::draw::furniture::{Look, degrees, number, title};
use crate::draw::{Anchor, Canvas, Corner, Rgba, Spacing, TextStyle};
use crate::print::{Ground, capitalised};
use region::{Lattice, Region, Request, Sampled, Window};

/// Most samples of an export: more is a job for the command line.
const MOST_SAMPLES: usize = 8_000_000;
/// Least width of a printed map.
const PRINT_PIXELS: usize = 2200;
/// Zooms double: pictures have from this share of the width asked for to twice it.
const LEAST_SHARE: f64 = 0.625;
/// Size of letters on the page in pixels.
const PAGE_TEXT_PX: f32 = 12.0;
/// Colour of the graticule.
const LINE: Rgba = [40, 50, 62, 70];

/// An export of a part of the map.
///
/// # Errors
/// A frame that is none, or too large; a world that cannot be read.
pub fn view(scene: &Scene, export: Export, picture: Picture, frame: Frame) -> Result<Answer, Refusal> {
    check(scene, &frame)?;
    match export {
        Export::GeoTiff => geotiff(scene, &frame),
        Export::Png => picture_of(scene, picture, &frame, false),
        Export::Svg | Export::Pdf => print::sheet(scene, export, picture, &frame),
        Export::Print => {
            let frame = Frame { width: frame.width.max(PRINT_PIXELS), ..frame };
            picture_of(scene, picture, &frame, true)
        }
    }
}

/// Makes sure that a frame is a part of the map.
fn check(scene: &Scene, frame: &Frame) -> Result<(), Refusal> {
    let [west, south, east, north] = frame.bounds;
    let refuse = |why: &str| Err(Refusal::Malformed(format!("{west},{south},{east},{north}: {why}")));
    if west >= east || south >= north {
        return refuse("expected a west less than the east and a south less than the north");
    }
    match scene.planet.about().surface {
        Surface::Globe { .. } if east - west > 360.0 || west < -540.0 || east > 540.0 => {
            refuse("expected longitudes that go round the globe once at most")
        }
        Surface::Globe { .. } if south < -85.05 || north > 85.05 => {
            refuse("expected latitudes from -85.05 to 85.05, where the map ends")
        }
        _ => Ok(()),
    }
}

fn too_large(width: usize, height: usize) -> Refusal {
    let limit = number(MOST_SAMPLES as f64);
    Refusal::Malformed(format!(
        "{width} x {height} samples are more than {limit}: take a smaller part, or use terrane region"
    ))
}

/// Elevation and water on a lattice of degrees, or of metres on a flat map.
fn geotiff(scene: &Scene, frame: &Frame) -> Result<Answer, Refusal> {
    let [west, south, east, north] = frame.bounds;
    let step = (east - west) / frame.width as f64;
    let lattice = match scene.planet.about().surface {
        Surface::Globe { radius_m } => Lattice::LonLat { radius_m, step_deg: step },
        Surface::Flat { .. } => Lattice::Plane { step_m: step },
    };
    let window = lattice.window(west, south, east, north);
    if window.width.saturating_mul(window.height) > MOST_SAMPLES {
        return Err(too_large(window.width, window.height));
    }
    let mut request = scene.request(lattice, window)?;
    // what colours are mixed from is nobody's measure
    request.layers.retain(|layer| *layer != Sampled::Moisture);
    let region = scene.planet.refine(&request)?;
    let bytes = scene.planet.geotiff(region)?;
    Ok(Answer::new("image/tiff", bytes).saved_as("elevation.tif"))
}

/// The part of the page's map that a frame is, at the zoom that gives it the width asked for.
pub(super) struct View {
    /// The zoom.
    pub tile: Tile,
    /// Its corner in pixels of the whole map, from the north-west.
    corner: [i64; 2],
    /// Pixels from west to east.
    pub width: usize,
    /// Pixels from north to south.
    pub height: usize,
}

impl View {
    /// The width of a frame's view over its height.
    pub fn shape(scene: &Scene, frame: &Frame) -> f64 {
        let [low, high] = corners(scene, frame);
        (high[0] - low[0]) / (high[1] - low[1])
    }

    /// The view of a frame; its zoom gives it from five eighths of the width asked for to twice that.
    pub fn of(scene: &Scene, frame: &Frame) -> Result<Self, Refusal> {
        let [low, high] = corners(scene, frame);
        let pixels = |zoom: u8| (PIXELS as f64) * f64::from(1u32 << zoom);
        let enough = |z: &u8| (high[0] - low[0]) * pixels(*z) >= LEAST_SHARE * frame.width as f64;
        let zoom = (0..MAX_ZOOM).find(enough).unwrap_or(MAX_ZOOM);
        let at = |u: f64| (u * pixels(zoom)).round() as i64;
        let (width, height) = (at(high[0]) - at(low[0]), at(high[1]) - at(low[1]));
        let (width, height) = (width.max(1) as usize, height.max(1) as usize);
        if width * height > MOST_SAMPLES {
            return Err(too_large(width, height));
        }
        Ok(Self { tile: Tile { zoom, x: 0, y: 0 }, corner: [at(low[0]), at(low[1])], width, height })
    }

    /// The terrain of the view, with its rivers, and what was asked of the world.
    pub fn terrain(&self, scene: &Scene) -> Result<(Request, Region), Failure> {
        let (lattice, origin) = scene.sheet.tile(self.tile, 0);
        let window = Window {
            west: origin.west + self.corner[0],
            north: origin.north - self.corner[1],
            width: self.width,
            height: self.height,
        };
        let request = scene.request(lattice, window)?.with_rivers(true);
        let region = scene.planet.refine(&request)?;
        Ok((request, region))
    }

    /// Metres of a pixel in the middle of a row.
    pub fn metres(&self, scene: &Scene, row: usize) -> f64 {
        scene.sheet.row_m(self.tile.zoom, self.corner[1] as f64 + row as f64 + 0.5)
    }
}

/// North-western and south-eastern corner of a frame on the page.
fn corners(scene: &Scene, frame: &Frame) -> [[f64; 2]; 2] {
    let [west, south, east, north] = frame.bounds;
    [[west, north], [east, south]].map(|place| scene.sheet.on_page(place))
}

fn picture_of(scene: &Scene, picture: Picture, frame: &Frame, is_print: bool) -> Result<Answer, Refusal> {
    let failed = |e: crate::draw::DrawError| Refusal::Failed(e.to_string());
    let view = View::of(scene, frame)?;
    let (request, region) = view.terrain(scene)?;
    let metres: Vec<f64> = (0..view.height).map(|row| view.metres(scene, row)).collect();
    let spacing = Spacing::Rows { x_m: metres.clone(), y_m: metres };
    let rgb = Drawing::of(&region, spacing).rgb(scene, picture)?;
    let mut canvas = Canvas::from_rgb(view.width, view.height, &rgb).map_err(failed)?;
    let over = overlays::View {
        scene,
        ground: (&request, &region),
        zoom: view.tile.zoom,
        scale: if is_print { Look::for_width(view.width).text_px / PAGE_TEXT_PX } else { 1.0 },
        has_symbols: picture == Picture::Atlas,
    };
    over.draw(frame.over, &mut canvas)?;
    if is_print {
        graticule(scene, (&Ground::of_pixels(&region), frame), &mut canvas);
        canvas = furnished(scene, picture, (&view, frame), &mut canvas).map_err(failed)?;
    }
    let bytes = png::rgba(canvas.width(), canvas.height(), &canvas.to_rgba())?;
    Ok(Answer::new("image/png", bytes).saved_as(if is_print { "map.png" } else { "view.png" }))
}

/// The picture on paper with a frame, a title, a graticule, a scale and what is known of the world.
fn furnished(
    scene: &Scene,
    picture: Picture,
    (view, frame): (&View, &Frame),
    map: &mut Canvas,
) -> Result<Canvas, crate::draw::DrawError> {
    let look = Look::for_width(map.width());
    let about = scene.planet.about();
    let [west, south, east, north] = frame.bounds;
    let ([west, south], [east, north]) = (about.eastings.of([west, south]), about.eastings.of([east, north]));
    title(map, &capitalised(&about.name), picture.title(), &look);
    let metres_per_px = view.metres(scene, view.height / 2);
    ScaleBar { metres_per_px, note: "in the middle of the map" }.draw(map, Corner::BottomRight, &look);
    let em = look.text_px;
    let margin = (3.0 * em) as usize;
    let [r, g, b] = colours::PAPER;
    let mut sheet = Canvas::new(map.width() + 2 * margin, map.height() + 3 * margin, [r, g, b, 255])?;
    sheet.blit(map, margin as i32, margin as i32);
    let (at, size) = (margin as f32, (map.width() as f32, map.height() as f32));
    sheet.outline((at, at), size, 0.12 * em, look.ink);
    sheet.outline((at - 0.5 * em, at - 0.5 * em), (size.0 + em, size.1 + em), 0.05 * em, look.ink);
    let coordinate = |v: f64, signs| match about.surface {
        // over the antimeridian longitudes go on
        Surface::Globe { .. } if v.abs() > 180.0 => degrees(v - 360.0_f64.copysign(v), signs),
        Surface::Globe { .. } => degrees(v, signs),
        Surface::Flat { .. } => format!("{} km", number((v / 1000.0).round())),
    };
    let (ns, we) = (["S", "N"], ["W", "E"]);
    let words = format!(
        "{} to {}, {} to {}  ·  Mercator  ·  {}  ·  world {}",
        coordinate(west, we),
        coordinate(east, we),
        coordinate(south, ns),
        coordinate(north, ns),
        about.engine,
        about.digest.chars().take(12).collect::<String>()
    );
    sheet.text((at, at + size.1 + 1.6 * em), &words, &TextStyle::new(0.9 * em).colour(look.ink));
    Ok(sheet)
}

/// Meridians and parallels of a globe, at about six of each.
fn graticule(scene: &Scene, (sheet, frame): (&Ground, &Frame), map: &mut Canvas) {
    const STEPS: [f64; 12] = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0];
    if matches!(scene.sheet.0, Surface::Flat { .. }) {
        return;
    }
    let [west, south, east, north] = frame.bounds;
    let step = STEPS.into_iter().find(|s| (east - west) / s <= 8.0).unwrap_or(30.0);
    let multiples = |low: f64, high: f64| {
        ((low / step).ceil() as i64..=(high / step).floor() as i64).map(move |k| k as f64 * step)
    };
    let (right, bottom) = map.size();
    let look = Look::for_width(map.width());
    let small = 0.8 * look.text_px;
    let style = TextStyle::new(small).colour(look.ink).halo([255, 255, 255, 205], small / 9.0);
    for lon in multiples(west, east) {
        let Some(x) = sheet.point([lon, south]).map(|p| p[0] as f32) else { continue };
        // a number at a corner would be cut
        if x < 4.0 * small || x > right - 4.0 * small {
            continue;
        }
        map.line(&[(x, 0.0), (x, bottom)], 1.0, LINE);
        let lon = (lon + 180.0).rem_euclid(360.0) - 180.0;
        map.text((x, bottom - 0.4 * small), &degrees(lon, ["W", "E"]), &style.anchor(Anchor::Bottom));
    }
    for lat in multiples(south, north) {
        let Some(y) = sheet.point([west, lat]).map(|p| p[1] as f32) else { continue };
        if y < 2.0 * small || y > bottom - 3.0 * small {
            continue;
        }
        map.line(&[(0.0, y), (right, y)], 1.0, LINE);
        map.text((0.5 * small, y), &degrees(lat, ["S", "N"]), &style.anchor(Anchor::Left));
    }
}
