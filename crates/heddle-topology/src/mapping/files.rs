//! Map files and lists of hosts: texts that say rank by rank where it sits.
//!
//! A **map file** has a line per rank, its coordinates and its core: `x y z t` on Blue Gene/L and /P, `a b c d e t` on /Q. A **list
//! of hosts** has a host per line, or a rank and its host. A host is a node's label, `(1,6,5)` or `1,6,5`, its number, or
//! a name that the caller knows. In both, blank lines and what follows a `#` do not count.

use std::collections::HashMap;
use std::fmt::Write;

use super::Placement;
use crate::{Element, MOST_DIMENSIONS, Shape, Torus};

/// A map file or list of hosts is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", .line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct MapFileError {
    /// Where, counted from 1; none if it is about the whole.
    pub line: Option<usize>,
    /// What is wrong.
    pub problem: MapProblem,
}

/// What can be wrong with a map file or list of hosts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MapProblem {
    /// More or fewer columns than dimensions and a core.
    #[error("{found} numbers, but a line should have {expected}: {columns}")]
    Columns {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
        /// `x y z t`
        columns: String,
    },
    /// Not a number, or too large.
    #[error("{column} is `{found}`, but should be a number from 0 to {most}")]
    Range {
        /// `x`
        column: String,
        /// What is there.
        found: String,
        /// The largest that there is.
        most: u32,
    },
    /// Two ranks on one core.
    #[error("{place} is given twice, first in line {earlier}; each core holds one rank")]
    Doubled {
        /// `(1,6,5), core 2`
        place: String,
        /// The line that has it already.
        earlier: usize,
    },
    /// Two hosts for one rank.
    #[error("rank {rank} is given twice, first in line {earlier}")]
    DoubledRank {
        /// The rank.
        rank: u32,
        /// The line that has it already.
        earlier: usize,
    },
    /// A rank that there is not.
    #[error("there is no rank {rank}; the ranks are 0 to {most}")]
    NoSuchRank {
        /// The rank.
        rank: u32,
        /// The largest that there is.
        most: u32,
    },
    /// A host that is no node.
    #[error("`{0}` is no host of this machine; give a name, coordinates as 1,6,5, or the number of a node")]
    UnknownHost(String),
    /// A line with a rank among lines without, or the other way.
    #[error("`{found}` should be {expected}, as in the lines before")]
    Mixed {
        /// What is there.
        found: String,
        /// `a rank and a host`
        expected: &'static str,
    },
    /// More ranks on a node than it has cores.
    #[error("rank {rank} is one too many on {host}: a node holds {ranks_per_node} ranks")]
    FullNode {
        /// The rank that does not fit.
        rank: u32,
        /// The node's label.
        host: String,
        /// Ranks that a node can hold.
        ranks_per_node: u32,
    },
    /// A rank that no line is about.
    #[error("rank {0} has no line")]
    Missing(u32),
    /// Fewer lines than ranks.
    #[error("it ends after {found} of {expected} ranks")]
    TooFew {
        /// Lines that there are.
        found: u32,
        /// Ranks that there are.
        expected: u32,
    },
    /// More lines than ranks.
    #[error("this is one line too many: the number of ranks is {0}")]
    TooMany(u32),
    /// Coordinates for a machine that has none.
    #[error("this machine has no coordinates; give a list of hosts")]
    NotATorus,
    /// No line at all.
    #[error("it places no rank")]
    Empty,
}

fn at(line: usize, problem: MapProblem) -> MapFileError {
    MapFileError { line: Some(line), problem }
}

fn whole(problem: MapProblem) -> MapFileError {
    MapFileError { line: None, problem }
}

/// What was found, short and harmless.
fn quote(text: &str) -> String {
    let mut short: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().nth(40).is_some() {
        short.push('…');
    }
    short
}

/// The lines that say something, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    // A file from another system may begin with a byte order mark.
    let text = text.trim_start_matches('\u{feff}');
    text.lines()
        .map(|line| line.split('#').next().unwrap_or("").trim())
        .zip(1..)
        .filter_map(|(said, number)| (!said.is_empty()).then_some((number, said)))
}

