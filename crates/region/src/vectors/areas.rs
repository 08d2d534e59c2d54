//! Lakes and basins as areas: the outlines of sampled layers along the borders of samples.
//!
//! A lake is all fresh water that stands at one level: samples with water that are neither sea nor a river's channel,
//! and have one water surface, bit for bit, for lakes are level. Outlines go half a step beyond the samples, so areas
//! of neighbouring samples touch.
//!
//! A plane of longitudes is cut along the antimeridian first, and each half outlined for itself: the column of samples
//! that lies on it belongs to both, up to 180 degrees.

use super::{BasinArea, LakeArea, Place, goes_around, place};
use crate::derived::is_sea;
use crate::lattice::{Lattice, Window};
use crate::refine::{self, RefineError, Region};
use crate::request::{Request, Sampled};
use grid::{Field, Shape};
use hydro::outline::outlines;
use std::collections::BTreeMap;
use world::CellSource;

/// An area in one piece, by closed rings; the outline runs counterclockwise with north up, holes clockwise. Where the
/// lattice is not one of longitudes, a ring may cross the antimeridian or go around a pole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Piece {
    /// Its outline.
    pub outer: Vec<Place>,
    /// What is missing inside.
    pub holes: Vec<Vec<Place>>,
}

/// No area.
const NONE: u32 = 0;

/// The lakes of a region, from low to high.
pub(super) fn lakes(
    source: &impl CellSource,
    request: &Request,
    region: &Region,
) -> Result<Vec<LakeArea>, RefineError> {
    let layers = [Sampled::WaterSurface, Sampled::WaterDepth, Sampled::Discharge].map(|l| region.layer(l));
    let [Some(surface), Some(depth), Some(discharge)] = layers else { return Ok(Vec::new()) };
    let level = |i: usize| {
        let stands = depth[i] > 0.0 && discharge[i] == 0.0 && !is_sea(surface[i], depth[i]);
        // bits in the order of numbers
        stands.then(|| ordered(surface[i]))
    };
    let mut found: BTreeMap<u32, (f32, f32)> = BTreeMap::new();
    for (i, key) in (0..surface.len()).filter_map(|i| Some((i, level(i)?))) {
        let (_, deepest) = found.entry(key).or_insert((surface[i], 0.0));
        *deepest = deepest.max(depth[i]);
    }
    let numbers: BTreeMap<u32, u32> = found.keys().copied().zip(1..).collect();
    let label = |i: usize| level(i).map_or(NONE, |key| numbers[&key]);
    let mut pieces = outlined(region, label);
    let known = known_lakes(source, request)?;
    let lake = |((_, (level_m, depth_m)), number): ((u32, (f32, f32)), u32)| LakeArea {
        pieces: pieces.remove(&number).unwrap_or_default(),
        level_m: level_m.into(),
        depth_m: depth_m.into(),
        lake: known.get(&ordered(level_m)).copied(),
    };
    Ok(found.into_iter().zip(1..).map(lake).collect())
}

