//! A torus projected to a plane (Landge et al. 2012): every node, and two thirds of the links, without one crossing another.
//!
//! One looks along a dimension. Each line of nodes along it is fanned out as a diagonal; horizontal and vertical lines are the
//! two other dimensions. What cannot be drawn, links between rings and around the torus, is counted, and the largest load
//! among it named: a hot link must not be missed because it has no place.

use heddle_model::SpanRow;
use heddle_topology::layout::{Counts, Drawing, Hit, Line, Projected, Role, Shown, Spacing, Stub};
use heddle_topology::{Cable, Element, Topology, Torus};

use super::loads::TorusLoads;
use super::shown::{self, Part};
use super::words;
use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::request::node_set::NodeSet;
use crate::request::picked::Picked;
use crate::request::selection::Selection;
use crate::request::{Framing, ViewRequest};
use crate::scene::ramp::{Palette, Ramp, Tone};
use crate::scene::theme::Colours;
use crate::scene::ticks::grouped;
use crate::scene::{Anchor, Axis, ColourId, Extent, Label, Layer, Rect, RectMark, Rgba, Scene, SegmentMark, Tick};
use crate::views::machine::chosen::Chosen;
use crate::views::machine::nodes::{NodeColours, clusters_urgency, node_colours};
use crate::views::machine::told::{cable_picked, node_picked};
use crate::views::{AxisKind, Choosing, Picture, Pointed, ViewModule};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "torus",
    about: "The links of a torus projected to a plane, coloured by what they carry",
    axes: (AxisKind::Across, AxisKind::Down),
    options: super::options_with_motion,
    check: Some(shown::check),
    analyses: &[(AnalysisKind::Network, |_| Some(Urgency::Required)), (AnalysisKind::Clusters, clusters_urgency)],
    selections: crate::views::machine::WITH_MESSAGES,
    picture: Picture::Plane { scene, pick, select, ways: Some(super::ways::on_plane) },
};

/// Units of the plane's axes per unit of the layout: windows are whole numbers.
pub(super) const FINE: f64 = 1_000.0;
/// Room around the outermost nodes, for stubs and their labels, in units of the layout.
pub(super) const RIM: f64 = 2.0;
/// The colour of what is told without one.
const PLAIN: Rgba = Rgba(0, 0, 0, 0);
/// Opacity of what is not selected.
const FADED: u8 = 46;

/// What was laid out, and where on the picture.
struct Plane {
    layout: Projected,
    plot: Rect,
    /// Pixels per unit of the layout.
    scale: f64,
    /// The place of the layout's origin in the picture.
    origin: [f64; 2],
    /// The window: from and to, across and down, in fine units, out of so many.
    across: (usize, usize, usize),
    down: (usize, usize, usize),
}

impl Plane {
    fn new(torus: &Torus, part: &Part, request: &ViewRequest, plot: Rect) -> Plane {
        let layout = Projected::new(part.slice(torus, part.axes.dims()), Spacing::default());
        let [width, height] = layout.extent();
        let total = |extent: f64| ((extent + 2.0 * RIM) * FINE).round().max(1.0) as usize;
        let (all_across, all_down) = (total(width), total(height));
        let window = |given: Option<(usize, usize)>, all: usize| {
            let (from, to) = given.unwrap_or((0, all));
            (from.min(all - 1), to.clamp(from.min(all - 1) + 1, all), all)
        };
        let (across, down) = (window(request.window.across, all_across), window(request.window.down, all_down));
        // Both directions in the same scale, and what is asked for in the middle.
        let spans = [(across.1 - across.0) as f64 / FINE, (down.1 - down.0) as f64 / FINE];
        let scale = (f64::from(plot.width) / spans[0]).min(f64::from(plot.height) / spans[1]);
        let middle = |from: usize, to: usize| (from + to) as f64 / 2.0 / FINE - RIM;
        let centre = [f64::from(plot.x + plot.width / 2.0), f64::from(plot.y + plot.height / 2.0)];
        let origin = [centre[0] - middle(across.0, across.1) * scale, centre[1] - middle(down.0, down.1) * scale];
        Plane { layout, plot, scale, origin, across, down }
    }

