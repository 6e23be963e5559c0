//! Everything that is known about one call.

use heddle_model::{CommId, LocationId, MarkText, Ns, RegionId, Role, SpanRow, SystemNodeId};
use heddle_store::Store;

use super::{Details, Fact};

use crate::lookup::enclosing::{children, parent};
use crate::lookup::level::Level;
use crate::lookup::messages::messages_of;
use crate::questions::target::Target;
use crate::request::names::SpanName;
use crate::request::selection::Selection;
use crate::request::window::{Window, row_name};
use crate::scene::theme::Colours;
use crate::scene::ticks::{bytes_text, duration_text, grouped, time_text_between};

/// Messages of a call beyond this are only counted.
const MOST_MESSAGES: usize = 12;
/// Calls inside a span beyond this are not looked at: its own time stays unsaid.
const MOST_CHILDREN: usize = 100_000;

/// Where a function stands in the source, as far as the trace says.
pub(super) fn source(store: &Store, region: RegionId) -> Option<Fact> {
    source_text(store, region).map(|text| Fact::plain("Source", text))
}

/// The same as a text alone: `file:line`.
pub(crate) fn source_text(store: &Store, region: RegionId) -> Option<String> {
    let row = u64::from(region.0);
    let file = Some(store.regions.file.get(row)).filter(|file| !file.is_empty())?;
    // A file without a line is still worth knowing.
    Some(match store.regions.line.get(row) {
        u32::MAX => file.to_owned(),
        line => format!("{file}:{line}"),
    })
}

/// Looks a call up.
pub(super) fn details(store: &Store, window: &Window, colours: &Colours, span: SpanRow) -> Details {
    let spans = &store.spans;
    let location = store.locations.of_span(span);
    let (start, end, region) = (spans.start.get(span.0), spans.end.get(span.0), spans.region.get(span.0));
    let target = |row: u64| Target::of(store, window, SpanRow(row));
    let rows = store.spans_of(location);
    let parent = parent(store, span.0);
    let depth = spans.depth.get(span.0);
    let child = Some(span.0 + 1).filter(|row| *row < rows.end && spans.depth.get(*row) > depth);
    let mut facts = vec![Fact::plain("On", place(store, location))];
    facts.push(Fact::plain("Time", time_text_between(start, end)));
    facts.push(Fact::plain("Duration", duration_text(end.since(start))));
    if child.is_some()
        && let Some(own) = own_time(store, span.0)
    {
        facts.push(Fact::plain("Of its own", duration_text(own)));
    }
    let region_row = u64::from(region.0);
    let count = store.regions.count.get(region_row).max(1);
    facts.push(Fact::plain(
        "Usual",
        format!(
            "{} on average over {} calls",
            duration_text(store.regions.total.get(region_row) / count as i64),
            grouped(count)
        ),
    ));
    let mut partner = messages(store, window, span, location, &mut facts);
    // A wait may complete a collective that did not block.
    let roles = [Role::Collective, Role::Barrier, Role::Wait].map(Role::name);
    if roles.contains(&store.regions.role.get(region_row))
        && let Some(last) = collective(store, window, span, location, &mut facts)
    {
        partner = partner.or(Some(last));
    }
    if let Some(parent) = parent {
        facts.push(Fact::leading("Called from", call_path(store, parent), Some(target(parent))));
    }
    // Where several calls begin at once, the innermost is meant.
    if child.is_none_or(|row| spans.start.get(row) > start)
        && let Some(site) = call_site(store, location, start)
    {
        facts.push(Fact::plain("Call site", site));
    }
    facts.extend(source(store, region));
    let row = window.row_for(store, location);
    let level = Level::of(store, span.0, &rows);
    Details {
        title: store.regions.name.get(region_row).to_owned(),
        colour: Some(colours.rgba(region)),
        region: Some(region.0),
        time: Some((start, end)),
        rows: Some(row.map(|row| (row, row + 1))),
        facts,
        previous: level.previous(rows.start).map(target),
        next: level.next(rows.end).map(target),
        parent: parent.map(target),
        child: child.map(target),
        partner,
        ..Details::new(Selection::Span(SpanName::of(store, span)))
    }
}

/// Where in the source a call was made, if the trace says so: the callers with their lines, the outermost first.
fn call_site(store: &Store, location: LocationId, start: Ns) -> Option<String> {
    let marks = &store.marks;
    let first = marks.location.partition_point(0..marks.len(), |other| other < location);
    let last = marks.location.partition_point(first..marks.len(), |other| other <= location);
    let first = marks.time.partition_point(first..last, |time| time < start);
    let is_site = |row: &u64| marks.location.get(*row) == location && marks.name.get(*row) == MarkText::CALL_SITE;
    let mut at_start = (first..last).take_while(|row| marks.time.get(*row) == start);
    at_start.find(is_site).map(|row| marks.text.get(row).to_owned())
}

/// `rank 11 · node n02`: with what its process is a part of.
fn place(store: &Store, location: LocationId) -> String {
    let process = store.locations.parent.get(u64::from(location.0));
    let around = store.system_tree.parent.get(u64::from(process.0));
    let who = row_name(store, location);
    if !process.is_some() || !around.is_some() {
        return who;
    }
    format!("{who} · {}", node_name(store, around))
}

/// What people call a place in the machine: `node n02`.
pub(crate) fn node_name(store: &Store, node: SystemNodeId) -> String {
    let (class, name) = (store.system_tree.class.get(u64::from(node.0)), store.system_tree.name.get(u64::from(node.0)));
    if name.starts_with(class) { name.to_owned() } else { format!("{class} {name}") }
}

