//! The bytes of a block, unpacked.
//!
//! A method of packing can make only so many bytes of one; a block that would need more is refused before any
//! memory is set aside for it, so that a small forged file cannot ask for a lot.

use std::io::Read;

use flate2::{Decompress, FlushDecompress, Status};
use weezl::{BitOrder, LzwStatus, decode};

use super::layout::Packing;

impl Packing {
    /// Bytes that one packed byte can stand for at most.
    fn most_ratio(self) -> usize {
        match self {
            Self::None => 1,
            // A run of 128 equal bytes is two bytes.
            Self::PackBits => 64,
            // A match of 258 bytes is two bits.
            Self::Deflate => 1032,
            // A code of 12 bits stands for at most 4096 bytes.
            Self::Lzw => 2731,
            // A block of 128 KiB equal bytes is four bytes.
            Self::Zstd => 32_768,
        }
    }

    /// The first `needed` bytes of a packed block.
    pub fn unpack(self, packed: Vec<u8>, needed: usize) -> Result<Vec<u8>, String> {
        let most = packed.len().saturating_mul(self.most_ratio()).saturating_add(64);
        if self != Self::None && needed > most {
            return Err(format!("its {} bytes cannot stand for {needed}", packed.len()));
        }
        let (bytes, found) = match self {
            Self::None => {
                let found = packed.len();
                (packed, found)
            }
            Self::Deflate => deflate(&packed, needed)?,
            Self::Lzw => lzw(&packed, needed)?,
            Self::PackBits => pack_bits(&packed, needed),
            Self::Zstd => zstd(&packed, needed)?,
        };
        if found < needed {
            return Err(format!("it has {found} bytes unpacked, {needed} are needed"));
        }
        Ok(bytes)
    }
}

fn deflate(packed: &[u8], needed: usize) -> Result<(Vec<u8>, usize), String> {
    let mut bytes = vec![0; needed];
    let mut stream = Decompress::new(true);
    loop {
        let (read, made) = (stream.total_in() as usize, stream.total_out() as usize);
        // With the output full this still reads the checksum, where there is one.
        let status = stream
            .decompress(&packed[read..], &mut bytes[made..], FlushDecompress::None)
            .map_err(|e| e.to_string())?;
        let stuck = stream.total_in() as usize == read && stream.total_out() as usize == made;
        if status == Status::StreamEnd || stuck {
            return Ok((bytes, stream.total_out() as usize));
        }
    }
}

fn lzw(packed: &[u8], needed: usize) -> Result<(Vec<u8>, usize), String> {
    let mut bytes = vec![0; needed];
    let mut decoder = decode::Configuration::with_tiff_size_switch(BitOrder::Msb, 8)
        .with_yield_on_full_buffer(true)
        .build();
    let (mut read, mut made) = (0, 0);
    while made < needed {
        let step = decoder.decode_bytes(&packed[read..], &mut bytes[made..]);
        read += step.consumed_in;
        made += step.consumed_out;
        match step.status {
            Ok(LzwStatus::Done | LzwStatus::NoProgress) => break,
            Ok(LzwStatus::Ok) if step.consumed_in == 0 && step.consumed_out == 0 => break,
            Ok(LzwStatus::Ok) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok((bytes, made))
}

/// TIFF 6.0, section 9: `n` from 0 to 127 is followed by `n + 1` bytes, -1 to -127 by one that is repeated
/// `1 - n` times; -128 is nothing.
fn pack_bits(packed: &[u8], needed: usize) -> (Vec<u8>, usize) {
    let mut bytes = Vec::with_capacity(needed);
    let mut rest = packed.iter().as_slice();
    while let (true, [n, after @ ..]) = (bytes.len() < needed, rest) {
        let room = needed - bytes.len();
        match (*n as i8, after) {
            (-128, _) => rest = after,
            (n @ 0.., _) => {
                let (run, after) = after.split_at((n as usize + 1).min(after.len()));
                bytes.extend_from_slice(&run[..run.len().min(room)]);
                rest = after;
            }
            (n, [value, after @ ..]) => {
                bytes.resize(bytes.len() + (1 + n.unsigned_abs() as usize).min(room), *value);
                rest = after;
            }
            (_, []) => break,
        }
    }
    let found = bytes.len();
    (bytes, found)
}

/// The decoder of the world file: the reference one, without its legacy formats.
fn zstd(packed: &[u8], needed: usize) -> Result<(Vec<u8>, usize), String> {
    let mut bytes = vec![0; needed];
    let mut stream = zstd::stream::read::Decoder::with_buffer(packed).map_err(|e| e.to_string())?;
    let mut made = 0;
    while made < needed {
        match stream.read(&mut bytes[made..]).map_err(|e| e.to_string())? {
            0 => break,
            n => made += n,
        }
    }
    Ok((bytes, made))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pack_bits_as_in_apples_own_example() {
        let packed =
            [0xFE, 0xAA, 0x02, 0x80, 0x00, 0x2A, 0xFD, 0xAA, 0x03, 0x80, 0x00, 0x2A, 0x22, 0xF7, 0xAA];
        let bytes = [
            0xAA, 0xAA, 0xAA, 0x80, 0x00, 0x2A, 0xAA, 0xAA, 0xAA, 0xAA, 0x80, 0x00, 0x2A, 0x22, 0xAA, 0xAA,
            0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA,
        ];
        for needed in 0..=bytes.len() {
            assert_eq!(pack_bits(&packed, needed), (bytes[..needed].to_vec(), needed));
        }
        assert_eq!(pack_bits(&packed, 99).1, bytes.len());
    }

    #[test]
    fn a_small_block_cannot_ask_for_a_lot() {
        for packing in [Packing::Deflate, Packing::Lzw, Packing::PackBits, Packing::Zstd] {
            assert!(packing.unpack(vec![0; 100], 1 << 31).unwrap_err().contains("cannot stand for"));
        }
    }

    #[test]
    fn a_damaged_zlib_stream_is_told_by_its_checksum() {
        use std::io::Write;
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::none());
        encoder.write_all(&[7; 1000]).unwrap();
        let mut packed = encoder.finish().unwrap();
        assert_eq!(Packing::Deflate.unpack(packed.clone(), 1000), Ok(vec![7; 1000]));
        packed[500] ^= 1;
        assert!(Packing::Deflate.unpack(packed, 1000).is_err());
    }
}
