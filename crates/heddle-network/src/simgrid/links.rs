//! The links of a SimGrid trace, by their names: which machine they are of, and which link of it each one is.

use heddle_model::LocationId;
use heddle_store::Store;
use heddle_topology::dragonfly::{Dragonfly, DragonflyPlan, Wiring};
use heddle_topology::fat_tree::{Cabling, End, FatTree, Xgft};
use heddle_topology::{Dimension, Element, Link, Shape, Topology, Torus};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the name of a link says. Where names alone do not tell two cables apart, their running number does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    /// `torus_link_from_0_to_1`: two nodes.
    Torus { from: u32, to: u32 },
    /// `link_from_127_111_64`: a node or a switch, a switch above it, the running number.
    Tree { lower: i64, upper: i64, cable: u64 },
    /// `local_link_from_router_3_to_node_1_7`: a router among all, a node on it.
    Node { router: u32, node: u32 },
    /// `green_link_in_chassis_2_between_routers_0_and_3_86`: a chassis of some group, two of its routers.
    Row { chassis: u32, one: u32, other: u32, cable: u64 },
    /// `black_link_in_group_0_between_chassis_1_and_2_blade_3_137`: the same blade of two chassis.
    Column { group: u32, one: u32, other: u32, blade: u32 },
    /// `blue_link_between_group_0_and_1_routers_1_and_12_162`: two groups.
    Global { one: u32, other: u32 },
}

impl Name {
    /// Reads `..._UP` or `..._DOWN`, and whether it is up.
    fn read(name: &str) -> Option<(Name, bool)> {
        // The Paje reader says in the name what a location without calls holds.
        let name = name.split(':').next()?.trim_end();
        let (name, up) = match name.strip_suffix("_UP") {
            Some(name) => (name, true),
            None => (name.strip_suffix("_DOWN")?, false),
        };
        let of = |start: &str, between: &[&str]| numbers(name.strip_prefix(start)?, between);
        let small = |number: u64| u32::try_from(number).ok();
        let found = if let Some(numbers) = of("local_link_from_router_", &["_to_node_", "_"]) {
            Name::Node { router: small(numbers[0])?, node: small(numbers[1])? }
        } else if let Some(numbers) = of("green_link_in_chassis_", &["_between_routers_", "_and_", "_"]) {
            let [chassis, one, other] = [0, 1, 2].map(|at| small(numbers[at]));
            Name::Row { chassis: chassis?, one: one?, other: other?, cable: numbers[3] }
        } else if let Some(numbers) = of("black_link_in_group_", &["_between_chassis_", "_and_", "_blade_", "_"]) {
            let [group, one, other, blade] = [0, 1, 2, 3].map(|at| small(numbers[at]));
            Name::Column { group: group?, one: one?, other: other?, blade: blade? }
        } else if let Some(numbers) = of("blue_link_between_group_", &["_and_", "_routers_", "_and_", "_"]) {
            Name::Global { one: small(numbers[0])?, other: small(numbers[1])? }
        } else if let Some((_, rest)) = name.rsplit_once("link_from_") {
            if let Some(numbers) = numbers(rest, &["_to_"]) {
                Name::Torus { from: small(numbers[0])?, to: small(numbers[1])? }
            } else {
                // Large trees have more switches than SimGrid has positive numbers for.
                let mut parts = rest.split('_');
                let (lower, upper) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
                let cable = parts.next()?.parse().ok()?;
                parts.next().is_none().then_some(Name::Tree { lower, upper, cable })?
            }
        } else {
            return None;
        };
        Some((found, up))
    }
}

/// The numbers of a text, with these words between them.
fn numbers(mut text: &str, between: &[&str]) -> Option<Vec<u64>> {
    let mut numbers = Vec::with_capacity(between.len() + 1);
    for word in between {
        let (number, rest) = text.split_once(word)?;
        numbers.push(number.parse().ok()?);
        text = rest;
    }
    numbers.push(text.parse().ok()?);
    Some(numbers)
}

/// The links of a trace: locations that only hold counters.
pub(super) struct Links {
    all: Vec<(LocationId, Name, bool)>,
}

impl Links {
    pub(super) fn read(store: &Store) -> Links {
        let locations = &store.locations;
        let only_counters = (0..locations.len() as u32).filter(|at| locations.kind.get(u64::from(*at)) == "metric");
        Links::named(only_counters.map(|at| (LocationId(at), locations.name.get(u64::from(at)))))
    }

