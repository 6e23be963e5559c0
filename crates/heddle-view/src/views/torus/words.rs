//! What a picture of a torus says in its notes.

use heddle_network::Origin;
use heddle_topology::Cable;
use heddle_topology::layout::{Counts, Drawing};

use super::loads::TorusLoads;
use crate::scene::ticks::{counted, grouped};
use crate::views::machine::told::routes;

/// What the plane cannot show, with the largest load among it; and what a range of colours leaves out.
pub(crate) fn hidden(
    loads: &TorusLoads<'_>,
    drawing: &dyn Fn(Cable) -> Option<Drawing>,
    counts: &Counts,
    drawn: usize,
) -> Vec<String> {
    let sum = |counts: [u32; 3]| u64::from(counts.iter().sum::<u32>());
    let (lines, wraps, between) = (sum(counts.lines), sum(counts.wraps), sum(counts.hidden));
    let all = u64::from(loads.torus.cables());
    let mut notes = Vec::new();
    let mut largest = f64::NEG_INFINITY;
    for cable in (0..loads.torus.cables()).map(Cable) {
        let is_shown = match drawing(cable) {
            Some(Drawing::Line) => true,
            Some(Drawing::Wrap) => loads.shown.stubs,
            _ => false,
        };
        let load = loads.cable(cable);
        if !is_shown && load > largest {
            largest = load;
        }
    }
    let mut parts = vec![format!("{} of {} links drawn", grouped(drawn as u64), grouped(all))];
    if wraps > 0 {
        let how = if loads.shown.stubs { "as stubs" } else { "around the torus not shown" };
        parts.push(format!("{} {how}", grouped(wraps)));
    }
    if between > 0 {
        let mut text = format!("{} not shown", grouped(between));
        if largest > f64::NEG_INFINITY {
            text.push_str(&format!(" (up to {})", loads.text(largest)));
        }
        parts.push(text);
    }
    let elsewhere = all - lines - wraps - between;
    if elsewhere > 0 {
        parts.push(format!("{} of other slices", grouped(elsewhere)));
    }
    notes.push(format!("{}.", parts.join(", ")));
    if (drawn as u64) < lines {
        notes.push(format!("{} below {} left out.", counted(lines - drawn as u64, "link"), loads.text(loads.range.0)));
    }
    if loads.traffic.origin == Origin::Predicted {
        notes.push(format!("Predicted, not measured: {}.", routes(loads)));
    }
    notes
}
