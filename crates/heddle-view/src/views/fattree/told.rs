//! What switches, network cards and blocks are called under the pointer.

use std::collections::BTreeMap;

use heddle_topology::layout::tree::Block;
use heddle_topology::{Cable, Element};

use super::looks::{Values, percent_text};
use super::stage::Stages;
use crate::request::node_set::{LinkName, NodeSet};
use crate::request::picked::Picked;
use crate::request::selection::Selection;
use crate::scene::Rgba;
use crate::scene::ticks::grouped;
use crate::views::machine::loads::Loads;
use crate::views::machine::told::{node_name, node_picked};

/// A node or a switch, with how full it is beside those of its layer.
pub(super) fn element_picked(loads: &Loads<'_>, values: &Values, element: Element, colour: Rgba) -> Picked {
    let mut picked = node_picked(loads, element, colour);
    let layer = loads.shape.layer(element);
    if layer > 0 {
        // No rank runs on a switch.
        picked.lines.retain(|line| line != "no rank");
        picked.lines.insert(0, utilisation_line(values, element, layer));
    }
    picked
}

/// `27.3 % of capacity, the mean of layer 2 is 24.1 %`
pub(crate) fn utilisation_line(values: &Values, element: Element, layer: u32) -> String {
    let own = percent_text(values.utilisation.elements[element.index()] * 100.0);
    let mean = values.utilisation.layers.get(layer as usize).map_or(f64::NAN, |used| used.utilisation.mean);
    format!("{own} {}, the mean of layer {layer} is {}", values.whole(), percent_text(mean * 100.0))
}

/// Several switches, or nodes, that one solid stands for.
pub(super) fn several_picked(
    loads: &Loads<'_>,
    values: &Values,
    elements: &[Element],
    title: String,
    colour: Rgba,
) -> Picked {
    let mut is_in = vec![false; loads.shape.elements() as usize];
    for element in elements {
        is_in[element.index()] = true;
    }
    let busiest = values.of_elements(elements.iter().copied());
    Picked {
        title,
        colour,
        lines: vec![format!("up to {} {}", percent_text(busiest), values.whole())],
        select: NodeSet::of(loads.shape, &is_in).map(Selection::Nodes),
        toggles: None,
        sets: None,
        area: None,
    }
}

/// A block of switches. Besides being selected, it can be split into them, or put together again.
pub(super) fn block_picked(
    loads: &Loads<'_>,
    values: &Values,
    stages: &Stages<'_>,
    block: &Block,
    colour: Rgba,
) -> Picked {
    let elements = block_elements(stages, block);
    let title = format!("Block {} of layer {}", grouped(block.number.into()), block.layer);
    let mut picked = several_picked(loads, values, &elements, title, colour);
    let idle = elements.iter().filter(|element| values.utilisation.elements[element.index()] == 0.0).count() as u64;
    picked.lines.insert(
        0,
        format!(
            "{} above nodes {}–{}",
            super::counted_switches(elements.len() as u64),
            grouped(block.nodes.start.into()),
            grouped((block.nodes.end - 1).into())
        ),
    );
    if idle > 0 && elements.len() > 1 {
        picked.lines.push(format!("{} of them are idle", grouped(idle)));
    }
    if elements.len() > 1 {
        picked.sets = Some(BTreeMap::from([("split", stages.options.split_with(block.layer, block.number))]));
    }
    picked
}

/// The switches of a block.
pub(super) fn block_elements(stages: &Stages<'_>, block: &Block) -> Vec<Element> {
    block.switches.clone().map(|number| stages.tree.element(block.layer, number)).collect()
}

/// A network card: what its cable carries.
pub(super) fn nic_picked(loads: &Loads<'_>, values: &Values, cable: Cable, colour: Rgba) -> Picked {
    let [up, down] = cable.links();
    let (node, switch) = loads.shape.ends(up);
    let line = |word: &str, link: heddle_topology::Link| {
        let used = percent_text(values.utilisation.links[link.index()] * 100.0);
        format!("{word} {}, {used} {}", loads.text_or_unknown(loads.links[link.index()]), values.whole())
    };
    Picked {
        title: format!("NIC of {}", node_name(loads, node)),
        colour,
        lines: vec![format!("plugged into {}", node_name(loads, switch)), line("sends", up), line("receives", down)],
        select: Some(Selection::Link(LinkName::of(&**loads.shape, up))),
        toggles: None,
        sets: None,
        area: None,
    }
}
