//! The unpacked bytes of a block as `f32`: byte order, predictor, band, missing values, scale.

use super::directory::Order;
use super::layout::{Layout, Predictor, SampleType};

/// What a band's stored numbers mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Meaning {
    /// The number that stands for no data.
    pub missing: Option<Missing>,
    /// Quantity = number * scale + offset, where the file says so.
    pub scale: Option<(f64, f64)>,
}

/// A number that stands for no data, as exactly as the file wrote it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Missing {
    Whole(i128),
    Real(f64),
}

impl Missing {
    /// Parses GDAL's tag. `None` for what is no number.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        match text.parse() {
            Ok(whole) => Some(Self::Whole(whole)),
            Err(_) => text.parse().ok().map(Self::Real),
        }
    }

    pub fn value(self) -> f64 {
        match self {
            Self::Whole(v) => v as f64,
            Self::Real(v) => v,
        }
    }

    /// The same as a whole number, where it is one.
    fn whole(self) -> Option<i128> {
        match self {
            Self::Whole(v) => Some(v),
            Self::Real(v) if v.trunc() == v && v.abs() < 1e30 => Some(v as i128),
            Self::Real(_) => None,
        }
    }

    /// Whether samples of this type can have that value.
    pub fn fits(self, sample: SampleType) -> bool {
        match sample {
            SampleType::U8 => u8::missing(self).is_some(),
            SampleType::I8 => i8::missing(self).is_some(),
            SampleType::U16 => u16::missing(self).is_some(),
            SampleType::I16 => i16::missing(self).is_some(),
            SampleType::U32 => u32::missing(self).is_some(),
            SampleType::I32 => i32::missing(self).is_some(),
            SampleType::U64 => u64::missing(self).is_some(),
            SampleType::I64 => i64::missing(self).is_some(),
            SampleType::F32 | SampleType::F64 => true,
        }
    }
}

/// A type that samples are stored in.
trait Stored: Copy + PartialEq {
    const BYTES: usize;
    fn of(bytes: &[u8]) -> Self;
    fn to_f32(self) -> f32;
    fn to_f64(self) -> f64;
    /// The mark of no data in this type.
    fn missing(mark: Missing) -> Option<Self>;
}

macro_rules! stored {
    ($($kind:ty: $missing:expr;)*) => {$(
        impl Stored for $kind {
            const BYTES: usize = size_of::<$kind>();
            fn of(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$kind>()];
                own.copy_from_slice(bytes);
                Self::from_ne_bytes(own)
            }
            fn to_f32(self) -> f32 {
                self as f32
            }
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn missing(mark: Missing) -> Option<Self> {
                let missing: fn(Missing) -> Option<Self> = $missing;
                missing(mark)
            }
        }
    )*};
}

stored! {
    u8: |mark| mark.whole()?.try_into().ok();
    i8: |mark| mark.whole()?.try_into().ok();
    u16: |mark| mark.whole()?.try_into().ok();
    i16: |mark| mark.whole()?.try_into().ok();
    u32: |mark| mark.whole()?.try_into().ok();
    i32: |mark| mark.whole()?.try_into().ok();
    u64: |mark| mark.whole()?.try_into().ok();
    i64: |mark| mark.whole()?.try_into().ok();
    // The mark is written with more or fewer digits than an `f32` has; what it rounds to is meant.
    f32: |mark| Some(mark.value() as f32);
    f64: |mark| Some(mark.value());
}

/// The samples of one band in a block's first `rows` rows, row by row. Infinities stay; no data is `NaN`.
pub(super) fn samples(bytes: &mut [u8], layout: &Layout, band: usize, meaning: &Meaning) -> Vec<f32> {
    let row_bytes = layout.row_bytes() as usize;
    let together = layout.samples_together() as usize;
    let first = if layout.bands_apart { 0 } else { band };
    let mut values = Vec::with_capacity(bytes.len() / layout.sample.bytes() / together);
    let mut planes = Vec::new();
    for row in bytes.chunks_exact_mut(row_bytes) {
        undo(row, layout, &mut planes);
        let pick = Pick { together, first, meaning };
        match layout.sample {
            SampleType::U8 => pick.take::<u8>(row, &mut values),
            SampleType::I8 => pick.take::<i8>(row, &mut values),
            SampleType::U16 => pick.take::<u16>(row, &mut values),
            SampleType::I16 => pick.take::<i16>(row, &mut values),
            SampleType::U32 => pick.take::<u32>(row, &mut values),
            SampleType::I32 => pick.take::<i32>(row, &mut values),
            SampleType::U64 => pick.take::<u64>(row, &mut values),
            SampleType::I64 => pick.take::<i64>(row, &mut values),
            SampleType::F32 => pick.take::<f32>(row, &mut values),
            SampleType::F64 => pick.take::<f64>(row, &mut values),
        }
    }
    values
}

