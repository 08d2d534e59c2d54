//! A view as a map to print: the same sheet that the command line writes.

use super::address::{Export, Frame, Picture};
use super::colours::{Drawing, rain_ramp};
use super::export::View;
use super::planet::{Failure, Feature, Shape, Surface, Theme};
use super::refusal::Refusal;
use super::scene::{Answer, Scene};
use crate::draw::classes::{BIOMES, Class, KOPPEN};
use crate::draw::{Spacing, Style, palette};
use crate::print::{
    Key, Land, Layout, Paper, Print, River, capitalised, compose, key_of_heights, key_of_relief, paleness,
    place_in_words, present, summits_wanted,
};
use region::{Region, Request, VectorLayer};

/// Samples to the inch that a view is asked for; zooms make it 150 to 300.
const PER_INCH: f64 = 240.0;

/// A view on A4 paper.
///
/// # Errors
/// A world that cannot be read; too many samples.
pub fn sheet(scene: &Scene, export: Export, picture: Picture, frame: &Frame) -> Result<Answer, Refusal> {
    let view = fitted(scene, frame)?;
    let (request, region) = view.terrain(scene)?;
    let (rivers, names) = match frame.over.water {
        true => rivers(scene, (&request, &region))?,
        false => (Vec::new(), Names::OfBasins),
    };
    let land = Land::of(&region).map_err(|e| Refusal::Failed(e.to_string()))?;
    let metres: Vec<f64> = (0..view.height).map(|row| view.metres(scene, row)).collect();
    let spacing = Spacing::Rows { x_m: metres.clone(), y_m: metres };
    let drawing = Drawing::of(&region, spacing).with_fresh(land.standing_water(&rivers, Paper::A4));
    let rgb = drawing.rgb(scene, picture)?;
    let about = scene.planet.about();
    let (colours, share) = colours(scene, picture, (&land, &drawing))?;
    let signs = Vec::from_iter(drawing.sign_of_ice(scene, picture)?);
    let at = (&region.lattice, &region.window);
    let tops = match frame.over.crests && has_heights(picture) {
        true => scene.planet.summits(at, &summits_wanted(Paper::A4, at.0, at.1))?,
        false => Vec::new(),
    };
    let map = compose(&Print {
        paper: Paper::A4,
        eastings: about.eastings,
        title: capitalised(&about.name),
        subtitle: subtitle(scene, picture, frame),
        colophon: colophon(scene),
        scale_note: "in the middle of the map".into(),
        software: about.engine.clone(),
        land,
        rgb: &rgb,
        rivers: &rivers,
        overlays: &[],
        signs: &signs,
        tops: &tops,
        name: &|basin| names.of(scene, basin),
        key: colours,
        paleness: share,
    });
    let failed = |e: Box<dyn std::error::Error + Send + Sync>| Refusal::Failed(e.to_string());
    Ok(match export {
        Export::Svg => Answer::new("image/svg+xml", formats::sheet::svg::bytes(&map).map_err(failed)?)
            .saved_as("map.svg"),
        _ => Answer::new("application/pdf", formats::sheet::pdf::bytes(&map).map_err(failed)?)
            .saved_as("map.pdf"),
    })
}

/// Heights of summits are of matter where land is shown.
fn has_heights(picture: Picture) -> bool {
    matches!(picture, Picture::Relief | Picture::Atlas | Picture::Heights | Picture::Mountains)
}

/// The view with as many samples as its paper asks for.
fn fitted(scene: &Scene, frame: &Frame) -> Result<View, Refusal> {
    let layout = Layout::of(Paper::A4, View::shape(scene, frame));
    View::of(scene, &Frame { width: layout.samples(PER_INCH)[0] as usize, ..*frame })
}

fn subtitle(scene: &Scene, picture: Picture, frame: &Frame) -> String {
    let [west, south, east, north] = frame.bounds;
    let about = scene.planet.about();
    let is_globe = matches!(about.surface, Surface::Globe { .. });
    let middle = about.eastings.of([0.5 * (west + east), 0.5 * (south + north)]);
    let place = place_in_words(middle, is_globe);
    format!("{}  ·  {place}", picture.title())
}

