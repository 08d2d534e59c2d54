//! A region as a store whose shards are made one by one.
//!
//! A sample does not depend on the window that it is asked in (law 2), so a shard is a pure function of world, plan and number:
//! whoever makes it, and however often, its bytes are the same. So nothing must be agreed on between machines but the plan, and
//! the plan stands in the store: what it was begun for is an attribute of it, and another plan is refused.

use archive::ENGINE;
use formats::stream::{Frame, Rect};
use formats::zarr::{self, FILLED, Object};
use formats::{Cause, RasterError};
use region::{Method, RefineError, Request, Sampled, Window, refine};
use serde_json::{Map, Value, json};
use world::CellSource;

/// Why a region cannot be a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// It reaches beyond the world.
    #[error("{0}; a store holds every place once")]
    Beyond(String),
    /// Its size or its place.
    #[error(transparent)]
    Raster(#[from] RasterError),
    /// Its shards would have no side that chunks fit into.
    #[error("a shard has a side of a multiple of {} samples up to {most}, not of {side}", zarr::CHUNK)]
    Side {
        /// What was asked for.
        side: usize,
        /// The longest.
        most: usize,
    },
    /// The store was begun for something else.
    #[error(
        "the store holds another region: {name} is {found} in it, and {wanted} is asked for; name another store"
    )]
    Other {
        /// What differs.
        name: String,
        /// Its value in the store.
        found: String,
        /// Its value now.
        wanted: String,
    },
    /// What stands in its place is no store of ours.
    #[error("its zarr.json was not written for a region of a world; name another store")]
    Foreign,
}

