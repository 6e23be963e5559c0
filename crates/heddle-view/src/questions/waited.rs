//! Whom a call waited for, and what that goes back to, by the delay costs of a diagnosis.
//!
//! A wait is followed to its culprit. If that did more than who waited, since both were last at one, this is what it goes back
//! to; if it rather waited itself, its longest wait is followed in turn. So a send is followed to the receiver that it waited
//! for, and programs with one event per step have an answer.

use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_diagnosis::path::PathPiece;
use heddle_diagnosis::rows::Rows;
use heddle_diagnosis::waits::Wait;
use heddle_model::{LocationId, Ns, RegionId, SpanRow};
use heddle_store::Store;
use rustc_hash::FxHashMap;

use crate::questions::diagnosis::path_stretches;
use crate::questions::findings::Piece;
use crate::request::names::SpanName;
use crate::request::selection::Selection;
use crate::request::window::row_name;
use crate::scene::ticks::{counted, duration_text};

/// Waits that are followed: more say nothing new.
const MOST_HOPS: usize = 1_000;

/// What a wait goes back to.
struct Origin {
    /// Who.
    location: LocationId,
    /// What it spent most excess time on, and how much; none where nothing explains it.
    excess: Option<(RegionId, i64)>,
    /// Waits in between.
    hops: u64,
}

/// Whom a call waited for, in words; none if it did not wait.
pub(crate) fn waited(store: &Store, diagnosis: &Diagnosis, span: SpanRow) -> Option<Vec<Piece>> {
    let rows = Rows::new(store);
    let location = store.locations.of_span(span);
    let row = rows.of(location)?;
    let own = diagnosis.run.waits.of(row);
    let start = store.spans.start.get(span.0).0;
    let first = own.partition_point(|wait| wait.enter < start);
    let at = (first..own.len()).take_while(|at| own[*at].enter == start).find(|at| own[*at].span == span)?;
    let wait = own[at];
    let origin = origin(&rows, diagnosis, diagnosis.run.waits.first[row] + at);
    let plain = |text: String| Piece { text, ..Piece::default() };
    let who = |location: LocationId| Piece {
        text: row_name(store, location),
        ranks: store.locations.rank.get(u64::from(location.0)).some().map(|rank| rank.0.to_string()),
        ..Piece::default()
    };
    let region = store.spans.region.get(span.0);
    let mut pieces = vec![
        who(location),
        plain(format!(" waited {} in ", duration_text(wait.wait))),
        function(store, region),
        plain(" for ".to_owned()),
    ];
    let mut culprit = who(wait.culprit);
    culprit.select = wait.culprit_span.some().map(|span| Selection::Span(SpanName::of(store, span)));
    pieces.push(culprit);
    if origin.hops > 0 {
        pieces.push(plain(format!("; that goes back over {} to ", counted(origin.hops, "further wait"))));
        pieces.push(who(origin.location));
    }
    match origin.excess {
        Some((region, excess)) => {
            pieces.push(plain(format!(", which spent {} longer ", duration_text(excess))));
            if region.is_some() {
                pieces.push(plain("in ".to_owned()));
                pieces.push(function(store, region));
                pieces.push(plain(".".to_owned()));
            } else {
                pieces.push(plain("outside of all functions.".to_owned()));
            }
        }
        None => pieces.push(plain(".".to_owned())),
    }
    Some(pieces)
}

fn function(store: &Store, region: RegionId) -> Piece {
    let text = store.regions.name.get(u64::from(region.0)).to_owned();
    Piece { text, region: Some(region), ..Piece::default() }
}

/// Follows a wait to what it goes back to.
fn origin(rows: &Rows<'_>, diagnosis: &Diagnosis, mut at: usize) -> Origin {
    let run = &diagnosis.run;
    let mut hops = 0;
    loop {
        let wait = run.waits.list[at];
        let Some(row) = rows.of(wait.culprit) else {
            return Origin { location: wait.culprit, excess: None, hops };
        };
        let since = run.delays.since[at];
        let own = run.waits.of(row);
        let begin = own.partition_point(|other| other.enter < since);
        let end = own.partition_point(|other| other.end() <= wait.arrival).max(begin);
        let (work, most) = excess(rows, diagnosis, &wait, since);
        let waited: i64 = own[begin..end].iter().map(|other| other.wait).sum();
        let longest = (begin..end).max_by_key(|at| (own[*at].wait, std::cmp::Reverse(*at)));
        match longest {
            Some(next) if waited > work && hops < MOST_HOPS as u64 => {
                at = run.waits.first[row] + next;
                hops += 1;
            }
            // More than the wait itself was not made by it.
            _ => {
                let excess = most.map(|(region, excess)| (region, excess.min(wait.wait)));
                return Origin { location: wait.culprit, excess, hops };
            }
        }
    }
}

/// What a culprit did beyond who waited for it, since both were last at one: in all, and in the function with most of it.
fn excess(rows: &Rows<'_>, diagnosis: &Diagnosis, wait: &Wait, since: i64) -> (i64, Option<(RegionId, i64)>) {
    let culprits = profile(rows, diagnosis, wait.culprit, (since, wait.arrival));
    let waiters = profile(rows, diagnosis, wait.location, (since, wait.enter));
    let beyond = |(region, time): (&RegionId, &i64)| (*region, time - waiters.get(region).copied().unwrap_or(0).max(0));
    let beyond: Vec<(RegionId, i64)> = culprits.iter().map(beyond).filter(|(_, excess)| *excess > 0).collect();
    let all = beyond.iter().map(|(_, excess)| excess).sum();
    (all, beyond.into_iter().max_by_key(|(region, excess)| (*excess, std::cmp::Reverse(*region))))
}

/// Time of a location in each function without waiting.
fn profile(rows: &Rows<'_>, diagnosis: &Diagnosis, location: LocationId, time: (i64, i64)) -> FxHashMap<RegionId, i64> {
    let (store, mut profile) = (rows.store, FxHashMap::<RegionId, i64>::default());
    let piece = PathPiece { location, start: Ns(time.0), end: Ns(time.1.max(time.0)) };
    path_stretches(store, &piece, |region, start, end| *profile.entry(region).or_default() += end.since(start));
    let Some(row) = rows.of(location) else { return profile };
    let own = diagnosis.run.waits.of(row);
    let first = own.partition_point(|wait| wait.enter < time.0).saturating_sub(1);
    for wait in own[first..].iter().take_while(|wait| wait.enter < time.1) {
        let inside = wait.end().min(time.1) - wait.enter.max(time.0);
        if inside > 0 {
            *profile.entry(store.spans.region.get(wait.span.0)).or_default() -= inside;
        }
    }
    profile
}
