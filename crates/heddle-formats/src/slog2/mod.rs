//! SLOG-2, the logs that the Jumpshot viewer opens: states, arrows and events in a tree of time boxes.
//!
//! Written from the description of version 2.0.6, the only one that is read. A log is converted from another, nearly
//! always from CLOG-2; where both are there, the other one knows more.
//!
//! All nodes are read through the tree's directory, in the order of their beginnings. If the directory is lost, as in a
//! file that was cut, nodes are found one after the other from the first, and categories and lines, which stand behind
//! them, are told by their numbers. The summaries that nodes hold of their children are not needed.
//!
//! - A state nested in itself comes from the converter with its ends exchanged; they are changed back.
//! - An arrow becomes a send and a receive. Between two processes those of one tag are matched in order, which is how
//!   the converter made them.
//! - The converter leaves length 0 in arrows whose receive it met before the send.
//! - A log does not say who was in a communicator, only who did something in it.
//! - The directory has 34 bytes for a node.

mod fields;
mod lines;
mod node;
mod order;
mod tables;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Read};

use heddle_model::{
    CollectiveOp, Definitions, MarkText, MessageEnd, Ns, Region, RegionId, RequestId, WarningKind, Warnings,
};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::clog2::{known, scan::nanoseconds};
use crate::input::size as size_in_words;
use crate::{Compression, Files, Gather, Gathered, Input, OpenError, Scratch, head, stream};
use fields::Fields;
use lines::Lines;
use node::{Drawable, Node};
use order::{InOrder, What};
use tables::{Category, HEADER, Header, NODE_HEAD, NodePlace, Pointer, Shape, VERSION};

/// Bytes of nodes that are read at once.
const ROUND: u64 = 8 << 20;

/// Whether a file begins like a SLOG-2 log, of any version.
pub fn recognise(head: &[u8]) -> bool {
    head.starts_with(&VERSION[..VERSION.len() - 3])
}

/// Reads a log.
pub fn open<'a>(input: &Input<'a>) -> Result<Gathered<'a>, OpenError> {
    let Some(name) = input.names.first() else {
        return Err(OpenError::Wrong { place: String::new(), what: "no file was given".to_owned() });
    };
    let head = head(input.files, name, HEADER as usize).map_err(OpenError::unreadable(name))?;
    if !head.starts_with(VERSION) {
        let what = "not SLOG 2.0.6, the only version of SLOG-2 that can be read; convert the log again from its source";
        return Err(OpenError::Wrong { place: format!("{name} byte 0"), what: what.to_owned() });
    }
    let header = Header::parse(&head);
    let bytes = Bytes::of(input, name, &header)?;
    let mut warnings = Warnings::default();
    for other in &input.names[1..] {
        let text = "only one SLOG-2 log is read at a time; this one was ignored";
        warnings.add(WarningKind::UnusedRecords, || other.clone(), text);
    }
    let block = |pointer: Pointer| match pointer {
        Some((offset, size)) => bytes.read(offset, size).map_err(OpenError::unreadable(name)),
        None => Ok(Vec::new()),
    };
    let (categories, whole) = tables::categories(&block(header.categories)?);
    let (maps, whole_maps) = tables::line_maps(&block(header.lines)?);
    for (whole, pointer, text) in [
        (whole, header.categories, "the categories are damaged; missing ones were identified by their numbers"),
        (whole_maps, header.lines, "the tables of lines are damaged; a line that they lack is a row of its own"),
    ] {
        if !whole {
            let offset = pointer.map_or(0, |(offset, _)| offset);
            warnings.add(WarningKind::Corrupt, || format!("{name} byte {offset}"), text);
        }
    }
    let nodes = find_nodes(&bytes, name, header.directory, &block(header.directory)?, &mut warnings)
        .map_err(OpenError::unreadable(name))?;
    let mut gather = Gather::new(input.scratch, input.memory);
    let mut reader = Reader {
        file: name,
        categories: Categories::of(categories),
        lines: Lines::of(&maps),
        order: InOrder::new(&mut gather),
        warnings,
    };
    reader.read_nodes(input, &bytes, &nodes)?;
    let Reader { categories, lines, order, mut warnings, .. } = reader;
    order.finish(name, &mut warnings);
    categories.check(name, &mut warnings);
    let text = "lines that no table explains; they are shown as rows of their own";
    warnings.add_many(WarningKind::UndefinedReference, lines.strays, || name.clone(), text);
    let definitions = Definitions {
        creator: "SLOG 2.0.6".to_owned(),
        system_tree: lines.system_tree,
        locations: lines.locations,
        regions: categories.regions,
        communicators: lines.communicators,
        world: lines.world,
        ..Definitions::default()
    };
    Ok(gather.finish("slog2", definitions, warnings))
}

