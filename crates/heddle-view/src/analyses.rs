//! What pictures rest on besides the store: results of analyses, computed on demand and kept in the store.
//!
//! A view says what it needs ([`View::needs`](crate::View::needs)). Whoever draws gets it: the command line computes it
//! at once, the server in the background, with progress and a way to stop it. Both hand it over as a [`Trace`], so a view
//! never knows where a result came from. A further analysis is a further [`Need`] and [`Analysis`].

mod about;
mod steps;

use std::sync::Arc;

use serde::Serialize;

use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_logical::cluster::{ClusterOptions, Clusters};
use heddle_logical::extract::size;
use heddle_logical::{Logical, LogicalOptions, Metric, MetricValues};
use heddle_network::{Network, NetworkError, NetworkOptions};
use heddle_options::{Given, OptionError, OptionSpec, Options};
use heddle_profile::CallProfile;
use heddle_profile::by_rank::CallsByRank;
use heddle_profile::chosen::{self, Choice, ChosenCalls};
use heddle_profile::kinds::CallKinds;
use heddle_profile::messages::Messages;
use heddle_profile::values::CounterValues;
use heddle_store::{NoProgress, Progress, Store, StoreError};
use heddle_tasks::{Overview, ProgressOptions, Progression, WorkKind};

use crate::diagnosed::Diagnosed;
use crate::questions::diagnosis::nothing_to_compare;
use crate::request::ViewRequest;
use crate::request::window::Window;
use crate::step_runs::StepRuns;
use crate::views::View;
use crate::views::options::MetricOptions;
use about::About;
pub use steps::{ClusterData, Clustered, LogicalData, Steps, has_steps_in_sight, latest_event, latest_of_call};
pub(crate) use steps::{latest_of, usually_open};

/// A trace to look at: a store, and the analyses that the picture rests on.
#[derive(Clone, Debug)]
pub struct Trace<'a> {
    /// The trace itself.
    pub store: &'a Store,
    /// Its logical time with the metric that was asked for.
    pub logical: Option<LogicalData>,
    /// Ranks that behave alike.
    pub clusters: Option<Arc<Clustered>>,
    /// The machine, where ranks sit on it, and its traffic.
    pub network: Option<Arc<Network>>,
    /// How far nodes had come.
    pub progress: Option<Arc<Progression>>,
    /// What pictures of many tasks rest on; there wherever the progression is.
    pub tasks: Option<Arc<Overview>>,
    /// What is wrong with the run, who waited, and for whom.
    pub diagnosis: Option<Arc<Diagnosed>>,
    /// How often and how long functions were called.
    pub profile: Option<Arc<CallProfile>>,
    /// Who sent how much to whom.
    pub messages: Option<Arc<Messages>>,
    /// How often and how long counters had which value.
    pub values: Option<Arc<CounterValues>>,
    /// Kinds of calls, and how many of each there are when.
    pub kinds: Option<Arc<CallKinds>>,
    /// How many calls groups of ranks make when.
    pub by_rank: Option<Arc<CallsByRank>>,
    /// How many calls chosen ranks make when.
    pub chosen: Option<Arc<ChosenCalls>>,
}

impl<'a> From<&'a Store> for Trace<'a> {
    fn from(store: &'a Store) -> Trace<'a> {
        Trace {
            store,
            logical: None,
            clusters: None,
            network: None,
            progress: None,
            tasks: None,
            diagnosis: None,
            profile: None,
            messages: None,
            values: None,
            kinds: None,
            by_rank: None,
            chosen: None,
        }
    }
}

