//! What nodes, cables and ranks are called under the pointer: the same in all views of a machine.

use heddle_topology::{Cable, Direction, Element, Topology, Torus};

use super::loads::{Loads, load_text};
use crate::request::node_set::{LinkName, NodeSet};
use crate::request::picked::Picked;
use crate::request::selection::Selection;
use crate::request::window::RankSet;
use crate::scene::Rgba;
use crate::scene::ticks::{counted, grouped};

/// Sections that are named; the rest is added up.
const MOST_SECTIONS: usize = 4;

/// A node: where it is, who runs on it, what goes over its links.
pub(crate) fn node_picked(loads: &Loads<'_>, node: Element, colour: Rgba) -> Picked {
    let torus = loads.torus;
    let at = &torus.coordinates(node)[..torus.dimensions().len()];
    Picked {
        title: format!("Node {}", spaced(&torus.label(node))),
        colour,
        lines: node_lines(loads, &[node]),
        select: Some(Selection::Nodes(NodeSet::one(at))),
        toggles: None,
        sets: None,
        area: None,
    }
}

/// Several nodes that one solid stands for.
pub(crate) fn nodes_picked(loads: &Loads<'_>, nodes: &[Element], colour: Rgba) -> Picked {
    let mut is_in = vec![false; loads.torus.elements() as usize];
    for node in nodes {
        is_in[node.index()] = true;
    }
    Picked {
        title: counted(nodes.len() as u64, "node"),
        colour,
        lines: node_lines(loads, nodes),
        select: NodeSet::of(loads.torus, &is_in).map(Selection::Nodes),
        toggles: None,
        sets: None,
        area: None,
    }
}

fn node_lines(loads: &Loads<'_>, nodes: &[Element]) -> Vec<String> {
    let torus = loads.torus;
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
    let (mut sent, mut received, mut is_known) = (0.0, 0.0, false);
    for node in nodes {
        for dim in 0..torus.dimensions().len() {
            for direction in Direction::BOTH {
                let Some(link) = torus.link_from(*node, dim, direction) else { continue };
                let back = torus.opposite(link);
                for (link, sum) in [(Some(link), &mut sent), (back, &mut received)] {
                    let load = link.map_or(f64::NAN, |link| loads.links[link.index()]);
                    if !load.is_nan() {
                        *sum += load;
                        is_known = true;
                    }
                }
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
    let torus = loads.torus;
    let [plus, minus] = Direction::BOTH.map(|direction| Torus::link(cable, direction));
    let (from, to) = torus.ends(plus);
    let mut lines = vec![format!(
        "{} {} · {}, {}",
        loads.text_or_unknown(loads.cable(cable)),
        loads.options.direction.words(),
        loads.unit(),
        loads.traffic.origin.name()
    )];
    let (there, back) = (loads.links[plus.index()], loads.links[minus.index()]);
    if there.to_bits() != back.to_bits() {
        lines.push(format!("→ {}, ← {}", loads.text_or_unknown(there), loads.text_or_unknown(back)));
    }
    lines.extend(section_lines(loads, cable));
    Picked {
        title: format!("{} ↔ {}", spaced(&torus.label(from)), spaced(&torus.label(to))),
        colour,
        lines,
        select: Some(Selection::Link(LinkName::of(torus, plus))),
        toggles: None,
        sets: None,
        area: None,
    }
}

/// What sections put on a cable, the largest first.
fn section_lines(loads: &Loads<'_>, cable: Cable) -> Vec<String> {
    let [plus, minus] = Direction::BOTH.map(|direction| Torus::link(cable, direction).index());
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
        lines: if is_one { vec![format!("on node {}", spaced(&loads.torus.label(node)))] } else { Vec::new() },
        select: Some(Selection::Ranks(ranks.collect())),
        toggles: None,
        sets: None,
        area: None,
    }
}

fn spaced(label: &str) -> String {
    label.replace(',', ", ")
}
