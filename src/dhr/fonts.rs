//! The fonts of the record: text becomes glyphs here, and only glyphs that were used are embedded.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Name, Rect, Ref, Str};
use rustybuzz::ttf_parser::GlyphId;
use rustybuzz::{Direction, Feature, UnicodeBuffer, ttf_parser::Tag};
use subsetter::GlyphRemapper;
use unicode_bidi::BidiInfo;
use unicode_script::{Script, UnicodeScript};

use super::file::{PdfFile, compress};

/// The first character of a script that runs from right to left.
const FIRST_RIGHT_TO_LEFT: char = '\u{590}';
const SYSTEM: SystemInfo = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };
/// Units of glyph widths in a PDF.
const PER_EM: f32 = 1000.0;

/// A weight of the typeface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    Regular,
    Bold,
}

struct Source {
    data: &'static [u8],
    /// Name in the resources of every page.
    resource: Name<'static>,
    /// Six letters, as the format wants them for a subset, and the name of the font.
    name: &'static str,
}

const SOURCES: [Source; 2] = [
    Source {
        data: include_bytes!("../../fixtures/fonts/DejaVuSansCondensed.ttf"),
        resource: Name(b"F1"),
        name: "TWDHRA+DejaVuSansCondensed",
    },
    Source {
        data: include_bytes!("../../fixtures/fonts/DejaVuSansCondensed-Bold.ttf"),
        resource: Name(b"F2"),
        name: "TWDHRB+DejaVuSansCondensed-Bold",
    },
];

/// Both weights.
pub(super) struct Fonts([Font; 2]);

struct Font {
    face: rustybuzz::Face<'static>,
    source: &'static Source,
    id: Ref,
    used: GlyphRemapper,
    /// What a used glyph means, by its number in the subset.
    meanings: BTreeMap<u16, String>,
}

#[derive(Clone, Copy)]
struct Glyph {
    id: u16,
    advance: i32,
    x_offset: i32,
    y_offset: i32,
    cluster: usize,
}

impl Fonts {
    pub(super) fn load(file: &mut PdfFile) -> io::Result<Self> {
        let mut load = |source: &'static Source| {
            let face = rustybuzz::Face::from_slice(source.data, 0)
                .ok_or_else(|| io::Error::other("a built-in font cannot be read"))?;
            let id = file.reserve();
            Ok::<_, io::Error>(Font { face, source, id, used: GlyphRemapper::new(), meanings: BTreeMap::new() })
        };
        let [regular, bold] = &SOURCES;
        Ok(Self([load(regular)?, load(bold)?]))
    }

    /// Names and numbers for the resources of a page.
    pub(super) fn resources(&self) -> impl Iterator<Item = (Name<'static>, Ref)> {
        self.0.iter().map(|font| (font.source.resource, font.id))
    }

    /// Whether there is a glyph for a character.
    pub(super) fn has(&self, weight: Weight, c: char) -> bool {
        self.font(weight).face.glyph_index(c).is_some_and(|glyph| glyph.0 != 0)
    }

    /// Width of a line of text.
    pub(super) fn width(&self, weight: Weight, size: f32, text: &str) -> f32 {
        let font = self.font(weight);
        let units: i32 = runs(text)
            .into_iter()
            .flat_map(|(range, right_to_left)| font.shape(&text[range], right_to_left))
            .map(|glyph| glyph.advance)
            .sum();
        units as f32 * size / font.face.units_per_em() as f32
    }

    /// Width of a single character, regardless of its neighbours.
    pub(super) fn width_of_char(&self, weight: Weight, size: f32, c: char) -> f32 {
        let font = self.font(weight);
        let glyph = font.face.glyph_index(c).unwrap_or(GlyphId(0));
        f32::from(font.face.glyph_hor_advance(glyph).unwrap_or(0)) * size / font.face.units_per_em() as f32
    }

    /// Draws a line of text whose base line begins at a point, in coordinates of the page.
    pub(super) fn draw(&mut self, content: &mut Content, weight: Weight, size: f32, (x, y): (f32, f32), text: &str) {
        let font = &mut self.0[weight as usize];
        content.begin_text().set_font(font.source.resource, size).set_text_matrix([1.0, 0.0, 0.0, 1.0, x, y]);
        for (range, right_to_left) in runs(text) {
            font.show(content, size, &text[range], right_to_left);
        }
        content.end_text();
    }

    /// Embeds what was used.
    pub(super) fn write(self, file: &mut PdfFile) -> io::Result<()> {
        self.0.into_iter().try_for_each(|font| font.write(file))
    }

    fn font(&self, weight: Weight) -> &Font {
        &self.0[weight as usize]
    }
}

