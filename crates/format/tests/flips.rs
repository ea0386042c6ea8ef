//! Files with one byte changed: nothing panics, nothing points outside, and no index outgrows its file.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use ggufkit_format::{Detail, Endian, Options, View, parse};
use ggufkit_testkit::fuzzing::obeys;
use ggufkit_testkit::{Builder, Tensor, Value, controls};

fn read(bytes: &[u8], options: Options) {
    for size in [None, Some(options.base + bytes.len() as u64)] {
        let outcome = parse(bytes, options.with_size(size));
        obeys(bytes, options.base, &outcome);
        if let (Some(index), Some(_)) = (&outcome.index, size) {
            let view = View::new(index, bytes);
            let end = view.fields(Detail::First(2)).last().map(|f| f.span.end());
            let all = options.base + bytes.len() as u64;
            let expected = index.data_start().map_or(all, |data| data.min(all)).max(index.head_end());
            assert_eq!(end, Some(expected));
        }
    }
}

/// A file of about 250 bytes that has every kind of field, with every byte set to each other value.
#[test]
fn every_value_of_every_byte() {
    for endian in [Endian::Little, Endian::Big] {
        let file = Builder::new()
            .endian(endian)
            .kv("s", "text")
            .kv("a", vec!["x", "yz"])
            .kv("n", Value::nested([vec![1_u16, 2].into(), vec![true].into()]))
            .alignment(8)
            .tensor(Tensor::new("t", 2, &[32, 1]))
            .without_data()
            .build();
        assert!(file.size() < 300);
        let mut bytes = file.into_bytes();
        for at in 0..bytes.len() {
            let original = bytes[at];
            for change in 1..=255 {
                bytes[at] = original ^ change;
                read(&bytes, Options::new());
            }
            bytes[at] = original;
        }
    }
}

/// Every bit of every control, head and data.
#[test]
fn every_bit_of_every_control() {
    for (_, document) in controls::all() {
        let file = document.build();
        let options = Options::new().with_base(file.base()).with_dialect(document.layout());
        let mut bytes = file.gguf().to_vec();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                bytes[at] ^= 1 << bit;
                read(&bytes, options);
                bytes[at] ^= 1 << bit;
            }
        }
    }
}

/// Every number of a file that tells a length or a count, set to the ends of its range.
#[test]
fn every_count_at_its_extremes() {
    let mut tried = 0;
    for (name, document) in controls::all() {
        let whole = document.build();
        let options = Options::new().with_base(whole.base()).with_dialect(document.layout());
        let counts = whole.fields().iter().filter(|f| {
            [".length", ".count", "_count", ".n_dims", ".offset"].iter().any(|end| f.name.ends_with(end))
                || f.name.contains(".dims[")
        });
        for field in counts {
            let max = if field.span.len == 4 { u64::from(u32::MAX) } else { u64::MAX };
            for value in
                [0, 1, max, max - 1, max / 2, max / 2 + 1, max / 8, max / 13, 1 << 30, (1 << 30) + 1, 1 << 20]
            {
                let mut file = whole.clone();
                file.set_u64(&field.name, value);
                println!("{name}: {} = {value}", field.name);
                read(file.gguf(), options);
                tried += 1;
            }
        }
    }
    assert!(tried > 5000, "{tried}");
}
