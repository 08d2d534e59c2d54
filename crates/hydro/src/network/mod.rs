//! Networks of streams over a [`Flow`](crate::Flow): which cells are streams, how they rank, what drains to them, how far
//! and how high everything lies above them.
//!
//! ```text
//! streams_above -> Nodes, shreve, Stems -> hack_order, horton_order, pfafstetter, main stems
//!              \-> first_stream -> height_above_m, way_to_m        watersheds, reach_basins, rank_basins
//! downstream_m, longest_path_m, slope, chi -> steepness            snap, downstream, upstream, Profile
//! ```
//!
//! The scheme is the same everywhere: one pass along the order of the flow, up or down, with a value for each cell; what
//! follows one river costs its length. Lengths are sums of distances between centres, in metres.
//!
//! What it neglects: one receiver for each cell, so no deltas and no braids. A stream that runs into a cell without stream
//! ends there.
//!
//! Tie rules stand with each function; where nothing else is said the lowest address goes first.

mod basins;

mod chi;

mod height;

mod lengths;

mod nodes;

mod orders;

mod pfafstetter;

mod profile;

mod slope;

mod snap;

mod stems;

mod steps;

mod trace;

pub use basins::{rank_basins, reach_basins, watersheds};
pub use chi::{Chi, steepness};
pub use height::{Undrained, first_stream, height_above_m, way_to_m};
pub use lengths::{downstream_m, longest_path, longest_path_m};
pub use nodes::{Nodes, streams_above, streams_above_each};
pub use orders::{hack_order, horton_order, shreve};
pub use pfafstetter::{PFAFSTETTER_DIGITS, pfafstetter};
pub use profile::Profile;
pub use slope::{reach_length_m, reach_slope, slope};
pub use snap::{snap_to_greatest, snap_to_stream};
pub use stems::Stems;
pub use trace::{downstream, upstream};

/// In a field of addresses, numbers or indices: none.
pub const NOWHERE: u32 = u32::MAX;
