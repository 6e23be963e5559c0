//! Messages of a call, and of a location in a window of time. Both orders of the table are bisected.

use heddle_model::{LocationId, Ns, SpanRow};
use heddle_store::Store;

/// Messages still on the way that were sent longer ago than so many others are not looked for.
const LOOK_BACK: u64 = 64;

/// The rows of a location's messages in the order it sent them. They are looked for where they are if all send as many.
fn sent_by(store: &Store, location: LocationId) -> std::ops::Range<u64> {
    let senders = &store.messages.send_location;
    let (all, each) = (0..senders.len(), senders.len() / store.locations.len().max(1));
    let first = senders.partition_point_near(all.clone(), each * u64::from(location.0), |sender| sender < location);
    first..senders.partition_point_near(first..all.end, first + each, |sender| sender <= location)
}

/// The moment after another.
fn after(moment: Ns) -> Ns {
    Ns(moment.0.saturating_add(1))
}

/// Messages that a location sent in the window, or shortly before and which were on the way in it.
pub(crate) fn sent_in(store: &Store, location: LocationId, time: (Ns, Ns)) -> impl Iterator<Item = u64> {
    let messages = &store.messages;
    let rows = sent_by(store, location);
    let sent = messages.send.rows_between(rows.clone(), (time.0, after(time.1)));
    // Those that arrive in the window are found where they are received.
    let passing = (sent.start.saturating_sub(LOOK_BACK).max(rows.start)..sent.start)
        .filter(move |message| messages.recv.get(*message) > time.1);
    passing.chain(sent)
}

/// Messages that a location received in the window.
pub(crate) fn received_in(store: &Store, location: LocationId, time: (Ns, Ns)) -> impl Iterator<Item = u64> {
    let (messages, order) = (&store.messages, &store.messages_by_receive.message);
    let before = |message: u64, moment: Ns| {
        let receiver = messages.recv_location.get(message);
        receiver < location || (receiver == location && messages.recv.get(message) < moment)
    };
    // Where they are if all locations receive as many, as evenly as time passes.
    let each = order.len() / store.locations.len().max(1);
    let share = time.0.0 as f64 / store.summary().end_ns.max(1) as f64;
    let near = each * u64::from(location.0) + (each as f64 * share.clamp(0.0, 1.0)) as u64;
    let first = order.partition_point_near(0..order.len(), near, |message| before(message, time.0));
    order.iter(first..order.len()).take_while(move |message| {
        messages.recv_location.get(*message) == location && messages.recv.get(*message) <= time.1
    })
}

/// The messages of a call: row, and whether the call sent it.
pub(crate) fn messages_of(store: &Store, span: SpanRow, location: LocationId) -> impl Iterator<Item = (u64, bool)> {
    let messages = &store.messages;
    let end = store.spans.end.get(span.0);
    let rows = sent_by(store, location);
    let first = messages.send.first_since(rows.clone(), store.spans.start.get(span.0));
    let sent = (first..rows.end)
        .take_while(move |row| messages.send.get(*row) <= end)
        .filter(move |row| messages.send_span.get(*row) == span)
        .map(|row| (row, true));
    let order = &store.messages_by_receive.message;
    let key = |message: u64| (messages.recv_location.get(message), messages.recv_span.get(message));
    let first = order.partition_point(0..order.len(), |message| key(message) < (location, span));
    let received =
        order.iter(first..order.len()).take_while(move |row| key(*row) == (location, span)).map(|row| (row, false));
    sent.chain(received)
}

/// Messages that a location sent from a moment to another, both included.
pub(crate) fn sent_between(store: &Store, location: LocationId, time: (Ns, Ns)) -> impl Iterator<Item = u64> {
    let (messages, rows) = (&store.messages, sent_by(store, location));
    messages.send.rows_between(rows, (time.0, after(time.1)))
}

/// Messages whose receives were completed by calls of a location, from one call to another, both included.
pub(crate) fn received_by_spans(
    store: &Store,
    location: LocationId,
    spans: (SpanRow, SpanRow),
) -> impl Iterator<Item = u64> {
    let (messages, order) = (&store.messages, &store.messages_by_receive.message);
    let key = |message: u64| (messages.recv_location.get(message), messages.recv_span.get(message));
    let first = order.partition_point(0..order.len(), |message| key(message) < (location, spans.0));
    order.iter(first..order.len()).take_while(move |message| key(*message) <= (location, spans.1))
}
