//! What is known of selected nodes.

use heddle_model::{Ns, Rank};
use heddle_store::Store;
use heddle_tasks::{Progression, WorkKind};

use super::SelectedTold;
use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::request::selection::Selection;
use crate::scene::ticks::{grouped, time_text_between};
use crate::views::progress::shown::{Shown, percent, time_text};

/// More tasks than these are not gone through for a stretch without any.
const MOST_TASKS: u64 = 2_000_000;

/// What is known of the selected nodes; none if no nodes with work are.
pub(super) fn about(trace: &Trace<'_>, shown: &Shown<'_>, request: &ViewRequest) -> Option<SelectedTold> {
    let Some(Selection::Ranks(ranks)) = &request.emphasis.selected else { return None };
    let progression = shown.progression;
    let is_chosen = |node: &u32| ranks.contains(progression.nodes[*node as usize]);
    let nodes: Vec<u32> = (0..progression.nodes.len() as u32).filter(is_chosen).collect();
    if nodes.is_empty() {
        return None;
    }
    let mut facts = vec![("Nodes".to_owned(), shown.short_names(&nodes))];
    let mut fact = |name: &str, text: String| facts.push((name.to_owned(), text));
    let shares = || nodes.iter().map(|node| progression.line(*node as usize)[shown.instant]);
    let mean = shares().sum::<f64>() / nodes.len() as f64;
    let (low, high) = shares().fold((1.0f64, 0.0f64), |(low, high), share| (low.min(share), high.max(share)));
    let range = if nodes.len() > 1 { format!(" ({} to {})", percent(low), percent(high)) } else { String::new() };
    fact("Progress", percent(mean) + &range);
    if let Some(behind) = behind(shown, &nodes, mean) {
        fact("Behind", behind);
    }
    let tasks: u64 = nodes.iter().map(|node| progression.tasks[*node as usize]).sum();
    let all: u64 = progression.tasks.iter().sum();
    let are_tasks = progression.work == WorkKind::Tasks;
    fact(if are_tasks { "Tasks" } else { "Work" }, format!("{} of {}", grouped(tasks), grouped(all)));
    if let Some(busy) = busy(progression, &nodes) {
        fact("Busy", busy);
    }
    if are_tasks
        && tasks <= MOST_TASKS
        && let Some((from, to)) = longest_without(trace.store, progression, &nodes)
    {
        fact("No task", time_text_between(from, to));
    }
    let next = shown.next_groups(shown.instant, &nodes);
    if !next.is_empty() {
        fact("Next step", next.iter().map(|part| shown.short_names(part)).collect::<Vec<_>>().join(" | "));
    }
    Some(SelectedTold { nodes: shown.names(&nodes), count: nodes.len() as u32, facts })
}

/// How far nodes are behind the fastest group of the shown instant, unless they are in it.
fn behind(shown: &Shown<'_>, nodes: &[u32], mean: f64) -> Option<String> {
    let fastest = shown.clusters(shown.instant).last()?;
    let is_first = nodes.iter().all(|node| fastest.members.binary_search(node).is_ok());
    (!is_first && fastest.mean > mean).then(|| {
        let time = shown.time_behind(shown.instant, &fastest.members, mean);
        format!("{:.1} points · {}", (fastest.mean - mean) * 100.0, time_text(time))
    })
}

/// Which share of the run the workers of nodes were in tasks, by kind; the busiest first.
fn busy(progression: &Progression, nodes: &[u32]) -> Option<String> {
    let share = |kind: usize| {
        let on = nodes.iter().map(|node| progression.on_node[*node as usize][kind]);
        let (workers, busy) = on.fold((0, 0), |sum, on| (sum.0 + on.0, sum.1 + on.1));
        (workers > 0).then(|| busy as f64 / (workers as f64 * progression.makespan().max(1) as f64))
    };
    let mut kinds: Vec<(f64, &str)> = (progression.kinds.iter().enumerate())
        .filter_map(|(at, kind)| Some((share(at)?, kind.name.as_str())))
        .collect();
    kinds.sort_by(|a, b| b.0.total_cmp(&a.0));
    let texts: Vec<String> =
        kinds.iter().map(|(share, name)| format!("{name} {}", percent(*share)).trim_start().to_owned()).collect();
    (!texts.is_empty()).then(|| texts.join(" · "))
}

/// The longest time in which none of some nodes ran a task.
fn longest_without(store: &Store, progression: &Progression, nodes: &[u32]) -> Option<(Ns, Ns)> {
    let mut runs: Vec<(Ns, Ns)> = Vec::new();
    for worker in 0..store.workers.len() {
        let location = store.workers.location.get(worker);
        let rank = store.locations.rank.get(u64::from(location.0)).some().unwrap_or(Rank(0));
        let Ok(at) = progression.nodes.binary_search(&rank.0) else { continue };
        if nodes.binary_search(&(at as u32)).is_err() {
            continue;
        }
        let spans = store.spans_of(location);
        let row = |span: u64| store.tasks.span.partition_point(0..store.tasks.len(), |row| row.0 < span);
        let of_worker = store.tasks.span.iter(row(spans.start)..row(spans.end));
        runs.extend(of_worker.map(|span| (store.spans.start.get(span.0), store.spans.end.get(span.0))));
    }
    runs.sort_unstable();
    runs.push((progression.span.1, progression.span.1));
    let mut until = progression.span.0;
    let mut longest: Option<(Ns, Ns)> = None;
    for (start, end) in runs {
        if start > until && longest.is_none_or(|(from, to)| start.since(until) > to.since(from)) {
            longest = Some((until, start));
        }
        until = until.max(end);
    }
    longest
}
