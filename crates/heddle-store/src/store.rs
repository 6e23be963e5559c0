//! An open store: the tables, mapped.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use heddle_model::{LocationId, Ns, SystemNode, SystemNodeId, Warning};

use crate::StoreError;
use crate::column::Column;
use crate::derived::in_cache;
use crate::index::{ActivityIndex, CallIndex, CounterIndex, DepthIndex, RareIndex, TileIndex};
use crate::limits::{limit, limit_spans};
use crate::map::{cut_short, damaged};
use crate::meta::{Meta, Summary, check_content};
use crate::network::NetworkTables;
use crate::place::default_memory;
use crate::table::Table;
use crate::tables::{
    CollectiveMemberTable, CollectiveTable, CommunicatorMemberTable, CommunicatorTable, DependencyTable,
    LengthMismatchTable, LocationTable, MarkTable, MessageByReceiveTable, MessageTable, MetricTable, MetricValueTable,
    RegionTable, SpanTable, SystemNodeTable, TaskTable, UnmatchedTable, WarningTable, WorkerTable,
};
use crate::trace_files::shown_name;

/// An open store. Opening maps the tables and touches none of their rows, so it takes milliseconds whatever
/// the size.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    /// The directory that was opened, whatever bears its name now.
    identity: Option<(u64, u64)>,
    /// Where derived results go if the store cannot be written to.
    cache: Option<PathBuf>,
    /// What analyses of it may take, in bytes.
    memory: u64,
    /// The trace's name, for titles.
    name: String,
    meta: Meta,
    /// Places in the machine.
    pub system_tree: SystemNodeTable,
    /// Streams of execution.
    pub locations: LocationTable,
    /// Functions and states.
    pub regions: RegionTable,
    /// Communicators.
    pub communicators: CommunicatorTable,
    /// Their members.
    pub communicator_members: CommunicatorMemberTable,
    /// Counters.
    pub metrics: MetricTable,
    /// Stays in regions.
    pub spans: SpanTable,
    /// How long each of them lasts, for those who need not know when: it costs half of both times.
    pub durations: Column<i64>,
    /// Matched messages.
    pub messages: MessageTable,
    /// The messages in the order of receiving.
    pub messages_by_receive: MessageByReceiveTable,
    /// Messages whose ends name different lengths.
    pub length_mismatches: LengthMismatchTable,
    /// Ends without a partner.
    pub unmatched: UnmatchedTable,
    /// Collective operations.
    pub collectives: CollectiveTable,
    /// Who took part in them.
    pub collective_members: CollectiveMemberTable,
    /// Counter values.
    pub metric_values: MetricValueTable,
    /// Instants.
    pub marks: MarkTable,
    /// Locations that run tasks.
    pub workers: WorkerTable,
    /// Runs of tasks.
    pub tasks: TaskTable,
    /// What they wait for.
    pub dependencies: DependencyTable,
    /// Oddities.
    pub warnings: WarningTable,
    network: Option<NetworkTables>,
    /// Time in functions, exact at any zoom.
    pub activity: ActivityIndex,
    /// What dominates where and when.
    pub tiles: TileIndex,
    /// Spans too few to be summarised.
    pub rare: RareIndex,
    /// How many calls there are when, and how long.
    pub calls: CallIndex,
    /// How callers are found.
    pub depths: DepthIndex,
    /// What counters come to in any stretch of time.
    pub counters: CounterIndex,
}

