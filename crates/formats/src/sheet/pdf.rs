//! Sheets as PDF 1.7: one page, fonts embedded, pictures as they are.
//!
//! The page is drawn in the sheet's own directions, y down; letters are turned back. Borders around letters are their
//! outlines as lines, so that no word is on the page twice.

use super::{Face, Group, Ink, Mark, Path, Pen, Picture, Point, Shape, Sheet, Step, Text, check, outline};
use crate::Cause;
use ab_glyph::Font;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{CidFontType, FontFlags, LineCapStyle, LineJoinStyle, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};
use std::io::Write;

/// A sheet as the bytes of a PDF file. Cost: linear in its parts; pictures are packed without loss.
///
/// # Errors
/// A sheet without a size, or a picture of a wrong length.
pub fn bytes(sheet: &Sheet) -> Result<Vec<u8>, Cause> {
    check(sheet)?;
    let mut pdf = Pdf::new();
    let mut next = 0;
    let mut fresh = || {
        next += 1;
        Ref::new(next)
    };
    let [catalog, pages, page, content, info] = [(); 5].map(|()| fresh());
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids([page]).count(1);

    let mut drawing = Drawing { content: Content::new(), opacities: Vec::new(), pictures: Vec::new() };
    drawing.content.transform([1.0, 0.0, 0.0, -1.0, 0.0, sheet.size[1] as f32]);
    drawing.content.set_line_cap(LineCapStyle::RoundCap).set_line_join(LineJoinStyle::RoundJoin);
    drawing.all(&sheet.marks);

    let faces: Vec<(Face, Ref)> = sheet.faces().into_iter().map(|face| (face, fresh())).collect();
    let pictures: Vec<(&Picture, Ref)> = drawing.pictures.iter().map(|&p| (p, fresh())).collect();
    let mut described = pdf.page(page);
    described.parent(pages).contents(content);
    described.media_box(Rect::new(0.0, 0.0, sheet.size[0] as f32, sheet.size[1] as f32));
    let mut resources = described.resources();
    let mut fonts = resources.fonts();
    for &(face, id) in &faces {
        fonts.pair(Name(font_name(face)), id);
    }
    fonts.finish();
    let mut images = resources.x_objects();
    for (number, (_, id)) in pictures.iter().enumerate() {
        images.pair(Name(format!("P{number}").as_bytes()), *id);
    }
    images.finish();
    let mut states = resources.ext_g_states();
    for opacity in &drawing.opacities {
        let share = f32::from(*opacity) / 255.0;
        let mut state = states
            .insert(Name(state_name(*opacity).as_bytes()))
            .start::<pdf_writer::writers::ExtGraphicsState>();
        state.stroking_alpha(share).non_stroking_alpha(share);
    }
    states.finish();
    resources.finish();
    described.finish();

    let packed = packed(&drawing.content.finish())?;
    pdf.stream(content, &packed).filter(Filter::FlateDecode);
    for (picture, id) in pictures {
        write_picture(&mut pdf, id, picture)?;
    }
    for (face, id) in faces {
        write_font(&mut pdf, face, id, &mut fresh)?;
    }
    pdf.document_info(info)
        .title(TextStr(&sheet.title))
        .subject(TextStr(&sheet.about))
        .producer(TextStr(&sheet.software));
    Ok(pdf.finish())
}

fn packed(bytes: &[u8]) -> Result<Vec<u8>, Cause> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

fn font_name(face: Face) -> &'static [u8] {
    match face {
        Face::Sans => b"Sans",
        Face::Italic => b"Italic",
        Face::Serif => b"Serif",
    }
}

fn state_name(opacity: u8) -> String {
    format!("A{opacity}")
}

/// A page that is being drawn.
struct Drawing<'a> {
    content: Content,
    /// Opacities that are used, each once.
    opacities: Vec<u8>,
    pictures: Vec<&'a Picture>,
}

