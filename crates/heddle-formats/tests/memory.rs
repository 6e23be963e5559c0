//! Readers and writers keep to a budget of memory, or say beforehand that they cannot.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use heddle_formats::{
    FORMATS, FileSink, Files, Format, Input, MemoryFiles, MemoryScratch, OpenError, Output, Scratch, otf2, paraver,
};
use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, Communicator, Definitions, Location, LocationId, LocationKind, MessageEnd, Ns,
    Paradigm, Part, Rank, Region, RegionId, RequestId, Role, SystemNode, SystemNodeId,
};
use heddle_testkit::{Counting, MadeSource, Measuring};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// "heddle " 30,000 times: by `zstd --long=31` from a pipe, and by `xz --lzma2=dict=1536MiB`.
const LONG_ZSTD: &[u8] = &[
    0x28, 0xb5, 0x2f, 0xfd, 0x04, 0xa8, 0x7c, 0x00, 0x00, 0x38, 0x68, 0x65, 0x64, 0x64, 0x6c, 0x65, 0x20, 0x01, 0x00,
    0xf6, 0xff, 0xca, 0x8b, 0x11, 0x4d, 0x00, 0x00, 0x08, 0x6c, 0x01, 0x00, 0x4c, 0x34, 0x39, 0x10, 0x02, 0xc9, 0xbb,
    0x65, 0xd4,
];
const LARGE_XZ: &[u8] = &[
    0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01, 0x25, 0x00, 0x00,
    0x00, 0x3b, 0x78, 0x7b, 0x41, 0xe3, 0x34, 0x4f, 0x00, 0x6b, 0x5d, 0x00, 0x34, 0x19, 0x48, 0xca, 0xee, 0xc2, 0x26,
    0xa6, 0x6b, 0xbf, 0xa6, 0xc0, 0xc5, 0xf8, 0xb5, 0xb2, 0x4a, 0x8c, 0x74, 0xa6, 0xd7, 0xc3, 0x24, 0x9e, 0xdd, 0xff,
    0x19, 0x24, 0xd0, 0x45, 0x4d, 0x89, 0x67, 0x2c, 0x42, 0x85, 0xc6, 0x50, 0x4d, 0xa5, 0xc8, 0x81, 0x84, 0x6b, 0x8b,
    0x5a, 0x39, 0x38, 0x01, 0x09, 0x50, 0xc4, 0x1f, 0x4b, 0xa3, 0x9c, 0xb5, 0x96, 0x9a, 0xd6, 0xc6, 0xa5, 0x75, 0x20,
    0x05, 0x66, 0xcf, 0xee, 0x98, 0x71, 0x46, 0xae, 0x31, 0x25, 0x8d, 0x91, 0x87, 0xbe, 0xd7, 0xaa, 0x86, 0x77, 0x86,
    0xb5, 0xeb, 0xda, 0xef, 0x52, 0x2d, 0x43, 0x83, 0xb9, 0x1f, 0xbc, 0xda, 0xaa, 0x80, 0xcb, 0x2a, 0x6c, 0xdf, 0xb0,
    0x8e, 0x26, 0x9b, 0x00, 0x00, 0x00, 0x00, 0xd5, 0x2c, 0x4f, 0xbd, 0x0e, 0x40, 0x4c, 0x5c, 0x00, 0x01, 0x87, 0x01,
    0xd0, 0xe8, 0x0c, 0x00, 0x80, 0xae, 0x90, 0xd0, 0xb1, 0xc4, 0x67, 0xfb, 0x02, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59,
    0x5a,
];

fn format(name: &str) -> &'static Format {
    FORMATS.iter().find(|format| format.name == name).unwrap()
}

/// What opening the file `x` as a format says, and what the user is told meanwhile.
fn opened(name: &str, bytes: &[u8], memory: u64, scratch: &dyn Scratch) -> (Option<OpenError>, Vec<String>) {
    let (files, told) = (MemoryFiles::default(), Mutex::default());
    files.insert("x", bytes.to_vec());
    let say = |text: &str| Vec::push(&mut told.lock().unwrap(), text.to_owned());
    let input = Input { files: &files, names: &["x".to_owned()], scratch, memory, go_on: &|_| true, say: &say };
    let error = format(name).open(&input).err();
    (error, told.into_inner().unwrap())
}

