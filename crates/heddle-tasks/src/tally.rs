//! One pass over all runs: what the metric and the bounds need of them, and nothing else.
//!
//! Nodes are independent of each other but for sums over the machine, so they are visited side by side, and of each only its
//! line is kept: the memory does not grow with the number of runs. Counts and durations are whole numbers; the few sums that
//! are not are added up in the order of the nodes, so that the number of threads changes no bit.

use heddle_model::{TaskId, TaskInfo};
use heddle_store::{Progress, StoreError};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::area::area_bound;
use crate::durations::Durations;
use crate::metric::{Counts, Line, rates, weights};
use crate::work::{Crew, Run, Runs, Worker};
use crate::{BoundWorkers, InFlight, ProgressOptions, WorkKind, stages};

/// How often a type of work ran on workers of a kind, and how long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypeOnKind {
    /// Number of runs.
    pub runs: u64,
    /// Sum of their durations in nanoseconds.
    pub total: i64,
}

impl TypeOnKind {
    /// The mean duration, where there was any run.
    pub fn mean(self) -> Option<f64> {
        (self.runs > 0).then(|| self.total as f64 / self.runs as f64)
    }

    fn add(&mut self, other: TypeOnKind) {
        self.runs += other.runs;
        self.total = self.total.saturating_add(other.total);
    }
}

/// What is kept of a node.
#[derive(Clone, Debug)]
pub(crate) struct NodeTally {
    /// Its progress at each instant; none if it had no work.
    pub(crate) line: Option<Vec<f64>>,
    /// How many pieces of work it did.
    pub(crate) tasks: u64,
    /// By kind: number of workers, and time that they worked.
    pub(crate) on_kind: Vec<(u64, i64)>,
    /// How long its workers need for its work at least.
    pub(crate) bound: f64,
}

/// Sums over the machine.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    /// What was done when.
    pub(crate) counts: Counts,
    /// By step, then type: how many pieces of work were done in it, each in proportion to its time in the step.
    pub(crate) in_step: Vec<f64>,
    /// How many there were, by type.
    pub(crate) tasks: Vec<u64>,
    /// By type, then kind.
    pub(crate) on_kind: Vec<TypeOnKind>,
    /// By type, then kind: how long runs took.
    pub(crate) durations: Vec<Durations>,
    /// By type: what all workers do per nanosecond, each at its own pace.
    pub(crate) rates: Vec<f64>,
    /// Workers by kind, and those that did anything.
    pub(crate) declared: Vec<u64>,
    pub(crate) observed: Vec<u64>,
    /// Runs that end before they begin.
    pub(crate) backward: u64,
    /// Pieces of work that several workers did together.
    pub(crate) shared: u64,
}

/// Sums over all runs.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    pub(crate) steps: Steps,
    pub(crate) nodes: Vec<NodeTally>,
    pub(crate) pool: Pool,
}

/// Chunks of nodes between two looks at whether to go on.
const WAVE: usize = 32;

/// Nodes that are visited one after another, at most.
const CHUNK: usize = 64;

impl Tally {
    /// Adds up all runs; `None` if there are none.
    pub(crate) fn of(
        runs: &impl Runs,
        work: &WorkKind,
        options: &ProgressOptions,
        watch: &dyn Progress,
    ) -> Result<Option<Tally>, StoreError> {
        let crew = runs.crew();
        let by_node = crew.by_node();
        // Both passes take about the same.
        watch.begin(stages::COUNTING, 2 * by_node.len() as u64);
        let Some(extent) = extent(runs, &by_node, watch)? else { return Ok(None) };
        let steps = Steps::new(extent, options.time_steps.0);
        let visitor = Visitor { runs, crew, work, options, steps: &steps };
        // How nodes are chunked depends on their number alone.
        let size = (by_node.len() / CHUNK).clamp(1, CHUNK);
        let chunks: Vec<&[&[Worker]]> = by_node.chunks(size).collect();
        let mut tally = Tally { nodes: Vec::with_capacity(by_node.len()), pool: visitor.pool(), steps: steps.clone() };
        for wave in chunks.chunks(WAVE) {
            watch.check()?;
            let visited: Vec<(Vec<NodeTally>, Pool)> =
                wave.par_iter().map(|nodes| visitor.visit(nodes, watch)).collect::<Result<_, StoreError>>()?;
            for (nodes, pool) in visited {
                tally.nodes.extend(nodes);
                tally.pool.add(&pool);
            }
        }
        Ok(Some(tally))
    }
}

