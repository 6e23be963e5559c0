//! What is known of nodes and links that are selected, and the links of a message.

use heddle_network::{Makers, Origin};
use heddle_topology::{Element, Link};

use crate::analyses::Trace;
use crate::questions::details::{Details, Fact, communicator_name};
use crate::questions::target::Target;
use crate::request::ViewRequest;
use crate::request::node_set::{LinkName, NodeSet};
use crate::request::selection::Selection;
use crate::request::window::{RankSet, Window, row_name};
use crate::scene::ticks::{bytes_text, counted, duration_text, grouped};
use crate::views::machine::loads::{Counting, Loads};
use crate::views::machine::told::element_title;
use crate::views::selected::{message_named, selected_nodes};

/// Entries of each list.
const LISTED: usize = 6;

/// What is known of the selected nodes or link; none if the machine does not have them.
pub fn machine_details(trace: &Trace<'_>, request: &ViewRequest, selected: &Selection) -> Option<Details> {
    let loads = Loads::of(trace, request)?;
    match selected {
        Selection::Link(name) => Some(link(trace, request, &loads, name.find(&**loads.shape)?)),
        Selection::Nodes(_) => nodes(trace, request, &loads, selected),
        _ => None,
    }
}

fn nodes(trace: &Trace<'_>, request: &ViewRequest, loads: &Loads<'_>, selected: &Selection) -> Option<Details> {
    let shape = loads.shape;
    let nodes = selected_nodes(&**shape, selected)?;
    let mut details = Details::new(selected.clone());
    details.title = match nodes.as_slice() {
        [] => return None,
        [one] => element_title(loads, *one),
        several => {
            let is_switch = |element: &Element| shape.layer(*element) > 0;
            match several.iter().filter(|element| is_switch(element)).count() {
                0 => counted(several.len() as u64, "node"),
                all if all == several.len() => format!("{} switches", grouped(all as u64)),
                some => {
                    format!("{} nodes and {} switches", grouped((several.len() - some) as u64), grouped(some as u64))
                }
            }
        }
    };
    let is_all_switches = nodes.iter().all(|element| shape.layer(*element) > 0);
    let placement = &loads.network.machine.placement;
    let ranks: RankSet = nodes.iter().flat_map(|node| placement.ranks_of(*node)).copied().collect();
    let count = nodes.iter().map(|node| placement.ranks_of(*node).len() as u64).sum::<u64>();
    if count > 0 {
        let text = if count == 1 {
            ranks.to_string()
        } else {
            format!("{}: {}", grouped(count), shortened(&ranks.to_string()))
        };
        details.facts.push(Fact::selecting("Ranks", text, Selection::Ranks(ranks)));
    } else if !is_all_switches {
        details.facts.push(Fact::plain("Ranks", "none".to_owned()));
    }
    if let [one] = nodes.as_slice() {
        super::tree::switch(trace, request, loads, *one, &mut details);
    }
    let mut is_in = vec![false; shape.elements() as usize];
    for node in &nodes {
        is_in[node.index()] = true;
    }
    let (mut inside, mut leaving, mut count) = (0.0, 0.0, 0_u64);
    for (at, load) in loads.links.iter().enumerate().filter(|(_, load)| !load.is_nan()) {
        let (from, to) = shape.ends(Link(at as u32));
        match (is_in[from.index()], is_in[to.index()]) {
            (true, true) => {
                inside += load;
                count += 1;
            }
            (true, false) => leaving += load,
            _ => {}
        }
    }
    if count > 0 {
        let mean = loads.text(inside / count as f64);
        details.facts.push(Fact::plain("Links inside", format!("{}, {mean} on average", grouped(count))));
    }
    let leaves = if leaving > 0.0 { loads.text(leaving) } else { "nothing".to_owned() };
    details.facts.push(Fact::plain("Leaves them", format!("{leaves}, {}", loads.traffic.origin.name())));
    Some(details)
}

