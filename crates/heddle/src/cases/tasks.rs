//! One slow link among thirty nodes that factor a matrix by tasks.

use heddle_model::Source;
use heddle_simulate::{Factorisation, SimulateError, TaskOptions, Tasks};

use super::{Case, Figure, Run, Stop};

pub(super) static CASE: Case = Case {
    name: "tasks",
    title: "One slow link among thirty nodes",
    summary: "LU by tasks on 30 nodes: one node has a slow link, and its mates fall behind with it",
    about: "An LU factorisation by tasks, after Nesi et al. (2023): 92 by 92 tiles on 30 nodes with four cores and two GPUs \
            each, dealt block-cyclically in five rows and six columns. The link of node 0 carries 1 Gb/s instead of 25. How \
            much of its own work each node has done tells three groups apart: node 0; the nine nodes that share a row or a \
            column of the matrix with it; and the other twenty. All of them end late: after 81 s instead of 21. Beside it a \
            run whose links are all good, and one whose links are all slow: there everybody is equally late, and only the \
            lower bound tells.",
    runs: &[
        Run { name: "tasks-slow-link", simulate: || run(&[0]) },
        Run { name: "tasks-normal", simulate: || run(&[]) },
        Run { name: "tasks-all-slow", simulate: || run(&(0..NODES).collect::<Vec<usize>>()) },
    ],
    stops: &[
        Stop {
            title: "How far each node has come",
            text: "Every grey line is a node: the share of its own work that it has done. Points are groups of nodes that \
                   are equally far, found anew at each of 20 steps. At 24 s most have done 61 %, but node 0 only 35 %. The \
                   dashed line is the least time that these workers need for these tasks, 18.8 s. The run takes 81 s.",
            view: "v=1&trace=tasks-slow-link&layout=progress",
        },
        Stop {
            title: "Three groups",
            text: "The density of the nodes at step 6, cut at its minima. On the left node 0 alone; beside it nodes 1 to 6, \
                   12, 18 and 24; on the right the other twenty. These are the groups from step 2 to step 10. A larger \
                   bandwidth puts the first two together, since they are only a little apart.",
            view: "v=1&trace=tasks-slow-link&layout=1c(600progress,400density)&shown-step=6",
        },
        Stop {
            title: "Why just these nodes",
            text: "Who owns which tile: a pattern of five rows and six columns that repeats. A finished tile is sent along its \
                   row or its column. Nodes 1 to 5 share the rows of node 0, and 6, 12, 18 and 24 its columns: they wait for \
                   its tiles themselves. The others wait for nodes that wait, which takes longer to arrive.",
            view: "v=1&trace=tasks-slow-link&layout=1r(500progress,500distribution)&select=ranks:0&shown-step=6",
        },
        Stop {
            title: "The first second",
            text: "Nodes 0, 1, 7 and 8. Node 0 factors the first tile in 12 ms and goes on with its own; but the tile leaves \
                   for one node after the other, 59 ms each, where other links need 2.4. So node 1 has its `dtrsm` at 72 ms, \
                   then nothing for half a second. Nodes 7 and 8 begin at 0.37 s, when their mates have what they need, \
                   and have enough to do.",
            view: "v=1&trace=tasks-slow-link&layout=timeline&time=0:1200000000&ranks=0-1,7-8",
        },
        Stop {
            title: "What the Gantt chart says",
            text: "How busy cores and GPUs are. The twenty nodes that are ahead look worst: full for 8 s, then bursts of \
                   `dgemm` with up to 8 s of nothing between them. They have done what could be done. Node 0, which is to \
                   blame, is never idle for more than 0.6 s. Being busy is not getting ahead; that is why progress comes \
                   first.",
            view: "v=1&trace=tasks-slow-link&layout=1c(450progress,550gantt)&shown-step=6",
        },
        Stop {
            title: "With a good link",
            text: "The same program, all links at 25 Gb/s: one group at every step, and 20.5 s, 1.10 times the lower bound. What \
                   is lost is lost at the end, where too few tiles are left for all workers.",
            view: "v=1&trace=tasks-normal&layout=progress",
        },
        Stop {
            title: "All links slow",
            text: "One group again, so all seems well. But now every link carries 1 Gb/s, and the run takes 99 s: 5.3 times the \
                   lower bound. Where all are equally late no node stands out, and only the distance from the dashed line \
                   tells.",
            view: "v=1&trace=tasks-all-slow&layout=progress",
        },
    ],
    figures: &[
        Figure {
            file: "tasks-slow-link",
            run: "tasks-slow-link",
            render: "progress --size 1200x520",
            caption: "One slow link: node 0, its mates in the matrix, and the rest.",
        },
        Figure {
            file: "tasks-slow-link-gantt",
            run: "tasks-slow-link",
            render: "gantt --size 1200x620",
            caption: "The same run as a Gantt chart of cores and GPUs: the nodes that are ahead look idle.",
        },
        Figure {
            file: "tasks-normal",
            run: "tasks-normal",
            render: "progress --size 1200x520",
            caption: "All links good: one group, near the lower bound.",
        },
        Figure {
            file: "tasks-all-slow",
            run: "tasks-all-slow",
            render: "progress --size 1200x520",
            caption: "All links slow: one group too, far from the lower bound.",
        },
    ],
};

