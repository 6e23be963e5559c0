//! All formats that can be read: how each is recognised, named and opened. The one list behind the import, the messages
//! about files that are no trace, and `heddle formats`.

use heddle_model::Source;

use crate::{Input, OpenError, boxfish, chrome, clog1, clog2, otf2, paje, paraver, slog2, starpu, unpacking_memory};

/// Bytes from the beginning of a file that are enough to recognise any format.
pub const HEAD: usize = 1 << 16;

/// A format that can be read.
pub struct Format {
    /// Short name, as in `info --json`.
    pub name: &'static str,
    /// What it is, and who writes it.
    pub title: &'static str,
    /// What to give to `heddle open`.
    pub open: &'static str,
    /// By what it is recognised, in words.
    pub recognised_by: &'static str,
    /// What is not read.
    pub limits: &'static str,
    /// Endings of its main file, without which it is named in titles.
    pub endings: &'static [&'static str],
    /// Whether several files are one trace, each of them a process; else each is a trace of its own.
    pub joins: bool,
    /// Whether a file begins as one of this format does. The beginning is unpacked if the file is compressed.
    pub recognise: fn(head: &[u8]) -> bool,
    /// Reads it within the memory of the input; see [`Format::open`].
    source: for<'a> fn(&Input<'a>) -> Result<Box<dyn Source + 'a>, OpenError>,
}

/// Memory that is left to a reader at the least, or half of it if there is little.
const LEAST: u64 = 128 << 20;

