//! `terrane map`: a map of a whole world.
//!
//! The ground is refined, coloured and laid on the sheet in strips of rows, so that memory is little more than the
//! sheet's own; lines, symbols and letters are drawn over the whole.

mod furniture;
mod ground;
mod lines;
mod paper;
mod relief_symbols;
mod sheet;
mod signs;
pub mod world_layers;

use crate::args::{self, MapLayer, PictureStyle};
use crate::memory;
use crate::output::{Session, advance, check_apart, check_place, ending, misuse, numbers};
use crate::picture;
use crate::print::is_print;
use anyhow::Result;
use archive::{WorldView, load};
use furniture::{furnish, graticule};
use grid::{Grid, Projection, Topology};
use serve::draw::{Canvas, Rgba, Style};
use sheet::Sheet;
use signs::Sizes;
use std::path::Path;
use world::{CellSource, World};

/// What a map shall be.
#[derive(Clone, Copy)]
pub struct Wish {
    /// What it shows.
    pub layer: MapLayer,
    /// Look of the relief.
    pub style: Style,
    /// How a globe is laid on it.
    pub projection: Projection,
    /// Month, 1 to 12; the year if not given.
    pub month: Option<u32>,
    /// Width in pixels.
    pub width: usize,
}

impl Wish {
    /// The relief of a whole world as seen from above.
    pub fn relief(width: usize) -> Self {
        let projection = Projection::Equirectangular { lon0_deg: 0.0 };
        Self { layer: MapLayer::Relief, style: Style::Terrain, projection, month: None, width }
    }

    /// What the arguments ask for.
    fn of(args: &args::Map, grid: &Topology) -> Result<Self> {
        if args.month.is_some() && !matches!(args.layer, MapLayer::Temperature | MapLayer::Rain) {
            return Err(misuse("--month: only the layers temperature and rain have months"));
        }
        if args.style == PictureStyle::Atlas && args.layer != MapLayer::Relief {
            return Err(misuse("--style: only the layer relief has styles"));
        }
        Ok(Self {
            layer: args.layer,
            style: picture::style(args.style),
            projection: projection(args, grid)?,
            month: args.month,
            width: args.width.unwrap_or(WIDTH) as usize,
        })
    }
}

/// The projection that the arguments name, about the place they name.
fn projection(args: &args::Map, grid: &Topology) -> Result<Projection> {
    let named = args.projection;
    if matches!(grid, Topology::Flat(_)) {
        if args.center.is_some() {
            return Err(misuse("--center: a flat map is always shown whole; only globes have a centre"));
        }
        if named != args::Projection::Equirectangular {
            return Err(misuse("--projection: a flat map needs none; only globes are projected"));
        }
    }
    let [lon0_deg, lat0_deg] = args.center.as_deref().map_or(Ok([0.0, 0.0]), |text| center(text, named))?;
    Ok(match named {
        args::Projection::Equirectangular => Projection::Equirectangular { lon0_deg },
        args::Projection::Mollweide => Projection::Mollweide { lon0_deg },
        args::Projection::EqualEarth => Projection::EqualEarth { lon0_deg },
        args::Projection::Orthographic => Projection::Orthographic { lon0_deg, lat0_deg },
    })
}

/// Reads `LON,LAT`, or the longitude alone of projections whose centre is on the equator.
fn center(text: &str, named: args::Projection) -> Result<[f64; 2]> {
    let place @ [lon, lat] = if text.contains(',') {
        numbers("--center", text, "LON,LAT")?
    } else {
        let [lon] = numbers("--center", text, "LON or LON,LAT")?;
        [lon, 0.0]
    };
    crate::named::check_degrees("--center", &[lon], &[lat])?;
    if lat != 0.0 && named != args::Projection::Orthographic {
        let message = "the centre of this projection lies on the equator: give a longitude alone, or choose \
                       --projection orthographic";
        return Err(misuse(format!("--center {text}: {message}")));
    }
    Ok(place)
}

/// Runs the command.
pub fn run(args: &args::Map, session: Session) -> Result<()> {
    check_place(&args.output)?;
    check_apart(&args.output, &args.world)?;
    let prints = is_print(&args.output);
    if ending(&args.output) != "png" && !prints {
        return Err(misuse(format!("{}: the name must end in .png, .svg or .pdf", args.output.display())));
    }
    args.printing.check(prints)?;
    if prints && args.width.is_some() {
        return Err(misuse("--width is for a .png; how large a map to print is say --paper and --dpi"));
    }
    if !prints {
        check_memory(args)?;
    }
    let wish = Wish::of(args, WorldView::open(&args.world)?.grid())?;
    let world = load(&args.world)?;
    if prints {
        return paper::write(&world, &wish, args, session);
    }
    let canvas = draw(&world, &wish, session)?;
    write(&canvas, &args.output, session)?;
    session.say(&format!("{}: {} x {} pixels", args.output.display(), canvas.width(), canvas.height()));
    Ok(())
}

