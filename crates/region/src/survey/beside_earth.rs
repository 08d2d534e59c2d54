//! Windows beside Earth's: the sections `mountains` and `rivers` of `data/earth.toml`.
//!
//! Figures of mountains are judged by the windows inside ranges, figures of rivers by all windows, each by its median.
//! The rivers' other figures (`largest_discharge_m3_s` and so on) are those of a whole world, not of windows.

use super::places::Country;
use super::refined::Surveyed;
use super::{Survey, median};
use hydro::statistics::HortonRatios;
use world::score::{Measured, Reading, earth};

/// A figure of a window, by the name that it has in the file.
type Named = (&'static str, fn(&Survey) -> Option<f64>);

const MOUNTAINS: [Named; 7] = [
    ("slope_mean_deg", |s| Some(s.slopes.mean_deg)),
    ("slope_p90_deg", |s| Some(s.slopes.p90_deg)),
    ("relief_5km_m", |s| s.relief_5km_m),
    ("summits_p30_per_100km2", |s| Some(s.summits_p30_per_100km2)),
    ("summits_p100_per_100km2", |s| Some(s.summits_p100_per_100km2)),
    ("psd_beta", |s| s.psd_beta),
    ("hypsometric_integral", |s| s.hypsometric_integral),
];

const RIVERS: [Named; 7] = [
    ("horton_bifurcation", |s| ratio(s, |r| r.bifurcation)),
    ("horton_length", |s| ratio(s, |r| r.length)),
    ("horton_area", |s| ratio(s, |r| r.area)),
    ("hack_exponent", |s| s.networks.hack_exponent),
    ("area_exceedance", |s| s.networks.area_exceedance),
    ("concavity", |s| s.networks.concavity),
    ("drainage_density_km_per_km2", |s| Some(s.networks.drainage_density_km_per_km2)),
];

fn ratio(survey: &Survey, of: fn(&HortonRatios) -> f64) -> Option<f64> {
    survey.networks.horton.as_ref().map(of)
}

impl Survey {
    /// The figures that Earth has too, by the names of the file, mountains first.
    pub fn figures(&self) -> impl Iterator<Item = (&'static str, Option<f64>)> + '_ {
        MOUNTAINS.into_iter().chain(RIVERS).map(|(name, of)| (name, of(self)))
    }
}

/// A figure over some windows.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Earth's figure, and the median of the windows by which it is judged.
    pub measured: Measured,
    /// Medians over the windows of each of [`Country::ALL`].
    pub by_country: [Option<f64>; 3],
    /// The value of each window, in order.
    pub values: Vec<Option<f64>>,
}

/// Holds windows against Earth, figure by figure.
pub fn beside_earth(windows: &[Surveyed]) -> Vec<Judged> {
    let earth = earth::regional();
    let figure = |name: &str| earth.iter().find(|f| f.name == name).expect("a figure of the file").clone();
    let judged = |country: Option<Country>, (name, of): Named| {
        let values: Vec<Option<f64>> = windows.iter().map(|w| of(&w.survey)).collect();
        let among = |country: Option<Country>| {
            let chosen =
                windows.iter().zip(&values).filter(|(w, _)| country.is_none_or(|c| c == w.place.country));
            median(chosen.filter_map(|(_, value)| *value))
        };
        let any = windows.iter().any(|w| country.is_none_or(|c| c == w.place.country));
        let reading = match among(country) {
            Some(value) => Reading::Value(value),
            None if any => Reading::Absent("none of the windows has it"),
            None => Reading::NotHere("no such country is as wide as a window"),
        };
        let measured = Measured { figure: figure(name), reading };
        Judged { measured, by_country: Country::ALL.map(|c| among(Some(c))), values }
    };
    let mountains = MOUNTAINS.map(|named| judged(Some(Country::Range), named));
    let rivers = RIVERS.map(|named| judged(None, named));
    mountains.into_iter().chain(rivers).collect()
}
