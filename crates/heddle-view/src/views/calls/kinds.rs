//! What kinds of calls say to a picture: what bytes, communicators and callers decide of a call follows from its kind, so it is
//! decided once for each kind and not for each call.

use heddle_model::{CommId, RegionId};
use heddle_profile::kinds::{BytesRange, CallKind, CallKinds};
use heddle_store::Column;
use heddle_store::index::{CallEdge, CallIndex, CallLevel};

use super::longest::before;
use super::looks::{Look, Looks};
use super::options::CallsOptions;
use crate::request::ViewRequest;
use crate::scene::ticks::bytes_text;
use crate::views::options::{ColourBy, EventOptions};

/// Bins of time that a window has at least where it is asked what is in it, unless there are no finer ones.
const BINS: i64 = 1_024;

/// Whether kinds of calls are of use to a picture.
pub(super) fn are_of_use(request: &ViewRequest) -> bool {
    let is_by_caller = request.options.checked::<EventOptions>().colour == ColourBy::Caller;
    is_by_caller || request.options.checked::<CallsOptions>().needs_traffic()
}

/// How calls of a kind are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownKind {
    pub(super) look: Look,
    pub(super) caller: RegionId,
    /// What they send and receive in the communicators that count; none if nothing.
    pub(super) bytes: Option<BytesRange>,
}

impl ShownKind {
    /// What its calls send and receive: in the middle, where they differ.
    pub(super) fn middle(&self) -> Option<u64> {
        self.bytes.map(|(least, most)| least.midpoint(most))
    }
}

/// The kinds of a trace in a picture.
#[derive(Debug)]
pub(super) struct ShownKinds<'a> {
    all: &'a CallKinds,
    /// By number; none of those that are not drawn.
    shown: Vec<Option<ShownKind>>,
    /// The least and the most bytes of the kinds that the filter keeps, if it cuts some kind.
    cut: Option<BytesRange>,
}

impl<'a> ShownKinds<'a> {
    /// None if calls differ too much to have kinds.
    pub(super) fn new(all: &'a CallKinds, looks: &Looks, options: &CallsOptions) -> Option<ShownKinds<'a>> {
        let shown = |kind: &CallKind| {
            let look = looks.of(kind.region).and_then(|_| looks.of_call(kind.region, kind.caller))?;
            Some(ShownKind { look, caller: kind.caller, bytes: kind.bytes(options.communicator) })
        };
        let shown: Vec<Option<ShownKind>> = all.kinds().iter().map(shown).collect();
        let passes = |kind: &ShownKind| options.has_traffic(kind.middle());
        let is_cut = |kind: &ShownKind| {
            kind.bytes.is_some_and(|(least, most)| {
                options.has_traffic(Some(least)) != passes(kind) || options.has_traffic(Some(most)) != passes(kind)
            })
        };
        let kept = || shown.iter().flatten().filter(|kind| passes(kind)).filter_map(|kind| kind.bytes);
        let cut = shown
            .iter()
            .flatten()
            .any(is_cut)
            .then(|| kept().reduce(|all, range| (all.0.min(range.0), all.1.max(range.1))).unwrap_or((0, 0)));
        let shown = shown.iter().map(|kind| kind.filter(passes)).collect();
        (!all.kinds().is_empty()).then_some(ShownKinds { all, shown, cut })
    }

    /// The index that counts them.
    pub(super) fn index(&self) -> &'a CallIndex {
        self.all.index()
    }

    /// Whether a kind says all that there is to know of the bytes of its calls.
    pub(super) fn is_exact(&self) -> bool {
        self.all.is_exact()
    }

    /// The number of each call's kind, by row of the spans.
    pub(super) fn numbers(&self) -> &'a Column<u16> {
        self.all.numbers()
    }

    /// How calls of a kind are drawn, if they are.
    #[inline]
    pub(super) fn get(&self, number: u16) -> Option<&ShownKind> {
        self.shown.get(usize::from(number)).and_then(Option::as_ref)
    }

    /// All of them, by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = Option<&ShownKind>> {
        self.shown.iter().map(Option::as_ref)
    }

    /// What has to be said about the filter of bytes.
    pub(super) fn note(&self) -> Option<String> {
        let (least, most) = self.cut?;
        Some(format!("The filter keeps the kinds of {} to {}.", bytes_text(least), bytes_text(most)))
    }

    /// The least bytes above zero and the most of the calls with a part in a window, filtered or not, or just beside it.
    pub(super) fn bytes_in(&self, communicator: Option<CommId>, time: (i64, i64)) -> (u64, u64) {
        let present = self.all.kinds().iter().zip(self.present(time)).filter(|(_, is_present)| *is_present);
        let bytes = present.filter_map(|(kind, _)| kind.bytes(communicator)).filter(|(_, most)| *most > 0);
        bytes.fold((u64::MAX, 1), |all, (least, most)| (all.0.min(least.max(1)), all.1.max(most)))
    }

    /// Which kinds have calls with a part in a window, or just beside it.
    fn present(&self, (from, to): (i64, i64)) -> Vec<bool> {
        let index = self.index();
        let levels = index.levels(CallEdge::Start);
        let mut present = vec![false; self.shown.len()];
        let wide = |level: &CallLevel| level.bin_ns.saturating_mul(BINS) <= to.saturating_sub(from);
        let at = levels.iter().rposition(wide).unwrap_or(0);
        let Some(level) = levels.get(at) else { return vec![true; self.shown.len()] };
        let bin = |time: i64| (time.max(0) / level.bin_ns).min(i64::from(level.bins) - 1) as u32;
        let mut open = vec![0i64; self.shown.len()];
        for (edge, sign) in [(CallEdge::Start, 1), (CallEdge::End, -1)] {
            before(index.levels(edge), at, bin(from), |level, bin| {
                index.for_each(level, bin, |_, number, count| open[usize::from(number)] += sign * i64::from(count));
            });
        }
        for bin in bin(from)..=bin(to) {
            index.for_each(level, bin, |_, number, _| present[usize::from(number)] = true);
        }
        present.iter().zip(open).map(|(is_inside, open)| *is_inside || open > 0).collect()
    }
}
