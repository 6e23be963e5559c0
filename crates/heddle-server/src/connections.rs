//! Connections: how many, for how long, and how they end.
//!
//! Plain HTTP/1.1. A connection that sends its header slowly, says nothing or lives long is closed, so that those who
//! may not ask anything cannot keep out those who may. Connections without a session have few places and a short life, and
//! the oldest of them makes way for the next.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};

/// Connections at a time. A browser opens six.
const MOST_CONNECTIONS: usize = 256;
/// Those of them that have shown no session. The page itself is loaded by such.
const MOST_STRANGERS: usize = 64;
/// Bytes of a request's first line and headers.
const LARGEST_HEAD: usize = 48 << 10;
/// Headers of a request.
const MOST_HEADERS: usize = 64;
/// How long a connection lives; the browser opens another.
const LONGEST_LIFE: Duration = Duration::from_secs(600);
/// How long an answer may still take when its connection has become too old.
const LAST_ANSWER: Duration = Duration::from_secs(60);
/// The same when the server is to end: somebody waits for that.
const GRACE: Duration = Duration::from_millis(1_500);

/// A listener that the runtime knows.
#[derive(Debug)]
pub(crate) enum Listening {
    Tcp(tokio::net::TcpListener),
    Unix(tokio::net::UnixListener),
}

/// What is known of whoever has a connection. The guard, which sees the requests, learns it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing(Arc<AtomicBool>);

impl Standing {
    /// A request on this connection came with a session.
    pub(crate) fn has_shown_session(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_stranger(&self) -> bool {
        !self.0.load(Ordering::Relaxed)
    }
}

/// Those who are connected, in the order of their coming.
#[derive(Debug, Default)]
struct Guests(Vec<(Standing, AbortHandle)>);

impl Guests {
    /// Whether one more can be let in; if need be, in place of a stranger.
    fn have_room(&mut self) -> bool {
        self.0.retain(|(_, connection)| !connection.is_finished());
        self.0.len() < MOST_CONNECTIONS || self.0.iter().any(|(standing, _)| standing.is_stranger())
    }

    /// Sends the stranger away who has been here longest, if there are too many for one more.
    fn make_room(&mut self) {
        let mut strangers = self.0.iter().enumerate().filter(|(_, (standing, _))| standing.is_stranger());
        let oldest = strangers.next().map(|(place, _)| place);
        let others = strangers.count();
        if let Some(oldest) = oldest
            && (others + 1 >= MOST_STRANGERS || self.0.len() >= MOST_CONNECTIONS)
        {
            self.0.remove(oldest).1.abort();
        }
    }
}

/// Answers until it is told to stop, and then until what was begun is done, within reason.
pub(crate) async fn answer(
    listener: Listening,
    router: Router,
    header_time: Duration,
    mut stopped: watch::Receiver<bool>,
) {
    let mut guests = Guests::default();
    let mut connections = JoinSet::new();
    loop {
        // Without room nobody is let in: they wait with the system until somebody leaves.
        let stream = tokio::select! {
            stream = listener.accept(), if guests.have_room() => stream,
            Some(_) = connections.join_next() => continue,
            _ = stopped.wait_for(|stopped| *stopped) => break,
        };
        let Ok(stream) = stream else {
            // Out of file descriptors, most likely: some will be free in a moment.
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        guests.make_room();
        let standing = Standing::default();
        let connection = connection(stream, router.clone(), standing.clone(), header_time, stopped.clone());
        guests.0.push((standing, connections.spawn(connection)));
    }
    drop(listener);
    // Each of them has its own grace.
    while connections.join_next().await.is_some() {}
}

impl Listening {
    async fn accept(&self) -> std::io::Result<Box<dyn Stream>> {
        Ok(match self {
            Listening::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                // Answers are written in one go: waiting for more would only delay them.
                let _ = stream.set_nodelay(true);
                Box::new(stream)
            }
            Listening::Unix(listener) => Box::new(listener.accept().await?.0),
        })
    }
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

async fn connection(
    stream: Box<dyn Stream>,
    router: Router,
    standing: Standing,
    header_time: Duration,
    mut stopped: watch::Receiver<bool>,
) {
    let router = TowerToHyperService::new(router);
    let told = standing.clone();
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(told.clone());
        router.call(request)
    });
    let life = async {
        sleep(header_time.min(LONGEST_LIFE)).await;
        if !standing.is_stranger() {
            sleep(LONGEST_LIFE.saturating_sub(header_time)).await;
        }
    };
    let mut connection = std::pin::pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(header_time)
            .max_buf_size(LARGEST_HEAD)
            .max_headers(MOST_HEADERS)
            .serve_connection(TokioIo::new(stream), service)
    );
    // What goes wrong on a connection is the client's business: there is nobody to tell.
    let grace = tokio::select! {
        _ = connection.as_mut() => return,
        _ = stopped.wait_for(|stopped| *stopped) => GRACE,
        () = life => LAST_ANSWER,
    };
    connection.as_mut().graceful_shutdown();
    // An old connection with an answer still going out does not hold up the end of the server.
    tokio::select! {
        _ = timeout(grace, connection) => {}
        () = ended(stopped) => {}
    }
}

/// The server is to end, and the time that is left for answers is over.
async fn ended(mut stopped: watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
    sleep(GRACE).await;
}
