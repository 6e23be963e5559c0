//! Trees and blocks as Slurm knows them, however they are written down.
//!
//! A **tree** has switches, each with nodes or with switches below it. Slurm knows no cables: between a switch and what is below it
//! there is one. Two switches above one are allowed, and are two ways up. **Blocks** are groups of nodes; so many of them in a row
//! are an aggregate, several of those a larger one. They become a tree of blocks and aggregates.

use heddle_topology::fat_tree::{Cabling, End};
use rustc_hash::FxHashMap;

use super::host_names::nearest;
use super::{MOST_NAMES, TopologyFile, TopologyFileError, fabric, hostlist, quote, some_of};

/// A switch as the file has it: lists of hosts are still as they are written.
#[derive(Debug)]
pub(super) struct Switch {
    pub(super) line: usize,
    pub(super) name: String,
    pub(super) nodes: String,
    pub(super) switches: String,
}

/// A block.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) line: usize,
    pub(super) name: String,
    pub(super) nodes: String,
}

/// Hosts while they are gathered: each on one switch.
struct Hosts {
    /// How many names may still be written out.
    left: usize,
    names: Vec<String>,
    cables: Vec<(End, End)>,
    /// Number, switch and line of each.
    known: FxHashMap<String, (u32, usize)>,
}

impl Hosts {
    fn new() -> Hosts {
        Hosts { left: MOST_NAMES, names: Vec::new(), cables: Vec::new(), known: FxHashMap::default() }
    }

    /// Hangs the hosts of a list on a switch. `above` are the names of all switches, and their lines.
    fn hang(&mut self, list: &str, switch: u32, line: usize, above: &[(&str, usize)]) -> Result<(), TopologyFileError> {
        let wrong = |what| TopologyFileError::at(line, what);
        for name in hostlist::expand(list, &mut self.left).map_err(wrong)? {
            if let Some((other, earlier)) = self.known.get(&name) {
                if *other == switch {
                    continue;
                }
                let (of, here) = (quote(above[*other as usize].0), quote(above[switch as usize].0));
                return Err(wrong(format!(
                    "host {} is on {here} and, in line {earlier}, on {of}; a host is on one of them: remove it from the other",
                    quote(&name)
                )));
            }
            self.cables.push((End::Host(self.names.len() as u32), End::Switch(switch)));
            self.known.insert(name.clone(), (switch, line));
            self.names.push(name);
        }
        Ok(())
    }
}

