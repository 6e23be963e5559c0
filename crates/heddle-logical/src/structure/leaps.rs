//! Leap merge.

use heddle_store::{Progress, StoreError};

use super::partitions::Partitions;
use crate::Events;

pub(super) fn merge_leaps<'a>(
    parts: Partitions<'a>,
    _events: &Events,
    _skip: bool,
    progress: &dyn Progress,
) -> Result<Partitions<'a>, StoreError> {
    progress.check()?;
    Ok(parts)
}
