//! The run again, with something changed: on a network that takes no time, or without what some suspect did too much.
//!
//! Every row becomes a list of moments: a send is issued, a receive posted, a collective joined; a call needs one of these. Between
//! two moments a row keeps what it took, computing and communication apart, without waiting. Waiting is not kept: it follows
//! from the needs. So the unchanged list gives the recorded run back, and a shorter computation moves all that depends on it.
//!
//! Needs are those of [`crate::waits`]: receives need their send to be issued, sends their receive to be posted where the trace
//! shows that they waited for that, members of collectives those that their operation depends on. Transfer times stay with the
//! calls that showed them.

use std::collections::VecDeque;

use heddle_model::{LocationId, SpanRow};
use heddle_store::{Progress, StoreError, Work};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::rows::Rows;
use crate::suspect::Cut;
use crate::waits::{Dependence, Waits, common_end, dependence, has_payload, late_receiver, members_of};

/// Moments of all rows are put in order.
pub(crate) const ORDERING: Work = Work::new("putting the run together");

/// What happens at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Time passes.
    Nothing,
    /// A message is issued: a row of the table of messages.
    Issue,
    /// A message must have been issued.
    NeedIssued,
    /// A receive is posted.
    Post,
    /// A receive must have been posted.
    NeedPosted,
    /// A collective is joined: a row of the table of collectives; for the world's end one beyond it.
    Join,
    /// Those that this member depends on must have joined.
    NeedJoined,
}

/// A moment of a row.
#[derive(Clone, Copy, Debug)]
struct Moment {
    /// Computing since the moment before.
    computing: u32,
    /// Communication since the moment before, without waiting.
    communication: u32,
    which: u32,
    what: What,
}

/// A collective that members need each other in.
#[derive(Clone, Debug)]
struct Joint {
    needs: Dependence,
    /// How many must have joined before anybody goes on.
    members: u32,
    /// The root's row, where there is one.
    root: u32,
    /// For scans, the rows in the order of ranks.
    order: Vec<u32>,
}

/// A run that can be replayed.
#[derive(Debug)]
pub(crate) struct Replay {
    moments: Vec<Vec<Moment>>,
    locations: Vec<LocationId>,
    joints: Vec<Option<Joint>>,
    messages: usize,
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

/// Two clocks of a row: as recorded, and changed.
#[derive(Clone, Copy, Debug)]
struct Clocks {
    recorded: i64,
    changed: i64,
}

impl Clocks {
    const NOT_YET: Clocks = Clocks { recorded: i64::MIN, changed: i64::MIN };

    fn wait_for(&mut self, other: Clocks) {
        self.recorded = self.recorded.max(other.recorded);
        self.changed = self.changed.max(other.changed);
    }

    fn is_known(self) -> bool {
        self.recorded > i64::MIN
    }
}

impl Replay {
    /// Puts a run together.
    pub(crate) fn new(rows: &Rows<'_>, waits: &Waits, progress: &dyn Progress) -> Result<Replay, StoreError> {
        progress.begin(ORDERING, rows.len() as u64);
        let (joints, joins) = joints(rows);
        let of_row = |(row, joins): (usize, &Vec<Joining>)| -> Result<Vec<Moment>, StoreError> {
            progress.check()?;
            let moments = moments(rows, waits, row, joins);
            progress.advance(1);
            Ok(moments)
        };
        let moments = joins.par_iter().enumerate().map(of_row).collect::<Result<_, _>>()?;
        let messages = rows.store.messages.len() as usize;
        Ok(Replay { moments, locations: rows.locations.clone(), joints, messages, run: (rows.run.0.0, rows.run.1.0) })
    }

