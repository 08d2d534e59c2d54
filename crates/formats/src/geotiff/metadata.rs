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
    writeln!(text, "  <Item {attributes}>{}</Item>", escaped(value)).expect("a String takes any text");
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
