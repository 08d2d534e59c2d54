//! The command line: what can be said, and what it means.

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The greatest seed: TOML's whole numbers have a sign.
const MAX_SEED: u64 = i64::MAX as u64;

/// Reads a whole number between two bounds, both included.
pub fn whole<T: TryFrom<u64>>(low: u64, high: u64) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = text.trim().parse().ok().filter(|n| (low..=high).contains(n));
        let fitting = number.and_then(|n| T::try_from(n).ok());
        fitting.ok_or_else(|| format!("expected a whole number from {low} to {high}"))
    }
}

/// Reads a number; what range it may have is checked where it is known what it is for.
pub fn real(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| "expected a number".into())
}

/// Reads a number that stands in a recipe, which knows no other.
pub fn finite(text: &str) -> Result<f64, String> {
    real(text).ok().filter(|number| number.is_finite()).ok_or_else(|| "expected a finite number".into())
}

/// Makes a whole planet from one number, keeps it in one file, and shows any place of it at any scale.
#[derive(Parser)]
#[command(name = "terrane", version, max_term_width = 100)]
#[command(after_help = "Start with:  terrane demo\nEvery command explains itself:  terrane region --help")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Threads to use; all cores if not given. The results are the same with any number
    #[arg(long, global = true, display_order = 990, value_name = "N", value_parser = whole::<u16>(1, 1024), allow_negative_numbers = true)]
    pub threads: Option<u16>,
    /// Say nothing but results and errors
    #[arg(long, short, global = true, display_order = 991)]
    pub quiet: bool,
    /// Say more: times, bytes read
    #[arg(long, short, global = true, display_order = 992, conflicts_with = "quiet")]
    pub verbose: bool,
}

/// All commands.
#[derive(Subcommand)]
pub enum Command {
    /// A newcomer's five minutes: a world, its map, five zooms, ten rivers
    Demo(Demo),
    /// Make a world and save it
    Generate(Generate),
    /// Make a world of an elevation raster of your own
    Import(Box<crate::import::Import>),
    /// What a world file holds
    Info(Info),
    /// Draw a map of a whole world
    Map(Map),
    /// Zoom: terrain of any place at any resolution
    Region(Region),
    /// Zoom into the whole world: a store that many machines may fill
    Refine(Box<crate::refine::Refine>),
    /// List and export rivers
    Rivers(Rivers),
    /// Where water goes on an elevation raster of your own
    Hydro(Box<crate::hydro::Hydro>),
    /// How like Earth a world is: its figures beside Earth's
    Score(Score),
    /// Look at a world in a browser: from the globe to a hillside
    Serve(Serve),
    /// How fast refinement is, and whether it agrees with itself
    Bench(Bench),
    /// Print a recipe: every field with its unit, range and meaning
    Recipe(Recipe),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  terrane completions bash > ~/.local/share/bash-completion/completions/terrane"
    )]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

/// Arguments of `demo`.
#[derive(Args)]
#[command(after_help = "Example:\n  terrane demo\n  terrane demo my-demo --seed 7")]
pub struct Demo {
    /// Folder for what is written; made if it is not there
    #[arg(default_value = "terrane-demo")]
    pub dir: PathBuf,
    /// The one number the world grows from
    #[arg(long, default_value_t = 42, value_parser = whole::<u64>(0, MAX_SEED), allow_negative_numbers = true)]
    pub seed: u64,
    /// Cells along a side of a cube face
    #[arg(long, value_name = "N", default_value_t = 512)]
    #[arg(value_parser = whole::<u32>(8, 4096), allow_negative_numbers = true)]
    pub cells: u32,
}

/// Arguments of `generate`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  terrane generate                         # world.terrane: a planet like Earth
  terrane generate --recipe island -o isle.terrane    # an island on a flat map
  terrane generate --seed 7 --cells 128 -o small.terrane
  terrane generate --set continents.land_fraction=0.5 --set climate.mean_c=4
  terrane generate --recipe my.toml        # your own; see: terrane recipe
  terrane generate --land continents.png   # a map of 2:1, land white, sea black
  terrane generate --recipe island --land isle.png --ridge-lines crests.geojson
  terrane generate --land land.tif --mountain-height metres.tif
  terrane generate --rivers-to-keep rivers.geojson

