//! Routes of trees by rule, from the numbers of nodes alone.
//!
//! A switch of layer l that node i can reach upwards is known by the pod of i in that layer and by the parents that were chosen
//! on the way. Those that lead down to node j have the same choices and the pod of j. So the links between two layers on the way
//! down are those on the way up of the receiver instead of the sender, in the other direction; and where everything is spread
//! alike, a flow puts the same on each link that leads up from the switches of its sender's pod, and on each that leads down to
//! those of its receiver's.

use super::{Choice, take};
use crate::fat_tree::Xgft;
use crate::routing::{Flow, Routing};
use crate::{Element, Link};

pub(in crate::routing) struct ByRule {
    choice: Choice,
    hosts: u32,
    /// The cables below each layer of switches, from the nodes up.
    steps: Vec<Step>,
}

/// The cables between a layer of switches and what is below it.
#[derive(Clone, Copy)]
struct Step {
    /// The first of them.
    first: u32,
    /// Nodes of a pod of the lower layer.
    nodes: u32,
    /// Elements of a pod of the lower layer, and of the upper one.
    lower: u32,
    upper: u32,
    /// Parents of an element.
    parents: u32,
    /// Parallel cables to each.
    cables: u32,
}

impl Step {
    /// The pod of the lower layer that a node is in.
    fn pod(&self, node: Element) -> u32 {
        node.0 / self.nodes
    }

    /// Cables that lead up from a pod of the lower layer.
    fn per_pod(&self) -> u32 {
        self.lower * self.parents * self.cables
    }

    /// The cable up from the element of a node's pod that `place` says, to a parent.
    fn cable(&self, node: Element, place: u32, parent: u32, cable: u32) -> u32 {
        self.first + ((self.pod(node) * self.lower + place) * self.parents + parent) * self.cables + cable
    }
}

impl ByRule {
    pub(in crate::routing) fn new(rule: &Xgft, choice: Choice) -> ByRule {
        let mut first = 0;
        let steps = (1..=rule.layers())
            .map(|layer| {
                // Trees whose elements and cables have numbers fit.
                let step = Step {
                    first,
                    nodes: rule.nodes_below(layer - 1) as u32,
                    lower: rule.switches_of_pod(layer - 1) as u32,
                    upper: rule.switches_of_pod(layer) as u32,
                    parents: rule.parents[layer - 1],
                    cables: rule.cables[layer - 1],
                };
                first += rule.pods(layer - 1) as u32 * step.per_pod();
                step
            })
            .collect();
        ByRule { choice, hosts: rule.nodes_below(rule.layers()) as u32, steps }
    }

    /// The steps up to the layer where two nodes meet; none if they are the same, or no nodes.
    fn climbed(&self, from: Element, to: Element) -> &[Step] {
        if from.0 >= self.hosts || to.0 >= self.hosts {
            return &[];
        }
        // In the pods of the lower layers they are apart.
        let apart = self.steps.iter().take_while(|step| step.pod(from) != step.pod(to)).count();
        &self.steps[..apart]
    }

    /// The route by the receiver's number; down in the reverse order of travel.
    fn by_receiver(&self, from: Element, to: Element, mut visit: impl FnMut(Link, Link)) {
        let mut place = 0;
        for step in self.climbed(from, to) {
            let (parent, cable) = (to.0 / step.lower % step.parents, to.0 / step.upper % step.cables);
            let [up, down] = [from, to].map(|node| step.cable(node, place, parent, cable));
            visit(Link(2 * up), Link(2 * down + 1));
            place += step.lower * parent;
        }
    }
}

impl Routing for ByRule {
    fn route(&self, from: Element, to: Element, visit: &mut dyn FnMut(Link, f64)) {
        let steps = match self.choice {
            Choice::ByReceiver => return self.path(from, to, 0).into_iter().for_each(|link| visit(link, 1.0)),
            Choice::All => self.climbed(from, to),
        };
        let cables = |step: &Step, node: Element| {
            let first = step.cable(node, 0, 0, 0);
            first..first + step.per_pod()
        };
        for step in steps {
            cables(step, from).for_each(|cable| visit(Link(2 * cable), 1.0 / f64::from(step.per_pod())));
        }
        for step in steps.iter().rev() {
            cables(step, to).for_each(|cable| visit(Link(2 * cable + 1), 1.0 / f64::from(step.per_pod())));
        }
    }

