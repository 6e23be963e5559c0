//! What a finding about a program of tasks rests on, in numbers for sentences.

use heddle_model::{LocationId, Ns};
use heddle_store::{Progress, Store, StoreError};
use heddle_tasks::Runs as _;

use super::messages::{Messages, each};
use super::nodes::Nodes;
use super::robust::median;
use super::scene::Scene;
use crate::finding::Finding;

/// How many workers of a kind a node has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindCount {
    /// The kind: `CPU`, `CUDA`. Hostile text.
    pub kind: String,
    /// How many this node has.
    pub here: u64,
    /// How many nodes usually have.
    pub usual: u64,
}

/// A node that a finding names.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeEvidence {
    /// Its number: the rank of its process.
    pub node: u32,
    /// Its workers.
    pub workers: Vec<KindCount>,
    /// Share of the run that its workers are in tasks.
    pub busy: f64,
    /// The same of the workers of all nodes that the finding does not name.
    pub busy_elsewhere: f64,
    /// What its workers need for its tasks if they are never idle, in nanoseconds.
    pub needs: f64,
    /// What the workers of a usual node would need for them.
    pub needs_usually: f64,
}

/// The messages of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NetworkEvidence {
    /// How many go from one node to another.
    pub messages: u64,
    /// Their lengths together.
    pub bytes: u64,
    /// What most of them take, in nanoseconds.
    pub median: f64,
    /// Share of the time of all nodes that a message is on its way to them.
    pub on_the_way: f64,
    /// Bytes per second that nodes send while anything of theirs is on its way.
    pub rate: f64,
}

/// What the workers of a program of tasks did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worked {
    /// How many workers there are, whether they got tasks or not.
    pub workers: u64,
    /// The first task's start and the last one's end.
    pub span: (Ns, Ns),
    /// Time in tasks, of all workers together.
    pub busy: i64,
    /// Share of the time of all workers in that span in which they ran no task. Costs of findings are parts of it.
    pub idle: f64,
}

/// What workers did; none in programs without tasks.
pub fn worked(store: &Store, progress: &dyn Progress) -> Result<Option<Worked>, StoreError> {
    if store.tasks.is_empty() {
        return Ok(None);
    }
    let nodes = Nodes::of(&Scene::new(store, progress)?, progress)?;
    Ok(Some(Worked {
        workers: nodes.list.iter().flat_map(|node| &node.workers).sum(),
        span: (Ns(nodes.span.0), Ns(nodes.span.1)),
        busy: nodes.list.iter().map(|node| node.busy).sum(),
        idle: nodes.idle(),
    }))
}

/// The nodes that a finding names.
pub fn node_evidence(
    store: &Store,
    finding: &Finding,
    progress: &dyn Progress,
) -> Result<Vec<NodeEvidence>, StoreError> {
    if store.tasks.is_empty() {
        return Ok(Vec::new());
    }
    let scene = Scene::new(store, progress)?;
    let nodes = Nodes::of(&scene, progress)?;
    let mut named: Vec<u32> = finding.suspect.locations.iter().filter_map(|location| scene.node(*location)).collect();
    named.sort_unstable();
    named.dedup();
    let length = nodes.length().max(1) as f64;
    let used = |list: &[u32]| {
        let busy: f64 = list.iter().map(|node| nodes.list[*node as usize].busy as f64).sum();
        let workers: u64 = list.iter().flat_map(|node| &nodes.list[*node as usize].workers).sum();
        busy / (length * workers.max(1) as f64)
    };
    let elsewhere: Vec<u32> = (0..nodes.list.len() as u32).filter(|node| named.binary_search(node).is_err()).collect();
    let busy_elsewhere = used(&elsewhere);
    let crew = scene.runs.crew();
    let evidence = |node: &u32| {
        let work = &nodes.list[*node as usize];
        let counts = crew.kinds.iter().zip(work.workers.iter().zip(&nodes.workers));
        NodeEvidence {
            node: crew.nodes[*node as usize],
            workers: counts
                .map(|(kind, (here, usual))| KindCount { kind: kind.clone(), here: *here, usual: *usual })
                .collect(),
            busy: used(&[*node]),
            busy_elsewhere,
            needs: work.own,
            needs_usually: work.usual,
        }
    };
    Ok(named.iter().map(evidence).collect())
}

