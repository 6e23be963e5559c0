//! A machine with the ranks of a trace on it, and its traffic: what pictures, tables and words ask.

use std::sync::{Arc, Mutex, PoisonError};

use heddle_model::{CommId, Ns, SpanRow};
use heddle_options::{Given, OptionError};
use heddle_store::Store;
use heddle_topology::Link;
use heddle_topology::routing::{Routing, routing};

use crate::machine::{Machine, MachineError};
use crate::makers::{Makers, Ways, makers};
use crate::options::{NetworkOptions, TrafficChoice};
use crate::pattern::Pattern;
use crate::predict::{Filter, Sends, predict};
use crate::traffic::{Origin, Traffic};
use crate::{measured, simgrid};

/// Traffic that is kept: windows that people go back and forth between.
const MOST_KEPT: usize = 16;

/// Which part of a trace traffic is of.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// From and to.
    pub time: (Ns, Ns),
    /// Only one communicator.
    pub communicator: Option<CommId>,
    /// Only calls of a phase of logical time: its number, and the options that it is a phase of, as a key.
    pub phase: Option<(u32, String)>,
    /// Only what these ranks send, as text: a key, whoever they are.
    pub ranks: Option<String>,
}

impl Part {
    /// Everything in a window of time.
    pub fn of_time(time: (Ns, Ns)) -> Part {
        Part { time, communicator: None, phase: None, ranks: None }
    }
}

/// How to find out what belongs to a part: what its numbers mean is known above.
#[derive(Clone, Copy, Default)]
pub struct Tests<'a> {
    /// Whether a call belongs to the phase.
    pub call: Option<&'a (dyn Fn(SpanRow) -> bool + Sync)>,
    /// Whether a rank is one of the part's.
    pub rank: Option<&'a (dyn Fn(u32) -> bool + Sync)>,
}

/// A machine with the ranks of a trace on it.
pub struct Network {
    /// The machine and where ranks sit.
    pub machine: Machine,
    options: NetworkOptions,
    given: Given,
    pattern: Option<Pattern>,
    routing: Arc<dyn Routing>,
    /// What ranks send each other: the same for all machines and mappings.
    sends: Arc<Recent<Arc<Sends>>>,
    traffic: Recent<Arc<Traffic>>,
    /// The same with other mappings, to compare with.
    beside: Mutex<Vec<(String, Arc<Network>)>>,
}

/// The last few results, by the part that they are of.
#[derive(Debug)]
struct Recent<T> {
    kept: Mutex<Vec<(Part, T)>>,
}

impl<T: Clone> Recent<T> {
    fn new() -> Recent<T> {
        Recent { kept: Mutex::new(Vec::new()) }
    }

    fn get(&self, part: &Part, make: impl FnOnce() -> T) -> T {
        let found = {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.iter().find(|(known, _)| known == part).map(|(_, result)| result.clone())
        };
        if let Some(found) = found {
            return found;
        }
        // Not under the lock: other windows need not wait.
        let made = make();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push((part.clone(), made.clone()));
        if kept.len() > MOST_KEPT {
            kept.remove(0);
        }
        made
    }
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Network")
            .field("machine", &self.machine)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// Why there is no traffic to show.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The machine or the mapping is wrong.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// An option has a value that it cannot have.
    #[error("{0}")]
    Option(#[from] OptionError),
}

impl Network {
    /// The machine that options say, with the ranks of a trace on it.
    pub fn open(store: &Store, given: &Given) -> Result<Network, NetworkError> {
        Network::with_sends(store, given, Arc::new(Recent::new()))
    }

    /// The same trace on the same machine with another mapping, by its name: what ranks send is not read again. The empty name
    /// is where ranks sit by default.
    pub fn with_mapping(&self, store: &Store, mapping: &str) -> Result<Arc<Network>, NetworkError> {
        let kept = |known: &Mutex<Vec<(String, Arc<Network>)>>| {
            let known = known.lock().unwrap_or_else(PoisonError::into_inner);
            known.iter().find(|(name, _)| name == mapping).map(|(_, network)| Arc::clone(network))
        };
        if let Some(network) = kept(&self.beside) {
            return Ok(network);
        }
        let given = self.given.clone().with("mapping", mapping);
        let made = Arc::new(Network::with_sends(store, &given, Arc::clone(&self.sends))?);
        let mut beside = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
        beside.push((mapping.to_owned(), Arc::clone(&made)));
        if beside.len() > MOST_KEPT {
            beside.remove(0);
        }
        Ok(made)
    }

