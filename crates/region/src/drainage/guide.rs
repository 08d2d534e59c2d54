//! What the drainage asks of the land it runs over.

use grid::Vec3;

/// What a place is like, as things of a size see it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Aim {
    /// Height that divides reach there, in metres.
    pub top_m: f64,
    /// Gradient of hillslopes, in metres per metre.
    pub rise: f64,
    /// How far from the shore it is, in cells: negative under water.
    pub shore: f64,
    /// Whether the sea covers it.
    pub sea: bool,
    /// Level of the lake that covers it, in metres.
    pub lake_m: Option<f64>,
    /// How far from the shore of a lake it is, in cells: 1 where none is near.
    pub lake_cells: f64,
    /// How much glaciers have shaped valleys, 0 to 1.
    pub ice: f64,
    /// About what runs off a cell there, in m3/s: a cell's own is shared in these proportions.
    pub runoff_m3_s: f64,
}

/// The land that the drainage is guided by; everything within some ball.
pub(crate) trait Guide {
    /// What places in bent space (in metres) are like; at less cost where they lie close together.
    fn aims(&self, places: &[Vec3]) -> Vec<Aim>;
    /// Of each so many places that follow one another the one with the lowest top, of equal ones the first, and what it is like.
    fn lowest(&self, places: &[Vec3], tries: usize) -> Vec<(Vec3, Aim)>;
}
