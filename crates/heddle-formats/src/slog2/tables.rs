//! What stands around the tree: the header with its pointers, categories, line maps, and the list of nodes.

use std::collections::BTreeMap;

use super::fields::Fields;

/// Bytes of the header.
pub(super) const HEADER: u64 = 108;

/// The version that is read, with the two bytes of its length.
pub(super) const VERSION: &[u8] = b"\0\x0aSLOG 2.0.6";

/// Offset and size of a block.
pub(super) type Pointer = Option<(u64, u64)>;

/// Where things are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Header {
    pub(super) categories: Pointer,
    pub(super) lines: Pointer,
    pub(super) directory: Pointer,
    /// Where the last block ends that the header knows of: nothing of use is behind it. A log that was not finished does not
    /// know.
    pub(super) end: Option<u64>,
}

impl Header {
    /// Pointers that are missing point to nothing.
    pub(super) fn parse(bytes: &[u8]) -> Header {
        let mut fields = Fields::new(bytes);
        // Version, children of a node, size of leaves, depth, size of the largest block.
        let _ = fields.take(VERSION.len() + 2 + 4 + 2 + 4);
        let [categories, methods, lines, root, directory] = std::array::from_fn(|_| fields.pointer());
        let all = [categories, methods, lines, root, directory].into_iter().flatten();
        let end = all.map(|(offset, size)| offset.saturating_add(size)).max().filter(|_| directory.is_some());
        Header { categories, lines, directory, end }
    }
}

/// What a category's drawables look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Event,
    State,
    Arrow,
}

/// A kind of drawable.
#[derive(Clone, Debug)]
pub(super) struct Category {
    pub(super) name: String,
    pub(super) shape: Shape,
    /// Texts around the values of a cargo.
    pub(super) labels: Vec<String>,
    /// Letters of the values.
    pub(super) types: Vec<u8>,
    /// As 0xRRGGBB.
    pub(super) colour: Option<u32>,
    /// How many drawables the file says there are.
    pub(super) count: i64,
}

impl Category {
    /// What a drawable of this category says, if it says anything.
    pub(super) fn words(&self, cargo: &[u8]) -> Option<String> {
        if self.types.is_empty() || cargo.is_empty() {
            return None;
        }
        let mut values = crate::clog2::event_text::Values { bytes: cargo };
        let mut out = String::new();
        let texts = self.labels.iter().map(String::as_str).chain(std::iter::repeat(""));
        for (label, letter) in texts.zip(&self.types) {
            out.push_str(label);
            out.push_str(&values.next(char::from(*letter))?);
        }
        if let Some(last) = self.labels.get(self.types.len()) {
            out.push_str(last);
        }
        Some(out)
    }
}

/// Categories by index, as far as the bytes go; whether they go to the end.
pub(super) fn categories(bytes: &[u8]) -> (BTreeMap<i32, Category>, bool) {
    let mut all = BTreeMap::new();
    let mut fields = Fields::new(bytes);
    let whole = fields.count().is_some_and(|count| {
        (0..count).all(|_| category(&mut fields).map(|(index, category)| all.insert(index, category)).is_some())
    });
    (all, whole)
}

fn category(fields: &mut Fields) -> Option<(i32, Category)> {
    let (index, name) = (fields.i32()?, fields.text()?);
    let shape = match fields.i32()? {
        0 => Shape::Event,
        1 => Shape::State,
        2 => Shape::Arrow,
        _ => return None,
    };
    let colour = Some(fields.i32()? as u32 & 0xff_ffff);
    // Whether it may be edited, line width.
    fields.take(1 + 1)?;
    let labels = (0..fields.short_count()?).map(|_| fields.text()).collect::<Option<Vec<String>>>()?;
    let types = fields.short_bytes()?.to_vec();
    let methods = fields.short_count()?;
    // Inclusive and exclusive ratio follow the methods.
    fields.take(4 * methods + 8)?;
    Some((index, Category { name, shape, labels, types, colour, count: fields.i64()? }))
}

/// A table that says what lines are.
#[derive(Clone, Debug)]
pub(super) struct LineMap {
    /// Names of the columns.
    pub(super) columns: Vec<String>,
    /// Line, then a value for each column.
    pub(super) rows: Vec<(i32, Vec<i32>)>,
}

/// All line maps, as far as the bytes go; whether they go to the end.
pub(super) fn line_maps(bytes: &[u8]) -> (Vec<LineMap>, bool) {
    let mut maps = Vec::new();
    let mut fields = Fields::new(bytes);
    let whole = fields
        .count()
        .is_some_and(|count| (0..count).all(|_| line_map(&mut fields).map(|map| maps.push(map)).is_some()));
    (maps, whole)
}

fn line_map(fields: &mut Fields) -> Option<LineMap> {
    let _title = fields.text()?;
    let columns = (0..fields.count()?).map(|_| fields.text()).collect::<Option<Vec<String>>>()?;
    let row = |fields: &mut Fields| {
        let line = fields.i32()?;
        Some((line, columns.iter().map(|_| fields.i32()).collect::<Option<Vec<i32>>>()?))
    };
    let rows = (0..fields.count()?).map(|_| row(fields)).collect::<Option<Vec<_>>>()?;
    let methods = fields.short_count()?;
    fields.take(4 * methods)?;
    Some(LineMap { columns, rows })
}

/// Where a node of the tree is and what times it spans.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NodePlace {
    pub(super) depth: i16,
    pub(super) earliest: f64,
    pub(super) latest: f64,
    pub(super) offset: u64,
    pub(super) size: u64,
}

/// Bytes of a node's head.
pub(super) const NODE_HEAD: usize = 34;

impl NodePlace {
    /// From the head of a node: times, then its place in the tree, then its place in the file.
    pub(super) fn of_head(fields: &mut Fields) -> Option<NodePlace> {
        let (earliest, latest) = (fields.f64()?, fields.f64()?);
        let (depth, _x) = (fields.i16()?, fields.i32()?);
        let (offset, size) = fields.pointer()?;
        Some(NodePlace { depth, earliest, latest, offset, size })
    }
}

/// The list of all nodes; `None` if it does not hold what it says.
pub(super) fn directory(bytes: &[u8]) -> Option<Vec<NodePlace>> {
    let mut fields = Fields::new(bytes);
    (0..fields.count()?)
        .map(|_| {
            let (depth, _x) = (fields.i16()?, fields.i32()?);
            let (earliest, latest) = (fields.f64()?, fields.f64()?);
            let (offset, size) = fields.pointer()?;
            Some(NodePlace { depth, earliest, latest, offset, size })
        })
        .collect()
}
