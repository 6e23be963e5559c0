//! Runs by chance, written call by call, whose clocks agree: who needs something gets it only after it was given.

use heddle_model::CollectiveOp;
use heddle_testkit::{Act, Call, Hand};
use proptest::prelude::*;

/// Something that one rank, two or all do.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A rank computes for so long.
    Work(u8, u8, u16),
    /// A message from one to another that is sent at once.
    Eager(u8, u8),
    /// One whose send waits for its receive.
    Synchronous(u8, u8),
    /// One that both hide behind computing, and whose send waits for its receive or does not.
    NotBlocking(u8, u8, u16, u16, bool),
    /// Both ends of a pair send and receive in one call.
    Exchange(u8, u8),
    /// A collective of all.
    Together(u8, u8),
    /// A sum that all hide behind computing.
    SumNotBlocking(u16),
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (any::<u8>(), any::<u8>(), any::<u16>()).prop_map(|(rank, region, time)| Step::Work(rank, region, time)),
        3 => (any::<u8>(), any::<u8>()).prop_map(|(from, to)| Step::Eager(from, to)),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(from, to)| Step::Synchronous(from, to)),
        2 => (any::<u8>(), any::<u8>(), any::<u16>(), any::<u16>(), any::<bool>())
            .prop_map(|(from, to, ours, theirs, waits)| Step::NotBlocking(from, to, ours, theirs, waits)),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(one, other)| Step::Exchange(one, other)),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(op, root)| Step::Together(op, root)),
        1 => any::<u16>().prop_map(Step::SumNotBlocking),
    ]
}

const FUNCTIONS: [&str; 3] = ["assemble", "solve", "update"];

/// A run as it is written: calls by rank.
pub(crate) struct Written {
    pub(crate) ranks: Vec<Vec<Call>>,
    clocks: Vec<i64>,
    requests: u64,
    /// What makes all moments differ.
    jitter: u64,
}

/// What steps make of so many ranks. All begin at 0 and end in `MPI_Finalize`.
pub(crate) fn written(ranks: u8, steps: &[Step]) -> Vec<Vec<Call>> {
    let count = usize::from(ranks);
    let mut run =
        Written { ranks: vec![Vec::new(); count], clocks: vec![0; count], requests: 0, jitter: 0x9e37_79b9_7f4a_7c15 };
    run.all("MPI_Init", |_| Vec::new(), |_, latest| latest);
    for step in steps {
        run.go(step);
    }
    run.all("MPI_Finalize", |_| Vec::new(), |_, latest| latest);
    run.ranks
}

impl Written {
    /// Some nanoseconds by chance.
    fn little(&mut self) -> i64 {
        self.jitter ^= self.jitter << 13;
        self.jitter ^= self.jitter >> 7;
        self.jitter ^= self.jitter << 17;
        1 + (self.jitter % 4093) as i64
    }

    fn call(&mut self, rank: usize, name: &'static str, leave: i64, acts: Vec<Act>) {
        self.ranks[rank].push(Call(name, self.clocks[rank], leave, acts));
        self.clocks[rank] = leave;
    }

    fn work(&mut self, rank: usize, region: u8, time: u16) {
        let leave = self.clocks[rank] + i64::from(time) * 16 + self.little();
        self.call(rank, FUNCTIONS[usize::from(region) % FUNCTIONS.len()], leave, Vec::new());
    }

    /// A call of all; who needs others may leave when `until` says, given its rank and the latest to come.
    fn all(&mut self, name: &'static str, act: impl Fn(usize) -> Vec<Act>, until: impl Fn(usize, i64) -> i64) {
        let latest = self.clocks.iter().copied().max().unwrap_or(0);
        for rank in 0..self.clocks.len() {
            let leave = until(rank, latest).max(self.clocks[rank]) + self.little();
            self.call(rank, name, leave, act(rank));
        }
    }

