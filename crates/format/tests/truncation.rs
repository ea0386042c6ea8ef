//! Files that end early, at every byte: the error names the field that is cut, and nothing before it is lost.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use ggufkit_format::{Index, Options, Reason, Span, parse};
use ggufkit_testkit::{Built, controls};

/// The field that a reader misses when the source ends at `len`: its path, and the bytes that it is read by.
fn missing(file: &Built, len: u64) -> (String, Span) {
    let leaf = file.leaf_at(len).unwrap();
    let path = leaf.name.clone();
    // Dimensions are read at once, and elements of fixed width are passed over at once: they are missed together.
    if let Some(record) = path.split(".dims[").next().filter(|record| record.len() < path.len()) {
        let first = file.span(&format!("{record}.dims[0]")).start;
        let last = file.span(&format!(
            "{record}.{}",
            if file.find(&format!("{record}.type")).unwrap().start
                < file.find(&format!("{record}.offset")).unwrap().start
            {
                "type"
            } else {
                "offset"
            }
        ));
        return (format!("{record}.dims[0]"), Span::between(first, last.start));
    }
    if let Some((array, _)) = path.rsplit_once('[').filter(|(array, _)| array.contains(".value"))
        && path.ends_with(']')
        && file.find(&format!("{path}.length")).is_none()
    {
        let first = file.span(&format!("{array}[0]")).start;
        return (array.to_owned(), Span::between(first, file.span(array).end()));
    }
    (path, leaf.span)
}

/// What was read is the beginning of what a whole reading gives.
fn begins(part: &Index, whole: &Index, len: u64) {
    assert_eq!(part.header(), whole.header());
    assert!(!part.is_complete());
    assert_eq!(part.data_start(), None);
    let kvs = whole.kvs().iter().filter(|kv| kv.span.end() <= len).count();
    let tensors = whole.tensors().iter().filter(|t| t.span.end() <= len).count();
    assert_eq!((part.kvs().len(), part.tensors().len()), (kvs, tensors));
    // As text: a NaN is not equal to itself.
    assert_eq!(format!("{:?}", part.kvs()), format!("{:?}", &whole.kvs()[..kvs]));
    assert_eq!(part.tensors(), &whole.tensors()[..tensors]);
    for tensor in part.tensors() {
        assert_eq!(part.dims(tensor), whole.dims(tensor));
    }
    assert!(whole.anomalies().starts_with(part.anomalies()));
    let end = whole.tensors().iter().map(|t| t.span).chain(whole.kvs().iter().map(|kv| kv.span));
    let end = end.map(Span::end).filter(|&end| end <= len).max();
    assert_eq!(part.head_end(), end.unwrap_or(whole.header().span.end()));
}

#[test]
fn every_cut_of_every_control() {
    for (name, document) in controls::all() {
        let file = document.build();
        let options = Options::new().with_base(file.base()).with_dialect(document.layout());
        let whole = parse(file.gguf(), options).into_result().unwrap();
        for len in file.base()..whole.head_end() {
            let part = &file.bytes()[usize::try_from(file.base()).unwrap()..usize::try_from(len).unwrap()];
            let (path, span) = missing(&file, len);
            for size in [None, Some(len)] {
                let outcome = parse(part, options.with_size(size));
                let error = outcome.error.unwrap();
                let place = (error.path().to_string(), error.offset());
                assert_eq!(place, (path.clone(), span.start), "{name}, cut at {len}: {error}");
                let expected = Reason::UnexpectedEnd { needed: span.len, remaining: len - span.start };
                assert_eq!(error.reason(), &expected, "{name}, cut at {len}: {error}");
                match outcome.index {
                    None => assert!(len < whole.header().span.end(), "{name}"),
                    Some(index) => begins(&index, &whole, len),
                }
            }
        }
        // From the head's end on, nothing is missing.
        for len in whole.head_end()..=file.size() {
            let part = &file.bytes()[usize::try_from(file.base()).unwrap()..usize::try_from(len).unwrap()];
            let index = parse(part, options.with_size(Some(len))).into_result().unwrap();
            assert_eq!(index.data_start(), whole.data_start(), "{name}, cut at {len}");
        }
    }
}

#[test]
fn the_message_names_field_name_need_and_place() {
    let file = ggufkit_testkit::Builder::new().kv("general.name", "llama").build();
    let cut = file.span("kv[0].value").start + 3;
    let error = parse(&file.bytes()[..usize::try_from(cut).unwrap()], Options::new()).error.unwrap();
    // 24 bytes of header, 8 + 12 of key, 4 of type, 8 of length.
    assert_eq!(
        error.to_string(),
        "unexpected end of file reading kv[0].value \"general.name\": need 5 bytes, 3 remain (at offset 0x38); \
         the header declares 1 key-values"
    );
    assert_eq!(error.name(), Some(&b"general.name"[..]));
}
