//! `terrane region`: terrain of any place at any resolution.

use crate::args::{self, RegionMethod, RegionStyle};
use crate::output::{Session, advance, check_apart, check_place, ending, misuse, numbers};
use crate::picture;
use crate::world_file::{ENGINE, WorldView};
use anyhow::Result;
use formats::{Band, BandValues, Raster};
use grid::Topology;
use region::{Lattice, Method, Request, Sampled, Window, refine};
use serve::draw::furniture::scale_bar;
use serve::draw::{Corner, Look, Style};
use std::path::{Path, PathBuf};
use std::time::Duration;
use world::CellSource;

/// What is written, by the ending of the file's name.
enum Product {
    GeoTiff,
    Picture(Style),
    Heightmap,
    Raw32,
    Raw16,
}

impl Product {
    /// The files that are written: numbers without a header have a JSON file beside them.
    fn files(&self, path: &Path) -> Vec<PathBuf> {
        let mut files = vec![path.to_path_buf()];
        if matches!(self, Self::Heightmap | Self::Raw32 | Self::Raw16) {
            let mut beside = path.as_os_str().to_owned();
            beside.push(".json");
            files.push(beside.into());
        }
        files
    }

    /// Refuses layers that would be left out without a word.
    fn check_layers(&self, layers: &[Sampled]) -> Result<()> {
        match self {
            Self::Picture(_) if layers != [Sampled::Elevation] => {
                Err(misuse("--layers: a picture shows terrain; write layers to a .tif or .r32 file"))
            }
            Self::Heightmap if layers.len() > 1 => {
                Err(misuse("--layers: a heightmap holds one layer; write several to a .tif or .r32 file"))
            }
            _ => Ok(()),
        }
    }
}

/// Runs the command.
#[allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "the program tells how long it took")]
pub fn run(args: &args::Region, session: Session) -> Result<()> {
    let start = std::time::Instant::now();
    let product = product(&args.output, args.style)?;
    for written in product.files(&args.output) {
        check_place(&written)?;
        check_apart(&written, &args.world)?;
    }
    let layers = layers(&args.layers)?;
    product.check_layers(&layers)?;
    let view = WorldView::open(&args.world)?;
    let opened = (start.elapsed(), view.file.bytes_read());

    let (lattice, window) = place(view.grid(), args)?;
    let wanted = if matches!(product, Product::Picture(_)) { picture::LAYERS.to_vec() } else { layers };
    let method = match args.method {
        RegionMethod::Classic => Method::Classic,
    };
    let request = Request::new(lattice, window, wanted, method).map_err(|e| misuse(e.to_string()))?;
    let bar = session.bar("refining");
    let refined = refine(&view, &request, &|share| advance(&bar, share))?;
    bar.finish_and_clear();
    let done = start.elapsed();

    write(refined, &product, &args.output, &view)?;
    report(args, session, &window, &view, (opened, done, start.elapsed()));
    Ok(())
}

fn report(
    args: &args::Region,
    session: Session,
    window: &Window,
    view: &WorldView,
    ((opened, first), refined, all): ((Duration, u64), Duration, Duration),
) {
    session.say(&format!("{}: {} x {} samples", args.output.display(), window.width, window.height));
    let ms = |d: Duration| d.as_secs_f64() * 1000.0;
    session.detail(&format!(
        "opened in {:.1} ms, refined in {:.1} ms, written in {:.1} ms",
        ms(opened),
        ms(refined - opened),
        ms(all - refined)
    ));
    session.detail(&format!(
        "read {} bytes of {}: {first} to open the file, {} for this region",
        view.file.bytes_read(),
        view.file.file_bytes(),
        view.file.bytes_read() - first
    ));
}

fn product(path: &Path, style: RegionStyle) -> Result<Product> {
    let ending = ending(path);
    if style != RegionStyle::Terrain && matches!(ending.as_str(), "tif" | "tiff" | "r32" | "r16" | "raw") {
        return Err(misuse(format!("--style: {} holds numbers; only a .png has a style", path.display())));
    }
    match (ending.as_str(), style) {
        ("tif" | "tiff", _) => Ok(Product::GeoTiff),
        ("png", RegionStyle::Terrain) => Ok(Product::Picture(Style::Terrain)),
        ("png", RegionStyle::Atlas) => Ok(Product::Picture(Style::Atlas)),
        ("png", RegionStyle::Height) => Ok(Product::Heightmap),
        ("r32", _) => Ok(Product::Raw32),
        ("r16" | "raw", _) => Ok(Product::Raw16),
        _ => Err(misuse(format!("{}: the name must end in .tif, .png, .r32 or .r16", path.display()))),
    }
}

fn layers(names: &[String]) -> Result<Vec<Sampled>> {
    if names.is_empty() {
        return Ok(vec![Sampled::Elevation]);
    }
    let mut layers = Vec::new();
    for name in names {
        let layer = Sampled::named(name.trim()).ok_or_else(|| {
            let all: Vec<&str> = Sampled::ALL.iter().map(|l| l.name()).collect();
            misuse(format!("--layers: there is no layer {name:?}; there are: {}", all.join(", ")))
        })?;
        if !layers.contains(&layer) {
            layers.push(layer);
        }
    }
    layers.sort_unstable(); // elevation is band 1
    Ok(layers)
}

