//! Programs of tasks: which nodes or workers the others wait for.

use heddle_store::{Progress, Store, StoreError};

use crate::finding::Finding;

/// What is found in a program of tasks; nothing in others.
pub fn tasks(_store: &Store, _progress: &dyn Progress) -> Result<Vec<Finding>, StoreError> {
    Ok(Vec::new())
}
