//! What a whole world is drawn with: its rivers, names, ranges, faults and volcanoes.

use super::fields::reals;
use super::planet::Shown;
use anyhow::{Context, Result};
use grid::{Cell, Grid, Table, Vec3};
use region::river_lines::{RiverLines, coordinates, courses};
use serve::http::{
    Feature, LAST_SYMBOLS, Planet, Property, Shape, Theme, last_far_zoom, least_discharge_m3_s,
};
use std::collections::BTreeMap;
use world::CellSource;

/// Least distance of symbols on the page, in pixels.
const SYMBOL_PX: f64 = 12.0;
/// Least height of mountains that get a symbol, in metres.
const SYMBOL_M: f32 = 350.0;

/// The features of a theme.
pub fn features(shown: &Shown, theme: Theme) -> Result<Vec<Feature>> {
    match theme {
        Theme::Rivers => rivers(shown),
        Theme::Outlets => outlets(shown),
        Theme::Ranges => ranges(shown),
        Theme::Faults => faults(shown),
        Theme::Volcanoes => volcanoes(shown),
    }
}

/// The first zoom at which a river of a discharge is drawn.
fn from_zoom(discharge_m3_s: f64) -> u8 {
    (0..20).find(|&zoom| least_discharge_m3_s(zoom) <= discharge_m3_s).unwrap_or(20)
}

fn rivers(shown: &Shown) -> Result<Vec<Feature>> {
    let view = &shown.view;
    let network = view.network()?;
    let least = least_discharge_m3_s(last_far_zoom(shown.about()));
    let mut chosen: Vec<usize> =
        (0..network.reaches.len()).filter(|&k| network.reaches[k].discharge_m3_s >= least).collect();
    let q = |k: &usize| network.reaches[*k].discharge_m3_s;
    chosen.sort_by(|a, b| q(b).total_cmp(&q(a)));
    let courses = courses(view, network, &chosen)?;
    let cells: Vec<Cell> = courses.iter().flatten().copied().collect();
    let lines = RiverLines::new(view, &cells)?;
    let feature = |(&k, course): (&usize, &Vec<Cell>)| Feature {
        shape: Shape::Line(lines.line(course).0),
        from_zoom: from_zoom(q(&k)),
        properties: vec![
            ("q", Property::Number(q(&k).round())),
            ("order", Property::Number(network.reaches[k].order.into())),
        ],
    };
    Ok(chosen.iter().zip(&courses).map(feature).collect())
}

fn outlets(shown: &Shown) -> Result<Vec<Feature>> {
    let grid = shown.view.grid();
    let network = shown.view.network()?;
    // many rivers end in one salt lake or dry up on one plain: there only the great ones are named
    let is_shown = |o: &&world::Outlet| {
        let at_sea = !matches!(o.kind, world::OutletKind::Lake | world::OutletKind::Dry);
        !o.name.is_empty() && (at_sea || o.is_great)
    };
    let named = network.outlets.iter().filter(is_shown);
    let feature = |outlet: &world::Outlet| {
        let [x, y] = coordinates(grid, grid.center(outlet.cell));
        let mut properties = vec![
            ("name", Property::Text(outlet.name.clone())),
            ("q", Property::Number(outlet.discharge_m3_s.round())),
            ("kind", Property::Text(outlet.kind.name().into())),
        ];
        // a page that shows a ball asks how far a name is from the middle of its view
        if matches!(grid, grid::Topology::Globe(_)) {
            properties.extend([("lon", Property::Number(x)), ("lat", Property::Number(y))]);
        }
        Feature {
            shape: Shape::Point([x, y]),
            from_zoom: from_zoom(outlet.discharge_m3_s).saturating_add(1),
            properties,
        }
    };
    Ok(named.map(feature).collect())
}

