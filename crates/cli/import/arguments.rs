//! What can be asked of `terrane import`.

use crate::args::{finite, real, whole};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `import`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  terrane import etopo.tif -o earth.terrane      # a whole globe in degrees
  terrane import mars.tif -o mars.terrane --sea-level -2000 --radius 3389.5
  terrane import valley.tif -o valley.terrane --set grid.latitude_deg=47
  terrane import map.png -o map.terrane --range 0,3200 --pixel-size 500
  terrane import globe.png -o globe.terrane --range -8000,7000 --globe
  terrane import etopo.tif -o earth.terrane --rivers-to-keep rivers.geojson

The raster is a GeoTIFF of a whole globe in degrees, or of a flat map in
metres; or a grey PNG of 16 bits with --range, and --globe or --pixel-size.
A globe's raster may lack a row or a column: it is stretched by a pixel at
most. What has no data is sea: what the file says has none, and what has the
number of --nodata.

Sea is what lies at or below --sea-level and hangs together with the ocean
(or, on a flat map, with its border); other low ground holds lakes. --land
says otherwise.

Climate, water and rivers are computed as for a generated world, by the
recipe: --recipe and --set as in terrane generate. The section [import] of
the recipe says how mountains and gorges are found:
  --set import.range_km=60       ranges up to 120 km wide are mountains
  --set import.kept=0.3          the land under them keeps more of them
  --set import.breach_m=0        no outlet of a hollow is cut
The file holds the raster's name and digest, not the raster.")]
pub struct Import {
    /// The elevation: a GeoTIFF, or a grey PNG of 16 bits
    #[arg(value_name = "DEM")]
    pub dem: PathBuf,
    /// The file to write
    #[arg(long, short, value_name = "WORLD", default_value = "world.terrane")]
    pub output: PathBuf,
    /// Heights in metres of the numbers 0 and 65535 of a PNG
    #[arg(long, value_name = "MIN,MAX", allow_hyphen_values = true)]
    pub range: Option<String>,
    /// A PNG is a whole globe: 180 degrees west to 180 east, the north pole to the south
    #[arg(long, conflicts_with = "pixel_size")]
    pub globe: bool,
    /// A PNG is a flat map with pixels of this size
    #[arg(long, value_name = "METRES", value_parser = real, allow_hyphen_values = true)]
    pub pixel_size: Option<f64>,
    /// The band of a GeoTIFF, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u16>(1, 65535))]
    #[arg(allow_negative_numbers = true)]
    pub band: u16,
    /// A number that means "no data": a height of a GeoTIFF, beside what the file itself says; a grey of a PNG, from 0
    #[arg(long, value_name = "VALUE", value_parser = real, allow_negative_numbers = true)]
    pub nodata: Option<f64>,
    /// Memory to stay within, in GB; without it whatever is needed
    #[arg(long, value_name = "GB", value_parser = real, allow_negative_numbers = true)]
    pub max_memory: Option<f64>,
    /// Cells along a side of a cube face (globe) or along the longer side (flat); if not given as many as the raster
    /// has samples, on a flat map at most 1024
    #[arg(long, value_name = "N", value_parser = whole::<u32>(8, 4096), allow_negative_numbers = true)]
    pub cells: Option<u32>,
    /// Radius of the globe; that of the raster's reference system if not given
    #[arg(long, value_name = "KM", value_parser = real, allow_hyphen_values = true)]
    pub radius: Option<f64>,
    /// Height in the raster at which the sea stands; 0 if not given
    #[arg(long, value_name = "METRES", value_parser = finite, allow_hyphen_values = true)]
    pub sea_level: Option<f64>,
    #[command(flatten)]
    pub given: crate::given::Given,
    /// What the world is called; the raster's name if not given
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// The one number from which names, plates and the climate's irregularities are drawn; the recipe's own if not given
    #[arg(long, value_parser = whole::<u64>(0, i64::MAX as u64), allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Name of a built-in recipe, or a TOML file; earthlike for a globe, continent for a flat map if not given
    #[arg(long, value_name = "NAME|FILE")]
    pub recipe: Option<PathBuf>,
    /// Change a field of the recipe; may be given many times
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
}
