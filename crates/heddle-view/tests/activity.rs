//! The areas of the activity view against brute force, pixel by pixel.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use heddle_model::{Ns, RegionId};
use heddle_view::{
    ActivityColumns, Band, ColourBook, Colours, Framing, Layer, Size, Theme, View, ViewRequest, Window, efficiency,
};
use proptest::prelude::*;

mod common;
use common::{Call, Calls, calls_in, request};

/// The innermost MPI region at a moment, by plain recursion.
fn innermost(calls: &[Call], time: i64) -> Option<u32> {
    let Call(region, _, _, inside) = calls.iter().find(|Call(_, start, end, _)| (*start..*end).contains(&time))?;
    innermost(inside, time).or(matches!(region, 1 | 2).then_some(*region))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn at_every_pixel_the_areas_are_the_exact_shares_and_add_up(
        calls in proptest::collection::vec(calls_in(0, 400, 4), 1..7),
        from in 0i64..300, length in 1i64..400, pixels in 1u32..90, some in any::<bool>(),
    ) {
        let (_directory, store) = Calls::new(calls.clone()).store();
        let communicates = [1, 2].iter().any(|region| store.regions.count.get(*region) > 0);
        // A trace without any MPI call shows all regions; what it should look like is another question.
        prop_assume!(communicates);
        let window = Window {
            time: Some((Ns(from), Ns(from + length))),
            ranks: some.then(|| "0,2-4".parse().unwrap()),
            rows: None,
            ..Window::default()
        };
        let chosen: Vec<&Vec<Call>> = window.locations(&store).iter().map(|at| &calls[at.index()]).collect();
        let size = Size { width: pixels + 24, height: 222 };
        let asked = ViewRequest { framing: Framing::Strip, size, ..request(window.clone()) };
        let scene = View::Activity.scene(&store, &asked);
        prop_assert_eq!(scene.plot.width as u32, pixels);
        let bands: Vec<&Band> = scene
            .layers
            .iter()
            .find_map(|layer| if let Layer::Bands(bands) = layer { Some(bands.iter().collect()) } else { None })
            .unwrap();
        let colours = Colours::of(&store, &ColourBook::default(), Theme::Light);
        let columns = ActivityColumns::of(&store, &window, pixels);
        let edge = |pixel: u32| from + length * i64::from(pixel) / i64::from(pixels);
        let share_of = |moments: std::ops::Range<i64>, region: Option<u32>| {
            let all = (moments.end - moments.start) as f64 * chosen.len() as f64;
            let inside = moments.flat_map(|time| chosen.iter().map(move |calls| innermost(calls, time)));
            let count = inside.filter(|found| region.map_or(found.is_some(), |region| *found == Some(region))).count();
            if all > 0.0 { count as f64 / all } else { 0.0 }
        };
        for pixel in 0..pixels {
            let moments = edge(pixel)..edge(pixel + 1);
            let column = pixel as usize;
            let mut reached = scene.plot.y + scene.plot.height;
            for band in &bands {
                // Bands lie on each other without gaps.
                prop_assert!((band.lower[column] - reached).abs() < f32::EPSILON);
                reached = band.upper[column];
            }
            for region in [1, 2] {
                let expected = share_of(moments.clone(), Some(region));
                let drawn = bands.iter().find(|band| band.colour == colours.region(RegionId(region)));
                let height = drawn.map_or(0.0, |band| band.lower[column] - band.upper[column]);
                prop_assert!((f64::from(height / scene.plot.height) - expected).abs() < 1e-5, "pixel {pixel}");
                let time = columns.regions.iter().find(|(id, _)| id.0 == region).map_or(0, |(_, times)| times[column]);
                prop_assert_eq!(time, (expected * columns.available[column] as f64).round() as u64);
            }
            let filled = f64::from((scene.plot.y + scene.plot.height - reached) / scene.plot.height);
            prop_assert!((filled - share_of(moments, None)).abs() < 1e-5, "pixel {pixel}: the sum");
        }
        // What stays empty in the whole window is the efficiency.
        if let Some(efficiency) = efficiency(&store, &window) {
            prop_assert!((1.0 - efficiency - share_of(from..from + length, None)).abs() < 1e-12);
        } else {
            prop_assert!(chosen.is_empty());
        }
    }
}

#[test]
fn words_beside_a_low_plot_are_not_cut_off() {
    let (_directory, store) = Calls::new(vec![vec![Call(1, 0, 200, vec![])], vec![]]).store();
    for height in [72, 90, 150, 400] {
        let size = Size { width: 600, height };
        let scene =
            View::Activity.scene(&store, &ViewRequest { framing: Framing::Wide, size, ..request(Window::default()) });
        let beside: Vec<f32> = scene
            .labels
            .iter()
            .filter(|label| label.at.0 > scene.plot.x + scene.plot.width)
            .map(|label| label.at.1)
            .collect();
        assert!(beside.len() == 4 || height < 90 && beside.len() == 2, "{height}: {beside:?}");
        let lowest = scene.plot.y + scene.plot.height + 3.0;
        assert!(beside.iter().all(|y| *y >= 18.0 && *y <= lowest), "{height}: {beside:?}");
    }
}

#[test]
fn a_picture_with_nothing_in_it_says_why() {
    let note = |calls: Vec<Call>| {
        let (_directory, store) = Calls::new(vec![calls]).store();
        View::Activity.scene(&store, &request(Window::default())).notes.remove(0)
    };
    let recv = Call(1, 10, 20, Vec::new());
    assert!(note(vec![recv.clone()]).contains("the time of 1 location that it spent in each function"));
    // A function that communicates, but takes no time.
    let never = Call(1, 10, 10, Vec::new());
    assert_eq!(note(vec![Call(0, 0, 20, vec![never])]), "No time is spent in the functions that are counted here.");
}
