//! The ranks of a scope: those that have events in it.

use heddle_logical::Logical;
use heddle_logical::cluster::Clusters;
use heddle_store::Store;

/// Everyone who takes part, by rank. Elsewhere a rank's place is the one in this list.
pub(super) struct Everyone {
    /// Their ranks, ascending.
    pub(super) ranks: Vec<u32>,
    /// Their rows in logical time.
    pub(super) rows: Vec<u32>,
    /// The leaf of each.
    pub(super) leaves: Vec<u32>,
    /// The place of each row of logical time; none for those that take no part.
    places: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Everyone {
    pub(super) fn of(store: &Store, logical: &Logical, clusters: &Clusters) -> Everyone {
        let mut all: Vec<(u32, u32, u32)> =
            clusters.members().map(|(row, leaf)| (rank_of(store, logical, row), row, leaf)).collect();
        all.sort_unstable();
        let mut places = vec![NOWHERE; logical.rows.len() as usize];
        for (place, (_, row, _)) in (0..).zip(&all) {
            if let Some(at) = places.get_mut(*row as usize) {
                *at = place;
            }
        }
        Everyone {
            ranks: all.iter().map(|(rank, ..)| *rank).collect(),
            rows: all.iter().map(|(_, row, _)| *row).collect(),
            leaves: all.iter().map(|(.., leaf)| *leaf).collect(),
            places,
        }
    }

    /// Ranks from 0 on, each with its row.
    #[cfg(test)]
    pub(super) fn first(count: u32) -> Everyone {
        let ranks: Vec<u32> = (0..count).collect();
        Everyone { rows: ranks.clone(), places: ranks.clone(), leaves: vec![0; count as usize], ranks }
    }

    /// The place of a row.
    pub(super) fn place_of(&self, row: u32) -> Option<u32> {
        self.places.get(row as usize).copied().filter(|place| *place != NOWHERE)
    }
}

/// The rank of a row; the number of its location where it has none.
pub(super) fn rank_of(store: &Store, logical: &Logical, row: u32) -> u32 {
    let location = logical.rows.location.get(u64::from(row));
    let rank = store.locations.rank.get(u64::from(location.0));
    if rank.is_some() { rank.0 } else { location.0 }
}
