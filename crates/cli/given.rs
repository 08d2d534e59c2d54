//! What people give to a world in files of their own: `--land`, `--mountain-height`, `--ridge-lines`, `--rivers-to-keep`.

pub mod lines;
pub mod rasters;

use crate::geojson;
use crate::output::{Session, advance, check_apart, misuse};
use anyhow::{Context, Result, bail};
use clap::Args;
use grid::{Topology, Vec3};
use rasters::{Kind, Place, Samples};
use std::path::{Path, PathBuf};
use world::given::{self, Raster};
use world::{Recipe, recipe};

/// Mountains are not higher than this above the land under them, in metres.
const MOST_HEIGHT_M: f64 = 20_000.0;

/// Arguments of commands that take such files.
#[derive(Args)]
pub struct Given {
    /// Land is where this raster is greater than 0: a GeoTIFF or grey PNG of the whole globe or map
    #[arg(long, value_name = "RASTER")]
    pub land: Option<PathBuf>,
    /// Height of the mountains in metres above the land under them: a GeoTIFF or grey PNG of the whole globe or map
    #[arg(long, value_name = "RASTER")]
    pub mountain_height: Option<PathBuf>,
    /// Crest lines, the only ones then: a GeoJSON of lines, in degrees on a globe, in metres on a flat map
    #[arg(long, value_name = "GEOJSON")]
    pub ridge_lines: Option<PathBuf>,
    /// Rivers that water shall follow, each from its head down: a GeoJSON of lines
    #[arg(long, value_name = "GEOJSON")]
    pub rivers_to_keep: Option<PathBuf>,
}

/// What the files hold.
pub struct Files {
    land: Option<Raster>,
    mountain_height: Option<Raster>,
    ridge_lines: Vec<Vec<Vec3>>,
    rivers: Vec<Vec<Vec3>>,
}

impl Given {
    /// The files that are given, with the options that name them.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let all = [
            ("--land", &self.land),
            ("--mountain-height", &self.mountain_height),
            ("--ridge-lines", &self.ridge_lines),
            ("--rivers-to-keep", &self.rivers_to_keep),
        ];
        all.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?)))
    }

    /// Memory that it takes to read the files of lines, one after the other.
    pub fn lines_bytes(&self) -> f64 {
        let lines = [&self.ridge_lines, &self.rivers_to_keep];
        lines.into_iter().flatten().map(|path| geojson::needed_bytes(path)).fold(0.0, f64::max)
    }

    /// Refuses an output that would replace one of the files.
    pub fn check_apart(&self, output: &Path) -> Result<()> {
        self.files().try_for_each(|(_, path)| check_apart(output, path))
    }

    /// Notes the files in the recipe of a made world. A recipe that mentions files wants the same ones, by whatever name.
    ///
    /// # Errors
    /// Files that cannot be read; other files than those that the recipe mentions, or none.
    pub fn sign(&self, recipe: &mut Recipe) -> Result<()> {
        for (option, path) in self.files() {
            let said = recipe.given.get_or_insert_default().file_mut(option).context("an option of these")?;
            let found = digest(path)?;
            if said.is_empty() {
                *said = format!("{} {found}", file_name(path));
            } else if !said.ends_with(&found) {
                return Err(misuse(format!(
                    "{option} {}: the recipe is that of a world to which another file was given: {said}; this one has \
                     BLAKE3 {found}; give that file, or take the line out of the section [given]",
                    path.display()
                )));
            }
        }
        let none = recipe::Given::default();
        let given: Vec<&str> = self.files().map(|(option, _)| option).collect();
        let said = recipe.given.as_ref().unwrap_or(&none).files();
        match said.into_iter().find(|(option, file)| !file.is_empty() && !given.contains(option)) {
            Some((option, file)) => {
                Err(misuse(given::GivenError::Missing { option, file: file.into() }.to_string()))
            }
            None => Ok(()),
        }
    }

    /// Reads all files onto a grid that lies at a place.
    ///
    /// # Errors
    /// Files that cannot be read, that cover another place, or that hold nothing of use.
    pub fn read(&self, place: &Place, grid: &Topology, session: Session) -> Result<Files> {
        let raster = |path: &Option<PathBuf>, option| -> Result<Option<Raster>> {
            let Some(path) = path else { return Ok(None) };
            let samples = Samples::open(path, &Kind::of_mask(place))?;
            samples.check_lies_like(place, option)?;
            let raster = gather(samples, (grid, 0.0), session)?;
            let (_, most) = raster.range_m();
            let refuse = |why: String| Err(misuse(format!("{option} {}: {why}", path.display())));
            if most.is_nan() {
                return refuse("it holds no number, only samples without data".into());
            }
            if option == "--mountain-height" && most > MOST_HEIGHT_M {
                return refuse(format!(
                    "it holds {most}; heights of mountains in metres are wanted, at most {MOST_HEIGHT_M}"
                ));
            }
            Ok(Some(raster))
        };
        let lines = |path: &Option<PathBuf>, option| match path {
            Some(path) => lines::read(path, option, place),
            None => Ok(Vec::new()),
        };
        Ok(Files {
            land: raster(&self.land, "--land")?,
            mountain_height: raster(&self.mountain_height, "--mountain-height")?,
            ridge_lines: lines(&self.ridge_lines, "--ridge-lines")?,
            rivers: lines(&self.rivers_to_keep, "--rivers-to-keep")?,
        })
    }
}

impl Files {
    /// The same for the simulation.
    pub fn given(&self) -> given::Given<'_> {
        given::Given {
            land: self.land.as_ref(),
            mountain_height: self.mountain_height.as_ref(),
            ridge_lines: &self.ridge_lines,
            rivers: &self.rivers,
        }
    }
}

/// Reads a raster onto a grid, with a progress bar; the sea stands at `sea_level_m` in it.
pub fn gather(samples: Samples, (grid, sea_level_m): (&Topology, f64), session: Session) -> Result<Raster> {
    let bar = session.bar("reading");
    let raster = samples.gather(grid, sea_level_m, |share| advance(&bar, share))?;
    bar.finish_and_clear();
    Ok(raster)
}

/// A file's name and the digest of its bytes, as recipes hold them.
pub fn signature(path: &Path) -> Result<String> {
    Ok(format!("{} {}", file_name(path), digest(path)?))
}

/// The name of a file, without its folder, cut to what a recipe takes.
pub fn file_name(path: &Path) -> String {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    name.chars().take(60).collect()
}

/// BLAKE3 of a file's bytes. A pipe could be read once only, and a device might have no end.
pub fn digest(path: &Path) -> Result<String> {
    let about = path.metadata().with_context(|| format!("cannot read {}", path.display()))?;
    if !about.is_file() {
        let kind = if about.is_dir() { "folder" } else { "device" };
        bail!("cannot read {}: it is a {kind}, not a file", path.display());
    }
    store::digest_of_file(path).with_context(|| format!("cannot read {}", path.display()))
}
