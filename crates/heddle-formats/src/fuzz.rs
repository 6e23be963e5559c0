//! Fuzz targets: plain functions over bytes, called by ordinary tests and usable by `cargo fuzz`.
//!
//! A target passes if it returns. What it may use is bounded by the input: no panic, no endless loop,
//! no memory for what a length merely claims.

mod paraver;

pub use paraver::{PARAVER_BORDER, paraver};

use heddle_model::{Counted, RecordBlock, Source};

use crate::otf2::Archive;
use crate::{
    Gathered, Input, MemoryFiles, MemoryScratch, OpenError, clog2 as clog2_format, paje as paje_format,
    slog2 as slog2_format,
};

/// Puts files into one input: two bytes for the length of each, then their bytes.
pub fn container<const N: usize>(files: [&[u8]; N]) -> Vec<u8> {
    let cut = files.map(|file| &file[..file.len().min(usize::from(u16::MAX))]);
    let mut bytes: Vec<u8> = cut.iter().flat_map(|file| (file.len() as u16).to_le_bytes()).collect();
    bytes.extend(cut.concat());
    bytes
}

/// The inverse of [`container`], whatever the bytes.
fn contained<const N: usize>(bytes: &[u8]) -> [Vec<u8>; N] {
    let (head, mut rest) = bytes.split_at(bytes.len().min(2 * N));
    let mut lengths = head.chunks_exact(2).map(|pair| usize::from(u16::from_le_bytes([pair[0], pair[1]])));
    [(); N].map(|()| {
        let (file, after) = rest.split_at(lengths.next().unwrap_or(0).min(rest.len()));
        rest = after;
        file.to_vec()
    })
}

/// Reads an OTF2 archive of two locations, 0 and 1, whose files come from one [`container`]: the anchor, the global
/// definitions, a location's own definitions, its events, and the markers.
pub fn otf2_archive(bytes: &[u8]) {
    let [anchor, definitions, own, events, markers] = contained(bytes);
    let files = MemoryFiles::default();
    files.insert("t.otf2", anchor);
    files.insert("t.def", definitions);
    for location in 0..2 {
        files.insert(&format!("t/{location}.def"), own.clone());
        files.insert(&format!("t/{location}.evt"), events.clone());
    }
    files.insert("t.marker", markers);
    let Ok(archive) = Archive::open(&files, "t") else { return };
    read_all(&archive);
}

/// Reads every part of a source.
fn read_all(source: &dyn Source) {
    let mut block = RecordBlock::default();
    for part in source.parts() {
        block.clear();
        // Files in memory do not fail, and damage is not an error.
        let _ = source.read(part, &mut block);
        block.iter().for_each(drop);
    }
}

/// Reads a Boxfish run of a [`container`]: its meta file, and the tables `links`, `nodes`, `map`, `communicators` and
/// `members`. What comes out must fit together, since nobody checks it again.
pub fn boxfish(bytes: &[u8]) {
    let [meta, links, nodes, map, communicators, members] = contained(bytes);
    let files = MemoryFiles::default();
    for (name, file) in [
        ("meta.yaml", meta),
        ("links.yaml", links),
        ("nodes.yaml", nodes),
        ("map.yaml", map),
        ("communicators.yaml", communicators),
        ("members.yaml", members),
    ] {
        files.insert(name, file);
    }
    let (names, scratch) = (["meta.yaml".to_owned()], MemoryScratch::default());
    let input =
        Input { files: &files, names: &names, scratch: &scratch, memory: 1 << 20, go_on: &|_| true, say: &|_| {} };
    let Ok(run) = crate::boxfish::open(&input) else { return };
    let Some(network) = run.network() else { return };
    let (nodes, links) = (network.nodes.len() as u32, network.links.len() as u32);
    assert!(network.nodes.windows(2).all(|pair| pair[0].place < pair[1].place));
    assert!(network.links.iter().all(|link| link.source < nodes && link.destination < nodes));
    assert!(network.tallies.windows(2).all(|pair| pair[0].key() < pair[1].key()));
    for tally in &network.tallies {
        let of = network.counters[tally.counter as usize].of;
        assert!(tally.entity < if of == Counted::Links { links } else { nodes });
        assert!((tally.section as usize) < network.sections.len() && tally.visits > 0);
    }
    let definitions = run.definitions();
    assert_eq!(network.places.len(), definitions.locations.len());
    let members = definitions.communicators.iter().flat_map(|communicator| communicator.members.iter());
    assert!(members.into_iter().all(|member| member.index() < definitions.locations.len()));
}

