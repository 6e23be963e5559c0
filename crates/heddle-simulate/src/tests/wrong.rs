//! Programs that cannot run to their end are told why: who waits for whom, and what is left over.

use super::script::{Script, WORK, WORLD, plain};
use crate::{Algorithm, Collective, CollectiveKind, Comm, Ops, Own};

const BARRIER: Collective =
    Collective { kind: CollectiveKind::Barrier, algorithm: Algorithm::Synchronising, root: 0, bytes: 0 };

fn fails(ranks: u32, write: impl Fn(u32, &mut Ops)) -> String {
    Script::new(ranks, write).simulate(&plain()).unwrap_err().to_string()
}

#[test]
fn two_that_wait_for_each_other() {
    assert_eq!(
        fails(2, |rank, ops| ops.send(1 - rank, 3 + rank, 600, WORLD)),
        "the program cannot go on: rank 0 waits in MPI_Send until rank 1 posts a receive (tag 3); \
         rank 1 waits in MPI_Send until rank 0 posts a receive (tag 4)"
    );
    // The same with messages that nobody has to wait for goes on, but nobody receives them.
    assert_eq!(
        fails(2, |rank, ops| ops.send(1 - rank, 3, 500, WORLD)),
        "rank 1 sends a message to rank 0 (tag 3) that is never received"
    );
    assert_eq!(
        fails(2, |rank, ops| {
            if rank == 0 {
                ops.recv(1, 3, 1, WORLD);
            } else {
                ops.irecv(0, 9, 1, WORLD);
                ops.isend(0, 4, 600, WORLD);
                ops.waitall();
            }
        }),
        "the program cannot go on: rank 0 waits in MPI_Recv for a message from rank 1 (tag 3); \
         rank 1 waits in MPI_Waitall for a message from rank 0 (tag 9)"
    );
}

#[test]
fn one_that_waits_for_one_that_has_ended() {
    assert_eq!(
        fails(3, |rank, ops| match rank {
            0 => ops.recv(1, 5, 1, WORLD),
            1 => ops.recv(2, 6, 1, WORLD),
            _ => ops.idle(1),
        }),
        "the program cannot go on: rank 1 waits in MPI_Recv for a message from rank 2 (tag 6); rank 2 has ended"
    );
}

#[test]
fn a_collective_that_somebody_does_not_come_to() {
    assert_eq!(
        fails(3, |rank, ops| {
            if rank == 2 {
                ops.recv(0, 1, 8, WORLD);
            }
            ops.collective(BARRIER, WORLD);
            if rank == 0 {
                ops.send(2, 1, 8, WORLD);
            }
        }),
        "the program cannot go on: rank 0 waits in MPI_Barrier until rank 2 comes to the MPI_Barrier on MPI_COMM_WORLD; \
         rank 2 waits in MPI_Recv for a message from rank 0 (tag 1)"
    );
}

#[test]
fn the_shortest_circle_is_told() {
    // Everybody waits for the next, in a circle of 100; 40 and 41 also for each other.
    let told = fails(100, |rank, ops| {
        ops.irecv((rank + 1) % 100, 0, 1, WORLD);
        if rank == 41 {
            ops.irecv(40, 0, 1, WORLD);
        }
        ops.waitall();
    });
    assert_eq!(
        told,
        "the program cannot go on: rank 40 waits in MPI_Waitall for a message from rank 41 (tag 0); \
         rank 41 waits in MPI_Waitall for a message from rank 40 (tag 0)"
    );
    let told = fails(100, |rank, ops| ops.recv((rank + 1) % 100, 0, 1, WORLD));
    assert!(
        told.starts_with(
            "the program cannot go on: rank 0 waits in MPI_Recv for a message from rank 1 (tag 0); rank 1"
        )
    );
    assert!(told.ends_with("and so on, 100 ranks in all"), "{told}");
}

#[test]
fn what_makes_no_sense_is_told_with_its_place() {
    type Case = (fn(u32, &mut Ops), &'static str);
    let cases: [Case; 12] = [
        (|_, ops| ops.wait(), "rank 0, stage 0: a wait without an open request"),
        (|_, ops| ops.leave(WORK), "rank 0, stage 0: function 0 is left, but it is not the innermost one"),
        (|_, ops| ops.enter(WORK), "rank 0, stage 1: function 0 is not left before the end"),
        (|_, ops| ops.compute(Own(3), 1), "rank 0, stage 0: there is no function 3: the program has 3"),
        (|_, ops| ops.send(2, 0, 1, WORLD), "rank 0, stage 0: rank 2 is not in MPI_COMM_WORLD"),
        (|_, ops| ops.recv(1, 0, 1, Comm(1)), "rank 0, stage 0: there is no communicator 1"),
        (
            |_, ops| ops.collective(Collective { algorithm: Algorithm::Ring, ..BARRIER }, WORLD),
            "rank 0, stage 0: MPI_Barrier cannot be done by a ring",
        ),
        (
            |_, ops| ops.collective(Collective { kind: CollectiveKind::Bcast, root: 9, ..BARRIER }, WORLD),
            "rank 0, stage 0: root 9 is not in MPI_COMM_WORLD",
        ),
        (
            |rank, ops| ops.collective(Collective { bytes: u64::from(rank), ..BARRIER }, WORLD),
            "on MPI_COMM_WORLD, rank 0 calls MPI_Barrier of 0 bytes by one synchronising event, where rank 1 calls \
             MPI_Barrier of 1 bytes by one synchronising event",
        ),
        (
            |rank, ops| if rank == 0 { ops.send(1, 4, 5, WORLD) } else { ops.recv(0, 4, 6, WORLD) },
            "rank 1, stage 0: it expects 6 bytes from rank 0 (tag 4), which sends 5",
        ),
        (|_, ops| ops.isend(0, 0, 1, WORLD), "rank 0 ends without waiting for its MPI_Isend"),
        (
            |_, ops| (0..9).for_each(|_| ops.compute(WORK, u64::MAX)),
            "the simulated run would take more than nine years; times end there",
        ),
    ];
    for (write, words) in cases {
        assert_eq!(fails(2, write), words);
    }
    let mut script = Script::new(2, |_, _| {});
    for (members, words) in
        [(vec![], "no members"), (vec![0, 2], "rank 2, but there are only 2"), (vec![1, 1], "rank 1 twice")]
    {
        script.comms = vec![("rows".to_owned(), members)];
        let told = script.clone().simulate(&plain()).unwrap_err().to_string();
        assert!(told.starts_with("communicator rows has ") && told.contains(words), "{told}");
    }
}

#[test]
fn lengths_that_no_time_can_hold_are_refused() {
    for (bytes, count) in [(u64::MAX, 40), (u64::MAX / 64, 3_000)] {
        for eager in [0, u64::MAX] {
            let mut machine = plain();
            machine.network.eager_bytes = eager;
            let script = Script::new(2, |rank, ops| {
                for _ in 0..count {
                    if rank == 0 { ops.isend(1, 0, bytes, WORLD) } else { ops.irecv(0, 0, bytes, WORLD) }
                }
                ops.waitall();
            });
            assert!(script.simulate(&machine).unwrap_err().to_string().contains("nine years"), "{bytes} {eager}");
        }
        let op = Collective { kind: CollectiveKind::Alltoall, algorithm: Algorithm::Pairwise, root: 0, bytes };
        assert!(fails(9, |_, ops| ops.collective(op, WORLD)).contains("nine years"), "{bytes}");
    }
}
