//! Everything that gathers along the flow: each cell is finished once all that flows into it is.
//!
//! From each head, by address, down as far as everything that flows in has been met (Kahn 1962; the top-down walk
//! of Kotyra, Chabudzinski & Stpiczynski 2021). A byte for each cell holds how many inflows are to come
//! and where the water goes. No order need be known, none is made unless asked for.
//!
//! In parallel (after the idea of Barnes 2017): each band of rows walks down from its own heads. What is downstream
//! of water from other bands is marked before and left out; a walk that comes to such a cell or to the end of the
//! band is noted. Then one thread goes on from there, in the order of the heads. Every cell takes its inflows in
//! the same order as in one walk over the whole grid, so sums of any kind are the same bits for any number of
//! bands. Few cells are left to the last step: those along rivers that cross from band to band.

use crate::flow::{Flow, FlowError, NO_CELL, NONE};
use crate::neighbors::Neighbors;
use grid::{Cell, Direction, Field, Grid};
use rayon::prelude::*;

/// What cells hand down.
pub(crate) trait Gather: Sync {
    /// What a cell has met so far, and then what it hands down.
    type Value: Copy + Send + Sync;
    /// Whether a cell takes part. Others keep what they begin with, and hand nothing down.
    #[inline(always)]
    fn has(&self, _cell: usize) -> bool {
        true
    }
    /// What a cell hands down, once it has met all that flows in.
    fn finish(&self, met: Self::Value) -> Self::Value;
    /// Takes in what a cell above hands down.
    fn add(&self, below: &mut Self::Value, above: Self::Value);
}

/// Gathers `values`, which hold what each cell begins with, along the receivers.
///
/// # Errors
/// As [`Flow::from_receivers`]. The values are in part gathered then.
pub(crate) fn gather<R: Gather>(
    grid: &impl Grid,
    receiver: &Field<u8>,
    values: &mut [R::Value],
    rule: &R,
) -> Result<(), FlowError> {
    let ways = Ways::of(grid);
    let mut work = ways.prepare(receiver)?;
    descend::<R, false>(&ways, receiver.as_slice(), (&mut work, values), rule).map(drop)
}

/// [`gather()`] along a flow, with the same bits: few threads are best spent on its order.
pub(crate) fn gather_along<R: Gather>(grid: &impl Grid, flow: &Flow, values: &mut [R::Value], rule: &R) {
    if rayon::current_num_threads() >= MANY_THREADS {
        return gather(grid, &flow.receiver, values, rule).expect("a flow has no circles");
    }
    let targets = flow.targets();
    for i in flow.order().iter().rev().map(|c| c.index()).filter(|&i| rule.has(i)) {
        let own = rule.finish(values[i]);
        values[i] = own;
        let target = targets[i] as usize;
        if targets[i] != NO_CELL && rule.has(target) {
            rule.add(&mut values[target], own);
        }
    }
}

/// From here on bands are faster than one pass over the order, which takes half or a third of the time of one walk.
const MANY_THREADS: usize = 4;

/// All cells, each before its receiver, in the order of the walk.
///
/// # Errors
/// As [`Flow::from_receivers`].
pub(crate) fn walk(grid: &impl Grid, receiver: &Field<u8>) -> Result<Vec<Cell>, FlowError> {
    let ways = Ways::of(grid);
    let mut work = ways.prepare(receiver)?;
    let mut nothing = vec![(); grid.len()];
    let (bands, rest) =
        descend::<Nothing, true>(&ways, receiver.as_slice(), (&mut work, &mut nothing), &Nothing)?;
    Ok(join(bands, &rest, grid.len()))
}

struct Nothing;

impl Gather for Nothing {
    type Value = ();
    fn finish(&self, (): ()) {}
    fn add(&self, (): &mut (), (): ()) {}
}

// The byte of a cell: in the lower half the direction of its receiver, or one of these two.
/// The receiver does not lie at the offset of its direction.
const ASK: u8 = 8;
const END: u8 = 9;
// In the upper half the number of inflows to come, or one of these two.
/// Downstream of another band.
const LEFT_OUT: u8 = 14 << 4;
const DONE: u8 = 15 << 4;
const INFLOW: u8 = 1 << 4;

