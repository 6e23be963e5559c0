//! A stencil code on a grid of ranks: compute, exchange borders, sum up now and then.
//!
//! # What is kept, and why so little
//!
//! A trace of 100 million spans does not fit in memory as records. But all times of an iteration follow
//! from when each rank began it: the computation from a hash of (seed, rank, iteration), the posts
//! from the cost of each, the arrivals from the neighbours' beginnings. So that beginning is all that is
//! kept: 8 bytes for each rank and iteration, about 0.7 bytes a span. [`Simulation`] makes the records of
//! a part again when it is read.
//!
//! `begins` lies iteration by iteration (`begins[iteration * ranks + rank]`, with one row more for the
//! end), because the simulation goes through it that way: row `i + 1` is computed from row `i` with all
//! ranks in parallel. Reading goes down a column, but neighbouring ranks share cache lines.
//!
//! # The program of a rank
//!
//! ```text
//! main { MPI_Init  iterate { compute  MPI_Irecv*  MPI_Isend*  MPI_Waitall  [MPI_Allreduce] }*  MPI_Finalize }
//! ```
//!
//! With overhead o, latency L and G for each byte: a post takes o; a message whose `MPI_Isend` is entered
//! at t arrives at t + o + L + bytes·G; a receive is complete at max(arrival, start of the wait) + o; the
//! wait ends with its last receive. Sends are buffered, so they are complete when the wait starts. A
//! collective ends everywhere at its last entry plus ceil(log2 ranks) · (L + 2o + 8G), and then a little
//! chance: below `noise`·L.

use heddle_model::{
    CollectiveEnd, CollectiveOp, Definitions, LocationId, MessageEnd, Ns, Part, RecordBlock, RequestId, Source,
    SourceError, Warnings,
};
use rayon::prelude::*;

use crate::chance::{Draw, factor, uniform};
use crate::grid::{Grid, MOST_NEIGHBOURS, Neighbour, Neighbours};
use crate::places::{ALLREDUCE, COMPUTE, FINALIZE, INIT, IRECV, ISEND, ITERATE, MAIN, WAITALL, WORLD, definitions};
use crate::{HaloOptions, SimulateError};

/// Bytes of an event on disk, about: how parts are cut.
const EVENT_BYTES: u64 = 14;
/// A part is no larger, so that a reader's memory stays small.
const PART_BYTES: u64 = 1 << 20;
/// An allreduce sums one number.
const ALLREDUCE_BYTES: u64 = 8;
/// Ranks that one task simulates at a time: enough to be worth a thread's while.
const GRAIN: usize = 1024;

/// The trace of a simulated run. Its records are made when they are read.
#[derive(Debug)]
pub struct Simulation {
    model: Model,
    /// When each rank began each iteration; the last row is when it was through.
    begins: Vec<i64>,
    /// When the last rank entered `MPI_Finalize`.
    finalize: i64,
    iterations_per_part: u32,
    definitions: Definitions,
    parts: Vec<Part>,
    warnings: Warnings,
}

/// Simulates a stencil code.
pub fn halo(options: &HaloOptions) -> Result<Simulation, SimulateError> {
    options.check()?;
    let model = Model::new(options);
    let begins = model.simulate()?;
    let ranks = options.ranks as usize;
    let finalize = begins[begins.len() - ranks..].iter().copied().max().unwrap_or(0);
    let mut simulation = Simulation {
        iterations_per_part: (PART_BYTES / (EVENT_BYTES * most_events(MOST_NEIGHBOURS as u64))) as u32,
        definitions: definitions(options),
        parts: Vec::new(),
        warnings: Warnings::default(),
        model,
        begins,
        finalize,
    };
    simulation.parts = simulation.cut();
    Ok(simulation)
}

/// How many spans a simulation will have, without simulating it.
pub fn spans_of(options: &HaloOptions) -> u64 {
    let (ranks, iterations) = (u64::from(options.ranks), u64::from(options.iterations));
    if ranks == 0 {
        return 0;
    }
    let messages = Grid::of(options).messages();
    let exchange = if messages == 0 { 0 } else { 2 * messages + ranks };
    let sums = iterations.checked_div(u64::from(options.allreduce_every)).unwrap_or(0);
    3 * ranks + iterations * (2 * ranks + exchange) + sums * ranks
}

