//! What can be asked for, and how it is written.

use super::query::{Query, shown};
use super::refusal::Refusal;
use std::fmt;

/// The deepest zoom: 2.4 m a pixel on an Earth's equator.
pub const MAX_ZOOM: u8 = 16;

/// A tile of the page's map, counted from the north-west.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    /// The map has 2^zoom tiles along a side.
    pub zoom: u8,
    /// Column.
    pub x: u32,
    /// Row.
    pub y: u32,
}

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.zoom, self.x, self.y)
    }
}

impl Tile {
    fn parse(zoom: &str, x: &str, y: &str) -> Result<Self, Refusal> {
        let wrong = |what: &str, text: &str, most: u32| {
            Refusal::Malformed(format!("{what} {}: expected a whole number from 0 to {most}", shown(text)))
        };
        let whole = |what: &str, text: &str, most: u32| {
            let number = plain_whole(text).filter(|n| *n <= most);
            number.ok_or_else(|| wrong(what, text, most))
        };
        let zoom = whole("zoom", zoom, u32::from(MAX_ZOOM))? as u8;
        let last = (1u32 << zoom) - 1;
        Ok(Self { zoom, x: whole("column", x, last)?, y: whole("row", y, last)? })
    }
}

/// A whole number as addresses have it: digits, no needless noughts.
fn plain_whole(text: &str) -> Option<u32> {
    let plain = !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    let number = text.parse().ok().filter(|_| plain)?;
    (text == "0" || !text.starts_with('0')).then_some(number)
}

/// What a coloured map shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Picture {
    /// Terrain as seen from above.
    Relief,
    /// Terrain as in a printed atlas.
    Atlas,
    /// Height by colour.
    Heights,
    /// Mountains over the land under them.
    Mountains,
    /// What grows.
    Biomes,
    /// Koeppen's classes.
    Climate,
    /// Temperature of the year, or of a month from 1 to 12.
    Temperature(Option<u8>),
    /// Rain of the year, or of a month.
    Rain(Option<u8>),
    /// Plates.
    Plates,
}

impl Picture {
    /// Names without months.
    const NAMES: [(&str, Self); 9] = [
        ("relief", Self::Relief),
        ("atlas", Self::Atlas),
        ("heights", Self::Heights),
        ("mountains", Self::Mountains),
        ("biomes", Self::Biomes),
        ("climate", Self::Climate),
        ("temperature", Self::Temperature(None)),
        ("rain", Self::Rain(None)),
        ("plates", Self::Plates),
    ];

    /// The picture of a name: `relief`, `rain`, `rain-07`.
    pub fn named(name: &str) -> Option<Self> {
        if let Some((_, picture)) = Self::NAMES.iter().find(|(n, _)| *n == name) {
            return Some(*picture);
        }
        let (base, month) = name.rsplit_once('-')?;
        let month = (1..=12).find(|m| month == format!("{m:02}"))?;
        match base {
            "temperature" => Some(Self::Temperature(Some(month))),
            "rain" => Some(Self::Rain(Some(month))),
            _ => None,
        }
    }

    /// What a map of it is called.
    pub fn title(self) -> &'static str {
        match self {
            Self::Relief => "Terrain",
            Self::Atlas => "Atlas",
            Self::Heights => "Elevation",
            Self::Mountains => "Mountain height",
            Self::Biomes => "Biomes",
            Self::Climate => "Climates",
            Self::Temperature(_) => "Temperature",
            Self::Rain(_) => "Precipitation",
            Self::Plates => "Plates",
        }
    }
}

impl fmt::Display for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (base, month) = match *self {
            Self::Temperature(month) => ("temperature", month),
            Self::Rain(month) => ("rain", month),
            _ => (Self::NAMES.iter().find(|(_, p)| p == self).map_or("", |(n, _)| *n), None),
        };
        f.write_str(base)?;
        month.map_or(Ok(()), |month| write!(f, "-{month:02}"))
    }
}

