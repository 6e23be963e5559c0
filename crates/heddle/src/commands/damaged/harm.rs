//! Damage to a store: by accident, and on purpose, with checksums made right again.

#![allow(clippy::unnecessary_wraps, reason = "several ways of one type, some of which do not suit a file")]

use std::path::{Path, PathBuf};

use serde_json::Value;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use heddle_testkit::Chance;

/// What happened to a store.
pub(super) struct Harm {
    /// Which kind of damage: checksums were made right in hostile ones.
    pub(super) kind: &'static str,
    /// The file, and what was done to it.
    pub(super) what: String,
}

type Way = fn(&mut Chance, &Store, &Path) -> Option<String>;

/// Kinds of damage, by how often they are wanted.
const WAYS: [(usize, &str, Way); 10] = [
    (12, "bits flipped", flip),
    (12, "bytes set", set_bytes),
    (8, "a stretch zeroed", zero),
    (6, "cut short", cut),
    (4, "made longer", extend),
    (4, "files swapped", swap),
    (4, "a file removed", remove),
    (4, "stretches of a file swapped", swap_stretches),
    (30, "hostile", hostile),
    (16, "hostile numbers of the store", hostile_list),
];

/// The files of a store.
pub(super) struct Store {
    pub(super) root: PathBuf,
    pub(super) files: Vec<PathBuf>,
}

impl Store {
    /// A copy of a store that shares its files; those that are damaged are replaced.
    pub(super) fn linked(from: &Path, to: &Path) -> Store {
        let mut files = Vec::new();
        link(from, to, &mut files);
        files.sort();
        Store { root: to.to_owned(), files }
    }

    fn name(&self, file: &Path) -> String {
        file.strip_prefix(&self.root).unwrap().display().to_string()
    }

    /// Puts content in the place of a file, which is shared with the sound store until then.
    fn replace(file: &Path, content: &[u8]) {
        std::fs::remove_file(file).unwrap();
        std::fs::write(file, content).unwrap();
    }
}

fn link(from: &Path, to: &Path, files: &mut Vec<PathBuf>) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            link(&entry.path(), &target, files);
        } else {
            std::fs::hard_link(entry.path(), &target).unwrap();
            files.push(target);
        }
    }
}

/// Does something to one file of a store; none if that kind of damage does not suit it.
pub(super) fn harm(chance: &mut Chance, store: &Store) -> Option<Harm> {
    let mut number = chance.below(WAYS.iter().map(|(often, ..)| often).sum());
    let (_, kind, way) = WAYS.iter().find(|(often, ..)| {
        let is_it = number < *often;
        number = number.wrapping_sub(*often);
        is_it
    })?;
    let file = &store.files[chance.below(store.files.len())];
    let what = way(chance, store, file)?;
    Some(Harm { kind, what: format!("{}: {what}", store.name(file)) })
}

fn flip(chance: &mut Chance, _: &Store, file: &Path) -> Option<String> {
    let mut bytes = std::fs::read(file).unwrap();
    let count = 1 + chance.below(4);
    for _ in 0..count {
        let (at, bit) = (chance.below(bytes.len()), chance.below(8));
        *bytes.get_mut(at)? ^= 1 << bit;
    }
    Store::replace(file, &bytes);
    Some(format!("{count} bits"))
}

fn set_bytes(chance: &mut Chance, _: &Store, file: &Path) -> Option<String> {
    let mut bytes = std::fs::read(file).unwrap();
    let (at, count) = (chance.below(bytes.len()), 1 + chance.below(16));
    let value = [0, 255, chance.next() as u8][chance.below(3)];
    let end = (at + count).min(bytes.len());
    bytes.get_mut(at..end)?.fill(value);
    Store::replace(file, &bytes);
    Some(format!("bytes {at} to {end} are {value}"))
}

fn zero(chance: &mut Chance, _: &Store, file: &Path) -> Option<String> {
    let mut bytes = std::fs::read(file).unwrap();
    let at = if chance.is(30) { 0 } else { chance.below(bytes.len()) };
    let count = [512, 4096, usize::MAX][chance.below(3)];
    let end = at.saturating_add(count).min(bytes.len());
    bytes.get_mut(at..end)?.fill(0);
    Store::replace(file, &bytes);
    Some(format!("bytes {at} to {end} are zero"))
}

