//! Groups of nodes as pictures and words show them: at which instant, in which colours, how far behind the first.

use heddle_model::Ns;
use heddle_tasks::{Cluster, GroupOptions, Groups, Progression, Segment};

use super::options::{GroupColour, ProgressionOptions};
use crate::request::ViewRequest;
use crate::request::selection::Selection;
use crate::request::window::RankSet;
use crate::scene::Rgba;
use crate::scene::theme::Theme;
use crate::scene::ticks::grouped;

/// Colours of groups, light and dark: who is behind, who is between, who leads; then others, for more groups between. The
/// others were found by search, as in `scene::palette`: any two differ by 0.07 in `OKLab` or more, to every kind of eyes.
const GROUPS: [[u32; 9]; 2] = [
    [0xd9_480f, 0x9c_36b5, 0x3d_5a80, 0x29_a091, 0xd5_8dfd, 0x11_0854, 0x6a_0b1f, 0x53_0b8a, 0xaa_2533],
    [0xff_8a4c, 0xd6_7be0, 0xa3_b8d4, 0xe1_e874, 0x41_736c, 0x87_f4e4, 0xd3_1c29, 0xb2_0fdb, 0x5c_9793],
];
/// Place of the colour of those who lead.
const FIRST: usize = 2;

/// From so many ranges on, some are left out.
const MOST_RANGES: usize = 8;
/// How many are then written.
const RANGES_SHOWN: usize = 6;

/// The groups that a request asks for, its instant and its colours.
pub(crate) struct Shown<'a> {
    pub(crate) progression: &'a Progression,
    pub(crate) groups: Groups,
    /// Number of the shown instant.
    pub(crate) instant: usize,
    by: GroupColour,
    theme: usize,
    /// By node: its group at the shown instant.
    of_node: Vec<u32>,
}

