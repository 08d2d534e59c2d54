//! GDAL's own tag: an XML list of the file's notes and of each band's name and unit.

use std::fmt::Write;

use crate::Band;

/// Number of the tag.
pub(super) const GDAL_METADATA: u16 = 42112;

/// The tag's text. GDAL shows `DESCRIPTION` as a band's name and `UNITTYPE` as its unit by their roles.
pub(super) fn xml(bands: &[Band], meta: &[(String, String)]) -> String {
    let mut text = String::from("<GDALMetadata>\n");
    for (name, value) in meta {
        item(&mut text, &format!("name=\"{}\"", escaped(name)), value);
    }
    for (i, band) in bands.iter().enumerate() {
        let role = |key: &str, role: &str| format!("name=\"{key}\" sample=\"{i}\" role=\"{role}\"");
        if !band.name.is_empty() {
            item(&mut text, &role("DESCRIPTION", "description"), &band.name);
        }
        if !band.unit.is_empty() {
            item(&mut text, &role("UNITTYPE", "unittype"), &band.unit);
        }
    }
    text.push_str("</GDALMetadata>\n");
    text
}

fn item(text: &mut String, attributes: &str, value: &str) {
    writeln!(text, "  <Item {attributes}>{}</Item>", escaped(&twice(value)))
        .expect("a String takes any text");
}

/// Marks escaped once more than XML asks: GDAL undoes values twice, and cuts them off at a bare `&`.
fn twice(value: &str) -> String {
    value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Text as XML holds it. TIFF text is ASCII, so letters beyond it become character references; control
/// characters, which XML 1.0 forbids, become spaces.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' | '\t' | ' '..='~' => safe.push(c),
            _ if c.is_control() => safe.push(' '),
            _ => write!(safe, "&#{};", u32::from(c)).expect("a String takes any text"),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BandValues;

    #[test]
    fn marks_and_accents_are_plain_ascii() {
        let band = Band::new("profondeur d'été", "m", BandValues::U8(vec![]));
        let text = xml(&[band], &[("a\"b".into(), "1 < 2 & 3\u{7}".into())]);
        assert!(text.is_ascii());
        assert!(text.contains("<Item name=\"a&quot;b\">1 &amp;lt; 2 &amp;amp; 3 </Item>"), "{text}");
        let name =
            "<Item name=\"DESCRIPTION\" sample=\"0\" role=\"description\">profondeur d'&#233;t&#233;</Item>";
        assert!(text.contains(name), "{text}");
    }
}
