//! What the trace knows of where ranks are: nodes, the process grid, communicators.

use rustc_hash::{FxHashMap, FxHashSet};

use heddle_logical::Logical;
use heddle_model::{LocationId, SystemNodeId};
use heddle_store::Store;

use super::lists::{joined, range, ranges};
use super::members::Everyone;
use super::partners::Partners;
use super::who::{Classes, GRID, Hypotheses, Namer, PLACE, WhoKind};
use crate::questions::details::{communicator_name, node_name};
use crate::scene::ticks::grouped;

/// Levels of the system tree that are looked at, from the root.
const MOST_LEVELS: usize = 8;
/// Members of communicators that are looked at.
const MOST_MEMBERS: u64 = 4_000_000;
/// Classes named one by one; more are counted.
const MOST_NAMED: usize = 4;

/// Everything that ranks may share, for groups of this size.
pub(super) fn hypotheses<'a>(
    store: &'a Store,
    logical: &Logical,
    everyone: &Everyone,
    partners: &'a Partners,
    size: usize,
) -> Hypotheses<'a> {
    let mut classes = machine(store, logical, everyone);
    if let Some(lengths) = partners.grid(everyone) {
        classes.extend(grid(everyone, &lengths));
    }
    Hypotheses { classes, communicators: communicators(store, logical, everyone, size), tree: partners.tree.as_ref() }
}

/// One division for each level of the machine: racks, nodes.
fn machine<'a>(store: &'a Store, logical: &Logical, everyone: &Everyone) -> Vec<Classes<'a>> {
    let parents: Vec<SystemNodeId> = store.system_tree.parent.iter(0..store.system_tree.len()).collect();
    let path = |row: u32| {
        let location = logical.rows.location.get(u64::from(row));
        // The last one is the process itself: one of its own for each rank.
        let mut at = store.locations.parent.get(u64::from(location.0));
        let mut path = Vec::new();
        while let Some(parent) = parents.get(at.0 as usize).filter(|_| at.is_some() && path.len() < 2 * MOST_LEVELS) {
            path.push(at.0);
            at = *parent;
        }
        path.reverse();
        path
    };
    let paths: Vec<Vec<u32>> = everyone.rows.iter().map(|row| path(*row)).collect();
    let mut found: Vec<Classes> = Vec::new();
    for level in 0..MOST_LEVELS {
        if paths.is_empty() || paths.iter().any(|path| path.len() <= level) {
            break;
        }
        let mut nodes: Vec<u32> = paths.iter().map(|path| path[level]).collect();
        let class_of: Vec<u32> = nodes.clone();
        nodes.sort_unstable();
        nodes.dedup();
        if nodes.len() < 2 || nodes.len() >= paths.len() {
            continue;
        }
        let numbers: FxHashMap<u32, u32> = nodes.iter().copied().zip(0..).collect();
        let class_of: Vec<u32> = class_of.iter().map(|node| numbers[node]).collect();
        let count = nodes.len();
        let mut sizes = vec![0u32; count];
        for class in &class_of {
            sizes[*class as usize] += 1;
        }
        let name = move |chosen: &[u32]| {
            let ranks: u64 = chosen.iter().map(|class| u64::from(sizes[*class as usize])).sum();
            let names: Vec<String> =
                chosen.iter().map(|class| node_name(store, SystemNodeId(nodes[*class as usize]))).collect();
            let class = store.system_tree.class.get(u64::from(nodes[chosen[0] as usize]));
            format!("all {} ranks of {}", grouped(ranks), several(class, &names))
        };
        found.push(Classes { kind: WhoKind::Place, bits: 0.0, class_of, count, name: Box::new(name) });
    }
    let bits = PLACE + (found.len().max(1) as f64).log2();
    found.into_iter().map(|classes| Classes { bits, ..classes }).collect()
}

/// `node 3`, `nodes 3–5 and 9`, `12 nodes (a, b, c, …)`.
fn several(class: &str, names: &[String]) -> String {
    if let [one] = names {
        return one.clone();
    }
    let short: Vec<&str> =
        names.iter().map(|name| name.strip_prefix(class).map_or(name.as_str(), str::trim_start)).collect();
    let numbers: Option<Vec<u32>> = short.iter().map(|name| name.parse().ok()).collect();
    let pieces: Vec<String> = match numbers.filter(|numbers| numbers.is_sorted()) {
        Some(numbers) => ranges(numbers).into_iter().map(|(first, last)| range(first, last)).collect(),
        None => short.iter().map(|name| (*name).to_owned()).collect(),
    };
    if pieces.len() <= MOST_NAMED {
        format!("{class}s {}", joined(&pieces))
    } else {
        format!("{} {class}s ({}, …)", names.len(), pieces[..MOST_NAMED - 1].join(", "))
    }
}

