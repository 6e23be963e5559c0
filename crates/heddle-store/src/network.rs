//! What was measured on the network: the tables of a [`MeasuredNetwork`], written and read.
//!
//! A store has them in its folder `network/`, or has no such folder. Values lie by counter, then section, then link or node, so
//! that what a picture shows of one counter is one stretch of rows for each section.

use std::ops::Range;
use std::path::Path;

use heddle_model::{Counted, LinkEnd, LocationId, MeasuredNetwork, Tally};
use heddle_topology::{Dimension, Direction, Element, Link, ShapeError, Topology, Torus};

use crate::StoreError;
use crate::block::Columns;
use crate::meta::Meta;
use crate::table::{Rows, Table, TableWriter, write_table};
use crate::tables::{
    NetworkCounterRows, NetworkCounterTable, NetworkDimensionRows, NetworkDimensionTable, NetworkLinkRows,
    NetworkLinkTable, NetworkMachineRows, NetworkMachineTable, NetworkNodeRows, NetworkNodeTable, NetworkPlaceRows,
    NetworkPlaceTable, NetworkSectionRows, NetworkSectionTable, NetworkStretchRows, NetworkStretchTable,
    NetworkValueRows, NetworkValueTable,
};

/// The tables of a measured network. A counter, a section, a link or a node is its row.
#[derive(Debug)]
pub struct NetworkTables {
    machine: NetworkMachineTable,
    /// Dimensions of the torus or mesh.
    pub dimensions: NetworkDimensionTable,
    /// Nodes, by place.
    pub nodes: NetworkNodeTable,
    /// Directed links, in the order of the file.
    pub links: NetworkLinkTable,
    /// Parts of the program.
    pub sections: NetworkSectionTable,
    /// Counters of links, then those of nodes.
    pub counters: NetworkCounterTable,
    /// What was counted; see [`NetworkTables::values_of`].
    pub values: NetworkValueTable,
    stretches: NetworkStretchTable,
    places: NetworkPlaceTable,
}

impl NetworkTables {
    /// Opens them, if the store has any.
    pub(crate) fn open(directory: &Path, meta: &Meta) -> Result<Option<NetworkTables>, StoreError> {
        if !meta.tables.contains_key(&format!("{}.arrow", NetworkMachineRows::NAME)) {
            return Ok(None);
        }
        Ok(Some(NetworkTables {
            machine: NetworkMachineTable::open(directory)?,
            dimensions: NetworkDimensionTable::open(directory)?,
            nodes: NetworkNodeTable::open(directory)?,
            links: NetworkLinkTable::open(directory)?,
            sections: NetworkSectionTable::open(directory)?,
            counters: NetworkCounterTable::open(directory)?,
            values: NetworkValueTable::open(directory)?,
            stretches: NetworkStretchTable::open(directory)?,
            places: NetworkPlaceTable::open(directory)?,
        }))
    }

    /// All of them.
    pub(crate) fn tables(&self) -> [&dyn Table; 9] {
        [
            &self.machine,
            &self.dimensions,
            &self.nodes,
            &self.links,
            &self.sections,
            &self.counters,
            &self.stretches,
            &self.values,
            &self.places,
        ]
    }

    /// What the file calls the machine; empty if it does not say.
    pub fn hardware(&self) -> &str {
        self.machine.hardware.get(0)
    }

    /// Which links belong to a node.
    pub fn links_of_node(&self) -> LinkEnd {
        LinkEnd::from_name(self.machine.links_of_node.get(0)).unwrap_or_default()
    }

    /// The machine, without capacities: a measurement does not tell them.
    pub fn torus(&self) -> Result<Torus, ShapeError> {
        let dimension = |row| Dimension {
            name: self.dimensions.name.get(row).to_owned(),
            size: self.dimensions.size.get(row),
            wraps: self.dimensions.wraps.get(row) == 1,
            cables: self.dimensions.cables.get(row),
            capacity: None,
        };
        Torus::new((0..self.dimensions.len()).map(dimension).collect())
    }

    /// For each node the element of the torus that it is.
    pub fn elements(&self, torus: &Torus) -> Vec<Option<Element>> {
        let place = self.nodes.place.iter(0..self.nodes.len());
        place.map(|place| (place < torus.elements()).then_some(Element(place))).collect()
    }

    /// For each link the link of the torus that it is.
    pub fn torus_links(&self, torus: &Torus) -> Vec<Option<Link>> {
        let elements = self.elements(torus);
        let mut links = Vec::with_capacity(self.links.len() as usize);
        let columns = (&self.links.source, &self.links.dimension, &self.links.is_positive);
        columns.for_each(0..self.links.len(), |(source, dimension, is_positive)| {
            let dimension = dimension as usize;
            let direction = if is_positive == 1 { Direction::Plus } else { Direction::Minus };
            let source = elements.get(source as usize).copied().flatten();
            let source = source.filter(|_| dimension < torus.dimensions().len());
            links.push(source.and_then(|source| torus.link_from(source, dimension, direction)));
        });
        links
    }

    /// The node that a location ran on.
    pub fn node_of(&self, location: LocationId) -> Option<u64> {
        let node = self.places.node.get(u64::from(location.0));
        (u64::from(node) < self.nodes.len()).then_some(u64::from(node))
    }

    /// What a counter is of.
    pub fn counted(&self, counter: u64) -> Counted {
        if self.counters.of.get(counter) == Counted::Nodes.name() { Counted::Nodes } else { Counted::Links }
    }

