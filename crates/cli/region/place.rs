//! What part of a world `terrane region` is asked for: a lattice, a window of it, perhaps an area.

use super::polygon;
use super::size::{self, Square};
use crate::args::{self, TileSize};
use crate::geojson;
use crate::named::Map;
use crate::output::{Session, misuse, numbers};
use anyhow::Result;
use archive::WorldView;
use export::frame;
use grid::{Cell, Grid, Topology};
use region::river_lines::coordinates;
use region::{Area, Lattice, Request, Window};
use world::CellSource;

/// A part of a world.
pub struct Place {
    /// Where samples may lie.
    pub lattice: Lattice,
    /// Which of them are wanted.
    pub window: Window,
    /// Where data is wanted, in the lattice's own coordinates; everywhere if there is none.
    pub area: Option<Area>,
    /// What files say of the place, by name.
    pub notes: Vec<(String, String)>,
}

impl Place {
    fn plain((lattice, window): (Lattice, Window)) -> Self {
        Self { lattice, window, area: None, notes: Vec::new() }
    }
}

/// The part that the arguments name.
pub fn place(map: &Map, args: &args::Region) -> Result<Place> {
    let grid = map.grid;
    if let Some(text) = &args.tile {
        return tile(grid, text, args.tile_size);
    }
    if let Some(text) = &args.cell {
        return Ok(native(map, cell(grid, text)?, args.level));
    }
    if let Some(text) = &args.cell_at {
        return Ok(native(map, cell_at(map, text)?, args.level));
    }
    if let (None, Some(text)) = (&args.bbox, &args.at) {
        return match size::asked(args)? {
            Some(square) => numbered(map, text, &square).map(Place::plain),
            None => spanned(map, text, args).map(Place::plain),
        };
    }
    let step = resolution(args)?;
    if let Some(path) = &args.polygon {
        geojson::check_memory(path, "--polygon", args.memory)?;
        let (area, bounds) = polygon::read(path, map)?;
        let lattice = lattice(grid, step);
        let window = lattice.window(bounds[0], bounds[1], bounds[2], bounds[3]);
        return Ok(Place { lattice, window, area: Some(area), notes: Vec::new() });
    }
    match &args.bbox {
        Some(text) => boxed(map, text, step).map(Place::plain),
        None => Err(misuse("say where: --at LON,LAT --span KM, or --bbox W,S,E,N")),
    }
}

fn spanned(map: &Map, text: &str, args: &args::Region) -> Result<(Lattice, Window)> {
    let Some(span) = &args.span else {
        return Err(misuse("--at needs the side of a square: --span KM, or --size SAMPLES"));
    };
    rectangle(map, text, span, resolution(args)?)
}

/// A square of a number of samples around a place.
fn numbered(map: &Map, text: &str, square: &Square) -> Result<(Lattice, Window)> {
    check_resolution(square.step_m)?;
    let (lattice, [x, y]) = metric(map.grid, map.place("--at", text)?, square.step_m);
    let half = (square.samples - 1) as f64 / 2.0;
    let number = |metres: f64| metres / square.step_m;
    let window = Window {
        west: (number(x) - half).round() as i64,
        north: (number(y) + half).round() as i64,
        width: square.samples,
        height: square.samples,
    };
    Ok((lattice, window))
}

fn resolution(args: &args::Region) -> Result<f64> {
    let Some(step) = args.resolution else {
        return Err(misuse("--resolution METRES is needed: the distance between samples"));
    };
    check_resolution(step)?;
    Ok(step)
}

/// Makes sure that samples may lie so far apart.
pub fn check_resolution(step: f64) -> Result<()> {
    let limits = Request::MIN_SPACING_M..=Request::MAX_SPACING_M;
    if limits.contains(&step) {
        return Ok(());
    }
    Err(misuse(format!("--resolution {step}: expected metres from {} to {}", limits.start(), limits.end())))
}

/// The lattice of boxes: longitudes and latitudes, or metres of a flat map.
fn lattice(grid: &Topology, step: f64) -> Lattice {
    match grid {
        Topology::Globe(globe) => Lattice::lon_lat(globe.radius_m(), step),
        Topology::Flat(_) => Lattice::Plane { step_m: step },
    }
}

