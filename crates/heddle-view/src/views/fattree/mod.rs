//! A fat-tree in the seven representations of Berkbigler et al. (2002), one by one or side by side, in one space.
//!
//! Those that lie on a plane are looked at from straight above: under our camera that is exactly the picture on the plane, and
//! the third dimension is there for a value.

mod labels;
pub(crate) mod looks;
pub(crate) mod options;
mod solids;
pub(crate) mod stage;
mod told;
pub(crate) mod ways;

use heddle_options::{OptionError, Options};
use heddle_store::Store;
use heddle_topology::layout::tree::Representation;
use heddle_topology::{Cable, Element, FatTree, Topology};

use self::looks::{Looks, Values, percent_text};
use self::options::FatTreeOptions;
use self::solids::{Drawn, Painter};
use self::stage::{Stages, WIDE};
use self::told::{block_elements, block_picked, element_picked, nic_picked, several_picked};
use self::ways::{Way, selected_ways};
use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::request::node_set::NodeSet;
use crate::request::picked::Picked;
use crate::request::selection::Selection;
use crate::request::{Framing, ViewRequest};
use crate::scene::frame::{frame, whole_area};
use crate::scene::space::{Bounds, CameraOptions, Scene3, SolidId, Subject};
use crate::scene::ticks::{counted, grouped};
use crate::scene::{Axis, ColourId, Rgba, Scene};
use crate::views::machine::WITH_MESSAGES;
use crate::views::machine::chosen::Chosen;
use crate::views::machine::loads::Loads;
use crate::views::machine::motion::MotionOptions;
use crate::views::machine::nodes::{NodeColours, clusters_urgency, node_colours};
use crate::views::machine::options::MachineOptions;
use crate::views::machine::told::{cable_picked, routes};
use crate::views::{AxisKind, Choosing, Picture, Space, ViewModule};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "fattree",
    about: "A fat-tree: nodes, and how full its switches are, in seven representations",
    axes: (AxisKind::Values, AxisKind::Values),
    options: || {
        let groups = [FatTreeOptions::specs(), MachineOptions::specs(), MotionOptions::specs(), CameraOptions::specs()];
        groups.into_iter().flatten().collect()
    },
    check: Some(check),
    analyses: &[(AnalysisKind::Network, |_| Some(Urgency::Required)), (AnalysisKind::Clusters, clusters_urgency)],
    selections: WITH_MESSAGES,
    picture: Picture::Space(Space { scene, pick, select, ways: Some(ways::ways) }),
};

/// Whether the tree of a trace can be drawn as options say.
fn check(store: &Store, request: &ViewRequest) -> Result<(), OptionError> {
    crate::views::machine::nodes::check(store, request)?;
    let options: FatTreeOptions = request.options.read()?;
    let representations = options.representations(0)?;
    options.pod()?;
    options.split()?;
    let needs_tree = representations.iter().any(|of| matches!(of, Representation::F1 | Representation::Cells))
        || !options.within.trim().is_empty();
    if !needs_tree {
        return Ok(());
    }
    // A machine that is wrong is said where it is opened.
    let Ok(network) = request.options.read() else { return Ok(()) };
    let Ok(machine) = heddle_network::Machine::of(store, &network, &request.options) else { return Ok(()) };
    machine.shape.fat_tree().map_or(Ok(()), |tree| Stages::of(tree, request, 1.0).map(drop))
}

/// Where everything stands in the picture that a request asks for; none if the machine is no tree.
pub(crate) fn stages<'a>(trace: &'a Trace<'_>, request: &ViewRequest) -> Option<Stages<'a>> {
    let tree: &FatTree = trace.network.as_ref()?.machine.shape.fat_tree()?;
    // Wrong options are refused before anything is drawn.
    Stages::of(tree, request, aspect(request)).ok()
}

/// How high the plot is for its width.
fn aspect(request: &ViewRequest) -> f64 {
    let plot = whole_area(request);
    f64::from(plot.height) / f64::from(plot.width).max(1.0)
}

/// What a picture rests on.
struct Shown<'a> {
    loads: Loads<'a>,
    stages: Stages<'a>,
    values: Values,
}

impl<'a> Shown<'a> {
    fn of(trace: &'a Trace<'_>, request: &ViewRequest) -> Option<Shown<'a>> {
        let stages = stages(trace, request)?;
        let tree = stages.tree;
        let loads = Loads::of(trace, request)?;
        let utilisation = loads.utilisation(trace, request);
        let values = Values::of(tree, &loads, utilisation, stages.options.switches);
        Some(Shown { loads, stages, values })
    }
}

