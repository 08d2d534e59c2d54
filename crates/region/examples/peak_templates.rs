//! Makes the peak templates of `data/peaks/`: `cargo run -p terrane-region --example peak_templates`.
//!
//! A peak is the highest of several arms (crests that run out from the summit, falling and bending) with even
//! slopes beside them, carved by gullies of ridged noise, and faded to nothing before the border. The eight
//! shapes differ in their arms, slopes and tops; they are drawn from keys, so the files come out the same
//! each time.
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use grid::noise::Fractal;
use grid::{Key, Nth, Purpose, Seed, Vec3, math};
use region::template::SIDE;
use std::f64::consts::TAU;

/// What makes one shape: arms, their least height at the end, steepness beside them, rounding of the top.
struct Shape {
    name: &'static str,
    arms: &'static [f64],
    end: f64,
    slope: f64,
    round: f64,
    lean: f64,
    gullies: f64,
}

const SHAPES: [Shape; 8] = [
    Shape {
        name: "1_horn",
        arms: &[0.0, 0.31, 0.66],
        end: 0.25,
        slope: 1.7,
        round: 0.0,
        lean: 0.0,
        gullies: 0.25,
    },
    Shape {
        name: "2_pyramid",
        arms: &[0.02, 0.27, 0.5, 0.76],
        end: 0.2,
        slope: 1.35,
        round: 0.0,
        lean: 0.1,
        gullies: 0.2,
    },
    Shape {
        name: "3_dome",
        arms: &[0.1, 0.4, 0.7],
        end: 0.3,
        slope: 1.0,
        round: 0.3,
        lean: 0.0,
        gullies: 0.15,
    },
    Shape { name: "4_twin", arms: &[0.05, 0.55], end: 0.55, slope: 1.5, round: 0.0, lean: 0.0, gullies: 0.3 },
    Shape {
        name: "5_crest",
        arms: &[0.0, 0.48, 0.52],
        end: 0.4,
        slope: 1.9,
        round: 0.05,
        lean: 0.0,
        gullies: 0.3,
    },
    Shape {
        name: "6_star",
        arms: &[0.0, 0.18, 0.4, 0.6, 0.83],
        end: 0.15,
        slope: 1.8,
        round: 0.0,
        lean: 0.0,
        gullies: 0.2,
    },
    Shape {
        name: "7_tilted",
        arms: &[0.1, 0.3, 0.75],
        end: 0.2,
        slope: 1.4,
        round: 0.05,
        lean: 0.45,
        gullies: 0.25,
    },
    Shape {
        name: "8_massif",
        arms: &[0.0, 0.22, 0.52, 0.78],
        end: 0.5,
        slope: 1.3,
        round: 0.15,
        lean: 0.15,
        gullies: 0.35,
    },
];

fn main() -> std::io::Result<()> {
    for (k, shape) in (0u32..).zip(&SHAPES) {
        let key = Seed(1).key(Purpose::new("data/peaks")).within(Nth(k));
        let heights = normalised(&raise(shape, key));
        let bytes: Vec<u8> =
            heights.iter().flat_map(|h| ((h * 65_535.0).round() as u16).to_le_bytes()).collect();
        std::fs::write(format!("data/peaks/{}.r16", shape.name), bytes)?;
        println!("data/peaks/{}.r16", shape.name);
    }
    Ok(())
}

fn raise(shape: &Shape, key: Key) -> Vec<f64> {
    let arms: Vec<Vec<(f64, f64, f64)>> =
        (0u32..).zip(shape.arms).map(|(n, &turn)| arm(shape, key, n, turn)).collect();
    let noise = Fractal::new(key.within(Nth(99)), 4, 0.5);
    let half = (SIDE - 1) as f64 / 2.0;
    (0..SIDE * SIDE)
        .map(|i| {
            let (x, y) = ((i % SIDE) as f64 / half - 1.0, (i / SIDE) as f64 / half - 1.0);
            let bend = noise.vector(Vec3::new(x, y, 3.5) * 2.0) * 0.12;
            let (bx, by) = (x + bend.x, y + bend.y);
            let crest = arms.iter().map(|a| beside(a, bx, by, shape.slope)).fold(0.0, f64::max);
            let rounded = (1.0 - shape.round) * crest + shape.round * math::smoothstep(0.0, 1.0, crest);
            let r = (x * x + y * y).sqrt();
            let gully = 1.0
                - shape.gullies * noise.ridged(Vec3::new(x, y, 0.5) * 2.5) * math::smoothstep(0.05, 0.5, r);
            let lean = 1.0 + shape.lean * x;
            rounded * gully * lean * (1.0 - math::smoothstep(0.45, 0.97, r))
        })
        .collect()
}

/// Points of a crest that runs out from the summit: x, y and height.
fn arm(shape: &Shape, key: Key, n: u32, turn: f64) -> Vec<(f64, f64, f64)> {
    const POINTS: usize = 7;
    let mut draw = key.at(Nth(n));
    let mut heading = TAU * turn + draw.range(-0.25, 0.25);
    let (mut x, mut y) = (0.0, 0.0);
    let mut points = vec![(x, y, 1.0)];
    for k in 1..POINTS {
        heading += draw.range(-0.35, 0.35);
        x += math::cos(heading) * 0.16;
        y += math::sin(heading) * 0.16;
        let fall = k as f64 / (POINTS - 1) as f64;
        points.push((x, y, (1.0 - (1.0 - shape.end) * fall) * draw.range(0.9, 1.03)));
    }
    points
}

/// Height beside a crest: it falls evenly with the distance from the nearest piece.
fn beside(arm: &[(f64, f64, f64)], x: f64, y: f64, slope: f64) -> f64 {
    let piece = |w: &[(f64, f64, f64)]| {
        let ((ax, ay, ah), (bx, by, bh)) = (w[0], w[1]);
        let (dx, dy) = (bx - ax, by - ay);
        let t = (((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)).clamp(0.0, 1.0);
        let (ex, ey) = (x - ax - t * dx, y - ay - t * dy);
        ah + (bh - ah) * t - slope * (ex * ex + ey * ey).sqrt()
    };
    arm.windows(2).map(piece).fold(0.0, f64::max)
}

/// Scales to a summit of 1 and presses the border to 0.
fn normalised(heights: &[f64]) -> Vec<f64> {
    let highest = heights.iter().copied().fold(0.0, f64::max);
    heights.iter().map(|h| (h / highest).clamp(0.0, 1.0)).collect()
}
