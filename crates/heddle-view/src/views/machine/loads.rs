//! What the views of a machine share: the traffic that is asked for, what each cable shows of it, and its colours.

use std::sync::Arc;

use heddle_logical::LogicalOptions;
use heddle_model::{Ns, SpanRow};
use heddle_network::{Known, Network, Origin, Part, Tests, Traffic, Unit, Utilisation};
use heddle_topology::{Element, Link, Shape};

use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::request::selection::Selection;
use crate::request::window::RankSet;
use crate::scene::ColourBar;
use crate::scene::ramp::Ramp;
use crate::scene::ticks::{bytes_text, counted, grouped};
use crate::views::selected::{cluster_ranks, machine_ranks};

use super::motion::Moment;
use super::options::{CableValue, MachineOptions};

/// The traffic of a picture, ready to be drawn.
pub(crate) struct Loads<'a> {
    pub(crate) network: &'a Network,
    pub(crate) shape: &'a Shape,
    pub(crate) traffic: Arc<Traffic>,
    pub(crate) options: MachineOptions,
    /// What each link carried in the sections that are wanted; not a number where that is not known.
    pub(crate) links: Vec<f64>,
    /// What each cable shows.
    pub(crate) cables: Vec<f64>,
    /// Ends of the colour scale.
    pub(crate) range: (f64, f64),
    /// Ends of the values.
    pub(crate) full: (f64, f64),
    /// What was left out or assumed.
    pub(crate) notes: Vec<String>,
    /// What loads are of, behind their unit, and the part of the window, where that is a moment.
    moment: Option<(String, (Ns, Ns))>,
    /// What nodes and switches do at that moment, and the most of it in the window.
    pub(crate) at_moment: Option<(Vec<f64>, f64)>,
}