fn cut(chance: &mut Chance, _: &Store, file: &Path) -> Option<String> {
    let mut bytes = std::fs::read(file).unwrap();
    bytes.truncate(chance.below(bytes.len()));
    Store::replace(file, &bytes);
    Some(format!("{} bytes left", bytes.len()))
}

fn extend(chance: &mut Chance, _: &Store, file: &Path) -> Option<String> {
    let mut bytes = std::fs::read(file).unwrap();
    let more = 1 + chance.below(5000);
    bytes.resize(bytes.len() + more, chance.next() as u8);
    Store::replace(file, &bytes);
    Some(format!("{more} bytes more"))
}

fn swap(chance: &mut Chance, store: &Store, file: &Path) -> Option<String> {
    let other = &store.files[chance.below(store.files.len())];
    let (ours, theirs) = (std::fs::read(file).unwrap(), std::fs::read(other).unwrap());
    Store::replace(file, &theirs);
    Store::replace(other, &ours);
    Some(format!("swapped with {}", store.name(other)))
}

fn remove(_: &mut Chance, _: &Store, file: &Path) -> Option<String> {
    std::fs::remove_file(file).unwrap();
    Some(String::new())
}

fn swap_stretches(chance: &mut Chance, _: &Store, file: &Path) -> Option<String> {
    let mut bytes = std::fs::read(file).unwrap();
    let words = bytes.len() / 8;
    let length = 1 + chance.below(words.checked_sub(2)?.min(64));
    let (one, other) = (chance.below(words - length), chance.below(words - length));
    if one.abs_diff(other) < length {
        return None;
    }
    for at in 0..8 * length {
        bytes.swap(8 * one + at, 8 * other + at);
    }
    Store::replace(file, &bytes);
    Some(format!("{length} words from {one} and {other}"))
}

/// Numbers that lead out of tables, overflow, or ask for too much.
fn number(chance: &mut Chance) -> u64 {
    let usual = [
        0,
        1,
        2,
        7,
        255,
        256,
        u64::from(u16::MAX),
        u64::from(u32::MAX),
        u64::from(u32::MAX) - 1,
        1 << 31,
        1 << 32,
        1 << 40,
        1 << 60,
        (1 << 60) + 1,
        1 << 62,
        i64::MAX as u64,
        1 << 63,
        u64::MAX,
        u64::MAX - 1,
        f64::NAN.to_bits(),
        f64::INFINITY.to_bits(),
        f64::MAX.to_bits(),
    ];
    match chance.below(4) {
        0 => chance.below(1000) as u64,
        1 => chance.next() >> chance.below(64),
        _ => usual[chance.below(usual.len())],
    }
}

/// Changes what a file says and makes its checksum right.
fn hostile(chance: &mut Chance, store: &Store, file: &Path) -> Option<String> {
    match file.extension()?.to_str()? {
        "packed" => hostile_packed(chance, store, file),
        "arrow" => hostile_arrow(chance, store, file),
        _ => hostile_list(chance, store, file),
    }
}

fn hostile_arrow(chance: &mut Chance, _: &Store, file: &Path) -> Option<String> {
    let mut bytes = std::fs::read(file).unwrap();
    let mut said = Vec::new();
    for _ in 0..=chance.below(3) {
        let wide = [1, 2, 4, 8][chance.below(4)];
        let at = chance.below(bytes.len() / wide) * wide;
        let value = number(chance);
        bytes.get_mut(at..at + wide)?.copy_from_slice(&value.to_le_bytes()[..wide]);
        said.push(format!("{wide} bytes at {at} are {value:#x}"));
    }
    Store::replace(file, &bytes);
    seal_table(file, &bytes);
    Some(said.join(", "))
}

/// The list of tables that a file is in, and its name there.
fn list_of(file: &Path) -> Option<(PathBuf, String)> {
    file.ancestors().skip(1).find_map(|folder| {
        let list = ["meta.json", "tables.json"].map(|name| folder.join(name)).into_iter().find(|list| list.exists())?;
        Some((list, file.strip_prefix(folder).ok()?.to_str()?.to_owned()))
    })
}

