//! What stands on a map of a whole world: title, scale, legend and graticule, as far as there is room.

use crate::args::MapLayer;
use crate::map::{RIDGE, RIVER, Sheet, fault_colour, river_width_px};
use grid::{Grid, Topology, math};
use region::Window;
use serve::draw::furniture::{Room, number, round_ticks, scale_bar, scale_bar_size, title, title_size};
use serve::draw::palette::{self, Ramp};
use serve::draw::{Canvas, Corner, Frame, Graticule, Legend, Look, Style, relief};
use world::World;

/// Draws graticule, title, scale and legend; of the boxes, those that leave enough of the map to see.
pub fn furnish(world: &World, layer: MapLayer, style: Style, sheet: &Sheet, canvas: &mut Canvas) {
    let look = Look::for_width(canvas.width());
    let kind = match world.grid {
        Topology::Globe(_) => "equirectangular",
        Topology::Flat(_) => "flat map",
    };
    if matches!(world.grid, Topology::Globe(_)) {
        Graticule::for_frame(&Frame::WORLD).draw(canvas, &Frame::WORLD, &look);
    }
    let mut room = Room::new(canvas, &look);
    let cell = in_words(world.grid.cell_m());
    let (name, about) =
        (&world.recipe.name, format!("Seed {} · {kind} · cells of {cell}", world.recipe.seed));
    if room.take(Corner::TopLeft, title_size(name, &about, &look)) {
        title(canvas, name, &about, &look);
    }
    if room.take(Corner::BottomRight, scale_bar_size(sheet.pixel_m(), &look)) {
        scale_bar(canvas, sheet.pixel_m(), Corner::BottomRight, &look);
    }
    let legend = legend(layer, style, sheet);
    let size = legend.size(&look);
    if let Some(corner) = emptier_first(world, sheet, size).into_iter().find(|&c| room.take(c, size)) {
        legend.draw(canvas, corner, &look);
    }
}

/// The corners that title and scale leave free, that one first where a box covers less land.
fn emptier_first(world: &World, sheet: &Sheet, (width, height): (f32, f32)) -> [Corner; 2] {
    const PROBES: usize = 24;
    let Window { width: columns, height: rows, .. } = sheet.window;
    let (w, h) = ((width as usize).min(columns), (height as usize).min(rows));
    let land = |left: usize, top: usize| {
        let probes = (0..PROBES * PROBES).filter(|i| {
            let (column, row) = (left + w * (i % PROBES) / PROBES, top + h * (i / PROBES) / PROBES);
            let position = sheet.lattice.position_in(&sheet.window, column, row);
            position.and_then(|p| world.grid.locate(p)).is_some_and(|cell| world.continentality[cell] > 0.0)
        });
        probes.count()
    };
    let [above, below] = [Corner::TopRight, Corner::BottomLeft];
    if land(columns - w, 0) < land(0, rows - h) { [above, below] } else { [below, above] }
}

/// The legend of a layer.
fn legend(layer: MapLayer, style: Style, sheet: &Sheet) -> Legend {
    let ticked = |name: &str, label: &str, ramp: &Ramp| {
        Legend::new(name).ramp(label, ramp, &round_ticks(ramp.range(), 5))
    };
    match layer {
        MapLayer::Relief => {
            let ground = if style == Style::Atlas { tints("Relief", palette::atlas_sea()) } else { biomes() };
            with_rivers(ground.swatch("Lake", relief::lake_colour(style)), sheet)
        }
        MapLayer::Rivers => with_rivers(tints("Rivers", palette::atlas_sea()), sheet),
        MapLayer::Ridges => tints("Ridges", palette::atlas_sea()).line("Ridge", 1.5, RIDGE),
        MapLayer::Elevation => tints("Elevation", palette::ocean()),
        MapLayer::Mountains => ticked("Mountains", "Height, m", palette::mountains()),
        MapLayer::Temperature => ticked("Mean temperature", "°C", palette::temperature()),
        MapLayer::Rain => ticked("Rain", "mm a year", palette::rain()),
        MapLayer::Plates => ["Convergent", "Divergent", "Transform"]
            .into_iter()
            .fold(Legend::new("Plates"), |legend, kind| {
                legend.line(kind, 3.0, fault_colour(&kind.to_lowercase()))
            }),
    }
}

/// Depths that get a number, in metres.
const DEPTHS: [f32; 5] = [-8000.0, -6000.0, -4000.0, -2000.0, 0.0];
/// Heights that get a number, in metres.
const HEIGHTS: [f32; 5] = [0.0, 1000.0, 2000.0, 4000.0, 6000.0];

/// Colours by height.
fn tints(name: &str, sea: &Ramp) -> Legend {
    Legend::new(name).ramp("Land, m", palette::hypsometric(), &HEIGHTS).ramp("Sea, m", sea, &DEPTHS)
}

/// Colours as seen from above, by what grows under a typical temperature in °C and rain in mm.
fn biomes() -> Legend {
    let kinds = [
        ("Rain forest", 26.0, 2500.0),
        ("Temperate forest", 12.0, 1000.0),
        ("Boreal forest", 0.0, 600.0),
        ("Steppe", 14.0, 380.0),
        ("Desert", 24.0, 60.0),
        ("Ice", -22.0, 300.0),
    ];
    let sea = Legend::new("Relief").ramp("Sea, m", palette::ocean(), &DEPTHS);
    kinds.into_iter().fold(sea, |legend, (name, temperature, rain)| {
        legend.swatch(name, palette::natural_colour(200.0, temperature, rain))
    })
}

/// Samples of a small and of a great river of the map.
fn with_rivers(legend: Legend, sheet: &Sheet) -> Legend {
    let small = nice(sheet.least_river * 3.0);
    [small, small * 20.0].into_iter().fold(legend, |legend, discharge| {
        let label = format!("River, {} m³/s", number(discharge));
        legend.line(label, river_width_px(discharge, sheet), RIVER)
    })
}

/// The power of ten, or two or five of it, nearest below a number.
fn nice(x: f64) -> f64 {
    let ten = math::pow(10.0, math::log10(x.max(1e-6)).floor());
    [5.0, 2.0, 1.0].into_iter().map(|k| k * ten).find(|&n| n <= x).unwrap_or(ten)
}

/// A length in kilometres, or in metres where it is short.
fn in_words(length_m: f64) -> String {
    if length_m < 1000.0 { format!("{length_m:.0} m") } else { format!("{:.1} km", length_m / 1000.0) }
}
