//! `heddle network`: what links carry, mappings compared, and better ones.

mod machines;
mod used;

use std::io::Write;
use std::sync::Arc;

use anyhow::Context;
use serde::Serialize;

use heddle_draw::FigureOptions;
use heddle_model::Ns;
use heddle_network::search::{Effort, Objective, Swaps, Worth, improve, rules, worth};
use heddle_network::{Network, Part, Tests};
use heddle_options::Given;
use heddle_store::Store;
use heddle_topology::mapping::{Placement, write_map};
use heddle_view::{
    Emphasis, Framing, MappingRow, MappingsOptions, NetworkTold, Size, Theme, Trace, View, ViewRequest, Window,
    about_network, compare_mappings, load_text,
};

use super::output::write_file;
use super::render::figure;
use super::{Usage, nobody, open_store};
use crate::network_args::{
    CompareArgs, NetworkArgs, NetworkCommand, ObjectiveArg, OptimizeArgs, PredictArgs, TrafficArgs,
};
use crate::progress::is_cancelled;
use crate::text::{counted, grouped, harmless_json, printable};

pub(super) fn run(command: &NetworkCommand) -> anyhow::Result<()> {
    match command {
        NetworkCommand::Predict(args) => predict(args),
        NetworkCommand::Compare(args) => compare(args),
        NetworkCommand::Optimize(args) => optimize(args),
    }
}

/// A store with the machine that was asked for.
struct Opened {
    /// Holds the store of a pattern without a trace.
    _folder: Option<tempfile::TempDir>,
    store: Store,
    network: Arc<Network>,
    request: ViewRequest,
}

impl Opened {
    fn new(args: &TrafficArgs, further: &[(&str, &str)]) -> anyhow::Result<Opened> {
        Opened::on(args, &args.network, further, &[])
    }

    /// With options instead of those that were given. Without a trace there are as many ranks as the smallest of these machines
    /// holds.
    fn on(
        args: &TrafficArgs,
        network: &NetworkArgs,
        further: &[(&str, &str)],
        topologies: &[String],
    ) -> anyhow::Result<Opened> {
        let mut options = network.with_files()?;
        let (folder, store) = if args.traces.is_empty() {
            let mut machines = vec![options.clone()];
            for topology in topologies.iter().filter(|topology| !topology.is_empty()) {
                machines.push(network.with("topology", topology).with_files()?);
            }
            let (folder, store) = nobody::store(&machines, &args.store)?;
            (Some(folder), store)
        } else {
            (None, open_store(&args.traces, &args.store)?)
        };
        let network = Arc::new(open(&store, &options)?);
        for (name, text) in further {
            options = options.with(name, text);
        }
        let request = request(&store, args, options)?;
        Ok(Opened { _folder: folder, store, network, request })
    }

    fn trace(&self) -> Trace<'_> {
        Trace { network: Some(Arc::clone(&self.network)), ..Trace::from(&self.store) }
    }

    /// What the machine is, in a line.
    fn machine(&self) -> String {
        machine_words(&self.network)
    }

    /// The part of the trace that was asked for.
    fn part(&self) -> Part {
        let always = (Ns(i64::MIN), Ns(i64::MAX));
        Part::of_time(self.request.window.time.unwrap_or(always))
    }
}

/// What a machine is, in a line.
fn machine_words(network: &Network) -> String {
    let machine = &network.machine;
    let shape = match machine.shape.torus() {
        Some(torus) => format!("{} torus", torus.sizes()),
        None => format!("{} · {}", machine.shape, counted(u64::from(machine.shape.hosts()), "node")),
    };
    let known = match machine.known {
        heddle_network::Known::Given => "",
        heddle_network::Known::Trace => " (as in the trace)",
        heddle_network::Known::Assumed => " (assumed: the trace does not say, nor does --topology)",
    };
    let placement = &machine.placement;
    format!(
        "{shape}{known} · {} · ranks placed {}, up to {} per node",
        counted(u64::from(placement.ranks()), "rank"),
        if machine.mapping == "as in the trace" { machine.mapping.clone() } else { format!("by {}", machine.mapping) },
        placement.ranks_per_node()
    )
}

fn open(store: &Store, options: &Given) -> anyhow::Result<Network> {
    Network::open(store, options).map_err(|error| Usage(format!("--{error}")).into())
}

