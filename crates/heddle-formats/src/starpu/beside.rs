//! What StarPU writes beside a trace, and StarVZ beside its table of states: submission, what waits for what, tiles.
//!
//! `tasks.rec`, `dag.dot` and `data.rec` are read before the trace, so that each task is complete when its run is met. Any
//! of them may be missing. Dependencies inside of a process are in `tasks.rec`; those between processes are only in
//! `dag.dot`, by way of messages.

use heddle_model::{Ns, TaskId, TaskInfo, WarningKind, Warnings};
use rustc_hash::FxHashMap;

use super::dot::{self, Line};
use super::graph::{Graph, MESSAGES, Node};
use super::jobs::{self, Job, Said};
use super::text::{Fields, Headings, Record, for_each_line, for_each_line_beside};
use super::{job_id, jobs::words};
use crate::{Files, Input, OpenError};

/// What compressed files are called.
const PACKED: [&str; 5] = ["", ".gz", ".zst", ".xz", ".bz2"];

/// Files that describe the same run as another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Companions {
    pub(super) tasks: &'static str,
    pub(super) graph: &'static str,
    pub(super) data: &'static str,
}

/// As StarPU's converter calls them.
pub(crate) const STARPU: Companions = Companions { tasks: "tasks.rec", graph: "dag.dot", data: "data.rec" };

/// As StarVZ calls them.
pub(crate) const STARVZ: Companions =
    Companions { tasks: "rec.tasks.csv", graph: "dag.csv", data: "rec.data_handles.csv" };

