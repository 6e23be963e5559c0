//! What nodes of a machine, and the ranks on them, are coloured by: the same in all views of a machine.

use heddle_model::Counted;
use heddle_network::node_values;
use heddle_options::OptionError;
use heddle_store::Store;
use heddle_topology::Element;

use super::loads::{Loads, ends, share};
use super::process_grid::{Family, ProcessGrid, families};
use crate::analyses::Trace;
use crate::questions::details::communicator_name;
use crate::request::ViewRequest;
use crate::scene::ramp::{Palette, Ramp, Tone};
use crate::scene::ticks::grouped;
use crate::scene::{ColourId, LegendEntry, Rgba};
use crate::views::clusters::shown_clusters;

/// Groups that a legend names; the others are counted.
const MOST_NAMED: usize = 12;

/// What nodes are coloured by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NodesBy {
    /// Nothing.
    Plain,
    /// What goes over their links.
    Traffic,
    /// Their first rank.
    Rank,
    /// The communicator of their first rank.
    Communicator,
    /// The block of ranks that their first one is in.
    SubDomain,
    /// The cluster of their first rank.
    Cluster,
    /// A counter of nodes.
    Counter(String),
}

impl NodesBy {
    /// What an option says.
    pub(crate) fn of(text: &str, store: &Store) -> Result<NodesBy, OptionError> {
        let wrong = |why: String| OptionError { name: "nodes".to_owned(), why };
        Ok(match text.trim() {
            "" | "plain" => NodesBy::Plain,
            "traffic" => NodesBy::Traffic,
            "rank" => NodesBy::Rank,
            "communicator" => NodesBy::Communicator,
            "sub-domain" => NodesBy::SubDomain,
            "cluster" => NodesBy::Cluster,
            other => {
                let words = "must be plain, traffic, rank, communicator, sub-domain, cluster or counter:NAME";
                let name = other.strip_prefix("counter:").ok_or_else(|| wrong(words.to_owned()))?;
                let network = store.network();
                if network.and_then(|network| network.counter(Counted::Nodes, name)).is_none() {
                    return Err(wrong("names a counter of nodes that the trace does not have".to_owned()));
                }
                NodesBy::Counter(name.to_owned())
            }
        })
    }
}

/// Whether the trace has what nodes are to be coloured by.
pub(crate) fn check(store: &Store, request: &ViewRequest) -> Result<(), OptionError> {
    let options: super::options::MachineOptions = request.options.read()?;
    NodesBy::of(&options.nodes, store).map(drop)
}

/// Whether nodes are coloured by clusters, which have to be known for that.
pub(crate) fn clusters_urgency(request: &ViewRequest) -> Option<crate::analyses::Urgency> {
    let options: super::options::MachineOptions = request.options.checked();
    (options.nodes.trim() == "cluster").then_some(crate::analyses::Urgency::Required)
}

/// Colours of all nodes and ranks, and what they mean.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NodeColours {
    /// Of each element.
    pub(crate) of_node: Vec<ColourId>,
    /// Of each rank.
    pub(crate) of_rank: Vec<ColourId>,
    /// How much each element stands out: of several in one place the largest is shown.
    pub(crate) strength: Vec<f32>,
    /// Whether they mean anything.
    pub(crate) is_plain: bool,
    /// What they mean.
    pub(crate) legend: Vec<LegendEntry>,
    /// What was assumed.
    pub(crate) notes: Vec<String>,
}

