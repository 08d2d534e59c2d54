//! `terrane refine`: a region as a store of shards, which many machines may fill.
//!
//! What a store is, which shards it has and what is in them says [`export::Plan`]; here they are put into a folder. Every file is
//! written beside its place and renamed, so a shard that is there is whole, and a program that was killed loses the one shard
//! that it was at.

mod arguments;

pub use arguments::Refine;

use crate::memory;
use crate::named::Map;
use crate::output::{OTHERS, Session, advance, emit, ending, misuse};
use crate::region::{boxed, check_resolution, rectangle, refined_by, tell_open};
use anyhow::{Context, Result};
use archive::WorldView;
use arguments::Part;
use export::Plan;
use formats::Cause;
use formats::zarr::Object;
use region::{Cache, Lattice, Request, Sampled, Window};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use world::CellSource;

/// Drainage that shards share, in bytes.
const DRAINAGE: u64 = 64 << 20;
/// What says what a store is, and that it is whole but for its shards.
const WHOLE: &str = "zarr.json";

/// Runs the command.
pub fn run(args: &Refine, session: Session) -> Result<()> {
    memory::limit(args.memory)?;
    if let Some((kind, _)) = args.out.to_string_lossy().split_once("://") {
        let other = "terrane.dask.refine of the Python package writes there";
        return Err(misuse(format!("--out {kind}://: stores are written to folders; {other}")));
    }
    let ending = ending(&args.out);
    if ending != "zarr" && OTHERS.contains(&ending.as_str()) {
        let other = "terrane region writes files";
        return Err(misuse(format!(
            "--out {}: a store is a folder, no .{ending} file; {other}",
            args.out.display()
        )));
    }
    let view = WorldView::open(&args.world)?;
    let plan = plan(&view, args)?;
    if args.plan {
        return emit(&told(&plan));
    }
    let store = Store { folder: &args.out, plan: &plan };
    store.begin()?;
    let part = args.shard.unwrap_or(Part::WHOLE);
    refine(&store, &view, (part, args.overwrite), session)?;
    tell_open(&plan.request().lattice, &plan.request().window, session);
    if args.overviews {
        overviews(&store, args.overwrite, session)?;
    }
    memory::tell_peak(session);
    Ok(())
}

/// What is to be made, if it can be.
fn plan(view: &WorldView, args: &Refine) -> Result<Plan> {
    let mut layers = Vec::with_capacity(args.layers.len());
    for name in args.layers.iter().map(|name| name.trim()) {
        let Some(layer) = Sampled::named(name) else {
            return Err(misuse(format!("--layers {name}: there is no such layer; see --help")));
        };
        if layers.contains(&layer) {
            return Err(misuse(format!("--layers: {name} stands there twice")));
        }
        layers.push(layer);
    }
    let (lattice, window) = place(&Map::of(view), args)?;
    let request = Request::of_any_size(lattice, window, layers, refined_by(args.method))
        .map_err(|e| misuse(e.to_string()))?
        .with_texture(!args.no_texture)
        .with_cache(&Cache::new(DRAINAGE));
    let plan = Plan::new(view, request, args.side, view.file.digest()).map_err(|e| misuse(e.to_string()))?;
    // a shard is packed beside its samples
    let packing = 4 * plan.request().layers.len() as u64;
    plan.request_of(0)
        .check_memory(view.grid(), packing, memory::limit(args.memory)?)
        .map_err(|e| misuse(format!("--max-memory {}, for one shard: {e}", args.memory)))?;
    Ok(plan)
}

/// The part of the world that the arguments name.
fn place(map: &Map, args: &Refine) -> Result<(Lattice, Window)> {
    check_resolution(args.resolution)?;
    if let (Some(at), Some(span)) = (&args.at, &args.span) {
        return rectangle(map, at, span, args.resolution);
    }
    if let Some(bbox) = &args.bbox {
        return boxed(map, bbox, args.resolution);
    }
    Ok(export::frame::whole(map.grid, args.resolution))
}

/// What a plan amounts to, for people and job scripts.
fn told(plan: &Plan) -> String {
    let (width, height) = plan.size(0);
    let layers = plan.request().layers.len();
    let samples = plan.request().samples();
    let levels: usize = (1..plan.levels()).map(|level| plan.shards(level)).sum();
    format!(
        "samples   {width} x {height} = {samples}\n\
         layers    {layers}\n\
         shards    {} of {side} x {side} samples, a file for each layer\n\
         overviews {} with {levels} shards more\n\
         unpacked  {:.3} GB, {:.1} MB a shard and layer\n",
        plan.shards(0),
        plan.levels() - 1,
        samples as f64 * 4e-9 * layers as f64,
        (plan.side() * plan.side() * 4) as f64 / 1e6,
        side = plan.side(),
    )
}

/// A folder that a plan is carried out in.
struct Store<'a> {
    folder: &'a Path,
    plan: &'a Plan,
}

