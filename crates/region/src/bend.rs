//! The bend of space: cells are looked up, and features drawn, at places that a smooth noise has moved a
//! little, so that nothing in a region runs along the grid.
//!
//! `q = p + w(p)`, where the gradient of `w` stays under one (0.3 in the median, 0.9 at the most that was seen), so
//! that every topology stays as it was. Features live in the bent space (`q`); a feature is shown where
//! `p + w(p) = q`, found by iterating `p = q - w(p)`. Octaves too short for a resolution are left out of it: they
//! move nothing by more than a twentieth of a sample.

use grid::noise::Noise;
use grid::{Grid, Nth, Purpose, Seed, Topology, Vec3, math};

const BEND: Purpose = Purpose::new("region/bend");

/// Wavelength of the broadest octave, in cells.
const WAVELENGTH_CELLS: f64 = 0.9;
/// Amplitude before the noise's own deviation of about 0.2, in cells.
const AMPLITUDE_CELLS: f64 = 0.22;
const OCTAVES: u32 = 6;
const BROAD_OCTAVES: f64 = 2.0;
const GAIN: f64 = 0.42;
/// Steps after which unbending ends, at the latest; a few thousandths of a cell are left where it is steepest.
const ITERATIONS: usize = 24;
const ROUGH_ITERATIONS: usize = 5;
/// Unbending ends when a step is shorter than this, in cells.
const EXACT_CELLS: f64 = 1e-5;

/// The bend of one world.
pub(crate) struct Bend {
    octaves: Vec<Octave>,
    scale: f64,
    /// Radius of the globe in metres; `None` on a flat map.
    radius_m: Option<f64>,
}

/// One octave: three fields of one noise.
struct Octave {
    noise: Noise,
    scale: f64,
    amplitude_m: f64,
}

impl Octave {
    fn shift(&self, [x, y, z, _]: [f32; 4]) -> Vec3 {
        Vec3::new(x.into(), y.into(), z.into()) * self.amplitude_m
    }
}

impl Bend {
    /// The bend as samples `spacing_m` apart can show it; 0 for all of it.
    pub fn new(grid: &Topology, seed: Seed, spacing_m: f64) -> Self {
        Self::with(grid, seed, octaves(WAVELENGTH_CELLS * grid.cell_m() / spacing_m))
    }

    /// The bend without the octaves that move a place by less than a hundredth of a cell: half the cost, for fields
    /// that are smooth over such a distance.
    pub fn broad(grid: &Topology, seed: Seed) -> Self {
        Self::with(grid, seed, BROAD_OCTAVES)
    }

    /// The bend of the first `count` octaves.
    fn with(grid: &Topology, seed: Seed, count: f64) -> Self {
        let cell_m = grid.cell_m();
        let radius_m = match grid {
            Topology::Globe(globe) => Some(globe.radius_m()),
            Topology::Flat(_) => None,
        };
        let octaves = first_octaves(seed, cell_m, count);
        Self { octaves, scale: 1.0 / (WAVELENGTH_CELLS * cell_m), radius_m }
    }

    /// The place in bent space of a position in metres.
    pub fn bend(&self, p: Vec3) -> Vec3 {
        self.onto_surface(p + self.shift(p))
    }

    /// The same of places that follow one another, at less cost.
    pub fn bend_row(&self, row: &[Vec3]) -> Vec<Vec3> {
        let mut out = vec![Vec3::default(); row.len()];
        self.shift_row(row, &mut vec![[0.0; 4]; row.len()], &mut out);
        out.iter_mut().zip(row).for_each(|(shift, p)| *shift = self.onto_surface(*p + *shift));
        out
    }

    /// The position in metres that is bent to `q`.
    pub fn unbend(&self, q: Vec3) -> Vec3 {
        let mut p = q;
        for _ in 0..ITERATIONS {
            let next = self.onto_surface(q - self.shift(p));
            let moved = next.distance(p);
            p = next;
            if moved * self.scale < EXACT_CELLS {
                break;
            }
        }
        p
    }

