//! Pictures of regions and of whole worlds: refined layers drawn as relief.

use crate::args::PictureStyle;
use anyhow::{Context, Result};
use formats::{Crs, Georeference};
use region::{Lattice, Method, Region, Request, Sampled, Window};
use serve::draw::shade::natural_exaggeration;
use serve::draw::{Canvas, ReliefInput, Spacing, Style, relief};
use std::path::Path;
use world::CellSource;

/// The layers that a picture is drawn from.
pub const LAYERS: [Sampled; 5] =
    [Sampled::Elevation, Sampled::WaterSurface, Sampled::WaterDepth, Sampled::Temperature, Sampled::Rain];

/// Draws a region that has [`LAYERS`].
///
/// `emphasis` multiplies the relief that suits the spacing: 1 for regions, more for maps of whole worlds.
pub fn draw(region: &Region, style: Style, emphasis: f64) -> Result<Canvas> {
    let layer = |l: Sampled| region.layer(l).context("pictures are drawn from layers that were asked for");
    let (elevation, surface, depth) =
        (layer(Sampled::Elevation)?, layer(Sampled::WaterSurface)?, layer(Sampled::WaterDepth)?);
    let sea: Vec<bool> = surface.iter().zip(depth).map(|(&s, &d)| d > 0.0 && s <= 0.0).collect();
    let fresh: Vec<f32> = depth.iter().zip(&sea).map(|(&d, &sea)| if sea { 0.0 } else { d }).collect();
    // the light falls on the water, not on the bed
    let ground: Vec<f32> = elevation
        .iter()
        .zip(surface)
        .zip(&sea)
        .map(|((&e, &s), &sea)| if sea { e } else { s.max(e) })
        .collect();
    let Window { width, height, .. } = region.window;
    let input = ReliefInput {
        sea: Some(&sea),
        water_depth: Some(&fresh),
        temperature_c: Some(layer(Sampled::Temperature)?),
        rain_mm: Some(layer(Sampled::Rain)?),
        style,
        exaggeration: Some(natural_exaggeration(region.lattice.spacing_m()) * emphasis),
        ..ReliefInput::new(width, height, &ground, spacing(region))
    };
    Ok(relief::terrain(&input)?)
}

fn spacing(region: &Region) -> Spacing {
    match region.lattice {
        Lattice::LonLat { radius_m, step_deg } => {
            Spacing::Equirectangular { north_deg: region.window.north as f64 * step_deg, step_deg, radius_m }
        }
        _ => Spacing::Uniform { x_m: region.lattice.step(), y_m: region.lattice.step() },
    }
}

/// The look that the command line names.
pub fn style(named: PictureStyle) -> Style {
    match named {
        PictureStyle::Terrain => Style::Terrain,
        PictureStyle::Atlas => Style::Atlas,
    }
}

/// Where a window of a lattice lies: samples are the middles of pixels.
pub fn georeference(lattice: &Lattice, window: &Window) -> Georeference {
    let step = lattice.step();
    let crs = match *lattice {
        Lattice::LonLat { radius_m, .. } => Crs::Geographic { radius_m },
        Lattice::TransverseMercator { radius_m, lon0_deg, lat0_deg, .. } => {
            Crs::TransverseMercator { lon0_deg, lat0_deg, radius_m }
        }
        Lattice::Plane { .. } => Crs::Metres,
    };
    Georeference {
        crs,
        west: (window.west as f64 - 0.5) * step,
        north: (window.north as f64 + 0.5) * step,
        step_x: step,
        step_y: step,
    }
}

/// Refines the layers of a picture.
pub fn refine(
    source: &impl CellSource,
    lattice: Lattice,
    window: Window,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Region> {
    let request = Request::new(lattice, window, LAYERS.to_vec(), Method::Classic)?;
    Ok(region::refine(source, &request, progress)?)
}

/// Saves a picture as PNG.
pub fn save(canvas: &Canvas, path: &Path) -> Result<()> {
    Ok(formats::png::write_rgba(path, canvas.width(), canvas.height(), &canvas.to_rgba())?)
}