A raster covers the whole globe (a PNG: 180 degrees west to 180 east, the
north pole to the south) or the whole flat map. One that is coarser than the
grid gets a natural coast. Mountains are raised along --ridge-lines where
--mountain-height gives none. The recipe in the file holds the names and
digests of what was given; to make the world again, give the files again.")]
pub struct Generate {
    /// The file to write
    #[arg(long, short, default_value = "world.terrane")]
    pub output: PathBuf,
    /// The one number the world grows from; the recipe's own if not given
    #[arg(long, value_parser = whole::<u64>(0, MAX_SEED), allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Name of a built-in recipe, or a TOML file
    #[arg(long, value_name = "NAME|FILE", default_value = "earthlike")]
    pub recipe: PathBuf,
    /// Cells along a side of a cube face (globe) or along the longer side (flat)
    #[arg(long, value_name = "N", value_parser = whole::<u32>(8, 4096), allow_negative_numbers = true)]
    pub cells: Option<u32>,
    /// Change a field of the recipe; may be given many times
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Memory to stay within, in GB; without it whatever is needed
    #[arg(long, value_name = "GB", value_parser = real, allow_negative_numbers = true)]
    pub max_memory: Option<f64>,
    #[command(flatten)]
    pub given: crate::given::Given,
}

/// Arguments of `info`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  terrane info world.terrane\n  terrane info world.terrane --json | jq .digest\n  terrane info world.terrane --check     # after a copy, or from an old disk"
)]
pub struct Info {
    /// The world file
    pub world: PathBuf,
    /// Read all of the file, and make sure that every byte is as it was written
    #[arg(long)]
    pub check: bool,
    /// For machines
    #[arg(long)]
    pub json: bool,
}

/// What a map shows.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MapLayer {
    /// Shaded terrain with rivers and lakes
    Relief,
    /// Elevation alone, by colour
    Elevation,
    /// Mountain height
    Mountains,
    /// Ridge lines
    Ridges,
    /// Rivers, wide where much runs
    Rivers,
    /// Lakes, open and salt
    Lakes,
    /// Climate by the classes of Köppen and Geiger
    Climate,
    /// What grows: Whittaker's biomes
    Biomes,
    /// Plates, how they move, their faults and volcanoes
    Plates,
    /// Mean temperature, of the year or a month
    Temperature,
    /// Rain, of the year or a month
    Rain,
}

/// How a globe is laid on a map.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Projection {
    /// Longitude and latitude as they are
    Equirectangular,
    /// An ellipse; areas are true
    Mollweide,
    /// Rounded sides; areas are true, shapes better than on the ellipse
    EqualEarth,
    /// One side of the globe, from far away
    Orthographic,
}

/// What pictures look like.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PictureStyle {
    /// As seen from above: forest, steppe, desert, ice
    Terrain,
    /// As in a drawn atlas: tints by height, ranges as little mountains, lines along coasts
    Atlas,
}

/// Arguments of `map`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  terrane map world.terrane -o map.png
  terrane map world.terrane -o ridges.png --layer ridges --width 8192
  terrane map world.terrane -o atlas.png --style atlas \\
      --projection equal-earth
  terrane map world.terrane -o globe.png --projection orthographic \\
      --center 30,20
  terrane map world.terrane -o july.png --layer rain --month 7
  terrane map world.terrane -o world.pdf --style atlas --paper a3 \\
      --projection equal-earth             # to print; .svg to draw on")]
