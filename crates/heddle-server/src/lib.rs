//! The local server: HTTP over the views, with the page embedded.
//!
//! It runs on the machine of the trace, for one person, next to other people and other web pages. So, in this order:
//!
//! * nobody else gets in: a request must name us as its host, come from our own page and carry the session's cookie
//!   (`guard`), whatever its path;
//! * it serves what it was started with and nothing else: routes take ids, never paths;
//! * its work is bounded: sizes, lists, bodies, headers, connections and scenes at a time all have a limit, and what
//!   nobody waits for any more is not begun;
//! * it knows nothing about traces: views make the scenes, `heddle-draw` turns them into bytes.
//!
//! [`Server::bind`] takes a port, [`Server::serve`] answers until [`Stopper::stop`].

mod answers;
mod app;
mod asked;
mod assets;
mod bind;
mod connections;
mod error;
mod guard;
mod gzip;
mod headers;
mod hosts;
mod keeper;
#[cfg(test)]
mod page_types;
mod params;
pub mod registry;
mod routes;
mod secret;
mod server;
mod tour;
mod traces;
mod wire;
mod work;

pub use bind::DEFAULT_PORT;
pub use error::ServerError;
pub use hosts::{AllowedHost, AllowedHostError};
pub use routes::{RouteInfo, route_list};
pub use server::{ListenOn, Options, Server, Stopper};
pub use tour::{Stop, Tour};
pub use traces::{ImportWatcher, Traces};
