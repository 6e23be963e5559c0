//! A hierarchy over clusters: single linkage. The two that are nearest are joined, again and again; how far they were apart is
//! the height at which they join.

use super::tree::Merge;

/// Joins `count` clusters, by the distances of all pairs. Nodes are numbered: clusters first, then joints in their order. Of
/// equal distances the pair with the smaller numbers comes first.
pub(super) fn single_linkage(count: usize, apart: impl Fn(usize, usize) -> f64) -> Vec<Merge> {
    let mut pairs: Vec<(f64, usize, usize)> =
        (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))).map(|(a, b)| (apart(a, b), a, b)).collect();
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let mut node_of: Vec<usize> = (0..count).collect();
    let mut merges: Vec<Merge> = Vec::with_capacity(count.saturating_sub(1));
    for (height, a, b) in pairs {
        let (one, other) = (node_of[a], node_of[b]);
        if one == other {
            continue;
        }
        let joint = count + merges.len();
        for node in node_of.iter_mut().filter(|node| **node == one || **node == other) {
            *node = joint;
        }
        merges.push(Merge { children: [one as u32, other as u32], height });
    }
    merges
}
