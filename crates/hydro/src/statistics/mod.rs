//! Statistics of river networks: how numbers, lengths, areas and slopes of streams scale.
//!
//! ```text
//! N_w ~ Rb^-w    L_w ~ Rl^w    A_w ~ Ra^w      streams of Strahler order w      (Horton 1945, Schumm 1956)
//! L ~ A^h                                      longest flow path to a node      (Hack 1957)
//! P(A > a) ~ a^-b                              drainage area of all cells       (Rodriguez-Iturbe et al. 1992)
//! S ~ A^-theta                                 slope of channels                (Flint 1974)
//! T_ij = a c^(j - i - 1)                       side branches of order i on j    (Tokunaga 1978)
//! (mean z - min z) / (max z - min z)           hypsometric integral             (Strahler 1952)
//! ```
//!
//! A in square metres, L in metres, S in metres per metre. Exponents are least squares through logarithms; where
//! there are many more small nodes than large ones, through the means of bins that each double the area, so that
//! every scale counts the same. Real elevation gives Rb 3.6 to 4.8, Rl 2.0 to 2.7, Ra 3.8 to 4.9, h 0.50 to 0.61,
//! b 0.45 to 0.53.
//!
//! Areas are asked for as a field, so that it can be left to the caller what counts: cells whose area is 0 (the sea)
//! are no nodes of any statistic. Cost: each is linear.

mod fit;

mod horton;

mod hypsometry;

mod scaling;

mod tokunaga;

pub use fit::{PowerLaw, line};
pub use horton::{HortonRatios, StreamOrder, horton_ratios, stream_orders};
pub use hypsometry::{Hypsometry, elevation_relief_ratios};
pub use scaling::{area_exceedance, concavity, drainage_density_per_m, hack};
pub use tokunaga::{SideBranches, Tokunaga};

pub use crate::network::longest_path_m;
