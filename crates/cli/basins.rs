//! Basins of a world's rivers: which cells drain to which outlet, and what can be said of them.

use anyhow::{Context, Result, bail};
use archive::WorldView;
use grid::{Cell, Field, Grid, Topology};
use serde_json::{Value, json};
use std::fmt::Write;
use world::{CellSource, Network, YEAR_S, receiver_direction};

/// In the field of basins: the cell drains to no river's outlet.
pub const NO_BASIN: u32 = u32::MAX;

/// What there is to say of a basin.
#[derive(Clone, Debug, PartialEq)]
pub struct Basin {
    /// Its cells' area.
    pub area_km2: f64,
    /// The longest way along its reaches, from a head to the outlet.
    pub longest_km: f64,
    /// Mean height of its ground, by area.
    pub mean_height_m: f64,
    /// From its lowest ground to its highest summit.
    pub relief_m: f64,
    /// (mean - lowest) / (highest - lowest) (Pike & Wilson 1971); none where it is even.
    pub hypsometric_integral: Option<f64>,
    /// What runs off it in a year, as a depth over its area.
    pub runoff_mm: f64,
    /// Number of its reaches.
    pub reaches: usize,
    /// The greatest Strahler order in it.
    pub order: u8,
}

/// The basins of all outlets.
pub struct Basins {
    /// Number of the basin that each cell belongs to, or [`NO_BASIN`].
    pub of_cell: Field<u32>,
    /// In the order of the network's outlets.
    pub all: Vec<Basin>,
}

impl Basins {
    /// Reads what is needed of a world: receivers and heights.
    pub fn of(view: &WorldView, network: &Network) -> Result<Self> {
        let grid = view.grid();
        let read = |name: &str| view.file.layer(name).with_context(|| view.path().display().to_string());
        let unfit = || format!("{}: a layer is of another type than it should be", view.path().display());
        let receiver = read("receiver")?.values.into_u8().with_context(unfit)?;
        let base_m = read("base_elevation")?.values.into_f32().with_context(unfit)?;
        let mountains_m = read("mountain_height")?.values.into_f32().with_context(unfit)?;
        let Some(of_cell) = label(grid, &receiver, network) else {
            bail!("{}: its rivers run in a circle; the file is damaged", view.path().display());
        };
        let heights = |cell: Cell| {
            let of_land = (f64::from(base_m[cell]), f64::from(mountains_m[cell]));
            let (mean_m, highest_m) = region::mean_and_summit_m(view.recipe(), of_land);
            Heights { lowest_m: of_land.0, mean_m, highest_m }
        };
        let mut sums = vec![Sums::default(); network.outlets.len()];
        for cell in grid.cells().filter(|&cell| of_cell[cell] != NO_BASIN) {
            sums[of_cell[cell] as usize].add(grid.area_m2(cell) / 1e6, heights(cell));
        }
        let longest_m = longest_m(network);
        let of_basin = |(k, sum): (usize, &Sums)| sum.basin(network.outlets[k].discharge_m3_s, longest_m[k]);
        let mut all: Vec<Basin> = sums.iter().enumerate().map(of_basin).collect();
        for reach in &network.reaches {
            let basin = &mut all[reach.basin as usize];
            basin.reaches += 1;
            basin.order = basin.order.max(reach.order);
        }
        Ok(Self { of_cell, all })
    }
}

/// The outlet that each cell's water meets first; `None` if it runs in a circle.
fn label(grid: &Topology, receiver: &Field<u8>, network: &Network) -> Option<Field<u32>> {
    const UNKNOWN: u32 = u32::MAX - 1;
    const ON_THE_WAY: u32 = u32::MAX - 2;
    let mut label = Field::filled(grid.shape(), UNKNOWN);
    for (k, outlet) in (0u32..).zip(&network.outlets) {
        label[outlet.cell] = k;
    }
    let mut way = Vec::new();
    for start in grid.cells() {
        let mut next = Some(start);
        let found = loop {
            match next.map(|cell| (cell, label[cell])) {
                None => break NO_BASIN,
                Some((_, ON_THE_WAY)) => return None,
                Some((cell, UNKNOWN)) => {
                    label[cell] = ON_THE_WAY;
                    way.push(cell);
                    next = receiver_direction(receiver[cell]).and_then(|d| grid.neighbor(cell, d));
                }
                Some((_, known)) => break known,
            }
        };
        way.drain(..).for_each(|cell| label[cell] = found);
    }
    Some(label)
}

