//! Ways of selected messages through a tree. Where they lead through a picture, [`Stage::way`](super::stage::Stage::way) says.

use heddle_network::Network;
use heddle_topology::{Element, Link, Topology};

use super::solids::{WAY, way_above};
use super::stage::Stages;
use super::told::block_elements;
use crate::analyses::Trace;
use crate::lookup::messages::messages_of;
use crate::request::ViewRequest;
use crate::request::selection::Selection;
use crate::views::machine::motion::{PlaneMarks, Way as MovingWay, Ways};
use crate::views::selected::{message_named, selected_span};

/// Messages of a call whose ways are drawn.
const MOST: usize = 16;

/// The way of a message.
pub(crate) struct Way {
    /// The links that it takes, as the model of routing has it.
    pub(crate) path: Vec<Link>,
}

/// The ways of the selected message, or of those of the selected call or event.
pub(crate) fn selected_ways(trace: &Trace<'_>, request: &ViewRequest) -> Vec<Way> {
    let (Some(network), Some(selected)) = (&trace.network, request.emphasis.selected.as_ref()) else {
        return Vec::new();
    };
    let store = trace.store;
    let messages: Vec<u64> = match selected {
        Selection::Message { .. } => message_named(store, selected).into_iter().collect(),
        _ => selected_span(trace, request).map_or(Vec::new(), |span| {
            messages_of(store, span, store.locations.of_span(span)).map(|(row, _)| row).take(MOST).collect()
        }),
    };
    let way = |message: u64| Some(Way { path: path_of(trace, network, message)? });
    messages.into_iter().filter_map(way).filter(|way| !way.path.is_empty()).collect()
}

/// The links of a message; none if a rank of it is not on the machine.
pub(crate) fn path_of(trace: &Trace<'_>, network: &Network, message: u64) -> Option<Vec<Link>> {
    let placement = &network.machine.placement;
    let node = |location: heddle_model::LocationId| {
        let rank = trace.store.locations.rank.get(u64::from(location.0));
        (rank.0 < placement.ranks()).then(|| placement.node(rank.0))
    };
    let messages = &trace.store.messages;
    let (from, to) = (node(messages.send_location.get(message))?, node(messages.recv_location.get(message))?);
    // The same message takes the same way whenever it is drawn.
    Some(network.routing().path(from, to, message))
}

/// Where messages travel: through all representations that stand side by side at once.
struct TreeWays<'a> {
    stages: Stages<'a>,
}

/// The ways of the picture that a request asks for.
pub(crate) fn ways<'a>(trace: &'a Trace<'_>, request: &ViewRequest) -> Option<Box<dyn Ways + 'a>> {
    let tree = trace.network.as_ref()?.machine.shape.fat_tree()?;
    Some(Box::new(TreeWays { stages: Stages::of(tree, request, super::aspect(request)).ok()? }))
}

impl Ways for TreeWays<'_> {
    fn way(&self, _from: Element, path: &[Link], way: &mut MovingWay) {
        let is_shown = |link: &Link| {
            let (from, to) = self.stages.tree.ends(*link);
            self.stages.has(from) && self.stages.has(to)
        };
        let count = path.len() as f64;
        for stage in &self.stages.all {
            let mut passed = 0;
            // In the picture of a pod, what leaves the pod is out of sight.
            for stretch in path.chunk_by(|one, next| is_shown(one) == is_shown(next)) {
                let (since, until) = (passed as f64 / count, (passed + stretch.len()) as f64 / count);
                passed += stretch.len();
                if !is_shown(&stretch[0]) {
                    continue;
                }
                let points = way_above(&self.stages, stage, stretch);
                let last = points.len().saturating_sub(1).max(1) as f64;
                way.cut(since);
                for (at, point) in points.into_iter().enumerate() {
                    way.to(point, since + (until - since) * at as f64 / last);
                }
            }
        }
    }

    fn dot(&self) -> f32 {
        3.0 * WAY
    }

    fn marks(&self) -> Option<PlaneMarks> {
        None
    }

    fn draws_selected(&self) -> bool {
        true
    }

    fn blocks(&self) -> Vec<Vec<Element>> {
        let blocks = self.stages.all.iter().find(|stage| !stage.blocks.is_empty());
        blocks.map_or_else(Vec::new, |stage| stage.blocks.iter().map(|of| block_elements(&self.stages, of)).collect())
    }
}
