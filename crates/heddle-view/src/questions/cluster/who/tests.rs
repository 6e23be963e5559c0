//! Sets that were planted get their names, with and without exceptions; sets drawn by chance get none.

use heddle_testkit::Chance;

use super::super::members::Everyone;
use super::super::places::grid;
use super::super::tree::Tree;
use super::*;

/// A world of ranks on a square grid, on nodes of 16, that gather along a tree of eight, with communicators.
struct World {
    ranks: Vec<u32>,
    tree: Tree,
}

const PER_NODE: u32 = 16;

impl World {
    fn new(count: u32) -> World {
        let parent = |rank: u32| {
            let mut width = 8;
            while rank.is_multiple_of(width) {
                width *= 8;
            }
            rank - rank % width
        };
        let pairs: Vec<(u32, u32)> = (1..count).map(|rank| (rank, parent(rank))).collect();
        World { ranks: (0..count).collect(), tree: Tree::of(count as usize, &pairs).unwrap() }
    }

    fn side(&self) -> u32 {
        (self.ranks.len() as u32).isqrt()
    }

    fn hypotheses(&self) -> Hypotheses<'_> {
        let mut classes = vec![Classes {
            kind: WhoKind::Place,
            bits: PLACE,
            class_of: self.ranks.iter().map(|rank| rank / PER_NODE).collect(),
            count: self.ranks.len() / PER_NODE as usize,
            name: Box::new(|chosen| format!("nodes {chosen:?}")),
        }];
        classes.extend(grid(&Everyone::first(self.ranks.len() as u32), &[self.side(), self.side()]));
        // Twenty communicators of 60 ranks that have no other pattern.
        let mut chance = Chance(7);
        let communicators = (0..20).map(|at| {
            let mut members: Vec<u32> = (0..60).map(|_| chance.below(self.ranks.len()) as u32).collect();
            members.sort_unstable();
            members.dedup();
            (format!("comm {at}"), members)
        });
        Hypotheses { classes, communicators: (communicators.collect(), 20), tree: Some(&self.tree) }
    }

    fn who(&self, members: &[u32]) -> Who {
        let mut is_member = vec![false; self.ranks.len()];
        for rank in members {
            is_member[*rank as usize] = true;
        }
        who(&Group::new(&self.ranks, is_member), &self.hypotheses())
    }

    /// The same set with some ranks of it left out and others put in, by chance.
    fn damaged(&self, members: &[u32], missing: usize, besides: usize, chance: &mut Chance) -> Vec<u32> {
        let mut left = members.to_vec();
        for _ in 0..missing {
            left.remove(chance.below(left.len()));
        }
        while left.len() < members.len() - missing + besides {
            let rank = chance.below(self.ranks.len()) as u32;
            if !members.contains(&rank) && !left.contains(&rank) {
                left.push(rank);
            }
        }
        left.sort_unstable();
        left
    }
}

fn planted(world: &World) -> Vec<(&'static str, WhoKind, Vec<u32>, String)> {
    let (all, side) = (world.ranks.len() as u32, world.side());
    let only = |is_in: &dyn Fn(u32) -> bool| (0..all).filter(|rank| is_in(*rank)).collect::<Vec<u32>>();
    let shape = format!("of the {side} × {side} process grid");
    let comm = world.hypotheses().communicators.0[3].clone();
    vec![
        ("node", WhoKind::Place, only(&|rank| rank / PER_NODE == 5), "nodes [5]".to_owned()),
        ("nodes", WhoKind::Place, only(&|rank| [5, 9, 40].contains(&(rank / PER_NODE))), "nodes [5, 9, 40]".to_owned()),
        ("row", WhoKind::Grid, only(&|rank| rank / side == 7), format!("row 7 {shape}")),
        ("column", WhoKind::Grid, only(&|rank| rank % side == 7), format!("column 7 {shape}")),
        ("columns", WhoKind::Grid, only(&|rank| (7..10).contains(&(rank % side))), format!("columns 7–9 {shape}")),
        (
            "edges",
            WhoKind::Grid,
            only(&|rank| [0, side - 1].contains(&(rank % side)) || [0, side - 1].contains(&(rank / side))),
            format!("the edges {shape}"),
        ),
        ("residue", WhoKind::Residue, only(&|rank| rank % 12 == 5), "one in 12 ranks: 5, 17, 29 …".to_owned()),
        ("odd", WhoKind::Residue, only(&|rank| rank % 2 == 1), "the odd ranks".to_owned()),
        (
            "residues",
            WhoKind::Residue,
            only(&|rank| [2, 9].contains(&(rank % 24))),
            "ranks that leave 2 or 9 when divided by 24".to_owned(),
        ),
        ("range", WhoKind::Ranges, (101..=160).collect(), "ranks 101–160".to_owned()),
        ("ranges", WhoKind::Ranges, (101..=160).chain(403..=440).collect(), "ranks 101–160 and 403–440".to_owned()),
        (
            "leaves",
            WhoKind::Tree,
            only(&|rank| !rank.is_multiple_of(8)),
            "the leaves of the communication tree".to_owned(),
        ),
        (
            "level",
            WhoKind::Tree,
            only(&|rank| rank.is_multiple_of(8) && !rank.is_multiple_of(64)),
            "the ranks at level 1 of the communication tree".to_owned(),
        ),
        (
            "leaves of a branch",
            WhoKind::Tree,
            (129u32..192).filter(|rank| !rank.is_multiple_of(8)).collect(),
            "the leaves below rank 128 in the communication tree".to_owned(),
        ),
        ("communicator", WhoKind::Communicator, comm.1.clone(), format!("the {} members of comm 3", comm.1.len())),
    ]
}