    fn path(&self, from: Element, to: Element, mut choice: u64) -> Vec<Link> {
        let (mut path, mut back) = (Vec::new(), Vec::new());
        match self.choice {
            Choice::ByReceiver => self.by_receiver(from, to, |up, down| {
                path.push(up);
                back.push(down);
            }),
            Choice::All => {
                let mut place = 0;
                for step in self.climbed(from, to) {
                    let mut pick = |of: u32| take(&mut choice, u64::from(of)) as u32;
                    let (parent, up, down) = (pick(step.parents), pick(step.cables), pick(step.cables));
                    path.push(Link(2 * step.cable(from, place, parent, up)));
                    back.push(Link(2 * step.cable(to, place, parent, down) + 1));
                    place += step.lower * parent;
                }
            }
        }
        path.extend(back.into_iter().rev());
        path
    }

    fn load(&self, flows: &[Flow], loads: &mut [f64]) {
        if self.choice == Choice::ByReceiver {
            for flow in flows {
                self.by_receiver(flow.from, flow.to, |up, down| {
                    loads[up.index()] += flow.bytes;
                    loads[down.index()] += flow.bytes;
                });
            }
            return;
        }
        // What every pod of the lower layer of a step sends up, and gets from above.
        let mut pods: Vec<Vec<[f64; 2]>> =
            self.steps.iter().map(|step| vec![[0.0; 2]; (self.hosts / step.nodes) as usize]).collect();
        for flow in flows {
            for (step, pods) in self.climbed(flow.from, flow.to).iter().zip(&mut pods) {
                pods[step.pod(flow.from) as usize][0] += flow.bytes;
                pods[step.pod(flow.to) as usize][1] += flow.bytes;
            }
        }
        for (step, pods) in self.steps.iter().zip(pods) {
            let links = loads[2 * step.first as usize..].chunks_exact_mut(2 * step.per_pod() as usize);
            for (links, [up, down]) in links.zip(pods) {
                let each = f64::from(step.per_pod());
                for both in links.chunks_exact_mut(2) {
                    both[0] += up / each;
                    both[1] += down / each;
                }
            }
        }
    }

    /// A cable below a layer carries up what its pod sends to those receivers outside that choose it, and down what all others send
    /// to those inside that do. Which of a pod's cables a receiver chooses does not depend on the pod.
    fn load_all_pairs(&self, weights: &[f64], loads: &mut [f64]) {
        let all: f64 = weights.iter().sum();
        let mut places = vec![0; self.hosts as usize];
        for step in &self.steps {
            let cables = step.per_pod() as usize;
            let pods: Vec<f64> = weights.chunks(step.nodes as usize).map(|nodes| nodes.iter().sum()).collect();
            // By pod and cable, the weights of the receivers inside that choose it.
            let mut chosen = vec![0.0; pods.len() * cables];
            let mut of_all = vec![0.0; cables];
            match self.choice {
                Choice::All => {
                    for (chosen, pod) in chosen.chunks_mut(cables).zip(&pods) {
                        chosen.fill(pod / cables as f64);
                    }
                    of_all.fill(all / cables as f64);
                }
                Choice::ByReceiver => {
                    for ((node, weight), place) in (0..).map(Element).zip(weights).zip(&mut places) {
                        let (parent, cable) = (node.0 / step.lower % step.parents, node.0 / step.upper % step.cables);
                        let of_pod = ((*place * step.parents + parent) * step.cables + cable) as usize;
                        chosen[step.pod(node) as usize * cables + of_pod] += weight;
                        of_all[of_pod] += weight;
                        *place += step.lower * parent;
                    }
                }
            }
            let links = loads[2 * step.first as usize..].chunks_exact_mut(2 * cables);
            for ((links, chosen), pod) in links.zip(chosen.chunks(cables)).zip(&pods) {
                for ((both, inside), of_all) in links.chunks_exact_mut(2).zip(chosen).zip(&of_all) {
                    both[0] += pod * (of_all - inside);
                    both[1] += inside * (all - pod);
                }
            }
        }
    }
}