/// Reads a map file, or a list of hosts if its first line does not look like coordinates and a core.
///
/// `hosts` knows names of nodes beyond their coordinates and numbers.
pub fn read_placement(
    text: &str,
    shape: &Shape,
    ranks: Option<u32>,
    ranks_per_node: u32,
    hosts: &dyn Fn(&str) -> Option<Element>,
) -> Result<Placement, MapFileError> {
    let (_, first) = lines(text).next().ok_or_else(|| whole(MapProblem::Empty))?;
    let columns = first.split_whitespace().count();
    let numbers = first.split_whitespace().all(|column| column.parse::<u32>().is_ok());
    // Two numbers are a rank and its node, unless the machine is a line of nodes: then they are a place and a core.
    let coordinates = |torus: &Torus| numbers && (columns > 2 || columns == torus.dimensions().len() + 1);
    if shape.torus().is_some_and(coordinates) {
        read_map(text, shape, ranks, ranks_per_node)
    } else {
        read_hosts(text, shape, ranks, ranks_per_node, hosts)
    }
}

/// Reads a map file: coordinates and core of each rank, in the order of ranks. `ranks`, if known, is how many lines there must be.
pub fn read_map(text: &str, shape: &Shape, ranks: Option<u32>, ranks_per_node: u32) -> Result<Placement, MapFileError> {
    let torus = shape.torus().ok_or_else(|| whole(MapProblem::NotATorus))?;
    let mut places: Vec<(Element, u32)> = Vec::new();
    let mut seen: HashMap<(Element, u32), usize> = HashMap::new();
    for (number, line) in lines(text) {
        if ranks.is_some_and(|ranks| places.len() >= ranks as usize) {
            return Err(at(number, MapProblem::TooMany(ranks.unwrap_or(0))));
        }
        let place = map_line(line, torus, ranks_per_node).map_err(|problem| at(number, problem))?;
        if let Some(earlier) = seen.insert(place, number) {
            let place = format!("{}, core {}", shape.label(place.0), place.1);
            return Err(at(number, MapProblem::Doubled { place, earlier }));
        }
        places.push(place);
    }
    complete(places.len() as u32, ranks)?;
    Ok(Placement::new(shape.hosts(), places))
}

fn map_line(line: &str, torus: &Torus, ranks_per_node: u32) -> Result<(Element, u32), MapProblem> {
    let dimensions = torus.dimensions();
    let columns = || dimensions.iter().map(|dimension| dimension.name.as_str()).chain(["t"]);
    let found = line.split_whitespace().count();
    if found != dimensions.len() + 1 {
        let columns = columns().collect::<Vec<_>>().join(" ");
        return Err(MapProblem::Columns { found, expected: dimensions.len() + 1, columns });
    }
    let sizes = dimensions.iter().map(|dimension| dimension.size).chain([ranks_per_node]);
    let mut values = [0; MOST_DIMENSIONS + 1];
    for (((text, size), column), value) in line.split_whitespace().zip(sizes).zip(columns()).zip(&mut values) {
        *value = text.parse().ok().filter(|value| *value < size).ok_or_else(|| MapProblem::Range {
            column: column.to_owned(),
            found: quote(text),
            most: size.saturating_sub(1),
        })?;
    }
    let core = values[dimensions.len()];
    values[dimensions.len()] = 0;
    let mut place = [0; MOST_DIMENSIONS];
    place.copy_from_slice(&values[..MOST_DIMENSIONS]);
    Ok((torus.node(&place), core))
}

fn complete(found: u32, expected: Option<u32>) -> Result<(), MapFileError> {
    match expected {
        Some(expected) if found < expected => Err(whole(MapProblem::TooFew { found, expected })),
        None if found == 0 => Err(whole(MapProblem::Empty)),
        _ => Ok(()),
    }
}