/// The log's bytes at any place.
struct Bytes<'a> {
    place: Place<'a>,
    length: u64,
    /// Most that is read at once.
    most: u64,
}

/// Where they are: in the log's file, or unpacked in the scratch space from a byte on.
enum Place<'a> {
    File(&'a dyn Files, &'a str),
    Unpacked(&'a dyn Scratch, u64),
}

impl<'a> Bytes<'a> {
    fn of(input: &Input<'a>, name: &'a str, header: &Header) -> Result<Bytes<'a>, OpenError> {
        let mut head = Vec::new();
        input.files.read(name, 0..16, &mut head).map_err(OpenError::unreadable(name))?;
        // A node has 64 KiB, a directory some bytes per node.
        let most = (input.memory / 4).max(1 << 20);
        if Compression::of(&head).is_none() {
            let length = input.files.len(name).map_err(OpenError::unreadable(name))?.unwrap_or(0);
            return Ok(Bytes { place: Place::File(input.files, name), length, most });
        }
        let (start, length) = unpack(input, name, header.end)?;
        Ok(Bytes { place: Place::Unpacked(input.scratch, start), length, most })
    }

    /// Shorter than asked where the log ends.
    fn read(&self, offset: u64, size: u64) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        let end = offset.saturating_add(size).min(self.length);
        if end.saturating_sub(offset) > self.most {
            let (found, most) = (size_in_words(end - offset), size_in_words(self.most));
            let text = format!("a block of {found} at byte {offset} is more than the {most} that memory allows for");
            return Err(io::Error::new(io::ErrorKind::OutOfMemory, format!("{text}; allow more with --memory")));
        }
        if offset < end {
            match self.place {
                Place::File(files, name) => files.read(name, offset..end, &mut out)?,
                Place::Unpacked(scratch, start) => scratch.read(start + offset..start + end, &mut out)?,
            }
        }
        Ok(out)
    }
}

/// Unpacks a log, which is read out of order, into the scratch space: as much as its header says that it has. Returns where
/// it begins there and how long it is.
fn unpack(input: &Input, name: &str, length: Option<u64>) -> Result<(u64, u64), OpenError> {
    let takes =
        length.map_or("an unknown amount of disk".to_owned(), |length| format!("{} of disk", size_in_words(length)));
    if length.is_none_or(|length| length > input.memory) {
        (input.say)(&format!(
            "{name}: while it is imported, it takes {takes} beside the store, because it is unpacked there"
        ));
    }
    let failed = |cause: io::Error| OpenError::Wrong {
        place: name.to_owned(),
        what: format!(
            "cannot be unpacked: {cause}. It takes {takes} beside the store; make room there, name another place with \
             --store, or unpack it first"
        ),
    };
    let mut stream = stream(input.files, name).map_err(OpenError::unreadable(name))?.take(length.unwrap_or(u64::MAX));
    let start = input.scratch.append(&[]).map_err(failed)?;
    let mut unpacked = 0;
    loop {
        let mut piece = Vec::new();
        // What was unpacked before damage is read as a file that was cut.
        let ended = (&mut stream).take(1 << 20).read_to_end(&mut piece).is_err();
        input.scratch.append(&piece).map_err(failed)?;
        unpacked += piece.len() as u64;
        if ended || piece.is_empty() {
            return Ok((start, unpacked));
        }
        if !(input.go_on)(0) {
            return Err(OpenError::Cancelled);
        }
    }
}

