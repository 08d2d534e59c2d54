//! Reading whole layers and tables, and everything.

use crate::digest::{Digester, hex};
use crate::element::{Dtype, field, read_values};
use crate::error::ReadError;
use crate::file::{Coding, Place, Scratch, WorldFile};
use crate::filter::Filter;
use crate::header::{ColumnHead, LayerHead, TableHead};
use crate::layout::{STRIP_BYTES, Strip};
use bytemuck::Pod;
use grid::table::ColumnValues;
use grid::{Layer, Table, Values};
use rayon::prelude::*;

impl WorldFile {
    /// A whole layer. Its chunks are read and unpacked in parallel.
    ///
    /// # Errors
    ///
    /// No such layer, or a chunk of it that is damaged or gone.
    pub fn layer(&self, name: &str) -> Result<Layer, ReadError> {
        let (index, head) = self.find_layer(name)?;
        let shape = self.shape();
        let values: Values = match head.dtype {
            Dtype::U8 => field(shape, self.layer_values::<u8>(index, head)?).into(),
            Dtype::U16 => field(shape, self.layer_values::<u16>(index, head)?).into(),
            Dtype::U32 => field(shape, self.layer_values::<u32>(index, head)?).into(),
            Dtype::F32 => field(shape, self.layer_values::<f32>(index, head)?).into(),
            Dtype::F64 => field(shape, self.layer_values::<f64>(index, head)?).into(),
        };
        Ok(Layer { name: head.name.clone(), unit: head.unit.clone(), values })
    }

    /// A whole table.
    ///
    /// # Errors
    ///
    /// No such table, or a chunk of it that is damaged or gone, or texts that are not UTF-8.
    pub fn table(&self, name: &str) -> Result<Table, ReadError> {
        let found = self.header.tables.iter().position(|table| table.name == name);
        let index = found.ok_or_else(|| {
            missing("table", name, self.header.tables.iter().map(|table| table.name.as_str()))
        })?;
        let head = &self.header.tables[index];
        let mut first = self.first_chunk_of_table(index);
        let mut table = Table::new(name);
        for column in &head.columns {
            let values = self.column(head, column, first)?;
            first += column.chunks(head.rows) as usize;
            table = table
                .with(&column.name, &column.unit, values)
                .expect("all columns were read with the table's number of rows");
        }
        Ok(table)
    }

    /// Reads everything, and computes digest and ranges anew. Memory for one layer or table at a time.
    ///
    /// # Errors
    ///
    /// The first thing that is not as it was written.
    pub fn verify(&self) -> Result<(), ReadError> {
        let mut digester = Digester::new();
        for info in self.layers() {
            let layer = self.layer(&info.name)?;
            if layer.values.min_max() != info.min.zip(info.max) {
                let reason = "least and greatest value are not those of the header".into();
                return Err(ReadError::Content { what: format!("layer `{}`", info.name), reason });
            }
            digester.update(&layer);
        }
        let digest = hex(&digester.finish());
        if digest != self.digest() {
            let reason = format!("the header says {}, the layers have {digest}", self.digest());
            return Err(ReadError::Content { what: "the digest".into(), reason });
        }
        self.tables().iter().try_for_each(|table| self.table(&table.name).map(drop))
    }

    pub(crate) fn find_layer(&self, name: &str) -> Result<(usize, &LayerHead), ReadError> {
        let found = self.header.layers.iter().enumerate().find(|(_, layer)| layer.name == name);
        found
            .ok_or_else(|| missing("layer", name, self.header.layers.iter().map(|layer| layer.name.as_str())))
    }

    pub(crate) fn first_chunk_of_layer(&self, index: usize) -> usize {
        index * self.header.tiling().count() as usize
    }

    fn first_chunk_of_table(&self, index: usize) -> usize {
        let before = self.header.tables[..index].iter();
        let chunks: u64 =
            before.flat_map(|table| table.columns.iter().map(|column| column.chunks(table.rows))).sum();
        self.first_chunk_of_layer(self.header.layers.len()) + chunks as usize
    }

    fn layer_values<T: Pod>(&self, index: usize, head: &LayerHead) -> Result<Vec<T>, ReadError> {
        let len = self.shape().len();
        let values = read_values(len, |bytes| self.fill_layer(index, head, bytes));
        values.ok_or_else(|| no_memory("layer", &head.name, len * size_of::<T>()))?
    }

