//! One track: begins and ends paired, then everything laid out so that it nests.
//!
//! Rows of one thread need not nest: kernels of a stream overlap, and so do the scopes of different recorders. The first
//! that fits goes to the track itself, what does not to a further row of it. Nothing is cut, except where a writer's
//! whole microseconds let a child end one after its parent.

use std::io;

use rustc_hash::FxHashMap;

use super::bound::Bound;
use super::rows::{Entry, Kind};
use crate::Scratch;
use crate::runs::Runs;

/// More rows of one track than this are not made; what does not fit them is cut.
const MOST_ROWS: usize = 1024;

/// So many things may be kept for later; others happen at once.
const MOST_HELD: usize = 1 << 12;

/// Entries of one track.
#[derive(Debug, Default)]
pub(super) struct Track {
    /// Spans, marks and counters.
    pub(super) placed: Runs<Entry>,
    /// Begins and ends that have to be paired first.
    pub(super) edges: Runs<Entry>,
    /// What happens inside of rows.
    pub(super) bound: Runs<Bound>,
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
        let (entries, last) = match entry.kind {
            Kind::Begin | Kind::Finish => (&mut self.edges, entry.start),
            Kind::Metric => (&mut self.placed, entry.start),
            Kind::Span | Kind::Communication | Kind::Mark => (&mut self.placed, entry.end),
        };
        self.last = self.last.max(last);
        entries.push(entry);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.placed.is_empty() && self.edges.is_empty() && self.bound.is_empty()
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
            let Some((begin, stack)) = open.get_mut(&edge.end).and_then(|stack| Some((stack.pop()?, stack))) else {
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
        let mut first = FirstRow::default();
        self.oddities.clipped = 0;
        self.oddities.cut = 0;
        let mut bounds = self.bound.merged(scratch)?;
        let mut bound = bounds.next().transpose()?;
        for entry in self.placed.merged(scratch)? {
            let mut entry = entry?;
            // What happens at the time of a row's begin happens inside of it.
            while let Some(now) =
                bound.filter(|bound| if bound.next { bound.at <= entry.start } else { bound.at < entry.start })
            {
                first.bound(&mut rows[0], now, &mut tell)?;
                bound = bounds.next().transpose()?;
            }
            if matches!(entry.kind, Kind::Mark | Kind::Metric) {
                close_until(&mut rows[0], entry.start, &mut |step| first.tell(step, &mut tell))?;
                first.tell(Step::Point(entry), &mut tell)?;
                continue;
            }
            let row = 'row: {
                for (at, stack) in rows.iter_mut().enumerate() {
                    close_until(stack, entry.start, &mut |step| first.tell_on(at, step, &mut tell))?;
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
                if let Some(around) = rows[MOST_ROWS - 1].last() {
                    entry.end = entry.end.min(around.end);
                }
                MOST_ROWS - 1
            };
            first.tell_on(row, Step::Enter(entry), &mut tell)?;
            rows[row].push(entry);
        }
        while let Some(now) = bound {
            first.bound(&mut rows[0], now, &mut tell)?;
            bound = bounds.next().transpose()?;
        }
        for (at, stack) in rows.iter_mut().enumerate() {
            close_until(stack, i64::MAX, &mut |step| first.tell_on(at, step, &mut tell))?;
        }
        first.rest(&mut tell)?;
        Ok(rows.len())
    }
}

/// The row that has what happens inside of rows, beside their begins and ends.
#[derive(Default)]
struct FirstRow {
    /// What happens later than its place says, by time.
    late: Vec<Bound>,
    /// What happens when the next row begins.
    waiting: Vec<Bound>,
    now: Option<i64>,
}

impl FirstRow {
    #[inline]
    fn tell_on(
        &mut self,
        row: usize,
        step: Step,
        tell: &mut impl FnMut(usize, Step) -> io::Result<()>,
    ) -> io::Result<()> {
        if row == 0 { self.tell(step, tell) } else { tell(row, step) }
    }

    #[inline]
    fn tell(&mut self, step: Step, tell: &mut impl FnMut(usize, Step) -> io::Result<()>) -> io::Result<()> {
        let time = match step {
            Step::Enter(entry) | Step::Point(entry) => entry.start,
            Step::Leave(entry) => entry.end,
            Step::Inside(_, time) => time,
        };
        if !self.late.is_empty() {
            self.tell_late(time, tell)?;
        }
        self.now = self.now.max(Some(time));
        tell(0, step)?;
        if matches!(step, Step::Enter(_)) && !self.waiting.is_empty() {
            self.waiting.drain(..).try_for_each(|bound| tell(0, Step::Inside(bound, time)))?;
        }
        Ok(())
    }

    fn tell_late(&mut self, until: i64, tell: &mut impl FnMut(usize, Step) -> io::Result<()>) -> io::Result<()> {
        let due = self.late.partition_point(|bound| bound.time <= until);
        for bound in self.late.drain(..due) {
            self.now = self.now.max(Some(bound.time));
            tell(0, Step::Inside(bound, bound.time))?;
        }
        Ok(())
    }

    fn bound(
        &mut self,
        stack: &mut Vec<Entry>,
        bound: Bound,
        tell: &mut impl FnMut(usize, Step) -> io::Result<()>,
    ) -> io::Result<()> {
        // Rows without a length are over when they begin, yet things happen in them.
        while let Some(top) = stack.last()
            && top.end <= bound.at
            && top.start < bound.at
        {
            self.tell(Step::Leave(*top), tell)?;
            stack.pop();
        }
        if bound.next && self.waiting.len() < MOST_HELD {
            self.waiting.push(bound);
        } else if bound.time > bound.at && self.late.len() < MOST_HELD {
            let place = self.late.partition_point(|other| other.time <= bound.time);
            self.late.insert(place, bound);
        } else {
            self.tell(Step::Inside(bound, bound.at), tell)?;
        }
        Ok(())
    }

    fn rest(&mut self, tell: &mut impl FnMut(usize, Step) -> io::Result<()>) -> io::Result<()> {
        self.tell_late(i64::MAX, tell)?;
        let now = self.now;
        self.waiting.drain(..).try_for_each(|bound| {
            let time = now.map_or(bound.at, |now| now.max(bound.at));
            tell(0, Step::Inside(bound, time))
        })
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
    /// Something inside of the innermost row, at this time.
    Inside(Bound, i64),
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
