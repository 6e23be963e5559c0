//! The indexes against brute force: painting every nanosecond with its innermost region.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use common::{Hand, MAIN, REDUCE, SEND, Stored, Timed, WAIT, WORK, enter, leave, world};
use heddle_model::{LocationId, Ns, Paradigm, RegionId};
use heddle_store::index::{RARE_SPANS, RegionTimes};

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

/// Nanoseconds in every region before every moment, of some locations together.
fn spent(store: &Stored, locations: &[u32]) -> Vec<BTreeMap<u32, u64>> {
    let any = (0..store.regions.len()).any(|row| store.regions.count.get(row) > 0 && communicates(store, row as u32));
    let mut gained = vec![BTreeMap::<u32, u64>::new(); store.summary().end_ns as usize];
    for location in locations {
        let units = painted(store, *location, 1, |region| !any || communicates(store, region));
        for (at, unit) in units.iter().enumerate() {
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

fn ids(locations: &[u32]) -> Vec<LocationId> {
    locations.iter().copied().map(LocationId).collect()
}

/// What the store says is exactly what the spans say between the moments that it names.
fn check_sums(store: &Stored, locations: &[u32], asked: &[i64], visits: u64) -> Result<RegionTimes, TestCaseError> {
    let asked: Vec<Ns> = asked.iter().copied().map(Ns).collect();
    let times = store.region_times(&ids(locations), &asked, visits);
    let before = spent(store, locations);
    let at = |time: Ns, region: u32| {
        let moment = (time.0.max(0) as usize).min(before.len() - 1);
        before[moment].get(&region).copied().unwrap_or(0)
    };
    prop_assert_eq!(times.edges.len(), asked.len());
    let regions: BTreeSet<u32> = before.last().unwrap().keys().copied().collect();
    let told: BTreeMap<u32, &Vec<u64>> = times.regions.iter().map(|(region, times)| (region.0, times)).collect();
    prop_assert_eq!(told.len(), times.regions.len(), "each region once");
    for region in regions.iter().chain(told.keys()) {
        for (column, edges) in times.edges.windows(2).enumerate() {
            let expected = at(edges[1], *region) - at(edges[0], *region);
            let sum = told.get(region).map_or(0, |times| times[column]);
            prop_assert_eq!(sum, expected, "region {} between {:?}", region, edges);
        }
    }
    Ok(times)
}

/// Every moment, of all locations and of some, and columns wide enough for the index to help.
fn check_activity(store: &Stored, chosen: &[u32], columns: &[i64]) -> Result<(), TestCaseError> {
    let all: Vec<u32> = (0..store.locations.len() as u32).collect();
    let end = store.summary().end_ns;
    let every: Vec<i64> = (-3..end + 5).collect();
    for locations in [&all[..], chosen] {
        let times = check_sums(store, locations, &every, u64::MAX)?;
        prop_assert!(times.edges.iter().map(|edge| edge.0).eq(every.iter().copied()), "nothing moves");
        let times = check_sums(store, locations, &every, 0)?;
        prop_assert!(times.edges.iter().map(|edge| edge.0).eq(every.iter().copied()), "no bin is so narrow");
        for from in (0..end).step_by(1 + end as usize / 7) {
            for to in [from + 1, from + 2, i64::midpoint(from, end) + 1, end, i64::MAX / 2] {
                check_sums(store, locations, &[from, to], 0)?;
            }
        }
        let times = check_sums(store, locations, columns, 0)?;
        let narrowest = columns.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap_or(0);
        for (at, (edge, asked)) in times.edges.iter().zip(columns).enumerate() {
            let moved = (edge.0 - asked).abs();
            prop_assert!(6 * moved <= narrowest, "{} moved by {}", asked, moved);
            prop_assert!(moved == 0 || at > 0 && at + 1 < columns.len(), "the first and the last stay");
        }
    }
    let seen = |locations: &[u32]| -> BTreeSet<u32> {
        let times = store.region_times(&ids(locations), &[Ns(0), Ns(end)], 0);
        times.regions.iter().map(|(region, _)| region.0).collect()
    };
    prop_assert_eq!(seen(&all), spent(store, &all).last().unwrap().keys().copied().collect::<BTreeSet<u32>>());
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

/// Which locations are asked for: from the first in hundredths of all, and every so many of them.
#[derive(Clone, Debug)]
struct Choice {
    hundredths: std::ops::Range<usize>,
    step: usize,
}

impl Choice {
    fn of(&self, locations: usize) -> Vec<u32> {
        let at = |hundredths: usize| hundredths * locations / 100;
        (at(self.hundredths.start)..at(self.hundredths.end)).step_by(self.step).map(|at| at as u32).collect()
    }
}

fn chosen() -> impl Strategy<Value = Choice> {
    let hundredths = prop_oneof![Just(0..100usize), (0..60usize, 60..=100usize).prop_map(|(from, to)| from..to)];
    (hundredths, prop_oneof![3 => Just(1usize), 1 => 2..7usize])
        .prop_map(|(hundredths, step)| Choice { hundredths, step })
}

/// Edges of columns of the same width or nearly so, in ascending order.
fn columns() -> impl Strategy<Value = Vec<i64>> {
    (0..100i64, 1..9i64, 1..120i64, 0..3i64).prop_map(|(from, count, width, more)| {
        (0..=count).map(|column| from + column * width + more.min(width - 1) * (column % 2)).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn time_in_a_function_is_exact_at_every_moment(tracks in machines(1), some in chosen(), columns in columns()) {
        let store = Hand::new(world(tracks.len() as u32), &tracks).store();
        check_activity(&store, &some.of(tracks.len()), &columns)?;
    }

    #[test]
    fn without_communication_everything_counts(tracks in machines(1), some in chosen(), columns in columns()) {
        let mut definitions = world(tracks.len() as u32);
        for region in &mut definitions.regions {
            region.paradigm = Paradigm::User;
        }
        check_activity(&Hand::new(definitions, &tracks).store(), &some.of(tracks.len()), &columns)?;
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

/// What [`calls`] of 150,000 sends and of 100 reductions make of the time before a moment.
fn sends_and_reductions(t: i64, of: &[u32]) -> BTreeMap<u32, u64> {
    let count = 150_000;
    let reached = t.clamp(0, 2 * count);
    let mut sums = BTreeMap::new();
    let mut add = |region: u32, time: i64| *sums.entry(region).or_insert(0) += time as u64;
    for location in of {
        let (inner, reached) = if *location == 0 { (SEND, reached) } else { (REDUCE, reached.min(200)) };
        add(inner, (reached + 1) / 2);
        add(WAIT, reached / 2);
    }
    sums.retain(|_, time| *time > 0);
    sums
}

#[test]
fn a_location_is_cut_among_threads_and_nothing_changes() {
    let hand = Hand::new(world(2), &[calls(SEND, 150_000), calls(REDUCE, 100)]);
    let made = |threads: usize, memory: u64| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| hand.store_within(memory))
    };
    let store = made(1, common::PLENTY);
    for threads in [2, 3, 16] {
        let other = made(threads, common::PLENTY);
        assert_eq!(common::differences(store.path(), other.path()), Vec::<String>::new(), "{threads} threads");
    }
    // With next to no memory there is one bin.
    let poor = made(4, 1);
    for store in [&store, &poor] {
        for of in [&[0, 1][..], &[0], &[1]] {
            for t in [0, 1, 2, 777, 99_999, 299_999, 300_000, 300_050] {
                let times = store.region_times(&ids(of), &[Ns(0), Ns(t)], 0);
                let mut told: BTreeMap<u32, u64> = times.regions.iter().map(|(region, of)| (region.0, of[0])).collect();
                told.retain(|_, time| *time > 0);
                assert_eq!(told, sends_and_reductions(t, of), "locations {of:?} before {t}");
            }
        }
    }
}

#[test]
fn columns_of_many_spans_begin_at_bins() {
    let store = Hand::new(world(2), &[calls(SEND, 150_000), calls(REDUCE, 100)]).store();
    // 150,102 spans make at most 293 bins of 1,024 ns or twice that.
    let asked: Vec<Ns> = (0..=40).map(|column| Ns(300_000 * column / 40)).collect();
    let all = ids(&[0, 1]);
    assert_eq!(store.region_times(&all, &asked, u64::MAX).edges, asked, "all of them may be visited");
    let times = store.region_times(&all, &asked, 1_000);
    assert!(times.edges[1..40].iter().all(|edge| edge.0 % 1_024 == 0), "{:?}", times.edges);
    for (column, edges) in times.edges.windows(2).enumerate() {
        let [before, after] = [edges[0], edges[1]].map(|edge| sends_and_reductions(edge.0, &[0, 1]));
        for (region, of_columns) in &times.regions {
            let at = |sums: &BTreeMap<u32, u64>| sums.get(&region.0).copied().unwrap_or(0);
            assert_eq!(of_columns[column], at(&after) - at(&before), "region {region:?} in {edges:?}");
        }
    }
    // Columns of few bins each are told by spans.
    let narrow: Vec<Ns> = (0..=40).map(|column| Ns(100_001 + 50 * column)).collect();
    assert_eq!(store.region_times(&all, &narrow, 0).edges, narrow);
}

#[test]
fn groups_that_are_asked_for_as_a_whole_answer_by_bins() {
    let track = |rank: i64| -> Vec<Timed> {
        let calls = calls(if rank % 3 == 0 { REDUCE } else { SEND }, 200);
        // Ten times as slow, and no two ranks at the same moment.
        calls.into_iter().map(|(time, event)| (10 * time + 7 * rank % 20, event)).collect()
    };
    let tracks: Vec<Vec<Timed>> = (0..600).map(track).collect();
    let store = Hand::new(world(600), &tracks).store();
    let asked = [30, 1_010, 2_030, 3_010, 3_990];
    let moved = |locations: std::ops::Range<u32>| {
        let locations: Vec<u32> = locations.collect();
        let times = check_sums(&store, &locations, &asked, 0).unwrap();
        times.edges.iter().zip(asked).filter(|(edge, asked)| edge.0 != *asked).count()
    };
    assert_eq!(moved(0..600), 3, "all together");
    assert_eq!(moved(250..600), 3, "two groups and six ranks more");
    assert_eq!(moved(256..512), 3, "one group");
    assert_eq!(moved(1..256), 0, "a part of one, whose spans are visited");
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
