//! Small traces written by hand: what the samples lack.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

#[path = "common/paje.rs"]
mod common;

use common::{read, read_with};
use heddle_formats::paje::{self, Options, Unit, pj_dump};
use heddle_formats::{Input, MemoryFiles, MemoryScratch, OpenError};
use heddle_model::{LocationKind, Paradigm, TaskId, TaskInfo, WarningKind};
use proptest::prelude::*;

/// Event numbers that are words, fields in an unusual order, old names of fields.
const HEAD: &str = "\
# made by hand
% EventDef PajeDefineContainerType ct\n%  Name string\n% ContainerType string\n% Alias string\n%EndEventDef
%EventDef\tPajeDefineStateType\tst\n%\tAlias\tstring\n%\tType\tstring\n%\tName\tstring\n%EndEventDef
%EventDef PajeDefineVariableType vt\n%Alias string\n%Type string\n%Name string\n%EndEventDef
%EventDef PajeDefineEventType et\n%Alias string\n%Type string\n%Name string\n%EndEventDef
%EventDef PajeDefineLinkType lt\n%Alias string\n%Type string\n%SourceContainerType string\n%DestContainerType string\n%Name string\n%EndEventDef
%EventDef PajeDefineEntityValue ev\n%Alias string\n%EntityType string\n%Name string\n%Color color\n%EndEventDef
%EventDef PajeCreateContainer 7\n%Time date\n%Alias string\n%Type string\n%Container string\n%Name string\n%EndEventDef
%EventDef PajeDestroyContainer 8\n%Time date\n%Type string\n%Name string\n%EndEventDef
%EventDef PajeSetState 10\n%Value string\n%Container string\n%Type string\n%Time date\n%EndEventDef
%EventDef PajePushState 4095\n%Time date\n%Type string\n%Container string\n%Value string\n%EndEventDef
%EventDef PajePopState 4096\n%Time date\n%Type string\n%Container string\n%EndEventDef
%EventDef PajeResetState 011\n%Time date\n%Type string\n%Container string\n%EndEventDef
%EventDef PajeSetVariable 13\n%Time date\n%Type string\n%Container string\n%Value double\n%EndEventDef
%EventDef PajeAddVariable 14\n%Time date\n%Type string\n%Container string\n%Value double\n%EndEventDef
%EventDef PajeSubVariable 15\n%Time date\n%Type string\n%Container string\n%Value double\n%EndEventDef
%EventDef PajeStartLink 16\n%Time date\n%Type string\n%Container string\n%Value string\n%SourceContainer string\n%Key string\n%Size int\n%Tag int\n%EndEventDef
%EventDef PajeEndLink 17\n%Time date\n%Type string\n%Container string\n%Value string\n%DestContainer string\n%Key string\n%EndEventDef
%EventDef PajeNewEvent 18\n%Time date\n%Type string\n%Container string\n%Value string\n%Info string\n%EndEventDef
%EventDef PajeTraceFile 19\n%Container string\n%Type string\n%Filename string\n%EndEventDef
%EventDef PajeFuture 20\n%Time date\n%EndEventDef
ct Machine 0 M
ct Process M P
st S P \"Process State\"
st S2 P Other
vt V P Load
et E P Happening
lt L M P P Message
ev r S running \"0 1 0\"
ev w S \"waiting # long\" \".9 .1 .0\"
7 0 m M 0 machine
7 0 a P m \"rank 0\"
7 0 b P m \"rank 1\"
";

fn made(lines: &str) -> common::Read {
    read(format!("{HEAD}{lines}").as_bytes())
}

#[test]
fn a_stack_of_states_becomes_spans() {
    let read = made(
        "10 r a S 1e-9\n4095 0.000000002 S a w\n4095 .000000003 \"S\" \"a\" undeclared   # comment\n\
         4096 4e-9 S a\n4096 5e-9 S a\r\n10 \"w\" a\t\t\"Process State\" 6e-9\n10 r a S 6e-9\n4095 7e-9 S a w\n011 9e-9 S a\n",
    );
    // 10 sets, 4095 pushes, 4096 pops, 011 resets; time zero is the creation of the first container.
    assert_eq!(
        read.spans_of("rank 0"),
        [
            "running 1-6",
            "waiting # long 2-5",
            "undeclared 3-4",
            "waiting # long 6-6",
            "running 6-9",
            "waiting # long 7-9"
        ]
    );
    assert!(
        read.warnings.to_vec().iter().all(|warning| warning.kind == WarningKind::UnknownRecords),
        "{:?}",
        read.warnings
    );
}

