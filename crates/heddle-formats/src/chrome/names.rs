//! Names as numbers, in the order of their first appearance.

use rustc_hash::FxHashMap;

/// A table of texts without doubles.
#[derive(Debug, Default)]
pub(super) struct Names {
    all: Vec<Box<[u8]>>,
    ids: FxHashMap<Box<[u8]>, u32>,
    /// Bytes that the texts take, each twice.
    bytes: usize,
}

impl Names {
    /// The number of a text.
    #[inline]
    pub(super) fn id(&mut self, text: &[u8]) -> u32 {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = self.all.len() as u32;
        self.all.push(text.into());
        self.ids.insert(text.into(), id);
        self.bytes += 2 * text.len() + 64;
        id
    }

    /// The same, unless the table would take more than `most` bytes: then everything new is one name.
    pub(super) fn id_within(&mut self, text: &[u8], most: usize, refused: &mut u64) -> u32 {
        if self.bytes < most || self.ids.contains_key(text) {
            return self.id(text);
        }
        *refused += 1;
        self.id(b"(too many distinct names)")
    }

    pub(super) fn get(&self, id: u32) -> &[u8] {
        self.all.get(id as usize).map_or(&[], |text| text)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.all.iter().map(AsRef::as_ref)
    }
}
