//! Shards: many chunks of an array in one file (codec `sharding_indexed` of Zarr 3).
//!
//! Chunks stand one after another; behind them an index says where each begins and how long it is, two little-endian `u64` a
//! chunk, row by row, all ones for a chunk that is not there; behind that a CRC-32C of the index.

use std::io::{self, Read, Write};

use flate2::read::GzDecoder;
use rayon::prelude::*;

use super::{CHUNK, packed};
use crate::Cause;

/// Where a chunk would be that is not there.
const ABSENT: u64 = u64::MAX;

const CHECKSUM_BYTES: usize = 4;

/// Unpacked.
const CHUNK_BYTES: usize = 4 * CHUNK * CHUNK;

/// A shard that is being written.
pub(super) struct Shard<W> {
    out: W,
    /// Bytes written so far.
    length: u64,
    /// Where each chunk is, and how long.
    index: Vec<[u64; 2]>,
    /// Chunks from west to east.
    across: usize,
}

impl<W: Write> Shard<W> {
    /// An empty shard of `across` by `across` chunks.
    pub fn new(out: W, across: usize) -> Self {
        Self { out, length: 0, index: vec![[ABSENT; 2]; across * across], across }
    }

    /// Adds the chunk of a row and a column of the shard.
    pub fn put(&mut self, (row, column): (usize, usize), bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        let length = bytes.len() as u64;
        self.index[row * self.across + column] = [self.length, length];
        self.length += length;
        Ok(())
    }

    /// Writes the index.
    pub fn finish(mut self) -> io::Result<W> {
        let index: Vec<u8> = self.index.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        self.out.write_all(&index)?;
        self.out.write_all(&crc32c(&index).to_le_bytes())?;
        Ok(self.out)
    }
}

