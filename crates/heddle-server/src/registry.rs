//! Which servers of this user are running: a file each, with the address and its token, readable by its owner only.
//!
//! It is a help, not a lock: a server that cannot leave its file runs all the same, and a file whose server is gone is
//! swept away by the next who looks.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// How long a server may take to accept a connection before it counts as gone.
const PATIENCE: Duration = Duration::from_millis(500);
/// An entry is short; what is longer is none.
const LARGEST: u64 = 64 << 10;

/// A running server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// The address, with its token.
    pub url: String,
    /// Where it listens: an address with a port, or a path.
    pub listens: Listens,
    /// The machine. A home directory may be shared by several.
    pub host: String,
    /// The process.
    pub pid: u32,
    /// Since when, in seconds since 1970.
    pub since: u64,
    /// What it shows.
    pub traces: Vec<String>,
}

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Listens {
    /// On a port.
    Address(SocketAddr),
    /// On a socket in the file system.
    Socket(PathBuf),
}

/// The entry of a running server; it goes when this does.
#[derive(Debug)]
pub struct Entry {
    path: PathBuf,
}

impl Drop for Entry {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Where entries are kept: the user's runtime directory, else the cache.
pub fn directory() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_RUNTIME_DIR").map(|runtime| runtime.join("heddle")).or_else(|| {
        let cache = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
        cache.map(|cache| cache.join("heddle/servers"))
    })
}

/// The name of this machine.
pub fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").ok().or_else(|| std::env::var("HOSTNAME").ok());
    name.unwrap_or_default().trim().to_owned()
}

impl Running {
    /// This process.
    pub fn here(url: String, listens: Listens, traces: Vec<String>) -> Running {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Running { url, listens, host: host(), pid: std::process::id(), since, traces }
    }

    /// Leaves the entry of this server in a directory.
    pub fn announce(&self, directory: &Path) -> io::Result<Entry> {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        fs::set_permissions(directory, PermissionsExt::from_mode(0o700))?;
        let host: String = self.host.chars().filter(|c| c.is_ascii_alphanumeric() || ".-_".contains(*c)).collect();
        let path = directory.join(format!("{host}-{}.json", self.pid));
        // Left by a process that was killed and had our number.
        let _ = fs::remove_file(&path);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let entry = Entry { path };
        file.write_all(&serde_json::to_vec_pretty(self)?)?;
        Ok(entry)
    }

    /// Whether it is gone. A server on another machine may be there or not: it is left alone.
    fn is_gone(&self) -> bool {
        if self.host != host() {
            return false;
        }
        let has_processes = Path::new("/proc/self").exists();
        if has_processes && !Path::new(&format!("/proc/{}", self.pid)).exists() {
            return true;
        }
        let reached = match &self.listens {
            Listens::Address(address) => TcpStream::connect_timeout(&reachable(*address), PATIENCE).map(|_| ()),
            Listens::Socket(path) => UnixStream::connect(path).map(|_| ()),
        };
        let refused = [io::ErrorKind::ConnectionRefused, io::ErrorKind::NotFound];
        reached.is_err_and(|error| refused.contains(&error.kind()))
    }
}

fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(if address.is_ipv4() { [127, 0, 0, 1].into() } else { std::net::Ipv6Addr::LOCALHOST.into() });
    }
    address
}

/// The servers that are running, the oldest first. Entries of those that are gone are removed.
pub fn running(directory: &Path) -> Vec<Running> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let paths =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    let mut running: Vec<Running> = paths
        .filter_map(|path| {
            fs::symlink_metadata(&path).ok().filter(|found| found.is_file() && found.len() <= LARGEST)?;
            let one: Running = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
            if one.is_gone() {
                let _ = fs::remove_file(&path);
                return None;
            }
            Some(one)
        })
        .collect();
    running.sort_by_key(|one| (one.since, one.pid));
    running
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn server(listener: &TcpListener) -> Running {
        let listens = Listens::Address(listener.local_addr().unwrap());
        Running::here("http://127.0.0.1:1/#token=x".to_owned(), listens, vec!["run".to_owned()])
    }

    #[test]
    fn entries_are_private_and_go_with_their_server() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join("heddle");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let entry = server(&listener).announce(&directory).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&directory), mode(&entry.path)), (0o700, 0o600));
        assert_eq!(running(&directory), [server(&listener)]);
        drop(entry);
        assert_eq!(running(&directory), []);
        assert_eq!(running(&folder.path().join("nowhere")), []);
    }

    #[test]
    fn entries_of_servers_that_are_gone_are_swept_and_others_left() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        // Nobody has this number: it is larger than the largest.
        let gone = Running { pid: u32::MAX, ..server(&listener) };
        let elsewhere = Running { host: "another-machine".to_owned(), pid: u32::MAX, ..server(&listener) };
        let refused = server(&listener);
        drop(listener);
        let entries = [gone, elsewhere.clone(), refused].map(|one| one.announce(directory).unwrap());
        fs::write(directory.join("broken.json"), "{").unwrap();
        assert_eq!(running(directory), [elsewhere]);
        assert_eq!(fs::read_dir(directory).unwrap().count(), 2);
        drop(entries);
    }
}