/// The colours that a request asks for. Colours are added to the palette; `plain` is the one of nodes that say nothing.
pub(crate) fn node_colours(
    trace: &Trace<'_>,
    request: &ViewRequest,
    loads: &Loads<'_>,
    palette: &mut Vec<Rgba>,
    plain: ColourId,
) -> NodeColours {
    let by = NodesBy::of(&loads.options.nodes, trace.store).unwrap_or(NodesBy::Plain);
    let placement = &loads.network.machine.placement;
    let (nodes, ranks) = (loads.shape.elements(), placement.ranks());
    if let Some((values, largest)) = &loads.at_moment {
        return at_moment(loads, request, palette, values, *largest);
    }
    if by == NodesBy::Plain {
        return NodeColours {
            of_node: vec![plain; nodes as usize],
            of_rank: vec![plain; ranks as usize],
            strength: vec![0.0; nodes as usize],
            is_plain: true,
            legend: Vec::new(),
            notes: Vec::new(),
        };
    }
    let ramp = Ramp::add(palette, request.theme, Palette::Diverging);
    let colours = Colouring { loads, ramp, nodes, ranks };
    match by {
        NodesBy::Plain | NodesBy::Traffic => {
            colours.by_value(&loads.of_nodes(), "node traffic", |value| loads.text(value))
        }
        NodesBy::Counter(name) => {
            let wanted = loads.network.options().wanted_sections();
            let is_wanted = |at: usize| wanted.as_ref().is_none_or(|wanted| wanted.contains(&at));
            let values = loads.shape.torus().and_then(|torus| node_values(trace.store, torus, &name, is_wanted));
            let values = values.unwrap_or_else(|| vec![f64::NAN; nodes as usize]);
            colours.by_value(&values, &name, number)
        }
        NodesBy::Rank => {
            let last = ranks.saturating_sub(1).max(1) as f32;
            let entry = |rank: u32, share: f32| LegendEntry {
                colour: ramp.at(share, Tone::Full),
                name: format!("rank {}", grouped(rank.into())),
                value: String::new(),
            };
            let legend = vec![entry(0, 0.0), entry(ranks / 2, 0.5), entry(ranks.saturating_sub(1), 1.0)];
            colours.by_rank(|rank| Some(ramp.at(rank as f32 / last, Tone::Full)), legend, Vec::new())
        }
        NodesBy::Communicator => {
            // The largest of those that share out all ranks.
            let all = families(trace.store, ranks);
            match all.iter().max_by_key(|family| (family.length, std::cmp::Reverse(family.stride))) {
                None => {
                    let why = "The trace has no communicators that share out its ranks: nodes have no colours of them.";
                    colours.by_rank(|_| None, Vec::new(), vec![why.to_owned()])
                }
                Some(family) => {
                    let group = |rank: u32| family.of_rank(rank).map(|at| at as u32);
                    let name = |at: u32| family_name(trace.store, family, at as usize);
                    let count = family.members.len() as u32;
                    colours.by_group(group, count, name)
                }
            }
        }
        NodesBy::SubDomain => {
            let grid = ProcessGrid::of(trace.store, ranks);
            let (blocks, each) = if grid.is_known {
                // What lies behind each other along the last axis.
                let blocks = grid.lengths.into_iter().rev().find(|length| *length > 1).unwrap_or(1);
                (blocks, ranks / blocks)
            } else {
                (8.min(ranks.max(1)), ranks.div_ceil(8).max(1))
            };
            let name = |at: u32| {
                let last = ((at + 1) * each).min(ranks).saturating_sub(1);
                format!("ranks {}–{}", grouped((at * each).into()), grouped(last.into()))
            };
            colours.by_group(|rank| Some(rank / each.max(1)), blocks, name)
        }
        NodesBy::Cluster => colours.by_cluster(trace, request),
    }
}

/// While messages move, nodes show what they send, as links show what they carry, whatever else they could show.
fn at_moment(
    loads: &Loads<'_>,
    request: &ViewRequest,
    palette: &mut Vec<Rgba>,
    values: &[f64],
    largest: f64,
) -> NodeColours {
    let ramp = Ramp::add(palette, request.theme, Palette::Loads);
    let strength: Vec<f32> = values.iter().map(|value| share(*value, (0.0, largest)).unwrap_or(0.0)).collect();
    let of_node: Vec<ColourId> = strength.iter().map(|share| ramp.at(*share, Tone::Full)).collect();
    let placement = &loads.network.machine.placement;
    NodeColours {
        of_rank: (0..placement.ranks()).map(|rank| of_node[placement.node(rank).index()]).collect(),
        of_node,
        strength,
        is_plain: false,
        legend: Vec::new(),
        notes: Vec::new(),
    }
}

fn family_name(store: &Store, family: &Family, at: usize) -> String {
    let (first, comm) = family.members[at];
    match store.communicators.name.get(comm) {
        "" => format!("communicator of rank {}", grouped(first.into())),
        _ => communicator_name(store, heddle_model::CommId(comm as u32)),
    }
}

fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        let sign = if value < 0.0 { "−" } else { "" };
        format!("{sign}{}", grouped(value.abs() as u64))
    } else {
        format!("{value:.3}")
    }
}

struct Colouring<'a> {
    loads: &'a Loads<'a>,
    ramp: Ramp,
    nodes: u32,
    ranks: u32,
}

