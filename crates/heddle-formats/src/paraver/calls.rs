//! Which types of events mean what, and the customary numbers of MPI calls.
//!
//! The `.pcf` of a trace is trusted first; these numbers are for traces without one, and for writing.

use std::ops::RangeInclusive;

use rustc_hash::FxHashSet;

use heddle_model::CollectiveOp;

use super::labels::Labels;

pub(super) const POINT_TO_POINT: u32 = 50_000_001;
pub(super) const COLLECTIVE: u32 = 50_000_002;
pub(super) const OTHER: u32 = 50_000_003;
pub(super) const ONE_SIDED: u32 = 50_000_004;
pub(super) const FILES: u32 = 50_000_005;
pub(super) const SENT: u32 = 50_100_001;
pub(super) const RECEIVED: u32 = 50_100_002;
/// 1 on the root itself; the other members do not say who it is.
pub(super) const ROOT: u32 = 50_100_003;
pub(super) const COMMUNICATOR: u32 = 50_100_004;
/// Functions around a call, the innermost first, and the lines in them that lead to it.
pub(super) const CALLERS: RangeInclusive<u32> = 70_000_001..=70_000_099;
pub(super) const CALLER_LINES: RangeInclusive<u32> = 80_000_001..=80_000_099;
pub(super) const USER_FUNCTION: u32 = 60_000_019;
/// Counters that were not in the source of a trace; ours when writing.
pub(super) const NATIVE_COUNTER: u32 = 42_001_000;
/// Not a type of the format: under it states are kept beside the calls.
pub(super) const STATE: u32 = u32::MAX;

/// What becomes of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Entry and exit of an MPI call: calls of one type do not nest.
    Call,
    /// Entry and exit of a function of the program or a runtime: they nest.
    Function,
    /// The growth of a counter.
    Counter,
    /// Belongs to the collective on the same line.
    Attribute,
    /// Who made the call on the same line, or where that stands in the source.
    Caller,
    /// Samples, and what else nobody shows.
    Unused,
    /// An instant.
    Mark,
}

/// Tells types apart.
#[derive(Debug, Default)]
pub(super) struct Types {
    /// Types beyond the customary ones whose values have an end.
    functions: FxHashSet<u32>,
}

impl Types {
    pub(super) fn of(labels: &Labels) -> Types {
        let ends =
            |number: u32| labels.value(number, 0).is_some_and(|zero| zero == "End" || zero.starts_with("Outside"));
        let is_function = |(number, name): &(u32, &str)| {
            (60_000_100..70_000_000).contains(number) && ends(*number) && !name.to_ascii_lowercase().contains("line")
        };
        Types { functions: labels.types().filter(is_function).map(|(number, _)| number).collect() }
    }

    #[inline]
    pub(super) fn class(&self, number: u32) -> Class {
        match number {
            POINT_TO_POINT..=FILES => Class::Call,
            SENT..=COMMUNICATOR => Class::Attribute,
            42_000_000..=49_999_999 => Class::Counter,
            60_000_000..=60_000_099 => Class::Function,
            60_000_100..=69_999_999 if self.functions.contains(&number) => Class::Function,
            number if CALLERS.contains(&number) || CALLER_LINES.contains(&number) => Class::Caller,
            30_000_000..=39_999_999 | 41_999_999 | 60_000_100..=60_000_199 | 70_000_000..=89_999_999 => Class::Unused,
            _ => Class::Mark,
        }
    }
}

