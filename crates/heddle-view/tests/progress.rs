//! Pictures and words of progression: of made-up runs of tasks, and of those that StarPU recorded.
//!
//! `HEDDLE_TRACES` names the folder of the latter; without it their tests are skipped.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a helper that fails is a test that fails")]

use std::sync::Arc;

use heddle_model::{
    Definitions, Location, LocationId, LocationKind, Ns, Paradigm, Part, Rank, RecordBlock, Region, RegionId, Role,
    Source, SourceError, SystemNode, SystemNodeId, TaskId, TaskInfo, Warnings, Worker,
};
use heddle_options::Given;
use heddle_store::{ImportOptions, NoProgress, Store, StorePlace, import, store_simulation};
use heddle_tasks::{GroupOptions, Groups, ProgressOptions, Progression};
use heddle_testkit::sample_traces;
use heddle_view::{
    DiscMark, Framing, Label, Layer, ProgressTold, Rect, Scene, SegmentMark, Size, Theme, Trace, View, ViewRequest,
    Window, about_progress, compare_progress,
};

mod common;
use common::{request, within};

/// Runs of tasks: one worker for each node.
struct Tasks {
    definitions: Definitions,
    /// By node: start, end and tile of each task.
    runs: Vec<Vec<(i64, i64, [u32; 2])>>,
    /// Which task waits for which.
    waits: Vec<(TaskId, TaskId)>,
    parts: Vec<Part>,
    warnings: Warnings,
}

impl Tasks {
    fn new(runs: Vec<Vec<(i64, i64, [u32; 2])>>) -> Tasks {
        let count = runs.len() as u32;
        let location = |rank: u32| Location {
            file_id: u64::from(rank),
            name: format!("rank {rank}").into(),
            kind: LocationKind::CpuThread,
            parent: Some(SystemNodeId(0)),
            rank: Rank(rank),
        };
        let definitions = Definitions {
            system_tree: vec![SystemNode { name: "p".into(), class: SystemNode::PROCESS.into(), parent: None }],
            locations: (0..count).map(location).collect(),
            regions: vec![Region::named("update", Paradigm::Task, Role::Function)],
            world: (0..count).map(LocationId).collect(),
            workers: (0..count).map(|at| Worker { location: LocationId(at), kind: "CPU".into() }).collect(),
            ..Definitions::default()
        };
        let parts = (0..count).map(|at| Part { location: LocationId(at), index: 0, bytes: 100 }).collect();
        Tasks { definitions, runs, waits: Vec::new(), parts, warnings: Warnings::default() }
    }

    /// Nodes whose tasks of one millisecond each end when `ends` says, by node.
    fn ending(nodes: usize, ends: impl Fn(usize) -> Vec<i64>) -> Tasks {
        let run = |end: i64| ((end - 1_000_000).max(0), end, [TaskInfo::UNKNOWN; 2]);
        Tasks::new((0..nodes).map(|node| ends(node).into_iter().map(run).collect()).collect())
    }

    fn store(self) -> (tempfile::TempDir, Store) {
        let directory = tempfile::tempdir().unwrap();
        let store = store_simulation(&self, "tasks", &directory.path().join("x.heddle"), 1 << 28, &NoProgress).unwrap();
        (directory, store)
    }
}

impl Source for Tasks {
    fn format(&self) -> &'static str {
        "tasks"
    }

    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn read(&self, part: &Part, out: &mut RecordBlock) -> Result<(), SourceError> {
        let node = part.location.index();
        for (number, (start, end, tile)) in self.runs[node].iter().enumerate() {
            out.enter(Ns(*start), RegionId(0));
            let id = TaskId::new(node as u32, number as u64);
            out.task(Ns(*start), TaskInfo { tile: *tile, ..TaskInfo::new(id) });
            for (_, on) in self.waits.iter().filter(|(task, _)| *task == id) {
                out.depends_on(Ns(*start), *on);
            }
            out.leave(Ns(*end), Some(RegionId(0)));
            out.last = Some(Ns(*end));
        }
        Ok(())
    }

    fn warnings(&self) -> &Warnings {
        &self.warnings
    }
}

/// Milliseconds.
const MS: i64 = 1_000_000;

