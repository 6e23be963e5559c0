//! What is selected, in every picture.
//!
//! Views draw the calls, events and messages that they show themselves. The rest follows from the axes of a picture and is
//! done here, once: a function stands out everywhere; ranks are framed where there are rows of them; phases and stretches of
//! time lie between two lines where there is an axis of time or steps. What a picture cannot show, a note says.

use std::borrow::Cow;

use heddle_logical::Logical;
use heddle_model::{LocationId, Ns, Rank, RegionId, SpanRow};
use heddle_store::Store;
use heddle_topology::{Element, Topology};

use super::View;
use crate::analyses::{Trace, latest_of_call};
use crate::lookup::messages::messages_of;
use crate::request::rows::Rows;
use crate::request::selection::{Between, CallRange, Selection, SelectionKind};
use crate::request::window::{RankSet, Window};
use crate::request::{Framing, ViewRequest};
use crate::scene::frame::outline;
use crate::scene::{ColourId, Extent, Layer, Rect, RectMark, Rgba, Scene};

/// Width of the lines around what is selected.
const LINE: f32 = 2.0;

/// More stretches of ranks than these are not framed: the rest fades instead.
const MOST_FRAMES: usize = 8;
/// How much of it is covered, out of 255, and the width of the bars beside what is chosen.
const VEIL: u8 = 190;
const BAR: f32 = 4.0;

/// The regions of a name.
pub fn regions_named(store: &Store, name: &str) -> Vec<RegionId> {
    (0..store.regions.len())
        .filter(|row| store.regions.name.get(*row) == name)
        .map(|row| RegionId(row as u32))
        .collect()
}

/// The request in which a selected function stands out.
pub(super) fn with_function<'a>(store: &Store, request: &'a ViewRequest) -> Cow<'a, ViewRequest> {
    let Some(Selection::Function(name)) = &request.emphasis.selected else { return Cow::Borrowed(request) };
    let mut request = request.clone();
    request.emphasis.highlighted.extend(regions_named(store, name));
    Cow::Owned(request)
}

/// The main location of a rank.
pub(crate) fn main_location(store: &Store, rank: u32) -> Option<LocationId> {
    let is_main = |at: &u64| store.locations.rank.get(*at) == Rank(rank) && store.locations.is_main.get(*at) != 0;
    (0..store.locations.len()).find(is_main).map(|at| LocationId(at as u32))
}

/// The selected event of logical time.
pub(crate) fn selected_event(trace: &Trace<'_>, request: &ViewRequest) -> Option<u64> {
    let Some(Selection::Event { rank, step }) = request.emphasis.selected else { return None };
    event_at(trace.store, &trace.logical.as_ref()?.logical, rank, step)
}

/// The event of a rank at a step.
pub fn event_at(store: &Store, logical: &Logical, rank: u32, step: u32) -> Option<u64> {
    logical.event_at(logical.row_of_location(main_location(store, rank)?)?, step)
}

/// The selected message.
pub(crate) fn message_named(store: &Store, selected: &Selection) -> Option<u64> {
    let Selection::Message { sender, index } = selected else { return None };
    let span = sender.find(store)?;
    let location = store.locations.of_span(span);
    messages_of(store, span, location).filter(|(_, is_sent)| *is_sent).nth(*index as usize).map(|(message, _)| message)
}

/// The call that is selected: itself, or the call of the selected event.
pub(crate) fn selected_span(trace: &Trace<'_>, request: &ViewRequest) -> Option<SpanRow> {
    match request.emphasis.selected.as_ref()? {
        Selection::Span(name) => name.find(trace.store),
        Selection::Event { .. } => {
            let event = selected_event(trace, request)?;
            Some(trace.logical.as_ref()?.logical.events.span.get(event))
        }
        _ => None,
    }
}

