//! The run again, with something changed: on a network that takes no time, or without what some suspect did too much.
//!
//! Every row becomes a list of moments ([`moments`]): a send is issued, a receive posted, a collective joined; a call needs one
//! of these. Between two moments a row keeps what it took, computing and communication apart, without waiting. Waiting is not
//! kept: it follows from the needs. So the unchanged list gives the recorded run back, and a shorter computation moves all that
//! depends on it.
//!
//! Needs are those of [`crate::waits`]: receives need their send to be issued, sends their receive to be posted where the trace
//! shows that they waited for that, members of collectives those that their operation depends on. Transfer times stay with the
//! calls that showed them.

mod joints;
mod moments;
mod needs;

use std::collections::VecDeque;

use heddle_model::LocationId;
use heddle_store::{LongList, Progress, StoreError, Work};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use self::joints::{Joint, joints};
use self::moments::{Moment, Moments, Place, Scratch, What, moments};
use self::needs::Needs;
use crate::rows::Rows;
use crate::suspect::Cut;
use crate::waits::{Dependence, Waits};

/// Moments of all rows are put in order.
pub(crate) const ORDERING: Work = Work::new("putting the run together");

/// A run that can be replayed.
#[derive(Debug)]
pub(crate) struct Replay {
    /// Moments as bytes, row by row, and where those of each row begin and of the last one end.
    moments: LongList<u8>,
    first: Vec<usize>,
    locations: Vec<LocationId>,
    joints: Vec<Option<Joint>>,
    needs: Needs,
    run: (i64, i64),
}

/// What is changed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change<'a> {
    /// Nothing.
    None,
    /// Communication takes no time.
    IdealNetwork,
    /// Some time is taken away, by location and recorded time.
    Without(&'a [Cut]),
}

/// How a replay went.
#[derive(Clone, Debug)]
pub(crate) struct Replayed {
    /// When the last row ended, since the start of the run.
    pub(crate) length: i64,
    /// Needs that were never met: the order of the trace contradicts itself.
    pub(crate) unmet: u64,
    /// How far the foremost row had come in the replay, at equal distances of recorded time.
    pub(crate) front: Vec<i64>,
}

/// Moments of recorded time at which the front is noted.
pub(crate) const FRONT: usize = 4096;

/// Bytes of moments that a row goes through, on average, before the others follow: what is under way then stays little, even
/// where nobody waits for whoever receives.
const BYTES_AT_ONCE: usize = 1024;

impl Replay {
    /// Puts a run together.
    pub(crate) fn new(rows: &Rows<'_>, waits: &Waits, progress: &dyn Progress) -> Result<Replay, StoreError> {
        progress.begin(ORDERING, rows.len() as u64);
        let (joints, joins) = joints(rows)?;
        let needs = Needs::new(rows.store.messages.len());
        let of_row = |scratch: &mut Scratch, row: usize| -> Result<Vec<u8>, StoreError> {
            progress.check()?;
            let moments = moments(rows, waits, row, joins.of(row), &needs, scratch);
            progress.advance(1);
            Ok(moments)
        };
        let (mut moments, mut first) = (LongList::new(&rows.room), vec![0]);
        for batch in rows.batches() {
            let found = batch.into_par_iter().map_init(Scratch::default, of_row);
            let found: Vec<Vec<u8>> = found.collect::<Result<_, _>>()?;
            let begin = moments.len();
            first.extend(found.iter().scan(begin, |end, of_row| {
                *end += of_row.len();
                Some(*end)
            }));
            moments.extend(&found.concat())?;
        }
        Ok(Replay {
            moments,
            first,
            locations: rows.locations.clone(),
            joints,
            needs,
            run: (rows.run.0.0, rows.run.1.0),
        })
    }

