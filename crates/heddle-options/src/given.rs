//! Options as somebody gave them: names and texts, not yet read.

use crate::{OptionSpec, Options, Written};

/// An option has a value that it cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` {why}")]
pub struct OptionError {
    /// Its name.
    pub name: String,
    /// What it must be; the value is not repeated, for it may be anything.
    pub why: String,
}

/// Options by name, in the words of whoever gave them. Each group reads those that it has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    pairs: Vec<(String, String)>,
    written: Written,
}

impl Given {
    /// Options that a program wrote: the page, in a question or a link.
    pub fn by_program(pairs: impl IntoIterator<Item = (String, String)>) -> Given {
        Given { pairs: pairs.into_iter().collect(), written: Written::ByProgram }
    }

    /// Options that a person typed.
    pub fn by_hand(pairs: impl IntoIterator<Item = (String, String)>) -> Given {
        Given { pairs: pairs.into_iter().collect(), written: Written::ByHand }
    }

    /// The options of a group; default where nothing was given.
    pub fn read<T: Options>(&self) -> Result<T, OptionError> {
        let mut group = T::default();
        for (name, text) in &self.pairs {
            group.set(name, text, self.written).transpose()?;
        }
        Ok(group)
    }

    /// The same where the texts were checked when they came in: what cannot be read stays as it is by default.
    pub fn checked<T: Options>(&self) -> T {
        let mut group = T::default();
        for (name, text) in &self.pairs {
            let _unread = group.set(name, text, self.written);
        }
        group
    }

    /// Whether all of them are among `specs` and have values that they can have.
    pub fn check(&self, specs: &[OptionSpec]) -> Result<(), OptionError> {
        for (name, text) in &self.pairs {
            let error = |why: String| OptionError { name: name.clone(), why };
            let spec = specs.iter().find(|spec| spec.name == name);
            let spec = spec.ok_or_else(|| error("is not an option here".to_owned()))?;
            spec.check(text, self.written).map_err(error)?;
        }
        Ok(())
    }

    /// The name of the first.
    pub fn first(&self) -> Option<&str> {
        self.pairs.first().map(|(name, _)| name.as_str())
    }

    /// The text of one, if it was given.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().rev().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }

    /// Adds all of a group that differ from the default.
    pub fn add<T: Options>(&mut self, group: &T) {
        self.pairs.extend(group.given().into_iter().map(|(name, text)| (name.to_owned(), text)));
    }
}

impl<T: Options> From<&T> for Given {
    fn from(group: &T) -> Given {
        let mut given = Given::default();
        given.add(group);
        given
    }
}
