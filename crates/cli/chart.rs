//! The long profile of a river as a picture: its level over the distance, and under it its discharge.

use crate::profile::{Profile, Station};
use anyhow::Result;
use serve::draw::furniture::{number, round_ticks};
use serve::draw::{Anchor, Canvas, Rgba, TextStyle};
use std::path::Path;

const WIDTH: usize = 1400;
const HEIGHT: usize = 900;
const TEXT_PX: f32 = 20.0;
/// Where the lowest frame ends.
const BOTTOM: f32 = 810.0;
const PAPER: Rgba = [255, 255, 255, 255];
const INK: Rgba = [44, 48, 54, 255];
const FAINT: Rgba = [222, 224, 226, 255];
const GROUND: Rgba = [205, 192, 170, 255];
const WATER: Rgba = [46, 105, 168, 255];
const DISCHARGE: Rgba = [120, 166, 210, 255];

/// Draws a profile and writes it as a PNG.
pub fn write(path: &Path, profile: &Profile, title: &str) -> Result<()> {
    let mut canvas = Canvas::new(WIDTH, HEIGHT, PAPER)?;
    let style = TextStyle::new(1.4 * TEXT_PX).colour(INK).anchor(Anchor::Left);
    canvas.text((110.0, 40.0), title, &style);
    let stations = &profile.stations;
    let length_km = stations.last().map_or(0.0, |s| s.distance_km).max(1e-3);
    let level = |s: &Station| s.level_m;
    let lowest = stations.iter().map(level).fold(0.0, f64::min);
    let highest = stations.iter().map(level).fold(lowest + 1.0, f64::max);
    let known: Vec<Station> = stations.iter().copied().filter(|s| s.discharge_m3_s.is_some()).collect();
    let bottom = if known.is_empty() { BOTTOM } else { 540.0 };
    let upper = Panel { top: 80.0, bottom, x: [0.0, length_km], y: [lowest, nice(highest)] };
    upper.area(&mut canvas, stations, level, GROUND);
    upper.frame(&mut canvas, "level in m", known.is_empty());
    upper.line(&mut canvas, stations, level, WATER);
    if known.is_empty() {
        // a way over hillsides alone, to the sea or into a lake
        return Ok(formats::png::write_rgba(path, canvas.width(), canvas.height(), &canvas.to_rgba())?);
    }
    // the sea carries no river: the last cell's discharge holds to the mouth
    let flow = |s: &Station| s.discharge_m3_s.unwrap_or(f64::NAN);
    let greatest = known.iter().map(flow).fold(1e-3, f64::max);
    let lower = Panel { top: 600.0, bottom: BOTTOM, x: [0.0, length_km], y: [0.0, nice(greatest)] };
    lower.area(&mut canvas, &known, flow, DISCHARGE);
    lower.frame(&mut canvas, "discharge in m\u{b3}/s", true);
    lower.line(&mut canvas, &known, flow, WATER);
    Ok(formats::png::write_rgba(path, canvas.width(), canvas.height(), &canvas.to_rgba())?)
}

/// A little more than a value, so that lines do not run along the frame.
fn nice(value: f64) -> f64 {
    1.05 * value
}

/// A diagram: the ranges of its axes and where it stands.
struct Panel {
    top: f32,
    bottom: f32,
    x: [f64; 2],
    y: [f64; 2],
}

const LEFT: f32 = 110.0;
const RIGHT: f32 = WIDTH as f32 - 40.0;

impl Panel {
    fn at(&self, x: f64, y: f64) -> (f32, f32) {
        let share = |v: f64, [low, high]: [f64; 2]| ((v - low) / (high - low)) as f32;
        (LEFT + share(x, self.x) * (RIGHT - LEFT), self.bottom - share(y, self.y) * (self.bottom - self.top))
    }

    fn points(&self, stations: &[Station], value: impl Fn(&Station) -> f64) -> Vec<(f32, f32)> {
        stations.iter().map(|s| self.at(s.distance_km, value(s))).collect()
    }

    fn area(&self, canvas: &mut Canvas, stations: &[Station], value: impl Fn(&Station) -> f64, colour: Rgba) {
        let mut ring = self.points(stations, value);
        if let (Some(&first), Some(&last)) = (ring.first(), ring.last()) {
            ring.extend([(last.0, self.bottom), (first.0, self.bottom)]);
            canvas.polygon(&ring, colour);
        }
    }

    fn line(&self, canvas: &mut Canvas, stations: &[Station], value: impl Fn(&Station) -> f64, colour: Rgba) {
        canvas.line(&self.points(stations, value), 3.0, colour);
    }

    /// Axes with round numbers, fine lines across, and what is measured.
    fn frame(&self, canvas: &mut Canvas, what: &str, has_distance: bool) {
        let small = TextStyle::new(TEXT_PX).colour(INK);
        let ticks = |[low, high]: [f64; 2], count| round_ticks((low as f32, high as f32), count);
        for tick in ticks(self.y, 5).into_iter().map(f64::from) {
            let (x, y) = self.at(self.x[0], tick);
            canvas.line(&[(x, y), (RIGHT, y)], 1.0, FAINT);
            canvas.text((x - 10.0, y), &number(tick), &small.anchor(Anchor::Right));
        }
        for tick in ticks(self.x, 8).into_iter().map(f64::from) {
            let (x, y) = self.at(tick, self.y[0]);
            canvas.line(&[(x, y), (x, y + 7.0)], 1.5, INK);
            if has_distance {
                canvas.text((x, y + 12.0), &number(tick), &small.anchor(Anchor::Top));
            }
        }
        canvas.line(&[(LEFT, self.top), (LEFT, self.bottom), (RIGHT, self.bottom)], 1.5, INK);
        canvas.text((LEFT + 12.0, self.top - 4.0), what, &small.halo(PAPER, 3.0));
        if has_distance {
            let middle = ((LEFT + RIGHT) / 2.0, self.bottom + 44.0);
            canvas.text(middle, "distance in km", &small.anchor(Anchor::Top));
        }
    }
}
