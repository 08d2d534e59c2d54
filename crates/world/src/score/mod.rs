//! A world beside Earth: every planetary, climate and river figure measured as Earth's was.
//!
//! Figures, bands and sources are data (`data/earth.toml`); how each is measured on a grid stands in the module of its
//! section. A figure passes inside its band. Heights are those of the true surface, of the water in lakes; lakes are
//! land; everything is weighted by true area.

use crate::state::World;
use grid::Topology;
use hydro::FlowError;

mod reading;

mod survey;

pub mod earth;

mod planet;

mod spectrum;

mod climate;

mod rivers;

mod ridges;

pub use earth::Figure;
pub use reading::Reading;
pub use ridges::RidgeStatistics;

/// A figure of Earth, and what a world has.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Earth's.
    pub figure: Figure,
    /// The world's.
    pub reading: Reading,
}

impl Measured {
    /// Whether the world is like Earth in this; `None` where this grid cannot show it.
    pub fn passes(&self) -> Option<bool> {
        match self.reading {
            Reading::Value(v) => Some((self.figure.low..=self.figure.high).contains(&v)),
            Reading::Absent(_) => Some(false),
            Reading::NotHere(_) => None,
        }
    }
}

/// What there is to say about a world beside Earth.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Every figure of [`earth::figures`], section by section.
    pub figures: Vec<Measured>,
    /// The ridge lines, which have no counterpart on Earth.
    pub ridges: RidgeStatistics,
}

impl Score {
    /// How many figures pass, and how many count.
    pub fn tally(&self) -> (usize, usize) {
        tally(&self.figures)
    }
}

/// How many figures pass, and how many count.
pub fn tally(figures: &[Measured]) -> (usize, usize) {
    let counted = figures.iter().filter_map(Measured::passes);
    counted.fold((0, 0), |(passed, all), passes| (passed + usize::from(passes), all + 1))
}

/// Measures a world. Cost: some passes over the grid, three sorts, and the harmonics: about two seconds for 1.6 million
/// cells on two cores.
///
/// # Errors
/// Receivers that are not a flow, as no world of this program has them.
pub fn score(world: &World) -> Result<Score, FlowError> {
    let survey = survey::Survey::new(world)?;
    let mut readings = planet::measure(&survey);
    readings.extend(spectrum::measure(&survey));
    readings.extend(climate::measure(&survey));
    readings.extend(rivers::measure(&survey));
    let earth = earth::figures();
    let beside = |(name, reading): (&str, Reading)| {
        let figure = earth.iter().find(|f| f.name == name);
        let figure = figure.expect("what is measured is a figure of the file").clone();
        Measured { reading: fitting(world, &figure, reading), figure }
    };
    let figures = readings.into_iter().map(beside).collect();
    Ok(Score { figures, ridges: ridges::measure(&survey) })
}

/// On a flat map, figures of a whole planet do not count: shares of it, its oceans, its zones of climate.
fn fitting(world: &World, figure: &Figure, reading: Reading) -> Reading {
    let of_planet = match figure.section {
        "planet" => !figure.name.starts_with("land_") || figure.name == "land_fraction",
        _ => figure.name.starts_with("koeppen_"),
    };
    match world.grid {
        Topology::Flat(_) if of_planet => Reading::NotHere("a flat map is no whole planet"),
        _ => reading,
    }
}

