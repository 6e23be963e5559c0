//! What `ibnetdiscover` prints: every switch and every channel adapter of an InfiniBand fabric, and what each port leads to.
//!
//! ```text
//! Switch  24 "S-005442ba00003080"          # "leaf 1" base port 0 lid 6 lmc 0
//! [22]    "H-0008f10403961354"[1](8f10403961355)   # "node7 HCA-1" lid 4 4xHDR
//! [10]    "S-0008f10400410015"[1]          # "spine 2" lid 3 4xHDR
//! ```
//!
//! A cable stands in the blocks of both its ends. A host is called by the first word of its adapter's description; several adapters
//! of one host are several ways onto the network. Which switch is a leaf and which a spine nobody says: layers are the distance
//! from the nearest host.

use heddle_topology::fat_tree::{Cabling, End};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{MOST_NAMES, TopologyFile, TopologyFileError, counted, fabric, quote, some_of};

/// Adapters within switches that reduce for them: no hosts.
const AGGREGATION: &str = "Aggregation Node";

/// What a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Switch,
    Adapter,
    Router,
}

#[derive(Debug)]
struct Device<'a> {
    kind: Kind,
    id: &'a str,
    /// `node7 HCA-1`; empty if nobody says.
    description: &'a str,
}

/// One end of a cable: the number of a device, and its port.
type Port = (u32, u32);

/// Devices and cables while they are gathered.
#[derive(Debug, Default)]
struct Fabric<'a> {
    devices: Vec<Device<'a>>,
    by_id: FxHashMap<&'a str, u32>,
    /// For each port where it leads, in which line that is said, and how fast.
    ports: FxHashMap<Port, (Port, usize, Option<f64>)>,
    /// Ports in the order of the file.
    order: Vec<Port>,
}

/// Whether a line begins the block of a device.
pub(super) fn is_head(line: &str) -> bool {
    head(line).is_some()
}

/// `Switch 24 "S-…" # "name"`: its kind, and what stands from the first quote on.
fn head(line: &str) -> Option<(Kind, &str)> {
    let (word, rest) = line.trim_start().split_once(char::is_whitespace)?;
    let kind = match word {
        "Switch" => Kind::Switch,
        "Ca" => Kind::Adapter,
        "Rt" => Kind::Router,
        _ => return None,
    };
    let (ports, rest) = rest.trim_start().split_once(char::is_whitespace)?;
    let is_number = !ports.is_empty() && ports.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && rest.trim_start().starts_with('"')).then(|| (kind, rest.trim_start()))
}

/// The text in quotes that comes next, and what follows.
fn quoted(text: &str) -> Option<(&str, &str)> {
    text.split_once('"')?.1.split_once('"')
}

/// The description in a comment, if there is one.
fn description(text: &str) -> &str {
    text.split_once('#').and_then(|(_, comment)| quoted(comment)).map_or("", |(said, _)| said.trim())
}

pub(super) fn read(text: &str) -> Result<TopologyFile, TopologyFileError> {
    let mut fabric = Fabric::default();
    let mut here: Option<u32> = None;
    for (line, said) in (1..).zip(text.lines()) {
        let wrong = |what: String| TopologyFileError::at(line, what);
        if let Some((kind, rest)) = head(said) {
            let (id, rest) = quoted(rest).ok_or_else(|| wrong("the name of the device is not closed".to_owned()))?;
            here = Some(fabric.device(kind, id, description(rest)));
        } else if said.trim_start().starts_with('[') {
            let Some(here) = here else {
                return Err(wrong(
                    "a port before any Switch or Ca; expected the whole output of ibnetdiscover".to_owned(),
                ));
            };
            fabric.port(here, said.trim_start(), line)?;
        }
        if fabric.devices.len() > MOST_NAMES || fabric.order.len() > 4 * MOST_NAMES {
            return Err(wrong("the fabric has more devices or ports than Heddle reads of a machine".to_owned()));
        }
    }
    fabric.machine()
}

