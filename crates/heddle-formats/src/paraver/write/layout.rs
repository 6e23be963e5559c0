//! Where things go: locations become threads of tasks, places become nodes; and the files that name them.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use heddle_model::{Definitions, LocationId, Ns, Paradigm, Region, Role, SystemNode, SystemNodeId};

use super::super::calls::{
    COLLECTIVE, COMMUNICATOR, FILES, NATIVE_COUNTER, ONE_SIDED, OTHER, POINT_TO_POINT, RECEIVED, ROOT, SENT, STATES,
    USER_FUNCTION, call_number,
};
use super::survey::Survey;

/// Numbers for MPI calls that have no customary one.
const OWN_CALLS: i64 = 1000;
/// Types for marks: below all that anybody else uses.
pub(super) const MARKS: u32 = 9_000_000;

/// A task.
struct Task {
    threads: Vec<LocationId>,
    node: u32,
    name: String,
}

/// The plan of a trace.
pub(super) struct Layout {
    tasks: Vec<Task>,
    nodes: Vec<String>,
    /// How many tasks are ranks: they are the first application, the others a second one.
    ranks: usize,
    /// Of each location: application, task and thread, from 1.
    pub(super) places: Vec<(u32, u32, u32)>,
    /// Of each region: type and value of its calls.
    pub(super) calls: Vec<(u32, i64)>,
}

impl Layout {
    pub(super) fn of(definitions: &Definitions) -> Layout {
        let mut layout = Layout {
            tasks: Vec::new(),
            nodes: Vec::new(),
            ranks: 0,
            places: vec![(0, 0, 0); definitions.locations.len()],
            calls: definitions.regions.iter().enumerate().map(|(at, region)| call(at, region)).collect(),
        };
        layout.place_locations(definitions);
        layout
    }

    /// Ranks first, in their order; then whatever else there is, by process.
    fn place_locations(&mut self, definitions: &Definitions) {
        let mut tasks: FxHashMap<(Option<SystemNodeId>, u32), usize> = FxHashMap::default();
        let mut nodes: FxHashMap<Option<SystemNodeId>, u32> = FxHashMap::default();
        let mains = definitions.world.iter().copied().filter(|main| main.index() < definitions.locations.len());
        let all = (0..definitions.locations.len() as u32).map(LocationId);
        for location in mains.chain(all) {
            if self.places[location.index()] != (0, 0, 0) {
                continue;
            }
            let about = &definitions.locations[location.index()];
            let process = if about.rank.is_some() { None } else { about.parent };
            // Without a process every location is one.
            let rank = if about.rank.is_some() { about.rank.0 } else { process.map_or(location.0, |_| u32::MAX) };
            let next = self.tasks.len();
            let at = *tasks.entry((process, rank)).or_insert(next);
            if at == next {
                let (place, name) = node_of(definitions, about.parent);
                let count = nodes.len() as u32 + 1;
                let node = *nodes.entry(place).or_insert_with(|| {
                    self.nodes.push(name);
                    count
                });
                let name = about.parent.and_then(|parent| definitions.system_tree.get(parent.index()));
                let name = name.map_or_else(|| about.name.clone(), |process| process.name.clone());
                self.tasks.push(Task { threads: Vec::new(), node, name: name.into() });
            }
            self.tasks[at].threads.push(location);
            if about.rank.is_some() {
                self.ranks = self.ranks.max(at + 1);
            }
            let (application, first) = if at < self.ranks || self.ranks == 0 { (1, 0) } else { (2, self.ranks) };
            let thread = self.tasks[at].threads.len() as u32;
            self.places[location.index()] = (application, (at - first) as u32 + 1, thread);
        }
    }

    pub(super) fn write_header(&self, definitions: &Definitions, end: Ns, out: &mut dyn Write) -> io::Result<()> {
        let mut cpus = vec![0u64; self.nodes.len()];
        for task in &self.tasks {
            cpus[task.node as usize - 1] += task.threads.len() as u64;
        }
        // No clock is asked: the same trace makes the same bytes.
        write!(out, "#Paraver (01/01/1970 at 00:00):{}_ns:{}", end.0.max(0), cpus.len())?;
        list(out, "(", cpus.iter().map(u64::to_string), ")")?;
        let (ranks, others) = self.tasks.split_at(self.ranks);
        let applications: Vec<&[Task]> = [ranks, others].into_iter().filter(|tasks| !tasks.is_empty()).collect();
        write!(out, ":{}:", applications.len())?;
        for tasks in applications {
            write!(out, "{}", tasks.len())?;
            list(out, "(", tasks.iter().map(|task| format!("{}:{}", task.threads.len(), task.node)), "),")?;
        }
        // Communicators are of ranks; a member that is none has no number.
        let task = |location: &LocationId| self.places.get(location.index()).map_or(0, |place| place.1);
        let mut lines = Vec::new();
        let mut groups = definitions.communicators.len();
        for (at, comm) in definitions.communicators.iter().enumerate() {
            let id = at + 1;
            let mut group = |id: usize, members: &[LocationId]| {
                let mut line = format!("c:1:{id}:{}", members.len());
                for member in members {
                    line += &format!(":{}", task(member));
                }
                lines.push(line);
            };
            match &comm.remote {
                _ if comm.is_self => lines.push(format!("c:1:{id}:1:-1")),
                None => group(id, &comm.members),
                Some(remote) => {
                    // The format builds them from two others.
                    let (one, other) = (groups + 1, groups + 2);
                    groups += 2;
                    group(one, &comm.members);
                    group(other, remote);
                    lines.push(format!("i:1:{id}:{one}:0:{other}:0"));
                }
            }
        }
        writeln!(out, "{}", lines.len())?;
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    }

