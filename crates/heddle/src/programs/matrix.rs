//! The parameters of the matrix operations: `heddle simulate matmul`, `lu`, `inverse`, `eigen`, `orthogonalise` and, one after
//! the other, `scalapack`.

use clap::{Args as ClapArgs, ValueEnum};

use heddle_simulate::{
    Eigen, EigenOptions, Inverse, InverseOptions, Lu, LuOptions, Machine, Matmul, MatmulForm, MatmulOptions,
    MatrixOperation, Orthogonalise, OrthogonaliseOptions, Scalapack, ScalapackOptions, SimulateError, Simulation,
    simulate,
};

use super::{SimulatedProgram, US, microseconds};

const MATMUL_EXAMPLES: &str = "Example:\n  heddle simulate matmul --ranks 256 -o matmul.heddle";
const LU_EXAMPLES: &str = "Example:\n  heddle simulate lu --ranks 256 --panels 40 -o lu.heddle";
const INVERSE_EXAMPLES: &str = "Example:\n  heddle simulate inverse --ranks 256 -o inverse.heddle";
const EIGEN_EXAMPLES: &str = "Example:\n  heddle simulate eigen --ranks 1024 -o eigen.heddle";
const ORTHOGONALISE_EXAMPLES: &str = "Example:\n  heddle simulate orthogonalise --ranks 256 -o orthogonalise.otf2";
const SCALAPACK_EXAMPLES: &str = "Examples:\n  heddle simulate scalapack --ranks 256 -o scalapack.heddle\n  heddle simulate scalapack --ranks 16384 --operations matmul -o start.heddle";

