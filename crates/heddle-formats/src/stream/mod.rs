//! A file as a stream, unpacked on the way if it is compressed. Which compression is told by the first bytes, not by the
//! name.
//!
//! Unpacking takes memory: the packer may refer to what it packed up to a window or dictionary ago, and the file says how
//! long that is. [`unpacking_memory`] tells it beforehand.

use std::io::{self, BufRead, BufReader, Read};

use crate::Files;

mod xz;
pub(crate) mod zstd;

/// Bytes asked of a file at a time.
const STEP: u64 = 1 << 20;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstd,
    /// `.xz`
    Xz,
    /// `.bz2`
    Bzip2,
}

impl Compression {
    /// Tells it from the first bytes of a file.
    pub fn of(head: &[u8]) -> Option<Compression> {
        const MAGIC: [(&[u8], Compression); 4] = [
            (&[0x1f, 0x8b], Compression::Gzip),
            (&[0x28, 0xb5, 0x2f, 0xfd], Compression::Zstd),
            (&[0xfd, b'7', b'z', b'X', b'Z', 0], Compression::Xz),
            (b"BZh", Compression::Bzip2),
        ];
        MAGIC.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, compression)| *compression)
    }
}

/// Memory that the usual packers never ask of an unpacker, at their highest levels. What is put behind a file with little
/// need (`cat small.xz large.xz`) may take as much.
const USUAL: u64 = 129 << 20;

/// A part of the file asks for more than its beginning said.
fn too_large() -> io::Error {
    let text = "a later part of the file takes more memory to unpack than its beginning says; unpack it first";
    io::Error::new(io::ErrorKind::OutOfMemory, text)
}

/// Memory that unpacking a file takes: as much of it as the packer allowed itself to refer back to. Nothing for a file that
/// is not packed.
pub fn unpacking_memory(files: &dyn Files, name: &str) -> io::Result<u64> {
    let mut head = Vec::new();
    files.read(name, 0..2048, &mut head)?;
    Ok(needed(&head))
}

fn needed(head: &[u8]) -> u64 {
    match Compression::of(head) {
        None => 0,
        Some(Compression::Gzip) => 64 << 10,
        Some(Compression::Bzip2) => 4 << 20,
        Some(Compression::Zstd) => zstd::memory(head),
        Some(Compression::Xz) => xz::memory(head),
    }
}

/// The bytes of a file from its beginning, unpacked. That takes the memory of [`unpacking_memory`].
pub fn stream<'a>(files: &'a dyn Files, name: &str) -> io::Result<Box<dyn BufRead + Send + 'a>> {
    let mut plain = raw(files, name);
    let head = plain.fill_buf()?;
    let memory = needed(head).max(USUAL);
    let unpacked: Box<dyn Read + Send + 'a> = match Compression::of(head) {
        None => return Ok(Box::new(plain)),
        // Several members one after the other are one file: `cat a.gz b.gz`.
        Some(Compression::Gzip) => Box::new(flate2::bufread::MultiGzDecoder::new(plain)),
        Some(Compression::Zstd) => Box::new(zstd::Frames::new(plain, memory)?),
        Some(Compression::Xz) => Box::new(xz::Blocks::new(plain, memory)),
        Some(Compression::Bzip2) => Box::new(bzip2::bufread::MultiBzDecoder::new(plain)),
    };
    Ok(Box::new(BufReader::with_capacity(STEP as usize, unpacked)))
}

/// The first bytes of a file, unpacked: by them a format is recognised. Fewer if there are fewer, or if they cannot be
/// unpacked. Takes little memory, whatever the whole file would take.
pub fn head(files: &dyn Files, name: &str, length: usize) -> io::Result<Vec<u8>> {
    let mut plain = raw(files, name);
    match Compression::of(plain.fill_buf()?) {
        Some(Compression::Xz) => return xz::beginning(plain, length),
        Some(Compression::Zstd) => return zstd::beginning(plain, length),
        None | Some(Compression::Gzip | Compression::Bzip2) => {}
    }
    let mut bytes = Vec::new();
    // What was unpacked before damage is enough.
    let _ = stream(files, name)?.take(length as u64).read_to_end(&mut bytes);
    Ok(bytes)
}

fn raw<'a>(files: &'a dyn Files, name: &str) -> Raw<'a> {
    Raw { files, name: name.to_owned(), next: 0, bytes: Vec::new(), at: 0 }
}

/// A file as it is. Its bytes are read where they are handed out from, into the same memory again and again.
struct Raw<'a> {
    files: &'a dyn Files,
    name: String,
    /// What to ask the file for next.
    next: u64,
    /// A stretch of the file, handed out up to `at`.
    bytes: Vec<u8>,
    at: usize,
}

