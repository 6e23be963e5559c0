//! Applies decoded events in the order of the file: looks words up and tells the builder.

use heddle_model::{LocationId, MessageEnd, Ns, RegionId, RequestId, Role};

use super::builder::{Builder, WORLD};
use super::decode::{Decoded, More, Raw};
use super::dialect::{Dialect, smpi_key};
use super::header::Kind;
use super::links::LinkEnd;
use super::number::whole;
use super::odd::Oddity;
use super::tables::{NONE, Nature, ROOT};
use super::words::{NO_WORD, Word};
use crate::starpu;

/// What the words of a block mean, as far as they have been looked up. An answer holds until something is defined.
#[derive(Default)]
pub(super) struct Meanings {
    containers: Vec<(u32, u32)>,
    types: Vec<(u32, u32)>,
    /// By word: version, type, region.
    values: Vec<(u32, u32, RegionId)>,
}

impl Meanings {
    fn reset(&mut self, words: usize) {
        self.containers.clear();
        self.containers.resize(words, (0, NONE));
        self.types.clear();
        self.types.resize(words, (0, NONE));
        self.values.clear();
        self.values.resize(words, (0, NONE, RegionId::NONE));
    }
}

/// Which user fields mean something to us, by their number in the header.
#[derive(Clone, Debug, Default)]
pub(super) struct UserFields {
    pub(super) names: Vec<String>,
}

impl UserFields {
    fn name(&self, at: u16) -> &str {
        self.names.get(usize::from(at)).map_or("", String::as_str)
    }
}

/// Applies blocks one after the other.
pub(super) struct Applier<'a> {
    pub(super) builder: Builder<'a>,
    meanings: Meanings,
    /// Lines before the block that is applied.
    pub(super) lines: u64,
}

