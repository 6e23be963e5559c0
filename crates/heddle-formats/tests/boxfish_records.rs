//! Boxfish runs by hand: what becomes what, and what happens to files that are not as they should be.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

#[path = "common/boxfish.rs"]
mod common;

use common::{files, read, totals, warned};
use heddle_formats::{MemoryFiles, recognise};
use heddle_model::{Counted, LinkEnd, LocationId, MeasuredNetwork, Rank, Source, SystemNode, WarningKind};
use heddle_testkit::{MadeLink, MadeRun};

const META: &str = "---
key: HAND
unknown: [1, {two: 3}]
hardware: {
 type: bgp,
 network: torus,
 nodes: 4,
 coords: [x, y],
 coords_table: nodes.yaml,
 dim: {x: 4, y: 1},
 source_coords: {x: sx, y: sy},
 destination_coords: {x: tx, y: ty},
 link_coords_table: links.yaml,
}
---
filetype: table
filename: nodes.yaml
domain: hw
type: node
field: nodeid
---
filetype: table
filename: links.yaml
domain: HW
type: LINK
field: linkid
---
filetype: projection
type: file
filename: map.yaml
subdomain:
- { domain: HW, type: NODE, field: nodeid }
- { domain: COMM, type: RANK, field: mpirank }
---
filetype: projection
type: node link
node_policy: Both
link_policy: Source
subdomain:
- { domain: HW, type: NODE, field: nodeid }
- { domain: HW, type: LINK, field: linkid }
...
";

/// Columns in another order than usual, numbers with fractions, trailing commas and blanks, a comment, an empty line.
const LINKS: &str = "- [packets, int32]
- [note, S8]
- [code_region, int32]
- [tx, int32]
- [ty, int32]
- [sx, int32]
- [sy, int32]
- [linkid, int32]
- [bytes, float64]
...
40000.0 a 1 1 0 0 0 70 1.5
# a remark
10 a -2 1 0 0 0 70 2.5 ,

5, b, 1, 1, 0, 0, 0, 70, 4,\r
7 a 1 0 0 3 0 71 0.25  \t
1 a 1 3 0 0 0 72 0
";

const NODES: &str = "---
- [nodeid, int32]
- [x, int32]
- [y, int32]
- [code_region, int32]
- [flops, int64]
...
13 3 0 1 33
10 0 0 1 3
11 1 0 1 4
12 2 0 7 5
";

const MAP: &str = "---
- [mpirank, int32]
- [nodeid, int32]
...
3 13
0 10
1 10
5 99
";

fn hand() -> MemoryFiles {
    files([("run.yaml", META), ("links.yaml", LINKS), ("nodes.yaml", NODES), ("map.yaml", MAP)])
}

fn with(name: &str, text: &str) -> MemoryFiles {
    let files = hand();
    files.insert(name, text.as_bytes().to_vec());
    files
}

#[test]
fn a_run_by_hand_is_read_as_it_is_meant() {
    assert_eq!(recognise(META.as_bytes()).unwrap().name, "boxfish");
    assert!(recognise(LINKS.as_bytes()).is_none());
    let run = read(&hand(), "run.yaml").unwrap();
    let network = run.network().unwrap();
    assert_eq!((run.format(), network.hardware.as_str(), network.links_of_node), ("boxfish", "bgp", LinkEnd::Both));
    let sizes: Vec<(&str, u32, bool)> = network.dimensions.iter().map(|d| (d.name.as_str(), d.size, d.wraps)).collect();
    assert_eq!(sizes, [("x", 4, true), ("y", 1, true)]);
    let nodes: Vec<(Option<i64>, u32)> = network.nodes.iter().map(|node| (node.file_id, node.place)).collect();
    assert_eq!(nodes, [(Some(10), 0), (Some(11), 1), (Some(12), 2), (Some(13), 3)]);
    let links: Vec<(Option<i64>, u32, u32, bool)> =
        network.links.iter().map(|link| (link.file_id, link.source, link.destination, link.is_positive)).collect();
    assert_eq!(links, [(Some(70), 0, 1, true), (Some(71), 3, 0, true), (Some(72), 0, 3, false)]);
    let sections: Vec<(i64, u32, &str)> =
        network.sections.iter().map(|section| (section.id, section.visits, section.name.as_str())).collect();
    assert_eq!(sections, [(1, 2, ""), (-2, 1, "outside the marked regions"), (7, 1, "")]);
    let counters: Vec<(&str, Counted)> = network.counters.iter().map(|c| (c.name.as_str(), c.of)).collect();
    assert_eq!(counters, [("packets", Counted::Links), ("bytes", Counted::Links), ("flops", Counted::Nodes)]);
    let first = network.tallies[0];
    assert_eq!((first.key(), first.visits), ((0, 0, 0), 2));
    assert_eq!((first.sum, first.min, first.max), (40_005.0, 5.0, 40_000.0));
    let bytes: Vec<f64> = totals(network, Counted::Links, "bytes").iter().map(|total| total.unwrap().sum).collect();
    assert_eq!(bytes, [8.0, 0.25, 0.0]);
    let flops: Vec<f64> = totals(network, Counted::Nodes, "flops").iter().map(|total| total.unwrap().sum).collect();
    assert_eq!(flops, [3.0, 4.0, 5.0, 33.0]);
}

