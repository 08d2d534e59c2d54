//! A rectangle of a raster, held with a ring of cells around it.

/// Rows from `first` on, columns from `left` on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tile {
    pub index: usize,
    pub first: u32,
    pub left: u32,
    pub rows: usize,
    pub cols: usize,
    /// Whether the raster goes on north of it.
    pub above: bool,
    /// Whether it goes on south of it.
    pub below: bool,
    /// Whether it goes on west of it.
    pub west: bool,
    /// Whether it goes on east of it.
    pub east: bool,
}

impl Tile {
    /// From one row to the next, in a tile with its ring.
    pub fn stride(self) -> usize {
        self.cols + 2
    }

    /// Number of cells, the ring included.
    pub fn padded_len(self) -> usize {
        (self.rows + 2) * self.stride()
    }

    /// Where a row (0 for the first) begins in a tile with its ring.
    pub fn row(self, row: usize) -> usize {
        (row + 1) * self.stride() + 1
    }

    /// Whether a place in a tile with its ring lies in the tile; beside a border of the raster the ring may count too.
    #[inline]
    pub fn holds(self, at: usize) -> bool {
        let in_rows = (self.stride()..(self.rows + 1) * self.stride()).contains(&at);
        in_rows && (!(self.west || self.east) || (1..=self.cols).contains(&(at % self.stride())))
    }

    /// Offsets of the eight neighbours, clockwise from north.
    pub fn offsets(self) -> [isize; 8] {
        let s = self.stride() as isize;
        [-s, 1 - s, 1, s + 1, s, s - 1, -1, -s - 1]
    }

    /// Row and column in the raster of a place; those of the ring within the raster have theirs too.
    pub fn place(self, at: usize) -> (u32, u32) {
        let (row, col) = (at / self.stride(), at % self.stride());
        (self.first + row as u32 - 1, self.left + col as u32 - 1)
    }

    /// The cells beside which the raster goes on, each once: the first row, the last, then what is left of the first
    /// column and of the last.
    pub fn border(self) -> impl Iterator<Item = usize> {
        let ends = |has_first: bool, has_last: bool, count: usize| {
            let last = (has_last && !(has_first && count == 1)).then(|| count - 1);
            (has_first.then_some(0), last)
        };
        let (north, south) = ends(self.above, self.below, self.rows);
        let (west, east) = ends(self.west, self.east, self.cols);
        let between = usize::from(north.is_some())..self.rows - usize::from(south.is_some());
        let rows = north.into_iter().chain(south);
        let cols = west.into_iter().chain(east);
        rows.flat_map(move |row| self.row(row)..self.row(row) + self.cols)
            .chain(cols.flat_map(move |col| between.clone().map(move |row| self.row(row) + col)))
    }

    /// The cells that lie beside the neighbouring tile in a direction, 0 for north and on clockwise: a side or a corner.
    pub fn facing(self, direction: usize) -> Vec<usize> {
        let (first, last) = (self.row(0), self.row(self.rows - 1));
        let (north, south) = (first..first + self.cols, last..last + self.cols);
        let down = |col: usize| (0..self.rows).map(|row| self.row(row) + col).collect();
        match direction {
            0 => north.collect(),
            1 => vec![north.end - 1],
            2 => down(self.cols - 1),
            3 => vec![south.end - 1],
            4 => south.collect(),
            5 => vec![last],
            6 => down(0),
            _ => vec![first],
        }
    }

    /// Whether a place, of the ring too, lies in the raster.
    pub fn goes_on(self, at: usize) -> bool {
        let (row, col) = (at / self.stride(), at % self.stride());
        (row > 0 || self.above)
            && (row <= self.rows || self.below)
            && (col > 0 || self.west)
            && (col <= self.cols || self.east)
    }

    /// The places of the ring, row by row.
    pub fn ring(self) -> impl Iterator<Item = usize> {
        let (stride, last) = (self.stride(), (self.rows + 1) * self.stride());
        let sides = (1..=self.rows).flat_map(move |row| [row * stride, row * stride + stride - 1]);
        (0..stride).chain(sides).chain(last..last + stride)
    }
}

/// The tile alone.
pub(crate) fn without_ring<T: Copy>(tile: Tile, mut values: Vec<T>) -> Vec<T> {
    for row in 0..tile.rows {
        let from = tile.row(row);
        values.copy_within(from..from + tile.cols, row * tile.cols);
    }
    values.truncate(tile.rows * tile.cols);
    values
}

/// Three rows around a row of a tile with its ring, each with both its columns of the ring.
pub(crate) fn around<T>(tile: Tile, values: &[T], row: usize) -> [&[T]; 3] {
    let stride = tile.stride();
    [0, 1, 2].map(|k| &values[(row + k) * stride..(row + k + 1) * stride])
}
