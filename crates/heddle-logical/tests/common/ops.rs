//! Traces written as what ranks do one after the other, without times.

use heddle_logical::cluster::Scope;
use heddle_logical::pattern::{Pattern, detect};
use heddle_logical::{Kind, Logical, LogicalOptions};
use heddle_store::{NoProgress, Store};
use tempfile::TempDir;

use super::Program;
use heddle_testkit::{Act, Call, Hand};

use super::stored::stored;

/// What a rank does. Every call takes the next ten units of the rank's time.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Sends to a rank.
    S(u32),
    /// Sends to several in a run of non-blocking sends, which is one event.
    Run(Vec<u32>),
    /// Receives from a rank.
    R(u32),
    /// Waits for what several ranks sent.
    W(Vec<u32>),
    /// A collective of all.
    All,
}

/// The calls of a rank.
fn calls(ops: &[Op]) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let mut request = 0;
    let mut call = |name: &'static str, acts: Vec<Act>| {
        let enter = 10 * calls.len() as i64;
        calls.push(Call(name, enter, enter + 9, acts));
    };
    for op in ops {
        match op {
            Op::S(to) => call("MPI_Send", vec![Act::Send(*to, 0)]),
            Op::R(from) => call("MPI_Recv", vec![Act::Recv(*from, 0)]),
            Op::Run(all) => {
                for to in all {
                    request += 1;
                    call("MPI_Isend", vec![Act::Isend(*to, 0, request)]);
                }
            }
            Op::W(all) => {
                let mut acts = Vec::new();
                for from in all {
                    request += 1;
                    call("MPI_Irecv", vec![Act::Post(request)]);
                    acts.push(Act::Complete(*from, 0, request));
                }
                call("MPI_Waitall", acts);
            }
            Op::All => call("MPI_Allreduce", vec![Act::Collective]),
        }
    }
    calls
}

/// A trace of what ranks do.
pub(crate) fn store_of(ranks: &[Vec<Op>]) -> (TempDir, Store) {
    stored(&Hand::new(ranks.iter().map(|ops| calls(ops)).collect()).source())
}

/// The pattern of everything that ranks do.
pub(crate) fn pattern_of(ranks: &[Vec<Op>]) -> Option<Pattern> {
    let (_directory, store) = store_of(ranks);
    let logical = Logical::open(&store, &LogicalOptions::default(), &NoProgress).expect("nobody cancels");
    detect(&store, &logical, &Scope::run(&logical), &NoProgress).expect("nobody cancels")
}

/// The same with ranks renamed: rank `r` becomes `place[r]`.
pub(crate) fn renamed(ranks: &[Vec<Op>], place: &[usize]) -> Vec<Vec<Op>> {
    let to = |rank: &u32| place[*rank as usize] as u32;
    let all = |ranks: &[u32]| ranks.iter().map(to).collect();
    let mut renamed = vec![Vec::new(); ranks.len()];
    for (rank, ops) in ranks.iter().enumerate() {
        renamed[place[rank]] = ops
            .iter()
            .map(|op| match op {
                Op::S(peer) => Op::S(to(peer)),
                Op::R(peer) => Op::R(to(peer)),
                Op::Run(peers) => Op::Run(all(peers)),
                Op::W(peers) => Op::W(all(peers)),
                Op::All => Op::All,
            })
            .collect();
    }
    renamed
}

/// A program of events as a trace. Collectives are all of the world, so those of some ranks become what they may.
pub(crate) fn store_of_program(program: &Program) -> (TempDir, Store) {
    let mut acts: Vec<Vec<Vec<Act>>> = program.rows.iter().map(|row| vec![Vec::new(); row.len()]).collect();
    for (tag, (send, receive)) in program.messages.iter().enumerate() {
        acts[send.0][send.1].push(Act::Send(receive.0 as u32, tag as u32));
        acts[receive.0][receive.1].push(Act::Recv(send.0 as u32, tag as u32));
    }
    let rows = program.rows.iter().zip(acts).map(|(row, acts)| {
        let calls = row.iter().zip(acts).map(|(event, acts)| {
            let (name, acts) = match event.kind {
                Kind::Send => ("MPI_Send", acts),
                Kind::Receive => ("MPI_Recv", acts),
                Kind::Collective => ("MPI_Allreduce", vec![Act::Collective]),
            };
            Call(name, event.enter, event.leave, acts)
        });
        calls.collect()
    });
    stored(&Hand::new(rows.collect()).source())
}
