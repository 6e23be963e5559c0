//! Writes a large trace in a format that Heddle reads and does not write, for benchmarks:
//!
//! ```sh
//! cargo run --release -p heddle-formats --example large_trace -- clog2|paje|chrome FILE BYTES
//! ```
//!
//! CLOG-2: 64 ranks that compute, pass a message around a ring and meet. Paje: 512 ranks that exchange messages with their
//! neighbours. Chrome: operators, launches, kernels and arrows of one rank, in PyTorch's own layout. Prints how many bytes,
//! and lines of events, were written.

use std::fs::File;
use std::io::{self, BufWriter, Write};

fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let usage = || io::Error::new(io::ErrorKind::InvalidInput, "give clog2, paje or chrome, a file and its bytes");
    let [format, file, bytes] = &words[..] else { return Err(usage()) };
    let bytes: u64 = bytes.parse().map_err(|_| usage())?;
    let mut out = Counted { inner: BufWriter::with_capacity(1 << 20, File::create(file)?), bytes: 0 };
    let events = match format.as_str() {
        "clog2" => {
            let (spans, messages) = heddle_formats::clog2::write::ring(&mut out, bytes)?;
            2 * (spans + messages)
        }
        "paje" => paje(&mut out, bytes)?,
        "chrome" => chrome(&mut out, bytes)?,
        _ => return Err(usage()),
    };
    out.flush()?;
    writeln!(io::stdout(), "{{\"bytes\":{},\"events\":{events}}}", out.bytes)
}

