//! Writing a world: chunks first, front last, and nothing in place until all of it is on the disk.

use crate::atomic;
use crate::chunk::{Packed, Packer};
use crate::contents::Contents;
use crate::digest::digest_bytes;
use crate::element::{Dtype, layer_bytes, le_bytes};
use crate::error::{Flaw, WriteError};
use crate::filter::Filter;
use crate::header::{ColumnHead, Header, Kind, LayerHead, TableHead};
use crate::layout::{STRIP_BYTES, Tiling};
use crate::superblock::{ENTRY_BYTES, SUPERBLOCK_BYTES, Superblock};
use grid::table::{Column, ColumnValues};
use grid::{Layer, Shape, Table};
use rayon::prelude::*;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

/// How a file is cut and arranged. The default is what measurement chose (`docs/FORMAT.md`); every layout is
/// readable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Cells along the side of a chunk, 8 to 256.
    pub chunk_side: u32,
    /// The filter of all layers.
    pub filter: Filter,
}

impl Default for Layout {
    fn default() -> Self {
        Self { chunk_side: 64, filter: Filter::Shuffle }
    }
}

/// Writes a world file and returns its length in bytes.
///
/// The file appears at `path` whole or not at all: it is written beside it under a temporary name, synced and
/// renamed; what stood there before is untouched until then. `progress` is told the share that is done, 0 to 1.
///
/// # Errors
///
/// Layers on another grid, names that are empty or there twice, more of something than the format allows, and
/// whatever the operating system refuses.
pub fn write(
    path: &Path,
    contents: &Contents<'_>,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<u64, WriteError> {
    write_with(path, contents, Layout::default(), progress)
}

