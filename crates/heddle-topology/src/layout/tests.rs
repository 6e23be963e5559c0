//! Layouts against tables worked out by hand, and what holds for machines of any size.

#![allow(clippy::float_cmp, reason = "small multiples of a half are exact")]

use super::*;
use crate::{Cable, Coordinates, Dimension, Element, MOST_DIMENSIONS, Topology, Torus};

fn torus(sizes: &[u32]) -> Torus {
    Torus::new(Dimension::named(sizes, true)).unwrap()
}

/// Two nodes are joined twice, once around: then every dimension of more than one node has a seam.
fn with_two_cables(sizes: &[u32]) -> Torus {
    let two = |dimension| Dimension { cables: 2, ..dimension };
    Torus::new(Dimension::named(sizes, true).into_iter().map(two).collect()).unwrap()
}

fn at(coordinates: &[u32]) -> Coordinates {
    let mut at = [0; MOST_DIMENSIONS];
    at[..coordinates.len()].copy_from_slice(coordinates);
    at
}

fn view(torus: &Torus, dim: usize) -> Projected {
    Projected::new(Slice::new(torus, Axes::along(torus, dim).dims()), Spacing::default())
}

const MODES: [Shown; 3] = [Shown::RINGS, Shown::ACROSS, Shown::DOWN];

#[test]
fn nodes_are_where_the_worked_examples_have_them() {
    type Example = ([u32; 3], [[f64; 2]; 3], [u32; 3]);
    let torus = torus(&[4, 4, 4]);
    let examples: [Example; 6] = [
        ([0, 0, 0], [[0.0, 0.0]; 3], [1, 1, 1]),
        ([1, 2, 3], [[23.0, 17.0], [8.0, 22.0], [9.0, 15.0]], [1, 1, 0]),
        ([3, 1, 2], [[15.0, 9.0], [23.0, 17.0], [22.0, 8.0]], [0, 1, 1]),
        ([2, 2, 1], [[8.0, 16.0], [16.0, 8.0], [17.0, 17.0]], [0, 0, 0]),
        ([3, 3, 3], [[21.0, 21.0]; 3], [1, 1, 1]),
        ([0, 3, 1], [[6.0, 24.0], [3.0, 9.0], [1.0, 23.0]], [1, 1, 1]),
    ];
    for (node, positions, rings) in examples {
        let element = torus.node(&at(&node));
        for dim in 0..3 {
            assert_eq!(view(&torus, dim).position(element), Some(positions[dim]), "{node:?} along {dim}");
            assert_eq!(view(&torus, dim).ring(element), Some(rings[dim]), "{node:?} along {dim}");
        }
    }
    let boxfish = Spacing { pitch: 0.7, gap: 2.0 };
    let layout = Projected::new(Slice::new(&torus, Axes::along(&torus, 2).dims()), boxfish);
    let [across, _] = layout.position(torus.node(&at(&[2, 0, 3]))).unwrap();
    assert!((across - 12.3).abs() < 1e-12);
    assert_eq!(view(&torus, 0).extent(), [24.0, 24.0]);
}