/// The medians over several worlds, figure by figure, of those that have a value; without any, the first world's reading.
/// Of an even number the mean of the two in the middle.
pub fn medians(scores: &[Score]) -> Vec<Measured> {
    let Some(first) = scores.first() else { return Vec::new() };
    let of = |(k, measured): (usize, &Measured)| {
        let mut values: Vec<f64> = scores.iter().filter_map(|s| s.figures[k].reading.value()).collect();
        values.sort_unstable_by(f64::total_cmp);
        let n = values.len();
        let reading = match n {
            0 => measured.reading.clone(),
            _ => Reading::Value(0.5 * (values[(n - 1) / 2] + values[n / 2])),
        };
        Measured { figure: measured.figure.clone(), reading }
    };
    first.figures.iter().enumerate().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Recipe, simulate};
    use grid::{Cell, Direction, Field, Grid};

    fn small() -> World {
        let mut recipe = Recipe::preset("earthlike").expect("built in");
        recipe.grid.cells = 24;
        simulate(&recipe, &|_, _| {}).expect("the recipe is sound")
    }

    #[test]
    fn every_figure_of_the_file_is_measured_once() {
        let score = score(&small()).expect("a world of this program");
        let mut measured: Vec<String> = score.figures.into_iter().map(|m| m.figure.name).collect();
        let mut figures: Vec<String> = earth::figures().into_iter().map(|f| f.name).collect();
        measured.sort();
        figures.sort();
        assert_eq!(measured, figures);
    }

    /// A world with all fields made by hand.
    #[test]
    fn figures_of_a_made_world_are_those_by_hand() {
        let mut recipe = Recipe::preset("island").expect("built in");
        recipe.grid.cells = 40;
        let mut world = simulate(&recipe, &|_, _| {}).expect("the recipe is sound");
        let shape = world.grid.shape();
        let (rows, cols) = (shape.rows, shape.cols);
        // all land; water runs east over the border, but in three rows, where it ends in column 9
        let at = |cell| (shape.split(cell).1, shape.split(cell).2);
        let closed = |cell| (1..4).contains(&at(cell).0);
        let ends = |cell| at(cell).1 == if closed(cell) { 9 } else { cols - 1 };
        world.continentality = Field::filled(shape, 1.0);
        world.receiver = Field::from_fn(shape, |c| if ends(c) { 255 } else { Direction::E as u8 });
        for cell in world.grid.cells().filter(|&c| closed(c) && at(c).1 > 9) {
            world.receiver[cell] = Direction::W as u8;
        }
        // column k stands at 100 k m, half of it mountains; a lake of 5000 m lies on the last column
        world.base_elevation_m = Field::from_fn(shape, |c| 50.0 * at(c).1 as f32);
        world.mountain_height_m = world.base_elevation_m.clone();
        let level = |c| if at(c).1 + 1 == cols { 5000.0 } else { 50.0 * at(c).1 as f32 };
        world.water_level_m = Field::from_fn(shape, level);
        // rain of 1000 mm, of which each open row carries away a fifth, and a closed row keeps all
        world.rain_mm = Field::filled(shape, 1000.0);
        let cell_m3_s = world.grid.area_m2(Cell(0)) / (365.25 * 86_400.0);
        let carried = |c| if ends(c) { 0.2 * f64::from(cols) * cell_m3_s } else { 0.0 };
        world.discharge_m3_s = Field::from_fn(shape, carried);

        let score = score(&world).expect("the receivers are a flow");
        let value = |name: &str| {
            let found = score.figures.iter().find(|m| m.figure.name == name);
            found.expect("measured").reading.clone()
        };
        let is = |name: &str, expected: f64| {
            let found = value(name).value().unwrap_or(f64::NAN);
            assert!(
                (found - expected).abs() < 1e-9 * expected.abs().max(1.0),
                "{name}: {found}, not {expected}"
            );
        };
        assert_eq!(cols, 40);
        is("land_mean_m", (100.0 * (38.0 * 39.0 / 2.0) + 5000.0) / 40.0);
        is("land_median_m", 1900.0);
        is("land_above_200_m", 37.0 / 40.0);
        is("land_above_3000_m", 9.0 / 40.0);
        is("rain_land_mean_mm", 1000.0);
        is("runoff_share_of_rain", 0.2 * f64::from(rows - 3) / f64::from(rows));
        is("endorheic_land_share", 3.0 / f64::from(rows));
        is("largest_discharge_m3_s", 0.2 * 40.0 * cell_m3_s);
        for name in ["land_fraction", "spectrum_l10_100", "mode_ocean_m", "koeppen_B"] {
            assert!(matches!(value(name), Reading::NotHere(_)), "{name}");
        }
    }

    #[test]
    fn medians_leave_out_what_has_no_value() {
        let figure = earth::figures().remove(0);
        let with = |reading| Score {
            figures: vec![Measured { figure: figure.clone(), reading }],
            ridges: RidgeStatistics::default(),
        };
        let middle = |readings: &[Reading]| {
            let scores: Vec<Score> = readings.iter().cloned().map(with).collect();
            medians(&scores).remove(0).reading
        };
        let [a, b, c] = [1.0, 4.0, 2.0].map(Reading::Value);
        let none = Reading::NotHere("too small");
        assert_eq!(middle(&[a.clone(), b.clone(), c]), Reading::Value(2.0));
        assert_eq!(middle(&[none.clone(), a, b]), Reading::Value(2.5));
        assert_eq!(middle(&[none.clone(), none.clone()]), none);
        assert!(medians(&[]).is_empty());
    }
}
