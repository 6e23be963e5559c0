//! Work that takes a core: scenes, picks, figures, searches. As many at a time as there are cores, and one more so that
//! a small question need not wait for large ones.
//!
//! Who waits holds nothing. When a client goes away its connection drops the handler, and the question with it: what was
//! not begun never begins. A page that is panned quickly asks for a scene a frame and takes back all but the last.
//!
//! What people read after they have looked, and what takes all cores for long, waits until nothing else is being worked on.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::error::Refusal;

/// A job that may wait begins at last, even if something else is always being worked on.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// The cores, to be shared.
#[derive(Debug)]
pub(crate) struct Work {
    places: Arc<Semaphore>,
    all: usize,
    /// Told whenever a job is over.
    is_over: Arc<Notify>,
}

impl Work {
    pub(crate) fn new() -> Work {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Work::with_places(cores + 1)
    }

    fn with_places(places: usize) -> Work {
        Work { places: Arc::new(Semaphore::new(places)), all: places, is_over: Arc::new(Notify::new()) }
    }

    /// Runs a job that others go before: it begins when nothing else runs.
    pub(crate) async fn run_later<T, F>(&self, job: F) -> Result<T, Refusal>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T, Refusal> + Send + 'static,
    {
        let idle = async {
            loop {
                // Asked for before looking, so that no job ends unnoticed in between.
                let over = self.is_over.notified();
                if self.places.available_permits() >= self.all {
                    break;
                }
                over.await;
            }
        };
        // Whether it was idle or took too long: now it is its turn.
        let _ = tokio::time::timeout(LONGEST_WAIT, idle).await;
        self.run(job).await
    }

    /// Runs a job on a thread of its own when there is a place for it.
    pub(crate) async fn run<T, F>(&self, job: F) -> Result<T, Refusal>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T, Refusal> + Send + 'static,
    {
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.map_err(|_| Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "The server is about to stop."))?;
        let place = Place { permit: Some(place), is_over: Arc::clone(&self.is_over) };
        let done = tokio::task::spawn_blocking(move || {
            // Kept to the end of the job even if nobody waits for it any more: it still uses its core.
            let _place = place;
            job()
        });
        done.await.unwrap_or_else(|_| Err(Refusal::bug("Heddle failed at this: a bug. The terminal says where.")))
    }
}

/// A place that somebody has; who waits for quiet is told when it is given back, also by a job that panics.
struct Place {
    permit: Option<OwnedSemaphorePermit>,
    is_over: Arc<Notify>,
}

impl Drop for Place {
    fn drop(&mut self) {
        // Given back first: who is told looks at once.
        self.permit = None;
        self.is_over.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::task::{Context, Waker};

    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
    }

    #[test]
    fn a_job_whose_client_went_away_while_it_waited_never_begins() {
        runtime().block_on(async {
            let work = Work::with_places(1);
            let (begin, wait) = std::sync::mpsc::channel::<()>();
            let mut first = Box::pin(work.run(move || wait.recv().map_err(|_| Refusal::bug("gone"))));
            let mut context = Context::from_waker(Waker::noop());
            assert!(first.as_mut().poll(&mut context).is_pending());
            let ran = Arc::new(AtomicBool::new(false));
            let seen = Arc::clone(&ran);
            let mut second = Box::pin(work.run(move || {
                seen.store(true, Ordering::SeqCst);
                Ok(())
            }));
            assert!(second.as_mut().poll(&mut context).is_pending());
            drop(second);
            begin.send(()).unwrap();
            assert_eq!(first.await, Ok(()));
            // The place is free again, and the next job finds that the dropped one did nothing.
            assert_eq!(work.run(|| Ok(7)).await, Ok(7));
            assert!(!ran.load(Ordering::SeqCst));
        });
    }

    #[test]
    fn a_job_that_may_wait_lets_others_go_first() {
        runtime().block_on(async {
            let work = Work::with_places(3);
            let order = Arc::new(std::sync::Mutex::new(Vec::new()));
            let note = |what: &'static str| {
                let order = Arc::clone(&order);
                move || order.lock().unwrap().push(what)
            };
            let (begin, wait) = std::sync::mpsc::channel::<()>();
            let (now, later, next) = (note("now"), note("later"), note("next"));
            let mut first = Box::pin(work.run(move || {
                wait.recv().map_err(|_| Refusal::bug("gone"))?;
                now();
                Ok(())
            }));
            let mut context = Context::from_waker(Waker::noop());
            assert!(first.as_mut().poll(&mut context).is_pending());
            // There are two more places, but something is being worked on.
            let mut second = Box::pin(work.run_later(move || {
                later();
                Ok(())
            }));
            assert!(second.as_mut().poll(&mut context).is_pending());
            // Another that came later takes one of them, is done, and it still waits.
            let another = work.run(move || {
                next();
                Ok(())
            });
            assert_eq!(another.await, Ok(()));
            assert!(second.as_mut().poll(&mut context).is_pending());
            begin.send(()).unwrap();
            assert_eq!(second.await, Ok(()));
            assert_eq!(first.await, Ok(()));
            assert_eq!(*order.lock().unwrap(), ["next", "now", "later"]);
        });
    }

    #[test]
    fn a_job_that_panics_is_an_answer_and_gives_its_place_back() {
        runtime().block_on(async {
            let work = Work::with_places(1);
            let failed = work.run(|| if true { panic!("on purpose") } else { Ok(()) }).await;
            assert_eq!(failed.map_err(|refusal| refusal.status), Err(StatusCode::INTERNAL_SERVER_ERROR));
            assert_eq!(work.run(|| Ok(1)).await, Ok(1));
        });
    }
}
