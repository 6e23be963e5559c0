//! The longest chain of tasks that wait for each other: however many workers there are, a run takes no less.
//!
//! Each task counts as long as its type takes on the kind of workers that is fastest at it. Tasks that wait for themselves,
//! be it through others, are left out, and so are dependencies on tasks that are not in the trace.

use heddle_model::TaskId;
use heddle_store::{Columns as _, Progress, Store, StoreError};
use rustc_hash::FxHashMap;

use crate::stages;

/// The longest chain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chain {
    /// How long it takes, in nanoseconds.
    pub length: f64,
    /// How many tasks it has.
    pub tasks: u64,
    /// How many tasks wait for themselves.
    pub cyclic: u64,
    /// Some of those, each waiting for the one before, the first for the last.
    pub circle: Vec<TaskId>,
    /// How many dependencies are on tasks that are not in the trace.
    pub missing: u64,
}

/// Tasks of a circle that are named.
const MOST_NAMED: usize = 5;

impl Chain {
    /// The longest chain of a trace's tasks; none if nothing is known of what they wait for. `fastest` tells how long a task
    /// of a region takes where it is fastest.
    pub(crate) fn of(
        store: &Store,
        fastest: impl Fn(heddle_model::RegionId) -> f64,
        watch: &dyn Progress,
    ) -> Result<Option<Chain>, StoreError> {
        let (tasks, dependencies) = (&store.tasks, &store.dependencies);
        if dependencies.is_empty() || tasks.len() >= u64::from(u32::MAX) {
            return Ok(None);
        }
        watch.begin(stages::CHAINING, 3);
        let mut graph = Graph::default();
        let mut index = Index::of(store);
        let mut regions = store.spans.region.cursor();
        (&tasks.id, &tasks.span).for_each(0..tasks.len(), |(id, span)| {
            let vertex = index.number(id, graph.weights.len() as u32);
            if vertex as usize == graph.weights.len() {
                graph.weights.push(fastest(regions.get(span.0)));
            }
        });
        watch.check()?;
        watch.advance(1);
        let mut missing = 0;
        let mut edges = |visit: &mut dyn FnMut(u32, u32)| {
            missing = 0;
            let mut ids = tasks.id.cursor();
            (&dependencies.task, &dependencies.on).for_each(0..dependencies.len(), |(task, on)| {
                match (index.find(ids.get(task)), index.find(on)) {
                    (Some(task), Some(on)) => visit(on, task),
                    _ => missing += 1,
                }
            });
        };
        graph.connect(&mut edges);
        watch.check()?;
        watch.advance(1);
        let (mut chain, circle) = graph.longest();
        chain.missing = missing;
        chain.circle = circle.into_iter().map(|vertex| index.name(vertex)).collect();
        watch.advance(1);
        Ok(Some(chain))
    }
}

/// Numbers of tasks, dense from 0. Runtimes count their tasks, so those of a process mostly fit a list.
struct Index {
    /// By process: the least number there and, by number, that of the vertex.
    dense: FxHashMap<u32, (u64, Vec<u32>)>,
    /// Of processes whose numbers are far apart.
    sparse: FxHashMap<TaskId, u32>,
    names: Vec<TaskId>,
}

const NOBODY: u32 = u32::MAX;

impl Index {
    fn of(store: &Store) -> Index {
        let mut extents: FxHashMap<u32, (u64, u64, u64)> = FxHashMap::default();
        for id in store.tasks.id.iter(0..store.tasks.len()).filter(|id| id.is_some()) {
            let extent = extents.entry(id.process()).or_insert((u64::MAX, 0, 0));
            *extent = (extent.0.min(id.number()), extent.1.max(id.number()), extent.2 + 1);
        }
        let dense = extents.into_iter().filter(|(_, (least, largest, count))| (largest - least) / 8 <= *count);
        let dense = dense
            .map(|(process, (least, largest, _))| (process, (least, vec![NOBODY; (largest - least) as usize + 1])));
        Index { dense: dense.collect(), sparse: FxHashMap::default(), names: Vec::new() }
    }

    /// The number of a task; `next` if it has none yet. Runs without a task are tasks of their own.
    fn number(&mut self, id: TaskId, next: u32) -> u32 {
        let slot = match self.dense.get_mut(&id.process()) {
            _ if !id.is_some() => None,
            Some((least, vertices)) => vertices.get_mut(id.number().wrapping_sub(*least) as usize),
            None => Some(self.sparse.entry(id).or_insert(NOBODY)),
        };
        let number = match slot {
            Some(slot) if *slot != NOBODY => return *slot,
            Some(slot) => {
                *slot = next;
                next
            }
            None => next,
        };
        self.names.push(id);
        number
    }

    fn find(&self, id: TaskId) -> Option<u32> {
        let found = match self.dense.get(&id.process()) {
            Some((least, vertices)) => vertices.get(id.number().wrapping_sub(*least) as usize),
            None => self.sparse.get(&id),
        };
        found.copied().filter(|vertex| *vertex != NOBODY)
    }

