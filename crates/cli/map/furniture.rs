//! What stands on a map of a whole world: graticule, title, scale and legend, as far as there is room.

use super::ground::{LAKES, SEA};
use super::lines::{motion_million_years, river_width_px};
use super::sheet::{Place, Sheet};
use super::world_layers::{ALL_YEAR, closed_lakes, rain_ramp};
use super::{RIDGE, RIVER, Wish, signs};
use crate::args::MapLayer;
use grid::{Field, Grid, Projection};
use serve::draw::classes::{BIOMES, KOPPEN, biome};
use serve::draw::furniture::{
    Degree, Room, SIGN_EM, ScaleBar, Side, degrees, number, of_globe, round_down, round_ticks, title,
    title_size,
};
use serve::draw::palette::{self, Ramp};
use serve::draw::text::size_of;
use serve::draw::{
    Anchor, Canvas, Corner, Frame, Graticule, Legend, Look, Rgb, Rgba, Style, TextStyle, relief,
};
use serve::print::{Key, SIGN_WIDTH, Sample};
use world::World;

/// Names of the months, of the northern winter first.
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Draws title, scale and legend; of these, those that leave enough of the map to see.
pub fn furnish(world: &World, wish: &Wish, sheet: &Sheet, canvas: &mut Canvas) {
    let look = Look::for_width(canvas.width());
    frame(sheet, canvas, &look);
    let mut room = Room::new(canvas, &look);
    let cell = in_words(world.grid.cell_m());
    let kind = projection_in_words(sheet);
    let (name, about) =
        (&world.recipe.name, format!("Seed {} · {kind} · cells of {cell}", world.recipe.seed));
    if room.take(Corner::TopLeft, title_size(name, &about, &look)) {
        title(canvas, name, &about, &look);
    }
    let cover = Cover::of(world, sheet);
    let bar = ScaleBar { metres_per_px: sheet.metres_per_px(), note: scale_note(sheet) };
    let size = bar.size(&look);
    if let Some(corner) = emptier_corners(&cover, &room, size).into_iter().find(|&c| room.take(c, size)) {
        bar.draw(canvas, corner, &look);
    }
    let legend = legend(world, wish, sheet);
    let size = legend.size(&look);
    if let Some(at) = emptiest_first(&cover, &room, size).into_iter().find(|&at| room.take_at(at, size)) {
        legend.draw_at(canvas, at, &look);
    }
    numbers(sheet, &room, canvas, &look);
}

/// The projection and, where it is not the usual one, its centre.
pub fn projection_in_words(sheet: &Sheet) -> String {
    let Some(projection) = sheet.projection else { return "flat map".into() };
    let name = match projection {
        Projection::Equirectangular { .. } => "equirectangular",
        Projection::Mollweide { .. } => "Mollweide",
        Projection::EqualEarth { .. } => "Equal Earth",
        Projection::Orthographic { .. } => "orthographic",
    };
    match (projection, projection.center_deg()) {
        (Projection::Orthographic { .. }, (lon, lat)) => {
            format!("{name} from {} {}", degrees(lat, ["S", "N"]), degrees(lon, ["W", "E"]))
        }
        (_, (lon, _)) if lon != 0.0 => format!("{name} about {}", degrees(lon, ["W", "E"])),
        _ => name.into(),
    }
}

/// Where the scale bar is true.
pub fn scale_note(sheet: &Sheet) -> &'static str {
    match sheet.projection {
        None => "",
        Some(Projection::Orthographic { .. }) => "at the centre",
        Some(_) => "along the equator",
    }
}

/// Colour of the border of a globe.
const BORDER: Rgba = [70, 78, 88, 255];

/// Lines of longitude and latitude.
pub fn graticule(sheet: &Sheet, canvas: &mut Canvas) {
    let look = Look::for_width(canvas.width());
    let Some(projection) = sheet.projection else { return };
    let style = Graticule::for_frame(&Frame::WORLD);
    if let Projection::Equirectangular { lon0_deg } = projection {
        let frame = Frame { west: lon0_deg - 180.0, east: lon0_deg + 180.0, ..Frame::WORLD };
        return style.draw(canvas, &frame, &look);
    }
    let width_px = (look.text_px / 14.0).max(1.0);
    let step = style.step_deg as i32;
    let meridians = (-180..180).step_by(style.step_deg as usize).map(|lon| {
        // all but a few end short of the poles, where they would run together
        let top = if lon % 90 == 0 { 90 } else { 90 - step / 2 };
        (-top..=top).map(|lat| [f64::from(lon), f64::from(lat)]).collect::<Vec<_>>()
    });
    let parallels = (-90 + step..90)
        .step_by(style.step_deg as usize)
        .map(|lat| (-180..=180).map(|lon| [f64::from(lon), f64::from(lat)]).collect::<Vec<_>>());
    for line in meridians.chain(parallels) {
        for part in sheet.lines(&line) {
            canvas.line(&part, width_px, style.colour);
        }
    }
}