/// Twelve nodes with fifty tasks each, all done at 200 ms: most advance evenly, 3 and 7 do little until half time, and 9
/// does even less.
fn split_ends(node: usize) -> Vec<i64> {
    let early = match node {
        3 | 7 => 10,
        9 => 3,
        _ => 25,
    };
    let first = (1..=early).map(|at| at * 100 * MS / early);
    let second = (1..=50 - early).map(|at| 100 * MS + at * 100 * MS / (50 - early));
    let mut ends: Vec<i64> = first.chain(second).collect();
    if node == 0 {
        // So that the run begins at 0.
        ends[0] = MS;
    }
    ends
}

fn split() -> (tempfile::TempDir, Store) {
    Tasks::ending(12, split_ends).store()
}

fn asked(options: &[(&str, &str)]) -> ViewRequest {
    let options = Given::by_program(options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    ViewRequest { framing: Framing::Pane, options, ..request(Window::default()) }
}

fn traced<'a>(store: &'a Store, request: &ViewRequest) -> Trace<'a> {
    let options: ProgressOptions = request.options.read().unwrap();
    let progression = Progression::open(store, &options, &NoProgress).unwrap();
    Trace { progress: Some(Arc::new(progression)), ..Trace::from(store) }
}

fn groups(trace: &Trace<'_>, request: &ViewRequest) -> Groups {
    Groups::of(trace.progress.as_ref().unwrap(), &request.options.read::<GroupOptions>().unwrap())
}

fn discs(scene: &Scene) -> Vec<DiscMark> {
    let discs =
        scene.layers.iter().filter_map(|layer| if let Layer::Discs(discs) = layer { Some(discs) } else { None });
    discs.flatten().copied().collect()
}

fn lines(scene: &Scene) -> Vec<&[SegmentMark]> {
    let lines = scene.layers.iter();
    lines.filter_map(|layer| if let Layer::Segments(lines) = layer { Some(lines.as_slice()) } else { None }).collect()
}

/// How many marks there are.
fn marks(scene: &Scene) -> usize {
    let count = |layer: &Layer| match layer {
        Layer::Rects(marks) => marks.len(),
        Layer::Segments(marks) => marks.len(),
        Layer::Discs(marks) => marks.len(),
        Layer::Bands(bands) => bands.iter().map(|band| band.upper.len()).sum(),
        Layer::Raster(_) | Layer::Density(_) => 0,
    };
    scene.layers.iter().map(count).sum::<usize>() + scene.labels.len()
}

/// Where a label lies, generously.
fn label_area(label: &Label) -> (f32, f32, f32) {
    (label.at.0, label.at.1 - label.size, label.at.1 + 0.2 * label.size)
}

/// Heights of 0 % and 100 %, as the axis has them.
fn share_ends(scene: &Scene) -> (f32, f32) {
    (scene.y_axis.ticks.first().unwrap().at, scene.y_axis.ticks.last().unwrap().at)
}

#[test]
fn points_are_where_their_groups_are() {
    let (_directory, store) = split();
    let request = asked(&[("bandwidth", "0.03")]);
    let trace = traced(&store, &request);
    let scene = View::Progress.scene(trace.clone(), &request);
    let groups = groups(&trace, &request);
    let progression = trace.progress.as_ref().unwrap();
    let end = store.summary().end_ns as f64;
    let (bottom, top) = share_ends(&scene);
    let discs = discs(&scene);
    let mut found = 0;
    for (modes, time) in groups.at.iter().zip(&progression.times) {
        for cluster in &modes.clusters {
            let x = scene.plot.x + (time.0 as f64 / end) as f32 * scene.plot.width;
            let y = bottom + (top - bottom) * cluster.mean as f32;
            let here = discs.iter().filter(|disc| (disc.at.0 - x).abs() < 0.05 && (disc.at.1 - y).abs() < 0.05);
            assert_eq!(here.count(), 2, "a point and its rim at {x}, {y}");
            found += 2;
        }
    }
    assert_eq!(discs.len(), found);
    let ways = *lines(&scene).last().unwrap();
    assert_eq!(ways.len(), groups.segments.len());
    // The more nodes, the thicker.
    let mut widths: Vec<(usize, f32)> = Vec::new();
    for way in &groups.segments {
        let x = scene.plot.x + (progression.times[way.instant as usize].0 as f64 / end) as f32 * scene.plot.width;
        let y = bottom + (top - bottom) * groups.at[way.instant as usize].clusters[way.to as usize].mean as f32;
        let drawn = ways.iter().filter(|mark| (mark.to.0 - x).abs() < 0.05 && (mark.to.1 - y).abs() < 0.05);
        widths.extend(drawn.map(|mark| (way.nodes.len(), mark.width)));
    }
    let thickest = widths.iter().map(|(_, width)| *width).fold(0.0, f32::max);
    assert!((thickest - 7.5).abs() < 1e-3, "all twelve at the end: {thickest}");
}