/// The first start and the last end.
fn extent(runs: &impl Runs, by_node: &[&[Worker]], watch: &dyn Progress) -> Result<Option<(i64, i64)>, StoreError> {
    let none = || (i64::MAX, i64::MIN);
    let of_node = |workers: &&[Worker]| -> Result<(i64, i64), StoreError> {
        watch.check()?;
        let (mut first, mut last) = none();
        for worker in *workers {
            runs.visit(worker, |run| {
                first = first.min(run.start);
                last = last.max(run.end).max(run.start);
            });
        }
        watch.advance(1);
        Ok((first, last))
    };
    let both = |a: (i64, i64), b: (i64, i64)| Ok((a.0.min(b.0), a.1.max(b.1)));
    let extent = by_node.par_iter().map(of_node).try_reduce(none, both)?;
    Ok((extent.0 <= extent.1).then_some(extent))
}

/// Equal steps between the first start and the last end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    /// The instants, rounded down to nanoseconds: one more than there are steps. Something that ends on a whole nanosecond
    /// has ended at an instant just if it has at the instant rounded down.
    pub(crate) times: Vec<i64>,
}

impl Steps {
    pub(crate) fn new((start, end): (i64, i64), count: u32) -> Steps {
        let (length, count) = (i128::from(end) - i128::from(start), i128::from(count.max(1)));
        let time = |at: i128| i128::from(start) + at * length / count;
        Steps { times: (0..=count).map(|at| time(at) as i64).collect() }
    }

    pub(crate) fn count(&self) -> usize {
        self.times.len() - 1
    }

    fn start(&self) -> i64 {
        self.times[0]
    }

    fn length(&self) -> f64 {
        (i128::from(self.times[self.count()]) - i128::from(self.start())) as f64
    }

    /// Where a time lies, in steps.
    #[inline]
    fn place(&self, time: i64, per_time: f64) -> f64 {
        (time - self.start()) as f64 * per_time
    }

    /// Steps for a nanosecond.
    fn per_time(&self) -> f64 {
        if self.length() > 0.0 { self.count() as f64 / self.length() } else { 0.0 }
    }

    /// The first instant at or after a time that lies about at a place.
    #[inline]
    fn first_at(&self, time: i64, place: f64) -> usize {
        let last = self.count();
        let mut at = (place as usize).min(last);
        while at > 0 && self.times[at - 1] >= time {
            at -= 1;
        }
        while at < last && self.times[at] < time {
            at += 1;
        }
        at
    }
}

/// What visiting a node takes.
struct Visitor<'a, R> {
    runs: &'a R,
    crew: &'a Crew,
    work: &'a WorkKind,
    options: &'a ProgressOptions,
    steps: &'a Steps,
}

