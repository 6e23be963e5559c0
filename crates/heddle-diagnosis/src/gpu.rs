//! Accelerators: communication that is not hidden behind computing, and ranks that come late to collectives.

use heddle_store::{Progress, Store, StoreError};

use crate::finding::Finding;

/// What is found on rows of accelerators; nothing where there are none.
pub fn gpu(_store: &Store, _progress: &dyn Progress) -> Result<Vec<Finding>, StoreError> {
    Ok(Vec::new())
}
