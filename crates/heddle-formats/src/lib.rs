//! Trace formats, one module each: bytes in, model records out.
//!
//! A reader knows no paths, sockets or clocks. It gets the files of a trace by name through [`Files`],
//! offers what it found as a [`heddle_model::Source`], survives any bytes, and says what was odd.

pub mod boxfish;
pub mod chrome;
mod clog1;
pub mod clog2;
mod files;
#[doc(hidden)]
pub mod fuzz;
mod gather;
mod input;
mod lanes;
pub mod otf2;
mod packed;
pub mod paje;
pub mod paraver;
mod parquet;
mod registry;
mod runs;
pub mod slog2;
mod spare;
pub mod starpu;
mod stream;
mod written;
pub mod yaml;

pub use files::{FileSink, Files, MemoryFiles};
pub use gather::{Gather, Gathered, MemoryScratch, Scratch};
pub use input::{Input, OpenError};
pub use registry::{FORMATS, Format, HEAD, known_but_not_read, recognise};
pub use stream::{Compression, head, stream, unpacking_memory};
pub use written::{Output, Write, WriteError, WriteSummary};
