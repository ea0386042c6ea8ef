//! Small models, quantized in every way that could go wrong.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use ggufkit_format::spec::TensorType;
use ggufkit_format::{Index, Options, ReadAt, View};
use ggufkit_io::sink::{self, Output, Resume, SinkError, Terms};
use ggufkit_io::{FileSource, HeadBuffer, read_full};
use ggufkit_testkit::{Builder, Tensor};
use ggufkit_values::importance::ImportanceMatrix;
use ggufkit_values::mixture::{Mixture, Rule, Wishes};
use tempfile::{TempDir, tempdir};

use super::*;
use crate::shards::Member;

type T = TensorType;

/// A file of these bytes in a folder.
fn stored(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn written(paths: &[&Path]) -> Vec<FileSource> {
    paths.iter().map(|path| FileSource::open(path).unwrap()).collect()
}

/// A file that was read.
struct Opened {
    source: FileSource,
    index: Index,
    head: Vec<u8>,
}

impl Opened {
    fn of(path: &Path) -> Self {
        let source = FileSource::open(path).unwrap();
        let mut buffer = HeadBuffer::new();
        let index = buffer.read(&source, Options::new()).unwrap().into_result().unwrap();
        Self { source, index, head: buffer.into_bytes() }
    }

    fn view(&self) -> View<'_> {
        View::new(&self.index, &self.head)
    }

    fn member(&self) -> Member<'_> {
        Member { view: self.view(), size: self.source.size().unwrap(), start: 0 }
    }

    fn plan<'a>(&'a self, request: &Request<'a>, threads: usize) -> Quantization<'a> {
        let threads = NonZeroUsize::new(threads).unwrap();
        Quantization::of(&[self.member()], &[&self.source], request, threads).unwrap()
    }

    fn data(&self, name: &str) -> Vec<u8> {
        let tensor = self.view().tensor(name).unwrap();
        let span = self.index.data_span(tensor).unwrap();
        let mut bytes = vec![0; span.len as usize];
        read_full(&self.source, &mut bytes, span.start).unwrap();
        bytes
    }
}

fn numbers(seed: u32, count: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(747_796_405).wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from_bits(0x3f80_0000 | (state >> 9)) - 1.5
    };
    (0..count).map(|_| next() * next()).collect()
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn matrix(seed: u32, name: &str, dims: &[u64]) -> Tensor {
    let count = dims.iter().product::<u64>() as usize;
    Tensor::f32(name, dims).data(bytes(&numbers(seed, count)))
}

fn head() -> Builder {
    Builder::new()
        .kv("general.architecture", "llama")
        .kv("llama.block_count", 2_u32)
        .kv("general.file_type", 0_u32)
        .kv("quantize.imatrix.file", "old")
        .kv("llama.attention.head_count", 8_u32)
}

fn model() -> Vec<u8> {
    head()
        .tensor(matrix(1, "token_embd.weight", &[256, 40]))
        .tensor(matrix(2, "blk.0.attn_v.weight", &[512, 300]))
        .tensor(matrix(3, "blk.0.attn_norm.weight", &[256]))
        .tensor(matrix(4, "blk.1.ffn_down_exps.weight", &[256, 5, 3]))
        .tensor(matrix(5, "output.weight", &[256, 7]))
        .bytes()
}

fn of(mixture: &str) -> Request<'static> {
    Request { mixture: Mixture::of_name(mixture), ..Request::default() }
}

fn encoded(ty: T, values: &[f32], row: usize, importance: Option<&[f32]>) -> Vec<u8> {
    let codec = ggufkit_quant::codec(ty).unwrap();
    let mut out = vec![0; values.len() / codec.block_elements() * codec.block_bytes()];
    codec.encode(values, row, importance, &mut out).unwrap();
    out
}

fn save(plan: &Quantization<'_>, target: &Path) -> Result<(), SinkError> {
    sink::save(&plan.files()[0].plan, plan.source(), target, true, &mut sink::unwatched)
}

