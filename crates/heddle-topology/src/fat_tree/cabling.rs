//! Trees and fabrics that somebody found: names, and which is plugged into which.

use super::{MOST, Parts, Pod, Pods};
use crate::LinkClass;

/// One end of a cable, by its position in the list of hosts or switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// A host.
    Host(u32),
    /// A switch.
    Switch(u32),
}

/// What is plugged into what, as a file says it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cabling {
    /// Names of hosts.
    pub hosts: Vec<String>,
    /// Names of switches.
    pub switches: Vec<String>,
    /// The layer of each switch, from 1, where the file says who is above whom; if empty, how far it is from the nearest host.
    pub layers: Vec<u32>,
    /// Cables, each once; several between the same two are parallel.
    pub cables: Vec<(End, End)>,
    /// Bytes per second in one direction of each cable; empty if the file does not say. A class of links has a capacity if that of
    /// all its cables is the same.
    pub capacities: Vec<Option<f64>>,
}

/// Cables that make no machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CablingError {
    /// No hosts.
    #[error("there are no hosts")]
    NoHosts,
    /// A host that no cable leads to.
    #[error("host {} is not connected to any switch", .0.escape_debug())]
    Loose(String),
    /// Two hosts that are joined without a switch.
    #[error("hosts {} and {} are joined without a switch", .0.escape_debug(), .1.escape_debug())]
    NoSwitch(String, String),
    /// A switch that no host can be reached from.
    #[error("no host can be reached from switch {}", .0.escape_debug())]
    Idle(String),
    /// More layers than machines have.
    #[error("there are {0} layers of switches; there can be at most {MOST_LAYERS}")]
    TooDeep(u32),
    /// More than can be numbered.
    #[error("there are more hosts, switches or cables than Heddle can number (2^25)")]
    TooLarge,
}

/// Deeper trees than anybody builds.
const MOST_LAYERS: u32 = 32;

/// In no pod: nothing that a host can reach.
const NOWHERE: u32 = u32::MAX;

impl Cabling {
    pub(super) fn build(self) -> Result<Parts, CablingError> {
        let hosts = self.hosts.len();
        if hosts == 0 {
            return Err(CablingError::NoHosts);
        }
        if [hosts + self.switches.len(), self.cables.len()].iter().any(|count| *count as u64 > MOST) {
            return Err(CablingError::TooLarge);
        }
        let layers = self.layers_of_elements()?;
        let top = layers.iter().copied().max().unwrap_or(0);
        if top > MOST_LAYERS {
            return Err(CablingError::TooDeep(top));
        }
        let pod_of = self.pods_of_elements(&layers, top);
        let of = |layer: u32, element: usize| pod_of[layer as usize - 1][element];
        // Those of a large pod together, and among them those of each pod in it. The first of each is the one it is named by.
        let mut order: Vec<usize> = (0..hosts).collect();
        order.sort_by_cached_key(|host| ((1..=top).rev().map(|layer| of(layer, *host)).collect::<Vec<u32>>(), *host));
        let mut number = vec![0_u32; layers.len()];
        for (new, old) in order.iter().enumerate() {
            number[*old] = new as u32;
        }
        let (mut first, mut pods) = (vec![0, hosts as u32], Vec::new());
        for layer in 1..=top {
            let mut switches: Vec<usize> = (hosts..layers.len()).filter(|at| layers[*at] == layer).collect();
            if let Some(idle) = switches.iter().find(|at| of(layer, **at) == NOWHERE) {
                return Err(CablingError::Idle(self.switches[*idle - hosts].clone()));
            }
            switches.sort_by_key(|at| (number[of(layer, *at) as usize], *at));
            let (mut made, mut next): (Vec<Pod>, usize) = (Vec::new(), 0);
            for hosts in order[..hosts].chunk_by(|a, b| of(layer, *a) == of(layer, *b)) {
                let from = made.last().map_or(0, |pod| pod.nodes.end);
                let own = switches[next..].iter().take_while(|at| of(layer, **at) == of(layer, hosts[0])).count();
                let switches = next as u32..(next + own) as u32;
                made.push(Pod { nodes: from..from + hosts.len() as u32, switches });
                next += own;
            }
            pods.push(Pods::new(made));
            for switch in switches {
                number[switch] = order.len() as u32;
                order.push(switch);
            }
            first.push(order.len() as u32);
        }
        let (cables, classes, first_cables) = self.classed(&layers, &number);
        let names = order.into_iter().map(|old| self.hosts.get(old).or_else(|| self.switches.get(old - hosts)));
        let names = names.flatten().cloned().collect();
        Ok(Parts { rule: None, first, cables, classes, first_cables, pods, names })
    }

    /// The position of an end among hosts and switches, hosts first.
    fn position(&self, end: End) -> usize {
        match end {
            End::Host(at) => at as usize,
            End::Switch(at) => self.hosts.len() + at as usize,
        }
    }