/// A number whose order is that of real numbers.
fn ordered(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// The world's lakes near a region by their levels; of two at one level the one with the lower number.
fn known_lakes(source: &impl CellSource, request: &Request) -> Result<BTreeMap<u32, u32>, RefineError> {
    let cells = refine::cells_near(source.grid(), request);
    let mut known = BTreeMap::new();
    for state in source.gather(&cells)? {
        if let Some(lake) = state.lake {
            let number = known.entry(ordered(state.water_level_m as f32)).or_insert(lake);
            *number = lake.min(*number);
        }
    }
    Ok(known)
}

/// The basins of a region, by number.
pub(super) fn basins(region: &Region) -> Vec<BasinArea> {
    let Some(basin) = region.layer(Sampled::Basin) else { return Vec::new() };
    let label = |i: usize| if basin[i] >= 0.0 { basin[i] as u32 + 1 } else { NONE };
    let found = outlined(region, label).into_iter();
    found.map(|(label, pieces)| BasinArea { pieces, basin: label - 1 }).collect()
}

/// The pieces of each label.
fn outlined(region: &Region, label: impl Fn(usize) -> u32) -> BTreeMap<u32, Vec<Piece>> {
    let mut pieces: BTreeMap<u32, Vec<Piece>> = BTreeMap::new();
    for part in parts(region) {
        let width = region.window.width;
        let columns = part.to - part.from;
        let shape = Shape { faces: 1, rows: region.window.height as u32, cols: columns as u32 };
        let at = |i: usize| label(i / columns * width + part.from + i % columns);
        let Some(labels) = Field::from_vec(shape, (0..shape.len()).map(at).collect()) else { continue };
        for outline in outlines(&labels, NONE) {
            let ring = |corners: &Vec<[u32; 2]>| part.ring(region, corners);
            let piece = |p: &hydro::outline::Part| Piece {
                outer: ring(&p.outer),
                holes: p.holes.iter().map(ring).collect(),
            };
            pieces.entry(outline.label).or_default().extend(outline.parts.iter().map(piece));
        }
    }
    pieces
}

/// Columns of a region that lie on one side of the antimeridian.
struct Part {
    from: usize,
    to: usize,
    /// What is taken off the lattice's coordinates, so that they are in range.
    shift: f64,
}

/// A region cut along the antimeridian, if its plane is one of longitudes.
///
/// A column that lies on the antimeridian within the region is in both parts. At the region's own side it is in the part
/// of its middle alone, so that a region that goes all the way around does not overlap itself.
fn parts(region: &Region) -> Vec<Part> {
    let Window { west, width, .. } = region.window;
    let lattice = &region.lattice;
    let Some(round) = goes_around(lattice) else { return vec![Part { from: 0, to: width, shift: 0.0 }] };
    let at = |column: f64| (west as f64 + column + lattice.offset()) * lattice.step();
    let hair = 1e-9 * round;
    let mut parts = Vec::new();
    let (mut from, mut turn) = (0, ((at(0.0) + 0.5 * round) / round).floor());
    loop {
        let end = (turn + 0.5) * round;
        let eastern = |column: &usize| at(*column as f64 + 0.5) > end + hair;
        let to = (from..width).find(eastern).map_or(width, |last| last + 1);
        parts.push(Part { from, to, shift: turn * round });
        let on_it = eastern(&(to - 1));
        if to == width && !(on_it && at((to - 1) as f64) > end) {
            return parts;
        }
        (from, turn) = (if on_it && at(to as f64 - 1.5) < end - hair { to - 1 } else { to }, turn + 1.0);
    }
}

/// Longest side of an outline in samples, where straight lines on the plane are curves on the globe.
const LONGEST_SIDE: u32 = 16;

impl Part {
    fn ring(&self, region: &Region, corners: &[[u32; 2]]) -> Vec<Place> {
        let straight =
            goes_around(&region.lattice).is_some() || matches!(region.lattice, Lattice::Plane { .. });
        let mut ring = Vec::with_capacity(corners.len());
        for side in corners.windows(2) {
            let length = (0..2).map(|i| side[0][i].abs_diff(side[1][i])).max().unwrap_or(0);
            let pieces = if straight { 1 } else { length.div_ceil(LONGEST_SIDE).max(1) };
            for k in 0..pieces {
                let at = |i: usize| {
                    let (a, b) = (f64::from(side[0][i]), f64::from(side[1][i]));
                    a + (b - a) * f64::from(k) / f64::from(pieces)
                };
                ring.push(self.place(region, at(0), at(1)));
            }
        }
        ring.extend(ring.first().copied());
        ring
    }

    /// The place of a corner of samples, counted from the north-west corner of the part.
    fn place(&self, region: &Region, column: f64, row: f64) -> Place {
        let lattice = &region.lattice;
        let west = region.window.west as f64 + self.from as f64 + column - 0.5;
        let north = region.window.north as f64 - row + 0.5;
        let (x, y) =
            ((west + lattice.offset()) * lattice.step(), (north + lattice.offset()) * lattice.step());
        match *lattice {
            Lattice::LonLat { .. } => [(x - self.shift).clamp(-180.0, 180.0), y.clamp(-90.0, 90.0)],
            Lattice::Plane { .. } => [x, y],
            Lattice::WebMercator { radius_m, .. } => {
                let lon = ((x - self.shift) / radius_m).to_degrees().clamp(-180.0, 180.0);
                let position = lattice.between(west, north).unwrap_or_default();
                [lon, grid::math::to_lon_lat(position).1]
            }
            Lattice::Native { ref grid, .. } => place(grid, lattice.between(west, north).unwrap_or_default()),
            Lattice::TransverseMercator { .. } | Lattice::Projected { .. } => {
                grid::math::to_lon_lat(lattice.between(west, north).unwrap_or_default()).into()
            }
        }
    }
}
