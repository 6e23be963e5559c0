//! Slurm's `topology.yaml`: a list of topologies, each a tree, blocks or flat. The default one is read, else the first.

use heddle_formats::yaml::{Item, Value, documents};
use heddle_topology::fat_tree::{Cabling, End};
use rustc_hash::FxHashSet;

use super::slurm::{Block, Switch, blocks, tree};
use super::{TopologyFile, TopologyFileError, counted, fabric, quote, some_of};

pub(super) fn read(text: &str, nodes: &[String]) -> Result<TopologyFile, TopologyFileError> {
    let document = documents(text).into_iter().next();
    let document = document.ok_or_else(|| TopologyFileError::whole("it is empty"))?;
    // What is missing at the end is missed after the last line.
    let line = |fault: u64| (fault as usize).min(text.lines().count());
    let document = document.map_err(|fault| TopologyFileError::at(line(fault.line), fault.what))?;
    let topologies: Vec<Topology<'_>> = document.list().iter().map(Topology::of).collect::<Result<_, _>>()?;
    let chosen = topologies.iter().find(|topology| topology.is_default).or(topologies.first());
    let Some(chosen) = chosen else {
        return Err(wrong(&document, "expected a list of topologies, each beginning with `- topology: NAME`"));
    };
    let mut notes = Vec::new();
    if topologies.len() > 1 {
        let others: Vec<&str> =
            topologies.iter().filter(|other| !std::ptr::eq(*other, chosen)).map(|other| other.name).collect();
        let which = if chosen.is_default { "the default" } else { "the first" };
        let others = some_of(&others);
        notes.push(format!(
            "Of {} topologies in the file this is {which}, {}; not {others}.",
            topologies.len(),
            quote(chosen.name)
        ));
    }
    match chosen.kind {
        ("tree", of) => read_tree(of, notes),
        ("block", of) => read_blocks(of, notes),
        (_, of) => flat(of, nodes, notes),
    }
}

/// One of the topologies.
struct Topology<'a> {
    name: &'a str,
    is_default: bool,
    /// `tree`, `block` or `flat`, and what is said of it.
    kind: (&'a str, &'a Item),
}

