//! Colours of values: scales that go from what recedes into the panel to what stands out of it, in either theme.

use crate::scene::theme::Theme;
use crate::scene::{ColourId, Rgba};

/// Colours of a range of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// From what recedes over a neutral middle to what stands out.
    #[default]
    Diverging,
    /// One hue, from what recedes to what stands out.
    Sequential,
    /// From what recedes over orange and red to purple: thin lines are told apart by it.
    Loads,
}

/// Colours of a scale.
pub(crate) const STEPS: usize = 64;

/// Stops of the scales, evenly spaced: diverging and sequential, light and dark.
const DIVERGING: [[u32; 7]; 2] = [
    [0xc8_d9ee, 0xb3_cfe9, 0x9e_cae1, 0xe9_bd7d, 0xfc_8d59, 0xd7_301f, 0x7f_0000],
    [0x35_4b65, 0x3d_6489, 0x56_90b4, 0xd9_b777, 0xf5_9a4e, 0xf9_653a, 0xff_4545],
];
const SEQUENTIAL: [[u32; 6]; 2] = [
    [0xe9_edf3, 0xfb_dcc4, 0xf5_a97f, 0xe0_6a3f, 0xb6_3a1c, 0x7f_1508],
    [0x2a_323d, 0x4d_3b3a, 0x7d_4a38, 0xb4_5f33, 0xe3_853f, 0xff_c27a],
];
const LOADS: [[u32; 7]; 2] = [
    [0xf0_e4da, 0xf5_b890, 0xee_7d57, 0xd6_3f4f, 0x9e_1b5a, 0x61_1f52, 0x33_183c],
    [0x2c_2733, 0x58_264f, 0x94_235a, 0xcd_3c52, 0xec_7052, 0xf5_ad86, 0xfc_e6d4],
];
/// Phases; neighbours differ.
const PHASES: [u32; 8] = [0x56_b4e9, 0xe6_9f00, 0x00_9e73, 0xcc_5f8f, 0x00_72b2, 0xd5_5e00, 0x80_69c6, 0x94_7b2d];
/// Kinds of events: send, receive, wait, collective.
const KINDS: [u32; 4] = [0x00_9e73, 0xe6_ab02, 0x56_b4e9, 0xcc_5f8f];
/// What has no value.
const MISSING: [u32; 2] = [0xb4_bac4, 0x55_5d69];
/// Where a lateness arose, and the way that it took.
const CAUSE: [u32; 2] = [0xc2_410c, 0xfb_923c];
/// Calls that do not communicate, the outermost first.
const DEPTHS: [[u32; 5]; 2] =
    [[0xc9_cfd8, 0xd3_d8df, 0xdc_e0e6, 0xe3_e7eb, 0xe9_ecf0], [0x3d_4551, 0x38_404b, 0x33_3a45, 0x2e_353f, 0x2a_313a]];

/// Opacity of aggregates, and of what is not selected.
const PALE: u8 = 140;
const DIMMED: u8 = 136;
const DIMMED_PALE: u8 = 70;

/// Where the colours of values stand in a scene's palette.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ramp {
    first: u16,
}

/// How a mark is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// As it is.
    Full,
    /// An aggregate.
    Pale,
    /// Something else is selected.
    Dimmed,
    /// An aggregate while something else is selected.
    DimmedPale,
}

impl Ramp {
    /// Colours of one tone: the scale, phases, what has no value, calls by depth, kinds.
    const ONE: usize = STEPS + PHASES.len() + 1 + DEPTHS[0].len() + KINDS.len();

    /// Appends the colours to a palette.
    pub(crate) fn add(palette: &mut Vec<Rgba>, theme: Theme, which: Palette) -> Ramp {
        let row = usize::from(theme == Theme::Dark);
        let first = palette.len() as u16;
        let stops: &[u32] = match which {
            Palette::Diverging => &DIVERGING[row],
            Palette::Sequential => &SEQUENTIAL[row],
            Palette::Loads => &LOADS[row],
        };
        let scale = (0..STEPS).map(|at| blend(stops, at as f32 / (STEPS - 1) as f32));
        let others = PHASES.into_iter().chain([MISSING[row]]).chain(DEPTHS[row]).chain(KINDS).map(Rgba::hex);
        let one: Vec<Rgba> = scale.chain(others).collect();
        for opacity in [255, PALE, DIMMED, DIMMED_PALE] {
            palette.extend(one.iter().map(|colour| Rgba(colour.0, colour.1, colour.2, opacity)));
        }
        palette.push(Rgba::hex(CAUSE[row]));
        palette.push(Rgba(0, 0, 0, if row == 0 { 46 } else { 70 }));
        Ramp { first }
    }

    fn colour(self, at: usize, tone: Tone) -> ColourId {
        ColourId(self.first + (tone as usize * Ramp::ONE + at) as u16)
    }

    /// The colour of a place on the scale, from 0 to 1.
    pub(crate) fn at(self, share: f32, tone: Tone) -> ColourId {
        self.colour((share.clamp(0.0, 1.0) * (STEPS - 1) as f32).round() as usize, tone)
    }

