//! The `.pcf` (names of types, values and states) and the `.row` (names of nodes, tasks and threads).
//!
//! Both are optional, and both are read leniently: a line that says nothing is passed over, since a name that is missing
//! has a substitute.

use rustc_hash::FxHashMap;

/// A type of event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TypeLabel {
    /// Its name.
    pub(super) name: String,
    /// Which list of values it has.
    values: u32,
}

/// What the `.pcf` says.
#[derive(Debug, Default)]
pub(super) struct Labels {
    states: FxHashMap<i64, String>,
    types: FxHashMap<u32, TypeLabel>,
    /// Types of one block share a list.
    values: Vec<FxHashMap<i64, String>>,
}

enum Section {
    Other,
    States,
    Types,
    Values,
}

impl Labels {
    pub(super) fn parse(text: &[u8]) -> Labels {
        let mut labels = Labels::default();
        let mut section = Section::Other;
        for line in String::from_utf8_lossy(text).lines() {
            let line = line.trim();
            let word = line.split_whitespace().next().unwrap_or("");
            match line {
                "STATES" => section = Section::States,
                "EVENT_TYPE" => {
                    labels.values.push(FxHashMap::default());
                    section = Section::Types;
                }
                "VALUES" if matches!(section, Section::Types | Section::Values) => section = Section::Values,
                "STATES_COLOR" | "DEFAULT_OPTIONS" | "DEFAULT_SEMANTIC" | "GRADIENT_COLOR" | "GRADIENT_NAMES" => {
                    section = Section::Other;
                }
                _ if line.is_empty() || line.starts_with('#') || word == "PRECISION" => {}
                _ => labels.line(&section, line),
            }
        }
        labels
    }

    fn line(&mut self, section: &Section, line: &str) {
        let Some((number, rest)) = numbered(line) else { return };
        match section {
            Section::Other => {}
            Section::States => _ = self.states.insert(number, rest.to_owned()),
            Section::Types => {
                // The first number is a colour.
                let Some((number, name)) = numbered(rest) else { return };
                let Ok(number) = u32::try_from(number) else { return };
                let values = self.values.len().saturating_sub(1) as u32;
                self.types.insert(number, TypeLabel { name: name.to_owned(), values });
            }
            Section::Values => {
                if let Some(values) = self.values.last_mut() {
                    values.insert(number, rest.to_owned());
                }
            }
        }
    }

    /// Whether it says nothing at all.
    pub(super) fn is_empty(&self) -> bool {
        self.states.is_empty() && self.types.is_empty()
    }

    pub(super) fn state(&self, number: i64) -> Option<&str> {
        self.states.get(&number).map(String::as_str)
    }

    pub(super) fn type_name(&self, number: u32) -> Option<&str> {
        self.types.get(&number).map(|label| label.name.as_str()).filter(|name| !name.is_empty())
    }

    pub(super) fn value(&self, number: u32, value: i64) -> Option<&str> {
        let label = self.types.get(&number)?;
        self.values.get(label.values as usize)?.get(&value).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// All types with their names.
    pub(super) fn types(&self) -> impl Iterator<Item = (u32, &str)> {
        self.types.iter().map(|(number, label)| (*number, label.name.as_str()))
    }
}

/// A number, then the rest of the line, which may itself begin with a number.
fn numbered(line: &str) -> Option<(i64, &str)> {
    let (number, rest) = line.split_once(|c: char| c.is_whitespace()).unwrap_or((line, ""));
    Some((number.parse().ok()?, rest.trim_start()))
}

/// What the `.row` says.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) nodes: Vec<String>,
    pub(super) tasks: Vec<String>,
    pub(super) threads: Vec<String>,
    pub(super) system: Vec<String>,
}

impl Rows {
    pub(super) fn parse(text: &[u8]) -> Rows {
        let mut rows = Rows::default();
        let text = String::from_utf8_lossy(text);
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let mut words = line.split_whitespace();
            let (Some("LEVEL"), Some(level), Some("SIZE"), Some(size)) =
                (words.next(), words.next(), words.next(), words.next())
            else {
                continue;
            };
            let size = size.parse().unwrap_or(0usize);
            let list = match level {
                "NODE" => &mut rows.nodes,
                "TASK" => &mut rows.tasks,
                "THREAD" => &mut rows.threads,
                "SYSTEM" => &mut rows.system,
                _ => &mut Vec::new(),
            };
            // Lines count, empty ones too; the size is only a claim.
            list.extend(lines.by_ref().take(size).map(|name| name.trim_end().to_owned()));
        }
        rows
    }

    /// Whether it says nothing at all.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.tasks.is_empty() && self.threads.is_empty()
    }
}

/// The name in a list, or another.
pub(super) fn name_or(list: &[String], at: usize, otherwise: impl FnOnce() -> String) -> String {
    list.get(at).filter(|name| !name.is_empty()).cloned().unwrap_or_else(otherwise)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_a_block_share_their_values() {
        let labels = Labels::parse(
            b"junk\nSTATES\n0\tIdle\n1  Running \nSTATES_COLOR\n0 {1,2,3}\n\nEVENT_TYPE\n9 50000001 Point to point\r\n\
              9 50000003   Other\nVALUES\n5 101 (file.cc, program)\n0 End\n\nEVENT_TYPE\n0 7 Seven\nPRECISION 2\n",
        );
        assert_eq!((labels.state(1), labels.state(2)), (Some("Running"), None));
        assert_eq!(labels.type_name(50_000_003), Some("Other"));
        assert_eq!(labels.value(50_000_001, 5), Some("101 (file.cc, program)"));
        assert_eq!((labels.value(7, 0), labels.type_name(7)), (None, Some("Seven")));
    }

    #[test]
    fn labels_of_rows_are_counted_by_line() {
        let rows =
            Rows::parse(b"LEVEL CPU SIZE 1\n1.a\n\nLEVEL NODE SIZE 3\nfirst one\n\nthird\r\nLEVEL THREAD SIZE 9\nx");
        assert_eq!(rows.nodes, ["first one", "", "third"]);
        assert_eq!(rows.threads, ["x"]);
        assert_eq!(name_or(&rows.nodes, 1, || "node 2".to_owned()), "node 2");
    }
}
