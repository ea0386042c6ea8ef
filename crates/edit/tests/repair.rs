//! Exactly one thing is broken in a sound file, and repaired: what comes out is the sound file, byte for byte. What
//! cannot be repaired without a guess is refused.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

mod common;

use ggufkit_check::Rule;
use ggufkit_edit::repair::{Duplicates, Input, Outcome, Policy, Reason, RepairError, repair};
use ggufkit_format::{ByteStr, Dialect, Endian, Options, Piece, Span};
use ggufkit_testkit::sources::{Failing, Memory};
use ggufkit_testkit::{Builder, Kind, Tensor, Value, controls, random};

fn run(bytes: &[u8], options: Options, policy: &Policy) -> Result<Outcome, Vec<Reason>> {
    let source = Memory::new(bytes);
    let input = Input {
        source: &source,
        label: ByteStr(b"model.gguf"),
        file_name: Some("model.gguf"),
        read: options,
    };
    repair(&input, policy).map_err(|error| match error {
        RepairError::Refused(refusal) => refusal.reasons,
        RepairError::Io(error) => panic!("{error}"),
    })
}

/// Repairs a file and checks the result: it is `expected`, the steps are these, and then there is nothing to repair.
#[track_caller]
fn repaired(bytes: &[u8], policy: &Policy, expected: &[u8], codes: &[&str]) -> Outcome {
    let outcome =
        run(bytes, Options::new(), policy).unwrap_or_else(|reasons| panic!("{codes:?}: {reasons:?}"));
    let out = outcome.outputs[0].plan.render(bytes).unwrap();
    let done: Vec<_> = outcome.steps.iter().map(|step| step.word).collect();
    // Whoever reads a step can read the manual of its rule.
    let no_rule = ["old-version", "half-precision", "leading-bytes"];
    let unknown = |code: &&&str| Rule::find(code).is_none() && !no_rule.contains(*code);
    assert_eq!(done.iter().find(unknown), None);
    assert_eq!(done, codes);
    if out != expected {
        let at = out.iter().zip(expected).position(|(a, b)| a != b);
        panic!("{codes:?}: differs at {at:?}; {} bytes, expected {}", out.len(), expected.len());
    }
    let again = run(&out, Options::new(), policy).unwrap();
    assert!(again.is_empty(), "{codes:?}: repaired again: {:?}", again.steps);
    outcome
}

fn refused(bytes: &[u8], policy: &Policy) -> Vec<&'static str> {
    match run(bytes, Options::new(), policy) {
        Err(reasons) => reasons.iter().map(|reason| reason.word).collect(),
        Ok(outcome) => panic!("not refused: {:?}", outcome.steps),
    }
}

fn model() -> Builder {
    Builder::new()
        .kv("general.architecture", "llama")
        .kv("general.name", "é model")
        .kv("llama.context_length", 4096_u32)
        .kv("tokenizer.ggml.add_bos_token", true)
        .kv("flags", vec![true, false, true])
        .kv("tokens", vec!["a", "b\0", "\u{feff}c"])
        .tensor(Tensor::f32("a.weight", &[3]))
        .tensor(Tensor::new("b.weight", 8, &[32, 3]))
        .tensor(Tensor::f32("c.bias", &[7]))
}

#[test]
fn sound_files_are_left_alone() {
    let mut files = vec![("model".to_owned(), model().bytes())];
    files.extend(
        (0..10).map(|seed| (format!("random {seed}"), random::document(seed, Endian::Little).bytes())),
    );
    files.extend(common::samples().into_iter().chain(common::shared()));
    // These hold a text that begins with a mark on purpose.
    files.retain(|(name, _)| !matches!(name.as_str(), "gguf-py-big.gguf" | "gguf-py-little.gguf"));
    for (name, bytes) in files {
        let outcome = run(&bytes, Options::new(), &Policy::default()).unwrap();
        assert!(outcome.is_empty(), "{name}: {:?}", outcome.steps);
        assert!(
            outcome.outputs[0].plan.pieces() == [Piece::Copy(Span::new(0, bytes.len() as u64))],
            "{name}"
        );
    }
}

#[test]
fn one_broken_field_is_put_right() {
    let sound = model().bytes();
    let policy = Policy::default();
    let mut file = model().build();
    file.patch("padding", vec![7; file.get("padding").len()]);
    repaired(file.bytes(), &policy, &sound, &["head-padding-nonzero"]);
    let mut file = model().build();
    file.patch("data.padding[1]", vec![7; file.get("data.padding[1]").len()]);
    repaired(file.bytes(), &policy, &sound, &["tensor-padding-nonzero"]);
    let mut file = model().build();
    file.patch("data.padding[3]", vec![7; file.get("data.padding[3]").len()]);
    repaired(file.bytes(), &policy, &sound, &["tensor-padding-nonzero"]);
    let mut file = model().build();
    file.set_u64("kv[3].value", 255);
    let outcome = repaired(file.bytes(), &policy, &sound, &["odd-bool"]);
    assert_eq!(outcome.steps[0].span, file.span("kv[3].value"));
    let mut file = model().build();
    file.set_u64("kv[4].value[2]", 2);
    repaired(file.bytes(), &policy, &sound, &["odd-bool"]);
    repaired(&model().final_padding(false).bytes(), &policy, &sound, &["final-padding-missing"]);
    repaired(&model().version(2).bytes(), &policy, &sound, &["old-version"]);
    repaired(&model().version(1).bytes(), &policy, &sound, &["early-version"]);
    let big = model().big_endian();
    repaired(&big.clone().version(1).bytes(), &policy, &big.bytes(), &["early-big-endian"]);
    repaired(&big.clone().version(2).bytes(), &policy, &big.bytes(), &["early-big-endian"]);
}

