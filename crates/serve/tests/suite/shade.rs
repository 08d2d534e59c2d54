//! Light on surfaces whose answer is known.

use grid::math::{cos, sin};
use serve::draw::Spacing;
use serve::draw::shade::{flat_brightness, hillshade, natural_exaggeration};

const RAD: f64 = std::f64::consts::PI / 180.0;

/// The four lights: azimuth and altitude in degrees, weight.
const LIGHTS: [(f64, f64, f64); 4] =
    [(315.0, 45.0, 0.70), (270.0, 50.0, 0.08), (0.0, 50.0, 0.08), (0.0, 90.0, 0.14)];

/// Lambert's law on a plane of this slope that falls towards this azimuth, from the textbook's angles:
/// `cos(zenith) cos(slope) + sin(zenith) sin(slope) cos(azimuth - aspect)` (Burrough and McDonnell 1998).
fn lambert(slope: f64, aspect: f64) -> f64 {
    let one = |(azimuth, altitude, weight): (f64, f64, f64)| {
        let zenith = (90.0 - altitude) * RAD;
        let light = cos(zenith) * cos(slope) + sin(zenith) * sin(slope) * cos(azimuth * RAD - aspect);
        weight * light.max(0.0)
    };
    LIGHTS.into_iter().map(one).sum()
}

#[test]
fn a_plane_is_as_bright_as_lambert_says_to_its_very_border() {
    let (width, height, x_m, y_m) = (9, 7, 30.0, 45.0);
    for slope_deg in [0.0, 5.0, 30.0, 60.0, 85.0] {
        for aspect_deg in [0.0, 37.0, 135.0, 200.0, 315.0] {
            let (slope, aspect) = (slope_deg * RAD, aspect_deg * RAD);
            let fall = sin(slope) / cos(slope);
            let (east, north) = (-fall * sin(aspect), -fall * cos(aspect));
            let elevation: Vec<f32> = (0..width * height)
                .map(|i| ((i % width) as f64 * x_m * east - (i / width) as f64 * y_m * north) as f32)
                .collect();
            let shade = hillshade(&elevation, width, height, &Spacing::Uniform { x_m, y_m }, 1.0);
            let want = lambert(slope, aspect) as f32;
            for s in shade {
                assert!((s - want).abs() < 2e-4, "slope {slope_deg}, aspect {aspect_deg}: {s}, not {want}");
            }
        }
    }
}

#[test]
fn level_ground_is_even_at_any_height() {
    let spacing = Spacing::Equirectangular { north_deg: 90.0, step_deg: 18.0, radius_m: 6e6 };
    let shade = hillshade(&[4321.0; 200], 20, 10, &spacing, 20.0);
    assert!(shade.iter().all(|&s| s == flat_brightness()));
    assert!((f64::from(flat_brightness()) - lambert(0.0, 0.0)).abs() < 1e-6);
}

#[test]
fn exaggeration_is_the_same_as_higher_ground() {
    let hill: Vec<f32> = (0..100).map(|i| ((i * i * 7) % 83) as f32).collect();
    let higher: Vec<f32> = hill.iter().map(|h| h * 4.0).collect();
    let spacing = Spacing::Uniform { x_m: 100.0, y_m: 100.0 };
    assert_eq!(hillshade(&hill, 10, 10, &spacing, 4.0), hillshade(&higher, 10, 10, &spacing, 1.0));
}

#[test]
fn rows_of_a_globe_are_as_long_as_their_latitude_says() {
    let spacing = Spacing::Equirectangular { north_deg: 60.0, step_deg: 1.0, radius_m: 6_371_000.0 };
    let (x, y) = spacing.at(0);
    assert!((y - 6_371_000.0 * RAD).abs() < 1e-6 && (x / y - 0.5).abs() < 1e-12);
    assert!((spacing.at(60).0 - y).abs() < 1e-6, "the equator");
    let listed = Spacing::Rows { x_m: vec![1.0, 2.0], y_m: vec![3.0] };
    assert_eq!([listed.at(0), listed.at(1), listed.at(9)], [(1.0, 3.0), (2.0, 3.0), (2.0, 3.0)]);
}

#[test]
fn sizes_that_do_not_fit_give_nothing() {
    let spacing = Spacing::Uniform { x_m: 1.0, y_m: 1.0 };
    assert!(hillshade(&[0.0; 5], 2, 2, &spacing, 1.0).is_empty());
    assert!(hillshade(&[], 0, 3, &spacing, 1.0).is_empty());
    assert_eq!(hillshade(&[7.0], 1, 1, &spacing, 1.0), [flat_brightness()]);
}

#[test]
fn coarse_maps_are_exaggerated_and_fine_ones_are_not() {
    assert_eq!([natural_exaggeration(5.0), natural_exaggeration(60.0)], [1.0, 1.0]);
    assert!((natural_exaggeration(6000.0) - 10.0).abs() < 1e-12);
    assert_eq!(natural_exaggeration(1e9), 20.0);
}
