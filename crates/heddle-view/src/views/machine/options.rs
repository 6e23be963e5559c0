//! Options of all views of a machine.

use heddle_options::{ValueRange, Words, options};

options! {
    /// What is shown of the traffic on a machine.
    pub struct MachineOptions {
        /// What a cable shows of its two directions: their mean, their sum, or one of them (plus is up in a tree)
        "direction" direction: CableValue = CableValue::Mean,
        /// Loads at the ends of the colour scale: below the first a link is not drawn, above the second it looks like that
        "loads" loads: Option<ValueRange> = None,
        /// What nodes are coloured by: nothing, their traffic, rank, communicator, sub-domain (block of ranks that were given neighbouring numbers), cluster, or counter:NAME of a measurement
        "nodes" ("Nodes by") nodes: String = "plain".to_owned(),
        /// Count only what the selected ranks send
        "only-selected" ("Only what is selected sends") only_selected: bool = false,
    }
}

/// What a cable shows of its two directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CableValue {
    /// Their mean.
    Mean,
    /// Their sum.
    Sum,
    /// Towards larger coordinates; up in a tree.
    Plus,
    /// Towards smaller ones; down in a tree.
    Minus,
}

impl Words for CableValue {
    const WORDS: &'static [(&'static str, CableValue)] = &[
        ("mean", CableValue::Mean),
        ("sum", CableValue::Sum),
        ("plus", CableValue::Plus),
        ("minus", CableValue::Minus),
    ];
}

impl CableValue {
    /// The value of a cable; what is not known does not count.
    pub(crate) fn of(self, plus: f64, minus: f64) -> f64 {
        match self {
            CableValue::Plus => plus,
            CableValue::Minus => minus,
            _ if plus.is_nan() => minus,
            _ if minus.is_nan() => plus,
            CableValue::Mean => f64::midpoint(plus, minus),
            CableValue::Sum => plus + minus,
        }
    }

    /// What stands behind the unit.
    pub(crate) fn words(self, is_torus: bool) -> &'static str {
        match self {
            CableValue::Mean => "each way",
            CableValue::Sum => "both ways",
            CableValue::Plus if is_torus => "towards +",
            CableValue::Minus if is_torus => "towards −",
            CableValue::Plus => "up",
            CableValue::Minus => "down",
        }
    }
}