/// Heights as colours that browsers turn back into metres.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Heights {
    /// Ground, river beds, floors of sea and lakes.
    Ground,
    /// The same with water on it: the sea is level.
    Surface,
}

/// Lines, points and areas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lines {
    /// Rivers, lakes, names of outlets.
    Water,
    /// Ridges and peaks; ranges as symbols from far.
    Crests,
    /// Faults and volcanoes.
    Faults,
    /// The grid of cells.
    Cells,
}

/// A pole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pole {
    /// The north pole.
    North,
    /// The south pole.
    South,
}

/// What lies over a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlays {
    /// Rivers with their names.
    pub water: bool,
    /// Ranges, ridges, peaks.
    pub crests: bool,
    /// Faults and volcanoes.
    pub faults: bool,
    /// The grid of cells.
    pub cells: bool,
}

impl Overlays {
    /// Those of a list; rivers and crests where none is given, as on the page.
    fn parse(list: Option<&str>) -> Result<Self, Refusal> {
        let mut all = Self::default();
        for name in list.unwrap_or("water,crests").split(',').filter(|name| !name.is_empty()) {
            match name {
                "water" => all.water = true,
                "crests" => all.crests = true,
                "faults" => all.faults = true,
                "cells" => all.cells = true,
                _ => {
                    let expected = "expected some of water,crests,faults,cells";
                    return Err(Refusal::Malformed(format!("on={}: {expected}", shown(name))));
                }
            }
        }
        Ok(all)
    }
}

impl fmt::Display for Overlays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [(self.water, 'w'), (self.crests, 'c'), (self.faults, 'f'), (self.cells, 'g')];
        all.into_iter().filter(|(is_on, _)| *is_on).try_for_each(|(_, letter)| write!(f, "{letter}"))
    }
}

/// A box of the map in degrees, or in metres of a flat map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// West, south, east, north.
    pub bounds: [f64; 4],
    /// Samples from west to east.
    pub width: usize,
    /// What lies over the picture.
    pub over: Overlays,
}

/// What is taken home of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// Elevation and water as numbers.
    GeoTiff,
    /// The picture alone.
    Png,
    /// A map with title, legend, scale and graticule.
    Print,
    /// The same on A4 paper with lines and letters, for drawing programs.
    Svg,
    /// The same for printers.
    Pdf,
}

/// Something that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Address {
    /// Heights of a tile.
    Heights(Heights, Tile),
    /// Colours of a tile.
    Picture(Picture, Tile),
    /// Lines of a tile.
    Lines(Lines, Tile),
    /// A pole from above: so many degrees from it, so many pixels wide.
    Polar(Pole, Picture, Overlays, (f64, usize)),
    /// Part of the map to take home.
    Export(Export, Picture, Frame),
    /// All about the world.
    About,
    /// Places worth going to.
    Sights,
    /// All about a place.
    Place([f64; 2]),
}

/// The widest picture that is made.
const MOST_PIXELS: f64 = 4096.0;

impl Address {
    /// Reads a path, without its leading slash, and what stands behind its question mark.
    ///
    /// # Errors
    /// There is nothing of that name; numbers that are none, or out of range.
    pub fn parse(path: &str, query: &str) -> Result<Self, Refusal> {
        let parts: Vec<&str> = path.split('/').collect();
        if !matches!(parts[..], ["api", "place"] | ["polar" | "export", ..]) {
            Query::parse(query, &[])?;
        }
        match parts[..] {
            ["tiles", name, zoom, x, file] => tile(name, zoom, x, file),
            ["polar", pole, file] => polar(pole, file, query),
            ["export", file] => export(file, query),
            ["api", "world"] => Ok(Self::About),
            ["api", "sights"] => Ok(Self::Sights),
            ["api", "place"] => {
                let query = Query::parse(query, &["lon", "lat"])?;
                // wide enough for metres of a flat map; the world says what lies outside it
                let number = |name| query.number(name, (-1e9, 1e9), None);
                Ok(Self::Place([number("lon")?, number("lat")?].map(|v| (v * 1e6).round() / 1e6)))
            }
            _ => Err(Refusal::Missing(format!("there is nothing at /{}", shown(path)))),
        }
    }
}

