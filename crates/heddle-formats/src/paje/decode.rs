//! Lines to compact events: the part that is done for several blocks at once.
//!
//! Nothing is looked up here, since what a word means may be defined in the block before. Words that come again and
//! again (containers, types, values) become numbers within the block, so that whoever applies the events looks each of
//! them up once a block; keys and texts, which are all different, stay where they are in the bytes.

use heddle_model::{Ns, WarningKind, Warnings};

use super::header::{Field, HeaderLine, Kind, Layouts};
use super::lines::Block;
use super::number::{Unit, date, value};
use super::words::{Cursor, NO_WORD, Text, Word, Words};

/// An event line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw {
    pub(super) time: Ns,
    /// Where the line is, counted in the block from 0.
    pub(super) line: u32,
    pub(super) kind: Kind,
    /// How many user fields it has, from `fields` on.
    pub(super) user: u16,
    pub(super) fields: u32,
    pub(super) container: Word,
    pub(super) kind_of: Word,
    pub(super) more: More,
}

/// What depends on the kind.
#[derive(Clone, Copy, Debug)]
pub(super) enum More {
    Nothing,
    /// Value of a state.
    Value(Word),
    /// Value of a variable.
    Number(f64),
    /// Value of an event.
    Text(Text),
    /// Position in [`Decoded::links`].
    Link(u32),
    /// Position in [`Decoded::definitions`].
    Definition(u32),
}

/// The rest of a line that starts or ends a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawLink {
    pub(super) endpoint: Word,
    pub(super) key: Text,
    pub(super) value: Text,
}

/// The rest of a line that defines something or creates a container.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawDefinition {
    pub(super) name: Word,
    pub(super) alias: Word,
    pub(super) start_type: Word,
    pub(super) end_type: Word,
}

/// A decoded block.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    pub(super) events: Vec<Raw>,
    pub(super) words: Vec<Text>,
    pub(super) links: Vec<RawLink>,
    pub(super) definitions: Vec<RawDefinition>,
    /// User fields: which, and what.
    pub(super) fields: Vec<(u16, Text)>,
    pub(super) lines: u64,
    /// Oddities by line of the block.
    pub(super) odd: Vec<(u32, Odd)>,
    pub(super) odd_left_out: [u64; ODDITIES],
}

/// Why a line is not used, or not wholly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Odd {
    UnknownId,
    UnknownEvent,
    DefinedAgain,
    BadHeader,
    MissingField,
    BadTime,
    BadNumber,
    ExtraFields,
    LineTooLong,
}

const ODDITIES: usize = 9;

/// Oddities of a block that keep their line; of further ones there is only a count.
const MOST_ODD: usize = 64;

impl Odd {
    fn describe(self) -> (WarningKind, &'static str) {
        match self {
            Odd::UnknownId => (WarningKind::Corrupt, "lines whose event number no %EventDef defines were left out"),
            Odd::UnknownEvent => (WarningKind::UnknownRecords, "lines of events that Paje does not have were left out"),
            Odd::DefinedAgain => (
                WarningKind::DuplicateDefinition,
                "an event number is defined again; from there on the new definition holds",
            ),
            Odd::BadHeader => (WarningKind::Corrupt, "lines that begin with % and define nothing were left out"),
            Odd::MissingField => (WarningKind::Corrupt, "lines that lack a necessary field were left out"),
            Odd::BadTime => (WarningKind::Corrupt, "lines whose time is not a number were left out"),
            Odd::BadNumber => (WarningKind::Corrupt, "lines whose value is not a number were left out"),
            Odd::ExtraFields => (
                WarningKind::UnusedRecords,
                "lines have more fields than their definition; the last ones were left out",
            ),
            Odd::LineTooLong => (WarningKind::Corrupt, "a line is longer than 16 MiB; only its beginning was read"),
        }
    }
}

