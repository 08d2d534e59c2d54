//! The ground of a map: relief, or a layer by colour, strip by strip.

use super::sheet::Sheet;
use super::world_layers::{Blended, named_month};
use super::{Wish, world_layers};
use crate::args::MapLayer;
use crate::picture;
use anyhow::{Context, Result};
use grid::{Grid, Topology, math};
use region::{Method, Region, Sampled, Window};
use serve::draw::classes::{BIOMES, KOPPEN, biome};
use serve::draw::palette::{self, Ramp};
use serve::draw::{Canvas, ReliefInput, Rgb, Style, relief};
use serve::ground::Ground;
use world::World;

/// Colour of the sea where a layer is about land.
pub const SEA: Rgb = [205, 219, 229];
/// Colour of lakes there.
const LAKE: Rgb = [176, 202, 220];
/// What lies around a globe.
pub const PAPER: Rgb = [250, 248, 242];
/// Land where lakes are the matter.
const PLAIN_LAND: Rgb = [236, 230, 214];
/// Fresh lakes and salt lakes where lakes are the matter.
pub const LAKES: [Rgb; 2] = [[58, 118, 178], [196, 104, 150]];

/// How the land of a map is drawn: with channels where it can show them, or from farther away as a whole, which takes a third of
/// the time.
fn method(world: &World, sheet: &Sheet) -> Method {
    if shows_channels(&world.grid, sheet.lattice.spacing_m()) { Method::Drainage } else { Method::Classic }
}

/// Bytes that channels take, where a map shows them.
pub fn channel_bytes(grid: &Topology, spacing_m: f64) -> f64 {
    if shows_channels(grid, spacing_m) { region::channel_bytes(grid.len() as f64) } else { 0.0 }
}

/// Whether a map shows valleys and ridges between cells where samples lie so far apart, in metres.
fn shows_channels(grid: &Topology, spacing_m: f64) -> bool {
    const MOST_CELLS: f64 = 0.7;
    spacing_m <= MOST_CELLS * grid.cell_m()
}

/// Paints the ground, some rows at a time; `progress` is told the share that is done.
pub fn paint(
    world: &World,
    wish: &Wish,
    sheet: &Sheet,
    canvas: &mut Canvas,
    (rows, progress): (usize, &(dyn Fn(f64) + Sync)),
) -> Result<()> {
    let Window { width, height, north, .. } = sheet.window;
    let blended = Blended::new(world, sheet);
    let reach = relief::reach_rows(water_lines_px(wish));
    let rows = rows.max(1);
    for top in (0..height).step_by(rows) {
        let (from, bottom) = (top.saturating_sub(reach), (top + rows).min(height));
        let to = (bottom + reach).min(height);
        let window = Window { north: north - from as i64, height: to - from, ..sheet.window };
        let share = |part: f64| progress((top as f64 + part * (bottom - top) as f64) / height as f64);
        let place = (sheet.lattice.clone(), window, method(world, sheet));
        let region = picture::refine_layers(world, place, layers(wish), &share)?;
        let (rgb, _) = colours(wish, &blended, &region)?;
        canvas.set_rows(top, &rgb[(top - from) * width..(bottom - from) * width]);
    }
    Ok(())
}

/// The whole ground at once, for maps to print.
pub struct Whole {
    /// Its samples.
    pub region: Region,
    /// Their colours.
    pub rgb: Vec<Rgb>,
    /// Which of them are salt lakes, if any can be and colours tell.
    pub salt: Option<Vec<bool>>,
}

/// Paints the whole ground at once.
pub fn whole(world: &World, wish: &Wish, sheet: &Sheet, progress: &(dyn Fn(f64) + Sync)) -> Result<Whole> {
    let place = (sheet.lattice.clone(), sheet.window, method(world, sheet));
    let region = picture::refine_layers(world, place, layers(wish), progress)?;
    let (rgb, salt) = colours(wish, &Blended::new(world, sheet), &region)?;
    Ok(Whole { region, rgb, salt })
}

/// The classes of climate or of vegetation on the dry land of a map, as indices; every so manieth row speaks for all.
pub fn shown_classes(world: &World, wish: &Wish, sheet: &Sheet, region: &Region) -> Result<Vec<usize>> {
    const STEP: usize = 16;
    let of = |sampled| region.layer(sampled).context("the layer was asked for");
    let (blended, depth) = (Blended::new(world, sheet), of(Sampled::WaterDepth)?);
    let Window { width, height, north, .. } = region.window;
    let mut found = Vec::new();
    for row in (0..height).step_by(STEP) {
        let window = Window { north: north - row as i64, height: 1, ..region.window };
        let classes: Vec<Option<usize>> = match wish.layer {
            MapLayer::Climate => {
                blended.koppen(&window).into_iter().map(|code| usize::from(code).checked_sub(1)).collect()
            }
            MapLayer::Biomes => {
                let (warmth, rain) = (of(Sampled::Temperature)?, of(Sampled::Rain)?);
                let ice = blended.ice(&window, &vec![false; width]);
                let class = |x: usize| match &ice {
                    Some(ice) if ice[x] > 0.5 => 0,
                    _ => biome(warmth[row * width + x], rain[row * width + x]),
                };
                (0..width).map(|x| Some(class(x))).collect()
            }
            _ => Vec::new(),
        };
        // where the map is no globe, there is no depth either
        let is_dry = |x: &usize| depth[row * width + x] <= 0.0;
        found.extend((0..width).filter(is_dry).filter_map(|x| *classes.get(x)?));
    }
    Ok(found)
}

