//! Ramps meet their stops, read from light to dark, and no colour jumps.

#![allow(clippy::unwrap_used, reason = "a test stops at what goes wrong")]

use serve::draw::palette::{self, RampError, built_in, categorical, natural_colour};
use serve::draw::{Ramp, Rgb};

/// Lightness of CIE L*a*b*, 0 to 100: another measure than the one the ramps are mixed in.
fn lightness(c: Rgb) -> f64 {
    let linear = |b: u8| {
        let s = f64::from(b) / 255.0;
        if s <= 0.04045 { s / 12.92 } else { grid::math::pow((s + 0.055) / 1.055, 2.4) }
    };
    let y = 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
    if y > 216.0 / 24_389.0 { 116.0 * grid::math::cbrt(y) - 16.0 } else { y * 24_389.0 / 27.0 }
}

fn apart(a: Rgb, b: Rgb) -> i32 {
    (0..3).map(|k| (i32::from(a[k]) - i32::from(b[k])).abs()).max().unwrap()
}

#[test]
fn a_ramp_is_exact_at_its_stops_and_level_beyond_them() {
    let stops = [(-3.0, [12, 200, 7]), (0.0, [255, 255, 255]), (0.5, [0, 0, 0]), (900.0, [90, 12, 250])];
    let ramp = Ramp::from_stops(&stops).unwrap();
    for (value, colour) in stops {
        assert_eq!(ramp.at(value), colour);
    }
    assert_eq!([ramp.at(-1e9), ramp.at(f32::NEG_INFINITY)], [[12, 200, 7]; 2]);
    assert_eq!([ramp.at(1e9), ramp.at(f32::INFINITY)], [[90, 12, 250]; 2]);
    assert_eq!(ramp.at(f32::NAN), [12, 200, 7]);
    assert_eq!(ramp.range(), (-3.0, 900.0));
}

#[test]
fn the_middle_of_black_and_white_is_half_as_light_to_the_eye() {
    let ramp = Ramp::from_stops(&[(0.0, [0, 0, 0]), (1.0, [255, 255, 255])]).unwrap();
    // OKLab lightness 0.5 is linear light 0.125, sRGB byte 99.
    assert_eq!(ramp.at(0.5), [99, 99, 99]);
}

#[test]
fn a_stretched_ramp_keeps_its_colours() {
    let ramp = palette::blues().stretched(-10.0, 30.0).unwrap();
    assert_eq!(ramp.range(), (-10.0, 30.0));
    for i in 0..=8 {
        assert!(apart(ramp.at(-10.0 + 5.0 * i as f32), palette::blues().at(i as f32 / 8.0)) <= 1);
    }
    assert!(palette::blues().stretched(1.0, 1.0).is_err());
}

#[test]
fn a_wrong_ramp_says_which_line() {
    let line = |n, text: &str| RampError::Line { line: n, text: text.into() };
    assert_eq!(Ramp::parse("0 1 2 3\n# remark\n5 1 2"), Err(line(3, "5 1 2")));
    assert_eq!(Ramp::parse("0 1 2 256"), Err(line(1, "0 1 2 256")));
    assert_eq!(Ramp::parse("0 1 2 3 4"), Err(line(1, "0 1 2 3 4")));
    assert_eq!(Ramp::parse("1 0 0 0\n1 9 9 9"), Err(RampError::Order { value: 1.0, before: 1.0 }));
    assert!(matches!(Ramp::parse("0 0 0 0\nnan 9 9 9"), Err(RampError::Order { .. })));
    assert_eq!(Ramp::parse("# nothing"), Err(RampError::Empty));
}

#[test]
fn sequential_ramps_only_grow_darker_or_lighter() {
    let darker = ["rain.txt", "mountains.txt", "blues.txt"];
    let lighter = ["ocean.txt", "atlas-sea.txt"];
    for (name, ramp) in built_in() {
        let (low, high) = ramp.range();
        let values: Vec<f64> =
            (0..=400).map(|i| lightness(ramp.at(low + (high - low) * i as f32 / 400.0))).collect();
        // Rounding to bytes moves lightness by up to about a third of a unit.
        if darker.contains(&name) {
            assert!(values.windows(2).all(|v| v[1] < v[0] + 0.35), "{name} grows lighter somewhere");
        }
        if lighter.contains(&name) {
            assert!(values.windows(2).all(|v| v[1] > v[0] - 0.35), "{name} grows darker somewhere");
        }
    }
    assert_eq!(built_in().iter().filter(|(n, _)| darker.contains(n) || lighter.contains(n)).count(), 5);
}

#[test]
fn the_temperature_ramp_is_lightest_at_freezing() {
    let light = |t: f32| lightness(palette::temperature().at(t));
    assert!((-50..35).all(|t| t == 0 || light(t as f32) < light(0.0)));
}

#[test]
fn natural_colours_are_smooth_everywhere() {
    let mut worst = 0;
    for height in [0.0, 1500.0, 3000.0, 5000.0] {
        for i in 0..700 {
            let t = -35.0 + i as f32 * 0.1;
            for j in 0..300 {
                let rain = j as f32 * 10.0;
                let here = natural_colour(height, t, rain);
                let steps = [
                    natural_colour(height, t + 0.1, rain),
                    natural_colour(height, t, rain + 10.0),
                    natural_colour(height + 25.0, t, rain),
                ];
                worst = steps.into_iter().map(|c| apart(here, c)).max().unwrap().max(worst);
            }
        }
    }
    // Of 255: a tenth of a degree, a centimetre of rain or 25 m are never an edge.
    assert!(worst <= 7, "a step of {worst}");
}

#[test]
fn natural_colours_are_what_people_expect() {
    let [desert, forest] = [natural_colour(300.0, 25.0, 40.0), natural_colour(300.0, 25.0, 2600.0)];
    let [taiga, ice] = [natural_colour(300.0, 1.0, 600.0), natural_colour(300.0, -25.0, 300.0)];
    let summit = natural_colour(6500.0, -18.0, 800.0);
    let green = |c: Rgb| i32::from(c[1]) - i32::from(c[0]).max(i32::from(c[2]));
    assert!(green(desert) < -10 && desert[0] > desert[2] + 30, "tan: {desert:?}");
    assert!(green(forest) > 15 && green(taiga) > 3, "green: {forest:?} {taiga:?}");
    assert!(lightness(ice) > 93.0 && lightness(summit) > 93.0, "white: {ice:?} {summit:?}");
    assert!(lightness(desert) > lightness(forest) + 20.0);
    // Nothing is a number: still a colour, no panic.
    natural_colour(f32::NAN, f32::NAN, f32::NAN);
}

#[test]
fn neighbouring_ids_are_easily_told_apart() {
    for id in (0..2000).chain([u32::MAX - 1]) {
        assert!(apart(categorical(id), categorical(id + 1)) >= 24, "{id}");
    }
}
