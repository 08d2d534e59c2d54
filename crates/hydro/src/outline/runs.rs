//! Which cells of one label hang together: runs of equal cells in rows, united over the sides between them.

use super::rings::Ground;
use grid::{Cell, Direction, Field, Shape};

/// The runs of all rows, and which of them hang together.
pub(super) struct Runs {
    shape: Shape,
    /// First cell of each run.
    starts: Vec<u32>,
    /// For each row of all faces its first run; one more at the end.
    of_row: Vec<u32>,
    /// For each run one that it hangs together with, at most itself; the first of a piece is its own.
    parent: Vec<u32>,
}

impl Runs {
    pub fn of(ground: &impl Ground, labels: &Field<u32>) -> Self {
        let shape = labels.shape();
        let (mut starts, mut of_row) = (Vec::new(), vec![0]);
        for (row, values) in labels.as_slice().chunks_exact(shape.cols as usize).enumerate() {
            let first = row as u32 * shape.cols;
            starts.push(first);
            let changes = values.windows(2).zip(first + 1..).filter(|(pair, _)| pair[0] != pair[1]);
            starts.extend(changes.map(|(_, cell)| cell));
            of_row.push(starts.len() as u32); // no more runs than cells
        }
        let parent = (0..starts.len() as u32).collect();
        let mut runs = Self { shape, starts, of_row, parent };
        runs.unite_rows(labels);
        runs.unite_faces(ground, labels);
        runs
    }

    /// Unites runs of neighbouring rows of a face that overlap.
    fn unite_rows(&mut self, labels: &Field<u32>) {
        let Shape { rows, cols, .. } = self.shape;
        let labels = labels.as_slice();
        for row in (1..self.of_row.len() - 1).filter(|row| !(*row as u32).is_multiple_of(rows)) {
            let ends = [self.of_row[row - 1], self.of_row[row], self.of_row[row + 1]];
            let (mut above, mut here) = (ends[0], ends[1]);
            while above < ends[1] && here < ends[2] {
                let label = |run: u32| labels[self.starts[run as usize] as usize];
                if label(above) == label(here) {
                    self.unite(above, here);
                }
                // columns at which the runs end
                let end = |run: u32, last: u32| {
                    if run + 1 < last { self.starts[run as usize + 1] % cols } else { cols }
                };
                let (a, b) = (end(above, ends[1]), end(here, ends[2]));
                above += u32::from(a <= b);
                here += u32::from(b <= a);
            }
        }
    }

    /// Unites runs over the edges of faces.
    fn unite_faces(&mut self, ground: &impl Ground, labels: &Field<u32>) {
        let Shape { faces, rows, cols } = self.shape;
        let along_rows = (0..rows).flat_map(|r| [(r, 0, Direction::W), (r, cols - 1, Direction::E)]);
        let along_cols = (0..cols).flat_map(|c| [(0, c, Direction::N), (rows - 1, c, Direction::S)]);
        let sides: Vec<(u32, u32, Direction)> = along_rows.chain(along_cols).collect();
        for (face, &(row, col, side)) in
            (0..faces).flat_map(|face| sides.iter().map(move |side| (face, side)))
        {
            let cell = self.shape.join(face, row, col);
            if let Some(beyond) = ground.beyond(cell, side).filter(|step| labels[step.cell] == labels[cell]) {
                self.unite(self.run(cell), self.run(beyond.cell));
            }
        }
    }

    fn run(&self, cell: Cell) -> u32 {
        let row = (cell.0 / self.shape.cols) as usize;
        let (first, last) = (self.of_row[row], self.of_row[row + 1]);
        let before = self.starts[first as usize..last as usize].partition_point(|&start| start <= cell.0);
        first + before as u32 - 1
    }

    fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    fn root(&mut self, mut run: u32) -> u32 {
        while self.parent[run as usize] != run {
            let above = self.parent[run as usize];
            self.parent[run as usize] = self.parent[above as usize];
            run = above;
        }
        run
    }

    /// The piece that a cell belongs to: its first run.
    pub fn piece(&mut self, cell: Cell) -> u32 {
        self.root(self.run(cell))
    }
}
