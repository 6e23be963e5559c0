//! What an xz file says of itself before it is unpacked: the size of its dictionary, which is what unpacking takes.

use std::io::{self, Read};

use lzma_rust2::{Lzma2Reader, XzReader};

/// Bytes before the first block.
const STREAM_HEADER: usize = 12;
/// A block's header is at most as long.
const MOST_HEADER: usize = 1024;
/// The filter that unpacks, and the last of every block.
const LZMA2: u64 = 0x21;

/// The header of a file's first block.
#[derive(Clone, Copy, Debug)]
struct FirstBlock {
    /// Where its data begins.
    data: usize,
    dictionary: u64,
    /// Whether the data goes through no other filter.
    is_plain: bool,
}

impl FirstBlock {
    /// From the beginning of a file; `None` if it is cut, damaged or empty.
    fn parse(head: &[u8]) -> Option<FirstBlock> {
        let block = head.get(STREAM_HEADER..)?;
        let header = (usize::from(*block.first().filter(|size| **size > 0)?) + 1) * 4;
        // Its checksum comes last.
        let mut fields = block.get(..header)?.get(1..header - 4)?;
        let (flags, rest) = fields.split_first()?;
        fields = rest;
        for has_size in [0x40, 0x80] {
            if flags & has_size != 0 {
                number(&mut fields)?;
            }
        }
        let filters = usize::from(flags & 3) + 1;
        for _ in 0..filters {
            let (filter, length) = (number(&mut fields)?, usize::try_from(number(&mut fields)?).ok()?);
            let (properties, rest) = fields.split_at_checked(length)?;
            fields = rest;
            if filter == LZMA2 {
                let dictionary = match *properties.first()? & 0x3f {
                    40 => u64::from(u32::MAX),
                    bits @ 0..40 => (2 | u64::from(bits & 1)) << (bits / 2 + 11),
                    _ => return None,
                };
                return Some(FirstBlock { data: STREAM_HEADER + header, dictionary, is_plain: filters == 1 });
            }
        }
        None
    }
}

/// Seven bits per byte, the lowest first.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Memory that unpacking a file that begins so takes.
pub(super) fn memory(head: &[u8]) -> u64 {
    FirstBlock::parse(head).map_or(0, |block| block.dictionary + (1 << 20))
}

/// All blocks of a file as one stream.
pub(super) struct Blocks<R: Read>(XzReader<R>);

impl<R: Read> Blocks<R> {
    /// Unpacks blocks that take up to `memory` bytes.
    pub(super) fn new(packed: R, memory: u64) -> Blocks<R> {
        let limit = u32::try_from(memory / 1024).unwrap_or(u32::MAX);
        Blocks(XzReader::new_mem_limit(packed, true, limit))
    }
}

impl<R: Read> Read for Blocks<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out).map_err(|cause| match cause.kind() {
            io::ErrorKind::OutOfMemory => super::too_large(),
            _ => cause,
        })
    }
}

/// The first `length` bytes of what is packed, without taking the memory of the whole dictionary.
pub(super) fn beginning(mut packed: impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    (&mut packed).take((STREAM_HEADER + MOST_HEADER) as u64).read_to_end(&mut head)?;
    let mut out = Vec::new();
    // What was unpacked before damage is enough.
    let _ = match FirstBlock::parse(&head).filter(|block| block.is_plain) {
        // Nothing in the beginning refers to anything further back than its own length.
        Some(block) => {
            let dictionary = block.dictionary.min((length as u64).max(1 << 20)) as u32;
            let data = head[block.data..].chain(packed);
            Lzma2Reader::new(data, dictionary, None).take(length as u64).read_to_end(&mut out)
        }
        None => Blocks::new(head.chain(packed), super::USUAL).take(length as u64).read_to_end(&mut out),
    };
    Ok(out)
}
