//! Work that takes a core: scenes, picks, figures, searches. As many at a time as there are cores, and one more so that
//! a small question need not wait for large ones.
//!
//! Who waits holds nothing. When a client goes away its connection drops the handler, and the question with it: what was
//! not begun never begins. A page that is panned quickly asks for a scene a frame and takes back all but the last.

use std::sync::Arc;

use axum::http::StatusCode;
use tokio::sync::Semaphore;

use crate::error::Refusal;

/// The cores, to be shared.
#[derive(Debug)]
pub(crate) struct Work {
    places: Arc<Semaphore>,
}

impl Work {
    pub(crate) fn new() -> Work {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Work::with_places(cores + 1)
    }

    fn with_places(places: usize) -> Work {
        Work { places: Arc::new(Semaphore::new(places)) }
    }

    /// Runs a job on a thread of its own when there is a place for it.
    pub(crate) async fn run<T, F>(&self, job: F) -> Result<T, Refusal>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T, Refusal> + Send + 'static,
    {
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.map_err(|_| Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "The server is about to stop."))?;
        let done = tokio::task::spawn_blocking(move || {
            // Kept to the end of the job even if nobody waits for it any more: it still uses its core.
            let _place = place;
            job()
        });
        done.await.unwrap_or_else(|_| Err(Refusal::bug("Heddle failed at this: a bug. The terminal says where.")))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::task::{Context, Waker};

    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().build().unwrap()
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
    fn a_job_that_panics_is_an_answer_and_gives_its_place_back() {
        runtime().block_on(async {
            let work = Work::with_places(1);
            let failed = work.run(|| if true { panic!("on purpose") } else { Ok(()) }).await;
            assert_eq!(failed.map_err(|refusal| refusal.status), Err(StatusCode::INTERNAL_SERVER_ERROR));
            assert_eq!(work.run(|| Ok(1)).await, Ok(1));
        });
    }
}
