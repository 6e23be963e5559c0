//! Trace formats, one module each: bytes in, model records out.
//!
//! A reader knows no paths, sockets or clocks. It gets the files of a trace by name through [`Files`],
//! offers what it found as a [`heddle_model::Source`], survives any bytes, and says what was odd.

mod files;
#[doc(hidden)]
pub mod fuzz;
pub mod otf2;

pub use files::{FileSink, Files, MemoryFiles};