/// What a map of a layer is drawn from.
fn layers(wish: &Wish) -> Vec<Sampled> {
    picture::LAYERS
        .into_iter()
        .filter(|layer| match layer {
            Sampled::Temperature | Sampled::Rain => {
                matches!(wish.layer, MapLayer::Relief | MapLayer::Biomes)
            }
            Sampled::Moisture => wish.layer == MapLayer::Relief,
            // maps know rivers as lines
            Sampled::Discharge => false,
            _ => true,
        })
        .collect()
}

/// Distance of the lines along the coast of a map in the atlas's style.
fn water_lines_px(wish: &Wish) -> Option<f32> {
    let drawn = wish.style == Style::Atlas && wish.layer == MapLayer::Relief && wish.width >= 512;
    drawn.then(|| (wish.width as f32 / 900.0).clamp(3.0, 6.0))
}

/// The colours of a strip, and which samples are salt lakes where that is shown.
fn colours(wish: &Wish, blended: &Blended, region: &Region) -> Result<(Vec<Rgb>, Option<Vec<bool>>)> {
    let ground = picture::ground(region)?;
    let tints = tints(wish, blended, region, &ground)?;
    let style = match wish.layer {
        MapLayer::Relief => wish.style,
        _ => Style::Atlas,
    };
    let emphasis = if wish.layer == MapLayer::Relief { emphasis(region.lattice.spacing_m()) } else { 1.0 };
    let (ice, salt) = match wish.layer {
        MapLayer::Relief => (blended.ice(&region.window, &ground.sea), blended.salt(&region.window)),
        _ => (None, None),
    };
    let input = ReliefInput {
        ice: ice.as_deref(),
        salt: salt.as_deref(),
        tints: tints.as_deref(),
        light: light(wish),
        water_lines_px: water_lines_px(wish),
        background: PAPER,
        ..picture::input(region, &ground, style, emphasis)
    };
    let rgb = relief::terrain_rgb(&input)?;
    Ok((rgb, salt))
}

/// How much of light and shadow a map shows: a hint of it where colours mean something else.
fn light(wish: &Wish) -> f32 {
    match wish.layer {
        MapLayer::Relief if wish.style == Style::Atlas => 0.35,
        MapLayer::Relief | MapLayer::Rivers | MapLayer::Ridges => 1.0,
        MapLayer::Elevation => 0.0,
        _ => 0.4,
    }
}

/// Relief on maps of whole planets is up to 2.2 times as strong as on regions, or only the highest ranges would
/// show.
fn emphasis(pixel_m: f64) -> f64 {
    1.0 + 1.2 * math::smoothstep(1_000.0, 8_000.0, pixel_m)
}

/// The colour of each sample where the layer is not terrain itself.
fn tints(wish: &Wish, blended: &Blended, region: &Region, ground: &Ground) -> Result<Option<Vec<Rgb>>> {
    let of = |sampled| region.layer(sampled).context("the layer was asked for");
    let window = &region.window;
    let land_only = |i: usize, colour: Rgb| match (ground.sea[i], ground.fresh_m[i] > 0.0) {
        (true, _) => SEA,
        (false, true) => LAKE,
        _ => colour,
    };
    let ramped = |values: &[f32], ramp: &Ramp| values.iter().map(|&v| ramp.at(v)).collect::<Vec<_>>();
    let on_land = |colours: Vec<Rgb>| colours.into_iter().enumerate().map(|(i, c)| land_only(i, c)).collect();
    Ok(Some(match wish.layer {
        MapLayer::Relief | MapLayer::Rivers | MapLayer::Ridges => return Ok(None),
        MapLayer::Elevation => {
            let (land, sea) = (palette::hypsometric(), palette::ocean());
            of(Sampled::Elevation)?.iter().map(|&z| if z < 0.0 { sea.at(z) } else { land.at(z) }).collect()
        }
        MapLayer::Mountains => {
            let heights = blended.mean(window, &blended.world.mountain_height_m);
            on_land(ramped(&heights, palette::mountains()))
        }
        MapLayer::Temperature => {
            let field =
                named_month(wish.month, &blended.world.temperature_c, &blended.world.temperature_months_c);
            ramped(&blended.mean(window, field), palette::temperature())
        }
        MapLayer::Rain => {
            let field = named_month(wish.month, &blended.world.rain_mm, &blended.world.rain_months_mm);
            on_land(ramped(&blended.mean(window, field), &world_layers::rain_ramp(wish.month)))
        }
        MapLayer::Climate => {
            let class =
                |code: u16| KOPPEN.get(usize::from(code).wrapping_sub(1)).map_or(PLAIN_LAND, |c| c.colour);
            on_land(blended.koppen(window).into_iter().map(class).collect())
        }
        MapLayer::Biomes => {
            let ice = blended.ice(window, &ground.sea);
            let (warmth, rain) = (of(Sampled::Temperature)?, of(Sampled::Rain)?);
            let colour = |i: usize| match &ice {
                Some(ice) if ice[i] > 0.5 => BIOMES[0].colour,
                _ => land_only(i, BIOMES[biome(warmth[i], rain[i])].colour),
            };
            (0..rain.len()).map(colour).collect()
        }
        MapLayer::Plates => {
            let shade = |(i, id): (usize, u16)| {
                let colour = palette::categorical(id.into());
                if ground.sea[i] { colour } else { colour.map(|c| (f32::from(c) * 0.8) as u8) }
            };
            blended.plates(window).into_iter().enumerate().map(shade).collect()
        }
        MapLayer::Lakes => {
            let salt = blended.salt(window);
            let colour = |(i, &depth): (usize, &f32)| match depth > 0.0 {
                true => LAKES[usize::from(salt.as_ref().is_some_and(|salt| salt[i]))],
                false => land_only(i, PLAIN_LAND),
            };
            ground.fresh_m.iter().enumerate().map(colour).collect()
        }
    }))
}
