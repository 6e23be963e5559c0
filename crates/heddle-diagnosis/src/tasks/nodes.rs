//! Nodes of a program of tasks: how many workers they have, how fast those are, and how long they need for their work.
//!
//! Two bounds are compared for each node: what its workers need for its tasks if they are never idle, and what the workers
//! of a usual node would need for the same tasks. Where the first is longer, workers are missing or slow; where both are
//! longer than elsewhere, the node has more to do.

use heddle_model::RegionId;
use heddle_store::{Progress, StoreError};
use heddle_tasks::{Runs as _, Worker, area_bound};
use rayon::prelude::*;

use super::robust::{median, spread};
use super::scene::Scene;

/// What is less in excess is not worth a word.
const LEAST_EXCESS: f64 = 1.05;
/// How far from its peers a node must be, in robust standard deviations.
const LEAST_Z: f64 = 3.5;
/// Of fewer runs nothing is said.
const LEAST_RUNS: u64 = 5;
/// So many nodes there must be to know what is usual.
const LEAST_NODES: usize = 3;

/// What a node did, and with whom.
#[derive(Clone, Debug)]
pub(crate) struct NodeWork {
    /// By kind: its workers.
    pub(crate) workers: Vec<u64>,
    /// By type: its runs.
    pub(crate) runs: Vec<u64>,
    /// By type, then kind: the median of their durations and how many there are.
    pub(crate) durations: Vec<Option<(f64, u64)>>,
    /// Time in tasks.
    pub(crate) busy: i64,
    first: i64,
    last: i64,
    /// What its own workers need.
    pub(crate) own: f64,
    /// What the workers of a usual node would need for its tasks.
    pub(crate) usual: f64,
}

/// All nodes.
#[derive(Debug)]
pub(crate) struct Nodes {
    pub(crate) list: Vec<NodeWork>,
    /// By kind: how many workers a node usually has.
    pub(crate) workers: Vec<u64>,
    /// By type, then kind: how long a task usually takes.
    pub(crate) durations: Vec<Option<f64>>,
    /// The first task's start and the last one's end.
    pub(crate) span: (i64, i64),
}

/// Nodes that need longer for their tasks than others would.
#[derive(Clone, Debug)]
pub(crate) struct SlowNodes {
    /// Their positions.
    pub(crate) nodes: Vec<u32>,
    /// The kind of tasks that shows it, where it is their tasks that take longer and not workers that are missing.
    pub(crate) slower: Option<Slower>,
    /// How far from the others the least of them is.
    pub(crate) z: f64,
}

/// Tasks that take longer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slower {
    pub(crate) region: RegionId,
    pub(crate) usual: f64,
    pub(crate) found: f64,
    pub(crate) runs: u64,
}

impl Nodes {
    /// Looks at all tasks.
    pub(crate) fn of(scene: &Scene<'_>, progress: &dyn Progress) -> Result<Nodes, StoreError> {
        let by_node = scene.crew().by_node();
        let looked = by_node.par_iter().map(|workers| {
            progress.check()?;
            Ok(NodeWork::of(scene, workers))
        });
        let mut list = looked.collect::<Result<Vec<NodeWork>, StoreError>>()?;
        let (kinds, types) = (scene.crew().kinds.len(), scene.crew().types.len());
        let with_work = || list.iter().filter(|node| node.busy > 0);
        let usual = |of: &dyn Fn(&NodeWork) -> Option<f64>| median(&mut with_work().filter_map(of).collect::<Vec<_>>());
        let workers: Vec<u64> =
            (0..kinds).map(|kind| usual(&|node| Some(node.workers[kind] as f64)).unwrap_or(0.0) as u64).collect();
        let durations: Vec<Option<f64>> =
            (0..types * kinds).map(|at| usual(&|node| node.durations[at].map(|duration| duration.0))).collect();
        let span = list.iter().fold((i64::MAX, i64::MIN), |(a, b), node| (a.min(node.first), b.max(node.last)));
        for node in &mut list {
            let counts: Vec<f64> = node.runs.iter().map(|runs| *runs as f64).collect();
            let bound = |of: &dyn Fn(usize) -> Option<f64>, workers: &[u64]| {
                let means: Vec<Vec<Option<f64>>> =
                    (0..types).map(|of_type| (0..kinds).map(|kind| of(of_type * kinds + kind)).collect()).collect();
                area_bound(&counts, &means, workers)
            };
            let enough = |(duration, runs): (f64, u64)| (runs >= LEAST_RUNS).then_some(duration);
            let own = &node.durations;
            node.own = bound(&|at| own[at].and_then(enough).or(durations[at]), &node.workers);
            node.usual = bound(&|at| durations[at], &workers);
        }
        Ok(Nodes { list, workers, durations, span })
    }

    /// How long the run took.
    pub(crate) fn length(&self) -> i64 {
        self.span.1.saturating_sub(self.span.0).max(0)
    }

