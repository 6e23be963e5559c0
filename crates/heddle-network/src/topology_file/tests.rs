//! Files by hand, of each kind and with what can be wrong with them.

use heddle_topology::{Element, Link, Topology};

use super::*;

fn read(text: &str) -> TopologyFile {
    TopologyFile::read(text, &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn error(text: &str) -> String {
    TopologyFile::read(text, &[]).unwrap_err().to_string()
}

/// Names of what is plugged into an element from above, or from below.
fn beside(file: &TopologyFile, name: &str, is_up: bool) -> Vec<String> {
    let tree = file.shape.fat_tree().unwrap();
    let element = tree.find(name).unwrap();
    let cables = if is_up { tree.up(element) } else { tree.down(element) };
    let other = |cable: &u32| if is_up { tree.cable(*cable).1 } else { tree.cable(*cable).0 };
    cables.iter().map(|cable| tree.label(other(cable))).collect()
}

const CONF: &str = include_str!("../../tests/data/slurm-tree.conf");

#[test]
fn a_tree_of_slurm() {
    let file = read(CONF);
    let tree = file.shape.fat_tree().unwrap();
    assert_eq!((tree.hosts(), tree.layers(), tree.in_layer(1), tree.in_layer(2)), (18, 2, 3, 1));
    assert_eq!(beside(&file, "dev7", true), ["s1"]);
    assert_eq!(beside(&file, "s3", false), ["s0", "s1", "s2"]);
    assert_eq!(file.hosts.find("dev17.cluster.org"), tree.find("dev17"));
    assert!(file.notes.iter().any(|note| note.starts_with("LinkSpeed")), "{:?}", file.notes);
    // Two switches above are two ways up.
    let file = read(
        "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[3-4]\nSwitchName=x Switches=a,b\nSwitchName=y Switches=a,b\n",
    );
    assert_eq!(beside(&file, "a", true), ["x", "y"]);
    assert!(file.notes[0].contains("more than one way up: a and b."), "{:?}", file.notes);
}

#[test]
fn switches_without_hosts_are_left_out_and_parts_are_named() {
    let file = read(
        "SwitchName=a Nodes=n[1-2]\nSwitchName=empty\nSwitchName=b Nodes=n3\nSwitchName=up Switches=empty\nSwitchName=top Switches=up\n",
    );
    let tree = file.shape.fat_tree().unwrap();
    assert_eq!((tree.hosts(), tree.switches()), (3, 2));
    assert!(
        file.notes.iter().any(|note| note == "Switches that lead to no host are left out: empty, up and top."),
        "{:?}",
        file.notes
    );
    let parts = "The machine falls into 2 parts that no cable joins: 2 hosts at a, 1 host at b. Messages between them cannot get there.";
    assert!(file.notes.iter().any(|note| note == parts), "{:?}", file.notes);
}

#[test]
fn what_is_wrong_with_a_tree_of_slurm_is_named_with_its_line() {
    for (text, words) in [
        (
            "SwitchName=a Nodes=n[1-4]\n\nSwitchName=b Nodes=n[4-6]\n",
            "line 3: host `n4` is on `b` and, in line 1, on `a`; a host is on one of them: remove it from the other",
        ),
        (
            "SwitchName=a Nodes=n1\nSwitchName=top Switches=a,leaf7\nSwitchName=leaf5 Nodes=n2\n",
            "line 2: switch `leaf7` is below `top`, but is not defined; did you mean `leaf5`?",
        ),
        ("SwitchName=a Switches=a\n", "line 1: switch `a` is its own ancestor: `a` is below `a`"),
        (
            "SwitchName=l Nodes=n1\nSwitchName=a Switches=b,l\nSwitchName=b Switches=c\nSwitchName=c Switches=a\n",
            "is its own ancestor: `a` is below `c` is below `b` is below `a`",
        ),
        ("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n", "line 2: switch `a` is defined twice, first in line 1"),
        ("SwitchName=l Nodes=n1\nSwitchName=a Nodes=n2 Switches=l\n", "line 2: switch `a` has both nodes and switches"),
        ("SwitchName=a Nodes=n1 Speed=3\n", "line 1: `Speed` is no key of a topology; expected SwitchName"),
        ("SwitchName=a Nodes=n1 Nodes=n2\n", "line 1: `Nodes` is given twice"),
        ("SwitchName=a Nodes=n[0-999999999]\n", "line 1: `n[0-999999999]` are more names"),
        ("SwitchName=a Nodes=n1\nwhat is this\n", "line 2: expected Key=Value, found `what is this`"),
        ("SwitchName=a Nodes=\n", "line 1: `Nodes` has no value"),
        ("SwitchName=a Nodes=n1\ninclude more.conf\n", "line 2: files that a file includes are not read"),
        ("RingName=r Nodes=n[1-4]\n", "line 1: rings cannot be read"),
        ("SwitchName=a Nodes=n1\nBlockName=b Nodes=n2\n", "line 2: a file has switches or blocks, not both"),
        ("Nodes=n1\n", "line 1: this is neither a switch nor a block"),
        ("SwitchName=a\n", "there are no hosts"),
        ("hello world\n", "expected a shape such as 8x8x8, or a file: a topology.conf"),
        ("", "expected a shape such as 8x8x8"),
    ] {
        let error = error(text);
        assert!(error.contains(words), "{text}: {error}");
    }
}

#[test]
fn blocks_are_a_tree_of_aggregates() {
    let text = "BlockName=b1 Nodes=n[1-4]\nBlockName=b2 Nodes=n[5-8]\nBlockName=b3 Nodes=n[9-12]\nBlockName=b4 Nodes=n[13-16]\n\
                BlockName=b5 Nodes=n[17-20]\nBlockSizes=3,6,12\n";
    let file = read(text);
    let tree = file.shape.fat_tree().unwrap();
    assert_eq!((1..=tree.layers()).map(|layer| tree.in_layer(layer)).collect::<Vec<_>>(), [5, 3, 2, 1]);
    assert_eq!(beside(&file, "b3–b4", false), ["b3", "b4"]);
    assert_eq!(beside(&file, "b1–b4", false), ["b1–b2", "b3–b4"]);
    assert_eq!(beside(&file, "above all blocks", false).len(), 2);
    assert!(file.notes[0].contains("one switch above all of them is assumed"), "{:?}", file.notes);
    assert!(error("BlockName=b1 Nodes=n1\nBlockSizes=4,6\n").contains("line 2: sizes of blocks are 4 and then 6"));
    assert!(error("BlockName=b1 Nodes=n1\nBlockSizes=four\n").contains("line 2: BlockSizes is `four`"));
    assert!(error("BlockName=b1 Nodes=n1\nBlockName=b2 Nodes=n1\n").contains("line 2: host `n1` is on `b2`"));
}

const YAML: &str = include_str!("../../tests/data/slurm.yaml");

#[test]
fn topologies_of_yaml() {
    let file = read(YAML);
    assert_eq!(beside(&file, "root", false), ["s1", "s2"]);
    assert_eq!(file.notes[0], "Of 2 topologies in the file this is the default, `topo2`; not topo1.");
    // Without a default, the first.
    let file = read(&YAML.replace("True", "no"));
    let tree = file.shape.fat_tree().unwrap();
    assert_eq!((tree.hosts(), tree.in_layer(1), tree.in_layer(2)), (8, 2, 1));
    let flat = "- topology: f\n  flat: true\n";
    let nodes = ["n2".to_owned(), "n1".to_owned(), "n2".to_owned()];
    let file = TopologyFile::read(flat, &nodes).unwrap();
    assert_eq!((file.shape.hosts(), file.hosts.find("n2")), (2, Some(Element(0))));
    for (text, words) in [
        (flat, "line 2: a flat topology names no nodes"),
        ("- topology: t\n  ring: {rings: []}\n", "line 2: a topology of kind ring cannot be read"),
        (
            "- topology: t\n  tree:\n    switches:\n    - switch: a\n      node: n1\n",
            "line 5: `node` is no key of a switch; expected switch, children, nodes",
        ),
        ("- topology: t\n", "line 1: topology `t` needs one of tree, block and flat"),
        ("- topology: t\n  tree:\n    switches: []\n", "the tree has no switches"),
        ("- topology: t\n  tree:\n    switches:\n    - switch: a\n      nodes: {}\n", "line 5: nodes should be names"),
        ("- topology: t\n  tree: [\n", "this is not YAML"),
        ("- 5\n", "line 1: expected a topology with topology, cluster_default, tree, block, flat"),
        ("topology: t\n", "expected a list of topologies"),
    ] {
        let error = error(text);
        assert!(error.contains(words), "{text}: {error}");
    }
}

/// Two leaves and two spines; n1 has two adapters on two leaves, n2 and n3 one. The second leaf has two cables to the first spine.
const FABRIC: &str = include_str!("../../tests/data/ibnetdiscover.txt");

#[test]
fn a_fabric_as_ibnetdiscover_prints_it() {
    let file = read(FABRIC);
    let tree = file.shape.fat_tree().unwrap();
    assert_eq!((tree.hosts(), tree.in_layer(1), tree.in_layer(2), tree.cables()), (3, 2, 2, 4 + 5));
    assert_eq!(beside(&file, "n1", true), ["leaf 1", "leaf 2"]);
    assert_eq!(beside(&file, "leaf 2", true), ["spine 1", "spine 1", "spine 2"]);
    assert_eq!(
        file.notes,
        ["1 aggregation node of a switch is left out: it is no host.", "1 host is on more than one switch."]
    );
    let capacities: Vec<_> = tree.classes().iter().map(|class| (class.name.as_str(), class.capacity)).collect();
    assert_eq!(capacities, [("layer 1", Some(12.5e9)), ("layer 2", Some(25e9))]);
    // Half of the file is enough: each cable stands in it twice.
    let half = FABRIC.split("Switch	24 \"S-0000000000000003\"").next().unwrap();
    assert_eq!(read(half).shape, file.shape);
    // Adapters that only say what product they are.
    let file = read(&FABRIC.replace("n2 HCA-1", "MT4123").replace("n3 mlx5_0", "MT4123"));
    assert!(file.hosts.find("H-00000000000000a2").is_some() && file.hosts.find("MT4123").is_none());
    assert!(
        file.notes
            .iter()
            .any(|note| note.contains("called by their number: H-00000000000000a2 and H-00000000000000a3"))
    );
}

#[test]
fn what_is_wrong_with_a_fabric_is_named_with_its_line() {
    for (text, words) in [
        ("Switch 24 \"S-1\" # \"a\"\n[1] \"H-1\n", "line 2: expected a port, as in [22]"),
        ("Switch 24 \"S-1\" # \"a\"\n[x] \"H-1\"[1]\n", "line 2: expected a port"),
        ("[1] \"H-1\"[1]\nSwitch 24 \"S-1\" # \"a\"\n", "line 1: a port before any Switch or Ca"),
        (
            "Switch 24 \"S-1\" # \"a\"\n[1] \"H-1\"[1] # \"n1 HCA-1\" lid 2 4xHDR\nSwitch 24 \"S-2\" # \"b\"\n[5] \"H-1\"[1] # \"n1 HCA-1\"\n",
            "line 4: port 1 of `n1 HCA-1` leads to port 5 of `b`, but in line 2 to port 1 of `a`; each port has one cable",
        ),
        ("Switch 24 \"S-1\" # \"a\"\n", "no host is connected"),
        (
            "Ca 1 \"H-1\" # \"n1 HCA-1\"\n[1] \"H-2\"[1] # lid 1 \"n2 HCA-1\"\n",
            "hosts n1 and n2 are joined without a switch",
        ),
    ] {
        let error = error(text);
        assert!(error.contains(words), "{text}: {error}");
    }
}

#[test]
fn clusters_of_simgrid() {
    let cluster = |attributes: &str| {
        format!(
            "<?xml version='1.0'?>\n<!-- <cluster topology='NONE'/>\n -->\n<platform version=\"4.1\">\n <cluster id='c' prefix='node-' suffix='.x' speed='1Gf' {attributes}/>\n</platform>\n"
        )
    };
    let torus = read(&cluster("radical='0-11' bw=\"10GBps\" topology=\"TORUS\" topo_parameters=\"3,2,2\""));
    assert_eq!((torus.shape.hosts(), torus.shape.links()), (12, 72));
    assert_eq!((torus.hosts.find("node-11.x"), torus.hosts.find("node-11")), (Some(Element(11)), Some(Element(11))));
    assert_eq!(torus.shape.classes()[0].capacity, Some(1e10));
    let tree = read(&cluster("radical='0-9,20-25' bw='100Gbps' topology='FAT_TREE' topo_parameters='2;4,4;1,2;1,2'"));
    assert_eq!(tree.shape.to_string(), "fat-tree:4x4;1x2;1x2");
    assert_eq!((tree.hosts.find("node-25.x"), tree.shape.classes()[1].capacity), (Some(Element(15)), Some(12.5e9)));
    let fly = read(&cluster("radical='0-119' bw='1e9' topology='DRAGONFLY' topo_parameters='3,4;4,3;5,1;2'"));
    let plan = fly.shape.dragonfly().unwrap().plan();
    assert_eq!((plan.groups, plan.rows, plan.columns, plan.nodes, plan.global), (3, 4, 5, 2, 1));
    assert_eq!(plan.capacity, [Some(1e9), Some(1e9), Some(3e9), Some(4e9)]);
    let flat = read(&cluster("radical='0-7' bw='1GBps' sharing_policy='SHARED'"));
    assert_eq!((flat.shape.hosts(), flat.shape.elements()), (8, 9));
    assert!(flat.notes[0].contains("`SHARED`"));
    for (attributes, words) in [
        ("radical='0-3' topology='TORUS'", "line 5: <cluster> has no topo_parameters; expected sizes such as 4,4,4"),
        ("radical='0-3' topology='TORUS' topo_parameters='4,x'", "line 5: topo_parameters are `4,x`"),
        ("radical='0-3' topology='FAT_TREE' topo_parameters='2;4,4;1,2'", "such as 2;4,4;1,2;1,2"),
        ("radical='0-3' topology='FAT_TREE' topo_parameters='3;4,4;1,2;1,2'", "such as 2;4,4;1,2;1,2"),
        (
            "radical='0-71' topology='DRAGONFLY' topo_parameters='9,1;1,1;4,1;2'",
            "9 groups need as many routers in a chassis",
        ),
        ("radical='0-3' topology='VIVALDI'", "the topology is `VIVALDI`; expected TORUS"),
        ("radical='0-3' topology='TORUS' topo_parameters='4,4'", "radical names 4 hosts, but the topology has 16"),
        ("radical='3-0' topology='TORUS' topo_parameters='4,4'", "radical: `3-0` in `[3-0]` counts backwards"),
        ("radical='0-3' bw='fast'", "bw is `fast`; expected a bandwidth such as 10GBps"),
        ("topology='TORUS'", "<cluster> has no radical"),
    ] {
        let error = error(&cluster(attributes));
        assert!(error.contains(words), "{attributes}: {error}");
    }
    assert!(error("<platform></platform>").contains("with a <cluster>"));
    assert!(error("<platform>\n<cluster").contains("line 2: `<cluster` has no end"));
}

#[test]
fn every_link_of_a_file_has_two_ends_and_a_class() {
    for text in [CONF, YAML, FABRIC] {
        let shape = read(text).shape;
        for link in (0..shape.links()).map(Link) {
            let (from, to) = shape.ends(link);
            assert_eq!(shape.ends(shape.opposite(link).unwrap()), (to, from));
            assert!(shape.class(link) < shape.classes().len());
        }
    }
}
