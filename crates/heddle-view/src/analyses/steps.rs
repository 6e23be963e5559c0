//! Logical time and clusters as pictures and questions take them: results that are opened once, with what is worked out from them
//! on the way and asked for again by every pane.

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use heddle_logical::cluster::Clusters;
use heddle_logical::pattern::{self, Flavour, Pattern, Received};
use heddle_logical::{Cause, Logical, MetricValues, cause};
use heddle_model::{LocationId, SpanRow};
use heddle_store::{Progress, Store, StoreError};

use crate::request::window::Window;

/// Rows that are shown until somebody opens or closes one, at most.
const MOST_USUAL: usize = 8;

/// The joints that are open until somebody opens or closes one: those above the clusters that stand out.
pub(crate) fn usually_open(clusters: &Clusters) -> Vec<u32> {
    let tree = clusters.tree();
    let shown = clusters.natural(MOST_USUAL);
    let mut open = Vec::new();
    for mut node in shown {
        while let Some(parent) = tree.parent(node).filter(|parent| !open.contains(parent)) {
            open.push(parent);
            node = parent;
        }
    }
    open.sort_unstable();
    open
}

/// Phases and steps, open, whatever the metric: what questions in words need. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Steps {
    /// Phases and steps.
    pub logical: Arc<Logical>,
    /// The event whose cause was last asked for: all panes ask for the same one, and walking takes time.
    last_cause: Arc<Mutex<Option<KnownCause>>>,
    /// The largest lateness of each row: pictures whose rows are ordered by it ask again and again.
    largest_lateness: Arc<OnceLock<Vec<i64>>>,
}

/// The same with the values of one metric: what pictures need. Cheap to clone.
#[derive(Clone, Debug)]
pub struct LogicalData {
    /// Phases and steps.
    pub steps: Steps,
    /// The values of a metric: the one that requests name.
    pub values: Arc<MetricValues>,
}

impl std::ops::Deref for LogicalData {
    type Target = Steps;

    fn deref(&self) -> &Steps {
        &self.steps
    }
}

/// Clusters, with the logical time that they are of. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ClusterData {
    /// Phases and steps, and the metric that ranks were compared by.
    pub logical: LogicalData,
    /// The clusters.
    pub clusters: Arc<Clustered>,
}

/// Clusters, and the pattern that their ranks communicate by.
#[derive(Debug)]
pub struct Clustered {
    clusters: Clusters,
    pattern: Option<Pattern>,
    /// How many messages waits receive, where the pattern is drawn by that.
    received: Option<Received>,
}

/// Events of a scope in which a pattern is looked for: it takes a second or two, each time that clusters are opened.
const MOST_LOOKED_AT: u64 = 1 << 22;

impl Clustered {
    /// Looks for the pattern of a scope's clusters, unless it would take long.
    pub fn of(
        store: &Store,
        logical: &Logical,
        clusters: Clusters,
        progress: &dyn Progress,
    ) -> Result<Clustered, StoreError> {
        let is_quick = clusters.scope().events(logical) <= MOST_LOOKED_AT;
        let pattern = if is_quick { pattern::detect(store, logical, clusters.scope(), progress)? } else { None };
        let has_waits = matches!(pattern.as_ref().and_then(Pattern::flavour), Some(Flavour::SendsThenWaitAll { .. }));
        let received = if has_waits { Some(Received::read(store, logical, &clusters, progress)?) } else { None };
        Ok(Clustered { clusters, pattern, received })
    }

    /// How ranks communicate; none if that has no name.
    pub fn pattern(&self) -> Option<&Pattern> {
        self.pattern.as_ref()
    }

    pub(crate) fn received(&self) -> Option<&Received> {
        self.received.as_ref()
    }
}

impl std::ops::Deref for Clustered {
    type Target = Clusters;

    fn deref(&self) -> &Clusters {
        &self.clusters
    }
}

/// An event, and why it is late if it is.
type KnownCause = (u64, Option<Arc<Cause>>);

impl LogicalData {
    /// Phases and steps with the values of a metric.
    pub fn new(steps: Steps, values: Arc<MetricValues>) -> LogicalData {
        LogicalData { steps, values }
    }

    /// The value of an event.
    pub(crate) fn value(&self, event: u64) -> f64 {
        self.values.value(&self.logical, event)
    }

    /// The value of the aggregate before an event.
    pub(crate) fn aggregate(&self, event: u64) -> f64 {
        self.values.aggregate(&self.logical, event)
    }
}

impl From<Logical> for Steps {
    fn from(logical: Logical) -> Steps {
        Steps { logical: Arc::new(logical), last_cause: Arc::default(), largest_lateness: Arc::default() }
    }
}

impl Steps {
    /// The largest lateness of each row of events.
    pub(crate) fn largest_lateness(&self) -> &[i64] {
        self.largest_lateness.get_or_init(|| {
            let logical = &*self.logical;
            let of_row = |row: u32| logical.events_of(row).map(|event| logical.lateness(event)).max().unwrap_or(0);
            (0..logical.rows.len() as u32).into_par_iter().map(of_row).collect()
        })
    }

    /// Why an event is late, if it is.
    pub fn cause(&self, store: &Store, event: u64) -> Option<Arc<Cause>> {
        let mut last = self.last_cause.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, cause)) = &*last
            && *known == event
        {
            return cause.clone();
        }
        let found = cause(store, &self.logical, event).map(Arc::new);
        *last = Some((event, found.clone()));
        found
    }
}

/// Whether logical time would have something to show: some end of a message or collective lies on the main location of a
/// rank. Rows of the other locations of a rank (threads, streams of an accelerator) are not in those pictures.
pub fn has_steps_in_sight(store: &Store) -> bool {
    let window = Window { main_only: true, ..Window::default() };
    let is_shown = |location: LocationId| location.is_some() && window.shows(store, location);
    let (messages, members, unmatched) = (&store.messages, &store.collective_members, &store.unmatched);
    messages.send_location.iter(0..messages.len()).any(is_shown)
        || messages.recv_location.iter(0..messages.len()).any(is_shown)
        || members.location.iter(0..members.len()).any(is_shown)
        || unmatched.location.iter(0..unmatched.len()).any(is_shown)
}

/// The latest event of a call.
pub fn latest_of_call(store: &Store, logical: &Logical, span: SpanRow) -> Option<u64> {
    latest_of(logical, logical.events_of_span(store, span))
}

/// The latest of some events: of several equally late ones the first.
pub(crate) fn latest_of(logical: &Logical, events: Range<u64>) -> Option<u64> {
    events.max_by_key(|event| (logical.lateness(*event), std::cmp::Reverse(*event)))
}

/// The event with the largest lateness, of several the first; none if no event is late.
pub fn latest_event(logical: &Logical) -> Option<u64> {
    let of_row =
        |row: u32| logical.events_of(row).map(|event| (logical.lateness(event), std::cmp::Reverse(event))).max();
    let latest = (0..logical.rows.len() as u32).into_par_iter().filter_map(of_row).max();
    latest.filter(|(lateness, _)| *lateness > 0).map(|(_, event)| event.0)
}
