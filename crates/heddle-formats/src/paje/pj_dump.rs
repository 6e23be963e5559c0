//! What `pj_dump` prints: a Paje trace as a table, one row for each container, state, variable, event and link.
//!
//! Rows are not in the order of time, but those of one type on one container stand together: they are sorted when the
//! last of them has been read. Links name containers that come later, so they wait for the end. Columns are separated by
//! a comma and blanks; recent versions quote what needs it, and can print a line of headings, which the tables of StarVZ
//! have too. Further columns, the fields that the producer added, are there on some rows only.

use heddle_model::{Ns, TaskInfo, WarningKind, Warnings};
use rustc_hash::FxHashMap;

use super::builder::Builder;
use super::dialect::{Dialect, smpi_key};
use super::lines::Lines;
use super::links::{Link, LinkEnd};
use super::number::{Unit, date, value, whole};
use super::odd::Oddity;
use super::tables::{Nature, ROOT, Tables};
use super::{Options, recognised, warn_of_end};
use crate::starpu::beside::Beside;
use crate::starpu::text::{Column, columns};
use crate::{Gather, Gathered, Input, OpenError, starpu, stream};

/// The columns that StarPU adds to the state of a task, where no headings name them.
const TASK_COLUMNS: [&str; 12] = [
    "Size",
    "Params",
    "Footprint",
    "Tag",
    "JobId",
    "SubmitOrder",
    "GFlop",
    "X",
    "Y",
    "Iteration",
    "Subiteration",
    "NumaNodes",
];

/// Whether the beginning of a file is that of such a table.
pub fn recognise(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let Some(first) = lines.next() else { return false };
    let columns = columns(first);
    match columns.first().copied() {
        Some(b"Nature") => columns.get(2).is_some_and(|column| *column == b"Type"),
        Some(b"Container" | b"State" | b"Variable" | b"Link") => columns.len() >= 7 && is_time(columns[3]),
        Some(b"Event") => columns.len() >= 5 && is_time(columns[3]),
        _ => false,
    }
}

fn is_time(column: &[u8]) -> bool {
    date(column, Unit::Seconds).is_some()
}

/// Reads a table.
pub fn open<'a>(input: &Input<'a>) -> Result<Gathered<'a>, OpenError> {
    open_with(input, Options::default())
}

/// Reads a table as `options` say.
pub fn open_with<'a>(input: &Input<'a>, options: Options) -> Result<Gathered<'a>, OpenError> {
    let otherwise = "not a table of pj_dump: rows should begin with Container, State, Variable, Event or Link";
    let (name, head) = recognised(input, recognise, otherwise)?;
    let dialect = Dialect::of(&head);
    let mut table = Table::new(input, dialect, None);
    table.unit = options.unit.unwrap_or(dialect.unit());
    let mut warnings = Warnings::default();
    table.read(input, name, true, &mut warnings)?;
    Ok(table.finish("pj_dump", name, warnings))
}

/// A row of a state.
pub(crate) struct State {
    pub(crate) start: Ns,
    pub(crate) end: Ns,
    pub(crate) depth: u32,
    pub(crate) value: Box<[u8]>,
    /// The task that it is the run of.
    pub(crate) task: Option<TaskInfo>,
}

/// A row of a link, whose ends may not be known yet.
struct NamedLink {
    kind: u32,
    from: u32,
    to: u32,
    start: Ns,
    end: Ns,
    bytes: Option<u64>,
    tag: Option<u32>,
}

/// Rows as they become a trace.
pub(crate) struct Table<'a> {
    builder: Builder<'a>,
    unit: Unit,
    types: FxHashMap<(u8, Vec<u8>), u32>,
    states: Vec<State>,
    /// Container and type of the states that are being collected.
    states_of: (u32, u32),
    /// The last state of a container and type, if it may be the twin of a task that stands further down: StarVZ's tables
    /// have the rows of a worker in several places.
    held: FxHashMap<(u32, u32), State>,
    most_states: usize,
    links: Vec<NamedLink>,
    /// Container, time, name and text.
    events: Vec<(u32, Ns, String, String)>,
    names: Vec<Vec<u8>>,
    name_index: FxHashMap<Vec<u8>, u32>,
    headings: Vec<String>,
}

