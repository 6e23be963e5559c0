//! Small traces of calls made up for a test, and requests for pictures of them.

#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "each test program uses a part; a helper that fails is a test that fails"
)]

use std::sync::Arc;

use heddle_model::{
    Definitions, Location, LocationId, LocationKind, MetricDefinition, MetricId, MetricMode, MetricValue, Ns, Paradigm,
    Part, Rank, RecordBlock, Region, RegionId, Role, Source, SourceError, SystemNode, SystemNodeId, Warnings,
};
use heddle_options::Given;
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_view::{Emphasis, Framing, Size, Theme, ViewRequest, Window};
use proptest::prelude::*;

/// A call: region, start, end, calls inside.
#[derive(Clone, Debug)]
pub(crate) struct Call(pub(crate) u32, pub(crate) i64, pub(crate) i64, pub(crate) Vec<Call>);

/// Locations that make calls and nothing else.
pub(crate) struct Calls {
    definitions: Definitions,
    of_ranks: Vec<Arc<Vec<Call>>>,
    parts: Vec<Part>,
    warnings: Warnings,
    is_counted: bool,
}

pub(crate) const REGIONS: [(&str, Paradigm); 4] =
    [("main", Paradigm::User), ("MPI_Recv", Paradigm::Mpi), ("MPI_Waitall", Paradigm::Mpi), ("stall", Paradigm::User)];

impl Calls {
    pub(crate) fn new(calls: Vec<Vec<Call>>) -> Calls {
        Calls::shared(calls.into_iter().map(Arc::new).collect())
    }

    /// Ranks that do the same may share one list: ten million calls in little memory.
    pub(crate) fn shared(calls: Vec<Arc<Vec<Call>>>) -> Calls {
        let count = calls.len() as u32;
        let location = |rank: u32| Location {
            file_id: u64::from(rank),
            name: format!("rank {rank}").into(),
            kind: LocationKind::CpuThread,
            parent: Some(SystemNodeId(0)),
            rank: Rank(rank),
        };
        let definitions = Definitions {
            system_tree: vec![SystemNode { name: "p".into(), class: SystemNode::PROCESS.into(), parent: None }],
            locations: (0..count).map(location).collect(),
            regions: REGIONS.iter().map(|(name, paradigm)| Region::named(*name, *paradigm, Role::Function)).collect(),
            world: (0..count).map(LocationId).collect(),
            ..Definitions::default()
        };
        let part = |at| Part { location: LocationId(at), index: 0, bytes: 100 };
        Calls {
            definitions,
            of_ranks: calls,
            parts: (0..count).map(part).collect(),
            warnings: Warnings::default(),
            is_counted: false,
        }
    }

    /// The same with a counter `ticks` that every rank but 0 records whenever it enters or leaves: a thousandth of the
    /// time.
    pub(crate) fn counted(mut self) -> Calls {
        let (name, unit) = (String::from("ticks"), String::from("#"));
        self.definitions.metrics = vec![MetricDefinition { name, unit, mode: MetricMode::Accumulated }];
        self.is_counted = true;
        self
    }

    /// The same with another name for a location.
    pub(crate) fn named(mut self, location: usize, name: &str) -> Calls {
        self.definitions.locations[location].name = name.into();
        self
    }

    pub(crate) fn store(self) -> (tempfile::TempDir, Store) {
        let directory = tempfile::tempdir().unwrap();
        let store = store_simulation(&self, "calls", &directory.path().join("x.heddle"), 1 << 28, &NoProgress).unwrap();
        (directory, store)
    }
}

fn write(block: &mut RecordBlock, calls: &[Call], counts: &impl Fn(i64) -> Option<f64>) {
    let count = |block: &mut RecordBlock, time: i64| {
        if let Some(value) = counts(time) {
            block.metric(Ns(time), MetricValue { metric: MetricId(0), value });
        }
    };
    for Call(region, start, end, inside) in calls {
        block.enter(Ns(*start), RegionId(*region));
        count(block, *start);
        write(block, inside, counts);
        count(block, *end);
        block.leave(Ns(*end), Some(RegionId(*region)));
        block.last = Some(Ns(*end));
    }
}

impl Source for Calls {
    fn format(&self) -> &'static str {
        "calls"
    }

    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn read(&self, part: &Part, out: &mut RecordBlock) -> Result<(), SourceError> {
        let counts = |time: i64| (self.is_counted && part.location.0 > 0).then(|| time as f64 / 1e3);
        write(out, &self.of_ranks[part.location.index()], &counts);
        Ok(())
    }

    fn warnings(&self) -> &Warnings {
        &self.warnings
    }
}

/// Calls one after the other in `from..to`, some with calls inside.
pub(crate) fn calls_in(from: i64, to: i64, depth: u32) -> BoxedStrategy<Vec<Call>> {
    if to - from < 2 || depth == 0 {
        return Just(Vec::new()).boxed();
    }
    proptest::collection::vec((0u32..3, from..to, from..to), 0..6)
        .prop_flat_map(move |mut pieces| {
            pieces.sort_by_key(|(_, a, _)| *a);
            let mut calls = Just(Vec::new()).boxed();
            let mut free = from;
            for (region, a, b) in pieces {
                let (start, end) = (a.min(b).max(free), a.max(b));
                if start >= end {
                    continue;
                }
                free = end;
                calls = (calls, calls_in(start, end, depth - 1))
                    .prop_map(move |(mut calls, inside)| {
                        calls.push(Call(region, start, end, inside));
                        calls
                    })
                    .boxed();
            }
            calls
        })
        .boxed()
}

pub(crate) fn request(window: Window) -> ViewRequest {
    ViewRequest {
        window,
        emphasis: Emphasis::default(),
        theme: Theme::Light,
        book: Arc::default(),
        framing: Framing::Figure,
        has_names: false,
        size: Size { width: 1000, height: 500 },
        options: Given::default(),
    }
}

pub(crate) fn within(from: i64, to: i64) -> Window {
    Window { time: Some((Ns(from), Ns(to))), ..Window::default() }
}
