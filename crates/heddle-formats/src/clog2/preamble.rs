//! The first 1024 bytes of a log: its version and what its writer says about it, as text.

use heddle_model::{WarningKind, Warnings};

use super::record::{Layout, SMALLEST_BLOCK};
use crate::OpenError;

/// Bytes before the first block.
pub(super) const PREAMBLE: usize = 1024;

/// Block size where the file does not say a sensible one: what the library uses unless told otherwise.
const USUAL_BLOCK: u64 = 65_536;

/// What the preamble says.
#[derive(Clone, Debug)]
pub(super) struct Preamble {
    /// The version: `CLOG-02.44`.
    pub(super) version: String,
    /// How records are laid out.
    pub(super) layout: Layout,
    /// A merged file, whose times are corrected and whose communicator numbers hold for all processes.
    pub(super) finalised: bool,
    /// Bytes in a block.
    pub(super) block: u64,
    /// Size of the world, if said.
    pub(super) world: Option<u32>,
    /// The most threads in a process.
    pub(super) threads: u32,
}

impl Preamble {
    /// Reads the preamble and looks at the first record behind it.
    pub(super) fn parse(head: &[u8], file: &str, warnings: &mut Warnings) -> Result<Preamble, OpenError> {
        let texts: Vec<&[u8]> = head[..head.len().min(PREAMBLE)].split(|byte| *byte == 0).collect();
        let version = String::from_utf8_lossy(texts[0]).into_owned();
        let number = version.strip_prefix("CLOG-02.").and_then(|minor| minor.get(..2)?.parse::<u32>().ok());
        let Some(minor) = number else {
            return Err(OpenError::Wrong {
                place: format!("{file} byte 0"),
                what: "not a CLOG-2 log: it does not begin with a version such as CLOG-02.44".to_owned(),
            });
        };
        if minor > 44 {
            let text = "a newer version of CLOG-2 than is known; it was read as version 02.44";
            warnings.add(WarningKind::UnknownRecords, || format!("{file} byte 0"), text);
        }
        // Titles end in `=`. The pointer to the communicator table has three values, the others have one.
        let value = |titles: &[&str]| {
            let at = texts.iter().position(|text| titles.iter().any(|title| title.as_bytes() == *text))?;
            Some(std::str::from_utf8(texts.get(at + 1)?).ok()?.trim().to_owned())
        };
        let truth = |title: &str| value(&[title]).map(|text| text == "TRUE");
        let count = |titles: &[&str]| value(titles).and_then(|text| text.parse::<u32>().ok());
        let block = count(&["block_size="]).map_or(0, u64::from);
        let believable = block >= SMALLEST_BLOCK as u64;
        if !believable {
            let text = "the block size is missing or too small to hold a record; 65536 was assumed";
            warnings.add(WarningKind::Corrupt, || format!("{file} byte 0"), text);
        }
        let mut layout = Layout { big: truth("is_big_endian=").unwrap_or(true), old: minor < 30 };
        let other = Layout { big: !layout.big, ..layout };
        let first = head.get(PREAMBLE..).unwrap_or_default();
        if layout.kind(first).is_some_and(|kind| layout.size(kind).is_none())
            && other.kind(first).is_some_and(|kind| other.size(kind).is_some())
        {
            let text = "the byte order is not the one in the preamble; that of the first record was used";
            warnings.add(WarningKind::Corrupt, || format!("{file} byte 0"), text);
            layout = other;
        }
        Ok(Preamble {
            version,
            layout,
            finalised: truth("is_finalzed=").unwrap_or(true),
            block: if believable { block } else { USUAL_BLOCK },
            world: count(&["max_comm_world_size=", "comm_world_size="]),
            threads: count(&["max_thread_count="]).unwrap_or(1).max(1),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> (Preamble, u64) {
        let mut warnings = Warnings::default();
        let mut bytes = text.replace('|', "\0").into_bytes();
        bytes.resize(PREAMBLE, 0);
        let preamble = Preamble::parse(&bytes, "x", &mut warnings).unwrap_or_else(|_| unreachable!());
        (preamble, warnings.to_vec().iter().map(|warning| warning.count).sum())
    }

    #[test]
    fn titles_are_found_by_name_and_may_be_missing() {
        let (newest, odd) = parse(
            "CLOG-02.44|is_big_endian=|FALSE|is_finalzed=|FALSE|block_size=|1024|max_comm_world_size=|4|\
             max_thread_count=|2|commtable_fptr=|0|1073741824|3072|",
        );
        assert_eq!((newest.layout, newest.finalised), (Layout { big: false, old: false }, false));
        assert_eq!((newest.block, newest.world, newest.threads, odd), (1024, Some(4), 2, 0));
        let (oldest, odd) = parse("CLOG-02.10|is_big_endian=|TRUE |block_size=|2048|num_buffered_blocks=|128|");
        assert_eq!((oldest.layout, oldest.finalised), (Layout { big: true, old: true }, true));
        assert_eq!((oldest.block, oldest.world, oldest.threads, odd), (2048, None, 1, 0));
        let (middle, _) = parse("CLOG-02.30|block_size=|2048|comm_world_size=|7|");
        assert_eq!((middle.layout.old, middle.world), (false, Some(7)));
        for damaged in ["CLOG-02.44|block_size=|12|", "CLOG-02.44|", "CLOG-02.44|block_size=|-5|"] {
            assert_eq!((parse(damaged).0.block, parse(damaged).1), (USUAL_BLOCK, 1), "{damaged}");
        }
        assert_eq!(parse("CLOG-02.45|block_size=|2048|").1, 1, "a version that nobody knows yet");
    }
}