#[test]
fn the_new_file_has_the_blocks_that_the_codecs_make() {
    let folder = tempdir().unwrap();
    let opened = Opened::of(&stored(&folder, "m.gguf", &model()));
    let request = of("Q4_K_S");
    let mut made = Vec::new();
    for threads in [1, 2, 7] {
        let plan = opened.plan(&request, threads);
        assert_eq!(plan.refusals(), []);
        let target = folder.path().join("out.gguf");
        save(&plan, &target).unwrap();
        let measured = plan
            .verify(&[opened.member()], &[&opened.source], &written(&[&target]), NonZeroUsize::MIN, &|_| {})
            .unwrap();
        assert_eq!(measured.len(), 5);
        let error = measured[1].difference.as_ref().unwrap().relative().unwrap();
        assert!(error > 1e-3 && error < 0.05, "{error}");
        assert!(measured[2].difference.is_none());
        made.push(std::fs::read(&target).unwrap());
    }
    assert!(made[0] == made[1] && made[0] == made[2], "threads make no difference");
    let out = Opened::of(&folder.path().join("out.gguf"));
    // The first four layers of values have more bits.
    let values = numbers(2, 512 * 300);
    assert!(out.data("blk.0.attn_v.weight") == encoded(T::Q5_K, &values, 512, None));
    assert!(out.data("blk.1.ffn_down_exps.weight") == encoded(T::Q4_K, &numbers(4, 3840), 256, None));
    assert!(out.data("output.weight") == encoded(T::Q6_K, &numbers(5, 256 * 7), 256, None));
    assert!(out.data("blk.0.attn_norm.weight") == bytes(&numbers(3, 256)));
    let view = out.view();
    let keys: Vec<_> = view.kvs().map(|(key, _)| String::from_utf8_lossy(key.0).into_owned()).collect();
    let expected = [
        "general.architecture",
        "llama.block_count",
        "general.file_type",
        "llama.attention.head_count",
        "general.quantization_version",
    ];
    assert_eq!(keys, expected, "what was said of importance is not true any more");
    assert_eq!(view.get("general.file_type").and_then(|value| value.as_u64()), Some(14));
    assert_eq!(view.get("general.quantization_version").and_then(|value| value.as_u64()), Some(2));
}

#[test]
fn each_matrix_has_importance_of_its_own() {
    let folder = tempdir().unwrap();
    let opened = Opened::of(&stored(&folder, "m.gguf", &model()));
    let sums: Vec<f32> = numbers(9, 768).iter().map(|number| number.abs() * 50.0).collect();
    let counts = [4.0, 0.0, 8.0];
    let imatrix = Builder::new()
        .tensor(Tensor::f32("blk.1.ffn_down_exps.weight.in_sum2", &[256, 3]).data(bytes(&sums)))
        .tensor(Tensor::f32("blk.1.ffn_down_exps.weight.counts", &[1, 3]).data(bytes(&counts)))
        .tensor(Tensor::f32("gone.in_sum2", &[256]).data(bytes(&sums[..256])))
        .tensor(Tensor::f32("gone.counts", &[1]).data(bytes(&[1.0])));
    let importance =
        ImportanceMatrix::read(FileSource::open(stored(&folder, "i.gguf", &imatrix.bytes())).unwrap())
            .unwrap();
    let request =
        Request { importance: Some(&importance), importance_name: b"i.gguf".to_vec(), ..of("Q4_K_S") };
    let plan = opened.plan(&request, 2);
    assert_eq!(plan.importance_left(), [b"gone".to_vec()]);
    let target = folder.path().join("out.gguf");
    save(&plan, &target).unwrap();
    // Only what was encoded by importance is measured by it, and comes out better so.
    let measure = |plan: &Quantization<'_>| {
        plan.verify(&[opened.member()], &[&opened.source], &written(&[&target]), NonZeroUsize::MIN, &|_| {})
            .unwrap()
    };
    let measured = measure(&plan);
    let is_weighted: Vec<bool> = measured.iter().map(|one| one.weighted.is_some()).collect();
    assert_eq!(is_weighted, [false, false, false, true, false]);
    let weighted = measured[3].weighted.as_ref().unwrap().relative().unwrap();
    assert!(weighted < measured[3].difference.as_ref().unwrap().relative().unwrap(), "{weighted}");
    let out = Opened::of(&target);
    let values = numbers(4, 3840);
    let expected: Vec<u8> = (0..3)
        .flat_map(|expert| {
            let sums = &sums[expert * 256..][..256];
            let count = counts[expert];
            let weights: Vec<f32> =
                sums.iter().map(|sum| if count > 0.0 { sum / count } else { 1.0 }).collect();
            encoded(T::Q4_K, &values[expert * 1280..][..1280], 256, Some(&weights))
        })
        .collect();
    assert!(out.data("blk.1.ffn_down_exps.weight") == expected);
    assert!(expected != encoded(T::Q4_K, &values, 256, None));
    let said = |key: &str| out.view().get(key).and_then(|value| value.as_bytes().map(<[u8]>::to_vec));
    assert_eq!(said("quantize.imatrix.file"), Some(b"i.gguf".to_vec()));
    let count = out.view().get("quantize.imatrix.entries_count").and_then(|value| value.as_u64());
    assert_eq!(count, Some(2));
}

