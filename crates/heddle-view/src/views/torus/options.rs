//! Options of the views of a torus.

use heddle_options::{ValueRange, Words, options};

options! {
    /// What is shown of a torus, and from where.
    pub struct TorusOptions {
        /// The dimension that one looks along, by name; by default the last of three
        "along" ("Look along") along: String = String::new(),
        /// The dimensions across and down, by name, for instance a,c; by default those that follow from the first
        "plane" plane: String = String::new(),
        /// Where to cut the other dimensions of more than three, for instance d=1,e=0; by default at 0
        "slice" slice: String = String::new(),
        /// Which links of the plane are drawn: rings about the centre, or all that are horizontal, all that are vertical, or none
        "links" links: LinksShown = LinksShown::Concentric,
        /// Draw links along the dimension that one looks along
        "diagonals" diagonals: bool = true,
        /// Draw links that wrap around as stubs
        "stubs" ("Wrap stubs") stubs: bool = true,
        /// What a cable shows of its two directions: their mean, their sum, or one of them
        "direction" direction: CableValue = CableValue::Mean,
        /// Loads at the ends of the colour scale: below the first a link is not drawn, above the second it looks like that
        "loads" loads: Option<ValueRange> = None,
        /// What nodes are coloured by: nothing, their traffic, rank, communicator, sub-domain (block of ranks that were given neighbouring numbers), cluster, or counter:NAME of a measurement
        "nodes" ("Nodes by") nodes: String = "plain".to_owned(),
        /// The node that is moved to the corner where all coordinates are 0, for instance 4,4,4: a torus has no centre of its own
        "roll" roll: String = String::new(),
        /// Count only what the selected ranks send
        "only-selected" ("Only what is selected sends") only_selected: bool = false,
    }
}

/// Which links of the plane are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinksShown {
    /// Those of concentric rings: half of each direction, and none crosses another.
    Concentric,
    /// All across.
    Horizontal,
    /// All down.
    Vertical,
    /// None.
    None,
}

impl Words for LinksShown {
    const WORDS: &'static [(&'static str, LinksShown)] = &[
        ("concentric", LinksShown::Concentric),
        ("horizontal", LinksShown::Horizontal),
        ("vertical", LinksShown::Vertical),
        ("none", LinksShown::None),
    ];
}

/// What a cable shows of its two directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CableValue {
    /// Their mean.
    Mean,
    /// Their sum.
    Sum,
    /// Towards larger coordinates.
    Plus,
    /// Towards smaller ones.
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
    pub(crate) fn words(self) -> &'static str {
        match self {
            CableValue::Mean => "each way",
            CableValue::Sum => "both ways",
            CableValue::Plus => "towards +",
            CableValue::Minus => "towards −",
        }
    }
}
