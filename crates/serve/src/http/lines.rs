//! Tiles of lines, points and areas.
//!
//! From far they are those that the world has as a whole; near, those of the terrain of the same tile, so that a river
//! runs in the valley that is drawn under it.

use super::Surface;
use super::address::{Lines, Tile};
use super::mvt::{self, EXTENT, Geometry, Layer};
use super::names::{self, Named};
use super::planet::{Failure, Feature, Property, Shape, Stem, Theme};
use super::refusal::Refusal;
use super::scene::{Answer, Ground, Scene, brook_c, up_to_the_bank};
use super::sheet::Sheet;
use crate::clip::{self, Bounds, Point};
use crate::draw::relief::tide;
use region::summits::Wanted;
use region::vectors::RiverLine;
use region::{VectorLayer, Vectors};
use std::sync::Arc;

/// Units beyond a tile's sides up to which lines are drawn, so that their ends cannot be seen.
const BUFFER: f64 = 128.0;
/// Places of a line that are closer than this, in units, are one: half a pixel.
const DETAIL: f64 = 8.0;
/// The last zoom at which ranges are symbols: nearer they are terrain.
pub const LAST_SYMBOLS: u8 = 7;
/// The first zoom at which peaks are drawn.
const FIRST_PEAKS: u8 = 7;
/// Peaks of a tile, about; as a share of its side, how far they are from each other; as a share of that, how far at least they
/// stand above the land around.
const PEAKS: usize = 8;
const PEAKS_APART: f64 = 0.2;
const PEAKS_RELIEF: f64 = 0.01;
/// Cells narrower than this on a tile are not drawn, in units.
const LEAST_CELL: f64 = 100.0;
/// Places along a side of a tile at which cells are looked for.
const PROBES: usize = 48;

/// What stands less over the ground nearby is no hill, however near it is looked at, in metres.
const HILL_M: f64 = 80.0;

/// The least discharge in m3/s of rivers that are drawn at a zoom: about as many on each tile.
pub fn least_discharge_m3_s(zoom: u8) -> f64 {
    FIRST_M3_S / (0..zoom.min(20)).map(|_| STEP).product::<f64>()
}

/// The summits that are labelled on so many tiles with sides of so many metres.
pub(super) fn peaks_wanted(side_m: f64, tiles: usize) -> Wanted {
    let apart_m = side_m * PEAKS_APART;
    let relief_m = (PEAKS_RELIEF * apart_m).max(HILL_M);
    Wanted { apart_m, most: PEAKS * tiles, relief_m, least_share: 0.0 }
}

/// Of rivers on a map of the whole world in one tile.
const FIRST_M3_S: f64 = 6_000.0;
/// From a zoom to the next.
const STEP: f64 = 2.6;

/// A tile of lines.
///
/// # Errors
/// The world cannot be read.
pub fn tile(scene: &Scene, lines: Lines, tile: Tile) -> Result<Answer, Refusal> {
    let drawing = Drawing { scene, tile, page: Page { sheet: scene.sheet, tile } };
    let layers = match lines {
        Lines::Water => drawing.water()?,
        Lines::Crests => drawing.crests()?,
        Lines::Faults => {
            vec![drawing.theme("faults", Theme::Faults)?, drawing.theme("volcanoes", Theme::Volcanoes)?]
        }
        Lines::Cells => vec![drawing.cells()],
    };
    Ok(Answer::new("application/vnd.mapbox-vector-tile", mvt::tile(&layers)))
}

struct Drawing<'a> {
    scene: &'a Scene,
    tile: Tile,
    page: Page,
}