/// The picture.
fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene3 {
    let store = trace.store;
    let colours = request.colours(store);
    let plot = whole_area(request);
    let axes = || (Axis::default(), Axis::default());
    let Some(shown) = Shown::of(trace, request) else {
        let mut flat = frame(request, plot, format!("{} · fat-tree", store.name()), axes(), &colours, Vec::new());
        flat.notes.push("The machine of this trace is no fat-tree: --topology says another.".to_owned());
        return in_space(flat, Drawn::default(), Vec::new(), request, None);
    };
    let Shown { loads, stages, values } = &shown;
    let ink = colours.ink();
    let mut palette = colours.palette();
    let looks = Looks::add(&mut palette, request, stages.options.switches, (colours.background(), ink.line));
    let nodes = node_colours(trace, request, loads, &mut palette, ink.faint);
    let chosen = Chosen::of(loads, trace, request);
    let ways = selected_ways(trace, request);
    let zoom = request.options.checked::<CameraOptions>().zoom.0;
    let pixels = plot.width.min(plot.height) / WIDE as f32 * zoom;
    let painter = Painter {
        stages,
        loads,
        values,
        looks: &looks,
        nodes: &nodes,
        chosen: &chosen,
        accent: colours.accent(),
        idle_wire: ink.line,
        wires: stages.options.wires,
        pixels: (request.framing == Framing::Figure).then_some(pixels),
    };
    let drawn = painter.draw(&ways);
    let labels = labels::labels(stages, values, &looks, &palette, ink, pixels);
    let title = format!("{} · {} · {}", store.name(), loads.title(), as_words(stages));
    let mut flat = frame(request, plot, title, axes(), &colours, Vec::new());
    flat.palette = palette;
    let has_cells = stages.all.iter().any(|stage| stage.of != Representation::Lb);
    flat.colour_bar = looks.bar(loads, values, has_cells);
    flat.legend = looks.legend(values, stages.layers());
    flat.legend.extend(nodes.legend.iter().cloned());
    flat.notes = notes(&shown, &drawn, &ways);
    flat.notes.extend(nodes.notes.iter().cloned());
    flat.notes.extend(loads.notes.iter().cloned());
    in_space(flat, drawn, labels, request, Some(stages))
}

fn in_space(
    flat: Scene,
    drawn: Drawn,
    labels: Vec<crate::scene::space::Label3>,
    request: &ViewRequest,
    stages: Option<&Stages<'_>>,
) -> Scene3 {
    let mut bounds = drawn.bounds.unwrap_or_else(|| Bounds::at([0.0; 3]));
    for label in &labels {
        bounds.add(label.at);
    }
    let mut camera = request.options.checked::<CameraOptions>().camera();
    if let (None, Some(stages)) = (request.options.get("turn"), stages) {
        camera.turn = stages.usual_turn();
    }
    let is_plan = stages.is_some_and(Stages::is_plan);
    if request.framing == Framing::Figure && request.options.get("zoom").is_none() && !is_plan {
        camera = camera.snug(&bounds, flat.plot);
    }
    Scene3 { flat, groups: drawn.groups(), labels, axes: Vec::new(), bounds, camera, is_plan, is_layered: true }
}

/// `H tree`, or all that stand side by side; with the pod that is shown alone.
fn as_words(stages: &Stages<'_>) -> String {
    let names: Vec<&str> = stages.all.iter().map(|stage| stage.of.words()).collect();
    let nodes = stages.nodes();
    let pod =
        stages.within.map(|_| format!(", nodes {}–{}", grouped(nodes.start.into()), grouped((nodes.end - 1).into())));
    format!("{}{}", names.join("; "), pod.unwrap_or_default())
}

fn notes(shown: &Shown<'_>, drawn: &Drawn, ways: &[Way]) -> Vec<String> {
    let Shown { loads, stages, values } = shown;
    let mut notes = Vec::new();
    let layers = &values.utilisation.layers;
    let switches: usize = layers.iter().skip(1).map(|used| used.utilisation.links).sum();
    let idle: usize = layers.iter().skip(1).map(|used| used.utilisation.unused).sum();
    notes.push(format!(
        "{} nodes and {}{}.",
        grouped(stages.tree.hosts().into()),
        counted_switches(u64::from(stages.tree.switches())),
        if idle > 0 && switches > 0 { format!(", {} of them idle", grouped(idle as u64)) } else { String::new() }
    ));
    if stages.summed > 0 {
        let pod = stages.tree.pods(stages.summed).all().first().map_or(1, |pod| pod.nodes.len());
        notes.push(format!(
            "Too many to draw one by one: each solid stands for {} nodes, or for the switches above as many, and shows the fullest.",
            grouped(pod as u64)
        ));
    }
    if drawn.leaves_out_nodes {
        notes.push("Nodes lie in the cells of their switches, too small to be drawn at this size.".to_owned());
    }
    if drawn.leaves_out_nics {
        notes.push("There are too many network cards to draw; within one pod they are.".to_owned());
    }
    if drawn.wires.0 < drawn.wires.1 {
        let (some, all) = (grouped(drawn.wires.0 as u64), grouped(drawn.wires.1 as u64));
        notes.push(match (stages.within.is_some(), drawn.is_cut) {
            (_, true) => format!("The {some} busiest of {all} cables are drawn, as many of each layer."),
            (true, false) => format!("{some} of {all} cables lie within what is shown."),
            (false, false) => format!("{some} of {all} cables are drawn: the others carry nothing."),
        });
    }
    if let [way] = ways {
        notes.push(format!(
            "The selected message passes {}, as the routing has it.",
            counted(way.path.len() as u64, "link")
        ));
    } else if ways.len() > 1 {
        notes
            .push(format!("The ways of {} are drawn, as the routing has them.", counted(ways.len() as u64, "message")));
    }
    if loads.traffic.origin == heddle_network::Origin::Predicted {
        notes.push(format!("Predicted, not measured: {}.", routes(loads)));
    }
    notes
}

