//! `gguf set` and the other commands that change files: what is changed, what is not, and what is refused.

#![cfg(unix)]
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::fs;
use std::path::Path;

use ggufkit_testkit::{Builder, Kind, Tensor, Value, corpus};
use serde_json::Value as Json;

use common::{folder, gguf as run, good, names, said as bad, text};

/// A model of no known architecture, so that little can be said of it.
fn model() -> Builder {
    Builder::new()
        .kv("general.architecture", "toy")
        .kv("general.name", "A name")
        .kv("toy.context_length", 2048_u32)
        .kv("toy.flag", Value::Bool(1))
        .kv("toy.list", Value::Array(Kind::U16, vec![Value::U16(1), Value::U16(2)]))
        .tensor(Tensor::f32("a", &[64, 3]))
        .tensor(Tensor::f32("b", &[64]))
}

fn write(folder: &Path, name: &str, builder: &Builder) {
    fs::write(folder.join(name), builder.clone().bytes()).unwrap();
}

fn get(folder: &Path, key: &str) -> String {
    good(folder, &["get", "m.gguf", key]).trim().to_owned()
}

#[test]
fn values_are_set_in_place_and_taken_back() {
    let folder = folder("set");
    write(&folder, "m.gguf", &model());
    let before = fs::read(folder.join("m.gguf")).unwrap();
    good(&folder, &["set", "m.gguf", "toy.context_length=4096", "toy.flag=false", "toy.list=[1, 300]"]);
    assert_eq!(get(&folder, "toy.context_length"), "4096");
    assert_eq!(get(&folder, "toy.flag"), "false");
    assert_eq!(get(&folder, "toy.list[1]"), "300");
    // The same bytes that another writer makes of it.
    let expected = Builder::new()
        .kv("general.architecture", "toy")
        .kv("general.name", "A name")
        .kv("toy.context_length", 4096_u32)
        .kv("toy.flag", Value::Bool(0))
        .kv("toy.list", Value::Array(Kind::U16, vec![Value::U16(1), Value::U16(300)]))
        .tensor(Tensor::f32("a", &[64, 3]))
        .tensor(Tensor::f32("b", &[64]));
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), expected.bytes());
    assert_eq!(names(&folder), [".m.gguf.ggufkit-undo", "m.gguf"]);
    good(&folder, &["undo", "m.gguf"]);
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), before);
    bad(&folder, &["undo", "m.gguf"], 1);
}

#[test]
fn a_number_that_does_not_fit_its_array_is_refused_and_another_type_is_an_option() {
    let folder = folder("array");
    write(&folder, "m.gguf", &model());
    let before = fs::read(folder.join("m.gguf")).unwrap();
    let said = bad(&folder, &["set", "m.gguf", "toy.list=[1, 300, 70000]"], 1);
    assert!(said.contains("element [2]: 70000 does not fit in u16, which goes from 0 to 65535"), "{said}");
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), before);
    good(&folder, &["set", "m.gguf", "toy.list:array[u32]=[1, 300, 70000]"]);
    assert_eq!(get(&folder, "toy.list[2]"), "70000");
    // An empty list stays a list.
    good(&folder, &["set", "m.gguf", "toy.list=[]"]);
    let dump = good(&folder, &["dump", "m.gguf"]);
    assert!(dump.contains("[u32; 0]"), "{dump}");
}

#[test]
fn all_is_planned_before_anything_is_written() {
    let folder = folder("several");
    for name in ["m.gguf", "n.gguf"] {
        write(&folder, name, &model());
    }
    write(&folder, "z.gguf", &Builder::new().kv("toy.list", 1_u8));
    let before: Vec<_> = ["m.gguf", "n.gguf"].map(|name| fs::read(folder.join(name)).unwrap()).into();
    // The last file has no such key of this type.
    bad(&folder, &["set", "m.gguf", "n.gguf", "z.gguf", "toy.list=[3]"], 1);
    let after: Vec<_> = ["m.gguf", "n.gguf"].map(|name| fs::read(folder.join(name)).unwrap()).into();
    assert_eq!(before, after);
    good(&folder, &["set", "m.gguf", "n.gguf", "general.name=Other"]);
    for name in ["m.gguf", "n.gguf"] {
        assert_eq!(good(&folder, &["get", name, "general.name"]).trim(), "Other");
    }
}