/// The samples in a box.
pub fn boxed(map: &Map, text: &str, step: f64) -> Result<(Lattice, Window)> {
    let [west, south, east, north] = map.bounds("--bbox", text)?;
    // over the antimeridian
    let east = if west > east { east + 360.0 } else { east };
    let lattice = lattice(map.grid, step);
    let window = frame::boxed(&lattice, [west, south, east, north]);
    Ok((lattice, window))
}

/// Says what a map of all longitudes leaves open between its last column and its first, and how to close it.
pub fn tell_open(lattice: &Lattice, window: &Window, session: Session) {
    if let Some((open_deg, closing_m)) = frame::open_circle(lattice, window) {
        session.say(&format!(
            "the columns leave {open_deg:.3} degrees open where the map meets itself; with --resolution {closing_m} it closes"
        ));
    }
}

/// Says that there is no land in a window, and where the nearest is: files of bare sea look like a fault.
///
/// # Errors
/// The world cannot be read.
pub fn tell_sea(view: &WorldView, lattice: &Lattice, window: &Window, session: Session) -> Result<()> {
    let grid = view.grid();
    let within = |size: usize| (0..SEA_PLACES).map(move |k| k * (size - 1) / (SEA_PLACES - 1));
    let places = within(window.height).flat_map(|row| within(window.width).map(move |column| (column, row)));
    let at = places.filter_map(|(column, row)| grid.locate(lattice.position_in(window, column, row)?));
    let mut cells: Vec<Cell> = at.flat_map(|cell| grid.halo(cell, 1)).collect();
    cells.sort_unstable();
    cells.dedup();
    let land = |cells: &[Cell]| -> Result<Vec<Cell>> {
        let states = view.gather(cells)?;
        Ok(cells.iter().zip(states).filter(|(_, state)| state.is_land()).map(|(cell, _)| *cell).collect())
    };
    let Some(middle) = lattice.position_in(window, window.width / 2, window.height / 2) else {
        return Ok(());
    };
    let Some(cell) = grid.locate(middle).filter(|_| !cells.is_empty()) else { return Ok(()) };
    if !land(&cells)?.is_empty() {
        return Ok(());
    }
    for rings in [4, 16, 64, FAR_RINGS] {
        let near = |c: &Cell| grid.distance_m(middle, grid.center(*c));
        let found = land(&grid.halo(cell, rings))?.into_iter().min_by(|a, b| near(a).total_cmp(&near(b)));
        if let Some(nearest) = found {
            let km = near(&nearest) / 1000.0;
            let [x, y] = Map::of(view).told(coordinates(grid, grid.center(nearest)));
            let place = match grid {
                Topology::Globe(_) => format!("{x:.2},{y:.2}"),
                Topology::Flat(_) => format!("{x:.0},{y:.0}"),
            };
            session.say(&format!("all of this is sea; the nearest land is {km:.0} km away: --at={place}"));
            return Ok(());
        }
    }
    session.say("all of this is sea, and so is all around it; terrane map shows where land is");
    Ok(())
}

/// Places along each side of a window that are looked at, and how far land is looked for, in cells.
const SEA_PLACES: usize = 17;
const FAR_RINGS: usize = 256;

/// A rectangle of so many km around a place.
pub fn rectangle(map: &Map, text: &str, span: &str, step: f64) -> Result<(Lattice, Window)> {
    let (lattice, [x, y]) = metric(map.grid, map.place("--at", text)?, step);
    let [width_km, height_km] = match span.split(',').count() {
        1 => numbers::<1>("--span", span, "KM or KM,KM").map(|[side]| [side, side])?,
        _ => numbers("--span", span, "KM or KM,KM")?,
    };
    let most = 20_000.0;
    if [width_km, height_km].iter().any(|&km| !(km > 0.0 && km <= most)) {
        return Err(misuse(format!("--span {span}: expected km from above 0 to {most}")));
    }
    let window = lattice.centred([x, y], [width_km * 500.0, height_km * 500.0]);
    Ok((lattice, window))
}

