//! Key-values, and the elements of their arrays.

use ggufkit_format::spec::{FileType, Lang, keys};
use ggufkit_format::{ArrayRef, Kv, Payload, Span, Value, shorten};
use ggufkit_inspect::one_line;
use serde::Serialize;

use super::query::Query;
use super::refusal::Refusal;
use super::session::Session;
use super::shape::{Place, type_of};
use super::{Answer, MAX_LIST, MAX_ROWS, json};

/// Characters of a value.
const VALUE: usize = 2000;
/// Characters of all values of an answer; what comes behind them is shorter.
const ALL_VALUES: usize = 2 << 20;
/// Characters of an element.
const ELEMENT: usize = 600;
/// Arrays in arrays that can be gone into.
const MAX_DEPTH: usize = 64;

#[derive(Serialize)]
struct Entries {
    /// How many there are; the answer has at most 10,000 from `from` on.
    total: usize,
    entries: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    file: usize,
    index: usize,
    key: String,
    #[serde(rename = "type")]
    ty: String,
    value: String,
    cut: bool,
    count: Option<u64>,
    span: Place,
    key_span: Place,
    value_span: Place,
    meaning: Option<&'static str>,
    says: Option<String>,
}

pub(super) fn metadata(session: &Session, query: &Query<'_>) -> Answer {
    let (_, opened) = session.opened(query, "model")?;
    let lang = query.lang()?;
    let from: usize = query.text("from").map_or(Ok(0), |_| query.number("from"))?;
    let parts = session.parts(opened);
    let total = parts.iter().map(|(_, part)| part.view.index().kvs().len()).sum();
    let all = parts.iter().flat_map(|(number, part)| {
        part.view.index().kvs().iter().enumerate().map(move |(index, kv)| (*number, index, kv, part.view))
    });
    let mut room = ALL_VALUES;
    let mut entries = Vec::new();
    for (file, index, kv, view) in all.skip(from).take(MAX_LIST) {
        let most = if room > 0 { VALUE } else { 60 };
        let value = view.value(kv);
        let (text, cut) = one_line(&value, most);
        room = room.saturating_sub(text.len());
        let (meaning, says) = meaning(view.key(kv).0, &value, lang);
        entries.push(Entry {
            file,
            index,
            key: shorten(view.key(kv).0, 400),
            ty: type_of(&kv.payload, kv.value_type.to_string()),
            value: text,
            cut,
            count: count(kv),
            span: Place::new(file, kv.span),
            key_span: Place::new(file, kv.key.span),
            value_span: Place::new(file, kv.value_span),
            meaning,
            says,
        });
    }
    json(&Entries { total, entries })
}

fn count(kv: &Kv) -> Option<u64> {
    match &kv.payload {
        Payload::Array(array) => Some(array.count),
        _ => None,
    }
}

/// What a known key means, and what its value stands for among the few that it may have.
fn meaning(key: &[u8], value: &Value<'_>, lang: Lang) -> (Option<&'static str>, Option<String>) {
    let Some(info) = keys::lookup(key) else { return (None, None) };
    let integer = match value {
        Value::Scalar(scalar) => scalar.as_integer().and_then(|n| i64::try_from(n).ok()),
        _ => None,
    };
    let says = match (info.pattern, integer) {
        ("general.file_type", Some(n)) => {
            u32::try_from(n).ok().map(FileType).filter(|ty| ty.info().is_some()).map(|ty| ty.to_string())
        }
        (_, Some(n)) => info.choice_int(n).map(|choice| choice.name.to_owned()),
        _ => None,
    };
    (Some(info.meaning.get(lang)), says)
}

#[derive(Serialize)]
struct Elements {
    total: u64,
    elements: Vec<Element>,
}

#[derive(Serialize)]
struct Element {
    index: u64,
    value: String,
    cut: bool,
    #[serde(rename = "type")]
    ty: String,
    count: Option<u64>,
    span: Place,
}

pub(super) fn elements(session: &Session, query: &Query<'_>) -> Answer {
    let (number, _, view) = session.viewed(query)?;
    let at: usize = query.number("kv")?;
    let from: u64 = query.number("from")?;
    let count = query.count("count", MAX_ROWS, ("elements", "个元素"))?;
    let kv = view.index().kvs().get(at).ok_or_else(|| {
        Refusal::not_found(("there is no key-value with this number", "没有这个编号的键值对"))
    })?;
    let Value::Array(array) = view.value(kv) else {
        return Err(Refusal::usage(("the value is no array", "此值不是数组")));
    };
    let array = within(array, query.text("within").unwrap_or_default())?;
    let mut walk = array.iter_from(from);
    let mut out = Vec::new();
    let mut start = walk.offset();
    for index in from..from.saturating_add(count).min(array.len()) {
        let Some(value) = walk.next() else { break };
        let end = walk.offset();
        let (text, cut) = one_line(&value, ELEMENT);
        let inner = match &value {
            Value::Array(inner) => Some(inner.len()),
            _ => None,
        };
        let ty = match &value {
            Value::Array(inner) => format!("array[{}]", inner.element_type()),
            _ => array.element_type().to_string(),
        };
        let span = Place::new(number, Span::between(start, end));
        out.push(Element { index, value: text, cut, ty, count: inner, span });
        start = end;
    }
    json(&Elements { total: array.len(), elements: out })
}

/// The array inside an array that `path` leads to: numbers with points between.
fn within<'a>(mut array: ArrayRef<'a>, path: &str) -> Result<ArrayRef<'a>, Refusal> {
    for (depth, step) in path.split('.').filter(|step| !step.is_empty()).enumerate() {
        if depth >= MAX_DEPTH {
            return Err(Refusal::limit(("arrays in each other", "层嵌套数组"), MAX_DEPTH as u64));
        }
        let index: u64 = step.parse().map_err(|_| {
            Refusal::usage(("within is numbers with points between", "within 应为以点分隔的数字"))
        })?;
        array = match array.get(index) {
            Some(Value::Array(inner)) => inner,
            Some(_) => return Err(Refusal::usage(("the element is no array", "此元素不是数组"))),
            None => {
                return Err(Refusal::not_found((
                    "there is no element with this number",
                    "没有这个编号的元素",
                )));
            }
        };
    }
    Ok(array)
}
