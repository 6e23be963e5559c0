//! The indexes against brute force: painting every nanosecond with its innermost region.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use common::{Hand, MAIN, REDUCE, SEND, Stored, Timed, WAIT, WORK, enter, leave, world};
use heddle_model::{LocationId, Ns, Paradigm, RegionId};
use heddle_store::index::{ActivityScope, RARE_SPANS};

/// What is innermost in one unit of time: a region, and the duration of its span.
type Unit = Option<(u32, i64)>;

/// A location's time in units of `unit` nanoseconds. Spans come outer before inner, so the last to paint is innermost.
fn painted(store: &Stored, location: u32, unit: i64, wanted: impl Fn(u32) -> bool) -> Vec<Unit> {
    let mut units = vec![None; (store.summary().end_ns / unit) as usize];
    for row in store.spans_of(LocationId(location)) {
        let (start, end) = (store.spans.start.get(row).0, store.spans.end.get(row).0);
        let region = store.spans.region.get(row).0;
        if wanted(region) {
            units[(start / unit) as usize..(end / unit) as usize].fill(Some((region, end - start)));
        }
    }
    units
}

fn communicates(store: &Stored, region: u32) -> bool {
    Paradigm::from_name(store.regions.paradigm.get(u64::from(region))).is_communication()
}

/// Nanoseconds in every region before every moment, by location.
fn spent(store: &Stored, locations: std::ops::Range<u32>) -> Vec<BTreeMap<u32, u64>> {
    let any = (0..store.regions.len()).any(|row| store.regions.count.get(row) > 0 && communicates(store, row as u32));
    let mut gained = vec![BTreeMap::<u32, u64>::new(); store.summary().end_ns as usize];
    for location in locations {
        for (at, unit) in painted(store, location, 1, |region| !any || communicates(store, region)).iter().enumerate() {
            if let Some((region, _)) = unit {
                *gained[at].entry(*region).or_default() += 1;
            }
        }
    }
    let mut before = vec![BTreeMap::new()];
    for gain in gained {
        let mut next: BTreeMap<u32, u64> = before.last().unwrap().clone();
        for (region, ns) in gain {
            *next.entry(region).or_default() += ns;
        }
        before.push(next);
    }
    before
}

fn check_activity(store: &Stored) -> Result<(), TestCaseError> {
    let locations = store.locations.len() as u32;
    let expected = spent(store, 0..locations);
    let (mut seen, mut covered) = (BTreeSet::new(), BTreeSet::new());
    let moments = (0..expected.len()).chain([expected.len() + 5]);
    for t in moments {
        let exact = &expected[t.min(expected.len() - 1)];
        let mut of_blocks: BTreeMap<u32, u64> = BTreeMap::new();
        for (scope, RegionId(region), series) in store.activity.series() {
            let before = store.activity.time_before(series, Ns(t as i64));
            match scope {
                ActivityScope::Whole => {
                    seen.insert(region);
                    prop_assert_eq!(before, exact.get(&region).copied().unwrap_or(0), "region {} before {}", region, t);
                }
                ActivityScope::Block(first, last) => {
                    covered.extend(first.0..=last.0);
                    *of_blocks.entry(region).or_default() += before;
                }
            }
        }
        of_blocks.retain(|_, ns| *ns > 0);
        prop_assert_eq!(&of_blocks, exact, "the blocks' sum before {}", t);
    }
    prop_assert_eq!(seen, expected.last().unwrap().keys().copied().collect::<BTreeSet<u32>>());
    prop_assert!(covered.iter().all(|location| *location < locations));
    Ok(())
}

fn check_blocks_alone(store: &Stored) -> Result<(), TestCaseError> {
    for (scope, RegionId(region), series) in store.activity.series() {
        if let ActivityScope::Block(first, last) = scope {
            let expected = spent(store, first.0..last.0 + 1);
            for (t, exact) in expected.iter().enumerate() {
                let before = store.activity.time_before(series, Ns(t as i64));
                prop_assert_eq!(before, exact.get(&region).copied().unwrap_or(0));
            }
        }
    }
    Ok(())
}

