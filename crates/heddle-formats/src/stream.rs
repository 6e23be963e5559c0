//! A file as a stream, unpacked on the way if it is compressed. Which compression is told by the first bytes, not by the
//! name.

use std::io::{self, BufRead, BufReader, Read};

use crate::Files;

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

/// The bytes of a file from its beginning, unpacked.
pub fn stream<'a>(files: &'a dyn Files, name: &str) -> io::Result<Box<dyn BufRead + Send + 'a>> {
    let mut plain = BufReader::with_capacity(STEP as usize, Raw { files, name: name.to_owned(), at: 0 });
    let compression = Compression::of(plain.fill_buf()?);
    let unpacked: Box<dyn Read + Send + 'a> = match compression {
        None => return Ok(Box::new(plain)),
        // Several members one after the other are one file: `cat a.gz b.gz`.
        Some(Compression::Gzip) => Box::new(flate2::bufread::MultiGzDecoder::new(plain)),
        Some(Compression::Zstd) => Box::new(ruzstd::decoding::StreamingDecoder::new(plain).map_err(io::Error::other)?),
        Some(Compression::Xz) => Box::new(lzma_rust2::XzReader::new(plain, true)),
        Some(Compression::Bzip2) => Box::new(bzip2::bufread::MultiBzDecoder::new(plain)),
    };
    Ok(Box::new(BufReader::with_capacity(STEP as usize, unpacked)))
}

/// The first bytes of a file, unpacked: by them a format is recognised. Fewer if there are fewer, or if they cannot be
/// unpacked.
pub fn head(files: &dyn Files, name: &str, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let Ok(mut stream) = stream(files, name).map(|stream| stream.take(length as u64)) else {
        files.read(name, 0..length as u64, &mut bytes)?;
        return Ok(bytes);
    };
    // What was unpacked before the damage is enough.
    let _ = stream.read_to_end(&mut bytes);
    Ok(bytes)
}

struct Raw<'a> {
    files: &'a dyn Files,
    name: String,
    at: u64,
}

impl Read for Raw<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut bytes = Vec::new();
        self.files.read(&self.name, self.at..self.at + (out.len() as u64).min(STEP), &mut bytes)?;
        out[..bytes.len()].copy_from_slice(&bytes);
        self.at += bytes.len() as u64;
        Ok(bytes.len())
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
}
