//! From raw definitions to the model's: ids become positions, regions merge by name, ranks find their
//! locations.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use heddle_model::{
    CommId, Communicator, Definitions, Location, LocationId, MetricDefinition, MetricId, MetricMode, Rank, Region,
    RegionId, SystemNode, SystemNodeId, WarningKind, Warnings,
};

use super::enumerations::{self, MPI, group};
use super::ids::IdMap;
use super::raw_definitions::{RawDefinitions, RawGroup};

/// One value of a metric record: which metric, and the scale of its unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MetricMember {
    pub(crate) metric: MetricId,
    pub(crate) scale: f64,
}

/// The maps from the file's global ids to the model's.
pub(crate) struct GlobalIds {
    pub(crate) regions: IdMap<RegionId>,
    pub(crate) comms: IdMap<CommId>,
    pub(crate) locations: IdMap<LocationId>,
    /// To a position in `metric_classes`. Classes and instances share ids.
    pub(crate) metrics: IdMap<u32>,
    pub(crate) metric_classes: Vec<Vec<MetricMember>>,
    pub(crate) calling_contexts: IdMap<RegionId>,
    /// Stands in for every region that an event names and nothing defines.
    pub(crate) undefined_region: RegionId,
}

/// Resolves everything. `name` is the definition file's, for warnings.
pub(crate) fn resolve(raw: &RawDefinitions, name: &str, warnings: &mut Warnings) -> (Definitions, GlobalIds) {
    let mut definitions = Definitions::default();
    let group_nodes = resolve_system_tree(raw, &mut definitions);
    let locations = resolve_locations(raw, &group_nodes, &mut definitions, name, warnings);
    let regions = resolve_regions(raw, &mut definitions);
    let undefined_region = RegionId(definitions.regions.len() as u32);
    definitions.regions.push(Region::named(
        "(undefined region)",
        heddle_model::Paradigm::Unknown,
        heddle_model::Role::Function,
    ));
    let comms = resolve_communicators(raw, &locations, &mut definitions, name, warnings);
    resolve_ranks(raw, &group_nodes, &mut definitions);
    let (metrics, metric_classes) = resolve_metrics(raw, &mut definitions);
    let calling_contexts =
        IdMap::new(raw.calling_contexts.iter().map(|(context, region)| {
            (u64::from(*context), regions.get(u64::from(*region)).unwrap_or(undefined_region))
        }));
    if raw.budget.was_spent() {
        warnings.add(
            WarningKind::Corrupt,
            || name.to_owned(),
            "long names are used too often for their file to be sound; they were cut",
        );
    }
    (definitions, GlobalIds { regions, comms, locations, metrics, metric_classes, calling_contexts, undefined_region })
}

/// Builds the tree of machine parts and processes; returns the node of each location group.
fn resolve_system_tree(raw: &RawDefinitions, definitions: &mut Definitions) -> IdMap<SystemNodeId> {
    let tree = &mut definitions.system_tree;
    tree.reserve_exact(raw.system_nodes.len() + raw.location_groups.len());
    let position: FxHashMap<u32, usize> = raw.system_nodes.iter().enumerate().map(|(at, node)| (node.id, at)).collect();
    // Parents may be defined later, and damaged files may hold circles: place a node once its parent is placed.
    let mut placed: Vec<Option<SystemNodeId>> = vec![None; raw.system_nodes.len()];
    for start in 0..raw.system_nodes.len() {
        let mut path = Vec::new();
        let mut next = Some(start);
        while let Some(at) = next.filter(|at| placed[*at].is_none() && !path.contains(at) && path.len() < 64) {
            path.push(at);
            next = position.get(&raw.system_nodes[at].parent).copied();
        }
        for at in path.into_iter().rev() {
            let node = &raw.system_nodes[at];
            let parent = position.get(&node.parent).and_then(|parent| placed[*parent]);
            placed[at] = Some(SystemNodeId(tree.len() as u32));
            tree.push(SystemNode { name: raw.string(node.name), class: raw.string(node.class), parent });
        }
    }
    let node_of = |id: u32| position.get(&id).and_then(|at| placed[*at]);
    let mut groups = Vec::with_capacity(raw.location_groups.len());
    for location_group in &raw.location_groups {
        let class = if location_group.kind == 2 { SystemNode::ACCELERATOR } else { SystemNode::PROCESS };
        groups.push((u64::from(location_group.id), SystemNodeId(tree.len() as u32)));
        tree.push(SystemNode {
            name: raw.string(location_group.name),
            class: class.into(),
            parent: node_of(location_group.parent),
        });
    }
    IdMap::new(groups.into_iter())
}