#[test]
fn unpacking_beyond_the_budget_is_refused_in_words_before_it_starts() {
    let measuring = Measuring::alone();
    for (bytes, found, more) in [(LARGE_XZ, "1.7 GiB", "2G"), (LONG_ZSTD, "2.2 GiB", "3G")] {
        let open = |memory| opened("chrome", bytes, memory, &MemoryScratch::default()).0;
        let (error, peak) = measuring.peak_of(|| open(1 << 30).unwrap().to_string());
        assert!(matches!(open(1 << 30), Some(OpenError::NeedsMemory { .. })));
        for words in [found, "the budget is 1 GiB", &format!("--memory {more}"), "unpack the file first"] {
            assert!(error.contains(words), "{words}: {error}");
        }
        assert!(peak < 8 << 20, "{peak} bytes");
    }
    // Within the budget it is read.
    let error = opened("chrome", LARGE_XZ, 4 << 30, &MemoryScratch::default()).0;
    assert!(!matches!(error, Some(OpenError::NeedsMemory { .. })), "{error:?}");
}

/// Counts what is put aside.
#[derive(Default)]
struct Watched {
    inner: MemoryScratch,
    bytes: AtomicU64,
}

impl Scratch for Watched {
    fn append(&self, bytes: &[u8]) -> io::Result<u64> {
        self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.inner.append(bytes)
    }

    fn read(&self, range: Range<u64>, out: &mut Vec<u8>) -> io::Result<()> {
        self.inner.read(range, out)
    }
}

#[test]
fn no_more_of_a_packed_slog2_is_unpacked_than_it_says_it_has() {
    let _nobody_else_measures = Measuring::alone();
    // Its header: version, numbers, and five places in the file, of which the last is the directory.
    let header = |directory: u64| {
        let mut bytes = b"\0\x0aSLOG 2.0.6".to_vec();
        bytes.extend([0; 12]);
        bytes.extend([0; 4 * 12]);
        bytes.extend(directory.to_be_bytes());
        bytes.extend(100u32.to_be_bytes());
        bytes.resize(108, 0);
        bytes
    };
    let pack = |directory: u64| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(&header(directory)).unwrap();
        packer.write_all(&vec![0; 64 << 20]).unwrap();
        packer.finish().unwrap()
    };
    let scratch = Watched::default();
    let (_, told) = opened("slog2", &pack(10_000), 1 << 30, &scratch);
    assert_eq!((scratch.bytes.into_inner(), told.len()), (10_100, 0));
    let scratch = Watched::default();
    let (_, told) = opened("slog2", &pack(32 << 20), 16 << 20, &scratch);
    assert_eq!(scratch.bytes.into_inner(), (32 << 20) + 100);
    assert!(told.len() == 1 && told[0].contains("x: while it is imported, it takes 32.1 MiB of disk"), "{told:?}");
}

/// A disk, as far as memory is concerned: only lengths are kept.
#[derive(Default)]
struct Nowhere(AtomicU64);

impl FileSink for Nowhere {
    fn create(&self, _name: &str) -> io::Result<Box<dyn Write + Send + '_>> {
        struct Away<'a>(&'a Nowhere);
        impl Write for Away<'_> {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.0.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                Ok(bytes.len())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        Ok(Box::new(Away(self)))
    }
}

/// Two ranks that send each other messages and sum, a thousand times in each of `parts` parts.
fn exchange(parts: u32) -> MadeSource<'static> {
    let location = |rank: u32| Location {
        file_id: u64::from(rank),
        name: String::new().into(),
        kind: LocationKind::CpuThread,
        parent: None,
        rank: Rank(rank),
    };
    let world = vec![LocationId(0), LocationId(1)];
    let definitions = Definitions {
        locations: (0..2).map(location).collect(),
        regions: vec![
            Region::named("MPI_Sendrecv", Paradigm::Mpi, Role::SendReceive),
            Region::named("MPI_Allreduce", Paradigm::Mpi, Role::Collective),
        ],
        communicators: vec![Communicator::of("MPI_COMM_WORLD", world.as_slice().into())],
        world,
        ..Definitions::default()
    };
    let all =
        (0..2).flat_map(|at| (0..parts).map(move |index| Part { location: LocationId(at), index, bytes: 100_000 }));
    MadeSource::new(definitions, all.collect(), |part, out| {
        for at in 0..1000 {
            let start = (i64::from(part.index) * 1000 + at) * 100;
            let tag = (at % 7) as u32;
            let peer = LocationId(1 - part.location.0);
            let end = MessageEnd { peer, comm: CommId(0), tag, bytes: 8, request: RequestId::NONE };
            out.enter(Ns(start), RegionId(0));
            out.send(Ns(start + 1), end);
            out.recv(Ns(start + 9), end);
            out.leave(Ns(start + 10), None);
            out.enter(Ns(start + 20), RegionId(1));
            out.collective_begin(Ns(start + 20));
            let (op, comm, root) = (CollectiveOp::ALLREDUCE, CommId(0), LocationId::NONE);
            let request = RequestId::NONE;
            let end = CollectiveEnd { op, comm, root, sent: 8, received: 8, request, number: None };
            out.collective_end(Ns(start + 40), end);
            out.leave(Ns(start + 40), None);
        }
    })
}

