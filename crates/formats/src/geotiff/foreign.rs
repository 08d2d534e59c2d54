//! Other people's reference systems: their keys, kept as they are, and what distances on the ground need of them.
//!
//! Coordinates are never projected here. A projected system gives metres by its linear unit (taken as true to
//! scale, with a warning for Mercator, which is not); a geographic one gives degrees by its angular unit, on a
//! sphere with the area of its ellipsoid, on which lengths of WGS 84 are wrong by up to 0.6 % and areas of cells by
//! up to 0.9 % (Snyder 1987).

use serde::Serialize;

use super::keys::{self, GeoKeys};
use crate::error::ReadError;
use crate::raster::{Axis, Crs};

/// Equatorial radius and flattening of WGS 84. Every registered ellipsoid of the Earth has the same area within
/// 0.03 %; those of other bodies are in no register that the keys can name, so they come with their own axes.
const WGS84: (f64, f64) = (6_378_137.0, 1.0 / 298.257_223_563);

/// Longest name of a system that is passed on.
const MOST_NAME: usize = 120;

/// A reference system read from a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForeignCrs {
    name: String,
    epsg: Option<u16>,
    axis: Axis,
    #[serde(skip)]
    pub(crate) keys: GeoKeys,
}

impl ForeignCrs {
    /// No reference system at all: plain numbers, taken as metres.
    pub(crate) fn none() -> Self {
        Self {
            name: "none (coordinates are taken as metres)".into(),
            epsg: None,
            axis: Axis::Linear { metres_per_unit: 1.0 },
            keys: GeoKeys::default(),
        }
    }

    /// One line for people: `EPSG:32633`, or what the file calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its number in the EPSG register, if it has one.
    pub fn epsg(&self) -> Option<u16> {
        self.epsg
    }

    /// What its coordinates count.
    pub fn axis(&self) -> Axis {
        self.axis
    }

    /// Whether the file said nothing of a reference system.
    pub fn is_none(&self) -> bool {
        self.keys.is_empty()
    }

    /// The system of ours that a file with such keys was written with, if it is one: on a planet's own sphere, which no register
    /// knows. Compared key by key, so that none is taken for another.
    pub(crate) fn ours(&self) -> Option<Crs> {
        let keys = self.keys.of_areas();
        let radius_m = keys.real(keys::SEMI_MAJOR_AXIS)?;
        let (lon0, lat0) = (keys.real(keys::ORIGIN_LONGITUDE), keys.real(keys::ORIGIN_LATITUDE));
        let origin = lon0.zip(lat0);
        let plane =
            origin.map(|(lon0_deg, lat0_deg)| Crs::TransverseMercator { lon0_deg, lat0_deg, radius_m });
        let all = [plane, Some(Crs::Geographic { radius_m }), Some(Crs::WebMercator { radius_m })];
        all.into_iter().flatten().find(|crs| GeoKeys::of(crs) == keys)
    }

    /// All that the file said of it as one text of at most `most` bytes, for [`ForeignCrs::of_text`]; names are left out where they
    /// would make it longer, and `None` is returned where that is not enough.
    pub fn to_text(&self, most: usize) -> Option<String> {
        let keys = self.keys.of_areas();
        [keys.to_text(), keys.without_texts().to_text()].into_iter().find(|text| text.len() <= most)
    }

    /// The system of a text; `None` if it is not such a text.
    pub fn of_text(text: &str) -> Option<Self> {
        let keys = GeoKeys::of_text(text).filter(|keys| !keys.is_empty())?;
        Self::read(keys, &mut Vec::new()).ok()
    }

    /// What the keys of a file say; doubts go to `warnings`.
    pub(crate) fn read(keys: GeoKeys, warnings: &mut Vec<String>) -> Result<Self, ReadError> {
        let model = keys.number(keys::MODEL_TYPE).unwrap_or_else(|| guessed_model(&keys));
        let crs = match model {
            keys::MODEL_GEOGRAPHIC => geographic(keys)?,
            keys::MODEL_PROJECTED => projected(keys, warnings)?,
            keys::MODEL_GEOCENTRIC => {
                return Err(ReadError::unsupported(
                    "its coordinates are geocentric (from the middle of the Earth)",
                    "give a map: gdalwarp -t_srs EPSG:4326 IN OUT",
                ));
            }
            _ => local(keys, warnings)?,
        };
        Ok(crs)
    }
}

fn guessed_model(keys: &GeoKeys) -> u16 {
    match (keys.number(keys::PROJECTED_CRS), keys.number(keys::GEODETIC_CRS)) {
        (Some(_), _) => keys::MODEL_PROJECTED,
        (None, Some(_)) => keys::MODEL_GEOGRAPHIC,
        (None, None) => keys::USER_DEFINED,
    }
}

