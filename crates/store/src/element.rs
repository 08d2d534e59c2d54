//! The five types of values, and their little-endian bytes.

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use grid::{Field, Shape, Values};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// Type of a layer's values. The order is that of the file's type numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dtype {
    /// Bytes.
    U8,
    /// 16-bit unsigned.
    U16,
    /// 32-bit unsigned.
    U32,
    /// 32-bit floating point.
    F32,
    /// 64-bit floating point.
    F64,
}

impl Dtype {
    /// Bytes of one value.
    pub const fn width(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The name that [`Values::dtype`] gives it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// The type of these values.
    pub(crate) fn of(values: &Values) -> Self {
        match values {
            Values::U8(_) => Self::U8,
            Values::U16(_) => Self::U16,
            Values::U32(_) => Self::U32,
            Values::F32(_) => Self::F32,
            Values::F64(_) => Self::F64,
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The bytes of all values as a file holds them: little-endian, in the order of cells.
pub(crate) fn layer_bytes(values: &Values) -> Cow<'_, [u8]> {
    match values {
        Values::U8(f) => le_bytes(f.as_slice()),
        Values::U16(f) => le_bytes(f.as_slice()),
        Values::U32(f) => le_bytes(f.as_slice()),
        Values::F32(f) => le_bytes(f.as_slice()),
        Values::F64(f) => le_bytes(f.as_slice()),
    }
}

/// Values as little-endian bytes: the same memory on little-endian machines, a copy on others.
pub(crate) fn le_bytes<T: Pod>(values: &[T]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        return Cow::Borrowed(cast_slice(values));
    }
    let mut bytes = cast_slice::<T, u8>(values).to_vec();
    bytes.chunks_exact_mut(size_of::<T>()).for_each(<[u8]>::reverse);
    Cow::Owned(bytes)
}

/// `len` values from the little-endian bytes that `fill` puts into their memory.
///
/// `None` if there is no memory for them.
pub(crate) fn read_values<T: Pod, E>(
    len: usize,
    fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
) -> Option<Result<Vec<T>, E>> {
    let mut values = Vec::new();
    values.try_reserve_exact(len).ok()?;
    values.resize(len, T::zeroed());
    let bytes = cast_slice_mut::<T, u8>(&mut values);
    let filled = fill(bytes);
    if cfg!(target_endian = "big") {
        bytes.chunks_exact_mut(size_of::<T>()).for_each(<[u8]>::reverse);
    }
    Some(filled.map(|()| values))
}

/// A field of values that are as many as the shape has cells.
pub(crate) fn field<T>(shape: Shape, values: Vec<T>) -> Field<T> {
    Field::from_vec(shape, values).expect("as many values were read as the shape has cells")
}
