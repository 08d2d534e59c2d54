//! Builds files by hand, after `docs/FORMAT.md` and without the crate: right ones and wrong ones, with right
//! checksums.

/// The parts of a file. What is `None` is computed as it should be.
#[derive(Clone, Default)]
pub struct Forge {
    pub version: Option<u32>,
    pub reserved: u32,
    pub header: Vec<u8>,
    pub header_bytes: Option<u64>,
    pub chunks: Vec<Vec<u8>>,
    pub chunk_count: Option<u64>,
    /// Lengths in the chunk table.
    pub lengths: Option<Vec<u32>>,
    pub file_bytes: Option<u64>,
}

impl Forge {
    pub fn bytes(&self) -> Vec<u8> {
        let mut table = Vec::new();
        for (i, chunk) in self.chunks.iter().enumerate() {
            let length = self.lengths.as_ref().map_or(chunk.len() as u32, |lengths| lengths[i]);
            table.extend(length.to_le_bytes());
            table.extend(crc32fast::hash(chunk).to_le_bytes());
        }
        let data = self.chunks.concat();
        let length = (64 + self.header.len() + table.len() + data.len()) as u64;
        let mut file = b"\x89TERRANE".to_vec();
        file.extend(self.version.unwrap_or(1).to_le_bytes());
        file.extend(self.reserved.to_le_bytes());
        file.extend(self.file_bytes.unwrap_or(length).to_le_bytes());
        file.extend(self.header_bytes.unwrap_or(self.header.len() as u64).to_le_bytes());
        file.extend(self.chunk_count.unwrap_or(self.chunks.len() as u64).to_le_bytes());
        file.extend(crc32fast::hash(&self.header).to_le_bytes());
        file.extend(crc32fast::hash(&table).to_le_bytes());
        file.extend([0; 12]);
        file.extend(crc32fast::hash(&file).to_le_bytes());
        [file, self.header.clone(), table, data].concat()
    }
}

/// The fields of a header.
#[derive(Clone)]
pub struct Head {
    pub name: Vec<u8>,
    pub shape: [u32; 3],
    pub chunk_side: u32,
    pub layer_count: Option<u64>,
    pub layers: Vec<Vec<u8>>,
    pub table_count: Option<u64>,
    pub tables: Vec<Vec<u8>>,
    pub digest: [u8; 32],
}

impl Head {
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = [text(b"0.1.0"), self.name.clone(), text(b"seed = 1")].concat();
        bytes.extend(self.digest);
        self.shape.iter().for_each(|length| bytes.extend(length.to_le_bytes()));
        bytes.extend(self.chunk_side.to_le_bytes());
        bytes.extend(self.layer_count.unwrap_or(self.layers.len() as u64).to_le_bytes());
        bytes.extend(self.layers.concat());
        bytes.extend(self.table_count.unwrap_or(self.tables.len() as u64).to_le_bytes());
        bytes.extend(self.tables.concat());
        bytes
    }
}

/// A length of 8 bytes, and that many bytes.
pub fn text(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u64).to_le_bytes(), bytes].concat()
}

/// A layer of the header, without a range.
pub fn layer(name: &[u8], dtype: u32, filter: u32) -> Vec<u8> {
    [text(name), text(b"m"), dtype.to_le_bytes().into(), filter.to_le_bytes().into(), vec![0]].concat()
}

/// A table of the header, with columns made by [`column`].
pub fn table(name: &[u8], rows: u64, columns: &[Vec<u8>]) -> Vec<u8> {
    let count = (columns.len() as u64).to_le_bytes();
    [text(name), rows.to_le_bytes().into(), count.into(), columns.concat()].concat()
}

/// A column of the header: kind 0 for `u32`, 1 for `f64`, 2 for texts with their bytes.
pub fn column(name: &[u8], kind: u32, text_bytes: Option<u64>) -> Vec<u8> {
    let bytes = text_bytes.map_or(vec![], |bytes| bytes.to_le_bytes().into());
    [text(name), text(b"1"), kind.to_le_bytes().into(), bytes].concat()
}

/// A chunk of bytes as they are.
pub fn chunk(raw: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(raw, 3).unwrap()
}