    pub(super) fn write_rows(&self, definitions: &Definitions, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "LEVEL NODE SIZE {}", self.nodes.len())?;
        self.nodes.iter().try_for_each(|name| writeln!(out, "{}", line(name)))?;
        let threads: usize = self.tasks.iter().map(|task| task.threads.len()).sum();
        writeln!(out, "\nLEVEL THREAD SIZE {threads}")?;
        for location in self.tasks.iter().flat_map(|task| &task.threads) {
            let name = definitions.locations.get(location.index()).map_or("", |location| &location.name);
            writeln!(out, "{}", line(name))?;
        }
        writeln!(out, "\nLEVEL TASK SIZE {}", self.tasks.len())?;
        self.tasks.iter().try_for_each(|task| writeln!(out, "{}", line(&task.name)))
    }

    pub(super) fn write_labels(
        &self,
        definitions: &Definitions,
        survey: &Survey,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        writeln!(out, "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n")?;
        writeln!(out, "\nSTATES")?;
        STATES.iter().enumerate().try_for_each(|(at, name)| writeln!(out, "{at}    {name}"))?;
        let types = [
            (POINT_TO_POINT, "MPI Point-to-point"),
            (COLLECTIVE, "MPI Collective Comm"),
            (OTHER, "MPI Other"),
            (ONE_SIDED, "MPI One-sided"),
            (FILES, "MPI I/O"),
            (USER_FUNCTION, "User function"),
        ];
        for (kind, title) in types {
            let end = if kind == USER_FUNCTION { "End" } else { "Outside MPI" };
            writeln!(out, "\n\nEVENT_TYPE\n9    {kind}    {title}\nVALUES\n0   {end}")?;
            for (at, (region, (own, value))) in definitions.regions.iter().zip(&self.calls).enumerate() {
                // A call within another of its type is written as a function; without a collective as another call.
                let value = if kind == USER_FUNCTION { function(at) } else { *value };
                let is_here = kind == *own || (kind == OTHER && *own == COLLECTIVE) || kind == USER_FUNCTION;
                if is_here {
                    writeln!(out, "{value}   {}", line(&region.name))?;
                }
            }
        }
        writeln!(out, "\n\nEVENT_TYPE")?;
        for (kind, title) in
            [(SENT, "Send Size"), (RECEIVED, "Recv Size"), (ROOT, "Root"), (COMMUNICATOR, "Communicator")]
        {
            writeln!(out, "1    {kind}    {title} in MPI Global OP")?;
        }
        for (at, metric) in definitions.metrics.iter().enumerate() {
            writeln!(out, "\n\nEVENT_TYPE\n7    {}    {}", counter(at), line(&metric.name))?;
        }
        for (at, (name, texts)) in survey.marks.iter().enumerate() {
            writeln!(out, "\n\nEVENT_TYPE\n0    {}    {}\nVALUES", MARKS + at as u32, line(name))?;
            let mut texts: Vec<(&String, &i64)> = texts.iter().collect();
            texts.sort_unstable_by_key(|(_, value)| **value);
            texts.iter().try_for_each(|(text, value)| writeln!(out, "{value}   {}", line(text)))?;
        }
        Ok(())
    }
}

/// The type of a counter.
pub(super) fn counter(metric: usize) -> u32 {
    NATIVE_COUNTER + (metric as u32).min(4_000_000)
}

/// The value of a function.
pub(super) fn function(region: usize) -> i64 {
    region as i64 + 1
}

/// A label is one line.
fn line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn list(out: &mut dyn Write, open: &str, items: impl Iterator<Item = String>, close: &str) -> io::Result<()> {
    write!(out, "{open}")?;
    for (at, item) in items.enumerate() {
        write!(out, "{}{item}", if at == 0 { "" } else { "," })?;
    }
    write!(out, "{close}")
}

fn call(at: usize, region: &Region) -> (u32, i64) {
    if region.paradigm != Paradigm::Mpi || !region.name.starts_with("MPI_") {
        return (USER_FUNCTION, function(at));
    }
    let kind = match region.role {
        Role::Send | Role::Receive | Role::SendReceive | Role::Wait | Role::Test => POINT_TO_POINT,
        Role::Collective | Role::Barrier => COLLECTIVE,
        Role::OneSided => ONE_SIDED,
        Role::FileIo => FILES,
        _ => OTHER,
    };
    (kind, call_number(&region.name).unwrap_or(OWN_CALLS + at as i64))
}

/// The place that holds a process, and its name.
fn node_of(definitions: &Definitions, parent: Option<SystemNodeId>) -> (Option<SystemNodeId>, String) {
    let mut at = parent;
    while let Some(node) = at.and_then(|id| definitions.system_tree.get(id.index())) {
        if node.class != SystemNode::PROCESS && node.class != SystemNode::ACCELERATOR {
            return (at, node.name.to_string());
        }
        at = node.parent;
    }
    (None, "node".to_owned())
}