#[test]
fn nothing_is_written_by_a_dry_run_or_where_nothing_changes() {
    let folder = folder("dry");
    write(&folder, "m.gguf", &model());
    let before = fs::read(folder.join("m.gguf")).unwrap();
    let said = good(&folder, &["set", "m.gguf", "general.name=Other", "--dry-run"]);
    assert!(said.contains("\"A name\" → \"Other\""), "{said}");
    let said = good(&folder, &["set", "m.gguf", "general.name=A name"]);
    assert!(said.contains("nothing to change"), "{said}");
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), before);
    assert_eq!(names(&folder), ["m.gguf"]);
}

#[test]
fn with_an_output_the_input_stays_and_is_never_the_output() {
    let folder = folder("output");
    write(&folder, "m.gguf", &model());
    let before = fs::read(folder.join("m.gguf")).unwrap();
    good(&folder, &["set", "m.gguf", "general.name=Other", "-o", "out.gguf"]);
    assert_eq!(good(&folder, &["get", "out.gguf", "general.name"]).trim(), "Other");
    bad(&folder, &["set", "m.gguf", "general.name=Third", "-o", "out.gguf"], 2);
    for output in ["m.gguf", "./m.gguf"] {
        bad(&folder, &["set", "m.gguf", "general.name=Third", "-o", output, "--force"], 2);
    }
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), before);
    assert_eq!(names(&folder), ["m.gguf", "out.gguf"]);
}

#[test]
fn links_are_followed_and_shared_names_changed_only_when_that_is_asked_for() {
    let folder = folder("links");
    fs::create_dir(folder.join("blobs")).unwrap();
    write(&folder, "blobs/hash", &model());
    let before = fs::read(folder.join("blobs/hash")).unwrap();
    std::os::unix::fs::symlink("blobs/hash", folder.join("m.gguf")).unwrap();
    let said = bad(&folder, &["set", "m.gguf", "general.name=Other"], 2);
    assert!(said.contains("m.gguf is a link to blobs/hash") && said.contains("--follow"), "{said}");
    assert_eq!(fs::read(folder.join("blobs/hash")).unwrap(), before);
    good(&folder, &["set", "m.gguf", "general.name=Other", "--follow"]);
    assert_eq!(get(&folder, "general.name"), "Other");
    assert!(folder.join("m.gguf").is_symlink());
    assert!(bad(&folder, &["endian", "big", "m.gguf"], 2).contains("--follow"));
    good(&folder, &["endian", "big", "m.gguf", "--follow", "--dry-run"]);
    // The record stands beside the file, and is found through the link.
    good(&folder, &["undo", "m.gguf"]);
    assert_eq!(fs::read(folder.join("blobs/hash")).unwrap(), before);

    fs::hard_link(folder.join("blobs/hash"), folder.join("other")).unwrap();
    let said = bad(&folder, &["set", "other", "general.name=Other"], 2);
    assert!(said.contains("2 names") && said.contains("--all-names"), "{said}");
    let said = bad(&folder, &["set", "other", "general.name=Other", "--copy"], 2);
    assert!(said.contains("2 names"), "{said}");
    good(&folder, &["set", "other", "general.name=Other", "--all-names"]);
    assert_eq!(get(&folder, "general.name"), "Other");
}

#[test]
fn a_file_that_is_marked_read_only_stays() {
    let folder = folder("closed");
    write(&folder, "m.gguf", &model());
    let path = folder.join("m.gguf");
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    let before = fs::read(&path).unwrap();
    for more in [&[][..], &["--copy"]] {
        let args = [&["set", "m.gguf", "general.name=Other"], more].concat();
        let said = bad(&folder, &args, 2);
        assert!(said.contains("read-only"), "{said}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
    good(&folder, &["set", "m.gguf", "general.name=Other", "-o", "out.gguf"]);
}

#[test]
fn what_an_edit_breaks_is_said_before_it_is_written() {
    let folder = folder("breaks");
    let sample = corpus::workspace().join("samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf");
    fs::copy(sample, folder.join("m.gguf")).unwrap();
    let before = fs::read(folder.join("m.gguf")).unwrap();
    let said = bad(&folder, &["set", "m.gguf", "llama.block_count=7"], 1);
    assert!(said.contains("error[block-count-mismatch]") && said.contains("--allow-errors"), "{said}");
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), before);
    good(&folder, &["set", "m.gguf", "llama.block_count=7", "--allow-errors"]);
    assert_eq!(get(&folder, "llama.block_count"), "7");
    // Once it is broken, another change is free to leave it so.
    good(&folder, &["set", "m.gguf", "general.name=x"]);
}