/// The border of a globe.
fn frame(sheet: &Sheet, canvas: &mut Canvas, look: &Look) {
    let Some(projection) = sheet.projection.filter(|_| sheet.has_margin()) else { return };
    let border: Vec<Place> = projection.outline(360).into_iter().map(|p| sheet.on_sheet(p)).collect();
    canvas.line(&border, (look.text_px / 11.0).max(1.2), BORDER);
}

/// Degrees of a globe's meridians and parallels, where no box is in their way.
fn numbers(sheet: &Sheet, room: &Room, canvas: &mut Canvas, look: &Look) {
    let Some(projection) = sheet.projection.filter(|_| canvas.width() >= NUMBERED_PX) else { return };
    let gap = 0.4 * look.text_px;
    let small = TextStyle::new(0.8 * look.text_px).colour([60, 66, 74, 255]);
    for Degree { words, at, side } in of_globe(&projection, NUMBERED_DEG) {
        let ((x, y), (width, height)) = (sheet.on_sheet(at), size_of(&words, small.size_px));
        // the place of the words, as their anchor has it, and their upper left corner
        let (at, anchor, corner) = match side {
            Side::Left => ((x - gap, y), Anchor::Right, (x - gap - width, y - height / 2.0)),
            Side::Right => ((x + gap, y), Anchor::Left, (x + gap, y - height / 2.0)),
            Side::Above => ((x, y - gap), Anchor::Bottom, (x - width / 2.0, y - gap - height)),
            Side::Below => ((x, y + gap), Anchor::Top, (x - width / 2.0, y + gap)),
            Side::On => ((x, y), Anchor::Centre, (x - width / 2.0, y - height / 2.0)),
        };
        let style = small.anchor(anchor);
        let style = if side == Side::On { style.halo(HALO, small.size_px / 9.0) } else { style };
        if room.is_free(corner, (width, height)) {
            canvas.text(at, &words, &style);
        }
    }
}

/// Maps narrower than this have no room for degrees.
const NUMBERED_PX: usize = 700;
/// Degrees from a numbered line of a globe to the next.
const NUMBERED_DEG: u32 = 30;
/// The border of letters that stand on the map.
const HALO: Rgba = [255, 255, 255, 205];

/// What of a sheet is land, in running sums: how much any box covers is told at once, small islands too.
struct Cover {
    /// Over probes to the west and to the north; a column and a row more than there are probes.
    sums: Vec<f32>,
    columns: usize,
    rows: usize,
    /// Pixels from probe to probe.
    step: f32,
}

impl Cover {
    /// Probes along the longer side of a sheet.
    const PROBES: usize = 360;
    /// What the sea counts: it is something to see too.
    const SEA: f32 = 0.12;

    fn of(world: &World, sheet: &Sheet) -> Self {
        let (width, height) = (sheet.window.width, sheet.window.height);
        let step = (width.max(height) as f32 / Self::PROBES as f32).max(1.0);
        let size = ((width as f32 / step) as usize, (height as f32 / step) as usize);
        Self::counted(size, step, |column, row| {
            let at = |n: usize| ((n as f32 + 0.5) * step) as usize;
            let position = sheet.lattice.position_in(&sheet.window, at(column), at(row));
            match position.and_then(|p| world.grid.locate(p)) {
                Some(cell) if world.continentality[cell] > 0.0 => 1.0,
                Some(_) => Self::SEA,
                None => 0.0,
            }
        })
    }

    /// Of so many columns and rows of probes, by what each of them counts.
    fn counted((columns, rows): (usize, usize), step: f32, counts: impl Fn(usize, usize) -> f32) -> Self {
        let mut sums = vec![0.0; (columns + 1) * (rows + 1)];
        for row in 0..rows {
            let mut west = 0.0;
            for column in 0..columns {
                west += counts(column, row);
                let at = (row + 1) * (columns + 1) + column + 1;
                sums[at] = sums[at - columns - 1] + west;
            }
        }
        Self { sums, columns, rows, step }
    }

