//! The colours themselves, and which name gets which.
//!
//! Well-known functions have fixed colours, far apart where they are found together. Every other name prefers some of its
//! family's colours to others, in an order that only the name decides. Among the names that take most time no two get the
//! same; who gives way is again decided by the names alone, never by how much time they took. So two traces of one program
//! agree even if nobody compares them; traces that are opened together agree on every name, by a `ColourBook`.
//!
//! The numbers were found by search: the least distance in `OKLab` between any two, for usual eyes and for those without
//! red, green or blue cones. The tests hold them to it.

use rustc_hash::{FxHashMap, FxHashSet};

/// Functions that everybody knows by colour, and those that do the same thing; in the light theme and in the dark one, where
/// dark colours would sink into the panel.
pub(super) const KNOWN: [(&[&str], [u32; 2]); 19] = [
    (&["MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Rsend"], [0xe1_9900, 0xe1_9900]),
    (&["MPI_Isend", "MPI_Issend", "MPI_Ibsend", "MPI_Irsend"], [0xe6_e293, 0xe6_e293]),
    (&["MPI_Recv", "MPI_Mrecv"], [0x0e_53a2, 0x58_73f8]),
    (&["MPI_Irecv", "MPI_Imrecv"], [0x99_e2ff, 0x99_e2ff]),
    (&["MPI_Waitall"], [0x4c_c4fe, 0x4c_c4fe]),
    (&["MPI_Wait"], [0x0f_b3bd, 0x0f_b3bd]),
    (&["MPI_Sendrecv", "MPI_Sendrecv_replace"], [0x9f_bd76, 0x9f_bd76]),
    (&["MPI_Allreduce"], [0xc7_4c9a, 0xc7_4c9a]),
    (&["MPI_Iallreduce"], [0x88_2576, 0xd9_a2e2]),
    (&["MPI_Reduce"], [0xe0_6611, 0xe0_6611]),
    (&["MPI_Bcast"], [0x21_935f, 0x21_935f]),
    (&["MPI_Barrier"], [0x84_7be2, 0x84_7be2]),
    (&["MPI_Allgather", "MPI_Allgatherv"], [0x7e_0206, 0xaf_3f0b]),
    (&["MPI_Gather", "MPI_Gatherv"], [0x82_5a1c, 0x7b_6747]),
    (&["MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw"], [0x47_1954, 0x92_419f]),
    (&["MPI_Scatter", "MPI_Scatterv"], [0x9d_de47, 0x9d_de47]),
    (&["MPI_Init", "MPI_Init_thread"], [0x65_6b70, 0x65_6b70]),
    (&["MPI_Finalize"], [0xa1_9c88, 0xa1_9c88]),
    (&["MPI_Scan", "MPI_Exscan"], [0x07_4b3f, 0xb9_e3d1]),
];

/// Names of one kind, which share a set of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Family {
    /// What communicates and is not known.
    Talk,
    /// Kernels and tasks; in a trace without communication, everything.
    Work,
    /// The program's own functions beside communication: they recede.
    Own,
}

const TALK: [[u32; 6]; 2] = [
    [0x96_0041, 0x47_5ce0, 0x7b_912f, 0xa8_66bd, 0xff_76a6, 0x8d_9aee],
    [0xc4_6e8e, 0x47_5ce0, 0x7b_912f, 0xa8_66bd, 0xff_76a6, 0x8d_9aee],
];
const WORK: [[u32; 12]; 2] = [
    [
        0xe5_a59e, 0x9b_5a46, 0xc6_bb53, 0x46_5600, 0x54_a761, 0x56_8179, 0x1c_517b, 0x5a_5cb0, 0x5b_435d, 0xcd_92c2,
        0x8a_c0dd, 0x2c_86c8,
    ],
    [
        0xe6_a5a4, 0xaf_5c10, 0xf1_c978, 0xc0_d8b4, 0x6e_bc48, 0xcc_eee1, 0x5b_7ca6, 0x6a_5bc5, 0xcc_b8d1, 0xc7_96cc,
        0x91_d4f7, 0x10_95fd,
    ],
];
const OWN: [[u32; 8]; 2] = [
    [0xf2_efd7, 0xda_d2bb, 0xd5_bdb1, 0xd7_edfe, 0xda_e0d9, 0xbb_c2d8, 0xc0_d6e6, 0xc1_b2bc],
    [0x26_2435, 0x3f_3c29, 0x3c_2f29, 0x3e_4457, 0x34_211a, 0x55_5a55, 0x50_4d53, 0x2f_2d3f],
];

/// Colours of callers: the program's own functions, which recede elsewhere, where calls have the colour of what called them.
pub(super) const CALLERS: [u32; 10] =
    [0x00_72b2, 0xd5_5e00, 0x00_9e73, 0xcc_5f8f, 0xe6_9f00, 0x56_b4e9, 0x80_69c6, 0x94_7b2d, 0xb8_4a4a, 0x2f_8f8b];

impl Family {
    pub(super) const ALL: [Family; 3] = [Family::Talk, Family::Work, Family::Own];

    /// Its colours, in the light theme (0) or the dark one (1).
    pub(super) fn colours(self, theme: usize) -> &'static [u32] {
        match self {
            Family::Talk => &TALK[theme],
            Family::Work => &WORK[theme],
            Family::Own => &OWN[theme],
        }
    }
}