const ALL_ODD: [Odd; ODDITIES] = [
    Odd::UnknownId,
    Odd::UnknownEvent,
    Odd::DefinedAgain,
    Odd::BadHeader,
    Odd::MissingField,
    Odd::BadTime,
    Odd::BadNumber,
    Odd::ExtraFields,
    Odd::LineTooLong,
];

impl Decoded {
    /// Nothing, in the same memory.
    fn cleared(mut self) -> Decoded {
        self.events.clear();
        self.words.clear();
        self.links.clear();
        self.definitions.clear();
        self.fields.clear();
        Decoded {
            events: self.events,
            words: self.words,
            links: self.links,
            definitions: self.definitions,
            fields: self.fields,
            ..Decoded::default()
        }
    }

    /// The bytes of a text.
    #[inline]
    pub(super) fn text(&self, text: Text) -> &[u8] {
        self.bytes.get(text.range()).unwrap_or_default()
    }

    /// The bytes of a word.
    pub(super) fn word(&self, word: Word) -> Option<&[u8]> {
        self.words.get(word as usize).map(|text| self.text(*text))
    }

    /// The user fields of an event.
    pub(super) fn user_fields(&self, raw: &Raw) -> &[(u16, Text)] {
        self.fields.get(raw.fields as usize..raw.fields as usize + usize::from(raw.user)).unwrap_or_default()
    }

    /// Says what was odd; `first_line` is that of the block in the file, counted from 1.
    pub(super) fn report(&self, name: &str, first_line: u64, warnings: &mut Warnings) {
        for (line, odd) in &self.odd {
            let (kind, text) = odd.describe();
            warnings.add(kind, || format!("{name}, line {}", first_line + u64::from(*line)), text);
        }
        for (odd, count) in ALL_ODD.into_iter().zip(self.odd_left_out) {
            let (kind, text) = odd.describe();
            warnings.add_many(kind, count, || format!("{name}, line {first_line} or later"), text);
        }
    }

    fn odd(&mut self, line: u32, odd: Odd) {
        if self.odd.len() < MOST_ODD {
            self.odd.push((line, odd));
        } else {
            self.odd_left_out[odd as usize] += 1;
        }
    }
}

/// Where the events of a block are to be had from its definitions: fixed for most blocks, growing where a block
/// defines some itself.
pub(super) enum Head<'h> {
    Fixed(&'h Layouts),
    Growing(&'h mut Layouts),
}

impl Head<'_> {
    #[inline]
    fn get(&self) -> &Layouts {
        match self {
            Head::Fixed(layouts) => layouts,
            Head::Growing(layouts) => layouts,
        }
    }
}

/// Decodes a block into the memory of another one that is done with.
pub(super) fn decode(block: Block, mut head: Head, unit: Unit, memory: Decoded) -> Decoded {
    let bytes = block.bytes;
    let mut out = memory.cleared();
    out.events.reserve(bytes.len() / 32);
    let mut words = Words::new(std::mem::take(&mut out.words));
    let (mut at, mut line) = (0, 0u32);
    while at < bytes.len() {
        let mut cursor = Cursor { bytes: &bytes, at };
        match cursor.first() {
            None => {}
            Some(b'%') => {
                let end = cursor.line_end();
                if let Head::Growing(layouts) = &mut head {
                    match layouts.line(&bytes[cursor.at + 1..end]) {
                        HeaderLine::Fine => {}
                        HeaderLine::Again => out.odd(line, Odd::DefinedAgain),
                        HeaderLine::UnknownEvent => out.odd(line, Odd::UnknownEvent),
                        HeaderLine::Odd => out.odd(line, Odd::BadHeader),
                    }
                }
                cursor.at = end;
            }
            Some(_) => {
                if let Err(odd) = event(&mut cursor, line, head.get(), unit, &mut words, &mut out) {
                    out.odd(line, odd);
                }
            }
        }
        at = cursor.line_end() + 1;
        line += 1;
    }
    if block.cut {
        out.odd(line.saturating_sub(1), Odd::LineTooLong);
    }
    out.lines = u64::from(line);
    out.words = words.list;
    out.bytes = bytes;
    out
}