    fn go(&mut self, step: &Step) {
        let count = self.clocks.len() as u8;
        let pair = |from: u8, to: u8| {
            let (from, to) = (from % count, to % (count - 1));
            (usize::from(from), usize::from(if to < from { to } else { to + 1 }))
        };
        match *step {
            Step::Work(rank, region, time) => self.work(usize::from(rank % count), region, time),
            Step::Eager(from, to) | Step::Synchronous(from, to) => {
                let (from, to) = pair(from, to);
                let (sent, posted) = (self.clocks[from], self.clocks[to]);
                let waits = matches!(step, Step::Synchronous(..));
                let left = if waits { sent.max(posted) } else { sent } + self.little();
                let received = posted.max(sent) + self.little();
                self.call(from, "MPI_Send", left, vec![Act::Send(to as u32, 0)]);
                self.call(to, "MPI_Recv", received, vec![Act::Recv(from as u32, 0)]);
            }
            Step::NotBlocking(from, to, ours, theirs, waits) => {
                let (from, to) = pair(from, to);
                self.not_blocking((from, to), (ours, theirs), waits);
            }
            Step::Exchange(one, other) => {
                let (one, other) = pair(one, other);
                let both = self.clocks[one].max(self.clocks[other]);
                for (us, them) in [(one, other), (other, one)] {
                    let leave = both + self.little();
                    let acts = vec![Act::Send(them as u32, 0), Act::Recv(them as u32, 0)];
                    self.call(us, "MPI_Sendrecv", leave, acts);
                }
            }
            Step::Together(op, root) => self.together(op, usize::from(root % count)),
            Step::SumNotBlocking(time) => {
                self.requests += 1;
                let request = self.requests;
                let posted = self.clocks.iter().copied().max().unwrap_or(0);
                self.all("MPI_Iallreduce", |_| vec![Act::Begin(request)], |_, _| 0);
                for rank in 0..usize::from(count) {
                    self.work(rank, rank as u8, time % (rank as u16 * 40 + 1));
                }
                self.all("MPI_Wait", |_| vec![Act::End(request)], |_, _| posted);
            }
        }
    }

    fn not_blocking(&mut self, (from, to): (usize, usize), (ours, theirs): (u16, u16), waits: bool) {
        self.requests += 2;
        let (sending, receiving) = (self.requests, self.requests + 1);
        let (sent, posted) = (self.clocks[from], self.clocks[to]);
        let left = sent + self.little();
        self.call(from, "MPI_Isend", left, vec![Act::Isend(to as u32, 0, sending)]);
        let left = posted + self.little();
        self.call(to, "MPI_Irecv", left, vec![Act::Post(receiving)]);
        self.work(from, 0, ours);
        self.work(to, 1, theirs);
        let left = if waits { self.clocks[from].max(posted) } else { self.clocks[from] } + self.little();
        self.call(from, "MPI_Wait", left, vec![Act::SendComplete(sending)]);
        let left = self.clocks[to].max(sent) + self.little();
        self.call(to, "MPI_Wait", left, vec![Act::Complete(from as u32, 0, receiving)]);
    }

    fn together(&mut self, op: u8, root: usize) {
        let begins = self.clocks.clone();
        let joint = |op, root: Option<usize>| {
            let root = root.map(|root| root as u32);
            move |_: usize| vec![Act::Joint(op, root, 8)]
        };
        match op % 5 {
            0 => self.all("MPI_Barrier", joint(CollectiveOp::BARRIER, None), |_, latest| latest),
            1 => self.all("MPI_Allreduce", joint(CollectiveOp::ALLREDUCE, None), |_, latest| latest),
            2 => self.all("MPI_Bcast", joint(CollectiveOp::from_name("bcast"), Some(root)), |_, _| begins[root]),
            3 => self.all("MPI_Reduce", joint(CollectiveOp::from_name("reduce"), Some(root)), |rank, latest| {
                if rank == root { latest } else { 0 }
            }),
            _ => self.all("MPI_Scan", joint(CollectiveOp::from_name("scan"), None), |rank, _| {
                begins[..=rank].iter().copied().max().unwrap_or(0)
            }),
        }
    }
}

/// The same run with other times.
pub(crate) fn at_times(ranks: &[Vec<Call>], time: impl Fn(i64) -> i64) -> Hand {
    let call = |Call(name, enter, leave, acts): &Call| Call(name, time(*enter), time(*leave), acts.clone());
    Hand::new(ranks.iter().map(|calls| calls.iter().map(call).collect()).collect())
}

/// The same run with its ranks in another order: rank `r` becomes `to[r]`.
pub(crate) fn renumbered(ranks: &[Vec<Call>], to: &[usize]) -> Hand {
    let new = |rank: u32| to[rank as usize] as u32;
    let act = |act: &Act| match act {
        Act::Send(peer, tag) => Act::Send(new(*peer), *tag),
        Act::Recv(peer, tag) => Act::Recv(new(*peer), *tag),
        Act::Isend(peer, tag, request) => Act::Isend(new(*peer), *tag, *request),
        Act::Complete(peer, tag, request) => Act::Complete(new(*peer), *tag, *request),
        Act::Joint(op, root, bytes) => Act::Joint(*op, root.map(new), *bytes),
        other => other.clone(),
    };
    let mut moved = vec![Vec::new(); ranks.len()];
    for (rank, calls) in ranks.iter().enumerate() {
        let call = |Call(name, enter, leave, acts): &Call| Call(name, *enter, *leave, acts.iter().map(act).collect());
        moved[to[rank]] = calls.iter().map(call).collect();
    }
    Hand::new(moved)
}