/// Where the water of each cell goes.
struct Ways<'a, G> {
    grid: &'a G,
    offsets: [i32; 8],
}

impl<'a, G: Grid> Ways<'a, G> {
    fn of(grid: &'a G) -> Self {
        Self { grid, offsets: Neighbors::of(grid).offsets() }
    }

    /// The address of the receiver, given the byte of a cell that has one.
    #[inline(always)]
    fn target(&self, receiver: &[u8], cell: u32, byte: u8) -> u32 {
        if byte & 15 == ASK {
            let direction = Direction::from_index(receiver[cell as usize]);
            return self.grid.neighbor(Cell(cell), direction).expect("receivers were checked").0;
        }
        cell.wrapping_add_signed(self.offsets[usize::from(byte & 7)])
    }

    /// The bytes of all cells.
    fn prepare(&self, receiver: &Field<u8>) -> Result<Vec<u8>, FlowError> {
        let shape = self.grid.shape();
        let (cols, receiver) = (shape.cols as usize, receiver.as_slice());
        let mut work = vec![0; shape.len()];
        let lines = work.par_chunks_mut(cols.max(1)).enumerate();
        let errors = lines.filter_map(|(line, out)| self.prepare_line(receiver, line, out).err());
        // Of two errors the one that is further left, which is the first.
        errors.reduce_with(|first, _| first).map_or(Ok(work), Err)
    }

    fn prepare_line(&self, receiver: &[u8], line: usize, out: &mut [u8]) -> Result<(), FlowError> {
        let shape = self.grid.shape();
        let (row, cols, first) = (line as u32 % shape.rows, out.len(), line * out.len());
        if row == 0 || row + 1 == shape.rows || cols < 3 {
            return (0..cols).try_for_each(|col| {
                out[col] = self.prepare_cell(receiver, Cell::from_index(first + col))?;
                Ok(())
            });
        }
        let around = [first - cols, first, first + cols].map(|start| &receiver[start..start + cols]);
        let is_direction = |r: u8| r < 8 || r == NONE;
        if !around[1].iter().fold(true, |all, &r| all & is_direction(r)) {
            let col = around[1].iter().position(|&r| !is_direction(r)).expect("there is one");
            (0..col)
                .try_for_each(|col| self.prepare_cell(receiver, Cell::from_index(first + col)).map(drop))?;
            return Err(FlowError::NotADirection {
                cell: Cell::from_index(first + col),
                value: around[1][col],
            });
        }
        for col in [0, cols - 1] {
            out[col] = self.prepare_cell(receiver, Cell::from_index(first + col))?;
        }
        prepare_inner(around, &mut out[1..cols - 1]);
        Ok(())
    }

    /// The byte of any cell.
    fn prepare_cell(&self, receiver: &[u8], cell: Cell) -> Result<u8, FlowError> {
        let own = match receiver[cell.index()] {
            NONE => END,
            value @ 8.. => return Err(FlowError::NotADirection { cell, value }),
            value => {
                let direction = Direction::from_index(value);
                let target = self.grid.neighbor(cell, direction);
                let target = target.ok_or(FlowError::NoNeighbor { cell, direction })?;
                let is_plain = target.0 == cell.0.wrapping_add_signed(self.offsets[direction.index()]);
                if is_plain { value } else { ASK }
            }
        };
        Ok(own + INFLOW * self.sources(receiver, cell).count() as u8)
    }

    /// The neighbours whose receiver is this cell.
    fn sources(&self, receiver: &[u8], cell: Cell) -> impl Iterator<Item = Cell> {
        let steps = Direction::ALL.into_iter().filter_map(move |d| self.grid.step(cell, d));
        steps.filter(|step| receiver[step.cell.index()] == step.back as u8).map(|step| step.cell)
    }
}

