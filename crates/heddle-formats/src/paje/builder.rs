//! Containers, and what happens on them, as records of locations.
//!
//! A container is not a location: it may have several state types that know nothing of each other, counters and
//! events besides, and only what is of one type is in the order of time. So each gets a track of its own, which is a
//! location. The first state type of a container takes the container's main track, which bears its name.

use heddle_model::{
    CollectiveEnd, CommId, LocationId, MarkText, MetricId, MetricValue, Ns, RegionId, RequestId, TaskInfo,
};
use rustc_hash::FxHashMap;

use super::collectives::Collectives;
use super::links::Links;
use super::odd::{Oddities, Oddity};
use super::tables::{NONE, ROOT, Tables};
use crate::Gather;
use crate::starpu::beside::Beside;

/// A container. Its id is its position; [`ROOT`] is the first.
#[derive(Clone, Debug)]
pub(super) struct Container {
    pub(super) name: String,
    pub(super) kind: u32,
    pub(super) parent: u32,
    /// The rank that it stands for itself.
    pub(super) rank: Option<u32>,
    /// The nearest container upwards, itself included, that has a rank.
    pub(super) process: u32,
    pub(super) main: u32,
    /// The first state type and its track.
    state: (u32, u32),
    variables: u32,
    events: u32,
    pub(super) links: u32,
    /// State tracks, to be closed with the container.
    states: Vec<u32>,
    /// Containers directly below, to be destroyed with it.
    children: Vec<u32>,
    gone: bool,
}

/// What a track holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// Nothing yet.
    Nothing,
    States(u32),
    Variables,
    Variable(u32),
    Events,
    Links,
}

/// A location in the making. Its id is the location's.
#[derive(Clone, Debug)]
pub(super) struct Track {
    pub(super) container: u32,
    pub(super) holds: Holds,
    last: Ns,
    pub(super) runs_tasks: bool,
    /// Open states with their beginnings, outermost first.
    stack: Vec<(RegionId, Ns)>,
}

/// The world of MPI ranks is the first communicator.
pub(super) const WORLD: CommId = CommId(0);

/// A trace in the making.
pub(super) struct Builder<'a> {
    pub(super) gather: Gather<'a>,
    pub(super) tables: Tables,
    pub(super) containers: Vec<Container>,
    pub(super) tracks: Vec<Track>,
    /// Tracks of state types beyond a container's first, and of single variables.
    more_tracks: FxHashMap<(u32, u32), u32>,
    /// Counters, and which variable type each is.
    pub(super) metrics: Vec<u32>,
    metric_of: FxHashMap<u32, MetricId>,
    levels: FxHashMap<(u32, u32), f64>,
    pub(super) ranks: FxHashMap<u32, u32>,
    pub(super) links: Links,
    pub(super) collectives: Collectives,
    pub(super) odd: Oddities,
    /// Variables of one container are in the order of time, whatever their type.
    pub(super) one_variable_track: bool,
    /// Events are not in the order of their container's states.
    pub(super) events_aside: bool,
    /// Earliest and latest time seen anywhere.
    pub(super) span: Option<(Ns, Ns)>,
    /// About how many bytes were given to the gatherer.
    pub(super) added: usize,
    /// What lies beside the trace about its tasks.
    pub(super) beside: Option<Beside>,
    /// A task has said which tile it writes: programs that do not say it have 0 and 0 everywhere.
    pub(super) has_tiles: bool,
}