/// The name of a file without its folder and what says its compression.
pub(crate) fn plain_name(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    PACKED[1..].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// The names that a file beside another can have, packed or not.
pub(crate) fn names_beside(main: &str, file: &str) -> Vec<String> {
    let folder = main.rfind('/').map_or("", |end| &main[..=end]);
    PACKED.iter().map(|ending| format!("{folder}{file}{ending}")).collect()
}

/// A file beside another.
pub(crate) fn find(files: &dyn Files, main: &str, file: &str) -> Option<String> {
    names_beside(main, file).into_iter().find(|name| matches!(files.len(name), Ok(Some(_))))
}

/// What is known of a job.
#[derive(Clone, Copy, Debug)]
struct Known {
    id: TaskId,
    submitted: Ns,
    iteration: u32,
    tile: [u32; 2],
    ran: bool,
}

/// All that the files say.
#[derive(Default)]
pub(crate) struct Beside {
    jobs: Vec<Known>,
    graph: Graph,
    /// By process and handle; `None` where one handle stands for several tiles.
    tiles: FxHashMap<(u32, u64), Option<[u32; 2]>>,
    /// Whether data have places in the matrix.
    knows_tiles: bool,
    /// Whether jobs are described at all: then what is not is unknown.
    knows_jobs: bool,
    memory: usize,
    /// Records for which there was no memory.
    left_out: u64,
    /// Edges to or from tags.
    tags: u64,
    /// Tasks of the trace that the records do not have.
    strangers: u64,
    /// The file with the jobs, or else with the graph.
    name: String,
    graph_name: String,
}

impl Beside {
    /// What there is in `memory` bytes, empty.
    pub(super) fn new(memory: u64) -> Beside {
        Beside { memory: usize::try_from(memory).unwrap_or(usize::MAX), ..Beside::default() }
    }

    /// Reads what lies beside `main`; `None` if nothing does.
    pub(crate) fn read(
        input: &Input,
        main: &str,
        companions: Companions,
        warnings: &mut Warnings,
    ) -> Result<Option<Beside>, OpenError> {
        let mut beside = Beside::new(input.memory / 4);
        let tasks = find(input.files, main, companions.tasks);
        beside.read_data(input, main, companions, warnings)?;
        if let Some(tasks) = &tasks {
            beside.read_jobs(input, tasks, false, warnings, &mut |_, _| {})?;
        }
        beside.read_graph(input, main, companions, warnings)?;
        Ok((tasks.is_some() || !beside.graph_name.is_empty()).then(|| beside.settled()))
    }

    fn has_room(&mut self) -> bool {
        let bytes =
            self.jobs.len() * size_of::<Known>() + self.graph.bytes() + self.tiles.len() * 2 * size_of::<[u64; 4]>();
        let fits = bytes < self.memory;
        self.left_out += u64::from(!fits);
        fits
    }

    /// Reads where data lie in the matrix.
    pub(super) fn read_data(
        &mut self,
        input: &Input,
        main: &str,
        companions: Companions,
        warnings: &mut Warnings,
    ) -> Result<(), OpenError> {
        let Some(name) = find(input.files, main, companions.data) else { return Ok(()) };
        let mut take = |_: u64, fields: &Fields| {
            if let Some((rank, handle, tile)) = jobs::datum(fields)
                && self.has_room()
            {
                let known = self.tiles.entry((rank, handle)).or_insert(Some(tile));
                if *known != Some(tile) {
                    *known = None;
                }
            }
        };
        for_each_record(input, &name, false, warnings, &mut take)
    }

    /// Reads jobs; `look` sees each, and the line that it begins in. `is_main`: it is the trace itself that is read.
    pub(super) fn read_jobs(
        &mut self,
        input: &Input,
        name: &str,
        is_main: bool,
        warnings: &mut Warnings,
        look: &mut dyn FnMut(u64, &Job),
    ) -> Result<(), OpenError> {
        let (mut nonsense, mut first_nonsense) = (0, 0);
        let mut take = |line: u64, fields: &Fields| match Job::of(fields) {
            Said::Job(job) => {
                look(line, &job);
                self.add_job(&job);
            }
            Said::Else => {}
            Said::Nonsense => {
                if nonsense == 0 {
                    first_nonsense = line;
                }
                nonsense += 1;
            }
        };
        for_each_record(input, name, is_main, warnings, &mut take)?;
        let text = "jobs without a number, or with times that are not numbers, were left out";
        warnings.add_many(WarningKind::Corrupt, nonsense, || format!("{name}, line {first_nonsense}"), text);
        self.knows_jobs = true;
        name.clone_into(&mut self.name);
        Ok(())
    }

    fn add_job(&mut self, job: &Job) {
        if !self.has_room() {
            return;
        }
        let tile = job.written().find_map(|handle| self.tiles.get(&(job.rank, handle)).copied().flatten());
        self.jobs.push(Known {
            id: job.id,
            submitted: job.submitted,
            iteration: job.iteration,
            tile: tile.unwrap_or([TaskInfo::UNKNOWN; 2]),
            ran: job.ran(),
        });
        for on in words(job.depends_on) {
            match job_id(on) {
                Some(on) => self.graph.add(job.id, on),
                None => self.graph.unknown += 1,
            }
        }
    }

    /// Reads the graph.
    pub(super) fn read_graph(
        &mut self,
        input: &Input,
        main: &str,
        companions: Companions,
        warnings: &mut Warnings,
    ) -> Result<(), OpenError> {
        let Some(name) = find(input.files, main, companions.graph) else { return Ok(()) };
        let labels_tell = !self.knows_jobs;
        let (mut nonsense, mut first_nonsense) = (0, 0);
        let mut headings = Headings::default();
        let is_table = companions.graph == STARVZ.graph;
        let read = |number: u64, line: &[u8]| {
            if line.is_empty() || !self.has_room() {
                return;
            }
            let is_sound = if is_table {
                headings.with(line, |fields| self.edge(fields.get("Dependent"), fields.get("JobId"))).unwrap_or(true)
            } else {
                match dot::line(line) {
                    Line::Edge(from, to) => self.edge(Some(from), Some(to)),
                    Line::Node(node, label) if labels_tell => self.labelled(node, label),
                    Line::Node(..) | Line::Else => true,
                    Line::Nonsense => false,
                }
            };
            if !is_sound {
                if nonsense == 0 {
                    first_nonsense = number;
                }
                nonsense += 1;
            }
        };
        for_each_line_beside(input, &name, warnings, read)?;
        let text = "lines of the graph of tasks that name no two jobs were left out";
        warnings.add_many(WarningKind::Corrupt, nonsense, || format!("{name}, line {first_nonsense}"), text);
        self.graph_name = name;
        Ok(())
    }

    fn edge(&mut self, from: Option<&[u8]>, to: Option<&[u8]>) -> bool {
        if [from, to].iter().any(|name| name.is_some_and(|name| name.starts_with(b"tag_"))) {
            self.tags += 1;
            return true;
        }
        let [from, to] = [from, to].map(|name| dot::node(&mut self.graph, name.unwrap_or_default()));
        let (Some(from), Some(to)) = (from, to) else { return false };
        self.graph.add(to, from);
        true
    }

    /// Where nothing else tells jobs, their labels do.
    fn labelled(&mut self, node: &[u8], label: &[u8]) -> bool {
        let Some(id) = dot::node(&mut self.graph, node) else { return false };
        let TaskInfo { submitted, iteration, tile, .. } = TaskInfo::new(id);
        self.jobs.push(Known { id, submitted, iteration, tile, ran: !label.starts_with(b"_starpu_") });
        self.knows_jobs = true;
        true
    }

    /// What waits for what, where only that is known, and which tasks ran. `edges` gives what is waited for, then what waits.
    pub(super) fn of_edges(
        memory: u64,
        name: &str,
        ran: impl Iterator<Item = TaskId>,
        edges: impl Iterator<Item = [Vec<u8>; 2]>,
        warnings: &mut Warnings,
    ) -> Beside {
        let mut beside = Beside { name: name.to_owned(), graph_name: name.to_owned(), ..Beside::new(memory) };
        let known = |id, ran| {
            let TaskInfo { submitted, iteration, tile, .. } = TaskInfo::new(id);
            Known { id, submitted, iteration, tile, ran }
        };
        beside.jobs.extend(ran.map(|id| known(id, true)));
        let mut nonsense = 0;
        for [from, to] in edges {
            if !beside.has_room() {
                continue;
            }
            // What is in the graph and did not run is a job of another kind.
            for job in [&from, &to].into_iter().filter_map(|name| job_id(name)) {
                beside.jobs.push(known(job, false));
            }
            nonsense += u64::from(!beside.edge(Some(&from), Some(&to)));
        }
        beside.knows_jobs = true;
        let text = "rows of the graph of tasks that name no two jobs were left out";
        warnings.add_many(WarningKind::Corrupt, nonsense, || name.to_owned(), text);
        let mut settled = beside.settled();
        settled.jobs.dedup_by_key(|job| job.id);
        settled
    }

    /// Everything has been read.
    pub(super) fn settled(mut self) -> Beside {
        // Of a job that is described twice, the description with a run counts.
        self.jobs.sort_by_key(|job| (job.id, !job.ran));
        self.graph.settle();
        self.knows_tiles = !self.tiles.is_empty();
        self.tiles = FxHashMap::default();
        if self.name.is_empty() {
            self.name.clone_from(&self.graph_name);
        }
        self
    }

    /// Adds to a task what its trace does not say, and tells what it waits for.
    pub(crate) fn complete(&mut self, task: &mut TaskInfo) -> &[TaskId] {
        if !task.id.is_some() {
            return &[];
        }
        let Beside { jobs, graph, knows_jobs, knows_tiles, .. } = self;
        let find = |id: TaskId| {
            let at = jobs.partition_point(|job| job.id < id);
            jobs.get(at).filter(|job| job.id == id)
        };
        match find(task.id) {
            Some(job) => {
                task.submitted = if task.submitted.is_some() { task.submitted } else { job.submitted };
                if task.iteration == TaskInfo::UNKNOWN {
                    task.iteration = job.iteration;
                }
                // Whoever sets no coordinates has 0 and 0 in the trace.
                if *knows_tiles && matches!(task.tile, [TaskInfo::UNKNOWN, _] | [0, 0]) {
                    task.tile = job.tile;
                }
            }
            None => self.strangers += u64::from(*knows_jobs),
        }
        let knows_jobs = *knows_jobs;
        graph.of(task.id, |on| match find(on) {
            _ if on.process() == MESSAGES => Node::Through,
            Some(job) if job.ran => Node::Ran,
            Some(_) => Node::Through,
            None if knows_jobs => Node::Unknown,
            None => Node::Ran,
        })
    }

    /// Says what was odd.
    pub(crate) fn report(&self, warnings: &mut Warnings) {
        let graph = &self.graph;
        let mut say = |kind, count, text: &str| warnings.add_many(kind, count, || self.name.clone(), text);
        say(
            WarningKind::UndefinedReference,
            self.strangers,
            "tasks of the trace are not described beside it; when they were submitted and what they wait for is not known",
        );
        say(
            WarningKind::UndefinedReference,
            graph.unknown,
            "tasks wait for jobs that nothing describes; when these were done is not known",
        );
        say(WarningKind::Corrupt, graph.on_itself, "tasks wait for themselves; these dependencies were left out");
        say(
            WarningKind::UnusedRecords,
            graph.not_followed,
            "dependencies through jobs that no worker ran were left out, because there are too many ways through them",
        );
        say(
            WarningKind::UnusedRecords,
            self.left_out,
            "records beside the trace do not fit the memory and were left out; allow more with --memory",
        );
        warnings.add_many(
            WarningKind::UnusedRecords,
            self.tags,
            || self.graph_name.clone(),
            "lines that tie tasks to tags in the graph of tasks were left out; what waits for what is said elsewhere, too",
        );
        warnings.add_many(
            WarningKind::Assumed,
            graph.senders_by_tag,
            || self.graph_name.clone(),
            "messages without a sender in the graph of tasks were taken to be sent by the job that sent the message before \
             with the same tag: StarPU sends one datum to several processes together",
        );
    }
}

/// Tells `take` the fields of each record of a file, or of each row of a table, and the line where it begins.
fn for_each_record(
    input: &Input,
    name: &str,
    is_main: bool,
    warnings: &mut Warnings,
    take: &mut dyn FnMut(u64, &Fields),
) -> Result<(), OpenError> {
    let (mut record, mut headings) = (Record::default(), Headings::default());
    let is_table = plain_name(name).split('.').next_back() == Some("csv");
    let mut line = |number: u64, line: &[u8]| {
        if is_table {
            if !line.is_empty() {
                headings.with(line, |fields| take(number, fields));
            }
        } else if record.line(number, line) {
            let first = record.first_line;
            record.with(|fields| take(first, fields));
        }
    };
    let is_whole = if is_main {
        for_each_line(input, name, true, warnings, &mut line)?
    } else {
        for_each_line_beside(input, name, warnings, &mut line)?
    };
    // Of a file that was cut, the last number may be half of one.
    if record.is_open() && is_whole {
        let first = record.first_line;
        record.with(|fields| take(first, fields));
    }
    let (odd, first_odd) = (record.odd, record.first_odd);
    let text = "lines that are no field of a record were left out";
    warnings.add_many(WarningKind::Corrupt, odd, || format!("{name}, line {first_odd}"), text);
    Ok(())
}
