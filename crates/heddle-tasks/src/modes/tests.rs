use heddle_testkit::Chance;
use proptest::prelude::*;

use super::*;

fn exact(values: &[f64], h: f64, depth: f64) -> Modes {
    Modes::by(&Density::with(values, h, usize::MAX), values, depth)
}

fn binned(values: &[f64], h: f64, depth: f64) -> Modes {
    Modes::by(&Density::with(values, h, 0), values, depth)
}

fn sizes(modes: &Modes) -> Vec<usize> {
    modes.clusters.iter().map(|cluster| cluster.members.len()).collect()
}

#[test]
fn an_even_spread_is_one_group_but_ripples() {
    let values: Vec<f64> = (0..30).map(|at| 0.2 + 0.015 * f64::from(at)).collect();
    assert_eq!(sizes(&Modes::of(&values, 0.01, 0.02)), [30]);
    assert!(Modes::of(&values, 0.01, 0.0).clusters.len() > 20);
}

#[test]
fn two_nodes_are_one_group_up_to_two_bandwidths() {
    for (apart, groups) in [(1.0, 1), (1.999, 1), (2.0, 1), (2.02, 2), (2.2, 2), (16.9, 2), (17.1, 2), (40.0, 2)] {
        let values = [0.5, 0.5 + apart * 0.01];
        assert_eq!(Modes::of(&values, 0.01, 0.0).clusters.len(), groups, "{apart} h");
    }
}

#[test]
fn nobody_one_and_equal_ones_are_no_trouble() {
    assert_eq!(Modes::of(&[], 0.01, 0.02).clusters, []);
    assert_eq!(sizes(&Modes::of(&[0.3], 0.01, 0.0)), [1]);
    assert_eq!(sizes(&Modes::of(&[1.0; 50], 0.01, 0.0)), [50]);
    assert_eq!(sizes(&Modes::of(&vec![0.0; 5_000], 0.01, 0.0)), [5_000]);
    assert_eq!(sizes(&binned(&vec![0.0; 5_000], 0.01, 0.0)), [5_000]);
    assert_eq!(sizes(&Modes::of(&[f64::NAN, 0.1, f64::INFINITY], 0.01, 0.0)), [1]);
}

#[test]
fn a_value_at_a_cut_belongs_to_the_slower_group() {
    // The lowest place between two equal crowds is the middle, where one more value stands.
    let mut values = vec![-0.02; 50];
    values.extend([0.02; 50]);
    values.push(0.0);
    for modes in [exact(&values, 0.01, 0.0), binned(&values, 0.01, 0.0)] {
        assert_eq!(sizes(&modes), [51, 50]);
        assert!(modes.cuts[0].abs() < 1e-9, "{:?}", modes.cuts);
    }
}

#[test]
fn a_cut_in_an_empty_stretch_is_in_its_middle() {
    let modes = Modes::of(&[0.1, 0.1, 0.9], 0.01, 0.0);
    assert!((modes.cuts[0] - 0.5).abs() < 0.01 / 8.0, "{:?}", modes.cuts);
    assert!((modes.clusters[0].mean - 0.1).abs() < 1e-15);
}

#[test]
fn shallow_valleys_go_before_deep_ones() {
    // Three crowds, the first two with a shallow valley between them: the guard joins those and leaves the third.
    let mut values = vec![0.5; 10];
    values.extend([0.521; 10]);
    values.extend([0.545; 10]);
    assert_eq!(sizes(&Modes::of(&values, 0.01, 0.0)), [10, 10, 10]);
    assert_eq!(sizes(&Modes::of(&values, 0.01, 0.02)), [20, 10]);
}

#[test]
fn a_curve_is_the_density() {
    let values = [0.2, 0.21, 0.5];
    let density = Density::new(&values, 0.05);
    let curve = density.curve(-0.5..1.5, 2001);
    assert_eq!(curve.len(), 2001);
    assert_eq!((curve[0].0, curve[2000].0), (-0.5, 1.5));
    let area: f64 = curve.iter().map(|(_, height)| height * 0.001).sum();
    assert!((area - 1.0).abs() < 1e-9, "{area}");
    let direct = |place: f64| -> f64 {
        let sum: f64 = values.iter().map(|value: &f64| (-0.5 * ((place - value) / 0.05).powi(2)).exp()).sum();
        sum / (3.0 * 0.05 * (2.0 * std::f64::consts::PI).sqrt())
    };
    assert!(curve.iter().all(|(place, height)| (height - direct(*place)).abs() < 1e-12));
}

