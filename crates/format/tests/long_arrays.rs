//! Arrays of strings long enough to be walked along several chains at once: every element, mark and verdict is the one
//! that a walk along one chain gives.

use ggufkit_format::{Endian, Options, Payload, Value, View, parse};
use ggufkit_testkit::random::Rng;
use ggufkit_testkit::reading::{account, in_pieces};
use ggufkit_testkit::{Builder, Value as Written};

/// Strings of every kind: empty, short, long, not UTF-8, and such whose bytes look like lengths.
fn strings(seed: u64, n: usize) -> Vec<Vec<u8>> {
    let mut rng = Rng::new(seed);
    (0..n)
        .map(|_| match rng.below(400) {
            0 => vec![b'x'; 128 + rng.index(5000)],
            1 => vec![0xff, 0xfe],
            2 => 9_u64.to_le_bytes().repeat(1 + rng.index(9)),
            3..40 => Vec::new(),
            _ => "é中a".as_bytes()[..[0, 2, 5, 6][rng.index(4)]].repeat(1 + rng.index(6)),
        })
        .collect()
}

#[test]
fn long_arrays_read_back_element_by_element() {
    for (seed, endian) in [(1, Endian::Little), (2, Endian::Big), (3, Endian::Little)] {
        let texts = strings(seed, 60_000);
        let file =
            Builder::new().endian(endian).kv("texts", Written::strings(&texts)).kv("after", 7_u32).build();
        let options = Options::new().with_size(Some(file.size()));
        let index = parse(file.bytes(), options).into_result().unwrap();
        let view = View::new(&index, file.bytes());
        let array = view.get("texts").and_then(|v| v.as_array()).unwrap();
        assert_eq!(array.iter().count(), texts.len());
        for (i, text) in texts.iter().enumerate().step_by(17) {
            assert_eq!(array.get(i as u64).and_then(|v| v.as_bytes()), Some(&text[..]), "{i}");
        }
        let Payload::Array(found) = &index.kvs()[0].payload else { panic!("an array") };
        let invalid: Vec<usize> =
            (0..texts.len()).filter(|&i| std::str::from_utf8(&texts[i]).is_err()).collect();
        assert_eq!(found.invalid_utf8, Some(invalid.len() as u64));
        assert_eq!(found.first_invalid_utf8, invalid.first().map(|&i| i as u64));
        assert!(matches!(view.get("after"), Some(Value::Scalar(s)) if s.as_u64() == Some(7)));
    }
}

#[test]
fn long_arrays_are_the_same_however_they_are_cut() {
    let texts = strings(4, 30_000);
    let file = Builder::new().kv("texts", Written::strings(&texts)).kv("after", 7_u32).build();
    for options in [Options::new(), Options::new().with_size(Some(file.size()))] {
        let whole = account(&parse(file.bytes(), options));
        for size in [997, 16_384, 17_407, 17_408, 40_000, 250_001] {
            assert_eq!(account(&in_pieces(file.bytes(), options, |_| size)), whole, "pieces of {size}");
        }
        let mut rng = Rng::new(5);
        let varied = in_pieces(file.bytes(), options, |_| 1 + rng.index(60_000));
        assert_eq!(account(&varied), whole);
    }
}
