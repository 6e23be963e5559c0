//! What a store defines, in the words of the model.

use rustc_hash::FxHashMap;

use super::{
    Arc, CommId, Communicator, Definitions, GlobalMark, Location, LocationId, LocationKind, MetricDefinition, MetricId,
    Region, RegionId, Role, Store, SystemNode, Worker,
};

pub(super) fn of(store: &Store) -> Definitions {
    Definitions {
        creator: store.summary().creator.clone(),
        system_tree: system_tree(store),
        locations: locations(store),
        regions: regions(store),
        communicators: communicators(store),
        metrics: metrics(store),
        world: world(store),
        marks: marks(store),
        workers: workers(store),
    }
}

fn system_tree(store: &Store) -> Vec<SystemNode> {
    let table = &store.system_tree;
    let node = |row| SystemNode {
        name: table.name.get(row).into(),
        class: table.class.get(row).into(),
        parent: table.parent.get(row).some(),
    };
    (0..table.len()).map(node).collect()
}

fn locations(store: &Store) -> Vec<Location> {
    const KINDS: [LocationKind; 3] = [LocationKind::CpuThread, LocationKind::AcceleratorStream, LocationKind::Metric];
    let table = &store.locations;
    let kind = |name: &str| KINDS.into_iter().find(|kind| kind.name() == name).unwrap_or(LocationKind::Unknown);
    let location = |row| Location {
        file_id: table.file_id.get(row),
        name: table.name.get(row).into(),
        kind: kind(table.kind.get(row)),
        parent: table.parent.get(row).some(),
        rank: table.rank.get(row),
    };
    (0..table.len()).map(location).collect()
}

fn regions(store: &Store) -> Vec<Region> {
    let table = &store.regions;
    let region = |row| {
        let file = table.file.get(row);
        Region {
            name: table.name.get(row).to_owned(),
            paradigm: table.paradigm_of(RegionId(row as u32)),
            role: Role::from_name(table.role.get(row)),
            file: (!file.is_empty()).then(|| file.to_owned()),
            line: Some(table.line.get(row)).filter(|line| *line != u32::MAX),
            colour: Some(table.colour.get(row)).filter(|colour| *colour != u32::MAX),
        }
    };
    (0..table.len()).map(region).collect()
}

fn communicators(store: &Store) -> Vec<Communicator> {
    let table = &store.communicators;
    // Lists that are shared in the store stay shared: most equal the world.
    let mut known: FxHashMap<(u64, u32), Arc<[LocationId]>> = FxHashMap::default();
    let mut list = |first: u64, count: u32| -> Arc<[LocationId]> {
        let members = || store.communicator_members.location.iter(first..first + u64::from(count)).collect();
        known.entry((first, count)).or_insert_with(members).clone()
    };
    let communicator = |row| {
        let kind = table.kind.get(row);
        Communicator {
            name: table.name.get(row).to_owned(),
            members: list(table.first_member.get(row), table.members.get(row)),
            remote: (kind == "inter").then(|| list(table.first_remote.get(row), table.remote.get(row))),
            parent: Some(table.parent.get(row)).filter(|parent: &CommId| parent.is_some()),
            is_self: kind == "self",
        }
    };
    (0..table.len()).map(communicator).collect()
}

fn metrics(store: &Store) -> Vec<MetricDefinition> {
    let table = &store.metrics;
    let metric = |row| MetricDefinition {
        name: table.name.get(row).to_owned(),
        unit: table.unit.get(row).to_owned(),
        mode: table.mode_of(MetricId(row as u32)),
    };
    (0..table.len()).map(metric).collect()
}

fn workers(store: &Store) -> Vec<Worker> {
    let table = &store.workers;
    let worker = |row| Worker { location: table.location.get(row), kind: table.kind.get(row).to_owned() };
    (0..table.len()).map(worker).collect()
}

fn world(store: &Store) -> Vec<LocationId> {
    let table = &store.locations;
    let mut world = Vec::new();
    for row in (0..table.len()).filter(|row| table.is_main.get(*row) == 1) {
        let rank = table.rank.get(row).index();
        if rank < table.len() as usize {
            world.resize(world.len().max(rank + 1), LocationId::NONE);
            world[rank] = LocationId(row as u32);
        }
    }
    world
}

/// Marks of the whole trace. Those of locations are among their records.
fn marks(store: &Store) -> Vec<GlobalMark> {
    let table = &store.marks;
    let global = (0..table.len()).filter(|row| !table.location.get(*row).is_some());
    let mark = |row| GlobalMark {
        location: LocationId::NONE,
        time: table.time.get(row),
        name: table.name.get(row).to_owned(),
        text: table.text.get(row).to_owned(),
    };
    global.map(mark).collect()
}
