//! A region's lines, points and areas as layers of a vector file.

use crate::river_layers::crs;
use anyhow::{Context, Result};
use archive::WorldView;
use formats::antimeridian::cut_polygon;
use formats::features::{FieldKind, Geometry, GeometryKind, Layer, Polygon, Value};
use grid::{Topology, math};
use region::vectors::{CrestLine, Piece, Place, RiverLine};
use region::{Lattice, VectorLayer, Vectors};
use world::{CellSource, Network};

/// What a row of a table holds.
type Row = Vec<Option<Value>>;

const RIVERS: [(&str, FieldKind); 16] = [
    ("reach", FieldKind::Int),
    ("downstream", FieldKind::Int),
    ("discharge_m3_s", FieldKind::Real),
    ("discharge_from_m3_s", FieldKind::Real),
    ("drainage_km2", FieldKind::Real),
    ("width_m", FieldKind::Real),
    ("depth_m", FieldKind::Real),
    ("order", FieldKind::Int),
    ("length_km", FieldKind::Real),
    ("surface_from_m", FieldKind::Real),
    ("surface_to_m", FieldKind::Real),
    ("bed_from_m", FieldKind::Real),
    ("bed_to_m", FieldKind::Real),
    ("basin", FieldKind::Int),
    ("river", FieldKind::Text),
    ("ends_in", FieldKind::Text),
];

const CRESTS: [(&str, FieldKind); 5] = [
    ("height_from_m", FieldKind::Real),
    ("height_to_m", FieldKind::Real),
    ("height_max_m", FieldKind::Real),
    ("length_km", FieldKind::Real),
    ("generation", FieldKind::Int),
];

const PEAKS: [(&str, FieldKind); 2] = [("height_m", FieldKind::Real), ("elevation_m", FieldKind::Real)];

const LAKES: [(&str, FieldKind); 5] = [
    ("lake", FieldKind::Int),
    ("level_m", FieldKind::Real),
    ("depth_max_m", FieldKind::Real),
    ("salt", FieldKind::Bool),
    ("area_km2", FieldKind::Real),
];

const BASINS: [(&str, FieldKind); 6] = [
    ("basin", FieldKind::Int),
    ("river", FieldKind::Text),
    ("ends_in", FieldKind::Text),
    ("discharge_m3_s", FieldKind::Real),
    ("drainage_km2", FieldKind::Real),
    ("area_km2", FieldKind::Real),
];

/// What turns features into rows: the world's own tables, read where a layer needs them.
pub struct Tables<'a> {
    grid: &'a Topology,
    lattice: &'a Lattice,
    network: Option<&'a Network>,
    /// For each lake of the world whether it has no outlet.
    salt: Vec<bool>,
}

impl<'a> Tables<'a> {
    /// Reads what the wanted layers need.
    pub fn read(view: &'a WorldView, lattice: &'a Lattice, wanted: &[VectorLayer]) -> Result<Self> {
        let named = wanted.iter().any(|l| matches!(l, VectorLayer::Rivers | VectorLayer::Basins));
        let network = if named { Some(view.network()?) } else { None };
        let salt = if wanted.contains(&VectorLayer::Lakes) { closed_lakes(view)? } else { Vec::new() };
        Ok(Self { grid: view.grid(), lattice, network, salt })
    }

    /// One of the layers.
    pub fn layer(&self, found: &Vectors, which: VectorLayer) -> Layer {
        match which {
            VectorLayer::Rivers => self.rivers(found),
            VectorLayer::Ridges => self.crests("ridges", &found.ridges),
            VectorLayer::Buttresses => self.crests("buttresses", &found.buttresses),
            VectorLayer::Peaks => self.peaks(found),
            VectorLayer::Lakes => self.lakes(found),
            VectorLayer::Basins => self.basins(found),
        }
    }

    fn rivers(&self, found: &Vectors) -> Layer {
        let mut layer = Layer::new("rivers", GeometryKind::Lines, crs(self.grid), &RIVERS);
        for (number, river) in (0u32..).zip(&found.rivers) {
            layer.push(Geometry::line(river.places.clone()), self.river(number, river));
        }
        layer
    }

    fn river(&self, number: u32, river: &RiverLine) -> Row {
        let ends = |values: &[f64]| [values.first(), values.last()].map(|v| v.map(|&v| v.into()));
        let mut row: Row = vec![
            Some(number.into()),
            river.downstream.map(Into::into),
            Some(river.discharge_m3_s.into()),
            Some(river.discharge_from_m3_s.into()),
            river.drainage_km2.map(Into::into),
            Some(river.width_m.into()),
            own_depth_m(river).map(Into::into),
            Some(river.order.into()),
            Some(self.length_km(&river.places).into()),
        ];
        row.extend(ends(&river.surface_m));
        row.extend(ends(&river.bed_m));
        row.push(river.basin.map(Into::into));
        row.extend(self.outlet(river.basin));
        row
    }

    /// Name of the river of a basin, and what it ends in.
    fn outlet(&self, basin: Option<u32>) -> [Option<Value>; 2] {
        let outlet = self.network.zip(basin).and_then(|(n, basin)| n.outlets.get(basin as usize));
        [outlet.map(|o| o.name.as_str().into()), outlet.map(|o| o.kind.name().into())]
    }

