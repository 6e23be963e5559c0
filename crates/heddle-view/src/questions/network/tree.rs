//! What the traffic does in a fat-tree: how full its layers are, how far up it goes, what a switch and a message's way are.

use heddle_network::{Unit, Utilisation};
use heddle_topology::{Element, FatTree, Link, Topology};
use serde::Serialize;

use crate::analyses::Trace;
use crate::questions::details::{Details, Fact};
use crate::request::ViewRequest;
use crate::request::node_set::{LinkName, NodeSet};
use crate::request::selection::Selection;
use crate::scene::ticks::grouped;
use crate::views::fattree::looks::{Values, percent_text};
use crate::views::fattree::options::SwitchesBy;
use crate::views::machine::loads::Loads;

/// Neighbours that are listed one by one.
const LISTED: usize = 16;

/// How full the switches of a layer are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LayerTold {
    /// Which, from 1.
    pub layer: u32,
    /// How many switches it has.
    pub switches: usize,
    /// Their mean utilisation, 0 to 1.
    pub mean: f64,
    /// The same in words.
    pub mean_text: String,
    /// The largest.
    pub max: f64,
    /// The same in words.
    pub max_text: String,
    /// How many carry nothing.
    pub idle: usize,
    /// Share of the bytes that nodes send to other nodes that comes up to this layer; none where nobody knows.
    pub reached: Option<f64>,
    /// What utilisation is a share of: `of capacity`, `of the fullest link`.
    pub of: &'static str,
    /// What all of its switches are called.
    pub select: Selection,
}

/// How full switches are: what the colours of all pictures of a tree mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SwitchesTold {
    /// Nothing, and what the fullest link has, in per cent.
    pub full: (f64, f64),
    /// How many switches are in each of as many equal steps between them.
    pub histogram: Vec<u32>,
    /// How many switches carry nothing, and how many there are.
    pub idle: (u32, u32),
    /// What it is a share of: `of capacity`, `of the fullest link`.
    pub of: &'static str,
}

/// How full the switches of a tree are; none where the machine is another.
pub(super) fn switches(trace: &Trace<'_>, request: &ViewRequest, loads: &Loads<'_>) -> Option<SwitchesTold> {
    let tree = loads.shape.fat_tree()?;
    let values = Values::of(tree, loads, loads.utilisation(trace, request), SwitchesBy::Traffic);
    let all = &values.utilisation.elements[tree.hosts() as usize..];
    let percent: Vec<f64> = all.iter().map(|share| share * 100.0).collect();
    Some(SwitchesTold {
        full: values.full,
        histogram: super::histogram(&percent, values.full),
        idle: (all.iter().filter(|share| **share == 0.0).count() as u32, tree.switches()),
        of: values.whole(),
    })
}

/// All layers of switches, from below; none where the machine is no tree.
pub(super) fn layers(trace: &Trace<'_>, request: &ViewRequest, loads: &Loads<'_>) -> Vec<LayerTold> {
    let Some(tree) = loads.shape.fat_tree() else { return Vec::new() };
    let utilisation = loads.utilisation(trace, request);
    let reached = reached(tree, loads);
    let told = |layer: u32| {
        let used = &utilisation.layers.get(layer as usize)?.utilisation;
        let all = format!("{layer},0-{}", tree.in_layer(layer).saturating_sub(1));
        Some(LayerTold {
            layer,
            switches: used.links,
            mean: used.mean,
            mean_text: percent_text(used.mean * 100.0),
            max: used.max,
            max_text: percent_text(used.max * 100.0),
            idle: used.unused,
            reached: reached.as_ref().map(|reached| reached[layer as usize - 1]),
            of: utilisation.whole.words(),
            select: Selection::Nodes(all.parse().ok()?),
        })
    };
    (1..=tree.layers()).filter_map(told).collect()
}