/// `1 switch`, `6,144 switches`
pub(crate) fn counted_switches(count: u64) -> String {
    if count == 1 { "1 switch".to_owned() } else { format!("{} switches", grouped(count)) }
}

/// What a solid stands for.
fn pick(trace: &Trace<'_>, request: &ViewRequest, solid: SolidId) -> Option<Picked> {
    let shown = Shown::of(trace, request)?;
    let Shown { loads, stages, values } = &shown;
    let colours = request.colours(trace.store);
    let ink = colours.ink();
    let mut palette = colours.palette();
    let looks = Looks::add(&mut palette, request, stages.options.switches, (colours.background(), ink.line));
    let nodes: NodeColours = node_colours(trace, request, loads, &mut palette, ink.faint);
    let rgba = |colour: ColourId| -> Rgba { palette[usize::from(colour.0)] };
    let tree = stages.tree;
    match solid.of {
        Subject::Node if solid.id < tree.elements() => {
            let element = Element(solid.id);
            let item = stages.item_of(element);
            let elements: Vec<Element> = stages.elements(&item).collect();
            let colour = match item.layer {
                0 if stages.summed == 0 => nodes.of_node[element.index()],
                layer => looks.switch(layer, values.share(values.of_item(stages, &item))),
            };
            Some(match (&elements[..], item.layer) {
                ([one], _) => element_picked(loads, values, *one, rgba(colour)),
                (several, 0) => {
                    let title = counted(several.len() as u64, "node");
                    let mut picked = several_picked(loads, values, several, title, rgba(colour));
                    let held = stages.held(&item);
                    let text = percent_text(values.of_elements(held.iter().copied()));
                    let switches = counted_switches((held.len() - several.len()) as u64);
                    picked.lines = vec![format!("with {switches}, up to {text} {}", values.whole())];
                    picked
                }
                (several, layer) => {
                    let title = format!("{} of layer {layer}", counted_switches(several.len() as u64));
                    several_picked(loads, values, several, title, rgba(colour))
                }
            })
        }
        Subject::Link if solid.id < tree.cables() => {
            let colour = looks.value(values.share(values.cable(solid.id)));
            Some(cable_picked(loads, Cable(solid.id), rgba(colour)))
        }
        Subject::Nic if solid.id < tree.cables() => {
            let colour = looks.value(values.share(values.cable(solid.id)));
            Some(nic_picked(loads, values, Cable(solid.id), rgba(colour)))
        }
        Subject::Block => {
            let block = stages.all.iter().find_map(|stage| stage.blocks.get(solid.id as usize))?;
            let value = values.of_elements(block_elements(stages, block).into_iter());
            let colour = looks.block(block.layer, values.share(value));
            Some(block_picked(loads, values, stages, block, rgba(colour)))
        }
        _ => None,
    }
}

/// The selection of some solids: nodes and switches if there are any among them, else a link.
fn select(trace: &Trace<'_>, request: &ViewRequest, solids: &[SolidId], choosing: Choosing) -> Option<Selection> {
    let shown = Shown::of(trace, request)?;
    let Shown { loads, stages, .. } = &shown;
    let of = |subject: Subject| solids.iter().filter(move |solid| solid.of == subject).map(|solid| solid.id);
    let has_elements = of(Subject::Node).next().is_some() || of(Subject::Block).next().is_some();
    if !has_elements {
        let first = solids.iter().find(|solid| matches!(solid.of, Subject::Link | Subject::Nic))?;
        return pick(trace, request, *first)?.select;
    }
    let elements = stages.tree.elements();
    let before = match request.emphasis.selected.as_ref() {
        Some(Selection::Link(_)) | None => None,
        Some(_) => loads.selected(trace, request),
    };
    let mut is_in = vec![false; elements as usize];
    for element in of(Subject::Node).filter(|id| *id < elements) {
        stages.elements(&stages.item_of(Element(element))).for_each(|one| is_in[one.index()] = true);
    }
    let blocks = stages.all.iter().find(|stage| !stage.blocks.is_empty()).map_or(&[][..], |stage| &stage.blocks);
    for block in of(Subject::Block).filter_map(|id| blocks.get(id as usize)) {
        for one in block_elements(stages, block) {
            is_in[one.index()] = true;
        }
    }
    for (at, is_in) in is_in.iter_mut().enumerate() {
        *is_in = choosing.chosen(before.as_ref().is_some_and(|before| before[at]), *is_in);
    }
    NodeSet::of(loads.shape, &is_in).map(Selection::Nodes)
}