pub struct Map {
    /// The world file
    pub world: PathBuf,
    /// The picture to write (.png), or a map to print (.svg, .pdf)
    #[arg(long, short)]
    pub output: PathBuf,
    /// What to show
    #[arg(long, value_enum, ignore_case = true, default_value_t = MapLayer::Relief)]
    pub layer: MapLayer,
    /// Width of a .png in pixels; 4096 if not given
    #[arg(long, value_name = "PIXELS")]
    #[arg(value_parser = whole::<u32>(64, 16384), allow_negative_numbers = true)]
    pub width: Option<u32>,
    /// Projection of a globe
    #[arg(long, value_enum, ignore_case = true, default_value_t = Projection::Equirectangular)]
    pub projection: Projection,
    /// Middle of the map in degrees: a longitude, or a place that the orthographic view looks down on
    #[arg(long, value_name = "LON,LAT", allow_hyphen_values = true)]
    pub center: Option<String>,
    /// A month of temperature or rain, 1 (of the northern winter) to 12; the year if not given
    #[arg(long, value_name = "1-12", value_parser = whole::<u32>(1, 12), allow_negative_numbers = true)]
    pub month: Option<u32>,
    /// Look of the layer relief
    #[arg(long, value_enum, ignore_case = true, default_value_t = PictureStyle::Terrain)]
    pub style: PictureStyle,
    /// Memory to stay within, in GB; without it 4 for a .svg or .pdf, and whatever is needed for a .png
    #[arg(long, value_name = "GB", value_parser = real, allow_negative_numbers = true)]
    pub max_memory: Option<f64>,
    /// What belongs to maps to print
    #[command(flatten)]
    pub printing: crate::print::Printing,
}

/// What a PNG of a region shows.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RegionStyle {
    /// A picture, as seen from above
    Terrain,
    /// A picture, as in a printed atlas
    Atlas,
    /// Not a picture: a 16-bit heightmap for game engines, with a JSON file that says which metres it spans
    Height,
}

/// A game engine, by the sizes of heightmaps that it takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Unreal Engine's landscapes: 127, 253, 505, 1009, 2017, 4033 or 8129
    Unreal,
    /// Unity's terrains: 33, 65, 129, 257, 513, 1025, 2049 or 4097
    Unity,
    /// Godot's plug-ins for terrain: 513, 1025, 2049 or 4097
    Godot,
}

/// Which colours stand for which height on tiles of web maps.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HeightEncoding {
    /// Steps of 1/256 m
    Terrarium,
    /// Steps of 0.1 m, also called Terrain-RGB
    Mapbox,
}

/// How rivers are refined.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RegionMethod {
    /// Drainage through the levels: tributaries fill what the world's cells leave out
    Drainage,
    /// One main river per cell, by splines from its entries to its exit
    Classic,
}

/// Pixels along a side of a map tile.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TileSize {
    /// The usual
    #[value(name = "256")]
    Usual,
    /// For screens of high density
    #[value(name = "512")]
    Large,
}

/// Arguments of `region`.
#[derive(Args, Clone)]
#[command(group(ArgGroup::new("place").required(true).args(["at", "bbox", "tile", "cell", "cell_at", "polygon"])))]
#[command(after_help = "\
Examples:
  terrane region world.terrane -o alps.png --at 24.55,-33.72 --span 100 \\
      --resolution 100
  terrane region world.terrane -o box.tif --bbox 80,-15,82,-13 \\
      --resolution 250 --layers elevation,discharge
  terrane region world.terrane -o valley.tif --at 80.6,-13.8 --span 30,10 \\
      --resolution 20 --layers elevation,rivers  # + valley.rivers.geojson
  terrane region world.terrane -o all.tif -o all.gpkg --at 80.6,-13.8 \\
      --span 60 --resolution 90 --layers elevation,rivers,lakes,basins
  terrane region world.terrane -o ridges.fgb --bbox 80,-15,82,-13 \\
      --resolution 90 --layers ridges
  terrane region world.terrane -o country.tif --polygon border.geojson \\
      --resolution 500                     # no data outside
  terrane region world.terrane -o tile.tif --tile 8/185/137
  terrane region world.terrane -o cell.r32 --cell-at 80.6,-13.8 --level 9
  terrane region world.terrane -o land.png --at 80.6,-13.8 --span 40 \\
      --engine unity --resolution 40       # 1025 x 1025, + land.png.json
  terrane region world.terrane -o land.r16 --at 80.6,-13.8 --size 253 \\
      --resolution 20
  terrane region world.terrane -o heights.pmtiles --bbox 0,30,30,60 \\
      --max-zoom 5
  terrane region world.terrane -o all.zarr --bbox 80,-15,82,-13 \\
      --resolution 250 --layers elevation,discharge,rain
  terrane region world.terrane -o valley.glb --at 80.6,-13.8 --span 30 \\
      --resolution 30
  terrane region world.terrane -o valley.pdf --at 80.6,-13.8 --span 80,60 \\
      --style atlas --title Mornivale      # A4; -o valley.svg to draw on
  terrane region isle.terrane -o isle.tif --bbox 0,0,300000,200000 \\
      --resolution 500                     # a flat map has metres

