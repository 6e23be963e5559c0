//! What `docs/gallery/calls.md` shows: the figures of Muelder, Gygi and Ma (2009) made again, as data.

use super::plate::{Origin, Plate, figure};

const LU: Origin = Origin::Sample("clog2/lu_r64.clog2");
const EIGEN: Origin = Origin::Sample("clog2/eig_r64.clog2");
const ORTHOGONALISE: Origin = Origin::Sample("clog2/orth_r64.clog2");
const ALL_256: Origin = Origin::Simulated("scalapack --ranks 256");
const ALL_16K: Origin = Origin::Simulated("scalapack --ranks 16384");
const MULTIPLY_64: Origin = Origin::Simulated(
    "scalapack --operations matmul --ranks 64 --same-work --panels 6 --startup-bytes 16384 --latency 6000 --bandwidth 1.6 --noise 0.2",
);
const MULTIPLY_1K: Origin = Origin::Simulated(
    "scalapack --operations matmul --ranks 1024 --same-work --panels 6 --startup-bytes 16384 --latency 6000 --bandwidth 1.6 --noise 0.2",
);
const MULTIPLY_4K: Origin = Origin::Simulated(
    "scalapack --operations matmul --ranks 4096 --same-work --panels 6 --startup-bytes 16384 --latency 6000 --bandwidth 1.6 --noise 0.2",
);
const MULTIPLY_16K: Origin = Origin::Simulated(
    "scalapack --operations matmul --ranks 16384 --same-work --panels 6 --startup-bytes 16384 --latency 6000 --bandwidth 1.6 --noise 0.2",
);

