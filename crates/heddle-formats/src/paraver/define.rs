//! What a trace defines, once all of it was read: places, the world, communicators.

use rustc_hash::FxHashMap;

use heddle_model::{
    CommId, Communicator, Definitions, Location, LocationId, LocationKind, Ns, Part, Rank, SystemNode, SystemNodeId,
    WarningKind,
};

use super::Reader;
use super::labels::name_or;
use super::source::{Expected, Paraver, Resolved};
use crate::OpenError;

impl<'a> Reader<'a, '_> {
    /// How warnings and rows call a location.
    pub(super) fn thread_name(&self, location: u32) -> String {
        name_or(&self.rows.threads, location as usize, || {
            let task = self.header.task_of.get(location as usize).copied().unwrap_or(0);
            let (application, task, thread) = self.numbers(task, location);
            format!("THREAD {application}.{task}.{thread}")
        })
    }

    /// Application, task and thread as the file counts them.
    fn numbers(&self, task: u32, location: u32) -> (u32, u32, u32) {
        let Some(at) = self.header.tasks.get(task as usize) else { return (0, 0, 0) };
        let first = self.header.applications.get(at.application as usize).copied().unwrap_or(0);
        (at.application + 1, task - first + 1, location.saturating_sub(at.first) + 1)
    }

    pub(super) fn finish(mut self) -> Result<Paraver<'a>, OpenError> {
        let place = self.name.to_owned();
        for thread in self.threads.iter_mut().flatten() {
            for stream in [&mut thread.main, &mut thread.ends, &mut thread.states] {
                stream.close(None).map_err(OpenError::unreadable("scratch space"))?;
            }
        }
        if self.names.comm_lines < self.header.communicators {
            let text = format!(
                "the header announces {} communicators, but there are {}",
                self.header.communicators, self.names.comm_lines
            );
            // A file that ends before its communicators was cut there; one that goes on merely miscounts.
            let is_cut = self.threads.iter().all(Option::is_none);
            let kind = if is_cut { WarningKind::Truncated } else { WarningKind::UndefinedReference };
            self.warnings.add(kind, || format!("{place} line 1"), &text);
        }
        let unused = self.threads.iter().flatten().filter(|thread| thread.has_spans);
        let unused: u64 = unused.map(|thread| thread.state_records).sum();
        let text = "states of threads whose calls say the same in more detail are not shown";
        self.warnings.add_many(WarningKind::UnusedRecords, unused, || place.clone(), text);
        let text = "messages overtake each other so often that some may be paired with others of their kind";
        self.warnings.add_many(WarningKind::UnmatchedSends, self.lanes.lost, || place.clone(), text);

        let mut definitions = self.places();
        let mut resolved = self.communicators(&mut definitions, &place);
        definitions.regions = std::mem::take(&mut self.names.regions);
        definitions.metrics = std::mem::take(&mut self.names.metrics);
        resolved.expected = definitions.regions.iter().map(Expected::of).collect();
        for (at, thread) in self.threads.iter_mut().enumerate() {
            let roots = thread.iter_mut().flat_map(|thread| std::mem::take(&mut thread.roots));
            let main = LocationId(self.header.main(at as u32));
            resolved.roots.extend(roots.map(|key| (key, main)));
        }
        let origin = self.threads.iter().flatten().filter_map(|thread| thread.first).min().unwrap_or(Ns(0)).0;
        let parts = self.threads.iter().enumerate().flat_map(|(location, thread)| {
            let parts = thread.iter().flat_map(|thread| thread.parts()).enumerate();
            parts.map(move |(index, bytes)| Part { location: LocationId(location as u32), index: index as u32, bytes })
        });
        Ok(Paraver {
            scratch: self.input.scratch,
            parts: parts.collect(),
            definitions,
            warnings: self.warnings,
            threads: self.threads,
            origin,
            resolved,
        })
    }

    /// Nodes that have tasks, the tasks, and their threads.
    fn places(&self) -> Definitions {
        let (header, rows) = (&self.header, &self.rows);
        let mut definitions = Definitions::default();
        let tree = &mut definitions.system_tree;
        let machine = name_or(&rows.system, 0, || "machine".to_owned());
        tree.push(SystemNode { name: machine.into(), class: "machine".into(), parent: None });
        let mut nodes: Vec<u32> = header.tasks.iter().map(|task| task.node).filter(|node| *node > 0).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut ids: FxHashMap<u32, SystemNodeId> = FxHashMap::default();
        for node in nodes {
            ids.insert(node, SystemNodeId(tree.len() as u32));
            let name = name_or(&rows.nodes, node as usize - 1, || format!("node {node}"));
            tree.push(SystemNode { name: name.into(), class: "node".into(), parent: Some(SystemNodeId(0)) });
        }
        let uses_mpi = self.applications_with_mpi();
        for (at, task) in header.tasks.iter().enumerate() {
            let parent = ids.get(&task.node).copied().unwrap_or(SystemNodeId(0));
            let process = SystemNodeId(tree.len() as u32);
            let (application, number, _) = self.numbers(at as u32, task.first);
            let name = name_or(&rows.tasks, at, || format!("TASK {application}.{number}"));
            tree.push(SystemNode { name: name.into(), class: SystemNode::PROCESS.into(), parent: Some(parent) });
            let rank = if uses_mpi[task.application as usize] && task.threads > 0 {
                definitions.world.push(LocationId(task.first));
                Rank(definitions.world.len() as u32 - 1)
            } else {
                Rank::NONE
            };
            for location in task.first..task.first + task.threads {
                definitions.locations.push(Location {
                    file_id: u64::from(location),
                    name: self.thread_name(location).into(),
                    kind: LocationKind::CpuThread,
                    parent: Some(process),
                    rank,
                });
            }
        }
        definitions
    }

    fn applications_with_mpi(&self) -> Vec<bool> {
        let mut uses = vec![false; self.header.applications.len()];
        for (location, thread) in self.threads.iter().enumerate() {
            let task = self.header.task(location as u32);
            if let (Some(task), Some(true)) = (task, thread.as_ref().map(|thread| thread.uses_mpi)) {
                uses[task.application as usize] = true;
            }
        }
        uses
    }

    /// The communicators of the file, then those that stand for all of an application and for messages.
    fn communicators(&mut self, definitions: &mut Definitions, place: &str) -> Resolved {
        let mut comms = self.names.communicators(&self.header, place, &mut self.warnings);
        let mut resolved = Resolved::default();
        // The first that has just these members, in whatever order, or a new one.
        let mut whole = |members: Vec<LocationId>, name: String| {
            let same = |comm: &Communicator| {
                let mut listed = comm.members.to_vec();
                listed.sort_unstable();
                comm.remote.is_none() && !comm.is_self && listed == members
            };
            let sized = |comm: &Communicator| comm.members.len() == members.len();
            let at = comms.iter().position(|comm| sized(comm) && same(comm)).unwrap_or(comms.len());
            if at == comms.len() {
                comms.push(Communicator::of(name, members.into()));
            }
            CommId(at as u32)
        };
        let uses_mpi = self.applications_with_mpi();
        let applications = self.header.applications.len().saturating_sub(1);
        for (application, uses_mpi) in uses_mpi.iter().enumerate().take(applications) {
            let comm = if *uses_mpi {
                let members = self.header.mains(application as u32).map(LocationId).collect();
                whole(members, format!("all of application {}", application + 1))
            } else {
                CommId::NONE
            };
            resolved.whole.push(comm);
        }
        if self.lanes.count > 0 || !definitions.world.is_empty() {
            let world = whole(definitions.world.clone(), "all of MPI".to_owned());
            resolved.lanes.push(world);
            let members = comms[world.index()].members.clone();
            for _ in 1..self.lanes.count {
                resolved.lanes.push(CommId(comms.len() as u32));
                let lane = Communicator::of("messages that overtake others", members.clone());
                comms.push(Communicator { parent: Some(world), ..lane });
            }
        }
        definitions.communicators = comms;
        resolved
    }
}