/// Columns; rings; bundles to the right: drawn, not across the seam, all; the same downwards.
#[test]
fn as_many_bundles_are_drawn_as_the_table_says() {
    let table = [
        (2, 2, 1, [2, 2, 4], [2, 2, 4]),
        (4, 4, 2, [8, 12, 16], [8, 12, 16]),
        (6, 6, 3, [18, 30, 36], [18, 30, 36]),
        (8, 8, 4, [32, 56, 64], [32, 56, 64]),
        (16, 16, 8, [128, 240, 256], [128, 240, 256]),
        (4, 8, 2, [8, 24, 32], [24, 28, 32]),
        (8, 16, 4, [32, 112, 128], [96, 120, 128]),
        (3, 3, 2, [4, 6, 9], [4, 6, 9]),
        (5, 5, 3, [12, 20, 25], [12, 20, 25]),
        (3, 5, 2, [4, 10, 15], [10, 12, 15]),
        (5, 8, 3, [12, 32, 40], [27, 35, 40]),
    ];
    for (across, down, rings, to_the_right, downwards) in table {
        let what = format!("{across}x{down}");
        let torus = with_two_cables(&[3, across, down]);
        let slice = Slice::new(&torus, [Some(0), Some(1), Some(2)]);
        let layout = Projected::new(slice.clone(), Spacing::default());
        assert_eq!(layout.columns().rings(), rings, "{what}");
        let counts = layout.counts(Shown::RINGS);
        let complete = [Shown::ACROSS, Shown::DOWN].map(|shown| layout.counts(shown).lines);
        for (role, [drawn, inside, all]) in [(1, to_the_right), (2, downwards)] {
            assert_eq!(counts.lines[role], 3 * drawn, "{what}");
            assert_eq!(complete[role - 1][role], 3 * inside, "{what}");
            assert_eq!(counts.wraps[role], 3 * (all - inside), "{what}");
            assert_eq!(counts.hidden[role], 3 * (inside - drawn), "{what}");
        }
        assert_eq!(counts.lines[0], across * down * 2, "no diagonal is left out of {what}");
        let map = MiniMap::new(&slice, &[], Spacing::default());
        let drawn = |drawing| map.bundles().iter().filter(|bundle| bundle.drawing == drawing).count() as u32;
        assert_eq!(drawn(Drawing::Line), to_the_right[0] + downwards[0], "{what}");
        assert_eq!(map.bundles().len() as u32, to_the_right[2] + downwards[2], "{what}");
    }
}

#[test]
fn directions_can_be_left_out() {
    let torus = torus(&[4, 4, 4]);
    let layout = view(&torus, 2);
    let shown = Shown { axis: false, across: true, down: false };
    assert_eq!(layout.counts(shown).lines, [0, 48, 0]);
    assert_eq!(layout.counts(shown).hidden, [64, 0, 64]);
    let none = Shown { axis: false, across: false, down: false };
    assert!(layout.lines(none).is_empty() && layout.stubs(none).is_empty());
    for shown in MODES {
        let counts = layout.counts(shown);
        assert_eq!(layout.lines(shown).len() as u32, counts.lines.iter().sum::<u32>());
        assert_eq!(layout.stubs(shown).len() as u32, 2 * counts.wraps.iter().sum::<u32>());
        for line in layout.lines(shown) {
            assert_eq!(layout.drawing(line.cable, shown), Some(Drawing::Line));
        }
        for stub in layout.stubs(shown) {
            assert_eq!(layout.drawing(stub.cable, shown), Some(Drawing::Wrap));
            assert!((stub.to[0] - stub.from[0]).hypot(stub.to[1] - stub.from[1]) <= 1.0);
            // In the margin, level with its node.
            let node = layout.position(stub.node).unwrap();
            let outside = |at: f64| at < 0.0 || at > layout.extent()[0];
            match stub.role {
                Role::Axis => assert_eq!(stub.from, node),
                Role::Across => assert!(outside(stub.from[0]) && stub.from[1] == node[1] && stub.to[1] == node[1]),
                Role::Down => assert!(outside(stub.from[1]) && stub.from[0] == node[0] && stub.to[0] == node[0]),
            }
        }
    }
}

/// A point on a grid of quarters, so that everything below is exact.
type Point = [i64; 2];

fn quarters(point: [f64; 2]) -> Point {
    point.map(|value| {
        assert_eq!((value * 4.0).fract(), 0.0);
        (value * 4.0) as i64
    })
}

/// On which side of a line a point is.
fn side([ax, ay]: Point, [bx, by]: Point, [px, py]: Point) -> i64 {
    ((bx - ax) * (py - ay) - (by - ay) * (px - ax)).signum()
}

fn lies_on((a, b): (Point, Point), p: Point) -> bool {
    side(a, b, p) == 0 && (0..2).all(|i| a[i].min(b[i]) <= p[i] && p[i] <= a[i].max(b[i]))
}