impl Format {
    /// Opens a trace within a budget of memory. What unpacking takes is set aside first, and half of the rest is left to
    /// whoever imports the trace.
    pub fn open<'a>(&self, input: &Input<'a>) -> Result<Box<dyn Source + 'a>, OpenError> {
        let mut unpacking = 0;
        for name in input.names {
            let needed = unpacking_memory(input.files, name).map_err(OpenError::unreadable(name))?;
            if needed > input.memory - LEAST.min(input.memory / 2) {
                let (needed, budget) = (needed.saturating_add(LEAST), input.memory);
                return Err(OpenError::NeedsMemory { place: name.clone(), needed, budget });
            }
            // One file is read after the other.
            unpacking = unpacking.max(needed);
        }
        (self.source)(&Input { memory: (input.memory - unpacking) / 2, ..*input })
    }
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Every format, in the order in which a file is tried.
pub static FORMATS: [Format; 11] = [
    Format {
        name: "otf2",
        title: "Open Trace Format 2 (Score-P, EZTrace, TAU, HPX …)",
        open: "the anchor file NAME.otf2, or a directory that holds just one",
        recognised_by: "bytes 03, 42 or 23, then \"OTF2\" at the beginning of the anchor",
        limits: "trace formats up to 2; not SIONlib containers, not zlib-compressed archives",
        endings: &[".otf2"],
        recognise: otf2::recognise,
        source: otf2_source,
        joins: false,
    },
    Format {
        name: "clog2",
        title: "CLOG-2, the logs of MPE2",
        open: "the file NAME.clog2; compressed ones are unpacked",
        recognised_by: "\"CLOG-02.\" at the beginning of the file",
        limits: "versions 02.10 to 02.44, merged or of one process",
        endings: &[".clog2"],
        recognise: clog2::recognise,
        source: |input| Ok(Box::new(clog2::open(input)?)),
        joins: false,
    },
    Format {
        name: "slog2",
        title: "SLOG-2, what the viewer Jumpshot opens",
        open: "the file NAME.slog2; compressed ones are unpacked",
        recognised_by: "\"SLOG 2.0\" at byte 2 of the file",
        limits: "version 2.0.6; lengths of messages that seem to arrive before they are sent are lost in the conversion",
        endings: &[".slog2"],
        recognise: slog2::recognise,
        source: |input| Ok(Box::new(slog2::open(input)?)),
        joins: false,
    },
    Format {
        name: "paje",
        title: "Paje (SimGrid/SMPI, StarPU and others)",
        open: "the trace file; compressed ones are unpacked. Of StarPU also the folder: tasks.rec, dag.dot and data.rec beside \
               paje.trace tell more about its tasks",
        recognised_by: "a line \"%EventDef\" at the beginning of the file",
        limits: "one file, without includes; of the fields of tasks job, iteration and tile are kept",
        endings: &[".trace", ".paje"],
        recognise: paje::recognise,
        source: |input| Ok(Box::new(paje::open(input)?)),
        joins: false,
    },
    Format {
        name: "starpu-tasks",
        title: "Records of tasks that StarPU's converter writes (tasks.rec)",
        open: "the file tasks.rec, or a folder that has it and no Paje trace; activity.data, dag.dot and data.rec beside it tell \
               more",
        recognised_by: "records of lines \"Key: value\" with a \"JobId\"",
        limits: "runs of tasks only: no states of the runtime, no messages; without activity.data not the kinds of workers",
        endings: &[".rec"],
        recognise: starpu::tasks::recognise,
        source: |input| Ok(Box::new(starpu::tasks::open(input)?)),
        joins: false,
    },
    Format {
        name: "starvz",
        title: "Tables of StarVZ's first phase (CSV)",
        open: "the folder, or paje.worker_state.csv in it; compressed ones are unpacked",
        recognised_by: "a header with the columns Nature, ResourceId, Depth and JobId",
        limits: "atree.csv is not shown",
        endings: &[".csv"],
        recognise: starpu::starvz::recognise,
        source: |input| Ok(Box::new(starpu::starvz::open(input)?)),
        joins: false,
    },
    Format {
        name: "starvz-parquet",
        title: "Tables of StarVZ's second phase (Parquet)",
        open: "the folder, or application.parquet in it; starpu, link, variable, dag and entities beside it tell more",
        recognised_by: "\"PAR1\" at the beginning of the file, and the columns of StarVZ",
        limits: "plain and dictionary encodings, unpacked or packed by Snappy, gzip or Zstandard; times are those of StarVZ, whose \
                 zero is the first task",
        endings: &[".parquet"],
        recognise: starpu::processed::recognise,
        source: |input| Ok(Box::new(starpu::processed::open(input)?)),
        joins: false,
    },
    Format {
        name: "pj_dump",
        title: "Tables that pj_dump writes from a Paje trace",
        open: "the CSV file; compressed ones are unpacked",
        recognised_by: "rows of pj_dump, or its header of column names",
        limits: "what the table keeps of the trace",
        endings: &[".csv"],
        recognise: paje::pj_dump::recognise,
        source: |input| Ok(Box::new(paje::pj_dump::open(input)?)),
        joins: false,
    },
    Format {
        name: "paraver",
        title: "Paraver (Extrae, and the tools around Paraver)",
        open: "the file NAME.prv or NAME.prv.gz; NAME.pcf and NAME.row beside it have its names",
        recognised_by: "\"#Paraver\" at the beginning",
        limits: "not the second kind of body (\"new format\"); callers, source lines and samples are counted, not shown",
        endings: &[".prv"],
        recognise: paraver::recognise,
        source: paraver_source,
        joins: false,
    },
    Format {
        name: "chrome",
        title: "Chrome trace events (PyTorch profiler, browsers, Perfetto's JSON, many small tools)",
        open: "the file, compressed or not; for PyTorch, one file per rank, which together are one trace",
        recognised_by: "an array of JSON objects with \"ph\", or an object with \"traceEvents\"",
        limits: "flows are messages between processes, and inside of one counted and not shown, as are object life times and \
                 memory dumps",
        endings: &[".pt.trace.json", ".trace.json", ".json"],
        recognise: chrome::recognise,
        source: chrome_source,
        joins: true,
    },
    Format {
        name: "boxfish",
        title: "Boxfish runs: counters of nodes and links of a torus, as measured on Blue Gene",
        open: "the meta file, often NAME_meta.yaml; the tables beside it may be compressed",
        recognised_by: "YAML with an entry \"hardware\" that has coordinates",
        limits: "patches and tables of ranks or cores are not shown; there are no times, so there are no timelines",
        endings: &["_meta.yaml", ".yaml", ".yml"],
        recognise: boxfish::recognise,
        source: |input| Ok(Box::new(boxfish::open(input)?)),
        joins: false,
    },
];

/// The format of a file that begins so.
pub fn recognise(head: &[u8]) -> Option<&'static Format> {
    FORMATS.iter().find(|format| (format.recognise)(head))
}

/// What to do with a file that is known but not read; `None` for any other.
pub fn known_but_not_read(head: &[u8]) -> Option<&'static str> {
    clog1::recognise(head).then_some(clog1::ADVICE)
}

fn otf2_source<'a>(input: &Input<'a>) -> Result<Box<dyn Source + 'a>, OpenError> {
    let anchor = input.names.first().map_or("", String::as_str);
    let Some(name) = anchor.strip_suffix(".otf2") else {
        return Err(OpenError::Wrong {
            place: anchor.to_owned(),
            what: "this is an OTF2 anchor, but its name must end in .otf2 for the other files to be found".to_owned(),
        });
    };
    Ok(Box::new(otf2::Archive::open(input.files, name)?))
}

fn paraver_source<'a>(input: &Input<'a>) -> Result<Box<dyn Source + 'a>, OpenError> {
    Ok(Box::new(paraver::open(input)?))
}

fn chrome_source<'a>(input: &Input<'a>) -> Result<Box<dyn Source + 'a>, OpenError> {
    Ok(Box::new(chrome::open(input)?))
}