impl<'a> Fabric<'a> {
    /// The number of a device; the first description that is not empty stays.
    fn device(&mut self, kind: Kind, id: &'a str, description: &'a str) -> u32 {
        let next = self.devices.len() as u32;
        let number = *self.by_id.entry(id).or_insert(next);
        if number == next {
            self.devices.push(Device { kind, id, description });
        } else if let Some(known) = self.devices.get_mut(number as usize)
            && known.description.is_empty()
        {
            known.description = description;
        }
        number
    }

    /// `[22] "H-…"[1](…) # "node7 HCA-1" lid 4 4xHDR`
    fn port(&mut self, here: u32, said: &'a str, line: usize) -> Result<(), TopologyFileError> {
        let expected = || {
            let what = "expected a port, as in [22] \"H-0008f10403961354\"[1] # \"node7 HCA-1\" lid 4 4xHDR, found";
            TopologyFileError::at(line, format!("{what} {}", quote(said)))
        };
        let number = |text: &str| {
            let (number, _) = text.strip_prefix('[')?.split_once(']')?;
            number.trim().parse::<u32>().ok()
        };
        let from = (here, number(said).ok_or_else(expected)?);
        let (id, rest) = quoted(said).ok_or_else(expected)?;
        let kind = match id.as_bytes().first() {
            Some(b'S') => Kind::Switch,
            Some(b'H') => Kind::Adapter,
            Some(b'R') => Kind::Router,
            _ => return Err(expected()),
        };
        let port = number(rest).ok_or_else(expected)?;
        // After an adapter's port its own address comes first, then the description of the other end.
        let peer = (self.device(kind, id, description(rest)), port);
        let speed = rest.rsplit(char::is_whitespace).find(|word| !word.is_empty()).and_then(speed);
        for (one, other) in [(from, peer), (peer, from)] {
            match self.ports.get(&one) {
                Some((known, earlier, _)) if *known != other => {
                    let name = |port: &Port| format!("port {} of {}", port.1, self.name(port.0));
                    let what = format!(
                        "{} leads to {}, but in line {earlier} to {}; each port has one cable",
                        name(&one),
                        name(&other),
                        name(known)
                    );
                    return Err(TopologyFileError::at(line, what));
                }
                Some(_) => {}
                None => {
                    self.ports.insert(one, (other, line, speed));
                    if one == from {
                        self.order.push(one);
                    }
                }
            }
        }
        Ok(())
    }

    fn name(&self, device: u32) -> String {
        let device = &self.devices[device as usize];
        quote(if device.description.is_empty() { device.id } else { device.description })
    }

    fn machine(self) -> Result<TopologyFile, TopologyFileError> {
        let mut notes = Vec::new();
        let ends = self.ends(&mut notes);
        let (mut hosts, mut switches) = (Vec::new(), Vec::new());
        for end in &ends {
            match end {
                Some((End::Host(at), name)) if *at as usize == hosts.len() => hosts.push(name.clone()),
                Some((End::Switch(at), name)) if *at as usize == switches.len() => switches.push(name.clone()),
                _ => {}
            }
        }
        let end = |device: u32| ends[device as usize].as_ref().map(|(end, _)| *end);
        let (mut cables, mut capacities) = (Vec::new(), Vec::new());
        let mut rails: FxHashMap<u32, FxHashSet<u32>> = FxHashMap::default();
        for from in &self.order {
            let Some((to, _, speed)) = self.ports.get(from) else { continue };
            if let (Some(one), Some(other)) = (end(from.0), end(to.0))
                // A host's own two adapters plugged into each other carry nothing that anybody asks for.
                && one != other
            {
                cables.push((one, other));
                capacities.push(*speed);
                if let (End::Host(host), End::Switch(switch)) | (End::Switch(switch), End::Host(host)) = (one, other) {
                    rails.entry(host).or_default().insert(switch);
                }
            }
        }
        let several = rails.values().filter(|switches| switches.len() > 1).count();
        if several > 0 {
            notes.push(format!("{} on more than one switch.", plural_are(several, "host")));
        }
        if hosts.is_empty() {
            return Err(TopologyFileError::whole(
                "no host is connected: there is no Ca with a port that leads anywhere",
            ));
        }
        fabric::machine(Cabling { hosts, switches, layers: Vec::new(), cables, capacities }, notes)
    }