impl<'a> Builder<'a> {
    pub(super) fn new(gather: Gather<'a>, tables: Tables, memory: u64, one_variable_track: bool) -> Builder<'a> {
        let mut builder = Builder {
            gather,
            tables,
            containers: Vec::new(),
            tracks: Vec::new(),
            more_tracks: FxHashMap::default(),
            metrics: Vec::new(),
            metric_of: FxHashMap::default(),
            levels: FxHashMap::default(),
            ranks: FxHashMap::default(),
            links: Links::new(memory),
            collectives: Collectives::new(memory),
            odd: Oddities::default(),
            one_variable_track,
            events_aside: false,
            span: None,
            added: 0,
            beside: None,
            has_tiles: false,
        };
        builder.add_container("0".to_owned(), ROOT, NONE);
        builder
    }

    /// Something happened then.
    #[inline]
    pub(super) fn see(&mut self, time: Ns) {
        self.span = Some(self.span.map_or((time, time), |(first, last)| (first.min(time), last.max(time))));
    }

    /// A new container below another. One that stands for a process, or whose type has states, gets its row at once, so
    /// that rows come in the order of creation and not in that of the first event.
    pub(super) fn add_container(&mut self, name: String, kind: u32, parent: u32) -> u32 {
        let id = self.containers.len() as u32;
        let kind_of = self.tables.types.get(kind as usize);
        let rank = self.tables.dialect.rank(&name, kind_of.map_or("", |kind| kind.name.as_str()));
        // A rank belongs to the first container that claims it.
        let rank = rank.filter(|rank| !self.ranks.contains_key(rank));
        let has_row = rank.is_some() || kind_of.is_some_and(|kind| kind.has_states);
        let above = self.containers.get(parent as usize).map_or(NONE, |parent| parent.process);
        let process = if rank.is_some() { id } else { above };
        self.containers.push(Container {
            name,
            kind,
            parent,
            rank,
            process,
            main: NONE,
            state: (NONE, NONE),
            variables: NONE,
            events: NONE,
            links: NONE,
            states: Vec::new(),
            children: Vec::new(),
            gone: false,
        });
        if let Some(parent) = self.containers.get_mut(parent as usize) {
            parent.children.push(id);
        }
        if let Some(rank) = rank {
            self.ranks.insert(rank, id);
        }
        if has_row {
            self.main_track(id);
        }
        id
    }

    fn add_track(&mut self, container: u32, holds: Holds) -> u32 {
        self.tracks.push(Track { container, holds, last: Ns::NONE, runs_tasks: false, stack: Vec::new() });
        self.tracks.len() as u32 - 1
    }

    /// The track that bears the container's name.
    pub(super) fn main_track(&mut self, container: u32) -> u32 {
        let known = self.containers[container as usize].main;
        if known != NONE {
            return known;
        }
        let track = self.add_track(container, Holds::Nothing);
        self.containers[container as usize].main = track;
        track
    }

    #[inline]
    fn state_track(&mut self, container: u32, kind: u32) -> u32 {
        let (known, track) = self.containers[container as usize].state;
        if known == kind { track } else { self.other_state_track(container, kind) }
    }

    #[cold]
    fn other_state_track(&mut self, container: u32, kind: u32) -> u32 {
        if self.containers[container as usize].state.0 == NONE {
            let track = self.main_track(container);
            self.tracks[track as usize].holds = Holds::States(kind);
            let entry = &mut self.containers[container as usize];
            entry.state = (kind, track);
            entry.states.push(track);
            return track;
        }
        if let Some(track) = self.more_tracks.get(&(container, kind)) {
            return *track;
        }
        let track = self.add_track(container, Holds::States(kind));
        self.more_tracks.insert((container, kind), track);
        self.containers[container as usize].states.push(track);
        track
    }

    fn variable_track(&mut self, container: u32, kind: u32) -> u32 {
        if self.one_variable_track {
            let known = self.containers[container as usize].variables;
            if known != NONE {
                return known;
            }
            let track = self.add_track(container, Holds::Variables);
            self.containers[container as usize].variables = track;
            return track;
        }
        if let Some(track) = self.more_tracks.get(&(container, kind)) {
            return *track;
        }
        let track = self.add_track(container, Holds::Variable(kind));
        self.more_tracks.insert((container, kind), track);
        track
    }

    /// Where the ends of a container's links go: they come in no order, so nowhere where something else is.
    pub(super) fn link_track(&mut self, container: u32) -> u32 {
        let Container { links, main, rank, .. } = self.containers[container as usize];
        if links != NONE {
            return links;
        }
        let is_free = main != NONE && rank.is_none() && self.tracks[main as usize].holds == Holds::Nothing;
        let track = if is_free { main } else { self.add_track(container, Holds::Links) };
        self.tracks[track as usize].holds = Holds::Links;
        let entry = &mut self.containers[container as usize];
        entry.links = track;
        if is_free {
            entry.main = NONE;
        }
        track
    }

    /// Whether a container's links are messages of its process: the process' own, and those of StarPU's thread for MPI.
    /// Other links stay within a process, and the ends of several containers must not be mixed up.
    pub(super) fn speaks_for_process(&self, container: u32) -> bool {
        let entry = &self.containers[container as usize];
        let kind = self.tables.types.get(entry.kind as usize).map_or("", |kind| kind.name.as_str());
        entry.rank.is_some() || (entry.process != NONE && kind == "MPI Communication Thread")
    }

    /// The time as the track can take it: not before the one before.
    #[inline]
    pub(super) fn raised(&mut self, track: u32, time: Ns) -> Ns {
        self.see(time);
        let last = &mut self.tracks[track as usize].last;
        if time < *last {
            let raised = *last;
            self.odd.count(Oddity::TimeFalls);
            return raised;
        }
        *last = time;
        time
    }

    /// A state begins above those that are open.
    #[inline]
    pub(super) fn push_state(&mut self, container: u32, kind: u32, region: RegionId, time: Ns) {
        let track = self.state_track(container, kind);
        let time = self.raised(track, time);
        self.count_event(track);
        self.enter(track, region, time);
    }

    /// A state takes the place of all that are open. `is_task`: it is the run of a task.
    pub(super) fn set_state(&mut self, container: u32, kind: u32, region: RegionId, time: Ns, is_task: bool) {
        let track = self.state_track(container, kind);
        let time = self.raised(track, time);
        self.count_event(track);
        if is_task {
            self.tables.is_task(region);
            // StarPU sets the state once without the task's fields and at the same instant once more with them.
            if self.tracks[track as usize].stack == [(region, time)] {
                self.odd.count(Oddity::TaskTwin);
                return;
            }
        }
        self.close_all(track, time);
        self.enter(track, region, time);
    }

    /// The innermost state ends.
    #[inline]
    pub(super) fn pop_state(&mut self, container: u32, kind: u32, time: Ns) {
        let track = self.state_track(container, kind);
        let time = self.raised(track, time);
        self.count_event(track);
        if self.tracks[track as usize].stack.is_empty() {
            self.odd.count(Oddity::StrayPop);
        } else {
            self.leave(track, time);
        }
    }

    /// All states end.
    pub(super) fn reset_state(&mut self, container: u32, kind: u32, time: Ns) {
        let track = self.state_track(container, kind);
        let time = self.raised(track, time);
        self.count_event(track);
        self.close_all(track, time);
    }

    #[inline]
    fn count_event(&mut self, track: u32) {
        self.gather.block(LocationId(track)).events += 1;
    }

    #[inline]
    fn enter(&mut self, track: u32, region: RegionId, time: Ns) {
        self.added += 16;
        self.tracks[track as usize].stack.push((region, time));
        let block = self.gather.block(LocationId(track));
        block.enter(time, region);
        if self.tables.operations.get(region.index()).is_some_and(Option::is_some) {
            block.collective_begin(time);
            let op = self.tables.operations[region.index()];
            self.collectives.begin(track, op, time);
        }
    }

    #[inline]
    fn leave(&mut self, track: u32, time: Ns) {
        self.added += 16;
        let Some((region, _)) = self.tracks[track as usize].stack.pop() else { return };
        let block = self.gather.block(LocationId(track));
        if let Some(Some(op)) = self.tables.operations.get(region.index()) {
            block.collective_end(
                time,
                CollectiveEnd {
                    op: *op,
                    comm: WORLD,
                    root: LocationId::NONE,
                    sent: 0,
                    received: 0,
                    request: RequestId::NONE,
                    number: None,
                },
            );
            self.collectives.end(track, time);
        }
        block.leave(time, Some(region));
    }

    fn close_all(&mut self, track: u32, time: Ns) {
        while !self.tracks[track as usize].stack.is_empty() {
            self.leave(track, time);
        }
    }

    /// The innermost open state of a track.
    pub(super) fn innermost(&self, track: u32) -> Option<RegionId> {
        self.tracks[track as usize].stack.last().map(|(region, _)| *region)
    }

    /// A container is gone, and all below it: their states end.
    pub(super) fn destroy(&mut self, container: u32, time: Ns) {
        self.see(time);
        let mut going = vec![container];
        while let Some(container) = going.pop() {
            let entry = &mut self.containers[container as usize];
            // Each is visited once, however often the file says so.
            going.append(&mut entry.children);
            if std::mem::replace(&mut entry.gone, true) {
                continue;
            }
            for track in entry.states.clone() {
                if !self.tracks[track as usize].stack.is_empty() {
                    let time = self.raised(track, time);
                    self.close_all(track, time);
                }
            }
        }
    }

    /// The trace is over: what is open ends with it.
    pub(super) fn close_everything(&mut self) {
        let Some((_, last)) = self.span else { return };
        for track in 0..self.tracks.len() as u32 {
            let open = self.tracks[track as usize].stack.len() as u64;
            self.odd.count_many(Oddity::OpenAtEnd, open);
            self.close_all(track, last);
        }
    }

    /// A variable has a value from here on.
    pub(super) fn set_variable(&mut self, container: u32, kind: u32, value: f64, time: Ns) {
        self.levels.insert((container, kind), value);
        self.put_variable(container, kind, value, time);
    }

    /// A variable changes; one that was never set was zero.
    pub(super) fn add_variable(&mut self, container: u32, kind: u32, change: f64, time: Ns) {
        let level = self.levels.entry((container, kind)).or_insert(0.0);
        *level += change;
        let value = *level;
        self.put_variable(container, kind, value, time);
    }

    fn put_variable(&mut self, container: u32, kind: u32, value: f64, time: Ns) {
        let track = self.variable_track(container, kind);
        let time = self.raised(track, time);
        let metrics = &mut self.metrics;
        let metric = *self.metric_of.entry(kind).or_insert_with(|| {
            metrics.push(kind);
            MetricId(metrics.len() as u32 - 1)
        });
        self.added += 40;
        let block = self.gather.block(LocationId(track));
        block.events += 1;
        block.metric(time, MetricValue { metric, value });
    }

    /// An instant with a name. It goes to the container's row unless that is already further in time.
    pub(super) fn mark(&mut self, container: u32, name: &str, text: String, time: Ns) {
        let main = self.containers[container as usize].main;
        let is_timely = !self.events_aside && main != NONE && self.tracks[main as usize].last <= time;
        let track = if is_timely { main } else { self.event_track(container) };
        if self.tracks[track as usize].holds == Holds::Nothing {
            self.tracks[track as usize].holds = Holds::Events;
        }
        self.mark_on(track, name, text, time);
        self.count_event(track);
    }

    fn event_track(&mut self, container: u32) -> u32 {
        let known = self.containers[container as usize].events;
        if known != NONE {
            return known;
        }
        if !self.events_aside && self.containers[container as usize].main == NONE {
            return self.main_track(container);
        }
        let track = self.add_track(container, Holds::Events);
        self.containers[container as usize].events = track;
        track
    }

    /// The state that was just set is the run of a task.
    pub(super) fn task(&mut self, container: u32, kind: u32, mut task: TaskInfo, time: Ns) {
        let track = self.state_track(container, kind);
        let time = self.raised(track, time);
        self.tracks[track as usize].runs_tasks = true;
        let waits_for = self.beside.as_mut().map_or(&[][..], |beside| beside.complete(&mut task));
        self.has_tiles |= !matches!(task.tile, [TaskInfo::UNKNOWN, _] | [0, 0]);
        self.added += 64 + 24 * waits_for.len();
        let block = self.gather.block(LocationId(track));
        block.task(time, task);
        for on in waits_for {
            block.depends_on(time, *on);
        }
    }

    /// A container has states of a type, even if none occurs.
    pub(super) fn has_states(&mut self, container: u32, kind: u32) {
        self.state_track(container, kind);
    }

    fn mark_on(&mut self, track: u32, name: &str, text: String, time: Ns) {
        let time = self.raised(track, time);
        self.added += 96 + text.len();
        self.gather.block(LocationId(track)).mark(time, MarkText { name: name.to_owned(), text });
    }
}
