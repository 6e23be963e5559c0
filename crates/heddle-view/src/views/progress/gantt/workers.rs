//! Who runs tasks: workers by node and kind, whether they got any task or not.

use std::ops::Range;

use heddle_model::{LocationId, Ns, RegionId};
use heddle_store::Store;
use heddle_tasks::Progression;
use rayon::prelude::*;

use crate::request::rows::Rows;
use crate::request::window::Window;

/// A worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Worker {
    /// Where its tasks are.
    pub(crate) location: LocationId,
    /// The number of its node.
    pub(crate) node: u32,
    /// A position among the kinds.
    pub(crate) kind: u32,
}

/// A node with its workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// Its number.
    pub(crate) number: u32,
    /// Its workers, by kind.
    pub(crate) workers: Range<usize>,
}

/// The workers of the nodes in sight.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workers {
    /// Names of kinds, in the order of their rows: processors, accelerators, others. Hostile text.
    pub(crate) kinds: Vec<String>,
    /// By node, then kind, then location.
    pub(crate) all: Vec<Worker>,
    /// By number.
    pub(crate) nodes: Vec<Node>,
}

/// Where rows of a kind are within a node: processors above accelerators, then others by name.
fn order(kind: &str) -> (u8, &str) {
    match kind {
        "CPU" => (0, kind),
        "CUDA" | "GPU" | "HIP" | "OpenCL" => (1, kind),
        "" => (3, kind),
        _ => (2, kind),
    }
}

/// The number of a location's node: its rank, or 0 in a trace of one process.
pub(crate) fn node_of(store: &Store, location: LocationId) -> u32 {
    store.locations.rank.get(u64::from(location.0)).some().map_or(0, |rank| rank.0)
}

impl Workers {
    /// The workers of nodes that a window shows.
    pub(crate) fn of(store: &Store, window: &Window) -> Workers {
        let table = &store.workers;
        let mut kinds: Vec<String> = Vec::new();
        let mut kind_of = |name: &str| {
            kinds.iter().position(|kind| kind == name).unwrap_or_else(|| {
                kinds.push(name.to_owned());
                kinds.len() - 1
            }) as u32
        };
        let mut all: Vec<Worker> = (0..table.len())
            .map(|row| {
                let location = table.location.get(row);
                Worker { location, node: node_of(store, location), kind: kind_of(table.kind.get(row)) }
            })
            .collect();
        if all.is_empty() {
            // Work that is no tasks runs on the rows that ranks have anyway.
            let main = Window { main_only: true, ..Window::default() };
            let kind = kind_of("");
            all.extend(main.locations(store).into_iter().map(|location| Worker {
                location,
                node: node_of(store, location),
                kind,
            }));
        }
        let mut by_order: Vec<u32> = (0..kinds.len() as u32).collect();
        by_order.sort_by(|a, b| order(&kinds[*a as usize]).cmp(&order(&kinds[*b as usize])));
        let mut place = vec![0; kinds.len()];
        by_order.iter().zip(0..).for_each(|(kind, at)| place[*kind as usize] = at);
        for worker in &mut all {
            worker.kind = place[worker.kind as usize];
        }
        if let Some(shown) = shown_nodes(store, window) {
            all.retain(|worker| shown.binary_search(&worker.node).is_ok());
        }
        if !all.is_sorted_by_key(|worker| (worker.node, worker.kind, worker.location)) {
            all.sort_unstable_by_key(|worker| (worker.node, worker.kind, worker.location));
        }
        let mut nodes: Vec<Node> = Vec::new();
        for run in all.chunk_by(|a, b| a.node == b.node) {
            let first = nodes.last().map_or(0, |node| node.workers.end);
            nodes.push(Node { number: run[0].node, workers: first..first + run.len() });
        }
        let kinds = by_order.into_iter().map(|kind| std::mem::take(&mut kinds[kind as usize])).collect();
        Workers { kinds, all, nodes }
    }

    /// The workers of a node of a kind.
    pub(crate) fn of_kind(&self, node: &Node, kind: u32) -> &[Worker] {
        let workers = &self.all[node.workers.clone()];
        let first = workers.partition_point(|worker| worker.kind < kind);
        &workers[first..workers.partition_point(|worker| worker.kind <= kind)]
    }
}

/// Tasks of more workers than this are counted on a sample: it decides how to draw, and takes time.
const MOST_COUNTED: usize = 2_048;

impl Workers {
    /// How many tasks they run in a window of time; about, if they are many.
    pub(crate) fn tasks_in(&self, store: &Store, time: (Ns, Ns)) -> u64 {
        let step = self.all.len().div_ceil(MOST_COUNTED).max(1);
        let count = |worker: &Worker| {
            let rows = tasks_in(store, worker.location, time);
            rows.end - rows.start
        };
        let sample: Vec<&Worker> = self.all.iter().step_by(step).collect();
        sample.into_par_iter().map(count).sum::<u64>() * step as u64
    }
}

/// The runs of tasks of a location that are in sight: rows of the tasks table.
pub(crate) fn tasks_in(store: &Store, location: LocationId, time: (Ns, Ns)) -> Range<u64> {
    let (tasks, spans) = (&store.tasks, store.spans_of(location));
    let place = |span: u64| tasks.span.partition_point(0..tasks.len(), |row| row.0 < span);
    let rows = place(spans.start)..place(spans.end);
    let first = tasks.span.partition_point(rows.clone(), |span| store.spans.start.get(span.0) < time.0);
    let last = tasks.span.partition_point(first..rows.end, |span| store.spans.start.get(span.0) < time.1);
    // What runs when the window begins began before it: the last one, or one around it.
    let mut begin = first;
    while begin > rows.start && store.spans.end.get(tasks.span.get(begin - 1).0) > time.0 {
        begin -= 1;
    }
    begin..last
}

/// Numbers of the nodes that have a row in sight, ascending; none if all are.
fn shown_nodes(store: &Store, window: &Window) -> Option<Vec<u32>> {
    if window.ranks.is_none() && window.rows.is_none() {
        return None;
    }
    let rows = Rows::of(store, window);
    let mut nodes: Vec<u32> = rows.locations().iter().map(|location| node_of(store, *location)).collect();
    nodes.sort_unstable();
    nodes.dedup();
    Some(nodes)
}

/// Types of work by region: positions among those of a progression.
#[derive(Clone, Debug)]
pub(crate) struct Types {
    of_region: Vec<Option<u16>>,
    regions: Vec<RegionId>,
}

impl Types {
    /// The types of a progression.
    pub(crate) fn of(store: &Store, progression: &Progression) -> Types {
        Types::new(store, progression.types.iter().map(|of| of.region).collect())
    }

    pub(crate) fn new(store: &Store, regions: Vec<RegionId>) -> Types {
        let mut of_region = vec![None; store.regions.len() as usize];
        for (at, region) in regions.iter().enumerate() {
            if let Some(place) = of_region.get_mut(region.index()) {
                *place = Some(at as u16);
            }
        }
        Types { of_region, regions }
    }

    /// The type of a region.
    pub(crate) fn at(&self, region: RegionId) -> Option<usize> {
        self.of_region.get(region.index()).copied().flatten().map(usize::from)
    }

    /// Regions, by type.
    pub(crate) fn regions(&self) -> &[RegionId] {
        &self.regions
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.regions.len()
    }
}
