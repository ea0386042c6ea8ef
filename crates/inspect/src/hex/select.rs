//! Which fields are wanted.

use core::fmt::Write as _;

use ggufkit_format::{Detail, Field, Span, View};

/// A choice among the fields of a head.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Select {
    /// All of them.
    #[default]
    All,
    /// Those that lie within records, which stand in file order.
    Records(Vec<Span>),
    /// Those that share a byte with a range.
    Bytes(Span),
    /// Those at or below a logical path: `kv[3]`, `kv[3].value`, `tensors`.
    Path(String),
}

impl Select {
    /// The records of a key; `None` when there is none. A key may have several.
    #[must_use]
    pub fn key(view: &View<'_>, key: &[u8]) -> Option<Self> {
        let own: Vec<Span> = view.kvs().filter(|(k, _)| k.0 == key).map(|(_, kv)| kv.span).collect();
        (!own.is_empty()).then_some(Self::Records(own))
    }

    /// The records of a tensor; `None` when there is none.
    #[must_use]
    pub fn tensor(view: &View<'_>, name: &[u8]) -> Option<Self> {
        let own: Vec<Span> = view.tensors().filter(|(n, _)| n.0 == name).map(|(_, t)| t.span).collect();
        (!own.is_empty()).then_some(Self::Records(own))
    }

    /// How much of an array must be shown element by element to find what is wanted.
    #[must_use]
    pub fn detail(&self, detail: Detail) -> Detail {
        match self {
            Self::All | Self::Records(_) => detail,
            // An element, or the bytes of one, may be meant.
            Self::Bytes(_) => Detail::All,
            Self::Path(path) if path.contains(".value[") => Detail::All,
            Self::Path(_) => detail,
        }
    }

    /// Whether a field is wanted. `scratch` is used again from call to call.
    pub fn picks(&self, field: &Field<'_>, scratch: &mut String) -> bool {
        match self {
            Self::All => true,
            Self::Records(records) => {
                // In file order; a file may hold the same key a million times.
                let after = records.partition_point(|r| r.start <= field.span.start);
                let last = after.checked_sub(1).and_then(|at| records.get(at));
                last.is_some_and(|r| field.span.end() <= r.end() && field.span.start < r.end())
            }
            Self::Bytes(range) => field.span.start < range.end() && range.start < field.span.end(),
            Self::Path(wanted) => {
                scratch.clear();
                // Writing to a string does not fail.
                let _ = write!(scratch, "{}", field.path);
                scratch
                    .strip_prefix(wanted.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            }
        }
    }
}
