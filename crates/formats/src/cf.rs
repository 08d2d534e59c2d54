//! Names of the climate and forecast conventions (CF 1.11): units as UDUNITS reads them, and what a `grid_mapping` says of a
//! reference system.
//!
//! A sphere is told by its radius. Where the well-known text beside it says WGS 84, because a planet is of Earth's size, the
//! radius stays that of the planet: its lengths and areas are those of its sphere.

use serde_json::{Map, Value, json};

use crate::{Axis, Crs};

/// A unit as UDUNITS reads it. What counts, or is a class or a code, has the unit 1.
pub fn unit(unit: &str) -> &str {
    match unit {
        "deg C" => "degC",
        "" | "number" | "class" | "direction" | "ESRI code" | "bits" => "1",
        unit => unit,
    }
}

/// The unit of lengths on a map, as UDUNITS reads it.
pub fn length_unit(crs: &Crs) -> String {
    match crs.axis() {
        Axis::Linear { metres_per_unit } if metres_per_unit != 1.0 => format!("{metres_per_unit} m"),
        _ => "m".into(),
    }
}

/// What a `grid_mapping` variable says of a reference system: `grid_mapping_name` and its parameters. Empty where the conventions
/// have no name for it.
pub fn grid_mapping(crs: &Crs) -> Map<String, Value> {
    let about = match *crs {
        Crs::Geographic { radius_m } => json!({
            "grid_mapping_name": "latitude_longitude",
            "longitude_of_prime_meridian": 0.0,
            "earth_radius": radius_m,
        }),
        Crs::TransverseMercator { lon0_deg, lat0_deg, radius_m } => json!({
            "grid_mapping_name": "transverse_mercator",
            "longitude_of_central_meridian": lon0_deg,
            "latitude_of_projection_origin": lat0_deg,
            "scale_factor_at_central_meridian": 1.0,
            "false_easting": 0.0,
            "false_northing": 0.0,
            "longitude_of_prime_meridian": 0.0,
            "earth_radius": radius_m,
        }),
        Crs::WebMercator { radius_m } => json!({
            "grid_mapping_name": "mercator",
            "longitude_of_projection_origin": 0.0,
            "standard_parallel": 0.0,
            "false_easting": 0.0,
            "false_northing": 0.0,
            "longitude_of_prime_meridian": 0.0,
            "earth_radius": Crs::web_mercator_radius_m(radius_m),
        }),
        Crs::Metres | Crs::Foreign(_) => json!({}),
    };
    match about {
        Value::Object(about) => about,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_words_of_udunits() {
        let known = ["m", "m3/s", "degC", "mm/yr", "1"];
        for named in ["m", "m3/s", "deg C", "mm/yr", "1", "number", "class", "ESRI code", ""] {
            assert!(known.contains(&unit(named)), "{named} is {}", unit(named));
        }
    }

    #[test]
    fn a_sphere_keeps_its_own_radius() {
        let name = |crs: &Crs| grid_mapping(crs)["grid_mapping_name"].clone();
        let earth = Crs::Geographic { radius_m: 6_371_000.0 };
        assert_eq!(name(&earth), "latitude_longitude");
        assert_eq!(grid_mapping(&earth)["earth_radius"], 6_371_000.0);
        let near = Crs::TransverseMercator { lon0_deg: -3.5, lat0_deg: 41.0, radius_m: 3_389_500.0 };
        assert_eq!(name(&near), "transverse_mercator");
        assert_eq!(grid_mapping(&near)["longitude_of_central_meridian"], -3.5);
        assert_eq!(grid_mapping(&near)["latitude_of_projection_origin"], 41.0);
        // web maps of the Earth count in metres of its equator
        let web = Crs::WebMercator { radius_m: 6_371_000.0 };
        assert_eq!(
            (name(&web), &grid_mapping(&web)["earth_radius"]),
            ("mercator".into(), &json!(6_378_137.0))
        );
        assert!(grid_mapping(&Crs::Metres).is_empty());
    }
}
