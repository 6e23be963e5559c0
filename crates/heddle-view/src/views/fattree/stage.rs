//! What is drawn of a fat-tree, and where it stands: layouts turned into places of one space.
//!
//! Every picture is about [`WIDE`] units wide, whatever the tree: lengths of lines and labels are then the same for all. Where there
//! is more than can be drawn, neighbouring switches of a pod, and the nodes of lower pods, become one solid.

use std::ops::Range;

use heddle_options::OptionError;
use heddle_topology::layout::tree::{Block, Generators, Place, Representation, TreeLayout, blocks};
use heddle_topology::{Element, FatTree, Link, Topology};

use super::options::{ByTraffic, FatTreeOptions};
use crate::request::ViewRequest;
use crate::scene::space::{Bounds, Point3, Turn};

/// How wide a picture is.
pub(crate) const WIDE: f64 = 100.0;
/// From one representation to the next, where there are several: across, and from row to row.
const APART: [f64; 2] = [26.0, 70.0];
/// How much lower each is then.
const LOWER: f64 = 0.5;
/// Solids of one representation; beyond that, one stands for several.
const MOST_SOLIDS: u64 = 200_000;
/// How high everything is that stands in space, as a share of its width: the line, the cone, the rectangles, the blocks.
const HIGH: [(Representation, f64); 4] =
    [(Representation::Dl, 0.4), (Representation::Dc, 0.75), (Representation::Dr, 0.8), (Representation::Lb, 0.6)];
/// How high a pillar is, as a share of a layer.
const PILLAR: f64 = 0.34;
/// What is a little above another on a plan, so that it covers it.
pub(crate) const ABOVE: f32 = 0.06;

/// Everything that is drawn, each representation in its place.
pub(crate) struct Stages<'a> {
    pub(crate) tree: &'a FatTree,
    pub(crate) options: FatTreeOptions,
    /// The pod that is shown alone.
    pub(crate) within: Option<(u32, u32)>,
    pub(crate) all: Vec<Stage>,
    /// How many layers of pods are summed up: nodes of a pod of that layer are one, and as many neighbouring switches.
    pub(crate) summed: u32,
}

/// A representation in its place.
pub(crate) struct Stage {
    pub(crate) of: Representation,
    layout: TreeLayout,
    /// Of layered blocks.
    pub(crate) blocks: Vec<Block>,
    /// The middle of the layout, in its own units.
    middle: [f64; 2],
    /// Pictures per unit of the layout.
    pub(crate) scale: f64,
    /// How high a layer is.
    pub(crate) lift: f64,
    /// Where its middle stands.
    pub(crate) offset: [f64; 2],
    /// How high above the ground its layer 0 is.
    ground: f64,
}

/// Some elements of one layer that are drawn as one: usually one alone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    pub(crate) layer: u32,
    /// By number in the layer.
    pub(crate) numbers: Range<u32>,
}