impl<'a> Applier<'a> {
    pub(super) fn new(builder: Builder<'a>) -> Applier<'a> {
        Applier { builder, meanings: Meanings::default(), lines: 0 }
    }

    /// Applies a block.
    pub(super) fn block(&mut self, block: &Decoded, fields: &UserFields) {
        self.meanings.reset(block.words.len());
        for raw in &block.events {
            self.builder.odd.line = self.lines + u64::from(raw.line) + 1;
            if let Err(oddity) = self.event(block, raw, fields) {
                self.builder.odd.count(oddity);
            }
        }
        self.lines += block.lines;
        if self.builder.links.are_many() {
            self.builder.write_links(false);
        }
    }

    #[inline]
    fn container(&mut self, block: &Decoded, word: Word) -> Result<u32, Oddity> {
        let version = self.builder.tables.version;
        let Some(known) = self.meanings.containers.get_mut(word as usize) else {
            return Err(Oddity::UndefinedContainer);
        };
        if known.0 != version {
            let found = block.word(word).and_then(|word| self.builder.tables.find_container(word));
            *known = (version, found.unwrap_or(NONE));
        }
        if known.1 == NONE { Err(Oddity::UndefinedContainer) } else { Ok(known.1) }
    }

    #[inline]
    fn any_type(&mut self, block: &Decoded, word: Word) -> Result<u32, Oddity> {
        let version = self.builder.tables.version;
        let Some(known) = self.meanings.types.get_mut(word as usize) else { return Err(Oddity::UndefinedType) };
        if known.0 != version {
            let found = block.word(word).and_then(|word| self.builder.tables.find_type(word));
            *known = (version, found.unwrap_or(NONE));
        }
        if known.1 == NONE { Err(Oddity::UndefinedType) } else { Ok(known.1) }
    }

    #[inline]
    fn type_of(&mut self, block: &Decoded, word: Word, nature: Nature) -> Result<u32, Oddity> {
        let id = self.any_type(block, word)?;
        let found = &self.builder.tables.types[id as usize];
        if found.nature != nature {
            return Err(Oddity::WrongType);
        }
        if found.repeats { Err(Oddity::RepeatedState) } else { Ok(id) }
    }

    #[inline]
    fn value(&mut self, block: &Decoded, of: u32, word: Word) -> RegionId {
        let version = self.builder.tables.version;
        let Some(known) = self.meanings.values.get_mut(word as usize) else { return RegionId::NONE };
        if known.0 != version || known.1 != of {
            let region = self.builder.tables.value(of, block.word(word).unwrap_or_default());
            *known = (version, of, region);
        }
        known.2
    }

    #[inline]
    fn event(&mut self, block: &Decoded, raw: &Raw, fields: &UserFields) -> Result<(), Oddity> {
        match (raw.kind, raw.more) {
            (Kind::PushState | Kind::SetState, More::Value(value)) => {
                let container = self.container(block, raw.container)?;
                let kind = self.type_of(block, raw.kind_of, Nature::State)?;
                let region = self.value(block, kind, value);
                if raw.user == 0 && raw.kind == Kind::PushState {
                    self.builder.push_state(container, kind, region, raw.time);
                } else {
                    self.state_with_fields(block, raw, fields, (container, kind, region));
                }
            }
            (Kind::PopState, _) => {
                let container = self.container(block, raw.container)?;
                let kind = self.type_of(block, raw.kind_of, Nature::State)?;
                self.builder.pop_state(container, kind, raw.time);
            }
            (Kind::ResetState, _) => {
                let container = self.container(block, raw.container)?;
                let kind = self.type_of(block, raw.kind_of, Nature::State)?;
                self.builder.reset_state(container, kind, raw.time);
            }
            (Kind::SetVariable | Kind::AddVariable | Kind::SubVariable, More::Number(value)) => {
                let container = self.container(block, raw.container)?;
                let kind = self.type_of(block, raw.kind_of, Nature::Variable)?;
                match raw.kind {
                    Kind::SetVariable => self.builder.set_variable(container, kind, value, raw.time),
                    Kind::AddVariable => self.builder.add_variable(container, kind, value, raw.time),
                    _ => self.builder.add_variable(container, kind, -value, raw.time),
                }
            }
            (Kind::StartLink | Kind::EndLink, More::Link(at)) => return self.link(block, raw, at, fields),
            (Kind::NewEvent, More::Text(text)) => {
                let container = self.container(block, raw.container)?;
                let kind = self.type_of(block, raw.kind_of, Nature::Event)?;
                let mut text = String::from_utf8_lossy(block.text(text)).into_owned();
                if raw.user > 0 {
                    text.push(' ');
                    text.push_str(&written(block, raw, fields));
                }
                let name = self.builder.tables.types[kind as usize].name.clone();
                self.builder.mark(container, &name, text, raw.time);
            }
            (_, More::Definition(at)) => return self.define(block, raw, at),
            (Kind::TraceFile, _) => return Err(Oddity::Included),
            _ => {}
        }
        Ok(())
    }

    fn state_with_fields(
        &mut self,
        block: &Decoded,
        raw: &Raw,
        fields: &UserFields,
        (container, kind, region): (u32, u32, RegionId),
    ) {
        let given = block.user_fields(raw).iter().map(|(at, text)| (fields.name(*at), block.text(*text)));
        let regions = &self.builder.tables.regions;
        let is_runtime = |region: RegionId| {
            regions.get(region.index()).is_some_and(|region| starpu::is_runtime(region.name.as_bytes()))
        };
        let task = starpu::task(given).filter(|_| !is_runtime(region));
        let is_task = task.is_some();
        if raw.kind == Kind::PushState {
            if is_task {
                self.builder.tables.is_task(region);
            }
            self.builder.push_state(container, kind, region, raw.time);
        } else {
            self.builder.set_state(container, kind, region, raw.time, is_task);
        }
        if let Some(task) = task {
            self.builder.task(container, kind, task, raw.time);
        } else {
            self.builder.odd.count_many(Oddity::UserField, u64::from(raw.user));
        }
    }

    fn link(&mut self, block: &Decoded, raw: &Raw, at: u32, fields: &UserFields) -> Result<(), Oddity> {
        let Some(link) = block.links.get(at as usize) else { return Ok(()) };
        let kind = self.type_of(block, raw.kind_of, Nature::Link)?;
        if self.builder.tables.types[kind as usize].is_topology {
            self.builder.see(raw.time);
            return Err(Oddity::Topology);
        }
        let endpoint = self.container(block, link.endpoint)?;
        let is_start = raw.kind == Kind::StartLink;
        let (mut bytes, mut tag, mut unused) = (None, None, 0);
        for (at, text) in block.user_fields(raw) {
            match fields.name(*at) {
                "Size" => bytes = whole(block.text(*text)),
                "MPITAG" | "Tag" => tag = number_of_tag(block.text(*text)),
                _ => unused += 1,
            }
        }
        self.builder.odd.count_many(Oddity::UserField, unused);
        let key = block.text(link.key);
        if self.builder.tables.dialect == Dialect::SimGrid
            && self.builder.tables.types[kind as usize].name == "MPI_LINK"
        {
            return self.smpi_message(endpoint, is_start, key, bytes, raw.time);
        }
        let container = self.container(block, raw.container)?;
        let bytes = bytes.or_else(|| whole(block.text(link.value)));
        self.builder.see(raw.time);
        self.builder.links.add(
            kind,
            container,
            key,
            is_start,
            LinkEnd { container: endpoint, time: raw.time, bytes, tag },
        );
        Ok(())
    }

    /// A message between MPI ranks. Its key names the ranks and the tag at once, so that it need not wait for its
    /// other end; pairs are what MPI's rule makes of them, since keys pair wrongly as soon as one end is not written.
    fn smpi_message(
        &mut self,
        endpoint: u32,
        is_start: bool,
        key: &[u8],
        bytes: Option<u64>,
        time: Ns,
    ) -> Result<(), Oddity> {
        let builder = &mut self.builder;
        let track = builder.main_track(endpoint);
        let time = builder.raised(track, time);
        let parsed = smpi_key(key);
        let (sender, receiver, tag) = parsed.unwrap_or((0, 0, 0));
        // Ranks count from 1, but the other side of a Sendrecv counts from 0.
        let inside = builder.innermost(track).and_then(|region| builder.tables.regions.get(region.index()));
        let base = i64::from(inside.is_none_or(|region| region.role != Role::SendReceive));
        let other = if is_start { receiver } else { sender } - base;
        let peer = u32::try_from(other).ok().and_then(|rank| builder.ranks.get(&rank).copied());
        let peer =
            peer.filter(|_| parsed.is_some()).map_or(LocationId::NONE, |peer| LocationId(builder.main_track(peer)));
        let bytes = bytes.unwrap_or(if is_start { 0 } else { MessageEnd::UNKNOWN_LENGTH });
        // Tags of the library itself are negative; they keep their bits.
        let end = MessageEnd { peer, comm: WORLD, tag: tag as u32, bytes, request: RequestId::NONE };
        builder.added += 56;
        let block = builder.gather.block(LocationId(track));
        block.events += 1;
        if is_start {
            block.send(time, end);
        } else {
            block.recv(time, end);
        }
        if parsed.is_some() { Ok(()) } else { Err(Oddity::BadKey) }
    }

    fn define(&mut self, block: &Decoded, raw: &Raw, at: u32) -> Result<(), Oddity> {
        let Some(definition) = block.definitions.get(at as usize) else { return Ok(()) };
        let alias = block.word(definition.alias);
        let Some(name) = block.word(definition.name).or(alias) else { return Ok(()) };
        let parent = self.any_type(block, raw.kind_of);
        let nature = match raw.kind {
            Kind::CreateContainer => {
                self.builder.see(raw.time);
                let container = match raw.container {
                    NO_WORD => Ok(ROOT),
                    word => self.container(block, word),
                };
                let kind = parent?;
                let name_text = String::from_utf8_lossy(name).into_owned();
                let id = self.builder.add_container(name_text, kind, container.unwrap_or(ROOT));
                let again = self.builder.tables.name_container(alias, name, id);
                container.map_err(|_| Oddity::UndefinedParent)?;
                return if again && alias.is_some() { Err(Oddity::AliasAgain) } else { Ok(()) };
            }
            Kind::DestroyContainer => {
                let word = if definition.name == NO_WORD { definition.alias } else { definition.name };
                let container = self.container(block, word)?;
                self.builder.destroy(container, raw.time);
                return Ok(());
            }
            Kind::DefineEntityValue => {
                let kind = parent?;
                if self.builder.tables.types[kind as usize].nature == Nature::State {
                    self.builder.tables.define_value(alias, name, kind);
                }
                return Ok(());
            }
            Kind::DefineContainerType => Nature::Container,
            Kind::DefineStateType => Nature::State,
            Kind::DefineEventType => Nature::Event,
            Kind::DefineVariableType => Nature::Variable,
            _ => Nature::Link,
        };
        let ends = [definition.start_type, definition.end_type].map(|word| self.any_type(block, word));
        let tables = &mut self.builder.tables;
        let (id, again) = tables.define_type(alias, name, nature, parent.unwrap_or(NONE));
        if nature == Nature::Link && tables.dialect == Dialect::SimGrid {
            // Edges between hosts and network links: SimGrid's description of the platform.
            let of_platform = |end: &Result<u32, Oddity>| {
                end.is_ok_and(|end| matches!(tables.types[end as usize].name.as_str(), "HOST" | "LINK"))
            };
            tables.types[id as usize].is_topology = ends.iter().any(of_platform);
        }
        parent.map_err(|_| Oddity::UndefinedParent)?;
        if again { Err(Oddity::AliasAgain) } else { Ok(()) }
    }
}

/// Tags are whole numbers, some of them negative.
fn number_of_tag(text: &[u8]) -> Option<u32> {
    std::str::from_utf8(text).ok()?.parse::<i64>().ok().map(|tag| tag as u32)
}

/// The user fields of an event as text: `JobId=0_1 SubmitOrder=0_1 …`.
fn written(block: &Decoded, raw: &Raw, fields: &UserFields) -> String {
    let mut text = String::new();
    for (at, value) in block.user_fields(raw) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(fields.name(*at));
        text.push('=');
        text.push_str(&String::from_utf8_lossy(block.text(*value)));
    }
    text
}
