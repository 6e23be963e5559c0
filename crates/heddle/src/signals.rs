//! Signals that would end the program without a word. Beside the mapping of files the only place with `unsafe`.

#![allow(unsafe_code)] // there is no safe way in std to say what a signal does

use libc::{c_int, sighandler_t};

/// Lets the program live to say what happened.
pub(crate) fn prepare() {
    // A file grew beyond what the user may write (`ulimit -f`): with a handler the write fails instead, with an error. The
    // signal is not ignored altogether, because programs that we start would inherit that.
    set(libc::SIGXFSZ, nothing);
    // A file of a store became shorter while it was being read. On macOS it can also be a stack overflow, of which the
    // standard library tells.
    if cfg!(target_os = "linux") {
        set(libc::SIGBUS, say_and_end);
    }
}

fn set(signal: c_int, handler: extern "C" fn(c_int)) {
    // SAFETY: the handlers below only do what is allowed in one.
    unsafe { libc::signal(signal, handler as *const () as sighandler_t) };
}

extern "C" fn nothing(_signal: c_int) {}

extern "C" fn say_and_end(_signal: c_int) {
    const TEXT: &[u8] =
        b"\nheddle: a file of an open store was cut short by another program, or its disk failed, while it was \
        being read; import the trace again with `heddle import --force TRACE`\n";
    // SAFETY: both calls may be made in a handler, and the text lives for ever.
    unsafe {
        libc::write(libc::STDERR_FILENO, TEXT.as_ptr().cast(), TEXT.len());
        libc::_exit(1);
    }
}
