//! Layers of a world file, read whole when they are first shown, the last few kept.

use crate::map::world_layers::{ALL_YEAR, Surface, iced, is_salt, near, near_closed, vote};
use crate::region::closed_lakes;
use anyhow::{Context, Result};
use archive::WorldView;
use grid::{Cell, Field, Seed, Values};
use region::{Lattice, Share, Window, blend};
use serve::http::{Quantity, Votes};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use world::CellSource;

/// Layers that are kept: 6 MB each on the default planet.
const KEPT: usize = 16;

/// Layers of a world, as far as they were asked for.
#[derive(Default)]
pub struct Fields {
    /// The one used last stands last.
    kept: Mutex<Vec<(String, Arc<Values>)>>,
    /// Cells near ice, if there is any.
    icy: OnceLock<Option<Vec<bool>>>,
    /// Cells near closed lakes, and which lakes are closed, if any is.
    briny: OnceLock<Option<(Vec<bool>, Vec<bool>)>>,
}

impl Fields {
    /// A layer.
    pub fn layer(&self, view: &WorldView, name: &str) -> Result<Arc<Values>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = kept.iter().position(|(known, _)| known == name) {
            let found = kept.remove(at);
            let values = found.1.clone();
            kept.push(found);
            return Ok(values);
        }
        let read = view.file.layer(name).with_context(|| view.path().display().to_string())?;
        let values = Arc::new(read.values);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((name.to_string(), values.clone()));
        Ok(values)
    }

    /// The mean of a quantity among the cells near each sample; not a number off the map.
    pub fn mean(&self, view: &WorldView, what: Quantity, at: (&Lattice, &Window)) -> Result<Vec<f32>> {
        let name = match what {
            Quantity::Mountains => "mountain_height".into(),
            Quantity::Temperature(month) => of_month("temperature", month),
            Quantity::Rain(month) => of_month("rain", month),
        };
        let values = self.layer(view, &name)?;
        let field = reals(&values)?;
        let mean = |shares: &[Share]| shares.iter().map(|s| s.share * field[s.cell]).sum();
        Ok(blend((view.grid(), seed(view)), at, f32::NAN, |_| true, mean))
    }

    /// The class of most of what is near each sample.
    pub fn votes(&self, view: &WorldView, what: Votes, at: (&Lattice, &Window)) -> Result<Vec<u16>> {
        let place = (view.grid(), seed(view));
        match (what, &*self.layer(view, if what == Votes::Koppen { "koppen" } else { "plate" })?) {
            (Votes::Koppen, Values::U8(class)) => Ok(blend(
                place,
                at,
                0,
                |_| true,
                |shares| vote(shares, |cell| Some(class[cell].into()).filter(|&code| code > 0)),
            )),
            (Votes::Plate, Values::U16(plate)) => {
                Ok(blend(place, at, 0, |_| true, |shares| vote(shares, |cell| Some(plate[cell]))))
            }
            _ => Err(anyhow::anyhow!("a layer is of another type than it should be")),
        }
    }

    /// Share of each sample under ice, on land or at sea, whichever it is.
    pub fn ice(&self, view: &WorldView, at: (&Lattice, &Window), sea: &[bool]) -> Result<Vec<f32>> {
        let (months, land) = (self.layer(view, "ice")?, self.layer(view, "continentality")?);
        let mean_c = self.layer(view, "temperature")?;
        let Values::U8(months) = &*months else { anyhow::bail!("the layer ice is of another type") };
        let (land, mean_c) = (reals(&land)?, reals(&mean_c)?);
        let icy = self.icy.get_or_init(|| near(view.grid(), |cell| months[cell] > 0));
        let Some(icy) = icy else { return Ok(vec![0.0; sea.len()]) };
        let shares = |shares: &[Share]| {
            iced(shares, |cell| match land[cell] > 0.0 {
                true => Surface::Land { has_ice: months[cell] >= ALL_YEAR },
                false => Surface::Sea { mean_c: mean_c[cell] },
            })
        };
        let interest = |cell: Cell| icy[cell.0 as usize];
        let both = blend((view.grid(), seed(view)), at, [0.0; 2], interest, shares);
        Ok(both.iter().zip(sea).map(|(&[water, ground], &sea)| if sea { water } else { ground }).collect())
    }

    /// Whether each sample belongs to a salt lake, if it is one of a lake; none of a world without salt lakes.
    pub fn salt(&self, view: &WorldView, at: (&Lattice, &Window)) -> Result<Option<Vec<bool>>> {
        if matches!(self.briny.get(), Some(None)) {
            return Ok(None);
        }
        let lake = self.layer(view, "lake")?;
        let Values::U32(lake) = &*lake else { anyhow::bail!("the layer lake is of another type") };
        let closed = closed_lakes(view)?;
        let briny = self.briny.get_or_init(|| Some((near_closed(view.grid(), lake, &closed)?, closed)));
        let Some((near, closed)) = briny else { return Ok(None) };
        let salt = |shares: &[Share]| is_salt(shares, lake, closed);
        let interest = |cell: Cell| near[cell.0 as usize];
        Ok(Some(blend((view.grid(), seed(view)), at, false, interest, salt)))
    }
}

/// A layer of numbers.
pub fn reals(values: &Values) -> Result<&Field<f32>> {
    match values {
        Values::F32(field) => Ok(field),
        _ => Err(anyhow::anyhow!("a layer is of another type than it should be")),
    }
}

fn seed(view: &WorldView) -> Seed {
    Seed(view.recipe().seed)
}

/// Name of the layer of a month, or of the year.
fn of_month(base: &str, month: Option<u8>) -> String {
    month.map_or(base.into(), |month| format!("{base}_{month:02}"))
}
