//! Questions that have words for an answer instead of a picture: details of what is selected, why it is late, what stands
//! out, what lies in a rectangle, where something is. As pure as the views.

pub(crate) mod area;
pub(crate) mod brush;
pub(crate) mod cause;
pub mod cluster;
pub(crate) mod details;
pub(crate) mod diagnosis;
pub(crate) mod find;
pub(crate) mod findings;
pub(crate) mod largest;
pub(crate) mod lasting;
pub(crate) mod messages;
pub(crate) mod network;
pub(crate) mod notes;
pub(crate) mod progress;
pub(crate) mod search;
pub(crate) mod stage_parts;
pub(crate) mod stages;
pub(crate) mod target;
pub(crate) mod waited;