#[test]
fn text_around_texts_goes() {
    let policy = Policy::default();
    let file = |key: &str, value: &str, name: &str| {
        Builder::new().kv(key, value).kv("tokens", vec!["b\0"]).tensor(Tensor::f32(name, &[8])).bytes()
    };
    let sound = file("general.name", "text", "t");
    repaired(&file("general.name\0", "text", "t"), &policy, &sound, &["nul-in-key"]);
    repaired(&file("\u{feff}general.name", "text", "t"), &policy, &sound, &["bom-in-text"]);
    repaired(&file("general.name", "\u{feff}text\0\0", "t"), &policy, &sound, &["nul-in-value"]);
    repaired(&file("general.name", "text", "t\0\0"), &policy, &sound, &["tensor-name-nul"]);
    // A key that is nothing else is left, a mark before a tensor's name may be meant, and what is no text is not trimmed.
    let binary = Builder::new().kv("blob", Value::String(b"\xff\0".to_vec())).bytes();
    for odd in [file("\0", "text", "t"), file("general.name", "text", "\u{feff}t"), binary] {
        assert!(run(&odd, Options::new(), &policy).unwrap().steps.is_empty());
    }
    // Names that become the same are two tensors of one name.
    let two = Builder::new().tensor(Tensor::f32("t", &[8])).tensor(Tensor::f32("t\0", &[8])).bytes();
    assert_eq!(refused(&two, &policy), ["tensor-name-duplicate"]);
}

#[test]
fn integers_get_the_type_that_loaders_ask_for() {
    let policy = Policy::default();
    let file = |value: Value| {
        Builder::new().kv("general.architecture", "llama").kv("llama.block_count", value).bytes()
    };
    let sound = file(22_u32.into());
    for value in [Value::U64(22), Value::I32(22), Value::U8(22), Value::I64(22)] {
        repaired(&file(value), &policy, &sound, &["integer-width"]);
    }
    for value in [Value::I64(-1), Value::U64(1 << 32), Value::F32(22.0)] {
        assert!(run(&file(value), Options::new(), &policy).unwrap().is_empty());
    }
    // An alignment is one of these keys.
    let tensor = |d: Builder| d.tensor(Tensor::f32("t", &[3])).layout_alignment(64).bytes();
    let wide = tensor(Builder::new().kv("general.alignment", 64_u64));
    repaired(&wide, &policy, &tensor(Builder::new().kv("general.alignment", 64_u32)), &["integer-width"]);
}

#[test]
fn keys_that_occur_again() {
    let file = |values: &[u32]| {
        let all = values.iter().fold(Builder::new().kv("a", 1_u8), |d, value| d.kv("key", *value));
        all.kv("z", "end").tensor(Tensor::f32("t", &[8])).bytes()
    };
    let policy = Policy::default();
    repaired(&file(&[5, 5, 5]), &policy, &file(&[5]), &["duplicate-key", "duplicate-key"]);
    assert_eq!(refused(&file(&[5, 6, 5, 7]), &policy), ["duplicate-key", "duplicate-key"]);
    let with = |duplicates| {
        let mut policy = Policy::default();
        policy.duplicates = duplicates;
        policy
    };
    repaired(&file(&[5, 6]), &with(Duplicates::KeepFirst), &file(&[5]), &["duplicate-key"]);
    repaired(&file(&[5, 6]), &with(Duplicates::KeepLast), &file(&[6]), &["duplicate-key"]);
    // A NUL at the end of the key makes it another key only as long as it is there, and numbers have many types.
    let twice = Builder::new().kv("llama.block_count", 5_u32).kv("llama.block_count\0", 5_u64);
    let codes = ["nul-in-key", "integer-width", "duplicate-key"];
    repaired(&twice.bytes(), &policy, &Builder::new().kv("llama.block_count", 5_u32).bytes(), &codes);
}

#[test]
fn keys_of_a_split_model_go_from_a_whole_file() {
    let tensors = |d: Builder| d.tensor(Tensor::f32("t", &[8]));
    let keys = |no: u16, count: u16, tensors: i32| {
        Builder::new()
            .kv("split.no", no)
            .kv("a", 1_u8)
            .kv("split.count", count)
            .kv("split.tensors.count", tensors)
    };
    let policy = Policy::default();
    let sound = tensors(Builder::new().kv("a", 1_u8)).bytes();
    for count in [0, 1] {
        repaired(&tensors(keys(0, count, 1)).bytes(), &policy, &sound, &["split-merged-leftover"; 3]);
    }
    // A set of one file, by its name, is left alone.
    let set = tensors(keys(0, 1, 1)).bytes();
    let name = Some("model-00001-of-00001.gguf");
    let source = Memory::new(set);
    let input = Input { source: &source, label: ByteStr(b"m"), file_name: name, read: Options::new() };
    assert!(repair(&input, &policy).unwrap().is_empty());
    for other in [keys(0, 2, 1), keys(1, 1, 1), keys(0, 1, 5)] {
        assert!(run(&tensors(other).bytes(), Options::new(), &policy).unwrap().is_empty());
    }
}

