//! Traces in the Paje format: SimGrid with SMPI, StarPU, and whoever else writes it. [`pj_dump`] is the same as a table.
//!
//! The format followed is that of the Paje trace file description (Schnorr, de Oliveira Stein, Chassin de Kergommeaux)
//! with the field names of its first edition as synonyms. A file is lines of words. Its head defines, for each event
//! number, which fields the lines have; everything here goes by the names of those fields. Reading goes in three
//! stages that run at the same time: blocks of lines are read, decoded side by side, and applied in the order of the file.
//!
//! What becomes what: the tree of containers is the system tree; each state type of a container is a location, as are
//! its counters, and its links; states are spans, links are messages, variables are metrics, events are marks.
//!
//! Where producers deviate:
//! - Dates have no unit. It is seconds by convention; StarPU writes milliseconds. [`Options::unit`] overrides.
//! - Containers may be used without having been created (StarPU), lines may have fewer fields than their definition
//!   (SimGrid's topology), two types may have one name. The reference reader gives up on each; we go on and count.
//! - SMPI's keys name the ends of a message but pair wrongly once an end is missing, and name the partner of a
//!   Sendrecv wrongly. Messages are paired by MPI's own rule instead. Communicators do not occur in the files.
//! - StarPU sets a task's state twice at the same instant, without and with its fields: that is one span. Of a file that is
//!   called `paje.trace`, what its converter writes beside it is read too: see [`crate::starpu`].

mod apply;
mod builder;
mod collectives;
mod decode;
mod dialect;
mod finish;
mod header;
pub(crate) mod lines;
mod links;
pub(crate) mod number;
mod odd;
pub mod pj_dump;
mod tables;
mod words;

use std::io;

use heddle_model::{WarningKind, Warnings};
use rayon::prelude::*;

use apply::{Applier, UserFields};
use builder::Builder;
use decode::{Decoded, Head, decode};
use dialect::Dialect;
use header::Layouts;
use lines::{Block, Lines};
pub use number::Unit;
use tables::Tables;

use crate::files::Counting;
use crate::spare::Spare;
use crate::starpu::beside::{self, Beside};
use crate::{Gather, Gathered, Input, OpenError, head, starpu, stream};

/// How to read a trace. The default leaves everything to the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// What dates count; by default what the producer is known to write.
    pub unit: Option<Unit>,
}

/// Bytes of a file's beginning by which it is recognised.
const HEAD: usize = 64 << 10;

/// Whether the beginning of a file is that of a Paje trace: comments, then a definition of an event.
pub fn recognise(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    first.and_then(|line| line.strip_prefix(b"%")).is_some_and(|line| line.trim_ascii_start().starts_with(b"EventDef"))
}

/// Reads a trace.
pub fn open<'a>(input: &Input<'a>) -> Result<Gathered<'a>, OpenError> {
    open_with(input, Options::default())
}

/// Reads a trace as `options` say.
pub fn open_with<'a>(input: &Input<'a>, options: Options) -> Result<Gathered<'a>, OpenError> {
    let otherwise = "not a Paje trace: its first line that is not a comment should begin with %EventDef";
    let (name, head) = recognised(input, recognise, otherwise)?;
    let dialect = Dialect::of(&head);
    let unit = options.unit.unwrap_or(dialect.unit());
    let counting = Counting::new(input.files);
    let mut lines = Lines::new(stream(&counting, name).map_err(OpenError::unreadable(name))?);
    let mut warnings = Warnings::default();
    let beside = match dialect {
        Dialect::StarPu if starpu::is_main(name) => Beside::read(input, name, beside::STARPU, &mut warnings)?,
        _ => None,
    };
    // Half of the memory is for records, or what lies beside the trace leaves of it; the rest for blocks in flight, links,
    // and names.
    let gather = Gather::new(input.scratch, if beside.is_some() { input.memory / 4 } else { input.memory / 2 });
    let mut builder = Builder::new(gather, Tables::new(dialect), input.memory / 2, dialect == Dialect::SimGrid);
    builder.beside = beside;
    let mut applier = Applier::new(builder);
    let mut layouts = Layouts::default();

    let at_once = blocks_at_once(input.memory);
    let spare = Spare::default();
    let mut read: Vec<Block> = lines.next().into_iter().collect();
    let mut decoded: Batch = Batch::default();
    let mut told = 0;
    while !read.is_empty() || !decoded.blocks.is_empty() {
        let now = counting.bytes();
        if !(input.go_on)(now - told) {
            return Err(OpenError::Cancelled);
        }
        told = now;
        let (current, previous) = (std::mem::take(&mut read), std::mem::take(&mut decoded));
        let (applied, next) = rayon::join(
            || apply_batch(&mut applier, &previous, name, &mut warnings),
            || {
                rayon::join(
                    || decode_batch(current, &mut layouts, unit, &spare),
                    || std::iter::from_fn(|| lines.next()).take(at_once).collect::<Vec<Block>>(),
                )
            },
        );
        applied.map_err(OpenError::unreadable(name))?;
        (decoded, read) = next;
        for mut block in previous.blocks {
            lines.give_back(std::mem::take(&mut block.bytes));
            spare.give_back(block);
        }
    }
    warn_of_end(&lines, name, applier.lines, &mut warnings);
    let creator = creator(&head).unwrap_or_else(|| dialect.creator().to_owned());
    Ok(applier.builder.finish("paje", creator, name, warnings))
}

