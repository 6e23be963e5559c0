//! The solids of a picture: plates, boxes and spheres for switches, nodes and network cards, tubes for cables and messages.

use std::f32::consts::FRAC_1_SQRT_2;

use heddle_topology::layout::tree::Representation;
use heddle_topology::{Cable, Element, Link, Topology};

use super::looks::{Looks, Values};
use super::options::{ByLayer, ByTraffic, SMALL, Wires};
use super::stage::{ABOVE, Item, Stage, Stages, add_around};
use super::ways::Way;
use crate::scene::ColourId;
use crate::scene::space::{Bounds, BoxMark, Group, Point3, Solids, SphereMark, Subject, TubeMark};
use crate::views::machine::chosen::Chosen;
use crate::views::machine::loads::Loads;
use crate::views::machine::nodes::NodeColours;

/// Cables that are drawn where only the busiest are.
const BUSIEST: usize = 4_000;
/// Cables that are drawn at all.
const MOST_WIRES: usize = 100_000;
/// Network cards that are drawn.
const MOST_NICS: usize = 16_384;
/// Cells that have frames of their own.
const MOST_FRAMES: usize = 100_000;
/// Up to so many selected things look larger; more would cover each other.
const FEW: usize = 64;

/// Radii of tubes: of cables, of selected ones, and of ways of messages.
const WIRE: f32 = 0.05;
const CHOSEN_WIRE: f32 = 0.14;
pub(super) const WAY: f32 = 0.22;
/// The least radius of a node, and width of a switch.
const LEAST: f32 = 0.07;
/// How far the frame of a cell goes beyond it, as a share of it.
const FRAME: f32 = 0.16;
/// The least that the frame of a pod is wide, on both sides together.
const LEAST_RIM: f32 = 0.28;
/// How high the highest cell is where the third dimension means something.
const HIGHEST: f32 = 18.0;
/// How thick a block is, as a share of a layer.
const BLOCK: f32 = 0.1;
/// The cards and nodes of compact layouts are drawn from so many pixels per cell.
const LEAST_CELL: f32 = 7.0;

/// All that is drawn.
#[derive(Default)]
pub(super) struct Drawn {
    boxes: Vec<(Subject, Vec<BoxMark>)>,
    spheres: Vec<(Subject, Vec<SphereMark>)>,
    tubes: Vec<TubeMark>,
    ways: Vec<TubeMark>,
    pub(super) bounds: Option<Bounds>,
    /// Cables that are drawn, out of how many.
    pub(super) wires: (usize, usize),
    /// Whether there were too many of them.
    pub(super) is_cut: bool,
    /// Whether nodes in cells were too small to draw.
    pub(super) leaves_out_nodes: bool,
    /// Whether there were too many network cards.
    pub(super) leaves_out_nics: bool,
}

impl Drawn {
    fn add_bounds(&mut self, at: Point3, half: Point3) {
        let bounds = self.bounds.get_or_insert(Bounds::at(at));
        add_around(bounds, at, half);
    }

    fn add_box(&mut self, of: Subject, mark: BoxMark) {
        self.add_bounds(mark.centre, mark.size.map(|length| length / 2.0));
        match self.boxes.iter_mut().find(|(known, _)| *known == of) {
            Some((_, marks)) => marks.push(mark),
            None => self.boxes.push((of, vec![mark])),
        }
    }

    fn add_sphere(&mut self, of: Subject, mark: SphereMark) {
        self.add_bounds(mark.centre, [mark.radius; 3]);
        match self.spheres.iter_mut().find(|(known, _)| *known == of) {
            Some((_, marks)) => marks.push(mark),
            None => self.spheres.push((of, vec![mark])),
        }
    }

    /// All of it; ways of messages come last, so that they cover cables.
    pub(super) fn groups(self) -> Vec<Group> {
        let boxes = self.boxes.into_iter().map(|(of, marks)| Group { of, solids: Solids::Boxes(marks) });
        let spheres = self.spheres.into_iter().map(|(of, marks)| Group { of, solids: Solids::Spheres(marks) });
        let tubes = [self.tubes, self.ways].map(|marks| Group { of: Subject::Link, solids: Solids::Tubes(marks) });
        tubes.into_iter().chain(boxes).chain(spheres).filter(|group| !group.solids.is_empty()).collect()
    }
}

