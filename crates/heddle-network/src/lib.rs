//! Traffic on the links of a machine: measured, predicted or simulated.

mod machine;
mod makers;
mod measured;
pub mod motion;
mod network;
mod options;
mod pattern;
pub mod predict;
pub mod search;
mod simgrid;
mod topology_file;
mod traffic;
mod utilisation;

pub use machine::{Known, Machine, MachineError, NodesOfTrace};
pub use makers::{CollectivesOnLink, Makers, MessageOnLink, PairOnLink};
pub use measured::node_values;
pub use network::{Network, NetworkError, Part, Tests};
pub use options::{Bandwidth, NetworkOptions, RouteChoice, TrafficChoice};
pub use pattern::{Pattern, PatternError};
pub use topology_file::{HostNames, TopologyFile, TopologyFileError};
pub use traffic::{Origin, Section, Traffic, Unit};
pub use utilisation::{Offered, Used, Utilisation, Whole};