#[test]
fn documents_of_changes_are_made_whole_or_not_at_all() {
    let folder = folder("apply");
    write(&folder, "m.gguf", &model());
    let before = fs::read(folder.join("m.gguf")).unwrap();
    let patch = r#"{"schema": 1, "operations": [
        {"op": "test", "key": "general.name", "value": "A name"},
        {"op": "set", "key": "general.name", "value": "Other"},
        {"op": "set", "key": "toy.list", "element": 1, "value": 9},
        {"op": "set", "key": "toy.new", "type": "array[string]", "value": ["a", {"bytes": "/w=="}]},
        {"op": "rename", "key": "toy.flag", "to": "toy.sign"},
        {"op": "move", "key": "toy.new", "before": "general.name"},
        {"op": "rename-tensor", "tensor": "a", "to": "c"}
    ]}"#;
    fs::write(folder.join("p.json"), patch).unwrap();
    good(&folder, &["apply", "m.gguf", "p.json", "-o", "out.gguf"]);
    let expected = Builder::new()
        .kv("general.architecture", "toy")
        .kv(
            "toy.new",
            Value::Array(Kind::String, vec![Value::String(b"a".to_vec()), Value::String(vec![0xff])]),
        )
        .kv("general.name", "Other")
        .kv("toy.context_length", 2048_u32)
        .kv("toy.sign", Value::Bool(1))
        .kv("toy.list", Value::Array(Kind::U16, vec![Value::U16(1), Value::U16(9)]))
        .tensor(Tensor::f32("c", &[64, 3]))
        .tensor(Tensor::f32("b", &[64]));
    assert_eq!(fs::read(folder.join("out.gguf")).unwrap(), expected.bytes());
    // A test that fails leaves everything.
    fs::write(folder.join("q.json"), patch.replace("A name", "Another")).unwrap();
    bad(&folder, &["apply", "m.gguf", "q.json"], 1);
    fs::write(folder.join("r.json"), r#"[{"op": "put"}]"#).unwrap();
    bad(&folder, &["apply", "m.gguf", "r.json"], 2);
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), before);
}

#[test]
fn templates_come_from_a_text_a_file_or_a_configuration() {
    let folder = folder("templates");
    write(&folder, "m.gguf", &model());
    fs::write(folder.join("t.jinja"), "{{ messages }}\n").unwrap();
    good(&folder, &["template", "set", "m.gguf", "@t.jinja"]);
    assert_eq!(
        run(&folder, &["get", "m.gguf", "tokenizer.chat_template", "--raw"]).stdout,
        b"{{ messages }}\n"
    );
    good(&folder, &["template", "set", "m.gguf", "--name", "tools", "{{ tools }}"]);
    let config = r#"{"chat_template": [{"name": "default", "template": "{{ a }}"}, {"name": "rag", "template": "{{ b }}"}]}"#;
    fs::write(folder.join("tokenizer_config.json"), config).unwrap();
    let there = |expected: &[(&str, &str)]| {
        for (key, value) in expected {
            assert_eq!(get(&folder, key), *value, "{key}");
        }
    };
    good(&folder, &["template", "set", "m.gguf", "--config", "tokenizer_config.json", "--keep-named"]);
    there(&[
        ("tokenizer.chat_template", "{{ a }}"),
        ("tokenizer.chat_template.rag", "{{ b }}"),
        ("tokenizer.chat_template.tools", "{{ tools }}"),
        ("tokenizer.chat_templates[0]", "tools"),
        ("tokenizer.chat_templates[1]", "rag"),
    ]);
    // Those that the configuration does not have are another one's.
    let told = good(&folder, &["template", "set", "m.gguf", "--config", "tokenizer_config.json"]);
    assert!(told.contains("tokenizer.chat_template.tools: taken out"), "{told}");
    there(&[("tokenizer.chat_template.rag", "{{ b }}"), ("tokenizer.chat_templates[0]", "rag")]);
    bad(&folder, &["get", "m.gguf", "tokenizer.chat_template.tools"], 1);
    bad(&folder, &["get", "m.gguf", "tokenizer.chat_templates[1]"], 1);
    // And out.
    good(&folder, &["template", "unset", "m.gguf", "rag"]);
    bad(&folder, &["get", "m.gguf", "tokenizer.chat_templates"], 1);
    bad(&folder, &["template", "unset", "m.gguf", "rag"], 1);
    good(&folder, &["template", "unset", "m.gguf"]);
    bad(&folder, &["get", "m.gguf", "tokenizer.chat_template"], 1);
    good(&folder, &["template", "set", "m.gguf", "--name", "tools", "{{ tools }}"]);
    good(&folder, &["template", "set", "m.gguf", "{{ tools }}"]);
    good(&folder, &["template", "unset", "m.gguf", "--all"]);
    assert!(!good(&folder, &["dump", "m.gguf"]).contains("tokenizer"));
}

