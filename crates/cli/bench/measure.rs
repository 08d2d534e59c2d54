//! One place at one level: times, bytes, features, seams, levels, rivers.

use super::figures::{Row, Times};
use super::meter::{median, seconds_of};
use super::places::Spot;
use crate::memory;
use anyhow::{Context, Result};
use archive::WorldView;
use grid::{Grid, Topology};
use rayon::{ThreadPool, ThreadPoolBuilder};
use region::survey::{AcrossLevels, Astray, Beds, Seam};
use region::{
    Cache, Lattice, Method, Region, Request, Sampled, VectorLayer, Vectors, Window, refine, vectors,
};
use std::path::Path;
use std::process::{Command, Stdio};
use world::CellSource;

/// Samples along a side of a tile, and of the window whose time for a sample is told.
const TILE: usize = 256;
const WINDOW: usize = 1024;
const QUICK_WINDOW: usize = 512;
/// What two overlapping windows are compared in.
const COMPARED: [Sampled; 6] = [
    Sampled::Elevation,
    Sampled::WaterSurface,
    Sampled::WaterDepth,
    Sampled::Discharge,
    Sampled::Order,
    Sampled::Temperature,
];
/// How the second of them is shifted, in samples: by no power of two, so that no tile of the program's own is shared.
const SHIFT: (i64, i64) = (101, 67);
/// Drainage that is kept between a cold and a warm request, in bytes.
const KEPT: u64 = 1 << 30;
/// What is counted as a feature.
const FEATURES: [VectorLayer; 4] =
    [VectorLayer::Rivers, VectorLayer::Ridges, VectorLayer::Peaks, VectorLayer::Buttresses];

/// Measures places of one world.
pub struct Measurer<'a> {
    path: &'a Path,
    times: usize,
    window: usize,
    alone: ThreadPool,
}

impl<'a> Measurer<'a> {
    /// Each time is taken so many times; quickly, of a smaller window.
    pub fn new(path: &'a Path, times: usize) -> Result<Self> {
        let window = if times > 1 { WINDOW } else { QUICK_WINDOW };
        let alone = ThreadPoolBuilder::new().num_threads(1).build().context("one thread")?;
        Ok(Self { path, times, window, alone })
    }

    /// All figures of a place at a level.
    pub fn row(&self, place: &Spot, level: u8) -> Result<Row> {
        let (tile, bytes_read) = self.times_of(place, (level, TILE))?;
        let peak_bytes = self.peak_bytes(place, level)?;
        let (window, _) = self.times_of(place, (level, self.window))?;
        let (region, drawn) = self.drawn(place, (level, TILE), (0, 0))?;
        let (shifted, _) = self.drawn(place, (level, TILE), SHIFT)?;
        let (above, above_drawn) = self.drawn(place, (level - 1, TILE / 2), (0, 0))?;
        let same = "windows of one lattice";
        let spacing_m = region.lattice.spacing_m();
        let along = TILE as f64 * spacing_m / self.open()?.grid().cell_m();
        let cells = along * along;
        let features = drawn.rivers.len() + drawn.ridges.len() + drawn.buttresses.len() + drawn.peaks.len();
        Ok(Row {
            place: place.name,
            at: place.at,
            level,
            spacing_m,
            tile,
            window,
            features,
            features_per_cell: features as f64 / cells,
            bytes_read,
            peak_bytes,
            seam: Seam::between(&region, &shifted).context(same)?,
            across: AcrossLevels::between(&region, &above).context(same)?,
            astray: Astray::between((&region, &drawn.rivers), (&above, &above_drawn.rivers)),
            beds: Beds::of(&drawn.rivers),
        })
    }

    /// Most memory of a process that makes such a tile and nothing else: `terrane region`, on one thread.
    fn peak_bytes(&self, place: &Spot, level: u8) -> Result<Option<u64>> {
        let step_m = self.open()?.grid().cell_m() / f64::from(1u32 << level);
        let output = self.path.with_file_name("tile.r32");
        let mut command = Command::new(std::env::current_exe().context("finding this program's own file")?);
        command.args(["region", "--verbose", "--threads", "1", "-o"]).arg(&output).arg(self.path);
        command.arg(format!("--at={},{}", place.at.0, place.at.1)).arg(format!("--resolution={step_m}"));
        let said = command.args(["--size", &TILE.to_string()]).stdin(Stdio::null()).output();
        let said = said.context("starting this program again")?;
        // where it is not told, it is not known
        let text = String::from_utf8_lossy(&said.stderr).into_owned();
        Ok(text.lines().find_map(memory::peak_in))
    }

