//! Rasters larger than memory: the whole analysis in bands, with the answers that the raster as a whole would give.
//!
//! Depressions filled, directions (D8) also over flats, accumulation, basins, streams with Strahler's order, and the
//! network of reaches, for a map of one face with an open border and all eight links. The raster is cut into *bands* of
//! whole rows. Each is held in memory for itself; of the others only what crosses the *joints* between them, and all
//! of that is solved at once:
//!
//! - what spills where: [`Plan`]'s bands are filled on their own, and the levels at which they spill into each other are
//!   found from a least spanning forest of their passes (Barnes 2016);
//! - distances over flats: breadth first in a band from what is known beside it, again until nothing changes;
//! - sums along the flow: what each band passes on to the others is a forest of entries and exits (Barnes 2017);
//! - streams: pieces of each band are put together.
//!
//! Every result is defined cell by cell (see [`crate::bands::Rows`]), so it does not depend on the height of the bands nor
//! on the number of threads, bit for bit. Cost: linear but for the sorting of passes, and for flats that wind across one
//! joint again and again: each turn may cost another visit of the bands there. Memory: [`Plan::bytes`]. No input or
//! output is done here: the caller gives [`Files`].
//!
//! ```
//! use grid::{Flat, Grid};
//! use hydro::bands::{Files, Kept, Memory, Plan, Threshold, analyse};
//! use std::ops::ControlFlow;
//!
//! let map = Flat::new(3, 4, 30.0)?;
//! let valley = vec![9.0, 5.0, 9.0, 9.0, 2.0, 9.0, 9.0, 3.0, 9.0, 9.0, 1.0, 9.0];
//! let mut products = Kept::default();
//! let files = Files {
//!     source: &mut Memory::of(3, valley),
//!     surface: &mut Memory::new(map.shape()),
//!     labels: &mut Memory::new(map.shape()),
//!     directions: &mut Memory::new(map.shape()),
//!     products: &mut products,
//! };
//! let plan = Plan { band_rows: 2, at_once: 1, stream_bytes: 1 << 20 };
//! let analysis = analyse(&map, files, &plan, Threshold::Cells(4), &|_, _| ControlFlow::Continue(()))?;
//! assert_eq!(products.filled[4], 3.0);
//! assert_eq!(analysis.summary.filled_cells, 1);
//! assert_eq!(analysis.basins[0].cells, 12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod anchors;
mod descend;
mod files;
mod flats;
mod network;
mod plan;
mod strips;
mod summary;
mod threshold;
mod trace;

pub use files::{Files, Kept, Memory, Products, Rows, Source, Store, StoreError};
pub use network::{Network, Reach};
pub use plan::{BORDER_BYTES, CELL_BYTES, Plan, ROW_BYTES};
pub use summary::{Analysis, Basin, Summary};
pub use threshold::Threshold;

use crate::cut::areas::{self, Areas};
use crate::cut::codes;
use crate::cut::joints::{self, Joints};
use crate::cut::spill::{self, UNITS_PER_M};
use anchors::{Anchors, Levels};
use descend::descend;
use files::store;
use flats::Flats;
use grid::Grid;
use network::Pieces;
use std::fmt;
use std::ops::ControlFlow;
use strips::{Strips, read_padded};

/// Why a raster was not analysed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A grid that cannot be cut into bands.
    #[error("the grid cannot be cut into bands: {0}; it must be a map of one face with an open border")]
    Grid(&'static str),
    /// Too little memory.
    #[error("{bytes} bytes of memory are too few for this raster; it needs {needed} or more")]
    Memory {
        /// What was allowed.
        bytes: usize,
        /// What would do.
        needed: usize,
    },
    /// A plan with more cells in a band or along joints than can be numbered.
    #[error("bands of {0} rows are too many or too large for this raster")]
    Bands(u32),
    /// A threshold that is no number above 0.
    #[error("streams must begin at an area above 0 m2, not at {0}")]
    Threshold(f64),
    /// A network that takes more memory than allowed.
    #[error(
        "down to row {row} the streams take {bytes} bytes, and {limit} are allowed; let them begin at a greater area"
    )]
    TooManyStreams {
        /// The first row of the band where it was too much.
        row: u32,
        /// What they take as far as there.
        bytes: usize,
        /// What was allowed.
        limit: usize,
    },
    /// Rows could not be read or written.
    #[error("{0}")]
    Store(#[source] StoreError),
    /// The progress report asked for it.
    #[error("cancelled")]
    Cancelled,
}

/// A part of the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Depressions are filled within bands.
    Fill,
    /// Levels are made final and directions found.
    Directions,
    /// Directions over flats.
    Flats,
    /// What crosses joints is gathered.
    Gather,
    /// Accumulation, basins and streams.
    Streams,
    /// The network is put together and its orders are written.
    Orders,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fill => "filling depressions",
            Self::Directions => "finding directions",
            Self::Flats => "crossing flats",
            Self::Gather => "gathering water",
            Self::Streams => "tracing streams",
            Self::Orders => "ordering streams",
        })
    }
}