/// The bytes of cells that touch no border of their face: all but the first and last of a row.
fn prepare_inner([up, here, down]: [&[u8]; 3], out: &mut [u8]) {
    let n = out.len();
    let [nw, no, ne] = [0, 1, 2].map(|i| &up[i..i + n]);
    let [we, own, ea] = [0, 1, 2].map(|i| &here[i..i + n]);
    let [sw, so, se] = [0, 1, 2].map(|i| &down[i..i + n]);
    for i in 0..n {
        let around = [no[i], ne[i], ea[i], se[i], so[i], sw[i], we[i], nw[i]];
        let mut inflows = 0;
        for (d, r) in around.into_iter().enumerate() {
            inflows += u8::from(r == (d as u8 + 4) & 7);
        }
        out[i] = own[i].min(END) + INFLOW * inflows;
    }
}

/// A walk that stopped because it came to a cell of another band, or to one that is left out.
struct Stop {
    /// The last cell of the walk.
    cell: u32,
    /// How many cells the band had finished by then.
    at: usize,
}

/// What a band leaves behind.
#[derive(Default)]
struct Walked {
    stops: Vec<Stop>,
    /// Cells that were left out, and their bytes.
    left_out: Vec<(u32, u8)>,
    /// The finished cells.
    log: Vec<Cell>,
}

/// What the last step did at one stop: cells `from..to` of its log.
struct More {
    band: usize,
    at: usize,
    from: usize,
    to: usize,
}

/// The cells that the last step finished.
#[derive(Default)]
struct Rest {
    log: Vec<Cell>,
    more: Vec<More>,
}

/// Finishes all cells; with `LOG`, keeps in which order.
fn descend<R: Gather, const LOG: bool>(
    ways: &Ways<'_, impl Grid>,
    receiver: &[u8],
    (work, values): (&mut [u8], &mut [R::Value]),
    rule: &R,
) -> Result<(Vec<Walked>, Rest), FlowError> {
    let line = (ways.grid.shape().cols as usize).max(1);
    let band = (work.len() / line).div_ceil(rayon::current_num_threads()).max(1) * line;
    let parts = work.par_chunks_mut(band).zip(values.par_chunks_mut(band)).enumerate();
    let bands: Vec<Walked> = parts
        .map(|(i, (work, values))| {
            let mut part = Part { ways, receiver, first: i * band, work, values, rule };
            let left_out = part.leave_out();
            Walked { left_out, ..part.walk::<LOG>() }
        })
        .collect();
    bands.iter().flat_map(|b| &b.left_out).for_each(|&(cell, byte)| work[cell as usize] = byte);
    let mut whole = Part { ways, receiver, first: 0, work, values, rule };
    let rest = whole.walk_on::<LOG>(&bands);
    let unfinished = work
        .par_chunks(1 << 12)
        .enumerate()
        .find_first(|(_, part)| part.iter().fold(DONE, |all, byte| all & byte) & DONE != DONE);
    if let Some((i, part)) = unfinished {
        let place = part.iter().position(|byte| byte & DONE != DONE).expect("one of them");
        return Err(FlowError::Cycle { cell: Cell::from_index((i << 12) + place) });
    }
    Ok((bands, rest))
}

/// A run of cells: a band, or all.
struct Part<'a, G, R: Gather> {
    ways: &'a Ways<'a, G>,
    receiver: &'a [u8],
    first: usize,
    work: &'a mut [u8],
    values: &'a mut [R::Value],
    rule: &'a R,
}