/// What share of the bytes comes up to each layer, from the first; none where cables skip layers, or nothing is known.
fn reached(tree: &FatTree, loads: &Loads<'_>) -> Option<Vec<f64>> {
    if loads.traffic.unit != Unit::Bytes {
        return None;
    }
    let mut up = vec![0.0; tree.layers() as usize];
    for cable in 0..tree.cables() {
        let (lower, upper) = tree.cable(cable);
        let (below, above) = (tree.layer(lower), tree.layer(upper));
        let load = loads.links[2 * cable as usize];
        if above != below + 1 || load.is_nan() {
            return None;
        }
        up[above as usize - 1] += load;
    }
    let all = up.first().copied().filter(|all| *all > 0.0)?;
    Some(up.into_iter().map(|bytes| bytes / all).collect())
}

/// What is worth saying of the layers, in sentences.
pub(super) fn words(layers: &[LayerTold]) -> Vec<String> {
    let mut words = Vec::new();
    let percent = |share: f64| percent_text(share * 100.0);
    let reached: Option<Vec<f64>> = layers.iter().map(|layer| layer.reached).collect();
    if let Some(reached) = reached.filter(|reached| reached.len() > 1) {
        let top = reached.len();
        let last = reached[top - 1];
        // Where most of it has turned: after a third of the layers, at least the first.
        let low = (top / 3).max(1);
        let below = 1.0 - reached[low];
        let where_low = match low {
            1 => "layer 1".to_owned(),
            2 => "layer 1 or 2".to_owned(),
            low => format!("layer {low} or below"),
        };
        words.push(if last > 0.0 {
            format!("{} of the bytes turn at {where_low}; {} reach layer {top}.", percent(below), percent(last))
        } else {
            let highest = reached.iter().rposition(|share| *share > 0.0).map_or(1, |at| at + 1);
            format!("{} of the bytes turn at {where_low}; none goes beyond layer {highest}.", percent(below))
        });
    }
    let (idle, all): (usize, usize) =
        (layers.iter().map(|layer| layer.idle).sum(), layers.iter().map(|layer| layer.switches).sum());
    if idle > 0 {
        words.push(format!("{} of {} switches are idle.", grouped(idle as u64), grouped(all as u64)));
    }
    if let (Some(first), Some(last)) = (layers.first(), layers.last())
        && layers.len() > 1
        && first.max > 0.0
    {
        words.push(format!(
            "On average, switches of layer 1 are at {} {}, those of layer {} at {}.",
            first.mean_text, first.of, last.layer, last.mean_text
        ));
    }
    words
}

/// Facts of one switch: its layer, how full it is beside the others there, its neighbours, and each of its ports.
pub(super) fn switch(
    trace: &Trace<'_>,
    request: &ViewRequest,
    loads: &Loads<'_>,
    switch: Element,
    details: &mut Details,
) {
    let Some(tree) = loads.shape.fat_tree() else { return };
    let (layer, _) = tree.place(switch);
    if layer == 0 {
        return;
    }
    let utilisation = loads.utilisation(trace, request);
    let of = utilisation.whole.words();
    let own = percent_text(utilisation.elements[switch.index()] * 100.0);
    let mean = utilisation.layers.get(layer as usize).map_or(f64::NAN, |used| used.utilisation.mean);
    let select = format!("{layer},0-{}", tree.in_layer(layer) - 1).parse().ok().map(Selection::Nodes);
    details.facts.push(Fact { select, ..Fact::plain("Layer", format!("{layer} of {}", tree.layers())) });
    let text = format!("{own} {of}; the mean of its layer is {}", percent_text(mean * 100.0));
    details.facts.push(Fact::plain("Utilisation", text));
    for (label, cables, is_up) in [("Up to", tree.up(switch), true), ("Down to", tree.down(switch), false)] {
        neighbours(loads, tree, label, cables, is_up, details);
    }
    let first_down = first_down_port(tree, switch);
    for (port, cable) in tree.up(switch).iter().enumerate() {
        port_fact(loads, &utilisation, tree, port, *cable, true, details);
    }
    for (port, cable) in tree.down(switch).iter().enumerate() {
        port_fact(loads, &utilisation, tree, first_down + port, *cable, false, details);
    }
}

