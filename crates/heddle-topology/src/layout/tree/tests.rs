use std::collections::BTreeSet;

use super::*;
use crate::fat_tree::{Cabling, End};

fn tree(text: &str) -> FatTree {
    FatTree::new(text.parse().unwrap()).unwrap()
}

fn quaternary(layers: usize) -> FatTree {
    tree(&vec!["4"; layers].join("x"))
}

fn laid(tree: &FatTree, of: Representation) -> TreeLayout {
    TreeLayout::new(tree, of, None, 0).unwrap()
}

fn near(found: [f64; 3], expected: [f64; 3]) -> bool {
    found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9)
}

/// The tables of the reference: x, then for each layer the place in F1, then for each layer the place in HT.
const TWO: &str = "\
0  0,1   -1,1   -1.5,1.5   -0.5,0.5
1  1,0   1,1    1.5,1.5    0.5,0.5
2  0,-1  1,-1   1.5,-1.5   0.5,-0.5
3  -1,0  -1,-1  -1.5,-1.5  -0.5,-0.5";
const THREE: &str = "\
0  0,4 -1,4 -4,4 -5.5,5.5 -4.5,4.5 -1.5,1.5
1  1,3 1,4 -2,4 -2.5,5.5 -3.5,4.5 -0.5,1.5
2  0,2 1,2 -2,2 -2.5,2.5 -3.5,3.5 -0.5,0.5
3  -1,3 -1,2 -4,2 -5.5,2.5 -4.5,3.5 -1.5,0.5
4  3,1 2,1 2,4 2.5,5.5 3.5,4.5 0.5,1.5
5  4,0 4,1 4,4 5.5,5.5 4.5,4.5 1.5,1.5
6  3,-1 4,-1 4,2 5.5,2.5 4.5,3.5 1.5,0.5
7  2,0 2,-1 2,2 2.5,2.5 3.5,3.5 0.5,0.5
8  0,-2 -1,-2 2,-2 2.5,-2.5 3.5,-3.5 0.5,-0.5
9  1,-3 1,-2 4,-2 5.5,-2.5 4.5,-3.5 1.5,-0.5
10 0,-4 1,-4 4,-4 5.5,-5.5 4.5,-4.5 1.5,-1.5
11 -1,-3 -1,-4 2,-4 2.5,-5.5 3.5,-4.5 0.5,-1.5
12 -3,1 -4,1 -4,-2 -5.5,-2.5 -4.5,-3.5 -1.5,-0.5
13 -2,0 -2,1 -2,-2 -2.5,-2.5 -3.5,-3.5 -0.5,-0.5
14 -3,-1 -2,-1 -2,-4 -2.5,-5.5 -3.5,-4.5 -0.5,-1.5
15 -4,0 -4,-1 -4,-4 -5.5,-5.5 -4.5,-4.5 -1.5,-1.5";

#[test]
fn cells_of_two_and_three_layers_are_those_of_the_tables() {
    for (layers, table) in [(2, TWO), (3, THREE)] {
        let tree = quaternary(layers as usize);
        let layouts = [laid(&tree, Representation::F1), laid(&tree, Representation::Ht)];
        let mut compared = 0;
        for line in table.lines() {
            let mut words = line.split_whitespace();
            let x: u32 = words.next().unwrap().parse().unwrap();
            for layout in &layouts {
                for layer in 1..=layers {
                    let (u, v) = words.next().unwrap().split_once(',').unwrap();
                    let expected = [u.parse().unwrap(), v.parse().unwrap(), 0.0];
                    let found = layout.element(tree.element(layer, x)).at;
                    assert!(near(found, expected), "layer {layer}, switch {x}: {found:?}");
                    compared += 1;
                }
            }
        }
        assert_eq!(compared, 2 * tree.switches());
    }
}

/// The paper's equation 2 as it is printed, case by case.
fn printed(layers: i32, layer: i32, x: i32, way: impl Fn(bool, i32, i32) -> [f64; 2]) -> [f64; 3] {
    let digit = |n: i32| x / 4_i32.pow(n as u32 - 1) % 4;
    let sum = |is_a: bool, from: i32, to: i32| {
        (from..=to).map(|n| way(is_a, n, digit(n))).fold([0.0; 2], |sum, way| [sum[0] + way[0], sum[1] + way[1]])
    };
    let [u, v] = match layer {
        _ if layers == 1 => [0.0; 2],
        1 => sum(true, layer, layers - 1),
        _ if layer == layers => sum(false, 1, layers - 1),
        _ => {
            let (upper, lower) = (sum(true, layer, layers - 1), sum(false, 1, layer - 1));
            [upper[0] + lower[0], upper[1] + lower[1]]
        }
    };
    [u, v, 0.0]
}

