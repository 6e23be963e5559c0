//! The tables that StarVZ makes in its second phase: one Parquet file for each, in a folder.
//!
//! `application.parquet` has the tasks, `starpu.parquet` the states of the runtime; both have a row for each state of a
//! worker, in no order that could be relied on. Times are milliseconds from the first task, so some are negative.

use heddle_model::{Ns, TaskId, TaskInfo, WarningKind, Warnings};
use rustc_hash::FxHashMap;

use super::beside::{Beside, find};
use super::{job_id, of_process};
use crate::paje::pj_dump::{State, Table};
use crate::parquet::{self, Column};
use crate::runs::{Row, Runs};
use crate::{Gathered, Input, OpenError, starpu};

/// The main table.
pub(super) const MAIN: &str = "application.parquet";

/// All that may lie beside it.
pub(super) const TABLES: [&str; 5] =
    ["starpu.parquet", "link.parquet", "variable.parquet", "dag.parquet", "entities.parquet"];

/// Whether a file is a Parquet file.
pub fn recognise(head: &[u8]) -> bool {
    parquet::recognise(head)
}

/// Columns without which there are no states.
const NEEDED: [&str; 4] = ["ResourceId", "Start", "End", "Value"];

/// A state of a worker.
#[derive(Clone, Copy, Debug)]
struct Stay {
    worker: u32,
    start: Ns,
    end: Ns,
    depth: u32,
    value: u32,
    is_task: bool,
    id: TaskId,
    iteration: u32,
    tile: [u32; 2],
}

impl Row for Stay {
    type Key = (u32, Ns, u32, Ns, TaskId);
    type Bytes = [u8; Stay::BYTES];
    const BYTES: usize = 52;

    fn key(&self) -> Self::Key {
        (self.worker, self.start, self.depth, self.end, self.id)
    }

    fn to_bytes(self) -> Self::Bytes {
        let mut bytes = [0; Stay::BYTES];
        for (at, four) in
            [self.worker, self.depth, self.value, self.is_task.into(), self.iteration, self.tile[0], self.tile[1]]
                .into_iter()
                .enumerate()
        {
            bytes[4 * at..4 * at + 4].copy_from_slice(&four.to_le_bytes());
        }
        bytes[28..36].copy_from_slice(&self.start.0.to_le_bytes());
        bytes[36..44].copy_from_slice(&self.end.0.to_le_bytes());
        bytes[44..52].copy_from_slice(&self.id.0.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Stay {
        let four = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| bytes[4 * at + byte]));
        let eight = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        Stay {
            worker: four(0),
            depth: four(1),
            value: four(2),
            is_task: four(3) != 0,
            iteration: four(4),
            tile: [four(5), four(6)],
            start: Ns(eight(28) as i64),
            end: Ns(eight(36) as i64),
            id: TaskId(eight(44)),
        }
    }
}

/// Words and their numbers.
#[derive(Default)]
struct Words {
    all: Vec<String>,
    index: FxHashMap<String, u32>,
}

impl Words {
    fn number(&mut self, word: &str) -> u32 {
        if let Some(known) = self.index.get(word) {
            return *known;
        }
        self.all.push(word.to_owned());
        self.index.insert(word.to_owned(), self.all.len() as u32 - 1);
        self.all.len() as u32 - 1
    }
}

/// States as they are collected.
struct Stays<'a> {
    input: &'a Input<'a>,
    runs: Runs<Stay>,
    most: usize,
    workers: Words,
    values: Words,
    tasks: Vec<TaskId>,
    rows: u64,
    odd: u64,
    first_odd: u64,
}

