//! What a diagnosis says: every kind of finding in numbers, verdicts, shares that add up, and silence where nothing is known.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use heddle_diagnosis::diagnosis::{Diagnosis, Split};
use heddle_diagnosis::finding::{Finding, FindingKind, Verdict};
use heddle_diagnosis::suspect::{Cut, Group, Place, Suspect};
use heddle_logical::{Logical, LogicalOptions};
use heddle_model::{LocationId, Ns, RegionId};
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_view::{
    DiagnosisTold, Selection, SpanName, Steps, Window, cause_of, diagnosis_markdown, diagnosis_sentences,
    diagnosis_text, diagnosis_told, duration_text, efficiency_told, finding_label,
};

const MS: i64 = 1_000_000;

/// A small stencil code on two nodes, and what is known of it.
struct Run {
    store: Store,
    diagnosis: Diagnosis,
    _folder: tempfile::TempDir,
}

fn run() -> Run {
    let folder = tempfile::tempdir().unwrap();
    let options = HaloOptions { ranks: 16, iterations: 12, ..HaloOptions::default() };
    let source = halo(&options, &Machine::default()).unwrap();
    let store = store_simulation(&source, "halo", &folder.path().join("halo.heddle"), 1 << 28, &NoProgress).unwrap();
    let mut diagnosis = Diagnosis::new(&store, &NoProgress).unwrap();
    // What detection finds in it is its own business.
    diagnosis.findings.clear();
    diagnosis.verdict = Verdict::Balanced;
    Run { store, diagnosis, _folder: folder }
}

impl Run {
    fn region(&self, name: &str) -> RegionId {
        let regions = &self.store.regions;
        RegionId((0..regions.len()).find(|row| regions.name.get(*row) == name).unwrap() as u32)
    }

    /// A finding on some ranks: 3.16 ms in `compute` where 1.75 ms is usual, 18.84 % of all time.
    fn finding(&self, kind: FindingKind, ranks: &[u32]) -> Finding {
        let locations: Vec<LocationId> = ranks.iter().map(|rank| LocationId(*rank)).collect();
        let end = Ns(self.store.summary().end_ns);
        let suspect = Suspect {
            kind,
            locations,
            group: None,
            pairs: Vec::new(),
            place: Place { region: self.region("compute"), before: None },
            since: Ns(0),
            until: end,
            is_throughout: true,
            usual: 1.75e6,
            found: 3.16e6,
            visits: 12,
            slow_visits: 12,
            z: 9.0,
            period: None,
            cuts: Vec::new(),
        };
        Finding {
            suspect,
            cost_share: 0.1884,
            functions: Vec::new(),
            without: None,
            without_dearer: None,
            waiting: 15,
            window: (Ns(0), end),
        }
    }

    fn told(&mut self, findings: Vec<Finding>) -> DiagnosisTold {
        self.diagnosis.verdict = match findings.iter().any(|finding| finding.kind().blames()) {
            true => Verdict::Faulty,
            false if findings.is_empty() => Verdict::Balanced,
            false => Verdict::Uneven,
        };
        let costs: f64 = findings.iter().map(|finding| finding.cost_share).sum();
        let chance = (0.25 - costs).max(0.0);
        self.diagnosis.split = Split { useful: 0.7, chance, communication: 0.05, other: 0.0 };
        self.diagnosis.findings = findings;
        diagnosis_told(&self.store, &self.diagnosis)
    }
}

/// Tenths of a percent that a text says.
fn tenths(text: &str) -> u32 {
    text.strip_suffix(" %").unwrap().replace('.', "").parse().unwrap()
}

