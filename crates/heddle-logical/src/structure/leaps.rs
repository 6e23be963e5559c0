//! Leap merge: phases side by side are completed until they cover all rows.
//!
//! A phase's **leap** is its depth in the graph of phases. A leap whose phases leave rows out takes in phases of the next
//! leap that bring such rows; a phase that is much nearer in time to what precedes it goes there instead. All that one
//! look at a leap decides is done at once, so no order between phases of a leap can matter.

use heddle_store::{Progress, StoreError};

use super::partitions::Partitions;
use crate::Events;

/// Merges phases leap by leap. With `skip`, a leap that nothing completes stays as it is; without, it takes in all of the
/// next one.
pub(super) fn merge_leaps<'a>(
    parts: Partitions<'a>,
    events: &Events,
    skip: bool,
    progress: &dyn Progress,
) -> Result<Partitions<'a>, StoreError> {
    let mut leaps = Leaps::new(&parts, events);
    while !leaps.now.is_empty() {
        progress.check()?;
        leaps.look(skip);
    }
    let label: Vec<u32> = (0..parts.len()).map(|part| leaps.group_of(part)).collect();
    Ok(parts.relabelled(&label))
}

/// Where a part stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Behind the leap that is looked at.
    Behind,
    /// In a leap before the last accepted one.
    Past,
    /// In the last accepted leap.
    Above,
    /// In the leap that is looked at.
    Now,
    /// In the leap below it.
    Below,
}

struct Leaps<'a> {
    parts: &'a Partitions<'a>,
    events: &'a Events,
    /// How many rows have events.
    rows: usize,
    /// For each part a smaller one of its group, or itself.
    parent: Vec<u32>,
    /// The next part of the same group, in a circle.
    next: Vec<u32>,
    /// By group: how many of its runs follow a run that is not in an accepted leap, nor in the group.
    waits: Vec<u32>,
    standing: Vec<Standing>,
    /// The groups of the last accepted leap.
    above: Vec<u32>,
    /// The groups of the leap that is looked at.
    now: Vec<u32>,
    /// By row: the number of the look in which the leap covered it.
    covered: Vec<u32>,
    looks: u32,
}

