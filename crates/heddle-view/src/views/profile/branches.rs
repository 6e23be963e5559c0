//! Which parts of a tree of calls are open.
//!
//! By itself the tree opens the way to where time is spent, as far as there is room. Whoever opens or closes a path has it
//! stay so, whatever the window; the others do not move because of it. A search opens the way to what it finds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use heddle_profile::{Folded, Grouping};

/// Paths that one link can say to be open or closed: the text of an option has an end.
const MOST: usize = 70;

/// A row that can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) row: u32,
    /// How deep it stands.
    pub(super) depth: usize,
    /// Whether what it calls stands below it; none if it calls nothing.
    pub(super) is_open: Option<bool>,
}

/// What is open by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Usual {
    /// What has room.
    #[default]
    Fits,
    All,
    None,
}

/// What somebody opened and closed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Branches {
    usual: Usual,
    /// Names of paths, and whether each is open.
    said: Vec<(String, bool)>,
}

impl Branches {
    /// Reads `+KEY,-KEY`, with `all` or `none` before it. What is broken is left out.
    pub(super) fn read(text: &str) -> Branches {
        let mut branches = Branches::default();
        for word in text.split(',') {
            match (word, word.strip_prefix('+'), word.strip_prefix('-')) {
                ("all", ..) => branches.usual = Usual::All,
                ("none", ..) => branches.usual = Usual::None,
                (_, Some(key), _) => branches.said.push((key.to_owned(), true)),
                (_, _, Some(key)) => branches.said.push((key.to_owned(), false)),
                _ => {}
            }
        }
        branches
    }

    /// The same with one path opened or closed.
    pub(super) fn with(&self, key: &str, is_open: bool) -> String {
        let others = self.said.iter().filter(|(other, _)| other != key);
        let sign = |is_open: bool| if is_open { '+' } else { '-' };
        let said: Vec<String> = others.map(|(key, is_open)| format!("{}{key}", sign(*is_open))).collect();
        let usual = match self.usual {
            Usual::Fits => None,
            Usual::All => Some("all".to_owned()),
            Usual::None => Some("none".to_owned()),
        };
        let latest = said.into_iter().rev().take(MOST - 1).collect::<Vec<_>>();
        let all = usual.into_iter().chain(latest.into_iter().rev()).chain([format!("{}{key}", sign(is_open))]);
        all.collect::<Vec<_>>().join(",")
    }

    fn said(&self, key: &str) -> Option<bool> {
        self.said.iter().rev().find(|(other, _)| other == key).map(|(_, is_open)| *is_open)
    }

    /// The rows that can be seen, each below what it is called from. With a search, those that it finds and the way to them.
    pub(super) fn lines(
        &self,
        by: &Grouping,
        rows: &[Folded],
        order: &[u32],
        name: impl Fn(u32) -> String,
        found: Option<&[bool]>,
        room: usize,
    ) -> Vec<Line> {
        let tree = Tree::new(by, order, found);
        let is_open_by_itself = match (found, self.usual) {
            (Some(_), _) | (None, Usual::All) => vec![true; rows.len()],
            (None, Usual::None) => vec![false; rows.len()],
            (None, Usual::Fits) => tree.fitting(rows, room),
        };
        let mut lines = Vec::new();
        let mut waiting: Vec<(u32, usize)> = tree.outer.iter().rev().map(|row| (*row, 0)).collect();
        while let Some((row, depth)) = waiting.pop() {
            let called = &tree.called[row as usize];
            let by_itself = is_open_by_itself[row as usize];
            let is_said = if self.said.is_empty() || called.is_empty() { None } else { self.said(&name(row)) };
            let is_open = (!called.is_empty()).then(|| is_said.unwrap_or(by_itself));
            lines.push(Line { row, depth, is_open });
            if is_open == Some(true) {
                waiting.extend(called.iter().rev().map(|row| (*row, depth + 1)));
            }
        }
        lines
    }
}

/// Who calls whom, among the rows that count.
struct Tree {
    outer: Vec<u32>,
    called: Vec<Vec<u32>>,
}

impl Tree {
    fn new(by: &Grouping, order: &[u32], found: Option<&[bool]>) -> Tree {
        let mut is_way = vec![found.is_none(); by.rows().len()];
        let on_way = |found: &[bool], row: &u32| found[*row as usize];
        for row in order.iter().filter(|row| found.is_some_and(|found| on_way(found, row))) {
            let around = std::iter::successors(Some(*row), |row| by.rows()[*row as usize].caller);
            around.for_each(|row| is_way[row as usize] = true);
        }
        let mut tree = Tree { outer: Vec::new(), called: vec![Vec::new(); by.rows().len()] };
        for row in order.iter().filter(|row| is_way[**row as usize]) {
            match by.rows()[*row as usize].caller {
                Some(caller) => tree.called[caller as usize].push(*row),
                None => tree.outer.push(*row),
            }
        }
        tree
    }

    /// Opens where most time is spent, again and again, until there is no room.
    fn fitting(&self, rows: &[Folded], room: usize) -> Vec<bool> {
        let mut is_open = vec![false; rows.len()];
        let mut seen = self.outer.len();
        let place = |row: &u32| (rows[*row as usize].inclusive.total, Reverse(*row));
        let mut waiting: BinaryHeap<(i64, Reverse<u32>)> = self.outer.iter().map(place).collect();
        while let Some((_, Reverse(row))) = waiting.pop() {
            let called = &self.called[row as usize];
            // What has no room by itself is opened all the same while there is nearly nothing to see.
            if seen + called.len() <= room || seen * 4 < room {
                is_open[row as usize] = true;
                seen += called.len();
                waiting.extend(called.iter().map(place));
            }
        }
        is_open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_last_counts_and_always_fits_into_a_link() {
        let mut text = "none".to_owned();
        for number in 0..200u32 {
            text = Branches::read(&text).with(&format!("{number:012x}"), number % 2 == 0);
            assert!(text.len() <= 1000, "the longest text of an option");
        }
        let branches = Branches::read(&text);
        assert_eq!(branches.usual, Usual::None);
        assert_eq!(branches.said(&format!("{:012x}", 199)), Some(false));
        assert_eq!(branches.said(&format!("{:012x}", 198)), Some(true));
        assert_eq!(branches.said(&format!("{:012x}", 0)), None, "the oldest is forgotten");
        let again = Branches::read(&branches.with(&format!("{:012x}", 199), true));
        assert_eq!((again.said(&format!("{:012x}", 199)), again.said.len()), (Some(true), branches.said.len()));
        assert_eq!(Branches::read("all,x,+,-").said, [(String::new(), true), (String::new(), false)]);
    }
}
