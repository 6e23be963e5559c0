//! Findings and what is said of the run as a whole.

use std::path::Path;

use heddle_model::{LocationId, Ns, RegionId, SystemNodeId};
use heddle_store::{StoreError, table, write_table};

use super::Check;
use crate::clocks::Clocks;
use crate::detect::Spread;
use crate::diagnosis::Split;
use crate::efficiency::{Classes, Efficiency};
use crate::finding::{Finding, FindingKind, Verdict};
use crate::suspect::{Cut, Group, Place, Suspect};

table! {
    /// Findings, the dearest first.
    FindingRows, FindingTable = "findings" {
        /// A place in the list of kinds.
        kind: u8 => "kind",
        /// What they are together: 0 for nothing special, 1 for a node, 2 for ranks at equal distances.
        group: u8 => "group",
        /// The node, or the first rank.
        group_first: u32 => "group_first",
        /// The distance of ranks.
        group_stride: u32 => "group_stride",
        /// How many ranks.
        group_count: u32 => "group_count",
        /// The function.
        region: RegionId => "region" nullable,
        /// The communication call that follows.
        before: RegionId => "before" nullable,
        /// From when on.
        since: Ns => "since_ns",
        /// Until when.
        until: Ns => "until_ns",
        /// 1 if that is the whole run.
        is_throughout: u8 => "is_throughout",
        /// What a visit usually takes.
        usual: f64 => "usual_ns",
        /// What it takes here.
        found: f64 => "found_ns",
        /// How many visits that rests on.
        visits: u64 => "visits",
        /// How many of them are in excess.
        slow_visits: u64 => "slow_visits",
        /// How far from its peers.
        z: f64 => "z",
        /// The distance in time of periodic ones.
        period: f64 => "period_ns" nullable,
        /// Share of the time of all ranks.
        cost_share: f64 => "cost_share",
        /// What the run would take without it.
        without: i64 => "without_ns" nullable,
        /// What it would take without this and all dearer findings.
        without_dearer: i64 => "without_dearer_ns" nullable,
        /// How many waited for it.
        waiting: u64 => "waiting",
        /// The time to look at.
        window_start: Ns => "window_start_ns",
        /// Its end.
        window_end: Ns => "window_end_ns",
    }
}

table! {
    /// Whom findings are of, by finding.
    WhoRows, WhoTable = "finding_locations" {
        /// Which finding.
        finding: u32 => "finding",
        /// Who.
        location: LocationId => "location",
    }
}

table! {
    /// What findings cost by function, by finding.
    FunctionRows, FunctionTable = "finding_functions" {
        /// Which finding.
        finding: u32 => "finding",
        /// The function.
        region: RegionId => "region" nullable,
        /// Share of the time of all ranks.
        share: f64 => "share",
    }
}

table! {
    /// Pairs of findings, by finding.
    PairRows, PairTable = "finding_pairs" {
        /// Which finding.
        finding: u32 => "finding",
        /// Who sends.
        from: LocationId => "from",
        /// Who receives.
        to: LocationId => "to",
    }
}

table! {
    /// Time in excess, by finding.
    CutRows, CutTable = "finding_cuts" {
        /// Which finding.
        finding: u32 => "finding",
        /// Whose time.
        location: LocationId => "location",
        /// It lies in this stretch.
        start: Ns => "start_ns",
        /// Its end.
        end: Ns => "end_ns",
        /// How much of it.
        excess: i64 => "excess_ns",
    }
}

table! {
    /// How much computing varies by chance.
    SpreadRows, SpreadTable = "spreads" {
        /// The function.
        region: RegionId => "region" nullable,
        /// The communication call that follows.
        before: RegionId => "before" nullable,
        /// Robust relative standard deviation.
        deviation: f64 => "deviation",
        /// Share of the time of all ranks.
        share: f64 => "share",
    }
}

table! {
    /// Whether clocks agree: one row.
    ClockRows, ClockTable = "clocks" {
        /// What ended before what it needed began.
        violations: u64 => "violations",
        /// Out of how many.
        checked: u64 => "checked",
        /// The largest.
        largest: i64 => "largest_ns",
        /// Who came too late in the largest; none if there is none.
        late: LocationId => "late",
        /// Who ended too early.
        early: LocationId => "early",
        /// What clocks disagree by.
        error: f64 => "error_ns",
        /// A typical wait.
        typical_wait: f64 => "typical_wait_ns",
        /// 1 if nothing is to be said about time.
        is_broken: u8 => "is_broken",
    }
}

