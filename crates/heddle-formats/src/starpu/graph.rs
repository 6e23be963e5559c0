//! What waits for what, as tasks that ran see it.
//!
//! The graph that StarPU writes has more in it than tasks: jobs that no worker ran (acquired data, synchronisation), and
//! messages between processes (`mpi_<tag>_<number>`). A task that waits for one of these waits for whatever that waits
//! for, so they are followed through, backwards, until tasks are met.

use heddle_model::TaskId;
use rustc_hash::FxHashSet;

/// The process that messages are put under. No task has it.
pub(super) const MESSAGES: u32 = (1 << 24) - 1;

/// Ways that are followed beyond those that are written, for each of them: a graph in which many jobs wait for a job that no
/// worker ran, and that for many others, has their product.
const WAYS_PER_EDGE: u64 = 64;

/// The graph.
#[derive(Default)]
pub(super) struct Graph {
    /// What waits, and for what; in order once [`Graph::settle`] was called.
    edges: Vec<(TaskId, TaskId)>,
    /// Messages by tag, then number.
    messages: Vec<(i64, u64)>,
    ways: u64,
    seen: FxHashSet<TaskId>,
    stack: Vec<TaskId>,
    found: Vec<TaskId>,
    /// Messages whose sender was told by another message with the same tag.
    pub(super) senders_by_tag: u64,
    /// Tasks that wait for themselves.
    pub(super) on_itself: u64,
    /// Ways that were not followed because they are too many.
    pub(super) not_followed: u64,
    /// Dependencies on what is no known job.
    pub(super) unknown: u64,
}

/// What a thing in the graph is to those that wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// A task.
    Ran,
    /// Whoever waits for it waits for what it waits for.
    Through,
    /// Nothing describes it.
    Unknown,
}

impl Graph {
    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.edges[..]) + size_of_val(&self.messages[..])
    }

    /// One waits for another.
    pub(super) fn add(&mut self, waiting: TaskId, on: TaskId) {
        self.edges.push((waiting, on));
    }

    /// There is a message of this tag and number.
    pub(super) fn message(&mut self, tag: i64, number: u64) -> TaskId {
        self.messages.push((tag, number));
        TaskId::new(MESSAGES, number)
    }

    /// All edges are there.
    pub(super) fn settle(&mut self) {
        self.sort();
        self.messages.sort_unstable();
        self.messages.dedup();
        // StarPU sends one datum to several processes together, and writes the job that provides it for the first only.
        let mut sender: Option<(i64, u64)> = None;
        let mut told = Vec::new();
        for (tag, number) in std::mem::take(&mut self.messages) {
            let message = TaskId::new(MESSAGES, number);
            if !self.before(message).is_empty() {
                sender = Some((tag, number));
            } else if let Some((_, first)) = sender.filter(|(of, _)| *of == tag) {
                told.push((message, TaskId::new(MESSAGES, first)));
            }
        }
        self.senders_by_tag = told.len() as u64;
        self.edges.append(&mut told);
        self.sort();
        self.ways = WAYS_PER_EDGE.saturating_mul(self.edges.len() as u64);
    }

    fn sort(&mut self) {
        self.edges.sort_unstable();
        self.edges.dedup();
    }

    /// What is written that one waits for.
    fn before(&self, waiting: TaskId) -> &[(TaskId, TaskId)] {
        let first = self.edges.partition_point(|edge| edge.0 < waiting);
        let count = self.edges[first..].partition_point(|edge| edge.0 == waiting);
        &self.edges[first..first + count]
    }

    /// The tasks that a task waits for, in order. `node` says what a thing in the graph is.
    pub(super) fn of(&mut self, task: TaskId, node: impl Fn(TaskId) -> Node) -> &[TaskId] {
        self.seen.clear();
        self.found.clear();
        let mut stack = std::mem::take(&mut self.stack);
        stack.extend(self.before(task).iter().map(|(_, on)| *on));
        while let Some(on) = stack.pop() {
            if on == task {
                self.on_itself += 1;
                continue;
            }
            if !self.seen.insert(on) {
                continue;
            }
            match node(on) {
                Node::Through => {
                    let before = self.before(on);
                    let ways = before.len() as u64;
                    if self.ways < ways {
                        self.not_followed += ways;
                        continue;
                    }
                    stack.extend(before.iter().map(|(_, on)| *on));
                    self.ways -= ways;
                }
                Node::Ran => self.found.push(on),
                Node::Unknown => {
                    self.unknown += 1;
                    self.found.push(on);
                }
            }
        }
        self.stack = stack;
        self.found.sort_unstable();
        &self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> TaskId {
        TaskId::new(0, number)
    }

    /// Tasks below 100 ran, those from 1,000 on are not known.
    fn node(task: TaskId) -> Node {
        match task.number() {
            _ if task.process() == MESSAGES => Node::Through,
            0..100 => Node::Ran,
            100..1000 => Node::Through,
            _ => Node::Unknown,
        }
    }

    #[test]
    fn what_no_worker_ran_is_followed_through() {
        let mut graph = Graph::default();
        for (waiting, on) in [(3, 100), (100, 1), (100, 101), (101, 2), (101, 100), (3, 1), (4, 4), (4, 1000), (4, 1)] {
            graph.add(id(waiting), id(on));
        }
        graph.settle();
        assert_eq!(graph.of(id(3), node), [id(1), id(2)], "through a cycle of jobs that did not run");
        assert_eq!(graph.of(id(4), node), [id(1), id(1000)]);
        assert_eq!((graph.on_itself, graph.unknown, graph.not_followed), (1, 1, 0));
        assert!(graph.of(id(9), node).is_empty());
    }

    #[test]
    fn messages_of_one_tag_share_their_sender() {
        let mut graph = Graph::default();
        let [first, second, other] = [(7, 0), (7, 1), (8, 2)].map(|(tag, number)| graph.message(tag, number));
        graph.add(first, id(100));
        graph.add(id(100), id(1));
        graph.add(id(2), first);
        graph.add(id(3), second);
        graph.add(id(4), other);
        graph.settle();
        assert_eq!(graph.of(id(2), node), [id(1)]);
        assert_eq!(graph.of(id(3), node), [id(1)]);
        assert!(graph.of(id(4), node).is_empty(), "nothing says who sent it");
        assert_eq!(graph.senders_by_tag, 1);
    }

    #[test]
    fn the_product_of_many_and_many_is_not_followed() {
        let mut graph = Graph::default();
        for at in 0..3_000 {
            graph.add(TaskId::new(1, at), id(100));
            graph.add(id(100), TaskId::new(2, at));
        }
        graph.settle();
        let ran = |task: TaskId| if task.process() == 0 { Node::Through } else { Node::Ran };
        let all: usize = (0..3_000).map(|at| graph.of(TaskId::new(1, at), ran).len()).sum();
        assert!(all as u64 <= WAYS_PER_EDGE * 6_000 && graph.not_followed > 0, "{all}");
    }
}
