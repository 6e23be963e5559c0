//! Ranks and communicators of a run as what every trace has: locations in a system tree, and groups of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use heddle_model::{
    Communicator, Definitions, Location, LocationId, LocationKind, MeasuredNetwork, Rank, SystemNode, SystemNodeId,
    WarningKind, Warnings,
};

use super::machine::Nodes;
use super::meta::EntityType;
use super::relations::{Joined, Relations};

/// Ranks beyond this many times as many as there are, and some, are damage.
const SPARSEST: u64 = 4;

/// A communicator's name and its number among those of that name.
pub(super) type CommunicatorNames = Vec<(i64, String)>;

/// The definitions, and for each location its node.
pub(super) fn define(
    network: &MeasuredNetwork,
    nodes: &Nodes,
    relations: &Relations,
    names: CommunicatorNames,
    warnings: &mut Warnings,
) -> (Definitions, Vec<u32>) {
    let groups = joined(relations, &EntityType::communicator(), &EntityType::rank(), warnings);
    let on_nodes = joined(relations, &EntityType::rank(), &EntityType::node(), warnings);
    let mut node_of: BTreeMap<i64, u32> = BTreeMap::new();
    if let Some(on_nodes) = on_nodes {
        let of_nodes = || network.nodes.iter().filter_map(|node| Some((node.file_id?, node.file_id?))).collect();
        for (rank, id) in on_nodes.pairs.unwrap_or_else(of_nodes) {
            place_rank(&mut node_of, rank, nodes.find(id), id, &on_nodes.from, warnings);
        }
    }
    let members = groups.and_then(|groups| groups.pairs).unwrap_or_default();
    for (_, rank) in &members {
        node_of.entry(*rank).or_insert(MeasuredNetwork::NOWHERE);
    }
    let node_of = dense(node_of, warnings);

    let mut definitions = Definitions { creator: String::new(), ..Definitions::default() };
    let places = add_locations(&mut definitions, network, &node_of);
    add_communicators(&mut definitions, names, &members);
    (definitions, places)
}

fn joined(relations: &Relations, one: &EntityType, other: &EntityType, warnings: &mut Warnings) -> Option<Joined> {
    let joined = relations.between(one, other)?;
    if joined.is_cut {
        let text = format!("too many {one} belong to too many {other}; not all of that was kept");
        warnings.add(WarningKind::Corrupt, || joined.from.clone(), &text);
    }
    Some(joined)
}

fn place_rank(
    node_of: &mut BTreeMap<i64, u32>,
    rank: i64,
    node: Option<u32>,
    id: i64,
    from: &str,
    warnings: &mut Warnings,
) {
    if node.is_none() {
        let text = "a rank is placed on a node that is not in the table of nodes; it is shown without a place";
        warnings.add(WarningKind::UndefinedReference, || format!("{from}, rank {rank} on node {id}"), text);
    }
    let node = node.unwrap_or(MeasuredNetwork::NOWHERE);
    let known = node_of.entry(rank).or_insert(node);
    if *known == MeasuredNetwork::NOWHERE {
        *known = node;
    } else if node != MeasuredNetwork::NOWHERE && *known != node {
        let text = "a rank is placed on several nodes; the first of them is used";
        warnings.add(WarningKind::DuplicateDefinition, || format!("{from}, rank {rank}"), text);
    }
}

/// Ranks that can be: not negative, and not far beyond how many there are.
fn dense(node_of: BTreeMap<i64, u32>, warnings: &mut Warnings) -> BTreeMap<u32, u32> {
    let end = SPARSEST * node_of.len() as u64 + 1024;
    let mut ranks = BTreeMap::new();
    for (rank, node) in node_of {
        if let Some(rank) = u32::try_from(rank).ok().filter(|rank| u64::from(*rank) < end) {
            ranks.insert(rank, node);
        } else {
            let text = "ranks should be numbered from 0; this one was left out";
            warnings.add(WarningKind::Corrupt, || format!("rank {rank}"), text);
        }
    }
    ranks
}

/// Machine, nodes that have ranks, ranks.
fn add_locations(definitions: &mut Definitions, network: &MeasuredNetwork, node_of: &BTreeMap<u32, u32>) -> Vec<u32> {
    let Some((last, _)) = node_of.last_key_value() else { return Vec::new() };
    let tree = &mut definitions.system_tree;
    let node = |name: String, class: &str, parent| SystemNode { name: name.into(), class: class.into(), parent };
    let machine = if network.hardware.is_empty() { "machine" } else { &network.hardware };
    tree.push(node(machine.to_owned(), "machine", None));
    let mut in_tree: BTreeMap<u32, SystemNodeId> = BTreeMap::new();
    let used: std::collections::BTreeSet<u32> = node_of.values().copied().collect();
    for of_machine in used {
        if let Some(found) = network.nodes.get(of_machine as usize) {
            in_tree.insert(of_machine, SystemNodeId(tree.len() as u32));
            tree.push(node(network.place_text(found.place), "node", Some(SystemNodeId(0))));
        }
    }
    definitions.world = vec![LocationId::NONE; *last as usize + 1];
    let mut places = Vec::with_capacity(node_of.len());
    for (rank, of_machine) in node_of {
        let name = format!("rank {rank}");
        let parent = in_tree.get(of_machine).copied().unwrap_or(SystemNodeId(0));
        let process = SystemNodeId(tree.len() as u32);
        tree.push(node(name.clone(), SystemNode::PROCESS, Some(parent)));
        definitions.world[*rank as usize] = LocationId(definitions.locations.len() as u32);
        definitions.locations.push(Location {
            file_id: u64::from(*rank),
            name: name.into(),
            kind: LocationKind::CpuThread,
            parent: Some(process),
            rank: Rank(*rank),
        });
        places.push(*of_machine);
    }
    places
}

/// Communicators in the order of their table, then those that only have members.
fn add_communicators(definitions: &mut Definitions, names: CommunicatorNames, members: &[(i64, i64)]) {
    let mut known: BTreeMap<i64, usize> = BTreeMap::new();
    let mut list: Vec<(String, Vec<LocationId>)> = Vec::new();
    for (id, name) in names {
        known.entry(id).or_insert_with(|| {
            list.push((name, Vec::new()));
            list.len() - 1
        });
    }
    for (id, rank) in members {
        let at = *known.entry(*id).or_insert_with(|| {
            list.push((format!("communicator {id}"), Vec::new()));
            list.len() - 1
        });
        let location = usize::try_from(*rank).ok().and_then(|rank| definitions.world.get(rank).copied());
        list[at].1.extend(location.filter(|location| location.is_some()));
    }
    definitions.communicators =
        list.into_iter().map(|(name, members)| Communicator::of(name, Arc::from(members))).collect();
}
