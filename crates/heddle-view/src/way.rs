//! The way on which the lateness of the selected call came.

use heddle_logical::{Stop, way_back};
use heddle_store::Store;

use crate::request::ViewRequest;
use crate::ticks::{duration_text, grouped};
use crate::trace::LogicalData;
use crate::window::row_name;

/// From a late event back to where its lateness arose.
pub(crate) struct Way {
    /// The stops, the late event first; the last is where most of the lateness arose.
    pub(crate) stops: Vec<Stop>,
}

impl Way {
    /// The way of the selected call's latest event, if it is asked for and the event is late.
    pub(crate) fn of(store: &Store, data: &LogicalData, request: &ViewRequest) -> Option<Way> {
        let span = request.emphasis.selected.filter(|_| request.logical.path)?;
        let event = data.logical.events_of_span(store, span).max_by_key(|event| data.logical.lateness(*event))?;
        let (mut stops, origin) = way_back(store, &data.logical, event)?;
        stops.truncate(origin + 1);
        Some(Way { stops })
    }

    /// Where most of the lateness arose.
    pub(crate) fn origin(&self) -> Option<Stop> {
        self.stops.last().copied()
    }

    /// The same in words.
    pub(crate) fn note(&self, store: &Store, data: &LogicalData) -> Option<String> {
        let (late, origin) = (self.stops.first()?, self.origin()?);
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
