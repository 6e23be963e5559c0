//! Results of analyses of a trace: computed when they are asked for, in the background, and kept while they are used.
//!
//! Of each trace one computation goes on at a time, as it uses all cores; others wait for their turn. What was computed
//! lies in the store, so forgetting it here costs a moment when it is asked for again. What there is to compute is the
//! views' affair: this knows only [`Need`] and [`Analysis`].

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use heddle_store::{Progress, Store, StoreError, Work};
use heddle_view::{Analysis, Need, Steps};

/// Results that are kept open for a trace.
const MOST_KEPT: usize = 12;

/// The results of one trace.
#[derive(Debug, Default)]
pub(crate) struct Keeper {
    /// The one that was used last stands last.
    kept: Mutex<Vec<Kept>>,
    turn: Arc<Mutex<()>>,
}

#[derive(Debug)]
struct Kept {
    need: Need,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    Building(Arc<Job>),
    Ready(Analysis),
    Failed(String),
}

/// How far a result is.
#[derive(Clone, Debug)]
pub(crate) enum Progressed {
    /// It is there.
    Ready(Analysis),
    /// It is being computed: what goes on, and which part of that is done.
    Building(&'static str, f64),
    /// There is nothing to compute, and why.
    None(String),
    /// It could not be computed.
    Failed(String),
}

impl Keeper {
    fn lock(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How far a result is; starts to compute it if nobody has. A failure is told once: asking again tries again.
    pub(crate) fn ask(self: &Arc<Self>, store: &Arc<Store>, need: &Need) -> Progressed {
        if let Some(why) = need.impossible(store) {
            return Progressed::None(why);
        }
        if let Some(result) = self.get(store, need) {
            return told(&State::Ready(result));
        }
        let mut kept = self.lock();
        if let Some(at) = kept.iter().position(|one| one.need == *need) {
            let state = told(&kept[at].state);
            if matches!(state, Progressed::Failed(_)) {
                kept.remove(at);
            }
            return state;
        }
        if need.most_kept().is_some() {
            kept.retain(|one| !one.gives_way());
        }
        let job = Arc::new(Job::default());
        let state = told(&State::Building(Arc::clone(&job)));
        kept.push(Kept { need: need.clone(), state: State::Building(Arc::clone(&job)) });
        drop(kept);
        self.start(Arc::clone(store), need.clone(), job);
        state
    }

    /// A result that is there, or can be opened at once.
    pub(crate) fn get(&self, store: &Store, need: &Need) -> Option<Analysis> {
        let mut kept = self.lock();
        if let Some(at) = kept.iter().position(|one| one.need == *need) {
            let State::Ready(result) = &kept[at].state else { return None };
            let result = result.clone();
            let one = kept.remove(at);
            kept.push(one);
            return Some(result);
        }
        let known = ready(&kept);
        drop(kept);
        let result = need.find(store, known.iter().map(|(need, result)| (need, result)))?;
        self.keep(need, State::Ready(result.clone()));
        Some(result)
    }

    /// Phases and steps of a need, whether or not its metric is there.
    pub(crate) fn steps(&self, store: &Store, need: &Need) -> Option<Steps> {
        let known = ready(&self.lock());
        need.steps(store, known.iter().map(|(need, result)| (need, result)))
    }

    /// Gives up what is being computed for a need and its kin; says whether anything was.
    pub(crate) fn cancel(&self, need: &Need) -> bool {
        let mut found = false;
        for one in self.lock().iter().filter(|one| one.need.is_akin(need)) {
            if let State::Building(job) = &one.state {
                job.is_cancelled.store(true, Ordering::Relaxed);
                found = true;
            }
        }
        found
    }

    fn keep(&self, need: &Need, state: State) {
        let mut kept = self.lock();
        kept.retain(|one| one.need != *need);
        kept.push(Kept { need: need.clone(), state });
        forget(&mut kept, MOST_KEPT, |_| true);
        if let Some(most) = need.most_kept() {
            forget(&mut kept, most, |need| need.most_kept().is_some());
        }
    }

    /// Keeps what came of a job, unless nobody waits for that any more.
    fn finish(&self, need: &Need, job: &Arc<Job>, state: State) {
        let is_own = |one: &Kept| matches!(&one.state, State::Building(own) if Arc::ptr_eq(own, job));
        if self.lock().iter().any(is_own) {
            self.keep(need, state);
        }
    }

    fn start(self: &Arc<Self>, store: Arc<Store>, need: Need, job: Arc<Job>) {
        let (keeper, turn) = (Arc::downgrade(self), Arc::clone(&self.turn));
        let known = ready(&self.lock());
        std::thread::spawn(move || {
            let turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
            job.has_begun.store(true, Ordering::Relaxed);
            // A bug must not leave a page that waits for ever.
            let made = catch_unwind(AssertUnwindSafe(|| {
                need.open(&store, known.iter().map(|(need, result)| (need, result)), &*job)
            }));
            drop(turn);
            let state = match made {
                Ok(Ok(result)) => State::Ready(result),
                Ok(Err(StoreError::Cancelled)) => State::Failed("Cancelled.".to_owned()),
                Ok(Err(error)) => State::Failed(error.to_string()),
                Err(_) => State::Failed("Heddle failed at this: a bug. The terminal says where.".to_owned()),
            };
            if let Some(keeper) = keeper.upgrade() {
                keeper.finish(&need, &job, state);
            }
        });
    }
}

impl Kept {
    /// Gives itself up if it waits for its turn and is one of many that come and go: then a newer one takes its place.
    fn gives_way(&self) -> bool {
        let State::Building(job) = &self.state else { return false };
        let gives_way = self.need.most_kept().is_some() && !job.has_begun.load(Ordering::Relaxed);
        if gives_way {
            job.is_cancelled.store(true, Ordering::Relaxed);
        }
        gives_way
    }
}

/// Forgets results of some kind until there are few enough, those first that were not used for longest.
fn forget(kept: &mut Vec<Kept>, most: usize, is_of_kind: impl Fn(&Need) -> bool) {
    while kept.iter().filter(|one| is_of_kind(&one.need)).count() > most {
        let is_over = |one: &Kept| is_of_kind(&one.need) && !matches!(one.state, State::Building(_));
        let Some(at) = kept.iter().position(is_over) else { break };
        kept.remove(at);
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        for one in self.lock().iter() {
            if let State::Building(job) = &one.state {
                job.is_cancelled.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// The results that are open.
fn ready(kept: &[Kept]) -> Vec<(Need, Analysis)> {
    let open = kept.iter().filter_map(|one| match &one.state {
        State::Ready(result) => Some((one.need.clone(), result.clone())),
        _ => None,
    });
    open.collect()
}

fn told(state: &State) -> Progressed {
    match state {
        State::Ready(result) => match result.nothing() {
            Some(why) => Progressed::None(why),
            None => Progressed::Ready(result.clone()),
        },
        State::Building(job) => {
            let stage = *job.stage.lock().unwrap_or_else(PoisonError::into_inner);
            let (total, done) = (job.total.load(Ordering::Relaxed), job.done.load(Ordering::Relaxed));
            let share = if total > 0 { (done as f64 / total as f64).min(1.0) } else { 0.0 };
            Progressed::Building(stage, share)
        }
        State::Failed(error) => Progressed::Failed(error.clone()),
    }
}

/// A computation in the background.
#[derive(Debug)]
struct Job {
    is_cancelled: AtomicBool,
    has_begun: AtomicBool,
    stage: Mutex<&'static str>,
    total: AtomicU64,
    done: AtomicU64,
}

impl Default for Job {
    fn default() -> Job {
        Job {
            is_cancelled: AtomicBool::new(false),
            has_begun: AtomicBool::new(false),
            stage: Mutex::new("waiting for its turn"),
            total: AtomicU64::new(0),
            done: AtomicU64::new(0),
        }
    }
}

impl Progress for Job {
    fn begin(&self, work: Work, total: u64) {
        self.total.store(total, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = work.name();
    }

    fn advance(&self, done: u64) {
        self.done.fetch_add(done, Ordering::Relaxed);
    }

    fn waiting(&self) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = "waiting for another program that computes it";
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn building(need: Need, has_begun: bool) -> (Kept, Arc<Job>) {
        let job = Arc::new(Job { has_begun: AtomicBool::new(has_begun), ..Job::default() });
        (Kept { need, state: State::Building(Arc::clone(&job)) }, job)
    }

    #[test]
    fn what_waits_for_its_turn_gives_way_if_it_is_one_of_many() {
        let [waiting, begun, other] = [(Need::Chosen(None), false), (Need::Chosen(None), true), (Need::Kinds, false)]
            .map(|(need, has_begun)| building(need, has_begun));
        let gave_way = [&waiting, &begun, &other].map(|(kept, _)| kept.gives_way());
        let cancelled = [&waiting, &begun, &other].map(|(_, job)| job.is_cancelled.load(Ordering::Relaxed));
        assert_eq!((gave_way, cancelled), ([true, false, false], [true, false, false]));
    }

    #[test]
    fn results_of_a_kind_are_forgotten_by_when_they_were_used() {
        let failed = |need: Need, why: &str| Kept { need, state: State::Failed(why.to_owned()) };
        let mut kept = vec![building(Need::Chosen(None), true).0, failed(Need::Kinds, "kinds")];
        kept.extend(["a", "b", "c"].map(|why| failed(Need::Chosen(None), why)));
        forget(&mut kept, 2, |need| need.most_kept().is_some());
        let left = kept.iter().map(|one| match &one.state {
            State::Failed(why) => why.as_str(),
            _ => "building",
        });
        assert_eq!(left.collect::<Vec<_>>(), ["building", "kinds", "c"]);
    }

    /// A job that gave way to another one leaves nothing behind when it ends.
    #[test]
    fn what_nobody_waits_for_is_not_kept() {
        let keeper = Keeper::default();
        let (kept, job) = building(Need::Kinds, true);
        keeper.finish(&Need::Kinds, &job, State::Failed("late".to_owned()));
        assert!(keeper.lock().is_empty());
        keeper.lock().push(kept);
        keeper.finish(&Need::Kinds, &job, State::Failed("in time".to_owned()));
        assert!(matches!(&keeper.lock()[..], [Kept { state: State::Failed(_), .. }]));
    }
}
