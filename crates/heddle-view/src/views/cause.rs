//! Where the lateness of the selected event came from, for pictures.

use std::sync::Arc;

use heddle_logical::{Cause, Stop};
use heddle_store::Store;

use crate::analyses::{LogicalData, Trace, latest_of_call};
use crate::request::ViewRequest;
use crate::request::selection::Selection;
use crate::request::window::row_name;
use crate::scene::ticks::{duration_text, grouped};
use crate::views::options::EventOptions;
use crate::views::selected::{selected_event, selected_span};

/// From a late event back to where most of its lateness arose.
pub(crate) struct DrawnCause(Arc<Cause>);

impl DrawnCause {
    /// The cause of the selected event, or of the selected call's latest one; none if it is not late, or not to be drawn.
    pub(crate) fn of(trace: &Trace<'_>, request: &ViewRequest) -> Option<DrawnCause> {
        let data = trace.logical.as_ref()?;
        if !request.options.checked::<EventOptions>().cause {
            return None;
        }
        let event = match request.emphasis.selected.as_ref()? {
            Selection::Event { .. } => selected_event(trace, request)?,
            _ => latest_of_call(trace.store, &data.logical, selected_span(trace, request)?)?,
        };
        data.cause(trace.store, event).map(DrawnCause)
    }

    /// The stops, the late event first; the last is where most of the lateness arose.
    pub(crate) fn stops(&self) -> &[Stop] {
        &self.0.path[..=self.0.origin]
    }

    /// Where most of the lateness arose.
    pub(crate) fn origin(&self) -> Stop {
        self.0.origin()
    }

    /// The same in words.
    pub(crate) fn note(&self, store: &Store, data: &LogicalData) -> Option<String> {
        let (late, origin) = (self.stops().first()?, self.origin());
        let logical = &data.logical;
        let who = |event: u64| row_name(store, logical.rows.location.get(u64::from(logical.row_of(event))));
        let step = |event: u64| grouped(u64::from(logical.events.step.get(event)));
        let when = if origin.is_aggregate { "before" } else { "in" };
        Some(format!(
            "Most of the {} by which {} is late at step {} arose on {} {when} step {}.",
            duration_text(late.lateness),
            who(late.event),
            step(late.event),
            who(origin.event),
            step(origin.event)
        ))
    }
}
