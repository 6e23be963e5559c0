//! From traces to a page: what `open` and `demo` share.
//!
//! The server answers at once; the import goes on beside it, and both the terminal and the page say how far it is. Stdout
//! gets one line, the address; everything else goes to stderr.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::Context;

use heddle_options::Given;
use heddle_server::registry::{self, Listens, Running};
use heddle_server::{DEFAULT_PORT, ImportWatcher, ListenOn, Options, Server, Tour, Traces};
use heddle_store::{ImportOptions, Progress, Store, StoreError, Work};
use heddle_view::View;

use crate::args::ServeArgs;
use crate::progress::{TerminalProgress, on_interrupt};
use crate::text::{grouped, printable, printable_name};

/// Every trace failed; each of them has said why.
#[derive(Debug)]
pub(crate) struct NothingToShow;

impl std::fmt::Display for NothingToShow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("there was nothing to show")
    }
}

impl std::error::Error for NothingToShow {}

/// Serves traces until Ctrl-C, with a tour through them if there is one, and options that hold unless the page says otherwise.
pub(super) fn run(
    paths: &[PathBuf],
    (tour, usual): (Option<Tour>, Given),
    import: ImportOptions,
    args: &ServeArgs,
) -> anyhow::Result<()> {
    let place = match &args.socket {
        Some(path) => ListenOn::Socket(std::path::absolute(path).context("--socket")?),
        None => ListenOn::Port { address: args.host, port: args.port },
    };
    let left_out = if args.no_clusters { vec![View::Clusters] } else { Vec::new() };
    let allowed_hosts = args.allow_host.clone();
    let options = Options { place: place.clone(), allowed_hosts, tour, left_out, usual, ..Options::default() };
    let server = Server::bind(&options)?;
    let traces = Arc::new(Traces::new(paths));
    let listens = match &place {
        ListenOn::Socket(path) => Listens::Socket(path.clone()),
        ListenOn::Port { address, .. } => {
            Listens::Address(SocketAddr::new(*address, server.port().unwrap_or_default()))
        }
    };
    let _entry = announce(&Running::here(server.url(), listens, traces.names()));
    let stopper = server.stopper();
    on_interrupt(move || stopper.stop());

    let mut out = std::io::stdout();
    writeln!(out, "{}", server.url()).and_then(|()| out.flush())?;
    explain(&place, &server, args);

    let importer = {
        let traces = Arc::clone(&traces);
        std::thread::Builder::new()
            .name("import".to_owned())
            .spawn(move || traces.import_all(&import, &Terminal::new()))
    };
    let importer = importer.context("cannot start a thread")?;
    let served = server.serve(Arc::clone(&traces));
    // An import that was interrupted removes what it had begun.
    let _ = importer.join();
    served?;
    if traces.all_failed() { Err(NothingToShow.into()) } else { Ok(()) }
}

/// Lets `heddle list` find this server. Nobody needs that in order to look at a trace.
fn announce(running: &Running) -> Option<registry::Entry> {
    match registry::directory().map(|directory| running.announce(&directory)) {
        Some(Ok(entry)) => Some(entry),
        Some(Err(error)) => {
            eprintln!("heddle: `heddle list` will not show this server: {error}");
            None
        }
        None => None,
    }
}

/// Says what to do with the address, or does it.
fn explain(place: &ListenOn, server: &Server, args: &ServeArgs) {
    if let ListenOn::Port { address, .. } = place
        && !address.is_loopback()
    {
        eprintln!(
            "heddle: warning: {address} can be reached by others. Only the token in the address keeps them out, and the \
             connection is not encrypted"
        );
        if address.is_unspecified() && args.allow_host.is_empty() {
            eprintln!("heddle: other machines are refused until you give the name they use with --allow-host NAME");
        }
    }
    let ssh = std::env::var("SSH_CONNECTION").ok().filter(|value| !value.is_empty());
    if let Some(connection) = &ssh {
        eprintln!("this is a remote shell; on your own machine run\n  {}", forward(place, server, connection));
        eprintln!("(using the name by which you reach this machine), then open the address above there");
    } else if let ListenOn::Socket(path) = place {
        eprintln!("forward a port to {}, for instance with", printable(&path.display().to_string()));
        eprintln!("  {}", forward(place, server, ""));
    } else if !args.no_browser {
        open_browser(&server.url_for_browser());
    }
    eprintln!("Ctrl-C ends it");
}

