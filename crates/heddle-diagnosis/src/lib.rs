//! What is wrong with a run, who did it, since when and what it costs; or that nothing is.
//!
//! The way of the analysis, each stage a module:
//!
//! ```text
//! store ─▶ rows (who computes and communicates) ─▶ waits ─▶ delays ─┐
//!                                               └▶ path, replay ────┼─▶ diagnosis: verdict and findings
//! store ─▶ clocks, detect (who is slower), links (what is slower) ──┘
//! ```
//!
//! * [`suspect`] is what detection hands over: somebody who differs from peers beyond chance, and by how much. A suspect is
//!   no finding yet: that takes a cost.
//! * [`finding`] is what users read: a suspect with what it made others wait, and what the run would take without it.
//!
//! Nothing here says a sentence: words are the view's. Nothing here depends on the number of threads.

mod by_row;
pub mod clocks;
mod costs;
pub mod delays;
pub mod detect;
pub mod diagnosis;
pub mod efficiency;
pub mod finding;
pub mod gpu;
mod histogram;
pub mod hybrid;
mod kept;
pub mod links;
mod marks;
pub mod memory;
pub mod on_path;
pub mod path;
pub mod patterns;
mod profile;
mod replay;
pub mod rows;
pub mod run;
pub mod suspect;
pub mod tasks;
pub mod waits;
