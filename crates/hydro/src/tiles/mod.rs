//! Rasters larger than memory, in rectangular tiles: depressions filled, directions (D8) also over flats, accumulation
//! and basins, with the answers that the raster as a whole would give.
//!
//! [`crate::bands`] does the same in strips of whole rows, in one process. Here each stage of a tile is a function without
//! memory: the tile and what it is told of the others go in, its part of a result and a [`Message`] come out. So
//! tiles can be worked on in any order, again, and on any machine; what joins them is solved in one place from the messages
//! alone, with some dozens of bytes for each cell beside a joint:
//!
//! | stage | of each tile | told | joined |
//! |---|---|---|---|
//! | [`Raster::spill`] | what spills where (Barnes 2016) | | [`Spills`] |
//! | [`Raster::descend`] | filled surface | levels, surface around it | [`Flats`] |
//! | [`Raster::visit`], again until none is due | distances over flats | those around it | [`Flats`] |
//! | [`Raster::settle`] | directions | the same | [`Sums`] |
//! | [`Raster::sum`] | accumulation, basins (Barnes 2017) | what comes in | |
//!
//! [`analyse`] does all of it in memory, and shows the order. Maps of one face with an open border and all eight links; all
//! rows of a raster must know their spacing and area ([`Ground`]).
//!
//! ```
//! use grid::Flat;
//! use hydro::tiles::{Raster, analyse};
//!
//! let raster = Raster::of_grid(Flat::new(3, 4, 30.0)?, 2, 2)?;
//! let valley = [9.0, 5.0, 9.0, 9.0, 2.0, 9.0, 9.0, 3.0, 9.0, 9.0, 1.0, 9.0];
//! let found = analyse(&raster, &valley)?;
//! assert_eq!(found.filled[4], 3.0);
//! assert_eq!(found.basins[0].cells, 12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod flats;
mod ground;
mod message;
mod raster;
mod spills;
mod stages;
mod sums;
mod whole;

pub use flats::Flats;
pub use ground::{Ground, Plane, Sphere};
pub use message::Message;
pub use raster::{Place, Raster};
pub use spills::Spills;
pub use stages::{Basin, Summed};
pub use sums::Sums;
pub use whole::{Whole, analyse};

/// Why tiles were not worked on or joined.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// A raster that cannot be cut into tiles.
    #[error("the raster cannot be cut into tiles: {0}; it must be a map of one face with an open border")]
    Grid(&'static str),
    /// Numbers that make no grid.
    #[error("{0}")]
    Cells(#[from] grid::GridError),
    /// Tiles too large, or too many cells beside joints, to be numbered.
    #[error("tiles of {rows} x {cols} cells are too large, too small or too many for this raster")]
    Tiles {
        /// Rows of a tile.
        rows: u32,
        /// Columns of a tile.
        cols: u32,
    },
    /// No such tile.
    #[error("there is no tile {tile}: there are {tiles}, numbered from 0")]
    NoTile {
        /// What was asked for.
        tile: usize,
        /// How many there are.
        tiles: usize,
    },
    /// An array of another size than the tile.
    #[error("tile {tile}: {got} cells were given, {expected} were expected")]
    Size {
        /// Number of the tile.
        tile: usize,
        /// What was given.
        got: usize,
        /// What would do.
        expected: usize,
    },
    /// A message that is damaged, or of another stage, tile or raster.
    #[error("tile {tile}: a message is damaged, or of another stage or raster")]
    Message {
        /// Number of the tile.
        tile: usize,
    },
    /// Messages of some tiles are missing.
    #[error("tile {tile} has not told what it must")]
    Missing {
        /// Number of the first of them.
        tile: usize,
    },
    /// Directions that cannot come from one surface.
    #[error("directions lead in a circle: parts of different surfaces were put together")]
    Circle,
}
