//! Where the time went: the split of all time, functions by what they cost others, and the critical path.

use std::collections::BTreeMap;

use heddle_diagnosis::diagnosis::{Diagnosis, Split};
use heddle_diagnosis::finding::Finding;
use heddle_diagnosis::path::PathPiece;
use heddle_model::{LocationId, Ns, RegionId};
use heddle_store::Store;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::SplitPart;
use super::sentence::region_name;
use super::shares::{made_whole, tenths, tenths_text};
use super::who::Who;
use crate::lookup::enclosing::spans_in;
use crate::request::names::region_number;

/// Functions that are listed.
const MOST_FUNCTIONS: usize = 12;
/// Smaller parts of a function's cost cannot be seen.
const LEAST_PART: f64 = 0.0005;
/// Findings that are shown apart on the path.
const MOST_ON_PATH: usize = 3;

/// A function, and what it costs others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FunctionCost {
    /// The function; none for time outside of all.
    #[serde(serialize_with = "region_number")]
    pub region: Option<RegionId>,
    /// Its name. Hostile text.
    pub name: String,
    /// Its own time, as a share of the time of all locations.
    pub time_share: f64,
    /// What it makes others wait, as a share of the time of all ranks.
    pub cost_share: f64,
    /// By whom.
    pub parts: Vec<FunctionPart>,
}

/// Whose time in a function costs others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FunctionPart {
    /// Who.
    pub label: String,
    /// The number of the finding.
    pub finding: Option<usize>,
    /// What it makes others wait.
    pub cost_share: f64,
}

/// The critical path.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PathTold {
    /// How often it goes from one rank to another.
    pub hops: u64,
    /// Where it is. Parts overlap: on whom, and in what.
    pub parts: Vec<PathPart>,
}

/// A part of the critical path.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathPart {
    /// On whom, or in what.
    pub label: String,
    /// Its share of the path.
    pub share: f64,
}

