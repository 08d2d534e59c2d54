//! Relief: sea apart from land, light from the north-west, water where there is water.

#![allow(clippy::unwrap_used, reason = "a test stops at what goes wrong")]

use serve::draw::{DrawError, ReliefInput, Rgba, Spacing, Style, relief};

const SQUARE: Spacing = Spacing::Uniform { x_m: 100.0, y_m: 100.0 };

fn pixel(input: &ReliefInput<'_>, x: usize, y: usize) -> Rgba {
    relief::terrain(input).unwrap().pixel(x, y).unwrap()
}

fn bluish([r, _, b, _]: Rgba) -> bool {
    i32::from(b) - i32::from(r) > 25
}

#[test]
fn the_sea_is_blue_and_the_land_is_not_in_both_styles() {
    let elevation: Vec<f32> = (0..400).map(|i| if i % 20 < 10 { -800.0 } else { 300.0 }).collect();
    for style in [Style::Terrain, Style::Atlas] {
        let input = ReliefInput { style, ..ReliefInput::new(20, 20, &elevation, SQUARE) };
        assert!(bluish(pixel(&input, 2, 10)) && !bluish(pixel(&input, 17, 10)), "{style:?}");
    }
}

#[test]
fn a_mask_keeps_land_below_the_sea_dry() {
    let (elevation, dry) = (vec![-80.0; 400], vec![false; 400]);
    let input = ReliefInput { sea: Some(&dry), ..ReliefInput::new(20, 20, &elevation, SQUARE) };
    assert!(!bluish(pixel(&input, 9, 9)));
    assert!(bluish(pixel(&ReliefInput { sea: None, ..input }, 9, 9)));
}

#[test]
fn slopes_towards_the_light_are_brighter() {
    let ridge: Vec<f32> = (0..900).map(|i| 800.0 - ((i % 30) as f32 - 15.0).abs() * 30.0).collect();
    let input = ReliefInput::new(30, 30, &ridge, SQUARE);
    let sum = |x| pixel(&input, x, 15)[..3].iter().map(|&c| i32::from(c)).sum::<i32>();
    // West and east flanks at the same height.
    assert!(sum(8) > sum(22) + 60, "{} {}", sum(8), sum(22));
}

#[test]
fn lakes_are_drawn_over_the_ground_and_have_banks() {
    let elevation = vec![500.0; 400];
    let mut depth = vec![0.0; 400];
    (0..400)
        .filter(|i| (5..15).contains(&(i % 20)) && (5..15).contains(&(i / 20)))
        .for_each(|i| depth[i] = 8.0);
    let input = ReliefInput { water_depth: Some(&depth), ..ReliefInput::new(20, 20, &elevation, SQUARE) };
    let (lake, bank, land) = (pixel(&input, 10, 10), pixel(&input, 5, 10), pixel(&input, 2, 10));
    assert!(bluish(lake) && !bluish(land));
    assert!(bank[1] < lake[1], "the bank is darker: {bank:?} {lake:?}");
}

/// The floor of a valley is greener than the slopes beside; where nothing is said nothing is.
#[test]
fn moist_floors_are_greener() {
    let (elevation, warm, rain) = (vec![200.0; 400], vec![20.0; 400], vec![400.0; 400]);
    let moisture: Vec<f32> = (0..400).map(|i| if i % 20 == 10 { 300.0 } else { 0.0 }).collect();
    let bare = ReliefInput {
        temperature_c: Some(&warm),
        rain_mm: Some(&rain),
        ..ReliefInput::new(20, 20, &elevation, SQUARE)
    };
    let input = ReliefInput { moisture_mm: Some(&moisture), ..bare.clone() };
    let green = |p: Rgba| i32::from(p[1]) - i32::from(p[0]);
    assert!(green(pixel(&input, 10, 10)) > green(pixel(&input, 3, 10)) + 5);
    assert_eq!(pixel(&input, 3, 10), pixel(&bare, 3, 10));
    let short = ReliefInput { moisture_mm: Some(&moisture[1..]), ..bare };
    assert!(matches!(relief::terrain(&short), Err(DrawError::Length { layer: "moisture_mm", .. })));
}

/// Where it hardly ever thaws brooks are ice, not blue.
#[test]
fn water_is_ice_where_it_is_cold() {
    let (elevation, rain) = (vec![500.0; 400], vec![600.0; 400]);
    let depth: Vec<f32> = (0..400).map(|i| if i % 20 == 10 { 1.0 } else { 0.0 }).collect();
    let brook = |temperature_c: f32| {
        let temperature = vec![temperature_c; 400];
        let (water_depth, temperature_c) = (Some(&depth[..]), Some(&temperature[..]));
        let input = ReliefInput::new(20, 20, &elevation, SQUARE);
        pixel(&ReliefInput { water_depth, temperature_c, rain_mm: Some(&rain), ..input }, 10, 10)
    };
    assert!(bluish(brook(-5.0)) && !bluish(brook(-18.0)), "{:?} {:?}", brook(-5.0), brook(-18.0));
}

