//! What `info` says about tasks.

use std::collections::BTreeMap;
use std::io::Write;

use rayon::prelude::*;
use serde::Serialize;

use heddle_model::RegionId;
use heddle_store::Store;

use crate::text::{counted, grouped, printable_name};

/// Tasks in short.
#[derive(Serialize)]
pub(super) struct TasksInfo<'a> {
    /// How many; one that ran on several workers at once is one.
    tasks: u64,
    task_types: Vec<TypeInfo<'a>>,
    /// By kind of resource; those whose kind is not known under no name.
    workers: BTreeMap<&'a str, u64>,
    dependencies: u64,
}

#[derive(Serialize)]
struct TypeInfo<'a> {
    name: &'a str,
    /// How often tasks of it ran.
    runs: u64,
    total_ns: i64,
}

impl<'a> TasksInfo<'a> {
    /// `None` if there are neither tasks nor anybody who could run them.
    pub(super) fn of(store: &'a Store) -> Option<TasksInfo<'a>> {
        let (table, spans) = (&store.tasks, &store.spans);
        if table.len() + store.workers.len() == 0 {
            return None;
        }
        let mut ids: Vec<u64> = (0..table.len()).into_par_iter().map(|row| table.id.get(row).0).collect();
        ids.par_sort_unstable();
        // Tasks without a number are told apart by nothing else.
        let numberless = ids.iter().rev().take_while(|id| **id == u64::MAX).count();
        ids.dedup();
        let tasks = ids.len() - usize::from(numberless > 0) + numberless;
        let mut types: BTreeMap<RegionId, (u64, i64)> = BTreeMap::new();
        for span in table.span.iter(0..table.len()) {
            let (runs, total) = types.entry(spans.region.get(span.0)).or_default();
            *runs += 1;
            *total += spans.end.get(span.0).since(spans.start.get(span.0));
        }
        let named = |(region, (runs, total_ns)): (RegionId, (u64, i64))| TypeInfo {
            name: store.regions.name.get(u64::from(region.0)),
            runs,
            total_ns,
        };
        let mut workers = BTreeMap::new();
        for row in 0..store.workers.len() {
            *workers.entry(store.workers.kind.get(row)).or_default() += 1;
        }
        Some(TasksInfo {
            tasks: tasks as u64,
            task_types: types.into_iter().map(named).collect(),
            workers,
            dependencies: store.dependencies.len(),
        })
    }
}

/// The same for people.
pub(super) fn print(info: &TasksInfo, out: &mut impl Write) -> anyhow::Result<()> {
    let workers: Vec<String> = info
        .workers
        .iter()
        .map(|(kind, count)| match *kind {
            "" => format!("{} of unknown kind", counted(*count, "worker")),
            kind => counted(*count, &format!("{} worker", printable_name(kind))),
        })
        .collect();
    writeln!(
        out,
        "  {} of {} · {} · {}",
        counted(info.tasks, "task"),
        counted(info.task_types.len() as u64, "type"),
        workers.join(", "),
        if info.dependencies == 1 {
            "1 dependency".to_owned()
        } else {
            format!("{} dependencies", grouped(info.dependencies))
        },
    )?;
    Ok(())
}