    fn crests(&self, name: &str, crests: &[CrestLine]) -> Layer {
        let mut layer = Layer::new(name, GeometryKind::Lines, crs(self.grid), &CRESTS);
        for crest in crests {
            let heights = &crest.height_m;
            let row = vec![
                heights.first().map(|&h| h.into()),
                heights.last().map(|&h| h.into()),
                heights.iter().copied().reduce(f64::max).map(Into::into),
                Some(self.length_km(&crest.places).into()),
                Some(crest.generation.into()),
            ];
            layer.push(Geometry::line(crest.places.clone()), row);
        }
        layer
    }

    fn peaks(&self, found: &Vectors) -> Layer {
        let mut layer = Layer::new("peaks", GeometryKind::Points, crs(self.grid), &PEAKS);
        for peak in &found.peaks {
            let row = vec![Some(peak.height_m.into()), peak.elevation_m.map(Into::into)];
            layer.push(Geometry::Point(peak.place), row);
        }
        layer
    }

    fn lakes(&self, found: &Vectors) -> Layer {
        let mut layer = Layer::new("lakes", GeometryKind::Polygons, crs(self.grid), &LAKES);
        for lake in &found.lakes {
            let salt = lake.lake.and_then(|number| self.salt.get(number as usize).copied());
            let row = vec![
                lake.lake.map(Into::into),
                Some(lake.level_m.into()),
                Some(lake.depth_m.into()),
                salt.map(Into::into),
            ];
            self.push_area(&mut layer, &lake.pieces, row);
        }
        layer
    }

    fn basins(&self, found: &Vectors) -> Layer {
        let mut layer = Layer::new("basins", GeometryKind::Polygons, crs(self.grid), &BASINS);
        for basin in &found.basins {
            let outlet = self.network.and_then(|n| n.outlets.get(basin.basin as usize));
            let mut row: Row = vec![Some(basin.basin.into())];
            row.extend(self.outlet(Some(basin.basin)));
            row.extend([outlet.map(|o| o.discharge_m3_s.into()), outlet.map(|o| o.drainage_km2.into())]);
            self.push_area(&mut layer, &basin.pieces, row);
        }
        layer
    }

    /// Adds an area, with its size as the last column; one of which nothing is left on the map is left out.
    fn push_area(&self, layer: &mut Layer, pieces: &[Piece], mut row: Row) {
        let polygons: Vec<Polygon> = pieces.iter().flat_map(|piece| self.polygons(piece)).collect();
        if !polygons.is_empty() {
            row.push(Some(self.area_km2(&polygons).into()));
            layer.push(Geometry::Polygons(polygons), row);
        }
    }

    /// A piece on the map; where the lattice is not one of longitudes it may lie over the antimeridian or a pole.
    fn polygons(&self, piece: &Piece) -> Vec<Polygon> {
        let whole = matches!(self.grid, Topology::Flat(_))
            || matches!(self.lattice, Lattice::LonLat { .. } | Lattice::WebMercator { .. });
        if whole {
            return vec![Polygon { outer: piece.outer.clone(), holes: piece.holes.clone() }];
        }
        let rings: Vec<Vec<Place>> = std::iter::once(&piece.outer).chain(&piece.holes).cloned().collect();
        cut_polygon(&rings)
    }

    fn area_km2(&self, polygons: &[Polygon]) -> f64 {
        let holes = |polygon: &Polygon| polygon.holes.iter().map(|ring| self.ring_km2(ring)).sum::<f64>();
        polygons.iter().map(|polygon| self.ring_km2(&polygon.outer) - holes(polygon)).sum()
    }

    /// What a closed ring holds. On a globe sides are lines of the equal-area cylinder: exact for meridians and parallels, and sides
    /// are short elsewhere (Chamberlain and Duquette 2007).
    fn ring_km2(&self, ring: &[Place]) -> f64 {
        let doubled = |pair: &[Place]| {
            let ([xa, ya], [xb, yb]) = (pair[0], pair[1]);
            match self.grid {
                Topology::Globe(globe) => {
                    let sines = math::sin(ya.to_radians()) + math::sin(yb.to_radians());
                    (xb - xa).to_radians() * sines * globe.radius_m() * globe.radius_m()
                }
                Topology::Flat(_) => (xb - xa) * (ya + yb),
            }
        };
        0.5e-6 * ring.windows(2).map(doubled).sum::<f64>().abs()
    }

    fn length_km(&self, line: &[Place]) -> f64 {
        let step = |pair: &[Place]| match self.grid {
            Topology::Globe(globe) => {
                let [a, b] = [pair[0], pair[1]].map(|[lon, lat]| math::from_lon_lat(lon, lat));
                math::angle(a, b) * globe.radius_m()
            }
            Topology::Flat(_) => {
                let [x, y] = [pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]];
                (x * x + y * y).sqrt()
            }
        };
        line.windows(2).map(step).sum::<f64>() / 1000.0
    }
}

/// Depth of a river's water where its line ends: it may end at a place of a deeper one, whose bed is not its own.
fn own_depth_m(river: &RiverLine) -> Option<f64> {
    let places = river.surface_m.iter().zip(&river.bed_m);
    places.rev().take(2).map(|(surface_m, bed_m)| surface_m - bed_m).reduce(f64::min)
}

/// Which lakes have no outlet, and are salt.
pub fn closed_lakes(view: &WorldView) -> Result<Vec<bool>> {
    let damaged = || format!("{}: the table of lakes does not fit the world", view.path().display());
    let lakes = view.file.table("lakes").with_context(damaged)?;
    Ok(lakes.u32s("closed").with_context(damaged)?.iter().map(|&closed| closed != 0).collect())
}