impl Drawing<'_> {
    /// The coloured tiles that a browser lays under this tile: it shows lines at twice the size.
    fn under(&self) -> [Tile; 4] {
        let Tile { zoom, x, y } = self.tile;
        [0, 1, 2, 3].map(|k| Tile { zoom: zoom + 1, x: 2 * x + k % 2, y: 2 * y + k / 2 })
    }

    fn is_far(&self) -> bool {
        self.scene.is_far(&self.scene.sheet.tile(self.under()[0], 0).0)
    }

    /// Lines and areas of the terrain under the tile.
    fn found(&self, wanted: &[VectorLayer]) -> Result<Vec<(Arc<Ground>, Vectors)>, Failure> {
        let of = |tile: Tile| {
            let ground = self.scene.ground(tile)?;
            let found = self.scene.planet.vectors(&ground.request, &ground.region, wanted)?;
            Ok((ground, found))
        };
        self.under().into_iter().map(of).collect()
    }

    fn water(&self) -> Result<Vec<Layer>, Failure> {
        let outlets = self.theme("outlets", Theme::Outlets)?;
        if self.is_far() {
            return Ok(vec![self.theme("rivers", Theme::Rivers)?, outlets]);
        }
        let found = self.found(&[VectorLayer::Rivers, VectorLayer::Lakes])?;
        let (mut rivers, mut lakes) = (Layer::new("rivers"), Layer::new("lakes"));
        let mut named = Vec::new();
        let least = least_discharge_m3_s(self.tile.zoom);
        let all =
            found.iter().flat_map(|(ground, found)| found.rivers.iter().map(move |river| (ground, river)));
        for (ground, river) in all.filter(|(_, river)| river.discharge_m3_s >= least) {
            let mut properties = vec![
                ("q", Property::Number(rounded(river.discharge_m3_s))),
                ("order", Property::Number(river.order.into())),
            ];
            // mean of the year in degrees: some are ice
            let middle = river.places[river.places.len() / 2];
            let temperature = brook_c(&ground.region, middle);
            properties.extend(temperature.map(|t| ("t", Property::Number(t.round().into()))));
            let tide = tide_of(river);
            properties.extend((tide > 0.0).then_some(("tide", Property::Number(rounded(tide.into())))));
            let places = up_to_the_bank(&ground.region, river);
            if !places.is_empty() {
                rivers.push(&self.page.line(&places), &properties);
            }
            // what joins the main stem in the same cell has less
            let is_main = |stem: &Stem| river.discharge_m3_s > 0.5 * stem.discharge_m3_s;
            if let Some(stem) = self.scene.planet.stem_at(middle)?.filter(is_main) {
                let part =
                    |line| Named { name: stem.name.clone(), discharge_m3_s: river.discharge_m3_s, line };
                named.extend(self.page.copies(&river.places).map(part));
            }
        }
        for lake in found.iter().flat_map(|(_, found)| &found.lakes) {
            let properties = [("level", Property::Number(rounded(lake.level_m)))];
            for piece in &lake.pieces {
                let rings: Vec<&[Point]> =
                    std::iter::once(&piece.outer).chain(&piece.holes).map(Vec::as_slice).collect();
                lakes.push(&self.page.area(&rings), &properties);
            }
        }
        Ok(vec![lakes, rivers, outlets, names_along(named)])
    }

    fn crests(&self) -> Result<Vec<Layer>, Failure> {
        let mut layers = Vec::new();
        if self.tile.zoom <= LAST_SYMBOLS {
            layers.push(self.theme("ranges", Theme::Ranges)?);
        }
        if self.scene.is_far(&self.scene.sheet.tile(self.tile, 0).0) {
            return Ok(layers);
        }
        // ridges are the same at every spacing, and dear: once for the tile, not for each that lies under it
        let ground = self.scene.ground(self.tile)?;
        let found = self.scene.planet.vectors(&ground.request, &ground.region, &[VectorLayer::Ridges])?;
        let mut ridges = Layer::new("ridges");
        for ridge in &found.ridges {
            let height = ridge.height_m.iter().copied().fold(0.0, f64::max);
            ridges.push(&self.page.line(&ridge.places), &[("height", Property::Number(rounded(height)))]);
        }
        layers.push(ridges);
        if self.tile.zoom >= FIRST_PEAKS {
            layers.push(self.peaks()?);
        }
        Ok(layers)
    }

    /// Summits of the land that is drawn.
    fn peaks(&self) -> Result<Layer, Failure> {
        let (lattice, window) = self.scene.sheet.tile(self.tile, 0);
        let wanted = peaks_wanted(256.0 * self.scene.sheet.pixel_m(self.tile), 1);
        let mut peaks = Layer::new("peaks");
        for top in self.scene.planet.summits((&lattice, &window), &wanted)? {
            let properties = [("elevation", Property::Number(top.height_m.round()))];
            peaks.push(&self.page.point(top.place), &properties);
        }
        Ok(peaks)
    }

    /// The world's own features of a kind, as far as they lie in the tile.
    fn theme(&self, name: &'static str, theme: Theme) -> Result<Layer, Failure> {
        let mut layer = Layer::new(name);
        let zoom = self.tile.zoom;
        for Feature { shape, properties, .. } in
            self.scene.planet.features(theme)?.iter().filter(|f| f.from_zoom <= zoom)
        {
            let geometry = match shape {
                Shape::Point(place) => self.page.point(*place),
                Shape::Line(places) => self.page.line(places),
                Shape::Area(rings) => self.page.area(&rings.iter().map(Vec::as_slice).collect::<Vec<_>>()),
            };
            layer.push(&geometry, properties);
        }
        Ok(layer)
    }

    /// The borders of the cells that lie in the tile.
    fn cells(&self) -> Layer {
        let mut layer = Layer::new("cells");
        let pixel_m = self.scene.sheet.pixel_m(self.tile);
        if self.scene.planet.about().cell_m / pixel_m * (EXTENT / 256.0) < LEAST_CELL {
            return layer;
        }
        let share = |i: usize| i as f64 / (PROBES - 1) as f64;
        let places: Vec<Point> = (0..PROBES * PROBES)
            .map(|i| self.page.in_world([share(i % PROBES), share(i / PROBES)]))
            .collect();
        for ring in self.scene.planet.cells_at(&places) {
            layer.push(&self.page.line(&ring), &[]);
        }
        layer
    }
}