/// Events of an iteration with an allreduce.
fn most_events(neighbours: u64) -> u64 {
    let (iterate_and_compute, wait, allreduce) = (4, 2, 4);
    let posts_and_completions = 4 * neighbours + 2 * neighbours + 2 * neighbours;
    iterate_and_compute + posts_and_completions + wait + allreduce
}

/// The options as whole nanoseconds, and the formulas on them.
#[derive(Debug)]
struct Model {
    options: HaloOptions,
    grid: Grid,
    is_slow: Vec<bool>,
    overhead: i64,
    /// From the entry of a send to the arrival of its message.
    flight: i64,
    /// What a collective takes after its last entry.
    collective: i64,
}

/// The exchange of one rank in one iteration.
struct Exchange {
    /// When the computation ends and the posts begin.
    posts: i64,
    /// When `MPI_Waitall` is entered.
    wait: i64,
    /// When it is left.
    end: i64,
}

impl Model {
    fn new(options: &HaloOptions) -> Model {
        let network = &options.network;
        let (latency, overhead) = (network.latency_ns as i64, network.overhead_ns as i64);
        let transfer = |bytes: u64| (bytes as f64 * network.gap_per_byte).round() as i64;
        let levels = i64::from(options.ranks.next_power_of_two().trailing_zeros());
        let mut is_slow = vec![false; options.ranks as usize];
        for rank in &options.slow_ranks {
            is_slow[*rank as usize] = true;
        }
        Model {
            grid: Grid::of(options),
            is_slow,
            overhead,
            flight: overhead + latency + transfer(options.bytes),
            collective: levels * (latency + 2 * overhead + transfer(ALLREDUCE_BYTES)),
            options: options.clone(),
        }
    }

    fn compute(&self, rank: u32, iteration: u32) -> i64 {
        let options = &self.options;
        let slow = if self.is_slow[rank as usize] { options.slow_factor } else { 1.0 };
        let chance = factor(options.seed, Draw::Compute, rank, u64::from(iteration), options.noise);
        (options.compute_ns as f64 * chance * slow).round() as i64
    }

    fn jitter(&self, draw: Draw, rank: u32, iteration: u32) -> i64 {
        let most = self.options.noise * self.options.network.latency_ns as f64;
        (most * uniform(self.options.seed, draw, rank, u64::from(iteration))) as i64
    }

    fn has_allreduce(&self, iteration: u32) -> bool {
        self.options.allreduce_every != 0 && (iteration + 1).is_multiple_of(self.options.allreduce_every)
    }

    /// When the message of a neighbour arrives whose computation ended at `its_posts`.
    fn arrival(&self, neighbour: &Neighbour, its_posts: i64) -> i64 {
        let posted_before = i64::from(neighbour.its_count + neighbour.its_position);
        its_posts + posted_before * self.overhead + self.flight
    }

    fn complete(&self, arrival: i64, wait: i64) -> i64 {
        arrival.max(wait) + self.overhead
    }

    /// `posts_of` gives when a rank's computation ended in this iteration.
    fn exchange(&self, neighbours: &Neighbours, posts: i64, posts_of: impl Fn(u32) -> i64) -> Exchange {
        let wait = posts + 2 * neighbours.len() as i64 * self.overhead;
        let completions =
            neighbours.iter().map(|neighbour| self.complete(self.arrival(neighbour, posts_of(neighbour.rank)), wait));
        Exchange { posts, wait, end: completions.max().unwrap_or(wait) }
    }