/// Whether two stretches have a point in common other than an end of both.
fn meet(one: (Point, Point), other: (Point, Point)) -> bool {
    let ends = [one.0, one.1];
    let shared: Vec<Point> = ends.into_iter().filter(|end| *end == other.0 || *end == other.1).collect();
    let inside = |stretch, p: Point| lies_on(stretch, p) && !shared.contains(&p);
    if inside(one, other.0) || inside(one, other.1) || inside(other, one.0) || inside(other, one.1) {
        return true;
    }
    side(one.0, one.1, other.0) * side(one.0, one.1, other.1) < 0
        && side(other.0, other.1, one.0) * side(other.0, other.1, one.1) < 0
}

#[test]
fn crossings_are_found() {
    let cross = |a, b, c, d| meet((a, b), (c, d));
    assert!(cross([0, 0], [4, 4], [0, 4], [4, 0]), "in the middle");
    assert!(cross([0, 0], [4, 0], [2, 0], [2, 3]), "an end on a line");
    assert!(cross([0, 0], [4, 0], [2, 0], [6, 0]), "one over the other");
    assert!(cross([0, 0], [4, 0], [0, 0], [6, 0]), "one over the other from the same end");
    assert!(!cross([0, 0], [4, 0], [0, 0], [0, 4]), "two from one node");
    assert!(!cross([0, 0], [4, 0], [4, 0], [6, 0]), "one behind the other");
    assert!(!cross([0, 0], [4, 0], [0, 1], [4, 1]));
}

/// In every machine up to 7x7x7, every view and every choice of directions, stubs too.
#[test]
fn no_two_nodes_or_cables_meet() {
    for sizes in (0..343_u32).map(|shape| [shape % 7 + 1, shape / 7 % 7 + 1, shape / 49 + 1]) {
        let torus = with_two_cables(&sizes);
        // All orders of all sizes are tried, so one view has them all.
        let layout = Projected::new(Slice::new(&torus, [Some(0), Some(1), Some(2)]), Spacing::default());
        let mut nodes: Vec<Point> = layout.nodes().map(|(_, position)| quarters(position)).collect();
        nodes.sort_unstable();
        assert!(nodes.windows(2).all(|pair| pair[0] != pair[1]), "two nodes in one place in {sizes:?}");
        for shown in MODES {
            let lines = layout.lines(shown).into_iter().map(|line| (quarters(line.from), quarters(line.to)));
            let stubs = layout.stubs(shown).into_iter().map(|stub| (quarters(stub.from), quarters(stub.to)));
            let mut stretches: Vec<(Point, Point)> = lines.chain(stubs).map(|(a, b)| (a.min(b), a.max(b))).collect();
            stretches.extend(nodes.iter().map(|node| (*node, *node)));
            stretches.sort_unstable();
            for (at, one) in stretches.iter().enumerate() {
                let near = stretches[at + 1..].iter().take_while(|other| other.0[0] <= one.1[0]);
                for other in near {
                    assert!(!meet(*one, *other), "{one:?} and {other:?} meet in {sizes:?} with {shown:?}");
                }
            }
        }
    }
}

#[test]
fn rolling_moves_the_seam() {
    let torus = torus(&[5, 4, 3]);
    let node = torus.node(&at(&[1, 3, 0]));
    let roll = Slice::roll_to_middle(&torus, node);
    let slice = Slice::new(&torus, Axes::along(&torus, 2).dims()).rolled(&roll);
    assert_eq!(slice.place(node), Some([1, 2, 2]), "the middle along z, x and y");
    for other in (0..torus.elements()).map(Element) {
        assert_eq!(slice.node(slice.place(other).unwrap()), other);
    }
    let layout = Projected::new(slice.clone(), Spacing::default());
    assert_eq!(layout.ring(node), Some(0));
    // The cable in x from 3 to 4 now crosses the seam, and that from 4 to 0 does not.
    let cable = |x| torus.cable(torus.node(&at(&[x, 0, 0])), 0).unwrap();
    assert_eq!(layout.drawing(cable(3), Shown::ACROSS), Some(Drawing::Wrap));
    assert_eq!(layout.drawing(cable(4), Shown::ACROSS), Some(Drawing::Line));
    let plain = Projected::new(Slice::new(&torus, slice.dims()), Spacing::default());
    assert_eq!(layout.counts(Shown::RINGS), plain.counts(Shown::RINGS), "rolled or not, as many are drawn");
    let mesh = Torus::new(Dimension::named(&[5, 4, 3], false)).unwrap();
    let rolled = Slice::new(&mesh, slice.dims()).rolled(&roll);
    assert_eq!(rolled, Slice::new(&mesh, slice.dims()), "a mesh has nothing to roll");
    assert_eq!(Projected::new(rolled, Spacing::default()).counts(Shown::RINGS).wraps, [0; 3]);
}

