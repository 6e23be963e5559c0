//! Sentences made of pieces: plain words, and words that select what they speak of.

use heddle_model::{LocationId, Ns, RegionId, SpanRow};
use serde::Serialize;

use super::calls::Calls;
use crate::request::names::{SpanName, region_number};
use crate::request::selection::Selection;
use crate::request::window::{RankSet, row_name, rows_have_names};
use crate::scene::ticks::{grouped, time_text_between};

/// A filter of ranks longer than this does not fit an address.
pub(crate) const LONGEST_FILTER: usize = 4_000;
/// Ranks named one by one; more are counted.
const MOST_NAMED: usize = 4;

/// Some words of a sentence, with what a click on them selects.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Piece {
    /// The words. Names in them are hostile text.
    pub text: String,
    /// A function.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "region_number")]
    pub region: Option<RegionId>,
    /// Ranks, as a filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<String>,
    /// A window of time: from and to, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "window_text")]
    pub window: Option<(Ns, Ns)>,
    /// A call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<Selection>,
}

/// A window as two texts: 64-bit numbers do not survive JSON as numbers.
#[allow(clippy::ref_option, reason = "the signature is serde's")]
pub(crate) fn window_text<S: serde::Serializer>(window: &Option<(Ns, Ns)>, serializer: S) -> Result<S::Ok, S::Error> {
    window.map(|(from, to)| [from.0.to_string(), to.0.to_string()]).serialize(serializer)
}

/// A sentence in the making.
pub(super) struct Words<'a, 'b> {
    calls: &'b Calls<'a>,
    pieces: Vec<Piece>,
}

impl<'a, 'b> Words<'a, 'b> {
    pub(super) fn new(calls: &'b Calls<'a>) -> Words<'a, 'b> {
        Words { calls, pieces: Vec::new() }
    }

    /// Plain words.
    pub(super) fn say(mut self, text: impl AsRef<str>) -> Self {
        let text = text.as_ref();
        match self.pieces.last_mut() {
            Some(Piece { text: before, region: None, ranks: None, window: None, select: None }) => {
                before.push_str(text);
            }
            _ => self.pieces.push(Piece { text: text.to_owned(), ..Piece::default() }),
        }
        self
    }

    /// A function's name.
    pub(super) fn function(mut self, function: usize) -> Self {
        let text = self.calls.name(function).to_owned();
        self.pieces.push(Piece { text, region: Some(self.calls.functions[function]), ..Piece::default() });
        self
    }

    /// A stretch of time.
    pub(super) fn between(self, from: Ns, to: Ns) -> Self {
        self.within(time_text_between(from, to), from, to)
    }

    /// Words that lead to a stretch of time.
    pub(super) fn within(mut self, text: String, from: Ns, to: Ns) -> Self {
        self.pieces.push(Piece { text, window: Some((from, to)), ..Piece::default() });
        self
    }

    /// Words that lead to a call.
    pub(super) fn call(mut self, text: String, row: u64) -> Self {
        let select = Some(Selection::Span(SpanName::of(self.calls.store, SpanRow(row))));
        self.pieces.push(Piece { text, select, ..Piece::default() });
        self
    }

    /// Who: a rank by its name, several by their number.
    pub(super) fn who(mut self, locations: &[LocationId]) -> Self {
        let text = match locations {
            [one] => row_name(self.calls.store, *one),
            some => {
                let named = ranks(self.calls, some).filter(|_| some.len() <= MOST_NAMED && !self.calls.has_names());
                named.map_or_else(
                    || count(self.calls, some.len()),
                    |ranks| format!("ranks {}", ranks.replace(',', ", ")),
                )
            }
        };
        self.pieces.push(Piece { text, ranks: ranks(self.calls, locations), ..Piece::default() });
        self
    }

    pub(super) fn done(self) -> Vec<Piece> {
        self.pieces
    }
}

impl Calls<'_> {
    /// Whether a rank has several locations, or there are no ranks: then "rank" is not the word.
    fn has_names(&self) -> bool {
        rows_have_names(self.store)
    }

    /// What the rows are called.
    pub(super) fn noun(&self) -> &'static str {
        if self.has_names() { "locations" } else { "ranks" }
    }
}

/// `64 ranks`.
fn count(calls: &Calls, number: usize) -> String {
    format!("{} {}", grouped(number as u64), calls.noun())
}

/// How many of those in sight: `all 64 ranks`, `63 of 64 ranks`.
pub(super) fn how_many(calls: &Calls, number: usize) -> String {
    let all = calls.locations.len();
    if number == all {
        format!("all {}", count(calls, all))
    } else {
        format!("{} of {}", grouped(number as u64), count(calls, all))
    }
}

/// The ranks of some locations as a filter, unless it would be too long to pass on.
pub(super) fn ranks(calls: &Calls, locations: &[LocationId]) -> Option<String> {
    let number = |location: &LocationId| {
        let rank = calls.store.locations.rank.get(u64::from(location.0));
        if rank.is_some() { rank.0 } else { location.0 }
    };
    let text = locations.iter().map(number).collect::<RankSet>().to_string();
    (!text.is_empty() && text.len() <= LONGEST_FILTER).then_some(text)
}

/// `3.4 %`.
pub(super) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 0.1 { "less than 0.1 %".to_owned() } else { format!("{percent:.1} %") }
}

/// A duration to two digits: `9.7 µs`, `10 µs`, `120 µs`.
pub(super) fn about(ns: u64) -> String {
    let (unit, name) = match ns {
        0..1_000 => (1.0, "ns"),
        1_000..1_000_000 => (1e3, "µs"),
        1_000_000..1_000_000_000 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    let value = ns as f64 / unit;
    let step = 10f64.powf(value.max(1.0).log10().floor() - 1.0);
    let rounded = (value / step).round() * step;
    if rounded < 10.0 && unit > 1.0 { format!("{rounded:.1} {name}") } else { format!("{rounded:.0} {name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_usual_is_said_roughly() {
        let texts = [0, 7, 999, 1_000, 9_984, 123_456, 15_500_000, 2_660_000_000].map(about);
        assert_eq!(texts, ["0 ns", "7 ns", "1000 ns", "1.0 µs", "10 µs", "120 µs", "16 ms", "2.7 s"]);
    }
}