impl<R: Runs> Visitor<'_, R> {
    fn pool(&self) -> Pool {
        let (types, kinds) = (self.crew.types.len(), self.crew.kinds.len());
        Pool {
            counts: Counts::new(self.units(), self.steps.times.len()),
            in_step: vec![0.0; self.steps.count() * types],
            tasks: vec![0; types],
            on_kind: vec![TypeOnKind::default(); types * kinds],
            durations: vec![Durations::default(); types * kinds],
            rates: vec![0.0; types],
            declared: vec![0; kinds],
            observed: vec![0; kinds],
            backward: 0,
            shared: 0,
        }
    }

    /// How many sorts of things are counted: types of tasks, or iterations.
    fn units(&self) -> usize {
        if *self.work == WorkKind::Iterations { 1 } else { self.crew.types.len() }
    }

    /// Visits some nodes, one after another.
    fn visit(&self, nodes: &[&[Worker]], watch: &dyn Progress) -> Result<(Vec<NodeTally>, Pool), StoreError> {
        let mut pool = self.pool();
        let mut tallied = Vec::with_capacity(nodes.len());
        for workers in nodes {
            watch.check()?;
            tallied.push(self.visit_node(workers, &mut pool));
            watch.advance(1);
        }
        Ok((tallied, pool))
    }

    fn visit_node(&self, workers: &[Worker], pool: &mut Pool) -> NodeTally {
        let (types, kinds) = (self.crew.types.len(), self.crew.kinds.len());
        let counts_iterations = *self.work == WorkKind::Iterations;
        let repeated = self.runs.repeated(workers);
        // The last run of each task that has several.
        let mut last_runs: FxHashMap<TaskId, Run> = FxHashMap::default();
        // When the last task of each iteration ended.
        let mut iterations: FxHashMap<u32, i64> = FxHashMap::default();
        let mut counts = Counts::new(self.units(), self.steps.times.len());
        let mut tasks = vec![0u64; types];
        let mut on_kind = vec![TypeOnKind::default(); types * kinds];
        let mut on_worker = vec![TypeOnKind::default(); types];
        let mut own_rates = vec![0.0; types];
        let (mut declared, mut observed) = (vec![0u64; kinds], vec![0u64; kinds]);
        let per_time = self.steps.per_time();
        let mut done = |run: Run, in_step: &mut [f64]| {
            tasks[run.of as usize] += 1;
            let (from, to) = (self.steps.place(run.start, per_time), self.steps.place(run.end, per_time));
            share_out(from, to, self.steps.count(), |step, share| in_step[step * types + run.of as usize] += share);
            if counts_iterations {
                return;
            }
            let complete = self.steps.first_at(run.end, to);
            counts.add(complete, run.of as usize);
            if self.options.in_flight == InFlight::Fraction && run.end > run.start {
                let first = self.steps.first_at(run.start, from);
                for instant in first..complete {
                    let gone = (self.steps.times[instant] - run.start) as f64 / (run.end - run.start) as f64;
                    counts.add_part(instant, run.of as usize, gone.clamp(0.0, 1.0));
                }
            }
        };
        for worker in workers {
            on_worker.fill(TypeOnKind::default());
            let durations = &mut pool.durations;
            self.runs.visit(worker, |mut run| {
                if run.end < run.start {
                    pool.backward += 1;
                    run.end = run.start;
                }
                let (of, duration) = (run.of as usize, run.end - run.start);
                on_worker[of].add(TypeOnKind { runs: 1, total: duration });
                durations[of * kinds + worker.kind as usize].add(duration);
                if counts_iterations && run.iteration != TaskInfo::UNKNOWN {
                    let end = iterations.entry(run.iteration).or_insert(run.end);
                    *end = run.end.max(*end);
                }
                if !repeated.is_empty() && repeated.contains(&run.id) {
                    let last = last_runs.entry(run.id).or_insert(run);
                    if run.end > last.end {
                        *last = run;
                    }
                } else {
                    done(run, &mut pool.in_step);
                }
            });
            declared[worker.kind as usize] += 1;
            observed[worker.kind as usize] += u64::from(on_worker.iter().any(|on| on.runs > 0));
            rates(&on_worker, &mut own_rates);
            for (of, on) in on_worker.iter().enumerate() {
                on_kind[of * kinds + worker.kind as usize].add(*on);
            }
        }
        pool.shared += last_runs.len() as u64;
        let mut together: Vec<Run> = last_runs.into_values().collect();
        together.sort_unstable_by_key(|run| run.id);
        for run in together {
            done(run, &mut pool.in_step);
        }
        for end in iterations.into_values() {
            counts.add(self.steps.first_at(end, self.steps.place(end, per_time)), 0);
        }
        counts.add_up();
        let weights = if counts_iterations {
            vec![1.0]
        } else {
            weights(&Line { on_kind: &on_kind, workers: &declared, rates: &own_rates }, self.options.weights)
        };
        let line = counts.progress(&weights);
        let means = means(&on_kind, types, kinds);
        let counted = match self.options.bound_workers {
            BoundWorkers::Declared => &declared,
            BoundWorkers::Observed => &observed,
        };
        let numbers: Vec<f64> = tasks.iter().map(|tasks| *tasks as f64).collect();
        let busy = |kind: usize| (0..types).map(|of| on_kind[of * kinds + kind].total).sum::<i64>();
        let node = NodeTally {
            line,
            tasks: tasks.iter().sum(),
            on_kind: declared.iter().enumerate().map(|(kind, workers)| (*workers, busy(kind))).collect(),
            bound: area_bound(&numbers, &means, counted),
        };
        pool.counts.merge(&counts);
        pool.tasks.iter_mut().zip(&tasks).for_each(|(sum, part)| *sum += part);
        pool.on_kind.iter_mut().zip(&on_kind).for_each(|(sum, part)| sum.add(*part));
        add_all(&mut pool.rates, &own_rates);
        pool.declared.iter_mut().zip(&declared).for_each(|(sum, part)| *sum += part);
        pool.observed.iter_mut().zip(&observed).for_each(|(sum, part)| *sum += part);
        node
    }
}