fn request(store: &Store, args: &TrafficArgs, options: Given) -> anyhow::Result<ViewRequest> {
    let end = store.summary().end_ns;
    let time = args.time.map(|(from, to)| (Ns(from.unwrap_or(0)), Ns(to.unwrap_or(end + 1))));
    if time.is_some_and(|(from, to)| from >= to || from.0 > end) {
        return Err(Usage(format!("--time: the run lasts from 0 to {}", crate::text::duration(end))).into());
    }
    Ok(ViewRequest {
        window: Window { time, ..Window::default() },
        emphasis: Emphasis::default(),
        theme: Theme::Light,
        book: Arc::default(),
        framing: Framing::Figure,
        has_names: false,
        size: Size { width: 1600, height: 420 },
        options,
    })
}

fn predict(args: &PredictArgs) -> anyhow::Result<()> {
    let opened = Opened::new(&args.traffic, &[])?;
    let told = about_network(&opened.trace(), &opened.request).context("there is no machine")?;
    let used = used::Told::of(&opened.store, &opened.network, &opened.part());
    let mut out = std::io::stdout().lock();
    if args.traffic.json {
        let mut answer = serde_json::to_value(&told)?;
        answer["utilisation"] = serde_json::to_value(&used)?;
        writeln!(out, "{}", json(&answer)?)?;
        return Ok(());
    }
    writeln!(out, "{}", printable(&opened.machine()))?;
    write_told(&mut out, &told, &used)
}

fn write_told(out: &mut impl Write, told: &NetworkTold, used: &used::Told) -> anyhow::Result<()> {
    let is_measured = told.origin == "measured";
    writeln!(out, "{} {}, per link and direction\n", told.origin, printable(&told.unit))?;
    for words in &told.words {
        writeln!(out, "  {}", printable(words))?;
    }
    writeln!(
        out,
        "\n  {:<16} {:>8} {:>14} {:>14} {:>6} {:>6} {:>7}",
        "along", "links", "mean", "max", "CV", "Gini", "idle"
    )?;
    for row in told.classes.iter().chain([&told.all]) {
        writeln!(
            out,
            "  {:<16} {:>8} {:>14} {:>14} {:>6.2} {:>6.2} {:>6.1}%",
            printable(&row.name),
            grouped(row.links as u64),
            printable(&row.mean),
            printable(&row.max),
            row.cv,
            row.gini,
            row.idle * 100.0
        )?;
    }
    used.write(out)?;
    writeln!(out, "\n  section  {:<40} {:>12} {:>14}", "", "operations", if is_measured { "counted" } else { "sent" })?;
    for (at, section) in told.sections.iter().enumerate() {
        let name = printable(&section.name);
        writeln!(out, "  {at:>7}  {name:<40} {:>12} {:>14}", section.operations, printable(&section.sent))?;
    }
    writeln!(out, "\n  fullest cables, mean of both directions")?;
    for top in &told.top {
        let more =
            if top.links > 1 { format!(" and {} equally full", grouped(top.links as u64 - 1)) } else { String::new() };
        writeln!(out, "  {:>14}  {:<2} {}{more}", printable(&top.text), top.class, top.label)?;
    }
    for note in &told.notes {
        writeln!(out, "\n{}", printable(note))?;
    }
    Ok(())
}

fn compare(args: &CompareArgs) -> anyhow::Result<()> {
    if !args.topologies.is_empty() || !args.patterns.is_empty() {
        return machines::compare(args);
    }
    let opened = Opened::new(&args.traffic, &[("mappings", &args.mappings)])?;
    let dimensions = opened.network.machine.shape.torus().map_or(0, |torus| torus.dimensions().len());
    let names = MappingsOptions { mappings: args.mappings.clone() }.names(dimensions);
    let trace = opened.trace();
    let rows = compare_mappings(&trace, &opened.request, &names);
    let mut out = std::io::stdout().lock();
    if args.traffic.json {
        writeln!(out, "{}", json(&rows)?)?;
    } else {
        writeln!(out, "{}\n", printable(&opened.machine()))?;
        write_rows(&mut out, &rows)?;
    }
    if let Some(output) = &args.output {
        let scene = |request: &ViewRequest| View::Mappings.scene(trace.clone(), request);
        figure(View::Mappings, &opened.request, &FigureOptions::default(), (output, 1), scene)?;
    }
    if rows.iter().all(|row| row.error.is_some()) {
        return Err(Usage("--mappings: none of them fits".to_owned()).into());
    }
    Ok(())
}