fn registered(code: Option<u16>) -> Option<u16> {
    code.filter(|c| (1024..keys::USER_DEFINED).contains(c))
}

fn geographic(keys: GeoKeys) -> Result<ForeignCrs, ReadError> {
    let epsg = registered(keys.number(keys::GEODETIC_CRS));
    let radius_m = radius_m(&keys)?;
    let name = match epsg {
        Some(code) => format!("EPSG:{code}"),
        None => titled("longitude and latitude", &keys, keys::GEODETIC_CITATION),
    };
    let axis = Axis::Angular { degrees_per_unit: degrees_per_unit(&keys)?, radius_m };
    Ok(ForeignCrs { name, epsg, axis, keys })
}

fn projected(keys: GeoKeys, warnings: &mut Vec<String>) -> Result<ForeignCrs, ReadError> {
    let epsg = registered(keys.number(keys::PROJECTED_CRS));
    let name = match epsg {
        Some(code) => format!("EPSG:{code}"),
        None => titled("projected", &keys, keys::PROJECTED_CITATION),
    };
    let mercator = matches!(epsg, Some(3857 | 3785 | 3395 | 3832 | 3994))
        || epsg.is_none() && keys.number(keys::PROJECTION_METHOD) == Some(keys::MERCATOR);
    if mercator {
        warnings.push(format!(
            "{name} is a Mercator map, which stretches lengths by 1 / cos(latitude): lengths, areas and slopes will \
             be off; warp it first, to UTM or an equal-area map (gdalwarp -t_srs EPSG:CODE IN OUT)"
        ));
    }
    linear(name, epsg, keys, warnings)
}

fn local(keys: GeoKeys, warnings: &mut Vec<String>) -> Result<ForeignCrs, ReadError> {
    let name = titled("a map of its own", &keys, keys::CITATION);
    linear(name, None, keys, warnings)
}

fn linear(
    name: String,
    epsg: Option<u16>,
    keys: GeoKeys,
    warnings: &mut Vec<String>,
) -> Result<ForeignCrs, ReadError> {
    let metres_per_unit = match keys.number(keys::LINEAR_UNITS) {
        Some(keys::USER_DEFINED) => size(&keys, keys::LINEAR_UNIT_SIZE, "metres")?,
        Some(code) => linear_unit_m(code).ok_or_else(|| {
            ReadError::unsupported(
                format!("{name} counts in unit EPSG:{code}, whose length is not known here"),
                "warp it to metres: gdalwarp -t_srs EPSG:CODE IN OUT",
            )
        })?,
        None => {
            warnings.push(format!("{name} does not say its unit of length: metres are assumed"));
            1.0
        }
    };
    Ok(ForeignCrs { name, epsg, axis: Axis::Linear { metres_per_unit }, keys })
}

/// Lengths of the EPSG register's units that maps are drawn in.
fn linear_unit_m(code: u16) -> Option<f64> {
    Some(match code {
        9001 => 1.0,
        9002 => 0.3048,
        9003 => 1200.0 / 3937.0,
        9005 => 0.304_797_265_4,
        9014 => 1.8288,
        9030 => 1852.0,
        9036 => 1000.0,
        9040 => 0.914_398_414_616_028_7,
        9041 => 0.304_799_471_538_676_24,
        9042 => 20.116_756_121_552_63,
        9084 => 0.914_399_204_289_812_4,
        9093 => 1609.344,
        9094 => 0.304_799_710_181_508_8,
        _ => return None,
    })
}

fn degrees_per_unit(keys: &GeoKeys) -> Result<f64, ReadError> {
    let degrees_per_radian = 1.0_f64.to_degrees();
    Ok(match keys.number(keys::ANGULAR_UNITS) {
        None | Some(9102 | 9122) => 1.0,
        Some(9101) => degrees_per_radian,
        Some(9103) => 1.0 / 60.0,
        Some(9104) => 1.0 / 3600.0,
        Some(9105 | 9106) => 0.9,
        Some(keys::USER_DEFINED) => degrees_per_radian * size(keys, keys::ANGULAR_UNIT_SIZE, "radians")?,
        Some(code) => {
            return Err(ReadError::unsupported(
                format!("its longitudes and latitudes count in unit EPSG:{code}, which is not known here"),
                "warp it to degrees: gdalwarp -t_srs EPSG:4326 IN OUT",
            ));
        }
    })
}