/// All nodes, by their beginning; each byte of the file is in one at most.
fn find_nodes(
    bytes: &Bytes,
    file: &str,
    pointer: Pointer,
    directory: &[u8],
    warnings: &mut Warnings,
) -> io::Result<Vec<NodePlace>> {
    let length = bytes.length;
    let mut nodes = if let Some(nodes) = tables::directory(directory) {
        nodes
    } else {
        let text = "the directory of nodes is missing or damaged; nodes were taken one after the other";
        let at = pointer.map_or(0, |(offset, _)| offset);
        let kind = if at >= length || at == 0 { WarningKind::Truncated } else { WarningKind::Corrupt };
        warnings.add(kind, || format!("{file} byte {}", at.min(length)), text);
        nodes_in_sequence(bytes)?
    };
    nodes.sort_by_key(|node| (node.offset, Reverse(node.size)));
    let mut end = 0;
    let mut lost = 0;
    nodes.retain(|node| {
        let sound = node.offset >= end && node.offset < length;
        end = if sound { node.offset.saturating_add(node.size) } else { end };
        lost += u64::from(!sound);
        sound
    });
    let text = "the directory names nodes that overlap or lie behind the end; they were left out";
    warnings.add_many(WarningKind::Corrupt, lost, || file.to_owned(), text);
    nodes.sort_by(|a, b| a.earliest.total_cmp(&b.earliest).then(b.depth.cmp(&a.depth)).then(a.offset.cmp(&b.offset)));
    Ok(nodes)
}

/// Nodes lie one behind the other from the header on, each with its own place in its head.
fn nodes_in_sequence(bytes: &Bytes) -> io::Result<Vec<NodePlace>> {
    let mut nodes = Vec::new();
    let mut at = HEADER;
    loop {
        let head = bytes.read(at, NODE_HEAD as u64)?;
        match NodePlace::of_head(&mut Fields::new(&head)) {
            Some(node) if node.offset == at => {
                at += node.size;
                nodes.push(node);
            }
            _ => return Ok(nodes),
        }
    }
}

struct Known {
    category: Category,
    region: RegionId,
    collective: Option<CollectiveOp>,
    seen: i64,
}

/// Categories by index, with the regions of the states among them.
struct Categories {
    known: FxHashMap<i32, Known>,
    regions: Vec<Region>,
    by_name: FxHashMap<String, RegionId>,
    whole: bool,
}

impl Categories {
    fn of(categories: BTreeMap<i32, Category>) -> Categories {
        let mut all =
            Categories { known: FxHashMap::default(), regions: Vec::new(), by_name: FxHashMap::default(), whole: true };
        for (index, category) in categories {
            all.add(index, category);
        }
        all
    }

    fn add(&mut self, index: i32, category: Category) {
        let mut region = RegionId::NONE;
        if category.shape == Shape::State {
            let next = RegionId(self.regions.len() as u32);
            region = *self.by_name.entry(category.name.clone()).or_insert(next);
            if region == next {
                self.regions.push(known::region(&category.name, category.colour));
            }
        }
        let collective = known::collective(&category.name).filter(|_| category.shape == Shape::State);
        self.known.insert(index, Known { category, region, collective, seen: 0 });
    }

    /// The category of a drawable; one that is not defined is told by its number and its drawable's vertices.
    fn get(&mut self, drawable: &Drawable) -> Option<&Known> {
        let index = drawable.category;
        if !self.known.contains_key(&index) {
            let shape = match drawable.last {
                None => Shape::Event,
                Some((_, line)) if line == drawable.first.1 && index != 0 => Shape::State,
                Some(_) => Shape::Arrow,
            };
            let name = match known::guess(index.saturating_sub(1).saturating_mul(2)) {
                known::Guess::Start(_, name) if shape == Shape::State && index <= 300 => name,
                _ => format!("category {index}"),
            };
            self.whole = false;
            self.add(index, Category { name, shape, labels: Vec::new(), types: Vec::new(), colour: None, count: -1 });
        }
        let known = self.known.get_mut(&index)?;
        known.seen += 1;
        Some(known)
    }

    fn check(&self, file: &str, warnings: &mut Warnings) {
        let missing = self.known.values().map(|known| known.category.count.saturating_sub(known.seen).max(0));
        let missing = missing.fold(0, i64::saturating_add) as u64;
        let text = "drawables that the categories count but no node holds: part of the log is missing";
        warnings.add_many(WarningKind::Truncated, missing, || file.to_owned(), text);
        if !self.whole {
            let text = "categories without a definition; they were identified by their numbers";
            warnings.add(WarningKind::UndefinedReference, || file.to_owned(), text);
        }
    }
}

