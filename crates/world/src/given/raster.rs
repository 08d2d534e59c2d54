//! Rasters of any size, gathered row by row into one that fits a grid.
//!
//! Of the samples that fall into one of the gathered raster, those below the sea's level and those above it are
//! counted apart: the greater part says which it is, and the mean and the floor of its valleys are taken from that part.
//! The floor is what a tenth of a normal distribution is below, but nothing lower than the lowest sample:
//!
//! ```text
//! floor = max(lowest, mean - 1.28 s)        s: standard deviation of the samples
//! ```
//!
//! Ground exactly at the sea's level is land where the raster holds depths, that is where more samples lie below the level
//! than at it: plains at a coast are 0 in whole metres. Where it holds none, as many do, the level is the sea.
//!
//! A gathered raster has about four samples along the side of a cell, or as many as there are: memory is bounded by
//! the grid, not by the raster.

use grid::{Flat, Grid, GridError, LonLat, Topology, Vec3, math};

/// Samples along the side of a cell.
const PER_CELL: usize = 4;
/// A tenth of a normal distribution lies lower than the mean less this many standard deviations.
const TENTH: f64 = 1.2816;

/// Ground at the sea's level lies as high as this, in metres.
const FLAT_M: f64 = 0.125;

/// What a raster covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cover {
    /// A whole globe, from pole to pole; the western border of the first column in degrees.
    Globe {
        /// -360 to 360.
        west_deg: f64,
    },
    /// A whole flat map.
    Flat,
}

/// A raster that fits a grid. Rows run from the north.
#[derive(Clone, Debug)]
pub struct Raster {
    /// Where its samples lie.
    pub(crate) lattice: Lattice,
    west_deg: f64,
    /// Mean height above the sea in metres; not a number where there is none.
    pub(crate) mean: Vec<f32>,
    /// Height of the valleys.
    pub(crate) floor: Vec<f32>,
}

/// The samples of a raster as cells of a grid.
#[derive(Clone, Debug)]
pub(crate) enum Lattice {
    Globe(LonLat),
    Flat(Flat),
}

/// Sums over samples of one kind.
#[derive(Clone, Copy)]
struct Sums {
    count: f64,
    sum: f64,
    squares: f64,
    lowest: f32,
}

const NOTHING: Sums = Sums { count: 0.0, sum: 0.0, squares: 0.0, lowest: f32::INFINITY };

impl Sums {
    fn add(&mut self, value: f32) {
        let v = f64::from(value);
        self.count += 1.0;
        self.sum += v;
        self.squares += v * v;
        self.lowest = self.lowest.min(value);
    }

    /// Mean and floor; not numbers without samples.
    fn finish(&self) -> (f32, f32) {
        let mean = self.sum / self.count;
        let deviation = (self.squares / self.count - mean * mean).max(0.0).sqrt();
        (mean as f32, ((mean - TENTH * deviation) as f32).max(self.lowest).min(mean as f32))
    }
}

/// What has fallen into one sample of the gathered raster.
#[derive(Clone, Copy)]
struct Block {
    dry: Sums,
    wet: Sums,
    /// How many of the wet ones lie exactly at the sea's level.
    level: f64,
    missing: f64,
}

const EMPTY: Block = Block { dry: NOTHING, wet: NOTHING, level: 0.0, missing: 0.0 };

/// Gathers the rows of a raster, from the north.
pub struct Gatherer {
    cover: Cover,
    lattice: Lattice,
    source: (usize, usize),
    sea_level_m: f64,
    rows_seen: usize,
    blocks: Vec<Block>,
    mean: Vec<f32>,
    floor: Vec<f32>,
    /// How many samples lie at the sea's level, and below it.
    at_level: f64,
    below: f64,
    /// Gathered samples that are land if what lies at the level is, and their heights then.
    flats: Vec<(usize, f32)>,
}