    fn named<'a>(names: impl Iterator<Item = (LocationId, &'a str)>) -> Links {
        let read = |(location, name)| Name::read(name).map(|(name, up)| (location, name, up));
        Links { all: names.filter_map(read).collect() }
    }

    /// The machine that the names describe. `capacity` tells what is known of a link.
    pub(super) fn shape(&self, capacity: &FxHashMap<LocationId, f64>) -> Option<Shape> {
        match self.all.first()?.1 {
            Name::Torus { .. } => self.torus(capacity).map(Shape::Torus),
            Name::Tree { .. } => self.tree(capacity).map(Shape::FatTree),
            _ => self.dragonfly(capacity).map(Shape::Dragonfly),
        }
    }

    /// Which link of a machine each one is.
    pub(super) fn of_locations(&self, shape: &Shape) -> FxHashMap<LocationId, Link> {
        match shape {
            Shape::Torus(torus) => self.of_torus(torus),
            Shape::FatTree(tree) => self.of_tree(tree),
            Shape::Dragonfly(fly) => self.of_dragonfly(fly),
        }
    }

    /// A torus: sizes follow from how far apart the nodes are that links join.
    fn torus(&self, capacity: &FxHashMap<LocationId, f64>) -> Option<Torus> {
        let named = |name: &Name| if let Name::Torus { from, to } = name { Some((*from, *to)) } else { None };
        let links = || self.all.iter().filter_map(|(at, name, up)| Some((*at, named(name)?, *up)));
        let nodes = links().map(|(_, (from, to), _)| from.max(to).saturating_add(1)).max()?;
        // Node 0 has a cable towards + in each dimension; the nodes at their other ends are the strides.
        let from_0 = links().filter(|(_, (from, to), up)| *up && *from == 0 && *to > 0);
        let mut strides: Vec<(u32, LocationId)> = from_0.map(|(at, (_, to), _)| (to, at)).collect();
        strides.sort_unstable();
        strides.dedup_by_key(|(stride, _)| *stride);
        if strides.first().map(|(stride, _)| *stride) != Some(1) {
            return None;
        }
        let ends = strides.iter().skip(1).map(|(stride, _)| *stride).chain([nodes]);
        let sizes =
            strides.iter().zip(ends).map(|((stride, _), end)| end.is_multiple_of(*stride).then(|| end / stride));
        let mut dimensions = Dimension::named(&sizes.collect::<Option<Vec<u32>>>()?, true);
        for (dimension, (_, location)) in dimensions.iter_mut().zip(&strides) {
            // SimGrid joins the two nodes of a dimension of size 2 by two cables.
            dimension.cables = 2;
            dimension.capacity = capacity.get(location).copied();
        }
        Torus::new(dimensions).ok()
    }

    fn of_torus(&self, torus: &Torus) -> FxHashMap<LocationId, Link> {
        let mut taken: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        let mut found = FxHashMap::default();
        for (location, name, up) in &self.all {
            let Name::Torus { from, to } = *name else { continue };
            let (from, to) = if *up { (from, to) } else { (to, from) };
            // Between two nodes there are two cables in a dimension of size 2: the first named is the one towards +.
            let nth = taken.entry((from, to)).or_default();
            if from < torus.elements()
                && to < torus.elements()
                && let Some(link) = torus.links_between(Element(from), Element(to)).nth(*nth)
            {
                found.insert(*location, link);
            }
            *nth += 1;
        }
        found
    }
}

/// A cable of a tree. Nodes come first, then switches, layer by layer.
struct TreeCable {
    lower: u32,
    upper: u32,
    /// Which of those between the same two.
    nth: u32,
    /// Up and down.
    locations: [Option<LocationId>; 2],
}

/// The cables of a tree and how many nodes there are.
struct TreeCables {
    nodes: u32,
    cables: Vec<TreeCable>,
}

impl TreeCables {
    /// The number that SimGrid has for a switch. It counts them down from twice the number of nodes, layer by layer.
    fn switch_number(&self, element: u32) -> i64 {
        3 * i64::from(self.nodes) - 1 - i64::from(element)
    }

    /// The tree by rule that the first element of each layer suggests.
    fn rule(&self) -> Option<Xgft> {
        let count = |end: fn(&TreeCable) -> (u32, u32), of: u32| {
            let others: Vec<u32> =
                self.cables.iter().map(end).filter(|(at, _)| *at == of).map(|(_, other)| other).collect();
            let distinct = others.iter().collect::<FxHashSet<_>>().len();
            (others.len() as u32, distinct as u32)
        };
        let (mut children, mut parents, mut cables) = (Vec::new(), Vec::new(), Vec::new());
        let (mut first, mut in_layer) = (0_u32, self.nodes);
        loop {
            let (up, above) = count(|cable| (cable.lower, cable.upper), first);
            if above == 0 {
                break;
            }
            let next = first.checked_add(in_layer)?;
            let (_, below) = count(|cable| (cable.upper, cable.lower), next);
            if below == 0 || !up.is_multiple_of(above) || !in_layer.is_multiple_of(below) || children.len() > 32 {
                return None;
            }
            children.push(below);
            parents.push(above);
            cables.push(up / above);
            (first, in_layer) = (next, (in_layer / below).checked_mul(above)?);
        }
        Some(Xgft::with(children, parents, cables))
    }

