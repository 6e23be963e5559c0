//! What pictures of many tasks rest on, so that none of them has to visit all tasks: how busy the workers of each node and
//! kind are over time, and which node has which tile.
//!
//! Few tasks are visited again for each picture, exactly. Of many a grid is kept with the store's derived results: the run
//! halved some ten times, and for each node, kind of worker and type the share of the time of all declared workers in each
//! part, in 255ths; whatever is there at all has at least one. A coarser grid beside it serves pictures of the whole run.

use std::path::Path;

use heddle_model::{LocationId, Ns, Paradigm, RegionId};
use heddle_store::index::Stretches;
use heddle_store::{Derived, Progress, Store, StoreError, TableWriter, Work, table, write_table};
use rayon::prelude::*;

use crate::slices::{SliceSums, grid_edge};
use crate::tiles::Tiles;

/// Number of this layout. Results of another are made again.
const FORMAT: u32 = 1;
/// Visiting this many tasks takes no longer than a glance.
pub const FEW_TASKS: u64 = 3_000_000;
/// Cells of the finer grid, at most; and halvings of the run, at most and at least.
const MOST_CELLS: u64 = 1 << 27;
const HALVINGS: std::ops::RangeInclusive<u32> = 6..=12;
/// How many times fewer parts the coarser grid has, as a power of two.
const COARSER: u32 = 2;
/// Nodes that are added up at a time.
const AT_A_TIME: usize = 256;
/// Adding up.
const ADDING: Work = Work::new("adding up tasks");

table! {
    /// Rows of the grid: workers of a kind on a node, by node, then kind.
    GridRowRows, GridRowTable = "rows" packed {
        /// The number of the node.
        node: u32 => "node",
        /// The kind, as a position among the names in their order.
        kind: u32 => "kind",
        /// How many workers.
        workers: u32 => "workers",
    }
}

table! {
    /// Shares of the finer grid: by row, then type, then time.
    FineRows, FineTable = "fine" packed {
        /// In 255ths.
        share: u8 => "share",
    }
}

table! {
    /// Shares of the coarser grid.
    CoarseRows, CoarseTable = "coarse" packed {
        /// In 255ths.
        share: u8 => "share",
    }
}

table! {
    /// Tiles that tasks write, by row, then column, then node.
    TileRows, TileTable = "tiles" packed {
        /// Row.
        row: u32 => "row",
        /// Column.
        column: u32 => "column",
        /// Who writes it.
        node: u32 => "node",
        /// With how many tasks.
        tasks: u32 => "tasks",
    }
}

/// What pictures of tasks rest on.
#[derive(Debug)]
pub struct Overview {
    /// How busy workers are; none where tasks are few.
    pub grid: Option<Grid>,
    /// Which node has which tile; none where tasks do not say.
    pub tiles: Option<Tiles>,
}

/// How busy the workers of each node and kind are over time.
#[derive(Debug)]
pub struct Grid {
    rows: GridRowTable,
    fine: FineTable,
    coarse: CoarseTable,
    types: Vec<RegionId>,
    kinds: Vec<String>,
    halvings: u32,
    run: i64,
}

/// A row of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridRow {
    row: u64,
    /// How many workers.
    pub workers: u64,
}

impl Overview {
    /// The overview of a trace's tasks, from the store's derived results where it is worth keeping.
    pub fn open(store: &Store, progress: &dyn Progress) -> Result<Overview, StoreError> {
        if store.tasks.len() <= FEW_TASKS {
            return Ok(Overview { grid: None, tiles: Tiles::of(store) });
        }
        Overview::kept(store, progress)
    }

    /// The overview with a grid, however many tasks there are.
    fn kept(store: &Store, progress: &dyn Progress) -> Result<Overview, StoreError> {
        let place = Derived::place(store, "tasks", &options());
        place.open_or_make(progress, |path| Overview::read(store, path), |path| make(store, path, progress))
    }

    /// The same if it is at hand.
    pub fn find(store: &Store) -> Option<Overview> {
        if store.tasks.len() <= FEW_TASKS {
            return Some(Overview { grid: None, tiles: Tiles::of(store) });
        }
        Derived::existing(store, "tasks", &options())?.find(|path| Overview::read(store, path))
    }

