//! From cables to a machine: what all readers of trees and fabrics share.

use heddle_topology::fat_tree::{Cabling, End};
use heddle_topology::{Element, FatTree, Shape, Topology};

use super::{HostNames, TopologyFile, TopologyFileError, counted, some_of};

/// Parts that are named one by one.
const TOLD_PARTS: usize = 4;

/// The machine of these cables. Switches that lead to no host are left out; that, and parts that no cable joins, a note says.
pub(super) fn machine(cabling: Cabling, mut notes: Vec<String>) -> Result<TopologyFile, TopologyFileError> {
    let (cabling, idle) = without_idle(cabling);
    if !idle.is_empty() {
        notes.push(format!("Switches that lead to no host are left out: {}.", some_of(&idle)));
    }
    let tree = FatTree::from_cabling(cabling).map_err(|error| TopologyFileError::whole(error.to_string()))?;
    notes.extend(parts(&tree));
    let names = (0..tree.hosts()).map(Element).map(|host| (tree.label(host), host));
    let hosts = HostNames::new(names);
    Ok(TopologyFile { hosts, shape: Shape::FatTree(tree), notes })
}

/// The cabling without switches that no host is below, and their names. Where layers are not given, those that no host can
/// be reached from.
fn without_idle(cabling: Cabling) -> (Cabling, Vec<String>) {
    let count = cabling.switches.len();
    let mut leads = vec![false; count];
    let mut beside: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut reached = Vec::new();
    let is_up = |from: usize, to: usize| match (cabling.layers.get(from), cabling.layers.get(to)) {
        (Some(from), Some(to)) => from < to,
        _ => true,
    };
    for (one, other) in &cabling.cables {
        match (one, other) {
            (End::Switch(one), End::Switch(other)) => {
                let (one, other) = (*one as usize, *other as usize);
                beside[one].extend(is_up(one, other).then_some(other));
                beside[other].extend(is_up(other, one).then_some(one));
            }
            (End::Host(_), End::Switch(switch)) | (End::Switch(switch), End::Host(_)) => reached.push(*switch as usize),
            (End::Host(_), End::Host(_)) => {}
        }
    }
    while let Some(switch) = reached.pop() {
        if !std::mem::replace(&mut leads[switch], true) {
            reached.extend(&beside[switch]);
        }
    }
    if leads.iter().all(|leads| *leads) {
        return (cabling, Vec::new());
    }
    let mut next = 0;
    let numbers: Vec<Option<u32>> = leads
        .iter()
        .map(|leads| {
            leads.then(|| {
                next += 1;
                next - 1
            })
        })
        .collect();
    let end = |end: End| match end {
        End::Switch(at) => numbers[at as usize].map(End::Switch),
        End::Host(_) => Some(end),
    };
    let capacities = cabling.capacities.iter().copied().chain(std::iter::repeat(None));
    let kept = cabling.cables.iter().zip(capacities);
    let kept = kept.filter_map(|((one, other), capacity)| Some(((end(*one)?, end(*other)?), capacity)));
    let (cables, capacities): (Vec<_>, Vec<_>) = kept.unzip();
    let layers = cabling.layers.iter().zip(&leads).filter(|(_, leads)| **leads).map(|(layer, _)| *layer).collect();
    let (kept, idle): (Vec<_>, Vec<_>) = cabling.switches.into_iter().zip(&leads).partition(|(_, leads)| **leads);
    let names = |of: Vec<(String, &bool)>| of.into_iter().map(|(name, _)| name).collect();
    (Cabling { hosts: cabling.hosts, switches: names(kept), layers, cables, capacities }, names(idle))
}

/// What to say of a machine that falls into parts.
fn parts(tree: &FatTree) -> Option<String> {
    let parts = tree.pods(tree.layers()).all();
    if parts.len() < 2 {
        return None;
    }
    let told = parts.iter().take(TOLD_PARTS).map(|part| {
        let first = tree.up(Element(part.nodes.start)).first().map(|cable| tree.label(tree.cable(*cable).1));
        let name = some_of(&[first.unwrap_or_default()]);
        format!("{} at {name}", counted(part.nodes.len(), "host"))
    });
    let mut told: Vec<String> = told.collect();
    if parts.len() > TOLD_PARTS {
        told.push(format!("and {} more", parts.len() - TOLD_PARTS));
    }
    let count = parts.len();
    Some(format!(
        "The machine falls into {count} parts that no cable joins: {}. Messages between them cannot get there.",
        told.join(", ")
    ))
}