fn resolve_locations(
    raw: &RawDefinitions,
    group_nodes: &IdMap<SystemNodeId>,
    definitions: &mut Definitions,
    name: &str,
    warnings: &mut Warnings,
) -> IdMap<LocationId> {
    let first_of = IdMap::new(raw.locations.iter().enumerate().rev().map(|(at, location)| (location.id, at as u32)));
    definitions.locations.reserve_exact(raw.locations.len());
    for (at, location) in (0..).zip(&raw.locations) {
        if first_of.get(location.id) != Some(at) {
            warnings.add(
                WarningKind::DuplicateDefinition,
                || format!("{name}, location {}", location.id),
                "a location is defined twice; the first definition is used",
            );
            continue;
        }
        definitions.locations.push(Location {
            file_id: location.id,
            name: raw.string(location.name),
            kind: enumerations::location_kind(location.kind),
            parent: group_nodes.get(u64::from(location.group)),
            rank: Rank::NONE,
        });
    }
    drop(first_of);
    IdMap::new(definitions.locations.iter().enumerate().map(|(at, l)| (l.file_id, LocationId(at as u32))))
}

fn resolve_regions(raw: &RawDefinitions, definitions: &mut Definitions) -> IdMap<RegionId> {
    let mut by_name: FxHashMap<Cow<str>, RegionId> = FxHashMap::default();
    let mut ids = Vec::with_capacity(raw.regions.len());
    for region in &raw.regions {
        let name = match raw.strings.get(region.name) {
            Some(name) => Cow::Borrowed(name.as_str()),
            None => Cow::Owned(format!("region {}", region.id)),
        };
        let id = *by_name.entry(name.clone()).or_insert_with(|| {
            let paradigm = enumerations::paradigm(region.paradigm);
            definitions.regions.push(Region {
                file: raw.strings.get(region.file).filter(|file| !file.is_empty()).map(|file| raw.budget.copy(file)),
                line: Some(region.line).filter(|line| *line != 0 && *line != u32::MAX),
                ..Region::named(raw.budget.copy::<String>(&name), paradigm, enumerations::role(region.role))
            });
            RegionId(definitions.regions.len() as u32 - 1)
        });
        ids.push((u64::from(region.id), id));
    }
    IdMap::new(ids.into_iter())
}

/// Lists of locations by group, shared between the communicators that use them.
struct Groups<'a> {
    by_id: FxHashMap<u32, &'a RawGroup>,
    /// The list of all locations of a paradigm, apart from the ids: EZTrace gives its id away twice.
    comm_locations: FxHashMap<u8, Arc<[LocationId]>>,
    lists: FxHashMap<u32, Arc<[LocationId]>>,
}

