//! The model's system tree, cut in the two parts that OTF2 has: places, and the processes on them.
//!
//! Every location of an archive lies in a process ("location group") and every process in a place. Where
//! the model has no such parent, one is made up and named after what it is for.

use heddle_model::{Definitions, Rank, SystemNode, SystemNodeId};
use rustc_hash::FxHashMap;

const KIND_PROCESS: u8 = 1;
const KIND_ACCELERATOR: u8 = 2;
const MACHINE: &str = "machine";
const NODE: &str = "node";

/// A place in the system tree: machine, rack, node.
pub(super) struct TreeNode<'a> {
    pub(super) name: &'a str,
    pub(super) class: &'a str,
    pub(super) parent: Option<u32>,
}

impl TreeNode<'_> {
    /// The format's own number for what the class says in words.
    pub(super) fn domain(&self) -> Option<u8> {
        match self.class {
            MACHINE => Some(0),
            NODE => Some(1),
            _ => None,
        }
    }
}

/// A process or accelerator context.
pub(super) struct LocationGroup<'a> {
    pub(super) name: &'a str,
    pub(super) kind: u8,
    /// The place that it is on.
    pub(super) parent: u32,
    /// The process that made an accelerator context.
    pub(super) creator: Option<u32>,
}

/// The two parts of the tree. Positions are ids.
pub(super) struct Places<'a> {
    pub(super) nodes: Vec<TreeNode<'a>>,
    pub(super) groups: Vec<LocationGroup<'a>>,
    /// The group of each location.
    pub(super) of_location: Vec<u32>,
}

/// What a node of the model's tree became.
#[derive(Clone, Copy)]
enum Became {
    Place(u32),
    Group(u32),
}

impl<'a> Places<'a> {
    pub(super) fn of(definitions: &'a Definitions) -> Self {
        let mut builder = Builder {
            definitions,
            places: Places { nodes: Vec::new(), groups: Vec::new(), of_location: Vec::new() },
            became: Vec::with_capacity(definitions.system_tree.len()),
            made_up: FxHashMap::default(),
        };
        for node in &definitions.system_tree {
            let became = builder.node(node);
            builder.became.push(became);
        }
        for at in 0..definitions.locations.len() {
            let group = builder.group_of(at);
            builder.places.of_location.push(group);
        }
        builder.places
    }
}

struct Builder<'a> {
    definitions: &'a Definitions,
    places: Places<'a>,
    became: Vec<Became>,
    /// Processes made up, by place and rank: threads that share a rank share their process.
    made_up: FxHashMap<(Option<SystemNodeId>, Rank), u32>,
}

impl<'a> Builder<'a> {
    fn node(&mut self, node: &'a SystemNode) -> Became {
        let kind = match node.class.as_str() {
            SystemNode::PROCESS => KIND_PROCESS,
            SystemNode::ACCELERATOR => KIND_ACCELERATOR,
            class => {
                let parent = self.ancestor(node.parent, |became| match became {
                    Became::Place(place) => Some(place),
                    Became::Group(_) => None,
                });
                return Became::Place(self.add_place(TreeNode { name: &node.name, class, parent }));
            }
        };
        let creator = self.ancestor(node.parent, |became| match became {
            Became::Group(group) if kind == KIND_ACCELERATOR => Some(group),
            _ => None,
        });
        let parent = self.place(node.parent);
        Became::Group(self.add_group(LocationGroup { name: &node.name, kind, parent, creator }))
    }

    /// The nearest of a node and those above it that `wanted` takes. Parents come before children, so
    /// a parent that is not yet known can only be damage, and ends the way.
    fn ancestor(&self, from: Option<SystemNodeId>, wanted: impl Fn(Became) -> Option<u32>) -> Option<u32> {
        let mut next = from;
        while let Some(node) = next {
            if let Some(found) = wanted(*self.became.get(node.index())?) {
                return Some(found);
            }
            next = self.definitions.system_tree[node.index()].parent.filter(|parent| *parent < node);
        }
        None
    }

    /// The place that a process below `from` is on.
    fn place(&mut self, from: Option<SystemNodeId>) -> u32 {
        let place = self.ancestor(from, |became| match became {
            Became::Place(place) => Some(place),
            Became::Group(_) => None,
        });
        match place {
            Some(place) => place,
            // The first place is a root: whoever lies nowhere lies there.
            None if !self.places.nodes.is_empty() => 0,
            None => self.add_place(TreeNode { name: MACHINE, class: MACHINE, parent: None }),
        }
    }

    fn group_of(&mut self, at: usize) -> u32 {
        let location = &self.definitions.locations[at];
        if let Some(Became::Group(group)) = location.parent.and_then(|parent| self.became.get(parent.index())) {
            return *group;
        }
        let key = (location.parent, location.rank);
        if let Some(group) = self.made_up.get(&key) {
            return *group;
        }
        let parent = self.place(location.parent);
        let group = self.add_group(LocationGroup { name: &location.name, kind: KIND_PROCESS, parent, creator: None });
        if location.rank.is_some() {
            self.made_up.insert(key, group);
        }
        group
    }

    fn add_place(&mut self, place: TreeNode<'a>) -> u32 {
        self.places.nodes.push(place);
        self.places.nodes.len() as u32 - 1
    }

    fn add_group(&mut self, group: LocationGroup<'a>) -> u32 {
        self.places.groups.push(group);
        self.places.groups.len() as u32 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_model::{Location, LocationKind};

    fn node(name: &str, class: &str, parent: Option<u32>) -> SystemNode {
        SystemNode { name: name.into(), class: class.into(), parent: parent.map(SystemNodeId) }
    }

    fn location(parent: Option<u32>, rank: Rank) -> Location {
        let parent = parent.map(SystemNodeId);
        Location { file_id: 0, name: "thread".into(), kind: LocationKind::CpuThread, parent, rank }
    }

    #[test]
    fn processes_leave_the_tree() {
        let definitions = Definitions {
            system_tree: vec![
                node("m", "machine", None),
                node("n", "node", Some(0)),
                node("p", "process", Some(1)),
                node("gpu", "accelerator", Some(2)),
                node("rack", "rack", Some(0)),
            ],
            locations: vec![location(Some(2), Rank(0)), location(Some(3), Rank(0)), location(Some(4), Rank(1))],
            ..Definitions::default()
        };
        let places = Places::of(&definitions);
        let parents: Vec<_> = places.nodes.iter().map(|node| (node.name, node.parent, node.domain())).collect();
        assert_eq!(parents, [("m", None, Some(0)), ("n", Some(0), Some(1)), ("rack", Some(0), None)]);
        let groups: Vec<_> = places.groups.iter().map(|g| (g.name, g.kind, g.parent, g.creator)).collect();
        assert_eq!(groups, [("p", 1, 1, None), ("gpu", 2, 1, Some(0)), ("thread", 1, 2, None)]);
        assert_eq!(places.of_location, [0, 1, 2]);
    }

    #[test]
    fn what_lies_nowhere_gets_a_process_and_a_machine() {
        let locations = vec![
            location(None, Rank(0)),
            location(None, Rank(0)),
            location(None, Rank::NONE),
            location(None, Rank::NONE),
        ];
        let definitions = Definitions { locations, ..Definitions::default() };
        let places = Places::of(&definitions);
        assert_eq!(places.nodes.len(), 1);
        assert_eq!(places.of_location, [0, 0, 1, 2], "threads of a rank share their process");
        assert!(places.groups.iter().all(|group| group.parent == 0));
    }
}
