//! Ranges as symbols, as maps show what is too far away to be drawn as terrain.
//!
//! Sites are cells with mountains, the highest first and crests before flanks; a site is kept if its symbol keeps
//! clear of all that were kept before (dart throwing, Cook 1986). Symbols are drawn from north to south, so that
//! near ones stand before far ones. Sizes go with letters, so a larger sheet shows more of them.

use super::lines::{table, volcanoes};
use super::sheet::{Place, Sheet};
use super::signs::Sizes;
use grid::{Cell, Grid, Key, Nth, Purpose, RidgeDirections, Seed};
use region::river_lines::coordinates;
use serve::draw::symbols::{Inks, Symbol, symbol};
use serve::draw::{Anchor, Canvas, Look, Rgb, Stroke, TextStyle};
use std::collections::BTreeMap;
use world::{NO_LAKE, World};

const SYMBOL: Purpose = Purpose::new("map/symbol");
const ASIDE: Purpose = Purpose::new("map/symbol/aside");

/// Least heights in metres of hills and of mountains.
const HILL_M: f32 = 260.0;
const MOUNTAIN_M: f32 = 850.0;
/// Mountains as high as this have the largest symbols.
const HIGHEST_M: f32 = 5000.0;
/// How near symbols may come, as a share of their widths, side by side and one behind the other.
const APART: (f32, f32) = (0.80, 0.54);

/// A symbol on the sheet.
struct Site {
    foot: Place,
    kind: Symbol,
    width_px: f32,
    height_m: f32,
    /// What decides on its small differences.
    number: u32,
}

/// Symbols of ranges and volcanoes, from north to south.
pub fn strokes(world: &World, sheet: &Sheet, sizes: &Sizes) -> Vec<Stroke> {
    let mut sites = sites(world, sheet, sizes.letters);
    sites.sort_by(|a, b| a.foot.1.total_cmp(&b.foot.1).then(a.number.cmp(&b.number)));
    let key: Key = Seed(world.recipe.seed).key(SYMBOL);
    let fine = sizes.fineness;
    let drawn = |site: &Site| {
        let (foot, width) = ((site.foot.0 * fine, site.foot.1 * fine), site.width_px * fine);
        symbol(site.kind, foot, width, (&inks(site.height_m), &mut key.at(Nth(site.number))))
    };
    sites.iter().flat_map(drawn).map(|stroke| stroke.scaled(1.0 / fine)).collect()
}

/// Where symbols stand beside letters of a height, the most important first.
fn sites(world: &World, sheet: &Sheet, em: f32) -> Vec<Site> {
    let mut kept = Kept::new(em);
    candidates(world, sheet, em).into_iter().for_each(|site| kept.keep(site));
    kept.sites
}

/// Where symbols may stand, the most important first.
fn candidates(world: &World, sheet: &Sheet, em: f32) -> Vec<Site> {
    let mut sites: Vec<(f32, Site)> =
        world.grid.cells().filter_map(|cell| mountain(world, sheet, cell, em)).collect();
    sites.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.number.cmp(&b.1.number)));
    let ranges = sites.into_iter().map(|(_, site)| site).filter(|s| stands_on_land(world, sheet, s));
    volcanic(world, sheet, em).into_iter().chain(ranges).collect()
}

/// Volcanoes with a symbol keep apart by so many times the height of letters: the highest ones stand for their arc.
const VOLCANOES_APART: f32 = 5.0;

/// The highest volcanoes on land, far from each other.
fn volcanic(world: &World, sheet: &Sheet, em: f32) -> Vec<Site> {
    let site = |(i, (place, height_m)): (usize, ([f64; 2], f64))| {
        let number = u32::MAX - i as u32;
        let foot = sheet.place(place)?;
        Some(Site { foot, kind: Symbol::Volcano, width_px: 1.1 * em, height_m: height_m as f32, number })
    };
    let mut all: Vec<Site> = volcanoes(world).into_iter().enumerate().filter_map(site).collect();
    all.retain(|s| stands_on_land(world, sheet, s));
    all.sort_by(|a, b| b.height_m.total_cmp(&a.height_m).then(b.number.cmp(&a.number)));
    let mut chosen: Vec<Site> = Vec::new();
    for site in all {
        let apart = |other: &Site| {
            let (dx, dy) = (other.foot.0 - site.foot.0, other.foot.1 - site.foot.1);
            dx * dx + dy * dy >= (VOLCANOES_APART * em) * (VOLCANOES_APART * em)
        };
        if chosen.iter().all(apart) {
            chosen.push(site);
        }
    }
    chosen
}

/// The symbol of a cell, and how important it is.
fn mountain(world: &World, sheet: &Sheet, cell: Cell, em: f32) -> Option<(f32, Site)> {
    let height_m = world.mountain_height_m[cell];
    if height_m < HILL_M || world.continentality[cell] <= 0.0 || world.lake[cell] != NO_LAKE {
        return None;
    }
    let (x, y) = sheet.place(coordinates(&world.grid, world.grid.center(cell)))?;
    let crest = !RidgeDirections::from_bits_retain(world.ridge_directions[cell]).is_empty();
    let share = (height_m / HIGHEST_M).min(1.0);
    let (kind, width_px) = if height_m >= MOUNTAIN_M {
        (Symbol::Mountain, em * (0.45 + 0.85 * share.sqrt()))
    } else {
        (Symbol::Hill, 0.66 * em)
    };
    // a little off, or ranges that run north would be stacked up like the branches of a fir
    let aside = Seed(world.recipe.seed).key(ASIDE).at(cell).range(-0.35, 0.35) as f32;
    let foot = (x + aside * width_px, y);
    let importance = height_m * if crest { 1.4 } else { 1.0 };
    Some((importance, Site { foot, kind, width_px, height_m, number: cell.0 }))
}

