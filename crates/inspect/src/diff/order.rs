//! Which records belong together, and which of them stand in another order.

use super::Record;

/// Records of the same name: places in the first and the second list.
pub(super) struct Paired {
    /// In the order of the first list.
    pub(super) pairs: Vec<(usize, usize)>,
    /// Of the first list alone, in its order.
    pub(super) removed: Vec<usize>,
    /// Of the second list alone, in its order.
    pub(super) added: Vec<usize>,
    /// Names that are there more than once: a place of either list, and how often each has it.
    pub(super) several: Vec<Several>,
}

/// A name that is there more than once in at least one list: how often, and where first.
pub(super) struct Several {
    pub(super) a: Option<usize>,
    pub(super) b: Option<usize>,
    pub(super) count_a: u64,
    pub(super) count_b: u64,
}

/// Pairs the records of two lists by name; of a name that occurs again, the first with the first, and so on. Numbers the
/// occurrences.
pub(super) fn pair<T>(a: &mut [Record<'_, T>], b: &mut [Record<'_, T>]) -> Paired {
    let (in_a, in_b) = (sorted(a), sorted(b));
    let mut out = Paired { pairs: Vec::new(), removed: Vec::new(), added: Vec::new(), several: Vec::new() };
    let mut rest_b = in_b.as_slice();
    for run in in_a.chunk_by(|x, y| a.get(*x).map(|r| r.name.0) == a.get(*y).map(|r| r.name.0)) {
        let of_a = run.first().and_then(|at| a.get(*at)).map_or(&[][..], |record| record.name.0);
        let before = rest_b.partition_point(|at| b.get(*at).is_some_and(|record| record.name.0 < of_a));
        let (alone, from) = rest_b.split_at_checked(before).unwrap_or((rest_b, &[]));
        unpaired(alone, b, &mut out);
        let equal = from.partition_point(|at| b.get(*at).is_some_and(|record| record.name.0 == of_a));
        let (same, after) = from.split_at_checked(equal).unwrap_or((from, &[]));
        rest_b = after;
        out.pairs.extend(run.iter().copied().zip(same.iter().copied()));
        out.removed.extend(run.iter().skip(same.len()));
        out.added.extend(same.iter().skip(run.len()));
        if run.len() > 1 || same.len() > 1 {
            let (count_a, count_b) = (run.len() as u64, same.len() as u64);
            out.several.push(Several { a: run.first().copied(), b: same.first().copied(), count_a, count_b });
        }
    }
    unpaired(rest_b, b, &mut out);
    out.pairs.sort_unstable();
    out.removed.sort_unstable();
    out.added.sort_unstable();
    out.several.sort_unstable_by_key(|one| (one.a.is_none(), one.a, one.b));
    number(&in_a, a);
    number(&in_b, b);
    out
}

/// Names of the second list alone.
fn unpaired<T>(alone: &[usize], b: &[Record<'_, T>], out: &mut Paired) {
    out.added.extend(alone);
    for run in alone.chunk_by(|x, y| b.get(*x).map(|r| r.name.0) == b.get(*y).map(|r| r.name.0)) {
        if run.len() > 1 {
            out.several.push(Several {
                a: None,
                b: run.first().copied(),
                count_a: 0,
                count_b: run.len() as u64,
            });
        }
    }
}

fn sorted<T>(list: &[Record<'_, T>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..list.len()).collect();
    order.sort_by(|x, y| list.get(*x).map(|r| r.name.0).cmp(&list.get(*y).map(|r| r.name.0)));
    order
}

fn number<T>(order: &[usize], list: &mut [Record<'_, T>]) {
    let mut occurrence = 0;
    for pair in order.windows(2) {
        let [before, at] = pair else { continue };
        let same = list.get(*before).map(|r| r.name.0) == list.get(*at).map(|r| r.name.0);
        occurrence = if same { occurrence + 1 } else { 0 };
        if let Some(record) = list.get_mut(*at) {
            record.occurrence = occurrence;
        }
    }
}

/// Of a list of distinct places, those that can stay when the list is to be in rising order and as few as possible are to be
/// moved: one truth value for each.
#[must_use]
pub fn still(places: &[usize]) -> Vec<bool> {
    // The last place of the best rising chain of each length, and for each item the one before it in its chain.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(places.len());
    let at = |item: usize| places.get(item).copied().unwrap_or(0);
    for (item, place) in places.iter().enumerate() {
        let length = ends.partition_point(|end| at(*end) < *place);
        before.push(length.checked_sub(1).and_then(|length| ends.get(length).copied()));
        match ends.get_mut(length) {
            Some(end) => *end = item,
            None => ends.push(item),
        }
    }
    let mut out = vec![false; places.len()];
    let mut next = ends.last().copied();
    while let Some(item) = next {
        if let Some(stays) = out.get_mut(item) {
            *stays = true;
        }
        next = before.get(item).copied().flatten();
    }
    out
}
