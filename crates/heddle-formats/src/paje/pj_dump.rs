//! What `pj_dump` prints: a Paje trace as a table, one row for each container, state, variable, event and link.
//!
//! Rows are not in the order of time, but those of one type on one container stand together: they are sorted when the
//! last of them has been read. Links name containers that come later, so they wait for the end. Columns are separated by
//! a comma and blanks; recent versions quote what needs it, and can print a line of headings, which the tables of StarVZ
//! have too. Further columns, the fields that the producer added, are there on some rows only.

use heddle_model::{Ns, Warnings};
use rustc_hash::FxHashMap;

use super::builder::Builder;
use super::dialect::{Dialect, smpi_key};
use super::lines::Lines;
use super::links::{Link, LinkEnd};
use super::number::{Unit, date, value, whole};
use super::odd::Oddity;
use super::tables::{Nature, ROOT, Tables};
use super::{Options, recognised, warn_of_end};
use crate::{Gather, Gathered, Input, OpenError, stream};

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
    let mut lines = Lines::new(stream(input.files, name).map_err(OpenError::unreadable(name))?);
    let gather = Gather::new(input.scratch, input.memory / 2);
    let mut table = Table {
        builder: Builder::new(gather, Tables::new(dialect), input.memory / 2, false),
        unit: options.unit.unwrap_or(dialect.unit()),
        types: FxHashMap::default(),
        states: Vec::new(),
        states_of: (ROOT, ROOT),
        held: FxHashMap::default(),
        most_states: usize::try_from(input.memory / 8 / 96).unwrap_or(usize::MAX).max(1 << 10),
        links: Vec::new(),
        names: Vec::new(),
        name_index: FxHashMap::default(),
        headings: Vec::new(),
    };
    table.builder.events_aside = true;
    let mut warnings = Warnings::default();
    while let Some(block) = lines.next() {
        if !(input.go_on)(block.bytes.len() as u64) {
            return Err(OpenError::Cancelled);
        }
        for line in block.bytes.split_inclusive(|byte| *byte == b'\n') {
            table.builder.odd.line += 1;
            if table.row(line).is_none() {
                table.builder.odd.count(Oddity::ShortRow);
            }
        }
        if table.links.len() > table.most_states {
            table.write_links(false);
        }
        let added = std::mem::take(&mut table.builder.added);
        table.builder.gather.settle(added).map_err(OpenError::unreadable(name))?;
    }
    table.write_states();
    table.write_held();
    table.write_links(true);
    warn_of_end(&lines, name, table.builder.odd.line, &mut warnings);
    Ok(table.builder.finish("pj_dump", dialect.creator().to_owned(), name, warnings))
}

/// A row of a state.
struct State {
    start: Ns,
    end: Ns,
    depth: u32,
    value: Box<[u8]>,
    /// The task's fields as text, if it is one.
    task: Option<String>,
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

struct Table<'a> {
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
    names: Vec<Vec<u8>>,
    name_index: FxHashMap<Vec<u8>, u32>,
    headings: Vec<String>,
}

impl Table<'_> {
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
                let of = (self.container(columns.get(1)?), self.kind(Nature::State, columns.get(2)?));
                let (start, end) = (self.time(columns.get(3)?)?, self.time(columns.get(4)?)?);
                let depth = whole(columns.get(6)?)?.min(u64::from(u32::MAX)) as u32;
                let task = self.task(columns.get(8..).unwrap_or_default());
                let value = columns.get(7)?;
                if of != self.states_of || self.states.len() >= self.most_states {
                    self.write_states();
                    self.states_of = of;
                }
                self.states.push(State { start, end, depth, value: (*value).into(), task });
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
                self.builder.mark(container, &lossy(columns.get(2)?), text.join(" "), time);
            }
            b"Link" => return self.link(&columns),
            b"Nature" => {
                self.headings = columns.get(8..).unwrap_or_default().iter().map(|column| lossy(column)).collect();
            }
            _ => return None,
        }
        Some(())
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

    /// The container of a name; one that has no row of its own is put below the root.
    fn container(&mut self, name: &[u8]) -> u32 {
        if let Some(known) = self.builder.tables.find_container(name) {
            return known;
        }
        let kind = self.kind(Nature::Container, b"");
        let id = self.builder.add_container(lossy(name), kind, ROOT);
        self.builder.tables.name_container(None, name, id);
        id
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

    /// The fields of a task's run.
    fn task(&mut self, fields: &[Column]) -> Option<String> {
        let heading = |at: usize| match self.headings.get(at) {
            Some(heading) => heading.as_str(),
            None => TASK_COLUMNS.get(at).copied().unwrap_or(""),
        };
        let is_task = self.builder.tables.dialect == Dialect::StarPu
            && (0..fields.len()).any(|at| heading(at) == "JobId" && !fields[at].is_empty());
        if is_task {
            let field = |(at, field): (usize, &Column)| format!("{}={}", heading(at), lossy(field));
            return Some(fields.iter().enumerate().map(field).collect::<Vec<_>>().join(" "));
        }
        self.builder.odd.count_many(Oddity::UserField, fields.len() as u64);
        None
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
            while let Some((_, end)) = open.pop_if(|(depth, _)| *depth >= state.depth) {
                self.builder.pop_state(container, kind, end.min(state.start));
            }
            let region = self.builder.tables.value(kind, &state.value);
            self.builder.push_state(container, kind, region, state.start);
            if let Some(fields) = &state.task {
                self.builder.tables.is_task(region);
                self.builder.task_fields(container, kind, fields.clone(), state.start);
            }
            open.push((state.depth, state.end.max(state.start)));
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

type Column<'l> = &'l [u8];

/// The columns of a row, without blanks and quotes around them.
fn columns(line: &[u8]) -> Vec<Column<'_>> {
    let mut columns = Vec::with_capacity(20);
    let mut rest = line;
    loop {
        let start = rest.trim_ascii_start();
        let quoted = start.strip_prefix(b"\"").and_then(|inside| {
            let end = inside.iter().position(|byte| *byte == b'"')?;
            Some((&inside[..end], &inside[end + 1..]))
        });
        let (column, after) = quoted.unwrap_or((start, start));
        let comma = after.iter().position(|byte| *byte == b',');
        let column = match (quoted, comma) {
            (Some(_), _) => column,
            (None, Some(comma)) => start[..comma].trim_ascii_end(),
            (None, None) => start.trim_ascii_end(),
        };
        columns.push(column);
        match comma {
            Some(comma) => rest = &after[comma + 1..],
            None => return columns,
        }
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