/// Pixels from west to east where nobody says how many.
const WIDTH: u32 = 4096;
/// A world in memory, with what reading it takes: measured 217 bytes a cell; with a margin.
const WORLD_BYTES_PER_CELL: f64 = 240.0;
/// The canvas, of each pixel.
const CANVAS_BYTES: f64 = 4.0;
/// What a strip of the ground takes with its layers.
const STRIP_BYTES: f64 = 150e6;

/// Makes sure that the world and the picture fit into the memory that may be taken; reads the header of the world's file.
fn check_memory(args: &args::Map) -> Result<()> {
    if args.max_memory.is_none() {
        return Ok(());
    }
    let view = WorldView::open(&args.world)?;
    let world = view.grid().len() as f64 * WORLD_BYTES_PER_CELL + memory::PROGRAM_BYTES + STRIP_BYTES;
    // no map is higher than wide but of flat maps
    let shape = view.grid().shape();
    let height = if shape.faces > 1 { 1.0 } else { f64::from(shape.rows) / f64::from(shape.cols) };
    let width = args.width.unwrap_or(WIDTH);
    let around_m = match view.grid() {
        Topology::Globe(globe) => std::f64::consts::TAU * globe.radius_m(),
        Topology::Flat(flat) => flat.extent_m().0,
    };
    // some projections have samples closer together than others
    let channels = |width: f64| ground::channel_bytes(view.grid(), 0.8 * around_m / width);
    let needed = |width: f64| world + width * width * height * CANVAS_BYTES + channels(width);
    memory::check(args.max_memory, ("this map", needed(f64::from(width))), |limit| {
        let fits = (1..width).rev().find(|&width| needed(f64::from(width)) <= limit);
        fits.map_or("no map of this world would fit".into(), |width| format!("--width {width} would fit"))
    })
}

/// Writes a map row by row; of a large one this takes seconds, in which a bar says so.
pub fn write(canvas: &Canvas, path: &Path, session: Session) -> Result<()> {
    let bar = session.bar("writing");
    let (width, height) = (canvas.width(), canvas.height());
    formats::png::write_rgb8_rows(path, width, height, |row, bytes| {
        advance(&bar, row as f64 / height as f64);
        canvas.copy_row_rgb(row, bytes);
    })?;
    bar.finish_and_clear();
    Ok(())
}

/// Colour of rivers and of their samples in the legend.
const RIVER: Rgba = [66, 110, 156, 255];
/// Colour of ridges.
const RIDGE: Rgba = [120, 40, 20, 255];
/// Pixels of the ground that are made at a time: about 150 MB with all their layers.
const STRIP_PIXELS: usize = 2_000_000;

/// A map of a layer, with title, legend, graticule and scale.
pub fn draw(world: &World, wish: &Wish, session: Session) -> Result<Canvas> {
    draw_in_strips(world, wish, STRIP_PIXELS / wish.width, session)
}

