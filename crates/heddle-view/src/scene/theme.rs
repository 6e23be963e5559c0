//! Colours: of the frame, and of functions. The same function has the same colour in every view.
//!
//! The palette can be told apart by colour-blind people. What waits or communicates stands out; the
//! program's own functions recede into the panel, since that is where time should be spent, unless whoever recorded the
//! trace chose colours for them.

use heddle_model::{Paradigm, RegionId};
use heddle_store::Store;
use rustc_hash::FxHashMap;

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

/// Functions that everybody knows by colour.
const KNOWN: [(&str, u32); 9] = [
    ("MPI_Send", 0xe6_9f00),
    ("MPI_Isend", 0xf0_c456),
    ("MPI_Recv", 0x00_72b2),
    ("MPI_Irecv", 0x7a_b8dd),
    ("MPI_Waitall", 0x56_b4e9),
    ("MPI_Allreduce", 0xcc_5f8f),
    ("MPI_Reduce", 0xd5_5e00),
    ("MPI_Bcast", 0x00_9e73),
    ("MPI_Barrier", 0x80_69c6),
];

/// For the next ones, the most common first.
const SPARE: [u32; 8] = [0x94_7b2d, 0x2f_8f8b, 0xb8_4a4a, 0x5b_7bd5, 0x7f_9b31, 0xa8_629b, 0x6b_5b4b, 0x3d_6f9e];

/// Everything that is too rare for a colour of its own.
const OTHER: u32 = 0x9a_a3af;

/// The program's own functions, receding.
const OWN: [[u32; 6]; 2] = [
    [0xd9_e0e9, 0xe4_decf, 0xd8_e5d9, 0xe3_d9e1, 0xd4_e3e6, 0xea_e2c8],
    [0x33_3c49, 0x42_3d33, 0x32_4034, 0x3f_3540, 0x30_4042, 0x44_3e2c],
];

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
const FRAME: [[u32; 11]; 2] = [
    [
        0xff_ffff, 0x1c_2330, 0x56_6072, 0x8b_94a3, 0xdf_e2e7, 0xec_eef1, 0xe9_ecf0, 0x56_6072, 0x25_63c9, 0x1c_2330,
        0xff_ffff,
    ],
    [
        0x1b_1f26, 0xe6_e9ee, 0xa3_adbb, 0x6e_7887, 0x2c_323c, 0x24_2a33, 0x25_2b34, 0xa3_adbb, 0x6e_a8fe, 0x14_171c,
        0xff_ffff,
    ],
];

/// Opacity of what recedes while something else stands out.
const FADED: u8 = 56;

/// The name without the P of MPI's profiling interface: `PMPI_Send` is `MPI_Send`.
fn plain_name(name: &str) -> &str {
    name.strip_prefix('P').filter(|rest| rest.starts_with("MPI_")).unwrap_or(name)
}

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
    /// Gives every region its colour, the ones with most time first.
    pub fn of(store: &Store, theme: Theme) -> Colours {
        let row = usize::from(theme == Theme::Dark);
        let mut palette: Vec<Rgba> = FRAME[row].iter().map(|rgb| Rgba::hex(*rgb)).collect();
        // Lines cross what they lie over; it must stay readable beneath.
        palette[usize::from(MESSAGE.0)].3 = 150;
        let mut add = |rgb: u32| {
            palette.push(Rgba::hex(rgb));
            ColourId(palette.len() as u16 - 1)
        };
        let other = add(OTHER);
        let known: Vec<ColourId> = KNOWN.iter().map(|(_, rgb)| add(*rgb)).collect();
        let spare: Vec<ColourId> = SPARE.iter().map(|rgb| add(*rgb)).collect();
        let idle = add(IDLE[row]);
        let own: Vec<ColourId> = OWN[row].iter().map(|rgb| add(*rgb)).collect();
        let regions = &store.regions;
        let order = regions_by_time(store);
        let communicates = |region: u64| regions.communicates(RegionId(region as u32));
        // Without communication nothing needs to stand out against the program: everything gets a full colour.
        let is_plain = !order.iter().any(|region| regions.count.get(*region) > 0 && communicates(*region));
        let (mut next_spare, mut next_own) = (0, 0);
        let mut by_choice = FxHashMap::<u32, ColourId>::default();
        let mut of_region = vec![other; regions.len() as usize];
        for region in order {
            let (name, chosen) = (regions.name.get(region), regions.colour.get(region));
            of_region[region as usize] =
                if let Some(at) = KNOWN.iter().position(|(known, _)| *known == plain_name(name)) {
                    known[at]
                } else if regions.paradigm_of(RegionId(region as u32)) == Paradigm::Idle {
                    idle
                } else if chosen != u32::MAX && !communicates(region) {
                    *by_choice.entry(chosen).or_insert_with(|| add(chosen))
                } else if is_plain || communicates(region) {
                    next_spare += 1;
                    spare.get(next_spare - 1).copied().unwrap_or(other)
                } else {
                    next_own += 1;
                    own[(next_own - 1) % own.len()]
                };
        }
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
