//! The sea: what lies below its level and hangs together with the ocean.
//!
//! Samples at or below the level that touch, over a side or a corner, are one water. The ocean is the widest of them on a
//! globe, and each that reaches the border on a flat map. A wide water across a narrow strip of land from the sea
//! (`import.inland_sea_km2`, `import.strait_km`) belongs to it as well: straits are narrower than the samples of many
//! rasters. Other low ground is land: the Caspian Sea and the Dead Sea are lakes. What is missing counts as low. Shallow
//! arms of the sea that end in the land are rivers ([`super::estuary`]).

use super::estuary;
use crate::given::raster::{Lattice, Raster};
use crate::given::spread::Spread;
use crate::recipe::Import;
use grid::{Cell, Field, Grid};

/// Belongs to no water.
const NONE: u32 = u32::MAX;

/// What a sample is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ground {
    /// Above the sea, or low ground that no sea reaches.
    Land,
    /// The wide lower end of a river, which is held to be land.
    Estuary,
    Sea,
}

/// One for each sample: what it is. Cost: some passes over the raster.
pub(super) fn find(raster: &Raster, params: &Import) -> Vec<Ground> {
    match &raster.lattice {
        Lattice::Globe(grid) => find_on(grid, raster, params, false),
        Lattice::Flat(grid) => find_on(grid, raster, params, true),
    }
}

/// Waters and what is known of them.
struct Waters {
    of: Field<u32>,
    area_m2: Vec<f64>,
    at_border: Vec<bool>,
}

fn find_on(grid: &impl Grid, raster: &Raster, params: &Import, has_border: bool) -> Vec<Ground> {
    let waters = gather(grid, raster, has_border);
    let widest =
        (0..waters.area_m2.len()).reduce(|a, b| if waters.area_m2[b] > waters.area_m2[a] { b } else { a });
    let mut is_sea: Vec<bool> = (0..waters.area_m2.len())
        .map(|k| if has_border { waters.at_border[k] } else { Some(k) == widest })
        .collect();
    join(grid, &waters, &mut is_sea, params);
    let wet: Vec<bool> =
        waters.of.as_slice().iter().map(|&k| is_sea.get(k as usize).copied().unwrap_or(false)).collect();
    let arm = estuary::arms(grid, &raster.mean, &wet, params.estuary_km * 1000.0);
    let ground = |(wet, arm): (bool, bool)| match (wet, arm) {
        (false, _) => Ground::Land,
        (true, true) => Ground::Estuary,
        (true, false) => Ground::Sea,
    };
    wet.into_iter().zip(arm).map(ground).collect()
}

fn gather(grid: &impl Grid, raster: &Raster, has_border: bool) -> Waters {
    let low = |c: Cell| raster.mean[c.index()].is_nan() || raster.mean[c.index()] <= 0.0;
    let mut waters =
        Waters { of: Field::filled(grid.shape(), NONE), area_m2: Vec::new(), at_border: Vec::new() };
    let mut waiting = Vec::new();
    for start in grid.cells().filter(|&c| low(c)) {
        if waters.of[start] != NONE {
            continue;
        }
        let number = waters.area_m2.len() as u32;
        let (mut area_m2, mut at_border) = (0.0, false);
        waters.of[start] = number;
        waiting.push(start);
        while let Some(cell) = waiting.pop() {
            area_m2 += grid.area_m2(cell);
            at_border |= has_border && grid.at_border(cell);
            for (_, neighbor) in grid.neighbors(cell).filter(|&(_, n)| low(n)) {
                if waters.of[neighbor] == NONE {
                    waters.of[neighbor] = number;
                    waiting.push(neighbor);
                }
            }
        }
        waters.area_m2.push(area_m2);
        waters.at_border.push(at_border);
    }
    waters
}

