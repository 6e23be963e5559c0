//! Stages of a run: where the mix of functions changes.
//!
//! The window is cut into [`COLUMNS`] columns, each with the shares of time in the functions. Among all ways to cut them
//! into at most [`MOST_STAGES`] stages, none shorter than [`SHORTEST`] columns, the one is taken whose columns differ
//! least from the means of their stages, where every further stage must save a price ([`LEAST_PRICE`], or more where
//! columns differ from one to the next anyway). Found exactly, by dynamic programming; the same window always gives
//! the same stages.
//!
//! Where the same happens again and again, changes inside of a round are none of the run: columns of a round are replaced by
//! their mean before the cut, so that a stage begins where rounds change.
//!
//! A stage is called after the function of the program that most ranks are in meanwhile and not all the time; neighbours
//! of one name are one stage. Otherwise it is called after what it mostly does. A stage that repeats itself says how often.

use heddle_model::{LocationId, Ns, RegionId};
use heddle_store::Store;
use serde::Serialize;

use crate::questions::stage_parts::{Rounds, beginnings, callers, rounds};
use crate::request::names::{region_number, time_text};
use crate::request::window::Window;
use crate::views::activity::ActivityColumns;

/// Columns in which changes are looked for.
const COLUMNS: u32 = 512;
/// More stages are noise to a reader.
const MOST_STAGES: usize = 12;
/// The shortest stage, in columns: about a sixtieth of the window.
const SHORTEST: usize = 8;
/// The shortest round whose parts can be told apart, in columns, and the parts in which rounds are compared.
const LEAST_ROUND: usize = 3;
const PARTS: usize = 12;
/// What a stage must save at least: as much as a fifth of the ranks doing something else for a tenth of the window.
const LEAST_PRICE: f64 = COLUMNS as f64 * 0.1 * 0.2 * 0.2;
/// What it must save of the variance between neighbouring columns, so that noise makes no stages.
const OF_NOISE: f64 = 3.0;

/// A function whose share comes so close to the rest of the time gives a stage its name: it says more.
const TIE: f64 = 0.01;

/// A stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stage {
    /// When it begins.
    #[serde(rename = "start_ns", serialize_with = "time_text")]
    pub start: Ns,
    /// When it ends.
    #[serde(rename = "end_ns", serialize_with = "time_text")]
    pub end: Ns,
    /// What it is called: the function of the program around it, else what it mostly does. Hostile text.
    pub name: String,
    /// Whether it is called after a function of the program.
    pub is_caller: bool,
    /// What takes most of its time: a function, or what is known of the time outside of calls. Hostile text.
    pub mostly: String,
    /// That function.
    #[serde(serialize_with = "region_number")]
    pub region: Option<RegionId>,
    /// The share of the time that this takes.
    pub share: f64,
    /// Share of the time that is not spent in communication: of ranks computing.
    pub efficiency: f64,
    /// How often it repeats itself, if it does.
    pub rounds: Option<Rounds>,
}

/// The stages of a window, in order. They cover it.
pub fn stages(store: &Store, window: &Window) -> Vec<Stage> {
    let time = window.time(store);
    let columns = ActivityColumns::of(store, window, COLUMNS);
    // Columns of a window of a few nanoseconds may have no time at all.
    let share = |times: &[u64], column: usize| times[column] as f64 / columns.available[column].max(1) as f64;
    let mut rows: Vec<Vec<f64>> = (0..COLUMNS as usize)
        .map(|column| columns.regions.iter().map(|(_, times)| share(times, column)).collect())
        .collect();
    let at = |column: usize| columns.edges[column];
    let parts =
        |cuts: &[usize]| -> Vec<(Ns, Ns)> { cuts.windows(2).map(|edges| (at(edges[0]), at(edges[1]))).collect() };
    let locations = window.locations(store);
    let column = |at: i64| ((at - time.0.0) as f64 / time.1.since(time.0).max(1) as f64 * f64::from(COLUMNS)) as usize;
    for starts in beginnings(store, &locations, time) {
        let last = starts[starts.len() - 1];
        let end = last.saturating_add(last - starts[starts.len() - 2]).min(time.1.0);
        let edges: Vec<usize> = starts.into_iter().chain([end]).map(|at| column(at).min(COLUMNS as usize)).collect();
        if is_repetition(&rows, &edges) {
            even_out(&mut rows, &edges);
            break;
        }
    }
    let mut cuts = cuts(&rows);
    let mut names = callers(store, &locations, &parts(&cuts));
    let mut stage = 1;
    while stage < names.len() {
        if names[stage].is_some() && names[stage] == names[stage - 1] {
            names.remove(stage);
            cuts.remove(stage);
        } else {
            stage += 1;
        }
    }
    join_rounds(store, &locations, &mut cuts, &mut names, at);
    let stage = |(edges, caller): (&[usize], &Option<RegionId>)| {
        let (from, to) = (edges[0], edges[1]);
        let sum = |times: &[u64]| times[from..to].iter().sum::<u64>() as f64;
        let available = sum(&columns.available).max(1.0);
        let of_regions = columns.regions.iter().map(|(region, times)| (*region, sum(times) / available));
        let busy: f64 = of_regions.clone().map(|(_, share)| share).sum();
        let rest = (1.0 - busy).clamp(0.0, 1.0);
        let most = of_regions.reduce(|a, b| if b.1 > a.1 { b } else { a }).filter(|(_, share)| *share + TIE >= rest);
        let name = |region: RegionId| store.regions.name.get(u64::from(region.0)).to_owned();
        let mostly = most.map_or_else(|| columns.rest.name().to_owned(), |(region, _)| name(region));
        Stage {
            start: at(from),
            end: at(to),
            name: caller.map_or_else(|| mostly.clone(), name),
            is_caller: caller.is_some(),
            mostly,
            region: most.map(|(region, _)| region),
            share: most.map_or(rest, |(_, share)| share),
            efficiency: rest,
            rounds: rounds(store, &locations, (at(from), at(to))),
        }
    };
    cuts.windows(2).zip(&names).map(stage).collect()
}

