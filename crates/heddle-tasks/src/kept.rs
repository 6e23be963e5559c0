//! A progression as files of a store.

use std::path::Path;

use heddle_model::{Ns, RegionId, TaskId};
use heddle_store::{StoreError, table, write_table};

use crate::tally::TypeOnKind;
use crate::{Bounds, Chain, Progression, WorkKind, WorkType, WorkerKind};

/// Goes up whenever results of an older version are not those of this one.
pub(crate) const FORMAT: u32 = 1;

table! {
    /// Nodes, those with work first.
    NodeRows, NodeTable = "nodes" {
        /// Its number.
        number: u32 => "node",
        /// How many tasks it ran; null without work.
        tasks: u64 => "tasks" nullable,
        /// What its workers need for them at least.
        bound: f64 => "bound_ns" nullable,
    }
}

table! {
    /// Workers of nodes, by node with work, then kind.
    NodeKindRows, NodeKindTable = "node_kinds" {
        /// How many.
        workers: u64 => "workers",
        /// Their time in tasks.
        busy: i64 => "busy_ns",
    }
}

table! {
    /// Progress, by node with work, then instant.
    ValueRows, ValueTable = "progress" {
        /// Share of its work that it has done.
        value: f64 => "progress",
    }
}

table! {
    /// Instants.
    InstantRows, InstantTable = "instants" {
        /// When.
        time: Ns => "time_ns",
        /// Progress of all nodes together.
        pooled: f64 => "progress",
        /// What the work since the instant before takes at least.
        bound: f64 => "bound_ns",
    }
}

table! {
    /// Kinds of workers.
    KindRows, KindTable = "kinds" {
        /// Its name.
        name: String => "kind",
        /// How many there are.
        declared: u64 => "declared",
        /// How many ran a task.
        observed: u64 => "observed",
        /// How many the bounds count on.
        counted: u64 => "counted",
    }
}

table! {
    /// Types of work.
    TypeRows, TypeTable = "types" {
        /// Its region.
        region: RegionId => "region" nullable,
        /// How many tasks.
        tasks: u64 => "tasks",
    }
}

table! {
    /// Types on kinds of workers, by type, then kind.
    TypeKindRows, TypeKindTable = "type_kinds" {
        /// Number of runs.
        runs: u64 => "runs",
        /// Sum of their durations.
        total: i64 => "total_ns",
        /// Shorter ones are outliers.
        low: i64 => "low_ns" nullable,
        /// Longer ones are outliers.
        high: i64 => "high_ns" nullable,
        /// How many those are.
        outliers: u64 => "outliers",
    }
}

table! {
    /// The run as a whole: one row.
    WholeRows, WholeTable = "whole" {
        /// 1 if there are bounds.
        is_bound: u8 => "is_bound",
        /// The area bound.
        area: f64 => "area_ns",
        /// The longest chain, where dependencies are known.
        chain: f64 => "chain_ns" nullable,
        /// How many tasks it has.
        chain_tasks: u64 => "chain_tasks",
        /// How many tasks wait for themselves.
        cyclic: u64 => "cyclic",
        /// How many dependencies are on tasks that are not there.
        missing: u64 => "missing",
    }
}

table! {
    /// Tasks that wait for each other in a circle.
    CircleRows, CircleTable = "circle" {
        /// Which.
        task: TaskId => "task",
    }
}

table! {
    /// What a reader should know.
    NoteRows, NoteTable = "notes" {
        /// A sentence.
        text: String => "text",
    }
}

/// Writes a progression into an empty directory.
pub(crate) fn write(directory: &Path, progression: &Progression) -> Result<(), StoreError> {
    let (bounds, idle) = (&progression.bounds, progression.idle.len());
    let chain = bounds.dependencies.clone().unwrap_or_default();
    write_table(
        directory,
        NodeRows {
            number: progression.nodes.iter().chain(&progression.idle).copied().collect(),
            tasks: progression.tasks.iter().copied().chain(std::iter::repeat_n(u64::MAX, idle)).collect(),
            bound: bounds.node.iter().copied().chain(std::iter::repeat_n(f64::NAN, idle)).collect(),
        },
    )?;
    let on_node = || progression.on_node.iter().flatten();
    write_table(
        directory,
        NodeKindRows {
            workers: on_node().map(|(workers, _)| *workers).collect(),
            busy: on_node().map(|(_, busy)| *busy).collect(),
        },
    )?;
    write_table(directory, ValueRows { value: progression.values.clone() })?;
    write_table(
        directory,
        InstantRows {
            time: progression.times.clone(),
            pooled: progression.pooled.clone(),
            bound: std::iter::once(0.0).chain(bounds.steps.iter().copied()).collect(),
        },
    )?;
    write_table(
        directory,
        KindRows {
            name: progression.kinds.iter().map(|kind| kind.name.clone()).collect(),
            declared: progression.kinds.iter().map(|kind| kind.declared).collect(),
            observed: progression.kinds.iter().map(|kind| kind.observed).collect(),
            counted: bounds.workers.clone(),
        },
    )?;
    let types = &progression.types;
    write_table(
        directory,
        TypeRows {
            region: types.iter().map(|of| of.region).collect(),
            tasks: types.iter().map(|of| of.tasks).collect(),
        },
    )?;
    let on_kinds = || types.iter().flat_map(|of| &of.on_kind);
    let fences = || types.iter().flat_map(|of| &of.fences);
    write_table(
        directory,
        TypeKindRows {
            runs: on_kinds().map(|on| on.runs).collect(),
            total: on_kinds().map(|on| on.total).collect(),
            low: fences().map(|fences| fences.map_or(i64::MIN, |fences| fences.0)).collect(),
            high: fences().map(|fences| fences.map_or(i64::MIN, |fences| fences.1)).collect(),
            outliers: types.iter().flat_map(|of| of.outliers.iter().copied()).collect(),
        },
    )?;
    write_table(
        directory,
        WholeRows {
            is_bound: vec![u8::from(bounds.is_known)],
            area: vec![bounds.area],
            chain: vec![bounds.chain.unwrap_or(f64::NAN)],
            chain_tasks: vec![chain.tasks],
            cyclic: vec![chain.cyclic],
            missing: vec![chain.missing],
        },
    )?;
    write_table(directory, CircleRows { task: chain.circle })?;
    write_table(directory, NoteRows { text: progression.notes.clone() })?;
    Ok(())
}