fn tile(name: &str, zoom: &str, x: &str, file: &str) -> Result<Address, Refusal> {
    let unknown = || Refusal::Missing(format!("there is no map {}", shown(name)));
    let (y, ending) = file
        .rsplit_once('.')
        .ok_or_else(|| Refusal::Malformed(format!("row {}: expected ROW.png or ROW.mvt", shown(file))))?;
    let lines = match name {
        "water" => Some(Lines::Water),
        "crests" => Some(Lines::Crests),
        "faults" => Some(Lines::Faults),
        "cells" => Some(Lines::Cells),
        _ => None,
    };
    let expected = if lines.is_some() { "mvt" } else { "png" };
    let heights = match name {
        "ground" => Some(Heights::Ground),
        "surface" => Some(Heights::Surface),
        _ => None,
    };
    let picture = Picture::named(name);
    if lines.is_none() && heights.is_none() && picture.is_none() {
        return Err(unknown());
    }
    let tile = Tile::parse(zoom, x, y)?;
    if ending != expected {
        return Err(Refusal::Malformed(format!("{}: its tiles end in .{expected}", shown(name))));
    }
    match (lines, heights, picture) {
        (Some(lines), ..) => Ok(Address::Lines(lines, tile)),
        (_, Some(heights), _) => Ok(Address::Heights(heights, tile)),
        (.., Some(picture)) => Ok(Address::Picture(picture, tile)),
        _ => Err(unknown()),
    }
}

fn picture_of(file: &str, ending: &str) -> Result<Picture, Refusal> {
    let name = file.strip_suffix(ending);
    let missing = || Refusal::Missing(format!("there is no map {}", shown(file)));
    name.and_then(Picture::named).ok_or_else(missing)
}

fn polar(pole: &str, file: &str, query: &str) -> Result<Address, Refusal> {
    let pole = match pole {
        "north" => Pole::North,
        "south" => Pole::South,
        _ => return Err(Refusal::Malformed(format!("pole {}: expected north or south", shown(pole)))),
    };
    let picture = picture_of(file, ".png")?;
    let query = Query::parse(query, &["degrees", "size", "on"])?;
    let degrees = query.number("degrees", (1.0, 90.0), Some(30.0))?;
    let size = query.number("size", (64.0, 2048.0), Some(768.0))?;
    let over = Overlays::parse(query.text("on"))?;
    Ok(Address::Polar(pole, picture, over, ((degrees * 10.0).round() / 10.0, size as usize)))
}

fn export(file: &str, query: &str) -> Result<Address, Refusal> {
    let (export, picture) = match file {
        "elevation.tif" => (Export::GeoTiff, Picture::Relief),
        _ => match file.strip_prefix("print-") {
            Some(rest) if rest.ends_with(".svg") => (Export::Svg, picture_of(rest, ".svg")?),
            Some(rest) if rest.ends_with(".pdf") => (Export::Pdf, picture_of(rest, ".pdf")?),
            Some(rest) => (Export::Print, picture_of(rest, ".png")?),
            None => (Export::Png, picture_of(file, ".png")?),
        },
    };
    let query = Query::parse(query, &["west", "south", "east", "north", "width", "on"])?;
    let bound = |name| query.number(name, (-1e9, 1e9), None);
    let bounds = [bound("west")?, bound("south")?, bound("east")?, bound("north")?];
    let width = query.number("width", (16.0, MOST_PIXELS), Some(1024.0))? as usize;
    let over = Overlays::parse(query.text("on"))?;
    let frame = Frame { bounds: bounds.map(|v| (v * 1e6).round() / 1e6), width, over };
    Ok(Address::Export(export, picture, frame))
}

