//! A torus in space: nodes on a grid, cables as sticks towards larger coordinates, those that wrap around ending in the open.
//! Beside it, on request, stands the program's own grid of ranks, in the same colours and with the same selection.

use std::ops::Range;

use heddle_options::{Options, options};
use heddle_topology::layout::Slice;
use heddle_topology::{Cable, Direction, Element, Link, Topology, Torus};

use super::loads::TorusLoads;
use super::shown::{self, Part};
use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::request::ViewRequest;
use crate::request::node_set::NodeSet;
use crate::request::picked::Picked;
use crate::request::selection::Selection;
use crate::request::window::RankSet;
use crate::scene::frame::{frame, whole_area};
use crate::scene::ramp::{Palette, Ramp, Tone};
use crate::scene::space::{
    Axis3, Bounds, BoxMark, CameraOptions, Group, Label3, Point3, Scene3, SolidId, Solids, Subject, TubeMark,
};
use crate::scene::theme::Theme;
use crate::scene::ticks::grouped;
use crate::scene::{Axis, ColourId, LegendEntry, Rgba};
use crate::views::machine::chosen::Chosen;
use crate::views::machine::loads::ranks_of;
use crate::views::machine::motion::{Hop, PlaneMarks, Way, Ways};
use crate::views::machine::nodes::{NodeColours, clusters_urgency, node_colours};
use crate::views::machine::process_grid::ProcessGrid;
use crate::views::machine::told::{cable_picked, node_picked, nodes_picked, rank_picked};
use crate::views::{AxisKind, Choosing, Picture, Space, ViewModule};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "torus3d",
    about: "A torus in space: nodes, and the load of the links between them",
    axes: (AxisKind::Values, AxisKind::Values),
    options: || {
        let groups = [super::options_with_motion(), SpaceOptions::specs(), CameraOptions::specs()];
        groups.into_iter().flatten().collect()
    },
    check: Some(shown::check),
    analyses: &[(AnalysisKind::Network, |_| Some(Urgency::Required)), (AnalysisKind::Clusters, clusters_urgency)],
    selections: crate::views::machine::WITH_MESSAGES,
    picture: Picture::Space(Space { scene, pick, select, ways: Some(ways) }),
};

options! {
    /// What is shown of a torus in space.
    pub struct SpaceOptions {
        /// Draw only the links that the projected view draws
        "links-in-2d" ("Links as in 2D") links_in_2d: bool = false,
        /// Let what is not selected fade
        "fade" ("Fade the rest") fade: bool = true,
        /// Draw the program's grid of ranks beside the machine
        "process-grid" ("Process grid") process_grid: bool = false,
    }
}

/// Solids of a machine; beyond that, one stands for several nodes.
const MOST_SOLIDS: u64 = 200_000;
/// The most nodes along an edge that one stands for: enough for every machine that there can be.
const MOST_PER_SOLID: u32 = 1 << 13;
/// Blocks of ranks; beyond that, one stands for several.
const MOST_BLOCKS: u32 = 50_000;

/// Lengths in space; neighbouring nodes are one unit apart.
const NODE: f32 = 0.22;
const CHOSEN_NODE: f32 = 0.34;
const TUBE: f32 = 0.045;
const CHOSEN_TUBE: f32 = 0.06;
/// How far from the nodes their coordinates stand.
const ASIDE: f32 = 0.55;
/// From the machine to the program's grid, as a share of the machine's width.
const APART: f32 = 0.6;
/// How much of its place the block of a rank fills.
const BLOCK: f32 = 0.82;

/// Opacity of what is not selected, out of 255.
const FADED: u8 = 51;
/// Colours of the first, second and third direction, light and dark.
const AXES: [[u32; 3]; 2] = [[0xc2_3b3b, 0x2a_8a4a, 0x2f_63c4], [0xf0_7a70, 0x66_c98a, 0x7f_b0ff]];