impl<G: Grid, R: Gather> Part<'_, G, R> {
    /// Marks all cells that water from other bands passes.
    fn leave_out(&mut self) -> Vec<(u32, u8)> {
        let mut left_out = Vec::new();
        let shape = self.ways.grid.shape();
        let cols = (shape.cols as usize).max(1);
        if self.work.len() == shape.len() {
            return left_out;
        }
        for i in 0..self.work.len() / cols {
            // Inside a face, water comes from another band over the first and the last row only.
            let row = (self.first / cols + i) as u32 % shape.rows;
            let is_end = i == 0 || (i + 1) * cols == self.work.len() || row == 0 || row + 1 == shape.rows;
            let step = if is_end { 1 } else { (cols - 1).max(1) };
            for col in (0..cols).step_by(step) {
                let cell = Cell::from_index(self.first + i * cols + col);
                let is_outside = |c: Cell| self.place(c.0).is_none();
                if self.ways.sources(self.receiver, cell).any(is_outside) {
                    self.leave_out_from(cell.0, &mut left_out);
                }
            }
        }
        left_out
    }

    fn leave_out_from(&mut self, cell: u32, left_out: &mut Vec<(u32, u8)>) {
        let mut next = Some(cell);
        while let Some((cell, i)) = next.and_then(|cell| Some((cell, self.place(cell)?))) {
            let byte = self.work[i];
            if byte & DONE == LEFT_OUT {
                break;
            }
            left_out.push((cell, byte));
            self.work[i] = byte & 15 | LEFT_OUT;
            next = (byte & 15 != END).then(|| self.ways.target(self.receiver, cell, byte));
        }
    }

    /// Where in this part a cell is.
    #[inline(always)]
    fn place(&self, cell: u32) -> Option<usize> {
        let i = (cell as usize).wrapping_sub(self.first);
        (i < self.work.len()).then_some(i)
    }

    /// Walks down from each head.
    fn walk<const LOG: bool>(&mut self) -> Walked {
        let mut walked = Walked::default();
        if LOG {
            walked.log.reserve_exact(self.work.len());
        }
        for head in 0..self.work.len() {
            if self.work[head] < INFLOW
                && let Some(cell) = self.walk_down::<LOG>((self.first + head) as u32, &mut walked.log)
            {
                walked.stops.push(Stop { cell, at: walked.log.len() });
            }
        }
        walked
    }

    /// Finishes a cell that has no inflow to come, and those below it until there is one that has. The last
    /// finished cell if the next is left out or in another part.
    #[inline(always)]
    fn walk_down<const LOG: bool>(&mut self, head: u32, log: &mut Vec<Cell>) -> Option<u32> {
        let mut i = head as usize - self.first;
        loop {
            let byte = self.work[i];
            self.work[i] = byte | DONE;
            let cell = (self.first + i) as u32;
            let takes_part = self.rule.has(self.first + i);
            let mut own = self.values[i];
            if takes_part {
                own = self.rule.finish(own);
                self.values[i] = own;
            }
            if LOG {
                log.push(Cell(cell));
            }
            if byte == END {
                return None;
            }
            let there = self.place(self.ways.target(self.receiver, cell, byte));
            let Some(next) = there.filter(|&next| self.work[next] < LEFT_OUT) else { return Some(cell) };
            if takes_part && self.rule.has(self.first + next) {
                self.rule.add(&mut self.values[next], own);
            }
            self.work[next] -= INFLOW;
            if self.work[next] >= INFLOW {
                return None;
            }
            i = next;
        }
    }

    /// Goes on where the walks of the bands stopped, in the order of their heads.
    fn walk_on<const LOG: bool>(&mut self, bands: &[Walked]) -> Rest {
        let mut rest = Rest::default();
        for (band, stop) in bands.iter().enumerate().flat_map(|(i, b)| b.stops.iter().map(move |s| (i, s))) {
            let cell = stop.cell;
            let next = self.ways.target(self.receiver, cell, self.work[cell as usize]);
            if self.rule.has(cell as usize) && self.rule.has(next as usize) {
                let above = self.values[cell as usize];
                self.rule.add(&mut self.values[next as usize], above);
            }
            self.work[next as usize] -= INFLOW;
            if self.work[next as usize] < INFLOW {
                let from = rest.log.len();
                self.walk_down::<LOG>(next, &mut rest.log);
                if LOG {
                    rest.more.push(More { band, at: stop.at, from, to: rest.log.len() });
                }
            }
        }
        rest
    }
}

/// The logs of the bands one after the other, with what was finished later put where one walk would have it.
fn join(mut bands: Vec<Walked>, rest: &Rest, len: usize) -> Vec<Cell> {
    if bands.len() == 1 {
        return bands.pop().map_or_else(Vec::new, |band| band.log);
    }
    let mut order = Vec::with_capacity(len);
    let mut more = rest.more.iter().peekable();
    for (i, band) in bands.iter().enumerate() {
        let mut at = 0;
        while let Some(m) = more.next_if(|m| m.band == i) {
            order.extend_from_slice(&band.log[at..m.at]);
            order.extend_from_slice(&rest.log[m.from..m.to]);
            at = m.at;
        }
        order.extend_from_slice(&band.log[at..]);
    }
    order
}