    /// Runs it.
    pub(crate) fn run(&self, change: Change<'_>) -> Replayed {
        let mut state = State {
            change,
            issued: vec![Clocks::NOT_YET; self.messages],
            posted: FxHashMap::default(),
            joined: vec![(0, Clocks::NOT_YET); self.joints.len()],
            scans: FxHashMap::default(),
            waiting: FxHashMap::default(),
            ready: (0..self.moments.len() as u32).collect(),
            front: vec![0; FRONT + 1],
            length: (self.run.1 - self.run.0).max(1),
        };
        let cuts = |location: &LocationId| match change {
            Change::Without(cuts) => {
                let from = cuts.partition_point(|cut| cut.location < *location);
                let to = cuts.partition_point(|cut| cut.location <= *location);
                &cuts[from..to]
            }
            _ => &[],
        };
        let of_row = |location: &LocationId| RowState {
            clocks: Clocks { recorded: 0, changed: 0 },
            at: 0,
            cuts: cuts(location),
        };
        let mut rows: Vec<RowState<'_>> = self.locations.iter().map(of_row).collect();
        let (mut unmet, mut first) = (0, 0);
        loop {
            while let Some(row) = state.ready.pop_front() {
                self.go(row, &mut rows[row as usize], &mut state);
            }
            // Whoever still waits for something that never comes is let go: such a trace contradicts itself.
            while first < rows.len() && rows[first].at >= self.moments[first].len() {
                first += 1;
            }
            let Some(stuck) = rows.get_mut(first) else { break };
            unmet += 1;
            self.pass(&self.moments[first][stuck.at], stuck, &mut state);
            stuck.at += 1;
            state.ready.push_back(first as u32);
        }
        let length = rows.iter().map(|row| row.clocks.changed).max().unwrap_or(0);
        let mut highest = 0;
        for front in &mut state.front {
            highest = highest.max(*front);
            *front = highest;
        }
        Replayed { length, unmet, front: state.front }
    }

    /// Time passes up to a moment.
    fn pass(&self, moment: &Moment, row: &mut RowState<'_>, state: &mut State<'_>) {
        let (computing, communication) = (i64::from(moment.computing), i64::from(moment.communication));
        row.clocks.recorded += computing + communication;
        row.clocks.changed += computing;
        if !matches!(state.change, Change::IdealNetwork) {
            row.clocks.changed += communication;
        }
        let now = self.run.0 + row.clocks.recorded;
        while let Some((cut, rest)) = row.cuts.split_first().filter(|(cut, _)| cut.end.0 <= now) {
            row.clocks.changed -= cut.excess;
            row.cuts = rest;
        }
        state.note(row.clocks);
    }

    /// Lets a row go on until it needs what is not there.
    fn go(&self, which: u32, row: &mut RowState<'_>, state: &mut State<'_>) {
        while let Some(moment) = self.moments[which as usize].get(row.at) {
            let joint = || self.joints[moment.which as usize].as_ref();
            let met = match moment.what {
                What::NeedIssued => Some(state.issued[moment.which as usize]).filter(|clocks| clocks.is_known()),
                What::NeedPosted => state.posted.get(&moment.which).copied(),
                What::NeedJoined => joint().and_then(|joint| state.joined(moment.which, joint, which)),
                _ => Some(Clocks::NOT_YET),
            };
            let Some(needed) = met else {
                state.waiting.entry((moment.what as u8, moment.which)).or_default().push(which);
                return;
            };
            self.pass(moment, row, state);
            row.clocks.wait_for(needed);
            match moment.what {
                What::Issue => {
                    state.issued[moment.which as usize] = row.clocks;
                    state.wake(What::NeedIssued, moment.which);
                }
                What::Post => {
                    state.posted.insert(moment.which, row.clocks);
                    state.wake(What::NeedPosted, moment.which);
                }
                What::Join => {
                    if let Some(joint) = joint() {
                        state.join(moment.which, joint, which, row.clocks);
                    }
                }
                _ => {}
            }
            row.at += 1;
        }
        state.note(row.clocks);
    }
}

/// Where a row is.
struct RowState<'a> {
    clocks: Clocks,
    at: usize,
    /// What is still to be taken away.
    cuts: &'a [Cut],
}

/// What rows share while they run.
struct State<'a> {
    change: Change<'a>,
    issued: Vec<Clocks>,
    posted: FxHashMap<u32, Clocks>,
    joined: Vec<(u32, Clocks)>,
    /// Of scans, how many of the lowest ranks have joined, with the latest of them, and who else has.
    scans: FxHashMap<u32, (Vec<Clocks>, FxHashMap<u32, Clocks>)>,
    waiting: FxHashMap<(u8, u32), Vec<u32>>,
    ready: VecDeque<u32>,
    front: Vec<i64>,
    length: i64,
}