/// The nodes and cables of a picture: cell by cell, each a block of `by` nodes in every direction.
struct Cells<'a> {
    loads: TorusLoads<'a>,
    space: SpaceOptions,
    part: Part,
    slice: Slice,
    by: u32,
    sizes: [u32; 3],
}

impl<'a> Cells<'a> {
    fn of(trace: &'a Trace<'_>, request: &ViewRequest) -> Option<Cells<'a>> {
        let loads = TorusLoads::of(trace, request)?;
        // Wrong options are refused before anything is drawn.
        let part = Part::of(loads.torus, &loads.shown).ok()?;
        let slice = part.slice(loads.torus, part.axes.in_order());
        let each = 1 + slice.dims().iter().flatten().count() as u64;
        let sizes = |by: u32| slice.sizes().map(|size| size.div_ceil(by));
        let solids = |by: u32| sizes(by).into_iter().map(u64::from).product::<u64>() * each;
        let by = (1..=MOST_PER_SOLID).find(|by| solids(*by) <= MOST_SOLIDS).unwrap_or(MOST_PER_SOLID);
        Some(Cells { space: request.options.checked(), part, by, sizes: sizes(by), slice, loads })
    }

    fn cell(&self, place: [u32; 3]) -> usize {
        let [a, b, c] = place.map(|at| (at / self.by) as usize);
        (c * self.sizes[1] as usize + b) * self.sizes[0] as usize + a
    }

    fn len(&self) -> usize {
        self.sizes.iter().map(|size| *size as usize).product()
    }

    /// Where a cell stands: as [`heddle_topology::layout::Grid`] has it where each node has its own.
    fn position(&self, cell: usize) -> Point3 {
        let [a, b, _] = self.sizes.map(|size| size as usize);
        let at = [cell % a, cell / a % b, cell / a / b];
        [0, 1, 2].map(|axis| at[axis] as f32 - (self.sizes[axis] - 1) as f32 / 2.0)
    }

    /// The nodes of the cell that a node is in.
    fn nodes_with(&self, node: Element) -> Vec<Element> {
        let Some(place) = self.slice.place(node) else { return Vec::new() };
        let sizes = self.slice.sizes();
        let [a, b, c]: [Range<u32>; 3] = [0, 1, 2].map(|axis| {
            let first = place[axis] / self.by * self.by;
            first..(first + self.by).min(sizes[axis])
        });
        let mut nodes = Vec::new();
        for z in c {
            for y in b.clone() {
                nodes.extend(a.clone().map(|x| self.slice.node([x, y, z])));
            }
        }
        nodes
    }
}

/// Where messages travel: along the sticks; those that wrap around leave in the open, and come back there on the other side.
struct SpaceWays<'a> {
    cells: Cells<'a>,
}

fn ways<'a>(trace: &'a Trace<'_>, request: &ViewRequest) -> Option<Box<dyn Ways + 'a>> {
    Some(Box::new(SpaceWays { cells: Cells::of(trace, request)? }))
}

impl Ways for SpaceWays<'_> {
    fn way(&self, _from: Element, path: &[Link], way: &mut Way) {
        let (cells, torus) = (&self.cells, self.cells.loads.torus);
        let hop = |link: &Link| {
            let (from, to) = torus.ends(*link);
            let [from, to] = [from, to].map(|node| cells.slice.place(node));
            let (role, lower) = cells.slice.place_of(link.cable())?;
            let [start, end] = [from?, to?].map(|place| cells.position(cells.cell(place)));
            let mut hop = Hop { from: start, to: end, around: None };
            if cells.slice.wraps(lower, role) {
                let outwards = if Torus::cable_of(*link).1 == Direction::Plus { 0.5 } else { -0.5 };
                let (mut out, mut back) = (start, end);
                out[role] += outwards;
                back[role] -= outwards;
                hop.around = Some((out, back));
            }
            Some(hop)
        };
        way.straight(&path.iter().map(hop).collect::<Vec<_>>());
    }

    fn dot(&self) -> f32 {
        NODE * 0.6
    }

    fn marks(&self) -> Option<PlaneMarks> {
        None
    }
}

