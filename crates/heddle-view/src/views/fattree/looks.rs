//! Values and colours of switches, cables and blocks.

use heddle_network::{Utilisation, Whole};
use heddle_topology::{Element, FatTree, Topology};

use super::options::SwitchesBy;
use super::stage::{Item, Stages};
use crate::request::ViewRequest;
use crate::scene::ramp::{Palette, Ramp, Tone};
use crate::scene::theme::Theme;
use crate::scene::{ColourBar, ColourId, LegendEntry, Rgba};
use crate::views::machine::loads::{Loads, share};

/// Colours of layers, as in the paper: red, green, blue, cyan, magenta, yellow; light and dark. More layers begin anew.
const LAYERS: [[u32; 6]; 2] = [
    [0xd6_4545, 0x2f_9e54, 0x3b_6fd9, 0x14_a3b5, 0xb6_4fc0, 0xd9_a514],
    [0xf2_6d65, 0x4f_c177, 0x6f_96ff, 0x33_c3d6, 0xd6_7adf, 0xf0_c044],
];
/// Steps from an idle block to the busiest.
const BRIGHTNESS: usize = 16;
/// How much of its layer's colour an idle block has.
const DIMMEST: f32 = 0.22;

/// What is shown of switches and cables, in per cent: of capacity, or of the fullest link.
pub(crate) struct Values {
    pub(crate) utilisation: Utilisation,
    /// By element.
    elements: Vec<f64>,
    /// By cable.
    cables: Vec<f64>,
    /// Nothing, and what the fullest link has.
    pub(crate) full: (f64, f64),
    /// Ends of the colour scale.
    pub(crate) range: (f64, f64),
}

impl Values {
    pub(crate) fn of(tree: &FatTree, loads: &Loads<'_>, utilisation: Utilisation, by: SwitchesBy) -> Values {
        let percent = |share: &f64| share * 100.0;
        let links: Vec<f64> = utilisation.links.iter().map(percent).collect();
        let cables: Vec<f64> = links.chunks_exact(2).map(|pair| loads.options.direction.of(pair[0], pair[1])).collect();
        let mut elements: Vec<f64> = utilisation.elements.iter().map(percent).collect();
        if by == SwitchesBy::BusiestLink {
            elements = vec![f64::NAN; tree.elements() as usize];
            for (at, value) in links.iter().enumerate() {
                let (from, to) = tree.ends(heddle_topology::Link(at as u32));
                for end in [from, to] {
                    elements[end.index()] = elements[end.index()].max(*value);
                }
            }
        }
        // Whatever is drawn, and whatever switches are coloured by: all pictures of a tree have the same colours.
        let most = |values: &[f64]| values.iter().copied().filter(|value| !value.is_nan()).fold(0.0, f64::max);
        let full = (0.0, most(&links).max(most(&cables)));
        let range = loads.options.loads.map_or(full, |range| (range.low, range.high));
        Values { utilisation, elements, cables, full, range }
    }

    /// The largest value of some elements; not a number if none is known.
    pub(crate) fn of_elements(&self, elements: impl Iterator<Item = Element>) -> f64 {
        elements.map(|element| self.elements[element.index()]).fold(f64::NAN, f64::max)
    }

    pub(crate) fn of_item(&self, stages: &Stages<'_>, item: &Item) -> f64 {
        self.of_elements(stages.held(item).into_iter())
    }

    pub(crate) fn cable(&self, cable: u32) -> f64 {
        self.cables[cable as usize]
    }

    /// Where a value lies on the scale; none for what is idle, or below it; not a number for what is not known.
    pub(crate) fn share(&self, value: f64) -> Option<f32> {
        if value <= 0.0 { None } else { share(value, self.range) }
    }

    /// `of capacity`
    pub(crate) fn whole(&self) -> &'static str {
        self.utilisation.whole.words()
    }
}

/// A share of a hundred in words: `38.8 %`.
pub(crate) fn percent_text(value: f64) -> String {
    match value {
        value if value.is_nan() => "not known".to_owned(),
        value if value > 0.0 && value < 0.05 => "below 0.1 %".to_owned(),
        value if value == 0.0 || value >= 99.95 => format!("{value:.0} %"),
        value => format!("{value:.1} %"),
    }
}

