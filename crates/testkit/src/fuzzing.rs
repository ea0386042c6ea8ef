//! What every input has to obey, whatever is in it. The fuzz targets call these functions, and so do tests over the
//! inputs that were once found.

use ggufkit_format::{Detail, FieldValue};
use ggufkit_format::{
    Dialect, Element, Index, KvPart, Options, Outcome, ParseError, Path, Payload, Span, Value, View,
    parse as parse_whole,
};

use crate::random::Rng;
use crate::reading::{account, in_pieces};

/// Bytes of index for each byte of head, at most. The dearest are the records of version 1: a key-value of 9 bytes, and
/// one of 16 bytes with an empty array.
pub const MEMORY_PER_BYTE: usize = 16;

/// Bytes of index that a file may cause beside that: the anomalies that are kept.
pub const MEMORY: usize = 256 << 10;

/// Reads the input in every way there is, and looks at what comes out.
pub fn parse(input: &[u8]) {
    let size = input.len() as u64;
    let known = Options::new().with_size(Some(size));
    let outcome = parse_whole(input, known);
    obeys(input, 0, &outcome);
    let unknown = parse_whole(input, Options::new());
    obeys(input, 0, &unknown);
    same_but_for_size(&outcome, &unknown);
    let textless = parse_whole(input, known.with_text(false));
    obeys(input, 0, &textless);
    // Skipping text skips no structure.
    assert_eq!(textless.error.is_some(), outcome.error.is_some());
    let base = 7;
    let inside = parse_whole(input, Options::new().with_base(base).with_size(Some(size + base)));
    obeys(input, base, &inside);
    let moved = inside.error.as_ref().map(|e| (e.offset() - base, e.code()));
    assert_eq!(moved, outcome.error.as_ref().map(|e| (e.offset(), e.code())));
    for (_, dialect) in Dialect::CANDIDATES {
        for strict in [false, true] {
            obeys(input, 0, &parse_whole(input, known.with_dialect(*dialect).with_strict(strict)));
        }
    }
}

/// Reads the input in pieces. Any cut gives the same reading, in every dialect and under every limit.
///
/// The first eight bytes choose: the first one the lengths of the pieces (modulo 6), the second the dialect (modulo 9),
/// the third whether text is judged, whether the reading is strict and whether limits are small (its lowest bits); all
/// of them together are the seed of what is random.
pub fn chunks(input: &[u8]) {
    let Some((choice, input)) = input.split_first_chunk::<8>() else { return };
    let mut rng = Rng::new(u64::from_le_bytes(*choice));
    let most = [1, 2, 7, 32, 300, 4096][usize::from(choice[0] % 6)];
    let dialect = match usize::from(choice[1] % 9) {
        0 => Dialect::STANDARD,
        i => Dialect::CANDIDATES.get(i - 1).map_or(Dialect::STANDARD, |(_, d)| *d),
    };
    let mut options =
        Options::new().with_dialect(dialect).with_text(choice[2] & 1 == 0).with_strict(choice[2] & 2 != 0);
    if choice[2] & 4 != 0 {
        options.limits.max_string = rng.below(200);
        options.limits.max_array = rng.below(20);
        options.limits.max_head = rng.below(2000);
        options.limits.max_depth = 1 + u32::from(choice[3] % 4);
    }
    for size in [None, Some(input.len() as u64)] {
        let options = options.with_size(size);
        let whole = account(&parse_whole(input, options));
        let pieces = in_pieces(input, options, |_| 1 + rng.index(most));
        assert_eq!(account(&pieces), whole, "pieces of up to {most} bytes, {options:?}");
        let pieces = in_pieces(input, options, |min| usize::try_from(min).unwrap_or(usize::MAX));
        assert_eq!(account(&pieces), whole, "pieces as they are asked for, {options:?}");
    }
}

/// Walks every value and every field, and escapes every text.
pub fn fields(input: &[u8]) {
    let size = input.len() as u64;
    for dialect in [Dialect::STANDARD, Dialect::PADDED_HEADER, Dialect::SHORT_IDS] {
        let options = Options::new().with_size(Some(size)).with_dialect(dialect);
        let Some(index) = parse_whole(input, options).index else { continue };
        let view = View::new(&index, input);
        for (key, kv) in view.kvs() {
            shows(key.0);
            walk_value(view.value(kv), &mut (1 << 16));
        }
        for (name, _) in view.tensors() {
            shows(name.0);
        }
        walk_fields(&view, Detail::All, &index);
        walk_fields(&view, Detail::First(3), &index);
        // A view of other bytes than the ones that were indexed gives wrong values and no panic.
        let half = View::new(&index, &input[..input.len() / 2]);
        let reversed: Vec<u8> = input.iter().rev().copied().collect();
        for view in [half, View::new(&index, &reversed)] {
            for (_, kv) in view.kvs() {
                walk_value(view.value(kv), &mut 4096);
            }
            assert!(view.fields(Detail::First(3)).take(1 << 16).count() > 0);
        }
    }
}