impl<'a> Drawing<'a> {
    fn all(&mut self, marks: &'a [Mark]) {
        for mark in marks {
            match mark {
                Mark::Group(group) => self.group(group),
                Mark::Picture(picture) => self.picture(picture),
                Mark::Shape(shape) => self.shape(shape),
                Mark::Text(text) => self.text(text),
            }
        }
    }

    fn group(&mut self, group: &'a Group) {
        self.content.save_state();
        if let Some([[x, y], [width, height]]) = group.clip {
            self.content.rect(x as f32, y as f32, width as f32, height as f32).clip_nonzero().end_path();
        }
        self.all(&group.marks);
        self.content.restore_state();
    }

    fn picture(&mut self, picture: &'a Picture) {
        let ([x, y], [width, height]) = (picture.at, picture.size);
        let name = format!("P{}", self.pictures.len());
        self.content.save_state();
        self.content.transform([width as f32, 0.0, 0.0, -height as f32, x as f32, (y + height) as f32]);
        self.content.x_object(Name(name.as_bytes())).restore_state();
        self.pictures.push(picture);
    }

    fn opacity(&mut self, opacity: u8) {
        if !self.opacities.contains(&opacity) {
            self.opacities.push(opacity);
        }
        self.content.set_parameters(Name(state_name(opacity).as_bytes()));
    }

    fn pen(&mut self, pen: Pen) {
        let [r, g, b] = shares(pen.ink);
        self.opacity(pen.ink[3]);
        self.content.set_stroke_rgb(r, g, b).set_line_width(pen.width as f32);
    }

    fn shape(&mut self, shape: &Shape) {
        if !shape.path.is_finite() || shape.path.0.is_empty() {
            return;
        }
        if let Some(ink) = shape.fill {
            let [r, g, b] = shares(ink);
            self.opacity(ink[3]);
            self.content.set_fill_rgb(r, g, b);
            self.path(&shape.path);
            self.content.fill_even_odd();
        }
        if let Some(pen) = shape.pen {
            self.pen(pen);
            self.path(&shape.path);
            self.content.stroke();
        }
    }

    fn path(&mut self, path: &Path) {
        let c = &mut self.content;
        for step in &path.0 {
            match *step {
                Step::Move([x, y]) => c.move_to(short(x), short(y)),
                Step::Line([x, y]) => c.line_to(short(x), short(y)),
                Step::Curve(a, b, p) => {
                    c.cubic_to(short(a[0]), short(a[1]), short(b[0]), short(b[1]), short(p[0]), short(p[1]))
                }
                Step::Close => c.close_path(),
            };
        }
    }

    fn text(&mut self, text: &Text) {
        let places = text.places();
        let is_sound = |(at, along): &(Point, Point)| at.iter().chain(along).all(|v| v.is_finite());
        if !places.iter().all(is_sound) || text.size.is_nan() || text.size <= 0.0 {
            return;
        }
        if let Some((ink, width)) = text.halo {
            self.pen(Pen { ink, width: 2.0 * width });
            for (letter, place) in text.text.chars().zip(&places) {
                self.path(&outline(text.face, letter, text.size, *place));
            }
            self.content.stroke();
        }
        let [r, g, b] = shares(text.ink);
        self.opacity(text.ink[3]);
        let c = &mut self.content;
        c.set_fill_rgb(r, g, b).begin_text().set_font(Name(font_name(text.face)), text.size as f32);
        let code = |letter: char| text.face.glyph(letter).0.to_be_bytes();
        match (&text.run, places.first()) {
            (super::Run::Level { .. }, Some((at, _))) => {
                let codes: Vec<u8> = text.text.chars().flat_map(code).collect();
                c.set_text_matrix([1.0, 0.0, 0.0, -1.0, at[0] as f32, at[1] as f32]).show(Str(&codes));
            }
            _ => {
                for (letter, (at, along)) in text.text.chars().zip(&places) {
                    let [x, y] = along.map(|v| v as f32);
                    c.set_text_matrix([x, y, y, -x, at[0] as f32, at[1] as f32]).show(Str(&code(letter)));
                }
            }
        }
        c.end_text();
    }
}

