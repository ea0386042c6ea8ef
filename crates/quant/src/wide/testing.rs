//! The same work with each of the registers that this processor has.

use std::cell::Cell;

use super::Registers;

/// Those of the processors that the tests are compiled for, plain numbers first. What a processor does not have does the work
/// with what it has.
pub(crate) const ALL: &[Registers] = if cfg!(target_arch = "x86_64") {
    &[Registers::Any, Registers::Avx2, Registers::Avx512]
} else if cfg!(target_arch = "aarch64") {
    &[Registers::Any, Registers::Neon]
} else {
    &[Registers::Any]
};

/// Those that are held against plain numbers.
pub(super) fn wider() -> impl Iterator<Item = Registers> {
    ALL.iter().copied().skip(1)
}

thread_local! {
    static LIMIT: Cell<Registers> = const { Cell::new(Registers::Avx512) };
}

/// Does the work of this thread with none wider than these.
pub(crate) fn with<T>(up_to: Registers, work: impl FnOnce() -> T) -> T {
    let before = LIMIT.replace(up_to);
    let done = work();
    LIMIT.set(before);
    done
}

/// Those that were asked for, or the limit.
pub(super) fn limited(asked: Registers) -> Registers {
    asked.min(LIMIT.get())
}