/// Tells the list what an Arrow file is like now.
fn seal_table(file: &Path, bytes: &[u8]) {
    let Some((list, name)) = list_of(file) else { return };
    let text = std::fs::read_to_string(&list).unwrap();
    let Ok(value) = serde_json::from_str::<Value>(&text) else { return };
    let known = if value["tables"].is_object() { &value["tables"][&name] } else { &value[&name] };
    if let Some(old) = known["xxh3"].as_str() {
        let text = text.replace(old, &format!("{:016x}", xxh3_64(bytes)));
        Store::replace(&list, seal_list(&text).as_bytes());
    }
}

/// The text of a list with its checksum made right: that of the text without it and without space.
fn seal_list(text: &str) -> String {
    let Some(at) = text.rfind("\"xxh3\"") else { return text.to_owned() };
    let before = text[..at].trim_end().trim_end_matches(',');
    let (mut short, mut is_text, mut is_escaped) = (String::new(), false, false);
    for c in before.chars() {
        if c == '"' && !is_escaped {
            is_text = !is_text;
        }
        is_escaped = c == '\\' && !is_escaped;
        if is_text || !c.is_whitespace() {
            short.push(c);
        }
    }
    short.push('}');
    format!("{before},\n  \"xxh3\": \"{:016x}\"\n}}", xxh3_64(short.as_bytes()))
}

/// Changes a number in the list of a store or result.
fn hostile_list(chance: &mut Chance, store: &Store, file: &Path) -> Option<String> {
    let (list, _) = list_of(file)?;
    let text = std::fs::read_to_string(&list).unwrap();
    let numbers: Vec<(usize, &str)> = text
        .match_indices(": ")
        .filter_map(|(at, _)| {
            let rest = &text[at + 2..];
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '-')?;
            (end > 0).then_some((at + 2, &rest[..end]))
        })
        .collect();
    let (at, old) = numbers.get(chance.below(numbers.len()))?;
    let value = number(chance);
    let new = if chance.is(30) { (value as i64).to_string() } else { value.to_string() };
    let changed = format!("{}{new}{}", &text[..*at], &text[at + old.len()..]);
    let key = text[..*at].trim_end_matches(": ").rsplit('\n').next()?.trim();
    Store::replace(&list, seal_list(&changed).as_bytes());
    Some(format!("{} says {key} {new}, not {old}", store.name(&list)))
}

/// A packed file, taken apart as `docs/packed.md` says.
struct Packed {
    words: Vec<u64>,
    /// Where the places of chunks begin, in words, and the description ends.
    tail: (usize, usize),
    about: Value,
}

impl Packed {
    fn read(file: &Path) -> Option<Packed> {
        let bytes = std::fs::read(file).unwrap();
        let words: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let end = words.len().checked_sub(3)?;
        let start = end.checked_sub(usize::try_from(*words.get(end)? / 8).ok()?)?;
        let text = bytes.get(8 * start..8 * end)?;
        let at = (0..text.len()).rev().find(|at| text[*at..].starts_with(b"{\"rows\""))?;
        let about = serde_json::from_slice(&text[at..]).ok()?;
        Some(Packed { words, tail: (start, end), about })
    }

    fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Makes the checksum of the tail right.
    fn seal(&mut self) {
        let (start, end) = self.tail;
        let tail: Vec<u8> = self.words[start..end].iter().flat_map(|word| word.to_le_bytes()).collect();
        self.words[end + 1] = xxh3_64(&tail);
    }

    /// Replaces the description, at the same length.
    fn describe(&mut self, change: impl Fn(&str) -> Option<String>) -> Option<()> {
        let (start, end) = self.tail;
        let mut tail: Vec<u8> = self.words[start..end].iter().flat_map(|word| word.to_le_bytes()).collect();
        let at = (0..tail.len()).rev().find(|at| tail[*at..].starts_with(b"{\"rows\""))?;
        let text = change(std::str::from_utf8(&tail[at..]).ok()?.trim_end())?;
        tail.truncate(at);
        tail.extend_from_slice(text.as_bytes());
        tail.resize(tail.len().next_multiple_of(8), b' ');
        let magic = *self.words.last()?;
        self.words.truncate(start);
        self.words.extend(tail.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)));
        self.tail = (start, self.words.len());
        self.words.extend([tail.len() as u64, 0, magic]);
        self.seal();
        Some(())
    }
}

