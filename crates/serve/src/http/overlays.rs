//! What lies over a picture that the server draws: the lines, signs and names that the page lays over its map.

use super::address::Overlays;
use super::lines::{least_discharge_m3_s, peaks_wanted, tide_of};
use super::names::{self, Named};
use super::planet::{Failure, Feature, Shape, Stem, Theme};
use super::scene::{Scene, brook_c, up_to_the_bank};
use crate::along::{self, Letters};
use crate::draw::canvas::Point;
use crate::draw::relief::FROZEN_C;
use crate::draw::symbols::{Inks, Symbol, symbol};
use crate::draw::text::{size_of, width_of};
use crate::draw::{Anchor, Canvas, Rgba, TextStyle};
use crate::print::Ground;
use grid::{Nth, Purpose, Seed, math};
use region::{Region, Request, VectorLayer, Vectors};

const RIVER: Rgba = [66, 110, 156, 230];
const SEA: Rgba = [166, 190, 208, 230];
const FROZEN_RIVER: Rgba = [196, 211, 224, 230];
const RIDGE: Rgba = [107, 58, 28, 150];
const CELL: Rgba = [59, 53, 40, 128];
const FAULTS: [(&str, Rgba); 2] = [("convergent", [190, 40, 40, 255]), ("divergent", [40, 70, 170, 255])];
const OTHER_FAULT: Rgba = [80, 80, 80, 255];
const VOLCANO: Rgba = [150, 40, 26, 255];
const VOLCANO_RIM: Rgba = [255, 243, 230, 255];
const PEAK: Rgba = [58, 45, 32, 255];
const WATER_NAME: Rgba = [31, 77, 125, 255];
const HALO: Rgba = [255, 253, 246, 217];

/// Ranges: lower ones are hills, higher ones have snow.
const HILL_M: f64 = 900.0;
const SNOW_M: f64 = 2300.0;
const BARE: Inks = Inks { line: [84, 69, 47, 255], bright: [241, 233, 214], dark: [196, 178, 146] };
const SNOWY: Inks = Inks { line: [84, 69, 47, 255], bright: [251, 250, 245], dark: [178, 170, 160] };
const SYMBOL: Purpose = Purpose::new("view/symbol");

/// Zooms of lines: the last at which ranges are symbols, those with ridges, the first ones with peaks, and with names that stand
/// along their rivers.
const LAST_RANGES: u8 = 4;
const RIDGES: std::ops::Range<u8> = 6..13;
const FIRST_PEAKS: u8 = 7;
const FIRST_ALONG: u8 = 7;
/// Tiles of the page, at most, for as many of which summits are climbed to: a tenth of a second each, or more.
const MOST_TILES: usize = 12;
/// Names of rivers on a picture, at most.
const NAMES: usize = 32;
/// Mean of the year in degrees below which rivers are ice rather than water.
const ICE_C: f32 = 0.5 * (FROZEN_C.0 + FROZEN_C.1);
/// Cells narrower than this are not drawn.
const LEAST_CELL_PX: f64 = 12.0;
/// Places along a side of a picture at which cells are looked for.
const PROBES: usize = 160;
/// Units of a pixel that lines of names are joined in.
const UNITS: f64 = 8.0;

/// A picture to draw over.
pub struct View<'a> {
    /// The world.
    pub scene: &'a Scene,
    /// What was asked of the world, and its answer: the picture's ground.
    pub ground: (&'a Request, &'a Region),
    /// The zoom of the page's map whose pixels are as large as the picture's.
    pub zoom: u8,
    /// How much larger lines and letters are than on the page.
    pub scale: f32,
    /// Whether ranges are symbols from far, as in an atlas.
    pub has_symbols: bool,
}