    /// When each rank begins each iteration, and when it is through the last.
    fn simulate(&self) -> Result<Vec<i64>, SimulateError> {
        let (ranks, iterations) = (self.options.ranks, self.options.iterations);
        let cells = (u128::from(iterations) + 1) * u128::from(ranks);
        let too_large = || SimulateError::TooLong;
        let cells = usize::try_from(cells).map_err(|_| too_large())?;
        let mut begins = Vec::new();
        begins.try_reserve_exact(cells).map_err(|_| too_large())?;
        begins.extend((0..ranks).map(|rank| self.collective + self.jitter(Draw::Start, rank, 0)));

        let ranks = ranks as usize;
        let (mut posts, mut ends) = (vec![0_i64; ranks], vec![0_i64; ranks]);
        for iteration in 0..iterations {
            let row = &begins[iteration as usize * ranks..];
            posts.par_iter_mut().zip(row).enumerate().with_min_len(GRAIN).for_each(|(rank, (posts, begin))| {
                *posts = begin + self.compute(rank as u32, iteration);
            });
            ends.par_iter_mut().enumerate().with_min_len(GRAIN).for_each(|(rank, end)| {
                let neighbours = self.grid.neighbours(rank as u32);
                *end = self.exchange(&neighbours, posts[rank], |other| posts[other as usize]).end;
            });
            if self.has_allreduce(iteration) {
                let all = ends.par_iter().copied().max().unwrap_or(0) + self.collective;
                ends.par_iter_mut().enumerate().with_min_len(GRAIN).for_each(|(rank, end)| {
                    *end = all + self.jitter(Draw::Collective, rank as u32, iteration);
                });
            }
            begins.extend_from_slice(&ends);
        }
        Ok(begins)
    }
}

impl Simulation {
    /// The options that it was made with.
    pub fn options(&self) -> &HaloOptions {
        &self.model.options
    }

    fn begin(&self, rank: u32, iteration: u32) -> i64 {
        self.begins[iteration as usize * self.model.options.ranks as usize + rank as usize]
    }

    fn posts(&self, rank: u32, iteration: u32) -> i64 {
        self.begin(rank, iteration) + self.model.compute(rank, iteration)
    }

    /// The iterations of the how-manieth part of any rank.
    fn iterations(&self, part: u32) -> std::ops::Range<u32> {
        let first = part.saturating_mul(self.iterations_per_part).min(self.model.options.iterations);
        first..first.saturating_add(self.iterations_per_part).min(self.model.options.iterations)
    }

    fn cut(&self) -> Vec<Part> {
        let per_rank = self.model.options.iterations.div_ceil(self.iterations_per_part);
        let mut parts = Vec::with_capacity(self.model.options.ranks as usize * per_rank as usize);
        for rank in 0..self.model.options.ranks {
            let events = most_events(self.model.grid.neighbours(rank).len() as u64);
            parts.extend((0..per_rank).map(|index| {
                let bytes = self.iterations(index).len() as u64 * events * EVENT_BYTES;
                Part { location: LocationId(rank), index, bytes }
            }));
        }
        parts
    }

    fn iterate(&self, rank: u32, iteration: u32, neighbours: &Neighbours, out: &mut RecordBlock) {
        let begin = Ns(self.begin(rank, iteration));
        let end = Ns(self.begin(rank, iteration + 1));
        let exchange =
            self.model.exchange(neighbours, self.posts(rank, iteration), |other| self.posts(other, iteration));
        out.enter(begin, ITERATE);
        out.enter(begin, COMPUTE);
        out.leave(Ns(exchange.posts), Some(COMPUTE));
        if !neighbours.is_empty() {
            self.post(&exchange, iteration, neighbours, out);
            self.wait(&exchange, iteration, neighbours, out);
        }
        if self.model.has_allreduce(iteration) {
            out.enter(Ns(exchange.end), ALLREDUCE);
            out.collective_begin(Ns(exchange.end));
            out.collective_end(end, ALLREDUCE_END);
            out.leave(end, Some(ALLREDUCE));
        }
        out.leave(end, Some(ITERATE));
    }

    /// All receives, then all sends, by direction.
    fn post(&self, exchange: &Exchange, iteration: u32, neighbours: &Neighbours, out: &mut RecordBlock) {
        let mut at = exchange.posts;
        for neighbour in neighbours.iter() {
            out.enter(Ns(at), IRECV);
            out.recv_request(Ns(at), recv_request(iteration, neighbour));
            at += self.model.overhead;
            out.leave(Ns(at), Some(IRECV));
        }
        for neighbour in neighbours.iter() {
            out.enter(Ns(at), ISEND);
            let request = send_request(iteration, neighbour);
            out.isend(Ns(at), self.message(neighbour, neighbour.direction, request));
            at += self.model.overhead;
            out.leave(Ns(at), Some(ISEND));
        }
    }

