//! A machine with the ranks of a trace on it, and its traffic: what pictures, tables and words ask.

use std::sync::{Arc, Mutex, PoisonError};

use heddle_model::{CommId, Ns, SpanRow};
use heddle_options::{Given, OptionError};
use heddle_store::Store;
use heddle_topology::mapping::Placement;
use heddle_topology::routing::{Routing, RoutingKind, UnfitRouting, routing};
use heddle_topology::{Link, Shape};

use crate::machine::{Machine, MachineError};
use crate::makers::{Makers, Ways, makers};
use crate::motion::{Listed, Motion};
use crate::options::{NetworkOptions, TrafficChoice};
use crate::pattern::Pattern;
use crate::predict::{Filter, Sends, predict};
use crate::traffic::{Origin, Traffic, Unit};
use crate::utilisation::{Offered, Utilisation};
use crate::{measured, simgrid};

/// Traffic that is kept: windows that people go back and forth between.
const MOST_KEPT: usize = 16;
/// Windows whose motion is kept: each may be tens of megabytes.
const MOST_MOTIONS: usize = 2;

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
    routing_kind: RoutingKind,
    routing: Arc<dyn Routing>,
    /// What ranks send each other: the same for all machines and mappings.
    sends: Arc<Recent<Arc<Sends>>>,
    traffic: Recent<Arc<Traffic>>,
    motion: Recent<Arc<Motion>>,
    /// The same with other mappings, to compare with.
    beside: Mutex<Vec<(String, Arc<Network>)>>,
}

/// The last few results, by the part that they are of.
#[derive(Debug)]
struct Recent<T> {
    kept: Mutex<Vec<(Part, T)>>,
    most: usize,
}

impl<T: Clone> Recent<T> {
    fn new(most: usize) -> Recent<T> {
        Recent { kept: Mutex::new(Vec::new()), most }
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
        if kept.len() > self.most {
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
    /// A routing that the machine cannot have.
    #[error("routing: {0}")]
    Routing(#[from] UnfitRouting),
    /// An option has a value that it cannot have.
    #[error("{0}")]
    Option(#[from] OptionError),
}

impl Network {
    /// The machine that options say, with the ranks of a trace on it.
    pub fn open(store: &Store, given: &Given) -> Result<Network, NetworkError> {
        Network::with_sends(store, given, Arc::new(Recent::new(MOST_KEPT)))
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
                pattern.check(machine.placement.ranks(), &machine.shape).map_err(wrong)?;
                Some(pattern)
            }
        };
        let routing_kind = options.routing.kind(&machine.shape);
        let routing = routing(routing_kind, &machine.shape)?;
        let given = given.clone();
        let (traffic, motion, beside) = (Recent::new(MOST_KEPT), Recent::new(MOST_MOTIONS), Mutex::default());
        Ok(Network { machine, options, given, pattern, routing_kind, routing, sends, traffic, motion, beside })
    }

    /// What decided it.
    pub fn options(&self) -> &NetworkOptions {
        &self.options
    }

    /// How routes are chosen.
    pub fn routing_kind(&self) -> RoutingKind {
        self.routing_kind
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
        self.traffic.get(part, || {
            let mut traffic = self.find_traffic(store, part, tests);
            traffic.notes.extend(self.machine.notes.iter().cloned());
            Arc::new(traffic)
        })
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
        Some(makers(store, &filter(part, tests), self.options.collectives, &sends, self.ways(), link))
    }

    /// How much of what they could carry links and switches did carry, of loads that come from [`Network::traffic`] of a part.
    pub fn utilisation(&self, store: &Store, part: &Part, traffic: &Traffic, loads: &[f64]) -> Utilisation {
        let is_timed = self.pattern.is_none() && traffic.origin != Origin::Measured;
        let run = (Ns(0), Ns(store.summary().end_ns));
        let (from, to) = (part.time.0.max(run.0), part.time.1.min(run.1));
        let seconds = (is_timed && from < to).then(|| to.since(from) as f64 / 1e9);
        // Packets have no bandwidth.
        let offered = match traffic.unit {
            Unit::Bytes => Offered { seconds, bandwidth: self.options.link_bandwidth.bytes_per_second() },
            Unit::Counter(_) => Offered::default(),
        };
        Utilisation::of(&**self.machine.shape, loads, offered)
    }

    /// What goes on in a window of time: the messages of a part, whenever they were sent.
    pub fn motion(&self, store: &Store, part: &Part, tests: Tests<'_>) -> Arc<Motion> {
        self.motion.get(part, || {
            let bandwidth = self.options.link_bandwidth.bytes_per_second();
            let (shape, filter) = (&**self.machine.shape, self.moving_filter(part, tests));
            Arc::new(Motion::of(store, shape, self.ways(), &filter, part.time, bandwidth))
        })
    }

    /// The messages that are in flight from a moment on, at most so many, or as many as are in flight at that moment.
    pub fn moving(&self, store: &Store, part: &Part, tests: Tests<'_>, from: Ns, most: usize) -> Listed {
        let motion = self.motion(store, part, tests);
        let filter = self.moving_filter(part, tests);
        motion.listed(store, &**self.machine.shape, self.ways(), &filter, (from, part.time.1), most)
    }

    /// What moves: the messages of a part; of a pattern, which has no times, nothing.
    fn moving_filter<'a>(&self, part: &Part, tests: Tests<'a>) -> Filter<'a> {
        let rank = if self.pattern.is_some() { Some(&NOBODY as &(dyn Fn(u32) -> bool + Sync)) } else { tests.rank };
        filter(part, Tests { rank, ..tests })
    }

    fn ways(&self) -> Ways<'_> {
        Ways { placement: &self.machine.placement, routing: self.routing() }
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
            let sends = self.sends(store, part, tests);
            let mut traffic = predict(&sends, &***shape, placement, self.routing());
            traffic.notes.extend(stranded(&sends, shape, placement));
            traffic.notes.extend(missing.map(str::to_owned));
            traffic
        })
    }
}

static NOBODY: fn(u32) -> bool = |_| false;

/// What to say of messages between parts of a machine that no cable joins: they load no link.
fn stranded(sends: &Sends, shape: &Shape, placement: &Placement) -> Option<String> {
    let part = |rank: u32| (rank < placement.ranks()).then(|| shape.part(placement.node(rank)));
    let lost = sends.flows().iter().filter(|flow| part(flow.from) != part(flow.to));
    let (pairs, bytes) = lost.fold((0_u64, 0.0), |(pairs, bytes), flow| (pairs + 1, bytes + flow.bytes));
    (pairs > 0).then(|| {
        let all: f64 = sends.flows().iter().map(|flow| flow.bytes).sum();
        format!(
            "{bytes} bytes, {:.1} % of all, cannot get there: {pairs} pairs of ranks sit on parts of the machine that no cable joins.",
            100.0 * bytes / all.max(1.0)
        )
    })
}

fn filter<'a>(part: &Part, tests: Tests<'a>) -> Filter<'a> {
    Filter { time: part.time, communicator: part.communicator, rank: tests.rank, call: tests.call }
}
