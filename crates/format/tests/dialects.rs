//! Layouts that are not GGUF and circulate under its name: read back value for value when asked for by name, and never
//! taken for the format, nor the format for one of them.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use ggufkit_format::spec::ValueType;
use ggufkit_format::{AlignmentSource, AnomalyKind, Dialect, Index, Options, Reason, View, parse};
use ggufkit_testkit::builder::dialects;
use ggufkit_testkit::reading::assert_reads_back;
use ggufkit_testkit::{Builder, Built, Kind, Tensor, Value, controls, corpus};

fn options(bytes: &[u8], dialect: Dialect) -> Options {
    Options::new().with_size(Some(bytes.len() as u64)).with_dialect(dialect)
}

fn strict(bytes: &[u8], dialect: Dialect) -> Option<Index> {
    parse(bytes, options(bytes, dialect).with_strict(true)).into_result().ok()
}

#[test]
fn each_layout_reads_back_value_for_value() {
    for (name, dialect) in dialects() {
        let document = controls::common(dialect);
        let file = document.build();
        for strict in [false, true] {
            let outcome = parse(file.bytes(), options(file.bytes(), dialect).with_strict(strict));
            assert_eq!(outcome.error, None, "{name}");
            assert_reads_back(&document, &file, &outcome.index.unwrap());
        }
    }
}

/// Half precision has a number in this layout only. 0x3c00 is 1, 0xc000 is -2, 0x0001 is 2^-24.
#[test]
fn short_ids_has_half_precision() {
    let document = Builder::new()
        .dialect(Dialect::SHORT_IDS)
        .kv("h", Value::F16(0x3c00))
        .kv("a", Value::Array(Kind::F16, vec![Value::F16(0xc000), Value::F16(0x0001)]));
    let file = document.build();
    let index = parse(file.bytes(), options(file.bytes(), Dialect::SHORT_IDS)).into_result().unwrap();
    assert_reads_back(&document, &file, &index);
    let view = View::new(&index, file.bytes());
    assert_eq!(view.get("h").unwrap().as_float(), Some(1.0));
    let array = view.get("a").unwrap().as_array().unwrap();
    let floats: Vec<_> = array.iter().filter_map(|v| v.as_float()).collect();
    assert_eq!(floats, [-2.0, 1.0 / f64::from(1 << 24)]);
    assert_eq!(index.kvs()[0].value_type, ValueType::FLOAT16);
}

/// Ids that a numbering lacks are refused in it: 11 and 12 in *short-ids*, and everywhere the number that stands for
/// half precision inside this program.
#[test]
fn ids_that_a_numbering_lacks() {
    let cases = [
        (Dialect::SHORT_IDS, 11),
        (Dialect::SHORT_IDS, 12),
        (Dialect::SHORT_IDS, 13),
        (Dialect::SHORT_IDS, ValueType::FLOAT16.0),
        (Dialect::STANDARD, ValueType::FLOAT16.0),
        (Dialect::STANDARD, u32::MAX),
    ];
    for (dialect, type_id) in cases {
        let value = Value::Raw { type_id, bytes: vec![0; 8] };
        let file = Builder::new().dialect(dialect).kv("k", value).build();
        let error = parse(file.bytes(), options(file.bytes(), dialect)).error.unwrap();
        assert_eq!(error.reason(), &Reason::UnknownValueType { id: type_id, element: false });
        let mut file = Builder::new().dialect(dialect).kv("k", vec![1_u8]).build();
        file.set_u64("kv[0].value.element_type", type_id.into());
        let error = parse(file.bytes(), options(file.bytes(), dialect)).error.unwrap();
        assert_eq!(error.reason(), &Reason::UnknownValueType { id: type_id, element: true });
    }
}

