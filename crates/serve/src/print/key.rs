//! What the colours of a map mean: only those that it shows.

use super::Land;
use crate::draw::classes::Class;
use crate::draw::furniture::round_ticks;
use crate::draw::palette::{self, Ramp};
use crate::draw::relief::{lake_colour, salt_lake_colour};
use crate::draw::{Rgb, Style};

/// What the colours of the ground mean.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// Lines of colour along quantities, each with its name.
    Ramps(Vec<(String, Ramp)>),
    /// Colours with names, as many as there is room for.
    Swatches(Vec<(String, Rgb)>),
    /// A line that says it.
    Words(String),
}

/// Samples that speak for all of a map.
const PROBES: usize = 100_000;

/// What is known of a map's samples beside their heights, row by row from the north.
#[derive(Clone, Copy, Debug)]
pub struct Weather<'a> {
    /// Mean temperature of the year in degrees Celsius.
    pub temperature_c: &'a [f32],
    /// Rain in mm a year.
    pub rain_mm: &'a [f32],
    /// Depth in metres of the fresh water that is an area on the map; narrow rivers, which are lines, are none.
    pub fresh_m: &'a [f32],
    /// Which samples are salt lakes, if any can be.
    pub salt: Option<&'a [bool]>,
}

/// The key of a relief: what grows on it, or how high it is.
pub fn relief(style: Style, land: &Land, weather: &Weather) -> Key {
    match style {
        Style::Atlas => heights(land, palette::atlas_sea()),
        Style::Terrain => Key::Swatches(grown(land, weather)),
    }
}

/// The key of a map of heights: of land, and of the sea where there is some in its colours.
pub fn heights(land: &Land, sea: &Ramp) -> Key {
    // floors of lakes have the colour of water
    let of_land = |i: usize| land.water_depth[i] <= 0.0;
    let parts = [
        ("Land, m", part(palette::hypsometric(), probed(land, of_land))),
        ("Sea, m", part(sea, probed(land, |i| land.is_sea(i)))),
    ];
    Key::Ramps(parts.into_iter().filter_map(|(name, ramp)| Some((name.to_string(), ramp?))).collect())
}

/// Indices of some samples, evenly chosen.
fn probes(land: &Land) -> impl Iterator<Item = usize> {
    let all = land.elevation.len();
    (0..all).step_by((all / PROBES).max(1))
}

fn probed(land: &Land, wanted: impl Fn(usize) -> bool) -> Option<(f32, f32)> {
    let heights = probes(land).filter(|&i| wanted(i)).map(|i| land.elevation[i]).filter(|z| z.is_finite());
    heights.fold(None, |range, z| match range {
        None => Some((z, z)),
        Some((low, high)) => Some((z.min(low), z.max(high))),
    })
}

/// The part of a ramp that a map shows, out to round values.
fn part(ramp: &Ramp, shown: Option<(f32, f32)>) -> Option<Ramp> {
    let (low, high) = shown?;
    let ticks = round_ticks((low, high.max(low + 1.0)), 4);
    let step = ticks.windows(2).map(|w| w[1] - w[0]).next().unwrap_or(1.0);
    ramp.part((low / step).floor() * step, (high / step).ceil() * step)
}

/// The kinds of ground of the map's dry land, and its fresh water.
fn grown(land: &Land, weather: &Weather) -> Vec<(String, Rgb)> {
    let of_land = probes(land).filter(|&i| !land.is_sea(i) && land.elevation[i].is_finite());
    let (wet, dry): (Vec<usize>, Vec<usize>) =
        of_land.partition(|&i| weather.fresh_m.get(i).is_some_and(|d| *d > 0.0));
    let place = |i: usize| Some((*weather.temperature_c.get(i)?, *weather.rain_mm.get(i)?));
    let kinds = palette::kinds_of_land(dry.into_iter().filter_map(place));
    let mut key: Vec<(String, Rgb)> =
        kinds.into_iter().map(|(name, colour)| (name.to_string(), colour)).collect();
    let (mut standing, mut flowing, mut salty) = (false, false, false);
    for i in wet {
        let is_salt = weather.salt.is_some_and(|salt| salt.get(i) == Some(&true));
        let flows = land.discharge.is_some_and(|q| q[i] > 0.0);
        *(if is_salt {
            &mut salty
        } else if flows {
            &mut flowing
        } else {
            &mut standing
        }) = true;
    }
    let fresh = match (standing, flowing) {
        (true, true) => Some("Lake, wide river"),
        (true, false) => Some("Lake"),
        (false, true) => Some("Wide river"),
        (false, false) => None,
    };
    key.extend(fresh.map(|name| (name.to_string(), lake_colour(Style::Terrain))));
    if salty {
        key.push(("Salt lake".to_string(), salt_lake_colour()));
    }
    key
}

