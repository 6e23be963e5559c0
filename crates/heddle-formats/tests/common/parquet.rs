//! Writes small Parquet files: plain or with dictionaries, packed or not, in pages of either version.

#![allow(dead_code, reason = "each test binary uses a part of this")]
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::io::Write;

/// A column.
pub(crate) enum Column {
    Text(Vec<Option<&'static str>>),
    Real(Vec<Option<f64>>),
    Whole(Vec<Option<i32>>),
}

/// How to write it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// 0 not packed, 1 Snappy, 2 gzip.
    pub(crate) codec: i64,
    pub(crate) dictionaries: bool,
    pub(crate) second_version: bool,
    /// Rows of a group.
    pub(crate) group: usize,
}

pub(crate) const PLAIN: Style = Style { codec: 0, dictionaries: false, second_version: false, group: usize::MAX };

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Fields of a struct, in the order of their numbers.
#[derive(Default)]
struct Struct {
    bytes: Vec<u8>,
    last: i16,
}

impl Struct {
    fn head(&mut self, number: i16, kind: u8) {
        self.bytes.push(((number - self.last) as u8) << 4 | kind);
        self.last = number;
    }

    fn whole(mut self, number: i16, value: i64) -> Struct {
        self.head(number, 6);
        varint(&mut self.bytes, (value << 1 ^ value >> 63) as u64);
        self
    }

    fn text(mut self, number: i16, text: &str) -> Struct {
        self.head(number, 8);
        varint(&mut self.bytes, text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
        self
    }

    fn nested(mut self, number: i16, value: Struct) -> Struct {
        self.head(number, 12);
        self.bytes.extend(value.end());
        self
    }

    fn list(mut self, number: i16, values: Vec<Struct>) -> Struct {
        self.head(number, 9);
        self.bytes.push(0xfc);
        varint(&mut self.bytes, values.len() as u64);
        for value in values {
            self.bytes.extend(value.end());
        }
        self
    }

    fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

fn pack(codec: i64, bytes: &[u8]) -> Vec<u8> {
    match codec {
        0 => bytes.to_vec(),
        1 => {
            // Literals only.
            let mut out = Vec::new();
            varint(&mut out, bytes.len() as u64);
            for piece in bytes.chunks(60) {
                out.push((piece.len() as u8 - 1) << 2);
                out.extend_from_slice(piece);
            }
            out
        }
        _ => {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packer.write_all(bytes).unwrap();
            packer.finish().unwrap()
        }
    }
}

/// Small numbers, packed bit by bit.
fn packed_bits(values: &[u32], width: usize) -> Vec<u8> {
    let groups = values.len().div_ceil(8);
    let mut out = Vec::new();
    varint(&mut out, (groups as u64) << 1 | 1);
    let mut bits = vec![0u8; groups * width];
    for (at, value) in values.iter().enumerate() {
        for bit in 0..width {
            bits[(at * width + bit) / 8] |= ((value >> bit & 1) as u8) << ((at * width + bit) % 8);
        }
    }
    out.extend(bits);
    out
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Column::Text(values) => values.len(),
            Column::Real(values) => values.len(),
            Column::Whole(values) => values.len(),
        }
    }

    fn kind(&self) -> i64 {
        match self {
            Column::Text(_) => 6,
            Column::Real(_) => 5,
            Column::Whole(_) => 1,
        }
    }

