//! Damaged map files and lists of hosts: no panic on any bytes, and what is read is a placement that can be.

use std::collections::HashSet;

use heddle_testkit::Chance;
use heddle_topology::mapping::{read_placement, write_map};
use heddle_topology::{Element, Mapping, Shape};

/// A fuzz target: reads bytes, lossily, as any kind of file that says where ranks sit.
fn read(data: &[u8], shape: &Shape, ranks: Option<u32>) -> Option<u32> {
    let text = String::from_utf8_lossy(data);
    let names = |name: &str| name.strip_prefix("node-").and_then(|number| number.parse().ok()).map(Element);
    match read_placement(&text, shape, ranks, 2, &names) {
        Ok(placement) => {
            assert!(ranks.is_none_or(|ranks| placement.ranks() == ranks));
            let places: HashSet<(Element, u32)> =
                (0..placement.ranks()).map(|rank| (placement.node(rank), placement.core(rank))).collect();
            assert_eq!(places.len(), placement.ranks() as usize, "each on a core of its own");
            assert!(places.iter().all(|(node, core)| node.0 < shape.hosts() && *core < 2));
            Some(placement.ranks())
        }
        Err(error) => {
            let lines = text.lines().count();
            assert!(error.line.is_none_or(|line| (1..=lines).contains(&line)), "{error}");
            let said = error.to_string();
            assert!(said.len() < 1000 && !said.contains(|c: char| c.is_control()), "{said:?}");
            None
        }
    }
}

#[test]
fn damaged_files_are_read_or_refused() {
    let shape: Shape = "3x4x2".parse().unwrap();
    let placement = "XYZT".parse::<Mapping>().unwrap().place(&shape, 48, 2).unwrap();
    let lines = |line: &dyn Fn(u32) -> String| (0..24).map(line).collect::<Vec<_>>().join("\n");
    let seeds = [
        write_map(&placement, &shape),
        lines(&|rank| format!("node-{}", rank / 2)),
        lines(&|rank| format!("{} ({},{},1) # here", 23 - rank, rank % 3, rank / 3 % 4)),
        lines(&|rank| format!("{rank} {rank}")),
    ];
    let mut chance = Chance(16);
    let (mut read_whole, mut refused) = (0, 0);
    for seed in &seeds {
        for _ in 0..4_000 {
            let mut bytes = seed.clone().into_bytes();
            for _ in 0..=chance.below(3) {
                chance.damage(&mut bytes);
            }
            bytes.truncate(if chance.is(20) { chance.below(bytes.len()) } else { bytes.len() });
            let ranks = chance.is(50).then_some(48);
            match read(&bytes, &shape, ranks) {
                Some(_) => read_whole += 1,
                None => refused += 1,
            }
        }
    }
    assert!(read_whole > 100 && refused > 1000, "{read_whole} {refused}");
}
