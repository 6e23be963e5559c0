//! Who belongs together: rows that are slow at the same time, and what they are together: a node or another place of the
//! system tree, or a row or column of the process grid.

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
/// Fewer ranks are at equal distances by chance.
const LEAST_OF_LINE: usize = 3;
/// So many of a line of the process grid must be slow for the others to need less evidence.
const MOST_OF_LINE: f64 = 0.8;

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
        complete_line(rows, one, &belongs);
        one.group = place_of(rows, &one.rows).map(Group::Node).or_else(|| line_of(rows, &one.rows).map(Line::group));
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
}

/// The place of the system tree that holds these rows and no others; none for all of them or a single one. The node rather
/// than a part of it that holds as many.
fn place_of(rows: &Rows<'_>, of: &[usize]) -> Option<SystemNodeId> {
    let store = rows.store;
    if of.len() < 2 || of.len() == rows.len() {
        return None;
    }
    let holds_just = |place: &SystemNodeId| {
        let is_inside = |row: &usize| store.places_of(rows.locations[*row]).any(|around| around == *place);
        (0..rows.len()).filter(is_inside).count() == of.len() && of.iter().all(is_inside)
    };
    let first = rows.locations[of[0]];
    store.node_of(first).into_iter().chain(store.places_of(first)).find(holds_just)
}

/// Ranks at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    first: u32,
    last: u32,
    stride: u32,
}

impl Line {
    /// The line that some ranks, in order, lie on; neighbours are a range, and no line.
    fn through(ranks: &[u32]) -> Option<Line> {
        let (first, last) = (*ranks.first()?, *ranks.last()?);
        let common = |a: u32, b: u32| {
            let (mut a, mut b) = (a, b);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        let stride = ranks.windows(2).map(|two| two[1].saturating_sub(two[0])).fold(0, common);
        (stride > 1 && ranks.len() >= LEAST_OF_LINE).then_some(Line { first, last, stride })
    }

    fn count(self) -> u32 {
        (self.last - self.first) / self.stride + 1
    }

    fn group(self) -> Group {
        Group::Stride { first: self.first, stride: self.stride, count: self.count() }
    }
}

fn rank_of(rows: &Rows<'_>, row: usize) -> Option<u32> {
    rows.store.locations.rank.get(u64::from(rows.locations[row].0)).some().map(|rank| rank.0)
}

/// The line that the ranks of some rows fill.
fn line_of(rows: &Rows<'_>, of: &[usize]) -> Option<Line> {
    let mut ranks: Vec<u32> = of.iter().map(|row| rank_of(rows, *row)).collect::<Option<_>>()?;
    ranks.sort_unstable();
    Line::through(&ranks).filter(|line| line.count() as usize == ranks.len())
}

/// Completes a line of the process grid that nearly all ranks of are accused: the few between them need less evidence.
fn complete_line(rows: &Rows<'_>, together: &mut Together, belongs: &dyn Fn(&Accused, usize) -> bool) {
    let Some(mut ranks) = together.rows.iter().map(|row| rank_of(rows, *row)).collect::<Option<Vec<u32>>>() else {
        return;
    };
    ranks.sort_unstable();
    let Some(line) = Line::through(&ranks) else { return };
    let is_between = |row: &usize| {
        let on_line =
            |rank: u32| (line.first..line.last).contains(&rank) && (rank - line.first).is_multiple_of(line.stride);
        rank_of(rows, *row).is_some_and(|rank| on_line(rank) && ranks.binary_search(&rank).is_err())
    };
    if (ranks.len() as f64) < MOST_OF_LINE * f64::from(line.count()) {
        return;
    }
    let between: Vec<usize> = (0..rows.len()).filter(is_between).collect();
    if between.iter().all(|row| belongs(&together.first, *row)) {
        together.rows.extend(between);
        together.rows.sort_unstable();
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
    use super::{Line, chance_of};
    use crate::suspect::Group;

    #[test]
    fn lines_are_ranks_at_equal_distances() {
        let line = |ranks: &[u32]| Line::through(ranks).map(|line| (line.first, line.stride, line.count()));
        assert_eq!(line(&[3, 11, 19, 27]), Some((3, 8, 4)));
        assert_eq!(line(&[3, 11, 27]), Some((3, 8, 4)), "one is missing");
        assert_eq!(line(&[4, 5, 6, 7]), None, "a range");
        assert_eq!(line(&[3, 11]), None, "two are always at equal distances");
        assert_eq!(line(&[3, 10, 19]), None);
        assert_eq!(line(&[]), None);
        let whole = Line::through(&[3, 11, 19]).map(Line::group);
        assert_eq!(whole, Some(Group::Stride { first: 3, stride: 8, count: 3 }));
    }

    #[test]
    fn chances_are_those_of_the_sheet() {
        for (slow, expected) in [(8, 2.26e-10), (6, 1.0e-5), (2, 0.26)] {
            let found = chance_of(64, 8, 8, slow);
            assert!((found / expected - 1.0).abs() < 0.2, "{slow}: {found} for {expected}");
        }
    }
}