fn colophon(scene: &Scene) -> String {
    let about = scene.planet.about();
    let lies = match about.surface {
        Surface::Globe { radius_m } => format!("Mercator on a sphere of {:.0} km", radius_m / 1000.0),
        Surface::Flat { .. } => about.reference.clone().unwrap_or("Flat map".into()),
    };
    let digest: String = about.digest.chars().take(12).collect();
    format!("{lies}  ·  world {}, {digest}  ·  {}", about.name, about.engine)
}

/// What the colours of a picture mean, and how pale they are printed.
fn colours(
    scene: &Scene,
    picture: Picture,
    (land, drawing): (&Land, &Drawing),
) -> Result<(Key, f32), Failure> {
    let ramp = |name: &str, ramp: &palette::Ramp| (Key::Ramps(vec![(name.to_string(), ramp.clone())]), 0.0);
    let classes = |all: &[Class], shown: Vec<usize>| (Key::Swatches(present(all, shown.into_iter())), 0.0);
    let relief = |style: Style| -> Result<(Key, f32), Failure> {
        let salt = drawing.salt(scene)?;
        Ok((key_of_relief(style, land, &drawing.weather(salt.as_deref())), paleness(style)))
    };
    Ok(match picture {
        Picture::Relief => relief(Style::Terrain)?,
        Picture::Atlas => relief(Style::Atlas)?,
        Picture::Heights => (key_of_heights(land, palette::ocean()), 0.0),
        Picture::Mountains => ramp("Height, m", palette::mountains()),
        Picture::Temperature(_) => ramp("°C", palette::temperature()),
        Picture::Rain(month) => ramp("Rain, mm", &rain_ramp(month)),
        Picture::Climate => classes(&KOPPEN, drawing.classes(scene, picture)?),
        Picture::Biomes => classes(&BIOMES, drawing.classes(scene, picture)?),
        Picture::Plates => (Key::Words("Each plate has a colour; land is darker".into()), 0.0),
    })
}

/// Where names of rivers come from: basins have numbers near; far, rivers are known by where they end.
enum Names {
    OfBasins,
    OfOutlets(Vec<String>),
}

impl Names {
    fn of(&self, scene: &Scene, basin: u32) -> Option<String> {
        match self {
            // a map without a name is better than none
            Self::OfBasins => scene.planet.river_name(basin).ok().flatten(),
            Self::OfOutlets(names) => names.get(basin as usize).cloned(),
        }
    }
}

/// The rivers of a view: the terrain's own near, the world's from far.
fn rivers(scene: &Scene, (request, region): (&Request, &Region)) -> Result<(Vec<River>, Names), Failure> {
    if scene.is_far(&region.lattice) {
        return far(scene);
    }
    let found = scene.planet.vectors(request, region, &[VectorLayer::Rivers])?;
    let river = |line: region::vectors::RiverLine| River {
        discharge_m3_s: [line.discharge_from_m3_s, line.discharge_m3_s],
        width_m: line.width_m,
        basin: line.basin,
        places: line.places,
    };
    Ok((found.rivers.into_iter().map(river).collect(), Names::OfBasins))
}

fn far(scene: &Scene) -> Result<(Vec<River>, Names), Failure> {
    let outlets = scene.planet.features(Theme::Outlets)?;
    let ends: Vec<([f64; 2], String)> = outlets
        .iter()
        .filter_map(|f| {
            if let Shape::Point(place) = f.shape { Some((place, f.text("name")?.into())) } else { None }
        })
        .collect();
    // a river ends in the middle of its outlet's cell
    let near = scene.planet.about().cell_m
        * match scene.planet.about().surface {
            Surface::Globe { radius_m } => (1.0 / radius_m).to_degrees(),
            Surface::Flat { .. } => 1.0,
        };
    let outlet = |place: &[f64; 2]| {
        let at = |end: &([f64; 2], String)| (0..2).all(|k| (end.0[k] - place[k]).abs() < near);
        ends.iter().position(at).map(|n| n as u32)
    };
    let all = scene.planet.features(Theme::Rivers)?;
    let river = |f: &Feature| {
        let Shape::Line(places) = &f.shape else { return None };
        let q = f.number("q")?;
        Some(River {
            places: places.clone(),
            discharge_m3_s: [q; 2],
            width_m: 0.0,
            basin: places.last().and_then(outlet),
        })
    };
    let rivers = all.iter().filter_map(river).collect();
    Ok((rivers, Names::OfOutlets(ends.into_iter().map(|(_, name)| name).collect())))
}