    /// Sends complete at once, receives as their messages arrive.
    fn wait(&self, exchange: &Exchange, iteration: u32, neighbours: &Neighbours, out: &mut RecordBlock) {
        out.enter(Ns(exchange.wait), WAITALL);
        for neighbour in neighbours.iter() {
            out.send_complete(Ns(exchange.wait), send_request(iteration, neighbour));
        }
        let mut arrivals = [(0, Neighbour::default()); MOST_NEIGHBOURS];
        let arrivals = &mut arrivals[..neighbours.len()];
        for (arrival, neighbour) in arrivals.iter_mut().zip(neighbours.iter()) {
            *arrival = (self.model.arrival(neighbour, self.posts(neighbour.rank, iteration)), *neighbour);
        }
        arrivals.sort_unstable_by_key(|(arrival, neighbour)| (*arrival, neighbour.direction));
        for (arrival, neighbour) in arrivals {
            let request = recv_request(iteration, neighbour);
            let time = Ns(self.model.complete(*arrival, exchange.wait));
            out.irecv(time, self.message(neighbour, neighbour.opposite(), request));
        }
        out.leave(Ns(exchange.end), Some(WAITALL));
    }

    /// The tag is the direction in which the message travels.
    fn message(&self, neighbour: &Neighbour, tag: u32, request: RequestId) -> MessageEnd {
        let peer = LocationId(neighbour.rank);
        MessageEnd { peer, comm: WORLD, tag, bytes: self.model.options.bytes, request }
    }
}

const ALLREDUCE_END: CollectiveEnd = CollectiveEnd {
    op: CollectiveOp::ALLREDUCE,
    comm: WORLD,
    root: LocationId::NONE,
    sent: ALLREDUCE_BYTES,
    received: ALLREDUCE_BYTES,
    request: RequestId::NONE,
    number: None,
};

/// Requests are numbered through the whole run: receives even, sends odd.
fn recv_request(iteration: u32, neighbour: &Neighbour) -> RequestId {
    RequestId((u64::from(iteration) * MOST_NEIGHBOURS as u64 + u64::from(neighbour.direction)) * 2)
}

fn send_request(iteration: u32, neighbour: &Neighbour) -> RequestId {
    RequestId(recv_request(iteration, neighbour).0 + 1)
}

impl Source for Simulation {
    fn format(&self) -> &'static str {
        "simulated"
    }

    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn read(&self, part: &Part, out: &mut RecordBlock) -> Result<(), SourceError> {
        let (rank, iterations) = (part.location.0, self.iterations(part.index));
        if rank >= self.model.options.ranks || iterations.is_empty() {
            let place = format!("part {} of rank {rank}", part.index);
            return Err(SourceError { place, cause: std::io::ErrorKind::NotFound.into() });
        }
        let before = out.len();
        let neighbours = self.model.grid.neighbours(rank);
        out.reserve(iterations.len() * most_events(neighbours.len() as u64) as usize);
        if iterations.start == 0 {
            out.enter(Ns(0), MAIN);
            out.enter(Ns(0), INIT);
            out.leave(Ns(self.begin(rank, 0)), Some(INIT));
        }
        let is_last = iterations.end == self.model.options.iterations;
        let mut last = self.begin(rank, iterations.end);
        for iteration in iterations {
            self.iterate(rank, iteration, &neighbours, out);
        }
        if is_last {
            out.enter(Ns(last), FINALIZE);
            last = self.finalize + self.model.collective + self.model.jitter(Draw::End, rank, 0);
            out.leave(Ns(last), Some(FINALIZE));
            out.leave(Ns(last), Some(MAIN));
        }
        out.events += (out.len() - before) as u64;
        out.last = out.last.max(Some(Ns(last)));
        Ok(())
    }

    fn warnings(&self) -> &Warnings {
        &self.warnings
    }
}
