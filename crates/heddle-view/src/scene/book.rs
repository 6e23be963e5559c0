//! Which function has which colour: decided by name, once, and kept.
//!
//! A book may hold several traces, those that somebody compares. The first that is added gets the colours that it would
//! have alone; a later one finds the names that it shares with them decided, and its other names choose among what is
//! left. Nothing that was decided ever changes, so a picture stays as it is when a further trace is opened.
//!
//! A colour is what a name means, not only where it lies in a list: a function that is everything in one trace and
//! stands beside communication in the next keeps the first one's colour, and so does one for which recorders chose two.

use std::borrow::Cow;

use heddle_model::{Paradigm, RegionId};
use heddle_store::Store;
use heddle_store::index::call_regions;
use rustc_hash::FxHashMap;

use crate::scene::palette::{CALLERS, Family, assigned, known};
use crate::scene::theme::regions_by_time;
use heddle_profile::callers::Callers;

/// The colours of functions of one or several traces, by name. An empty one knows no trace yet.
#[derive(Clone, Debug, Default)]
pub struct ColourBook {
    of_name: FxHashMap<Box<str>, Hue>,
    /// Where pictures show what functions were called from: places among the colours of callers.
    of_caller: FxHashMap<Box<str>, usize>,
}

/// A colour, whatever the theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hue {
    /// The place among well-known functions.
    Known(usize),
    /// Waiting for work.
    Idle,
    /// What whoever recorded the trace chose.
    Chosen(u32),
    /// The place among the colours of a family.
    Of(Family, usize),
}

impl ColourBook {
    /// Decides on all functions of a trace that have no colour yet.
    pub fn add(&mut self, store: &Store) {
        self.add_names(store);
        let callers = Callers::new(store).by_time(store, &call_regions(&store.regions));
        self.add_callers(store, &callers);
    }

    /// The colour of a function.
    pub(super) fn of(&self, name: &str) -> Option<Hue> {
        self.of_name.get(name).copied()
    }

    /// The book with a trace in it, whether or not it was added: what is drawn alone needs no book.
    pub(super) fn with(&self, store: &Store) -> Cow<'_, ColourBook> {
        let regions = &store.regions;
        if (0..regions.len()).all(|region| self.of_name.contains_key(regions.name.get(region))) {
            return Cow::Borrowed(self);
        }
        let mut with = self.clone();
        with.add_names(store);
        Cow::Owned(with)
    }

    /// The colours of a trace's callers, those whose calls take most time first: as many as there are colours.
    pub(crate) fn callers(&self, store: &Store, callers: &[RegionId]) -> Vec<u32> {
        let mut with = ColourBook { of_caller: self.of_caller.clone(), ..ColourBook::default() };
        with.add_callers(store, callers);
        let name = |caller: &RegionId| store.regions.name.get(u64::from(caller.0));
        callers.iter().take(CALLERS.len()).map(|caller| CALLERS[with.of_caller[name(caller)]]).collect()
    }

    fn add_names(&mut self, store: &Store) {
        let regions = &store.regions;
        let is_plain = regions.communication().is_none();
        let mut members: [Vec<(&str, Option<usize>)>; Family::ALL.len()] = Default::default();
        for region in regions_by_time(store) {
            let (id, name, chosen) = (RegionId(region as u32), regions.name.get(region), regions.colour.get(region));
            let (paradigm, talks) = (regions.paradigm_of(id), regions.communicates(id));
            let hue = match self.of(name) {
                Some(Hue::Of(family, place)) => {
                    members[family as usize].push((name, Some(place)));
                    continue;
                }
                Some(_) => continue,
                None => known(name).map(Hue::Known),
            };
            let hue = hue
                .or_else(|| (paradigm == Paradigm::Idle).then_some(Hue::Idle))
                .or_else(|| (chosen != u32::MAX && !talks).then_some(Hue::Chosen(chosen)));
            if let Some(hue) = hue {
                self.of_name.insert(name.into(), hue);
                continue;
            }
            let family = if talks {
                Family::Talk
            } else if is_plain || matches!(paradigm, Paradigm::Accelerator | Paradigm::Task) {
                Family::Work
            } else {
                Family::Own
            };
            members[family as usize].push((name, None));
        }
        for (family, members) in Family::ALL.into_iter().zip(members) {
            for (name, place) in assigned(&members, family.colours(0).len()) {
                self.of_name.entry(name.into()).or_insert(Hue::Of(family, place));
            }
        }
    }

    fn add_callers(&mut self, store: &Store, callers: &[RegionId]) {
        let name = |caller: &RegionId| store.regions.name.get(u64::from(caller.0));
        let members: Vec<(&str, Option<usize>)> =
            callers.iter().map(name).map(|name| (name, self.of_caller.get(name).copied())).collect();
        for (name, place) in assigned(&members, CALLERS.len()) {
            self.of_caller.entry(name.into()).or_insert(place);
        }
    }
}
