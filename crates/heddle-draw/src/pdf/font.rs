//! The glyphs of a weight that a page uses, as a font inside of the file.
//!
//! Every character has a code of its own, also where several share a glyph or have none. So a reader finds and copies
//! exactly the text of the scene, whatever is in it.

use std::collections::BTreeMap;

use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Filter, Finish, Name, Pdf, Rect, Ref, Str};
use subsetter::GlyphRemapper;

use super::EFFORT;
use crate::DrawError;
use crate::text::Weight;

/// Our codes are in no order that others know.
const CODES: SystemInfo = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// A font and the characters that were shown in it.
pub(super) struct Font {
    weight: Weight,
    codes: BTreeMap<char, u16>,
    /// In the order of their codes, which begin at 1.
    characters: Vec<char>,
}

impl Font {
    pub(super) fn new(weight: Weight) -> Font {
        Font { weight, codes: BTreeMap::new(), characters: Vec::new() }
    }

    pub(super) fn is_unused(&self) -> bool {
        self.characters.is_empty()
    }

    /// Its name on the page.
    pub(super) fn name(&self) -> Name<'static> {
        match self.weight {
            Weight::Regular => Name(b"f0"),
            Weight::Bold => Name(b"f1"),
        }
    }

    /// The text in the font's codes. When all codes are given away, further characters become the box for missing ones.
    pub(super) fn encode(&mut self, text: &str) -> Vec<u8> {
        let codes = text.chars().map(|character| {
            if let Some(&code) = self.codes.get(&character) {
                return code;
            }
            let Ok(code) = u16::try_from(self.characters.len() + 1) else { return 0 };
            self.codes.insert(character, code);
            self.characters.push(character);
            code
        });
        codes.flat_map(u16::to_be_bytes).collect()
    }

    /// Writes the font and gives its number.
    pub(super) fn write(&self, pdf: &mut Pdf, next: &mut Ref) -> Result<Ref, DrawError> {
        let [font, cid_font, descriptor, file, unicode, glyphs] = [(); 6].map(|()| next.bump());
        let mut subset = GlyphRemapper::new();
        // Code 0 is the glyph for missing characters.
        let mut glyph_of_code = vec![0, 0];
        for &character in &self.characters {
            glyph_of_code.extend(subset.remap(self.weight.glyph(character)).to_be_bytes());
        }
        let outlines = subsetter::subset(self.weight.data(), 0, &subset)?;
        let name = self.subset_name();
        let name = Name(name.as_bytes());
        pdf.type0_font(font)
            .base_font(name)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(cid_font)
            .to_unicode(unicode);
        let mut written = pdf.cid_font(cid_font);
        written.subtype(CidFontType::Type2).base_font(name).system_info(CODES).font_descriptor(descriptor);
        written.cid_to_gid_map_stream(glyphs);
        let widths = self.characters.iter().map(|&character| thousandths(self.weight.em_share(character)));
        written.default_width(thousandths(self.weight.em_share('\u{fffd}'))).widths().consecutive(1, widths);
        written.finish();
        self.describe(pdf, descriptor, file, name);
        let length = outlines.len() as i32;
        let outlines = compress_to_vec_zlib(&outlines, EFFORT);
        pdf.stream(file, &outlines).filter(Filter::FlateDecode).pair(Name(b"Length1"), length);
        let mut map = UnicodeCmap::new(Name(b"Heddle"), CODES);
        for (code, &character) in (1..=u16::MAX).zip(&self.characters) {
            map.pair(code, character);
        }
        let map = compress_to_vec_zlib(&map.finish(), EFFORT);
        pdf.cmap(unicode, &map).filter(Filter::FlateDecode);
        let glyph_of_code = compress_to_vec_zlib(&glyph_of_code, EFFORT);
        pdf.stream(glyphs, &glyph_of_code).filter(Filter::FlateDecode);
        Ok(font)
    }

    /// Measures of the whole font, as its tables have them, in thousandths of its size.
    fn describe(&self, pdf: &mut Pdf, descriptor: Ref, file: Ref, name: Name) {
        let (bounds, stem) = match self.weight {
            Weight::Regular => (Rect::new(-1021.0, -463.0, 1793.0, 1232.0), 90.0),
            Weight::Bold => (Rect::new(-1069.0, -415.0, 1975.0, 1174.0), 180.0),
        };
        let mut written = pdf.font_descriptor(descriptor);
        written.name(name).flags(FontFlags::SYMBOLIC).bbox(bounds).italic_angle(0.0);
        written.ascent(928.0).descent(-236.0).cap_height(729.0).stem_v(stem).font_file2(file);
    }

    /// The font's name behind six letters. They are different where the characters are: programs that join files take
    /// fonts of one name for the same.
    fn subset_name(&self) -> String {
        // The hash of Fowler, Noll and Vo.
        let step = |hash: u64, character: &char| (hash ^ u64::from(*character)).wrapping_mul(0x0100_0000_01b3);
        let mut hash = self.characters.iter().fold(0xcbf2_9ce4_8422_2325, step);
        let mut name = String::new();
        for _ in 0..6 {
            name.push(char::from(b'A' + (hash % 26) as u8));
            hash /= 26;
        }
        name.push_str(match self.weight {
            Weight::Regular => "+DejaVuSans",
            Weight::Bold => "+DejaVuSans-Bold",
        });
        name
    }
}

/// Of a font's size, with a digit behind the point: a thousand characters then end within a pixel of their place.
fn thousandths(share: f32) -> f32 {
    (share * 1e4).round() / 10.0
}