#[test]
fn bins_are_as_good_as_values() {
    let mut chance = Chance(7);
    let values: Vec<f64> = (0..3_000).map(|_| chance.below(1 << 30) as f64 / f64::from(1 << 30)).collect();
    let (fine, rough) = (Density::with(&values, 0.01, usize::MAX), Density::with(&values, 0.01, 0));
    let worst = (0..=1000).map(|at| f64::from(at) / 1000.0).map(|at| (fine.at(at) - rough.at(at)).abs());
    let worst = worst.fold(0.0, f64::max);
    assert!(worst < 1e-8, "{worst}");
}

/// Values as nodes have them: anywhere, in crowds, on few places, or most of them equal.
fn values(counts: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    (counts, 0..4u8, any::<u64>()).prop_map(|(count, shape, seed)| {
        let mut chance = Chance(seed);
        let mut share = move || chance.below(1 << 40) as f64 / (1u64 << 40) as f64;
        let crowds: Vec<(f64, f64)> = (0..5).map(|_| (share(), 0.03 * share())).collect();
        (0..count)
            .map(|at| match shape {
                0 => share(),
                1 => {
                    let (middle, width) = crowds[at % crowds.len()];
                    middle + width * (share() + share() + share() - 1.5)
                }
                2 => (share() * 300.0).floor() / 300.0,
                _ if at % 10 > 0 => 0.5,
                _ => share(),
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn bins_give_the_exact_groups(values in values(2_001..5_000), h in 0.002..0.1f64, depth in 0..2u8) {
        let depth = 0.02 * f64::from(depth);
        let (exact, binned) = (exact(&values, h, depth), binned(&values, h, depth));
        prop_assert_eq!(sizes(&exact), sizes(&binned));
        prop_assert_eq!(exact.clusters, binned.clusters);
    }

    #[test]
    fn wider_bandwidths_make_no_more_groups(values in values(1..200), h in 0.002..0.05f64, factor in 1.0..3.0f64) {
        let groups = |h: f64| Landscape::of(&Density::new(&values, h)).peaks.len();
        prop_assert!(groups(h * factor) <= groups(h));
    }

    #[test]
    fn order_and_copies_change_nothing(values in values(1..300), h in 0.002..0.05f64, seed: u64) {
        let modes = Modes::of(&values, h, 0.02);
        let mut chance = Chance(seed);
        let mut order: Vec<usize> = (0..values.len()).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, chance.below(at + 1));
        }
        let shuffled: Vec<f64> = order.iter().map(|at| values[*at]).collect();
        let other = Modes::of(&shuffled, h, 0.02);
        prop_assert_eq!(&other.cuts, &modes.cuts);
        for (cluster, other) in modes.clusters.iter().zip(&other.clusters) {
            let mut back: Vec<u32> = other.members.iter().map(|at| order[*at as usize] as u32).collect();
            back.sort_unstable();
            prop_assert_eq!(&back, &cluster.members);
        }
        let twice: Vec<f64> = values.iter().chain(&values).copied().collect();
        prop_assert_eq!(&Modes::of(&twice, h, 0.02).cuts, &modes.cuts);
    }

    #[test]
    fn everybody_is_in_one_group_and_groups_are_in_order(values in values(1..300), h in 0.002..0.05f64) {
        let modes = Modes::of(&values, h, 0.0);
        let mut members: Vec<u32> = modes.clusters.iter().flat_map(|cluster| cluster.members.clone()).collect();
        members.sort_unstable();
        prop_assert!(members.into_iter().eq(0..values.len() as u32));
        prop_assert_eq!(modes.cuts.len() + 1, modes.clusters.len());
        prop_assert!(modes.clusters.windows(2).all(|pair| pair[0].mean < pair[1].mean));
    }
}
