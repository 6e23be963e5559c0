//! The vocabulary of Heddle.
//!
//! Every stage speaks in these words: typed ids and times ([`LocationId`], [`RegionId`], [`Ns`] …),
//! what a trace defines ([`Definitions`]), what happened on one location ([`RecordBlock`]), what was
//! measured on the network ([`MeasuredNetwork`]), where they come from ([`Source`]), and what was odd
//! about them ([`Warnings`]).
//!
//! A [`Source`] is the narrow waist of the program: a file format, the simulator and a finished store
//! all offer the same thing, and whoever consumes records (the store's builder, a format's writer)
//! works with all of them.
//!
//! ```
//! use heddle_model::{Event, Ns, RecordBlock, RegionId};
//!
//! let mut block = RecordBlock::default();
//! block.enter(Ns(10), RegionId(3));
//! block.leave(Ns(25), Some(RegionId(3)));
//! let events: Vec<_> = block.iter().collect();
//! assert_eq!(events[1], (Ns(25), Event::Leave(Some(RegionId(3)))));
//! ```

mod collective;
mod definitions;
mod ids;
mod name;
mod network;
mod record;
mod region;
mod source;
mod task;
mod text;
mod time;
mod warning;

pub use collective::CollectiveOp;
pub use definitions::{
    Communicator, Definitions, GlobalMark, Location, LocationKind, MetricDefinition, MetricMode, SystemNode,
};
pub use ids::{CommId, LocationId, MetricId, Rank, RegionId, RequestId, SpanRow, SystemNodeId, TaskId};
pub use name::Name;
pub use network::{
    Counted, LinkEnd, MeasuredNetwork, NetworkCounter, NetworkDimension, NetworkLink, NetworkNode, Section, Tally,
};
pub use record::{CollectiveEnd, Event, MarkText, MessageEnd, MetricValue, Record, RecordBlock, RecordKind};
pub use region::{Paradigm, Region, Role};
pub use source::{Part, Source, SourceError};
pub use task::{TaskInfo, Worker};
pub use text::{counted, grouped};
pub use time::{Ns, TickClock};
pub use warning::{Warning, WarningKind, Warnings};