#[test]
fn what_was_planted_is_named() {
    for count in [1_024, 16_384] {
        let world = World::new(count);
        for (what, kind, members, text) in planted(&world) {
            let found = world.who(&members);
            assert_eq!((found.kind, found.text.as_str()), (kind, text.as_str()), "{what} of {count}: {found:?}");
            assert_eq!((found.missing, found.besides, found.is_complement), (0, 0, false));
        }
    }
}

#[test]
fn exceptions_are_counted_and_named() {
    let world = World::new(1_024);
    let mut chance = Chance(3);
    for (what, kind, members, text) in planted(&world) {
        for (missing, besides) in [(1, 0), (0, 1), (1, 1), (2, 1), (0, 3)] {
            if missing + besides > members.len() / 8 {
                continue;
            }
            let some = world.damaged(&members, missing, besides, &mut chance);
            let found = world.who(&some);
            assert_eq!(found.kind, kind, "{what}, {missing} missing, {besides} besides: {found:?}");
            assert!(found.text.starts_with(&text), "{what}: {}", found.text);
            assert_eq!((found.missing, found.besides), (missing, besides), "{what}: {found:?}");
        }
    }
    let mut row: Vec<u32> = (224..256).collect();
    row.retain(|rank| *rank != 230);
    row.push(900);
    assert_eq!(world.who(&row).text, "row 7 of the 32 × 32 process grid, without rank 230 and with rank 900 besides");
}

#[test]
fn what_is_left_is_all_but_that() {
    let world = World::new(1_024);
    let found = world.who(&(0..1_024).filter(|rank| rank / PER_NODE != 5).collect::<Vec<_>>());
    assert_eq!(
        (found.kind, found.is_complement, found.text.as_str()),
        (WhoKind::Place, true, "all ranks except nodes [5]")
    );
    let found = world.who(&(0..1_024).filter(|rank| ![17, 400, 903].contains(rank)).collect::<Vec<_>>());
    assert_eq!((found.kind, found.text.as_str()), (WhoKind::AllBut, "all ranks except ranks 17, 400 and 903"));
    // Hardly any name of nearly all ranks is wrong about many of them: what is left is what counts.
    let mut chance = Chance(2);
    let left: Vec<u32> = (0..60).map(|_| chance.below(1_024) as u32).collect();
    let found = world.who(&(0..1_024).filter(|rank| !left.contains(rank)).collect::<Vec<_>>());
    assert_eq!(found.kind, WhoKind::AllBut, "{found:?}");
    assert_eq!(world.who(&(0..1_024).collect::<Vec<_>>()).text, "all 1,024 ranks");
    assert_eq!(world.who(&[1_000]).text, "rank 1,000");
    assert_eq!(world.who(&[]).kind, WhoKind::None);
}

/// A set of that size, by chance.
fn drawn(world: &World, size: usize, chance: &mut Chance) -> Vec<bool> {
    let mut is_member = vec![false; world.ranks.len()];
    let mut left = size;
    while left > 0 {
        let at = chance.below(is_member.len());
        left -= usize::from(!is_member[at]);
        is_member[at] = true;
    }
    is_member
}

#[test]
fn sets_drawn_by_chance_get_no_name() {
    for (count, sets) in [(1_024, 6_000), (16_384, 1_200)] {
        let world = World::new(count);
        let hypotheses = world.hypotheses();
        let mut chance = Chance(u64::from(count));
        for set in 0..sets {
            // Small sets are the ones that chance makes look like something.
            let size = if set % 2 == 0 { 2 + set / 2 % 12 } else { 2 + chance.below(399) };
            let found = who(&Group::new(&world.ranks, drawn(&world, size, &mut chance)), &hypotheses);
            assert_eq!(found.kind, WhoKind::None, "set {set} of {size} in {count}: {found:?}");
        }
    }
}

#[test]
fn in_a_small_trace_chance_is_rarely_named() {
    let world = World::new(64);
    let hypotheses = world.hypotheses();
    let mut chance = Chance(5);
    let mut count = 0;
    for set in 0..4_000 {
        let found = who(&Group::new(&world.ranks, drawn(&world, 2 + set % 31, &mut chance)), &hypotheses);
        count += usize::from(found.kind != WhoKind::None);
    }
    assert!(count <= 8, "{count} of 4,000");
}

#[test]
fn small_traces_have_names_too() {
    let world = World::new(64);
    let found = world.who(&(16..24).collect::<Vec<_>>());
    assert_eq!(found.text, "row 2 of the 8 × 8 process grid");
    let ranks: Vec<u32> = (0..16).collect();
    let hypotheses = Hypotheses { classes: grid(&Everyone::first(16), &[4, 4]), ..Hypotheses::default() };
    let group = Group::new(&ranks, ranks.iter().map(|rank| rank % 4 == 1).collect());
    assert_eq!(who(&group, &hypotheses).text, "column 1 of the 4 × 4 process grid");
}