/// Whether there is land under both ends of a symbol's foot, and its top is on the map.
fn stands_on_land(world: &World, sheet: &Sheet, site: &Site) -> bool {
    let cell = |x: f32, y: f32| {
        let on_sheet = x >= 0.0 && y >= 0.0;
        let place = on_sheet.then(|| sheet.lattice.position_in(&sheet.window, x as usize, y as usize));
        place.flatten().and_then(|p| world.grid.locate(p))
    };
    let (x, y) = site.foot;
    let is_land = |x: f32| cell(x, y).is_some_and(|cell| world.continentality[cell] > 0.0);
    cell(x, y - site.width_px).is_some()
        && [-0.4, 0.0, 0.4].into_iter().all(|k| is_land(x + k * site.width_px))
}

/// Symbols that were kept, by squares of the sheet.
struct Kept {
    side_px: f32,
    squares: BTreeMap<(i32, i32), Vec<usize>>,
    sites: Vec<Site>,
}

impl Kept {
    fn new(em: f32) -> Self {
        Self { side_px: 1.5 * em, squares: BTreeMap::new(), sites: Vec::new() }
    }

    /// Keeps a symbol if it is clear of all others. No symbol is wider than a square.
    fn keep(&mut self, site: Site) {
        let (column, row) = ((site.foot.0 / self.side_px) as i32, (site.foot.1 / self.side_px) as i32);
        let around = (-1..=1).flat_map(|i| (-1..=1).map(move |j| (column + i, row + j)));
        let others = around.filter_map(|square| self.squares.get(&square)).flatten();
        let clear = |&other: &usize| {
            let other = &self.sites[other];
            let width = 0.5 * (other.width_px + site.width_px);
            let dx = (other.foot.0 - site.foot.0) / (APART.0 * width);
            let dy = (other.foot.1 - site.foot.1) / (APART.1 * width);
            dx * dx + dy * dy >= 1.0
        };
        if others.into_iter().all(clear) {
            self.squares.entry((column, row)).or_default().push(self.sites.len());
            self.sites.push(site);
        }
    }
}

/// Colours by height: umber low ranges, pale high ones.
fn inks(height_m: f32) -> Inks {
    let t = (height_m / HIGHEST_M).clamp(0.0, 1.0);
    let between = |a: Rgb, b: Rgb| -> Rgb {
        std::array::from_fn(|i| (f32::from(a[i]) + (f32::from(b[i]) - f32::from(a[i])) * t) as u8)
    };
    Inks {
        line: [70, 56, 46, 255],
        bright: between([224, 208, 166], [252, 250, 246]),
        dark: between([166, 136, 96], [146, 134, 126]),
    }
}

/// Rivers that are named on a map, at most.
const NAMES: usize = 10;

/// Writes the names of the greatest rivers at their mouths, of a world that has a table of names.
pub fn draw_names(world: &World, sheet: &Sheet, canvas: &mut Canvas) {
    let look = Look::for_width(canvas.width());
    let Some(outlets) = table(world, "outlets") else { return };
    let (Some(names), Some(cells)) = (outlets.texts("name"), outlets.u32s("cell")) else { return };
    let size = world.grid.len() as u32;
    let mut named: Vec<(Cell, &String)> = cells
        .iter()
        .map(|&c| Cell(c))
        .zip(names)
        .filter(|(c, name)| c.0 < size && !name.is_empty())
        .collect();
    named.sort_by(|a, b| world.discharge_m3_s[b.0].total_cmp(&world.discharge_m3_s[a.0]).then(a.0.cmp(&b.0)));
    let style = TextStyle::new(0.95 * look.text_px)
        .colour([44, 78, 116, 255])
        .anchor(Anchor::Left)
        .halo([250, 248, 242, 190], 0.12 * look.text_px);
    for (cell, name) in named.into_iter().take(NAMES) {
        if let Some((x, y)) = sheet.place(coordinates(&world.grid, world.grid.center(cell))) {
            canvas.text((x + 0.5 * look.text_px, y), name, &style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_keep_clear_of_each_other_and_leave_no_gaps() {
        let em = 20.0;
        let mut kept = Kept::new(em);
        let site = |number: u32, x: f32, y: f32| Site {
            foot: (x, y),
            kind: Symbol::Mountain,
            width_px: em,
            height_m: 2000.0,
            number,
        };
        let at = |i: u32| ((i * 7919 % 400) as f32, (i * 104_729 % 400) as f32);
        (0..4000).for_each(|i| kept.keep(site(i, at(i).0, at(i).1)));
        let apart = |a: Place, b: Place| {
            let (dx, dy) = ((a.0 - b.0) / (APART.0 * em), (a.1 - b.1) / (APART.1 * em));
            dx * dx + dy * dy
        };
        let feet: Vec<Place> = kept.sites.iter().map(|s| s.foot).collect();
        for (i, &a) in feet.iter().enumerate() {
            assert!(feet[..i].iter().all(|&b| apart(a, b) >= 1.0), "{a:?}");
        }
        // whatever was left out is near something that was kept
        assert!((0..4000).all(|i| feet.iter().any(|&b| apart(at(i), b) < 1.0 + 1e-6)));
    }
}
