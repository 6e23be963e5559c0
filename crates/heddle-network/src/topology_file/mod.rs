//! Files that describe a machine: what people have who know their cluster.
//!
//! Which kind a file is, its content says, never its name: Slurm's `topology.conf` ([`slurm_conf`]) and `topology.yaml`
//! ([`slurm_yaml`]), what `ibnetdiscover` prints ([`ibnetdiscover`]), and platforms of SimGrid ([`simgrid`]). Each reader makes
//! a shape, the names of its hosts, and notes on what it left out or assumed. Errors name the line and what was expected there.

mod fabric;
mod host_names;
mod hostlist;
mod ibnetdiscover;
mod simgrid;
mod slurm;
mod slurm_conf;
mod slurm_yaml;
#[cfg(test)]
mod tests;

use heddle_topology::Shape;

pub use host_names::HostNames;

/// Hosts and switches that a file may name, after its ranges are written out: more than any machine has.
const MOST_NAMES: usize = 1 << 19;

/// A machine that a file describes.
#[derive(Clone, Debug)]
pub struct TopologyFile {
    /// Its shape.
    pub shape: Shape,
    /// The names of its hosts.
    pub hosts: HostNames,
    /// What was left out or assumed, in sentences.
    pub notes: Vec<String>,
}

/// A file does not describe a machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", .line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct TopologyFileError {
    /// Where, counted from 1; none if it is about the whole.
    pub line: Option<usize>,
    /// What is wrong, and what to do.
    pub what: String,
}

impl TopologyFileError {
    fn at(line: usize, what: impl Into<String>) -> TopologyFileError {
        TopologyFileError { line: Some(line), what: what.into() }
    }

    fn whole(what: impl Into<String>) -> TopologyFileError {
        TopologyFileError { line: None, what: what.into() }
    }
}

impl TopologyFile {
    /// Reads a file of any of these kinds. `nodes` are those of the trace: a flat topology names none of its own.
    pub fn read(text: &str, nodes: &[String]) -> Result<TopologyFile, TopologyFileError> {
        // A file from another system may begin with a byte order mark.
        let text = text.trim_start_matches('\u{feff}');
        let mut said = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let first = said.clone().next().unwrap_or_default();
        if first.starts_with('<') {
            simgrid::read(text)
        } else if said.any(ibnetdiscover::is_head) {
            ibnetdiscover::read(text)
        } else if first.starts_with('-') || first.starts_with('[') || first.starts_with("topology") {
            slurm_yaml::read(text, nodes)
        } else if first.split_once('=').is_some_and(|(key, _)| !key.trim().contains(char::is_whitespace)) {
            slurm_conf::read(text)
        } else {
            Err(TopologyFileError::whole(
                "expected a shape such as 8x8x8, or a file: a topology.conf or topology.yaml of Slurm, what ibnetdiscover \
                 prints (without options), or a SimGrid platform",
            ))
        }
    }
}

/// What a file says, short and harmless.
fn quote(text: &str) -> String {
    let mut short: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().nth(40).is_some() {
        short.push('…');
    }
    format!("`{short}`")
}

/// The first few of many names: `a, b and c`, or `a, b, c and 5 more`.
fn some_of<S: AsRef<str>>(names: &[S]) -> String {
    const FEW: usize = 6;
    let short = |name: &S| quote(name.as_ref()).trim_matches('`').to_owned();
    let mut told: Vec<String> = names.iter().take(FEW).map(short).collect();
    if names.len() > FEW {
        told.push(format!("{} more", names.len() - FEW));
    }
    match told.pop() {
        Some(last) if !told.is_empty() => format!("{} and {last}", told.join(", ")),
        last => last.unwrap_or_default(),
    }
}

/// `1 host`, `5 hosts`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
