//! The progression in sentences: who splits from the others, when and how far, and how late all are.
//!
//! Groups here are those of a bandwidth of at least [`BANDWIDTH`]: finer ones come and go from step to step. At each
//! instant the largest group is the main one, of equally large ones the fastest.
//!
//! Nodes *split* if they are in slower groups (or faster ones) than the main one at [`LASTING`] instants in a row or more,
//! or at a tenth of all if that is more, and if their group is [`LEAST_APART`] of the work away at some of them. Who
//! belongs together is decided where the split is widest; a lasting gap of [`LEAST_APART`] within a group divides it. They split *from* the last instant at which most of them were
//! still with the main group. They have caught up if most of them are with it again while it still has work to do: less
//! than [`NEARLY_ALL`] done, since at the end all are equally far. Where they are apart once more later, that is said too.
//!
//! A run is *late* if it takes [`LATE`] times its area bound or more.

use heddle_model::{Ns, TaskInfo};
use heddle_tasks::{Bandwidth, Cluster, GroupOptions, Groups, Progression};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{ProgressWords, ratio};
use crate::analyses::Trace;
use crate::questions::findings::{LONGEST_FILTER, Piece};
use crate::request::selection::Selection;
use crate::request::window::RankSet;
use crate::scene::ticks::{counted, grouped};
use crate::views::progress::shown::{extent, percent, ranges, short_ranges, time_behind, time_text, times_text};

/// The least bandwidth that words look at.
pub(super) const BANDWIDTH: f64 = 0.03;
/// So many instants in a row are no coincidence.
const LASTING: usize = 3;
/// Share of the work by which a group is apart at least.
const LEAST_APART: f64 = 0.05;
/// From here on all are nearly done, so nobody is far behind.
const NEARLY_ALL: f64 = 0.95;
/// Times the area bound from which on a run is late.
const LATE: f64 = 3.0;
/// More splits are not told.
const MOST_SPLITS: usize = 4;
/// Workers of a kind are unusually busy on a node if that is this much more of the time than on half of the nodes, and
/// beyond the usual fence of 1.5 interquartile ranges.
const LEAST_BUSIER: f64 = 0.1;
/// Fewer nodes have nothing usual about them.
const LEAST_NODES: usize = 6;
/// More tasks than these are not gone through for the tiles that nodes have.
const MOST_TASKS: u64 = 5_000_000;

/// All sentences, those that matter most first.
pub(super) fn words(trace: &Trace<'_>, progression: &Progression, asked: &GroupOptions) -> Vec<ProgressWords> {
    if progression.nodes.is_empty() {
        return Vec::new();
    }
    let options = GroupOptions { bandwidth: Bandwidth(asked.bandwidth.0.max(BANDWIDTH)), min_depth: asked.min_depth };
    let groups = Groups::of(progression, &options);
    let mut splits = splits(progression, &groups, Way::Behind);
    splits.extend(self::splits(progression, &groups, Way::Ahead));
    splits.truncate(MOST_SPLITS);
    let mut words = Vec::new();
    if splits.is_empty() {
        words.push(together(progression, &groups, options.bandwidth.0));
    } else {
        let mates = if splits.len() > 1 { TileMates::of(trace, progression, &splits) } else { None };
        words.extend(splits.iter().enumerate().map(|(at, split)| {
            let mates = mates.as_ref().filter(|_| at > 0).and_then(|mates| mates.words(progression, split));
            split.told(progression, mates)
        }));
        words.extend(run(progression));
    }
    words.extend(workers(progression));
    words.extend(busier(progression));
    words
}

/// A sentence in the making.
#[derive(Default)]
struct Sentence {
    pieces: Vec<Piece>,
}

impl Sentence {
    fn say(mut self, text: impl AsRef<str>) -> Sentence {
        let text = text.as_ref();
        match self.pieces.last_mut() {
            Some(Piece { text: before, ranks: None, window: None, .. }) => before.push_str(text),
            _ => self.pieces.push(Piece { text: text.to_owned(), ..Piece::default() }),
        }
        self
    }

    /// Nodes, by their numbers.
    fn nodes(mut self, numbers: &[u32]) -> Sentence {
        let (select, ranks) = selecting(numbers);
        self.pieces.push(Piece { text: short_ranges(numbers.iter().copied()), ranks, select, ..Piece::default() });
        self
    }