    /// Reads the bands of a layer in parallel, each into its own piece of memory.
    fn fill_layer(&self, index: usize, head: &LayerHead, bytes: &mut [u8]) -> Result<(), ReadError> {
        let tiling = self.header.tiling();
        let row_bytes = tiling.shape.cols as usize * head.dtype.width();
        let bands: Vec<&mut [u8]> = bytes
            .chunks_mut(tiling.shape.rows as usize * row_bytes)
            .flat_map(|face| face.chunks_mut(tiling.side as usize * row_bytes))
            .collect();
        let start = || (Scratch::new(), Vec::new());
        bands.into_par_iter().enumerate().try_for_each_init(start, |(scratch, raw), (band, rows)| {
            self.fill_band((index, head), band, (scratch, raw), rows)
        })
    }

    fn fill_band(
        &self,
        (index, head): (usize, &LayerHead),
        band: usize,
        (scratch, raw): (&mut Scratch, &mut Vec<u8>),
        rows: &mut [u8],
    ) -> Result<(), ReadError> {
        let (tiling, width) = (self.header.tiling(), head.dtype.width());
        for nth in 0..tiling.across() {
            let tile = tiling.band(band).first_tile + nth;
            let span = tiling.span(nth);
            raw.resize(tiling.tile_len(tile) * width, 0);
            self.read_tile((index, head), tile, scratch, raw)?;
            let (from, len) = (span.from * width, span.cols * width);
            let into = rows.chunks_exact_mut(tiling.shape.cols as usize * width);
            for (row, values) in into.zip(raw.chunks_exact(len)) {
                row[from..from + len].copy_from_slice(values);
            }
        }
        Ok(())
    }

    /// One chunk of a layer, as little-endian bytes.
    pub(crate) fn read_tile(
        &self,
        (index, head): (usize, &LayerHead),
        tile: usize,
        scratch: &mut Scratch,
        raw: &mut [u8],
    ) -> Result<(), ReadError> {
        let id = self.first_chunk_of_layer(index) + tile;
        let place = Place { kind: "layer", name: &head.name, index: tile };
        self.read_chunk(id, place, Coding { filter: head.filter, width: head.dtype.width() }, scratch, raw)
    }

    fn column(
        &self,
        table: &TableHead,
        column: &ColumnHead,
        first: usize,
    ) -> Result<ColumnValues, ReadError> {
        let (numbers, words) = column.strips(table.rows);
        Ok(match (words, numbers.width) {
            (Some(words), _) => {
                let lengths = self.strip::<u32>(&column.name, numbers, first)?;
                let bytes = self.strip::<u8>(&column.name, words, first + numbers.count() as usize)?;
                ColumnValues::Text(split_words(&column.name, &lengths, &bytes)?)
            }
            (None, 4) => ColumnValues::U32(self.strip(&column.name, numbers, first)?),
            (None, _) => ColumnValues::F64(self.strip(&column.name, numbers, first)?),
        })
    }

    /// The values of a strip, its chunks in parallel.
    fn strip<T: Pod>(&self, column: &str, strip: Strip, first: usize) -> Result<Vec<T>, ReadError> {
        let coding = Coding { filter: Filter::Shuffle, width: strip.width };
        let values = read_values(strip.len as usize, |bytes| {
            let chunks = bytes.par_chunks_mut(STRIP_BYTES as usize).enumerate();
            chunks.try_for_each_init(Scratch::new, |scratch, (index, raw)| {
                let place = Place { kind: "column", name: column, index };
                self.read_chunk(first + index, place, coding, scratch, raw)
            })
        });
        values.ok_or_else(|| no_memory("column", column, strip.len as usize * strip.width))?
    }
}

/// Cuts the bytes of a column's words, one after the other, to their lengths.
fn split_words(column: &str, lengths: &[u32], bytes: &[u8]) -> Result<Vec<String>, ReadError> {
    let wrong = |reason: String| ReadError::Content { what: format!("column `{column}`"), reason };
    let total: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
    if total != bytes.len() as u64 {
        return Err(wrong(format!("its texts have {total} bytes together, {} are there", bytes.len())));
    }
    let mut rest = bytes;
    let words = lengths.iter().enumerate().map(|(row, &length)| {
        let (word, after) = rest.split_at(length as usize);
        rest = after;
        let word = std::str::from_utf8(word).map_err(|e| wrong(format!("the text of row {row}: {e}")))?;
        Ok(word.to_owned())
    });
    words.collect()
}

fn missing<'a>(what: &'static str, name: &str, present: impl Iterator<Item = &'a str>) -> ReadError {
    let names: Vec<&str> = present.collect();
    let present = if names.is_empty() { "none".into() } else { names.join(", ") };
    ReadError::Missing { what, name: name.into(), present }
}

pub(crate) fn no_memory(kind: &str, name: &str, bytes: usize) -> ReadError {
    let reason = format!("there is no memory for its {bytes} bytes");
    ReadError::Content { what: format!("{kind} `{name}`"), reason }
}