table! {
    /// The run as a whole: one row.
    WholeRows, WholeTable = "whole" {
        /// A place in the list of verdicts.
        verdict: u8 => "verdict",
        /// How many ranks.
        ranks: u64 => "ranks",
        /// How long.
        elapsed: i64 => "elapsed_ns",
        /// Time of all ranks that was useful.
        time_useful: i64 => "useful_ns",
        /// Waiting.
        time_waiting: i64 => "waiting_ns",
        /// The rest of communication.
        time_communication: i64 => "communication_ns",
        /// Neither.
        time_other: i64 => "other_ns",
        /// Useful time of who has most.
        most_useful: i64 => "most_useful_ns",
        /// Length on an ideal network.
        ideal: i64 => "ideal_ns",
        /// Share of computing.
        useful: f64 => "useful",
        /// Share of waiting that no finding explains.
        chance: f64 => "chance",
        /// Share of communication without waiting.
        communication: f64 => "communication",
        /// Share of neither.
        other: f64 => "other",
    }
}

const VERDICTS: [Verdict; 4] = [Verdict::Balanced, Verdict::Uneven, Verdict::Faulty, Verdict::Unknown];

pub(super) fn write_findings(directory: &Path, findings: &[Finding]) -> Result<(), StoreError> {
    let mut rows = FindingRows::default();
    let (mut who, mut pair, mut cut_rows) = (WhoRows::default(), PairRows::default(), CutRows::default());
    let mut function = FunctionRows::default();
    for (number, finding) in (0u32..).zip(findings) {
        let Finding { suspect, cost_share, functions, without, without_dearer, waiting, window } = finding;
        rows.cost_share.push(*cost_share);
        rows.without.push(without.unwrap_or(i64::MIN));
        rows.without_dearer.push(without_dearer.unwrap_or(i64::MIN));
        rows.waiting.push(*waiting);
        rows.window_start.push(window.0);
        rows.window_end.push(window.1);
        function.finding.extend(functions.iter().map(|_| number));
        function.region.extend(functions.iter().map(|(region, _)| *region));
        function.share.extend(functions.iter().map(|(_, share)| *share));
        push_suspect(&mut rows, suspect);
        let Suspect { locations, pairs, cuts, .. } = suspect;
        who.finding.extend(locations.iter().map(|_| number));
        who.location.extend(locations);
        pair.finding.extend(pairs.iter().map(|_| number));
        pair.from.extend(pairs.iter().map(|(from, _)| *from));
        pair.to.extend(pairs.iter().map(|(_, to)| *to));
        for Cut { location, start, end, excess } in cuts {
            cut_rows.finding.push(number);
            cut_rows.location.push(*location);
            cut_rows.start.push(*start);
            cut_rows.end.push(*end);
            cut_rows.excess.push(*excess);
        }
    }
    write_table(directory, rows)?;
    write_table(directory, who)?;
    write_table(directory, function)?;
    write_table(directory, pair)?;
    write_table(directory, cut_rows)?;
    Ok(())
}

/// The part of a row that is the suspect's; lists have tables of their own.
fn push_suspect(rows: &mut FindingRows, suspect: &Suspect) {
    let Suspect {
        kind,
        locations: _,
        group,
        pairs: _,
        place,
        since,
        until,
        is_throughout,
        usual,
        found,
        visits,
        slow_visits,
        z,
        period,
        cuts: _,
    } = suspect;
    let number = FindingKind::ALL.iter().position(|other| other == kind).unwrap_or_default();
    rows.kind.push(number as u8);
    let (which, first, stride, count) = match group {
        None => (0, 0, 0, 0),
        Some(Group::Node(node)) => (1, node.0, 0, 0),
        Some(Group::Stride { first, stride, count }) => (2, *first, *stride, *count),
    };
    rows.group.push(which);
    rows.group_first.push(first);
    rows.group_stride.push(stride);
    rows.group_count.push(count);
    let Place { region, before } = place;
    rows.region.push(*region);
    rows.before.push(before.unwrap_or(RegionId::NONE));
    rows.since.push(*since);
    rows.until.push(*until);
    rows.is_throughout.push(u8::from(*is_throughout));
    rows.usual.push(*usual);
    rows.found.push(*found);
    rows.visits.push(*visits);
    rows.slow_visits.push(*slow_visits);
    rows.z.push(*z);
    rows.period.push(period.unwrap_or(f64::NAN));
}

