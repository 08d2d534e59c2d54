//! GDAL's own tag: an XML list of the file's notes and of each band's name and unit.

use std::fmt::Write;

/// The tag's text. GDAL shows `DESCRIPTION` as a band's name and `UNITTYPE` as its unit by their roles.
pub(super) fn xml(bands: &[(&str, &str)], meta: &[(String, String)]) -> String {
    let mut text = String::from("<GDALMetadata>\n");
    for (name, value) in meta {
        item(&mut text, &format!("name=\"{}\"", escaped(name)), value);
    }
    for (i, (title, unit)) in bands.iter().enumerate() {
        let role = |key: &str, role: &str| format!("name=\"{key}\" sample=\"{i}\" role=\"{role}\"");
        if !title.is_empty() {
            item(&mut text, &role("DESCRIPTION", "description"), title);
        }
        if !unit.is_empty() {
            item(&mut text, &role("UNITTYPE", "unittype"), unit);
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

/// What the tag says of one band.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BandNotes {
    pub scale: Option<f64>,
    pub offset: Option<f64>,
    pub unit: String,
}

/// The notes of each of `bands` bands. What is no such note is passed over.
pub(super) fn band_notes(text: &str, bands: usize) -> Vec<BandNotes> {
    let mut notes = vec![BandNotes::default(); bands];
    for item in text.split("<Item").skip(1) {
        let Some((attributes, rest)) = item.split_once('>') else { continue };
        let Some((value, _)) = rest.split_once("</Item>") else { continue };
        let Some(band) = attribute(attributes, "sample").and_then(|s| s.parse::<usize>().ok()) else {
            continue;
        };
        let Some(band) = notes.get_mut(band) else { continue };
        let number = value.trim().parse().ok().filter(|v: &f64| v.is_finite());
        match attribute(attributes, "role").map(str::to_ascii_lowercase).as_deref() {
            // A scale of 0 would make one value of all.
            Some("scale") => band.scale = number.filter(|v| *v != 0.0),
            Some("offset") => band.offset = number,
            Some("unittype") => band.unit = plain(value),
            _ => {}
        }
    }
    notes
}

fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let (_, after) = attributes.split_once(&format!(" {name}=\""))?;
    Some(after.split_once('"')?.0)
}

/// Text without its marks escaped, once and, as GDAL does, once more.
fn plain(value: &str) -> String {
    let once =
        |v: &str| v.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    once(&once(value)).chars().filter(|c| !c.is_control()).take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_offset_and_unit_of_each_band_are_found() {
        let text = xml(&[("a", "m"), ("b", "<&>")], &[]);
        let more = "<Item name=\"SCALE\" sample=\"1\" role=\"scale\">0.5</Item><Item name=\"OFFSET\" sample=\"1\" \
            role=\"offset\">-100</Item><Item sample=\"7\" role=\"scale\">3</Item><Item sample=\"0\" role=\"scale\">x</Item>\
            <Item sample=\"0\" role=\"offset\">1";
        let notes = band_notes(&text.replace("</GDALMetadata>", more), 2);
        assert_eq!(notes[0], BandNotes { unit: "m".into(), ..BandNotes::default() });
        assert_eq!(notes[1], BandNotes { scale: Some(0.5), offset: Some(-100.0), unit: "<&>".into() });
    }

    #[test]
    fn marks_and_accents_are_plain_ascii() {
        let text = xml(&[("profondeur d'été", "m")], &[("a\"b".into(), "1 < 2 & 3\u{7}".into())]);
        assert!(text.is_ascii());
        assert!(text.contains("<Item name=\"a&quot;b\">1 &amp;lt; 2 &amp;amp; 3 </Item>"), "{text}");
        let name =
            "<Item name=\"DESCRIPTION\" sample=\"0\" role=\"description\">profondeur d'&#233;t&#233;</Item>";
        assert!(text.contains(name), "{text}");
    }
}
