//! The same trace, or the same patterns, on several machines: utilisation side by side.

use std::io::Write;

use serde::Serialize;

use heddle_network::Tests;

use super::used::{Told, percent};
use super::{Opened, json};
use crate::commands::Usage;
use crate::network_args::{CompareArgs, names};
use crate::text::{counted, printable};

/// Rows of a table of a machine.
type RowsOf = fn(&Told) -> &[super::used::Row];

/// A machine with its traffic, or why there is none.
#[derive(Debug, Serialize)]
struct Column {
    /// What was asked for: a shape or a file; empty for what the trace says.
    topology: String,
    /// The pattern; empty for a trace.
    pattern: String,
    #[serde(skip)]
    title: String,
    machine: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    utilisation: Option<Told>,
    notes: Vec<String>,
}

pub(super) fn compare(args: &CompareArgs) -> anyhow::Result<()> {
    if args.output.is_some() {
        return Err(Usage("-o draws mappings; machines and patterns are compared in figures only".to_owned()).into());
    }
    let (topologies, patterns) = (names(&args.topologies), names(&args.patterns));
    let topologies = if topologies.is_empty() { vec![String::new()] } else { topologies };
    let patterns = if patterns.is_empty() { vec![String::new()] } else { patterns };
    let mut base = args.traffic.network.clone();
    for (option, list) in [("topology", &topologies), ("pattern", &patterns)] {
        if !list[0].is_empty() {
            base = base.with(option, &list[0]);
        }
    }
    // One store for all: without a trace it has as many ranks as the smallest machine holds.
    let opened = Opened::on(&args.traffic, &base, &[], &topologies)?;
    let mut columns = Vec::new();
    for topology in &topologies {
        for pattern in &patterns {
            columns.push(column(&opened, args, topology, pattern)?);
        }
    }
    let mut out = std::io::stdout().lock();
    if args.traffic.json {
        writeln!(out, "{}", json(&columns)?)?;
    } else {
        write_columns(&mut out, &columns)?;
    }
    if columns.iter().all(|column| column.error.is_some()) {
        return Err(Usage("none of them can be compared".to_owned()).into());
    }
    Ok(())
}

fn column(opened: &Opened, args: &CompareArgs, topology: &str, pattern: &str) -> anyhow::Result<Column> {
    let mut options = args.traffic.network.clone();
    for (option, value) in [("topology", topology), ("pattern", pattern)] {
        if !value.is_empty() {
            options = options.with(option, value);
        }
    }
    let title = [topology, pattern].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    let title = if title.is_empty() { "the trace".to_owned() } else { title };
    let mut column = Column {
        topology: topology.to_owned(),
        pattern: pattern.to_owned(),
        title,
        machine: String::new(),
        error: None,
        utilisation: None,
        notes: Vec::new(),
    };
    match super::open(&opened.store, &options.with_files()?) {
        Ok(network) => {
            let part = opened.part();
            column.machine = super::machine_words(&network);
            column.utilisation = Some(Told::of(&opened.store, &network, &part));
            let traffic = network.traffic(&opened.store, &part, Tests::default());
            column.notes.clone_from(&traffic.notes);
        }
        Err(error) => column.error = Some(format!("{error:#}")),
    }
    Ok(column)
}

/// Rows of all tables, in their order; a machine that has no such class has no figures there.
fn row_names<'a>(columns: &'a [Column], rows: impl Fn(&'a Told) -> &'a [super::used::Row]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for row in columns.iter().filter_map(|column| column.utilisation.as_ref()).flat_map(rows) {
        if !names.contains(&row.name.as_str()) {
            names.push(&row.name);
        }
    }
    names
}

fn write_columns(out: &mut impl Write, columns: &[Column]) -> anyhow::Result<()> {
    for (number, column) in (1..).zip(columns) {
        let title = printable(&column.title);
        match &column.error {
            Some(error) => writeln!(out, "{number}  {title}: {}", printable(error))?,
            None => writeln!(out, "{number}  {title}: {}", printable(&column.machine))?,
        }
    }
    let tables: [(&str, RowsOf); 2] = [("links", |told| &told.links), ("nodes and switches", |told| &told.layers)];
    for (what, rows) in tables {
        let names = row_names(columns, rows);
        if names.is_empty() {
            continue;
        }
        write!(out, "\n  {what:<20}")?;
        for (number, _) in (1..).zip(columns) {
            write!(out, "  {:>24}", format!("{number}: mean     max    idle"))?;
        }
        writeln!(out)?;
        for name in names {
            write!(out, "  {:<20}", printable(name))?;
            for column in columns {
                let row = column.utilisation.as_ref().and_then(|told| rows(told).iter().find(|row| row.name == name));
                let cell = row.map_or_else(
                    || "–".to_owned(),
                    |row| format!("{:>8}{:>8}{:>8}", percent(row.mean), percent(row.max), percent(row.idle)),
                );
                write!(out, "  {cell:>24}")?;
            }
            writeln!(out)?;
        }
    }
    let mut wholes: Vec<&str> =
        columns.iter().filter_map(|column| column.utilisation.as_ref()).map(|told| told.whole).collect();
    wholes.dedup();
    writeln!(out, "\n  per cent {}, each by itself; of a switch, what leaves it", wholes.join(" or "))?;
    let mut told: Vec<&String> = Vec::new();
    for note in columns.iter().flat_map(|column| &column.notes) {
        if !told.contains(&note) {
            told.push(note);
            writeln!(out, "\n{}", printable(note))?;
        }
    }
    let failed = columns.iter().filter(|column| column.error.is_some()).count();
    if failed > 0 {
        writeln!(out, "\n{} not compared", counted(failed as u64, "machine"))?;
    }
    Ok(())
}
