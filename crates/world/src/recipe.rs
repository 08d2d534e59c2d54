//! Recipes: everything a world depends on, as a TOML text in which every field has a unit, a range and a
//! meaning.
//!
//! The structs, their defaults, their documentation and their checks come from one table below, so that
//! none can disagree with another. Parsing reports all errors at once, each with its path and reason.

mod given;
mod import;

pub use given::Given;
pub use import::Import;

use grid::{Flat, Globe, GridError, Topology};
use std::fmt::Write;
use toml::{Table, Value};

/// A place in a recipe that a text can set, with what may stand there.
pub struct Slot<'a> {
    /// Full path, such as `continents.land_fraction`.
    pub path: String,
    /// Unit of the value; `1` for plain numbers.
    pub unit: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// Where it goes, and what is allowed.
    pub place: Place<'a>,
}

/// A value of a recipe with its limits.
pub enum Place<'a> {
    /// A real number between two bounds, both included.
    Real(&'a mut f64, f64, f64),
    /// A whole number between two bounds, both included.
    Count(&'a mut u32, u32, u32),
    /// One of several words.
    Word(&'a mut String, &'static [&'static str]),
    /// A name or a note of at most 2000 bytes.
    Text(&'a mut String),
}

/// Longest text in a recipe, in bytes.
pub const MOST_TEXT: usize = 2000;

/// One thing that is wrong with a recipe.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct FieldError {
    /// Where, such as `continents.land_fraction`.
    pub path: String,
    /// What is wrong and what would be right.
    pub reason: String,
}

/// Why a recipe cannot be used: every error, not only the first.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", list(.0))]
pub struct RecipeError(pub Vec<FieldError>);

fn list(errors: &[FieldError]) -> String {
    errors.iter().map(FieldError::to_string).collect::<Vec<_>>().join("\n")
}

macro_rules! place {
    (f64, $slot:expr, $low:expr, $high:expr) => {
        Place::Real($slot, $low, $high)
    };
    (u32, $slot:expr, $low:expr, $high:expr) => {
        Place::Count($slot, $low, $high)
    };
    (String, $slot:expr, $words:expr, $_high:expr) => {
        Place::Word($slot, $words)
    };
}

macro_rules! sections {
    ($(#[doc = $doc:literal] $section:ident $type:ident {
        $($field:ident: $kind:ident = $default:expr, $low:expr, $high:expr, $unit:literal, $meaning:literal;)*
    })*) => {
        $(#[doc = $doc]
        #[derive(Clone, Debug, PartialEq)]
        pub struct $type {
            $(#[doc = concat!($meaning, " Unit: ", $unit, ".")] pub $field: $kind,)*
        }

        impl Default for $type {
            fn default() -> Self {
                Self { $($field: $default.into(),)* }
            }
        })*

        /// Everything a world depends on.
        #[derive(Clone, Debug, PartialEq, Default)]
        pub struct Recipe {
            /// What the world is called.
            pub name: String,
            /// The one number from which all chance is drawn.
            pub seed: u64,
            $(#[doc = $doc] pub $section: $type,)*
            /// Of an imported world, the raster its land was taken from; `None` for land that is made.
            pub import: Option<Import>,
            /// Files that were given to a made world; `None` if there were none.
            pub given: Option<Given>,
        }

        impl Recipe {
            /// Every field below the top level, in the order of the text.
            pub fn slots(&mut self) -> Vec<Slot<'_>> {
                let mut slots = vec![$($(Slot {
                    path: concat!(stringify!($section), ".", stringify!($field)).into(),
                    unit: $unit,
                    meaning: $meaning,
                    place: place!($kind, &mut self.$section.$field, $low, $high),
                }),*),*];
                slots.extend(self.import.iter_mut().flat_map(Import::slots));
                slots.extend(self.given.iter_mut().flat_map(Given::slots));
                slots
            }

            /// The sections with what they are about.
            pub fn sections() -> &'static [(&'static str, &'static str)] {
                &[$((stringify!($section), $doc),)* ("import", import::ABOUT), ("given", given::ABOUT)]
            }
        }
    };
}

/// The kinds of grid.
pub const TOPOLOGIES: &[&str] = &["globe", "flat"];
/// The profiles of a range from its edge (0) to its crest (1).
pub const EASINGS: &[&str] = &["linear", "smooth", "convex"];

/// The senses of a planet's spin.
pub const ROTATIONS: &[&str] = &["prograde", "retrograde"];

sections! {
    /// The grid the world is computed on.
    grid GridParams {
        topology: String = "globe", TOPOLOGIES, (), "word", "A cubed sphere, or a rectangle with an open border.";
        cells: u32 = 512u32, 8, 4096, "cells", "Cells along a side of a cube face (globe), or along the longer side (flat).";
        radius_km: f64 = 6371.0, 100.0, 100_000.0, "km", "Radius of the globe.";
        width_km: f64 = 4000.0, 1.0, 20_000.0, "km", "West to east, of a flat map.";
        height_km: f64 = 3000.0, 1.0, 20_000.0, "km", "South to north, of a flat map.";
        latitude_deg: f64 = 45.0, -90.0, 90.0, "degrees", "Latitude of the middle of a flat map, for its climate.";
    }
    /// Where land is: fields of random line segments times fractal noise.
    continents ContinentParams {
        count: u32 = 8u32, 1, 40, "continents", "Number of continental patches on a globe.";
        small_lands: u32 = 7u32, 0, 60, "lands", "Number of small patches on a globe: large islands and island groups.";
        land_fraction: f64 = 0.29, 0.01, 0.95, "share of the area", "How much of the surface is land.";
        patch_radius_deg: f64 = 48.0, 5.0, 90.0, "degrees", "Half the side of the largest patch a continent is made in.";
        elongation: f64 = 1.2, 0.0, 4.0, "1", "How much longer than wide patches may be: 1 for up to twice as long.";
        cut_level: f64 = 0.0, 0.0, 0.9, "1", "Land is where the field of segments exceeds this level; 0 takes the level that gives land_fraction.";
        branches: u32 = 5u32, 1, 20, "segments", "Most segments of each line that grows in from a patch's border.";
        lines_per_side: u32 = 2u32, 0, 10, "lines", "Lines that grow in from each side of a patch.";
        inner_lines: u32 = 3u32, 0, 20, "lines", "Most single segments in the middle of a patch.";
        branch_offset: f64 = 0.4, 0.02, 1.0, "patch halves", "Greatest length of a segment along each axis.";
        fade_width: f64 = 0.5, 0.02, 1.0, "patch halves", "Width of the margin in which a patch fades to sea.";
        roughness: f64 = 0.75, 0.0, 1.0, "1", "How strongly fractal noise shapes the coasts.";
        warp: f64 = 0.16, 0.0, 0.5, "patch halves", "How far noise bends a patch.";
        min_sea_km2: f64 = 300_000.0, 0.0, 1e8, "km2", "Smaller waters that reach no ocean count as land, where lakes may form.";
    }
    /// Plates, their motion, and the faults between them.
    plates PlateParams {
        count: u32 = 26u32, 2, 200, "plates", "Number of plates.";
        size_spread: f64 = 0.35, 0.0, 1.0, "1", "How much plates differ in size.";
        warp_km: f64 = 450.0, 0.0, 3000.0, "km", "How far noise bends the boundaries of a globe's plates.";
        speed_mm_yr: f64 = 60.0, 1.0, 300.0, "mm/yr", "Typical speed of a plate.";
        keep_to_coasts: f64 = 1.0, 0.0, 3.0, "1", "How strongly plate boundaries keep to coasts instead of crossing them.";
    }
    /// Volcanoes over sinking plates, hot spots and rifts.
    volcanoes VolcanoParams {
        hot_spots: u32 = 16u32, 0, 100, "hot spots", "Places where a plume feeds volcanoes while the plate moves on.";
        hot_spot_height_m: f64 = 7000.0, 0.0, 12_000.0, "m", "Height of a young hot-spot volcano above the abyss.";
        arc_height_m: f64 = 4200.0, 0.0, 8000.0, "m", "Height of the highest volcanoes over sinking plates above what they stand on.";
        spacing_km: f64 = 85.0, 20.0, 1000.0, "km", "Distance between the volcanoes of an arc.";
    }
    /// Ranges along convergent faults, and old ones inside continents.
    mountains MountainParams {
        height_m: f64 = 5200.0, 0.0, 12_000.0, "m", "Height of the highest ranges above the land under them.";
        width_km: f64 = 230.0, 1.0, 1000.0, "km", "Half width of a typical young range.";
        taper_km: f64 = 700.0, 1.0, 3000.0, "km", "Length over which the tips of a range run out to a point.";
        easing: String = "smooth", EASINGS, (), "word", "Profile across a range: linear as in a tent, or eased.";
        ridge_spacing_km: f64 = 75.0, 0.5, 500.0, "km", "Distance between parallel crests; at least three cells are used.";
        stretch: f64 = 3.5, 1.0, 10.0, "1", "How much longer crests are than they are apart.";
        bend_km: f64 = 70.0, 0.0, 500.0, "km", "How far noise bends ranges together with their crests.";
        collision_height: f64 = 1.15, 0.0, 3.0, "share", "Height and width of ranges between two continents, relative to cordilleras.";
        old_ranges: u32 = 14u32, 0, 50, "ranges", "Worn ranges inside continents.";
        old_height: f64 = 0.32, 0.0, 1.0, "share", "Height of old ranges relative to the highest.";
        min_height_m: f64 = 250.0, 1.0, 5000.0, "m", "Lower mountains are drawn without ridges, as rolling ground.";
    }
    /// The mountain-free map.
    base BaseParams {
        land_scale: f64 = 1.0, 0.05, 4.0, "1", "Multiplies the heights of land without mountains (Earth-like at 1).";
        ocean_scale: f64 = 1.0, 0.05, 3.0, "1", "Multiplies the depths of the sea (Earth-like at 1).";
        swell: f64 = 0.22, 0.0, 1.0, "share", "How much of a range's height the ground under it is raised.";
        rift_m: f64 = 750.0, 0.0, 3000.0, "m", "Depth of the valleys where a continent parts.";
        relief_km: f64 = 1600.0, 10.0, 5000.0, "km", "Wavelength of the broadest plateaus and basins.";
    }
    /// Climate by month: sunlight, temperature, winds, rain.
    climate ClimateParams {
        tilt_deg: f64 = 23.44, 0.0, 90.0, "degrees", "Tilt of the axis: 0 has no seasons, above 54 the poles are warmer than the equator.";
        rotation: String = "prograde", ROTATIONS, (), "word", "Sense of the spin: prograde turns winds as on Earth, retrograde the other way.";
        mean_c: f64 = 15.5, -60.0, 60.0, "deg C", "Mean temperature of the planet at sea level.";
        pole_contrast: f64 = 1.0, 0.0, 2.5, "1", "Multiplies the difference between warm and cold latitudes (Earth-like at 1).";
        lapse_c_km: f64 = 6.0, 0.0, 12.0, "deg C/km", "Cooling with height.";
        currents_c: f64 = 6.0, 0.0, 15.0, "deg C", "How much ocean currents warm and cool opposite coasts.";
        continentality: f64 = 1.0, 0.0, 2.5, "1", "How much stronger seasons and drought are far inland (Earth-like at 1).";
        rain_scale: f64 = 1.0, 0.0, 5.0, "1", "Multiplies rain everywhere (Earth-like at 1).";
    }
    /// Water on the mountain-free map.
    water WaterParams {
        lake_min_depth_m: f64 = 160.0, 0.125, 1000.0, "m", "Shallower depressions that overflow are filled with sediment instead of water.";
        basin_min_depth_m: f64 = 30.0, 0.125, 1000.0, "m", "Shallower depressions are filled with sediment even where it is dry; deeper ones may hold salt lakes.";
        valleys: f64 = 1.0, 0.0, 10.0, "1", "Multiplies how deep rivers have cut into the land (Earth-like at 1); at 0 it stays as it was made.";
        evaporation: f64 = 1.0, 0.0, 4.0, "1", "Multiplies what open water evaporates (Earth-like at 1); at 0 every lake overflows.";
        river_min_m3_s: f64 = 40.0, 0.001, 1e6, "m3/s", "Least mean discharge of a river in the table of rivers.";
    }
}

/// The built-in recipes: name and text.
pub const PRESETS: &[(&str, &str)] = &[
    ("earthlike", include_str!("../../../data/recipes/earthlike.toml")),
    ("supercontinent", include_str!("../../../data/recipes/supercontinent.toml")),
    ("archipelago", include_str!("../../../data/recipes/archipelago.toml")),
    ("ocean", include_str!("../../../data/recipes/ocean.toml")),
    ("dry", include_str!("../../../data/recipes/dry.toml")),
    ("ice-age", include_str!("../../../data/recipes/ice-age.toml")),
    ("hot-house", include_str!("../../../data/recipes/hot-house.toml")),
    ("island", include_str!("../../../data/recipes/island.toml")),
    ("continent", include_str!("../../../data/recipes/continent.toml")),
    ("small", include_str!("../../../data/recipes/small.toml")),
];

impl Recipe {
    /// A built-in recipe, if there is one of this name.
    pub fn preset(name: &str) -> Option<Self> {
        let (_, text) = PRESETS.iter().find(|(preset, _)| *preset == name)?;
        Some(Self::parse(text).expect("built-in recipes are tested"))
    }

    /// Reads a recipe; fields that are not named keep their defaults.
    ///
    /// # Errors
    /// All of: text that is not TOML, unknown fields, wrong types, values out of range.
    pub fn parse(text: &str) -> Result<Self, RecipeError> {
        let table: Table = text.parse().map_err(|e: toml::de::Error| {
            let line = e.span().map_or(0, |s| text[..s.start.min(text.len())].matches('\n').count() + 1);
            RecipeError(vec![error(&format!("line {line}"), e.message())])
        })?;
        let mut recipe = Self { name: "world".into(), seed: 42, ..Self::default() };
        recipe.take(&table)?;
        Ok(recipe)
    }

    /// Changes single fields, each given as `path=value`.
    ///
    /// # Errors
    /// All of: entries without `=`, unknown fields, wrong types, values out of range.
    pub fn set(&mut self, assignments: &[String]) -> Result<(), RecipeError> {
        let mut errors = Vec::new();
        let mut table = Table::new();
        for assignment in assignments {
            match assignment.split_once('=') {
                Some((path, value)) => insert(&mut table, path.trim(), parse_value(value.trim())),
                None => errors.push(error(assignment, "expected path=value, such as plates.count=20")),
            }
        }
        if let Err(RecipeError(more)) = self.take(&table) {
            errors.extend(more);
        }
        if errors.is_empty() { Ok(()) } else { Err(RecipeError(errors)) }
    }

    /// The recipe as a text in which every field stands with its unit, range and meaning.
    pub fn to_toml(&self) -> String {
        let mut recipe = self.clone();
        let mut text = format!(
            "# What the world is called.\nname = {}\n\n# The one number from which all chance is drawn.\nseed = {}\n",
            Value::String(self.name.clone()),
            self.seed
        );
        let mut section = String::new();
        for slot in recipe.slots() {
            let (head, field) = slot.path.split_once('.').expect("slots are section.field");
            if head != section {
                let about = Self::sections().iter().find(|(name, _)| *name == head).map_or("", |s| s.1);
                write!(text, "\n#{about}\n[{head}]\n").expect("writing to a string succeeds");
                section = head.into();
            }
            let (value, range) = describe(&slot.place);
            let unit = slot.unit;
            write!(text, "# {} [{unit}; {range}]\n{field} = {value}\n", slot.meaning)
                .expect("writing to a string succeeds");
        }
        text
    }

    /// The grid that the recipe asks for.
    ///
    /// # Errors
    /// A grid that cannot be made, for instance a flat map so long that its shorter side has no cell.
    pub fn topology(&self) -> Result<Topology, GridError> {
        let g = &self.grid;
        if g.topology == "globe" {
            return Globe::new(g.cells, g.radius_km * 1000.0).map(Topology::Globe);
        }
        let cell_km = g.width_km.max(g.height_km) / f64::from(g.cells);
        let count = |length_km: f64| (length_km / cell_km).round() as u32;
        Flat::new(count(g.width_km), count(g.height_km), cell_km * 1000.0).map(Topology::Flat)
    }

    /// Takes over what a table says; reports everything that is wrong with it.
    fn take(&mut self, table: &Table) -> Result<(), RecipeError> {
        let mut errors = Vec::new();
        let mut known: Vec<String> = vec!["name".into(), "seed".into()];
        if let Some(value) = table.get("name") {
            match value.as_str() {
                Some(name) if name.len() <= 200 => self.name = name.into(),
                _ => errors.push(error("name", "expected a text of at most 200 bytes")),
            }
        }
        if let Some(value) = table.get("seed") {
            match value.as_integer().and_then(|v| u64::try_from(v).ok()) {
                Some(seed) => self.seed = seed,
                None => errors.push(error("seed", "expected a whole number from 0 to 9223372036854775807")),
            }
        }
        if table.contains_key("import") && self.import.is_none() {
            self.import = Some(Import::default());
        }
        if table.contains_key("given") && self.given.is_none() {
            self.given = Some(Given::default());
        }
        for slot in self.slots() {
            let (section, field) = slot.path.split_once('.').expect("slots are section.field");
            if let Some(value) = table.get(section).and_then(|s| s.get(field))
                && let Err(reason) = store(slot.place, value)
            {
                errors.push(error(&slot.path, &reason));
            }
            known.push(slot.path);
        }
        unknown(table, &known, &mut errors);
        if errors.is_empty() { Ok(()) } else { Err(RecipeError(errors)) }
    }
}

fn error(path: &str, reason: &str) -> FieldError {
    FieldError { path: path.into(), reason: reason.into() }
}

/// The value as TOML, and its range in words.
fn describe(place: &Place) -> (String, String) {
    match place {
        Place::Real(value, low, high) => (format!("{value:?}"), format!("{low} to {high}")),
        Place::Count(value, low, high) => (value.to_string(), format!("{low} to {high}")),
        Place::Word(value, words) => (format!("{value:?}"), words.join(" or ")),
        Place::Text(text) => (Value::String(text.to_string()).to_string(), "any".into()),
    }
}

/// Puts a value into its place if it is allowed there.
fn store(place: Place, value: &Value) -> Result<(), String> {
    match place {
        Place::Real(slot, low, high) => {
            let number = value.as_float().or_else(|| value.as_integer().map(|i| i as f64));
            match number {
                Some(x) if (low..=high).contains(&x) => *slot = x,
                _ => return Err(format!("{value} is not a number from {low} to {high}")),
            }
        }
        Place::Count(slot, low, high) => match value.as_integer().and_then(|v| u32::try_from(v).ok()) {
            Some(x) if (low..=high).contains(&x) => *slot = x,
            _ => return Err(format!("{value} is not a whole number from {low} to {high}")),
        },
        Place::Word(slot, words) => match value.as_str() {
            Some(x) if words.contains(&x) => *slot = x.into(),
            _ => return Err(format!("{value} is not one of: {}", words.join(", "))),
        },
        Place::Text(slot) => match value.as_str() {
            Some(text) if text.len() <= MOST_TEXT => *slot = text.into(),
            _ => return Err(format!("expected a text of at most {MOST_TEXT} bytes")),
        },
    }
    Ok(())
}

impl ClimateParams {
    /// How much colder air is for every metre of height, in degrees.
    pub fn lapse_c_m(&self) -> f64 {
        self.lapse_c_km / 1000.0
    }
}

/// Reports the fields of a table that no recipe has, with the most similar one that it has.
fn unknown(table: &Table, known: &[String], errors: &mut Vec<FieldError>) {
    for (name, value) in table {
        let paths: Vec<String> = match value {
            Value::Table(inner) => inner.keys().map(|field| format!("{name}.{field}")).collect(),
            _ => vec![name.clone()],
        };
        for path in paths.into_iter().filter(|p| !known.contains(p)) {
            let similar = known.iter().min_by_key(|k| distance(k, &path)).expect("recipes have fields");
            let hint = match distance(similar, &path) <= similar.len().min(path.len()) / 2 {
                true => format!("did you mean {similar}?"),
                false => "`terrane recipe` lists all".into(),
            };
            errors.push(error(&path, &format!("there is no such field; {hint}")));
        }
    }
}

/// Number of single-letter edits between two words (Levenshtein 1966).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// A value from the command line: TOML where it parses, else a bare word.
fn parse_value(text: &str) -> Value {
    let parsed = format!("v = {text}").parse::<Table>().ok().and_then(|mut t| t.remove("v"));
    parsed.unwrap_or_else(|| Value::String(text.into()))
}

fn insert(table: &mut Table, path: &str, value: Value) {
    let Some((section, field)) = path.split_once('.') else {
        table.insert(path.into(), value);
        return;
    };
    let inner = table.entry(section).or_insert_with(|| Value::Table(Table::new()));
    if let Value::Table(inner) = inner {
        inner.insert(field.into(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_parse_and_print_to_themselves() {
        for (name, _) in PRESETS {
            let recipe = Recipe::preset(name).expect("listed");
            assert_eq!(recipe.name, *name);
            assert_eq!(Recipe::parse(&recipe.to_toml()), Ok(recipe.clone()), "{name}");
            assert!(recipe.topology().is_ok());
        }
    }

    #[test]
    fn an_import_prints_to_itself_and_others_do_not_mention_it() {
        let mut recipe = Recipe { import: Some(Import::default()), ..Recipe::default() };
        recipe.set(&["import.kept=0.5".into(), "import.source=a \"b\".tif".into()]).expect("both are fields");
        let text = recipe.to_toml();
        assert_eq!(Recipe::parse(&text), Ok(recipe));
        assert!(!Recipe::default().to_toml().contains("import"), "made land has no such section");
        let RecipeError(errors) = Recipe::parse("[import]\nkept = 2\nkind = 1").expect_err("both are wrong");
        assert_eq!(
            errors.iter().map(|e| e.path.as_str()).collect::<Vec<_>>(),
            ["import.kept", "import.kind"]
        );
    }

    #[test]
    fn every_error_is_reported_with_its_path() {
        let text = "seed = -1\n[grid]\ncells = 3\ntopology = \"donut\"\n[plate]\ncount = 4\n[plates]\ncuont = 4\ncount = 2.5";
        let RecipeError(errors) = Recipe::parse(text).expect_err("six mistakes");
        let paths: Vec<&str> = errors.iter().map(|e| e.path.as_str()).collect();
        assert_eq!(
            paths,
            ["seed", "grid.topology", "grid.cells", "plates.count", "plate.count", "plates.cuont"]
        );
        assert!(errors[5].reason.contains("plates.count"), "{}", errors[5]);
    }

    #[test]
    fn text_that_is_not_toml_names_the_line() {
        let RecipeError(errors) = Recipe::parse("seed = 1\ncells = = 2\n").expect_err("not TOML");
        assert_eq!(errors[0].path, "line 2");
    }

    #[test]
    fn single_fields_are_set() {
        let mut recipe = Recipe::default();
        let settings = ["plates.count=9", "grid.topology=flat", "name=my world", "climate.lapse_c_km = 5"];
        recipe.set(&settings.map(String::from)).expect("all are fields");
        assert_eq!((recipe.plates.count, recipe.grid.topology.as_str()), (9, "flat"));
        assert_eq!((recipe.name.as_str(), recipe.climate.lapse_c_km), ("my world", 5.0));
        let RecipeError(errors) = recipe.set(&["x=1".into(), "plates.count".into()]).expect_err("two errors");
        assert_eq!(errors.len(), 2);
    }
}
