//! How long phases, steps and minima take on events made up: `structure_speed halo|tree|shift EVENTS RANKS`.

use std::time::Instant;

use heddle_logical::measures;
use heddle_logical::{Events, Kind, LogicalOptions, structure};
use heddle_model::Ns;
use heddle_store::NoProgress;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let pattern = arguments.next().unwrap_or_else(|| "halo".to_owned());
    let mut number = |or: u64| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(or);
    let (count, ranks) = (number(1_000_000), number(16_384) as u32);
    let events = match pattern.as_str() {
        "tree" => tree(count, ranks),
        "shift" => shift(count, ranks),
        _ => halo(count, ranks),
    };
    let count = events.kind.len();
    println!("{pattern}: {count} events, {} messages, {:.2} GiB before", events.messages.len(), anonymous());
    let start = Instant::now();
    let options = LogicalOptions::default();
    let Ok(structure) = structure(&events, &options, &NoProgress) else { return };
    let structured = start.elapsed().as_secs_f64();
    let steps = measures::step_measures(&events.first_of_row, &(&events, &structure), structure.steps);
    let placed = (&events, &structure);
    let bands = measures::bands(&events.first_of_row, &placed, &structure.phases, &steps);
    let latest = bands.flat_map(|band| band.measures).map(|phase| phase.max_lateness).max();
    let all = start.elapsed().as_secs_f64();
    println!(
        "{} phases, {} steps; structure {structured:.2} s, with measures {all:.2} s, {:.0} ns per event, peak {:.2} GiB, {}",
        structure.phases.len(),
        structure.steps,
        all * 1e9 / count as f64,
        peak(),
        latest.unwrap_or(0),
    );
}

fn field(file: &str, name: &str) -> f64 {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<f64>().ok()).unwrap_or(0.0) / f64::from(1 << 20)
}

fn anonymous() -> f64 {
    field("/proc/self/status", "RssAnon")
}

fn peak() -> f64 {
    field("/proc/self/status", "VmHWM")
}

/// Events with times made up: each takes 1000 ns, and a few wait.
fn events(rows: Vec<u32>, kind: Vec<Kind>, messages: Vec<(u32, u32)>) -> Events {
    let row_ends = rows.windows(2).flat_map(|row| (0..row[1] - row[0]).map(i64::from));
    let enter: Vec<Ns> = row_ends.zip(0i64..).map(|(at, e)| Ns(at * 1000 + (e * 7919) % 977)).collect();
    let leave = enter.iter().map(|enter| Ns(enter.0 + 300)).collect();
    let is_joined = vec![false; kind.len()];
    Events {
        first_of_row: rows,
        kind,
        enter,
        leave,
        is_joined,
        messages,
        first_of_collective: vec![0],
        ..Events::default()
    }
}

/// Rounds of a two-dimensional halo exchange: a send to four neighbours, a wait for four.
fn halo(count: u64, ranks: u32) -> Events {
    let rounds = (count / u64::from(ranks) / 2) as u32;
    let width = f64::from(ranks).sqrt() as u32;
    let rows: Vec<u32> = (0..=ranks).map(|rank| rank * rounds * 2).collect();
    let kind = (0..ranks * rounds).flat_map(|_| [Kind::Send, Kind::Receive]).collect();
    let mut messages = Vec::with_capacity(ranks as usize * rounds as usize * 4);
    for rank in 0..ranks {
        let mut near =
            [(rank + 1) % ranks, (rank + ranks - 1) % ranks, (rank + width) % ranks, (rank + ranks - width) % ranks];
        near.sort_unstable();
        for round in 0..rounds {
            messages.extend(near.map(|to| (rows[rank as usize] + round * 2, rows[to as usize] + round * 2 + 1)));
        }
    }
    events(rows, kind, messages)
}

/// Rounds of a shift to the right, blocking: each round is a cycle of messages.
fn shift(count: u64, ranks: u32) -> Events {
    let rounds = (count / u64::from(ranks) / 2) as u32;
    let rows: Vec<u32> = (0..=ranks).map(|rank| rank * rounds * 2).collect();
    let kind = (0..ranks * rounds).flat_map(|_| [Kind::Send, Kind::Receive]).collect();
    let message =
        |rank: u32, round: u32| (rows[rank as usize] + round * 2, rows[((rank + 1) % ranks) as usize] + round * 2 + 1);
    let messages = (0..ranks).flat_map(|rank| (0..rounds).map(move |round| (rank, round)));
    let messages = messages.map(|(rank, round)| message(rank, round)).collect();
    events(rows, kind, messages)
}

/// Rounds of a binary tree to rank 0: every message is a phase.
fn tree(count: u64, ranks: u32) -> Events {
    let rounds = (count / u64::from(ranks) / 2) as u32;
    let levels = ranks.ilog2();
    let of = |rank: u32| if rank == 0 { levels } else { rank.trailing_zeros() + 1 };
    let mut rows = vec![0];
    for rank in 0..ranks {
        rows.push(rows[rank as usize] + of(rank) * rounds);
    }
    let (mut kind, mut messages) = (Vec::new(), Vec::new());
    for rank in 0..ranks {
        for round in 0..rounds {
            let receives = if rank == 0 { levels } else { of(rank) - 1 };
            kind.extend((0..receives).map(|_| Kind::Receive));
            if rank > 0 {
                let (to, level) = (rank & (rank - 1), rank.trailing_zeros());
                let send = kind.len() as u32;
                kind.push(Kind::Send);
                messages.push((send, rows[to as usize] + round * of(to) + level));
            }
        }
    }
    events(rows, kind, messages)
}
