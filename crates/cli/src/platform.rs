//! What differs between operating systems, for the command: how many files it may have open, how large they may become,
//! how wide a terminal is, and what can only be read in order.

/// Has the system tell by an error that a file may not grow any more: a program that says nothing else is ended by a signal, and
/// nobody knows why.
#[cfg(unix)]
pub(crate) fn survive_file_limits() {
    // Whoever handles the signal is told by the call that was to write.
    let unused = std::sync::Arc::default();
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, unused);
}

/// Elsewhere there is no such limit.
#[cfg(not(unix))]
pub(crate) fn survive_file_limits() {}

/// Notices an interrupt (Ctrl-C) while work goes on that is kept: it ends with a word about that. A second one ends the program
/// at once.
#[cfg(unix)]
pub(crate) struct Interrupt(std::sync::Arc<std::sync::atomic::AtomicBool>);

#[cfg(unix)]
impl Interrupt {
    pub(crate) fn watch() -> Self {
        let came = std::sync::Arc::default();
        let signal = signal_hook::consts::SIGINT;
        // In this order the first interrupt finds no flag, and the second does.
        let _ = signal_hook::flag::register_conditional_default(signal, std::sync::Arc::clone(&came));
        let _ = signal_hook::flag::register(signal, std::sync::Arc::clone(&came));
        Self(came)
    }

    /// Whether it came.
    pub(crate) fn came(&self) -> bool {
        self.0.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Ends the program as an interrupt does.
    pub(crate) fn end() {
        let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGINT);
    }
}

#[cfg(unix)]
impl Drop for Interrupt {
    fn drop(&mut self) {
        // From now on an interrupt does what it always did.
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

/// Elsewhere an interrupt ends the program.
#[cfg(not(unix))]
pub(crate) struct Interrupt;

#[cfg(not(unix))]
impl Interrupt {
    pub(crate) fn watch() -> Self {
        Self
    }

    pub(crate) fn came(&self) -> bool {
        false
    }

    pub(crate) fn end() {}
}

/// Columns of a terminal, which may not say how many rows it has.
#[cfg(unix)]
pub(crate) fn columns(stream: &impl std::os::fd::AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// Columns of the terminal.
#[cfg(not(unix))]
pub(crate) fn columns<T>(_stream: &T) -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}

/// Files that are open beside those of the work.
#[cfg(unix)]
const OTHERS: usize = 64;

/// Has the system allow so many open files, as far as it lets a process ask: a set may have more than the usual 1024.
#[cfg(unix)]
pub(crate) fn allow_open_files(files: usize) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let wanted = files.saturating_add(OTHERS) as u64;
    let now = getrlimit(Resource::Nofile);
    if now.current.is_some_and(|current| current < wanted) {
        let current = Some(now.maximum.map_or(wanted, |maximum| maximum.min(wanted)));
        // Without it, opening tells which limit was met.
        let _ = setrlimit(Resource::Nofile, Rlimit { current, maximum: now.maximum });
    }
}

/// Elsewhere there is no such limit, or none that can be asked for.
#[cfg(not(unix))]
pub(crate) fn allow_open_files(_files: usize) {}

/// What a thing is that gives its bytes in order and once; `None` for a file, a folder, a disk.
#[cfg(unix)]
pub(crate) fn read_in_order(kind: std::fs::FileType) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt as _;
    match kind {
        _ if kind.is_fifo() => Some("a pipe"),
        _ if kind.is_char_device() => Some("a device"),
        _ if kind.is_socket() => Some("a socket"),
        _ => None,
    }
}

/// Elsewhere pipes have no names in folders.
#[cfg(not(unix))]
pub(crate) fn read_in_order(_kind: std::fs::FileType) -> Option<&'static str> {
    None
}
