//! What lies under the pointer, in words.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::request::selection::Selection;
use crate::scene::{Rect, Rgba};

/// What a view says about a place in its picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Picked {
    /// What it is. Hostile text.
    pub title: String,
    /// Its colour.
    pub colour: Rgba,
    /// What there is to say about it, a line each.
    pub lines: Vec<String>,
    /// What a click selects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<Selection>,
    /// The joint of a hierarchy that a click opens or closes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toggles: Option<u32>,
    /// Options that a click sets, by name, and their values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sets: Option<BTreeMap<&'static str, String>>,
    /// Where it is drawn.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub area: Option<Rect>,
}
