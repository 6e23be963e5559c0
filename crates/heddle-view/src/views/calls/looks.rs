//! How calls of each region look: colour, whether they stand out, and their place in the legend.

use heddle_model::RegionId;
use heddle_store::Store;
use heddle_store::index::call_regions;

use crate::request::Emphasis;
use crate::scene::theme::{Colours, regions_by_time};
use crate::scene::{ColourId, Rgba};

/// Functions with an entry of their own in legend and histogram; the others share the last one.
const MOST_ENTRIES: usize = 12;
/// How much is left of the colour of what recedes.
const FADED: f32 = 0.3;

/// How calls of a region look.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// Red, green, blue.
    pub(super) colour: [u8; 3],
    /// 0, or 1 for what stands out while the rest recedes.
    pub(super) layer: u8,
    /// Number in the legend.
    pub(super) entry: u8,
    /// Whether it is drawn at all.
    pub(super) is_drawn: bool,
}

/// What is said about a colour.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) colour: ColourId,
}

/// The looks of all regions.
#[derive(Debug)]
pub(super) struct Looks {
    of_region: Vec<Look>,
    pub(super) entries: Vec<Entry>,
    /// Of regions that have no number of their own in the index.
    others: Look,
    /// 2 if something stands out, else 1.
    pub(super) layers: usize,
}

impl Looks {
    pub(super) fn new(store: &Store, colours: &Colours, emphasis: &Emphasis) -> Looks {
        let is_call = call_regions(&store.regions);
        let drawn = |region: u64| is_call[region as usize] && !emphasis.hides(RegionId(region as u32));
        let palette = colours.palette();
        let rgb = |colour: ColourId| palette.get(usize::from(colour.0)).copied().unwrap_or(Rgba(128, 128, 128, 255));
        let background = rgb(colours.background());
        let none = Look { colour: [0; 3], layer: 0, entry: 0, is_drawn: false };
        let mut of_region = vec![none; store.regions.len() as usize];
        let mut entries = Vec::new();
        let order: Vec<u64> = regions_by_time(store)
            .into_iter()
            .filter(|region| drawn(*region) && store.regions.count.get(*region) > 0)
            .collect();
        let own = if order.len() > MOST_ENTRIES { MOST_ENTRIES - 1 } else { MOST_ENTRIES };
        for (at, region) in order.iter().enumerate() {
            let id = RegionId(*region as u32);
            let colour = colours.region(id);
            let shown = if emphasis.fades(id) { colours.faded(colour) } else { colour };
            if at < own {
                entries.push(Entry { name: store.regions.name.get(*region).to_owned(), colour: shown });
            } else if at == own {
                let grey = colours.region(RegionId::NONE);
                let colour = if emphasis.highlighted.is_empty() { grey } else { colours.faded(grey) };
                entries.push(Entry { name: format!("{} others", order.len() - own), colour });
            }
            let Rgba(red, green, blue, _) = rgb(colour);
            let mix = |part: u8, behind: u8| (f32::from(part) * FADED + f32::from(behind) * (1.0 - FADED)) as u8;
            let faded = [mix(red, background.0), mix(green, background.1), mix(blue, background.2)];
            of_region[*region as usize] = Look {
                colour: if emphasis.fades(id) { faded } else { [red, green, blue] },
                layer: u8::from(!emphasis.highlighted.is_empty() && !emphasis.fades(id)),
                entry: at.min(own) as u8,
                is_drawn: true,
            };
        }
        let Rgba(red, green, blue, _) = rgb(colours.region(RegionId::NONE));
        let entry = entries.len().saturating_sub(1) as u8;
        let others = Look { colour: [red, green, blue], layer: 0, entry, is_drawn: true };
        Looks { of_region, entries, others, layers: 1 + usize::from(!emphasis.highlighted.is_empty()) }
    }

    /// How regions look that the index does not tell apart.
    pub(super) fn others(&self) -> Look {
        self.others
    }

    /// The colour of the one entry that stands out.
    pub(super) fn stressed_colour(&self) -> Option<ColourId> {
        let mut stressed = self.entries.iter().zip(self.stressed_entries()).filter(|(_, is)| *is);
        let (only, _) = stressed.next().filter(|_| self.layers > 1)?;
        stressed.next().is_none().then_some(only.colour)
    }

    /// Which entries of the legend stand out, or all.
    pub(super) fn stressed_entries(&self) -> Vec<bool> {
        let mut stressed = vec![false; self.entries.len()];
        for look in self.of_region.iter().filter(|look| look.is_drawn && usize::from(look.layer) + 1 == self.layers) {
            stressed[usize::from(look.entry)] = true;
        }
        stressed
    }

    /// How a region looks, if it is drawn.
    #[inline]
    pub(super) fn of(&self, region: RegionId) -> Option<&Look> {
        self.of_region.get(region.index()).filter(|look| look.is_drawn)
    }
}
