//! What the tests of counters share: two ranks that count, and a place of a process that has counters alone.

use heddle_model::{
    Definitions, Location, LocationId, LocationKind, MetricDefinition, MetricId, MetricMode, MetricValue, Ns, Paradigm,
    Rank, Region, RegionId, Role, SystemNode, SystemNodeId,
};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_testkit::MadeSource;

pub(crate) const END: i64 = 10_000;
pub(crate) const METRICS: [(&str, &str, MetricMode); 3] = [
    ("power", "W", MetricMode::Absolute),
    ("instructions", "#", MetricMode::Accumulated),
    ("bytes, sent", "B", MetricMode::Absolute),
];

/// Two ranks with calls, and a place of the process of rank 0 that has counters alone; values of each.
pub(crate) fn stored(values: &[Vec<(i64, u32, f64)>; 3]) -> (tempfile::TempDir, Store) {
    let location = |at: u32| Location {
        file_id: u64::from(at),
        name: if at < 2 { format!("rank {at}").into() } else { String::new().into() },
        kind: if at < 2 { LocationKind::CpuThread } else { LocationKind::Metric },
        parent: Some(SystemNodeId(0)),
        rank: if at < 2 { Rank(at) } else { Rank(0) },
    };
    let definitions = Definitions {
        system_tree: vec![SystemNode { name: "p".into(), class: SystemNode::PROCESS.into(), parent: None }],
        locations: (0..3).map(location).collect(),
        regions: vec![Region::named("work", Paradigm::User, Role::Function)],
        world: vec![LocationId(0), LocationId(1)],
        metrics: METRICS
            .map(|(name, unit, mode)| MetricDefinition { name: name.to_owned(), unit: unit.to_owned(), mode })
            .to_vec(),
        ..Definitions::default()
    };
    let parts = MadeSource::part_per_location(&definitions, 64);
    let source = MadeSource::new(definitions, parts, |part, out| {
        if part.location.0 < 2 {
            out.enter(Ns(0), RegionId(0));
        }
        for (time, metric, value) in &values[part.location.index()] {
            out.metric(Ns(*time), MetricValue { metric: MetricId(*metric), value: *value });
        }
        if part.location.0 < 2 {
            out.leave(Ns(END), Some(RegionId(0)));
        }
        out.last = Some(Ns(END));
        out.events += 2;
    });
    let directory = tempfile::tempdir().unwrap();
    let store = store_simulation(&source, "x", &directory.path().join("x.heddle"), 1 << 28, &NoProgress).unwrap();
    (directory, store)
}
