//! Tiny cases whose times were worked out by hand, to the nanosecond.
//!
//! The machine is [`plain`]: L = 1000, o = 100, g = 50, G = 1, eager up to 500 bytes. `MPI_Init` takes
//! ceil(log2 ranks) · (L + 2o + 8G) = 1208 for each level, so two ranks begin at 1208.

use super::script::{Script, WORK, WORLD, plain};
use super::stays;
use crate::{Algorithm, Collective, CollectiveKind, Simulation};

fn pair(sender: impl Fn(&mut crate::Ops), receiver: impl Fn(&mut crate::Ops)) -> Simulation {
    let script = Script::new(2, |rank, ops| if rank == 0 { sender(ops) } else { receiver(ops) });
    script.simulate(&plain()).unwrap()
}

#[test]
fn eager() {
    let trace = pair(
        |ops| {
            ops.send(1, 0, 400, WORLD);
            ops.send(1, 0, 400, WORLD);
        },
        |ops| {
            ops.recv(0, 0, 400, WORLD);
            ops.recv(0, 0, 400, WORLD);
        },
    );
    // Each send takes o = 100.
    assert_eq!(stays(&trace, 0, "MPI_Send"), [(1_208, 1_308), (1_308, 1_408)]);
    // The first enters the wire at 1308 and is there at 1308 + 400G + L = 2708; o to take it: 2808.
    // The second is handed over at 1408, but the card is busy until 1308 + 400G = 1708; there at 1708 + 1400 = 3108.
    assert_eq!(stays(&trace, 1, "MPI_Recv"), [(1_208, 2_808), (2_808, 3_208)]);
}

#[test]
fn small_messages_keep_their_gap() {
    let mut machine = plain();
    machine.network.gap_ns = 700;
    let script = Script::new(2, |rank, ops| {
        for _ in 0..2 {
            if rank == 0 { ops.send(1, 0, 10, WORLD) } else { ops.recv(0, 0, 10, WORLD) }
        }
    });
    // The second enters the wire g = 700 after the first: at 2008; there at 2008 + 10 + 1000 = 3018.
    assert_eq!(stays(&script.simulate(&machine).unwrap(), 1, "MPI_Recv"), [(1_208, 2_418), (2_418, 3_118)]);
}

#[test]
fn rendezvous() {
    let trace = pair(|ops| ops.send(1, 0, 600, WORLD), |ops| ops.recv(0, 0, 600, WORLD));
    // The request to send is there at 1208 + o + L = 2308, the receive has long been posted; the answer is back at
    // 3308. The last byte leaves at 3308 + 600G = 3908; o more for the sender: 4008.
    assert_eq!(stays(&trace, 0, "MPI_Send"), [(1_208, 4_008)]);
    // The data is there at 3308 + 600G + L = 4908; o to take it.
    assert_eq!(stays(&trace, 1, "MPI_Recv"), [(1_208, 5_008)]);
}

#[test]
fn late_sender() {
    let trace = pair(
        |ops| {
            ops.compute(WORK, 10_000);
            ops.send(1, 0, 400, WORLD);
        },
        |ops| ops.recv(0, 0, 400, WORLD),
    );
    // Sent at 11208, on the wire at 11308, there at 11308 + 400G + L = 12708.
    assert_eq!(stays(&trace, 0, "MPI_Send"), [(11_208, 11_308)]);
    assert_eq!(stays(&trace, 1, "MPI_Recv"), [(1_208, 12_808)]);
}

#[test]
fn late_receiver() {
    let late = |bytes| {
        pair(
            |ops| ops.send(1, 0, bytes, WORLD),
            |ops| {
                ops.idle(10_000);
                ops.recv(0, 0, bytes, WORLD);
            },
        )
    };
    // Eager: the sender does not care, and the message has been there since 2708.
    let trace = late(400);
    assert_eq!(stays(&trace, 0, "MPI_Send"), [(1_208, 1_308)]);
    assert_eq!(stays(&trace, 1, "MPI_Recv"), [(11_208, 11_308)]);
    // Rendezvous: met at 11208, answer back at 12208; sender through at 12208 + 600G + o, data there at 12208 + 600G + L.
    let trace = late(600);
    assert_eq!(stays(&trace, 0, "MPI_Send"), [(1_208, 12_908)]);
    assert_eq!(stays(&trace, 1, "MPI_Recv"), [(11_208, 13_908)]);
}