/// Reads the tables of a folder.
pub fn open<'a>(input: &Input<'a>) -> Result<Gathered<'a>, OpenError> {
    let [name] = input.names else {
        return Err(OpenError::Wrong {
            place: input.names.first().cloned().unwrap_or_default(),
            what: format!(
                "tables of StarVZ are one folder, and {} were given; open them one by one",
                input.names.len()
            ),
        });
    };
    let wrong = |what: String| OpenError::Wrong { place: name.clone(), what };
    let main = parquet::Table::open(input.files, name, input.memory).map_err(wrong)?;
    if let Some(missing) = NEEDED.iter().find(|column| !main.has(column)) {
        let what = format!(
            "a Parquet file without a column {missing}, so it is not StarVZ's table of tasks; name application.parquet"
        );
        return Err(wrong(what));
    }
    let mut warnings = Warnings::default();
    let mut stays = Stays {
        input,
        runs: Runs::default(),
        most: usize::try_from(input.memory / 8 / 64).unwrap_or(usize::MAX).max(1 << 10),
        workers: Words::default(),
        values: Words::default(),
        tasks: Vec::new(),
        rows: 0,
        odd: 0,
        first_odd: 0,
    };
    stays.read(&main, name, &mut warnings)?;
    let is_folder = super::beside::plain_name(name) == MAIN;
    let beside = |file: &str| find(input.files, name, file).filter(|_| is_folder);
    if let Some(file) = beside("starpu.parquet")
        && let Some(table) = open_beside(input, &file, &mut warnings)
    {
        stays.read(&table, &file, &mut warnings)?;
    }
    let graph = match beside("dag.parquet") {
        Some(file) => graph(input, &file, &stays.tasks, &mut warnings),
        None => None,
    };
    let mut table = Table::of_starpu(input, graph);
    let mut order: Vec<u32> = (0..stays.workers.all.len() as u32).collect();
    // "10" is after "2".
    order.sort_by_key(|worker| of_process(&stays.workers.all[*worker as usize]).0);
    for worker in order {
        table.worker(&stays.workers.all[worker as usize]);
    }
    if let Some(file) = beside("entities.parquet") {
        declare(&mut table, input, &file, &stays.workers, &mut warnings);
    }
    let scratch = || OpenError::unreadable("scratch space");
    let (mut of, mut place) = (None, (0, 0));
    for stay in stays.runs.merged(input.scratch).map_err(scratch())? {
        let stay = stay.map_err(scratch())?;
        if of != Some(stay.worker) {
            of = Some(stay.worker);
            place = table.worker(&stays.workers.all[stay.worker as usize]);
            table.settle().map_err(scratch())?;
        }
        let Stay { start, end, depth, iteration, tile, id, .. } = stay;
        let task = stay.is_task.then(|| TaskInfo { iteration, tile, ..TaskInfo::new(id) });
        let value = stays.values.all[stay.value as usize].as_bytes().into();
        table.state(place.0, place.1, State { start, end, depth, value, task });
    }
    for (file, row) in [("link.parquet", link as Written), ("variable.parquet", variable)] {
        if let Some(file) = beside(file) {
            rows(&mut table, input, &file, row, &mut warnings)?;
        }
    }
    Ok(table.finish("starvz-parquet", name, warnings))
}

/// A file beside the main one; it does without, and says so.
fn open_beside<'a>(input: &Input<'a>, file: &str, warnings: &mut Warnings) -> Option<parquet::Table<'a>> {
    let said = |why: String| {
        let text = format!("a table beside the main one could not be read ({why}); the trace is without it");
        warnings.add(WarningKind::MissingFile, || file.to_owned(), &text);
    };
    parquet::Table::open(input.files, file, input.memory).map_err(said).ok()
}

/// The columns of a group of rows; what cannot be read is said once.
fn columns<const N: usize>(
    table: &parquet::Table,
    group: usize,
    names: [&str; N],
    warnings: &mut Warnings,
) -> Option<[Option<Column>; N]> {
    let mut found = names.map(|_| None);
    for (place, name) in found.iter_mut().zip(names) {
        match table.column(group, name) {
            Ok(column) => *place = column,
            Err(why) => {
                let text = "a column of a group of rows could not be read; what comes before is shown";
                warnings.add(WarningKind::Corrupt, || why.clone(), &format!("{text}: {why}"));
                return None;
            }
        }
    }
    Some(found)
}