    /// The link of a tree by rule that a cable is, up.
    fn link(tree: &FatTree, cable: &TreeCable) -> Option<Link> {
        if cable.lower >= tree.elements() {
            return None;
        }
        let mut between =
            tree.up(Element(cable.lower)).iter().filter(|known| tree.cable(**known).1 == Element(cable.upper));
        between.nth(cable.nth as usize).map(|known| Link(2 * known))
    }
}

impl Links {
    /// The cables of a tree, in the order in which SimGrid made them.
    fn tree_cables(&self) -> Option<TreeCables> {
        let mut named: Vec<(u64, i64, i64, bool, LocationId)> = self
            .all
            .iter()
            .filter_map(|(location, name, up)| match *name {
                Name::Tree { lower, upper, cable } => Some((cable, lower, upper, !up, *location)),
                _ => None,
            })
            .collect();
        named.sort_unstable();
        // The first switch has the number before twice the number of nodes.
        let nodes = named.iter().map(|(_, _, upper, ..)| upper.saturating_add(1) / 2).max()?;
        let nodes = u32::try_from(nodes).ok().filter(|nodes| (1..=named.len() as u32).contains(nodes))?;
        let switch = |number: i64| u32::try_from(3 * i64::from(nodes) - 1 - number).ok().filter(|at| *at >= nodes);
        let (mut begun, mut last): (u32, Option<i64>) = (0, None);
        let mut between: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut cables = Vec::new();
        for same in named.chunk_by(|one, next| one.0 == next.0) {
            let (_, lower, upper, ..) = same[0];
            begun += u32::from(last != Some(lower));
            last = Some(lower);
            // In a tree with more switches than nodes their numbers are those of nodes too; but nodes come first.
            let is_node = (0..i64::from(nodes)).contains(&lower) && begun <= nodes;
            let (lower, upper) = (if is_node { lower as u32 } else { switch(lower)? }, switch(upper)?);
            let nth = between.entry((lower, upper)).or_default();
            let location = |down: bool| same.iter().find(|entry| entry.3 == down).map(|entry| entry.4);
            cables.push(TreeCable { lower, upper, nth: *nth, locations: [location(false), location(true)] });
            *nth += 1;
        }
        Some(TreeCables { nodes, cables })
    }

    /// A tree: by rule if all its cables are those of one, else as it is.
    fn tree(&self, capacity: &FxHashMap<LocationId, f64>) -> Option<FatTree> {
        let found = self.tree_cables()?;
        let capacity_of = |cable: &TreeCable| cable.locations.iter().flatten().find_map(|at| capacity.get(at)).copied();
        if let Some(mut rule) = found.rule() {
            let (mut first, mut in_layer) = (0, found.nodes);
            for layer in 0..rule.layers() {
                let of_layer = |cable: &&TreeCable| (first..first + in_layer).contains(&cable.lower);
                rule.capacity[layer] = found.cables.iter().find(of_layer).and_then(capacity_of);
                (first, in_layer) = (first + in_layer, in_layer / rule.children[layer] * rule.parents[layer]);
            }
            if let Ok(tree) = FatTree::new(rule)
                && tree.cables() as usize == found.cables.len()
                && found.cables.iter().all(|cable| TreeCables::link(&tree, cable).is_some())
            {
                return Some(tree);
            }
        }
        let end = |at: u32| if at < found.nodes { End::Host(at) } else { End::Switch(at - found.nodes) };
        let switches = found.cables.iter().map(|cable| cable.upper + 1).max()? - found.nodes;
        // Each has at least a cable.
        if switches as usize > found.cables.len() {
            return None;
        }
        let cabling = Cabling {
            hosts: (0..found.nodes).map(|node| format!("node {node}")).collect(),
            switches: (found.nodes..found.nodes + switches)
                .map(|at| format!("switch {}", found.switch_number(at)))
                .collect(),
            cables: found.cables.iter().map(|cable| (end(cable.lower), end(cable.upper))).collect(),
            capacities: found.cables.iter().map(capacity_of).collect(),
            ..Cabling::default()
        };
        FatTree::from_cabling(cabling).ok()
    }