#[test]
fn the_data_is_laid_out_anew() {
    let policy = Policy::default();
    let (a, b, c) = (Tensor::f32("a", &[3]), Tensor::new("b", 8, &[32, 3]), Tensor::f32("c", &[8]));
    let file = |offsets: [u64; 3]| {
        let mut tensors = [a.clone(), b.clone(), c.clone()].into_iter().zip(offsets);
        tensors.try_fold(Builder::new(), |d, (t, offset)| Some(d.tensor(t.offset(offset)))).unwrap()
    };
    let sound = Builder::new().tensor(a.clone()).tensor(b.clone()).tensor(c.clone()).bytes();
    assert_eq!(file([0, 32, 160]).bytes(), sound);
    repaired(&file([0, 17, 160]).bytes(), &policy, &sound, &["tensor-offset-misaligned", "tensor-gap"]);
    repaired(&file([0, 32, 135]).bytes(), &policy, &sound, &["tensor-offset-misaligned"]);
    repaired(&file([0, 32, 192]).bytes(), &policy, &sound, &["tensor-gap"]);
    repaired(&file([32, 64, 192]).bytes(), &policy, &sound, &["tensor-gap"]);
    // Zeros go with a gap; what else lies in it goes only when told.
    let mut gap = file([0, 32, 192]).build();
    let last = gap.span("tensors[2].data").start as usize;
    let outcome = repaired(gap.bytes(), &policy, &sound, &["tensor-gap"]);
    assert!(!outcome.steps[0].what.contains("zero"), "{}", outcome.steps[0].what);
    let name = gap.leaf_at(last as u64 - 1).unwrap().name.clone();
    let mut bytes = gap.get(&name).to_vec();
    *bytes.last_mut().unwrap() = 1;
    gap.patch(&name, bytes);
    let mut drop = Policy::default();
    drop.drop_gaps = true;
    let mut fix = Policy::default();
    fix.own = false;
    assert_eq!(refused(gap.bytes(), &policy), ["tensor-gap"]);
    assert_eq!(refused(gap.bytes(), &fix), ["tensor-gap"]);
    let outcome = repaired(gap.bytes(), &drop, &sound, &["tensor-gap"]);
    assert!(outcome.steps[0].what.contains("not all of them zero"), "{}", outcome.steps[0].what);
    repaired(&file([64, 96, 0]).bytes(), &policy, &sound, &["tensor-order", "tensor-gap"]);
    repaired(&file([160, 0, 128]).bytes(), &policy, &sound, &["tensor-order"]);
    // In big-endian files too, and behind other bytes.
    let other = file([160, 0, 128]).big_endian();
    let big = Builder::new().big_endian().tensor(a.clone()).tensor(b.clone()).tensor(c.clone()).bytes();
    repaired(&other.bytes(), &policy, &big, &["tensor-order"]);
    let behind = file([0, 32, 192]).prefix(*b"seven b").bytes();
    let outcome = run(&behind, Options::new().with_base(7), &policy).unwrap();
    assert_eq!(outcome.outputs[0].plan.render(&behind).unwrap(), sound);
}

#[test]
fn alignments_that_loaders_refuse_become_32() {
    let policy = Policy::default();
    let tensors = |d: Builder| d.tensor(Tensor::f32("a", &[3])).tensor(Tensor::f32("b", &[7])).bytes();
    let sound = tensors(Builder::new().kv("x", 1_u8).alignment(32));
    repaired(
        &tensors(Builder::new().kv("x", 1_u8).alignment(24)),
        &policy,
        &sound,
        &["alignment-not-power-of-two"],
    );
    let none = Builder::new().kv("x", 1_u8).alignment(24).bytes();
    let outcome = run(&none, Options::new(), &policy).unwrap();
    assert_eq!(outcome.steps.len(), 1);
}

#[test]
fn types_of_unknown_size_are_copied_up_to_what_follows() {
    let policy = Policy::default();
    let unknown = |d: Builder, offset| d.tensor(Tensor::new("u", 999, &[4]).data(vec![9; 20]).offset(offset));
    let file = |gap: u64| {
        let first = unknown(Builder::new(), 0);
        first
            .tensor(Tensor::f32("t", &[8]).offset(32))
            .tensor(Tensor::f32("v", &[8]).offset(64 + gap))
            .bytes()
    };
    let outcome = repaired(&file(32), &policy, &file(0), &["tensor-gap"]);
    assert!(outcome.left[0].message.contains("32 bytes"), "{:?}", outcome.left);
    // Nothing to lay out anew, nothing to say.
    assert!(run(&file(0), Options::new(), &policy).unwrap().left.is_empty());
    // Two of them at one place cannot be told apart.
    let two = unknown(unknown(Builder::new(), 0), 0).bytes();
    assert!(refused(&two, &policy).contains(&"tensor-overlap"));
}

