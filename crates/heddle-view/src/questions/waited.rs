//! Whom a call waited for, and what that goes back to, by the delay costs of a diagnosis.
//!
//! A wait is followed to its culprit. If that did more than who waited, since both were last at one, this is what it goes back
//! to; if it rather waited itself, its longest wait is followed in turn. So a send is followed to the receiver that it waited
//! for, and programs with one event per step have an answer.

use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_diagnosis::rows::Rows;
use heddle_model::{LocationId, RegionId, SpanRow};
use heddle_store::Store;

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
        let mut work = 0;
        let mut most: Option<(RegionId, i64)> = None;
        for charge in run.delays.charges_of(row).iter().filter(|charge| charge.wait as usize == at) {
            let price = run.delays.price[at];
            let excess = if price > 0.0 { f64::from(charge.cost / price).round() as i64 } else { 0 };
            work += excess;
            if most.is_none_or(|(_, known)| excess > known) {
                most = Some((charge.region, excess));
            }
        }
        let since = run.delays.since[at];
        let own = run.waits.of(row);
        let begin = own.partition_point(|other| other.enter < since);
        let end = own.partition_point(|other| other.end() <= wait.arrival).max(begin);
        let waited: i64 = own[begin..end].iter().map(|other| other.wait).sum();
        let longest = (begin..end).max_by_key(|at| (own[*at].wait, std::cmp::Reverse(*at)));
        match longest {
            Some(next) if waited > work && hops < MOST_HOPS as u64 => {
                at = run.waits.first[row] + next;
                hops += 1;
            }
            // More than the wait itself was not made by it.
            _ => {
                let excess = most.map(|(region, excess)| (region, excess.min(wait.wait))).filter(|most| most.1 > 0);
                return Origin { location: wait.culprit, excess, hops };
            }
        }
    }
}