/// The picture.
fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene3 {
    let store = trace.store;
    let colours = request.colours(store);
    let axes = || (Axis::default(), Axis::default());
    let plot = whole_area(request);
    let camera = request.options.checked::<CameraOptions>().camera();
    let Some(cells) = Cells::of(trace, request) else {
        let title = format!("{} · torus in space", store.name());
        let mut flat = frame(request, plot, title, axes(), &colours, Vec::new());
        flat.notes.push("The machine of this trace is no torus.".to_owned());
        let bounds = Bounds::at([0.0; 3]);
        return Scene3 {
            flat,
            groups: Vec::new(),
            labels: Vec::new(),
            axes: Vec::new(),
            bounds,
            camera,
            is_plan: false,
            is_layered: false,
        };
    };
    let loads = &cells.loads;
    let mut palette = colours.palette();
    let ramp = Ramp::add(&mut palette, request.theme, Palette::Loads);
    let ink = colours.ink();
    let of_nodes = node_colours(trace, request, loads, &mut palette, ink.faint);
    let row = usize::from(request.theme == Theme::Dark);
    let first_axis = palette.len() as u16;
    palette.extend(AXES[row].map(Rgba::hex));
    let faded = palette.len() as u16;
    palette.extend_from_within(..);
    palette[usize::from(faded)..].iter_mut().for_each(|colour| colour.3 = FADED);
    let chosen = Chosen::of(loads, trace, request);
    let fades = cells.space.fade;
    let looks = Looks { ramp, accent: colours.accent(), nodes: &of_nodes, chosen: &chosen, faded, fades };

    let mut solids = looks.machine(&cells);
    let mut bounds = Bounds::at([0.0; 3]);
    for group in &solids.groups {
        add_bounds(&mut bounds, &group.solids);
    }
    let mut labels = cells.labels(ink.text);
    let machine = bounds;
    let mut notes = Vec::new();
    if cells.space.process_grid {
        let (blocks, label, note) =
            looks.process_grid(&cells, ProcessGrid::of(store, loads.network.machine.placement.ranks()), &machine);
        add_bounds(&mut bounds, &blocks.solids);
        solids.groups.push(blocks);
        labels.push(Label3 { colour: ink.strong, ..label });
        let middle = machine.centre();
        let text = format!("nodes {}", cells.slice.sizes().map(|size| size.to_string()).join(" × "));
        labels.push(Label3 { at: [middle[0], middle[1], machine.high[2] + ASIDE], text, colour: ink.strong });
        notes.extend(note);
    }
    for label in &labels {
        bounds.add(label.at);
    }
    let title = format!("{} · {}", store.name(), loads.title());
    let mut flat = frame(request, plot, title, axes(), &colours, Vec::new());
    flat.palette = palette;
    flat.colour_bar = Some(loads.bar(ramp));
    flat.legend.clone_from(&of_nodes.legend);
    if solids.unknown > 0 {
        let name = "load not known".to_owned();
        flat.legend.push(LegendEntry { colour: ramp.missing(Tone::Full), name, value: grouped(solids.unknown) });
    }
    flat.notes = cells.notes(&solids);
    flat.notes.extend(notes);
    flat.notes.extend(of_nodes.notes.iter().cloned());
    flat.notes.extend(loads.notes.iter().cloned());
    let axes = cells.slice.dims().into_iter().enumerate().filter_map(|(at, dim)| {
        let mut towards = [0.0; 3];
        towards[at] = 1.0;
        let name = loads.torus.dimensions()[dim?].name.clone();
        Some(Axis3 { towards, name, colour: ColourId(first_axis + at as u16) })
    });
    Scene3 {
        axes: axes.collect(),
        flat,
        groups: solids.groups,
        labels,
        bounds,
        camera,
        is_plan: false,
        is_layered: false,
    }
}