/// The messages of a program of tasks; none in others.
pub fn network_evidence(store: &Store, progress: &dyn Progress) -> Result<NetworkEvidence, StoreError> {
    if store.tasks.is_empty() {
        return Ok(NetworkEvidence::default());
    }
    let scene = Scene::new(store, progress)?;
    let length = Nodes::of(&scene, progress)?.length().max(1) as f64;
    let messages = Messages::of(&scene, progress)?;
    let mut coming: Vec<Vec<(i64, i64)>> = vec![Vec::new(); scene.nodes()];
    let mut going = coming.clone();
    for (from, rows) in &scene.senders {
        each(&scene, *from, rows.clone(), |to, _, sent, taken| {
            let way = (sent.0, sent.0 + taken as i64);
            coming[to as usize].push(way);
            going[*from as usize].push(way);
        });
    }
    let total = |lists: &mut Vec<Vec<(i64, i64)>>| lists.iter_mut().map(|list| covered(list) as f64).sum::<f64>();
    let (coming, going) = (total(&mut coming), total(&mut going));
    Ok(NetworkEvidence {
        messages: messages.count,
        bytes: messages.bytes,
        median: messages.usual,
        on_the_way: coming / (length * scene.nodes() as f64),
        rate: if going > 0.0 { messages.bytes as f64 * 1e9 / going } else { 0.0 },
    })
}

/// The length of the union of stretches.
fn covered(list: &mut [(i64, i64)]) -> i64 {
    list.sort_unstable();
    let (mut sum, mut until) = (0, i64::MIN);
    for (start, end) in list.iter() {
        sum += (end - until.max(*start)).max(0);
        until = until.max(*end);
    }
    sum
}

/// Some messages, compared with others.
pub(super) struct Compared {
    /// What most of them take, in nanoseconds.
    pub(super) found: f64,
    /// What most of the others take.
    pub(super) usual: f64,
    /// How many take longer than that.
    pub(super) slow: u64,
    /// Who sent to whom, sorted.
    pub(super) pairs: Vec<(LocationId, LocationId)>,
    /// The longest of them.
    pub(super) longest: Option<(Ns, Ns)>,
}

impl Compared {
    /// All that sent or received.
    pub(super) fn ends(&self) -> Vec<LocationId> {
        let mut ends: Vec<LocationId> = self.pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// Those of them that are on some nodes.
    pub(super) fn of_nodes(&self, scene: &Scene<'_>, nodes: &[u32]) -> Vec<LocationId> {
        let is_there = |location: &LocationId| scene.node(*location).is_some_and(|node| nodes.contains(&node));
        self.ends().into_iter().filter(is_there).collect()
    }
}

/// Compares messages with others, by the positions of the nodes that they go from and to.
pub(super) fn compare(
    scene: &Scene<'_>,
    is_of: impl Fn(u32, u32) -> bool,
    is_usual: impl Fn(u32, u32) -> bool,
) -> Compared {
    let (mut found, mut usual, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    let mut longest: Option<(Ns, Ns)> = None;
    let messages = &scene.store.messages;
    for (from, rows) in &scene.senders {
        let Some(sender) = rows.clone().next().map(|row| messages.send_location.get(row)) else { continue };
        for row in rows.clone() {
            let receiver = messages.recv_location.get(row);
            let Some(to) = scene.node(receiver).filter(|to| to != from) else { continue };
            let (sent, received) = (messages.send.get(row), messages.recv.get(row));
            let taken = received.since(sent).max(1);
            if is_of(*from, to) {
                found.push(taken as f64);
                pairs.push((sender, receiver));
                if longest.is_none_or(|(a, b)| taken > b.since(a)) {
                    longest = Some((sent, received.max(sent)));
                }
            } else if is_usual(*from, to) {
                usual.push(taken as f64);
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
    }
    let usual = median(&mut usual).unwrap_or(0.0);
    let slow = found.iter().filter(|taken| **taken > usual).count() as u64;
    Compared { found: median(&mut found).unwrap_or(0.0), usual, slow, pairs, longest }
}
