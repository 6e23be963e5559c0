//! Lines of `dag.dot`, and the names of nodes in it and in StarVZ's table of its edges.

use heddle_model::TaskId;

use super::graph::Graph;
use super::job_id;

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// An edge from what is waited for to what waits.
    Edge(&'a [u8], &'a [u8]),
    /// A node and its label.
    Node(&'a [u8], &'a [u8]),
    /// Clusters, colours, the beginning and the end.
    Else,
    /// Something in quotes that is neither.
    Nonsense,
}

pub(super) fn line(line: &[u8]) -> Line<'_> {
    let Some((first, rest)) = quoted(line) else {
        return if line.contains(&b'"') { Line::Nonsense } else { Line::Else };
    };
    if let Some(rest) = rest.trim_ascii_start().strip_prefix(b"->") {
        return quoted(rest).map_or(Line::Nonsense, |(second, _)| Line::Edge(first, second));
    }
    if !rest.trim_ascii_start().starts_with(b"[") {
        return Line::Nonsense;
    }
    let label = rest.windows(LABEL.len()).position(|window| window == LABEL);
    let label = label.and_then(|at| quoted(&rest[at + LABEL.len() - 1..]));
    label.map_or(Line::Else, |(label, _)| Line::Node(first, label))
}

const LABEL: &[u8] = b"label=\"";

/// What stands between quotes at the beginning, and what follows.
fn quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = text.trim_ascii_start().strip_prefix(b"\"")?;
    let end = inside.iter().position(|byte| *byte == b'"')?;
    Some((&inside[..end], &inside[end + 1..]))
}

/// A node by its name: `task_3_1426`, `3_1426`, or `mpi_<tag>_<number>`.
pub(super) fn node(graph: &mut Graph, name: &[u8]) -> Option<TaskId> {
    let Some(message) = name.strip_prefix(b"mpi_") else {
        return job_id(name.strip_prefix(b"task_").unwrap_or(name));
    };
    let (tag, number) = std::str::from_utf8(message).ok()?.rsplit_once('_')?;
    let number = number.parse().ok().filter(|number| *number < TaskId::MOST)?;
    Some(graph.message(tag.parse().ok()?, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        assert_eq!(line(b"\t \"task_0_2\"->\"mpi_0_0\""), Line::Edge(b"task_0_2", b"mpi_0_0"));
        assert_eq!(
            line(b"\"task_1\" [ style=filled, label=\"gemm\", fillcolor=\"#aaaaaa\"]"),
            Line::Node(b"task_1", b"gemm")
        );
        assert_eq!(line(b"subgraph cluster_0 {"), Line::Else);
        assert_eq!(line(b"}"), Line::Else);
        for odd in [&b"\"task_0_2\"->"[..], b"\"task_0", b"\"a\" \"b\"", b"\"task_0_2\"->\"x"] {
            assert_eq!(line(odd), Line::Nonsense, "{}", String::from_utf8_lossy(odd));
        }
    }

    #[test]
    fn nodes_are_tasks_or_messages() {
        let mut graph = Graph::default();
        assert_eq!(node(&mut graph, b"task_3_14"), Some(TaskId::new(3, 14)));
        assert_eq!(node(&mut graph, b"14"), Some(TaskId::new(0, 14)));
        assert!(node(&mut graph, b"mpi_-5_14").is_some());
        for odd in [&b"mpi_"[..], b"mpi_1", b"mpi_x_1", b"mpi_1_99999999999999", b"task_", b"tag_1"] {
            assert_eq!(node(&mut graph, odd), None, "{}", String::from_utf8_lossy(odd));
        }
    }
}
