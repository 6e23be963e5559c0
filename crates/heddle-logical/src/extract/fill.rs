//! Third pass: what each row's events are, a byte for each, with what belongs together up to a call that waits.

use std::ops::Range;

use heddle_model::{LocationId, Ns, RegionId, SpanRow};
use heddle_store::{Cursor, Store};

use super::clock::Clock;
use super::index::{Mark, MarkedSpan, SpanIndex};
use super::regions::Regions;
use super::scan::{RowScan, RowsScan};
use crate::tables::{flags, kind_of};
use crate::{Kind, LogicalOptions};

/// Beside the kind and the flags of an event: it belongs to the partition of the event before it on its row.
pub(super) const JOINED: u8 = 64;

/// The places of a row's events in the columns.
pub(super) struct RowColumns<'a> {
    /// What each event is: its kind, flags and [`JOINED`].
    pub(super) mark: &'a mut [u8],
    /// Empty unless phases are given.
    pub(super) given_phase: &'a mut [u32],
}

impl<'a> RowColumns<'a> {
    /// The places of the first `count` events, and those of the others.
    pub(super) fn split_at(self, count: usize) -> (RowColumns<'a>, RowColumns<'a>) {
        let given = if self.given_phase.is_empty() { 0 } else { count };
        let (mark, other_mark) = self.mark.split_at_mut(count);
        let (given_phase, other_given_phase) = self.given_phase.split_at_mut(given);
        (RowColumns { mark, given_phase }, RowColumns { mark: other_mark, given_phase: other_given_phase })
    }
}

/// Where rows are read: rows that lie side by side share what was looked up last.
struct Reading<'a> {
    starts: Cursor<'a, Ns>,
    ends: Cursor<'a, Ns>,
    regions: Cursor<'a, RegionId>,
    send_spans: Cursor<'a, SpanRow>,
    completions: Cursor<'a, Ns>,
}

impl Reading<'_> {
    fn of(store: &Store) -> Reading<'_> {
        let (spans, messages) = (&store.spans, &store.messages);
        Reading {
            starts: spans.start.cursor(),
            ends: spans.end.cursor(),
            regions: spans.region.cursor(),
            send_spans: messages.send_span.cursor(),
            completions: messages.completed.cursor(),
        }
    }
}

/// How rows are filled.
pub(super) struct Fill<'a> {
    pub(super) store: &'a Store,
    pub(super) index: &'a SpanIndex,
    pub(super) regions: &'a Regions,
    pub(super) options: &'a LogicalOptions,
    /// Told when events are entered.
    pub(super) clock: &'a Clock,
}

impl Fill<'_> {
    /// Fills the columns of some rows; `sent` are the messages that each of them sent.
    pub(super) fn rows(
        &self,
        locations: &[LocationId],
        sent: &[Range<u64>],
        scan: &RowsScan,
        mut columns: RowColumns<'_>,
    ) {
        let mut read = Reading::of(self.store);
        for ((location, sent), scan) in locations.iter().zip(sent).zip(scan.rows()) {
            let (mut row, behind) = columns.split_at(scan.events as usize);
            columns = behind;
            self.row((*location, sent.clone()), &scan, &mut read, &mut row);
        }
    }

    fn row(
        &self,
        (location, sent): (LocationId, Range<u64>),
        scan: &RowScan,
        read: &mut Reading,
        columns: &mut RowColumns,
    ) {
        let is_given = self.options.phase_function.is_some();
        let mut next = 0;
        let mut phases = 0;
        let mut groups = Groups::of(self, sent, scan);
        for found in self.index.events_in(self.store.spans_of(location)) {
            let (enter, leave) = (read.starts.get(found.span), read.ends.get(found.span));
            if found.is_merged && next > 0 {
                columns.mark[next - 1] |= flags::COALESCED | flags::SEVERAL | self.send_flags(found.span);
                groups.merged(found.span, read);
                continue;
            }
            while scan.phase_begins.get(phases).is_some_and(|span| *span <= found.span) {
                phases += 1;
            }
            let first = next;
            for (kind, flags) in self.events_at(&found) {
                // The walk before counted the same bits; a row never outgrows its place.
                if next >= columns.mark.len() {
                    return;
                }
                columns.mark[next] = kind as u8 | flags;
                if is_given {
                    columns.given_phase[next] = phases as u32;
                }
                next += 1;
            }
            if next > first + 1 {
                columns.mark[first..next].iter_mut().for_each(|mark| *mark |= flags::SPLIT);
            }
            self.clock.count(enter, next - first);
            if is_given {
                continue;
            }
            for at in first..next {
                groups.event(at, (enter, leave), columns, found.span, read);
            }
        }
        groups.end(columns);
        if !is_given {
            self.join_callers(scan, columns);
        }
    }

    /// The events at one call, in their order, with their flags.
    fn events_at(&self, found: &MarkedSpan) -> impl Iterator<Item = (Kind, u8)> + use<> {
        let collectives = if found.collects { self.index.collectives(found.span) as usize } else { 0 };
        let send = found.sends.then(|| (Kind::Send, self.send_flags(found.span)));
        let receive = found.receives.then(|| {
            let several = if self.index.has(Mark::SeveralReceives, found.span) { flags::SEVERAL } else { 0 };
            let unmatched = if self.index.has(Mark::UnmatchedReceive, found.span) { flags::UNMATCHED } else { 0 };
            (Kind::Receive, several | unmatched)
        });
        send.into_iter().chain(receive).chain(std::iter::repeat_n((Kind::Collective, 0), collectives))
    }

    fn send_flags(&self, span: u64) -> u8 {
        let several = if self.index.has(Mark::SeveralSends, span) { flags::SEVERAL } else { 0 };
        several | if self.index.has(Mark::UnmatchedSend, span) { flags::UNMATCHED } else { 0 }
    }

    fn join_callers(&self, scan: &RowScan, columns: &mut RowColumns) {
        let is_collective = |mark: u8| kind_of(mark) == Kind::Collective;
        for at in 0..columns.mark.len() {
            if self.options.common_caller && scan.same_caller(at) {
                columns.mark[at] |= JOINED;
            }
            let is_border = at == 0 || is_collective(columns.mark[at]) || is_collective(columns.mark[at - 1]);
            if at == 0 || (self.options.collective_borders && is_border) {
                columns.mark[at] &= !JOINED;
            }
        }
    }
}

