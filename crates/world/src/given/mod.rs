//! What people give to a world, beside its recipe: where land is, how high mountains are, where crests and rivers run.
//!
//! Imported worlds and made ones take the same four things. Rasters cover the whole globe or the whole map; lines are in
//! positions of the grid.

pub mod raster;

pub(crate) mod places;

pub(crate) mod lines;

pub(crate) mod rivers;

pub(crate) mod breach;

pub(crate) mod nearest;

pub(crate) mod coast;

pub(crate) mod heights;

pub(crate) mod spread;

pub use raster::{Cover, Gatherer, Raster, side_for};

use crate::recipe::Recipe;
use grid::Vec3;

/// What is given, instead of what would be found or made.
#[derive(Clone, Copy, Default)]
pub struct Given<'a> {
    /// Positive on land.
    pub land: Option<&'a Raster>,
    /// Height of the mountains in metres above the land under them.
    pub mountain_height: Option<&'a Raster>,
    /// Crest lines: the only ridges.
    pub ridge_lines: &'a [Vec<Vec3>],
    /// Rivers from their heads down: water follows them.
    pub rivers: &'a [Vec<Vec3>],
}

/// Why what is given makes no world.
#[derive(Debug, thiserror::Error)]
pub enum GivenError {
    /// A mask without land.
    #[error(
        "there is no land: the mask that is given is greater than 0 nowhere, or in too small a part of every cell"
    )]
    NoLand,
    /// A mask that leaves a globe without sea: water would not know where to go.
    #[error("the globe has no sea: the mask that is given is greater than 0 everywhere")]
    NoSea,
    /// The recipe mentions a file that is not given.
    #[error(
        "the recipe is that of a world to which a file was given: {file}; give it again with {option}, or take the section [given] out to make a world without"
    )]
    Missing {
        /// The option that gives it.
        option: &'static str,
        /// Name of the file, and BLAKE3 of its bytes.
        file: String,
    },
    /// Something is given of which the recipe does not say from which file.
    #[error("the recipe does not mention what is given as {option}")]
    Unknown {
        /// The option that gives it.
        option: &'static str,
    },
}

impl Given<'_> {
    /// Makes sure that a recipe mentions all that is given, and nothing else.
    pub(crate) fn check(&self, recipe: &Recipe) -> Result<(), GivenError> {
        let none = crate::recipe::Given::default();
        let said = recipe.given.as_ref().unwrap_or(&none).files();
        let is_there = [
            self.land.is_some(),
            self.mountain_height.is_some(),
            !self.ridge_lines.is_empty(),
            !self.rivers.is_empty(),
        ];
        for ((option, file), is_there) in said.into_iter().zip(is_there) {
            match (file.is_empty(), is_there) {
                (true, true) => return Err(GivenError::Unknown { option }),
                (false, false) => return Err(GivenError::Missing { option, file: file.into() }),
                _ => {}
            }
        }
        Ok(())
    }
}
