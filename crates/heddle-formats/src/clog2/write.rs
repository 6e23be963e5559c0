//! Writes logs, for tests and benchmarks only: any record in any version and byte order, so also wrong ones.

use std::io::{self, Write};

/// How a log is written.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// The digits of the version: 44 is CLOG-02.44.
    pub minor: u32,
    /// Highest byte first.
    pub big: bool,
    /// Merged, or the working file of one process.
    pub finalised: bool,
    /// Bytes in a block.
    pub block: usize,
    /// Size of the world.
    pub world: u32,
    /// Threads in a process.
    pub threads: u32,
}

impl Default for Style {
    fn default() -> Style {
        Style { minor: 44, big: true, finalised: true, block: 4096, world: 2, threads: 1 }
    }
}

/// Time in seconds, communicator, rank in it, thread.
pub type Head = (f64, i32, i32, i32);

/// A log that is being written.
pub struct Log<W: Write> {
    out: W,
    style: Style,
    block: Vec<u8>,
}

/// Leftovers that no reader may look at.
const GARBAGE: u8 = 0xa5;

impl<W: Write> Log<W> {
    /// Writes the preamble.
    pub fn begin(mut out: W, style: Style) -> io::Result<Log<W>> {
        let truth = |flag: bool| if flag { "TRUE " } else { "FALSE" };
        let mut text = format!("CLOG-02.{:02}\0is_big_endian=\0{}\0", style.minor, truth(style.big));
        if style.minor >= 43 {
            text += &format!("is_finalzed=\0{}\0", truth(style.finalised));
        }
        text += &format!("block_size=\0{}\0num_buffered_blocks=\x00128\0", style.block);
        if style.minor >= 30 {
            let title = if style.minor >= 43 { "max_comm_world_size=" } else { "comm_world_size=" };
            text += &format!("{title}\0{}\0", style.world);
        }
        if style.minor >= 44 {
            text += &format!("max_thread_count=\0{}\0", style.threads);
        }
        let mut bytes = text.into_bytes();
        bytes.resize(1024, 0);
        out.write_all(&bytes)?;
        Ok(Log { out, style, block: Vec::with_capacity(style.block) })
    }

    fn i32(&self, value: i32) -> [u8; 4] {
        if self.style.big { value.to_be_bytes() } else { value.to_le_bytes() }
    }

    fn f64(&self, value: f64) -> [u8; 8] {
        if self.style.big { value.to_be_bytes() } else { value.to_le_bytes() }
    }

    /// Numbers one after the other.
    pub fn ints(&self, values: &[i32]) -> Vec<u8> {
        values.iter().flat_map(|value| self.i32(*value)).collect()
    }

    fn header(&mut self, kind: i32, (time, comm, rank, thread): Head) {
        self.block.extend(self.f64(time));
        if self.style.minor < 30 {
            let fields = self.ints(&[kind, rank]);
            self.block.extend(fields);
        } else {
            let fields = self.ints(&[comm, rank, thread, kind]);
            self.block.extend(fields);
        }
    }

    fn end_block(&mut self, kind: i32, time: f64) -> io::Result<()> {
        self.header(kind, (time, 0, 0, 0));
        self.block.resize(self.style.block.max(self.block.len()), GARBAGE);
        self.out.write_all(&self.block)?;
        self.block.clear();
        Ok(())
    }

    /// Any record.
    pub fn record(&mut self, kind: i32, head: Head, body: &[u8]) -> io::Result<()> {
        let header = if self.style.minor < 30 { 16 } else { 24 };
        if self.block.len() + header + body.len() + 24 > self.style.block {
            self.end_block(1, head.0)?;
        }
        self.header(kind, head);
        self.block.extend_from_slice(body);
        Ok(())
    }

    /// A state by its two events.
    pub fn state(&mut self, head: Head, (id, start, end): (i32, i32, i32), name: &str, format: &str) -> io::Result<()> {
        let mut body = self.ints(&[id, start, end, -1]);
        for (text, width) in [("red", 24), (name, 32), (format, 40)] {
            body.extend(padded(text, width));
        }
        self.record(2, head, &body)
    }

    /// A solo event.
    pub fn solo(&mut self, head: Head, event: i32, name: &str, format: &str) -> io::Result<()> {
        let mut body = self.ints(&[event, -1]);
        for (text, width) in [("red", 24), (name, 32), (format, 40)] {
            body.extend(padded(text, width));
        }
        self.record(3, head, &body)
    }

