//! Under which names the server may be addressed.
//!
//! A page of somebody else can make its own name point at this machine and then talk to us as if we were its own server
//! (DNS rebinding). It cannot make the browser lie about the name: the `Host` header is how we tell.

use std::net::IpAddr;
use std::str::FromStr;

/// A name from `--allow-host`: with a port just that one, without one any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedHost {
    name: String,
    port: Option<u16>,
}

/// Not a host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a host; write a name or address and, if need be, a port: login3.example.org, localhost:9000")]
pub struct AllowedHostError(String);

impl FromStr for AllowedHost {
    type Err = AllowedHostError;

    fn from_str(text: &str) -> Result<AllowedHost, AllowedHostError> {
        let (name, port) = split(text).ok_or_else(|| AllowedHostError(text.to_owned()))?;
        Ok(AllowedHost { name, port })
    }
}

/// All names the server answers to.
#[derive(Clone, Debug)]
pub(crate) struct Hosts {
    /// The port that loopback names must have; any if we listen on a socket, where ports are somebody else's.
    port: Option<u16>,
    /// The address we listen on, if it is a particular one.
    address: Option<IpAddr>,
    allowed: Vec<AllowedHost>,
}

impl Hosts {
    /// For a server on a TCP port.
    pub(crate) fn on_port(address: IpAddr, port: u16, allowed: Vec<AllowedHost>) -> Hosts {
        Hosts { port: Some(port), address: Some(address).filter(|address| !address.is_unspecified()), allowed }
    }

    /// For a server on a socket: it is reached through a forwarded port that we cannot know.
    pub(crate) fn on_socket(allowed: Vec<AllowedHost>) -> Hosts {
        Hosts { port: None, address: None, allowed }
    }

    /// Whether a `Host` header names us.
    pub(crate) fn accept(&self, host: &str) -> bool {
        let Some((name, port)) = split(host) else { return false };
        let ours = matches!(name.as_str(), "localhost" | "127.0.0.1" | "[::1]")
            || self.address.is_some_and(|address| name == bracketed(address));
        // A browser leaves out the port that is usual for http.
        let port_fits = self.port.is_none_or(|ours| port.unwrap_or(80) == ours);
        (ours && port_fits)
            || self.allowed.iter().any(|allowed| {
                allowed.name == name && allowed.port.is_none_or(|expected| port.unwrap_or(80) == expected)
            })
    }
}

/// An address as it is written in a URL.
pub(crate) fn bracketed(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

/// Name in small letters, and port. Nothing but letters, digits, dots and dashes is a name; an IPv6 address has brackets.
fn split(host: &str) -> Option<(String, Option<u16>)> {
    let (name, rest) = match host.find(']') {
        Some(end) if host.starts_with('[') => host.split_at(end + 1),
        _ => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let port = match rest.strip_prefix(':') {
        Some(digits) if digits.bytes().all(|c| c.is_ascii_digit()) => Some(digits.parse().ok()?),
        None if rest.is_empty() => None,
        _ => return None,
    };
    let is_name = |name: &str| name.bytes().all(|c| c.is_ascii_alphanumeric() || b".-_".contains(&c));
    let is_fine = match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => !name.is_empty() && name.len() <= 253 && is_name(name),
    };
    is_fine.then(|| (name.to_ascii_lowercase(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(allowed: &[&str]) -> Hosts {
        let allowed = allowed.iter().map(|host| host.parse().unwrap()).collect();
        Hosts::on_port(IpAddr::from([127, 0, 0, 1]), 7700, allowed)
    }

    #[test]
    fn loopback_names_need_our_port() {
        let hosts = hosts(&[]);
        for good in ["127.0.0.1:7700", "localhost:7700", "LocalHost:7700", "[::1]:7700"] {
            assert!(hosts.accept(good), "{good}");
        }
        for bad in [
            "",
            ":7700",
            "localhost",
            "localhost:",
            "localhost:9000",
            "localhost:07700x",
            "localhost:7700:7700",
            "localhost.:7700",
            "localhost.evil.example:7700",
            "evil.example:7700",
            "127.0.0.2:7700",
            "127.1:7700",
            "0.0.0.0:7700",
            "[::1]",
            "[::2]:7700",
            "[::1:7700",
            "::1:7700",
            "user@localhost:7700",
            "localhost:7700/",
            "localhost:7700 ",
            "local\thost:7700",
            "localhost:+7700",
        ] {
            assert!(!hosts.accept(bad), "{bad}");
        }
    }

    #[test]
    fn allowed_names_come_with_their_port_or_any() {
        let hosts = hosts(&["login3.example.org", "localhost:9000"]);
        for good in ["login3.example.org", "LOGIN3.example.org:1234", "localhost:9000", "localhost:7700"] {
            assert!(hosts.accept(good), "{good}");
        }
        for bad in ["example.org", "localhost:9001", "127.0.0.1:9000", "xlogin3.example.org"] {
            assert!(!hosts.accept(bad), "{bad}");
        }
        for wrong in ["", "http://x", "a b", "x:", "x:99999", "x/y", "*"] {
            assert!(wrong.parse::<AllowedHost>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_address_that_was_chosen_is_a_name_but_all_addresses_are_none() {
        let chosen = Hosts::on_port(IpAddr::from([192, 168, 1, 5]), 80, Vec::new());
        assert!(chosen.accept("192.168.1.5") && chosen.accept("192.168.1.5:80") && !chosen.accept("192.168.1.6"));
        let all = Hosts::on_port(IpAddr::from([0, 0, 0, 0]), 7700, Vec::new());
        assert!(!all.accept("0.0.0.0:7700") && !all.accept("192.168.1.5:7700") && all.accept("localhost:7700"));
        let socket = Hosts::on_socket(Vec::new());
        assert!(socket.accept("localhost") && socket.accept("localhost:9000") && !socket.accept("evil.example:9000"));
    }
}