#[test]
fn state_types_that_know_nothing_of_each_other_get_rows_of_their_own() {
    let read = made("4095 1e-9 S a r\n4095 2e-9 S2 a x\n4096 3e-9 S a\n4096 4e-9 S2 a\n");
    assert_eq!(read.spans_of("rank 0"), ["running 1-3"]);
    assert_eq!(read.spans_of("rank 0: Other"), ["x 2-4"]);
    let names: Vec<&str> = read.definitions.system_tree.iter().map(|node| node.class.as_str()).collect();
    assert_eq!(names, ["machine", "process", "process"]);
    assert_eq!((read.definitions.ranks(), read.definitions.world.len()), (2, 2));
}

#[test]
fn what_is_open_ends_with_its_container_or_the_trace() {
    let read = made("4095 1e-9 S a r\n4095 1e-9 S b r\n8 5e-9 P a\n4096 9e-9 S2 b\n");
    assert_eq!(read.spans_of("rank 0"), ["running 1-5"]);
    assert_eq!(read.spans_of("rank 1"), ["running 1-9"]);
    assert_eq!((read.warned(WarningKind::OpenRegions), read.warned(WarningKind::StrayLeaves)), (1, 1));
    let read = made("4095 1e-9 S a r\n8 5e-9 M m\n8 6e-9 M m\n");
    assert_eq!(read.spans_of("rank 0"), ["running 1-5"], "what is below goes with it");
}

#[test]
fn variables_add_up() {
    let read = made("13 1e-9 V a 5\n14 2e-9 V a 2.5\n15 3e-9 V a 10\n14 4e-9 V b 1\n13 5e-9 V a 7\n14 6e-9 V a 1\n");
    assert_eq!(read.values("rank 0: Load", "Load"), [(1, 5.0), (2, 7.5), (3, -2.5), (5, 7.0), (6, 8.0)]);
    assert_eq!(read.values("rank 1: Load", "Load"), [(4, 1.0)]);
    assert_eq!(read.definitions.locations[read.location("rank 0: Load")].kind, LocationKind::Metric);
}

#[test]
fn links_pair_by_key_whatever_comes_first() {
    let read = made(
        "16 10e-9 L m x a k1 100 7\n17 5e-9 L m x b k2\n16 1e-9 L m x a k2 200 7\n17 20e-9 L m x b k1\n\
         16 30e-9 L m x b k1 300\n17 40e-9 L m x a k1\n16 50e-9 L m x a alone 1 1\n17 60e-9 L m x a other\n",
    );
    let (messages, sends, receives) = read.messages();
    let told: Vec<_> = messages.iter().map(|m| (m.send, m.recv, m.bytes, m.tag)).collect();
    assert_eq!(told, [(1, 5, 200, 7), (10, 20, 100, 7), (30, 40, 300, 0)]);
    assert_eq!((sends, receives), (1, 1));
    assert_eq!((messages[0].from.as_str(), messages[0].to.as_str()), ("rank 0: links", "rank 1: links"));
}

#[test]
fn links_that_overtake_each_other_keep_their_partners() {
    let read = made(
        "16 1e-9 L m x a k1 1 7\n16 2e-9 L m x a k2 2 7\n16 3e-9 L m x a k3 3 7\n\
         17 10e-9 L m x b k3\n17 11e-9 L m x b k1\n17 12e-9 L m x b k2\n",
    );
    let mut told: Vec<_> = read.messages().0.iter().map(|m| (m.send, m.recv, m.bytes, m.tag)).collect();
    told.sort_unstable();
    assert_eq!(told, [(1, 11, 1, 7), (2, 12, 2, 7), (3, 10, 3, 7)]);
}

#[test]
fn events_are_marks_with_their_fields() {
    let read = made("18 3e-9 E a \"value one\" more\n4095 5e-9 S a r\n18 4e-9 E a late\n4096 6e-9 S a\n");
    let mark = |time, text: &str| (time, "Happening".to_owned(), text.to_owned());
    assert_eq!(read.marks("rank 0"), [mark(3, "value one Info=more")]);
    assert_eq!(read.marks("rank 0: events"), [mark(4, "late")], "where time has gone on, marks go aside");
}

#[test]
fn what_is_odd_is_counted_and_the_rest_read() {
    let read = made(
        "4095 1e-9 S nobody r\n4095 1e-9 nothing a r\n4095 1e-9 V a r\n99 1 2 3\n4095 x S a r\n4095 1e-9 S\n13 1e-9 V a much\n\
         20 1\n19 a b c\n4095 5e-9 S a r\n4096 3e-9 S a\n4096 6e-9 S a extra words\n\n   \n# end\n",
    );
    assert_eq!(read.spans_of("rank 0"), ["running 5-5"]);
    let count = |kind| read.warned(kind);
    assert_eq!(count(WarningKind::UndefinedReference), 3, "container, type, a type of another kind");
    assert_eq!(count(WarningKind::Corrupt), 4, "id, time, field, number");
    assert_eq!(count(WarningKind::UnknownRecords), 2, "PajeFuture, its definition and its line");
    assert_eq!((count(WarningKind::MissingFile), count(WarningKind::TimeFalls)), (1, 1));
    assert_eq!((count(WarningKind::StrayLeaves), count(WarningKind::UnusedRecords)), (1, 1));
    let first = HEAD.lines().count() as u64 + 1;
    let place = read.warnings.to_vec().into_iter().find(|w| w.text.contains("nothing creates")).unwrap().place;
    assert_eq!(place, format!("t, line {first}"));
}

