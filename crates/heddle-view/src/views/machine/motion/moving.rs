//! The messages in flight from a moment on, with their ways through a picture.

use heddle_model::Ns;
use heddle_network::motion::{Listed, MOST_IN_FLIGHT, MOST_LISTED, Moving as Message};
use heddle_topology::{Element, Link};

use super::colours::Colouring;
use super::ways::{Way, Ways};
use super::{Moment, only_activity};
use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::request::names::SpanName;
use crate::request::selection::Selection;
use crate::scene::Rgba;
use crate::scene::ramp::{Palette, Ramp};
use crate::views::selected::message_named;

/// The messages in flight in a stretch of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Moving {
    /// From when on.
    pub from: Ns,
    /// All that are in flight before this are among them.
    pub until: Ns,
    /// How many are in flight at the first moment.
    pub in_flight: u64,
    /// Said instead of messages where there are too many to be told apart.
    pub note: Option<String>,
    /// Those that are seen, by their start.
    pub messages: Vec<MovingMessage>,
    /// Points of their ways: x, y, z, and the share of its time at which a message is there. What is no number is a break.
    pub points: Vec<[f32; 4]>,
    /// The selected message, if there is one.
    pub selected: Option<u64>,
    /// Its way, in flight or not: the first of its points, and how many.
    pub selected_way: (u32, u32),
    /// The radius of a dot.
    pub dot: f32,
    /// What colours mean, with those of the scale, and its ends in words.
    pub title: String,
    /// Colours of the scale.
    pub colours: Vec<Rgba>,
    /// Its ends.
    pub ends: [String; 2],
}

/// A message with its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingMessage {
    /// Its row in the messages table.
    pub row: u64,
    /// When it was sent.
    pub start: Ns,
    /// When it had arrived.
    pub end: Ns,
    /// Its place on the scale of colours, from 0 to 1.
    pub share: f32,
    /// Its first point.
    pub first: u32,
    /// How many points it has.
    pub points: u32,
}

/// The messages in flight from a moment on; none if they are too many, or the view has no ways.
pub(crate) fn moving_of(trace: &Trace<'_>, request: &ViewRequest, ways: &dyn Ways, from: Ns) -> Option<Moving> {
    let moment = Moment::with(trace, trace.network.as_ref()?, request, request.options.checked());
    let listed = moment.listed(trace, from, MOST_LISTED);
    let ranks = moment.network.machine.placement.ranks();
    let colouring = Colouring::new(moment.options.messages_by, &moment.motion, ranks);
    let is_too_much = listed.in_flight > MOST_IN_FLIGHT as u64;
    let mut moving = Moving {
        from,
        until: listed.until,
        in_flight: listed.in_flight,
        note: is_too_much.then(|| only_activity(listed.in_flight)),
        messages: Vec::new(),
        points: Vec::new(),
        selected: request.emphasis.selected.as_ref().and_then(|selected| message_named(trace.store, selected)),
        selected_way: (0, 0),
        dot: ways.dot(),
        title: colouring.title(),
        colours: {
            let mut palette = Vec::new();
            let ramp = Ramp::add(&mut palette, request.theme, Palette::Diverging);
            Colouring::scale(ramp).into_iter().map(|colour| palette[usize::from(colour.0)]).collect()
        },
        ends: colouring.texts(),
    };
    for message in listed.messages.iter().filter(|_| !is_too_much) {
        let first = moving.points.len() as u32;
        moving.points.extend(moment.way(&listed, message, ways).points);
        let points = moving.points.len() as u32 - first;
        let share = colouring.share(message);
        moving.messages.push(MovingMessage {
            row: message.row,
            start: message.start,
            end: message.end,
            share,
            first,
            points,
        });
    }
    if let Some((from, path)) = selected_path(trace, request) {
        let mut way = Way::default();
        ways.way(from, &path, &mut way);
        moving.selected_way = (moving.points.len() as u32, way.points.len() as u32);
        moving.points.extend(way.points);
    }
    Some(moving)
}

impl Moment<'_> {
    pub(super) fn listed(&self, trace: &Trace<'_>, from: Ns, most: usize) -> Listed {
        self.network.moving(trace.store, &self.counting.part, self.counting.tests(), from, most)
    }

    pub(super) fn way(&self, listed: &Listed, message: &Message, ways: &dyn Ways) -> Way {
        let mut way = Way::default();
        ways.way(self.network.machine.placement.node(message.from), listed.path(message), &mut way);
        way
    }
}

/// The node that the selected message leaves, and the links that it takes.
pub(crate) fn selected_path(trace: &Trace<'_>, request: &ViewRequest) -> Option<(Element, Vec<Link>)> {
    let (network, row) = (trace.network.as_ref()?, message_named(trace.store, request.emphasis.selected.as_ref()?)?);
    let messages = &trace.store.messages;
    let rank = |location: heddle_model::LocationId| trace.store.locations.rank.get(u64::from(location.0)).0;
    let placement = &network.machine.placement;
    let node = |rank: u32| (rank < placement.ranks()).then(|| placement.node(rank));
    let from = node(rank(messages.send_location.get(row)))?;
    let to = node(rank(messages.recv_location.get(row)))?;
    let path = network.routing().path(from, to, row);
    (!path.is_empty()).then_some((from, path))
}

/// The selection of a message by its row; none if the trace does not have it, or does not say which call sent it.
pub fn name_of_message(store: &heddle_store::Store, row: u64) -> Option<Selection> {
    let messages = &store.messages;
    let call = (row < messages.len()).then(|| messages.send_span.get(row)).filter(|call| call.is_some())?;
    let location = messages.send_location.get(row);
    // Messages of a call lie close together, in the order in which they were sent.
    let start = store.spans.start.get(call.0);
    let before = (0..row)
        .rev()
        .take_while(|before| messages.send_location.get(*before) == location && messages.send.get(*before) >= start);
    let index = before.filter(|before| messages.send_span.get(*before) == call).count() as u32;
    Some(Selection::Message { sender: SpanName::of(store, call), index })
}