impl Colouring<'_> {
    /// Each node by a value, and ranks like their nodes.
    fn by_value(&self, values: &[f64], what: &str, text: impl Fn(f64) -> String) -> NodeColours {
        // Of those that ranks run on: switches carry what many nodes send.
        let hosts = self.loads.shape.hosts() as usize;
        let range = ends(&values[..hosts.min(values.len())]);
        let shares: Vec<f32> = values.iter().map(|value| share(*value, range).unwrap_or(0.0)).collect();
        let colour = |share: &f32| match share {
            share if share.is_nan() => self.ramp.missing(Tone::Full),
            share => self.ramp.at(*share, Tone::Full),
        };
        let of_node: Vec<ColourId> = shares.iter().map(colour).collect();
        let placement = &self.loads.network.machine.placement;
        let entry = |value: f64, share: f32, name: String| LegendEntry {
            colour: self.ramp.at(share, Tone::Full),
            name,
            value: text(value),
        };
        let mut legend =
            vec![entry(range.1, 1.0, format!("most {what}")), entry(range.0, 0.0, format!("least {what}"))];
        if shares.iter().take(hosts).any(|share| share.is_nan()) {
            let colour = self.ramp.missing(Tone::Full);
            legend.push(LegendEntry { colour, name: "not known".to_owned(), value: String::new() });
        }
        NodeColours {
            of_rank: (0..self.ranks).map(|rank| of_node[placement.node(rank).index()]).collect(),
            of_node,
            strength: shares,
            is_plain: false,
            legend,
            notes: Vec::new(),
        }
    }

    /// Each rank by itself, and nodes like their first rank.
    fn by_rank(
        &self,
        colour: impl Fn(u32) -> Option<ColourId>,
        mut legend: Vec<LegendEntry>,
        mut notes: Vec<String>,
    ) -> NodeColours {
        let placement = &self.loads.network.machine.placement;
        let missing = self.ramp.missing(Tone::Full);
        let of_rank: Vec<ColourId> = (0..self.ranks).map(|rank| colour(rank).unwrap_or(missing)).collect();
        let first = |node: u32| placement.ranks_of(Element(node)).first().copied();
        let of_node: Vec<ColourId> =
            (0..self.nodes).map(|node| first(node).map_or(missing, |rank| of_rank[rank as usize])).collect();
        if (0..self.loads.shape.hosts()).any(|node| first(node).is_none()) {
            legend.push(LegendEntry { colour: missing, name: "no rank".to_owned(), value: String::new() });
        }
        let mixed = (0..self.nodes).filter(|node| {
            let ranks = placement.ranks_of(Element(*node));
            ranks.iter().any(|rank| of_rank[*rank as usize] != of_rank[ranks[0] as usize])
        });
        let mixed = mixed.count() as u64;
        if mixed > 0 && self.loads.options.nodes.trim() != "rank" {
            notes.push(format!("{} nodes hold ranks of several colours: that of the first is shown.", grouped(mixed)));
        }
        NodeColours { of_node, of_rank, strength: vec![0.0; self.nodes as usize], is_plain: false, legend, notes }
    }

    fn by_group(&self, group: impl Fn(u32) -> Option<u32>, groups: u32, name: impl Fn(u32) -> String) -> NodeColours {
        let named = if groups as usize > MOST_NAMED { MOST_NAMED - 1 } else { MOST_NAMED };
        let colour = |at: u32| self.ramp.phase(at, Tone::Full);
        let entry = |at: u32| LegendEntry { colour: colour(at), name: name(at), value: String::new() };
        let mut legend: Vec<LegendEntry> = (0..groups).take(named).map(entry).collect();
        if groups as usize > legend.len() {
            let more = format!("… {} more", grouped((groups as usize - legend.len()) as u64));
            legend.push(LegendEntry { colour: colour(legend.len() as u32), name: more, value: String::new() });
        }
        self.by_rank(|rank| group(rank).map(colour), legend, Vec::new())
    }

    fn by_cluster(&self, trace: &Trace<'_>, request: &ViewRequest) -> NodeColours {
        let (Some(data), Some(clusters)) = (&trace.logical, &trace.clusters) else {
            return self.by_rank(|_| None, Vec::new(), vec!["There are no clusters.".to_owned()]);
        };
        let shown = shown_clusters(clusters, &request.options);
        let mut group: Vec<Option<u32>> = vec![None; self.ranks as usize];
        for (at, node) in (0..).zip(&shown) {
            for row in clusters.rows_of(*node) {
                let location = data.logical.rows.location.get(u64::from(row));
                let rank = trace.store.locations.rank.get(u64::from(location.0));
                if let Some(place) = rank.some().and_then(|rank| group.get_mut(rank.0 as usize)) {
                    *place = Some(at);
                }
            }
        }
        let name = |at: u32| {
            let size = clusters.size(shown[at as usize]);
            format!("cluster {}, {} ranks", shown[at as usize], grouped(size.into()))
        };
        self.by_group(|rank| group[rank as usize], shown.len() as u32, name)
    }
}
