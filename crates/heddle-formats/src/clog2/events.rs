//! What event ids mean: the start or end of a state, or a solo event.

use heddle_model::{CollectiveOp, Region, RegionId, WarningKind, Warnings};
use rustc_hash::FxHashMap;

use super::known::{self, Guess};
use super::scan::{Scan, SoloDefinition, StateDefinition};

/// A state that events begin and end.
#[derive(Debug)]
pub(super) struct State {
    pub(super) region: RegionId,
    pub(super) name: String,
    /// How its cargo is put into words; empty without.
    pub(super) format: String,
    pub(super) collective: Option<CollectiveOp>,
}

/// What an event id means; the numbers are positions in the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Start(u32),
    End(u32),
    Solo(u32),
}

/// All event ids of a trace.
#[derive(Debug, Default)]
pub(super) struct Events {
    pub(super) states: Vec<State>,
    pub(super) solos: Vec<SoloDefinition>,
    pub(super) regions: Vec<Region>,
    meanings: FxHashMap<i32, Meaning>,
    by_name: FxHashMap<String, RegionId>,
}

impl Events {
    /// From the definitions of all files together, since only one process writes them; ids that none of them has are
    /// told by their number.
    pub(super) fn of(scans: &[(String, Scan)], warnings: &mut Warnings) -> Events {
        let mut events = Events::default();
        for (file, scan) in scans {
            scan.states.iter().for_each(|state| events.define_state(state, file, warnings));
        }
        for (file, scan) in scans {
            scan.solos.iter().for_each(|solo| events.define_solo(solo, file, warnings));
        }
        let mut unknown: Vec<i32> = scans.iter().flat_map(|(_, scan)| scan.events.iter().copied()).collect();
        unknown.retain(|event| !events.meanings.contains_key(event));
        unknown.sort_unstable();
        unknown.dedup();
        let mut guessed = FxHashMap::default();
        for event in &unknown {
            let mut state = |events: &mut Events, id: i32, name: String| {
                *guessed.entry(id).or_insert_with(|| events.add_state(name, String::new(), None))
            };
            let meaning = match known::guess(*event) {
                Guess::Start(id, name) => Meaning::Start(state(&mut events, id, name)),
                Guess::End(id, name) => Meaning::End(state(&mut events, id, name)),
                Guess::Solo(name) => {
                    events.solos.push(SoloDefinition { event: *event, name, format: String::new() });
                    Meaning::Solo(events.solos.len() as u32 - 1)
                }
            };
            events.meanings.insert(*event, meaning);
        }
        let place = || scans.first().map(|(file, _)| file.clone()).unwrap_or_default();
        let text = "event ids without a definition; they were identified by their numbers";
        warnings.add_many(WarningKind::UndefinedReference, unknown.len() as u64, place, text);
        events
    }

    /// What an id means.
    #[inline]
    pub(super) fn get(&self, event: i32) -> Option<Meaning> {
        self.meanings.get(&event).copied()
    }

    fn add_state(&mut self, name: String, format: String, colour: Option<u32>) -> u32 {
        let next = RegionId(self.regions.len() as u32);
        let region = *self.by_name.entry(name.clone()).or_insert(next);
        if region == next {
            self.regions.push(known::region(&name, colour));
        }
        let collective = known::collective(&name);
        self.states.push(State { region, name, format, collective });
        self.states.len() as u32 - 1
    }

    fn define_state(&mut self, definition: &StateDefinition, file: &str, warnings: &mut Warnings) {
        let before = [self.get(definition.start), self.get(definition.end)];
        if let [Some(Meaning::Start(start)), Some(Meaning::End(end))] = before
            && start == end
            && self.states.get(start as usize).is_some_and(|state| state.name == definition.name)
        {
            // Every process may describe the same state.
            self.states[start as usize].format.clone_from(&definition.format);
            return;
        }
        if before.iter().any(Option::is_some) {
            let text = "states that share an event id with an earlier one; the last definition is used";
            warnings.add(WarningKind::DuplicateDefinition, || format!("{file} byte {}", definition.offset), text);
        }
        let state = self.add_state(definition.name.clone(), definition.format.clone(), definition.colour);
        self.meanings.insert(definition.start, Meaning::Start(state));
        self.meanings.insert(definition.end, Meaning::End(state));
    }

    fn define_solo(&mut self, definition: &SoloDefinition, file: &str, warnings: &mut Warnings) {
        match self.get(definition.event) {
            Some(Meaning::Solo(before)) if self.solos[before as usize] == *definition => return,
            Some(Meaning::Start(_) | Meaning::End(_)) => {
                let text = "a solo event has the same id as an event of a state; it is taken as the state's";
                warnings.add(WarningKind::DuplicateDefinition, || file.to_owned(), text);
                return;
            }
            Some(Meaning::Solo(_)) => {
                let text = "a solo event is defined twice; the last definition is used";
                warnings.add(WarningKind::DuplicateDefinition, || file.to_owned(), text);
            }
            None => {}
        }
        self.solos.push(definition.clone());
        self.meanings.insert(definition.event, Meaning::Solo(self.solos.len() as u32 - 1));
    }
}