/// The bytes of a chunk: its part of a rectangle of samples, filled up with no numbers beyond the border.
pub(super) fn chunk(values: &[f32], (width, height): (usize, usize), (left, top): (usize, usize)) -> Vec<u8> {
    let mut chunk = vec![f32::NAN; CHUNK * CHUNK];
    let across = CHUNK.min(width - left);
    for row in 0..CHUNK.min(height - top) {
        chunk[row * CHUNK..][..across].copy_from_slice(&values[(top + row) * width + left..][..across]);
    }
    chunk.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// A whole shard of a side from the samples that there are of it: `width` by `height` from its north-western corner.
pub(super) fn pack(values: &[f32], (width, height): (usize, usize), side: usize) -> io::Result<Vec<u8>> {
    let corners = |top: usize| (0..width).step_by(CHUNK).map(move |left| (left, top));
    let corners: Vec<(usize, usize)> = (0..height).step_by(CHUNK).flat_map(corners).collect();
    let chunks: io::Result<Vec<Vec<u8>>> =
        corners.par_iter().map(|&corner| packed(&chunk(values, (width, height), corner))).collect();
    let mut shard = Shard::new(Vec::new(), side / CHUNK);
    for (&(left, top), bytes) in corners.iter().zip(chunks?) {
        shard.put((top / CHUNK, left / CHUNK), &bytes)?;
    }
    shard.finish()
}

/// All samples of a shard of a side; no numbers where a chunk is not there.
///
/// Memory: the samples, whatever the bytes say.
pub(super) fn unpack(bytes: &[u8], side: usize) -> Result<Vec<f32>, Cause> {
    let across = side / CHUNK;
    let index_bytes = 16 * across * across;
    let Some(chunks) = bytes.len().checked_sub(index_bytes + CHECKSUM_BYTES) else {
        return Err(format!("{} bytes are fewer than the index of a shard takes", bytes.len()).into());
    };
    let (chunks, index) = bytes.split_at(chunks);
    let (index, sum) = index.split_at(index_bytes);
    if crc32c(index).to_le_bytes() != sum {
        return Err("the checksum of its index does not fit".into());
    }
    let numbers: Vec<u64> = index.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
    let mut values = vec![f32::NAN; side * side];
    values.par_chunks_mut(CHUNK * side).zip(numbers.par_chunks(2 * across)).try_for_each(
        |(rows, of_row)| -> Result<(), Cause> {
            for (column, place) in of_row.as_chunks::<2>().0.iter().enumerate() {
                let Some(chunk) = unpacked(chunks, *place)? else { continue };
                for (row, samples) in chunk.chunks_exact(4 * CHUNK).enumerate() {
                    let out = &mut rows[row * side + column * CHUNK..][..CHUNK];
                    for (value, bytes) in out.iter_mut().zip(samples.as_chunks::<4>().0) {
                        *value = f32::from_le_bytes(*bytes);
                    }
                }
            }
            Ok(())
        },
    )?;
    Ok(values)
}

/// The bytes of a chunk's samples, if it is there.
fn unpacked(chunks: &[u8], [from, length]: [u64; 2]) -> Result<Option<Vec<u8>>, Cause> {
    if [from, length] == [ABSENT; 2] {
        return Ok(None);
    }
    let place = |n: u64| usize::try_from(n).ok();
    let end = from.checked_add(length).and_then(place);
    let packed = place(from).zip(end).and_then(|(from, end)| chunks.get(from..end));
    let Some(packed) = packed else { return Err("a chunk lies outside of it".into()) };
    let mut bytes = Vec::with_capacity(CHUNK_BYTES + 1);
    GzDecoder::new(packed).take(CHUNK_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() != CHUNK_BYTES {
        return Err(format!("a chunk has not the {CHUNK_BYTES} bytes of its samples").into());
    }
    Ok(Some(bytes))
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
        let mut shard = Shard::new(Vec::new(), 2);
        shard.put((1, 0), b"south").unwrap();
        shard.put((0, 1), b"east").unwrap();
        let bytes = shard.finish().unwrap();
        assert_eq!(&bytes[..9], b"southeast");
        let number = |n: usize| u64::from_le_bytes(bytes[9 + 8 * n..][..8].try_into().unwrap());
        let numbers: Vec<u64> = (0..8).map(number).collect();
        assert_eq!(numbers, [ABSENT, ABSENT, 5, 4, 0, 5, ABSENT, ABSENT]);
        assert_eq!(bytes.len(), 9 + 64 + 4);
    }

    #[test]
    fn a_shard_gives_back_its_samples() {
        let side = 2 * CHUNK;
        for (width, height) in [(1, 1), (CHUNK, 3), (CHUNK + 1, CHUNK), (side - 7, side), (side, side)] {
            let values: Vec<f32> = (0..width * height).map(|n| n as f32 * 0.25).collect();
            let found = unpack(&pack(&values, (width, height), side).unwrap(), side).unwrap();
            for (n, value) in found.iter().enumerate() {
                let (row, column) = (n / side, n % side);
                let inside = row < height && column < width;
                assert_eq!(value.is_nan(), !inside, "{column}, {row} of {width} x {height}");
                assert!(!inside || *value == values[row * width + column]);
            }
        }
    }

    #[test]
    fn damage_is_told() {
        let bytes = pack(&vec![1.0; CHUNK * CHUNK], (CHUNK, CHUNK), CHUNK).unwrap();
        let told = |bytes: &[u8]| unpack(bytes, CHUNK).unwrap_err().to_string();
        assert!(told(&bytes[..10]).contains("fewer"));
        assert!(told(&bytes[1..]).contains("outside") || told(&bytes[1..]).contains("gzip"));
        let mut index = bytes.clone();
        let place = bytes.len() - 10;
        index[place] ^= 1;
        assert!(told(&index).contains("checksum"));
        let mut packed = bytes.clone();
        packed[40] ^= 0xff;
        assert!(unpack(&packed, CHUNK).is_err());
        // an index that is whole and lies
        let mut shard = Shard::new(Vec::new(), 1);
        shard.put((0, 0), &packed_of(7)).unwrap();
        assert!(told(&shard.finish().unwrap()).contains("bytes of its samples"));
        let mut shard = Shard::new(Vec::new(), 1);
        shard.index[0] = [1 << 40, 1 << 41];
        assert!(told(&shard.finish().unwrap()).contains("outside"));
    }

    fn packed_of(count: usize) -> Vec<u8> {
        packed(&vec![0; count]).unwrap()
    }
}
