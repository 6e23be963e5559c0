//! The table of links: what crossed each of them in each section, wherever that is known from.
//!
//! A row is a [`LinkRow`], whoever makes it; [`LinkTable`] turns rows into batches. [`measured`] makes those of a measurement.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use heddle_model::{Counted, Tally};
use heddle_network::{Network, Traffic, Unit};
use heddle_store::{NetworkTables, StoreError};
use heddle_topology::Link;

use super::Sink;
use crate::progress::is_cancelled;

/// A link in a section.
#[derive(Debug)]
pub(super) struct LinkRow {
    /// `measured`, `predicted` or `simulated`.
    pub(super) source: &'static str,
    /// Where it leads from: `(1,6,5)`.
    pub(super) src: String,
    /// Where it leads to.
    pub(super) dst: String,
    /// What kind of link it is.
    pub(super) class: &'static str,
    /// The dimension that it lies along.
    pub(super) dim: String,
    /// Its way along it: `+` or `-`.
    pub(super) dir: &'static str,
    /// The part of the program.
    pub(super) section: String,
    /// Values by [`LinkTable::values`]; `None` where nothing is known.
    pub(super) values: Vec<Option<f64>>,
}

/// The columns of the table.
pub(super) struct LinkTable {
    /// Columns with values: `packets`, `bytes`, then what there is besides.
    values: Vec<String>,
}

/// Columns of values that every table of links has, in this order.
const ALWAYS: [&str; 2] = ["packets", "bytes"];

impl LinkTable {
    /// A table with these columns of values behind [`ALWAYS`].
    pub(super) fn new(further: impl IntoIterator<Item = String>) -> LinkTable {
        let always = ALWAYS.map(str::to_owned).into_iter();
        LinkTable { values: always.chain(further).collect() }
    }

    pub(super) fn schema(&self) -> SchemaRef {
        let texts = ["source", "src", "dst", "class", "dim", "dir", "section"];
        let texts = texts.map(|name| Field::new(name, DataType::Utf8, true)).into_iter();
        let values = self.values.iter().map(|name| Field::new(name, DataType::Float64, true));
        Arc::new(Schema::new(texts.chain(values).collect::<Vec<_>>()))
    }

    /// Writes rows, a batch at a time.
    pub(super) fn write(
        &self,
        rows: impl IntoIterator<Item = LinkRow>,
        mut sink: Box<dyn Sink + '_>,
    ) -> anyhow::Result<()> {
        const ROWS: usize = 1 << 16;
        let mut rows = rows.into_iter();
        loop {
            let batch: Vec<LinkRow> = rows.by_ref().take(ROWS).collect();
            if batch.is_empty() {
                return sink.finish();
            }
            if is_cancelled() {
                return Err(StoreError::Cancelled.into());
            }
            sink.write(&self.batch(&batch)?)?;
        }
    }

    fn batch(&self, rows: &[LinkRow]) -> anyhow::Result<RecordBatch> {
        let text = |of: fn(&LinkRow) -> &str| -> ArrayRef {
            Arc::new(rows.iter().map(|row| Some(of(row))).collect::<StringArray>())
        };
        let mut columns = vec![
            text(|row| row.source),
            text(|row| &row.src),
            text(|row| &row.dst),
            text(|row| row.class),
            text(|row| &row.dim),
            text(|row| row.dir),
            text(|row| &row.section),
        ];
        for at in 0..self.values.len() {
            let values = rows.iter().map(|row| row.values.get(at).copied().flatten());
            columns.push(Arc::new(values.collect::<Float64Array>()));
        }
        Ok(RecordBatch::try_new(self.schema(), columns)?)
    }
}

/// The links of a measurement, section by section. A link without any value in a section has no row.
pub(super) fn measured(network: &NetworkTables) -> (LinkTable, impl Iterator<Item = LinkRow> + '_) {
    let further = network.counters_of(Counted::Links).map(|counter| network.counters.name.get(counter).to_owned());
    let table = LinkTable::new(further.filter(|name| !ALWAYS.contains(&name.as_str())));
    let counters: Vec<Option<u64>> = table.values.iter().map(|name| network.counter(Counted::Links, name)).collect();
    let rows = (0..network.sections.len()).flat_map(move |section| {
        let sums = |counter: &Option<u64>| counter.map(|counter| network.totals(counter, [section]));
        let sums: Vec<_> = counters.iter().map(sums).collect();
        (0..network.links.len()).filter_map(move |link| {
            let value = |sums: &Option<Vec<Option<Tally>>>| Some(sums.as_ref()?.get(link as usize)?.as_ref()?.sum);
            let values: Vec<Option<f64>> = sums.iter().map(value).collect();
            values.iter().any(Option::is_some).then(|| row(network, section, link, values))
        })
    });
    (table, rows)
}

fn row(network: &NetworkTables, section: u64, link: u64, values: Vec<Option<f64>>) -> LinkRow {
    let place = |node: u32| network.nodes.coordinates.get(u64::from(node)).to_owned();
    LinkRow {
        source: "measured",
        src: place(network.links.source.get(link)),
        dst: place(network.links.destination.get(link)),
        class: "torus",
        dim: network.dimensions.name.get(u64::from(network.links.dimension.get(link))).to_owned(),
        dir: if network.links.is_positive.get(link) == 1 { "+" } else { "-" },
        section: network.sections.id.get(section).to_string(),
        values,
    }
}

/// The links of traffic that was worked out, section by section, those that carry nothing too.
pub(super) fn of_traffic<'a>(
    network: &'a Network,
    traffic: &'a Traffic,
) -> (LinkTable, impl Iterator<Item = LinkRow> + 'a) {
    let counter = match &traffic.unit {
        Unit::Bytes => None,
        Unit::Counter(name) => Some(name.clone()),
    };
    let table = LinkTable::new(counter.into_iter().filter(|name| !ALWAYS.contains(&name.as_str())));
    let column = match &traffic.unit {
        Unit::Bytes => 1,
        Unit::Counter(name) => table.values.iter().position(|known| known == name).unwrap_or(0),
    };
    let columns = table.values.len();
    let shape = &network.machine.shape;
    let rows = traffic.sections.iter().flat_map(move |section| {
        let known = section.loads.iter().enumerate().filter(|(_, load)| !load.is_nan());
        known.map(move |(at, load)| {
            let link = Link(at as u32);
            let (from, to) = shape.ends(link);
            let class = &shape.classes()[shape.class(link)];
            let mut values = vec![None; columns];
            values[column] = Some(*load);
            LinkRow {
                source: traffic.origin.name(),
                src: shape.label(from),
                dst: shape.label(to),
                class: class.kind,
                dim: class.name.clone(),
                dir: shape.direction(link),
                section: section.name.clone(),
                values,
            }
        })
    });
    (table, rows)
}
