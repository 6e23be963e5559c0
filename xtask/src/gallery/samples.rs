//! What the gallery shows of recorded traces: one of each format, as data.

/// A recorded trace.
pub(super) struct Sample {
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    /// Its file, in the folder of the sample traces.
    pub(super) trace: &'static str,
    pub(super) figures: &'static [SampleFigure],
}

/// A figure of it.
pub(super) struct SampleFigure {
    /// Its file, without the ending.
    pub(super) file: &'static str,
    /// View and options of `heddle render`.
    pub(super) render: &'static str,
    /// What it shows, in a sentence.
    pub(super) caption: &'static str,
}

pub(super) static SAMPLES: &[Sample] = &[
    Sample {
        title: "OTF2: a halo exchange with a slow rank",
        about: "16 ranks exchange borders, and rank 5 computes longer than the others. The clocks of the ranks were off by \
                milliseconds and drifted; with the trace's own corrections every message arrives after it was sent.",
        trace: "otf2/recorder-halo2d-16/traces.otf2",
        figures: &[SampleFigure {
            file: "otf2-halo",
            render: "timeline --time 110ms:120ms --size 1200x420",
            caption: "Ten milliseconds: calls with their names, every message as a line.",
        }],
    },
    Sample {
        title: "OTF2: kernels on two GPUs, with counters",
        about: "One process on a node with four GPUs, recorded with Score-P. A kernel that computes much runs on the first GPU, then one \
                that moves much memory on the second. Sensors were read a few hundred times per second.",
        trace: "otf2/scorep-mi300-metrics-32/traces.otf2",
        figures: &[
            SampleFigure {
                file: "otf2-counters",
                render: "counters --no-rates --metrics current_socket_power:device=0,current_socket_power:device=1,busy_percent:device=0,busy_percent:device=1 --size 1200x420",
                caption: "Power, how busy the GPUs are, and how busy their memory is, as they were recorded: the second kernel keeps memory busy too.",
            },
            SampleFigure {
                file: "otf2-tracks",
                render: "timeline --no-rates --tracks --metrics current_socket_power:device=0,current_socket_power:device=1 --size 1200x460",
                caption: "Power as tracks below the row of the process, above its GPUs.",
            },
        ],
    },
    Sample {
        title: "CLOG-2: LU factorisation with ScaLAPACK",
        about: "64 ranks set up their communicators, factorise a matrix and invert it. The ranks shared a few cores, so most \
                of the time is waiting; the order of the operations is still plain to see.",
        trace: "clog2/lu_r64.clog2",
        figures: &[
            SampleFigure {
                file: "clog2-lu-activity",
                render: "activity --size 1200x340",
                caption: "The share of ranks in each function: set-up, factorisation, inversion.",
            },
            SampleFigure {
                file: "clog2-lu-timeline",
                render: "timeline --size 1200x420",
                caption: "The same by rank: the panel moves through the columns of the grid of processes.",
            },
        ],
    },
    Sample {
        title: "SLOG-2: a symmetric eigenproblem",
        about: "The same library, written by MPE and converted for Jumpshot. Between 2.5 and 4 seconds broadcasts lock more \
                and more of the ranks, while others still exchange messages.",
        trace: "clog2/eig_r64.slog2",
        figures: &[SampleFigure {
            file: "slog2-eigen",
            render: "timeline --size 1200x420",
            caption: "Each of the three operations begins with its own communicators.",
        }],
    },
    Sample {
        title: "Paje: a merge tree simulated with SimGrid",
        about: "512 ranks on a torus, simulated with SMPI. Results are gathered along a tree with eight children per node and \
                scattered back. Nearly all time is spent waiting for the root's answer.",
        trace: "simgrid/ktree-torus888.trace.gz",
        figures: &[SampleFigure {
            file: "simgrid-tree",
            render: "timeline --size 1200x420",
            caption: "Six rounds. The few ranks that compute longer than the others hold up all of them.",
        }],
    },
    Sample {
        title: "Paje: LU factorisation with StarPU, two nodes without GPUs",
        about: "30 nodes with three processors and two GPUs each; nodes 0 and 1 have lost their GPUs. The task-based program \
                gives work to nodes by a fixed pattern, so all others wait for these two.",
        trace: "starpu/lu30_nogpu01/paje.trace.gz",
        figures: &[SampleFigure {
            file: "starpu-lu",
            render: "timeline --size 1200x460",
            caption: "The workers of nodes 0 and 1, on top, are never idle; those of the others hardly ever work.",
        }],
    },
    Sample {
        title: "pj_dump: the same program with all GPUs",
        about: "The run that went well, as the tables that `pj_dump` writes: 3.4 seconds instead of 12.5.",
        trace: "starpu/lu30_normal/pj_dump.csv.gz",
        figures: &[SampleFigure {
            file: "pj-dump-lu",
            render: "timeline --size 1200x460",
            caption: "Work on all nodes, thinning out towards the end as the matrix that is left becomes smaller.",
        }],
    },
    Sample {
        title: "Paraver: LULESH",
        about: "Five iterations of a hydrodynamics code on 8 ranks, recorded with Extrae. The ranks reach the `MPI_Allreduce` \
                at the end of an iteration at different times, and always in about the same order.",
        trace: "paraver/lulesh-8ranks-5iterations.prv",
        figures: &[
            SampleFigure {
                file: "paraver-lulesh",
                render: "timeline --size 1200x420",
                caption: "Rank 0 comes last every time, ranks 5 and 6 wait longest.",
            },
            SampleFigure {
                file: "paraver-lulesh-tracks",
                render: "timeline --tracks --metrics PAPI_TOT_INS --size 1200x560",
                caption: "Instructions per second below the calls of each rank: who waits in `MPI_Allreduce` spins, and executes more of them than \
                          who computes.",
            },
            SampleFigure {
                file: "paraver-lulesh-histogram",
                render: "histogram --counter PAPI_TOT_INS --shade time --size 1200x420",
                caption: "The same counter by rank and value, the darker the longer it held: most of the time goes by at 7 to 13 thousand \
                          million instructions per second.",
            },
        ],
    },
    Sample {
        title: "PyTorch: three steps of training on one of two GPUs",
        about: "A trace of the profiler of PyTorch. The upper rows are threads of the host, the lower ones streams of the GPU. \
                The gradients are summed with NCCL on a stream of its own, beside the backward pass. In the third step one of \
                the all-reduces takes several times as long as in the others.",
        trace: "kineto/nccl-2ranks-rank0.json.gz",
        figures: &[SampleFigure {
            file: "pytorch-nccl",
            render: "timeline --size 1200x460",
            caption: "Communication stands out, computing recedes.",
        }],
    },
];
