//! Zstandard, frame by frame.
//!
//! The decoder keeps as many bytes as a frame's window says before it gives out the first: a window of 2 GiB (`--long=31`)
//! is 2 GiB of memory. So the window is read before the decoder starts, and its buffer is taken at once; growing it by
//! doubling would take half as much again.

use std::io::{self, Read};

use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

const MAGIC: [u8; 4] = 0xfd2f_b528_u32.to_le_bytes();
/// Frames that hold nothing of the file have one of 16 numbers.
const SKIPPABLE: u32 = 0x184d_2a50;
/// A frame's header is at most as long.
const MOST_HEADER: usize = 18;
/// A block is at most as long, packed or not.
const BLOCK: usize = 128 << 10;
/// Flag of a frame whose window is its whole content.
const SINGLE: u8 = 0x20;

/// The header of a frame.
#[derive(Clone, Copy, Debug)]
struct Header<'a> {
    bytes: &'a [u8],
    window: u64,
}

impl<'a> Header<'a> {
    /// From the beginning of a frame; `None` if that is not one, or is cut.
    fn parse(bytes: &'a [u8]) -> Option<Header<'a>> {
        let flags = *bytes.strip_prefix(&MAGIC)?.first()?;
        let is_single = flags & SINGLE != 0;
        let dictionary = [0, 1, 2, 4][usize::from(flags & 3)];
        let content = [usize::from(is_single), 2, 4, 8][usize::from(flags >> 6)];
        let (window_at, content_at) = (5, 5 + usize::from(!is_single) + dictionary);
        let bytes = bytes.get(..content_at + content)?;
        let window = if is_single {
            // A single segment: the window is the whole content.
            let mut size = [0; 8];
            size[..content].copy_from_slice(&bytes[content_at..]);
            u64::from_le_bytes(size) + if content == 2 { 256 } else { 0 }
        } else {
            let (exponent, eighths) = (bytes[window_at] >> 3, bytes[window_at] & 7);
            let base = 1 << (10 + exponent);
            base + base / 8 * u64::from(eighths)
        };
        Some(Header { bytes, window })
    }

    /// The same frame with a window of one block, for whoever reads only its beginning.
    fn with_small_window(&self) -> Vec<u8> {
        const ONE_BLOCK: u8 = (17 - 10) << 3;
        let mut bytes = self.bytes.to_vec();
        if self.window > BLOCK as u64 {
            if bytes[4] & SINGLE == 0 {
                bytes[5] = ONE_BLOCK;
            } else {
                bytes[4] &= !SINGLE;
                bytes.insert(5, ONE_BLOCK);
            }
        }
        bytes
    }
}

/// Memory that unpacking a file that begins so takes.
pub(super) fn memory(head: &[u8]) -> u64 {
    Header::parse(head).map_or(0, |header| buffer(header.window))
}

/// What the decoder takes for a window: the next power of two, and some blocks.
fn buffer(window: u64) -> u64 {
    window.checked_next_power_of_two().unwrap_or(u64::MAX).saturating_add(8 * BLOCK as u64)
}

/// The first `length` bytes of what is packed, without taking the memory of the whole window.
pub(super) fn beginning(mut packed: impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    (&mut packed).take(MOST_HEADER as u64).read_to_end(&mut head)?;
    let Some(header) = Header::parse(&head) else { return Ok(Vec::new()) };
    let start = header.with_small_window();
    let mut frame = (&start[..]).chain(&head[header.bytes.len()..]).chain(packed);
    let mut decoder = FrameDecoder::new();
    decoder.init(&mut frame).map_err(io::Error::other)?;
    // What is beyond the window is given out: so much more has to be decoded. Damage behind the beginning does not matter.
    let _ = decoder.decode_blocks(&mut frame, BlockDecodingStrategy::UptoBytes(length + BLOCK));
    let mut out = decoder.collect().unwrap_or_default();
    out.truncate(length);
    Ok(out)
}

/// All frames of a file, one after the other, as one stream.
pub(crate) struct Frames<R> {
    packed: R,
    decoder: FrameDecoder,
}

impl<R: Read> Frames<R> {
    /// Unpacks frames with windows that take up to `memory` bytes.
    pub(crate) fn new(packed: R, memory: u64) -> io::Result<Frames<R>> {
        /// A frame of nothing. A decoder that has seen a frame takes the next window at once.
        const EMPTY: [u8; 9] = [MAGIC[0], MAGIC[1], MAGIC[2], MAGIC[3], 0x20, 0, 1, 0, 0];
        let mut decoder = FrameDecoder::new();
        let mut empty = &EMPTY[..];
        decoder.init(&mut empty).map_err(io::Error::other)?;
        decoder.decode_blocks(&mut empty, BlockDecodingStrategy::All).map_err(io::Error::other)?;
        decoder.set_max_window_size(memory);
        Ok(Frames { packed, decoder })
    }

    /// Goes to the next frame that holds something; whether there is one.
    fn next_frame(&mut self) -> io::Result<bool> {
        loop {
            let mut number = Vec::new();
            (&mut self.packed).take(4).read_to_end(&mut number)?;
            if number.is_empty() {
                return Ok(false);
            }
            if number.first_chunk().is_some_and(|bytes| u32::from_le_bytes(*bytes) & !0xf == SKIPPABLE) {
                let mut length = [0; 4];
                self.packed.read_exact(&mut length)?;
                let length = u64::from(u32::from_le_bytes(length));
                io::copy(&mut (&mut self.packed).take(length), &mut io::sink())?;
                continue;
            }
            let started = self.decoder.reset((&number[..]).chain(&mut self.packed));
            return started.map(|()| true).map_err(|error| match error {
                FrameDecoderError::WindowSizeTooBig { .. } => super::too_large(),
                error => io::Error::other(error),
            });
        }
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.decoder.can_collect() == 0 {
            if self.decoder.is_finished() {
                if !self.next_frame()? {
                    return Ok(0);
                }
            } else {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.packed, one).map_err(io::Error::other)?;
            }
        }
        self.decoder.read(out)
    }
}
