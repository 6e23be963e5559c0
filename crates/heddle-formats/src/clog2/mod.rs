//! CLOG-2, the event logs of MPE2: blocks of fixed size with the records of all processes in the order of time.
//!
//! Written from the description of versions 02.10 to 02.44, whose layouts differ; all of them are read, in both byte
//! orders, merged or as the working files of single processes, of which several may be given together.
//!
//! A log is read twice. Names of states stand at its end, and who is who in a communicator somewhere in the middle, so
//! the first pass collects definitions and the second decodes events. Both cut the log into stretches of whole records
//! and work on several at once.
//!
//! - A state is entered by its start event and left by its end event. A state nested in itself is nested here, where the
//!   library's own converter lets the two overlap: numbers and total times are the same.
//! - Ids without a definition are told by their numbers: those of MPI functions are fixed.
//! - The wrapper records no requests: a receive stands where it completes, which for `MPI_Irecv` is inside the wait.
//! - Collectives are states, without root or length. In an intercommunicator both sides log them under their own group,
//!   so there they are two. Versions 02.10 and 02.20 name no communicator: their collectives are those of the world,
//!   unless the program made other communicators, and then they are left out.
//! - What a program attached to a state becomes a mark inside it, since a span has no text.
//! - The communicator table at the end of a file repeats what its records say.

mod colours;
mod comms;
mod cut;
mod decode;
pub(crate) mod event_text;
mod events;
pub(crate) mod known;
mod places;
mod preamble;
mod recent;
mod record;
pub(crate) mod scan;
#[doc(hidden)]
pub mod write;

use std::io::Read;

use heddle_model::{Definitions, Ns, WarningKind, Warnings};
use rayon::prelude::*;

use comms::{Comms, FileComms};
use cut::{Cutter, Stretch};
use decode::{Decoded, Decoder};
use events::Events;
use places::{Places, world_size};
use preamble::{PREAMBLE, Preamble};
use scan::Scan;

use crate::spare::Spare;
use crate::{Gather, Gathered, Input, OpenError, stream};

/// Whether a file begins like a CLOG-2 log.
pub fn recognise(head: &[u8]) -> bool {
    head.starts_with(b"CLOG-02.")
}

/// Reads a log, or the working files of several processes of one run.
pub fn open<'a>(input: &Input<'a>) -> Result<Gathered<'a>, OpenError> {
    let mut warnings = Warnings::default();
    let preambles: Vec<Preamble> =
        input.names.iter().map(|name| read_preamble(input, name, &mut warnings)).collect::<Result<_, _>>()?;
    let mut scans = Vec::new();
    for (name, preamble) in input.names.iter().zip(&preambles) {
        let mut scan = Scan::default();
        let odd = pass(
            input,
            name,
            preamble,
            |stretch| Scan::of(stretch, preamble),
            |part| {
                scan.merge(part);
                Ok(())
            },
        )?;
        warnings.merge(&odd);
        scans.push((name.clone(), scan));
    }
    let events = Events::of(&scans, &mut warnings);
    let files: Vec<(&Preamble, &Scan)> = preambles.iter().zip(scans.iter().map(|(_, scan)| scan)).collect();
    let first_name = input.names.first().map_or("", String::as_str);
    let world = world_size(&files, first_name, &mut warnings);
    let mut comms = Comms::new(world);
    let file_comms: Vec<FileComms> = files.iter().map(|(preamble, scan)| comms.add_file(preamble, scan)).collect();
    warnings.add_many(
        WarningKind::Corrupt,
        comms.outside,
        || first_name.to_owned(),
        "communicators name ranks beyond the size of the world; they were left out",
    );
    let places = Places::of(&files, &comms, &file_comms, world);
    let mut gather = Gather::new(input.scratch, input.memory);
    let mut last = vec![None; places.locations.len()];
    for (at, (preamble, scan)) in files.iter().enumerate() {
        let name = &input.names[at];
        let lost = scan.lines.iter().filter(|line| places.is_stray(at, **line)).count() as u64;
        let text = "lines of processes that no record introduces; they are shown as rows of their own";
        warnings.add_many(WarningKind::UndefinedReference, lost, || name.clone(), text);
        let decoder = Decoder {
            preamble,
            file: name,
            events: &events,
            all_comms: &comms,
            comms: &file_comms[at],
            lines: &places.lines[at],
            main: &places.main,
            shifts: if preamble.finalised { &[] } else { &scan.shifts },
            has_collectives: !makes_nameless_communicators(preamble, scan),
            spare: Spare::default(),
        };
        if !decoder.has_collectives {
            let text = "this version does not say which communicator a collective belongs to; collectives are left out";
            warnings.add(WarningKind::DoubtfulCollectives, || name.clone(), text);
        }
        pass(
            input,
            name,
            preamble,
            |stretch| decoder.decode(stretch),
            |part| add(&mut gather, &mut last, part, &decoder, &mut warnings),
        )?;
    }
    let definitions = Definitions {
        creator: preambles.first().map(|preamble| format!("MPE2, {}", preamble.version)).unwrap_or_default(),
        communicators: comms.define(&places.main),
        world: places.main.to_vec(),
        system_tree: places.system_tree,
        locations: places.locations,
        regions: events.regions,
        ..Definitions::default()
    };
    Ok(gather.finish("clog2", definitions, warnings))
}