    fn name(&self, vertex: u32) -> TaskId {
        self.names[vertex as usize]
    }
}

/// The longer of two chains, given by length and tasks; of equally long ones that with more tasks.
fn later(a: (f64, u64), b: (f64, u64)) -> (f64, u64) {
    if a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).is_lt() { b } else { a }
}

/// What waits for what.
#[derive(Default)]
struct Graph {
    weights: Vec<f64>,
    /// By vertex: the first of those that wait for it. One more than there are vertices.
    first: Vec<u64>,
    waiting: Vec<u32>,
    /// By vertex: how many it waits for.
    waits_for: Vec<u32>,
}

/// Visits all edges: what is waited for, and what waits.
type Edges<'a> = &'a mut dyn FnMut(&mut dyn FnMut(u32, u32));

impl Graph {
    fn connect(&mut self, edges: Edges<'_>) {
        let vertices = self.weights.len();
        self.first = vec![0; vertices + 1];
        self.waits_for = vec![0; vertices];
        edges(&mut |on, task| {
            self.first[on as usize + 1] += 1;
            self.waits_for[task as usize] += 1;
        });
        for at in 0..vertices {
            self.first[at + 1] += self.first[at];
        }
        self.waiting = vec![0; self.first[vertices] as usize];
        let mut next = self.first.clone();
        edges(&mut |on, task| {
            let at = &mut next[on as usize];
            self.waiting[*at as usize] = task;
            *at += 1;
        });
    }

    fn after(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.waiting[self.first[vertex] as usize..self.first[vertex + 1] as usize]
    }

    /// The longest chain, and a circle if there is one: vertices are taken when all that they wait for were.
    fn longest(&mut self) -> (Chain, Vec<u32>) {
        let mut open = std::mem::take(&mut self.waits_for);
        // The longest chain before each vertex.
        let mut before = vec![(0.0, 0u64); self.weights.len()];
        let mut longest = (0.0, 0);
        let mut ready: Vec<u32> = (0..open.len() as u32).filter(|vertex| open[*vertex as usize] == 0).collect();
        let mut taken = vec![false; open.len()];
        let mut take_all = |ready: &mut Vec<u32>, open: &mut Vec<u32>, taken: &mut Vec<bool>| {
            while let Some(vertex) = ready.pop() {
                taken[vertex as usize] = true;
                let (length, tasks) = before[vertex as usize];
                let (length, tasks) = (length + self.weights[vertex as usize], tasks + 1);
                longest = later(longest, (length, tasks));
                for after in self.after(vertex) {
                    // On a circle, and left out.
                    if taken[*after as usize] {
                        continue;
                    }
                    before[*after as usize] = later(before[*after as usize], (length, tasks));
                    open[*after as usize] -= 1;
                    if open[*after as usize] == 0 {
                        ready.push(*after);
                    }
                }
            }
        };
        take_all(&mut ready, &mut open, &mut taken);
        // What is left waits for itself, or for something that does.
        let circles = self.circles(&taken);
        for vertex in &circles.members {
            taken[*vertex as usize] = true;
        }
        for after in circles.members.iter().flat_map(|vertex| self.after(*vertex)) {
            open[*after as usize] -= 1;
        }
        let mut ready: Vec<u32> =
            (0..open.len() as u32).filter(|at| open[*at as usize] == 0 && !taken[*at as usize]).collect();
        take_all(&mut ready, &mut open, &mut taken);
        let (length, tasks) = longest;
        let cyclic = circles.members.len() as u64;
        (Chain { length, tasks, cyclic, ..Chain::default() }, circles.example)
    }

    /// All vertices on circles among those that are not `taken`: strongly connected parts (Tarjan 1972), without recursion.
    fn circles(&self, taken: &[bool]) -> Circles {
        let mut found = Circles::default();
        let mut order = vec![0u32; if taken.iter().all(|taken| *taken) { 0 } else { taken.len() }];
        let mut lowest = vec![0u32; order.len()];
        let mut is_open = vec![false; order.len()];
        let (mut count, mut open, mut path) = (0, Vec::new(), Vec::new());
        for root in (0..order.len() as u32).filter(|vertex| !taken[*vertex as usize]) {
            if order[root as usize] > 0 {
                continue;
            }
            path.push((root, 0));
            while let Some((vertex, next)) = path.pop() {
                let at = vertex as usize;
                if next == 0 {
                    count += 1;
                    (order[at], lowest[at], is_open[at]) = (count, count, true);
                    open.push(vertex);
                }
                if let Some(after) = self.after(vertex).get(next) {
                    path.push((vertex, next + 1));
                    let to = *after as usize;
                    if !taken[to] && order[to] == 0 {
                        path.push((*after, 0));
                    } else if !taken[to] && is_open[to] {
                        lowest[at] = lowest[at].min(order[to]);
                    }
                    continue;
                }
                if let Some((above, _)) = path.last() {
                    lowest[*above as usize] = lowest[*above as usize].min(lowest[at]);
                }
                if lowest[at] == order[at] {
                    let first = open.iter().rposition(|other| *other == vertex).unwrap_or(0);
                    let part = open.split_off(first);
                    for member in &part {
                        is_open[*member as usize] = false;
                    }
                    if part.len() > 1 || self.after(vertex).contains(&vertex) {
                        if found.example.is_empty() {
                            found.example = self.walk(&part);
                        }
                        found.members.extend(part);
                    }
                }
            }
        }
        found
    }