#[derive(Debug, ClapArgs)]
#[command(after_help = MATMUL_EXAMPLES)]
pub(crate) struct MatmulArgs {
    /// Number of ranks; they form a matrix as square as their divisors allow
    #[arg(long, value_name = "N", default_value_t = MatmulOptions::default().ranks)]
    ranks: u32,
    /// How many panels the matrices have
    #[arg(long, value_name = "N", default_value_t = MatmulOptions::default().panels)]
    panels: u32,
    /// Which product
    #[arg(long, value_enum, default_value_t = MatmulFormArg::Transposed)]
    form: MatmulFormArg,
    /// Bytes of a rank's part of a panel
    #[arg(long, value_name = "BYTES", default_value_t = MatmulOptions::default().bytes)]
    bytes: u64,
    /// Mean time to multiply two panels, in microseconds
    #[arg(long, value_name = "US", default_value_t = MatmulOptions::default().compute_ns / US)]
    compute: u64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MatmulFormArg {
    /// The second matrix transposed: a broadcast and a sum per panel
    Transposed,
    /// Two broadcasts per panel
    Plain,
}

impl SimulatedProgram for MatmulArgs {
    fn simulate(&self, machine: &Machine) -> Result<Simulation, SimulateError> {
        let options = MatmulOptions {
            ranks: self.ranks,
            panels: self.panels,
            form: match self.form {
                MatmulFormArg::Transposed => MatmulForm::Transposed,
                MatmulFormArg::Plain => MatmulForm::Plain,
            },
            bytes: self.bytes,
            compute_ns: microseconds(self.compute),
        };
        simulate(Matmul::new(&options)?, machine)
    }
}

#[derive(Debug, ClapArgs)]
#[command(after_help = LU_EXAMPLES)]
pub(crate) struct LuArgs {
    /// Number of ranks; they form a matrix as square as their divisors allow
    #[arg(long, value_name = "N", default_value_t = LuOptions::default().ranks)]
    ranks: u32,
    /// How many panels the matrix has
    #[arg(long, value_name = "N", default_value_t = LuOptions::default().panels)]
    panels: u32,
    /// Bytes of a rank's part of the first panel
    #[arg(long, value_name = "BYTES", default_value_t = LuOptions::default().bytes)]
    bytes: u64,
    /// Mean time to factor the first panel, in microseconds; all but one column wait for it
    #[arg(long, value_name = "US", default_value_t = LuOptions::default().factor_ns / US)]
    factor: u64,
    /// Mean time of the first update, in microseconds
    #[arg(long, value_name = "US", default_value_t = LuOptions::default().update_ns / US)]
    update: u64,
}

impl SimulatedProgram for LuArgs {
    fn simulate(&self, machine: &Machine) -> Result<Simulation, SimulateError> {
        let options = LuOptions {
            ranks: self.ranks,
            panels: self.panels,
            bytes: self.bytes,
            factor_ns: microseconds(self.factor),
            update_ns: microseconds(self.update),
        };
        simulate(Lu::new(&options)?, machine)
    }
}

#[derive(Debug, ClapArgs)]
#[command(after_help = INVERSE_EXAMPLES)]
pub(crate) struct InverseArgs {
    /// Number of ranks; they form a matrix as square as their divisors allow
    #[arg(long, value_name = "N", default_value_t = InverseOptions::default().ranks)]
    ranks: u32,
    /// How many panels each of the two sections goes through
    #[arg(long, value_name = "N", default_value_t = InverseOptions::default().panels)]
    panels: u32,
    /// How many large sums begin a section, one after the other, each with another root
    #[arg(long, value_name = "N", default_value_t = InverseOptions::default().pieces)]
    pieces: u32,
    /// Bytes of one large sum
    #[arg(long, value_name = "BYTES", default_value_t = InverseOptions::default().reduce_bytes)]
    reduce_bytes: u64,
    /// Bytes of a rank's part of a panel
    #[arg(long, value_name = "BYTES", default_value_t = InverseOptions::default().bytes)]
    bytes: u64,
    /// Mean time to compute with one panel, in microseconds
    #[arg(long, value_name = "US", default_value_t = InverseOptions::default().compute_ns / US)]
    compute: u64,
}

impl SimulatedProgram for InverseArgs {
    fn simulate(&self, machine: &Machine) -> Result<Simulation, SimulateError> {
        let options = InverseOptions {
            ranks: self.ranks,
            panels: self.panels,
            pieces: self.pieces,
            reduce_bytes: self.reduce_bytes,
            bytes: self.bytes,
            compute_ns: microseconds(self.compute),
        };
        simulate(Inverse::new(&options)?, machine)
    }
}

#[derive(Debug, ClapArgs)]
#[command(after_help = EIGEN_EXAMPLES)]
pub(crate) struct EigenArgs {
    /// Number of ranks; they form a matrix as square as their divisors allow
    #[arg(long, value_name = "N", default_value_t = EigenOptions::default().ranks)]
    ranks: u32,
    /// Steps in which the matrix is reduced, while ranks drop out
    #[arg(long, value_name = "N", default_value_t = EigenOptions::default().steps)]
    steps: u32,
    /// Steps in which the vectors are transformed back
    #[arg(long, value_name = "N", default_value_t = EigenOptions::default().back_steps)]
    back_steps: u32,
    /// Bytes of a message and of a sum
    #[arg(long, value_name = "BYTES", default_value_t = EigenOptions::default().bytes)]
    bytes: u64,
    /// Bytes of the long broadcast
    #[arg(long, value_name = "BYTES", default_value_t = EigenOptions::default().result_bytes)]
    result_bytes: u64,
    /// Mean time of a step, in microseconds
    #[arg(long, value_name = "US", default_value_t = EigenOptions::default().compute_ns / US)]
    compute: u64,
}

impl SimulatedProgram for EigenArgs {
    fn simulate(&self, machine: &Machine) -> Result<Simulation, SimulateError> {
        let options = EigenOptions {
            ranks: self.ranks,
            steps: self.steps,
            back_steps: self.back_steps,
            bytes: self.bytes,
            result_bytes: self.result_bytes,
            compute_ns: microseconds(self.compute),
        };
        simulate(Eigen::new(&options)?, machine)
    }
}

#[derive(Debug, ClapArgs)]
#[command(after_help = ORTHOGONALISE_EXAMPLES)]
pub(crate) struct OrthogonaliseArgs {
    /// Number of ranks; they form a matrix as square as their divisors allow
    #[arg(long, value_name = "N", default_value_t = OrthogonaliseOptions::default().ranks)]
    ranks: u32,
    /// How many blocks of vectors there are
    #[arg(long, value_name = "N", default_value_t = OrthogonaliseOptions::default().blocks)]
    blocks: u32,
    /// Bytes of a rank's part of a block
    #[arg(long, value_name = "BYTES", default_value_t = OrthogonaliseOptions::default().bytes)]
    bytes: u64,
    /// Bytes of a block that one rank of each row collects, in the middle of the triangular solve
    #[arg(long, value_name = "BYTES", default_value_t = OrthogonaliseOptions::default().collected_bytes)]
    collected_bytes: u64,
    /// Mean time to work on one block, in microseconds
    #[arg(long, value_name = "US", default_value_t = OrthogonaliseOptions::default().compute_ns / US)]
    compute: u64,
}

impl SimulatedProgram for OrthogonaliseArgs {
    fn simulate(&self, machine: &Machine) -> Result<Simulation, SimulateError> {
        let options = OrthogonaliseOptions {
            ranks: self.ranks,
            blocks: self.blocks,
            bytes: self.bytes,
            collected_bytes: self.collected_bytes,
            compute_ns: microseconds(self.compute),
        };
        simulate(Orthogonalise::new(&options)?, machine)
    }
}

#[derive(Debug, ClapArgs)]
#[command(after_help = SCALAPACK_EXAMPLES)]
pub(crate) struct ScalapackArgs {
    /// Number of ranks; they form a matrix as square as their divisors allow
    #[arg(long, value_name = "N", default_value_t = ScalapackOptions::default().ranks)]
    ranks: u32,
    /// Which operations, one after the other, for instance matmul,lu
    #[arg(long, value_enum, value_name = "LIST", value_delimiter = ',', num_args = 1, default_values_t = OperationArg::ALL)]
    operations: Vec<OperationArg>,
    /// Panels, blocks or steps of an operation; more make a longer run
    #[arg(long, value_name = "N", default_value_t = ScalapackOptions::default().panels)]
    panels: u32,
    /// Bytes that rank 0 sends to every other rank at the start
    #[arg(long, value_name = "BYTES", default_value_t = ScalapackOptions::default().startup_bytes)]
    startup_bytes: u64,
    /// Let the matrices that are multiplied grow only so far that a rank computes as much as one of 64; else every rank has as
    /// much data
    #[arg(long)]
    same_work: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum OperationArg {
    /// Multiplication
    Matmul,
    /// LU decomposition
    Lu,
    /// Inversion from triangular factors
    Inverse,
    /// Eigenvalues
    Eigen,
    /// Orthogonalisation
    Orthogonalise,
}

impl OperationArg {
    const ALL: [OperationArg; 5] = [
        OperationArg::Matmul,
        OperationArg::Lu,
        OperationArg::Inverse,
        OperationArg::Eigen,
        OperationArg::Orthogonalise,
    ];

    fn operation(self) -> MatrixOperation {
        match self {
            OperationArg::Matmul => MatrixOperation::Matmul,
            OperationArg::Lu => MatrixOperation::Lu,
            OperationArg::Inverse => MatrixOperation::Inverse,
            OperationArg::Eigen => MatrixOperation::Eigen,
            OperationArg::Orthogonalise => MatrixOperation::Orthogonalise,
        }
    }
}

impl SimulatedProgram for ScalapackArgs {
    fn simulate(&self, machine: &Machine) -> Result<Simulation, SimulateError> {
        let options = ScalapackOptions {
            ranks: self.ranks,
            operations: self.operations.iter().map(|operation| operation.operation()).collect(),
            panels: self.panels,
            startup_bytes: self.startup_bytes,
            same_work: self.same_work,
        };
        simulate(Scalapack::new(&options)?, machine)
    }
}
