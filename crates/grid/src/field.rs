//! One value for every cell of a grid, and the named layers that a file holds.

use crate::{Cell, Shape};
use ndarray::ArrayView3;
use rayon::prelude::*;
use std::ops::{Index, IndexMut};

/// One value for every cell: an array of faces x rows x columns in standard order, indexed by [`Cell`].
#[derive(Clone, Debug, PartialEq)]
pub struct Field<T> {
    shape: Shape,
    values: Vec<T>,
}

impl<T> Field<T> {
    /// Wraps values in the order of cells. `None` if their number is not that of the shape.
    pub fn from_vec(shape: Shape, values: Vec<T>) -> Option<Self> {
        (values.len() == shape.len()).then_some(Self { shape, values })
    }

    /// Computes each cell's value on its own, in parallel.
    pub fn from_fn(shape: Shape, value: impl Fn(Cell) -> T + Sync) -> Self
    where
        T: Send,
    {
        let values = (0..shape.len()).into_par_iter().map(|i| value(Cell::from_index(i))).collect();
        Self::from_vec(shape, values).expect("one value was computed for each cell")
    }

    /// Computes rows in parallel: `fill` is given the first cell of a row and its values, all of them the default.
    pub fn from_rows(shape: Shape, fill: impl Fn(Cell, &mut [T]) + Sync) -> Self
    where
        T: Clone + Default + Send,
    {
        let mut field = Self::filled(shape, T::default());
        let cols = (shape.cols as usize).max(1);
        let rows = field.values.par_chunks_mut(cols).enumerate();
        rows.for_each(|(row, values)| fill(Cell::from_index(row * cols), values));
        field
    }

    /// The same value everywhere.
    pub fn filled(shape: Shape, value: T) -> Self
    where
        T: Clone,
    {
        Self::from_vec(shape, vec![value; shape.len()]).expect("one value was made for each cell")
    }

    /// How the cells lie in memory.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The values as an array of faces x rows x columns.
    pub fn view(&self) -> ArrayView3<'_, T> {
        let Shape { faces, rows, cols } = self.shape;
        let sides = (faces as usize, rows as usize, cols as usize);
        ArrayView3::from_shape(sides, &self.values).expect("there is one value for each cell")
    }

    /// The values in the order of cells.
    pub fn as_slice(&self) -> &[T] {
        &self.values
    }

    /// The values in the order of cells, to change.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// The values in the order of cells, taken out.
    pub fn into_vec(self) -> Vec<T> {
        self.values
    }

    /// A field of another type, cell by cell, in parallel.
    pub fn map<U: Send>(&self, f: impl Fn(&T) -> U + Sync) -> Field<U>
    where
        T: Sync,
    {
        let values = self.as_slice().par_iter().map(&f).collect();
        Field::from_vec(self.shape(), values).expect("one value was computed for each cell")
    }
}

impl<T> Index<Cell> for Field<T> {
    type Output = T;
    fn index(&self, cell: Cell) -> &T {
        &self.as_slice()[cell.index()]
    }
}

impl<T> IndexMut<Cell> for Field<T> {
    fn index_mut(&mut self, cell: Cell) -> &mut T {
        &mut self.as_mut_slice()[cell.index()]
    }
}

/// The values of a layer, of one of the types that a file can hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Bytes.
    U8(Field<u8>),
    /// 16-bit unsigned.
    U16(Field<u16>),
    /// 32-bit unsigned.
    U32(Field<u32>),
    /// 32-bit floating point.
    F32(Field<f32>),
    /// 64-bit floating point.
    F64(Field<f64>),
}

macro_rules! each_type {
    ($values:expr, $field:ident => $answer:expr) => {
        match $values {
            Values::U8($field) => $answer,
            Values::U16($field) => $answer,
            Values::U32($field) => $answer,
            Values::F32($field) => $answer,
            Values::F64($field) => $answer,
        }
    };
}

