//! The server from its start to its end.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::app::App;
use crate::bind::{self, DEFAULT_PORT, Listener};
use crate::connections::{self, Listening};
use crate::error::ServerError;
use crate::guard::Guard;
use crate::hosts::{AllowedHost, Hosts, bracketed};
use crate::routes::router;
use crate::secret::Secret;
use crate::tour::Tour;
use crate::traces::Traces;
use heddle_options::Given;
use heddle_view::View;

/// Where to listen.
#[derive(Clone, Debug)]
pub enum ListenOn {
    /// A port; without a number the first free one of a few, with 0 any that is free.
    Port {
        /// The address; loopback unless there is a reason.
        address: IpAddr,
        /// The number.
        port: Option<u16>,
    },
    /// A socket in the file system, for its owner only.
    Socket(PathBuf),
}

/// How to serve.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen.
    pub place: ListenOn,
    /// Names beyond those of the loopback.
    pub allowed_hosts: Vec<AllowedHost>,
    /// How long a client may take to send a header or a body, or to say nothing between two requests. A connection without
    /// a session lives no longer than this.
    pub header_time: Duration,
    /// A tour through the traces, for the page.
    pub tour: Option<Tour>,
    /// Views that the page does not offer.
    pub left_out: Vec<View>,
    /// Options that hold where a question does not say otherwise, with the files that they name.
    pub usual: Given,
}

impl Default for Options {
    fn default() -> Options {
        let place = ListenOn::Port { address: Ipv4Addr::LOCALHOST.into(), port: None };
        Options {
            place,
            allowed_hosts: Vec::new(),
            header_time: Duration::from_secs(20),
            tour: None,
            left_out: Vec::new(),
            usual: Given::default(),
        }
    }
}

/// A server that listens and does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: Listener,
    guard: Guard,
    header_time: Duration,
    port: Option<u16>,
    base: String,
    token: Secret,
    once: Secret,
    tour: Option<Tour>,
    left_out: Vec<View>,
    usual: Given,
    stop: watch::Sender<bool>,
}

/// Ends a server, from anywhere.
#[derive(Clone, Debug)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// No more requests; those that are being answered may end.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Takes a place to listen at, and makes up the secrets.
    pub fn bind(options: &Options) -> Result<Server, ServerError> {
        let allowed = options.allowed_hosts.clone();
        let (token, once, session) = (Secret::random()?, Secret::random()?, Secret::random()?);
        let (listener, hosts, port, base, cookie) = match &options.place {
            ListenOn::Port { address, port } => {
                let listener = bind::tcp(*address, *port)?;
                let port = listener.local_addr().map_err(ServerError::Start)?.port();
                // Nobody can be reached at "all addresses"; this machine itself can be reached here.
                let shown = if address.is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { *address };
                let base = format!("http://{}:{port}", bracketed(shown));
                let hosts = Hosts::on_port(*address, port, allowed);
                (Listener::Tcp(listener), hosts, Some(port), base, format!("heddle-{port}"))
            }
            ListenOn::Socket(path) => {
                let listener = bind::socket(path)?;
                // The port is the one that people are told to forward. The cookie's name must not meet that of another
                // server behind another port of theirs.
                let base = format!("http://localhost:{DEFAULT_PORT}");
                let cookie = format!("heddle-{}", &Secret::random()?.reveal()[..8]);
                (listener, Hosts::on_socket(allowed), None, base, cookie)
            }
        };
        let guard = Guard::new(hosts, token.clone(), once.clone(), session, cookie);
        let stop = watch::Sender::new(false);
        let (header_time, tour) = (options.header_time, options.tour.clone());
        let (left_out, usual) = (options.left_out.clone(), options.usual.clone());
        Ok(Server { listener, guard, header_time, port, base, token, once, tour, left_out, usual, stop })
    }

    /// The address for people, with the token. It works as often as they like.
    pub fn url(&self) -> String {
        format!("{}/#token={}", self.base, self.token.reveal())
    }

    /// The address for the browser that is opened now. It works once.
    pub fn url_for_browser(&self) -> String {
        format!("{}/#token={}", self.base, self.once.reveal())
    }

    /// The port, if it is one.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// Ends the server when asked to.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Answers until it is stopped.
    pub fn serve(self, traces: Arc<Traces>) -> Result<(), ServerError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("heddle-server")
            .enable_all()
            .build()
            .map_err(ServerError::Start)?;
        let router = router(App::new(self.guard, traces, self.tour, (self.left_out, self.usual), self.header_time));
        let stopped = self.stop.subscribe();
        // The socket's file is kept until the end, and goes then.
        let mut file = None;
        let served: std::io::Result<()> = runtime.block_on(async {
            let listening = match self.listener {
                Listener::Tcp(listener) => Listening::Tcp(tokio::net::TcpListener::from_std(listener)?),
                Listener::Unix(listener, made) => {
                    file = Some(made);
                    Listening::Unix(tokio::net::UnixListener::from_std(listener)?)
                }
            };
            connections::answer(listening, router, self.header_time, stopped).await;
            Ok(())
        });
        drop(file);
        // A scene that nobody waits for is not worth waiting for.
        runtime.shutdown_background();
        served.map_err(ServerError::Start)
    }
}