    fn open(&self) -> Result<WorldView> {
        Ok(WorldView::open(self.path)?)
    }

    /// Seconds of a square, cold and warm, and the bytes that the cold one read.
    fn times_of(&self, place: &Spot, (level, side): (u8, usize)) -> Result<(Times, u64)> {
        let (mut cold, mut warm, mut bytes) = (Vec::new(), Vec::new(), 0);
        for _ in 0..self.times {
            let once = || -> Result<(f64, f64, u64)> {
                let (kept, cold) = seconds_of(|| -> Result<_> {
                    let view = self.open()?;
                    let request = square(view.grid(), place, (level, side, (0, 0)), &[Sampled::Elevation])?;
                    let request = request.with_cache(&Cache::new(KEPT));
                    refine(&view, &request, &|_| {})?;
                    Ok((view, request))
                });
                let (view, request) = kept?;
                let bytes = view.file.bytes_read();
                let (again, warm) = seconds_of(|| refine(&view, &request, &|_| {}));
                again?;
                Ok((cold, warm, bytes))
            };
            let (c, w, b) = self.alone.install(once)?;
            cold.push(c);
            warm.push(w);
            bytes = b;
        }
        Ok((Times { samples: side * side, cold_s: median(cold), warm_s: median(warm) }, bytes))
    }

    /// A square with all that is compared, made from nothing.
    fn drawn(
        &self,
        place: &Spot,
        (level, side): (u8, usize),
        shift: (i64, i64),
    ) -> Result<(Region, Vectors)> {
        let view = self.open()?;
        let request = square(view.grid(), place, (level, side, shift), &COMPARED)?;
        let request = request.with_cache(&Cache::new(KEPT)).with_rivers(true);
        let region = refine(&view, &request, &|_| {})?;
        let drawn = vectors(&view, (&request, None), &region, &FEATURES)?;
        Ok((region, drawn))
    }
}

/// A square of samples around a place, as much farther east and north. Where the side is halved and the level one less, it is
/// the same square with every second sample.
pub fn square(
    grid: &Topology,
    place: &Spot,
    (level, side, shift): (u8, usize, (i64, i64)),
    layers: &[Sampled],
) -> Result<Request> {
    let step_m = grid.cell_m() / f64::from(1u32 << level);
    let lattice = Lattice::around(grid.metres_per_unit(), place.at, step_m);
    let (x, y) = lattice.project(place.at.0, place.at.1);
    // middles lie on samples of the level above the first, so that they are the same at a level and at the one above
    let half = side as f64 / 2.0;
    let even = |metres: f64| (metres / (half * step_m)).round() as i64 * half as i64;
    let window = Window {
        west: even(x) - half as i64 + shift.0,
        north: even(y) + half as i64 + shift.1,
        width: side,
        height: side,
    };
    Ok(Request::new(lattice, window, layers.to_vec(), Method::Drainage)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::places::PLACES;
    use grid::Globe;

    #[test]
    fn a_square_of_the_level_above_is_the_same_square() {
        let grid = Topology::Globe(Globe::new(512, 6_371_000.0).expect("a planet"));
        for place in &PLACES {
            for level in [2, 7, 12] {
                let of = |level, side| {
                    square(&grid, place, (level, side, (0, 0)), &[Sampled::Elevation]).expect("small")
                };
                let (child, parent) = (of(level, TILE), of(level - 1, TILE / 2));
                assert_eq!(child.window.west, 2 * parent.window.west, "{}", place.name);
                assert_eq!(child.window.north, 2 * parent.window.north, "{}", place.name);
                let middle =
                    child.lattice.position_in(&child.window, TILE / 2, TILE / 2).expect("on the globe");
                let there = grid::math::from_lon_lat(place.at.0, place.at.1);
                let step = child.lattice.step() / grid.metres_per_unit();
                assert!((middle - there).length() < TILE as f64 * step, "{}: the place is in it", place.name);
            }
        }
    }
}
