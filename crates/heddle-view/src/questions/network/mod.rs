//! What the links of a machine say: figures and words about the traffic that a picture shows.

mod compare;
mod details;
mod tree;

use std::collections::BTreeMap;

use serde::Serialize;

use heddle_network::{Origin, Unit};
use heddle_topology::layout::{Axes, Projected, Spacing};
use heddle_topology::{Cable, Link, LoadStatistics, Torus};

use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::request::node_set::LinkName;
use crate::request::selection::Selection;
use crate::scene::ticks::{counted, grouped};
use crate::views::machine::loads::{Loads, load_text, share};
use crate::views::torus::projected::place_of;
use crate::views::torus::shown::{Part, axes_options};

pub(crate) use compare::networks;
pub use compare::{MappingRow, compare_mappings};
pub use details::{machine_details, message_route};
pub use tree::{LayerTold, SwitchesTold};

/// Bars of the histogram of loads.
const BARS: usize = 40;
/// Groups of links with equal loads that are listed.
const LISTED: usize = 12;

/// What there is to say of the traffic on a machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NetworkTold {
    /// `measured`, `predicted` or `simulated`.
    pub origin: &'static str,
    /// What is counted. Hostile text.
    pub unit: String,
    /// Whether values are bytes.
    pub is_bytes: bool,
    /// Names of the dimensions that the projected view looks along, has to the right, and has downwards; empty for none.
    pub axes: [String; 3],
    /// Options of each view that there is a small map of.
    pub views: Vec<BTreeMap<&'static str, String>>,
    /// Where dimensions beyond three are cut: name and place.
    pub cuts: Vec<(String, u32)>,
    /// Least and largest value that a cable shows.
    pub full: (f64, f64),
    /// The same in words.
    pub full_text: (String, String),
    /// Ends of the colour scale.
    pub range: (f64, f64),
    /// How many cables show a value in each of as many equal steps from the least to the largest.
    pub histogram: Vec<u32>,
    /// How many cables show nothing at all, and how many there are.
    pub idle: (u32, u32),
    /// Sections, in the order of their numbers.
    pub sections: Vec<SectionTold>,
    /// Figures of all links, and of each class.
    pub all: Figures,
    /// By class: dimensions of a torus.
    pub classes: Vec<Figures>,
    /// How full the switches of a tree are; none for other machines.
    pub switches: Option<SwitchesTold>,
    /// How full the switches of each layer of a tree are, from below; empty for other machines.
    pub layers: Vec<LayerTold>,
    /// Cables with the largest values, equal ones together.
    pub top: Vec<TopLinks>,
    /// What is worth saying, in sentences.
    pub words: Vec<String>,
    /// What was left out or assumed.
    pub notes: Vec<String>,
}

/// A section in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SectionTold {
    /// Its name. Hostile text.
    pub name: String,
    /// How many messages and collectives it is of; 0 if not known.
    pub operations: String,
    /// What ranks sent.
    pub sent: String,
    /// Whether it is shown.
    pub is_shown: bool,
}

/// Figures of some links.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Of which.
    pub name: String,
    /// How many.
    pub links: usize,
    /// The largest load.
    pub max: String,
    /// The mean.
    pub mean: String,
    /// Standard deviation over mean.
    pub cv: f64,
    /// How unevenly loads are shared out: 0 evenly, towards 1 by few.
    pub gini: f64,
    /// Share of links that carry nothing, 0 to 1.
    pub idle: f64,
}

/// Cables that show the same value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TopLinks {
    /// The value in words.
    pub text: String,
    /// The value on the colour scale, 0 to 1.
    pub share: f32,
    /// How many show it.
    pub links: usize,
    /// Their class, if it is one.
    pub class: String,
    /// The first of them.
    pub select: Selection,
    /// What that is called.
    pub label: String,
    /// Where its middle lies in the projected view, across and down; none if that does not show it.
    pub place: Option<(u32, u32)>,
}

/// What there is to say of the traffic that a request asks for; none if there is no machine.
pub fn about_network(trace: &Trace<'_>, request: &ViewRequest) -> Option<NetworkTold> {
    let loads = Loads::of(trace, request)?;
    let wanted = loads.network.options().wanted_sections();
    let sections = loads.traffic.sections.iter().enumerate().map(|(at, section)| SectionTold {
        name: section.name.clone(),
        operations: if section.operations > 0 { grouped(section.operations) } else { String::new() },
        sent: load_text(&loads.traffic.unit, section.sent),
        is_shown: wanted.as_ref().is_none_or(|wanted| wanted.contains(&at)),
    });
    let all = LoadStatistics::of(&loads.links);
    let by_class = LoadStatistics::by_class(&**loads.shape, &loads.links);
    let names = loads.shape.classes().iter().map(|class| class.name.clone());
    let classes: Vec<Figures> = names.zip(&by_class).map(|(name, one)| figures(&loads, name, one)).collect();
    let torus = match loads.shape.torus() {
        Some(torus) => Some((torus, Part::of(torus, &request.options.checked()).ok()?)),
        None => None,
    };
    let axes = torus.as_ref().map(|(torus, part)| {
        part.axes.dims().map(|dim| dim.map_or(String::new(), |dim| torus.dimensions()[dim].name.clone()))
    });
    let layers = tree::layers(trace, request, &loads);
    let switches = tree::switches(trace, request, &loads);
    let idle = loads.cables.iter().filter(|value| **value == 0.0).count() as u32;
    Some(NetworkTold {
        origin: loads.traffic.origin.name(),
        unit: loads.unit().to_owned(),
        is_bytes: loads.traffic.unit == Unit::Bytes,
        axes: axes.unwrap_or_default(),
        views: torus
            .as_ref()
            .map_or(Vec::new(), |(torus, _)| Axes::all(torus).iter().map(|axes| axes_options(axes, torus)).collect()),
        cuts: torus.as_ref().map_or(Vec::new(), |(torus, part)| part.cuts(torus)),
        full: loads.full,
        full_text: (loads.text(loads.full.0), loads.text(loads.full.1)),
        range: loads.range,
        histogram: histogram(&loads.cables, loads.full),
        idle: (idle, loads.shape.links() / 2),
        sections: sections.collect(),
        words: words(&loads, &all, &by_class).into_iter().chain(tree::words(&layers)).collect(),
        layers,
        switches,
        all: figures(&loads, "all".to_owned(), &all),
        classes,
        top: top(&loads, torus.as_ref().map(|(torus, part)| (*torus, part))),
        notes: loads.notes.clone(),
    })
}

