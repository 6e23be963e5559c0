//! Ranks that follow each other, in few stretches.

use std::ops::Range;

use super::{Group, Guess, WhoKind, bits};
use crate::questions::cluster::lists::{joined, range};

/// More stretches are no name.
const MOST: usize = 4;
/// What it takes to say that stretches are meant.
const FAMILY: f64 = 2.0;

/// Stretches that fit: exactly, and ones that leave out short gaps and short stretches.
pub(super) fn stretches(group: &Group) -> Vec<Guess> {
    let exact = runs(&group.is_member);
    let mut found = Vec::new();
    let mut tolerance = 0;
    while tolerance <= group.size / 8 {
        let kept = simplified(&exact, tolerance);
        if (1..=MOST).contains(&kept.len()) && found.last() != Some(&kept) {
            found.push(kept);
        }
        tolerance = (2 * tolerance).max(1);
    }
    found.into_iter().map(|runs| guess(group, &runs)).collect()
}

/// Places in the list of members that follow each other.
fn runs(is_member: &[bool]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in is_member.iter().enumerate().filter(|(_, is)| **is) {
        match runs.last_mut() {
            Some(last) if last.end == at => last.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// Runs without gaps, and then without runs, of up to a length.
fn simplified(exact: &[Range<usize>], tolerance: usize) -> Vec<Range<usize>> {
    let mut kept: Vec<Range<usize>> = Vec::new();
    for run in exact {
        match kept.last_mut() {
            Some(last) if run.start - last.end <= tolerance => last.end = run.end,
            _ => kept.push(run.clone()),
        }
    }
    kept.retain(|run| run.len() > tolerance);
    kept
}

fn guess(group: &Group, runs: &[Range<usize>]) -> Guess {
    let all = group.ranks.len();
    let mut named = vec![false; all];
    for run in runs {
        named[run.clone()].fill(true);
    }
    let size = runs.iter().map(Range::len).sum();
    let texts: Vec<String> = runs.iter().map(|run| range(group.ranks[run.start], group.ranks[run.end - 1])).collect();
    let name = format!("ranks {}", joined(&texts));
    Guess { kind: WhoKind::Ranges, name, bits: FAMILY + bits::runs(all, size, runs.len()), named }
}