/// MPI calls by number, without `MPI_`. Gaps are numbers that differ between tracers.
const CALLS: [(i64, &str); 146] = [
    (1, "Send"),
    (2, "Recv"),
    (3, "Isend"),
    (4, "Irecv"),
    (5, "Wait"),
    (6, "Waitall"),
    (7, "Bcast"),
    (8, "Barrier"),
    (9, "Reduce"),
    (10, "Allreduce"),
    (11, "Alltoall"),
    (12, "Alltoallv"),
    (13, "Gather"),
    (14, "Gatherv"),
    (15, "Scatter"),
    (16, "Scatterv"),
    (17, "Allgather"),
    (18, "Allgatherv"),
    (19, "Comm_rank"),
    (20, "Comm_size"),
    (21, "Comm_create"),
    (22, "Comm_dup"),
    (23, "Comm_split"),
    (24, "Comm_group"),
    (25, "Comm_free"),
    (26, "Comm_remote_group"),
    (27, "Comm_remote_size"),
    (28, "Comm_test_inter"),
    (29, "Comm_compare"),
    (30, "Scan"),
    (31, "Init"),
    (32, "Finalize"),
    (33, "Bsend"),
    (34, "Ssend"),
    (35, "Rsend"),
    (36, "Ibsend"),
    (37, "Issend"),
    (38, "Irsend"),
    (39, "Test"),
    (40, "Cancel"),
    (41, "Sendrecv"),
    (42, "Sendrecv_replace"),
    (43, "Cart_create"),
    (44, "Cart_shift"),
    (45, "Cart_coords"),
    (46, "Cart_get"),
    (47, "Cart_map"),
    (48, "Cart_rank"),
    (49, "Cart_sub"),
    (50, "Cartdim_get"),
    (51, "Dims_create"),
    (59, "Waitany"),
    (60, "Waitsome"),
    (61, "Probe"),
    (62, "Iprobe"),
    (63, "Win_create"),
    (64, "Win_free"),
    (65, "Put"),
    (66, "Get"),
    (67, "Accumulate"),
    (68, "Win_fence"),
    (69, "Win_start"),
    (70, "Win_complete"),
    (71, "Win_post"),
    (72, "Win_wait"),
    (73, "Win_test"),
    (74, "Win_lock"),
    (75, "Win_unlock"),
    (76, "Pack"),
    (77, "Unpack"),
    (78, "Op_create"),
    (79, "Op_free"),
    (80, "Reduce_scatter"),
    (100, "Abort"),
    (109, "Wtick"),
    (110, "Wtime"),
    (112, "Bsend_init"),
    (115, "Request_free"),
    (116, "Recv_init"),
    (117, "Send_init"),
    (121, "Rsend_init"),
    (122, "Ssend_init"),
    (123, "Start"),
    (124, "Startall"),
    (125, "Testall"),
    (126, "Testany"),
    (128, "Testsome"),
    (141, "File_open"),
    (142, "File_close"),
    (143, "File_read"),
    (144, "File_read_all"),
    (145, "File_write"),
    (146, "File_write_all"),
    (147, "File_read_at"),
    (148, "File_read_at_all"),
    (149, "File_write_at"),
    (150, "File_write_at_all"),
    (151, "Comm_spawn"),
    (152, "Comm_spawn_multiple"),
    (153, "Request_get_status"),
    (154, "Ireduce"),
    (155, "Iallreduce"),
    (156, "Ibarrier"),
    (157, "Ibcast"),
    (158, "Ialltoall"),
    (159, "Ialltoallv"),
    (160, "Iallgather"),
    (161, "Iallgatherv"),
    (162, "Igather"),
    (163, "Igatherv"),
    (164, "Iscatter"),
    (165, "Iscatterv"),
    (166, "Ireduce_scatter"),
    (167, "Iscan"),
    (168, "Reduce_scatter_block"),
    (169, "Ireduce_scatter_block"),
    (170, "Alltoallw"),
    (171, "Ialltoallw"),
    (172, "Get_accumulate"),
    (173, "Dist_graph_create"),
    (174, "Neighbor_allgather"),
    (175, "Ineighbor_allgather"),
    (176, "Neighbor_allgatherv"),
    (177, "Ineighbor_allgatherv"),
    (178, "Neighbor_alltoall"),
    (179, "Ineighbor_alltoall"),
    (180, "Neighbor_alltoallv"),
    (181, "Ineighbor_alltoallv"),
    (182, "Neighbor_alltoallw"),
    (183, "Ineighbor_alltoallw"),
    (184, "Fetch_and_op"),
    (185, "Compare_and_swap"),
    (186, "Win_flush"),
    (187, "Win_flush_all"),
    (188, "Win_flush_local"),
    (189, "Win_flush_local_all"),
    (190, "Mprobe"),
    (191, "Improbe"),
    (192, "Mrecv"),
    (193, "Imrecv"),
    (194, "Comm_split_type"),
    (211, "Comm_dup_with_info"),
    (212, "Dist_graph_create_adjacent"),
    (213, "Comm_create_group"),
    (214, "Exscan"),
    (215, "Iexscan"),
];

/// The name of an MPI call by its customary number.
pub(super) fn call_name(number: i64) -> Option<String> {
    CALLS.iter().find(|(at, _)| *at == number).map(|(_, name)| format!("MPI_{name}"))
}

/// The customary number of an MPI call.
pub(super) fn call_number(name: &str) -> Option<i64> {
    let name = name.strip_prefix("MPI_")?;
    CALLS.iter().find(|(_, at)| *at == name).map(|(number, _)| *number)
}

/// What a collective does, by the name of its call.
pub(super) fn collective_op(name: &str) -> CollectiveOp {
    let word = name.strip_prefix("MPI_").unwrap_or(name).to_ascii_lowercase();
    let known = |word: &str| (0..=16).map(CollectiveOp).find(|op| op.name() == word);
    known(&word).or_else(|| known(word.strip_prefix('i')?)).unwrap_or(CollectiveOp::UNKNOWN)
}

/// The usual names of states.
pub(super) const STATES: [&str; 32] = [
    "Idle",
    "Running",
    "Not created",
    "Waiting a message",
    "Blocking Send",
    "Synchronization",
    "Test/Probe",
    "Scheduling and Fork/Join",
    "Wait/WaitAll",
    "Blocked",
    "Immediate Send",
    "Immediate Receive",
    "I/O",
    "Group Communication",
    "Tracing Disabled",
    "Others",
    "Send Receive",
    "Memory transfer",
    "Profiling",
    "On-line analysis",
    "Remote memory access",
    "Atomic memory operation",
    "Memory ordering operation",
    "Distributed locking",
    "Overhead",
    "One-sided op",
    "Startup latency",
    "Waiting links",
    "Data copy",
    "RTT",
    "Allocating memory",
    "Freeing memory",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_each_other() {
        for (number, name) in CALLS {
            assert_eq!(call_number(&format!("MPI_{name}")), Some(number), "{name} stands once");
            assert_eq!(call_name(number), Some(format!("MPI_{name}")));
        }
        assert_eq!(collective_op("MPI_Iallreduce"), CollectiveOp::ALLREDUCE);
        assert_eq!(collective_op("MPI_Init"), CollectiveOp::UNKNOWN);
    }
}
