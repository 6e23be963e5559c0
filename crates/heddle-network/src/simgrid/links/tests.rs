use heddle_topology::dragonfly::CableKind;
use proptest::prelude::*;

use super::*;

fn links(names: &[String]) -> Links {
    Links::named((0..).map(LocationId).zip(names.iter().map(String::as_str)))
}

/// The names that SimGrid gives to the links of a tree: children in their order, for each its parents, for each of these its
/// cables; switches count down from twice the number of nodes.
fn names_of_tree(tree: &FatTree) -> Vec<String> {
    let nodes = i64::from(tree.hosts());
    let number = |element: Element| match tree.place(element).0 {
        0 => i64::from(element.0),
        _ => 3 * nodes - 1 - i64::from(element.0),
    };
    let name = |cable: u32, way: &str| {
        let (lower, upper) = tree.cable(cable);
        format!("link_from_{}_{}_{cable}_{way}", number(lower), number(upper))
    };
    (0..tree.cables()).flat_map(|cable| ["UP", "DOWN"].map(|way| name(cable, way))).collect()
}

fn names_of_dragonfly(fly: &Dragonfly) -> Vec<String> {
    let plan = fly.plan();
    let (columns, per_group) = (plan.columns, fly.per_group());
    let name = |link: u32| {
        let (one, other) = fly.ends(Link(link & !1));
        let (from, to) = (fly.router_of(one), fly.router_of(other));
        let name = match fly.kind(link / 2) {
            CableKind::Node => format!("local_link_from_router_{to}_to_node_{}", one.0 % plan.nodes),
            CableKind::Row => format!(
                "green_link_in_chassis_{}_between_routers_{}_and_{}",
                from / columns % plan.rows,
                from % columns,
                to % columns
            ),
            CableKind::Column => format!(
                "black_link_in_group_{}_between_chassis_{}_and_{}_blade_{}",
                from / per_group,
                from / columns % plan.rows,
                to / columns % plan.rows,
                from % columns
            ),
            CableKind::Global => {
                format!("blue_link_between_group_{}_and_{}_routers_{from}_and_{to}", from / per_group, to / per_group)
            }
        };
        format!("{name}_{}_{}", link / 2, if link.is_multiple_of(2) { "UP" } else { "DOWN" })
    };
    (0..fly.links()).map(name).collect()
}

/// Each name leads to the link that it was made of.
fn assert_all_found(shape: &Shape, links: &Links) {
    let found = links.of_locations(shape);
    assert_eq!(found.len() as u32, shape.links());
    assert!(found.iter().all(|(location, link)| location.0 == link.0), "{found:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_tree_is_known_by_its_links(layers in prop::collection::vec((1_u32..=4, 1_u32..=4, 1_u32..=3), 1..=4)) {
        let list = |of: fn(&(u32, u32, u32)) -> u32| layers.iter().map(of).collect::<Vec<_>>();
        let tree = FatTree::new(Xgft::with(list(|of| of.0), list(|of| of.1), list(|of| of.2))).unwrap();
        let links = links(&names_of_tree(&tree));
        let shape = links.shape(&FxHashMap::default()).unwrap();
        prop_assert_eq!(shape.to_string(), tree.words());
        assert_all_found(&shape, &links);
    }

    #[test]
    fn a_dragonfly_is_known_by_its_links(
        (groups, rows, columns, nodes) in (1_u32..=4, 1_u32..=3, 2_u32..=5, 1_u32..=3)
            .prop_filter("SimGrid has a blade for every group", |plan| plan.0 <= plan.2)
    ) {
        let plan = DragonflyPlan { wiring: Wiring::Simgrid, global: 1, ..DragonflyPlan::balanced(groups, rows, columns, nodes) };
        let fly = Dragonfly::new(plan).unwrap();
        let mut names = names_of_dragonfly(&fly);
        let links_in_order = links(&names);
        let shape = links_in_order.shape(&FxHashMap::default()).unwrap();
        prop_assert_eq!(shape.dragonfly(), Some(&fly));
        assert_all_found(&shape, &links_in_order);
        // The order in the file does not matter.
        names.reverse();
        let found = links(&names).of_locations(&shape);
        prop_assert!(found.iter().all(|(location, link)| location.0 == fly.links() - 1 - link.0));
    }

    /// Whatever the names are, there is an answer.
    #[test]
    fn names_of_any_kind_do_no_harm(
        names in prop::collection::vec(
            "(link_from_|t_link_from_|local_link_from_router_|green_link_in_chassis_|black_link_in_group_|blue_link_between_group_)\
             -?[0-9]{1,20}(_to_|_|_to_node_|_between_routers_|_between_chassis_|_and_)-?[0-9]{1,4}(_|_and_|_routers_)[0-9]{1,4}\
             (|_[0-9]|_and_[0-9]{1,10}_[0-9]|_blade_[0-9]_[0-9])_(UP|DOWN)",
            0..12
        )
    ) {
        let links = links(&names);
        if let Some(shape) = links.shape(&FxHashMap::default()) {
            prop_assert!(links.of_locations(&shape).values().all(|link| link.0 < shape.links()));
        }
        for shape in ["4x4", "fat-tree:2^3", "dragonfly:3x4x2"] {
            let shape: Shape = shape.parse().unwrap();
            prop_assert!(links.of_locations(&shape).values().all(|link| link.0 < shape.links()));
        }
    }
}

#[test]
fn a_tree_that_lacks_a_cable_is_taken_as_it_is() {
    let tree = FatTree::new("4^3".parse().unwrap()).unwrap();
    let mut names = names_of_tree(&tree);
    names.drain(140..142);
    let links = links(&names);
    let shape = links.shape(&FxHashMap::default()).unwrap();
    assert!(shape.fat_tree().unwrap().rule().is_none());
    assert_eq!((shape.hosts(), shape.links()), (64, 382));
    let found = links.of_locations(&shape);
    assert_eq!(found.len(), 382);
    for (location, link) in &found {
        // Hosts and switches that are at the ends of the name.
        let name: Vec<&str> = names[location.0 as usize].split('_').collect();
        let (from, to) = shape.ends(*link);
        let (lower, upper) = if name[5] == "UP" { (from, to) } else { (to, from) };
        let what = if shape.layer(lower) == 0 { "node" } else { "switch" };
        assert_eq!(shape.label(lower), format!("{what} {}", name[2]));
        assert_eq!(shape.label(upper), format!("switch {}", name[3]));
    }
}