fn draw_in_strips(world: &World, wish: &Wish, rows: usize, session: Session) -> Result<Canvas> {
    let sheet = Sheet::of(world, wish);
    let bar = session.bar("drawing");
    let mut canvas = Canvas::new(sheet.window.width, sheet.window.height, [255; 4])?;
    // the ground takes most of the time
    ground::paint(world, wish, &sheet, &mut canvas, (rows, &|share| advance(&bar, 0.85 * share)))?;
    bar.set_message("lines");
    graticule(&sheet, &mut canvas);
    if matches!(wish.layer, MapLayer::Relief | MapLayer::Rivers) {
        lines::draw_rivers(world, wish.layer, &sheet, &mut canvas)?;
    }
    for layer in signs::layers(world, wish, &sheet, &Sizes::of_picture(sheet.window.width))? {
        canvas.strokes(&layer.strokes);
    }
    if wish.layer == MapLayer::Relief && wish.style == Style::Atlas {
        relief_symbols::draw_names(world, &sheet, &mut canvas);
    }
    bar.finish_and_clear();
    furnish(world, wish, &sheet, &mut canvas);
    Ok(canvas)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serve::draw::classes::KOPPEN;
    use world::{Recipe, simulate};

    const SESSION: Session = Session { quiet: true, verbose: false };

    fn toy() -> World {
        let mut recipe = Recipe::preset("earthlike").expect("built in");
        recipe.grid.cells = 32;
        simulate(&recipe, &|_, _| {}).expect("sound")
    }

    #[test]
    #[ignore = "slow"]
    fn maps_in_strips_have_no_seams() {
        let world = toy();
        let projections = [
            Projection::Equirectangular { lon0_deg: 20.0 },
            Projection::Mollweide { lon0_deg: 0.0 },
            Projection::Orthographic { lon0_deg: 40.0, lat0_deg: 30.0 },
        ];
        for projection in projections {
            for (layer, style, width) in [
                (MapLayer::Relief, Style::Terrain, 200),
                (MapLayer::Relief, Style::Atlas, 520),
                (MapLayer::Biomes, Style::Terrain, 200),
                (MapLayer::Mountains, Style::Terrain, 200),
            ] {
                let wish = Wish { layer, style, projection, ..Wish::relief(width) };
                let whole = draw_in_strips(&world, &wish, 1000, SESSION).expect("drawn").to_rgba();
                let strips = draw_in_strips(&world, &wish, 7, SESSION).expect("drawn").to_rgba();
                assert!(whole == strips, "{projection:?}");
            }
        }
    }

    /// The colours of a small map's pixels, without what is drawn over it.
    fn ground_of(world: &World, wish: &Wish) -> Vec<[u8; 3]> {
        let sheet = Sheet::of(world, wish);
        let mut canvas = Canvas::new(sheet.window.width, sheet.window.height, [255; 4]).expect("in range");
        ground::paint(world, wish, &sheet, &mut canvas, (50, &|_| {})).expect("painted");
        canvas.to_rgba().chunks_exact(4).map(|p| [p[0], p[1], p[2]]).collect()
    }

    fn count(pixels: &[[u8; 3]], is: impl Fn([u8; 3]) -> bool) -> usize {
        pixels.iter().filter(|p| is(**p)).count()
    }

    #[test]
    fn a_month_has_its_own_field() {
        let mut world = toy();
        let all_hot = grid::Field::from_fn(world.grid.shape(), |_| 34.0);
        world.temperature_months_c[6] = all_hot;
        let wish = Wish { layer: MapLayer::Temperature, ..Wish::relief(120) };
        // the ramp's end is darker than the hottest places of a year
        let red = |[r, g, b]: [u8; 3]| r < 150 && r > g.saturating_add(40) && r > b.saturating_add(40);
        let hot = |month| count(&ground_of(&world, &Wish { month, ..wish }), red);
        let [july, june, year] = [Some(7), Some(6), None].map(hot);
        assert!(july > 6000 && june < 300 && year < 300, "{july} {june} {year}");
    }

    #[test]
    fn climate_has_the_classes_of_the_world() {
        let mut world = toy();
        let grid = world.grid.clone();
        world.koppen = grid::Field::from_fn(grid.shape(), |cell| {
            let class = if grid.center(cell).z > 0.0 { 4 } else { 14 };
            if world.continentality[cell] > 0.0 { class } else { 0 }
        });
        let wish = Wish { layer: MapLayer::Climate, ..Wish::relief(160) };
        let pixels = ground_of(&world, &wish);
        let (north, south) = pixels.split_at(pixels.len() / 2);
        let near = |class: usize| {
            move |p: [u8; 3]| p.iter().zip(KOPPEN[class - 1].colour).all(|(a, b)| a.abs_diff(b) < 40)
        };
        let [red, green] = [count(north, near(4)), count(south, near(14))];
        assert!(red > 500 && green > 500, "{red} {green}");
        assert!(count(north, near(14)) < green / 20 && count(south, near(4)) < red / 20);
    }

    #[test]
    fn ice_is_white_where_it_lasts() {
        let mut world = toy();
        let grid = world.grid.clone();
        let by_latitude = |north: f32, south: f32, between: f32| {
            let at = |cell| match grid.center(cell).z {
                z if z > 0.6 => north,
                z if z < -0.6 => south,
                _ => between,
            };
            grid::Field::from_fn(grid.shape(), at)
        };
        world.temperature_c = by_latitude(-9.0, 1.0, 15.0);
        world.ice_months = grid::Field::from_fn(grid.shape(), |_| 0);
        let bare = ground_of(&world, &Wish::relief(160));
        let months = by_latitude(12.0, 3.0, 0.0);
        world.ice_months = grid::Field::from_fn(grid.shape(), |cell| months[cell] as u8);
        let iced = ground_of(&world, &Wish::relief(160));
        let half = bare.len() / 2;
        let white = |p: [u8; 3]| p.iter().all(|&c| c > 170);
        let [before, after] = [&bare, &iced].map(|p| count(&p[..half], white));
        assert!(after > before + 1500, "{before} {after}");
        assert!(
            bare[half..] == iced[half..],
            "three months of ice on a sea that is warmer in the mean are not drawn"
        );
    }
}
