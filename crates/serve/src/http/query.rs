//! What stands behind the question mark of an address: numbers and lists by name, each once. Pages and programs write commas
//! and signs as `%2C` and the like as they please.

use super::refusal::Refusal;
use percent_encoding::percent_decode_str;
use std::borrow::Cow;

/// The parameters of an address.
pub struct Query<'a>(Vec<(&'a str, Cow<'a, str>)>);

/// Most parameters.
const MOST: usize = 12;

impl<'a> Query<'a> {
    /// Splits a query; `known` are the names that it may have.
    ///
    /// # Errors
    /// A name that is not known or comes twice; a part without a value, or whose value is no text.
    pub fn parse(text: &'a str, known: &[&str]) -> Result<Self, Refusal> {
        let parts = text.split('&').filter(|part| !part.is_empty());
        let mut pairs: Vec<(&str, Cow<str>)> = Vec::new();
        for part in parts {
            let wrong = |why: &str| Refusal::Malformed(format!("{}: {why}", shown(part)));
            let (name, value) = part.split_once('=').ok_or_else(|| wrong("expected name=value"))?;
            if known.is_empty() {
                return Err(wrong("nothing is expected behind the question mark"));
            }
            if !known.contains(&name) {
                return Err(wrong(&format!("expected one of {}", known.join(", "))));
            }
            if pairs.iter().any(|(before, _)| *before == name) || pairs.len() == MOST {
                return Err(wrong("given twice"));
            }
            let value = percent_decode_str(value).decode_utf8().map_err(|_| wrong("expected UTF-8"))?;
            pairs.push((name, value));
        }
        Ok(Self(pairs))
    }

    /// The text of a parameter.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(n, _)| *n == name).map(|(_, value)| &**value)
    }

    /// A number within a range; `otherwise` if it is not given.
    ///
    /// # Errors
    /// It is missing, no number, or out of the range.
    pub fn number(&self, name: &str, range: (f64, f64), otherwise: Option<f64>) -> Result<f64, Refusal> {
        let (low, high) = range;
        let expected = format!("expected a number from {low} to {high}");
        let Some(text) = self.text(name) else {
            return otherwise.ok_or_else(|| Refusal::Malformed(format!("{name} is missing: {expected}")));
        };
        let number = plain_number(text).filter(|v| (low..=high).contains(v));
        number.ok_or_else(|| Refusal::Malformed(format!("{name}={}: {expected}", shown(text))))
    }
}

/// A number as people write it: no infinity, no other words that Rust would take.
pub fn plain_number(text: &str) -> Option<f64> {
    let plain = text.len() <= 32 && text.chars().all(|c| c.is_ascii_digit() || "+-.eE".contains(c));
    text.parse().ok().filter(|v: &f64| plain && v.is_finite())
}

/// What is repeated of somebody's text: its beginning, and nothing that could be taken for more than text.
pub fn shown(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_graphic() && !"<>&\"'".contains(c) { c } else { '?' };
    text.chars().take(60).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_finite_and_in_range() {
        let query = Query::parse("lon=12.5&lat=-91", &["lon", "lat"]).expect("both are known");
        assert_eq!(query.number("lon", (-180.0, 180.0), None), Ok(12.5));
        let error = query.number("lat", (-90.0, 90.0), None).expect_err("out of range");
        assert_eq!(error.to_string(), "lat=-91: expected a number from -90 to 90");
        assert!(query.number("size", (1.0, 2.0), None).is_err());
        assert_eq!(query.number("size", (1.0, 2.0), Some(1.5)), Ok(1.5));
        for text in ["nan", "inf", "infinity", "1e999", "", "1,5", "0x10", " 1", "١"] {
            assert_eq!(plain_number(text), None, "{text}");
        }
    }

    #[test]
    fn signs_may_be_written_as_codes() {
        let query = Query::parse("on=crests%2Cwater&lon=%2d1%2E5", &["on", "lon"]).expect("both are known");
        assert_eq!(query.text("on"), Some("crests,water"));
        assert_eq!(query.number("lon", (-2.0, 2.0), None), Ok(-1.5));
        assert!(Query::parse("on=%ff", &["on"]).is_err(), "no text");
        let query = Query::parse("on=%zz%", &["on"]).expect("as it is");
        assert_eq!(query.text("on"), Some("%zz%"));
    }

    #[test]
    fn unknown_and_double_names_are_refused() {
        for text in ["x=1", "lon", "lon=1&lon=2"] {
            assert!(Query::parse(text, &["lon"]).is_err(), "{text}");
        }
        assert_eq!(shown("<script>\u{7}"), "?script??");
    }
}
