//! One track: begins and ends paired, then everything laid out so that it nests.
//!
//! Rows of one thread need not nest: kernels of a stream overlap, and so do the scopes of different recorders. The first
//! that fits goes to the track itself, what does not to a further row of it. Nothing is cut, except where a writer's
//! whole microseconds let a child end one after its parent.

use std::io;

use rustc_hash::FxHashMap;

use super::rows::{Entry, Kind};
use super::runs::Runs;
use crate::Scratch;

/// More rows of one track than this are not made; what does not fit them is cut.
const MOST_ROWS: usize = 1024;

/// Entries of one track.
#[derive(Debug, Default)]
pub(super) struct Track {
    /// Spans, marks and counters.
    pub(super) placed: Runs,
    /// Begins and ends that have to be paired first.
    pub(super) edges: Runs,
    /// Latest time of anything.
    pub(super) last: i64,
    pub(super) oddities: Oddities,
}

/// What was odd about a track.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Oddities {
    pub(super) never_ended: u64,
    pub(super) never_begun: u64,
    pub(super) clipped: u64,
    pub(super) cut: u64,
}

impl Track {
    pub(super) fn push(&mut self, entry: Entry) {
        match entry.kind {
            Kind::Begin | Kind::Finish => {
                self.last = self.last.max(entry.start);
                self.edges.push(entry);
            }
            Kind::Metric => {
                self.last = self.last.max(entry.start);
                self.placed.push(entry);
            }
            _ => {
                self.last = self.last.max(entry.end);
                self.placed.push(entry);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.placed.is_empty() && self.edges.is_empty()
    }

    /// Makes spans of begins and ends. `most` entries may be in memory.
    pub(super) fn pair(&mut self, scratch: &dyn Scratch, most: usize) -> io::Result<()> {
        let mut edges = std::mem::take(&mut self.edges);
        let mut open: FxHashMap<i64, Vec<Entry>> = FxHashMap::default();
        for edge in edges.merged(scratch)? {
            let edge = edge?;
            if edge.kind == Kind::Begin {
                open.entry(edge.end).or_default().push(edge);
                continue;
            }
            let Some(stack) = open.get_mut(&edge.end) else {
                self.oddities.never_begun += 1;
                continue;
            };
            let Some(begin) = stack.pop() else {
                self.oddities.never_begun += 1;
                continue;
            };
            let order = stack.len().min(usize::from(u16::MAX)) as u16;
            self.placed.push(Entry { end: edge.start, order, kind: Kind::Span, ..begin });
            if stack.is_empty() {
                open.remove(&edge.end);
            }
            if self.placed.here() > most {
                self.placed.put_aside(scratch)?;
            }
        }
        let mut rest: Vec<(i64, Vec<Entry>)> = open.into_iter().collect();
        rest.sort_unstable_by_key(|(key, _)| *key);
        for (depth, begin) in rest.into_iter().flat_map(|(_, stack)| stack.into_iter().enumerate()) {
            self.oddities.never_ended += 1;
            let order = depth.min(usize::from(u16::MAX)) as u16;
            self.placed.push(Entry { end: self.last.max(begin.start), order, kind: Kind::Span, ..begin });
        }
        Ok(())
    }

    /// Tells everything in an order in which the times of each row never fall. `unit` is how far a child may reach beyond
    /// its parent. Returns the number of rows.
    pub(super) fn lay_out(
        &mut self,
        scratch: &dyn Scratch,
        unit: i64,
        mut tell: impl FnMut(usize, Step) -> io::Result<()>,
    ) -> io::Result<usize> {
        let mut rows: Vec<Vec<Entry>> = vec![Vec::new()];
        self.oddities.clipped = 0;
        self.oddities.cut = 0;
        for entry in self.placed.merged(scratch)? {
            let mut entry = entry?;
            if matches!(entry.kind, Kind::Mark | Kind::Metric) {
                close_until(&mut rows[0], entry.start, &mut |step| tell(0, step))?;
                tell(0, Step::Point(entry))?;
                continue;
            }
            let row = 'row: {
                for (at, stack) in rows.iter_mut().enumerate() {
                    close_until(stack, entry.start, &mut |step| tell(at, step))?;
                    // Two communications at a time on one location cannot be told apart.
                    let communicates =
                        entry.kind == Kind::Communication && stack.iter().any(|open| open.kind == Kind::Communication);
                    match stack.last() {
                        _ if communicates => {}
                        Some(around) if around.end < entry.end => {
                            if entry.end - around.end <= unit {
                                entry.end = around.end;
                                self.oddities.clipped += 1;
                                break 'row at;
                            }
                        }
                        _ => break 'row at,
                    }
                }
                if rows.len() < MOST_ROWS {
                    rows.push(Vec::new());
                    break 'row rows.len() - 1;
                }
                self.oddities.cut += 1;
                entry.kind = if entry.kind == Kind::Communication { Kind::Communication } else { Kind::Span };
                if let Some(around) = rows[MOST_ROWS - 1].last() {
                    entry.end = entry.end.min(around.end);
                }
                MOST_ROWS - 1
            };
            tell(row, Step::Enter(entry))?;
            rows[row].push(entry);
        }
        for (at, stack) in rows.iter_mut().enumerate() {
            close_until(stack, i64::MAX, &mut |step| tell(at, step))?;
        }
        Ok(rows.len())
    }
}

/// What happens next on a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A span begins.
    Enter(Entry),
    /// A span ends.
    Leave(Entry),
    /// An instant or a value.
    Point(Entry),
}

/// Leaves all that end at `time` or before.
#[inline]
fn close_until(stack: &mut Vec<Entry>, time: i64, tell: &mut impl FnMut(Step) -> io::Result<()>) -> io::Result<()> {
    while let Some(top) = stack.last()
        && top.end <= time
    {
        tell(Step::Leave(*top))?;
        stack.pop();
    }
    Ok(())
}
