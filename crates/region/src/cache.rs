//! A cache of drainage: what one request has found out is there for the next.

use crate::drainage::levels::Levels;
use std::sync::{Arc, OnceLock};
use world::Recipe;

/// Blocks of a world's drainage that requests share: sites, plans, waters of basins, and channels as samples of some spacing show them.
///
/// Every block is a function of its address and of the world, so that a cache changes no bit of any region; it only
/// saves time where requests overlap or lie close together. After each request the blocks that have not been asked for
/// for longest are dropped, until the rest weighs no more than the limit.
///
/// Clones share one cache. It belongs to the world of its first request; requests for other recipes leave it alone.
///
/// # Examples
/// ```
/// use grid::Grid;
/// use region::{Cache, Lattice, Method, Request, Sampled, refine};
///
/// let world = world::simulate(&world::Recipe::preset("small").expect("built in"), &|_, _| {}).expect("sound");
/// let cache = Cache::new(64 << 20);
/// for west in [10.0, 10.2] {
///     let lattice = Lattice::lon_lat(world.grid.metres_per_unit(), 2000.0);
///     let window = lattice.window(west, 5.0, west + 0.5, 5.5);
///     let request = Request::new(lattice, window, vec![Sampled::Elevation], Method::Drainage).expect("small");
///     refine(&world, &request.with_cache(&cache), &|_share| {}).expect("in memory");
/// }
/// assert!(cache.bytes() > 0);
/// ```
#[derive(Clone, Debug)]
pub struct Cache {
    levels: Arc<Levels>,
    recipe: Arc<OnceLock<Recipe>>,
    limit: u64,
}

impl Cache {
    /// The limit of a cache of which nothing else is said, in bytes.
    pub const LIMIT: u64 = 256 << 20;

    /// An empty cache of so many bytes at most, between requests.
    pub fn new(limit: u64) -> Self {
        Self { levels: Arc::default(), recipe: Arc::default(), limit }
    }

    /// The most that it keeps between requests, in bytes.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// About how many bytes it holds.
    pub fn bytes(&self) -> u64 {
        self.levels.bytes()
    }

    /// What is known of a world.
    pub(crate) fn levels(&self, recipe: &Recipe) -> Arc<Levels> {
        match self.recipe.get_or_init(|| recipe.clone()) == recipe {
            true => self.levels.clone(),
            false => Arc::default(),
        }
    }

    /// Drops what is over the limit.
    pub(crate) fn trim(&self) {
        self.levels.trim(self.limit);
    }
}

impl Default for Cache {
    fn default() -> Self {
        Self::new(Self::LIMIT)
    }
}
