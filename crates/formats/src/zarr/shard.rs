//! Shards: many chunks of an array in one file (codec `sharding_indexed` of Zarr 3).
//!
//! Chunks stand one after another; behind them an index says where each begins and how long it is, two little-endian `u64` a
//! chunk, row by row, all ones for a chunk that is not there; behind that a CRC-32C of the index.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Where a chunk would be that is not there.
const ABSENT: u64 = u64::MAX;

/// A shard that is being written.
pub(super) struct Shard {
    file: BufWriter<File>,
    /// Bytes written so far.
    length: u64,
    /// Where each chunk is, and how long.
    index: Vec<[u64; 2]>,
    /// Chunks from west to east.
    across: usize,
}

impl Shard {
    /// An empty shard of `across` by `across` chunks.
    pub fn create(path: &Path, across: usize) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let file = BufWriter::with_capacity(1 << 18, File::create(path)?);
        Ok(Self { file, length: 0, index: vec![[ABSENT; 2]; across * across], across })
    }

    /// Adds the chunk of a row and a column of the shard.
    pub fn put(&mut self, (row, column): (usize, usize), bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        let length = bytes.len() as u64;
        self.index[row * self.across + column] = [self.length, length];
        self.length += length;
        Ok(())
    }

    /// Writes the index, and everything to the disk.
    pub fn finish(mut self) -> io::Result<()> {
        let index: Vec<u8> = self.index.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        self.file.write_all(&index)?;
        self.file.write_all(&crc32c(&index).to_le_bytes())?;
        self.file.flush()?;
        self.file.get_ref().sync_all()
    }
}

/// The checksum of Castagnoli (1993), as iSCSI has it (RFC 3720). An index has few bytes: bit by bit is quick enough.
fn crc32c(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0x82f6_3b78;
    let bit = |sum: u32| if sum & 1 == 1 { sum >> 1 ^ POLYNOMIAL } else { sum >> 1 };
    !bytes.iter().fold(!0, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), |sum, _| bit(sum)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standard() {
        // RFC 3720, B.4; and the check value that catalogues of such sums list
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn an_index_says_where_chunks_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c/0/0");
        let mut shard = Shard::create(&path, 2).unwrap();
        shard.put((1, 0), b"south").unwrap();
        shard.put((0, 1), b"east").unwrap();
        shard.finish().unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(&bytes[..9], b"southeast");
        let number = |n: usize| u64::from_le_bytes(bytes[9 + 8 * n..][..8].try_into().unwrap());
        let numbers: Vec<u64> = (0..8).map(number).collect();
        assert_eq!(numbers, [ABSENT, ABSENT, 5, 4, 0, 5, ABSENT, ABSENT]);
        assert_eq!(bytes.len(), 9 + 64 + 4);
    }
}