    /// A moment that leads to a stretch of time.
    fn time(mut self, at: Ns, (from, to): (Ns, Ns)) -> Sentence {
        self.pieces.push(Piece { text: time_text(at.0), window: Some((from, to)), ..Piece::default() });
        self
    }

    fn told(self, is_loss: bool, select: Option<Selection>, since: Option<Ns>) -> ProgressWords {
        ProgressWords { text: self.pieces, is_loss, select, since: since.map(|since| since.0) }
    }
}

/// What selects nodes, and the same as a filter; none if they are too many for a link.
fn selecting(numbers: &[u32]) -> (Option<Selection>, Option<String>) {
    let ranks: RankSet = numbers.iter().copied().collect();
    let text = ranks.to_string();
    if text.len() > LONGEST_FILTER { (None, None) } else { (Some(Selection::Ranks(ranks)), Some(text)) }
}

/// Which way nodes split.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Behind,
    Ahead,
}

/// Nodes that split from the main group.
struct Split {
    way: Way,
    /// Positions among the nodes.
    nodes: Vec<u32>,
    /// Instants: the last one before, the first one with the others again, where it was widest.
    since: usize,
    until: Option<usize>,
    /// The first instant after that at which they are apart once more.
    again: Option<usize>,
    widest: usize,
    /// How far apart it was there, as a share of the work, and in time.
    apart: f64,
    time: i64,
    /// The main group there.
    main: Vec<u32>,
}

/// The main group of an instant.
fn main_group(clusters: &[Cluster]) -> usize {
    (0..clusters.len()).max_by_key(|at| (clusters[*at].members.len(), *at)).unwrap_or(0)
}

/// All splits of a way, the widest first.
fn splits(progression: &Progression, groups: &Groups, way: Way) -> Vec<Split> {
    let (instants, nodes) = (groups.at.len(), progression.nodes.len());
    let lasting = LASTING.max((instants - 1).div_ceil(10));
    // By instant, then node: how far its group is away from the main one; 0 the other way.
    let mut away = vec![vec![0.0; nodes]; instants];
    for (instant, modes) in groups.at.iter().enumerate() {
        let main = main_group(&modes.clusters);
        for (at, cluster) in modes.clusters.iter().enumerate() {
            let gap = modes.clusters[main].mean - cluster.mean;
            let gap = match way {
                Way::Behind if at < main => gap,
                Way::Ahead if at > main => -gap,
                _ => 0.0,
            };
            cluster.members.iter().for_each(|node| away[instant][*node as usize] = gap);
        }
    }
    let mut is_left: Vec<bool> = (0..nodes)
        .map(|node| {
            let mut run = 0;
            let mut widest = 0.0f64;
            (0..instants).any(|instant| {
                let gap = away[instant][node];
                (run, widest) = if gap > 0.0 { (run + 1, widest.max(gap)) } else { (0, 0.0) };
                run >= lasting && widest >= LEAST_APART
            })
        })
        .collect();
    let mut found = Vec::new();
    while is_left.contains(&true) && found.len() < MOST_SPLITS {
        let widest_at = |instant: usize| {
            (0..nodes).filter(|node| is_left[*node]).map(|node| away[instant][node]).fold(0.0, f64::max)
        };
        let Some(widest) = (0..instants).max_by(|a, b| widest_at(*a).total_cmp(&widest_at(*b))) else { break };
        if widest_at(widest) <= 0.0 {
            break;
        }
        let clusters = &groups.at[widest].clusters;
        let main = &clusters[main_group(clusters)];
        let before = found.len();
        for cluster in clusters {
            let nodes: Vec<u32> = cluster.members.iter().copied().filter(|node| is_left[*node as usize]).collect();
            if nodes.first().is_none_or(|node| away[widest][*node as usize] <= 0.0) {
                continue;
            }
            for node in &nodes {
                is_left[*node as usize] = false;
            }
            for nodes in divided(progression, nodes, lasting) {
                found.push(split(progression, &away, way, nodes, widest, main));
            }
        }
        if found.len() == before {
            break;
        }
    }
    // Whoever is never far enough with its own kind is not told.
    found.retain(|split| split.apart >= LEAST_APART);
    found.sort_by(|a, b| b.apart.total_cmp(&a.apart));
    found
}

