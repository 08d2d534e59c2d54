//! `terrane region`: terrain of any place at any resolution.
//!
//! What is asked for is a place ([`place`]), layers, and files ([`outputs`]). Everything that the files need is refined
//! once; lines and areas are made from it and from the same features ([`features`]).

mod features;
mod long;
mod mesh;
mod outputs;
mod place;
mod polygon;
mod sheet;
mod size;
mod web_box;
mod web_tiles;

use crate::args::{self, RegionMethod, RegionStyle};
use crate::memory;
use crate::named::Map;
use crate::output::{Session, advance, ending, misuse};
use crate::picture;
use crate::river_layers::write_layers;
use anyhow::Result;
use archive::{ENGINE, WorldView};
use export::frame::georeference;
use features::Tables;
use formats::{Band, BandValues, Raster};
use grid::Topology;
use outputs::{Outputs, Product};
use place::{Place, tell_sea};
use region::{Method, Region, Request, Sampled, VectorLayer, Vectors, Window, refine, vectors};
use serve::draw::furniture::scale_bar;
use serve::draw::{Corner, Look};
use std::path::Path;
use std::time::Duration;
use world::CellSource;

pub use features::closed_lakes;
pub use place::{around, boxed, check_resolution, rectangle, tell_open};

/// Runs the command.
#[allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "the program tells how long it took")]
pub fn run(args: &args::Region, session: Session) -> Result<()> {
    let start = std::time::Instant::now();
    memory::limit(args.memory)?;
    // whoever names an engine wants numbers, not a picture
    let pngs = args.output.iter().any(|path| ending(path) == "png");
    let style = if args.engine.is_some() && pngs { RegionStyle::Height } else { args.style };
    let outputs = Outputs::plan(&args.output, &args.layers, style)?;
    let inputs: Vec<&Path> =
        [Some(&args.world), args.polygon.as_ref()].into_iter().flatten().map(|p| p.as_path()).collect();
    outputs.check_places(&inputs)?;
    let range = range(args, &outputs)?;
    args.printing.check(outputs.prints().is_some())?;
    let view = WorldView::open(&args.world)?;
    let opened = (start.elapsed(), view.file.bytes_read());

    if web_tiles::is_wanted(args, &outputs)? {
        return web_tiles::export(args, &outputs, &view, session);
    }
    let map = Map::of(&view);
    let filled;
    let args = match outputs.prints().filter(|_| args.resolution.is_none()) {
        None => args,
        Some((_, paths)) => {
            sheet::check(args, paths[0])?;
            filled = args::Region { resolution: sheet::resolution(&map, args)?, ..args.clone() };
            &filled
        }
    };
    let place = place::place(&map, args)?;
    mesh::check(&outputs, &place)?;
    check_gaps(&outputs, &place)?;
    if long::is_long(args, &outputs, &place)? {
        long::export(args, &outputs, (&view, &place, range), session)?;
        tell_open(&place.lattice, &place.window, session);
        return tell_sea(&view, &place.lattice, &place.window, session);
    }
    let request = request(args, &outputs, view.grid(), &place)?;
    let bar = session.bar("refining");
    let region = refine(&view, &request, &|share| advance(&bar, share))?;
    bar.finish_and_clear();
    let wanted = outputs.vector_layers();
    let found = vectors(&view, (&request, place.area.as_ref()), &region, &wanted)?;
    let refined = start.elapsed();

    write_vectors(&found, &outputs, (&view, &place), session)?;
    if let Some((style, paths)) = outputs.prints() {
        sheet::write((&region, &found), (&view, &place), style, (&paths, &args.printing))?;
    }
    write_rasters(region, (&outputs, range), (&view, &place), session)?;
    tell_open(&place.lattice, &place.window, session);
    tell_sea(&view, &place.lattice, &place.window, session)?;
    report(session, &view, (opened, refined, start.elapsed()));
    Ok(())
}

/// What is refined, if it fits into memory.
fn request(args: &args::Region, outputs: &Outputs, grid: &Topology, place: &Place) -> Result<Request> {
    let refused = |e: region::RequestError| misuse(e.to_string());
    let request =
        Request::of_any_size(place.lattice.clone(), place.window, outputs.layers(), refined_by(args.method))
            .map_err(refused)?;
    let limit = memory::limit(args.memory)?;
    request
        .check_memory(grid, outputs.bytes_per_sample(), limit)
        .map_err(|e| misuse(format!("--max-memory {}: {e}", args.memory)))?;
    let rivers = outputs.vector_layers().contains(&VectorLayer::Rivers);
    let request = request.with_texture(!args.no_texture).with_rivers(rivers);
    let Some(area) = &place.area else { return Ok(request) };
    request.within(area).map_err(refused)
}

/// The method that the command line names.
pub fn refined_by(method: RegionMethod) -> Method {
    match method {
        RegionMethod::Drainage => Method::Drainage,
        RegionMethod::Classic => Method::Classic,
    }
}