#[test]
fn non_blocking() {
    let trace = pair(
        |ops| {
            ops.isend(1, 7, 600, WORLD);
            ops.compute(WORK, 500);
            ops.wait();
        },
        |ops| {
            ops.irecv(0, 7, 600, WORLD);
            ops.waitall();
        },
    );
    // Posted at 1208 + o = 1308; the request to send is there at 2308; answer back at 3308; last byte out at 3908.
    assert_eq!(stays(&trace, 0, "MPI_Isend"), [(1_208, 1_308)]);
    assert_eq!(stays(&trace, 0, "MPI_Wait"), [(1_808, 4_008)]);
    assert_eq!(stays(&trace, 1, "MPI_Irecv"), [(1_208, 1_308)]);
    assert_eq!(stays(&trace, 1, "MPI_Waitall"), [(1_308, 5_008)]);
}

#[test]
fn send_and_receive_in_one_call() {
    let both = |bytes| {
        let script = Script::new(2, move |rank, ops| ops.sendrecv(1 - rank, 1 - rank, 0, bytes, WORLD));
        script.simulate(&plain()).unwrap()
    };
    // Eager: on the wire at 1308, there at 1308 + 400 + 1000 = 2708.
    assert_eq!(stays(&both(400), 0, "MPI_Sendrecv"), [(1_208, 2_808)]);
    // Rendezvous: asked for at 1308, there at 2308, the receive posted at 1208 + 2o; the data leaves at 3308.
    assert_eq!(stays(&both(600), 1, "MPI_Sendrecv"), [(1_208, 5_008)]);

    // Rendezvous with a late rank 1, which comes at 11208 and posts its receive 2o later, at 11408. Rank 0 hears of that at
    // 12408; its data is there at 12408 + 600G + L = 14008. The request of rank 1 is there at 12308, the answer back at 13308:
    // its send is over at 13308 + 600G + o = 14008, its data there at 14908.
    let script = Script::new(2, |rank, ops| {
        ops.idle(if rank == 1 { 10_000 } else { 0 });
        ops.sendrecv(1 - rank, 1 - rank, 0, 600, WORLD);
    });
    let trace = script.simulate(&plain()).unwrap();
    assert_eq!(stays(&trace, 0, "MPI_Sendrecv"), [(1_208, 15_008)]);
    assert_eq!(stays(&trace, 1, "MPI_Sendrecv"), [(11_208, 14_108)]);
}

fn broadcast(late: u32) -> Vec<i64> {
    let op = Collective { kind: CollectiveKind::Bcast, algorithm: Algorithm::Binomial, root: 0, bytes: 200 };
    let script = Script::new(8, |rank, ops| {
        ops.idle(if rank == late { 10_000 } else { 0 });
        ops.collective(op, WORLD);
    });
    let trace = script.simulate(&plain()).unwrap();
    // Three levels of MPI_Init: 3624.
    (0..8).map(|rank| stays(&trace, rank, "MPI_Bcast")[0].1 - 3_624).collect()
}

#[test]
fn a_binomial_broadcast_to_8() {
    // Rank 0 sends to 4, 2 and 1, each o = 100 after the other; the card takes 200 for each:
    //   to 4: on the wire at 100, there at 100 + 200G + L = 1300
    //   to 2: handed over at 200, on the wire at 300, there at 1500
    //   to 1: handed over at 300, on the wire at 500, there at 1700
    // 4 has it at 1400 and sends to 6 (wire 1500, there 2700) and 5 (wire 1700, there 2900), through at 1600.
    // 2 has it at 1600 and sends to 3 (wire 1700, there 2900), through at 1700. 1 has it at 1800.
    // 6 has it at 2800 and sends to 7 (wire 2900, there 4100), through at 2900. 5 and 3 have it at 3000, 7 at 4200.
    assert_eq!(broadcast(8), [300, 1_800, 1_700, 3_000, 1_600, 3_000, 2_900, 4_200]);
}

#[test]
fn a_late_inner_member_delays_its_subtree_only() {
    // 4 comes at 10000 and has it at 10100: 8700 later than else. So have 6 and 7, and 5.
    assert_eq!(broadcast(4), [300, 1_800, 1_700, 3_000, 10_300, 11_700, 11_600, 12_900]);
}

#[test]
fn collectives_of_one_rank_follow_each_other_even_if_they_are_not_waited_for() {
    let op = Collective { kind: CollectiveKind::Barrier, algorithm: Algorithm::Synchronising, root: 0, bytes: 0 };
    let script = Script::new(2, |_, ops| {
        ops.icollective(op, WORLD);
        ops.icollective(op, WORLD);
        ops.wait();
        ops.wait();
    });
    let trace = script.simulate(&plain()).unwrap();
    assert_eq!(stays(&trace, 0, "MPI_Ibarrier"), [(1_208, 1_308), (1_308, 1_408)]);
    // The first begins at 1308 and takes L + 2o = 1200; the second is posted at 1408, but begins then.
    assert_eq!(stays(&trace, 1, "MPI_Wait"), [(1_408, 2_508), (2_508, 3_708)]);
}
