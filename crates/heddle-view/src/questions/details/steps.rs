//! What logical time knows of a call: its step and phase, how late it is, and who sent to it.

use std::ops::Range;

use heddle_logical::{Kind, Logical};
use heddle_store::Store;

use super::{Details, Fact};
use crate::analyses::latest_of;
use crate::questions::target::Target;
use crate::request::selection::Selection;
use crate::request::window::Window;
use crate::scene::ticks::{duration_text, grouped};
use crate::views::kinds::EventKind;

/// Adds what is known of these events of one call; nothing for a call that has no step.
pub(super) fn add(store: &Store, logical: &Logical, window: &Window, events: Range<u64>, details: &mut Details) {
    let count = events.end.saturating_sub(events.start);
    let Some(first) = events.clone().next() else { return };
    let (step, phase) = (logical.events.step.get(first), logical.events.phase.get(first));
    let last = logical.events.step.get(events.end - 1);
    let steps = match last {
        last if last == step => grouped(u64::from(step)),
        last => format!("{} to {}", grouped(u64::from(step)), grouped(u64::from(last))),
    };
    let several = if count > 1 { format!("; {count} events of one call") } else { String::new() };
    details.steps = Some((step, last + 1));
    details.facts.push(Fact::plain("Step", format!("{steps}{several}")));
    let mut kinds: Vec<&str> = events.clone().map(|event| EventKind::of(store, logical, event).title()).collect();
    kinds.dedup();
    details.facts.push(Fact::plain("Kind", kinds.join(", then ")));
    details.facts.push(Fact::selecting("Phase", grouped(u64::from(phase)), Selection::Phase(phase)));
    let latest = latest_of(logical, events.clone()).unwrap_or(first);
    let lateness = match (logical.lateness(latest), logical.phase_lateness(latest)) {
        (0, _) => "on time".to_owned(),
        (late, in_phase) if late == in_phase => duration_text(late),
        (late, in_phase) => format!("{}, {} within its phase", duration_text(late), duration_text(in_phase)),
    };
    details.facts.push(Fact::plain("Lateness", lateness));
    // What came last is what it waited for.
    let senders =
        events.filter(|event| logical.kind(*event) == Kind::Receive).flat_map(|event| logical.senders(store, event));
    if let Some(last) = senders.max_by_key(|sender| logical.events.leave.get(*sender)) {
        let target = Target::of(store, window, logical.events.span.get(last));
        let late = match logical.lateness(last) {
            0 => "on time".to_owned(),
            late => format!("{} late", duration_text(late)),
        };
        details.facts.push(Fact::leading("From", format!("{}, {late}", target.label), Some(target)));
    }
}