    /// The counters of links, or those of nodes.
    pub fn counters_of(&self, of: Counted) -> impl Iterator<Item = u64> + '_ {
        (0..self.counters.len()).filter(move |counter| self.counted(*counter) == of)
    }

    /// The counter of that name.
    pub fn counter(&self, of: Counted, name: &str) -> Option<u64> {
        self.counters_of(of).find(|counter| self.counters.name.get(*counter) == name)
    }

    /// The section of that number.
    pub fn section(&self, id: i64) -> Option<u64> {
        (0..self.sections.len()).find(|section| self.sections.id.get(*section) == id)
    }

    /// The rows of the values of a counter in a section, by link or node; empty if nothing was measured.
    pub fn values_of(&self, counter: u64, section: u64) -> Range<u64> {
        let stretches = &self.stretches;
        let of_counter = stretches.counter.partition_point(0..stretches.len(), |other| u64::from(other) < counter)
            ..stretches.counter.partition_point(0..stretches.len(), |other| u64::from(other) <= counter);
        let stretch = stretches.section.partition_point(of_counter.clone(), |other| u64::from(other) < section);
        if !of_counter.contains(&stretch) || u64::from(stretches.section.get(stretch)) != section {
            return 0..0;
        }
        let first = self.stretches.first_value.get(stretch).min(self.values.len());
        first..first.saturating_add(self.stretches.values.get(stretch)).min(self.values.len())
    }

    /// Visits what a counter counted in a section, by link or node.
    pub fn for_each_tally(&self, counter: u64, section: u64, mut visit: impl FnMut(Tally)) {
        let values = &self.values;
        let columns = (&values.entity, &values.visits, &values.sum, &values.min, &values.max);
        columns.for_each(self.values_of(counter, section), |(entity, visits, sum, min, max)| {
            visit(Tally { counter: counter as u32, section: section as u32, entity, visits, sum, min, max });
        });
    }

    /// Adds up what a counter counted in several sections: for each link or node, `None` where nothing was measured. Of
    /// these tallies `section` means nothing.
    pub fn totals(&self, counter: u64, sections: impl IntoIterator<Item = u64>) -> Vec<Option<Tally>> {
        let entities = match self.counted(counter) {
            Counted::Links => self.links.len(),
            Counted::Nodes => self.nodes.len(),
        };
        let mut totals: Vec<Option<Tally>> = vec![None; entities as usize];
        for section in sections {
            self.for_each_tally(counter, section, |tally| match totals.get_mut(tally.entity as usize) {
                Some(Some(total)) => total.add(&tally),
                Some(total) => *total = Some(tally),
                None => {}
            });
        }
        totals
    }
}

/// Writes the tables of a network.
pub(crate) fn write_network(directory: &Path, network: &MeasuredNetwork) -> Result<(), StoreError> {
    let links_of_node = network.links_of_node.name().to_owned();
    let machine = NetworkMachineRows { hardware: vec![network.hardware.clone()], links_of_node: vec![links_of_node] };
    write_table(directory, machine)?;
    let mut dimensions = NetworkDimensionRows::default();
    for dimension in &network.dimensions {
        dimensions.name.push(dimension.name.clone());
        dimensions.size.push(dimension.size);
        dimensions.wraps.push(u8::from(dimension.wraps));
        dimensions.cables.push(dimension.cables);
    }
    write_table(directory, dimensions)?;
    let mut nodes = NetworkNodeRows::default();
    for node in &network.nodes {
        nodes.file_id.push(node.file_id.unwrap_or(i64::MIN));
        nodes.place.push(node.place);
        nodes.coordinates.push(network.place_text(node.place));
    }
    write_table(directory, nodes)?;
    let mut links = NetworkLinkRows::default();
    for link in &network.links {
        links.file_id.push(link.file_id.unwrap_or(i64::MIN));
        links.source.push(link.source);
        links.destination.push(link.destination);
        links.dimension.push(link.dimension);
        links.is_positive.push(u8::from(link.is_positive));
    }
    write_table(directory, links)?;
    let mut sections = NetworkSectionRows::default();
    for section in &network.sections {
        sections.id.push(section.id);
        sections.visits.push(section.visits);
        sections.name.push(section.name.clone());
    }
    write_table(directory, sections)?;
    write_table(directory, NetworkPlaceRows { node: network.places.clone() })?;
    write_values(directory, network)
}

fn write_values(directory: &Path, network: &MeasuredNetwork) -> Result<(), StoreError> {
    let mut counters = NetworkCounterRows::default();
    for counter in &network.counters {
        counters.name.push(counter.name.clone());
        counters.of.push(counter.of.name().to_owned());
    }
    write_table(directory, counters)?;
    let mut values = TableWriter::<NetworkValueRows>::create(directory)?;
    let mut stretches = NetworkStretchRows::default();
    let mut rows = NetworkValueRows::default();
    for stretch in network.tallies.chunk_by(|one, next| (one.counter, one.section) == (next.counter, next.section)) {
        stretches.counter.push(stretch[0].counter);
        stretches.section.push(stretch[0].section);
        stretches.first_value.push(values.rows());
        stretches.values.push(stretch.len() as u64);
        // Copied piece by piece, not the whole network at once.
        for piece in stretch.chunks(1 << 16) {
            for tally in piece {
                rows.entity.push(tally.entity);
                rows.visits.push(tally.visits);
                rows.sum.push(tally.sum);
                rows.min.push(tally.min);
                rows.max.push(tally.max);
            }
            values.append_from(&mut rows)?;
        }
    }
    values.finish()?;
    write_table(directory, stretches).map(drop)
}
