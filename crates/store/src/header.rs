//! The header: everything about a world but its values, encoded with `bincode` in the layout of bincode 1.
//!
//! This is the only module that knows `bincode`. The layout is plain (fixed-width little-endian integers,
//! lengths of 8 bytes, variants of 4), `docs/FORMAT.md` spells it out, and the test below holds it fast.

use crate::element::Dtype;
use crate::error::Flaw;
use crate::filter::Filter;
use crate::layout::{Strip, Tiling};
use crate::limits::{self, at_most};
use grid::Shape;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The order of fields, here and below, is that of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub engine: String,
    pub name: String,
    pub recipe: String,
    pub digest: [u8; 32],
    pub faces: u32,
    pub rows: u32,
    pub cols: u32,
    pub chunk_side: u32,
    pub layers: Vec<LayerHead>,
    pub tables: Vec<TableHead>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LayerHead {
    pub name: String,
    pub unit: String,
    pub dtype: Dtype,
    pub filter: Filter,
    /// Least and greatest number, if there is a number.
    pub range: Option<(f64, f64)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TableHead {
    pub name: String,
    pub rows: u64,
    pub columns: Vec<ColumnHead>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ColumnHead {
    pub name: String,
    pub unit: String,
    pub kind: Kind,
}

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    U32,
    F64,
    /// Words, with the bytes of all rows together.
    Text {
        bytes: u64,
    },
}

impl Header {
    pub fn shape(&self) -> Shape {
        Shape { faces: self.faces, rows: self.rows, cols: self.cols }
    }

    pub fn tiling(&self) -> Tiling {
        Tiling { shape: self.shape(), side: self.chunk_side }
    }

    pub fn encode(&self) -> Result<Vec<u8>, Flaw> {
        let config = bincode::config::legacy();
        let bytes = bincode::serde::encode_to_vec(self, config).map_err(|e| Flaw::Reason(e.to_string()))?;
        at_most("bytes of the header", bytes.len() as u64, limits::HEADER_BYTES)?;
        Ok(bytes)
    }

    /// Decodes and checks. Takes memory for at most [`limits::HEADER_BYTES`] of claims.
    pub fn decode(bytes: &[u8]) -> Result<Self, Flaw> {
        let config = bincode::config::legacy().with_limit::<{ limits::HEADER_BYTES as usize }>();
        let (header, used): (Self, usize) = bincode::serde::decode_from_slice(bytes, config)
            .map_err(|e| Flaw::Reason(format!("it does not decode: {e}")))?;
        if used != bytes.len() {
            return Err(Flaw::Reason(format!("it has {} bytes, {used} were expected", bytes.len())));
        }
        header.check()?;
        Ok(header)
    }

    /// Whether everything is within its limits and every name is there once.
    pub fn check(&self) -> Result<(), Flaw> {
        at_most("bytes of the engine's version", self.engine.len() as u64, limits::LABEL_BYTES)?;
        at_most("bytes of the world's name", self.name.len() as u64, limits::LABEL_BYTES)?;
        at_most("bytes of the recipe", self.recipe.len() as u64, limits::RECIPE_BYTES)?;
        self.check_shape()?;
        at_most("layers", self.layers.len() as u64, limits::LAYERS)?;
        self.layers.iter().try_for_each(|layer| check_name("layer", &layer.name, &layer.unit))?;
        check_unique("layers", self.layers.iter().map(|layer| layer.name.as_str()))?;
        at_most("tables", self.tables.len() as u64, limits::TABLES)?;
        check_unique("tables", self.tables.iter().map(|table| table.name.as_str()))?;
        self.tables.iter().try_for_each(TableHead::check)?;
        at_most("chunks", self.chunks(), limits::CHUNKS)
    }

    fn check_shape(&self) -> Result<(), Flaw> {
        let side = u64::from(self.chunk_side);
        at_most("cells along a chunk's side", side, limits::CHUNK_SIDE)?;
        if side < limits::CHUNK_SIDE_MIN {
            return Err(Flaw::Reason(format!(
                "a chunk's side has {side} cells, the least is {}",
                limits::CHUNK_SIDE_MIN
            )));
        }
        at_most("faces", u64::from(self.faces), limits::FACES)?;
        let cells = u128::from(self.faces) * u128::from(self.rows) * u128::from(self.cols);
        if cells == 0 {
            let Self { faces, rows, cols, .. } = self;
            return Err(Flaw::Reason(format!("a grid of {faces} x {rows} x {cols} has no cell")));
        }
        at_most("cells", u64::try_from(cells).unwrap_or(u64::MAX), limits::CELLS)
    }

    /// Number of chunks of the whole file. Within the other limits this stays below 2^40.
    pub fn chunks(&self) -> u64 {
        let layers = self.tiling().count() * self.layers.len() as u64;
        let columns = self.tables.iter().flat_map(|table| table.columns.iter().map(|c| c.chunks(table.rows)));
        layers + columns.sum::<u64>()
    }
}

impl TableHead {
    fn check(&self) -> Result<(), Flaw> {
        check_name("table", &self.name, "")?;
        at_most(format!("rows of table `{}`", self.name), self.rows, limits::ROWS)?;
        let columns = self.columns.len() as u64;
        at_most(format!("columns of table `{}`", self.name), columns, limits::COLUMNS)?;
        if columns == 0 && self.rows > 0 {
            return Err(Flaw::Reason(format!("table `{}` has rows, but no column", self.name)));
        }
        check_unique("columns", self.columns.iter().map(|column| column.name.as_str()))?;
        self.columns.iter().try_for_each(|column| {
            check_name("column", &column.name, &column.unit)?;
            match column.kind {
                Kind::Text { bytes } => {
                    at_most(format!("bytes of column `{}`", column.name), bytes, limits::TEXT_BYTES)
                }
                Kind::U32 | Kind::F64 => Ok(()),
            }
        })
    }
}

impl ColumnHead {
    /// The lists of values that the column is stored as, in order: a column of words is the lengths of all
    /// words, then their bytes.
    pub fn strips(&self, rows: u64) -> (Strip, Option<Strip>) {
        match self.kind {
            Kind::U32 => (Strip { len: rows, width: 4 }, None),
            Kind::F64 => (Strip { len: rows, width: 8 }, None),
            Kind::Text { bytes } => (Strip { len: rows, width: 4 }, Some(Strip { len: bytes, width: 1 })),
        }
    }

    /// Number of chunks of all its strips.
    pub fn chunks(&self, rows: u64) -> u64 {
        let (first, second) = self.strips(rows);
        first.count() + second.map_or(0, Strip::count)
    }
}

fn check_name(what: &str, name: &str, unit: &str) -> Result<(), Flaw> {
    if name.is_empty() {
        return Err(Flaw::Reason(format!("a {what} has no name")));
    }
    at_most(format!("bytes of the name of a {what}"), name.len() as u64, limits::NAME_BYTES)?;
    at_most(format!("bytes of the unit of {what} `{name}`"), unit.len() as u64, limits::UNIT_BYTES)
}

fn check_unique<'a>(what: &str, mut names: impl Iterator<Item = &'a str>) -> Result<(), Flaw> {
    let mut seen = BTreeSet::new();
    match names.find(|name| !seen.insert(*name)) {
        Some(twice) => Err(Flaw::Reason(format!("two {what} have the name `{twice}`"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Header {
        let layer = LayerHead {
            name: "e".into(),
            unit: "m".into(),
            dtype: Dtype::F32,
            filter: Filter::Shuffle,
            range: Some((-1.5, 2.0)),
        };
        let words = ColumnHead { name: "w".into(), unit: "1".into(), kind: Kind::Text { bytes: 5 } };
        let table = TableHead { name: "t".into(), rows: 2, columns: vec![words] };
        Header {
            engine: "v1".into(),
            name: "ö".into(),
            recipe: String::new(),
            digest: [7; 32],
            faces: 6,
            rows: 512,
            cols: 512,
            chunk_side: 64,
            layers: vec![layer],
            tables: vec![table],
        }
    }

    /// Written by hand from `docs/FORMAT.md`. These bytes are also what bincode 1.3 and wincode 0.6 write.
    #[test]
    fn the_bytes_are_those_of_the_format() {
        let mut bytes = b"\x02\0\0\0\0\0\0\0v1\x02\0\0\0\0\0\0\0\xc3\xb6\0\0\0\0\0\0\0\0".to_vec();
        bytes.extend([7; 32]);
        bytes.extend(b"\x06\0\0\0\0\x02\0\0\0\x02\0\0\x40\0\0\0");
        bytes.extend(b"\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0e\x01\0\0\0\0\0\0\0m\x03\0\0\0\x01\0\0\0");
        bytes.extend(b"\x01\0\0\0\0\0\0\xf8\xbf\0\0\0\0\0\0\0\x40");
        bytes.extend(b"\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0t\x02\0\0\0\0\0\0\0");
        bytes.extend(b"\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0w\x01\0\0\0\0\0\0\x001");
        bytes.extend(b"\x02\0\0\0\x05\0\0\0\0\0\0\0");
        assert_eq!(sample().encode().unwrap(), bytes);
        assert_eq!(Header::decode(&bytes).unwrap(), sample());
    }

    #[test]
    fn chunks_are_counted() {
        // 6 faces of 8 x 8 tiles, one strip of lengths, one of words
        assert_eq!(sample().chunks(), 6 * 64 + 2);
    }

    #[test]
    fn cut_or_longer_bytes_are_refused() {
        let mut bytes = sample().encode().unwrap();
        for end in 0..bytes.len() {
            assert!(Header::decode(&bytes[..end]).is_err());
        }
        bytes.push(0);
        assert!(Header::decode(&bytes).is_err());
    }

    type Change = fn(&mut Header);

    #[test]
    fn what_is_out_of_range_is_refused() {
        let changes: [(&str, Change); 14] = [
            ("faces", |h| h.faces = 65),
            ("cells", |h| (h.rows, h.cols) = (u32::MAX, u32::MAX)),
            ("no cell", |h| h.rows = 0),
            ("side", |h| h.chunk_side = 7),
            ("side", |h| h.chunk_side = 257),
            ("engine", |h| h.engine = "v".repeat(1_025)),
            ("recipe", |h| h.recipe = "r".repeat((1 << 20) + 1)),
            ("no name", |h| h.layers[0].name.clear()),
            ("name", |h| h.layers[0].name = "n".repeat(257)),
            ("unit", |h| h.layers[0].unit = "u".repeat(65)),
            ("two layers", |h| h.layers.push(h.layers[0].clone())),
            ("rows", |h| h.tables[0].rows = 1 << 32),
            ("no column", |h| h.tables[0].columns.clear()),
            ("chunks", |h| (h.rows, h.cols, h.chunk_side) = (20_000, 20_000, 8)),
        ];
        for (word, change) in changes {
            let mut header = sample();
            change(&mut header);
            let said = match header.check().unwrap_err() {
                Flaw::Limit { what, value, max } => {
                    assert!(value > max);
                    what
                }
                Flaw::Reason(reason) => reason,
            };
            assert!(said.contains(word), "{said} does not mention {word}");
        }
    }
}
