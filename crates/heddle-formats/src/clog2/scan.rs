//! The first pass over a log: what it defines, and which ids and lines its events use.
//!
//! Names of states come last in a log and communicators in the middle, so events cannot be told apart in one pass.

use heddle_model::Ns;
use rustc_hash::FxHashSet;

use super::colours;
use super::cut::Stretch;
use super::preamble::Preamble;
use super::recent::Recent;
use super::record::{self, Line, text};

/// A state: the two events that begin and end it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StateDefinition {
    pub(super) start: i32,
    pub(super) end: i32,
    pub(super) name: String,
    pub(super) format: String,
    pub(super) colour: Option<u32>,
    /// Where in the file.
    pub(super) offset: u64,
}

/// A solo event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SoloDefinition {
    pub(super) event: i32,
    pub(super) name: String,
    pub(super) format: String,
}

/// Something happened to a communicator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommEvent {
    /// Where it was logged: the parent communicator.
    pub(super) line: Line,
    pub(super) kind: i32,
    /// The communicator concerned.
    pub(super) comm: i32,
    /// This process in it.
    pub(super) rank: i32,
    /// This process in the world.
    pub(super) world: i32,
    /// What identifies the communicator in the files of all processes.
    pub(super) unique: [u8; 32],
}

impl CommEvent {
    /// The machine that made the communicator.
    pub(super) fn machine(&self) -> String {
        text(&self.unique, 12, 20)
    }
}

/// What one pass over a file, or a part of one, found.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) states: Vec<StateDefinition>,
    pub(super) solos: Vec<SoloDefinition>,
    pub(super) comm_events: Vec<CommEvent>,
    /// Corrections of the clock: from which byte on, seconds.
    pub(super) shifts: Vec<(u64, f64)>,
    /// Lines that records are on.
    pub(super) lines: FxHashSet<Line>,
    /// Ids of events.
    pub(super) events: FxHashSet<i32>,
    /// Communicators of the two sides of messages, where they differ.
    pub(super) pairs: FxHashSet<(i32, i32)>,
    /// The highest rank that a message names as its partner.
    pub(super) highest_partner: i32,
}

impl Scan {
    /// Looks at every record of a stretch.
    pub(super) fn of(stretch: &Stretch, preamble: &Preamble) -> Scan {
        let mut scan = Scan::default();
        let layout = preamble.layout;
        let (mut lines, mut events) = (Recent::new(), Recent::new());
        stretch.records(preamble, |offset, kind, bytes| {
            let header = layout.read_header(bytes);
            let body = layout.body(bytes);
            lines.get(header.line, || {
                scan.lines.insert(header.line);
            });
            match kind {
                record::BARE | record::CARGO => {
                    let event = layout.i32(body, 0);
                    events.get(event, || {
                        scan.events.insert(event);
                    });
                }
                record::MESSAGE => {
                    let message = layout.message(body, header.line);
                    scan.highest_partner = scan.highest_partner.max(message.rank);
                    if message.comm != header.line.0 {
                        scan.pairs.insert((header.line.0, message.comm));
                    }
                }
                record::STATE => scan.states.push(StateDefinition {
                    start: layout.i32(body, 4),
                    end: layout.i32(body, 8),
                    name: text(body, 40, 32),
                    format: text(body, 72, 40),
                    colour: colours::named(&text(body, 16, 24)),
                    offset,
                }),
                record::EVENT => scan.solos.push(SoloDefinition {
                    event: layout.i32(body, 0),
                    name: text(body, 32, 32),
                    format: text(body, 64, 40),
                }),
                record::COMMUNICATOR => {
                    let mut unique = [0; 32];
                    if let Some(id) = body.get(16..48) {
                        unique.copy_from_slice(id);
                    }
                    scan.comm_events.push(CommEvent {
                        line: header.line,
                        kind: layout.i32(body, 0),
                        comm: layout.i32(body, 4),
                        rank: layout.i32(body, 8),
                        world: layout.i32(body, 12),
                        unique,
                    });
                }
                record::TIME_SHIFT => scan.shifts.push((offset, layout.f64(body, 0))),
                _ => {}
            }
        });
        scan
    }

    /// Adds what a later part of the same file has.
    pub(super) fn merge(&mut self, later: Scan) {
        self.states.extend(later.states);
        self.solos.extend(later.solos);
        self.comm_events.extend(later.comm_events);
        self.shifts.extend(later.shifts);
        self.lines.extend(later.lines);
        self.events.extend(later.events);
        self.pairs.extend(later.pairs);
        self.highest_partner = self.highest_partner.max(later.highest_partner);
    }
}

/// Times beyond this, nine years either way, are garbage; the difference of two still is a time.
const FAR: f64 = (Ns::MAX.0 / 4) as f64;

/// Seconds as nanoseconds; `None` for what is no number.
#[inline]
pub(crate) fn nanoseconds(seconds: f64) -> Option<Ns> {
    (!seconds.is_nan()).then(|| Ns((seconds * 1e9).round().clamp(-FAR, FAR) as i64))
}
