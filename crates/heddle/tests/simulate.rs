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
fn links_are_in_the_way_whatever_the_number_of_threads() {
    let made = |more: &[&str]| {
        let place = Place::new();
        let ranks = ["--ranks", "64", "--iterations", "3", "--bytes", "200000", "--ranks-per-node", "4"];
        place.simulate("run", &[&ranks[..], more].concat());
        archive(&place)
    };
    let links = ["--topology", "2x2x4", "--mapping", "tile", "--routing", "asp", "--link-bandwidth", "2"];
    let first = made(&[&links[..], &["--threads", "1"]].concat());
    assert!(first == made(&[&links[..], &["--threads", "4"]].concat()), "the same links");
    assert!(first != made(&[]), "no links");
}

#[test]
fn ranks_sit_where_a_map_file_says() {
    let place = Place::new();
    let args = ["simulate", "halo", "--ranks", "8", "--ranks-per-node", "2", "--topology", "2x2", "--force"];
    let run = |output: &str, map: &str| {
        place.ok(&[&args[..], &["--mapping", map, "-o", output]].concat());
    };
    // The order TXY, rank by rank.
    let rows: Vec<String> = (0..8).map(|rank| format!("{} {} {}\n", rank / 2 % 2, rank / 4, rank % 2)).collect();
    std::fs::write(place.path("good.map"), rows.concat()).unwrap();
    run("run.otf2", "good.map");
    let listed = archive(&place);
    run("run.otf2", "TXY");
    assert!(listed == archive(&place));
    run("run.otf2", "XYT");
    assert!(listed != archive(&place));

    std::fs::write(place.path("bad.map"), format!("{}0 7 0\n", rows[..3].concat())).unwrap();
    let fails = |map: &str, code: i32, words: &[&str]| {
        place.fails(&[&args[..], &["--mapping", map, "-o", "run.otf2"]].concat(), code, words);
    };
    fails("bad.map", 1, &["bad.map", "line 4", "y is `7`"]);
    std::fs::write(place.path("short.map"), rows[..3].concat()).unwrap();
    fails("short.map", 2, &["places 3 ranks", "8"]);
    fails("gone.map", 2, &["gone.map", "no such file", "round-robin"]);
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
        (&["--mapping", "tile", "-o", "x.otf2"], &["--topology"]),
        (&["--topology", "8by8", "-o", "x.otf2"], &["8by8", "8x8x16"]),
        (&["--topology", "2x2x2", "--ranks-per-node", "4", "-o", "x.otf2"], &["64 ranks do not fit", "hold 32"]),
        (&["--topology", "4x4", "--mapping", "TXYZ", "-o", "x.otf2"], &["TXYZ does not fit 4x4"]),
        (&["--iterations", "0", "-o", "x.otf2"], &["iterations must be at least 1"]),
        (&["--ranks", "4", "--slow-rank", "1,4", "-o", "x.otf2"], &["slow rank 4 does not exist"]),
        (&["--noise", "7", "-o", "x.otf2"], &["noise is 7"]),
        (
            &["--ranks", "20", "--slow-node", "2", "-o", "x.otf2"],
            &["slow node 2 does not exist", "last of 2 nodes is 1"],
        ),
        (&["--bandwidth", "0", "-o", "x.otf2"], &["GB/s above 0"]),
        (&["--compute", "18446744073709551615", "-o", "x.otf2"], &["nine years"]),
        (&["--fault", "sloow:rank=1", "-o", "x.otf2"], &["sloow", "stall, slow, drift, link, card, network"]),
        (&["--fault", "slow:rank=64,factor=2", "-o", "x.otf2"], &["rank 64 does not exist"]),
        (&["--fault", "slow:node=4,factor=2", "-o", "x.otf2"], &["node 4 does not exist", "last of 4 nodes is 3"]),
        (&["--fault", "slow:rank=1,factor=2,function=fft", "-o", "x.otf2"], &["no function fft", "iterate, compute"]),
        (&["--fault", "factors:file=none.txt", "-o", "x.otf2"], &["none.txt"]),
        (&["--fault", "stall:rank=1,at=9s,for=1ms", "-o", "x.otf2"], &["changes nothing"]),
        (&["--dimensions", "4", "-o", "x.otf2"], &["4"]),
        (&["--ranks", "many", "-o", "x.otf2"], &["many"]),
    ] {
        place.fails(&[&["simulate", "halo"], args].concat(), 2, words);
    }
    assert!(place.names(".").is_empty(), "{:?}", place.names("."));
    place.fails(&["simulate", "halo", "-o", "/proc/heddle-x/x.otf2"], 1, &["/proc/heddle-x", "cannot write"]);
}