impl Gatherer {
    /// For a raster of `cols` x `rows` samples, onto a grid. The sea stands at `sea_level_m` in it.
    ///
    /// # Errors
    /// A raster of no samples, or of fewer than three columns on a globe.
    pub fn new(
        grid: &Topology,
        cover: Cover,
        (cols, rows): (usize, usize),
        sea_level_m: f64,
    ) -> Result<Self, GridError> {
        let shape = grid.shape();
        let most = |cells: u32| (PER_CELL * cells as usize).min(Flat::MAX_SIDE as usize) as u32;
        let fewer = |samples: usize, most: u32| samples.min(most as usize) as u32;
        let lattice = match (cover, grid) {
            (Cover::Globe { west_deg }, Topology::Globe(globe)) => {
                let (cols, rows) = (fewer(cols, most(4 * globe.side())), fewer(rows, most(2 * globe.side())));
                let steps = (360.0 / f64::from(cols), 180.0 / f64::from(rows));
                let lonlat = LonLat::new(cols, rows, west_deg, 90.0, steps.0, steps.1, globe.radius_m())?;
                Lattice::Globe(lonlat)
            }
            _ => {
                let (width, height) = extent_m(grid);
                let (cols, rows) = (fewer(cols, most(shape.cols)), fewer(rows, most(shape.rows)));
                Lattice::Flat(Flat::oblong(cols, rows, width / f64::from(cols), height / f64::from(rows))?)
            }
        };
        let shape = lattice.shape();
        Ok(Self {
            cover,
            lattice,
            source: (cols, rows),
            sea_level_m,
            rows_seen: 0,
            blocks: vec![EMPTY; shape.cols as usize],
            mean: Vec::with_capacity(shape.len()),
            floor: Vec::with_capacity(shape.len()),
            at_level: 0.0,
            below: 0.0,
            flats: Vec::new(),
        })
    }

    /// Takes in the next row. What is not a finite number is missing; rows beyond the last are passed over.
    pub fn push(&mut self, row: &[f32]) {
        let shape = self.lattice.shape();
        if self.mean.len() == shape.len() {
            return;
        }
        for (col, &value) in row.iter().enumerate().take(self.source.0) {
            let block = &mut self.blocks[col * shape.cols as usize / self.source.0];
            let above_m = (f64::from(value) - self.sea_level_m) as f32;
            match above_m {
                z if !z.is_finite() => block.missing += 1.0,
                z if z > 0.0 => block.dry.add(z),
                z => {
                    block.wet.add(z);
                    block.level += f64::from(u8::from(z == 0.0));
                }
            }
        }
        self.rows_seen += 1;
        let done = self.mean.len() / shape.cols as usize;
        if self.rows_seen * shape.rows as usize >= (done + 1) * self.source.1 {
            self.finish_row();
        }
    }

    fn finish_row(&mut self) {
        for block in &mut self.blocks {
            let is_dry = block.dry.count > block.wet.count + block.missing;
            let (level, below) = (block.level, block.wet.count - block.level);
            self.at_level += level;
            self.below += below;
            if !is_dry && block.dry.count + level > below + block.missing {
                let z = block.dry.sum / (block.dry.count + level);
                self.flats.push((self.mean.len(), z.max(FLAT_M) as f32));
            }
            let (mean, floor) = if is_dry { block.dry } else { block.wet }.finish();
            self.mean.push(mean);
            self.floor.push(floor);
            *block = EMPTY;
        }
    }

    /// The gathered raster; rows that were not given are missing.
    pub fn finish(mut self) -> Raster {
        let len = self.lattice.shape().len();
        self.mean.resize(len, f32::NAN);
        self.floor.resize(len, f32::NAN);
        if self.below > self.at_level {
            for &(sample, z) in &self.flats {
                self.mean[sample] = z;
                self.floor[sample] = z.min(FLAT_M as f32);
            }
        }
        let west_deg = if let Cover::Globe { west_deg } = self.cover { west_deg } else { 0.0 };
        Raster { lattice: self.lattice, west_deg, mean: self.mean, floor: self.floor }
    }
}

/// Width and height of what a raster covers, in metres or in units that only their ratio counts of.
fn extent_m(grid: &Topology) -> (f64, f64) {
    match grid {
        Topology::Flat(flat) => flat.extent_m(),
        Topology::Globe(_) => (360.0, 180.0),
    }
}

impl Lattice {
    pub fn shape(&self) -> grid::Shape {
        match self {
            Self::Globe(lonlat) => lonlat.shape(),
            Self::Flat(flat) => flat.shape(),
        }
    }
}

