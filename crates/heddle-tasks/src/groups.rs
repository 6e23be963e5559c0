//! Groups of nodes at every instant, and how nodes go from group to group.

use rayon::prelude::*;

use crate::{GroupOptions, Modes, Progression};

/// Nodes that go from one group to another between two instants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The later of the two instants.
    pub instant: u32,
    /// The group at the earlier one.
    pub from: u32,
    /// The group at the later one.
    pub to: u32,
    /// Positions among the nodes, ascending.
    pub nodes: Vec<u32>,
    /// Whether it is a minority path: another one out of its group has more nodes.
    pub is_minority: bool,
}

/// Groups of nodes at every instant.
#[derive(Clone, Debug)]
pub struct Groups {
    /// By instant; groups go from the slowest to the fastest.
    pub at: Vec<Modes>,
    /// Ways between groups, by instant, then group, then group.
    pub segments: Vec<Segment>,
    /// By instant, then group: a number that a group keeps as long as most of its nodes stay together.
    pub identity: Vec<Vec<u32>>,
}

impl Groups {
    /// The groups of a progression.
    pub fn of(progression: &Progression, options: &GroupOptions) -> Groups {
        let (bandwidth, depth) = (options.bandwidth.0, f64::from(options.min_depth.0));
        let instants: Vec<(Modes, Vec<u32>)> = progression
            .by_instant()
            .par_iter()
            .map(|values| {
                let modes = Modes::of(values, bandwidth, depth);
                let of_node = group_of_nodes(&modes, progression.nodes.len());
                (modes, of_node)
            })
            .collect();
        let ways: Vec<Vec<Segment>> = (1..instants.len())
            .into_par_iter()
            .map(|instant| ways(instant as u32, &instants[instant - 1], &instants[instant]))
            .collect();
        let mut next = 0;
        let mut identity: Vec<Vec<u32>> = Vec::with_capacity(instants.len());
        for (instant, (modes, _)) in instants.iter().enumerate() {
            let known = identity.last().map_or(&[][..], Vec::as_slice);
            let ways = instant.checked_sub(1).map_or(&[][..], |before| &ways[before]);
            identity.push(follow(known, modes.clusters.len(), ways, &mut next));
        }
        let segments = ways.into_iter().flatten().collect();
        Groups { at: instants.into_iter().map(|(modes, _)| modes).collect(), segments, identity }
    }
}

/// The group of each node.
fn group_of_nodes(modes: &Modes, nodes: usize) -> Vec<u32> {
    let mut of_node = vec![0; nodes];
    for (group, cluster) in modes.clusters.iter().enumerate() {
        cluster.members.iter().for_each(|node| of_node[*node as usize] = group as u32);
    }
    of_node
}

/// The ways between the groups of two instants.
fn ways(instant: u32, (before, _): &(Modes, Vec<u32>), (now, now_of): &(Modes, Vec<u32>)) -> Vec<Segment> {
    let mut ways = Vec::new();
    for (from, cluster) in before.clusters.iter().enumerate() {
        // Members are ascending, so those of a way are.
        let mut to: Vec<Vec<u32>> = vec![Vec::new(); now.clusters.len()];
        cluster.members.iter().for_each(|node| to[now_of[*node as usize] as usize].push(*node));
        // Where two are equally thick the way to the fastest group is the main one.
        let main = (0..to.len()).max_by_key(|at| (to[*at].len(), *at));
        for (at, nodes) in to.into_iter().enumerate().filter(|(_, nodes)| !nodes.is_empty()) {
            let is_minority = Some(at) != main;
            ways.push(Segment { instant, from: from as u32, to: at as u32, nodes, is_minority });
        }
    }
    ways
}

