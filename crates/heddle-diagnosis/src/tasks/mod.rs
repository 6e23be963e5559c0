//! Programs of tasks: nodes, cards and networks that the others wait for.
//!
//! Workers of a runtime are idle for many reasons, and the trace seldom says for which: so nobody is blamed by idle time.
//! [Nodes](nodes) are compared by what their workers can do, [messages] by how long they take for their length; what
//! stands out is taken away in a [replay], and only what then shortens the run becomes a finding. Its cost is the share by
//! which the time from the first task's start to the last one's end would be shorter: all workers wait that long for it. It is
//! never more than they are idle. Several findings are taken
//! away one after the other, the dearest first, so that their costs add up to no more than what all of them cost.

mod evidence;
mod messages;
mod nodes;
mod replay;
pub(crate) mod robust;
mod scene;

use heddle_model::{LocationId, Ns};
use heddle_store::{Progress, Store, StoreError};
use rayon::prelude::*;

pub use evidence::{KindCount, NetworkEvidence, NodeEvidence, Worked, network_evidence, node_evidence, worked};

use crate::finding::{Finding, FindingKind};
use crate::suspect::{Group, Suspect};
use messages::{Messages, Slow};
use nodes::{Nodes, SlowNodes};
use replay::{Change, replay};
use scene::Scene;

/// What costs less of the time of all workers is not worth a sentence.
const LEAST_COST: f64 = 0.02;
/// The same for work that is unevenly dealt: some of that is in every factorisation.
const LEAST_UNEVEN: f64 = 0.05;
/// How many times as much as the mean a node must have to do to speak of that.
const LEAST_LOAD: f64 = 1.25;
/// How many times as long as elsewhere most messages of a card or pair must take.
const LEAST_SLOW: f64 = 1.5;
/// The network is to blame if it takes more than this share of the run: then it decides how long the run takes, not the
/// work. In a run that is in order it takes some too.
const MOST_NETWORK: f64 = 0.4;

/// What might be wrong, and the run without it.
struct Candidate {
    suspect: Suspect,
    change: Change,
    window: (Ns, Ns),
    waiting: u64,
}

/// What is found in a program of tasks; nothing in others.
pub fn tasks(store: &Store, progress: &dyn Progress) -> Result<Vec<Finding>, StoreError> {
    if store.tasks.is_empty() {
        return Ok(Vec::new());
    }
    let scene = Scene::new(store, progress)?;
    let nodes = Nodes::of(&scene, progress)?;
    // Tasks that take no time, or one node: there is nothing to compare.
    if nodes.length() <= 0 || scene.nodes() < 2 {
        return Ok(Vec::new());
    }
    let messages = Messages::of(&scene, progress)?;
    let culprits = Culprits { scene: &scene, nodes: &nodes, messages: &messages };
    let mut candidates = culprits.slow_nodes();
    candidates.extend(culprits.slow_cards());
    culprits.findings(candidates, progress)
}

struct Culprits<'a> {
    scene: &'a Scene<'a>,
    nodes: &'a Nodes,
    messages: &'a Messages,
}