fn hostile_packed(chance: &mut Chance, store: &Store, file: &Path) -> Option<String> {
    let mut packed = Packed::read(file)?;
    let columns = packed.about["columns"].as_array()?.clone();
    let column = &columns[chance.below(columns.len())];
    let (name, rows) = (column["name"].as_str()?.to_owned(), packed.about["rows"].as_u64()?);
    let said = match chance.below(10) {
        0 => {
            let value = if chance.is(50) { number(chance) } else { rows ^ 1 << chance.below(20) };
            packed
                .describe(|text| Some(text.replacen(&format!("\"rows\":{rows}"), &format!("\"rows\":{value}"), 1)))?;
            format!("{value} rows, not {rows}")
        }
        1 => {
            let places = column["chunks_at"].as_u64()? as usize / 8;
            let value = number(chance);
            if rows == 0 {
                return None;
            }
            *packed.words.get_mut(places)? = value;
            packed.seal();
            format!("the first chunk of {name} is at {value:#x}")
        }
        _ => hostile_block(chance, &mut packed, column, rows)?,
    };
    let bytes = packed.bytes();
    Store::replace(file, &bytes);
    // Its length may be another now.
    if let Some((list, _)) = list_of(file)
        && bytes.len() as u64 != std::fs::metadata(file).ok()?.len()
    {
        return Some(format!("{said}, not in {}", store.name(&list)));
    }
    Some(said)
}

/// Changes a block, and makes its checksum right.
fn hostile_block(chance: &mut Chance, packed: &mut Packed, column: &Value, rows: u64) -> Option<String> {
    if rows == 0 {
        return None;
    }
    let block = chance.below(rows.div_ceil(256) as usize);
    let of_block = (rows as usize - 256 * block).min(256);
    let chunk = packed.words[column["chunks_at"].as_u64()? as usize / 8 + block / 256] as usize;
    let mut at = chunk + block % 256;
    let mut start = chunk + (packed.words[at] & 0x1_ffff) as usize;
    if packed.words[at] >> 26 & 1 == 1 && chance.is(70) {
        at = packed.words[start] as usize;
        start = at + 1;
    }
    let mut said = format!("block {block} of {}", column["name"].as_str()?);
    let flags = packed.words[at];
    let mut entry = flags & 0xffff_ffff;
    match chance.below(8) {
        0 => {
            entry ^= 1 << (17 + chance.below(15));
            said += &format!(": described as {entry:#x}");
        }
        1 => {
            entry = entry & !0x1_ffff | chance.below(1 << 17) as u64;
            start = chunk + (entry & 0x1_ffff) as usize;
            said += &format!(": at {start}");
        }
        2 => {
            let words = words_of(entry, of_block);
            let value = chance.next();
            let at = start + chance.below(words);
            *packed.words.get_mut(at)? = value;
            said += &format!(": word {} is {value:#x}", at - start);
        }
        _ => {
            let value = number(chance);
            *packed.words.get_mut(start)? = value;
            said += &format!(": its base is {value:#x}");
        }
    }
    let end = start + words_of(entry, of_block);
    let words: Vec<u8> = packed.words.get(start..end)?.iter().flat_map(|word| word.to_le_bytes()).collect();
    packed.words[at] = entry | xxh3_64_with_seed(&words, entry) << 32;
    Some(said)
}

/// Words of a block, as its entry says.
fn words_of(entry: u64, rows: usize) -> usize {
    if entry >> 26 & 1 == 1 {
        return 1;
    }
    let (width, slope, strays) =
        ((entry >> 17 & 127) as usize, (entry >> 24 & 1) as usize, (entry >> 28 & 15) as usize);
    1 + slope + (rows * width).div_ceil(64) + strays.div_ceil(8) + strays
}
