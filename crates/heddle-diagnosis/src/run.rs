//! A run, worked through: who waited, what it cost, the path, and the efficiencies of any window.

use heddle_model::Ns;
use heddle_store::{LongList, Progress, Store, StoreError};
use rayon::prelude::*;

use crate::delays::Delays;
use crate::efficiency::{Efficiency, efficiency};
use crate::on_path::{OnPath, on_path};
use crate::path::{PathPiece, path};
use crate::profile::{Classes, Profile, Profiles, Sums};
use crate::replay::{Change, Replay};
use crate::rows::Rows;
use crate::suspect::Cut;
use crate::waits::Waits;

/// What is known of a run before anybody is blamed.
#[derive(Debug)]
pub struct Run {
    /// Who waited for whom.
    pub waits: Waits,
    /// What that cost, and whose work it was.
    pub delays: Delays,
    /// The critical path.
    pub path: Vec<PathPiece>,
    /// How long the run took.
    pub length: i64,
    /// How long its replay takes: the same, unless the trace contradicts itself.
    pub replayed: i64,
    /// Needs that the replay could not meet.
    pub unmet: u64,
    pub(crate) sums: Sums,
    pub(crate) front: Vec<i64>,
}

/// A run and the means to replay it with something changed.
#[derive(Debug)]
pub struct Replayable {
    replay: Replay,
}

impl Run {
    /// Works through a run.
    pub fn new(store: &Store, progress: &dyn Progress) -> Result<(Run, Replayable), StoreError> {
        Run::of(&Rows::new(store), progress)
    }

    /// The same, with rows that know more afterwards.
    pub(crate) fn of(rows: &Rows<'_>, progress: &dyn Progress) -> Result<(Run, Replayable), StoreError> {
        let mut waits = Waits::new(rows, progress)?;
        let sums = Sums::new(rows, &waits)?;
        let delays = Delays::new(rows, &waits, &Profiles { rows, waits: &waits, sums: &sums }, progress)?;
        waits.points = LongList::default();
        let path = path(rows, &waits);
        let replay = Replay::new(rows, &waits, progress)?;
        let (same, ideal) = rayon::join(|| replay.run(Change::None), || replay.run(Change::IdealNetwork));
        let length = rows.run.1.since(rows.run.0);
        let (replayed, unmet, front) = (same.length, same.unmet, ideal.front);
        Ok((Run { waits, delays, path, length, replayed, unmet, sums, front }, Replayable { replay }))
    }

    /// How well a window was used.
    pub fn efficiency(&self, store: &Store, window: (Ns, Ns)) -> Efficiency {
        let rows = Rows::new(store);
        let profiles = Profiles { rows: &rows, waits: &self.waits, sums: &self.sums };
        efficiency(&profiles, &self.front, window.0.0, window.1.0)
    }

    /// What the critical path consists of, by function.
    pub fn on_path(&self, store: &Store) -> OnPath {
        let rows = Rows::new(store);
        on_path(&Profiles { rows: &rows, waits: &self.waits, sums: &self.sums }, &self.path)
    }

    /// What some rows spent their time on in a window.
    pub fn classes(&self, store: &Store, of_rows: &[usize], window: (Ns, Ns)) -> Vec<Classes> {
        let rows = Rows::new(store);
        let profiles = Profiles { rows: &rows, waits: &self.waits, sums: &self.sums };
        let of_row = |profile: &mut Profile, row: &usize| profiles.classes(*row, window.0.0, window.1.0, profile);
        of_rows.par_iter().map_init(|| Profile::new(&rows), of_row).collect()
    }
}

impl Replayable {
    /// What the run would take without some time of some locations; cuts are sorted by location, then start.
    pub fn without(&self, cuts: &[Cut]) -> i64 {
        self.replay.run(Change::Without(cuts)).length
    }
}
