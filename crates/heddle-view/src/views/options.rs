//! Options that several views share: how values of a metric are shown, and what is drawn of communication events.

use heddle_options::{OptionError, ValueRange, Words, options};
use heddle_store::Store;

use crate::request::ViewRequest;
use crate::scene::ramp::Palette;

options! {
    /// How values of a metric are shown.
    pub struct MetricOptions {
        /// What colours mean: lateness, phase-lateness, differential, phase-differential, duration, enter, exit or counter:NAME
        "metric" metric: String = "lateness".to_owned(),
        /// Values at the ends of the colour scale, for instance 0:4ms; plain numbers for counters
        "range" range: Option<ValueRange> = None,
        /// Sums at the bottom and the top of the metric overview, for instance 0:80ms: two runs become comparable
        "sums" sums: Option<ValueRange> = None,
        /// End the colour scale at the largest value of each step
        "relative" relative: bool = false,
        /// Show, and sum, what lies between events
        "aggregates" aggregates: bool = true,
        /// Colours of the metric
        "palette" palette: Palette = Palette::Diverging,
    }
}

options! {
    /// What is drawn of communication events.
    pub struct EventOptions {
        /// What calls are coloured by: function, metric, phase, kind (send, receive, wait or collective) or, in the call view, caller, the function that a call was made from; by default the metric in logical time, elsewhere the function
        "colour" colour: ColourBy = ColourBy::Usual,
        /// Draw messages and collectives
        "messages" messages: bool = true,
        /// Draw where the lateness of the selected event came from
        "cause" cause: bool = true,
    }
}

/// What calls are coloured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourBy {
    /// What is usual for the view.
    Usual,
    /// Which function was called.
    Function,
    /// The metric.
    Metric,
    /// The phase.
    Phase,
    /// What the event does: send, receive, wait or collective.
    Kind,
    /// Which function it was called from.
    Caller,
}

impl ColourBy {
    /// What was asked for, or else what is usual.
    pub(crate) fn or(self, usual: ColourBy) -> ColourBy {
        if self == ColourBy::Usual { usual } else { self }
    }
}

/// Refuses what only the call view can be coloured by.
pub(crate) fn check_colour(_store: &Store, request: &ViewRequest) -> Result<(), OptionError> {
    let options: EventOptions = request.options.read()?;
    if options.colour == ColourBy::Caller {
        let why = "must be one of function, metric, phase or kind here; callers are for the call view".to_owned();
        return Err(OptionError { name: "colour".to_owned(), why });
    }
    Ok(())
}

impl Words for ColourBy {
    const WORDS: &'static [(&'static str, ColourBy)] = &[
        ("", ColourBy::Usual),
        ("function", ColourBy::Function),
        ("metric", ColourBy::Metric),
        ("phase", ColourBy::Phase),
        ("kind", ColourBy::Kind),
        ("caller", ColourBy::Caller),
    ];
}

impl Words for Palette {
    const WORDS: &'static [(&'static str, Palette)] =
        &[("diverging", Palette::Diverging), ("sequential", Palette::Sequential)];
}
