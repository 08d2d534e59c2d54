//! What can be asked of `terrane hydro`.

use crate::args::{real, whole};
use crate::hydro::threshold::Threshold;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// How depressions are led out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Depressions {
    /// Filled to their spill; water crosses the flats towards their outlets and away from higher ground
    Fill,
    /// Filled, each cell a least step above the one it drains to
    Epsilon,
    /// Cut open along the way out over the lowest passes; nothing is raised
    Breach,
    /// Cut open at least cost within --breach-length and --breach-depth; what is left is filled
    Hybrid,
    /// Each one cut open within those limits or filled, whichever moves less ground
    Least,
}

/// Rasters that are written when asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum HydroLayer {
    /// Every layer below that needs no further input
    All,
    /// How much the surface was raised (+) or cut (-), m
    Change,
    /// Slope of the ground by Horn's differences, m/m
    Slope,
    /// Where the ground faces, degrees clockwise from north
    Aspect,
    /// Drainage area along D8, m2
    Area,
    /// Specific area along D-infinity (Tarboton 1997), m2/m
    Dinf,
    /// Specific area along multiple flow directions (--multiple), m2/m
    Mfd,
    /// Topographic wetness index ln(a / tan b)
    Wetness,
    /// Stream power index a tan b
    Power,
    /// Height above the nearest drainage along the flow, m
    Hand,
    /// Longest way upstream, m
    Upstream,
    /// Way down to the end of the flow, m
    Downstream,
    /// Shreve's magnitude of each stream cell
    Shreve,
    /// Hack's order of each stream cell: 1 along main stems
    Hack,
    /// Pfafstetter's code, of as many digits as --pfafstetter says
    Pfafstetter,
    /// One basin for each reach, by the reach's number
    Subbasins,
    /// Chi of each stream cell, m (--concavity)
    Chi,
    /// Discharge, m3/s; needs --runoff
    Discharge,
}

/// How flow is shared among several neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Multiple {
    /// Freeman (1991): by slope to the power --exponent, 1.1 if not given
    Freeman,
    /// Quinn et al. (1991): by slope to the power --exponent, 1 if not given, times contour length
    Quinn,
}

/// Which vector files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Vectors {
    /// streams.geojson, basins.geojson
    Geojson,
    /// streams.fgb, basins.fgb: FlatGeobuf
    Fgb,
    /// hydro.gpkg with the layers streams and basins: GeoPackage
    Gpkg,
}

/// Arguments of `hydro`.
#[derive(Args)]
#[command(after_help = "\
Writes filled.tif, direction.tif (1 = E, 2 = SE, 4 = S ... 128 = NE, 0 = none), accumulation.tif (cells,
itself included), order.tif (Strahler), basins.tif, streams and basins as lines and polygons, summary.json and
map.png. Rasters that need more memory than --max-memory are worked in bands of rows, with the same results.

Examples:
  terrane hydro dem.tif -o water
  terrane hydro dem.tif -o water --threshold 2km2 --vectors gpkg
  terrane hydro dem.tif -o water --depressions hybrid --breach-length 500
  terrane hydro dem.tif -o water --layers hand,wetness,dinf
  terrane hydro dem.tif -o water --runoff 350 --threshold 0.5m3/s
  terrane hydro dem.tif -o water --outlet 11.52,46.98 --snap 500")]
pub struct Hydro {
    /// Elevation in metres: a GeoTIFF in any coordinate system that is not rotated
    pub dem: PathBuf,
    /// Folder for what is written; made if it is not there
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// Which band holds the elevation, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u16>(1, 65_535),
        allow_negative_numbers = true)]
    pub band: u16,
    /// A height that means "no data" (after the file's own scale), beside what the file itself says
    #[arg(long, value_name = "VALUE", value_parser = real, allow_negative_numbers = true)]
    pub nodata: Option<f64>,
    /// Side of a cell in metres, for a raster without a reference system, or with one whose metres are not those on the
    /// ground (Mercator); what is written lies where the raster does
    #[arg(long, value_name = "METRES", value_parser = real, allow_negative_numbers = true)]
    pub cell_size: Option<f64>,
    /// Level of the sea in metres: cells at or below it count as sea, into which water runs
    #[arg(long, value_name = "METRES", value_parser = real, allow_negative_numbers = true)]
    pub sea: Option<f64>,
    /// What is done with depressions
    #[arg(long, value_enum, ignore_case = true, default_value_t = Depressions::Fill)]
    pub depressions: Depressions,
    /// How far from its pit a cut of --depressions hybrid or least may go; 50 cells if not given
    #[arg(long, value_name = "METRES", value_parser = real, allow_negative_numbers = true)]
    pub breach_length: Option<f64>,
    /// Deepest cut of --depressions hybrid or least; no limit if not given
    #[arg(long, value_name = "METRES", value_parser = real, allow_negative_numbers = true)]
    pub breach_depth: Option<f64>,
    /// Where streams begin: a number of cells (500), an area (2km2), or a discharge (0.5m3/s, with --runoff);
    /// 1000 cells, or a 200th of the raster if that is less, if not given
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true)]
    pub threshold: Option<Threshold>,
    /// A GeoTIFF of the same size with a threshold for each place, in the unit of --threshold (cells if not given)
    #[arg(long, value_name = "FILE")]
    pub threshold_raster: Option<PathBuf>,
    /// Runoff in millimetres a year: a number, or a GeoTIFF of the same size
    #[arg(long, value_name = "MM|FILE", allow_negative_numbers = true)]
    pub runoff: Option<String>,
    /// More rasters: a list, or `all`
    #[arg(long, value_enum, ignore_case = true, value_delimiter = ',', value_name = "LIST")]
    pub layers: Vec<HydroLayer>,
    /// How --layers mfd shares flow
    #[arg(long, value_enum, ignore_case = true, default_value_t = Multiple::Freeman)]
    pub multiple: Multiple,
    /// Exponent of --multiple
    #[arg(long, value_name = "P", value_parser = real, allow_negative_numbers = true)]
    pub exponent: Option<f64>,
    /// Digits of Pfafstetter's codes
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = whole::<u8>(1, 9),
        allow_negative_numbers = true)]
    pub pfafstetter: u8,
    /// Concavity m/n of --layers chi
    #[arg(long, value_name = "M/N", default_value_t = 0.45, value_parser = real, allow_negative_numbers = true)]
    pub concavity: f64,
    /// A point whose basin is wanted, in the raster's coordinates; may be given many times
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    pub outlet: Vec<String>,
    /// How far an --outlet may be moved to the greatest stream near it, in metres; 10 cells if not given, 0 for not at all
    #[arg(long, value_name = "METRES", value_parser = real, allow_negative_numbers = true)]
    pub snap: Option<f64>,
    /// Format of streams and basins
    #[arg(long, value_enum, ignore_case = true, default_value_t = Vectors::Geojson)]
    pub vectors: Vectors,
    /// Memory to stay within, in GB
    #[arg(long = "max-memory", visible_alias = "memory", value_name = "GB", default_value_t = 4.0)]
    #[arg(value_parser = real, allow_negative_numbers = true)]
    pub memory: f64,
    /// Print the summary for machines
    #[arg(long)]
    pub json: bool,
}