/// The rest of the last round of a stage belongs to it: a stage shorter than a round of the one before is none of its own.
fn join_rounds(
    store: &Store,
    locations: &[LocationId],
    cuts: &mut Vec<usize>,
    names: &mut Vec<Option<RegionId>>,
    at: impl Fn(usize) -> Ns,
) {
    let mut stage = 1;
    while stage < names.len() {
        let before = rounds(store, locations, (at(cuts[stage - 1]), at(cuts[stage])));
        let length = at(cuts[stage + 1]).since(at(cuts[stage]));
        if names[stage].is_none() && before.is_some_and(|rounds| length < rounds.each.0) {
            names.remove(stage);
            cuts.remove(stage);
        } else {
            stage += 1;
        }
    }
}

/// Whether what happens between two edges happens again between the next two: a round differs less from the next than its
/// own rows do from each other.
fn is_repetition(rows: &[Vec<f64>], edges: &[usize]) -> bool {
    let rounds: Vec<&[Vec<f64>]> = edges.windows(2).map(|two| &rows[two[0]..two[1]]).collect();
    if rounds.iter().any(|round| round.len() < LEAST_ROUND) {
        return false;
    }
    let square = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    // Rounds of unlike lengths are compared at the same parts of each.
    let at = |round: &'_ [Vec<f64>], part: usize| round[(2 * part + 1) * round.len() / (2 * PARTS)].clone();
    let parts = |two: &[&[Vec<f64>]]| (0..PARTS).map(|part| square(&at(two[0], part), &at(two[1], part))).sum::<f64>();
    let between = rounds.windows(2).map(parts).sum::<f64>() / (rounds.len() - 1) as f64;
    let inside = rounds.iter().map(|round| {
        let mean = mean(round);
        (0..PARTS).map(|part| square(&at(round, part), &mean)).sum::<f64>()
    });
    between < inside.sum::<f64>() / rounds.len() as f64
}

/// Replaces the rows of each round by their mean.
fn even_out(rows: &mut [Vec<f64>], edges: &[usize]) {
    for two in edges.windows(2) {
        let mean = mean(&rows[two[0]..two[1]]);
        rows[two[0]..two[1]].fill(mean);
    }
}

fn mean(rows: &[Vec<f64>]) -> Vec<f64> {
    let width = rows.first().map_or(0, Vec::len);
    (0..width).map(|at| rows.iter().map(|row| row[at]).sum::<f64>() / rows.len() as f64).collect()
}

/// Where to cut: the first row of every stage, and the end.
fn cuts(rows: &[Vec<f64>]) -> Vec<usize> {
    let costs = Costs::new(rows);
    let price = LEAST_PRICE.max(OF_NOISE * noise(rows) * (rows.len() as f64).ln());
    let most = (rows.len() / SHORTEST).clamp(1, MOST_STAGES);
    // The least cost of the first `end` rows in so many stages, and where the last of them begins.
    let mut best: Vec<Vec<(f64, usize)>> = vec![(0..=rows.len()).map(|end| (costs.of(0, end), 0)).collect()];
    for stages in 2..=most {
        let before = &best[stages - 2];
        let row = (0..=rows.len())
            .map(|end| {
                let begins = (stages - 1) * SHORTEST..(end + 1).saturating_sub(SHORTEST);
                begins
                    .map(|begin| (before[begin].0 + costs.of(begin, end), begin))
                    .fold((f64::INFINITY, 0), |least, this| if this.0 < least.0 { this } else { least })
            })
            .collect();
        best.push(row);
    }
    let total = |stages: &usize| best[stages - 1][rows.len()].0 + price * *stages as f64;
    let stages = (1..=most).reduce(|a, b| if total(&b) < total(&a) { b } else { a }).unwrap_or(1);
    let mut cuts = vec![rows.len()];
    let mut end = rows.len();
    for stages in (1..=stages).rev() {
        end = best[stages - 1][end].1;
        cuts.push(end);
    }
    cuts.reverse();
    cuts
}

