//! Rivers, basins and outlets of a world as layers of features.

use crate::basins::{Basins, NO_BASIN};
use crate::output::advance;
use anyhow::Result;
use archive::WorldView;
use export::Home;
use formats::Crs;
use formats::antimeridian::cut_polygon;
use formats::features::{FieldKind, Geometry, GeometryKind, Layer, Polygon, Ring, Value};
use grid::{Cell, Grid, Topology, Vertex};
use indicatif::ProgressBar;
use region::river_lines::{RiverLines, coordinates, courses};
use std::collections::BTreeMap;
use std::path::Path;
use world::{CellSource, Network};

/// What the coordinates of a world's features mean.
pub fn crs(grid: &Topology) -> Crs {
    match grid {
        Topology::Globe(globe) => Crs::Geographic { radius_m: globe.radius_m() },
        Topology::Flat(_) => Crs::Metres,
    }
}

/// Writes layers of a world, where it lies: an imported map in its raster's own reference system.
pub fn write_layers(path: &Path, mut layers: Vec<Layer>, view: &WorldView) -> Result<Vec<Layer>> {
    if let Some(home) = Home::of(view) {
        layers.iter_mut().for_each(|layer| layer.place(home.crs().clone(), |at| home.position(at)));
    }
    formats::features::write(path, &layers.iter().collect::<Vec<_>>())?;
    Ok(layers)
}

/// What is written of a reach.
const REACH: [(&str, FieldKind); 11] = [
    ("reach", FieldKind::Int),
    ("downstream", FieldKind::Int),
    ("order", FieldKind::Int),
    ("discharge_m3_s", FieldKind::Real),
    ("drainage_km2", FieldKind::Real),
    ("length_km", FieldKind::Real),
    ("width_m", FieldKind::Real),
    ("sinuosity", FieldKind::Real),
    ("basin", FieldKind::Int),
    ("river", FieldKind::Text),
    ("ends_in", FieldKind::Text),
];

/// Reaches that are drawn between two steps of the progress bar.
const BATCH: usize = 500;

/// A line for each chosen reach.
pub fn rivers(view: &WorldView, network: &Network, chosen: &[usize], bar: &ProgressBar) -> Result<Layer> {
    let mut layer = Layer::new("rivers", GeometryKind::Lines, crs(view.grid()), &REACH);
    for (done, batch) in chosen.chunks(BATCH).enumerate() {
        advance(bar, (done * BATCH) as f64 / chosen.len() as f64);
        add_lines(&mut layer, view, network, batch)?;
    }
    Ok(layer)
}

fn add_lines(layer: &mut Layer, view: &WorldView, network: &Network, chosen: &[usize]) -> Result<()> {
    let courses = courses(view, network, chosen)?;
    let cells: Vec<Cell> = courses.iter().flatten().copied().collect();
    let lines = RiverLines::new(view, &cells)?;
    for (&k, course) in chosen.iter().zip(&courses) {
        let (line, length_m) = lines.line(course);
        if line.len() < 2 {
            continue;
        }
        let reach = &network.reaches[k];
        let outlet = &network.outlets[reach.basin as usize];
        let values = vec![
            Some((k as i64).into()),
            reach.downstream.map(Into::into),
            Some(reach.order.into()),
            Some(reach.discharge_m3_s.into()),
            Some(reach.drainage_km2.into()),
            Some((length_m / 1000.0).into()),
            Some(reach.width_m.into()),
            Some(reach.sinuosity.into()),
            Some(reach.basin.into()),
            Some(outlet.name.as_str().into()),
            Some(outlet.kind.name().into()),
        ];
        layer.push(Geometry::line(line), values);
    }
    Ok(())
}

/// A place for each chosen outlet.
pub fn outlets(grid: &Topology, network: &Network, chosen: &[u32]) -> Layer {
    let fields = [
        ("basin", FieldKind::Int),
        ("river", FieldKind::Text),
        ("ends_in", FieldKind::Text),
        ("discharge_m3_s", FieldKind::Real),
        ("drainage_km2", FieldKind::Real),
        ("length_km", FieldKind::Real),
        ("sediment_kg_s", FieldKind::Real),
        ("tide_m", FieldKind::Real),
        ("great", FieldKind::Bool),
    ];
    let mut layer = Layer::new("outlets", GeometryKind::Points, crs(grid), &fields);
    for &k in chosen {
        let outlet = &network.outlets[k as usize];
        let values = vec![
            Some(k.into()),
            Some(outlet.name.as_str().into()),
            Some(outlet.kind.name().into()),
            Some(outlet.discharge_m3_s.into()),
            Some(outlet.drainage_km2.into()),
            Some((outlet.length_m / 1000.0).into()),
            Some(outlet.sediment_kg_s.into()),
            Some(outlet.tide_m.into()),
            Some(outlet.is_great.into()),
        ];
        layer.push(Geometry::Point(coordinates(grid, grid.center(outlet.cell))), values);
    }
    layer
}

