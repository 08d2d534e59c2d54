//! A raster made small enough to look at, row by row as it comes.

/// Samples along the longer side at most.
const LONGEST: usize = 1600;

/// Means of ground and filled surface over square blocks of cells, and the basin in each block's middle.
pub struct Thumbnail {
    /// Blocks from west to east.
    pub width: usize,
    /// Blocks from north to south.
    pub height: usize,
    /// Cells along a block's side.
    pub block: usize,
    sums: Vec<[f32; 2]>,
    counts: Vec<u32>,
    /// Cells of each block that were raised.
    raised: Vec<u32>,
    /// Basin of the cell in the middle of each block; 0 for none.
    pub basin: Vec<u32>,
}

impl Thumbnail {
    /// An empty one of a raster of `cols` x `rows`.
    pub fn new(cols: usize, rows: usize) -> Self {
        let block = cols.max(rows).div_ceil(LONGEST).max(1);
        let (width, height) = (cols.div_ceil(block), rows.div_ceil(block));
        let blocks = width * height;
        Self {
            width,
            height,
            block,
            sums: vec![[0.0; 2]; blocks],
            counts: vec![0; blocks],
            raised: vec![0; blocks],
            basin: vec![0; blocks],
        }
    }

    /// Adds a row of the raster: ground and filled surface in metres.
    pub fn add_heights(&mut self, row: usize, ground: &[f32], filled: &[f32]) {
        let start = row / self.block * self.width;
        for (col, (&z, &w)) in ground.iter().zip(filled).enumerate().filter(|(_, (z, _))| !z.is_nan()) {
            let at = start + col / self.block;
            self.sums[at][0] += z;
            self.sums[at][1] += w;
            self.counts[at] += 1;
            self.raised[at] += u32::from(w > z);
        }
    }

    /// Adds a row of basins.
    pub fn add_basins(&mut self, row: usize, basins: &[u32]) {
        if row % self.block != self.block / 2 && row != 0 {
            return;
        }
        let start = row / self.block * self.width;
        for at in 0..self.width {
            let middle = (at * self.block + self.block / 2).min(basins.len() - 1);
            self.basin[start + at] = basins[middle];
        }
    }

    /// Mean ground of each block in metres; not a number where there is none.
    pub fn ground(&self) -> Vec<f32> {
        self.mean(0)
    }

    /// Mean drained surface in metres of each block of which most was raised; of the others the mean ground, or every
    /// block of a rough raster would be a lake.
    pub fn filled(&self) -> Vec<f32> {
        let mut surface = self.mean(1);
        let dry = (0..surface.len()).filter(|&at| 2 * self.raised[at] <= self.counts[at]);
        dry.for_each(|at| surface[at] = self.sums[at][0] / self.counts[at] as f32);
        surface
    }

    fn mean(&self, which: usize) -> Vec<f32> {
        // 0 / 0 is not a number: a block without data
        self.sums.iter().zip(&self.counts).map(|(sum, &n)| sum[which] / n as f32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_means() {
        let mut small = Thumbnail::new(3, 2);
        assert_eq!((small.width, small.height, small.block), (3, 2, 1));
        small.add_heights(1, &[1.0, f32::NAN, 3.0], &[2.0, f32::NAN, 3.0]);
        assert_eq!(small.ground()[3], 1.0);
        assert!(small.ground()[4].is_nan() && small.ground()[0].is_nan());
        assert_eq!(small.filled()[3], 2.0);

        let mut large = Thumbnail::new(3201, 10);
        assert_eq!((large.width, large.height, large.block), (1067, 4, 3));
        for row in 0..3 {
            large.add_heights(row, &vec![row as f32; 3201], &vec![5.0; 3201]);
            large.add_basins(row, &(0..3201).collect::<Vec<_>>());
        }
        assert_eq!((large.ground()[7], large.filled()[7], large.basin[7]), (1.0, 5.0, 22));

        let mut pitted = Thumbnail::new(3201, 3);
        pitted.add_heights(0, &[2.0; 3201], &[&[8.0][..], &[2.0; 3200]].concat());
        assert_eq!(pitted.filled()[0], 2.0, "one cell of three is no lake");
    }
}