    /// Share of the time of all workers in which they did nothing.
    pub(crate) fn idle(&self) -> f64 {
        let workers: u64 = self.list.iter().flat_map(|node| &node.workers).sum();
        let all = workers as f64 * self.length() as f64;
        let busy: f64 = self.list.iter().map(|node| node.busy as f64).sum();
        if all > 0.0 { (1.0 - busy / all).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Nodes whose workers need longer than those of others would, and longer than others need for theirs: first those
    /// with fewer workers, then those whose tasks take longer.
    pub(crate) fn slow(&self, types: &[RegionId]) -> Vec<SlowNodes> {
        let with_work: Vec<usize> = (0..self.list.len()).filter(|at| self.list[*at].usual > 0.0).collect();
        if with_work.len() < LEAST_NODES {
            return Vec::new();
        }
        let ratio = |at: usize| self.list[at].own / self.list[at].usual;
        let ratios: Vec<f64> = with_work.iter().map(|at| ratio(*at)).collect();
        let needs: Vec<f64> = with_work.iter().map(|at| self.list[*at].own).collect();
        let (Some((middle, deviation)), Some((need, _))) = (spread(&ratios), spread(&needs)) else {
            return Vec::new();
        };
        let z = |at: usize| (ratio(at) - middle) / deviation;
        let is_slow = |at: &usize| {
            ratio(*at) >= LEAST_EXCESS * middle && z(*at) >= LEAST_Z && self.list[*at].own >= LEAST_EXCESS * need
        };
        let slow: Vec<usize> = with_work.iter().copied().filter(is_slow).collect();
        if 2 * slow.len() >= with_work.len() {
            return Vec::new();
        }
        let lacks = |at: &usize| self.list[*at].workers.iter().zip(&self.workers).any(|(own, usual)| own < usual);
        let (fewer, slower): (Vec<usize>, Vec<usize>) = slow.into_iter().partition(lacks);
        let group = |nodes: Vec<usize>, slower: Option<Slower>| {
            let z = nodes.iter().map(|at| z(*at)).fold(f64::INFINITY, f64::min);
            (!nodes.is_empty()).then(|| SlowNodes { nodes: nodes.iter().map(|at| *at as u32).collect(), slower, z })
        };
        let shown = self.slower(&slower, types);
        [group(fewer, None), group(slower, shown)].into_iter().flatten().collect()
    }

    /// Of the tasks that take longer on some nodes, those that cost these nodes most.
    fn slower(&self, nodes: &[usize], types: &[RegionId]) -> Option<Slower> {
        let kinds = self.workers.len();
        let mut dearest: Option<(f64, Slower)> = None;
        for (at, usual) in self.durations.iter().enumerate() {
            let own = || nodes.iter().filter_map(|node| self.list[*node].durations[at]);
            let runs: u64 = own().map(|(_, runs)| runs).sum();
            let (Some(usual), Some(found)) = (*usual, median(&mut own().map(|(own, _)| own).collect::<Vec<_>>()))
            else {
                continue;
            };
            let excess = (found - usual) * runs as f64;
            if excess > dearest.map_or(0.0, |(most, _)| most) {
                dearest = Some((excess, Slower { region: types[at / kinds], usual, found, runs }));
            }
        }
        dearest.map(|(_, slower)| slower)
    }

    /// Nodes that have more to do than the mean, by how much their tasks had to shrink; none if no node has much more.
    pub(crate) fn overloaded(&self, least: f64) -> Vec<(u32, f64)> {
        let with_work: Vec<f64> = self.list.iter().map(|node| node.usual).filter(|usual| *usual > 0.0).collect();
        let mean = with_work.iter().sum::<f64>() / with_work.len().max(1) as f64;
        let factor = |node: &NodeWork| if node.usual > mean { mean / node.usual } else { 1.0 };
        let heaviest = self.list.iter().map(factor).fold(1.0, f64::min);
        if with_work.len() < 2 || heaviest * least > 1.0 {
            return Vec::new();
        }
        let nodes = self.list.iter().map(factor).enumerate().filter(|(_, factor)| *factor < 1.0);
        nodes.map(|(at, factor)| (at as u32, factor)).collect()
    }
}

impl NodeWork {
    fn of(scene: &Scene<'_>, workers: &[Worker]) -> NodeWork {
        let (types, kinds) = (scene.crew().types.len(), scene.crew().kinds.len());
        let mut durations: Vec<Vec<f64>> = vec![Vec::new(); types * kinds];
        let mut node = NodeWork {
            workers: vec![0; kinds],
            runs: vec![0; types],
            durations: Vec::new(),
            busy: 0,
            first: i64::MAX,
            last: i64::MIN,
            own: 0.0,
            usual: 0.0,
        };
        for worker in workers {
            node.workers[worker.kind as usize] += 1;
            scene.runs.visit(worker, |run| {
                let taken = run.end.saturating_sub(run.start).max(0);
                durations[run.of as usize * kinds + worker.kind as usize].push(taken as f64);
                node.runs[run.of as usize] += 1;
                node.busy = node.busy.saturating_add(taken);
                (node.first, node.last) = (node.first.min(run.start), node.last.max(run.end));
            });
        }
        let middle = |durations: &mut Vec<f64>| Some((median(durations)?, durations.len() as u64));
        node.durations = durations.iter_mut().map(middle).collect();
        node
    }
}
