//! Small Paje traces in the manner of two producers, and a table in the manner of `pj_dump`: seeds for damage.

#![allow(dead_code, reason = "each test binary uses a part of this")]

use std::fmt::Write;

/// Event types with their fields. A producer chooses numbers and may add fields.
const EVENTS: [(&str, &str); 15] = [
    ("PajeDefineContainerType", "Alias Type Name"),
    ("PajeDefineVariableType", "Alias Type Name Color"),
    ("PajeDefineStateType", "Alias Type Name"),
    ("PajeDefineEventType", "Alias Type Name"),
    ("PajeDefineLinkType", "Alias Type StartContainerType EndContainerType Name"),
    ("PajeDefineEntityValue", "Alias Type Name Color"),
    ("PajeCreateContainer", "Time Alias Type Container Name"),
    ("PajeDestroyContainer", "Time Type Name"),
    ("PajeSetVariable", "Time Type Container Value"),
    ("PajeAddVariable", "Time Type Container Value"),
    ("PajeSubVariable", "Time Type Container Value"),
    ("PajePushState", "Time Type Container Value Size"),
    ("PajePopState", "Time Type Container"),
    ("PajeStartLink", "Time Type Container Value StartContainer Key Size"),
    ("PajeEndLink", "Time Type Container Value EndContainer Key"),
];

/// The definitions of all events, numbered from `first`.
pub(crate) fn header(first: usize) -> String {
    let mut text = String::new();
    for (at, (event, fields)) in EVENTS.iter().enumerate() {
        writeln!(text, "%EventDef {event} {}", first + at).unwrap();
        for field in fields.split(' ') {
            let kind = match field {
                "Time" => "date",
                "Color" => "color",
                "Size" => "int",
                "Value" if event.contains("Variable") => "double",
                _ => "string",
            };
            writeln!(text, "% {field} {kind}").unwrap();
        }
        text.push_str("%EndEventDef\n");
    }
    text
}

/// Ranks in a ring that send and receive, as SimGrid's MPI writes it: seconds, ranks as containers, one barrier a round.
pub(crate) fn ring(ranks: usize, rounds: usize) -> String {
    let mut text = format!("#This file was generated using SimGrid-3.32.0\n#[ring --cfg=tracing:yes]\n{}", header(0));
    text.push_str("0 1 0 MPI\n2 2 1 MPI_STATE\n4 3 0 1 1 MPI_LINK\n1 4 1 power \"1 0 0\"\n");
    for rank in 0..ranks {
        writeln!(text, "6 0.000000000 {} 1 0 \"rank-{rank}\"", rank + 1).unwrap();
    }
    for (at, name) in ["PMPI_Send", "PMPI_Recv", "PMPI_Barrier", "computing"].iter().enumerate() {
        writeln!(text, "5 {} 2 {name} \"0 1 {at}\"", 10 + at).unwrap();
    }
    for round in 0..rounds {
        let start = round as f64 * 0.5;
        for rank in 0..ranks {
            let (me, next, key) = (rank + 1, (rank + 1) % ranks + 1, format!("{rank}_{round}"));
            writeln!(text, "11 {start:.9} 2 {me} 13 NA\n12 {:.9} 2 {me}", start + 0.1).unwrap();
            writeln!(text, "11 {:.9} 2 {me} 10 800", start + 0.1).unwrap();
            writeln!(text, "13 {:.9} 3 0 PTP {me} {key} 800\n12 {:.9} 2 {me}", start + 0.1, start + 0.12).unwrap();
            writeln!(text, "11 {:.9} 2 {next} 11 800\n14 {:.9} 3 0 PTP {next} {key}", start + 0.13, start + 0.2)
                .unwrap();
            writeln!(text, "12 {:.9} 2 {next}\n8 {:.9} 4 {me} {round}.5", start + 0.2, start + 0.2).unwrap();
        }
        for rank in 1..=ranks {
            writeln!(text, "11 {:.9} 2 {rank} 12 NA", start + 0.3).unwrap();
        }
        for rank in 1..=ranks {
            writeln!(text, "12 {:.9} 2 {rank}", start + 0.4).unwrap();
        }
    }
    for rank in 0..ranks {
        writeln!(text, "7 {:.9} 1 {}", rounds as f64, rank + 1).unwrap();
    }
    text
}

/// Nodes with workers that run tasks, as StarPU writes it: milliseconds, a tree of containers, links between nodes.
pub(crate) fn tasks(nodes: usize, rounds: usize) -> String {
    let mut text = header(1);
    text.push_str("1 MPIP 0 \"MPI Program\"\n1 P MPIP Program\n1 Mn P \"Memory Node\"\n1 T Mn Thread\n1 W T Worker\n");
    text.push_str(
        "1 MPICt P \"MPI Communication Thread\"\n3 WS W \"Worker State\"\n3 CtS MPICt \"Communication Thread State\"\n",
    );
    text.push_str("5 MPIL MPIP MPICt MPICt \"MPI communication\"\n2 nready P \"Number of Ready Tasks\" \"0 1 0\"\n");
    text.push_str(
        "6 I WS Idle \"1 0 0\"\n6 lu WS factor \"0 1 0\"\n6 gemm WS gemm \"0 0 1\"\n7 0.0 root MPIP 0 root\n",
    );
    for node in 0..nodes {
        writeln!(text, "7 0.0 {node}_p P root {node}_program\n7 0.0 {node}_mn0 Mn {node}_p RAM").unwrap();
        writeln!(text, "7 0.0 {node}_t1 T {node}_mn0 {node}_CPU0\n7 0.0 {node}_w1 W {node}_t1 CPU0").unwrap();
        writeln!(text, "7 0.0 {node}_mpict MPICt {node}_p mpict").unwrap();
    }
    for round in 0..rounds {
        let start = round as f64 * 10.0;
        for node in 0..nodes {
            let task = if (round + node) % 3 == 0 { "lu" } else { "gemm" };
            writeln!(text, "9 {start:.6} nready {node}_p {}.000000", round % 4).unwrap();
            writeln!(text, "12 {start:.6} WS {node}_w1 {task} 100\n13 {:.6} WS {node}_w1", start + 6.25).unwrap();
            let other = (node + 1) % nodes;
            writeln!(text, "14 {:.6} MPIL root 4096 {node}_mpict k{round}_{node} 4096", start + 6.5).unwrap();
            writeln!(text, "15 {:.6} MPIL root 4096 {other}_mpict k{round}_{node}", start + 8.0).unwrap();
        }
    }
    text
}

/// Rows of `pj_dump` for a few workers.
pub(crate) fn table(workers: usize) -> String {
    let mut text = "Container, 0, 0, 0, 100, 100, 0\nContainer, 0, Program, 0, 100, 100, root\n".to_owned();
    for worker in 0..workers {
        writeln!(text, "Container, root, Worker, 0, 100, 100, {worker}_CPU0").unwrap();
        for at in 0..4 {
            let (start, name) = (f64::from(at) * 20.0, if at % 2 == 0 { "Idle" } else { "gemm" });
            writeln!(
                text,
                "State, {worker}_CPU0, Worker State, {start:.6}, {:.6}, 20.000000, 0.000000, {name}",
                start + 20.0
            )
            .unwrap();
        }
        writeln!(text, "Variable, {worker}_CPU0, GFlops, 0.000000, 50.000000, 50.000000, {worker}.500000").unwrap();
        writeln!(text, "Link, root, MPI communication, 5.0, 9.5, 4.5, 819200, {worker}_CPU0, 0_CPU0, key_{worker}, 0")
            .unwrap();
    }
    text
}