/// The lattice and window that the arguments name.
fn place(grid: &Topology, args: &args::Region) -> Result<(Lattice, Window)> {
    let step = args.resolution;
    let limits = Request::MIN_SPACING_M..=Request::MAX_SPACING_M;
    if !limits.contains(&step) {
        let message =
            format!("--resolution {step}: expected metres from {} to {}", limits.start(), limits.end());
        return Err(misuse(message));
    }
    match (&args.bbox, &args.at, args.span) {
        (Some(text), _, _) => boxed(grid, text, step),
        (None, Some(text), Some(span)) => square(grid, text, span, step),
        _ => Err(misuse("say where: --at LON,LAT --span KM, or --bbox W,S,E,N")),
    }
}

fn boxed(grid: &Topology, text: &str, step: f64) -> Result<(Lattice, Window)> {
    let [west, south, east, north] = numbers("--bbox", text, "W,S,E,N")?;
    if south >= north {
        return Err(misuse(format!("--bbox {text}: the south {south} is not below the north {north}")));
    }
    let (lattice, east) = match grid {
        Topology::Globe(globe) => {
            check_degrees("--bbox", &[west, east], &[south, north])?;
            (Lattice::lon_lat(globe.radius_m(), step), if west > east { east + 360.0 } else { east })
        }
        Topology::Flat(_) => (Lattice::Plane { step_m: step }, east),
    };
    if west >= east {
        return Err(misuse(format!("--bbox {text}: the west {west} is not left of the east {east}")));
    }
    check_on_map("--bbox", text, grid, [west, south, east, north])?;
    let window = lattice.window(west, south, east, north);
    Ok((lattice, window))
}

fn square(grid: &Topology, text: &str, span_km: f64, step: f64) -> Result<(Lattice, Window)> {
    let place @ [x, y] = numbers("--at", text, "LON,LAT")?;
    check_on_map("--at", text, grid, [x, y, x, y])?;
    let most = 20_000.0;
    if !(span_km > 0.0 && span_km <= most) {
        return Err(misuse(format!("--span {span_km}: expected km from above 0 to {most}")));
    }
    around(grid, place, span_km * 500.0, step)
}

/// A square of samples around a place, `half_m` metres to each side.
pub fn around(grid: &Topology, [x, y]: [f64; 2], half_m: f64, step: f64) -> Result<(Lattice, Window)> {
    let lattice = match grid {
        Topology::Globe(globe) => {
            check_degrees("--at", &[x], &[y])?;
            Lattice::around(globe.radius_m(), (x, y), step)
        }
        Topology::Flat(_) => Lattice::Plane { step_m: step },
    };
    let (x, y) = lattice.project(x, y);
    let window = lattice.window(x - half_m, y - half_m, x + half_m, y + half_m);
    Ok((lattice, window))
}

/// Makes sure that a box, or a place as a box without extent, has a part on a flat map.
pub fn check_on_map(option: &str, text: &str, grid: &Topology, [w, s, e, n]: [f64; 4]) -> Result<()> {
    let Topology::Flat(flat) = grid else { return Ok(()) };
    let (width, height) = flat.extent_m();
    if w <= width && e >= 0.0 && s <= height && n >= 0.0 {
        return Ok(());
    }
    let message = format!("{option} {text}: outside the map, which spans 0,0,{width},{height} metres");
    Err(misuse(message))
}

/// Checks longitudes and latitudes.
pub fn check_degrees(option: &str, longitudes: &[f64], latitudes: &[f64]) -> Result<()> {
    if let Some(lon) = longitudes.iter().find(|l| l.abs() > 180.0) {
        return Err(misuse(format!("{option}: longitude {lon} is not from -180 to 180")));
    }
    if let Some(lat) = latitudes.iter().find(|l| l.abs() > 90.0) {
        return Err(misuse(format!("{option}: latitude {lat} is not from -90 to 90")));
    }
    Ok(())
}

fn write(region: region::Region, product: &Product, path: &Path, view: &WorldView) -> Result<()> {
    if let Product::Picture(style) = product {
        let mut canvas = picture::draw(&region, *style)?;
        let look = Look::for_width(canvas.width());
        scale_bar(&mut canvas, region.lattice.spacing_m(), Corner::BottomRight, &look);
        return picture::save(&canvas, path);
    }
    let raster = raster(region);
    match product {
        Product::GeoTiff => {
            let about = [
                ("world".to_string(), view.recipe().name.clone()),
                ("seed".to_string(), view.recipe().seed.to_string()),
                ("software".to_string(), ENGINE.to_string()),
            ];
            formats::geotiff::write(path, &raster, &about)?;
        }
        Product::Heightmap => formats::png::write_u16(path, &raster)?,
        Product::Raw32 => formats::raw::write_r32(path, &raster)?,
        Product::Raw16 => formats::raw::write_r16(path, &raster)?,
        Product::Picture(_) => {}
    }
    Ok(())
}

fn raster(region: region::Region) -> Raster {
    let georeference = picture::georeference(&region.lattice, &region.window);
    let Window { width, height, .. } = region.window;
    let band =
        |(layer, values): (Sampled, Vec<f32>)| Band::new(layer.name(), layer.unit(), BandValues::F32(values));
    Raster { width, height, georeference, bands: region.into_layers().into_iter().map(band).collect() }
}