/// Draws what is selected as far as the axes of the picture allow; says so where they do not.
pub(super) fn mark(view: View, trace: &Trace<'_>, request: &ViewRequest, scene: &mut Scene) {
    let Some(selected) = &request.emphasis.selected else { return };
    if request.framing == Framing::Strip {
        return;
    }
    let kind = selected.kind();
    let colours = request.colours(trace.store);
    // The window of steps is brushed over these sums, in the colour of selections.
    let colour = if view == View::Metric { colours.ink().strong } else { colours.accent() };
    let marks = match selected {
        _ if view.draws(kind) => match rank_without_row(trace, request) {
            Some(ranks) => framed_ranks(trace.store, request, &ranks, ALL_ACROSS, colour, scene),
            None => return,
        },
        Selection::Function(_) => return,
        Selection::Ranks(ranks) => framed_ranks(trace.store, request, ranks, ALL_ACROSS, colour, scene),
        Selection::Messages(Between { from, to, .. }) => {
            framed_ranks(trace.store, request, &from.and(to), ALL_ACROSS, colour, scene)
        }
        Selection::Calls(CallRange { ranks, .. }) => {
            framed_ranks(trace.store, request, ranks, ALL_ACROSS, colour, scene)
        }
        Selection::Area { time, ranks } => area(trace, request, (*time, ranks), colour, scene),
        Selection::Cluster(node) => cluster_ranks(trace, *node)
            .and_then(|ranks| framed_ranks(trace.store, request, &ranks, ALL_ACROSS, colour, scene)),
        Selection::Nodes(_) | Selection::Link(_) => machine_ranks(trace, selected)
            .and_then(|ranks| framed_ranks(trace.store, request, &ranks, ALL_ACROSS, colour, scene)),
        Selection::Phase(phase) => phase_ends(trace, *phase, scene).map(|ends| between(ends, colour, scene)),
        Selection::Window { time, .. } => window_ends(trace, *time, scene).map(|ends| between(ends, colour, scene)),
        Selection::Span(_) | Selection::Event { .. } => {
            call_ends(trace, request, scene).map(|ends| between(ends, colour, scene))
        }
        Selection::Message { .. } => None,
    };
    match marks {
        Some(marks) => scene.layers.push(Layer::Rects(marks)),
        None => scene.notes.push(format!("This view does not show the selected {}.", words(kind))),
    }
}

fn words(kind: SelectionKind) -> &'static str {
    match kind {
        SelectionKind::Span => "call",
        SelectionKind::Window => "stretch of time",
        SelectionKind::Area => "area of the timeline",
        SelectionKind::Nodes => "nodes of the machine",
        other => other.word(),
    }
}

/// The ranks of a cluster; none if there are no clusters, or not that one.
pub(crate) fn cluster_ranks(trace: &Trace<'_>, node: u32) -> Option<RankSet> {
    let (data, clusters) = (trace.logical.as_ref()?, trace.clusters.as_ref()?);
    if node >= clusters.tree().nodes() {
        return None;
    }
    let rank = |row: u32| {
        let location = data.logical.rows.location.get(u64::from(row));
        trace.store.locations.rank.get(u64::from(location.0)).some().map(|rank| rank.0)
    };
    Some(clusters.rows_of(node).into_iter().filter_map(rank).collect())
}

/// The ranks on the selected nodes, or at the ends of the selected link; none if there is no machine.
pub(crate) fn machine_ranks(trace: &Trace<'_>, selected: &Selection) -> Option<RankSet> {
    let machine = &trace.network.as_ref()?.machine;
    let nodes = selected_nodes(&**machine.shape, selected)?;
    Some(
        nodes
            .into_iter()
            .filter(|node| node.0 < machine.shape.hosts())
            .flat_map(|node| machine.placement.ranks_of(node))
            .copied()
            .collect(),
    )
}

/// The selected elements of a machine, or the ends of the selected link.
pub(crate) fn selected_nodes(topology: &dyn Topology, selected: &Selection) -> Option<Vec<Element>> {
    match selected {
        Selection::Nodes(set) => {
            let all = (0..topology.elements()).map(Element);
            Some(all.filter(|element| set.contains(&topology.address(*element))).collect())
        }
        Selection::Link(link) => {
            let (from, to) = topology.ends(link.find(topology)?);
            Some(vec![from, to])
        }
        _ => None,
    }
}