/// What is written of a basin.
const BASIN: [(&str, FieldKind); 13] = [
    ("basin", FieldKind::Int),
    ("river", FieldKind::Text),
    ("ends_in", FieldKind::Text),
    ("area_km2", FieldKind::Real),
    ("length_km", FieldKind::Real),
    ("longest_km", FieldKind::Real),
    ("discharge_m3_s", FieldKind::Real),
    ("runoff_mm", FieldKind::Real),
    ("mean_height_m", FieldKind::Real),
    ("relief_m", FieldKind::Real),
    ("hypsometric_integral", FieldKind::Real),
    ("reaches", FieldKind::Int),
    ("order", FieldKind::Int),
];

/// The areas of the chosen basins, along the sides of cells.
pub fn basins(grid: &Topology, network: &Network, basins: &Basins, chosen: &[u32]) -> Layer {
    let mut areas = areas(grid, basins, chosen);
    let mut layer = Layer::new("basins", GeometryKind::Polygons, crs(grid), &BASIN);
    for &k in chosen {
        let (outlet, basin) = (&network.outlets[k as usize], &basins.all[k as usize]);
        let values: Vec<Option<Value>> = vec![
            Some(k.into()),
            Some(outlet.name.as_str().into()),
            Some(outlet.kind.name().into()),
            Some(basin.area_km2.into()),
            Some((outlet.length_m / 1000.0).into()),
            Some(basin.longest_km.into()),
            Some(outlet.discharge_m3_s.into()),
            Some(basin.runoff_mm.into()),
            Some(basin.mean_height_m.into()),
            Some(basin.relief_m.into()),
            basin.hypsometric_integral.map(Into::into),
            Some((basin.reaches as i64).into()),
            Some(basin.order.into()),
        ];
        // an outlet's own cell is in its basin, so there is an area
        layer.push(Geometry::Polygons(areas.remove(&k).unwrap_or_default()), values);
    }
    layer
}

/// The areas of some basins by number; on a globe cut at the antimeridian, with a pole drawn out to a side of the map.
pub fn areas(grid: &Topology, basins: &Basins, chosen: &[u32]) -> BTreeMap<u32, Vec<Polygon>> {
    let mut is_chosen = vec![false; basins.all.len()];
    chosen.iter().for_each(|&k| is_chosen[k as usize] = true);
    let of_chosen = |&k: &u32| if is_chosen.get(k as usize) == Some(&true) { k } else { NO_BASIN };
    let labels = basins.of_cell.map(of_chosen);
    let mut areas: BTreeMap<u32, Vec<Polygon>> = BTreeMap::new();
    match grid {
        Topology::Globe(globe) => {
            let place = |&vertex: &Vertex| coordinates(grid, globe.vertex_position(vertex));
            for patch in hydro::patches(globe, &labels, NO_BASIN) {
                let rings: Vec<Ring> =
                    patch.rings.iter().map(|ring| ring.iter().map(place).collect()).collect();
                areas.entry(patch.label).or_default().extend(cut_polygon(&rings));
            }
        }
        Topology::Flat(flat) => {
            let place = |&[col, row]: &[u32; 2]| {
                let place = flat.within(Cell(0), f64::from(col), f64::from(row));
                [place.x, place.y]
            };
            let ring = |corners: &Vec<[u32; 2]>| corners.iter().map(place).collect::<Ring>();
            for outline in hydro::outlines(&labels, NO_BASIN) {
                let part = |part: &hydro::Part| Polygon {
                    outer: ring(&part.outer),
                    holes: part.holes.iter().map(ring).collect(),
                };
                areas.insert(outline.label, outline.parts.iter().map(part).collect());
            }
        }
    }
    areas
}
