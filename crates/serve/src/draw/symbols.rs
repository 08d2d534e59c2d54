//! Symbols of printed maps, drawn as by hand: mountains, hills, volcanoes.

use grid::Draw;

use super::canvas::Point;
use super::colour::{Rgb, Rgba};
use super::stroke::Stroke;

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// A low range: a rounded back.
    Hill,
    /// A peak with a bright and a dark side.
    Mountain,
    /// A cone with an open top.
    Volcano,
}

/// Colours of symbols.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inks {
    /// Lines.
    pub line: Rgba,
    /// The side in the light.
    pub bright: Rgb,
    /// The side in the shadow.
    pub dark: Rgb,
}

/// The strokes of a symbol whose foot has its middle at a place, `width` wide. `draw` decides on the small differences that
/// no two symbols drawn by hand are without.
///
/// Lines have the widths that suit pictures, where a symbol is some 10 to 60 pixels wide; see [`Stroke::scaled`] for others.
pub fn symbol(kind: Symbol, foot: Point, width: f32, (inks, draw): (&Inks, &mut Draw)) -> Vec<Stroke> {
    match kind {
        Symbol::Hill => hill(foot, width, inks, draw),
        Symbol::Mountain => mountain(foot, width, inks, draw),
        Symbol::Volcano => volcano(foot, width, inks, draw),
    }
}

/// A number around 0, up to `most` to either side.
fn shaken(draw: &mut Draw, most: f32) -> f32 {
    draw.range(f64::from(-most), f64::from(most)) as f32
}

fn opaque([r, g, b]: Rgb) -> Rgba {
    [r, g, b, 255]
}

/// A line through points that wavers: middle points are moved off by a share of their segment's length.
fn wavering(points: &[Point], share: f32, draw: &mut Draw) -> Vec<Point> {
    let mut line = vec![points[0]];
    for pair in points.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        for t in [0.35, 0.7] {
            let off = shaken(draw, share);
            line.push((a.0 + dx * t - dy * off, a.1 + dy * t + dx * off));
        }
        line.push(b);
    }
    line
}

fn mountain((x, y): Point, w: f32, inks: &Inks, draw: &mut Draw) -> Vec<Stroke> {
    let height = w * (0.72 + shaken(draw, 0.10));
    let peak = (x + shaken(draw, 0.08) * w, y - height);
    let (left, right) = ((x - 0.5 * w, y), (x + 0.5 * w, y));
    let shoulder = (x + (0.24 + shaken(draw, 0.04)) * w, y - (0.44 + shaken(draw, 0.08)) * height);
    let west = wavering(&[left, (x - 0.24 * w, y - 0.40 * height), peak], 0.10, draw);
    let east = wavering(&[peak, shoulder, right], 0.12, draw);
    // the crest comes down towards the reader and parts light from shadow
    let bend = (peak.0 - 0.04 * w, peak.1 + 0.38 * height);
    let crest = wavering(&[peak, bend, (x + (0.07 + shaken(draw, 0.06)) * w, y - 0.04 * height)], 0.16, draw);
    let body: Vec<Point> = west.iter().chain(&east[1..]).copied().collect();
    let shadow: Vec<Point> = crest.iter().rev().chain(&east[1..]).copied().collect();
    let mut strokes =
        vec![Stroke::area(&body, opaque(inks.bright)), Stroke::area(&shadow, opaque(inks.dark))];
    let pen = (w / 24.0).clamp(0.7, 3.0);
    let soft = |line: [Point; 2]| Stroke::line(&line, 0.6 * pen, faded(inks.line, 150));
    for k in 1..=3 {
        // strokes run down the dark side, as slopes do
        let t = k as f32 / 4.0;
        let top = (peak.0 + (shoulder.0 - peak.0) * 1.2 * t, peak.1 + (shoulder.1 - peak.1) * 1.2 * t);
        let length = height * (0.42 - 0.16 * t) * (1.0 + shaken(draw, 0.25));
        let from = (top.0 - 0.01 * w, top.1 + 0.10 * height);
        strokes.push(soft([from, (from.0 + 0.05 * w, from.1 + length)]));
    }
    let spur = (x - (0.15 + shaken(draw, 0.04)) * w, y - 0.34 * height);
    strokes.extend([
        soft([spur, (spur.0 - 0.03 * w, spur.1 + 0.20 * height)]),
        Stroke::line(&crest, 0.6 * pen, faded(inks.line, 190)),
        Stroke::line(&west, 0.9 * pen, inks.line),
        Stroke::line(&east, 1.2 * pen, inks.line),
    ]);
    strokes
}

