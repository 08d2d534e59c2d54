//! Networks of streams against slow, obvious versions, worked examples and analytic answers.

mod chi;
mod hypsometry;
mod pfafstetter;
mod places;
mod ranks;
mod self_similar;

use crate::common::{any_grid, case};
use grid::{Cell, Direction, Draw, Field, Flat, Grid, Nth, Purpose, Seed, Topology};
use hydro::{Flow, NONE};

/// A flow with streams on it, for the tests.
struct River {
    grid: Topology,
    flow: Flow,
    /// Whole numbers that have come together, many of them equal.
    area: Field<f64>,
    is_stream: Field<bool>,
    elevation: Field<f32>,
    draw: Draw,
}

/// The river of this number: every other one over a random surface, the others with receivers drawn at will, so that up to
/// eight streams meet in a cell. Streams by a threshold, everywhere, or scattered with gaps.
fn river(number: u32) -> River {
    const RIVER: Purpose = Purpose::new("hydro/tests/river");
    let mut draw = Seed(7).key(RIVER).at(Nth(number));
    let (grid, flow, elevation) = if number.is_multiple_of(2) {
        let case = case(number);
        let (_, flow) = case.route();
        (case.grid, flow, case.elevation)
    } else {
        let grid = any_grid(&mut draw);
        let flow = wild_flow(&grid, &mut draw);
        let heights = grid.cells().map(|_| draw.below(50) as f32).collect();
        (grid.clone(), flow, Field::from_vec(grid.shape(), heights).expect("one for each cell"))
    };
    let most = 1 + draw.below(3);
    let weights = grid.cells().map(|_| f64::from(draw.below(most + 1))).collect();
    let weight = Field::from_vec(grid.shape(), weights).expect("one for each cell");
    let area = hydro::accumulate(&grid, &flow, &weight);
    let (least, kind) = (f64::from(draw.below(6)), draw.below(3));
    let is_stream = |c: Cell| match kind {
        0 => true,
        1 => area[c] >= least,
        _ => draw.unit() < 0.7,
    };
    let marks = grid.cells().map(is_stream).collect();
    let is_stream = Field::from_vec(grid.shape(), marks).expect("one for each cell");
    River { grid, flow, area, is_stream, elevation, draw }
}

/// Each cell to any of the neighbours with a lower number drawn, now and then to none.
fn wild_flow(grid: &Topology, draw: &mut Draw) -> Flow {
    let rank: Vec<f64> = grid.cells().map(|_| draw.unit()).collect();
    let ends = draw.range(0.0, 0.1);
    let receivers = grid.cells().map(|c| {
        let lower: Vec<Direction> =
            grid.neighbors(c).filter(|(_, n)| rank[n.index()] < rank[c.index()]).map(|(d, _)| d).collect();
        let choice = draw.below(lower.len().max(1) as u32) as usize;
        if draw.unit() < ends { NONE } else { lower.get(choice).map_or(NONE, |d| *d as u8) }
    });
    let receivers = Field::from_vec(grid.shape(), receivers.collect()).expect("one for each cell");
    Flow::from_receivers(grid, receivers).expect("the numbers fall")
}

impl River {
    /// The cell and all cells its water passes.
    fn down(&self, cell: Cell) -> Vec<Cell> {
        std::iter::successors(Some(cell), |&c| self.flow.receiver_of(&self.grid, c)).collect()
    }

    /// Length of a step as the grid itself would say.
    fn step_m(&self, from: Cell, to: Cell) -> f64 {
        self.grid.cell_distance_m(from, to)
    }

    fn stream_inflows(&self, cell: Cell) -> Vec<Cell> {
        self.flow.inflows(&self.grid, cell).filter(|&n| self.is_stream[n]).collect()
    }

    fn stream_below(&self, cell: Cell) -> Option<Cell> {
        self.flow.receiver_of(&self.grid, cell).filter(|&t| self.is_stream[t])
    }

    fn streams(&self) -> Vec<Cell> {
        self.grid.cells().filter(|&c| self.is_stream[c]).collect()
    }
}

/// A drawing of receivers on square cells of 10 m: v > ^ < and for diagonals q (north-west), e, z (south-west), c;
/// o is a stream cell whose water ends; blanks and points are no stream.
fn drawn(rows: &[&str]) -> River {
    let map = Flat::new(rows[0].len() as u32, rows.len() as u32, 10.0).expect("in range");
    let grid = Topology::Flat(map);
    let letters: Vec<char> = rows.iter().flat_map(|row| row.chars()).collect();
    let direction = |c: Cell| match letters[c.index()] {
        '^' => Direction::N as u8,
        'e' => Direction::NE as u8,
        '>' => Direction::E as u8,
        'c' => Direction::SE as u8,
        'v' => Direction::S as u8,
        'z' => Direction::SW as u8,
        '<' => Direction::W as u8,
        'q' => Direction::NW as u8,
        _ => NONE,
    };
    let flow = Flow::from_receivers(&grid, Field::from_fn(grid.shape(), direction))
        .expect("a drawing without circles");
    let is_stream = Field::from_fn(grid.shape(), |c| !matches!(letters[c.index()], ' ' | '.'));
    let own = is_stream.map(|&s| f64::from(u8::from(s)));
    let area = hydro::accumulate(&grid, &flow, &own);
    let elevation = Field::filled(grid.shape(), 0.0);
    const DRAWN: Purpose = Purpose::new("hydro/tests/drawn");
    River { grid, flow, area, is_stream, elevation, draw: Seed(1).key(DRAWN).at(Nth(0)) }
}
