//! A map of a whole world to print: the ground as a picture, coasts, rivers and names as lines and letters.

use super::sheet::Sheet;
use super::signs::{self, Sizes};
use super::{Wish, ground};
use crate::args::{self, MapLayer};
use crate::memory;
use crate::output::{Session, advance, misuse};
use crate::print;
use anyhow::Result;
use archive::ENGINE;
use clap::ValueEnum;
use grid::{Cell, Grid};
use region::river_lines::RiverLines;
use region::summits::Top;
use region::{Cache, Region, Sampled, Window};
use serve::draw::classes::{BIOMES, Class, KOPPEN};
use serve::draw::palette;
use serve::print::{
    Key, Land, Layout, Overlay, Paper, Print, River, Weather, compose, key_of_heights, key_of_relief, layout,
    present, summits_wanted,
};
use std::path::Path;
use world::{CellSource, World, channel_width_m};

/// Writes the map that the arguments ask for. The whole sheet is in memory, so that its size is looked at first.
pub fn write(world: &World, wish: &Wish, args: &args::Map, session: Session) -> Result<()> {
    let printing = &args.printing;
    // how the map lies on paper is known from a small one
    let small = Sheet::of(world, &Wish { width: 1000, ..*wish });
    let shape = small.window.width as f64 / small.window.height as f64;
    let [across, _] = Layout::of(printing.paper(), shape).samples(printing.per_inch());
    let wish = Wish { width: (across.round() as usize).clamp(64, 16_384), ..*wish };
    let sheet = Sheet::of(world, &wish);
    check_memory(world, &sheet, args)?;
    let bar = session.bar("drawing");
    let whole = ground::whole(world, &wish, &sheet, &|share| advance(&bar, 0.9 * share))?;
    let ground::Whole { region, rgb, salt } = whole;
    bar.set_message("lines");
    let rivers = if has_rivers(wish.layer) { rivers(world, &sheet)? } else { Vec::new() };
    let tops = if has_heights(wish.layer) { summits(world, &sheet, printing.paper())? } else { Vec::new() };
    let key = key(world, &wish, &sheet, (&region, salt.as_deref()))?;
    let overlays = overlays(world, &wish, &sheet, printing.paper())?;
    let land = Land { discharge: None, ..Land::of(&region)? };
    // shores of lakes would look like faults among the colours of plates
    let sea_alone = (wish.layer == MapLayer::Plates).then(|| land.sea_depth());
    let map = compose(&Print {
        paper: printing.paper(),
        eastings: print::eastings(world),
        title: printing.title(&world.recipe),
        subtitle: subtitle(&wish),
        colophon: colophon(world, &sheet),
        scale_note: super::furniture::scale_note(&sheet).into(),
        software: ENGINE.into(),
        land: Land { water_depth: sea_alone.as_deref().unwrap_or(land.water_depth), ..land },
        rgb: &rgb,
        rivers: &rivers,
        overlays: &overlays,
        signs: &signs::meanings(world, &wish, &key),
        tops: &tops,
        name: &|basin| print::river_name(&world.network, basin),
        key,
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

/// The summits of a map, found in what memory is left to them.
fn summits(world: &World, sheet: &Sheet, paper: Paper) -> Result<Vec<Top>> {
    let (lattice, window) = (&sheet.lattice, &sheet.window);
    let wanted = summits_wanted(paper, lattice, window);
    Ok(region::summits::within(world, &Cache::new(print::SUMMITS), (lattice, window), &wanted)?)
}

/// Heights of summits are of matter where land is shown; among the colours of rain they would be in the way.
fn has_heights(layer: MapLayer) -> bool {
    use MapLayer::{Elevation, Mountains, Relief, Ridges, Rivers};
    matches!(layer, Relief | Elevation | Mountains | Ridges | Rivers)
}

fn has_rivers(layer: MapLayer) -> bool {
    matches!(
        layer,
        MapLayer::Relief | MapLayer::Rivers | MapLayer::Lakes | MapLayer::Biomes | MapLayer::Climate
    )
}

/// Signs over the ground, in sizes that suit the paper whatever the number of samples.
fn overlays(world: &World, wish: &Wish, sheet: &Sheet, paper: Paper) -> Result<Vec<Overlay>> {
    let layout = layout(paper, &sheet.lattice, &sheet.window);
    let sizes = Sizes::of_paper(sheet.window.width as f64 / layout.size[0], layout.scale);
    let layers = signs::layers(world, wish, sheet, &sizes)?;
    Ok(layers.into_iter().map(|l| Overlay { name: l.name.into(), strokes: l.strokes }).collect())
}

/// What a layer is called.
fn subtitle(wish: &Wish) -> String {
    match wish.layer {
        MapLayer::Relief => String::new(),
        MapLayer::Temperature | MapLayer::Rain => super::furniture::quantity(wish),
        layer => layer.to_possible_value().map(|v| print::capitalised(v.get_name())).unwrap_or_default(),
    }
}

fn colophon(world: &World, sheet: &Sheet) -> String {
    let projection = print::capitalised(&super::furniture::projection_in_words(sheet));
    print::colophon(&projection, world)
}

/// Memory of a map if nothing is said, in GB.
const MEMORY_GB: f64 = 4.0;

/// Bytes of the program, of a cell of its world and of a sample of a sheet; measured on sheets of 0.3 to 9 million samples of 1.6
/// million cells, with a margin.
const OF_PROGRAM: f64 = 60e6;
const OF_CELL: f64 = 300.0;
const OF_SAMPLE: f64 = 70.0;

/// Bytes that a sheet takes if its samples lie `coarser` times as far apart: the samples, and channels where it shows them.
fn of_samples(world: &World, sheet: &Sheet, coarser: f64) -> f64 {
    let samples = sheet.window.width as f64 * sheet.window.height as f64 / (coarser * coarser);
    OF_SAMPLE * samples + ground::channel_bytes(&world.grid, sheet.lattice.spacing_m() * coarser)
}

/// Refuses a sheet that does not fit into the memory that may be taken, and says which would.
fn check_memory(world: &World, sheet: &Sheet, args: &args::Map) -> Result<()> {
    let limit_gb = args.max_memory.unwrap_or(MEMORY_GB);
    memory::limit(limit_gb)?;
    let per_inch = args.printing.per_inch();
    let own = OF_PROGRAM + OF_CELL * world.grid.len() as f64;
    let needed = |dpi: f64| own + of_samples(world, sheet, per_inch / dpi);
    if needed(per_inch) <= 1e9 * limit_gb {
        return Ok(());
    }
    let gigabytes = |bytes: f64| (bytes / 1e8).ceil() / 10.0;
    let finer = (print::LEAST_PER_INCH..per_inch as u32).rev();
    let fits = finer.map(f64::from).find(|&dpi| needed(dpi) <= 1e9 * limit_gb);
    let Window { width, height, .. } = sheet.window;
    let needs = gigabytes(needed(per_inch));
    let room = match fits {
        Some(dpi) => format!("--dpi {dpi} would fit"),
        None => {
            let least = gigabytes(needed(f64::from(print::LEAST_PER_INCH)));
            format!("the world alone takes {} GB, the coarsest map {least} GB", gigabytes(own))
        }
    };
    Err(misuse(format!("--max-memory {limit_gb}: {width} x {height} samples take about {needs} GB; {room}")))
}

/// What the colours mean.
fn key(world: &World, wish: &Wish, sheet: &Sheet, (region, salt): (&Region, Option<&[bool]>)) -> Result<Key> {
    let land = Land { discharge: None, ..Land::of(region)? };
    let ramp = |name: &str, ramp: &palette::Ramp| Key::Ramps(vec![(name.to_string(), ramp.clone())]);
    let classes = |all: &[Class]| -> Result<Key> {
        let shown = ground::shown_classes(world, wish, sheet, region)?;
        Ok(Key::Swatches(present(all, shown.into_iter())))
    };
    Ok(match wish.layer {
        MapLayer::Relief => {
            let layer = |l| region.layer(l).unwrap_or_default();
            let weather = Weather {
                temperature_c: layer(Sampled::Temperature),
                rain_mm: layer(Sampled::Rain),
                fresh_m: land.water_depth,
                salt,
            };
            key_of_relief(wish.style, &land, &weather)
        }
        MapLayer::Elevation => key_of_heights(&land, palette::ocean()),
        MapLayer::Rivers | MapLayer::Ridges => key_of_heights(&land, palette::atlas_sea()),
        MapLayer::Mountains => ramp("Height, m", palette::mountains()),
        MapLayer::Temperature => ramp("°C", palette::temperature()),
        MapLayer::Rain => ramp("Rain, mm", &super::world_layers::rain_ramp(wish.month)),
        MapLayer::Biomes => classes(&BIOMES)?,
        MapLayer::Climate => classes(&KOPPEN)?,
        MapLayer::Plates => Key::Words("Each plate has a colour; land is darker".into()),
        MapLayer::Lakes => {
            let kinds = super::furniture::kinds_of_lakes(world).into_iter();
            Key::Swatches(kinds.map(|(name, colour)| (name.into(), colour)).collect())
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
