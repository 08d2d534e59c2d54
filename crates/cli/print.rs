//! Maps to print: the paper, what stands beside the map, and which colours mean what.

use crate::output::{ending, misuse};
use anyhow::Result;
use archive::ENGINE;
use clap::{Args, ValueEnum};
use export::{Coordinates, Home};
use grid::Topology;
use region::Lattice;
use serve::Eastings;
pub use serve::print::capitalised;
use serve::print::{FINE, Paper};
use std::path::Path;
use world::{CellSource, Network, Recipe};

/// A size of paper.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sheet {
    /// 210 x 297 mm
    A4,
    /// 297 x 420 mm
    A3,
    /// 420 x 594 mm
    A2,
    /// 8.5 x 11 inches
    Letter,
}

/// The fewest samples to the inch.
pub const LEAST_PER_INCH: u32 = 36;

/// Drainage that is kept while summits of a map are looked for, in bytes.
pub const SUMMITS: u64 = 48 << 20;

/// Arguments of maps to print.
#[derive(Args, Clone)]
#[command(next_help_heading = "Maps to print (.svg, .pdf)")]
pub struct Printing {
    /// Paper of a .svg or .pdf map, turned as suits the map; A4 if not given
    #[arg(long, value_enum, ignore_case = true)]
    pub paper: Option<Sheet>,
    /// Samples to the inch of the relief on a .svg or .pdf map, 36 to 600; 300 if not given
    #[arg(long, value_name = "N", value_parser = crate::args::whole::<u32>(LEAST_PER_INCH.into(), 600), allow_negative_numbers = true)]
    pub dpi: Option<u32>,
    /// Title of a .svg or .pdf map; the world's name if not given
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
}

impl Printing {
    /// The paper.
    pub fn paper(&self) -> Paper {
        match self.paper.unwrap_or(Sheet::A4) {
            Sheet::A4 => Paper::A4,
            Sheet::A3 => Paper::A3,
            Sheet::A2 => Paper::A2,
            Sheet::Letter => Paper::Letter,
        }
    }

    /// Samples to the inch.
    pub fn per_inch(&self) -> f64 {
        self.dpi.map_or(FINE, f64::from)
    }

    /// Refuses what is meant for paper where no file is one to print.
    pub fn check(&self, prints: bool) -> Result<()> {
        if !prints && (self.paper.is_some() || self.dpi.is_some() || self.title.is_some()) {
            return Err(misuse("--paper, --dpi and --title are for maps to print: .svg and .pdf"));
        }
        Ok(())
    }

    /// The title.
    pub fn title(&self, recipe: &Recipe) -> String {
        self.title.clone().unwrap_or_else(|| capitalised(&recipe.name))
    }
}

/// Whether a file is a map to print.
pub fn is_print(path: &Path) -> bool {
    matches!(ending(path).as_str(), "svg" | "pdf")
}

/// The name of the river of a basin.
pub fn river_name(network: &Network, basin: u32) -> Option<String> {
    let outlet = network.outlets.get(basin as usize)?;
    (!outlet.name.is_empty()).then(|| outlet.name.clone())
}

/// What places of a world are called.
pub fn eastings(source: &impl CellSource) -> Eastings {
    Coordinates::of(source).home().map_or(Eastings::default(), |home| {
        let (corner_m, stretch) = home.in_metres();
        Eastings { corner_m, stretch }
    })
}

/// The last line of a sheet: projection, world, program.
pub fn colophon(projection: &str, source: &impl CellSource) -> String {
    let (recipe, coordinates) = (source.recipe(), Coordinates::of(source));
    let sphere = match source.grid() {
        Topology::Globe(globe) => format!("{projection} on a sphere of {:.0} km", globe.radius_m() / 1000.0),
        Topology::Flat(_) => coordinates.home().and_then(Home::name).unwrap_or(projection).to_string(),
    };
    format!("{sphere}  ·  world {}, seed {}  ·  {ENGINE}", recipe.name, recipe.seed)
}

/// How a lattice lies on its paper.
pub fn projection(lattice: &Lattice) -> String {
    match *lattice {
        Lattice::TransverseMercator { lon0_deg, lat0_deg, .. } => {
            format!("Transverse Mercator about {}", serve::print::place_in_words([lon0_deg, lat0_deg], true))
        }
        Lattice::LonLat { .. } => "Equirectangular, true along the middle parallel".into(),
        Lattice::WebMercator { .. } => "Mercator".into(),
        Lattice::Plane { .. } => "Flat map".into(),
        Lattice::Projected { .. } | Lattice::Native { .. } => String::new(),
    }
}