    /// Nearly the position that is bent to `q`, to some thousandths of a cell: smooth, and a fixed number of steps.
    pub fn unbend_roughly(&self, q: Vec3) -> Vec3 {
        let step = |p: Vec3, _| self.onto_surface(q - self.shift(p));
        (0..ROUGH_ITERATIONS).fold(q, step)
    }

    /// The same of places that follow one another, at less cost.
    pub fn unbend_row_roughly(&self, row: &[Vec3]) -> Vec<Vec3> {
        let mut out = row.to_vec();
        let (mut fours, mut shifts) = (vec![[0.0; 4]; row.len()], vec![Vec3::default(); row.len()]);
        for _ in 0..ROUGH_ITERATIONS {
            self.shift_row(&out, &mut fours, &mut shifts);
            out.iter_mut()
                .zip(row)
                .zip(&shifts)
                .for_each(|((p, q), shift)| *p = self.onto_surface(*q - *shift));
        }
        out
    }

    /// Where each place of a row is moved, with room for the fields of an octave.
    fn shift_row(&self, row: &[Vec3], fours: &mut [[f32; 4]], out: &mut [Vec3]) {
        out.fill(Vec3::default());
        for octave in &self.octaves {
            octave.noise.row_of_fours(row, octave.scale, fours);
            out.iter_mut().zip(&*fours).for_each(|(sum, four)| *sum += octave.shift(*four));
        }
    }

    fn shift(&self, p: Vec3) -> Vec3 {
        let mut sum = Vec3::default();
        for octave in &self.octaves {
            sum += octave.shift(octave.noise.four(p * octave.scale));
        }
        sum
    }

    fn onto_surface(&self, p: Vec3) -> Vec3 {
        match self.radius_m {
            Some(radius) => p.normalized() * radius,
            None => Vec3::new(p.x, p.y, 0.0),
        }
    }
}

/// The first `count` octaves; a fraction fades the last one in. None is stronger for others that are left out.
fn first_octaves(seed: Seed, cell_m: f64, count: f64) -> Vec<Octave> {
    let strength = |k: u32| math::pow(GAIN, f64::from(k));
    let all: f64 = (0..OCTAVES).map(strength).sum();
    let octave = |k: u32| Octave {
        noise: Noise::new(seed.key(BEND).within(Nth(k))),
        scale: f64::from(1u32 << k) / (WAVELENGTH_CELLS * cell_m),
        amplitude_m: (count - f64::from(k)).clamp(0.0, 1.0) * strength(k) / all * AMPLITUDE_CELLS * cell_m,
    };
    (0..OCTAVES).map(octave).filter(|octave| octave.amplitude_m > 0.0).collect()
}

/// Octaves no shorter than a sample, of a broadest one of `samples`.
fn octaves(samples: f64) -> f64 {
    let all = f64::from(OCTAVES);
    if samples.is_finite() { (math::log2(samples) + 1.0).clamp(0.0, all) } else { all }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Globe, Nth};

    #[test]
    fn unbending_undoes_bending_and_neighbours_stay_apart() {
        let grid = Topology::Globe(Globe::new(512, 6.371e6).expect("in range"));
        let bend = Bend::new(&grid, Seed(42), 0.0);
        let mut draw = Seed(1).key(Purpose::new("test")).at(Nth(0));
        let (mut worst, mut greatest) = (0.0f64, 0.0f64);
        for _ in 0..2000 {
            let p = draw.direction() * 6.371e6;
            let q = bend.bend(p);
            greatest = greatest.max(q.distance(p) / grid.cell_m());
            worst = worst.max(bend.unbend(q).distance(p) / grid.cell_m());
            let near = (p + draw.direction() * 50.0).normalized() * 6.371e6;
            let stretch = bend.bend(near).distance(q) / near.distance(p);
            assert!(stretch > 0.1 && stretch < 2.5, "folded: {stretch}");
        }
        assert!(worst < 1e-3, "{worst} cells");
        assert!(greatest < 0.2, "{greatest} cells");
    }
}