/// Milliseconds in nanoseconds.
fn time(column: Option<&Column>, row: usize) -> Option<Ns> {
    let ms = column?.number(row)?;
    Some(Ns(((ms * 1e6).round() as i64).clamp(-Ns::MAX.0, Ns::MAX.0)))
}

fn natural(column: Option<&Column>, row: usize) -> u32 {
    let number = column.and_then(|column| column.number(row)).filter(|number| (0.0..4e9).contains(number));
    number.map_or(TaskInfo::UNKNOWN, |number| number as u32)
}

impl Stays<'_> {
    fn read(&mut self, table: &parquet::Table, name: &str, warnings: &mut Warnings) -> Result<(), OpenError> {
        (self.rows, self.odd) = (0, 0);
        for group in 0..table.groups() {
            if !(self.input.go_on)(0) {
                return Err(OpenError::Cancelled);
            }
            let names = ["ResourceId", "Start", "End", "Value", "Depth", "JobId", "X", "Y", "Iteration", "Node"];
            let Some(columns) = columns(table, group, names, warnings) else { break };
            let rows = columns[0].as_ref().map_or(0, Column::len);
            for row in 0..rows {
                self.rows += 1;
                if self.row(&columns, row).is_none() {
                    if self.odd == 0 {
                        self.first_odd = self.rows;
                    }
                    self.odd += 1;
                }
            }
            self.runs
                .put_aside_beyond(self.most, self.input.scratch)
                .map_err(OpenError::unreadable("scratch space"))?;
        }
        let (odd, first) = (self.odd, self.first_odd);
        let text = "rows without a worker, a value, or times were left out";
        warnings.add_many(WarningKind::Corrupt, odd, || format!("{name}, row {first}"), text);
        Ok(())
    }

    fn row(&mut self, columns: &[Option<Column>; 10], row: usize) -> Option<()> {
        let [resource, start, end, value, depth, job, x, y, iteration, node] = columns.each_ref().map(Option::as_ref);
        let mut worker = String::from_utf8_lossy(resource?.text(row)?).into_owned();
        // Where names bear no process, the column does.
        let node = node.and_then(|node| node.written(row)).and_then(|node| node.parse::<u32>().ok());
        if let (None, Some(node)) = (of_process(&worker).0, node.filter(|node| *node > 0)) {
            worker = format!("{node}_{worker}");
        }
        let (start, end) = (time(start, row)?, time(end, row)?);
        let value = String::from_utf8_lossy(value?.text(row)?).into_owned();
        let job = job.and_then(|job| job.written(row)).filter(|job| !job.is_empty() && job != "NA");
        let is_task = job.is_some() && !starpu::is_runtime(value.as_bytes());
        let id = TaskId::from(job.and_then(|job| job_id(job.as_bytes())));
        let tile = [natural(x, row), natural(y, row)];
        if is_task && id.is_some() {
            self.tasks.push(id);
        }
        self.runs.push(Stay {
            worker: self.workers.number(&worker),
            start,
            end: end.max(start),
            depth: depth.and_then(|depth| depth.number(row)).map_or(0, |depth| depth.clamp(0.0, 1e6) as u32),
            value: self.values.number(&value),
            is_task,
            id,
            iteration: natural(iteration, row),
            tile: if tile.contains(&TaskInfo::UNKNOWN) { [TaskInfo::UNKNOWN; 2] } else { tile },
        });
        Some(())
    }
}