/// The same in a layout of one's choice.
///
/// # Errors
///
/// As for [`write()`].
pub fn write_with(
    path: &Path,
    contents: &Contents<'_>,
    layout: Layout,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<u64, WriteError> {
    let header = describe(contents, layout)?;
    let encoded = header.encode()?;
    atomic::replace(path, |file| encode(file, contents, &header, &encoded, progress))
        .map_err(|source| WriteError::Io { path: path.into(), source })
}

/// The header of the contents, checked.
fn describe(contents: &Contents<'_>, layout: Layout) -> Result<Header, WriteError> {
    let Shape { faces, rows, cols } = contents.shape;
    if let Some(layer) = contents.layers.iter().find(|layer| layer.values.shape() != contents.shape) {
        let (found, expected) = (text_of(layer.values.shape()), text_of(contents.shape));
        return Err(WriteError::Shape { layer: layer.name.clone(), found, expected });
    }
    let tables: Result<_, Flaw> = contents.tables.iter().map(describe_table).collect();
    let mut header = Header {
        engine: contents.meta.engine.clone(),
        name: contents.meta.name.clone(),
        recipe: contents.meta.recipe.clone(),
        digest: [0; 32],
        faces,
        rows,
        cols,
        chunk_side: layout.chunk_side,
        layers: contents.layers.par_iter().map(|layer| describe_layer(layer, layout)).collect(),
        tables: tables?,
    };
    header.check()?;
    header.digest = digest_bytes(contents.layers);
    Ok(header)
}

fn text_of(shape: Shape) -> String {
    format!("{} x {} x {}", shape.faces, shape.rows, shape.cols)
}

fn describe_layer(layer: &Layer, layout: Layout) -> LayerHead {
    let dtype = Dtype::of(&layer.values);
    // `+ 0.0` makes one of the two zeros of what may come out as either.
    let range = layer.values.min_max().map(|(low, high)| (low + 0.0, high + 0.0));
    LayerHead { name: layer.name.clone(), unit: layer.unit.clone(), dtype, filter: layout.filter, range }
}

fn describe_table(table: &Table) -> Result<TableHead, Flaw> {
    let columns: Result<_, _> = table.columns().iter().map(describe_column).collect();
    Ok(TableHead { name: table.name.clone(), rows: table.rows() as u64, columns: columns? })
}

fn describe_column(column: &Column) -> Result<ColumnHead, Flaw> {
    let kind = match &column.values {
        ColumnValues::U32(_) => Kind::U32,
        ColumnValues::F64(_) => Kind::F64,
        ColumnValues::Text(words) => Kind::Text { bytes: words.iter().map(|word| word.len() as u64).sum() },
    };
    Ok(ColumnHead { name: column.name.clone(), unit: column.unit.clone(), kind })
}

/// Writes everything to a place that can be sought. The front stays zero until all chunks are written.
fn encode<W: Write + Seek>(
    out: W,
    contents: &Contents<'_>,
    header: &Header,
    encoded: &[u8],
    progress: &(dyn Fn(f64) + Sync),
) -> io::Result<u64> {
    let front_bytes = SUPERBLOCK_BYTES + encoded.len() as u64 + header.chunks() * ENTRY_BYTES;
    let mut out = BufWriter::with_capacity(1 << 20, out);
    out.seek(SeekFrom::Start(front_bytes))?;
    let total = raw_bytes(contents);
    let mut sink = Sink { out, at: front_bytes, table: Vec::new(), done: 0, total, progress };
    for (layer, head) in contents.layers.iter().zip(&header.layers) {
        sink.layer(layer, head.filter, header.tiling())?;
    }
    for column in contents.tables.iter().flat_map(Table::columns) {
        sink.column(&column.values)?;
    }
    let superblock = Superblock {
        file_bytes: sink.at,
        header_bytes: encoded.len() as u64,
        chunks: header.chunks(),
        header_crc: crc32fast::hash(encoded),
        table_crc: crc32fast::hash(&sink.table),
    };
    let Sink { mut out, table, .. } = sink;
    out.seek(SeekFrom::Start(0))?;
    out.write_all(&superblock.encode())?;
    out.write_all(encoded)?;
    out.write_all(&table)?;
    out.flush()?;
    progress(1.0);
    Ok(superblock.file_bytes)
}

/// Bytes of all values, as they lie in memory: what progress is measured by.
fn raw_bytes(contents: &Contents<'_>) -> u64 {
    let cell: usize = contents.layers.iter().map(|layer| Dtype::of(&layer.values).width()).sum();
    let columns = contents.tables.iter().flat_map(Table::columns).map(|column| match &column.values {
        ColumnValues::U32(v) => v.len() * 4,
        ColumnValues::F64(v) => v.len() * 8,
        ColumnValues::Text(v) => v.iter().map(|word| word.len() + 4).sum(),
    });
    (contents.shape.len() * cell + columns.sum::<usize>()) as u64
}

/// Where chunks go, one after the other, and what is noted about them.
struct Sink<'a, W: Write> {
    out: W,
    at: u64,
    table: Vec<u8>,
    done: u64,
    total: u64,
    progress: &'a (dyn Fn(f64) + Sync),
}

impl<W: Write> Sink<'_, W> {
    /// Bands are packed in parallel, so many at a time that memory stays far below that of the layer.
    fn layer(&mut self, layer: &Layer, filter: Filter, tiling: Tiling) -> io::Result<()> {
        const AT_ONCE: usize = 48;
        let bytes = layer_bytes(&layer.values);
        let width = Dtype::of(&layer.values).width();
        for first in (0..tiling.bands()).step_by(AT_ONCE) {
            let bands = first..tiling.bands().min(first + AT_ONCE);
            let cells: usize = bands.clone().map(|b| tiling.band(b).rows * tiling.shape.cols as usize).sum();
            let packed: io::Result<Vec<_>> = bands
                .into_par_iter()
                .map_init(Packer::new, |packer, band| pack_band(packer, filter, width, &bytes, tiling, band))
                .collect();
            packed?.iter().flatten().try_for_each(|chunk| self.put(chunk))?;
            self.advance(cells * width);
        }
        Ok(())
    }

    fn column(&mut self, values: &ColumnValues) -> io::Result<()> {
        match values {
            ColumnValues::U32(v) => self.strip(4, &le_bytes(v)),
            ColumnValues::F64(v) => self.strip(8, &le_bytes(v)),
            ColumnValues::Text(words) => {
                let lengths: Vec<u32> = words.iter().map(|word| word.len() as u32).collect();
                self.strip(4, &le_bytes(&lengths))?;
                self.strip(1, words.concat().as_bytes())
            }
        }
    }

    fn strip(&mut self, width: usize, bytes: &[u8]) -> io::Result<()> {
        let packed: io::Result<Vec<Packed>> = bytes
            .par_chunks(STRIP_BYTES as usize)
            .map_init(Packer::new, |packer, raw| packer.pack(Filter::Shuffle, width, raw))
            .collect();
        packed?.iter().try_for_each(|chunk| self.put(chunk))?;
        self.advance(bytes.len());
        Ok(())
    }

    fn put(&mut self, chunk: &Packed) -> io::Result<()> {
        self.out.write_all(&chunk.bytes)?;
        self.at += chunk.bytes.len() as u64;
        self.table.extend((chunk.bytes.len() as u32).to_le_bytes());
        self.table.extend(chunk.crc.to_le_bytes());
        Ok(())
    }

    fn advance(&mut self, bytes: usize) {
        self.done += bytes as u64;
        (self.progress)(self.done as f64 / self.total as f64);
    }
}