#[test]
fn minority_paths_have_names_and_bounds_have_words() {
    let (_directory, store) = split();
    let request = asked(&[("bandwidth", "0.03"), ("shown-step", "10")]);
    let trace = traced(&store, &request);
    let scene = View::Progress.scene(trace.clone(), &request);
    let texts: Vec<&str> = scene.labels.iter().map(|label| label.text.as_str()).collect();
    for text in ["9", "3, 7, 9", "step 10 · 100 ms"] {
        assert!(texts.contains(&text), "{text} is not in {texts:?}");
    }
    assert!(texts.iter().any(|text| text.starts_with("area bound 50.0 ms")), "{texts:?}");
    assert!(texts.contains(&"the run takes 4.0× as long"), "{texts:?}");
    let without = View::Progress.scene(trace, &asked(&[("bandwidth", "0.03"), ("labels", "0")]));
    assert!(without.labels.iter().all(|label| label.text != "9" && label.text != "3, 7, 9"));
}

#[test]
fn nothing_lies_outside_of_the_plot() {
    let (_directory, store) = split();
    for (time, framing) in [
        (Window::default(), Framing::Pane),
        (within(20 * MS, 90 * MS), Framing::Figure),
        (within(95 * MS, 95 * MS + 1), Framing::Pane),
        (within(150 * MS, 400 * MS), Framing::Wide),
    ] {
        for width in [180, 1000] {
            let request = ViewRequest {
                window: time.clone(),
                framing,
                size: Size { width, height: 300 },
                ..asked(&[("bandwidth", "0.02")])
            };
            for view in [View::Progress, View::Density] {
                let scene = view.scene(traced(&store, &request), &request);
                let Rect { x, y, width, height } = scene.plot;
                let legend = if framing == Framing::Figure { x + width } else { f32::INFINITY };
                for label in scene.labels.iter().filter(|label| label.at.0 < legend) {
                    let (left, top, bottom) = label_area(label);
                    assert!(left >= x && left <= x + width && top >= y - 1.0 && bottom <= y + height, "{label:?}");
                }
                for disc in discs(&scene) {
                    assert!(disc.at.0 >= x - 12.0 && disc.at.0 <= x + width + 12.0, "{disc:?}");
                }
                for line in lines(&scene).concat() {
                    assert!(line.to.0 >= x && line.from.0 <= x + width, "{line:?}");
                    assert!(line.from.0.is_finite() && line.from.1.is_finite() && line.to.1.is_finite());
                }
                assert!(marks(&scene) < 20_000, "{}", marks(&scene));
            }
        }
    }
}

#[test]
fn what_is_pointed_at_is_told_and_selected() {
    let (_directory, store) = split();
    let request = asked(&[("bandwidth", "0.03"), ("shown-step", "10")]);
    let trace = traced(&store, &request);
    let scene = View::Progress.scene(trace.clone(), &request);
    let (bottom, top) = share_ends(&scene);
    let place = |ms: i64, share: f32| {
        let end = store.summary().end_ns as f32;
        (scene.plot.x + (ms * MS) as f32 / end * scene.plot.width, bottom + (top - bottom) * share)
    };
    let pick = |at: (f32, f32)| View::Progress.pick(trace.clone(), &request, at).unwrap();
    let group = pick(place(100, 0.2));
    assert_eq!(group.title, "Nodes 3, 7 · 2 nodes");
    assert_eq!(group.select, Some("ranks:3,7".parse().unwrap()));
    let texts = group.lines.join("; ");
    assert!(texts.contains("group 2 of 3") && texts.contains("20.0 % of its work done"), "{texts}");
    assert!(texts.contains("behind the fastest group by 30.0 points · 60"), "{texts}");
    let way = pick(place(95, 0.19));
    assert_eq!((way.title.as_str(), way.lines[0].as_str()), ("Nodes 3, 7", "2 nodes"));
    let bound = pick(place(50, 0.9));
    assert_eq!(bound.title, "Area bound of the run");
    assert!(bound.lines.concat().contains("12 workers"), "{bound:?}");
    let nothing = pick(place(152, 0.05));
    assert_eq!(nothing.sets.unwrap().get("shown-step").map(String::as_str), Some("15"));
    assert_eq!(nothing.title, "Step 15 · 150 ms");
    assert!(View::Progress.pick(trace.clone(), &request, (1.0, 1.0)).is_none());
    // Between two points, on the line of a node that is not where its group is.
    let fine = asked(&[("bandwidth", "0.5")]);
    let node = View::Progress.pick(trace, &fine, place(98, 0.06)).unwrap();
    assert_eq!(node.title, "Node 9");
    assert_eq!(node.select, Some("ranks:9".parse().unwrap()));
}

