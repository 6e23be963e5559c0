//! Logical time of a trace: computed when it is asked for, in the background, and kept while it is used.
//!
//! Of each trace one computation goes on at a time, as it uses all cores; others wait for their turn. What was computed
//! lies in the store, so forgetting it here costs a moment when it is asked for again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use heddle_logical::extract::size;
use heddle_logical::{Logical, LogicalOptions, Metric, MetricValues};
use heddle_store::{Progress, Store, StoreError, Work};
use heddle_view::LogicalData;

/// Results that are kept open for a trace: of one choice of options and one metric each.
const MOST_KEPT: usize = 12;

/// The results of one trace.
#[derive(Debug, Default)]
pub(crate) struct LogicalKeeper {
    /// The one that was used last stands last.
    kept: Mutex<Vec<Kept>>,
    turn: Arc<Mutex<()>>,
}

#[derive(Debug)]
struct Kept {
    options: LogicalOptions,
    metric: Metric,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    Building(Arc<Job>),
    Ready(LogicalData),
    Failed(String),
}

/// How far a result is.
#[derive(Clone, Debug)]
pub(crate) enum LogicalState {
    /// It is there.
    Ready(LogicalData),
    /// It is being computed: what goes on, and which part of that is done.
    Building(&'static str, f64),
    /// There is nothing to compute, and why.
    None(String),
    /// It could not be computed.
    Failed(String),
}

impl LogicalKeeper {
    fn lock(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How far a result is; starts to compute it if nobody has. A failure is told once: asking again tries again.
    pub(crate) fn ask(self: &Arc<Self>, store: &Arc<Store>, options: &LogicalOptions, metric: Metric) -> LogicalState {
        if size(store) == 0 {
            return LogicalState::None("The trace has no messages and no collectives.".to_owned());
        }
        if let Some(data) = self.get(store, options, metric) {
            return told(&State::Ready(data));
        }
        let mut kept = self.lock();
        if let Some(at) = kept.iter().position(|one| one.options == *options && one.metric == metric) {
            let state = told(&kept[at].state);
            if matches!(state, LogicalState::Failed(_)) {
                kept.remove(at);
            }
            return state;
        }
        let job = Arc::new(Job::default());
        let state = told(&State::Building(Arc::clone(&job)));
        kept.push(Kept { options: options.clone(), metric, state: State::Building(Arc::clone(&job)) });
        drop(kept);
        self.start(Arc::clone(store), options.clone(), metric, job);
        state
    }

    /// A result that is there, or can be opened at once.
    pub(crate) fn get(&self, store: &Store, options: &LogicalOptions, metric: Metric) -> Option<LogicalData> {
        let mut kept = self.lock();
        if let Some(at) = kept.iter().position(|one| one.options == *options && one.metric == metric) {
            let State::Ready(data) = &kept[at].state else { return None };
            let data = data.clone();
            let one = kept.remove(at);
            kept.push(one);
            return Some(data);
        }
        let logical = of_same_options(&kept, options);
        drop(kept);
        let logical = logical.or_else(|| Logical::find(store, options).ok().flatten().map(Arc::new))?;
        let values = Arc::new(MetricValues::find(&logical, metric)?);
        let data = LogicalData { logical, values };
        self.keep(options, metric, State::Ready(data.clone()));
        Some(data)
    }

    /// Phases and steps with these options, whatever the metric.
    pub(crate) fn structure(&self, store: &Store, options: &LogicalOptions) -> Option<Arc<Logical>> {
        let logical = of_same_options(&self.lock(), options);
        logical.or_else(|| Logical::find(store, options).ok().flatten().map(Arc::new))
    }

    /// Gives up what is being computed with these options; says whether anything was.
    pub(crate) fn cancel(&self, options: &LogicalOptions) -> bool {
        let mut found = false;
        for one in self.lock().iter().filter(|one| one.options == *options) {
            if let State::Building(job) = &one.state {
                job.is_cancelled.store(true, Ordering::Relaxed);
                found = true;
            }
        }
        found
    }

    fn keep(&self, options: &LogicalOptions, metric: Metric, state: State) {
        let mut kept = self.lock();
        kept.retain(|one| one.options != *options || one.metric != metric);
        kept.push(Kept { options: options.clone(), metric, state });
        while kept.len() > MOST_KEPT {
            let Some(at) = kept.iter().position(|one| !matches!(one.state, State::Building(_))) else { break };
            kept.remove(at);
        }
    }

    fn start(self: &Arc<Self>, store: Arc<Store>, options: LogicalOptions, metric: Metric, job: Arc<Job>) {
        let (keeper, turn) = (Arc::downgrade(self), Arc::clone(&self.turn));
        let known = of_same_options(&self.lock(), &options);
        std::thread::spawn(move || {
            let turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
            // A bug must not leave a page that waits for ever.
            let made = catch_unwind(AssertUnwindSafe(|| make(&store, &options, metric, known, &*job)));
            drop(turn);
            let state = match made {
                Ok(Ok(data)) => State::Ready(data),
                Ok(Err(StoreError::Cancelled)) => State::Failed("Cancelled.".to_owned()),
                Ok(Err(error)) => State::Failed(error.to_string()),
                Err(_) => State::Failed("Computing logical time failed at a bug of Heddle.".to_owned()),
            };
            if let Some(keeper) = keeper.upgrade() {
                keeper.keep(&options, metric, state);
            }
        });
    }
}

impl Drop for LogicalKeeper {
    fn drop(&mut self) {
        for one in self.lock().iter() {
            if let State::Building(job) = &one.state {
                job.is_cancelled.store(true, Ordering::Relaxed);
            }
        }
    }
}

fn of_same_options(kept: &[Kept], options: &LogicalOptions) -> Option<Arc<Logical>> {
    kept.iter().filter(|one| one.options == *options).find_map(|one| match &one.state {
        State::Ready(data) => Some(Arc::clone(&data.logical)),
        _ => None,
    })
}

fn make(
    store: &Store,
    options: &LogicalOptions,
    metric: Metric,
    known: Option<Arc<Logical>>,
    progress: &dyn Progress,
) -> Result<LogicalData, StoreError> {
    progress.check()?;
    let logical = match known {
        Some(known) => known,
        None => Arc::new(Logical::open(store, options, progress)?),
    };
    let values = Arc::new(MetricValues::open(store, &logical, metric, progress)?);
    Ok(LogicalData { logical, values })
}

fn told(state: &State) -> LogicalState {
    match state {
        State::Ready(data) if data.logical.events.is_empty() => {
            let mut why = data.logical.hints().join(" ");
            if why.is_empty() {
                "No call of a rank sends, receives or takes part in a collective.".clone_into(&mut why);
            }
            LogicalState::None(why)
        }
        State::Ready(data) => LogicalState::Ready(data.clone()),
        State::Building(job) => {
            let stage = *job.stage.lock().unwrap_or_else(PoisonError::into_inner);
            let (total, done) = (job.total.load(Ordering::Relaxed), job.done.load(Ordering::Relaxed));
            let share = if total > 0 { (done as f64 / total as f64).min(1.0) } else { 0.0 };
            LogicalState::Building(stage, share)
        }
        State::Failed(error) => LogicalState::Failed(error.clone()),
    }
}

/// A computation in the background.
#[derive(Debug)]
struct Job {
    is_cancelled: AtomicBool,
    stage: Mutex<&'static str>,
    total: AtomicU64,
    done: AtomicU64,
}

impl Default for Job {
    fn default() -> Job {
        Job {
            is_cancelled: AtomicBool::new(false),
            stage: Mutex::new("waiting for its turn"),
            total: AtomicU64::new(0),
            done: AtomicU64::new(0),
        }
    }
}

impl Progress for Job {
    fn begin(&self, work: Work, total: u64) {
        self.total.store(total, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = work.name();
    }

    fn advance(&self, done: u64) {
        self.done.fetch_add(done, Ordering::Relaxed);
    }

    fn waiting(&self) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = "waiting for another program that computes it";
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}