fn add_bounds(bounds: &mut Bounds, solids: &Solids) {
    let corners = |centre: Point3, half: Point3| {
        [-1.0, 1.0].map(|side: f32| [0, 1, 2].map(|axis| centre[axis] + side * half[axis]))
    };
    match solids {
        Solids::Boxes(marks) => {
            let corners = marks.iter().flat_map(|mark| corners(mark.centre, mark.size.map(|length| length / 2.0)));
            corners.for_each(|corner| bounds.add(corner));
        }
        Solids::Spheres(marks) => {
            marks.iter().flat_map(|mark| corners(mark.centre, [mark.radius; 3])).for_each(|corner| bounds.add(corner));
        }
        Solids::Tubes(marks) => marks.iter().flat_map(|mark| [mark.from, mark.to]).for_each(|end| bounds.add(end)),
    }
}

/// The solids of a machine, and what was left out.
struct Machine3 {
    groups: Vec<Group>,
    /// Cables below the colour scale.
    below: u64,
    /// Cables that the projected view does not draw.
    unseen: u64,
    /// Cables of which nothing is known.
    unknown: u64,
}

struct Looks<'a> {
    ramp: Ramp,
    accent: ColourId,
    nodes: &'a NodeColours,
    chosen: &'a Chosen,
    /// From a colour to the same one, faded.
    faded: u16,
    fades: bool,
}

