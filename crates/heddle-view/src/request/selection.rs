//! What is selected: one type for everything that one can point at, with one text form.
//!
//! The text stands in links, in questions to the server and in notes, so it names things by what outlives a store: a
//! call by the id of its location in the trace and its ordinal there, an event by rank and step, a function by its name.
//! Nodes of a machine, and links between them, are named by coordinates.

use std::fmt;
use std::str::FromStr;

use heddle_model::Ns;
use serde::{Serialize, Serializer};

use super::names::SpanName;
use super::node_set::{LinkName, NodeSet};
use super::window::RankSet;

/// Something that is selected.
#[derive(Clone, Debug, PartialEq)]
pub enum Selection {
    /// A call: `span:LOCATION:ORDINAL`. Older links say `LOCATION:ORDINAL`.
    Span(SpanName),
    /// A communication event in logical time: `event:RANK:STEP`.
    Event {
        /// Whose.
        rank: u32,
        /// When.
        step: u32,
    },
    /// A message, by the call that sends it and its number among those of the call: `message:LOCATION:ORDINAL:INDEX`.
    Message {
        /// The call.
        sender: SpanName,
        /// Which of its messages.
        index: u32,
    },
    /// A phase of logical time: `phase:NUMBER`.
    Phase(u32),
    /// Ranks: `ranks:0-15,100`.
    Ranks(RankSet),
    /// A cluster of ranks: `cluster:NODE`, by its number in the hierarchy that the options give.
    Cluster(u32),
    /// Nodes of the machine: `nodes:*,*,5`.
    Nodes(NodeSet),
    /// A link of the machine: `link:1,6,5>2,6,5`.
    Link(LinkName),
    /// A function: `function:NAME`. Hostile text.
    Function(String),
    /// A stretch of time, or a rectangle of the call view: `window:FROM:TO` or `window:FROM:TO:LOW:HIGH`, in nanoseconds.
    Window {
        /// From and to.
        time: (Ns, Ns),
        /// Heights from and to.
        values: Option<(f64, f64)>,
    },
    /// Some ranks during a stretch of time, a rectangle of the timeline: `area:FROM:TO:0-15,100`.
    Area {
        /// From and to, half open.
        time: (Ns, Ns),
        /// Whose.
        ranks: RankSet,
    },
    /// Messages from some ranks to others, of one communicator or of all: `messages:0-3>4,7` or `messages:0-3>4,7:2`.
    Messages(Between),
    /// Calls of a function on some ranks that take so long: `calls:LEAST:BELOW:0-3,7:NAME`, in nanoseconds.
    Calls(CallRange),
}

/// Calls of a function that take so long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRange {
    /// They take at least so many nanoseconds, and less than so many.
    pub lasting: (i64, i64),
    /// Whose.
    pub ranks: RankSet,
    /// The function. Hostile text.
    pub function: String,
}

impl FromStr for CallRange {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<CallRange, SelectionError> {
        let read = || {
            let mut parts = text.splitn(4, ':');
            let mut number = || parts.next()?.parse::<i64>().ok().filter(|number| *number >= 0);
            let lasting = (number()?, number()?);
            let ranks = parts.next()?.parse().ok()?;
            let function = parts.next().filter(|name| !name.is_empty())?.to_owned();
            (lasting.0 < lasting.1).then_some(CallRange { lasting, ranks, function })
        };
        read().ok_or(SelectionError)
    }
}

impl fmt::Display for CallRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CallRange { lasting: (least, below), ranks, function } = self;
        write!(f, "{least}:{below}:{ranks}:{function}")
    }
}

/// Messages from some ranks to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Between {
    /// Who sends.
    pub from: RankSet,
    /// Who receives.
    pub to: RankSet,
    /// The number of their communicator, unless it may be any.
    pub communicator: Option<u32>,
}

impl FromStr for Between {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<Between, SelectionError> {
        let read = || {
            let (from, rest) = text.split_once('>')?;
            let (to, communicator) = match rest.split_once(':') {
                Some((to, number)) => (to, Some(number.parse().ok()?)),
                None => (rest, None),
            };
            Some(Between { from: from.parse().ok()?, to: to.parse().ok()?, communicator })
        };
        read().ok_or(SelectionError)
    }
}

