//! Phases that a function begins.

use heddle_store::{Progress, StoreError};
use rayon::prelude::*;

use super::cycles::merge_cycles;
use super::partitions::Partitions;

/// From parts that messages and collectives make to phases by number: of all numberings in which no event is below its own
/// count nor below what precedes it, and a part has one number, the smallest.
pub(super) fn given_phases<'a>(
    parts: Partitions<'a>,
    counts: &[u32],
    progress: &dyn Progress,
) -> Result<Partitions<'a>, StoreError> {
    let (parts, order) = merge_cycles(parts, progress)?;
    let mut number = vec![0; parts.len() as usize];
    for (&part, &count) in parts.of.iter().zip(counts) {
        let number = &mut number[part as usize];
        *number = count.max(*number);
    }
    for &part in &order {
        let own = number[part as usize];
        parts.for_successors(part, |next| number[next as usize] = own.max(number[next as usize]));
    }
    // Some counts may be nobody's in the end.
    let mut used = number.clone();
    used.par_sort_unstable();
    used.dedup();
    let place = |number: &u32| used.binary_search(number).map_or(0, |place| place as u32);
    let dense: Vec<u32> = number.par_iter().map(place).collect();
    Ok(parts.relabelled(&dense))
}
