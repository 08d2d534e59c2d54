//! What other programs call a coordinate reference system: its EPSG code, or its definition as well-known text
//! (OGC 01-009, WKT 1, which everything reads).

use crate::Crs;

/// A reference system for a file that has a place for codes and definitions.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// A name for people.
    pub name: String,
    /// Its code in the registry of EPSG, if it has one.
    pub epsg: Option<i32>,
    /// Its definition, where it is ours to give.
    pub wkt: Option<String>,
}

/// The longitudes and latitudes of Earth.
pub const WGS84_WKT: &str = "GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",\
    SPHEROID[\"WGS 84\",6378137,298.257223563,AUTHORITY[\"EPSG\",\"7030\"]],AUTHORITY[\"EPSG\",\"6326\"]],\
    PRIMEM[\"Greenwich\",0,AUTHORITY[\"EPSG\",\"8901\"]],\
    UNIT[\"degree\",0.0174532925199433,AUTHORITY[\"EPSG\",\"9122\"]],AUTHORITY[\"EPSG\",\"4326\"]]";

impl Reference {
    /// What a reference system is called elsewhere.
    pub fn of(crs: &Crs) -> Self {
        let name = crs.describe();
        match *crs {
            Crs::Geographic { .. } if crs.is_wgs84() => {
                Self { name: "WGS 84".into(), epsg: Some(4326), wkt: Some(WGS84_WKT.into()) }
            }
            Crs::Geographic { radius_m } => Self { name, epsg: None, wkt: Some(sphere_wkt(radius_m)) },
            Crs::TransverseMercator { lon0_deg, lat0_deg, radius_m } => {
                let wkt = Some(transverse_mercator_wkt(lon0_deg, lat0_deg, radius_m));
                Self { name, epsg: None, wkt }
            }
            Crs::WebMercator { radius_m } => {
                let epsg = crs.epsg().map(i32::from);
                Self { name, epsg, wkt: Some(web_mercator_wkt(radius_m, epsg)) }
            }
            Crs::Metres => Self { name, epsg: None, wkt: None },
            Crs::Foreign(ref foreign) => match foreign.ours() {
                Some(crs) => Self::of(&crs),
                None => Self { name, epsg: foreign.epsg().map(i32::from), wkt: None },
            },
        }
    }

    /// Whether it is told by a code or a definition.
    pub fn is_known(&self) -> bool {
        self.epsg.is_some() || self.wkt.is_some()
    }
}

/// Whether coordinates are longitudes and latitudes in degrees.
pub(crate) fn in_degrees(crs: &Crs) -> bool {
    crs.is_geographic()
}

fn sphere_wkt(radius_m: f64) -> String {
    let name = format!("Sphere of {radius_m} m");
    format!(
        "GEOGCS[\"{name}\",DATUM[\"{name}\",SPHEROID[\"{name}\",{radius_m},0]],PRIMEM[\"Greenwich\",0],\
         UNIT[\"degree\",0.0174532925199433]]"
    )
}

/// The definition by ISO 19162 (WKT 2) of those systems of ours that have no code.
pub(crate) fn wkt2(crs: &Crs) -> Option<String> {
    let datum = |radius_m: f64| {
        let name = format!("Sphere of {radius_m} m");
        format!("\"{name}\",DATUM[\"{name}\",ELLIPSOID[\"{name}\",{radius_m},0,LENGTHUNIT[\"metre\",1]]]")
    };
    const DEGREE: &str = "ANGLEUNIT[\"degree\",0.0174532925199433]";
    match *crs {
        Crs::Geographic { radius_m } => Some(format!(
            "GEOGCRS[{},CS[ellipsoidal,2],AXIS[\"longitude\",east],AXIS[\"latitude\",north],{DEGREE}]",
            datum(radius_m)
        )),
        Crs::TransverseMercator { lon0_deg, lat0_deg, radius_m } => Some(format!(
            "PROJCRS[\"{}\",BASEGEOGCRS[{}],CONVERSION[\"Transverse Mercator\",METHOD[\"Transverse Mercator\"],\
             PARAMETER[\"Latitude of natural origin\",{lat0_deg},{DEGREE}],\
             PARAMETER[\"Longitude of natural origin\",{lon0_deg},{DEGREE}],\
             PARAMETER[\"Scale factor at natural origin\",1,SCALEUNIT[\"unity\",1]],\
             PARAMETER[\"False easting\",0,LENGTHUNIT[\"metre\",1]],\
             PARAMETER[\"False northing\",0,LENGTHUNIT[\"metre\",1]]],\
             CS[Cartesian,2],AXIS[\"easting\",east],AXIS[\"northing\",north],LENGTHUNIT[\"metre\",1]]",
            crs.describe(),
            datum(radius_m)
        )),
        Crs::Foreign(ref foreign) => foreign.ours().and_then(|crs| wkt2(&crs)),
        Crs::WebMercator { .. } | Crs::Metres => None,
    }
}

fn web_mercator_wkt(radius_m: f64, epsg: Option<i32>) -> String {
    let plane = "PROJECTION[\"Mercator_1SP\"],PARAMETER[\"central_meridian\",0],PARAMETER[\"scale_factor\",1],\
         PARAMETER[\"false_easting\",0],PARAMETER[\"false_northing\",0],UNIT[\"metre\",1]";
    match epsg {
        Some(code) => format!(
            "PROJCS[\"WGS 84 / Pseudo-Mercator\",{WGS84_WKT},{plane},EXTENSION[\"PROJ4\",\"+proj=merc +a=6378137 \
             +b=6378137 +lat_ts=0 +lon_0=0 +x_0=0 +y_0=0 +k=1 +units=m +nadgrids=@null +wktext +no_defs\"],\
             AUTHORITY[\"EPSG\",\"{code}\"]]"
        ),
        None => format!("PROJCS[\"Mercator\",{},{plane}]", sphere_wkt(radius_m)),
    }
}

fn transverse_mercator_wkt(lon0_deg: f64, lat0_deg: f64, radius_m: f64) -> String {
    format!(
        "PROJCS[\"Transverse Mercator at {lon0_deg}, {lat0_deg}\",{},PROJECTION[\"Transverse_Mercator\"],\
         PARAMETER[\"latitude_of_origin\",{lat0_deg}],PARAMETER[\"central_meridian\",{lon0_deg}],\
         PARAMETER[\"scale_factor\",1],PARAMETER[\"false_easting\",0],PARAMETER[\"false_northing\",0],\
         UNIT[\"metre\",1]]",
        sphere_wkt(radius_m)
    )
}
