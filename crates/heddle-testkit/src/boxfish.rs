//! Boxfish runs that a test makes up: a torus of any shape, with what was counted given by functions.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A link of a made-up run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeLink {
    /// Its id in the files: links node by node, dimension by dimension, the way up first.
    pub id: u64,
    /// Coordinates of the node that sends.
    pub source: Vec<u32>,
    /// Coordinates of the node that receives.
    pub destination: Vec<u32>,
    /// Along which dimension.
    pub dimension: usize,
    /// Towards larger coordinates, around the ring.
    pub is_positive: bool,
}

/// A run on a torus. Nodes and ranks are numbered with the first coordinate fastest.
#[derive(Clone, Debug)]
pub struct MadeRun {
    /// Sizes of the dimensions, up to three of them called x, y, z, more of them a, b, c …
    pub sizes: Vec<u32>,
    /// Numbers of the code regions; one that occurs twice is visited twice.
    pub regions: Vec<i64>,
    /// Ranks on each node, neighbours in number.
    pub ranks_per_node: u32,
    /// Links of each node along a dimension of size 2.
    pub cables: u32,
    /// Communicators: name, number among those of that name, ranks.
    pub communicators: Vec<(String, u32, Vec<u32>)>,
}

impl MadeRun {
    /// A torus with one region, 1, and a rank on every node.
    pub fn torus(sizes: &[u32]) -> MadeRun {
        MadeRun { sizes: sizes.to_vec(), regions: vec![1], ranks_per_node: 1, cables: 1, communicators: Vec::new() }
    }

    fn names(&self) -> Vec<String> {
        let names = if self.sizes.len() <= 3 { "xyz" } else { "abcdefgh" };
        names.chars().take(self.sizes.len()).map(String::from).collect()
    }

    /// Coordinates of all nodes.
    pub fn nodes(&self) -> Vec<Vec<u32>> {
        let count: u32 = self.sizes.iter().product();
        let coordinates = |node: u32| {
            let mut rest = node;
            let coordinate = |size: &u32| {
                let at = rest % size;
                rest /= size;
                at
            };
            self.sizes.iter().map(coordinate).collect()
        };
        (0..count).map(coordinates).collect()
    }

    /// All links.
    pub fn links(&self) -> Vec<MadeLink> {
        let mut links = Vec::new();
        for source in self.nodes() {
            for (dimension, size) in self.sizes.iter().enumerate() {
                let ways = match size {
                    1 => &[][..],
                    // One cable: what is up from below is down from above.
                    2 if self.cables == 1 => &[source[dimension] == 0][..],
                    _ => &[true, false],
                };
                for is_positive in ways {
                    let mut destination = source.clone();
                    destination[dimension] = (source[dimension] + if *is_positive { 1 } else { size - 1 }) % size;
                    let (id, source) = (links.len() as u64, source.clone());
                    links.push(MadeLink { id, source, destination, dimension, is_positive: *is_positive });
                }
            }
        }
        links
    }

    /// Its files by name: `NAME_meta.yaml`, `NAME_nodes.yaml` and so on. `packets` is asked for every link and visit of a
    /// region, `flops` for every node, by its coordinates, and visit.
    pub fn files(
        &self,
        name: &str,
        mut packets: impl FnMut(&MadeLink, i64) -> i64,
        mut flops: impl FnMut(&[u32], i64) -> i64,
    ) -> Vec<(String, String)> {
        let mut links = header(name, &self.link_columns());
        for region in &self.regions {
            for link in self.links() {
                let (source, destination) = (blanks(&link.source), blanks(&link.destination));
                writeln!(links, "{} {source}{destination}{region} {} ", link.id, packets(&link, *region)).unwrap();
            }
        }
        let mut nodes = header(name, &self.node_columns());
        let mut map = header(name, &["mpirank", "nodeid"].map(str::to_owned));
        for (id, node) in self.nodes().iter().enumerate() {
            for region in &self.regions {
                writeln!(nodes, "{id} {}{region} {} ", blanks(node), flops(node, *region)).unwrap();
            }
            for core in 0..self.ranks_per_node {
                writeln!(map, "{} {id} ", id as u32 * self.ranks_per_node + core).unwrap();
            }
        }
        let mut files = vec![
            (format!("{name}_meta.yaml"), self.meta(name)),
            (format!("{name}_links.yaml"), links),
            (format!("{name}_nodes.yaml"), nodes),
            (format!("{name}_map.yaml"), map),
        ];
        if !self.communicators.is_empty() {
            files.extend(self.communicator_files(name));
        }
        files
    }