impl<'a> Stages<'a> {
    /// What a request asks for; an error if the tree cannot be drawn like that.
    pub(crate) fn of(tree: &'a FatTree, request: &ViewRequest, aspect: f64) -> Result<Stages<'a>, OptionError> {
        let options: FatTreeOptions = request.options.read()?;
        let wrong = |name: &str, why: String| OptionError { name: name.to_owned(), why };
        let representations = options.representations(tree.hosts())?;
        let within = options.pod()?;
        if let Some((layer, number)) = within {
            if layer > tree.layers() {
                return Err(wrong("within", format!("names a layer above the last, which is {}", tree.layers())));
            }
            let pods = tree.pods(layer).all().len();
            if number as usize >= pods {
                return Err(wrong("within", format!("names a pod that layer {layer} does not have: it has {pods}")));
            }
        }
        let cells = match options.cells.trim() {
            "" if representations.contains(&Representation::Cells) => {
                return Err(wrong("cells", "must name the file of generators that --as cells draws by".to_owned()));
            }
            "" => None,
            name => {
                let text = request.options.file(name).ok_or_else(|| wrong("cells", "names no file".to_owned()))?;
                Some(Generators::parse(text).map_err(|error| wrong("cells", format!("is wrong: {error}")))?)
            }
        };
        let grouping = options.grouping.0;
        let mut stages = Stages { tree, options, within, all: Vec::with_capacity(representations.len()), summed: 0 };
        let shown = stages.nodes();
        // As few layers as leave room for what is left.
        stages.summed =
            (0..tree.layers()).find(|summed| stages.count(*summed) <= MOST_SOLIDS).unwrap_or(tree.layers() - 1);
        let columns = (representations.len() as f64).sqrt().ceil().max(1.0) as usize;
        for (at, of) in representations.iter().enumerate() {
            let layout = TreeLayout::new(tree, *of, cells.as_ref(), grouping).map_err(|error| {
                let name = if *of == Representation::Cells { "cells" } else { "as" };
                wrong(name, error.to_string())
            })?;
            let is_alone = representations.len() == 1;
            let (column, row) = ((at % columns) as f64, (at / columns) as f64);
            let place = [column * (WIDE + APART[0]), -row * (WIDE + APART[1])];
            let blocks = if *of == Representation::Lb { blocks(tree, grouping) } else { Vec::new() };
            let mut stage =
                Stage { of: *of, layout, blocks, middle: [0.0; 2], scale: 1.0, lift: 1.0, offset: place, ground: 0.0 };
            stage.fit(tree, &shown, stages.within, if is_alone { aspect } else { 1.0 });
            if !is_alone {
                stage.lift *= LOWER;
                // Blocks go down: the lowest lies on the ground.
                let is_down = *of == Representation::Lb;
                stage.ground = if is_down { stage.lift * f64::from(stages.layers()) } else { 0.0 };
            }
            stages.all.push(stage);
        }
        Ok(stages)
    }

    /// The nodes that are shown.
    pub(crate) fn nodes(&self) -> Range<u32> {
        match self.within {
            Some((layer, number)) => self.tree.pods(layer).all()[number as usize].nodes.clone(),
            None => 0..self.tree.hosts(),
        }
    }

    /// Layers of switches that are shown.
    pub(crate) fn layers(&self) -> u32 {
        self.within.map_or(self.tree.layers(), |(layer, _)| layer)
    }

    /// Whether a node or a switch is shown.
    pub(crate) fn has(&self, element: Element) -> bool {
        let Some((within, _)) = self.within else { return true };
        let (layer, number) = self.tree.place(element);
        let nodes = self.nodes();
        match layer {
            0 => nodes.contains(&number),
            layer if layer <= within => {
                let pods = self.tree.pods(layer);
                let pod = &pods.all()[pods.of_switch(number)];
                nodes.start <= pod.nodes.start && pod.nodes.end <= nodes.end
            }
            _ => false,
        }
    }

    /// Solids of a representation where so many layers are summed up.
    fn count(&self, summed: u32) -> u64 {
        let nodes = self.nodes();
        let share = f64::from(nodes.end - nodes.start) / f64::from(self.tree.hosts().max(1));
        let each = self.per_solid(summed);
        let switches: u32 = (summed + 1..=self.layers()).map(|layer| self.tree.in_layer(layer).div_ceil(each)).sum();
        let pods = if summed == 0 { self.tree.hosts() } else { self.tree.pods(summed).all().len() as u32 };
        (share * f64::from(switches + pods)) as u64
    }

    /// Switches that one solid stands for at most.
    fn per_solid(&self, summed: u32) -> u32 {
        if summed == 0 {
            return 1;
        }
        self.tree.pods(summed + 1).all().iter().map(|pod| pod.switches.len() as u32).max().unwrap_or(1).max(1)
    }

    /// The nodes that are shown, as they are drawn: one by one, or all of a pod together.
    pub(crate) fn node_items(&self) -> Vec<Item> {
        let nodes = self.nodes();
        if self.summed == 0 {
            return nodes.map(|node| Item { layer: 0, numbers: node..node + 1 }).collect();
        }
        let pods = self.tree.pods(self.summed).all().iter().map(|pod| pod.nodes.clone());
        let is_shown = |pod: &Range<u32>| nodes.start <= pod.start && pod.end <= nodes.end;
        pods.filter(is_shown).map(|numbers| Item { layer: 0, numbers }).collect()
    }

    /// The switches that are shown, as they are drawn.
    pub(crate) fn switch_items(&self) -> Vec<Item> {
        let (nodes, each) = (self.nodes(), self.per_solid(self.summed));
        let mut items = Vec::new();
        for layer in self.summed + 1..=self.layers() {
            let pods = self.tree.pods(layer).all().iter();
            for pod in pods.filter(|pod| nodes.start <= pod.nodes.start && pod.nodes.end <= nodes.end) {
                let mut from = pod.switches.start;
                while from < pod.switches.end {
                    let to = (from + each).min(pod.switches.end);
                    items.push(Item { layer, numbers: from..to });
                    from = to;
                }
            }
        }
        items
    }

    /// What is drawn together with an element.
    pub(crate) fn item_of(&self, element: Element) -> Item {
        let (layer, number) = self.tree.place(element);
        if self.summed == 0 {
            return Item { layer, numbers: number..number + 1 };
        }
        if layer == 0 {
            let pods = self.tree.pods(self.summed);
            return Item { layer, numbers: pods.all()[pods.of_node(number)].nodes.clone() };
        }
        let (pods, each) = (self.tree.pods(layer), self.per_solid(self.summed));
        let pod = &pods.all()[pods.of_switch(number)];
        let from = pod.switches.start + (number - pod.switches.start) / each * each;
        Item { layer, numbers: from..(from + each).min(pod.switches.end) }
    }

    /// The elements of an item.
    pub(crate) fn elements(&self, item: &Item) -> impl Iterator<Item = Element> + use<> {
        let first = self.tree.element(item.layer, item.numbers.start).0;
        (first..first + item.numbers.len() as u32).map(Element)
    }

    /// What an item stands for: itself, and of nodes that are summed up the switches in their pod too, which are not drawn.
    pub(crate) fn held(&self, item: &Item) -> Vec<Element> {
        let mut held: Vec<Element> = self.elements(item).collect();
        if item.layer == 0 {
            for layer in 1..=self.summed {
                let pods = self.tree.pods(layer);
                let (first, last) = (pods.of_node(item.numbers.start), pods.of_node(item.numbers.end - 1));
                let switches = pods.all()[first..=last].iter().flat_map(|pod| pod.switches.clone());
                held.extend(switches.map(|number| self.tree.element(layer, number)));
            }
        }
        held
    }

    /// Which way one looks unless somebody says: from above where everything lies on a plane.
    pub(crate) fn usual_turn(&self) -> Turn {
        match (&self.all[..], self.is_plan()) {
            (_, true) => Turn { around: 0.0, above: 90.0 },
            ([one], _) if one.of == Representation::Dl => Turn { around: 14.0, above: 12.0 },
            ([one], _) if one.of == Representation::Lb => Turn { around: 22.0, above: 26.0 },
            ([one], _) if one.of.is_flat() => Turn { around: 20.0, above: 42.0 },
            ([_], _) => Turn { around: 30.0, above: 24.0 },
            _ => Turn { around: 10.0, above: 46.0 },
        }
    }

    /// Whether all of it lies on one plane.
    pub(crate) fn is_plan(&self) -> bool {
        self.options.height == ByTraffic::None && self.all.iter().all(|stage| stage.of.is_flat())
    }
}

impl Stage {
    /// Chooses the scale, and how high a layer is.
    fn fit(&mut self, tree: &FatTree, nodes: &Range<u32>, within: Option<(u32, u32)>, aspect: f64) {
        let layers = within.map_or(tree.layers(), |(layer, _)| layer);
        let (mut low, mut high) = ([f64::MAX; 2], [f64::MIN; 2]);
        let mut add = |place: &Place| {
            for axis in 0..2 {
                low[axis] = low[axis].min(place.at[axis] - place.size[axis] / 2.0);
                high[axis] = high[axis].max(place.at[axis] + place.size[axis] / 2.0);
            }
        };
        self.layout.nodes[nodes.start as usize..nodes.end as usize].iter().for_each(&mut add);
        for layer in 1..=layers {
            for pod in tree.pods(layer).all() {
                if nodes.start <= pod.nodes.start && pod.nodes.end <= nodes.end {
                    for number in [pod.switches.start, pod.switches.end.saturating_sub(1)] {
                        if pod.switches.contains(&number) {
                            add(self.layout.element(tree.element(layer, number)));
                        }
                    }
                    // Cells of a pod lie all around those of its children.
                    if self.of.is_compact() && layer == layers {
                        for number in pod.switches.clone() {
                            add(self.layout.element(tree.element(layer, number)));
                        }
                    }
                }
            }
        }
        self.middle = [0, 1].map(|axis| f64::midpoint(low[axis], high[axis]));
        self.scale = WIDE / (high[0] - low[0]).max(high[1] - low[1]).max(1.0);
        let share = HIGH.iter().find(|(of, _)| *of == self.of).map_or(aspect.clamp(0.3, 1.2), |(_, share)| *share);
        self.lift = share * WIDE / f64::from(layers.max(1));
    }