impl View<'_> {
    /// Draws what is wanted, from the ground up.
    ///
    /// # Errors
    /// The world cannot be read.
    pub fn draw(&self, wanted: Overlays, canvas: &mut Canvas) -> Result<(), Failure> {
        let is_far = self.scene.is_far(&self.ground.1.lattice);
        let zoom = self.lines_zoom();
        let mut room = Room { size: canvas.size(), taken: Vec::new() };
        let mut written = Vec::new();
        if wanted.water {
            let names = if is_far { self.far_rivers(canvas)? } else { self.near_rivers(canvas)? };
            written = self.placed(names, &mut room);
        }
        if wanted.crests && !is_far && RIDGES.contains(&zoom) {
            let ridges = self.vectors(VectorLayer::Ridges)?.ridges;
            ridges.iter().for_each(|ridge| self.line(canvas, &ridge.places, 1.0, RIDGE));
        }
        if wanted.cells {
            self.cells(canvas);
        }
        if wanted.faults {
            self.faults(canvas)?;
        }
        if wanted.crests && self.has_symbols && zoom <= LAST_RANGES {
            self.ranges(canvas, &mut room)?;
        }
        if wanted.crests && !is_far && zoom >= FIRST_PEAKS {
            self.peaks(canvas, &mut room)?;
        }
        written.iter().for_each(|name| name.draw(canvas));
        Ok(())
    }

    /// The zoom of the tiles of lines that the page would lay over these pixels: it shows them at twice their size.
    fn lines_zoom(&self) -> u8 {
        self.zoom.saturating_sub(1)
    }

    fn vectors(&self, layer: VectorLayer) -> Result<Vectors, Failure> {
        self.scene.planet.vectors(self.ground.0, self.ground.1, &[layer])
    }

    /// Those of the world's features that are drawn at this zoom.
    fn drawn<'f>(&self, all: &'f [Feature]) -> impl Iterator<Item = &'f Feature> {
        let zoom = self.lines_zoom();
        all.iter().filter(move |f| f.from_zoom <= zoom)
    }

    /// The picture as a sheet whose points are pixels.
    fn sheet(&self) -> Ground<'_> {
        Ground::of_pixels(self.ground.1)
    }

    /// The pieces of a line that can be seen.
    fn pieces(&self, places: &[[f64; 2]]) -> Vec<Vec<Point>> {
        self.sheet().lines(places).into_iter().map(|piece| piece.into_iter().map(pair).collect()).collect()
    }

    fn line(&self, canvas: &mut Canvas, places: &[[f64; 2]], width: f32, ink: Rgba) {
        self.pieces(places).iter().for_each(|piece| canvas.line(piece, width * self.scale, ink));
    }

    /// Width of a river's line, as the page has it.
    fn river_width(&self, discharge_m3_s: f64) -> f64 {
        let zoom = self.lines_zoom();
        let least = least_discharge_m3_s(zoom.min(13));
        (0.32 * (discharge_m3_s / least).sqrt()).clamp(0.4, 2.0 + 0.16 * f64::from(zoom.min(14)))
    }

    /// Draws the world's rivers; returns their names, which stand beside their ends.
    fn far_rivers(&self, canvas: &mut Canvas) -> Result<Vec<Name>, Failure> {
        for river in self.drawn(&self.scene.planet.features(Theme::Rivers)?) {
            if let Shape::Line(places) = &river.shape {
                let width = self.river_width(river.number("q").unwrap_or(0.0));
                self.line(canvas, places, width as f32, RIVER);
            }
        }
        self.outlets()
    }

    /// Draws the terrain's own rivers; returns their names, which stand along them near and beside their ends from far.
    fn near_rivers(&self, canvas: &mut Canvas) -> Result<Vec<Name>, Failure> {
        let least = least_discharge_m3_s(self.lines_zoom());
        let are_along = self.lines_zoom() >= FIRST_ALONG;
        let pixel_m = self.sheet().metres_per_pt();
        let mut named = Vec::new();
        for river in self.vectors(VectorLayer::Rivers)?.rivers.iter().filter(|r| r.discharge_m3_s >= least) {
            let width = self.river_width(river.discharge_m3_s);
            let middle = river.places[river.places.len() / 2];
            let temperature_c = brook_c(self.ground.1, middle);
            let is_ice = temperature_c.is_some_and(|t| t < ICE_C);
            let [r, g, b, a] = if is_ice { FROZEN_RIVER } else { blended(RIVER, SEA, tide_of(river)) };
            // a line gives way to a channel that is wider
            let channel = river.width_m / pixel_m / f64::from(self.scale);
            let seen = 1.0 - math::smoothstep(1.0, 2.0, channel / width);
            let places = up_to_the_bank(self.ground.1, river);
            if !places.is_empty() {
                self.line(canvas, &places, width as f32, [r, g, b, (f64::from(a) * seen) as u8]);
            }
            let is_main = |stem: &Stem| river.discharge_m3_s > 0.5 * stem.discharge_m3_s;
            let stem = if are_along { self.scene.planet.stem_at(middle)?.filter(is_main) } else { None };
            let Some(stem) = stem else { continue };
            for piece in self.pieces(&river.places) {
                let line =
                    piece.iter().map(|p| [p.0, p.1].map(|v| f64::from(v / self.scale) * UNITS)).collect();
                named.push(Named { name: stem.name.clone(), discharge_m3_s: river.discharge_m3_s, line });
            }
        }
        if !are_along {
            return self.outlets();
        }
        let back = |p: [f64; 2]| p.map(|v| v / UNITS * f64::from(self.scale));
        let name = |Named { name, discharge_m3_s, line }| Name {
            text: name,
            discharge_m3_s,
            at: At::Line(line.into_iter().map(back).collect()),
        };
        Ok(names::carriers(named).into_iter().map(name).collect())
    }

    fn outlets(&self) -> Result<Vec<Name>, Failure> {
        let name = |outlet: &Feature| {
            let at = self.point(outlet)?;
            let discharge_m3_s = outlet.number("q").unwrap_or(0.0);
            Some(Name { text: outlet.text("name")?.into(), discharge_m3_s, at: At::Place(at) })
        };
        Ok(self.drawn(&self.scene.planet.features(Theme::Outlets)?).filter_map(name).collect())
    }

    fn point(&self, feature: &Feature) -> Option<Point> {
        let Shape::Point(place) = feature.shape else { return None };
        self.sheet().point(place).map(pair)
    }

    /// Names for which there is room, each once, those of the greatest rivers first.
    fn placed(&self, mut names: Vec<Name>, room: &mut Room) -> Vec<Written> {
        names.sort_by(|a, b| b.discharge_m3_s.total_cmp(&a.discharge_m3_s));
        let mut written: Vec<Written> = Vec::new();
        for name in names {
            if written.len() < NAMES && written.iter().all(|other| other.text != name.text) {
                written.extend(self.written(name, room));
            }
        }
        written
    }

    fn written(&self, Name { text, discharge_m3_s, at }: Name, room: &mut Room) -> Option<Written> {
        let share = ((discharge_m3_s - 50.0) / 15_000.0).clamp(0.0, 1.0) as f32;
        let size = self.scale * (11.0 + 5.0 * share);
        let style = TextStyle::new(size).colour(WATER_NAME).halo(HALO, 0.11 * size);
        let letters = match at {
            At::Place(at) => beside(at, &text, size, room)?,
            At::Line(line) => on_line(&line, &text, size, room)?,
        };
        Some(Written { text, letters, style })
    }

    fn cells(&self, canvas: &mut Canvas) {
        let sheet = self.sheet();
        if self.scene.planet.about().cell_m / sheet.metres_per_pt() < LEAST_CELL_PX {
            return;
        }
        let share = |i: usize| i as f64 / (PROBES - 1) as f64;
        let probe =
            |i: usize| sheet.place([share(i % PROBES) * sheet.size[0], share(i / PROBES) * sheet.size[1]]);
        let places: Vec<[f64; 2]> = (0..PROBES * PROBES).filter_map(probe).collect();
        for ring in self.scene.planet.cells_at(&places) {
            self.line(canvas, &ring, 0.7, CELL);
        }
    }

    fn faults(&self, canvas: &mut Canvas) -> Result<(), Failure> {
        let zoom = f32::from(self.lines_zoom().min(6));
        for fault in self.drawn(&self.scene.planet.features(Theme::Faults)?) {
            let kind = fault.text("kind").unwrap_or_default();
            let ink = FAULTS.iter().find(|(name, _)| *name == kind).map_or(OTHER_FAULT, |(_, ink)| *ink);
            if let Shape::Line(places) = &fault.shape {
                self.line(canvas, places, 1.0 + 0.25 * zoom, ink);
            }
        }
        let volcanoes = self.scene.planet.features(Theme::Volcanoes)?;
        for at in self.drawn(&volcanoes).filter_map(|f| self.point(f)) {
            self.triangle(canvas, at, 12.0, (VOLCANO, VOLCANO_RIM));
        }
        Ok(())
    }

    /// A triangle around a place.
    fn triangle(&self, canvas: &mut Canvas, (x, y): Point, size: f32, (fill, rim): (Rgba, Rgba)) {
        let unit = size * self.scale;
        let corner = |across: f32, down: f32| (x + across * unit, y + down * unit);
        let ring = [corner(0.0, -0.4), corner(0.4, 0.35), corner(-0.4, 0.35)];
        canvas.polygon(&ring, fill);
        canvas.line(&[ring[0], ring[1], ring[2], ring[0]], 0.06 * unit, rim);
    }

    /// Ranges as little mountains, the greatest first to find room, those in front drawn last.
    fn ranges(&self, canvas: &mut Canvas, room: &mut Room) -> Result<(), Failure> {
        let near = f32::from(self.lines_zoom()) / 4.5;
        let mut found: Vec<(Point, f32, f64)> = Vec::new();
        let all = self.scene.planet.features(Theme::Ranges)?;
        let mut ranges: Vec<&Feature> = self.drawn(&all).collect();
        let height_m = |range: &Feature| range.number("height").unwrap_or(0.0);
        ranges.sort_by(|a, b| height_m(b).total_cmp(&height_m(a)));
        for range in ranges {
            let (Some(at), height_m) = (self.point(range), height_m(range)) else { continue };
            let share = ((height_m - 300.0) / 4200.0).clamp(0.0, 1.0) as f32;
            let width = self.scale * (10.0 + 8.0 * share + (12.0 + 8.0 * share) * near);
            if room.take((at.0 - 0.5 * width, at.1 - 0.7 * width), (width, 0.7 * width)) {
                found.push((at, width, height_m));
            }
        }
        found.sort_by(|a, b| a.0.1.total_cmp(&b.0.1));
        for (number, (foot, width, height_m)) in found.into_iter().enumerate() {
            let kind = if height_m < HILL_M { Symbol::Hill } else { Symbol::Mountain };
            let inks = if height_m < SNOW_M { BARE } else { SNOWY };
            let mut shape = Seed(0).key(SYMBOL).at(Nth(number as u32));
            canvas.strokes(&symbol(kind, foot, width, (&inks, &mut shape)));
        }
        Ok(())
    }

    /// Summits of the land that is drawn, with their heights.
    fn peaks(&self, canvas: &mut Canvas, room: &mut Room) -> Result<(), Failure> {
        let Region { lattice, window, .. } = self.ground.1;
        let side_px = 512.0 * f64::from(self.scale);
        let tiles = |side: usize| (side as f64 / side_px).ceil() as usize;
        let count = (tiles(window.width) * tiles(window.height)).min(MOST_TILES);
        let wanted = peaks_wanted(side_px * self.sheet().metres_per_pt(), count);
        let size = 11.0 * self.scale;
        let style = TextStyle::new(size).colour(PEAK).halo(HALO, 0.1 * size).anchor(Anchor::Top);
        for top in self.scene.planet.summits((lattice, window), &wanted)? {
            let Some((x, y)) = self.sheet().point(top.place).map(pair) else { continue };
            let words = format!("{:.0}", top.height_m);
            let (wide, high) = size_of(&words, size);
            if room.take((x - 0.5 * wide, y - 0.4 * size), (wide, high + 0.8 * size)) {
                self.triangle(canvas, (x, y), 11.0, (PEAK, HALO));
                canvas.text((x, y + 0.4 * size), &words, &style);
            }
        }
        Ok(())
    }
}

