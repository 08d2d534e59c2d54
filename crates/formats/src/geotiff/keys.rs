//! The reference system as GeoTIFF keys (OGC 19-008r4, the GeoTIFF standard 1.1).
//!
//! A key is four 16-bit numbers: id, where its value is (0: right here), how many, and the value or its place in
//! the tag of doubles or of text.

use serde_json::{Map, Value, json};

use crate::Crs;

pub(super) const MODEL_TYPE: u16 = 1024;
pub(super) const RASTER_TYPE: u16 = 1025;
pub(super) const CITATION: u16 = 1026;
pub(super) const GEODETIC_CRS: u16 = 2048;
pub(super) const GEODETIC_CITATION: u16 = 2049;
const DATUM: u16 = 2050;
const PRIME_MERIDIAN: u16 = 2051;
pub(super) const ANGULAR_UNITS: u16 = 2054;
pub(super) const ANGULAR_UNIT_SIZE: u16 = 2055;
const ELLIPSOID: u16 = 2056;
pub(super) const SEMI_MAJOR_AXIS: u16 = 2057;
pub(super) const SEMI_MINOR_AXIS: u16 = 2058;
pub(super) const INVERSE_FLATTENING: u16 = 2059;
pub(super) const PROJECTED_CRS: u16 = 3072;
pub(super) const PROJECTED_CITATION: u16 = 3073;
const PROJECTION: u16 = 3074;
pub(super) const PROJECTION_METHOD: u16 = 3075;
pub(super) const LINEAR_UNITS: u16 = 3076;
pub(super) const LINEAR_UNIT_SIZE: u16 = 3077;
pub(super) const ORIGIN_LONGITUDE: u16 = 3080;
pub(super) const ORIGIN_LATITUDE: u16 = 3081;
const FALSE_EASTING: u16 = 3082;
const FALSE_NORTHING: u16 = 3083;
const SCALE_AT_ORIGIN: u16 = 3092;
pub(super) const VERTICAL_UNITS: u16 = 4099;

pub(super) const USER_DEFINED: u16 = 32_767;
pub(super) const MODEL_PROJECTED: u16 = 1;
pub(super) const MODEL_GEOGRAPHIC: u16 = 2;
pub(super) const MODEL_GEOCENTRIC: u16 = 3;
const PIXEL_IS_AREA: u16 = 1;
const PIXEL_IS_POINT: u16 = 2;
const TRANSVERSE_MERCATOR: u16 = 1;
pub(super) const MERCATOR: u16 = 7;
const EPSG_WGS84: u16 = 4326;
const EPSG_GREENWICH: u16 = 8901;
pub(super) const EPSG_METRE: u16 = 9001;
const EPSG_DEGREE: u16 = 9102;

const DOUBLES_TAG: u16 = 34_736;
const ASCII_TAG: u16 = 34_737;

/// The keys of one reference system, in ascending order of id as the standard demands.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GeoKeys {
    entries: Vec<[u16; 4]>,
    doubles: Vec<f64>,
    ascii: String,
}

impl GeoKeys {
    /// The keys that say what `crs` says.
    pub fn of(crs: &Crs) -> Self {
        let mut keys = Self::default();
        match *crs {
            Crs::Foreign(ref foreign) => return foreign.keys.of_areas(),
            Crs::Geographic { .. } if crs.is_wgs84() => keys.wgs84(),
            Crs::Geographic { radius_m } => {
                keys.short(MODEL_TYPE, MODEL_GEOGRAPHIC);
                keys.short(RASTER_TYPE, PIXEL_IS_AREA);
                keys.sphere(radius_m);
            }
            Crs::TransverseMercator { lon0_deg, lat0_deg, radius_m } => {
                keys.short(MODEL_TYPE, MODEL_PROJECTED);
                keys.short(RASTER_TYPE, PIXEL_IS_AREA);
                keys.sphere(radius_m);
                keys.transverse_mercator(lon0_deg, lat0_deg);
            }
            Crs::WebMercator { radius_m } => {
                keys.short(MODEL_TYPE, MODEL_PROJECTED);
                keys.short(RASTER_TYPE, PIXEL_IS_AREA);
                match crs.epsg() {
                    Some(code) => keys.registered(code),
                    None => {
                        keys.sphere(radius_m);
                        keys.mercator();
                    }
                }
            }
            Crs::Metres => keys.local(),
        }
        keys
    }

    fn wgs84(&mut self) {
        self.short(MODEL_TYPE, MODEL_GEOGRAPHIC);
        self.short(RASTER_TYPE, PIXEL_IS_AREA);
        self.short(GEODETIC_CRS, EPSG_WGS84);
        self.text(GEODETIC_CITATION, "WGS 84");
        self.short(ANGULAR_UNITS, EPSG_DEGREE);
    }

