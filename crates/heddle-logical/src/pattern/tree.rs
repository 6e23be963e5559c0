//! Trees: messages are gathered towards a root, scattered from it, or one and then the other.
//!
//! Ranks and the pairs of them that have messages are a graph, which must be a forest. Which way is up is said by the first
//! message on each edge: it goes up everywhere, or down everywhere. A rank sends up after it has heard from all below, and down
//! after it has heard from above; so an exchange between neighbours on a line is no tree, although its graph is one.
//!
//! Gatherers may be ranks of their own, or ranks that have data too (Isaacs 2014, section 5.1 and Figure 9). In the second case
//! rank 0 of a k-ary tree gathers from k - 1 others at each of its levels, and has no child to stand for itself.

use heddle_model::grouped;
use rustc_hash::FxHashMap;

use super::traffic::Traffic;
use super::{Recognise, several};

/// Where the first message on each edge goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// Towards the root.
    Gather,
    /// Away from it.
    Scatter,
}

/// Messages go up or down a tree, or several.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// Where the first message on each edge goes.
    pub way: Way,
    /// On how many edges messages go back later.
    pub answered: u32,
    /// How many ranks have messages.
    pub ranks: u32,
    /// The rows of the roots, ascending.
    pub roots: Vec<u32>,
    /// The rank of the first of them.
    pub root_rank: u32,
    /// How many levels there are above the leaves.
    pub levels: u32,
    /// How many come together at most in one inner node.
    pub arity: u32,
    /// Whether inner nodes are leaves too: then a rank is one of those that come together in it.
    pub is_overloaded: bool,
}

impl Tree {
    /// How many edges there are.
    pub fn edges(&self) -> u32 {
        self.ranks - self.roots.len() as u32
    }
}

impl Recognise for Tree {
    const NAME: &'static str = "tree";

    fn recognise(traffic: &Traffic<'_>) -> Option<Tree> {
        // A forest has fewer edges than nodes, and messages at most both ways.
        if traffic.pairs() < 2 || traffic.pairs() >= 2 * traffic.ranks() {
            return None;
        }
        let (forest, answered) = Forest::new(traffic)?;
        let heights = forest.heights()?;
        // Where nobody has two children it is a chain.
        let most_children = traffic.places().map(|place| forest.children(place).len()).max()?;
        if most_children < 2 || !forest.is_in_order(traffic, &heights) {
            return None;
        }
        let is_overloaded = forest.is_overloaded(&heights);
        let (levels, arity) = if is_overloaded {
            let width = forest.width(traffic);
            (forest.levels(&heights, width), width + 1)
        } else {
            (heights.of.iter().copied().max()?, most_children as u32)
        };
        let roots: Vec<u32> = heights.order.iter().copied().filter(|place| forest.parent(*place).is_none()).collect();
        let mut rows: Vec<u32> = roots.iter().map(|place| traffic.rows()[*place as usize]).collect();
        rows.sort_unstable();
        Some(Tree {
            way: forest.way,
            answered,
            ranks: heights.order.len() as u32,
            root_rank: traffic.rank(*roots.iter().min()?),
            roots: rows,
            levels,
            arity,
            is_overloaded,
        })
    }

    fn facts(&self) -> String {
        let Tree { way, answered, roots, root_rank, levels, arity, is_overloaded, .. } = self;
        let (edges, is_flat) = (self.edges(), *levels == 1);
        let (root, them) = if roots.len() == 1 {
            (format!("rank {root_rank}"), "it")
        } else {
            (several(roots.len() as u64, "root"), "them")
        };
        let others = several(u64::from(edges), if roots.len() == 1 { "other" } else { "rank" });
        let there = match (way, is_flat) {
            (Way::Gather, true) => format!("{others} send to {root}"),
            (Way::Scatter, true) => format!("{root} to {others}"),
            (Way::Gather, false) => format!("gather to {root}"),
            (Way::Scatter, false) => format!("scatter from {root}"),
        };
        let back = match (way, is_flat) {
            _ if *answered == 0 => String::new(),
            _ if *answered < edges => {
                format!(", with answers on {} of {} edges", grouped(u64::from(*answered)), grouped(u64::from(edges)))
            }
            (Way::Gather, true) => format!(" and hear back from {them}"),
            (Way::Scatter, true) => ", which answer".to_owned(),
            (Way::Gather, false) => ", then scatter back".to_owned(),
            (Way::Scatter, false) => ", then gather back".to_owned(),
        };
        if is_flat {
            return format!("{there}{back}");
        }
        let nodes = if *is_overloaded { "inner nodes are leaves too" } else { "inner nodes are ranks of their own" };
        format!("{there}{back}; {levels} levels, {arity}-ary, {nodes}")
    }
}

