//! Names that outlive a store: of spans, in links and notes, and how answers are written as JSON.

use std::fmt;

use heddle_model::{LocationId, Ns, RegionId, SpanRow};
use heddle_store::Store;
use serde::{Serialize, Serializer};

use crate::scene::{Rect, Rgba};

/// A span by the id of its location in the trace and its ordinal there, written `LOCATION:ORDINAL`. Row numbers change
/// when a store is built anew; this does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpanName {
    /// The location's id in the trace.
    pub location: u64,
    /// Its number among the location's spans, in the order they were entered.
    pub ordinal: u64,
}

impl fmt::Display for SpanName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.location, self.ordinal)
    }
}

impl SpanName {
    /// The name of a span.
    pub fn of(store: &Store, span: SpanRow) -> SpanName {
        let location = store.locations.of_span(span);
        let at = u64::from(location.0);
        SpanName { location: store.locations.file_id.get(at), ordinal: span.0 - store.locations.first_span.get(at) }
    }

    /// The span of that name in a store.
    pub fn find(self, store: &Store) -> Option<SpanRow> {
        let ids = &store.locations.file_id;
        // Ids nearly always are the positions; if not, a look at all of them is still quick.
        let at = Some(self.location)
            .filter(|at| *at < store.locations.len() && ids.get(*at) == self.location)
            .or_else(|| (0..store.locations.len()).find(|at| ids.get(*at) == self.location))?;
        let rows = store.spans_of(LocationId(at as u32));
        (self.ordinal < rows.end - rows.start).then(|| SpanRow(rows.start + self.ordinal))
    }
}

impl Serialize for Rgba {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2))
    }
}

impl Serialize for Rect {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.x, self.y, self.width, self.height].serialize(serializer)
    }
}

/// 64-bit numbers are written as text: JSON numbers are exact only up to 2^53.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
pub(crate) fn time_text<S: Serializer>(time: &Ns, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&time.0)
}

/// The same for counts and sums.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
pub(crate) fn number_text<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

/// A region by its number.
#[allow(clippy::trivially_copy_pass_by_ref, clippy::ref_option, reason = "the signature is serde's")]
pub(crate) fn region_number<S: Serializer>(region: &Option<RegionId>, serializer: S) -> Result<S::Ok, S::Error> {
    region.map(|region| region.0).serialize(serializer)
}
