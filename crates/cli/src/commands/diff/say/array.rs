//! Arrays, as the elements that differ.

use ggufkit::format::ArrayRef;
use ggufkit::inspect::diff::{ArrayDiff, Run, differing};
use ggufkit::inspect::units;

use super::text::cut;
use super::{Below, Much, Values};
use crate::commands::diff::value;

/// Elements of an array that are shown of each without `--all`.
const FEW_ELEMENTS: usize = 5;

pub(super) fn elements(a: ArrayRef<'_>, b: ArrayRef<'_>, much: Much) -> (Values, Vec<Below>) {
    let most = if much.all { usize::MAX } else { FEW_ELEMENTS };
    let wide = (much.wide / 2).max(12);
    let mut below = Vec::new();
    let list = |array: ArrayRef<'_>, from: u64, len: u64| {
        let shown = array.iter_from(from).take(usize::try_from(len).unwrap_or(usize::MAX).min(FEW_ELEMENTS));
        let items: Vec<String> = shown.map(|item| value::text(item, wide)).collect();
        let more = if len > items.len() as u64 { ", …" } else { "" };
        cut(&format!("{}{more}", items.join(", ")), much.wide)
    };
    let range = |from: u64, len: u64| match len {
        1 => format!("[{from}]"),
        _ => format!("[{from}..{}]", from.saturating_add(len)),
    };
    let s = |n: u64| if n == 1 { "" } else { "s" };
    let summary = match ArrayDiff::of(a, b) {
        ArrayDiff::Positions { differing: count } => {
            for (at, old, new) in differing(a, b).take(most) {
                let (old, new) = value::both(old, new, wide);
                below.push(Below { sign: ' ', text: format!("[{at}]  {old} → {new}") });
            }
            if count > most as u64 {
                let rest = units::count(count.saturating_sub(most as u64));
                below.push(Below { sign: ' ', text: format!("… {rest} more (--all)") });
            }
            let common = a.len().min(b.len());
            let verb = if count == 1 { "differs" } else { "differ" };
            let mut summary = format!("{} of {} elements {verb}", units::count(count), units::count(common));
            for (array, sign, word) in [(a, '-', "fewer"), (b, '+', "more")] {
                let more = array.len().saturating_sub(common);
                if more > 0 {
                    summary.push_str(&format!(", {} {word}", units::count(more)));
                    let text = format!("{}  {}", range(common, more), list(array, common, more));
                    below.push(Below { sign, text });
                }
            }
            summary
        }
        ArrayDiff::Runs(runs) => {
            for run in runs.iter().take(most) {
                if run.len_a > 0 {
                    let text = format!("{}  {}", range(run.at_a, run.len_a), list(a, run.at_a, run.len_a));
                    below.push(Below { sign: '-', text });
                }
                if run.len_b > 0 {
                    let text = format!("{}  {}", range(run.at_b, run.len_b), list(b, run.at_b, run.len_b));
                    below.push(Below { sign: '+', text });
                }
            }
            if runs.len() > most {
                let rest = units::count((runs.len() - most) as u64);
                below.push(Below { sign: ' ', text: format!("… {rest} more places (--all)") });
            }
            let sum = |len: fn(&Run) -> u64| runs.iter().map(len).fold(0, u64::saturating_add);
            let (out_of, into) = (sum(|run| run.len_a), sum(|run| run.len_b));
            match (out_of, into) {
                (0, n) => format!("{} element{} put in", units::count(n), s(n)),
                (n, 0) => format!("{} element{} taken out", units::count(n), s(n)),
                (n, m) => format!("{} element{} out, {} in", units::count(n), s(n), units::count(m)),
            }
        }
    };
    (Values::One(summary), below)
}
