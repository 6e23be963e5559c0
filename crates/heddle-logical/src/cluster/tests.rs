//! Clusters of timelines that are written down or drawn by chance.

use heddle_options::Count;
use heddle_store::NoProgress;
use heddle_testkit::Chance;

use super::clara::{Clara, Partition};
use super::clusters::Found;
use super::fold::Folded;
use super::linkage::single_linkage;
use super::tree::Tree;
use super::{ClusterOptions, Distance, Timeline, Timelines};

/// Evenly between 0 and 1.
fn part(chance: &mut Chance) -> f64 {
    chance.below(1 << 53) as f64 / (1u64 << 53) as f64
}

/// About normally distributed, with deviation 1.
fn noise(chance: &mut Chance) -> f64 {
    (0..12).map(|_| part(chance)).sum::<f64>() - 6.0
}

fn clara(clusters: usize, seed: u64) -> Clara {
    Clara { distance: Distance::Paper, clusters, samples: 5, seed }
}

fn partition(clara: Clara, timelines: &[Timeline]) -> Partition {
    clara.partition(timelines, &NoProgress).unwrap()
}

/// Ranks as a program has them whose lateness wanders: each begins somewhere and goes on from where it was; some steps are
/// skipped.
fn wandering(ranks: usize, steps: u32, seed: u64) -> Vec<Timeline> {
    let mut chance = Chance(seed);
    (0..ranks)
        .map(|_| {
            let (mut timeline, mut value) = (Timeline::default(), 40.0 * part(&mut chance));
            for step in 0..steps {
                value += noise(&mut chance);
                if chance.below(4) > 0 {
                    timeline.push(step, value.round());
                }
            }
            timeline
        })
        .collect()
}

/// Groups of these sizes, spread over all ranks, each with a course of its own, and noise on every event.
fn planted(ranks: usize, groups: &[usize], steps: u32, seed: u64) -> (Vec<Timeline>, Vec<usize>) {
    let mut chance = Chance(seed);
    let mut order: Vec<usize> = (0..ranks).collect();
    for place in (1..ranks).rev() {
        order.swap(place, chance.below(place + 1));
    }
    let mut group_of = vec![0; ranks];
    let mut next = order.into_iter();
    for (group, size) in groups.iter().enumerate() {
        for rank in next.by_ref().take(*size) {
            group_of[rank] = group + 1;
        }
    }
    let timelines = group_of
        .iter()
        .map(|group| {
            let mut timeline = Timeline::default();
            for step in 0..steps {
                // A group is late for a third of the steps, each its own third.
                let is_late = *group > 0 && (step as usize + group * 7) % (groups.len() * 7) < 7;
                timeline.push(step, if is_late { 6.0 } else { 0.0 } + noise(&mut chance));
            }
            timeline
        })
        .collect();
    (timelines, group_of)
}

#[test]
fn samples_are_nearly_as_good_as_all_distances() {
    for seed in 0..20 {
        let timelines = wandering(260 + 12 * seed as usize, 30, seed);
        let all: Vec<usize> = (0..timelines.len()).collect();
        let clara = clara(20, seed);
        let folded = Folded::new(timelines.as_slice());
        let exact = clara.medoids_of(timelines.as_slice(), &all);
        let exact = clara.assign(timelines.as_slice(), &folded, exact, &NoProgress).unwrap();
        let sampled = clara.gathered(timelines.as_slice(), &folded, &NoProgress).unwrap();
        let ratio = sampled.cost() / exact.cost();
        assert!(ratio <= 1.05, "seed {seed}, {} ranks: {ratio}", timelines.len());
    }
}

#[test]
fn planted_groups_are_found_exactly() {
    for ranks in [1_024, 16_384] {
        for seed in 0..5 {
            let (timelines, group_of) = planted(ranks, &[1, 30, 300], 42, seed);
            for distance in [Distance::Paper, Distance::Held] {
                let options = ClusterOptions { distance, seed: Count(seed as u32), ..ClusterOptions::default() };
                let found = Found::new(timelines.as_slice(), &options, &NoProgress).unwrap();
                let tree = Tree::new(found.medoids.len() as u32, found.merges.clone());
                let mut groups: Vec<Vec<usize>> = Vec::new();
                for node in tree.natural(8, found.within()) {
                    let leaves = tree.leaves_of(node);
                    groups.push((0..ranks).filter(|at| leaves.contains(&found.leaf_of[*at])).collect());
                }
                groups.sort_by_key(Vec::len);
                let expected: Vec<Vec<usize>> =
                    [1, 2, 3, 0].map(|group| (0..ranks).filter(|at| group_of[*at] == group).collect()).to_vec();
                let sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
                assert_eq!(sizes, [1, 30, 300, ranks - 331], "{ranks} ranks, seed {seed}, {distance:?}");
                assert!(groups == expected, "{ranks} ranks, seed {seed}, {distance:?}");
            }
        }
    }
}

