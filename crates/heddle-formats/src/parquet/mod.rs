//! Parquet files as columns of numbers and texts: as much of the format as tables of plain columns need.
//!
//! Written for this crate, since what a file claims about its lengths must not be believed, and the usual library takes
//! memory and time to build that one kind of input does not justify. Read are columns without nesting, of all physical
//! types but INT96, in the encodings that writers choose by themselves (plain, and dictionaries), unpacked, or packed by
//! Snappy, gzip or Zstandard, in pages of both versions. A column that is anything else is refused with a sentence.

mod snappy;
mod thrift;

use std::io::Read;

use crate::Files;
use crate::stream::zstd;
use thrift::{Value, read_struct};

const MAGIC: &[u8] = b"PAR1";

/// Whether the beginning of a file is that of a Parquet file.
pub(crate) fn recognise(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// A column that can be read.
#[derive(Clone, Debug)]
struct Leaf {
    name: String,
    kind: i64,
    /// Bytes of a value of fixed length.
    length: usize,
    /// Whether values may be missing.
    is_optional: bool,
}

/// A file whose description of itself was read.
pub(crate) struct Table<'a> {
    files: &'a dyn Files,
    name: String,
    length: u64,
    /// By position among the columns; `None` for what is nested.
    leaves: Vec<Option<Leaf>>,
    groups: Vec<Value>,
    /// Bytes that one page or the values of one column of a group may take.
    most: usize,
}

/// The values of a column in a group of rows.
pub(crate) enum Column {
    /// What is missing is no number.
    Numbers(Vec<f64>),
    /// By row a position among the texts; what is missing has none.
    Texts(Vec<u32>, Vec<Box<[u8]>>),
}

/// What is missing in [`Column::Texts`].
const MISSING: u32 = u32::MAX;

impl Column {
    /// How many rows.
    pub(crate) fn len(&self) -> usize {
        match self {
            Column::Numbers(numbers) => numbers.len(),
            Column::Texts(rows, _) => rows.len(),
        }
    }

    /// A number; texts that are numbers are.
    pub(crate) fn number(&self, row: usize) -> Option<f64> {
        match self {
            Column::Numbers(numbers) => numbers.get(row).copied().filter(|number| number.is_finite()),
            Column::Texts(..) => std::str::from_utf8(self.text(row)?).ok()?.trim().parse().ok(),
        }
    }

    /// A text.
    pub(crate) fn text(&self, row: usize) -> Option<&[u8]> {
        match self {
            Column::Numbers(_) => None,
            Column::Texts(rows, words) => words.get(*rows.get(row)? as usize).map(|word| &**word),
        }
    }

    /// A text, or a number as text: dictionaries of numbers become either.
    pub(crate) fn written(&self, row: usize) -> Option<String> {
        match self.text(row) {
            Some(text) => Some(String::from_utf8_lossy(text).into_owned()),
            None => self.number(row).map(|number| number.to_string()),
        }
    }
}

type Result<T> = std::result::Result<T, String>;

