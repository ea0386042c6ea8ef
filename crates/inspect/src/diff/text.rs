//! Texts of many lines: what differs, with some lines around it.

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

/// Lines around a difference.
const CONTEXT: usize = 3;

/// What a line of a hunk is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line<'a> {
    /// In both texts.
    Both(&'a str),
    /// In the first alone.
    Old(&'a str),
    /// In the second alone.
    New(&'a str),
}

/// Lines that differ, and those around them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hunk<'a> {
    /// Number of the first line in the first text, from 1, and how many there are.
    pub a: (usize, usize),
    /// The same of the second text.
    pub b: (usize, usize),
    /// The lines.
    pub lines: Vec<Line<'a>>,
}

/// How two texts differ, line by line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextDiff<'a> {
    /// Lines of the first text.
    pub lines_a: usize,
    /// Lines of the second text.
    pub lines_b: usize,
    /// Where they differ.
    pub hunks: Vec<Hunk<'a>>,
}

impl<'a> TextDiff<'a> {
    /// Compares two texts. `work` is what may be spent on it, and is made less by what was: lines times lines, between the
    /// first and the last that differ. Where it does not suffice these are one block, all old and all new.
    #[must_use]
    pub fn of(a: &'a str, b: &'a str, work: &mut u64) -> Self {
        // Behind the last line feed of both is no line.
        let (a, b) = a.strip_suffix('\n').zip(b.strip_suffix('\n')).unwrap_or((a, b));
        let (old, new): (Vec<&str>, Vec<&str>) = (a.split('\n').collect(), b.split('\n').collect());
        let prefix = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let rest = |list: &[&'a str]| list.len().saturating_sub(prefix);
        let suffix = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        let suffix = suffix.min(rest(&old)).min(rest(&new));
        let (len_a, len_b) = (rest(&old).saturating_sub(suffix), rest(&new).saturating_sub(suffix));
        let cost = (len_a as u64).saturating_mul(len_b as u64);
        let ops = match work.checked_sub(cost) {
            Some(left) => {
                *work = left;
                capture_diff_slices(Algorithm::Myers, &old, &new)
            }
            None => {
                let equal =
                    |index: usize, new_index: usize, len| DiffOp::Equal { old_index: index, new_index, len };
                let replace =
                    DiffOp::Replace { old_index: prefix, old_len: len_a, new_index: prefix, new_len: len_b };
                let after = equal(prefix.saturating_add(len_a), prefix.saturating_add(len_b), suffix);
                vec![equal(0, 0, prefix), replace, after]
            }
        };
        let (lines_a, lines_b) = (old.len(), new.len());
        let hunks = group_diff_ops(ops, CONTEXT).into_iter().map(|ops| hunk(&ops, &old, &new)).collect();
        Self { lines_a, lines_b, hunks }
    }
}

fn hunk<'a>(ops: &[DiffOp], old: &[&'a str], new: &[&'a str]) -> Hunk<'a> {
    let mut lines = Vec::new();
    for op in ops {
        let of =
            |list: &[&'a str], range: std::ops::Range<usize>| list.get(range).unwrap_or_default().to_vec();
        let (from, to) = (of(old, op.old_range()), of(new, op.new_range()));
        match op {
            DiffOp::Equal { .. } => lines.extend(from.into_iter().map(Line::Both)),
            _ => {
                lines.extend(from.into_iter().map(Line::Old));
                lines.extend(to.into_iter().map(Line::New));
            }
        }
    }
    let span = |range: fn(&DiffOp) -> std::ops::Range<usize>| {
        let start = ops.first().map_or(0, |op| range(op).start);
        let end = ops.last().map_or(0, |op| range(op).end);
        (start.saturating_add(1), end.saturating_sub(start))
    };
    Hunk { a: span(DiffOp::old_range), b: span(DiffOp::new_range), lines }
}
