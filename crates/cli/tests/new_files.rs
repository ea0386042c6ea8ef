//! `gguf new` and `gguf add`: files out of descriptions and of the data of others, held against what other writers make of the
//! same documents.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use ggufkit::edit::Document;
use ggufkit::format::{Dialect, Endian, Index, Options, View, parse};
use ggufkit_testkit::{Builder, Tensor, Value, controls, corpus, random};
use serde_json::{Value as Json, json};

use common::{command, folder, gguf as run, good, names, said as bad, text};

fn index(bytes: &[u8]) -> Option<Index> {
    let index = parse(bytes, Options::new().with_size(Some(bytes.len() as u64))).into_result().ok()?;
    let header = index.header();
    (header.dialect == Dialect::STANDARD && header.version > 1).then_some(index)
}

/// Whether a file is in the canonical form, and no key and no tensor is there twice.
fn is_canonical(bytes: &[u8], index: &Index) -> bool {
    let view = View::new(index, bytes);
    let keys: HashSet<_> = index.kvs().iter().map(|kv| view.key(kv)).collect();
    let names: HashSet<_> = index.tensors().iter().map(|tensor| view.name(tensor)).collect();
    let once = keys.len() == index.kvs().len() && names.len() == index.tensors().len();
    let known = index
        .tensors()
        .iter()
        .all(|tensor| ggufkit::format::layout::tensor_bytes(tensor.tensor_type, index.dims(tensor)).is_ok());
    let mut document = Document::of(view, bytes.len() as u64).unwrap();
    let laid = document.relayout();
    let same = || document.plan().unwrap().render(bytes).is_some_and(|laid| laid == bytes);
    once && known && laid.is_ok() && same()
}

#[test]
fn a_dump_makes_the_same_file_again() {
    let folder = folder("again");
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for (name, document) in controls::all() {
        files.push((name, document.bytes()));
    }
    for seed in 0..8 {
        let endian = [Endian::Little, Endian::Big][seed as usize % 2];
        files.push((format!("random {seed}"), random::document(seed, endian).bytes()));
    }
    let odd = Builder::new()
        .kv("nan", f32::from_bits(0xffa0_0001))
        .kv(
            "nans",
            Value::Array(ggufkit_testkit::Kind::F64, vec![Value::F64(f64::from_bits(0x7ff4_0000_0000_0002))]),
        )
        .kv("flag", Value::Bool(2))
        .kv("flags", Value::Array(ggufkit_testkit::Kind::Bool, vec![Value::Bool(1), Value::Bool(7)]))
        .kv(b"\xff\x00key", Value::String(b"\xfe\n\x1b".to_vec()))
        .kv("block", "one\n  two\n\nthree\n")
        .kv(
            "floats",
            Value::Array(ggufkit_testkit::Kind::F32, [0.1, -0.0, 1e-45, f32::MAX].map(Value::F32).to_vec()),
        )
        .kv("yes", "yes")
        .kv("null", "null")
        .kv("tilde", "~")
        .kv("number", "0x10")
        .tensor(Tensor::f32(b"\xff.weight", &[4]));
    files.push(("odd".into(), odd.bytes()));
    let folders = [corpus::workspace().join("samples"), corpus::workspace().join("crates/format/tests/data")];
    let known = folders.iter().flat_map(|folder| corpus::files(folder, "gguf"));
    let shared = corpus::shared_files("corpus", "a dump makes the same file again").unwrap_or_default();
    files.extend(known.chain(shared).map(|file| (file.name, file.bytes)));
    let mut whole = 0;
    for (name, bytes) in &files {
        let Some(index) = index(bytes) else { continue };
        if !is_canonical(bytes, &index) {
            continue;
        }
        fs::write(folder.join("f.gguf"), bytes).unwrap();
        let data_start = index.data_start().unwrap().min(bytes.len() as u64) as usize;
        // Both forms are of the same values; the large files would take long twice.
        for form in ["json", "yaml"].into_iter().take(if bytes.len() < 100_000 { 2 } else { 1 }) {
            let dump = run(&folder, &["dump", "f.gguf", "--format", form, "--arrays", "all"]);
            fs::write(folder.join("d"), &dump.stdout).unwrap();
            let made = ["new", "again.gguf", "d", "--force", "--allow-errors"];
            good(&folder, &[&made[..], &["--data-from", "f.gguf"]].concat());
            let again = fs::read(folder.join("again.gguf")).unwrap();
            // A file without tensors may end with its head; what is made is padded.
            let same = match index.tensors().is_empty() {
                true => again.starts_with(&bytes[..index.head_end() as usize]),
                false => again == *bytes,
            };
            assert!(same, "{name} by {form}");
            good(&folder, &[&made[..], &["--no-data"]].concat());
            let head = fs::read(folder.join("again.gguf")).unwrap();
            assert!(head.starts_with(&bytes[..index.head_end() as usize]), "{name} by {form}, the head");
            assert!(data_start == bytes.len() || head == bytes[..data_start], "{name} by {form}");
        }
        whole += 1;
    }
    assert!(whole >= 20, "{whole} of {} files are canonical", files.len());
}