/// Who draws.
pub(super) struct Painter<'a> {
    pub(super) stages: &'a Stages<'a>,
    pub(super) loads: &'a Loads<'a>,
    pub(super) values: &'a Values,
    pub(super) looks: &'a Looks,
    pub(super) nodes: &'a NodeColours,
    pub(super) chosen: &'a Chosen,
    pub(super) accent: ColourId,
    /// Cables that carry nothing.
    pub(super) idle_wire: ColourId,
    pub(super) wires: Wires,
    /// Pixels per unit, about; none where one can go closer to what is drawn.
    pub(super) pixels: Option<f32>,
}

impl Painter<'_> {
    pub(super) fn draw(&self, ways: &[Way]) -> Drawn {
        let mut drawn = Drawn::default();
        let is_few = (0..self.stages.tree.elements())
            .filter(|element| self.chosen.has_node(Element(*element)))
            .take(FEW + 1)
            .count()
            <= FEW;
        for stage in &self.stages.all {
            if stage.of == Representation::Lb {
                self.blocks(stage, &mut drawn);
            } else {
                self.switches(stage, is_few, &mut drawn);
            }
            self.nodes(stage, is_few, &mut drawn);
            self.wires(stage, &mut drawn);
            // A message may come from elsewhere, and leaves the picture of a pod rather than making it small.
            let bounds = drawn.bounds;
            for way in ways {
                self.way(stage, way, &mut drawn);
            }
            if !self.stages.options.within.trim().is_empty() {
                drawn.bounds = bounds;
            }
        }
        drawn
    }

    fn is_chosen(&self, item: &Item) -> bool {
        self.chosen.is_any() && self.stages.elements(item).any(|element| self.chosen.has_node(element))
    }

    fn share(&self, item: &Item) -> Option<f32> {
        self.values.share(self.values.of_item(self.stages, item))
    }

    fn id(&self, item: &Item) -> u32 {
        self.stages.tree.element(item.layer, item.numbers.start).0
    }

    fn switches(&self, stage: &Stage, is_few: bool, drawn: &mut Drawn) {
        let items = self.stages.switch_items();
        if stage.of == Representation::Ht {
            self.plates(stage, &items, drawn);
        }
        for item in &items {
            let (at, size) = stage.item(self.stages, item);
            let share = self.share(item);
            let colour = self.looks.switch(item.layer, share);
            let is_chosen = self.is_chosen(item);
            let rim = if is_chosen { self.accent } else { self.looks.layer(item.layer) };
            let cell = Cell { at, size, colour, rim, share, layer: item.layer, id: self.id(item), is_chosen };
            if stage.of.is_compact() {
                let has_frame = stage.of != Representation::Ht || is_chosen;
                self.cell(&cell, has_frame && items.len() < MOST_FRAMES, is_few, drawn);
            } else if stage.of == Representation::Qs {
                self.flat_box(stage, &cell, is_few, drawn);
            } else {
                Painter::tall_box(stage, &cell, is_few, drawn);
            }
        }
    }

    /// Frames around the switches of each pod: in the colour of the layer, and empty within.
    fn plates(&self, stage: &Stage, items: &[Item], drawn: &mut Drawn) {
        let pod_of = |item: &Item| self.stages.tree.pods(item.layer).of_switch(item.numbers.start);
        for of_pod in items.chunk_by(|a, b| a.layer == b.layer && pod_of(a) == pod_of(b)) {
            let first = &of_pod[0];
            let last = &of_pod[of_pod.len() - 1];
            let all = Item { layer: first.layer, numbers: first.numbers.start..last.numbers.end };
            let (at, size) = stage.item(self.stages, &all);
            let (_, cell) = stage.item(self.stages, first);
            // Wide enough to be seen, and never more than what it is around.
            let rim = (0.12 * cell[0]).max(LEAST_RIM).min(0.4 * cell[0]);
            let plate = |grown: f32, up: f32, colour: ColourId| BoxMark {
                centre: [at[0], at[1], at[2] + up],
                size: [size[0] + grown, size[1] + grown, ABOVE / 2.0],
                colour,
                id: self.id(first),
            };
            drawn.add_box(Subject::Node, plate(rim, 0.0, self.looks.layer(first.layer)));
            if self.stages.options.size_by == ByTraffic::Traffic || self.stages.options.shape_by == ByLayer::Layer {
                drawn.add_box(Subject::Node, plate(0.0, ABOVE, self.looks.empty));
            }
        }
    }

    /// How high a cell is: what the third dimension means.
    fn height(&self, share: Option<f32>) -> f32 {
        height(self.stages, share)
    }

    /// A cell of a compact layout.
    fn cell(&self, cell: &Cell, has_frame: bool, is_few: bool, drawn: &mut Drawn) {
        let options = &self.stages.options;
        let [width, depth] = cell.size;
        let base = 2.0 * ABOVE;
        if has_frame {
            let grown = if cell.is_chosen && is_few { 1.0 + 2.0 * FRAME } else { 1.0 };
            let size = [width * grown, depth * grown, ABOVE / 2.0];
            drawn.add_box(
                Subject::Node,
                BoxMark { centre: cell.lifted(base - ABOVE), size, colour: cell.rim, id: cell.id },
            );
        }
        // Small cells of figures touch, or what is between them would shine through.
        let small = self.pixels.map(|pixels| pixels * width).filter(|pixels| *pixels < LEAST_CELL);
        let inner = match (has_frame, small) {
            (true, _) => 1.0 - FRAME,
            (false, Some(pixels)) => 1.0 + 0.6 / pixels.max(1.0),
            (false, None) => 0.95,
        };
        let by_value = match options.size_by {
            // Areas are what people compare.
            ByTraffic::Traffic => 0.2 + 0.8 * cell.share.filter(|share| !share.is_nan()).unwrap_or(0.0).sqrt(),
            ByTraffic::None => 1.0,
        };
        let height = self.height(cell.share);
        let part = |across: f32, down: f32, aside: f32| BoxMark {
            centre: {
                let [x, y, z] = cell.lifted(base + height / 2.0);
                [x, y + aside * depth * inner * by_value, z]
            },
            size: [width * inner * by_value * across, depth * inner * by_value * down, height],
            colour: cell.colour,
            id: cell.id,
        };
        let shape = if options.shape_by == ByLayer::Layer { (cell.layer - 1) % 6 } else { 0 };
        match shape {
            1 => {
                let radius = width.min(depth) * inner * by_value / 2.0;
                let mark = SphereMark { centre: cell.lifted(base + height), radius, colour: cell.colour, id: cell.id };
                drawn.add_sphere(Subject::Node, mark);
            }
            2 => drawn.add_box(Subject::Node, part(1.0, 0.4, 0.0)),
            3 => drawn.add_box(Subject::Node, part(0.4, 1.0, 0.0)),
            4 => [part(1.0, 0.3, 0.0), part(0.3, 1.0, 0.0)]
                .into_iter()
                .for_each(|mark| drawn.add_box(Subject::Node, mark)),
            5 => [part(1.0, 0.3, 0.35), part(1.0, 0.3, -0.35)]
                .into_iter()
                .for_each(|mark| drawn.add_box(Subject::Node, mark)),
            _ => drawn.add_box(Subject::Node, part(1.0, 1.0, 0.0)),
        }
    }

    /// A switch of layers on a plane: a rectangle with a rim.
    fn flat_box(&self, stage: &Stage, cell: &Cell, is_few: bool, drawn: &mut Drawn) {
        let [width, deep] = flat_size(stage, cell.size);
        let rim = (0.14 * width.min(deep)).clamp(0.02, 0.35) * if cell.is_chosen && is_few { 2.5 } else { 1.0 };
        let height = self.height(cell.share);
        let mark = |grown: f32, up: f32, high: f32, colour: ColourId| BoxMark {
            centre: cell.lifted(up),
            size: [width + grown, deep + grown, high],
            colour,
            id: cell.id,
        };
        drawn.add_box(Subject::Node, mark(rim, 3.0 * ABOVE, ABOVE / 2.0, cell.rim));
        drawn.add_box(Subject::Node, mark(-rim, 4.0 * ABOVE + height / 2.0, height, cell.colour));
    }

    /// A switch in space: its foot has the colour of the layer.
    fn tall_box(stage: &Stage, cell: &Cell, is_few: bool, drawn: &mut Drawn) {
        let grown = if cell.is_chosen && is_few { 1.5 } else { 1.0 };
        let [width, depth] = cell.size.map(|length| (length * grown).max(2.0 * LEAST));
        let height = tall(stage, width);
        let slab = |from: f32, to: f32, colour: ColourId| BoxMark {
            centre: cell.lifted(height * (f32::midpoint(from, to) - 0.5)),
            size: [width, depth, height * (to - from)],
            colour,
            id: cell.id,
        };
        drawn.add_box(Subject::Node, slab(0.0, 0.4, cell.rim));
        drawn.add_box(Subject::Node, slab(0.4, 1.0, cell.colour));
    }

    fn blocks(&self, stage: &Stage, drawn: &mut Drawn) {
        let split = self.stages.options.split().unwrap_or_default();
        let nodes = self.stages.nodes();
        let thick = BLOCK * stage.lift as f32;
        for (number, block) in (0..).zip(&stage.blocks) {
            let is_shown = nodes.start <= block.nodes.start && block.nodes.end <= nodes.end;
            if !is_shown || block.layer > self.stages.layers() {
                continue;
            }
            let item = Item { layer: block.layer, numbers: block.switches.clone() };
            let (at, width) = stage.block(block);
            if split.contains(&(block.layer, block.number)) {
                for number in block.switches.clone() {
                    let single = Item { layer: block.layer, numbers: number..number + 1 };
                    let (at, size) = stage.item(self.stages, &single);
                    let is_chosen = self.is_chosen(&single);
                    let own = self.looks.block(block.layer, self.share(&single));
                    drawn.add_box(
                        Subject::Node,
                        BoxMark {
                            centre: at,
                            size: [size[0], size[1], thick],
                            colour: if is_chosen { self.accent } else { own },
                            id: self.id(&single),
                        },
                    );
                }
                continue;
            }
            let own = self.looks.block(block.layer, self.share(&item));
            let colour = if self.is_chosen(&item) { self.accent } else { own };
            let width = width * if nodes.len() > 512 { 1.0 } else { 0.97 };
            drawn.add_box(Subject::Block, BoxMark { centre: at, size: [width, width, thick], colour, id: number });
        }
    }

    fn nodes(&self, stage: &Stage, is_few: bool, drawn: &mut Drawn) {
        let is_compact = stage.of.is_compact();
        // In figures they would hide their switch.
        if is_compact
            && self.stages.summed == 0
            && self.pixels.is_some_and(|pixels| pixels * (stage.scale as f32) < LEAST_CELL)
        {
            drawn.leaves_out_nodes = true;
            return;
        }
        let up = if is_compact { 4.0 * ABOVE } else { 0.0 };
        let pillar = stage.pillar();
        for item in self.stages.node_items() {
            let (at, size) = stage.item(self.stages, &item);
            let is_chosen = self.is_chosen(&item);
            let id = self.id(&item);
            // Several show the fullest of what is in them, as switches do.
            let own = match self.stages.summed {
                0 => self.nodes.of_node[id as usize],
                layer => self.looks.switch(layer, self.share(&item)),
            };
            let colour = if is_chosen && self.nodes.is_plain { self.accent } else { own };
            if is_compact && self.stages.summed > 0 {
                let size = [size[0], size[1], ABOVE / 2.0];
                drawn.add_box(Subject::Node, BoxMark { centre: [at[0], at[1], at[2] + up], size, colour, id });
                continue;
            }
            let grown = if is_chosen && is_few { 1.6 } else { 1.0 };
            if stage.of == Representation::Lb {
                let width = (size[0] * 0.8 * grown).max(LEAST);
                let high = pillar * if is_chosen && is_few { 1.8 } else { 1.0 };
                let centre = [at[0], at[1], at[2] + high / 2.0];
                drawn.add_box(Subject::Node, BoxMark { centre, size: [width, width, high], colour, id });
                continue;
            }
            let radius = (size[0] / 2.0 * grown).max(if is_compact { 0.0 } else { LEAST });
            let mark = SphereMark { centre: [at[0], at[1], at[2] + up], radius, colour, id };
            drawn.add_sphere(Subject::Node, mark);
        }
        if !self.stages.options.nics {
            return;
        }
        if self.stages.nodes().len() > MOST_NICS {
            drawn.leaves_out_nics = true;
            return;
        }
        let tree = self.stages.tree;
        for (cable, at, size) in stage.nics() {
            if !self.stages.has(tree.cable(cable).0) {
                continue;
            }
            let share = self.values.share(self.values.cable(cable));
            let is_chosen = self.chosen.cable() == Some(Cable(cable));
            let colour = if is_chosen { self.accent } else { self.looks.value(share) };
            // What is idle has an edge at least.
            let colour = if share.is_none() && !is_chosen { self.idle_wire } else { colour };
            let length = size.max(if is_compact { 0.0 } else { LEAST });
            let centre = [at[0], at[1], at[2] + up];
            let high = if stage.of.is_flat() { ABOVE / 2.0 } else { length };
            drawn.add_box(Subject::Nic, BoxMark { centre, size: [length, length, high], colour, id: cable });
        }
    }

    /// The cables that are drawn, the least busy first, so that the busiest cover them.
    fn shown_wires(&self, stage: &Stage, is_cut: &mut bool) -> Vec<u32> {
        let tree = self.stages.tree;
        let shown = |cable: &u32| {
            let (lower, upper) = tree.cable(*cable);
            self.stages.has(lower) && self.stages.has(upper)
        };
        let wires = match self.wires {
            Wires::Usual if self.stages.nodes().len() <= SMALL as usize && stage.of != Representation::Lb => {
                if stage.of.is_compact() { Wires::None } else { Wires::All }
            }
            Wires::Usual if stage.of.is_compact() || stage.of == Representation::Lb => Wires::None,
            Wires::Usual => Wires::Busy,
            said => said,
        };
        let most = match wires {
            Wires::None | Wires::Usual => return Vec::new(),
            Wires::Busy => BUSIEST,
            Wires::All => MOST_WIRES,
        };
        let load = |cable: &u32| self.values.cable(*cable);
        let known = |cable: &u32| wires == Wires::All || load(cable) > 0.0;
        let mut cables: Vec<u32> = (0..tree.cables()).filter(known).filter(shown).collect();
        // Of equally busy ones some are taken all over the tree: the first ones would look like a busy corner.
        let scattered = |cable: u32| cable.wrapping_mul(0x9e37_79b1);
        cables.sort_by(|a, b| load(b).total_cmp(&load(a)).then(scattered(*a).cmp(&scattered(*b))));
        if cables.len() > most {
            *is_cut = true;
            // As many of each layer: those of nodes are nearly always the fullest.
            let classes = tree.classes().len().max(1);
            let mut left = vec![most.div_ceil(classes); classes];
            cables.retain(|cable| {
                let left = &mut left[tree.class(Link(2 * cable))];
                let is_kept = *left > 0;
                *left = left.saturating_sub(1);
                is_kept
            });
        }
        cables.reverse();
        cables
    }

    fn wires(&self, stage: &Stage, drawn: &mut Drawn) {
        let tree = self.stages.tree;
        let mut shown = self.shown_wires(stage, &mut drawn.is_cut);
        drawn.wires.0 += shown.len();
        drawn.wires.1 += if shown.is_empty() { 0 } else { tree.cables() as usize };
        let is_busy_only = shown.len() as u32 != tree.cables();
        if self.chosen.is_any() && is_busy_only && stage.of != Representation::Lb {
            // Those of what is selected are drawn in any case.
            let chosen = |cable: &u32| self.chosen.has_cable(self.loads, Cable(*cable));
            shown.retain(|cable| !chosen(cable));
            let all = (0..tree.cables()).filter(chosen).filter(|cable| {
                let (lower, upper) = tree.cable(*cable);
                self.stages.has(lower) && self.stages.has(upper)
            });
            shown.extend(all.take(BUSIEST));
        }
        for cable in shown {
            let (lower, upper) = tree.cable(cable);
            let [from, to] = [(lower, 0.5), (upper, -0.5)].map(|(end, side)| {
                let ([x, y, z], size) = stage.item(self.stages, &self.stages.item_of(end));
                // On a plane over cells, but below switches; in space from the top of the lower end to the foot of the upper.
                let up = match stage.of {
                    of if of.is_compact() => 6.0 * ABOVE,
                    Representation::Qs => ABOVE,
                    _ if tree.layer(end) == 0 => 0.0,
                    _ => side * tall(stage, size[0]),
                };
                [x, y, z + up]
            });
            let is_chosen = self.chosen.is_any() && self.chosen.has_cable(self.loads, Cable(cable));
            let colour = match self.values.share(self.values.cable(cable)) {
                _ if is_chosen => self.accent,
                None => self.idle_wire,
                share => self.looks.value(share),
            };
            let radius = if is_chosen { CHOSEN_WIRE } else { WIRE };
            // The cable of a node leaves it by its network card.
            let has_card = self.stages.options.nics && tree.layer(lower) == 0 && !stage.of.is_compact();
            let card = has_card.then(|| stage.nic(cable)).flatten();
            let card = card.map(|[x, y, z]| [x, y, if stage.of.is_flat() { z + ABOVE } else { z }]);
            let mut start = from;
            for end in card.into_iter().chain([to]) {
                drawn.tubes.push(TubeMark { from: start, to: end, radius, colour, id: cable });
                start = end;
            }
        }
    }

    /// The way of a selected message, with a knot at each turn.
    fn way(&self, stage: &Stage, way: &Way, drawn: &mut Drawn) {
        let points: Vec<Point3> = stage.way(self.stages, &way.path);
        // A pipe along rows of blocks is thicker: it is one thing, not a row of links.
        let radius = if stage.of == Representation::Lb { 2.0 * WAY } else { WAY };
        let steps = points.len().saturating_sub(1).max(1);
        for (at, ends) in points.windows(2).enumerate() {
            let link = way.path[at * way.path.len() / steps];
            let mark = TubeMark { from: ends[0], to: ends[1], radius, colour: self.accent, id: link.cable().0 };
            drawn.add_bounds(mark.from, [0.0; 3]);
            drawn.ways.push(mark);
        }
        for (at, point) in points.iter().enumerate() {
            let link: Link = way.path[(at * way.path.len() / steps).min(way.path.len() - 1)];
            let is_end = at == 0 || at + 1 == points.len();
            let radius = radius * if is_end { 2.6 } else { 1.8 };
            drawn.add_sphere(
                Subject::Link,
                SphereMark { centre: *point, radius, colour: self.accent, id: link.cable().0 },
            );
        }
    }
}