#[test]
fn definitions_may_come_late_and_again() {
    let read = made(
        "%EventDef PajePushState 4095\n%Value string\n%Container string\n%Type string\n%Time date\n%EndEventDef\n\
         4095 r a S 1e-9\nev r S changed\n4095 r a S 2e-9\n7 3e-9 a P m another\n4095 r a S 4e-9\n",
    );
    assert_eq!(read.spans_of("rank 0"), ["running 1-4", "changed 2-4"]);
    assert_eq!(read.spans_of("another"), ["changed 4-4"]);
    assert_eq!(read.warned(WarningKind::DuplicateDefinition), 2, "an event number, an alias");
}

#[test]
fn the_unit_can_be_chosen() {
    let text = format!("{HEAD}4095 1.5 S a r\n4096 2 S a\n");
    for (unit, start) in [
        (None, 1_500_000_000),
        (Some(Unit::Milliseconds), 1_500_000),
        (Some(Unit::Microseconds), 1_500),
        (Some(Unit::Nanoseconds), 2),
    ] {
        let read = read_with(text.as_bytes(), 1 << 20, Options { unit }).unwrap();
        assert_eq!(read.spans()[0].start, start, "{unit:?}");
    }
    let starpu = format!("{HEAD}st WS P \"Worker State\"\n4095 1.5 S a r\n");
    assert_eq!(read(starpu.as_bytes()).spans()[0].start, 1_500_000, "StarPU writes milliseconds");
}

#[test]
fn a_file_cut_anywhere_keeps_what_came_before() {
    let text = format!("{HEAD}4095 1e-9 S a r\n4096 3e-9 S a\n4095 4e-9 S b w\n4096 6e-9 S b\n");
    let whole = read(text.as_bytes()).spans();
    for cut in HEAD.len()..text.len() {
        let read = read(&text.as_bytes()[..cut]);
        let lines = text[HEAD.len()..cut].matches('\n').count();
        let spans = read.spans();
        assert!(spans.len() >= lines / 2, "cut at {cut}");
        assert_eq!(spans[..lines / 2], whole[..lines / 2], "cut at {cut}");
        assert_eq!(read.warned(WarningKind::Truncated), u64::from(!text[..cut].ends_with('\n')), "cut at {cut}");
    }
    for cut in 0..HEAD.len() {
        let _ = read_with(&text.as_bytes()[..cut], 1 << 20, Options::default());
    }
}

#[test]
fn only_traces_are_recognised() {
    assert!(paje::recognise(HEAD.as_bytes()));
    for no in ["", "#only a comment\n", "%!PS-Adobe-3.0\n", "EventDef", "1 2 3\n%EventDef PajeX 1\n"] {
        assert!(!paje::recognise(no.as_bytes()), "{no}");
        assert!(read_with(no.as_bytes(), 1 << 20, Options::default()).is_err(), "{no}");
    }
    for yes in
        ["Container, 0, 0, 0, 4439.68, 4439.68, 0\n", "Nature, ResourceId, Type, Start\n", "Event, a, b, 1.0, c\n"]
    {
        assert!(pj_dump::recognise(yes.as_bytes()), "{yes}");
    }
    for no in ["State of the art\n", "Container, a\n", "Link, a, b, c, d, e, f, g\n", "a,b,c\n"] {
        assert!(!pj_dump::recognise(no.as_bytes()), "{no}");
    }
}

#[test]
fn reading_can_be_given_up_and_needs_one_file() {
    let files = MemoryFiles::default();
    files.insert("t", HEAD.as_bytes().to_vec());
    files.insert("table", b"Event, a, b, 1.0, c\n".to_vec());
    let scratch = MemoryScratch::default();
    let open = |names: &[&str], go_on: bool| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let go_on = |_| go_on;
        let input =
            Input { files: &files, names: &names, scratch: &scratch, memory: 1 << 20, go_on: &go_on, say: &|_| {} };
        let open = if names[0] == "t" { paje::open } else { pj_dump::open };
        open(&input).map(drop)
    };
    for name in ["t", "table"] {
        assert!(open(&[name], true).is_ok());
        assert!(matches!(open(&[name], false), Err(OpenError::Cancelled)));
        assert!(matches!(open(&[name, name], true), Err(OpenError::Wrong { .. })));
    }
    assert!(open(&["missing"], true).is_err());
}