impl<'a> Shown<'a> {
    pub(crate) fn of(progression: &'a Progression, request: &ViewRequest) -> Shown<'a> {
        let asked: ProgressionOptions = request.options.checked();
        let options: GroupOptions = request.options.checked();
        let groups = Groups::of(progression, &options);
        let last = progression.times.len().saturating_sub(1);
        let instant = asked.instant.0.map_or_else(|| farthest_apart(progression, &groups), |at| at as usize).min(last);
        let mut of_node = vec![0; progression.nodes.len()];
        for (group, cluster) in groups.at[instant].clusters.iter().enumerate() {
            cluster.members.iter().for_each(|node| of_node[*node as usize] = group as u32);
        }
        let theme = usize::from(request.theme == Theme::Dark);
        Shown { progression, groups, instant, by: asked.group_colour, theme, of_node }
    }

    /// The groups of an instant, from the slowest.
    pub(crate) fn clusters(&self, instant: usize) -> &[Cluster] {
        &self.groups.at[instant].clusters
    }

    /// The group of a node at the shown instant, by its position among those with work.
    pub(crate) fn group(&self, node: usize) -> usize {
        self.of_node[node] as usize
    }

    /// How many groups the shown instant has.
    pub(crate) fn groups(&self) -> usize {
        self.clusters(self.instant).len()
    }

    /// The colour of a group of the shown instant.
    pub(crate) fn rgba(&self, group: usize) -> Rgba {
        self.colour(self.instant, group)
    }

    /// The colour of a group.
    pub(crate) fn colour(&self, instant: usize, group: usize) -> Rgba {
        self.coloured(instant, group, &self.clusters(instant)[group].members)
    }

    /// The colour of a way between two groups: that of its nodes.
    pub(crate) fn way_colour(&self, way: &Segment) -> Rgba {
        self.coloured(way.instant as usize, way.to as usize, &way.nodes)
    }

    fn coloured(&self, instant: usize, group: usize, nodes: &[u32]) -> Rgba {
        match self.by {
            GroupColour::Shown => {
                let groups = self.groups();
                let mut counts = vec![0u32; groups];
                for node in nodes {
                    counts[self.group(*node as usize)] += 1;
                }
                let most = counts.iter().copied().max().unwrap_or(0);
                let at = counts.iter().position(|count| *count == most).unwrap_or(0);
                self.of_rank(at, groups)
            }
            GroupColour::Speed => self.of_rank(group, self.clusters(instant).len()),
            GroupColour::Kept => {
                // All nodes begin together: what stays of them has the colour of those who lead.
                let order = [FIRST, 0, 1, 3, 4, 5, 6, 7, 8];
                Rgba::hex(GROUPS[self.theme][order[self.groups.identity[instant][group] as usize % order.len()]])
            }
        }
    }

    /// The colour of a group by its place among so many: the slowest and the fastest always have theirs.
    fn of_rank(&self, at: usize, groups: usize) -> Rgba {
        let colours = &GROUPS[self.theme];
        if groups <= colours.len() {
            let place = match at {
                _ if at + 1 >= groups => FIRST,
                0 | 1 => at,
                _ => at + 1,
            };
            return Rgba::hex(colours[place]);
        }
        // More than one can tell apart: from the slowest to the fastest.
        let way = at as f64 / (groups - 1) as f64 * FIRST as f64;
        let (from, part) = ((way as usize).min(FIRST - 1), way - way.floor().min((FIRST - 1) as f64));
        let (low, high) = (Rgba::hex(colours[from]), Rgba::hex(colours[from + 1]));
        let mix = |low: u8, high: u8| (f64::from(low) + (f64::from(high) - f64::from(low)) * part).round() as u8;
        Rgba(mix(low.0, high.0), mix(low.1, high.1), mix(low.2, high.2), 255)
    }

    /// How long before an instant some nodes, on average, were where a share of the work is: how far behind them one is.
    pub(crate) fn time_behind(&self, instant: usize, leaders: &[u32], share: f64) -> i64 {
        time_behind(self.progression, instant, leaders, share)
    }

    /// How far a group is behind the fastest of its instant: as a share of the work, and in time.
    pub(crate) fn behind(&self, instant: usize, group: usize) -> Option<(f64, i64)> {
        let clusters = self.clusters(instant);
        let (own, fastest) = (&clusters[group], clusters.last()?);
        let is_behind = group + 1 < clusters.len();
        is_behind.then(|| (fastest.mean - own.mean, self.time_behind(instant, &fastest.members, own.mean)))
    }

    /// Where the nodes of a group go at the next instant: parts of it, the slowest first. None at the last instant.
    pub(crate) fn next_groups(&self, instant: usize, nodes: &[u32]) -> Vec<Vec<u32>> {
        let Some(next) = self.groups.at.get(instant + 1) else { return Vec::new() };
        let part = |cluster: &Cluster| -> Vec<u32> {
            nodes.iter().copied().filter(|node| cluster.members.binary_search(node).is_ok()).collect()
        };
        next.clusters.iter().map(part).filter(|part| !part.is_empty()).collect()
    }

    /// Numbers of nodes, by their positions.
    pub(crate) fn numbers<'b>(&'b self, nodes: &'b [u32]) -> impl Iterator<Item = u32> + 'b {
        nodes.iter().map(|node| self.progression.nodes[*node as usize])
    }

    /// Nodes as ranges, all of them.
    pub(crate) fn names(&self, nodes: &[u32]) -> String {
        ranges(self.numbers(nodes))
    }

    /// Nodes as ranges, a few of them where they are many.
    pub(crate) fn short_names(&self, nodes: &[u32]) -> String {
        short_ranges(self.numbers(nodes))
    }

    /// What a click on some nodes selects.
    pub(crate) fn select(&self, nodes: &[u32]) -> Selection {
        Selection::Ranks(self.numbers(nodes).collect())
    }

    /// An instant for people: `step 5 · 2.77 s`.
    pub(crate) fn instant_text(&self, instant: usize) -> String {
        format!("step {instant} · {}", time_text(self.progression.times[instant].0))
    }
}

/// The instant at which the slowest and the fastest group are farthest apart; if there is one group at all times, the one
/// at which nodes are; if these are never apart, the middle. The first of several.
fn farthest_apart(progression: &Progression, groups: &Groups) -> usize {
    let groups_apart = |at: usize| match groups.at[at].clusters.as_slice() {
        [first, .., last] => last.mean - first.mean,
        _ => 0.0,
    };
    let nodes_apart = |at: usize| {
        let (low, high) = extent(progression, at);
        high - low
    };
    let most = |apart: &dyn Fn(usize) -> f64| {
        let instants = (0..groups.at.len()).map(|at| (apart(at), at)).filter(|(apart, _)| *apart > 0.0);
        instants.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))).map(|(_, at)| at)
    };
    most(&groups_apart).or_else(|| most(&nodes_apart)).unwrap_or(groups.at.len() / 2)
}

