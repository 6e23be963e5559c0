//! Connections: how many, for how long, and how they end.
//!
//! Plain HTTP/1.1. A connection that sends its header slowly, says nothing or lives long is closed, so that those who
//! may not ask anything cannot keep out those who may.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Connections at a time. A browser opens six.
const MOST_CONNECTIONS: usize = 256;
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

/// Answers until it is told to stop, and then until what was begun is done, within reason.
pub(crate) async fn answer(
    listener: Listening,
    router: Router,
    header_time: Duration,
    mut stopped: watch::Receiver<bool>,
) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let accepted = async {
            // Without a place nobody is let in: they wait with the system.
            let place = Arc::clone(&places).acquire_owned().await;
            let stream: std::io::Result<Box<dyn Stream>> = match &listener {
                Listening::Tcp(listener) => listener.accept().await.map(|(stream, _)| {
                    // Answers are written in one go: waiting for more would only delay them.
                    let _ = stream.set_nodelay(true);
                    Box::new(stream) as Box<dyn Stream>
                }),
                Listening::Unix(listener) => listener.accept().await.map(|(stream, _)| Box::new(stream) as _),
            };
            (place, stream)
        };
        let (place, stream) = tokio::select! {
            accepted = accepted => accepted,
            _ = stopped.wait_for(|stopped| *stopped) => break,
        };
        while connections.try_join_next().is_some() {}
        let Ok(stream) = stream else {
            // Out of file descriptors, most likely: some will be free in a moment.
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        let connection = connection(stream, router.clone(), header_time, stopped.clone());
        connections.spawn(async move {
            let _place = place;
            connection.await;
        });
    }
    drop(listener);
    // Each of them has its own grace.
    while connections.join_next().await.is_some() {}
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

async fn connection(
    stream: Box<dyn Stream>,
    router: Router,
    header_time: Duration,
    mut stopped: watch::Receiver<bool>,
) {
    let mut connection = std::pin::pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(header_time)
            .max_buf_size(LARGEST_HEAD)
            .max_headers(MOST_HEADERS)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
    );
    // What goes wrong on a connection is the client's business: there is nobody to tell.
    let grace = tokio::select! {
        _ = connection.as_mut() => return,
        _ = stopped.wait_for(|stopped| *stopped) => GRACE,
        () = sleep(LONGEST_LIFE) => LAST_ANSWER,
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