impl<'a> Trace<'a> {
    /// The trace with all that a picture needs. `get` finds or computes a result; `None` where there is none.
    pub fn prepare<E: From<OptionError>>(
        store: &'a Store,
        view: View,
        request: &ViewRequest,
        get: impl FnMut(&Need, Urgency) -> Result<Option<Analysis>, E>,
    ) -> Result<Trace<'a>, E> {
        Trace::with(store, view.needs(store, request)?, get)
    }

    /// The trace with these results, as far as `get` has them.
    pub fn with<E>(
        store: &'a Store,
        needs: impl IntoIterator<Item = (Need, Urgency)>,
        mut get: impl FnMut(&Need, Urgency) -> Result<Option<Analysis>, E>,
    ) -> Result<Trace<'a>, E> {
        let mut trace = Trace::from(store);
        for (need, urgency) in needs {
            match get(&need, urgency)? {
                Some(Analysis::Logical(data)) => trace.logical = Some(data),
                Some(Analysis::Clusters(data)) => {
                    trace.logical = Some(data.logical);
                    trace.clusters = Some(data.clusters);
                }
                Some(Analysis::Network(network)) => trace.network = Some(network),
                Some(Analysis::Progress(progress, tasks)) => {
                    trace.progress = Some(progress);
                    trace.tasks = Some(tasks);
                }
                Some(Analysis::Diagnosis(diagnosis)) => trace.diagnosis = Some(diagnosis),
                Some(Analysis::Profile(profile)) => trace.profile = Some(profile),
                Some(Analysis::Messages(messages)) => trace.messages = Some(messages),
                Some(Analysis::Values(values)) => trace.values = Some(values),
                Some(Analysis::Kinds(kinds)) => trace.kinds = Some(kinds),
                Some(Analysis::ByRank(counts)) => trace.by_rank = Some(counts),
                Some(Analysis::Chosen(calls)) => trace.chosen = Some(calls),
                None => {}
            }
        }
        Ok(trace)
    }
}

/// Whether a picture can be drawn without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// It is shown where it is at hand.
    Welcome,
    /// The picture is the same without it, but takes longer on a large trace: who will be asked again may begin with it.
    Useful,
    /// There is no picture without it.
    Required,
}

/// A result, with everything that decides it.
#[derive(Clone, Debug, PartialEq)]
pub enum Need {
    /// Phases, steps, and the values of a metric.
    Logical(LogicalNeed),
    /// Ranks that behave alike by that metric.
    Clusters(LogicalNeed, ClusterOptions),
    /// A machine and its traffic.
    Network(NetworkNeed),
    /// How far nodes had come.
    Progress(ProgressOptions),
    /// What is wrong with the run.
    Diagnosis,
    /// How often and how long functions were called.
    Profile,
    /// Who sent how much to whom.
    Messages,
    /// How often and how long counters had which value.
    Values,
    /// Kinds of calls, and how many of each there are when.
    Kinds,
    /// How many calls groups of ranks make when.
    ByRank,
    /// How many calls chosen ranks make when; none where nobody was chosen.
    Chosen(Option<Choice>),
}

/// Phases, steps, and the values of a metric, with everything that decides them.
#[derive(Clone, Debug, PartialEq)]
pub struct LogicalNeed {
    /// What decides phases and steps.
    pub options: LogicalOptions,
    /// Which metric.
    pub metric: Metric,
}

/// A machine and its traffic, with everything that decides it.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkNeed {
    given: Given,
}

impl NetworkNeed {
    /// The need of some options: of those that decide it, and of no others.
    fn new(given: &Given) -> Result<NetworkNeed, OptionError> {
        let mut own = Given::from(&given.read::<NetworkOptions>()?);
        own.take_files(given);
        Ok(NetworkNeed { given: own })
    }

    fn open(&self, store: &Store) -> Result<Arc<Network>, NetworkError> {
        Network::open(store, &self.given).map(Arc::new)
    }
}

/// A result, open. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Analysis {
    /// Logical time.
    Logical(LogicalData),
    /// Clusters, with the logical time that they are of.
    Clusters(ClusterData),
    /// A machine and its traffic.
    Network(Arc<Network>),
    /// How far nodes had come, and what pictures of their tasks rest on.
    Progress(Arc<Progression>, Arc<Overview>),
    /// What is wrong with the run.
    Diagnosis(Arc<Diagnosed>),
    /// How often and how long functions were called.
    Profile(Arc<CallProfile>),
    /// Who sent how much to whom.
    Messages(Arc<Messages>),
    /// How often and how long counters had which value.
    Values(Arc<CounterValues>),
    /// Kinds of calls, and how many of each there are when.
    Kinds(Arc<CallKinds>),
    /// How many calls groups of ranks make when.
    ByRank(Arc<CallsByRank>),
    /// How many calls chosen ranks make when.
    Chosen(Arc<ChosenCalls>),
}

/// An analysis by name: on the server's routes and for the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnalysisKind {
    /// Logical time.
    Logical,
    /// Clusters of ranks.
    Clusters,
    /// Traffic on a machine.
    Network,
    /// How far nodes had come.
    Progress,
    /// What is wrong with the run.
    Diagnosis,
    /// How often and how long functions were called.
    Profile,
    /// Who sent how much to whom.
    Messages,
    /// How often and how long counters had which value.
    Values,
    /// Kinds of calls, and how many of each there are when.
    Kinds,
    /// How many calls groups of ranks make when.
    ByRank,
    /// How many calls chosen ranks make when.
    Chosen,
}

