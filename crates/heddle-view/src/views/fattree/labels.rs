//! Texts in a picture of a fat-tree: layers, numbers of switches where they fit, the ends of a row of nodes.

use heddle_topology::layout::tree::Representation;
use heddle_topology::{Element, Topology};

use super::looks::{Looks, Values};
use super::solids::flat_size;
use super::stage::{Item, Stage, Stages, WIDE};
use crate::scene::space::{Label3, Point3};
use crate::scene::theme::Colours;
use crate::scene::ticks::grouped;
use crate::scene::{ColourId, Ink, Rgba};

/// Width of a character, and height of a line, in pixels.
const CHARACTER: f32 = 6.6;
const LINE: f32 = 12.0;
/// Numbers of switches that are written at most.
const MOST_NUMBERS: usize = 600;
/// From the picture to what stands beside it.
const ASIDE: f32 = 4.0;

/// All texts, at so many pixels per unit.
pub(super) fn labels(
    stages: &Stages<'_>,
    values: &Values,
    looks: &Looks,
    palette: &[Rgba],
    ink: Ink,
    pixels: f32,
) -> Vec<Label3> {
    let mut labels = Vec::new();
    let is_alone = stages.all.len() == 1;
    for stage in &stages.all {
        if is_alone {
            layers(stages, stage, ink.text, pixels, &mut labels);
            ends(stages, stage, ink.text, &mut labels);
            if stage.of == Representation::Qs {
                numbers(stages, stage, values, looks, palette, pixels, &mut labels);
            }
        } else {
            let text = format!("{} · {}", stage.of.name().to_uppercase(), stage.of.words());
            let [x, y] = stage.offset.map(|at| at as f32);
            // In front of it: a line of nodes has nothing there.
            let is_line = matches!(stage.of, Representation::Qs | Representation::Dl);
            let away = if is_line { 0.0 } else { (WIDE / 2.0) as f32 };
            labels.push(Label3 { at: [x, y - away - 3.0 * ASIDE, 0.0], text, colour: ink.strong });
        }
    }
    labels
}

/// The first and the last element of a layer that are shown.
fn row(stages: &Stages<'_>, layer: u32) -> Option<(Element, Element)> {
    if layer == 0 {
        let nodes = stages.nodes();
        return Some((Element(nodes.start), Element(nodes.end - 1)));
    }
    let nodes = stages.nodes();
    let pods = stages.tree.pods(layer).all().iter();
    let mut shown =
        pods.filter(|pod| nodes.start <= pod.nodes.start && pod.nodes.end <= nodes.end && !pod.switches.is_empty());
    let first = shown.next()?;
    let last = shown.next_back().unwrap_or(first);
    Some((stages.tree.element(layer, first.switches.start), stages.tree.element(layer, last.switches.end - 1)))
}

/// What layers are called.
fn layers(stages: &Stages<'_>, stage: &Stage, colour: ColourId, pixels: f32, labels: &mut Vec<Label3>) {
    let half = (WIDE / 2.0) as f32;
    for layer in 1..=stages.layers() {
        let Some((first, _)) = row(stages, layer) else { continue };
        let text = format!("layer {layer}");
        let [_, y, z] = stage.element(first);
        // Texts stand about their middle: half of one, and a little more, beside the picture.
        let aside = ASIDE.max((CHARACTER * text.len() as f32 / 2.0 + LINE) / pixels.max(f32::MIN_POSITIVE));
        let at: Point3 = match stage.of {
            Representation::Qs => [-half - aside, y, 0.0],
            Representation::Dl => [-half - aside, 0.0, z],
            Representation::Dc => [-0.32 * half - ASIDE - aside, 0.0, z],
            Representation::Dr | Representation::Lb => [-half - ASIDE - aside, -half, z],
            Representation::Ht => match square(stages, stage, layer, pixels) {
                Some(at) => at,
                None => continue,
            },
            // Cells of layers are among each other: colours say which is which.
            Representation::F1 | Representation::Cells => continue,
        };
        labels.push(Label3 { at, text, colour });
    }
}

/// Below the square of a pod's switches, if it is large enough to have room there.
fn square(stages: &Stages<'_>, stage: &Stage, layer: u32, pixels: f32) -> Option<Point3> {
    let nodes = stages.nodes();
    let pods = stages.tree.pods(layer).all().iter();
    let shown: Vec<_> = pods.filter(|pod| nodes.start <= pod.nodes.start && pod.nodes.end <= nodes.end).collect();
    // The second one of the top layers: the first is where people look for other things.
    let pod = shown.get(1).or(shown.first())?;
    if pod.switches.is_empty() {
        return None;
    }
    let item = Item { layer, numbers: pod.switches.clone() };
    let ([x, y, z], size) = stage.item(stages, &item);
    let text = CHARACTER * "layer 1".len() as f32;
    (size[0] * pixels >= text * 0.8).then_some([x, y - size[1] / 2.0 - LINE * 0.75 / pixels, z])
}

/// The first and the last node.
fn ends(stages: &Stages<'_>, stage: &Stage, colour: ColourId, labels: &mut Vec<Label3>) {
    let Some((first, last)) = row(stages, 0) else { return };
    let aside: Point3 = match stage.of {
        Representation::Qs => [0.0, -ASIDE, 0.0],
        Representation::Dl => [0.0, 0.0, -ASIDE],
        Representation::Lb => [0.0, 0.0, stage.pillar() + 0.75 * ASIDE],
        _ => return,
    };
    for (node, is_first) in [(first, true), (last, false)] {
        let name = stages.tree.label(node);
        let text = match (is_first, stages.tree.rule().is_some()) {
            (false, true) => grouped(node.0.into()),
            _ => name,
        };
        let at = stage.element(node);
        labels.push(Label3 { at: [0, 1, 2].map(|axis| at[axis] + aside[axis]), text, colour });
    }
}

/// Numbers of switches, where all of a layer fit.
fn numbers(
    stages: &Stages<'_>,
    stage: &Stage,
    values: &Values,
    looks: &Looks,
    palette: &[Rgba],
    pixels: f32,
    labels: &mut Vec<Label3>,
) {
    let items = stages.switch_items();
    if stages.summed > 0 || items.len() > MOST_NUMBERS {
        return;
    }
    for item in &items {
        let (at, size) = stage.item(stages, item);
        let [width, high] = flat_size(stage, size);
        let text = item.numbers.start.to_string();
        if width * pixels < CHARACTER * text.len() as f32 + 2.0 || high * pixels < LINE {
            continue;
        }
        let fill = looks.switch(item.layer, values.share(values.of_item(stages, item)));
        labels.push(Label3 { at, text, colour: Colours::ink_on(palette[usize::from(fill.0)]) });
    }
}
