//! The store: a trace as columns on disk, mapped into memory, with the indexes that views need.
//!
//! [`import`] turns any trace that [`heddle_formats`] reads into a directory `NAME.heddle/`, and [`Store::open`] maps it. Design constraints, in order:
//!
//! * memory is bounded by a budget, not by the trace; a finished store opens in milliseconds;
//! * a store is whole or not there: it is built beside its place and renamed;
//! * the result is the same on any number of cores;
//! * anybody can read it: small tables are Arrow files that pandas, Polars and DuckDB open without us, large ones are packed as
//!   `docs/packed.md` says.

mod access;
pub mod block;
mod build;
mod column;
mod counter;
mod definitions;
mod derived;
mod disk;
mod error;
mod import;
pub mod index;
mod limits;
mod long_list;
mod map;
mod meta;
mod names;
mod network;
mod notes;
mod packed;
mod place;
pub mod progress;
mod source_state;
mod store;
mod store_source;
pub mod table;
pub mod tables;
mod trace_files;

pub use access::create_private_directory;
pub use block::{Block, Columns, Cursor};
pub use column::{BATCH_ROWS, Cell, Column, Fixed, TextColumn, pieces};
pub use counter::{Counter, CounterSeries};
pub use derived::Derived;
pub use disk::{DiskFiles, DiskScratch};
pub use error::StoreError;
pub use heddle_formats::Scratch;
pub use import::{ImportOptions, Imported, import, import_all, open_or_import, open_or_import_all, store_simulation};
pub use long_list::{LongList, Room};
pub use map::check_all_read;
pub use meta::{FORMAT_VERSION, Summary};
pub use names::{name_to_text, text_to_name};
pub use network::NetworkTables;
pub use notes::{Draft, Note, Notes, NotesError, notes_json};
pub use place::{StorePlace, default_memory};
pub use progress::{NoProgress, Progress, Work};
pub use store::Store;
pub use store_source::{StoreSource, conversion_memory};
pub use table::{Rows, TableWriter, write_table};
pub use trace_files::{TraceFiles, check_kind, group_traces, open_trace, open_traces, shown_name, stem_of};