impl AnalysisKind {
    /// All of them.
    pub const ALL: [AnalysisKind; 11] = [
        AnalysisKind::Logical,
        AnalysisKind::Clusters,
        AnalysisKind::Network,
        AnalysisKind::Progress,
        AnalysisKind::Diagnosis,
        AnalysisKind::Profile,
        AnalysisKind::Messages,
        AnalysisKind::Values,
        AnalysisKind::Kinds,
        AnalysisKind::ByRank,
        AnalysisKind::Chosen,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            AnalysisKind::Logical => "logical",
            AnalysisKind::Clusters => "clusters",
            AnalysisKind::Network => "network",
            AnalysisKind::Progress => "progress",
            AnalysisKind::Diagnosis => "diagnosis",
            AnalysisKind::Profile => "profile",
            AnalysisKind::Messages => "messages",
            AnalysisKind::Values => "values",
            AnalysisKind::Kinds => "kinds",
            AnalysisKind::ByRank => "by-rank",
            AnalysisKind::Chosen => "chosen",
        }
    }

    /// Whether it rests on logical time.
    pub fn has_steps(self) -> bool {
        matches!(self, AnalysisKind::Logical | AnalysisKind::Clusters)
    }

    /// The options that decide its results.
    pub fn options(self) -> Vec<OptionSpec> {
        let metric = MetricOptions::specs().into_iter().filter(|spec| spec.name == "metric");
        let logical = LogicalOptions::specs().into_iter().chain(metric);
        match self {
            AnalysisKind::Logical => logical.collect(),
            AnalysisKind::Clusters => logical.chain(ClusterOptions::specs()).collect(),
            AnalysisKind::Network => NetworkOptions::specs(),
            AnalysisKind::Progress => ProgressOptions::specs(),
            AnalysisKind::Diagnosis
            | AnalysisKind::Profile
            | AnalysisKind::Messages
            | AnalysisKind::Values
            | AnalysisKind::Kinds
            | AnalysisKind::ByRank
            | AnalysisKind::Chosen => Vec::new(),
        }
    }

    /// The result that options ask for, of all ranks.
    pub fn need(self, store: &Store, given: &Given) -> Result<Need, OptionError> {
        if self == AnalysisKind::Network {
            return NetworkNeed::new(given).map(Need::Network);
        }
        if self == AnalysisKind::Progress {
            return given.read().map(Need::Progress);
        }
        if self == AnalysisKind::Diagnosis {
            return Ok(Need::Diagnosis);
        }
        if self == AnalysisKind::Profile {
            return Ok(Need::Profile);
        }
        if self == AnalysisKind::Messages {
            return Ok(Need::Messages);
        }
        if self == AnalysisKind::Values {
            return Ok(Need::Values);
        }
        if self == AnalysisKind::Kinds {
            return Ok(Need::Kinds);
        }
        if self == AnalysisKind::ByRank {
            return Ok(Need::ByRank);
        }
        if self == AnalysisKind::Chosen {
            return Ok(Need::Chosen(None));
        }
        let metric = Metric::find(store, &given.read::<MetricOptions>()?.metric);
        let metric =
            metric.map_err(|error| OptionError { name: "metric".to_owned(), why: format!("is wrong: {error}") })?;
        let logical = LogicalNeed { options: given.read()?, metric };
        Ok(match self {
            AnalysisKind::Clusters => Need::Clusters(logical, given.read()?),
            _ => Need::Logical(logical),
        })
    }
}

impl Need {
    /// The logical time that it is, or is of.
    pub fn logical(&self) -> Option<&LogicalNeed> {
        match self {
            Need::Logical(logical) | Need::Clusters(logical, _) => Some(logical),
            Need::Network(_)
            | Need::Progress(_)
            | Need::Diagnosis
            | Need::Profile
            | Need::Messages
            | Need::Values
            | Need::Kinds
            | Need::ByRank
            | Need::Chosen(_) => None,
        }
    }

    /// The same of the ranks of a window, if it makes a difference.
    #[must_use]
    pub fn within(self, store: &Store, window: &Window) -> Need {
        match self {
            Need::Chosen(_) => Need::Chosen(window.choice(store)),
            other => other,
        }
    }

