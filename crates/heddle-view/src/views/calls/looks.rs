//! How calls look: colour, whether they stand out, and their place in the legend. Colours are those of the function that
//! is called, or of the one that it is called from.

use rustc_hash::FxHashMap;

use heddle_model::RegionId;
use heddle_store::Store;
use heddle_store::index::call_regions;

use crate::request::{Emphasis, ViewRequest};
use crate::scene::theme::{Colours, regions_by_time};
use crate::scene::{ColourId, Rgba};
use heddle_profile::callers::Callers;

/// Functions with an entry of their own in legend and histogram; the others share the last one.
const MOST_ENTRIES: usize = 12;
/// How much is left of the colour of what recedes.
const FADED: f32 = 0.3;

/// How calls of a region look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    /// Red, green, blue.
    pub(super) colour: [u8; 3],
    /// 0, or 1 for what stands out while the rest recedes.
    pub(super) layer: u8,
    /// Number in the legend.
    pub(super) entry: u8,
    /// Whether it is drawn at all.
    pub(super) is_drawn: bool,
    /// Its number among all that differ: below [`Looks::count`].
    pub(super) number: u16,
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
    /// How many looks there are.
    pub(super) count: usize,
    /// Where colours are those of callers.
    by_caller: Option<CallerLooks>,
}

/// How calls look by who made them.
#[derive(Debug)]
struct CallerLooks {
    callers: Callers,
    of_region: Vec<CallerLook>,
    none: CallerLook,
    /// Colours that the trace's palette does not have.
    colours: Vec<Rgba>,
}

#[derive(Clone, Copy, Debug)]
struct CallerLook {
    colour: [u8; 3],
    faded: [u8; 3],
    entry: u8,
    is_highlighted: bool,
}

impl Looks {
    pub(super) fn new(store: &Store, colours: &Colours, emphasis: &Emphasis) -> Looks {
        let is_call = call_regions(&store.regions);
        let drawn = |region: u64| is_call[region as usize] && !emphasis.hides(RegionId(region as u32));
        let palette = colours.palette();
        let rgb = |colour: ColourId| palette.get(usize::from(colour.0)).copied().unwrap_or(Rgba(128, 128, 128, 255));
        let background = rgb(colours.background());
        let none = Look { colour: [0; 3], layer: 0, entry: 0, is_drawn: false, number: 0 };
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
            of_region[*region as usize] = Look {
                colour: if emphasis.fades(id) { faded(rgb(colour), background) } else { [red, green, blue] },
                layer: u8::from(!emphasis.highlighted.is_empty() && !emphasis.fades(id)),
                entry: at.min(own) as u8,
                is_drawn: true,
                number: 0,
            };
        }
        let Rgba(red, green, blue, _) = rgb(colours.region(RegionId::NONE));
        let entry = entries.len().saturating_sub(1) as u8;
        let mut others = Look { colour: [red, green, blue], layer: 0, entry, is_drawn: true, number: 0 };
        let mut numbers = FxHashMap::default();
        for look in of_region.iter_mut().filter(|look| look.is_drawn).chain([&mut others]) {
            let next = numbers.len() as u16;
            look.number = *numbers.entry((look.colour, look.layer, look.entry)).or_insert(next);
        }
        let layers = 1 + usize::from(!emphasis.highlighted.is_empty());
        Looks { of_region, entries, others, layers, count: numbers.len(), by_caller: None }
    }

    /// The same calls, coloured by what they were called from.
    pub(super) fn by_caller(self, store: &Store, colours: &Colours, request: &ViewRequest) -> Looks {
        let palette = colours.palette();
        let callers = Callers::new(store);
        let order = callers.by_time(store, &call_regions(&store.regions));
        let emphasis = &request.emphasis;
        let background = palette[usize::from(colours.background().0)];
        let grey = palette[usize::from(colours.region(RegionId::NONE).0)];
        let pale = palette[usize::from(colours.ink().faint.0)];
        let known: Vec<(String, Rgba)> = order
            .iter()
            .zip(request.book.callers(store, &order))
            .map(|(caller, rgb)| (store.regions.name.get(u64::from(caller.0)).to_owned(), Rgba::hex(rgb)))
            .collect();
        let own = known.len();
        // On a dark ground the same colours need more light.
        let light = if background.0 < 128 { 0.3 } else { 0.0 };
        let lit = |part: u8| (f32::from(part) + (255.0 - f32::from(part)) * light) as u8;
        let known = known
            .into_iter()
            .map(|(name, Rgba(red, green, blue, _))| (name, Rgba(lit(red), lit(green), lit(blue), 255)));
        let rest = [("other callers".to_owned(), grey), ("no caller".to_owned(), pale)];
        let all: Vec<(String, Rgba)> = known.chain(rest).collect();
        let look = |entry: usize, is_highlighted: bool| {
            let Rgba(red, green, blue, _) = all[entry].1;
            let faded = faded(all[entry].1, background);
            CallerLook { colour: [red, green, blue], faded, entry: entry as u8, is_highlighted }
        };
        let of_region = (0..store.regions.len() as u32).map(RegionId).map(|region| {
            let entry = order.iter().take(own).position(|caller| *caller == region).unwrap_or(own);
            look(entry, emphasis.highlighted.contains(&region))
        });
        let by_caller = CallerLooks {
            callers,
            of_region: of_region.collect(),
            none: look(own + 1, false),
            colours: all.iter().map(|(_, colour)| *colour).collect(),
        };
        let entries = (palette.len() as u16..).zip(all).map(|(id, (name, _))| Entry { name, colour: ColourId(id) });
        let entries: Vec<Entry> = entries.collect();
        // Of each caller what stands out, and what does not.
        Looks { count: 2 * entries.len(), entries, by_caller: Some(by_caller), ..self }
    }

    /// Who counts as a caller, where colours depend on it.
    pub(super) fn callers(&self) -> Option<&Callers> {
        self.by_caller.as_ref().map(|looks| &looks.callers)
    }

    /// Colours that follow those of the trace in the palette.
    pub(super) fn more_colours(&self) -> &[Rgba] {
        self.by_caller.as_ref().map_or(&[], |looks| &looks.colours)
    }

    /// How a call looks, if it is drawn. Where colours are those of callers, a call stands out with its caller too.
    #[inline]
    pub(super) fn of_call(&self, region: RegionId, caller: RegionId) -> Option<Look> {
        let look = *self.of(region)?;
        let Some(by_caller) = &self.by_caller else { return Some(look) };
        let caller = by_caller.of_region.get(caller.index()).unwrap_or(&by_caller.none);
        let is_high = look.layer > 0 || caller.is_highlighted;
        let colour = if self.layers > 1 && !is_high { caller.faded } else { caller.colour };
        let (layer, entry) = (u8::from(is_high), caller.entry);
        Some(Look { colour, layer, entry, is_drawn: true, number: 2 * u16::from(entry) + u16::from(layer) })
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
        if self.by_caller.is_some() {
            // Calls of any caller may stand out.
            return vec![true; self.entries.len()];
        }
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

/// A colour of which only a part is left in front of another.
fn faded(colour: Rgba, behind: Rgba) -> [u8; 3] {
    let mix = |part: u8, behind: u8| (f32::from(part) * FADED + f32::from(behind) * (1.0 - FADED)) as u8;
    [mix(colour.0, behind.0), mix(colour.1, behind.1), mix(colour.2, behind.2)]
}