impl fmt::Display for Address {
    /// Its one spelling: equal addresses, equal texts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Heights(Heights::Ground, tile) => write!(f, "ground/{tile}"),
            Self::Heights(Heights::Surface, tile) => write!(f, "surface/{tile}"),
            Self::Picture(picture, tile) => write!(f, "{picture}/{tile}"),
            Self::Lines(lines, tile) => write!(f, "{}/{tile}", format!("{lines:?}").to_lowercase()),
            Self::Polar(pole, picture, over, (degrees, size)) => {
                write!(f, "polar/{pole:?}/{picture}/{over}/{degrees}/{size}")
            }
            Self::Export(export, picture, Frame { bounds: [w, s, e, n], width, over }) => {
                write!(f, "export/{export:?}/{picture}/{w}/{s}/{e}/{n}/{width}/{over}")
            }
            Self::About => f.write_str("about"),
            Self::Sights => f.write_str("sights"),
            Self::Place([x, y]) => write!(f, "place/{x}/{y}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_say_what_is_wanted() {
        let tile = Tile { zoom: 3, x: 7, y: 0 };
        let parse = |path| Address::parse(path, "").map(|a| a.to_string());
        assert_eq!(Address::parse("tiles/relief/3/7/0.png", ""), Ok(Address::Picture(Picture::Relief, tile)));
        assert_eq!(parse("tiles/rain-07/3/7/0.png"), Ok("rain-07/3/7/0".into()));
        assert_eq!(parse("tiles/water/3/7/0.mvt"), Ok("water/3/7/0".into()));
        assert_eq!(parse("tiles/surface/0/0/0.png"), Ok("surface/0/0/0".into()));
        let place = Address::parse("api/place", "lat=-3&lon=12.50000001");
        assert_eq!(place, Ok(Address::Place([12.5, -3.0])));
    }

    #[test]
    fn other_paths_are_refused_with_a_line() {
        let cases = [
            ("tiles/relief/3/8/0.png", "column 8: expected a whole number from 0 to 7"),
            ("tiles/relief/17/0/0.png", "zoom 17: expected a whole number from 0 to 16"),
            ("tiles/relief/03/0/0.png", "zoom 03: expected a whole number from 0 to 16"),
            ("tiles/relief/-1/0/0.png", "zoom -1: expected a whole number from 0 to 16"),
            ("tiles/relief/3/0/99999999999999999999.png", "row 99999999999999999999"),
            ("tiles/relief/3/0/0", "row 0: expected ROW.png or ROW.mvt"),
            ("tiles/relief/3/0/0.mvt", "relief: its tiles end in .png"),
            ("tiles/rain-13/3/0/0.png", "there is no map rain-13"),
            ("tiles/moon/3/0/0.png", "there is no map moon"),
            ("../../etc/passwd", "there is nothing at /../../etc/passwd"),
        ];
        for (path, expected) in cases {
            let error = Address::parse(path, "").expect_err(path).to_string();
            assert!(error.starts_with(expected), "{path}: {error}");
        }
        let Err(Refusal::Malformed(said)) = Address::parse("tiles/relief/3/0/0.png", "x=1") else {
            panic!("tiles have no parameters");
        };
        assert_eq!(said, "x=1: nothing is expected behind the question mark");
        assert!(Address::parse("polar/north/relief.png", "degrees=0").is_err());
        assert!(Address::parse("export/relief.png", "west=1").is_err());
    }

    #[test]
    fn every_picture_has_one_name() {
        let months = (1..=12).flat_map(|m| [Picture::Temperature(Some(m)), Picture::Rain(Some(m))]);
        for picture in Picture::NAMES.iter().map(|(_, p)| *p).chain(months) {
            assert_eq!(Picture::named(&picture.to_string()), Some(picture));
        }
    }
}
