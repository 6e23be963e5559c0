//! Where in the source a call was made, from the events beside it: functions around it, and the lines in them that lead to it.
//!
//! Extrae writes `6 Domain::..ndexSets [Domain::CreateRegionIndexSets]` for a function and `101 (lulesh-comm.cc, lulesh2.0)` for a
//! line. What it could not find out is called `Unresolved` or `_NOT_Found`, with line 0.

use std::collections::BTreeMap;

use super::calls::{CALLER_LINES, CALLERS};
use super::labels::Labels;
use super::lines::Pair;

/// All that a line of the trace says of the callers of its call, the outermost first: `main (a.c:9) › solve (b.c:120)`.
pub(super) fn call_site(line: &[Pair], labels: &Labels) -> Option<String> {
    // By how far out a caller is.
    let mut callers: BTreeMap<u32, (Option<&str>, Option<String>)> = BTreeMap::new();
    for pair in line.iter().filter(|pair| pair.value != 0) {
        if CALLERS.contains(&pair.kind) {
            let name = labels.value(pair.kind, pair.value).map(whole_name);
            callers.entry(pair.kind - CALLERS.start()).or_default().0 = name.filter(|name| is_known(name));
        } else if CALLER_LINES.contains(&pair.kind) {
            let place = labels.value(pair.kind, pair.value).and_then(file_and_line);
            callers.entry(pair.kind - CALLER_LINES.start()).or_default().1 = place;
        }
    }
    let told = callers.into_values().rev().filter_map(|caller| match caller {
        (Some(name), Some(place)) => Some(format!("{name} ({place})")),
        (Some(name), None) => Some(name.to_owned()),
        (None, place) => place,
    });
    let text = told.collect::<Vec<String>>().join(" › ");
    (!text.is_empty()).then_some(text)
}

fn is_known(name: &str) -> bool {
    !matches!(name, "Unresolved" | "_NOT_Found" | "End")
}

/// Long names are cut in the middle, and stand in brackets as they are.
fn whole_name(label: &str) -> &str {
    let inner = label.strip_suffix(']').and_then(|label| label.split_once(" ["));
    inner.map_or(label, |(_, name)| name)
}

/// `lulesh-comm.cc:101`; none where the line is not known.
fn file_and_line(label: &str) -> Option<String> {
    let (line, place) = label.split_once(" (")?;
    let line: u32 = line.parse().ok().filter(|line| *line > 0)?;
    let file = place.strip_suffix(')').unwrap_or(place);
    let file = file.split_once(", ").map_or(file, |(file, _)| file);
    Some(format!("{file}:{line}"))
}
