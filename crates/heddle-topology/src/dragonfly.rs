//! Dragonflies: groups of routers that are near each other, and cables from every group to every other.
//!
//! The routers of a group stand in rows and columns; those of one row are all joined, and those of one column. One row is a
//! group in which every router is joined to every other, as Slingshot has it; sixteen columns in six rows are a group of Aries.
//! Nodes come first, router by router, then routers, group by group. Cables stand class by class; each is two links: from the
//! node, and within and between groups from the router with the lower number, is the even one.

use crate::{Element, Link, LinkClass, ShapeError, Topology};

/// The most elements, and the most cables, that there can be.
const MOST: u64 = 1 << 25;

/// What a dragonfly is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct DragonflyPlan {
    /// Groups.
    pub groups: u32,
    /// Rows of routers in a group: chassis.
    pub rows: u32,
    /// Routers of a row: blades.
    pub columns: u32,
    /// Nodes on a router.
    pub nodes: u32,
    /// Cables between any two groups.
    pub global: u32,
    /// Which routers these are plugged into.
    pub wiring: Wiring,
    /// Bytes per second in one direction of a link, by class: to nodes, in a row, in a column, between groups.
    pub capacity: [Option<f64>; 4],
}

/// Which routers of a group the cables to other groups are plugged into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wiring {
    /// One after the other, so that all have as many as any other, or one less.
    Even,
    /// The router with the number of the other group, as SimGrid does it.
    Simgrid,
}

/// A dragonfly.
#[derive(Clone, Debug, PartialEq)]
pub struct Dragonfly {
    plan: DragonflyPlan,
    classes: Vec<LinkClass>,
    /// What each class is of.
    kinds: Vec<CableKind>,
    first_cables: Vec<u32>,
    /// Both ends of each cable, class by class.
    cables: Vec<(u32, u32)>,
    /// By router: its cables to other routers, with the router at the other end.
    beside: Vec<Vec<(u32, u32)>>,
}

/// What a cable joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CableKind {
    /// A node and its router.
    Node,
    /// Two routers of a row.
    Row,
    /// Two routers of a column.
    Column,
    /// Two groups.
    Global,
}

impl DragonflyPlan {
    /// A plan with as many cables between groups as a balanced machine has: each router has as many to other groups as nodes.
    pub fn balanced(groups: u32, rows: u32, columns: u32, nodes: u32) -> DragonflyPlan {
        let ports = u64::from(rows) * u64::from(columns) * u64::from(nodes);
        let global = (ports / u64::from(groups.saturating_sub(1).max(1))).clamp(1, 1 << 16) as u32;
        DragonflyPlan { groups, rows, columns, nodes, global, wiring: Wiring::Even, capacity: [None; 4] }
    }

    fn text(&self) -> String {
        let sizes = match self.rows {
            1 => format!("{}x{}x{}", self.groups, self.columns, self.nodes),
            rows => format!("{}x{rows}x{}x{}", self.groups, self.columns, self.nodes),
        };
        format!("dragonfly:{sizes}:{}", self.global)
    }
}

