//! The case studies of `heddle demo`, as data: what is simulated, the tour through it, and its figures in the gallery.
//!
//! A case is a file of its own. Nothing else knows which there are: the command, the page's tour, the end-to-end tests
//! and `cargo xtask gallery` all take them from [`CASES`]. Simulations are the same on every machine, so a view can name
//! its window to the nanosecond and a text may say which rank is late.

mod culprit;
mod fat_tree;
mod halo;
mod large;
mod mappings;
mod merge_tree;
mod multigrid;
mod pf3d;
mod scalapack;
mod tasks;
mod train;

use heddle_model::Source;
use heddle_simulate::SimulateError;
use serde::Serialize;

/// All case studies, the one to begin with first.
pub(crate) static CASES: &[&Case] = &[
    &scalapack::CASE,
    &culprit::CASE,
    &pf3d::CASE,
    &mappings::CASE,
    &fat_tree::CASE,
    &merge_tree::CASE,
    &multigrid::CASE,
    &train::CASE,
    &tasks::CASE,
    &halo::CASE,
    &large::CASE,
];

/// A program, what happened to it, and how to see that.
#[derive(Debug, Serialize)]
pub(crate) struct Case {
    /// As on the command line.
    pub(crate) name: &'static str,
    /// A few words.
    pub(crate) title: &'static str,
    /// One line for the list.
    pub(crate) summary: &'static str,
    /// A paragraph for the gallery.
    pub(crate) about: &'static str,
    /// The traces, side by side in one server.
    pub(crate) runs: &'static [Run],
    /// The tour. Its first stop is the view that the page opens with.
    pub(crate) stops: &'static [Stop],
    /// What the gallery shows of it.
    pub(crate) figures: &'static [Figure],
}

/// A simulated trace.
#[derive(Debug, Serialize)]
pub(crate) struct Run {
    /// Its name in the page, in addresses and of its store. No two cases share one.
    pub(crate) name: &'static str,
    /// Makes it.
    #[serde(skip)]
    pub(crate) simulate: fn() -> Result<Box<dyn Source>, SimulateError>,
}

/// A saved view, with what to look at.
#[derive(Debug, Serialize)]
pub(crate) struct Stop {
    /// A few words.
    pub(crate) title: &'static str,
    /// Some sentences. Names in backquotes that are functions get their colour in the page.
    pub(crate) text: &'static str,
    /// The view as the page writes it into its address.
    pub(crate) view: &'static str,
}

/// A picture of the gallery.
#[derive(Debug, Serialize)]
pub(crate) struct Figure {
    /// Its file, without the ending.
    pub(crate) file: &'static str,
    /// Which run.
    pub(crate) run: &'static str,
    /// The view, and the options of `heddle render`.
    pub(crate) render: &'static str,
    /// What it shows, in a sentence.
    pub(crate) caption: &'static str,
}

/// The case of this name.
pub(crate) fn find(name: &str) -> Option<&'static Case> {
    CASES.iter().find(|case| case.name == name).copied()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_different_and_fit_for_files_and_addresses() {
        let mut taken = HashSet::new();
        let runs = CASES.iter().flat_map(|case| case.runs).map(|run| ("run", run.name));
        let figures = CASES.iter().flat_map(|case| case.figures).map(|figure| ("figure", figure.file));
        for (kind, name) in CASES.iter().map(|case| ("case", case.name)).chain(runs).chain(figures) {
            assert!(taken.insert((kind, name)), "two are called {name}");
            assert!(name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-'), "{name}");
        }
    }

    #[test]
    fn every_case_has_a_tour_and_a_figure_of_its_own_runs() {
        for case in CASES {
            let has = |name: &str| case.runs.iter().any(|run| run.name == name);
            assert!((3..=8).contains(&case.stops.len()) && !case.figures.is_empty(), "{}", case.name);
            for stop in case.stops {
                let fields: Vec<(&str, &str)> =
                    stop.view.split('&').map(|field| field.split_once('=').unwrap_or_default()).collect();
                assert_eq!(fields[0], ("v", "1"), "{}: {}", case.name, stop.view);
                assert!(fields[1].0 == "trace" && has(fields[1].1), "{}: {}", case.name, stop.view);
                // The card stands in a side of the page.
                assert!(stop.title.len() <= 40 && stop.text.len() <= 480, "{}: {}", case.name, stop.title);
            }
            assert!(case.stops.windows(2).all(|two| two[0].view != two[1].view), "{}", case.name);
            assert!(case.figures.iter().all(|figure| has(figure.run)), "{}", case.name);
        }
    }

    #[test]
    fn runs_that_a_tour_compares_in_logical_time_have_one_scale() {
        let fields = |stop: &Stop| -> Vec<&'static str> {
            stop.view.split('&').filter(|field| !field.starts_with("trace=")).collect()
        };
        let mut compared = 0;
        for two in CASES.iter().flat_map(|case| case.stops.windows(2)) {
            let is_comparison = two[0].view != two[1].view && fields(&two[0]) == fields(&two[1]);
            if is_comparison && two[0].view.contains("logical") {
                compared += 1;
                assert!(two[0].view.contains("&range="), "{} has a scale of its own", two[0].view);
            }
        }
        assert!(compared >= 2, "merge trees of 1,024 and of 16,384 ranks");
    }
}
