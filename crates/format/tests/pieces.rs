//! However a head is cut into pieces, the reading is the same: index, anomalies and errors.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use ggufkit_format::{Indexer, Options, Progress, parse};
use ggufkit_testkit::random::Rng;
use ggufkit_testkit::reading::{account, in_pieces};
use ggufkit_testkit::{Builder, Built, Value, controls};

/// Reads in pieces of each size up to 300 bytes, and as asked for; the size of the source known and not.
fn any_cut(name: &str, bytes: &[u8], options: Options, sizes: impl Iterator<Item = usize> + Clone) {
    for size in [None, Some(options.base + bytes.len() as u64)] {
        let options = options.with_size(size);
        let whole = account(&parse(bytes, options));
        for piece in sizes.clone() {
            assert_eq!(
                account(&in_pieces(bytes, options, |_| piece)),
                whole,
                "{name} by {piece}, size {size:?}"
            );
        }
        let asked = |min| usize::try_from(min).unwrap_or(usize::MAX);
        assert_eq!(account(&in_pieces(bytes, options, asked)), whole, "{name} as asked for, size {size:?}");
    }
}

fn options(document: &Builder, file: &Built) -> Options {
    Options::new().with_base(file.base()).with_dialect(document.layout())
}

#[test]
fn pieces_of_1_to_300_bytes() {
    for (name, document) in controls::all() {
        let file = document.build();
        any_cut(&name, file.gguf(), options(&document, &file), 1..=300);
        any_cut(&name, file.gguf(), options(&document, &file).with_text(false), [1, 7, 64].into_iter());
    }
}

/// Files that end early or lie about a count: the error is the same too, to its offset and its numbers.
#[test]
fn broken_files_in_pieces() {
    for (name, document) in controls::all() {
        let file = document.build();
        let options = options(&document, &file);
        let end = usize::try_from(parse(file.gguf(), options).index.unwrap().head().len).unwrap();
        for cut in (0..end).step_by(3) {
            any_cut(&name, &file.gguf()[..cut], options, [1, 2, 5, 13, 100].into_iter());
        }
        let mut rng = Rng::new(1);
        for _ in 0..300 {
            let mut bytes = file.gguf().to_vec();
            let at = rng.index(end);
            bytes[at] = rng.bytes(1)[0];
            any_cut(&name, &bytes, options, [1, 3, 11, 64].into_iter());
            any_cut(&name, &bytes, options.with_strict(true), [1, 17].into_iter());
            let mut limits = ggufkit_format::Limits::default();
            limits.max_string = 1 + rng.below(20);
            limits.max_array = 1 + rng.below(6);
            limits.max_head = 100 + rng.below(1000);
            limits.max_depth = 1 + rng.below(3) as u32;
            any_cut(&name, &bytes, options.with_limits(limits), [1, 29].into_iter());
        }
    }
}

/// One cut, at every place: the reading goes on from what it was given.
#[test]
fn two_pieces_cut_anywhere() {
    for (name, document) in controls::all() {
        let file = document.build();
        let (bytes, options) = (file.gguf(), options(&document, &file));
        let whole = account(&parse(bytes, options));
        for cut in 0..bytes.len() {
            let mut first = true;
            let pieces = in_pieces(bytes, options, |_| {
                let given = if first { cut } else { bytes.len() };
                first = false;
                given
            });
            assert_eq!(account(&pieces), whole, "{name} cut at {cut}");
        }
    }
}

/// More strings than lie between two marks, some long enough to end a run, some not UTF-8: cut at random.
#[test]
fn long_arrays_of_strings_in_pieces() {
    let mut rng = Rng::new(5);
    for nested in [false, true] {
        let strings: Vec<Vec<u8>> = (0..1000)
            .map(|i| match i % 97 {
                0 => vec![b'x'; 130 + i],
                13 => b"\xff".to_vec(),
                14 => "é".repeat(70).into_bytes(),
                _ => format!("token {i} 中").into_bytes(),
            })
            .collect();
        let array = Value::strings(strings);
        let array = if nested { Value::nested([array.clone(), vec![1_u8].into(), array]) } else { array };
        for version in [1, 3] {
            let file = Builder::new().version(version).kv("tokens", array.clone()).build();
            for text in [true, false] {
                let options = Options::new().with_text(text);
                let whole = account(&parse(file.gguf(), options));
                for most in [40, 700, 20_000] {
                    for _ in 0..5 {
                        let pieces = in_pieces(file.gguf(), options, |_| 1 + rng.index(most));
                        assert_eq!(account(&pieces), whole, "pieces of up to {most} bytes");
                    }
                }
            }
        }
    }
}

/// No request reaches past the head's end: whoever hands over what is asked for, or up to 40 bytes more, is never made
/// to read the data section.
#[test]
fn no_more_is_asked_for_than_the_head() {
    let mut rng = Rng::new(3);
    // What is asked for too much is seen where the head ends soon: inside an array that is the last of it.
    let strings = || Value::from(vec!["some", "strings", "", "of", "a", "few", "lengths"]);
    let last = [
        ("strings last", Builder::new().kv("k", strings())),
        ("nested last", Builder::new().kv("k", Value::nested([strings(), vec![1_u8; 9].into(), strings()]))),
    ];
    for (name, document) in controls::all().into_iter().chain(last.map(|(name, d)| (name.to_owned(), d))) {
        let file = document.build();
        let options = options(&document, &file);
        let end = parse(file.gguf(), options).index.unwrap().head_end();
        for (size, extra) in
            [(None, 1), (Some(file.size()), 1), (None, 40), (Some(file.size()), 40), (None, 40)]
        {
            let mut indexer = Indexer::new(options.with_size(size));
            let mut given = file.base();
            let mut requests = 0;
            loop {
                let from = usize::try_from(indexer.position()).unwrap();
                let part = &file.bytes()[from..usize::try_from(given).unwrap().max(from)];
                let Progress::Need { at, min } = indexer.advance(part, true) else { break };
                assert!(at + min <= end, "{name}: asks for {at} + {min}, and the head ends at {end}");
                assert!(at + min > given, "{name}: was given up to {given}, and asks for {at} + {min} again");
                given = (at + min + rng.below(extra)).min(file.size());
                requests += 1;
            }
            assert!(indexer.finish().error.is_none());
            // Each record takes a few: a length, a text, a value.
            assert!(requests < 400, "{name}: {requests} requests");
        }
    }
}

/// Where the size is known, elements of fixed width need not be there: the parser asks for what follows them.
#[test]
fn fixed_width_elements_are_jumped_over() {
    let file = Builder::new().kv("big", vec![0_u32; 10_000]).kv("after", 7_u8).build();
    let elements = file.span("kv[0].value[0]").start;
    let mut indexer = Indexer::new(Options::new().with_size(Some(file.size())));
    let head = usize::try_from(elements).unwrap();
    let Progress::Need { at, min } = indexer.advance(&file.bytes()[..head], true) else { unreachable!() };
    assert_eq!((at, min), (elements + 40_000, 8));
    let rest = usize::try_from(at).unwrap();
    assert_eq!(indexer.advance(&file.bytes()[rest..], false), Progress::Finished);
    let index = indexer.finish().into_result().unwrap();
    assert_eq!(account(&ggufkit_format::Outcome { index: Some(index), error: None }), {
        account(&parse(file.bytes(), Options::new()))
    });
}