impl State<'_> {
    /// Until when a member has to wait; none if those it needs are not all there.
    fn joined(&self, collective: u32, joint: &Joint, row: u32) -> Option<Clocks> {
        let (count, latest) = self.joined[collective as usize];
        match joint.needs {
            Dependence::Root => Some(latest).filter(|latest| latest.is_known()),
            Dependence::All | Dependence::IntoRoot => (count >= joint.members).then_some(latest),
            Dependence::Lower => {
                let position = joint.order.iter().position(|other| *other == row)?;
                let (prefix, _) = self.scans.get(&collective)?;
                prefix.get(position.checked_sub(1)?).copied()
            }
        }
    }

    fn join(&mut self, collective: u32, joint: &Joint, row: u32, clocks: Clocks) {
        let (count, latest) = &mut self.joined[collective as usize];
        let is_complete = match joint.needs {
            Dependence::Root => {
                if row == joint.root {
                    *latest = clocks;
                }
                row == joint.root
            }
            Dependence::All | Dependence::IntoRoot => {
                *count += 1;
                latest.wait_for(clocks);
                *count >= joint.members
            }
            Dependence::Lower => {
                let (prefix, others) = self.scans.entry(collective).or_default();
                others.insert(row, clocks);
                while let Some(next) = joint.order.get(prefix.len()).and_then(|row| others.remove(row)) {
                    let mut latest = prefix.last().copied().unwrap_or(Clocks::NOT_YET);
                    latest.wait_for(next);
                    prefix.push(latest);
                }
                true
            }
        };
        if is_complete {
            self.wake(What::NeedJoined, collective);
        }
    }

    fn note(&mut self, clocks: Clocks) {
        let recorded = i128::from(clocks.recorded.clamp(0, self.length));
        let at = (recorded * FRONT as i128 / i128::from(self.length)) as usize;
        let front = &mut self.front[at.min(FRONT)];
        *front = (*front).max(clocks.changed);
    }

    fn wake(&mut self, what: What, which: u32) {
        if let Some(rows) = self.waiting.remove(&(what as u8, which)) {
            self.ready.extend(rows);
        }
    }
}

/// A member of a collective, as its row sees it.
#[derive(Clone, Copy, Debug)]
struct Joining {
    span: SpanRow,
    begin: i64,
    enter: i64,
    collective: u32,
    /// Others need it.
    counts: bool,
    /// It needs others.
    needs: bool,
}

/// All collectives, and by row those that it joins. The end of the world is the one after the last.
fn joints(rows: &Rows<'_>) -> (Vec<Option<Joint>>, Vec<Vec<Joining>>) {
    let table = &rows.store.collectives;
    let payload = has_payload(rows);
    let mut joints = Vec::with_capacity(table.len() as usize + 1);
    let mut joins: Vec<Vec<Joining>> = vec![Vec::new(); rows.len()];
    for collective in 0..=table.len() {
        let (members, needs, root) = if collective < table.len() {
            let needs = dependence(table.op.get(collective)).filter(|_| table.doubtful.get(collective) == 0);
            let (members, root) = members_of(rows, collective, payload);
            (members, needs, root)
        } else {
            (common_end(rows), Some(Dependence::All), None)
        };
        let Some(needs) = needs.filter(|_| members.len() > 1) else {
            joints.push(None);
            continue;
        };
        let row_of = |location: LocationId| rows.of(location).map_or(u32::MAX, |row| row as u32);
        let root = root.map_or(u32::MAX, |root| row_of(members[root].location));
        let last = members.iter().filter(|member| member.sends).map(|member| member.begin).max().unwrap_or(i64::MIN);
        let mut counted = 0;
        for (position, member) in members.iter().enumerate() {
            let Some(row) = rows.of(member.location) else { continue };
            let is_root = row as u32 == root;
            let counts = match needs {
                Dependence::All => member.sends,
                Dependence::Root => is_root,
                Dependence::IntoRoot => is_root || member.sends,
                Dependence::Lower => true,
            };
            counted += u32::from(counts);
            let needs = match needs {
                // Who left before the last came did not need it.
                Dependence::All => member.receives && member.leave >= last,
                Dependence::Root => !is_root && root != u32::MAX && member.receives,
                Dependence::IntoRoot => is_root,
                Dependence::Lower => position > 0,
            };
            joins[row].push(Joining {
                span: member.span,
                begin: member.begin,
                enter: member.enter.max(member.begin),
                collective: collective as u32,
                counts,
                needs,
            });
        }
        let order = if needs == Dependence::Lower {
            members.iter().map(|member| row_of(member.location)).collect()
        } else {
            Vec::new()
        };
        joints.push(Some(Joint { needs, members: counted, root, order }));
    }
    (joints, joins)
}

/// Something at a moment: when, in which call, what first, and what.
type Dated = (i64, SpanRow, bool, What, u32);

/// What a moment can hold.
const MOST: i64 = u32::MAX as i64;