/// No place.
const NONE: u32 = u32::MAX;

/// Ranks, and whose child each is.
struct Forest {
    way: Way,
    parent: Vec<u32>,
    /// Where the children of each begin, and behind the last one their number.
    first_child: Vec<u32>,
    children: Vec<u32>,
}

/// How far each is above the leaves below it.
struct Heights {
    of: Vec<u32>,
    /// All that have messages, children before their parents.
    order: Vec<u32>,
}

impl Forest {
    /// The graph with its edges directed, if they go one way; and how many are used in the other direction too.
    fn new(traffic: &Traffic<'_>) -> Option<(Forest, u32)> {
        let ranks = traffic.ranks();
        // By who sends first, and who receives first.
        let (mut sends_to, mut hears_from) = (vec![NONE; ranks], vec![NONE; ranks]);
        let (mut is_gather, mut is_scatter, mut answered) = (true, true, 0);
        for to in traffic.places() {
            for link in traffic.heard(to) {
                let from = link.from;
                if let Some(back) = traffic.link(to, from) {
                    // Each end has to say that it is the first.
                    let (here, there) = (link.first_receive < back.first_send, link.first_send < back.first_receive);
                    if here != there {
                        return None;
                    }
                    if !here {
                        continue;
                    }
                    answered += 1;
                }
                is_gather &= sends_to[from as usize] == NONE;
                is_scatter &= hears_from[to as usize] == NONE;
                sends_to[from as usize] = to;
                hears_from[to as usize] = from;
            }
            if !is_gather && !is_scatter {
                return None;
            }
        }
        let (way, parent) = if is_gather { (Way::Gather, sends_to) } else { (Way::Scatter, hears_from) };
        let mut first_child = vec![0; ranks + 1];
        for parent in parent.iter().filter(|parent| **parent != NONE) {
            first_child[*parent as usize + 1] += 1;
        }
        for place in 0..ranks {
            first_child[place + 1] += first_child[place];
        }
        let mut next = first_child.clone();
        let mut children = vec![0; first_child[ranks] as usize];
        for (child, parent) in parent.iter().enumerate().filter(|(_, parent)| **parent != NONE) {
            let next = &mut next[*parent as usize];
            children[*next as usize] = child as u32;
            *next += 1;
        }
        Some((Forest { way, parent, first_child, children }, answered))
    }

    fn parent(&self, place: u32) -> Option<u32> {
        Some(self.parent[place as usize]).filter(|parent| *parent != NONE)
    }

    fn children(&self, place: u32) -> &[u32] {
        let place = place as usize;
        &self.children[self.first_child[place] as usize..self.first_child[place + 1] as usize]
    }

    /// From the leaves up; none if there is a cycle.
    fn heights(&self) -> Option<Heights> {
        let ranks = self.parent.len();
        let mut open: Vec<u32> = (0..ranks as u32).map(|place| self.children(place).len() as u32).collect();
        let mut of = vec![0u32; ranks];
        let is_alone = |place: u32| self.parent(place).is_none() && self.children(place).is_empty();
        let nodes = (0..ranks as u32).filter(|place| !is_alone(*place));
        let mut order: Vec<u32> = nodes.clone().filter(|place| self.children(*place).is_empty()).collect();
        let mut next = 0;
        while next < order.len() {
            let place = order[next];
            next += 1;
            let Some(parent) = self.parent(place) else { continue };
            of[parent as usize] = of[parent as usize].max(of[place as usize] + 1);
            open[parent as usize] -= 1;
            if open[parent as usize] == 0 {
                order.push(parent);
            }
        }
        (order.len() == nodes.count()).then_some(Heights { of, order })
    }