/// Is told how far a stage has come, 0 to 1; says whether to go on.
pub type Progress<'a> = &'a (dyn Fn(Stage, f64) -> ControlFlow<()> + Sync);

/// Analyses a raster: results go to [`Files::products`], figures and vectors are returned.
///
/// Outlets are the cells with data at the border or beside a cell without. Results as [`Rows`] says.
///
/// # Errors
/// A grid that is not one open face, rows that cannot be read or written, a network that takes more than the plan
/// allows, or a [`ControlFlow::Break`] from `progress`.
pub fn analyse(
    grid: &impl Grid,
    files: Files<'_>,
    plan: &Plan,
    threshold: Threshold,
    progress: Progress<'_>,
) -> Result<Analysis, Error> {
    if let Some(reason) = areas::refusal(grid) {
        return Err(Error::Grid(reason));
    }
    if !plan.is_countable(grid.shape()) {
        return Err(Error::Bands(plan.band_rows));
    }
    if let Threshold::AreaM2(least_m2) = threshold
        && !(least_m2 > 0.0 && least_m2.is_finite())
    {
        return Err(Error::Threshold(least_m2));
    }
    let strips = Strips::new(grid.shape(), plan);
    let areas = Areas::of(grid);
    let mut run = Run { grid, strips, areas, files, progress, summary: Summary::of(grid) };
    let levels = run.fill()?;
    let flat_cells = run.descend(&levels)?;
    drop(levels);
    run.cross_flats(&flat_cells)?;
    let joints = run.gather()?;
    let (network, basins) = run.trace(&joints, plan.stream_bytes, threshold)?;
    run.order(&network)?;
    Ok(Analysis { summary: run.summary, network, basins })
}

/// An analysis on its way.
struct Run<'a, 'f, G> {
    grid: &'a G,
    strips: Strips,
    areas: Areas,
    files: Files<'f>,
    progress: Progress<'a>,
    summary: Summary,
}

impl<G: Grid> Run<'_, '_, G> {
    /// Fills the bands on their own.
    fn fill(&mut self) -> Result<Found, Error> {
        let report = Report::of(self.progress, Stage::Fill, self.strips.len());
        report.at(0)?;
        let mut anchors = Anchors::new();
        let mut raised = Vec::new();
        let (summary, areas) = (&mut self.summary, &self.areas);
        self.strips.each(
            &self.strips.all(),
            &mut self.files,
            |files, strip| read_padded(strip, f32::NAN, |row, rows| files.source.read(row, rows)),
            spill::spill,
            |files, strip, spilled| {
                store(files.surface.write(strip.first, &spilled.surface))?;
                store(files.labels.write(strip.first, &spilled.labels))?;
                summary.count(&spilled.tally, strip.first, areas);
                raised.extend_from_slice(&spilled.tally.raised);
                anchors.add(strip, &spilled);
                report.at(strip.index + 1)
            },
        )?;
        Ok(Found { levels: anchors.solve(), raised })
    }

    /// Makes the levels final and finds directions. Returns the number of cells in flats of each band.
    fn descend(&mut self, found: &Found) -> Result<Vec<u64>, Error> {
        let report = Report::of(self.progress, Stage::Directions, self.strips.len());
        report.at(0)?;
        let mut flat_cells = Vec::with_capacity(self.strips.len());
        let (grid, areas, summary) = (self.grid, &self.areas, &mut self.summary);
        self.strips.each(
            &self.strips.all(),
            &mut self.files,
            |files, strip| {
                let surface = read_padded(strip, f32::NAN, |row, rows| files.surface.read(row, rows))?;
                let labels = read_padded(strip, spill::OUT, |row, rows| files.labels.read(row, rows))?;
                Ok((surface, labels))
            },
            |strip, read| descend(strip, read, &found.levels, |row| areas::spacing_m(grid, row)),
            |files, strip, band| {
                store(files.surface.write(strip.first, &band.filled))?;
                store(files.directions.write(strip.first, &band.directions))?;
                store(files.products.write(strip.first, Rows::Filled(&band.filled)))?;
                summary.filled_cells += band.raised_cells;
                summary.flat_cells += band.flat_cells;
                flat_cells.push(band.flat_cells);
                for (row, units) in (strip.first..).zip(&band.raised) {
                    let units = units + found.raised[row as usize];
                    summary.filled_volume_m3 += units as f64 / UNITS_PER_M * areas.of_row_m2(row);
                }
                report.at(strip.index + 1)
            },
        )?;
        Ok(flat_cells)
    }

