//! How many weights a model has, and how many of them compute a token.

use serde::Serialize;

use super::figures::{Figure, Figures};
use crate::tensors::Table;

/// The number of weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Parameters {
    /// The elements of all tensors; absent where the sum does not fit in 64 bits.
    pub total: Option<u64>,
    /// Of these, the ones that take part in computing a token: all but the experts that are not used. Absent where the model
    /// has no experts, and where the tensors' shapes do not tell.
    pub active: Option<u64>,
}

/// How experts lie in a tensor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Experts {
    /// All of a layer's, along the last dimension: `blk.0.ffn_up_exps.weight`.
    Together,
    /// One: `blk.0.ffn_up.3.weight`, as older files have it.
    One,
    /// In a way of their own: `blk.0.ffn_up_chexps.weight`.
    Otherwise,
}

impl Experts {
    /// `None` for a tensor that holds no expert.
    fn of(name: &[u8]) -> Option<Self> {
        let mut parts = name.split(|&b| b == b'.').skip(2);
        let what = parts.next()?;
        if what.ends_with(b"_exps") {
            return Some(Self::Together);
        }
        if what.ends_with(b"exps") {
            return Some(Self::Otherwise);
        }
        let one = matches!(what, b"ffn_gate" | b"ffn_up" | b"ffn_down");
        let number = parts.next().is_some_and(|n| !n.is_empty() && n.iter().all(u8::is_ascii_digit));
        (one && number && parts.next().is_some()).then_some(Self::One)
    }
}

impl Parameters {
    pub(super) fn of(table: &Table<'_>, figures: &Figures) -> Self {
        let single = |figure: &Option<Figure>| figure.as_ref().and_then(Figure::single);
        let count = single(&figures.experts).filter(|n| *n > 0);
        let used = single(&figures.experts_used).filter(|used| count.is_some_and(|count| *used <= count));
        let (mut total, mut experts) = (Some(0_u64), Some(0_u64));
        for row in table.iter() {
            total = total.zip(row.elements).and_then(|(sum, n)| sum.checked_add(n));
            let Some(kind) = Experts::of(row.name.0).filter(|_| count.is_some()) else { continue };
            let told = match kind {
                Experts::Together => row.dims.last().copied() == count,
                Experts::One => true,
                Experts::Otherwise => false,
            };
            experts = experts.zip(row.elements).filter(|_| told).and_then(|(sum, n)| sum.checked_add(n));
        }
        let active = || {
            let (total, experts, count, used) = (total?, experts.filter(|n| *n > 0)?, count?, used?);
            // Every expert has as many elements as any other, or the shapes do not tell.
            let one = experts.checked_div(count).filter(|one| one.checked_mul(count) == Some(experts))?;
            total.checked_sub(experts)?.checked_add(one.checked_mul(used)?)
        };
        Self { total, active: active() }
    }
}