/// The shares of the slowest and the fastest node at an instant.
pub(crate) fn extent(progression: &Progression, instant: usize) -> (f64, f64) {
    let shares = (0..progression.nodes.len()).map(|node| progression.line(node)[instant]);
    let (low, high) = shares.fold((f64::INFINITY, 0.0), |(low, high), share| (share.min(low), share.max(high)));
    (low.min(high), high)
}

/// How long before an instant some nodes, on average, were where a share of the work is.
pub(crate) fn time_behind(progression: &Progression, instant: usize, leaders: &[u32], share: f64) -> i64 {
    let mean = |at: usize| {
        leaders.iter().map(|node| progression.line(*node as usize)[at]).sum::<f64>() / leaders.len().max(1) as f64
    };
    let mut before = mean(0);
    if before >= share {
        return progression.times[instant].since(progression.times[0]);
    }
    for at in 1..=instant {
        let here = mean(at);
        if here >= share {
            let (from, to) = (progression.times[at - 1], progression.times[at]);
            let part = if here > before { (share - before) / (here - before) } else { 0.0 };
            let then = Ns(from.0 + (part * to.since(from) as f64) as i64);
            return progression.times[instant].since(then).max(0);
        }
        before = here;
    }
    0
}

/// Numbers as people write them: `1-6, 12, 18, 24`.
pub(crate) fn ranges(numbers: impl Iterator<Item = u32>) -> String {
    numbers.collect::<RankSet>().to_string().replace(',', ", ")
}

/// The same with a few of them where they are many: `0, 2, 4, 6, 8, 10 … (500 nodes)`.
pub(crate) fn short_ranges(numbers: impl Iterator<Item = u32>) -> String {
    let mut count = 0;
    let all = ranges(numbers.inspect(|_| count += 1));
    if all.matches(", ").count() < MOST_RANGES {
        return all;
    }
    let end = all.match_indices(", ").nth(RANGES_SHOWN - 1).map_or(all.len(), |(at, _)| at);
    format!("{} … ({} nodes)", &all[..end], grouped(count))
}

/// A share of the work for people: `29.9 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// How many times as long: `1.87×`, `6.0×`, `212×`.
pub(crate) fn times_text(ratio: f64) -> String {
    let digits = match ratio {
        ratio if ratio < 2.0 => 2,
        ratio if ratio < 100.0 => 1,
        _ => 0,
    };
    format!("{ratio:.digits$}×")
}

/// A time with three digits, or with those of a second's hundredths: beside lines there is little room.
pub(crate) fn time_text(ns: i64) -> String {
    const UNITS: [(f64, &str); 3] = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    let found = UNITS.iter().find(|(size, _)| ns.abs() as f64 >= *size * 0.9995);
    let Some((size, name)) = found else { return format!("{ns} ns") };
    let value = ns as f64 / size;
    let digits = match value.abs() {
        value if value >= 100.0 && *name != "s" => 0,
        value if value >= 1000.0 => 0,
        value if value >= 10.0 => 1,
        _ => 2,
    };
    if value.abs() >= 1000.0 {
        format!("{} {name}", grouped(value.round() as u64))
    } else {
        format!("{value:.digits$} {name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_written_as_ranges() {
        assert_eq!(ranges([0].into_iter()), "0");
        assert_eq!(ranges([0, 1].into_iter()), "0-1");
        assert_eq!(ranges([1, 2, 3, 4, 5, 6, 12, 18, 24].into_iter()), "1-6, 12, 18, 24");
        let even = |count: u32| short_ranges((0..count).map(|at| at * 2));
        assert_eq!(even(8), "0, 2, 4, 6, 8, 10, 12, 14");
        assert_eq!(even(1_500), "0, 2, 4, 6, 8, 10 … (1,500 nodes)");
    }

    #[test]
    fn figures_are_short() {
        assert_eq!([1_857_000_000, 11_087_000_000, 35_819_000_000].map(time_text), ["1.86 s", "11.1 s", "35.8 s"]);
        assert_eq!([999, 640_000_000, 20_000_000, 4_200].map(time_text), ["999 ns", "640 ms", "20.0 ms", "4.20 µs"]);
        assert_eq!([1.866, 5.97, 18.7, 212.4].map(times_text), ["1.87×", "6.0×", "18.7×", "212×"]);
        assert_eq!(time_text(3_600_000_000_000), "3,600 s");
    }
}
