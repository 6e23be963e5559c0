//! Views of a dragonfly: a matrix of groups, which holds at hundreds of them, and a ring of groups, which shows the machine as
//! one thinks of it. Cables to nodes, within groups and between groups are never mixed: their capacities differ.

mod matrix;
mod ring;

use std::collections::BTreeMap;
use std::ops::Deref;

use heddle_options::{OptionError, OptionSpec, Options, Words, options};
use heddle_store::Store;
use heddle_topology::dragonfly::CableKind;
use heddle_topology::{Dragonfly, Element, Link, Topology};

use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::request::node_set::{LinkName, NodeSet};
use crate::request::picked::Picked;
use crate::request::selection::Selection;
use crate::request::{Framing, ViewRequest};
use crate::scene::ramp::{Palette, Ramp, Tone};
use crate::scene::ticks::{counted, grouped};
use crate::scene::{ColourBar, ColourId, Rect, Rgba, Scene};
use crate::views::machine::chosen::Chosen;
use crate::views::machine::loads::{Loads, share};
use crate::views::machine::options::MachineOptions;
use crate::views::machine::{self, nodes};
use crate::views::{AxisKind, Choosing, Picture, Pointed, ViewModule};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "dragonfly",
    about: "A dragonfly: what its groups send each other, and what goes on within them",
    axes: (AxisKind::Values, AxisKind::Values),
    options: all_options,
    check: Some(check),
    analyses: &[(AnalysisKind::Network, |_| Some(Urgency::Required))],
    selections: machine::SELECTIONS,
    picture: Picture::Plane { scene, pick, select, ways: None },
};

options! {
    /// How a dragonfly is shown.
    pub struct DragonflyOptions {
        /// What groups look like: matrix, a cell for every two of them, or ring, all of them on a circle with the cables between them
        "groups-as" ("Groups as") groups_as: GroupsAs = GroupsAs::Matrix,
        /// The group that is opened: what its routers send each other stands beside the matrix; by default none
        "group" group: String = String::new(),
    }
}

/// What groups look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupsAs {
    /// A cell for every two.
    Matrix,
    /// All on a circle.
    Ring,
}

impl Words for GroupsAs {
    const WORDS: &'static [(&'static str, GroupsAs)] = &[("matrix", GroupsAs::Matrix), ("ring", GroupsAs::Ring)];
}

fn all_options() -> Vec<OptionSpec> {
    [DragonflyOptions::specs(), MachineOptions::specs()].into_iter().flatten().collect()
}

fn check(store: &Store, request: &ViewRequest) -> Result<(), OptionError> {
    nodes::check(store, request)?;
    let options: DragonflyOptions = request.options.read()?;
    let is_number = options.group.trim().is_empty() || options.group.trim().parse::<u32>().is_ok();
    let why = "must be the number of a group, from 0";
    if is_number { Ok(()) } else { Err(OptionError { name: "group".to_owned(), why: why.to_owned() }) }
}

/// A dragonfly with its traffic, ready to be drawn.
struct Fly<'a> {
    loads: Loads<'a>,
    machine: &'a Dragonfly,
    options: DragonflyOptions,
    /// The group that is opened.
    open: Option<u32>,
    /// What the links from each group to each other carry on average; on the diagonal, those within the group.
    means: Vec<f64>,
    /// Ends of the colour scale: of links between routers.
    range: (f64, f64),
}