impl<'a> Loads<'a> {
    /// The loads that a request asks for; none if there is no machine.
    pub(crate) fn of(trace: &'a Trace<'_>, request: &ViewRequest) -> Option<Loads<'a>> {
        Some(Loads::on(trace, trace.network.as_ref()?, request))
    }

    /// The same on a machine with another mapping.
    pub(crate) fn on(trace: &Trace<'_>, network: &'a Network, request: &ViewRequest) -> Loads<'a> {
        let shape = &*network.machine.shape;
        let options: MachineOptions = request.options.checked();
        let (traffic, mut notes) = traffic(trace, network, request, &options);
        let wanted = network.options().wanted_sections();
        let moment = Moment::of(trace, network, request);
        let links = match &moment {
            Some(moment) => moment.links(),
            None => traffic.loads(&**shape, |at| wanted.as_ref().is_none_or(|wanted| wanted.contains(&at))),
        };
        let cables = cable_values(&links, options.direction);
        // Of moments, the scale is that of the whole window: what moves is what is shown, not the scale.
        let full = match &moment {
            Some(moment) => (0.0, moment.largest(|plus, minus| options.direction.of(plus, minus))),
            None => ends(&cables),
        };
        let range = options.loads.map_or(full, |range| (range.low, range.high));
        if network.machine.known == Known::Assumed {
            notes.push("The shape of the machine is assumed: neither the trace nor --topology says it.".to_owned());
        }
        notes.extend(traffic.notes.iter().cloned());
        let at_moment = moment.as_ref().map(Moment::elements);
        let moment = moment.map(|moment| (moment.words(), moment.span()));
        Loads { network, shape, traffic, options, links, cables, range, full, notes, moment, at_moment }
    }

    /// How much of what they could carry links and switches did carry.
    pub(crate) fn utilisation(&self, trace: &Trace<'_>, request: &ViewRequest) -> Utilisation {
        let mut counting = Counting::new(trace, request, &self.options);
        // Of a moment, what could have been carried in its part of the window.
        if let Some((_, time)) = &self.moment {
            counting.part.time = *time;
        }
        self.network.utilisation(trace.store, &counting.part, &self.traffic, &self.links)
    }

    /// How much a cable stands out: none if it is not drawn, not a number if nobody knows what it carried.
    pub(crate) fn share(&self, value: f64) -> Option<f32> {
        share(value, self.range)
    }

    /// A load in words.
    pub(crate) fn text(&self, value: f64) -> String {
        load_text(&self.traffic.unit, value)
    }

    /// The same where it may not be known.
    pub(crate) fn text_or_unknown(&self, value: f64) -> String {
        if value.is_nan() { "not known".to_owned() } else { self.text(value) }
    }

    /// What colours mean, with the kind of traffic: the three must not be taken for each other.
    pub(crate) fn bar(&self, ramp: Ramp) -> ColourBar {
        self.bar_of(ramp, self.range)
    }

    /// The same of another range.
    pub(crate) fn bar_of(&self, ramp: Ramp, range: (f64, f64)) -> ColourBar {
        ColourBar {
            title: match &self.moment {
                Some((moment, _)) => {
                    format!("bytes {}, {moment}", self.options.direction.words(self.shape.torus().is_some()))
                }
                None => format!(
                    "{} {}, {}",
                    self.unit(),
                    self.options.direction.words(self.shape.torus().is_some()),
                    self.traffic.origin.name()
                ),
            },
            colours: ramp.scale(),
            from: (range.0, self.text(range.0)),
            to: (range.1, self.text(range.1)),
        }
    }

    /// What is counted.
    pub(crate) fn unit(&self) -> &str {
        match &self.traffic.unit {
            Unit::Bytes => "bytes",
            Unit::Counter(name) => name,
        }
    }

    /// What the picture is of: `8×8×8 torus, ranks by TXYZ, predicted traffic`.
    pub(crate) fn title(&self) -> String {
        let mapping = &self.network.machine.mapping;
        let mapping = match (self.traffic.origin, mapping.as_str()) {
            (Origin::Predicted, "as in the trace") => ", ranks as in the trace".to_owned(),
            (Origin::Predicted, mapping) => format!(", ranks by {mapping}"),
            _ => String::new(),
        };
        format!("{}{mapping}, {} traffic", self.machine(), self.traffic.origin.name())
    }

    /// The same without where ranks sit.
    pub(crate) fn title_without_mapping(&self) -> String {
        format!("{}, {} traffic", self.machine(), self.traffic.origin.name())
    }

    /// What the machine is called: `8×8×8 torus`.
    pub(crate) fn machine(&self) -> String {
        match self.shape {
            Shape::Torus(torus) => {
                let kind = if torus.dimensions().iter().any(|dimension| dimension.wraps) { "torus" } else { "mesh" };
                format!("{} {kind}", torus.sizes().replace('x', "×"))
            }
            other => other.to_string(),
        }
    }

    /// What nodes send and receive over links, by element.
    pub(crate) fn of_nodes(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.shape.elements() as usize];
        for (at, load) in self.links.iter().enumerate().filter(|(_, load)| !load.is_nan()) {
            let (from, to) = self.shape.ends(Link(at as u32));
            sums[from.index()] += load;
            sums[to.index()] += load;
        }
        sums
    }

    /// Nodes that are selected, in whatever way; none if no nodes are.
    pub(crate) fn selected(&self, trace: &Trace<'_>, request: &ViewRequest) -> Option<Vec<bool>> {
        let selected = request.emphasis.selected.as_ref()?;
        let nodes: Vec<Element> = if matches!(selected, Selection::Nodes(_)) {
            crate::views::selected::selected_nodes(&**self.shape, selected)?
        } else {
            let ranks = ranks_of(trace, selected)?;
            let placement = &self.network.machine.placement;
            (0..placement.ranks()).filter(|rank| ranks.contains(*rank)).map(|rank| placement.node(rank)).collect()
        };
        let mut is_selected = vec![false; self.shape.elements() as usize];
        for node in nodes {
            is_selected[node.index()] = true;
        }
        Some(is_selected)
    }
}

/// The ranks that a selection is of; none if it is of none.
pub(crate) fn ranks_of(trace: &Trace<'_>, selected: &Selection) -> Option<RankSet> {
    match selected {
        Selection::Ranks(ranks) => Some(ranks.clone()),
        Selection::Cluster(node) => cluster_ranks(trace, *node),
        Selection::Event { rank, .. } => Some([*rank].into_iter().collect()),
        Selection::Span(name) => {
            let location = trace.store.locations.of_span(name.find(trace.store)?);
            let rank = trace.store.locations.rank.get(u64::from(location.0));
            rank.is_some().then(|| [rank.0].into_iter().collect())
        }
        _ => None,
    }
}

