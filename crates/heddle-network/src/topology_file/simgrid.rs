//! Platforms of SimGrid: its clusters, whose topology is a torus, a fat-tree, a dragonfly, or flat.
//!
//! ```text
//! <cluster prefix="node-" radical="0-63" suffix="" bw="10GBps" topology="FAT_TREE" topo_parameters="3;4,4,4;1,4,4;1,1,1" …/>
//! ```

use heddle_topology::dragonfly::{DragonflyPlan, Wiring};
use heddle_topology::fat_tree::Xgft;
use heddle_topology::{Dimension, Dragonfly, Element, FatTree, Shape, Torus};

use super::{HostNames, MOST_NAMES, TopologyFile, TopologyFileError, hostlist, quote};

/// An element of the file, `<cluster …>`.
struct Tag<'a> {
    line: usize,
    /// From its name to its end.
    text: &'a str,
}

impl<'a> Tag<'a> {
    fn attribute(&self, name: &str) -> Option<&'a str> {
        let mut rest = self.text;
        // Attribute by attribute, so that what stands in quotes is never taken for a name.
        while let Some((key, after)) = rest.split_once('=') {
            let after = after.trim_start();
            let mark = after.chars().next().filter(|mark| matches!(mark, '"' | '\''))?;
            let (value, next) = after[1..].split_once(mark)?;
            if key.split_whitespace().last() == Some(name) {
                return Some(value);
            }
            rest = next;
        }
        None
    }

    fn wrong(&self, what: impl Into<String>) -> TopologyFileError {
        TopologyFileError::at(self.line, what)
    }
}

pub(super) fn read(text: &str) -> Result<TopologyFile, TopologyFileError> {
    let clusters = tags(text, "cluster")?;
    let Some(cluster) = clusters.first() else {
        return Err(TopologyFileError::whole(
            "expected a SimGrid platform with a <cluster>; other zones cannot be read",
        ));
    };
    let mut notes = Vec::new();
    if clusters.len() > 1 {
        notes.push(format!(
            "The platform has {} clusters; this is the first, in line {}.",
            clusters.len(),
            cluster.line
        ));
    }
    let policy = cluster.attribute("sharing_policy").unwrap_or("SPLITDUPLEX");
    if !policy.eq_ignore_ascii_case("splitduplex") {
        notes.push(format!(
            "In SimGrid a link is {} here; Heddle takes each direction to carry as much.",
            quote(policy)
        ));
    }
    let names = names(cluster)?;
    let bandwidth = match cluster.attribute("bw") {
        Some(text) => Some(
            bandwidth(text)
                .ok_or_else(|| cluster.wrong(format!("bw is {}; expected a bandwidth such as 10GBps", quote(text))))?,
        ),
        None => None,
    };
    let shape = shape(cluster, bandwidth, names.len())?;
    let hosts = HostNames::new(names.into_iter().zip((0..).map(Element)));
    Ok(TopologyFile { shape, hosts, notes })
}

/// The elements of that name, without what is in comments.
fn tags<'a>(text: &'a str, name: &str) -> Result<Vec<Tag<'a>>, TopologyFileError> {
    let mut tags = Vec::new();
    let (mut at, mut line, mut counted) = (0, 1, 0);
    while let Some(found) = text[at..].find('<') {
        let start = at + found;
        line += text[counted..start].matches('\n').count();
        counted = start;
        let (rest, close) =
            if text[start..].starts_with("<!--") { (&text[start..], "-->") } else { (&text[start..], ">") };
        let Some(end) = rest.find(close) else {
            return Err(TopologyFileError::at(line, format!("{} has no end", quote(rest))));
        };
        let inside = &rest[1..end];
        if let Some(after) = inside.strip_prefix(name)
            && after.starts_with(|c: char| c.is_whitespace() || c == '/')
        {
            tags.push(Tag { line, text: after });
        }
        at = start + end + close.len();
    }
    Ok(tags)
}

/// Prefix, number and suffix of each host.
fn names(cluster: &Tag<'_>) -> Result<Vec<String>, TopologyFileError> {
    let radical = cluster
        .attribute("radical")
        .ok_or_else(|| cluster.wrong("<cluster> has no radical, the numbers of its hosts"))?;
    let wrong = |what: String| cluster.wrong(format!("radical: {what}"));
    let numbers = hostlist::expand(&format!("[{radical}]"), &mut { MOST_NAMES }).map_err(wrong)?;
    let (prefix, suffix) = (cluster.attribute("prefix").unwrap_or(""), cluster.attribute("suffix").unwrap_or(""));
    Ok(numbers.into_iter().map(|number| format!("{prefix}{number}{suffix}")).collect())
}