#[test]
fn what_is_selected_stands_out() {
    let (_directory, store) = split();
    let mut request = asked(&[("bandwidth", "0.03"), ("shown-step", "10")]);
    let trace = traced(&store, &request);
    let plain = View::Progress.scene(trace.clone(), &request);
    request.emphasis.selected = Some("ranks:9".parse().unwrap());
    let scene = View::Progress.scene(trace.clone(), &request);
    assert!(scene.labels.iter().any(|label| label.text == "node 9"));
    assert!(plain.labels.iter().all(|label| label.text != "node 9"));
    // The ring around its point.
    assert_eq!(discs(&scene).len(), discs(&plain).len() + 1);
    let faintest = |scene: &Scene| {
        let ways = *lines(scene).last().unwrap();
        ways.iter().map(|way| scene.palette[usize::from(way.colour.0)].3).min().unwrap()
    };
    assert!(faintest(&scene) < 100 && faintest(&plain) > 200);
    assert!(scene.notes.iter().all(|note| !note.contains("does not show")), "{:?}", scene.notes);
    let told = about_progress(&trace, &request).unwrap().selected.unwrap();
    assert_eq!((told.nodes.as_str(), told.count), ("9", 1));
    let fact = |name: &str| told.facts.iter().find(|(fact, _)| fact == name).map(|(_, text)| text.as_str());
    assert_eq!(fact("Progress"), Some("6.0 %"));
    assert_eq!(fact("Behind"), Some("44.0 points · 86.7 ms"));
    assert_eq!(fact("Tasks"), Some("50 of 600"));
    assert_eq!(fact("Busy"), Some("CPU 25.0 %"));
    assert!(fact("No task").is_some_and(|text| text.ends_with("ms")), "{:?}", told.facts);
    assert_eq!(fact("Next step"), Some("9"));
}

#[test]
fn the_density_has_a_hill_for_each_group_and_a_line_for_each_cut() {
    let (_directory, store) = split();
    let request =
        ViewRequest { size: Size { width: 260, height: 320 }, ..asked(&[("bandwidth", "0.03"), ("shown-step", "10")]) };
    let trace = traced(&store, &request);
    let scene = View::Density.scene(trace.clone(), &request);
    let texts: Vec<&str> = scene.labels.iter().map(|label| label.text.as_str()).collect();
    for text in ["9 nodes", "2 nodes", "1 node"] {
        assert!(texts.contains(&text), "{text} is not in {texts:?}");
    }
    assert_eq!(texts.iter().filter(|text| text.starts_with("cut ")).count(), 2, "{texts:?}");
    // The axis is that of the progression.
    let beside = View::Progress.scene(trace.clone(), &request);
    assert_eq!(share_ends(&scene), share_ends(&beside));
    // The highest hill is where most nodes are.
    let Some(Layer::Rects(hills)) = scene.layers.first() else { panic!("hills come first") };
    let highest = hills.iter().max_by(|a, b| a.rect.width.total_cmp(&b.rect.width)).unwrap();
    let (bottom, top) = share_ends(&scene);
    assert!((highest.rect.y + 0.5 - (bottom + (top - bottom) * 0.5)).abs() <= 1.0, "{highest:?}");
    let middle = (scene.plot.x + scene.plot.width / 2.0, bottom + (top - bottom) * 0.2);
    let picked = View::Density.pick(trace.clone(), &request, middle).unwrap();
    assert_eq!(picked.select, Some("ranks:3,7".parse().unwrap()));
    let tick =
        View::Density.pick(trace.clone(), &request, (scene.plot.x + 4.0, bottom + (top - bottom) * 0.06)).unwrap();
    assert_eq!(tick.title, "Node 9");
    // Small multiples.
    let many =
        ViewRequest { size: Size { width: 900, height: 320 }, ..asked(&[("bandwidth", "0.03"), ("densities", "10")]) };
    let scene = View::Density.scene(trace, &many);
    for step in 1..=10 {
        assert!(scene.labels.iter().any(|label| label.text == step.to_string()), "step {step}");
    }
}