    fn read(store: &Store, path: &Path) -> Result<Overview, StoreError> {
        let (rows, fine, coarse) = (GridRowTable::open(path)?, FineTable::open(path)?, CoarseTable::open(path)?);
        let (types, kinds) = (types(store), kinds(store));
        let halvings = halvings(rows.len() * types.len() as u64);
        let series = rows.len() * types.len() as u64;
        if fine.len() != series << halvings || coarse.len() != series << (halvings - COARSER) {
            return Err(StoreError::Trace("the overview of tasks does not belong to this trace".to_owned()));
        }
        let tiles = TileTable::open(path)?;
        let counts = (0..tiles.len())
            .map(|at| (tiles.row.get(at), tiles.column.get(at), tiles.node.get(at), tiles.tasks.get(at)));
        let tiles = Tiles::from_counts(counts);
        let grid = Grid { rows, fine, coarse, types, kinds, halvings, run: run(store) };
        Ok(Overview { grid: Some(grid), tiles })
    }
}

impl Grid {
    /// How often the run is halved for the finest parts.
    pub fn halvings(&self) -> u32 {
        self.halvings
    }

    /// The workers of a kind on a node.
    pub fn row(&self, node: u32, kind: &str) -> Option<GridRow> {
        let kind = self.kinds.binary_search_by(|name| name.as_str().cmp(kind)).ok()? as u32;
        let all = 0..self.rows.len();
        let first = self.rows.node.partition_point(all.clone(), |number| number < node);
        let row = (first..all.end.min(first + self.kinds.len() as u64))
            .find(|row| self.rows.node.get(*row) == node && self.rows.kind.get(*row) == kind)?;
        Some(GridRow { row, workers: u64::from(self.rows.workers.get(row)) })
    }

    /// Where a type is in the grid.
    pub fn type_at(&self, region: RegionId) -> Option<usize> {
        self.types.binary_search(&region).ok()
    }

    /// Time of a row's workers in some types, in nanoseconds: by type, then slice. Slices are those of the run halved so many
    /// times, from number `first` on; no finer than the grid.
    pub fn busy(&self, row: GridRow, types: &[usize], halvings: u32, first: i64, slices: usize) -> Vec<Vec<i64>> {
        let coarse = self.halvings - COARSER;
        let (level, is_fine) = if halvings <= coarse { (coarse, false) } else { (self.halvings, true) };
        let (parts, per_slice) = (1i64 << level, 1i64 << (level - halvings.min(level)));
        let length = self.run as f64 / parts as f64;
        let of_share = length * row.workers as f64 / 255.0;
        let sums = |of: &usize| {
            let series = (row.row * self.types.len() as u64 + *of as u64) << level;
            let mut sums = vec![0u32; slices];
            let (from, to) =
                ((first * per_slice).clamp(0, parts), ((first + slices as i64) * per_slice).clamp(0, parts));
            let rows = series + from as u64..series + to as u64;
            let mut at = from;
            let mut add = |shares: &[u8]| {
                for share in shares {
                    sums[(at / per_slice - first) as usize] += u32::from(*share);
                    at += 1;
                }
            };
            if is_fine {
                self.fine.share.blocks(rows).for_each(|block| add(&block));
            } else {
                self.coarse.share.blocks(rows).for_each(|block| add(&block));
            }
            sums.into_iter().map(|sum| (f64::from(sum) * of_share) as i64).collect()
        };
        types.iter().map(sums).collect()
    }
}

fn options() -> String {
    format!("overview {FORMAT}")
}

/// All of the trace's time: slices of pictures are parts of it, too.
fn run(store: &Store) -> i64 {
    store.summary().end_ns.max(1)
}

fn types(store: &Store) -> Vec<RegionId> {
    let all = (0..store.regions.len() as u32).map(RegionId);
    all.filter(|region| store.regions.paradigm_of(*region) == Paradigm::Task).collect()
}

fn kinds(store: &Store) -> Vec<String> {
    let mut kinds: Vec<String> = Vec::new();
    for row in 0..store.workers.len() {
        let name = store.workers.kind.get(row);
        if let Err(place) = kinds.binary_search_by(|kind| kind.as_str().cmp(name)) {
            kinds.insert(place, name.to_owned());
        }
    }
    kinds
}

/// How often the run is halved, so that a grid of so many series does not become too large.
fn halvings(series: u64) -> u32 {
    (MOST_CELLS / series.max(1)).max(1).ilog2().clamp(*HALVINGS.start(), *HALVINGS.end())
}

