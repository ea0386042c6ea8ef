//! Where the data lies, and what lies between.

use ggufkit::format::Tensor;
use ggufkit::inspect::diff::{Diff, Owner, Record};
use ggufkit::inspect::units;

use super::tensors::tensor_name;
use super::{Item, Mark, Much, Section, Taker, Values, section};

pub(super) fn layout(diff: &Diff<'_>, much: Much) -> Section {
    let found = &diff.layout;
    let mut taker = Taker::new(much);
    let item = |name: String, values: Values| {
        Some(Item { mark: Mark::Changed, name, what: String::new(), values, below: Vec::new() })
    };
    if let Some((a, b)) = found.files {
        taker.take(|| item("number of files".to_owned(), Values::Both(a.to_string(), b.to_string())));
    }
    if let Some((file, at)) = found.head {
        let text = format!("differ at byte {at:#x}, where no value is");
        taker.take(|| item(format!("bytes of the head of file {}", file + 1), Values::One(text)));
    }
    taker.kind();
    for one in &found.offsets {
        taker.take(|| {
            let (a, b) = (diff.a.tensors.get(one.a)?, diff.b.tensors.get(one.b)?);
            let place = |tensor: &Record<'_, Tensor>| match a.file == b.file {
                true => format!("{:#x}", tensor.record.offset),
                false => format!("file {}", tensor.file + 1),
            };
            item(format!("data of {}", tensor_name(a)), Values::Both(place(a), place(b)))
        });
    }
    let gaps = || found.gaps.iter().filter(|gap| gap.differs);
    taker.kind();
    for gap in gaps() {
        taker.take(|| {
            let name = match gap.after {
                Owner::Head(_) => "bytes behind the head".to_owned(),
                Owner::End(_) => "bytes at the end".to_owned(),
                Owner::Tensor(at) => format!("bytes behind {}", tensor_name(diff.a.tensors.get(at)?)),
            };
            let (a, b) = (gap.a.span, gap.b.span);
            let values = match gap.first {
                Some(first) => {
                    let at = a.start.saturating_add(first);
                    Values::One(format!("{} bytes, which differ from {at:#x} on", units::count(a.len)))
                }
                None if a.len == b.len => Values::One(format!("{} bytes, which differ", units::count(a.len))),
                None => Values::Both(
                    format!("{} bytes", units::count(a.len)),
                    format!("{} bytes", units::count(b.len)),
                ),
            };
            item(name, values)
        });
    }
    let single = usize::from(found.files.is_some()) + usize::from(found.head.is_some());
    let counts = [
        (single, "changed"),
        (found.offsets.len(), "tensors elsewhere"),
        (gaps().count(), "other bytes between or behind"),
    ];
    section("layout", &counts, taker.items, taker.more)
}
