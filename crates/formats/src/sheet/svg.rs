//! Sheets as SVG 1.1 with the fonts and pictures that they need inside.
//!
//! Groups are layers to Inkscape. Borders around letters are their outlines as lines, since the border of a letter must not
//! cover the one before it.

use super::{Group, Ink, Mark, Path, Pen, Picture, Run, Shape, Sheet, Step, Text, base64, check, outline};
use crate::Cause;
use crate::png::rgb8_bytes;
use grid::math;
use std::fmt::Write;

/// A sheet as the text of an SVG file. Cost: linear in its parts; pictures become PNGs of the same pixels.
///
/// # Errors
/// A sheet without a size, or a picture of a wrong length.
pub fn bytes(sheet: &Sheet) -> Result<Vec<u8>, Cause> {
    check(sheet)?;
    let [width, height] = sheet.size.map(Number);
    let mut out = String::new();
    write!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" \
         xmlns:xlink=\"http://www.w3.org/1999/xlink\" xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\" \
         width=\"{width}pt\" height=\"{height}pt\" viewBox=\"0 0 {width} {height}\">\n<title>{}</title>\n<desc>{}</desc>\n\
         <!-- {} -->\n",
        escaped(&sheet.title),
        escaped(&sheet.about),
        escaped(&sheet.software).replace("--", "- -")
    )?;
    fonts(&mut out, sheet)?;
    let mut clips = 0;
    for mark in &sheet.marks {
        one(&mut out, mark, &mut clips)?;
    }
    out.push_str("</svg>\n");
    Ok(out.into_bytes())
}

/// The fonts, and how lines and letters look unless they say otherwise.
fn fonts(out: &mut String, sheet: &Sheet) -> Result<(), Cause> {
    out.push_str("<style>\n");
    for face in sheet.faces() {
        let (name, data) = (face.name(), base64::encode(face.bytes()));
        writeln!(
            out,
            "@font-face{{font-family:\"{name}\";src:url(data:font/ttf;base64,{data}) format(\"truetype\")}}"
        )?;
        let rest = match face {
            super::Face::Sans => "\"Alegreya Sans\",\"Gill Sans\",\"DejaVu Sans\",sans-serif",
            super::Face::Italic => "Alegreya,Georgia,\"DejaVu Serif\",serif;font-style:italic",
            super::Face::Serif => "Alegreya,Georgia,\"DejaVu Serif\",serif",
        };
        writeln!(out, ".{}{{font-family:\"{name}\",{rest}}}", class(face))?;
    }
    out.push_str("path{fill:none;stroke-linecap:round;stroke-linejoin:round}\n");
    out.push_str("text{font-kerning:none;white-space:pre}\n</style>\n");
    Ok(())
}

fn class(face: super::Face) -> &'static str {
    match face {
        super::Face::Sans => "sans",
        super::Face::Italic => "italic",
        super::Face::Serif => "serif",
    }
}

fn one(out: &mut String, mark: &Mark, clips: &mut usize) -> Result<(), Cause> {
    match mark {
        Mark::Group(part) => group(out, part, clips),
        Mark::Picture(part) => picture(out, part),
        Mark::Shape(part) => shape(out, part),
        Mark::Text(part) => text(out, part),
    }
}

fn group(out: &mut String, group: &Group, clips: &mut usize) -> Result<(), Cause> {
    let name = escaped(&group.name);
    let mut clip = String::new();
    if let Some([[x, y], [width, height]]) = group.clip {
        *clips += 1;
        let [x, y, width, height] = [x, y, width, height].map(Number);
        writeln!(
            out,
            "<clipPath id=\"clip{clips}\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/></clipPath>"
        )?;
        clip = format!(" clip-path=\"url(#clip{clips})\"");
    }
    writeln!(out, "<g id=\"{name}\" inkscape:groupmode=\"layer\" inkscape:label=\"{name}\"{clip}>")?;
    for mark in &group.marks {
        one(out, mark, clips)?;
    }
    out.push_str("</g>\n");
    Ok(())
}

fn picture(out: &mut String, picture: &Picture) -> Result<(), Cause> {
    let png = rgb8_bytes(picture.width, picture.height, &picture.rgb)?;
    let [x, y, width, height] = [picture.at[0], picture.at[1], picture.size[0], picture.size[1]].map(Number);
    writeln!(
        out,
        "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\" \
         xlink:href=\"data:image/png;base64,{}\"/>",
        base64::encode(&png)
    )?;
    Ok(())
}