    /// Which directions are drawn together, such that nothing crosses: in rings where diagonals fan out, all where there are none.
    fn passes(&self, shown: Shown) -> Vec<Shown> {
        let is_flat = self.layout.slice().sizes()[Role::Axis.index()] == 1;
        if is_flat && shown.across && shown.down {
            return vec![Shown { axis: false, ..Shown::ACROSS }, Shown { axis: false, ..Shown::DOWN }];
        }
        vec![shown]
    }

    fn lines(&self, shown: Shown) -> Vec<Line> {
        self.passes(shown).into_iter().flat_map(|pass| self.layout.lines(pass)).collect()
    }

    fn stubs(&self, shown: Shown) -> Vec<Stub> {
        self.passes(shown).into_iter().flat_map(|pass| self.layout.stubs(pass)).collect()
    }

    fn counts(&self, shown: Shown) -> Counts {
        let passes = self.passes(shown);
        let [one] = passes[..] else {
            // Each pass draws all of its own direction.
            let of = |pass: &Shown| self.layout.counts(*pass);
            let (across, down) = (of(&passes[0]), of(&passes[1]));
            let both = |across: [u32; 3], down: [u32; 3]| [0, across[1], down[2]];
            return Counts {
                lines: both(across.lines, down.lines),
                wraps: both(across.wraps, down.wraps),
                hidden: both(across.hidden, down.hidden),
            };
        };
        self.layout.counts(one)
    }

    fn hit(&self, at: [f64; 2], tolerance: f64, shown: Shown) -> Option<Hit> {
        self.passes(shown).into_iter().find_map(|pass| self.layout.hit(at, tolerance, pass))
    }

    fn drawing(&self, cable: Cable, shown: Shown) -> Option<Drawing> {
        let drawings = self.passes(shown).into_iter().map(|pass| self.layout.drawing(cable, pass));
        drawings.fold(None, |best, one| match (best, one) {
            (None | Some(Drawing::Hidden), one) => one.or(best),
            (best, _) => best,
        })
    }

    fn to_picture(&self, at: [f64; 2]) -> (f32, f32) {
        ((self.origin[0] + at[0] * self.scale) as f32, (self.origin[1] + at[1] * self.scale) as f32)
    }

    fn to_layout(&self, (x, y): (f32, f32)) -> [f64; 2] {
        [(f64::from(x) - self.origin[0]) / self.scale, (f64::from(y) - self.origin[1]) / self.scale]
    }

    /// The side of a node's square, in pixels.
    fn node(&self) -> f32 {
        (0.62 * self.scale).clamp(1.0, 14.0) as f32
    }

    /// The width of a link, in pixels.
    fn line(&self) -> f32 {
        (0.46 * self.scale).clamp(0.8, 10.0) as f32
    }

    fn sees(&self, from: (f32, f32), to: (f32, f32)) -> bool {
        let (plot, rim) = (self.plot, 20.0);
        let (left, right) = (from.0.min(to.0), from.0.max(to.0));
        let (upper, lower) = (from.1.min(to.1), from.1.max(to.1));
        right > plot.x - rim
            && left < plot.x + plot.width + rim
            && lower > plot.y - rim
            && upper < plot.y + plot.height + rim
    }
}

fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let colours = request.colours(trace.store);
    let plot = super::plot_area(request);
    let Some(loads) = TorusLoads::of(trace, request) else { return super::nothing(request, plot, &colours) };
    let mut palette = colours.palette();
    let ramp = Ramp::add(&mut palette, request.theme, Palette::Loads);
    let nodes = node_colours(trace, request, &loads, &mut palette, colours.ink().faint);
    let faded = palette.len() as u16;
    palette.extend_from_within(..);
    for colour in &mut palette[usize::from(faded)..] {
        colour.3 = FADED;
    }
    let fade = |colour: ColourId, fades: bool| {
        if fades { ColourId(colour.0 + faded) } else { colour }
    };
    let Ok(part) = Part::of(loads.torus, &loads.shown) else { return super::nothing(request, plot, &colours) };
    let plane = Plane::new(loads.torus, &part, request, plot);
    let shown = shown::shown(&loads.shown);
    let chosen = Chosen::of(&loads, trace, request);
    // A link is framed, and what is around it stays.
    let link = chosen.cable();
    let has_chosen = chosen.is_any() && link.is_none();
    let is_chosen = |node: Element| chosen.has_node(node);
    let fades = |cable: Cable| has_chosen && !chosen.has_cable(&loads, cable);
    let (lines, drawn) = links(&loads, &plane, shown, ramp, &fades, &fade);
    let mut layers = vec![Layer::Segments(lines)];
    layers.push(Layer::Rects(node_marks(&plane, &nodes, &is_chosen, has_chosen, colours.accent(), &fade)));
    if let Some(cable) = link {
        layers.push(Layer::Segments(chosen_marks(&plane, cable, shown, &colours)));
    }
    let counts = plane.counts(shown);
    let mut scene =
        super::frame(request, plot, format!("{} · {}", trace.store.name(), loads.title()), &colours, palette);
    scene.x_axis = axis(&plane, Role::Across, Extent::Across(plane.across.0, plane.across.1, plane.across.2));
    scene.y_axis = axis(&plane, Role::Down, Extent::Down(plane.down.0, plane.down.1, plane.down.2));
    // A plane has lines of its own; numbers beside it name rows of them.
    scene.ink.grid = scene.background;
    scene.ink.line = scene.background;
    scene.labels = axis_names(&plane, loads.torus, request, &colours);
    scene.layers = layers;
    scene.colour_bar = Some(loads.bar(ramp));
    if request.framing == Framing::Figure {
        scene.legend.clone_from(&nodes.legend);
    }
    scene.notes = words::hidden(&loads, &|cable| plane.drawing(cable, shown), &counts, drawn);
    scene.notes.extend(loads.notes.iter().chain(&nodes.notes).cloned());
    scene
}

/// Lines of links and stubs, the faded ones first and the heavy ones last; and how many links are drawn.
fn links(
    loads: &TorusLoads<'_>,
    plane: &Plane,
    shown: Shown,
    ramp: Ramp,
    fades: &dyn Fn(Cable) -> bool,
    fade: &dyn Fn(ColourId, bool) -> ColourId,
) -> (Vec<SegmentMark>, usize) {
    let mut marks: Vec<(bool, f32, SegmentMark)> = Vec::new();
    let mut drawn = 0;
    let width = plane.line();
    let mut add = |cable: Cable, from: [f64; 2], to: [f64; 2], width: f32| {
        let Some(share) = loads.share(loads.cable(cable)) else { return false };
        let (from, to) = (plane.to_picture(from), plane.to_picture(to));
        if plane.sees(from, to) {
            let is_faded = fades(cable);
            let colour = if share.is_nan() { ramp.missing(Tone::Dimmed) } else { ramp.at(share, Tone::Full) };
            let mark = SegmentMark { from, to, width, colour: fade(colour, is_faded) };
            marks.push((is_faded, if share.is_nan() { -1.0 } else { share }, mark));
        }
        true
    };
    for line in plane.lines(shown) {
        // Diagonals are short: a little thinner, they stay apart.
        let width = if line.role == Role::Axis { width * 0.8 } else { width };
        drawn += usize::from(add(line.cable, line.from, line.to, width));
    }
    if loads.shown.stubs {
        for stub in plane.stubs(shown) {
            add(stub.cable, stub.from, stub.to, width * 0.8);
        }
    }
    marks.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.total_cmp(&b.1)));
    (marks.into_iter().map(|(_, _, mark)| mark).collect(), drawn)
}

fn node_marks(
    plane: &Plane,
    nodes: &NodeColours,
    is_chosen: &dyn Fn(Element) -> bool,
    has_chosen: bool,
    accent: ColourId,
    fade: &dyn Fn(ColourId, bool) -> ColourId,
) -> Vec<RectMark> {
    let mut marks = Vec::new();
    let side = plane.node();
    // Last, so that nothing lies over what is selected.
    let mut chosen = Vec::new();
    for (node, at) in plane.layout.nodes() {
        let (x, y) = plane.to_picture(at);
        if !plane.sees((x, y), (x, y)) {
            continue;
        }
        let stands_out = has_chosen && is_chosen(node);
        let side = if stands_out { side.max(4.0) * 1.15 } else { side };
        let rect = Rect { x: x - side / 2.0, y: y - side / 2.0, width: side, height: side };
        let own = nodes.of_node[node.index()];
        let colour = match stands_out {
            true if nodes.is_plain => accent,
            true => own,
            false => fade(own, has_chosen),
        };
        let mark = RectMark { rect, colour, span: SpanRow::NONE };
        if stands_out { chosen.push(mark) } else { marks.push(mark) }
    }
    marks.extend(chosen);
    marks
}

