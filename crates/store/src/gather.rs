//! Reading the values of some cells: only the chunks that hold them, each once.

use crate::element::{Dtype, read_values};
use crate::error::ReadError;
use crate::file::{Scratch, WorldFile};
use crate::header::LayerHead;
use crate::limits;
use crate::read::no_memory;
use bytemuck::Pod;
use grid::Cell;
use rayon::prelude::*;
use std::sync::Arc;

/// Values of some cells, in the order in which the cells were given.
#[derive(Clone, Debug, PartialEq)]
pub enum Gathered {
    /// Bytes.
    U8(Vec<u8>),
    /// 16-bit unsigned.
    U16(Vec<u16>),
    /// 32-bit unsigned.
    U32(Vec<u32>),
    /// 32-bit floating point.
    F32(Vec<f32>),
    /// 64-bit floating point.
    F64(Vec<f64>),
}

impl Gathered {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(v) => v.len(),
            Self::U16(v) => v.len(),
            Self::U32(v) => v.len(),
            Self::F32(v) => v.len(),
            Self::F64(v) => v.len(),
        }
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values as `f64`, which holds every value of every type.
    pub fn to_f64(&self) -> Vec<f64> {
        match self {
            Self::U8(v) => v.iter().map(|&x| f64::from(x)).collect(),
            Self::U16(v) => v.iter().map(|&x| f64::from(x)).collect(),
            Self::U32(v) => v.iter().map(|&x| f64::from(x)).collect(),
            Self::F32(v) => v.iter().map(|&x| f64::from(x)).collect(),
            Self::F64(v) => v.clone(),
        }
    }
}

macro_rules! conversions {
    ($($variant:ident $type:ty, $into:ident;)*) => {
        impl Gathered {
            $(#[doc = concat!("The values, if they are of type `", stringify!($type), "`.")]
            pub fn $into(self) -> Option<Vec<$type>> {
                if let Self::$variant(values) = self { Some(values) } else { None }
            })*
        }
    };
}

conversions! {
    U8 u8, into_u8;
    U16 u16, into_u16;
    U32 u32, into_u32;
    F32 f32, into_f32;
    F64 f64, into_f64;
}

/// Cells whose chunks are known, for one file: to gather several layers at the same cells.
#[derive(Clone, Debug)]
pub struct Located(Vec<Wanted>);

impl Located {
    /// Number of cells.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A cell that is wanted.
#[derive(Clone, Copy, Debug, Default)]
struct Wanted {
    /// The tile that holds it,
    tile: usize,
    /// its index there,
    within: usize,
    /// and in the answer.
    position: usize,
}

/// Chunks that one thread unpacks by itself: waking others takes longer.
const FEW: usize = 4;

impl WorldFile {
    /// The values of some cells of a layer, in their order; a cell may come more than once.
    ///
    /// Reads the chunks that hold the cells, each once, and none that is still in memory from a call before.
    ///
    /// # Errors
    ///
    /// No such layer, a cell that is not on the grid, or a chunk that is damaged or gone.
    pub fn gather(&self, name: &str, cells: &[Cell]) -> Result<Gathered, ReadError> {
        self.find_layer(name)?;
        self.gather_at(name, &self.locate(cells)?)
    }

    /// The values of some cells of a layer, as [`gather`](Self::gather), where [`locate`](Self::locate) of this file
    /// has found the cells.
    ///
    /// # Errors
    ///
    /// No such layer, or a chunk that is damaged or gone.
    pub fn gather_at(&self, name: &str, Located(wanted): &Located) -> Result<Gathered, ReadError> {
        let (index, head) = self.find_layer(name)?;
        let layer = (index, head);
        Ok(match head.dtype {
            Dtype::U8 => Gathered::U8(self.gather_values(layer, wanted)?),
            Dtype::U16 => Gathered::U16(self.gather_values(layer, wanted)?),
            Dtype::U32 => Gathered::U32(self.gather_values(layer, wanted)?),
            Dtype::F32 => Gathered::F32(self.gather_values(layer, wanted)?),
            Dtype::F64 => Gathered::F64(self.gather_values(layer, wanted)?),
        })
    }