impl Dragonfly {
    /// A dragonfly of that plan.
    pub fn new(plan: DragonflyPlan) -> Result<Dragonfly, ShapeError> {
        let DragonflyPlan { groups, rows, columns, nodes, global, wiring, capacity } = plan.clone();
        if [groups, rows, columns, nodes, global].contains(&0) {
            return Err(ShapeError::NotADragonfly(plan.text()));
        }
        let large = u128::from;
        let pairs = |count: u32| large(count) * (large(count) - 1) / 2;
        let routers = large(groups) * large(rows) * large(columns);
        let local = large(groups) * (large(rows) * pairs(columns) + large(columns) * pairs(rows));
        let all_cables = routers * large(nodes) + local + pairs(groups) * large(global);
        if routers * (large(nodes) + 1) > u128::from(MOST) || all_cables > u128::from(MOST) {
            return Err(ShapeError::TooLarge(plan.text()));
        }
        if wiring == Wiring::Simgrid && groups > columns {
            return Err(ShapeError::NotADragonfly(plan.text()));
        }
        let per_group = rows * columns;
        let routers = groups * per_group;
        let hosts = routers * nodes;
        let (mut cables, mut classes, mut kinds, mut first_cables) = (Vec::new(), Vec::new(), Vec::new(), vec![0]);
        for (kind, capacity) in
            [CableKind::Node, CableKind::Row, CableKind::Column, CableKind::Global].into_iter().zip(capacity)
        {
            let before = cables.len();
            let router = |group: u32, row: u32, column: u32| hosts + group * per_group + row * columns + column;
            match kind {
                CableKind::Node => cables.extend((0..hosts).map(|node| (node, hosts + node / nodes))),
                CableKind::Row => {
                    for (group, row) in (0..groups).flat_map(|group| (0..rows).map(move |row| (group, row))) {
                        for one in 0..columns {
                            let others = one + 1..columns;
                            cables.extend(others.map(|other| (router(group, row, one), router(group, row, other))));
                        }
                    }
                }
                CableKind::Column => {
                    for (group, column) in (0..groups).flat_map(|group| (0..columns).map(move |at| (group, at))) {
                        for one in 0..rows {
                            let others = one + 1..rows;
                            cables
                                .extend(others.map(|other| (router(group, one, column), router(group, other, column))));
                        }
                    }
                }
                CableKind::Global => {
                    for one in 0..groups {
                        for other in one + 1..groups {
                            cables.extend((0..global).map(|cable| {
                                let from = plan.gate(one, other, cable);
                                let to = plan.gate(other, one, cable);
                                (hosts + one * per_group + from, hosts + other * per_group + to)
                            }));
                        }
                    }
                }
            }
            if cables.len() > before {
                kinds.push(kind);
                classes.push(LinkClass { kind: "dragonfly", name: kind.name(rows > 1).to_owned(), capacity });
                first_cables.push(cables.len() as u32);
            }
        }
        let mut beside = vec![Vec::new(); routers as usize];
        for (cable, (one, other)) in cables.iter().enumerate().skip(hosts as usize) {
            beside[(one - hosts) as usize].push((cable as u32, other - hosts));
            beside[(other - hosts) as usize].push((cable as u32, one - hosts));
        }
        Ok(Dragonfly { plan, classes, kinds, first_cables, cables, beside })
    }

    /// What it is made of.
    pub fn plan(&self) -> &DragonflyPlan {
        &self.plan
    }

    /// Routers of a group.
    pub fn per_group(&self) -> u32 {
        self.plan.rows * self.plan.columns
    }

    /// Number of routers.
    pub fn routers(&self) -> u32 {
        self.plan.groups * self.per_group()
    }

    /// The element of a router, by its number among all.
    pub fn router(&self, number: u32) -> Element {
        Element(self.hosts() + number)
    }

    /// The number of the router that an element is, or hangs on.
    pub fn router_of(&self, element: Element) -> u32 {
        match element.0.checked_sub(self.hosts()) {
            Some(router) => router,
            None => element.0 / self.plan.nodes,
        }
    }

    /// The group of an element.
    pub fn group_of(&self, element: Element) -> u32 {
        self.router_of(element) / self.per_group()
    }

    /// What a cable joins.
    pub fn kind(&self, cable: u32) -> CableKind {
        self.kinds[self.first_cables.partition_point(|first| *first <= cable) - 1]
    }

    /// Number of cables.
    pub fn cables(&self) -> u32 {
        self.cables.len() as u32
    }

    /// Cables of a router to other routers, with the number of the router at the other end.
    pub fn beside(&self, router: u32) -> &[(u32, u32)] {
        &self.beside[router as usize]
    }

