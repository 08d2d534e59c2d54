//! A region as a mesh with its picture on it.

use super::outputs::Outputs;
use super::place::Place;
use crate::output::misuse;
use crate::picture;
use anyhow::{Context, Result};
use archive::WorldView;
use formats::gltf::{MOST_CORNERS, Terrain, write_glb};
use grid::math;
use region::{Lattice, Region, Sampled, Window};
use serve::draw::Style;
use std::path::Path;

/// Refuses meshes that programs do not open, before anything is refined.
pub fn check(outputs: &Outputs, place: &Place) -> Result<()> {
    let Some(path) = outputs.mesh() else { return Ok(()) };
    let Window { width, height, .. } = place.window;
    if width.saturating_mul(height) > MOST_CORNERS {
        return Err(misuse(format!(
            "{}: a mesh of {width} x {height} corners is more than programs open, at most {MOST_CORNERS} as 2049 x \
             2049: ask for a smaller area or a coarser resolution",
            path.display()
        )));
    }
    if width < 2 || height < 2 {
        return Err(misuse(format!(
            "{}: a mesh needs at least 2 x 2 samples, this has {width} x {height}",
            path.display()
        )));
    }
    Ok(())
}

/// Writes the surface of land and water, with the relief as its colours.
pub fn write(
    region: &Region,
    (view, style): (&WorldView, Style),
    path: &Path,
    notes: &[(String, String)],
) -> Result<()> {
    let canvas = picture::draw(region, view, style)?;
    let pixels: Vec<u8> =
        canvas.to_rgba().as_chunks::<4>().0.iter().flat_map(|p| [p[0], p[1], p[2]]).collect();
    let picture = formats::png::rgb8_bytes(canvas.width(), canvas.height(), &pixels)
        .map_err(|e| anyhow::anyhow!("{}: {e}", path.display()))?;
    let heights =
        region.layer(Sampled::WaterSurface).context("a mesh is made from layers that were asked for")?;
    let Window { width, height, .. } = region.window;
    let terrain = Terrain {
        width,
        height,
        step_east_m: (0..height).map(|row| step_east_m(region, row)).collect(),
        step_south_m: region.lattice.spacing_m(),
        heights_m: heights,
        picture: &picture,
        name: "terrain",
        notes,
    };
    Ok(write_glb(path, &terrain)?)
}

/// Metres between the samples of a row: parallels of a globe are shorter than its equator.
fn step_east_m(region: &Region, row: usize) -> f64 {
    let spacing_m = region.lattice.spacing_m();
    match region.lattice {
        Lattice::LonLat { step_deg, .. } => {
            let lat = (region.window.north - row as i64) as f64 * step_deg;
            spacing_m * math::cos(lat.to_radians())
        }
        _ => spacing_m,
    }
}