/// A unit's size that the file itself gives.
fn size(keys: &GeoKeys, key: u16, unit: &str) -> Result<f64, ReadError> {
    match keys.real(key) {
        Some(size) if size.is_finite() && size > 0.0 => Ok(size),
        other => Err(ReadError::unsupported(
            format!("its unit is its own, of size {other:?} (GeoTIFF key {key})"),
            format!("the key must be a positive number of {unit}"),
        )),
    }
}

/// Radius of the sphere with the area of the file's ellipsoid, in metres.
fn radius_m(keys: &GeoKeys) -> Result<f64, ReadError> {
    let Some(a) = keys.real(keys::SEMI_MAJOR_AXIS) else { return Ok(authalic_radius_m(WGS84.0, WGS84.1)) };
    let flattening = match (keys.real(keys::SEMI_MINOR_AXIS), keys.real(keys::INVERSE_FLATTENING)) {
        (Some(b), _) => 1.0 - b / a,
        (None, Some(inverse)) if inverse != 0.0 => 1.0 / inverse,
        _ => 0.0,
    };
    let sound = a.is_finite() && a > 0.0 && (0.0..0.9).contains(&flattening);
    if sound {
        return Ok(authalic_radius_m(a, flattening));
    }
    Err(ReadError::unsupported(
        format!("its ellipsoid has a radius of {a} m at the equator and a flattening of {flattening}"),
        "the radius must be positive and the flattening from 0 to 0.9",
    ))
}

/// Authalic radius (Snyder 1987, equations 3-12 and 3-13): `R^2 = a^2/2 (1 + (1 - e^2) atanh(e)/e)`, with
/// `atanh(e)/e` as its series, whose terms fall by `e^2` at least.
fn authalic_radius_m(a: f64, flattening: f64) -> f64 {
    let e2 = flattening * (2.0 - flattening);
    let (mut sum, mut power, mut k) = (1.0, e2, 3.0);
    while power / k > f64::EPSILON / 4.0 {
        sum += power / k;
        power *= e2;
        k += 2.0;
    }
    a * ((1.0 + (1.0 - e2) * sum) / 2.0).sqrt()
}

/// What the file calls a system without a number.
fn titled(kind: &str, keys: &GeoKeys, own: u16) -> String {
    let title = [own, keys::CITATION, keys::GEODETIC_CITATION].into_iter().find_map(|key| keys.title(key));
    match title {
        Some(title) => {
            let plain = title.chars().map(|c| if c.is_control() || c == '|' { ' ' } else { c });
            format!("{kind}, \"{}\"", plain.take(MOST_NAME).collect::<String>().trim())
        }
        None => format!("{kind}, without a name"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earths_sphere_of_equal_area() {
        // Moritz 2000, "Geodetic Reference System 1980", R2; WGS 84 differs in the fourth decimal.
        assert!((authalic_radius_m(WGS84.0, WGS84.1) - 6_371_007.180_9).abs() < 1e-3);
        assert_eq!(authalic_radius_m(3_396_190.0, 0.0), 3_396_190.0);
    }

    #[test]
    fn a_flat_ellipsoid_has_the_closed_forms_area() {
        #![allow(clippy::disallowed_methods, reason = "an oracle for one machine")]
        let (a, f) = (60_268_000.0_f64, 0.097_96_f64);
        let e = (f * (2.0 - f)).sqrt();
        let want = a * ((1.0 + (1.0 - e * e) * e.atanh() / e) / 2.0).sqrt();
        assert!((authalic_radius_m(a, f) / want - 1.0).abs() < 1e-14);
    }

    #[test]
    fn systems_of_ours_are_known_again() {
        let radius_m = 6_371_000.0;
        let read = |keys: GeoKeys| ForeignCrs::read(keys, &mut Vec::new()).expect("sound");
        for crs in [
            Crs::TransverseMercator { lon0_deg: 80.6, lat0_deg: -13.8, radius_m: 3_389_500.0 },
            Crs::Geographic { radius_m: 3_389_500.0 },
            Crs::WebMercator { radius_m: 3_389_500.0 },
        ] {
            assert_eq!(read(GeoKeys::of(&crs)).ours(), Some(crs));
        }
        // what the register knows has its code, a map on no planet nothing
        for crs in [Crs::Geographic { radius_m }, Crs::Metres] {
            assert_eq!(read(GeoKeys::of(&crs)).ours(), None, "{crs:?}");
        }
        // another scale at the origin is another system
        let ours = Crs::TransverseMercator { lon0_deg: 9.0, lat0_deg: 0.0, radius_m };
        let text = GeoKeys::of(&ours).to_text().replace("\"1.0\"", "\"0.9996\"");
        assert_eq!(ForeignCrs::of_text(&text).expect("a system").ours(), None);
    }
}