/// The rank of the selected call where another one is shown in its row: then all that can be marked is the row.
fn rank_without_row(trace: &Trace<'_>, request: &ViewRequest) -> Option<RankSet> {
    let arranged = request.window.arranged.as_ref()?;
    let location = trace.store.locations.of_span(selected_span(trace, request)?);
    let is_without = arranged.row_for(location).is_some() && arranged.row_of(location).is_none();
    let rank = trace.store.locations.rank.get(u64::from(location.0));
    is_without.then(|| [if rank.is_some() { rank.0 } else { location.0 }].into_iter().collect())
}

/// Ranks during a stretch of time: a frame around both, or around what of them the picture has an axis for.
fn area(
    trace: &Trace<'_>,
    request: &ViewRequest,
    (time, ranks): ((Ns, Ns), &RankSet),
    colour: ColourId,
    scene: &mut Scene,
) -> Option<Vec<RectMark>> {
    let Some(ends) = window_ends(trace, time, scene) else {
        return framed_ranks(trace.store, request, ranks, ALL_ACROSS, colour, scene);
    };
    if !matches!(scene.y_axis.extent, Extent::Rows(..)) {
        return Some(between(ends, colour, scene));
    }
    let is_in_sight = ends.0 < 1.0 && ends.1 > 0.0;
    let across = (ends.0.clamp(0.0, 1.0), ends.1.clamp(0.0, 1.0));
    if is_in_sight { framed_ranks(trace.store, request, ranks, across, colour, scene) } else { Some(Vec::new()) }
}

/// From the left edge of the plot to the right one.
const ALL_ACROSS: (f64, f64) = (0.0, 1.0);

/// Frames around the rows, and columns, of ranks; `across` some of the width. None if the picture has no rows.
fn framed_ranks(
    store: &Store,
    request: &ViewRequest,
    ranks: &RankSet,
    across: (f64, f64),
    colour: ColourId,
    scene: &mut Scene,
) -> Option<Vec<RectMark>> {
    let is_chosen = |rank: Rank, location: LocationId| ranks.contains(if rank.is_some() { rank.0 } else { location.0 });
    let plot = scene.plot;
    let Extent::Rows(..) = scene.y_axis.extent else { return None };
    let is_main = matches!(scene.x_axis.extent, Extent::Steps(..));
    let window = Window { main_only: request.window.main_only || is_main, ..request.window.clone() };
    let rows = Rows::of(store, &window);
    let mut marks = Vec::new();
    let stretches = rows.stretches(store, is_chosen);
    if stretches.len() > MOST_FRAMES {
        let is_chosen = |at: &LocationId| is_chosen(store.locations.rank.get(u64::from(at.0)), *at);
        marks.extend(veiled(&rows, is_chosen, colour, scene));
        if across != ALL_ACROSS {
            marks.extend(between(across, colour, scene));
        }
    } else {
        let [left, right] = [across.0, across.1].map(|share| (share * f64::from(plot.width)) as f32);
        for stretch in stretches {
            let [from, to] = [stretch.start, stretch.end].map(|row| plot.height * rows.edge(row as f32));
            let rect = Rect { x: plot.x + left, y: plot.y + from, width: right - left, height: to - from };
            marks.extend(outline(rect, colour));
        }
    }
    if let Extent::Columns(from, to, _) = scene.x_axis.extent {
        let columns = Rows::columns_of(store, &window);
        let each = plot.width / (to - from).max(1) as f32;
        for stretch in columns.stretches(store, is_chosen) {
            let (x, width) = (plot.x + stretch.start as f32 * each, stretch.len() as f32 * each);
            marks.extend(outline(Rect { x, y: plot.y, width, height: plot.height }, colour));
        }
    }
    Some(marks)
}