/// The workers of a kind on a node.
struct Team {
    node: u32,
    kind: u32,
    locations: Vec<LocationId>,
}

fn teams(store: &Store, kinds: &[String]) -> Vec<Team> {
    let mut workers: Vec<(u32, u32, LocationId)> = (0..store.workers.len())
        .map(|row| {
            let location = store.workers.location.get(row);
            let name = store.workers.kind.get(row);
            let kind = kinds.binary_search_by(|kind| kind.as_str().cmp(name)).unwrap_or(0) as u32;
            (store.locations.rank.get(u64::from(location.0)).some().map_or(0, |rank| rank.0), kind, location)
        })
        .collect();
    workers.sort_unstable();
    let team = |of: &[(u32, u32, LocationId)]| Team {
        node: of[0].0,
        kind: of[0].1,
        locations: of.iter().map(|(.., location)| *location).collect(),
    };
    workers.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(team).collect()
}

fn make(store: &Store, directory: &Path, progress: &dyn Progress) -> Result<(), StoreError> {
    let (types, kinds) = (types(store), kinds(store));
    let teams = teams(store, &kinds);
    let halvings = halvings(teams.len() as u64 * types.len() as u64);
    let edges: Vec<Ns> = (0..=1i64 << halvings).map(|at| grid_edge(run(store), halvings, at)).collect();
    let mut type_of: Vec<Option<u16>> = vec![None; store.regions.len() as usize];
    types.iter().zip(0..).for_each(|(region, at)| type_of[region.index()] = Some(at));
    progress.begin(ADDING, store.workers.len());
    let mut rows = GridRowRows::default();
    let (mut fine, mut coarse) =
        (TableWriter::<FineRows>::create(directory)?, TableWriter::<CoarseRows>::create(directory)?);
    for some in teams.chunks(AT_A_TIME) {
        progress.check()?;
        let added: Vec<Vec<Vec<i64>>> =
            some.par_iter().map(|team| add_up(store, team, &type_of, types.len(), &edges)).collect();
        for (team, busy) in some.iter().zip(added) {
            rows.node.push(team.node);
            rows.kind.push(team.kind);
            rows.workers.push(team.locations.len() as u32);
            let workers = team.locations.len() as i64;
            for times in busy {
                let shares = |together: usize| {
                    let share = |(at, times): (usize, &[i64])| {
                        let length = edges[(at + 1) * together].since(edges[at * together]) * workers;
                        in_255ths(times.iter().sum(), length)
                    };
                    times.chunks(together).enumerate().map(share).collect()
                };
                fine.append(FineRows { share: shares(1) })?;
                coarse.append(CoarseRows { share: shares(1 << COARSER) })?;
            }
        }
        progress.advance(some.iter().map(|team| team.locations.len() as u64).sum());
    }
    fine.finish()?;
    coarse.finish()?;
    write_table(directory, rows)?;
    let mut tiles = TileRows::default();
    for (row, column, node, tasks) in Tiles::counts(store) {
        tiles.row.push(row);
        tiles.column.push(column);
        tiles.node.push(node);
        tiles.tasks.push(tasks);
    }
    write_table(directory, tiles).map(drop)
}

/// A share in 255ths; what is there at all has one.
fn in_255ths(part: i64, of: i64) -> u8 {
    let share = (255.0 * part as f64 / of.max(1) as f64).round().clamp(0.0, 255.0) as u8;
    share.max(u8::from(part > 0))
}

fn add_up(store: &Store, team: &Team, type_of: &[Option<u16>], types: usize, edges: &[Ns]) -> Vec<Vec<i64>> {
    let mut sums: Vec<SliceSums> = (0..types).map(|_| SliceSums::new(edges.len() - 1)).collect();
    let at = |region: RegionId| type_of.get(region.index()).copied().flatten();
    for location in &team.locations {
        let mut stretches = Stretches::new(|stretch: heddle_store::index::Stretch| {
            if let Some(of) = at(stretch.region) {
                sums[usize::from(of)].add(edges, stretch.start, stretch.end);
            }
        });
        stretches.feed_rows(&store.spans, store.spans_of(*location), |region| at(region).is_some());
        stretches.finish();
    }
    sums.into_iter().map(|sums| sums.finish(edges)).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]
