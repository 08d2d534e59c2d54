//! What can go wrong, in words that say what, where and what would be right.

use std::io;
use std::path::PathBuf;

/// Why a world file, or a part of it, cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file is something else.
    #[error("{} is not a world file: {reason}", path.display())]
    NotAWorld {
        /// The file that was opened.
        path: PathBuf,
        /// What it is instead.
        reason: String,
    },
    /// The file is of a format that this program does not know.
    #[error(
        "the world file has format version {found}, this program reads up to {supported}: update terrane"
    )]
    Version {
        /// The file's format version.
        found: u32,
        /// The newest format version that can be read.
        supported: u32,
    },
    /// The file ends too early.
    #[error("the world file is cut short: {what} should reach byte {needed}, but the file ends at byte {at}")]
    Truncated {
        /// What is not all there.
        what: String,
        /// Where the file ends.
        at: u64,
        /// Where it should end at the earliest.
        needed: u64,
    },
    /// Bytes have changed since they were written.
    #[error("{what} at byte {at} is damaged: its checksum is {found:08x}, it should be {expected:08x}")]
    Checksum {
        /// What is damaged.
        what: String,
        /// Where it begins.
        at: u64,
        /// CRC-32 of the bytes.
        found: u32,
        /// CRC-32 that was stored when they were written.
        expected: u32,
    },
    /// The file claims more than any file may hold.
    #[error("the world file claims {value} for {what}; at most {max} is allowed")]
    Limit {
        /// What is too much.
        what: String,
        /// What the file claims.
        value: u64,
        /// The most that is allowed.
        max: u64,
    },
    /// No layer or table of this name.
    #[error("the world file has no {what} `{name}`; it has {present}")]
    Missing {
        /// `layer` or `table`.
        what: &'static str,
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        present: String,
    },
    /// The cell is not on the grid.
    #[error("there is no cell {cell}: the world has cells 0 to {last}")]
    Outside {
        /// The cell that was asked for.
        cell: u32,
        /// The last cell there is.
        last: u64,
    },
    /// The header is intact but makes no sense.
    #[error("the world file's header is wrong: {reason}")]
    Header {
        /// What does not fit.
        reason: String,
    },
    /// A chunk is intact but does not hold what the header says.
    #[error("{what} is wrong: {reason}")]
    Content {
        /// Which chunk, column or layer.
        what: String,
        /// What does not fit.
        reason: String,
    },
    /// The operating system refused.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file that was read.
        path: PathBuf,
        /// The refusal.
        source: io::Error,
    },
}

/// Why a world cannot be written. The file that was there before is untouched.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A layer does not lie on the world's grid.
    #[error("layer `{layer}` has {found} cells (faces x rows x columns), the world has {expected}")]
    Shape {
        /// The layer.
        layer: String,
        /// Its shape.
        found: String,
        /// The world's shape.
        expected: String,
    },
    /// More than any file may hold.
    #[error("{what}: {value} is too much, a world file holds at most {max}")]
    Limit {
        /// What is too much.
        what: String,
        /// How much it is.
        value: u64,
        /// The most that is allowed.
        max: u64,
    },
    /// Contents that could not be read back.
    #[error("the world cannot be written: {reason}")]
    Contents {
        /// What does not fit.
        reason: String,
    },
    /// The operating system refused.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The file that was to be written.
        path: PathBuf,
        /// The refusal.
        source: io::Error,
    },
}

/// What reader and writer both refuse; each tells it in its own words.
#[derive(Debug)]
pub(crate) enum Flaw {
    Limit { what: String, value: u64, max: u64 },
    Reason(String),
}

impl From<Flaw> for ReadError {
    fn from(flaw: Flaw) -> Self {
        match flaw {
            Flaw::Limit { what, value, max } => Self::Limit { what, value, max },
            Flaw::Reason(reason) => Self::Header { reason },
        }
    }
}

impl From<Flaw> for WriteError {
    fn from(flaw: Flaw) -> Self {
        match flaw {
            Flaw::Limit { what, value, max } => Self::Limit { what, value, max },
            Flaw::Reason(reason) => Self::Contents { reason },
        }
    }
}