#[test]
fn the_name_of_a_file_is_no_template() {
    let folder = folder("template-names");
    write(&folder, "m.gguf", &model());
    fs::write(folder.join("t"), "{{ messages }}").unwrap();
    for (word, help) in [
        ("t", "did you mean @t?"),
        ("nowhere.jinja", "did you mean @nowhere.jinja?"),
        ("tokenizer_config.json", "did you mean --config tokenizer_config.json?"),
    ] {
        let told = bad(&folder, &["template", "set", "m.gguf", word], 2);
        assert!(told.contains(help), "{told}");
    }
    good(&folder, &["template", "set", "m.gguf", "a plain text"]);
    good(&folder, &["template", "set", "m.gguf", "{{ t.jinja }}"]);
    // Several files, and one template; a file alone has none.
    write(&folder, "n.gguf", &model());
    good(&folder, &["template", "set", "m.gguf", "n.gguf", "{{ of_both }}"]);
    for name in ["m.gguf", "n.gguf"] {
        assert_eq!(good(&folder, &["get", name, "tokenizer.chat_template"]).trim_end(), "{{ of_both }}");
    }
    bad(&folder, &["template", "set", "m.gguf"], 2);
}

#[test]
fn a_model_that_would_not_load_any_more_is_not_written() {
    let folder = folder("unloadable");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf");
    fs::copy(sample, folder.join("m.gguf")).unwrap();
    let before = fs::read(folder.join("m.gguf")).unwrap();
    for (change, told) in [
        (&["unset", "m.gguf", "general.*"][..], "general.architecture is absent"),
        (&["unset", "m.gguf", "llama.*"], "llama.cpp (model) would refuse the file"),
        (&["unset", "m.gguf", "tokenizer.ggml.tokens"], "error[tokens-missing]"),
        (&["unset", "m.gguf", "-t", "output_norm.weight"], "output_norm.weight is missing"),
        (&["unset", "m.gguf", "-t", "*"], "no tensor would be left"),
        (&["rename", "m.gguf", "llama.block_count", "llama.blocks"], "llama.block_count"),
        (&["set", "m.gguf", "general.name=Phi-3 mini"], "general.name tells of a Phi 3"),
        (&["set", "m.gguf", "general.name:u32=7"], "error[value-type]"),
        (&["set", "m.gguf", "general.file_type:string=x"], "error[value-type]"),
        (&["set", "m.gguf", "split.count:string=x"], "split.count"),
        (&["template", "set", "m.gguf", "{% if x"], "does not parse"),
        (&["set", "m.gguf", "tokenizer.chat_template={% if x"], "does not parse"),
    ] {
        let said = bad(&folder, change, 1);
        assert!(said.contains(told) && said.contains("--allow-errors"), "{change:?}: {said}");
        assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), before);
        let json: Json = serde_json::from_str(&bad(&folder, &[change, &["--json"]].concat(), 1)).unwrap();
        assert_eq!(json["files"][0]["breaks"][0]["severity"], "error", "{json}");
        good(&folder, &[change, &["--allow-errors", "--dry-run"]].concat());
    }
    // What no loader minds is done, and a file that none takes may become another such file.
    good(&folder, &["unset", "m.gguf", "general.author", "general.name"]);
    good(&folder, &["unset", "m.gguf", "general.architecture", "--allow-errors"]);
    good(&folder, &["unset", "m.gguf", "llama.*"]);
}

#[test]
fn an_interrupted_change_is_taken_back_by_the_next_command() {
    let folder = folder("interrupted");
    write(&folder, "m.gguf", &model());
    let before = fs::read(folder.join("m.gguf")).unwrap();
    // As it is when the power goes: the record under its first name, and the file between old and new.
    good(&folder, &["set", "m.gguf", "general.name=B name", "toy.list=[7, 8]", "toy.more:string=x"]);
    fs::rename(folder.join(".m.gguf.ggufkit-undo"), folder.join(".m.gguf.ggufkit-journal")).unwrap();
    let output = run(&folder, &["get", "m.gguf", "general.name"]);
    assert_eq!(text(&output.stdout), "A name\n");
    assert!(
        text(&output.stderr).contains("had been interrupted and was taken back"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), before);
    assert_eq!(names(&folder), ["m.gguf"]);
    // While somebody else is at it, the file is not read.
    good(&folder, &["set", "m.gguf", "general.name=B name", "toy.list=[7, 8]", "toy.more:string=x"]);
    fs::rename(folder.join(".m.gguf.ggufkit-undo"), folder.join(".m.gguf.ggufkit-journal")).unwrap();
    let held = fs::File::open(folder.join("m.gguf")).unwrap();
    held.lock().unwrap();
    for args in [&["show", "m.gguf"][..], &["check", "m.gguf"], &["get", "m.gguf", "general.name"]] {
        let said = bad(&folder, args, 2);
        assert!(said.contains("under way or was interrupted"), "{args:?}: {said}");
    }
    bad(&folder, &["recover", "m.gguf"], 2);
    drop(held);
    good(&folder, &["recover", "m.gguf"]);
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), before);
}