/// A description by hand, and files with data of all kinds.
fn by_hand(folder: &Path) -> Builder {
    let numbers: Vec<u8> = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|n| n.to_le_bytes()).collect();
    let big: Vec<u8> = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|n| n.to_be_bytes()).collect();
    let mut npy = ggufkit::io::npy::header("<f4", &[3, 2]).unwrap();
    npy.extend(&numbers);
    fs::write(folder.join("w.npy"), npy).unwrap();
    let mut npy = ggufkit::io::npy::header(">f4", &[3, 2]).unwrap();
    npy.extend(big);
    fs::write(folder.join("big.npy"), npy).unwrap();
    fs::write(folder.join("x.raw"), [&[9; 8][..], &numbers].concat()).unwrap();
    let header = r#"{"m.weight":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]}}"#;
    let mut safe = (header.len() as u64).to_le_bytes().to_vec();
    safe.extend(header.as_bytes());
    safe.extend(0..12);
    fs::write(folder.join("m.safetensors"), safe).unwrap();
    let other = Builder::new().tensor(Tensor::new("q", 8, &[32, 2]));
    fs::write(folder.join("other.gguf"), other.bytes()).unwrap();
    let description = json!({
        "metadata": [
            {"key": "general.architecture", "value": "toy"},
            {"key": "toy.list", "type": "array[u16]", "value": [1, 2]},
            {"key": "general.alignment", "type": "u32", "value": 64},
        ],
        "tensors": [
            {"name": "a", "source": "w.npy"},
            {"name": "b", "type": "F32", "shape": [3, 2], "source": "big.npy"},
            {"name": "c", "type": "F32", "shape": [6], "source": {"file": "x.raw", "offset": 8}},
            {"name": "d", "source": {"file": "m.safetensors", "tensor": "m.weight"}},
            {"name": "q", "source": {"file": "other.gguf"}},
        ],
    });
    fs::write(folder.join("d.json"), description.to_string()).unwrap();
    let f32s = |name: &str, dims: &[u64]| Tensor::f32(name, dims).data(numbers.clone());
    Builder::new()
        .kv("general.architecture", "toy")
        .kv("toy.list", Value::Array(ggufkit_testkit::Kind::U16, vec![Value::U16(1), Value::U16(2)]))
        .alignment(64)
        .tensor(f32s("a", &[3, 2]))
        .tensor(f32s("b", &[3, 2]))
        .tensor(f32s("c", &[6]))
        .tensor(Tensor::new("d", 30, &[3, 2]).data((0..12).collect::<Vec<u8>>()))
        .tensor(Tensor::new("q", 8, &[32, 2]))
}

#[test]
fn data_comes_from_files_of_all_kinds() {
    let folder = folder("kinds");
    let wanted = by_hand(&folder);
    good(&folder, &["new", "m.gguf", "d.json"]);
    assert!(fs::read(folder.join("m.gguf")).unwrap() == wanted.bytes());
    // Sources are beside the description, wherever the call is made.
    let above = folder.parent().unwrap();
    good(above, &["new", "kinds/m.gguf", "kinds/d.json", "--force"]);
    assert!(fs::read(folder.join("m.gguf")).unwrap() == wanted.bytes());
    // Several tensors may have the same data.
    let tied = json!({"tensors": [
        {"name": "a", "source": "w.npy"}, {"name": "b", "source": "w.npy"}, {"name": "c", "source": "w.npy"},
    ]});
    fs::write(folder.join("t.json"), tied.to_string()).unwrap();
    good(&folder, &["new", "t.gguf", "t.json", "--allow-errors"]);
    let file = ggufkit::open(folder.join("t.gguf")).unwrap();
    for name in ["a", "b", "c"] {
        assert_eq!(file.read(file.tensor(name).unwrap()).unwrap(), wanted.tensors()[0].data);
    }
    // Big-endian: data of a known order is turned, bytes are as they are.
    let mut description: Json = serde_json::from_slice(&fs::read(folder.join("d.json")).unwrap()).unwrap();
    description["header"] = json!({"endian": "big"});
    description["tensors"].as_array_mut().unwrap().remove(2);
    fs::write(folder.join("b.json"), description.to_string()).unwrap();
    good(&folder, &["new", "b.gguf", "b.json"]);
    good(&folder, &["endian", "little", "b.gguf", "-o", "l.gguf"]);
    let file = ggufkit::open(folder.join("l.gguf")).unwrap();
    for tensor in wanted.tensors().iter().filter(|tensor| tensor.name != b"c") {
        let name = std::str::from_utf8(&tensor.name).unwrap();
        assert_eq!(file.read(file.tensor(name).unwrap()).unwrap(), tensor.data, "{name}");
    }
}