/// A *padded-header* keeps its alignment in the header: it is used, and a key beside it is not.
#[test]
fn the_header_of_padded_header() {
    for dialect in [Dialect::PADDED_HEADER, Dialect::PADDED_HEADER_40] {
        let document = Builder::new().dialect(dialect).layout_alignment(64).kv("general.alignment", 16_u32);
        let mut file = document.tensor(Tensor::f32("t", &[4])).build();
        let index = parse(file.bytes(), options(file.bytes(), dialect)).into_result().unwrap();
        assert_eq!((index.alignment(), index.alignment_source()), (64, AlignmentSource::Header));
        assert_eq!(index.data_start(), Some(file.span("tensors[0].data").start));
        let kinds: Vec<_> = index.anomalies().iter().map(|a| a.kind).collect();
        assert_eq!(kinds, [AnomalyKind::AlignmentAgain]);

        let padding = file.span("header.padding");
        let mut odd = vec![0; usize::try_from(padding.len).unwrap()];
        odd[1] = 1;
        file.patch("header.padding", odd);
        let index = parse(file.bytes(), options(file.bytes(), dialect)).into_result().unwrap();
        assert_eq!(
            (index.anomalies()[0].kind, index.anomalies()[0].span),
            (AnomalyKind::HeaderPadding, padding)
        );
        assert!(strict(file.bytes(), dialect).is_none());

        file.set_u64("header.alignment", 0);
        let error = parse(file.bytes(), options(file.bytes(), dialect)).error.unwrap();
        assert_eq!(error.reason(), &Reason::BadAlignment { value_type: ValueType::UINT32, value: Some(0) });
        assert_eq!((error.path().to_string(), error.offset()), ("header.alignment".into(), 24));
    }
}

/// A missing NUL is named with its place.
#[test]
fn a_string_without_its_nul() {
    for field in ["kv[0].key.nul", "kv[0].value.nul", "kv[8].value[2].nul", "tensors[1].name.nul"] {
        let mut file = controls::common(Dialect::NUL_STRINGS).build();
        file.patch(field, b"!");
        let error = parse(file.bytes(), options(file.bytes(), Dialect::NUL_STRINGS)).error.unwrap();
        assert_eq!(error.reason(), &Reason::MissingNul { found: b'!' }, "{field}");
        assert_eq!((error.path().to_string(), error.offset()), (field.into(), file.span(field).start));
    }
}

/// What a strict reading refuses, and a plain one does not: the signs of a reading that went astray.
#[test]
fn what_is_implausible() {
    let odd_bool = Builder::new().kv("b", Value::Bool(99)).build();
    let odd_bools =
        Builder::new().kv("b", Value::Array(Kind::Bool, vec![Value::Bool(1), Value::Bool(2)])).build();
    let far = Builder::new().tensor(Tensor::f32("t", &[1]).offset(1 << 37)).build();
    let unknown = Builder::new().tensor(Tensor::new("t", 43, &[1])).build();
    let many = Builder::new().tensor(Tensor::f32("t", &[1; 9])).build();
    let control = Builder::new().kv("a\u{1}", 1_u8).build();
    let empty = Builder::new().tensor(Tensor::f32("", &[1])).build();
    let more = Builder::new().kv("k", 1_u8).trailing(*b"x").build();
    let mut padding = Builder::new().kv("k", 1_u8).build();
    padding.patch("padding", [vec![0; 25], vec![1]].concat());
    for (file, what, path) in [
        (odd_bool, "bool", "kv[0].value"),
        (odd_bools, "bool", "kv[0].value"),
        (far, "tensor offset", "tensors[0].offset"),
        (unknown, "tensor type", "tensors[0].type"),
        (many, "number of dimensions", "tensors[0].n_dims"),
        (control, "key", "kv[0].key"),
        (empty, "tensor name", "tensors[0].name"),
        (more, "end of the head", "unparsed"),
        (padding, "end of the head", "unparsed"),
    ] {
        let plain = options(file.bytes(), Dialect::STANDARD);
        assert_eq!(parse(file.bytes(), plain).error, None, "{what}");
        let error = parse(file.bytes(), plain.with_strict(true)).error.unwrap();
        assert_eq!((error.reason(), &*error.path().to_string()), (&Reason::Implausible { what }, path));
    }
    // Zeros to the data section, all of them or not, are how a head ends.
    for file in [Builder::new().kv("k", 1_u8), Builder::new().kv("k", 1_u8).head_padding(false)] {
        assert!(strict(&file.bytes(), Dialect::STANDARD).is_some());
    }
}