/// The highest places of ranges, each as far from higher ones as a symbol needs on the page at some zoom.
fn ranges(shown: &Shown) -> Result<Vec<Feature>> {
    let grid = shown.view.grid();
    let layer = shown.fields.layer(&shown.view, "mountain_height")?;
    let height = reals(&layer)?;
    let is_top =
        |&c: &Cell| height[c] >= SYMBOL_M && grid.neighbors(c).all(|(_, n)| (height[n], n) < (height[c], c));
    let mut tops: Vec<Cell> = grid.cells().filter(is_top).collect();
    tops.sort_by(|a, b| height[*b].total_cmp(&height[*a]).then(a.cmp(b)));
    let mut zooms: BTreeMap<Cell, u8> = BTreeMap::new();
    for zoom in 0..=LAST_SYMBOLS {
        // on the page an Earth's equator has 256 pixels at zoom 0
        let apart_m =
            SYMBOL_PX / 256.0 / f64::from(1u32 << zoom) * std::f64::consts::TAU * grid.metres_per_unit();
        for cell in spread(&tops, apart_m, |c| grid.center(c) * grid.metres_per_unit()) {
            zooms.entry(cell).or_insert(zoom);
        }
    }
    let feature = |&cell: &Cell| Feature {
        shape: Shape::Point(coordinates(grid, grid.center(cell))),
        from_zoom: zooms.get(&cell).copied().unwrap_or(20),
        properties: vec![("height", Property::Number(f64::from(height[cell]).round()))],
    };
    Ok(tops.iter().filter(|c| zooms.contains_key(c)).map(feature).collect())
}

/// Those of some cells, in order, that are not closer to one before them than a distance.
fn spread(cells: &[Cell], apart_m: f64, place: impl Fn(Cell) -> Vec3) -> Vec<Cell> {
    let block = |p: Vec3| [p.x, p.y, p.z].map(|v| (v / apart_m).floor() as i64);
    let mut kept: BTreeMap<[i64; 3], Vec<Vec3>> = BTreeMap::new();
    let mut chosen = Vec::new();
    for &cell in cells {
        let p = place(cell);
        let [i, j, k] = block(p);
        let around = (0..27).map(|n| [i + n % 3 - 1, j + n / 3 % 3 - 1, k + n / 9 - 1]);
        let is_close = around.filter_map(|b| kept.get(&b)).flatten().any(|q| q.distance(p) < apart_m);
        if !is_close {
            kept.entry([i, j, k]).or_default().push(p);
            chosen.push(cell);
        }
    }
    chosen
}

fn table(shown: &Shown, name: &str) -> Result<Table> {
    shown.view.file.table(name).with_context(|| shown.view.path().display().to_string())
}

/// The places in three columns of a table, in degrees, or metres of a flat map.
fn places(shown: &Shown, table: &Table) -> Result<Vec<[f64; 2]>> {
    let column = |name| table.f64s(name).context("a table has no coordinates");
    let (x, y, z) = (column("x")?, column("y")?, column("z")?);
    let grid = shown.view.grid();
    let at = |i: usize| coordinates(grid, Vec3::new(x[i], y[i], z[i]) / grid.metres_per_unit());
    Ok((0..table.rows()).map(at).collect())
}

fn faults(shown: &Shown) -> Result<Vec<Feature>> {
    let table_of = table(shown, "faults")?;
    let points = places(shown, &table(shown, "fault_points")?)?;
    let counts = table_of.u32s("points").context("the table of faults has no counts")?;
    let kinds = table_of.texts("kind").context("the table of faults has no kinds")?;
    let mut start = 0;
    let mut features = Vec::new();
    for (&count, kind) in counts.iter().zip(kinds) {
        let end = (start + count as usize).min(points.len());
        features.push(Feature {
            shape: Shape::Line(points[start..end].to_vec()),
            from_zoom: 0,
            properties: vec![("kind", Property::Text(kind.clone()))],
        });
        start = end;
    }
    Ok(features)
}

fn volcanoes(shown: &Shown) -> Result<Vec<Feature>> {
    // worlds without volcanoes have no such table
    if !shown.view.file.tables().iter().any(|t| t.name == "volcanoes") {
        return Ok(Vec::new());
    }
    let table = table(shown, "volcanoes")?;
    let heights = table.f64s("height");
    let feature = |(i, place): (usize, [f64; 2])| Feature {
        shape: Shape::Point(place),
        from_zoom: 2,
        properties: heights
            .and_then(|h| h.get(i))
            .map(|h| vec![("height", Property::Number(h.round()))])
            .unwrap_or_default(),
    };
    Ok(places(shown, &table)?.into_iter().enumerate().map(feature).collect())
}