impl Looks<'_> {
    /// A colour as it is, or faded.
    fn tone(&self, colour: ColourId, is_full: bool) -> ColourId {
        if is_full { colour } else { ColourId(colour.0 + self.faded) }
    }

    /// Whether something recedes because something else is selected.
    fn recedes(&self, is_chosen: bool) -> bool {
        self.fades && self.chosen.is_any() && !is_chosen
    }

    fn machine(&self, cells: &Cells<'_>) -> Machine3 {
        let loads = &cells.loads;
        let is_seen = cells.part.seen_in_2d(loads.torus, &loads.shown);
        let mut nodes: Vec<Option<(Element, bool)>> = vec![None; cells.len()];
        // Along each dimension the fullest cable of a cell, and whether any is chosen.
        let mut cables: [Vec<Option<(Cable, f64, bool)>>; 3] = [const { Vec::new() }; 3];
        for of_axis in &mut cables {
            of_axis.resize(cells.len(), None);
        }
        let (mut below, mut unseen, mut unknown) = (0, 0, 0);
        for place in cells.slice.places() {
            let (node, cell) = (cells.slice.node(place), cells.cell(place));
            let is_chosen = self.chosen.has_node(node);
            let strength = |node: Element| self.nodes.strength[node.index()];
            nodes[cell] = match nodes[cell] {
                Some((known, was_chosen)) if strength(known) >= strength(node) => {
                    Some((known, was_chosen || is_chosen))
                }
                Some((_, was_chosen)) => Some((node, was_chosen || is_chosen)),
                None => Some((node, is_chosen)),
            };
            for (axis, of_axis) in cables.iter_mut().enumerate() {
                let Some(cable) = cells.slice.cable(place, axis) else { continue };
                if cells.space.links_in_2d && !is_seen(cable) {
                    unseen += 1;
                    continue;
                }
                let load = loads.cable(cable);
                unknown += u64::from(load.is_nan());
                let Some(_) = loads.share(load) else {
                    below += 1;
                    continue;
                };
                let is_chosen = self.chosen.is_any() && self.chosen.has_cable(loads, cable);
                let known = &mut of_axis[cell];
                *known = match *known {
                    Some((kept, value, was_chosen)) if value >= load || load.is_nan() => {
                        Some((kept, value, was_chosen || is_chosen))
                    }
                    Some((_, _, was_chosen)) => Some((cable, load, was_chosen || is_chosen)),
                    None => Some((cable, load, is_chosen)),
                };
            }
        }
        let mut groups = vec![Group { of: Subject::Node, solids: Solids::Boxes(self.boxes(cells, &nodes)) }];
        for (axis, of_axis) in cables.iter().enumerate() {
            let tubes = self.tubes(cells, axis, of_axis);
            if !tubes.is_empty() {
                groups.push(Group { of: Subject::Link, solids: Solids::Tubes(tubes) });
            }
        }
        Machine3 { groups, below, unseen, unknown }
    }

    fn boxes(&self, cells: &Cells<'_>, nodes: &[Option<(Element, bool)>]) -> Vec<BoxMark> {
        let mut boxes = Vec::with_capacity(nodes.len());
        for (cell, node) in nodes.iter().enumerate() {
            let Some((node, is_chosen)) = *node else { continue };
            let own = self.nodes.of_node[node.index()];
            let colour = if is_chosen && self.nodes.is_plain { self.accent } else { own };
            boxes.push(BoxMark {
                centre: cells.position(cell),
                size: [if is_chosen { CHOSEN_NODE } else { NODE }; 3],
                colour: self.tone(colour, !self.recedes(is_chosen)),
                id: node.0,
            });
        }
        boxes
    }

    fn tubes(&self, cells: &Cells<'_>, axis: usize, cables: &[Option<(Cable, f64, bool)>]) -> Vec<TubeMark> {
        let loads = &cells.loads;
        let tube = |(cell, cable): (usize, &Option<(Cable, f64, bool)>)| {
            let (cable, load, is_chosen) = (*cable)?;
            let share = loads.share(load)?;
            // From the side of a node to that of the next, or as far into the open.
            let (mut from, mut to) = (cells.position(cell), cells.position(cell));
            from[axis] += NODE / 2.0;
            to[axis] += 1.0 - NODE / 2.0;
            let is_known = !share.is_nan();
            let colour = if is_known { self.ramp.at(share, Tone::Full) } else { self.ramp.missing(Tone::Full) };
            // Without a selection what is not known recedes.
            let is_full = if self.chosen.is_any() { !self.recedes(is_chosen) } else { is_known };
            let radius = if is_chosen { CHOSEN_TUBE } else { TUBE };
            Some(TubeMark { from, to, radius, colour: self.tone(colour, is_full), id: cable.0 })
        };
        cables.iter().enumerate().filter_map(tube).collect()
    }

    /// The program's grid of ranks to the left of the machine, about as large; what it is called, and what was summarised.
    fn process_grid(&self, cells: &Cells<'_>, grid: ProcessGrid, machine: &Bounds) -> (Group, Label3, Vec<String>) {
        let loads = &cells.loads;
        let ranks = loads.network.machine.placement.ranks();
        // Several along the first axis become one block: their numbers follow each other.
        let by = ranks.div_ceil(MOST_BLOCKS).clamp(1, grid.lengths[0].max(1));
        let lengths = [grid.lengths[0].div_ceil(by), grid.lengths[1], grid.lengths[2]];
        let extent = [0, 1, 2].map(|axis| machine.high[axis] - machine.low[axis]);
        let longest = lengths.into_iter().max().unwrap_or(1).max(1) as f32;
        let pitch = extent.into_iter().fold(1.0, f32::max) / longest;
        let width = [0, 1, 2].map(|axis| pitch * lengths[axis] as f32);
        let centre = machine.centre();
        let low = [
            machine.low[0] - (APART * extent[0]).max(2.0) - width[0],
            centre[1] - width[1] / 2.0,
            centre[2] - width[2] / 2.0,
        ];
        let mut blocks = Vec::new();
        for first in (0..ranks).filter(|rank| (rank % grid.lengths[0]).is_multiple_of(by)) {
            let place = grid.place(first);
            let held = block_of(&grid, ranks, by, first);
            let is_chosen = held.clone().any(|rank| self.chosen.has_rank(loads, rank));
            let own = self.nodes.of_rank[first as usize];
            let colour = if is_chosen && self.nodes.is_plain { self.accent } else { own };
            let at = [place[0] / by, place[1], place[2]];
            blocks.push(BoxMark {
                centre: [0, 1, 2].map(|axis| low[axis] + pitch * (at[axis] as f32 + 0.5)),
                size: [BLOCK * pitch; 3],
                colour: self.tone(colour, !self.recedes(is_chosen)),
                id: first,
            });
        }
        let label = Label3 {
            at: [low[0] + width[0] / 2.0, centre[1], (low[2] + width[2]).max(machine.high[2]) + ASIDE],
            text: format!("ranks {}", grid.text()),
            colour: ColourId(0),
        };
        let mut notes = vec![if grid.is_known {
            format!("The communicators show a grid of {} ranks.", grid.text())
        } else {
            format!(
                "The communicators show no grid of ranks: they stand in rows of {}.",
                grouped(grid.lengths[0].into())
            )
        }];
        if by > 1 {
            notes.push(format!("Each block of the process grid stands for up to {} ranks.", grouped(by.into())));
        }
        (Group { of: Subject::Rank, solids: Solids::Boxes(blocks) }, label, notes)
    }
}