/// Who is above, or below: one by one if there are few.
fn neighbours(
    loads: &Loads<'_>,
    tree: &FatTree,
    label: &'static str,
    cables: &[u32],
    is_up: bool,
    details: &mut Details,
) {
    let end = |cable: &u32| if is_up { tree.cable(*cable).1 } else { tree.cable(*cable).0 };
    let mut all: Vec<Element> = cables.iter().map(end).collect();
    all.sort_unstable();
    all.dedup();
    if all.len() > LISTED {
        let mut is_in = vec![false; tree.elements() as usize];
        for element in &all {
            is_in[element.index()] = true;
        }
        let select = NodeSet::of(loads.shape, &is_in).map(Selection::Nodes);
        let (first, last) = (tree.label(all[0]), tree.label(all[all.len() - 1]));
        let text = format!("{} from {first} to {last}", grouped(all.len() as u64));
        details.facts.push(Fact { select, ..Fact::plain(label, text) });
        return;
    }
    for element in all {
        let select = Selection::Nodes(NodeSet::one(&tree.address(element)));
        details.facts.push(Fact::selecting(label, tree.label(element), select));
    }
}

/// Down ports come after the up ports, as the paper numbers them. Those of the last layer have none, but are the same switches as
/// the others: where there is a rule, their down ports have the same numbers.
fn first_down_port(tree: &FatTree, switch: Element) -> usize {
    let (layer, _) = tree.place(switch);
    match tree.rule() {
        Some(rule) if layer == tree.layers() && layer > 1 => {
            let below = layer as usize - 1;
            (rule.parents[below] * rule.cables[below]) as usize
        }
        _ => tree.up(switch).len(),
    }
}

/// A port: what goes out of it, and what comes in.
fn port_fact(
    loads: &Loads<'_>,
    utilisation: &Utilisation,
    tree: &FatTree,
    port: usize,
    cable: u32,
    is_up: bool,
    details: &mut Details,
) {
    let (up, down) = (Link(2 * cable), Link(2 * cable + 1));
    let (out, back) = if is_up { (up, down) } else { (down, up) };
    let far = tree.ends(out).1;
    let percent = |link: Link| percent_text(utilisation.links[link.index()] * 100.0);
    let text = format!(
        "{port} {} {}: {} out ({}), {} in ({})",
        if is_up { "↑" } else { "↓" },
        tree.label(far),
        loads.text_or_unknown(loads.links[out.index()]),
        percent(out),
        loads.text_or_unknown(loads.links[back.index()]),
        percent(back),
    );
    details.facts.push(Fact::selecting("Port", text, Selection::Link(LinkName::of(&**loads.shape, out))));
}

/// The way of a message, switch by switch, each with the port that it leaves by: up ports first, as the paper numbers them.
pub(super) fn route(tree: &FatTree, path: &[Link]) -> Vec<Fact> {
    let (Some(first), Some(last)) = (path.first(), path.last()) else { return Vec::new() };
    let (from, to) = (tree.ends(*first).0, tree.ends(*last).1);
    let turn = path.iter().map(|link| tree.layer(tree.ends(*link).1)).max().unwrap_or(0);
    let text = format!(
        "{} links from {} to {}, turning at layer {turn}; predicted",
        path.len(),
        tree.label(from),
        tree.label(to)
    );
    let mut facts = vec![Fact::plain("Way", text)];
    for link in path.iter().skip(1) {
        let switch = tree.ends(*link).0;
        let (layer, number) = tree.place(switch);
        let (ups, downs) = (tree.up(switch), tree.down(switch));
        let cable = link.cable().0;
        let port = match ups.iter().position(|known| *known == cable) {
            Some(port) => format!("↑ port {port}"),
            None => downs
                .iter()
                .position(|known| *known == cable)
                .map_or(String::new(), |port| format!("↓ port {}", first_down_port(tree, switch) + port)),
        };
        let name = if tree.rule().is_some() { format!("{layer}.{number}") } else { tree.label(switch) };
        let select = Selection::Nodes(NodeSet::one(&tree.address(switch)));
        facts.push(Fact::selecting("Switch", format!("{name} {port}"), select));
    }
    facts
}