The file's ending says what is written:
  .tif         sampled layers as bands of one cloud-optimized GeoTIFF
  .zarr        sampled layers as arrays of a folder (Zarr 3)
  .png         a picture; with --style height, a heightmap of one layer
  .r32, .r16   raw numbers, one layer after the other
  .pmtiles     heights as tiles of a web map
  .glb         a mesh with a picture on it (glTF)
  .svg, .pdf   a map to print: relief, lines, names, frame and legend
  .gpkg        vector layers in one GeoPackage
  .geojson     a vector layer; of several each has a file of its own:
  .fgb         out.rivers.fgb, out.lakes.fgb
Heightmaps and raw numbers have a JSON file beside them that explains them.
More than 4 million samples for .tif, .zarr, .r32 and .r16, as of a continent
at 500 m, are made piece by piece in less than 500 MB of memory. OUTPUT.part
keeps what is made; after an interruption the same with --resume goes on.
-o may be given several times; each file gets the layers that it can hold,
and everything is computed once. Vector layers that no file can hold go to
GeoJSON files beside the first: out.tif and out.rivers.geojson.

Sampled layers: elevation, base, mountains, water_surface, water_depth,
  discharge, order, temperature, rain, flow_direction (ESRI's codes: 1 = E,
  2 = SE, 4 = S, ... 128 = NE, 0 = none), basin (as in terrane rivers; -1 =
  none), land_cover (classes of Koeppen and Geiger, 1 to 30, at the sample's
  own height; 0 = sea), hand (height above the nearest drainage, m), ridges,
  peaks, buttresses (each alone)
