//! What kind of row an event is, told from its category, and what kind of region its name is.
//!
//! Host and device are told apart by category, never by process number: a GPU's number is small, and so is that of a
//! thread whose number the profiler did not know. Spellings changed over the years; they are compared without case.

use heddle_model::{Paradigm, Role};

/// What wrote a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Category {
    /// An operator of PyTorch.
    Operator,
    /// A call frame of Python.
    Python,
    /// A scope that the program named.
    Annotation,
    /// A call of the CUDA or HIP library.
    Api,
    /// Device activity.
    Kernel,
    /// Copying and setting memory on a device.
    Copy,
    /// A scope as it looks on a stream.
    DeviceAnnotation,
    /// Waits and events on a device.
    Sync,
    /// The profiler itself.
    Overhead,
    /// The one row for the whole window.
    Window,
    /// Anything else: all of a trace that is not PyTorch's.
    Other,
}

/// Rows of one class on one thread or stream make one location: they nest among themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Class {
    /// Operators, calls of libraries, and all that is not told apart.
    Thread,
    /// Scopes the program named.
    Annotations,
    /// Python frames.
    Python,
    /// Kernels and copies.
    Stream,
    /// Scopes projected on a stream.
    StreamAnnotations,
    /// Waits on a stream.
    StreamSyncs,
    /// Asynchronous events of a process, by category.
    Async(u32),
    /// Counters of a process.
    Counters,
    /// The profiler's own cost.
    Overhead,
}

impl Class {
    /// Whether its rows run on an accelerator.
    pub(super) fn is_device(self) -> bool {
        matches!(self, Class::Stream | Class::StreamAnnotations | Class::StreamSyncs)
    }
}

/// Tells the category from its text.
pub(super) fn category(text: &[u8]) -> Category {
    const KNOWN: [(&str, Category); 26] = [
        ("cpu_op", Category::Operator),
        ("operator", Category::Operator),
        ("python_function", Category::Python),
        ("user_annotation", Category::Annotation),
        ("cuda_runtime", Category::Api),
        ("cuda_driver", Category::Api),
        ("runtime", Category::Api),
        ("xpu_runtime", Category::Api),
        ("xpu_driver", Category::Api),
        ("mtia_runtime", Category::Api),
        ("privateuse1_runtime", Category::Api),
        ("privateuse1_driver", Category::Api),
        ("glow_runtime", Category::Api),
        ("kernel", Category::Kernel),
        ("concurrent_kernel", Category::Kernel),
        ("mtia_ccp_events", Category::Kernel),
        ("mtia_insight", Category::Kernel),
        ("hpu_op", Category::Kernel),
        ("gpu_memcpy", Category::Copy),
        ("memcpy", Category::Copy),
        ("gpu_memset", Category::Copy),
        ("memset", Category::Copy),
        ("gpu_user_annotation", Category::DeviceAnnotation),
        ("cuda_sync", Category::Sync),
        ("cuda_event", Category::Sync),
        ("trace", Category::Window),
    ];
    // Most rows of other writers have words of their own; the length sorts them out.
    let known = KNOWN.iter().find(|(word, _)| word.len() == text.len() && text.eq_ignore_ascii_case(word.as_bytes()));
    match known {
        Some((_, category)) => *category,
        None if text.eq_ignore_ascii_case(b"overhead") => Category::Overhead,
        None => Category::Other,
    }
}

impl Category {
    /// Where its rows go.
    pub(super) fn class(self) -> Class {
        match self {
            Category::Python => Class::Python,
            Category::Annotation => Class::Annotations,
            Category::Kernel | Category::Copy => Class::Stream,
            Category::DeviceAnnotation => Class::StreamAnnotations,
            Category::Sync => Class::StreamSyncs,
            Category::Overhead => Class::Overhead,
            Category::Operator | Category::Api | Category::Window | Category::Other => Class::Thread,
        }
    }

    /// Which of two rows with the same start and end is around the other: the lower.
    pub(super) fn order(self) -> u16 {
        match self {
            Category::Python => 0,
            Category::Annotation | Category::DeviceAnnotation => 1,
            Category::Api => 3,
            _ => 2,
        }
    }

    /// Whether only PyTorch writes it.
    pub(super) fn is_kineto(self) -> bool {
        !matches!(self, Category::Other | Category::Overhead | Category::Window)
    }
}

/// Whether a kernel's name is one of the communication libraries': NCCL, RCCL and those that copied them.
pub(super) fn is_communication_kernel(name: &[u8]) -> bool {
    let head = &name[..name.len().min(64)];
    head.windows(4).any(|word| [b"nccl", b"rccl", b"hccl"].iter().any(|library| word.eq_ignore_ascii_case(*library)))
}

/// Whether a row of the host makes or names a communication.
pub(super) fn is_communication_row(name: &[u8]) -> bool {
    [&b"nccl:"[..], b"gloo:", b"c10d::", b"rccl:", b"ucc:", b"mpi:", b"xccl:"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
        || name == b"record_param_comms"
}

/// Who a region belongs to and what it does, from the category of its first row and its name.
pub(super) fn kind(category: Category, name: &str) -> (Paradigm, Role) {
    let bytes = name.as_bytes();
    if is_communication_row(bytes)
        || (matches!(category, Category::Kernel | Category::DeviceAnnotation) && is_communication_kernel(bytes))
    {
        return (Paradigm::Communication, communication_role(name));
    }
    match category {
        Category::Operator | Category::Python | Category::Annotation | Category::DeviceAnnotation => {
            (Paradigm::User, Role::Function)
        }
        Category::Api => {
            let role = if name.contains("Synchronize") || name.contains("WaitEvent") {
                Role::Wait
            } else if name.contains("Memcpy") || name.contains("Memset") {
                Role::Transfer
            } else if name.contains("Malloc") || name.contains("Free") {
                Role::Memory
            } else {
                Role::Function
            };
            (Paradigm::Accelerator, role)
        }
        Category::Kernel => (Paradigm::Accelerator, Role::Function),
        Category::Copy => (Paradigm::Accelerator, Role::Transfer),
        Category::Sync => (Paradigm::Accelerator, Role::Wait),
        Category::Overhead | Category::Window => (Paradigm::Measurement, Role::Artificial),
        Category::Other => (Paradigm::User, Role::Function),
    }
}

fn communication_role(name: &str) -> Role {
    let name = name.to_ascii_lowercase();
    let has = |word: &str| name.contains(word);
    if has("sendrecv") {
        Role::SendReceive
    } else if has("send") {
        Role::Send
    } else if has("recv") {
        Role::Receive
    } else if has("wait") {
        Role::Wait
    } else if has("barrier") {
        Role::Barrier
    } else {
        Role::Collective
    }
}
