//! The same work with each of the registers that this processor has.

use std::cell::Cell;

use super::Registers;

/// All there are; those that a processor does not have do the work with what it has.
pub(crate) const ALL: [Registers; 4] = [Registers::Any, Registers::Neon, Registers::Avx2, Registers::Avx512];

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
