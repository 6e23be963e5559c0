//! The program's own grid of ranks, as far as its communicators show one: rows and columns that talk among themselves.

use rustc_hash::{FxHashMap, FxHashSet};

use heddle_model::LocationId;
use heddle_store::Store;

/// Members of communicators that are looked at.
const MOST_MEMBERS: u64 = 4_000_000;

/// How ranks are laid out, neighbouring numbers along the first axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcessGrid {
    /// Lengths of its axes.
    pub(crate) lengths: [u32; 3],
    /// Whether communicators show it; if not, ranks are put into rows.
    pub(crate) is_known: bool,
}

/// Communicators of one size whose members are equally far apart, and that hold each rank once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Family {
    /// From one member to the next.
    pub(crate) stride: u32,
    /// Members of each.
    pub(crate) length: u32,
    /// The communicators, by row of the table, with their first rank.
    pub(crate) members: Vec<(u32, u64)>,
}

impl ProcessGrid {
    /// The grid of so many ranks.
    pub(crate) fn of(store: &Store, ranks: u32) -> ProcessGrid {
        let found = lengths(&families(store, ranks), ranks);
        let is_known = found.is_some();
        let lengths = found.unwrap_or_else(|| {
            let across = (1..=ranks).take_while(|n| n * n <= ranks).filter(|n| ranks.is_multiple_of(*n)).last();
            let down = across.unwrap_or(1).max(1);
            vec![ranks.max(1) / down, 1, down]
        });
        let [first, second, rest @ ..] = &lengths[..] else {
            return ProcessGrid { lengths: [ranks.max(1), 1, 1], is_known };
        };
        ProcessGrid { lengths: [*first, *second, rest.iter().product()], is_known }
    }

    /// Where a rank stands.
    pub(crate) fn place(&self, rank: u32) -> [u32; 3] {
        let [a, b, _] = self.lengths;
        [rank % a, rank / a % b, rank / a / b]
    }

    /// `16 × 8 × 4`
    pub(crate) fn text(&self) -> String {
        self.lengths.iter().filter(|length| **length > 1).map(u32::to_string).collect::<Vec<_>>().join(" × ")
    }
}

/// All families of a trace's communicators, the smallest stride first.
pub(crate) fn families(store: &Store, ranks: u32) -> Vec<Family> {
    let table = &store.communicators;
    let mut seen = FxHashSet::default();
    let mut looked = 0;
    let mut found = FxHashMap::<(u32, u32), Vec<(u32, u64)>>::default();
    for comm in 0..table.len() {
        let (first, members) = (table.first_member.get(comm), table.members.get(comm));
        if members < 2 || members >= ranks || !seen.insert((first, members)) {
            continue;
        }
        looked += u64::from(members);
        if looked > MOST_MEMBERS {
            return Vec::new();
        }
        let locations = store.communicator_members.location.iter(first..first + u64::from(members));
        let rank = |location: LocationId| {
            let row = u64::from(location.0);
            (row < store.locations.len()).then(|| store.locations.rank.get(row).0)
        };
        let Some(places) = locations.map(rank).collect::<Option<Vec<u32>>>() else { continue };
        let stride = places[1].wrapping_sub(places[0]);
        let is_even = places.windows(2).all(|pair| pair[1] > pair[0] && pair[1] - pair[0] == stride);
        if is_even && places.iter().all(|rank| *rank < ranks) {
            found.entry((stride, members)).or_default().push((places[0], comm));
        }
    }
    let mut families: Vec<Family> = found
        .into_iter()
        .map(|((stride, length), mut members)| {
            members.sort_unstable();
            members.dedup_by_key(|(first, _)| *first);
            Family { stride, length, members }
        })
        .filter(|family| family.length * family.members.len() as u32 == ranks && family.is_apart())
        .collect();
    families.sort_unstable_by_key(|family| (family.stride, family.length));
    families
}

impl Family {
    /// Whether each communicator begins where a row of the grid does: then no two share a rank.
    fn is_apart(&self) -> bool {
        let is_first = |(first, _): &(u32, u64)| (first / self.stride).is_multiple_of(self.length);
        self.members.iter().all(is_first)
    }

    /// Which of them a rank is in.
    pub(crate) fn of_rank(&self, rank: u32) -> Option<usize> {
        let first = rank - rank / self.stride % self.length * self.stride;
        self.members.binary_search_by_key(&first, |(first, _)| *first).ok()
    }
}

/// The lengths that rows of communicators show; none if they show nothing.
fn lengths(families: &[Family], ranks: u32) -> Option<Vec<u32>> {
    let mut lengths = Vec::new();
    let mut stride = 1;
    if families.is_empty() {
        return None;
    }
    while stride < ranks {
        let here = families.iter().find(|family| family.stride == stride);
        let next = families.iter().find(|family| family.stride > stride && family.stride.is_multiple_of(stride));
        let length = match (here, next) {
            (Some(family), _) => family.length,
            (None, Some(family)) => family.stride / stride,
            (None, None) => ranks / stride,
        };
        // What does not come out is no grid.
        if length < 2 || !ranks.is_multiple_of(stride * length) {
            return None;
        }
        lengths.push(length);
        stride *= length;
    }
    (lengths.len() > 1).then_some(lengths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(stride: u32, length: u32) -> Family {
        Family { stride, length, members: Vec::new() }
    }

    #[test]
    fn axes_follow_from_rows_and_columns() {
        // Rows of 16, columns of 8, slabs of both, on 32 slabs.
        let all = [family(1, 16), family(1, 128), family(16, 8)];
        assert_eq!(lengths(&all, 4_096), Some(vec![16, 8, 32]));
        // Columns alone say how long rows are.
        assert_eq!(lengths(&[family(8, 4)], 32), Some(vec![8, 4]));
        assert_eq!(lengths(&[], 32), None);
        assert_eq!(lengths(&[family(3, 5)], 32), None, "what does not come out is no grid");
    }

    #[test]
    fn ranks_stand_at_their_places() {
        let grid = ProcessGrid { lengths: [16, 8, 4], is_known: true };
        assert_eq!(grid.place(128 + 16 * 3 + 5), [5, 3, 1]);
        assert_eq!(grid.text(), "16 × 8 × 4");
        let columns = Family { stride: 16, length: 8, members: vec![(0, 7), (1, 8), (128, 9)] };
        assert_eq!([1, 17, 113, 130].map(|rank| columns.of_rank(rank)), [Some(1), Some(1), Some(1), None]);
    }
}