/// Nodes of one group in two parts, if there are always the same two and nobody between them: at so many instants in a row
/// the widest gap lies there, and is [`LEAST_APART`] or more. A few nodes beside many do not show in their density.
fn divided(progression: &Progression, nodes: Vec<u32>, lasting: usize) -> Vec<Vec<u32>> {
    let mut same: (Vec<u32>, usize) = (Vec::new(), 0);
    for instant in 0..progression.times.len() {
        let share = |node: &u32| progression.line(*node as usize)[instant];
        let mut order = nodes.clone();
        order.sort_by(|a, b| share(a).total_cmp(&share(b)));
        let gap = |at: usize| share(&order[at]) - share(&order[at - 1]);
        let widest = (1..order.len()).max_by(|a, b| gap(*a).total_cmp(&gap(*b)));
        let mut low = widest.filter(|at| gap(*at) >= LEAST_APART).map_or(Vec::new(), |at| order[..at].to_vec());
        low.sort_unstable();
        same = if low == same.0 { (low, same.1 + 1) } else { (low, 1) };
        if same.1 >= lasting && !same.0.is_empty() {
            let (low, high) = nodes.into_iter().partition(|node| same.0.binary_search(node).is_ok());
            return vec![low, high];
        }
    }
    vec![nodes]
}

fn split(
    progression: &Progression,
    away: &[Vec<f64>],
    way: Way,
    nodes: Vec<u32>,
    widest: usize,
    main: &Cluster,
) -> Split {
    let mean = mean_share(progression, &nodes, widest);
    let apart = (main.mean - mean).abs();
    let is_apart =
        |instant: usize| 2 * nodes.iter().filter(|node| away[instant][**node as usize] > 0.0).count() > nodes.len();
    let since = (0..widest).rev().find(|instant| !is_apart(*instant)).unwrap_or(0);
    let until = (widest..away.len()).find(|instant| !is_apart(*instant));
    let again = until.and_then(|until| (until..away.len()).find(|instant| is_apart(*instant)));
    let time = match way {
        Way::Behind => time_behind(progression, widest, &main.members, mean),
        Way::Ahead => time_behind(progression, widest, &nodes, main.mean),
    };
    Split { way, nodes, since, until, again, widest, apart, time, main: main.members.clone() }
}

impl Split {
    fn numbers(&self, progression: &Progression) -> Vec<u32> {
        self.nodes.iter().map(|node| progression.nodes[*node as usize]).collect()
    }

    fn told(&self, progression: &Progression, mates: Option<String>) -> ProgressWords {
        let numbers = self.numbers(progression);
        let is_one = numbers.len() == 1;
        let times = &progression.times;
        let pick = |one: &'static str, several: &'static str| if is_one { one } else { several };
        let since = times[self.since];
        let until = self.until.map_or(progression.span.1, |until| times[until]);
        let mut sentence = Sentence::default().say(pick("Node ", "Nodes ")).nodes(&numbers);
        if let Some(mates) = mates {
            sentence = sentence.say(format!(" ({mates})"));
        }
        let verb = match self.way {
            Way::Behind => pick(" falls behind from ", " fall behind from "),
            Way::Ahead => pick(" gets ahead from ", " get ahead from "),
        };
        sentence = sentence.say(verb).time(since, (since, until)).say(format!(
            ", by up to {:.1} points or {} at ",
            self.apart * 100.0,
            time_text(self.time)
        ));
        sentence = sentence.time(times[self.widest], (since, until));
        let caught_up = self.until.filter(|until| mean_share(progression, &self.main, *until) < NEARLY_ALL);
        sentence = match (caught_up, self.way) {
            (Some(at), Way::Behind) => {
                let with = pick("; it is with the others again at ", "; they are with the others again at ");
                sentence.say(with).time(times[at], (since, times[at]))
            }
            (Some(at), Way::Ahead) => {
                sentence.say("; the others are there too at ").time(times[at], (since, times[at]))
            }
            (None, _) => {
                let late = reaches(progression, &self.nodes, NEARLY_ALL) - reaches(progression, &self.main, NEARLY_ALL);
                let word = if late < 0.0 { "before" } else { "after" };
                sentence.say(format!(
                    "; {} {} of {} work {} {word} the others",
                    pick("it has done", "they have done"),
                    percent(NEARLY_ALL).replace(".0", ""),
                    pick("its", "their"),
                    time_text(late.abs() as i64)
                ))
            }
        };
        if let Some(again) = self.again.filter(|_| caught_up.is_some()) {
            let word = if self.way == Way::Behind { ", behind" } else { ", ahead" };
            sentence = sentence.say(word).say(" once more at ").time(times[again], (times[again], progression.span.1));
        }
        sentence.say(".").told(self.way == Way::Behind, selecting(&numbers).0, Some(since))
    }
}