impl<'a> Table<'a> {
    /// Reads a file's description of itself. Pages and columns may take `memory` bytes together, about.
    pub(crate) fn open(files: &'a dyn Files, name: &str, memory: u64) -> Result<Table<'a>> {
        let cannot = |cause: std::io::Error| format!("cannot be read: {cause}");
        let length = files.len(name).map_err(cannot)?.ok_or("there is no such file")?;
        let mut bytes = Vec::new();
        files.read(name, 0..4, &mut bytes).map_err(cannot)?;
        if crate::Compression::of(&bytes).is_some() {
            return Err("a Parquet file that was packed as a whole; unpack it first".to_owned());
        }
        files.read(name, length.saturating_sub(8)..length, &mut bytes).map_err(cannot)?;
        let (end, magic) = bytes.split_at_checked(4).ok_or("too short for a Parquet file")?;
        if magic != MAGIC {
            return Err(match magic {
                b"PARE" => "it is encrypted; write it without encryption".to_owned(),
                _ => "it does not end as a Parquet file does, so it was cut or changed; copy it again".to_owned(),
            });
        }
        let footer = u64::from(u32::from_le_bytes(std::array::from_fn(|at| end[at])));
        let most = usize::try_from(memory / 8).unwrap_or(usize::MAX).max(1 << 16);
        let start = (length - 8).checked_sub(footer).filter(|_| footer <= most as u64);
        let start = start.ok_or("its end claims a description of the file that is longer than can be")?;
        files.read(name, start..length - 8, &mut bytes).map_err(cannot)?;
        let mut meta =
            read_struct(&mut &bytes[..]).ok_or_else(|| format!("byte {start}: its description is damaged"))?;
        let leaves = leaves(meta.list(2));
        let groups = match &mut meta {
            Value::Struct(fields) => {
                fields.iter_mut().find(|(number, _)| *number == 4).map(|(_, value)| std::mem::take(value))
            }
            _ => None,
        };
        let groups = match groups {
            Some(Value::List(groups)) => groups,
            _ => Vec::new(),
        };
        Ok(Table { files, name: name.to_owned(), length, leaves, groups, most })
    }

    /// How many groups of rows there are.
    pub(crate) fn groups(&self) -> usize {
        self.groups.len()
    }

    /// Whether there is a column of this name that can be read.
    pub(crate) fn has(&self, column: &str) -> bool {
        self.leaf(column).is_some()
    }

    fn leaf(&self, column: &str) -> Option<(usize, &Leaf)> {
        let leaves = self.leaves.iter().enumerate();
        leaves.filter_map(|(at, leaf)| Some((at, leaf.as_ref()?))).find(|(_, leaf)| leaf.name == column)
    }

    /// The values of a column in a group; none if there is no such column.
    pub(crate) fn column(&self, group: usize, column: &str) -> Result<Option<Column>> {
        let Some((at, leaf)) = self.leaf(column) else { return Ok(None) };
        let named = |what: String| format!("{}, rows of group {group}, column {column}: {what}", self.name);
        let Some(meta) = self.groups.get(group).and_then(|group| group.list(1).get(at)?.field(3)) else {
            return Err(named("its description is missing".to_owned()));
        };
        self.read_chunk(meta, leaf).map(Some).map_err(named)
    }

    fn read_chunk(&self, meta: &Value, leaf: &Leaf) -> Result<Column> {
        let at_least_0 = |value: Option<i64>| value.and_then(|value| u64::try_from(value).ok());
        let whole = |number: i16| at_least_0(meta.whole(number)).ok_or("its description lacks a number");
        if meta.whole(1) != Some(leaf.kind) {
            return Err("it has another type than the file says".to_owned());
        }
        if !(0..=7).contains(&leaf.kind) || leaf.kind == INT96 {
            return Err("it has values of a type that is not read; write it anew with numbers or texts".to_owned());
        }
        let (rows, packed, data) = (whole(5)?, whole(7)?, whole(9)?);
        let codec = meta.whole(4).unwrap_or(0);
        // Some writers give 0 for none.
        let first = at_least_0(meta.whole(11)).filter(|at| *at > 0).map_or(data, |dictionary| dictionary.min(data));
        let end = first.checked_add(packed).filter(|end| *end <= self.length);
        let end = end.ok_or("it reaches beyond the end of the file")?;
        if rows.saturating_mul(12) > self.most as u64 || packed > self.most as u64 {
            return Err("it has more values in one group than memory allows; allow more with --memory".to_owned());
        }
        let mut bytes = Vec::new();
        self.files.read(&self.name, first..end, &mut bytes).map_err(|cause| format!("cannot be read: {cause}"))?;
        let mut chunk =
            Chunk { leaf, rows: rows as usize, codec, most: self.most, dictionary: None, values: Values::of(leaf) };
        let mut rest = &bytes[..];
        while chunk.values.len() < chunk.rows && !rest.is_empty() {
            let place = first + (bytes.len() - rest.len()) as u64;
            chunk.page(&mut rest).map_err(|what| format!("byte {place}: {what}"))?;
        }
        if chunk.values.len() != chunk.rows {
            return Err(format!("it has {} values instead of {}", chunk.values.len(), chunk.rows));
        }
        Ok(chunk.finish())
    }
}

/// Columns from the schema, a tree in the order of the file.
fn leaves(schema: &[Value]) -> Vec<Option<Leaf>> {
    let mut leaves = Vec::new();
    // How many children are still to come at each level above; the root is the first.
    let mut open: Vec<i64> = Vec::new();
    for element in schema {
        while open.last().is_some_and(|left| *left <= 0) {
            open.pop();
        }
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        let children = element.whole(5).unwrap_or(0);
        if children > 0 {
            open.push(children);
            continue;
        }
        let is_plain = open.len() == 1 && element.whole(3).is_some_and(|repetition| repetition < 2);
        leaves.push(is_plain.then(|| Leaf {
            name: String::from_utf8_lossy(element.bytes(4).unwrap_or_default()).into_owned(),
            kind: element.whole(1).unwrap_or(-1),
            length: element.whole(2).and_then(|length| usize::try_from(length).ok()).unwrap_or(0),
            is_optional: element.whole(3) == Some(1),
        }));
    }
    leaves
}

/// Values as they are collected.
enum Values {
    Numbers(Vec<f64>),
    Texts(Vec<u32>, Vec<Box<[u8]>>),
}

impl Values {
    fn of(leaf: &Leaf) -> Values {
        if matches!(leaf.kind, 6 | 7) { Values::Texts(Vec::new(), Vec::new()) } else { Values::Numbers(Vec::new()) }
    }