mod tests {
    use heddle_model::{
        Definitions, Location, LocationKind, Part, Rank, RecordBlock, Region, Role, TaskId, TaskInfo, Worker,
    };
    use heddle_store::{NoProgress, store_simulation};
    use heddle_testkit::{Chance, MadeSource};

    use super::*;

    /// Three nodes with two CPUs and one GPU each; the last CPU never runs anything.
    fn store(directory: &Path) -> Store {
        let kind = |at: u32| if at % 3 == 2 { "CUDA" } else { "CPU" };
        let definitions = Definitions {
            locations: (0..9u32)
                .map(|at| Location {
                    file_id: u64::from(at),
                    name: format!("{}_{}{at}", at / 3, kind(at)).into(),
                    kind: LocationKind::CpuThread,
                    parent: None,
                    rank: Rank(at / 3),
                })
                .collect(),
            regions: ["gemm", "trsm"].map(|name| Region::named(name, Paradigm::Task, Role::Function)).to_vec(),
            workers: (0..9).map(|at| Worker { location: LocationId(at), kind: kind(at).to_owned() }).collect(),
            ..Definitions::default()
        };
        let parts = MadeSource::part_per_location(&definitions, 100);
        let records = |part: &Part, out: &mut RecordBlock| {
            let mut chance = Chance(u64::from(part.location.0));
            let mut now = 0;
            for task in 0..if part.location.0 == 7 { 0 } else { 300 } {
                now += chance.below(4_000) as i64;
                out.enter(Ns(now), RegionId(chance.below(2) as u32));
                let tile = [task as u32 % 4, part.location.0 / 3];
                out.task(Ns(now), TaskInfo { tile, ..TaskInfo::new(TaskId::new(part.location.0, task)) });
                now += chance.below(9_000) as i64;
                out.leave(Ns(now), None);
                out.last = Some(Ns(now));
            }
        };
        let source = MadeSource::new(definitions.clone(), parts, records);
        store_simulation(&source, "tasks", &directory.join("x.heddle"), 1 << 26, &NoProgress).unwrap()
    }

    #[test]
    fn the_grid_is_what_tasks_say_and_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let store = store(directory.path());
        assert!(Derived::existing(&store, "tasks", &options()).is_none());
        Overview::kept(&store, &NoProgress).unwrap();
        let overview = Derived::existing(&store, "tasks", &options()).unwrap();
        let overview = overview.find(|path| Overview::read(&store, path)).unwrap();
        assert_eq!(overview.tiles, Tiles::of(&store), "as if tasks were visited");
        let (grid, run) = (overview.grid.unwrap(), run(&store));
        let kinds = kinds(&store);
        assert!(grid.row(3, "CPU").is_none() && grid.row(0, "FPGA").is_none());
        for team in teams(&store, &kinds) {
            let row = grid.row(team.node, &kinds[team.kind as usize]).unwrap();
            assert_eq!(row.workers, team.locations.len() as u64, "idle workers count");
            for halvings in [0, 3, 8, grid.halvings() - COARSER, grid.halvings()] {
                let (first, slices) = if halvings < 2 { (0, 1) } else { (1, (1usize << halvings) - 2) };
                let edges: Vec<Ns> = (first..=first + slices as i64).map(|at| grid_edge(run, halvings, at)).collect();
                let exact = add_up(&store, &team, &[Some(0), Some(1)], 2, &edges);
                let found = grid.busy(row, &[0, 1], halvings, first, slices);
                for (exact, found) in exact.iter().flatten().zip(found.iter().flatten()) {
                    // Shares are in 255ths of each part, and parts are whole nanoseconds.
                    let length = run as f64 / f64::from(1u32 << halvings);
                    let most = length * row.workers as f64 / 255.0 + 64.0;
                    assert!((exact - found).abs() as f64 <= most, "{exact} and {found} of {length}");
                    assert!(*exact == 0 || *found > 0, "what is there is seen");
                }
            }
        }
        // Beyond the run there is nothing.
        let row = grid.row(0, "CPU").unwrap();
        let around = grid.busy(row, &[0], 3, -2, 12);
        assert_eq!(around[0].len(), 12);
        assert!(around[0][..2].iter().chain(&around[0][10..]).all(|busy| *busy == 0) && around[0][2] > 0);
    }
}