    /// A geographic system on a sphere that no registry knows.
    fn sphere(&mut self, radius_m: f64) {
        self.short(GEODETIC_CRS, USER_DEFINED);
        self.text(
            GEODETIC_CITATION,
            &format!(
                "GCS Name = Sphere of {radius_m} m|Datum = Sphere of {radius_m} m|Ellipsoid = Sphere of {radius_m} m|Primem = Greenwich"
            ),
        );
        self.short(DATUM, USER_DEFINED);
        self.short(PRIME_MERIDIAN, EPSG_GREENWICH);
        self.short(ANGULAR_UNITS, EPSG_DEGREE);
        self.short(ELLIPSOID, USER_DEFINED);
        self.double(SEMI_MAJOR_AXIS, radius_m);
        self.double(SEMI_MINOR_AXIS, radius_m);
    }

    fn transverse_mercator(&mut self, lon0_deg: f64, lat0_deg: f64) {
        self.short(PROJECTED_CRS, USER_DEFINED);
        self.text(PROJECTED_CITATION, &format!("Transverse Mercator at {lon0_deg}, {lat0_deg}"));
        self.short(PROJECTION, USER_DEFINED);
        self.short(PROJECTION_METHOD, TRANSVERSE_MERCATOR);
        self.short(LINEAR_UNITS, EPSG_METRE);
        self.double(ORIGIN_LONGITUDE, lon0_deg);
        self.double(ORIGIN_LATITUDE, lat0_deg);
        self.double(FALSE_EASTING, 0.0);
        self.double(FALSE_NORTHING, 0.0);
        self.double(SCALE_AT_ORIGIN, 1.0);
    }

    /// A projected system that the register knows, in metres.
    fn registered(&mut self, code: u16) {
        self.short(PROJECTED_CRS, code);
        self.text(PROJECTED_CITATION, &format!("EPSG:{code}"));
        self.short(LINEAR_UNITS, EPSG_METRE);
    }

    fn mercator(&mut self) {
        self.short(PROJECTED_CRS, USER_DEFINED);
        self.text(PROJECTED_CITATION, "Mercator");
        self.short(PROJECTION, USER_DEFINED);
        self.short(PROJECTION_METHOD, MERCATOR);
        self.short(LINEAR_UNITS, EPSG_METRE);
        self.double(ORIGIN_LONGITUDE, 0.0);
        self.double(ORIGIN_LATITUDE, 0.0);
        self.double(FALSE_EASTING, 0.0);
        self.double(FALSE_NORTHING, 0.0);
        self.double(SCALE_AT_ORIGIN, 1.0);
    }

    fn local(&mut self) {
        self.short(MODEL_TYPE, USER_DEFINED);
        self.short(RASTER_TYPE, PIXEL_IS_AREA);
        self.text(CITATION, "Flat map");
        self.short(LINEAR_UNITS, EPSG_METRE);
    }

    fn short(&mut self, key: u16, value: u16) {
        self.entries.push([key, 0, 1, value]);
    }

    fn double(&mut self, key: u16, value: f64) {
        self.entries.push([key, DOUBLES_TAG, 1, self.doubles.len() as u16]);
        self.doubles.push(value);
    }

    /// Texts of several keys share one tag, each closed by a bar.
    fn text(&mut self, key: u16, value: &str) {
        let start = self.ascii.len() as u16;
        self.ascii.push_str(value);
        self.ascii.push('|');
        self.entries.push([key, ASCII_TAG, value.len() as u16 + 1, start]);
    }

    /// The keys of a file, from its three tags. A key whose value is not where it says is left out and named in
    /// the second result.
    pub fn read(directory: &[u16], doubles: Vec<f64>, ascii: String) -> (Self, Vec<u16>) {
        let Some(([_, _, _, count], list)) = directory.split_first_chunk() else {
            return (Self::default(), Vec::new());
        };
        let whole = |&[_, tag, count, at]: &[u16; 4]| {
            let end = usize::from(at) + usize::from(count);
            match tag {
                0 => count == 1,
                DOUBLES_TAG => end <= doubles.len(),
                ASCII_TAG => end <= ascii.len(),
                _ => false,
            }
        };
        let list = list.as_chunks::<4>().0.iter().take(usize::from(*count)).copied();
        let (entries, broken): (Vec<_>, Vec<_>) = list.partition(whole);
        (Self { entries, doubles, ascii }, broken.into_iter().map(|[key, ..]| key).collect())
    }

    /// The keys as one text: a JSON object with a whole number for a code, text for text, and real numbers as texts in a list, for
    /// those of JSON may lose their last bit.
    pub fn to_text(&self) -> String {
        let part = |start: u16, count: u16| usize::from(start)..usize::from(start) + usize::from(count);
        let value = |&[_, tag, count, at]: &[u16; 4]| match tag {
            0 => json!(at),
            DOUBLES_TAG => {
                let numbers = self.doubles.get(part(at, count)).unwrap_or_default();
                json!(numbers.iter().map(|number| format!("{number:?}")).collect::<Vec<_>>())
            }
            _ => json!(self.ascii.get(part(at, count)).unwrap_or_default()),
        };
        let all: Map<String, Value> =
            self.entries.iter().map(|entry| (entry[0].to_string(), value(entry))).collect();
        Value::from(all).to_string()
    }