pub(super) static PLATES: &[Plate] = &[
    Plate {
        title: "Figure 1: a whole run",
        about: "Five matrix operations on 256 processes, simulated: activity above, calls below, on one axis of time.",
        figures: &[
            figure(
                "calls-1-activity",
                ALL_256,
                "activity --size 1100x240",
                "What share of the processes is in each function; what stays empty computes.",
            ),
            figure(
                "calls-1-lines",
                ALL_256,
                "calls --style lines --size 1100x420",
                "The same calls by duration: the broadcast of the eigenproblem stands above everything, and begins on one \
                 process after the other.",
            ),
        ],
    },
    Plate {
        title: "Figure 4: arches, lines, points",
        about: "A stretch of an LU factorisation with ScaLAPACK on 64 processes, recorded with MPE.",
        figures: &[
            figure(
                "calls-4-arches",
                LU,
                "calls --style arches --scale linear --time 0.6s:1.6s --size 1100x320",
                "Arches touch where calls start or end together: one late column holds everybody, again and again.",
            ),
            figure(
                "calls-4-lines",
                LU,
                "calls --style lines --time 0.6s:1.6s --size 1100x320",
                "Lines: less clutter, and groups by function.",
            ),
            figure(
                "calls-4-points",
                LU,
                "calls --style points-end --time 0.6s:1.6s --size 1100x320",
                "Points at the ends: a vertical trend is a simultaneous end, a curve to the right a simultaneous start.",
            ),
        ],
    },
    Plate {
        title: "Figure 5: three maps of opacity",
        about: "Four million calls of 16,384 processes, simulated, up to twenty thousand on a pixel.",
        figures: &[
            figure(
                "calls-5-alpha",
                ALL_16K,
                "calls --time 190ms:300ms --opacity alpha:0.02 --size 1000x280",
                "Plain blending: crowds saturate, and outliers are all but gone.",
            ),
            figure(
                "calls-5-linear",
                ALL_16K,
                "calls --time 190ms:300ms --opacity linear --omin 0.2 --size 1000x280",
                "In proportion: no outlier is lost, but only the very densest places differ from it.",
            ),
            figure(
                "calls-5-log",
                ALL_16K,
                "calls --time 190ms:300ms --opacity log --omin 0.2 --size 1000x280",
                "By the logarithm: outliers, layers and crowds can all be told apart.",
            ),
        ],
    },
    Plate {
        title: "Figure 6: the stages of a run",
        about: "The operations of the run of Figure 1 one by one, and the eigenproblem of a recorded run beside it.",
        figures: &[
            figure(
                "calls-6-multiply",
                ALL_256,
                "calls --style lines --time 3ms:33ms --size 900x280",
                "Multiplication: short, staggered sends, receives and sums, and one MPI_Allreduce at the end.",
            ),
            figure(
                "calls-6-lu",
                ALL_256,
                "calls --style lines --time 33ms:57ms --size 900x280",
                "LU: a strict cycle of long and short receives, getting shorter.",
            ),
            figure(
                "calls-6-inverse",
                ALL_256,
                "calls --style lines --time 57ms:107ms --size 900x280",
                "Inversion: sums that all enter together and leave along a logarithm, then many short broadcasts and receives.",
            ),
            figure(
                "calls-6-eigen",
                ALL_256,
                "calls --style lines --time 107ms:158ms --size 900x280",
                "Eigenproblem: one broadcast locks ever more processes until the last one joins.",
            ),
            figure(
                "calls-6-eigen-recorded",
                EIGEN,
                "calls --style lines --time 2.3s:4.1s --size 900x280",
                "The same in a recorded run on 64 processes: broadcasts of a second above everything else.",
            ),
            figure(
                "calls-6-back",
                ALL_256,
                "calls --style lines --time 147ms:158ms --size 900x280",
                "Its end, when the broadcast is over: sums, receives and MPI_Allreduce in step.",
            ),
            figure(
                "calls-6-orthogonalise",
                ALL_256,
                "calls --style lines --time 158ms: --size 900x280",
                "Orthogonalisation: three operations with gaps between them where all agree. In the middle of the last, long sends \
                 and receives that do not end together: a bottleneck.",
            ),
            figure(
                "calls-6-orthogonalise-recorded",
                ORTHOGONALISE,
                "calls --style lines --time 0.62s:3.16s --size 900x280",
                "The same recorded on 64 processes: product, factorisation, triangular solve, an MPI_Allreduce between the first \
                 two.",
            ),
        ],
    },
    Plate {
        title: "Figure 7: from 64 to 16,384 processes",
        about: "One multiplication with as much work for each process, simulated with a network of 2009: the start grows, and of \
                the multiplication ever less is computing.",
        figures: &[
            figure(
                "calls-7-64",
                MULTIPLY_64,
                "activity --size 900x200",
                "64 processes: all but no start, two fifths of the time is computing, and the panels are cycles.",
            ),
            figure(
                "calls-7-1k",
                MULTIPLY_1K,
                "activity --size 900x200",
                "1,024 processes: nearly a third of the run is the start; the cycles have drifted apart.",
            ),
            figure(
                "calls-7-4k",
                MULTIPLY_4K,
                "activity --size 900x200",
                "4,096 processes: as much start as multiplication.",
            ),
            figure(
                "calls-7-16k",
                MULTIPLY_16K,
                "activity --size 900x200",
                "16,384 processes: the start is two thirds of the run, and in the multiplication all but a sixth communicates.",
            ),
        ],
    },
    Plate {
        title: "Figure 8: multiplication on 16,384 processes",
        about: "The end of the last run of Figure 7, as points.",
        figures: &[
            figure(
                "calls-8-start",
                MULTIPLY_16K,
                "calls --style points-start --time 150ms: --size 900x340",
                "By their starts: calls that wait for the end of the start-up lie on the curve at the left.",
            ),
            figure(
                "calls-8-end",
                MULTIPLY_16K,
                "calls --style points-end --time 150ms: --size 900x340",
                "By their ends: the long calls up to 185 ms are the groups that waited for the last to start; then layers of sends, receives \
                 and sums.",
            ),
            figure(
                "calls-8-close",
                MULTIPLY_16K,
                "calls --style points-end --time 210ms:216ms --size 900x340",
                "Six milliseconds of it: sends below, then receives, sums above them, and far above all a layer of long receives.",
            ),
        ],
    },
];
