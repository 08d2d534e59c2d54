//! Side branches: how many streams of each order join those of higher orders (Tokunaga 1978).
//!
//! ```text
//! T_ij = N_ij / N_j            N_ij streams of Strahler order i that join one of order j > i without forming it
//! T_k  = a c^(k - 1)           k = j - i; self-similar trees: T_ij depends on the difference of orders only
//! Rb   = (2 + c + a + sqrt((2 + c + a)^2 - 8 c)) / 2
//! ```
//!
//! Two streams of order j - 1 form one of order j; a third one that arrives at the same cell is a side branch. Large
//! river basins have a near 1.2 and c near 2.5 (Peckham 1995); a = 1, c = 2 is the random topology of Shreve.

use super::fit::line;
use crate::Flow;
use crate::stencil::assert_shape;
use grid::{Field, Grid, math};

/// Streams of each order, and how many of them are side branches of which.
#[derive(Clone, Debug, PartialEq)]
pub struct SideBranches {
    /// N_j, the first order first.
    pub streams: Vec<usize>,
    /// N_ij at `[i - 1][j - 1]`; 0 where i >= j.
    pub joining: Vec<Vec<usize>>,
}

/// Tokunaga's law of self-similar side branching, as fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tokunaga {
    /// Side branches of the order below.
    pub a: f64,
    /// How many times more with each order between.
    pub c: f64,
    /// Differences of orders that the line goes through.
    pub points: usize,
    /// Share of the variance of log T_k that the line explains, 0 to 1.
    pub r2: f64,
}

impl SideBranches {
    /// Counts them. `order` as [`strahler`](crate::strahler) gives it. Cost: linear.
    pub fn of(grid: &impl Grid, flow: &Flow, order: &Field<u8>) -> Self {
        assert_shape(grid, order, "the order");
        let order = order.as_slice();
        let greatest = usize::from(order.iter().copied().max().unwrap_or(0));
        let mut streams = vec![0; greatest];
        let mut joining = vec![vec![0; greatest]; greatest];
        for &cell in flow.order().iter().filter(|c| order[c.index()] > 0) {
            let own = usize::from(order[cell.index()]);
            match flow.target(cell).map_or(0, |below| usize::from(order[below.index()])) {
                same if same == own => {}
                0 => streams[own - 1] += 1,
                higher => {
                    streams[own - 1] += 1;
                    joining[own - 1][higher - 1] += 1;
                }
            }
        }
        // each stream above the first order was formed by two of the order below
        for j in 1..greatest {
            joining[j - 1][j] -= 2 * streams[j];
        }
        Self { streams, joining }
    }

    /// T_ij: side branches of order i on a stream of order j, on the average; `None` where no stream has order j.
    pub fn ratio(&self, i: usize, j: usize) -> Option<f64> {
        let streams = *self.streams.get(j.checked_sub(1)?)?;
        let joining = *self.joining.get(i.checked_sub(1)?)?.get(j - 1)?;
        (streams > 0).then(|| joining as f64 / streams as f64)
    }

    /// T_k: side branches that are k orders lower, over all streams of orders above k; `None` where there are none.
    pub fn mean(&self, k: usize) -> Option<f64> {
        let orders = 1..(self.streams.len() + 1).saturating_sub(k);
        let joining: usize = orders.clone().map(|i| self.joining[i - 1][i + k - 1]).sum();
        let streams: usize = orders.map(|i| self.streams[i + k - 1]).sum();
        (k > 0 && streams > 0).then(|| joining as f64 / streams as f64)
    }

    /// Tokunaga's law by regression of log T_k on k, over the k that at least `least_streams` streams speak for: the highest
    /// orders, of which there are one or two, say little. `None` below two such k.
    pub fn law(&self, least_streams: usize) -> Option<Tokunaga> {
        let speaking = |k: &usize| self.streams[*k..].iter().sum::<usize>() >= least_streams.max(1);
        let means = (1..self.streams.len()).take_while(speaking).filter_map(|k| Some((k, self.mean(k)?)));
        let points: Vec<_> =
            means.filter(|(_, t)| *t > 0.0).map(|(k, t)| (k as f64 - 1.0, math::log(t))).collect();
        let law = line(&points)?;
        let n = points.len() as f64;
        let (k, log_t) = points.iter().fold((0.0, 0.0), |m, p| (m.0 + p.0 / n, m.1 + p.1 / n));
        let a = math::exp(log_t - law.exponent * k);
        Some(Tokunaga { a, c: math::exp(law.exponent), points: law.points, r2: law.r2 })
    }
}

impl Tokunaga {
    /// The bifurcation ratio of an endless tree of this law (Tokunaga 1978; Peckham 1995).
    pub fn bifurcation(&self) -> f64 {
        let sum = 2.0 + self.c + self.a;
        (sum + (sum * sum - 8.0 * self.c).sqrt()) / 2.0
    }
}
