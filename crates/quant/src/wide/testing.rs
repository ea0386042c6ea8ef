//! The same work with each of the registers that this processor has.

use std::cell::Cell;

use super::Registers;

/// Those of the processors that the tests are compiled for, plain numbers first.
const KNOWN: &[Registers] = if cfg!(target_arch = "x86_64") {
    &[Registers::Any, Registers::Avx2, Registers::Avx512]
} else if cfg!(target_arch = "aarch64") {
    &[Registers::Any, Registers::Neon]
} else {
    &[Registers::Any]
};

/// Those that this processor has, plain numbers first. The test that asks says which they are (`--nocapture` shows it of one
/// that passes, too): what is not among them was not held.
pub(crate) fn all() -> Vec<Registers> {
    let (held, other): (Vec<_>, Vec<_>) =
        KNOWN.iter().partition(|&&registers| super::found(registers) == registers);
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    println!("registers: {test} holds {held:?}; this processor does not have {other:?}");
    held
}

/// Those that are held against plain numbers.
pub(super) fn wider() -> impl Iterator<Item = Registers> {
    all().into_iter().skip(1)
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