#[test]
fn ranks_are_locations_on_their_nodes() {
    let run = read(&hand(), "run.yaml").unwrap();
    let definitions = run.definitions();
    assert_eq!(definitions.ranks(), 6);
    let world = [Some(0), Some(1), None, Some(2), None, Some(3)];
    assert_eq!(definitions.world, world.map(|location| location.map_or(LocationId::NONE, LocationId)));
    let above = |location: usize| {
        let mut names = Vec::new();
        let mut at = definitions.locations[location].parent;
        while let Some(node) = at.map(|at| &definitions.system_tree[at.index()]) {
            names.push((node.name.as_str(), node.class.as_str()));
            at = node.parent;
        }
        names
    };
    assert_eq!(above(2), [("rank 3", SystemNode::PROCESS), ("(3,0)", "node"), ("bgp", "machine")]);
    assert_eq!(above(1)[1], ("(0,0)", "node"));
    assert_eq!(definitions.locations[2].rank, Rank(3));
    assert_eq!(run.network().unwrap().places, [0, 0, 3, MeasuredNetwork::NOWHERE]);
    let undefined = warned(&run, WarningKind::UndefinedReference);
    assert!(undefined[0].place.contains("map.yaml, rank 5 on node 99"), "{undefined:?}");
}

/// Each damage with the file and line that must be named, and how many links' rows are left.
#[test]
fn damaged_rows_are_named_and_cost_only_themselves() {
    for (row, line, words) in [
        ("1 a 1 3 0", 17, "should have 9 values"),
        ("1 a 1 3 0 0 0 72 0 17", 17, "should have 9 values"),
        ("x a 1 3 0 0 0 72 0", 17, "`packets` should hold a number"),
        ("1 a 1 3 0 0 0 7.5 0", 17, "`linkid` should hold a whole number"),
        ("1 a 1 4 0 0 0 73 0", 17, "`x` should lie between 0 and 3"),
        ("1 a 1 -1 0 0 0 73 0", 17, "`x` should lie between 0 and 3"),
        ("1 a 1 2 0 2 0 73 0", 17, "from (2,0) to (2,0)"),
        ("1 a 1 2 0 0 0 73 0", 17, "should join neighbours"),
        ("1 a 1 3 0 0 0 70 0", 17, "same ends in all rows"),
    ] {
        let text = LINKS.replace("1 a 1 3 0 0 0 72 0", &format!("{row}\n2 a 1 3 0 0 0 72 0"));
        let run = read(&with("links.yaml", &text), "run.yaml").unwrap();
        let found = warned(&run, WarningKind::Corrupt);
        assert_eq!(found.len(), 1, "{row}: {found:?}");
        assert_eq!(
            (found[0].count, found[0].place.as_str()),
            (1, format!("links.yaml, line {line}").as_str()),
            "{row}"
        );
        assert!(found[0].text.contains(words), "{row}: {}", found[0].text);
        let sums: Vec<f64> =
            totals(run.network().unwrap(), Counted::Links, "packets").iter().map(|total| total.unwrap().sum).collect();
        assert_eq!(sums, [40_015.0, 7.0, 2.0], "{row}");
    }
    let doubled = NODES.replace("12 2 0 7 5", "14 3 0 1 8\n12 2 0 7 5\n12 1 0 7 5");
    let run = read(&with("nodes.yaml", &doubled), "run.yaml").unwrap();
    let found = warned(&run, WarningKind::Corrupt);
    let told: Vec<(&str, bool)> =
        found.iter().map(|w| (w.place.as_str(), w.text.contains("same coordinates"))).collect();
    assert_eq!(told, [("nodes.yaml, line 13", true), ("nodes.yaml, line 11", true)]);
    assert_eq!(run.network().unwrap().nodes.len(), 4);
}