#[test]
fn what_is_told_is_complete() {
    let (_directory, store) = split();
    let request = asked(&[("bandwidth", "0.03")]);
    let told = about_progress(&traced(&store, &request), &request).unwrap();
    assert_eq!((told.nodes, told.tasks, told.times.len(), told.instants.len()), (12, 600, 21, 21));
    assert_eq!(told.shown, 10, "where groups are farthest apart");
    assert_eq!((told.kinds.len(), told.types.len()), (1, 1));
    assert!((told.kinds[0].busy - 0.25).abs() < 1e-9 && (told.idle - 0.75).abs() < 1e-9);
    assert_eq!((told.types[0].name.as_str(), told.types[0].tasks), ("update", 600));
    let shown = &told.instants[told.shown as usize];
    let nodes: Vec<&str> = shown.groups.iter().map(|group| group.nodes.as_str()).collect();
    assert_eq!(nodes, ["9", "3, 7", "0-2, 4-6, 8, 10-11"]);
    assert_eq!(shown.groups[1].select.to_string(), "ranks:3,7");
    let colours: Vec<&str> = shown.groups.iter().map(|group| group.colour.as_str()).collect();
    assert_eq!(colours, ["#d9480f", "#9c36b5", "#3d5a80"], "as on paper");
    assert!((told.bounds.area - 50e6).abs() < 1.0 && (told.bounds.ratio - 4.0).abs() < 1e-6);
    assert_eq!(told.bounds.workers, (12, 12));
    assert!(told.bandwidths.len() >= 30 && told.bandwidths.windows(2).all(|pair| pair[0].0 < pair[1].0));
    assert!(told.bandwidths.windows(2).all(|pair| pair[0].1 >= pair[1].1), "wider ones make fewer groups");
    assert_eq!(told.bandwidths.last().unwrap().1, 1);
    let dark = ViewRequest { theme: Theme::Dark, ..request };
    let told = about_progress(&traced(&store, &dark), &dark).unwrap();
    assert_eq!(told.instants[10].groups[0].colour, "#ff8a4c");
}

/// All sentences as text.
fn sentences(told: &ProgressTold) -> Vec<String> {
    told.words.iter().map(|words| words.text.iter().map(|piece| piece.text.as_str()).collect()).collect()
}

#[test]
fn a_split_is_told_with_its_times_and_who_caught_up() {
    let (_directory, store) = split();
    let request = asked(&[]);
    let told = about_progress(&traced(&store, &request), &request).unwrap();
    let sentences = sentences(&told);
    assert!(sentences[0].starts_with("Node 9 falls behind from "), "{sentences:?}");
    assert!(sentences[0].contains("by up to 44.0 points or 86.7 ms at 100 ms"), "{sentences:?}");
    assert!(sentences[1].starts_with("Nodes 3, 7 fall behind from "), "{sentences:?}");
    assert!(sentences[2].contains("The run takes 200 ms, 4.0× the area bound of 50.0 ms."), "{sentences:?}");
    assert!(told.words[0].is_loss && told.words[0].select == Some("ranks:9".parse().unwrap()));
    assert_eq!(sentences.len(), 3);
    // The same for whatever bandwidth the picture has.
    let fine = asked(&[("bandwidth", "0.001"), ("min-depth", "0")]);
    assert_eq!(about_progress(&traced(&store, &fine), &fine).unwrap().words, told.words);
}

