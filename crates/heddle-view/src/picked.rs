//! What lies under the pointer, in words.

use heddle_model::RegionId;
use serde::Serialize;

use crate::names::SpanName;
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
    /// The span that a click selects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<SpanName>,
    /// The region it stands for.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "crate::names::region_number")]
    pub region: Option<RegionId>,
    /// Where it is drawn.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub area: Option<Rect>,
}