    /// The layer of every host and switch.
    fn layers_of_elements(&self) -> Result<Vec<u32>, CablingError> {
        let hosts = self.hosts.len();
        let mut beside: Vec<Vec<usize>> = vec![Vec::new(); hosts + self.switches.len()];
        for (one, other) in &self.cables {
            if let (End::Host(one), End::Host(other)) = (one, other) {
                let name = |at: &u32| self.hosts[*at as usize].clone();
                return Err(CablingError::NoSwitch(name(one), name(other)));
            }
            let (one, other) = (self.position(*one), self.position(*other));
            beside[one].push(other);
            beside[other].push(one);
        }
        if let Some(loose) = (0..hosts).find(|host| beside[*host].is_empty()) {
            return Err(CablingError::Loose(self.hosts[loose].clone()));
        }
        if self.layers.len() == self.switches.len() && !self.layers.is_empty() {
            return Ok(std::iter::repeat_n(0, hosts).chain(self.layers.iter().map(|layer| (*layer).max(1))).collect());
        }
        let mut layers = vec![NOWHERE; beside.len()];
        layers[..hosts].fill(0);
        let mut reached: Vec<usize> = (0..hosts).collect();
        let mut distance = 0;
        while !reached.is_empty() {
            distance += 1;
            let mut next = Vec::new();
            for other in reached.iter().flat_map(|at| &beside[*at]) {
                if layers[*other] == NOWHERE {
                    layers[*other] = distance;
                    next.push(*other);
                }
            }
            reached = next;
        }
        match layers[hosts..].iter().position(|layer| *layer == NOWHERE) {
            Some(idle) => Err(CablingError::Idle(self.switches[idle].clone())),
            None => Ok(layers),
        }
    }

    /// Layer by layer, the pod of every host and switch up to it, named by the pod's first host.
    fn pods_of_elements(&self, layers: &[u32], top: u32) -> Vec<Vec<u32>> {
        let mut joined = Joined::new(layers.len());
        let mut by_layer: Vec<(u32, usize, usize)> = self
            .cables
            .iter()
            .map(|(one, other)| (self.position(*one), self.position(*other)))
            .map(|(one, other)| (layers[one].max(layers[other]), one, other))
            .collect();
        by_layer.sort_unstable();
        let mut cables = by_layer.into_iter().peekable();
        (1..=top)
            .map(|layer| {
                while let Some((_, one, other)) = cables.next_if(|(of, ..)| *of <= layer) {
                    joined.join(one, other);
                }
                let name = |at: usize| joined.first(at).filter(|first| *first < self.hosts.len());
                (0..layers.len()).map(|at| name(at).map_or(NOWHERE, |first| first as u32)).collect()
            })
            .collect()
    }

    /// Cables by class, lower end first, with new numbers.
    fn classed(&self, layers: &[u32], number: &[u32]) -> (Vec<(u32, u32)>, Vec<LinkClass>, Vec<u32>) {
        let capacities = self.capacities.iter().copied().chain(std::iter::repeat(None));
        let mut cables: Vec<_> = self
            .cables
            .iter()
            .zip(capacities)
            .map(|((one, other), capacity)| {
                let ends = [self.position(*one), self.position(*other)];
                let mut ends = ends.map(|at| (layers[at], number[at]));
                ends.sort_unstable();
                ((ends[1].0, ends[0].0), (ends[0].1, ends[1].1), capacity)
            })
            .collect();
        // Stable: parallel cables keep their order.
        cables.sort_by_key(|(class, ends, _)| (*class, *ends));
        let (mut classes, mut first_cables) = (Vec::new(), vec![0]);
        for of_class in cables.chunk_by(|a, b| a.0 == b.0) {
            let (upper, lower) = of_class[0].0;
            let name = match upper - lower {
                0 => format!("across layer {upper}"),
                1 => format!("layer {upper}"),
                _ => format!("layer {upper} from {lower}"),
            };
            let capacity = of_class[0].2.filter(|_| of_class.iter().all(|cable| cable.2 == of_class[0].2));
            classes.push(LinkClass { kind: "fat-tree", name, capacity });
            first_cables.push(first_cables[first_cables.len() - 1] + of_class.len() as u32);
        }
        (cables.into_iter().map(|(_, ends, _)| ends).collect(), classes, first_cables)
    }
}

/// What is joined, step by step; the first of what is joined stands for all.
struct Joined {
    towards: Vec<usize>,
}

impl Joined {
    fn new(count: usize) -> Joined {
        Joined { towards: (0..count).collect() }
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.towards[at] != at {
            self.towards[at] = self.towards[self.towards[at]];
            at = self.towards[at];
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.towards[one.max(other)] = one.min(other);
    }

    fn first(&self, mut at: usize) -> Option<usize> {
        while *self.towards.get(at)? != at {
            at = self.towards[at];
        }
        Some(at)
    }
}