fn height(stages: &Stages<'_>, share: Option<f32>) -> f32 {
    let is_value = stages.options.height == ByTraffic::Traffic;
    let share = share.filter(|share| !share.is_nan()).unwrap_or(0.0);
    if is_value { ABOVE + HIGHEST * share } else { ABOVE / 2.0 }
}

/// The way of a message through a representation, above what lies on a plane.
pub(super) fn way_above(stages: &Stages<'_>, stage: &Stage, path: &[Link]) -> Vec<Point3> {
    // The way itself is above flat cells; here it is above those that stand up too.
    let up = if stage.of.is_flat() { height(stages, Some(1.0)).min(1.0) } else { 0.0 };
    stage.way(stages, path).into_iter().map(|[x, y, z]| [x, y, z + up]).collect()
}

/// A switch, or several, as it is drawn.
struct Cell {
    at: Point3,
    size: [f32; 2],
    colour: ColourId,
    /// Around it, or at its foot.
    rim: ColourId,
    share: Option<f32>,
    layer: u32,
    id: u32,
    is_chosen: bool,
}

impl Cell {
    fn lifted(&self, by: f32) -> Point3 {
        [self.at[0], self.at[1], self.at[2] + by]
    }
}

/// How high a switch in space is.
fn tall(stage: &Stage, width: f32) -> f32 {
    (0.55 * width).clamp(0.03 * stage.lift as f32, 0.22 * stage.lift as f32)
}

/// How large a switch is in layers on a plane: as wide as its place, and as high as a line of text needs.
pub(super) fn flat_size(stage: &Stage, [width, _]: [f32; 2]) -> [f32; 2] {
    let high = (stage.lift as f32 * 0.2).min(width * FRAC_1_SQRT_2).max(0.05 * stage.lift as f32);
    [width.max(2.0 * LEAST), high]
}