/// The command that makes the page appear on the machine that somebody sits at. The port is the same on both sides: the
/// server checks that it is asked for by its own name and port.
fn forward(place: &ListenOn, server: &Server, connection: &str) -> String {
    let to = match place {
        ListenOn::Socket(path) => printable(&path.display().to_string()),
        ListenOn::Port { address, .. } if address.is_unspecified() => {
            format!("{}:{}", Ipv4Addr::LOCALHOST, server.port().unwrap_or_default())
        }
        ListenOn::Port { address, .. } => SocketAddr::new(*address, server.port().unwrap_or_default()).to_string(),
    };
    // Client's address and port, then ours.
    let mut words = connection.split(' ').skip(2);
    let ours = words.next().unwrap_or("HOST").to_owned();
    let ssh_port = words.next().filter(|port| *port != "22").map(|port| format!("-p {port} ")).unwrap_or_default();
    let host = Some(registry::host()).filter(|host| !host.is_empty()).unwrap_or(ours);
    let user = std::env::var("USER").map(|user| format!("{user}@")).unwrap_or_default();
    printable_name(&format!("ssh -N {ssh_port}-L {}:{to} {user}{host}", server.port().unwrap_or(DEFAULT_PORT)))
}

/// Opens the browser of a desktop; says so where there is none.
fn open_browser(url: &str) {
    let is_mac = cfg!(target_os = "macos");
    let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    if !is_mac && !has_screen {
        eprintln!("there is no screen to open a browser on; open the address above yourself");
        return;
    }
    let program = if is_mac { "open" } else { "xdg-open" };
    let started =
        Command::new(program).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    match started {
        // It ends when it likes; somebody has to take note, or it stays as a zombie.
        Ok(mut child) => drop(std::thread::spawn(move || child.wait())),
        Err(error) => eprintln!("cannot open a browser ({program}: {error}); open the address above yourself"),
    }
}

/// Says on the terminal how the imports go.
struct Terminal {
    progress: TerminalProgress,
}

impl Terminal {
    fn new() -> Terminal {
        Terminal { progress: TerminalProgress::new() }
    }
}

impl Progress for Terminal {
    fn note(&self, text: &str) {
        self.progress.note(text);
    }

    fn begin(&self, work: Work, total: u64) {
        self.progress.begin(work, total);
    }

    fn advance(&self, done: u64) {
        self.progress.advance(done);
    }

    fn waiting(&self) {
        self.progress.waiting();
    }

    fn is_cancelled(&self) -> bool {
        self.progress.is_cancelled()
    }
}

impl ImportWatcher for Terminal {
    fn begins(&self, _name: &str) {}

    fn ready(&self, name: &str, store: &Store) {
        let summary = store.summary();
        let (name, ranks) = (printable_name(name), grouped(summary.ranks));
        self.progress.say(&match store.network().filter(|_| summary.events == 0) {
            Some(network) => {
                let (nodes, links) = (grouped(network.nodes.len()), grouped(network.links.len()));
                format!("{name}: a measured network, {nodes} nodes, {links} links, {ranks} ranks")
            }
            None => format!("{name}: {ranks} ranks, {} spans", grouped(summary.spans)),
        });
    }

    fn failed(&self, _name: &str, error: &StoreError) {
        self.progress.say(&format!("heddle: {}", printable(&error.to_string())));
    }
}
