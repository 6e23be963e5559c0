//! Programs to simulate, by name.

use heddle_simulate::{
    Eigen, EigenOptions, Halo, HaloOptions, Inverse, InverseOptions, Lu, LuOptions, Matmul, MatmulOptions, MergeTree,
    MergeTreeOptions, Multigrid, MultigridOptions, Nearest, NearestOptions, Orthogonalise, OrthogonaliseOptions, Pf3d,
    Pf3dOptions, Program, Ring, RingOptions, Scalapack, ScalapackOptions, Train, TrainOptions, Uniform, UniformOptions,
};

/// All programs that can be diagnosed.
pub(crate) const ALL: [&str; 14] = [
    "halo",
    "ring",
    "merge-tree",
    "pf3d",
    "matmul",
    "lu",
    "inverse",
    "eigen",
    "orthogonalise",
    "multigrid",
    "train",
    "uniform",
    "nearest",
    "scalapack",
];

/// A program with as much as it does by default, `times` over.
pub(crate) fn program(name: &str, ranks: u32, times: u32) -> Box<dyn Program> {
    macro_rules! with {
        ($program:ident, $options:ident { $($field:ident),* }) => {{
            let base = $options { ranks, ..$options::default() };
            Box::new($program::new(&$options { $($field: base.$field * times,)* ..base }).expect("a program"))
        }};
    }
    match name {
        "halo" => with!(Halo, HaloOptions { iterations }),
        "ring" => with!(Ring, RingOptions { laps }),
        "merge-tree" => with!(MergeTree, MergeTreeOptions { rounds }),
        "pf3d" => with!(Pf3d, Pf3dOptions { steps }),
        "matmul" => with!(Matmul, MatmulOptions { panels }),
        "lu" => with!(Lu, LuOptions { panels }),
        "inverse" => with!(Inverse, InverseOptions { panels }),
        "eigen" => with!(Eigen, EigenOptions { steps }),
        "orthogonalise" => with!(Orthogonalise, OrthogonaliseOptions { blocks }),
        "multigrid" => with!(Multigrid, MultigridOptions { cycles }),
        "train" => with!(Train, TrainOptions { steps }),
        "uniform" => with!(Uniform, UniformOptions { rounds }),
        "nearest" => with!(Nearest, NearestOptions { rounds }),
        "scalapack" => with!(Scalapack, ScalapackOptions { panels }),
        other => panic!("no program {other}"),
    }
}