#[test]
fn documents_for_programs_say_what_was_done() {
    let folder = folder("json");
    write(&folder, "m.gguf", &model());
    let json = |args: &[&str]| -> Json { serde_json::from_slice(&run(&folder, args).stdout).unwrap() };
    let set = json(&["set", "m.gguf", "toy.context_length=4096", "--json"]);
    let file = &set["files"][0];
    assert_eq!(
        (&set["command"], &file["written"], &file["way"]),
        (&"set".into(), &true.into(), &"patch".into())
    );
    // 0x0800 and 0x1000 differ in one byte.
    assert_eq!(file["bytes_written"], 1);
    assert_eq!(file["changes"][0]["before"]["text"], "2048");
    let refused = json(&["set", "m.gguf", "nothing=1", "--json"]);
    assert_eq!(refused["files"][0]["written"], false);
    assert!(refused["files"][0]["refused"]["message"].as_str().unwrap().contains("not known"));
    let undone = json(&["undo", "m.gguf", "--json"]);
    assert_eq!(undone["files"][0]["taken_back"], true);
    let again = json(&["undo", "m.gguf", "--json"]);
    assert_eq!(again["files"][0]["errors"][0]["error"]["code"], "nothing-to-undo");
    let usage = json(&["set", "m.gguf", "--json"]);
    assert_eq!(usage["errors"][0]["error"]["code"], "no-assignment");
}

/// Bytes of types that are not known, and of gaps, are kept: sizes are never computed anew from a table.
#[test]
fn odd_files_keep_every_byte_behind_their_head() {
    let Some(files) = corpus::shared_files("cases/files", "odd_files_keep_every_byte_behind_their_head")
    else {
        return;
    };
    let folder = folder("odd");
    for name in ["bug-unknown-quant-type.gguf", "bug-gap.gguf"] {
        let file = files.iter().find(|file| file.path.ends_with(name)).unwrap_or_else(|| panic!("{name}"));
        fs::write(folder.join("m.gguf"), &file.bytes).unwrap();
        let start = |folder: &Path| {
            let dump: Json =
                serde_json::from_slice(&run(folder, &["dump", "m.gguf", "--format", "json"]).stdout).unwrap();
            dump["files"][0]["header"]["data_start"].as_u64().unwrap() as usize
        };
        let before = start(&folder);
        good(&folder, &["set", "m.gguf", &format!("general.description={}", "x".repeat(5000))]);
        let after = start(&folder);
        let bytes = fs::read(folder.join("m.gguf")).unwrap();
        assert_eq!(bytes[after..], file.bytes[before..], "{name}");
        assert_eq!(get(&folder, "general.description").len(), 5000, "{name}");
    }
}

