//! The rules that people name.

use std::fmt;
use std::str::FromStr;

use super::Placement;
use crate::{Element, MOST_DIMENSIONS, Shape, Torus};

/// Ranks that go into one tile unless sizes are given: a slab of pF3D, 16 by 8.
const SLAB: u32 = 128;

/// A rule that says where ranks sit.
///
/// As a text, in either case:
///
/// - `block`: a node is filled, then the next one. `round-robin`: one rank to each node in turn, then the second ones.
/// - `TXYZ`, `XYZT`, …: the names of the torus's dimensions, and T for the cores of a node. The first letter varies fastest, as
///   on Blue Gene/L and /P; where the dimensions are called A, B, C, … the last one does, as on Blue Gene/Q.
/// - `tile`: slabs of consecutive ranks in boxes of nodes, one rank per node, the third dimension fastest; a box is filled core by
///   core before the next one. `tile:2x8x8` gives the size of the box. `tiltZ` leans it over, so that the first coordinate
///   grows with the third; `tiltZY` with the second too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mapping {
    /// Fills a node, then the next one.
    #[default]
    Block,
    /// Deals ranks over the nodes in turn. Takes no more nodes than [`Mapping::Block`] would.
    RoundRobin,
    /// The order in which coordinates vary, in capitals.
    Letters(String),
    /// Boxes of nodes.
    Tile {
        /// Size of a box in the three dimensions; by itself about 128 nodes, long in the third dimension.
        size: Option<[u32; 3]>,
        /// How it leans.
        tilt: Tilt,
    },
}

/// How the planes across the first dimension lean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tilt {
    /// Upright.
    None,
    /// The first coordinate grows with the third.
    Z,
    /// The first coordinate grows with the second and the third.
    Zy,
}

impl Tilt {
    fn name(self) -> &'static str {
        match self {
            Tilt::None => "tile",
            Tilt::Z => "tiltZ",
            Tilt::Zy => "tiltZY",
        }
    }
}

/// A mapping cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    /// No rule is called so.
    #[error(
        "`{}` is not a mapping; use block, round-robin, the letters of the dimensions and T in some order (TXYZ, XYZT, …), tile, \
         tiltZ, tiltZY, or one of these three with a size (tile:2x8x8)", .0.escape_debug()
    )]
    Unknown(String),
    /// A rule for tori, on another machine.
    #[error("{0} is for tori only; use block, round-robin or a list of hosts")]
    NotATorus(String),
    /// Other letters than the dimensions'.
    #[error("{mapping} does not fit {sizes}: its letters must be {letters}, each once, in any order")]
    Letters {
        /// What was given.
        mapping: String,
        /// The torus.
        sizes: String,
        /// `T, X, Y, Z`
        letters: String,
    },
    /// Boxes on a torus that has not three dimensions.
    #[error("{mapping} needs three dimensions, and {sizes} has {dimensions}")]
    NotThreeDimensions {
        /// What was given.
        mapping: String,
        /// The torus.
        sizes: String,
        /// How many it has.
        dimensions: usize,
    },
    /// Boxes that do not fill the torus.
    #[error("a tile of {tile} nodes does not fill {sizes}: each of its sizes must divide that of the torus")]
    Tile {
        /// `2x8x8`
        tile: String,
        /// The torus.
        sizes: String,
    },
    /// More ranks than cores.
    #[error("{ranks} ranks do not fit: {hosts} nodes with {ranks_per_node} ranks each hold {}", u64::from(*hosts) * u64::from(*ranks_per_node))]
    TooManyRanks {
        /// Ranks to place.
        ranks: u32,
        /// Nodes that there are.
        hosts: u32,
        /// Ranks that a node can hold.
        ranks_per_node: u32,
    },
}

fn sizes_text(sizes: [u32; 3]) -> String {
    sizes.map(|size| size.to_string()).join("x")
}

impl FromStr for Mapping {
    type Err = MappingError;