/// A name, and where its river is on the picture.
struct Name {
    text: String,
    discharge_m3_s: f64,
    at: At,
}

enum At {
    Place(Point),
    Line(Vec<[f64; 2]>),
}

/// A name that has found its place.
struct Written {
    text: String,
    letters: Vec<(Point, Point)>,
    style: TextStyle,
}

impl Written {
    fn draw(&self, canvas: &mut Canvas) {
        canvas.letters(&self.text, &self.letters, &self.style);
    }
}

/// Where the letters of a name stand beside a place: to the right of it, else to the left, below, or above.
fn beside(at: Point, text: &str, size: f32, room: &mut Room) -> Option<Vec<(Point, Point)>> {
    let (wide, high) = size_of(text, size);
    let gap = 0.4 * size;
    let corners = [
        (at.0 + gap, at.1 - 0.5 * high),
        (at.0 - gap - wide, at.1 - 0.5 * high),
        (at.0 - 0.5 * wide, at.1 + gap),
        (at.0 - 0.5 * wide, at.1 - gap - high),
    ];
    let (mut x, top) = corners.into_iter().find(|&corner| room.take(corner, (wide, high)))?;
    let baseline = top + 0.8 * high;
    let letter = |c| {
        let place = (x, baseline);
        x += width_of(c, size);
        (place, (1.0, 0.0))
    };
    Some(text.chars().map(letter).collect())
}