impl fmt::Display for Between {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}>{}", self.from, self.to)?;
        self.communicator.map_or(Ok(()), |number| write!(f, ":{number}"))
    }
}

/// Kinds of selections, by the word that begins their text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionKind {
    /// A call.
    Span,
    /// An event.
    Event,
    /// A message.
    Message,
    /// A phase.
    Phase,
    /// Ranks.
    Ranks,
    /// A cluster.
    Cluster,
    /// Nodes of the machine.
    Nodes,
    /// A link of the machine.
    Link,
    /// A function.
    Function,
    /// A stretch of time or a rectangle.
    Window,
    /// Ranks during a stretch of time.
    Area,
    /// Messages between ranks.
    Messages,
    /// Calls that take so long.
    Calls,
}

impl SelectionKind {
    /// The word, also for people.
    pub fn word(self) -> &'static str {
        match self {
            SelectionKind::Span => "span",
            SelectionKind::Event => "event",
            SelectionKind::Message => "message",
            SelectionKind::Phase => "phase",
            SelectionKind::Ranks => "ranks",
            SelectionKind::Cluster => "cluster",
            SelectionKind::Nodes => "nodes",
            SelectionKind::Link => "link",
            SelectionKind::Function => "function",
            SelectionKind::Window => "window",
            SelectionKind::Area => "area",
            SelectionKind::Messages => "messages",
            SelectionKind::Calls => "calls",
        }
    }
}

/// Not the text of a selection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a selection is span:LOCATION:N, event:RANK:STEP, message:LOCATION:N:INDEX, phase:N, ranks:SPEC, cluster:N, \
     nodes:SPEC, link:FROM>TO, function:NAME, window:FROM:TO[:LOW:HIGH], area:FROM:TO:RANKS, messages:RANKS>RANKS[:COMMUNICATOR] or \
     calls:LEAST:BELOW:RANKS:FUNCTION"
)]
pub struct SelectionError;

impl Selection {
    /// One of each form: tests of both sides read them.
    pub const SAMPLES: [&str; 15] = [
        "span:3:17",
        "event:9:26",
        "message:3:17:0",
        "phase:12",
        "ranks:0-3,7",
        "cluster:5",
        "nodes:*,*,5;0-3,2,1",
        "link:1,6,5>2,6,5",
        "function:MPI_Send",
        "window:5:10",
        "window:5:10:1.5:2000",
        "area:5:10:0-3,7",
        "messages:0-3,7>8",
        "messages:0-3>4-7:2",
        "calls:100:2000:0-3,7:a: b",
    ];

    /// What kind of thing it is.
    pub fn kind(&self) -> SelectionKind {
        match self {
            Selection::Span(_) => SelectionKind::Span,
            Selection::Event { .. } => SelectionKind::Event,
            Selection::Message { .. } => SelectionKind::Message,
            Selection::Phase(_) => SelectionKind::Phase,
            Selection::Ranks(_) => SelectionKind::Ranks,
            Selection::Cluster(_) => SelectionKind::Cluster,
            Selection::Nodes(_) => SelectionKind::Nodes,
            Selection::Link(_) => SelectionKind::Link,
            Selection::Function(_) => SelectionKind::Function,
            Selection::Window { .. } => SelectionKind::Window,
            Selection::Area { .. } => SelectionKind::Area,
            Selection::Messages(_) => SelectionKind::Messages,
            Selection::Calls(_) => SelectionKind::Calls,
        }
    }

    /// Whether it takes logical time to find it.
    pub fn needs_logical(&self) -> bool {
        matches!(self, Selection::Event { .. } | Selection::Phase(_))
    }
}

impl FromStr for Selection {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<Selection, SelectionError> {
        read(text).ok_or(SelectionError)
    }
}