    /// The share of a box that covers land.
    fn share(&self, at: Place, size: (f32, f32)) -> f32 {
        let probes = |pixels: f32, most: usize| ((pixels / self.step).round().max(0.0) as usize).min(most);
        let (left, right) = (probes(at.0, self.columns), probes(at.0 + size.0, self.columns));
        let (top, bottom) = (probes(at.1, self.rows), probes(at.1 + size.1, self.rows));
        let sum = |column: usize, row: usize| self.sums[row * (self.columns + 1) + column];
        let all = ((right - left) * (bottom - top)).max(1) as f32;
        (sum(right, bottom) - sum(left, bottom) - sum(right, top) + sum(left, top)) / all
    }
}

/// The corners that the title leaves, the one where a box covers least land first.
fn emptier_corners(cover: &Cover, room: &Room, size: (f32, f32)) -> Vec<Corner> {
    let ((left, right), (top, bottom)) = room.span(size);
    let corners = [
        (Corner::BottomRight, (right, bottom)),
        (Corner::BottomLeft, (left, bottom)),
        (Corner::TopRight, (right, top)),
    ];
    let mut corners = corners.map(|(corner, at)| (cover.share(at, size), corner));
    corners.sort_by(|a, b| a.0.total_cmp(&b.0));
    corners.map(|(_, corner)| corner).to_vec()
}

/// Places for a box of this size, the one that covers least land first; among nearly equal ones those at corners and borders.
fn emptiest_first(cover: &Cover, room: &Room, size: (f32, f32)) -> Vec<Place> {
    const STEPS: usize = 32;
    let ((left, right), (top, bottom)) = room.span(size);
    let share = |n: usize| n as f32 / STEPS as f32;
    let cost = |column: usize, row: usize| {
        let at = (left + (right - left) * share(column), top + (bottom - top) * share(row));
        let inwards = |n: usize| share(n.min(STEPS - n));
        (
            cover.share(at, size)
                + 0.1 * inwards(column).min(inwards(row))
                + 0.03 * inwards(column).max(inwards(row)),
            at,
        )
    };
    let all = (0..=STEPS).flat_map(|row| (0..=STEPS).map(move |column| (column, row)));
    let mut places: Vec<(f32, Place)> = all.map(|(column, row)| cost(column, row)).collect();
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    places.into_iter().map(|(_, at)| at).collect()
}

/// The legend of a layer.
fn legend(world: &World, wish: &Wish, sheet: &Sheet) -> Legend {
    let ticked = |name: &str, label: &str, ramp: &Ramp| {
        Legend::new(name).ramp(label, ramp, &round_ticks(ramp.range(), 5))
    };
    let quantity = quantity(wish);
    match wish.layer {
        MapLayer::Relief => relief_legend(world, wish, sheet),
        MapLayer::Rivers => with_rivers(tints("Rivers", palette::atlas_sea()), world, sheet),
        MapLayer::Ridges => tints("Ridges", palette::atlas_sea()).line("Ridge", 1.5, RIDGE),
        MapLayer::Elevation => tints("Elevation", palette::ocean()),
        MapLayer::Mountains => ticked("Mountains", "Height, m", palette::mountains()),
        MapLayer::Temperature => ticked(&quantity, "°C", palette::temperature()),
        MapLayer::Rain => {
            let unit = if wish.month.is_some() { "mm in the month" } else { "mm a year" };
            ticked(&quantity, unit, &rain_ramp(wish.month))
        }
        MapLayer::Climate => climate(&world.koppen),
        MapLayer::Biomes => biomes(world),
        MapLayer::Plates => plates(world, wish, sheet),
        MapLayer::Lakes => with_swatches(Legend::new("Lakes"), &kinds_of_lakes(world)),
    }
}

