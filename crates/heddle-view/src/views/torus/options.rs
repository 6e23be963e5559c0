//! Options of the views of a torus.

use heddle_options::{Words, options};

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
        /// The node that is moved to the corner where all coordinates are 0, for instance 4,4,4: a torus has no centre of its own
        "roll" roll: String = String::new(),
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
