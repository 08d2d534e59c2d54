//! What is done to a chunk's bytes before compression, so that more of them are alike.
//!
//! *Shuffle* puts all first bytes of the values together, then all second bytes, and so on: exponents stand
//! beside exponents (the filter of that name in HDF5). Differences of neighbours, taken before, were measured
//! and gain nothing on layers that are quantised already: `docs/FORMAT.md`.

use serde::{Deserialize, Serialize};

/// How bytes are arranged before compression. The order is that of the file's filter numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Filter {
    /// As they are.
    Plain,
    /// Byte planes.
    Shuffle,
}

impl Filter {
    /// Arranges little-endian values of `width` bytes; `out` is as long as `bytes`.
    pub(crate) fn apply(self, width: usize, bytes: &[u8], out: &mut [u8]) {
        match (self, width) {
            (Self::Plain, _) | (Self::Shuffle, 1) => out.copy_from_slice(bytes),
            (Self::Shuffle, _) => shuffle(width, bytes, out),
        }
    }

    /// Undoes [`Filter::apply`].
    pub(crate) fn undo(self, width: usize, bytes: &[u8], out: &mut [u8]) {
        match (self, width) {
            (Self::Plain, _) | (Self::Shuffle, 1) => out.copy_from_slice(bytes),
            (Self::Shuffle, _) => unshuffle(width, bytes, out),
        }
    }
}

/// Writes the planes of values that are read as whole numbers: shifts of many at once are quicker than single bytes.
macro_rules! planes_of {
    ($number:ty, $bytes:expr, $out:expr) => {{
        const WIDTH: usize = size_of::<$number>();
        let values = $bytes.as_chunks::<WIDTH>().0;
        for (plane, out) in $out.chunks_exact_mut(values.len().max(1)).enumerate() {
            for (to, value) in out.iter_mut().zip(values) {
                *to = (<$number>::from_le_bytes(*value) >> (8 * plane)) as u8;
            }
        }
    }};
}

fn shuffle(width: usize, bytes: &[u8], out: &mut [u8]) {
    match width {
        2 => planes_of!(u16, bytes, out),
        4 => planes_of!(u32, bytes, out),
        _ => planes_of!(u64, bytes, out),
    }
}

fn unshuffle(width: usize, bytes: &[u8], out: &mut [u8]) {
    match width {
        1 => unshuffle_fixed::<1>(bytes, out),
        2 => unshuffle_fixed::<2>(bytes, out),
        4 => unshuffle_fixed::<4>(bytes, out),
        _ => unshuffle_fixed::<8>(bytes, out),
    }
}

fn unshuffle_fixed<const W: usize>(bytes: &[u8], out: &mut [u8]) {
    let n = bytes.len() / W;
    let planes: [&[u8]; W] = std::array::from_fn(|plane| &bytes[plane * n..][..n]);
    for (i, value) in out.chunks_exact_mut(W).enumerate() {
        for plane in 0..W {
            value[plane] = planes[plane][i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_bytes() {
        let mut out = [0; 6];
        Filter::Shuffle.apply(2, &[1, 2, 3, 4, 5, 6], &mut out);
        assert_eq!(out, [1, 3, 5, 2, 4, 6]);
    }

    proptest! {
        #[test]
        fn undo_gives_back(bytes: Vec<u8>, power in 0u32..4) {
            let width = 1 << power;
            let bytes = &bytes[..bytes.len() / width * width];
            for filter in [Filter::Plain, Filter::Shuffle] {
                let (mut there, mut back) = (vec![0; bytes.len()], vec![0; bytes.len()]);
                filter.apply(width, bytes, &mut there);
                filter.undo(width, &there, &mut back);
                prop_assert_eq!(&back, bytes);
            }
        }
    }
}
