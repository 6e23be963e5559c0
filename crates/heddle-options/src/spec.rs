//! What an option is, as data: for the command line and for the page.

use crate::{OptionValue, Written};

/// An option.
#[derive(Clone, Debug)]
pub struct OptionSpec {
    /// Its name in links and questions, and on the command line after `--`.
    pub name: &'static str,
    /// A few words for a control of the page; empty if the name says enough.
    pub title: &'static str,
    /// What it does, in a sentence without a full stop.
    pub help: String,
    /// What values it may have.
    pub kind: Kind,
    /// The text of its default; empty for none.
    pub default: String,
    check: fn(&str, Written) -> Result<(), String>,
}

/// What values an option may have.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// On or off: `1` or `0`. On the command line a flag that changes the default.
    Switch,
    /// One of a few words.
    Word(Vec<&'static str>),
    /// `FROM:TO`.
    Range {
        /// Only whole numbers.
        is_whole: bool,
        /// The least value.
        least: f64,
        /// The largest.
        most: f64,
        /// How the command line names it: `A:B`.
        value_name: &'static str,
    },
    /// A number.
    Number {
        /// Only whole ones.
        is_whole: bool,
        /// The least.
        least: f64,
        /// The largest.
        most: f64,
    },
    /// The number of something in the trace, or none.
    Id,
    /// Text of at most so many bytes.
    Text {
        /// The most bytes.
        longest: usize,
        /// How the command line names it: `NAME`.
        value_name: &'static str,
    },
}

impl OptionSpec {
    /// Describes an option with this default. Called by [`options!`](crate::options!).
    pub fn new<T: OptionValue>(name: &'static str, title: &'static str, help: &str, default: &T) -> OptionSpec {
        OptionSpec {
            name,
            title,
            help: help.trim().to_owned(),
            kind: T::kind(),
            default: default.write(),
            check: |text, written| T::read(text, written).map(drop),
        }
    }

    /// Whether a text is a value of this option; if not, what it must be.
    pub fn check(&self, text: &str, written: Written) -> Result<(), String> {
        (self.check)(text, written)
    }

    /// What follows `--` on the command line. A switch that is on by default is turned off there.
    pub fn flag(&self) -> String {
        if self.kind == Kind::Switch && self.default == "1" {
            format!("no-{}", self.name)
        } else {
            self.name.to_owned()
        }
    }
}