Vector layers: rivers, ridges, peaks, buttresses, lakes, basins")]
pub struct Region {
    /// The world file
    pub world: PathBuf,
    /// A file to write: .tif, .zarr, .png, .r32, .r16, .pmtiles, .glb, .svg, .pdf, .gpkg, .geojson or .fgb; may be given several times
    #[arg(long, short, required = true)]
    pub output: Vec<PathBuf>,
    /// Middle of a rectangle: longitude,latitude in degrees (x,y on a flat map: metres
    /// from its corner, or the coordinates of the raster that it was imported from)
    #[arg(long, value_name = "LON,LAT", allow_hyphen_values = true)]
    pub at: Option<String>,
    /// Side of the square in km, or its sides from west to east and from south to north
    #[arg(long, value_name = "KM[,KM]", allow_hyphen_values = true, requires = "at")]
    pub span: Option<String>,
    /// A box of longitudes and latitudes in degrees (metres on a flat map); a west greater than the east crosses
    /// the antimeridian
    #[arg(long, value_name = "W,S,E,N", allow_hyphen_values = true)]
    pub bbox: Option<String>,
    /// What lies in the polygons of a GeoJSON file, in degrees (metres on a flat map); the rest is no data. A side
    /// of more than 180 degrees goes the shorter way, over the antimeridian
    #[arg(long, value_name = "FILE")]
    pub polygon: Option<PathBuf>,
    /// A tile of a web map: zoom/column/row, counted from the north-west
    #[arg(long, value_name = "Z/X/Y", allow_hyphen_values = true, conflicts_with = "resolution")]
    pub tile: Option<String>,
    /// Samples along a side of a --tile
    #[arg(long, value_enum, ignore_case = true, value_name = "SAMPLES", default_value_t = TileSize::Usual)]
    #[arg(conflicts_with_all = ["at", "bbox", "polygon", "cell", "cell_at"])]
    pub tile_size: TileSize,
    /// A cell of the world: face/row/column, counted from the north-west of a face (0 of a flat map)
    #[arg(long, value_name = "FACE/ROW/COLUMN", allow_hyphen_values = true, conflicts_with = "resolution")]
    pub cell: Option<String>,
    /// The cell of the world at a place
    #[arg(long, value_name = "LON,LAT", allow_hyphen_values = true, conflicts_with = "resolution")]
    pub cell_at: Option<String>,
    /// How often the sides of a --cell or --cell-at are halved: 2^LEVEL samples along each, in the middles of parts
    #[arg(long, default_value_t = 8, value_parser = whole::<u8>(0, 20), allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["at", "bbox", "polygon", "tile"])]
    pub level: u8,
    /// Distance between samples in metres (with --bbox and --polygon: at the equator); a map to print has that of its paper
    #[arg(long, value_name = "METRES", value_parser = real, allow_hyphen_values = true)]
    pub resolution: Option<f64>,
    /// Samples along each side of the square of --at; with --span or with --resolution, the other follows
    #[arg(long, value_name = "SAMPLES", value_parser = whole::<u32>(2, 65536), allow_negative_numbers = true)]
    #[arg(requires = "at", conflicts_with_all = ["bbox", "polygon", "tile", "cell", "cell_at"])]
    pub size: Option<u32>,
    /// Choose a --size that a game engine takes: with --span and --resolution the next larger one. A .png is a heightmap then
    #[arg(long, value_enum, ignore_case = true, requires = "at")]
    #[arg(conflicts_with_all = ["bbox", "polygon", "tile", "cell", "cell_at"])]
    pub engine: Option<Engine>,
    /// What 0 and 65535 stand for in a .r16 file or a heightmap: one range for tiles side by side. If not given, the least and
    /// the greatest value
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true)]
    pub range: Option<String>,
    /// The least zoom of a .pmtiles file; 0 if not given
    #[arg(long, value_name = "ZOOM", value_parser = whole::<u8>(0, 22), allow_negative_numbers = true)]
    pub min_zoom: Option<u8>,
    /// The greatest zoom of a .pmtiles file; if not given, that of --resolution
    #[arg(long, value_name = "ZOOM", value_parser = whole::<u8>(0, 22), allow_negative_numbers = true)]
    pub max_zoom: Option<u8>,
    /// Colours of the heights of a .pmtiles file; terrarium if not given
    #[arg(long, value_enum, ignore_case = true)]
    pub encoding: Option<HeightEncoding>,
    /// Layers, separated by commas (see below); if not given elevation, and for vector files rivers
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub layers: Vec<String>,
    /// How rivers are refined
    #[arg(long, value_enum, ignore_case = true, default_value_t = RegionMethod::Drainage)]
    pub method: RegionMethod,
    /// Leave out the noise that only roughens, so that the shape of the land stands alone
    #[arg(long)]
    pub no_texture: bool,
    /// What a PNG shows; a printed map and a mesh have the looks of pictures
    #[arg(long, value_enum, ignore_case = true, default_value_t = RegionStyle::Terrain)]
    pub style: RegionStyle,
    /// Memory to stay within, in GB
    #[arg(long = "max-memory", visible_alias = "memory", value_name = "GB", default_value_t = 4.0)]
    #[arg(value_parser = real, allow_negative_numbers = true)]
    pub memory: f64,
    /// Continue an export that was interrupted, from the file OUTPUT.part
    #[arg(long)]
    pub resume: bool,
    /// What belongs to maps to print
    #[command(flatten)]
    pub printing: crate::print::Printing,
}