    /// The link over which a router sends straight to another of its row or column.
    pub fn local_link(&self, from: u32, to: u32) -> Option<Link> {
        let DragonflyPlan { groups, rows, columns, .. } = self.plan;
        let (one, other) = (from.min(to), from.max(to));
        let first_row = self.hosts();
        // Row by row, then column by column.
        let cable = if one == other || other >= self.routers() {
            return None;
        } else if one / columns == other / columns {
            first_row + one / columns * pairs(columns) + pair(one % columns, other % columns, columns)
        } else if one % columns == other % columns && one / self.per_group() == other / self.per_group() {
            let first_column = first_row + groups * rows * pairs(columns);
            let column = one / self.per_group() * columns + one % columns;
            first_column + column * pairs(rows) + pair(one / columns % rows, other / columns % rows, rows)
        } else {
            return None;
        };
        Some(Link(2 * cable + u32::from(from > to)))
    }

    /// The links from a group straight to another.
    pub fn global_links(&self, from: u32, to: u32) -> impl ExactSizeIterator<Item = Link> + use<> {
        let (one, other) = (from.min(to), from.max(to));
        let groups = self.plan.groups;
        let pair = if from == to { 0 } else { pair(one, other, groups) };
        let at = self.kinds.iter().position(|kind| *kind == CableKind::Global);
        let first = at.map_or(0, |at| self.first_cables[at]) + pair * self.plan.global;
        let count = if from == to { 0 } else { self.plan.global };
        (first..first + count).map(move |cable| Link(2 * cable + u32::from(from > to)))
    }
}

/// Pairs of so many.
fn pairs(count: u32) -> u32 {
    count * (count - 1) / 2
}

/// The number of a pair, the lower one first: those of the ones before `one`, then those of `one` before `other`.
fn pair(one: u32, other: u32, count: u32) -> u32 {
    one * (2 * count - one - 1) / 2 + other - one - 1
}

impl DragonflyPlan {
    /// The router within a group that a cable to another group is plugged into.
    fn gate(&self, group: u32, other: u32, cable: u32) -> u32 {
        match self.wiring {
            Wiring::Simgrid => other,
            Wiring::Even => {
                let nth = if other < group { other } else { other - 1 };
                let ports = u64::from(self.groups - 1) * u64::from(self.global);
                let routers = u64::from(self.rows) * u64::from(self.columns);
                ((u64::from(nth) * u64::from(self.global) + u64::from(cable)) * routers / ports.max(1)) as u32
            }
        }
    }
}

impl CableKind {
    fn name(self, has_rows: bool) -> &'static str {
        match self {
            CableKind::Node => "node",
            CableKind::Row if has_rows => "row",
            CableKind::Row => "local",
            CableKind::Column => "column",
            CableKind::Global => "global",
        }
    }
}

impl Topology for Dragonfly {
    fn elements(&self) -> u32 {
        self.hosts() + self.routers()
    }

    fn hosts(&self) -> u32 {
        self.routers() * self.plan.nodes
    }

    fn links(&self) -> u32 {
        2 * self.cables()
    }

    fn ends(&self, link: Link) -> (Element, Element) {
        let (one, other) = self.cables[link.index() / 2];
        if link.0.is_multiple_of(2) { (Element(one), Element(other)) } else { (Element(other), Element(one)) }
    }

    fn opposite(&self, link: Link) -> Option<Link> {
        Some(Link(link.0 ^ 1))
    }

    fn classes(&self) -> &[LinkClass] {
        &self.classes
    }

    fn class(&self, link: Link) -> usize {
        self.first_cables.partition_point(|first| *first <= link.0 / 2) - 1
    }

