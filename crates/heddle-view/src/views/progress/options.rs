//! How the progression of nodes is drawn.

use heddle_options::{Kind, OptionValue, Words, Written, options};

/// An instant of the progression by number, or the one that tells most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instant(pub Option<u32>);

impl OptionValue for Instant {
    fn kind() -> Kind {
        Kind::Id
    }

    fn read(text: &str, _written: Written) -> Result<Instant, String> {
        if text.is_empty() {
            return Ok(Instant(None));
        }
        let number = text.parse().ok().filter(|number| *number <= 1000);
        number.map(|number| Instant(Some(number))).ok_or_else(|| "must be a whole number from 0 to 1000".to_owned())
    }

    fn write(&self) -> String {
        self.0.map_or_else(String::new, |number| number.to_string())
    }
}

/// What the colours of groups mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupColour {
    /// The groups of the shown step: a node has one colour at all times.
    #[default]
    Shown,
    /// How far a group is among those of its step, from the slowest: as in the paper.
    Speed,
    /// A group keeps its colour as long as most of its nodes stay together.
    Kept,
}

impl Words for GroupColour {
    const WORDS: &'static [(&'static str, GroupColour)] =
        &[("shown", GroupColour::Shown), ("speed", GroupColour::Speed), ("kept", GroupColour::Kept)];
}

/// What the rows of the Gantt chart are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GanttRows {
    /// Workers of a node of one kind are one row.
    #[default]
    Kinds,
    /// Each worker is a row.
    Workers,
}

impl Words for GanttRows {
    const WORDS: &'static [(&'static str, GanttRows)] = &[("kinds", GanttRows::Kinds), ("workers", GanttRows::Workers)];
}

/// In which order nodes stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeOrder {
    /// By number.
    #[default]
    Number,
    /// By the groups of the shown step, the slowest first.
    Group,
}

impl Words for NodeOrder {
    const WORDS: &'static [(&'static str, NodeOrder)] = &[("number", NodeOrder::Number), ("group", NodeOrder::Group)];
}

options! {
    /// How the progression of nodes is drawn.
    pub struct ProgressionOptions {
        /// Number of the step at whose end groups are shown, from 0; by default the one where groups are farthest apart
        "shown-step" ("Shown step") instant: Instant = Instant(None),
        /// What colours of groups mean: shown (the groups of the shown step), speed (from the slowest, as in the paper) or kept (a group keeps its colour while its nodes stay together)
        "group-colour" ("Colour") group_colour: GroupColour = GroupColour::Shown,
        /// Name the nodes on minority paths
        "labels" ("Labels") labels: bool = true,
    }
}

options! {
    /// How the work of nodes is drawn.
    pub struct GanttOptions {
        /// What rows are: kinds (workers of a node of one kind together) or workers (each by itself)
        "lanes" ("Rows") rows: GanttRows = GanttRows::Kinds,
        /// In which order nodes stand: number, or group (those of the shown step, the slowest first)
        "node-order" ("Order") order: NodeOrder = NodeOrder::Number,
        /// Mark tasks that took unusually long: more than 1.5 interquartile ranges above the upper quartile of their type and kind of worker
        "outliers" ("Outliers") outliers: bool = true,
    }
}

options! {
    /// How densities are drawn.
    pub struct DensityOptions {
        /// Show the densities of so many steps, from the first on, instead of that of the shown step; 0 for the latter
        "densities" ("Densities") densities: heddle_options::Count<0, 100> = heddle_options::Count(0),
    }
}