/// A river whose surface falls by centimetres from sample to sample, 20 m deep, to a sea that begins at column 180.
#[test]
fn a_river_turns_into_the_sea_little_by_little_and_no_coast_runs_across_it() {
    let (width, rows) = (200, 21);
    let at = |value: &dyn Fn(usize, usize) -> f32| -> Vec<f32> {
        (0..width * rows).map(|i| value(i % width, i / width)).collect()
    };
    let sea: Vec<bool> = (0..width * rows).map(|i| i % width >= 180).collect();
    let is_river = |x: usize, y: usize| x < 180 && (5..16).contains(&y);
    let elevation = at(&|x, y| match (x, is_river(x, y)) {
        (180.., _) => -20.0,
        (_, true) => 0.2 * (180 - x) as f32,
        _ => 60.0,
    });
    let depth = at(&|x, y| if is_river(x, y) { 20.0 } else { 0.0 });
    let input = ReliefInput {
        sea: Some(&sea),
        water_depth: Some(&depth),
        exaggeration: Some(0.0),
        ..ReliefInput::new(width, rows, &elevation, SQUARE)
    };
    let jumps = |input: &ReliefInput<'_>| {
        let picture = relief::terrain(input).unwrap();
        let at = |x: usize| picture.pixel(x, 10).unwrap();
        (21..width - 1).map(|x| (0..3).map(|k| at(x)[k].abs_diff(at(x - 1)[k])).max().unwrap()).max().unwrap()
    };
    let river = ReliefInput { river_m: Some(&depth), ..input.clone() };
    assert!(jumps(&river) <= 3, "{}", jumps(&river));
    // a lake that reaches the sea ends there, and has a shore
    assert!(jumps(&input) > 30, "{}", jumps(&input));
    // where the bed lies higher than the sea it is a river as any other
    assert_eq!(pixel(&river, 40, 10), pixel(&input, 40, 10));
    // shallow at its banks it turns into the sea where its middle does
    let shoals = at(&|x, y| if is_river(x, y) { 20.0 - 3.9 * y.abs_diff(10) as f32 } else { 0.0 });
    let shoaling = ReliefInput { water_depth: Some(&shoals), ..river.clone() };
    let likeness = |x: usize, y: usize| {
        let (mouth, here) = (pixel(&shoaling, 175, y), pixel(&shoaling, x, y));
        (0..3).map(|k| mouth[k].abs_diff(here[k])).max().unwrap()
    };
    for x in [60, 120, 150, 160, 170] {
        assert!(likeness(x, 7).abs_diff(likeness(x, 10)) <= 12, "{} {}", likeness(x, 7), likeness(x, 10));
    }
    // the light falls on its bed there, as on the floor of the sea: no step where one becomes the other
    let lit = ReliefInput { exaggeration: Some(20.0), ..river };
    assert!(jumps(&lit) <= 3, "{}", jumps(&lit));
}

#[test]
fn the_coast_shows_both_sides_of_a_pixel_by_their_share() {
    // The water's edge moves through the pixel at column 10 as its height grows; colours must follow evenly.
    let colour = |height: f32| {
        let elevation: Vec<f32> = (0..400)
            .map(|i| {
                if i % 20 == 10 {
                    height
                } else if i % 20 < 10 {
                    -40.0
                } else {
                    200.0
                }
            })
            .collect();
        pixel(
            &ReliefInput { exaggeration: Some(0.0), ..ReliefInput::new(20, 20, &elevation, SQUARE) },
            10,
            10,
        )
    };
    let mut last = colour(-60.0);
    for step in -59..=60 {
        let next = colour(step as f32);
        let jump = (0..3).map(|k| next[k].abs_diff(last[k])).max().unwrap();
        // A hard edge would jump by more than 50.
        assert!(jump <= 20, "a jump of {jump} at {step} m: {last:?} {next:?}");
        last = next;
    }
}

#[test]
fn layers_of_another_length_are_named() {
    let (elevation, short) = (vec![0.0; 6], vec![0.0; 5]);
    let good = ReliefInput::new(3, 2, &elevation, SQUARE);
    assert!(relief::terrain(&good).is_ok());
    let bad = ReliefInput { rain_mm: Some(&short), ..good };
    assert_eq!(
        relief::terrain(&bad).err(),
        Some(DrawError::Length { layer: "rain_mm", found: 5, expected: 6 })
    );
    let empty = ReliefInput::new(0, 0, &[], SQUARE);
    assert_eq!(relief::terrain(&empty).err(), Some(DrawError::Size { width: 0, height: 0 }));
}

#[test]
fn nothing_but_numbers_is_no_reason_to_panic() {
    let odd = [f32::NAN, f32::INFINITY, -f32::INFINITY, 0.0, -0.0, 1e30];
    let input = ReliefInput {
        water_depth: Some(&odd),
        temperature_c: Some(&odd),
        rain_mm: Some(&odd),
        ..ReliefInput::new(3, 2, &odd, SQUARE)
    };
    assert!(relief::terrain(&input).is_ok());
}

#[test]
fn any_number_of_threads_draws_the_same_picture() {
    let elevation: Vec<f32> = (0..60 * 40).map(|i| ((i * 7919) % 1000) as f32 - 300.0).collect();
    let draw = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| relief::terrain(&ReliefInput::new(60, 40, &elevation, SQUARE)).unwrap().to_rgba())
    };
    assert!(draw(1) == draw(3));
}
