//! A part of a font as a file for browsers.
//!
//! What is cut out for a PDF has outlines only. A browser also wants to know which character has which glyph (`cmap`) and how the
//! font looks as a whole (`OS/2`); both are added here.

use std::collections::BTreeMap;

use subsetter::GlyphRemapper;

use crate::DrawError;
use crate::text::Weight;

/// Tables by name.
type Tables = BTreeMap<[u8; 4], Vec<u8>>;

/// The glyphs of these characters as a TrueType font.
pub(crate) fn subset(weight: Weight, characters: &[char]) -> Result<Vec<u8>, DrawError> {
    let mut glyphs = GlyphRemapper::new();
    // A character without a glyph is left to other fonts.
    let known = characters.iter().filter(|character| weight.glyph(**character) != 0);
    let of_character: BTreeMap<char, u16> =
        known.map(|character| (*character, glyphs.remap(weight.glyph(*character)))).collect();
    let mut made = tables(&subsetter::subset(weight.data(), 0, &glyphs)?);
    made.insert(*b"cmap", cmap(&of_character));
    if let Some(looks) = tables(weight.data()).remove(b"OS/2") {
        made.insert(*b"OS/2", looks);
    }
    Ok(file(&made))
}

/// The tables of a font.
fn tables(font: &[u8]) -> Tables {
    let number = |at: usize| Some(u32::from_be_bytes(font.get(at..at + 4)?.try_into().ok()?) as usize);
    let count = font.get(4..6).map_or(0, |count| usize::from(u16::from_be_bytes([count[0], count[1]])));
    let table = |at: usize| {
        let entry = 12 + 16 * at;
        let name: [u8; 4] = font.get(entry..entry + 4)?.try_into().ok()?;
        let (start, length) = (number(entry + 8)?, number(entry + 12)?);
        Some((name, font.get(start..start.checked_add(length)?)?.to_vec()))
    };
    (0..count).filter_map(table).collect()
}

/// Which character has which glyph: one group for each (format 12).
fn cmap(of_character: &BTreeMap<char, u16>) -> Vec<u8> {
    let groups = of_character.len() as u32;
    let mut table = Vec::new();
    // Version 0 with one part: for Windows, all of Unicode, from byte 12 on.
    table.extend([0u16, 1, 3, 10].map(u16::to_be_bytes).concat());
    table.extend(12u32.to_be_bytes());
    table.extend([12u16, 0].map(u16::to_be_bytes).concat());
    table.extend([16 + 12 * groups, 0, groups].map(u32::to_be_bytes).concat());
    for (character, glyph) in of_character {
        let code = u32::from(*character);
        table.extend([code, code, u32::from(*glyph)].map(u32::to_be_bytes).concat());
    }
    table
}

/// Tables as a file.
fn file(tables: &Tables) -> Vec<u8> {
    let count = tables.len() as u16;
    let power = count.max(1).ilog2() as u16;
    let range = 16 << power;
    let mut file = vec![0, 1, 0, 0];
    file.extend([count, range, power, count * 16 - range].map(u16::to_be_bytes).concat());
    let mut start = 12 + 16 * u32::from(count);
    for (name, table) in tables {
        let length = table.len() as u32;
        file.extend(name);
        file.extend([sum(table), start, length].map(u32::to_be_bytes).concat());
        start += length.next_multiple_of(4);
    }
    for table in tables.values() {
        file.extend(table);
        file.resize(file.len().next_multiple_of(4), 0);
    }
    file
}

/// The sum of a table's words.
fn sum(table: &[u8]) -> u32 {
    table.chunks(4).fold(0, |sum, bytes| {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        sum.wrapping_add(u32::from_be_bytes(word))
    })
}

#[cfg(test)]
mod tests {
    use ab_glyph::{Font, FontRef};

    use super::*;

    #[test]
    fn a_part_of_a_font_draws_its_characters_as_the_whole_does() {
        let made = subset(Weight::Regular, &['a', 'µ', '…', '\u{e000}']).unwrap();
        assert!(made.len() * 20 < Weight::Regular.data().len(), "{} bytes", made.len());
        let (part, whole) =
            (FontRef::try_from_slice(&made).unwrap(), FontRef::try_from_slice(Weight::Regular.data()).unwrap());
        for character in ['a', 'µ', '…'] {
            let outline = |font: &FontRef| font.outline(font.glyph_id(character)).map(|outline| format!("{outline:?}"));
            assert!(outline(&part).is_some());
            assert_eq!(outline(&part), outline(&whole), "{character}");
        }
        assert_eq!(part.glyph_id('b').0, 0);
        assert_eq!(part.glyph_id('\u{e000}').0, 0);
    }
}