    fn from_str(text: &str) -> Result<Mapping, MappingError> {
        let unknown = || MappingError::Unknown(text.to_owned());
        let (name, size) = match text.trim().split_once(':') {
            Some((name, size)) => (name, Some(size)),
            None => (text.trim(), None),
        };
        let name = name.to_ascii_lowercase();
        if let Some(tilt) = [Tilt::None, Tilt::Z, Tilt::Zy].into_iter().find(|t| t.name().eq_ignore_ascii_case(&name)) {
            let size = size.map(|size| parse_size(size).ok_or_else(unknown)).transpose()?;
            return Ok(Mapping::Tile { size, tilt });
        }
        match name.as_str() {
            _ if size.is_some() => Err(unknown()),
            "block" => Ok(Mapping::Block),
            "round-robin" => Ok(Mapping::RoundRobin),
            letters => {
                let distinct = letters.char_indices().all(|(at, letter)| !letters[..at].contains(letter));
                let known = letters.chars().all(|letter| "xyzabcdefght".contains(letter));
                if distinct && known && letters.contains('t') && letters.len() > 1 {
                    Ok(Mapping::Letters(letters.to_ascii_uppercase()))
                } else {
                    Err(unknown())
                }
            }
        }
    }
}

fn parse_size(text: &str) -> Option<[u32; 3]> {
    let sizes: Option<Vec<u32>> = text.split(['x', 'X']).map(|s| s.trim().parse().ok().filter(|n| *n > 0)).collect();
    sizes?.try_into().ok()
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mapping::Block => f.write_str("block"),
            Mapping::RoundRobin => f.write_str("round-robin"),
            Mapping::Letters(letters) => f.write_str(letters),
            Mapping::Tile { size: None, tilt } => f.write_str(tilt.name()),
            Mapping::Tile { size: Some(size), tilt } => write!(f, "{}:{}", tilt.name(), sizes_text(*size)),
        }
    }
}

impl Mapping {
    /// Where ranks sit on a machine whose nodes hold so many each.
    pub fn place(&self, shape: &Shape, ranks: u32, ranks_per_node: u32) -> Result<Placement, MappingError> {
        let hosts = shape.hosts();
        if u64::from(ranks) > u64::from(hosts) * u64::from(ranks_per_node) {
            return Err(MappingError::TooManyRanks { ranks, hosts, ranks_per_node });
        }
        let torus = || shape.torus().ok_or_else(|| MappingError::NotATorus(self.to_string()));
        let placement = match self {
            Mapping::Block => {
                Placement::new(hosts, (0..ranks).map(|rank| (Element(rank / ranks_per_node), rank % ranks_per_node)))
            }
            Mapping::RoundRobin => {
                let used = ranks.div_ceil(ranks_per_node.max(1));
                Placement::new(hosts, (0..ranks).map(|rank| (Element(rank % used), rank / used)))
            }
            Mapping::Letters(letters) => {
                let order = Order::new(letters, torus()?, ranks_per_node)?;
                Placement::new(hosts, (0..ranks).map(|rank| order.place(rank)))
            }
            Mapping::Tile { size, tilt } => {
                let tiles = self.tiles(torus()?, *size)?;
                Placement::new(hosts, (0..ranks).map(|rank| tiles.place(rank, ranks_per_node, *tilt)))
            }
        };
        Ok(placement)
    }

    fn tiles<'a>(&self, torus: &'a Torus, size: Option<[u32; 3]>) -> Result<Tiles<'a>, MappingError> {
        let sizes: Vec<u32> = torus.dimensions().iter().map(|dimension| dimension.size).collect();
        let Ok(sizes) = <[u32; 3]>::try_from(sizes) else {
            let (mapping, dimensions) = (self.to_string(), torus.dimensions().len());
            return Err(MappingError::NotThreeDimensions { mapping, sizes: torus.sizes(), dimensions });
        };
        let size = size.unwrap_or_else(|| usual_tile(sizes));
        if sizes.iter().zip(size).any(|(all, one)| all % one != 0) {
            return Err(MappingError::Tile { tile: sizes_text(size), sizes: torus.sizes() });
        }
        Ok(Tiles { torus, sizes, size })
    }
}

/// A box of 128 nodes: up to 16 in z, then as many in y as there are, the rest in x; where that does not divide the torus, the
/// largest smaller size that does.
fn usual_tile([x, y, z]: [u32; 3]) -> [u32; 3] {
    let divisor = |all: u32, most: u32| (1..=most.min(all)).rev().find(|one| all.is_multiple_of(*one)).unwrap_or(1);
    let depth = divisor(z, 16);
    let height = divisor(y, SLAB / depth);
    [divisor(x, SLAB / (depth * height)), height, depth]
}

/// Coordinates in the order in which they vary.
struct Order {
    /// Size and, but for the cores, stride of each letter, the fastest first.
    letters: Vec<(u32, Option<u32>)>,
}

