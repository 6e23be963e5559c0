//! A reader of packed tables as a stranger would write it from `docs/packed.md`: slow, short, and without a line in common
//! with the one it is compared with.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// A file, read whole.
pub(crate) struct Packed {
    path: PathBuf,
    bytes: Vec<u8>,
    description: Value,
    pub(crate) rows: u64,
}

impl Packed {
    pub(crate) fn open(path: &Path) -> Packed {
        let bytes = std::fs::read(path).unwrap();
        assert!(bytes.starts_with(b"HDLPACK1") && bytes.ends_with(b"HDLPACK1"));
        let end = bytes.len() - 24;
        let start = end - word(&bytes, end) as usize;
        let json = (start..end).step_by(8).find_map(|at| serde_json::from_slice::<Value>(&bytes[at..end]).ok());
        let description = json.unwrap();
        let rows = description["rows"].as_u64().unwrap();
        Packed { path: path.to_owned(), bytes, description, rows }
    }

    /// Name, type, and whether values may be missing.
    pub(crate) fn columns(&self) -> impl Iterator<Item = (&str, &str, bool)> {
        let columns = self.description["columns"].as_array().unwrap().iter();
        columns.map(|c| (c["name"].as_str().unwrap(), c["type"].as_str().unwrap(), c["nullable"] == true))
    }

    /// The values of a column, as words; none where they are missing.
    pub(crate) fn column(&self, name: &str) -> Vec<Option<u64>> {
        let columns = self.description["columns"].as_array().unwrap();
        let column = columns.iter().find(|column| column["name"] == name).unwrap();
        let missing = u64::from_str_radix(column["missing"].as_str().unwrap(), 16).unwrap();
        let chunks_at = column["chunks_at"].as_u64().unwrap() as usize;
        let others = self.others(&column["relative_to"]);
        (0..self.rows)
            .map(|row| {
                let chunk = 8 * word(&self.bytes, chunks_at + 8 * (row / 65_536) as usize) as usize;
                let mut place = chunk + 8 * (row % 65_536 / 256) as usize;
                let mut entry = word(&self.bytes, place);
                let mut block = chunk + 8 * (entry % (1 << 17)) as usize;
                if entry >> 26 & 1 == 1 {
                    place = 8 * word(&self.bytes, block) as usize;
                    entry = word(&self.bytes, place);
                    block = place + 8;
                }
                let rows = (self.rows - row / 256 * 256).min(256);
                let value = self.value(entry, block, row % 256, rows).filter(|value| *value != missing)?;
                let other = if entry >> 27 & 1 == 1 { others[row as usize] } else { 0 };
                Some(value.wrapping_add(other))
            })
            .collect()
    }

    /// For each row what its value may be relative to.
    fn others(&self, relative_to: &Value) -> Vec<u64> {
        let Some(column) = relative_to["column"].as_str() else { return Vec::new() };
        let words = |table: &Packed, name: &str| -> Vec<u64> {
            let about = table.description["columns"].as_array().unwrap().iter().find(|column| column["name"] == name);
            let missing = u64::from_str_radix(about.unwrap()["missing"].as_str().unwrap(), 16).unwrap();
            table.column(name).into_iter().map(|value| value.unwrap_or(missing)).collect()
        };
        let Some(table) = relative_to["table"].as_str() else { return words(self, column) };
        let there = words(&Packed::open(&self.path.with_file_name(format!("{table}.packed"))), column);
        let rows = words(self, relative_to["row"].as_str().unwrap());
        rows.iter().map(|row| there.get(*row as usize).copied().unwrap_or(0)).collect()
    }

    fn value(&self, entry: u64, block: usize, row: u64, rows: u64) -> Option<u64> {
        let (width, is_sloped, has_missing) = (entry >> 17 & 127, entry >> 24 & 1 == 1, entry >> 25 & 1 == 1);
        let strays = (entry >> 28 & 15) as usize;
        let base = word(&self.bytes, block);
        let slope = if is_sloped { word(&self.bytes, block + 8) as i64 } else { 0 };
        let codes = block + if is_sloped { 16 } else { 8 };
        let rows_of_strays = codes + 8 * (rows * width).div_ceil(64) as usize;
        for stray in 0..strays {
            if u64::from(self.bytes[rows_of_strays + stray]) == row {
                return Some(word(&self.bytes, rows_of_strays + 8 * (strays.div_ceil(8) + stray)));
            }
        }
        let mut code = 0u64;
        for bit in 0..width {
            let at = row * width + bit;
            code |= u64::from(self.bytes[codes + (at / 8) as usize] >> (at % 8) & 1) << bit;
        }
        if has_missing && code == 0 {
            return None;
        }
        let line = base.wrapping_add((slope.wrapping_mul(row as i64) >> 8) as u64);
        Some(line.wrapping_add(code).wrapping_sub(u64::from(has_missing)))
    }
}

fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}