/// Where the letters of a name stand along the calmest part of a line where there is room.
fn on_line(line: &[[f64; 2]], text: &str, size: f32, room: &mut Room) -> Option<Vec<(Point, Point)>> {
    const STEP: f64 = 4.0;
    /// Of all that a line turns, in radians.
    const MOST: f64 = 1.3;
    let tracking = 0.1 * f64::from(size);
    let wide_of = |c| f64::from(width_of(c, size));
    let wide = text.chars().map(wide_of).sum::<f64>() + tracking * text.chars().count() as f64;
    let count = (wide / STEP).ceil() as usize;
    let calm = along::calm(line, STEP, f64::from(size));
    let how = Letters { size: size.into(), above: 0.45 * f64::from(size), tracking, wide: &wide_of };
    let mut parts: Vec<(f64, usize)> = (0..calm.len().saturating_sub(count))
        .step_by(4)
        .map(|from| {
            let (part, off) =
                (&calm[from..=from + count], (from + count / 2) as f64 / calm.len() as f64 - 0.5);
            (along::bend(part) + off.abs(), from)
        })
        .collect();
    parts.retain(|(cost, _)| *cost < MOST);
    parts.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for (_, from) in parts {
        let Some(places) = along::letters(text, &calm[from..=from + count], &how) else { continue };
        let span = |of: fn(&([f64; 2], [f64; 2])) -> f64| {
            let all = places.iter().map(of);
            all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
        };
        let (x, y) = (span(|p| p.0[0]), span(|p| p.0[1]));
        let size = f64::from(size);
        let corner = pair([x.0 - 0.2 * size, y.0 - 0.9 * size]);
        if room.take(corner, pair([x.1 - x.0 + 1.2 * size, y.1 - y.0 + 1.2 * size])) {
            return Some(places.into_iter().map(|(at, along)| (pair(at), pair(along))).collect());
        }
    }
    None
}

/// What is taken of a picture: signs and names keep apart, and wholly on it.
struct Room {
    size: Point,
    taken: Vec<(Point, Point)>,
}

impl Room {
    /// Takes the room of a box by its upper left corner and its size, if it is free.
    fn take(&mut self, at: Point, size: Point) -> bool {
        let fits = at.0 >= 0.0 && at.1 >= 0.0 && at.0 + size.0 <= self.size.0 && at.1 + size.1 <= self.size.1;
        let apart = |(p, s): &(Point, Point)| {
            at.0 + size.0 <= p.0 || p.0 + s.0 <= at.0 || at.1 + size.1 <= p.1 || p.1 + s.1 <= at.1
        };
        let is_free = fits && self.taken.iter().all(apart);
        if is_free {
            self.taken.push((at, size));
        }
        is_free
    }
}

fn blended(from: Rgba, to: Rgba, t: f32) -> Rgba {
    std::array::from_fn(|k| (f32::from(from[k]) + t * (f32::from(to[k]) - f32::from(from[k]))) as u8)
}

fn pair([x, y]: [f64; 2]) -> Point {
    (x as f32, y as f32)
}