    fn len(&self) -> usize {
        match self {
            Values::Numbers(numbers) => numbers.len(),
            Values::Texts(rows, _) => rows.len(),
        }
    }

    fn push_missing(&mut self) {
        match self {
            Values::Numbers(numbers) => numbers.push(f64::NAN),
            Values::Texts(rows, _) => rows.push(MISSING),
        }
    }
}

/// The values of a dictionary page.
enum Dictionary {
    Numbers(Vec<f64>),
    /// Where its texts begin among those of the column, and how many there are.
    Texts(u32, u32),
}

/// A column of a group while its pages are read.
struct Chunk<'l> {
    leaf: &'l Leaf,
    rows: usize,
    codec: i64,
    most: usize,
    dictionary: Option<Dictionary>,
    values: Values,
}

/// A physical type for times that nobody should write any more.
const INT96: i64 = 3;
/// Kinds of pages.
const DATA: i64 = 0;
const DICTIONARY: i64 = 2;
const DATA_2: i64 = 3;
const CUT: &str = "a page is cut short";

impl Chunk<'_> {
    fn finish(self) -> Column {
        match self.values {
            Values::Numbers(numbers) => Column::Numbers(numbers),
            Values::Texts(rows, words) => Column::Texts(rows, words),
        }
    }

    fn page(&mut self, rest: &mut &[u8]) -> Result<()> {
        let header = read_struct(rest).ok_or("the header of a page is damaged")?;
        let size = |number: i16| header.whole(number).and_then(|size| usize::try_from(size).ok());
        let (unpacked, packed) = (size(2).ok_or(CUT)?, size(3).ok_or(CUT)?);
        let (body, after) = rest.split_at_checked(packed).ok_or(CUT)?;
        *rest = after;
        if unpacked > self.most {
            return Err("a page takes more memory than is allowed; allow more with --memory".to_owned());
        }
        let count = |of: &Value| of.whole(1).and_then(|count| usize::try_from(count).ok()).ok_or(CUT);
        match header.whole(1) {
            Some(DATA) => {
                let of = header.field(5).ok_or(CUT)?;
                let bytes = unpack(self.codec, body, unpacked)?;
                let (mut levels, mut values) = (&[][..], &bytes[..]);
                if self.leaf.is_optional {
                    let (length, after) = values.split_at_checked(4).ok_or(CUT)?;
                    let length = u32::from_le_bytes(std::array::from_fn(|at| length[at])) as usize;
                    (levels, values) = after.split_at_checked(length).ok_or(CUT)?;
                }
                self.data(count(of)?, of.whole(2), levels, values)
            }
            Some(DATA_2) => {
                let of = header.field(8).ok_or(CUT)?;
                let length = |number: i16| usize::try_from(of.whole(number).unwrap_or(0)).unwrap_or(usize::MAX);
                let (_, after) = body.split_at_checked(length(6)).ok_or(CUT)?;
                let (levels, values) = after.split_at_checked(length(5)).ok_or(CUT)?;
                let codec = if of.whole(7) == Some(0) { 0 } else { self.codec };
                let bytes = unpack(codec, values, unpacked.saturating_sub(length(6)).saturating_sub(length(5)))?;
                self.data(count(of)?, of.whole(4), levels, &bytes)
            }
            Some(DICTIONARY) => {
                let of = header.field(7).ok_or(CUT)?;
                let bytes = unpack(self.codec, body, unpacked)?;
                self.dictionary(count(of)?, &bytes)
            }
            // Indexes say nothing about values.
            _ => Ok(()),
        }
    }

    fn dictionary(&mut self, count: usize, bytes: &[u8]) -> Result<()> {
        let mut plain = Plain { leaf: self.leaf, bytes, bit: 0 };
        let most = count.min(bytes.len() + 1);
        self.dictionary = Some(match &mut self.values {
            Values::Numbers(_) => {
                Dictionary::Numbers((0..most).map(|_| plain.number()).collect::<Option<_>>().ok_or(CUT)?)
            }
            Values::Texts(_, words) => {
                let first = words.len() as u32;
                for _ in 0..most {
                    words.push(plain.text().ok_or(CUT)?.into());
                }
                Dictionary::Texts(first, most as u32)
            }
        });
        Ok(())
    }

    fn data(&mut self, count: usize, encoding: Option<i64>, levels: &[u8], values: &[u8]) -> Result<()> {
        if count > self.rows - self.values.len() {
            return Err("a page has more values than its column".to_owned());
        }
        // Where values may be missing, a bit says whether each is there.
        let mut is_there = Hybrid::new(levels, 1);
        let is_optional = self.leaf.is_optional;
        let mut there = move || if is_optional { is_there.next().map(|level| level == 1) } else { Some(true) };
        match encoding {
            Some(0) => {
                let mut plain = Plain { leaf: self.leaf, bytes: values, bit: 0 };
                for _ in 0..count {
                    if !there().ok_or(CUT)? {
                        self.values.push_missing();
                        continue;
                    }
                    match &mut self.values {
                        Values::Numbers(numbers) => numbers.push(plain.number().ok_or(CUT)?),
                        Values::Texts(rows, words) => {
                            rows.push(words.len() as u32);
                            words.push(plain.text().ok_or(CUT)?.into());
                        }
                    }
                }
            }
            Some(2 | 8) => {
                let Some(dictionary) = &self.dictionary else {
                    return Err("values refer to a dictionary that is not there".to_owned());
                };
                let width = values.first().copied().unwrap_or(0);
                let mut at = Hybrid::new(values.get(1..).unwrap_or_default(), width.into());
                for _ in 0..count {
                    if !there().ok_or(CUT)? {
                        self.values.push_missing();
                        continue;
                    }
                    let at = at.next().ok_or(CUT)?;
                    match (&mut self.values, dictionary) {
                        (Values::Numbers(numbers), Dictionary::Numbers(known)) => {
                            numbers.push(*known.get(at as usize).ok_or(OUTSIDE)?);
                        }
                        (Values::Texts(rows, _), Dictionary::Texts(first, known)) if at < *known => {
                            rows.push(first + at);
                        }
                        _ => return Err(OUTSIDE.to_owned()),
                    }
                }
            }
            // Truth in runs.
            Some(3) if self.leaf.kind == 0 => {
                let mut bits = Hybrid::new(values.get(4..).unwrap_or_default(), 1);
                for _ in 0..count {
                    match &mut self.values {
                        Values::Numbers(numbers) if there().ok_or(CUT)? => {
                            numbers.push(f64::from(bits.next().ok_or(CUT)?));
                        }
                        values => values.push_missing(),
                    }
                }
            }
            other => {
                let name = match other {
                    Some(5) => "DELTA_BINARY_PACKED",
                    Some(6) => "DELTA_LENGTH_BYTE_ARRAY",
                    Some(7) => "DELTA_BYTE_ARRAY",
                    Some(9) => "BYTE_STREAM_SPLIT",
                    _ => "an unknown encoding",
                };
                return Err(format!(
                    "it is written in {name}; plain and dictionary encodings are read. Write it anew with these"
                ));
            }
        }
        Ok(())
    }
}