/// The place of a name among well-known ones. `PMPI_Send` is `MPI_Send`.
pub(super) fn known(name: &str) -> Option<usize> {
    let plain = name.strip_prefix('P').filter(|rest| rest.starts_with("MPI_")).unwrap_or(name);
    KNOWN.iter().position(|(names, _)| names.contains(&plain))
}

/// Which of `colours` colours each name gets; `names` begins with those that matter most. Some have theirs already and keep
/// it. Of the first so many names the others get what these leave, each a different one; those behind have the colour that
/// they like best. A name counts where it stands first.
pub(super) fn assigned<'a>(names: &[(&'a str, Option<usize>)], colours: usize) -> Vec<(&'a str, usize)> {
    let mut seen = FxHashSet::default();
    let names: Vec<(&str, Option<usize>)> = names.iter().copied().filter(|(name, _)| seen.insert(*name)).collect();
    let (first, _) = names.split_at(names.len().min(colours));
    let free: Vec<usize> =
        (0..colours).filter(|colour| first.iter().all(|(_, known)| *known != Some(*colour))).collect();
    let liked = |name: &str, place: usize, of: &[usize]| {
        let (hash, mut order) = (hash(name), of.to_vec());
        order.sort_unstable_by_key(|colour| (mixed(hash ^ (*colour as u64 + 1)), *colour));
        order[place]
    };
    // Everybody asks for the best that did not refuse them yet, and a colour keeps whom it prefers. What comes of that does
    // not depend on the order in which they ask (Gale and Shapley). There are as many free colours as may ask, or more.
    let mut keeps: Vec<Option<&str>> = vec![None; colours];
    let mut asking: Vec<(&str, usize)> =
        first.iter().filter(|(_, known)| known.is_none()).map(|(name, _)| (*name, 0)).collect();
    let mut refused = FxHashMap::<&str, usize>::default();
    while let Some((name, place)) = asking.pop() {
        refused.insert(name, place);
        let colour = liked(name, place, &free);
        let rank = |name: &str| (hash(name), name.to_owned());
        let refuses = match keeps[colour] {
            Some(kept) if rank(kept) <= rank(name) => Some(name),
            kept => {
                keeps[colour] = Some(name);
                kept
            }
        };
        asking.extend(refuses.map(|name| (name, refused[name] + 1)));
    }
    let all: Vec<usize> = (0..colours).collect();
    let colour = |(name, known): (&'a str, Option<usize>)| {
        let found = || keeps.iter().position(|kept| *kept == Some(name)).unwrap_or_else(|| liked(name, 0, &all));
        (name, known.unwrap_or_else(found))
    };
    names.into_iter().map(colour).collect()
}

/// A number from a name, the same in every version of this program (FNV-1a).
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Another number from a number: neighbours become strangers (`SplitMix64`).
fn mixed(number: u64) -> u64 {
    let sum = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let sum = (sum ^ (sum >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let sum = (sum ^ (sum >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    sum ^ (sum >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What names get that have no colour yet.
    fn new(names: &[&str], colours: usize) -> Vec<usize> {
        let names: Vec<(&str, Option<usize>)> = names.iter().map(|name| (*name, None)).collect();
        assigned(&names, colours).into_iter().map(|(_, colour)| colour).collect()
    }

    #[test]
    fn the_first_names_differ_and_order_does_not_matter() {
        let names: Vec<String> = (0..40).map(|at| format!("kernel_{at}")).collect();
        let mut first: Vec<&str> = names[..12].iter().map(String::as_str).collect();
        let colours = new(&first, 12);
        let distinct: std::collections::BTreeSet<&usize> = colours.iter().collect();
        assert_eq!(distinct.len(), 12);
        first.reverse();
        let mut again = new(&first, 12);
        again.reverse();
        assert_eq!(again, colours, "how much time they take does not change colours");
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let all = new(&all, 12);
        assert_eq!(all[..12], colours, "what takes less time changes nothing");
        assert!(all[12..].iter().any(|colour| *colour != all[12]), "the rest is not all one colour");
    }

    #[test]
    fn a_name_keeps_its_colour_where_nobody_competes_for_it() {
        let alone = new(&["smooth"], 8)[0];
        let few = ["forward", "backward", "smooth"];
        let together = new(&few, 8);
        assert!(together[2] == alone || together[..2].contains(&alone));
    }

    #[test]
    fn what_was_decided_stays_and_the_others_take_what_is_left() {
        let names: Vec<String> = (0..12).map(|at| format!("kernel_{at}")).collect();
        for known in 0..12 {
            let given: Vec<(&str, Option<usize>)> =
                names.iter().enumerate().map(|(at, name)| (name.as_str(), (at == 7).then_some(known))).collect();
            let colours = assigned(&given, 12);
            assert_eq!(colours[7], ("kernel_7", known));
            let distinct: std::collections::BTreeSet<usize> = colours.iter().map(|(_, colour)| *colour).collect();
            assert_eq!(distinct.len(), 12, "{colours:?}");
        }
        assert_eq!(assigned(&[("a", Some(3)), ("b", Some(3)), ("a", None)], 4), [("a", 3), ("b", 3)]);
    }

    #[test]
    fn an_alias_and_the_profiling_interface_are_the_same_function() {
        assert_eq!(known("PMPI_Ssend"), known("MPI_Send"));
        assert!(known("MPI_Send").is_some() && known("Psend").is_none() && known("smooth").is_none());
    }
}