#[test]
fn only_a_machine_that_is_not_described_is_an_error() {
    for (from, to, place, words) in [
        ("coords: [x, y],", "", "run.yaml, line 4", "`coords`"),
        ("dim: {x: 4, y: 1},", "", "run.yaml, line 4", "`dim`"),
        ("y: 1}", "y: 0}", "run.yaml, line 10", "1 or more for the coordinate `y`"),
        ("x: 4", "x: 400000000", "run.yaml, line 10", "400000000"),
        ("coords_table: nodes.yaml,", "", "run.yaml, line 4", "`coords_table`"),
        ("source_coords: {x: sx, y: sy},", "source_coords: {x: sx},", "run.yaml, line 11", "`source_coords`"),
        ("coords: [x, y],", "coords: [x, y,", "run.yaml, line 1", "not YAML"),
    ] {
        let error = read(&with("run.yaml", &META.replacen(from, to, 1)), "run.yaml").unwrap_err().to_string();
        assert!(error.starts_with(place) && error.contains(words), "{from} -> {to}: {error}");
    }
    // `dims` is what Boxfish's own documents once call it.
    assert!(read(&with("run.yaml", &META.replace(" dim:", " dims:")), "run.yaml").is_ok());
}

#[test]
fn what_is_wrong_elsewhere_costs_only_that() {
    let check = |files: MemoryFiles, kind, place: &str, words: &str| {
        let run = read(&files, "run.yaml").unwrap();
        let found = warned(&run, kind);
        let is_told = found.iter().any(|w| w.place.starts_with(place) && w.text.contains(words));
        assert!(is_told, "{place}: {words}: {:?}", run.warnings().to_vec());
        run
    };
    let run = check(
        with("run.yaml", &META.replace("map.yaml", "none.yaml")),
        WarningKind::MissingFile,
        "none.yaml",
        "not there",
    );
    assert!(run.definitions().locations.is_empty() && run.network().unwrap().links.len() == 3);
    for outside in ["../map.yaml", "/etc/map.yaml", "a/../../map.yaml"] {
        let meta = META.replace("map.yaml", outside);
        check(with("run.yaml", &meta), WarningKind::MissingFile, outside, "outside of the run's folder");
    }
    let run = check(with("links.yaml", "- [a, int32]\n1\n2\n"), WarningKind::Corrupt, "links.yaml, line 3", "`...`");
    assert_eq!((run.network().unwrap().links.len(), run.network().unwrap().nodes.len()), (0, 4));
    check(with("links.yaml", "- [a, {int32\n...\n"), WarningKind::Corrupt, "links.yaml, line", "not YAML");
    check(with("links.yaml", "key: A\n...\n"), WarningKind::Corrupt, "links.yaml, line 1", "list of columns");
    check(
        with("links.yaml", &LINKS.replace("[ty, int32]", "[to, int32]")),
        WarningKind::Corrupt,
        "links.yaml",
        "column ty",
    );
    check(
        with("run.yaml", &META.replace("type: file", "type: files")),
        WarningKind::Corrupt,
        "run.yaml, line 28",
        "identity, file or node link",
    );
    check(
        with("run.yaml", &META.replace("nodes: 4", "nodes: 1728")),
        WarningKind::Assumed,
        "run.yaml, line 7",
        "1,728 nodes are announced and 4 are there",
    );
    let run = check(
        with("links.yaml", &LINKS[..LINKS.len() - 1]),
        WarningKind::Assumed,
        "links.yaml, line 17",
        "no end of line",
    );
    assert_eq!(run.network().unwrap().links.len(), 3);
    let run =
        check(with("links.yaml", &LINKS[..LINKS.len() - 3]), WarningKind::Truncated, "links.yaml, line 17", "9 values");
    assert_eq!(run.network().unwrap().links.len(), 2);
    let meta =
        META.to_owned() + "---\nfiletype: table\nfilename: ranks.yaml\ndomain: COMM\ntype: RANK\nfield: mpirank\n";
    check(with("run.yaml", &meta), WarningKind::UnusedRecords, "ranks.yaml", "COMM/RANK");
}