/// Numbers of the groups of an instant: those of the groups before with which they share most nodes, largest shares first;
/// of equal shares the slowest. A group whose like is taken gets a new number.
fn follow(known: &[u32], groups: usize, segments: &[Segment], next: &mut u32) -> Vec<u32> {
    let mut by_size: Vec<&Segment> = segments.iter().collect();
    by_size.sort_by_key(|segment| std::cmp::Reverse(segment.nodes.len()));
    let (mut given, mut taken) = (vec![None; groups], vec![false; known.len()]);
    for segment in by_size {
        let (from, to) = (segment.from as usize, segment.to as usize);
        if given[to].is_none() && !taken[from] {
            given[to] = Some(known[from]);
            taken[from] = true;
        }
    }
    given
        .into_iter()
        .map(|number| {
            number.unwrap_or_else(|| {
                *next += 1;
                *next - 1
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Bandwidth;

    /// A progression in which nodes are where `values` say, by instant.
    fn progression(values: &[Vec<f64>]) -> Progression {
        let nodes = values[0].len();
        let lines = (0..nodes).flat_map(|node| values.iter().map(move |at| at[node])).collect();
        Progression::made(nodes as u32, lines)
    }

    fn groups(values: &[Vec<f64>]) -> Groups {
        let options = GroupOptions { bandwidth: Bandwidth(0.01), ..GroupOptions::default() };
        Groups::of(&progression(values), &options)
    }

    #[test]
    fn a_group_keeps_its_number_where_most_of_its_nodes_go() {
        let groups = groups(&[
            vec![0.0; 5],
            // One falls behind: the many keep the number though they are the faster ones.
            vec![0.1, 0.3, 0.3, 0.3, 0.3],
            // It overtakes.
            vec![0.7, 0.5, 0.5, 0.5, 0.5],
            // All are together again: the many were more.
            vec![0.9; 5],
            // And the same one falls behind again: nobody knows it any more.
            vec![0.92, 1.0, 1.0, 1.0, 1.0],
        ]);
        assert_eq!(groups.identity, [vec![0], vec![1, 0], vec![0, 1], vec![0], vec![2, 0]]);
        let minorities: Vec<(u32, &[u32])> = groups
            .segments
            .iter()
            .filter(|segment| segment.is_minority)
            .map(|segment| (segment.instant, &segment.nodes[..]))
            .collect();
        assert_eq!(minorities, [(1, &[0][..]), (4, &[0][..])]);
    }

    #[test]
    fn of_two_equal_halves_the_faster_is_the_main_way() {
        let groups = groups(&[vec![0.0; 4], vec![0.1, 0.1, 0.3, 0.3]]);
        let ways: Vec<(u32, bool)> = groups.segments.iter().map(|way| (way.to, way.is_minority)).collect();
        assert_eq!(ways, [(0, true), (1, false)]);
        assert_eq!(groups.identity, [vec![0], vec![0, 1]]);
    }

    proptest! {
        #[test]
        fn all_nodes_go_somewhere_and_come_from_somewhere(
            values in prop::collection::vec(prop::collection::vec(0.0..0.2f64, 12), 1..6)
        ) {
            let groups = groups(&values);
            prop_assert_eq!(groups.at.len(), values.len());
            for (instant, modes) in groups.at.iter().enumerate() {
                for (at, cluster) in modes.clusters.iter().enumerate() {
                    let count = |is_way: &dyn Fn(&Segment) -> bool| -> usize {
                        groups.segments.iter().filter(|way| is_way(way)).map(|way| way.nodes.len()).sum()
                    };
                    let (instant, at, size) = (instant as u32, at as u32, cluster.members.len());
                    if instant > 0 {
                        prop_assert_eq!(count(&|way| way.instant == instant && way.to == at), size);
                    }
                    if (instant as usize) + 1 < values.len() {
                        prop_assert_eq!(count(&|way| way.instant == instant + 1 && way.from == at), size);
                        let main = |way: &&Segment| way.instant == instant + 1 && way.from == at && !way.is_minority;
                        prop_assert_eq!(groups.segments.iter().filter(main).count(), 1);
                    }
                }
                let mut numbers = groups.identity[instant].clone();
                numbers.sort_unstable();
                numbers.dedup();
                prop_assert_eq!(numbers.len(), modes.clusters.len(), "no number twice");
            }
        }
    }
}