    /// A place of the layout in space.
    fn point(&self, at: [f64; 3]) -> Point3 {
        let [x, y] = [0, 1].map(|axis| (at[axis] - self.middle[axis]) * self.scale + self.offset[axis]);
        let height = at[2] * self.lift + self.ground;
        match self.of {
            // On a plane, layers go away from the viewer.
            Representation::Qs => [x as f32, (y + height) as f32, 0.0],
            of if of.is_flat() => [x as f32, y as f32, 0.0],
            _ => [x as f32, y as f32, height as f32],
        }
    }

    /// Where a node or a switch stands.
    pub(crate) fn element(&self, element: Element) -> Point3 {
        self.point(self.layout.element(element).at)
    }

    /// Where an item stands, and how much of the plane it covers.
    pub(crate) fn item(&self, stages: &Stages<'_>, item: &Item) -> (Point3, [f32; 2]) {
        let first = stages.tree.element(item.layer, item.numbers.start);
        let place = self.layout.element(first);
        let (mut low, mut high) = (place.at, place.at);
        for element in stages.elements(item) {
            let at = self.layout.element(element).at;
            for axis in 0..3 {
                low[axis] = low[axis].min(at[axis]);
                high[axis] = high[axis].max(at[axis]);
            }
        }
        let middle = [0, 1, 2].map(|axis| f64::midpoint(low[axis], high[axis]));
        let size = [0, 1].map(|axis| ((high[axis] - low[axis] + place.size[axis]) * self.scale) as f32);
        (self.point(middle), size)
    }

