//! Sentences in the making, and numbers as they are said in them.

use heddle_diagnosis::suspect::Place;
use heddle_model::{LocationId, Ns, RegionId, SpanRow};
use heddle_store::Store;

use super::who::filter;
use crate::questions::findings::Piece;
use crate::request::names::SpanName;
use crate::request::selection::Selection;
use crate::scene::ticks::{duration_text, moment_text};

/// Pieces of a sentence, one after the other.
pub(super) struct Sentence<'a> {
    store: &'a Store,
    pieces: Vec<Piece>,
}

impl<'a> Sentence<'a> {
    pub(super) fn new(store: &'a Store) -> Sentence<'a> {
        Sentence { store, pieces: Vec::new() }
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
    pub(super) fn function(mut self, region: RegionId) -> Self {
        let text = region_name(self.store, region).to_owned();
        self.pieces.push(Piece { text, region: Some(region), ..Piece::default() });
        self
    }

    /// A place of the program, at the head of a sentence.
    pub(super) fn place(self, place: Place) -> Self {
        self.placed(place, "Computing")
    }

    /// The same within a sentence.
    pub(super) fn place_inside(self, place: Place) -> Self {
        self.placed(place, "computing")
    }

    fn placed(self, place: Place, computing: &str) -> Self {
        let known = |region: RegionId| (region.index() as u64) < self.store.regions.len();
        match (place.region, place.before.filter(|before| known(*before))) {
            (region, Some(before)) if known(region) => self.function(region).say(" before ").function(before),
            (region, None) if known(region) => self.function(region),
            (_, Some(before)) => self.say(computing).say(" before ").function(before),
            _ => self.say(computing),
        }
    }

    /// Words that lead to some ranks.
    pub(super) fn who(mut self, text: &str, locations: &[LocationId]) -> Self {
        self.pieces.push(Piece { text: text.to_owned(), ranks: filter(self.store, locations), ..Piece::default() });
        self
    }

    /// Words that lead to a call, where one is known.
    pub(super) fn call(self, text: String, span: Option<SpanRow>) -> Self {
        let Some(span) = span else { return self.say(text) };
        let select = Some(Selection::Span(SpanName::of(self.store, span)));
        let mut sentence = self;
        sentence.pieces.push(Piece { text, select, ..Piece::default() });
        sentence
    }

    /// Whether it ends with a letter so far.
    pub(super) fn ends_with(&self, letter: char) -> bool {
        self.pieces.last().is_some_and(|piece| piece.text.ends_with(letter))
    }

    pub(super) fn done(self) -> Vec<Piece> {
        self.pieces
    }
}

/// A sentence without its links.
pub(super) fn plain(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| piece.text.as_str()).collect()
}

/// What a function is called.
pub(super) fn region_name(store: &Store, region: RegionId) -> &str {
    if (region.index() as u64) < store.regions.len() {
        store.regions.name.get(u64::from(region.0))
    } else {
        "outside of all functions"
    }
}

/// A duration to three digits: `3.16 ms`, `14.1 ms`, `103 ms`.
pub(super) fn brief(ns: f64) -> String {
    if !ns.is_finite() {
        return "unknown".to_owned();
    }
    let magnitude = ns.abs().max(1.0).log10().floor() as i32;
    let step = 10f64.powi((magnitude - 2).max(0));
    let rounded = (ns / step).round() * step;
    let text = duration_text(rounded as i64);
    // Digits beyond the third are noughts.
    let Some((number, unit)) = text.split_once(' ') else { return text };
    match number.split_once('.') {
        Some((whole, part)) => {
            let keep = 3usize.saturating_sub(whole.trim_start_matches('-').len());
            if keep == 0 {
                format!("{whole} {unit}")
            } else {
                format!("{whole}.{} {unit}", &part[..part.len().min(keep)])
            }
        }
        None => text,
    }
}

/// How many times as long: `1.80×`, `12×`.
pub(super) fn times(factor: f64) -> String {
    if factor < 10.0 { format!("{factor:.2}×") } else { format!("{factor:.0}×") }
}

/// The same more roughly, for labels: `1.8×`.
pub(super) fn roughly_times(factor: f64) -> String {
    if factor < 10.0 { format!("{factor:.1}×") } else { format!("{factor:.0}×") }
}

/// A moment of the run, to a thousandth of it.
pub(super) fn moment(store: &Store, at: Ns) -> String {
    moment_text(at, Ns(store.summary().end_ns))
}

/// `3.4 %`.
pub(super) fn percent(share: f64) -> String {
    let percent = 100.0 * share.clamp(0.0, 1.0);
    if percent > 0.0 && percent < 0.05 { "less than 0.1 %".to_owned() } else { format!("{percent:.1} %") }
}

/// The first letter in upper case.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits() {
        let texts = [0.0, 7.4, 1_752_345.0, 3_160_000.0, 14_130_000.0, 103_400_000.0, 999_600.0, 12_345_678_901.0];
        let told = ["0 ns", "7 ns", "1.75 ms", "3.16 ms", "14.1 ms", "103 ms", "1.00 ms", "12.3 s"];
        assert_eq!(texts.map(brief), told);
    }

    #[test]
    fn factors_and_shares_are_said_as_they_are() {
        assert_eq!([1.8, 12.34].map(times), ["1.80×", "12×"]);
        assert_eq!([0.0, 0.000_1, 0.188, 4.35].map(percent), ["0.0 %", "less than 0.1 %", "18.8 %", "100.0 %"]);
        assert_eq!(capital("node 12"), "Node 12");
    }
}
