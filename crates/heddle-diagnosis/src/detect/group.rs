//! Who belongs together: rows that are slow at the same time, and the node they are on.

use heddle_model::SystemNodeId;
use rustc_hash::FxHashMap;

use super::judge::Accused;
use crate::finding::FindingKind;
use crate::rows::Rows;
use crate::suspect::Group;

/// A node is named instead of its ranks if so many of them are slow.
const MOST_OF_NODE: f64 = 0.8;
/// From so many on, the others of a node need less evidence.
const RECRUITING: f64 = 0.3;
/// How likely chance fills a node.
const ERROR: f64 = 0.01;
/// Rows whose excess differs by more than this factor are told apart.
const ALIKE: f64 = 2.5;
/// Two are slow at the same time if they share so much of the time that either is.
const SAME_TIME: f64 = 0.6;

/// Rows that are accused of one thing.
#[derive(Debug)]
pub(super) struct Together {
    /// The one that stands out most.
    pub(super) first: Accused,
    /// All, in order.
    pub(super) rows: Vec<usize>,
    pub(super) group: Option<Group>,
    /// They are all rows of one or more nodes.
    pub(super) is_whole_nodes: bool,
}

impl Together {
    pub(super) fn kind(&self) -> FindingKind {
        self.first.kind
    }
}

/// Puts rows together that are accused of the same.
pub(super) fn together(
    rows: &Rows<'_>,
    nodes: &[(SystemNodeId, Vec<usize>)],
    accused: &[Accused],
    belongs: impl Fn(&Accused, usize) -> bool,
) -> Vec<Together> {
    let node_of = |row: usize| nodes.iter().position(|(_, rows)| rows.binary_search(&row).is_ok()).unwrap_or(row);
    let mut order: Vec<&Accused> = accused.iter().collect();
    order.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)));
    let mut found: Vec<Together> = Vec::new();
    for one in order {
        let is_same_time = |first: &Accused| {
            let both = (first.until.min(one.until) - first.since.max(one.since)) as f64;
            let either = (first.until.max(one.until) - first.since.min(one.since)) as f64;
            // On one node, somebody may have nothing to compute at first.
            let shorter = (first.until - first.since).min(one.until - one.since) as f64;
            both >= SAME_TIME * either || node_of(first.row) == node_of(one.row) && both >= MOST_OF_NODE * shorter
        };
        let is_same = |other: &&mut Together| {
            let first = &other.first;
            first.kind == one.kind
                && (first.is_throughout && one.is_throughout || is_same_time(first))
                && one.level / first.level < ALIKE
                && first.level / one.level < ALIKE
        };
        match found.iter_mut().find(is_same) {
            Some(other) => other.rows.push(one.row),
            None => found.push(Together { first: *one, rows: vec![one.row], group: None, is_whole_nodes: false }),
        }
    }
    for one in &mut found {
        one.rows.sort_unstable();
        one.rows.dedup();
        name_nodes(nodes, rows.len(), one, &belongs);
    }
    // A node that was completed holds those that were slow there for themselves.
    let mut kept: Vec<Together> = Vec::new();
    for one in found {
        let is_part = |other: &Together| {
            other.kind() == one.kind() && other.is_whole_nodes && one.rows.iter().all(|row| other.rows.contains(row))
        };
        if one.kind() == FindingKind::Stall || !kept.iter().any(is_part) {
            kept.push(one);
        }
    }
    kept
}

/// The rows of each node of the machine; none where all are on one.
pub(super) fn nodes(rows: &Rows<'_>) -> Vec<(SystemNodeId, Vec<usize>)> {
    let mut nodes: FxHashMap<SystemNodeId, Vec<usize>> = FxHashMap::default();
    for (row, location) in rows.locations.iter().enumerate() {
        if let Some(node) = rows.store.node_of(*location) {
            nodes.entry(node).or_default().push(row);
        }
    }
    let mut nodes: Vec<(SystemNodeId, Vec<usize>)> = nodes.into_iter().collect();
    nodes.sort_by_key(|(node, _)| *node);
    if nodes.len() < 2 { Vec::new() } else { nodes }
}

/// Completes nodes many of whose rows are accused: others of them need less evidence.
fn name_nodes(
    nodes: &[(SystemNodeId, Vec<usize>)],
    all: usize,
    together: &mut Together,
    belongs: &dyn Fn(&Accused, usize) -> bool,
) {
    let mut named = Vec::new();
    let accused = together.rows.clone();
    for (node, members) in nodes {
        let is_accused = |row: &&usize| accused.binary_search(row).is_ok();
        let slow = members.iter().filter(is_accused).count();
        let enough = slow >= 2 && slow as f64 >= RECRUITING * members.len() as f64;
        if !enough || chance_of(all, accused.len(), members.len(), slow) >= ERROR / nodes.len() as f64 {
            continue;
        }
        let others = members.iter().filter(|row| !is_accused(row) && belongs(&together.first, **row));
        let others: Vec<usize> = others.copied().collect();
        let slow = slow + others.len();
        if slow as f64 >= MOST_OF_NODE * members.len() as f64 {
            together.rows.extend(members);
            named.push(*node);
        } else {
            together.rows.extend(others);
        }
    }
    together.rows.sort_unstable();
    together.rows.dedup();
    let on_named = nodes.iter().filter(|(node, _)| named.contains(node)).map(|(_, rows)| rows.len()).sum::<usize>();
    together.is_whole_nodes = on_named == together.rows.len();
    if let ([node], true) = (named.as_slice(), together.is_whole_nodes) {
        together.group = Some(Group::Node(*node));
    }
}

/// How likely at least `slow` of `members` are among `accused` of `all` by chance: the hypergeometric tail.
pub(super) fn chance_of(all: usize, accused: usize, members: usize, slow: usize) -> f64 {
    let log_choose = |n: usize, k: usize| log_factorial(n) - log_factorial(k) - log_factorial(n - k);
    let most = members.min(accused);
    let mut sum = 0.0;
    for hit in slow..=most {
        if accused - hit > all - members {
            continue;
        }
        sum += (log_choose(members, hit) + log_choose(all - members, accused - hit) - log_choose(all, accused)).exp();
    }
    sum
}

/// Stirling's series beyond small numbers.
fn log_factorial(n: usize) -> f64 {
    if n < 32 {
        return (2..=n).map(|k| (k as f64).ln()).sum();
    }
    let n = n as f64;
    n * n.ln() - n + 0.5 * (2.0 * std::f64::consts::PI * n).ln() + 1.0 / (12.0 * n)
}

#[cfg(test)]
mod tests {
    use super::chance_of;

    #[test]
    fn chances_are_those_of_the_sheet() {
        for (slow, expected) in [(8, 2.26e-10), (6, 1.0e-5), (2, 0.26)] {
            let found = chance_of(64, 8, 8, slow);
            assert!((found / expected - 1.0).abs() < 0.2, "{slow}: {found} for {expected}");
        }
    }
}
