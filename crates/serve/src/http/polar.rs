//! A pole from above: what a web map, which ends at 85 degrees, cannot show.

use super::address::{MAX_ZOOM, Overlays, Picture, Pole};
use super::colours::Drawing;
use super::overlays;
use super::planet::Surface;
use super::png;
use super::refusal::Refusal;
use super::scene::{Answer, Scene};
use super::sheet::PIXELS;
use crate::draw::furniture::degrees;
use crate::draw::{Anchor, Canvas, Rgba, Spacing, TextStyle};
use grid::{Projection, math};
use region::{Lattice, Window};
use std::f64::consts::TAU;

/// Colour of meridians and parallels, and of their numbers.
const LINE: Rgba = [40, 50, 62, 90];
const INK: Rgba = [40, 46, 54, 255];
const HALO: Rgba = [255, 255, 255, 190];

/// A picture of the land around a pole, `reach_deg` from it to the middles of the picture's sides.
///
/// # Errors
/// The world is flat, or cannot be read.
pub fn view(
    scene: &Scene,
    pole: Pole,
    (picture, over): (Picture, Overlays),
    (reach_deg, size): (f64, usize),
) -> Result<Answer, Refusal> {
    let Surface::Globe { radius_m } = scene.planet.about().surface else {
        return Err(Refusal::Missing("a flat map has no poles".into()));
    };
    let lat0_deg = if pole == Pole::North { 90.0 } else { -90.0 };
    let projection = Projection::Orthographic { lon0_deg: 0.0, lat0_deg };
    let step_m = 2.0 * radius_m * math::sin(reach_deg.to_radians()) / size as f64;
    let lattice = Lattice::Projected { radius_m, projection, step_m };
    let half = size as i64 / 2;
    let window = Window { west: -half, north: half, width: size, height: size };
    let request = scene.request(lattice, window)?.with_rivers(true);
    let region = scene.planet.refine(&request)?;
    let drawing = Drawing::of(&region, Spacing::Uniform { x_m: step_m, y_m: step_m });
    let rgb = drawing.rgb(scene, picture)?;
    let failed = |e: crate::draw::DrawError| Refusal::Failed(e.to_string());
    let mut canvas = Canvas::from_rgb(size, size, &rgb).map_err(failed)?;
    let page_m = |zoom: u8| TAU * radius_m / (PIXELS as f64 * f64::from(1u32 << zoom));
    let view = overlays::View {
        scene,
        ground: (&request, &region),
        zoom: (0..MAX_ZOOM).find(|&zoom| page_m(zoom) < 1.4 * step_m).unwrap_or(MAX_ZOOM),
        scale: (size as f32 / 900.0).max(1.0),
        has_symbols: picture == Picture::Atlas,
    };
    view.draw(over, &mut canvas)?;
    graticule(&mut canvas, projection, step_m / radius_m, reach_deg);
    Ok(Answer::new("image/png", png::rgba(size, size, &canvas.to_rgba())?))
}

/// Meridians and parallels with their numbers.
fn graticule(canvas: &mut Canvas, projection: Projection, radii_per_px: f64, reach_deg: f64) {
    let half = (canvas.width() / 2) as f64;
    let side = projection.center_deg().1.signum();
    let place = |lon: f64, off_deg: f64| {
        let (x, y) = projection.forward(lon, side * (90.0 - off_deg))?;
        Some(((half + x / radii_per_px) as f32 + 0.5, (half - y / radii_per_px) as f32 + 0.5))
    };
    let step = [1.0, 2.0, 5.0, 10.0, 15.0].into_iter().find(|s| reach_deg / s <= 6.0).unwrap_or(15.0);
    let style = TextStyle::new((canvas.width() as f32 / 64.0).clamp(10.0, 20.0))
        .colour(INK)
        .halo(HALO, 1.5)
        .anchor(Anchor::Centre);
    let far = (reach_deg * 1.45).min(90.0);
    for meridian in (-180..180).step_by(30).map(f64::from) {
        let line: Vec<_> = (1..=40).filter_map(|i| place(meridian, far * f64::from(i) / 40.0)).collect();
        canvas.line(&line, 1.0, LINE);
        if let Some(at) = place(meridian, 0.93 * reach_deg) {
            canvas.text(at, &degrees(meridian, ["W", "E"]), &style);
        }
    }
    let mut off = step;
    while off <= far {
        let ring: Vec<_> = (0..=180).filter_map(|i| place(f64::from(2 * i), off)).collect();
        canvas.line(&ring, 1.0, LINE);
        if let Some(at) = place(15.0, off).filter(|_| off < reach_deg) {
            canvas.text(at, &degrees(side * (90.0 - off), ["S", "N"]), &style);
        }
        off += step;
    }
}