#[test]
fn a_slow_rank_is_told_in_numbers() {
    let mut run = run();
    let mut finding = run.finding(FindingKind::SlowRanks, &[5]);
    finding.without = Some(run.diagnosis.run.replayed - 3 * MS);
    let told = run.told(vec![finding]);
    let first = &told.findings[0];
    assert_eq!(told.verdict, "faulty");
    assert_eq!(told.headline_text(), "Rank 5 computes slowly: that costs 18.8 % of the time of all ranks.");
    assert_eq!((first.number, first.kind, first.title.as_str()), (1, "slow-ranks", "Rank 5 computes slowly"));
    assert_eq!(first.label, "rank 5 computes 1.8× slower");
    assert_eq!(first.place, "rank 5 · throughout");
    assert_eq!(first.evidence(), "compute takes 3.16 ms, elsewhere 1.75 ms: 1.81×, in all 12 visits.");
    assert!(first.without_text().ends_with(", 3.00 ms less."), "{}", first.without_text());
    assert_eq!((first.ranks.as_deref(), first.nodes.len()), (Some("5"), 0));
    assert_eq!(first.function_name.as_deref(), Some("compute"));
    assert_eq!(first.cost_text, "18.8 %");
}

#[test]
fn who_is_meant_is_said_shortly() {
    let mut run = run();
    let label = |run: &Run, finding: &Finding| finding_label(&run.store, finding);
    let several = run.finding(FindingKind::SlowRanks, &[3, 4, 5, 9]);
    assert_eq!(label(&run, &several), "ranks 3–5, 9 compute 1.8× slower");
    let many = run.finding(FindingKind::SlowRanks, &[1, 3, 5, 7, 9]);
    assert_eq!(label(&run, &many), "5 ranks compute 1.8× slower");
    let mut column = run.finding(FindingKind::SlowRanks, &[1, 5, 9, 13]);
    column.suspect.group = Some(Group::Stride { first: 1, stride: 4, count: 4 });
    assert_eq!(label(&run, &column), "every 4th rank from 1 to 13 computes 1.8× slower");
    let node = run.store.node_of(LocationId(0)).unwrap();
    let name = run.store.system_tree.name.get(u64::from(node.0)).to_owned();
    let mut on_node = run.finding(FindingKind::SlowRanks, &[0, 1, 2, 3]);
    on_node.suspect.group = Some(Group::Node(node));
    let told = run.told(vec![on_node]);
    assert_eq!(told.findings[0].nodes, [name], "the node is accused, by its name");
    assert!(told.findings[0].place.starts_with("ranks 0–3"), "{}", told.findings[0].place);
}