#[test]
fn trailing_bytes_are_cut_only_when_told() {
    let mut cut = Policy::default();
    cut.cut_trailing = true;
    let sound = model().bytes();
    for trailing in [&b"trailing bytes"[..], &[0; 64]] {
        let file = model().trailing(trailing).bytes();
        let outcome = run(&file, Options::new(), &Policy::default()).unwrap();
        assert!(outcome.is_empty() && outcome.left[0].word == "trailing-bytes", "{:?}", outcome.left);
        repaired(&file, &cut, &sound, &["trailing-bytes"]);
        // They survive a new layout.
        let mut broken = model().trailing(trailing).build();
        broken.patch("data.padding[1]", vec![7; broken.get("data.padding[1]").len()]);
        repaired(broken.bytes(), &Policy::default(), &file, &["tensor-padding-nonzero"]);
        repaired(broken.bytes(), &cut, &sound, &["tensor-padding-nonzero", "trailing-bytes"]);
    }
    let none = Builder::new().kv("a", 1_u8);
    repaired(&none.clone().trailing(*b"x").bytes(), &cut, &none.bytes(), &["trailing-bytes"]);
}

/// A random document with one thing broken, at a random place, comes out as it was.
#[test]
fn random_documents_with_one_broken_thing() {
    let policy = Policy::default();
    let mut count = 0;
    for seed in 0..140 {
        let endian = [Endian::Little, Endian::Big][seed as usize % 2];
        let document = random::document(seed, endian);
        let (sound, mut rng) = (document.bytes(), random::Rng::new(seed));
        let built = document.build();
        let (kvs, tensors) = (document.kvs(), document.tensors());
        // A random string that ends in a NUL would be a second thing.
        if kvs.iter().any(|(_, value)| matches!(value, Value::String(text) if text.ends_with(b"\0"))) {
            continue;
        }
        let rebuilt = |kvs: &[(Vec<u8>, Value)], tensors: Vec<Tensor>| {
            let start =
                kvs.iter().fold(Builder::new().endian(endian), |d, (key, value)| d.kv(key, value.clone()));
            tensors.into_iter().fold(start, Builder::tensor).bytes()
        };
        let (broken, code) = match seed % 7 {
            0 => {
                let gaps = built.fields().iter().filter(|f| f.name.contains("padding") && !f.span.is_empty());
                let gaps: Vec<_> = gaps.map(|f| f.name.clone()).collect();
                let (mut file, name) = (built.clone(), &gaps[rng.index(gaps.len())]);
                file.patch(name, vec![1 + (seed as u8); file.get(name).len()]);
                (
                    file.into_bytes(),
                    if name == "padding" { "head-padding-nonzero" } else { "tensor-padding-nonzero" },
                )
            }
            1 => {
                let is_true = |(_, (_, value)): &(usize, &(Vec<u8>, Value))| *value == Value::Bool(1);
                let Some((at, _)) = kvs.iter().enumerate().find(is_true) else { continue };
                let mut file = built.clone();
                file.set_u64(&format!("kv[{at}].value"), 2 + rng.below(254));
                (file.into_bytes(), "odd-bool")
            }
            2 => {
                // Two tensors of one padded size change places: nothing else moves.
                let padded = |t: &Tensor| t.data.len().div_ceil(32);
                let (a, b) = (0..tensors.len())
                    .flat_map(|a| (0..a).map(move |b| (a, b)))
                    .find(|(a, b)| padded(&tensors[*a]) == padded(&tensors[*b]))
                    .unwrap();
                let mut offsets = document.offsets();
                offsets.swap(a, b);
                let moved = tensors.iter().zip(offsets).map(|(t, offset)| t.clone().offset(offset)).collect();
                (rebuilt(kvs, moved), "tensor-order")
            }
            3 => {
                let version = 1 + (seed as u32 / 7) % 2;
                let code = match (version, endian) {
                    (_, Endian::Big) => "early-big-endian",
                    (1, _) => "early-version",
                    _ => "old-version",
                };
                (document.clone().version(version).bytes(), code)
            }
            4 => {
                let (from, mut more) = (rng.index(kvs.len()), kvs.to_vec());
                let to = from + 1 + rng.index(kvs.len() - from);
                more.insert(to, kvs[from].clone());
                (rebuilt(&more, tensors.to_vec()), "duplicate-key")
            }
            5 => {
                let mut more = tensors.to_vec();
                let at = rng.index(more.len());
                more[at].name.push(0);
                (rebuilt(kvs, more), "tensor-name-nul")
            }
            _ => {
                let end = built.span("data").end()
                    - built.find(&format!("data.padding[{}]", tensors.len())).map_or(0, |s| s.len);
                if end == sound.len() as u64 {
                    continue;
                }
                (sound[..end as usize].to_vec(), "final-padding-missing")
            }
        };
        repaired(&broken, &policy, &sound, &[code]);
        count += 1;
    }
    assert!(count > 70, "{count}");
}