/// Events that belong together because a call waits for all their sends.
struct Groups<'a> {
    fill: &'a Fill<'a>,
    scan: &'a RowScan<'a>,
    /// Messages that the row sent and that were not looked at.
    messages: Range<u64>,
    /// Whether the trace says when sends are complete.
    knows_completion: bool,
    /// When the last of the sends of the open group is complete.
    complete: Option<Ns>,
    /// Without completions: the first of the sends that nobody has waited for, and whether one is non-blocking.
    collected: Option<(usize, bool)>,
    next: usize,
}

impl Groups<'_> {
    fn of<'a>(fill: &'a Fill<'a>, sent: Range<u64>, scan: &'a RowScan) -> Groups<'a> {
        let knows_completion = fill.store.messages.completed.iter(sent.clone()).any(Ns::is_some);
        Groups { fill, scan, messages: sent, knows_completion, complete: None, collected: None, next: 0 }
    }

    /// When the last of the messages is complete that were sent at a span, as far as that is known.
    fn completed(&mut self, span: u64, read: &mut Reading) -> Option<Ns> {
        let mut last = None;
        while self.messages.start < self.messages.end {
            let of = read.send_spans.get(self.messages.start);
            if of.is_some() && of.0 > span {
                break;
            }
            let completed = read.completions.get(self.messages.start);
            if completed.is_some() && of.0 == span {
                last = last.max(Some(completed));
            }
            self.messages.start += 1;
        }
        last
    }

    /// Another part of the last event, which is a run of sends.
    fn merged(&mut self, span: u64, read: &mut Reading) {
        if self.fill.options.wait_all && self.knows_completion {
            self.complete = self.complete.max(self.completed(span, read));
        }
    }

    fn event(&mut self, at: usize, time: (Ns, Ns), columns: &mut RowColumns, span: u64, read: &mut Reading) {
        self.next = at + 1;
        if !self.fill.options.wait_all {
            return;
        }
        let kind = kind_of(columns.mark[at]);
        if self.knows_completion {
            if let Some(complete) = self.complete {
                let is_end = kind == Kind::Receive && time.0 <= complete && complete <= time.1;
                if is_end || time.0 >= complete {
                    self.complete = None;
                } else {
                    columns.mark[at] |= JOINED;
                }
            }
            if kind == Kind::Send {
                self.complete = self.complete.max(self.completed(span, read));
            }
            return;
        }
        if self.scan.waited(at) {
            self.close(columns, at);
        }
        let region = read.regions.get(span);
        match kind {
            Kind::Send => {
                let is_open = self.fill.regions.is_isend(region);
                let (first, was_open) = self.collected.unwrap_or((at, false));
                self.collected = Some((first, was_open || is_open));
            }
            Kind::Receive if self.fill.regions.is_wait_all(region) => self.close(columns, at),
            Kind::Receive | Kind::Collective => self.collected = None,
        }
    }

    /// All sends before event `end` were waited for.
    fn close(&mut self, columns: &mut RowColumns, end: usize) {
        if let Some((first, true)) = self.collected.take() {
            columns.mark[first + 1..end.max(first + 1)].iter_mut().for_each(|mark| *mark |= JOINED);
        }
    }

    fn end(&mut self, columns: &mut RowColumns) {
        if self.scan.waited_at_end && self.fill.options.wait_all {
            self.close(columns, self.next);
        }
    }
}