impl<'a> Leaps<'a> {
    fn new(parts: &'a Partitions<'a>, events: &'a Events) -> Leaps<'a> {
        let count = parts.len();
        let mut waits = vec![0; count as usize];
        for part in 0..count {
            parts.for_predecessors(part, |_| waits[part as usize] += 1);
        }
        let now: Vec<u32> = (0..count).filter(|&part| waits[part as usize] == 0).collect();
        let mut standing = vec![Standing::Behind; count as usize];
        for &part in &now {
            standing[part as usize] = Standing::Now;
        }
        Leaps {
            parts,
            events,
            rows: events.first_of_row.windows(2).filter(|row| row[0] < row[1]).count(),
            parent: (0..count).collect(),
            next: (0..count).collect(),
            waits,
            standing,
            above: Vec::new(),
            now,
            covered: vec![0; events.first_of_row.len()],
            looks: 0,
        }
    }

    fn group_of(&mut self, mut part: u32) -> u32 {
        while self.parent[part as usize] != part {
            let above = self.parent[self.parent[part as usize] as usize];
            self.parent[part as usize] = above;
            part = above;
        }
        part
    }

    /// Unites two groups; the smaller part stands for both. Waits and places are the caller's.
    fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.group_of(a), self.group_of(b));
        if a != b {
            self.parent[a.max(b) as usize] = a.min(b);
            self.next.swap(a as usize, b as usize);
        }
    }

    /// The runs of a group.
    fn runs_of(&self, group: u32) -> impl Iterator<Item = u32> + use<'a> {
        let mut members = vec![group];
        let mut part = self.next[group as usize];
        while part != group {
            members.push(part);
            part = self.next[part as usize];
        }
        let parts = self.parts;
        members.into_iter().flat_map(move |part| parts.starts(part).iter().copied())
    }

    /// The groups behind a group, once for each run, with the time between.
    fn successors(&mut self, group: u32) -> Vec<(u32, i64)> {
        let edges = self.runs_of(group).filter_map(|start| {
            let end = self.parts.run_end(start);
            self.parts.behind(end).map(|next| (next, self.gap(end)))
        });
        let edges: Vec<(u32, i64)> = edges.collect();
        self.outside(group, edges)
    }

    /// The groups before a group, once for each run, with the time between.
    fn predecessors(&mut self, group: u32) -> Vec<(u32, i64)> {
        let edges = self.runs_of(group);
        let edges =
            edges.filter_map(|start| self.parts.before(start).map(|before| (before, self.gap(start)))).collect();
        self.outside(group, edges)
    }

    /// Parts as their groups, without the group itself.
    fn outside(&mut self, group: u32, mut edges: Vec<(u32, i64)>) -> Vec<(u32, i64)> {
        for (part, _) in &mut edges {
            *part = self.group_of(*part);
        }
        edges.retain(|&(other, _)| other != group);
        edges
    }

    /// The time between an event and the one before it.
    fn gap(&self, event: u32) -> i64 {
        self.events.enter[event as usize].0 - self.events.leave[event as usize - 1].0
    }

    fn row_of(&self, event: u32) -> usize {
        self.events.first_of_row.partition_point(|&first| first <= event) - 1
    }

    /// One look at a leap: merges, or goes on to the next one.
    fn look(&mut self, skip: bool) {
        self.looks += 1;
        let now = std::mem::take(&mut self.now);
        let mut missing = self.rows;
        for &group in &now {
            for start in self.runs_of(group) {
                let row = self.row_of(start);
                missing -= usize::from(self.covered[row] != self.looks);
                self.covered[row] = self.looks;
            }
        }
        let behind: Vec<Vec<(u32, i64)>> = now.iter().map(|&group| self.successors(group)).collect();
        let mut below = Vec::new();
        for &(next, _) in behind.iter().flatten() {
            self.waits[next as usize] -= 1;
            if self.waits[next as usize] == 0 {
                self.standing[next as usize] = Standing::Below;
                below.push(next);
            }
        }
        let mut pairs = if missing > 0 { self.completions(&now, &behind, &below) } else { Vec::new() };
        if missing > 0 && pairs.is_empty() && !skip {
            let edges =
                now.iter().zip(&behind).flat_map(|(&group, behind)| behind.iter().map(move |edge| (group, edge.0)));
            pairs = edges.filter(|&(_, next)| self.standing[next as usize] == Standing::Below).collect();
        }
        if pairs.is_empty() {
            self.accept(now, below);
        } else {
            self.merge(&pairs, &now, &behind, below);
        }
    }

    /// The leap stays as it is; the next one is below it.
    fn accept(&mut self, now: Vec<u32>, below: Vec<u32>) {
        for group in std::mem::replace(&mut self.above, now) {
            self.standing[group as usize] = Standing::Past;
        }
        for &group in &self.above {
            self.standing[group as usize] = Standing::Above;
        }
        for &group in &below {
            self.standing[group as usize] = Standing::Now;
        }
        self.now = below;
    }

    /// What each group of the leap is merged with: groups above it that are much nearer than those below, or groups below
    /// it that bring rows which the leap lacks.
    fn completions(&mut self, now: &[u32], behind: &[Vec<(u32, i64)>], below: &[u32]) -> Vec<(u32, u32)> {
        let mut brings = below.to_vec();
        brings.retain(|&group| self.runs_of(group).any(|start| self.covered[self.row_of(start)] != self.looks));
        brings.sort_unstable();
        let mut pairs = Vec::new();
        for (&group, behind) in now.iter().zip(behind) {
            let mut before = self.predecessors(group);
            before.retain(|&(previous, _)| self.standing[previous as usize] == Standing::Above);
            let below = behind.iter().filter(|&&(next, _)| self.standing[next as usize] == Standing::Below);
            let nearest_above = before.iter().map(|&(_, gap)| i128::from(gap)).min();
            let nearest_below = below.clone().map(|&(_, gap)| i128::from(gap)).min();
            if nearest_above.is_some_and(|above| nearest_below.is_none_or(|below| below > 10 * above)) {
                pairs.extend(before.iter().map(|&(previous, _)| (group, previous)));
            } else {
                pairs.extend(
                    below.filter(|(next, _)| brings.binary_search(next).is_ok()).map(|&(next, _)| (group, next)),
                );
            }
        }
        pairs
    }

    /// Merges pairs, and finds the leap anew: what has no predecessor but in accepted leaps.
    fn merge(&mut self, pairs: &[(u32, u32)], now: &[u32], behind: &[Vec<(u32, i64)>], below: Vec<u32>) {
        let mut up: Vec<u32> =
            pairs.iter().filter(|pair| self.standing[pair.1 as usize] == Standing::Above).map(|pair| pair.0).collect();
        up.sort_unstable();
        up.dedup();
        for &(group, other) in pairs {
            self.unite(group, other);
        }
        // What stays waits for this leap again, but not for what went up.
        let mut open = below;
        for (&group, behind) in now.iter().zip(behind) {
            if up.binary_search(&group).is_err() {
                open.push(group);
                for &(next, _) in behind {
                    self.waits[next as usize] += 1;
                }
            }
        }
        for group in up {
            let group = self.group_of(group);
            self.standing[group as usize] = Standing::Above;
            self.above.push(group);
        }
        for group in &mut open {
            *group = self.group_of(*group);
            self.standing[*group as usize] = Standing::Behind;
        }
        open.sort_unstable();
        open.dedup();
        for &group in &open {
            let mut before = self.predecessors(group);
            before
                .retain(|&(previous, _)| !matches!(self.standing[previous as usize], Standing::Above | Standing::Past));
            self.waits[group as usize] = before.len() as u32;
        }
        open.retain(|&group| self.waits[group as usize] == 0);
        for &group in &open {
            self.standing[group as usize] = Standing::Now;
        }
        self.now = open;
    }
}
