//! Land, sea and fresh water of a region, as pictures need them.

use region::{Region, Sampled, channel_depth_m};

/// What a picture of a region needs beside its layers; one value a sample each.
#[derive(Default)]
pub struct Ground {
    /// Which samples are sea.
    pub sea: Vec<bool>,
    /// Depth of lakes and rivers in metres.
    pub fresh_m: Vec<f32>,
    /// What the light falls on, in metres: the ground, the water of lakes and rivers, the floor of the sea.
    pub lit_m: Vec<f32>,
    /// Depth that a river usually has which carries as much, in metres; 0 where none runs.
    pub river_m: Vec<f32>,
}

impl Ground {
    /// Of a region that has elevation, water surface and water depth, and discharge if rivers are to be told from lakes;
    /// none of another. Cost: some passes over the samples.
    pub fn of(region: &Region) -> Option<Self> {
        let elevation = region.layer(Sampled::Elevation)?;
        let (surface, depth) = (region.layer(Sampled::WaterSurface)?, region.layer(Sampled::WaterDepth)?);
        let sea: Vec<bool> = surface.iter().zip(depth).map(|(&s, &d)| d > 0.0 && s <= 0.0).collect();
        let fresh_m = depth.iter().zip(&sea).map(|(&d, &sea)| if sea { 0.0 } else { d }).collect();
        let lit = |((&e, &s), &sea): ((&f32, &f32), &bool)| if sea { e } else { s.max(e) };
        let lit_m = elevation.iter().zip(surface).zip(&sea).map(lit).collect();
        let river_m = match region.layer(Sampled::Discharge) {
            Some(discharge) => river_depths(discharge),
            None => vec![0.0; elevation.len()],
        };
        Some(Self { sea, fresh_m, lit_m, river_m })
    }

    /// Which samples are salt lakes, if any can be; rivers that run into one are fresh. `salt` says of every sample whether it
    /// lies nearest to a salt lake, none if the world has no such lake; it is asked only where there are lakes.
    ///
    /// # Errors
    /// Those of `salt`.
    pub fn salt_lakes<E>(
        &self,
        salt: impl FnOnce() -> Result<Option<Vec<bool>>, E>,
    ) -> Result<Option<Vec<bool>>, E> {
        let is_lake = |i: usize| self.fresh_m[i] > 0.0 && self.river_m[i] == 0.0;
        if !(0..self.fresh_m.len()).any(is_lake) {
            return Ok(None);
        }
        let salt = salt()?;
        Ok(salt.map(|salt| salt.into_iter().enumerate().map(|(i, salt)| salt && is_lake(i)).collect()))
    }
}

/// The usual depths of rivers of such discharges; neighbours are mostly of one river.
fn river_depths(discharge_m3_s: &[f32]) -> Vec<f32> {
    let mut last = (0.0, 0.0);
    let depth_m = |&q: &f32| {
        if q != last.0 {
            last = (q, channel_depth_m(f64::from(q)) as f32);
        }
        last.1
    };
    discharge_m3_s.iter().map(depth_m).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rivers_into_salt_lakes_are_fresh() {
        let ground = Ground {
            sea: vec![false, false, false, true],
            fresh_m: vec![0.0, 2.0, 3.0, 0.0],
            lit_m: vec![0.0; 4],
            river_m: vec![0.0, 2.0, 0.0, 0.0],
        };
        let all = || Ok::<_, ()>(Some(vec![true; 4]));
        assert_eq!(ground.salt_lakes(all), Ok(Some(vec![false, false, true, false])));
        assert_eq!(ground.salt_lakes(|| Ok::<_, ()>(None)), Ok(None));
        // where there is no lake nobody is asked
        let dry = Ground { fresh_m: vec![0.0, 2.0, 0.0, 0.0], ..ground };
        assert_eq!(dry.salt_lakes(|| Err(())), Ok(None));
    }
}
