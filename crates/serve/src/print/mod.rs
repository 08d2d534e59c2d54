//! Maps to print: shaded relief as a picture, and over it, as lines and letters, contours, coasts, rivers, lakes, heights and
//! names; around it a frame with degrees, under it scale and legend.
//!
//! What is printed is a refined region and its colours ([`Print`]); [`compose`] gives a sheet that `formats::sheet` writes as
//! SVG or PDF. Sizes are in points for A4 and grow with the paper, less than it does.

mod frame;
mod ground;
mod heights;
mod isolines;
mod key;
mod legend;
mod lines;
mod overlay;
mod paper;
mod space;
mod water;

pub(crate) use ground::Ground;
pub use ground::shape;
pub use key::{Key, Weather, heights as key_of_heights, present, relief as key_of_relief};
pub use lines::River;
pub use overlay::{Overlay, SIGN_WIDTH, Sample, Sign};
pub use paper::{Layout, Paper};

use crate::Eastings;
use crate::draw::{Rgb, Style};
use formats::sheet::{Face, Group, Ink, Mark, Path, Pen, Picture, Point, Run, Shape, Sheet, Text, advance};
use frame::Framed;
use isolines::Raster;
use legend::Legend;
use region::summits::{Top, Wanted};
use region::{Lattice, Region, Sampled, Window};
use space::Space;

/// Samples to the inch that print as fine as an eye sees.
pub const FINE: f64 = 300.0;

/// What is to be printed.
pub struct Print<'a> {
    /// The paper.
    pub paper: Paper,
    /// What its places are called, where it is a flat one.
    pub eastings: Eastings,
    /// Name of the map.
    pub title: String,
    /// What stands at the other end of its line.
    pub subtitle: String,
    /// Last line: projection, world, program.
    pub colophon: String,
    /// Where the scale holds; empty if everywhere.
    pub scale_note: String,
    /// The program.
    pub software: String,
    /// The land.
    pub land: Land<'a>,
    /// The colours of its samples.
    pub rgb: &'a [Rgb],
    /// Its rivers; none where they mean nothing.
    pub rivers: &'a [River],
    /// Signs over the ground, from the lowest up.
    pub overlays: &'a [Overlay],
    /// What signs mean, and colours that the key does not have.
    pub signs: &'a [Sign],
    /// Summits to be told the heights of, the highest first: see [`summits_wanted`].
    pub tops: &'a [Top],
    /// The name of a basin's river, if it has one.
    pub name: &'a dyn Fn(u32) -> Option<String>,
    /// What the colours mean.
    pub key: Key,
    /// How much of the paper is mixed into the colours, 0 to 1: what glows on a screen is too dark to print on.
    pub paleness: f32,
}

/// The paleness that suits a style.
pub fn paleness(style: Style) -> f32 {
    match style {
        Style::Terrain => 0.44,
        Style::Atlas => 0.12,
    }
}

/// A colour with a share of paper in it.
fn pale(colour: Rgb, share: f32) -> Rgb {
    const PAPER: [f32; 3] = [255.0, 253.0, 248.0];
    std::array::from_fn(|k| {
        let own = f32::from(colour[k]);
        (own + (PAPER[k] - own) * share.clamp(0.0, 1.0)).round() as u8
    })
}

/// A region that lacks a layer which maps are drawn from.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("a printed map needs the layer {0}")]
pub struct Missing(pub &'static str);

/// The samples that a map is drawn from, row by row from the north.
#[derive(Clone, Copy, Debug)]
pub struct Land<'a> {
    /// Where samples may lie.
    pub lattice: &'a Lattice,
    /// Those of the map.
    pub window: Window,
    /// Heights of the ground in metres; not numbers off the map.
    pub elevation: &'a [f32],
    /// Level of the water, or of the ground where there is none, in metres.
    pub water_surface: &'a [f32],
    /// Depth of the water in metres.
    pub water_depth: &'a [f32],
    /// Discharge of channels in m3/s, 0 elsewhere; none from far.
    pub discharge: Option<&'a [f32]>,
}

impl<'a> Land<'a> {
    /// That of a region.
    ///
    /// # Errors
    /// [`Missing`].
    pub fn of(region: &'a Region) -> Result<Self, Missing> {
        let layer = |l: Sampled| region.layer(l).ok_or(Missing(l.name()));
        Ok(Self {
            lattice: &region.lattice,
            window: region.window,
            elevation: layer(Sampled::Elevation)?,
            water_surface: layer(Sampled::WaterSurface)?,
            water_depth: layer(Sampled::WaterDepth)?,
            discharge: region.layer(Sampled::Discharge),
        })
    }