    /// How many results of its kind are kept open, if they are as many as the ranks that one can choose. Of those that have not
    /// been begun, only the one that was asked for last is worth waiting for.
    pub fn most_kept(&self) -> Option<usize> {
        matches!(self, Need::Chosen(_)).then_some(chosen::MOST_KEPT)
    }

    /// Why there is nothing to compute, if that is so.
    pub fn impossible(&self, store: &Store) -> Option<String> {
        if let Need::Chosen(choice) = self {
            return match choice {
                None => Some("All ranks are shown.".to_owned()),
                Some(choice) if !choice.has_many_calls(store) => Some("These ranks make few calls.".to_owned()),
                Some(_) => None,
            };
        }
        if *self == Need::Diagnosis {
            return nothing_to_compare(store).map(str::to_owned);
        }
        if matches!(self, Need::Profile | Need::Kinds | Need::ByRank) {
            return store.spans.is_empty().then(|| "The trace has no calls.".to_owned());
        }
        if *self == Need::Values {
            return store.metric_values.is_empty().then(|| "The trace has no counters.".to_owned());
        }
        let needs_steps = match self {
            Need::Progress(options) => match WorkKind::of(store, options) {
                Ok(work) => work == WorkKind::Steps,
                Err(why) => return Some(why.to_string()),
            },
            _ => self.logical().is_some(),
        };
        let has_none = needs_steps && size(store) == 0;
        has_none.then(|| "The trace has no messages and no collectives.".to_owned())
    }

    /// Whether a result of another need has most of this one: then both are given up together.
    pub fn is_akin(&self, other: &Need) -> bool {
        match (self.logical(), other.logical()) {
            (Some(logical), Some(other)) => logical.options == other.options,
            _ => self == other,
        }
    }