/// Every tile of every level. All times are multiples of `unit`.
fn check_tiles(store: &Stored, unit: i64) -> Result<(), TestCaseError> {
    let locations = store.locations.len() as u32;
    let painted: Vec<Vec<Unit>> = (0..locations).map(|location| painted(store, location, unit, |_| true)).collect();
    for level in store.tiles.levels() {
        prop_assert!(i64::from(level.bins) * level.bin_ns >= store.summary().end_ns, "the bins reach the end");
        prop_assert_eq!(level.rows, locations.div_ceil(level.locations));
        for row in 0..level.rows {
            let members = row * level.locations..((row + 1) * level.locations).min(locations);
            let mut times = vec![BTreeMap::<u32, i64>::new(); level.bins as usize];
            let mut longest = vec![0; level.bins as usize];
            for units in &painted[members.start as usize..members.end as usize] {
                for (at, painted) in units.iter().enumerate() {
                    let Some((region, duration)) = painted else { continue };
                    let (start, end) = (at as i64 * unit, (at as i64 + 1) * unit);
                    for bin in start / level.bin_ns..=(end - 1) / level.bin_ns {
                        let from = start.max(bin * level.bin_ns);
                        let until = end.min((bin + 1) * level.bin_ns);
                        *times[bin as usize].entry(*region).or_default() += until - from;
                        longest[bin as usize] = (*duration).max(longest[bin as usize]);
                    }
                }
            }
            let area = level.bin_ns as f64 * f64::from(members.len() as u32);
            for bin in 0..level.bins {
                let tile = store.tiles.tile(level, row, bin).unwrap();
                let exact = &times[bin as usize];
                let mut order: Vec<i64> = exact.values().copied().collect();
                order.sort_unstable_by(|a, b| b.cmp(a));
                for (place, (region, share)) in tile.regions.iter().enumerate() {
                    let time = order.get(place).copied().unwrap_or(0);
                    let of_region = exact.get(&region.0).copied().unwrap_or(0);
                    prop_assert_eq!(of_region, time, "place {} of row {} bin {} of {:?}", place, row, bin, level);
                    prop_assert_eq!(region.is_some(), time > 0);
                    let (share, true_share) = (f64::from(*share), time as f64 / area);
                    prop_assert!(share >= true_share - 1e-6 && share <= true_share + 1.0 / 255.0 + 1e-6);
                }
                prop_assert!(tile.regions[0].1 + tile.regions[1].1 <= 1.0 + 2.0 / 255.0);
                let (told, true_longest) = (f64::from(tile.longest_ns), f64::from(longest[bin as usize] as i32));
                prop_assert!(told <= true_longest && told >= true_longest * (1.0 - 1.0 / 128.0));
            }
            prop_assert_eq!(store.tiles.tile(level, row, level.bins), None);
        }
        prop_assert_eq!(store.tiles.tile(level, level.rows, 0), None);
    }
    Ok(())
}

/// Nested regions with waits between; every time is a multiple of `unit`.
fn track(unit: i64) -> impl Strategy<Value = Vec<Timed>> {
    prop::collection::vec((0..4i64, prop_oneof![3 => (0..6u32).prop_map(Some), 2 => Just(None)]), 2..200).prop_map(
        move |steps| {
            let mut time = 0;
            let step = |(wait, region): (i64, Option<u32>)| {
                time += wait * unit;
                (time, region.map_or(heddle_model::Event::Leave(None), enter))
            };
            steps.into_iter().map(step).collect()
        },
    )
}

