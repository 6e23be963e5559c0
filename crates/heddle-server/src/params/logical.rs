//! What a query says of logical time.

use heddle_logical::{LogicalOptions, Metric, Stepping};
use heddle_store::Store;
use heddle_view::{ColourBy, LogicalView, Palette};

use super::{LONGEST_TEXT, Query};
use crate::error::Refusal;

impl Query {
    /// The metric that is asked for.
    pub(crate) fn metric(&self, store: &Store) -> Result<Metric, Refusal> {
        // The name is not said back: it may be anything.
        let found = self.get("metric").map_or(Ok(Metric::default()), |name| Metric::find(store, name));
        found.map_err(|error| Refusal::wrong(format!("`metric`: {error}")))
    }

    /// What decides phases and steps.
    pub(crate) fn logical_options(&self) -> Result<LogicalOptions, Refusal> {
        let usual = LogicalOptions::default();
        let phase_function = self.get("phase-function").map(str::to_owned);
        if phase_function.as_ref().is_some_and(|name| name.len() > LONGEST_TEXT) {
            return Err(Refusal::wrong(format!("`phase-function` must have at most {LONGEST_TEXT} bytes")));
        }
        Ok(LogicalOptions {
            common_caller: self.flag("common-caller", usual.common_caller)?,
            wait_all: self.flag("wait-all", usual.wait_all)?,
            coalesce_isends: self.flag("coalesce-isends", usual.coalesce_isends)?,
            leap_merge: self.flag("leap-merge", usual.leap_merge)?,
            leap_skip: self.flag("leap-skip", usual.leap_skip)?,
            same_size: self.flag("same-size", usual.same_size)?,
            merge_overlapping: self.flag("merge-overlapping", usual.merge_overlapping)?,
            collective_borders: self.flag("collective-borders", usual.collective_borders)?,
            stepping: self.word_or("stepping", &Stepping::WORDS, usual.stepping)?,
            phase_function,
        })
    }

    /// A window of steps.
    pub(crate) fn steps(&self) -> Result<Option<(f64, f64)>, Refusal> {
        match self.range::<f64>("steps", "numbers of steps")? {
            Some((from, to)) if !from.is_finite() || !to.is_finite() => {
                Err(Refusal::wrong("`steps` must be FROM:TO, two numbers"))
            }
            steps => Ok(steps),
        }
    }

    /// What only views of logical time heed.
    pub(super) fn logical(&self, store: &Store) -> Result<LogicalView, Refusal> {
        let usual = LogicalView::default();
        let finite = |name: &str, range: Option<(f64, f64)>| match range {
            Some((from, to)) if !from.is_finite() || !to.is_finite() => {
                Err(Refusal::wrong(format!("`{name}` must be FROM:TO, two numbers")))
            }
            range => Ok(range),
        };
        Ok(LogicalView {
            steps: self.steps()?,
            metric: self.metric(store)?,
            range: finite("range", self.range("range", "values of the metric")?)?,
            relative: self.flag("relative", usual.relative)?,
            aggregates: self.flag("aggregates", usual.aggregates)?,
            messages: self.flag("messages", usual.messages)?,
            colour: self.get("colour").map(|_| self.word("colour", &ColourBy::WORDS)).transpose()?,
            palette: self.word_or("palette", &Palette::WORDS, usual.palette)?,
            path: self.flag("path", usual.path)?,
        })
    }
}
