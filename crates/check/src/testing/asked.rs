//! Which keys are asked for.

use std::cell::RefCell;
use std::collections::BTreeSet;

thread_local! {
    static KEYS: RefCell<Option<BTreeSet<String>>> = const { RefCell::new(None) };
}

/// Notes a key that is asked for, while somebody wants to know.
pub(crate) fn note(key: &[u8]) {
    KEYS.with_borrow_mut(|keys| {
        keys.iter_mut().for_each(|keys| _ = keys.insert(String::from_utf8_lossy(key).into_owned()));
    });
}

/// The keys that are asked for by what is done here.
pub(crate) fn keys(work: impl FnOnce()) -> BTreeSet<String> {
    KEYS.set(Some(BTreeSet::new()));
    work();
    KEYS.take().unwrap_or_default()
}