/// A coordinate without needless digits.
fn short(value: f64) -> f32 {
    ((value * 100.0).round() / 100.0) as f32
}

fn shares([r, g, b, _]: Ink) -> [f32; 3] {
    [r, g, b].map(|v| f32::from(v) / 255.0)
}

/// A picture as a stream: each byte less the one of the pixel to the left, packed.
fn write_picture(pdf: &mut Pdf, id: Ref, picture: &Picture) -> Result<(), Cause> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    for row in picture.rgb.chunks(3 * picture.width) {
        const LEFT: u8 = 1;
        let mut line = vec![LEFT];
        line.extend(row.iter().enumerate().map(|(i, &v)| v.wrapping_sub(if i < 3 { 0 } else { row[i - 3] })));
        encoder.write_all(&line)?;
    }
    let bytes = encoder.finish()?;
    let mut image = pdf.image_xobject(id, &bytes);
    image.filter(Filter::FlateDecode);
    image.width(i32::try_from(picture.width)?).height(i32::try_from(picture.height)?);
    image.color_space().device_rgb();
    image.bits_per_component(8).interpolate(false);
    let columns = i32::try_from(picture.width)?;
    image.decode_parms().predictor(pdf_writer::types::Predictor::PngSub).colors(3).columns(columns);
    Ok(())
}

/// A font, its widths, and which letters its glyphs are.
fn write_font(pdf: &mut Pdf, face: Face, id: Ref, fresh: &mut impl FnMut() -> Ref) -> Result<(), Cause> {
    let [descendant, descriptor, cmap, file] = [(); 4].map(|()| fresh());
    let name = Name(face.name().as_bytes());
    let info = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };
    let font = face.font();
    let milli = 1000.0 / face.units();
    pdf.type0_font(id)
        .base_font(name)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(descendant)
        .to_unicode(cmap);
    let mut cid = pdf.cid_font(descendant);
    cid.subtype(CidFontType::Type2).base_font(name).system_info(info).font_descriptor(descriptor);
    cid.cid_to_gid_map_predefined(Name(b"Identity"));
    let widths = (0..font.glyph_count() as u16)
        .map(|n| (f64::from(font.h_advance_unscaled(ab_glyph::GlyphId(n))) * milli) as f32);
    cid.widths().consecutive(0, widths);
    cid.finish();
    let slanted = if face == Face::Italic { FontFlags::ITALIC } else { FontFlags::empty() };
    let serif = if face == Face::Sans { FontFlags::empty() } else { FontFlags::SERIF };
    let (ascent, descent) = (font.ascent_unscaled() * milli as f32, font.descent_unscaled() * milli as f32);
    pdf.font_descriptor(descriptor)
        .name(name)
        .flags(FontFlags::SYMBOLIC | slanted | serif)
        .bbox(Rect::new(-300.0, descent, 1500.0, ascent))
        .italic_angle(if face == Face::Italic { -7.0 } else { 0.0 })
        .ascent(ascent)
        .descent(descent)
        .cap_height(640.0)
        .stem_v(85.0)
        .font_file2(file);
    let mut letters = UnicodeCmap::new(Name(b"Letters"), info);
    let mut known: Vec<(u16, char)> = font.codepoint_ids().map(|(glyph, letter)| (glyph.0, letter)).collect();
    known.sort_unstable();
    known.dedup_by_key(|(glyph, _)| *glyph);
    known.iter().for_each(|&(glyph, letter)| letters.pair(glyph, letter));
    pdf.cmap(cmap, &letters.finish());
    let bytes = packed(face.bytes())?;
    let mut stream = pdf.stream(file, &bytes);
    stream.filter(Filter::FlateDecode).pair(Name(b"Length1"), i32::try_from(face.bytes().len())?);
    Ok(())
}
