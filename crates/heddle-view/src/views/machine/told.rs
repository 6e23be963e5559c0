//! What nodes, cables and ranks are called under the pointer: the same in all views of a machine.

use heddle_topology::routing::RoutingKind;
use heddle_topology::{Cable, Element, Link};

use super::loads::{Loads, load_text};
use crate::request::node_set::{LinkName, NodeSet};
use crate::request::picked::Picked;
use crate::request::selection::Selection;
use crate::request::window::RankSet;
use crate::scene::Rgba;
use crate::scene::ticks::{counted, grouped};

/// Sections that are named; the rest is added up.
const MOST_SECTIONS: usize = 4;

/// A node or a switch: where it is, who runs on it, what goes over its links.
pub(crate) fn node_picked(loads: &Loads<'_>, node: Element, colour: Rgba) -> Picked {
    Picked {
        title: element_title(loads, node),
        colour,
        lines: node_lines(loads, &[node]),
        select: Some(Selection::Nodes(NodeSet::one(&loads.shape.address(node)))),
        toggles: None,
        sets: None,
        area: None,
    }
}

/// What an element is called in a sentence: `node (1, 6, 5)`, `switch 2.120`, or the name that a file gives it.
pub(crate) fn node_name(loads: &Loads<'_>, element: Element) -> String {
    let label = spaced(&loads.shape.label(element));
    if loads.shape.torus().is_some() { format!("node {label}") } else { label }
}

/// The same at the head of something.
pub(crate) fn element_title(loads: &Loads<'_>, element: Element) -> String {
    let name = node_name(loads, element);
    // Names of hosts stay as they are.
    if ["node ", "switch ", "router "].iter().any(|kind| name.starts_with(kind)) {
        name[..1].to_uppercase() + &name[1..]
    } else {
        name
    }
}

/// Several nodes that one solid stands for.
pub(crate) fn nodes_picked(loads: &Loads<'_>, nodes: &[Element], colour: Rgba) -> Picked {
    let mut is_in = vec![false; loads.shape.elements() as usize];
    for node in nodes {
        is_in[node.index()] = true;
    }
    Picked {
        title: counted(nodes.len() as u64, "node"),
        colour,
        lines: node_lines(loads, nodes),
        select: NodeSet::of(loads.shape, &is_in).map(Selection::Nodes),
        toggles: None,
        sets: None,
        area: None,
    }
}

fn node_lines(loads: &Loads<'_>, nodes: &[Element]) -> Vec<String> {
    let ranks: Vec<u32> =
        nodes.iter().flat_map(|node| loads.network.machine.placement.ranks_of(*node)).copied().collect();
    let mut lines = vec![match &ranks[..] {
        [] => "no rank".to_owned(),
        [rank] => format!("rank {}", grouped((*rank).into())),
        several => {
            let text = several.iter().copied().collect::<RankSet>().to_string().replace('-', "–").replace(',', ", ");
            if text.chars().count() > 60 {
                format!("{} ranks", grouped(several.len() as u64))
            } else {
                format!("ranks {text}")
            }
        }
    }];
    let mut is_in = vec![false; loads.shape.elements() as usize];
    for node in nodes {
        is_in[node.index()] = true;
    }
    let (mut sent, mut received, mut is_known) = (0.0, 0.0, false);
    for (at, load) in loads.links.iter().enumerate().filter(|(_, load)| !load.is_nan()) {
        let (from, to) = loads.shape.ends(Link(at as u32));
        for (end, sum) in [(from, &mut sent), (to, &mut received)] {
            if is_in[end.index()] {
                *sum += load;
                is_known = true;
            }
        }
    }
    lines.push(if is_known {
        format!("{} out, {} in over its links", loads.text(sent), loads.text(received))
    } else {
        "nothing is known of its links".to_owned()
    });
    lines
}