    /// The result if it is there already. `known` are results that are open.
    pub fn find<'a>(
        &self,
        store: &Store,
        known: impl IntoIterator<Item = (&'a Need, &'a Analysis)>,
    ) -> Option<Analysis> {
        let data = |logical: &LogicalNeed| {
            let steps = self.steps(store, known)?;
            let values = Arc::new(MetricValues::find(&steps.logical, logical.metric)?);
            Some(LogicalData::new(steps, values))
        };
        match self {
            Need::Logical(logical) => data(logical).map(Analysis::Logical),
            // A machine is put together in a moment; its traffic is worked out when a picture asks for it.
            Need::Network(need) => need.open(store).ok().map(Analysis::Network),
            Need::Progress(options) => {
                let (progression, tasks) = (Progression::find(store, options)?, Overview::find(store)?);
                Some(Analysis::Progress(Arc::new(progression), Arc::new(tasks)))
            }
            Need::Diagnosis => Diagnosis::find(store).map(|found| Analysis::Diagnosis(Arc::new(found.into()))),
            Need::Profile => CallProfile::find(store).map(|found| Analysis::Profile(Arc::new(found))),
            Need::Messages => Messages::find(store).map(|found| Analysis::Messages(Arc::new(found))),
            Need::Values => CounterValues::find(store).map(|found| Analysis::Values(Arc::new(found))),
            Need::Kinds => CallKinds::find(store).map(|found| Analysis::Kinds(Arc::new(found))),
            Need::ByRank => CallsByRank::find(store).map(|found| Analysis::ByRank(Arc::new(found))),
            Need::Chosen(choice) => {
                ChosenCalls::find(store, choice.as_ref()?).map(|found| Analysis::Chosen(Arc::new(found)))
            }
            Need::Clusters(logical, options) => {
                let data = data(logical)?;
                let scope = options.scope.scope(&data.logical, &data.values);
                let clusters = Clusters::find(&data.logical, &data.values, &scope, options)?;
                let clusters = Clustered::of(store, &data.logical, clusters, &NoProgress).ok()?;
                Some(Analysis::Clusters(ClusterData { logical: data, clusters: Arc::new(clusters) }))
            }
        }
    }

    /// Phases and steps if they are there already, whether or not the metric is.
    pub fn steps<'a>(&self, store: &Store, known: impl IntoIterator<Item = (&'a Need, &'a Analysis)>) -> Option<Steps> {
        let options = &self.logical()?.options;
        self.akin(known).or_else(|| Logical::find(store, options).ok().flatten().map(Steps::from))
    }

    /// The result, computed unless it is there already.
    pub fn open<'a>(
        &self,
        store: &Store,
        known: impl IntoIterator<Item = (&'a Need, &'a Analysis)>,
        progress: &dyn Progress,
    ) -> Result<Analysis, StoreError> {
        progress.check()?;
        let data = |need: &LogicalNeed| -> Result<LogicalData, StoreError> {
            let steps = match self.akin(known) {
                Some(open) => open,
                None => Steps::from(Logical::open(store, &need.options, progress)?),
            };
            let values = Arc::new(MetricValues::open(store, &steps.logical, need.metric, progress)?);
            Ok(LogicalData::new(steps, values))
        };
        match self {
            Need::Logical(need) => data(need).map(Analysis::Logical),
            Need::Network(need) => {
                Ok(Analysis::Network(need.open(store).map_err(|error| StoreError::Trace(error.to_string()))?))
            }
            Need::Progress(options) => {
                let progression = match WorkKind::of(store, options) {
                    Ok(WorkKind::Steps) => Progression::open_with(store, options, progress, || {
                        let logical = Logical::open(store, &LogicalOptions::default(), progress)?;
                        Ok(StepRuns::new(store, logical))
                    }),
                    _ => Progression::open(store, options, progress),
                }?;
                Ok(Analysis::Progress(Arc::new(progression), Arc::new(Overview::open(store, progress)?)))
            }
            Need::Diagnosis => {
                let diagnosed = Diagnosed::from(Diagnosis::open(store, progress)?);
                diagnosed.prepare(store);
                Ok(Analysis::Diagnosis(Arc::new(diagnosed)))
            }
            Need::Profile => Ok(Analysis::Profile(Arc::new(CallProfile::open(store, progress)?))),
            Need::Messages => Ok(Analysis::Messages(Arc::new(Messages::open(store, progress)?))),
            Need::Values => Ok(Analysis::Values(Arc::new(CounterValues::open(store, progress)?))),
            Need::Kinds => Ok(Analysis::Kinds(Arc::new(CallKinds::open(store, progress)?))),
            Need::ByRank => Ok(Analysis::ByRank(Arc::new(CallsByRank::open(store, progress)?))),
            Need::Chosen(Some(choice)) => Ok(Analysis::Chosen(Arc::new(ChosenCalls::open(store, choice, progress)?))),
            Need::Chosen(None) => Err(StoreError::Trace("no ranks are chosen".to_owned())),
            Need::Clusters(need, options) => {
                let data = data(need)?;
                let scope = options.scope.scope(&data.logical, &data.values);
                let clusters = Clusters::open(&data.logical, &data.values, &scope, options, progress)?;
                let clusters = Clustered::of(store, &data.logical, clusters, progress)?;
                Ok(Analysis::Clusters(ClusterData { logical: data, clusters: Arc::new(clusters) }))
            }
        }
    }

    /// Phases and steps of an open result of the same options.
    fn akin<'a>(&self, known: impl IntoIterator<Item = (&'a Need, &'a Analysis)>) -> Option<Steps> {
        let mut akin = known.into_iter().filter(|(other, _)| self.is_akin(other));
        akin.find_map(|(_, analysis)| analysis.logical().map(|data| data.steps.clone()))
    }
}

impl Analysis {
    /// The logical time that it is, or is of.
    pub fn logical(&self) -> Option<&LogicalData> {
        match self {
            Analysis::Logical(data) => Some(data),
            Analysis::Clusters(data) => Some(&data.logical),
            Analysis::Network(_)
            | Analysis::Progress(..)
            | Analysis::Diagnosis(_)
            | Analysis::Profile(_)
            | Analysis::Messages(_)
            | Analysis::Values(_)
            | Analysis::Kinds(_)
            | Analysis::ByRank(_)
            | Analysis::Chosen(_) => None,
        }
    }

    /// Why it holds nothing to show, if that is so.
    pub fn nothing(&self) -> Option<String> {
        let logical = &self.logical()?.logical;
        if !logical.events.is_empty() {
            return None;
        }
        let why = logical.hints().join(" ");
        Some(if why.is_empty() {
            "No call of a rank sends, receives or takes part in a collective.".to_owned()
        } else {
            why
        })
    }

    /// What the page has to know of it.
    pub fn about(&self, store: &Store) -> impl Serialize + use<> {
        About::of(self, store)
    }
}