/// Why a shard was not made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShardError {
    /// The world does not say what its cells are like.
    #[error(transparent)]
    Refine(#[from] RefineError),
    /// A shard of the next larger level, from which it would be made.
    #[error("{key} is not there, and the overview needs it: {cause}")]
    Larger {
        /// The key of that shard.
        key: String,
        /// Why not.
        #[source]
        cause: Cause,
    },
    /// Such a shard is damaged.
    #[error("a shard that the overview is made from is damaged; remove it and make it again: {0}")]
    Damaged(#[source] Cause),
    /// Numbers could not be packed.
    #[error("packing: {0}")]
    Packing(#[source] Cause),
}

/// A region as a store of shards.
#[derive(Clone, Debug)]
pub struct Plan {
    request: Request,
    side: usize,
    /// The raster, and its overviews.
    levels: Vec<Frame>,
    /// Of the store as a whole.
    attributes: Map<String, Value>,
}

impl Plan {
    /// Samples along a side of a shard, if nobody says another number: 16 MB a layer, some seconds of a processor.
    pub const SIDE: usize = 2048;
    /// The longest side: half a gigabyte a layer.
    pub const MAX_SIDE: usize = 11264;

    /// A plan for what is requested of a world, in shards of so many samples a side. `digest` is that of the world's layers.
    ///
    /// # Errors
    /// A side that is no multiple of [`zarr::CHUNK`], more samples than a store can have.
    pub fn new(
        source: &impl CellSource,
        request: Request,
        side: usize,
        digest: &str,
    ) -> Result<Self, PlanError> {
        if side == 0 || !side.is_multiple_of(zarr::CHUNK) || side > Self::MAX_SIDE {
            return Err(PlanError::Side { side, most: Self::MAX_SIDE });
        }
        let mut frame = crate::frame::frame(&request.lattice, &request.window, &request.layers);
        frame.check()?;
        crate::frame::check_once(source.grid(), &frame).map_err(PlanError::Beyond)?;
        frame.georeference = crate::placed(source, frame.georeference);
        let recipe = source.recipe();
        let mut attributes = Map::new();
        attributes.insert("title".into(), recipe.name.clone().into());
        attributes.insert("world".into(), recipe.name.clone().into());
        attributes.insert("seed".into(), recipe.seed.to_string().into());
        attributes.insert("software".into(), ENGINE.into());
        attributes.insert(FILLED.into(), mark(&request, side, digest));
        Ok(Self { levels: zarr::overviews(&frame), request, side, attributes })
    }

    /// Levels: the raster is 0, its overviews come after it.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Samples of a level from west to east and from north to south.
    pub fn size(&self, level: usize) -> (usize, usize) {
        (self.levels[level].width, self.levels[level].height)
    }

    /// Samples along a side of a shard.
    pub fn side(&self) -> usize {
        self.side
    }

    /// The region that it is for.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// Shards of a level. Each stands for one shard of every layer.
    pub fn shards(&self, level: usize) -> usize {
        let (across, down) = self.across_down(level);
        across * down
    }

    fn across_down(&self, level: usize) -> (usize, usize) {
        let (width, height) = self.size(level);
        (width.div_ceil(self.side), height.div_ceil(self.side))
    }

    /// Row and column of a shard; they are numbered row by row from the north-west.
    fn place(&self, level: usize, shard: usize) -> (usize, usize) {
        let (across, _) = self.across_down(level);
        (shard / across, shard % across)
    }

    /// The keys of a shard: one for each layer.
    pub fn keys(&self, level: usize, shard: usize) -> Vec<String> {
        let place = self.place(level, shard);
        self.levels[level].bands.iter().map(|band| zarr::key(level, &band.name, place)).collect()
    }

    /// All of the store but its shards, for so many levels: 1 for the raster alone. The store's own `zarr.json` is the last, so
    /// that whoever finds it finds all.
    ///
    /// Of a store that is there, `found` is that text: what others have added to it, as other groups, stays.
    ///
    /// # Errors
    /// None that is known: frames and sides are checked.
    pub fn template(&self, levels: usize, found: Option<&[u8]>) -> Result<Vec<Object>, ShardError> {
        let levels = &self.levels[..levels.clamp(1, self.levels.len())];
        let mut objects = zarr::template(levels, self.side, &self.attributes).map_err(ShardError::Packing)?;
        if let (Some(found), Some(own)) = (found, objects.last_mut()) {
            own.bytes = merged(found, &own.bytes).map_err(|e| ShardError::Packing(e.into()))?;
        }
        Ok(objects)
    }

    /// Makes sure that a store with this `zarr.json` was begun for this plan.
    ///
    /// # Errors
    /// [`PlanError::Other`] with the first thing that differs, [`PlanError::Foreign`].
    pub fn check(&self, zarr_json: &[u8]) -> Result<(), PlanError> {
        let found: Value = serde_json::from_slice(zarr_json).map_err(|_| PlanError::Foreign)?;
        let found = found["attributes"][FILLED].as_object().ok_or(PlanError::Foreign)?;
        let wanted = self.attributes[FILLED].as_object().ok_or(PlanError::Foreign)?;
        let shown = |value: Option<&Value>| value.map_or("nothing".into(), Value::to_string);
        for name in wanted.keys().chain(found.keys()) {
            if found.get(name) != wanted.get(name) {
                let (found, wanted) = (shown(found.get(name)), shown(wanted.get(name)));
                return Err(PlanError::Other { name: name.clone(), found, wanted });
            }
        }
        Ok(())
    }

    /// The samples of a shard within the raster.
    fn rect(&self, level: usize, shard: usize) -> Rect {
        let (row, column) = self.place(level, shard);
        let (width, height) = self.size(level);
        let (column, row) = (column * self.side, row * self.side);
        Rect { column, row, width: self.side.min(width - column), height: self.side.min(height - row) }
    }

    /// What is refined for a shard of the raster.
    pub fn request_of(&self, shard: usize) -> Request {
        let at = self.rect(0, shard);
        let Window { west, north, .. } = self.request.window;
        let (west, north) = (west + at.column as i64, north - at.row as i64);
        Request { window: Window { west, north, width: at.width, height: at.height }, ..self.request.clone() }
    }

    /// Makes a shard of the raster: one object for each layer.
    ///
    /// # Errors
    /// [`ShardError::Refine`].
    pub fn refine(
        &self,
        source: &impl CellSource,
        shard: usize,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Vec<Object>, ShardError> {
        let request = self.request_of(shard);
        let size = (request.window.width, request.window.height);
        let region = refine(source, &request, progress)?;
        let packed = |((_, values), key): ((Sampled, Vec<f32>), String)| {
            let bytes = zarr::pack(&values, size, self.side).map_err(|e| ShardError::Packing(e.into()))?;
            Ok(Object { key, bytes })
        };
        region.into_layers().into_iter().zip(self.keys(0, shard)).map(packed).collect()
    }

    /// The keys of the shards that a shard of an overview is made from: for each layer north-west, north-east, south-west,
    /// south-east, none where the next larger level has ended.
    fn larger(&self, level: usize, shard: usize) -> Vec<[Option<String>; 4]> {
        let (row, column) = self.place(level, shard);
        let (across, down) = self.across_down(level - 1);
        let key = |name: &str, quarter: usize| {
            let (row, column) = (2 * row + quarter / 2, 2 * column + quarter % 2);
            (row < down && column < across).then(|| zarr::key(level - 1, name, (row, column)))
        };
        let bands = self.levels[level].bands.iter();
        bands.map(|band| [0, 1, 2, 3].map(|quarter| key(&band.name, quarter))).collect()
    }

    /// Makes a shard of an overview, from the shards of the next larger level, which `read` finds by their keys.
    ///
    /// # Errors
    /// [`ShardError::Larger`], [`ShardError::Damaged`]: one of them is not there, or damaged.
    pub fn overview(
        &self,
        level: usize,
        shard: usize,
        read: &dyn Fn(&str) -> Result<Vec<u8>, Cause>,
    ) -> Result<Vec<Object>, ShardError> {
        let place = self.place(level, shard);
        let mut objects = Vec::with_capacity(self.levels[level].bands.len());
        for (band, (from, key)) in
            self.larger(level, shard).into_iter().zip(self.keys(level, shard)).enumerate()
        {
            let mut larger = [const { None }; 4];
            for (bytes, key) in larger.iter_mut().zip(&from) {
                let Some(key) = key else { continue };
                let read = read(key).map_err(|cause| ShardError::Larger { key: key.clone(), cause })?;
                *bytes = Some(read);
            }
            let bytes = zarr::halve(&self.levels[level], (band, self.side), place, larger)
                .map_err(ShardError::Damaged)?;
            objects.push(Object { key, bytes });
        }
        Ok(objects)
    }
}

/// The text of a group with its attributes and members laid over those of an older one.
fn merged(older: &[u8], newer: &[u8]) -> serde_json::Result<Vec<u8>> {
    let (older, mut newer): (Value, Value) = (serde_json::from_slice(older)?, serde_json::from_slice(newer)?);
    for place in ["/attributes", "/consolidated_metadata/metadata"] {
        let (Some(old), Some(new)) = (older.pointer(place), newer.pointer_mut(place)) else { continue };
        let (Some(old), Some(new)) = (old.as_object(), new.as_object_mut()) else { continue };
        for (name, value) in old {
            new.entry(name.as_str()).or_insert_with(|| value.clone());
        }
    }
    serde_json::to_vec_pretty(&newer)
}

/// What a store was begun for.
fn mark(request: &Request, side: usize, digest: &str) -> Value {
    let Window { west, north, width, height } = request.window;
    let method = match request.method {
        Method::Drainage => "drainage",
        Method::Classic => "classic",
    };
    let layers: Vec<&str> = request.layers.iter().map(|layer| layer.name()).collect();
    json!({
        "engine": ENGINE,
        "revision": region::REVISION,
        "digest": digest,
        "lattice": request.lattice.to_string(),
        "window": [west, north, width, height],
        "layers": layers,
        "method": method,
        "texture": request.texture,
        "shard": side,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_added_to_a_store_stays() {
        let older = json!({
            "attributes": { "note": "mine", "seed": "1", "multiscales": 5 },
            "consolidated_metadata": { "metadata": { "hydrology": { "a": 1 }, "elevation": 2 } },
        });
        let newer = json!({
            "attributes": { "seed": "2" },
            "consolidated_metadata": { "kind": "inline", "metadata": { "elevation": 3, "1": 4 } },
        });
        let merge = |a: &Value, b: &Value| -> Value {
            serde_json::from_slice(&merged(a.to_string().as_bytes(), b.to_string().as_bytes()).unwrap())
                .unwrap()
        };
        let expected = json!({
            "attributes": { "note": "mine", "seed": "2", "multiscales": 5 },
            "consolidated_metadata": {
                "kind": "inline",
                "metadata": { "hydrology": { "a": 1 }, "elevation": 3, "1": 4 },
            },
        });
        assert_eq!(merge(&older, &newer), expected);
        assert_eq!(merge(&json!({ "attributes": 7 }), &newer), newer);
        assert!(merged(b"no text", b"{}").is_err());
    }
}