/// There and back again is the same file, for every type that has a rule; what has none is refused before anything is
/// written.
#[test]
fn the_other_byte_order_and_back_is_the_same_file() {
    use ggufkit::format::Endian;
    use ggufkit_testkit::random;
    let folder = folder("endian");
    // IQ2_XXS has no rule: ggml reads its words as bytes in one place and as numbers in another.
    let without = |seed: u64, endian: Endian| {
        let mut builder = Builder::new().endian(endian);
        let document = random::document(seed, endian);
        for (key, value) in document.kvs() {
            builder = builder.kv(key, value.clone());
        }
        for tensor in document.tensors().iter().filter(|tensor| tensor.type_id != 16) {
            builder = builder.tensor(tensor.clone());
        }
        builder
    };
    for seed in 0..6 {
        let little = without(seed, Endian::Little);
        write(&folder, "m.gguf", &little);
        good(&folder, &["endian", "big", "m.gguf", "-o", "b.gguf", "--force"]);
        let (turned, head) = (fs::read(folder.join("b.gguf")).unwrap(), without(seed, Endian::Big).build());
        let data = head.span("head").end() as usize;
        assert!(turned[..data] == head.bytes()[..data], "{seed}: the head");
        assert_ne!(turned[data..], head.bytes()[data..]);
        good(&folder, &["endian", "little", "b.gguf"]);
        assert!(fs::read(folder.join("b.gguf")).unwrap() == little.clone().bytes(), "{seed}");
        // What has the order already is copied, where a new file is asked for.
        let said = good(&folder, &["endian", "little", "m.gguf"]);
        assert!(said.contains("nothing to change"), "{said}");
        let said = good(&folder, &["endian", "little", "m.gguf", "-o", "c.gguf", "--force"]);
        assert!(said.contains("a copy of it"), "{said}");
        assert!(fs::read(folder.join("c.gguf")).unwrap() == little.clone().bytes(), "{seed}");
    }
    // A number of each width, where it stands: q8_0 has an f16 in front of its bytes.
    let block: Vec<u8> = (0..34).collect();
    let model = Builder::new()
        .tensor(Tensor::new("f", 0, &[1]).data([1, 2, 3, 4]))
        .tensor(Tensor::new("q", 8, &[32]).data(block.clone()));
    write(&folder, "q.gguf", &model);
    good(&folder, &["endian", "big", "q.gguf", "-o", "qb.gguf"]);
    let bytes = fs::read(folder.join("qb.gguf")).unwrap();
    let start = bytes.len() - 32 - 64;
    assert_eq!(bytes[start..start + 4], [4, 3, 2, 1]);
    assert_eq!((&bytes[start + 32..start + 34], &bytes[start + 34..start + 66]), (&[1, 0][..], &block[2..]));
    for type_id in [16, 156, 4] {
        let odd = Builder::new().tensor(Tensor::new("x", type_id, &[256]).data(vec![1; 66]));
        write(&folder, "x.gguf", &odd);
        let said = bad(&folder, &["endian", "big", "x.gguf", "-o", "xb.gguf"], 1);
        assert!(said.contains("how its blocks are turned is not known"), "{said}");
        assert!(!folder.join("xb.gguf").exists());
    }
}

/// What is written over the file itself by `endian` and `add` asks what `set` asks.
#[test]
fn a_new_file_takes_the_place_of_no_shared_or_closed_one() {
    let folder = folder("over");
    fs::write(folder.join("w.raw"), [0; 16]).unwrap();
    let calls: [&[&str]; 2] =
        [&["endian", "big", "m.gguf"], &["add", "m.gguf", "c=w.raw", "--type", "F32", "--shape", "4"]];
    for args in calls {
        write(&folder, "m.gguf", &model());
        let before = fs::read(folder.join("m.gguf")).unwrap();
        fs::hard_link(folder.join("m.gguf"), folder.join("other")).unwrap();
        let said = bad(&folder, args, 2);
        assert!(said.contains("2 names"), "{args:?}: {said}");
        fs::remove_file(folder.join("other")).unwrap();
        let mut permissions = fs::metadata(folder.join("m.gguf")).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(folder.join("m.gguf"), permissions).unwrap();
        let said = bad(&folder, args, 2);
        assert!(said.contains("read-only"), "{args:?}: {said}");
        assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), before);
        fs::remove_file(folder.join("m.gguf")).unwrap();
        write(&folder, "m.gguf", &model());
        good(&folder, args);
    }
}

#[test]
fn old_versions_become_the_new_one() {
    let folder = folder("upgrade");
    for version in [1, 2] {
        write(&folder, "m.gguf", &model().version(version));
        good(&folder, &["upgrade", "m.gguf"]);
        assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), model().bytes(), "{version}");
        good(&folder, &["undo", "m.gguf"]);
        assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), model().version(version).bytes(), "{version}");
    }
}