/// What integers are to stand for, if that is given: of one layer in a file of them.
fn range(args: &args::Region, outputs: &Outputs) -> Result<Option<(f64, f64)>> {
    let Some(text) = &args.range else { return Ok(None) };
    let ends = text.split_once(',').and_then(|(low, high)| {
        let end = |text: &str| text.trim().parse::<f64>().ok().filter(|v| v.is_finite());
        Some((end(low)?, end(high)?)).filter(|(low, high)| low < high)
    });
    let wrong =
        || misuse(format!("--range {text}: expected LOW,HIGH, two numbers that rise, such as -500,9000"));
    let ends = ends.ok_or_else(wrong)?;
    let mut integers = outputs
        .rasters
        .iter()
        .filter(|(_, p, _)| matches!(p, Product::Raw16 | Product::Heightmap))
        .peekable();
    if integers.peek().is_none() {
        return Err(misuse(
            "--range: only .r16 files and heightmaps (.png with --style height) hold integers",
        ));
    }
    if let Some((path, ..)) = integers.find(|(.., layers)| layers.len() != 1) {
        let why = "a range is that of one layer; name one with --layers";
        return Err(misuse(format!("{}: {why}", path.display())));
    }
    Ok(Some(ends))
}

/// Makes sure that files can say that there is no data, where there will be none.
fn check_gaps(outputs: &Outputs, place: &Place) -> Result<()> {
    if place.area.is_none() {
        return Ok(());
    }
    if let Some((path, ..)) = outputs.rasters.iter().find(|(_, product, _)| !product.holds_gaps()) {
        let why = "samples outside the polygon are no data, which it cannot say; write a .tif or .r32 file";
        return Err(misuse(format!("{}: {why}", path.display())));
    }
    Ok(())
}

fn report(
    session: Session,
    view: &WorldView,
    ((opened, first), refined, all): ((Duration, u64), Duration, Duration),
) {
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
    memory::tell_peak(session);
}

fn write_vectors(
    found: &Vectors,
    outputs: &Outputs,
    (view, place): (&WorldView, &Place),
    session: Session,
) -> Result<()> {
    let tables = Tables::read(view, &place.lattice, &outputs.vector_layers())?;
    for (path, layers) in &outputs.vectors {
        let layers: Vec<formats::features::Layer> =
            layers.iter().map(|&layer| tables.layer(found, layer)).collect();
        let layers = write_layers(path, layers, view)?;
        let counts: Vec<String> = layers.iter().map(|l| format!("{} {}", l.features.len(), l.name)).collect();
        session.say(&format!("{}: {}", path.display(), counts.join(", ")));
    }
    Ok(())
}

fn write_rasters(
    region: Region,
    (outputs, range): (&Outputs, Option<(f64, f64)>),
    (view, place): (&WorldView, &Place),
    session: Session,
) -> Result<()> {
    let (drawn, rasters): (Vec<_>, Vec<_>) = outputs.rasters.iter().partition(|(_, p, _)| p.is_drawn());
    for (path, product, _) in drawn {
        if let Product::Mesh(style) = product {
            mesh::write(&region, (view, *style), path, &notes(view, place))?;
        }
        if let Product::Picture(style) = product {
            let mut canvas = picture::draw(&region, view, *style)?;
            let look = Look::for_width(canvas.width());
            scale_bar(&mut canvas, region.lattice.spacing_m(), Corner::BottomRight, &look);
            picture::save(&canvas, path)?;
        }
    }
    let Window { width, height, .. } = region.window;
    let mut left: Vec<(Sampled, Vec<f32>)> = region.into_layers();
    for (number, (path, product, layers)) in rasters.iter().enumerate() {
        let is_last = number + 1 == rasters.len();
        let raster = raster(&mut left, layers, (view, place), is_last);
        write_raster(raster, (*product, range), path, &notes(view, place))?;
    }
    for (path, ..) in &outputs.rasters {
        session.say(&format!("{}: {width} x {height} samples", path.display()));
    }
    Ok(())
}

/// Some layers as a raster: taken out if they are needed no more, else copied.
fn raster(
    left: &mut Vec<(Sampled, Vec<f32>)>,
    layers: &[Sampled],
    (view, place): (&WorldView, &Place),
    is_last: bool,
) -> Raster {
    let Window { width, height, .. } = place.window;
    if is_last {
        left.retain(|(layer, _)| layers.contains(layer));
    }
    let mut bands = Vec::with_capacity(layers.len());
    for (layer, values) in left.iter_mut().filter(|(layer, _)| layers.contains(layer)) {
        let values = if is_last { std::mem::take(values) } else { values.clone() };
        bands.push(Band::new(layer.name(), layer.unit(), BandValues::F32(values)));
    }
    let georeference = export::placed(view, georeference(&place.lattice, &place.window));
    Raster { width, height, georeference, bands }
}

/// What files of numbers say of themselves.
fn notes(view: &WorldView, place: &Place) -> Vec<(String, String)> {
    let mut notes = vec![
        ("world".to_string(), view.recipe().name.clone()),
        ("seed".to_string(), view.recipe().seed.to_string()),
        ("software".to_string(), ENGINE.to_string()),
    ];
    notes.extend(place.notes.iter().cloned());
    notes
}

fn write_raster(
    raster: Raster,
    (product, range): (Product, Option<(f64, f64)>),
    path: &Path,
    notes: &[(String, String)],
) -> Result<()> {
    match product {
        Product::GeoTiff => formats::geotiff::write_cog(path, &picture::source(raster)?, notes, &|_| {})?,
        Product::Heightmap => formats::png::write_u16(path, &raster, range, notes)?,
        Product::Raw32 => formats::raw::write_r32(path, &raster, notes)?,
        Product::Raw16 => formats::raw::write_r16(path, &raster, range, notes)?,
        Product::Zarr => formats::zarr::write(path, &picture::source(raster)?, notes, &|_| {})?,
        Product::Picture(_) | Product::Mesh(_) | Product::Print(_) | Product::WebTiles => {}
    }
    Ok(())
}
