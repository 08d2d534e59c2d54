//! Points, lines and areas with a table of attributes, and one function that writes them to any vector format.
//!
//! A [`Layer`] is a table: its fields have names and types, each [`Feature`] has a geometry and a value (or none)
//! for each field. Which file is written is said by its ending ([`VectorFormat`]): GeoJSON and FlatGeobuf hold one
//! layer, a GeoPackage any number.
//!
//! Geometry is the same in all formats: lines are cut where they cross the antimeridian, rings are closed, outer
//! rings run counterclockwise and holes clockwise. Areas over the antimeridian must have been cut before
//! ([`crate::antimeridian::cut_polygon`]), for only who made them knows which way round their sides go.
//!
//! ```
//! use formats::features::{FieldKind, Geometry, GeometryKind, Layer, Value, write};
//! use formats::Crs;
//!
//! let fields = [("name", FieldKind::Text), ("discharge_m3_s", FieldKind::Real)];
//! let mut rivers = Layer::new("rivers", GeometryKind::Lines, Crs::Metres, &fields);
//! let course = Geometry::line(vec![[0.0, 0.0], [500.0, 300.0], [900.0, 300.0]]);
//! rivers.push(course, vec![Some("Isar".into()), Some(174.0.into())]);
//! let dir = tempfile::tempdir()?;
//! write(&dir.path().join("rivers.fgb"), &[&rivers])?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::borrow::Cow;
use std::path::Path;

use crate::antimeridian::split_line;
use crate::reference::in_degrees;
use crate::{Cause, Crs, Error, flatgeobuf, geojson, geopackage};

/// A place: degrees east and north, or metres (or another unit of the reference system) east and north.
pub type Position = [f64; 2];

/// A closed line: the last place is the first again. Writers close those that are not.
pub type Ring = Vec<Position>;

/// An area in one piece.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygon {
    /// Its outline.
    pub outer: Ring,
    /// What is missing inside.
    pub holes: Vec<Ring>,
}

/// Where a feature lies.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// A place.
    Point(Position),
    /// One line or several, each of at least two places.
    Lines(Vec<Vec<Position>>),
    /// One area or several.
    Polygons(Vec<Polygon>),
}

/// What all features of a layer are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeometryKind {
    /// Places.
    Points,
    /// Lines.
    Lines,
    /// Areas.
    Polygons,
}

/// What all values of a field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Whole numbers of 64 bits.
    Int,
    /// Real numbers.
    Real,
    /// Text.
    Text,
    /// Yes or no.
    Bool,
}

/// A value of a field. A real number that is not finite is written as no value at all.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// A real number.
    Real(f64),
    /// Text.
    Text(String),
    /// Yes or no.
    Bool(bool),
}

/// A column of a layer's table.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name, with the unit if it has one: `length_km`.
    pub name: String,
    /// What its values are.
    pub kind: FieldKind,
}

/// A row of a layer's table.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// Where it is.
    pub geometry: Geometry,
    /// A value, or none, for each field of the layer.
    pub values: Vec<Option<Value>>,
}

/// Features of one kind with the same fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Its name: `rivers`.
    pub name: String,
    /// What its features are.
    pub kind: GeometryKind,
    /// What its coordinates mean.
    pub crs: Crs,
    /// The columns of its table.
    pub fields: Vec<Field>,
    /// The rows of its table.
    pub features: Vec<Feature>,
}

/// A file format for features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorFormat {
    /// RFC 7946: text, one layer. Ends in `.geojson` or `.json`.
    GeoJson,
    /// Binary with a spatial index, one layer. Ends in `.fgb`.
    FlatGeobuf,
    /// An SQLite database, any number of layers. Ends in `.gpkg`.
    GeoPackage,
}

impl VectorFormat {
    /// The endings of all formats, as a message shows them.
    pub const ENDINGS: &'static str = ".geojson, .json, .fgb or .gpkg";

    /// The format that a file's ending names, in upper or lower case.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_lowercase().as_str() {
            "geojson" | "json" => Some(Self::GeoJson),
            "fgb" => Some(Self::FlatGeobuf),
            "gpkg" => Some(Self::GeoPackage),
            _ => None,
        }
    }

    /// Whether one file holds several layers.
    pub fn holds_several(self) -> bool {
        self == Self::GeoPackage
    }

    /// Whether this build writes the format: GeoPackages need the feature `gpkg`.
    pub fn is_available(self) -> bool {
        self != Self::GeoPackage || cfg!(feature = "gpkg")
    }
}