/// None of these files passes for a standard one: the reading fails, or a strict one finds something implausible.
#[test]
fn no_layout_is_taken_for_the_format() {
    for (name, dialect) in dialects() {
        let file = controls::common(dialect).build();
        let plain = parse(file.bytes(), options(file.bytes(), Dialect::STANDARD));
        assert!(plain.error.is_some() || strict(file.bytes(), Dialect::STANDARD).is_none(), "{name}");
    }
}

/// A bundle is recognised as itself: in the order of the candidates, the first that can be read is the one written.
#[test]
fn the_first_candidate_that_fits_is_the_right_one() {
    for (name, dialect) in Dialect::CANDIDATES {
        let file = controls::common(*dialect).build();
        let first = Dialect::CANDIDATES.iter().find(|(_, d)| strict(file.bytes(), *d).is_some());
        assert_eq!(first.map(|(n, _)| n), Some(name));
    }
}

/// How a reader guesses: a file that the strict standard reading takes is standard; of the others, the first candidate
/// that can be read strictly.
fn guess(bytes: &[u8]) -> Option<&'static str> {
    if strict(bytes, Dialect::STANDARD).is_some() {
        return Some("standard");
    }
    Dialect::CANDIDATES.iter().find(|(_, d)| strict(bytes, *d).is_some()).map(|(name, _)| *name)
}

/// A standard file is guessed to be one, or nothing when something else is implausible about it. Read as something else, it is refused, or it has nothing of what differs and
/// reads the same. (Of a single tensor at offset 0, offset and type can be exchanged, and both are plausible.)
fn only_as_what_it_is(name: &str, bytes: &[u8]) {
    assert!(matches!(guess(bytes), None | Some("standard")), "{name} is {:?}", guess(bytes));
    let Some(plain) = strict(bytes, Dialect::STANDARD) else { return };
    for (other, dialect) in Dialect::CANDIDATES {
        let Some(index) = strict(bytes, *dialect) else { continue };
        assert_eq!(format!("{:?}", index.kvs()), format!("{:?}", plain.kvs()), "{name} as {other}");
        if plain.tensors().len() > 1 {
            assert_eq!(index.tensors(), plain.tensors(), "{name} as {other}");
        }
    }
}

fn standard_files() -> Vec<(String, Built)> {
    let controls = controls::all().into_iter().filter(|(_, document)| document.layout() == Dialect::STANDARD);
    let random = (0..5).map(|seed| {
        let endian = [ggufkit_format::Endian::Little, ggufkit_format::Endian::Big][seed % 2];
        (format!("random {seed}"), ggufkit_testkit::random::document(seed as u64, endian))
    });
    controls.chain(random).map(|(name, document)| (name, document.build())).collect()
}

#[test]
fn the_format_is_not_taken_for_a_layout() {
    for (name, file) in standard_files() {
        only_as_what_it_is(&name, file.gguf());
    }
    let foreign = corpus::files(&corpus::data(env!("CARGO_MANIFEST_DIR")), "gguf");
    assert!(!foreign.is_empty());
    for file in foreign {
        assert_eq!(guess(&file.bytes), Some("standard"), "{}", file.name);
        only_as_what_it_is(&file.name, &file.bytes);
    }
}

/// Whatever is wrong with a file, it is not taken for another layout. The collection holds none of those.
#[test]
fn files_in_the_wild_are_not_taken_for_a_layout() {
    for folder in ["corpus", "cases/files"] {
        let Some(files) = corpus::shared_files(folder, "files_in_the_wild_are_not_taken_for_a_layout") else {
            continue;
        };
        for file in files {
            let guess = guess(&file.bytes);
            assert!(matches!(guess, None | Some("standard")), "{} is {guess:?}", file.name);
        }
    }
}
