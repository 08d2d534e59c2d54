//! A region as a map to print.

use super::place::Place;
use crate::args;
use crate::named::Map;
use crate::output::{misuse, numbers};
use crate::picture;
use crate::print::{self, Printing};
use anyhow::Result;
use archive::{ENGINE, WorldView};
use grid::{Topology, math};
use region::{Cache, Lattice, Region, Sampled, Vectors};
use serve::draw::{ReliefInput, Style, relief};
use serve::ground::Ground;
use serve::print::{
    Land, Layout, Print, River, Sign, Weather, compose, key_of_relief, place_in_words, summits_wanted,
};
use std::f64::consts::PI;
use std::path::Path;
use world::CellSource;

/// Where what is asked for is a map to print, the distance between samples in metres that the paper asks for; none where it
/// cannot be known, as of a polygon.
pub fn resolution(map: &Map, args: &args::Region) -> Result<Option<f64>> {
    let printing = &args.printing;
    let samples = |shape: f64| Layout::of(printing.paper(), shape).samples(printing.per_inch());
    if let (Some(_), Some(span)) = (&args.at, &args.span) {
        let km = match span.split(',').count() {
            1 => numbers::<1>("--span", span, "KM or KM,KM").map(|[side]| [side, side])?,
            _ => numbers::<2>("--span", span, "KM or KM,KM")?,
        };
        if km.iter().any(|&v| !(v > 0.0 && v.is_finite())) {
            return Err(misuse(format!("--span {span}: expected km above 0")));
        }
        return Ok(Some(km[0] * 1000.0 / samples(km[0] / km[1])[0]));
    }
    let Some(text) = &args.bbox else { return Ok(None) };
    let [west, south, east, north] = map.bounds("--bbox", text)?;
    let (width, height) = (if east < west { east - west + 360.0 } else { east - west }, north - south);
    let (narrowing, metres) = match map.grid {
        Topology::Globe(globe) => {
            let middle = (0.5 * (south + north)).clamp(-89.0, 89.0).to_radians();
            (if width > 180.0 { 1.0 } else { math::cos(middle) }, PI * globe.radius_m() / 180.0)
        }
        Topology::Flat(_) => (1.0, 1.0),
    };
    // as many samples as the paper has, though they are closer together along a parallel
    let [across, down] = samples(width * narrowing / height);
    Ok(Some((width * height / (across * down)).sqrt() * metres))
}

/// Refuses places that no paper has a north for.
pub fn check(args: &args::Region, path: &Path) -> Result<()> {
    if args.cell.is_some() || args.cell_at.is_some() {
        let why = "a cell lies as its face of the cube does, not north up; print a --bbox or --at";
        return Err(misuse(format!("{}: {why}", path.display())));
    }
    Ok(())
}

/// Puts the map together, and writes it to each of the files.
pub fn write(
    (region, found): (&Region, &Vectors),
    (view, place): (&WorldView, &Place),
    style: Style,
    (paths, printing): (&[&Path], &Printing),
) -> Result<()> {
    let rivers: Vec<River> = found.rivers.iter().map(river).collect();
    let land = Land::of(region)?;
    let ground = picture::ground(region)?;
    let salt = picture::salt(region, &ground, view)?;
    let ground = Ground { fresh_m: land.standing_water(&rivers, printing.paper()), ..ground };
    let ice = picture::ice(region, &ground, view)?;
    let input = ReliefInput {
        salt: salt.as_deref(),
        ice: ice.as_deref(),
        ..picture::input(region, &ground, style, 1.0)
    };
    let rgb = relief::terrain_rgb(&input)?;
    let layer = |l| region.layer(l).unwrap_or_default();
    let weather = Weather {
        temperature_c: layer(Sampled::Temperature),
        rain_mm: layer(Sampled::Rain),
        fresh_m: &ground.fresh_m,
        salt: salt.as_deref(),
    };
    let signs = Vec::from_iter(ice.as_ref().and_then(|ice| Sign::of_sea_ice(ice, &ground.sea)));
    let network = view.network()?;
    let is_globe = matches!(view.grid(), Topology::Globe(_));
    let (recipe, eastings) = (view.recipe(), print::eastings(view));
    let at = (&region.lattice, &region.window);
    let wanted = summits_wanted(printing.paper(), at.0, at.1);
    let mut tops = region::summits::within(view, &Cache::new(print::SUMMITS), at, &wanted)?;
    tops.retain(|top| is_shown(region, top.place));
    let print = Print {
        paper: printing.paper(),
        eastings,
        title: printing.title(recipe),
        subtitle: place_in_words(eastings.of(middle(place)), is_globe),
        colophon: print::colophon(&print::projection(&place.lattice), view),
        scale_note: note(&place.lattice).into(),
        software: ENGINE.into(),
        land,
        rgb: &rgb,
        rivers: &rivers,
        overlays: &[],
        signs: &signs,
        tops: &tops,
        name: &|basin| print::river_name(network, basin),
        key: key_of_relief(style, &land, &weather),
        paleness: serve::print::paleness(style),
    };
    let map = compose(&print);
    Ok(paths.iter().try_for_each(|path| formats::sheet::write(path, &map))?)
}

/// Whether the region shows the ground at a place: beyond the polygon that was asked for it does not.
fn is_shown(region: &Region, [x, y]: [f64; 2]) -> bool {
    let (lattice, window) = (&region.lattice, &region.window);
    let (column, row) = lattice.nearest(lattice.project(x, y));
    let at = |number: i64, count: usize| usize::try_from(number).ok().filter(|&number| number < count);
    let (column, row) = (at(column - window.west, window.width), at(window.north - row, window.height));
    let shown = |(column, row): (usize, usize)| {
        region.layer(Sampled::Elevation).is_none_or(|z| z[row * window.width + column].is_finite())
    };
    column.zip(row).is_some_and(shown)
}

fn river(line: &region::vectors::RiverLine) -> River {
    River {
        places: line.places.clone(),
        discharge_m3_s: [line.discharge_from_m3_s, line.discharge_m3_s],
        width_m: line.width_m,
        basin: line.basin,
    }
}

/// The place in the middle of a window, in degrees or metres.
fn middle(place: &Place) -> [f64; 2] {
    let window = &place.window;
    let half = |side: usize| 0.5 * (side as f64 - 1.0);
    let position = place
        .lattice
        .between(window.west as f64 + half(window.width), window.north as f64 - half(window.height));
    match (position, &place.lattice) {
        (Some(p), Lattice::Plane { .. }) => [p.x, p.y],
        (Some(p), _) => math::to_lon_lat(p).into(),
        (None, _) => [0.0; 2],
    }
}

/// Where a scale bar is true.
fn note(lattice: &Lattice) -> &'static str {
    match lattice {
        Lattice::LonLat { .. } => "along the middle parallel",
        Lattice::WebMercator { .. } => "in the middle of the map",
        _ => "",
    }
}