/// Says if a file does not end as it should.
pub(crate) fn warn_of_end<R: io::Read>(lines: &Lines<R>, name: &str, line: u64, warnings: &mut Warnings) {
    let place = || format!("{name}, line {line}");
    if let Some(cause) = &lines.failure {
        let text = format!("the file could not be read further ({cause}); what comes before is shown");
        warnings.add(WarningKind::Truncated, place, &text);
    } else if lines.unfinished {
        warnings.add(WarningKind::Truncated, place, "the file ends in the middle of a line");
    }
}

/// The one file of the trace and its beginning, if that is what it should be; `otherwise` says that it is not.
fn recognised<'a>(
    input: &Input<'a>,
    recognise: fn(&[u8]) -> bool,
    otherwise: &str,
) -> Result<(&'a str, Vec<u8>), OpenError> {
    let [name] = input.names else {
        return Err(OpenError::Wrong {
            place: input.names.first().cloned().unwrap_or_default(),
            what: format!("a Paje trace is one file, and {} were given; open them one by one", input.names.len()),
        });
    };
    let head = head(input.files, name, HEAD).map_err(OpenError::unreadable(name))?;
    if !recognise(&head) {
        return Err(OpenError::Wrong { place: name.to_owned(), what: otherwise.to_owned() });
    }
    Ok((name, head))
}

/// How many blocks are in flight in each stage: enough for all cores, within an eighth of the memory. A block takes some
/// three times its bytes once it is decoded.
fn blocks_at_once(memory: u64) -> usize {
    let most = usize::try_from(memory / 8 / (8 << 20)).unwrap_or(usize::MAX);
    (2 * rayon::current_num_threads()).min(most).max(1)
}

/// Blocks that were decoded together.
#[derive(Default)]
struct Batch {
    blocks: Vec<Decoded>,
    fields: UserFields,
}

/// Blocks without definitions of events are decoded side by side, those with some alone.
fn decode_batch(blocks: Vec<Block>, layouts: &mut Layouts, unit: Unit, spare: &Spare<Decoded>) -> Batch {
    let mut decoded = Vec::with_capacity(blocks.len());
    let mut plain: Vec<Block> = Vec::new();
    let side_by_side = |plain: &mut Vec<Block>, layouts: &Layouts, decoded: &mut Vec<Decoded>| {
        let blocks = std::mem::take(plain).into_par_iter();
        decoded.par_extend(blocks.map(|block| decode(block, Head::Fixed(layouts), unit, spare.take())));
    };
    for block in blocks {
        if block.has_header {
            side_by_side(&mut plain, layouts, &mut decoded);
            decoded.push(decode(block, Head::Growing(layouts), unit, spare.take()));
        } else {
            plain.push(block);
        }
    }
    side_by_side(&mut plain, layouts, &mut decoded);
    Batch { blocks: decoded, fields: UserFields { names: layouts.user_names().to_vec() } }
}

fn apply_batch(applier: &mut Applier, batch: &Batch, name: &str, warnings: &mut Warnings) -> io::Result<()> {
    for block in &batch.blocks {
        block.report(name, applier.lines + 1, warnings);
        applier.block(block, &batch.fields);
        let added = std::mem::take(&mut applier.builder.added);
        applier.builder.gather.settle(added)?;
    }
    Ok(())
}

/// What SimGrid says about itself in the first line.
fn creator(head: &[u8]) -> Option<String> {
    let line = head.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    Some(line.split_once("generated using ")?.1.trim().to_owned())
}