fn shape(out: &mut String, shape: &Shape) -> Result<(), Cause> {
    if !shape.path.is_finite() || shape.path.0.is_empty() {
        return Ok(());
    }
    out.push_str("<path");
    if let Some(ink) = shape.fill {
        write!(out, "{} fill-rule=\"evenodd\"", paint("fill", ink))?;
    }
    if let Some(pen) = shape.pen {
        out.push_str(&stroke(pen));
    }
    writeln!(out, " d=\"{}\"/>", data(&shape.path)?)?;
    Ok(())
}

/// A path in the letters of SVG.
fn data(path: &Path) -> Result<String, Cause> {
    let mut out = String::new();
    let pair = |p: &super::Point| format!("{} {}", Number(p[0]), Number(p[1]));
    for step in &path.0 {
        match step {
            Step::Move(p) => write!(out, "M{}", pair(p))?,
            Step::Line(p) => write!(out, "L{}", pair(p))?,
            Step::Curve(a, b, c) => write!(out, "C{} {} {}", pair(a), pair(b), pair(c))?,
            Step::Close => out.push('Z'),
        }
    }
    Ok(out)
}

/// A style's declaration: it weighs more than the sheet's own style, as an attribute would not.
fn paint(what: &str, [r, g, b, opacity]: Ink) -> String {
    let colour = format!("{what}:#{r:02x}{g:02x}{b:02x}");
    match opacity {
        255 => format!(" style=\"{colour}\""),
        _ => format!(" style=\"{colour};{what}-opacity:{}\"", Number(f64::from(opacity) / 255.0)),
    }
}

fn stroke(pen: Pen) -> String {
    let [r, g, b, opacity] = pen.ink;
    let faint = if opacity < 255 {
        format!(" stroke-opacity=\"{}\"", Number(f64::from(opacity) / 255.0))
    } else {
        String::new()
    };
    format!(" stroke=\"#{r:02x}{g:02x}{b:02x}\" stroke-width=\"{}\"{faint}", Number(pen.width))
}

fn text(out: &mut String, text: &Text) -> Result<(), Cause> {
    if let Some((ink, width)) = text.halo {
        let mut path = Path::default();
        for (letter, place) in text.text.chars().zip(text.places()) {
            path.0.extend(outline(text.face, letter, text.size, place).0);
        }
        shape(out, &Shape { path, fill: None, pen: Some(Pen { ink, width: 2.0 * width }) })?;
    }
    write!(out, "<text class=\"{}\" font-size=\"{}\"", class(text.face), Number(text.size))?;
    let [r, g, b, opacity] = text.ink;
    write!(out, " fill=\"#{r:02x}{g:02x}{b:02x}\"")?;
    if opacity < 255 {
        write!(out, " fill-opacity=\"{}\"", Number(f64::from(opacity) / 255.0))?;
    }
    match &text.run {
        Run::Level { at, anchor } => {
            let anchor = match anchor {
                a if *a >= 0.75 => " text-anchor=\"end\"",
                a if *a >= 0.25 => " text-anchor=\"middle\"",
                _ => "",
            };
            write!(out, " x=\"{}\" y=\"{}\"{anchor}>", Number(at[0]), Number(at[1]))?;
        }
        Run::Along(places) => {
            let list = |value: &dyn Fn(&(super::Point, super::Point)) -> f64| {
                places.iter().map(|p| Number(value(p)).to_string()).collect::<Vec<_>>().join(" ")
            };
            let turn = |p: &(super::Point, super::Point)| math::atan2(p.1[1], p.1[0]).to_degrees();
            write!(
                out,
                " x=\"{}\" y=\"{}\" rotate=\"{}\">",
                list(&|p| p.0[0]),
                list(&|p| p.0[1]),
                list(&turn)
            )?;
        }
    }
    writeln!(out, "{}</text>", escaped(&text.text))?;
    Ok(())
}

/// A number with at most two decimals: a hundredth of a point is finer than any printer.
struct Number(f64);

impl std::fmt::Display for Number {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rounded = (self.0 * 100.0).round() / 100.0;
        write!(out, "{}", if rounded == 0.0 { 0.0 } else { rounded })
    }
}

/// Text as XML has it; signs that XML cannot hold are left out.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
