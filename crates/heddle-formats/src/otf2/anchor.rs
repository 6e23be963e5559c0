//! The anchor file: what an archive is made of and how its other files are cut into chunks.

use heddle_model::{WarningKind, Warnings};

use super::bytes::{ByteOrder, Fields};

/// What the anchor says that a reader needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Anchor {
    /// `None` if the anchor broke off before: the files themselves must tell.
    pub(crate) event_chunk: Option<u64>,
    pub(crate) definition_chunk: Option<u64>,
    pub(crate) creator: String,
}

/// Why an archive cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum AnchorError {
    /// Not an anchor.
    #[error(
        "not an OTF2 anchor file: it should begin with 03, a byte-order mark and \"OTF2\"; open the file that ends in .otf2"
    )]
    NotAnAnchor,
    /// A format that came later.
    #[error("OTF2 trace format {0} is newer than this program knows (2); record with an older OTF2, or update Heddle")]
    NewerFormat(u8),
    /// Files packed in containers.
    #[error(
        "this archive is packed in SIONlib containers, which cannot be read; record again with the POSIX substrate, one file per location"
    )]
    Sion,
    /// Compressed chunks, which the reference library gave up too.
    #[error(
        "this archive is zlib-compressed, which OTF2 itself gave up in version 3.0; record again without compression"
    )]
    Compressed,
}

/// Whether a file begins as an anchor does.
pub(crate) fn is_anchor(head: &[u8]) -> bool {
    head.first() == Some(&3)
        && head.get(1).is_some_and(|mark| ByteOrder::from_mark(*mark).is_some())
        && head.get(2..7) == Some(b"OTF2\0")
}

/// A chunk is at least this long in any file we accept: a header, a timestamp and the end.
const SMALLEST_CHUNK: u64 = 64;
/// The library's own limit; memory for a chunk is only ever taken for bytes that are there.
const LARGEST_CHUNK: u64 = 16 << 20;

impl Anchor {
    pub(crate) fn parse(bytes: &[u8], name: &str, warnings: &mut Warnings) -> Result<Anchor, AnchorError> {
        if !is_anchor(bytes) {
            return Err(AnchorError::NotAnAnchor);
        }
        let order = ByteOrder::from_mark(bytes[1]).ok_or(AnchorError::NotAnAnchor)?;
        let mut fields = Fields::new(&bytes[7..], order);
        let mut anchor = Anchor { event_chunk: None, definition_chunk: None, creator: String::new() };
        let complete = anchor.parse_fields(&mut fields)?;
        if complete.is_none() {
            warnings.add(
                WarningKind::Truncated,
                || format!("{name} byte {}", 7 + fields.position()),
                "the anchor file breaks off; the rest of the archive was read without it",
            );
        }
        for (what, size) in [("event", &mut anchor.event_chunk), ("definition", &mut anchor.definition_chunk)] {
            if size.is_some_and(|size| !(SMALLEST_CHUNK..=LARGEST_CHUNK).contains(&size)) {
                let text =
                    format!("the {what} chunk size in the anchor makes no sense; it was inferred from the files");
                warnings.add(WarningKind::Corrupt, || format!("{name} byte 12"), &text);
                *size = None;
            }
        }
        Ok(anchor)
    }

    /// `Ok(None)` if the bytes run out.
    fn parse_fields(&mut self, fields: &mut Fields) -> Result<Option<()>, AnchorError> {
        let Some(_anchor_format) = fields.u8() else { return Ok(None) };
        let Some(trace_format) = fields.u8() else { return Ok(None) };
        if trace_format > 2 {
            return Err(AnchorError::NewerFormat(trace_format));
        }
        if fields.sub(3).is_none() {
            return Ok(None);
        }
        let Some(event_chunk) = fields.raw64() else { return Ok(None) };
        self.event_chunk = Some(event_chunk);
        let Some(definition_chunk) = fields.raw64() else { return Ok(None) };
        self.definition_chunk = Some(definition_chunk);
        match fields.u8() {
            Some(2) => return Err(AnchorError::Sion),
            None => return Ok(None),
            _ => {}
        }
        match fields.u8() {
            Some(2) => return Err(AnchorError::Compressed),
            None => return Ok(None),
            _ => {}
        }
        let read_rest = |fields: &mut Fields| {
            fields.raw64()?;
            fields.raw64()?;
            let (_machine, creator, _description) = (fields.zstr()?, fields.zstr()?, fields.zstr()?);
            Some(creator.into_owned())
        };
        let Some(creator) = read_rest(fields) else { return Ok(None) };
        self.creator = creator;
        Ok(Some(()))
    }
}