/// A square of samples around a place, `half_m` metres to each side.
pub fn around(grid: &Topology, place: [f64; 2], half_m: f64, step: f64) -> (Lattice, Window) {
    let (lattice, [x, y]) = metric(grid, place, step);
    let window = lattice.centred([x, y], [half_m; 2]);
    (lattice, window)
}

/// The metric lattice around a place, and the place on it.
fn metric(grid: &Topology, [x, y]: [f64; 2], step: f64) -> (Lattice, [f64; 2]) {
    let lattice = Lattice::of_metres(grid, (x, y), step);
    let place = lattice.project(x, y).into();
    (lattice, place)
}

/// Three whole numbers with strokes between.
fn address(option: &str, text: &str, form: &str) -> Result<[u64; 3]> {
    let parts: Option<Vec<u64>> = text.split('/').map(|part| part.trim().parse().ok()).collect();
    let wrong = || misuse(format!("{option} {text}: expected {form}, such as 2/1/3"));
    parts.and_then(|parts| parts.try_into().ok()).ok_or_else(wrong)
}

fn tile(grid: &Topology, text: &str, size: TileSize) -> Result<Place> {
    let [zoom, x, y] = address("--tile", text, "Z/X/Y")?;
    let Topology::Globe(globe) = grid else {
        return Err(misuse(format!("--tile {text}: a flat map has no web tiles; use --bbox in metres")));
    };
    let pixels = match size {
        TileSize::Usual => 256,
        TileSize::Large => 512,
    };
    let most = u64::from(Lattice::MAX_ZOOM);
    if zoom > most {
        return Err(misuse(format!("--tile {text}: zoom {zoom} is not from 0 to {most}")));
    }
    let found = Lattice::web_tile(globe.radius_m(), (zoom as u8, x, y), pixels);
    let missing = || {
        let last = (1u64 << zoom) - 1;
        misuse(format!("--tile {text}: at zoom {zoom} columns and rows run from 0 to {last}"))
    };
    let (lattice, window) = found.ok_or_else(missing)?;
    let notes = vec![("tile".to_string(), format!("{zoom}/{x}/{y}"))];
    Ok(Place { lattice, window, area: None, notes })
}

fn cell(grid: &Topology, text: &str) -> Result<Cell> {
    let [face, row, col] = address("--cell", text, "FACE/ROW/COLUMN")?;
    let shape = grid.shape();
    let [faces, rows, cols] = [shape.faces, shape.rows, shape.cols].map(u64::from);
    if face < faces && row < rows && col < cols {
        return Ok(shape.join(face as u32, row as u32, col as u32));
    }
    Err(misuse(format!(
        "--cell {text}: there are faces 0 to {}, rows 0 to {}, columns 0 to {}",
        faces - 1,
        rows - 1,
        cols - 1
    )))
}

fn cell_at(map: &Map, text: &str) -> Result<Cell> {
    let [x, y] = map.place("--cell-at", text)?;
    let position = match map.grid {
        Topology::Globe(globe) => globe.at_lon_lat(x, y),
        Topology::Flat(_) => grid::Vec3::new(x, y, 0.0),
    };
    map.grid.locate(position).ok_or_else(|| misuse(format!("--cell-at {text}: no cell lies there")))
}

/// A cell as it is. Its samples are not resampled to a map: files give metres from the south-west corner of the face,
/// and say where the corners of the cell lie.
fn native(map: &Map, cell: Cell, level: u8) -> Place {
    let grid = map.grid;
    let (lattice, window) = Lattice::native(grid, cell, level);
    let (face, row, column) = grid.shape().split(cell);
    let corner = |(name, along, down): (&str, f64, f64)| {
        let [x, y] = map.told(coordinates(grid, grid.within(cell, along, down)));
        (format!("corner_{name}"), format!("{x},{y}"))
    };
    let corners = [("nw", 0.0, 0.0), ("ne", 1.0, 0.0), ("se", 1.0, 1.0), ("sw", 0.0, 1.0)];
    let mut notes = vec![
        ("cell".to_string(), format!("{face}/{row}/{column}")),
        ("level".to_string(), level.to_string()),
    ];
    notes.extend(corners.map(corner));
    Place { lattice, window, area: None, notes }
}