    /// Each value as it is written plainly.
    fn plain(&self, rows: std::ops::Range<usize>) -> Vec<Option<Vec<u8>>> {
        let text = |text: &str| [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat();
        match self {
            Column::Text(values) => values[rows].iter().map(|value| value.map(text)).collect(),
            Column::Real(values) => values[rows].iter().map(|value| value.map(|v| v.to_le_bytes().to_vec())).collect(),
            Column::Whole(values) => values[rows].iter().map(|value| value.map(|v| v.to_le_bytes().to_vec())).collect(),
        }
    }
}

/// A page with its header.
fn page(style: Style, kind: i64, count: usize, encoding: i64, levels: &[u8], values: &[u8]) -> Vec<u8> {
    let (unpacked, packed) = if kind == 3 {
        (levels.len() + values.len(), [levels.to_vec(), pack(style.codec, values)].concat())
    } else {
        let levels = if kind == 0 { [&(levels.len() as u32).to_le_bytes()[..], levels].concat() } else { Vec::new() };
        let all = [levels, values.to_vec()].concat();
        (all.len(), pack(style.codec, &all))
    };
    let header = Struct::default().whole(1, kind).whole(2, unpacked as i64).whole(3, packed.len() as i64);
    let of = Struct::default().whole(1, count as i64);
    let header = match kind {
        0 => header.nested(5, of.whole(2, encoding).whole(3, 3).whole(4, 3)),
        2 => header.nested(7, of.whole(2, 0)),
        _ => header.nested(
            8,
            of.whole(2, 0).whole(3, count as i64).whole(4, encoding).whole(5, levels.len() as i64).whole(6, 0),
        ),
    };
    [header.end(), packed].concat()
}

/// A file of these columns.
pub(crate) fn parquet(columns: &[(&str, Column)], style: Style) -> Vec<u8> {
    let mut file = b"PAR1".to_vec();
    let rows = columns.first().map_or(0, |(_, column)| column.len());
    let mut groups = Vec::new();
    let mut first = 0;
    while first < rows {
        let range = first..rows.min(first.saturating_add(style.group));
        let mut chunks = Vec::new();
        for (name, column) in columns {
            let start = file.len();
            let values = column.plain(range.clone());
            let levels: Vec<u32> = values.iter().map(|value| u32::from(value.is_some())).collect();
            let levels = packed_bits(&levels, 1);
            let there: Vec<Vec<u8>> = values.into_iter().flatten().collect();
            let mut data = start;
            let kind = if style.second_version { 3 } else { 0 };
            if style.dictionaries {
                let mut words = there.clone();
                words.sort();
                words.dedup();
                file.extend(page(style, 2, words.len(), 0, &[], &words.concat()));
                data = file.len();
                let at: Vec<u32> = there.iter().map(|value| words.binary_search(value).unwrap() as u32).collect();
                let body = [vec![7], packed_bits(&at, 7)].concat();
                file.extend(page(style, kind, range.len(), 8, &levels, &body));
            } else {
                file.extend(page(style, kind, range.len(), 0, &levels, &there.concat()));
            }
            let meta = Struct::default()
                .whole(1, column.kind())
                .text(3, name)
                .whole(4, style.codec)
                .whole(5, range.len() as i64)
                .whole(6, 0)
                .whole(7, (file.len() - start) as i64)
                .whole(9, data as i64);
            let meta = if style.dictionaries { meta.whole(11, start as i64) } else { meta };
            chunks.push(Struct::default().whole(2, start as i64).nested(3, meta));
        }
        groups.push(Struct::default().list(1, chunks).whole(2, 0).whole(3, range.len() as i64));
        first = range.end;
    }
    let mut schema = vec![Struct::default().text(4, "schema").whole(5, columns.len() as i64)];
    schema.extend(
        columns.iter().map(|(name, column)| Struct::default().whole(1, column.kind()).whole(3, 1).text(4, name)),
    );
    let footer = Struct::default().whole(1, 2).list(2, schema).whole(3, rows as i64).list(4, groups).end();
    file.extend_from_slice(&footer);
    file.extend_from_slice(&(footer.len() as u32).to_le_bytes());
    file.extend_from_slice(b"PAR1");
    file
}

/// StarVZ's table of tasks: three tasks on nodes 0, 2 and 10, in no order of time.
pub(crate) fn application(style: Style) -> Vec<u8> {
    let texts = |texts: &[&'static str]| Column::Text(texts.iter().map(|text| Some(*text)).collect());
    let reals = |reals: &[f64]| Column::Real(reals.iter().map(|real| Some(*real)).collect());
    parquet(
        &[
            ("ResourceId", texts(&["10_CPU0", "0_CPU0", "2_CUDA0_0", "0_CPU0"])),
            ("Node", texts(&["10", "0", "2", "0"])),
            ("ResourceType", texts(&["CPU", "CPU", "CUDA", "CPU"])),
            ("Start", reals(&[9.0, 4.25, 2.5, 0.0])),
            ("End", reals(&[11.0, 6.0, 5.0, 1.0])),
            ("Depth", reals(&[0.0; 4])),
            ("Value", texts(&["trsm", "gemm", "gemm", "potrf"])),
            ("JobId", Column::Text(vec![Some("10_3"), Some("0_4"), Some("2_7"), Some("0_1")])),
            ("X", Column::Whole(vec![Some(1), Some(2), None, Some(0)])),
            ("Y", Column::Whole(vec![Some(5), Some(2), None, Some(0)])),
            ("Iteration", Column::Whole(vec![Some(3), Some(-1), None, Some(0)])),
        ],
        style,
    )
}
