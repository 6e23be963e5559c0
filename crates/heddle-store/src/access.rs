//! Who may read a trace, and therefore what is made of it.
//!
//! A store holds all that the trace holds. It is made in a directory for its owner only and gets, when it is whole, the
//! rights of group and others that every file of the trace had and that the user's umask leaves: never more.

use std::fs::{DirBuilder, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown};
use std::path::Path;

/// What group and others may do with the files of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    /// Their six bits of a file's mode.
    bits: u32,
    /// The group that is meant; `None` where any will do.
    group: Option<u32>,
}

impl Access {
    /// As the umask says: for what comes from no file.
    pub(crate) const USUAL: Access = Access { bits: 0o077, group: None };
    /// For the owner only.
    pub(crate) const PRIVATE: Access = Access { bits: 0, group: None };

    /// That of a file, or of what is in a directory.
    pub(crate) fn of(found: &Metadata) -> Access {
        Access { bits: found.mode() & 0o077, group: Some(found.gid()) }
    }

    /// What both allow.
    #[must_use]
    pub(crate) fn and(self, other: Access) -> Access {
        let bits = self.bits & other.bits;
        match (self.group, other.group) {
            (Some(one), Some(two)) if one != two => Access { bits: alike(bits), group: None },
            (one, two) => Access { bits, group: one.or(two) },
        }
    }

    /// Gives a directory with all that is in it these rights, as far as it was made with them; `born` is the mode that the
    /// directory itself was made with.
    pub(crate) fn apply(self, directory: &Path, born: u32) -> io::Result<()> {
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            let (path, found) = (entry.path(), entry.metadata()?);
            if found.is_dir() {
                self.apply(&path, found.mode())?;
            } else if found.is_file() {
                self.restrict(&path, &found, found.mode(), self.bits);
            }
        }
        self.restrict(directory, &std::fs::metadata(directory)?, born, searchable(self.bits));
        Ok(())
    }

    /// Gives one file these rights, as far as it was made with them.
    pub(crate) fn apply_to_file(self, path: &Path) -> io::Result<()> {
        let found = std::fs::metadata(path)?;
        self.restrict(path, &found, found.mode(), self.bits);
        Ok(())
    }

    /// Where modes and groups cannot be set there are none that could keep anybody out: failing would help nobody.
    fn restrict(self, path: &Path, found: &Metadata, born: u32, bits: u32) {
        let is_other_group = self.group.is_some_and(|group| group != found.gid()) && alike(bits) != bits;
        let bits = if is_other_group && chown(path, None, self.group).is_err() { alike(bits) } else { bits };
        let mode = born & (0o7700 | bits);
        if mode != found.mode() & 0o7777 {
            let _ = std::fs::set_permissions(path, Permissions::from_mode(mode & 0o7777));
        }
    }
}

/// The rights that group and others both have: right for any group.
fn alike(bits: u32) -> u32 {
    let both = (bits >> 3) & bits & 7;
    both << 3 | both
}

/// The rights on a directory that go with those on its files: who may read them may also list and enter it.
fn searchable(bits: u32) -> u32 {
    let readable = bits & 0o044;
    (bits & 0o022) | readable | readable >> 2
}

/// Makes a directory, and those above it that are missing, for this user only. One that is there stays as it is.
pub fn create_private_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(bits: u32, group: u32) -> Access {
        Access { bits, group: Some(group) }
    }

    #[test]
    fn the_strictest_of_several_files_counts() {
        assert_eq!(access(0o044, 7).and(access(0o040, 7)), access(0o040, 7));
        assert_eq!(access(0o064, 7).and(Access::USUAL), access(0o064, 7));
        assert_eq!(access(0o044, 7).and(Access::PRIVATE).bits, 0);
        // What only one group may, no group may that is not both.
        assert_eq!(access(0o044, 7).and(access(0o040, 8)), Access { bits: 0, group: None });
        assert_eq!(access(0o044, 7).and(access(0o044, 8)), Access { bits: 0o044, group: None });
    }

    #[test]
    fn who_may_read_files_may_enter_their_directory() {
        assert_eq!(searchable(0o044), 0o055);
        assert_eq!(searchable(0o060), 0o070);
        assert_eq!(searchable(0o011), 0);
    }
}