/// What waits for what.
fn graph(input: &Input, file: &str, ran: &[TaskId], warnings: &mut Warnings) -> Option<Beside> {
    let table = open_beside(input, file, warnings)?;
    let mut edges: Vec<[Vec<u8>; 2]> = Vec::new();
    for group in 0..table.groups() {
        let Some([from, to]) = columns(&table, group, ["Dependent", "JobId"], warnings) else { break };
        let (Some(from), Some(to)) = (from, to) else { continue };
        // What begins the graph waits for nothing.
        let pairs =
            (0..to.len()).filter_map(|row| Some([from.written(row)?, to.written(row)?].map(String::into_bytes)));
        edges.extend(pairs.filter(|[from, _]| !from.is_empty() && from != b"NA"));
    }
    Some(Beside::of_edges(input.memory / 4, file, ran.iter().copied(), edges.into_iter(), warnings))
}

/// Workers that never did anything, if the file is of this run.
fn declare(table: &mut Table, input: &Input, file: &str, seen: &Words, warnings: &mut Warnings) {
    let Some(entities) = open_beside(input, file, warnings) else { return };
    let mut declared: Vec<String> = Vec::new();
    for group in 0..entities.groups() {
        let Some([name, kind, nature]) = columns(&entities, group, ["Name", "Type", "Nature"], warnings) else { break };
        let is = |column: &Option<Column>, row: usize, text: &[u8]| {
            column.as_ref().is_none_or(|column| column.text(row) == Some(text))
        };
        let Some(name) = &name else { continue };
        let workers = (0..name.len()).filter(|row| is(&kind, *row, b"Worker") && is(&nature, *row, b"Container"));
        declared.extend(workers.filter_map(|row| name.written(row)));
    }
    super::starvz::declare_known(table, file, declared, &seen.all, warnings);
}

/// How a row of another table is written as a row of `pj_dump`.
type Written = fn(&[Option<Column>; 9], usize) -> Option<String>;

const COLUMNS: [&str; 9] = ["Type", "Start", "End", "Size", "Origin", "Dest", "Tag", "ResourceId", "Value"];

fn link([kind, start, end, size, origin, dest, tag, ..]: &[Option<Column>; 9], row: usize) -> Option<String> {
    let text = |column: &Option<Column>| column.as_ref()?.written(row);
    let (start, end) = (start.as_ref()?.number(row)?, end.as_ref()?.number(row)?);
    let (kind, origin, dest) = (text(kind)?, text(origin)?, text(dest)?);
    let (size, tag) = (text(size).unwrap_or_default(), text(tag).unwrap_or_default());
    Some(format!("Link, \"root\", \"{kind}\", {start}, {end}, 0, {size}, \"{origin}\", \"{dest}\", \"\", {tag}"))
}

fn variable([kind, start, end, _, _, _, _, resource, value]: &[Option<Column>; 9], row: usize) -> Option<String> {
    let text = |column: &Option<Column>| column.as_ref()?.written(row);
    let (start, end) = (start.as_ref()?.number(row)?, end.as_ref()?.number(row)?);
    let (kind, resource, value) = (text(kind)?, text(resource)?, value.as_ref()?.number(row)?);
    Some(format!("Variable, \"{resource}\", \"{kind}\", {start}, {end}, 0, {value}"))
}

fn rows(
    table: &mut Table,
    input: &Input,
    file: &str,
    written: Written,
    warnings: &mut Warnings,
) -> Result<(), OpenError> {
    let Some(found) = open_beside(input, file, warnings) else { return Ok(()) };
    let mut odd = 0;
    for group in 0..found.groups() {
        let Some(columns) = columns(&found, group, COLUMNS, warnings) else { break };
        for row in 0..columns[1].as_ref().map_or(0, Column::len) {
            match written(&columns, row) {
                Some(text) => table.take(&text),
                None => odd += 1,
            }
        }
        table.settle().map_err(OpenError::unreadable("scratch space"))?;
    }
    warnings.add_many(
        WarningKind::Corrupt,
        odd,
        || file.to_owned(),
        "rows that lack times, ends or values were left out",
    );
    Ok(())
}