/// Joins wide waters that lie across narrow land, one after the other from the sea outwards.
fn join(grid: &impl Grid, waters: &Waters, is_sea: &mut [bool], params: &Import) {
    let wide = |k: u32| k != NONE && waters.area_m2[k as usize] >= params.inland_sea_km2 * 1e6;
    if !waters.area_m2.iter().zip(is_sea.iter()).any(|(&a, &sea)| !sea && a >= params.inland_sea_km2 * 1e6) {
        return;
    }
    let mut spread = Spread::new(grid);
    let member = |k: u32, is_sea: &[bool]| k != NONE && is_sea[k as usize];
    // only shores lead anywhere
    let is_shore = |c: Cell| grid.neighbors(c).any(|(_, n)| waters.of[n] == NONE);
    grid.cells().filter(|&c| member(waters.of[c], is_sea) && is_shore(c)).for_each(|c| spread.start(c));
    // from the middle of the last sample of one water to that of the first of the other
    let most_m = params.strait_km * 1000.0 + grid.cell_m();
    while let Some(cell) = spread.next(grid, most_m) {
        let water = waters.of[cell];
        if wide(water) && !is_sea[water as usize] {
            is_sea[water as usize] = true;
            grid.cells().filter(|&c| waters.of[c] == water && is_shore(c)).for_each(|c| spread.start(c));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::given::raster::{Cover, Gatherer};
    use grid::{Flat, Globe, Topology};

    /// A raster from a picture: `~` low, `#` high, `.` missing.
    fn drawn(grid: &Topology, cover: Cover, rows: &[&str]) -> Raster {
        let mut gatherer = Gatherer::new(grid, cover, (rows[0].len(), rows.len()), 0.0).expect("a raster");
        for row in rows {
            let heights = row.bytes().map(|b| match b {
                b'~' => -10.0,
                b'#' => 10.0,
                _ => f32::NAN,
            });
            gatherer.push(&heights.collect::<Vec<f32>>());
        }
        gatherer.finish()
    }

    fn shown(sea: &[Ground], cols: usize) -> Vec<String> {
        let sign = |g: &Ground| match g {
            Ground::Land => '#',
            Ground::Estuary => '=',
            Ground::Sea => '~',
        };
        sea.chunks(cols).map(|r| r.iter().map(sign).collect()).collect()
    }

    /// A map of cells of 10 km.
    fn map() -> Topology {
        Topology::Flat(Flat::new(12, 6, 10_000.0).expect("a map"))
    }

    #[test]
    fn low_ground_inside_is_land_and_wide_waters_across_a_strait_are_sea() {
        let picture =
            ["~~##########", "~~##~~~#~~~#", "~~##~~~#~~~#", "~#####~#####", "############", "###.########"];
        let raster = drawn(&map(), Cover::Flat, &picture);
        let mut params =
            Import { inland_sea_km2: 600.0, strait_km: 0.0, estuary_km: 0.0, ..Import::default() };
        let none = shown(&find(&raster, &params), 12);
        assert_eq!(
            none,
            ["~~##########", "~~##########", "~~##########", "~###########", "############", "###~########"]
        );
        params.strait_km = 20.0;
        let both = shown(&find(&raster, &params), 12);
        assert_eq!(both[1..4], ["~~##~~~#~~~#", "~~##~~~#~~~#", "~#####~#####"], "one after the other");
        params.inland_sea_km2 = 650.0;
        let first = shown(&find(&raster, &params), 12);
        assert_eq!(first[1], "~~##~~~#####", "the second water has 600 km2, the first 700");
    }

    #[test]
    fn the_ocean_of_a_globe_is_the_widest_water_and_goes_around() {
        let grid = Topology::Globe(Globe::new(8, 6.371e6).expect("a globe"));
        let picture =
            ["############", "~~~~#~~#~~~~", "~~~~#~~#~~~~", "############", "############", "############"];
        let raster = drawn(&grid, Cover::Globe { west_deg: -180.0 }, &picture);
        let sea = shown(&find(&raster, &Import::default()), 12);
        assert_eq!(sea[1], "~~~~####~~~~");
    }
}
