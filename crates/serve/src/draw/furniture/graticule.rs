//! Lines of longitude and latitude.

use super::super::canvas::Canvas;
use super::super::colour::Rgba;
use super::super::text::{Anchor, TextStyle, size_of};
use super::Look;

/// The part of the world that a lon/lat picture shows, border to border, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Longitude of the left border.
    pub west: f64,
    /// Longitude of the right border, greater than `west` (beyond 180 where the map crosses the antimeridian).
    pub east: f64,
    /// Latitude of the lower border.
    pub south: f64,
    /// Latitude of the upper border.
    pub north: f64,
}

impl Frame {
    /// The whole world.
    pub const WORLD: Self = Self { west: -180.0, east: 180.0, south: -90.0, north: 90.0 };

    fn x(&self, lon: f64, canvas: &Canvas) -> f32 {
        ((lon - self.west) / (self.east - self.west) * canvas.width() as f64) as f32
    }

    fn y(&self, lat: f64, canvas: &Canvas) -> f32 {
        ((self.north - lat) / (self.north - self.south) * canvas.height() as f64) as f32
    }

    fn is_sound(&self) -> bool {
        let spans = [self.east - self.west, self.north - self.south];
        spans.iter().all(|s| s.is_finite() && *s > 0.0)
    }
}

/// Lines of equal longitude and latitude on an equirectangular map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Graticule {
    /// Degrees between lines.
    pub step_deg: f64,
    /// Colour of the lines; faint is best.
    pub colour: Rgba,
    /// Whether lines are numbered along the left and the lower border; they are only where the numbers have room.
    pub labels: bool,
}

impl Graticule {
    /// Faint white lines at a step that gives about a dozen over the frame's width, numbered.
    pub fn for_frame(frame: &Frame) -> Self {
        const STEPS: [f64; 12] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 45.0, 90.0];
        let wanted = (frame.east - frame.west) / 12.0;
        let step_deg = STEPS.into_iter().find(|s| *s >= wanted * 0.99).unwrap_or(90.0);
        Self { step_deg, colour: [255, 255, 255, 60], labels: true }
    }

    /// Draws the lines over the whole canvas.
    ///
    /// Nothing is drawn if the frame or the step is not positive, or for more than 1000 lines.
    pub fn draw(&self, canvas: &mut Canvas, frame: &Frame, look: &Look) {
        let span = (frame.east - frame.west).max(frame.north - frame.south);
        let step_ok = self.step_deg.is_finite() && self.step_deg > 0.0;
        if !(step_ok && frame.is_sound() && span / self.step_deg <= 1000.0) {
            return;
        }
        let lines = Self { labels: self.labels && self.has_room_for_labels(canvas, frame, look), ..*self };
        for lon in multiples(self.step_deg, frame.west, frame.east) {
            lines.meridian(canvas, frame, lon, look);
        }
        for lat in multiples(self.step_deg, frame.south, frame.north) {
            lines.parallel(canvas, frame, lat, look);
        }
    }

    /// Whether the numbers of neighbouring meridians do not touch.
    fn has_room_for_labels(&self, canvas: &Canvas, frame: &Frame, look: &Look) -> bool {
        let step_px = frame.x(frame.west + self.step_deg, canvas);
        let number = |lon: f64| size_of(&longitude(lon), LABEL_EM * look.text_px).0;
        let widest = multiples(self.step_deg, frame.west, frame.east).into_iter().map(number);
        widest.fold(0.0, f32::max) + 0.4 * look.text_px <= step_px
    }

    fn meridian(&self, canvas: &mut Canvas, frame: &Frame, lon: f64, look: &Look) {
        let (x, bottom) = (frame.x(lon, canvas), canvas.height() as f32);
        canvas.line(&[(x, 0.0), (x, bottom)], look.hairline(), self.colour);
        if self.labels {
            let text = longitude(lon);
            canvas.text((x, bottom - 0.3 * look.text_px), &text, &label(look, Anchor::Bottom));
        }
    }

    fn parallel(&self, canvas: &mut Canvas, frame: &Frame, lat: f64, look: &Look) {
        let (y, right) = (frame.y(lat, canvas), canvas.width() as f32);
        canvas.line(&[(0.0, y), (right, y)], look.hairline(), self.colour);
        if self.labels {
            canvas.text((0.4 * look.text_px, y), &degrees(lat, ["S", "N"]), &label(look, Anchor::Left));
        }
    }
}

/// Size of the numbers, measured by ordinary text.
const LABEL_EM: f32 = 0.8;

fn label(look: &Look, anchor: Anchor) -> TextStyle {
    let small = LABEL_EM * look.text_px;
    TextStyle::new(small).colour([60, 66, 74, 255]).anchor(anchor).halo([255, 255, 255, 205], small / 9.0)
}

/// The multiples of `step` strictly between two numbers.
fn multiples(step: f64, low: f64, high: f64) -> Vec<f64> {
    let (first, last) = ((low / step).floor() as i64 + 1, (high / step).ceil() as i64 - 1);
    (first..=last).map(|k| k as f64 * step).collect()
}

fn longitude(lon: f64) -> String {
    degrees((lon + 180.0).rem_euclid(360.0) - 180.0, ["W", "E"])
}

/// An angle as maps print it, with the sign for its side of zero: `30°S`.
pub fn degrees(value: f64, [negative, positive]: [&str; 2]) -> String {
    let side = match value {
        v if v.abs() < 1e-9 || (v.abs() - 180.0).abs() < 1e-9 => "",
        v if v < 0.0 => negative,
        _ => positive,
    };
    // Two decimals are what the finest step has; adding zero turns -0 into 0.
    format!("{}°{side}", (value.abs() * 100.0).round() / 100.0 + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_only_where_they_do_not_touch() {
        let drawn = |width: usize, labels: bool| {
            let mut canvas = Canvas::new(width, width / 2, [90, 120, 160, 255]).unwrap();
            let look = Look { text_px: 10.0, ..Look::for_width(width) };
            Graticule { labels, ..Graticule::for_frame(&Frame::WORLD) }.draw(
                &mut canvas,
                &Frame::WORLD,
                &look,
            );
            canvas.to_rgba()
        };
        // twelve meridians: the widest number, 150°W, is about 29 pixels of 8-pixel letters
        assert!(drawn(360, true) == drawn(360, false), "30 pixels each");
        assert!(drawn(480, true) != drawn(480, false), "40 pixels each");
    }
}
