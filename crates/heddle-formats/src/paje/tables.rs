//! Types, values and containers, found by alias or by name.
//!
//! Types and containers have number spaces of their own (SimGrid has a type 3 and a container 3), and an alias of a
//! value holds within its type (StarPU reuses `I` for several).

use heddle_model::{CollectiveOp, Paradigm, Region, RegionId, Role};
use rustc_hash::FxHashMap;

use super::dialect::Dialect;

/// What a type is a type of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    Container,
    State,
    Event,
    Variable,
    Link,
}

/// A type. Its id is its position.
#[derive(Clone, Debug)]
pub(super) struct Type {
    pub(super) name: String,
    pub(super) nature: Nature,
    /// States of it repeat those of another type.
    pub(super) repeats: bool,
    /// A container type for which states are defined: its containers are drawn as rows.
    pub(super) has_states: bool,
    /// A link type between parts of the platform.
    pub(super) is_topology: bool,
}

/// The root's type and the root container are there from the beginning, both called `0`.
pub(super) const ROOT: u32 = 0;

/// No such thing.
pub(super) const NONE: u32 = u32::MAX;

/// Words that stand for something: aliases first, then names.
#[derive(Debug, Default)]
struct Index {
    aliases: FxHashMap<Vec<u8>, u32>,
    names: FxHashMap<Vec<u8>, u32>,
}

impl Index {
    fn get(&self, word: &[u8]) -> Option<u32> {
        self.aliases.get(word).or_else(|| self.names.get(word)).copied()
    }

    /// The newest of an alias counts.
    fn insert(&mut self, alias: Option<&[u8]>, name: &[u8], id: u32) -> bool {
        self.names.entry(name.to_vec()).or_insert(id);
        match alias {
            Some(alias) => self.aliases.insert(alias.to_vec(), id).is_some(),
            None => self.names.insert(name.to_vec(), id).is_some_and(|before| before != id),
        }
    }
}

/// All names of a file.
pub(super) struct Tables {
    pub(super) dialect: Dialect,
    pub(super) types: Vec<Type>,
    type_index: Index,
    container_index: Index,
    /// By type: words of its values.
    values: Vec<FxHashMap<Vec<u8>, RegionId>>,
    /// Words of values of link and event types, by type: their names.
    pub(super) regions: Vec<Region>,
    pub(super) operations: Vec<Option<CollectiveOp>>,
    region_index: FxHashMap<String, RegionId>,
    /// Grows with every definition: whoever remembers an answer knows when to ask again.
    pub(super) version: u32,
}

impl Tables {
    pub(super) fn new(dialect: Dialect) -> Tables {
        let mut tables = Tables {
            dialect,
            types: Vec::new(),
            type_index: Index::default(),
            container_index: Index::default(),
            values: Vec::new(),
            regions: Vec::new(),
            operations: Vec::new(),
            region_index: FxHashMap::default(),
            version: 1,
        };
        tables.define_type(Some(b"0"), b"0", Nature::Container, NONE);
        tables.name_container(Some(b"0"), b"0", ROOT);
        tables
    }

    /// A type by alias or name.
    pub(super) fn find_type(&self, word: &[u8]) -> Option<u32> {
        self.type_index.get(word)
    }

    /// A container by alias or name.
    pub(super) fn find_container(&self, word: &[u8]) -> Option<u32> {
        self.container_index.get(word)
    }

    /// Defines a type below another. The new id, and whether the alias stood for something else before.
    pub(super) fn define_type(
        &mut self,
        alias: Option<&[u8]>,
        name: &[u8],
        nature: Nature,
        parent: u32,
    ) -> (u32, bool) {
        let text = String::from_utf8_lossy(name).into_owned();
        // Ranks of StarPU and merged files define the same again: that is harmless.
        let known = self.type_index.get(alias.unwrap_or(name));
        if let Some(id) = known.filter(|id| {
            let known = &self.types[*id as usize];
            known.nature == nature && known.name == text
        }) {
            return (id, false);
        }
        self.version += 1;
        let id = self.types.len() as u32;
        let repeats = nature == Nature::State && self.dialect.repeats(&text);
        self.types.push(Type { name: text, nature, repeats, has_states: false, is_topology: false });
        self.values.push(FxHashMap::default());
        if nature == Nature::State
            && let Some(parent) = self.types.get_mut(parent as usize)
        {
            parent.has_states = true;
        }
        let again = self.type_index.insert(alias, name, id);
        (id, again && alias.is_some())
    }

    /// Gives a container its alias and name. Whether the alias stood for another before.
    pub(super) fn name_container(&mut self, alias: Option<&[u8]>, name: &[u8], id: u32) -> bool {
        self.version += 1;
        self.container_index.insert(alias, name, id)
    }

    /// Defines a value of a state type.
    pub(super) fn define_value(&mut self, alias: Option<&[u8]>, name: &[u8], of: u32) {
        let region = self.region(name);
        if let Some(values) = self.values.get_mut(of as usize) {
            self.version += 1;
            values.entry(name.to_vec()).or_insert(region);
            if let Some(alias) = alias {
                values.insert(alias.to_vec(), region);
            }
        }
    }

    /// The region of a value of a state type. What nobody defined is called as it is written.
    pub(super) fn value(&mut self, of: u32, word: &[u8]) -> RegionId {
        if let Some(region) = self.values.get(of as usize).and_then(|values| values.get(word)) {
            return *region;
        }
        let region = self.region(word);
        if let Some(values) = self.values.get_mut(of as usize) {
            values.insert(word.to_vec(), region);
        }
        region
    }

    fn region(&mut self, name: &[u8]) -> RegionId {
        let name = String::from_utf8_lossy(name);
        if let Some(known) = self.region_index.get(name.as_ref()) {
            return *known;
        }
        let id = RegionId(self.regions.len() as u32);
        self.operations.push(self.dialect.collective(&name));
        self.regions.push(self.dialect.region(name.clone().into_owned()));
        self.region_index.insert(name.into_owned(), id);
        id
    }

    /// A region turns out to be a type of tasks.
    pub(super) fn is_task(&mut self, region: RegionId) {
        if let Some(region) = self.regions.get_mut(region.index()) {
            region.paradigm = Paradigm::Task;
            region.role = Role::Task;
        }
    }
}