#[test]
fn room_is_told_of_and_can_be_taken_out() {
    let folder = folder("room");
    write(&folder, "m.gguf", &model());
    let before = fs::read(folder.join("m.gguf")).unwrap();
    let told = good(&folder, &["set", "m.gguf", "general.name=n", "--reserve", "1KiB"]);
    assert!(told.contains("of room in the head for later changes (general.padding)"), "{told}");
    let shown = good(&folder, &["dump", "m.gguf", "--format", "markdown"]);
    assert!(shown.contains("bytes of room") && !shown.contains("     "), "{shown}");
    let shown = good(&folder, &["dump", "m.gguf"]);
    assert!(shown.contains("bytes of room"), "{shown}");
    // Out is out.
    let told = good(&folder, &["unset", "m.gguf", "general.padding"]);
    assert!(told.contains("no room is left"), "{told}");
    bad(&folder, &["get", "m.gguf", "general.padding"], 1);
    good(&folder, &["set", "m.gguf", "general.name=A name", "--exact"]);
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), before);
    // What is somebody's is not written over.
    good(&folder, &["set", "m.gguf", "general.padding=words", "general.name=x"]);
    good(&folder, &["set", "m.gguf", "general.name=A longer name than there was, and longer"]);
    assert_eq!(get(&folder, "general.padding"), "words");
}

