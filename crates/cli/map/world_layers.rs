//! Fields of the world at the pixels of a map: means of quantities, votes among classes.

use super::sheet::Sheet;
use grid::{Cell, Field, Grid, Seed, Topology};
use region::{Share, Window, blend};
use serve::draw::Ramp;
use serve::draw::palette;
use world::{Months, NO_LAKE, World};

/// A world's fields, ready to be blended.
pub struct Blended<'a> {
    /// The world.
    pub world: &'a World,
    sheet: &'a Sheet,
    /// Cells near ice and near salt lakes; none where the world has none.
    icy: Option<Vec<bool>>,
    briny: Option<Vec<bool>>,
    /// Which lakes are closed.
    closed: Vec<bool>,
}

/// Rings of cells that can weigh at a place, and one more for the bend of space.
const REACH: usize = 3;
/// Half the sea is drawn under ice where the mean of the year is this, in deg C: there ice lies for half the year, however
/// much warmer its summers are than its winters.
const ICY_SEA_C: f32 = -1.8;
/// So much colder all of it is, and so much warmer none.
const ICY_SEA_SPREAD_C: f32 = 2.0;
/// Months of ice on land that lies under a glacier.
pub const ALL_YEAR: u8 = 12;

impl<'a> Blended<'a> {
    /// Finds where there is ice and where lakes are salt. Cost: a pass over the cells.
    pub fn new(world: &'a World, sheet: &'a Sheet) -> Self {
        let closed = closed_lakes(world);
        let briny = near_closed(&world.grid, &world.lake, &closed);
        Self { world, sheet, icy: near(&world.grid, |cell| world.ice_months[cell] > 0), briny, closed }
    }

    fn blend<T: Clone + Send + Sync>(
        &self,
        window: &Window,
        (outside, interest): (T, impl Fn(Cell) -> bool + Sync),
        value: impl Fn(&[Share]) -> T + Sync,
    ) -> Vec<T> {
        let seed = Seed(self.world.recipe.seed);
        blend((&self.world.grid, seed), (&self.sheet.lattice, window), outside, interest, value)
    }

    /// The mean of a quantity; not a number off the map.
    pub fn mean(&self, window: &Window, field: &Field<f32>) -> Vec<f32> {
        let mean = |shares: &[Share]| shares.iter().map(|s| s.share * field[s.cell]).sum();
        self.blend(window, (f32::NAN, |_| true), mean)
    }

    /// The class of the climate that most of the land nearby has; 0 out at sea.
    pub fn koppen(&self, window: &Window) -> Vec<u16> {
        self.blend(window, (0, |_| true), |shares| {
            vote(shares, |cell| Some(self.world.koppen[cell].into()).filter(|&code| code > 0))
        })
    }

    /// The number of the plate.
    pub fn plates(&self, window: &Window) -> Vec<u16> {
        self.blend(window, (0, |_| true), |shares| vote(shares, |cell| Some(self.world.plate[cell])))
    }

    /// Share of each pixel under ice, on land or at sea, whichever the pixel is; none of a world without ice.
    pub fn ice(&self, window: &Window, sea: &[bool]) -> Option<Vec<f32>> {
        let icy = self.icy.as_ref()?;
        let world = self.world;
        let shares = |shares: &[Share]| {
            iced(shares, |cell| match world.continentality[cell] > 0.0 {
                true => Surface::Land { has_ice: world.ice_months[cell] >= ALL_YEAR },
                false => Surface::Sea { mean_c: world.temperature_c[cell] },
            })
        };
        let both = self.blend(window, ([0.0; 2], |cell: Cell| icy[cell.0 as usize]), shares);
        Some(
            both.iter()
                .zip(sea)
                .map(|(&[at_sea, on_land], &sea)| if sea { at_sea } else { on_land })
                .collect(),
        )
    }

    /// Which pixels belong to salt lakes, if they are lakes; none of a world without salt lakes.
    pub fn salt(&self, window: &Window) -> Option<Vec<bool>> {
        let briny = self.briny.as_ref()?;
        let salt = |shares: &[Share]| is_salt(shares, &self.world.lake, &self.closed);
        Some(self.blend(window, (false, |cell: Cell| briny[cell.0 as usize]), salt))
    }
}

/// What ice knows of a cell.
#[derive(Clone, Copy, Debug)]
pub enum Surface {
    /// Land, under a glacier or not.
    Land { has_ice: bool },
    /// The sea, and the mean of the year over it.
    Sea { mean_c: f32 },
}

/// Share of a place under ice if it is sea, and if it is land.
pub fn iced(shares: &[Share], surface: impl Fn(Cell) -> Surface) -> [f32; 2] {
    let (mut sea, mut land) = ((0.0, 0.0), (0.0, 0.0));
    for &Share { cell, share } in shares {
        match surface(cell) {
            Surface::Sea { mean_c } => sea = (sea.0 + share, sea.1 + share * mean_c),
            Surface::Land { has_ice } => {
                land = (land.0 + share, land.1 + share * f32::from(u8::from(has_ice)))
            }
        }
    }
    let mean = |(all, sum): (f32, f32)| (all > 0.0).then(|| sum / all);
    let (least, most) = (ICY_SEA_C + ICY_SEA_SPREAD_C, ICY_SEA_C - ICY_SEA_SPREAD_C);
    [
        mean(sea).map_or(0.0, |mean_c| smoothstep(least, most, mean_c)),
        mean(land).map_or(0.0, |share| smoothstep(0.25, 0.75, share)),
    ]
}