/// The ranks that a block of the process grid stands for.
fn block_of(grid: &ProcessGrid, ranks: u32, by: u32, first: u32) -> Range<u32> {
    let row = first / grid.lengths[0] * grid.lengths[0];
    first..(first + by).min(row + grid.lengths[0]).min(ranks)
}

impl Cells<'_> {
    /// The first and the last coordinate along an edge for each dimension.
    fn labels(&self, colour: ColourId) -> Vec<Label3> {
        let mut labels = Vec::new();
        let low = self.position(0);
        for (axis, dim) in self.slice.dims().into_iter().enumerate() {
            let (Some(dim), size) = (dim, self.slice.sizes()[axis]) else { continue };
            if size < 2 {
                continue;
            }
            for (place, cell) in [(0, 0), (size - 1, self.sizes[axis] - 1)] {
                let Some((_, coordinate)) = self.slice.plane(axis, place) else { continue };
                let along = low[axis] + cell as f32;
                // Where edges are seen by whoever looks at the picture as usual: in front, at the right, at the left.
                let at = match axis {
                    0 => [along, low[1] - ASIDE, low[2] - ASIDE],
                    1 => [-low[0] + 1.0 + ASIDE, along, low[2] - ASIDE],
                    _ => [low[0] - ASIDE, low[1], along],
                };
                let text = format!("{} {}", self.loads.torus.dimensions()[dim].name, grouped(coordinate.into()));
                labels.push(Label3 { at, text, colour });
            }
        }
        labels
    }

    fn notes(&self, machine: &Machine3) -> Vec<String> {
        let mut notes = Vec::new();
        let cut = self.part.cut_text(self.loads.torus);
        if !cut.is_empty() {
            notes.push(format!("Cut at {cut}; links along the other dimensions are not shown."));
        }
        if self.by > 1 {
            notes.push(format!(
                "Each box stands for up to {} nodes and each stick for the links of one, and shows the maximum.",
                grouped(u64::from(self.by).pow(self.slice.dims().iter().flatten().count() as u32))
            ));
        }
        if machine.below > 0 {
            let (links, least) = (grouped(machine.below), self.loads.text(self.loads.range.0));
            notes.push(format!("{links} links below {least} are not drawn."));
        }
        if machine.unseen > 0 {
            notes
                .push(format!("{} links that the projected view does not draw are left out.", grouped(machine.unseen)));
        }
        notes
    }
}