fn read(text: &str) -> Option<Selection> {
    let (kind, rest) = text.split_once(':')?;
    let parts: Vec<&str> = rest.split(':').collect();
    let span = |location: &str, ordinal: &str| {
        Some(SpanName { location: location.parse().ok()?, ordinal: ordinal.parse().ok()? })
    };
    let time = |from: &str, to: &str| {
        let (from, to) = (Ns(from.parse().ok()?), Ns(to.parse().ok()?));
        (from.0 >= 0 && from <= to && to <= Ns::MAX).then_some((from, to))
    };
    Some(match (kind, parts.as_slice()) {
        ("span", [location, ordinal]) => Selection::Span(span(location, ordinal)?),
        ("event", [rank, step]) => Selection::Event { rank: rank.parse().ok()?, step: step.parse().ok()? },
        ("message", [location, ordinal, index]) => {
            Selection::Message { sender: span(location, ordinal)?, index: index.parse().ok()? }
        }
        ("phase", [number]) => Selection::Phase(number.parse().ok()?),
        ("cluster", [node]) => Selection::Cluster(node.parse().ok()?),
        ("nodes", [nodes]) => Selection::Nodes(nodes.parse().ok()?),
        ("link", [link]) => Selection::Link(link.parse().ok()?),
        ("ranks", _) => Selection::Ranks(rest.parse().ok()?),
        ("messages", _) => Selection::Messages(rest.parse().ok()?),
        ("calls", _) => Selection::Calls(rest.parse().ok()?),
        ("function", _) if !rest.is_empty() => Selection::Function(rest.to_owned()),
        ("window", [from, to]) => Selection::Window { time: time(from, to)?, values: None },
        ("window", [from, to, low, high]) => {
            let values: (f64, f64) = (low.parse().ok()?, high.parse().ok()?);
            let is_range = values.0.is_finite() && values.1.is_finite() && values.0 <= values.1;
            Selection::Window { time: time(from, to)?, values: Some(values).filter(|_| is_range).map(Some)? }
        }
        ("area", [from, to, ranks]) => Selection::Area { time: time(from, to)?, ranks: ranks.parse().ok()? },
        (location, [ordinal]) => Selection::Span(span(location, ordinal)?),
        _ => return None,
    })
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.kind().word())?;
        match self {
            Selection::Span(name) => write!(f, "{name}"),
            Selection::Event { rank, step } => write!(f, "{rank}:{step}"),
            Selection::Message { sender, index } => write!(f, "{sender}:{index}"),
            Selection::Phase(number) => write!(f, "{number}"),
            Selection::Ranks(ranks) => write!(f, "{ranks}"),
            Selection::Cluster(node) => write!(f, "{node}"),
            Selection::Nodes(nodes) => write!(f, "{nodes}"),
            Selection::Link(link) => write!(f, "{link}"),
            Selection::Function(name) => f.write_str(name),
            Selection::Window { time, values } => {
                write!(f, "{}:{}", time.0.0, time.1.0)?;
                values.map_or(Ok(()), |(low, high)| write!(f, ":{low}:{high}"))
            }
            Selection::Area { time, ranks } => write!(f, "{}:{}:{ranks}", time.0.0, time.1.0),
            Selection::Messages(between) => write!(f, "{between}"),
            Selection::Calls(calls) => write!(f, "{calls}"),
        }
    }
}

impl Serialize for Selection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_written_back() {
        for text in Selection::SAMPLES {
            assert_eq!(text.parse::<Selection>().unwrap().to_string(), text);
        }
        assert_eq!("function:a:b c".parse(), Ok(Selection::Function("a:b c".to_owned())));
        assert_eq!("3:17".parse::<Selection>().unwrap().to_string(), "span:3:17", "as older links say it");
    }

    #[test]
    fn what_is_no_selection_is_refused() {
        let wrong = [
            "",
            "span",
            "span:",
            "span:1",
            "span:a:b",
            "event:1",
            "phase:x",
            "phase:-1",
            "ranks:",
            "ranks:a",
            "function:",
            "window:9:5",
            "window:-1:5",
            "window:1:2:3",
            "window:1:2:nan:4",
            "window:1:2:5:4",
            "area:1:2",
            "area:2:1:0",
            "area:1:2:",
            "area:1:2:x",
            "messages:1",
            "messages:1>",
            "messages:1>2:x",
            "messages:1>2:3:4",
            "calls:1:2:0",
            "calls:2:2:0:f",
            "calls:-1:2:0:f",
            "calls:1:2:0:",
            "cluster:x",
            "nodes:",
            "nodes:1,b",
            "link:1,2,3",
            "1:2:3",
        ];
        for text in wrong {
            assert_eq!(text.parse::<Selection>(), Err(SelectionError), "{text}");
        }
    }
}
