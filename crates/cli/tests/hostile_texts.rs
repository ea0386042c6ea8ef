//! Files whose every text is hostile: names, keys, values, tokens, templates, and the files' own names. Whatever the command
//! says about them, no character of theirs acts on a terminal or breaks a line.

#![cfg(unix)]
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::fs;
use std::path::Path;

use ggufkit::format::is_safe;
use ggufkit::format::spec::ValueType;
use ggufkit::format::spec::keys::{KEYS, KeyType};
use ggufkit_testkit::{Builder, Tensor, Value};

use common::{folder, gguf};

/// Clears the screen, sets a title, uses the controls of one byte and of eight bits, turns the direction, ends the line.
const TEXT: &str =
    "x\u{1b}[2J\u{1b}]0;t\u{7}\u{9b}31m\u{202e}gnp\u{2066}\u{200b}\r\nerror: forged\u{8}\u{7f}";

/// A value that the key does not take, or one of its type that holds a hostile text.
#[derive(Clone, Copy)]
enum Of {
    Text,
    Texts,
    Number,
    Array,
    /// What the key takes.
    Type,
}

fn value(types: &[KeyType], of: Of) -> Value {
    match of {
        Of::Text => TEXT.into(),
        Of::Texts => vec![TEXT, TEXT, "\u{9b}31m"].into(),
        Of::Number => 7_u64.into(),
        Of::Array => vec![1_u8].into(),
        Of::Type => match types.first().map(|ty| (ty.is_array(), ty.element())) {
            Some((true, ValueType::STRING)) => vec![TEXT, "a", "b"].into(),
            Some((false, ValueType::STRING)) => TEXT.into(),
            Some((true, ValueType::INT32)) => vec![-1_i32].into(),
            Some((false, ValueType::FLOAT32)) => f32::NAN.into(),
            Some((false, ValueType::BOOL)) => Value::Bool(3),
            Some((true, _)) => vec![1_u32].into(),
            _ => 1_u32.into(),
        },
    }
}

/// Every key that is known, for an architecture, and some that are not.
fn file(architecture: &str, of: Of) -> Builder {
    let mut file = Builder::new().kv("general.architecture", architecture);
    for key in KEYS.iter().filter(|key| key.pattern != "general.architecture") {
        let name = key.pattern.replace("{arch}", architecture).replace("{i}", "0").replace("{name}", TEXT);
        // Where the data lies is another matter.
        if name != "general.alignment" && !name.starts_with("split.") {
            file = file.kv(name, value(key.types, of));
        }
    }
    for key in [TEXT.to_owned(), format!("tokenizer.chat_template.{TEXT}"), format!("{architecture}.{TEXT}")]
    {
        file = file.kv(key, TEXT);
    }
    file.kv("tokenizer.chat_templates", vec![TEXT])
        .tensor(Tensor::f32(TEXT, &[4]))
        .tensor(Tensor::f32("token_embd.weight", &[4, 3]))
        .tensor(Tensor::f32(format!("blk.0.{TEXT}"), &[4]))
        .tensor(Tensor::f32(format!("blk.9.{TEXT}"), &[4]).offset(1 << 40))
        .tensor(Tensor::new(format!("t{TEXT}"), 156, &[32]))
}

fn write(folder: &Path, name: &str, file: &Builder) -> String {
    fs::write(folder.join(name), file.bytes()).unwrap();
    name.to_owned()
}

fn asked(folder: &Path, call: &[&str]) {
    let output = gguf(folder, call);
    let shown = call.iter().map(|word| word.escape_debug().to_string()).collect::<Vec<_>>();
    assert!(matches!(output.status.code(), Some(0..=2)), "{shown:?}: {:?}", output.status);
    for bytes in [&output.stdout, &output.stderr] {
        let text = std::str::from_utf8(bytes).expect("UTF-8");
        if let Some(at) = text.find(|c| c != '\n' && !is_safe(c)) {
            let (from, to) =
                (text.floor_char_boundary(at.saturating_sub(80)), text.ceil_char_boundary(at + 40));
            panic!("{shown:?}: {:?}", text.get(from..to));
        }
        // A template is shown with its own lines.
        let lines = call.first() != Some(&"template");
        assert!(!lines || !text.lines().any(|line| line.starts_with("error: forged")), "{shown:?}: {text}");
    }
}

