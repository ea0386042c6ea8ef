//! Records by their names, and their order: what every operation asks for, of a list of very many.

use std::collections::HashMap;
use std::sync::OnceLock;

/// The numbers of records by their names, those that were taken out too: made when it is first asked for, and kept up from
/// then on.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(OnceLock<HashMap<Vec<u8>, Vec<usize>>>);

impl Names {
    /// The numbers of the records with this name, in rising order. `all` are the names as they are, by number.
    pub(super) fn find<'n, I>(&self, name: &[u8], all: impl FnOnce() -> I) -> &[usize]
    where
        I: Iterator<Item = &'n [u8]>,
    {
        let by_name = self.0.get_or_init(|| {
            let mut by_name: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
            for (at, name) in all().enumerate() {
                match by_name.get_mut(name) {
                    Some(numbers) => numbers.push(at),
                    None => _ = by_name.insert(name.to_vec(), vec![at]),
                }
            }
            by_name
        });
        by_name.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// A record has this name from now on.
    pub(super) fn add(&mut self, name: &[u8], at: usize) {
        if let Some(by_name) = self.0.get_mut() {
            let numbers = by_name.entry(name.to_vec()).or_default();
            numbers.insert(numbers.partition_point(|&one| one < at), at);
        }
    }

    /// A record has this name no more.
    pub(super) fn remove(&mut self, name: &[u8], at: usize) {
        if let Some(numbers) = self.0.get_mut().and_then(|by_name| by_name.get_mut(name)) {
            numbers.retain(|&one| one != at);
        }
    }
}

/// Whether a record stands before another one, or behind all; those that are not there are passed over.
pub(super) fn stands(
    order: &[usize],
    at: usize,
    before: Option<usize>,
    there: impl Fn(usize) -> bool,
) -> bool {
    let place = order.iter().position(|&one| one == at);
    let rest = place.and_then(|place| order.get(place.saturating_add(1)..)).unwrap_or_default();
    rest.iter().copied().find(|&one| there(one)) == before
}

/// Puts a record before another one, or behind all.
pub(super) fn put(order: &mut Vec<usize>, at: usize, before: Option<usize>) {
    order.retain(|&one| one != at);
    let place = before.and_then(|before| order.iter().position(|&one| one == before));
    order.insert(place.unwrap_or(order.len()), at);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_whatever_became_of_them() {
        let mut names = Names::default();
        // Before anybody has asked there is nothing to keep up.
        names.add(b"x", 7);
        let all = || [&b"a"[..], b"b", b"a"].into_iter();
        assert_eq!(names.find(b"a", all), [0, 2]);
        names.add(b"c", 3);
        names.remove(b"a", 0);
        names.add(b"c", 0);
        assert_eq!((names.find(b"a", all), names.find(b"c", all)), (&[2][..], &[0, 3][..]));
        assert_eq!(names.find(b"x", all), [0; 0]);
    }

    #[test]
    fn what_is_not_there_stands_between_nothing() {
        let mut order = vec![0, 1, 2, 3];
        let there = |at: usize| at != 1;
        assert!(stands(&order, 0, Some(2), there) && stands(&order, 3, None, there));
        assert!(!stands(&order, 0, Some(3), there) && !stands(&order, 2, None, there));
        put(&mut order, 3, Some(0));
        put(&mut order, 0, None);
        assert_eq!(order, [3, 1, 2, 0]);
    }
}
