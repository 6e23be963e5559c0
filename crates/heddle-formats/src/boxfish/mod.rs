//! Runs of Boxfish: counters of a torus network, measured by node and by link.
//!
//! A run is a **meta file** and **tables** beside it, as the released Boxfish (Lawrence Livermore National Laboratory) reads
//! them. The meta file is a stream of YAML documents: the first describes the machine, the others name tables of attributes
//! and projections between kinds of things. A table is a header in YAML and one row per line. There are no times in it and no
//! events: the result is a [`MeasuredNetwork`], with ranks and communicators as definitions.
//!
//! What becomes what: nodes and directed links are those of the machine; code regions are sections; every other column with
//! numbers is a counter, added up over the rows of the same node or link and section, of which there is one for each visit.
//! Ranks are locations on the nodes that a projection leads them to, communicators have the ranks that one leads to.
//!
//! Where files deviate from what Boxfish says about them:
//! - `hardware.nodes` and the types of columns may be wrong: neither is relied on.
//! - Files may have been packed since: `links.yaml.gz` is found where `links.yaml` is named.
//! - In a dimension of size 2 both ways lead to the same node. Two links of a node are two cables, one is one; Boxfish
//!   takes the difference of the coordinates for a direction.
//! - Ids that a projection names and no table has are unrelated; Boxfish gives up.
//!
//! Damage costs the rows that it is in. Only a meta file that does not describe a machine makes a run unreadable.

mod counters;
mod machine;
mod meta;
mod ranks;
mod relations;
mod table;

use heddle_model::{
    Counted, Definitions, LinkEnd, MeasuredNetwork, NetworkCounter, Part, RecordBlock, Source, SourceError,
    WarningKind, Warnings, grouped,
};

use crate::files::Counting;
use crate::{Files, Input, OpenError};
use counters::Counters;
use machine::{Links, Nodes, place};
use meta::{EntityType, Meta, Projection, ProjectionKind, TableFile};
use ranks::CommunicatorNames;
use relations::{Pairs, Relation, Relations, sorted};
use table::{NoTable, PACKED, Row, Table};

/// Bytes of the longest meta file.
const LONGEST_META: u64 = 1 << 20;

/// Whether a file begins as a meta file: a line `hardware:` outside of everything, and coordinates. Whether it is sound, its
/// reader tells.
pub fn recognise(head: &[u8]) -> bool {
    let is_hardware =
        |line: &[u8]| line.strip_prefix(b"hardware").is_some_and(|rest| rest.trim_ascii_start().starts_with(b":"));
    head.split(|byte| *byte == b'\n').any(is_hardware) && memchr::memmem::find(head, b"coords").is_some()
}

