//! What every id and place in the tables of a store is checked against before anybody follows it.
//!
//! A store is input: whatever it says, nobody who reads it is to panic, hang, or ask for memory that is not there. Small tables
//! are checked here as a whole, large ones block by block on first touch ([`crate::Column`]). What belongs to an index is
//! checked where that is opened.

use std::path::Path;

use heddle_model::Ns;

use crate::column::Column;
use crate::meta::{META_FILE, Summary};
use crate::table::{lie_within, require, unfit};
use crate::tables::{
    CollectiveMemberRows, CollectiveRows, CommunicatorMemberRows, CommunicatorRows, DependencyRows, LengthMismatchRows,
    LocationRows, LocationTable, MarkRows, MessageByReceiveRows, MessageRows, MetricValueRows, SpanRows, SpanTable,
    SystemNodeRows, TaskRows, UnmatchedRows, WorkerRows,
};
use crate::{Store, StoreError};

/// Sets the limits of all columns with ids or times but those of spans.
pub(crate) fn limit(store: &mut Store) -> Result<(), StoreError> {
    let directory = store.path().to_owned();
    if !is_sound(store.summary(), store) {
        return Err(StoreError::damaged(&directory.join(META_FILE), "its numbers are not those of the tables"));
    }
    definitions(store)?;
    communication(store)?;
    let (spans, locations, metrics) = (store.spans.len(), store.locations.len(), store.metrics.len());
    let values = &mut store.metric_values;
    let fits =
        values.location.must_be_below(locations) && values.metric.must_be_below(metrics) && values.time.must_be_times();
    require::<MetricValueRows>(&directory, fits)?;
    let marks = &mut store.marks;
    require::<MarkRows>(
        &directory,
        marks.location.must_be_below_or_none(locations) && marks.time.must_be_times_or_none(),
    )?;
    require::<WorkerRows>(&directory, store.workers.location.must_be_below(locations))?;
    let tasks = &mut store.tasks;
    let fits = tasks.span.must_be_below(spans)
        && tasks.submitted.must_be_times_or_none()
        && tasks.ready.must_be_times_or_none();
    require::<TaskRows>(&directory, fits)?;
    require::<DependencyRows>(&directory, store.dependencies.task.must_be_below(store.tasks.len()))
}

/// Whether the counts are those of the tables, as far as anybody relies on them.
fn is_sound(summary: &Summary, store: &Store) -> bool {
    summary.spans == store.spans.len()
        && summary.locations == store.locations.len()
        && summary.messages == store.messages.len()
        && summary.collectives == store.collectives.len()
        && summary.start_ns == 0
        && (0..=Ns::MAX.0).contains(&summary.end_ns)
}

fn definitions(store: &mut Store) -> Result<(), StoreError> {
    let directory = store.path().to_owned();
    let (places, locations) = (store.system_tree.len(), store.locations.len());
    require::<SystemNodeRows>(&directory, store.system_tree.parent.must_be_below_or_none(places))?;
    let table = &mut store.locations;
    let fits = table.parent.must_be_below_or_none(places) && table.last.must_be_times_or_none();
    require::<LocationRows>(&directory, fits && is_cut(table, store.spans.len()))?;
    let members = &mut store.communicator_members;
    require::<CommunicatorMemberRows>(&directory, members.location.must_be_below_or_none(locations))?;
    let (table, all) = (&mut store.communicators, members.len());
    let parents = table.parent.must_be_below_or_none(table.len());
    let rows = 0..table.len();
    let first = table.first_member.iter(rows.clone()).zip(table.members.iter(rows.clone()).map(u64::from));
    let has_remote = rows.filter(|row| table.kind.get(*row) == "inter");
    let remote = has_remote.map(|row| (table.first_remote.get(row), u64::from(table.remote.get(row))));
    let fits = parents && lie_within(first, all) && lie_within(remote, all);
    require::<CommunicatorRows>(&directory, fits)
}

/// Whether the spans of locations lie one behind the other, and are all.
fn is_cut(locations: &LocationTable, spans: u64) -> bool {
    let rows = 0..locations.len();
    let mut next = 0u64;
    let follow = locations.first_span.iter(rows.clone()).zip(locations.spans.iter(rows)).all(|(first, count)| {
        let follows = first == next;
        next = next.saturating_add(count);
        follows
    });
    follow && next == spans
}

/// Sets the limits of spans, and gives how long each of them lasts, within these.
pub(crate) fn limit_spans(directory: &Path, spans: &mut SpanTable, regions: u64) -> Result<Column<i64>, StoreError> {
    let fits = spans.start.must_be_times() && spans.end.must_be_later_times() && spans.region.must_be_below(regions);
    require::<SpanRows>(directory, fits)?;
    spans.end.differences().ok_or_else(|| unfit::<SpanRows>(directory))
}

fn communication(store: &mut Store) -> Result<(), StoreError> {
    let directory = store.path().to_owned();
    let (spans, locations, comms) = (store.spans.len(), store.locations.len(), store.communicators.len());
    let all = store.messages.len();
    let messages = &mut store.messages;
    let fits = messages.send_location.must_be_below(locations)
        && messages.recv_location.must_be_below(locations)
        && messages.send.must_be_times()
        && messages.recv.must_be_times()
        && messages.comm.must_be_below_or_none(comms)
        && messages.send_span.must_be_below_or_none(spans)
        && messages.recv_span.must_be_below_or_none(spans)
        && messages.posted.must_be_times_or_none()
        && messages.completed.must_be_times_or_none();
    require::<MessageRows>(&directory, fits)?;
    let by_receive = &mut store.messages_by_receive;
    require::<MessageByReceiveRows>(&directory, by_receive.message.must_be_below(all) && by_receive.len() == all)?;
    require::<LengthMismatchRows>(&directory, store.length_mismatches.message.must_be_below(all))?;
    let unmatched = &mut store.unmatched;
    let fits = unmatched.location.must_be_below(locations)
        && unmatched.time.must_be_times()
        && unmatched.span.must_be_below_or_none(spans)
        && unmatched.peer.must_be_below_or_none(locations)
        && unmatched.comm.must_be_below_or_none(comms);
    require::<UnmatchedRows>(&directory, fits)?;
    let members = store.collective_members.len();
    let collectives = &mut store.collectives;
    let fits = collectives.comm.must_be_below_or_none(comms)
        && collectives.root.must_be_below_or_none(locations)
        && collectives.first_member.must_be_below(members + 1)
        && collectives.members.must_be_below(members + 1);
    require::<CollectiveRows>(&directory, fits)?;
    let members = &mut store.collective_members;
    let fits = members.location.must_be_below(locations)
        && members.span.must_be_below_or_none(spans)
        && members.start.must_be_times()
        && members.end.must_be_times();
    require::<CollectiveMemberRows>(&directory, fits)
}
