//! Whether the clocks of a trace agree well enough to speak of time.

use crate::rows::Rows;
use crate::waits::Waits;

/// How far the clocks of a trace can be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clocks {
    /// Messages and members of collectives that ended before what they needed began.
    pub violations: u64,
    /// Out of how many.
    pub checked: u64,
    /// The largest of these, in nanoseconds.
    pub largest: i64,
    /// Waits would be made from the disagreement: nothing is to be said about time.
    pub is_broken: bool,
}

/// Looks at the clocks of a trace.
pub fn clocks(_rows: &Rows<'_>, waits: &Waits) -> Clocks {
    Clocks { violations: waits.violations, largest: waits.largest_violation, ..Clocks::default() }
}