/// Mean durations by type, then kind; `None` where none ran.
pub(crate) fn means(on_kind: &[TypeOnKind], types: usize, kinds: usize) -> Vec<Vec<Option<f64>>> {
    (0..types).map(|of| on_kind[of * kinds..(of + 1) * kinds].iter().map(|on| on.mean()).collect()).collect()
}

fn add_all(sums: &mut [f64], parts: &[f64]) {
    sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
}

impl Pool {
    fn add(&mut self, other: &Pool) {
        self.counts.merge(&other.counts);
        self.tasks.iter_mut().zip(&other.tasks).for_each(|(sum, part)| *sum += part);
        add_all(&mut self.in_step, &other.in_step);
        self.on_kind.iter_mut().zip(&other.on_kind).for_each(|(sum, part)| sum.add(*part));
        self.durations.iter_mut().zip(&other.durations).for_each(|(sum, part)| sum.merge(part));
        add_all(&mut self.rates, &other.rates);
        self.declared.iter_mut().zip(&other.declared).for_each(|(sum, part)| *sum += part);
        self.observed.iter_mut().zip(&other.observed).for_each(|(sum, part)| *sum += part);
        self.backward += other.backward;
        self.shared += other.shared;
    }
}

/// Tells each step the share of a run that lies in it. A run without duration lies wholly in the step of its instant.
#[inline]
fn share_out(from: f64, to: f64, steps: usize, mut add: impl FnMut(usize, f64)) {
    let (first, end) = ((from as usize).min(steps - 1), (to as usize).min(steps - 1));
    if first == end || to <= from {
        add(first, 1.0);
        return;
    }
    let mut rest = 1.0;
    for step in first..end {
        let share = ((step + 1) as f64 - from.max(step as f64)) / (to - from);
        add(step, share);
        rest -= share;
    }
    add(end, rest.max(0.0));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn something_has_ended_at_an_instant_if_it_ends_there() {
        // Thirds of ten nanoseconds: 3.33 and 6.67.
        let steps = Steps::new((100, 110), 3);
        let per_time = steps.per_time();
        let at = |time: i64| steps.first_at(time, steps.place(time, per_time));
        assert_eq!([100, 101, 103, 104, 106, 107, 110].map(at), [0, 1, 1, 2, 2, 3, 3]);
        let instant = Steps::new((5, 5), 4);
        assert_eq!(instant.first_at(5, instant.place(5, instant.per_time())), 0);
    }

    proptest! {
        #[test]
        fn instants_are_found_exactly(start in -1i64 << 40..1 << 40, length in 0i64..1 << 50, count in 1u32..1000, share in 0.0..=1.0f64) {
            let steps = Steps::new((start, start + length), count);
            let time = start + (length as f64 * share) as i64;
            let found = steps.first_at(time, steps.place(time, steps.per_time()));
            let expected = (i128::from(time - start) * i128::from(count) + i128::from(length) - 1)
                .checked_div_euclid(i128::from(length))
                .unwrap_or(0);
            prop_assert_eq!(found as i128, expected);
            prop_assert_eq!((steps.times[0], steps.times[count as usize]), (start, start + length));
        }

        #[test]
        fn shares_add_up(from in 0.0..20.0f64, length in 0.0..20.0f64) {
            let to = (from + length).min(20.0);
            let mut sum = 0.0;
            share_out(from, to, 20, |step, share| {
                assert!(step < 20 && share >= 0.0);
                sum += share;
            });
            prop_assert!((sum - 1.0f64).abs() < 1e-12);
        }
    }
}
