//! Random small cases for the tests: every topology, plateaus, gaps, any set of outlets.

use grid::{Cell, Direction, Draw, Field, Flat, Globe, Grid, Nth, Purpose, Seed, Topology};
use hydro::{Flood, Flow, Links};

/// A grid with heights, links and outlets.
pub struct Case {
    pub grid: Topology,
    pub elevation: Field<f32>,
    pub links: Links,
    pub outlets: Field<bool>,
    pub draw: Draw,
}

impl Case {
    pub fn flood(&self) -> Flood {
        hydro::flood(&self.grid, &self.links, &self.elevation, |c| self.outlets[c])
    }

    pub fn route(&self) -> (Flood, Flow) {
        let flood = self.flood();
        let flow = hydro::route(&self.grid, &self.links, &flood);
        (flood, flow)
    }

    /// The cells where water ends, by the definition: outlets and neighbours of gaps; if none, the lowest cell.
    pub fn ends(&self) -> Vec<bool> {
        let z = &self.elevation;
        let is_end = |c: Cell| {
            let beside_gap = || self.links.neighbors(&self.grid, c).any(|(_, n)| z[n].is_nan());
            !z[c].is_nan() && (self.outlets[c] || beside_gap())
        };
        let mut ends: Vec<bool> = self.grid.cells().map(is_end).collect();
        if !z.as_slice().iter().any(|z| z.is_nan()) && !ends.contains(&true) {
            let mut lowest = Cell(0);
            for c in self.grid.cells() {
                if z[c] < z[lowest] {
                    lowest = c;
                }
            }
            ends[lowest.index()] = true;
        }
        ends
    }
}

/// A globe of 2 to 6 cells a side, or a flat map of 1 to 9.
pub fn any_grid(draw: &mut Draw) -> Topology {
    if draw.below(3) < 2 {
        Topology::Globe(Globe::new(2 + draw.below(5), 6.4e6).expect("in range"))
    } else {
        let (cols, rows) = (1 + draw.below(9), 1 + draw.below(9));
        Topology::Flat(Flat::new(cols, rows, draw.range(0.1, 100.0)).expect("in range"))
    }
}

/// Heights that are all different, or of 1 to 5 steps around 0; now and then with gaps.
pub fn any_elevation(grid: &Topology, draw: &mut Draw) -> Field<f32> {
    let steps = draw.below(8);
    let gaps = if draw.below(4) == 0 { draw.range(0.0, 0.5) } else { 0.0 };
    let mut height = |_| {
        if draw.unit() < gaps {
            f32::NAN
        } else if steps == 0 || steps > 5 {
            draw.range(-100.0, 100.0) as f32
        } else {
            let step = draw.below(steps) as f32 - (steps / 2) as f32;
            if step == 0.0 && draw.below(2) == 0 { -0.0 } else { step }
        }
    };
    Field::from_vec(grid.shape(), grid.cells().map(&mut height).collect()).expect("one for each cell")
}

/// No outlet, a few, many, or the border of the map.
fn any_outlets(grid: &Topology, draw: &mut Draw) -> Field<bool> {
    let share = [0.0, 0.02, 0.1, 0.6][draw.below(4) as usize];
    let border = draw.below(3) == 0;
    let outlet = |c| draw.unit() < share || (border && grid.at_border(c));
    Field::from_vec(grid.shape(), grid.cells().map(outlet).collect()).expect("one for each cell")
}

/// The case of this number.
pub fn case(number: u32) -> Case {
    const CASE: Purpose = Purpose::new("hydro/tests/case");
    let mut draw = Seed(1).key(CASE).at(Nth(number));
    let grid = any_grid(&mut draw);
    let elevation = any_elevation(&grid, &mut draw);
    let links = if draw.below(2) == 0 { Links::all(&grid) } else { Links::planar(&grid, &elevation) };
    let outlets = any_outlets(&grid, &mut draw);
    Case { grid, elevation, links, outlets, draw }
}

/// A sphere with fractal land, sea below 0.
pub fn fractal_globe(n: u32, seed: u64) -> (Globe, Field<f32>) {
    const LAND: Purpose = Purpose::new("hydro/tests/land");
    let globe = Globe::new(n, 6.4e6).expect("in range");
    let fbm = grid::noise::Fractal::new(Seed(seed).key(LAND), 9, 0.6);
    let elevation = Field::from_fn(globe.shape(), |c| (fbm.fbm(globe.center(c) * 2.0) * 4000.0) as f32);
    (globe, elevation)
}

/// The direction whose ESRI code this is.
pub fn from_esri(code: u8) -> Option<Direction> {
    Direction::ALL.into_iter().find(|d| d.esri() == code)
}

/// Least over all paths to an outlet of the highest elevation on the path, by repeating until nothing changes.
pub fn minimax(case: &Case) -> Vec<f32> {
    let (z, ends) = (&case.elevation, case.ends());
    let start = |c: Cell| if ends[c.index()] { z[c] } else { f32::INFINITY };
    let mut level: Vec<f32> = case.grid.cells().map(start).collect();
    loop {
        let before = level.clone();
        for c in case.grid.cells().filter(|&c| !z[c].is_nan() && !ends[c.index()]) {
            let around = case.links.neighbors(&case.grid, c).filter(|(_, n)| !z[*n].is_nan());
            let least = around.map(|(_, n)| level[n.index()]).fold(f32::INFINITY, f32::min);
            level[c.index()] = least.max(z[c]);
        }
        if level == before {
            return level;
        }
    }
}