/// The moments of a row, in order.
fn moments(rows: &Rows<'_>, waits: &Waits, row: usize, joins: &[Joining]) -> Vec<Moment> {
    let (store, location) = (rows.store, rows.locations[row]);
    let messages = &store.messages;
    let mut dated: Vec<Dated> = Vec::new();
    for message in rows.sent(location) {
        let span = messages.send_span.get(message);
        let time = span.some().map_or_else(|| messages.send.get(message).0, |span| rows.call(span).0);
        dated.push((time, span, false, What::Issue, message as u32));
        if let Some(late) = late_receiver(rows, message) {
            dated.push((late.enter, late.completes, true, What::NeedPosted, message as u32));
        }
    }
    for message in store.messages_by_receive.message.iter(rows.received(location)) {
        let sender = messages.send_location.get(message);
        if sender == location || rows.of(sender).is_none() {
            continue;
        }
        if let Some(late) = late_receiver(rows, message) {
            dated.push((late.arrival, late.posts, false, What::Post, message as u32));
        }
        let Some(span) = messages.recv_span.get(message).some() else { continue };
        let (enter, leave) = rows.call(span);
        let send = messages.send_span.get(message);
        let sent = send.some().map_or_else(|| messages.send.get(message).0, |span| rows.call(span).0);
        // A receive that ended before its send began, or a test that did not wait, needed nothing.
        let tests = rows.class(store.spans.region.get(span.0)).tests;
        if sent <= leave && !(tests && sent > enter) {
            dated.push((enter, span, true, What::NeedIssued, message as u32));
        }
    }
    for joining in joins {
        if joining.counts {
            dated.push((joining.begin, joining.span, false, What::Join, joining.collective));
        }
        if joining.needs {
            dated.push((joining.enter, joining.span, true, What::NeedJoined, joining.collective));
        }
    }
    dated.sort_by_key(|(time, span, is_need, what, which)| (*time, *span, *is_need, *what as u8, *which));
    let last = store.locations.last.get(u64::from(location.0)).0;
    dated.push((last.max(dated.last().map_or(i64::MIN, |last| last.0)), SpanRow::NONE, true, What::Nothing, 0));
    let mut sweep = Sweep::new(rows, waits, row);
    let mut moments = Vec::with_capacity(dated.len());
    for (time, _, _, what, which) in dated {
        let (mut computing, mut communication) = sweep.until(time);
        while computing > MOST || communication > MOST {
            let part = (computing.min(MOST), communication.min(MOST));
            moments.push(Moment {
                computing: part.0 as u32,
                communication: part.1 as u32,
                which: 0,
                what: What::Nothing,
            });
            computing -= part.0;
            communication -= part.1;
        }
        moments.push(Moment { computing: computing as u32, communication: communication as u32, which, what });
    }
    moments
}

/// Goes through a row and tells computing from communication.
struct Sweep<'a> {
    rows: &'a Rows<'a>,
    waits: &'a Waits,
    row: usize,
    time: i64,
    /// The next call to look at, and the outermost call that communicates at or before the time.
    next: u64,
    end: u64,
    call: (i64, i64),
    wait: usize,
}

impl<'a> Sweep<'a> {
    fn new(rows: &'a Rows<'a>, waits: &'a Waits, row: usize) -> Sweep<'a> {
        let own = rows.store.spans_of(rows.locations[row]);
        Sweep {
            rows,
            waits,
            row,
            time: rows.run.0.0,
            next: own.start,
            end: own.end,
            call: (rows.run.0.0, rows.run.0.0),
            wait: 0,
        }
    }

    /// Computing, and communication without waiting, since the last time.
    fn until(&mut self, time: i64) -> (i64, i64) {
        let from = self.time;
        if time <= from {
            return (0, 0);
        }
        let mut communication = overlap(self.call, (from, time));
        let spans = &self.rows.store.spans;
        while self.next < self.end {
            let start = spans.start.get(self.next).0;
            if start >= time {
                break;
            }
            if start >= self.call.1 && self.rows.class(spans.region.get(self.next)).communicates {
                self.call = (start, spans.end.get(self.next).0);
                communication += overlap(self.call, (from, time));
            }
            self.next += 1;
        }
        let mut waited = 0;
        let own = self.waits.of(self.row);
        while let Some(wait) = own.get(self.wait) {
            if !wait.is_capped {
                waited += overlap((wait.enter, wait.end()), (from, time));
            }
            if wait.end() > time {
                break;
            }
            self.wait += 1;
        }
        self.time = time;
        (time - from - communication, (communication - waited).max(0))
    }
}

fn overlap(a: (i64, i64), b: (i64, i64)) -> i64 {
    (a.1.min(b.1) - a.0.max(b.0)).max(0)
}