/// A name for each, or the error that two share one.
fn numbered<'a>(what: &str, names: &'a [(&'a str, usize)]) -> Result<FxHashMap<&'a str, u32>, TopologyFileError> {
    let mut numbers = FxHashMap::default();
    for ((name, line), number) in names.iter().zip(0_u32..) {
        if let Some(earlier) = numbers.insert(*name, number) {
            let earlier: u32 = earlier;
            let first = names[earlier as usize].1;
            let what =
                format!("{what} {} is defined twice, first in line {first}; each needs a name of its own", quote(name));
            return Err(TopologyFileError::at(*line, what));
        }
    }
    Ok(numbers)
}

/// The machine of a tree.
pub(super) fn tree(switches: &[Switch], mut notes: Vec<String>) -> Result<TopologyFile, TopologyFileError> {
    let names: Vec<(&str, usize)> = switches.iter().map(|switch| (switch.name.as_str(), switch.line)).collect();
    let numbers = numbered("switch", &names)?;
    let mut hosts = Hosts::new();
    let mut below: Vec<Vec<u32>> = vec![Vec::new(); switches.len()];
    let mut parents = vec![0_u32; switches.len()];
    for (number, switch) in (0..).zip(switches) {
        let wrong = |what: String| TopologyFileError::at(switch.line, what);
        let name = quote(&switch.name);
        if !switch.nodes.is_empty() && !switch.switches.is_empty() {
            return Err(wrong(format!(
                "switch {name} has both nodes and switches below it; Slurm allows one of the two"
            )));
        }
        hosts.hang(&switch.nodes, number, switch.line, &names)?;
        for child in hostlist::expand(&switch.switches, &mut hosts.left).map_err(wrong)? {
            let Some(found) = numbers.get(child.as_str()).copied() else {
                let near = nearest(&child, names.iter().map(|(name, _)| *name));
                let near = near.map_or_else(String::new, |near| format!("; did you mean {}?", quote(near)));
                let what = format!("switch {} is below {name}, but is not defined{near}", quote(&child));
                return Err(wrong(what));
            };
            if !below[number as usize].contains(&found) {
                below[number as usize].push(found);
                parents[found as usize] += 1;
                hosts.cables.push((End::Switch(found), End::Switch(number)));
            }
        }
    }
    let layers = layers(switches, &below, &parents)?;
    let several = names.iter().zip(&parents).filter(|(_, parents)| **parents > 1);
    let several: Vec<&str> = several.map(|((name, _), _)| *name).collect();
    if !several.is_empty() {
        notes.push(format!("Below more than one switch, and so with more than one way up: {}.", some_of(&several)));
    }
    notes.push("Slurm does not know cables: one is assumed between a switch and what is below it.".to_owned());
    let switches = switches.iter().map(|switch| switch.name.clone()).collect();
    let Hosts { names, cables, .. } = hosts;
    fabric::machine(Cabling { hosts: names, switches, layers, cables, capacities: Vec::new() }, notes)
}

/// The layer of each switch: one more than the highest below it.
fn layers(switches: &[Switch], below: &[Vec<u32>], parents: &[u32]) -> Result<Vec<u32>, TopologyFileError> {
    let mut layers = vec![1_u32; switches.len()];
    // From the top down, each when all above it are known; then back up.
    let mut waiting = parents.to_vec();
    let mut order: Vec<usize> = (0..switches.len()).filter(|at| waiting[*at] == 0).collect();
    let mut at = 0;
    while let Some(switch) = order.get(at).copied() {
        at += 1;
        for child in &below[switch] {
            waiting[*child as usize] -= 1;
            if waiting[*child as usize] == 0 {
                order.push(*child as usize);
            }
        }
    }
    if let Some(start) = waiting.iter().position(|waiting| *waiting > 0) {
        return Err(circle(switches, below, &waiting, start));
    }
    for switch in order.into_iter().rev() {
        let highest = below[switch].iter().map(|child| layers[*child as usize]).max();
        layers[switch] = highest.map_or(1, |highest| highest + 1);
    }
    Ok(layers)
}

/// Which switches are above themselves. Each that waits is below another that waits, so the way up leads round.
fn circle(switches: &[Switch], below: &[Vec<u32>], waiting: &[u32], start: usize) -> TopologyFileError {
    let mut above = vec![start; switches.len()];
    for (switch, children) in below.iter().enumerate().filter(|(switch, _)| waiting[*switch] > 0) {
        for child in children {
            above[*child as usize] = switch;
        }
    }
    let mut seen = vec![false; switches.len()];
    let mut at = start;
    while !std::mem::replace(&mut seen[at], true) {
        at = above[at];
    }
    let (first, mut way) = (at, vec![quote(&switches[at].name)]);
    while way.len() < 8 {
        at = above[at];
        way.push(quote(&switches[at].name));
        if at == first {
            break;
        }
    }
    let what = format!("switch {} is its own ancestor: {}", quote(&switches[first].name), way.join(" is below "));
    TopologyFileError::at(switches[first].line, what)
}

/// The machine of blocks: `sizes` are nodes of a block and of each kind of aggregate, as planned.
pub(super) fn blocks(
    blocks: &[Block],
    sizes: (usize, &[u64]),
    mut notes: Vec<String>,
) -> Result<TopologyFile, TopologyFileError> {
    let names: Vec<(&str, usize)> = blocks.iter().map(|block| (block.name.as_str(), block.line)).collect();
    numbered("block", &names)?;
    let mut hosts = Hosts::new();
    for (number, block) in (0..).zip(blocks) {
        hosts.hang(&block.nodes, number, block.line, &names)?;
    }
    let mut switches: Vec<String> = blocks.iter().map(|block| block.name.clone()).collect();
    let mut layers = vec![1_u32; blocks.len()];
    // Those that the next layer holds together, with the blocks that they are of.
    let mut open: Vec<(u32, usize, usize)> = (0..blocks.len()).map(|at| (at as u32, at, at)).collect();
    let (line, sizes) = sizes;
    for pair in sizes.windows(2) {
        if pair[0] == 0 || pair[1] <= pair[0] || !pair[1].is_multiple_of(pair[0]) {
            let what = format!(
                "sizes of blocks are {} and then {}; each must be a multiple of the one before",
                pair[0], pair[1]
            );
            return Err(TopologyFileError::at(line, what));
        }
        // At most as many as there are.
        let each = (pair[1] / pair[0]).min(open.len().max(1) as u64) as usize;
        open = join(&open, each, &mut switches, &mut layers, &mut hosts.cables, |first, last| {
            format!("{}–{}", names[first].0, names[last].0)
        });
    }
    if open.len() > 1 {
        let count = open.len();
        join(&open, count, &mut switches, &mut layers, &mut hosts.cables, |_, _| "above all blocks".to_owned());
        notes.push(
            "The file does not say what joins the largest blocks: one switch above all of them is assumed.".to_owned(),
        );
    }
    let Hosts { names, cables, .. } = hosts;
    fabric::machine(Cabling { hosts: names, switches, layers, cables, capacities: Vec::new() }, notes)
}

/// A layer above: a switch for every so many in a row.
fn join(
    below: &[(u32, usize, usize)],
    each: usize,
    switches: &mut Vec<String>,
    layers: &mut Vec<u32>,
    cables: &mut Vec<(End, End)>,
    name: impl Fn(usize, usize) -> String,
) -> Vec<(u32, usize, usize)> {
    let layer = layers.last().map_or(1, |layer| layer + 1);
    let chunks = below.chunks(each.max(1)).map(|together| {
        let number = switches.len() as u32;
        let (first, last) = (together[0].1, together[together.len() - 1].2);
        switches.push(name(first, last));
        layers.push(layer);
        cables.extend(together.iter().map(|(child, ..)| (End::Switch(*child), End::Switch(number))));
        (number, first, last)
    });
    chunks.collect()
}
