//! Limits that a process sets on itself. The only place that differs by system.
//!
//! Memory is bounded where the system can do so for one process: on Linux exactly, on other Unix systems by address space
//! where they hold to it (macOS does not). Elsewhere nothing is set, and only the time that the parent waits is a bound.

/// Leaves this process `memory` bytes to write to and `seconds` of processor time, and lets it leave no core file. False
/// where the system leaves it less already.
///
/// # Errors
/// In words, where a limit that the system has cannot be set.
#[cfg(unix)]
pub(super) fn set(memory: u64, seconds: u64) -> Result<bool, String> {
    use rustix::process::Resource;

    let space = memory.saturating_add(256 << 20);
    let less = |resource, than| rustix::process::getrlimit(resource).current.is_some_and(|now| now < than);
    let whole = !less(Resource::Data, memory) && !less(Resource::As, space);
    lower(Resource::Core, 0)?;
    lower(Resource::Cpu, seconds)?;
    // Counts pages that can be written to, stacks of threads among them, and not the program and its libraries. Where the
    // system counts less, address space is the bound.
    required(lower(Resource::Data, memory))?;
    #[cfg(not(target_os = "openbsd"))]
    required(lower(Resource::As, space))?;
    #[cfg(target_os = "linux")]
    {
        // A collector of crashes that reads from a pipe is not held by the limit on core files.
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(|error| error.to_string())?;
    }
    Ok(whole)
}

/// A limit on memory must be set, but on macOS, which refuses what is below hundreds of GiB that are mapped at the start, and
/// holds to none.
#[cfg(unix)]
fn required(set: Result<(), String>) -> Result<(), String> {
    if cfg!(target_vendor = "apple") { Ok(()) } else { set }
}

/// Lowers a limit; one that is lower already stays.
#[cfg(unix)]
fn lower(resource: rustix::process::Resource, to: u64) -> Result<(), String> {
    use rustix::process::{Rlimit, getrlimit, setrlimit};

    let now = getrlimit(resource);
    let least = |limit: Option<u64>| Some(limit.map_or(to, |limit| limit.min(to)));
    setrlimit(resource, Rlimit { current: least(now.current), maximum: least(now.maximum) })
        .map_err(|error| error.to_string())
}

/// Nothing that can be set without the system's own interface.
///
/// # Errors
/// None here.
#[cfg(not(unix))]
pub(super) fn set(_memory: u64, _seconds: u64) -> Result<bool, String> {
    Ok(true)
}

/// Whether a process was ended because its processor time was over.
#[cfg(unix)]
pub(super) fn is_out_of_time(status: std::process::ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    status.signal() == Some(rustix::process::Signal::XCPU.as_raw())
}

/// Whether a process was ended because its processor time was over, which nothing does here.
#[cfg(not(unix))]
pub(super) fn is_out_of_time(_status: std::process::ExitStatus) -> bool {
    false
}

/// What starts this very program again, whatever happens to its file meanwhile.
///
/// # Errors
/// The system's, where the program's file is not known.
pub(super) fn this_program() -> std::io::Result<std::path::PathBuf> {
    // Leads to the program that runs even after its file was renamed, replaced or removed.
    let link = std::path::Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && link.exists() { Ok(link.to_owned()) } else { std::env::current_exe() }
}
