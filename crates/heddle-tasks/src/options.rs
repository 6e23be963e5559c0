//! What decides progression and groups.

use heddle_options::{Count, Kind, OptionValue, Share, Words, Written, options};

/// What a task of a type weighs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Weights {
    /// All tasks weigh the same.
    None,
    /// As much as the time that all workers of the node whose kind can run the type would need for one.
    #[default]
    Type,
    /// The same with only those workers that ran one, each with its own mean: what StarVZ computes.
    Worker,
}

impl Words for Weights {
    const WORDS: &'static [(&'static str, Weights)] =
        &[("none", Weights::None), ("type", Weights::Type), ("worker", Weights::Worker)];
}

/// What counts of a task that is running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InFlight {
    /// Nothing until it has ended.
    #[default]
    Step,
    /// The share of its time that has gone by.
    Fraction,
}

impl Words for InFlight {
    const WORDS: &'static [(&'static str, InFlight)] = &[("step", InFlight::Step), ("fraction", InFlight::Fraction)];
}

/// Which workers the lower bounds count on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BoundWorkers {
    /// All of them.
    #[default]
    Declared,
    /// Those that ran a task.
    Observed,
}

impl Words for BoundWorkers {
    const WORDS: &'static [(&'static str, BoundWorkers)] =
        &[("declared", BoundWorkers::Declared), ("observed", BoundWorkers::Observed)];
}

/// The bandwidth of a density: how far apart, in shares of the work, two nodes are that still count as equally far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bandwidth(pub f64);

impl Bandwidth {
    const LEAST: f64 = 0.0005;
}

impl OptionValue for Bandwidth {
    fn kind() -> Kind {
        Kind::Number { is_whole: false, least: Bandwidth::LEAST, most: 1.0 }
    }

    fn read(text: &str, _written: Written) -> Result<Bandwidth, String> {
        let bandwidth = text.parse().ok().filter(|bandwidth| (Bandwidth::LEAST..=1.0).contains(bandwidth));
        bandwidth.map(Bandwidth).ok_or_else(|| format!("must be a number from {} to 1", Bandwidth::LEAST))
    }

    fn write(&self) -> String {
        self.0.to_string()
    }
}

options! {
    /// What decides the progression of nodes. The same options give the same result.
    #[derive(Eq, Hash)]
    pub struct ProgressOptions {
        /// What counts as work: tasks, iterations, steps (of logical time), or the calls of a function of this name; by default the tasks, and of programs without any the steps
        "work" ("Work") work: Option<String> = None,
        /// What a task weighs: none (all the same), type (the time that all capable workers of its node would need for one), or worker (the same with the workers that ran one, as StarVZ has it)
        "weights" ("Weights") weights: Weights = Weights::Type,
        /// What counts of a task that is running: step (nothing until it ends) or fraction (the share of its time that has gone by)
        "in-flight" ("Running tasks") in_flight: InFlight = InFlight::Step,
        /// Which workers the lower bounds count on: declared (all) or observed (those that ran a task)
        "bound-workers" ("Workers of the bound") bound_workers: BoundWorkers = BoundWorkers::Declared,
        /// Number of time steps, from the first task's start to the last one's end
        "time-steps" ("Steps") time_steps: Count<1, 1000> = Count(20),
    }
}

options! {
    /// What decides which nodes are a group.
    pub struct GroupOptions {
        /// Bandwidth of the density by which nodes are grouped, as a share of the work: larger ones make fewer groups
        "bandwidth" ("Bandwidth") bandwidth: Bandwidth = Bandwidth(0.01),
        /// Least depth of a valley between two groups, as a share of the lower peak beside it
        "min-depth" ("Least depth") min_depth: Share = Share(0.02),
    }
}