#[test]
fn bytes_do_not_depend_on_where_the_reading_begins_and_few_are_held() {
    let folder = tempdir().unwrap();
    // More than one batch, a row that is cut, and rows longer than a piece.
    for (seed, row, rows) in [(1, 1 << 10, 1100), (2, (1 << 21) + 512, 2), (3, (1 << 18) + 32, 2)] {
        let file = head().tensor(matrix(seed, "a.weight", &[row, rows]));
        let opened = Opened::of(&stored(&folder, "m.gguf", &file.bytes()));
        let plan = opened.plan(&of("Q8_0"), 2);
        let at = opened.source.size().unwrap();
        let expected = encoded(T::Q8_0, &numbers(seed, (row * rows) as usize), row as usize, None);
        assert_eq!(plan.source().size(), Some(at + expected.len() as u64));
        let mut found = vec![0; expected.len()];
        assert_eq!(read_full(plan.source(), &mut found, at).unwrap(), expected.len());
        assert!(found == expected, "{seed}");
        for start in [expected.len() - 5, 1, 300_000, 0, 278_529] {
            let mut some = [0; 70];
            let read = plan.source().read_at(&mut some, at + start as u64).unwrap();
            assert!(some[..read] == expected[start..][..read] && read > 0, "{seed} {start}");
        }
        let held = plan.source().held_bytes();
        assert!(held <= 2 << 20, "{held} bytes are held of {}", expected.len());
    }
}

#[test]
fn a_weight_that_is_not_finite_is_named_with_its_place() {
    let folder = tempdir().unwrap();
    let mut values = numbers(1, 512 * 9);
    values[512 * 7 + 30] = f32::INFINITY;
    values[512 * 8] = f32::NAN;
    let file = head().tensor(Tensor::f32("a.weight", &[512, 9]).data(bytes(&values)));
    let opened = Opened::of(&stored(&folder, "m.gguf", &file.bytes()));
    let target = folder.path().join("out.gguf");
    let error = |request: &Request<'_>| {
        let plan = opened.plan(request, 3);
        let Err(SinkError::Read { source, .. }) = save(&plan, &target) else { panic!("it was written") };
        source.get_ref().unwrap().downcast_ref::<WeightError>().unwrap().to_string()
    };
    assert_eq!(error(&of("Q4_0")), "a.weight: the weight in row 7, column 30 (element 3614) is inf");
    assert!(!target.exists());
    // What is copied is looked at when it is asked for.
    let request = Request { wishes: Wishes { copy: true, ..Wishes::default() }, ..Request::default() };
    let plan = opened.plan(&request, 1);
    let looked = plan.look(&[opened.member()], &[&opened.source], NonZeroUsize::MIN, &|_| {});
    let looked = looked.unwrap_err().to_string();
    assert_eq!(looked, "a.weight: the weight in row 7, column 30 (element 3614) is inf");
    // A number that is too large for its new type.
    values[512 * 7 + 30] = 70_000.0;
    values[512 * 8] = 0.0;
    let file = head().tensor(Tensor::f32("a.weight", &[512, 9]).data(bytes(&values)));
    let opened = Opened::of(&stored(&folder, "m.gguf", &file.bytes()));
    let plan = opened.plan(&of("F16"), 3);
    let Err(SinkError::Read { source, .. }) = save(&plan, &target) else { panic!("it was written") };
    assert!(source.to_string().ends_with("is inf once it is written as F16"), "{source}");
}

