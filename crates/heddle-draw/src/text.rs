//! Text: what of it may be shown, how wide it is, and where its glyphs lie.
//!
//! The fonts are embedded. Widths are sums of advance widths without kerning, so they hold for the SVG as well, which
//! turns kerning off.

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef, Glyph, OutlinedGlyph, PxScale, point};

/// Where text is cut.
const ELLIPSIS: char = '…';

/// Fonts below and above these sizes are nobody's intention.
const SIZES: (f32, f32) = (1.0, 256.0);

/// A font, and the file that it was read from.
struct Face {
    data: &'static [u8],
    font: Option<FontRef<'static>>,
}

impl Face {
    fn of(data: &'static [u8]) -> Face {
        Face { data, font: FontRef::try_from_slice(data).ok() }
    }
}

// The only places that name the files: with a second one, the compiler may put them into the program twice.
static REGULAR: LazyLock<Face> = LazyLock::new(|| Face::of(dejavu::sans::regular()));
static BOLD: LazyLock<Face> = LazyLock::new(|| Face::of(dejavu::sans::bold()));

/// Weight of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

impl Weight {
    fn face(self) -> &'static Face {
        match self {
            Weight::Regular => &REGULAR,
            Weight::Bold => &BOLD,
        }
    }

    fn font(self) -> Option<&'static FontRef<'static>> {
        self.face().font.as_ref()
    }

    /// The font's file.
    pub(crate) fn data(self) -> &'static [u8] {
        self.face().data
    }

    /// The number of a character's glyph in the font's file; 0 if there is none.
    pub(crate) fn glyph(self, character: char) -> u16 {
        self.font().map_or(0, |font| font.glyph_id(character).0)
    }

    /// The advance width of a character, as a share of the font's size.
    pub(crate) fn em_share(self, character: char) -> f32 {
        let share = self.font().and_then(|font| {
            let units = font.units_per_em()?;
            Some(font.h_advance_unscaled(font.glyph_id(character)) / units)
        });
        share.unwrap_or(0.6)
    }
}

/// The width of a text in `DejaVu Sans`, `size` pixels high, in pixels.
pub fn text_width(text: &str, size: f32) -> f32 {
    width(&clean(text), size, Weight::Regular)
}

/// The width of a text that is already [`clean`].
pub(crate) fn width(text: &str, size: f32, weight: Weight) -> f32 {
    text.chars().map(|character| advance(character, size, weight)).sum()
}

fn advance(character: char, size: f32, weight: Weight) -> f32 {
    weight.em_share(character) * sound_size(size)
}

/// A size that a font can have, whatever the scene says.
pub(crate) fn sound_size(size: f32) -> f32 {
    if size.is_finite() { size.clamp(SIZES.0, SIZES.1) } else { 11.0 }
}

/// The text without what would break a line, reverse it, or make XML invalid. White space becomes a space.
pub(crate) fn clean(text: &str) -> String {
    let space = |character: char| matches!(character, '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}');
    // Marks of direction and invisible joiners are harmless in prose, but a disguise in the name of a function.
    let disguise = |character: char| matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
    let invalid = |character: char| matches!(character, '\u{feff}' | '\u{fffe}' | '\u{ffff}') || character.is_control();
    let spaced = text.chars().map(|character| if space(character) { ' ' } else { character });
    spaced.filter(|&character| !disguise(character) && !invalid(character)).collect()
}

/// The clean text, cut with an ellipsis to at most `room` pixels. Empty if not even the ellipsis fits.
pub(crate) fn fit(text: &str, size: f32, weight: Weight, room: f32) -> String {
    let dots = advance(ELLIPSIS, size, weight);
    // Where the text ends if it has to be cut: behind the last character that leaves room for the ellipsis.
    let (mut kept, mut used) = (0, 0.0);
    let text = clean(text);
    for (start, character) in text.char_indices() {
        used += advance(character, size, weight);
        if used + dots <= room {
            kept = start + character.len_utf8();
        }
        if used > room {
            let cut = text[..kept].trim_end();
            return if dots <= room { format!("{cut}{ELLIPSIS}") } else { String::new() };
        }
    }
    text
}

/// The outlines of a clean text whose baseline begins at `(x, y)`.
pub(crate) fn glyphs(text: &str, size: f32, weight: Weight, (x, y): (f32, f32)) -> Vec<OutlinedGlyph> {
    let Some((font, units)) = weight.font().and_then(|font| Some((font, font.units_per_em()?))) else {
        return Vec::new();
    };
    // The scale of ab_glyph is the height from ascent to descent, not the size of the font.
    let scale = PxScale::from(sound_size(size) * font.height_unscaled() / units);
    let mut x = x;
    let mut outlines = Vec::new();
    for character in text.chars() {
        let glyph = Glyph { id: font.glyph_id(character), scale, position: point(x, y) };
        x += advance(character, size, weight);
        outlines.extend(font.outline_glyph(glyph));
    }
    outlines
}