#[test]
fn a_planted_stall_makes_the_run_longer_by_its_length() {
    let place = Place::new();
    std::fs::write(place.path("factors.txt"), "1\n".repeat(7) + "1.5\n").unwrap();
    let end = |faults: &[&str]| {
        let halo = ["simulate", "halo", "--ranks", "8", "--noise", "0", "--force", "-o", "halo.otf2"];
        place.ok(&[&halo[..], faults].concat());
        place.json(&["info", "--json", "halo.otf2"])["end_ns"].as_i64().unwrap()
    };
    let without = end(&[]);
    let stall = ["--fault", "stall:rank=5,at=20ms,for=14ms"];
    assert_eq!(end(&stall), without + 14_000_000);
    let slow = end(&["--fault", "slow:rank=7,factor=1.5"]);
    assert!(slow > without + 24_000_000, "fifty computations of a millisecond take half as long again");
    assert_eq!(end(&["--fault", "factors:file=factors.txt"]), slow, "the same, from a file");
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

#[test]
fn the_nodes_decide_how_long_tasks_take() {
    let place = Place::new();
    // Two by two tiles on two nodes of one core each, the second column on node 1. Two tiles go there, one after the other:
    // that of the diagonal after 20 ms, that below it 33 ms later.
    let end = |more: &[&str]| {
        let two = ["simulate", "tasks-lu", "--tiles", "2", "--nodes", "1x2", "--cpus", "1", "--gpus", "0"];
        place.ok(&[&two[..], &["--noise", "0", "--force", "-o", "run.heddle"], more].concat());
        place.json(&["info", "--json", "run.heddle"])["end_ns"].as_i64().unwrap()
    };
    let (work, way) = (20_000_000 + 33_000_000 + 65_000_000 + 20_000_000, 2_359_296 + 10_000);
    assert_eq!(end(&[]), work + way);
    assert_eq!(end(&["--bandwidth", "12.5", "--latency", "0"]), work + 2 * 2_359_296);
    assert_eq!(end(&["--kernel", "dgemm:100,dgetrf:10/1"]), work + way + 35_000_000 - 20_000_000);
    assert_eq!(end(&["--speed-of", "0-1:2"]), work / 2 + way);
    assert_eq!(end(&["--tile-size", "96"]), work + 23_593 + 10_000);
    // At 1 Gb/s the second tile comes in after the first.
    assert_eq!(end(&["--bandwidth-of", "1:1"]), 20_000_000 + 10_000 + 2 * 58_982_400 + 85_000_000);
    // With a GPU each, all but the diagonal is done there.
    assert_eq!(end(&["--gpus-of", "0-1:1"]), 12_000_000 + 3_000_000 + 5_000_000 + 12_000_000 + way);
    let all = ["--generate", "before", "--distribution", "1d-1d", "--generate-loads", "1:3"];
    assert!(end(&all) > 80_000_000 + work, "four tiles of 40 ms on two cores");
}

#[test]
fn tasks_are_the_same_whatever_the_number_of_threads() {
    let made = |seed: &str, threads: &str| {
        let place = Place::new();
        let run = ["simulate", "tasks-cholesky", "--tiles", "9", "--nodes", "4", "--generate", "beside"];
        place.ok(&[&run[..], &["--seed", seed, "--threads", threads, "-o", "run.otf2"]].concat());
        archive(&place)
    };
    let first = made("7", "1");
    assert!(first == made("7", "4"), "the same seed");
    assert!(first != made("8", "1"), "another seed");
}

#[test]
fn tasks_without_sense_are_refused_in_words() {
    let place = Place::new();
    for (args, words) in [
        (&["--nodes", "0"][..], &["5x6"][..]),
        (&["--nodes", "5x"], &["5x6"]),
        (&["--tiles", "0"], &["tiles must be at least 1"]),
        (&["--bandwidth-of", "30:1"], &["node 30 does not exist", "last of 30 nodes is 29"]),
        (&["--loads", "0:2"], &["cyclic", "--distribution 1d-1d"]),
        (&["--loads", "3-1:2", "--distribution", "1d-1d"], &["4-7:2"]),
        (&["--kernel", "dsyrk:1"], &["no kernel `dsyrk`", "dplrnt, dgetrf, dtrsm, dgemm"]),
        (&["--kernel", "dgemm"], &["dgemm:65/5"]),
        (&["--cpus-of", "3:0", "--gpus-of", "3:0"], &["node 3 has no worker for dgetrf"]),
        (&["--cpus-of", "3:0", "--generate", "before"], &["node 3 has no worker for dplrnt"]),
        (&["--bandwidth", "NaN"], &["bandwidth"]),
        (&["--nodes", "4294967295x2"], &["nodes is", "it must be from"]),
    ] {
        place.fails(&[&["simulate", "tasks-lu", "-o", "x.heddle"], args].concat(), 2, words);
    }
    place.fails(&["simulate", "tasks-random", "--tasks", "7", "-o", "x.heddle"], 2, &["tasks is 7"]);
    assert!(place.names(".").is_empty(), "{:?}", place.names("."));
}