    /// An event.
    pub fn event(&mut self, head: Head, event: i32) -> io::Result<()> {
        let body = self.ints(&[event, -1]);
        self.record(5, head, &body)
    }

    /// An event with bytes of its own.
    pub fn cargo(&mut self, head: Head, event: i32, cargo: &[u8]) -> io::Result<()> {
        let mut body = self.ints(&[event, -1]);
        body.extend_from_slice(cargo);
        body.resize(40, GARBAGE);
        self.record(6, head, &body)
    }

    /// One end of a message: sent or not; communicator and rank of the other side, tag, size.
    pub fn message(&mut self, head: Head, sent: bool, [comm, rank, tag, size]: [i32; 4]) -> io::Result<()> {
        let kind = if sent { -101 } else { -102 };
        let fields =
            if self.style.minor < 30 { [kind, tag, rank, comm, size, -1] } else { [kind, comm, rank, tag, size, -1] };
        let body = self.ints(&fields);
        self.record(7, head, &body)
    }

    /// A communicator: what happened, its number, rank in it, rank in the world; what identifies it, and its machine.
    pub fn comm(&mut self, head: Head, what: [i32; 4], unique: i32, machine: &str) -> io::Result<()> {
        let mut body = self.ints(&what);
        if self.style.minor >= 30 {
            body.extend(self.i32(unique));
            body.extend(self.f64(f64::from(unique)));
            body.extend(padded(machine, 20));
        }
        self.record(9, head, &body)
    }

    /// A correction of the clock.
    pub fn shift(&mut self, head: Head, seconds: f64) -> io::Result<()> {
        let body = self.f64(seconds);
        self.record(11, head, &body)
    }

    /// Writes the last block. No communicator table follows: readers do not need it.
    pub fn finish(mut self) -> io::Result<W> {
        self.end_block(0, 1e8)?;
        Ok(self.out)
    }
}

fn padded(text: &str, width: usize) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.truncate(width - 1);
    bytes.push(0);
    bytes.resize(width, GARBAGE);
    bytes
}

/// Writes a log of about `bytes` bytes: 64 ranks that compute, pass messages around a ring, and meet in an allreduce.
/// Tells how many spans and messages are in it.
pub fn ring(out: impl Write, bytes: u64) -> io::Result<(u64, u64)> {
    const RANKS: i32 = 64;
    let style = Style { world: RANKS as u32, block: 65_536, ..Style::default() };
    let mut log = Log::begin(out, style)?;
    for rank in 0..RANKS {
        let head = (f64::from(rank) * 1e-6, 0, rank, 0);
        log.shift(head, 0.0)?;
        log.comm(head, [0, 0, rank, rank], 7, "n0")?;
        log.comm(head, [1, rank + 1, 0, rank], 100 + rank, "n0")?;
    }
    // A round of one rank: eight events, two ends of messages, one event with cargo.
    let rounds = bytes / (RANKS as u64 * (7 * 32 + 64 + 2 * 48));
    for round in 0..rounds {
        for (phase, what) in (0..10).enumerate() {
            for rank in 0..RANKS {
                let time = (round * 10_000 + phase as u64 * 1_000 + rank as u64 + 1_000) as f64 * 1e-7;
                let head = (time, 0, rank, 0);
                let (next, before) = ((rank + 1) % RANKS, (rank + RANKS - 1) % RANKS);
                match what {
                    0 => log.cargo(head, 600, &(round as i32).to_be_bytes())?,
                    1 => log.event(head, 160)?,
                    2 => log.message(head, true, [0, next, 5, 4096])?,
                    3 => log.event(head, 161)?,
                    4 => log.event(head, 154)?,
                    5 => log.message(head, false, [0, before, 5, 4096])?,
                    6 => log.event(head, 155)?,
                    7 => log.event(head, 4)?,
                    8 => log.event(head, 5)?,
                    _ => log.event(head, 601)?,
                }
            }
        }
    }
    let head = (rounds as f64 * 1e-3 + 1.0, 0, 0, 0);
    log.state(head, (300, 600, 601), "compute", "round=%d")?;
    for (id, name) in [(80, "MPI_Send"), (77, "MPI_Recv"), (2, "MPI_Allreduce")] {
        log.state(head, (id, 2 * id, 2 * id + 1), name, "")?;
    }
    log.finish()?;
    Ok((rounds * RANKS as u64 * 4, rounds * RANKS as u64))
}