/// The parts of all time, rounded together.
pub(super) fn split(diagnosis: &Diagnosis, is_told: bool) -> Vec<SplitPart> {
    let split = if is_told { diagnosis.split } else { untold(diagnosis) };
    let findings: &[Finding] = if is_told { &diagnosis.findings } else { &[] };
    let mut kinds: Vec<(&'static str, Option<usize>)> = vec![("useful", None)];
    kinds.extend((1..=findings.len()).map(|number| ("finding", Some(number))));
    kinds.extend([("chance", None), ("communication", None), ("other", None)]);
    let mut shares: Vec<f64> = vec![split.useful];
    shares.extend(findings.iter().map(|finding| finding.cost_share));
    shares.extend([split.chance, split.communication, split.other]);
    let last = shares.len() - 1;
    made_whole(&mut shares, &[last - 2, last, last - 1]);
    let rounded = tenths(&shares);
    let part = |((kind, finding), (share, tenths)): ((&'static str, Option<usize>), (f64, u32))| SplitPart {
        kind,
        finding,
        share,
        text: tenths_text(tenths),
    };
    kinds.into_iter().zip(shares.into_iter().zip(rounded)).map(part).collect()
}

/// Where nothing is said about waiting, it is communication like the rest of its calls.
fn untold(diagnosis: &Diagnosis) -> Split {
    let (whole, time) = (diagnosis.whole, diagnosis.whole.time);
    let all = (whole.elapsed as f64 * whole.ranks as f64).max(1.0);
    let share = |time: i64| time as f64 / all;
    let communication = share(time.communication.saturating_add(time.waiting));
    Split { useful: share(time.useful), chance: 0.0, communication, other: share(time.other) }
}

/// What a text of the split says, in tenths of a percent.
pub(super) fn tenths_of(text: &str) -> u32 {
    text.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0)
}

/// Functions by what they cost others, then by their time. What they cost adds up to what findings with a function cost and
/// what the waiting takes that these do not explain.
pub(super) fn functions(store: &Store, diagnosis: &Diagnosis, is_told: bool) -> Vec<FunctionCost> {
    let whole = diagnosis.whole;
    let mut parts = if is_told { parts_of(store, diagnosis) } else { FxHashMap::default() };
    let with_spans = (0..store.locations.len()).filter(|at| store.locations.spans.get(*at) > 0).count();
    let time = (whole.elapsed as f64 * with_spans as f64).max(1.0);
    let visited = (0..store.regions.len()).filter(|region| store.regions.count.get(*region) > 0);
    let mut regions: Vec<RegionId> = visited.map(|region| RegionId(region as u32)).collect();
    if parts.contains_key(&RegionId::NONE) {
        regions.push(RegionId::NONE);
    }
    let mut functions: Vec<FunctionCost> = regions
        .into_iter()
        .map(|region| {
            let known = Some(region).filter(|region| (region.index() as u64) < store.regions.len());
            let exclusive = known.map_or(0, |region| store.regions.exclusive.get(u64::from(region.0)));
            let mut parts = parts.remove(&region).unwrap_or_default();
            let cost_share: f64 = parts.iter().map(|part| part.cost_share).sum::<f64>().clamp(0.0, 1.0);
            // A part of one is the whole, and what cannot be seen is no part.
            parts.retain(|part| part.finding.is_some() || part.cost_share > LEAST_PART);
            if parts.iter().all(|part| part.finding.is_none()) {
                parts.clear();
            }
            FunctionCost {
                region: known,
                name: region_name(store, region).to_owned(),
                time_share: (exclusive as f64 / time).clamp(0.0, 1.0),
                cost_share,
                parts,
            }
        })
        .collect();
    functions.sort_by(|a, b| {
        b.cost_share.total_cmp(&a.cost_share).then(b.time_share.total_cmp(&a.time_share)).then(a.region.cmp(&b.region))
    });
    functions.truncate(MOST_FUNCTIONS);
    functions
}

/// What findings cost by function, and, as the part of others, what is left of the waiting: dealt out as charges are that no
/// finding has claimed.
fn parts_of(store: &Store, diagnosis: &Diagnosis) -> FxHashMap<RegionId, Vec<FunctionPart>> {
    let all = (diagnosis.whole.elapsed as f64 * diagnosis.whole.ranks as f64).max(1.0);
    let mut charged: BTreeMap<RegionId, f64> = BTreeMap::new();
    for (_, region, cost) in &diagnosis.run.delays.costs {
        *charged.entry(*region).or_default() += cost.total() / all;
    }
    let mut parts: FxHashMap<RegionId, Vec<FunctionPart>> = FxHashMap::default();
    for (number, finding) in (1..).zip(&diagnosis.findings) {
        let label = Who::of(store, finding).name;
        for (region, cost_share) in &finding.functions {
            let part = FunctionPart { label: label.clone(), finding: Some(number), cost_share: *cost_share };
            parts.entry(*region).or_default().push(part);
            if let Some(left) = charged.get_mut(region) {
                *left = (*left - cost_share).max(0.0);
            }
        }
    }
    let told = |finding: &Finding| finding.functions.iter().map(|(_, share)| *share).sum::<f64>();
    let told: f64 = diagnosis.findings.iter().map(told).sum();
    let waiting = diagnosis.whole.time.waiting as f64 / all;
    let (unclaimed, left) = (charged.values().sum::<f64>(), (waiting - told).max(0.0));
    let scale = if unclaimed > 0.0 { (left / unclaimed).min(1.0) } else { 0.0 };
    for (region, cost) in charged {
        let part = FunctionPart { label: "others".to_owned(), finding: None, cost_share: scale * cost };
        parts.entry(region).or_default().push(part);
    }
    parts
}

/// Where the critical path is.
pub(super) fn path(store: &Store, diagnosis: &Diagnosis) -> PathTold {
    let pieces = &diagnosis.run.path;
    let hops = pieces.windows(2).filter(|two| two[0].location != two[1].location).count() as u64;
    let length: i64 = pieces.iter().map(|piece| piece.end.since(piece.start)).sum();
    if length <= 0 {
        return PathTold::default();
    }
    let share = |time: i64| time as f64 / length as f64;
    let mut parts = Vec::new();
    for finding in diagnosis.findings.iter().filter(|finding| finding.kind().blames()).take(MOST_ON_PATH) {
        let members: FxHashSet<LocationId> = finding.suspect.locations.iter().copied().collect();
        let on = pieces.iter().filter(|piece| members.contains(&piece.location));
        let time = on.map(|piece| piece.end.since(piece.start)).sum();
        if !members.is_empty() {
            parts.push(PathPart { label: format!("on {}", Who::of(store, finding).name), share: share(time) });
        }
    }
    let (communication, dearest) = in_functions(store, diagnosis);
    if let Some((region, time)) = dearest {
        parts.push(PathPart { label: format!("in {}", region_name(store, region)), share: share(time) });
    }
    parts.push(PathPart { label: "in communication".to_owned(), share: share(communication) });
    PathTold { hops, parts }
}

/// Time of the path in communication, and in the function that has most of the rest.
fn in_functions(store: &Store, diagnosis: &Diagnosis) -> (i64, Option<(RegionId, i64)>) {
    let mut times: FxHashMap<RegionId, i64> = FxHashMap::default();
    for piece in &diagnosis.run.path {
        path_stretches(store, piece, |region, start, end| *times.entry(region).or_default() += end.since(start));
    }
    let communicates = |region: &RegionId| region.is_some() && store.regions.communicates(*region);
    let communication = times.iter().filter(|(region, _)| communicates(region)).map(|(_, time)| time).sum();
    let rest = times.into_iter().filter(|(region, _)| !communicates(region));
    (communication, rest.max_by_key(|(region, time)| (*time, std::cmp::Reverse(*region))))
}

/// What a piece of the critical path was spent on, in the order of time and without gaps: `NONE` outside of all functions.
pub fn path_stretches(store: &Store, piece: &PathPiece, mut visit: impl FnMut(RegionId, Ns, Ns)) {
    let mut reached = piece.start;
    let spans = spans_in(store, piece.location, (piece.start, piece.end));
    spans.for_each_stretch(
        store,
        |_| true,
        |stretch| {
            let (start, end) = (stretch.start.max(reached), stretch.end.min(piece.end));
            if start < end {
                if reached < start {
                    visit(RegionId::NONE, reached, start);
                }
                visit(stretch.region, start, end);
                reached = end;
            }
        },
    );
    if reached < piece.end {
        visit(RegionId::NONE, reached, piece.end);
    }
}
