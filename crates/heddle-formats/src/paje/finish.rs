//! The definitions of a trace that has been read: system tree, locations, world, communicators, counters.

use std::collections::BTreeSet;
use std::sync::Arc;

use heddle_model::{
    CommId, Communicator, Definitions, Location, LocationId, LocationKind, MetricDefinition, MetricMode, Rank,
    SystemNode, SystemNodeId, WarningKind, Warnings, Worker,
};

use super::builder::{Builder, Container, Holds, Track};
use super::collectives::Verdict;
use super::dialect::Dialect;
use super::tables::{NONE, ROOT};
use crate::{Gathered, starpu};

const UNKNOWN_KINDS: &str = "what kind of resource a worker is, CPU or GPU, is not known: all of them are taken for one \
                             kind. StarPU's converter writes it to activity.data and paje.trace; put one of them beside the \
                             file";

impl<'a> Builder<'a> {
    /// Closes what is open and makes the source. `name` is that of the file.
    pub(super) fn finish(
        mut self,
        format: &'static str,
        creator: String,
        name: &str,
        mut warnings: Warnings,
    ) -> Gathered<'a> {
        self.write_links(true);
        self.close_everything();
        let world = self.world();
        match self.collectives.verdict(world.len()) {
            Verdict::None | Verdict::World => {}
            Verdict::Doubtful(why) => {
                self.gather.without_collectives();
                warnings.add(WarningKind::DoubtfulCollectives, || name.to_owned(), why);
            }
        }
        self.odd.report(name, &mut warnings);
        if let Some(beside) = &self.beside {
            beside.report(&mut warnings);
        }
        if !self.has_tiles {
            self.gather.without_tiles();
        }
        if let Some((first, last)) = self.span {
            self.gather.begins(first);
            // The end of the trace may be an event that makes no record, such as the end of a container.
            if !self.tracks.is_empty() {
                let block = self.gather.block(LocationId(self.tracks.len() as u32 - 1));
                block.last = block.last.max(Some(last));
                block.events += u64::from(block.is_empty());
            }
        }
        let workers = self.workers();
        let unknown = workers.iter().filter(|worker| worker.kind.is_empty());
        warnings.add_many(WarningKind::Assumed, unknown.count() as u64, || name.to_owned(), UNKNOWN_KINDS);
        let definitions = Definitions {
            creator,
            system_tree: self.system_tree(),
            locations: self.locations(!world.is_empty()),
            communicators: self.communicators(&world),
            metrics: self.metric_definitions(),
            regions: self.tables.regions,
            world,
            marks: Vec::new(),
            workers,
        };
        self.gather.finish(format, definitions, warnings)
    }

    /// The ranks, if they are all there.
    fn world(&self) -> Vec<LocationId> {
        let main = |rank| self.ranks.get(&rank).map(|id| LocationId(self.containers[*id as usize].main));
        (0..self.ranks.len() as u32).map(main).collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    /// All containers but the root, which no file creates.
    fn system_tree(&self) -> Vec<SystemNode> {
        let node = |container: &Container| {
            let kind = self.tables.types.get(container.kind as usize).map_or("", |kind| kind.name.as_str());
            SystemNode {
                name: container.name.clone().into(),
                class: self.tables.dialect.class(kind, container.rank.is_some()).into(),
                parent: system_node(container.parent),
            }
        };
        self.containers[1..].iter().map(node).collect()
    }

    fn locations(&self, has_world: bool) -> Vec<Location> {
        let location = |(at, track): (usize, &Track)| {
            let container = &self.containers[track.container as usize];
            let is_main = container.main == at as u32 || (container.main == NONE && container.links == at as u32);
            let type_name = |id: u32| self.tables.types.get(id as usize).map_or("", |kind| kind.name.as_str());
            let of = match track.holds {
                Holds::Nothing | Holds::Events => "events",
                Holds::States(kind) | Holds::Variable(kind) => type_name(kind),
                Holds::Variables => "variables",
                Holds::Links => "links",
            };
            let process = self.containers.get(container.process as usize).and_then(|process| process.rank);
            // Whoever has a rank sends and receives for it.
            let has_rank = has_world && (track.holds != Holds::Links || self.speaks_for_process(track.container));
            Location {
                file_id: at as u64,
                name: if is_main { container.name.clone().into() } else { format!("{}: {of}", container.name).into() },
                kind: match track.holds {
                    Holds::States(_) => self.tables.dialect.location_kind(&container.name),
                    Holds::Variables | Holds::Variable(_) => LocationKind::Metric,
                    Holds::Nothing if container.rank.is_some() => LocationKind::CpuThread,
                    Holds::Nothing | Holds::Events | Holds::Links => LocationKind::Unknown,
                },
                parent: system_node(track.container),
                rank: process.filter(|_| has_rank).map_or(Rank::NONE, Rank),
            }
        };
        self.tracks.iter().enumerate().map(location).collect()
    }

    /// Who runs tasks: StarPU's workers, and whoever else ran one.
    fn workers(&self) -> Vec<Worker> {
        let worker = |(at, track): (usize, &Track)| {
            let container = &self.containers[track.container as usize];
            let Holds::States(kind) = track.holds else { return None };
            let name = self.tables.types.get(kind as usize).map_or("", |kind| kind.name.as_str());
            let is_worker = self.tables.dialect == Dialect::StarPu && name == "Worker State";
            let location = LocationId(at as u32);
            (is_worker || track.runs_tasks).then(|| Worker { location, kind: starpu::worker_kind(&container.name) })
        };
        self.tracks.iter().enumerate().filter_map(worker).collect()
    }

    /// The world, then the lanes of the link types. Whoever has links is a member of those that are not only the world's.
    fn communicators(&self, world: &[LocationId]) -> Vec<Communicator> {
        let members: Arc<[LocationId]> = world.into();
        let comm = |name: &str, members: &Arc<[LocationId]>, parent| Communicator {
            parent,
            ..Communicator::of(name, Arc::clone(members))
        };
        let mut all = vec![comm("MPI_COMM_WORLD", &members, None)];
        let (mut speakers, mut others) = (BTreeSet::new(), BTreeSet::new());
        for (at, container) in self.containers.iter().enumerate().filter(|(_, container)| container.links != NONE) {
            if self.speaks_for_process(at as u32) {
                speakers.insert(LocationId(self.containers[container.process as usize].main));
            } else {
                others.insert(LocationId(container.links));
            }
        }
        let everybody: Arc<[LocationId]> = speakers.into_iter().chain(others).collect();
        all.extend(self.links.lanes.iter().map(|(kind, _)| {
            let name = self.tables.types.get(*kind as usize).map_or("", |kind| kind.name.as_str());
            if self.links.kinds_of_world.contains(kind) && !world.is_empty() {
                comm(name, &members, Some(CommId(0)))
            } else {
                comm(name, &everybody, None)
            }
        }));
        all
    }

    fn metric_definitions(&self) -> Vec<MetricDefinition> {
        let definition = |kind: &u32| {
            let name = self.tables.types.get(*kind as usize).map_or("", |kind| kind.name.as_str());
            MetricDefinition {
                name: name.to_owned(),
                unit: self.tables.dialect.metric_unit(name),
                mode: MetricMode::Absolute,
            }
        };
        self.metrics.iter().map(definition).collect()
    }
}

/// A container's place in the system tree, which lacks the root.
fn system_node(container: u32) -> Option<SystemNodeId> {
    (container != ROOT && container != NONE).then(|| SystemNodeId(container - 1))
}