impl Values {
    /// How the cells lie in memory.
    pub fn shape(&self) -> Shape {
        each_type!(self, f => f.shape())
    }

    /// The type's name: `u8`, `u16`, `u32`, `f32` or `f64`.
    pub fn dtype(&self) -> &'static str {
        match self {
            Self::U8(_) => "u8",
            Self::U16(_) => "u16",
            Self::U32(_) => "u32",
            Self::F32(_) => "f32",
            Self::F64(_) => "f64",
        }
    }

    /// Least and greatest value that is a number; `None` if there is none.
    #[allow(clippy::unnecessary_cast, reason = "one expression serves five types")]
    pub fn min_max(&self) -> Option<(f64, f64)> {
        each_type!(self, f => range(f.as_slice()).map(|(low, high)| (low as f64, high as f64)))
    }
}

/// Least and greatest of the values that are numbers.
fn range<T: Copy + PartialOrd>(values: &[T]) -> Option<(T, T)> {
    /// Values that stay in the nearest cache from one look to the other.
    const BLOCK: usize = 2048;
    let first = *values.iter().find(|v| v.partial_cmp(v).is_some())?;
    let range = values.chunks(BLOCK).fold((first, first), |(low, high), block| {
        let low = best(block, low, |v, low| if v < low { v } else { low });
        (low, best(block, high, |v, high| if v > high { v } else { high }))
    });
    Some(range)
}

/// The best of some values and of one more, found in many lanes, which compilers compare side by side.
fn best<T: Copy>(values: &[T], start: T, better: impl Fn(T, T) -> T) -> T {
    const LANES: usize = 32;
    let mut lanes = [start; LANES];
    let (groups, rest) = values.as_chunks::<LANES>();
    for group in groups {
        for lane in 0..LANES {
            lanes[lane] = better(group[lane], lanes[lane]);
        }
    }
    lanes.iter().chain(rest).fold(start, |best, &v| better(v, best))
}

macro_rules! conversions {
    ($($variant:ident $type:ty, $into:ident;)*) => {
        $(impl From<Field<$type>> for Values {
            fn from(field: Field<$type>) -> Self {
                Self::$variant(field)
            }
        }
        impl Values {
            #[doc = concat!("The field, if its values are of type `", stringify!($type), "`.")]
            pub fn $into(self) -> Option<Field<$type>> {
                if let Self::$variant(field) = self { Some(field) } else { None }
            }
        })*
    };
}

conversions! {
    U8 u8, into_u8;
    U16 u16, into_u16;
    U32 u32, into_u32;
    F32 f32, into_f32;
    F64 f64, into_f64;
}

/// A field with a name and a unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Unique within a world, in lower case with underscores.
    pub name: String,
    /// Unit of the values, `1` for plain numbers.
    pub unit: String,
    /// The values.
    pub values: Values,
}

impl Layer {
    /// A layer of a field.
    pub fn new(name: &str, unit: &str, values: impl Into<Values>) -> Self {
        Self { name: name.into(), unit: unit.into(), values: values.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { faces: 2, rows: 3, cols: 4 };

    #[test]
    fn cells_index_in_order() {
        let field = Field::from_fn(SHAPE, |c| c.0);
        assert_eq!(field[Cell(17)], 17);
        assert_eq!(field.view()[(1, 1, 1)], 17);
        assert_eq!(field.map(|v| v * 2).into_vec()[23], 46);
    }

    #[test]
    fn a_wrong_number_of_values_is_refused() {
        assert!(Field::from_vec(SHAPE, vec![0u8; 23]).is_none());
    }

    #[test]
    fn range_skips_what_is_not_a_number() {
        let mut field = Field::filled(SHAPE, 1.5f32);
        field[Cell(3)] = f32::NAN;
        field[Cell(4)] = -2.0;
        assert_eq!(Values::from(field).min_max(), Some((-2.0, 1.5)));
        assert_eq!(Values::from(Field::filled(SHAPE, f32::NAN)).min_max(), None);
    }
}