/// A place in a raster: the four samples around it, the share of each, and which is the nearest.
pub(crate) struct Spot {
    around: [usize; 4],
    shares: [f32; 4],
    pub nearest: usize,
}

impl Spot {
    /// The value there: between those around, or that of the nearest where one is missing.
    pub fn read(&self, values: &[f32]) -> f32 {
        let blend: f32 = self.around.iter().zip(self.shares).map(|(&i, share)| values[i] * share).sum();
        if blend.is_nan() { values[self.nearest] } else { blend }
    }
}

impl Raster {
    /// The least and the greatest mean in metres above the sea; not numbers without data.
    pub fn range_m(&self) -> (f64, f64) {
        let values = || self.mean.iter().copied().filter(|v| !v.is_nan());
        (f64::from(values().fold(f32::NAN, f32::min)), f64::from(values().fold(f32::NAN, f32::max)))
    }

    /// Where a position of the grid lies in it: columns from its western border, rows from its northern one.
    pub(crate) fn place(&self, grid: &Topology, p: Vec3) -> (f64, f64) {
        let shape = self.lattice.shape();
        let (cols, rows) = (f64::from(shape.cols), f64::from(shape.rows));
        match grid {
            Topology::Globe(_) => {
                let (lon, lat) = math::to_lon_lat(p);
                ((lon - self.west_deg) / 360.0 * cols, (90.0 - lat) / 180.0 * rows)
            }
            Topology::Flat(flat) => {
                let (width, height) = flat.extent_m();
                (p.x / width * cols, (1.0 - p.y / height) * rows)
            }
        }
    }

    /// The sample of a row and a column; a globe goes around, a map and the poles go on as they end.
    pub(crate) fn sample(&self, row: f64, col: f64) -> usize {
        let shape = self.lattice.shape();
        let (cols, rows) = (f64::from(shape.cols), f64::from(shape.rows));
        let wraps = matches!(self.lattice, Lattice::Globe(_));
        let col = if wraps { col.rem_euclid(cols) } else { col.clamp(0.0, cols - 1.0) } as usize;
        row.clamp(0.0, rows - 1.0) as usize * shape.cols as usize + col.min(shape.cols as usize - 1)
    }

    /// Width of its samples in metres, at the equator of a globe; the greater of both ways.
    pub(crate) fn spacing_m(&self, grid: &Topology) -> f64 {
        let shape = self.lattice.shape();
        let (width, height) = match grid {
            Topology::Globe(globe) => {
                let half = std::f64::consts::PI * globe.radius_m();
                (2.0 * half, half)
            }
            Topology::Flat(flat) => flat.extent_m(),
        };
        (width / f64::from(shape.cols)).max(height / f64::from(shape.rows))
    }

    /// Where a position of the grid lies in it.
    pub(crate) fn spot(&self, grid: &Topology, p: Vec3) -> Spot {
        let (x, y) = self.place(grid, p);
        let at = |r: f64, c: f64| self.sample(r, c);
        let (left, top) = ((x - 0.5).floor(), (y - 0.5).floor());
        let (u, v) = ((x - 0.5 - left) as f32, (y - 0.5 - top) as f32);
        Spot {
            around: [at(top, left), at(top, left + 1.0), at(top + 1.0, left), at(top + 1.0, left + 1.0)],
            shares: [(1.0 - u) * (1.0 - v), u * (1.0 - v), (1.0 - u) * v, u * v],
            nearest: self.sample(y.floor(), x.floor()),
        }
    }
}