#[test]
fn writing_paraver_takes_the_memory_it_is_given_however_long_the_trace() {
    let measuring = Measuring::alone();
    let source = exchange(400);
    let folder = tempfile::tempfile().unwrap();
    let scratch = OnDisk { file: folder, end: Mutex::new(0) };
    let files = Nowhere::default();
    let output = Output { memory: 16 << 20, ..Output::new("t", &files, &scratch) };
    let (summary, peak) = measuring.peak_of(|| paraver::write(&source, &output).unwrap());
    assert_eq!((summary.events, summary.left_out), (4 * 800_000 + 800_000, 0));
    // 800,000 messages and 800,000 parts in collectives were more than 150 MB.
    assert!(peak < 32 << 20, "{peak} bytes");
}

#[test]
fn a_paraver_trace_is_the_same_whatever_the_memory() {
    let _nobody_else_measures = Measuring::alone();
    let source = exchange(4);
    let of = |memory: u64| {
        let (files, scratch) = (MemoryFiles::default(), MemoryScratch::default());
        paraver::write(&source, &Output { memory, ..Output::new("t", &files, &scratch) }).unwrap();
        files.read_all("t.prv").unwrap().unwrap()
    };
    assert!(of(u64::MAX) == of(1 << 16));
}

/// Who runs where in a job of one rank per process and 64 per node.
fn many_ranks(ranks: u32) -> Definitions {
    let node = |name: String, class: &str, parent| SystemNode { name: name.into(), class: class.into(), parent };
    let nodes = ranks.div_ceil(64);
    let mut system_tree = vec![node("machine".to_owned(), "machine", None)];
    system_tree.extend((0..nodes).map(|at| node(format!("node {at}"), "node", Some(SystemNodeId(0)))));
    let process = |rank: u32| node(format!("MPI Rank {rank}"), SystemNode::PROCESS, Some(SystemNodeId(1 + rank / 64)));
    system_tree.extend((0..ranks).map(process));
    let location = |rank: u32| Location {
        file_id: u64::from(rank),
        name: "Master thread".into(),
        kind: LocationKind::CpuThread,
        parent: Some(SystemNodeId(1 + nodes + rank)),
        rank: Rank(rank),
    };
    let world: Vec<LocationId> = (0..ranks).map(LocationId).collect();
    Definitions {
        system_tree,
        locations: (0..ranks).map(location).collect(),
        communicators: vec![Communicator::of("MPI_COMM_WORLD", world.as_slice().into())],
        world,
        ..Definitions::default()
    }
}

#[test]
fn what_a_job_of_many_ranks_defines_takes_less_than_300_bytes_per_rank() {
    let measuring = Measuring::alone();
    let (files, scratch) = (MemoryFiles::default(), MemoryScratch::default());
    let written = MadeSource::new(many_ranks(1 << 15), Vec::new(), |_, _| {});
    otf2::write(&written, &Output::new("t", &files, &scratch)).unwrap();
    let (names, say) = (["t.otf2".to_owned()], |_: &str| {});
    let input = Input { files: &files, names: &names, scratch: &scratch, memory: 1 << 30, go_on: &|_| true, say: &say };
    let (read, peak) = measuring.peak_of(|| format("otf2").open(&input).unwrap());
    assert_eq!((read.definitions().locations.len(), read.definitions().world.len()), (1 << 15, 1 << 15));
    // 440 bytes, as when every name was an allocation of its own, are almost half a gigabyte for a million ranks.
    assert!(peak < 300 << 15, "{peak} bytes");
}

struct OnDisk {
    file: std::fs::File,
    end: Mutex<u64>,
}

impl Scratch for OnDisk {
    fn append(&self, bytes: &[u8]) -> io::Result<u64> {
        use std::os::unix::fs::FileExt;
        let mut end = self.end.lock().unwrap();
        self.file.write_all_at(bytes, *end)?;
        *end += bytes.len() as u64;
        Ok(*end - bytes.len() as u64)
    }

    fn read(&self, range: Range<u64>, out: &mut Vec<u8>) -> io::Result<()> {
        use std::os::unix::fs::FileExt;
        out.clear();
        out.resize((range.end - range.start) as usize, 0);
        self.file.read_exact_at(out, range.start)
    }
}