/// Which part of the trace counts, and how to find out what belongs to it.
pub(crate) struct Counting<'a> {
    /// The window, or the selected phase, or only what selected ranks send.
    pub(crate) part: Part,
    call: Option<Box<dyn Fn(SpanRow) -> bool + Sync + 'a>>,
    rank: Option<Box<dyn Fn(u32) -> bool + Sync + 'a>>,
}

impl<'a> Counting<'a> {
    pub(crate) fn new(trace: &'a Trace<'_>, request: &ViewRequest, options: &MachineOptions) -> Counting<'a> {
        const ALWAYS: (Ns, Ns) = (Ns(i64::MIN), Ns(i64::MAX));
        let selected = request.emphasis.selected.as_ref();
        if let (Some(Selection::Phase(phase)), Some(data)) = (selected, &trace.logical) {
            let (store, logical, phase) = (trace.store, &data.logical, *phase);
            let key = request.options.checked::<LogicalOptions>().to_query();
            // A phase has a time of its own.
            let part = Part { phase: Some((phase, key)), ..Part::of_time(ALWAYS) };
            let is_of_phase = move |span: SpanRow| {
                logical.events_of_span(store, span).any(|event| logical.events.phase.get(event) == phase)
            };
            return Counting { part, call: Some(Box::new(is_of_phase)), rank: None };
        }
        let ranks = selected
            .filter(|_| options.only_selected)
            .and_then(|selected| ranks_of(trace, selected).or_else(|| machine_ranks(trace, selected)));
        // The whole run holds its last moment too.
        let mut part = Part::of_time(request.window.time.unwrap_or(ALWAYS));
        part.ranks = ranks.as_ref().map(RankSet::to_string);
        let rank =
            ranks.map(|ranks| Box::new(move |rank: u32| ranks.contains(rank)) as Box<dyn Fn(u32) -> bool + Sync>);
        Counting { part, call: None, rank }
    }

    pub(crate) fn tests(&self) -> Tests<'_> {
        Tests { call: self.call.as_deref(), rank: self.rank.as_deref() }
    }
}

fn traffic(
    trace: &Trace<'_>,
    network: &Network,
    request: &ViewRequest,
    options: &MachineOptions,
) -> (Arc<Traffic>, Vec<String>) {
    let counting = Counting::new(trace, request, options);
    let mut notes = Vec::new();
    if let Some((phase, _)) = &counting.part.phase {
        notes.push(format!("Only what phase {} sends.", grouped((*phase).into())));
    }
    if counting.part.ranks.is_some() {
        notes.push("Only what the selected ranks send.".to_owned());
    }
    (network.traffic(trace.store, &counting.part, counting.tests()), notes)
}

/// What each cable shows of its two directions.
pub(crate) fn cable_values(links: &[f64], direction: CableValue) -> Vec<f64> {
    links.chunks_exact(2).map(|pair| direction.of(pair[0], pair[1])).collect()
}

/// The least and the largest of those that are known.
pub(crate) fn ends(values: &[f64]) -> (f64, f64) {
    let known = values.iter().filter(|value| !value.is_nan());
    let ends = known.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)));
    if ends.0 > ends.1 { (0.0, 0.0) } else { ends }
}

/// Where a value lies on a colour scale: none below it, the end of it above; not a number for what is not known.
pub(crate) fn share(value: f64, (low, high): (f64, f64)) -> Option<f32> {
    if value.is_nan() {
        return Some(f32::NAN);
    }
    if value < low {
        return None;
    }
    Some(if high > low {
        ((value - low) / (high - low)).clamp(0.0, 1.0) as f32
    } else if high > 0.0 {
        1.0
    } else {
        0.0
    })
}

/// A load in words.
pub fn load_text(unit: &Unit, value: f64) -> String {
    match unit {
        Unit::Bytes => bytes_text(value.round().max(0.0) as u64),
        Unit::Counter(name) if value.fract() == 0.0 => counted_text(value as u64, name),
        Unit::Counter(name) if value > 0.0 => {
            let tenths = (value * 10.0).round() as u64;
            format!("{}.{} {name}", grouped(tenths / 10), tenths % 10)
        }
        Unit::Counter(name) => format!("{value:.1} {name}"),
    }
}

fn counted_text(value: u64, name: &str) -> String {
    match name.strip_suffix('s') {
        Some(one) => counted(value, one),
        None => format!("{} {name}", grouped(value)),
    }
}
