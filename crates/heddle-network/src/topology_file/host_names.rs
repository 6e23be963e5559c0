//! Names of hosts, with and without their domains.

use heddle_topology::Element;
use rustc_hash::FxHashMap;

/// Names that are compared when a name is not there.
const COMPARED: usize = 100_000;

/// The hosts of a machine by their names.
#[derive(Clone, Debug, Default)]
pub struct HostNames {
    exact: FxHashMap<String, Element>,
    /// By what stands before the first dot of a name with a domain; none if several begin so.
    short: FxHashMap<String, Option<Element>>,
}

impl HostNames {
    /// Of these names; of several equal ones the first.
    pub fn new(names: impl IntoIterator<Item = (String, Element)>) -> HostNames {
        let mut hosts = HostNames::default();
        for (name, element) in names {
            if let Some((short, _)) = name.split_once('.') {
                let known = hosts.short.entry(short.to_owned()).or_insert(Some(element));
                if *known != Some(element) {
                    *known = None;
                }
            }
            hosts.exact.entry(name).or_insert(element);
        }
        hosts
    }

    /// Whether the file names no hosts.
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty()
    }

    /// The host of that name. One of `n1` and `n1.cluster` is known by the other too.
    pub fn find(&self, name: &str) -> Option<Element> {
        let name = name.trim();
        let found = self.exact.get(name).copied();
        found.or_else(|| match name.split_once('.') {
            Some((short, _)) => self.exact.get(short).copied(),
            None => self.short.get(name).copied().flatten(),
        })
    }

    /// The name that is most like one that is not there, if any is: a slip of one or two letters.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.exact.keys().map(String::as_str))
    }
}

/// The name that differs least, if it differs by no more than a slip; of several the first in their order.
pub(super) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = if name.chars().count() > 4 { 2 } else { 1 };
    let near = names.take(COMPARED).filter_map(|other| Some((distance(name, other, most)?, other)));
    near.min().map(|(_, other)| other)
}

/// Letters to put in, take out or exchange to get from one name to another, if that is not more than `most`. A digit for another
/// counts twice: `n3` is another host than `n1`, and rather `n03`.
fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    // A name is short; what is longer is not meant.
    if one.len().abs_diff(other.len()) > 4 * most || one.len().max(other.len()) > 256 {
        return None;
    }
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (number, letter) in one.chars().enumerate() {
        let mut before = row[0];
        row[0] = number + 1;
        for at in 0..other.len() {
            let are_digits = letter.is_ascii_digit() && other[at].is_ascii_digit();
            let exchanged = before + if letter == other[at] { 0 } else { 1 + usize::from(are_digits) };
            before = row[at + 1];
            row[at + 1] = exchanged.min(row[at] + 1).min(before + 1);
        }
        if row.iter().all(|steps| *steps > most) {
            return None;
        }
    }
    row.last().copied().filter(|steps| *steps <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(names: &[&str]) -> HostNames {
        HostNames::new(names.iter().zip(0..).map(|(name, at)| ((*name).to_owned(), Element(at))))
    }

    #[test]
    fn domains_may_be_there_or_not() {
        let hosts = hosts(&["n1", "n2.a.org", "n3.a.org", "n3.b.org"]);
        for (name, found) in [("n1", 0), ("n1.a.org", 0), ("n2", 1), ("n2.a.org", 1), ("n3.b.org", 3)] {
            assert_eq!(hosts.find(name), Some(Element(found)), "{name}");
        }
        for name in ["n3", "n2.b.org", "n4", "", "a.org"] {
            assert_eq!(hosts.find(name), None, "{name}");
        }
    }

    #[test]
    fn a_slip_is_seen() {
        let hosts = hosts(&["node-01", "node-02", "gpu7"]);
        assert_eq!(hosts.nearest("node-1"), Some("node-01"));
        assert_eq!(hosts.nearest("nod-02"), Some("node-02"));
        assert_eq!(hosts.nearest("gqu7"), Some("gpu7"));
        assert_eq!(hosts.nearest("gpu9"), None, "another host");
        assert_eq!(hosts.nearest("cpu99"), None);
        assert_eq!(hosts.nearest(&"x".repeat(1_000_000)), None);
    }
}