/// What is written of a world's rivers.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RiverLayer {
    /// A line for each reach
    Rivers,
    /// The area that drains to each outlet
    Basins,
    /// The place where each river ends
    Outlets,
}

/// Arguments of `rivers`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  terrane rivers world.terrane             # the largest rivers as a table
  terrane rivers world.terrane --basins --top 100 --json
  terrane rivers world.terrane -o rivers.geojson --min-discharge 500
  terrane rivers world.terrane -o basins.fgb --layer basins
  terrane rivers world.terrane -o all.gpkg     # rivers, basins, outlets
  terrane rivers world.terrane --from 80.6,-13.8  # a way to sea or salt lake
  terrane rivers world.terrane --from 80.6,-13.8 -o profile.png")]
pub struct Rivers {
    /// The world file
    pub world: PathBuf,
    /// Write all reaches, or another layer, to .geojson or .fgb; all layers to .gpkg; with --from, the way, or its
    /// profile to .csv or .png
    #[arg(long, short)]
    pub output: Option<PathBuf>,
    /// The layer to write; if not given, rivers, and into a GeoPackage all
    #[arg(long, value_enum, ignore_case = true, requires = "output", conflicts_with = "from")]
    pub layer: Option<RiverLayer>,
    /// A table of basins instead of rivers
    #[arg(long, conflicts_with_all = ["output", "from"])]
    pub basins: bool,
    /// Only rivers and reaches with a part in a box of longitudes and latitudes in degrees (metres on a flat map)
    #[arg(long, value_name = "W,S,E,N", allow_hyphen_values = true)]
    pub bbox: Option<String>,
    /// Only rivers with at least this discharge in m3/s
    #[arg(long, value_name = "M3S", value_parser = real, allow_hyphen_values = true, default_value_t = 0.0)]
    #[arg(conflicts_with = "from")]
    pub min_discharge: f64,
    /// Follow the water from this place to the sea or a closed lake (x,y in metres on a flat map): along rivers
    /// as the land is drawn around it, far away along the world's cells
    #[arg(long, value_name = "LON,LAT", allow_hyphen_values = true, conflicts_with = "bbox")]
    pub from: Option<String>,
    /// Rows of the table
    #[arg(long, value_name = "N", default_value_t = 20)]
    #[arg(value_parser = whole::<usize>(1, u64::from(u32::MAX)), allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["output", "from"])]
    pub top: usize,
    /// For machines
    #[arg(long, conflicts_with = "output")]
    pub json: bool,
}

/// Arguments of `score`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  terrane score world.terrane              # a table, with Earth's bands
  terrane score world.terrane --json | jq .passed
  terrane score 1.terrane 2.terrane        # each, and their medians
  terrane score world.terrane --regions --resolution 180
                     # windows of its mountains, hills and plains, refined

A world that is not like Earth is no error: the exit status is 0.")]
pub struct Score {
    /// World files
    #[arg(required = true)]
    pub worlds: Vec<PathBuf>,
    /// For machines
    #[arg(long)]
    pub json: bool,
    /// Measure windows of refined terrain of 46 km instead: inside ranges, among hills, on plains
    #[arg(long)]
    pub regions: bool,
    /// Windows of each of these three countries
    #[arg(long, value_name = "N", default_value_t = 4, requires = "regions")]
    #[arg(value_parser = whole::<u16>(1, 1000), allow_negative_numbers = true)]
    pub windows: u16,
    /// Distance between samples of the windows; Earth's figures were measured at 90
    #[arg(long, value_name = "METRES", default_value_t = 90.0, value_parser = real)]
    #[arg(requires = "regions", allow_negative_numbers = true)]
    pub resolution: f64,
    /// How rivers of the windows are refined
    #[arg(long, value_enum, ignore_case = true, default_value_t = RegionMethod::Drainage, requires = "regions")]
    pub method: RegionMethod,
}

