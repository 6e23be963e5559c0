//! OTF2.

mod write;

pub use write::write;
