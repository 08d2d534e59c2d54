//! Things that the wind carries: steady states on the coarse grid.
//!
//! For a quantity x per area, carried by the wind u, mixed with diffusivity K, made and used up on its way:
//!
//! ```text
//! div(u x) - div(K grad x) = source - loss x
//! ```
//!
//! Finite volumes, first-order upwind: what leaves a cell through a side enters its neighbour, so nothing is lost
//! on the way. Solved by Gauss-Seidel sweeps there and back over the cells; all coefficients are positive,
//! so every sweep keeps x positive (Patankar 1980).

use super::coarse::{Coarse, NOBODY};
use grid::math::Vec3;

/// What a steady wind carries between the cells, in m2/s.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    /// Comes in through each side for each unit in the neighbour.
    incoming: Vec<[f64; 4]>,
    /// Goes out for each unit in the cell.
    pub outgoing: Vec<f64>,
    /// Comes in over the border of a flat map for each unit outside.
    pub from_outside: Vec<f64>,
}

impl Flow {
    /// The flow of a wind in m/s with a diffusivity in m2/s.
    pub fn new(coarse: &Coarse, wind: &[Vec3], diffusivity: impl Fn(usize) -> f64) -> Self {
        let mut flow = Self {
            incoming: Vec::with_capacity(wind.len()),
            outgoing: Vec::with_capacity(wind.len()),
            from_outside: Vec::with_capacity(wind.len()),
        };
        let mixing: Vec<f64> = (0..wind.len()).map(diffusivity).collect();
        for (cell, sides) in coarse.sides.iter().enumerate() {
            let (mut incoming, mut outgoing, mut outside) = ([0.0; 4], 0.0, 0.0);
            for (side, incoming) in sides.iter().zip(&mut incoming) {
                let inside = side.to != NOBODY;
                let there = if inside { side.to as usize } else { cell };
                let flux = 0.5 * (wind[cell] + wind[there]).dot(side.out_m);
                let mixed = 0.5 * (mixing[cell] + mixing[there]) * side.closeness;
                outgoing += flux.max(0.0) + mixed;
                *(if inside { incoming } else { &mut outside }) += (-flux).max(0.0) + mixed;
            }
            flow.incoming.push(incoming);
            flow.outgoing.push(outgoing);
            flow.from_outside.push(outside);
        }
        flow
    }

    /// The same for a property of the air (a mixture of what comes in), not for an amount.
    pub fn of_property(mut self) -> Self {
        for ((incoming, outgoing), outside) in
            self.incoming.iter().zip(&mut self.outgoing).zip(&self.from_outside)
        {
            *outgoing = incoming.iter().sum::<f64>() + outside;
        }
        self
    }

    /// Sweeps over the cells there and back; `settle` gives a cell's new value from its number, what comes in
    /// from its neighbours (unit of x times m2/s) and its old value.
    pub fn sweep(
        &self,
        coarse: &Coarse,
        x: &mut [f64],
        sweeps: usize,
        mut settle: impl FnMut(usize, f64, f64) -> f64,
    ) {
        for sweep in 0..sweeps {
            for k in 0..x.len() {
                let cell = if sweep % 2 == 0 { k } else { x.len() - 1 - k };
                let mut incoming = 0.0;
                for (&to, share) in coarse.to[cell].iter().zip(&self.incoming[cell]) {
                    if to != NOBODY {
                        incoming += share * x[to as usize];
                    }
                }
                x[cell] = settle(cell, incoming, x[cell]);
            }
        }
    }

    /// A property of the air that tends to `goal` at a `rate` in 1/s.
    pub fn relax(
        &self,
        coarse: &Coarse,
        start: Vec<f64>,
        sweeps: usize,
        goal: impl Fn(usize) -> (f64, f64),
    ) -> Vec<f64> {
        let mut x = start;
        self.sweep(coarse, &mut x, sweeps, |cell, incoming, _| {
            let (goal, rate) = goal(cell);
            let own = rate * coarse.area_m2[cell];
            (incoming + own * goal) / (self.outgoing[cell] + own).max(f64::MIN_POSITIVE)
        });
        x
    }
}