/// Arguments of `serve`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  terrane serve world.terrane              # then open the address it prints
  terrane serve world.terrane --open       # opens it in your browser
  terrane serve world.terrane --port 0     # any free port

Only programs on this machine can reach it, and the page loads nothing from
anywhere else. Ctrl-C ends it. The addresses that it answers, for programs:
  /tiles/NAME/ZOOM/COLUMN/ROW.png   surface, ground (heights: terrarium),
      relief, atlas, heights, mountains, biomes, climate, plates, temperature,
      temperature-01 ... -12, rain, rain-01 ... -12
  /tiles/NAME/ZOOM/COLUMN/ROW.mvt   water, crests, faults, cells
  /polar/north|south/NAME.png?degrees=30&size=768
  /export/elevation.tif, /export/NAME.png, /export/print-NAME.png, .svg, .pdf
      ?west=10&south=45&east=12&north=48&width=1024
  /api/world   /api/sights   /api/place?lon=11.5&lat=47")]
pub struct Serve {
    /// The world file
    pub world: PathBuf,
    /// The port to listen on; any free one for 0
    #[arg(long, value_name = "PORT", default_value_t = 8080)]
    #[arg(value_parser = whole::<u16>(0, 65535), allow_negative_numbers = true)]
    pub port: u16,
    /// Open the page in a browser
    #[arg(long)]
    pub open: bool,
}

/// A place of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchPlace {
    /// The middle of the highest mountains
    Range,
    /// Land without mountains
    Plain,
    /// Land and sea
    Coast,
    /// Where a great river ends
    Mouth,
    /// The abyss, far from anything shallower
    Ocean,
    /// Where three faces of the cube meet
    Corner,
}

/// Arguments of `bench`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  terrane bench                            # minutes; leave the machine alone
  terrane bench --quick
  terrane bench --places range,mouth --levels 8,10
  terrane bench --json > results.json

Makes the planet earthlike of seed 42 in a temporary folder, and measures
squares of it in a range, on a plain, at a coast, at a river's mouth, in the
ocean and at a corner of the cube, at levels 2, 4 ... 12 (a cell's side halved
so many times). Ends with status 1 if windows that overlap differ, or the bed
of a river rises. docs/BENCHMARK.md defines every figure, so that other
programs can be measured.")]
pub struct Bench {
    /// For machines
    #[arg(long)]
    pub json: bool,
    /// Levels 2, 6 and 10 unless others are named, and every time taken once
    #[arg(long)]
    pub quick: bool,
    /// Where to measure, separated by commas; everywhere if not given. How much faster more threads are is measured in the
    /// range only
    #[arg(long, value_enum, ignore_case = true, value_name = "NAMES", value_delimiter = ',')]
    pub places: Vec<BenchPlace>,
    /// At which levels, from 2 (samples a quarter of a cell apart) to 14 (a metre or so), separated by commas
    #[arg(long, value_name = "LEVELS", value_delimiter = ',')]
    #[arg(value_parser = whole::<u8>(2, 14), allow_negative_numbers = true)]
    pub levels: Vec<u8>,
    /// Cells along a side of a cube face, 16 or more: else tiles are larger than the planet. Figures are comparable for the
    /// usual number only
    #[arg(long, value_name = "N", default_value_t = 512)]
    #[arg(value_parser = whole::<u32>(16, 4096), allow_negative_numbers = true)]
    pub cells: u32,
}

/// Arguments of `recipe`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  terrane recipe --list
  terrane recipe earthlike > my.toml       # change what you like in it, then:
  terrane generate --recipe my.toml")]
pub struct Recipe {
    /// Name of a built-in recipe
    #[arg(default_value = "earthlike")]
    pub name: String,
    /// List the built-in recipes instead
    #[arg(long)]
    pub list: bool,
}