/// Writes layers to a file of the format that its ending says; the file appears whole or not at all.
///
/// A layer without features is written as one without features.
///
/// # Errors
/// [`Error::Write`]: an ending of no format, not exactly one layer for a format that holds one, a layer that
/// contradicts itself ([`Layer::check`]), the disk.
pub fn write(path: &Path, layers: &[&Layer]) -> Result<(), Error> {
    let refused = |cause: Cause| Error::Write { path: path.into(), cause };
    let Some(format) = VectorFormat::of(path) else {
        return Err(refused(format!("the name must end in {}", VectorFormat::ENDINGS).into()));
    };
    layers.iter().try_for_each(|layer| layer.check()).map_err(refused)?;
    match (format, layers) {
        (VectorFormat::GeoPackage, _) => geopackage::write(path, layers),
        (VectorFormat::GeoJson, [layer]) => geojson::write(path, layer),
        (VectorFormat::FlatGeobuf, [layer]) => flatgeobuf::write(path, layer),
        (_, _) => Err(refused(format!("it would hold one layer, not {}", layers.len()).into())),
    }
}

impl Layer {
    /// A layer without features.
    pub fn new(name: &str, kind: GeometryKind, crs: Crs, fields: &[(&str, FieldKind)]) -> Self {
        let field = |&(name, kind): &(&str, FieldKind)| Field { name: name.into(), kind };
        Self {
            name: name.into(),
            kind,
            crs,
            fields: fields.iter().map(field).collect(),
            features: Vec::new(),
        }
    }

    /// Puts all features to other places, in another reference system.
    pub fn place(&mut self, crs: Crs, place: impl Fn(Position) -> Position) {
        self.crs = crs;
        let along = |line: &mut Vec<Position>| line.iter_mut().for_each(|at| *at = place(*at));
        for feature in &mut self.features {
            match &mut feature.geometry {
                Geometry::Point(at) => *at = place(*at),
                Geometry::Lines(lines) => lines.iter_mut().for_each(along),
                Geometry::Polygons(all) => {
                    for polygon in all {
                        along(&mut polygon.outer);
                        polygon.holes.iter_mut().for_each(along);
                    }
                }
            }
        }
    }

    /// Adds a feature, with a value or none for each field.
    pub fn push(&mut self, geometry: Geometry, values: Vec<Option<Value>>) {
        self.features.push(Feature { geometry, values });
    }

    /// Whether names can be told apart and every feature fits the layer's kind and fields.
    ///
    /// # Errors
    /// What is wrong, with the feature's number.
    pub fn check(&self) -> Result<(), Cause> {
        self.check_names()?;
        for (i, feature) in self.features.iter().enumerate() {
            let wrong = |what: String| Cause::from(format!("feature {i} of layer {:?}: {what}", self.name));
            feature.geometry.check(self.kind).map_err(wrong)?;
            self.check_values(&feature.values).map_err(wrong)?;
        }
        Ok(())
    }

    /// Names are compared as SQLite does, in any case; `fid` and `geom` are columns of every GeoPackage.
    fn check_names(&self) -> Result<(), Cause> {
        if self.name.is_empty() || self.name.contains('\0') {
            return Err(format!("{:?} is no name for a layer", self.name).into());
        }
        let mut seen = vec!["fid".to_string(), "geom".to_string()];
        for field in &self.fields {
            let name = field.name.to_lowercase();
            if name.is_empty() || name.contains('\0') || seen.contains(&name) {
                let taken = "it is empty or taken";
                return Err(
                    format!("{:?} is no name for a field of {:?}: {taken}", field.name, self.name).into()
                );
            }
            seen.push(name);
        }
        Ok(())
    }

    fn check_values(&self, values: &[Option<Value>]) -> Result<(), String> {
        if values.len() != self.fields.len() {
            return Err(format!("{} values for {} fields", values.len(), self.fields.len()));
        }
        for (field, value) in self.fields.iter().zip(values) {
            if let Some(value) = value.as_ref().filter(|v| v.kind() != field.kind) {
                return Err(format!("{value:?} in field {:?}, which holds {:?}", field.name, field.kind));
            }
        }
        Ok(())
    }

    /// The least box around all features, or none: west, south, east, north.
    #[cfg(feature = "gpkg")]
    pub(crate) fn bounds(&self) -> Option<[f64; 4]> {
        self.features.iter().filter_map(|f| f.geometry.placed(&self.crs).bounds()).reduce(joined)
    }
}

impl Feature {
    /// The values that are to be written, each with its field.
    pub(crate) fn written<'a>(
        &'a self,
        fields: &'a [Field],
    ) -> impl Iterator<Item = (&'a Field, Option<&'a Value>)> {
        let is_written = |v: &&Value| !matches!(v, Value::Real(x) if !x.is_finite());
        fields.iter().zip(self.values.iter().map(move |v| v.as_ref().filter(is_written)))
    }
}

impl Geometry {
    /// One line.
    pub fn line(places: Vec<Position>) -> Self {
        Self::Lines(vec![places])
    }

    /// What it is.
    pub fn kind(&self) -> GeometryKind {
        match self {
            Self::Point(_) => GeometryKind::Points,
            Self::Lines(_) => GeometryKind::Lines,
            Self::Polygons(_) => GeometryKind::Polygons,
        }
    }

