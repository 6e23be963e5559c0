//! What a picture draws of the numbers that an index of calls has: of the functions of the store's own, or of kinds of calls.

use rustc_hash::FxHashMap;

use super::CallsPicture;
use super::kinds::{ShownKind, ShownKinds};
use super::looks::Look;
use super::options::CallHeight;

/// Some of the values that heights mean.
pub(super) struct Bin {
    /// From where to where they lie, in levels.
    pub(super) place: (f64, f64),
    /// One of them.
    pub(super) value: i64,
}

/// How the calls of a number are drawn.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    /// A place among the looks.
    pub(super) look: u16,
    /// The bin of their heights; none if that is the one of their duration.
    pub(super) bin: Option<u16>,
}

/// What is drawn of an index.
pub(super) struct Drawn {
    /// Bins of what heights mean: those of durations, or one for all kinds with the same bytes.
    pub(super) bins: Vec<Bin>,
    /// By number; none of those that are not drawn.
    pub(super) shown: Vec<Option<Shown>>,
    /// All looks that there are.
    pub(super) looks: Vec<Look>,
}

impl Drawn {
    /// Of the index that a picture is taken from.
    pub(super) fn new(picture: &CallsPicture) -> Drawn {
        let index = picture.index();
        let mut drawn = Drawn { bins: Vec::new(), shown: Vec::new(), looks: Vec::new() };
        let Some(kinds) = &picture.kinds else {
            let looks = (0..=usize::from(u8::MAX)).map(|number| match index.regions().get(number) {
                Some(region) => picture.looks.of(*region).copied(),
                None => Some(picture.looks.others()),
            });
            drawn.bins = by_duration(picture);
            drawn.shown = looks.map(|look| look.map(|look| drawn.of(look, None))).collect();
            return drawn;
        };
        if picture.options.y == CallHeight::Bytes {
            drawn.take_bytes(picture, kinds);
        } else {
            drawn.bins = by_duration(picture);
            drawn.shown = kinds.iter().map(|kind| kind.map(|kind| drawn.of(kind.look, None))).collect();
        }
        drawn
    }

    /// Calls of a look, and of a bin.
    fn of(&mut self, look: Look, bin: Option<u16>) -> Shown {
        let known = self.looks.iter().position(|other| *other == look);
        let look = known.unwrap_or_else(|| {
            self.looks.push(look);
            self.looks.len() - 1
        });
        Shown { look: look as u16, bin }
    }

    /// Kinds of calls by their bytes. What the axis does not reach is not drawn.
    fn take_bytes(&mut self, picture: &CallsPicture, kinds: &ShownKinds) {
        let whole = |bytes: u64| bytes.min(i64::MAX as u64).cast_signed();
        let mut numbers = FxHashMap::default();
        let mut shown = |kind: &ShownKind| {
            let range @ (least, most) = kind.bytes.unwrap_or((0, 0));
            let value = whole(kind.middle().unwrap_or(0));
            let level = picture.heights.level(value)?;
            let new = self.bins.len() as u16;
            let bin = *numbers.entry(range).or_insert_with(|| {
                let one = (f64::from(level), f64::from(level + 1));
                let many = || (place(picture, whole(least)), place(picture, whole(most)));
                self.bins.push(Bin { place: if least == most { one } else { many() }, value });
                new
            });
            Some(self.of(kind.look, Some(bin)))
        };
        let all: Vec<Option<Shown>> = kinds.iter().map(|kind| kind.and_then(&mut shown)).collect();
        self.shown = all;
    }
}

/// Bins of durations; behind the last edge is one more.
fn by_duration(picture: &CallsPicture) -> Vec<Bin> {
    let edges = picture.index().durations();
    let after = edges.last().map(|last| [*last, *last]);
    let bins = edges.windows(2).map(|edges| [edges[0], edges[1]]).chain(after);
    let bin = |[least, after]: [i64; 2]| Bin { place: (place(picture, least), place(picture, after)), value: least };
    bins.map(bin).collect()
}

/// Where a value lies, in levels.
fn place(picture: &CallsPicture, value: i64) -> f64 {
    let levels = f64::from(picture.levels());
    (picture.heights.share(value as f64) * levels).clamp(0.0, levels)
}

impl CallsPicture<'_> {
    /// Finds the number that the index knows a call by, if it is drawn.
    pub(super) fn number_of(&self) -> Box<dyn Fn(u64) -> Option<u16> + Sync + '_> {
        if let Some(kinds) = &self.kinds {
            let numbers = kinds.numbers();
            return Box::new(|row| Some(numbers.get(row)).filter(|number| kinds.get(*number).is_some()));
        }
        let (numbers, regions) = (self.store.calls.numbers(&self.store.regions), &self.store.spans.region);
        Box::new(move |row| numbers[regions.get(row).index()])
    }
}
