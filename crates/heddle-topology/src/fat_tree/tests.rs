use super::*;

fn made(text: &str) -> FatTree {
    FatTree::new(text.parse().unwrap()).unwrap()
}

#[test]
fn the_quaternary_tree_has_the_switches_and_links_that_the_paper_says() {
    let tree = made("4^3");
    assert_eq!((tree.hosts(), tree.switches(), tree.layers()), (64, 48, 3));
    // Up port p of switch x replaces digit 1 of x: in layer 1, switch 6 = (1, 2).
    let ups: Vec<u32> = tree.up(tree.element(1, 6)).iter().map(|cable| tree.place(tree.cable(*cable).1).1).collect();
    assert_eq!(ups, [4, 5, 6, 7]);
    let ups: Vec<u32> = tree.up(tree.element(2, 6)).iter().map(|cable| tree.place(tree.cable(*cable).1).1).collect();
    assert_eq!(ups, [2, 6, 10, 14]);
    let large = made("4^6");
    assert_eq!((large.hosts(), large.switches()), (4_096, 6_144));
    assert_eq!(large.pods(6).all().len(), 1);
    assert_eq!(large.pods(2).all()[3].nodes, 48..64);
}

#[test]
fn labels_and_addresses_lead_back_and_every_link_has_two_ends() {
    for text in ["4^3", "16x8;1x4", "4x4;1x2;1x3", "2x3x4;1x2x2", "5"] {
        let tree = made(text);
        for element in (0..tree.elements()).map(Element) {
            assert_eq!(tree.find(&tree.label(element)), Some(element));
            assert_eq!(tree.at(&tree.address(element)), Some(element));
        }
        for link in (0..tree.links()).map(Link) {
            let (from, to) = tree.ends(link);
            assert_eq!(tree.layer(from).abs_diff(tree.layer(to)), 1);
            assert_eq!(tree.ends(tree.opposite(link).unwrap()), (to, from));
        }
        assert_eq!(tree.rule().unwrap().to_string().parse::<crate::Shape>().unwrap().fat_tree(), Some(&tree));
    }
}

#[test]
fn what_is_found_is_numbered_pod_by_pod() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    // Hosts in an order of their own; two leaves below one spine, with two cables to the second.
    let cabling = Cabling {
        hosts: names(&["a", "b", "c", "d"]),
        switches: names(&["spine", "leaf1", "leaf2"]),
        cables: vec![
            (End::Host(0), End::Switch(1)),
            (End::Switch(2), End::Host(1)),
            (End::Host(2), End::Switch(1)),
            (End::Host(3), End::Switch(2)),
            (End::Switch(0), End::Switch(1)),
            (End::Switch(0), End::Switch(2)),
            (End::Switch(2), End::Switch(0)),
        ],
        // Hosts have one speed, switches two.
        capacities: [[1e9; 4].map(Some).to_vec(), vec![Some(2e9), Some(2e9), None]].concat(),
        ..Cabling::default()
    };
    let tree = FatTree::from_cabling(cabling).unwrap();
    let labels: Vec<String> = (0..tree.elements()).map(|at| tree.label(Element(at))).collect();
    assert_eq!(labels, ["a", "c", "b", "d", "leaf1", "leaf2", "spine"]);
    let nodes: Vec<_> = tree.pods(1).all().iter().map(|pod| pod.nodes.clone()).collect();
    assert_eq!(nodes, [0..2, 2..4]);
    assert_eq!(tree.down(tree.find("spine").unwrap()).len(), 3);
    assert_eq!(tree.classes().iter().map(|class| class.name.as_str()).collect::<Vec<_>>(), ["layer 1", "layer 2"]);
    assert_eq!(tree.classes().iter().map(|class| class.capacity).collect::<Vec<_>>(), [Some(1e9), None]);
}

#[test]
fn what_makes_no_machine_is_named() {
    let host = |cables| Cabling {
        hosts: vec!["h".into(), "i".into()],
        switches: vec!["s".into()],
        cables,
        ..Cabling::default()
    };
    let of = |cables| FatTree::from_cabling(host(cables)).unwrap_err();
    assert_eq!(of(vec![(End::Host(0), End::Switch(0))]), CablingError::Loose("i".into()));
    assert_eq!(of(vec![(End::Host(0), End::Host(1))]), CablingError::NoSwitch("h".into(), "i".into()));
    assert_eq!(FatTree::from_cabling(Cabling::default()).unwrap_err(), CablingError::NoHosts);
}