/// Rows and columns, or planes and lines, and the edges.
pub(super) fn grid<'a>(everyone: &Everyone, lengths: &[u32]) -> Vec<Classes<'a>> {
    let shape = lengths.iter().map(|length| grouped(u64::from(*length))).collect::<Vec<_>>().join(" × ");
    let places = |rank: u32| {
        let mut rest = rank;
        let mut at: Vec<u32> = lengths
            .iter()
            .rev()
            .map(|length| {
                let place = rest % length;
                rest /= length;
                place
            })
            .collect();
        at.reverse();
        at
    };
    let coordinates: Vec<Vec<u32>> = everyone.ranks.iter().map(|rank| places(*rank)).collect();
    let axes = lengths.len();
    // Each non-empty choice of axes that are held, but not of all.
    let mut found: Vec<Classes> = (1..(1usize << axes) - 1)
        .map(|held| {
            let is_held = move |axis: usize| held >> axis & 1 == 1;
            let held_lengths: Vec<u32> = (0..axes).filter(|axis| is_held(*axis)).map(|axis| lengths[axis]).collect();
            let class = |at: &Vec<u32>| {
                (0..axes).filter(|axis| is_held(*axis)).fold(0, |class, axis| class * lengths[axis] + at[axis])
            };
            let class_of = coordinates.iter().map(class).collect();
            let count = held_lengths.iter().product::<u32>() as usize;
            let shape = shape.clone();
            let name: Namer = if axes == 2 {
                Box::new(move |chosen| row_name(if is_held(0) { "row" } else { "column" }, chosen, &shape))
            } else {
                Box::new(move |chosen| line_name(chosen, axes, is_held, &held_lengths, &shape))
            };
            Classes { kind: WhoKind::Grid, bits: 0.0, class_of, count, name }
        })
        .collect();
    if axes == 2 && lengths.iter().all(|length| *length > 3) {
        let on_edges = |at: &Vec<u32>| {
            let is_edge = |axis: usize| at[axis] == 0 || at[axis] + 1 == lengths[axis];
            (0..axes).filter(|axis| is_edge(*axis)).count() as u32
        };
        let name = move |chosen: &[u32]| {
            let what = match chosen {
                [0] => "the ranks inside",
                [1] => "the edges, without the corners,",
                [2] => "the corners",
                [1, 2] => "the edges",
                _ => "all but the edges without the corners",
            };
            format!("{what} of the {shape} process grid")
        };
        let class_of = coordinates.iter().map(on_edges).collect();
        found.push(Classes { kind: WhoKind::Grid, bits: 0.0, class_of, count: 3, name: Box::new(name) });
    }
    let bits = GRID + (found.len() as f64).log2();
    found.into_iter().map(|classes| Classes { bits, ..classes }).collect()
}

/// `row 3 of the 32 × 32 process grid`.
fn row_name(what: &str, chosen: &[u32], shape: &str) -> String {
    let pieces: Vec<String> =
        ranges(chosen.iter().copied()).into_iter().map(|(first, last)| range(first, last)).collect();
    let plural = if chosen.len() == 1 { "" } else { "s" };
    format!("{what}{plural} {} of the {shape} process grid", joined(&pieces))
}