const OUTSIDE: &str = "a value lies outside of its dictionary";

/// Values one behind the other.
struct Plain<'b> {
    leaf: &'b Leaf,
    bytes: &'b [u8],
    /// Truth takes a bit.
    bit: u32,
}

impl<'b> Plain<'b> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.bytes.split_first_chunk::<N>()?;
        self.bytes = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<f64> {
        Some(match self.leaf.kind {
            0 => {
                let bit = *self.bytes.first()? >> self.bit & 1;
                self.bit += 1;
                if self.bit == 8 {
                    self.bit = 0;
                    self.bytes = &self.bytes[1..];
                }
                f64::from(bit)
            }
            1 => f64::from(i32::from_le_bytes(self.take()?)),
            2 => i64::from_le_bytes(self.take()?) as f64,
            4 => f64::from(f32::from_le_bytes(self.take()?)),
            5 => f64::from_le_bytes(self.take()?),
            _ => return None,
        })
    }

    fn text(&mut self) -> Option<&'b [u8]> {
        let length = match self.leaf.kind {
            6 => u32::from_le_bytes(self.take()?) as usize,
            _ => self.leaf.length,
        };
        let (text, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(text)
    }
}

/// Small numbers in runs of equal ones, or packed bit by bit: levels, and positions in dictionaries.
struct Hybrid<'b> {
    bytes: &'b [u8],
    width: u32,
    /// How many are left of a run, and what it repeats.
    run: u64,
    repeated: u32,
    /// Packed ones, and the position of the next bit.
    packed: &'b [u8],
    bit: usize,
}