#[test]
fn all_that_stands_in_the_way_is_told_before_anything_is_written() {
    let folder = tempdir().unwrap();
    let file = head()
        .tensor(matrix(1, "a.weight", &[256, 2]))
        .tensor(Tensor::new("ids.weight", T::I32.0, &[256, 2]).data(vec![1; 2048]))
        .tensor(Tensor::new("q.weight", T::Q8_0.0, &[256, 2]).data(vec![0; 2 * 8 * 34]))
        .tensor(matrix(2, "odd.weight", &[96, 2]));
    let opened = Opened::of(&stored(&folder, "m.gguf", &file.bytes()));
    let codes = |request: &Request<'_>| {
        let plan = opened.plan(request, 1);
        let refusals = plan.refusals().iter();
        refusals.map(|one| (String::from_utf8_lossy(one.name()).into_owned(), one.code())).collect::<Vec<_>>()
    };
    let shown = |codes: &[(String, &'static str)]| {
        codes.iter().map(|(name, code)| format!("{name} {code}")).collect::<Vec<_>>().join(", ")
    };
    let found = codes(&of("IQ2_XXS"));
    // Of one tensor all that stands in the way, kind by kind.
    let expected = "a.weight no-importance, ids.weight no-importance, q.weight no-importance, \
        ids.weight no-values, q.weight requantize";
    assert_eq!(shown(&found), expected, "rows of 96 get another type, which needs no importance");
    assert_eq!(shown(&codes(&Request { again: true, ..of("Q4_K_M") })), "ids.weight no-values");
    let rule = Rule::parse("a=NVFP4").unwrap();
    let odd = Rule::parse("odd=NVFP4").unwrap();
    let wishes = Wishes { rules: vec![rule, odd], ..Wishes::default() };
    let found = codes(&Request { wishes, again: true, ..of("Q4_K_M") });
    assert_eq!(shown(&found), "odd.weight row-length, ids.weight no-values");
    let wishes = Wishes { copy: true, ..Wishes::default() };
    assert_eq!(codes(&Request { wishes, ..Request::default() }), []);
    // Importance of another model.
    let imatrix = Builder::new()
        .tensor(matrix(1, "a.weight.in_sum2", &[2]).data(bytes(&[1.0, 2.0])))
        .tensor(matrix(1, "a.weight.counts", &[1]).data(bytes(&[1.0])));
    let importance =
        ImportanceMatrix::read(FileSource::open(stored(&folder, "i.gguf", &imatrix.bytes())).unwrap())
            .unwrap();
    let found = codes(&Request { importance: Some(&importance), again: true, ..of("Q4_K_M") });
    assert_eq!(shown(&found), "a.weight imatrix-length, ids.weight no-values");
    // As many numbers, and counted for two matrices; none that counts; and importance that counts evenly.
    for (matrices, sum, expected) in [
        (2, 1.0, "a.weight imatrix-matrices, ids.weight no-values"),
        (1, 0.0, "a.weight imatrix-zero, ids.weight no-values"),
        (1, 1e-38, "a.weight imatrix-zero, ids.weight no-values"),
        (1, 1e-19, "ids.weight no-values"),
        (1, 1e20, "ids.weight no-values"),
        (1, 3e38, "a.weight imatrix-large, ids.weight no-values"),
    ] {
        let row = opened
            .view()
            .tensors()
            .find(|(name, _)| name.0 == b"a.weight")
            .map(|(_, tensor)| opened.index.dims(tensor)[0]);
        let row = row.unwrap();
        let counts = vec![1.0; matrices as usize];
        let imatrix = Builder::new()
            .tensor(
                matrix(1, "a.weight.in_sum2", &[row / matrices, matrices])
                    .data(bytes(&vec![sum; row as usize])),
            )
            .tensor(matrix(1, "a.weight.counts", &[1, matrices]).data(bytes(&counts)));
        let importance =
            ImportanceMatrix::read(FileSource::open(stored(&folder, "i.gguf", &imatrix.bytes())).unwrap())
                .unwrap();
        let found = codes(&Request { importance: Some(&importance), again: true, ..of("Q4_K_M") });
        assert_eq!(shown(&found), expected);
    }
}