/// The cables of a tree by rule as a file could list them: hosts, switches and cables in any order.
fn shuffled(tree: &FatTree, seed: u64) -> Cabling {
    let mut chance = heddle_testkit::Chance(seed);
    let mut shuffled = |count: u32| {
        let mut list: Vec<u32> = (0..count).collect();
        (1..list.len()).rev().for_each(|at| list.swap(at, chance.below(at + 1)));
        list
    };
    let (hosts, switches, order) = (shuffled(tree.hosts()), shuffled(tree.switches()), shuffled(tree.cables()));
    let end = |element: Element| match element.0.checked_sub(tree.hosts()) {
        None => End::Host(hosts[element.index()]),
        Some(switch) => End::Switch(switches[switch as usize]),
    };
    let cable = |cable: u32| {
        let (lower, upper) = tree.cable(cable);
        if cable.is_multiple_of(3) { (end(upper), end(lower)) } else { (end(lower), end(upper)) }
    };
    Cabling {
        hosts: (0..tree.hosts()).map(|at| format!("host{at}")).collect(),
        switches: (0..tree.switches()).map(|at| format!("s{at}")).collect(),
        cables: order.into_iter().map(cable).collect(),
        capacities: vec![Some(1e9); tree.cables() as usize],
        ..Cabling::default()
    }
}

#[test]
fn a_rule_is_recognised_whatever_the_order_in_the_file() {
    let rules = ["4^3", "2^5", "3x3x3;1x2x3", "2x2x2x2;1x2x2x3;1x2x1x3", "16x8;1x4;1x2", "5", "4x2;1x1", "2x3x2;2x2x2"];
    for (rule, seed) in rules.iter().flat_map(|rule| (0..4).map(move |seed| (rule, seed))) {
        let tree = made(rule);
        let cabling = shuffled(&tree, seed);
        let found = FatTree::from_cabling(cabling.clone()).unwrap();
        let expected = Xgft { capacity: vec![Some(1e9); tree.layers() as usize], ..tree.rule().unwrap().clone() };
        assert_eq!(found.rule(), Some(&expected), "{rule}");
        assert_eq!(found.cables, tree.cables, "{rule}");
        // Names are with the right elements: the cables are those of the file.
        let name = |end: End| match end {
            End::Host(at) => cabling.hosts[at as usize].clone(),
            End::Switch(at) => cabling.switches[at as usize].clone(),
        };
        let both = |one: String, other: String| if one < other { (one, other) } else { (other, one) };
        let mut listed: Vec<_> = cabling.cables.iter().map(|(one, other)| both(name(*one), name(*other))).collect();
        let label = |element: u32| found.label(Element(element));
        let mut cables: Vec<_> = found.cables.iter().map(|(one, other)| both(label(*one), label(*other))).collect();
        listed.sort_unstable();
        cables.sort_unstable();
        assert_eq!(cables, listed, "{rule}");
    }
}

#[test]
fn what_only_looks_like_a_rule_is_not_taken_for_one() {
    let tree = made("2^4");
    let end = |at: u32| if at < 16 { End::Host(at) } else { End::Switch(at - 16) };
    let cables: Vec<(End, End)> = tree.cables.iter().map(|(lower, upper)| (end(*lower), end(*upper))).collect();
    let has_rule = |cables: Vec<(End, End)>| {
        let cabling = Cabling { cables, ..shuffled(&tree, 3) };
        FatTree::from_cabling(cabling).unwrap().rule().is_some()
    };
    assert!(has_rule(cables.clone()));
    let mut less = cables.clone();
    less.remove(20);
    assert!(!has_rule(less), "a cable is missing");
    let mut more = cables.clone();
    more.push(cables[20]);
    assert!(!has_rule(more), "a cable is one of two");
    // As many ports everywhere as by rule.
    let [one, other] = [0, 1].map(|switch| tree.up(tree.element(3, switch))[0] as usize);
    let mut crossed = cables.clone();
    (crossed[one].1, crossed[other].1) = (cables[other].1, cables[one].1);
    assert!(!has_rule(crossed), "two cables are plugged in crosswise");
}