/// Parts of a line in the order in which they are drawn, and whether each runs from right to left.
fn runs(text: &str) -> Vec<(Range<usize>, bool)> {
    if text.chars().all(|c| c < FIRST_RIGHT_TO_LEFT) {
        return vec![(0..text.len(), false)];
    }
    let bidi = BidiInfo::new(text, None);
    let mut parts = Vec::new();
    for paragraph in &bidi.paragraphs {
        let (levels, runs) = bidi.visual_runs(paragraph, paragraph.range.clone());
        for run in runs {
            let right_to_left = levels.get(run.start).is_some_and(unicode_bidi::Level::is_rtl);
            let mut scripts = by_script(text, run);
            if right_to_left {
                scripts.reverse();
            }
            parts.extend(scripts.into_iter().map(|part| (part, right_to_left)));
        }
    }
    parts
}

/// Parts of a run in one script each: letters are joined by the rules of their own script.
fn by_script(text: &str, run: Range<usize>) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut present = None;
    for (offset, c) in text.get(run.clone()).unwrap_or_default().char_indices() {
        let script = Some(c.script()).filter(|script| !matches!(script, Script::Common | Script::Inherited));
        let changes = present.is_some() && script.is_some() && present != script;
        match parts.last_mut() {
            Some(part) if !changes => part.end = run.start + offset + c.len_utf8(),
            _ => parts.push(run.start + offset..run.start + offset + c.len_utf8()),
        }
        present = script.or(present);
    }
    parts
}

impl Font {
    fn shape(&self, text: &str, right_to_left: bool) -> Vec<Glyph> {
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(text);
        buffer.guess_segment_properties();
        buffer.set_direction(if right_to_left { Direction::RightToLeft } else { Direction::LeftToRight });
        // Letters stay single, so that text can be copied out of the record as it was stored.
        let features = [Feature::new(Tag::from_bytes(b"liga"), 0, ..)];
        let shaped = rustybuzz::shape(&self.face, &features, buffer);
        let glyph = |(info, position): (&rustybuzz::GlyphInfo, &rustybuzz::GlyphPosition)| Glyph {
            id: info.glyph_id as u16,
            advance: position.x_advance,
            x_offset: position.x_offset,
            y_offset: position.y_offset,
            cluster: info.cluster as usize,
        };
        shaped.glyph_infos().iter().zip(shaped.glyph_positions()).map(glyph).collect()
    }

    fn show(&mut self, content: &mut Content, size: f32, text: &str, right_to_left: bool) {
        let glyphs = self.shape(text, right_to_left);
        self.note_meanings(text, &glyphs);
        let per_em = self.face.units_per_em() as f32;
        for level in glyphs.chunk_by(|one, other| one.y_offset == other.y_offset) {
            let rise = level[0].y_offset as f32 * size / per_em;
            content.set_rise(rise);
            let mut shown = content.show_positioned();
            let mut items = shown.items();
            let mut codes: Vec<u8> = Vec::with_capacity(level.len() * 2);
            let mut move_by = |codes: &mut Vec<u8>, units: i32| {
                if units != 0 {
                    items.show(Str(codes));
                    codes.clear();
                    items.adjust(-(units as f32) * PER_EM / per_em);
                }
            };
            for glyph in level {
                let natural = i32::from(self.face.glyph_hor_advance(GlyphId(glyph.id)).unwrap_or(0));
                move_by(&mut codes, glyph.x_offset);
                codes.extend_from_slice(&self.used.remap(glyph.id).to_be_bytes());
                move_by(&mut codes, glyph.advance - glyph.x_offset - natural);
            }
            items.show(Str(&codes));
        }
    }