fn mean_share(progression: &Progression, nodes: &[u32], instant: usize) -> f64 {
    nodes.iter().map(|node| progression.line(*node as usize)[instant]).sum::<f64>() / nodes.len().max(1) as f64
}

/// When nodes, on average, have done a share of their work.
fn reaches(progression: &Progression, nodes: &[u32], share: f64) -> f64 {
    let mut before = (progression.times[0].0 as f64, mean_share(progression, nodes, 0));
    for (instant, time) in progression.times.iter().enumerate().skip(1) {
        let here = (time.0 as f64, mean_share(progression, nodes, instant));
        if here.1 >= share {
            let part = if here.1 > before.1 { (share - before.1) / (here.1 - before.1) } else { 1.0 };
            return before.0 + (here.0 - before.0) * part.clamp(0.0, 1.0);
        }
        before = here;
    }
    before.0
}

/// How long the run takes against its bound.
fn run(progression: &Progression) -> Option<ProgressWords> {
    let ratio = ratio(progression)?;
    let sentence = Sentence::default().say(format!(
        "The run takes {}, {} the area bound of {}.",
        time_text(progression.makespan()),
        times_text(ratio),
        time_text(progression.bounds.area as i64)
    ));
    Some(sentence.told(ratio >= LATE, None, None))
}

/// Where nobody splits from the others for long.
fn together(progression: &Progression, groups: &Groups, bandwidth: f64) -> ProgressWords {
    let (nodes, instants) = (progression.nodes.len(), groups.at.len());
    let ratio = ratio(progression);
    let is_late = ratio.is_some_and(|ratio| ratio >= LATE);
    let widest = (0..instants).map(|at| extent(progression, at)).map(|(low, high)| high - low).fold(0.0, f64::max);
    let several = groups.at.iter().filter(|modes| modes.clusters.len() > 1).count();
    let all = match nodes {
        1 => "The only node".to_owned(),
        nodes => format!("All {} nodes", grouped(nodes as u64)),
    };
    let late = if is_late { if nodes == 1 { ", late" } else { ", equally late" } } else { "" };
    let mut sentence = match (nodes, several) {
        (1, _) => Sentence::default().say(format!("{all} advances{late}")),
        (_, 0) => Sentence::default().say(format!(
            "{all} advance together{late}: one group at all {} at a bandwidth of {bandwidth}, never more than {:.0} points apart",
            counted(instants as u64, "instant"),
            widest * 100.0
        )),
        (_, several) => Sentence::default().say(format!(
            "No nodes split from the others for long{late}: there are several groups at {} of {} instants, never more than {:.0} points apart",
            several,
            instants,
            widest * 100.0
        )),
    };
    if let Some(ratio) = ratio {
        let (run, bound) = (time_text(progression.makespan()), time_text(progression.bounds.area as i64));
        sentence = sentence.say(format!("; the run takes {run}, {} the area bound of {bound}", times_text(ratio)));
        if !is_late {
            sentence = sentence.say(format!(", well within the {LATE:.0}× from which on a run is called late here"));
        }
    }
    sentence.say(".").told(is_late, None, None)
}

/// Nodes that have fewer or more workers of a kind than most.
fn workers(progression: &Progression) -> Vec<ProgressWords> {
    let nodes = progression.nodes.len();
    if nodes < LEAST_NODES {
        return Vec::new();
    }
    let mut words = Vec::new();
    for (at, kind) in progression.kinds.iter().enumerate() {
        let mut counts = FxHashMap::<u64, Vec<u32>>::default();
        for (node, on) in progression.on_node.iter().enumerate() {
            counts.entry(on[at].0).or_default().push(progression.nodes[node]);
        }
        let Some((usual, those)) = counts.iter().max_by_key(|(workers, those)| (those.len(), **workers)) else {
            continue;
        };
        // Machines of several kinds of nodes have no usual one.
        if those.len() * 3 < nodes * 2 {
            continue;
        }
        let (usual, mut others) = (*usual, counts.iter().filter(|(workers, _)| *workers != usual).collect::<Vec<_>>());
        others.sort();
        for (workers, numbers) in others {
            let word = if numbers.len() == 1 { "Node " } else { "Nodes " };
            let has = if numbers.len() == 1 { "has" } else { "have" };
            let number = |count: u64| if count == 0 { "no".to_owned() } else { grouped(count) };
            let each = if numbers.len() == 1 || *workers == 0 { "" } else { " each" };
            let plural = if *workers == 1 { "worker" } else { "workers" };
            let sentence = Sentence::default().say(word).nodes(numbers).say(format!(
                " {has} {} {} {plural}{each}, most nodes {}.",
                number(*workers),
                kind.name,
                if usual == 0 { "none".to_owned() } else { grouped(usual) }
            ));
            words.push(sentence.told(false, selecting(numbers).0, None));
        }
    }
    words
}

