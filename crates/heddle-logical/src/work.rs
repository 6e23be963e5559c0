//! What computing logical time consists of, for progress bars.

use heddle_store::Work;

/// Communication events are found among the calls.
pub(crate) const FINDING_EVENTS: Work = Work::new("finding communication");
/// Events are put together to form phases.
pub(crate) const FINDING_PHASES: Work = Work::new("finding phases");
/// Phases and their events get steps.
pub(crate) const ASSIGNING_STEPS: Work = Work::new("assigning steps");
/// Events are compared with their peers.
pub(crate) const COMPARING: Work = Work::new("comparing events");
/// Ranks are compared with each other.
pub(crate) const CLUSTERING: Work = Work::new("clustering ranks");
/// Messages are compared with patterns.
pub(crate) const RECOGNISING: Work = Work::new("recognising patterns");
