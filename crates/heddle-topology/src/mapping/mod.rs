//! Where ranks sit: the rules that people name, and the files that list it.
//!
//! A [`Mapping`] is a rule with a short name (`TXYZ`, `tile:2x8x8`, `round-robin`); a map file ([`read_map`]) or a list of hosts
//! ([`read_hosts`]) says it rank by rank. Both give a [`Placement`].

mod files;
mod placement;
mod rule;

pub use files::{MapFileError, MapProblem, read_hosts, read_map, read_placement, write_map};
pub use placement::Placement;
pub use rule::{Mapping, MappingError, Tilt};