/// Only what findings propose: what they do not is left, and what they do comes to the same.
#[test]
fn findings_alone() {
    let mut fix = Policy::default();
    fix.own = false;
    let sound = model().bytes();
    let codes = |bytes: &[u8], expected: &[u8]| {
        let outcome = run(bytes, Options::new(), &fix).unwrap();
        assert!(outcome.outputs[0].plan.render(bytes).unwrap() == expected, "{:?}", outcome.steps);
        outcome.steps.len()
    };
    // The layout and the padding at the end, each by a finding of its own.
    let unpadded = |offset: u64| {
        let first = Builder::new().tensor(Tensor::f32("a", &[3]).offset(offset));
        first.tensor(Tensor::f32("b", &[3]).offset(offset + 64)).final_padding(false)
    };
    let padded = Builder::new().tensor(Tensor::f32("a", &[3])).tensor(Tensor::f32("b", &[3])).bytes();
    assert!(codes(&unpadded(17).bytes(), &padded) >= 1);
    assert!(codes(&unpadded(32).bytes(), &padded) >= 1);
    let mut file = model().build();
    file.set_u64("kv[3].value", 255);
    file.patch("data.padding[1]", vec![7; file.get("data.padding[1]").len()]);
    assert_eq!(codes(file.bytes(), &sound), 2);
    // An alignment of another power of two is changed by a finding only.
    let tensors = |d: Builder| d.tensor(Tensor::f32("a", &[3])).tensor(Tensor::f32("b", &[7])).bytes();
    let small = tensors(Builder::new().alignment(4));
    for policy in [&fix, &Policy::default()] {
        let outcome = run(&small, Options::new(), policy).unwrap();
        let out = outcome.outputs[0].plan.render(&small).unwrap();
        assert!(out == tensors(Builder::new().alignment(32)), "{:?}", outcome.steps);
    }
}

/// Every mis-written layout is recognised and becomes the standard one, with the values that it has.
#[test]
fn mis_written_layouts_become_standard() {
    for (name, dialect) in Dialect::CANDIDATES {
        let document = controls::common(*dialect);
        let expected = document.clone().dialect(Dialect::STANDARD).bytes();
        let outcome = repaired(&document.bytes(), &Policy::default(), &expected, &["mis-written-layout"]);
        assert_eq!(outcome.dialect, *dialect, "{name}");
    }
    // Half precision becomes single precision of the same value.
    let halves = Builder::new()
        .dialect(Dialect::SHORT_IDS)
        .kv("general.architecture", "llama")
        .kv("h", Value::F16(0x3c00))
        .kv("a", Value::Array(Kind::F16, vec![Value::F16(0xc000), Value::F16(1)]))
        .kv("b", vec![true, false]);
    let singles = Builder::new()
        .kv("general.architecture", "llama")
        .kv("h", 1.0_f32)
        .kv("a", vec![-2.0_f32, 1.0 / 16_777_216.0])
        .kv("b", vec![true, false]);
    let codes = ["mis-written-layout", "half-precision"];
    repaired(&halves.bytes(), &Policy::default(), &singles.bytes(), &codes);
}

#[test]
fn what_needs_a_guess_is_refused() {
    let policy = Policy::default();
    let whole = model().build();
    let data = whole.span("tensors[2].data");
    for len in [data.start, data.start + 1, data.end() - 1] {
        assert_eq!(refused(&whole.bytes()[..len as usize], &policy), ["data-cut-short"]);
    }
    assert_eq!(refused(&whole.bytes()[..100], &policy), ["unreadable-head"]);
    assert_eq!(refused(b"", &policy), ["not-gguf"]);
    assert_eq!(refused(b"<!doctype html><title>404</title>", &policy), ["not-gguf"]);
    let mut far = model().build();
    far.set_u64("tensors[1].offset", u64::MAX - 31);
    assert_eq!(refused(far.bytes(), &policy), ["data-cut-short"]);
    let mut overlap = model().build();
    overlap.set_u64("tensors[1].offset", 0);
    assert_eq!(refused(overlap.bytes(), &policy), ["tensor-overlap"]);
    let misfit = Builder::new().tensor(Tensor::new("q", 8, &[33]).data(vec![0; 64])).bytes();
    assert_eq!(refused(&misfit, &policy), ["block-misfit"]);
    let huge = Builder::new().tensor(Tensor::f32("h", &[u64::MAX, 3])).bytes();
    assert_eq!(refused(&huge, &policy), ["bytes-overflow"]);
    let mut zero = Builder::new().alignment(32).tensor(Tensor::f32("t", &[8])).build();
    zero.set_u64("kv[0].value", 0);
    assert_eq!(refused(zero.bytes(), &policy), ["unreadable-head"]);
    // Everything is listed, also when there are several things.
    let many = Builder::new()
        .kv("k", 1_u8)
        .kv("k", 2_u8)
        .tensor(Tensor::f32("t", &[8]))
        .tensor(Tensor::f32("t", &[8]));
    let mut many = many.build();
    many.set_u64("tensors[1].offset", 0);
    assert_eq!(refused(many.bytes(), &policy), ["duplicate-key", "tensor-name-duplicate", "tensor-overlap"]);
    let source = Memory::new(model().bytes()).without_size();
    let input = Input { source: &source, label: ByteStr(b"-"), file_name: None, read: Options::new() };
    assert!(matches!(repair(&input, &policy), Err(RepairError::Refused(_))));
    // What the system refuses is the system's.
    let source = Failing::at_call(Memory::new(model().bytes()), 0);
    let input = Input { source: &source, label: ByteStr(b"m"), file_name: None, read: Options::new() };
    assert!(matches!(repair(&input, &policy), Err(RepairError::Io(_))));
}