impl BufRead for Raw<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.bytes.len() {
            self.at = 0;
            if let Err(cause) = self.files.read(&self.name, self.next..self.next + STEP, &mut self.bytes) {
                self.bytes.clear();
                return Err(cause);
            }
            self.next += self.bytes.len() as u64;
        }
        Ok(&self.bytes[self.at..])
    }

    fn consume(&mut self, count: usize) {
        self.at = (self.at + count).min(self.bytes.len());
    }
}

impl Read for Raw<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::MemoryFiles;

    fn unpacked(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let files = MemoryFiles::default();
        files.insert("x", bytes);
        let mut out = Vec::new();
        stream(&files, "x")?.read_to_end(&mut out)?;
        Ok(out)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn plain_and_packed_files_give_the_same_bytes() {
        let plain: Vec<u8> = (0..3_000_000u32).flat_map(|at| (at / 7).to_le_bytes()).collect();
        assert_eq!(unpacked(plain.clone()).unwrap(), plain);
        assert_eq!(unpacked(gzip(&plain)).unwrap(), plain);
        let (first, second) = plain.split_at(1_234_567);
        assert_eq!(unpacked([gzip(first), gzip(second)].concat()).unwrap(), plain, "two members, one file");
        let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        packer.write_all(&plain).unwrap();
        assert_eq!(unpacked(packer.finish().unwrap()).unwrap(), plain);
        // "heddle\n", packed by the usual tools.
        let xz = [
            0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01, 0x16, 0x00,
            0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0x01, 0x00, 0x06, 0x68, 0x65, 0x64, 0x64, 0x6c, 0x65, 0x0a, 0x00, 0x00,
            0xaf, 0x7d, 0xbb, 0x2f, 0xa5, 0xaa, 0x5a, 0xf3, 0x00, 0x01, 0x1f, 0x07, 0x16, 0x2e, 0xb8, 0x73, 0x1f, 0xb6,
            0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a,
        ];
        let zstd = [
            0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x39, 0x00, 0x00, 0x68, 0x65, 0x64, 0x64, 0x6c, 0x65, 0x0a, 0x6d, 0x5b,
            0x13, 0x11,
        ];
        assert_eq!(unpacked(xz.to_vec()).unwrap(), b"heddle\n");
        assert_eq!(unpacked(zstd.to_vec()).unwrap(), b"heddle\n");
    }

    #[test]
    fn a_cut_file_gives_what_it_has_and_then_an_error() {
        let plain = vec![7u8; 100_000];
        let mut packed = gzip(&plain);
        packed.truncate(packed.len() / 2);
        let files = MemoryFiles::default();
        files.insert("x", packed);
        let mut stream = stream(&files, "x").unwrap();
        let mut out = Vec::new();
        assert!(stream.read_to_end(&mut out).is_err());
        assert!(!out.is_empty() && plain.starts_with(&out));
        assert_eq!(head(&files, "x", 10).unwrap(), [7; 10]);
    }

    /// "heddle " 30,000 times, by `zstd --long=31` from a pipe, by plain `zstd`, and by `xz --lzma2=dict=1536MiB`.
    const LONG_ZSTD: &[u8] = &[
        0x28, 0xb5, 0x2f, 0xfd, 0x04, 0xa8, 0x7c, 0x00, 0x00, 0x38, 0x68, 0x65, 0x64, 0x64, 0x6c, 0x65, 0x20, 0x01,
        0x00, 0xf6, 0xff, 0xca, 0x8b, 0x11, 0x4d, 0x00, 0x00, 0x08, 0x6c, 0x01, 0x00, 0x4c, 0x34, 0x39, 0x10, 0x02,
        0xc9, 0xbb, 0x65, 0xd4,
    ];
    const ZSTD: &[u8] = &[
        0x28, 0xb5, 0x2f, 0xfd, 0xa4, 0x50, 0x34, 0x03, 0x00, 0x7c, 0x00, 0x00, 0x38, 0x68, 0x65, 0x64, 0x64, 0x6c,
        0x65, 0x20, 0x01, 0x00, 0xf6, 0xff, 0xca, 0x8b, 0x11, 0x4d, 0x00, 0x00, 0x08, 0x6c, 0x01, 0x00, 0x4c, 0x34,
        0x39, 0x10, 0x02, 0xc9, 0xbb, 0x65, 0xd4,
    ];
    const LARGE_XZ: &[u8] = &[
        0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01, 0x25, 0x00,
        0x00, 0x00, 0x3b, 0x78, 0x7b, 0x41, 0xe3, 0x34, 0x4f, 0x00, 0x6b, 0x5d, 0x00, 0x34, 0x19, 0x48, 0xca, 0xee,
        0xc2, 0x26, 0xa6, 0x6b, 0xbf, 0xa6, 0xc0, 0xc5, 0xf8, 0xb5, 0xb2, 0x4a, 0x8c, 0x74, 0xa6, 0xd7, 0xc3, 0x24,
        0x9e, 0xdd, 0xff, 0x19, 0x24, 0xd0, 0x45, 0x4d, 0x89, 0x67, 0x2c, 0x42, 0x85, 0xc6, 0x50, 0x4d, 0xa5, 0xc8,
        0x81, 0x84, 0x6b, 0x8b, 0x5a, 0x39, 0x38, 0x01, 0x09, 0x50, 0xc4, 0x1f, 0x4b, 0xa3, 0x9c, 0xb5, 0x96, 0x9a,
        0xd6, 0xc6, 0xa5, 0x75, 0x20, 0x05, 0x66, 0xcf, 0xee, 0x98, 0x71, 0x46, 0xae, 0x31, 0x25, 0x8d, 0x91, 0x87,
        0xbe, 0xd7, 0xaa, 0x86, 0x77, 0x86, 0xb5, 0xeb, 0xda, 0xef, 0x52, 0x2d, 0x43, 0x83, 0xb9, 0x1f, 0xbc, 0xda,
        0xaa, 0x80, 0xcb, 0x2a, 0x6c, 0xdf, 0xb0, 0x8e, 0x26, 0x9b, 0x00, 0x00, 0x00, 0x00, 0xd5, 0x2c, 0x4f, 0xbd,
        0x0e, 0x40, 0x4c, 0x5c, 0x00, 0x01, 0x87, 0x01, 0xd0, 0xe8, 0x0c, 0x00, 0x80, 0xae, 0x90, 0xd0, 0xb1, 0xc4,
        0x67, 0xfb, 0x02, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a,
    ];

    fn files(bytes: &[u8]) -> MemoryFiles {
        let files = MemoryFiles::default();
        files.insert("x", bytes.to_vec());
        files
    }

    #[test]
    fn what_unpacking_takes_is_known_beforehand() {
        let needed = |bytes: &[u8]| unpacking_memory(&files(bytes), "x").unwrap();
        assert_eq!(needed(LARGE_XZ), (1536 << 20) + (1 << 20), "the dictionary");
        assert_eq!(needed(LONG_ZSTD), (1 << 31) + (1 << 20), "the window");
        assert!((1 << 18..2 << 20).contains(&needed(ZSTD)), "all of the content");
        assert_eq!(needed(b"BZh9"), 4 << 20);
        assert_eq!((needed(b"plain"), needed(b"")), (0, 0));
    }

    #[test]
    fn headers_that_are_cut_or_changed_do_not_panic() {
        for packed in [LONG_ZSTD, ZSTD, LARGE_XZ] {
            for at in 0..packed.len() {
                let mut changed = packed.to_vec();
                changed[at] ^= 0xff;
                for bytes in [&packed[..at], &changed] {
                    let files = files(bytes);
                    unpacking_memory(&files, "x").unwrap();
                    let _ = head(&files, "x", 100);
                }
            }
        }
    }

    #[test]
    fn the_beginning_is_told_without_the_memory_of_the_whole() {
        let plain = b"heddle ".repeat(30_000);
        for packed in [LONG_ZSTD, ZSTD, LARGE_XZ] {
            for length in [10, 70_000, 1 << 20] {
                let expected = &plain[..plain.len().min(length)];
                assert!(head(&files(packed), "x", length).unwrap() == expected, "{length} of {:?}", &packed[..8]);
            }
        }
        assert!(unpacked(LONG_ZSTD.to_vec()).unwrap() == plain);
        assert!(unpacked(ZSTD.to_vec()).unwrap() == plain);
    }

    #[test]
    fn frames_one_behind_the_other_are_one_file() {
        let skipped = [&0x184d_2a53_u32.to_le_bytes()[..], &5u32.to_le_bytes(), b"notes"].concat();
        let packed = [ZSTD, &skipped, ZSTD, &skipped].concat();
        let plain = b"heddle ".repeat(60_000);
        assert!(unpacked(packed).unwrap() == plain);
    }

    #[test]
    fn a_later_part_that_needs_much_more_is_refused_in_words() {
        let error = unpacked([ZSTD, LONG_ZSTD].concat()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory, "{error}");
        assert!(error.to_string().contains("unpack it first"), "{error}");
    }
}