impl Store {
    /// Opens a finished store; anything else is refused.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        // An import that replaces the store meanwhile renames another directory into its place: look again.
        loop {
            let before = identity(path);
            let opened = Store::open_tables(path);
            if identity(path) == before {
                return opened.map(|store| Store { identity: before, ..store });
            }
        }
    }

    /// The same store, with a place for derived results should it not be writable.
    pub(crate) fn with_cache(self, cache: Option<PathBuf>) -> Store {
        Store { cache, ..self }
    }

    /// The same store, of which analyses may take so many bytes of memory instead of a quarter of the machine's.
    #[must_use]
    pub fn with_memory(self, memory: u64) -> Store {
        Store { memory, ..self }
    }

    /// What an analysis of it may take of memory, in bytes: what `--memory` says.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// The same store under the name that its trace has now.
    pub(crate) fn with_name(self, name: &str) -> Store {
        Store { name: name.to_owned(), ..self }
    }

    /// Fails if a file that is read here, of the store or of a result, was cut short, since reading it further would end the
    /// process, or has turned out to be damaged, since what it gave is not true. Whoever keeps a store open for long asks
    /// before each piece of work, and everybody before showing what came of it.
    pub fn check(&self) -> Result<(), StoreError> {
        let (cut, damaged) = (cut_short(), damaged());
        if cut.is_empty() && damaged.is_empty() {
            return Ok(());
        }
        let places = [Some(self.path.clone()), in_cache(self)];
        let is_ours = |path: &PathBuf| places.iter().flatten().any(|place| path.starts_with(place));
        if let Some(path) = cut.into_iter().find(is_ours) {
            return Err(StoreError::Cut(path));
        }
        match damaged.into_iter().find(is_ours) {
            Some(path) => Err(StoreError::Spoilt(path)),
            None => Ok(()),
        }
    }

    /// Where derived results go if the store cannot be written to.
    pub(crate) fn cache(&self) -> Option<&Path> {
        self.cache.as_deref()
    }

    /// Whether the directory is still the one that was opened: an import may have put another in its place.
    pub(crate) fn is_in_place(&self) -> bool {
        self.identity.is_some() && self.identity == identity(&self.path)
    }

    fn open_tables(path: &Path) -> Result<Store, StoreError> {
        let meta = Meta::read(path)?;
        check_content(path, &meta.tables)?;
        let (metrics, locations) = (MetricTable::open(path)?, LocationTable::open(path)?);
        let (mut spans, regions) = (SpanTable::open(path)?, RegionTable::open(path)?);
        let durations = limit_spans(path, &mut spans, regions.len())?;
        let mut store = Store {
            system_tree: SystemNodeTable::open(path)?,
            communicators: CommunicatorTable::open(path)?,
            communicator_members: CommunicatorMemberTable::open(path)?,
            messages: MessageTable::open(path)?,
            messages_by_receive: MessageByReceiveTable::open(path)?,
            length_mismatches: LengthMismatchTable::open(path)?,
            unmatched: UnmatchedTable::open(path)?,
            collectives: CollectiveTable::open(path)?,
            collective_members: CollectiveMemberTable::open(path)?,
            metric_values: MetricValueTable::open(path)?,
            marks: MarkTable::open(path)?,
            workers: WorkerTable::open(path)?,
            tasks: TaskTable::open(path)?,
            dependencies: DependencyTable::open(path)?,
            warnings: WarningTable::open(path)?,
            network: NetworkTables::open(path, &meta)?,
            activity: ActivityIndex::open(path, regions.len())?,
            tiles: TileIndex::open(path, &locations, regions.len())?,
            rare: RareIndex::open(path, &locations, spans.len(), regions.len())?,
            calls: CallIndex::open(path, regions.len())?,
            depths: DepthIndex::open(path)?,
            counters: CounterIndex::open(path, &locations, &metrics, Ns(meta.summary.end_ns))?,
            metrics,
            locations,
            spans,
            durations,
            regions,
            path: path.to_owned(),
            identity: None,
            cache: None,
            memory: default_memory(),
            name: shown_name(&meta.name, path.parent().unwrap_or(Path::new(""))),
            meta,
        };
        limit(&mut store)?;
        Ok(store)
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The trace's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Counts over the whole trace.
    pub fn summary(&self) -> &Summary {
        &self.meta.summary
    }

    /// What was measured on the machine's network, if anything was.
    pub fn network(&self) -> Option<&NetworkTables> {
        self.network.as_ref()
    }

    /// All tables but those of indexes.
    pub fn tables(&self) -> Vec<&dyn Table> {
        let mut all: Vec<&dyn Table> = vec![
            &self.system_tree,
            &self.locations,
            &self.regions,
            &self.communicators,
            &self.communicator_members,
            &self.metrics,
            &self.spans,
            &self.messages,
            &self.messages_by_receive,
            &self.length_mismatches,
            &self.unmatched,
            &self.collectives,
            &self.collective_members,
            &self.metric_values,
            &self.marks,
            &self.workers,
            &self.tasks,
            &self.dependencies,
            &self.warnings,
        ];
        all.extend(self.network.iter().flat_map(NetworkTables::tables));
        all
    }

    /// The rows of a location in the spans table.
    pub fn spans_of(&self, location: LocationId) -> std::ops::Range<u64> {
        let at = u64::from(location.0);
        if at >= self.locations.len() {
            return 0..0;
        }
        let first = self.locations.first_span.get(at);
        first..first + self.locations.spans.get(at)
    }

    /// The places of the machine that a location is in, from the innermost to the whole machine.
    pub fn places_of(&self, location: LocationId) -> impl Iterator<Item = SystemNodeId> + '_ {
        let tree = &self.system_tree;
        let known = move |place: SystemNodeId| Some(place).filter(|place| u64::from(place.0) < tree.len());
        let first = known(self.locations.parent.get(u64::from(location.0)));
        // Parents stand before children: what does not is damage, and would go round in circles.
        std::iter::successors(first, move |place| {
            known(tree.parent.get(u64::from(place.0))).filter(|parent| parent.0 < place.0)
        })
    }

    /// The node of the machine that a location runs on: the innermost place of that class, or else the innermost that is
    /// neither process nor accelerator.
    pub fn node_of(&self, location: LocationId) -> Option<SystemNodeId> {
        let class = |place: &SystemNodeId| self.system_tree.class.get(u64::from(place.0));
        let is_node = |place: &SystemNodeId| class(place).to_ascii_lowercase().contains("node");
        let is_part = |place: &SystemNodeId| [SystemNode::PROCESS, SystemNode::ACCELERATOR].contains(&class(place));
        let innermost = || self.places_of(location).find(|place| !is_part(place));
        self.places_of(location).find(is_node).or_else(innermost)
    }

    /// What was odd about the trace.
    pub fn warnings(&self) -> Vec<Warning> {
        (0..self.warnings.len())
            .filter_map(|row| {
                Some(Warning {
                    kind: heddle_model::WarningKind::from_name(self.warnings.kind.get(row))?,
                    count: self.warnings.count.get(row),
                    place: self.warnings.place.get(row).to_owned(),
                    text: self.warnings.text.get(row).to_owned(),
                })
            })
            .collect()
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino())).ok()
}