/// Reads a CLOG-2 log.
pub fn clog2(bytes: &[u8]) {
    one_file(bytes, clog2_format::open);
}

/// Reads a SLOG-2 log.
pub fn slog2(bytes: &[u8]) {
    one_file(bytes, slog2_format::open);
}

/// Reads a Paje trace, or a table of `pj_dump`.
pub fn paje(bytes: &[u8]) {
    one_file(bytes, paje_format::open);
    one_file(bytes, paje_format::pj_dump::open);
}

/// Reads what StarPU writes beside each other, from one [`container`]: `paje.trace`, `tasks.rec`, `dag.dot`, `data.rec` and
/// `activity.data`. The records are a trace of their own, too.
pub fn starpu(bytes: &[u8]) {
    let [trace, tasks, graph, data, activity] = contained(bytes);
    let files = MemoryFiles::default();
    let names = ["paje.trace", "tasks.rec", "dag.dot", "data.rec", "activity.data"];
    for (name, file) in names.into_iter().zip([trace, tasks, graph, data, activity]) {
        files.insert(name, file);
    }
    folder(&files, "paje.trace", paje_format::open);
    folder(&files, "tasks.rec", crate::starpu::tasks::open);
}

/// Reads tables of StarVZ from one [`container`]: states of workers, links, tasks, graph, data and entities.
pub fn starvz(bytes: &[u8]) {
    let [states, links, tasks, graph, data, entities] = contained(bytes);
    let files = MemoryFiles::default();
    let names =
        ["paje.worker_state.csv", "paje.link.csv", "rec.tasks.csv", "dag.csv", "rec.data_handles.csv", "entities.csv"];
    for (name, file) in names.into_iter().zip([states, links, tasks, graph, data, entities]) {
        files.insert(name, file);
    }
    folder(&files, "paje.worker_state.csv", crate::starpu::starvz::open);
}

/// Reads tables of StarVZ in Parquet files from one [`container`]: tasks, states of the runtime, graph and links.
pub fn starvz_parquet(bytes: &[u8]) {
    let [application, starpu, graph, links] = contained(bytes);
    let files = MemoryFiles::default();
    let names = ["application.parquet", "starpu.parquet", "dag.parquet", "link.parquet"];
    for (name, file) in names.into_iter().zip([application, starpu, graph, links]) {
        files.insert(name, file);
    }
    folder(&files, "application.parquet", crate::starpu::processed::open);
}

/// Reads a trace that lies among other files. Little memory, so that records are put aside too.
fn folder(files: &MemoryFiles, name: &str, open: for<'a> fn(&Input<'a>) -> Result<Gathered<'a>, OpenError>) {
    let (names, scratch) = ([name.to_owned()], MemoryScratch::default());
    let input = Input { files, names: &names, scratch: &scratch, memory: 1 << 20, go_on: &|_| true, say: &|_| {} };
    let Ok(source) = open(&input) else { return };
    read_all(&source);
}

/// Reads a trace that is one file. Blocks are put aside early, so that this is tried too.
fn one_file(bytes: &[u8], open: for<'a> fn(&Input<'a>) -> Result<Gathered<'a>, OpenError>) {
    let files = MemoryFiles::default();
    files.insert("t", bytes.to_vec());
    let (names, scratch) = (["t".to_owned()], MemoryScratch::default());
    let input =
        Input { files: &files, names: &names, scratch: &scratch, memory: 64 << 10, go_on: &|_| true, say: &|_| {} };
    let Ok(source) = open(&input) else { return };
    read_all(&source);
}

/// Reads Chrome trace events: the input as the file of one rank, and cut in two as those of two ranks. Little memory, so
/// that records are put aside too.
pub fn chrome(bytes: &[u8]) {
    let files = MemoryFiles::default();
    files.insert("a.json", bytes.to_vec());
    let (first, second) = bytes.split_at(bytes.len() / 2);
    files.insert("b.json", first.to_vec());
    files.insert("c.json", second.to_vec());
    for names in [vec!["a.json".to_owned()], vec!["b.json".to_owned(), "c.json".to_owned()]] {
        let scratch = MemoryScratch::default();
        let input =
            Input { files: &files, names: &names, scratch: &scratch, memory: 1 << 16, go_on: &|_| true, say: &|_| {} };
        let Ok(source) = crate::chrome::open(&input) else { continue };
        read_all(&source);
    }
}
