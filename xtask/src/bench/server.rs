//! `heddle open` on a store, asked over HTTP as the page asks.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};

use super::http::Client;
use super::measure::Heddle;
use crate::process;

/// The address of what is asked of the trace.
pub(super) const TRACE: &str = "/api/v1/traces/served";
/// A pane of the page.
pub(super) const PANE: &str = "width=1600&height=900&frame=pane";

/// Until it answers, a server takes less than this.
const READY: Duration = Duration::from_secs(30);

/// Where the store has to lie that is served: its name is part of the address.
pub(super) fn store_in(folder: &Path) -> PathBuf {
    folder.join("served.heddle")
}

/// A server that ends with this value.
pub(super) struct Server {
    process: Child,
    pub(super) client: Client,
    /// From the start of the program to its first picture, in seconds.
    pub(super) first: f64,
}

impl Server {
    /// Starts to serve the store in a folder, and waits for the first picture.
    pub(super) fn of(heddle: &Heddle, folder: &Path) -> Result<Server> {
        let start = Instant::now();
        let mut command = heddle.command(&["open", "--no-browser", "--port", "0"]);
        command.arg(store_in(folder)).env("XDG_RUNTIME_DIR", folder).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().context("cannot start `heddle open`")?;
        match first_picture(&mut process, start) {
            Ok(client) => Ok(Server { process, client, first: start.elapsed().as_secs_f64() }),
            Err(why) => {
                end(&mut process);
                Err(why)
            }
        }
    }

    /// Waits until an analysis is there; how many seconds that took.
    pub(super) fn wait_for(&mut self, analysis: &str) -> Result<f64> {
        self.wait_a_while_for(analysis, process::TIME_LIMIT)?.map_err(|why| anyhow!("{analysis}: {why}"))
    }

    /// The same; or why there is none: it takes longer than so much time, or is refused. Where there is nothing to compute, that is
    /// known at once.
    pub(super) fn wait_a_while_for(&mut self, analysis: &str, limit: Duration) -> Result<Result<f64, String>> {
        let start = Instant::now();
        loop {
            let state = self.client.get_json(&format!("{TRACE}/analysis/{analysis}"))?;
            match state["state"].as_str().unwrap_or_default() {
                "ready" | "none" => return Ok(Ok(start.elapsed().as_secs_f64())),
                "failed" => return Ok(Err(state["error"].as_str().unwrap_or("failed").to_owned())),
                _ if start.elapsed() > limit => return Ok(Err(format!("not in {} minutes", limit.as_secs() / 60))),
                _ => std::thread::sleep(Duration::from_millis(100)),
            }
        }
    }

    /// Seconds of all its threads on processors.
    pub(super) fn cpu_seconds(&self) -> Result<f64> {
        process::cpu_seconds(self.process.id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        end(&mut self.process);
    }
}

/// A store is ready at once, but not before the server is.
fn first_picture(process: &mut Child, start: Instant) -> Result<Client> {
    let mut client = Client::of(process)?;
    while client.get(TRACE).is_err() && start.elapsed() < READY {}
    client.get(&format!("{TRACE}/scene/timeline?{PANE}"))?;
    Ok(client)
}

/// It holds nothing that a sudden end could harm, and may have ended already.
fn end(process: &mut Child) {
    let _ = process.kill();
    let _ = process.wait();
}