#[test]
fn nothing_is_written_where_something_is_wrong() {
    let folder = folder("wrong");
    by_hand(&folder);
    let description: Json = serde_json::from_slice(&fs::read(folder.join("d.json")).unwrap()).unwrap();
    let before = names(&folder);
    let told = |change: &dyn Fn(&mut Json), status: i32| {
        let mut changed = description.clone();
        change(&mut changed);
        let path = folder.join("changed.json");
        fs::write(&path, changed.to_string()).unwrap();
        let said = bad(&folder, &["new", "m.gguf", "changed.json"], status);
        fs::remove_file(path).unwrap();
        assert_eq!(names(&folder), before, "{said}");
        said
    };
    for (change, status, wanted) in [
        (
            &(|d: &mut Json| d["metadata"][0]["vlaue"] = json!(1)) as &dyn Fn(&mut Json),
            1,
            "no field \"vlaue\"",
        ),
        (&|d| d["metadata"][1]["type"] = json!("u99"), 1, "\"u99\" is no type"),
        (&|d| d["metadata"][1]["value"] = json!([1, 70000]), 1, "70000 does not fit in u16"),
        (&|d| d["metadata"][0]["key"] = json!("toy.list"), 1, "given twice"),
        (&|d| d["header"] = json!({"tensor_count": 6}), 1, "6 tensors are counted, and 5 are described"),
        (&|d| d["header"] = json!({"version": 1}), 1, "version 1 is not written"),
        (&|d| d["header"] = json!({"alignment": 32}), 1, "is 32, and the metadata says 64"),
        (&|d| d["tensors"][0]["source"] = json!("none.npy"), 2, "none.npy"),
        (&|d| d["tensors"][0]["source"] = json!("x.raw"), 1, "type and shape have to be told"),
        (&|d| d["tensors"][1]["shape"] = json!([2, 3]), 1, "has the shape [3, 2]"),
        (&|d| d["tensors"][1]["type"] = json!("F16"), 1, "is of type F32, not F16"),
        (&|d| d["tensors"][2]["source"]["offset"] = json!(9), 1, "24 bytes from 9 on, and the file has 32"),
        (&|d| d["tensors"][2]["source"] = json!("x.raw"), 1, "ask for 24 bytes, and the file has 32"),
        (&|d| d["tensors"][3]["source"]["tensor"] = json!("z"), 1, "has no tensor \"z\""),
        (&|d| drop(d["tensors"][4].as_object_mut().unwrap().remove("source")), 1, "tensor \"q\" has no data"),
        (&|d| d["tensors"][4]["name"] = json!("a"), 1, "has no tensor \"a\""),
        (&|d| d["metadata"][2]["value"] = json!(7), 1, "would have errors"),
    ] {
        let said = told(change, status);
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    fs::write(folder.join("w.npy"), b"\x93NUMPY\x01\0zz").unwrap();
    assert!(bad(&folder, &["new", "m.gguf", "d.json"], 2).contains("w.npy"));
    for (text, wanted) in [("{", "no JSON"), ("", "is empty"), ("a: [", "no YAML"), ("- 1", "is no object")] {
        fs::write(folder.join("t"), text).unwrap();
        let said = run(&folder, &["new", "m.gguf", "t"]);
        assert!(text_of(&said).contains(wanted), "{wanted}: {}", text_of(&said));
    }
    assert!(!folder.join("m.gguf").exists());
}

fn text_of(output: &std::process::Output) -> String {
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

#[test]
fn files_that_exist_stay_unless_asked_and_inputs_always() {
    let folder = folder("exists");
    let wanted = by_hand(&folder);
    fs::write(folder.join("m.gguf"), "precious").unwrap();
    for more in [&[][..], &["--dry-run"]] {
        assert!(bad(&folder, &[&["new", "m.gguf", "d.json"], more].concat(), 2).contains("--force replaces"));
    }
    good(&folder, &["new", "m.gguf", "d.json", "--force", "--dry-run"]);
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), b"precious");
    bad(&folder, &["new", "other.gguf", "d.json", "--force"], 2);
    bad(&folder, &["new", "d.json", "d.json", "--force"], 2);
    bad(&folder, &["new", "-", "d.json"], 2);
    good(&folder, &["new", "m.gguf", "d.json", "--force"]);
    assert!(fs::read(folder.join("m.gguf")).unwrap() == wanted.bytes());
}