    /// Where cells lie, tile by tile. Cost: linear in the cells, or n log n of few.
    ///
    /// # Errors
    ///
    /// A cell that is not on the grid.
    pub fn locate(&self, cells: &[Cell]) -> Result<Located, ReadError> {
        let (tiling, len) = (self.header.tiling(), self.shape().len());
        if let Some(outside) = cells.iter().find(|cell| cell.index() >= len) {
            return Err(ReadError::Outside { cell: outside.0, last: len as u64 - 1 });
        }
        let find = |(position, &cell)| {
            let (tile, within) = tiling.find(cell);
            Wanted { tile, within, position }
        };
        let mut wanted: Vec<Wanted> = cells.iter().enumerate().map(find).collect();
        let tiles = tiling.count() as usize;
        if tiles > cells.len() {
            wanted.sort_by_key(|w| w.tile);
            return Ok(Located(wanted));
        }
        Ok(Located(by_tile(&wanted, tiles)))
    }

    fn gather_values<T: Pod>(
        &self,
        layer: (usize, &LayerHead),
        wanted: &[Wanted],
    ) -> Result<Vec<T>, ReadError> {
        let width = size_of::<T>();
        let groups: Vec<&[Wanted]> = wanted.chunk_by(|a, b| a.tile == b.tile).collect();
        let side = self.header.chunk_side as usize;
        let at_once = (limits::BATCH_BYTES / (side * side * width)).max(1);
        let values = read_values(wanted.len(), |bytes| {
            for groups in groups.chunks(at_once) {
                let tiles = self.tiles(layer, groups)?;
                for (group, tile) in groups.iter().zip(&tiles) {
                    for w in *group {
                        let value = &tile[w.within * width..][..width];
                        bytes[w.position * width..][..width].copy_from_slice(value);
                    }
                }
            }
            Ok(())
        });
        values.ok_or_else(|| no_memory("layer", &layer.1.name, wanted.len() * width))?
    }

    /// The unpacked chunks of the groups, those that are not in memory in parallel.
    fn tiles(&self, layer: (usize, &LayerHead), groups: &[&[Wanted]]) -> Result<Vec<Arc<[u8]>>, ReadError> {
        let tiles = groups.iter().map(|group| group[0].tile);
        let mut found: Vec<(usize, Option<Arc<[u8]>>)> =
            tiles.map(|tile| (tile, self.cache.get(self.first_chunk_of_layer(layer.0) + tile))).collect();
        let absent: Vec<_> = found.iter_mut().filter(|(_, bytes)| bytes.is_none()).collect();
        let fetch = |scratch: &mut Scratch, (tile, bytes): &mut (usize, Option<Arc<[u8]>>)| {
            *bytes = Some(self.fetch_tile(layer, *tile, scratch)?);
            Ok::<(), ReadError>(())
        };
        if absent.is_empty() {
            // the usual case around a place that was just looked at: not even scratch memory is needed
        } else if absent.len() <= FEW {
            let mut scratch = Scratch::new();
            absent.into_iter().try_for_each(|tile| fetch(&mut scratch, tile))?;
        } else {
            absent.into_par_iter().with_min_len(FEW).try_for_each_init(Scratch::new, fetch)?;
        }
        Ok(found.into_iter().filter_map(|(_, bytes)| bytes).collect())
    }

    fn fetch_tile(
        &self,
        layer: (usize, &LayerHead),
        tile: usize,
        scratch: &mut Scratch,
    ) -> Result<Arc<[u8]>, ReadError> {
        let mut raw = vec![0; self.header.tiling().tile_len(tile) * layer.1.dtype.width()];
        self.read_tile(layer, tile, scratch, &mut raw)?;
        let bytes: Arc<[u8]> = raw.into();
        self.cache.put(self.first_chunk_of_layer(layer.0) + tile, bytes.clone());
        Ok(bytes)
    }
}

/// Sorted by tile, otherwise in the same order.
fn by_tile(wanted: &[Wanted], tiles: usize) -> Vec<Wanted> {
    let mut next = vec![0usize; tiles + 1];
    wanted.iter().for_each(|w| next[w.tile + 1] += 1);
    for tile in 0..tiles {
        next[tile + 1] += next[tile];
    }
    let mut sorted = vec![Wanted::default(); wanted.len()];
    for w in wanted {
        sorted[next[w.tile]] = *w;
        next[w.tile] += 1;
    }
    sorted
}