pub(super) fn read_findings(check: &Check<'_>) -> Result<Vec<Finding>, StoreError> {
    let rows = FindingTable::open(check.directory)?;
    let (who, pairs) = (WhoTable::open(check.directory)?, PairTable::open(check.directory)?);
    let (cuts, functions) = (CutTable::open(check.directory)?, FunctionTable::open(check.directory)?);
    let mut findings = Vec::new();
    for row in 0..rows.len() {
        let suspect = read_suspect(check, &rows, row)?;
        let window = (rows.window_start.get(row), rows.window_end.get(row));
        check.that(Check::is_window(window), "the window of a finding")?;
        let known = |time: i64| Some(time).filter(|time| *time != i64::MIN);
        let (without, without_dearer) = (known(rows.without.get(row)), known(rows.without_dearer.get(row)));
        let (cost_share, waiting) = (rows.cost_share.get(row), rows.waiting.get(row));
        let functions = Vec::new();
        findings.push(Finding { suspect, cost_share, functions, without, without_dearer, waiting, window });
    }
    let suspect = |number: u32, fits: bool, what: &str| {
        check.that(fits && (number as usize) < findings.len(), what)?;
        Ok::<usize, StoreError>(number as usize)
    };
    let mut lists = vec![(Vec::new(), Vec::new(), Vec::new(), Vec::new()); rows.len() as usize];
    for row in 0..who.len() {
        let location = who.location.get(row);
        let finding = suspect(who.finding.get(row), check.is_location(location), "whom a finding names")?;
        lists[finding].0.push(location);
    }
    for row in 0..pairs.len() {
        let (from, to) = (pairs.from.get(row), pairs.to.get(row));
        let fits = check.is_location(from) && check.is_location(to);
        lists[suspect(pairs.finding.get(row), fits, "a pair of a finding")?].1.push((from, to));
    }
    for row in 0..cuts.len() {
        let (location, start, end) = (cuts.location.get(row), cuts.start.get(row), cuts.end.get(row));
        let excess = cuts.excess.get(row);
        let fits = check.is_location(location) && Check::is_window((start, end)) && Check::is_time(excess);
        let finding = suspect(cuts.finding.get(row), fits, "what a finding takes away")?;
        lists[finding].2.push(Cut { location, start, end, excess });
    }
    for row in 0..functions.len() {
        let (region, share) = (functions.region.get(row), functions.share.get(row));
        let fits = check.is_region(region) && (0.0..=1.0).contains(&share);
        lists[suspect(functions.finding.get(row), fits, "what a function costs")?].3.push((region, share));
    }
    for (finding, (locations, pairs, cuts, functions)) in findings.iter_mut().zip(lists) {
        finding.suspect.locations = locations;
        finding.suspect.pairs = pairs;
        finding.suspect.cuts = cuts;
        finding.functions = functions;
    }
    Ok(findings)
}

/// A suspect without its lists.
fn read_suspect(check: &Check<'_>, rows: &FindingTable, row: u64) -> Result<Suspect, StoreError> {
    let first = rows.group_first.get(row);
    let group = match rows.group.get(row) {
        0 => None,
        1 => {
            check.that(u64::from(first) < check.rows.store.system_tree.len(), "the node of a finding")?;
            Some(Group::Node(SystemNodeId(first)))
        }
        _ => Some(Group::Stride { first, stride: rows.group_stride.get(row), count: rows.group_count.get(row) }),
    };
    let (since, until) = (rows.since.get(row), rows.until.get(row));
    check.that(Check::is_window((since, until)), "the time of a finding")?;
    Ok(Suspect {
        kind: check.one_of(&FindingKind::ALL, rows.kind.get(row), "the kind of a finding")?,
        locations: Vec::new(),
        group,
        pairs: Vec::new(),
        place: read_place(check, rows.region.get(row), rows.before.get(row))?,
        since,
        until,
        is_throughout: rows.is_throughout.get(row) == 1,
        usual: rows.usual.get(row),
        found: rows.found.get(row),
        visits: rows.visits.get(row),
        slow_visits: rows.slow_visits.get(row),
        z: rows.z.get(row),
        period: Some(rows.period.get(row)).filter(|period| !period.is_nan()),
        cuts: Vec::new(),
    })
}

fn read_place(check: &Check<'_>, region: RegionId, before: RegionId) -> Result<Place, StoreError> {
    check.that(check.is_region(region) && check.is_region(before), "a function")?;
    Ok(Place { region, before: Some(before).filter(|before| before.is_some()) })
}

