//! What the page has to know of a result before it asks for pictures of it.

use std::collections::BTreeMap;

use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_logical::Metric;
use heddle_logical::cluster::Scope;
use heddle_model::Counted;
use heddle_network::{Known, Network, Origin};
use heddle_store::Store;
use heddle_store::index::CallEdge;
use heddle_tasks::Progression;
use heddle_topology::routing::RoutingKind;
use serde::Serialize;

use super::{Analysis, ClusterData, LogicalData, usually_open};

/// What the page has to know of a result.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum About {
    Logical(Box<LogicalAbout>),
    Clusters(ClustersAbout),
    Network(NetworkAbout),
    Progress(ProgressAbout),
    Diagnosis(DiagnosisAbout),
    Profile(ProfileAbout),
    Messages(MessagesAbout),
    Values(ValuesAbout),
    Kinds(KindsAbout),
    ByRank(ByRankAbout),
    Chosen(ChosenAbout),
}

impl About {
    pub(super) fn of(analysis: &Analysis, store: &Store) -> About {
        match analysis {
            Analysis::Logical(data) => About::Logical(Box::new(LogicalAbout::of(store, data))),
            Analysis::Clusters(data) => About::Clusters(ClustersAbout::of(data)),
            Analysis::Network(network) => About::Network(NetworkAbout::of(store, network)),
            Analysis::Progress(progression, _) => About::Progress(ProgressAbout::of(progression)),
            Analysis::Diagnosis(diagnosis) => About::Diagnosis(DiagnosisAbout::of(diagnosis)),
            Analysis::Profile(profile) => About::Profile(ProfileAbout { paths: profile.paths().len() }),
            Analysis::Messages(_) => About::Messages(MessagesAbout { messages: store.messages.len() }),
            Analysis::Kinds(kinds) => About::Kinds(KindsAbout { kinds: kinds.kinds().len() }),
            Analysis::ByRank(counts) => About::ByRank(ByRankAbout { group: counts.group_size() }),
            Analysis::Chosen(calls) => {
                About::Chosen(ChosenAbout { levels: calls.index().levels(CallEdge::Start).len() })
            }
            Analysis::Values(_) => About::Values(ValuesAbout { values: store.metric_values.len() }),
        }
    }
}

/// What the page has to know of a profile at once.
#[derive(Debug, Serialize)]
pub(super) struct ProfileAbout {
    /// How many call paths there are.
    paths: usize,
}

/// What the page has to know of the sums of messages at once.
#[derive(Debug, Serialize)]
pub(super) struct MessagesAbout {
    /// How many messages there are.
    messages: u64,
}

/// What the page has to know of the values of counters at once.
#[derive(Debug, Serialize)]
pub(super) struct ValuesAbout {
    /// How many values there are.
    values: u64,
}

/// What the page has to know of the kinds of calls at once.
#[derive(Debug, Serialize)]
pub(super) struct KindsAbout {
    /// How many kinds there are.
    kinds: usize,
}

/// What the page has to know of calls by rank at once.
#[derive(Debug, Serialize)]
pub(super) struct ByRankAbout {
    /// How many ranks are counted together.
    group: usize,
}

/// What the page has to know of the calls of chosen ranks at once.
#[derive(Debug, Serialize)]
pub(super) struct ChosenAbout {
    /// How many widths bins of time have.
    levels: usize,
}

/// What the page has to know of a diagnosis at once; findings and words are a question of their own.
#[derive(Debug, Serialize)]
pub(super) struct DiagnosisAbout {
    /// `balanced`, `uneven`, `faulty` or `unknown`.
    verdict: &'static str,
    findings: usize,
}

impl DiagnosisAbout {
    fn of(diagnosis: &Diagnosis) -> DiagnosisAbout {
        DiagnosisAbout { verdict: diagnosis.verdict.name(), findings: diagnosis.findings.len() }
    }
}

/// What the page has to know of a progression at once; figures and words are a question of their own.
#[derive(Debug, Serialize)]
pub(super) struct ProgressAbout {
    /// Time steps, and nodes with work.
    steps: usize,
    nodes: usize,
}

impl ProgressAbout {
    fn of(progression: &Progression) -> ProgressAbout {
        ProgressAbout { steps: progression.times.len() - 1, nodes: progression.nodes.len() }
    }
}

/// What the page has to know of a machine.
#[derive(Debug, Serialize)]
pub(super) struct NetworkAbout {
    /// What kind of machine it is: `torus`, `fat-tree` or `dragonfly`.
    kind: &'static str,
    /// What it is called: `8x8x8`, `fat-tree:4^6`.
    shape: String,
    /// Dimensions of a torus, by name and size.
    dimensions: Vec<(String, u32)>,
    /// Switches of each layer of a tree, from the nodes up.
    layers: Vec<u32>,
    /// Pods of each layer of a tree, from the nodes up: parts that hang together up to there.
    pods: Vec<usize>,
    /// Groups of a dragonfly, and the routers of each.
    groups: Option<[u32; 2]>,
    /// How routes are chosen, and how else they could be.
    routing: &'static str,
    routings: Vec<&'static str>,
    nodes: u32,
    /// Switches or routers.
    switches: u32,
    links: u32,
    ranks: u32,
    ranks_per_node: u32,
    /// Where ranks sit, in words.
    mapping: String,
    /// How the shape is known: `given`, `trace` or `assumed`.
    known: &'static str,
    /// Kinds of traffic that the trace has; the first is shown by default.
    origins: Vec<&'static str>,
    /// Counters of a measurement: of links, and of nodes.
    link_counters: Vec<String>,
    node_counters: Vec<String>,
}

