//! Names of what there may be a million of.
//!
//! Locations and processes have short names, and most of them are alike ("Master thread", "MPI Rank 17"). As a `String`
//! each would take an allocation of its own, which for a million ranks is a hundred megabytes and a million calls of the
//! allocator. Up to 24 bytes this type keeps within itself.

/// A name, without an allocation if it is short.
pub type Name = compact_str::CompactString;