/// The callers, the outermost first.
fn call_path(store: &Store, innermost: u64) -> String {
    let name = |row: u64| store.regions.name.get(u64::from(store.spans.region.get(row).0));
    let mut path = vec![name(innermost)];
    let mut at = innermost;
    while let Some(above) = parent(store, at).filter(|_| path.len() < 16) {
        path.push(name(above));
        at = above;
    }
    path.reverse();
    path.join(" › ")
}

/// The time not spent in calls.
fn own_time(store: &Store, span: u64) -> Option<i64> {
    let spans = &store.spans;
    let mut own = spans.end.get(span).since(spans.start.get(span));
    let mut seen = 0;
    for child in children(store, span) {
        seen += 1;
        if seen > MOST_CHILDREN {
            return None;
        }
        own -= spans.end.get(child).since(spans.start.get(child));
    }
    Some(own)
}

/// Says what a call sent and received; gives the other end of the first.
fn messages(
    store: &Store,
    window: &Window,
    span: SpanRow,
    location: LocationId,
    facts: &mut Vec<Fact>,
) -> Option<Target> {
    let messages = &store.messages;
    let mut partner = None;
    let (mut count, mut bytes) = (0usize, 0u64);
    for (row, is_sent) in messages_of(store, span, location) {
        count += 1;
        bytes = bytes.saturating_add(messages.bytes.get(row));
        if count > MOST_MESSAGES {
            continue;
        }
        let (other, other_span) = if is_sent {
            (messages.recv_location.get(row), messages.recv_span.get(row))
        } else {
            (messages.send_location.get(row), messages.send_span.get(row))
        };
        let target = other_span.is_some().then(|| Target::of(store, window, other_span));
        let way = messages.recv.get(row).since(messages.send.get(row));
        let text = format!(
            "{} {} · {} · tag {} · {} · {} on the way",
            if is_sent { "to" } else { "from" },
            row_name(store, other),
            bytes_text(messages.bytes.get(row)),
            messages.tag.get(row),
            communicator_name(store, messages.comm.get(row)),
            duration_text(way),
        );
        let label = if is_sent { "Message sent" } else { "Message received" };
        facts.push(Fact::leading(label, text, target.clone()));
        partner = partner.or(target);
    }
    if count > MOST_MESSAGES {
        let text = format!("{} in all, {} together", grouped(count as u64), bytes_text(bytes));
        facts.push(Fact::plain("Messages", text));
    }
    partner
}

/// What people call a communicator.
pub fn communicator_name(store: &Store, comm: CommId) -> String {
    let at = u64::from(comm.0);
    if at >= store.communicators.len() {
        return "unknown communicator".to_owned();
    }
    match store.communicators.name.get(at) {
        "" => format!("communicator {at}"),
        name => name.to_owned(),
    }
}

/// Says which collective a call took part in; gives the call that came last, for which the others waited.
fn collective(
    store: &Store,
    window: &Window,
    span: SpanRow,
    location: LocationId,
    facts: &mut Vec<Fact>,
) -> Option<Target> {
    let row = collective_of(store, span, location)?;
    let (collectives, members) = (&store.collectives, &store.collective_members);
    let comm = collectives.comm.get(row);
    let all = members_of(store, row);
    facts.push(Fact::plain(
        "Collective",
        format!(
            "{} of {} ranks · {}",
            collectives.op.get(row).name(),
            grouped(all.end - all.start),
            communicator_name(store, comm)
        ),
    ));
    let root = collectives.root.get(row);
    if root.is_some() {
        facts.push(Fact::plain("Root", row_name(store, root)));
    }
    let last = all.clone().max_by_key(|member| (members.start.get(*member), std::cmp::Reverse(*member)))?;
    let first = all.clone().map(|member| members.start.get(member)).min()?;
    let late = members.start.get(last).since(first);
    let (who, last_span) = (members.location.get(last), members.span.get(last));
    let target = last_span.is_some().then(|| Target::of(store, window, last_span));
    let text = format!("{}, {} after the first", row_name(store, who), duration_text(late));
    facts.push(Fact::leading("Last to arrive", text, target.clone()));
    target
}

fn members_of(store: &Store, collective: u64) -> std::ops::Range<u64> {
    let first = store.collectives.first_member.get(collective);
    first..first + u64::from(store.collectives.members.get(collective))
}

/// The collective that a call belongs to. The collectives of a communicator are in order, so are those that one
/// location takes part in: each communicator is bisected.
fn collective_of(store: &Store, span: SpanRow, location: LocationId) -> Option<u64> {
    let (collectives, members) = (&store.collectives, &store.collective_members);
    let member_of = |collective: u64| {
        let all = members_of(store, collective);
        let at = members.location.partition_point(all.clone(), |member| member < location);
        (at < all.end && members.location.get(at) == location).then_some(at)
    };
    let end = store.spans.end.get(span.0);
    let mut first = 0;
    while first < collectives.len() {
        let comm = collectives.comm.get(first);
        let last = collectives.comm.partition_point(first..collectives.len(), |other| other <= comm);
        // A location that missed one has no place there: its neighbours in time stand in.
        let begins = |collective: u64| match member_of(collective) {
            Some(member) => members.start.get(member),
            None => members.start.get(members_of(store, collective).start),
        };
        let (mut low, mut high) = (first, last);
        while low < high {
            let middle = low + (high - low) / 2;
            if begins(middle) <= end { low = middle + 1 } else { high = middle }
        }
        // Several may have been posted before one wait completes them: look back a little.
        let near = (first..low).rev().take(64);
        let found = near.filter_map(|row| member_of(row).map(|member| (row, member)));
        for (row, member) in found {
            if members.span.get(member) == span {
                return Some(row);
            }
        }
        first = last;
    }
    None
}
