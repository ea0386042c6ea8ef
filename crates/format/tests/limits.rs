//! Budgets: each stops the reading where it is met, says which option raises it, and stands aside when the file is
//! simply too short.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use ggufkit_format::{Fault, Limits, Options, ParseError, Reason, parse};
use ggufkit_testkit::reading::in_pieces;
use ggufkit_testkit::{Builder, Tensor, Value};

fn limited(change: impl Fn(&mut Limits)) -> Options {
    let mut limits = Limits::default();
    change(&mut limits);
    Options::new().with_limits(limits)
}

fn stopped(document: &Builder, options: Options) -> ParseError {
    let file = document.build();
    let error = parse(file.gguf(), options.with_base(file.base())).error.unwrap();
    assert_eq!(error.fault(), Fault::Limit);
    let known = options.with_base(file.base()).with_size(Some(file.size()));
    assert_eq!(parse(file.gguf(), known).error.as_ref(), Some(&error), "the file holds what it declares");
    error
}

#[test]
fn each_limit_at_its_edge() {
    let kvs = Builder::new().kv("a", "12345678").kv("b", vec![1_u8, 2, 3]);
    let tensors = Builder::new().tensor(Tensor::f32("t", &[1])).tensor(Tensor::f32("u", &[1]));
    type Case<'a> = (&'a Builder, fn(&mut Limits, u64), u64, &'a str, &'a str);
    let cases: [Case<'_>; 4] = [
        (&kvs, |l, n| l.max_kv = n, 2, "max_kv", "header.kv_count"),
        (&kvs, |l, n| l.max_string = n, 8, "max_string", "kv[0].value"),
        (&kvs, |l, n| l.max_array = n, 3, "max_array", "kv[1].value.count"),
        (&tensors, |l, n| l.max_tensors = n, 2, "max_tensors", "header.tensor_count"),
    ];
    for (document, set, enough, option, path) in cases {
        let bytes = document.bytes();
        assert_eq!(parse(&bytes, limited(|l| set(l, enough))).error, None, "{option}");
        let error = stopped(document, limited(|l| set(l, enough - 1)));
        assert_eq!(error.path().to_string(), path);
        let Reason::Limit { value, limit, option: named, .. } = error.reason() else { unreachable!() };
        assert_eq!((*value, *limit, *named), (enough, enough - 1, option));
        assert!(error.help().unwrap().contains(&format!("--{}", option.replace('_', "-"))));
    }
}

/// A string in an array is bounded as any other, whatever the bytes of its length look like, and however it comes.
#[test]
fn strings_in_arrays() {
    for len in [2_usize, 100, 127, 128, 129, 0x7f7f, 0x8000] {
        let document = Builder::new().kv("a", vec!["".to_owned(), "x".repeat(len), "y".to_owned()]);
        let (file, len) = (document.build(), len as u64);
        assert_eq!(parse(file.bytes(), limited(|l| l.max_string = len)).error, None);
        let options = limited(|l| l.max_string = len - 1).with_text(len % 2 == 0);
        let error = stopped(&document, options);
        assert_eq!(
            (error.path().to_string(), error.offset()),
            ("kv[0].value[1]".into(), file.span("kv[0].value[1].length").start)
        );
        assert_eq!(
            error.reason(),
            &Reason::Limit { what: "length", value: len, limit: len - 1, option: "max_string" }
        );
        for piece in [1, 9, 64, 1 << 20] {
            assert_eq!(in_pieces(file.bytes(), options, |_| piece).error.as_ref(), Some(&error));
        }
    }
}

/// The head's budget counts from the magic, wherever that is.
#[test]
fn the_size_of_the_head() {
    for prefix in [&b""[..], b"seven b"] {
        let document = Builder::new().prefix(prefix).kv("a", "12345678").kv("b", vec!["x"; 10]);
        let file = document.build();
        let head = file.span("head").len;
        let options = limited(|l| l.max_head = head).with_base(file.base());
        assert_eq!(parse(file.gguf(), options).error, None);
        for less in 1..head {
            let error = stopped(&document, limited(|l| l.max_head = head - less));
            let Reason::Limit { value, limit, option, .. } = error.reason() else { unreachable!() };
            assert_eq!((*limit, *option), (head - less, "max_head"));
            assert!((head - less + 1..=head).contains(value), "{error}");
        }
    }
}

/// A plain array has depth 1. The error stands at the header of the array that is too deep.
#[test]
fn nesting() {
    let nested = |depth: u32| (1..depth).fold(Value::from(vec![7_u8]), |inner, _| Value::nested([inner]));
    for depth in 1..=20 {
        let document = Builder::new().kv("k", nested(depth));
        let file = document.build();
        let result = parse(file.bytes(), Options::new());
        if depth <= 16 {
            assert_eq!(result.error, None);
            continue;
        }
        let error = stopped(&document, Options::new());
        let path = format!("kv[0].value{}", "[0]".repeat(16));
        assert_eq!(error.path().to_string(), path);
        assert_eq!(error.offset(), file.span(&format!("{path}.element_type")).start);
        assert_eq!(
            error.reason(),
            &Reason::Limit { what: "array nesting", value: 17, limit: 16, option: "max_depth" }
        );
    }
    assert_eq!(
        parse(&Builder::new().kv("k", nested(200)).bytes(), limited(|l| l.max_depth = 200)).error,
        None
    );
}

/// A count that the file cannot back is the file's fault, whatever the limit.
#[test]
fn too_short_comes_before_over_the_limit() {
    let mut file = Builder::new().kv("k", vec!["x"]).build();
    file.set_u64("kv[0].value.count", 1 << 40);
    let known = parse(file.bytes(), Options::new().with_size(Some(file.size()))).error.unwrap();
    assert_eq!((known.fault(), known.code()), (Fault::Malformed, "declared-too-large"));
    let unknown = parse(file.bytes(), Options::new()).error.unwrap();
    assert_eq!((unknown.fault(), unknown.code()), (Fault::Limit, "limit"));
    assert_eq!(known.offset(), unknown.offset());
}

/// With every limit raised to the end of 64 bits there is still no overflow.
#[test]
fn no_limit_at_all() {
    let none = limited(|l| {
        l.max_head = u64::MAX;
        l.max_kv = u64::MAX;
        l.max_tensors = u64::MAX;
        l.max_string = u64::MAX;
        l.max_array = u64::MAX;
        l.max_depth = u32::MAX;
    });
    let document = Builder::new().kv("k", vec![1_u64]).kv("s", vec!["x"]).tensor(Tensor::f32("t", &[1]));
    let whole = document.build();
    for field in whole.fields().iter().filter(|f| f.leaf && matches!(f.span.len, 4 | 8)) {
        for value in [u32::MAX.into(), u64::MAX, u64::MAX - 40, 1 << 61] {
            if field.span.len == 4 && value > u32::MAX.into() {
                continue;
            }
            let mut file = whole.clone();
            file.set_u64(&field.name, value);
            for base in [0, u64::MAX - 10, u64::MAX - file.size()] {
                let outcome = parse(file.bytes(), none.with_base(base));
                // Ten bytes before the end of all positions there is no room for a header of 24.
                if base == u64::MAX - 10 && !field.name.starts_with("header.") {
                    assert_eq!(outcome.error.as_ref().map(ParseError::code), Some("overflow"));
                }
                if let Some(index) = outcome.index {
                    assert!(index.head_end() >= base);
                }
            }
        }
    }
}