/// Reads one event line.
#[inline]
fn event<'b>(
    cursor: &mut Cursor<'b>,
    line: u32,
    layouts: &Layouts,
    unit: Unit,
    words: &mut Words<'b>,
    out: &mut Decoded,
) -> Result<(), Odd> {
    let Some(id) = cursor.token() else { return Ok(()) };
    let layout = layouts.get(cursor.of(id)).ok_or(Odd::UnknownId)?;
    let kind = layout.kind;
    let mut raw = Raw {
        time: Ns::NONE,
        line,
        kind,
        user: 0,
        fields: out.fields.len() as u32,
        container: NO_WORD,
        kind_of: NO_WORD,
        more: More::Nothing,
    };
    let (mut value_at, mut key, mut endpoint) = (None, None, NO_WORD);
    let mut definition = RawDefinition { name: NO_WORD, alias: NO_WORD, start_type: NO_WORD, end_type: NO_WORD };
    for field in &layout.fields {
        let Some(token) = cursor.token() else { break };
        match field {
            Field::Time => raw.time = date(cursor.of(token), unit).ok_or(Odd::BadTime)?,
            Field::Type => raw.kind_of = words.number(cursor, token),
            Field::Container => raw.container = words.number(cursor, token),
            Field::Value => value_at = Some(token),
            Field::Name => definition.name = words.number(cursor, token),
            Field::Alias => definition.alias = words.number(cursor, token),
            Field::StartType => definition.start_type = words.number(cursor, token),
            Field::EndType => definition.end_type = words.number(cursor, token),
            Field::Endpoint => endpoint = words.number(cursor, token),
            Field::Key => key = Some(token),
            Field::Ignored => {}
            Field::User(which) => {
                out.fields.push((*which, token));
                raw.user += 1;
            }
        }
    }
    let timed = raw.time.is_some() && raw.kind_of != NO_WORD && raw.container != NO_WORD;
    raw.more = match kind {
        Kind::PushState | Kind::SetState if timed => {
            More::Value(words.number(cursor, value_at.ok_or(Odd::MissingField)?))
        }
        Kind::PopState | Kind::ResetState if timed => More::Nothing,
        Kind::SetVariable | Kind::AddVariable | Kind::SubVariable if timed => {
            let number = value(cursor.of(value_at.ok_or(Odd::MissingField)?)).filter(|number| number.is_finite());
            More::Number(number.ok_or(Odd::BadNumber)?)
        }
        Kind::NewEvent if timed => More::Text(value_at.unwrap_or_default()),
        Kind::StartLink | Kind::EndLink if timed && endpoint != NO_WORD => {
            let key = key.ok_or(Odd::MissingField)?;
            out.links.push(RawLink { endpoint, key, value: value_at.unwrap_or_default() });
            More::Link(out.links.len() as u32 - 1)
        }
        Kind::DefineContainerType
        | Kind::DefineStateType
        | Kind::DefineEventType
        | Kind::DefineVariableType
        | Kind::DefineLinkType
        | Kind::DefineEntityValue
            if definition.name != NO_WORD || definition.alias != NO_WORD =>
        {
            out.definitions.push(definition);
            More::Definition(out.definitions.len() as u32 - 1)
        }
        Kind::CreateContainer | Kind::DestroyContainer
            if raw.time.is_some() && (definition.name != NO_WORD || definition.alias != NO_WORD) =>
        {
            out.definitions.push(definition);
            More::Definition(out.definitions.len() as u32 - 1)
        }
        Kind::TraceFile => More::Nothing,
        Kind::Unknown => return Err(Odd::UnknownEvent),
        _ => return Err(Odd::MissingField),
    };
    out.events.push(raw);
    if cursor.token().is_some() { Err(Odd::ExtraFields) } else { Ok(()) }
}
