//! Communicators by number: whether there are such, and who is in them.

use heddle_model::{CommId, LocationId};
use heddle_options::OptionError;
use heddle_store::{Fixed, Store};

/// Whether the trace has the communicator that an option names.
pub(crate) fn check_communicator(store: &Store, name: &str, number: Option<CommId>) -> Result<(), OptionError> {
    let communicators = store.communicators.len();
    if number.is_none_or(|number| u64::from(number.0) < communicators) {
        return Ok(());
    }
    let why = format!("must be below {communicators}; `heddle info` lists them");
    Err(OptionError { name: name.to_owned(), why })
}

/// The members of a communicator in its order; those of the second group of one with two come after the first.
pub(crate) fn communicator_members(store: &Store, communicator: CommId) -> Vec<LocationId> {
    let (all, row) = (&store.communicators, u64::from(communicator.0));
    if row >= all.len() {
        return Vec::new();
    }
    let group = |first: u64, members: u32| store.communicator_members.location.iter(first..first + u64::from(members));
    let mut members: Vec<LocationId> = group(all.first_member.get(row), all.members.get(row)).collect();
    let remote = all.first_remote.get(row);
    if remote != <u64 as Fixed>::NONE {
        members.extend(group(remote, all.remote.get(row)));
    }
    members.retain(|member| member.is_some());
    members
}