/// Whether a log of the oldest versions tells of communicators beside the world.
fn makes_nameless_communicators(preamble: &Preamble, scan: &Scan) -> bool {
    preamble.layout.old && scan.comm_events.iter().any(|event| (102..=105).contains(&event.kind))
}

fn read_preamble(input: &Input, name: &str, warnings: &mut Warnings) -> Result<Preamble, OpenError> {
    let mut head = Vec::new();
    let stream = stream(input.files, name).map_err(OpenError::unreadable(name))?;
    let read = stream.take(PREAMBLE as u64 + 64).read_to_end(&mut head);
    if head.is_empty() {
        read.map_err(OpenError::unreadable(name))?;
    }
    Preamble::parse(&head, name, warnings)
}

/// Walks through a file, several stretches at once; `take` gets their results in order. Tells what was odd about the
/// file's structure.
fn pass<T: Send>(
    input: &Input,
    name: &str,
    preamble: &Preamble,
    work: impl Fn(&Stretch) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), OpenError>,
) -> Result<Warnings, OpenError> {
    let mut stream = stream(input.files, name).map_err(OpenError::unreadable(name))?;
    let _ = std::io::copy(&mut (&mut stream).take(PREAMBLE as u64), &mut std::io::sink());
    let at_once = rayon::current_num_threads().max(1);
    // Two rounds are in memory at a time, and records take about as much as the bytes that they come from.
    let share = input.memory / (16 * at_once as u64);
    let window = usize::try_from(share).unwrap_or(usize::MAX).clamp(1 << 18, 1 << 22);
    let mut cutter = Cutter::new(stream, preamble, name, window);
    let mut stretches = cutter.several(at_once);
    // A file is read twice, so a byte counts for half. Unpacked there may be more of them than the file has.
    let mut left = input.files.len(name).ok().flatten().unwrap_or(0) / 2;
    while !stretches.is_empty() {
        let bytes = stretches.iter().map(|stretch| stretch.bytes.len() as u64).sum::<u64>() / 2;
        let (next, results) =
            rayon::join(|| cutter.several(at_once), || stretches.par_iter().map(&work).collect::<Vec<T>>());
        results.into_iter().try_for_each(&mut take)?;
        if !(input.go_on)(bytes.min(left)) {
            return Err(OpenError::Cancelled);
        }
        left -= bytes.min(left);
        cutter.give_back(std::mem::replace(&mut stretches, next));
    }
    Ok(cutter.warnings)
}

/// Adds the records of a stretch to those before.
fn add(
    gather: &mut Gather,
    last: &mut [Option<Ns>],
    part: Decoded,
    decoder: &Decoder,
    warnings: &mut Warnings,
) -> Result<(), OpenError> {
    let name = decoder.file;
    warnings.merge(&part.warnings);
    if let Some(first) = part.first {
        gather.begins(first);
    }
    let mut added = 0;
    for (location, mut block) in part.blocks {
        let Some(before) = last.get_mut(location.index()) else { continue };
        if let Some(before) = *before {
            let raised = block.raise(before);
            let text = "times go backwards within a location; they were raised to the time before";
            warnings.add_many(WarningKind::TimeFalls, raised, || format!("{name}, location {}", location.0), text);
        }
        *before = block.last.max(*before);
        added += block.bytes();
        gather.block(location).append_from(&mut block, 0);
        decoder.give_back(block);
    }
    gather.settle(added).map_err(OpenError::unreadable(name))
}