#[test]
fn files_that_were_joined_are_cut_apart_when_told() {
    let shard = |no: u16, count: u16| {
        let keys = Builder::new().kv("split.no", no).kv("split.count", count);
        keys.tensor(Tensor::f32(format!("t{no}"), &[8])).tensor(Tensor::f32(format!("u{no}"), &[3])).bytes()
    };
    let mut separate = Policy::default();
    separate.separate = true;
    let shards = [shard(0, 3), shard(1, 3), shard(2, 3)];
    let joined = shards.concat();
    assert_eq!(refused(&joined, &Policy::default()), ["joined-files"]);
    let outcome = run(&joined, Options::new(), &separate).unwrap();
    let files: Vec<_> = outcome
        .outputs
        .iter()
        .map(|output| (output.file_name.clone().unwrap(), output.plan.render(&joined).unwrap()))
        .collect();
    for (no, ((name, bytes), shard)) in files.iter().zip(&shards).enumerate() {
        assert_eq!(*name, format!("model-{:05}-of-00003.gguf", no + 1));
        assert!(bytes == shard);
    }
    assert_eq!(files.len(), 3);
    // Without numbers, or with the same ones, the parts are counted.
    let same = [shard(0, 1), shard(0, 1)].concat();
    let outcome = run(&same, Options::new(), &separate).unwrap();
    let names: Vec<_> = outcome.outputs.iter().map(|output| output.file_name.clone().unwrap()).collect();
    assert_eq!(names, ["model.1.gguf", "model.2.gguf"]);
    assert_eq!(refused(&shards[0], &separate), ["not-joined"]);
    let torn = [&shards[0][..], &shards[1][..90]].concat();
    assert_eq!(refused(&torn, &separate), ["unreadable-head"]);
}

/// Random damage of the head never makes it panic, and never makes it read or plan what is not there.
#[test]
fn damaged_files_are_repaired_or_refused() {
    let mut rng = random::Rng::new(7);
    let (mut done, mut refused) = (0, 0);
    for round in 0..600 {
        let document =
            if round % 2 == 0 { model() } else { controls::everything(1 + round % 3, Endian::Little) };
        let mut bytes = document.bytes();
        for _ in 0..=rng.below(2) {
            let at = rng.index(bytes.len());
            bytes[at] = rng.bytes(1)[0];
        }
        let mut policy = Policy::default();
        policy.cut_trailing = round % 3 == 0;
        policy.duplicates = if round % 5 == 0 { Duplicates::Refuse } else { Duplicates::KeepLast };
        match run(&bytes, Options::new(), &policy) {
            Ok(outcome) => {
                let out = outcome.outputs[0].plan.render(&bytes).unwrap();
                common::parsed(&out, 0, Dialect::STANDARD);
                done += 1;
            }
            Err(_) => refused += 1,
        }
    }
    assert!(done > 100 && refused > 100, "{done} repaired, {refused} refused");
}

#[test]
fn gaps_are_looked_at_to_their_end() {
    let mut policy = Policy::default();
    policy.rules.selection.ignore("alignment-huge", "it makes the gap long").unwrap();
    // The one dirty byte is the last one of a long gap.
    let sound = Builder::new().alignment(4 << 20).kv("a", 1_u8).tensor(Tensor::f32("t", &[8]));
    let mut file = sound.build();
    let mut padding = vec![0; file.get("padding").len()];
    assert!(padding.len() > 3 << 20, "{}", padding.len());
    *padding.last_mut().unwrap() = 7;
    file.patch("padding", padding);
    repaired(file.bytes(), &policy, &sound.bytes(), &["head-padding-nonzero"]);
    let gap = |dirt| {
        let tensors =
            Builder::new().tensor(Tensor::f32("t", &[8])).tensor(Tensor::f32("u", &[8]).offset(3 << 20));
        let mut bytes = tensors.bytes();
        let before = bytes.len() - 33;
        bytes[before] = dirt;
        bytes
    };
    assert_eq!(refused(&gap(7), &policy), ["tensor-gap"]);
    policy.drop_gaps = true;
    for (dirt, said) in [(0, false), (7, true)] {
        let outcome = run(&gap(dirt), Options::new(), &policy).unwrap();
        assert_eq!(outcome.steps.len(), 1, "{:?}", outcome.steps);
        assert_eq!(outcome.steps[0].what.contains("not all of them zero"), said, "{:?}", outcome.steps);
    }
    // What cannot be read is not clean.
    for bytes in [file.bytes().to_vec(), gap(0)] {
        let source = Failing::beyond(Memory::new(bytes), 2 << 20);
        let input = Input { source: &source, label: ByteStr(b"m"), file_name: None, read: Options::new() };
        assert!(matches!(repair(&input, &policy), Err(RepairError::Io(_))));
    }
}