/// A matrix of importance for one tensor, with what it was measured on.
fn importance(folder: &TempDir, tensor: &str, dataset: &str) -> ImportanceMatrix {
    let built = Builder::new()
        .kv("imatrix.datasets", vec![dataset])
        .tensor(Tensor::f32(format!("{tensor}.in_sum2"), &[512]).data(bytes(&vec![1.0; 512])))
        .tensor(Tensor::f32(format!("{tensor}.counts"), &[1]).data(bytes(&[1.0])));
    ImportanceMatrix::read(FileSource::open(stored(folder, "i.gguf", &built.bytes())).unwrap()).unwrap()
}

#[test]
fn what_is_said_of_importance_is_text_whatever_the_path_and_only_where_it_was_used() {
    let folder = tempdir().unwrap();
    let opened = Opened::of(&stored(&folder, "m.gguf", &model()));
    let dataset = format!("{}.txt", "\u{6587}".repeat(60));
    let importance = importance(&folder, "blk.0.attn_v.weight", &dataset);
    let target = folder.path().join("out.gguf");
    let said = |name: &[u8], mixture: &str, order: Order| {
        let request =
            Request { importance: Some(&importance), importance_name: name.to_vec(), order, ..of(mixture) };
        save(&opened.plan(&request, 1), &target).unwrap();
        let out = Opened::of(&target);
        ["file", "dataset"].map(|key| {
            let value = out.view().get(&format!("quantize.imatrix.{key}"));
            value
                .and_then(|value| value.as_bytes().map(<[u8]>::to_vec))
                .map(|text| String::from_utf8(text).unwrap())
        })
    };
    // 127 bytes at most, and whole characters: 2 + 41 * 3, and 42 * 3.
    let path = format!("ab{}/i.gguf", "\u{91cd}".repeat(60));
    let cut = [format!("ab{}", "\u{91cd}".repeat(41)), "\u{6587}".repeat(42)].map(Some);
    for order in [Order::Input, Order::Llama] {
        assert_eq!(said(path.as_bytes(), "Q4_K_S", order), cut);
    }
    // Bytes that are no text.
    let name = said(b"a\xff\xfeb.gguf", "Q4_K_S", Order::Input)[0].clone();
    assert_eq!(name.as_deref(), Some("a\u{fffd}\u{fffd}b.gguf"));
    // Where no type looks at it the new weights have nothing to do with it, and what was said before is not true either.
    assert_eq!(said(b"i.gguf", "Q8_0", Order::Input), [None, None]);
    assert_eq!(said(b"i.gguf", "Q8_0", Order::Llama)[0].as_deref(), Some("i.gguf"));
}

#[test]
fn a_file_in_which_nothing_is_of_the_mixture_is_not_called_by_it() {
    let folder = tempdir().unwrap();
    let vectors = || head().tensor(Tensor::f32("a.weight", &[64])).tensor(Tensor::f32("b.lora_a", &[64, 2]));
    for (what, file, mixture, expected) in [
        ("an adapter", vectors(), "Q4_K_M", Some(0)),
        ("no tensors", head(), "Q4_K_M", Some(0)),
        ("all of it already", head().tensor(matrix(1, "a.weight", &[64, 2])), "F32", Some(0)),
        ("something", head().tensor(matrix(1, "a.weight", &[256, 2])), "Q4_K_M", Some(15)),
    ] {
        let opened = Opened::of(&stored(&folder, "m.gguf", &file.bytes()));
        let plan = opened.plan(&of(mixture), 1);
        assert_eq!(plan.file_type().map(|ty| ty.0), expected, "{what}");
        let keeps = !["something", "all of it already"].contains(&what);
        assert_eq!(plan.keeps_file_type(), keeps, "{what}");
        // The reference writes it all the same.
        let plan = opened.plan(&Request { order: Order::Llama, ..of(mixture) }, 1);
        assert_eq!(plan.file_type(), Mixture::of_name(mixture).map(|one| one.file_type), "{what}");
    }
}