#[test]
fn a_description_comes_through_a_pipe_and_an_answer_is_a_document() {
    let folder = folder("pipe");
    by_hand(&folder);
    let file = fs::File::open(folder.join("d.json")).unwrap();
    let output = command(&folder, &["new", "m.gguf", "-", "--json"]).stdin(file).output().unwrap();
    let answer: Json = serde_json::from_slice(&output.stdout).unwrap();
    let one = &answer["files"][0];
    assert_eq!(
        (&one["path"], &one["output"], &one["written"]),
        (&json!("-"), &json!("m.gguf"), &json!(true))
    );
    assert_eq!(one["size"], json!(fs::metadata(folder.join("m.gguf")).unwrap().len()));
    let output = run(&folder, &["new", "m.gguf", "d.json", "--json"]);
    let answer: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["files"][0]["errors"][0]["error"]["code"], "exists");
}

#[test]
fn tensors_are_added_and_replaced() {
    let folder = folder("add");
    by_hand(&folder);
    let model = |tensors: Vec<Tensor>| {
        let first = Builder::new().kv("general.architecture", "toy").kv("k", 1_u32);
        tensors.into_iter().fold(first, Builder::tensor)
    };
    let numbers: Vec<u8> = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|n| n.to_le_bytes()).collect();
    let a = || Tensor::f32("a", &[5]);
    let b = || Tensor::f32("b", &[7]);
    let new = |name: &str| Tensor::f32(name, &[3, 2]).data(numbers.clone());
    fs::write(folder.join("f.gguf"), model(vec![a(), b()]).bytes()).unwrap();
    let before = fs::read(folder.join("f.gguf")).unwrap();
    good(&folder, &["add", "f.gguf", "c=w.npy", "d=m.safetensors:m.weight", "e=big.npy", "-o", "out.gguf"]);
    let d = Tensor::new("d", 30, &[3, 2]).data((0..12).collect::<Vec<u8>>());
    let wanted = model(vec![a(), b(), new("c"), d, new("e")]);
    assert!(fs::read(folder.join("out.gguf")).unwrap() == wanted.bytes());
    assert_eq!(fs::read(folder.join("f.gguf")).unwrap(), before);
    // In its place, and in place of another.
    let said = bad(&folder, &["add", "f.gguf", "a=w.npy"], 1);
    assert!(said.contains("there is a tensor \"a\"") && said.contains("--replace"), "{said}");
    good(&folder, &["add", "f.gguf", "a=w.npy", "--replace", "--dry-run"]);
    assert_eq!(fs::read(folder.join("f.gguf")).unwrap(), before);
    good(&folder, &["add", "f.gguf", "a=w.npy", "q=other.gguf", "--replace"]);
    let wanted = model(vec![new("a"), b(), Tensor::new("q", 8, &[32, 2])]);
    assert!(fs::read(folder.join("f.gguf")).unwrap() == wanted.bytes());
    // Bytes of a type and a shape.
    fs::write(folder.join("y.raw"), &numbers).unwrap();
    assert!(bad(&folder, &["add", "f.gguf", "y=y.raw"], 1).contains("have to be told"));
    good(&folder, &["add", "f.gguf", "y=y.raw", "--type", "F32", "--shape", "2,3"]);
    let y = Tensor::f32("y", &[2, 3]).data(numbers.clone());
    let wanted = model(vec![new("a"), b(), Tensor::new("q", 8, &[32, 2]), y]);
    assert!(fs::read(folder.join("f.gguf")).unwrap() == wanted.bytes());
    for (args, status, told) in [
        (&["z=w.npy", "z=w.npy"][..], 1, "named twice"),
        (&["z"], 2, "names no tensor"),
        (&["=w.npy"], 2, "names no tensor"),
        (&["z=none.npy"], 2, "none.npy"),
        (&["z=m.safetensors"], 1, "has no tensor \"z\""),
        (&["z=w.npy", "-o", "out.gguf"], 2, "--force replaces"),
        (&["z=w.npy", "-o", "f.gguf", "--force"], 2, "is the file itself"),
    ] {
        let said = bad(&folder, &[&["add", "f.gguf"], args].concat(), status);
        assert!(said.contains(told), "{told}: {said}");
    }
    assert!(fs::read(folder.join("f.gguf")).unwrap() == wanted.bytes());
    let output = run(&folder, &["add", "f.gguf", "z=w.npy", "--dry-run", "--json"]);
    let answer: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["files"][0]["tensors"][0]["shape"], json!([3, 2]));
}
