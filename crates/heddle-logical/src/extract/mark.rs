//! First pass: every message, unmatched end and member of a collective marks the call that it belongs to.

use heddle_model::{LocationId, Ns, SpanRow};
use heddle_store::{Column, Columns, Progress, Store, StoreError, pieces};
use rayon::prelude::*;

use super::index::{Mark, SpanIndex};
use super::regions::Regions;
use super::rows::Rows;

/// Finds calls, and marks them.
pub(super) struct Marking<'a> {
    pub(super) store: &'a Store,
    pub(super) rows: &'a Rows,
    pub(super) regions: &'a Regions,
}

/// What the marks do not say.
#[derive(Debug, Default)]
pub(super) struct EndCounts {
    /// Ends that belong to no call.
    pub(super) loose: u64,
    /// Sends without a receive, receives without a send.
    pub(super) unmatched: [u64; 2],
    /// Receives that were posted and never completed.
    pub(super) posted: u64,
}

impl Marking<'_> {
    /// The call that an end of a message or collective belongs to, if its location is a row. Hardly any end needs its
    /// `time`, so it is looked up only then.
    #[inline]
    pub(super) fn call(&self, location: LocationId, span: SpanRow, time: impl FnOnce() -> Ns) -> Option<(u32, u64)> {
        let row = self.rows.of_location(location)?;
        if !span.is_some() {
            return Some((row, self.regions.touching(self.store, location, time())?));
        }
        // A call of somebody else is damage: its events would be taken for those of this row.
        self.store.spans_of(location).contains(&span.0).then_some((row, span.0))
    }

    pub(super) fn mark(&self, index: &mut SpanIndex, progress: &dyn Progress) -> Result<EndCounts, StoreError> {
        let mut marked = EndCounts { loose: self.mark_messages(index, progress)?, ..EndCounts::default() };
        self.mark_unmatched(index, &mut marked);
        let (more, loose) = self.mark_collectives(index, progress)?;
        marked.loose += loose;
        index.set_more(more);
        Ok(marked)
    }

    fn mark_messages(&self, index: &SpanIndex, progress: &dyn Progress) -> Result<u64, StoreError> {
        let messages = &self.store.messages;
        pieces(messages.len())
            .into_par_iter()
            .map(|rows| {
                progress.check()?;
                let mut loose = 0;
                let columns = (&messages.send_location, &messages.send_span, &messages.send);
                loose += self.mark_ends(index, rows.clone(), columns, (Mark::Send, Mark::SeveralSends));
                let columns = (&messages.recv_location, &messages.recv_span, &messages.recv);
                loose += self.mark_ends(index, rows.clone(), columns, (Mark::Receive, Mark::SeveralReceives));
                progress.advance(rows.end - rows.start);
                Ok(loose)
            })
            .sum::<Result<u64, StoreError>>()
    }

    fn mark_ends(
        &self,
        index: &SpanIndex,
        rows: std::ops::Range<u64>,
        (locations, spans, times): (&Column<LocationId>, &Column<SpanRow>, &Column<Ns>),
        (mark, several): (Mark, Mark),
    ) -> u64 {
        let mut loose = 0;
        let mut at = rows.start;
        (locations, spans).for_each(rows, |(location, span)| {
            match self.call(location, span, || times.get(at)) {
                Some((_, span)) => {
                    if index.mark(mark, SpanRow(span)) {
                        index.mark(several, SpanRow(span));
                    }
                }
                None => loose += u64::from(self.rows.of_location(location).is_some()),
            }
            at += 1;
        });
        loose
    }

    fn mark_unmatched(&self, index: &SpanIndex, marked: &mut EndCounts) {
        let unmatched = &self.store.unmatched;
        for at in 0..unmatched.len() {
            let (mark, several, flag, which) = match unmatched.kind.get(at) {
                "send" => (Mark::Send, Mark::SeveralSends, Mark::UnmatchedSend, 0),
                "receive" => (Mark::Receive, Mark::SeveralReceives, Mark::UnmatchedReceive, 1),
                _ => {
                    marked.posted += 1;
                    continue;
                }
            };
            match self.call(unmatched.location.get(at), unmatched.span.get(at), || unmatched.time.get(at)) {
                Some((_, span)) => {
                    marked.unmatched[which] += 1;
                    if index.mark(mark, SpanRow(span)) {
                        index.mark(several, SpanRow(span));
                    }
                    index.mark(flag, SpanRow(span));
                }
                None => marked.loose += u64::from(self.rows.of_location(unmatched.location.get(at)).is_some()),
            }
        }
    }

    fn mark_collectives(&self, index: &SpanIndex, progress: &dyn Progress) -> Result<(Vec<u64>, u64), StoreError> {
        let members = &self.store.collective_members;
        let parts: Vec<(Vec<u64>, u64)> = pieces(members.len())
            .into_par_iter()
            .map(|rows| {
                progress.check()?;
                let (mut more, mut loose) = (Vec::new(), 0);
                let mut at = rows.start;
                (&members.location, &members.span).for_each(rows.clone(), |(location, span)| {
                    match self.call(location, span, || members.end.get(at)) {
                        Some((_, span)) if index.mark(Mark::Collective, SpanRow(span)) => more.push(span),
                        Some(_) => {}
                        None => loose += u64::from(self.rows.of_location(location).is_some()),
                    }
                    at += 1;
                });
                progress.advance(rows.end - rows.start);
                Ok((more, loose))
            })
            .collect::<Result<_, StoreError>>()?;
        let loose = parts.iter().map(|(_, loose)| loose).sum();
        Ok((parts.into_iter().flat_map(|(more, _)| more).collect(), loose))
    }
}