    /// The keys of such a text; `None` if it is none.
    pub fn of_text(text: &str) -> Option<Self> {
        let all: Map<String, Value> = serde_json::from_str(text).ok()?;
        let numbered = |(key, value): (String, Value)| Some((key.parse().ok()?, value));
        let mut all: Vec<(u16, Value)> = all.into_iter().map(numbered).collect::<Option<_>>()?;
        all.sort_by_key(|(key, _)| *key);
        let mut keys = Self::default();
        for (key, value) in all {
            let entry = match value {
                Value::Number(code) => [key, 0, 1, u16::try_from(code.as_u64()?).ok()?],
                Value::Array(numbers) => {
                    let start = u16::try_from(keys.doubles.len()).ok()?;
                    for number in &numbers {
                        keys.doubles.push(number.as_str()?.parse().ok()?);
                    }
                    [key, DOUBLES_TAG, u16::try_from(numbers.len()).ok()?, start]
                }
                Value::String(text) if text.is_ascii() => {
                    let start = u16::try_from(keys.ascii.len()).ok()?;
                    keys.ascii.push_str(&text);
                    [key, ASCII_TAG, u16::try_from(text.len()).ok()?, start]
                }
                _ => return None,
            };
            keys.entries.push(entry);
        }
        Some(keys)
    }

    /// The same without texts.
    pub fn without_texts(&self) -> Self {
        let entries = self.entries.iter().filter(|entry| entry[1] != ASCII_TAG).copied().collect();
        Self { entries, doubles: self.doubles.clone(), ascii: String::new() }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value of a key that is a code.
    pub fn number(&self, key: u16) -> Option<u16> {
        self.entries.iter().find(|e| e[0] == key && e[1] == 0).map(|e| e[3])
    }

    /// The value of a key that is a real number.
    pub fn real(&self, key: u16) -> Option<f64> {
        let entry = self.entries.iter().find(|e| e[0] == key && e[1] == DOUBLES_TAG && e[2] == 1)?;
        self.doubles.get(usize::from(entry[3])).copied()
    }

    /// The value of a key that is text, without the bar at its end; `None` where that is empty.
    pub fn title(&self, key: u16) -> Option<&str> {
        let entry = self.entries.iter().find(|e| e[0] == key && e[1] == ASCII_TAG)?;
        let (start, count) = (usize::from(entry[3]), usize::from(entry[2]));
        let text = self.ascii.get(start..start + count)?.trim_end_matches('|').trim();
        (!text.is_empty()).then_some(text)
    }

    /// Whether coordinates are those of the middles of pixels, not of their corners.
    pub fn are_of_points(&self) -> bool {
        self.number(RASTER_TYPE) == Some(PIXEL_IS_POINT)
    }

    /// The same system for a raster placed by the corners of its pixels, as every raster is that is written here.
    pub fn of_areas(&self) -> Self {
        let mut keys = self.clone();
        for entry in keys.entries.iter_mut().filter(|e| e[0] == RASTER_TYPE) {
            *entry = [RASTER_TYPE, 0, 1, PIXEL_IS_AREA];
        }
        keys
    }

    /// The directory tag: its version 1.1.0, the number of keys, the keys.
    pub fn directory(&self) -> Vec<u16> {
        let header = [1, 1, 0, self.entries.len() as u16];
        header.into_iter().chain(self.entries.iter().flatten().copied()).collect()
    }

    /// The values of keys that are real numbers.
    pub fn doubles(&self) -> &[f64] {
        &self.doubles
    }

    /// The values of keys that are text.
    pub fn ascii(&self) -> &str {
        &self.ascii
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_from_their_text() {
        let near = Crs::TransverseMercator { lon0_deg: -3.1, lat0_deg: 0.1 + 0.2, radius_m: 3_389_500.0 };
        for crs in [near, Crs::Geographic { radius_m: 6_371_000.0 }, Crs::Metres] {
            let keys = GeoKeys::of(&crs);
            let found = GeoKeys::of_text(&keys.to_text()).expect("a text of keys");
            assert_eq!(found, keys, "{}", keys.to_text());
            assert!(GeoKeys::of_text(&keys.without_texts().to_text()).is_some_and(|k| k.ascii.is_empty()));
        }
        for wrong in ["", "7", "{\"a\":1}", "{\"1024\":65536}", "{\"2057\":[1.5]}", "{\"1026\":\"\u{e4}\"}"] {
            assert_eq!(GeoKeys::of_text(wrong), None, "{wrong}");
        }
    }
}
