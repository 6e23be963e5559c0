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
        /// What calls are coloured by: function, metric, phase, kind (send, receive, wait or collective); in the timeline waits (who waits, who makes others wait), waiting, cost or path (what decided how long the run took); in the call view caller, the function that a call was made from; by default the metric in logical time, elsewhere the function
        "colour" colour: ColourBy = ColourBy::Usual,
        /// Draw messages and collectives
        "messages" messages: bool = true,
        /// Draw where the lateness of the selected event came from
        "cause" cause: bool = true,
    }
}

options! {
    /// What is drawn of a diagnosis.
    pub struct DiagnosisOptions {
        /// Draw the critical path: the chain of work and messages that decided how long the run took; by default where colours show who waits
        "path" ("Critical path") path: Shown = Shown::Usual,
        /// Draw rows of whom something was found higher than others; by default where colours show who waits
        "magnify" ("Magnify findings") magnify: Shown = Shown::Usual,
    }
}

/// Whether something is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// As is usual for the colours.
    Usual,
    /// In any case.
    On,
    /// In no case.
    Off,
}

impl Shown {
    fn or(self, usual: bool) -> bool {
        match self {
            Shown::Usual => usual,
            Shown::On => true,
            Shown::Off => false,
        }
    }
}

impl Words for Shown {
    const WORDS: &'static [(&'static str, Shown)] = &[("", Shown::Usual), ("on", Shown::On), ("off", Shown::Off)];
}

/// What is drawn of a diagnosis in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DiagnosisShown {
    /// Whether the critical path is drawn.
    pub(crate) path: bool,
    /// Whether rows with findings are higher.
    pub(crate) magnify: bool,
    /// Colours by who waits for whom, if they are.
    pub(crate) colour: Option<ColourBy>,
}

impl DiagnosisShown {
    /// What a request asks for.
    pub(crate) fn of(request: &ViewRequest) -> DiagnosisShown {
        let colour = Some(request.options.checked::<EventOptions>().colour).filter(|colour| colour.is_of_diagnosis());
        let DiagnosisOptions { path, magnify } = request.options.checked();
        let has_colour = colour.is_some();
        DiagnosisShown { path: path.or(has_colour), magnify: magnify.or(has_colour), colour }
    }

    /// Whether it takes a diagnosis.
    pub(crate) fn is_needed(self) -> bool {
        self.path || self.magnify || self.colour.is_some()
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
    /// Who waits, and who makes others wait.
    Waits,
    /// Who waits.
    Waiting,
    /// Who makes others wait.
    Cost,
    /// What lies on the critical path.
    Path,
}

impl ColourBy {
    /// What was asked for, or else what is usual.
    pub(crate) fn or(self, usual: ColourBy) -> ColourBy {
        if self == ColourBy::Usual { usual } else { self }
    }

    /// Whether it shows who waits for whom, or the path.
    pub(crate) fn is_of_diagnosis(self) -> bool {
        matches!(self, ColourBy::Waits | ColourBy::Waiting | ColourBy::Cost | ColourBy::Path)
    }
}

/// Refuses what logical time cannot be coloured by.
pub(crate) fn check_colour(_store: &Store, request: &ViewRequest) -> Result<(), OptionError> {
    let options: EventOptions = request.options.read()?;
    let why = match options.colour {
        ColourBy::Caller => "must be one of function, metric, phase or kind here; callers are for the call view",
        colour if colour.is_of_diagnosis() => {
            "must be one of function, metric, phase or kind here; who waits for whom is for the timeline"
        }
        _ => return Ok(()),
    };
    Err(OptionError { name: "colour".to_owned(), why: why.to_owned() })
}

/// Refuses what a timeline cannot be coloured by.
pub(crate) fn check_timeline_colour(_store: &Store, request: &ViewRequest) -> Result<(), OptionError> {
    let options: EventOptions = request.options.read()?;
    if options.colour == ColourBy::Caller {
        let why = "must be one of function, metric, phase, kind, waits, waiting, cost or path here; callers are for \
                   the call view";
        return Err(OptionError { name: "colour".to_owned(), why: why.to_owned() });
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
        ("waits", ColourBy::Waits),
        ("waiting", ColourBy::Waiting),
        ("cost", ColourBy::Cost),
        ("path", ColourBy::Path),
    ];
}

impl Words for Palette {
    const WORDS: &'static [(&'static str, Palette)] =
        &[("diverging", Palette::Diverging), ("sequential", Palette::Sequential)];
}