#[test]
fn what_stays_is_told_with_its_place_and_without_options_of_a_program() {
    let bytes = model().trailing(*b"trailing").bytes();
    let outcome = run(&bytes, Options::new(), &Policy::default()).unwrap();
    let [left] = outcome.left.as_slice() else { panic!("{:?}", outcome.left) };
    assert_eq!((left.word, left.rule().map(|rule| rule.code)), ("trailing-bytes", Some("GG016")));
    assert_eq!(left.span, Some(Span::new(bytes.len() as u64 - 8, 8)));
    let joined = [model().bytes(), model().bytes()].concat();
    let twice = Builder::new().kv("a", 1_u8).kv("a", 2_u8).bytes();
    for file in [bytes, joined, twice, [&[0; 32][..], &model().bytes()].concat()] {
        let all = match run(&file, Options::new(), &Policy::default()) {
            Ok(outcome) => outcome.left,
            Err(reasons) => reasons,
        };
        assert!(!all.is_empty());
        for reason in all {
            assert!(!format!("{reason:?}").contains("--"), "{reason:?}");
        }
    }
}

#[test]
fn a_key_that_is_the_last_of_its_kind_stays() {
    let twice = Builder::new().kv("general.name", "x").kv("general.name", "x").kv("a", 1_u8).bytes();
    for duplicates in [Duplicates::Refuse, Duplicates::KeepFirst, Duplicates::KeepLast] {
        let mut policy = Policy::default();
        policy.duplicates = duplicates;
        let outcome = run(&twice, Options::new(), &policy).unwrap();
        let out = outcome.outputs[0].plan.render(&twice).unwrap();
        let index = common::parsed(&out, 0, Dialect::STANDARD);
        let view = ggufkit_format::View::new(&index, &out);
        let keys: Vec<_> = view.kvs().map(|(key, _)| key.0.to_vec()).collect();
        assert_eq!(keys, [b"general.name".to_vec(), b"a".to_vec()], "{duplicates:?}");
    }
}

#[test]
fn an_alignment_that_leaves_the_data_s_place_open_is_refused() {
    let laid_out = |value: Value, key: &str, alignment: u64| {
        // Behind a head that ends at no multiple of either alignment.
        let file = Builder::new().kv(key, value).layout_alignment(alignment);
        let file = file.tensor(Tensor::f32("a", &[3])).tensor(Tensor::f32("b", &[3]));
        (0..16).map(|n| file.clone().kv("pad", "x".repeat(n))).find(|file| {
            let head = file.build().span("head").end();
            head.next_multiple_of(16) != head.next_multiple_of(32)
        })
    };
    for (value, key) in [(Value::U64(16), "general.alignment"), (Value::U32(16), "general.alignment\0")] {
        let file = laid_out(value, key, 32).unwrap().bytes();
        assert_eq!(refused(&file, &Policy::default()), ["alignment-type"], "{key}");
    }
}

#[test]
fn data_that_is_packed_to_another_alignment_is_not_moved_where_its_start_is_open() {
    let file = |declared: u32, laid_out: u64, fill: usize| {
        let file = Builder::new().alignment(declared).kv("pad", "x".repeat(fill)).layout_alignment(laid_out);
        file.tensor(Tensor::f32("a", &[3])).tensor(Tensor::f32("b", &[3]))
    };
    let fill = (0..64).find(|fill| (1..16).contains(&(file(33, 32, *fill).build().span("head").end() % 64)));
    let fill = fill.unwrap();
    let mut policies = [Policy::default(), Policy::default(), Policy::default()];
    policies[1].cut_trailing = true;
    policies[2].drop_gaps = true;
    for (declared, laid_out) in [(33, 32), (64, 32), (32, 64), (8, 32)] {
        let bytes = file(declared, laid_out, fill).bytes();
        for policy in &policies {
            assert_eq!(refused(&bytes, policy), ["alignment-uncertain"], "{declared} and {laid_out}");
        }
    }
    // The finding promises nothing that is refused, so that there is nothing to do for who follows findings.
    let mut fix = Policy::default();
    fix.own = false;
    assert!(run(&file(33, 32, fill).bytes(), Options::new(), &fix).unwrap().is_empty());
}

#[test]
fn records_that_get_the_name_of_another_need_a_decision() {
    let mut fix = Policy::default();
    fix.own = false;
    for keys in [["k.a\0", "k.a\0\0"], ["k.a", "k.a\0"], ["k.a\0", "k.a"]] {
        let file = keys.iter().zip(1_u32..).fold(Builder::new(), |file, (key, n)| file.kv(*key, n)).bytes();
        assert_eq!(refused(&file, &Policy::default()), ["duplicate-key"], "{keys:?}");
        // A finding proposes no key that is there already, and cannot know what others propose.
        match run(&file, Options::new(), &fix) {
            Ok(outcome) => assert!(outcome.is_empty() && keys.contains(&"k.a"), "{keys:?}: {outcome:?}"),
            Err(reasons) => assert_eq!(reasons[0].word, "duplicate-key", "{keys:?}"),
        }
    }
    for names in [["t\0", "t\0\0"], ["t", "t\0"]] {
        let file = names.iter().fold(Builder::new(), |file, name| file.tensor(Tensor::f32(*name, &[8])));
        assert_eq!(refused(&file.bytes(), &Policy::default()), ["tensor-name-duplicate"], "{names:?}");
    }
}