#[test]
fn two_nodes_with_one_cable_stay_joined() {
    let torus = torus(&[2, 4, 4]);
    for roll in [[0; MOST_DIMENSIONS], at(&[1, 1, 1])] {
        let layout = Projected::new(Slice::new(&torus, [Some(0), Some(1), Some(2)]).rolled(&roll), Spacing::default());
        assert_eq!(layout.counts(Shown::RINGS).lines[0], 16);
        assert_eq!(layout.counts(Shown::RINGS).wraps[0], 0);
    }
}

#[test]
fn what_is_drawn_can_be_found_by_its_place() {
    let torus = torus(&[4, 3, 5]);
    for dim in 0..3 {
        let layout = view(&torus, dim);
        for (node, position) in layout.nodes() {
            let near = [position[0] + 0.2, position[1] - 0.1];
            assert_eq!(layout.hit(near, 0.3, Shown::RINGS), Some(Hit::Node(node)));
        }
        for shown in MODES {
            for line in layout.lines(shown) {
                let middle = [0, 1].map(|i| f64::midpoint(line.from[i], line.to[i]) + 0.05);
                assert_eq!(layout.hit(middle, 0.3, shown), Some(Hit::Cable(line.cable)));
            }
            for stub in layout.stubs(shown) {
                assert_eq!(layout.hit(stub.to, 0.2, shown), Some(Hit::Cable(stub.cable)));
            }
        }
        assert_eq!(layout.hit([-5.0, -5.0], 1.0, Shown::RINGS), None);
    }
}

#[test]
fn a_band_is_a_plane() {
    let torus = torus(&[4, 3, 5]);
    let slice = Slice::new(&torus, Axes::along(&torus, 2).dims()).rolled(&at(&[1, 0, 2]));
    let layout = Projected::new(slice, Spacing::default());
    for (role, dim) in [(Role::Across, 0), (Role::Down, 1)] {
        assert_eq!(layout.bands(role).len() as u32, torus.dimensions()[dim].size);
        for (node, position) in layout.nodes() {
            let band = layout.band_at(role, position[role.index() - 1]).unwrap();
            assert_eq!((band.dim, band.at), (dim, torus.coordinate(node, dim)));
        }
    }
    assert_eq!(layout.band_at(Role::Across, -1.5), None);
    assert!(layout.bands(Role::Axis).is_empty());
}

#[test]
fn a_mini_map_is_the_mean_along_its_axis() {
    let torus = torus(&[4, 3, 5]);
    // The height of its lower end, so that the mean over z is known; some are missing.
    let mut values: Vec<f64> =
        (0..torus.cables()).map(|cable| f64::from(torus.coordinate(torus.lower_end(Cable(cable)), 2))).collect();
    let slice = Slice::new(&torus, Axes::along(&torus, 2).dims());
    let map = MiniMap::new(&slice, &[], Spacing::default());
    assert_eq!(map.bundles().len(), 24);
    assert!(map.means(&values).iter().all(|mean| *mean == 2.0));
    let first = map.bundles()[0];
    let cables: Vec<Cable> = map.cables(&first).collect();
    assert_eq!(cables.len(), 5);
    values[cables[4].index()] = f64::NAN;
    assert_eq!(map.means(&values)[0], 1.5);
    for cable in cables {
        values[cable.index()] = f64::NAN;
    }
    assert!(map.means(&values)[0].is_nan());
    assert_eq!(map.extent(), [12.0, 9.0], "three from a column to the next");
}