impl Store<'_> {
    /// Writes what a store has beside its shards, or makes sure that it is there for the same plan.
    fn begin(&self) -> Result<()> {
        let folder = self.folder.display();
        if self.folder.is_file() {
            return Err(misuse(format!("{folder} is a file; a store is a folder, name another")));
        }
        let template = self.plan.template(1, None)?;
        match fs::read(self.folder.join(WHOLE)) {
            Ok(found) => return self.plan.check(&found).map_err(|e| misuse(format!("{folder}: {e}"))),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(e).with_context(|| format!("{folder}/{WHOLE}")),
        }
        self.check_free(&template)?;
        template.iter().try_for_each(|object| self.put(object))?;
        // another program may have begun another region at the same moment
        let found = fs::read(self.folder.join(WHOLE)).with_context(|| format!("{folder}/{WHOLE}"))?;
        self.plan.check(&found).map_err(|e| misuse(format!("{folder}: {e}")))
    }

    /// Makes sure that there is nothing yet, or what a program wrote that was ended while it began.
    fn check_free(&self, template: &[Object]) -> Result<()> {
        let folder = self.folder.display();
        let entries = match fs::read_dir(self.folder) {
            Ok(entries) => entries,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(e).with_context(|| folder.to_string()),
        };
        let ours: BTreeSet<&str> =
            template.iter().filter_map(|object| object.key.split('/').next()).collect();
        for entry in entries {
            let name = entry.with_context(|| folder.to_string())?.file_name();
            let name = name.to_string_lossy();
            let is_temporary = name.starts_with('.') && name.ends_with(".part");
            if !ours.contains(name.as_ref()) && !is_temporary {
                return Err(misuse(format!(
                    "{folder} holds {name}, and no {WHOLE}: it is no store; name another"
                )));
            }
        }
        for Object { key, bytes } in template {
            if fs::read(self.folder.join(key)).is_ok_and(|found| found != *bytes) {
                return Err(misuse(format!(
                    "{folder} holds another {key}, and no {WHOLE}: name another store"
                )));
            }
        }
        Ok(())
    }

    fn put(&self, object: &Object) -> Result<()> {
        let path = self.folder.join(&object.key);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("making the folder {}", folder.display()))?;
        }
        Ok(formats::atomic(&path, |out| {
            use std::io::Write;
            Ok(out.write_all(&object.bytes)?)
        })?)
    }

    /// Whether a shard is there for all layers.
    fn has(&self, level: usize, shard: usize) -> bool {
        self.plan.keys(level, shard).iter().all(|key| self.folder.join(key).is_file())
    }

    fn read(&self, key: &str) -> Result<Vec<u8>, Cause> {
        Ok(fs::read(self.folder.join(key))?)
    }
}

/// Makes the shards of a part that are not there.
#[allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "the program tells how long it took")]
fn refine(store: &Store, view: &WorldView, (part, overwrite): (Part, bool), session: Session) -> Result<()> {
    let start = std::time::Instant::now();
    let ours: Vec<usize> = (0..store.plan.shards(0)).filter(|&shard| part.has(shard)).collect();
    let due: Vec<usize> = ours.iter().copied().filter(|&shard| overwrite || !store.has(0, shard)).collect();
    let bar = session.bar("refining");
    let mut samples = 0;
    for (number, &shard) in due.iter().enumerate() {
        let share = |of_shard: f64| (number as f64 + of_shard) / due.len() as f64;
        let objects = store.plan.refine(view, shard, &|done| advance(&bar, share(done)))?;
        objects.iter().try_for_each(|object| store.put(object))?;
        samples += store.plan.request_of(shard).samples();
        advance(&bar, share(1.0));
    }
    bar.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();
    session.say(&format!(
        "{}: {} shards made, {} were there; {:.1} million samples in {seconds:.1} s",
        store.folder.display(),
        due.len(),
        ours.len() - due.len(),
        samples as f64 / 1e6,
    ));
    Ok(())
}

/// Makes the coarser levels, and says of them in the store when they are there.
fn overviews(store: &Store, overwrite: bool, session: Session) -> Result<()> {
    let plan = store.plan;
    let levels = plan.levels();
    let all: usize = (1..levels).map(|level| plan.shards(level)).sum();
    let bar = session.bar("overviews");
    let mut done = 0;
    for level in 1..levels {
        for shard in 0..plan.shards(level) {
            if overwrite || !store.has(level, shard) {
                let objects = plan.overview(level, shard, &|key| store.read(key))?;
                objects.iter().try_for_each(|object| store.put(object))?;
            }
            done += 1;
            advance(&bar, done as f64 / all as f64);
        }
    }
    let found = fs::read(store.folder.join(WHOLE)).with_context(|| store.folder.display().to_string())?;
    let template = plan.template(levels, Some(&found))?;
    template.iter().try_for_each(|object| store.put(object))?;
    bar.finish_and_clear();
    session.say(&format!("{}: {} overviews", store.folder.display(), levels - 1));
    Ok(())
}
