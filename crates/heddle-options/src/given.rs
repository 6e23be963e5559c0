//! Options as somebody gave them: names and texts, not yet read.

use std::sync::Arc;

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
    /// Names and texts of files that options may name.
    files: Arc<[(String, String)]>,
}

impl Given {
    /// Options that a program wrote: the page, in a question or a link.
    pub fn by_program(pairs: impl IntoIterator<Item = (String, String)>) -> Given {
        Given { pairs: pairs.into_iter().collect(), written: Written::ByProgram, ..Given::default() }
    }

    /// Options that a person typed.
    pub fn by_hand(pairs: impl IntoIterator<Item = (String, String)>) -> Given {
        Given { pairs: pairs.into_iter().collect(), written: Written::ByHand, ..Given::default() }
    }

    /// The same with files that options may name, by their names and texts. Whoever reads options never opens a file.
    #[must_use]
    pub fn with_files(self, files: Arc<[(String, String)]>) -> Given {
        Given { files, ..self }
    }

    /// The same with another value of one option.
    #[must_use]
    pub fn with(mut self, name: &str, text: &str) -> Given {
        self.pairs.retain(|(known, _)| known != name);
        self.pairs.push((name.to_owned(), text.to_owned()));
        self
    }

    /// Takes over the files that came along with other options.
    pub fn take_files(&mut self, from: &Given) {
        self.files = Arc::clone(&from.files);
    }

    /// The text of a file that an option names.
    pub fn file(&self, name: &str) -> Option<&str> {
        self.files.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
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

    /// The same, and those of others that were not given here; with the files of the others.
    #[must_use]
    pub fn or(mut self, others: &Given, is_wanted: impl Fn(&str) -> bool) -> Given {
        for (name, text) in &others.pairs {
            if is_wanted(name) && self.get(name).is_none() {
                self.pairs.push((name.clone(), text.clone()));
            }
        }
        self.take_files(others);
        self
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
