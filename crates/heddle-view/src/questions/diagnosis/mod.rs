//! What is wrong with a run, in words.

use heddle_diagnosis::finding::Finding;
use heddle_store::Store;

/// What a finding is called in pictures.
pub(crate) fn label(_store: &Store, finding: &Finding) -> String {
    finding.kind().name().to_owned()
}