impl Culprits<'_> {
    /// Findings from candidates, the dearest first.
    fn findings(&self, candidates: Vec<Candidate>, progress: &dyn Progress) -> Result<Vec<Finding>, StoreError> {
        let (length, begin) = (self.nodes.length(), self.nodes.span.0);
        let without = |change: &Change| replay(self.scene, begin, change, progress);
        let alone = candidates.par_iter().map(|candidate| without(&candidate.change));
        let alone = alone.collect::<Result<Vec<i64>, StoreError>>()?;
        let mut candidates: Vec<(i64, Candidate)> = alone.into_iter().zip(candidates).collect();
        candidates.sort_by_key(|(alone, candidate)| (*alone, candidate.suspect.locations.clone()));
        let mut said = Said { findings: Vec::new(), change: Change::none(self.scene.nodes()), rest: length };
        for (alone, candidate) in candidates {
            let change = said.change.and(&candidate.change);
            let rest = if said.findings.is_empty() { alone } else { without(&change)? };
            self.say(&mut said, alone, rest, change, candidate, LEAST_COST);
        }
        if let Some(candidate) = self.uneven() {
            let change = said.change.and(&candidate.change);
            let rest = without(&change)?;
            let alone = if said.findings.is_empty() { rest } else { without(&candidate.change)? };
            self.say(&mut said, alone, rest, change, candidate, LEAST_UNEVEN);
        }
        if self.messages.count > 0 {
            let candidate = self.network();
            let change = said.change.and(&candidate.change);
            let rest = without(&change)?;
            if (rest as f64) < (1.0 - MOST_NETWORK) * said.rest as f64 {
                let alone = if said.findings.is_empty() { rest } else { without(&candidate.change)? };
                self.say(&mut said, alone, rest, change, candidate, LEAST_COST);
            }
        }
        let mut findings = said.findings;
        // What was taken away last may cost most: then it is not known what is left without the dearer ones.
        if !findings.is_sorted_by(|a, b| a.cost_share >= b.cost_share) {
            findings.sort_by(|a, b| b.cost_share.total_cmp(&a.cost_share));
            for finding in &mut findings {
                finding.without_dearer = None;
            }
        }
        Ok(findings)
    }

    /// Makes a candidate a finding if it costs enough beyond what is said already.
    fn say(&self, said: &mut Said, alone: i64, rest: i64, change: Change, candidate: Candidate, least: f64) {
        let told: f64 = said.findings.iter().map(|finding| finding.cost_share).sum();
        let cost_share = ((said.rest - rest) as f64 / self.nodes.length() as f64).min(self.nodes.idle() - told);
        if cost_share < least {
            return;
        }
        let Candidate { suspect, window, waiting, .. } = candidate;
        let whole = |length: i64| Some(self.run() - (self.nodes.length() - length));
        let (without, without_dearer) = (whole(alone), whole(rest));
        said.findings.push(Finding {
            suspect,
            cost_share,
            functions: Vec::new(),
            without,
            without_dearer,
            waiting,
            window,
        });
        (said.change, said.rest) = (change, rest);
    }

    /// How long the run took, with what it did before the first task and after the last.
    fn run(&self) -> i64 {
        let summary = self.scene.store.summary();
        summary.end_ns.saturating_sub(summary.start_ns).max(self.nodes.length())
    }

    fn span(&self) -> (Ns, Ns) {
        (Ns(self.nodes.span.0), Ns(self.nodes.span.1))
    }

    fn suspect(&self, kind: FindingKind, locations: Vec<LocationId>) -> Suspect {
        Suspect { group: self.group(&locations), locations, ..Suspect::throughout(kind, self.span()) }
    }

    /// The place in the machine that all of some locations are on, if it is one.
    fn group(&self, locations: &[LocationId]) -> Option<Group> {
        let mut nodes = locations.iter().map(|location| self.scene.store.node_of(*location));
        let first = nodes.next()??;
        nodes.all(|node| node == Some(first)).then_some(Group::Node(first))
    }

    /// Workers of some nodes, which are in order, in the order of locations.
    fn workers(&self, nodes: &[u32]) -> Vec<LocationId> {
        let on = self.scene.crew().workers.iter().filter(|worker| nodes.binary_search(&worker.node).is_ok());
        let mut locations: Vec<LocationId> = on.map(|worker| worker.location).collect();
        locations.sort_unstable();
        locations
    }

    /// How many nodes with work are none of these, which are in order.
    fn others(&self, nodes: &[u32]) -> u64 {
        let other =
            |(at, node): &(usize, &nodes::NodeWork)| node.busy > 0 && nodes.binary_search(&(*at as u32)).is_err();
        self.nodes.list.iter().enumerate().filter(other).count() as u64
    }

    fn slow_nodes(&self) -> Vec<Candidate> {
        let candidate = |slow: SlowNodes| {
            let mut suspect = self.suspect(FindingKind::SlowNodes, self.workers(&slow.nodes));
            let works = || slow.nodes.iter().map(|node| &self.nodes.list[*node as usize]);
            let middle = |of: &dyn Fn(&nodes::NodeWork) -> f64| {
                robust::median(&mut works().map(of).collect::<Vec<_>>()).unwrap_or(0.0)
            };
            suspect.z = slow.z;
            if let Some(slower) = slow.slower {
                suspect.place.region = slower.region;
                (suspect.usual, suspect.found, suspect.visits) = (slower.usual, slower.found, slower.runs);
            } else {
                suspect.usual = middle(&|node| node.usual);
                suspect.found = middle(&|node| node.own);
                suspect.visits = works().flat_map(|node| &node.runs).sum();
            }
            suspect.slow_visits = suspect.visits;
            let mut change = Change::none(self.scene.nodes());
            for node in &slow.nodes {
                let work = &self.nodes.list[*node as usize];
                change.tasks[*node as usize] = (work.usual / work.own).min(1.0);
            }
            Candidate { suspect, change, window: self.span(), waiting: self.others(&slow.nodes) }
        };
        self.nodes.slow(&self.scene.crew().types).into_iter().map(candidate).collect()
    }

    fn slow_cards(&self) -> Vec<Candidate> {
        let cards = self.messages.slow_cards(self.scene.nodes());
        let slow: Vec<u32> = cards.iter().flat_map(|card| &card.nodes).copied().collect();
        let links = self.messages.slow_links(&slow);
        let cards = cards.iter().filter_map(|card| self.carrier(FindingKind::SlowCard, card, &slow));
        cards.chain(links.iter().filter_map(|link| self.carrier(FindingKind::SlowLink, link, &slow))).collect()
    }

    /// A card or a link, if it is slow for most messages; `slow` are all nodes with a slow card.
    fn carrier(&self, kind: FindingKind, of: &Slow, slow: &[u32]) -> Option<Candidate> {
        let is_card = kind == FindingKind::SlowCard;
        let is_of = |from: u32, to: u32| {
            let (from, to) = (of.nodes.contains(&from), of.nodes.contains(&to));
            if is_card { from || to } else { from && to }
        };
        let is_usual = |from: u32, to: u32| !slow.contains(&from) && !slow.contains(&to);
        let compared = evidence::compare(self.scene, is_of, is_usual);
        if compared.found < LEAST_SLOW * compared.usual {
            return None;
        }
        let locations = if is_card { compared.of_nodes(self.scene, &of.nodes) } else { compared.ends() };
        let mut suspect = self.suspect(kind, locations);
        suspect.pairs = compared.pairs;
        (suspect.usual, suspect.found, suspect.z) = (compared.usual, compared.found, of.z);
        (suspect.visits, suspect.slow_visits) = (of.messages, compared.slow);
        let mut change = Change::none(self.scene.nodes());
        let factor = (1.0 / of.ratio).min(1.0);
        if is_card {
            change.cards[of.nodes[0] as usize] = factor;
        } else {
            change.pairs.insert((of.nodes[0], of.nodes[1]), factor);
        }
        let window = compared.longest.unwrap_or(self.span());
        Some(Candidate { suspect, change, window, waiting: self.others(&of.nodes) })
    }

    /// Work that is unevenly dealt to the nodes; none if it is not.
    fn uneven(&self) -> Option<Candidate> {
        let heavy = self.nodes.overloaded(LEAST_LOAD);
        let mut change = Change::none(self.scene.nodes());
        let mut most = heavy.clone();
        most.retain(|(_, factor)| factor * LEAST_LOAD <= 1.0);
        for (node, factor) in heavy {
            change.tasks[node as usize] = factor;
        }
        let nodes: Vec<u32> = most.iter().map(|(node, _)| *node).collect();
        let heaviest = most.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let work = &self.nodes.list[heaviest.0 as usize];
        let mut suspect = self.suspect(FindingKind::Imbalance, self.workers(&nodes));
        (suspect.usual, suspect.found) = (work.usual * heaviest.1, work.usual);
        suspect.visits = nodes.iter().flat_map(|node| &self.nodes.list[*node as usize].runs).sum();
        suspect.slow_visits = suspect.visits;
        Some(Candidate { suspect, change, window: self.span(), waiting: self.others(&nodes) })
    }

    /// The network as a whole. Nothing tells what it usually takes, so that is left at 0.
    fn network(&self) -> Candidate {
        let mut suspect = self.suspect(FindingKind::SlowNetwork, Vec::new());
        (suspect.found, suspect.visits, suspect.slow_visits) =
            (self.messages.usual, self.messages.count, self.messages.count);
        let mut change = Change::none(self.scene.nodes());
        change.network = 0.0;
        let window = self.messages.longest.unwrap_or(self.span());
        Candidate { suspect, change, window, waiting: self.others(&[]) }
    }
}

/// What is said already, and how long the run takes without it.
struct Said {
    findings: Vec<Finding>,
    change: Change,
    rest: i64,
}
