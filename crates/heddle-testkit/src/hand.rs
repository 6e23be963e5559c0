//! Traces written call by call.

use std::collections::BTreeSet;
use std::sync::Arc;

use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, Communicator, Definitions, Location, LocationId, LocationKind, MessageEnd, Ns,
    Paradigm, Part, Rank, RecordBlock, Region, RegionId, RequestId, Role, SystemNode, SystemNodeId,
};

use crate::MadeSource;

/// What happens inside a call, at its end unless said otherwise.
#[derive(Clone, Debug)]
pub enum Act {
    /// A blocking send: to, tag.
    Send(u32, u32),
    /// A blocking receive: from, tag.
    Recv(u32, u32),
    /// A blocking receive of twice the usual length: from, tag.
    LongRecv(u32, u32),
    /// A non-blocking send: to, tag, request.
    Isend(u32, u32, u64),
    /// A posted receive: request.
    Post(u64),
    /// The completion of a posted receive: from, tag, request.
    Complete(u32, u32, u64),
    /// The completion of a non-blocking send: request.
    SendComplete(u64),
    /// A sum over all, which all get.
    Collective,
    /// A collective of all, with the root where it has one, and how many bytes each gives and gets.
    Joint(CollectiveOp, Option<u32>, u64),
    /// The begin of a non-blocking collective: request.
    Begin(u64),
    /// The end of one: request.
    End(u64),
    /// A call inside.
    Call(Call),
    /// Nothing: the trace ends before the call does. Its leave is the last moment of the rank.
    Unfinished,
}

/// A call: function, enter, leave, what happens in it.
#[derive(Clone, Debug)]
pub struct Call(pub &'static str, pub i64, pub i64, pub Vec<Act>);

/// A trace written by hand: the calls of each rank.
#[derive(Debug)]
pub struct Hand {
    definitions: Definitions,
    ranks: Vec<Vec<Call>>,
    names: Vec<&'static str>,
}

fn names_in(calls: &[Call], names: &mut BTreeSet<&'static str>) {
    for Call(name, _, _, acts) in calls {
        names.insert(name);
        for act in acts {
            if let Act::Call(inside) = act {
                names_in(std::slice::from_ref(inside), names);
            }
        }
    }
}

impl Hand {
    /// The trace of these ranks.
    pub fn new(ranks: Vec<Vec<Call>>) -> Hand {
        let count = ranks.len() as u32;
        let mut names = BTreeSet::new();
        for calls in &ranks {
            names_in(calls, &mut names);
        }
        let names: Vec<&'static str> = names.into_iter().collect();
        let members: Arc<[LocationId]> = (0..count).map(LocationId).collect();
        let paradigm = |name: &str| if name.starts_with("MPI_") { Paradigm::Mpi } else { Paradigm::User };
        let role = |name: &str| match name {
            "MPI_Test" => Role::Test,
            "MPI_Sendrecv" => Role::SendReceive,
            _ => Role::Function,
        };
        let definitions = Definitions {
            system_tree: vec![SystemNode { name: "p".into(), class: SystemNode::PROCESS.into(), parent: None }],
            locations: (0..count)
                .map(|rank| Location {
                    file_id: u64::from(rank),
                    name: format!("rank {rank}").into(),
                    kind: LocationKind::CpuThread,
                    parent: Some(SystemNodeId(0)),
                    rank: Rank(rank),
                })
                .collect(),
            regions: names.iter().map(|name| Region::named(*name, paradigm(name), role(name))).collect(),
            communicators: vec![Communicator::of("world", Arc::clone(&members))],
            world: members.to_vec(),
            ..Definitions::default()
        };
        Hand { definitions, ranks, names }
    }

    /// The trace as a source.
    pub fn source(&self) -> MadeSource<'_> {
        let parts = MadeSource::part_per_location(&self.definitions, 64);
        let records = |part: &Part, out: &mut RecordBlock| self.write(&self.ranks[part.location.index()], out);
        MadeSource::new(self.definitions.clone(), parts, records)
    }

    fn write(&self, calls: &[Call], out: &mut RecordBlock) {
        for Call(name, enter, leave, acts) in calls {
            let region = RegionId(self.names.iter().position(|known| known == name).unwrap() as u32);
            out.enter(Ns(*enter), region);
            // What is told of a call happens when it is over; posting and beginning when it begins.
            let (begin, end) = (Ns(*enter), Ns(*leave));
            for act in acts {
                match act {
                    Act::Send(to, tag) => out.send(end, message(*to, *tag, None)),
                    Act::Recv(from, tag) => out.recv(end, message(*from, *tag, None)),
                    Act::LongRecv(from, tag) => {
                        out.recv(end, MessageEnd { bytes: 16, ..message(*from, *tag, None) });
                    }
                    Act::Isend(to, tag, request) => out.isend(end, message(*to, *tag, Some(*request))),
                    Act::Post(request) => out.recv_request(begin, RequestId(*request)),
                    Act::Complete(from, tag, request) => out.irecv(end, message(*from, *tag, Some(*request))),
                    Act::SendComplete(request) => out.send_complete(end, RequestId(*request)),
                    Act::Collective => {
                        out.collective_begin(begin);
                        out.collective_end(end, collective(None));
                    }
                    Act::Joint(op, root, bytes) => {
                        out.collective_begin(begin);
                        let root = root.map_or(LocationId::NONE, LocationId);
                        let (sent, received) = (*bytes, *bytes);
                        out.collective_end(end, CollectiveEnd { op: *op, root, sent, received, ..collective(None) });
                    }
                    Act::Begin(request) => out.collective_request(begin, RequestId(*request)),
                    Act::End(request) => out.collective_complete(end, collective(Some(*request))),
                    Act::Call(inside) => self.write(std::slice::from_ref(inside), out),
                    Act::Unfinished => {}
                }
            }
            if !acts.iter().any(|act| matches!(act, Act::Unfinished)) {
                out.leave(end, Some(region));
            }
            out.last = out.last.max(Some(end));
            out.events += 2;
        }
    }
}

fn message(peer: u32, tag: u32, request: Option<u64>) -> MessageEnd {
    let request = request.map_or(RequestId::NONE, RequestId);
    MessageEnd { peer: LocationId(peer), comm: CommId(0), tag, bytes: 8, request }
}

fn collective(request: Option<u64>) -> CollectiveEnd {
    let request = request.map_or(RequestId::NONE, RequestId);
    let op = CollectiveOp::ALLREDUCE;
    CollectiveEnd { op, comm: CommId(0), root: LocationId::NONE, sent: 8, received: 8, request, number: None }
}