fn link(trace: &Trace<'_>, request: &ViewRequest, loads: &Loads<'_>, link: Link) -> Details {
    let shape = loads.shape;
    let (from, to) = shape.ends(link);
    let mut details = Details::new(Selection::Link(LinkName::of(&**shape, link)));
    details.title = format!("{} → {}", shape.label(from), shape.label(to));
    let load = loads.links[link.index()];
    let known = |load: f64| if load.is_nan() { "not known".to_owned() } else { loads.text(load) };
    details.facts.push(Fact::plain("Load", format!("{}, {}", known(load), loads.traffic.origin.name())));
    if let Some(back) = shape.opposite(link) {
        let select = Selection::Link(LinkName::of(&**shape, back));
        details.facts.push(Fact::selecting("Way back", known(loads.links[back.index()]), select));
    }
    let class = &shape.classes()[shape.class(link)];
    details.facts.push(Fact::plain("Along", format!("{}{}", shape.direction(link), class.name)));
    if let (Some(capacity), heddle_network::Unit::Bytes) = (class.capacity, &loads.traffic.unit)
        && load > 0.0
    {
        let busy = duration_text((load / capacity * 1e9) as i64);
        details.facts.push(Fact::plain("Busy", format!("{busy} at {} per second", bytes_text(capacity as u64))));
    }
    for (label, node) in [("From", from), ("To", to)] {
        details.facts.push(node_fact(loads, label, node));
    }
    let counting = Counting::new(trace, request, &loads.options);
    let makers = loads.network.makers(trace.store, &counting.part, counting.tests(), link);
    if let Some(makers) = makers {
        add_makers(trace, &request.window, &makers, &mut details);
    } else {
        let why = match loads.traffic.origin {
            Origin::Measured => "not known: a counter does not tell whose packets it counted",
            Origin::Simulated => "not known: the simulator writes down bytes, not whose they are",
            Origin::Predicted => "a pattern without a trace",
        };
        details.facts.push(Fact::plain("Made by", why.to_owned()));
    }
    details
}

fn node_fact(loads: &Loads<'_>, label: &'static str, node: Element) -> Fact {
    let shape = loads.shape;
    let ranks: RankSet = loads.network.machine.placement.ranks_of(node).iter().copied().collect();
    let ranks = ranks.to_string();
    let text = if ranks.is_empty() { shape.label(node) } else { format!("{}, ranks {ranks}", shape.label(node)) };
    Fact::selecting(label, text, Selection::Nodes(NodeSet::one(&shape.address(node))))
}

