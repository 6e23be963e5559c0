//! How far the nodes of a program have come.
//!
//! A Gantt chart shows how busy workers are; this shows how much of its own work each node has done, which nodes split from
//! the others, and how far all of them are from what the machine could do (Nesi, Garcia Pinto, Schnorr, Legrand 2023).
//!
//! [`Runs`] are what is counted: tasks, calls of a function, or whatever else has begin and end on a location. One pass over
//! them gives the share of its work that each node had done at some instants, and lower bounds: a [`Progression`], which is
//! kept in the store. [`Groups`] puts nodes that are equally far together; that takes so little time that it is done anew
//! for each picture.

mod area;
mod bounds;
mod chain;
mod durations;
mod groups;
mod kept;
mod metric;
mod modes;
mod options;
mod overview;
mod progression;
mod slices;
mod stages;
mod tally;
mod tiles;
mod work;

pub use area::area_bound;
pub use bounds::Bounds;
pub use chain::Chain;
pub use durations::{Durations, Fences};
pub use groups::{Groups, Segment};
pub use modes::{Cluster, Density, Modes};
pub use options::{Bandwidth, BoundWorkers, GroupOptions, InFlight, ProgressOptions, Weights};
pub use overview::{FEW_TASKS, Grid, GridRow, Overview};
pub use progression::{ProgressError, Progression, WorkType, WorkerKind};
pub use slices::{SliceSums, grid_edge};
pub use tally::TypeOnKind;
pub use tiles::{Owner, Period, Tiles};
pub use work::{CallRuns, Crew, Run, Runs, TaskRuns, WorkKind, Worker, node_of};
