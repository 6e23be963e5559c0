//! How things of different kinds belong together: projections as a graph, joined along its shortest ways.
//!
//! A relation is pairs of ids, usable both ways. Ids that a further relation does not know are simply unrelated.

use std::collections::VecDeque;

use super::meta::EntityType;

/// Pairs of ids, sorted, each once.
pub(super) type Pairs = Vec<(i64, i64)>;

/// An edge of the graph.
#[derive(Debug)]
pub(super) struct Relation {
    pub(super) ends: [EntityType; 2],
    /// `None`: equal ids belong together.
    pub(super) pairs: Option<Pairs>,
    /// Where it comes from, for messages.
    pub(super) from: String,
}

/// All that a run says about what belongs together.
#[derive(Debug, Default)]
pub(super) struct Relations {
    edges: Vec<Relation>,
}

/// What belongs together, along some way.
#[derive(Debug, PartialEq)]
pub(super) struct Joined {
    /// `None`: equal ids.
    pub(super) pairs: Option<Pairs>,
    /// Where the first relation of the way comes from.
    pub(super) from: String,
    /// Whether there were too many to list all.
    pub(super) is_cut: bool,
}

impl Relations {
    pub(super) fn add(&mut self, relation: Relation) {
        self.edges.push(relation);
    }

    /// Relates things of one kind to those of another; `None` if no way leads there.
    pub(super) fn between(&self, one: &EntityType, other: &EntityType) -> Option<Joined> {
        let way = self.way(one, other)?;
        let mut joined = Joined { pairs: None, from: String::new(), is_cut: false };
        for (edge, is_reversed) in way {
            let relation = &self.edges[edge];
            if joined.from.is_empty() {
                joined.from.clone_from(&relation.from);
            }
            let Some(pairs) = &relation.pairs else { continue };
            let next = if is_reversed { sorted(pairs.iter().map(|(a, b)| (*b, *a)).collect()) } else { pairs.clone() };
            joined.pairs = Some(match joined.pairs.take() {
                None => next,
                Some(so_far) => {
                    let (pairs, is_cut) = join(&so_far, &next);
                    joined.is_cut |= is_cut;
                    pairs
                }
            });
        }
        Some(joined)
    }

    /// The edges of a shortest way, and which of them are used backwards.
    fn way(&self, one: &EntityType, other: &EntityType) -> Option<Vec<(usize, bool)>> {
        // The last edge to each kind that was reached, and where it began.
        let mut reached: Vec<(&EntityType, Option<(usize, bool)>)> = vec![(one, None)];
        let mut queue = VecDeque::from([0]);
        while let Some(at) = queue.pop_front() {
            for (edge, relation) in self.edges.iter().enumerate() {
                for is_reversed in [false, true] {
                    let (from, to) =
                        (&relation.ends[usize::from(is_reversed)], &relation.ends[usize::from(!is_reversed)]);
                    if from == reached[at].0 && reached.iter().all(|(kind, _)| *kind != to) {
                        reached.push((to, Some((edge, is_reversed))));
                        queue.push_back(reached.len() - 1);
                    }
                }
            }
        }
        let mut way = Vec::new();
        let mut kind = other;
        loop {
            let (_, by) = reached.iter().find(|(reached, _)| *reached == kind)?;
            let Some((edge, is_reversed)) = by else { break };
            way.push((*edge, *is_reversed));
            kind = &self.edges[*edge].ends[usize::from(*is_reversed)];
        }
        way.reverse();
        Some(way)
    }
}

/// Pairs in order, each once.
pub(super) fn sorted(mut pairs: Pairs) -> Pairs {
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Who is related to whom over a third. Many-to-many on both sides could be quadratic: then it is cut.
fn join(one: &Pairs, other: &Pairs) -> (Pairs, bool) {
    let most = 8 * (one.len() + other.len()) + 4096;
    let mut pairs = Vec::new();
    for (from, over) in one {
        let first = other.partition_point(|(id, _)| id < over);
        for (_, to) in other[first..].iter().take_while(|(id, _)| id == over) {
            if pairs.len() >= most {
                return (sorted(pairs), true);
            }
            pairs.push((*from, *to));
        }
    }
    (sorted(pairs), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(one: EntityType, other: EntityType, pairs: Option<&[(i64, i64)]>) -> Relation {
        Relation { ends: [one, other], pairs: pairs.map(|pairs| sorted(pairs.to_vec())), from: "f".to_owned() }
    }

    #[test]
    fn a_communicator_leads_to_links_over_ranks_and_nodes() {
        let (node, link, rank, communicator) =
            (EntityType::node(), EntityType::link(), EntityType::rank(), EntityType::communicator());
        let mut relations = Relations::default();
        // Written from nodes to ranks and used the other way round.
        relations.add(edge(node.clone(), rank.clone(), Some(&[(10, 0), (11, 1), (11, 2), (12, 3)])));
        relations.add(edge(communicator.clone(), rank.clone(), Some(&[(5, 0), (5, 2), (6, 3), (6, 99)])));
        relations.add(edge(node.clone(), link.clone(), Some(&[(10, 100), (10, 101), (11, 110), (12, 120)])));
        let pairs = |one: &EntityType, other: &EntityType| relations.between(one, other).unwrap().pairs.unwrap();
        assert_eq!(pairs(&communicator, &node), [(5, 10), (5, 11), (6, 12)]);
        assert_eq!(pairs(&communicator, &link), [(5, 100), (5, 101), (5, 110), (6, 120)]);
        assert_eq!(pairs(&link, &communicator), [(100, 5), (101, 5), (110, 5), (120, 6)]);
        assert_eq!(relations.between(&node, &node).unwrap().pairs, None);
    }

    #[test]
    fn equal_ids_cost_nothing_and_the_shortest_way_is_taken() {
        let (node, link, rank) = (EntityType::node(), EntityType::link(), EntityType::rank());
        let mut relations = Relations::default();
        relations.add(edge(rank.clone(), link.clone(), Some(&[(1, 2)])));
        relations.add(edge(link.clone(), node.clone(), Some(&[(2, 77)])));
        relations.add(edge(node.clone(), rank.clone(), None));
        assert_eq!(relations.between(&rank, &node).unwrap().pairs, None);
        assert!(relations.between(&rank, &EntityType::communicator()).is_none());
    }

    #[test]
    fn what_would_be_quadratic_is_cut() {
        let (node, link, rank) = (EntityType::node(), EntityType::link(), EntityType::rank());
        let mut relations = Relations::default();
        let many: Vec<(i64, i64)> = (0..10_000).map(|id| (id, 7)).collect();
        relations.add(edge(rank.clone(), link.clone(), Some(&many)));
        relations.add(edge(node.clone(), link, Some(&many)));
        let joined = relations.between(&rank, &node).unwrap();
        assert!(joined.is_cut && joined.pairs.unwrap().len() <= 8 * 20_000 + 4096);
    }
}