    /// Network cards: the cable of each, where it stands, and how large it is.
    pub(crate) fn nics(&self) -> impl Iterator<Item = (u32, Point3, f32)> + '_ {
        self.layout
            .nics
            .iter()
            .map(|(cable, place)| (*cable, self.point(place.at), (place.size[0] * self.scale) as f32))
    }

    /// The network card of a cable.
    pub(crate) fn nic(&self, cable: u32) -> Option<Point3> {
        let at = self.layout.nics.binary_search_by_key(&cable, |(known, _)| *known).ok()?;
        Some(self.point(self.layout.nics[at].1.at))
    }

    /// How high a pillar of layered blocks is.
    pub(crate) fn pillar(&self) -> f32 {
        (PILLAR * self.lift) as f32
    }

    /// Where a block lies, and how wide it is.
    pub(crate) fn block(&self, block: &Block) -> (Point3, f32) {
        let place = block.place();
        (self.point(place.at), (place.size[0] * self.scale) as f32)
    }

    /// A point above the ground plane of layered blocks: nodes `x` and `y`, so many layers down.
    fn below(&self, x: u32, y: u32, layers: f64) -> Point3 {
        self.point([f64::from(x) + 0.5, f64::from(y) + 0.5, -layers])
    }

    /// The way of a message. In layered blocks it goes down to just above the layer where sender and receiver meet, along the
    /// sender's row, turns by 90 degrees, and comes up at the receiver.
    pub(crate) fn way(&self, stages: &Stages<'_>, path: &[Link]) -> Vec<Point3> {
        let tree = stages.tree;
        let (Some(first), Some(last)) = (path.first(), path.last()) else { return Vec::new() };
        let (from, to) = (tree.ends(*first).0, tree.ends(*last).1);
        if self.of == Representation::Lb {
            let meeting = path.iter().map(|link| tree.layer(tree.ends(*link).1)).max().unwrap_or(1);
            // The pipe is of the message, so it counts from nodes; a part of a way begins wherever it begins.
            if tree.layer(from) == 0 && tree.layer(to) == 0 {
                let depth = f64::from(meeting) - 0.32;
                let (i, j) = (from.0, to.0);
                return vec![
                    self.element(from),
                    self.below(i, i, depth),
                    self.below(j, i, depth),
                    self.below(j, j, depth),
                    self.element(to),
                ];
            }
        }
        let mut points = vec![self.element(from)];
        for link in path {
            let (start, end) = tree.ends(*link);
            // Through the card of whichever end is a node.
            let is_of_node = tree.layer(start).min(tree.layer(end)) == 0;
            points.extend(is_of_node.then(|| self.nic(link.cable().0)).flatten());
            points.push(self.element(end));
        }
        if self.of.is_flat() {
            // Above what lies on the plane.
            for point in &mut points {
                point[2] += 8.0 * ABOVE;
            }
        }
        points
    }
}

/// Large enough for a solid of these half lengths too.
pub(crate) fn add_around(bounds: &mut Bounds, at: Point3, half: Point3) {
    for side in [-1.0, 1.0] {
        bounds.add([0, 1, 2].map(|axis| at[axis] + side * half[axis]));
    }
}