/// The classes, by their indices, of which a map shows at least a thousandth, in their own order; the greatest of them where
/// there are more than a sheet has room for.
pub fn present(classes: &[Class], shown: impl Iterator<Item = usize>) -> Vec<(String, Rgb)> {
    const MOST: usize = 30;
    let mut counts: Vec<(usize, u64)> = (0..classes.len()).map(|class| (class, 0)).collect();
    shown.for_each(|class| counts.get_mut(class).into_iter().for_each(|count| count.1 += 1));
    let all: u64 = counts.iter().map(|count| count.1).sum();
    counts.retain(|count| count.1 > 0 && 1000 * count.1 >= all);
    counts.sort_by_key(|&(class, count)| (std::cmp::Reverse(count), class));
    counts.truncate(MOST);
    counts.sort_unstable();
    counts.iter().map(|&(class, _)| (classes[class].name.to_string(), classes[class].colour)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::classes::BIOMES;
    use region::{Lattice, Window};

    /// A coast of 100 samples: a sea of 300 m in the west, a plain that rises to 180 m in the east.
    fn with_coast(visit: impl FnOnce(&Land)) {
        let lattice = Lattice::Plane { step_m: 100.0 };
        let window = Window { west: 0, north: 0, width: 100, height: 1 };
        let elevation: Vec<f32> =
            (0..100).map(|i| if i < 30 { -300.0 } else { (i - 30) as f32 * 180.0 / 69.0 }).collect();
        let surface: Vec<f32> = elevation.iter().map(|z| z.max(0.0)).collect();
        let depth: Vec<f32> = elevation.iter().map(|z| (-z).max(0.0)).collect();
        visit(&Land {
            lattice: &lattice,
            window,
            elevation: &elevation,
            water_surface: &surface,
            water_depth: &depth,
            discharge: None,
        });
    }

    #[test]
    fn a_key_of_heights_ends_where_the_map_does() {
        with_coast(|land| {
            let Key::Ramps(ramps) = heights(land, palette::atlas_sea()) else { panic!("ramps") };
            let ranges: Vec<_> = ramps.iter().map(|(name, ramp)| (name.as_str(), ramp.range())).collect();
            assert_eq!(ranges.len(), 2);
            assert_eq!((ranges[0].0, ranges[0].1), ("Land, m", (0.0, 200.0)));
            assert!(ranges[1].1.0 <= -300.0 && ranges[1].1.0 >= -400.0, "{ranges:?}");
            let colour = |z| (ramps[0].1.at(z), palette::hypsometric().at(z));
            assert!([0.0, 90.0, 180.0].map(colour).iter().all(|(own, of_map)| own == of_map));
            // a lake of ten samples with its floor far below the sea
            let in_lake = |i: usize| (50..60).contains(&i);
            let elevation: Vec<f32> =
                (0..100).map(|i| if in_lake(i) { -250.0 } else { land.elevation[i] }).collect();
            let depth: Vec<f32> = (0..100).map(|i| (land.water_surface[i] - elevation[i]).max(0.0)).collect();
            let with_lake = Land { elevation: &elevation, water_depth: &depth, ..*land };
            let Key::Ramps(ramps) = heights(&with_lake, palette::atlas_sea()) else { panic!("ramps") };
            assert_eq!((ramps[0].0.as_str(), ramps[0].1.range()), ("Land, m", (0.0, 200.0)));
        });
    }

    #[test]
    fn a_key_of_what_grows_leaves_out_what_does_not() {
        with_coast(|land| {
            let (hot, dry) = (vec![24.0; 100], vec![60.0; 100]);
            let with_salt = |discharge: Option<&[f32]>, fresh_m: &[f32], salt: Option<&[bool]>| {
                let weather = Weather { temperature_c: &hot, rain_mm: &dry, fresh_m, salt };
                let land = Land { discharge, ..*land };
                let Key::Swatches(key) = relief(Style::Terrain, &land, &weather) else { panic!("swatches") };
                key.into_iter().map(|k| k.0).collect::<Vec<_>>()
            };
            let names = |discharge: Option<&[f32]>, fresh_m: &[f32]| with_salt(discharge, fresh_m, None);
            assert_eq!(names(None, &[0.0; 100]), ["Desert"]);
            // a lake of ten samples and a river of five
            let wet: Vec<f32> = (0..100).map(|i| if (50..65).contains(&i) { 2.0 } else { 0.0 }).collect();
            let flow: Vec<f32> = (0..100).map(|i| if (60..65).contains(&i) { 900.0 } else { 0.0 }).collect();
            assert_eq!(names(None, &wet), ["Desert", "Lake"]);
            let salt = |from: usize| (0..100).map(|i| i >= from).collect::<Vec<bool>>();
            assert_eq!(with_salt(None, &wet, Some(&salt(0))), ["Desert", "Salt lake"]);
            assert_eq!(with_salt(None, &wet, Some(&salt(55))), ["Desert", "Lake", "Salt lake"]);
            assert_eq!(with_salt(None, &wet, Some(&salt(65))), ["Desert", "Lake"]);
            assert_eq!(names(Some(&flow), &wet), ["Desert", "Lake, wide river"]);
            let river: Vec<f32> = flow.iter().map(|q| q.min(2.0)).collect();
            assert_eq!(names(Some(&flow), &river), ["Desert", "Wide river"]);
            assert_eq!(names(Some(&flow), &[0.0; 100]), ["Desert"], "a narrow river is a line");
        });
    }

    #[test]
    fn a_key_names_what_the_map_shows() {
        let shown = [vec![3; 5000], vec![11; 900], vec![1; 2], vec![99; 7]].concat();
        let key = present(&BIOMES, shown.into_iter());
        assert_eq!(key, [3, 11].map(|k| (BIOMES[k].name.to_string(), BIOMES[k].colour)));
    }
}