/// Reads a list of hosts: one per line in the order of ranks, or `rank host` in any order. Ranks take the cores of a node in turn.
///
/// `hosts` knows names of nodes beyond their coordinates and numbers.
pub fn read_hosts(
    text: &str,
    shape: &Shape,
    ranks: Option<u32>,
    ranks_per_node: u32,
    hosts: &dyn Fn(&str) -> Option<Element>,
) -> Result<Placement, MapFileError> {
    let mut entries: Vec<(u32, usize, Element)> = Vec::new();
    let mut with_ranks = None;
    for (number, line) in lines(text) {
        let pair =
            line.split_once(char::is_whitespace).and_then(|(rank, host)| Some((rank.parse().ok()?, host.trim())));
        let with_rank = *with_ranks.get_or_insert(pair.is_some());
        let (rank, host) = match pair {
            Some(pair) if with_rank => pair,
            None if !with_rank => (entries.len() as u32, line),
            _ => {
                let expected = if with_rank { "a rank and a host" } else { "a host alone" };
                return Err(at(number, MapProblem::Mixed { found: quote(line), expected }));
            }
        };
        if let Some(ranks) = ranks.filter(|ranks| rank >= *ranks) {
            let problem = match ranks {
                1.. if with_rank => MapProblem::NoSuchRank { rank, most: ranks - 1 },
                _ => MapProblem::TooMany(ranks),
            };
            return Err(at(number, problem));
        }
        let node = host_node(host, shape, hosts).ok_or_else(|| at(number, MapProblem::UnknownHost(quote(host))))?;
        entries.push((rank, number, node));
    }
    entries.sort_unstable();
    for (expected, (rank, number, _)) in entries.iter().enumerate() {
        match entries[..expected].last() {
            Some((before, earlier, _)) if before == rank => {
                return Err(at(*number, MapProblem::DoubledRank { rank: *rank, earlier: *earlier }));
            }
            _ if *rank as usize > expected => return Err(whole(MapProblem::Missing(expected as u32))),
            _ => {}
        }
    }
    complete(entries.len() as u32, ranks)?;
    let mut taken = vec![0; shape.hosts() as usize];
    let mut places = Vec::with_capacity(entries.len());
    for (rank, number, node) in entries {
        let core = &mut taken[node.index()];
        if *core >= ranks_per_node {
            return Err(at(number, MapProblem::FullNode { rank, host: shape.label(node), ranks_per_node }));
        }
        places.push((node, *core));
        *core += 1;
    }
    Ok(Placement::new(shape.hosts(), places))
}

fn host_node(host: &str, shape: &Shape, hosts: &dyn Fn(&str) -> Option<Element>) -> Option<Element> {
    let number = || host.parse().ok().map(Element);
    hosts(host).or_else(|| shape.find(host)).or_else(number).filter(|node| node.0 < shape.hosts())
}