    fn with_sends(store: &Store, given: &Given, sends: Arc<Recent<Arc<Sends>>>) -> Result<Network, NetworkError> {
        let options: NetworkOptions = given.read()?;
        let machine = Machine::of(store, &options, given)?;
        let pattern = match options.pattern.trim() {
            "" => None,
            name => {
                let wrong = |why: crate::PatternError| OptionError { name: "pattern".to_owned(), why: why.to_string() };
                let pattern: Pattern = name.parse().map_err(wrong)?;
                pattern.check(machine.placement.ranks()).map_err(wrong)?;
                Some(pattern)
            }
        };
        let routing = routing(options.routing.0, &machine.shape);
        let given = given.clone();
        let (traffic, beside) = (Recent::new(), Mutex::default());
        Ok(Network { machine, options, given, pattern, routing, sends, traffic, beside })
    }

    /// What decided it.
    pub fn options(&self) -> &NetworkOptions {
        &self.options
    }

    /// The routes that messages take.
    pub fn routing(&self) -> &dyn Routing {
        &*self.routing
    }

    /// Which kinds of traffic the trace has; the first is shown unless another is asked for.
    pub fn origins(&self, store: &Store) -> Vec<Origin> {
        let measured = store.network().is_some().then_some(Origin::Measured);
        let simulated = simgrid::shape_of_links(store).is_some().then_some(Origin::Simulated);
        let has_sends = !store.messages.is_empty() || !store.collectives.is_empty();
        measured.into_iter().chain(simulated).chain(has_sends.then_some(Origin::Predicted)).collect()
    }

    /// What ranks send each other in a part of the trace.
    pub fn sends(&self, store: &Store, part: &Part, tests: Tests<'_>) -> Arc<Sends> {
        self.sends.get(part, || Arc::new(Sends::read(store, &filter(part, tests), self.options.collectives)))
    }

    /// What each link carried in a part of the trace, by the kind of traffic that was asked for. Measurements have no times:
    /// they are of the whole run.
    pub fn traffic(&self, store: &Store, part: &Part, tests: Tests<'_>) -> Arc<Traffic> {
        self.traffic.get(part, || Arc::new(self.find_traffic(store, part, tests)))
    }

    /// The kind of traffic that is shown.
    pub fn origin(&self, store: &Store) -> Origin {
        match self.options.traffic {
            TrafficChoice::This(origin) => origin,
            TrafficChoice::Best => self.origins(store).first().copied().unwrap_or(Origin::Predicted),
        }
    }

    /// Who loads a link in a part of the trace: known of predicted traffic alone.
    pub fn makers(&self, store: &Store, part: &Part, tests: Tests<'_>, link: Link) -> Option<Makers> {
        if self.pattern.is_some() || self.origin(store) != Origin::Predicted {
            return None;
        }
        let sends = self.sends(store, part, tests);
        let ways = Ways { placement: &self.machine.placement, routing: self.routing() };
        Some(makers(store, &filter(part, tests), self.options.collectives, &sends, ways, link))
    }

    fn find_traffic(&self, store: &Store, part: &Part, tests: Tests<'_>) -> Traffic {
        let (shape, placement) = (&self.machine.shape, &self.machine.placement);
        if let Some(pattern) = self.pattern {
            return pattern.traffic(shape, placement, self.routing());
        }
        let origin = self.origin(store);
        let given = match origin {
            Origin::Measured => measured::traffic(store, shape, &self.options.counter),
            Origin::Simulated => simgrid::traffic(store, shape, part.time),
            Origin::Predicted => None,
        };
        given.unwrap_or_else(|| {
            let missing = match origin {
                Origin::Predicted => None,
                Origin::Measured => Some("There are no measured loads of these links: predicted ones are shown."),
                Origin::Simulated => Some("There are no simulated loads of these links: predicted ones are shown."),
            };
            let mut traffic = predict(&self.sends(store, part, tests), &***shape, placement, self.routing());
            traffic.notes.extend(missing.map(str::to_owned));
            traffic
        })
    }
}

fn filter<'a>(part: &Part, tests: Tests<'a>) -> Filter<'a> {
    Filter { time: part.time, communicator: part.communicator, rank: tests.rank, call: tests.call }
}
