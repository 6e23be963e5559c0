//! Everything that is known about what is no call: events, messages, phases, ranks, functions.

use heddle_logical::Logical;
use heddle_model::{LocationId, Rank};
use heddle_store::Store;

use super::{Details, Fact, communicator_name, span, steps};
use crate::questions::target::Target;
use crate::request::rows::Rows;
use crate::request::selection::Selection;
use crate::request::window::{RankSet, Window, row_name};
use crate::scene::theme::Colours;
use crate::scene::ticks::{bytes_text, duration_text, grouped, time_text_between};
use crate::views::selected::{event_at, message_named, regions_named};

/// An event of logical time: its call, with the step that is meant.
pub(super) fn event(
    store: &Store,
    logical: &Logical,
    window: &Window,
    colours: &Colours,
    (rank, step): (u32, u32),
) -> Option<Details> {
    let event = event_at(store, logical, rank, step)?;
    let mut details = span::details(store, window, colours, logical.events.span.get(event));
    steps::add(store, logical, window, event..event + 1, &mut details);
    Some(Details {
        kind: "event",
        select: Selection::Event { rank, step },
        time: Some((logical.events.enter.get(event), logical.events.leave.get(event))),
        ..details
    })
}

/// A message, with the ways to both of its ends.
pub(super) fn message(store: &Store, window: &Window, selected: &Selection) -> Option<Details> {
    let (messages, row) = (&store.messages, message_named(store, selected)?);
    let (sent, received) = (messages.send.get(row), messages.recv.get(row));
    let ends = [
        ("Sent by", messages.send_location.get(row), messages.send_span.get(row)),
        ("Received by", messages.recv_location.get(row), messages.recv_span.get(row)),
    ];
    let mut details = Details::new(selected.clone());
    details.title = format!("Message of {} to {}", row_name(store, ends[0].1), row_name(store, ends[1].1));
    details.time = Some((sent.min(received), sent.max(received)));
    for (label, location, call) in ends {
        let target = call.is_some().then(|| Target::of(store, window, call));
        let text = target.as_ref().map_or_else(|| row_name(store, location), |target| target.label.clone());
        details.facts.push(Fact::leading(label, text, target));
    }
    details.facts.push(Fact::plain("Size", bytes_text(messages.bytes.get(row))));
    details.facts.push(Fact::plain("On its way", duration_text(received.since(sent))));
    details.facts.push(Fact::plain("Time", time_text_between(sent, received)));
    details.facts.push(Fact::plain("Tag", messages.tag.get(row).to_string()));
    details.facts.push(Fact::plain("Communicator", communicator_name(store, messages.comm.get(row))));
    Some(details)
}

/// A phase of logical time.
pub(super) fn phase(logical: &Logical, phase: u32) -> Option<Details> {
    let (table, row) = (&logical.phases, u64::from(phase));
    if row >= table.len() {
        return None;
    }
    let (first, last) = (table.first_step.get(row), table.last_step.get(row));
    let (start, end) = (table.first.get(row), table.last.get(row));
    let mut details = Details::new(Selection::Phase(phase));
    details.title = format!("Phase {}", grouped(u64::from(phase)));
    details.time = Some((start, end));
    details.steps = Some((first, last + 1));
    let steps = match last - first {
        0 => grouped(u64::from(first)),
        _ => format!("{} to {}", grouped(u64::from(first)), grouped(u64::from(last))),
    };
    let ranks = format!("{} of {}", grouped(u64::from(table.rows.get(row))), grouped(logical.rows.len()));
    details.facts.push(Fact::plain(if first == last { "Step" } else { "Steps" }, steps));
    details.facts.push(Fact::plain("Ranks", ranks));
    details.facts.push(Fact::plain("Events", grouped(table.events.get(row))));
    details.facts.push(Fact::plain("Latest by", duration_text(table.max_lateness.get(row))));
    details.facts.push(Fact::plain("Late in all", duration_text(table.total_lateness.get(row))));
    if logical.is_split(phase) {
        details.facts.push(Fact::plain("Collectives", "some were taken apart to give them steps".to_owned()));
    }
    details.facts.push(Fact::plain("Time", time_text_between(start, end)));
    Some(details)
}

/// Some ranks; none of the trace's is no answer.
pub(super) fn ranks(store: &Store, window: &Window, ranks: &RankSet) -> Option<Details> {
    let is_chosen = |rank: Rank, at: LocationId| ranks.contains(if rank.is_some() { rank.0 } else { at.0 });
    let all = Rows::of(store, &Window { rows: None, ..window.clone() });
    let stretches = all.stretches(store, is_chosen);
    let rank_of = |at: LocationId| store.locations.rank.get(u64::from(at.0));
    let chosen: Vec<LocationId> =
        window.locations(store).into_iter().filter(|at| is_chosen(rank_of(*at), *at)).collect();
    let mut details = Details::new(Selection::Ranks(ranks.clone()));
    details.title = match chosen.as_slice() {
        [] => return None,
        [one] => row_name(store, *one),
        several => format!("{} ranks", grouped(several.len() as u64)),
    };
    details.rows = Some(stretches.first().zip(stretches.last()).map(|(first, last)| (first.start, last.end)));
    let spans: u64 = chosen.iter().map(|at| store.locations.spans.get(u64::from(at.0))).sum();
    details.facts.push(Fact::plain("Ranks", ranks.to_string()));
    details.facts.push(Fact::plain("Calls", grouped(spans)));
    Some(details)
}

/// A function, over the whole run.
pub(super) fn function(store: &Store, colours: &Colours, name: &str) -> Option<Details> {
    let region = *regions_named(store, name).first()?;
    let (regions, row) = (&store.regions, u64::from(region.0));
    let count = regions.count.get(row);
    let mut details = Details::new(Selection::Function(name.to_owned()));
    name.clone_into(&mut details.title);
    details.colour = Some(colours.rgba(region));
    details.region = Some(region.0);
    details.facts.push(Fact::plain("Calls", grouped(count)));
    details.facts.push(Fact::plain("Time", format!("{} in all", duration_text(regions.total.get(row)))));
    details.facts.push(Fact::plain("Of its own", duration_text(regions.exclusive.get(row))));
    if count > 0 {
        details
            .facts
            .push(Fact::plain("Usual", format!("{} on average", duration_text(regions.total.get(row) / count as i64))));
    }
    details.facts.extend(span::source(store, region));
    Some(details)
}