#[test]
fn one_node_beside_many_that_are_late_is_told_by_itself() {
    // 7 points behind ten others, which are behind the rest: too few to make a hill of its own.
    let early = |node: usize| match node {
        0 => 13,
        1..=10 => 20,
        _ => 48,
    };
    let ends = |node: usize| -> Vec<i64> {
        let first = (1..=early(node)).map(|at| (at - 1) * 100 * MS / early(node) + MS);
        let second = (1..=100 - early(node)).map(|at| 100 * MS + at * 120 * MS / (100 - early(node)));
        first.chain(second).collect()
    };
    let (_directory, store) = Tasks::ending(30, ends).store();
    let request = asked(&[]);
    let sentences = sentences(&about_progress(&traced(&store, &request), &request).unwrap());
    assert!(sentences[0].starts_with("Node 0 falls behind"), "{sentences:?}");
    assert!(sentences[1].starts_with("Nodes 1-10 fall behind"), "{sentences:?}");
}

#[test]
fn ten_thousand_nodes_are_few_marks() {
    // A made-up spread, the same every time: neighbours differ.
    let ends = |node: usize| -> Vec<i64> {
        let slow = if node.is_multiple_of(97) { 2 } else { 1 };
        let shift = (node as i64 * 7_919) % 1_000;
        (1..=20).map(|at| at * slow * 5 * MS + shift * 2_000).collect()
    };
    let (_directory, store) = Tasks::ending(10_000, ends).store();
    for view in [View::Progress, View::Density] {
        let request = asked(&[("bandwidth", "0.02")]);
        let scene = view.scene(traced(&store, &request), &request);
        assert!(marks(&scene) < 15_000, "{}", marks(&scene));
        if view == View::Progress {
            assert!(scene.notes[0].contains("10,000 nodes are too many for a line each"), "{:?}", scene.notes);
            assert!(scene.layers.iter().any(|layer| matches!(layer, Layer::Bands(_))));
        }
    }
}

#[test]
fn two_runs_stand_side_by_side_on_one_scale_of_time() {
    let (_first, fast) =
        Tasks::ending(12, |_| (1..=50).map(|at| at * 2 * MS - MS * i64::from(at == 1)).collect()).store();
    let (_second, slow) = split();
    let request = ViewRequest { framing: Framing::Figure, ..asked(&[("bandwidth", "0.03")]) };
    let runs = [("fast".to_owned(), traced(&fast, &request)), ("slow".to_owned(), traced(&slow, &request))];
    let scene = compare_progress(&runs, &request).unwrap();
    for (name, bound) in [("fast", "the run takes 2.0× as long"), ("slow", "the run takes 4.0× as long")] {
        let place = |text: &str| scene.labels.iter().find(|label| label.text == text).map(|label| label.at.0).unwrap();
        assert!(place(name) < place(bound), "{name}");
    }
    let tick = |label: &str| -> Vec<f32> {
        scene.x_axis.ticks.iter().filter(|tick| tick.label == label).map(|tick| tick.at).collect()
    };
    let (from, to) = (tick("0 ms"), tick("200 ms"));
    assert_eq!((from.len(), to.len()), (2, 2), "{:?}", scene.x_axis.ticks);
    assert!((to[0] - from[0] - (to[1] - from[1])).abs() < 0.1, "one scale");
    // The fast run ends half way.
    let last = discs(&scene).iter().map(|disc| disc.at.0).filter(|x| *x < from[1]).fold(0.0, f32::max);
    assert!((last - f32::midpoint(from[0], to[0])).abs() < 1.0, "{last}");
    for line in lines(&scene).concat() {
        let is_left = line.from.0 <= to[0] + 1.0 && line.to.0 <= to[0] + 1.0;
        assert!(is_left || line.from.0.min(line.to.0) >= from[1] - 1.0, "between the runs: {line:?}");
    }
}

fn starpu(run: &str, options: &[(&str, &str)]) -> Option<(ProgressTold, Scene)> {
    let trace = sample_traces("starpu")?.join(run).join("paje.trace.gz");
    let directory = tempfile::tempdir().unwrap();
    let place = StorePlace::Under(directory.path().to_owned());
    let store = import(&trace, &ImportOptions { place, memory: 1 << 29, force: false }, &NoProgress).unwrap().store;
    let request = asked(options);
    let trace = traced(&store, &request);
    let told = about_progress(&trace, &request).unwrap();
    eprintln!("{run}: {:#?}\n{:?}", sentences(&told), told.notes);
    Some((told, View::Progress.scene(trace, &request)))
}

