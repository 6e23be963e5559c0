//! YAML as far as headers of traces and files of machines need it: documents of texts, lists and mappings, each with the line that it stands in.
//!
//! Nothing is made of scalars: `y` is a coordinate and not a truth value. Documents are parsed one by one, so damage in one
//! does not cost the others. Anchors are not followed; nobody writes them here.

use saphyr_parser::{Event, Parser};

/// Nesting beyond this is damage.
const DEEPEST: usize = 32;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Line in the file, from 1.
    pub line: u64,
    /// What it is.
    pub value: Value,
}

/// A text, a list or a mapping.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A scalar, as it is written.
    Text(String),
    /// A sequence.
    List(Vec<Item>),
    /// A mapping, in its order.
    Map(Vec<(String, Item)>),
}

impl Item {
    /// The value of a key; of several equal ones the first.
    pub fn get(&self, key: &str) -> Option<&Item> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, item)| item),
            Value::Text(_) | Value::List(_) => None,
        }
    }

    /// The text of a key; `None` if it is empty too.
    pub fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Item::text)
    }

    /// Its text; `None` if it is empty, or something else.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// Its keys and values; none if it is no mapping.
    pub fn entries(&self) -> &[(String, Item)] {
        match &self.value {
            Value::Map(entries) => entries,
            Value::Text(_) | Value::List(_) => &[],
        }
    }

    /// Its members; none if it is no list.
    pub fn list(&self) -> &[Item] {
        match &self.value {
            Value::List(items) => items,
            Value::Text(_) | Value::Map(_) => &[],
        }
    }
}

/// What is wrong with a document, and in which line.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Line in the file, from 1.
    pub line: u64,
    /// What is wrong.
    pub what: String,
}

/// The documents of a stream, without empty ones.
pub fn documents(text: &str) -> Vec<Result<Item, Fault>> {
    let mut documents = Vec::new();
    let (mut from, mut first_line) = (0, 1);
    let mut at = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let is_border = matches!(line.trim_end(), "---" | "...");
        if is_border {
            documents.extend(document(&text[from..at], first_line));
            (from, first_line) = (at + line.len(), number + 1);
        }
        at += line.len();
    }
    documents.extend(document(&text[from..], first_line));
    documents
}

/// One document that begins in a line; `None` if there is nothing in it.
fn document(text: &str, first_line: u64) -> Option<Result<Item, Fault>> {
    let mut building = Building::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => {
                let line = first_line + (error.marker().line() as u64).saturating_sub(1);
                return Some(Err(Fault { line, what: format!("this is not YAML: {}", error.info()) }));
            }
        };
        let line = first_line + (span.start.line() as u64).saturating_sub(1);
        if building.open.len() > DEEPEST {
            return Some(Err(Fault { line, what: format!("lists and mappings are nested more than {DEEPEST} deep") }));
        }
        building.event(event, line);
    }
    building.done.map(Ok)
}

/// Lists and mappings that are being read.
#[derive(Default)]
struct Building {
    /// Each with the key that the next value is of.
    open: Vec<(Item, Option<String>)>,
    done: Option<Item>,
}

impl Building {
    fn event(&mut self, event: Event, line: u64) {
        match event {
            Event::Scalar(text, ..) => self.value(Item { line, value: Value::Text(text.into_owned()) }),
            Event::Alias(_) => self.value(Item { line, value: Value::Text(String::new()) }),
            Event::SequenceStart(..) => self.open.push((Item { line, value: Value::List(Vec::new()) }, None)),
            Event::MappingStart(..) => self.open.push((Item { line, value: Value::Map(Vec::new()) }, None)),
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some((item, _)) = self.open.pop() {
                    self.value(item);
                }
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {}
        }
    }

    fn value(&mut self, item: Item) {
        match self.open.last_mut() {
            None => self.done = self.done.take().or(Some(item)),
            Some((Item { value: Value::List(items), .. }, _)) => items.push(item),
            Some((Item { value: Value::Map(entries), .. }, key)) => match key.take() {
                Some(key) => entries.push((key, item)),
                // Keys that are lists or mappings are of no use here; their values must not become keys.
                None => *key = Some(item.text().unwrap_or_default().to_owned()),
            },
            Some((Item { value: Value::Text(_), .. }, _)) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_their_lines_and_damage_costs_only_its_own() {
        let text = "---\nkey: A\nhardware: {\n coords: [x, y],\n dim: {x: 8, y: 2,},\n}\n---\nbad: [1, {\n---\n- [y, int32]\n...\n";
        let read = documents(text);
        assert_eq!(read.len(), 3);
        let first = read[0].as_ref().unwrap();
        let coords = first.get("hardware").unwrap().get("coords").unwrap();
        assert_eq!(coords.line, 4);
        assert_eq!(coords.list().iter().filter_map(Item::text).collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(first.get("hardware").unwrap().get("dim").unwrap().text_of("y"), Some("2"));
        let fault = read[1].as_ref().unwrap_err();
        assert!((8..=9).contains(&fault.line), "{fault:?}");
        assert_eq!(read[2].as_ref().unwrap().list()[0].list()[0].text(), Some("y"));
    }

    #[test]
    fn nesting_has_an_end() {
        assert!(documents(&"[".repeat(10_000))[0].is_err());
        assert!(documents(&("a: ".to_owned() + &"{b: ".repeat(100) + &"}".repeat(100)))[0].is_err());
        assert!(documents("").is_empty() && documents("---\n...\n# nothing\n").is_empty());
    }
}
