//! `terrane demo`: a newcomer's first five minutes.

use crate::args;
use crate::generate::make;
use crate::named::decimals;
use crate::output::{Session, advance, emit, misuse};
use crate::places::{Place, find};
use crate::region::around;
use crate::{map, picture, rivers};
use anyhow::{Context, Result};
use archive::{WorldView, save};
use grid::Grid;
use region::river_lines::coordinates;
use serve::draw::furniture::{scale_bar, title};
use serve::draw::{Corner, Look, Style};
use std::path::Path;
use world::{Recipe, World};

/// Pixels of the map, and of each zoom.
const MAP_PX: usize = 4096;
const ZOOM_PX: f64 = 900.0;
/// Side of each zoom, in cells: 180 km on the default planet.
const ZOOM_CELLS: f64 = 9.0;
const RIVERS: usize = 10;

/// Runs the command.
pub fn run(args: &args::Demo, session: Session) -> Result<()> {
    let dir = &args.dir;
    check_folder(dir)?;
    std::fs::create_dir_all(dir).with_context(|| format!("making the folder {}", dir.display()))?;
    let mut recipe = Recipe::preset("earthlike").context("a built-in recipe")?;
    recipe.seed = args.seed;
    recipe.grid.cells = args.cells;

    let world = make(&recipe, session)?;
    let file = dir.join("world.terrane");
    let bar = session.bar("saving");
    let bytes = save(&world, &file, &|share| advance(&bar, share))?;
    bar.finish_and_clear();
    session.say(&format!(
        "A planet of {} cells in {} ({:.1} MB)",
        world.grid.len(),
        file.display(),
        bytes as f64 / 1e6
    ));

    let canvas = map::draw(&world, &map::Wish::relief(MAP_PX), session)?;
    let path = dir.join("map.png");
    map::write(&canvas, &path, session)?;
    session.say(&format!("Its map in {}", path.display()));

    let view = WorldView::open(&file)?;
    let mut commands = Vec::new();
    for place in find(&world) {
        commands.push(zoom(&world, &view, &place, dir, session)?);
    }
    let rows = rivers::rows(&world, &world.network);
    emit(&format!(
        "\nThe {RIVERS} largest rivers\n{}",
        rivers::table(&rows[..rows.len().min(RIVERS)], decimals(&world.grid))
    ))?;
    farewell(dir, &commands).lines().for_each(|line| session.say(line));
    Ok(())
}

/// Refuses a folder that holds anything but an earlier demo, which may be replaced.
fn check_folder(dir: &Path) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Ok(()) };
    let names: Vec<String> =
        entries.filter_map(|e| Some(e.ok()?.file_name().to_string_lossy().into_owned())).collect();
    let ours = |n: &String| n == "world.terrane" || n == "map.png" || n.starts_with("zoom-");
    let whole = names.is_empty() || names.iter().any(|n| n == "map.png");
    if whole && names.iter().all(ours) {
        return Ok(());
    }
    let other = names.iter().find(|n| !ours(n)).map_or("world.terrane", String::as_str);
    Err(misuse(format!(
        "{} holds {other}, which is no demo's; name a new folder for the demo",
        dir.display()
    )))
}

/// Draws one place from the file and returns the command that does the same.
fn zoom(world: &World, view: &WorldView, place: &Place, dir: &Path, session: Session) -> Result<String> {
    let at = coordinates(&world.grid, world.grid.center(place.cell)).map(|v| (v * 100.0).round() / 100.0);
    let span_m = ZOOM_CELLS * world.grid.cell_m();
    let (span_km, step_m) = ((span_m / 1000.0).round(), (span_m / ZOOM_PX).round().max(1.0));
    let (lattice, window) = around(&world.grid, at, span_km * 500.0, step_m);
    let bar = session.bar(place.name);
    let region = picture::refine(view, lattice, window, &|share| advance(&bar, share))?;
    bar.finish_and_clear();
    let mut canvas = picture::draw(&region, view, Style::Terrain)?;
    let look = Look::for_width(2 * canvas.width());
    let subtitle = in_words(at);
    title(&mut canvas, &capitalised(&place.about), &subtitle, &look);
    scale_bar(&mut canvas, step_m, Corner::BottomRight, &look);
    let name = format!("zoom-{}.png", place.name);
    picture::save(&canvas, &dir.join(&name))?;
    session.say(&format!("{}: {}", dir.join(&name).display(), place.about));
    Ok(format!(
        "terrane region {} -o {} --at {},{} --span {span_km} --resolution {step_m}",
        dir.join("world.terrane").display(),
        dir.join(&name).display(),
        at[0],
        at[1]
    ))
}

/// A longitude and latitude as atlases write them.
fn in_words([lon, lat]: [f64; 2]) -> String {
    let (ns, ew) = (if lat < 0.0 { "S" } else { "N" }, if lon < 0.0 { "W" } else { "E" });
    format!("{:.2}° {ns}  {:.2}° {ew}", lat.abs(), lon.abs())
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn farewell(dir: &Path, commands: &[String]) -> String {
    let world = dir.join("world.terrane");
    let world = world.display();
    let closer = commands.first().map_or(String::new(), |c| format!("  {c}\n"));
    format!(
        "\nOpen the pictures in {}. Then try:\n{closer}  \
         terrane region {world} -o box.tif --bbox 80,-15,82,-13 --resolution 250 --layers elevation,discharge\n  \
         terrane map {world} -o ridges.png --layer ridges\n  \
         terrane rivers {world} -o rivers.geojson --min-discharge 500\n  \
         terrane info {world}\n  \
         terrane generate --seed 7 -o another.terrane\n  \
         terrane --help",
        dir.display()
    )
}