/// Brings a row into the machine's byte order and undoes its predictor. `planes` is room that rows share.
fn undo(row: &mut [u8], layout: &Layout, planes: &mut Vec<u8>) {
    let (size, together) = (layout.sample.bytes(), layout.samples_together() as usize);
    if layout.predictor == Predictor::BytePlanes {
        sum::<1>(row, together, |[a], [b]| [a.wrapping_add(b)]);
        planes.clear();
        planes.extend_from_slice(row);
        match size {
            4 => interleave::<4>(planes, row),
            _ => interleave::<8>(planes, row),
        }
        return;
    }
    if layout.order != Order::NATIVE {
        row.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
    if layout.predictor == Predictor::Difference {
        match size {
            1 => sum::<1>(row, together, |[a], [b]| [a.wrapping_add(b)]),
            2 => sum(row, together, |a, b| {
                u16::from_ne_bytes(a).wrapping_add(u16::from_ne_bytes(b)).to_ne_bytes()
            }),
            4 => sum(row, together, |a, b| {
                u32::from_ne_bytes(a).wrapping_add(u32::from_ne_bytes(b)).to_ne_bytes()
            }),
            _ => sum(row, together, |a, b| {
                u64::from_ne_bytes(a).wrapping_add(u64::from_ne_bytes(b)).to_ne_bytes()
            }),
        }
    }
}

/// Adds to each item the one `apart` before it.
fn sum<const N: usize>(row: &mut [u8], apart: usize, add: impl Fn([u8; N], [u8; N]) -> [u8; N]) {
    let items = row.as_chunks_mut::<N>().0;
    if apart == 1 {
        let mut left = [0; N];
        for item in items {
            left = add(left, *item);
            *item = left;
        }
        return;
    }
    for i in apart..items.len() {
        items[i] = add(items[i - apart], items[i]);
    }
}

/// Takes the bytes of each number from their planes, most significant first.
fn interleave<const N: usize>(planes: &[u8], row: &mut [u8]) {
    let count = planes.len() / N;
    let plane: [&[u8]; N] = std::array::from_fn(|k| {
        let k = if cfg!(target_endian = "big") { k } else { N - 1 - k };
        &planes[k * count..][..count]
    });
    for (i, number) in row.as_chunks_mut::<N>().0.iter_mut().enumerate() {
        *number = std::array::from_fn(|k| plane[k][i]);
    }
}

/// Which samples of a row are taken, and what they mean.
struct Pick<'a> {
    together: usize,
    first: usize,
    meaning: &'a Meaning,
}

impl Pick<'_> {
    fn take<T: Stored>(&self, row: &[u8], values: &mut Vec<f32>) {
        let numbers = row.chunks_exact(T::BYTES * self.together).map(|pixel| {
            let at = self.first * T::BYTES;
            T::of(&pixel[at..at + T::BYTES])
        });
        let missing = self.meaning.missing.and_then(T::missing);
        match (missing, self.meaning.scale) {
            (None, None) => values.extend(numbers.map(T::to_f32)),
            (Some(missing), None) => {
                values.extend(numbers.map(|n| if n == missing { f32::NAN } else { n.to_f32() }));
            }
            (missing, Some((scale, offset))) => {
                values.extend(numbers.map(|n| {
                    if Some(n) == missing { f32::NAN } else { (n.to_f64() * scale + offset) as f32 }
                }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_no_data_are_compared_as_the_samples_type_has_them() {
        let mark = |text: &str| Missing::parse(text).unwrap();
        // No double is that number.
        assert_eq!(i64::missing(mark("9007199254740993")), Some(9_007_199_254_740_993));
        assert_eq!(u64::missing(mark("18446744073709551615")), Some(u64::MAX));
        // As ESRI's programs print the least of all `f32`.
        assert_eq!(f32::missing(mark("-3.4028234663852886e+38")), Some(f32::MIN));
        assert_eq!(f32::missing(mark("-3.40282346638529e+38")), Some(f32::MIN));
        assert_eq!(u8::missing(mark(" 255.0 ")), Some(255));
        for (text, sample) in [
            ("-9999", SampleType::U8),
            ("256", SampleType::U8),
            ("0.5", SampleType::I32),
            ("nan", SampleType::I16),
        ] {
            assert!(!mark(text).fits(sample), "{text}");
        }
        assert_eq!(Missing::parse("none"), None);
    }
}