#[test]
fn a_slow_link_is_told_as_starpu_ran_it() {
    let Some((told, scene)) = starpu("lu30_slow0", &[("bandwidth", "0.03"), ("bound-workers", "observed")]) else {
        return;
    };
    let sentences = sentences(&told);
    assert!(sentences[0].starts_with("Node 0 falls behind from 1.1"), "{sentences:?}");
    assert!(sentences[1].starts_with("Nodes 1-6, 12, 18, 24 "), "{sentences:?}");
    assert!(sentences.iter().any(|text| text.contains("6.0× the area bound of 1.86 s")), "{sentences:?}");
    assert!(
        told.notes.iter().any(|note| note
            .starts_with("17 of 90 CPU workers ran no task: the bound counts 133 workers (1.81 s with all 150)")),
        "{:?}",
        told.notes
    );
    let nodes: Vec<&str> = told.instants[5].groups.iter().map(|group| group.nodes.as_str()).collect();
    assert_eq!(nodes, ["0", "1-6, 12, 18, 24", "7-11, 13-17, 19-23, 25-29"]);
    let texts: Vec<&str> = scene.labels.iter().map(|label| label.text.as_str()).collect();
    assert!(texts.contains(&"0") && texts.contains(&"1-6, 12, 18, 24"), "{texts:?}");
}

#[test]
fn nodes_without_their_accelerators_are_told() {
    let Some((told, _)) = starpu("lu30_nogpu01", &[]) else { return };
    let sentences = sentences(&told);
    assert!(sentences[0].starts_with("Nodes 0-1 fall behind from "), "{sentences:?}");
    assert_eq!(told.words[0].select, Some("ranks:0-1".parse().unwrap()));
    assert!(sentences.iter().any(|text| text == "Nodes 0-1 have no CUDA workers, most nodes 2."), "{sentences:?}");
}

#[test]
fn runs_without_a_split_are_told_as_such() {
    let observed = [("bound-workers", "observed")];
    if let Some((told, _)) = starpu("lu30_allslow", &observed) {
        let sentences = sentences(&told);
        assert!(sentences[0].starts_with("All 30 nodes advance together, equally late: "), "{sentences:?}");
        assert!(sentences[0].contains("18.7× the area bound"), "{sentences:?}");
        assert!(told.words[0].is_loss);
    }
    if let Some((told, _)) = starpu("lu30_normal", &observed) {
        let sentences = sentences(&told);
        assert!(
            sentences[0].starts_with("All 30 nodes advance together: one group at all 21 instants"),
            "{sentences:?}"
        );
        assert!(sentences[0].contains("1.87× the area bound of 1.83 s, well within"), "{sentences:?}");
        assert!(!told.words[0].is_loss && sentences.len() == 1, "{sentences:?}");
    }
    if let Some((told, _)) = starpu("lu30_gpu01", &observed) {
        let sentences = sentences(&told);
        assert!(
            sentences[0].starts_with("All 30 nodes advance together: one group at all 21 instants"),
            "{sentences:?}"
        );
        assert!(sentences.iter().all(|text| !text.contains("falls behind") && !text.contains("fall behind")));
        assert!(sentences.iter().any(|text| text.starts_with("CUDA workers of nodes 0-1 are busy ")), "{sentences:?}");
    }
}

#[test]
fn what_is_odd_about_the_work_is_said() {
    let mut tasks = Tasks::ending(3, |node| if node == 2 { Vec::new() } else { vec![MS, 2 * MS, 3 * MS] });
    let id = |number| TaskId::new(0, number);
    tasks.waits = vec![(id(0), id(2)), (id(1), id(0)), (id(2), id(1)), (TaskId::new(1, 0), TaskId::new(9, 9))];
    tasks.definitions.workers[1].kind = String::new();
    let (_directory, store) = tasks.store();
    let request = asked(&[]);
    let trace = traced(&store, &request);
    let said = about_progress(&trace, &request).unwrap().notes.join("\n");
    let drawn = View::Progress.scene(trace, &request).notes.join("\n");
    for words in ["3 tasks wait for themselves", "1 worker is of unknown kind", "1 dependency is on tasks", "node 2"] {
        assert!(said.contains(words), "{words}: {said}");
        assert!(drawn.contains(words), "{words}: {drawn}");
    }
}