#[test]
fn folding_changes_nothing() {
    /// The same timelines, each with a step of its own beyond those that count: none are equal any more.
    struct Unfolded<'a>(&'a [Timeline]);
    impl Timelines for Unfolded<'_> {
        fn count(&self) -> usize {
            self.0.len()
        }
        fn steps(&self) -> std::ops::Range<u32> {
            self.0.steps()
        }
        fn read(&self, at: usize, into: &mut Timeline) {
            self.0.read(at, into);
        }
    }
    let mut timelines = wandering(150, 12, 3);
    for at in 0..150 {
        // Most ranks are copies of a few.
        timelines.push(timelines[at % 4].clone());
    }
    let clara = clara(6, 9);
    let folded = Folded::new(timelines.as_slice());
    assert!(folded.distinct().len() <= 150);
    let found = partition(clara, &timelines);
    let alone = Folded::none(&Unfolded(&timelines));
    assert_eq!(alone.distinct().len(), 300);
    let again = clara.assign(&Unfolded(&timelines), &alone, found.medoids.clone(), &NoProgress).unwrap();
    assert_eq!(found, again);
}

#[test]
fn joints_are_those_of_a_naive_search() {
    for seed in 0..40 {
        let mut chance = Chance(seed);
        let count = 1 + chance.below(14);
        let far: Vec<f64> = (0..count * count).map(|_| chance.below(30) as f64).collect();
        let apart = |a: usize, b: usize| far[a.min(b) * count + a.max(b)];
        // Again and again the two sets with the nearest pair of members.
        let mut sets: Vec<Vec<usize>> = (0..count).map(|at| vec![at]).collect();
        let mut heights = Vec::new();
        while sets.len() > 1 {
            let between = |a: &[usize], b: &[usize]| {
                a.iter().flat_map(|a| b.iter().map(|b| apart(*a, *b))).fold(f64::INFINITY, f64::min)
            };
            let pairs = (0..sets.len()).flat_map(|a| (a + 1..sets.len()).map(move |b| (a, b)));
            let (a, b) = pairs
                .min_by(|x, y| between(&sets[x.0], &sets[x.1]).total_cmp(&between(&sets[y.0], &sets[y.1])))
                .unwrap();
            heights.push(between(&sets[a], &sets[b]));
            let gone = sets.remove(b);
            sets[a].extend(gone);
        }
        let merges = single_linkage(count, apart);
        assert!(merges.iter().map(|merge| merge.height).eq(heights));
        // Below every height the same sets: two are together if a chain of near pairs leads from one to the other.
        let tree = Tree::new(count as u32, merges);
        for joint in count as u32..tree.nodes() {
            let (leaves, height) = (tree.leaves_of(joint), tree.height(joint));
            if tree.distance_to_next(joint).is_some_and(|next| next <= height) {
                continue;
            }
            let mut reached = vec![leaves[0] as usize];
            let mut next = 0;
            while next < reached.len() {
                let from = reached[next];
                reached.extend(
                    (0..count).filter(|to| apart(from, *to) <= height && !reached.contains(to)).collect::<Vec<_>>(),
                );
                next += 1;
            }
            reached.sort_unstable();
            let mut leaves: Vec<usize> = leaves.into_iter().map(|leaf| leaf as usize).collect();
            leaves.sort_unstable();
            assert_eq!(leaves, reached, "seed {seed}, joint {joint}");
        }
    }
}

#[test]
fn ranks_without_values_are_a_leaf_of_their_own() {
    let mut timelines = wandering(100, 10, 1);
    timelines[7] = Timeline::default();
    timelines[60] = Timeline::default();
    let found = Found::new(timelines.as_slice(), &ClusterOptions::default(), &NoProgress).unwrap();
    assert_eq!(found.leaf_of[7], found.leaf_of[60]);
    assert_eq!(found.leaf_of.iter().filter(|leaf| **leaf == found.leaf_of[7]).count(), 2);
    assert_eq!(found.merges.last().map(|merge| merge.height), Some(f64::INFINITY));
    let nothing = vec![Timeline::default(); 50];
    let found = Found::new(nothing.as_slice(), &ClusterOptions::default(), &NoProgress).unwrap();
    assert_eq!((found.medoids.len(), found.merges.len()), (1, 0));
}
