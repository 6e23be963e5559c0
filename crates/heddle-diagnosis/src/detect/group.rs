//! Who belongs together: rows that are slow at the same time, and the node they are on.

use heddle_model::SystemNodeId;
use rustc_hash::FxHashMap;

use super::judge::Accused;
use crate::rows::Rows;
use crate::suspect::Group;

/// A node is named instead of its ranks if so many of them are slow.
const MOST_OF_NODE: f64 = 0.8;
/// How likely chance fills a node.
const ERROR: f64 = 0.01;
/// Rows whose excess differs by more than this factor are told apart.
const ALIKE: f64 = 1.8;
/// So far apart, as a share of the run, two may begin or end.
const SAME_TIME: f64 = 0.06;

/// Rows that are accused of one thing.
#[derive(Debug)]
pub(super) struct Together {
    /// The one that stands out most.
    pub(super) first: Accused,
    /// All, in order.
    pub(super) rows: Vec<usize>,
    pub(super) group: Option<Group>,
}

/// Puts rows together that are accused of the same.
pub(super) fn together(rows: &Rows<'_>, accused: &[Accused]) -> Vec<Together> {
    let run = (rows.run.1.0 - rows.run.0.0) as f64;
    let mut order: Vec<&Accused> = accused.iter().collect();
    order.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)));
    let mut found: Vec<Together> = Vec::new();
    for one in order {
        let near = |a: i64, b: i64| ((a - b).abs() as f64) < SAME_TIME * run;
        let is_same = |other: &&mut Together| {
            let first = &other.first;
            first.kind == one.kind
                && (first.is_throughout && one.is_throughout
                    || near(first.since, one.since) && near(first.until, one.until))
                && one.level / first.level < ALIKE
                && first.level / one.level < ALIKE
        };
        match found.iter_mut().find(is_same) {
            Some(other) => other.rows.push(one.row),
            None => found.push(Together { first: *one, rows: vec![one.row], group: None }),
        }
    }
    for one in &mut found {
        one.rows.sort_unstable();
        one.rows.dedup();
        name_nodes(rows, one);
    }
    found
}

/// Completes nodes most of whose rows are accused.
fn name_nodes(rows: &Rows<'_>, together: &mut Together) {
    let mut nodes: FxHashMap<SystemNodeId, Vec<usize>> = FxHashMap::default();
    for (row, location) in rows.locations.iter().enumerate() {
        if let Some(node) = rows.store.node_of(*location) {
            nodes.entry(node).or_default().push(row);
        }
    }
    if nodes.len() < 2 {
        return;
    }
    let count = nodes.len() as f64;
    let is_accused = |row: &usize| together.rows.binary_search(row).is_ok();
    let mut named: Vec<(SystemNodeId, Vec<usize>)> = nodes
        .into_iter()
        .filter(|(_, members)| {
            let slow = members.iter().filter(|row| is_accused(row)).count();
            members.len() >= 2
                && slow as f64 >= MOST_OF_NODE * members.len() as f64
                && chance_of(rows.len(), together.rows.len(), members.len(), slow) < ERROR / count
        })
        .collect();
    named.sort_by_key(|(node, _)| *node);
    let of_nodes: Vec<usize> = named.iter().flat_map(|(_, members)| members.iter().copied()).collect();
    let others = together.rows.iter().filter(|row| !of_nodes.contains(row)).count();
    together.rows.extend(&of_nodes);
    together.rows.sort_unstable();
    together.rows.dedup();
    if let ([(node, _)], 0) = (named.as_slice(), others) {
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