fn with_swatches(legend: Legend, fields: &[(&'static str, Rgb)]) -> Legend {
    fields.iter().fold(legend, |legend, &(name, colour)| legend.swatch(name, colour))
}

/// What a map of a quantity is called, with the month that it is of; empty of other maps.
pub fn quantity(wish: &Wish) -> String {
    let name = match wish.layer {
        MapLayer::Temperature => "Mean temperature",
        MapLayer::Rain => "Rain",
        _ => "",
    };
    let month = wish.month.and_then(|m| MONTHS.get(m as usize - 1));
    month.map_or(name.into(), |month| format!("{name}, {month}"))
}

/// The colours of a map of lakes: those that lose water to the air alone only where there is one.
pub fn kinds_of_lakes(world: &World) -> Vec<(&'static str, Rgb)> {
    let closed = closed_lakes(world).contains(&true).then_some(("Closed, salt", LAKES[1]));
    [Some(("With an outlet", LAKES[0])), closed, Some(("Sea", SEA))].into_iter().flatten().collect()
}

fn relief_legend(world: &World, wish: &Wish, sheet: &Sheet) -> Legend {
    let atlas = wish.style == Style::Atlas;
    let ground = if atlas { tints("Relief", palette::atlas_sea()) } else { kinds_of_land(world) };
    with_rivers(with_swatches(ground, &waters(world, wish.style)), world, sheet)
}

/// The colours of water on a relief: lakes, salt ones and ice at sea where the world has them.
pub fn waters(world: &World, style: Style) -> Vec<(&'static str, Rgb)> {
    let salt = closed_lakes(world).contains(&true);
    let salt = salt.then_some(("Salt lake", relief::salt_lake_colour()));
    let frozen = has_sea_ice(world).then(relief::sea_ice);
    [Some(("Lake", relief::lake_colour(style))), salt, frozen].into_iter().flatten().collect()
}

/// Whether some of the sea lies under ice for half the year.
fn has_sea_ice(world: &World) -> bool {
    let mut ice = world.grid.cells().filter(|&c| world.ice_months[c] > 5);
    ice.any(|c| world.continentality[c] <= 0.0)
}

/// The classes of climate that the world has: a row a main group, or half of one.
fn climate(koppen: &Field<u8>) -> Legend {
    let mut there = [false; KOPPEN.len() + 1];
    for &code in koppen.as_slice() {
        there.get_mut(usize::from(code)).into_iter().for_each(|seen| *seen = true);
    }
    let rows = [1..=3, 4..=7, 8..=10, 11..=16, 17..=20, 21..=24, 25..=28, 29..=30].map(
        |codes: std::ops::RangeInclusive<usize>| {
            let classes = codes.filter(|&code| there[code]).map(|code| KOPPEN[code - 1]);
            classes.map(|class| (class.name.to_string(), class.colour)).collect::<Vec<_>>()
        },
    );
    Legend::new("Climate, Köppen and Geiger").table(rows.into_iter().filter(|row| !row.is_empty()).collect())
}

/// Kinds of faults.
pub const FAULTS: [&str; 3] = ["Convergent", "Divergent", "Transform"];

/// What the arrows of motion mean.
pub fn motion_in_words(world: &World) -> Option<String> {
    let years = motion_million_years(world).ok()?;
    Some(format!("Motion in {} million years", number(years)))
}

/// The signs of the map, as they look on it.
fn plates(world: &World, wish: &Wish, sheet: &Sheet) -> Legend {
    let px_per_pt = SIGN_EM * Look::for_width(sheet.window.width).text_px / SIGN_WIDTH;
    signs::meanings(world, wish, &Key::Words(String::new())).into_iter().fold(
        Legend::new("Plates"),
        |legend, sign| match sign.sample {
            Sample::Patch(colour) => legend.swatch(sign.words, colour),
            Sample::Drawing(strokes) => {
                legend.sign(sign.words, strokes.into_iter().map(|stroke| stroke.scaled(px_per_pt)).collect())
            }
        },
    )
}

/// The biomes that the world has.
fn biomes(world: &World) -> Legend {
    let mut there = [false; BIOMES.len()];
    // the sea under ice has its colour
    there[0] = has_sea_ice(world);
    for cell in world.grid.cells().filter(|&cell| world.continentality[cell] > 0.0) {
        let is_ice = world.ice_months[cell] >= ALL_YEAR;
        let class = if is_ice { 0 } else { biome(world.temperature_c[cell], world.rain_mm[cell]) };
        there[class] = true;
    }
    let known = BIOMES.iter().zip(there).filter(|(_, there)| *there);
    known.fold(Legend::new("Biomes"), |legend, (class, _)| legend.swatch(class.name, class.colour))
}

/// Depths that get a number, in metres.
const DEPTHS: [f32; 5] = [-8000.0, -6000.0, -4000.0, -2000.0, 0.0];
/// Heights that get a number, in metres.
const HEIGHTS: [f32; 4] = [0.0, 2000.0, 4000.0, 6000.0];

/// Colours by height.
fn tints(name: &str, sea: &Ramp) -> Legend {
    Legend::new(name).ramp("Land, m", palette::hypsometric(), &HEIGHTS).ramp("Sea, m", sea, &DEPTHS)
}

/// Colours as seen from above of the kinds of land that the world has.
fn kinds_of_land(world: &World) -> Legend {
    let land = world.grid.cells().filter(|&cell| world.continentality[cell] > 0.0);
    let kinds = palette::kinds_of_land(land.map(|cell| (world.temperature_c[cell], world.rain_mm[cell])));
    with_swatches(Legend::new("Relief").ramp("Sea, m", palette::ocean(), &DEPTHS), &kinds)
}

/// Samples of a small and of a great river of the map, if it has any.
fn with_rivers(legend: Legend, world: &World, sheet: &Sheet) -> Legend {
    let greatest = world.grid.cells().map(|cell| world.discharge_m3_s[cell]).fold(0.0, f64::max);
    let (small, great) = (round_down(sheet.least_river * 3.0), round_down(greatest));
    let drawn = [small, great].into_iter().filter(|&discharge| discharge >= sheet.least_river);
    let mut drawn: Vec<f64> = drawn.filter(|&discharge| discharge <= greatest).collect();
    drawn.dedup();
    drawn.into_iter().fold(legend, |legend, discharge| {
        let label = format!("River, {} m³/s", number(discharge));
        legend.line(label, river_width_px(discharge, sheet), RIVER)
    })
}

/// A length in kilometres, or in metres where it is short.
fn in_words(length_m: f64) -> String {
    if length_m < 1000.0 { format!("{length_m:.0} m") } else { format!("{:.1} km", length_m / 1000.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use world::{Recipe, simulate};

    #[test]
    fn boxes_stand_on_the_sheet_where_little_land_is() {
        let mut recipe = Recipe::preset("earthlike").expect("built in");
        recipe.grid.cells = 32;
        let world = simulate(&recipe, &|_, _| {}).expect("sound");
        for projection in
            [Projection::Equirectangular { lon0_deg: 0.0 }, Projection::Mollweide { lon0_deg: 90.0 }]
        {
            let sheet = Sheet::of(&world, &Wish { projection, ..Wish::relief(1200) });
            let canvas = Canvas::new(1200, sheet.window.height, [0; 4]).expect("in range");
            let look = Look::for_width(1200);
            let (mut room, size) = (Room::new(&canvas, &look), (200.0, 150.0));
            let cover = Cover::of(&world, &sheet);
            let places = emptiest_first(&cover, &room, size);
            assert!(places.iter().all(|&at| room.clone().take_at(at, size)), "all on the sheet");
            let land = |at: &Place| cover.share(*at, size);
            let (first, last) = (land(&places[0]), land(places.last().expect("some")));
            assert!(first < 0.2 && last > 0.5, "{first} {last}");
            let corner = emptier_corners(&cover, &room, size)[0];
            assert!(room.take(corner, size));
        }
    }

    /// What running sums say of a box is what its probes say, one by one; a single small island counts.
    #[test]
    fn boxes_cover_what_their_probes_say() {
        let (columns, rows, step) = (37, 23, 2.0);
        let is_land = |column: usize, row: usize| (column * 7 + row * 13).is_multiple_of(11);
        let counts = |column: usize, row: usize| if is_land(column, row) { 1.0 } else { Cover::SEA };
        let cover = Cover::counted((columns, rows), step, counts);
        for (left, top) in (0..columns - 5).flat_map(|left| (0..rows - 4).map(move |top| (left, top))) {
            let probes = (0..20).map(|k| counts(left + k % 5, top + k / 5)).sum::<f32>() / 20.0;
            let share = cover.share((left as f32 * step, top as f32 * step), (5.0 * step, 4.0 * step));
            assert!((share - probes).abs() < 1e-4, "{left}, {top}: {share} and {probes}");
        }
        let island = |column: usize, row: usize| if (column, row) == (30, 20) { 1.0 } else { 0.0 };
        let cover = Cover::counted((columns, rows), step, island);
        assert!(cover.share((50.0, 30.0), (20.0, 14.0)) > 0.0);
        assert_eq!(cover.share((0.0, 0.0), (50.0, 30.0)), 0.0);
    }
}