/// How much a river looks as the sea does, half way along.
pub(super) fn tide_of(river: &RiverLine) -> f32 {
    let middle = river.places.len() / 2;
    let at = |values: &[f64]| values.get(middle).copied().unwrap_or(f64::NAN);
    let (surface_m, bed_m) = (at(&river.surface_m), at(&river.bed_m));
    if surface_m.is_finite() { tide(surface_m as f32, (surface_m - bed_m) as f32) } else { 0.0 }
}

/// Three figures are enough for the width of a line.
fn rounded(value: f64) -> f64 {
    if value.abs() >= 100.0 { value.round() } else { (value * 100.0).round() / 100.0 }
}

/// A tile as a sheet to draw on, in units.
struct Page {
    sheet: Sheet,
    tile: Tile,
}

impl Page {
    const BOUNDS: Bounds = Bounds { low: [-BUFFER; 2], high: [EXTENT + BUFFER; 2] };

    /// Units of the whole map.
    fn around(&self) -> f64 {
        EXTENT * f64::from(1u32 << self.tile.zoom)
    }

    fn in_world(&self, [x, y]: Point) -> Point {
        let scale = f64::from(1u32 << self.tile.zoom);
        self.sheet.in_world([(f64::from(self.tile.x) + x) / scale, (f64::from(self.tile.y) + y) / scale])
    }

    fn project(&self, place: Point) -> Point {
        let [u, v] = self.sheet.on_page(place);
        let around = self.around();
        [u * around - f64::from(self.tile.x) * EXTENT, v * around - f64::from(self.tile.y) * EXTENT]
    }

    /// A line of places that does not jump from one side of the map to the other.
    fn unrolled(&self, places: &[Point]) -> Vec<Point> {
        let around = match self.sheet.0 {
            Surface::Globe { .. } => self.around(),
            Surface::Flat { .. } => return places.iter().map(|&p| self.project(p)).collect(),
        };
        let mut before: Option<f64> = None;
        let step = |&place: &Point| {
            let [x, y] = self.project(place);
            let x = x - around * ((x - before.unwrap_or(x)) / around).round();
            before = Some(x);
            [x, y]
        };
        places.iter().map(step).collect()
    }

    /// The same line as often as it may be seen: here, and once around the globe to both sides.
    fn copies(&self, places: &[Point]) -> impl Iterator<Item = Vec<Point>> {
        let line = self.unrolled(places);
        let around = self.around();
        let shifts = match self.sheet.0 {
            Surface::Globe { .. } => &[0.0, -1.0, 1.0][..],
            Surface::Flat { .. } => &[0.0][..],
        };
        let shifted = move |&s: &f64| line.iter().map(|p| [p[0] + s * around, p[1]]).collect::<Vec<_>>();
        shifts.iter().map(shifted).filter(|line| Self::BOUNDS.may_hold(line))
    }

    fn point(&self, place: Point) -> Geometry {
        let [x, y] = self.project(place);
        // a place belongs to one tile
        let inside = (0.0..EXTENT).contains(&x) && (0.0..EXTENT).contains(&y);
        Geometry::Points(if inside { vec![whole([x, y])] } else { Vec::new() })
    }

    fn line(&self, places: &[Point]) -> Geometry {
        let pieces = self.copies(places).flat_map(|line| clip::line(&thinned(&line), &Self::BOUNDS));
        Geometry::Lines(pieces.map(|piece| piece.into_iter().map(whole).collect()).collect())
    }

    fn area(&self, rings: &[&[Point]]) -> Geometry {
        let mut cut = Vec::new();
        for (k, ring) in rings.iter().enumerate() {
            for copy in self.copies(ring) {
                let ring = clip::ring(&copy, &Self::BOUNDS);
                cut.push(turned(ring.into_iter().map(whole).collect(), k == 0));
            }
        }
        Geometry::Rings(cut)
    }
}