/// A cable: its ends, what went each way, and in which sections.
pub(crate) fn cable_picked(loads: &Loads<'_>, cable: Cable, colour: Rgba) -> Picked {
    let shape = loads.shape;
    let [plus, minus] = cable.links();
    let (from, to) = shape.ends(plus);
    let mut lines = vec![format!(
        "{} {} · {}, {}",
        loads.text_or_unknown(loads.cables[cable.index()]),
        loads.options.direction.words(shape.torus().is_some()),
        loads.unit(),
        loads.traffic.origin.name()
    )];
    let (there, back) = (loads.links[plus.index()], loads.links[minus.index()]);
    if there.to_bits() != back.to_bits() {
        lines.push(format!("→ {}, ← {}", loads.text_or_unknown(there), loads.text_or_unknown(back)));
    }
    lines.extend(section_lines(loads, cable));
    Picked {
        title: format!("{} ↔ {}", spaced(&shape.label(from)), spaced(&shape.label(to))),
        colour,
        lines,
        select: Some(Selection::Link(LinkName::of(&**shape, plus))),
        toggles: None,
        sets: None,
        area: None,
    }
}

/// What sections put on a cable, the largest first.
fn section_lines(loads: &Loads<'_>, cable: Cable) -> Vec<String> {
    let [plus, minus] = cable.links().map(Link::index);
    let wanted = loads.network.options().wanted_sections();
    let is_wanted = |at: &usize| wanted.as_ref().is_none_or(|wanted| wanted.contains(at));
    let sections = loads.traffic.sections.iter().enumerate().filter(|(at, _)| is_wanted(at));
    let mut parts: Vec<(f64, &str)> = sections
        .map(|(_, section)| (loads.options.direction.of(section.loads[plus], section.loads[minus]), &*section.name))
        .filter(|(load, _)| *load > 0.0)
        .collect();
    if parts.len() < 2 && loads.traffic.sections.len() < 2 {
        return Vec::new();
    }
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let rest: f64 = parts.iter().skip(MOST_SECTIONS).map(|(load, _)| load).sum();
    let mut lines: Vec<String> = parts
        .iter()
        .take(MOST_SECTIONS)
        .map(|(load, name)| format!("{name}: {}", load_text(&loads.traffic.unit, *load)))
        .collect();
    if rest > 0.0 {
        lines.push(format!("{} more: {}", parts.len() - MOST_SECTIONS, load_text(&loads.traffic.unit, rest)));
    }
    lines
}

/// A rank, and where it runs.
pub(crate) fn rank_picked(loads: &Loads<'_>, ranks: std::ops::Range<u32>, colour: Rgba) -> Picked {
    let node = loads.network.machine.placement.node(ranks.start);
    let is_one = ranks.len() == 1;
    Picked {
        title: if is_one {
            format!("Rank {}", grouped(ranks.start.into()))
        } else {
            format!("Ranks {}–{}", grouped(ranks.start.into()), grouped((ranks.end - 1).into()))
        },
        colour,
        lines: if is_one { vec![format!("on {}", node_name(loads, node))] } else { Vec::new() },
        select: Some(Selection::Ranks(ranks.collect())),
        toggles: None,
        sets: None,
        area: None,
    }
}

fn spaced(label: &str) -> String {
    label.replace(',', ", ")
}

/// Which ways messages take where traffic is predicted.
pub(crate) fn routes(loads: &Loads<'_>) -> &'static str {
    match loads.network.routing_kind() {
        RoutingKind::Asp => "messages spread over all shortest paths",
        RoutingKind::Dor => "messages take one dimension after the other",
        RoutingKind::DorSimgrid => "messages take one dimension after the other, as in SimGrid",
        RoutingKind::DModK => "messages go up by the receiver's number",
        RoutingKind::Spread => "messages spread over all ways up",
        RoutingKind::Minimal => "messages go straight to the other group",
        RoutingKind::Valiant => "messages go by way of a third group",
    }
}