#[test]
fn what_follows_the_last_tensor_at_once_is_kept() {
    let file = Builder::new()
        .tensor(Tensor::f32("t", &[4]))
        .final_padding(false)
        .trailing(*b"TRAILER-SIGNATURE-OF-SOMEBODY")
        .bytes();
    let outcome = run(&file, Options::new(), &Policy::default()).unwrap();
    let out = outcome.outputs[0].plan.render(&file).unwrap();
    assert_eq!(out, file);
    // Where padding is missing too, none is added: with it they would be taken for padding.
    let short =
        Builder::new().tensor(Tensor::f32("t", &[4])).final_padding(false).trailing(*b"TRAILER").bytes();
    let outcome = run(&short, Options::new(), &Policy::default()).unwrap();
    assert!(outcome.is_empty() && outcome.left[0].word == "trailing-bytes", "{outcome:?}");
    // Who says that they may go gets them replaced by padding, and who lets findings alone decide does not.
    let mut cut = Policy::default();
    cut.cut_trailing = true;
    let sound = Builder::new().tensor(Tensor::f32("t", &[4])).bytes();
    repaired(&short, &cut, &sound, &["trailing-bytes"]);
    repaired(&file, &cut, &sound, &["trailing-bytes"]);
    cut.own = false;
    let zeros = Builder::new().tensor(Tensor::f32("t", &[4])).final_padding(false).trailing(*b"TRAILER");
    let zeros = zeros.trailing([&b"TRAILER"[..], &[0; 40]].concat()).bytes();
    for file in [&file, &short, &zeros] {
        assert!(run(file, Options::new(), &cut).unwrap().is_empty());
    }
}

#[test]
fn what_follows_a_head_without_tensors_is_no_padding() {
    let file = |head: Builder| {
        let end = head.clone().head_padding(false).bytes();
        [&end[..], b"SIGNATURE"].concat()
    };
    let head = |value: u8| Builder::new().alignment(8).kv("tokenizer.ggml.add_bos_token", Value::Bool(value));
    // A head that ends at no multiple of 8, so that padding is expected.
    assert!(head(1).head_padding(false).bytes().len() % 8 > 0);
    assert!(run(&file(head(1)), Options::new(), &Policy::default()).unwrap().is_empty());
    repaired(&file(head(2)), &Policy::default(), &file(head(1)), &["odd-bool"]);
    let longer = head(1).kv("a", 1_u8).kv("a", 1_u8);
    repaired(&file(longer), &Policy::default(), &file(head(1).kv("a", 1_u8)), &["duplicate-key"]);
    let mut cut = Policy::default();
    cut.cut_trailing = true;
    repaired(&file(head(1)), &cut, &head(1).head_padding(false).bytes(), &["trailing-bytes"]);
}

#[test]
fn what_would_come_out_unreadable_or_worse_or_enormous_is_refused() {
    let keep_last = || {
        let mut policy = Policy::default();
        policy.duplicates = Duplicates::KeepLast;
        policy
    };
    let only_findings = || {
        let mut policy = Policy::default();
        policy.own = false;
        policy
    };
    let tensors = |file: Builder| file.tensor(Tensor::f32("a", &[3])).tensor(Tensor::f32("b", &[3])).bytes();
    let twice =
        |value: Value| tensors(Builder::new().kv("general.alignment", 32_u32).kv("general.alignment", value));
    for value in [Value::F32(1.0), Value::U32(0), Value::I64(-32), Value::U64(1 << 40), Value::from("32")] {
        let said = refused(&twice(value.clone()), &keep_last());
        assert!(!said.is_empty(), "{value:?}");
    }
    // Under its own name the key counts, and the offsets are spaced otherwise: that is mended with it, whether or not
    // anybody listens to the rules about it.
    let mut deaf = only_findings();
    deaf.rules.selection.ignore("layout", "old files").unwrap();
    let file = |fill: usize| Builder::new().kv("general.alignment\0", 64_u32).kv("pad", "x".repeat(fill));
    let head = |fill: usize| file(fill).build().span("head").end() % 64;
    let same = tensors(file((0..64).find(|fill| (33..64).contains(&head(*fill))).unwrap()));
    for policy in [&only_findings(), &deaf] {
        let outcome = run(&same, Options::new(), policy).unwrap();
        let words: Vec<_> = outcome.steps.iter().map(|step| step.word).collect();
        assert_eq!(words, ["nul-in-key", "tensor-offset-misaligned"]);
    }
    // Where the data would begin elsewhere by it, nobody can tell which was meant.
    let other = tensors(file((0..64).find(|fill| (1..=32).contains(&head(*fill))).unwrap()));
    for policy in [&only_findings(), &deaf] {
        assert_eq!(refused(&other, policy), ["alignment-type"]);
    }
}