struct Reader<'r, 'a> {
    file: &'r str,
    categories: Categories,
    lines: Lines,
    order: InOrder<'r, 'a>,
    warnings: Warnings,
}

impl Reader<'_, '_> {
    fn read_nodes(&mut self, input: &Input, bytes: &Bytes, nodes: &[NodePlace]) -> Result<(), OpenError> {
        let mut rest = nodes;
        while !rest.is_empty() {
            let mut size = 0;
            let fit = rest.iter().take_while(|node| {
                size += node.size;
                size <= ROUND
            });
            let (round, after) = rest.split_at(fit.count().clamp(1, rest.len()));
            rest = after;
            let blocks: Vec<Vec<u8>> = round
                .iter()
                .map(|node| bytes.read(node.offset, node.size))
                .collect::<io::Result<_>>()
                .map_err(OpenError::unreadable(self.file))?;
            let parsed: Vec<Node> = blocks.par_iter().map(|block| Node::parse(block)).collect();
            for (place, node) in round.iter().zip(parsed) {
                if let Some(begins) = nanoseconds(place.earliest) {
                    self.order.advance(begins).map_err(OpenError::unreadable(self.file))?;
                }
                self.node(place, &node);
            }
            if !(input.go_on)(blocks.iter().map(|block| block.len() as u64).sum()) {
                return Err(OpenError::Cancelled);
            }
        }
        Ok(())
    }

    fn node(&mut self, place: &NodePlace, node: &Node) {
        let file = self.file;
        let at = |into: usize| move || format!("{file} byte {}", place.offset + into as u64);
        if let Some(damage) = node.damage {
            let text = "a node is damaged or cut; what follows in it was not read";
            self.warnings.add(WarningKind::Corrupt, at(damage), text);
        }
        let text = "drawables made of others; the others are shown, the whole is not";
        self.warnings.add_many(WarningKind::UnusedRecords, node.composites, at(0), text);
        for drawable in &node.drawables {
            if self.drawable(drawable).is_none() {
                let text = "drawables whose vertices do not fit their shape, or whose time is not a number";
                self.warnings.add(WarningKind::Corrupt, at(0), text);
            }
        }
    }

    /// `None` if the drawable cannot be what its category says.
    fn drawable(&mut self, drawable: &Drawable) -> Option<()> {
        let known = self.categories.get(drawable)?;
        let begin = nanoseconds(drawable.first.0)?;
        let place = self.lines.get(drawable.first.1);
        let words = |known: &Known| {
            let text = known.category.words(drawable.cargo)?;
            Some(Box::new(MarkText { name: known.category.name.clone(), text }))
        };
        match known.category.shape {
            Shape::Event => {
                let name = known.category.name.clone();
                let mark = words(known).unwrap_or_else(|| Box::new(MarkText { name, text: String::new() }));
                self.order.add(place.location, begin, begin, What::Mark(mark));
            }
            Shape::State => {
                let end = nanoseconds(drawable.last?.0)?;
                let (begin, end) = (begin.min(end), begin.max(end));
                let (region, collective) = (known.region, known.collective);
                let what = What::Enter { region, collective, comm: place.comm, text: words(known) };
                self.order.add(place.location, begin, end, what);
            }
            Shape::Arrow => {
                let (end, line) = drawable.last?;
                let end: Ns = nanoseconds(end)?;
                let receiver = self.lines.get(line);
                let mut values = crate::clog2::event_text::Values { bytes: drawable.cargo };
                let message = MessageEnd {
                    peer: receiver.main,
                    comm: self.lines.between(place.comm, receiver.comm),
                    tag: values.int().unwrap_or(0) as u32,
                    bytes: u64::from(values.int().unwrap_or(0) as u32),
                    request: RequestId::NONE,
                };
                self.order.add(place.location, begin, begin, What::Send(Box::new(message)));
                let message = MessageEnd { peer: place.main, ..message };
                self.order.add(receiver.location, end, end, What::Receive(Box::new(message)));
            }
        }
        Some(())
    }
}
