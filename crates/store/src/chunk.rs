//! One chunk: filtered, compressed with Zstandard (RFC 8878), and a CRC-32 over the compressed bytes.

use crate::filter::Filter;
use std::io;
use zstd::bulk::{Compressor, Decompressor};

/// Zstandard's level: 9 was measured no better on terrain, and slower.
const LEVEL: i32 = 3;

/// The most bytes to which Zstandard may blow up `raw` bytes.
pub(crate) fn packed_limit(raw: usize) -> usize {
    raw + raw / 256 + 64
}

/// A chunk as it stands in the file.
pub(crate) struct Packed {
    pub bytes: Vec<u8>,
    pub crc: u32,
}

/// Packs chunks one after the other, with memory that it keeps.
pub(crate) struct Packer {
    compressor: Compressor<'static>,
    arranged: Vec<u8>,
}

impl Packer {
    pub fn new() -> Self {
        let compressor = Compressor::new(LEVEL).expect("the level is one that Zstandard has");
        Self { compressor, arranged: Vec::new() }
    }

    /// Packs little-endian values of `width` bytes.
    pub fn pack(&mut self, filter: Filter, width: usize, raw: &[u8]) -> io::Result<Packed> {
        self.arranged.resize(raw.len(), 0);
        filter.apply(width, raw, &mut self.arranged);
        let bytes = self.compressor.compress(&self.arranged)?;
        let crc = crc32fast::hash(&bytes);
        Ok(Packed { bytes, crc })
    }
}

/// Unpacks chunks one after the other, with memory that it keeps.
pub(crate) struct Unpacker {
    decompressor: Decompressor<'static>,
    arranged: Vec<u8>,
}

impl Unpacker {
    pub fn new() -> Self {
        let decompressor = Decompressor::new().expect("having no dictionary is always accepted");
        Self { decompressor, arranged: Vec::new() }
    }

    /// Unpacks into `raw`, which has the length that the chunk must have. Never writes more than that.
    pub fn unpack(
        &mut self,
        filter: Filter,
        width: usize,
        packed: &[u8],
        raw: &mut [u8],
    ) -> Result<(), String> {
        self.arranged.resize(raw.len(), 0);
        let length = self
            .decompressor
            .decompress_to_buffer(packed, &mut self.arranged[..])
            .map_err(|refusal| format!("it does not unpack to {} bytes ({refusal})", raw.len()))?;
        if length != raw.len() {
            return Err(format!("it unpacks to {length} bytes, it should to {}", raw.len()));
        }
        filter.undo(width, &self.arranged, raw);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_stays_under_the_limit() {
        let mut state = 1u64;
        for len in [0usize, 1, 63, 4_096, 65_536, 524_288] {
            let noise: Vec<u8> = std::iter::repeat_with(|| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            })
            .take(len)
            .collect();
            let packed = Packer::new().pack(Filter::Plain, 1, &noise).unwrap();
            assert!(packed.bytes.len() <= packed_limit(len), "{len} became {}", packed.bytes.len());
            let mut back = vec![0; len];
            Unpacker::new().unpack(Filter::Plain, 1, &packed.bytes, &mut back).unwrap();
            assert_eq!(back, noise);
        }
    }

    #[test]
    fn another_length_is_refused() {
        let packed = Packer::new().pack(Filter::Shuffle, 4, &[7; 4_000]).unwrap();
        let mut unpacker = Unpacker::new();
        assert!(unpacker.unpack(Filter::Shuffle, 4, &packed.bytes, &mut [0; 3_996]).is_err());
        assert!(unpacker.unpack(Filter::Shuffle, 4, &packed.bytes, &mut [0; 4_004]).is_err());
        assert!(unpacker.unpack(Filter::Shuffle, 4, &packed.bytes, &mut [0; 4_000]).is_ok());
    }
}
