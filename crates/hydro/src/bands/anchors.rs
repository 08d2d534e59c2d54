//! What spills where from band to band.

use crate::cut::Tile;
use crate::cut::passes::{FREE, Gatherer, Pass, across, levels};
use crate::cut::spill::{OUT, RAISED, Spilled};

/// The anchors of all bands, and the passes between them.
pub(super) struct Anchors {
    /// For each band: what to add to its anchors' numbers, from 1 on.
    offsets: Vec<u32>,
    count: u32,
    passes: Vec<Pass>,
    /// Anchors of the last row of the last band met.
    last_row: Vec<u32>,
    last_z: Vec<f32>,
}

impl Anchors {
    pub fn new() -> Self {
        Self { offsets: Vec::new(), count: 1, passes: Vec::new(), last_row: Vec::new(), last_z: Vec::new() }
    }

    /// Takes the next band to the south.
    pub fn add(&mut self, strip: Tile, spilled: &Spilled) {
        let offset = self.count - 1;
        let shift = |anchor: u32| if anchor == OUT || anchor == FREE { anchor } else { anchor + offset };
        self.offsets.push(offset);
        self.count += spilled.anchors - 1;
        let own = spilled.passes.iter().map(|p| Pass { rank: p.rank, a: shift(p.a), b: shift(p.b) });
        self.passes.extend(own);
        let border: Vec<u32> = spilled.border.iter().map(|&a| shift(a)).collect();
        if strip.above {
            self.join(&border[..strip.cols], &spilled.border_z[..strip.cols]);
        }
        if strip.below {
            let last = border.len() - strip.cols;
            self.last_row = border[last..].to_vec();
            self.last_z = spilled.border_z[last..].to_vec();
        }
    }

    /// The passes across a joint: each cell north of it with the three south of it.
    fn join(&mut self, first: &[u32], first_z: &[f32]) {
        let mut found = Gatherer::new(usize::MAX);
        across((&self.last_row, &self.last_z), (first, first_z), 0, &mut found);
        self.passes.extend(found.finish());
    }

    /// The final level of each anchor.
    pub fn solve(mut self) -> Levels {
        let levels = levels(&mut self.passes, self.count as usize);
        Levels { offsets: self.offsets, levels }
    }
}

/// The level to which each anchor is filled.
pub(super) struct Levels {
    offsets: Vec<u32>,
    levels: Vec<f32>,
}

impl Levels {
    /// For a label of a band.
    #[inline]
    pub fn of(&self, band: usize, label: u32) -> f32 {
        match label & !RAISED {
            OUT => f32::NEG_INFINITY,
            anchor => self.levels[(anchor + self.offsets[band]) as usize],
        }
    }
}