impl Order {
    fn new(letters: &str, torus: &Torus, ranks_per_node: u32) -> Result<Order, MappingError> {
        let dimensions = torus.dimensions();
        let place = |letter: char| {
            if letter == 'T' {
                return Some((ranks_per_node, None));
            }
            let dim = torus.dimension(letter.encode_utf8(&mut [0; 4]))?;
            Some((dimensions[dim].size, Some(torus.stride(dim))))
        };
        let order: Option<Vec<_>> = letters.chars().map(place).collect();
        // Letters are distinct and one is T, so as many as there should be are the right ones.
        let Some(mut order) = order.filter(|order| order.len() == dimensions.len() + 1) else {
            let names = dimensions.iter().map(|dimension| dimension.name.to_ascii_uppercase());
            let expected: Vec<String> = std::iter::once("T".to_owned()).chain(names).collect();
            let (mapping, letters) = (letters.to_owned(), expected.join(", "));
            return Err(MappingError::Letters { mapping, sizes: torus.sizes(), letters });
        };
        if dimensions[0].name.eq_ignore_ascii_case("a") {
            order.reverse();
        }
        Ok(Order { letters: order })
    }

    fn place(&self, rank: u32) -> (Element, u32) {
        let (mut rest, mut node, mut core) = (rank, 0, 0);
        for (size, stride) in &self.letters {
            let at = rest % size;
            rest /= size;
            match stride {
                Some(stride) => node += at * stride,
                None => core = at,
            }
        }
        (Element(node), core)
    }
}

/// Boxes that fill a torus.
struct Tiles<'a> {
    torus: &'a Torus,
    sizes: [u32; 3],
    size: [u32; 3],
}