/// Reads it again.
pub(crate) fn read(directory: &Path, work: &WorkKind) -> Result<Progression, StoreError> {
    let (nodes, node_kinds) = (NodeTable::open(directory)?, NodeKindTable::open(directory)?);
    let (values, instants) = (ValueTable::open(directory)?, InstantTable::open(directory)?);
    let (kinds, types) = (KindTable::open(directory)?, TypeTable::open(directory)?);
    let (type_kinds, whole) = (TypeKindTable::open(directory)?, WholeTable::open(directory)?);
    let (circle, notes) = (CircleTable::open(directory)?, NoteTable::open(directory)?);
    let with_work = nodes.tasks.iter(0..nodes.len()).take_while(|tasks| *tasks != u64::MAX).count() as u64;
    let (kind_count, instant_count) = (kinds.len() as usize, instants.len());
    let fits = values.len() == with_work * instant_count
        && node_kinds.len() == with_work * kinds.len()
        && type_kinds.len() == types.len() * kinds.len()
        && instant_count > 1
        && whole.len() == 1;
    if !fits {
        let path = directory.to_owned();
        return Err(StoreError::Damaged { path, what: "its tables do not fit each other".to_owned() });
    }
    let times: Vec<Ns> = instants.time.iter(0..instant_count).collect();
    let per_kind = |row: u64| -> Vec<u64> { (row * kinds.len()..(row + 1) * kinds.len()).collect() };
    let on_node: Vec<(u64, i64)> =
        node_kinds.workers.iter(0..node_kinds.len()).zip(node_kinds.busy.iter(0..node_kinds.len())).collect();
    let work_type = |row: u64| WorkType {
        region: types.region.get(row),
        tasks: types.tasks.get(row),
        on_kind: per_kind(row)
            .into_iter()
            .map(|at| TypeOnKind { runs: type_kinds.runs.get(at), total: type_kinds.total.get(at) })
            .collect(),
        fences: per_kind(row)
            .into_iter()
            .map(|at| (type_kinds.low.get(at), type_kinds.high.get(at)))
            .map(|fences| (fences.0 != i64::MIN).then_some(fences))
            .collect(),
        outliers: per_kind(row).into_iter().map(|at| type_kinds.outliers.get(at)).collect(),
    };
    let kind = |row: u64| WorkerKind {
        name: kinds.name.get(row).to_owned(),
        declared: kinds.declared.get(row),
        observed: kinds.observed.get(row),
    };
    let worker_kinds: Vec<WorkerKind> = (0..kinds.len()).map(kind).collect();
    let dependencies = Some(whole.chain.get(0)).filter(|length| !length.is_nan()).map(|length| Chain {
        length,
        tasks: whole.chain_tasks.get(0),
        cyclic: whole.cyclic.get(0),
        circle: circle.task.iter(0..circle.len()).collect(),
        missing: whole.missing.get(0),
    });
    let bounds = Bounds {
        is_known: whole.is_bound.get(0) == 1,
        area: whole.area.get(0),
        steps: instants.bound.iter(1..instant_count).collect(),
        node: nodes.bound.iter(0..with_work).collect(),
        chain: dependencies.as_ref().map(|chain| chain.length),
        dependencies,
        workers: kinds.counted.iter(0..kinds.len()).collect(),
        declared: worker_kinds.iter().map(|kind| kind.declared).collect(),
        observed: worker_kinds.iter().map(|kind| kind.observed).collect(),
    };
    Ok(Progression {
        work: work.clone(),
        span: (times[0], times[times.len() - 1]),
        times,
        nodes: nodes.number.iter(0..with_work).collect(),
        idle: nodes.number.iter(with_work..nodes.len()).collect(),
        tasks: nodes.tasks.iter(0..with_work).collect(),
        types: (0..types.len()).map(work_type).collect(),
        kinds: worker_kinds,
        on_node: if kind_count == 0 { Vec::new() } else { on_node.chunks(kind_count).map(<[_]>::to_vec).collect() },
        values: values.value.iter(0..values.len()).collect(),
        pooled: instants.pooled.iter(0..instant_count).collect(),
        bounds,
        notes: (0..notes.len()).map(|row| notes.text.get(row).to_owned()).collect(),
    })
}