fn shape(cluster: &Tag<'_>, bandwidth: Option<f64>, hosts: usize) -> Result<Shape, TopologyFileError> {
    let kind = cluster.attribute("topology").unwrap_or("FLAT").to_ascii_uppercase();
    if kind == "FLAT" {
        let rule = Xgft { capacity: vec![bandwidth], ..Xgft::full(&[hosts as u32]) };
        return FatTree::new(rule).map(Shape::FatTree).map_err(|error| cluster.wrong(error.to_string()));
    }
    let expected = match kind.as_str() {
        "TORUS" => "sizes such as 4,4,4",
        "FAT_TREE" => "levels, children, parents and cables of each level, such as 2;4,4;1,2;1,2",
        "DRAGONFLY" => "groups, chassis and routers, each with its cables, and nodes, such as 3,4;4,3;5,1;2",
        _ => {
            let what = "expected TORUS, FAT_TREE, DRAGONFLY or FLAT";
            return Err(cluster.wrong(format!("the topology is {}; {what}", quote(&kind))));
        }
    };
    let text = cluster.attribute("topo_parameters");
    let text = text.ok_or_else(|| cluster.wrong(format!("<cluster> has no topo_parameters; expected {expected}")))?;
    let wrong = || cluster.wrong(format!("topo_parameters are {}; expected {expected}", quote(text)));
    let list = |text: &str| -> Option<Vec<u32>> {
        text.split(',').map(|number| number.trim().parse().ok().filter(|number| *number > 0)).collect()
    };
    let lists: Vec<Vec<u32>> = text.split(';').map(list).collect::<Option<_>>().ok_or_else(wrong)?;
    let lengths: Vec<usize> = lists.iter().map(Vec::len).collect();
    // Nodes, before anything is built of them: a radical names each.
    let nodes: Vec<u32> = match (kind.as_str(), lists.as_slice()) {
        ("TORUS", [sizes]) => sizes.clone(),
        ("FAT_TREE", [levels, children, ..]) if lengths[..] == [1, children.len(), children.len(), children.len()] => {
            if levels[0] as usize != children.len() {
                return Err(wrong());
            }
            children.clone()
        }
        ("DRAGONFLY", lists) if lengths[..] == [2, 2, 2, 1] => lists.iter().map(|list| list[0]).collect(),
        _ => return Err(wrong()),
    };
    let nodes = nodes.into_iter().fold(1_u128, |all, size| all.saturating_mul(u128::from(size)));
    if nodes != hosts as u128 {
        return Err(cluster.wrong(format!("radical names {hosts} hosts, but the topology has {nodes}")));
    }
    let made = match (kind.as_str(), lists.as_slice()) {
        ("TORUS", [sizes]) => {
            let mut dimensions = Dimension::named(sizes, true);
            for dimension in &mut dimensions {
                // SimGrid joins the two nodes of a dimension of size 2 by two cables.
                dimension.cables = 2;
                dimension.capacity = bandwidth;
            }
            Torus::new(dimensions).map(Shape::Torus)
        }
        ("FAT_TREE", [_, children, parents, cables]) => {
            let rule = Xgft::with(children.clone(), parents.clone(), cables.clone());
            FatTree::new(Xgft { capacity: vec![bandwidth; children.len()], ..rule }).map(Shape::FatTree)
        }
        ("DRAGONFLY", [groups, chassis, routers, nodes]) => {
            let ([groups, blue], [rows, black], [columns, green], [nodes]) =
                (groups.as_slice(), chassis.as_slice(), routers.as_slice(), nodes.as_slice())
            else {
                return Err(wrong());
            };
            if groups > columns {
                let what = format!(
                    "{groups} groups need as many routers in a chassis, and there are {columns}: in SimGrid router n leads to group n"
                );
                return Err(cluster.wrong(what));
            }
            // Parallel cables are one link that carries as much as all of them.
            let capacity = [1, *green, *black, *blue].map(|cables| bandwidth.map(|one| one * f64::from(cables)));
            let (groups, rows, columns, nodes) = (*groups, *rows, *columns, *nodes);
            Dragonfly::new(DragonflyPlan { groups, rows, columns, nodes, global: 1, wiring: Wiring::Simgrid, capacity })
                .map(Shape::Dragonfly)
        }
        _ => return Err(wrong()),
    };
    made.map_err(|error| cluster.wrong(error.to_string()))
}

/// `10GBps` in bytes per second; a bare number is that already.
fn bandwidth(text: &str) -> Option<f64> {
    let text = text.trim();
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    // An exponent belongs to the number.
    let (number, unit) = match text.parse::<f64>() {
        Ok(number) => (number, "Bps"),
        Err(_) => (text[..split].parse().ok()?, text[split..].trim()),
    };
    let (unit, bits) = match unit.strip_suffix("Bps") {
        Some(unit) => (unit, 1.0),
        None => (unit.strip_suffix("bps")?, 8.0),
    };
    let factor = match unit {
        "" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "Ki" => 1024.0,
        "Mi" => 1024.0 * 1024.0,
        "Gi" => 1024.0 * 1024.0 * 1024.0,
        "Ti" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    Some(number * factor / bits).filter(|bandwidth| bandwidth.is_finite() && *bandwidth > 0.0)
}
