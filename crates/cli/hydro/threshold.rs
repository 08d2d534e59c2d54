//! Where streams begin.

use std::str::FromStr;

/// How much must come together before there is a stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// Cells, the cell itself included.
    Cells(f64),
    /// Drainage area.
    Area {
        /// In square metres.
        area_m2: f64,
        /// Square metres of the unit in which it was given.
        unit_m2: f64,
    },
    /// Discharge in cubic metres a second.
    DischargeM3S(f64),
}

/// Cells that make a stream where nobody says otherwise.
const USUAL_CELLS: f64 = 1000.0;
/// Share of a small raster that does.
const USUAL_SHARE: f64 = 1.0 / 200.0;

impl Threshold {
    /// The usual one for a raster of so many cells.
    pub fn usual(cells: u64) -> Self {
        Self::Cells(USUAL_CELLS.min((cells as f64 * USUAL_SHARE).ceil()).max(1.0))
    }

    /// The number, in cells, square metres or cubic metres a second.
    pub fn value(self) -> f64 {
        match self {
            Self::Cells(v) | Self::Area { area_m2: v, .. } | Self::DischargeM3S(v) => v,
        }
    }

    /// The same for a number in the unit in which this was given.
    pub fn in_its_unit(self, number: f64) -> f64 {
        match self {
            Self::Area { unit_m2, .. } => number * unit_m2,
            _ => number,
        }
    }

    /// For people.
    pub fn describe(self) -> String {
        match self {
            Self::Cells(v) => format!("{v} cells"),
            Self::Area { area_m2, .. } => format!("{} km2", area_m2 / 1e6),
            Self::DischargeM3S(v) => format!("{v} m3/s"),
        }
    }
}

impl FromStr for Threshold {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let unit_at =
            text.find(|c: char| c.is_ascii_alphabetic() && c != 'e' && c != 'E').unwrap_or(text.len());
        let (number, unit) = text.split_at(unit_at);
        let wrong =
            || "expected a positive number with a unit, such as 500, 2km2, 40000m2 or 0.5m3/s".to_string();
        let value: f64 = number.trim().parse().map_err(|_| wrong())?;
        if !(value > 0.0 && value.is_finite()) {
            return Err(wrong());
        }
        let area = |unit_m2: f64| Self::Area { area_m2: value * unit_m2, unit_m2 };
        match unit.trim() {
            "" | "cells" | "cell" => Ok(Self::Cells(value)),
            "km2" => Ok(area(1e6)),
            "ha" => Ok(area(1e4)),
            "m2" => Ok(area(1.0)),
            "m3/s" => Ok(Self::DischargeM3S(value)),
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read() {
        assert_eq!("500".parse(), Ok(Threshold::Cells(500.0)));
        assert_eq!("1e3 cells".parse(), Ok(Threshold::Cells(1000.0)));
        assert_eq!("2km2".parse(), Ok(Threshold::Area { area_m2: 2e6, unit_m2: 1e6 }));
        assert_eq!("0.5m3/s".parse(), Ok(Threshold::DischargeM3S(0.5)));
        for wrong in ["", "km2", "-3", "0", "nan", "inf", "5 acres", "1,5km2"] {
            assert!(wrong.parse::<Threshold>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn small_rasters_have_streams() {
        assert_eq!(Threshold::usual(16_000_000), Threshold::Cells(1000.0));
        assert_eq!(Threshold::usual(10_000), Threshold::Cells(50.0));
        assert_eq!(Threshold::usual(1), Threshold::Cells(1.0));
    }
}