impl<'a> Fly<'a> {
    fn of(trace: &'a Trace<'_>, request: &ViewRequest) -> Option<Fly<'a>> {
        let loads = Loads::of(trace, request)?;
        let fly = loads.shape.dragonfly()?;
        let options: DragonflyOptions = request.options.checked();
        let groups = fly.plan().groups;
        let open = options.group.trim().parse().ok().filter(|group| *group < groups);
        let (mut sums, mut counts) = (vec![0.0; (groups * groups) as usize], vec![0_u32; (groups * groups) as usize]);
        let mut most = 0.0_f64;
        // Cables to nodes come first.
        for link in (2 * fly.hosts()..fly.links()).map(Link) {
            let load = loads.links[link.index()];
            if load.is_nan() {
                continue;
            }
            let (from, to) = fly.ends(link);
            let cell = (fly.group_of(from) * groups + fly.group_of(to)) as usize;
            sums[cell] += load;
            counts[cell] += 1;
            most = most.max(load);
        }
        let means = sums.iter().zip(&counts).map(|(sum, count)| sum / f64::from(*count)).collect();
        let range = loads.options.loads.map_or((0.0, most), |range| (range.low, range.high));
        Some(Fly { machine: fly, loads, options, open, means, range })
    }

    fn mean(&self, from: u32, to: u32) -> f64 {
        self.means[(from * self.machine.plan().groups + to) as usize]
    }

    /// The colour of a value: none if it is below the scale.
    fn colour(&self, value: f64, ramp: Ramp, tone: Tone) -> Option<ColourId> {
        let share = share(value, self.range)?;
        Some(if share.is_nan() { ramp.missing(tone) } else { ramp.at(share, tone) })
    }

    /// The fullest link from a group to another.
    fn fullest(&self, from: u32, to: u32) -> Option<Link> {
        self.machine.global_links(from, to).max_by(|a, b| self.links[a.index()].total_cmp(&self.links[b.index()]))
    }

    /// What leaves a router, but for what it hands to its nodes.
    fn of_router(&self, router: u32) -> f64 {
        let out = self.machine.beside(router).iter().map(|(cable, other)| {
            let [plus, minus] = [Link(2 * cable), Link(2 * cable + 1)];
            self.links[if router < *other { plus } else { minus }.index()]
        });
        out.filter(|load| !load.is_nan()).sum()
    }

    fn bar(&self, ramp: Ramp) -> ColourBar {
        ColourBar {
            title: format!("{} per link, {}", self.unit(), self.traffic.origin.name()),
            ..self.bar_of(ramp, self.range)
        }
    }

    /// The nodes and routers of a group.
    fn group_set(&self, groups: &[u32]) -> Option<Selection> {
        let is_in: Vec<bool> =
            (0..self.machine.elements()).map(|at| groups.contains(&self.machine.group_of(Element(at)))).collect();
        NodeSet::of(self.shape, &is_in).map(Selection::Nodes)
    }

    /// A group, in words; a click opens it.
    fn group_picked(&self, group: u32, area: Option<Rect>) -> Picked {
        let (plan, per_group) = (self.machine.plan(), self.machine.per_group());
        let routers = group * per_group..(group + 1) * per_group;
        let out: f64 = (0..plan.groups)
            .filter(|other| *other != group)
            .flat_map(|other| self.machine.global_links(group, other))
            .map(|link| self.links[link.index()])
            .filter(|load| !load.is_nan())
            .sum();
        let within = self.mean(group, group);
        let mut lines = vec![
            format!(
                "{}, {}",
                counted(u64::from(per_group), "router"),
                counted(u64::from(per_group * plan.nodes), "node")
            ),
            format!("{} leaves it for other groups", self.text(out)),
        ];
        if !within.is_nan() {
            lines.push(format!("links within it carry {} on average", self.text(within)));
        }
        let busiest = routers.max_by(|a, b| self.of_router(*a).total_cmp(&self.of_router(*b)));
        if let Some(router) = busiest.filter(|router| self.of_router(*router) > 0.0) {
            lines.push(format!("most leaves {}", self.machine.label(self.machine.router(router))));
        }
        Picked {
            title: format!("Group {}", grouped(group.into())),
            colour: PLAIN,
            lines,
            select: self.group_set(&[group]),
            toggles: None,
            sets: Some(BTreeMap::from([("group", group.to_string())])),
            area,
        }
    }

    /// What a group sends another.
    fn pair_picked(&self, from: u32, to: u32, area: Option<Rect>) -> Picked {
        let loads: Vec<f64> = self.machine.global_links(from, to).map(|link| self.links[link.index()]).collect();
        let most = loads.iter().copied().filter(|load| !load.is_nan()).fold(0.0, f64::max);
        let mut lines = vec![format!(
            "{} on average over {}, {}",
            self.text_or_unknown(self.mean(from, to)),
            counted(loads.len() as u64, "link"),
            self.traffic.origin.name()
        )];
        if loads.len() > 1 {
            lines.push(format!("the fullest carries {}", self.text(most)));
        }
        lines.push(format!("back: {}", self.text_or_unknown(self.mean(to, from))));
        Picked {
            title: format!("Group {from} → group {to}"),
            colour: PLAIN,
            lines,
            select: self.fullest(from, to).map(|link| Selection::Link(LinkName::of(self.machine, link))),
            toggles: None,
            sets: None,
            area,
        }
    }
}

impl<'a> Deref for Fly<'a> {
    type Target = Loads<'a>;

    fn deref(&self) -> &Loads<'a> {
        &self.loads
    }
}

/// Tooltips of things whose colour says a load have no swatch.
const PLAIN: Rgba = Rgba(0, 0, 0, 0);

