//! What comes of measuring a figure.

/// A figure as measured on a world.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// Its value.
    Value(f64),
    /// The world lacks what is measured, and why: it fails.
    Absent(&'static str),
    /// This grid cannot show it, and why: it does not count.
    NotHere(&'static str),
}

impl Reading {
    /// The value, if there is one.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Value(v) => Some(*v),
            _ => None,
        }
    }

    /// Why there is no value.
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Value(_) => None,
            Self::Absent(why) | Self::NotHere(why) => Some(why),
        }
    }
}

/// A value, or the reason why the world has none.
pub(super) fn absent(value: Option<f64>, why: &'static str) -> Reading {
    value.map_or(Reading::Absent(why), Reading::Value)
}

/// A value, or the reason why this grid shows none.
pub(super) fn not_here(value: Option<f64>, why: &'static str) -> Reading {
    value.map_or(Reading::NotHere(why), Reading::Value)
}