#[test]
fn patches_are_read_strictly() {
    let folder = folder("strict");
    write(&folder, "m.gguf", &model());
    for (patch, told) in [
        (r#"{"schema": 99, "operations": []}"#, "schema 99"),
        (r#"{"operations": [], "exakt": true}"#, "no \"exakt\""),
        (r#"{"operations": [], "exact": "yes"}"#, "true or false"),
        (r#"[{"op": "put", "key": "a"}]"#, "move-tensor"),
    ] {
        fs::write(folder.join("p.json"), patch).unwrap();
        let found = bad(&folder, &["apply", "m.gguf", "p.json"], 2);
        assert!(found.contains(told), "{patch}: {found}");
    }
    assert!(good(&folder, &["apply", "--help"]).contains("move-tensor"));
}

#[test]
fn a_token_s_own_values_are_found_by_its_text() {
    let folder = folder("tokens");
    let text = |text: &str| Value::String(text.into());
    let model = model()
        .kv("tokenizer.ggml.tokens", Value::Array(Kind::String, ["<s>", "[a]", "b"].map(text).to_vec()))
        .kv("tokenizer.ggml.token_type", vec![3, 4, 1_i32]);
    write(&folder, "m.gguf", &model);
    assert_eq!(get(&folder, "tokenizer.ggml.token_type[<s>]"), "3");
    assert_eq!(get(&folder, "tokenizer.ggml.token_type[[a]]"), "4");
    let json = good(&folder, &["get", "m.gguf", "tokenizer.ggml.tokens[b]", "general.name", "--json"]);
    assert!(json.contains("\"b\"") && json.contains("A name"), "{json}");
    bad(&folder, &["get", "m.gguf", "tokenizer.ggml.token_type[nowhere]"], 1);
}

/// Of a list of words the last ones are what is done, and all others are files.
#[test]
fn several_files_are_changed_by_every_command() {
    let folder = folder("words");
    let files = ["m.gguf", "n.gguf"];
    files.iter().for_each(|name| write(&folder, name, &model()));
    fs::write(folder.join("p.json"), r#"[{"op": "set", "key": "general.name", "value": "N"}]"#).unwrap();
    for args in
        [&["rename"][..], &["apply"], &["move"], &["unset"], &["endian", "big"], &["endian", "little"]]
    {
        let rest: &[&str] = match args[0] {
            "rename" => &["toy.flag", "toy.sign"],
            "apply" => &["p.json"],
            "move" => &["toy.list", "--before", "general.name"],
            "unset" => &["-k", "toy.context_length"],
            _ => &[],
        };
        good(&folder, &[args, &files, rest].concat());
    }
    let list = Value::Array(Kind::U16, vec![Value::U16(1), Value::U16(2)]);
    let expected = Builder::new()
        .kv("general.architecture", "toy")
        .kv("toy.list", list)
        .kv("general.name", "N")
        .kv("toy.sign", Value::Bool(1))
        .tensor(Tensor::f32("a", &[64, 3]))
        .tensor(Tensor::f32("b", &[64]));
    for name in files {
        // Room that the changes left is no difference.
        good(&folder, &["unset", name, "general.padding", "--exact", "--if-present"]);
        assert_eq!(fs::read(folder.join(name)).unwrap(), expected.clone().bytes(), "{name}");
    }
    let said = bad(&folder, &["unset", "m.gguf", "n.gguf", "toy.list"], 1);
    assert!(said.contains("`gguf unset FILE FILE -k KEY`"), "{said}");
    bad(&folder, &["unset", "m.gguf", "toy.gone"], 1);
    let said = good(&folder, &["unset", "m.gguf", "toy.gone", "--if-present"]);
    assert!(said.contains("nothing to change"), "{said}");
    bad(&folder, &["rename", "m.gguf", "toy.sign"], 2);
}

#[test]
fn elements_are_put_into_arrays_and_taken_out_by_words_and_documents() {
    let folder = folder("elements");
    write(&folder, "m.gguf", &model());
    let list = |folder: &Path| good(folder, &["get", "m.gguf", "toy.list", "--json"]);
    let numbers = |folder: &Path| -> Json {
        let json: Json = serde_json::from_str(&list(folder)).unwrap();
        json["files"][0]["values"][0]["value"].clone()
    };
    let said = good(&folder, &["set", "m.gguf", "toy.list[+]=3", "toy.list[+0]=9", "toy.list[-1]=4"]);
    assert!(said.contains("toy.list[2]: put in, 3") && said.contains("toy.list[0]: put in, 9"), "{said}");
    // Numbers are those before any is put in or taken out.
    assert_eq!(numbers(&folder), serde_json::json!([9, 1, 4, 3]), "{}", list(&folder));
    good(&folder, &["unset", "m.gguf", "toy.list[0]", "toy.list[-1]", "toy.list[3]", "toy.list[0]"]);
    assert_eq!(numbers(&folder), serde_json::json!([1, 4]));
    let patch = r#"[{"op": "insert", "key": "toy.list", "value": 7}, {"op": "insert", "key": "toy.list", "element": 0, "value": 8},
        {"op": "remove", "key": "toy.list", "element": -2}]"#;
    fs::write(folder.join("p.json"), patch).unwrap();
    good(&folder, &["apply", "m.gguf", "p.json"]);
    assert_eq!(numbers(&folder), serde_json::json!([8, 1, 7]));
    for (word, told) in [
        ("toy.list[+]=70000", "70000 does not fit in u16"),
        ("toy.list[+9]=1", "toy.list has 3 elements, from [0] on, and no [9]"),
        ("toy.list[3]=1", "toy.list has 3 elements, from [0] on, and no [3]"),
        ("toy.none[+]=1", "there is no key toy.none"),
        ("toy.flag[+]=1", "toy.flag is no array"),
    ] {
        let said = bad(&folder, &["set", "m.gguf", word], 1);
        assert!(said.contains(told), "{word}: {said}");
    }
    // A list that is known is made with its first element; what is so already is nothing to do.
    good(&folder, &["set", "m.gguf", "general.tags[+]=chat"]);
    assert_eq!(get(&folder, "general.tags[0]"), "chat");
    let said = good(&folder, &["set", "m.gguf", "general.tags[0]=chat"]);
    assert!(said.contains("nothing to change"), "{said}");
}

#[test]
fn advice_is_about_what_was_typed() {
    let folder = folder("advice");
    let texts = |texts: &[&str]| {
        Value::Array(Kind::String, texts.iter().map(|text| Value::String(text.as_bytes().to_vec())).collect())
    };
    let types = Value::Array(Kind::I32, vec![Value::I32(1); 5]);
    let file = model()
        .kv("general.tags", texts(&["a"]))
        .kv("tokenizer.ggml.tokens", texts(&["a", "a", "<|x=y|>", "=", "3"]))
        .kv("tokenizer.ggml.token_type", types);
    write(&folder, "m.gguf", &file);
    for (word, told) in [
        ("tokenizer.ggml.token_type[a]=3", "give the number"),
        ("general.tags[llama]=x", "an element is named by its number"),
        ("general.tags=chat", "write [\"a\", \"b\"]"),
        ("my.key:int=3", "there is no type int"),
        ("tokenizer.ggml.token_type[2]=BOGUS", "its values are"),
        ("general.tags[2]=x", "has 1 elements"),
    ] {
        let said = bad(&folder, &["set", "m.gguf", word, "--dry-run"], 1);
        assert!(said.contains(told), "{word}: {said}");
    }
    for (word, at) in [("<|x=y|>", 2), ("=", 3), ("\"3\"", 4)] {
        let said =
            good(&folder, &["set", "m.gguf", &format!("tokenizer.ggml.token_type[{word}]=3"), "--dry-run"]);
        assert!(said.contains(&format!("tokenizer.ggml.token_type[{at}]: 1 → 3")), "{word}: {said}");
    }
}

#[test]
fn a_value_that_is_too_long_is_not_cut() {
    let folder = folder("long");
    write(&folder, "m.gguf", &model());
    let file = fs::File::create(folder.join("long")).unwrap();
    file.set_len((1 << 30) + 1).unwrap();
    let said = bad(&folder, &["set", "m.gguf", "general.name=@long"], 2);
    assert!(said.contains("longer than 1"), "{said}");
}