/// What a solid stands for.
fn pick(trace: &Trace<'_>, request: &ViewRequest, solid: SolidId) -> Option<Picked> {
    let cells = Cells::of(trace, request)?;
    let loads = &cells.loads;
    let colours = request.colours(trace.store);
    let mut palette = colours.palette();
    let ramp = Ramp::add(&mut palette, request.theme, Palette::Loads);
    let of_nodes = node_colours(trace, request, loads, &mut palette, colours.ink().faint);
    let rgba = |colour: ColourId| palette[usize::from(colour.0)];
    match solid.of {
        Subject::Node if solid.id < loads.torus.elements() => {
            let colour = rgba(of_nodes.of_node[solid.id as usize]);
            let nodes = cells.nodes_with(Element(solid.id));
            Some(match &nodes[..] {
                [] => return None,
                [node] => node_picked(loads, *node, colour),
                several => nodes_picked(loads, several, colour),
            })
        }
        Subject::Link if solid.id < loads.torus.cables() => {
            let cable = Cable(solid.id);
            let share = loads.share(loads.cable(cable)).unwrap_or(0.0);
            let colour = if share.is_nan() { ramp.missing(Tone::Full) } else { ramp.at(share, Tone::Full) };
            Some(cable_picked(loads, cable, rgba(colour)))
        }
        Subject::Rank if (solid.id as usize) < of_nodes.of_rank.len() => {
            let ranks = of_nodes.of_rank.len() as u32;
            let held = held_ranks(trace, ranks, solid.id);
            Some(rank_picked(loads, held, rgba(of_nodes.of_rank[solid.id as usize])))
        }
        _ => None,
    }
}

/// The ranks of the block that one is the first of.
fn held_ranks(trace: &Trace<'_>, ranks: u32, first: u32) -> Range<u32> {
    let grid = ProcessGrid::of(trace.store, ranks);
    let by = ranks.div_ceil(MOST_BLOCKS).clamp(1, grid.lengths[0].max(1));
    block_of(&grid, ranks, by, first)
}

/// The selection of some solids: nodes if there are any among them, else ranks, else a link.
fn select(trace: &Trace<'_>, request: &ViewRequest, solids: &[SolidId], choosing: Choosing) -> Option<Selection> {
    let cells = Cells::of(trace, request)?;
    let loads = &cells.loads;
    let current = request.emphasis.selected.as_ref();
    let of = |subject: Subject| solids.iter().filter(move |solid| solid.of == subject).map(|solid| solid.id);
    let chosen = |was: bool, is: bool| match choosing {
        Choosing::Replace => is,
        Choosing::Add => was || is,
        Choosing::Toggle => was != is,
    };
    if let (Some(link), None, None) = (of(Subject::Link).next(), of(Subject::Node).next(), of(Subject::Rank).next()) {
        return pick(trace, request, SolidId { of: Subject::Link, id: link })?.select;
    }
    let ranks = loads.network.machine.placement.ranks();
    let of_ranks: RankSet =
        of(Subject::Rank).filter(|first| *first < ranks).flat_map(|first| held_ranks(trace, ranks, first)).collect();
    if of(Subject::Node).next().is_none() && of(Subject::Rank).next().is_some() {
        let before = current.and_then(|selected| ranks_of(trace, selected));
        let was = |rank: u32| before.as_ref().is_some_and(|before| before.contains(rank));
        let left: Vec<u32> = (0..ranks).filter(|rank| chosen(was(*rank), of_ranks.contains(*rank))).collect();
        return (!left.is_empty()).then(|| Selection::Ranks(left.into_iter().collect()));
    }
    let elements = loads.torus.elements();
    let before = match current {
        Some(Selection::Link(_)) | None => None,
        Some(_) => loads.selected(trace, request),
    };
    let mut is_in = vec![false; elements as usize];
    for node in of(Subject::Node).filter(|node| *node < elements) {
        cells.nodes_with(Element(node)).into_iter().for_each(|node| is_in[node.index()] = true);
    }
    for (at, is_in) in is_in.iter_mut().enumerate() {
        *is_in = chosen(before.as_ref().is_some_and(|before| before[at]), *is_in);
    }
    NodeSet::of(loads.shape, &is_in).map(Selection::Nodes)
}
