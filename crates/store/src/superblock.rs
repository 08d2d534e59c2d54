//! The first 64 bytes: what this file is, how long its parts are, and their checksums.

use crate::error::{Flaw, ReadError};
use crate::limits::{self, at_most};

/// The first eight bytes of every world file. The first one is no letter of any text.
pub(crate) const MAGIC: [u8; 8] = *b"\x89TERRANE";
/// The format that this program writes, and the newest that it reads.
pub(crate) const VERSION: u32 = 1;
/// Length of the superblock.
pub(crate) const SUPERBLOCK_BYTES: u64 = 64;
/// Bytes of an entry of the chunk table.
pub(crate) const ENTRY_BYTES: u64 = 8;

/// Lengths and checksums of the parts of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Superblock {
    /// Length of the whole file.
    pub file_bytes: u64,
    /// Length of the header, which follows at once.
    pub header_bytes: u64,
    /// Entries of the chunk table, which follows the header.
    pub chunks: u64,
    /// CRC-32 of the header.
    pub header_crc: u32,
    /// CRC-32 of the chunk table.
    pub table_crc: u32,
}

impl Superblock {
    /// Where the first chunk begins. No overflow within the limits.
    pub fn front_bytes(&self) -> u64 {
        SUPERBLOCK_BYTES + self.header_bytes + self.chunks * ENTRY_BYTES
    }

    pub fn encode(&self) -> [u8; 64] {
        let mut block = [0; 64];
        block[..8].copy_from_slice(&MAGIC);
        block[8..12].copy_from_slice(&VERSION.to_le_bytes());
        block[16..24].copy_from_slice(&self.file_bytes.to_le_bytes());
        block[24..32].copy_from_slice(&self.header_bytes.to_le_bytes());
        block[32..40].copy_from_slice(&self.chunks.to_le_bytes());
        block[40..44].copy_from_slice(&self.header_crc.to_le_bytes());
        block[44..48].copy_from_slice(&self.table_crc.to_le_bytes());
        let crc = crc32fast::hash(&block[..60]);
        block[60..].copy_from_slice(&crc.to_le_bytes());
        block
    }

    /// Checks the checksum, then the version, then the limits. The magic number has been seen before.
    pub fn decode(block: &[u8; 64]) -> Result<Self, ReadError> {
        let (found, expected) = (crc32fast::hash(&block[..60]), u32_at(block, 60));
        if found != expected {
            return Err(ReadError::Checksum { what: "the superblock".into(), at: 0, found, expected });
        }
        let version = u32_at(block, 8);
        if version > VERSION {
            return Err(ReadError::Version { found: version, supported: VERSION });
        }
        if version == 0 || u32_at(block, 12) != 0 || block[48..60].iter().any(|&b| b != 0) {
            let reason = format!("reserved bytes of the superblock are not zero, or version {version} is");
            return Err(Flaw::Reason(reason).into());
        }
        let superblock = Self {
            file_bytes: u64_at(block, 16),
            header_bytes: u64_at(block, 24),
            chunks: u64_at(block, 32),
            header_crc: u32_at(block, 40),
            table_crc: u32_at(block, 44),
        };
        at_most("bytes of the header", superblock.header_bytes, limits::HEADER_BYTES)?;
        at_most("chunks", superblock.chunks, limits::CHUNKS)?;
        Ok(superblock)
    }
}

fn u32_at(block: &[u8; 64], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&block[at..at + 4]);
    u32::from_le_bytes(word)
}

fn u64_at(block: &[u8; 64], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&block[at..at + 8]);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: Superblock =
        Superblock { file_bytes: 0x0102_0304, header_bytes: 200, chunks: 3, header_crc: 7, table_crc: 9 };

    #[test]
    fn the_first_bytes_are_those_of_the_format() {
        let block = BLOCK.encode();
        assert_eq!(block[..24], *b"\x89TERRANE\x01\0\0\0\0\0\0\0\x04\x03\x02\x01\0\0\0\0");
        assert_eq!(block[24..48], *b"\xc8\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\x07\0\0\0\x09\0\0\0");
        assert_eq!(Superblock::decode(&block).unwrap(), BLOCK);
        assert_eq!(BLOCK.front_bytes(), 64 + 200 + 24);
    }

    #[test]
    fn any_flipped_bit_is_seen() {
        for bit in 0..512 {
            let mut block = BLOCK.encode();
            block[bit / 8] ^= 1 << (bit % 8);
            assert!(matches!(Superblock::decode(&block), Err(ReadError::Checksum { .. })), "bit {bit}");
        }
    }

    #[test]
    fn a_newer_version_says_what_to_do() {
        let mut block = BLOCK.encode();
        block[8] = 2;
        let crc = crc32fast::hash(&block[..60]);
        block[60..].copy_from_slice(&crc.to_le_bytes());
        let error = Superblock::decode(&block).unwrap_err();
        assert!(matches!(error, ReadError::Version { found: 2, supported: 1 }));
        assert!(error.to_string().contains("update terrane"), "{error}");
    }
}
