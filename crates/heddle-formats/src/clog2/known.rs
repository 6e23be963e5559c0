//! Ids that mean the same in every log, for files that lack the definitions: those of single processes, and those of
//! runs that died before the library wrote them, which it does last.

use heddle_model::{CollectiveOp, Paradigm, Region, Role};

/// MPI functions by state id; ids that are missing here have no name that we know.
const MPI: [(i32, &str); 7] = [
    (
        0,
        "Allgather Allgatherv Allreduce Alltoall Alltoallv Barrier Bcast Gather Gatherv Op_create Op_free \
         Reduce_scatter Reduce Scan Scatter Scatterv Attr_delete Attr_get Attr_put Comm_compare Comm_create Comm_dup \
         Comm_free Comm_group Comm_rank Comm_remote_group Comm_remote_size Comm_size Comm_split Comm_test_inter",
    ),
    (42, "Intercomm_create Intercomm_merge Keyval_create Keyval_free"),
    (
        57,
        "Address Bsend Bsend_init Buffer_attach Buffer_detach Cancel Request_free Recv_init Send_init Get_elements \
         Get_count Ibsend Iprobe Irecv Irsend Isend Issend Pack Pack_size Probe Recv Rsend Rsend_init Send Sendrecv \
         Sendrecv_replace Ssend Ssend_init Start Startall Test Testall Testany Test_cancelled Testsome",
    ),
    (104, "Unpack Wait Waitall Waitany Waitsome Cart_coords Cart_create Cart_get Cart_map Cart_shift Cartdim_get"),
    (115, "Dims_create"),
    (122, "Topo_test"),
    (124, "Cart_rank Cart_sub"),
];

/// What an event id means where nothing defines it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Guess {
    /// A state of this id and name begins.
    Start(i32, String),
    /// It ends.
    End(i32, String),
    /// A solo event.
    Solo(String),
}

/// First id of the program's own states; each has two.
const FIRST_USER: i32 = 600;
/// First id of the program's own solo events.
const FIRST_USER_SOLO: i32 = 5000;

/// What an id means by its number alone.
pub(crate) fn guess(event: i32) -> Guess {
    match event {
        -1001 | -1002 => {
            let name = "CLOG_Buffer_write2disk".to_owned();
            if event == -1001 { Guess::Start(-1, name) } else { Guess::End(-1, name) }
        }
        -10 => Guess::Solo("MPE_Comm_init".to_owned()),
        -9 => Guess::Solo("MPE_Comm_finalize".to_owned()),
        0..FIRST_USER_SOLO => {
            let state = event / 2;
            let name = if event < FIRST_USER { built_in(state) } else { format!("state {state}") };
            if event % 2 == 0 { Guess::Start(state, name) } else { Guess::End(state, name) }
        }
        _ => Guess::Solo(format!("event {event}")),
    }
}

fn built_in(state: i32) -> String {
    let internal = match state {
        250 => Some("MPE_Isend_waited"),
        251 => Some("MPE_Irecv_waited"),
        280 => Some("CLOG_Buffer_write2disk"),
        _ => None,
    };
    let of_mpi = || {
        let (first, names) = MPI.iter().rfind(|(first, _)| *first <= state)?;
        names.split_whitespace().nth(usize::try_from(state - first).ok()?).map(|name| format!("MPI_{name}"))
    };
    internal.map(str::to_owned).or_else(of_mpi).unwrap_or_else(|| format!("MPI state {state}"))
}

/// The region of a state, told from its name, with the colour it was given.
pub(crate) fn region(name: &str, colour: Option<u32>) -> Region {
    let region = if name.starts_with("MPE_") || name.starts_with("CLOG_") {
        Region::named(name, Paradigm::Measurement, Role::Artificial)
    } else if name.starts_with("MPI ") {
        Region::named(name, Paradigm::Mpi, Role::Function)
    } else {
        Region::named(name, Paradigm::User, Role::Function)
    };
    Region { colour, ..region }
}

/// Which collective a state is, told from its name. Calls that make communicators move no data and are none.
pub(crate) fn collective(name: &str) -> Option<CollectiveOp> {
    let word = name.strip_prefix("MPI_")?.to_ascii_lowercase();
    (0..=16).map(CollectiveOp).find(|op| op.name() == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_tell_names() {
        for (event, name) in [
            (10, "MPI_Barrier"),
            (58, "MPI_Comm_test_inter"),
            (66, "MPI state 33"),
            (84, "MPI_Intercomm_create"),
            (154, "MPI_Recv"),
            (160, "MPI_Send"),
            (182, "MPI_Testsome"),
            (212, "MPI_Waitall"),
            (228, "MPI_Cartdim_get"),
            (230, "MPI_Dims_create"),
            (250, "MPI_Cart_sub"),
            (560, "CLOG_Buffer_write2disk"),
            (598, "MPI state 299"),
            (600, "state 300"),
        ] {
            assert_eq!(guess(event), Guess::Start(event / 2, name.to_owned()));
            assert_eq!(guess(event + 1), Guess::End(event / 2, name.to_owned()));
        }
        assert_eq!(guess(-9), Guess::Solo("MPE_Comm_finalize".to_owned()));
        assert_eq!(guess(5003), Guess::Solo("event 5003".to_owned()));
        assert_eq!(guess(i32::MIN), Guess::Solo(format!("event {}", i32::MIN)));
    }

    #[test]
    fn collectives_are_known_by_name() {
        assert_eq!(collective("MPI_Barrier"), Some(CollectiveOp::BARRIER));
        assert_eq!(collective("MPI_Reduce_scatter").map(CollectiveOp::name), Some("reduce_scatter"));
        assert_eq!(collective("MPI_Comm_split"), None);
        assert_eq!(collective("barrier"), None);
    }
}