fn hill((x, y): Point, w: f32, inks: &Inks, draw: &mut Draw) -> Vec<Stroke> {
    let height = w * (0.36 + shaken(draw, 0.06));
    let lean = shaken(draw, 0.08);
    let back: Vec<Point> = (0..=14)
        .map(|i| {
            let t = i as f32 / 14.0;
            // an arch with soft feet
            let arch = 4.0 * t * (1.0 - t);
            let rise = arch * (0.6 + 0.4 * arch);
            (x + (t - 0.5 + lean * rise) * w, y - height * rise)
        })
        .collect();
    let top = back[7];
    let mut shadow: Vec<Point> = back[7..].to_vec();
    shadow.push((top.0 + 0.10 * w, y - 0.18 * height));
    let pen = (w / 22.0).clamp(0.6, 2.4);
    let stroke = [(top.0 + 0.13 * w, y - 0.62 * height), (top.0 + 0.19 * w, y - 0.30 * height)];
    vec![
        Stroke::area(&back, opaque(inks.bright)),
        Stroke::area(&shadow, opaque(inks.dark)),
        Stroke::line(&back, pen, inks.line),
        Stroke::line(&stroke, 0.6 * pen, faded(inks.line, 150)),
    ]
}

fn volcano((x, y): Point, w: f32, inks: &Inks, draw: &mut Draw) -> Vec<Stroke> {
    let height = w * (0.66 + shaken(draw, 0.05));
    let (left, right) = ((x - 0.5 * w, y), (x + 0.5 * w, y));
    let (rim_left, rim_right) = ((x - 0.12 * w, y - height), (x + 0.13 * w, y - 0.97 * height));
    let notch = (x + shaken(draw, 0.03) * w, y - 0.88 * height);
    let flank = |foot: Point, rim: Point| (0.62 * rim.0 + 0.38 * foot.0, 0.48 * rim.1 + 0.52 * foot.1);
    let west = [left, flank(left, rim_left), rim_left];
    let east = [rim_right, flank(right, rim_right), right];
    let body: Vec<Point> = west.iter().chain([&notch]).chain(&east).copied().collect();
    let shadow = [notch, rim_right, east[1], right, (x + 0.08 * w, y)];
    let pen = (w / 24.0).clamp(0.7, 3.0);
    let glow = [196, 72, 44, 255];
    // smoke
    let puff = |t: f32| (x + (0.05 + 0.16 * t) * w, y - height * (1.06 + 0.34 * t));
    vec![
        Stroke::area(&body, opaque(inks.bright)),
        Stroke::area(&shadow, opaque(inks.dark)),
        Stroke::line(&body, pen, inks.line),
        Stroke::line(&[rim_left, notch, rim_right], 1.6 * pen, glow),
        Stroke::line(&[puff(0.0), puff(0.45), puff(1.0)], 1.1 * pen, faded(inks.line, 120)),
    ]
}

fn faded([r, g, b, _]: Rgba, opacity: u8) -> Rgba {
    [r, g, b, opacity]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Canvas;
    use grid::{Nth, Purpose, Seed};

    #[test]
    fn symbols_stand_on_their_foot_and_are_lit_from_the_left() {
        let inks = Inks { line: [0, 0, 0, 255], bright: [255, 0, 0], dark: [0, 0, 255] };
        for kind in [Symbol::Hill, Symbol::Mountain, Symbol::Volcano] {
            for number in 0..50 {
                let mut canvas = Canvas::new(120, 120, [255, 255, 255, 255]).expect("in range");
                let mut draw = Seed(1).key(Purpose::new("test")).at(Nth(number));
                canvas.strokes(&symbol(kind, (60.0, 90.0), 60.0, (&inks, &mut draw)));
                let mut sums = [(0, 0); 2];
                for i in 0..120 * 120 {
                    let [r, g, b, _] = canvas.pixel(i % 120, i / 120).expect("inside");
                    if (r, g, b) == (255, 255, 255) {
                        continue;
                    }
                    let (x, y) = (i % 120, i / 120);
                    assert!((20..=100).contains(&x) && (15..=93).contains(&y), "{kind:?} at {x} {y}");
                    let side = if (r, g, b) == (255, 0, 0) {
                        Some(0)
                    } else {
                        ((r, g, b) == (0, 0, 255)).then_some(1)
                    };
                    if let Some(side) = side {
                        sums[side] = (sums[side].0 + x, sums[side].1 + 1);
                    }
                }
                let [bright, dark] = sums.map(|(x, n)| x as f32 / n as f32);
                assert!(bright < dark, "{kind:?}: {bright} {dark}");
            }
        }
    }
}