    /// A cluster of characters may be one glyph or several: the first glyph stands for all characters that have none.
    fn note_meanings(&mut self, text: &str, glyphs: &[Glyph]) {
        let mut starts: Vec<usize> = glyphs.iter().map(|glyph| glyph.cluster).collect();
        starts.sort_unstable();
        starts.dedup();
        for cluster in glyphs.chunk_by(|one, other| one.cluster == other.cluster) {
            let start = cluster[0].cluster;
            let end = starts.get(starts.partition_point(|other| *other <= start)).copied().unwrap_or(text.len());
            let characters = text.get(start..end).unwrap_or_default();
            let mut rest = characters.chars();
            for (index, glyph) in cluster.iter().enumerate() {
                let meaning: String = if index + 1 == cluster.len() {
                    rest.by_ref().collect()
                } else {
                    rest.next().map(String::from).unwrap_or_default()
                };
                let id = self.used.remap(glyph.id);
                if !meaning.is_empty() {
                    self.meanings.entry(id).or_insert(meaning);
                }
            }
        }
    }

    fn write(self, file: &mut PdfFile) -> io::Result<()> {
        let (descendant, descriptor, cmap, data) = (file.reserve(), file.reserve(), file.reserve(), file.reserve());
        let name = Name(self.source.name.as_bytes());
        let scale = PER_EM / self.face.units_per_em() as f32;
        file.put(self.id, |chunk, id| {
            let mut font = chunk.type0_font(id);
            font.base_font(name).encoding_predefined(Name(b"Identity-H")).descendant_font(descendant).to_unicode(cmap);
        })?;
        file.put(descendant, |chunk, id| {
            let mut font = chunk.cid_font(id);
            font.subtype(CidFontType::Type2).base_font(name).system_info(SYSTEM).font_descriptor(descriptor);
            font.default_width(0.0).cid_to_gid_map_predefined(Name(b"Identity"));
            let width = |glyph: u16| f32::from(self.face.glyph_hor_advance(GlyphId(glyph)).unwrap_or(0)) * scale;
            font.widths().consecutive(0, self.used.remapped_gids().map(width));
        })?;
        file.put(descriptor, |chunk, id| {
            let bounds = self.face.global_bounding_box();
            let scaled = |value: i16| f32::from(value) * scale;
            let mut descriptor = chunk.font_descriptor(id);
            descriptor.name(name).flags(FontFlags::SYMBOLIC).italic_angle(0.0).stem_v(80.0);
            descriptor.bbox(Rect::new(
                scaled(bounds.x_min),
                scaled(bounds.y_min),
                scaled(bounds.x_max),
                scaled(bounds.y_max),
            ));
            descriptor.ascent(scaled(self.face.ascender())).descent(scaled(self.face.descender()));
            descriptor.cap_height(scaled(self.face.capital_height().unwrap_or(self.face.ascender()))).font_file2(data);
        })?;
        let mut meanings = UnicodeCmap::new(Name(b"Meanings"), SYSTEM);
        for (glyph, meaning) in &self.meanings {
            meanings.pair_with_multiple(*glyph, meaning.chars());
        }
        let meanings = compress(&meanings.finish())?;
        file.put(cmap, |chunk, id| {
            chunk.cmap(id, &meanings).filter(pdf_writer::Filter::FlateDecode);
        })?;
        let subset = subsetter::subset(self.source.data, 0, &self.used).map_err(io::Error::other)?;
        let compressed = compress(&subset)?;
        file.put(data, |chunk, id| {
            let mut stream = chunk.stream(id, &compressed);
            stream.filter(pdf_writer::Filter::FlateDecode);
            stream.pair(Name(b"Length1"), subset.len() as i32);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_right_to_left_is_drawn_in_visual_order_script_by_script() {
        let text = "ab שלום مرحبا";
        let shown: Vec<(&str, bool)> =
            runs(text).into_iter().map(|(range, right_to_left)| (&text[range], right_to_left)).collect();
        assert_eq!(shown, [("ab ", false), ("مرحبا", true), ("שלום ", true)]);
    }

    #[test]
    fn joined_letters_are_narrower_than_single_ones() {
        let fonts = Fonts::load(&mut PdfFile::new(tempfile::tempfile().unwrap()).unwrap()).unwrap();
        let single: f32 = "مرحبا".chars().map(|c| fonts.width_of_char(Weight::Regular, 10.0, c)).sum();
        assert!(
            fonts.width(Weight::Regular, 10.0, "שלום مرحبا") < single + fonts.width(Weight::Regular, 10.0, "שלום ")
        );
    }
}
