//! What takes time here.

use heddle_store::Work;

/// Work is added up, node by node.
pub(crate) const COUNTING: Work = Work::new("counting work");
/// Dependencies are followed, task by task.
pub(crate) const CHAINING: Work = Work::new("following dependencies");
