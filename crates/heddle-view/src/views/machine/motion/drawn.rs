//! Messages of a moment in a picture: dots and pipes, and the way of the selected one.

use heddle_network::motion::MOST_IN_FLIGHT;

use super::colours::Colouring;
use super::moving::selected_path;
use super::ways::{Way, Ways};
use super::{Moment, MotionKind};
use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::scene::ramp::{Palette, Ramp};
use crate::scene::space::{Group, Point3, Scene3, Solids, SphereMark, Subject, TubeMark};
use crate::scene::{ColourId, Extent, Layer, Scene, SegmentMark};

/// Pipes, and the way of the selected message, are thinner than dots.
const PIPE: f32 = 0.55;
const SELECTED: f32 = 0.4;
/// Pixels of a dot on a plane, from its middle.
const DOT_PIXELS: std::ops::RangeInclusive<f32> = 2.2..=6.0;

/// What there is to draw, wherever.
struct Marks {
    /// The way of the selected message, in pieces.
    selected: Vec<(Point3, Point3)>,
    dots: Vec<(Point3, ColourId, u64)>,
    pipes: Vec<(Point3, Point3, ColourId, u64)>,
}

fn marks(trace: &Trace<'_>, request: &ViewRequest, ways: &dyn Ways, flat: &mut Scene) -> Marks {
    let mut marks = Marks { selected: Vec::new(), dots: Vec::new(), pipes: Vec::new() };
    let selected = if ways.draws_selected() { None } else { selected_path(trace, request) };
    if let Some((from, path)) = selected {
        let mut way = Way::default();
        ways.way(from, &path, &mut way);
        marks.selected.extend(way.passed(1.0));
    }
    let moment = trace.network.as_ref().and_then(|network| Moment::of(trace, network, request));
    let Some(moment) = moment else { return marks };
    let listed = moment.listed(trace, moment.at, MOST_IN_FLIGHT);
    flat.notes.splice(0..0, moment.notes(listed.in_flight));
    if listed.in_flight > MOST_IN_FLIGHT as u64 {
        return marks;
    }
    let ramp = Ramp::add(&mut flat.palette, request.theme, Palette::Diverging);
    let ranks = moment.network.machine.placement.ranks();
    let colouring = Colouring::new(moment.options.messages_by, &moment.motion, ranks);
    for message in listed.messages.iter().filter(|message| message.start <= moment.at && moment.at < message.end) {
        let way = moment.way(&listed, message, ways);
        let took = message.end.since(message.start) as f32;
        let share = moment.at.since(message.start) as f32 / took;
        let colour = Colouring::colour(ramp, colouring.share(message));
        if moment.options.motion == MotionKind::Pipes {
            marks.pipes.extend(way.passed(share).map(|(from, to)| (from, to, colour, message.row)));
        }
        marks.dots.extend(way.places(share).map(|place| (place, colour, message.row)));
    }
    flat.notes.insert(1, format!("Colours of messages: {}.", colouring.title()));
    flat.legend.extend(colouring.legend(ramp));
    marks
}

/// Adds messages to a picture in space.
pub(crate) fn add_to_space(trace: &Trace<'_>, request: &ViewRequest, ways: &dyn Ways, scene: &mut Scene3) {
    let accent = request.colours(trace.store).accent();
    let Marks { selected, dots, pipes } = marks(trace, request, ways, &mut scene.flat);
    let radius = ways.dot();
    let mut tubes: Vec<TubeMark> = selected
        .into_iter()
        .map(|(from, to)| TubeMark { from, to, radius: radius * SELECTED, colour: accent, id: u32::MAX })
        .collect();
    tubes.extend(pipes.into_iter().map(|(from, to, colour, row)| TubeMark {
        from,
        to,
        radius: radius * PIPE,
        colour,
        id: row as u32,
    }));
    let spheres: Vec<SphereMark> =
        dots.into_iter().map(|(centre, colour, row)| SphereMark { centre, radius, colour, id: row as u32 }).collect();
    for solids in [Solids::Tubes(tubes), Solids::Spheres(spheres)] {
        if !solids.is_empty() {
            scene.groups.push(Group { of: Subject::Message, solids });
        }
    }
}

/// Adds messages to a picture on a plane.
pub(crate) fn add_to_plane(trace: &Trace<'_>, request: &ViewRequest, ways: &dyn Ways, scene: &mut Scene) {
    let colours = request.colours(trace.store);
    let Marks { selected, dots, pipes } = marks(trace, request, ways, scene);
    let Some(plane) = PlaneScale::of(scene) else { return };
    let reach = (ways.dot() * plane.scale).clamp(*DOT_PIXELS.start(), *DOT_PIXELS.end());
    let line = |from: Point3, to: Point3, width: f32, colour: ColourId| SegmentMark {
        from: plane.pixel(from),
        to: plane.pixel(to),
        width,
        colour,
    };
    // A line of hardly any length has round ends, so it is a dot; one that lies straight would be drawn as a rectangle.
    let dot = |place: Point3, reach: f32, colour: ColourId| {
        let (x, y) = plane.pixel(place);
        SegmentMark { from: (x - 0.1, y - 0.1), to: (x + 0.1, y + 0.1), width: 2.0 * reach, colour }
    };
    let mut marks = Vec::new();
    marks.extend(
        selected.iter().map(|(from, to)| line(*from, *to, (2.0 * reach * SELECTED).max(2.0), colours.accent())),
    );
    marks.extend(pipes.iter().map(|(from, to, colour, _)| line(*from, *to, 2.0 * reach * PIPE, *colour)));
    let strong = colours.ink().strong;
    marks.extend(dots.iter().flat_map(|(at, colour, _)| [dot(*at, reach + 0.8, strong), dot(*at, reach, *colour)]));
    if !marks.is_empty() {
        scene.layers.push(Layer::Segments(marks));
    }
}

/// From places on a plane to pixels: one scale in both directions, and what is asked for in the middle.
struct PlaneScale {
    scale: f32,
    centre: [f32; 2],
    middle: [f32; 2],
}

impl PlaneScale {
    fn of(scene: &Scene) -> Option<PlaneScale> {
        let (Extent::Across(left, right, _), Extent::Down(top, bottom, _)) = (scene.x_axis.extent, scene.y_axis.extent)
        else {
            return None;
        };
        let plot = scene.plot;
        let scale = (plot.width / (right - left).max(1) as f32).min(plot.height / (bottom - top).max(1) as f32);
        let middle = [(left + right) as f32 / 2.0, (top + bottom) as f32 / 2.0];
        Some(PlaneScale { scale, centre: [plot.x + plot.width / 2.0, plot.y + plot.height / 2.0], middle })
    }

    fn pixel(&self, [x, y, _]: Point3) -> (f32, f32) {
        let at = |axis: usize, place: f32| self.centre[axis] + (place - self.middle[axis]) * self.scale;
        (at(0, x), at(1, y))
    }
}