/// The number of cells along a side of a globe's faces that a raster of so many columns needs, within what a recipe takes: a
/// quarter of the columns lie on a face.
pub fn side_for(cols: usize) -> u32 {
    (cols as u64).div_ceil(4).clamp(8, 4096) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::Globe;

    fn globe(side: u32) -> Topology {
        Topology::Globe(Globe::new(side, 6.371e6).expect("a globe"))
    }

    fn gathered(grid: &Topology, cover: Cover, cols: usize, rows: &[Vec<f32>]) -> Raster {
        let mut gatherer = Gatherer::new(grid, cover, (cols, rows.len()), 0.0).expect("a raster");
        rows.iter().for_each(|row| gatherer.push(row));
        gatherer.finish()
    }

    #[test]
    fn a_fine_raster_is_gathered_to_four_samples_a_cell() {
        let grid = globe(8);
        let rows: Vec<Vec<f32>> =
            (0..320).map(|r| (0..640).map(|c| (r + c % 5) as f32 + 1.0).collect()).collect();
        let raster = gathered(&grid, Cover::Globe { west_deg: -180.0 }, 640, &rows);
        let shape = raster.lattice.shape();
        assert_eq!((shape.cols, shape.rows), (128, 64), "four times 32 columns around, 16 rows");
        assert_eq!(raster.mean[0], 1.0 + 2.0 + 2.0, "means of columns 0 to 4 and rows 0 to 4");
        assert!(raster.floor[0] < raster.mean[0] - 2.0 && raster.floor[0] >= 1.0, "{}", raster.floor[0]);
    }

    #[test]
    fn a_linear_surface_is_read_exactly_and_longitude_wraps() {
        let grid = globe(64);
        for west_deg in [-180.0, 0.0, 20.0] {
            // heights by the cosine of longitude, so that no border shows
            let height = |lon: f64, lat: f64| 2000.0 + 1000.0 * math::cos(lon.to_radians()) + 10.0 * lat;
            let rows: Vec<Vec<f32>> = (0..90)
                .map(|r| {
                    let lat = 89.0 - 2.0 * f64::from(r);
                    (0..180).map(|c| height(west_deg + 1.0 + 2.0 * f64::from(c), lat) as f32).collect()
                })
                .collect();
            let raster = gathered(&grid, Cover::Globe { west_deg }, 180, &rows);
            for cell in grid.cells() {
                let (lon, lat) = math::to_lon_lat(grid.center(cell));
                let read = raster.spot(&grid, grid.center(cell)).read(&raster.mean);
                if lat.abs() < 88.0 {
                    let off = f64::from(read) - height(lon, lat);
                    assert!(off.abs() < 0.5, "{west_deg}: {lon} {lat}: {off}");
                }
            }
        }
    }

    #[test]
    fn what_is_missing_stays_missing_and_the_greater_part_decides() {
        let grid = Topology::Flat(Flat::new(8, 8, 1000.0).expect("a map"));
        let mut rows = vec![vec![5.0f32; 64]; 64];
        rows[0] = vec![f32::NAN; 64];
        rows[1] = vec![f32::INFINITY; 64];
        // of the second row of blocks three quarters are sea
        rows[2][..].fill(-3.0);
        rows[3][1..].fill(-3.0);
        let raster = gathered(&grid, Cover::Flat, 64, &rows);
        assert!(raster.mean[0].is_nan());
        assert_eq!((raster.mean[32], raster.mean[64]), (-3.0, 5.0));
    }

    #[test]
    fn ground_at_the_level_is_land_if_there_are_depths() {
        let grid = Topology::Flat(Flat::new(8, 8, 1000.0).expect("a map"));
        let gathered_of = |sea: f32| {
            let row = [sea, sea, sea, 0.0, 0.0, 2.0, 3.0, 3.0];
            gathered(&grid, Cover::Flat, 8, &vec![row.to_vec(); 8]).mean[..8].to_vec()
        };
        assert_eq!(gathered_of(-4.0)[2..6], [-4.0, FLAT_M as f32, FLAT_M as f32, 2.0]);
        assert_eq!(gathered_of(0.0)[2..6], [0.0, 0.0, 0.0, 2.0]);
    }

    #[test]
    fn rows_that_were_not_given_are_missing_and_more_are_passed_over() {
        let grid = Topology::Flat(Flat::new(8, 8, 1000.0).expect("a map"));
        let mut gatherer = Gatherer::new(&grid, Cover::Flat, (4, 4), 0.0).expect("a raster");
        gatherer.push(&[1.0; 4]);
        assert_eq!(gatherer.finish().mean.iter().filter(|v| v.is_nan()).count(), 12);
        let mut gatherer = Gatherer::new(&grid, Cover::Flat, (4, 4), 0.0).expect("a raster");
        (0..9).for_each(|_| gatherer.push(&[1.0; 4]));
        assert_eq!(gatherer.finish().mean.len(), 16);
    }

    #[test]
    fn cells_are_no_finer_than_the_raster() {
        assert_eq!([side_for(1080), side_for(1), side_for(usize::MAX)], [270, 8, 4096]);
    }
}
