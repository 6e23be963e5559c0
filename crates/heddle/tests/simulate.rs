//! `heddle simulate`: the same seed the same bytes, nothing overwritten unasked, nonsense refused in words.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::collections::BTreeMap;

use common::Place;

/// Every file of the archive `run` in a place.
fn archive(place: &Place) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for name in ["run.otf2", "run.def"] {
        files.insert(name.to_owned(), std::fs::read(place.path(name)).unwrap());
    }
    for name in place.names("run") {
        files.insert(name.clone(), std::fs::read(place.path("run").join(name)).unwrap());
    }
    files
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let made = |seed: &str, threads: &str| {
        let place = Place::new();
        place.simulate("run", &["--ranks", "9", "--iterations", "30", "--seed", seed, "--threads", threads]);
        archive(&place)
    };
    let first = made("7", "1");
    assert!(first == made("7", "4"), "the same seed");
    assert!(first != made("8", "1"), "another seed");
}

#[test]
fn what_is_there_is_replaced_only_with_force() {
    for output in ["run.otf2", "run.heddle"] {
        let place = Place::new();
        let small = ["simulate", "halo", "--ranks", "4", "--iterations", "3", "-o", output];
        let large = ["simulate", "halo", "--ranks", "8", "--iterations", "3", "-o", output];
        assert_eq!(place.ok(&small).trim(), output);
        place.fails(&large, 2, &["already exists", "--force"]);
        assert_eq!(place.json(&["info", "--json", output])["ranks"], 4, "untouched");
        place.ok(&[&large[..], &["--force"]].concat());
        assert_eq!(place.json(&["info", "--json", output])["ranks"], 8);
        place.ok(&[&small[..], &["--force"]].concat());
        assert_eq!(place.json(&["info", "--json", output])["ranks"], 4, "no event files of the larger one are left");
        let left = place.names(".");
        assert!(left.iter().all(|name| name == "stores" || name.starts_with("run")), "{left:?}");
    }
}

#[test]
fn nonsense_is_refused_in_words() {
    let place = Place::new();
    for (args, words) in [
        (&["-o", "x.txt"][..], &["x.txt", ".otf2", ".heddle"][..]),
        (&["-o", "otf2"], &[".otf2"]),
        (&["-o", ".otf2"], &[".otf2"]),
        (&["--ranks", "0", "-o", "x.otf2"], &["ranks must be at least 1"]),
        (&["--iterations", "0", "-o", "x.otf2"], &["iterations must be at least 1"]),
        (&["--ranks", "4", "--slow-rank", "1,4", "-o", "x.otf2"], &["slow rank 4 does not exist"]),
        (&["--noise", "7", "-o", "x.otf2"], &["noise is 7"]),
        (
            &["--ranks", "20", "--slow-node", "2", "-o", "x.otf2"],
            &["slow node 2 does not exist", "last of 2 nodes is 1"],
        ),
        (&["--bandwidth", "0", "-o", "x.otf2"], &["GB/s above 0"]),
        (&["--compute", "18446744073709551615", "-o", "x.otf2"], &["nine years"]),
        (&["--dimensions", "4", "-o", "x.otf2"], &["4"]),
        (&["--ranks", "many", "-o", "x.otf2"], &["many"]),
    ] {
        place.fails(&[&["simulate", "halo"], args].concat(), 2, words);
    }
    assert!(place.names(".").is_empty(), "{:?}", place.names("."));
    place.fails(&["simulate", "halo", "-o", "/proc/heddle-x/x.otf2"], 1, &["/proc/heddle-x", "cannot write"]);
}

#[test]
fn the_machine_decides_how_long_a_run_takes() {
    let place = Place::new();
    // A token of 1000 bytes goes round twice among 4 ranks, without work on it. MPI_Init and MPI_Finalize take two levels of
    // L + 2o + 8G each; a hop takes o for the send, L and 1000G on the wire, and o for the receive.
    let end = |machine: &[&str]| {
        let ring =
            ["simulate", "ring", "--ranks", "4", "--laps", "2", "--bytes", "1000", "--compute", "0", "--noise", "0"];
        place.ok(&[&ring, machine, &["--force", "-o", "ring.otf2"]].concat());
        place.json(&["info", "--json", "ring.otf2"])["end_ns"].as_i64().unwrap()
    };
    let machine = ["--latency", "5000", "--overhead", "300", "--bandwidth", "0.5"];
    let ends = 2 * 2 * (5_000 + 600 + 16);
    assert_eq!(end(&machine), ends + 8 * (300 + 5_000 + 2_000 + 300));
    // By rendezvous, the request and its answer add a latency each.
    assert_eq!(
        end(&[&machine[..], &["--eager", "999"]].concat()),
        ends + 8 * (300 + 5_000 + 5_000 + 5_000 + 2_000 + 300)
    );
}