fn walk_value(value: Value<'_>, budget: &mut u64) {
    match value {
        Value::Scalar(_) => {}
        Value::String(text) => shows(text.0),
        Value::Array(array) => {
            let mut last = array.start();
            for element in array.iter() {
                *budget = budget.saturating_sub(1);
                if *budget == 0 {
                    return;
                }
                walk_value(element, budget);
            }
            let mut elements = array.iter_from(array.len() / 2);
            while elements.next().is_some() && *budget > 0 {
                *budget -= 1;
                assert!(elements.offset() >= last, "an element before its predecessor");
                last = elements.offset();
            }
            assert!(array.get(array.len()).is_none());
        }
    }
}

/// The fields follow each other from the magic to the data, or to the end of what there is, without a gap.
fn walk_fields(view: &View<'_>, detail: Detail, index: &Index) {
    let mut at = index.header().base;
    for field in view.fields(detail) {
        assert_eq!(field.span.start, at, "{}", field.path);
        at = field.span.end();
        if let FieldValue::Text(text) = field.value {
            shows(text.0);
        }
    }
    let end = view.start() + view.head().len() as u64;
    let expected = index.data_start().map_or(end, |data| data.min(end)).max(index.head_end());
    assert_eq!(at, expected, "the fields end elsewhere than the head");
}

/// Text of a file, shown: nothing in it can act on a terminal, and it is not longer than what stands for its bytes.
fn shows(bytes: &[u8]) {
    let shown = ggufkit_format::ByteStr(bytes).display().to_string();
    harmless(&shown);
    assert!(shown.len() <= bytes.len() * 8);
    let short = ggufkit_format::shorten(bytes, 10);
    harmless(&short);
    assert!(short.chars().count() <= 10);
}

fn harmless(shown: &str) {
    let bad = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert!(!shown.contains(bad), "{shown:?} reaches a terminal");
}

/// What holds for every reading of `input`, whose first byte is at `base` of its source.
pub fn obeys(input: &[u8], base: u64, outcome: &Outcome) {
    let end = base + input.len() as u64;
    match (&outcome.index, &outcome.error) {
        (Some(index), None) => assert!(index.is_complete()),
        (Some(index), Some(_)) => assert!(!index.is_complete()),
        (None, Some(_)) => {}
        (None, None) => panic!("neither an index nor an error"),
    }
    if let Some(error) = &outcome.error {
        tells(error, base, end);
    }
    let Some(index) = &outcome.index else { return };
    let inside = |what: &str, span: Span| {
        let ends = span.start.checked_add(span.len).is_some_and(|e| e <= end);
        assert!(span.start >= base && ends, "{what} {span} lies outside {base}..{end}");
    };
    inside("head", index.head());
    let mut at = index.header().span.end();
    for kv in index.kvs() {
        assert_eq!(kv.span.start, at, "a gap between records");
        at = kv.span.end();
        inside("record", kv.span);
        inside("key", kv.key.span);
        inside("value", kv.value_span);
        match &kv.payload {
            Payload::Scalar(_) => {}
            Payload::String(text) => inside("text", text.span),
            Payload::Array(array) => inside("elements", array.elements),
        }
    }
    for tensor in index.tensors() {
        assert_eq!(tensor.span.start, at, "a gap between records");
        at = tensor.span.end();
        inside("record", tensor.span);
        inside("name", tensor.name.span);
        if let Ok(span) = index.data_span(tensor) {
            assert!(index.data_start().is_some_and(|data| span.start >= data));
        }
    }
    assert_eq!(at, index.head_end());
    for anomaly in index.anomalies() {
        inside(anomaly.kind.code(), anomaly.span);
        harmless(&anomaly.kind.to_string());
    }
    let bound = input.len() * MEMORY_PER_BYTE + MEMORY;
    assert!(index.memory() <= bound, "{} bytes of index for {} of file", index.memory(), input.len());
}

/// An error names a place inside the file, in words that are safe to print.
fn tells(error: &ParseError, base: u64, end: u64) {
    assert!((base..=end).contains(&error.offset()), "{error} lies outside {base}..{end}");
    harmless(&error.to_string());
    if let Path::Kv { part: KvPart::Value(Element::Nested(indices)), .. } = error.path() {
        assert!(indices.len() > 1, "one index is no nesting");
    }
}

/// Knowing the size changes no value, and it changes an error only from "over the limit" to "more than there is".
fn same_but_for_size(known: &Outcome, unknown: &Outcome) {
    let read =
        |outcome: &Outcome| outcome.index.as_ref().map(|i| (i.kvs().len(), i.tensors().len(), i.head()));
    assert_eq!(read(known), read(unknown));
    match (&known.error, &unknown.error) {
        (None, None) => {}
        (Some(a), Some(b)) => assert_eq!((a.offset(), a.path()), (b.offset(), b.path()), "{a} / {b}"),
        (a, b) => panic!("{a:?} / {b:?}"),
    }
}
