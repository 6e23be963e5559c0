//! Colours: of the frame, and of functions. The same function has the same colour in every view.
//!
//! Which colours there are is in `palette`, which name has which in a `ColourBook`. What waits or communicates stands out; the
//! program's own functions recede into the panel, since that is where time should be spent, unless whoever recorded the
//! trace chose colours for them.

use heddle_model::RegionId;
use heddle_store::Store;
use rustc_hash::FxHashMap;

use crate::scene::book::{ColourBook, Hue};
use crate::scene::palette::{Family, KNOWN};
use crate::scene::{ColourId, Ink, Rgba};

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark on white, as on paper.
    #[default]
    Light,
    /// Light on black, as on a screen at night.
    Dark,
}

/// What has no colour of its own: several functions together.
const OTHER: u32 = 0x9a_a3af;

/// Waiting for work, between the panel and everything that works.
const IDLE: [u32; 2] = [0xdb_dfe6, 0x2e_3541];

/// Positions of the frame's colours in every palette.
const BACKGROUND: ColourId = ColourId(0);
const STRONG: ColourId = ColourId(1);
const TEXT: ColourId = ColourId(2);
const FAINT: ColourId = ColourId(3);
const LINE: ColourId = ColourId(4);
const GRID: ColourId = ColourId(5);
const COMPUTE: ColourId = ColourId(6);
const MESSAGE: ColourId = ColourId(7);
const ACCENT: ColourId = ColourId(8);
const ON_LIGHT: ColourId = ColourId(9);
const ON_DARK: ColourId = ColourId(10);
const MESSAGE_RIM: ColourId = ColourId(11);
const MESSAGE_CROWD: ColourId = ColourId(12);
const FRAME: [[u32; 13]; 2] = [
    [
        0xff_ffff, 0x1c_2330, 0x56_6072, 0x8b_94a3, 0xdf_e2e7, 0xec_eef1, 0xe9_ecf0, 0x1c_2330, 0x25_63c9, 0x1c_2330,
        0xff_ffff, 0xff_ffff, 0x1c_2330,
    ],
    [
        0x1b_1f26, 0xe6_e9ee, 0xa3_adbb, 0x6e_7887, 0x2c_323c, 0x24_2a33, 0x25_2b34, 0xf2_f4f8, 0x6e_a8fe, 0x14_171c,
        0xff_ffff, 0x14_171c, 0xf2_f4f8,
    ],
];
/// Lines cross what they lie over, which must stay readable beneath: opacity of a line, of its rim, and of one among many.
const MESSAGE_OPACITY: [(ColourId, u8); 3] = [(MESSAGE, 200), (MESSAGE_RIM, 150), (MESSAGE_CROWD, 96)];

/// Opacity of what recedes while something else stands out.
const FADED: u8 = 56;

/// All regions, those with most time of their own in the whole trace first: an order that zooming does not change.
pub fn regions_by_time(store: &Store) -> Vec<u64> {
    let mut order: Vec<u64> = (0..store.regions.len()).collect();
    order.sort_by_key(|region| (std::cmp::Reverse(store.regions.exclusive.get(*region)), *region));
    order
}

/// The colours of a trace in a theme.
#[derive(Clone, Debug)]
pub struct Colours {
    palette: Vec<Rgba>,
    of_region: Vec<ColourId>,
    other: ColourId,
    /// How many colours there are; the faded ones follow in the same order.
    full: u16,
}

impl Colours {
    /// Every region has the colour that the book says; a trace that is not in the book comes after those that are.
    pub fn of(store: &Store, book: &ColourBook, theme: Theme) -> Colours {
        let row = usize::from(theme == Theme::Dark);
        let mut palette: Vec<Rgba> = FRAME[row].iter().map(|rgb| Rgba::hex(*rgb)).collect();
        for (colour, opacity) in MESSAGE_OPACITY {
            palette[usize::from(colour.0)].3 = opacity;
        }
        let mut add = |rgb: u32| {
            palette.push(Rgba::hex(rgb));
            ColourId(palette.len() as u16 - 1)
        };
        let other = add(OTHER);
        let fixed: Vec<ColourId> = KNOWN.iter().map(|(_, rgb)| add(rgb[row])).collect();
        let idle = add(IDLE[row]);
        let families =
            Family::ALL.map(|family| family.colours(row).iter().map(|rgb| add(*rgb)).collect::<Vec<ColourId>>());
        let mut by_choice = FxHashMap::<u32, ColourId>::default();
        let (regions, book) = (&store.regions, book.with(store));
        let of_region = (0..regions.len()).map(|region| match book.of(regions.name.get(region)) {
            Some(Hue::Known(at)) => fixed[at],
            Some(Hue::Idle) => idle,
            Some(Hue::Chosen(rgb)) => *by_choice.entry(rgb).or_insert_with(|| add(rgb)),
            Some(Hue::Of(family, at)) => families[family as usize][at],
            None => other,
        });
        let of_region = of_region.collect();
        let full = palette.len() as u16;
        palette.extend_from_within(..);
        palette[usize::from(full)..].iter_mut().for_each(|colour| colour.3 = FADED);
        Colours { palette, of_region, other, full }
    }

    /// The colour of a region.
    pub fn region(&self, region: RegionId) -> ColourId {
        self.of_region.get(region.index()).copied().unwrap_or(self.other)
    }

    /// The same colour, receding.
    pub(crate) fn faded(&self, colour: ColourId) -> ColourId {
        ColourId(colour.0 % self.full + self.full)
    }

    /// The colour of a region as numbers.
    pub fn rgba(&self, region: RegionId) -> Rgba {
        self.palette[usize::from(self.region(region).0)]
    }

    /// What is selected.
    pub fn accent(&self) -> ColourId {
        ACCENT
    }

    /// Ink that can be read on a colour.
    pub(crate) fn ink_on(Rgba(red, green, blue, _): Rgba) -> ColourId {
        let brightness = 0.299 * f32::from(red) + 0.587 * f32::from(green) + 0.114 * f32::from(blue);
        if brightness > 140.0 { ON_LIGHT } else { ON_DARK }
    }

    /// Where nobody communicates.
    pub fn compute(&self) -> ColourId {
        COMPUTE
    }

    /// Lines of messages.
    pub fn message(&self) -> ColourId {
        MESSAGE
    }

    /// What lies around the line of a message, so that it is seen on every colour.
    pub fn message_rim(&self) -> ColourId {
        MESSAGE_RIM
    }

    /// Lines of messages where there are many.
    pub fn message_crowd(&self) -> ColourId {
        MESSAGE_CROWD
    }

    /// Behind everything.
    pub fn background(&self) -> ColourId {
        BACKGROUND
    }

    /// The frame's colours.
    pub fn ink(&self) -> Ink {
        Ink { strong: STRONG, text: TEXT, faint: FAINT, line: LINE, grid: GRID }
    }

    /// All colours, for a scene.
    pub fn palette(&self) -> Vec<Rgba> {
        self.palette.clone()
    }
}