impl Tiles<'_> {
    fn place(&self, rank: u32, ranks_per_node: u32, tilt: Tilt) -> (Element, u32) {
        let [width, height, depth] = self.size;
        let [_, rows, layers] = [0, 1, 2].map(|dim| self.sizes[dim] / self.size[dim]);
        let (slab, inside) = (rank / (width * height * depth), rank % (width * height * depth));
        let (core, tile) = (slab % ranks_per_node, slab / ranks_per_node);
        let z = inside % depth + depth * (tile % layers);
        let y = inside / depth % height + height * (tile / layers % rows);
        let x = inside / (depth * height) + width * (tile / (layers * rows));
        let lean = match tilt {
            Tilt::None => 0,
            Tilt::Z => z,
            Tilt::Zy => y + z,
        };
        let mut at = [0; MOST_DIMENSIONS];
        at[..3].copy_from_slice(&[(x + lean) % self.sizes[0], y, z]);
        (self.torus.node(&at), core)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(mapping: &str, shape: &str, ranks: u32, per_node: u32) -> Result<Placement, MappingError> {
        mapping.parse::<Mapping>()?.place(&shape.parse().unwrap(), ranks, per_node)
    }

    /// The table of the five mappings of pF3D on 512 nodes.
    #[test]
    fn ranks_sit_where_the_formulas_say() {
        type Places = [[u32; 4]; 5];
        let table: [(u32, Places); 9] = [
            (0, [[0, 0, 0, 0]; 5]),
            (1, [[0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 1, 0], [1, 0, 1, 0], [1, 0, 1, 0]]),
            (5, [[1, 0, 0, 1], [5, 0, 0, 0], [0, 0, 5, 0], [5, 0, 5, 0], [5, 0, 5, 0]]),
            (16, [[4, 0, 0, 0], [0, 2, 0, 0], [0, 2, 0, 0], [0, 2, 0, 0], [2, 2, 0, 0]]),
            (77, [[3, 2, 0, 1], [5, 1, 1, 0], [1, 1, 5, 0], [6, 1, 5, 0], [7, 1, 5, 0]]),
            (128, [[0, 4, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 1]]),
            (300, [[3, 1, 1, 0], [4, 5, 4, 0], [0, 5, 4, 2], [4, 5, 4, 2], [1, 5, 4, 2]]),
            (1000, [[2, 7, 3, 0], [0, 5, 7, 1], [3, 5, 0, 3], [3, 5, 0, 3], [0, 5, 0, 3]]),
            (2047, [[7, 7, 7, 3], [7, 7, 7, 3], [7, 7, 7, 3], [6, 7, 7, 3], [5, 7, 7, 3]]),
        ];
        let shape: Shape = "8x8x8".parse().unwrap();
        let torus = shape.torus().unwrap();
        for (column, mapping) in ["TXYZ", "XYZT", "tile", "tiltZ", "tiltZY"].iter().enumerate() {
            let placement = place(mapping, "8x8x8", 2048, 4).unwrap();
            for (rank, places) in &table {
                let [x, y, z, _, ..] = torus.coordinates(placement.node(*rank));
                assert_eq!([x, y, z, placement.core(*rank)], places[column], "{mapping} {rank}");
            }
        }
    }

    #[test]
    fn every_core_is_used_once() {
        let shapes = ["8x8x8", "4x4x4", "3x6x5", "8x8x16", "7x1x12"];
        for (shape, mapping) in shapes.iter().flat_map(|s| ["TXYZ", "yztx", "tile", "tiltZ", "tiltZY"].map(|m| (s, m)))
        {
            let nodes = shape.parse::<Shape>().unwrap().hosts();
            let placement = place(mapping, shape, nodes * 3, 3).unwrap();
            assert_eq!((placement.ranks(), placement.ranks_per_node()), (nodes * 3, 3));
            for node in (0..nodes).map(Element) {
                let mut cores: Vec<u32> = placement.ranks_of(node).iter().map(|rank| placement.core(*rank)).collect();
                cores.sort_unstable();
                assert_eq!(cores, [0, 1, 2], "{mapping} on {shape}, {node:?}");
                assert!(placement.ranks_of(node).iter().all(|rank| placement.node(*rank) == node));
            }
        }
    }

    #[test]
    fn the_last_letter_is_fastest_on_blue_gene_q() {
        let placement = place("ABCDET", "2x3x4x3x2", 288, 2).unwrap();
        let shape: Shape = "2x3x4x3x2".parse().unwrap();
        assert_eq!(placement.core(1), 1);
        assert_eq!(shape.label(placement.node(2)), "(0,0,0,0,1)");
        assert_eq!(shape.label(placement.node(287)), "(1,2,3,2,1)");
        let placement = place("XYZABCT", "2x2x2x2x3x2", 96, 1).unwrap();
        assert_eq!(placement.node(1), Element(1), "Tofu counts as Blue Gene/P");
    }

    #[test]
    fn block_and_round_robin_take_the_same_nodes() {
        let nodes = |mapping: &str| -> Vec<u32> {
            let placement = place(mapping, "4x4", 10, 4).unwrap();
            placement.nodes().iter().map(|node| node.0).collect()
        };
        assert_eq!(nodes("block"), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]);
        assert_eq!(nodes("round-robin"), [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]);
        assert_eq!(nodes("block"), nodes("TXY"));
    }

    #[test]
    fn texts_come_back() {
        for text in ["block", "round-robin", "TXYZ", "XYZABCT", "tile", "tiltZ", "tiltZY", "tile:2x8x8", "tiltZY:4x4x8"]
        {
            assert_eq!(text.parse::<Mapping>().unwrap().to_string(), text);
            assert_eq!(text.to_lowercase().parse::<Mapping>().unwrap().to_string(), text);
        }
        for text in
            ["", "T", "XYZ", "TXXYZ", "tile:2x8", "tile:0x8x8", "tile:", "block:3", "TXYZ:2x2x2", "nonsense", "TÄ"]
        {
            assert_eq!(text.parse::<Mapping>(), Err(MappingError::Unknown(text.to_owned())));
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let said = |mapping: &str, shape: &str, ranks, per_node| {
            place(mapping, shape, ranks, per_node).unwrap_err().to_string()
        };
        assert_eq!(said("TXYZ", "4x4x4", 257, 4), "257 ranks do not fit: 64 nodes with 4 ranks each hold 256");
        assert_eq!(said("block", "4x4x4", 1, 0), "1 ranks do not fit: 64 nodes with 0 ranks each hold 0");
        assert_eq!(
            said("TXY", "4x4x4", 4, 4),
            "TXY does not fit 4x4x4: its letters must be T, X, Y, Z, each once, in any order"
        );
        assert!(said("TXYA", "4x4x4", 4, 4).contains("T, X, Y, Z"));
        assert_eq!(said("tile", "4x4", 4, 4), "tile needs three dimensions, and 4x4 has 2");
        assert_eq!(
            said("tile:3x4x4", "4x4x4", 4, 4),
            "a tile of 3x4x4 nodes does not fill 4x4x4: each of its sizes must divide that of the torus"
        );
    }

    #[test]
    fn nobody_anywhere_is_a_placement() {
        for mapping in ["block", "round-robin", "TXYZ", "tile"] {
            let placement = place(mapping, "2x2x2", 0, 0).unwrap();
            assert_eq!((placement.ranks(), placement.ranks_per_node()), (0, 0));
        }
    }
}