/// A frame around the link that is selected.
fn chosen_marks(plane: &Plane, cable: Cable, shown: Shown, colours: &Colours) -> Vec<SegmentMark> {
    let lines = plane.lines(shown).into_iter().filter(|line| line.cable == cable).map(|line| (line.from, line.to));
    let stubs = plane.stubs(shown).into_iter().filter(|stub| stub.cable == cable).map(|stub| (stub.from, stub.to));
    let mut marks = Vec::new();
    for (from, to) in lines.chain(stubs) {
        let (from, to) = (plane.to_picture(from), plane.to_picture(to));
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy).max(1.0);
        let (along, across) = ((dx / length * 4.0, dy / length * 4.0), (-dy / length * 5.0, dx / length * 5.0));
        let corner = |end: (f32, f32), ahead: f32, side: f32| {
            (end.0 + ahead * along.0 + side * across.0, end.1 + ahead * along.1 + side * across.1)
        };
        let corners = [corner(from, -1.0, 1.0), corner(to, 1.0, 1.0), corner(to, 1.0, -1.0), corner(from, -1.0, -1.0)];
        for side in 0..4 {
            let (from, to) = (corners[side], corners[(side + 1) % 4]);
            marks.push(SegmentMark { from, to, width: 1.8, colour: colours.ink().strong });
        }
    }
    marks
}

/// Coordinates along an edge: each is a plane of the torus.
fn axis(plane: &Plane, role: Role, extent: Extent) -> Axis {
    let (start, end) = match role {
        Role::Across => (plane.plot.x, plane.plot.x + plane.plot.width),
        _ => (plane.plot.y, plane.plot.y + plane.plot.height),
    };
    let least = if role == Role::Across { 22.0 } else { 15.0 };
    let mut ticks: Vec<Tick> = Vec::new();
    for band in plane.layout.bands(role) {
        let middle = f64::midpoint(band.from, band.to);
        let at = match role {
            Role::Across => plane.to_picture([middle, 0.0]).0,
            _ => plane.to_picture([0.0, middle]).1,
        };
        let has_room = ticks.last().is_none_or(|last| at - last.at >= least);
        if (start..=end).contains(&at) && has_room {
            ticks.push(Tick { at, label: band.at.to_string() });
        }
    }
    Axis { title: String::new(), ticks, extent }
}

/// Names of the dimensions, where their numbers begin.
fn axis_names(plane: &Plane, torus: &Torus, request: &ViewRequest, colours: &Colours) -> Vec<Label> {
    if request.framing == Framing::Strip {
        return Vec::new();
    }
    let dims = plane.layout.slice().dims();
    let name = |role: Role| dims[role.index()].map(|dim| torus.dimensions()[dim].name.clone());
    let plot = plane.plot;
    let label = |text: String, at: (f32, f32), anchor: Anchor| Label {
        at,
        text,
        size: 11.5,
        colour: colours.ink().text,
        anchor,
    };
    let across = name(Role::Across)
        .map(|name| label(format!("{name} →"), (plot.x + plot.width, plot.y + plot.height + 15.0), Anchor::Start));
    let down = name(Role::Down).map(|name| label(format!("{name} ↓"), (plot.x - 8.0, plot.y - 3.0), Anchor::End));
    across.into_iter().chain(down).collect()
}

/// Where the middle of a cable lies on the plane, in the units of its axes; none if the slice does not hold it.
pub(crate) fn place_of(layout: &Projected, torus: &Torus, cable: Cable) -> Option<(u32, u32)> {
    let low = torus.lower_end(cable);
    let from = layout.position(low)?;
    let to = layout.position(torus.beyond(low, torus.dimension_of(cable), 1))?;
    let place = |a: f64, b: f64| ((f64::midpoint(a, b) + RIM) * FINE).round() as u32;
    Some((place(from[0], to[0]), place(from[1], to[1])))
}

fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let loads = TorusLoads::of(trace, request)?;
    let plot = super::plot_area(request);
    let plane = Plane::new(loads.torus, &Part::of(loads.torus, &loads.shown).ok()?, request, plot);
    if !plot.contains(at) {
        return band_at(&loads, &plane, at);
    }
    let tolerance = (6.0 / plane.scale).max(0.3);
    let hit = plane.hit(plane.to_layout(at), tolerance, shown::shown(&loads.shown))?;
    let square =
        |(x, y): (f32, f32), side: f32| Rect { x: x - side / 2.0, y: y - side / 2.0, width: side, height: side };
    Some(match hit {
        Hit::Node(node) => {
            let area = plane.layout.position(node).map(|at| square(plane.to_picture(at), plane.node() + 4.0));
            Picked { area, ..node_picked(&loads, node, PLAIN) }
        }
        Hit::Cable(cable) => {
            let lines = plane.lines(shown::shown(&loads.shown));
            let line = lines.into_iter().find(|line| line.cable == cable);
            let area = line.map(|line| {
                let (from, to) = (plane.to_picture(line.from), plane.to_picture(line.to));
                let (x, y) = (from.0.min(to.0), from.1.min(to.1));
                Rect { x, y, width: (from.0 - to.0).abs().max(4.0), height: (from.1 - to.1).abs().max(4.0) }
            });
            Picked { area, ..cable_picked(&loads, cable, PLAIN) }
        }
    })
}

/// A band of the plane, by a place beside the plot: a plane of the torus.
fn band_at(loads: &TorusLoads<'_>, plane: &Plane, at: (f32, f32)) -> Option<Picked> {
    let plot = plane.plot;
    let is_below = at.1 > plot.y + plot.height && (plot.x..plot.x + plot.width).contains(&at.0);
    let is_left = at.0 < plot.x && (plot.y..plot.y + plot.height).contains(&at.1);
    let place = plane.to_layout(at);
    let (band, area) = if is_below {
        let band = plane.layout.band_at(Role::Across, place[0])?;
        let (from, to) = (plane.to_picture([band.from, 0.0]).0, plane.to_picture([band.to, 0.0]).0);
        (band, Rect { x: from, y: plot.y, width: to - from, height: plot.height })
    } else if is_left {
        let band = plane.layout.band_at(Role::Down, place[1])?;
        let (from, to) = (plane.to_picture([0.0, band.from]).1, plane.to_picture([0.0, band.to]).1);
        (band, Rect { x: plot.x, y: from, width: plot.width, height: to - from })
    } else {
        return None;
    };
    let dimensions = loads.torus.dimensions();
    let name = &dimensions[band.dim].name;
    let nodes = loads.torus.elements() / dimensions[band.dim].size;
    Some(Picked {
        title: format!("Plane {name} = {}", band.at),
        lines: vec![format!("{} nodes", grouped(u64::from(nodes)))],
        select: Some(Selection::Nodes(NodeSet::plane(dimensions.len(), band.dim, band.at))),
        colour: PLAIN,
        toggles: None,
        sets: None,
        area: Some(area),
    })
}

/// The nodes that one points at, or all in a rectangle, put together with those that are selected; or a link.
fn select(trace: &Trace<'_>, request: &ViewRequest, pointed: Pointed, choosing: Choosing) -> Option<Selection> {
    let loads = TorusLoads::of(trace, request)?;
    let current = request.emphasis.selected.as_ref();
    let mut is_in = vec![false; loads.torus.elements() as usize];
    match pointed {
        Pointed::Area(area) => {
            let part = Part::of(loads.torus, &loads.shown).ok()?;
            let plane = Plane::new(loads.torus, &part, request, super::plot_area(request));
            let nodes = plane.layout.nodes();
            let inside = nodes.into_iter().filter(|(_, at)| area.contains(plane.to_picture(*at)));
            inside.for_each(|(node, _)| is_in[node.index()] = true);
        }
        Pointed::At(at) => match pick(trace, request, at).and_then(|picked| picked.select) {
            Some(Selection::Nodes(nodes)) => {
                for node in 0..loads.torus.elements() {
                    let at = loads.torus.coordinates(Element(node));
                    is_in[node as usize] = nodes.contains(&at[..loads.torus.dimensions().len()]);
                }
            }
            None if choosing != Choosing::Replace => return current.cloned(),
            other => return other,
        },
        Pointed::Solid(_) => return None,
    }
    // A link is no set of nodes that one adds to.
    let is_link = matches!(current, Some(Selection::Link(_)) | None);
    let before = if is_link { None } else { loads.selected(trace, request) };
    for (at, is_in) in is_in.iter_mut().enumerate() {
        *is_in = choosing.chosen(before.as_ref().is_some_and(|before| before[at]), *is_in);
    }
    NodeSet::of(loads.shape, &is_in).map(Selection::Nodes)
}