/// Few tracks, on up to several hundred locations: more than one block holds.
fn machines(unit: i64) -> impl Strategy<Value = Vec<Vec<Timed>>> {
    (prop::collection::vec(track(unit), 1..5), prop_oneof![3 => Just(1usize), 1 => Just(150)]).prop_map(
        |(tracks, copies)| {
            let count = tracks.len() * copies;
            tracks.into_iter().cycle().take(count).collect()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn time_in_a_function_is_exact_at_every_moment(tracks in machines(1)) {
        let store = Hand::new(world(tracks.len() as u32), &tracks).store();
        check_activity(&store)?;
        check_blocks_alone(&store)?;
    }

    #[test]
    fn without_communication_everything_counts(tracks in machines(1)) {
        let mut definitions = world(tracks.len() as u32);
        for region in &mut definitions.regions {
            region.paradigm = Paradigm::User;
        }
        check_activity(&Hand::new(definitions, &tracks).store())?;
    }

    #[test]
    fn tiles_tell_what_dominates(tracks in machines(1009)) {
        let store = Hand::new(world(tracks.len() as u32), &tracks).store();
        check_tiles(&store, 1009)?;
    }
}

/// `calls` calls in turn, one nanosecond each and one apart, inside one that lasts.
fn calls(region: u32, calls: i64) -> Vec<Timed> {
    let mut track = vec![(0, enter(MAIN)), (0, enter(WAIT))];
    for call in 0..calls {
        track.extend([(2 * call, enter(region)), (2 * call + 1, leave(region))]);
    }
    track.extend([(2 * calls, leave(WAIT)), (2 * calls, leave(MAIN))]);
    track
}

#[test]
fn one_location_with_more_than_a_block_may_hold() {
    let (count, tracks) = (150_000, [calls(SEND, 150_000), calls(REDUCE, 100)]);
    let store = Hand::new(world(2), &tracks).store_within(1);
    let series: Vec<_> = store.activity.series().collect();
    let blocks = series.iter().filter(|(scope, ..)| matches!(scope, ActivityScope::Block(..))).count();
    assert!(blocks > 4, "the budget cuts: {blocks}");
    for t in [0, 1, 2, 777, 99_999, 2 * count - 1, 2 * count, 2 * count + 50] {
        let reached = t.min(2 * count);
        for (region, expected) in [
            (SEND, (reached + 1) / 2),
            (REDUCE, (reached.min(200) + 1) / 2),
            (WAIT, reached / 2 + reached.min(200) / 2),
        ] {
            let sum = |is_whole: bool| -> u64 {
                let of_scope = series
                    .iter()
                    .filter(|(scope, of, _)| of.0 == region && (*scope == ActivityScope::Whole) == is_whole);
                of_scope.map(|(_, _, handle)| store.activity.time_before(*handle, Ns(t))).sum()
            };
            assert_eq!((sum(true), sum(false)), (expected as u64, expected as u64), "region {region} before {t}");
        }
    }
}

#[test]
fn tiles_of_all_halvings_agree_with_brute_force() {
    let store = Hand::new(world(2), &[calls(SEND, 40_000), calls(REDUCE, 20_000)]).store();
    let bins: Vec<u32> = store.tiles.levels().iter().map(|level| level.bins).collect();
    assert!(bins.windows(2).any(|pair| pair[0] == 2 * pair[1]), "{bins:?} has halvings");
    check_tiles(&store, 1).unwrap();
}

#[test]
fn a_thousand_spans_are_rare_and_one_more_is_not() {
    let many = |region, count: u64| (0..count as i64).flat_map(move |at| [(at, enter(region)), (at, leave(region))]);
    let split = |region, count: u64| [many(region, count / 2).collect(), many(region, count - count / 2).collect()];
    let [mut first, mut third]: [Vec<Timed>; 2] = split(SEND, RARE_SPANS);
    let [more, most]: [Vec<Timed>; 2] = split(WORK, RARE_SPANS + 1);
    let last = |track: &[Timed]| track.last().map_or(0, |(time, _)| *time);
    let after = |track: &mut Vec<Timed>, more: Vec<Timed>| {
        let start = last(track);
        track.extend(more.into_iter().map(|(time, event)| (start + time, event)));
    };
    after(&mut first, more);
    after(&mut third, most);
    // Locations without spans lie between and behind.
    let store = Hand::new(world(4), &[first, vec![], third, vec![]]).store();
    let rare: Vec<_> = store.rare.spans().collect();
    assert_eq!(rare.len() as u64, RARE_SPANS);
    let rows: BTreeSet<u64> = rare.iter().map(|(_, row, _)| row.0).collect();
    assert_eq!(rows.len() as u64, RARE_SPANS, "each once");
    for (region, row, location) in rare {
        assert_eq!((region, store.spans.region.get(row.0)), (RegionId(SEND), RegionId(SEND)));
        assert!(store.spans_of(location).contains(&row.0));
    }
}