    /// A way through a strongly connected part, back to where it began, as far as it is named.
    fn walk(&self, part: &[u32]) -> Vec<u32> {
        let members: rustc_hash::FxHashSet<u32> = part.iter().copied().collect();
        let mut way: Vec<u32> = vec![part[0]];
        while way.len() < MOST_NAMED {
            let last = way[way.len() - 1];
            let next = self.after(last).iter().find(|next| members.contains(next) && !way.contains(next));
            match next {
                Some(next) => way.push(*next),
                None => break,
            }
        }
        way
    }
}

#[derive(Default)]
struct Circles {
    members: Vec<u32>,
    example: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn longest(weights: &[f64], edges: &[(u32, u32)]) -> (Chain, Vec<u32>) {
        let mut graph = Graph { weights: weights.to_vec(), ..Graph::default() };
        graph.connect(&mut |visit| edges.iter().for_each(|(on, task)| visit(*on, *task)));
        graph.longest()
    }

    #[test]
    fn the_longest_chain_counts_time_and_not_tasks() {
        // Two ways from 0 to 4: by 1 and 2, which are short, or by 3, which is long.
        let (chain, circle) = longest(&[1.0, 1.0, 1.0, 9.0, 2.0, 5.0], &[(0, 1), (1, 2), (2, 4), (0, 3), (3, 4)]);
        assert_eq!((chain.length, chain.tasks, chain.cyclic), (12.0, 3, 0));
        assert!(circle.is_empty());
    }

    #[test]
    fn circles_are_left_out_and_what_is_behind_them_is_not() {
        // 0 → (1 → 2 → 3 → 1) → 4 → 5, and 6 waits for itself.
        let edges = [(0, 1), (1, 2), (2, 3), (3, 1), (3, 4), (4, 5), (6, 6)];
        let (chain, circle) = longest(&[10.0, 1.0, 1.0, 1.0, 4.0, 7.0, 100.0], &edges);
        assert_eq!((chain.length, chain.tasks, chain.cyclic), (11.0, 2, 4));
        let mut named = circle.clone();
        named.sort_unstable();
        assert!(named == [1, 2, 3] || named == [6], "{circle:?}");
    }

    #[test]
    fn long_chains_take_no_stack() {
        let edges: Vec<(u32, u32)> = (0..200_000).map(|at| (at, (at + 1) % 200_000)).collect();
        let (chain, _) = longest(&vec![1.0; 200_000], &edges);
        assert_eq!((chain.length, chain.cyclic), (0.0, 200_000));
        let (chain, _) = longest(&vec![1.0; 200_000], &edges[..199_999]);
        assert_eq!((chain.length, chain.tasks), (200_000.0, 200_000));
    }

    proptest! {
        #[test]
        fn random_graphs_without_circles(edges in prop::collection::vec((0u32..30, 0u32..30), 0..100), weights in prop::collection::vec(0u8..50, 30)) {
            let edges: Vec<(u32, u32)> = edges.into_iter().filter(|(on, task)| on < task).collect();
            let weights: Vec<f64> = weights.into_iter().map(f64::from).collect();
            let mut ends = weights.clone();
            for task in 0..30usize {
                let before = edges.iter().filter(|edge| edge.1 as usize == task).map(|edge| ends[edge.0 as usize]);
                ends[task] += before.fold(0.0, f64::max);
            }
            let (chain, _) = longest(&weights, &edges);
            prop_assert!((chain.length - ends.into_iter().fold(0.0, f64::max)).abs() < 1e-9);
            prop_assert_eq!(chain.cyclic, 0);
        }

        #[test]
        fn what_is_on_a_circle_reaches_itself(edges in prop::collection::vec((0u32..12, 0u32..12), 0..30)) {
            let mut reaches = [[false; 12]; 12];
            for (on, task) in &edges {
                reaches[*on as usize][*task as usize] = true;
            }
            for by in 0..12 {
                for from in 0..12 {
                    for to in 0..12 {
                        reaches[from][to] |= reaches[from][by] && reaches[by][to];
                    }
                }
            }
            let (chain, _) = longest(&[1.0; 12], &edges);
            prop_assert_eq!(chain.cyclic, (0..12).filter(|at| reaches[*at][*at]).count() as u64);
        }
    }
}
