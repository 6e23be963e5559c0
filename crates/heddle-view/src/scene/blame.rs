//! Colours of who waits and who makes others wait: blue and orange, in either theme; the rest recedes into the panel.

use crate::scene::ramp::blend;
use crate::scene::theme::Theme;
use crate::scene::{ColourId, Rgba};

/// Colours of a scale.
const STEPS: usize = 48;

/// Stops from what recedes to what stands out: waiting, and making others wait; light and dark.
const WAITS: [[u32; 4]; 2] =
    [[0xe9_ecf0, 0xc3_d8ea, 0x8f_bee4, 0x5b_a0d8], [0x25_2b34, 0x2d_4660, 0x37_659a, 0x42_86c4]];
const MAKES: [[u32; 5]; 2] =
    [[0xf3_e3d6, 0xf7_bd8b, 0xee_8345, 0xd9_480f, 0x9e_1408], [0x3d_322e, 0x7c_4a33, 0xc9_6436, 0xff_7a3c, 0xff_4a3a]];
/// Communication without waiting, time that is useful, the path, and what lies around its line and behind labels.
const OWN: [u32; 2] = [0xb9_a3cf, 0x8d_76ab];
const USEFUL: [u32; 2] = [0xe9_ecf0, 0x2b_323c];
const PATH: [u32; 2] = [0x16_1b24, 0xf4_f6fa];
const PANEL: [u32; 2] = [0xff_ffff, 0x1b_1f26];
/// Opacity of a line where hops are many, of a rim, and of what lies behind labels.
const CROWD: u8 = 84;
const RIM: u8 = 150;
const BEHIND: u8 = 226;

/// Where these colours stand in a scene's palette.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlameInks {
    first: u16,
}

impl BlameInks {
    /// Appends the colours to a palette.
    pub(crate) fn add(palette: &mut Vec<Rgba>, theme: Theme) -> BlameInks {
        let row = usize::from(theme == Theme::Dark);
        let first = palette.len() as u16;
        let share = |at: usize| at as f32 / (STEPS - 1) as f32;
        palette.extend((0..STEPS).map(|at| blend(&WAITS[row], share(at))));
        palette.extend((0..STEPS).map(|at| blend(&MAKES[row], share(at))));
        let faint = |rgb: u32, opacity: u8| {
            let Rgba(red, green, blue, _) = Rgba::hex(rgb);
            Rgba(red, green, blue, opacity)
        };
        palette.extend([OWN, USEFUL, PATH].map(|colour| Rgba::hex(colour[row])));
        palette.extend([faint(PATH[row], CROWD), faint(PANEL[row], RIM), faint(PANEL[row], BEHIND)]);
        BlameInks { first }
    }

    fn step(self, share: f32) -> u16 {
        self.first + (share.clamp(0.0, 1.0) * (STEPS - 1) as f32).round() as u16
    }

    fn other(self, at: u16) -> ColourId {
        ColourId(self.first + 2 * STEPS as u16 + at)
    }

    /// Waits for this share of the time.
    pub(crate) fn waits(self, share: f32) -> ColourId {
        ColourId(self.step(share))
    }

    /// Makes others wait: a place on the scale, from 0 to 1.
    pub(crate) fn makes(self, share: f32) -> ColourId {
        ColourId(self.step(share) + STEPS as u16)
    }

    /// Communicates without waiting.
    pub(crate) fn own(self) -> ColourId {
        self.other(0)
    }

    /// Does what a run is for.
    pub(crate) fn useful(self) -> ColourId {
        self.other(1)
    }

    /// The critical path.
    pub(crate) fn path(self) -> ColourId {
        self.other(2)
    }

    /// The same where its hops are many.
    pub(crate) fn path_crowd(self) -> ColourId {
        self.other(3)
    }

    /// Around its line.
    pub(crate) fn rim(self) -> ColourId {
        self.other(4)
    }

    /// Behind labels.
    pub(crate) fn behind(self) -> ColourId {
        self.other(5)
    }

    /// All colours of making others wait.
    pub(crate) fn makes_scale(self) -> Vec<ColourId> {
        (0..STEPS as u16).map(|at| ColourId(self.first + STEPS as u16 + at)).collect()
    }

    /// All colours of waiting.
    pub(crate) fn waits_scale(self) -> Vec<ColourId> {
        (0..STEPS as u16).map(|at| ColourId(self.first + at)).collect()
    }
}
