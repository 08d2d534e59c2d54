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

/// Calls the function compiled for the width, so that its inner loop has a constant length.
macro_rules! of_width {
    ($width:expr, $function:ident($($argument:expr),*)) => {
        match $width {
            1 => $function::<1>($($argument),*),
            2 => $function::<2>($($argument),*),
            4 => $function::<4>($($argument),*),
            _ => $function::<8>($($argument),*),
        }
    };
}

fn shuffle(width: usize, bytes: &[u8], out: &mut [u8]) {
    of_width!(width, shuffle_fixed(bytes, out));
}

fn unshuffle(width: usize, bytes: &[u8], out: &mut [u8]) {
    of_width!(width, unshuffle_fixed(bytes, out));
}

fn shuffle_fixed<const W: usize>(bytes: &[u8], out: &mut [u8]) {
    let n = bytes.len() / W;
    for plane in 0..W {
        for (to, value) in out[plane * n..][..n].iter_mut().zip(bytes.chunks_exact(W)) {
            *to = value[plane];
        }
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