impl<'a> Table<'a> {
    fn new(input: &Input<'a>, dialect: Dialect, beside: Option<Beside>) -> Table<'a> {
        let gather = Gather::new(input.scratch, if beside.is_some() { input.memory / 4 } else { input.memory / 2 });
        let mut table = Table {
            builder: Builder::new(gather, Tables::new(dialect), input.memory / 2, false),
            unit: dialect.unit(),
            types: FxHashMap::default(),
            states: Vec::new(),
            states_of: (ROOT, ROOT),
            held: FxHashMap::default(),
            most_states: usize::try_from(input.memory / 8 / 96).unwrap_or(usize::MAX).max(1 << 10),
            links: Vec::new(),
            events: Vec::new(),
            names: Vec::new(),
            name_index: FxHashMap::default(),
            headings: Vec::new(),
        };
        table.builder.events_aside = true;
        table.builder.beside = beside;
        table
    }

    /// Tables of a program on StarPU, with what is known of its tasks beside them.
    pub(crate) fn of_starpu(input: &Input<'a>, beside: Option<Beside>) -> Table<'a> {
        Table::new(input, Dialect::StarPu, beside)
    }

    /// Reads the rows of a file; `tell` says whether whoever shows progress hears of it.
    pub(crate) fn read(
        &mut self,
        input: &Input,
        name: &str,
        tell: bool,
        warnings: &mut Warnings,
    ) -> Result<(), OpenError> {
        let mut lines = Lines::new(stream(input.files, name).map_err(OpenError::unreadable(name))?);
        self.builder.odd.line = 0;
        while let Some(block) = lines.next() {
            if !(input.go_on)(if tell { block.bytes.len() as u64 } else { 0 }) {
                return Err(OpenError::Cancelled);
            }
            for line in block.bytes.split_inclusive(|byte| *byte == b'\n') {
                self.builder.odd.line += 1;
                if self.row(line).is_none() {
                    self.builder.odd.count(Oddity::ShortRow);
                }
            }
            self.settle().map_err(OpenError::unreadable(name))?;
        }
        self.write_states();
        self.write_events();
        warn_of_end(&lines, name, self.builder.odd.line, warnings);
        self.builder.odd.report_and_forget(name, warnings);
        Ok(())
    }

    /// To be called now and then: keeps within the memory.
    pub(crate) fn settle(&mut self) -> std::io::Result<()> {
        if self.links.len() > self.most_states {
            self.write_links(false);
        }
        let added = std::mem::take(&mut self.builder.added);
        self.builder.gather.settle(added)
    }

    /// The trace. `name` is that of its main file.
    pub(crate) fn finish(mut self, format: &'static str, name: &str, mut warnings: Warnings) -> Gathered<'a> {
        self.write_states();
        self.write_held();
        self.write_links(true);
        self.add_missing_processes(name, &mut warnings);
        let creator = self.builder.tables.dialect.creator().to_owned();
        self.builder.finish(format, creator, name, warnings)
    }

    /// Takes a row that another table has in another form.
    pub(crate) fn take(&mut self, row: &str) {
        if self.row(row.as_bytes()).is_none() {
            self.builder.odd.count(Oddity::ShortRow);
        }
    }

    /// Takes a row; `None` if it makes no sense.
    fn row(&mut self, line: &[u8]) -> Option<()> {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            return Some(());
        }
        let columns = columns(line);
        match *columns.first()? {
            b"Container" => {
                let kind = self.kind(Nature::Container, columns.get(2)?);
                let (start, end) = (self.time(columns.get(3)?)?, self.time(columns.get(4)?)?);
                self.builder.see(start);
                self.builder.see(end);
                let name = columns.get(6)?;
                // The root is there already.
                if *name != b"0" {
                    let parent = self.builder.tables.find_container(columns.get(1)?).unwrap_or(ROOT);
                    let id = self.builder.add_container(lossy(name), kind, parent);
                    self.builder.tables.name_container(None, name, id);
                }
            }
            b"State" => {
                let kind = self.kind(Nature::State, columns.get(2)?);
                if self.builder.tables.types[kind as usize].repeats {
                    self.builder.odd.count(Oddity::RepeatedState);
                    return Some(());
                }
                let (start, end) = (self.time(columns.get(3)?)?, self.time(columns.get(4)?)?);
                let depth = whole(columns.get(6)?)?.min(u64::from(u32::MAX)) as u32;
                let value = columns.get(7)?;
                let task = self.task(columns.get(8..).unwrap_or_default()).filter(|_| !starpu::is_runtime(value));
                let container = self.container(columns.get(1)?);
                self.state(container, kind, State { start, end, depth, value: (*value).into(), task });
            }
            b"Variable" => {
                let container = self.container(columns.get(1)?);
                let kind = self.kind(Nature::Variable, columns.get(2)?);
                let (start, end) = (self.time(columns.get(3)?)?, self.time(columns.get(4)?)?);
                let number = value(columns.get(6)?).filter(|number| number.is_finite())?;
                self.builder.set_variable(container, kind, number, start);
                self.builder.see(end);
            }
            b"Event" => {
                let container = self.container(columns.get(1)?);
                let time = self.time(columns.get(3)?)?;
                let text: Vec<String> = columns.get(4..)?.iter().map(|column| lossy(column)).collect();
                self.events.push((container, time, lossy(columns.get(2)?), text.join(" ")));
                if self.events.len() >= self.most_states {
                    self.write_events();
                }
            }
            b"Link" => return self.link(&columns),
            b"Nature" => {
                self.headings = columns.get(8..).unwrap_or_default().iter().map(|column| lossy(column)).collect();
            }
            _ => return None,
        }
        Some(())
    }

    /// Takes a state of a type on a container.
    pub(crate) fn state(&mut self, container: u32, kind: u32, state: State) {
        if (container, kind) != self.states_of || self.states.len() >= self.most_states {
            self.write_states();
            self.states_of = (container, kind);
        }
        self.states.push(state);
    }

    fn link(&mut self, columns: &[Column]) -> Option<()> {
        let kind = self.kind(Nature::Link, columns.get(2)?);
        let (start, end) = (self.time(columns.get(3)?)?, self.time(columns.get(4)?)?);
        let (value, key) = (columns.get(6)?, columns.get(9)?);
        if *value == b"topology" {
            self.builder.odd.count(Oddity::Topology);
            return Some(());
        }
        let tag = columns.get(10).and_then(|tag| std::str::from_utf8(tag).ok()?.parse::<i64>().ok());
        let tag = match self.builder.tables.dialect {
            Dialect::SimGrid => smpi_key(key).map(|(_, _, tag)| tag),
            _ => tag,
        };
        let (from, to) = (self.name(columns.get(7)?), self.name(columns.get(8)?));
        self.builder.see(start);
        self.builder.see(end);
        self.links.push(NamedLink { kind, from, to, start, end, bytes: whole(value), tag: tag.map(|tag| tag as u32) });
        Some(())
    }

    fn time(&self, column: &[u8]) -> Option<Ns> {
        date(column, self.unit)
    }

    fn kind(&mut self, nature: Nature, name: &[u8]) -> u32 {
        if let Some(known) = self.types.get(&(nature as u8, name.to_vec())) {
            return *known;
        }
        let (id, _) = self.builder.tables.define_type(None, name, nature, ROOT);
        self.types.insert((nature as u8, name.to_vec()), id);
        id
    }

    /// The container of a name; one that has no row of its own is put below the root. StarPU's names tell more.
    pub(crate) fn container(&mut self, name: &[u8]) -> u32 {
        if let Some(known) = self.builder.tables.find_container(name) {
            return known;
        }
        let text = lossy(name);
        let (kind, parent) = match self.builder.tables.dialect {
            Dialect::StarPu => {
                let (process, kind) = (starpu::of_process(&text).0, starpu::container_type(&text));
                (kind, if matches!(kind, "Program" | "MPI Program") { ROOT } else { self.process(process) })
            }
            _ => ("", ROOT),
        };
        let kind = self.kind(Nature::Container, kind.as_bytes());
        let id = self.builder.add_container(text, kind, parent);
        self.builder.tables.name_container(None, name, id);
        id
    }

    /// The container of a process of StarPU; of the only one if it has no number.
    pub(crate) fn process(&mut self, number: Option<u32>) -> u32 {
        let name = number.map_or_else(|| "program".to_owned(), |number| format!("{number}_program"));
        self.container(name.as_bytes())
    }

    /// Processes of which no table tells anything are there all the same: without them the others would have no ranks. But
    /// no single number makes millions of them.
    fn add_missing_processes(&mut self, name: &str, warnings: &mut Warnings) {
        let ranks = &self.builder.ranks;
        let Some(last) = ranks.keys().max().copied().filter(|_| self.builder.tables.dialect == Dialect::StarPu) else {
            return;
        };
        if last as usize >= 4 * ranks.len() + 64 {
            let text = "so many processes are missing among those of the tasks that the others have no ranks";
            warnings.add(WarningKind::Assumed, || name.to_owned(), text);
            return;
        }
        for rank in 0..=last {
            self.process(Some(rank));
        }
    }

    /// A worker of StarPU by name, whether it does anything or not; with the type of its states.
    pub(crate) fn worker(&mut self, name: &str) -> (u32, u32) {
        let kind = self.kind(Nature::State, b"Worker State");
        let container = self.container(name.as_bytes());
        self.builder.has_states(container, kind);
        (container, kind)
    }

    /// The names of the containers of a type.
    pub(crate) fn containers_of_type(&mut self, kind: &str) -> Vec<String> {
        let kind = self.kind(Nature::Container, kind.as_bytes());
        let of_kind = self.builder.containers.iter().filter(|container| container.kind == kind);
        of_kind.map(|container| container.name.clone()).collect()
    }

    /// Something happened then that makes no record.
    pub(crate) fn see(&mut self, time: Ns) {
        self.builder.see(time);
    }

    fn name(&mut self, name: &[u8]) -> u32 {
        if let Some(known) = self.name_index.get(name) {
            return *known;
        }
        self.names.push(name.to_vec());
        let id = self.names.len() as u32 - 1;
        self.name_index.insert(name.to_vec(), id);
        id
    }

    /// The task that a state is the run of, by its fields.
    fn task(&mut self, fields: &[Column]) -> Option<TaskInfo> {
        let heading = |at: usize| match self.headings.get(at) {
            Some(heading) => heading.as_str(),
            None => TASK_COLUMNS.get(at).copied().unwrap_or(""),
        };
        let task = starpu::task(fields.iter().enumerate().map(|(at, field)| (heading(at), *field)));
        let task = task.filter(|_| self.builder.tables.dialect == Dialect::StarPu);
        if task.is_none() {
            self.builder.odd.count_many(Oddity::UserField, fields.len() as u64);
        }
        task
    }

    /// Writes the events so far. Those of one container are in the order of time only within a type.
    fn write_events(&mut self) {
        self.events.sort_by_key(|(container, time, ..)| (*container, *time));
        for (container, time, name, text) in std::mem::take(&mut self.events) {
            self.builder.mark(container, &name, text, time);
        }
    }

    /// Writes the states that were held back and not followed by their task.
    fn write_held(&mut self) {
        let mut held: Vec<(u32, u32)> = self.held.keys().copied().collect();
        held.sort_unstable();
        for of in held {
            self.states_of = of;
            self.write_states_of(true);
        }
    }

    /// Writes the states that were collected.
    fn write_states(&mut self) {
        self.write_states_of(false);
    }

    /// Depth says which contains which.
    fn write_states_of(&mut self, is_last: bool) {
        let (container, kind) = self.states_of;
        let mut states = std::mem::take(&mut self.states);
        states.splice(..0, self.held.remove(&self.states_of));
        states.sort_by_key(|state| (state.start, state.depth));
        let may_be_twin = |state: &mut State| state.task.is_none() && state.start == state.end && state.depth == 0;
        if !is_last
            && self.builder.tables.dialect == Dialect::StarPu
            && let Some(state) = states.pop_if(may_be_twin)
        {
            self.held.insert(self.states_of, state);
        }
        // Depth and end of those that are open.
        let mut open: Vec<(u32, Ns)> = Vec::new();
        for (at, state) in states.iter().enumerate() {
            let is_twin = states.get(at + 1).is_some_and(|next| {
                next.task.is_some()
                    && state.task.is_none()
                    && state.start == state.end
                    && (next.start, next.depth, &next.value) == (state.start, state.depth, &state.value)
            });
            if is_twin {
                self.builder.odd.count(Oddity::TaskTwin);
                continue;
            }
            let (mut start, mut end) = (state.start, state.end.max(state.start));
            while let Some((depth, until)) = open.last().copied().filter(|(depth, _)| *depth >= state.depth) {
                if until > start {
                    self.builder.odd.count(Oddity::Overlap);
                    // One of the same depth inside of another stays there; tasks keep their ends, and so what is done when.
                    if depth == state.depth && end <= until {
                        break;
                    }
                    (start, end) = (until, end.max(until));
                }
                self.builder.pop_state(container, kind, until);
                open.pop();
            }
            if let Some((_, until)) = open.last() {
                end = end.min(*until);
            }
            let region = self.builder.tables.value(kind, &state.value);
            self.builder.push_state(container, kind, region, start);
            if let Some(task) = state.task {
                self.builder.tables.is_task(region);
                self.builder.task(container, kind, task, start);
            }
            open.push((state.depth, end));
        }
        while let Some((_, end)) = open.pop() {
            self.builder.pop_state(container, kind, end);
        }
    }

    fn write_links(&mut self, is_end: bool) {
        for link in std::mem::take(&mut self.links) {
            let (from, to) = (self.named(link.from), self.named(link.to));
            let end = |container, time| Some(LinkEnd { container, time, bytes: link.bytes, tag: link.tag });
            let (start, end) = (end(from, link.start), end(to, link.end));
            self.builder.links.add_whole(Link { kind: link.kind, start, end });
        }
        if !is_end {
            self.builder.write_links(false);
        }
    }

    fn named(&mut self, name: u32) -> u32 {
        let name = self.names[name as usize].clone();
        self.container(&name)
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