/// The files that a run may have besides its meta file.
pub fn companions(files: &dyn Files, name: &str) -> Vec<String> {
    let Ok(bytes) = read_meta(files, name) else { return Vec::new() };
    let Ok(meta) = Meta::read(name, &bytes, &mut Warnings::default()) else { return Vec::new() };
    let mut found: Vec<String> = Vec::new();
    for file in meta.files().filter_map(|file| beside(name, file)) {
        found.extend(PACKED.iter().map(|ending| format!("{file}{ending}")));
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn read_meta(files: &dyn Files, name: &str) -> std::io::Result<Vec<u8>> {
    crate::head(files, name, LONGEST_META as usize)
}

/// The name of a file that a meta file names; `None` if it would lie outside of the meta file's folder.
fn beside(meta: &str, file: &str) -> Option<String> {
    let is_plain = |part: &str| !matches!(part, "" | "." | "..");
    let is_inside = file.split('/').all(is_plain) && !file.contains(['\0', '\\']);
    let folder = meta.rfind('/').map_or("", |end| &meta[..=end]);
    is_inside.then(|| format!("{folder}{file}"))
}

/// A run, read whole.
#[derive(Debug)]
pub struct Run {
    definitions: Definitions,
    network: MeasuredNetwork,
    warnings: Warnings,
}

impl Source for Run {
    fn format(&self) -> &'static str {
        "boxfish"
    }

    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn parts(&self) -> &[Part] {
        &[]
    }

    fn read(&self, _part: &Part, _out: &mut RecordBlock) -> Result<(), SourceError> {
        Ok(())
    }

    fn network(&self) -> Option<&MeasuredNetwork> {
        Some(&self.network)
    }

    fn warnings(&self) -> &Warnings {
        &self.warnings
    }
}

/// Reads a run by its meta file.
pub fn open(input: &Input<'_>) -> Result<Run, OpenError> {
    let [name] = input.names else {
        let what = format!("a Boxfish run is opened by its meta file, and {} were given; open one", input.names.len());
        return Err(OpenError::Wrong { place: input.names.first().cloned().unwrap_or_default(), what });
    };
    let counting = Counting::new(input.files);
    let bytes = read_meta(&counting, name).map_err(OpenError::unreadable(name))?;
    let mut warnings = Warnings::default();
    let meta = Meta::read(name, &bytes, &mut warnings);
    let meta =
        meta.map_err(|fault| OpenError::Wrong { place: format!("{name}, line {}", fault.line), what: fault.what })?;
    let mut reading = Reading {
        name,
        files: &counting,
        told: 0,
        go_on: input.go_on,
        warnings,
        counters: Counters::default(),
        nodes: Nodes::default(),
        links: Links::default(),
    };
    reading.links(&meta)?;
    reading.nodes(&meta)?;
    reading.further_tables(&meta)?;
    let names = reading.communicator_names(&meta)?;
    let (relations, links_of_node) = reading.relations(&meta)?;
    Ok(reading.finish(&meta, &relations, names, links_of_node))
}

/// What is known of a run so far.
struct Reading<'a> {
    /// The meta file.
    name: &'a str,
    files: &'a Counting<'a>,
    /// Bytes that progress was told of.
    told: u64,
    go_on: &'a (dyn Fn(u64) -> bool + Sync),
    warnings: Warnings,
    counters: Counters,
    nodes: Nodes,
    links: Links,
}

