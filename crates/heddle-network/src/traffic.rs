//! Traffic: what each link of a machine carried, section by section, and how that is known.

use heddle_topology::Topology;

/// How traffic is known. Never mixed, and said wherever it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Counted by the machine.
    Measured,
    /// What the messages of a trace, or a pattern, would put on the links by a model of routing.
    Predicted,
    /// What a network simulator wrote down.
    Simulated,
}

impl Origin {
    /// The word for it, in tables and options.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Measured => "measured",
            Origin::Predicted => "predicted",
            Origin::Simulated => "simulated",
        }
    }
}

/// What is counted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Anything else, by the name of its counter: packets. Hostile text.
    Counter(String),
}

/// A part of the traffic that can be looked at on its own: a code region of a measurement, or what one function sends.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Its name. Hostile text.
    pub name: String,
    /// How many messages and collectives it is of; 0 if that is not known.
    pub operations: u64,
    /// Bytes that ranks sent, to other nodes or not; packets of a measurement.
    pub sent: f64,
    /// What each link carried; not a number where nobody knows.
    pub loads: Vec<f64>,
}

/// What each link of a machine carried.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// How that is known.
    pub origin: Origin,
    /// What is counted.
    pub unit: Unit,
    /// Sections, in an order that stays.
    pub sections: Vec<Section>,
    /// What was left out or assumed, in sentences.
    pub notes: Vec<String>,
}

impl Traffic {
    /// What each link carried in those sections that are wanted. A link that no section knows stays unknown.
    pub fn loads(&self, topology: &dyn Topology, wanted: impl Fn(usize) -> bool) -> Vec<f64> {
        let mut wanted = self.sections.iter().enumerate().filter(|(at, _)| wanted(*at)).map(|(_, section)| section);
        let Some(first) = wanted.next() else { return vec![0.0; topology.links() as usize] };
        let mut sum = first.loads.clone();
        for section in wanted {
            for (sum, load) in sum.iter_mut().zip(&section.loads) {
                *sum = if sum.is_nan() { *load } else { *sum + if load.is_nan() { 0.0 } else { *load } };
            }
        }
        sum
    }
}