#[test]
fn no_text_of_a_file_acts() {
    let folder = folder("texts");
    let mut names = Vec::new();
    for (at, architecture) in ["llama", "clip", "controlvector", "imatrix", TEXT].into_iter().enumerate() {
        for (of, what) in [
            (Of::Text, "text"),
            (Of::Texts, "texts"),
            (Of::Number, "number"),
            (Of::Array, "array"),
            (Of::Type, "type"),
        ] {
            // What hangs on the kind of value alone is seen with one architecture.
            if at == 0 || matches!(of, Of::Text | Of::Type) {
                names.push(write(&folder, &format!("{at}-{what}.gguf"), &file(architecture, of)));
            }
        }
    }
    // Kinds of files, that of a hostile one among them, with keys that each may lack.
    for (at, kind) in ["model", "adapter", "mmproj", "imatrix", "vocab", TEXT].into_iter().enumerate() {
        let file = Builder::new()
            .kv("general.architecture", "llama")
            .kv("general.type", kind)
            .kv("adapter.type", TEXT)
            .kv("llama.block_count", TEXT)
            .kv("tokenizer.ggml.model", TEXT)
            .kv("tokenizer.ggml.pre", TEXT)
            .kv("tokenizer.ggml.tokens", vec![TEXT, TEXT, "<0x00>"])
            .kv("tokenizer.ggml.token_type", vec![6_i32, 3, 9])
            .kv("tokenizer.ggml.merges", vec![TEXT])
            .kv("tokenizer.chat_template", format!("{{{{ {TEXT}.__class__ | {TEXT} }}}}<|{TEXT}|>"))
            .tensor(Tensor::f32(format!("{TEXT}.lora_a"), &[4]));
        names.push(write(&folder, &format!("kind{at}.gguf"), &file));
    }
    // The file's own name.
    let own = TEXT.replace('/', "");
    names.push(write(&folder, &format!("{own}.gguf"), &file("llama", Of::Text)));
    let shard =
        Builder::new().kv("split.no", 0_u16).kv("split.count", 2_u16).kv("split.tensors.count", 1_i32);
    names.push(write(&folder, &format!("{own}-00001-of-00002.gguf"), &shard));
    let own_tensor = ["extract", TEXT, "-o", "-"];
    for name in names.iter().map(String::as_str) {
        for call in [
            &["show"][..],
            &["show", "--json"],
            &["config"],
            &["config", "--json"],
            &["dump"],
            &["dump", "--format", "json"],
            &["dump", "--format", "yaml"],
            &["dump", "--format", "markdown"],
            &["dump", "--format", "csv", "--sections", "metadata"],
            &["get"],
            &["get", "*"],
            &["get", "--json", "*"],
            &["tensors"],
            &["tensors", "--by", "layer"],
            &["tensors", "--json"],
            &["hex"],
            &["hex", "--lang", "zh"],
            &["check"],
            &["check", "--loaders"],
            &["check", "--loaders", "--format", "concise"],
            &["check", "--loaders", "--format", "github"],
            &["check", "--format", "narrated"],
            &["check", "--format", "sarif"],
            &["check", "--json"],
            &["check", "--scan"],
            &["template"],
            &["template", "--list"],
            &["template", "--json"],
            &["repair", "--dry-run"],
            &["name"],
            &["name", "--json"],
            &["extract"],
        ] {
            let mut call = call.to_vec();
            call.insert(1, name);
            asked(&folder, &call);
        }
    }
    for call in [&own_tensor[..], &["explain", TEXT], &["rule", TEXT]] {
        asked(&folder, call);
    }
}
