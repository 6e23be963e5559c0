//! Kinds of communication events: what they are called, and the key to their colours.

use heddle_logical::{Kind, Logical};
use heddle_model::Role;
use heddle_store::Store;

use crate::scene::LegendEntry;
use crate::scene::ramp::{Ramp, Tone};

/// What a communication event does, as far as a picture tells kinds apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// Sends one or several messages.
    Send,
    /// A call to receive that ends with the message.
    Receive,
    /// A wait, or a test, that completes receives which were posted before.
    Wait,
    /// Takes part in a collective.
    Collective,
}

impl EventKind {
    /// All of them, in the order of the key.
    pub(crate) const ALL: [EventKind; 4] =
        [EventKind::Send, EventKind::Receive, EventKind::Wait, EventKind::Collective];

    /// The kind of an event.
    pub(crate) fn of(store: &Store, logical: &Logical, event: u64) -> EventKind {
        match logical.kind(event) {
            Kind::Send => EventKind::Send,
            Kind::Collective => EventKind::Collective,
            Kind::Receive => {
                let region = store.spans.region.get(logical.events.span.get(event).0);
                match Role::from_name(store.regions.role.get(u64::from(region.0))) {
                    Role::Wait | Role::Test => EventKind::Wait,
                    _ => EventKind::Receive,
                }
            }
        }
    }

    /// What it is called.
    pub(crate) fn title(self) -> &'static str {
        match self {
            EventKind::Send => "send",
            EventKind::Receive => "receive",
            EventKind::Wait => "wait that receives",
            EventKind::Collective => "collective",
        }
    }
}

/// The key to the colours of kinds; what lies between events is grey.
pub(crate) fn key(ramp: Ramp) -> Vec<LegendEntry> {
    let entry = |colour, name: &str| LegendEntry { colour, name: name.to_owned(), value: String::new() };
    let kinds = EventKind::ALL.into_iter().map(|kind| entry(ramp.kind(kind as usize, Tone::Full), kind.title()));
    kinds.chain([entry(ramp.depth(0, Tone::Full), "between events")]).collect()
}
