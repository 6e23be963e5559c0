//! Logical time: phases, steps and lateness of message-passing programs.
//!
//! Physical time shows when things happened; logical time shows in which order they had to. Communication events are
//! grouped into **phases** that follow each other, and each event gets a **step**: a column that it shares with what its
//! peers do at the same point of the program. How much later than its peers an event ends is its **lateness**.
//!
//! The way through this crate: a store's spans become [`Events`], events become phases and steps, those give metrics.

mod build;
mod cause;
pub mod cluster;
mod drawer;
mod event_times;
mod events;
pub mod extract;
mod hints;
mod logical;
pub mod measures;
mod metric;
mod options;
mod partners;
pub mod pattern;
mod step_map;
mod structure;
pub mod tables;
mod windows;
mod work;

pub use build::{Memory, build};
pub use cause::{Cause, Reach, Stop, cause};
pub use events::{Events, Kind};
pub use logical::Logical;
pub use metric::{Cells, EventValue, Metric, MetricValues, Reduced, Sum, Sums, UnknownMetric};
pub use options::{LogicalOptions, Stepping};
pub use step_map::StepMap;
pub use structure::{PhaseSteps, Structure, structure};
pub use windows::WindowSize;
