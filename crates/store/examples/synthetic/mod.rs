//! A made-up world whose layers compress like those of a real one: for measuring, not for looking at.

use grid::table::ColumnValues;
use grid::{Cell, Direction, Field, Globe, Grid, Layer, Nth, Purpose, Seed, Shape, Table, noise::Fractal};
use store::{Contents, Meta};

const SEED: Seed = Seed(42);
const LAND: Purpose = Purpose::new("synthetic/land");
const ROUGH: Purpose = Purpose::new("synthetic/rough");
const CLIMATE: Purpose = Purpose::new("synthetic/climate");
const WATER: Purpose = Purpose::new("synthetic/water");

/// What a file is made of.
pub struct World {
    meta: Meta,
    shape: Shape,
    pub layers: Vec<Layer>,
    tables: Vec<Table>,
}

impl World {
    /// A globe of 6 faces of `side` x `side` cells with 14 layers, and one river for every 30 cells.
    pub fn new(side: u32) -> Self {
        let globe = Globe::new(side, 6_371_000.0).expect("sides that are measured are in range");
        let recipe = "seed = 42\n".repeat(300);
        let meta = Meta { engine: "0.1.0".into(), recipe, name: "Synthetic".into() };
        let shape = globe.shape();
        Self { meta, shape, layers: layers(&globe), tables: vec![rivers(shape.len() / 30)] }
    }

    pub fn contents(&self) -> Contents<'_> {
        Contents { meta: &self.meta, shape: self.shape, layers: &self.layers, tables: &self.tables }
    }
}

/// The nearest multiple of `step`, as `f32`.
fn steps(value: f64, step: f64) -> f32 {
    ((value / step).round() * step) as f32
}

fn layers(globe: &Globe) -> Vec<Layer> {
    let shape = globe.shape();
    let [land, rough, climate] = [LAND, ROUGH, CLIMATE].map(|p| Fractal::new(SEED.key(p), 8, 0.55));
    let noise = |fractal: &Fractal, cell, scale| fractal.fbm(globe.center(cell) * scale);
    let continental = Field::from_fn(shape, |c| steps(noise(&land, c, 1.5) * 4.0, 1.0 / 1_024.0));
    let base = continental.map(|&v| steps(f64::from(v) * 2_500.0, 0.125));
    let mountains = Field::from_fn(shape, |c| {
        let crest = rough.ridged(globe.center(c) * 6.0) - 0.55;
        if base[c] > 0.0 { steps(crest.max(0.0) * 9_000.0, 0.125) } else { 0.0 }
    });
    let height = |c: Cell| f64::from(base[c] + mountains[c]);
    let rain = Field::from_fn(shape, |c| steps((noise(&climate, c, 4.0) + 0.5).max(0.0) * 1_500.0, 0.1));
    let discharge = Field::from_fn(shape, |c| discharge(base[c], rain[c], c));
    vec![
        Layer::new("drainage_km2", "km2", discharge.map(|q| (q * 60.0) as f32)),
        Layer::new("ridge_directions", "1", ridges(&mountains, globe)),
        Layer::new("receiver", "1", Field::from_fn(shape, |c| receiver(globe, &base, c))),
        Layer::new("temperature_c", "C", temperature(globe, &climate, height)),
        Layer::new(
            "temperature_range_c",
            "C",
            continental.map(|&v| steps(f64::from(v) * 9.0 + 12.0, 0.0625)),
        ),
        Layer::new("evaporation_mm", "mm", rain.map(|v| steps(f64::from(*v) * 0.7 + 80.0, 0.1))),
        Layer::new("koppen", "1", rain.map(|v| (v / 60.0) as u8)),
        Layer::new("plate", "1", continental.map(|v| ((v + 4.0) * 3.0) as u16)),
        Layer::new("lake", "1", discharge.map(|q| if *q > 5_000.0 { *q as u32 } else { 0 })),
        Layer::new("ocean_distance_km", "km", base.map(|v| steps(f64::from(*v).abs() / 3.0, 1.0))),
        Layer::new("continental", "1", continental),
        Layer::new("base_elevation_m", "m", base),
        Layer::new("mountain_height_m", "m", mountains),
        Layer::new("rain_mm", "mm", rain),
        Layer::new("discharge_m3_s", "m3/s", discharge),
    ]
}

/// Nothing on the sea; on land mostly small, some large, all multiples of 1/1024.
fn discharge(base_m: f32, rain_mm: f32, cell: Cell) -> f64 {
    if base_m <= 0.0 {
        return 0.0;
    }
    let mut draw = SEED.key(WATER).at(cell);
    let upstream_cells = (1.0 / (1.0 - draw.unit())).min(20_000.0);
    (upstream_cells * f64::from(rain_mm) * 12.7 * 1_024.0).round() / 1_024.0
}

/// A byte in the one cell of twelve that is high.
fn ridges(mountains: &Field<f32>, globe: &Globe) -> Field<u8> {
    Field::from_fn(globe.shape(), |c| {
        if mountains[c] < 1_200.0 {
            return 0;
        }
        let high = globe.neighbors(c).filter(|&(_, n)| mountains[n] > mountains[c]);
        high.fold(0, |bits, (direction, _)| bits | 1 << direction as u8)
    })
}

/// The direction of the lowest neighbour, 8 where none is lower.
fn receiver(globe: &Globe, base: &Field<f32>, cell: Cell) -> u8 {
    let lowest = globe.neighbors(cell).min_by(|a, b| base[a.1].total_cmp(&base[b.1]));
    lowest.filter(|&(_, n)| base[n] < base[cell]).map_or(8, |(d, _): (Direction, Cell)| d as u8)
}

fn temperature(globe: &Globe, climate: &Fractal, height_m: impl Fn(Cell) -> f64 + Sync) -> Field<f32> {
    Field::from_fn(globe.shape(), |c| {
        let p = globe.center(c);
        let sea_level_c = 27.0 - 45.0 * p.z * p.z + climate.fbm(p * 3.0) * 5.0;
        steps(sea_level_c - height_m(c).max(0.0) * 0.006_5, 0.0625)
    })
}

fn rivers(count: usize) -> Table {
    let draw = |n: usize| SEED.key(WATER).at(Nth(n as u32));
    let ids = (0..count as u32).collect();
    let lengths = (0..count).map(|n| (draw(n).unit() * 300_000.0).round()).collect();
    let names = (0..count).map(|n| format!("River {}", draw(n).below(1_000_000))).collect();
    Table::new("rivers")
        .with("id", "1", ColumnValues::U32(ids))
        .and_then(|table| table.with("length", "m", ColumnValues::F64(lengths)))
        .and_then(|table| table.with("name", "1", ColumnValues::Text(names)))
        .expect("all columns have one value for each river")
}
