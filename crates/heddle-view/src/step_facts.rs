//! What logical time knows of one call: its step and phase, how late it is, and who sent to it.

use heddle_logical::{Kind, Logical};
use heddle_model::SpanRow;
use heddle_store::Store;

use crate::details::Fact;
use crate::target::Target;
use crate::ticks::{duration_text, grouped};
use crate::window::Window;

/// The facts; none for a call that has no step. Of several events at one call the first is told, with the number of all.
pub fn step_facts(store: &Store, logical: &Logical, window: &Window, span: SpanRow) -> Vec<Fact> {
    let events = logical.events_of_span(store, span);
    let count = events.end - events.start;
    let Some(first) = events.clone().next() else { return Vec::new() };
    let (step, phase) = (logical.events.step.get(first), logical.events.phase.get(first));
    let steps = match logical.events.step.get(events.end - 1) {
        last if last == step => grouped(u64::from(step)),
        last => format!("{} to {}", grouped(u64::from(step)), grouped(u64::from(last))),
    };
    let several = if count > 1 { format!("; {count} events at one call") } else { String::new() };
    let mut facts = vec![Fact {
        label: "Step, phase",
        text: format!("{steps}, {}{several}", grouped(u64::from(phase))),
        target: None,
    }];
    let latest = events.clone().max_by_key(|event| logical.lateness(*event)).unwrap_or(first);
    let lateness = match (logical.lateness(latest), logical.phase_lateness(latest)) {
        (0, _) => "on time".to_owned(),
        (late, in_phase) if late == in_phase => duration_text(late),
        (late, in_phase) => format!("{}, {} within its phase", duration_text(late), duration_text(in_phase)),
    };
    facts.push(Fact { label: "Lateness", text: lateness, target: None });
    // What came last is what it waited for.
    let senders =
        events.filter(|event| logical.kind(*event) == Kind::Receive).flat_map(|event| logical.senders(store, event));
    if let Some(last) = senders.max_by_key(|sender| logical.events.leave.get(*sender)) {
        let target = Target::of(store, window, logical.events.span.get(last));
        let late = match logical.lateness(last) {
            0 => "on time".to_owned(),
            late => format!("{} late", duration_text(late)),
        };
        facts.push(Fact { label: "From", text: format!("{}, {late}", target.label), target: Some(target) });
    }
    facts
}