#[test]
fn impossible_counters_are_named_and_kept() {
    let nodes = NODES.replace("12 2 0 7 5", "12 2 0 7 -2026526266").replace("1 0 1 4", "1 0 1 9223372036854775807");
    let links = LINKS.replace("7 a 1 0 0 3", "-7 a 1 0 0 3");
    let files = with("nodes.yaml", &nodes);
    files.insert("links.yaml", links.into_bytes());
    let run = read(&files, "run.yaml").unwrap();
    let found = warned(&run, WarningKind::ImpossibleValues);
    assert_eq!((found.len(), found[0].count, found[0].place.as_str()), (1, 3, "links.yaml, line 16"));
    for words in [
        "packets of link (3,0) to (0,0) in section 1: -7",
        "flops of node (2,0) in section 7: -2026526266",
        "flops of node (1,0) in section 1: 92233720368547",
    ] {
        assert!(found[0].text.contains(words), "{words}: {}", found[0].text);
    }
    let flops = totals(run.network().unwrap(), Counted::Nodes, "flops");
    let told: Vec<(f64, bool)> = flops.iter().flatten().map(|total| (total.sum, total.is_possible())).collect();
    assert_eq!(told[2], (-2_026_526_266.0, false));
    assert_eq!((told[0], told[1].1), ((3.0, true), false));
}

/// Reads a run that the test kit wrote.
fn made(run: &MadeRun, packets: impl FnMut(&MadeLink, i64) -> i64) -> heddle_formats::boxfish::Run {
    let all = run.files("m", packets, |node, region| i64::from(node[0]) + region.abs());
    read(&files(all.iter().map(|(name, text)| (name.as_str(), text.as_str()))), "m_meta.yaml").unwrap()
}

#[test]
fn runs_that_tests_write_come_back() {
    for (sizes, cables) in [(&[4, 3, 5][..], 1), (&[2, 2], 1), (&[2, 4, 2], 2), (&[1, 6], 1), (&[3, 3, 2, 2, 2, 3], 1)]
    {
        let of = MadeRun { cables, regions: vec![-1, 3, 8, 3], ranks_per_node: 2, ..MadeRun::torus(sizes) };
        let run = made(&of, |link, region| 1000 * region.abs() + link.id as i64);
        assert!(run.warnings().is_empty(), "{sizes:?}: {:?}", run.warnings().to_vec());
        let network = run.network().unwrap();
        assert_eq!(network.nodes.len() as u32, sizes.iter().product::<u32>());
        let links = of.links();
        assert_eq!(network.links.len(), links.len());
        let place = |node: u32| {
            let text: Vec<u32> = network
                .place_text(network.nodes[node as usize].place)
                .trim_matches(['(', ')'])
                .split(',')
                .map(|at| at.parse().unwrap())
                .collect();
            text
        };
        for (read, made) in network.links.iter().zip(&links) {
            assert_eq!(read.file_id, Some(made.id as i64));
            assert_eq!((place(read.source), place(read.destination)), (made.source.clone(), made.destination.clone()));
            assert_eq!((read.dimension as usize, read.is_positive), (made.dimension, made.is_positive), "{made:?}");
        }
        for dimension in &network.dimensions {
            assert_eq!(dimension.cables, if dimension.size == 2 { cables } else { 1 }, "{sizes:?}");
        }
        let ids: Vec<(i64, u32)> = network.sections.iter().map(|section| (section.id, section.visits)).collect();
        assert_eq!(ids, [(-1, 1), (3, 2), (8, 1)]);
        let sums = totals(network, Counted::Links, "packets").into_iter().map(|total| total.unwrap().sum as u64);
        assert!(sums.eq(links.iter().map(|link| 1000 * (1 + 3 + 8 + 3) + 4 * link.id)), "{sizes:?}");
        assert_eq!(run.definitions().ranks(), 2 * network.nodes.len());
        assert!(network.places.iter().enumerate().all(|(rank, node)| rank / 2 == *node as usize));
    }
}