/// Where the colours of a picture stand in its palette.
pub(crate) struct Looks {
    pub(crate) ramp: Ramp,
    first_layer: u16,
    first_block: u16,
    /// What is empty looks like the panel.
    pub(crate) empty: ColourId,
    pub(crate) plain: ColourId,
    by: SwitchesBy,
}

impl Looks {
    /// Adds the colours to a palette.
    pub(crate) fn add(
        palette: &mut Vec<Rgba>,
        request: &ViewRequest,
        by: SwitchesBy,
        (empty, plain): (ColourId, ColourId),
    ) -> Looks {
        let ramp = Ramp::add(palette, request.theme, Palette::Loads);
        let hues = LAYERS[usize::from(request.theme == Theme::Dark)].map(Rgba::hex);
        let first_layer = palette.len() as u16;
        palette.extend(hues);
        let first_block = palette.len() as u16;
        let panel = palette[usize::from(empty.0)];
        for hue in hues {
            palette.extend((0..BRIGHTNESS).map(|step| {
                let part = DIMMEST + (1.0 - DIMMEST) * step as f32 / (BRIGHTNESS - 1) as f32;
                let mix = |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * part).round() as u8;
                Rgba(mix(panel.0, hue.0), mix(panel.1, hue.1), mix(panel.2, hue.2), 255)
            }));
        }
        Looks { ramp, first_layer, first_block, empty, plain, by }
    }

    /// The colour of a layer of switches, from 1.
    pub(crate) fn layer(&self, layer: u32) -> ColourId {
        ColourId(self.first_layer + (layer.saturating_sub(1) % LAYERS[0].len() as u32) as u16)
    }

    /// The colour of a switch.
    pub(crate) fn switch(&self, layer: u32, share: Option<f32>) -> ColourId {
        match self.by {
            SwitchesBy::Layer => self.layer(layer),
            SwitchesBy::Plain => self.plain,
            SwitchesBy::Traffic | SwitchesBy::BusiestLink => self.value(share),
        }
    }

    /// The colour of a value; what is idle is empty.
    pub(crate) fn value(&self, share: Option<f32>) -> ColourId {
        match share {
            None => self.empty,
            Some(share) if share.is_nan() => self.ramp.missing(Tone::Full),
            Some(share) => self.ramp.at(share, Tone::Full),
        }
    }

    /// The colour of a block: that of its layer, the brighter the busier.
    pub(crate) fn block(&self, layer: u32, share: Option<f32>) -> ColourId {
        let share = match self.by {
            SwitchesBy::Layer => 1.0,
            SwitchesBy::Plain => return self.plain,
            _ => share.filter(|share| !share.is_nan()).unwrap_or(0.0),
        };
        let hue = (layer.saturating_sub(1) % LAYERS[0].len() as u32) as usize;
        let step = (share * (BRIGHTNESS - 1) as f32).round() as usize;
        ColourId(self.first_block + (hue * BRIGHTNESS + step.min(BRIGHTNESS - 1)) as u16)
    }

    /// What colours of values mean.
    pub(crate) fn bar(&self, loads: &Loads<'_>, values: &Values, has_cells: bool) -> Option<ColourBar> {
        if !matches!(self.by, SwitchesBy::Traffic | SwitchesBy::BusiestLink) {
            return None;
        }
        let what = match (self.by, values.utilisation.whole) {
            (SwitchesBy::BusiestLink, _) => "busiest link, %",
            (_, Whole::Capacity) => "% of capacity",
            (_, Whole::Fullest) => "% of fullest link",
        };
        // Blocks have brightness: that of any layer shows it.
        let blocks = (0..BRIGHTNESS).map(|step| ColourId(self.first_block + step as u16)).collect();
        let (low, high) = values.range;
        Some(ColourBar {
            title: format!("{what}, {}", loads.traffic.origin.name()),
            colours: if has_cells { self.ramp.scale() } else { blocks },
            from: (low, percent_text(low)),
            to: (high, percent_text(high)),
        })
    }

    /// Layers with their mean utilisation, from the top.
    pub(crate) fn legend(&self, values: &Values, layers: u32) -> Vec<LegendEntry> {
        let entry = |layer: u32| LegendEntry {
            colour: self.layer(layer),
            name: format!("layer {layer}"),
            value: values
                .utilisation
                .layers
                .get(layer as usize)
                .map_or(String::new(), |used| format!("mean {}", percent_text(used.utilisation.mean * 100.0))),
        };
        (1..=layers).rev().map(entry).collect()
    }
}