impl<'b> Hybrid<'b> {
    fn new(bytes: &'b [u8], width: u32) -> Hybrid<'b> {
        Hybrid { bytes, width: width.min(32), run: 0, repeated: 0, packed: &[], bit: 0 }
    }

    fn next(&mut self) -> Option<u32> {
        let width = self.width as usize;
        if width == 0 {
            return Some(0);
        }
        loop {
            if self.run > 0 {
                self.run -= 1;
                return Some(self.repeated);
            }
            if self.bit + width <= self.packed.len() * 8 {
                let mut value = 0u64;
                let first = self.bit / 8;
                for (at, byte) in self.packed[first..].iter().take(5).enumerate() {
                    value |= u64::from(*byte) << (8 * at);
                }
                value = value >> (self.bit % 8) & ((1 << width) - 1);
                self.bit += width;
                return Some(value as u32);
            }
            let header = thrift::varint(&mut self.bytes)?;
            if header & 1 == 1 {
                // Eight values take as many bytes as one takes bits. The last group may be cut.
                let length = usize::try_from(header >> 1).ok()?.checked_mul(width)?.min(self.bytes.len());
                (self.packed, self.bytes) = self.bytes.split_at(length);
                self.bit = 0;
            } else {
                let (value, rest) = self.bytes.split_at_checked(width.div_ceil(8))?;
                self.bytes = rest;
                self.repeated = value.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
                self.run = header >> 1;
            }
        }
    }
}

/// Unpacks a page into at most `length` bytes.
fn unpack(codec: i64, packed: &[u8], length: usize) -> Result<Vec<u8>> {
    let damaged = "a page cannot be unpacked, so it is damaged";
    let read = |stream: &mut dyn Read| {
        let mut out = Vec::new();
        stream.take(length as u64 + 1).read_to_end(&mut out).map_err(|_| damaged)?;
        Ok::<_, String>(out)
    };
    let out = match codec {
        0 => packed.to_vec(),
        // A page without values may have no bytes at all.
        _ if packed.is_empty() => Vec::new(),
        1 => snappy::unpack(packed, length).ok_or(damaged)?,
        2 => read(&mut flate2::bufread::MultiGzDecoder::new(packed))?,
        6 => read(&mut zstd::Frames::new(packed, length as u64 + (1 << 20)).map_err(|_| damaged)?)?,
        other => {
            let name = ["", "", "", "LZO", "Brotli", "LZ4", "", "LZ4"].get(other as usize).copied().unwrap_or("");
            return Err(format!(
                "it is packed by {name}; Snappy, gzip and Zstandard are read. Write it anew with one of them"
            ));
        }
    };
    if out.len() > length { Err(damaged.to_owned()) } else { Ok(out) }
}