impl<'a> Topology<'a> {
    fn of(item: &'a Item) -> Result<Topology<'a>, TopologyFileError> {
        keys(item, "a topology", &["topology", "cluster_default", "tree", "block", "flat"], &["ring", "torus3d"])?;
        let name = item.text_of("topology").ok_or_else(|| wrong(item, "expected `topology: NAME`"))?;
        let mut kinds = item.entries().iter().filter(|(key, _)| matches!(key.as_str(), "tree" | "block" | "flat"));
        let (Some((key, of)), None) = (kinds.next(), kinds.next()) else {
            let what = format!("topology {} needs one of tree, block and flat", quote(name));
            return Err(wrong(item, what));
        };
        let is_default = item.text_of("cluster_default").is_some_and(|text| text.eq_ignore_ascii_case("true"));
        Ok(Topology { name, is_default, kind: (key, of) })
    }
}

fn wrong(item: &Item, what: impl Into<String>) -> TopologyFileError {
    TopologyFileError::at(item.line as usize, what)
}

/// Refuses keys that nobody knows, and by name those that cannot be read.
fn keys(item: &Item, of: &str, known: &[&str], unread: &[&str]) -> Result<(), TopologyFileError> {
    if !matches!(item.value, Value::Map(_)) {
        return Err(wrong(item, format!("expected {of} with {}", known.join(", "))));
    }
    for (key, value) in item.entries() {
        if unread.contains(&key.as_str()) {
            return Err(wrong(
                value,
                format!("a topology of kind {key} cannot be read; only tree, block and flat can"),
            ));
        }
        if !known.contains(&key.as_str()) {
            return Err(wrong(value, format!("{} is no key of {of}; expected {}", quote(key), known.join(", "))));
        }
    }
    Ok(())
}

/// A list of hosts: a text, or several in a list.
fn hosts(item: &Item, key: &str) -> Result<String, TopologyFileError> {
    let Some(value) = item.get(key) else { return Ok(String::new()) };
    match &value.value {
        Value::Text(text) => Ok(text.clone()),
        Value::List(items) => {
            let texts: Option<Vec<&str>> = items.iter().map(Item::text).collect();
            texts
                .map(|texts| texts.join(","))
                .ok_or_else(|| wrong(value, format!("{key} should be names such as n[0-15]")))
        }
        Value::Map(_) => Err(wrong(value, format!("{key} should be names such as n[0-15]"))),
    }
}

fn named(item: &Item, key: &str) -> Result<String, TopologyFileError> {
    item.text_of(key).map(str::to_owned).ok_or_else(|| wrong(item, format!("expected `{key}: NAME`")))
}

fn read_tree(of: &Item, notes: Vec<String>) -> Result<TopologyFile, TopologyFileError> {
    keys(of, "a tree", &["switches"], &[])?;
    let switches: Vec<Switch> = of
        .get("switches")
        .map_or(&[] as &[Item], Item::list)
        .iter()
        .map(|item| {
            keys(item, "a switch", &["switch", "children", "nodes"], &[])?;
            let (nodes, switches) = (hosts(item, "nodes")?, hosts(item, "children")?);
            Ok(Switch { line: item.line as usize, name: named(item, "switch")?, nodes, switches })
        })
        .collect::<Result<_, TopologyFileError>>()?;
    if switches.is_empty() {
        return Err(wrong(of, "the tree has no switches"));
    }
    tree(&switches, notes)
}

fn read_blocks(of: &Item, notes: Vec<String>) -> Result<TopologyFile, TopologyFileError> {
    keys(of, "a topology of blocks", &["block_sizes", "blocks"], &[])?;
    let read = |size: &Item| -> Result<u64, TopologyFileError> {
        let number = size.text().and_then(|text| text.trim().parse().ok()).filter(|size| *size > 0);
        number.ok_or_else(|| wrong(size, "a size of blocks should be a number of nodes"))
    };
    let sizes = of.get("block_sizes");
    let line = sizes.map_or(of.line, |sizes| sizes.line) as usize;
    let sizes: Vec<u64> = sizes.map_or(&[] as &[Item], Item::list).iter().map(read).collect::<Result<_, _>>()?;
    let all: Vec<Block> = of
        .get("blocks")
        .map_or(&[] as &[Item], Item::list)
        .iter()
        .map(|item| {
            keys(item, "a block", &["block", "nodes"], &[])?;
            Ok(Block { line: item.line as usize, name: named(item, "block")?, nodes: hosts(item, "nodes")? })
        })
        .collect::<Result<_, TopologyFileError>>()?;
    if all.is_empty() {
        return Err(wrong(of, "there are no blocks"));
    }
    blocks(&all, (line, &sizes), notes)
}

/// All nodes alike: those of the trace below one switch.
fn flat(of: &Item, nodes: &[String], mut notes: Vec<String>) -> Result<TopologyFile, TopologyFileError> {
    if nodes.is_empty() {
        return Err(wrong(
            of,
            "a flat topology names no nodes, and the trace does not either; give a shape such as fat-tree:64",
        ));
    }
    let mut seen = FxHashSet::default();
    let names: Vec<String> = nodes.iter().filter(|name| seen.insert(name.as_str())).cloned().collect();
    notes
        .push(format!("The topology is flat: the {} of the trace are below one switch.", counted(names.len(), "node")));
    let cables = (0..names.len() as u32).map(|host| (End::Host(host), End::Switch(0))).collect();
    let switches = vec!["switch".to_owned()];
    fabric::machine(Cabling { hosts: names, switches, cables, ..Cabling::default() }, notes)
}