const NODES: usize = 30;
/// What a slow link carries, in Gb/s.
const SLOW: f64 = 1.0;

/// The factorisation with slow links on some nodes.
fn run(slow: &[usize]) -> Result<Box<dyn Source>, SimulateError> {
    let mut options = TaskOptions { tiles: 92, ..TaskOptions::on_grid(Factorisation::Lu, [5, 6]) };
    for node in slow {
        options.nodes[*node].gbit = SLOW;
    }
    Ok(Box::new(Tasks::new(&options)?))
}

#[cfg(test)]
mod tests {
    use heddle_model::LocationId;
    use heddle_store::{NoProgress, Store, store_simulation};
    use heddle_tasks::{GroupOptions, Groups, ProgressOptions, Progression};

    use super::*;

    /// What the analysis says of a run of this case.
    fn found(name: &str) -> (Progression, Groups, Store) {
        let run = CASE.runs.iter().find(|run| run.name == name).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("run.heddle");
        let store = store_simulation(&*(run.simulate)().unwrap(), name, &target, 1 << 29, &NoProgress).unwrap();
        let progression = Progression::open(&store, &ProgressOptions::default(), &NoProgress).unwrap();
        let groups = Groups::of(&progression, &GroupOptions::default());
        (progression, groups, store)
    }

    /// When a node first runs a task, and for how long it then runs none, at most; in milliseconds.
    fn idle(store: &Store, node: u32) -> (i64, i64) {
        let of_node = |location: &u64| store.locations.rank.get(*location).0 == node;
        let rows = (0..store.locations.len()).filter(of_node).flat_map(|at| store.spans_of(LocationId(at as u32)));
        let mut runs: Vec<(i64, i64)> =
            rows.map(|row| (store.spans.start.get(row).0, store.spans.end.get(row).0)).collect();
        runs.sort_unstable();
        let (mut longest, mut end) = (0, runs[0].0);
        for run in &runs {
            longest = longest.max(run.0 - end);
            end = end.max(run.1);
        }
        (runs[0].0 / 1_000_000, longest / 1_000_000)
    }

    fn seconds(progression: &Progression) -> [String; 3] {
        let (took, bound) = (progression.makespan() as f64 / 1e9, progression.bounds.area / 1e9);
        [format!("{took:.1}"), format!("{bound:.1}"), format!("{:.2}", took / bound)]
    }

    #[test]
    fn the_tour_says_what_the_analysis_finds() {
        let (slow, groups, store) = found("tasks-slow-link");
        assert_eq!(seconds(&slow), ["81.5", "18.8", "4.34"]);
        let members = |at: usize| groups.at[at].clusters.iter().map(|group| group.members.clone());
        let named = [vec![0], vec![1, 2, 3, 4, 5, 6, 12, 18, 24]];
        let are = |at: usize| groups.at[at].clusters.len() == 3 && members(at).take(2).eq(named.clone());
        assert_eq!((0..=20).filter(|at| are(*at)).collect::<Vec<_>>(), (2..=10).collect::<Vec<_>>());
        let means: Vec<String> = groups.at[6].clusters.iter().map(|group| format!("{:.2}", group.mean)).collect();
        assert_eq!((means.join(" "), slow.times[6].0 / 1_000_000_000), ("0.35 0.41 0.61".to_owned(), 24));
        // The first message: of the first tile, from node 0 to 1.
        let sent = |row| (store.messages.send.get(row).0, store.messages.recv.get(row).0);
        assert_eq!((sent(0).0 / 1_000_000, sent(0).1 / 1_000_000), (12, 71));
        assert_eq!([0, 1, 7, 8].map(|node| idle(&store, node)), [(0, 546), (71, 704), (371, 7_628), (376, 7_703)]);

        let (normal, groups, _) = found("tasks-normal");
        assert!(groups.at.iter().all(|at| at.clusters.len() == 1));
        assert_eq!(seconds(&normal), ["20.5", "18.8", "1.10"]);
        let (all_slow, groups, _) = found("tasks-all-slow");
        assert!(groups.at.iter().all(|at| at.clusters.len() == 1));
        assert_eq!(seconds(&all_slow), ["99.1", "18.8", "5.28"]);
    }
}