/// The longest way down to each outlet along reaches, in metres.
fn longest_m(network: &Network) -> Vec<f64> {
    let mut to_end_of_m: Vec<f64> = vec![0.0; network.reaches.len()];
    let mut of_outlet = vec![0.0; network.outlets.len()];
    for head in 0..network.reaches.len() {
        let (mut here, mut way_m) = (Some(head), 0.0);
        while let Some(k) = here {
            let reach = &network.reaches[k];
            way_m += reach.length_m;
            if way_m <= to_end_of_m[k] {
                break; // somebody has come this way from farther off
            }
            to_end_of_m[k] = way_m;
            of_outlet[reach.basin as usize] = way_m.max(of_outlet[reach.basin as usize]);
            here = reach.downstream.map(|below| below as usize);
        }
    }
    of_outlet
}

/// How high the land of a cell is, in metres: from that under its mountains to its summits.
#[derive(Clone, Copy)]
struct Heights {
    lowest_m: f64,
    mean_m: f64,
    highest_m: f64,
}

/// What comes together over a basin's cells.
#[derive(Clone, Default)]
struct Sums {
    area_km2: f64,
    /// Area times mean height.
    volume: f64,
    range_m: Option<(f64, f64)>,
}

impl Sums {
    fn add(&mut self, area_km2: f64, Heights { lowest_m, mean_m, highest_m }: Heights) {
        self.area_km2 += area_km2;
        self.volume += area_km2 * mean_m;
        let (low, high) = self.range_m.unwrap_or((lowest_m, highest_m));
        self.range_m = Some((low.min(lowest_m), high.max(highest_m)));
    }

    fn basin(&self, discharge_m3_s: f64, longest_m: f64) -> Basin {
        let (low, high) = self.range_m.unwrap_or_default();
        let mean_height_m = if self.area_km2 > 0.0 { self.volume / self.area_km2 } else { 0.0 };
        let runoff_mm =
            if self.area_km2 > 0.0 { discharge_m3_s * YEAR_S / self.area_km2 / 1000.0 } else { 0.0 };
        Basin {
            area_km2: self.area_km2,
            longest_km: longest_m / 1000.0,
            mean_height_m,
            relief_m: high - low,
            hypsometric_integral: (high > low).then(|| (mean_height_m - low) / (high - low)),
            runoff_mm,
            reaches: 0,
            order: 0,
        }
    }
}

/// Some basins as a table.
pub fn table(network: &Network, basins: &Basins, chosen: &[u32]) -> String {
    let mut text = format!(
        "{:>4} {:<14} {:<8} {:>12} {:>9} {:>12} {:>8} {:>8} {:>8} {:>7} {:>8} {:>6}\n\
         {:>4} {:<14} {:<8} {:>12} {:>9} {:>12} {:>8} {:>8} {:>8}\n",
        "",
        "name",
        "ends in",
        "area",
        "longest",
        "discharge",
        "runoff",
        "height",
        "relief",
        "hyps.",
        "reaches",
        "order",
        "",
        "",
        "",
        "km2",
        "km",
        "m3/s",
        "mm/yr",
        "m",
        "m"
    );
    for (row, &k) in chosen.iter().enumerate() {
        let (outlet, basin) = (&network.outlets[k as usize], &basins.all[k as usize]);
        let integral = basin.hypsometric_integral.map_or("-".into(), |share| format!("{share:.2}"));
        let _ = writeln!(
            text,
            "{:>4} {:<14} {:<8} {:>12.0} {:>9.0} {:>12.0} {:>8.0} {:>8.0} {:>8.0} {:>7} {:>8} {:>6}",
            row + 1,
            if outlet.name.is_empty() { "-" } else { &outlet.name },
            outlet.kind.name(),
            basin.area_km2,
            basin.longest_km,
            outlet.discharge_m3_s,
            basin.runoff_mm,
            basin.mean_height_m,
            basin.relief_m,
            integral,
            basin.reaches,
            basin.order
        );
    }
    text
}

/// Some basins for machines.
pub fn as_json(network: &Network, basins: &Basins, chosen: &[u32]) -> Value {
    let row = |&k: &u32| {
        let (outlet, basin) = (&network.outlets[k as usize], &basins.all[k as usize]);
        json!({
            "basin": k,
            "name": outlet.name,
            "ends_in": outlet.kind.name(),
            "area_km2": basin.area_km2,
            "length_km": outlet.length_m / 1000.0,
            "longest_km": basin.longest_km,
            "discharge_m3_s": outlet.discharge_m3_s,
            "runoff_mm": basin.runoff_mm,
            "mean_height_m": basin.mean_height_m,
            "relief_m": basin.relief_m,
            "hypsometric_integral": basin.hypsometric_integral,
            "reaches": basin.reaches,
            "order": basin.order,
        })
    };
    chosen.iter().map(row).collect()
}