fn figures(loads: &Loads<'_>, name: String, of: &LoadStatistics) -> Figures {
    let text = |value: f64| load_text(&loads.traffic.unit, value);
    Figures {
        name,
        links: of.links,
        max: text(of.max),
        mean: text(of.mean),
        cv: of.cv,
        gini: of.gini,
        idle: of.unused_part(),
    }
}

fn histogram(values: &[f64], (low, high): (f64, f64)) -> Vec<u32> {
    let mut bars = vec![0; BARS];
    for value in values.iter().filter(|value| !value.is_nan()) {
        let share = if high > low { (value - low) / (high - low) } else { 0.0 };
        bars[((share * BARS as f64) as usize).min(BARS - 1)] += 1;
    }
    bars
}

/// The fullest cables, equal ones together.
fn top(loads: &Loads<'_>, torus: Option<(&Torus, &Part)>) -> Vec<TopLinks> {
    let layout =
        torus.map(|(torus, part)| (torus, Projected::new(part.slice(torus, part.axes.dims()), Spacing::default())));
    let mut order: Vec<u32> = (0..loads.shape.links() / 2).filter(|at| loads.cables[*at as usize] > 0.0).collect();
    order.sort_by(|a, b| loads.cables[*b as usize].total_cmp(&loads.cables[*a as usize]).then(a.cmp(b)));
    let is_tree = loads.shape.fat_tree().is_some();
    let class = |at: u32| loads.shape.class(Link(2 * at));
    // What differs by rounding alone is equal.
    let is_equal = |a: &u32, b: &u32| {
        let (a, b) = (*a, *b);
        let (one, other) = (loads.cables[a as usize], loads.cables[b as usize]);
        (one - other).abs() <= one.abs() * 1e-9 && class(a) == class(b)
    };
    let groups = order.chunk_by(is_equal).take(LISTED);
    groups
        .map(|group| {
            let first = group[0];
            let value = loads.cables[first as usize];
            let [plus, minus] = [Link(2 * first), Link(2 * first + 1)];
            let heavier = if loads.links[minus.index()] > loads.links[plus.index()] { minus } else { plus };
            let (from, to) = loads.shape.ends(heavier);
            TopLinks {
                text: loads.text(value),
                // The legend of a tree is in per cent, these are bytes: they have the whole scale.
                share: if is_tree { share(value, loads.full) } else { loads.share(value) }.unwrap_or(0.0),
                links: group.len(),
                class: loads.shape.classes()[class(first)].name.clone(),
                select: Selection::Link(LinkName::of(&**loads.shape, heavier)),
                place: layout.as_ref().and_then(|(torus, layout)| place_of(layout, torus, Cable(first))),
                label: format!("{} ↔ {}", loads.shape.label(from), loads.shape.label(to)),
            }
        })
        .collect()
}

/// What a picky reader would say after a look at the figures. Each sentence follows from them, and names the kind of traffic.
fn words(loads: &Loads<'_>, all: &LoadStatistics, by_class: &[LoadStatistics]) -> Vec<String> {
    let mut words = Vec::new();
    if all.links == 0 || all.max <= 0.0 {
        words.push(match loads.traffic.origin {
            Origin::Predicted => {
                "Nothing is sent from one node to another here. Messages count when they are sent, collectives when \
                                  their last rank enters."
                    .to_owned()
            }
            _ => "No link carries anything here.".to_owned(),
        });
        return words;
    }
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let idle_classes: Vec<&str> = by_class
        .iter()
        .zip(loads.shape.classes())
        .filter(|(one, _)| one.links > 0 && one.unused == one.links)
        .map(|(_, class)| class.name.as_str())
        .collect();
    let mut idle = match all.unused {
        0 => "Every link carries something".to_owned(),
        _ => format!("{} of the links are idle", percent(all.unused_part())),
    };
    if !idle_classes.is_empty() {
        idle.push_str(&format!("; {} links carry nothing", idle_classes.join(" and ")));
    }
    words.push(format!("{idle}."));
    let busiest = by_class.iter().zip(loads.shape.classes()).max_by(|a, b| a.0.max.total_cmp(&b.0.max));
    if let Some((_, class)) = busiest {
        words.push(format!(
            "The fullest link is one of {}: {}, {:.1} times the mean of {}.",
            class.name,
            loads.text(all.max),
            all.max / all.mean.max(f64::MIN_POSITIVE),
            loads.text(all.mean),
        ));
    }
    let unknown = loads.links.len() - all.links;
    if unknown > 0 {
        words.push(format!("Of {} nothing is known.", counted(unknown as u64, "link")));
    }
    words
}
