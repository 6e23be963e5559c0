//! Writes a trace as an OTF2 archive.