    /// Writes the files into a folder; returns the path of the meta file.
    pub fn write(
        &self,
        folder: &Path,
        name: &str,
        packets: impl FnMut(&MadeLink, i64) -> i64,
        flops: impl FnMut(&[u32], i64) -> i64,
    ) -> PathBuf {
        std::fs::create_dir_all(folder).unwrap();
        for (file, text) in self.files(name, packets, flops) {
            std::fs::write(folder.join(file), text).unwrap();
        }
        folder.join(format!("{name}_meta.yaml"))
    }

    fn link_columns(&self) -> Vec<String> {
        let names = self.names();
        let ends = ["s", "t"].into_iter().flat_map(|end| names.iter().map(move |name| format!("{end}{name}")));
        let rest = ["code_region", "packets"].map(str::to_owned);
        std::iter::once("linkid".to_owned()).chain(ends).chain(rest).collect()
    }

    fn node_columns(&self) -> Vec<String> {
        let rest = ["code_region", "flops"].map(str::to_owned);
        std::iter::once("nodeid".to_owned()).chain(self.names()).chain(rest).collect()
    }

    fn meta(&self, name: &str) -> String {
        let names = self.names();
        let sizes: Vec<String> = names.iter().zip(&self.sizes).map(|(name, size)| format!("{name}: {size}")).collect();
        let columns =
            |end: &str| names.iter().map(|name| format!("{name}: {end}{name}")).collect::<Vec<_>>().join(", ");
        let mut meta = format!(
            "---\nkey: {name}\nhardware: {{\n type: made,\n network: torus,\n nodes: {},\n coords: [{}],\n \
             coords_table: {name}_nodes.yaml,\n dim: {{{}}},\n source_coords: {{{}}},\n destination_coords: {{{}}},\n \
             link_coords_table: {name}_links.yaml\n}}\n",
            self.sizes.iter().product::<u32>(),
            names.join(", "),
            sizes.join(", "),
            columns("s"),
            columns("t"),
        );
        let table = |kind: &str, file: &str, field: &str| {
            format!("---\nfiletype: table\nfilename: {name}_{file}.yaml\n{kind}\nfield: {field}\nflags: 0\n")
        };
        meta.push_str(&table("domain: HW\ntype: NODE", "nodes", "nodeid"));
        meta.push_str(&table("domain: HW\ntype: LINK", "links", "linkid"));
        let rank = "- { domain: COMM, type: RANK, field: mpirank }";
        let node = "- { domain: HW, type: NODE, field: nodeid }";
        let file = |file: &str, one: &str| {
            format!(
                "---\nfiletype: projection\ntype: file\nfilename: {name}_{file}.yaml\nsubdomain:\n{one}\n{rank}\nflags: 0\n"
            )
        };
        meta.push_str(&file("map", node));
        if !self.communicators.is_empty() {
            meta.push_str(&table("domain: COMM\ntype: COMMUNICATOR", "communicators", "communicator_group_id"));
            meta.push_str(&file("members", "- { domain: COMM, type: COMMUNICATOR, field: communicator_group_id }"));
        }
        let link = "- { domain: HW, type: LINK, field: linkid }";
        meta.push_str(&format!(
            "---\nfiletype: projection\ntype: node link\nnode_policy: Source\nlink_policy: Source\nsubdomain:\n{node}\n\
             {link}\nflags: 0\n...\n"
        ));
        meta
    }

    fn communicator_files(&self, name: &str) -> [(String, String); 2] {
        let mut table = format!(
            "---\nkey: {name}\n---\n- [communicator_group_id, int32]\n- [communicator_name, S32]\n- [subcomm_id, int32]\n...\n"
        );
        let mut members = header(name, &["communicator_group_id", "mpirank"].map(str::to_owned));
        for (id, (called, number, ranks)) in self.communicators.iter().enumerate() {
            writeln!(table, "{id} {called} {number} ").unwrap();
            for rank in ranks {
                writeln!(members, "{id} {rank} ").unwrap();
            }
        }
        [(format!("{name}_communicators.yaml"), table), (format!("{name}_members.yaml"), members)]
    }
}

fn header(key: &str, columns: &[String]) -> String {
    let mut text = format!("---\nkey: {key}\n---\n");
    for column in columns {
        writeln!(text, "- [{column}, int64]").unwrap();
    }
    text + "...\n"
}

/// Numbers, each with a blank behind it.
fn blanks(numbers: &[u32]) -> String {
    let mut text = String::new();
    for number in numbers {
        write!(text, "{number} ").unwrap();
    }
    text
}
