//! Dragonflies: straight to the other group, and by way of a third.

use super::*;
use crate::dragonfly::CableKind;

/// What a path passes, link by link, and the groups it visits.
fn kinds(shape: &Shape, path: &[Link]) -> (Vec<CableKind>, Vec<u32>) {
    let fly = shape.dragonfly().unwrap();
    let mut groups: Vec<u32> = path.iter().map(|link| fly.group_of(shape.ends(*link).1)).collect();
    groups.dedup();
    (path.iter().map(|link| fly.kind(link.0 / 2)).collect(), groups)
}

#[test]
fn straight_is_at_most_local_global_local() {
    let shape: Shape = "dragonfly:4x3x4x2:2".parse().unwrap();
    let minimal = routing(RoutingKind::Minimal, &shape);
    let order =
        [CableKind::Node, CableKind::Row, CableKind::Column, CableKind::Global, CableKind::Row, CableKind::Column];
    for (from, to) in (0..shape.hosts()).flat_map(|from| (0..shape.hosts()).map(move |to| (from, to))) {
        for choice in 0..2 {
            let path = minimal.path(Element(from), Element(to), choice);
            let (kinds, groups) = kinds(&shape, &path);
            assert!(groups.len() <= 2);
            let Some((last, before)) = kinds.split_last() else {
                assert_eq!(from, to);
                continue;
            };
            assert_eq!(*last, CableKind::Node);
            // A row, a column, the other group, a row, a column; each of them at most once, and in this order.
            let mut rest = order.iter();
            assert!(before.iter().all(|kind| rest.any(|next| next == kind)), "{from} to {to}: {before:?}");
        }
    }
}

#[test]
fn by_way_of_a_third_group_every_group_is_passed_alike() {
    let shape: Shape = "dragonfly:6x4x2:3".parse().unwrap();
    let valiant = routing(RoutingKind::Valiant, &shape);
    let (from, to) = (Element(0), Element(shape.hosts() - 1));
    let mut thirds = [0; 6];
    for choice in 0..4 * 9 {
        let (_, groups) = kinds(&shape, &valiant.path(from, to, choice));
        let [0, third, 5] = groups[..] else { panic!("{groups:?}") };
        thirds[third as usize] += 1;
    }
    assert_eq!(thirds, [0, 9, 9, 9, 9, 0]);
    let fly = shape.dragonfly().unwrap();
    let mut global = 0.0;
    valiant.route(from, to, &mut |link, share| {
        if fly.kind(link.0 / 2) == CableKind::Global {
            assert!((share - 1.0 / 12.0).abs() < 1e-12, "four groups by three cables");
            global += share;
        }
    });
    assert!((global - 2.0).abs() < 1e-12);
    // Within a group there is no need to leave it, and of two groups there is no third.
    assert_eq!(kinds(&shape, &valiant.path(Element(0), Element(7), 5)).1, [0]);
    let two: Shape = "dragonfly:2x4x2:3".parse().unwrap();
    let path = routing(RoutingKind::Valiant, &two).path(Element(0), Element(15), 1);
    assert_eq!(path, routing(RoutingKind::Minimal, &two).path(Element(0), Element(15), 1));
}
