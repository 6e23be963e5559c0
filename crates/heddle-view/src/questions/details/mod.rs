//! Everything that is known about what is selected: the details that a click asks for.

mod cluster;
mod kinds;
mod span;
mod steps;

use heddle_model::Ns;
use heddle_store::Store;
use serde::Serialize;

use crate::analyses::Steps;
use crate::questions::cluster::{Course, CourseSteps};
use crate::questions::target::Target;
use crate::request::selection::Selection;
use crate::request::window::Window;
use crate::scene::Rgba;
use crate::scene::theme::Colours;

pub use cluster::cluster_details;
pub use span::communicator_name;
pub(crate) use span::{node_name, source_text};

/// One thing to say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fact {
    /// What about.
    pub label: &'static str,
    /// What. Hostile text.
    pub text: String,
    /// The call that it leads to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// What else it leads to: a phase, a function, ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<Selection>,
}

impl Fact {
    pub(crate) fn plain(label: &'static str, text: String) -> Fact {
        Fact { label, text, target: None, select: None }
    }

    pub(crate) fn leading(label: &'static str, text: String, target: Option<Target>) -> Fact {
        Fact { target, ..Fact::plain(label, text) }
    }

    pub(crate) fn selecting(label: &'static str, text: String, select: Selection) -> Fact {
        Fact { select: Some(select), ..Fact::plain(label, text) }
    }
}

/// Means of a metric along steps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Courses {
    /// What is measured. Hostile text.
    pub title: String,
    /// One for each cluster.
    pub lines: Vec<Course>,
    /// The steps that their points stand for.
    pub steps: CourseSteps,
    /// The largest of all points, in words; none if no point is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest: Option<String>,
}

/// What is selected, in words, and the ways from it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Details {
    /// What it is.
    pub select: Selection,
    /// What kind of thing.
    pub kind: &'static str,
    /// Its name. Hostile text.
    pub title: String,
    /// Its colour, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colour: Option<Rgba>,
    /// Its region, if it is of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<u32>,
    /// When it begins and ends.
    #[serde(flatten, serialize_with = "time_fields")]
    pub time: Option<(Ns, Ns)>,
    /// Its steps, the last one excluded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<(u32, u32)>,
    /// Its rows among the locations in sight, the last one excluded; null if a filter keeps them out, and nothing for what
    /// has no rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<Option<(usize, usize)>>,
    /// Of messages between ranks, the columns of those who receive, the last one excluded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<(usize, usize)>,
    /// What there is to say.
    pub facts: Vec<Fact>,
    /// More of it, in sentences. Hostile text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sentences: Vec<String>,
    /// How the metric goes along the steps, of a cluster first and then of the others that are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub courses: Option<Courses>,
    /// The call before it on its level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<Target>,
    /// The call after it on its level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Target>,
    /// The caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Target>,
    /// The first call inside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub child: Option<Target>,
    /// The other end of its first message, or the last to arrive at its collective.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner: Option<Target>,
}

#[allow(clippy::ref_option, reason = "the signature is serde's")]
fn time_fields<S: serde::Serializer>(time: &Option<(Ns, Ns)>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Fields {
        #[serde(skip_serializing_if = "Option::is_none")]
        start_ns: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        end_ns: Option<String>,
    }
    let text = |ns: Ns| ns.0.to_string();
    Fields { start_ns: time.map(|(from, _)| text(from)), end_ns: time.map(|(_, to)| text(to)) }.serialize(serializer)
}

impl Details {
    pub(crate) fn new(select: Selection) -> Details {
        Details {
            kind: select.kind().word(),
            select,
            title: String::new(),
            colour: None,
            region: None,
            time: None,
            steps: None,
            rows: None,
            columns: None,
            facts: Vec::new(),
            sentences: Vec::new(),
            courses: None,
            previous: None,
            next: None,
            parent: None,
            child: None,
            partner: None,
        }
    }
}

/// Looks up what is selected; none if the trace does not have it, or logical time that it takes is not at hand.
pub fn details(
    store: &Store,
    known: Option<&Steps>,
    window: &Window,
    colours: &Colours,
    selected: &Selection,
) -> Option<Details> {
    match selected {
        Selection::Span(name) => {
            let span = name.find(store)?;
            let mut details = span::details(store, window, colours, span);
            if let Some(known) = known {
                let events = known.logical.events_of_span(store, span);
                steps::add(store, &known.logical, window, events, &mut details);
            }
            Some(details)
        }
        Selection::Event { rank, step } => kinds::event(store, &known?.logical, window, colours, (*rank, *step)),
        Selection::Message { .. } => kinds::message(store, window, selected),
        Selection::Phase(phase) => kinds::phase(&known?.logical, *phase),
        Selection::Ranks(ranks) => kinds::ranks(store, window, ranks),
        Selection::Function(name) => kinds::function(store, colours, name),
        // Clusters, machines, rectangles, messages between ranks and calls that take so long have answers of their own.
        Selection::Cluster(_)
        | Selection::Nodes(_)
        | Selection::Link(_)
        | Selection::Window { .. }
        | Selection::Area { .. }
        | Selection::Messages(_)
        | Selection::Calls(_) => None,
    }
}
