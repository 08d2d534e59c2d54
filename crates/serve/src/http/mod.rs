//! The viewer: a world over HTTP, for a browser on the same machine.
//!
//! The server knows addresses, tiles, pictures and how much may go on at once; what a world is it asks a [`Planet`].
//! Every answer is a function of the world, of the program's version and of its address, so that its tag (`ETag`) is
//! known before anything is drawn. This module is the only place of the crate that knows a clock, the net, or holds
//! something that changes: the caches and the queue of [`Desk`], and the drawings that tiles share.
//!
//! Modules, in reading order:

mod planet;

mod sheet;

mod address;

mod query;

mod refusal;

mod scene;

mod colours;

mod png;

mod terrarium;

mod mvt;

mod names;

mod lines;

mod overlays;

mod polar;

mod print;

mod export;

mod desk;

mod guard;

mod assets;

mod router;

mod listen;

pub use desk::{Counts, Desk, Limits};
pub use lines::{LAST_SYMBOLS, least_discharge_m3_s};
pub use listen::{ListenError, Server};
pub use planet::{
    About, DRAINAGE, Failure, Feature, NoPlace, Planet, Property, Quantity, Shape, Stem, Surface, Theme,
    Votes,
};
pub use refusal::Refusal;
pub use router::router;
pub use scene::{Answer, last_far_zoom};