    /// Depth of the fresh water that is an area on a map, in metres: lakes, and rivers that are wide on this paper. Narrower
    /// ones are lines.
    pub fn standing_water(&self, rivers: &[River], paper: Paper) -> Vec<f32> {
        let least_m = water::AREA * self.ground(&layout(paper, self.lattice, &self.window)).metres_per_pt();
        let wide = rivers.iter().filter(|river| river.width_m >= least_m);
        // its width grows as the root of the discharge: a river that is wide where it ends may be so long before
        let when_wide = |river: &River| {
            let share = least_m / river.width_m;
            river.discharge_m3_s[1] * share * share
        };
        let least = wide.map(when_wide).fold(f64::MAX, f64::min);
        let is_line = |i: usize| self.discharge.is_some_and(|q| q[i] > 0.0 && f64::from(q[i]) < least);
        let fresh = |i: usize| if self.is_sea(i) || is_line(i) { 0.0 } else { self.water_depth[i].max(0.0) };
        (0..self.water_depth.len()).map(fresh).collect()
    }

    fn ground(&self, layout: &Layout) -> Ground<'a> {
        Ground { lattice: self.lattice, window: self.window, at: layout.at, size: layout.size }
    }

    /// Depth of the sea alone in metres: a map of land without its lakes.
    pub fn sea_depth(&self) -> Vec<f32> {
        let at_sea = |i: usize| if self.is_sea(i) { self.water_depth[i] } else { 0.0 };
        (0..self.water_depth.len()).map(at_sea).collect()
    }

    fn is_sea(&self, i: usize) -> bool {
        self.water_depth[i] > 0.0 && self.water_surface[i] <= 0.0
    }
}

/// What of a map is water and what is land.
struct Surface<'a> {
    elevation: &'a [f32],
    sea: Vec<bool>,
    /// Depth of lakes and of rivers that are as wide as their lines.
    standing: Vec<f32>,
}

impl<'a> Surface<'a> {
    fn of(land: &Land<'a>, rivers: &[River], paper: Paper) -> Self {
        let sea = (0..land.elevation.len()).map(|i| land.is_sea(i)).collect();
        Self { elevation: land.elevation, sea, standing: land.standing_water(rivers, paper) }
    }

    fn raster(&self, window: &Window, value: impl Fn(usize) -> f32) -> Raster {
        let values = (0..self.elevation.len()).map(value).collect();
        Raster { width: window.width, height: window.height, values }
    }

    /// Heights of dry land.
    fn land(&self, window: &Window) -> Raster {
        let dry = |i: usize| !self.sea[i] && self.standing[i] <= 0.0;
        self.raster(window, |i| if dry(i) { self.elevation[i] } else { f32::NAN })
    }

    /// Below 0 at sea, above on land, whatever the height of that; nothing on fresh water: no coast runs across the
    /// mouth of a river that has banks.
    fn coast(&self, window: &Window) -> Raster {
        const HAIR: f32 = 0.02;
        self.raster(window, |i| match self.elevation[i] {
            z if z.is_nan() => z,
            _ if self.standing[i] > 0.0 => f32::NAN,
            z if self.sea[i] => z.min(-HAIR),
            z => z.max(HAIR),
        })
    }

    /// 1 in fresh water, 0 beside it; nothing at sea.
    fn lakes(&self, window: &Window) -> Raster {
        self.raster(window, |i| match self.sea[i] || self.elevation[i].is_nan() {
            true => f32::NAN,
            false => f32::from(u8::from(self.standing[i] > 0.0)),
        })
    }
}

/// The layout of a map of a window.
pub fn layout(paper: Paper, lattice: &Lattice, window: &Window) -> Layout {
    Layout::of(paper, shape(lattice, window))
}

/// The summits that a map of a window has room for.
pub fn summits_wanted(paper: Paper, lattice: &Lattice, window: &Window) -> Wanted {
    let Layout { at, size, scale, .. } = layout(paper, lattice, window);
    heights::wanted(&Ground { lattice, window: *window, at, size }, scale)
}