/// `plane (3, ·, ·) of the 16 × 8 × 8 process grid`.
fn line_name(
    chosen: &[u32],
    axes: usize,
    is_held: impl Fn(usize) -> bool,
    held_lengths: &[u32],
    shape: &str,
) -> String {
    let place = |class: u32| {
        let mut rest = class;
        let mut at: Vec<u32> = Vec::new();
        for length in held_lengths.iter().rev() {
            at.push(rest % length);
            rest /= length;
        }
        let texts: Vec<String> = (0..axes)
            .map(|axis| if is_held(axis) { at.pop().unwrap_or(0).to_string() } else { "·".to_owned() })
            .collect();
        format!("({})", texts.join(", "))
    };
    let what = if held_lengths.len() == 1 { "plane" } else { "line" };
    let names: Vec<String> = match chosen {
        // Planes that follow each other.
        [first, .., last] if held_lengths.len() == 1 && last - first + 1 == chosen.len() as u32 => {
            vec![format!("{} to {}", place(*first), place(*last))]
        }
        some => some.iter().take(MOST_NAMED).map(|class| place(*class)).collect(),
    };
    let more = if chosen.len() > MOST_NAMED && names.len() > 1 {
        format!(" and {} more", chosen.len() - MOST_NAMED)
    } else {
        String::new()
    };
    let plural = if chosen.len() == 1 { "" } else { "s" };
    let listed = if more.is_empty() { joined(&names) } else { names.join(", ") };
    format!("{what}{plural} {listed}{more} of the {shape} process grid")
}

/// Communicators of about that many ranks, as places in the list of all ranks; and how many different ones there are.
fn communicators(
    store: &Store,
    logical: &Logical,
    everyone: &Everyone,
    size: usize,
) -> (Vec<(String, Vec<u32>)>, usize) {
    let table = &store.communicators;
    let mut seen = FxHashSet::default();
    let (mut found, mut looked) = (Vec::new(), 0);
    let all = everyone.ranks.len();
    for comm in 0..table.len() {
        let (first, members) = (table.first_member.get(comm), table.members.get(comm));
        if members < 2 || members as usize >= all || !seen.insert((first, members)) {
            continue;
        }
        // Of another size, or so many that looking would take long: it is only counted.
        let fits = |size: usize| 4 * members as usize >= 3 * size && 3 * members as usize <= 4 * size;
        if !(fits(size) || fits(all - size)) || looked + u64::from(members) > MOST_MEMBERS {
            continue;
        }
        looked += u64::from(members);
        let locations = store.communicator_members.location.iter(first..first + u64::from(members));
        let mut places: Vec<u32> = locations
            .filter(|location: &LocationId| location.is_some())
            .filter_map(|location| everyone.place_of(logical.row_of_location(location)?))
            .collect();
        places.sort_unstable();
        places.dedup();
        found.push((communicator_name(store, heddle_model::CommId(comm as u32)), places));
    }
    (found, seen.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_places_are_called_by_what_they_are() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        assert_eq!(several("node", &names(&["node 3"])), "node 3");
        assert_eq!(several("node", &names(&["node 3", "node 4", "node 5", "node 9"])), "nodes 3–5 and 9");
        assert_eq!(several("node", &names(&["node n01", "node n07"])), "nodes n01 and n07");
        let many: Vec<String> = (0..12).map(|at| format!("node {}", 2 * at)).collect();
        assert_eq!(several("node", &many), "12 nodes (0, 2, 4, …)");
    }

    #[test]
    fn planes_and_lines_of_a_block_are_named() {
        let everyone = Everyone::first(512);
        let classes = grid(&everyone, &[8, 8, 8]);
        let names = |is_in: &dyn Fn(u32) -> bool| -> Vec<String> {
            classes
                .iter()
                .filter_map(|classes| {
                    let mut sizes = vec![(0, 0); classes.count];
                    for (rank, class) in (0..).zip(&classes.class_of) {
                        sizes[*class as usize].0 += u32::from(is_in(rank));
                        sizes[*class as usize].1 += 1;
                    }
                    let is_exact = sizes.iter().all(|(inside, all)| [0, *all].contains(inside));
                    let chosen: Vec<u32> = (0..).zip(&sizes).filter(|(_, size)| size.0 > 0).map(|(at, _)| at).collect();
                    (is_exact && chosen.len() < 4).then(|| (classes.name)(&chosen))
                })
                .collect()
        };
        assert_eq!(names(&|rank| rank / 64 == 3), ["plane (3, ·, ·) of the 8 × 8 × 8 process grid"]);
        assert_eq!(names(&|rank| rank / 8 % 8 == 3), ["plane (·, 3, ·) of the 8 × 8 × 8 process grid"]);
        assert_eq!(
            names(&|rank| (2..5).contains(&(rank % 8))),
            ["planes (·, ·, 2) to (·, ·, 4) of the 8 × 8 × 8 process grid"]
        );
        assert_eq!(names(&|rank| rank / 64 == 1 && rank % 8 == 7), ["line (1, ·, 7) of the 8 × 8 × 8 process grid"]);
    }
}