    /// What each device is in the machine: a host, several being one, a switch with its name, or nothing.
    fn ends(&self, notes: &mut Vec<String>) -> Vec<Option<(End, String)>> {
        let mut described: FxHashMap<&str, u32> = FxHashMap::default();
        for device in self.devices.iter().filter(|device| device.kind == Kind::Adapter) {
            *described.entry(device.description).or_default() += 1;
        }
        let is_cabled: FxHashSet<u32> = self
            .order
            .iter()
            .flat_map(|port| [Some(port.0), self.ports.get(port).map(|to| to.0.0)])
            .flatten()
            .collect();
        let (mut hosts, mut switch_names): (FxHashMap<&str, u32>, FxHashSet<&str>) = Default::default();
        let (mut switches, mut aggregation, mut routers, mut idle, mut nameless) = (0, 0, 0, Vec::new(), Vec::new());
        let mut ends = Vec::with_capacity(self.devices.len());
        for (number, device) in (0..).zip(&self.devices) {
            ends.push(match device.kind {
                Kind::Router => {
                    routers += 1;
                    None
                }
                Kind::Switch => {
                    // Two with the same description are told apart by their ids.
                    let is_new = !device.description.is_empty() && switch_names.insert(device.description);
                    let name = if is_new { device.description } else { device.id };
                    switches += 1;
                    Some((End::Switch(switches - 1), name.to_owned()))
                }
                Kind::Adapter if device.description.contains(AGGREGATION) => {
                    aggregation += 1;
                    None
                }
                Kind::Adapter => {
                    // What several adapters are described by is a product, not the name of a host.
                    let is_named = described.get(device.description) == Some(&1);
                    let first = device.description.split_whitespace().next().filter(|_| is_named);
                    if first.is_none() {
                        nameless.push(device.id);
                    }
                    let name = first.unwrap_or(device.id);
                    if is_cabled.contains(&number) {
                        let next = hosts.len() as u32;
                        Some((End::Host(*hosts.entry(name).or_insert(next)), name.to_owned()))
                    } else {
                        idle.push(name);
                        None
                    }
                }
            });
        }
        let mut note = |count: usize, what: String| {
            if count > 0 {
                notes.push(what);
            }
        };
        note(
            aggregation,
            match aggregation {
                1 => "1 aggregation node of a switch is left out: it is no host.".to_owned(),
                many => format!("{many} aggregation nodes of switches are left out: they are no hosts."),
            },
        );
        note(routers, format!("{} to other subnets left out.", plural_are(routers, "router")));
        note(idle.len(), format!("Without a cable, and left out: {}.", some_of(&idle)));
        note(
            nameless.len(),
            format!("Adapters that do not tell their host are called by their number: {}.", some_of(&nameless)),
        );
        ends
    }
}

/// `1 host is`, `3 hosts are`.
fn plural_are(count: usize, what: &str) -> String {
    format!("{} {}", counted(count, what), if count == 1 { "is" } else { "are" })
}

/// `4xHDR` in bytes per second one way: lanes, and what each carries after encoding.
fn speed(word: &str) -> Option<f64> {
    let (lanes, rate) = word.split_once('x')?;
    let lanes: f64 = lanes.parse::<u32>().ok().filter(|lanes| (1..=12).contains(lanes))?.into();
    let gigabits = match rate {
        "SDR" => 2.0,
        "DDR" => 4.0,
        "QDR" => 8.0,
        "FDR10" => 10.0,
        "FDR" => 13.64,
        "EDR" => 25.0,
        "HDR" => 50.0,
        "NDR" => 100.0,
        "XDR" => 200.0,
        _ => return None,
    };
    Some(lanes * gigabits * 1e9 / 8.0)
}