pub(super) fn write_spreads(directory: &Path, spreads: &[Spread]) -> Result<(), StoreError> {
    let mut rows = SpreadRows::default();
    for Spread { place, deviation, share } in spreads {
        let Place { region, before } = place;
        rows.region.push(*region);
        rows.before.push(before.unwrap_or(RegionId::NONE));
        rows.deviation.push(*deviation);
        rows.share.push(*share);
    }
    write_table(directory, rows)?;
    Ok(())
}

pub(super) fn read_spreads(check: &Check<'_>) -> Result<Vec<Spread>, StoreError> {
    let rows = SpreadTable::open(check.directory)?;
    let spread = |row: u64| -> Result<Spread, StoreError> {
        let place = read_place(check, rows.region.get(row), rows.before.get(row))?;
        Ok(Spread { place, deviation: rows.deviation.get(row), share: rows.share.get(row) })
    };
    (0..rows.len()).map(spread).collect()
}

pub(super) fn write_clocks(directory: &Path, clocks: Clocks) -> Result<(), StoreError> {
    let Clocks { violations, checked, largest, between, error, typical_wait, is_broken } = clocks;
    let (late, early) = between.unwrap_or((LocationId::NONE, LocationId::NONE));
    let rows = ClockRows {
        violations: vec![violations],
        checked: vec![checked],
        largest: vec![largest],
        late: vec![late],
        early: vec![early],
        error: vec![error],
        typical_wait: vec![typical_wait],
        is_broken: vec![u8::from(is_broken)],
    };
    write_table(directory, rows)?;
    Ok(())
}

pub(super) fn read_clocks(check: &Check<'_>) -> Result<Clocks, StoreError> {
    let rows = ClockTable::open(check.directory)?;
    check.that(rows.len() == 1 && Check::is_time(rows.largest.get(0)), "the table of clocks")?;
    let between = Some((rows.late.get(0), rows.early.get(0))).filter(|(late, _)| late.is_some());
    let is_known = |(late, early): (LocationId, LocationId)| check.is_location(late) && check.is_location(early);
    check.that(between.is_none_or(is_known), "the table of clocks")?;
    Ok(Clocks {
        violations: rows.violations.get(0),
        checked: rows.checked.get(0),
        largest: rows.largest.get(0),
        between,
        error: rows.error.get(0),
        typical_wait: rows.typical_wait.get(0),
        is_broken: rows.is_broken.get(0) == 1,
    })
}

pub(super) fn write_whole(
    directory: &Path,
    verdict: Verdict,
    whole: Efficiency,
    split: Split,
) -> Result<(), StoreError> {
    let Efficiency { ranks, elapsed, time, most_useful, ideal } = whole;
    let Split { useful, chance, communication, other } = split;
    let number = VERDICTS.iter().position(|known| *known == verdict).unwrap_or_default();
    let rows = WholeRows {
        verdict: vec![number as u8],
        ranks: vec![ranks],
        elapsed: vec![elapsed],
        time_useful: vec![time.useful],
        time_waiting: vec![time.waiting],
        time_communication: vec![time.communication],
        time_other: vec![time.other],
        most_useful: vec![most_useful],
        ideal: vec![ideal],
        useful: vec![useful],
        chance: vec![chance],
        communication: vec![communication],
        other: vec![other],
    };
    write_table(directory, rows)?;
    Ok(())
}

pub(super) fn read_whole(check: &Check<'_>) -> Result<(Verdict, Efficiency, Split), StoreError> {
    let rows = WholeTable::open(check.directory)?;
    check.that(rows.len() == 1, "the table of the whole")?;
    let time = Classes {
        useful: rows.time_useful.get(0),
        waiting: rows.time_waiting.get(0),
        communication: rows.time_communication.get(0),
        other: rows.time_other.get(0),
    };
    let whole = Efficiency {
        ranks: rows.ranks.get(0),
        elapsed: rows.elapsed.get(0),
        time,
        most_useful: rows.most_useful.get(0),
        ideal: rows.ideal.get(0),
    };
    let fits = [whole.elapsed, whole.most_useful, whole.ideal].into_iter().all(Check::is_time);
    check.that(fits && whole.ranks == check.rows.len() as u64, "the efficiency of the run")?;
    let split = Split {
        useful: rows.useful.get(0),
        chance: rows.chance.get(0),
        communication: rows.communication.get(0),
        other: rows.other.get(0),
    };
    Ok((check.one_of(&VERDICTS, rows.verdict.get(0), "the verdict")?, whole, split))
}
