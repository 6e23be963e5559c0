//! Counters while they are read: sections as they occur, values added up over visits.

use std::mem::take;

use heddle_model::{Counted, NetworkCounter, Section, Tally};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::table::{Row, RowFault, Table};

/// Columns that say which part of the program a row is of.
const SECTION_COLUMNS: [&str; 5] = ["code_region", "region", "section", "phase", "code_region_id"];
const SECTION_NAMES: [&str; 3] = ["code_region_name", "region_name", "section_name"];

/// How parts are called that are outside of all that was marked.
const OUTSIDE: &str = "outside the marked regions";

/// Tallies are merged when there are this many more than after the last time.
const MERGE_AT: usize = 1 << 20;

/// All that was counted so far.
#[derive(Default)]
pub(super) struct Counters {
    pub(super) list: Vec<NetworkCounter>,
    pub(super) sections: Vec<Section>,
    by_id: FxHashMap<i64, u32>,
    tallies: Vec<Tally>,
    merged: usize,
    /// Values that cannot be, in the order of the files.
    pub(super) impossible: Vec<Impossible>,
    pub(super) impossible_count: u64,
}

/// A value that cannot be.
#[derive(Clone, Debug)]
pub(super) struct Impossible {
    /// File and line.
    pub(super) place: String,
    pub(super) counter: u32,
    pub(super) section: u32,
    pub(super) entity: u32,
    pub(super) value: f64,
}

/// How many of them are told one by one.
pub(super) const TOLD: usize = 16;

/// The columns of a table that hold sections and counters.
pub(super) struct CounterColumns {
    section: Option<usize>,
    section_name: Option<usize>,
    /// Column, and counter.
    values: Vec<(usize, u32)>,
    /// The table's file.
    file: String,
}

impl Counters {
    /// Finds the counters of a table: all columns with numbers that are not known to be something else.
    pub(super) fn columns(&mut self, table: &Table, of: Counted, known: &[usize]) -> CounterColumns {
        let named = |names: &[&str]| names.iter().find_map(|name| table.column(name)).filter(|at| !known.contains(at));
        let section = named(&SECTION_COLUMNS);
        let section_name = named(&SECTION_NAMES);
        let mut values = Vec::new();
        for (at, column) in table.columns.iter().enumerate() {
            if column.is_text || known.contains(&at) || section == Some(at) || section_name == Some(at) {
                continue;
            }
            values.push((at, self.counter(&column.name, of)));
        }
        CounterColumns { section, section_name, values, file: table.name.clone() }
    }

    /// A counter by name. Tables of the same things share those of equal names.
    fn counter(&mut self, name: &str, of: Counted) -> u32 {
        let known = self.list.iter().position(|counter| counter.of == of && counter.name == name);
        known.unwrap_or_else(|| {
            self.list.push(NetworkCounter { name: name.to_owned(), of });
            self.list.len() - 1
        }) as u32
    }

    /// Adds the values of a row; all of them, or none if one of them is damaged.
    pub(super) fn add(&mut self, columns: &CounterColumns, row: &Row, entity: u32) -> Result<(), RowFault> {
        let id = columns.section.map_or(Ok(0), |column| row.integer(column))?;
        let first = self.tallies.len();
        for (column, counter) in &columns.values {
            match row.number(*column) {
                Ok(Some(value)) => self.tallies.push(Tally {
                    counter: *counter,
                    section: 0,
                    entity,
                    visits: 1,
                    sum: value,
                    min: value,
                    max: value,
                }),
                Ok(None) => {}
                Err(fault) => {
                    self.tallies.truncate(first);
                    return Err(fault);
                }
            }
        }
        let section = self.section(id, || columns.section_name.map(|column| row.text(column)));
        for tally in &mut self.tallies[first..] {
            tally.section = section;
            if !tally.is_possible() {
                self.impossible_count += 1;
                if self.impossible.len() < TOLD {
                    let Tally { counter, section, entity, sum: value, .. } = *tally;
                    let place = format!("{}, line {}", columns.file, row.number);
                    self.impossible.push(Impossible { place, counter, section, entity, value });
                }
            }
        }
        if self.tallies.len() >= 2 * self.merged + MERGE_AT {
            self.merge();
        }
        Ok(())
    }

    fn section(&mut self, id: i64, name: impl FnOnce() -> Option<String>) -> u32 {
        *self.by_id.entry(id).or_insert_with(|| {
            let name = name().unwrap_or_else(|| if id < 0 { OUTSIDE.to_owned() } else { String::new() });
            self.sections.push(Section { id, visits: 0, name });
            self.sections.len() as u32 - 1
        })
    }

    /// Adds up what is of the same counter, section and entity. Sorting is stable: sums of fractions do not depend on the
    /// number of threads.
    fn merge(&mut self) {
        let mut tallies = take(&mut self.tallies);
        tallies.par_sort_by_key(Tally::key);
        tallies.dedup_by(|later, kept| {
            let is_same = later.key() == kept.key();
            if is_same {
                kept.add(later);
            }
            is_same
        });
        self.merged = tallies.len();
        self.tallies = tallies;
    }

    /// All tallies in order, with entities renumbered, and sections that know how often they were visited.
    pub(super) fn finish(&mut self, renumbered: impl Fn(Counted, u32) -> u32) -> Vec<Tally> {
        // Counters of links come first, also if a run lists its tables in another order.
        let mut order: Vec<usize> = (0..self.list.len()).collect();
        order.sort_by_key(|counter| self.list[*counter].of);
        let mut places = vec![0; order.len()];
        for (place, counter) in order.iter().enumerate() {
            places[*counter] = place as u32;
        }
        for tally in &mut self.tallies {
            tally.entity = renumbered(self.list[tally.counter as usize].of, tally.entity);
            tally.counter = places[tally.counter as usize];
        }
        for found in &mut self.impossible {
            found.entity = renumbered(self.list[found.counter as usize].of, found.entity);
            found.counter = places[found.counter as usize];
        }
        self.list = order.iter().map(|counter| self.list[*counter].clone()).collect();
        self.merge();
        for tally in &self.tallies {
            let section = &mut self.sections[tally.section as usize];
            section.visits = section.visits.max(tally.visits);
        }
        take(&mut self.tallies)
    }
}