fn write_rows(out: &mut impl Write, rows: &[MappingRow]) -> anyhow::Result<()> {
    writeln!(
        out,
        "  {:<16} {:>12} {:>12} {:>6} {:>6} {:>7} {:>14}",
        "mapping", "max", "mean", "CV", "Gini", "idle", "sum of maxima"
    )?;
    for row in rows {
        let name = printable(&row.name);
        match &row.error {
            Some(error) => writeln!(out, "  {name:<16} {}", printable(error))?,
            None => writeln!(
                out,
                "  {name:<16} {:>12} {:>12} {:>6.2} {:>6.2} {:>6.1}% {:>14}",
                row.max_text,
                row.mean_text,
                row.cv,
                row.gini,
                row.idle * 100.0,
                row.phase_sum_text
            )?,
        }
    }
    writeln!(
        out,
        "\nmax, mean: load of a link in one direction; sum of maxima: over the sections, each by its fullest link"
    )?;
    Ok(())
}

/// A placement and how good it is.
#[derive(Serialize)]
struct Placed {
    name: String,
    value: f64,
}

fn optimize(args: &OptimizeArgs) -> anyhow::Result<()> {
    let opened = Opened::new(&args.traffic, &[])?;
    let (store, network) = (&opened.store, &opened.network);
    let objective = match args.objective {
        ObjectiveArg::Max => Objective::Max,
        ObjectiveArg::HopBytes => Objective::HopBytes,
    };
    let part = opened.part();
    let sends = network.sends(store, &part, Tests::default());
    if sends.flows().is_empty() {
        return Err(Usage("no rank sends another anything here: every mapping is as good".to_owned()).into());
    }
    let (shape, routing) = (&network.machine.shape, network.routing());
    let placement = &network.machine.placement;
    let judge = |placement: &Placement| worth(sends.flows(), shape, placement, routing, objective);
    let before = judge(placement);
    let per_node = network.options().ranks_per_node.0.max(placement.ranks_per_node());
    let mut best: (String, Placement, Worth) = (network.machine.mapping.clone(), (**placement).clone(), before);
    let mut tried = vec![Placed { name: best.0.clone(), value: before.value }];
    for (name, other) in rules(shape, placement.ranks(), per_node) {
        let worth = judge(&other);
        tried.push(Placed { name: name.clone(), value: worth.value });
        if worth < best.2 {
            best = (name, other, worth);
        }
    }
    let rules_tried = tried.len() - 1;
    let mut swaps = Swaps::new(sends.flows(), shape, &best.1, routing, objective);
    let done = improve(&mut swaps, Effort { swaps: args.swaps, seed: args.seed }, shape, |_, _| !is_cancelled());
    let after = swaps.worth();
    let proposed = if after.value < best.2.value { swaps.placement() } else { best.1.clone() };
    let value = after.value.min(best.2.value);
    tried.sort_by(|a, b| a.value.total_cmp(&b.value));
    let text = |value: f64| load_text(&heddle_network::Unit::Bytes, value);
    let mut out = std::io::stdout().lock();
    if args.traffic.json {
        let answer = serde_json::json!({
            "objective": if objective == Objective::Max { "max" } else { "hop-bytes" },
            "before": { "name": network.machine.mapping, "value": before.value },
            "best_rule": { "name": best.0, "value": best.2.value },
            "after": { "value": value },
            "rules": tried,
            "swaps": done,
        });
        writeln!(out, "{}", json(&answer)?)?;
    } else {
        let what = if objective == Objective::Max { "fullest link" } else { "bytes times hops" };
        writeln!(out, "{}\n", printable(&opened.machine()))?;
        writeln!(out, "  {:<44} {:>12}", "", what)?;
        writeln!(out, "  {:<44} {:>12}", format!("now: {}", printable(&network.machine.mapping)), text(before.value))?;
        for one in tried.iter().filter(|one| one.name != network.machine.mapping).take(5) {
            writeln!(out, "  {:<44} {:>12}", one.name, text(one.value))?;
        }
        let name = format!("proposed: {} and {} swaps tried", best.0, grouped(done));
        writeln!(out, "  {name:<44} {:>12}", text(value))?;
        let gain = if before.value > 0.0 { (1.0 - value / before.value) * 100.0 } else { 0.0 };
        writeln!(
            out,
            "\n{} rules tried; the proposed mapping is {gain:.1} % below the one now",
            grouped(rules_tried as u64)
        )?;
    }
    if let Some(path) = &args.output {
        let map = write_map(&proposed, shape);
        write_file(path, |mut file| Ok(file.write_all(map.as_bytes())?))?;
    }
    Ok(())
}

fn json(value: &impl Serialize) -> anyhow::Result<String> {
    Ok(harmless_json(&serde_json::to_string_pretty(value)?))
}
