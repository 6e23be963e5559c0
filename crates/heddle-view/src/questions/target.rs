//! A place to go to: a span, when it is, and in which row.

use heddle_model::{Ns, SpanRow};
use heddle_store::Store;
use serde::Serialize;

use crate::request::names::{SpanName, time_text};
use crate::request::selection::Selection;
use crate::request::window::{Window, row_name};

/// A span to go to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Target {
    /// Which.
    pub select: Selection,
    /// When it begins.
    #[serde(rename = "start_ns", serialize_with = "time_text")]
    pub start: Ns,
    /// When it ends.
    #[serde(rename = "end_ns", serialize_with = "time_text")]
    pub end: Ns,
    /// The row that stands for its location; none if a filter keeps it out.
    pub row: Option<usize>,
    /// What to call it: function and rank. Hostile text.
    pub label: String,
}

impl Target {
    /// The way to a span.
    pub(crate) fn of(store: &Store, window: &Window, span: SpanRow) -> Target {
        let location = store.locations.of_span(span);
        let region = store.spans.region.get(span.0);
        let name = store.regions.name.get(u64::from(region.0));
        Target {
            select: Selection::Span(SpanName::of(store, span)),
            start: store.spans.start.get(span.0),
            end: store.spans.end.get(span.0),
            row: window.row_for(store, location),
            label: format!("{name} on {}", row_name(store, location)),
        }
    }
}
