//! Visits: stretches of computing of a row, each at a place of the program.
//!
//! A call of a function in which nobody communicates is one visit, with its exclusive time. Where calls communicate, their own
//! time is cut at each such call: it is computing before that call. Time outside of all functions is cut in the same way, so that
//! traces of nothing but communication have visits too. Communication itself, and time that is no computing (files, the recorder),
//! is left out.

use heddle_model::RegionId;
use heddle_store::Columns;

use crate::rows::Rows;
use crate::suspect::Place;

/// What of a function a visit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Part {
    /// A whole call.
    Whole,
    /// What a call does itself, before it communicates.
    Before(RegionId),
    /// What it does itself after it last communicated.
    After,
}

/// A place of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct At {
    pub(super) region: RegionId,
    pub(super) part: Part,
}

impl At {
    pub(super) fn place(self) -> Place {
        let before = if let Part::Before(call) = self.part { Some(call) } else { None };
        Place { region: self.region, before }
    }

    /// Whether visits of no length are visits.
    pub(super) fn is_whole(self) -> bool {
        self.part == Part::Whole
    }
}

/// One visit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    pub(super) at: At,
    pub(super) start: i64,
    pub(super) end: i64,
    /// Computing in it, without that of functions called.
    pub(super) time: i64,
    /// How many calls came before that all rows make equally often.
    pub(super) anchor: u32,
    /// How often computing and communication took turns before.
    pub(super) turn: u32,
}

/// An open call.
struct Frame {
    region: RegionId,
    end: i64,
    computes: bool,
    /// Computing since the last cut.
    time: i64,
    /// When that began.
    from: i64,
    /// Since when it is the innermost one.
    mark: i64,
    has_cut: bool,
    first_call: RegionId,
}

struct Walk<'a, F> {
    rows: &'a Rows<'a>,
    is_anchor: &'a [bool],
    open: Vec<Frame>,
    /// How many of the open ones communicate or wait for files.
    hidden: u32,
    anchor: u32,
    turn: u32,
    /// Nobody has communicated since a function was entered or left.
    may_turn: bool,
    visit: F,
}

/// Walks through the visits of a row in the order of their ends. Those of no length are visited too.
pub(super) fn walk(rows: &Rows<'_>, is_anchor: &[bool], row: usize, visit: impl FnMut(Visit)) {
    let (store, location) = (rows.store, rows.locations[row]);
    let own = store.spans_of(location);
    let first = store.spans.start.get(own.start).0;
    let end = rows.last(location);
    let mut walk = Walk { rows, is_anchor, open: Vec::new(), hidden: 0, anchor: 0, turn: 0, may_turn: true, visit };
    walk.push(RegionId::NONE, first, end.max(first), true);
    let spans = &store.spans;
    (&spans.start, &spans.end, &spans.region, &spans.depth).for_each(own, |(start, end, region, depth)| {
        walk.close_to(usize::from(depth) + 1);
        walk.enter(region, start.0, end.0);
    });
    walk.close_to(0);
}

impl<F: FnMut(Visit)> Walk<'_, F> {
    fn push(&mut self, region: RegionId, start: i64, end: i64, computes: bool) {
        let first_call = RegionId::NONE;
        let frame = Frame { region, end, computes, time: 0, from: start, mark: start, has_cut: false, first_call };
        self.open.push(frame);
    }

    fn enter(&mut self, region: RegionId, start: i64, end: i64) {
        let class = self.rows.class(region);
        let computes = !class.communicates && !class.is_other;
        if self.hidden == 0 {
            if let Some(top) = self.open.last_mut() {
                top.time += (start - top.mark).max(0);
                top.mark = start;
            }
            if class.communicates {
                self.turn += u32::from(self.may_turn);
                self.may_turn = false;
                self.cut(region, start);
            } else {
                self.may_turn = true;
            }
        }
        if self.is_anchor.get(region.index()).copied().unwrap_or(false) {
            self.anchor += 1;
        }
        self.push(region, start, end, computes);
        self.hidden += u32::from(!computes);
    }

    /// The innermost call communicates.
    fn cut(&mut self, call: RegionId, now: i64) {
        let (anchor, turn) = (self.anchor, self.turn);
        let Some(top) = self.open.last_mut() else { return };
        let at = At { region: top.region, part: Part::Before(call) };
        (self.visit)(Visit { at, start: top.from, end: now, time: top.time, anchor, turn });
        top.time = 0;
        if !top.has_cut {
            top.has_cut = true;
            top.first_call = call;
        }
    }

    fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            let Some(frame) = self.open.pop() else { return };
            self.hidden -= u32::from(!frame.computes);
            if self.hidden == 0 {
                self.leave(&frame);
            }
        }
    }

    fn leave(&mut self, frame: &Frame) {
        let (anchor, turn) = (self.anchor, self.turn);
        // What follows a row's last call is not part of the program.
        if frame.computes && frame.region.is_some() {
            let time = frame.time + (frame.end - frame.mark).max(0);
            let part = if frame.has_cut { Part::After } else { Part::Whole };
            let at = At { region: frame.region, part };
            (self.visit)(Visit { at, start: frame.from, end: frame.end, time, anchor, turn });
            self.may_turn = true;
        }
        let Some(parent) = self.open.last_mut() else { return };
        if frame.computes && frame.has_cut {
            let at = At { region: parent.region, part: Part::Before(frame.first_call) };
            let start = parent.from;
            // What the parent did before the call that communicated.
            (self.visit)(Visit { at, start, end: parent.mark.max(start), time: parent.time, anchor, turn });
            parent.time = 0;
            if !parent.has_cut {
                parent.has_cut = true;
                parent.first_call = frame.first_call;
            }
        }
        if frame.has_cut || self.rows.class(frame.region).communicates {
            parent.from = frame.end;
        }
        parent.mark = frame.end;
    }
}
