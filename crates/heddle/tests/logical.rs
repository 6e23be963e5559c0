//! Logical time on the command line: tables, what `info` says, and what `import` leaves for later.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use common::Place;

/// A small halo exchange with one slow rank.
fn place() -> Place {
    let place = Place::new();
    place.simulate("run", &["--ranks", "9", "--iterations", "10", "--slow-rank", "4"]);
    place
}

/// The lines of a table behind its header, cut into columns.
fn rows(csv: &str) -> Vec<Vec<String>> {
    csv.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn steps_and_phases_are_tables() {
    let place = place();
    let steps = place.ok(&["export", "run.otf2", "--table", "steps"]);
    let leading = "rank,region,kind,start_ns,end_ns,phase,step,lateness_ns,phase_lateness_ns";
    assert!(steps.starts_with(leading), "{}", steps.lines().next().unwrap());
    let phases = place.ok(&["export", "run.otf2", "--table", "phases"]);
    assert!(phases.starts_with("phase,first_step,last_step,ranks,events,max_lateness_ns"));
    let (steps, phases) = (rows(&steps), rows(&phases));
    // The sends of a round are one event, and so is the wait for them.
    let of_rank = |rank: &str| steps.iter().filter(|row| row[0] == rank).collect::<Vec<_>>();
    assert_eq!(of_rank("4").iter().filter(|row| row[1] == "MPI_Isend" && row[2] == "send").count(), 10);
    assert_eq!(of_rank("4").iter().filter(|row| row[1] == "MPI_Waitall" && row[2] == "receive").count(), 10);
    let events: usize = phases.iter().map(|row| row[4].parse::<usize>().unwrap()).sum();
    assert_eq!(events, steps.len());
    // The slow rank is the one that sends late.
    let latest = steps.iter().filter(|row| row[2] == "send").max_by_key(|row| row[7].parse::<i64>().unwrap()).unwrap();
    assert_eq!(latest[0], "4");
}

#[test]
fn options_decide_the_result_and_are_checked() {
    let place = place();
    let count = |args: &[&str]| rows(&place.ok(&[&["export", "run.otf2", "--table", "steps"], args].concat())).len();
    assert!(count(&["--no-coalesce-isends"]) > count(&[]));
    let phases = |args: &[&str]| rows(&place.ok(&[&["export", "run.otf2", "--table", "phases"], args].concat())).len();
    assert!(phases(&["--phase-function", "MPI_Init"]) <= phases(&[]));
    let wrong = ["export", "run.otf2", "--table", "phases", "--phase-function", "MPI_Waital1"];
    place.fails(&wrong, 2, &["--phase-function", "`MPI_Waital1`", "close to it are MPI_Waitall"]);
    place.fails(
        &["export", "run.otf2", "--table", "spans", "--leap-merge"],
        2,
        &["--leap-merge", "steps, phases and clusters"],
    );
    place.fails(&["info", "run.otf2", "--leap-skip"], 2, &["--leap-merge"]);
    place.fails(&["info", "run.otf2", "--stepping", "last"], 2, &["sends-first, earliest"]);
}

#[test]
fn clusters_are_a_table_of_every_phase_or_of_a_scope() {
    let place = place();
    let text = place.ok(&["export", "run.otf2", "--table", "clusters"]);
    assert!(text.starts_with("scope,phase,rank,cluster,medoid_rank,height"), "{text}");
    let phases = rows(&place.ok(&["export", "run.otf2", "--table", "phases"]));
    let ranks: usize = phases.iter().map(|row| row[3].parse::<usize>().unwrap()).sum();
    let clusters = rows(&text);
    assert_eq!(clusters.len(), ranks, "every rank of every phase once");
    assert!(clusters.iter().all(|row| row[0] == "phase" && !text.contains("NaN") && !text.contains("inf")));
    let run = rows(&place.ok(&[
        "export",
        "run.otf2",
        "--table",
        "clusters",
        "--scope",
        "run",
        "--clusters",
        "3",
        "--metric",
        "duration",
    ]));
    assert!(run.iter().all(|row| row[0] == "run" && row[1].is_empty()));
    let wrong = ["export", "run.otf2", "--table", "clusters", "--scope", "phase"];
    place.fails(&wrong, 2, &["must be run, phase:NUMBER or steps:FROM:TO"]);
    let other = ["export", "run.otf2", "--table", "phases", "--clusters", "3"];
    place.fails(&other, 2, &["only --table clusters depends on it"]);
}

#[test]
fn info_tells_the_latest_phases() {
    let place = place();
    let info = place.json(&["info", "run.otf2", "--json"]);
    let logical = &info["logical"];
    let latest = logical["latest_phases"].as_array().unwrap();
    assert_eq!(latest.len(), 5);
    let lateness: Vec<i64> = latest.iter().map(|phase| phase["max_lateness_ns"].as_i64().unwrap()).collect();
    assert!(lateness.is_sorted_by(|left, right| left >= right) && lateness[4] > 0, "{lateness:?}");
    assert!(logical["phases"].as_u64().unwrap() >= 10 && logical["steps"].as_u64().unwrap() >= 20);
    let text = place.ok(&["info", "run.otf2"]);
    assert!(text.contains("logical time: ") && text.contains("latest phase"), "{text}");
}

#[test]
fn import_computes_logical_time_and_a_new_import_does_it_again() {
    let place = place();
    place.ok(&["import", "run.otf2", "-o", "run.heddle"]);
    let results = || place.names("run.heddle/derived");
    let first = results();
    assert!(first.len() == 1 && first[0].starts_with("logical-"), "{first:?}");
    place.ok(&["import", "run.otf2", "-o", "run.heddle", "--force"]);
    assert_eq!(results(), first);
    // Nothing to order is nothing to say.
    let alone = Place::new();
    alone.ok(&["simulate", "halo", "--ranks", "1", "--iterations", "2", "--allreduce-every", "0", "-o", "alone.otf2"]);
    assert!(alone.json(&["info", "alone.otf2", "--json"])["logical"].is_null());
    assert!(rows(&alone.ok(&["export", "alone.otf2", "--table", "phases"])).is_empty());
}