#[test]
fn every_kind_has_words_and_no_share_exceeds_the_whole() {
    let mut run = run();
    for kind in FindingKind::ALL {
        let mut finding = run.finding(kind, &[2, 3]);
        finding.suspect.pairs = vec![(LocationId(2), LocationId(3)), (LocationId(3), LocationId(2))];
        finding.suspect.period = Some(1e7);
        // More than everything: a fault of ours must not become a claim.
        finding.cost_share = 4.35;
        let told = run.told(vec![finding]);
        let first = &told.findings[0];
        assert!(first.cost_share <= 1.0 && tenths(&first.cost_text) <= 1_000, "{kind:?}");
        for text in [&first.title, &first.label, &first.place, &first.evidence(), &told.headline_text()] {
            assert!(!text.is_empty() && !text.contains("because") && !text.contains("NaN"), "{kind:?}: {text}");
        }
        assert!(first.evidence().ends_with('.') && first.advice.starts_with("Look at: "), "{kind:?}");
        assert_eq!(told.verdict == "faulty", kind.blames(), "{kind:?}");
        let blamed = told.headline_text().contains("no one rank is to blame");
        assert_eq!(blamed, !kind.blames(), "{}", told.headline_text());
        let sum: u32 = told.split.iter().map(|part| tenths(&part.text)).sum();
        assert_eq!(sum, 1_000, "{kind:?}");
        assert!((told.split.iter().map(|part| part.share).sum::<f64>() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn an_uneven_run_is_told_by_what_is_uneven_and_then_by_what_costs_more() {
    let mut run = run();
    let mut exposed = run.finding(FindingKind::ExposedCommunication, &[]);
    let mut late = run.finding(FindingKind::LateReceiver, &[2]);
    (exposed.cost_share, late.cost_share) = (0.2, 0.04);
    let headline = run.told(vec![exposed, late]).headline_text();
    assert!(headline.starts_with("Sends wait for their receives, which costs 4.0 %; no one rank"), "{headline}");
    assert!(headline.ends_with("Communication is not hidden behind computing: 20.0 %."), "{headline}");
}

#[test]
fn links_are_named_by_their_ends() {
    let mut run = run();
    let mut link = run.finding(FindingKind::SlowLink, &[3, 12]);
    link.suspect.pairs = vec![(LocationId(3), LocationId(12))];
    assert_eq!(finding_label(&run.store, &link), "messages from rank 3 to rank 12 take 1.8× as long");
    link.suspect.pairs.push((LocationId(12), LocationId(3)));
    assert_eq!(finding_label(&run.store, &link), "messages between rank 3 and rank 12 take 1.8× as long");
    link.suspect.pairs.push((LocationId(1), LocationId(2)));
    let told = run.told(vec![link]);
    assert_eq!(told.findings[0].place, "3 pairs of ranks · throughout");
    assert!(told.findings[0].evidence().contains("others of their length 1.75 ms: 1.81×, in all 12 messages."));
}

#[test]
fn when_it_was_is_said() {
    let mut run = run();
    let length = run.store.summary().end_ns;
    let mut late = run.finding(FindingKind::SlowRanks, &[5]);
    (late.suspect.since, late.suspect.is_throughout) = (Ns(length / 2), false);
    let told = run.told(vec![late.clone()]);
    assert!(told.findings[0].place.ends_with(" to the end"), "{}", told.findings[0].place);
    let told = efficiency_told(&run.store, &run.diagnosis, &Window::default());
    let names: Vec<&str> = told.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!((names, told.cut), (vec!["run", "until", "since"], Some(Ns(length / 2))));
    (late.suspect.since, late.suspect.until) = (Ns(length / 4), Ns(length / 2));
    let told = run.told(vec![late]);
    assert!(told.findings[0].place.contains(" to ") && !told.findings[0].place.contains("end"));
    let mut stall = run.finding(FindingKind::Stall, &[5]);
    let at = Ns(length / 2);
    (stall.suspect.since, stall.suspect.slow_visits, stall.suspect.found) = (at, 1, 14.1e6);
    stall.suspect.cuts = vec![Cut { location: LocationId(5), start: at, end: Ns(at.0 + 1_000), excess: 1_000 }];
    let told = run.told(vec![stall]);
    let first = &told.findings[0];
    assert_eq!(first.title, "Rank 5 stalled once");
    assert!(first.place.starts_with("rank 5 · at "), "{}", first.place);
    assert_eq!(first.evidence(), "One visit of compute took 14.1 ms, usually 1.75 ms. 15 ranks waited for it.");
    assert!(first.select.is_some(), "the call is to be shown");
}

#[test]
fn gains_that_another_finding_hides_are_said() {
    let mut run = run();
    let length = run.diagnosis.run.replayed;
    let [mut first, mut second] = [5, 9].map(|rank| run.finding(FindingKind::SlowRanks, &[rank]));
    (first.without, second.without) = (Some(length - 4 * MS), Some(length - MS));
    run.told(vec![first, second]);
    run.diagnosis.findings[0].without_dearer = Some(length - 4 * MS);
    run.diagnosis.findings[1].without_dearer = Some(length - 7 * MS);
    let told = diagnosis_told(&run.store, &run.diagnosis);
    assert!(told.findings[0].without_text().ends_with("4.00 ms less."));
    let second = told.findings[1].without_text();
    assert!(second.ends_with("1.00 ms less; with rank 5 mended, 3.00 ms less."), "{second}");
    // Gains that add up need no further word.
    run.diagnosis.findings[0].without_dearer = Some(length - 4 * MS);
    run.diagnosis.findings[1].without_dearer = Some(length - 5 * MS);
    let told = diagnosis_told(&run.store, &run.diagnosis);
    assert!(told.findings[1].without_text().ends_with("1.00 ms less."));
}

#[test]
fn a_balanced_run_may_still_lose_much_to_communication() {
    let mut run = run();
    let finding = run.finding(FindingKind::ExposedCommunication, &[]);
    run.told(vec![finding]);
    run.diagnosis.verdict = Verdict::Balanced;
    let told = diagnosis_told(&run.store, &run.diagnosis);
    let begin = "Balanced: nobody stands out, but communication is not hidden behind computing: 18.8 %; ";
    assert!(told.headline_text().starts_with(begin), "{}", told.headline_text());
}

#[test]
fn a_clean_run_accuses_nobody() {
    let mut run = run();
    let told = run.told(Vec::new());
    assert_eq!(told.verdict, "balanced");
    let headline = told.headline_text();
    assert!(headline.starts_with("Balanced: nobody stands out; ") && headline.ends_with(" % is lost to chance."));
    assert!(!headline.contains("rank "));
    let chance = told.split.iter().find(|part| part.kind == "chance").unwrap();
    assert!(headline.contains(&chance.text), "one figure, said the same way");
    assert_eq!(tenths(&told.lost.text), 1_000 - tenths(&told.split[0].text));
    assert!(told.checks.iter().any(|check| check.ok && check.text == "no late receivers"));
}

#[test]
fn nothing_is_said_about_time_when_clocks_disagree() {
    let mut run = run();
    let finding = run.finding(FindingKind::SlowRanks, &[5]);
    run.told(vec![finding]);
    run.diagnosis.clocks.is_broken = true;
    (run.diagnosis.clocks.violations, run.diagnosis.clocks.checked) = (312, 4_096);
    run.diagnosis.clocks.largest = 3_200_000;
    let told = diagnosis_told(&run.store, &run.diagnosis);
    assert_eq!(told.verdict, "unknown");
    assert!(told.findings.is_empty() && told.remaining.is_empty() && told.path.parts.is_empty());
    assert!(told.functions.iter().all(|function| function.cost_share == 0.0 && function.parts.is_empty()));
    let headline = told.headline_text();
    assert!(headline.contains("312 of 4,096") && headline.contains("by up to 3.200 ms"), "{headline}");
    let all = diagnosis_sentences(&run.store, &run.diagnosis).join(" ");
    assert!(!all.contains("ank 5"), "{all}");
    assert_eq!(told.checks.iter().filter(|check| check.ok).count(), 0, "what rests on time was not examined");
    assert!(efficiency_told(&run.store, &run.diagnosis, &Window::default()).cut.is_none());
    // What was useful is known all the same, and waiting is communication like the rest.
    run.diagnosis.split = Split::default();
    let told = diagnosis_told(&run.store, &run.diagnosis);
    let whole = run.diagnosis.whole;
    assert!((told.split[0].share - whole.parallel()).abs() < 1e-9, "{:?}", told.split);
    assert!(told.split.iter().all(|part| part.kind != "chance" || part.share == 0.0));
}

#[test]
fn text_and_markdown_say_the_same() {
    let mut run = run();
    let finding = run.finding(FindingKind::SlowRanks, &[5]);
    let told = run.told(vec![finding]);
    let columns = efficiency_told(&run.store, &run.diagnosis, &Window::default()).columns;
    let text = diagnosis_text(&told, &columns, str::to_owned);
    let markdown = diagnosis_markdown(&told, &columns, str::to_owned);
    for (text, what) in [(&text, "text"), (&markdown, "markdown")] {
        assert!(text.contains("Rank 5 computes slowly") && text.contains("18.8 %"), "{what}: {text}");
        assert!(text.contains("compute takes 3.16 ms, elsewhere 1.75 ms: 1.81×"), "{what}: {text}");
        assert!(text.contains("load balance") && text.contains("no late receivers"), "{what}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 110), "{text}");
}

#[test]
fn functions_cost_as_much_as_all_waiting() {
    let mut run = run();
    let told = run.told(Vec::new());
    let all = run.diagnosis.whole.elapsed as f64 * run.diagnosis.whole.ranks as f64;
    let costs: f64 = told.functions.iter().map(|function| function.cost_share).sum();
    assert!((costs - told.waits.explained * told.waits.total as f64 / all).abs() < 1e-6, "{costs}");
    assert!(told.functions.windows(2).all(|two| two[0].cost_share >= two[1].cost_share));
    assert!(told.path.parts.iter().all(|part| (0.0..=1.0).contains(&part.share)));
    let json = serde_json::to_value(&told).unwrap();
    assert!(json["waits"]["total_ns"].is_string() && json["replay"]["length_ns"].is_string());
}

#[test]
fn functions_cost_what_their_findings_cost_and_the_rest_of_the_waiting() {
    let mut run = run();
    let waiting: f64 = run.told(Vec::new()).functions.iter().map(|function| function.cost_share).sum();
    let (compute, wait) = (run.region("compute"), run.region("MPI_Waitall"));
    let mut slow = run.finding(FindingKind::SlowRanks, &[5]);
    slow.functions = vec![(compute, waiting / 4.0)];
    let mut card = run.finding(FindingKind::SlowCard, &[9]);
    card.functions = vec![(compute, waiting / 8.0), (wait, waiting / 8.0)];
    let told = run.told(vec![slow, card]);
    let of = |region: RegionId| told.functions.iter().find(|function| function.region == Some(region)).unwrap();
    let parts = |region: RegionId| {
        of(region).parts.iter().map(|part| (part.finding, part.cost_share)).collect::<Vec<(Option<usize>, f64)>>()
    };
    assert_eq!(parts(compute)[..2], [(Some(1), waiting / 4.0), (Some(2), waiting / 8.0)]);
    assert_eq!(parts(wait)[0], (Some(2), waiting / 8.0));
    let all: f64 = told.functions.iter().map(|function| function.cost_share).sum();
    assert!((all - waiting).abs() < 1e-6, "{all} of {waiting}");
    for function in told.functions.iter().filter(|function| !function.parts.is_empty()) {
        let sum: f64 = function.parts.iter().map(|part| part.cost_share).sum();
        assert!((sum - function.cost_share).abs() < 1e-3, "{function:?}");
    }
}

#[test]
fn a_call_that_waited_is_followed_to_the_work_that_it_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let options = HaloOptions { ranks: 16, iterations: 12, ..HaloOptions::default() };
    let machine = Machine { slow_ranks: vec![5], ..Machine::default() };
    let source = halo(&options, &machine).unwrap();
    let store = store_simulation(&source, "halo", &folder.path().join("halo.heddle"), 1 << 28, &NoProgress).unwrap();
    let mut diagnosis = Diagnosis::new(&store, &NoProgress).unwrap();
    let steps = Steps::from(Logical::open(&store, &LogicalOptions::default(), &NoProgress).unwrap());
    let longest = diagnosis.run.waits.list.iter().max_by_key(|wait| wait.wait).unwrap();
    let selected = Selection::Span(SpanName::of(&store, longest.span));
    let said = |diagnosis: &Diagnosis| {
        let answer = cause_of(&store, &steps, Some(diagnosis), &Window::default(), &selected).unwrap();
        answer.text.iter().map(|piece| piece.text.as_str()).collect::<String>()
    };
    let text = said(&diagnosis);
    let begin = format!("rank {} waited {} in ", longest.location.0, duration_text(longest.wait));
    assert!(text.starts_with(&begin), "{text}");
    assert!(text.contains("rank 5, which spent ") && text.ends_with(" longer in compute."), "{text}");
    diagnosis.clocks.is_broken = true;
    assert!(said(&diagnosis).starts_with("The clocks of the trace disagree"), "nothing is said about time");
}