/// A veil over all rows but those of chosen ranks, which have a bar at their left: frames around many would hide them.
fn veiled(rows: &Rows, is_chosen: impl Fn(&LocationId) -> bool, colour: ColourId, scene: &mut Scene) -> Vec<RectMark> {
    let plot = scene.plot;
    let veil = ColourId(scene.palette.len() as u16);
    let Rgba(red, green, blue, _) = scene.palette[usize::from(scene.background.0)];
    scene.palette.push(Rgba(red, green, blue, VEIL));
    let bands = rows.bands(plot.height);
    let height = plot.height / bands as f32;
    let mark = |rect: Rect, colour: ColourId| RectMark { rect, colour, span: SpanRow::NONE };
    let of_band = |band: u32| {
        let y = plot.y + band as f32 * height;
        // A rank alone among many on one pixel is still seen.
        if rows.band(band, bands).iter().any(&is_chosen) {
            mark(Rect { x: plot.x, y, width: BAR, height }, colour)
        } else {
            mark(Rect { x: plot.x, y, width: plot.width, height }, veil)
        }
    };
    let mut marks: Vec<RectMark> = Vec::new();
    for next in (0..bands).map(of_band) {
        match marks.last_mut() {
            Some(last) if last.colour == next.colour => last.rect.height = next.rect.y + height - last.rect.y,
            _ => marks.push(next),
        }
    }
    marks
}

/// Where a phase begins and ends along the picture, as shares of its width.
fn phase_ends(trace: &Trace<'_>, phase: u32, scene: &Scene) -> Option<(f64, f64)> {
    let logical = &trace.logical.as_ref()?.logical;
    let row = u64::from(phase);
    if row >= logical.phases.len() {
        return None;
    }
    match scene.x_axis.extent {
        Extent::Time(from, to) => {
            Some(time_ends((logical.phases.first.get(row), logical.phases.last.get(row)), (from, to)))
        }
        Extent::Steps(from, to, _) => {
            let at = |step: u32| (f64::from(step) - from) / (to - from);
            Some((at(logical.phases.first_step.get(row)), at(logical.phases.last_step.get(row) + 1)))
        }
        _ => None,
    }
}

/// The same for a stretch of time.
fn window_ends(trace: &Trace<'_>, time: (Ns, Ns), scene: &Scene) -> Option<(f64, f64)> {
    match scene.x_axis.extent {
        Extent::Time(from, to) => Some(time_ends(time, (from, to))),
        Extent::Steps(from, to, _) => {
            let steps = trace.logical.as_ref()?.logical.step_map().steps_of(time);
            Some(((steps.0 - from) / (to - from), (steps.1 - from) / (to - from)))
        }
        _ => None,
    }
}

/// The same for a call, or for the step of an event.
fn call_ends(trace: &Trace<'_>, request: &ViewRequest, scene: &Scene) -> Option<(f64, f64)> {
    let span = selected_span(trace, request)?;
    match scene.x_axis.extent {
        Extent::Time(from, to) => {
            let spans = &trace.store.spans;
            Some(time_ends((spans.start.get(span.0), spans.end.get(span.0)), (from, to)))
        }
        Extent::Steps(from, to, _) => {
            let logical = &trace.logical.as_ref()?.logical;
            let event = selected_event(trace, request).or_else(|| latest_of_call(trace.store, logical, span))?;
            let step = f64::from(logical.events.step.get(event));
            Some(((step - from) / (to - from), (step + 1.0 - from) / (to - from)))
        }
        _ => None,
    }
}

fn time_ends(ends: (Ns, Ns), window: (Ns, Ns)) -> (f64, f64) {
    let at = |time: Ns| time.since(window.0) as f64 / window.1.since(window.0).max(1) as f64;
    (at(ends.0), at(ends.1))
}

/// Lines at two places, those of them that are in sight.
fn between((from, to): (f64, f64), colour: ColourId, scene: &Scene) -> Vec<RectMark> {
    let plot = scene.plot;
    let line = |share: f64, beside: f32| {
        let x = plot.x + (share * f64::from(plot.width)) as f32 + beside;
        RectMark { rect: Rect { x, y: plot.y, width: LINE, height: plot.height }, colour, span: SpanRow::NONE }
    };
    let is_in_sight = |share: &f64| (0.0..=1.0).contains(share);
    let mut marks: Vec<RectMark> = Some(from).filter(is_in_sight).map(|share| line(share, -LINE)).into_iter().collect();
    marks.extend(Some(to).filter(is_in_sight).map(|share| line(share, 0.0)));
    marks
}