impl<'a> Groups<'a> {
    fn new(raw: &'a RawDefinitions, locations: &IdMap<LocationId>, name: &str, warnings: &mut Warnings) -> Groups<'a> {
        let mut groups =
            Groups { by_id: FxHashMap::default(), comm_locations: FxHashMap::default(), lists: FxHashMap::default() };
        for raw_group in &raw.groups {
            if raw_group.kind == group::COMM_LOCATIONS {
                groups.comm_locations.insert(raw_group.paradigm, to_locations(&raw_group.members, locations));
            }
            if let Some(before) = groups.by_id.insert(raw_group.id, raw_group)
                && before.members != raw_group.members
            {
                warnings.add(
                    WarningKind::DuplicateDefinition,
                    || format!("{name}, group {}", raw_group.id),
                    "a group is defined twice with different members; the last definition is used",
                );
            }
        }
        groups
    }

    /// The locations of a group, or `None` for the group of one's own.
    fn members(&mut self, id: u32, locations: &IdMap<LocationId>) -> Option<Arc<[LocationId]>> {
        if let Some(list) = self.lists.get(&id) {
            return Some(list.clone());
        }
        let Some(raw_group) = self.by_id.get(&id) else { return Some(Arc::from([])) };
        let world = self.comm_locations.get(&raw_group.paradigm);
        let list = match raw_group.kind {
            group::COMM_SELF => return None,
            group::COMM_GROUP if raw_group.flags & group::GLOBAL_MEMBERS != 0 => world.cloned().unwrap_or_default(),
            group::COMM_GROUP => {
                let location = |rank: &u64| world?.get(usize::try_from(*rank).ok()?).copied();
                raw_group.members.iter().map(|rank| location(rank).into()).collect()
            }
            group::LOCATIONS | group::COMM_LOCATIONS => to_locations(&raw_group.members, locations),
            _ => Arc::from([]),
        };
        self.lists.insert(id, list.clone());
        Some(list)
    }
}

fn to_locations(ids: &[u64], locations: &IdMap<LocationId>) -> Arc<[LocationId]> {
    ids.iter().map(|id| locations.get(*id).into()).collect()
}

fn resolve_communicators(
    raw: &RawDefinitions,
    locations: &IdMap<LocationId>,
    definitions: &mut Definitions,
    name: &str,
    warnings: &mut Warnings,
) -> IdMap<CommId> {
    let mut groups = Groups::new(raw, locations, name, warnings);
    let ids = IdMap::new(raw.comms.iter().enumerate().map(|(at, comm)| (u64::from(comm.id), CommId(at as u32))));
    for (at, comm) in raw.comms.iter().enumerate() {
        let members = groups.members(comm.group, locations);
        definitions.communicators.push(Communicator {
            name: raw.string(comm.name),
            is_self: members.is_none(),
            members: members.unwrap_or_default(),
            remote: comm.remote.map(|remote| groups.members(remote, locations).unwrap_or_default()),
            parent: ids.get(u64::from(comm.parent)).filter(|parent| parent.index() != at),
        });
    }
    definitions.world = groups.comm_locations.get(&MPI).map(|world| world.to_vec()).unwrap_or_default();
    ids
}

/// Gives every location the rank of its process; accelerators get that of the process that made them.
fn resolve_ranks(raw: &RawDefinitions, group_nodes: &IdMap<SystemNodeId>, definitions: &mut Definitions) {
    let mut rank_of: FxHashMap<SystemNodeId, Rank> = FxHashMap::default();
    for (rank, location) in definitions.world.iter().enumerate() {
        if let Some(location) = definitions.locations.get_mut(location.index()) {
            location.rank = Rank(rank as u32);
            if let Some(process) = location.parent {
                rank_of.insert(process, Rank(rank as u32));
            }
        }
    }
    for group in &raw.location_groups {
        let node = |id: u32| group_nodes.get(u64::from(id));
        if let (Some(own), Some(creator)) = (node(group.id), node(group.creator))
            && let Some(rank) = rank_of.get(&creator).copied()
        {
            rank_of.entry(own).or_insert(rank);
        }
    }
    for location in &mut definitions.locations {
        if let (false, Some(parent)) = (location.rank.is_some(), location.parent) {
            location.rank = rank_of.get(&parent).copied().into();
        }
    }
}

fn resolve_metrics(raw: &RawDefinitions, definitions: &mut Definitions) -> (IdMap<u32>, Vec<Vec<MetricMember>>) {
    let mut members: FxHashMap<u32, MetricMember> = FxHashMap::default();
    for member in &raw.metric_members {
        let base: f64 = if member.base == 0 { 2.0 } else { 10.0 };
        let exponent = member.exponent.clamp(-400, 400) as i32;
        members.insert(
            member.id,
            MetricMember { metric: MetricId(definitions.metrics.len() as u32), scale: base.powi(exponent) },
        );
        definitions.metrics.push(MetricDefinition {
            name: raw.string(member.name),
            unit: raw.string(member.unit),
            mode: match member.mode & 0x0f {
                0 => MetricMode::Accumulated,
                2 => MetricMode::Relative,
                _ => MetricMode::Absolute,
            },
        });
    }
    let none = MetricMember { metric: MetricId::NONE, scale: 1.0 };
    let classes: Vec<Vec<MetricMember>> = raw
        .metric_classes
        .iter()
        .map(|(_, ids)| ids.iter().map(|id| members.get(id).copied().unwrap_or(none)).collect())
        .collect();
    let class_ids: FxHashMap<u32, u32> =
        raw.metric_classes.iter().enumerate().map(|(at, (id, _))| (*id, at as u32)).collect();
    let instances = raw.metric_instances.iter().filter_map(|(id, class)| Some((*id, *class_ids.get(class)?)));
    let ids: Vec<(u64, u32)> =
        class_ids.iter().map(|(id, at)| (*id, *at)).chain(instances).map(|(id, at)| (u64::from(id), at)).collect();
    (IdMap::new(ids.into_iter()), classes)
}