/// What names of rivers are written along.
fn names_along(named: Vec<Named>) -> Layer {
    let mut layer = Layer::new("names");
    for Named { name, discharge_m3_s, line } in names::carriers(named) {
        let pieces = clip::line(&line, &Page::BOUNDS);
        let geometry =
            Geometry::Lines(pieces.into_iter().map(|piece| piece.into_iter().map(whole).collect()).collect());
        layer.push(
            &geometry,
            &[("name", Property::Text(name)), ("q", Property::Number(rounded(discharge_m3_s)))],
        );
    }
    layer
}

fn whole([x, y]: Point) -> [i32; 2] {
    [x.round() as i32, y.round() as i32]
}

/// Leaves out places that are too close to the one before them.
fn thinned(line: &[Point]) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::with_capacity(line.len());
    for (i, p) in line.iter().enumerate() {
        let is_close = |last: &Point| (0..2).map(|k| square(p[k] - last[k])).sum::<f64>() < DETAIL * DETAIL;
        if i + 1 == line.len() || !kept.last().is_some_and(is_close) {
            kept.push(*p);
        }
    }
    kept
}

fn square(v: f64) -> f64 {
    v * v
}

/// A ring that turns as the format wants it: outlines have a positive area where y grows downwards, holes a negative one.
fn turned(mut ring: Vec<[i32; 2]>, is_outline: bool) -> Vec<[i32; 2]> {
    let cross = |i: usize| {
        let (a, b) = (ring[i], ring[(i + 1) % ring.len()]);
        i64::from(a[0]) * i64::from(b[1]) - i64::from(b[0]) * i64::from(a[1])
    };
    let area: i64 = (0..ring.len()).map(cross).sum();
    if (area > 0) != is_outline {
        ring.reverse();
    }
    ring
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(zoom: u8, x: u32, y: u32) -> Page {
        Page { sheet: Sheet(Surface::Globe { radius_m: 6.371e6 }), tile: Tile { zoom, x, y } }
    }

    #[test]
    fn a_line_over_the_antimeridian_is_drawn_on_both_sides() {
        let places = [[179.0, 0.0], [-179.0, 1.0]];
        for x in [0, 3] {
            let Geometry::Lines(pieces) = page(2, x, 1).line(&places) else { panic!("lines") };
            assert_eq!(pieces.len(), 1, "{x}");
            let width = pieces[0].last().expect("two ends")[0] - pieces[0][0][0];
            assert!((0..1000).contains(&width), "{width}");
        }
        let Geometry::Lines(none) = page(2, 1, 1).line(&places) else { panic!("lines") };
        assert!(none.is_empty());
    }

    #[test]
    fn a_place_lies_in_one_tile() {
        let mut found = 0;
        for (x, y) in (0..16).map(|i| (i % 4, i / 4)) {
            let Geometry::Points(points) = page(2, x, y).point([90.0, 0.0]) else { panic!("points") };
            found += points.len();
        }
        assert_eq!(found, 1);
    }

    #[test]
    fn outlines_and_holes_turn_against_each_other() {
        let square = vec![[0, 0], [0, 9], [9, 9], [9, 0]];
        let area = |ring: &[[i32; 2]]| -> i32 {
            (0..4).map(|i| (ring[i], ring[(i + 1) % 4])).map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum()
        };
        assert!(area(&turned(square.clone(), true)) > 0 && area(&turned(square, false)) < 0);
    }

    #[test]
    fn rivers_look_as_the_sea_does_where_it_dams_them_up() {
        let river = |surface_m: f64, bed_m: f64| RiverLine {
            places: vec![[0.0, 0.0], [0.1, 0.0], [0.2, 0.0]],
            surface_m: vec![surface_m + 1.0, surface_m, surface_m - 1.0],
            bed_m: vec![bed_m; 3],
            discharge_from_m3_s: 1.0,
            discharge_m3_s: 1.0,
            drainage_km2: None,
            width_m: 1.0,
            order: 1,
            basin: None,
            downstream: None,
        };
        let tides = [(9.0, 4.0), (1.7, -3.3), (0.84, -4.16), (0.4, -4.6), (0.01, -4.99)]
            .map(|(s, b)| tide_of(&river(s, b)));
        assert_eq!((tides[0], tides[1], tides[4]), (0.0, 0.0, 1.0));
        assert!(tides.is_sorted() && (0.4..0.6).contains(&tides[2]), "{tides:?}");
        assert_eq!(
            (tide_of(&river(-3.0, -8.0)), tide_of(&river(f64::NAN, 0.0))),
            (0.0, 0.0),
            "below the sea, unknown"
        );
    }

    #[test]
    fn fewer_rivers_are_drawn_from_farther_off() {
        assert!((1..=16).all(|z| least_discharge_m3_s(z) < least_discharge_m3_s(z - 1)));
        assert!(least_discharge_m3_s(14) < 0.1 && least_discharge_m3_s(0) > 5000.0);
    }
}