/// The tiles of one band of a layer's bytes, from west to east.
fn pack_band(
    packer: &mut Packer,
    filter: Filter,
    width: usize,
    layer: &[u8],
    tiling: Tiling,
    index: usize,
) -> io::Result<Vec<Packed>> {
    let (band, cols) = (tiling.band(index), tiling.shape.cols as usize);
    let cells = &layer[band.first_cell * width..][..band.rows * cols * width];
    let mut raw = Vec::new();
    (0..tiling.across())
        .map(|nth| {
            let span = tiling.span(nth);
            raw.clear();
            for row in cells.chunks_exact(cols * width) {
                raw.extend_from_slice(&row[span.from * width..][..span.cols * width]);
            }
            packer.pack(filter, width, &raw)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Meta, WorldFile};
    use grid::Field;

    /// A disk that is full after some bytes.
    struct Full<W> {
        inner: W,
        room: usize,
    }

    impl<W: Write> Write for Full<W> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let count = bytes.len().min(self.room);
            if count == 0 && !bytes.is_empty() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.room -= count;
            self.inner.write_all(&bytes[..count])?;
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.inner.flush()
        }
    }

    impl<W: Seek> Seek for Full<W> {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.inner.seek(to)
        }
    }

    const SHAPE: Shape = Shape { faces: 1, rows: 40, cols: 40 };

    /// Writes a world of one layer of random bits to a disk with so much room.
    fn write_to(path: &Path, number: u64, room: usize) -> io::Result<u64> {
        let value =
            |cell: grid::Cell| (u64::from(cell.0) + number).wrapping_mul(0x9e37_79b9_7f4a_7c15) as f64;
        let layers = [Layer::new("a", "1", Field::from_fn(SHAPE, value))];
        let contents = Contents { meta: &Meta::default(), shape: SHAPE, layers: &layers, tables: &[] };
        let header = describe(&contents, Layout { chunk_side: 8, ..Layout::default() }).unwrap();
        let encoded = header.encode().unwrap();
        atomic::replace(path, |file| {
            encode(Full { inner: file, room }, &contents, &header, &encoded, &|_| {})
        })
    }

    #[test]
    fn a_full_disk_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.terrane");
        let bytes = write_to(&path, 1, usize::MAX).unwrap() as usize;
        let old = std::fs::read(&path).unwrap();
        for room in (0..bytes).step_by(97).chain([1, 63, 64, 65, bytes - 1]) {
            let error = write_to(&path, 2, room).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{room}");
            assert!(std::fs::read(&path).unwrap() == old, "{room}");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "{room}");
        }
        write_to(&path, 2, usize::MAX).unwrap();
        assert!(std::fs::read(&path).unwrap() != old);
        WorldFile::open(&path).unwrap().verify().unwrap();
    }

    #[test]
    fn a_panic_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.terrane");
        write_to(&path, 1, usize::MAX).unwrap();
        let old = std::fs::read(&path).unwrap();
        let layers = [Layer::new("a", "1", Field::filled(SHAPE, 0u8))];
        let contents = Contents { meta: &Meta::default(), shape: SHAPE, layers: &layers, tables: &[] };
        let outcome = std::panic::catch_unwind(|| write(&path, &contents, &|_| panic!("no more")));
        assert!(outcome.is_err());
        assert!(std::fs::read(&path).unwrap() == old);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
