//! The world file: named layers over one grid, tables and texts, in one file that opens at once.
//!
//! The file does not know what elevation is. It gives back what was written, bit for bit, or says exactly
//! what is wrong with it; nothing in a file can make the reader panic, hang or take memory without bound.
//! `docs/FORMAT.md` describes it byte by byte.
//!
//! ```
//! use grid::{Cell, Field, Layer, Shape};
//! use store::{Contents, Meta, WorldFile};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("world.terrane");
//! let shape = Shape { faces: 6, rows: 32, cols: 32 };
//! let height = Field::from_fn(shape, |cell| cell.0 as f32 / 8.0);
//! let layers = [Layer::new("height_m", "m", height.clone())];
//! let meta = Meta { engine: "0.1.0".into(), recipe: "seed = 42".into(), name: "Example".into() };
//! store::write(&path, &Contents { meta: &meta, shape, layers: &layers, tables: &[] }, &|_share| {})?;
//!
//! let file = WorldFile::open(&path)?; // reads the header, no values
//! assert_eq!(file.digest(), store::digest(&layers));
//! let some = file.gather("height_m", &[Cell(5_000), Cell(3)])?; // reads the chunks that hold these cells
//! assert_eq!(some.to_f64(), [625.0, 0.375]);
//! assert_eq!(file.layer("height_m")?, layers[0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Modules, in reading order:

mod contents;

mod error;

mod write;

mod file;

mod read;

mod gather;

mod digest;

mod superblock;

mod header;

mod limits;

mod layout;

mod element;

mod filter;

mod chunk;

mod atomic;

mod source;

mod cache;

pub use contents::{ColumnInfo, Contents, LayerInfo, Meta, TableInfo};
pub use digest::{digest, digest_of_file};
pub use element::Dtype;
pub use error::{ReadError, WriteError};
pub use file::WorldFile;
pub use filter::Filter;
pub use gather::{Gathered, Located};
pub use write::{Layout, write, write_with};