/// A text that begins with a capital.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Puts a map together. Cost: a few passes over the region's samples, and for each contour line one over a coarser copy.
pub fn compose(print: &Print) -> Sheet {
    let Land { lattice, ref window, .. } = print.land;
    let layout = layout(print.paper, lattice, window);
    let scale = layout.scale;
    let ground = print.land.ground(&layout);
    let surface = Surface::of(&print.land, print.rivers, print.paper);
    let land = surface.land(window);
    let stems = lines::stems(print.rivers, &ground);
    let widths = (!stems.is_empty()).then(|| water::Widths::of(&stems, &ground, scale));
    let contours =
        if ground.metres_per_pt() > heights::FAR_M { None } else { heights::contours(&land, &ground) };

    let mut space = Space::new(layout.at, layout.size);
    if ground.is_projected() {
        space.take_where(|point| ground.place(point).is_none());
    }
    let Framed { grid, frame, numbered } = frame::frame(&ground, print.eastings, scale);
    space.take(&numbered);
    let peaks = heights::peaks(print.tops, &ground, &mut space, scale);
    let has_peaks = peaks.iter().any(|m| matches!(m, Mark::Group(g) if !g.marks.is_empty()));
    let mut names = Vec::new();
    if let Some(widths) = &widths {
        let mut courses = water::courses(&stems, widths, &space);
        print.overlays.iter().for_each(|overlay| courses.take(&overlay::spots(overlay, &ground)));
        names = water::names(&stems, widths, print.name, (&mut space, &courses, scale));
    }
    let numbers = contours.as_ref().map(|c| c.numbers(&mut space, scale)).unwrap_or_default();

    let has_numbers = !numbers.is_empty();

    let lakes = surface.lakes(window);
    let is_wet = |p: Point| lakes.at(ground.sample_at(p)) > 0.5;
    let clipped = |name: &str, marks| {
        Mark::Group(Group { name: name.into(), clip: Some([layout.at, layout.size]), marks })
    };
    let mut marks = vec![group("relief", vec![picture(print, &ground)])];
    marks.push(clipped("contours", contours.as_ref().map(|c| c.marks(scale)).unwrap_or_default()));
    marks.push(clipped("lakes", water::lakes(&lakes, &ground, scale)));
    marks.push(clipped(
        "rivers",
        widths.as_ref().map(|w| water::rivers(&stems, w, &is_wet)).unwrap_or_default(),
    ));
    marks.push(clipped("coast", water::coast(&surface.coast(window), &ground, scale)));
    marks.push(grid);
    marks.extend(print.overlays.iter().map(|overlay| overlay::marks(overlay, &ground)));
    marks.push(frame);
    marks.push(group("contour numbers", numbers));
    marks.push(group("river names", names));
    marks.extend(peaks);
    marks.push(heading(print, &layout));
    let legend = Legend {
        layout: &layout,
        key: &print.key,
        signs: print.signs,
        paleness: print.paleness,
        widths,
        interval_m: contours.as_ref().map(|c| (c.interval_m, has_numbers.then(|| c.numbered_m()))),
        has_peaks,
        metres_per_pt: ground.metres_per_pt(),
        scale_note: &print.scale_note,
        colophon: &print.colophon,
    };
    marks.push(legend.marks());
    Sheet {
        size: layout.paper,
        title: print.title.clone(),
        about: print.subtitle.clone(),
        software: print.software.clone(),
        marks,
    }
}

/// The relief; what lies off the globe is paper.
fn picture(print: &Print, ground: &Ground) -> Mark {
    let heights = print.land.elevation;
    let colour = |(i, rgb): (usize, &Rgb)| {
        if heights.get(i).is_some_and(|z| z.is_nan()) { [255; 3] } else { pale(*rgb, print.paleness) }
    };
    Mark::Picture(Picture {
        at: ground.at,
        size: ground.size,
        width: ground.window.width,
        height: ground.window.height,
        rgb: print.rgb.iter().enumerate().flat_map(colour).collect(),
    })
}

/// Title and subtitle over the map.
fn heading(print: &Print, layout: &Layout) -> Mark {
    let (left, right) = layout.column();
    let (y, scale) = (layout.title_y(), layout.scale);
    let small = 8.2 * scale;
    let beside = advance(Face::Sans, &print.subtitle, small);
    let wanted = 21.0 * scale;
    let room = right - left - beside - 12.0 * scale;
    let size = wanted * (room / advance(Face::Serif, &print.title, wanted).max(1.0)).clamp(0.3, 1.0);
    let line = |text: &str, face, size, (at, anchor): (Point, f64), ink| {
        let run = Run::Level { at, anchor };
        Mark::Text(Text { text: text.into(), face, size, ink, halo: None, run })
    };
    group(
        "title",
        vec![
            line(&print.title, Face::Serif, size, ([left, y], 0.0), [36, 38, 42, 255]),
            line(&print.subtitle, Face::Sans, small, ([right, y], 1.0), [80, 84, 90, 255]),
        ],
    )
}

/// Marks that belong together.
fn group(name: &str, marks: Vec<Mark>) -> Mark {
    Mark::Group(Group { name: name.into(), clip: None, marks })
}

fn plain(path: Path, fill: Option<Ink>, pen: Option<Pen>) -> Mark {
    Mark::Shape(Shape { path, fill, pen })
}

/// Letters one after another from a place on, in a direction.
fn letters(
    (words, face, size): (&str, Face, f64),
    ink: Ink,
    halo: Option<(Ink, f64)>,
    (start, along): (Point, Point),
) -> Text {
    let mut way = 0.0;
    let place = |c: char| {
        let place = ([start[0] + way * along[0], start[1] + way * along[1]], along);
        way += advance(face, c.encode_utf8(&mut [0; 4]), size);
        place
    };
    let run = Run::Along(words.chars().map(place).collect());
    Text { text: words.into(), face, size, ink, halo, run }
}

/// Degrees and minutes of a place, or kilometres of a flat map.
pub fn place_in_words([x, y]: [f64; 2], is_globe: bool) -> String {
    if is_globe {
        return format!("{} {}", frame::angle(y, ["S", "N"]), frame::angle(x, ["W", "E"]));
    }
    let km = |v: f64| crate::draw::furniture::number((v / 1000.0).round());
    format!("{} km east, {} km north", km(x), km(y))
}

#[cfg(test)]
mod tests;