    /// Whether nobody sends up before it has heard from all below, or down before it has heard from above. Where nobody is
    /// between root and leaves, the root has to hear from all before it answers: else it serves one after the other.
    fn is_in_order(&self, traffic: &Traffic<'_>, heights: &Heights) -> bool {
        let is_flat = heights.of.iter().all(|height| *height <= 1);
        let first_send = |from: u32, to: u32| traffic.link(from, to).map(|link| link.first_send);
        let first_receive = |from: u32, to: u32| traffic.link(from, to).map(|link| link.first_receive);
        traffic.places().all(|place| {
            let (parent, children) = (self.parent(place), self.children(place).iter().copied());
            let (first, then) = match self.way {
                Way::Gather => (
                    children.clone().filter_map(|child| first_receive(child, place)).max(),
                    match parent {
                        Some(parent) => first_send(place, parent),
                        None if is_flat => children.filter_map(|child| first_send(place, child)).min(),
                        None => None,
                    },
                ),
                Way::Scatter => match parent {
                    Some(parent) => {
                        (first_receive(parent, place), children.filter_map(|child| first_send(place, child)).min())
                    }
                    None if is_flat => (
                        children.clone().filter_map(|child| first_send(place, child)).max(),
                        children.filter_map(|child| first_receive(child, place)).min(),
                    ),
                    None => (None, None),
                },
            };
            first.zip(then).is_none_or(|(first, then)| first < then)
        })
    }

    /// Whether inner nodes are leaves too. Such a node has a part of the tree of every height below its own beside it.
    fn is_overloaded(&self, heights: &Heights) -> bool {
        let mut below = Vec::new();
        let mut has_levels = false;
        for place in &heights.order {
            let height = heights.of[*place as usize];
            below.clear();
            below.extend(self.children(*place).iter().map(|child| heights.of[*child as usize]));
            below.sort_unstable();
            below.dedup();
            if below.len() as u32 != height {
                return false;
            }
            has_levels |= height > 1;
        }
        has_levels
    }

    /// How many others an inner node that is a leaf too takes at each level: as many as it mostly takes at the lowest one.
    fn width(&self, traffic: &Traffic<'_>) -> u32 {
        let mut times: FxHashMap<u32, u32> = FxHashMap::default();
        let mut children = Vec::new();
        for place in traffic.places() {
            // Leaves come first; those of upper levels, at the edge of a tree that is not complete, after inner nodes.
            children.clear();
            children.extend(self.children(place).iter().map(|child| {
                let received = match self.way {
                    Way::Gather => traffic.link(*child, place).map(|link| link.first_receive),
                    Way::Scatter => None,
                };
                (received, !self.children(*child).is_empty())
            }));
            children.sort_unstable_by_key(|(received, is_inner)| (received.unwrap_or(u32::from(*is_inner)), *is_inner));
            let leaves = children.iter().take_while(|(_, is_inner)| !is_inner).count() as u32;
            if leaves > 0 {
                *times.entry(leaves).or_default() += 1;
            }
        }
        times.into_iter().max_by_key(|(leaves, times)| (*times, *leaves)).map_or(1, |(leaves, _)| leaves)
    }

    /// How many levels there are if an inner node is a leaf too, and takes so many others at each.
    fn levels(&self, heights: &Heights, width: u32) -> u32 {
        let mut levels = vec![0; self.parent.len()];
        let mut below = Vec::new();
        for place in &heights.order {
            below.clear();
            below.extend(self.children(*place).iter().map(|child| levels[*child as usize]));
            below.sort_unstable();
            let (mut level, mut taken) = (0, 0);
            for child in &below {
                if child + 1 > level {
                    (level, taken) = (child + 1, 0);
                } else if taken == width {
                    (level, taken) = (level + 1, 0);
                }
                taken += 1;
            }
            levels[*place as usize] = level;
        }
        levels.into_iter().max().unwrap_or(0)
    }
}