#[test]
fn a_table_with_nesting_quotes_and_gaps() {
    let read = read(
        b"Container, 0, 0, 0, 9, 9, 0\nLink, 0, M, 1, 2, 1, 50, rank 0, rank 1, k, 3\nContainer, 0, P, 0, 9, 9, rank 0\n\
          State, rank 0, S, 2.0, 3.0, 1.0, 1.000000, inner\nState, rank 0, S, 1.0, 5.0, 4.0, 0.000000, \"out,er\"\n\
          State, rank 0, S, 5.0, 5.0, 0.0, 0.000000, none\nState, rank 0, S, 5.0, 6.0, 1.0, 0.000000, last\n\
          Variable, rank 0, V, 0.0, 4.0, 4.0, 7.5\nEvent, rank 0, E, 7.0, hello, more\nContainer, 0, P, 0, 9, 9, rank 1\n\
          State, rank 0, S, x\nNonsense\n",
    );
    let second = |from: i64, to: i64| format!("{}-{}", from * 1_000_000_000, to * 1_000_000_000);
    assert_eq!(
        read.spans_of("rank 0"),
        [("out,er", 1, 5), ("inner", 2, 3), ("none", 5, 5), ("last", 5, 6)]
            .map(|(name, a, b)| format!("{name} {}", second(a, b)))
    );
    let messages = read.messages().0;
    assert_eq!((messages.len(), messages[0].bytes, messages[0].tag), (1, 50, 3));
    assert_eq!(read.values("rank 0: V", "V"), [(0, 7.5)]);
    assert_eq!(read.marks("rank 0: events")[0].2, "hello more");
    assert_eq!(read.warned(WarningKind::Corrupt), 2);
}

#[test]
fn tasks_are_told_by_their_job() {
    let fields = "%EventDef PajeSetState 30\n%Time date\n%Container string\n%Type string\n%Value string\n%JobId string\n%Iteration string\n%EndEventDef\n";
    let read = made(&format!(
        "{fields}10 gemm a S 1e-9\n30 1e-9 a S gemm 0_7 3\n10 r a S 5e-9\n30 6e-9 a S gemm 0_8\n10 r a S 7e-9\n011 8e-9 S a\n"
    ));
    assert_eq!(read.spans_of("rank 0"), ["gemm 1-5", "running 5-6", "gemm 6-7", "running 7-8"]);
    let first = TaskInfo { iteration: 3, ..TaskInfo::new(TaskId::new(0, 7)) };
    assert_eq!(read.tasks("rank 0"), [(1, first), (6, TaskInfo::new(TaskId::new(0, 8)))]);
    assert_eq!(read.definitions.workers.len(), 1);
    let task = read.definitions.regions.iter().find(|region| region.name == "gemm").unwrap();
    assert_eq!(task.paradigm, Paradigm::Task);
}

proptest! {
    /// The same records come out whatever the memory, and however the lines fall into blocks.
    #[test]
    fn memory_and_blocks_do_not_matter(steps in prop::collection::vec((0u8..6, 0u8..2, 0u64..50), 1..400), padding in 0usize..3) {
        let mut text = HEAD.to_owned();
        let mut time = 0;
        // Comments move the lines against the borders of blocks.
        text.push_str(&format!("#{}\n", "x".repeat(60_000)).repeat(padding));
        for (at, (kind, who, later)) in steps.iter().enumerate() {
            time += later;
            let who = ["a", "b"][usize::from(*who)];
            let date = format!("0.{time:09}");
            text.push_str(&match kind {
                0 | 1 => format!("4095 {date} S {who} v{}\n", at % 7),
                2 => format!("4096 {date} S {who}\n"),
                3 => format!("14 {date} V {who} {at}\n"),
                4 => format!("16 {date} L m x {who} k{} {at}\n", at % 5),
                _ => format!("17 {date} L m x {who} k{}\n", at % 5),
            });
        }
        let much = read_with(text.as_bytes(), 1 << 30, Options::default()).unwrap();
        let little = read_with(text.as_bytes(), 1 << 12, Options::default()).unwrap();
        prop_assert_eq!(much.spans(), little.spans());
        prop_assert_eq!(much.messages(), little.messages());
        let naive = steps.iter().filter(|(kind, ..)| *kind < 2).count();
        prop_assert_eq!(much.spans().len(), naive);
        let values: Vec<f64> = steps.iter().enumerate().filter(|(_, step)| step.0 == 3 && step.1 == 0).map(|(at, _)| at as f64)
            .scan(0.0, |sum, change| { *sum += change; Some(*sum) }).collect();
        if !values.is_empty() {
            prop_assert_eq!(much.values("rank 0: Load", "Load").into_iter().map(|(_, value)| value).collect::<Vec<_>>(), values);
        }
    }
}