fn add_makers(trace: &Trace<'_>, window: &Window, makers: &Makers, details: &mut Details) {
    let store = trace.store;
    let bytes = |bytes: f64| bytes_text(bytes.round() as u64);
    for (name, sum, pairs) in makers.sections.iter().take(LISTED) {
        details.facts.push(Fact::plain("Section", format!("{name}: {} of {}", bytes(*sum), counted(*pairs, "pair"))));
    }
    if !makers.senders.is_empty() {
        let set: RankSet = makers.senders.iter().copied().collect();
        let text = format!("{}: {}", counted(makers.senders.len() as u64, "rank"), shortened(&set.to_string()));
        details.facts.push(Fact::selecting("Senders", text, Selection::Ranks(set)));
    }
    for pair in makers.pairs.iter().take(LISTED) {
        let set: RankSet = [pair.from, pair.to].into_iter().collect();
        let text = format!("{} to {}: {}", grouped(pair.from.into()), grouped(pair.to.into()), bytes(pair.bytes));
        details.facts.push(Fact::selecting("Ranks", text, Selection::Ranks(set)));
    }
    let more = makers.all_pairs.saturating_sub(LISTED as u64);
    if more > 0 {
        details.facts.push(Fact::plain("Ranks", format!("and {} more pairs", grouped(more))));
    }
    for (region, sum) in makers.functions.iter().take(LISTED).filter(|(region, _)| region.0 != u32::MAX) {
        let name = store.regions.name.get(u64::from(region.0)).to_owned();
        let text = format!("{name}: {}", bytes(*sum));
        details.facts.push(Fact::selecting("Function", text, Selection::Function(name)));
    }
    for message in makers.messages.iter().take(LISTED) {
        let call = store.messages.send_span.get(message.row);
        let (from, to) = (store.messages.send_location.get(message.row), store.messages.recv_location.get(message.row));
        let text = format!("{} to {}: {}", row_name(store, from), row_name(store, to), bytes(message.bytes));
        let target = call.is_some().then(|| Target::of(store, window, call));
        details.facts.push(Fact::leading("Message", text, target));
    }
    let more = makers.all_messages.saturating_sub(LISTED as u64);
    if more > 0 {
        details.facts.push(Fact::plain("Message", format!("and {} more", grouped(more))));
    }
    for group in makers.collectives.iter().take(LISTED) {
        let member = store.collectives.first_member.get(group.first);
        let call = store.collective_members.span.get(member);
        let name = communicator_name(store, group.comm);
        let text = format!("{} × {} on {name}: {}", grouped(group.operations), group.op.name(), bytes(group.bytes));
        let target = call.is_some().then(|| Target::of(store, window, call));
        details.facts.push(Fact::leading("Collective", text, target));
    }
    let more = makers
        .all_collectives
        .saturating_sub(makers.collectives.iter().take(LISTED).map(|group| group.operations).sum());
    if more > 0 {
        details.facts.push(Fact::plain("Collective", format!("and {} more", grouped(more))));
    }
}

/// The links of the selected message, as a fact to add to its details: the way that the model of routing gives it.
pub fn message_route(trace: &Trace<'_>, selected: &Selection) -> Vec<Fact> {
    let Some(network) = &trace.network else { return Vec::new() };
    let shape = &*network.machine.shape;
    let Some(row) = message_named(trace.store, selected) else { return Vec::new() };
    let rank = |location: heddle_model::LocationId| trace.store.locations.rank.get(u64::from(location.0));
    let messages = &trace.store.messages;
    let (from, to) = (rank(messages.send_location.get(row)), rank(messages.recv_location.get(row)));
    let placement = &network.machine.placement;
    if from.0 >= placement.ranks() || to.0 >= placement.ranks() {
        return Vec::new();
    }
    let (from, to) = (placement.node(from.0), placement.node(to.0));
    if from == to {
        return vec![Fact::plain("Links", format!("none: both ranks sit on {}", shape.label(from)))];
    }
    if let Some(tree) = shape.fat_tree() {
        return super::tree::route(tree, &network.routing().path(from, to, row));
    }
    // The way that pictures show: of several, the same one for the same message.
    let path = network.routing().path(from, to, row);
    if path.is_empty() {
        return vec![Fact::plain("Links", format!("none leads from {} to {}", shape.label(from), shape.label(to)))];
    }
    let mut is_one_of_several = false;
    network.routing().route(from, to, &mut |_, share| is_one_of_several |= share < 1.0);
    let hops = counted(path.len() as u64, "hop");
    let several = if is_one_of_several { ", one of several ways" } else { "" };
    let (start, end) = (shape.label(from), shape.label(to));
    let mut facts = vec![Fact::plain("Links", format!("{hops} from {start} to {end}, predicted{several}"))];
    facts.extend(path.iter().take(LISTED).map(|link| {
        let (from, to) = shape.ends(*link);
        let text = format!("{} → {}", shape.label(from), shape.label(to));
        Fact::selecting("Link", text, Selection::Link(LinkName::of(&**shape, *link)))
    }));
    if path.len() > LISTED {
        facts.push(Fact::plain("Link", format!("and {} more", grouped((path.len() - LISTED) as u64))));
    }
    facts
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 48;
    let text = text.replace('-', "–").replace(',', ", ");
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{} …", &text[..at]),
        None => text,
    }
}
