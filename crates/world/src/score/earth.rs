//! Earth's figures, as `data/earth.toml` has them.

use toml::{Table, Value};

const EARTH: &str = include_str!("../../../../data/earth.toml");

/// Sections whose figures are measured on a whole world, in order.
pub const SECTIONS: [&str; 3] = ["planet", "climate", "rivers"];

/// One figure of Earth, and the band in which a world is as Earth-like as Earth's own parts are.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// `planet`, `climate`, `rivers` or `mountains`.
    pub section: &'static str,
    /// Unique among all sections; a unit at its end.
    pub name: String,
    /// Earth's value.
    pub earth: f64,
    /// Least value that passes.
    pub low: f64,
    /// Greatest value that passes.
    pub high: f64,
    /// Who measured it, on what.
    pub source: String,
}

/// Sections whose figures are measured on windows of refined terrain, in order.
pub const REGIONAL: [&str; 2] = ["mountains", "rivers"];

/// All figures of whole worlds, section by section and by name within. The groups of climates are one figure each.
pub fn figures() -> Vec<Figure> {
    of_sections(&SECTIONS)
}

/// All figures of the sections of which some are measured on windows.
pub fn regional() -> Vec<Figure> {
    of_sections(&REGIONAL)
}

fn of_sections(sections: &[&'static str]) -> Vec<Figure> {
    let table: Table = EARTH.parse().expect("the file is part of the program and parses");
    let of = |section: &'static str| {
        let rows = table.get(section).and_then(Value::as_table).expect("the file has this section");
        rows.iter().flat_map(move |(name, row)| read(section, name, row)).collect::<Vec<_>>()
    };
    sections.iter().copied().flat_map(of).collect()
}

/// One figure, or one for each member of a set.
fn read(section: &'static str, name: &str, row: &Value) -> Vec<Figure> {
    let number = |v: &Value| v.as_float().or(v.as_integer().map(|i| i as f64)).expect("a number");
    let text = |key| row.get(key).and_then(Value::as_str).expect("each figure has a source");
    let figure = |name: String, earth, low, high| {
        let source = text("source").into();
        Figure { section, name, earth, low, high, source }
    };
    let earth = row.get("earth").expect("each figure has Earth's value");
    match (earth.as_table(), row.get("tolerance").map(number)) {
        (Some(set), Some(tolerance)) => {
            let member = |(key, v): (&String, &Value)| {
                let earth = number(v);
                figure(
                    format!("{}_{key}", singular(name)),
                    earth,
                    (earth - tolerance).max(0.0),
                    earth + tolerance,
                )
            };
            set.iter().map(member).collect()
        }
        _ => {
            let band = row.get("band").and_then(Value::as_array).expect("each figure has a band");
            vec![figure(name.into(), number(earth), number(&band[0]), number(&band[1]))]
        }
    }
}

/// Name of a member of a set.
fn singular(set: &str) -> &str {
    set.strip_suffix("_main_groups").unwrap_or(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earth_lies_within_its_own_bands() {
        let figures = [figures(), of_sections(&["mountains"])].concat();
        for f in &figures {
            assert!(f.low < f.high && (f.low..=f.high).contains(&f.earth), "{f:?}");
            assert!(!f.source.is_empty());
        }
        let mut names: Vec<&str> = figures.iter().map(|f| f.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), figures.len());
    }

    #[test]
    fn sets_are_one_figure_a_member() {
        let figures = figures();
        let groups: Vec<_> = figures.iter().filter(|f| f.name.starts_with("koeppen_")).collect();
        assert_eq!(groups.len(), 5);
        assert_eq!((groups[1].name.as_str(), groups[1].earth), ("koeppen_B", 0.29));
        assert!((groups[1].low - 0.17).abs() < 1e-12 && (groups[1].high - 0.41).abs() < 1e-12);
        let sum: f64 = groups.iter().map(|g| g.earth).sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }
}
