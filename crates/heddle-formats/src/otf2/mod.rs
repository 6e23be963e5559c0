//! OTF2: the archive format of Score-P, EZTrace and many others.
//!
//! Read natively, without the C library: [`Archive`] is a [`heddle_model::Source`] over the files of an
//! archive. [`write()`] makes one from any source.
//!
//! How the modules fit together: `bytes` decodes primitives, `framing` walks chunks and records,
//! `anchor`, `raw_definitions` and `local` read the three kinds of definition file, `resolve` turns
//! file ids into the model's, `clock` puts all locations on one time, `events` is the hot loop, and
//! `source` ties them together.

mod anchor;
mod bytes;
mod clock;
mod enumerations;
mod events;
mod framing;
mod ids;
mod local;
mod local_cache;
mod raw_definitions;
mod resolve;
mod source;
mod text;
mod write;

pub use anchor::AnchorError;
pub use source::{Archive, OpenError};
pub use write::*;

/// Whether a file begins as an OTF2 anchor does.
pub fn recognise(head: &[u8]) -> bool {
    anchor::is_anchor(head)
}