impl NetworkAbout {
    fn of(store: &Store, network: &Network) -> NetworkAbout {
        let (shape, placement) = (&network.machine.shape, &network.machine.placement);
        let dimensions = shape.torus().map(|torus| torus.dimensions().to_vec()).unwrap_or_default();
        let counters = |of: Counted| {
            let tables = store.network();
            let names = tables.map(|tables| tables.counters_of(of).map(|at| tables.counters.name.get(at).to_owned()));
            names.map(Iterator::collect).unwrap_or_default()
        };
        NetworkAbout {
            kind: shape.kind(),
            shape: shape.to_string(),
            layers: shape
                .fat_tree()
                .map_or(Vec::new(), |tree| (1..=tree.layers()).map(|at| tree.in_layer(at)).collect()),
            pods: shape
                .fat_tree()
                .map_or(Vec::new(), |tree| (1..=tree.layers()).map(|at| tree.pods(at).all().len()).collect()),
            groups: shape.dragonfly().map(|fly| [fly.plan().groups, fly.per_group()]),
            routing: network.routing_kind().name(),
            routings: RoutingKind::of(shape).iter().map(|kind| kind.name()).collect(),
            switches: shape.elements() - shape.hosts(),
            dimensions: dimensions.into_iter().map(|dimension| (dimension.name, dimension.size)).collect(),
            nodes: shape.hosts(),
            links: shape.links(),
            ranks: placement.ranks(),
            ranks_per_node: placement.ranks_per_node(),
            mapping: network.machine.mapping.clone(),
            known: match network.machine.known {
                Known::Given => "given",
                Known::Trace => "trace",
                Known::Assumed => "assumed",
            },
            origins: network.origins(store).into_iter().map(Origin::name).collect(),
            link_counters: counters(Counted::Links),
            node_counters: counters(Counted::Nodes),
        }
    }
}

/// What the page has to know of clusters: the hierarchy, by which it opens and closes rows.
#[derive(Debug, Serialize)]
pub(super) struct ClustersAbout {
    /// The phase that they are of; none for the run or a window of steps.
    phase: Option<u32>,
    is_run: bool,
    steps: [u32; 2],
    ranks: u64,
    /// How they communicate, if that has a name, and what there is to know of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<[String; 2]>,
    leaves: u32,
    /// Children of joints, from the nearest pair to the root: nodes are numbered, leaves first.
    joints: Vec<[u32; 2]>,
    /// How many ranks each node has.
    sizes: Vec<u32>,
    /// The nodes that are open until somebody opens or closes one.
    usual: Vec<u32>,
}

impl ClustersAbout {
    fn of(data: &ClusterData) -> ClustersAbout {
        let (clusters, logical) = (&data.clusters, &data.logical.logical);
        let (tree, steps) = (clusters.tree(), clusters.scope().steps(logical));
        ClustersAbout {
            phase: if let Scope::Phase(phase) = clusters.scope() { Some(*phase) } else { None },
            is_run: clusters.scope().is_run(logical),
            steps: [steps.start, steps.end],
            ranks: clusters.rows(),
            pattern: clusters.pattern().map(|pattern| [pattern.name().to_owned(), pattern.facts()]),
            leaves: tree.leaves(),
            joints: tree.merges().iter().map(|merge| merge.children).collect(),
            sizes: (0..tree.nodes()).map(|node| clusters.size(node)).collect(),
            usual: usually_open(clusters),
        }
    }
}

/// What the page has to know of logical time.
#[derive(Debug, Serialize)]
pub(super) struct LogicalAbout {
    steps: u64,
    phases: u64,
    events: String,
    rows: u64,
    hints: Vec<String>,
    /// Where colours of the metric that was asked for end: with aggregates, and of events alone.
    largest: BTreeMap<String, String>,
    largest_of_events: BTreeMap<String, String>,
    /// The same of sums per step, where the metric overview ends.
    largest_sum: BTreeMap<String, String>,
    largest_sum_of_events: BTreeMap<String, String>,
    /// The step with the largest value, where one looks first; none if no step has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    latest_step: Option<u32>,
    metrics: Vec<MetricAbout>,
}

#[derive(Debug, Serialize)]
struct MetricAbout {
    name: String,
    title: String,
    unit: String,
}

impl LogicalAbout {
    fn of(store: &Store, data: &LogicalData) -> LogicalAbout {
        let metric = data.values.metric();
        // Nanoseconds are whole, counters as they are.
        let text = |value: f64| if metric.is_time() { format!("{value:.0}") } else { value.to_string() };
        let named = |value: f64| BTreeMap::from([(metric.name(store), text(value))]);
        let largest = |aggregates: bool| named(data.values.largest(aggregates));
        let sums = data.values.sums();
        let largest_sum = |aggregates: bool| named(sums.largest_sum(aggregates).as_f64());
        let about = |metric: Metric| MetricAbout {
            name: metric.name(store),
            title: metric.title(store),
            unit: metric.unit(store),
        };
        LogicalAbout {
            steps: data.logical.steps.len(),
            phases: data.logical.phases.len(),
            events: data.logical.events.len().to_string(),
            rows: data.logical.rows.len(),
            hints: data.logical.hints().to_vec(),
            largest: largest(true),
            largest_of_events: largest(false),
            largest_sum: largest_sum(true),
            largest_sum_of_events: largest_sum(false),
            latest_step: sums.largest_step(),
            metrics: Metric::all(store).into_iter().map(about).collect(),
        }
    }
}