#[test]
fn cells_are_the_printed_sums() {
    const A: [[f64; 2]; 4] = [[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]];
    const B: [[f64; 2]; 4] = [[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]];
    let times = |factor: f64, way: [f64; 2]| way.map(|part| factor * part);
    let fractal = |is_a: bool, n: i32, k: i32| times(3_f64.powi(n - 1), if is_a { A } else { B }[k as usize]);
    let fat_h = |is_a: bool, n: i32, k: i32| {
        times(2_f64.powi(n - 2) * if is_a { f64::from(n + 2) } else { 1.0 }, B[k as usize])
    };
    for layers in 1..=5 {
        let tree = quaternary(layers as usize);
        let (f1, ht) = (laid(&tree, Representation::F1), laid(&tree, Representation::Ht));
        for layer in 1..=layers {
            for x in 0..tree.in_layer(layer as u32) {
                let element = tree.element(layer as u32, x);
                assert!(near(f1.element(element).at, printed(layers, layer, x as i32, fractal)));
                assert!(near(ht.element(element).at, printed(layers, layer, x as i32, fat_h)));
            }
        }
    }
}

#[test]
fn cells_are_disjoint_and_fill_the_square_that_the_paper_says() {
    for layers in 1..=7 {
        let tree = quaternary(layers);
        for (of, side) in [
            (Representation::F1, 3_f64.powi(layers as i32 - 1)),
            (Representation::Ht, layers as f64 * 2_f64.powi(layers as i32 - 1)),
        ] {
            let switches = laid(&tree, of).switches;
            assert_eq!(generators::check_disjoint(&tree, &switches), Ok(()));
            // Exact values: twice each is a whole number.
            let cells: BTreeSet<[i64; 2]> =
                switches.iter().map(|cell| [0, 1].map(|axis| (2.0 * cell.at[axis]) as i64)).collect();
            assert_eq!(cells.len(), tree.switches() as usize, "{of} of {layers} layers");
            let ends = |pick: fn(f64, f64) -> f64, from: f64| switches.iter().map(|cell| cell.at[0]).fold(from, pick);
            let wide = ends(f64::max, f64::MIN) - ends(f64::min, f64::MAX) + 1.0;
            assert!((wide - side).abs() < 1e-9, "{of} of {layers} layers is {wide} wide");
        }
    }
}

#[test]
fn direct_layouts_have_the_worked_places() {
    let tree = quaternary(2);
    let (qs, dr, dc) =
        (laid(&tree, Representation::Qs), laid(&tree, Representation::Dr), laid(&tree, Representation::Dc));
    for layer in 1..=2 {
        assert!(near(qs.element(tree.element(layer, 2)).at, [9.5, 0.0, f64::from(layer)]));
        assert!(near(dr.element(tree.element(layer, 3)).at, [2.5, 2.5, f64::from(layer)]));
    }
    assert!(near(dr.nodes[6].at, [2.0, 1.0, 0.0]));
    assert!(near(qs.nodes[6].at, [6.0, 0.0, 0.0]) && near(qs.nics[6].1.at, [6.0, 0.0, 0.5]));
    // Nodes on a circle, switches on one a quarter as wide, at the angles of the formulas.
    let large = quaternary(3);
    let dc_large = laid(&large, Representation::Dc);
    for (number, count, radius, place) in [
        (5, 64.0, 64.0 / std::f64::consts::TAU, dc_large.nodes[5]),
        (5, 16.0, 16.0 / std::f64::consts::TAU, *dc_large.element(large.element(3, 5))),
    ] {
        let angle = std::f64::consts::TAU * (f64::from(number) + 0.5) / count;
        assert!(near([place.at[0], place.at[1], 0.0], [radius * angle.cos(), radius * angle.sin(), 0.0]));
    }
    assert!((dc.element(tree.element(2, 1)).at[2] - 2.0).abs() < 1e-9);
    // 4,096 nodes on 64 by 64, and 1,024 switches of a layer on 32 by 32.
    let six = quaternary(6);
    let dr = laid(&six, Representation::Dr);
    assert!(near(dr.nodes[4_095].at, [63.0, 63.0, 0.0]));
    assert!(near(dr.element(six.element(6, 1_023)).at, [62.5, 62.5, 6.0]));
    let places: BTreeSet<[i64; 2]> =
        (0..1_024).map(|x| dr.element(six.element(4, x)).at).map(|at| [at[0] as i64, at[1] as i64]).collect();
    assert_eq!(places.len(), 1_024);
}

#[test]
fn blocks_lie_below_their_nodes() {
    let tree = quaternary(3);
    let all = blocks(&tree, 0);
    assert_eq!(all.len(), 16 + 4 + 1);
    let block = all.iter().find(|block| (block.layer, block.number) == (2, 3)).unwrap();
    assert_eq!((block.nodes.clone(), block.switches.clone()), (48..64, 12..16));
    assert_eq!(block.place(), Place { at: [56.0, 56.0, -2.0], size: [16.0; 2] });
    let lb = laid(&tree, Representation::Lb);
    assert!(near(lb.nodes[7].at, [7.5, 7.5, 0.0]));
    // Split, its four switches share its square.
    let parts: Vec<[f64; 3]> = (12..16).map(|x| lb.element(tree.element(2, x)).at).collect();
    assert_eq!(parts, [[52.0, 52.0, -2.0], [60.0, 52.0, -2.0], [52.0, 60.0, -2.0], [60.0, 60.0, -2.0]]);
    // As the text has it: groups of four switches, then of sixteen.
    let grouped = blocks(&tree, 1);
    let sizes = |layer: u32| grouped.iter().filter(move |block| block.layer == layer).map(|block| block.switches.len());
    assert_eq!(sizes(1).collect::<Vec<_>>(), [4; 4]);
    assert_eq!(sizes(2).collect::<Vec<_>>(), [16]);
    assert_eq!(sizes(3).collect::<Vec<_>>(), [16]);
    assert_eq!(blocks(&tree, u32::MAX).len(), 3);
}