    /// The moments of a row.
    fn of(&self, row: usize) -> Moments<'_> {
        Moments::of(&self.moments[self.first[row]..self.first[row + 1]])
    }

    /// Runs it.
    pub(crate) fn run(&self, change: Change<'_>) -> Replayed {
        let length = (self.run.1 - self.run.0).max(1);
        let cuts = |location: &LocationId| match change {
            Change::Without(cuts) => {
                let from = cuts.partition_point(|cut| cut.location < *location);
                let to = cuts.partition_point(|cut| cut.location <= *location);
                &cuts[from..to]
            }
            _ => &[],
        };
        let of_row = |location: &LocationId| RowState { cuts: cuts(location), ..RowState::default() };
        let mut rows: Vec<RowState<'_>> = self.locations.iter().map(of_row).collect();
        let mut state = State::new(self, change, length);
        let windows = (self.moments.len() / (rows.len().max(1) * BYTES_AT_ONCE)).clamp(1, FRONT) as i64;
        for window in 1..=windows {
            // Beyond the last window nothing is held back, whatever the clocks say.
            state.until = if window == windows { i64::MAX } else { length / windows * window };
            let held = std::mem::take(&mut state.held);
            state.ready.extend(held);
            while let Some(row) = state.ready.pop_front() {
                self.go(row, &mut rows[row as usize], &mut state);
            }
        }
        let unmet = self.let_go(&mut rows, &mut state);
        let length = rows.iter().map(|row| row.changed).max().unwrap_or(0);
        let mut highest = 0;
        for front in &mut state.front {
            highest = highest.max(*front);
            *front = highest;
        }
        Replayed { length, unmet, front: state.front }
    }

    /// Whoever still waits for something that never comes is let go, the first first: such a trace contradicts itself. How
    /// often that was needed.
    fn let_go(&self, rows: &mut [RowState<'_>], state: &mut State<'_>) -> u64 {
        let mut unmet = 0;
        for first in 0..rows.len() {
            while let Some((moment, next)) = self.of(first).get(rows[first].place) {
                unmet += 1;
                self.pass(&moment, next, &mut rows[first], state);
                state.ready.push_back(first as u32);
                while let Some(row) = state.ready.pop_front() {
                    self.go(row, &mut rows[row as usize], state);
                }
            }
        }
        unmet
    }

    /// Time passes up to a moment.
    fn pass(&self, moment: &Moment, next: Place, row: &mut RowState<'_>, state: &mut State<'_>) {
        row.recorded += moment.computing + moment.communication + moment.waited;
        row.changed += moment.computing;
        if !matches!(state.change, Change::IdealNetwork) {
            row.changed += moment.communication;
        }
        let now = self.run.0 + row.recorded;
        while let Some((cut, rest)) = row.cuts.split_first().filter(|(cut, _)| cut.end.0 <= now) {
            row.changed -= cut.excess;
            row.cuts = rest;
        }
        row.place = next;
        state.note(row);
    }

    /// Lets a row go on until it needs what is not there, or the others have to follow.
    fn go(&self, which: u32, row: &mut RowState<'_>, state: &mut State<'_>) {
        let moments = self.of(which as usize);
        while let Some((moment, next)) = moments.get(row.place) {
            if row.recorded > state.until {
                state.held.push(which);
                return;
            }
            let joint = || self.joints.get(moment.which as usize).and_then(Option::as_ref);
            let met = match moment.what {
                What::NeedIssued => state.issued.take(moment.which, which),
                What::NeedPosted => state.posted.take(moment.which, which),
                What::NeedJoined => joint().and_then(|joint| state.joined(moment.which, joint, which)),
                _ => Some(i64::MIN),
            };
            let Some(needed) = met else { return };
            self.pass(&moment, next, row, state);
            if needed > row.changed {
                row.changed = needed;
                state.note(row);
            }
            match moment.what {
                What::Issue if self.needs.has(moment.which) => {
                    state.ready.extend(state.issued.give(moment.which, row.changed));
                }
                What::Post => state.ready.extend(state.posted.give(moment.which, row.changed)),
                What::Join => {
                    if let Some(joint) = joint() {
                        state.join(moment.which, joint, which, row.changed);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Where a row is.
#[derive(Default)]
struct RowState<'a> {
    /// Its time as recorded, and changed, since the start of the run.
    recorded: i64,
    changed: i64,
    place: Place,
    /// What is still to be taken away.
    cuts: &'a [Cut],
}

/// Messages that one side has come to.
#[derive(Default)]
struct Meetings {
    open: FxHashMap<u32, Side>,
}

/// Which side has come.
enum Side {
    /// It is there since then.
    Given(i64),
    /// A row waits for it.
    Wanted(u32),
}

impl Meetings {
    /// Since when it is there; if it is not, the row is noted.
    fn take(&mut self, which: u32, row: u32) -> Option<i64> {
        if let Some(Side::Given(time)) = self.open.remove(&which) {
            return Some(time);
        }
        self.open.insert(which, Side::Wanted(row));
        None
    }

    /// It is there now. Gives the row that waits for it, if one does: it will take it.
    fn give(&mut self, which: u32, time: i64) -> Option<u32> {
        match self.open.insert(which, Side::Given(time)) {
            Some(Side::Wanted(row)) => Some(row),
            _ => None,
        }
    }
}

/// A scan under way: everybody waits for the lower ranks.
#[derive(Default)]
struct Scan {
    /// Of the lowest ranks that have all joined: the latest so far.
    latest: Vec<i64>,
    /// By place: who else has joined.
    others: FxHashMap<u32, i64>,
    /// By place: who waits.
    waiting: FxHashMap<u32, u32>,
}

impl Scan {
    /// Until when the member at a place has to wait; if the lower ones are not all there, it is noted.
    fn before(&mut self, place: u32, row: u32) -> Option<i64> {
        let there = self.latest.get((place as usize).checked_sub(1)?).copied();
        if there.is_none() {
            self.waiting.insert(place, row);
        }
        there
    }

    /// A member joins; tells who can go on.
    fn join(&mut self, place: u32, time: i64, ready: &mut VecDeque<u32>) {
        self.others.insert(place, time);
        while let Some(next) = self.others.remove(&(self.latest.len() as u32)) {
            self.latest.push(next.max(self.latest.last().copied().unwrap_or(i64::MIN)));
            ready.extend(self.waiting.remove(&(self.latest.len() as u32)));
        }
    }
}

/// What rows share while they run.
struct State<'a> {
    change: Change<'a>,
    issued: Meetings,
    posted: Meetings,
    /// By collective: how many have joined, and the latest of them.
    joined: Vec<(u32, i64)>,
    scans: FxHashMap<u32, Scan>,
    /// By collective: who waits for others to join.
    waiting: FxHashMap<u32, Vec<u32>>,
    ready: VecDeque<u32>,
    /// Rows that have come to the end of the window.
    held: Vec<u32>,
    until: i64,
    front: Vec<i64>,
    length: i64,
}

impl<'a> State<'a> {
    fn new(replay: &Replay, change: Change<'a>, length: i64) -> State<'a> {
        State {
            change,
            issued: Meetings::default(),
            posted: Meetings::default(),
            joined: vec![(0, i64::MIN); replay.joints.len()],
            scans: FxHashMap::default(),
            waiting: FxHashMap::default(),
            ready: VecDeque::new(),
            held: (0..replay.locations.len() as u32).collect(),
            until: 0,
            front: vec![0; FRONT + 1],
            length,
        }
    }

    /// Until when a member has to wait; none if those it needs are not all there: then it is noted.
    fn joined(&mut self, collective: u32, joint: &Joint, row: u32) -> Option<i64> {
        let (count, latest) = self.joined[collective as usize];
        let there = match joint.needs {
            Dependence::Root => Some(latest).filter(|latest| *latest > i64::MIN),
            Dependence::All | Dependence::IntoRoot => (count >= joint.members).then_some(latest),
            Dependence::Lower => {
                return self.scans.entry(collective).or_default().before(joint.place(row)?, row);
            }
        };
        if there.is_none() {
            self.waiting.entry(collective).or_default().push(row);
        }
        there
    }

    fn join(&mut self, collective: u32, joint: &Joint, row: u32, time: i64) {
        let (count, latest) = &mut self.joined[collective as usize];
        let is_complete = match joint.needs {
            Dependence::Root => {
                if row == joint.root {
                    *latest = time;
                }
                row == joint.root
            }
            Dependence::All | Dependence::IntoRoot => {
                *count += 1;
                *latest = time.max(*latest);
                *count >= joint.members
            }
            Dependence::Lower => {
                let scan = self.scans.entry(collective).or_default();
                if let Some(place) = joint.place(row) {
                    scan.join(place, time, &mut self.ready);
                }
                false
            }
        };
        if is_complete && let Some(rows) = self.waiting.remove(&collective) {
            self.ready.extend(rows);
        }
    }

    fn note(&mut self, row: &RowState<'_>) {
        let at = row.recorded.clamp(0, self.length) as f64 / self.length as f64 * FRONT as f64;
        let front = &mut self.front[(at as usize).min(FRONT)];
        *front = (*front).max(row.changed);
    }
}
