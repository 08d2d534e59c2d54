//! What can be said to `terrane refine`.

use crate::args::{RegionMethod, real, whole};
use clap::Args;
use std::path::PathBuf;
use std::str::FromStr;

/// Which of several equal parts of the work this program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number of the part, from 0 on.
    pub index: usize,
    /// How many parts there are.
    pub of: usize,
}

impl Part {
    /// All of it.
    pub const WHOLE: Self = Self { index: 0, of: 1 };

    /// Whether a shard belongs to it. Parts take turns, so that land and sea fall to all of them alike.
    pub fn has(self, shard: usize) -> bool {
        shard % self.of == self.index
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse::<usize>().ok();
        let parts = text.split_once('/').and_then(|(index, of)| Some((number(index)?, number(of)?)));
        let Some((index, of)) = parts else {
            return Err("expected a part and the number of parts, such as 0/100".into());
        };
        if of == 0 {
            return Err("there is one part at least: 0/1".into());
        }
        if index >= of {
            return Err(format!("of {of} parts the first is 0/{of}, the last {}/{of}", of.saturating_sub(1)));
        }
        Ok(Self { index, of })
    }
}

/// Arguments of `refine`.
#[derive(Args, Clone)]
#[command(after_help = "\
Examples:
  terrane refine world.terrane --out alps.zarr --bbox 6,44,14,48 --resolution 90
  terrane refine world.terrane --out planet.zarr --resolution 500 --overviews
  terrane refine world.terrane --out planet.zarr --resolution 30 --plan
  terrane refine world.terrane --out planet.zarr --resolution 30 --shard 7/400

The store is a Zarr 3 group: an array for each layer, cut into shards of --side
by --side samples, with coordinates, units and the reference system. What is
there already is kept, so the same command again goes on where it ended, and
any number of machines may work on one store, each with its own --shard:
a shard is written beside its place and renamed, and its bytes are the same
whoever makes it. A job array of Slurm runs
  --shard $SLURM_ARRAY_TASK_ID/400        with --array=0-399
and an indexed job of Kubernetes
  --shard $JOB_COMPLETION_INDEX/400
When all shards are there, the same command without --shard and with
--overviews adds the store at half its size, a quarter and so on.

Layers: elevation, base, mountains, water_surface, water_depth, discharge,
  order, temperature, rain, flow_direction, basin, land_cover, hand, ridges,
  peaks, buttresses (see terrane region --help)")]
pub struct Refine {
    /// The world file
    pub world: PathBuf,
    /// The store to write or to go on with: a folder
    #[arg(long = "out", short, value_name = "STORE", visible_alias = "output")]
    pub out: PathBuf,
    /// Distance between samples in metres (of longitudes and latitudes: at the equator)
    #[arg(long, value_name = "METRES", value_parser = real, allow_hyphen_values = true)]
    pub resolution: f64,
    /// A box of longitudes and latitudes in degrees (metres on a flat map); the whole world if not given
    #[arg(long, value_name = "W,S,E,N", allow_hyphen_values = true)]
    pub bbox: Option<String>,
    /// Instead, the middle of a rectangle: longitude,latitude in degrees (x,y in metres on a flat map)
    #[arg(
        long,
        value_name = "LON,LAT",
        allow_hyphen_values = true,
        requires = "span",
        conflicts_with = "bbox"
    )]
    pub at: Option<String>,
    /// Side of the square in km, or its sides from west to east and from south to north
    #[arg(long, value_name = "KM[,KM]", allow_hyphen_values = true, requires = "at")]
    pub span: Option<String>,
    /// Layers, separated by commas (see below)
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "elevation")]
    pub layers: Vec<String>,
    /// How rivers are refined
    #[arg(long, value_enum, ignore_case = true, default_value_t = RegionMethod::Drainage)]
    pub method: RegionMethod,
    /// Leave out the noise that only roughens, so that the shape of the land stands alone
    #[arg(long)]
    pub no_texture: bool,
    /// Samples along a side of a shard, a multiple of 512
    #[arg(long, value_name = "SAMPLES", default_value_t = export::Plan::SIDE)]
    #[arg(value_parser = whole::<usize>(1, 1 << 20), allow_negative_numbers = true)]
    pub side: usize,
    /// Make only the shards of one of N equal parts, I from 0 to N-1
    #[arg(long, value_name = "I/N", allow_hyphen_values = true)]
    pub shard: Option<Part>,
    /// When all shards are there, add coarser levels, each half as large as the one before
    #[arg(long, conflicts_with = "shard")]
    pub overviews: bool,
    /// Make shards anew that are there already
    #[arg(long)]
    pub overwrite: bool,
    /// Write nothing; say how many samples, shards and bytes it would be
    #[arg(long, conflicts_with_all = ["overviews", "overwrite"])]
    pub plan: bool,
    /// Memory to stay within, in GB
    #[arg(long = "max-memory", value_name = "GB", default_value_t = 4.0)]
    #[arg(value_parser = real, allow_negative_numbers = true)]
    pub memory: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_take_every_shard_once() {
        let parts: Vec<Part> = (0..7).map(|i| format!("{i}/7").parse().expect("a part")).collect();
        for shard in 0..50 {
            assert_eq!(parts.iter().filter(|part| part.has(shard)).count(), 1);
        }
        assert!(Part::WHOLE.has(49));
        for wrong in ["", "1", "1/", "/2", "2/2", "0/0", "-1/2", "1/2/3", "a/b", "1.5/2"] {
            assert!(wrong.parse::<Part>().is_err(), "{wrong}");
        }
    }
}
