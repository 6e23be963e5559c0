//! Metrics by name: on the command line, in addresses, and for people.

use heddle_model::MetricId;
use heddle_store::Store;

use super::Metric;

/// Before the name of a counter.
const COUNTER: &str = "counter:";

/// There is no metric of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no such metric; choose one of {words}, or counter:NAME for a counter of the trace",
    words = Metric::WORDS.map(|(word, _)| word).join(", ")
)]
pub struct UnknownMetric;

impl Metric {
    /// All but counters, by their names on the command line and in addresses.
    pub const WORDS: [(&str, Metric); 7] = [
        ("lateness", Metric::Lateness),
        ("phase-lateness", Metric::PhaseLateness),
        ("differential", Metric::Differential),
        ("phase-differential", Metric::PhaseDifferential),
        ("duration", Metric::Duration),
        ("enter", Metric::Enter),
        ("exit", Metric::Exit),
    ];

    /// The metric of a name.
    pub fn find(store: &Store, name: &str) -> Result<Metric, UnknownMetric> {
        if let Some(counter) = name.strip_prefix(COUNTER) {
            let found = (0..store.metrics.len()).find(|row| store.metrics.name.get(*row) == counter);
            return found.map(|row| Metric::Counter(MetricId(row as u32))).ok_or(UnknownMetric);
        }
        Metric::WORDS.into_iter().find(|(word, _)| *word == name).map(|(_, metric)| metric).ok_or(UnknownMetric)
    }

    /// All metrics that a trace has.
    pub fn all(store: &Store) -> Vec<Metric> {
        let counters = (0..store.metrics.len()).map(|row| Metric::Counter(MetricId(row as u32)));
        Metric::WORDS.into_iter().map(|(_, metric)| metric).chain(counters).collect()
    }

    /// Its name on the command line and in addresses. Names of counters are hostile text.
    pub fn name(self, store: &Store) -> String {
        match self {
            Metric::Counter(counter) => format!("{COUNTER}{}", store.metrics.name.get(u64::from(counter.0))),
            other => Metric::WORDS
                .into_iter()
                .find(|(_, metric)| *metric == other)
                .map_or_else(String::new, |(word, _)| word.to_owned()),
        }
    }

    /// What people call it. Names of counters are hostile text.
    pub fn title(self, store: &Store) -> String {
        let title = match self {
            Metric::Lateness => "Lateness",
            Metric::PhaseLateness => "Phase lateness",
            Metric::Differential => "Differential lateness",
            Metric::PhaseDifferential => "Differential phase lateness",
            Metric::Duration => "Duration beyond the shortest",
            Metric::Enter => "Time of entering",
            Metric::Exit => "Time of leaving",
            Metric::Counter(counter) => store.metrics.name.get(u64::from(counter.0)),
        };
        title.to_owned()
    }

    /// The unit of its values: nanoseconds unless it is a counter.
    pub fn unit(self, store: &Store) -> String {
        match self {
            Metric::Counter(counter) => store.metrics.unit.get(u64::from(counter.0)).to_owned(),
            _ => "ns".to_owned(),
        }
    }

    /// Whether its values are times.
    pub fn is_time(self) -> bool {
        !matches!(self, Metric::Counter(_))
    }
}