/// Which cells lie near a closed lake; none if no lake is closed.
pub fn near_closed(grid: &Topology, lake: &Field<u32>, closed: &[bool]) -> Option<Vec<bool>> {
    let is_closed = |cell: Cell| closed.get(lake[cell] as usize).copied().unwrap_or(false);
    if closed.contains(&true) { near(grid, is_closed) } else { None }
}

/// Whether most of the lakes nearby are closed.
pub fn is_salt(shares: &[Share], lake: &Field<u32>, closed: &[bool]) -> bool {
    let number = |cell: Cell| Some(lake[cell]).filter(|&l| l != NO_LAKE);
    vote(shares, |cell| number(cell).map(|l| u16::from(closed.get(l as usize) == Some(&true)))) == 1
}

/// The class with the greatest share, the lowest among equals; 0 if no cell has one.
pub fn vote(shares: &[Share], class: impl Fn(Cell) -> Option<u16>) -> u16 {
    // few classes are near a place: a short list is quicker than a count of all
    let mut counts: [(u16, f32); 12] = [(0, 0.0); 12];
    let mut used = 0;
    for share in shares {
        let Some(class) = class(share.cell) else { continue };
        if let Some(count) = counts[..used].iter_mut().find(|(c, _)| *c == class) {
            count.1 += share.share;
        } else if let Some(free) = counts.get_mut(used) {
            *free = (class, share.share);
            used += 1;
        }
    }
    let best = counts[..used].iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
    best.map_or(0, |&(class, _)| class)
}

fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    grid::math::smoothstep(low.into(), high.into(), x.into()) as f32
}

/// Which cells lie within [`REACH`] rings of some; none if there are none.
pub fn near(grid: &Topology, of: impl Fn(Cell) -> bool) -> Option<Vec<bool>> {
    let mut frontier: Vec<Cell> = grid.cells().filter(|&c| of(c)).collect();
    if frontier.is_empty() {
        return None;
    }
    let mut near = vec![false; grid.len()];
    frontier.iter().for_each(|c| near[c.0 as usize] = true);
    for _ in 0..REACH {
        let mut next = Vec::new();
        for (_, beside) in frontier.iter().flat_map(|&c| grid.neighbors(c)) {
            if !std::mem::replace(&mut near[beside.0 as usize], true) {
                next.push(beside);
            }
        }
        frontier = next;
    }
    Some(near)
}

/// Which lakes lose their water to the air alone, by the table of lakes; worlds without the column have none.
pub fn closed_lakes(world: &World) -> Vec<bool> {
    let Some(lakes) = world.tables.iter().find(|t| t.name == "lakes") else { return Vec::new() };
    let whole = lakes.u32s("closed").map(|flags| flags.iter().map(|&f| f != 0).collect());
    let real = || lakes.f64s("closed").map(|flags| flags.iter().map(|&f| f != 0.0).collect());
    whole.or_else(real).unwrap_or_default()
}

/// The field of a month, or that of the year.
pub fn named_month<'a>(month: Option<u32>, year: &'a Field<f32>, months: &'a Months) -> &'a Field<f32> {
    month.and_then(|m| months.get(m as usize - 1)).unwrap_or(year)
}

/// The colours of rain in a year, or in a month: those of a year that were like it.
pub fn rain_ramp(month: Option<u32>) -> Ramp {
    let year = palette::rain();
    let (low, high) = year.range();
    match month {
        Some(_) => year.stretched(low, high / 12.0).expect("a twelfth of a range is one"),
        None => year.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pack_ice_thins_out_little_by_little_and_glaciers_end() {
        let half = |n: u32| Share { cell: Cell(n), share: 0.5 };
        let at = |mean_c: f32| iced(&[half(0), half(1)], |_| Surface::Sea { mean_c })[0];
        assert!((at(ICY_SEA_C) - 0.5).abs() < 1e-6 && at(-8.0) == 1.0 && at(3.0) == 0.0);
        let steps: Vec<f32> = (0..120).map(|n| at(2.0 - 0.05 * n as f32)).collect();
        assert!(steps.windows(2).all(|w| (0.0..0.03).contains(&(w[1] - w[0]))), "{steps:?}");
        let coast = |has_ice| {
            iced(&[half(0), half(1)], |cell| match cell.0 {
                0 => Surface::Sea { mean_c: -9.0 },
                _ => Surface::Land { has_ice },
            })
        };
        assert_eq!((coast(true), coast(false)), ([1.0, 1.0], [1.0, 0.0]));
    }
}
