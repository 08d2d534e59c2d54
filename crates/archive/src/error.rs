//! What can be wrong with the file of a world.

use grid::Shape;
use std::path::{Path, PathBuf};
use store::ReadError;

/// Why a file gives no world.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A pipe, or another thing that is not a file.
    #[error("{} is not a world file: it is not a regular file", path.display())]
    Irregular {
        /// What was to be opened.
        path: PathBuf,
    },
    /// The file cannot be read, or is no world file; its error names the file.
    #[error(transparent)]
    Foreign(ReadError),
    /// Something in the file is wrong.
    #[error("{}: {source}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: ReadError,
    },
    /// What the file holds is no world.
    #[error("{} does not hold a world", path.display())]
    NoWorld {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Its layers are not those of its recipe.
    #[error(
        "{} is inconsistent: its recipe asks for a grid of {asked:?}, its layers lie on {found:?}",
        path.display()
    )]
    Inconsistent {
        /// The file.
        path: PathBuf,
        /// The recipe's shape.
        asked: Shape,
        /// That of the layers.
        found: Shape,
    },
    /// Its rivers are not those of its cells.
    #[error("{}: the tables of rivers do not fit the world", path.display())]
    Rivers {
        /// The file.
        path: PathBuf,
    },
}

impl FileError {
    /// Puts a file's name to the errors of reading it.
    pub(crate) fn in_file(path: &Path) -> impl Fn(ReadError) -> Self {
        move |source| match source {
            ReadError::NotAWorld { .. } | ReadError::Io { .. } => Self::Foreign(source),
            _ => Self::Damaged { path: path.into(), source },
        }
    }

    /// Says that a file holds no world.
    pub(crate) fn no_world<E: std::error::Error + Send + Sync + 'static>(path: &Path) -> impl Fn(E) -> Self {
        move |source| Self::NoWorld { path: path.into(), source: Box::new(source) }
    }
}
