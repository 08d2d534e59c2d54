//! A map of a whole world to print: the ground as a picture, coasts, rivers and names as lines and letters.

use super::sheet::Sheet;
use super::{Wish, ground};
use crate::args::{self, MapLayer};
use crate::output::{Session, advance, misuse};
use crate::print;
use crate::river_lines::RiverLines;
use crate::world_file::ENGINE;
use anyhow::Result;
use clap::ValueEnum;
use grid::{Cell, Grid};
use serve::draw::classes::BIOMES;
use serve::draw::{Style, palette};
use serve::print::{Key, Land, Layout, Print, River, compose};
use std::path::Path;
use world::{CellSource, World, channel_width_m};

/// Writes the map that the arguments ask for. The whole sheet is in memory: about 100 bytes a pixel, 0.6 GB for A4.
pub fn write(world: &World, wish: &Wish, args: &args::Map, session: Session) -> Result<()> {
    let printing = &args.printing;
    key(wish)?; // refused before anything is drawn
    // how the map lies on paper is known from a small one
    let small = Sheet::of(world, &Wish { width: 1000, ..*wish });
    let shape = small.window.width as f64 / small.window.height as f64;
    let [across, _] = Layout::of(printing.paper(), shape).samples(printing.per_inch());
    let wish = Wish { width: (across.round() as usize).clamp(64, 16_384), ..*wish };
    let sheet = Sheet::of(world, &wish);
    let bar = session.bar("drawing");
    let (region, rgb) = ground::whole(world, &wish, &sheet, &|share| advance(&bar, 0.9 * share))?;
    bar.set_message("lines");
    let rivers = if has_rivers(wish.layer) { rivers(world, &sheet)? } else { Vec::new() };
    let map = compose(&Print {
        paper: printing.paper(),
        title: printing.title(&world.recipe),
        subtitle: subtitle(wish.layer),
        colophon: colophon(world, &sheet),
        scale_note: super::furniture::scale_note(&sheet).into(),
        software: ENGINE.into(),
        land: Land { discharge: None, ..Land::of(&region)? },
        rgb: &rgb,
        rivers: &rivers,
        name: &|basin| print::river_name(&world.network, basin),
        key: key(&wish)?,
        paleness: if wish.layer == MapLayer::Relief { serve::print::paleness(wish.style) } else { 0.0 },
    });
    formats::sheet::write(&args.output, &map)?;
    bar.finish_and_clear();
    say(&args.output, &map, session);
    Ok(())
}

fn say(path: &Path, map: &formats::sheet::Sheet, session: Session) {
    let mm = map.size.map(|side| side / formats::sheet::PT_PER_MM);
    session.say(&format!("{}: {:.0} x {:.0} mm", path.display(), mm[0], mm[1]));
}

fn has_rivers(layer: MapLayer) -> bool {
    matches!(
        layer,
        MapLayer::Relief | MapLayer::Rivers | MapLayer::Lakes | MapLayer::Biomes | MapLayer::Climate
    )
}

/// What a layer is called.
fn subtitle(layer: MapLayer) -> String {
    let name = layer.to_possible_value().map(|v| print::capitalised(v.get_name())).unwrap_or_default();
    if layer == MapLayer::Relief { String::new() } else { name }
}

fn colophon(world: &World, sheet: &Sheet) -> String {
    let projection = print::capitalised(&super::furniture::projection_in_words(sheet));
    print::colophon(&projection, (&world.recipe, &world.grid))
}

/// What the colours mean; layers that need a longer list than a sheet has room for are refused.
fn key(wish: &Wish) -> Result<Key> {
    let heights = || serve::print::key(Style::Atlas);
    let ramp = |name: &str, ramp: &palette::Ramp| Key::Ramps(vec![(name.to_string(), ramp.clone())]);
    Ok(match wish.layer {
        MapLayer::Relief => serve::print::key(wish.style),
        MapLayer::Elevation | MapLayer::Rivers | MapLayer::Ridges => heights(),
        MapLayer::Mountains => ramp("Height, m", palette::mountains()),
        MapLayer::Temperature => ramp("°C", palette::temperature()),
        MapLayer::Rain => ramp("Rain, mm", &super::world_layers::rain_ramp(wish.month)),
        MapLayer::Biomes => Key::Swatches(BIOMES.iter().map(|b| (b.name.to_string(), b.colour)).collect()),
        MapLayer::Lakes => Key::Swatches(vec![
            ("With an outlet".into(), ground::LAKES[0]),
            ("Closed, salt".into(), ground::LAKES[1]),
            ("Sea".into(), ground::SEA),
        ]),
        MapLayer::Climate | MapLayer::Plates => {
            return Err(misuse("--layer: maps of climate and plates are not printed; write a .png"));
        }
    })
}

/// The world's own rivers, cell by cell, from those that are worth a thought on: a map draws as many as it has room for.
fn rivers(world: &World, sheet: &Sheet) -> Result<Vec<River>> {
    let least = sheet.least_river / 4.0;
    let shown = |&cell: &Cell| world.discharge_m3_s[cell] >= least;
    let mut cells: Vec<Cell> = world.grid.cells().filter(shown).collect();
    let on_land = |c: &Cell| world.continentality[*c] > 0.0;
    cells.extend(cells.clone().iter().filter_map(|&c| world.receiver_of(c)).filter(on_land));
    cells.sort_unstable();
    cells.dedup();
    let lines = RiverLines::new(world, &cells)?;
    let dry: Vec<Cell> = cells.into_iter().filter(|&c| world.lake[c] == world::NO_LAKE).collect();
    let basins = world.basins(&dry)?;
    let mut rivers = Vec::new();
    for (&cell, basin) in dry.iter().zip(basins) {
        for river in lines.in_cell(cell).iter().filter(|r| r.discharge_m3_s >= least) {
            let discharge = river.discharge_m3_s;
            rivers.push(River {
                places: river.points_m.iter().map(|&p| lines.coordinates(p)).collect(),
                discharge_m3_s: [discharge; 2],
                width_m: channel_width_m(discharge),
                basin,
            });
        }
    }
    Ok(rivers)
}