    fn places(&self) -> Box<dyn Iterator<Item = &Position> + '_> {
        match self {
            Self::Point(p) => Box::new(std::iter::once(p)),
            Self::Lines(lines) => Box::new(lines.iter().flatten()),
            Self::Polygons(areas) => Box::new(areas.iter().flat_map(Polygon::rings).flatten()),
        }
    }

    fn check(&self, kind: GeometryKind) -> Result<(), String> {
        if self.kind() != kind {
            return Err(format!("{:?} in a layer of {kind:?}", self.kind()));
        }
        if let Some([x, y]) = self.places().find(|p| !(p[0].is_finite() && p[1].is_finite())) {
            return Err(format!("it has a place ({x}, {y}): coordinates must be finite"));
        }
        match self {
            Self::Point(_) => Ok(()),
            Self::Lines(lines) => match lines.iter().find(|line| line.len() < 2) {
                Some(line) => Err(format!("a line of {} places: a line has at least 2", line.len())),
                None if lines.is_empty() => Err("it has no line".into()),
                None => Ok(()),
            },
            Self::Polygons(areas) if areas.is_empty() => Err("it has no area".into()),
            Self::Polygons(areas) => match areas.iter().flat_map(Polygon::rings).find(|r| corners(r) < 3) {
                Some(ring) => Err(format!("a ring of {} corners: a ring has at least 3", corners(ring))),
                None => Ok(()),
            },
        }
    }

    /// The geometry as it is written: lines cut at the antimeridian of a globe, rings closed and turned.
    pub(crate) fn placed(&self, crs: &Crs) -> Cow<'_, Self> {
        match self {
            Self::Lines(lines) if in_degrees(crs) => {
                Cow::Owned(Self::Lines(lines.iter().flat_map(|line| split_line(line)).collect()))
            }
            Self::Polygons(areas) if !areas.iter().all(Polygon::is_in_order) => {
                Cow::Owned(Self::Polygons(areas.iter().map(Polygon::in_order).collect()))
            }
            _ => Cow::Borrowed(self),
        }
    }

    /// The least box around it: west, south, east, north.
    #[cfg(feature = "gpkg")]
    pub(crate) fn bounds(&self) -> Option<[f64; 4]> {
        self.places().map(|&[x, y]| [x, y, x, y]).reduce(joined)
    }
}

#[cfg(feature = "gpkg")]
fn joined(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

/// Places of a ring without the closing one.
fn corners(ring: &[Position]) -> usize {
    ring.len() - usize::from(ring.len() > 1 && ring.first() == ring.last())
}

/// Twice the area within a ring, positive if it runs counterclockwise (the shoelace formula).
pub fn twice_area(ring: &[Position]) -> f64 {
    let Some(&[x0, y0]) = ring.first() else { return 0.0 };
    let next = ring.iter().skip(1).chain(ring.first());
    // seen from the first corner, so that far-off coordinates lose no digits
    let cross = |(a, b): (&Position, &Position)| (a[0] - x0) * (b[1] - y0) - (b[0] - x0) * (a[1] - y0);
    ring.iter().zip(next).map(cross).sum()
}

impl Polygon {
    /// An area without holes.
    pub fn new(outer: Ring) -> Self {
        Self { outer, holes: Vec::new() }
    }

    /// Its outline, then its holes.
    pub fn rings(&self) -> impl Iterator<Item = &Ring> {
        std::iter::once(&self.outer).chain(&self.holes)
    }

    /// Whether all rings are closed, and turn as they must.
    fn is_in_order(&self) -> bool {
        let closed = self.rings().all(|r| r.first() == r.last());
        closed && twice_area(&self.outer) >= 0.0 && self.holes.iter().all(|h| twice_area(h) <= 0.0)
    }

    fn in_order(&self) -> Self {
        Self {
            outer: turned(&self.outer, false),
            holes: self.holes.iter().map(|hole| turned(hole, true)).collect(),
        }
    }
}

/// A ring, closed, that runs this way round.
fn turned(ring: &Ring, clockwise: bool) -> Ring {
    let mut ring = ring.clone();
    if ring.first() != ring.last() {
        ring.extend(ring.first().copied());
    }
    if (twice_area(&ring) < 0.0) != clockwise {
        ring.reverse();
    }
    ring
}

impl Value {
    /// What it is.
    pub fn kind(&self) -> FieldKind {
        match self {
            Self::Int(_) => FieldKind::Int,
            Self::Real(_) => FieldKind::Real,
            Self::Text(_) => FieldKind::Text,
            Self::Bool(_) => FieldKind::Bool,
        }
    }
}

macro_rules! from {
    ($($type:ty => $value:expr),*) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                $value(value.into())
            }
        }
    )*};
}

from!(i64 => Value::Int, u32 => Value::Int, u8 => Value::Int, f64 => Value::Real, f32 => Value::Real,
    bool => Value::Bool, &str => Value::Text, String => Value::Text);