    fn of_tree(&self, tree: &FatTree) -> FxHashMap<LocationId, Link> {
        let Some(mut found) = self.tree_cables() else { return FxHashMap::default() };
        if tree.is_named() {
            let number = (0..tree.elements()).map(|at| (tree.label(Element(at)), at)).collect::<FxHashMap<_, _>>();
            let label = |at: u32| match at.checked_sub(found.nodes) {
                None => format!("node {at}"),
                Some(_) => format!("switch {}", found.switch_number(at)),
            };
            let number = |at: u32| number.get(&label(at)).copied().unwrap_or(u32::MAX);
            let ends: Vec<(u32, u32)> =
                found.cables.iter().map(|cable| (number(cable.lower), number(cable.upper))).collect();
            for (cable, (lower, upper)) in found.cables.iter_mut().zip(ends) {
                (cable.lower, cable.upper) = (lower, upper);
            }
        }
        let mut links = FxHashMap::default();
        for cable in &found.cables {
            let Some(link) = TreeCables::link(tree, cable) else { continue };
            for (location, way) in cable.locations.iter().zip(0..) {
                links.extend(location.map(|location| (location, Link(link.0 + way))));
            }
        }
        links
    }

    /// A dragonfly; parallel cables are one link of SimGrid's.
    fn dragonfly(&self, capacity: &FxHashMap<LocationId, f64>) -> Option<Dragonfly> {
        let mut plan = DragonflyPlan {
            groups: 1,
            rows: 1,
            columns: 1,
            nodes: 1,
            global: 1,
            wiring: Wiring::Simgrid,
            capacity: [None; 4],
        };
        let mut routers = 0;
        for (location, name, _) in &self.all {
            let at_least = |count: &mut u32, last: u32| *count = (*count).max(last.saturating_add(1));
            let class = match *name {
                Name::Node { router, node } => {
                    at_least(&mut routers, router);
                    at_least(&mut plan.nodes, node);
                    0
                }
                Name::Row { chassis, other, .. } => {
                    at_least(&mut plan.rows, chassis);
                    at_least(&mut plan.columns, other);
                    1
                }
                Name::Column { group, other, blade, .. } => {
                    at_least(&mut plan.groups, group);
                    at_least(&mut plan.rows, other);
                    at_least(&mut plan.columns, blade);
                    2
                }
                Name::Global { other, .. } => {
                    at_least(&mut plan.groups, other);
                    3
                }
                Name::Torus { .. } | Name::Tree { .. } => continue,
            };
            plan.capacity[class] = plan.capacity[class].or_else(|| capacity.get(location).copied());
        }
        let product = u64::from(plan.groups) * u64::from(plan.rows).checked_mul(u64::from(plan.columns))?;
        (product == u64::from(routers)).then(|| Dragonfly::new(plan).ok()).flatten()
    }

    fn of_dragonfly(&self, fly: &Dragonfly) -> FxHashMap<LocationId, Link> {
        let plan = fly.plan();
        // A name does not say of which group a chassis is. They were made group by group.
        let mut rows: Vec<(u32, u32, u32, u64)> = self.all.iter().filter_map(|(_, name, up)| row(name, *up)).collect();
        rows.sort_unstable();
        let group_of = |chassis, one, other, cable| {
            let first = rows.partition_point(|row| *row < (chassis, one, other, 0));
            (rows.partition_point(|row| *row < (chassis, one, other, cable)) - first) as u32
        };
        let router = |group: u32, chassis: u32, blade: u32| {
            let is_there = group < plan.groups && chassis < plan.rows && blade < plan.columns;
            is_there.then(|| (group * plan.rows + chassis) * plan.columns + blade)
        };
        let link = |name: &Name| match *name {
            Name::Node { router, node } => {
                let is_there = router < fly.routers() && node < plan.nodes;
                is_there.then(|| Link(2 * (router * plan.nodes + node)))
            }
            Name::Row { chassis, one, other, cable } => {
                let group = group_of(chassis, one, other, cable);
                fly.local_link(router(group, chassis, one)?, router(group, chassis, other)?)
            }
            Name::Column { group, one, other, blade } => {
                fly.local_link(router(group, one, blade)?, router(group, other, blade)?)
            }
            Name::Global { one, other } if one.max(other) < plan.groups => fly.global_links(one, other).next(),
            _ => None,
        };
        let of =
            |(location, name, up): &(LocationId, Name, bool)| Some((*location, Link(link(name)?.0 ^ u32::from(!up))));
        self.all.iter().filter_map(of).collect()
    }
}

/// The chassis, routers and running number of a cable within a chassis.
fn row(name: &Name, up: bool) -> Option<(u32, u32, u32, u64)> {
    match *name {
        Name::Row { chassis, one, other, cable } if up => Some((chassis, one, other, cable)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
