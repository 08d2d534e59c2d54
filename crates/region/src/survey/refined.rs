//! Windows of a world, refined and measured; and the rivers drawn in them against those that water finds.
//!
//! Drawn is what the layer `discharge` marks. Water's areas count from inside the window, so that a river which has just come
//! in drains little: nothing within 5 km of the border is asked for its counterpart, and water's channels may be half as large as those
//! that are looked for among the drawn ones.

use super::Survey;
use super::channels::share_near;
use super::heights::{Heights, HeightsError};
use super::places::Place;
use super::water::{CHANNEL_KM2, Routing, Water};
use crate::refine::{RefineError, Region, refine};
use crate::request::{Method, Request, RequestError, Sampled};
use grid::{Field, Grid, Shape};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use world::CellSource;

/// Samples apart that a channel may lie from its counterpart.
const NEAR_SAMPLES: f64 = 2.0;
/// Width of the border from which nothing is matched, in metres.
const BORDER_M: f64 = 5000.0;
/// Drainage areas of channels that are looked for, and of those they may be found at, in shares of [`CHANNEL_KM2`].
const LOOKED_FOR: f64 = 2.0;
const FOUND_AT: f64 = 0.5;

/// Why a window could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// It cannot be asked for.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// It cannot be made.
    #[error(transparent)]
    Refine(#[from] RefineError),
    /// What was made cannot be measured.
    #[error(transparent)]
    Heights(#[from] HeightsError),
}

/// A window with its statistics.
#[derive(Clone, Debug, PartialEq)]
pub struct Surveyed {
    /// Which window.
    pub place: Place,
    /// What it is like.
    pub survey: Survey,
    /// Whether its rivers run where water would.
    pub rivers: RiverMatch,
}

/// How the rivers drawn in a window agree with the channels of the water on its heights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RiverMatch {
    /// Share of the samples of drawn rivers within two samples of a channel that drains 0.5 km2.
    pub drawn_found: Option<f64>,
    /// Share of the samples of channels that drain 2 km2 within two samples of a drawn river.
    pub channels_drawn: Option<f64>,
}

/// Refines windows of a world by a method, and measures them. `progress` is told the share that is done.
///
/// # Errors
/// A spacing out of range; a world that cannot be read.
pub fn refined(
    source: &impl CellSource,
    places: &[Place],
    method: Method,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Vec<Surveyed>, SurveyError> {
    let done = AtomicUsize::new(0);
    let measured = |place: &Place| {
        let surveyed = survey(source, place, method);
        progress((done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / places.len() as f64);
        surveyed
    };
    places.par_iter().map(measured).collect()
}

fn survey(source: &impl CellSource, place: &Place, method: Method) -> Result<Surveyed, SurveyError> {
    let lattice = place.lattice.clone();
    let spacing_m = lattice.spacing_m();
    let layers = vec![Sampled::Elevation, Sampled::Discharge];
    let region = refine(source, &Request::new(lattice, place.window, layers, method)?, &|_| {})?;
    let values = layer(&region, Sampled::Elevation).to_vec();
    let heights = Heights::new(values, place.window.width, spacing_m)?;
    let water = Water::of(&heights, Routing::Steepest);
    let survey = Survey::with_water(&heights, &water, place.axis);
    let rivers = RiverMatch::of(&heights, &water, layer(&region, Sampled::Discharge));
    Ok(Surveyed { place: place.clone(), survey, rivers })
}

fn layer(region: &Region, layer: Sampled) -> &[f32] {
    region.layer(layer).expect("the layer was asked for")
}

impl RiverMatch {
    /// Holds the discharge drawn in a window, positive on the samples of rivers, against its water.
    pub fn of(heights: &Heights, water: &Water, discharge: &[f32]) -> Self {
        let shape = heights.grid().shape();
        let drawn = Field::from_fn(shape, |c| discharge[c.index()] > 0.0);
        let margin = (BORDER_M / heights.spacing_m()) as u32;
        let inner = |mask: &Field<bool>| {
            Field::from_fn(shape, |c| mask[c] && is_inside(shape, margin, shape.split(c)))
        };
        let channels = water.channels(LOOKED_FOR * CHANNEL_KM2);
        Self {
            drawn_found: share_near(&inner(&drawn), &water.channels(FOUND_AT * CHANNEL_KM2), NEAR_SAMPLES),
            channels_drawn: share_near(&inner(&channels), &drawn, NEAR_SAMPLES),
        }
    }
}

fn is_inside(shape: Shape, margin: u32, (_, row, column): (u32, u32, u32)) -> bool {
    let inside = |at: u32, side: u32| at >= margin && at + margin < side;
    inside(row, shape.rows) && inside(column, shape.cols)
}
