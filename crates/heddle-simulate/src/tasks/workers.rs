//! The workers of a node, and who of them is to run a task.
//!
//! As StarPU's scheduler `dmdas` does it: a task that is ready goes at once to where it would end first, by the time of its
//! kernel there and by what is to be done before it; and is then done in order of urgency. Workers of a kind on a node
//! share what was given to their kind. Nothing is given back: a core that has taken up an update keeps it, even if a GPU
//! falls idle.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::options::{KINDS, TaskNode};

/// The workers of one kind on a node.
pub(crate) struct Pool {
    /// How many there are.
    count: u32,
    /// The first of them among all of its node.
    first: u32,
    /// Those without a task.
    free: BinaryHeap<Reverse<u32>>,
    /// Sum of the ends of the tasks that run.
    ends: i64,
    /// Tasks to run, by urgency, then number.
    queue: BinaryHeap<Reverse<(u32, u32)>>,
    /// How long they will take, by urgency.
    load: Load,
}

impl Pool {
    fn new(first: u32, count: u32, urgencies: u32) -> Pool {
        let free = (first..first + count).map(Reverse).collect();
        let load = Load(vec![0; if count > 0 { urgencies as usize } else { 0 }]);
        Pool { count, first, free, ends: 0, queue: BinaryHeap::new(), load }
    }

    /// When a worker would be there for a task of this urgency.
    fn available(&self, urgency: u32, now: i64) -> i64 {
        let before = self.load.up_to(urgency);
        if !self.free.is_empty() && before == 0 {
            return now;
        }
        let running = self.ends - (self.count as usize - self.free.len()) as i64 * now;
        now + (running + before) / i64::from(self.count)
    }
}

/// All workers of a node.
pub(crate) struct Workers {
    pools: [Pool; KINDS.len()],
}

/// A task that is about to run.
pub(crate) struct Given {
    pub(crate) task: u32,
    pub(crate) kind: usize,
    /// The worker among those of its node.
    pub(crate) worker: u32,
}

impl Workers {
    pub(crate) fn new(node: &TaskNode, urgencies: u32) -> Workers {
        Workers { pools: [Pool::new(0, node.cpus, urgencies), Pool::new(node.cpus, node.gpus, urgencies)] }
    }

    /// Gives a task to a kind of worker; `times` are those of its kernel by kind. Tells to which.
    pub(crate) fn push(&mut self, task: u32, urgency: u32, times: [Option<i64>; KINDS.len()], now: i64) -> usize {
        let end = |kind: usize| {
            let pool = &self.pools[kind];
            times[kind].filter(|_| pool.count > 0).map(|time| pool.available(urgency, now) + time)
        };
        let kind = (0..KINDS.len()).filter_map(|kind| Some((end(kind)?, kind))).min().map_or(0, |(_, kind)| kind);
        self.pools[kind].queue.push(Reverse((urgency, task)));
        self.pools[kind].load.add(urgency, times[kind].unwrap_or(0));
        kind
    }

    /// Hands the most urgent task of a kind to a worker, if there are both; `time` is what it was thought to take.
    pub(crate) fn start(&mut self, kind: usize, time: impl Fn(u32) -> i64) -> Option<Given> {
        let pool = &mut self.pools[kind];
        if pool.free.is_empty() {
            return None;
        }
        let Reverse((urgency, task)) = pool.queue.pop()?;
        let Reverse(worker) = pool.free.pop()?;
        pool.load.add(urgency, -time(task));
        Some(Given { task, kind, worker })
    }

    /// A worker of a kind is busy until then.
    pub(crate) fn busy(&mut self, kind: usize, end: i64) {
        self.pools[kind].ends += end;
    }

    /// A worker has ended its task; tells of which kind it is.
    pub(crate) fn ended(&mut self, worker: u32, now: i64) -> usize {
        let kind = usize::from(worker >= self.pools[1].first);
        self.pools[kind].ends -= now;
        self.pools[kind].free.push(Reverse(worker));
        kind
    }
}

/// Sums by urgency that are asked for from the most urgent on: a Fenwick tree.
struct Load(Vec<i64>);

impl Load {
    fn add(&mut self, urgency: u32, time: i64) {
        let mut at = urgency as usize;
        while at < self.0.len() {
            self.0[at] += time;
            at |= at + 1;
        }
    }

    fn up_to(&self, urgency: u32) -> i64 {
        let (mut sum, mut at) = (0, urgency as usize + 1);
        while at > 0 {
            sum += self.0[at - 1];
            at &= at - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_goes_to_where_it_would_end_first() {
        let node = TaskNode { cpus: 1, gpus: 1, ..TaskNode::default() };
        let mut workers = Workers::new(&node, 10);
        let times = [Some(100), Some(30)];
        let mut kinds = Vec::new();
        for task in 0..5 {
            let kind = workers.push(task, 5, times, 0);
            kinds.push(kind);
            if let Some(given) = workers.start(kind, |_| times[kind].unwrap()) {
                workers.busy(given.kind, times[kind].unwrap());
            }
        }
        // Three fit on the GPU before the core would be done with one; then the core is as good.
        assert_eq!(kinds, [1, 1, 1, 0, 1]);
        // What is urgent need not wait for what is not.
        assert_eq!(workers.push(9, 0, times, 0), 1);
    }

    #[test]
    fn sums_are_those_of_all_that_is_as_urgent() {
        let mut load = Load(vec![0; 13]);
        for urgency in 0..13 {
            load.add(urgency, i64::from(urgency) + 1);
        }
        for urgency in 0..13 {
            assert_eq!(load.up_to(urgency), i64::from((urgency + 1) * (urgency + 2) / 2));
        }
    }
}