#[test]
fn nothing_is_placed_where_what_it_was_read_from_was_changed_meanwhile() {
    let folder = tempdir().unwrap();
    let opened = Opened::of(&stored(&folder, "m.gguf", &model()));
    let counted: Vec<f32> = vec![1.0; 256];
    let imatrix = Builder::new()
        .tensor(Tensor::f32("blk.0.attn_v.weight.in_sum2", &[256]).data(bytes(&counted)))
        .tensor(Tensor::f32("blk.0.attn_v.weight.counts", &[1]).data(bytes(&[1.0])));
    for changed in ["i.gguf", "rules"] {
        let importance = FileSource::open(stored(&folder, "i.gguf", &imatrix.bytes())).unwrap();
        let importance = ImportanceMatrix::read(importance).unwrap();
        let rules = FileSource::open(stored(&folder, "rules", b"a=Q8_0")).unwrap();
        let request = Request { importance: Some(&importance), beside: vec![&rules], ..of("Q4_K_S") };
        let plan = opened.plan(&request, 1);
        let target = folder.path().join("out.gguf");
        let outputs = [Output { plan: &plan.files()[0].plan, target: &target }];
        let mut done = false;
        let mut watch = |_: sink::Progress| {
            if !std::mem::replace(&mut done, true) {
                let mut bytes = std::fs::read(folder.path().join(changed)).unwrap();
                bytes.push(0);
                std::fs::write(folder.path().join(changed), bytes).unwrap();
            }
            Ok(())
        };
        let saved =
            sink::save_all(&outputs, plan.source(), Terms { replace: false, sync: false }, &mut watch);
        let error = saved.unwrap_err();
        assert!(matches!(&error, SinkError::SourceChanged(path) if path.ends_with(changed)), "{error}");
        assert!(!target.exists());
        // And none of them is ever the target.
        let outputs = [Output { plan: &plan.files()[0].plan, target: &folder.path().join(changed) }];
        let terms = Terms { replace: true, sync: false };
        let saved = sink::save_all(&outputs, plan.source(), terms, &mut sink::unwatched);
        assert!(matches!(saved, Err(SinkError::IsSource(_))));
    }
}

#[test]
fn a_run_that_was_ended_and_continued_makes_the_same_file() {
    let folder = tempdir().unwrap();
    let opened = Opened::of(&stored(&folder, "m.gguf", &model()));
    let request = of("Q4_K_S");
    let whole = folder.path().join("whole.gguf");
    save(&opened.plan(&request, 1), &whole).unwrap();
    let whole = std::fs::read(whole).unwrap();
    let target = folder.path().join("out.gguf");
    let run = |request: &Request<'_>, steps: usize| {
        let plan = opened.plan(request, 2);
        let file = &plan.files()[0];
        let outputs = [Output { plan: &file.plan, target: &target }];
        let resume = Resume {
            settings: plan.settings(),
            name: "",
            beside: &[],
            sections: &[file.sections.as_slice()],
        };
        let left = AtomicUsize::new(steps);
        let source = Stopping { inner: plan.source(), left: &left };
        sink::save_or_resume(
            &outputs,
            &source,
            Terms { replace: false, sync: false },
            Some(&resume),
            &mut sink::unwatched,
        )
        .map(|saved| saved.taken)
    };
    let mut seen = std::collections::BTreeSet::new();
    for steps in 0..1000 {
        if run(&request, steps).is_ok() {
            assert!(steps > 5, "{steps}");
            assert!(seen.len() > 3, "sections were taken over: {seen:?}");
            return;
        }
        assert!(!target.exists(), "nothing is at the final path");
        // Other settings take nothing over.
        if steps == 4 {
            let other = of("Q8_0");
            assert_eq!(run(&other, usize::MAX).unwrap(), 0);
            std::fs::remove_file(&target).unwrap();
            let _ = run(&request, steps);
        }
        seen.insert(run(&request, usize::MAX).unwrap());
        assert!(std::fs::read(&target).unwrap() == whole, "{steps}");
        let names = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(names, 3, "nothing is left beside it");
        std::fs::remove_file(&target).unwrap();
    }
    panic!("it never came to an end");
}

/// A source that fails after so many readings.
struct Stopping<'a, 's> {
    inner: &'a Converting<'s>,
    left: &'a AtomicUsize,
}

impl ReadAt for Stopping<'_, '_> {
    type Error = io::Error;

    fn size(&self) -> Option<u64> {
        self.inner.size()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let step = |left: usize| left.checked_sub(1);
        let left = self.left.try_update(Relaxed, Relaxed, step);
        left.map_err(|_| io::Error::other("the power is gone"))?;
        self.inner.read_at(buffer, offset)
    }
}