/// The map file of a placement; on a machine without coordinates, its list of ranks and hosts.
pub fn write_map(placement: &Placement, shape: &Shape) -> String {
    let mut text = String::new();
    for rank in 0..placement.ranks() {
        let node = placement.node(rank);
        // Writing to a string does not fail.
        let _ = match shape.torus() {
            Some(torus) => {
                for at in &torus.coordinates(node)[..torus.dimensions().len()] {
                    let _ = write!(text, "{at} ");
                }
                writeln!(text, "{}", placement.core(rank))
            }
            None => writeln!(text, "{rank} {}", shape.label(node)),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mapping;

    fn shape(text: &str) -> Shape {
        text.parse().unwrap()
    }

    fn map_error(text: &str, ranks: Option<u32>) -> String {
        read_map(text, &shape("4x4x2"), ranks, 2).unwrap_err().to_string()
    }

    fn names(name: &str) -> Option<Element> {
        name.strip_prefix("node").and_then(|number| number.parse().ok()).map(Element)
    }

    fn hosts(text: &str, ranks: Option<u32>) -> Result<Placement, String> {
        read_hosts(text, &shape("4x4x2"), ranks, 2, &names).map_err(|error| error.to_string())
    }

    #[test]
    fn what_was_written_is_read() {
        for (machine, mapping) in [("4x4x2", "XYZT"), ("8x8x8", "tiltZY"), ("3x2x2x2x2", "ABCDET"), ("7", "XT")] {
            let shape = shape(machine);
            let ranks = shape.hosts() * 3;
            let placement = mapping.parse::<Mapping>().unwrap().place(&shape, ranks, 3).unwrap();
            let text = write_map(&placement, &shape);
            assert_eq!(read_map(&text, &shape, Some(ranks), 3).unwrap(), placement, "{machine} {mapping}");
            assert_eq!(read_placement(&text, &shape, None, 3, &|_| None).unwrap(), placement, "{machine} {mapping}");
        }
    }

    #[test]
    fn comments_and_blank_lines_do_not_count() {
        let text = "\u{feff}# my map\r\n\r\n0 0 0 0 # first\r\n  3\t3 1 1  \r\n";
        let placement = read_map(text, &shape("4x4x2"), Some(2), 2).unwrap();
        assert_eq!((placement.node(1), placement.core(1)), (Element(31), 1));
    }

    #[test]
    fn what_is_wrong_with_a_map_is_named_with_its_line() {
        assert_eq!(map_error("# map\n0 0 0\n", None), "line 2: 3 numbers, but a line should have 4: x y z t");
        assert_eq!(map_error("0 0 0 0\n0 4 0 0\n", None), "line 2: y is `4`, but should be a number from 0 to 3");
        assert_eq!(map_error("0 0 0 2", None), "line 1: t is `2`, but should be a number from 0 to 1");
        assert_eq!(map_error("0 0 -1 0", None), "line 1: z is `-1`, but should be a number from 0 to 1");
        assert_eq!(map_error("0 0 \u{1b}[2J 0", None), "line 1: z is `\\u{1b}[2J`, but should be a number from 0 to 1");
        assert_eq!(
            map_error("0 0 0 0\n\n1 0 0 0\n0 0 0 0\n", None),
            "line 4: (0,0,0), core 0 is given twice, first in line 1; each core holds one rank"
        );
        assert_eq!(map_error("0 0 0 0\n", Some(2)), "it ends after 1 of 2 ranks");
        assert_eq!(
            map_error("0 0 0 0\n1 0 0 0\n", Some(1)),
            "line 2: this is one line too many: the number of ranks is 1"
        );
        assert_eq!(map_error("# nothing\n", None), "it places no rank");
    }

    #[test]
    fn hosts_are_labels_numbers_or_names() {
        for text in ["(1,2,1)\n1, 2, 0\n31\nnode5", "3 node5 # last\n2 31\n0 (1, 2, 1)\n1 1,2,0\n"] {
            let placement = hosts(text, Some(4)).unwrap();
            assert_eq!(placement.nodes(), [Element(25), Element(9), Element(31), Element(5)]);
        }
        let placement = hosts("node5\nnode4\nnode5\n", None).unwrap();
        assert_eq!([placement.core(0), placement.core(1), placement.core(2)], [0, 0, 1]);
        assert_eq!(placement.ranks_of(Element(5)), [0, 2]);
    }

    #[test]
    fn what_is_wrong_with_hosts_is_named_with_its_line() {
        let unknown = "is no host of this machine; give a name, coordinates as 1,6,5, or the number of a node";
        assert_eq!(hosts("node1\nnode32\n", None).unwrap_err(), format!("line 2: `node32` {unknown}"));
        assert_eq!(hosts("4,0,0\n", None).unwrap_err(), format!("line 1: `4,0,0` {unknown}"));
        assert_eq!(hosts("0 32\n", None).unwrap_err(), format!("line 1: `32` {unknown}"));
        assert_eq!(
            hosts("node1\nnode1\nnode1\n", None).unwrap_err(),
            "line 3: rank 2 is one too many on (1,0,0): a node holds 2 ranks"
        );
        assert_eq!(hosts("0 node1\n0 node2\n", None).unwrap_err(), "line 2: rank 0 is given twice, first in line 1");
        assert_eq!(hosts("1 node1\n2 node2\n", None).unwrap_err(), "rank 0 has no line");
        assert_eq!(hosts("4000000000 node1\n0 node2\n", None).unwrap_err(), "rank 1 has no line");
        assert_eq!(
            hosts("0 node1\n2 node2\n", Some(2)).unwrap_err(),
            "line 2: there is no rank 2; the ranks are 0 to 1"
        );
        assert_eq!(
            hosts("node1\nnode2\n", Some(1)).unwrap_err(),
            "line 2: this is one line too many: the number of ranks is 1"
        );
        assert_eq!(hosts("node1\n", Some(2)).unwrap_err(), "it ends after 1 of 2 ranks");
        assert_eq!(
            hosts("0 node1\nnode2\n", None).unwrap_err(),
            "line 2: `node2` should be a rank and a host, as in the lines before"
        );
        assert_eq!(hosts("", None).unwrap_err(), "it places no rank");
    }

    #[test]
    fn the_first_line_says_which_kind_it_is() {
        let read = |text: &str| read_placement(text, &shape("4x4x2"), None, 2, &names).map(|p| p.node(0));
        assert_eq!(read("3 0 0 1\n"), Ok(Element(3)));
        assert_eq!(read("0 7\n"), Ok(Element(7)));
        assert_eq!(read("node9\n"), Ok(Element(9)));
        assert!(read("3 0 0\n").unwrap_err().to_string().contains("x y z t"), "coordinates, but too few");
        assert_eq!(read("# none\n").unwrap_err().problem, MapProblem::Empty);
    }
}