#[test]
fn other_trees_have_room_for_everything() {
    let irregular = FatTree::from_cabling(Cabling {
        hosts: (0..7).map(|at| format!("h{at}")).collect(),
        switches: (0..4).map(|at| format!("s{at}")).collect(),
        cables: [(0, 0), (1, 0), (2, 0), (3, 1), (4, 1), (5, 2), (6, 2)]
            .into_iter()
            .map(|(host, switch)| (End::Host(host), End::Switch(switch)))
            .chain([(0, 3), (1, 3), (2, 3)].map(|(lower, upper)| (End::Switch(lower), End::Switch(upper))))
            .collect(),
        ..Cabling::default()
    })
    .unwrap();
    let rules = ["16x8;1x4", "2x3x4;1x2x2", "9x5x3", "5", "4x4;2x2", "40x18;1x18"].map(tree);
    for tree in rules.iter().chain([&irregular]) {
        for of in Representation::ALL {
            let layout = match TreeLayout::new(tree, of, None, 0) {
                Ok(layout) => layout,
                Err(error) => {
                    assert!(matches!(of, Representation::F1 | Representation::Cells), "{of} {error}");
                    assert!(error.to_string().contains("ht"), "{error}");
                    continue;
                }
            };
            assert_eq!(layout.nodes.len(), tree.hosts() as usize);
            assert_eq!(layout.switches.len(), tree.switches() as usize);
            assert_eq!(layout.nics.len(), (0..tree.hosts()).map(|node| tree.up(Element(node)).len()).sum::<usize>());
            let places: BTreeSet<[i64; 3]> = layout
                .nodes
                .iter()
                .chain(&layout.switches)
                .map(|place| place.at.map(|at| (at * 1e6).round() as i64))
                .collect();
            let all = (tree.elements()) as usize;
            // In cells, the only node of a switch is where that is.
            assert!(places.len() == all || of.is_compact(), "{of} of {}: {} of {all}", tree.words(), places.len());
            if of == Representation::Ht {
                assert_eq!(generators::check_disjoint(tree, &layout.switches), Ok(()), "{}", tree.words());
            }
        }
    }
    assert!(TreeLayout::new(&irregular, Representation::F1, None, 0).is_ok());
    let why = TreeLayout::new(&tree("4x8"), Representation::F1, None, 0).unwrap_err().to_string();
    assert!(why.contains("a pod of layer 2 has 8"), "{why}");
}

#[test]
fn generators_are_read_from_text_and_checked() {
    let text = "# the fractal\na 0,1 1,0 0,-1 -1,0\nb -1,1 1,1 1,-1 -1,-1\nA 1 3 9\nB 1 3 9 # and so on\n";
    let own = Generators::parse(text).unwrap();
    let tree = quaternary(4);
    assert_eq!(
        TreeLayout::new(&tree, Representation::Cells, Some(&own), 0),
        TreeLayout::new(&tree, Representation::F1, None, 0)
    );
    let too_deep = TreeLayout::new(&quaternary(5), Representation::Cells, Some(&own), 0).unwrap_err();
    assert_eq!(too_deep, UnfitLayout::TooDeep { layers: 5, factors: 4 });
    // Ranges that do not overlap are not enough: the sums do.
    let overlapping = Generators { a_factors: vec![1.0, 2.0, 4.0], b_factors: vec![1.0, 2.0, 4.0], ..own };
    let error = TreeLayout::new(&quaternary(3), Representation::Cells, Some(&overlapping), 0).unwrap_err();
    let UnfitLayout::Overlap(Overlap { one, other }) = &error else { panic!("{error}") };
    assert!(one.starts_with("switch ") && other.starts_with("switch ") && one != other, "{error}");
    for (text, why) in [
        ("a 0,1 1,0 0,-1", "line 1: expected four points"),
        ("\nA 1 x", "line 2: expected four points"),
        ("A", "line 1"),
        ("A 1\nA 2", "line 2: `A` is there a second time"),
        ("c 1", "line 1"),
        ("A nan", "line 1"),
        ("A 1e9", "line 1"),
        ("", "there is no line that begins with `a`"),
    ] {
        let error = Generators::parse(text).unwrap_err().to_string();
        assert!(error.starts_with(why), "{text:?}: {error}");
    }
}
