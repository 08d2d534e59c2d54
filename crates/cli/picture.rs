//! Pictures of regions and of whole worlds: refined layers drawn as relief.

use crate::args::PictureStyle;
use crate::serve::Fields;
use anyhow::{Context, Result};
use archive::WorldView;
use export::frame::kind;
use formats::Raster;
use formats::stream::Memory;
use region::{Lattice, Method, Region, Request, Sampled, Window};
use serve::draw::shade::natural_exaggeration;
use serve::draw::{Canvas, ReliefInput, Spacing, Style, relief};
use serve::ground::Ground;
use std::path::Path;
use world::CellSource;

/// The layers that a picture is drawn from.
pub const LAYERS: [Sampled; 7] = [
    Sampled::Elevation,
    Sampled::WaterSurface,
    Sampled::WaterDepth,
    Sampled::Discharge,
    Sampled::Temperature,
    Sampled::Rain,
    Sampled::Moisture,
];

/// Land and water of a region that has [`LAYERS`].
pub fn ground(region: &Region) -> Result<Ground> {
    Ground::of(region).context("pictures are drawn from layers that were asked for")
}

/// What a region's picture is drawn from.
///
/// `emphasis` multiplies the relief that suits the spacing: 1 for regions, more for maps of whole worlds.
pub fn input<'a>(region: &'a Region, ground: &'a Ground, style: Style, emphasis: f64) -> ReliefInput<'a> {
    let Window { width, height, .. } = region.window;
    ReliefInput {
        sea: Some(&ground.sea),
        water_depth: Some(&ground.fresh_m),
        river_m: Some(&ground.river_m),
        temperature_c: region.layer(Sampled::Temperature),
        rain_mm: region.layer(Sampled::Rain),
        moisture_mm: region.layer(Sampled::Moisture),
        style,
        exaggeration: Some(natural_exaggeration(region.lattice.spacing_m()) * emphasis),
        ..ReliefInput::new(width, height, &ground.lit_m, spacing(region))
    }
}

/// Draws a region of a world that has [`LAYERS`].
pub fn draw(region: &Region, view: &WorldView, style: Style) -> Result<Canvas> {
    let ground = ground(region)?;
    let (salt, ice) = (salt(region, &ground, view)?, ice(region, &ground, view)?);
    let input =
        ReliefInput { salt: salt.as_deref(), ice: ice.as_deref(), ..input(region, &ground, style, 1.0) };
    Ok(relief::terrain(&input)?)
}

/// Which samples are salt lakes, if any can be.
pub fn salt(region: &Region, ground: &Ground, view: &WorldView) -> Result<Option<Vec<bool>>> {
    ground.salt_lakes(|| Fields::default().salt(view, (&region.lattice, &region.window)))
}

/// Share of each sample that lies under ice, as in the viewer; none where it is warm all over, for whole layers of the world are read
/// for it.
pub fn ice(region: &Region, ground: &Ground, view: &WorldView) -> Result<Option<Vec<f32>>> {
    let temperatures = region.layer(Sampled::Temperature).unwrap_or_default();
    if !temperatures.iter().any(|&temperature_c| temperature_c < ICE_FREE_C) {
        return Ok(None);
    }
    Fields::default().ice(view, (&region.lattice, &region.window), &ground.sea).map(Some)
}

/// Far above the means of the year at which land is white and the sea under pack ice, in degrees.
const ICE_FREE_C: f32 = 15.0;

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

/// A raster of a region's layers, to be read by a writer.
pub fn source(raster: Raster) -> Result<Memory> {
    Ok(Memory::of(raster, kind).context("layers of regions are real numbers")??)
}

/// Refines the layers of a picture.
pub fn refine(
    source: &impl CellSource,
    lattice: Lattice,
    window: Window,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Region> {
    refine_layers(source, (lattice, window, Method::Drainage), LAYERS.to_vec(), progress)
}

/// Refines some layers by a method.
pub fn refine_layers(
    source: &impl CellSource,
    (lattice, window, method): (Lattice, Window, Method),
    layers: Vec<Sampled>,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Region> {
    let request = Request::new(lattice, window, layers, method)?;
    Ok(region::refine(source, &request, progress)?)
}

/// Saves a picture as PNG.
pub fn save(canvas: &Canvas, path: &Path) -> Result<()> {
    Ok(formats::png::write_rgba(path, canvas.width(), canvas.height(), &canvas.to_rgba())?)
}