/// Nodes whose workers of a kind are far busier than on most.
fn busier(progression: &Progression) -> Vec<ProgressWords> {
    let makespan = progression.makespan().max(1) as f64;
    let mut words = Vec::new();
    for (at, kind) in progression.kinds.iter().enumerate() {
        let mut shares: Vec<(f64, u32)> = progression
            .on_node
            .iter()
            .zip(&progression.nodes)
            .filter(|(on, _)| on[at].0 > 0)
            .map(|(on, node)| (on[at].1 as f64 / (on[at].0 as f64 * makespan), *node))
            .collect();
        if shares.len() < LEAST_NODES {
            continue;
        }
        shares.sort_by(|a, b| a.0.total_cmp(&b.0));
        let quartile = |quarter: usize| shares[(shares.len() - 1) * quarter / 4].0;
        let (low, median, high) = (quartile(1), quartile(2), quartile(3));
        let fence = (high + 1.5 * (high - low)).max(median + LEAST_BUSIER);
        let busy: Vec<&(f64, u32)> = shares.iter().filter(|(share, _)| *share > fence).collect();
        if busy.is_empty() {
            continue;
        }
        let mean = busy.iter().map(|(share, _)| share).sum::<f64>() / busy.len() as f64;
        let mut numbers: Vec<u32> = busy.iter().map(|(_, node)| *node).collect();
        numbers.sort_unstable();
        let sentence = Sentence::default()
            .say(
                format!("{} workers of {} ", kind.name, if numbers.len() == 1 { "node" } else { "nodes" }).trim_start(),
            )
            .nodes(&numbers)
            .say(format!(" are busy {} of the time, those of the median node {}.", percent(mean), percent(median)));
        words.push(sentence.told(false, selecting(&numbers).0, None));
    }
    words
}

/// Who has tiles in the rows and the columns of the matrix in which a node has some.
struct TileMates {
    node: u32,
    in_rows: FxHashSet<u32>,
    in_columns: FxHashSet<u32>,
}

impl TileMates {
    /// Of the node that splits alone and farthest, where tiles are known.
    fn of(trace: &Trace<'_>, progression: &Progression, splits: &[Split]) -> Option<TileMates> {
        let [node] = splits.first()?.nodes.as_slice() else { return None };
        let node = progression.nodes[*node as usize];
        let store = trace.store;
        if store.tasks.len() > MOST_TASKS {
            return None;
        }
        let (mut owners, mut rows, mut columns) = (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
        for task in 0..store.tasks.len() {
            let tile = [store.tasks.tile_row.get(task), store.tasks.tile_column.get(task)];
            if tile.contains(&TaskInfo::UNKNOWN) {
                continue;
            }
            let location = store.locations.of_span(store.tasks.span.get(task));
            let owner = store.locations.rank.get(u64::from(location.0)).some().map_or(0, |rank| rank.0);
            if owner == node {
                rows.insert(tile[0]);
                columns.insert(tile[1]);
            }
            owners.insert((owner, tile));
        }
        let others = |is_mate: &dyn Fn([u32; 2]) -> bool| -> FxHashSet<u32> {
            owners.iter().filter(|(owner, tile)| *owner != node && is_mate(*tile)).map(|(owner, _)| *owner).collect()
        };
        let in_rows = others(&|tile| rows.contains(&tile[0]));
        let in_columns = others(&|tile| columns.contains(&tile[1]));
        Some(TileMates { node, in_rows, in_columns })
    }

    /// What a split has to do with that node, if it is exactly that.
    fn words(&self, progression: &Progression, split: &Split) -> Option<String> {
        let numbers: FxHashSet<u32> = split.numbers(progression).into_iter().collect();
        let what = if numbers == self.in_rows {
            "rows"
        } else if numbers == self.in_columns {
            "columns"
        } else if numbers == &self.in_rows | &self.in_columns {
            "rows or columns"
        } else {
            return None;
        };
        Some(format!("all that share {what} of tiles with node {}", ranges([self.node].into_iter())))
    }
}