/// Half the middle squared difference of neighbours: what rows differ by without any change.
fn noise(rows: &[Vec<f64>]) -> f64 {
    let square = |two: &[Vec<f64>]| two[0].iter().zip(&two[1]).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let mut squares: Vec<f64> = rows.windows(2).map(square).collect();
    squares.sort_by(f64::total_cmp);
    squares.get(squares.len() / 2).map_or(0.0, |middle| middle / 2.0)
}

/// Squared distances of rows from their mean, for any run of them, from sums.
struct Costs {
    width: usize,
    sums: Vec<f64>,
    squares: Vec<f64>,
}

impl Costs {
    fn new(rows: &[Vec<f64>]) -> Costs {
        let width = rows.first().map_or(0, Vec::len);
        let (mut sums, mut squares) = (vec![0.0; width], vec![0.0]);
        for row in rows {
            let before = sums.len() - width;
            for (at, value) in row.iter().enumerate() {
                sums.push(sums[before + at] + value);
            }
            let square: f64 = row.iter().map(|value| value * value).sum();
            squares.push(squares[squares.len() - 1] + square);
        }
        Costs { width, sums, squares }
    }

    fn of(&self, from: usize, to: usize) -> f64 {
        if to <= from {
            return 0.0;
        }
        let (start, end) = (&self.sums[from * self.width..][..self.width], &self.sums[to * self.width..][..self.width]);
        let means: f64 = start.iter().zip(end).map(|(a, b)| (b - a).powi(2)).sum::<f64>() / (to - from) as f64;
        (self.squares[to] - self.squares[from] - means).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of two functions: the shares of each stage, and how many rows it has.
    fn rows(stages: &[(f64, f64, usize)], noise: f64) -> Vec<Vec<f64>> {
        let row = |a: f64, b: f64, at: usize| {
            let shake = noise * ((at * 7919 % 101) as f64 / 50.0 - 1.0);
            vec![a + shake, b - shake]
        };
        stages.iter().flat_map(|(a, b, count)| (0..*count).map(|at| row(*a, *b, at))).collect()
    }

    #[test]
    fn changes_are_found_where_they_are() {
        for noise in [0.0, 0.05] {
            let rows = rows(&[(0.1, 0.3, 200), (0.8, 0.1, 100), (0.1, 0.3, 212)], noise);
            assert_eq!(cuts(&rows), [0, 200, 300, 512], "noise {noise}");
        }
    }

    #[test]
    fn what_stays_the_same_or_only_shakes_is_one_stage() {
        assert_eq!(cuts(&rows(&[(0.3, 0.3, 512)], 0.0)), [0, 512]);
        assert_eq!(cuts(&rows(&[(0.3, 0.3, 512)], 0.2)), [0, 512]);
        assert_eq!(cuts(&rows(&[(0.3, 0.3, 250), (0.9, 0.0, 3), (0.3, 0.3, 259)], 0.0)), [0, 512], "too short");
        assert_eq!(cuts(&vec![Vec::new(); 512]), [0, 512]);
    }

    #[test]
    fn what_repeats_is_one_stage_and_what_does_not_is_cut() {
        let round = [(0.1, 0.3, 80), (0.8, 0.1, 48)];
        let mut again = rows(&round.repeat(4), 0.02);
        let edges: Vec<usize> = (0..=4).map(|at| at * 128).collect();
        assert!(cuts(&again).len() > 4, "they would be cut");
        assert!(is_repetition(&again, &edges));
        even_out(&mut again, &edges);
        assert_eq!(cuts(&again), [0, 512]);
        // From the third on rounds are others.
        let mut change = rows(&[round.repeat(2), [(0.1, 0.3, 48), (0.8, 0.1, 80)].repeat(2)].concat(), 0.02);
        assert!(is_repetition(&change, &edges));
        even_out(&mut change, &edges);
        assert_eq!(cuts(&change), [0, 256, 512]);
        let others = [(0.1, 0.3, 128), (0.8, 0.1, 128), (0.1, 0.8, 128), (0.5, 0.5, 128)];
        assert!(!is_repetition(&rows(&others, 0.02), &[0, 128, 256, 384, 512]), "equally long, but not the same");
    }

    #[test]
    fn there_are_never_too_many() {
        let many: Vec<(f64, f64, usize)> =
            (0..32).map(|at| if at % 2 == 0 { (0.0, 0.0, 16) } else { (1.0, 0.0, 16) }).collect();
        let cuts = cuts(&rows(&many, 0.0));
        assert!(cuts.len() - 1 <= MOST_STAGES, "{cuts:?}");
        assert!(cuts.windows(2).all(|edges| edges[1] - edges[0] >= SHORTEST), "{cuts:?}");
    }
}
