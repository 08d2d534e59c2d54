//! A world beside Earth: every planetary, climate and river figure measured as Earth's was.
//!
//! Figures, bands and sources are data (`data/earth.toml`); how each is measured on a grid stands in the module of its
//! section. A figure passes inside its band. Heights are those of the true surface, of the water in lakes; lakes are
//! land; everything is weighted by true area.

use crate::state::World;
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
        Measured { figure: figure.expect("what is measured is a figure of the file").clone(), reading }
    };
    let figures = readings.into_iter().map(beside).collect();
    Ok(Score { figures, ridges: ridges::measure(&survey) })
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
