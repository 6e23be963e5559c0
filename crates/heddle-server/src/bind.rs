//! Where the server listens: a TCP port, or a socket in the file system.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use crate::ServerError;

/// The first port that is tried.
pub const DEFAULT_PORT: u16 = 7700;
/// How many ports are tried when none is asked for.
const TRIED: u16 = 21;

/// A listener that nobody has accepted from yet.
#[derive(Debug)]
pub(crate) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener, SocketFile),
}

/// Listens on a port; without one, on the first free one of a few.
pub(crate) fn tcp(address: IpAddr, port: Option<u16>) -> Result<TcpListener, ServerError> {
    if let Some(port) = port {
        let address = SocketAddr::new(address, port);
        return listen(address).map_err(|cause| ServerError::Port { address, cause });
    }
    for port in DEFAULT_PORT..DEFAULT_PORT + TRIED {
        let address = SocketAddr::new(address, port);
        match listen(address) {
            Ok(listener) => return Ok(listener),
            Err(cause) if cause.kind() == io::ErrorKind::AddrInUse => {}
            Err(cause) => return Err(ServerError::Port { address, cause }),
        }
    }
    Err(ServerError::Ports { first: DEFAULT_PORT, last: DEFAULT_PORT + TRIED - 1 })
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// A socket of ours in the file system. It goes with the server.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    inode: u64,
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // Somebody may have put another one there meanwhile.
        if std::fs::symlink_metadata(&self.path).is_ok_and(|found| found.ino() == self.inode) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Listens on a socket that only its owner can open.
pub(crate) fn socket(path: &Path) -> Result<Listener, ServerError> {
    make_way(path)?;
    let failed = |cause| ServerError::Socket { path: path.to_owned(), cause };
    // A socket is born open to others. It is made in a folder that is not, closed, and then moved to its place.
    let folder = path.with_file_name(format!(".heddle-{}", std::process::id()));
    std::fs::DirBuilder::new().mode(0o700).create(&folder).map_err(failed)?;
    let made = make(&folder.join("s"), path);
    // Empty by now, or it could not be filled.
    let _ = std::fs::remove_dir(&folder);
    made.map_err(failed)
}

fn make(born: &Path, path: &Path) -> io::Result<Listener> {
    let listener = UnixListener::bind(born)?;
    let moved = std::fs::set_permissions(born, PermissionsExt::from_mode(0o600))
        .and_then(|()| std::fs::symlink_metadata(born))
        .and_then(|made| std::fs::rename(born, path).map(|()| made.ino()));
    if moved.is_err() {
        let _ = std::fs::remove_file(born);
    }
    let file = SocketFile { path: path.to_owned(), inode: moved? };
    listener.set_nonblocking(true)?;
    Ok(Listener::Unix(listener, file))
}

/// Removes a socket that nobody listens on any more, and nothing else.
fn make_way(path: &Path) -> Result<(), ServerError> {
    let taken = |what| Err(ServerError::SocketTaken { path: path.to_owned(), what });
    let Ok(found) = std::fs::symlink_metadata(path) else { return Ok(()) };
    if !found.file_type().is_socket() {
        return taken("there is something here that is no socket");
    }
    match UnixStream::connect(path) {
        Ok(_) => taken("another program listens on this socket"),
        Err(cause) if cause.kind() == io::ErrorKind::ConnectionRefused => {
            std::fs::remove_file(path).map_err(|cause| ServerError::Socket { path: path.to_owned(), cause })
        }
        Err(_) => taken("there is a socket here that is not ours"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_private_goes_away_and_takes_only_stale_places() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("heddle.sock");
        let first = socket(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(matches!(socket(&path), Err(ServerError::SocketTaken { .. })));
        drop(first);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);

        // What a killed server leaves: a socket without a listener.
        drop(UnixListener::bind(&path).unwrap());
        drop(socket(&path).unwrap());

        for make in [|path: &Path| std::fs::write(path, "a file"), |path: &Path| std::fs::create_dir(path)] {
            make(&path).unwrap();
            assert!(matches!(socket(&path), Err(ServerError::SocketTaken { .. })));
            assert!(path.exists());
            let _ = std::fs::remove_file(&path);
        }
    }

    #[test]
    fn a_port_that_is_taken_is_an_error_and_a_free_one_is_found() {
        let local = IpAddr::from([127, 0, 0, 1]);
        let first = tcp(local, Some(0)).unwrap();
        let port = first.local_addr().unwrap().port();
        let error = tcp(local, Some(port)).unwrap_err().to_string();
        assert!(error.contains(&port.to_string()) && error.contains("another program"), "{error}");
        let (one, other) = (tcp(local, None).unwrap(), tcp(local, None).unwrap());
        assert_ne!(one.local_addr().unwrap().port(), other.local_addr().unwrap().port());
    }
}
