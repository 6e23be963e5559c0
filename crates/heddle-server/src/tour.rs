//! A tour through the traces: saved views, each with some words about what to look at.
//!
//! The server hands it to the page and knows no more about it: what a view's text means is the page's business.

use serde::Serialize;

/// A tour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tour {
    /// What it is about, in a few words.
    pub title: String,
    /// Its stops, in order. The page opens with the first.
    pub stops: Vec<Stop>,
}

/// A stop of a tour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stop {
    /// A few words.
    pub title: String,
    /// Some sentences of plain text; names in backquotes stand out.
    pub text: String,
    /// The view, as the page writes it into its address after the `#`.
    pub view: String,
}