#[test]
fn communicators_have_their_names_and_ranks() {
    let group = |name: &str, number, ranks: &[u32]| (name.to_owned(), number, ranks.to_vec());
    let communicators = vec![group("line", 0, &[3, 1]), group("line", 1, &[0, 2, 4])];
    let run = made(&MadeRun { communicators, ..MadeRun::torus(&[5, 3]) }, |_, _| 1);
    let told: Vec<(&str, Vec<u32>)> = run
        .definitions()
        .communicators
        .iter()
        .map(|comm| (comm.name.as_str(), comm.members.iter().map(|member| member.0).collect()))
        .collect();
    assert_eq!(told, [("line 0", vec![1, 3]), ("line 1", vec![0, 2, 4])]);
}

#[test]
fn a_mesh_is_told_by_links_that_are_not_there() {
    let of = MadeRun::torus(&[4, 3]);
    let all = of.files("m", |_, _| 1, |_, _| 1);
    let files = files(all.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    let mut kept = String::new();
    let links = of.links();
    for (at, line) in all[1].1.lines().enumerate() {
        let link = at.checked_sub(11).map(|at| &links[at]);
        let wraps = |link: &&MadeLink| link.dimension == 0 && link.source[0].abs_diff(link.destination[0]) > 1;
        if link.as_ref().is_none_or(|link| !wraps(link)) {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    files.insert("m_links.yaml", kept.into_bytes());
    let run = read(&files, "m_meta.yaml").unwrap();
    assert!(run.warnings().is_empty(), "{:?}", run.warnings().to_vec());
    let network = run.network().unwrap();
    assert_eq!(network.links.len(), links.len() - 6);
    assert_eq!(network.dimensions.iter().map(|dimension| dimension.wraps).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn packed_tables_are_found_beside_the_names_that_are_given() {
    use std::io::Write;
    let files = hand();
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&files.remove("links.yaml").unwrap()).unwrap();
    files.insert("links.yaml.gz", packer.finish().unwrap());
    let run = read(&files, "run.yaml").unwrap();
    assert_eq!(run.network().unwrap().links.len(), 3);
    assert!(heddle_formats::boxfish::companions(&files, "run.yaml").contains(&"links.yaml.gz".to_owned()));
}

#[test]
fn cut_anywhere_nothing_before_the_cut_is_lost() {
    let of = MadeRun { regions: vec![1, 2], ..MadeRun::torus(&[3, 2]) };
    let all = of.files("m", |link, region| 100 + link.id as i64 + region, |_, _| 5);
    let whole = &all[1].1;
    let header = whole.find("...\n").unwrap() + 4;
    for cut in 0..whole.len() {
        let files = files(all.iter().map(|(name, text)| (name.as_str(), text.as_str())));
        files.insert("m_links.yaml", whole.as_bytes()[..cut].to_vec());
        let run = read(&files, "m_meta.yaml").unwrap();
        let rows = if cut < header { 0 } else { whole[header..cut].matches('\n').count() as u32 };
        let visits: u32 = run
            .network()
            .unwrap()
            .tallies
            .iter()
            .filter(|tally| tally.counter == 0 && rows > 0)
            .map(|t| t.visits)
            .sum();
        assert!(visits >= rows, "cut at {cut}: {visits} of {rows} rows");
        let is_between = cut >= header && whole.as_bytes()[cut - 1] == b'\n';
        assert!(is_between || !run.warnings().is_empty(), "cut at {cut}");
    }
}