    /// Finds directions over flats, band by band until nothing changes.
    fn cross_flats(&mut self, flat_cells: &[u64]) -> Result<(), Error> {
        let report = Report::of(self.progress, Stage::Flats, self.strips.len());
        report.at(0)?;
        let mut flats = Flats::new(flat_cells, &self.strips);
        loop {
            let due = flats.next();
            for batch in due.chunks(self.strips.at_once) {
                let mut found = Vec::with_capacity(batch.len());
                self.strips.each(
                    batch,
                    &mut self.files,
                    |files, strip| {
                        let z = read_padded(strip, f32::NAN, |row, rows| files.surface.read(row, rows))?;
                        let read = |row, rows: &mut [u8]| files.directions.read(row, rows);
                        Ok((z, read_padded(strip, codes::NO_DATA, read)?))
                    },
                    |strip, (z, codes)| flats.visit(strip, &z, codes),
                    |files, strip, visited| {
                        store(files.directions.write(strip.first, &visited.codes))?;
                        found.push((strip, visited.border, visited.changed));
                        Ok(())
                    },
                )?;
                found.into_iter().for_each(|(strip, border, changed)| flats.take(strip, border, &changed));
                report.at(self.strips.len() - flats.due_count())?;
            }
            if due.is_empty() {
                return report.at(self.strips.len());
            }
        }
    }

    /// Finds what crosses the joints, and how many basins end in the bands before each.
    fn gather(&mut self) -> Result<(Joints, Vec<u32>), Error> {
        let report = Report::of(self.progress, Stage::Gather, self.strips.len());
        report.at(0)?;
        let (areas, numbering) = (&self.areas, self.strips.numbering());
        let mut joints = Joints::new(numbering.per_tile() * self.strips.len(), areas);
        let mut roots = vec![0];
        self.strips.each(
            &self.strips.all(),
            &mut self.files,
            |files, strip| read_padded(strip, codes::NO_DATA, |row, rows| files.directions.read(row, rows)),
            |strip, codes| {
                joints::tell(strip, trace::entries(strip, &codes).into_iter(), codes, areas, numbering)
            },
            |_, strip, told| {
                let told = told.expect("directions lead in no circle");
                let before = roots[strip.index];
                joints.take(&told, |rank| before + rank + 1);
                roots.push(before + told.roots.len() as u32);
                report.at(strip.index + 1)
            },
        )?;
        assert!(joints.solve(), "water crosses joints in no circle");
        Ok((joints, roots))
    }

    /// Hands out directions, accumulation and basins; finds the streams.
    fn trace(
        &mut self,
        (joints, roots): &(Joints, Vec<u32>),
        stream_bytes: usize,
        threshold: Threshold,
    ) -> Result<(Network, Vec<Basin>), Error> {
        let report = Report::of(self.progress, Stage::Streams, self.strips.len());
        report.at(0)?;
        let areas = &self.areas;
        let numbering = self.strips.numbering();
        let tracer = trace::Tracer { joints, roots, areas, numbering, least: threshold.least(areas) };
        let (mut pieces, mut basins) = (Pieces::new(stream_bytes), Vec::new());
        let summary = &mut self.summary;
        self.strips.each(
            &self.strips.all(),
            &mut self.files,
            |files, strip| {
                let read = |row, rows: &mut [u8]| files.directions.read(row, rows);
                let codes = read_padded(strip, codes::NO_DATA, read)?;
                Ok((codes, read_padded(strip, f32::NAN, |row, rows| files.surface.read(row, rows))?))
            },
            |strip, (codes, surface)| tracer.trace(strip, codes, &surface),
            |files, strip, traced| {
                for rows in traced.rows() {
                    store(files.products.write(strip.first, rows))?;
                }
                summary.stream_cells += traced.stream_cells;
                summary.greatest_accumulation = summary.greatest_accumulation.max(traced.greatest);
                pieces.take(traced.pieces, &traced.steps, strip.first)?;
                basins.extend(traced.roots);
                report.at(strip.index + 1)
            },
        )?;
        Ok((pieces.join(self.grid, areas), basins))
    }

    /// Hands out the orders.
    fn order(&mut self, network: &Network) -> Result<(), Error> {
        let report = Report::of(self.progress, Stage::Orders, self.strips.len());
        report.at(0)?;
        let reach_of = network.reach_of_pieces();
        for index in 0..self.strips.len() {
            let strip = self.strips.get(index);
            let mut rows = vec![0; strip.rows * strip.cols];
            network.paint(strip.first, &reach_of, &mut rows);
            store(self.files.products.write(strip.first, Rows::Order(&rows)))?;
            report.at(index + 1)?;
        }
        Ok(())
    }
}

/// What filling the bands on their own has found.
struct Found {
    levels: Levels,
    /// Of each row: sum of what cells were raised by, in units.
    raised: Vec<i128>,
}

/// Tells how far a stage has come.
struct Report<'a> {
    progress: Progress<'a>,
    stage: Stage,
    all: usize,
}

impl<'a> Report<'a> {
    fn of(progress: Progress<'a>, stage: Stage, all: usize) -> Self {
        Self { progress, stage, all }
    }

    fn at(&self, done: usize) -> Result<(), Error> {
        match (self.progress)(self.stage, done as f64 / self.all.max(1) as f64) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Cancelled),
        }
    }
}
