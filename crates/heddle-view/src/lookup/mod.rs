//! Finding things in a store quickly: the calls around a moment, the messages of a call, what a call sent and received,
//! its neighbours, which regions are calls, who made them, what a counter says of a call. Views and questions both stand on
//! these.

pub(crate) mod call_regions;
pub(crate) mod communicators;
pub(crate) mod counter_rows;
pub(crate) mod counters;
pub(crate) mod enclosing;
pub(crate) mod level;
pub(crate) mod messages;
pub(crate) mod traffic;