/// Where the plot is: names of groups stand around it.
fn plot_area(request: &ViewRequest) -> Rect {
    let (width, height) = (request.size.width as f32, request.size.height as f32);
    let [left, top, right, bottom] = match request.framing {
        Framing::Figure => [44.0, 40.0, 222.0, 58.0],
        Framing::Strip => [2.0; 4],
        _ => [38.0, 4.0, 16.0, 12.0],
    };
    Rect { x: left, y: top, width: (width - left - right).max(1.0), height: (height - top - bottom).max(1.0) }
}

fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let colours = request.colours(trace.store);
    let plot = plot_area(request);
    let mut palette = colours.palette();
    let ramp = Ramp::add(&mut palette, request.theme, Palette::Loads);
    let Some(fly) = Fly::of(trace, request) else {
        let mut scene = machine::frame(request, plot, String::new(), &colours, palette);
        scene.notes.push("There is no dragonfly to show.".to_owned());
        return scene;
    };
    let title = format!("{} · {}", trace.store.name(), fly.title());
    let mut scene = machine::frame(request, plot, title, &colours, palette);
    let chosen = Chosen::of(&fly, trace, request);
    match fly.options.groups_as {
        GroupsAs::Matrix => matrix::draw(&fly, &chosen, ramp, &colours, &mut scene),
        GroupsAs::Ring => ring::draw(&fly, &chosen, ramp, &colours, &mut scene),
    }
    // Panes leave it to the page's legend, which has its colours from here.
    scene.colour_bar = Some(fly.bar(ramp));
    scene.notes.extend(fly.notes.iter().cloned());
    scene
}

fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let fly = Fly::of(trace, request)?;
    let plot = plot_area(request);
    match fly.options.groups_as {
        GroupsAs::Matrix => matrix::pick(&fly, plot, at),
        GroupsAs::Ring => ring::pick(&fly, plot, at),
    }
}

/// What one points at, put together with what is selected; a link alone.
fn select(trace: &Trace<'_>, request: &ViewRequest, pointed: Pointed, choosing: Choosing) -> Option<Selection> {
    let fly = Fly::of(trace, request)?;
    let plot = plot_area(request);
    let mut is_in = vec![false; fly.machine.elements() as usize];
    match pointed {
        Pointed::Solid(_) => return None,
        Pointed::Area(area) => {
            let groups = match fly.options.groups_as {
                GroupsAs::Matrix => matrix::groups_in(&fly, plot, area),
                GroupsAs::Ring => ring::groups_in(&fly, plot, area),
            };
            for (at, is_in) in (0..).zip(&mut is_in) {
                *is_in = groups.contains(&fly.machine.group_of(Element(at)));
            }
        }
        Pointed::At(at) => match pick(trace, request, at).and_then(|picked| picked.select) {
            Some(Selection::Nodes(set)) => {
                for (at, is_in) in (0..).zip(&mut is_in) {
                    *is_in = set.contains(&fly.machine.address(Element(at)));
                }
            }
            None if choosing != Choosing::Replace => return request.emphasis.selected.clone(),
            other => return other,
        },
    }
    let is_link = matches!(request.emphasis.selected, Some(Selection::Link(_)) | None);
    let before = if is_link { None } else { fly.selected(trace, request) };
    for (at, is_in) in is_in.iter_mut().enumerate() {
        *is_in = choosing.chosen(before.as_ref().is_some_and(|before| before[at]), *is_in);
    }
    NodeSet::of(fly.shape, &is_in).map(Selection::Nodes)
}

/// Groups that hold something selected, and the two groups of a selected link.
fn chosen_groups(fly: &Fly<'_>, chosen: &Chosen) -> (Vec<u32>, Option<(u32, u32)>) {
    if let Some(cable) = chosen.cable() {
        let (from, to) = fly.machine.ends(cable.links()[0]);
        let between = fly.machine.kind(cable.0) == CableKind::Global;
        return (Vec::new(), between.then(|| (fly.machine.group_of(from), fly.machine.group_of(to))));
    }
    let holds = |group: &u32| {
        let (per_group, nodes) = (fly.machine.per_group(), fly.machine.plan().nodes);
        let routers = group * per_group..(group + 1) * per_group;
        let hosts = routers.start * nodes..routers.end * nodes;
        routers.map(|router| fly.machine.router(router)).chain(hosts.map(Element)).any(|at| chosen.has_node(at))
    };
    let groups = if chosen.is_any() { (0..fly.machine.plan().groups).filter(holds).collect() } else { Vec::new() };
    (groups, None)
}