impl ggufkit_io::Files for Stopping<'_, '_> {
    fn file_count(&self) -> usize {
        self.inner.file_count()
    }

    fn file_at(&self, number: usize) -> Option<&FileSource> {
        self.inner.file_at(number)
    }

    fn locate(&self, _: ggufkit_format::Span) -> Option<(usize, ggufkit_format::Span)> {
        None
    }
}

#[test]
fn shards_stay_shards_and_a_big_endian_file_stays_one() {
    let folder = tempdir().unwrap();
    let part = |no: u16, builder: Builder| {
        builder.kv("split.no", no).kv("split.count", 2_u16).kv("split.tensors.count", 3_i32).tensor(matrix(
            u32::from(no),
            &format!("blk.{no}.ffn_up.weight"),
            &[256, 4],
        ))
    };
    let one = part(0, head()).tensor(matrix(7, "token_embd.weight", &[256, 3]));
    let first = Opened::of(&stored(&folder, "m-00001-of-00002.gguf", &one.bytes()));
    let second = Opened::of(&stored(&folder, "m-00002-of-00002.gguf", &part(1, Builder::new()).bytes()));
    let start = first.source.size().unwrap();
    let members = [first.member(), Member { start, ..second.member() }];
    let sources = [&first.source, &second.source];
    let request = Request { keep_split: true, ..of("Q8_0") };
    let plan = Quantization::of(&members, &sources, &request, NonZeroUsize::MIN).unwrap();
    let paths = [folder.path().join("o-1.gguf"), folder.path().join("o-2.gguf")];
    let outputs: Vec<_> =
        plan.files().iter().zip(&paths).map(|(file, target)| Output { plan: &file.plan, target }).collect();
    sink::save_all(&outputs, plan.source(), Terms { replace: false, sync: false }, &mut sink::unwatched)
        .unwrap();
    let both: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let both = written(&both);
    assert_eq!(plan.verify(&members, &sources, &both, NonZeroUsize::MIN, &|_| {}).unwrap().len(), 3);
    let made = paths.map(|path| Opened::of(&path));
    for (no, made) in made.iter().enumerate() {
        let number = |key: &str| made.view().get(key).and_then(|value| value.as_u64());
        assert_eq!((number("split.no"), number("split.count")), (Some(no as u64), Some(2)));
        assert_eq!(number("split.tensors.count"), Some(3));
        let name = format!("blk.{no}.ffn_up.weight");
        assert!(made.data(&name) == encoded(T::Q8_0, &numbers(no as u32, 1024), 256, None));
    }
    assert!(made[1].view().get("general.file_type").is_none());
    // In one file the keys of the set go.
    let plan = Quantization::of(&members, &sources, &of("Q8_0"), NonZeroUsize::MIN).unwrap();
    save(&plan, &folder.path().join("one.gguf")).unwrap();
    assert!(Opened::of(&folder.path().join("one.gguf")).view().get("split.no").is_none());

    let turned: Vec<u8> = numbers(1, 512).iter().flat_map(|value| value.to_be_bytes()).collect();
    let big = Builder::new().big_endian().kv("general.architecture", "llama");
    let big = big.tensor(Tensor::f32("a.weight", &[256, 2]).data(turned));
    let big = Opened::of(&stored(&folder, "big.gguf", &big.bytes()));
    let plan = big.plan(&of("Q8_0"), 1);
    let target = folder.path().join("big-out.gguf");
    save(&plan, &target).unwrap();
    plan.verify(&[big.member()], &[&big.source], &written(&[&target]), NonZeroUsize::MIN, &|_| {}).unwrap();
    let mut expected = encoded(T::Q8_0, &numbers(1, 512), 256, None);
    expected.chunks_exact_mut(34).for_each(|block| block.swap(0, 1));
    assert!(Opened::of(&target).data("a.weight") == expected);
    let wishes = Wishes { pure: true, ..Wishes::default() };
    let plan = big.plan(&Request { wishes, ..of("IQ2_XXS") }, 1);
    let codes: Vec<_> = plan.refusals().iter().map(Refusal::code).collect();
    assert_eq!(codes, ["no-byte-order-rule", "no-importance"]);
}
