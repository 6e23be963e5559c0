//! The head of a file: which fields the lines of each event id have.
//!
//! Ids are arbitrary words and several may name the same event with different fields, so nothing is assumed about
//! them. Definitions may come anywhere before their first use.

use rustc_hash::FxHashMap;

/// The events of Paje.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    DefineContainerType,
    DefineStateType,
    DefineEventType,
    DefineVariableType,
    DefineLinkType,
    DefineEntityValue,
    CreateContainer,
    DestroyContainer,
    NewEvent,
    SetState,
    PushState,
    PopState,
    ResetState,
    SetVariable,
    AddVariable,
    SubVariable,
    StartLink,
    EndLink,
    TraceFile,
    /// A name that we do not know.
    Unknown,
}

impl Kind {
    fn of(name: &[u8]) -> Kind {
        match name {
            b"PajeDefineContainerType" => Kind::DefineContainerType,
            b"PajeDefineStateType" => Kind::DefineStateType,
            b"PajeDefineEventType" => Kind::DefineEventType,
            b"PajeDefineVariableType" => Kind::DefineVariableType,
            b"PajeDefineLinkType" => Kind::DefineLinkType,
            b"PajeDefineEntityValue" => Kind::DefineEntityValue,
            b"PajeCreateContainer" => Kind::CreateContainer,
            b"PajeDestroyContainer" => Kind::DestroyContainer,
            b"PajeNewEvent" => Kind::NewEvent,
            b"PajeSetState" => Kind::SetState,
            b"PajePushState" => Kind::PushState,
            b"PajePopState" => Kind::PopState,
            b"PajeResetState" => Kind::ResetState,
            b"PajeSetVariable" => Kind::SetVariable,
            b"PajeAddVariable" => Kind::AddVariable,
            b"PajeSubVariable" => Kind::SubVariable,
            b"PajeStartLink" => Kind::StartLink,
            b"PajeEndLink" => Kind::EndLink,
            b"PajeTraceFile" => Kind::TraceFile,
            _ => Kind::Unknown,
        }
    }
}

/// What a field says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Time,
    Type,
    Container,
    Value,
    Name,
    Alias,
    StartType,
    EndType,
    /// Where a link starts or ends.
    Endpoint,
    Key,
    /// Known and of no use to us: colours, the name of an included file.
    Ignored,
    /// Not of the standard: the position of its name in [`Layouts::user_names`].
    User(u16),
}

/// Most user fields that are told apart by name, and most fields of an event. Real producers have a dozen.
const MOST_FIELDS: usize = 256;

/// The fields of one event id.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) kind: Kind,
    pub(super) fields: Vec<Field>,
}

/// All event definitions so far.
#[derive(Debug, Default)]
pub(super) struct Layouts {
    all: Vec<Layout>,
    /// Ids that are small numbers: position of their layout + 1.
    small: Vec<u32>,
    others: FxHashMap<Vec<u8>, u32>,
    user_names: Vec<String>,
    /// The definition that is being read.
    open: Option<u32>,
}

/// What a line of the header was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderLine {
    /// As it should be.
    Fine,
    /// An id is defined again; the new definition is used.
    Again,
    /// An event that the standard does not have.
    UnknownEvent,
    /// It makes no sense here.
    Odd,
}

impl Layouts {
    /// The layout of an event id.
    #[inline]
    pub(super) fn get(&self, id: &[u8]) -> Option<&Layout> {
        let at = match small_number(id) {
            Some(number) => *self.small.get(number)?,
            None => *self.others.get(id)?,
        };
        self.all.get((at as usize).checked_sub(1)?)
    }

    /// The names of all user fields.
    pub(super) fn user_names(&self) -> &[String] {
        &self.user_names
    }

    /// Takes a line that begins with `%`, given without it.
    pub(super) fn line(&mut self, line: &[u8]) -> HeaderLine {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let Some(first) = words.next() else { return HeaderLine::Fine };
        if first == b"EventDef" {
            let (Some(name), Some(id)) = (words.next(), words.next()) else { return HeaderLine::Odd };
            return self.begin(Kind::of(name), id);
        }
        if first == b"EndEventDef" {
            return if self.open.take().is_some() { HeaderLine::Fine } else { HeaderLine::Odd };
        }
        let Some(open) = self.open else { return HeaderLine::Odd };
        let field = self.field(first);
        match self.all.get_mut(open as usize) {
            Some(layout) if layout.fields.len() < MOST_FIELDS => layout.fields.push(field),
            _ => return HeaderLine::Odd,
        }
        HeaderLine::Fine
    }

    fn begin(&mut self, kind: Kind, id: &[u8]) -> HeaderLine {
        let at = self.all.len() as u32;
        self.all.push(Layout { kind, fields: Vec::new() });
        self.open = Some(at);
        let before = if let Some(number) = small_number(id) {
            if number >= self.small.len() {
                self.small.resize(number + 1, 0);
            }
            std::mem::replace(&mut self.small[number], at + 1)
        } else {
            self.others.insert(id.to_vec(), at + 1).unwrap_or(0)
        };
        match (kind, before) {
            (Kind::Unknown, _) => HeaderLine::UnknownEvent,
            (_, 0) => HeaderLine::Fine,
            _ => HeaderLine::Again,
        }
    }

    /// Old producers have other names for some fields.
    fn field(&mut self, name: &[u8]) -> Field {
        match name {
            b"Time" => Field::Time,
            b"Type" | b"ContainerType" | b"EntityType" => Field::Type,
            b"Container" => Field::Container,
            b"Value" => Field::Value,
            b"Name" => Field::Name,
            b"Alias" => Field::Alias,
            b"StartContainerType" | b"SourceContainerType" => Field::StartType,
            b"EndContainerType" | b"DestContainerType" => Field::EndType,
            b"StartContainer" | b"SourceContainer" | b"EndContainer" | b"DestContainer" => Field::Endpoint,
            b"Key" => Field::Key,
            b"Color" | b"Filename" => Field::Ignored,
            _ => {
                let name = String::from_utf8_lossy(name);
                let known = self.user_names.iter().position(|known| *known == name);
                let at = known.unwrap_or_else(|| {
                    if self.user_names.len() < MOST_FIELDS {
                        self.user_names.push(name.into_owned());
                    }
                    self.user_names.len() - 1
                });
                Field::User(at as u16)
            }
        }
    }
}

/// Ids below 4096 written without leading zeros are found without hashing.
#[inline]
fn small_number(id: &[u8]) -> Option<usize> {
    if id.is_empty() || id.len() > 4 || (id[0] == b'0' && id.len() > 1) {
        return None;
    }
    let mut number = 0;
    for byte in id {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number * 10 + usize::from(digit);
    }
    (number < 4096).then_some(number)
}