#[test]
fn more_dimensions_are_sliced() {
    let torus = torus(&[6, 5, 4, 3, 2]);
    let all = Axes::all(&torus);
    let names = |axes: &Axes| -> String {
        axes.dims().iter().map(|dim| torus.dimensions()[dim.unwrap()].name.as_str()).collect()
    };
    let expected =
        ["abc", "abd", "acd", "bac", "bad", "bcd", "cab", "cad", "cbd", "dab", "dac", "dbc"].map(str::to_owned);
    assert_eq!(all.iter().map(names).collect::<Vec<_>>(), expected);
    let axes = Axes::parse("d:a,c", &torus).unwrap();
    assert_eq!(axes.others(&torus), [1, 4]);
    let slices = axes.slices(&torus);
    assert_eq!(slices.len(), 10);
    assert_eq!(slices[6], at(&[0, 1, 0, 0, 1]));
    let mut seen = vec![0; torus.elements() as usize];
    let mut cables = 0;
    for place in &slices {
        let layout = Projected::new(Slice::new(&torus, axes.dims()).at(place), Spacing::default());
        for (node, position) in layout.nodes() {
            seen[node.index()] += 1;
            assert_eq!(layout.position(node), Some(position));
        }
        let counts = layout.counts(Shown::RINGS);
        cables += counts.lines.iter().chain(&counts.wraps).chain(&counts.hidden).sum::<u32>();
    }
    assert!(seen.iter().all(|seen| *seen == 1), "every node is in one slice");
    assert_eq!(cables, 720 * 3, "all cables of three dimensions; the others join slices");
    let elsewhere = torus.cables_of(1).start;
    assert_eq!(
        Projected::new(Slice::new(&torus, axes.dims()), Spacing::default()).drawing(Cable(elsewhere), Shown::RINGS),
        None
    );
    let map = MiniMap::new(&Slice::new(&torus, axes.dims()), &slices, Spacing::default());
    assert!(map.bundles().iter().all(|bundle| map.cables(bundle).count() == 30), "over the axis and all slices");
}

#[test]
fn views_have_names() {
    let cube = torus(&[4, 4, 4]);
    let axes = |text: &str| Axes::parse(text, &cube).map(|axes| axes.dims().map(Option::unwrap));
    assert_eq!(axes("x"), Ok([0, 2, 1]));
    assert_eq!(axes("Y"), Ok([1, 0, 2]));
    assert_eq!(axes("z"), Ok([2, 0, 1]));
    assert_eq!(axes("z: y, x"), Ok([2, 1, 0]));
    for wrong in ["", "w", "x:y", "x:y,y", "x:x,y", "x:y,z,x"] {
        assert!(axes(wrong).unwrap_err().to_string().contains("x, y, z"), "{wrong}");
    }
    let flat = torus(&[6, 3]);
    assert_eq!(Axes::along(&flat, 2).dims(), [None, Some(0), Some(1)]);
    assert_eq!(view(&flat, 2).nodes().count(), 18);
    assert_eq!(Axes::along(&flat, 0).dims(), [Some(0), None, Some(1)]);
}

#[test]
fn the_grid_is_centred_and_open_at_the_seam() {
    let torus = torus(&[4, 3, 5]);
    let dims = Axes::along(&torus, 0).in_order();
    let grid = Grid::new(Slice::new(&torus, dims).rolled(&at(&[1, 0, 0])));
    assert_eq!(grid.position(Element(0)), Some([-0.5, -1.0, -2.0]));
    assert_eq!(grid.position(torus.node(&at(&[3, 2, 4]))), Some([-1.5, 1.0, 2.0]));
    let mut middle = [0.0; 3];
    for (_, position) in grid.nodes() {
        (0..3).for_each(|axis| middle[axis] += position[axis]);
    }
    assert_eq!(middle, [0.0; 3]);
    let sticks: Vec<Stick> = grid.sticks().collect();
    assert_eq!(sticks.len() as u32, torus.cables());
    for stick in &sticks {
        let (low, high) = torus.ends(Torus::link(stick.cable, crate::Direction::Plus));
        assert_eq!(grid.position(low), Some(stick.from));
        assert_eq!(grid.position(high) == Some(stick.to), !stick.open);
        assert_eq!((0..3).map(|axis| stick.to[axis] - stick.from[axis]).sum::<f64>(), 1.0);
    }
    let open = sticks.iter().filter(|stick| stick.open).count();
    assert_eq!(open, 15 + 20 + 12);
}