/// Counts what passes through.
struct Counted<W> {
    inner: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(buffer)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Names of the events of Paje, with their fields.
const PAJE_EVENTS: [(&str, &[&str]); 10] = [
    ("DefineContainerType", &["Alias string", "Type string", "Name string"]),
    ("DefineStateType", &["Alias string", "Type string", "Name string"]),
    (
        "DefineLinkType",
        &["Alias string", "Type string", "StartContainerType string", "EndContainerType string", "Name string"],
    ),
    ("DefineEntityValue", &["Alias string", "Type string", "Name string", "Color color"]),
    ("CreateContainer", &["Time date", "Alias string", "Type string", "Container string", "Name string"]),
    ("DestroyContainer", &["Time date", "Type string", "Name string"]),
    ("PushState", &["Time date", "Type string", "Container string", "Value string", "Size int"]),
    ("PopState", &["Time date", "Type string", "Container string"]),
    (
        "StartLink",
        &["Time date", "Type string", "Container string", "Value string", "StartContainer string", "Key string"],
    ),
    ("EndLink", &["Time date", "Type string", "Container string", "Value string", "EndContainer string", "Key string"]),
];

/// As simulators of MPI write it: states by their numbers, with sizes, and keys of links made of ranks and counts.
fn paje(out: &mut Counted<impl Write>, bytes: u64) -> io::Result<u64> {
    const RANKS: u64 = 512;
    for (number, (name, fields)) in PAJE_EVENTS.iter().enumerate() {
        writeln!(out, "%EventDef Paje{name} {number}")?;
        for field in *fields {
            writeln!(out, "%       {field}")?;
        }
        writeln!(out, "%EndEventDef")?;
    }
    writeln!(out, "0 1 0 MPI\n1 2 1 MPI_STATE\n2 3 0 1 1 MPI_LINK")?;
    for (number, name) in ["computing", "PMPI_Isend", "PMPI_Irecv", "PMPI_Waitall"].iter().enumerate() {
        writeln!(out, "3 {} 2 {name} \"0.{number} 0.5 0.5\"", 10 + number)?;
    }
    for rank in 0..RANKS {
        writeln!(out, "4 0.000000000 {} 1 0 \"rank-{rank}\"", rank + 1)?;
    }
    let (mut events, mut round) = (0, 0_u64);
    while out.bytes < bytes {
        // All times of a step before those of the next: the order of time, which pj_dump needs.
        for step in 0..12 {
            for rank in 0..RANKS {
                // Ranks count from 1 in the names of containers and in keys.
                let (me, next, before) = (rank + 1, (rank + 1) % RANKS + 1, (rank + RANKS - 1) % RANKS + 1);
                let nanoseconds = round * 1_200_000 + step * 100_000 + rank * 150 + 1;
                let time = format!("{}.{:09}", nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000);
                match step {
                    0 => writeln!(out, "6 {time} 2 {me} 10 12.000000")?,
                    2 => writeln!(out, "6 {time} 2 {me} 12 65536")?,
                    4 => writeln!(out, "6 {time} 2 {me} 11 65536")?,
                    5 => writeln!(out, "8 {time} 3 0 PTP {me} {me}_{next}_1_{round}")?,
                    6 => writeln!(out, "8 {time} 3 0 PTP {me} {me}_{before}_2_{round}")?,
                    8 => writeln!(out, "6 {time} 2 {me} 13 1")?,
                    9 => writeln!(out, "9 {time} 3 0 PTP {me} {before}_{me}_1_{round}")?,
                    10 => writeln!(out, "9 {time} 3 0 PTP {me} {next}_{me}_2_{round}")?,
                    _ => writeln!(out, "7 {time} 2 {me} ")?,
                }
                events += 1;
            }
        }
        round += 1;
    }
    let end = round * 1_200_000;
    for rank in 0..RANKS {
        writeln!(out, "5 {}.{:09} 1 {}", end / 1_000_000_000, end % 1_000_000_000, rank + 1)?;
    }
    Ok(events)
}

fn chrome(out: &mut Counted<impl Write>, bytes: u64) -> io::Result<u64> {
    writeln!(
        out,
        "{{\n  \"schemaVersion\": 1,\n  \"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": 0, \"world_size\": 1}},\n  \
         \"traceEvents\": ["
    )?;
    let operators = ["aten::linear", "aten::addmm", "aten::layer_norm", "aten::gelu", "aten::copy_", "aten::mul"];
    let (mut events, mut at) = (0, 0_u64);
    while out.bytes < bytes {
        // Nanoseconds of one operator, its launch, the arrow from it, and the kernel; never two at once in a row.
        let (operator, launch, kernel) = (at * 20_000, at * 20_000 + 6_000, at * 20_000 + 9_000);
        let time = |ns: u64| format!("{}.{:03}", 3_743_411_230_047 + ns / 1000, ns % 1000);
        let name = operators[at as usize % operators.len()];
        if at > 0 {
            writeln!(out, "  }},")?;
        }
        writeln!(
            out,
            "  {{\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"{name}\", \"pid\": 542, \"tid\": 639,\n    \"ts\": {}, \
             \"dur\": 14.{:03},\n    \"args\": {{\n      \"External id\": {at},\"Record function id\": 0, \"Concrete Inputs\": \
             [\"\", \"15\", \"0\", \"\", \"\", \"0\"], \"Input type\": [\"c10::BFloat16\", \"Scalar\", \"Scalar\", \"\", \"\", \
             \"Scalar\"], \"Input Strides\": [[1000, 1], [], [], [], [], []], \"Input Dims\": [[10, 1000], [], [], [], [], []], \
             \"Ev Idx\": {at}\n    }}\n  }},",
            time(operator),
            at % 1000
        )?;
        writeln!(
            out,
            "  {{\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 542, \"tid\": 639,\n    \
             \"ts\": {}, \"dur\": 4.250,\n    \"args\": {{\n      \"External id\": {at}, \"cbid\": 211, \"correlation\": {at}\n    \
             }}\n  }},\n  {{\n    \"ph\": \"s\", \"id\": {at}, \"pid\": 542, \"tid\": 639, \"ts\": {},\n    \"cat\": \"ac2g\", \
             \"name\": \"ac2g\"\n  }},",
            time(launch),
            time(launch)
        )?;
        writeln!(
            out,
            "  {{\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void at::native::vectorized_elementwise_kernel<4, \
             at::native::FillFunctor<float> >(int)\", \"pid\": 0, \"tid\": 7,\n    \"ts\": {}, \"dur\": 15.500,\n    \"args\": \
             {{\n      \"External id\": {at}, \"queued\": 0, \"device\": 0, \"context\": 1, \"stream\": 7, \"correlation\": {at}, \
             \"registers per thread\": 16, \"shared memory\": 0, \"blocks per SM\": 0.5, \"grid\": [64, 1, 1], \"block\": [128, \
             1, 1]\n    }}\n  }},\n  {{\n    \"ph\": \"f\", \"id\": {at}, \"pid\": 0, \"tid\": 7, \"ts\": {}, \"bp\": \"e\",\n    \
             \"cat\": \"ac2g\", \"name\": \"ac2g\"",
            time(kernel),
            time(kernel)
        )?;
        events += 5;
        at += 1;
    }
    writeln!(out, "  }}\n  ],\n  \"traceName\": \"large.json\"\n}}")?;
    Ok(events)
}
