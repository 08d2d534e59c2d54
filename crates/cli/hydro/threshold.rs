//! Where streams begin.

use std::str::FromStr;

/// How much must come together before there is a stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// Cells, the cell itself included.
    Cells(f64),
    /// Drainage area in square metres.
    AreaM2(f64),
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

    /// The number in its own unit.
    pub fn value(self) -> f64 {
        match self {
            Self::Cells(v) | Self::AreaM2(v) | Self::DischargeM3S(v) => v,
        }
    }

    /// For people.
    pub fn describe(self) -> String {
        match self {
            Self::Cells(v) => format!("{v} cells"),
            Self::AreaM2(v) => format!("{} km2", v / 1e6),
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
        match unit.trim() {
            "" | "cells" | "cell" => Ok(Self::Cells(value)),
            "km2" => Ok(Self::AreaM2(value * 1e6)),
            "ha" => Ok(Self::AreaM2(value * 1e4)),
            "m2" => Ok(Self::AreaM2(value)),
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
        assert_eq!("2km2".parse(), Ok(Threshold::AreaM2(2e6)));
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