impl<'a> Reading<'a> {
    /// Opens a table; if that is impossible, says why and what is lost.
    fn table(&mut self, file: &str, lost: &str) -> Option<Table<'a>> {
        let Some(name) = beside(self.name, file) else {
            let text = format!("it lies outside of the run's folder, where tables should be; {lost}");
            self.warnings.add(WarningKind::MissingFile, || file.to_owned(), &text);
            return None;
        };
        match Table::open(self.files, &name) {
            Ok(table) => Some(table),
            Err(NoTable::Missing(what)) => {
                self.warnings.add(WarningKind::MissingFile, || name, &format!("{what}; {lost}"));
                None
            }
            Err(NoTable::Header { line, what }) => {
                let place = || format!("{name}, line {line}");
                self.warnings.add(WarningKind::Corrupt, place, &format!("{what}; {lost}"));
                None
            }
        }
    }

    /// Visits the rows of a table.
    fn rows(
        &mut self,
        table: &mut Table,
        mut visit: impl FnMut(&mut Self, &Row) -> Result<(), String>,
    ) -> Result<(), OpenError> {
        let mut warnings = std::mem::take(&mut self.warnings);
        let (files, go_on) = (self.files, self.go_on);
        let mut told = self.told;
        let mut progress = || {
            let now = files.bytes();
            let more = now - std::mem::replace(&mut told, now);
            go_on(more)
        };
        let went_on = table.for_each_row(&mut progress, &mut warnings, |row| visit(self, row));
        let goes_on = progress();
        self.told = told;
        self.warnings = warnings;
        if went_on && goes_on { Ok(()) } else { Err(OpenError::Cancelled) }
    }

    /// Finds columns by name; if one is missing, says so.
    fn columns(&mut self, table: &Table, names: &[String], lost: &str) -> Option<Vec<usize>> {
        let found: Option<Vec<usize>> = names.iter().map(|name| table.column(name)).collect();
        if found.is_none() {
            let missing: Vec<&str> =
                names.iter().map(String::as_str).filter(|name| table.column(name).is_none()).collect();
            let text = format!("the table should have the column {}; {lost}", missing.join(", "));
            self.warnings.add(WarningKind::Corrupt, || table.place(1), &text);
        }
        found
    }

    fn links(&mut self, meta: &Meta) -> Result<(), OpenError> {
        const LOST: &str = "there are no links and nothing that was counted on them";
        let Some(links) = &meta.hardware.links else { return Ok(()) };
        let Some(mut table) = self.table(&links.file, LOST) else { return Ok(()) };
        let Some(source) = self.columns(&table, &links.source, LOST) else { return Ok(()) };
        let Some(destination) = self.columns(&table, &links.destination, LOST) else { return Ok(()) };
        let id = self.id_column(meta, &links.file, &EntityType::link(), &table, "linkid");
        let known: Vec<usize> = source.iter().chain(&destination).chain(&id).copied().collect();
        let columns = self.counters.columns(&table, Counted::Links, &known);
        let torus = &meta.hardware.torus;
        self.rows(&mut table, |reading, row| {
            let id = id.map(|column| row.integer(column)).transpose()?;
            let (source, destination) = (place(torus, &source, row)?, place(torus, &destination, row)?);
            let link = reading.links.link(torus, id, source, destination)?;
            reading.counters.add(&columns, row, link)
        })
    }

    fn nodes(&mut self, meta: &Meta) -> Result<(), OpenError> {
        const LOST: &str = "nodes are only known as far as links tell of them";
        let file = &meta.hardware.node_file;
        let Some(mut table) = self.table(file, LOST) else { return Ok(()) };
        let Some(coordinates) = self.columns(&table, &meta.hardware.coordinates, LOST) else { return Ok(()) };
        let id = self.id_column(meta, file, &EntityType::node(), &table, "nodeid");
        let known: Vec<usize> = coordinates.iter().chain(&id).copied().collect();
        let columns = self.counters.columns(&table, Counted::Nodes, &known);
        let torus = &meta.hardware.torus;
        self.rows(&mut table, |reading, row| {
            let id = id.map(|column| row.integer(column)).transpose()?;
            let node = reading.nodes.node(id, place(torus, &coordinates, row)?)?;
            reading.counters.add(&columns, row, node)
        })
    }

    /// The column with the ids: what the meta file says about the table, or what everybody calls it.
    fn id_column(&mut self, meta: &Meta, file: &str, of: &EntityType, table: &Table, usual: &str) -> Option<usize> {
        let stated = meta.tables.iter().find(|other| other.file == file && other.of == *of);
        let field = stated.and_then(|table| table.field.as_deref()).unwrap_or(usual);
        let found = table.column(field);
        if found.is_none() {
            let text = format!("the table should have ids in the column {field}; rows are told apart by coordinates");
            self.warnings.add(WarningKind::Assumed, || table.place(1), &text);
        }
        found
    }

    /// Tables of nodes and links by id alone. What is of other things is not shown.
    fn further_tables(&mut self, meta: &Meta) -> Result<(), OpenError> {
        for of_meta in &meta.tables {
            let is_read = of_meta.file == meta.hardware.node_file
                || meta.hardware.links.as_ref().is_some_and(|links| links.file == of_meta.file)
                || of_meta.of == EntityType::communicator();
            if is_read {
                continue;
            }
            let counted = match &of_meta.of {
                of if *of == EntityType::node() => Counted::Nodes,
                of if *of == EntityType::link() => Counted::Links,
                of => {
                    let text = format!("tables of {of} are not shown");
                    self.warnings.add(WarningKind::UnusedRecords, || of_meta.file.clone(), &text);
                    continue;
                }
            };
            self.further_table(of_meta, counted)?;
        }
        Ok(())
    }

    fn further_table(&mut self, of_meta: &TableFile, counted: Counted) -> Result<(), OpenError> {
        const LOST: &str = "its counters are not shown";
        let Some(mut table) = self.table(&of_meta.file, LOST) else { return Ok(()) };
        let field = of_meta.field.clone().unwrap_or_default();
        let Some(id) = self.columns(&table, &[field], LOST) else { return Ok(()) };
        let columns = self.counters.columns(&table, counted, &id);
        self.rows(&mut table, |reading, row| {
            let of = row.integer(id[0])?;
            let entity = match counted {
                Counted::Links => reading.links.find(of),
                Counted::Nodes => reading.nodes.find(of),
            };
            let entity =
                entity.ok_or_else(|| format!("the id should be one of the {} of the machine", counted.name()))?;
            reading.counters.add(&columns, row, entity)
        })
    }

    fn communicator_names(&mut self, meta: &Meta) -> Result<CommunicatorNames, OpenError> {
        const LOST: &str = "communicators have no names";
        let mut names = CommunicatorNames::new();
        for of_meta in meta.tables.iter().filter(|table| table.of == EntityType::communicator()) {
            let Some(mut table) = self.table(&of_meta.file, LOST) else { continue };
            let field = of_meta.field.clone().unwrap_or_else(|| "communicator_group_id".to_owned());
            let Some(id) = self.columns(&table, &[field], LOST) else { continue };
            let name = table.column("communicator_name");
            let name = name.or_else(|| table.columns.iter().position(|column| column.is_text));
            let sub = table.column("subcomm_id");
            self.rows(&mut table, |_, row| {
                let id = row.integer(id[0])?;
                let sub = sub.map(|column| row.integer(column)).transpose()?;
                let name = name.map_or_else(|| format!("communicator {id}"), |column| row.text(column));
                names.push((id, sub.map_or_else(|| name.clone(), |sub| format!("{name} {sub}"))));
                Ok(())
            })?;
        }
        Ok(names)
    }

    /// What belongs together, and which links belong to a node.
    fn relations(&mut self, meta: &Meta) -> Result<(Relations, LinkEnd), OpenError> {
        let mut relations = Relations::default();
        let mut links_of_node = LinkEnd::default();
        for Projection { kind, ends } in &meta.projections {
            let (pairs, from) = match kind {
                ProjectionKind::Identity => (None, self.name.to_owned()),
                ProjectionKind::File { file, fields } => match self.pairs(file, fields)? {
                    Some((pairs, from)) => (Some(pairs), from),
                    None => continue,
                },
                ProjectionKind::NodeLink { links_of_node: of_node, nodes_of_link } => {
                    links_of_node = *of_node;
                    let is_reversed = ends[0] == EntityType::link();
                    (Some(self.node_links(*of_node, *nodes_of_link, is_reversed)), self.name.to_owned())
                }
            };
            relations.add(Relation { ends: ends.clone(), pairs, from });
        }
        Ok((relations, links_of_node))
    }

    /// The rows of a projection's table, and the file that they were found in.
    fn pairs(&mut self, file: &str, fields: &[String; 2]) -> Result<Option<(Pairs, String)>, OpenError> {
        const LOST: &str = "what it relates is unrelated";
        let Some(mut table) = self.table(file, LOST) else { return Ok(None) };
        let Some(columns) = self.columns(&table, fields, LOST) else { return Ok(None) };
        let mut pairs = Pairs::new();
        self.rows(&mut table, |_, row| {
            pairs.push((row.integer(columns[0])?, row.integer(columns[1])?));
            Ok(())
        })?;
        Ok(Some((sorted(pairs), table.name)))
    }

    /// Ids of nodes with those of their links.
    fn node_links(&self, of_node: LinkEnd, of_link: LinkEnd, is_reversed: bool) -> Pairs {
        let policy = if is_reversed { of_link } else { of_node };
        let mut pairs = Pairs::new();
        for (id, source, destination) in self.links.ends() {
            let of_source = (policy != LinkEnd::Destination).then_some(source);
            let of_destination = (policy != LinkEnd::Source).then_some(destination);
            for place in [of_source, of_destination].into_iter().flatten() {
                if let Some(node) = self.nodes.id_at(place) {
                    pairs.push(if is_reversed { (id, node) } else { (node, id) });
                }
            }
        }
        sorted(pairs)
    }

    fn finish(mut self, meta: &Meta, relations: &Relations, names: CommunicatorNames, links_of_node: LinkEnd) -> Run {
        let link_file = meta.hardware.links.as_ref().map_or("", |links| links.file.as_str());
        let unknown = self.links.add_nodes(&mut self.nodes);
        if unknown > 0 && unknown < self.nodes.list.len() as u64 {
            let text = "links lead to nodes that are not in the table of nodes; they are shown without an id";
            self.warnings.add_many(WarningKind::UndefinedReference, unknown, || link_file.to_owned(), text);
        }
        let nodes = self.nodes.by_place();
        let (dimensions, list, links) = self.links.finish(&meta.hardware, &self.nodes, link_file, &mut self.warnings);
        let tallies = self.counters.finish(|of, entity| match of {
            Counted::Links => links[entity as usize],
            Counted::Nodes => nodes[entity as usize],
        });
        let mut network = MeasuredNetwork {
            hardware: meta.hardware.name.clone(),
            dimensions,
            nodes: std::mem::take(&mut self.nodes.list),
            links: list,
            sections: std::mem::take(&mut self.counters.sections),
            counters: std::mem::take(&mut self.counters.list),
            tallies,
            places: Vec::new(),
            links_of_node,
        };
        self.warn_of_count(meta, &network);
        self.warn_of_impossible(&network);
        let (definitions, places) = ranks::define(&network, &self.nodes, relations, names, &mut self.warnings);
        network.places = places;
        Run { definitions, network, warnings: self.warnings }
    }

    fn warn_of_count(&mut self, meta: &Meta, network: &MeasuredNetwork) {
        let found = network.nodes.len() as u64;
        if network.tallies.is_empty() {
            let text = "nothing was counted, neither on nodes nor on links, so there is nothing to see";
            self.warnings.add(WarningKind::Empty, || self.name.to_owned(), text);
        }
        if let Some((declared, line)) = meta.hardware.declared.filter(|(declared, _)| *declared != found) {
            let text =
                format!("{} nodes are announced and {} are there; these are shown", grouped(declared), grouped(found));
            self.warnings.add(WarningKind::Assumed, || format!("{}, line {line}", self.name), &text);
        }
    }

    /// Names values that cannot be.
    fn warn_of_impossible(&mut self, network: &MeasuredNetwork) {
        let label = |node: u32| {
            network.nodes.get(node as usize).map_or_else(String::new, |node| network.place_text(node.place))
        };
        let told = self.counters.impossible.iter().map(|found| {
            let NetworkCounter { name, of } = &network.counters[found.counter as usize];
            let of = match (of, network.links.get(found.entity as usize)) {
                (Counted::Links, Some(link)) => format!("link {} to {}", label(link.source), label(link.destination)),
                _ => format!("node {}", label(found.entity)),
            };
            format!("{name} of {of} in section {}: {}", network.sections[found.section as usize].id, found.value)
        });
        let told: Vec<String> = told.collect();
        let Some(first) = self.counters.impossible.first() else { return };
        let count = self.counters.impossible_count;
        let more = match count - told.len() as u64 {
            0 => String::new(),
            more => format!("; and {} more", grouped(more)),
        };
        let text = format!("{IMPOSSIBLE}: {}{more}", told.join("; "));
        self.warnings.add_many(WarningKind::ImpossibleValues, count, || first.place.clone(), &text);
    }
}

const IMPOSSIBLE: &str = "counters below zero, or beyond 2^62, cannot be: they ran over, or were never set. The values are kept, \
                          and ranges of colours leave them out";