    pub(crate) fn phase(self, phase: u32, tone: Tone) -> ColourId {
        self.colour(STEPS + phase as usize % PHASES.len(), tone)
    }

    /// The colour of what has no value.
    pub(crate) fn missing(self, tone: Tone) -> ColourId {
        self.colour(STEPS + PHASES.len(), tone)
    }

    /// The grey of a call that does not communicate.
    pub(crate) fn depth(self, depth: u16, tone: Tone) -> ColourId {
        self.colour(STEPS + PHASES.len() + 1 + usize::from(depth).min(DEPTHS[0].len() - 1), tone)
    }

    /// The colour of a kind of event, by its number.
    pub(crate) fn kind(self, kind: usize, tone: Tone) -> ColourId {
        self.colour(STEPS + PHASES.len() + 1 + DEPTHS[0].len() + kind.min(KINDS.len() - 1), tone)
    }

    /// The colour of the way that a lateness took.
    pub(crate) fn cause(self) -> ColourId {
        ColourId(self.first + 4 * Ramp::ONE as u16)
    }

    /// Borders of boxes.
    pub(crate) fn border(self) -> ColourId {
        ColourId(self.first + 4 * Ramp::ONE as u16 + 1)
    }

    /// All colours of the scale.
    pub(crate) fn scale(self) -> Vec<ColourId> {
        (0..STEPS).map(|at| self.colour(at, Tone::Full)).collect()
    }
}

/// A colour between evenly spaced stops.
pub(crate) fn blend(stops: &[u32], share: f32) -> Rgba {
    let place = share * (stops.len() - 1) as f32;
    let at = (place as usize).min(stops.len() - 2);
    let (from, to) = (Rgba::hex(stops[at]), Rgba::hex(stops[at + 1]));
    let part = place - at as f32;
    let mix = |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * part).round() as u8;
    Rgba(mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2), 255)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CIE lightness, 0 to 100.
    fn lightness(colour: Rgba) -> f32 {
        let linear = |part: u8| {
            let part = f32::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        let y = 0.2126 * linear(colour.0) + 0.7152 * linear(colour.1) + 0.0722 * linear(colour.2);
        if y > 0.008_856 { 116.0 * y.cbrt() - 16.0 } else { 903.3 * y }
    }

    fn scale(theme: Theme, which: Palette) -> Vec<Rgba> {
        let mut palette = Vec::new();
        let ramp = Ramp::add(&mut palette, theme, which);
        ramp.scale().into_iter().map(|colour| palette[usize::from(colour.0)]).collect()
    }

    #[test]
    fn larger_values_stand_out_more_whatever_colours_one_can_tell_apart() {
        let is_monotone = |colours: &[Rgba], sign: f32| {
            colours.windows(2).all(|pair| sign * (lightness(pair[1]) - lightness(pair[0])) >= -0.3)
        };
        assert!(is_monotone(&scale(Theme::Light, Palette::Sequential), -1.0));
        assert!(is_monotone(&scale(Theme::Dark, Palette::Sequential), 1.0));
        assert!(is_monotone(&scale(Theme::Light, Palette::Loads), -1.0));
        assert!(is_monotone(&scale(Theme::Dark, Palette::Loads), 1.0));
        assert!(is_monotone(&scale(Theme::Light, Palette::Diverging), -1.0));
        // On black the brightest is in the middle; there hue tells on which side a value is.
        let dark = scale(Theme::Dark, Palette::Diverging);
        assert!(is_monotone(&dark[..STEPS / 2], 1.0));
        let warmth = |colour: &Rgba| i32::from(colour.0) - i32::from(colour.2);
        assert!(dark.windows(2).all(|pair| warmth(&pair[1]) >= warmth(&pair[0]) - 6));
    }

    #[test]
    fn what_is_on_time_recedes_in_either_theme() {
        for (theme, panel) in [(Theme::Light, 0xff_ffff), (Theme::Dark, 0x1b_1f26)] {
            for which in [Palette::Diverging, Palette::Sequential, Palette::Loads] {
                let colours = scale(theme, which);
                let contrast = |colour: Rgba| (lightness(colour) - lightness(Rgba::hex(panel))).abs();
                assert!(contrast(colours[0]) < 22.0 && contrast(colours[STEPS - 1]) > 45.0, "{theme:?} {which:?}");
            }
        }
    }

    #[test]
    fn neighbouring_phases_differ_and_all_colours_are_there() {
        let mut palette = vec![Rgba::hex(0)];
        let ramp = Ramp::add(&mut palette, Theme::Light, Palette::Diverging);
        assert_ne!(ramp.phase(7, Tone::Full), ramp.phase(8, Tone::Full));
        assert_eq!(usize::from(ramp.border().0), palette.len() - 1);
        assert_eq!(palette[usize::from(ramp.depth(99, Tone::DimmedPale).0)].3, DIMMED_PALE);
    }
}