    fn direction(&self, link: Link) -> &'static str {
        match (self.kind(link.0 / 2), link.0 % 2) {
            (CableKind::Node, 0) => "up",
            (CableKind::Node, _) => "down",
            (_, 0) => "+",
            _ => "-",
        }
    }

    fn layer(&self, element: Element) -> u32 {
        u32::from(element.0 >= self.hosts())
    }

    fn address(&self, element: Element) -> Vec<u32> {
        let router = self.router_of(element);
        let mut address = vec![router / self.per_group(), router % self.per_group()];
        if element.0 < self.hosts() {
            address.push(element.0 % self.plan.nodes);
        }
        address
    }

    fn at(&self, address: &[u32]) -> Option<Element> {
        let (group, router, node) = match *address {
            [group, router] => (group, router, None),
            [group, router, node] => (group, router, Some(node)),
            _ => return None,
        };
        if group >= self.plan.groups || router >= self.per_group() {
            return None;
        }
        let router = group * self.per_group() + router;
        match node {
            None => Some(self.router(router)),
            Some(node) => (node < self.plan.nodes).then(|| Element(router * self.plan.nodes + node)),
        }
    }

    fn label(&self, element: Element) -> String {
        let address: Vec<String> = self.address(element).iter().map(u32::to_string).collect();
        let what = if element.0 < self.hosts() { "node" } else { "router" };
        format!("{what} {}", address.join("."))
    }

    fn find(&self, label: &str) -> Option<Element> {
        let (what, address) = label.trim().split_once(' ')?;
        let address: Option<Vec<u32>> = address.split('.').map(|at| at.trim().parse().ok()).collect();
        let address = address.filter(|address| address.len() == if what == "node" { 3 } else { 2 })?;
        matches!(what, "node" | "router").then(|| self.at(&address))?
    }
}

impl std::fmt::Display for Dragonfly {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.plan.text())
    }
}

impl std::str::FromStr for DragonflyPlan {
    type Err = ShapeError;

    /// `74x32x4`: groups, routers, nodes per router; `9x6x16x4` with routers in rows and columns; `:7` cables between two groups.
    fn from_str(text: &str) -> Result<DragonflyPlan, ShapeError> {
        let wrong = || ShapeError::NotADragonfly(text.to_owned());
        let (sizes, global) = match text.split_once(':') {
            Some((sizes, global)) => (sizes, Some(global.trim().parse().map_err(|_| wrong())?)),
            None => (text, None),
        };
        let sizes: Option<Vec<u32>> =
            sizes.split('x').map(|size| size.trim().parse().ok().filter(|n| *n > 0)).collect();
        let plan = match *sizes.ok_or_else(wrong)? {
            [groups, routers, nodes] => DragonflyPlan::balanced(groups, 1, routers, nodes),
            [groups, rows, columns, nodes] => DragonflyPlan::balanced(groups, rows, columns, nodes),
            _ => return Err(wrong()),
        };
        Ok(DragonflyPlan { global: global.unwrap_or(plan.global), ..plan })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> Dragonfly {
        Dragonfly::new(text.parse().unwrap()).unwrap()
    }

    #[test]
    fn every_two_groups_are_joined_and_labels_lead_back() {
        for text in ["3x4x2", "9x4x2:1", "3x3x4x2:2", "5x2x1:7", "1x4x2"] {
            let fly = made(text);
            for element in (0..fly.elements()).map(Element) {
                assert_eq!(fly.find(&fly.label(element)), Some(element));
                assert_eq!(fly.at(&fly.address(element)), Some(element));
            }
            for link in (0..fly.links()).map(Link) {
                let (from, to) = fly.ends(link);
                assert_eq!(fly.ends(fly.opposite(link).unwrap()), (to, from));
            }
            let groups = fly.plan().groups;
            for (one, other) in (0..groups).flat_map(|one| (0..groups).map(move |other| (one, other))) {
                let links: Vec<Link> = fly.global_links(one, other).collect();
                assert_eq!(links.len() as u32, if one == other { 0 } else { fly.plan().global }, "{text}");
                for link in links {
                    let (from, to) = fly.ends(link);
                    assert_eq!((fly.group_of(from), fly.group_of(to)), (one, other), "{text}");
                }
            }
        }
    }

    #[test]
    fn routers_have_as_many_cables_to_other_groups_as_any_other_or_one_less() {
        let fly = made("9x4x2:3");
        let of =
            |router: u32| fly.beside(router).iter().filter(|(cable, _)| fly.kind(*cable) == CableKind::Global).count();
        assert!((0..fly.routers()).all(|router| of(router) == 6));
        assert_eq!(made("74x32x4").hosts(), 9_472);
    }
}
